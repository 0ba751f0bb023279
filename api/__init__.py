"""Command line, service and phone page."""
