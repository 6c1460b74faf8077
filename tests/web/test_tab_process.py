"""A tab's process by itself, told what its server tells it: it ends when it is told to, whenever that is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does")


def packet(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


@pytest.mark.parametrize(
    "told",
    [b"", packet(b"M", b'{"type": "quit"}'), packet(b"D", b"\x11"), packet(b"M", b'{"type": "exit"}')],
    ids=["its input is at its end", "quit", "ctrl+q", "exit"],
)
def test_a_tab_that_ends_at_once_prints_nothing(tmp_path: Path, told: bytes) -> None:
    environment = {**os.environ, "TEXTUAL_DRIVER": "dmlviz.screens.tab_driver:TabDriver", "HOME": str(tmp_path)}
    line = [sys.executable, "-P", "-m", "dmlviz"]
    ran = subprocess.run(line, input=told, env=environment, capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
