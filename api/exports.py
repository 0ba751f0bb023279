"""A game as a file: a table for spreadsheets, or every entry for another Meldsight."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from api.scoreboard import Scoreboard
from api.store.games import Entry, Record
from engine.ledger import Ledger, LedgerError, event_from_json, event_json

FORMAT = 1
"""Version of the JSON form."""


def to_csv(board: Scoreboard) -> str:
    """Return a game as CSV: one line for each player and round."""
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["round", "player", "points", "bonus", "total", "running", "cards", "sum"])
    for row in board.rounds:
        for player, cell in row.cells.items():
            bonus = cell.bonus
            cards = "" if cell.cards is None else cell.cards
            lines.writerow(
                [row.number, _safe(player), cell.points, bonus, cell.total, cell.running, cards, _safe(cell.text)]
            )
    return text.getvalue()


def _safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> _safe("=1+1"), _safe("Ana")
    ("'=1+1", 'Ana')
    """
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") else text


def to_json(record: Record) -> dict[str, Any]:
    """Return a game with every entry."""
    return {
        "format": FORMAT,
        "id": record.id,
        "name": record.name,
        "created": record.created,
        "changed": record.changed,
        "entries": [{"at": entry.at, "by": entry.by, "event": event_json(entry.event)} for entry in record.entries],
    }


def from_json(text: str) -> Record:
    """Return the game that ``to_json`` wrote.

    Raises:
        LedgerError: if it is none; the text says what is wrong.
    """
    try:
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise LedgerError(f"This is a game of format {value['format']!r}; this program reads format {FORMAT}.")
        entries = tuple(
            Entry(number, str(each["at"]), str(each["by"]), event_from_json(each["event"]))
            for number, each in enumerate(value["entries"])
        )
        record = Record(str(value["id"]), str(value["name"]), str(value["created"]), str(value["changed"]), entries)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise LedgerError(f"This is no game that Meldsight has exported: {error!r}.") from error
    ledger = Ledger()
    for entry in entries:
        ledger = ledger.append(entry.event)
    return record
