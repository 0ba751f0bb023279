"""The migrations, oldest first by their number."""
