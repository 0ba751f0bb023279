"""What is shipped for running several services: nginx, systemd and Kubernetes take it, and it fits the code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from api import service
from api.certificates import Certificates
from api.door import MAX_OTHER_BYTES
from api.routes.games import HEARTBEAT_S
from api.settings import Settings
from tests import nginx
from vision.photo import MAX_BYTES

DEPLOY = Path(__file__).parents[1] / "deploy"
UNIT = DEPLOY / "systemd" / "meldsight@.service"


# nginx ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shipped() -> str:
    return nginx.SHIPPED.read_text("utf-8")


def test_nginx_takes_what_is_shipped(shipped: str, tmp_path: Path) -> None:
    if nginx.program() is None:
        pytest.skip(nginx.MISSING)
    made = Certificates.kept(tmp_path, ("meldsight.example",), {"127.0.0.1"})
    text = nginx.replaced(r"/etc/meldsight/tls\.crt", str(made.certificate), shipped)
    text = nginx.replaced(r"/etc/meldsight/tls\.key", str(made.key), text)
    # Testing binds the ports, and those of the web may be taken; not every machine has IPv6.
    text = nginx.replaced(r"^(    listen )(443|80)\b", r"\g<1>127.0.0.1:18\2", text)
    text = nginx.replaced(r"^    listen \[::\]:.*\n", "", text)
    nginx.configuration(tmp_path, text)
    tested = subprocess.run(nginx.command(tmp_path, "-t"), capture_output=True, text=True, timeout=30)
    assert tested.returncode == 0, tested.stderr
    assert "warn" not in tested.stderr


def test_nginx_lets_through_what_the_service_takes(shipped: str) -> None:
    sizes = {int(size) for size in re.findall(r"client_max_body_size (\d+);", shipped)}
    assert sizes == {MAX_BYTES, MAX_OTHER_BYTES}
    (scan,) = re.findall(r"location /api/scan \{(.*?)\}", shipped, re.DOTALL)
    assert f"client_max_body_size {MAX_BYTES};" in scan
    assert f"client_body_buffer_size {MAX_BYTES};" in scan, "no photo is written to a file"
    (live,) = re.findall(r"live\$ \{(.*?)\}", shipped, re.DOTALL)
    assert int(re.search(r"proxy_read_timeout (\d+)s;", live)[1]) > 2 * HEARTBEAT_S
    assert "proxy_buffering off;" in live


# systemd --------------------------------------------------------------------------------------------------------


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed here (on Debian: apt-get install systemd)")
    text, count = re.subn(r"^ExecStart=\S+", f"ExecStart={sys.executable}", UNIT.read_text("utf-8"), flags=re.MULTILINE)
    assert count == 1
    unit = tmp_path / "meldsight@8001.service"
    unit.write_text(text, encoding="utf-8")
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    # It complains of other units of the machine too; these are not shipped.
    own = [line for line in verified.stderr.splitlines() if unit.name in line]
    assert (verified.returncode, own) == (0, []), verified.stderr


def test_a_service_has_the_time_that_it_may_take_to_end() -> None:
    unit = UNIT.read_text("utf-8")
    (deployment, *_) = resources("meldsight.yaml")
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1]) > service.GOODBYE_S + 5
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > service.GOODBYE_S + 5


# Kubernetes -----------------------------------------------------------------------------------------------------


def resources(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text("utf-8")))


@pytest.mark.parametrize("version", ["1.27", kubernetes_validate.latest_version()])
def test_the_manifest_fits_the_schemas_of_kubernetes(version: str) -> None:
    found = resources("meldsight.yaml")
    assert [each["kind"] for each in found] == ["Deployment", "Service", "PodDisruptionBudget"]
    for each in found:
        kubernetes_validate.validate(each, version, strict=True)


def test_the_pods_of_the_ray_service_fit_the_schemas_of_kubernetes() -> None:
    """Its own fields are the operator's, whose schema the validator does not have: they are not tested here."""
    (ray,) = resources("rayservice.yaml")
    assert (ray["apiVersion"], ray["kind"]) == ("ray.io/v1", "RayService")
    cluster = ray["spec"]["rayClusterConfig"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "x"}, "template": group["template"]}
        kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)
    (application,) = yaml.safe_load(ray["spec"]["serveConfigV2"])["applications"]
    assert application["import_path"] == "cluster.serving:app"


def test_every_setting_that_is_shipped_is_one() -> None:
    known = {f"MELDSIGHT_{name.upper()}" for name in Settings.model_fields}
    texts = [path.read_text("utf-8") for path in DEPLOY.rglob("*") if path.is_file()]
    texts.append((DEPLOY.parent / "docs" / "replicas.md").read_text("utf-8"))
    named = {name for text in texts for name in re.findall(r"MELDSIGHT_[A-Z_]*[A-Z]", text)}
    assert named <= known
    (deployment, *_) = resources("meldsight.yaml")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    given = {each["name"].removeprefix("MELDSIGHT_").lower(): each.get("value", "x" * 16) for each in container["env"]}
    assert Settings(**given).proxies == ("10.0.0.0/8",)
