"""Rendered scenes with exact labels: decks, scenes, and readers of labelled photo folders."""
