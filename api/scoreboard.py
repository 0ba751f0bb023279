"""A game as people see it: the grid of rounds and players, who is missing, what comes next. A fold of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from api.sentences import event_text, hand_text
from api.sizes import odd_size
from api.store.games import MOST_KEPT, Record, Role
from engine.cards import Card, print_cards
from engine.ledger import Game as Fold
from engine.ledger import (
    GameStarted,
    HandCorrected,
    HandMoved,
    RoundStarted,
    Voided,
)
from engine.ledger import Round as FoldedRound
from engine.rules import Rules
from engine.scoring import exact_cut, leaders, too_many


@dataclass(frozen=True, slots=True)
class Slot:
    """One meld of a contract."""

    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Contract:
    """What a round asks for."""

    text: str
    """As rule files write it: ``S3 R4``."""
    words: str
    slots: tuple[Slot, ...]
    whole_hand: bool


@dataclass(frozen=True, slots=True)
class PlayedRules:
    """What a game is played by."""

    name: str
    title: str
    options: dict[str, Any]
    packs: int
    jokers: int
    contracts: bool


@dataclass(frozen=True, slots=True)
class Player:
    """One player and how they stand."""

    name: str
    present: bool
    starting: int
    total: int
    rounds_won: int
    leads: bool


@dataclass(frozen=True, slots=True)
class Deal:
    """A round as it is dealt."""

    number: int
    of: int
    """Rounds in the game; 0 where it goes on to a target."""
    dealer: str | None
    deal: int
    contract: Contract | None


@dataclass(frozen=True, slots=True)
class RoundNow(Deal):
    """The round that is on."""

    missing: tuple[str, ...]
    question: str | None
    states: dict[str, str]
    """Each player: ``waiting``, ``down``, ``confirmed`` or ``out``."""
    melds: dict[str, list[str]]
    """What lies on the table, as far as it was recorded."""
    cut: int | None
    """Cards to lift for the bonus, where the system has one."""
    cut_bonus: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One player's round."""

    event: int
    """Number of the entry that counted the hand."""
    cards: str | None
    points: int
    bonus: int
    total: int
    running: int
    out: bool
    text: str
    parts: tuple[tuple[str, int], ...]
    corrected: bool
    by: str
    at: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BonusLine:
    """Points beside the hands."""

    event: int
    player: str
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One round of the grid."""

    number: int
    contract: Contract | None
    dealer: str | None
    missing: tuple[str, ...]
    question: str | None
    closed: bool
    """Whether every hand is there."""
    cells: dict[str, Cell]
    bonuses: tuple[BonusLine, ...]


@dataclass(frozen=True, slots=True)
class UndoLine:
    """What would be taken back."""

    of: int
    text: str


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """Everything that is shown of a game."""

    id: str
    name: str
    revision: int
    role: Role
    created: str
    changed: str
    rules: PlayedRules
    players: tuple[Player, ...]
    round: RoundNow | None
    next_round: Deal | None
    rounds: tuple[Row, ...]
    totals: dict[str, int]
    leaders: tuple[str, ...]
    tied: tuple[str, ...]
    finished: bool
    winners: tuple[str, ...]
    losers: tuple[str, ...]
    questions: tuple[str, ...]
    undo: UndoLine | None


_SCOREBOARD = TypeAdapter(Scoreboard)
Laid = tuple[tuple[str, tuple[str, ...]], ...]
"""Players with their melds on the table."""


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list."""

    id: str
    name: str
    rules: str
    players: tuple[str, ...]
    round: int
    rounds: int
    finished: bool
    winners: tuple[str, ...]
    leaders: tuple[str, ...]
    role: Role
    created: str
    changed: str


def contract_of(rules: Rules, round_number: int) -> Contract | None:
    """Return the contract of a round; none where the system has none. An extra round has the last one's.

    >>> from engine.rules import load
    >>> contract_of(load("shanghai"), 2).words
    '1 set of 3 and 1 run of 4'
    """
    if not rules.contracts:
        return None
    contract = rules.contract(min(round_number, rules.rounds_played))
    slots = tuple(Slot(slot.kind, slot.size) for slot in contract.slots)
    return Contract(str(contract), contract.words, slots, contract.whole_hand)


def leading(game: Fold) -> tuple[str, ...]:
    """Return who leads: nobody before the first hand is counted."""
    if not any(entry.scores for entry in game.rounds):
        return ()
    return leaders({player: game.totals[player] for player in game.present or game.players}, _won(game), game.rules)


def game_line(record: Record, role: Role) -> GameLine:
    """Return a game as a list shows it."""
    game = record.ledger.game
    return GameLine(
        id=record.id,
        name=record.name,
        rules=game.rules.title,
        players=game.players,
        round=game.round,
        rounds=game.rules.rounds_played,
        finished=game.finished,
        winners=game.winners,
        leaders=leading(game),
        role=role,
        created=record.created,
        changed=record.changed,
    )


def scoreboard(record: Record, role: Role, laid: Mapping[str, list[str]]) -> Scoreboard:
    """Return everything that is shown of a game.

    Args:
        record: the game as it is written down.
        role: what the device that asks is in the game.
        laid: each player's melds on the table in the round that is on.
    """
    game = record.ledger.game
    lead = leading(game)
    won = _won(game)
    start = record.entries[0].event
    assert isinstance(start, GameStarted)
    return Scoreboard(
        id=record.id,
        name=record.name,
        revision=record.revision,
        role=role,
        created=record.created,
        changed=record.changed,
        rules=_played(record),
        players=tuple(
            Player(
                player,
                player in game.present,
                game.starting.get(player, 0),
                game.totals[player],
                won.get(player, 0),
                player in lead,
            )
            for player in game.players
        ),
        round=_round_now(game, laid),
        next_round=_next_round(game),
        rounds=rows(record),
        totals=game.totals,
        leaders=lead,
        tied=game.tied_for_extra_hand,
        finished=game.finished,
        winners=game.winners,
        losers=game.losers,
        questions=game.doubts,
        undo=_undo(record),
    )


@lru_cache(maxsize=MOST_KEPT)
def scoreboard_json(record: Record, role: Role, laid: Laid) -> str:
    """Return a scoreboard as the service tells it: written out once, though every phone of the table looks at it.

    Args:
        record: the game as it is written down.
        role: what the device that asks is in the game.
        laid: each player with their melds on the table in the round that is on.
    """
    shown = scoreboard(record, role, {player: list(melds) for player, melds in laid})
    return _SCOREBOARD.dump_json(shown).decode()


def rows(record: Record) -> tuple[Row, ...]:
    """Return the grid: one row for each round."""
    game = record.ledger.game
    return tuple(_row(record, game, place, entry) for place, entry in enumerate(game.rounds))


def odd_copies(cards: tuple[Card, ...], others: tuple[Card, ...], rules: Rules) -> str | None:
    """Return a warning where a hand cannot be, because of what was recorded elsewhere in the round.

    >>> from engine.cards import parse_cards
    >>> from engine.rules import load
    >>> odd_copies(parse_cards("8C 9D"), parse_cards("8C 8C"), load("shanghai"))
    'With what was recorded before in this round there would be 3 × 8♣, and the packs hold fewer.'
    """
    own = set(cards)
    over = {card: count for card, count in too_many((*cards, *others), rules).items() if card in own}
    if not over:
        return None
    counted = " and ".join(f"{count} × {card.label}" for card, count in over.items())
    return f"With what was recorded before in this round there would be {counted}, and the packs hold fewer."


def _played(record: Record) -> PlayedRules:
    game = record.ledger.game
    rules = game.rules
    packs, jokers = packs_in_play(game)
    options: dict[str, Any] = {}
    for entry, stands in zip(record.entries, record.ledger.standing, strict=True):
        if stands:
            options |= dict(getattr(entry.event, "options", ()))
    return PlayedRules(rules.name, rules.title, options, packs, jokers, bool(rules.contracts))


def packs_in_play(game: Fold) -> tuple[int, int]:
    """Return the packs and jokers on the table; the most that the system uses where players have left or joined."""
    seats = len(game.present)
    if game.rules.min_players <= seats <= game.rules.max_players:
        return game.rules.pack_for(seats)
    return game.rules.packs, game.rules.jokers


def _won(game: Fold) -> dict[str, int]:
    return {
        player: sum(1 for entry in game.rounds if player in entry.scores and entry.scores[player].out)
        for player in game.players
    }


def _deal(rules: Rules, number: int, dealer: str | None) -> Deal:
    return Deal(
        number, rules.rounds_played, dealer, int(rules.in_round(rules.deal, number)), contract_of(rules, number)
    )


def _round_now(game: Fold, laid: Mapping[str, list[str]]) -> RoundNow | None:
    if not game.round:
        return None
    entry = game.rounds[-1]
    deal = _deal(game.rules, game.round, game.dealer)

    def state(player: str) -> str:
        if player in entry.scores:
            return "out" if entry.scores[player].out else "confirmed"
        return "down" if player in laid else "waiting"

    return RoundNow(
        number=deal.number,
        of=deal.of,
        dealer=deal.dealer,
        deal=deal.deal,
        contract=deal.contract,
        missing=entry.missing,
        question=entry.question,
        states={player: state(player) for player in entry.players},
        melds=dict(laid),
        cut=exact_cut(game.rules, len(entry.players), game.round) if game.rules.cut_bonus else None,
        cut_bonus=game.rules.cut_bonus,
    )


def _next_round(game: Fold) -> Deal | None:
    due = game.rules.rounds_played
    if game.finished or (due and game.round >= due and not game.tied_for_extra_hand):
        return None
    return _deal(game.rules, game.round + 1, game.next_dealer)


def _row(record: Record, game: Fold, place: int, entry: FoldedRound) -> Row:
    return Row(
        number=entry.number,
        contract=contract_of(game.rules, entry.number),
        dealer=entry.dealer,
        missing=entry.missing,
        question=entry.question,
        closed=bool(entry.scores) and not entry.missing,
        cells={player: _cell(record, game, place, entry, player) for player in entry.players if player in entry.scores},
        bonuses=tuple(BonusLine(each.event, each.player, each.points, each.reason) for each in entry.bonuses),
    )


def _cell(record: Record, game: Fold, place: int, entry: FoldedRound, player: str) -> Cell:
    score = entry.scores[player]
    last, changes = _writer(record, score.event)
    total = entry.points(player)
    return Cell(
        event=score.event,
        cards=None if score.cards is None else print_cards(score.cards),
        points=score.points,
        bonus=total - score.points,
        total=total,
        running=game.running(place + 1, player),
        out=score.out,
        text=hand_text(score.cards, score.points, game.rules),
        parts=tuple((card.code, points) for card, points in score.penalty.parts) if score.penalty else (),
        corrected=changes > 0,
        by=record.entries[last].by,
        at=record.entries[last].at,
        warnings=hand_warnings(record, player, entry.number, score.cards or ()),
    )


def _writer(record: Record, number: int) -> tuple[int, int]:
    """The entry that last said what a hand is, and how often it was changed."""
    last, changes = number, 0
    for entry, stands in zip(record.entries[number + 1 :], record.ledger.standing[number + 1 :], strict=True):
        if stands and isinstance(entry.event, HandCorrected | HandMoved) and entry.event.of == number:
            last, changes = entry.number, changes + 1
    return last, changes


def hand_warnings(
    record: Record, player: str, round_number: int, cards: tuple[Card, ...], laid: Mapping[str, list[str]] | None = None
) -> tuple[str, ...]:
    """Return what is odd about a hand, given what else was recorded in its round.

    Args:
        record: the game.
        player: whose hand it is.
        round_number: the round it was left over in.
        cards: its cards.
        laid: each player's melds on the table.
    """
    rules = record.ledger.game.rules
    elsewhere = cards_elsewhere(record, player, round_number, laid or {})
    found = (odd_size(len(cards), player, rules, round_number), odd_copies(cards, elsewhere, rules))
    return tuple(text for text in found if text)


def cards_elsewhere(record: Record, player: str, round_number: int, laid: Mapping[str, list[str]]) -> tuple[Card, ...]:
    """Return the cards of a round that are not in a player's hand: those of other hands, and those on the table.

    Args:
        record: the game.
        player: whose hand is left out.
        round_number: the round.
        laid: each player's melds on the table.
    """
    hands = [
        score.cards or ()
        for entry in record.ledger.game.rounds
        if entry.number == round_number
        for other, score in entry.scores.items()
        if other != player
    ]
    melds = [Card.parse(code) for melds in laid.values() for meld in melds for code in meld.split()]
    return (*(card for hand in hands for card in hand), *melds)


def last_standing(record: Record) -> int | None:
    """Return the number of the entry that an undo takes back; none at the start of the game."""
    standing = record.ledger.standing
    for number in range(record.revision - 1, 0, -1):
        event = record.entries[number].event
        if isinstance(event, RoundStarted) and event.round == 1:
            break
        if standing[number] and not isinstance(event, Voided):
            return number
    return None


def _undo(record: Record) -> UndoLine | None:
    number = last_standing(record)
    return None if number is None else UndoLine(number, event_text(number, record.ledger))
