"""A cluster on this computer: Ray and the detector tier started, looked at, stopped.

Everything listens on the loopback address unless another one is given: who reaches Ray's ports can run anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

RAY_PORT = 6399
"""Port of Ray's own head; the tier listens elsewhere, for HTTP."""
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token"}
"""Nothing is reported to anybody, and nobody is let in who cannot read this user's token (``~/.ray/auth_token``)."""


class ClusterError(RuntimeError):
    """A cluster that cannot be started, found or stopped; one sentence says why."""


@dataclass(frozen=True)
class Plan:
    """How large a tier is to be."""

    replicas: int = 1
    """Replicas that always run."""
    most: int = 1
    """Replicas that it may grow to."""
    cpus: float = 1.0
    """Processors of each replica; parts of one are allowed."""
    gpus: float = 0.0
    """Graphics processors of each replica; parts of one are allowed."""

    @property
    def settings(self) -> dict[str, str]:
        """The settings that ``cluster.serving`` reads."""
        values = {"REPLICAS": self.replicas, "MOST": self.most, "CPUS": self.cpus, "GPUS": self.gpus}
        return {f"MELDSIGHT_TIER_{name}": str(value) for name, value in values.items()}


@dataclass(frozen=True)
class Replicas:
    """State of a tier."""

    status: str
    running: int
    """Replicas that answer."""
    wanted: int


def up(plan: Plan, host: str = "127.0.0.1", port: int = 8100) -> str:
    """Start Ray where it does not run yet, and the tier; return the address for ``MELDSIGHT_DETECTOR``.

    Args:
        plan: how large.
        host: address that the tier listens on.
        port: its port.

    Raises:
        ClusterError: if it does not start.
    """
    if not _runs():
        _ray("get-auth-token", "--generate")
        cpus = max(os.cpu_count() or 1, round(plan.most * plan.cpus) + 1)
        _ray("start", "--head", f"--node-ip-address={host}", f"--port={RAY_PORT}", "--disable-usage-stats",
             "--include-dashboard=false", f"--num-cpus={cpus}")  # fmt: skip
    for tries_left in (1, 0):
        try:
            _in_ray(f"from cluster.local import _deploy; _deploy({host!r}, {port})", plan.settings)
            break
        except ClusterError:
            # On a busy computer Ray gives up on its own first processes; they are there the second time.
            if not tries_left:
                raise
    return f"ray://{host}:{port}"


def status() -> Replicas:
    """Return the state of the tier.

    Raises:
        ClusterError: if no cluster runs here.
    """
    if not _runs():
        raise ClusterError("No cluster runs on this computer; meldsight cluster up starts one.")
    state, running, wanted = _in_ray("from cluster.local import _state; _state()", {}).split()[-3:]
    return Replicas(state, int(running), int(wanted))


def down() -> None:
    """Stop the tier and Ray.

    Raises:
        ClusterError: if no cluster runs here.
    """
    if not _runs():
        raise ClusterError("No cluster runs on this computer.")
    _ray("stop", "--force")


def _deploy(host: str, port: int) -> None:
    """Within a process of its own that has joined Ray: start the tier, and wait until it answers."""
    import ray
    from ray import serve

    from cluster.serving import NAME, app

    ray.init(address=_address(), log_to_driver=False, logging_level="ERROR")
    serve.start(http_options={"host": host, "port": port})
    serve.run(app, name=NAME, route_prefix="/")


def _state() -> None:
    """Within such a process: print state, running and wanted replicas."""
    import ray
    from ray import serve

    from cluster.serving import NAME

    ray.init(address=_address(), log_to_driver=False, logging_level="ERROR")
    found = serve.status().applications.get(NAME)
    if found is None:
        print("NOT_STARTED 0 0")
        return
    counts = found.deployments["networks"].replica_states
    print(found.status.value, counts.get("RUNNING", 0), sum(counts.values()))


def _address() -> str:
    return f"127.0.0.1:{RAY_PORT}"


def _runs() -> bool:
    run = subprocess.run(
        [_program(), "health-check", "--address", _address()], capture_output=True, env=_environment({}), check=False
    )
    return run.returncode == 0


def _program() -> str:
    beside = Path(sys.executable).with_name("ray")
    found = str(beside) if beside.exists() else shutil.which("ray")
    if found is None:
        raise ClusterError("A cluster needs Ray: pip install 'meldsight[cluster]'.")
    return found


def _environment(settings: dict[str, str]) -> dict[str, str]:
    return os.environ | SETTINGS | settings


def _ray(*arguments: str) -> None:
    run = subprocess.run([_program(), *arguments], capture_output=True, text=True, env=_environment({}), check=False)
    if run.returncode:
        raise ClusterError(f"ray {arguments[0]} failed: {_last_line(run.stderr or run.stdout)}")


def _in_ray(code: str, settings: dict[str, str]) -> str:
    """Run a line in a process of its own: a program that has joined Ray stays in it until it ends."""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=_environment(settings), check=False
    )
    if run.returncode:
        raise ClusterError(f"The detector tier did not answer: {_last_line(run.stderr)}")
    return run.stdout


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason was given.")
