"""Dashboard and alerts: each reads, and each metric in them is one that the service has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.metrics import Metrics

DEPLOY = Path(__file__).parents[1] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "meldsight.json").read_text("utf-8"))
ALERTS = (DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8")


def known() -> set[str]:
    """Every name under which the service shows a series, and the labels of those that have any yet."""
    return {
        name
        for family in text_string_to_metric_families(everything().text().decode())
        for name in (family.name, f"{family.name}_bucket", f"{family.name}_count", *(s.name for s in family.samples))
    }


def everything() -> Metrics:
    metrics = Metrics()
    metrics.request_answered("GET", "/api/games", 200, 0.1)
    metrics.parts_checked({"canary": None})
    return metrics


def expressions() -> dict[str, str]:
    """Every expression of the dashboard by its panel, and the alerts as one."""
    found: dict[str, str] = {"alerts.yml": ALERTS}
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            found[f"{panel['title']} {target['refId']}"] = target["expr"]
    return found


@pytest.mark.parametrize("where", expressions())
def test_every_metric_named_is_one_that_there_is(where: str) -> None:
    names = set(re.findall(r"\b(?:meldsight|process)_[a-z_]+\b", expressions()[where]))
    assert names
    assert not names - known()


def test_every_value_of_a_label_named_is_one_that_there_is() -> None:
    text = everything().text().decode()
    selected = {
        pair
        for expression in expressions().values()
        for pair in re.findall(r'\b(outcome|cards|stage|part)="([a-z_]+)"', expression)
    }
    assert len(selected) >= 3
    for label, value in selected:
        assert f'{label}="{value}"' in text


def test_every_metric_of_the_service_is_shown_or_watched() -> None:
    text = " ".join(expressions().values())
    shown = {
        family.name
        for family in text_string_to_metric_families(everything().text().decode())
        if family.name.startswith("meldsight_") and not family.name.endswith("_created")
    }
    assert shown
    assert not {name for name in shown if name not in text}


def test_the_dashboard_has_what_grafana_asks_for() -> None:
    assert {"title", "uid", "panels", "schemaVersion", "templating"} <= set(DASHBOARD)
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids) > 10
    for panel in DASHBOARD["panels"]:
        place: dict[str, int] = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        assert panel["title"]


def test_the_alerts_read_and_each_says_what_is_the_matter() -> None:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")
    (group,) = yaml.safe_load(ALERTS)["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names)
    assert {"MeldsightNotReady", "MeldsightCorrectionRateRising"} <= set(names)
    for rule in group["rules"]:
        assert rule["expr"].strip()
        assert rule["annotations"]["summary"].endswith((".", "?"))
        assert rule["labels"]["severity"] in ("page", "ticket")
