"""One blocking question at a time, and a limit to how long its answer is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Inquiry(Generic[Answer]):
    """Asks in a thread of its own. While a question hangs, no second one is put: whoever asks waits for the first.

    Args:
        question: what is asked; it may block.
    """

    def __init__(self, question: Callable[[], Answer]) -> None:
        self._question = question
        self._thread = ThreadPoolExecutor(1)
        self._asked: asyncio.Future[Answer] | None = None

    async def answer(self, seconds: float) -> Answer:
        """Return the answer.

        Args:
            seconds: how long it is waited for.

        Raises:
            TimeoutError: if it does not come in time.
            Exception: whatever the question raises.
        """
        if self._asked is None or self._asked.done():
            self._asked = asyncio.get_running_loop().run_in_executor(self._thread, self._question)
            # An error that comes too late is nobody's any more.
            self._asked.add_done_callback(lambda asked: asked.cancelled() or asked.exception())
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self._asked)
