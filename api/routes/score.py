"""``POST /api/score``: cards in, the sum out; the page never adds itself, it asks here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.hands import HandScore, score_hand
from engine.cards import Card
from engine.rules import Rules


class HandOfCards(BaseModel):
    """The cards of a hand as files write them."""

    cards: Annotated[list[Annotated[str, Field(max_length=8)]], Field(max_length=216)] = Field(
        examples=[["9C", "KD", "3S"]]
    )


def score_router(rules: Rules) -> APIRouter:
    """Return the router."""
    router = APIRouter()

    @router.post("/api/score")
    async def score(hand: HandOfCards) -> HandScore:
        """Add up a hand."""
        return score_hand([Card.parse(text) for text in hand.cards], rules)

    return router
