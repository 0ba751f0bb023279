"""The detector tier answers what the same graphs say in one process, and refuses what is no question."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("ray", reason="the detector tier needs Ray (the cluster extra)")
pytest.importorskip("urllib3", reason="a detector tier needs urllib3 (the tier extra)")

import urllib3
import uvicorn
from ray import serve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from cluster.serving import GRAPHS, Networks
from vision.graph import OnnxGraph
from vision.photo import read_photo
from vision.scanner import MODELS, Scanner
from vision.stages import measured
from vision.tier import WEIGHTS, Tier, TierGraph, packed, unpacked

DATA = Path(__file__).parents[1] / "data"
MANIFEST = json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))


class NoGraph:
    """Stands behind a tier that must answer by itself."""

    def run(self, pictures: np.ndarray) -> list[np.ndarray]:
        raise AssertionError(f"{len(pictures)} pictures came to the own graph")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """One replica, listening on loopback without Ray around it."""
    app = Starlette()
    replicas: list[Networks] = []

    async def answer(request: Request) -> Response:
        if not replicas:
            # As Ray does, within the loop that serves.
            replicas.append(Networks())
            replicas[0].reconfigure({})
            replicas[0].check_health()
        return await replicas[0](request)

    app.add_route("/{name}", answer, methods=["GET", "POST"])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    with pytest.MonkeyPatch.context() as patch:
        # Batches ask the replica that they are in how much it takes at a time.
        around = SimpleNamespace(_deployment_config=SimpleNamespace(max_ongoing_requests=16))
        patch.setattr(serve, "get_replica_context", lambda: around)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        (socket,) = server.servers[0].sockets
        yield f"127.0.0.1:{socket.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def pictures_of(name: str, count: int) -> np.ndarray:
    shape = (count, 64, 48, 6) if name == "reader" else (count, 96, 160, 3)
    return np.random.default_rng(count).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize(("name", "count"), [("reader", 1), ("reader", 7), ("detector", 1)])
def test_it_says_what_the_own_graph_says(address: str, name: str, count: int) -> None:
    pictures = pictures_of(name, count)
    here = OnnxGraph(MODELS / f"{name}.onnx").run(pictures)
    there = TierGraph(Tier(f"ray://{address}"), name, MANIFEST[name]["sha256"], NoGraph()).run(pictures)
    assert len(here) == len(there)
    for own, other in zip(here, there, strict=True):
        np.testing.assert_allclose(other, own, atol=1e-3)


def test_crops_of_several_photos_are_read_together_and_each_gets_its_own(address: str) -> None:
    graph = TierGraph(Tier(f"ray://{address}"), "reader", MANIFEST["reader"]["sha256"], NoGraph())
    own = OnnxGraph(MODELS / "reader.onnx")
    sizes = [1, 3, 2, 5, 4]
    answers: dict[int, np.ndarray] = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.update({n: graph.run(pictures_of("reader", n))[0]})) for n in sizes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for count in sizes:
        np.testing.assert_allclose(answers[count], own.run(pictures_of("reader", count))[0], atol=1e-3)


def test_a_photo_is_read_alike_here_and_there(address: str) -> None:
    photo = read_photo((DATA / "hand.jpg").read_bytes())
    with measured() as seconds:
        there = Scanner.load(tier=f"ray://{address}").scan(photo)
    assert there == Scanner.load().scan(photo)
    assert "fallback" not in seconds


@pytest.mark.parametrize(
    ("path", "weights", "body", "status"),
    [
        ("elsewhere", None, packed([pictures_of("reader", 1)]), 404),
        ("reader", "0" * 64, packed([pictures_of("reader", 1)]), 409),
        ("reader", None, b"no arrays", 400),
        ("reader", None, packed([pictures_of("reader", 1), pictures_of("reader", 1)]), 400),
        ("reader", None, packed([pictures_of("detector", 1)]), 400),
        ("detector", None, packed([np.zeros((1, 32, 32, 3), np.float32)]), 400),
        ("detector", None, packed([np.zeros((0, 32, 32, 3), np.uint8)]), 400),
    ],
)
def test_what_is_no_question_is_refused(address: str, path: str, weights: str | None, body: bytes, status: int) -> None:
    headers = {WEIGHTS: weights or MANIFEST[path if path in GRAPHS else "reader"]["sha256"]}
    answer = urllib3.request("POST", f"http://{address}/{path}", body=body, headers=headers)
    assert answer.status == status, answer.data
    assert answer.data.decode().endswith(".")


def test_pickles_are_not_opened() -> None:
    evil = packed([np.zeros(1, np.uint8)]).replace(b"'|u1'", b"'|O' ")
    with pytest.raises(ValueError, match="allow_pickle"):
        unpacked(evil)
