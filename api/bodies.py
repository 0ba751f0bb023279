"""What requests carry: names, cards, events. Whether an event fits its game is for the engine to say."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

MOST_POINTS = 100_000


def _plain(text: str) -> str:
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Cn", "Co") for sign in text):
        raise ValueError("it holds a sign that cannot be shown")
    return text


Text = Annotated[str, StringConstraints(max_length=200), AfterValidator(_plain)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40), AfterValidator(_plain)]
Cards = Annotated[str, StringConstraints(max_length=700), Field(examples=["9C KD 3S"])]
"""A list of cards as files write it; empty for none."""
Scanned = Annotated[
    Cards | None, Field(description="The cards as a scan gave them, where the hand comes from one; not recorded.")
]
RoundNumber = Annotated[int, Field(ge=1, le=1000, examples=[1])]
Number = Annotated[int, Field(ge=0, le=1_000_000)]
Points = Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
OptionValue = bool | int | Text | Annotated[list[int | Text], Field(max_length=40)]
Options = Annotated[dict[Text, OptionValue], Field(max_length=80, examples=[{"buy_limit": 3}])]


class Body(BaseModel):
    """A request; what it does not know it refuses."""

    model_config = ConfigDict(extra="forbid")

    def sent(self) -> dict[str, Any]:
        """Return what was sent, and nothing that was left out."""
        return self.model_dump(exclude_unset=True)


class RoundStarted(Body):
    """A round begins."""

    kind: Literal["round_started"]
    round: RoundNumber


class HandScored(Body):
    """A hand is counted: by its cards, or by points where the cards are not known."""

    kind: Literal["hand_scored"]
    round: RoundNumber
    player: Name
    cards: Cards | None = None
    points: Points | None = None
    scanned: Scanned = None


class HandCorrected(Body):
    """A counted hand was another."""

    kind: Literal["hand_corrected"]
    of: Number
    cards: Cards | None = None
    points: Points | None = None
    scanned: Scanned = None


class HandMoved(Body):
    """A counted hand was another player's."""

    kind: Literal["hand_moved"]
    of: Number
    player: Name


class BonusGiven(Body):
    """Points beside the hands."""

    kind: Literal["bonus_given"]
    round: RoundNumber
    player: Name
    points: Points
    reason: Text = ""


class DealerSet(Body):
    """Who deals the round that is on."""

    kind: Literal["dealer_set"]
    player: Name


class PlayerJoined(Body):
    """A player joins, with points to start from."""

    kind: Literal["player_joined"]
    player: Name
    points: Points = 0


class PlayerLeft(Body):
    """A player leaves."""

    kind: Literal["player_left"]
    player: Name


class SettingsChanged(Body):
    """House rules change; all scores follow."""

    kind: Literal["settings_changed"]
    options: Options


class Voided(Body):
    """An entry does not count."""

    kind: Literal["voided"]
    of: Number


class Undo(Body):
    """The last entry that stands does not count."""

    kind: Literal["undo"]


Recorded = Annotated[
    RoundStarted
    | HandScored
    | HandCorrected
    | HandMoved
    | BonusGiven
    | DealerSet
    | PlayerJoined
    | PlayerLeft
    | SettingsChanged
    | Voided
    | Undo,
    Field(
        discriminator="kind",
        examples=[{"kind": "hand_scored", "round": 1, "player": "Ben", "cards": "9C KD 3S"}],
    ),
]


class NewGame(Body):
    """A game to be started."""

    rules: Text = Field(examples=["shanghai"])
    players: Annotated[list[Name], Field(min_length=1, max_length=20, examples=[["Ana", "Ben", "Cy"]])]
    options: Options = {}
    dealer: Name | None = None
    name: Name | None = None


class Joining(Body):
    """What lets a device in: one of the three, or nothing where the service is open."""

    secret: Text | None = Field(None, examples=[None])
    table: Text | None = Field(None, examples=[None])
    code: Text | None = Field(None, examples=["K7M2QX"])
    name: Name | None = Field(None, examples=["Ana's phone"])


class DeviceName(Body):
    """Another name for a device."""

    name: Name = Field(examples=["Ana's phone"])


class Inviting(Body):
    """Whom to invite."""

    role: Literal["player", "viewer"] = "player"


class RoleChange(Body):
    """Another role for a member."""

    role: Literal["host", "player", "viewer"]


class Melds(Body):
    """What a player has laid on the table."""

    melds: Annotated[list[Cards], Field(max_length=20, examples=[["8C 8D 8H", "5S 6S 7S 8S"]])]


class CheckedMelds(Body):
    """Melds to be judged: of a game, or by rules and options."""

    game: Annotated[str, Field(max_length=40)] | None = None
    rules: Text | None = Field(None, examples=["shanghai"])
    options: Options = {}
    round: RoundNumber | None = None
    melds: Annotated[list[Cards], Field(max_length=20, examples=[["8C 8D 8H", "KC KD KS"]])] | None = None
    cards: Cards | None = Field(None, examples=[None])
    kept: Cards = ""
    event: Literal["laydown", "snapshot"] = "laydown"


class HandOfCards(Body):
    """The cards of a hand as files write them, and where they are to be counted."""

    cards: Annotated[list[Annotated[str, Field(max_length=8)]], Field(max_length=216)] = Field(
        examples=[["9C", "KD", "3S"]]
    )
    game: Annotated[str, Field(max_length=40)] | None = None
    round: RoundNumber | None = None
    player: Name | None = None
