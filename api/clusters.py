"""``meldsight cluster``: a detector tier on this computer, started, looked at, stopped."""

from __future__ import annotations

from typing import Annotated

import typer

from api.errors import InputError

clusters = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="A detector tier for many tables."
)


@clusters.command("up")
def up(
    replicas: Annotated[int, typer.Option(min=1, max=1000, help="Replicas that always run.")] = 1,
    most: Annotated[int, typer.Option(min=0, max=1000, help="Replicas that it may grow to; as many unless given.")] = 0,
    cpus: Annotated[float, typer.Option(min=0.1, help="Processors of each replica, such as 0.5.")] = 1.0,
    gpus: Annotated[float, typer.Option(min=0, help="Graphics processors of each replica, such as 0.25.")] = 0.0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8100,
) -> None:
    """Start Ray and the detector tier, and print what the service is told.

    Example: meldsight cluster up --replicas 2
    """
    from cluster.local import ClusterError, Plan
    from cluster.local import up as start

    try:
        address = start(Plan(replicas, max(replicas, most), cpus, gpus), host, port)
    except ClusterError as error:
        raise InputError(str(error)) from error
    print(f"The detector tier is ready. Services use it with MELDSIGHT_DETECTOR={address}")


@clusters.command("status")
def status() -> None:
    """Say how many replicas answer.

    Example: meldsight cluster status
    """
    from cluster.local import ClusterError
    from cluster.local import status as state

    try:
        found = state()
    except ClusterError as error:
        raise InputError(str(error)) from error
    print(f"{found.status.lower().replace('_', ' ')}: {found.running} of {found.wanted} replicas answer")


@clusters.command("down")
def down() -> None:
    """Stop the detector tier and Ray.

    Example: meldsight cluster down
    """
    from cluster.local import ClusterError
    from cluster.local import down as stop

    try:
        stop()
    except ClusterError as error:
        raise InputError(str(error)) from error
    print("The detector tier is stopped.")
