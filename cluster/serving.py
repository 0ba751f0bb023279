"""The detector tier as an application of Ray Serve: ``POST /detector`` and ``POST /reader``, arrays in, arrays out.

Only the networks' graphs run here. Decoding photos, judging and recording stay with the service, which asks by
``vision.tier`` and computes by itself what is not answered. KubeRay takes ``cluster.serving:app`` as it is.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray import serve
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from vision.graph import OnnxGraph
from vision.scanner import MODELS, checked
from vision.tier import WEIGHTS, packed, unpacked

GRAPHS = {"detector": 3, "reader": 6}
"""The graphs, and how many channels their pictures have."""
MOST_BYTES = 64_000_000
"""Largest question: far more than a photo's largest look."""
NAME = "meldsight"
"""Of the application."""
PROVIDERS = ("CUDAExecutionProvider", "CPUExecutionProvider")


class Networks:
    """Both graphs in one replica. Settings that may change while it runs come through ``reconfigure``.

    Args:
        folder: where the graphs and their manifest lie; those of the package unless given.
    """

    def __init__(self, folder: str | None = None) -> None:
        place = Path(folder) if folder else MODELS
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        self._graphs = {name: OnnxGraph(checked(place, manifest, name), PROVIDERS) for name in GRAPHS}
        self._sha256 = {name: str(manifest[name]["sha256"]) for name in GRAPHS}

    def reconfigure(self, settings: dict[str, Any]) -> None:
        """Take new settings of batching: ``batch`` crops of so many photos, ``wait_s`` at most for others."""
        self._read.set_max_batch_size(int(settings.get("batch", 8)))
        self._read.set_batch_wait_timeout_s(float(settings.get("wait_s", 0.005)))

    def check_health(self) -> None:
        """Fail where a graph does not answer, so that Ray Serve replaces the replica."""
        output = self._graphs["reader"].run(np.zeros((1, 64, 48, 6), np.uint8))[0]
        if output.shape[0] != 1 or not np.isfinite(output).all():
            raise RuntimeError("The reader's graph does not answer.")

    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.005)
    async def _read(self, questions: list[NDArray[np.uint8]]) -> list[list[NDArray[np.float32]]]:
        """The crops of several photos in one run: crops have one size, so they can wait for each other."""
        outputs = await asyncio.to_thread(self._graphs["reader"].run, np.concatenate(questions))
        ends = np.cumsum([len(crops) for crops in questions])[:-1]
        parts = [np.split(output, ends) for output in outputs]
        return [list(each) for each in zip(*parts, strict=True)]

    async def _detect(self, picture: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """One picture a run: looks differ in size, and on a CPU pictures together take as long as one by one."""
        return await asyncio.to_thread(self._graphs["detector"].run, picture)

    async def __call__(self, request: Request) -> Response:
        """Answer one question; see ``vision.tier``."""
        name = request.url.path.strip("/")
        if name not in GRAPHS or request.method != "POST":
            return PlainTextResponse("Ask by POST /detector or POST /reader.", 404)
        if request.headers.get(WEIGHTS, "") != self._sha256[name]:
            return PlainTextResponse("This tier has other weights than it is asked for.", 409)
        if int(request.headers.get("content-length", MOST_BYTES + 1)) > MOST_BYTES:
            return PlainTextResponse("These pictures are too large.", 413)
        try:
            (sent,) = unpacked(await request.body())
        except (ValueError, EOFError, OSError):
            return PlainTextResponse("These are no pictures.", 400)
        if sent.dtype != np.uint8 or sent.ndim != 4 or sent.shape[3] != GRAPHS[name] or not sent.size:
            return PlainTextResponse("These are no pictures that the network takes.", 400)
        pictures = np.asarray(sent, np.uint8)
        outputs = await (self._read(pictures) if name == "reader" else self._detect(pictures))
        return Response(packed(outputs), media_type="application/octet-stream")


def _number(name: str, usual: float) -> float:
    return float(os.environ.get(f"MELDSIGHT_TIER_{name}", usual))


def application() -> serve.Application:
    """Return the application with the settings of the environment.

    ``MELDSIGHT_TIER_REPLICAS`` (least), ``_MOST`` (autoscaling goes up to it), ``_CPUS`` and ``_GPUS`` of each replica
    (parts of one are allowed), ``_ONGOING`` (questions a replica should have at a time), ``_BATCH``, ``_WAIT_S``.
    """
    least = int(_number("REPLICAS", 1))
    deployment = serve.deployment(Networks).options(
        name="networks",
        autoscaling_config={
            "min_replicas": least,
            "initial_replicas": least,
            "max_replicas": max(least, int(_number("MOST", least))),
            "target_ongoing_requests": _number("ONGOING", 2),
        },
        max_ongoing_requests=max(4, int(2 * _number("ONGOING", 2))),
        max_queued_requests=64,
        ray_actor_options={"num_cpus": _number("CPUS", 1), "num_gpus": _number("GPUS", 0)},
        health_check_period_s=5,
        health_check_timeout_s=10,
        graceful_shutdown_timeout_s=10,
        user_config={"batch": int(_number("BATCH", 8)), "wait_s": _number("WAIT_S", 0.005)},
    )
    return deployment.bind(os.environ.get("MELDSIGHT_TIER_WEIGHTS"))


app = application()
