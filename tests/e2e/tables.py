"""Games for the browser tests, begun and filled over the API by the phone itself."""

from __future__ import annotations

from typing import Any

ROUNDS = (
    {"Ana": "9C KD 3S", "Ben": "", "Cy": "4H 7S QD 2C TH", "Dot": "JK 4D"},
    {"Ana": "", "Ben": "KH 7D", "Cy": "5C 6C 8H", "Dot": "2D 9S"},
    {"Ana": "QS QH", "Ben": "AS 2D 9S", "Cy": "", "Dot": "TD TC 3H"},
    {"Ana": "5C", "Ben": "6D 6H", "Cy": "JK 2S", "Dot": ""},
    {"Ana": "", "Ben": "KD", "Cy": "4S", "Dot": "AD"},
    {"Ana": "9H 9D", "Ben": "", "Cy": "7H", "Dot": "8S 8C"},
    {"Ana": "3C", "Ben": "", "Cy": "KC", "Dot": "QC"},
)
"""Seven rounds of Shanghai Rummy: 70 for Ana and Ben after six of them; in the end 75, 70, 140 and 155."""

PLAYERS = ("Ana", "Ben", "Cy", "Dot")

_BEGIN = """async ({players, rules}) => {
  const answer = await fetch("api/games", {
    method: "POST",
    headers: {"Content-Type": "application/json", "Idempotency-Key": `test-${Math.random()}`},
    body: JSON.stringify({rules, players, name: "Saturday"}),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}"""
_RECORD = """async ({game, event, query}) => {
  const {revision} = await (await fetch(`api/games/${game}`)).json();
  const answer = await fetch(`api/games/${game}/events${query}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": `test-${Math.random()}`,
      "If-Match": `"${revision}"`,
    },
    body: JSON.stringify(event),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}"""


def begin(page: Any, players: tuple[str, ...] = PLAYERS, rules: str = "shanghai") -> str:
    """Begin a game; returns its id. The page shows some screen of the service already."""
    return str(page.evaluate(_BEGIN, {"players": players, "rules": rules})["id"])


def record(page: Any, game: str, kind: str, query: str = "", **event: Any) -> dict[str, Any]:
    """Record an event, as another screen of the same phone would."""
    return dict(page.evaluate(_RECORD, {"game": game, "event": {"kind": kind, **event}, "query": query}))


def play(page: Any, game: str, rounds: int) -> None:
    """Record the first rounds of ``ROUNDS``."""
    for number, hands in enumerate(ROUNDS[:rounds], start=1):
        if number > 1:
            record(page, game, "round_started", round=number)
        for player, cards in hands.items():
            record(page, game, "hand_scored", round=number, player=player, cards=cards)


def state(page: Any, game: str) -> dict[str, Any]:
    """Return the game as the service tells it."""
    return dict(page.evaluate("async (game) => (await fetch(`api/games/${game}`)).json()", game))
