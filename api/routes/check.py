"""``POST /api/check``: whether laid melds fulfil the contract."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException

from api.bodies import CheckedMelds
from api.rulebook import Rulebook
from api.seats import Seats, device_of
from api.store.devices import Device
from api.verdicts import Checked, check, check_heap
from engine.cards import parse_cards

MOST_CARDS = 120


def check_router(rulebook: Rulebook, seats: Seats) -> APIRouter:
    """Return the router."""
    router = APIRouter(tags=["cards"])

    @router.post("/api/check")
    def judge(wanted: CheckedMelds, device: Annotated[Device, Depends(device_of)]) -> Checked:
        """Judge melds by the contract of a round; without contracts, each as a meld."""
        number = wanted.round or 1
        if wanted.game is not None:
            game = seats.of(wanted.game, device).record.ledger.game
            rules, number = game.rules, wanted.round or game.round
        else:
            rules = rulebook.with_options(wanted.rules or rulebook.default_name, wanted.options)
        melds = [parse_cards(meld) for meld in wanted.melds or ()]
        heap = parse_cards(wanted.cards or "")
        kept = parse_cards(wanted.kept)
        if (wanted.melds is None) == (wanted.cards is None):
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, "Send melds, or cards to be sorted into melds.")
        if sum(map(len, melds)) + len(heap) + len(kept) > MOST_CARDS:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, f"At most {MOST_CARDS} cards are judged at once.")
        if wanted.cards is not None:
            return check_heap(rules, number, heap, wanted.event)
        return check(rules, number, melds, kept, wanted.event)

    return router
