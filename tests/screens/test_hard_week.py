"""The hard week in small; `DMLVIZ_HARD_WEEK` says for how many seconds, and `DMLVIZ_HARD_WEEK_SEED` which one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "support" / "hard_week.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_hard_week_breaks_no_promise() -> None:
    seconds, seed = os.environ.get("DMLVIZ_HARD_WEEK", "30"), os.environ.get("DMLVIZ_HARD_WEEK_SEED", "0")
    found = subprocess.run([sys.executable, str(SCRIPT), seconds, seed], capture_output=True, check=False)
    told = (found.stdout[-20_000:] + found.stderr[-20_000:]).decode(errors="replace")
    assert found.returncode == 0, told
    assert "nothing broken" in told
