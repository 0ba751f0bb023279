"""Pages to be printed: a game's scores, and a blank sheet. They bring their own style, and no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape

from fastapi.responses import HTMLResponse

from api.rulebook import rules_page
from api.scoreboard import Scoreboard
from engine.rules import Rules

BLANK_ROUNDS = 12
"""Rows of a sheet for a game that goes on until it ends."""
BLANK_PLAYERS = 5

_STYLE = """
@page { size: A4 portrait; margin: 12mm }
body { font: 11pt/1.3 system-ui, sans-serif; color: #000; background: #fff; margin: 1em auto; max-width: 186mm }
h1 { font-size: 16pt; margin: 0 0 .2em }
p { margin: .2em 0 .6em }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { border: 1px solid #444; padding: 1.2mm 1.5mm; text-align: right; overflow-wrap: anywhere }
th:first-child, td:first-child { width: 34%; text-align: left }
td.blank { height: 8mm }
small { color: #333 }
tfoot td { font-weight: bold }
"""
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    + "'"
)


def printable(page: str) -> HTMLResponse:
    """Return a page as an answer that allows its own style and nothing else."""
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


def sheet(rules: Rules, players: Sequence[str] = ()) -> str:
    """Return a blank score sheet of a rule system, for one page.

    >>> from engine.rules import load
    >>> sheet(load("shanghai"), ["Ana", "Ben"]).count("<tr>")
    9
    """
    names = [*players, *[""] * (0 if players else min(BLANK_PLAYERS, rules.max_players))]
    page = rules_page(rules.name, rules)
    rounds = [f"{line.number}. {line.contract.words if line.contract else ''}" for line in page.rounds]
    rounds = rounds or [f"{number}." for number in range(1, BLANK_ROUNDS + 1)]
    worth = " · ".join(f"{line.cards} {line.points}" for line in page.points)
    blank = "".join('<td class="blank"></td>' for _ in names)
    return _page(
        rules.title,
        f"<p>{escape(rules.about)}</p><p>{escape(worth)}</p>",
        ["Round", *names],
        [f"<td>{escape(line)}</td>{blank}" for line in rounds],
        f"<td>Total</td>{blank}",
    )


def score_page(board: Scoreboard) -> str:
    """Return a game's scores as a page: the sum behind every number stands below it."""
    names = [player.name for player in board.players]
    lines = []
    for row in board.rounds:
        words = f"<br><small>{escape(row.contract.words)}</small>" if row.contract else ""
        cells = f"<td>{row.number}{words}</td>"
        for name in names:
            cell = row.cells.get(name)
            shown = f"{cell.total}<br><small>{escape(cell.text)}</small>" if cell else "–"
            cells += f"<td>{shown}</td>"
        lines.append(cells)
        for bonus in row.bonuses:
            own = "".join(f"<td>{bonus.points if name == bonus.player else ''}</td>" for name in names)
            lines.append(f"<td><small>{escape(bonus.reason or 'bonus')}, counted above</small></td>{own}")
    total = "<td>Total</td>" + "".join(f"<td>{board.totals[name]}</td>" for name in names)
    state = "Won by " + " and ".join(board.winners) if board.winners else "Not finished"
    head = f"<p>{escape(board.rules.title)} · {escape(board.created[:10])} · {escape(state)}</p>"
    return _page(board.name, head, ["Round", *names], lines, total)


def _page(title: str, head: str, columns: Sequence[str], rows: Sequence[str], foot: str) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{head}<table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody><tfoot><tr>{foot}</tr></tfoot></table></body></html>"
    )
