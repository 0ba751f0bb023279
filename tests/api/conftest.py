"""What tests of the command line share."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from api import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run ``meldsight`` with a scanner that knows the scene; returns status, output and errors."""

    def command(*arguments: str, scanner: Any = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["meldsight", *arguments])
        monkeypatch.setattr(cli, "_scanner", lambda: scanner)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, out, err

    return command
