"""The detector tier: the networks' graphs on other computers (``cluster.serving``), asked over HTTP.

What the tier does not answer in time, or answers wrongly, is computed here by the same weights, as a stage that is
measured: a scan is late then, never lost.
"""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from vision.graph import Graph
from vision.stages import stage

if TYPE_CHECKING:
    import urllib3

SCHEME = "ray"
CONNECT_S = 1.0
"""How long the tier may take to accept a connection."""
ANSWER_S = 5.0
"""How long it may take to answer; a graph needs less than half a second."""
TRIES = 2
"""How often it is asked, with the same key, before the own graph answers."""
AWAY_S = 15.0
"""How long a tier that has failed is left alone."""
WEIGHTS = "Meldsight-Weights"
"""Header that names the weights asked for by their SHA-256: by others, thresholds would not fit."""

_log = logging.getLogger("meldsight")


class TierError(RuntimeError):
    """A tier that cannot be asked, or does not answer as it should."""


def packed(arrays: Sequence[NDArray[np.generic]]) -> bytes:
    """Return arrays as bytes: NumPy's own form, one behind the other.

    >>> [array.tolist() for array in unpacked(packed([np.arange(3), np.zeros((1, 2))]))]
    [[0, 1, 2], [[0.0, 0.0]]]
    """
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def unpacked(data: bytes) -> list[NDArray[np.generic]]:
    """Return the arrays that such bytes hold.

    Raises:
        ValueError: if they are cut short or something else.
    """
    file = io.BytesIO(data)
    arrays = []
    while file.tell() < len(data):
        arrays.append(np.load(file, allow_pickle=False))
    return arrays


class Tier:
    """A detector tier; safe to share between threads.

    Args:
        address: ``ray://HOST:PORT``, where Ray Serve listens for HTTP.

    Raises:
        TierError: if the address is none, or the package that asks is missing.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if parts.scheme != SCHEME or not host or not port or parts.path.strip("/"):
            raise TierError(f"A detector tier is given as {SCHEME}://HOST:PORT, not {address!r}.")
        try:
            import urllib3
        except ModuleNotFoundError:
            raise TierError("A detector tier needs one more package: pip install 'meldsight[tier]'.") from None
        self._address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._pool: urllib3.PoolManager = urllib3.PoolManager(
            maxsize=16,
            timeout=urllib3.Timeout(connect=CONNECT_S, read=ANSWER_S),
            # Graphs have no memory, so asking again does no harm; the key tells logs that it is the same question.
            retries=urllib3.Retry(TRIES - 1, allowed_methods=None, status_forcelist=(500, 502, 503, 504), redirect=0),
        )
        self._away_until = 0.0

    def run(self, name: str, sha256: str, pictures: NDArray[np.uint8], own: Graph) -> list[NDArray[np.float32]]:
        """Return what a graph of the tier says of pictures, or, if it cannot be had, the own graph.

        Args:
            name: ``detector`` or ``reader``.
            sha256: of the graph's file.
            pictures: see ``Graph.run``.
            own: the same graph here.
        """
        if time.monotonic() >= self._away_until:
            try:
                return self._ask(name, sha256, pictures)
            except TierError as error:
                _log.warning("the detector tier is left alone for %d seconds: %s", AWAY_S, error)
                self._away_until = time.monotonic() + AWAY_S
        with stage("fallback"):
            return own.run(pictures)

    def _ask(self, name: str, sha256: str, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        import urllib3

        headers = {"X-Request-ID": uuid4().hex, WEIGHTS: sha256, "Content-Type": "application/octet-stream"}
        try:
            answer = self._pool.request("POST", f"{self._address}/{name}", body=packed([pictures]), headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise TierError(f"it does not answer ({type(error).__name__}).") from error
        if answer.status != 200:
            raise TierError(f"it answers {answer.status}: {answer.data[:200].decode(errors='replace')}")
        try:
            outputs = [np.asarray(array, np.float32) for array in unpacked(answer.data)]
        except (ValueError, EOFError, OSError) as error:
            raise TierError("its answer cannot be read.") from error
        # A tier that answers nothing must not pass for a table without cards.
        if not outputs or any(len(output) != len(pictures) or not output.size for output in outputs):
            raise TierError("its answer does not fit the pictures.")
        return outputs


class TierGraph:
    """One graph of a tier, with the own one behind it.

    Args:
        tier: who is asked.
        name: ``detector`` or ``reader``.
        sha256: of the graph's file.
        own: the same graph in this process.
    """

    def __init__(self, tier: Tier, name: str, sha256: str, own: Graph) -> None:
        self._tier = tier
        self._name = name
        self._sha256 = sha256
        self._own = own

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """See ``Graph.run``."""
        return self._tier.run(self._name, self._sha256, pictures, self._own)
