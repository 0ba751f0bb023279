"""What the service counts and measures, for Prometheus to collect: docs/operating.md lists it.

Nothing here is about a player: no names, no games, no devices, and routes stand as templates.
"""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from engine.cards import Card
from vision.scene import Scene
from vision.stages import STAGES

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

SCAN_OUTCOMES = ("read", "not_a_photo", "turned_away", "failed")
"""What became of a photo: its cards were read, it was none, no place was free, or reading it came to no end."""
CANARY_OUTCOMES = ("right", "wrong", "failed", "late")
"""What became of a look at the canary: see ``api.canary``."""

_STAGE_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_REQUEST_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one service, in a registry of its own, so that several services fit into one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        info = Gauge("meldsight_build_info", "1, with the version that runs.", ["version"], registry=self.registry)
        info.labels(version("meldsight")).set(1)
        self._stages = Histogram(
            "meldsight_scan_stage_seconds",
            "Time of each stage of reading one photo; wait is for a worker to be free.",
            ["stage"],
            buckets=_STAGE_BUCKETS,
            registry=self.registry,
        )
        self._requests = Histogram(
            "meldsight_request_seconds",
            "Time until the answer begins, by route template and class of status.",
            ["method", "route", "status"],
            buckets=_REQUEST_BUCKETS,
            registry=self.registry,
        )
        self._scans = Counter(
            "meldsight_scans_total", "Photos, by what became of them.", ["outcome"], registry=self.registry
        )
        self._cards = Counter("meldsight_cards_read_total", "Cards in hands that were read.", registry=self.registry)
        self._doubted = Counter(
            "meldsight_cards_doubted_total", "Cards among these that people were asked about.", registry=self.registry
        )
        self._hands = Counter(
            "meldsight_hands_confirmed_total",
            "Hands recorded after a scan: with the cards as_read, or corrected by a person first.",
            ["cards"],
            registry=self.registry,
        )
        self._corrected_later = Counter(
            "meldsight_hands_corrected_later_total",
            "Recorded hands whose cards a person changed afterwards, however they were entered.",
            registry=self.registry,
        )
        self._canary = Counter(
            "meldsight_canary_reads_total",
            "Looks at the test picture, by outcome.",
            ["outcome"],
            registry=self.registry,
        )
        self._kept = Counter(
            "meldsight_corrections_kept_total",
            "Corrected photos that players gave for training.",
            registry=self.registry,
        )
        self._ready = Gauge(
            "meldsight_part_ready", "1 where a part of the service is ready, else 0.", ["part"], registry=self.registry
        )
        self._in_flight = Gauge(
            "meldsight_scans_in_flight", "Photos being sent, waiting or being read.", registry=self.registry
        )
        self._free = Gauge("meldsight_scan_places_free", "Photos that could come besides.", registry=self.registry)
        self._listeners = Gauge("meldsight_live_listeners", "Open live connections.", registry=self.registry)
        # A series that is there from the start has a rate when its first event comes.
        for each in ("wait", *STAGES):
            self._stages.labels(each)
        for each in SCAN_OUTCOMES:
            self._scans.labels(each)
        for each in CANARY_OUTCOMES:
            self._canary.labels(each)
        for each in ("as_read", "corrected"):
            self._hands.labels(each)

    def watch(self, in_flight: Callable[[], float], free: Callable[[], float], listeners: Callable[[], float]) -> None:
        """Say where the gauges are to be read when somebody asks."""
        self._in_flight.set_function(in_flight)
        self._free.set_function(free)
        self._listeners.set_function(listeners)

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            method: how it asked.
            route: the template of its address.
            status: of the answer.
            seconds: until the answer began.
        """
        self._requests.labels(method, route, f"{status // 100}xx").observe(seconds)

    def scan_ended(self, outcome: str, seconds: Mapping[str, float] | None = None) -> None:
        """Count a photo.

        Args:
            outcome: one of ``SCAN_OUTCOMES``.
            seconds: what each stage took, if it was read.
        """
        self._scans.labels(outcome).inc()
        for each, taken in (seconds or {}).items():
            self._stages.labels(each).observe(taken)

    def hand_read(self, scene: Scene) -> None:
        """Count the cards of a hand that was read, and those in doubt."""
        self._cards.inc(len(scene.cards))
        self._doubted.inc(len(scene.doubtful))

    def hand_confirmed(self, scanned: Sequence[Card], recorded: Sequence[Card]) -> None:
        """Count a hand that was recorded after a scan.

        Args:
            scanned: the cards as they were read, in any order.
            recorded: the cards as a person let them be recorded.
        """
        self._hands.labels("as_read" if Multiset(scanned) == Multiset(recorded) else "corrected").inc()

    def hand_corrected_later(self) -> None:
        """Count a recorded hand whose cards were changed."""
        self._corrected_later.inc()

    def correction_kept(self) -> None:
        """Count a photo that was given for training."""
        self._kept.inc()

    def canary_read(self, outcome: str) -> None:
        """Count a look at the test picture, which is one of ``CANARY_OUTCOMES``."""
        self._canary.labels(outcome).inc()

    def parts_checked(self, problems: Mapping[str, str | None]) -> None:
        """Note which parts are ready: those without a problem."""
        for part, problem in problems.items():
            self._ready.labels(part).set(problem is None)

    def text(self) -> bytes:
        """Return everything in the text form of Prometheus, version 0.0.4."""
        return generate_latest(self.registry)
