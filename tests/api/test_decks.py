"""Decks on the command line and in the service: learnt in several goes, named by a person, kept by name for all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from api import shelf
from api.app import create_app
from api.decks import DeckNameError, NoDeckError, Taught, check_name, lesson_of
from api.scans import Here
from api.settings import Settings
from api.shelf import CrowdedDeckError, Shelf
from api.store.database import Database
from api.store.decks import MOST_DECKS, Decks, TooManyDecksError, digest_of
from api.store.notices import Notices
from engine.cards import JOKER, KINDS, Card
from tests.api.conftest import Phone
from vision.deck import Figures, LearntDeck, Lesson
from vision.limits import Limits
from vision.photo import Photo
from vision.reader import CLASSES, DeckError
from vision.scene import Scene

PATIENCE_S = 200
"""How long two that are to meet wait for each other: a machine that is busy with other work is slow, not wrong."""


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


def deck_of(name: str, kinds: Sequence[int] = range(53)) -> LearntDeck:
    """A deck of which these kinds were shown: all of them unless given."""
    lesson = Lesson(np.zeros((len(kinds), 64, 48, 6), np.uint8), np.array(kinds, np.int64))
    return Teacher(Scene((1, 1))).learn(name, lesson)


def save_whole(path: Path) -> None:
    """Write a deck to a file, as versions did that kept decks in files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(deck_of(path.stem).to_bytes())


@pytest.mark.parametrize("name", ["", "../games", "a/b", ".hidden", "x" * 41, "tail.", "tail ", "a\nb", "nul\0"])
def test_a_name_leads_nowhere_else(name: str) -> None:
    with pytest.raises(DeckNameError):
        check_name(name)


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
    _, out, _ = run("deck", "list")
    assert out.startswith("ours: Still to be shown")
    (file,) = data.rglob("*.npz")
    assert LearntDeck.open(file).lesson.kinds.tolist() == [JOKER.index]

    Path("ours-cards.txt").write_text(f"first.png: {' '.join(['2C', *names[1:]])}\n", "utf-8")
    status, out, _ = run("deck", "learn", "ours", str(picture), "--cards", "ours-cards.txt", scanner=teacher)
    assert (status, out.startswith("Still to be shown: A♣, 3♣")) == (0, True)
    assert run("deck", "forget", "ours")[0] == 0
    assert not list(data.rglob("*.npz"))
    assert run("deck", "forget", "ours") == (1, "", "meldsight: There is no deck 'ours'; learn it first.\n")
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


def test_guests_of_a_game_may_play_with_a_deck_but_not_change_it(service: Any, phone_of: Any, hand: Any) -> None:
    Decks(service[0].state.database).put("ours", deck_of("ours").to_bytes(), None)
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


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def shelves(database: Database, tmp_path: Path) -> tuple[Shelf, Shelf]:
    """Those of two services on one database, each with a folder of its own."""
    first, second = (Shelf(Decks(database), Notices(database), tmp_path / name) for name in ("8001", "8002"))
    return first, second


def showing(name: str, *kinds: int) -> Callable[[Path | None], Taught]:
    """Add these kinds to a deck."""
    return lambda before: Taught.of(deck_of(name, [*lesson_of(before).kinds, *kinds]))


def kinds_of(path: Path) -> list[int]:
    return [int(kind) for kind in LearntDeck.open(path).lesson.kinds]


def test_there_is_room_for_so_many_decks(shelves: tuple[Shelf, Shelf]) -> None:
    for number in range(MOST_DECKS):
        shelves[number % 2].add(f"deck {number}", showing(f"deck {number}", 0))
    assert shelves[0].names() == sorted(f"deck {number}" for number in range(MOST_DECKS))
    shelves[0].check_room("deck 3")
    shelves[1].add("deck 3", showing("deck 3", 1))
    with pytest.raises(TooManyDecksError, match="forget one first"):
        shelves[0].check_room("one more")
    with pytest.raises(TooManyDecksError, match="forget one first"):
        shelves[0].add("one more", showing("one more", 0))
    shelves[1].forget("deck 3")
    shelves[0].add("one more", showing("one more", 0))


def test_of_two_photos_added_at_once_both_count(shelves: tuple[Shelf, Shelf]) -> None:
    both = Barrier(2, timeout=PATIENCE_S)

    def learn(kind: int) -> Callable[[Path | None], Taught]:
        seen: list[Path | None] = []

        def once(before: Path | None) -> Taught:
            if not seen:
                # Neither writes before the other has looked.
                both.wait()
            seen.append(before)
            return showing("ours", kind)(before)

        return once

    with ThreadPoolExecutor(2) as pool:
        for kinds in ((0, 1), (2, 3)):
            added = [pool.submit(each.add, "ours", learn(kind)) for each, kind in zip(shelves, kinds, strict=True)]
            lines = [future.result().line for future in added]
            whole = {KINDS[kind].code for kind in range(kinds[-1] + 1)}
            assert set(lines[0].confirmed) | set(lines[1].confirmed) == whole
            assert whole in [set(line.confirmed) for line in lines], "the second has learnt on top of the first"
    assert [sorted(kinds_of(each.file("ours"))) for each in shelves] == [[0, 1, 2, 3]] * 2


def test_whoever_is_too_late_each_time_is_told_so(shelves: tuple[Shelf, Shelf]) -> None:
    first, second = shelves
    tried = []

    def learn(before: Path | None) -> Taught:
        first.add("ours", showing("ours", len(tried)))
        tried.append(before)
        return showing("ours", 50)(before)

    with pytest.raises(CrowdedDeckError, match="Others are adding photos to the deck 'ours' just now"):
        second.add("ours", learn)
    assert len(tried) == shelf.TRIES
    assert kinds_of(first.file("ours")) == list(range(shelf.TRIES))


def test_a_deck_that_is_forgotten_while_it_is_added_to_is_begun_anew(shelves: tuple[Shelf, Shelf]) -> None:
    first, _ = shelves
    first.add("ours", showing("ours", 0))
    given: list[Path | None] = []

    def learn(before: Path | None) -> Taught:
        if not given:
            first.forget("ours")
        given.append(before)
        return showing("ours", 1)(before)

    assert first.add("ours", learn).line.confirmed == (KINDS[1].code,)
    assert given[1:] == [None]


def test_what_cannot_be_learnt_changes_nothing(shelves: tuple[Shelf, Shelf]) -> None:
    first, _ = shelves
    first.add("ours", showing("ours", 0))
    before = first.file("ours")

    def learn(_: Path | None) -> Taught:
        raise DeckError("1 cards are named, but 3 places were found.")

    with pytest.raises(DeckError, match="3 places"):
        first.add("ours", learn)
    assert first.file("ours") == before


@pytest.mark.parametrize("damage", [b"", b"dear sir", deck_of("theirs").to_bytes()])
def test_a_file_that_was_damaged_is_written_anew(shelves: tuple[Shelf, Shelf], damage: bytes) -> None:
    first, _ = shelves
    first.add("ours", showing("ours", 7))
    path = first.file("ours")
    assert digest_of(path.read_bytes()) == path.stem
    path.write_bytes(damage)
    assert first.file("ours") == path
    assert kinds_of(path) == [7]
    path.unlink()
    assert kinds_of(first.file("ours")) == [7]


def test_a_folder_that_cannot_be_written_to_is_said_in_a_sentence(database: Database, tmp_path: Path) -> None:
    (tmp_path / "files").touch()
    stuck = Shelf(Decks(database), Notices(database), tmp_path / "files")
    stuck.add("ours", showing("ours", 7))
    with pytest.raises(DeckError, match=r"The deck 'ours' cannot be written to .*: Not a directory\.|File exists\."):
        stuck.file("ours")


def test_files_go_when_nobody_asks_for_them(shelves: tuple[Shelf, Shelf], tmp_path: Path) -> None:
    first, second = shelves
    long_ago = time.time() - shelf.AT_HAND_S - 60
    files = []
    for kind in range(3):
        first.add("ours", showing("ours", kind))
        files.append(first.file("ours"))
    assert all(file.is_file() for file in files), "a photo that is under way may still be read with them"
    for file in files:
        os.utime(file, (long_ago, long_ago))
    assert first.file("ours") == files[-1]
    first.tidy()
    assert [file.is_file() for file in files] == [False, False, True]
    os.utime(files[-1], (long_ago, long_ago))
    first.add("ours", showing("ours", 3))
    os.utime(files[-1], (long_ago, long_ago))
    assert list((tmp_path / "8001" / "ours").iterdir()) == [files[-1]]
    newest = first.file("ours")
    assert list((tmp_path / "8001" / "ours").iterdir()) == [newest]

    # What is forgotten goes at once: here, and at the other when it tidies.
    second.file("ours")
    first.forget("ours")
    assert not (tmp_path / "8001" / "ours").exists()
    assert (tmp_path / "8002" / "ours").exists()
    second.tidy()
    assert not (tmp_path / "8002" / "ours").exists()
    with pytest.raises(NoDeckError):
        second.file("ours")


def test_decks_that_were_files_are_taken_over_once(
    shelves: tuple[Shelf, Shelf], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = shelves
    folder = tmp_path / "decks"
    for name in ("ours", "theirs"):
        save_whole(folder / f"{name}.npz")
    # Somebody gave the file another name; the deck goes by that.
    (folder / "theirs.npz").rename(folder / "hers.npz")
    first.take_over(folder)
    assert second.names() == ["hers", "ours"]
    assert LearntDeck.open(second.file("hers")).name == "hers"
    assert second.file("ours").read_bytes() == deck_of("ours").to_bytes()
    assert list(folder.iterdir()) == []
    second.forget("ours")
    first.take_over(folder)
    assert first.names() == ["hers"]
    assert not caplog.records


def test_a_file_that_cannot_be_taken_over_stays(
    shelves: tuple[Shelf, Shelf], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, _ = shelves
    folder = tmp_path / "decks"
    first.add("ours", showing("ours", 0))
    save_whole(folder / "ours.npz")
    (folder / "broken.npz").write_bytes(b"dear sir")
    save_whole(folder / "Grandma's.npz")
    # As after a power cut between the database and the folder.
    save_whole(folder / "twice.npz")
    first.take_over(folder)
    save_whole(folder / "twice.npz")
    caplog.clear()
    first.take_over(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["Grandma's.npz", "broken.npz", "ours.npz"]
    assert first.names() == ["ours", "twice"]
    assert kinds_of(first.file("ours")) == [0]
    for words in ("A deck cannot be called", "is no deck that can be read", "There is another deck 'ours'"):
        assert sum(words in record.getMessage() for record in caplog.records) == 1
    (folder / "ours.npz").rename(folder / "ours too.npz")
    first.take_over(folder)
    assert first.names() == ["ours", "ours too", "twice"]
    for number in range(MOST_DECKS):
        save_whole(folder / f"deck {number:02}.npz")
    first.take_over(folder)
    assert len(first.names()) == MOST_DECKS
    assert len(list(folder.glob("deck *.npz"))) == 3


def test_a_service_takes_over_the_files_in_its_folder(tmp_path: Path, url: str, hand: Any) -> None:
    save_whole(tmp_path / "data" / "decks" / "ours.npz")
    made = create_app(Settings(data=tmp_path / "data", database_url=url), Teacher(hand.scene))
    ana = Phone(made, name="Ana's phone")
    assert [line["name"] for line in ana.get("/api/decks").json()] == ["ours"]
    assert ana.http.post("/api/scan?deck=ours", content=hand.picture).status_code == 200
    made.state.database.close()


def test_photos_that_are_added_at_two_services_at_once_both_count(tmp_path: Path, url: str, hand: Any) -> None:
    both = Barrier(2, timeout=PATIENCE_S)

    class AtOnce(Teacher):
        def lesson(self, photo: Photo, names: Sequence[Card | None]) -> Lesson:
            if not self.played:
                both.wait()
            self.played.append(None)
            return super().lesson(photo, names)

    teachers = [AtOnce(hand.scene) for _ in range(2)]
    apps = [
        create_app(Settings(data=tmp_path / str(number), database_url=url), teacher)
        for number, teacher in enumerate(teachers)
    ]
    phones = [Phone(app, name="Ana's phone") for app in apps]
    for phone in phones:
        # Routes are put together at the first request, which two services in one process must not do at once.
        assert add(phone, hand.picture, "XX").status_code == 422
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(add, phones, [hand.picture] * 2, ["AC - -", "2C 3C -"]))
    assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
    assert sorted(len(teacher.played) for teacher in teachers) == [1, 2], "the second has learnt anew"
    for phone in phones:
        (line,) = phone.get("/api/decks").json()
        assert line["confirmed"] == ["AC", "2C", "3C"]
    for app in apps:
        app.state.database.close()


def test_a_deck_that_others_add_to_all_the_time_is_said_in_a_sentence(
    phone_of: Any, hand: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Decks, "put", lambda *_: False)
    answer = add(phone_of(name="Ana's phone"), hand.picture, "AC - -")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "Others are adding photos to the deck 'ours'" in answer.json()["detail"]


def test_a_photo_that_waited_while_its_deck_was_forgotten_says_so(hand: Any, tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="The deck 'ours' was forgotten in the meantime"):
        Here(Teacher(hand.scene), 1).read(hand.picture, Limits(), tmp_path / "ours" / "0123.npz")


def test_a_backup_holds_the_decks(data: Path, run: Any) -> None:
    save_whole(data / "decks" / "ours.npz")
    assert run("deck", "list")[1].startswith("ours: Of 52 indices")
    assert run("games", "backup", "copy.sqlite")[0] == 0
    assert run("deck", "forget", "ours")[0] == 0
    assert run("games", "restore", "copy.sqlite")[0] == 0
    assert run("deck", "list")[1].startswith("ours: Of 52 indices")


def test_decks_that_a_backup_does_not_have_stay_when_it_is_brought_back(data: Path, run: Any) -> None:
    assert run("games", "backup", "copy.sqlite")[0] == 0
    save_whole(data / "decks" / "ours.npz")
    assert run("deck", "list")[1].startswith("ours: Of 52 indices")
    status, out, _ = run("games", "restore", "copy.sqlite")
    assert (status, "What was there before is kept as" in out) == (0, True)
    assert run("deck", "list")[1].startswith("ours: Of 52 indices")
