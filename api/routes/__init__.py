"""The addresses of the service; each module makes one router."""
