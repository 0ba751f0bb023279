"""The command ``meldsight``. Heavy libraries are imported where they are used, so that it starts at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from api.archive import archive
from api.clusters import clusters
from api.errors import InputError, UsageError
from api.hands import HandScore, ScannedHand, scanned_hand, score_hand
from api.labelled import labelled
from api.rulings import COMMANDS, OptionsOption, RulesOption, rules_in_play
from engine.cards import Card, UnreadableError, parse_cards
from engine.rules import Rules
from vision.scene import Scene

if TYPE_CHECKING:
    from api.scans import Scanner
    from vision.photo import Photo

USAGE, INPUT = 2, 1
"""Exit status of a command that is not understood, and of one whose input cannot be used."""

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp"})
LEAST_ALTERNATIVE = 0.01
"""Chance below which an alternative is not worth a player's attention."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(archive, name="games")
app.add_typer(clusters, name="cluster")
app.add_typer(labelled, name="corrections")


def main() -> NoReturn:
    """Run the command line; an error is one line on stderr."""
    try:
        status = app(prog_name="meldsight", standalone_mode=False)
    except typer.Abort:
        status = 130
    except BrokenPipeError:
        sys.stderr.close()
        status = INPUT
    except InputError as error:
        status = _tell(str(error), USAGE if isinstance(error, UsageError) else INPUT)
    except Exception as error:
        # Typer's own errors, whose classes have no public name in all of its versions.
        if not hasattr(error, "format_message"):
            raise
        status = _tell(f"{error.format_message()} See meldsight --help.", USAGE)
    sys.exit(status or 0)


def _tell(sentence: str, status: int) -> int:
    print(f"meldsight: {' '.join(sentence.split())}", file=sys.stderr)
    return status


@app.callback(invoke_without_command=True)
def meldsight(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Reads hands of cards from photos, scores them, and judges melds.

    Example: meldsight score hand.jpg
    """
    if version:
        from importlib.metadata import version as version_of

        print(f"meldsight {version_of('meldsight')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def score(
    photos: Annotated[
        list[str],
        typer.Argument(metavar="PHOTO", help='Photos, folders of photos, or cards such as "9C KD 3S".'),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON for each photo or list of cards.")
    ] = False,
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Write the photo with every card outlined; with several photos, a folder of them.",
        ),
    ] = None,
    rules: RulesOption = "shanghai",
    options: OptionsOption = None,
) -> None:
    """Score a hand from a photo, or from cards typed as text.

    Examples:

        meldsight score hand.jpg

        meldsight score photos/ --json --annotate outlined/

        meldsight score "9C KD 3S JK"
    """
    played = rules_in_play(rules, options)
    paths, typed = _sorted_arguments(photos)
    if annotate is not None:
        _check_target(annotate, paths)
    done = [
        not typed or _score_typed(typed, played, as_json=as_json),
        not paths or _score_photos(paths, played, as_json=as_json, annotate=annotate),
    ]
    if not all(done):
        raise typer.Exit(INPUT)


@app.command()
def serve(
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen on; 127.0.0.1 unless --lan is given."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Let phones of the local network in, with a QR code to scan."),
    ] = False,
    rules: Annotated[str | None, typer.Option(metavar="NAME", help="Rule system, or a house-rule file.")] = None,
    https: Annotated[
        bool, typer.Option("--https", help="Serve over HTTPS, which live view needs: see docs/https.md.")
    ] = False,
) -> None:
    """Serve the phone page, on this computer only or (--lan) on the local network.

    Example: meldsight serve --lan
    """
    from api.service import run

    run(host or ("0.0.0.0" if lan else "127.0.0.1"), port, rules, https=https)


for _name, _command in COMMANDS.items():
    app.command(_name)(_command)


def _sorted_arguments(arguments: Iterable[str]) -> tuple[list[Path], list[Card]]:
    """Return the photos, and the cards typed, which together are one hand.

    Raises:
        InputError: if an argument is neither.
    """
    paths: list[Path] = []
    cards: list[Card] = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            found = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in SUFFIXES)
            if not found:
                raise InputError(f"The folder {argument} holds no photos ({', '.join(sorted(SUFFIXES))}).")
            paths += found
        elif path.exists():
            paths.append(path)
        else:
            try:
                parsed = parse_cards(argument)
            except UnreadableError:
                parsed = ()
            if not parsed:
                raise InputError(f'{argument!r} is neither a file nor cards such as "9C KD 3S".')
            cards += parsed
    return paths, cards


def _check_target(target: Path, paths: list[Path]) -> None:
    """Raise UsageError where an outlined photo cannot be written, or would replace a photo."""
    if not paths:
        raise UsageError("--annotate needs a photo to draw on.")
    if len(paths) > 1:
        if target.exists() and not target.is_dir():
            raise UsageError(f"With several photos --annotate takes a folder, and {target} is a file.")
        targets = [target / path.name for path in paths]
        if len({path.name for path in paths}) < len(paths):
            raise UsageError("Two of the photos have one name; --annotate would write one over the other.")
    elif target.suffix.lower() not in PICTURES:
        raise UsageError(f"--annotate writes {', '.join(sorted(PICTURES))} files, and {target} is none.")
    else:
        targets = [target]
    written = {path.resolve() for path in targets}
    if written & {path.resolve() for path in paths}:
        raise UsageError("--annotate would write over a photo; give another place.")


def _score_typed(cards: list[Card], played: Rules, *, as_json: bool) -> bool:
    """Print the score of cards given as text; return whether they can be scored."""
    scored = score_hand(cards, played)
    settled = scored.points is not None
    if as_json:
        print(json.dumps({"photo": None, "scene": None, "score": asdict(scored), "settled": settled}))
    else:
        _print_lines(_table(scored))
    return settled


def _score_photos(paths: list[Path], played: Rules, *, as_json: bool, annotate: Path | None) -> bool:
    """Print the hand on each photo; return whether every photo could be read."""
    from vision.photo import PhotoError

    scanner = _scanner()
    done = True
    for path in _with_progress(paths):
        try:
            photo = _photo(path)
        except (PhotoError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            _tell(f"{path}: {reason}", INPUT)
            done = False
            continue
        scene = scanner.scan(photo, packs=played.packs, jokers=played.jokers)
        hand = scanned_hand(scene, played)
        if as_json:
            print(json.dumps({"photo": str(path), **asdict(hand)}), flush=True)
        else:
            _print_lines([str(path), *_hand_lines(hand, scene)])
        if annotate is not None:
            _write_outlined(annotate / path.name if len(paths) > 1 else annotate, photo, scene)
    return done


def _scanner() -> Scanner:
    from vision.scanner import ModelError, Scanner

    try:
        return Scanner.load()
    except ModelError as error:
        raise InputError(str(error)) from error


def _photo(path: Path) -> Photo:
    from vision.photo import MAX_BYTES, read_photo, too_many_bytes

    if path.stat().st_size > MAX_BYTES:
        raise too_many_bytes()
    return read_photo(path.read_bytes())


def _write_outlined(target: Path, photo: Photo, scene: Scene) -> None:
    from PIL import Image

    from vision.drawing import draw

    if target.suffix.lower() not in PICTURES:
        target = target.with_suffix(".jpg")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(draw(photo.pixels, scene)).save(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}.") from error


def _with_progress(paths: list[Path]) -> Iterator[Path]:
    """Yield the photos; while there are several, a bar on stderr says how far it is."""
    if len(paths) == 1:
        yield from paths
        return
    with typer.progressbar(paths, label="Reading", file=sys.stderr) as bar:
        for path in bar:
            if sys.stderr.isatty():
                # Clears the bar's line, so that what is printed next does not run into it.
                print("\r\033[K", end="", file=sys.stderr, flush=True)
            yield path


def _hand_lines(hand: ScannedHand, scene: Scene) -> list[str]:
    doubtful = scene.doubtful
    lines = _table(
        hand.score,
        marks=["?" if place in doubtful else "" for place in range(len(scene.cards))],
        notes=[_alternatives(seen.alternatives) if place in doubtful else "" for place, seen in enumerate(scene.cards)],
    )
    lines += [f"  ? {doubt.text}" for doubt in scene.doubts]
    if scene.cards and not hand.settled:
        lines.append("  Not settled: check the cards marked ? and the sentences above.")
    return lines


def _alternatives(alternatives: Iterable[tuple[Card, float]]) -> str:
    """Return what else a card may be.

    >>> _alternatives([(Card("5S"), 0.31), (Card("8S"), 0.004)])
    'or 5♠ (31 %)'
    """
    likely = [
        f"{card.label} ({chance:.0%})".replace("%", " %")
        for card, chance in alternatives
        if chance >= LEAST_ALTERNATIVE
    ]
    return f"or {', '.join(likely)}" if likely else ""


def _table(scored: HandScore, marks: list[str] | None = None, notes: list[str] | None = None) -> list[str]:
    """Return the lines of a hand: one for each card, then the sum spelt out.

    >>> for line in _table(HandScore(15, (("TD", 10), ("3S", 5)), "10♦ 10 + 3♠ 5 = 15")): print(line)
          10♦  10
           3♠   5
      10♦ 10 + 3♠ 5 = 15
    """
    labels = [Card(code).label for code, _ in scored.parts]
    marks = marks or [""] * len(labels)
    notes = notes or [""] * len(labels)
    wide = max([5, *map(len, labels)])
    lines = [
        f"  {mark:1} {label:>{wide}} {'?' if points is None else points:>3}  {note}".rstrip()
        for label, (_, points), mark, note in zip(labels, scored.parts, marks, notes, strict=True)
    ]
    return [*lines, f"  {scored.text}"]


def _print_lines(lines: Iterable[str]) -> None:
    print("\n".join(lines), flush=True)
