"""Work of many alike parts on Ray: the same results, in the same order, as one process would give."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 5
"""How often a part is done anew whose worker was lost."""
TOKEN = Path.home() / ".ray" / "auth_token"
"""Where Ray keeps what lets this user into its clusters."""
WAITING = 4
"""Parts handed out for each processor, so that none waits and little is held in memory."""


def in_order(work: Callable[[Item], Result], items: Iterable[Item], address: str) -> Iterator[Result]:
    """Yield what ``work`` returns for each item, in order, done by the workers of a Ray cluster.

    A part whose worker is killed is done again by another one.

    Args:
        work: a function of the project, or a partial of one; its workers import the project by themselves.
        items: what it is called with.
        address: of Ray's head as ``ray.init`` takes it, ``auto`` for the one of this computer, ``local`` for one of
            its own.

    Raises:
        ConnectionError: if there is no cluster.
    """
    # A cluster asks for a token; who joins it looks for one only when told to.
    if "RAY_AUTH_TOKEN" in os.environ or TOKEN.exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    import ray

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    task = ray.remote(max_retries=TRIES, num_cpus=1)(work_of)
    shared = ray.put(work)
    most = WAITING * max(1, int(ray.cluster_resources().get("CPU", 1)))
    running: deque[ray.ObjectRef] = deque()
    for item in items:
        running.append(task.remote(shared, item))
        if len(running) >= most:
            yield ray.get(running.popleft())
    while running:
        yield ray.get(running.popleft())


def work_of(work: Callable[[Item], Result], item: Item) -> Result:
    """Return what a piece of work gives; what a worker of Ray calls."""
    return work(item)
