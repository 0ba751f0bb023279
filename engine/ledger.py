"""A game as it is written down: an append-only list of events, and what they add up to.

Nothing is ever changed or deleted. A mistake is corrected, moved or voided by one more event, and everything shown is
computed from the events: so a change of rules scores all the cards anew.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from engine.cards import Card, parse_cards, print_cards
from engine.rules import Rules, load, loads, with_options
from engine.scoring import Penalty, check_cards, leaders, penalty


class LedgerError(ValueError):
    """An event that does not fit the game, or a record that cannot be read."""


# Events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the record."""

    kind: ClassVar[str]
    at: str = ""
    """When it was written down, as the caller writes times; the engine does not read it."""


@dataclass(frozen=True, kw_only=True)
class GameStarted(Event):
    """The game begins: its rules, its players in the order of their seats."""

    kind = "game_started"
    rules: str
    """Name of a rule system, or the text of a rule file."""
    players: tuple[str, ...]
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SettingsChanged(Event):
    """House rules change, for the whole game: what is written down is scored anew."""

    kind = "settings_changed"
    options: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class PlayerEvent(Event):
    """What happens to a player beside the scores."""

    player: str


@dataclass(frozen=True, kw_only=True)
class PlayerJoined(PlayerEvent):
    """A player joins, with points to start from."""

    kind = "player_joined"
    points: int = 0


class PlayerLeft(PlayerEvent):
    """A player leaves; the points so far stay on record."""

    kind = "player_left"


class DealerSet(PlayerEvent):
    """A player deals the round that is on, and those to the left follow."""

    kind = "dealer_set"


@dataclass(frozen=True, kw_only=True)
class RoundStarted(Event):
    """A round begins."""

    kind = "round_started"
    round: int


@dataclass(frozen=True, kw_only=True)
class HandScored(Event):
    """A player's hand is counted after a round: its cards, or only points where the cards were not recorded."""

    kind = "hand_scored"
    round: int
    player: str
    cards: tuple[Card, ...] | None = None
    points: int | None = None


@dataclass(frozen=True, kw_only=True)
class HandCorrected(Event):
    """The cards, or the points, of a counted hand were others."""

    kind = "hand_corrected"
    of: int
    """Number of the event that is corrected, from 0."""
    cards: tuple[Card, ...] | None = None
    points: int | None = None


@dataclass(frozen=True, kw_only=True)
class HandMoved(Event):
    """A counted hand was another player's."""

    kind = "hand_moved"
    of: int
    player: str


@dataclass(frozen=True, kw_only=True)
class BonusGiven(Event):
    """Points that do not come from a hand, on a line of their own."""

    kind = "bonus_given"
    round: int
    player: str
    points: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Voided(Event):
    """An event does not count; a voided ``Voided`` gives back what it took."""

    kind = "voided"
    of: int


EVENTS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        GameStarted,
        SettingsChanged,
        PlayerJoined,
        PlayerLeft,
        DealerSet,
        RoundStarted,
        HandScored,
        HandCorrected,
        HandMoved,
        BonusGiven,
        Voided,
    )
}


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object.

    >>> event_json(HandScored(round=3, player="Ben", cards=parse_cards("9C KD 3S")))
    {'kind': 'hand_scored', 'round': 3, 'player': 'Ben', 'cards': '9C KD 3S'}
    """
    record: dict[str, Any] = {"kind": event.kind}
    for item in fields(event):
        value = getattr(event, item.name)
        if value == item.default:
            continue
        if item.name == "cards":
            value = print_cards(value)
        elif item.name == "options":
            value = dict(value)
        elif isinstance(value, tuple):
            value = list(value)
        record[item.name] = value
    return record


def event_from_json(record: Mapping[str, Any]) -> Event:
    """Return the event of a JSON object. What an older version did not write takes its default.

    >>> event_from_json({"kind": "bonus_given", "round": 1, "player": "Ana", "points": -50})
    BonusGiven(at='', round=1, player='Ana', points=-50, reason='')

    Raises:
        LedgerError: if it is no event.
    """
    kind = record.get("kind")
    if kind not in EVENTS:
        raise LedgerError(f"{kind!r} is no kind of event: the kinds are {', '.join(EVENTS)}.")
    known = {item.name: item for item in fields(EVENTS[kind])}
    values: dict[str, Any] = {}
    for key, value in record.items():
        if key != "kind":
            if key not in known:
                raise LedgerError(f"An event {kind} has no {key!r}: it has {', '.join(known)}.")
            values[key] = _from_json(key, value)
    missing = [name for name, item in known.items() if item.default is MISSING and name not in values]
    if missing:
        raise LedgerError(f"An event {kind} needs {', '.join(missing)}.")
    return EVENTS[kind](**values)


_TYPES: dict[str, tuple[type, ...]] = {
    "round": (int,),
    "of": (int,),
    "points": (int, type(None)),
    "cards": (str, type(None)),
    "players": (list,),
    "options": (dict,),
}


def _from_json(key: str, value: Any) -> Any:
    expected = _TYPES.get(key, (str,))
    if type(value) not in expected:
        raise LedgerError(f"{key} of an event cannot be {value!r}.")
    if key == "cards":
        return None if value is None else parse_cards(value)
    if key == "options":
        return tuple(sorted((name, tuple(item) if isinstance(item, list) else item) for name, item in value.items()))
    if key == "players":
        if not all(isinstance(item, str) for item in value):
            raise LedgerError(f"players of an event cannot be {value!r}.")
        return tuple(value)
    return value


# The game that the events add up to -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Score:
    """One player's round."""

    event: int
    """Number of the event that counted the hand, from 0."""
    cards: tuple[Card, ...] | None
    penalty: Penalty | None
    """The arithmetic; none where only points were recorded."""
    points: int
    """What the hand costs, without bonuses."""

    @property
    def out(self) -> bool:
        """Whether the player went out: no cards, no points."""
        return not self.cards and not self.points


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points beside the hands."""

    event: int
    round: int
    player: str
    points: int
    reason: str


@dataclass(frozen=True)
class Round:
    """One round as far as it is written down."""

    number: int
    players: tuple[str, ...]
    """Who plays it, in the order of their seats."""
    scores: Mapping[str, Score]
    bonuses: tuple[Bonus, ...]
    dealer: str | None = None
    """Who deals it, if that is on record."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Players whose hand is not counted yet."""
        return tuple(player for player in self.players if player not in self.scores)

    def points(self, player: str) -> int:
        """Return a player's points in the round, bonuses with them.

        >>> bonus = Bonus(event=2, round=1, player="Ana", points=-50, reason="exact cut")
        >>> Round(1, ("Ana", "Ben"), {}, (bonus,)).points("Ana")
        -50
        """
        own = self.scores[player].points if player in self.scores else 0
        return own + sum(bonus.points for bonus in self.bonuses if bonus.player == player)

    @property
    def question(self) -> str | None:
        """What has to be asked before the round can be believed: exactly one player goes out."""
        if self.missing or not self.scores:
            return None
        out = [player for player, score in self.scores.items() if score.out]
        if len(out) == 1:
            return None
        if not out:
            return f"Nobody went out in round {self.number}: is a hand wrong, or did the stock run out?"
        return f"{' and '.join(out)} both went out in round {self.number}: whose hand is missing?"


@dataclass(frozen=True)
class Game:
    """The state of a game."""

    rules: Rules
    players: tuple[str, ...]
    """Everybody who has played, in the order of their seats."""
    present: tuple[str, ...]
    """Those who still play."""
    dealer: str | None
    round: int
    """The round that is on; 0 before the first."""
    rounds: tuple[Round, ...]
    starting: Mapping[str, int]
    """Points that players started with."""

    @property
    def next_dealer(self) -> str | None:
        """Who deals the next round: the player to the left of who deals this one.

        >>> start = GameStarted(rules="shanghai", players=("Ana", "Ben", "Cy"))
        >>> ledger = Ledger().append(start).append(DealerSet(player="Ben")).append(RoundStarted(round=1))
        >>> ledger.game.dealer, ledger.game.next_dealer
        ('Ben', 'Cy')
        """
        return _dealer_after(self.dealer, self.present) if self.round else self.dealer

    @cached_property
    def totals(self) -> dict[str, int]:
        """Each player's points so far."""
        return {player: self.running(len(self.rounds), player) for player in self.players}

    def running(self, rounds: int, player: str) -> int:
        """Return a player's total after so many of the rounds.

        >>> ledger = Ledger().append(GameStarted(rules="shanghai", players=("Ana", "Ben", "Cy")))
        >>> ledger = ledger.append(RoundStarted(round=1))
        >>> ledger = ledger.append(HandScored(round=1, player="Ben", cards=parse_cards("9C KD 3S")))
        >>> ledger.game.running(0, "Ben"), ledger.game.running(1, "Ben")
        (0, 25)
        """
        return self.starting.get(player, 0) + sum(entry.points(player) for entry in self.rounds[:rounds])

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What keeps the totals from being final, or should be asked: gaps, and rounds in which not one went out."""
        gaps = [
            f"Round {entry.number} is missing for {', '.join(entry.missing)}."
            for entry in self.rounds
            if entry.missing and (entry.scores or entry.number < self.round)
        ]
        return (*gaps, *(entry.question for entry in self.rounds if entry.question))

    def _complete(self, number: int) -> bool:
        return any(entry.number == number and entry.scores and not entry.missing for entry in self.rounds)

    @cached_property
    def finished(self) -> bool:
        """Whether the game is over: all rounds are there, or somebody has reached the target, and no tie is open."""
        if self.rules.target is not None and max(self.totals.values(), default=0) >= self.rules.target:
            return not any(entry.missing for entry in self.rounds)
        due = self.rules.rounds_played
        if not due or not all(self._complete(number) for number in range(1, due + 1)):
            return False
        return not self.tied_for_extra_hand and all(not entry.missing for entry in self.rounds)

    @cached_property
    def tied_for_extra_hand(self) -> tuple[str, ...]:
        """Players who have to play the last contract once more, because they share the lowest total."""
        due = self.rules.rounds_played
        if self.rules.tie != "extra_hand" or not due or not all(self._complete(n) for n in range(1, due + 1)):
            return ()
        tied = self._lowest(self.present, due)
        for played, entry in enumerate(self.rounds[due:], start=due + 1):
            if entry.missing:
                break
            tied = self._lowest(tied, played)
        return tied if len(tied) > 1 else ()

    def _lowest(self, players: Iterable[str], rounds: int) -> tuple[str, ...]:
        won = Counter(player for entry in self.rounds for player, score in entry.scores.items() if score.out)
        return leaders({player: self.running(rounds, player) for player in players}, won, self.rules)

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """Who has won: several where a tie is shared; nobody before the end."""
        if not self.finished:
            return ()
        # Extra hands after a tie are between those who are tied: their totals grow, and the others' do not count.
        due = self.rules.rounds_played if self.rules.tie == "extra_hand" else len(self.rounds)
        lowest = self._lowest(self.present, due)
        for played in range(due + 1, len(self.rounds) + 1):
            lowest = self._lowest(lowest, played)
        return lowest

    @property
    def losers(self) -> tuple[str, ...]:
        """Who has reached the target, where the game ends with that."""
        if self.rules.target is None:
            return ()
        return tuple(player for player, total in self.totals.items() if total >= self.rules.target)


@dataclass(frozen=True)
class Ledger:
    """The record of one game.

    >>> ledger = Ledger().append(GameStarted(rules="shanghai", players=("Ana", "Ben", "Cy")))
    >>> ledger = ledger.append(RoundStarted(round=1))
    >>> ledger = ledger.append(HandScored(round=1, player="Ben", cards=parse_cards("9C KD 3S")))
    >>> ledger.game.totals, ledger.game.rounds[0].missing
    ({'Ana': 0, 'Ben': 25, 'Cy': 0}, ('Ana', 'Cy'))
    >>> ledger.undo().game.totals["Ben"], len(ledger.undo().events)
    (0, 4)
    """

    events: tuple[Event, ...] = ()

    @cached_property
    def game(self) -> Game:
        """The game that the events add up to.

        Raises:
            LedgerError: if they tell of no game.
        """
        return _Fold(self).game()

    @cached_property
    def standing(self) -> tuple[bool, ...]:
        """For each event, whether it counts, and is not voided."""
        voided: set[int] = set()
        counts = []
        for number in range(len(self.events) - 1, -1, -1):
            event = self.events[number]
            counts.append(number not in voided)
            if isinstance(event, Voided) and number not in voided:
                voided.add(event.of)
        return tuple(reversed(counts))

    def verify(self, event: Event) -> None:
        """Refuse an event that does not fit the game.

        >>> Ledger().verify(RoundStarted(round=1))
        Traceback (most recent call last):
        engine.ledger.LedgerError: The first event of a game is its start.

        Raises:
            LedgerError: with a sentence that says why; or a ValueError of the rules or the cards.
        """
        self.append(event)

    def can(self, event: Event) -> bool:
        """Return whether an event fits the game.

        >>> start = GameStarted(rules="go", players=("Ana", "Ben", "Cy"))
        >>> Ledger().can(RoundStarted(round=1)), Ledger().can(start)
        (False, True)
        """
        try:
            self.verify(event)
        except ValueError:
            return False
        return True

    def append(self, event: Event) -> Ledger:
        """Return the record with one more event.

        >>> Ledger().append(GameStarted(rules="go", players=("Ana", "Ben", "Cy"))).game.players
        ('Ana', 'Ben', 'Cy')

        Raises:
            LedgerError: if the event does not fit; or a ValueError of the rules or the cards. Nothing is changed.
        """
        if isinstance(event, Voided):
            if not 0 < event.of < len(self.events):
                raise LedgerError(f"There is no event {event.of} that could be voided.")
            if not self.standing[event.of]:
                raise LedgerError(f"Event {event.of} is voided already.")
        if isinstance(event, HandCorrected | HandMoved):
            before = self.events[event.of] if 0 <= event.of < len(self.events) else None
            if not isinstance(before, HandScored) or not self.standing[event.of]:
                raise LedgerError(f"Event {event.of} is no counted hand.")
        if isinstance(event, RoundStarted) and self.events and self.game.finished:
            raise LedgerError(f"{self.game.rules.title} is over: there is no round {event.round}.")
        longer = Ledger((*self.events, event))
        longer.game  # noqa: B018 - adding up tells whether the event fits, and is kept
        return longer

    def undo(self) -> Ledger:
        """Return the record with its last standing event voided.

        >>> ledger = Ledger().append(GameStarted(rules="go", players=("Ana", "Ben", "Cy")))
        >>> ledger.append(RoundStarted(round=1)).undo().events[-1]
        Voided(at='', of=1)

        Raises:
            LedgerError: if there is nothing to undo.
        """
        for number in range(len(self.events) - 1, 0, -1):
            if self.standing[number] and not isinstance(self.events[number], Voided):
                return self.append(Voided(of=number))
        raise LedgerError("There is nothing to undo.")

    def to_json(self) -> str:
        """Return the record as JSON, one event a line.

        >>> print(Ledger().append(GameStarted(rules="go", players=("Ana", "Ben", "Cy"))).to_json())
        {"kind": "game_started", "rules": "go", "players": ["Ana", "Ben", "Cy"]}
        """
        return "\n".join(json.dumps(event_json(event), ensure_ascii=False) for event in self.events)

    @classmethod
    def from_json(cls, text: str) -> Ledger:
        """Return the record of such JSON lines.

        >>> Ledger.from_json('{"kind": "game_started", "rules": "go", "players": ["Ana", "Ben", "Cy"]}').game.round
        0

        Raises:
            LedgerError: if a line is no event, or the events tell of no game; the text names the line.
        """
        events = []
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise LedgerError("this is no event.")
                events.append(event_from_json(record))
            except ValueError as error:
                raise LedgerError(f"Line {number}: {error}") from error
        ledger = cls(tuple(events))
        ledger.game  # noqa: B018 - a record that tells of no game is refused here, not when it is shown
        return ledger


def _check_hand(event: HandScored | HandCorrected, rules: Rules) -> None:
    if (event.cards is None) == (event.points is None):
        raise LedgerError("A hand is counted by its cards, or by points where the cards are not known.")
    if event.points is not None and event.points < 0:
        raise LedgerError("A hand costs no less than 0 points: a bonus is an event of its own.")
    check_cards(event.cards or (), rules)


class _Fold:
    """Goes through the standing events, refuses what does not follow, and adds up the rest."""

    def __init__(self, ledger: Ledger) -> None:
        events = [
            (number, event)
            for number, (event, stands) in enumerate(zip(ledger.events, ledger.standing, strict=True))
            if stands
        ]
        if not events or not isinstance(events[0][1], GameStarted):
            raise LedgerError("The first event of a game is its start.")
        start = events[0][1]
        self.rules = self._read_rules(start, [event for _, event in events])
        self.players = list(start.players)
        self.present = list(start.players)
        self.rules.pack_for(len(self.players))
        if len(set(self.players)) < len(self.players) or not all(self.players):
            raise LedgerError("Every player needs a name of their own.")
        self.starting: dict[str, int] = {}
        self.playing: dict[int, list[str]] = {}
        self.hands: dict[int, HandScored] = {}
        self.bonuses: list[Bonus] = []
        self.dealer: str | None = None
        self.dealers: dict[int, str | None] = {}
        self.round = 0
        for number, event in events[1:]:
            self._take(number, event)

    @staticmethod
    def _read_rules(start: GameStarted, events: Iterable[Event]) -> Rules:
        rules = loads(start.rules) if "\n" in start.rules else load(start.rules)
        options = dict(start.options)
        for event in events:
            if isinstance(event, SettingsChanged):
                options |= dict(event.options)
        return with_options(rules, options) if options else rules

    def _take(self, number: int, event: Event) -> None:
        match event:
            case GameStarted():
                raise LedgerError("The game has started already.")
            case PlayerJoined():
                self._join(event)
            case PlayerLeft():
                self._check_player(event.player, self.present)
                self.present.remove(event.player)
                if self.round:
                    self.playing[self.round].remove(event.player)
            case DealerSet():
                self._check_player(event.player, self.present)
                self.dealer = event.player
                if self.round:
                    self.dealers[self.round] = event.player
            case RoundStarted():
                self._start_round(event)
            case HandScored():
                _check_hand(event, self.rules)
                self._check_place(event)
                self.hands[number] = event
            case HandCorrected() if event.of in self.hands:
                _check_hand(event, self.rules)
                self.hands[event.of] = replace(self.hands[event.of], cards=event.cards, points=event.points)
            case HandMoved() if event.of in self.hands:
                moved = replace(self.hands.pop(event.of), player=event.player)
                self._check_place(moved)
                self.hands[event.of] = moved
            case BonusGiven():
                self._check_player(event.player, self.players)
                self._check_begun(event.round)
                self.bonuses.append(Bonus(number, event.round, event.player, event.points, event.reason))
            case _:
                pass  # settings are read before; what voids, or corrects a voided hand, has no effect of its own

    def _join(self, event: PlayerJoined) -> None:
        if event.player in self.present or not event.player:
            raise LedgerError(f"{event.player or 'A player without a name'} cannot join: every player has one name.")
        if len(self.present) >= self.rules.max_players:
            raise LedgerError(f"{self.rules.title} is for {self.rules.max_players} players at most.")
        if event.player not in self.players:
            self.players.append(event.player)
        self.starting[event.player] = self.starting.get(event.player, 0) + event.points
        self.present.append(event.player)
        if self.round:
            self.playing[self.round].append(event.player)

    def _start_round(self, event: RoundStarted) -> None:
        if event.round != self.round + 1:
            raise LedgerError(f"The next round is {self.round + 1}, not {event.round}.")
        due = self.rules.rounds_played
        if due and event.round > due and self.rules.tie != "extra_hand":
            raise LedgerError(f"{self.rules.title} has no round {event.round}: it has {due}.")
        self.round = event.round
        self.playing[self.round] = list(self.present)
        if self.round > 1:
            self.dealer = _dealer_after(self.dealer, self.present)
        self.dealers[self.round] = self.dealer

    def _check_player(self, player: str, known: Iterable[str]) -> None:
        if player not in known:
            raise LedgerError(f"{player} is not in this game: it is played by {', '.join(known)}.")

    def _check_begun(self, number: int) -> None:
        if not 1 <= number <= self.round:
            raise LedgerError(f"Round {number} has not begun.")

    def _check_place(self, event: HandScored) -> None:
        """Refuse a hand of nobody, of no round, or where one is counted already."""
        self._check_player(event.player, self.players)
        self._check_begun(event.round)
        if any(hand.round == event.round and hand.player == event.player for hand in self.hands.values()):
            raise LedgerError(f"{event.player}'s hand of round {event.round} is counted already: correct it instead.")

    def game(self) -> Game:
        """The game after the last event."""
        rounds = []
        for number, playing in self.playing.items():
            scores = {hand.player: self._score(n, hand) for n, hand in self.hands.items() if hand.round == number}
            players = tuple(player for player in self.players if player in playing or player in scores)
            bonuses = tuple(bonus for bonus in self.bonuses if bonus.round == number)
            rounds.append(Round(number, players, scores, bonuses, self.dealers[number]))
        game = Game(
            self.rules,
            tuple(self.players),
            tuple(self.present),
            self.dealer,
            self.round,
            tuple(rounds),
            self.starting,
        )
        return self._with_extra_hands(game)

    def _score(self, number: int, event: HandScored) -> Score:
        if event.cards is None:
            return Score(number, None, None, event.points or 0)
        found = penalty(event.cards, self.rules)
        return Score(number, event.cards, found, found.points)

    def _with_extra_hands(self, game: Game) -> Game:
        """Extra hands after a tie are played by the tied players only."""
        due = self.rules.rounds_played
        if self.rules.tie != "extra_hand" or len(game.rounds) <= due:
            return game
        rounds = game.rounds[:due]
        for entry in game.rounds[due:]:
            tied = replace(game, rounds=rounds).tied_for_extra_hand
            rounds += (replace(entry, players=tuple(player for player in entry.players if player in tied)),)
        return replace(game, rounds=rounds)


def _dealer_after(dealer: str | None, present: Sequence[str]) -> str | None:
    """The player to the left of a dealer; the deal stays where it is if that player has left."""
    return present[(present.index(dealer) + 1) % len(present)] if dealer in present else dealer
