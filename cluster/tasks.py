"""Work of many alike parts on Ray: the same results, in the same order, as one process would give."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 5
"""How often a part is done anew whose worker was lost."""
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
