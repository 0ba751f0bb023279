"""The part of the KubeRay manifest that Ray Serve reads is of its own form, and names an application that is there."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import yaml

pytest.importorskip("ray", reason="Ray's own schema needs Ray (the cluster extra)")

from ray.serve import Application
from ray.serve.schema import ServeDeploySchema

MANIFEST = Path(__file__).parents[2] / "deploy" / "kubernetes" / "rayservice.yaml"


def test_ray_takes_the_serve_part() -> None:
    part = yaml.safe_load(yaml.safe_load(MANIFEST.read_text("utf-8"))["spec"]["serveConfigV2"])
    schema = ServeDeploySchema.model_validate(part)
    (application,) = schema.applications
    module, _, name = application.import_path.partition(":")
    assert isinstance(getattr(importlib.import_module(module), name), Application)
    assert application.route_prefix == "/"
    with pytest.raises(ValueError, match="import_path"):
        ServeDeploySchema.model_validate({"applications": [{"name": application.name}]})
