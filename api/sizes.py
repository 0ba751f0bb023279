"""How many cards a hand can have when it is counted."""

from __future__ import annotations

from engine.contracts import hand_sizes
from engine.rules import Rules


def odd_size(count: int, player: str, rules: Rules, round_number: int) -> str | None:
    """Return a warning where a hand that is counted cannot have so many cards; none where it can.

    >>> from engine.rules import load
    >>> odd_size(12, "Cy", load("finnish"), 2)
    'Cy cannot have 12 cards in round 2: 1 to 10 are possible, or 11, 13, 15 or 17 without the contract.'
    >>> odd_size(12, "Cy", load("shanghai"), 7)
    'Cy cannot have 12 cards in round 7: 11, 14 or 17 are possible.'
    >>> odd_size(14, "Cy", load("shanghai"), 2) is None, odd_size(30, "Cy", load("manipulation"), 1) is None
    (True, True)
    """
    if not count or not rules.contracts or rules.draw_deep or rules.rearrange:
        return None
    number = min(round_number, rules.rounds_played)
    if rules.in_round(rules.buy_limit, number) is None:
        return None  # whoever may buy without limit can have any number of cards
    contract = rules.contract(number)
    # The engine counts them after drawing; a hand is counted after its owner has discarded.
    whole = [size - 1 for size in hand_sizes(rules, number)]
    down = 0 if contract.whole_hand else max(0, whole[-1] - contract.size)
    if count <= down or count in whole:
        return None
    whole = [size for size in whole if size > down]
    listed = f"{', '.join(map(str, whole[:-1]))} or {whole[-1]}" if len(whole) > 1 else str(whole[0])
    if not down:
        possible = f"{listed} are possible"
    else:
        possible = f"1 to {down} are possible, or {listed} without the contract"
        possible += " (a call changes that by one)" if rules.shanghai_call else ""
    return f"{player} cannot have {count} card{'s' if count > 1 else ''} in round {round_number}: {possible}."
