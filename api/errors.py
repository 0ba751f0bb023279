"""Errors of the command line; each message is one line for the user."""

from __future__ import annotations


class InputError(Exception):
    """Input that cannot be used: exit status 1."""


class UsageError(InputError):
    """A command that is not understood: exit status 2."""
