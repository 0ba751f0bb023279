"""What two melds of one contract may not be to each other: of one rank, adjoining, overlapping."""

from __future__ import annotations

from engine.faults import FaultKind
from engine.melds import Reading
from engine.rules import Rules


def clash(one: Reading, two: Reading, rules: Rules, round_number: int) -> FaultKind | None:
    """Return what keeps two melds from lying in one contract; none where nothing does.

    >>> from engine.cards import Suit
    >>> from engine.rules import load
    >>> six_to_nine = Reading("run", Suit.HEARTS, 6, 4, ())
    >>> clash(six_to_nine, Reading("run", Suit.HEARTS, 10, 4, ()), load("shanghai"), 3)
    <FaultKind.ADJOINING: 'adjoining'>
    >>> clash(six_to_nine, Reading("run", Suit.HEARTS, 11, 4, ()), load("shanghai"), 3) is None
    True
    """
    if one.kind != two.kind or one.of is not two.of:
        return None
    if one.kind == "set":
        return None if rules.same_rank_sets else FaultKind.SAME_RANK
    between = cards_between(one, two, rules)
    if between < 0:
        return FaultKind.OVERLAP if rules.forbid_overlap else None
    allowed = adjoining_allowed(rules, round_number)
    return None if allowed or between >= rules.min_gap else FaultKind.ADJOINING


def adjoining_allowed(rules: Rules, round_number: int) -> bool:
    """Return whether two contract runs of one suit may follow each other in this round.

    >>> from engine.rules import load
    >>> adjoining_allowed(load("shanghai"), 3), adjoining_allowed(load("may_i"), 3)
    (False, True)
    """
    final = round_number == rules.rounds_played and rules.adjoining_final != "same"
    return (rules.adjoining_final if final else rules.adjoining) == "allow"


def cards_between(one: Reading, two: Reading, rules: Rules) -> int:
    """Return how many cards lie between two runs of one suit; -1 where they overlap.

    >>> from engine.cards import Suit
    >>> from engine.rules import load
    >>> cards_between(Reading("run", Suit.CLUBS, 2, 4, ()), Reading("run", Suit.CLUBS, 8, 4, ()), load("go"))
    2
    """
    ways = [two.start - one.end, one.start - two.end]
    if rules.ace_role == "wrap":
        if any((place - two.start) % 13 < two.size for place in range(one.start, one.end)):
            return -1
        return min(way % 13 for way in ways)
    if max(ways) < 0:
        return -1
    if rules.ace_bridges:
        ways += [way + 13 for way in ways]
    return min(way for way in ways if way >= 0)
