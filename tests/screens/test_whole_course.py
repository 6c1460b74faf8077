"""A lesson and levels in a real terminal, by `support/whole_course.py`; by hand it takes the whole course."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "support" / "whole_course.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "words",
    [["80x24", "keys", "L13", "L15"], ["120x36", "mouse", "tile"]],
)
def test_a_part_of_the_course_from_beginning_to_end(words: list[str]) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    found = subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, check=False, env=environment)
    told = (found.stdout + found.stderr)[-20_000:].decode(errors="replace")
    assert found.returncode == 0, told
    assert "from beginning to end" in told
