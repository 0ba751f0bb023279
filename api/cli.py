"""The command ``meldsight``. Heavy libraries are imported where they are used, so that it starts at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from api.archive import archive
from api.clusters import clusters
from api.decks import NO_CARD, Taught, lesson_of, names_of, state_of
from api.errors import InputError, UsageError
from api.hands import HandScore, ScannedHand, scanned_hand, score_hand
from api.labelled import labelled
from api.rulings import COMMANDS, OptionsOption, RulesOption, rules_in_play
from engine.cards import Card, UnreadableError, parse_cards
from engine.rules import Rules
from vision.scene import Scene

if TYPE_CHECKING:
    from api.shelf import Shelf
    from vision.deck import LearntDeck
    from vision.photo import Photo
    from vision.scanner import Scanner

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
deck = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Decks learnt from photos of them.",
)
app.add_typer(deck, name="deck")


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
    played_deck: Annotated[
        str | None,
        typer.Option("--deck", metavar="NAME", help="The deck on the photos, where it was learnt: see meldsight deck."),
    ] = None,
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
        not paths or _score_photos(paths, played, as_json=as_json, annotate=annotate, deck_name=played_deck),
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


@deck.command("learn")
def learn_deck(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the deck is called.")],
    photos: Annotated[
        list[Path], typer.Argument(metavar="PHOTO", help="Photos of its cards, laid out so that none covers another.")
    ],
    cards: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The list of what lies on the photos, as it was written and then corrected."),
    ] = None,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the list and the outlined photos go.")] = Path("."),
) -> None:
    """Learn a deck from photos of all its cards, jokers too, in two steps.

    First it writes what it reads: a list, and the photos with every place outlined and numbered. Correct the list, then
    give it back with --cards. Photos can be added later in the same way.

    Examples:

        meldsight deck learn grandma photos/*.jpg

        meldsight deck learn grandma photos/*.jpg --cards grandma-cards.txt
    """
    if len({photo.name for photo in photos}) < len(photos):
        raise UsageError("Two of the photos have one name; the list could not tell them apart.")
    try:
        with _shelf() as shelf:
            shelf.check_room(name)
            if cards is None:
                _survey(name, photos, to)
            else:
                _teach(shelf, name, photos, cards)
    except (ValueError, OSError) as error:
        raise InputError(_reason(error)) from error


@deck.command("list")
def list_decks() -> None:
    """List the decks, and how far each is known.

    Example: meldsight deck list
    """
    from vision.deck import LearntDeck

    with _shelf() as shelf:
        names = shelf.names()
        for name in names:
            try:
                print(f"{name}: {state_of(LearntDeck.open(shelf.file(name)))}")
            except (ValueError, LookupError) as error:
                print(f"{name}: {error}")
        if not names:
            print("No deck was learnt yet.")


@deck.command("forget")
def forget_deck(name: Annotated[str, typer.Argument(metavar="NAME", help="The deck.")]) -> None:
    """Remove a deck, with the pictures of its indices.

    Example: meldsight deck forget grandma
    """
    try:
        with _shelf() as shelf:
            shelf.forget(name)
    except (ValueError, LookupError) as error:
        raise InputError(str(error)) from error


@contextmanager
def _shelf() -> Iterator[Shelf]:
    """Open the decks that the service has too.

    Raises:
        InputError: if the database cannot be used, or others change a deck all the time.
    """
    from api.settings import read_settings
    from api.shelf import CrowdedDeckError, Shelf
    from api.store.database import Database, StoreError
    from api.store.decks import Decks
    from api.store.notices import Notices

    settings = read_settings()
    try:
        with closing(Database(settings.url)) as database:
            shelf = Shelf(Decks(database), Notices(database), settings.deck_files)
            shelf.take_over(settings.decks)
            yield shelf
    except (StoreError, CrowdedDeckError) as error:
        raise InputError(str(error)) from error


def _learnt(scanner: Scanner, name: str) -> LearntDeck:
    try:
        with _shelf() as shelf:
            return scanner.deck(shelf.file(name))
    except (ValueError, LookupError) as error:
        raise InputError(str(error)) from error


def _survey(name: str, photos: list[Path], to: Path) -> None:
    """Write what is read on photos of a deck: a list, and the photos with its places numbered."""
    from PIL import Image

    from vision.drawing import draw

    scanner = _scanner()
    target = to / f"{name}-cards.txt"
    if target.exists():
        raise UsageError(f"{target} is there already: give it back with --cards, or remove it.")
    to.mkdir(parents=True, exist_ok=True)
    lines = [
        f"# What was read, place after place; the outlined photos number the places. Correct it: {NO_CARD} is no card,",
        "# JK is any joker, ? is nothing to learn from. A card that was found at both ends apart stands here twice.",
    ]
    for path in _with_progress(photos):
        photo = _photo(path)
        scene = scanner.survey(photo)
        lines.append(f"{path.name}: {' '.join(seen.card.code for seen in scene.cards)}".rstrip())
        outlined = to / f"{name}-{path.stem}-outlined.jpg"
        Image.fromarray(draw(photo.pixels, scene, numbered=True)).save(outlined)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Correct {target} by the outlined photos beside it, then give it back with --cards {target}.")


def _teach(shelf: Shelf, name: str, photos: list[Path], cards: Path) -> None:
    """Add photos to a deck: all of them or none."""
    from vision.deck import Lesson

    scanner = _scanner()
    named: dict[str, list[Card | None]] = {}
    for line in cards.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            photo_name, _, text = line.rpartition(":")
            named[photo_name.strip()] = names_of(text)
    lesson = Lesson.none()
    for photo in _with_progress(photos):
        if photo.name not in named:
            raise UsageError(f"{cards} says nothing of {photo.name}.")
        try:
            lesson = lesson.joined(scanner.lesson(_photo(photo), named[photo.name]))
        except ValueError as error:
            raise InputError(f"{photo.name}: {error}") from error
    taught = shelf.add(name, lambda before: Taught.of(scanner.learn(name, lesson_of(before).joined(lesson))))
    print(taught.line.text)


def _reason(error: ValueError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error)


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


def _score_photos(
    paths: list[Path], played: Rules, *, as_json: bool, annotate: Path | None, deck_name: str | None
) -> bool:
    """Print the hand on each photo; return whether every photo could be read."""
    from vision.limits import Limits
    from vision.photo import PhotoError

    scanner = _scanner()
    known = {} if deck_name is None else {"deck": _learnt(scanner, deck_name)}
    done = True
    for path in _with_progress(paths):
        try:
            photo = _photo(path)
        except (PhotoError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            _tell(f"{path}: {reason}", INPUT)
            done = False
            continue
        scene = scanner.scan(photo, limits=Limits(played.packs, played.jokers), **known)
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
