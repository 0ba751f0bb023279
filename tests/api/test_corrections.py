"""Photos that players give for training: kept only where that is switched on, without a trace of who or where."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from api import corrections
from api.app import create_app
from api.corrections import Correction, CorrectionError, Corrections
from api.settings import Settings
from engine.cards import Card, parse_cards
from tests.api.conftest import Phone
from vision.photo import read_photo
from vision.scene import SeenCard, SeenCorner

GPS, MAKE = 0x8825, 0x010F


@pytest.fixture
def given(tmp_path: Path, hand: Any, scanner_of: Any) -> tuple[Phone, Path]:
    """A phone at a service that keeps corrections, and their folder."""
    folder = tmp_path / "given"
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'games.sqlite'}", canary_minutes=0, keep_corrections=folder
    )
    return Phone(create_app(settings, scanner_of(hand.scene))), folder


def give(phone: Phone, photo: bytes, **query: str) -> Any:
    return phone.http.post("/api/corrections", params=query, content=photo)


RIGHT = {"read": "9C KD 3S", "cards": "9C KD 5S"}


def test_a_corrected_photo_is_kept_with_what_a_person_said(given: tuple[Phone, Path], hand: Any) -> None:
    phone, folder = given
    assert phone.get("/api/me").json()["keeps"] is True
    assert give(phone, hand.picture, read="9C KD 3S", cards="9C - 5S", added="JK").status_code == 204
    (label,) = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    assert label["read"] == ["9C", "KD", "3S"]
    assert label["cards"] == ["9C", "5S", "JK"]
    boxes = {code: box for code, *box in label["boxes"]}
    assert boxes == {"9C": list(hand.scene.corners[0].box), "5S": list(hand.scene.corners[2].box)}
    kept = read_photo((folder / label["photo"]).read_bytes())
    assert kept.size_wh == tuple(label["size"]) == hand.scene.size_wh
    (photo,) = Corrections(folder)
    assert photo.cards == parse_cards("9C 5S JK")
    assert not photo.is_whole


def test_the_same_photo_is_kept_once(given: tuple[Phone, Path], hand: Any) -> None:
    phone, folder = given
    for cards in ("9C KD 5S", "9C KD 8S"):
        assert give(phone, hand.picture, read="9C KD 3S", cards=cards).status_code == 204
    (photo,) = Corrections(folder)
    assert photo.cards == parse_cards("9C KD 8S")
    assert len(list(folder.iterdir())) == 2


def test_nothing_says_who_gave_it_where_and_when(given: tuple[Phone, Path], hand: Any) -> None:
    phone, folder = given
    picture = Image.open(io.BytesIO(hand.picture)).convert("RGB")
    exif = Image.Exif()
    exif[MAKE] = "Phone of Xanthippe"
    exif.get_ifd(GPS)[2] = (48.0, 8.0, 14.0)
    target = io.BytesIO()
    picture.save(target, "JPEG", exif=exif, comment=b"Xanthippe")
    assert b"Xanthippe" in target.getvalue()
    assert give(phone, target.getvalue(), **RIGHT).status_code == 204
    (photo,) = folder.glob("*.jpg")
    assert not Image.open(io.BytesIO(photo.read_bytes())).getexif()
    device = phone.get("/api/me").json()["device"]
    for path in folder.iterdir():
        assert b"Xanthippe" not in path.read_bytes()
        assert device.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"read": "9C KD 3S", "cards": "9C KD 3S"}, "Nothing was corrected"),
        ({"read": "9C KD 3S", "cards": "9C KD"}, "3 cards were read, and 2"),
        ({"read": "9C KD 3S", "cards": "9C KD ?"}, "still unread"),
        ({"read": "9C KD 4S", "cards": "9C KD 5S"}, "reads otherwise"),
        ({"read": "9C KD 3S", "cards": "9C KD XX"}, "XX"),
    ],
)
def test_what_does_not_fit_is_not_kept(given: tuple[Phone, Path], hand: Any, query: dict[str, str], words: str) -> None:
    phone, folder = given
    answer = give(phone, hand.picture, **query)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert not folder.exists()


def test_what_is_no_photo_is_not_kept(given: tuple[Phone, Path]) -> None:
    phone, folder = given
    assert give(phone, b"dear sir", **RIGHT).status_code == 422
    assert not folder.exists()


def test_a_service_keeps_no_photo_unless_told_to(tmp_path: Path, hand: Any, scanner_of: Any) -> None:
    settings = Settings(data=tmp_path, canary_minutes=0)
    phone = Phone(create_app(settings, scanner_of(hand.scene)))
    assert phone.get("/api/me").json()["keeps"] is False
    assert "keeps no photos" in give(phone, hand.picture, **RIGHT).json()["detail"]
    assert phone.http.post("/api/scan", content=hand.picture).status_code == 200
    assert {path.name.split(".")[0] for path in tmp_path.iterdir()} == {"games"}


def test_a_scan_keeps_no_photo_where_corrections_are_kept(given: tuple[Phone, Path], hand: Any) -> None:
    phone, folder = given
    game = phone.start()
    assert phone.http.post(f"/api/scan?game={game}", content=hand.picture).status_code == 200
    phone.hand(game, 1, "Ana", "9C KD 5S", scanned="9C KD 3S")
    assert not folder.exists()


def test_there_is_an_end_to_what_is_kept(given: tuple[Phone, Path], hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    phone, folder = given
    monkeypatch.setattr(corrections, "MOST_PHOTOS", 1)
    assert give(phone, hand.picture, **RIGHT).status_code == 204
    answer = give(phone, hand.picture, **RIGHT)
    assert answer.status_code == 507
    assert "kept already" in answer.json()["detail"]
    assert len(list(folder.iterdir())) == 2


# The command ---------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, fan: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two corrected photos: one whole, one to which a card was added."""
    made = tmp_path / "given"
    for cards, put, added in (("9C KD", "8C KD", ""), ("4D 5D", "4D -", "JK")):
        drawn = fan(parse_cards(cards))
        correction = Correction.of(cards.split(), put.split(), added.split())
        Corrections(made).keep(read_photo(drawn.picture), drawn.scene, correction)
    monkeypatch.setenv("MELDSIGHT_KEEP_CORRECTIONS", str(made))
    return made


def whole_of(folder: Path) -> Any:
    return next(photo for photo in Corrections(folder) if photo.is_whole)


def test_a_set_for_yolo_has_the_boxes_of_the_confirmed_cards(run: Any, folder: Path, tmp_path: Path) -> None:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")
    to = tmp_path / "set"
    status, out, _ = run("corrections", "export", "--to", str(to), "--as", "yolo")
    assert (status, out.strip()) == (0, f"1 photos are in {to}; 1 with cards that have no box are left out.")
    whole = whole_of(folder)
    (image,) = (to / "images").iterdir()
    assert image.read_bytes() == whole.photo.read_bytes()
    names = yaml.safe_load((to / "data.yaml").read_text())["names"]
    assert len(names) == 53
    lines = (to / "labels" / f"{image.stem}.txt").read_text().splitlines()
    width, height = whole.size_wh
    for line, (card, box) in zip(lines, whole.boxes, strict=True):
        kind, x, y, wide, high = line.split()
        assert names[int(kind)] == card.code
        found = [
            (float(x) - float(wide) / 2) * width,
            (float(y) - float(high) / 2) * height,
            (float(x) + float(wide) / 2) * width,
            (float(y) + float(high) / 2) * height,
        ]
        assert found == pytest.approx(box, abs=0.01)
    assert [card for card, _ in whole.boxes] == [Card("8C"), Card("KD")]


def test_a_set_for_label_studio_has_rectangles_in_per_cent(run: Any, folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "set"
    status, out, _ = run("corrections", "export", "--to", str(to), "--as", "labelstudio")
    assert (status, out.strip()) == (0, f"2 photos are in {to}.")
    tasks = json.loads((to / "tasks.json").read_text())
    whole = whole_of(folder)
    (task,) = [each for each in tasks if each["data"]["image"].endswith(f"?d=images/{whole.photo.name}")]
    assert task["data"]["cards"] == "8C KD"
    width, height = whole.size_wh
    for rectangle, (card, box) in zip(task["annotations"][0]["result"], whole.boxes, strict=True):
        value = rectangle["value"]
        assert value["rectanglelabels"] == [card.code]
        assert (rectangle["original_width"], rectangle["original_height"]) == (width, height)
        right, low = value["x"] + value["width"], value["y"] + value["height"]
        found = [value["x"] * width, value["y"] * height, right * width, low * height]
        assert [each / 100 for each in found] == pytest.approx(box, abs=0.01)
    other = next(each for each in tasks if each is not task)
    assert other["data"]["cards"] == "4D JK"
    assert [each["value"]["rectanglelabels"] for each in other["annotations"][0]["result"]] == [["4D"]]
    interface = (to / "interface.xml").read_text()
    assert interface.count("<Label ") == 53


@pytest.mark.usefixtures("folder")
def test_an_export_writes_over_nothing_and_says_what_is_missing(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "set" / "images").mkdir(parents=True)
    status, _, err = run("corrections", "export", "--to", str(tmp_path / "set"))
    assert (status, "is there already" in err) == (1, True)
    monkeypatch.setenv("MELDSIGHT_KEEP_CORRECTIONS", str(tmp_path / "nothing"))
    status, _, err = run("corrections", "export", "--to", str(tmp_path / "other"))
    assert (status, "no corrected photos" in err) == (1, True)
    monkeypatch.delenv("MELDSIGHT_KEEP_CORRECTIONS")
    status, _, err = run("corrections", "export", "--to", str(tmp_path / "other"))
    assert (status, "MELDSIGHT_KEEP_CORRECTIONS" in err) == (2, True)
    assert not (tmp_path / "other").exists()


def test_a_damaged_label_is_named(folder: Path) -> None:
    path = next(folder.glob("*.json"))
    path.write_text("{}")
    with pytest.raises(CorrectionError, match=path.name):
        list(Corrections(folder))


def test_every_index_of_a_card_carries_its_card() -> None:
    from api.corrections import labelled_boxes
    from vision.scene import Scene

    quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    corners = tuple(SeenCorner((place, 0.0, place + 1.0, 1.0), Card("9C"), 1.0) for place in range(3))
    cards = (SeenCard(Card("9C"), 1.0, quad, (), (0, 2)), SeenCard(Card("9C"), 1.0, quad, (), (1,)))
    found = labelled_boxes(Scene((9, 9), cards, ((0, 1),), corners), Correction.of(["9C", "9C"], ["8C", "9C"], []))
    assert [(card.code, box[0]) for card, box in found] == [("8C", 0), ("8C", 2), ("9C", 1)]
