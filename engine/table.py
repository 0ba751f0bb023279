"""The referee: a whole game, turn by turn, for every rule system.

The table is asked whose turn it is (``actor``), what is allowed (``legal_actions``, ``can``), why something is not
(``verify``), and told what is done (``do``). A refused action changes nothing. Each action done is an event that
remembers what chance brought, so that a game replays from its events.

After a discard the others are asked in turn, so that who comes first has priority: first who may call "Shanghai" for
it, then the next player, who draws it or the stock, and if it is left, who may buy it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from engine.cards import Card, deck
from engine.contracts import judge
from engine.faults import Fault, labels
from engine.laydown import LayDown as Solution
from engine.laydown import lay_down, natural_or_wild
from engine.melds import Reading, Stage, judge_meld, law, readings
from engine.missing import complete
from engine.plays import Down, LaidMeld, PlayVerdict, call, exchanged, extended, follows, lay_off, swap
from engine.rearrange import Play, most_played
from engine.rules import Rules
from engine.scoring import blind_bonus, exact_cut, leaders, penalty

Phase = Literal["deal", "call", "draw", "buy", "play", "over"]


class NotAllowedError(ValueError):
    """An action that the rules do not allow now; the text says why."""

    def __init__(self, text: str, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__(" ".join([text, *map(str, self.faults)]) if text else " ".join(map(str, self.faults)))


# Actions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a player does."""

    player: str


@dataclass(frozen=True, slots=True)
class Deal(Action):
    """The dealer deals a round; the cutter may have lifted a number of cards before."""

    cut: int | None = None


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """The top card of the stock is drawn, or so many of the discard pile."""

    discards: int = 0


@dataclass(frozen=True, slots=True)
class Buy(Action):
    """ "May I?": the discard is bought out of turn."""


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """A player who is asked does not call, or does not buy; or cannot play and has nothing to draw."""


@dataclass(frozen=True, slots=True)
class Call(Action):
    """ "Shanghai!": the discard goes to a meld, and the caller takes a card from the discarder's hand."""

    meld: int
    card: Card | None = None
    """The card taken, where it may be chosen."""


@dataclass(frozen=True, slots=True)
class LayDown(Action):
    """The contract goes down."""

    melds: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class NewMeld(Action):
    """One more meld goes down after the contract."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class LayOff(Action):
    """A card is added to a meld."""

    card: Card
    meld: int


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """A card takes the place of a wild card in a meld."""

    card: Card
    meld: int


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """A card is discarded, which ends the turn; a call protects it."""

    card: Card
    protect: bool = False


@dataclass(frozen=True, slots=True)
class EndTurn(Action):
    """The turn ends without a discard, where one may or must."""


@dataclass(frozen=True, slots=True)
class Rearrange(Action):
    """The melds on the table are rearranged, and cards of the hand played with them."""

    melds: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class Event:
    """An action done, and what chance brought with it."""

    action: Action
    chance: tuple[tuple[Card, ...], ...] = ()
    """Cards in the order in which they were shuffled, or taken unseen."""


# State --------------------------------------------------------------------------------------------------------------


@dataclass
class Seat:
    """A player in a round."""

    name: str
    hand: list[Card] = field(default_factory=list)
    down_in: int | None = None
    """The turn in which the own contract went down."""
    buys: int = 0
    bought: int | None = None
    """Number of the discard that this player bought last."""


@dataclass
class TableMeld:
    """A meld on the table."""

    owner: str
    laid: LaidMeld


@dataclass(frozen=True, slots=True)
class Result:
    """The points of one round."""

    round: int
    points: dict[str, int]
    bonuses: dict[str, int]
    out: str | None
    """Who went out; nobody where the stock ran out."""


class Table:
    """A game in progress.

    >>> from engine.rules import load
    >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
    >>> event = table.do(Deal("Cy"))
    >>> table.actor, table.phase, [len(seat.hand) for seat in table.seats], len(table.stock)
    ('Ana', 'draw', [11, 11, 11], 74)
    >>> table.can(Draw("Ben"))
    False

    Args:
        players: their names, in the order in which the turn passes; the last one deals first.
        seed: what the shuffles come from.
    """

    def __init__(self, rules: Rules, players: Sequence[str], seed: int = 0) -> None:
        self.rules = rules
        self.players = tuple(players)
        self.packs, self.jokers = rules.pack_for(len(self.players))
        self.events: list[Event] = []
        self.results: list[Result] = []
        self.phase: Phase = "deal"
        self.round = 1
        self.dealer = self.players[-1]
        self.seats = [Seat(name) for name in self.players]
        self.stock: list[Card] = []
        self.discards: list[Card] = []
        self.melds: list[TableMeld] = []
        self.turn = 0
        """Number of the turn in the round."""
        self._active = 0
        self._asked: list[int] = []
        """Seats still to be asked, the one whose answer is awaited first."""
        self._discarder: int | None = None
        self._protected = False
        self._owed: Card | None = None
        """A wild card taken by a swap, which must be laid off at once."""
        self._offered = False
        """Whether the top of the discard pile may be taken."""
        self._discard_number = 0
        self._rebuilds = 0
        self._passes = 0
        self._drawn = False
        self._bonuses: dict[str, int] = {}
        self._contenders = self.players
        """Who plays on: after a tie that an extra hand settles, only the tied players."""
        self._ways: dict[str, tuple[int, list[tuple[Reading, ...]]]] = {}
        """For each player's contract, the number of its first meld and the ways in which it can still be read."""
        self._searched: tuple[int, Play] | None = None
        self._random = random.Random(seed)
        self._chance: list[tuple[Card, ...]] = []
        self._replayed: list[tuple[Card, ...]] | None = None

    @classmethod
    def replay(cls, rules: Rules, players: Sequence[str], events: Iterable[Event]) -> Table:
        """Return the table after these events, chance falling as it did.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> event = table.do(Deal("Cy"))
        >>> Table.replay(table.rules, table.players, table.events).stock == table.stock
        True

        Raises:
            NotAllowedError: if one of them is not allowed where it stands.
        """
        table = cls(rules, players)
        for event in events:
            table._replayed = list(event.chance)
            table.do(event.action)
        table._replayed = None
        return table

    # Who, what and why ------------------------------------------------------------------------------------------

    @property
    def actor(self) -> str | None:
        """Who has to act now; nobody when the game is over."""
        if self.phase == "over":
            return None
        if self.phase == "deal":
            return self.dealer
        return self.seats[self._asked[0] if self._asked else self._active].name

    @property
    def totals(self) -> dict[str, int]:
        """Each player's points so far, bonuses with them."""
        return {
            player: sum(result.points.get(player, 0) + result.bonuses.get(player, 0) for result in self.results)
            for player in self.players
        }

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won; nobody before the end."""
        return self._leaders() if self.phase == "over" else ()

    def cards(self) -> Counter[Card]:
        """Return every card on the table and in the hands: always the whole pack, once dealt.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> event = table.do(Deal("Cy"))
        >>> table.cards().total()
        108
        """
        places = (self.stock, self.discards, *(seat.hand for seat in self.seats))
        return Counter([card for place in places for card in place]) + Counter(
            [card for meld in self.melds for card in meld.laid.cards]
        )

    def can(self, action: Action) -> bool:
        """Return whether the action is allowed now.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> table.can(Deal("Ana")), table.can(Deal("Cy"))
        (False, True)
        """
        try:
            self.verify(action)
        except NotAllowedError:
            return False
        return True

    def verify(self, action: Action) -> None:
        """Refuse an action that is not allowed now.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> table.verify(Draw("Cy"))
        Traceback (most recent call last):
        engine.table.NotAllowedError: Draw has no place now: Cy may Deal.

        Raises:
            NotAllowedError: with a sentence, and the faults where a rule of the melds speaks against it.
        """
        if self.actor is None:
            raise NotAllowedError("The game is over.")
        if action.player != self.actor:
            raise NotAllowedError(f"It is for {self.actor} to act now, not for {action.player}.")
        allowed = _REARRANGING if self.rules.rearrange and self.phase == "play" else _ALLOWED[self.phase]
        if not isinstance(action, allowed):
            names = ", ".join(each.__name__ for each in allowed)
            raise NotAllowedError(f"{type(action).__name__} has no place now: {self.actor} may {names}.")
        if self._owed and not (isinstance(action, LayOff) and action.card is self._owed):
            raise NotAllowedError(f"The {self._owed.label} taken from a meld has to be laid off first.")
        match action:
            case Deal():
                self._verify_deal(action)
            case Draw():
                self._verify_draw(action)
            case Buy():
                self._verify_buy(self._seat)
            case Pass():
                if self.phase == "play" and (self.stock or self._playable()):
                    raise NotAllowedError("Only who can neither play nor draw passes.")
            case Call():
                self._verify_call(action)
            case LayDown():
                self._verify_lay_down(action)
            case NewMeld():
                self._verify_new_meld(action)
            case LayOff():
                self._verify_lay_off(action)
            case Swap():
                self._verify_swap(action)
            case Discard():
                self._verify_discard(action)
            case EndTurn():
                self._verify_end_turn()
            case _:
                assert isinstance(action, Rearrange)
                self._verify_rearrange(action)

    def do(self, action: Action) -> Event:
        """Do the action, and return it as an event.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> table.do(Deal("Cy")).action, table.phase
        (Deal(player='Cy', cut=None), 'draw')

        Raises:
            NotAllowedError: if it is not allowed; nothing is changed.
        """
        self.verify(action)
        self._chance = []
        match action:
            case Deal():
                self._deal(action.cut)
            case Draw():
                self._draw(action.discards)
            case Buy():
                self._buy()
            case Pass():
                self._pass()
            case Call():
                self._call(action)
            case LayDown():
                self._lay_down(action)
            case NewMeld():
                self._take(self._seat, action.cards)
                self._put(action.cards, "new")
                self._end_if_empty()
            case LayOff():
                self._lay_off(action)
            case Swap():
                self._swap(action)
            case Discard():
                self._discard(action)
            case EndTurn():
                self._next_turn()
            case _:
                assert isinstance(action, Rearrange)
                self._rearrange(action)
        event = Event(action, tuple(self._chance))
        self.events.append(event)
        return event

    @property
    def _seat(self) -> Seat:
        return self.seats[self._asked[0] if self._asked else self._active]

    # What is allowed, listed ------------------------------------------------------------------------------------

    def legal_actions(self) -> list[Action]:
        """Return what the actor may do. Of lay-downs and rearrangements, of which there are very many, the best one.

        Of new melds those of the fewest cards are listed, of calls with a chosen card one for each card.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> table.legal_actions()
        [Deal(player='Cy', cut=None)]
        """
        if self.phase == "over":
            return []
        return [action for action in self._candidates() if self.can(action)]

    def _candidates(self) -> Iterator[Action]:
        name = self.actor or ""
        hand = list(dict.fromkeys(self._seat.hand))
        if self._owed:
            for number in range(len(self.melds)):
                yield LayOff(name, self._owed, number)
        elif self.phase == "deal":
            yield Deal(name)
        elif self.phase == "draw":
            for number in range(len(self.discards) + 1 if self.rules.draw_deep else 2):
                yield Draw(name, number)
        elif self.phase == "buy":
            yield from (Buy(name), Pass(name))
        elif self.phase == "call":
            chosen = list(dict.fromkeys(self.seats[self._discarder or 0].hand)) if self._chooses else [None]
            for number in range(len(self.melds)):
                for card in chosen:
                    yield Call(name, number, card)
            yield Pass(name)
        elif self.rules.rearrange:
            yield from self._rearrangements(name)
            yield from (Draw(name), EndTurn(name), Pass(name))
        else:
            yield from self._plays(name, hand)

    def _rearrangements(self, name: str) -> Iterator[Action]:
        play = self._best_play()
        if play.played:
            yield Rearrange(name, play.table)

    def _plays(self, name: str, hand: list[Card]) -> Iterator[Action]:
        seat = self._seat
        if seat.down_in is None:
            solution = self.best_lay_down()
            if solution:
                yield LayDown(name, solution.melds)
        else:
            for number, meld in enumerate(self.melds):
                for card in hand:
                    if extended(meld.laid, card):
                        yield LayOff(name, card, number)
                    if any(card in reading.wilds or card.rank in reading.wilds for reading in meld.laid.readings):
                        yield Swap(name, card, number)
            if self.rules.new_melds != "no":
                for cards in self._new_melds():
                    yield NewMeld(name, cards)
        for card in hand:
            yield Discard(name, card)
            if self.rules.shanghai_call and self._fits(card):
                yield Discard(name, card, protect=True)
        yield EndTurn(name)

    def best_lay_down(self) -> Solution | None:
        """Return the best way for the actor to lay the contract down; none if there is none.

        >>> from engine.rules import load
        >>> table = Table(load("shanghai"), ["Ana", "Ben", "Cy"], seed=1)
        >>> event = table.do(Deal("Cy"))
        >>> table.seats[0].hand = [Card(code) for code in "8C 8D 8H 9C 9D 9H KD".split()]
        >>> table.best_lay_down().discard
        Card('KD')
        """
        hand, rules, number = self._seat.hand, self.rules, self.contract_round
        if not any(complete(cards, len(wilds), rules, number) for cards, wilds in natural_or_wild(hand, rules)):
            return None
        found = lay_down(hand, rules, number, [meld.laid.cards for meld in self.melds])
        return found if isinstance(found, Solution) else None

    def _new_melds(self) -> list[tuple[Card, ...]]:
        """The smallest melds that the hand holds."""
        meld_law = law(self.rules, self.contract_round, "new")
        naturals = sorted({card for card in self._seat.hand if card not in meld_law.wilds}, key=lambda card: card.index)
        wilds = [card for card in dict.fromkeys(self._seat.hand) if card in meld_law.wilds]
        found: dict[tuple[Card, ...], None] = {}
        for key, size in (("rank", self.rules.set_min), ("suit", self.rules.run_min)):
            for value in dict.fromkeys(getattr(card, key) for card in naturals):
                own = [card for card in naturals if getattr(card, key) is value]
                copies = [card for card in self._seat.hand if card in own] if key == "rank" else own
                for cards in [
                    *combinations(copies, size),
                    *((*few, wild) for few in combinations(copies, size - 1) for wild in wilds),
                ]:
                    if readings(cards, meld_law):
                        found[tuple(sorted(cards, key=lambda card: card.index))] = None
        return list(found)

    @property
    def contract_round(self) -> int:
        """The round whose contract is on: in an extra hand after a tie, the last one once more."""
        return min(self.round, self.rules.rounds_played or self.round)

    # Verifying ----------------------------------------------------------------------------------------------------

    def _verify_deal(self, action: Deal) -> None:
        if action.cut is not None and (not self.rules.cut_bonus or not 0 < action.cut < 54 * self.packs):
            raise NotAllowedError(f"A cut of {action.cut} cards counts for nothing here.")

    def _verify_draw(self, action: Draw) -> None:
        if self.rules.rearrange:
            if action.discards or not self.stock:
                raise NotAllowedError("There is nothing to draw from but the stock, while it lasts.")
            if self.rules.strict_obligation and self._playable():
                raise NotAllowedError(f"{action.player} can play, and so must.")
            return
        if not action.discards:
            return
        if not self._offered or action.discards > len(self.discards):
            raise NotAllowedError("That is not there to be drawn from the discard pile.")
        if action.discards < 0 or (action.discards > 1 and not self.rules.draw_deep):
            raise NotAllowedError("Only the top card of the discard pile may be drawn.")
        if self._protected:
            raise NotAllowedError(f"{self.discards[-1].label} is protected: it may not be drawn.")
        if not self.rules.discard_after_down and self._seat.down_in is not None:
            raise NotAllowedError(f"{action.player} is down, and may draw from the stock only.")

    def _verify_buy(self, seat: Seat) -> None:
        rules = self.rules
        limit = rules.in_round(rules.buy_limit, self.contract_round)
        cost = rules.in_round(rules.buy_cards, self.contract_round)
        if limit is not None and seat.buys >= limit:
            raise NotAllowedError(f"{seat.name} has bought {seat.buys} times in this round: {limit} is the most.")
        if not rules.buy_after_down and seat.down_in is not None:
            raise NotAllowedError(f"{seat.name} is down, and may not buy any more.")
        if not rules.buy_consecutive and seat.bought == self._discard_number - 1:
            raise NotAllowedError(f"{seat.name} bought the last discard, and may not buy two running.")
        if self._protected or not self.discards:
            raise NotAllowedError("There is no discard that may be bought.")
        below = len(self.discards) - 2 if self._may_rebuild else 0
        if len(self.stock) + max(below, 0) < cost:
            raise NotAllowedError("The stock has too few cards left for a buy.")

    def _verify_call(self, action: Call) -> None:
        self._refuse(call(self._laid(action.meld), self.discards[-1], self._protected))
        hand = self.seats[self._discarder or 0].hand
        if self._chooses and action.card not in hand:
            raise NotAllowedError("The caller chooses a card from the hand of the player who discarded.")
        if not self._chooses and action.card is not None:
            raise NotAllowedError("The caller takes a card unseen.")

    def _verify_lay_down(self, action: LayDown) -> None:
        seat = self._seat
        if seat.down_in is not None:
            raise NotAllowedError(f"{seat.name}'s contract is down already.")
        rest = self._rest(action.player, [card for meld in action.melds for card in meld])
        verdict = judge(self.rules, self.contract_round, action.melds, rest)
        if not verdict.legal:
            raise NotAllowedError("", verdict.faults)
        if not verdict.contract.whole_hand:
            self._keep_one(len(rest))

    def _verify_new_meld(self, action: NewMeld) -> None:
        if self.rules.new_melds == "no":
            raise NotAllowedError(
                "After the contract no new melds go down: cards are laid off on those that lie there."
            )
        self._verify_timing()
        rest = self._rest(action.player, action.cards)
        verdict = judge_meld(action.cards, self.rules, self.contract_round, "new")
        if not verdict.legal:
            raise NotAllowedError("", verdict.faults)
        kinds = {slot.kind for slot in self.rules.contract(self.contract_round).slots}
        if not any(reading.kind in kinds for reading in verdict.readings):
            raise NotAllowedError(f"In this round only {' and '.join(sorted(kinds))}s go down.")
        self._keep_one(len(rest))

    def _verify_lay_off(self, action: LayOff) -> None:
        self._verify_timing()
        rest = self._rest(action.player, [action.card])
        self._refuse(lay_off(self._laid(action.meld), action.card))
        self._keep_one(len(rest))

    def _verify_swap(self, action: Swap) -> None:
        self._rest(action.player, [action.card])
        others = [meld.laid for number, meld in enumerate(self.melds) if number != action.meld]
        self._refuse(swap(self._laid(action.meld), action.card, self._down, others))
        if self.rules.joker_swap == "replay_same_turn":
            self._keep_one(len(self._seat.hand) - 1)

    def _verify_discard(self, action: Discard) -> None:
        rest = self._rest(action.player, [action.card])
        if not rest and self.rules.out_discard == "forbidden":
            raise NotAllowedError("Nobody goes out with a discard here: the last card has to be played.")
        if action.protect:
            if not self.rules.shanghai_call or not rest:
                raise NotAllowedError("There is nothing to protect this discard from.")
            if not self._fits(action.card):
                raise NotAllowedError(f"{action.card.label} fits no meld: there is nothing to call.")

    def _verify_end_turn(self) -> None:
        if self.rules.rearrange:
            if self.rules.strict_obligation or not self._drawn:
                raise NotAllowedError("A turn ends with a play, or with a card drawn where nobody must play.")
        elif self.rules.out_discard != "forbidden" or len(self._seat.hand) != 1:
            raise NotAllowedError("A turn ends with a discard.")

    def _verify_rearrange(self, action: Rearrange) -> None:
        before = Counter(card for meld in self.melds for card in meld.laid.cards)
        after = Counter(card for meld in action.melds for card in meld)
        if before - after:
            raise NotAllowedError(f"{labels((before - after).elements())} must stay on the table.")
        played = after - before
        self._rest(action.player, played.elements())
        faults = [each for meld in action.melds for each in judge_meld(meld, self.rules, stage="new").faults]
        if faults:
            raise NotAllowedError("", faults)
        most = len(self._best_play().played)
        asked = 2 if self.rules.min_play == "two_if_able" else int(self.rules.min_play)
        if played.total() < max(1, min(asked, most)):
            raise NotAllowedError(f"{action.player} can play {most} cards, and must play {min(asked, most)} at least.")

    def _verify_timing(self) -> None:
        """Refuse to add to the table before the own contract is down, or too soon after."""
        if self._down == "no":
            raise NotAllowedError(f"{self._seat.name}'s own contract has to be down first.")
        if self._down == "this_turn" and self.rules.layoff == "next_turn":
            raise NotAllowedError(
                f"{self._seat.name} has to wait for the next turn: only the contract goes down in this one."
            )

    def _rest(self, player: str, cards: Iterable[Card]) -> list[Card]:
        """What the hand holds besides these cards."""
        rest = self._seat.hand.copy()
        absent = []
        for card in cards:
            if card in rest:
                rest.remove(card)
            else:
                absent.append(card)
        if absent:
            raise NotAllowedError(f"{player} does not hold {labels(absent)}.")
        return rest

    def _keep_one(self, left: int) -> None:
        if not left and self.rules.out_discard == "required":
            raise NotAllowedError("One card has to be kept for the discard.")

    def _laid(self, number: int) -> LaidMeld:
        if not 0 <= number < len(self.melds):
            raise NotAllowedError(f"There is no meld {number} on the table.")
        return self.melds[number].laid

    def _fits(self, card: Card) -> bool:
        """Whether the card could be laid off on a meld, by whomever."""
        return any(extended(meld.laid, card) for meld in self.melds)

    def _refuse(self, verdict: PlayVerdict) -> None:
        if not verdict.legal:
            raise NotAllowedError("", verdict.faults)

    @property
    def _down(self) -> Down:
        down_in = self._seat.down_in
        return "no" if down_in is None else "this_turn" if down_in == self.turn else "earlier"

    @property
    def _chooses(self) -> bool:
        return self.rules.call_card == "chosen"

    @property
    def _may_rebuild(self) -> bool:
        return self.rules.stock_rebuilds is None or self._rebuilds < self.rules.stock_rebuilds

    def _may_draw(self) -> bool:
        return bool(self.stock) or (len(self.discards) > 1 and self._may_rebuild)

    def _playable(self) -> bool:
        return bool(self._best_play().played)

    def _best_play(self) -> Play:
        """The most that the actor can play by rearranging; searched once for each turn of events."""
        if self._searched is None or self._searched[0] != len(self.events):
            play = most_played(self._seat.hand, [meld.laid.cards for meld in self.melds], self.rules)
            assert play is not None, "a legal table can always stay as it is"
            self._searched = len(self.events), play
        return self._searched[1]

    # Doing --------------------------------------------------------------------------------------------------------

    def _by_chance(self, cards: Sequence[Card], count: int) -> list[Card]:
        """So many of the cards at random, in random order; as it fell when the game is replayed."""
        chosen = tuple(self._random.sample(cards, count)) if self._replayed is None else self._replayed.pop(0)
        self._chance.append(chosen)
        return list(chosen)

    def _deal(self, cut: int | None) -> None:
        pack = deck(self.packs, self.jokers)
        self.stock = self._by_chance(pack, len(pack))
        number = self.rules.in_round(self.rules.deal, self.contract_round)
        self.seats = [Seat(name) for name in self.players if name in self._contenders]
        for seat in self.seats:
            seat.hand, self.stock = self.stock[:number], self.stock[number:]
        self.discards = [] if self.rules.rearrange else [self.stock.pop(0)]
        self.melds = []
        self._ways = {}
        needed = exact_cut(self.rules, len(self.seats), self.contract_round)
        cutter = self.players[self.players.index(self.dealer) - 1]
        self._bonuses = {cutter: self.rules.cut_bonus} if cut == needed else {}
        self._rebuilds = self._passes = self._discard_number = self.turn = 0
        self._active = self._after(self.dealer)
        self._discarder = None
        self._asked = []
        self._offer(protected=False)
        self.phase = "play" if self.rules.rearrange else "draw"

    def _after(self, name: str) -> int:
        """The seat to the left of a player, who may not be seated in this round."""
        around = self.players.index(name)
        order = [*self.players[around + 1 :], *self.players[: around + 1]]
        names = [seat.name for seat in self.seats]
        return names.index(next(player for player in order if player in names))

    def _offer(self, protected: bool) -> None:
        self._offered = True
        self._protected = protected
        self._drawn = False

    def _draw(self, discards: int) -> None:
        hand = self._seat.hand
        if discards:
            hand += self.discards[-discards:]
            del self.discards[-discards:]
            self._start_play()
            return
        self._asked = [seat for seat in self._others() if self._offered and self._may_buy(self.seats[seat])]
        if self._asked:
            self.phase = "buy"
        else:
            self._draw_stock()

    def _others(self) -> list[int]:
        """The seats after the active one, in turn order, without the discarder."""
        order = [(self._active + step) % len(self.seats) for step in range(1, len(self.seats))]
        return [seat for seat in order if seat != self._discarder]

    def _may_buy(self, seat: Seat) -> bool:
        try:
            self._verify_buy(seat)
        except NotAllowedError:
            return False
        return True

    def _draw_stock(self) -> None:
        card = self._from_stock()
        if card is None:
            self._end_round(None)
            return
        self.seats[self._active].hand.append(card)
        self._start_play()

    def _start_play(self) -> None:
        self._offered = False
        self._drawn = True
        self.phase = "play"

    def _from_stock(self) -> Card | None:
        if not self.stock:
            if not self._may_draw():
                return None
            self._rebuilds += 1
            self.stock = self._by_chance(self.discards[:-1], len(self.discards) - 1)
            self.discards = self.discards[-1:]
        return self.stock.pop(0)

    def _buy(self) -> None:
        seat = self._seat
        seat.hand.append(self.discards.pop())
        for _ in range(self.rules.in_round(self.rules.buy_cards, self.contract_round)):
            card = self._from_stock()
            assert card is not None, "a buy is allowed only where the stock has the cards for it"
            seat.hand.append(card)
        seat.buys += 1
        seat.bought = self._discard_number
        self._asked = []
        self._draw_stock()

    def _pass(self) -> None:
        if self.rules.rearrange:
            self._passes += 1
            if self._passes == len(self.seats):
                self._end_round(None)
            else:
                self._next_turn()
            return
        self._asked.pop(0)
        if not self._asked:
            if self.phase == "buy":
                self._draw_stock()
            else:
                self.phase = "draw"

    def _call(self, action: Call) -> None:
        seat, discarder = self._seat, self.seats[self._discarder or 0]
        self._extend(action.meld, self.discards.pop())
        taken = action.card or self._by_chance(discarder.hand, 1)[0]
        discarder.hand.remove(taken)
        seat.hand.append(taken)
        self._asked = []
        self._offered = False
        self.phase = "draw"
        if not discarder.hand:
            self._end_round(discarder)

    def _take(self, seat: Seat, cards: Iterable[Card]) -> None:
        for card in cards:
            seat.hand.remove(card)

    def _put(self, cards: tuple[Card, ...], stage: Stage, found: tuple[Reading, ...] | None = None) -> None:
        meld_law = law(self.rules, self.contract_round, stage)
        kinds = {slot.kind for slot in self.rules.contract(self.contract_round).slots}
        open_readings = found or tuple(each for each in readings(cards, meld_law) if each.kind in kinds)
        self.melds.append(TableMeld(self._seat.name, LaidMeld(cards, open_readings, meld_law)))

    def _lay_down(self, action: LayDown) -> None:
        seat = self._seat
        ways = judge(self.rules, self.contract_round, action.melds, self._rest(action.player, ())).readings
        first = len(self.melds)
        for number, cards in enumerate(action.melds):
            self._take(seat, cards)
            self._put(tuple(cards), "added", tuple(dict.fromkeys(way[number] for way in ways)))
        if not self.rules.joker_slides:  # else no reading is settled for good
            self._ways[seat.name] = first, list(ways)
        seat.down_in = self.turn
        self._end_if_empty()

    def _lay_off(self, action: LayOff) -> None:
        self._take(self._seat, [action.card])
        self._extend(action.meld, action.card)
        self._owed = None
        self._end_if_empty()

    def _extend(self, number: int, card: Card) -> None:
        meld = self.melds[number]
        self._replace(number, LaidMeld((*meld.laid.cards, card), extended(meld.laid, card), meld.laid.law))

    def _swap(self, action: Swap) -> None:
        taken, swapped = exchanged(self.melds[action.meld].laid, action.card)
        self._take(self._seat, [action.card])
        self._seat.hand.append(taken)
        self._replace(action.meld, swapped)
        self._owed = taken if self.rules.joker_swap == "replay_same_turn" else None

    def _replace(self, number: int, laid: LaidMeld) -> None:
        """Put a changed meld in its place. What it now must be may settle what its neighbours of one contract are."""
        self.melds[number].laid = laid
        owner = self.melds[number].owner
        first, ways = self._ways.get(owner, (0, []))
        place = number - first
        if not ways or not 0 <= place < len(ways[0]):
            return
        ways = [
            (*way[:place], new, *way[place + 1 :]) for way in ways for new in laid.readings if follows(new, way[place])
        ]
        self._ways[owner] = first, ways
        for step in range(len(ways[0])):
            old = self.melds[first + step].laid
            open_readings = tuple(dict.fromkeys(way[step] for way in ways))
            self.melds[first + step].laid = LaidMeld(old.cards, open_readings, old.law)

    def _discard(self, action: Discard) -> None:
        seat = self._seat
        seat.hand.remove(action.card)
        self.discards.append(action.card)
        if not seat.hand:
            self._end_round(seat)
            return
        self._discard_number += 1
        self._discarder = self._active
        self._next_turn()
        self._offer(action.protect)
        if (
            self.rules.shanghai_call
            and not action.protect
            and any(extended(meld.laid, action.card) for meld in self.melds)
        ):
            self._asked = [self._active, *self._others()]
            self.phase = "call"

    def _rearrange(self, action: Rearrange) -> None:
        before = Counter(card for meld in self.melds for card in meld.laid.cards)
        played = Counter(card for meld in action.melds for card in meld) - before
        self._take(self._seat, played.elements())
        self.melds = []
        meld_law = law(self.rules, None, "new")
        for cards in action.melds:
            self.melds.append(TableMeld("", LaidMeld(tuple(cards), readings(cards, meld_law), meld_law)))
        self._passes = 0
        if self._seat.hand:
            self._next_turn()
        else:
            self._end_round(self._seat)

    def _next_turn(self) -> None:
        self._active = (self._active + 1) % len(self.seats)
        self._asked = []
        self._drawn = False
        self.turn += 1
        self.phase = "play" if self.rules.rearrange else "draw"

    def _end_if_empty(self) -> None:
        if not self._seat.hand:
            self._end_round(self._seat)

    def _end_round(self, out: Seat | None) -> None:
        points = {seat.name: penalty(seat.hand, self.rules).points for seat in self.seats}
        bonuses = dict(self._bonuses)
        if out and out.down_in == self.turn:
            melds = [card for meld in self.melds if meld.owner == out.name for card in meld.laid.cards]
            bonuses[out.name] = bonuses.get(out.name, 0) + blind_bonus(melds, self.rules)
        self.results.append(Result(self.round, points, bonuses, out.name if out else None))
        self._asked = []
        self._owed = None
        ahead = self._leaders()
        target = self.rules.target
        ended = target is not None and max(self.totals.values()) >= target
        if self.rules.rounds_played and self.round >= self.rules.rounds_played:
            ended = self.rules.tie != "extra_hand" or len(ahead) == 1
            self._contenders = ahead
        self.phase = "over" if ended else "deal"
        if not ended:
            self.round += 1
            self.dealer = self.seats[self._after(self.dealer)].name

    def _leaders(self) -> tuple[str, ...]:
        totals = {player: total for player, total in self.totals.items() if player in self._contenders}
        won = Counter(result.out for result in self.results)
        return leaders(totals, {player: won[player] for player in totals}, self.rules)


_ALLOWED: dict[Phase, tuple[type[Action], ...]] = {
    "deal": (Deal,),
    "call": (Call, Pass),
    "draw": (Draw,),
    "buy": (Buy, Pass),
    "play": (LayDown, LayOff, NewMeld, Swap, Discard, EndTurn),
    "over": (),
}
_REARRANGING: tuple[type[Action], ...] = (Rearrange, Draw, EndTurn, Pass)
