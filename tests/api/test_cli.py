"""The command line, as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from api import cli
from vision.photo import read_photo
from vision.scene import Scene

ROOT = Path(__file__).parents[2]


@pytest.fixture
def picture(tmp_path: Path, hand: Any) -> Path:
    path = tmp_path / "hand.png"
    path.write_bytes(hand.picture)
    return path


def sentence(err: str) -> str:
    """The only line on stderr."""
    (line,) = err.splitlines()
    assert line.startswith("meldsight: ")
    return line


def test_a_photo_is_scored(run: Any, picture: Path, hand: Any, scanner_of: Any) -> None:
    status, out, err = run("score", str(picture), scanner=scanner_of(hand.scene))
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        str(picture),
        "       9♣  10",
        "       K♦  10",
        "       3♠   5",
        "  9♣ 10 + K♦ 10 + 3♠ 5 = 25",
    ]


def test_doubts_are_marked_and_explained(run: Any, picture: Path, doubtful_hand: Any, scanner_of: Any) -> None:
    status, out, _ = run("score", str(picture), scanner=scanner_of(doubtful_hand.scene))
    assert status == 0
    assert "  ?    3♠   5  or 5♠ (30 %), 8♠ (15 %)" in out.splitlines()
    assert "  ? This may be the 3♠ or the 5♠: which is it?" in out.splitlines()
    assert "Not settled" in out.splitlines()[-1]


def test_no_cards_get_advice_and_no_score(run: Any, picture: Path, scanner_of: Any) -> None:
    status, out, _ = run("score", str(picture), scanner=scanner_of(Scene((1200, 900))))
    assert status == 0
    assert "No cards were found." in out
    assert "0" not in out.replace(str(picture), "")


def test_json_has_the_scene_and_the_score(run: Any, picture: Path, doubtful_hand: Any, scanner_of: Any) -> None:
    _, out, _ = run("score", "--json", str(picture), scanner=scanner_of(doubtful_hand.scene))
    told = json.loads(out)
    assert set(told) == {"photo", "scene", "score", "settled"}
    assert told["photo"] == str(picture)
    assert Scene.from_json(told["scene"]) == doubtful_hand.scene
    assert told["score"]["points"] == 85
    assert told["score"]["parts"][2] == ["3S", 5]
    assert told["settled"] is False


@pytest.mark.parametrize("arguments", [["9C KD 3S"], ["9C", "KD", "3S"], ["9♣,K♦", "3s"]])
def test_typed_cards_are_one_hand(run: Any, arguments: list[str]) -> None:
    status, out, _ = run("score", *arguments)
    assert status == 0
    assert out.splitlines()[-1] == "  9♣ 10 + K♦ 10 + 3♠ 5 = 25"


def test_typed_cards_as_json(run: Any) -> None:
    _, out, _ = run("score", "--json", "TD JK")
    told = json.loads(out)
    assert told["photo"] is told["scene"] is None
    assert told["score"] == {
        "points": 60,
        "parts": [["TD", 10], ["JK", 50]],
        "text": "10♦ 10 + Joker 50 = 60",
    }


def test_a_hand_that_cannot_be_is_not_scored(run: Any) -> None:
    status, out, _ = run("score", "8C 8C 8C")
    assert status == 1
    assert "cannot be" in out


def test_a_file_is_a_photo_even_if_its_name_reads_as_cards(
    run: Any, picture: Path, hand: Any, scanner_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(picture.parent)
    picture.rename(picture.with_name("9C"))
    _, out, _ = run("score", "9C", scanner=scanner_of(hand.scene))
    assert out.splitlines()[-1].endswith("= 25")


def test_a_folder_is_scored_with_progress_on_stderr(run: Any, picture: Path, hand: Any, scanner_of: Any) -> None:
    (picture.parent / "b.PNG").write_bytes(hand.picture)
    (picture.parent / "notes.txt").write_text("9C")
    scanner = scanner_of(hand.scene)
    status, out, err = run("score", "--json", str(picture.parent), scanner=scanner)
    assert status == 0
    assert [Path(json.loads(line)["photo"]).name for line in out.splitlines()] == ["b.PNG", "hand.png"]
    assert "Reading" in err


def test_one_bad_photo_does_not_stop_the_others(
    run: Any, picture: Path, hand: Any, scanner_of: Any, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"dear sir")
    status, out, err = run("score", "--json", str(bad), str(picture), scanner=scanner_of(hand.scene))
    assert status == 1
    assert len(out.splitlines()) == 1
    assert f"{bad}: This is not a picture" in err


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp"])
def test_the_outlined_photo_is_written(run: Any, picture: Path, doubtful_hand: Any, scanner_of: Any, kind: str) -> None:
    target = picture.parent / "new" / f"out{kind}"
    status, _, err = run("score", str(picture), "--annotate", str(target), scanner=scanner_of(doubtful_hand.scene))
    assert (status, err) == (0, "")
    drawn, plain = read_photo(target.read_bytes()), read_photo(picture.read_bytes())
    assert drawn.size_wh == plain.size_wh
    changed = (abs(drawn.pixels.astype(int) - plain.pixels).max(axis=2) > 60).mean()
    assert 0.001 < changed < 0.5


def test_outlined_photos_go_into_a_folder(run: Any, picture: Path, hand: Any, scanner_of: Any) -> None:
    second = picture.with_name("second.png")
    second.write_bytes(hand.picture)
    target = picture.parent / "outlined"
    run("score", str(picture), str(second), "--annotate", str(target), scanner=scanner_of(hand.scene))
    assert sorted(path.name for path in target.iterdir()) == ["hand.png", "second.png"]


def test_a_photo_is_never_written_over(run: Any, picture: Path) -> None:
    before = picture.read_bytes()
    status, _, err = run("score", str(picture), "--annotate", str(picture))
    assert status == 2
    assert "write over a photo" in sentence(err)
    assert picture.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["score"], 2, "PHOTO"),
        (["score", "--nope"], 2, "--nope"),
        (["bogus"], 2, "bogus"),
        (["score", "9C", "--rules", "nix"], 2, "no rules named 'nix'"),
        (["score", "missing.jpg"], 1, "neither a file nor cards"),
        (["score", "9C ZZ"], 1, "neither a file nor cards"),
        (["score", "9C", "--annotate", "out.png"], 2, "needs a photo"),
        (["serve", "--port", "99999"], 2, "--port"),
        (["serve", "--host", "my-house"], 2, "IP address"),
    ],
)
def test_an_error_is_one_line_and_a_status(run: Any, arguments: list[str], status: int, words: str) -> None:
    ended, out, err = run(*arguments)
    assert (ended, out) == (status, "")
    assert words in sentence(err)


def test_an_empty_folder_is_an_error(run: Any, tmp_path: Path) -> None:
    status, _, err = run("score", str(tmp_path))
    assert status == 1
    assert "holds no photos" in sentence(err)


def test_a_house_rule_file_with_a_typo_is_bad_input(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('extends = "shanghai"\npakcs = 2  # our table\n')
    status, _, err = run("score", "9C", "--rules", str(path))
    assert status == 1
    assert "pakcs" in sentence(err)


@pytest.mark.parametrize(("name", "words"), [("note.jpg", "not a picture"), ("hand.gif", "GIF")])
def test_a_photo_that_cannot_be_read_is_one_line(
    run: Any, tmp_path: Path, name: str, words: str, hand: Any, scanner_of: Any
) -> None:
    path = tmp_path / name
    if name.endswith(".gif"):
        Image.new("RGB", (8, 8)).save(path)
    else:
        path.write_text("dear sir")
    status, out, err = run("score", str(path), scanner=scanner_of(hand.scene))
    assert (status, out) == (1, "")
    assert words in sentence(err)


def test_a_file_above_the_limit_is_not_even_read(run: Any, tmp_path: Path, hand: Any, scanner_of: Any) -> None:
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(16_000_000_000)
    status, _, err = run("score", str(path), scanner=scanner_of(hand.scene))
    assert status == 1
    assert "larger than 15 MB" in sentence(err)


@pytest.mark.parametrize("command", [[], ["score"], ["serve"]])
def test_help_shows_an_example(run: Any, command: list[str]) -> None:
    status, out, _ = run(*command, "--help")
    assert status == 0
    assert f"meldsight {' '.join(command)}" in out.split("Example")[1]


def test_missing_weights_are_said_in_one_sentence(
    picture: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from vision.scanner import Scanner

    load = Scanner.load
    monkeypatch.setattr(Scanner, "load", lambda: load(picture.parent))
    monkeypatch.setattr(sys, "argv", ["meldsight", "score", str(picture)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert "manifest.json is missing" in sentence(capsys.readouterr().err)


def test_the_command_starts_without_the_heavy_libraries() -> None:
    """Scoring typed cards must not wait for the web framework, or for anything that looks at pictures."""
    code = (
        "import sys; sys.argv = ['meldsight', 'score', '9C']\n"
        "from api import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'fastapi', 'cv2', 'numpy', 'onnxruntime', 'uvicorn', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
