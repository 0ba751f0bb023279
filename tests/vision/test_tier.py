"""A detector tier that does not answer as it should costs time, never a card."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from vision import tier as tiers
from vision.stages import measured
from vision.tier import WEIGHTS, Tier, TierError, TierGraph, packed, unpacked

pytest.importorskip("urllib3", reason="a detector tier needs urllib3 (the tier extra)")

PICTURES = np.full((2, 4, 4, 3), 7, np.uint8)
SHA256 = "ab" * 32
Answer = tuple[int, bytes]


class Own:
    """The graph of this process, which says one."""

    def run(self, pictures: np.ndarray) -> list[np.ndarray]:
        return [np.ones((len(pictures), 3), np.float32)]


class Listening:
    """A tier on loopback that answers as it is told, question after question, and keeps the keys."""

    def __init__(self, *answers: Answer | Callable[[], Answer]) -> None:
        answered = list(answers)
        self.keys: list[str] = []
        self.weights: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                (pictures,) = unpacked(body)
                assert np.array_equal(pictures, PICTURES)
                outer.keys.append(self.headers["X-Request-ID"])
                outer.weights.add(self.headers[WEIGHTS])
                answer = answered.pop(0) if len(answered) > 1 else answered[0]
                status, data = answer() if callable(answer) else answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"ray://127.0.0.1:{self.server.server_port}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def listening(request: pytest.FixtureRequest) -> Callable[..., Listening]:
    def start(*answers: Answer | Callable[[], Answer]) -> Listening:
        found = Listening(*answers)
        request.addfinalizer(found.stop)
        return found

    return start


RIGHT: Answer = (200, packed([np.full((2, 3), 5, np.float32)]))


def asked(graph: TierGraph) -> float:
    """What the graph says: 5 if it is the tier's own answer, 1 if it is the fallback's, which is then measured."""
    with measured() as seconds:
        (output,) = graph.run(PICTURES)
    assert output.shape == (2, 3)
    said = float(output[0, 0])
    assert (said == 1) == ("fallback" in seconds)
    return said


def graph_of(address: str) -> TierGraph:
    return TierGraph(Tier(address), "reader", SHA256, Own())


def test_a_right_answer_is_taken(listening: Callable[..., Listening]) -> None:
    there = listening(RIGHT)
    assert asked(graph_of(there.address)) == 5
    assert there.weights == {SHA256}


def test_it_is_asked_again_with_the_same_key(listening: Callable[..., Listening]) -> None:
    there = listening((503, b"busy"), RIGHT)
    assert asked(graph_of(there.address)) == 5
    assert len(there.keys) == 2
    assert len(set(there.keys)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"broken"),
        (409, b"other weights"),
        (200, b""),
        (200, b"no arrays"),
        (200, RIGHT[1][:-5]),
        (200, packed([np.zeros((2, 0), np.float32)])),
        (200, packed([np.zeros((1, 3), np.float32)])),
    ],
    ids=["broken", "other-weights", "nothing", "garbage", "cut-short", "no-outputs", "one-too-few"],
)
def test_a_wrong_answer_is_not_taken(listening: Callable[..., Listening], answer: Answer) -> None:
    assert asked(graph_of(listening(answer).address)) == 1


def test_one_that_hangs_is_not_waited_for(listening: Callable[..., Listening], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "ANSWER_S", 0.1)
    woken = threading.Event()

    def hang() -> Answer:
        woken.wait(10)
        return RIGHT

    there = listening(hang)
    said = asked(graph_of(there.address))
    woken.set()
    assert said == 1


def test_one_that_is_away_is_left_alone_and_then_asked_again(
    listening: Callable[..., Listening], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = listening((409, b"other weights"), RIGHT)
    graph = graph_of(there.address)
    assert [asked(graph) for _ in range(3)] == [1, 1, 1]
    assert len(there.keys) == 1
    now = time.monotonic()
    monkeypatch.setattr(tiers.time, "monotonic", lambda: now + tiers.AWAY_S + 1)
    assert asked(graph) == 5


def test_nobody_there() -> None:
    assert asked(graph_of("ray://127.0.0.1:9")) == 1


@pytest.mark.parametrize(
    "address", ["", "ray://", "ray://host", "http://host:8100", "ray://host:port", "ray://host:8100/path"]
)
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(TierError, match="ray://HOST:PORT"):
        Tier(address)
