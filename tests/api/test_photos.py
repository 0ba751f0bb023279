"""``meldsight score`` on real photos, with the real networks, in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vision.scanner import MODELS

pytestmark = pytest.mark.photos


@pytest.mark.skipif(not (MODELS / "detector.onnx").is_file(), reason="there are no weights in models/")
def test_the_largest_photo_of_each_folder_is_scored(photos: Path) -> None:
    largest = [
        max(folder.glob("*.jpg"), key=lambda path: path.stat().st_size)
        for folder in sorted(photos.iterdir())
        if any(folder.glob("*.jpg"))
    ]
    assert largest
    for photo in largest:
        command = [sys.executable, "-c", "from api.cli import main; main()", "score", "--json", str(photo)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=MODELS.parent)
        told = json.loads(done.stdout)
        assert told["scene"]["cards"]
