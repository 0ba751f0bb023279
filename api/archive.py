"""``meldsight games``: the games of this computer listed, written to files, kept safe, brought back."""

from __future__ import annotations

import json
import shutil
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.errors import InputError, UsageError

if TYPE_CHECKING:
    from api.store.database import Database

archive = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="Games on this computer.")


def _open() -> Database:
    from api.settings import read_settings
    from api.store.database import Database, StoreError

    try:
        return Database(read_settings().url)
    except StoreError as error:
        raise InputError(str(error)) from error


@archive.command("list")
def list_games() -> None:
    """List the games, the last played first.

    Example: meldsight games list
    """
    from api.scoreboard import game_line
    from api.store.games import Games

    games = Games(_open())
    found = [record for record in (games.record(game) for game, _ in games.ids()) if record]
    for record in found:
        line = game_line(record, "host")
        state = f"won by {' and '.join(line.winners)}" if line.finished else f"round {line.round} of {line.rounds}"
        print(f"{line.id}  {line.changed[:10]}  {line.name}: {state}")
    if not found:
        print("There are no games yet.")


@archive.command("export")
def export_games(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Games to export; all unless named.")
    ] = None,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")] = Path("."),
) -> None:
    """Write games to files, one each: every entry as JSON.

    Example: meldsight games export --to evenings/
    """
    from api.exports import to_json
    from api.store.games import Games

    kept = Games(_open())
    to.mkdir(parents=True, exist_ok=True)
    for game in games or [game for game, _ in kept.ids()]:
        record = kept.record(game)
        if record is None:
            raise InputError(f"There is no game {game}; meldsight games list says which there are.")
        target = to / f"meldsight-{game}.json"
        target.write_text(json.dumps(to_json(record), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(target)


@archive.command("backup")
def back_up(
    target: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Where the copy goes.")] = None,
) -> None:
    """Copy all games to one file, also while the service runs; the copy is checked.

    Example: meldsight games backup /media/stick/games.sqlite
    """
    from api.store.database import StoreError

    database = _open()
    if not database.is_sqlite:
        raise UsageError("The games are in PostgreSQL: back them up with pg_dump, or use meldsight games export.")
    made = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    target = target or database.path.parent / "backups" / f"games-{made}.sqlite"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        database.copy_to(target)
    except StoreError as error:
        raise InputError(str(error)) from error
    print(target)


@archive.command("restore")
def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A backup, or an exported game (.json).")],
) -> None:
    """Bring back a backup in place of all games, or add one exported game. Stop the service first.

    What was there before a backup is brought back is kept beside it. Decks that the backup does not have stay.

    Example: meldsight games restore games-20261130-210000.sqlite
    """
    from api.settings import read_settings
    from api.store.alone import TakenError, only_service
    from api.store.database import Database, StoreError, check_file, copy_file
    from api.store.games import Games

    if not source.is_file():
        raise InputError(f"There is no file {source}.")
    if source.suffix == ".json":
        _restore_game(source)
        return
    settings = read_settings()
    if settings.database_url is not None:
        raise UsageError("The games are in a database of your own: bring it back with its own tools.")
    try:
        check_file(source)
        target = Path(settings.url.removeprefix("sqlite:///"))
        with only_service(settings.url):
            kept = _put_aside(target)
            copy_file(source, target)
            # A backup of an older version is brought up to date at once; one of a newer version is refused.
            try:
                database = Database(settings.url)
            except StoreError:
                target.unlink()
                if kept:
                    shutil.move(kept, target)
                raise
            if kept:
                _bring_decks(kept, database)
            count = len(Games(database).ids())
    except TakenError:
        raise InputError(f"A service uses {target}: stop it first, then restore again. Nothing was changed.") from None
    except StoreError as error:
        raise InputError(str(error)) from error
    print(f"{count} games are back." + (f" What was there before is kept as {kept}." if kept else ""))


def _bring_decks(kept: Path, restored: Database) -> None:
    """Bring the decks along that a backup does not have: they are newer, or it is older than decks in databases."""
    from api.store.database import Database, StoreError
    from api.store.decks import Decks, TooManyDecksError

    try:
        before = Database(f"sqlite:///{kept}")
    except StoreError:
        # A newer version has left it; its decks stay there.
        return
    with closing(before), suppress(TooManyDecksError):
        decks = Decks(before)
        for name in decks.names():
            content = decks.content(name)
            if content is not None:
                Decks(restored).put(name, content, None)


def _restore_game(source: Path) -> None:
    from api.exports import from_json
    from api.store.games import Games

    database = _open()
    games = Games(database)
    try:
        record = from_json(source.read_text(encoding="utf-8"))
        games.restore(record)
    except ValueError as error:
        raise InputError(f"{source}: {error}") from error
    print(f"The game is back. {_host_code(database, record.id)}")


@archive.command("host")
def make_host(game: Annotated[str, typer.Argument(metavar="ID", help="The game.")]) -> None:
    """Print a code that makes a phone the host of a game: after a restore, or where the host's phone is lost.

    Example: meldsight games host Zk3vQ8pW1aB0
    """
    from api.store.games import Games

    database = _open()
    if Games(database).record(game) is None:
        raise InputError(f"There is no game {game}; meldsight games list says which there are.")
    print(_host_code(database, game))


def _host_code(database: Database, game: str) -> str:
    from api.invitations import Invitations
    from api.store.games import Games
    from api.store.guesses import MINUTES, Guesses

    code = Invitations(Games(database), Guesses(database)).make(game, "host").code
    return f"Type {code} on the phone that is to be its host, within {MINUTES} minutes."


def _put_aside(target: Path) -> Path | None:
    """Move the games of now beside, with what their log holds; return where they are."""
    from api.store.database import copy_file

    if not target.exists():
        return None
    made = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
    aside = target.with_name(f"{target.stem}-before-restore-{made}{target.suffix}")
    copy_file(target, aside)
    for suffix in ("", "-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    return aside
