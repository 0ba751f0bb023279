"""Steps from one form of the database to the next; each module in ``versions`` is one."""
