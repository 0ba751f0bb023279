"""``POST /api/score``: cards in, the sum out; the page never adds itself, it asks here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends

from api.bodies import HandOfCards
from api.hands import HandScore, score_hand
from api.places import Places
from api.seats import device_of
from api.store.devices import Device
from engine.cards import Card


@dataclass(frozen=True, slots=True)
class CountedHand(HandScore):
    """A hand with its sum, and what is odd about it in its game."""

    warnings: tuple[str, ...] = ()


def score_router(places: Places) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["cards"])

    @router.post("/api/score")
    def score(hand: HandOfCards, device: Annotated[Device, Depends(device_of)]) -> CountedHand:
        """Add up a hand."""
        place = places.of(device, hand.game, hand.round, hand.player)
        cards = [Card.parse(text) for text in hand.cards]
        scored = score_hand(cards, place.rules)
        return CountedHand(scored.points, scored.parts, scored.text, place.warnings(cards))

    return router
