"""Meldsight on more than one computer: the networks behind Ray Serve, data work on Ray."""
