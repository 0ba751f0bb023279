"""How many equal cards a photo can show: what the packs hold, less what is known to lie elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card


@dataclass(frozen=True)
class Limits:
    """The packs in play, and the cards that were seen elsewhere."""

    packs: int = 2
    jokers: int = 4
    elsewhere: tuple[Card, ...] = ()
    """Cards that lie in other hands of the round, or on the table."""

    def of(self, card: Card) -> int:
        """Return how often the packs hold a card.

        >>> Limits(packs=2, jokers=4).of(Card("8C"))
        2
        """
        return self.jokers if card.is_joker else self.packs

    def left(self, card: Card) -> int:
        """Return how often a card can be on the photo.

        >>> Limits(elsewhere=(Card("8C"), Card("9D"))).left(Card("8C"))
        1
        """
        return max(0, self.of(card) - self.elsewhere.count(card))
