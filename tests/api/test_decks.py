"""Decks on the command line and in the service: learnt in several goes, named by a person, kept by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.app import create_app
from api.decks import MOST_DECKS, DeckNameError, Decks
from api.settings import Settings
from engine.cards import JOKER, KINDS, Card
from tests.api.conftest import Phone
from vision.deck import Figures, LearntDeck, Lesson
from vision.photo import Photo
from vision.reader import CLASSES, DeckError
from vision.scene import Scene


class Teacher:
    """Sees the cards that it was told, and learns what it is told; keeps which decks photos were read with."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.played: list[str | None] = []

    def scan(self, _photo: Photo, deck: LearntDeck | None = None, **_: int) -> Scene:
        self.played.append(deck.name if deck else None)
        return self.scene

    def survey(self, _photo: Photo) -> Scene:
        return self.scene

    def lesson(self, _photo: Photo, names: Sequence[Card | None]) -> Lesson:
        if len(names) != len(self.scene.cards):
            raise DeckError(f"{len(names)} cards are named, but {len(self.scene.cards)} places were found.")
        kinds = [name.index for name in names if name]
        return Lesson(np.zeros((len(kinds), 64, 48, 6), np.uint8), np.array(kinds, np.int64))

    def learn(self, name: str, lesson: Lesson) -> LearntDeck:
        deck = LearntDeck(name, lesson, "one", np.zeros((CLASSES, CLASSES)), None)
        if deck.missing:
            return deck
        return LearntDeck(name, lesson, "one", np.ones((CLASSES, CLASSES)), Figures(52, 40, 50, 30, 45))

    def deck(self, path: Path) -> LearntDeck:
        deck = LearntDeck.open(path)
        if deck.missing:
            raise DeckError(f"The deck {deck.name!r} is not learnt yet.")
        return deck


def save_whole(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = np.arange(53, dtype=np.int64)
    lesson = Lesson(np.zeros((53, 64, 48, 6), np.uint8), kinds)
    Teacher(Scene((1, 1))).learn(path.stem, lesson).save(path)


@pytest.mark.parametrize("name", ["", "../games", "a/b", ".hidden", "x" * 41, "tail.", "tail ", "a\nb", "nul\0"])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(DeckNameError):
        Decks(tmp_path).path(name)


def test_there_is_room_for_so_many_decks(tmp_path: Path) -> None:
    decks = Decks(tmp_path)
    for number in range(MOST_DECKS):
        decks.room(f"deck {number}").touch()
    decks.room("deck 3")
    with pytest.raises(DeckNameError, match="forget one first"):
        decks.room("one more")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MELDSIGHT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


@pytest.fixture
def picture(tmp_path: Path, hand: Any) -> Path:
    path = tmp_path / "first.png"
    path.write_bytes(hand.picture)
    return path


def test_learning_writes_a_list_and_takes_it_back_corrected(data: Path, picture: Path, hand: Any, run: Any) -> None:
    teacher = Teacher(hand.scene)
    status, out, _ = run("deck", "learn", "ours", str(picture), scanner=teacher)
    assert status == 0
    assert "ours-cards.txt" in out
    written = Path("ours-cards.txt").read_text("utf-8")
    read = " ".join(seen.card.code for seen in hand.scene.cards)
    assert written.splitlines()[-1] == f"first.png: {read}"
    assert Path("ours-first-outlined.jpg").is_file()
    assert not list(data.rglob("*.npz"))

    status, _, err = run("deck", "learn", "ours", str(picture), scanner=teacher)
    assert (status, "is there already" in err) == (2, True)

    names = ["JK", *["-"] * (len(hand.scene.cards) - 1)]
    Path("ours-cards.txt").write_text(f"# corrected\nfirst.png: {' '.join(names)}\n", "utf-8")
    status, out, _ = run("deck", "learn", "ours", str(picture), "--cards", "ours-cards.txt", scanner=teacher)
    assert status == 0
    assert out.startswith("Still to be shown: A♣, 2♣")
    assert LearntDeck.open(data / "decks" / "ours.npz").lesson.kinds.tolist() == [JOKER.index]

    _, out, _ = run("deck", "list")
    assert out.startswith("ours: Still to be shown")
    assert run("deck", "forget", "ours")[0] == 0
    assert run("deck", "list")[1] == "No deck was learnt yet.\n"


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ("first.png: JK", "first.png: 1 cards are named"),
        ("other.png: JK", "says nothing of first.png"),
        ("first.png: JK XX", "XX"),
    ],
)
def test_a_list_that_does_not_fit_changes_nothing(
    data: Path, picture: Path, hand: Any, run: Any, listed: str, sentence: str
) -> None:
    Path("list.txt").write_text(listed, "utf-8")
    status, _, err = run("deck", "learn", "ours", str(picture), "--cards", "list.txt", scanner=Teacher(hand.scene))
    assert status != 0
    assert sentence in err
    assert err.count("\n") == 1
    assert not list(data.rglob("*.npz"))


def test_a_hand_is_scored_with_a_deck(data: Path, picture: Path, hand: Any, run: Any) -> None:
    save_whole(data / "decks" / "ours.npz")
    teacher = Teacher(hand.scene)
    assert run("score", str(picture), "--deck", "ours", scanner=teacher)[0] == 0
    assert run("score", str(picture), scanner=teacher)[0] == 0
    assert teacher.played == ["ours", None]
    status, _, err = run("score", str(picture), "--deck", "theirs", scanner=teacher)
    assert (status, err) == (1, "meldsight: There is no deck 'theirs'; learn it first.\n")


@pytest.fixture
def service(tmp_path: Path, hand: Any) -> Iterator[tuple[Any, Teacher]]:
    teacher = Teacher(hand.scene)
    made = create_app(Settings(data=tmp_path / "data", database_url=f"sqlite:///{tmp_path / 'games.sqlite'}"), teacher)
    yield made, teacher
    made.state.database.close()


@pytest.fixture
def phone_of(service: tuple[Any, Teacher]) -> Callable[..., Phone]:
    return lambda **joining: Phone(service[0], **joining)


def add(phone: Phone, picture: bytes, cards: str, name: str = "ours") -> Any:
    return phone.http.post("/api/decks/photos", params={"name": name, "cards": cards}, content=picture)


def test_a_deck_is_learnt_photo_by_photo(service: Any, phone_of: Any, hand: Any) -> None:
    _, teacher = service
    ana = phone_of(name="Ana's phone")
    survey = ana.http.post("/api/decks/survey", content=hand.picture)
    assert survey.status_code == 200
    assert Scene.from_json(survey.json()["scene"]) == hand.scene
    assert ana.get("/api/decks").json() == []

    count = len(hand.scene.cards)
    codes = [card.code for card in KINDS]
    for start in range(0, len(codes), count):
        some = codes[start : start + count]
        answer = add(ana, hand.picture, " ".join(some + ["-"] * (count - len(some))))
        assert answer.status_code == 200, answer.text
        line = answer.json()
        assert line["confirmed"] == codes[: start + len(some)]
        scan = ana.http.post("/api/scan?deck=ours", content=hand.picture)
        assert (scan.status_code == 200) is (not line["missing"])
    assert line["helps"] is True
    assert line["text"].startswith("Of 52 indices 40 were read right before and 50 are now")
    assert ana.get("/api/decks").json() == [line]
    ana.http.post("/api/scan", content=hand.picture)
    assert teacher.played[-2:] == ["ours", None]
    assert ana.http.delete("/api/decks/ours").status_code == 204
    assert ana.http.post("/api/scan?deck=ours", content=hand.picture).status_code == 404
    assert ana.http.delete("/api/decks/ours").status_code == 404


def test_what_does_not_fit_is_said_and_changes_nothing(phone_of: Any, hand: Any) -> None:
    ana = phone_of(name="Ana's phone")
    for answer, status in (
        (add(ana, hand.picture, "JK"), 422),
        (add(ana, hand.picture, "XX"), 422),
        (add(ana, hand.picture, "JK", name="../ours"), 422),
        (add(ana, b"dear sir", "JK"), 422),
        (ana.http.post("/api/decks/survey", content=b"dear sir"), 422),
        (ana.http.post("/api/scan?deck=..%2Fours", content=hand.picture), 422),
    ):
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    assert ana.get("/api/decks").json() == []


def test_guests_of_a_game_may_play_with_a_deck_but_not_change_it(phone_of: Any, hand: Any, tmp_path: Path) -> None:
    save_whole(tmp_path / "data" / "decks" / "ours.npz")
    ana = phone_of(name="Ana's phone")
    game = ana.start()
    code = ana.http.post(f"/api/games/{game}/invite", json={"role": "player"}).json()["code"]
    ben = phone_of(code=code)
    assert ben.joined.status_code == 200
    names = " ".join(["JK"] * len(hand.scene.cards))
    assert add(ben, hand.picture, names).status_code == 403
    assert ben.http.delete("/api/decks/ours").status_code == 403
    assert ben.http.post("/api/decks/survey", content=hand.picture).status_code == 403
    assert [line["name"] for line in ben.get("/api/decks").json()] == ["ours"]
    assert ben.http.post(f"/api/scan?game={game}&deck=ours", content=hand.picture).status_code == 200
    assert add(ana, hand.picture, names).status_code == 200


def test_nobody_from_outside_sees_the_decks(service: Any) -> None:
    from fastapi.testclient import TestClient

    outside = TestClient(service[0], "http://127.0.0.1:8000", raise_server_exceptions=False)
    for answer in (outside.get("/api/decks"), outside.delete("/api/decks/ours"), outside.post("/api/decks/survey")):
        assert answer.status_code == 401
