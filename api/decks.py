"""The decks that were learnt: what they are called, how a photo is added to one, and how far each is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.cards import KINDS, Card

if TYPE_CHECKING:
    from vision.deck import LearntDeck, Lesson
    from vision.photo import Photo

LONGEST_NAME = 40
NO_CARD = "-"
"""Stands in a list of names where there is no card."""

_NAME = re.compile(rf"\w[\w .-]{{0,{LONGEST_NAME - 1}}}")


class Teacher(Protocol):
    """What learns decks from photos."""

    def lesson(self, photo: Photo, names: Sequence[Card | None]) -> Lesson:
        """Return what a photo teaches, given what the places of its survey are."""

    def learn(self, name: str, lesson: Lesson) -> LearntDeck:
        """Return the deck that a lesson shows."""


class NoDeckError(LookupError):
    """A deck that is not there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no deck {name!r}; learn it first.")


class DeckNameError(ValueError):
    """A name that a deck cannot have."""


def check_name(name: str) -> None:
    """Refuse what a deck cannot be called.

    Raises:
        DeckNameError: with a sentence that says what it can.

    >>> check_name("Grandma's")
    Traceback (most recent call last):
    api.decks.DeckNameError: A deck cannot be called "Grandma's": up to 40 letters, digits, blanks, '.', '-', '_'.
    """
    if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
        raise DeckNameError(
            f"A deck cannot be called {name!r}: up to {LONGEST_NAME} letters, digits, blanks, '.', '-', '_'."
        )


def names_of(text: str) -> list[Card | None]:
    """Return the cards that a list names; None for what is no card. What is called ``?`` is not learnt from.

    Raises:
        UnreadableError: if a word is neither.

    >>> names_of("9C 10D - JK ?")
    [Card('9C'), Card('TD'), None, Card('JK'), Card('?')]
    """
    return [None if word == NO_CARD else Card.parse(word) for word in text.split()]


def state_of(deck: LearntDeck) -> str:
    """Return in a sentence or more how far a deck is known."""
    if deck.missing:
        return f"Still to be shown: {', '.join(card.label for card in deck.missing)}."
    sentences = [str(deck.figures)]
    if not deck.helps:
        sentences.append("It is read as well without having been learnt, so nothing changes.")
    if not deck.has_joker:
        sentences.append("No joker of it was found: lay them out again, or tap them in when they are missed.")
    return " ".join(sentences)


@dataclass(frozen=True, slots=True)
class DeckLine:
    """How far a deck is known."""

    name: str
    confirmed: tuple[str, ...]
    """The kinds of which an index was confirmed."""
    missing: tuple[str, ...]
    """The kinds that must still be shown before the deck can be played with."""
    helps: bool
    """Whether it is read otherwise than it would be without having been learnt."""
    text: str


def deck_line(deck: LearntDeck) -> DeckLine:
    """Return how far a deck is known."""
    confirmed = tuple(KINDS[int(kind)].code for kind in sorted(set(deck.lesson.kinds)) if kind < len(KINDS))
    return DeckLine(deck.name, confirmed, tuple(card.code for card in deck.missing), deck.helps, state_of(deck))


@dataclass(frozen=True, slots=True)
class Taught:
    """A deck to which something was added."""

    line: DeckLine
    content: bytes
    """What its file is to hold."""

    @classmethod
    def of(cls, deck: LearntDeck) -> Taught:
        """Return a deck as it is written down."""
        return cls(deck_line(deck), deck.to_bytes())


def lesson_of(before: Path | None) -> Lesson:
    """Return what a deck was learnt from until now.

    Args:
        before: its file; none where it is begun.

    Raises:
        DeckError: if the file is no deck.
    """
    from vision.deck import LearntDeck, Lesson

    return Lesson.none() if before is None else LearntDeck.open(before).lesson


def teach(teacher: Teacher, photo: Photo, names: Sequence[Card | None], name: str, before: Path | None) -> Taught:
    """Return a deck with a photo added to it.

    Args:
        teacher: what learns from the photo.
        photo: cards of the deck.
        names: what the places of its survey are.
        name: the deck.
        before: the file of what it was; none where it is begun.

    Raises:
        DeckError: if there are not as many names as places, or the file is no deck.
    """
    lesson = lesson_of(before).joined(teacher.lesson(photo, names))
    return Taught.of(teacher.learn(name, lesson))
