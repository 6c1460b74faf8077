"""No test is left out of both: README's command, which everybody runs, and what `.ci/run` runs besides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def collecting(marked: str | None, **environment: str) -> subprocess.Popen[str]:
    """A pytest that tells what it would run, by its own marker expression unless there is another."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DMLVIZ_TESTS"))}
    chosen = [] if marked is None else ["-m", marked]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "--collect-only", "-n", "0", *chosen],
        cwd=ROOT,
        env=own | environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_by(process: subprocess.Popen[str]) -> set[str]:
    """The tests of which it runs a case."""
    told, _ = process.communicate()
    assert process.returncode == 0, told
    return {line.split("[")[0] for line in told.splitlines() if "::" in line}


@pytest.mark.slow
def test_every_test_has_a_case_that_is_run_and_every_file_a_test() -> None:
    commands = re.findall(r"-m pytest(.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert " -n 2" in commands, "it chooses none: what pyproject.toml leaves out is left out"
    in_ci = (ROOT / ".ci" / "run").read_text()
    (chosen,) = re.findall(r'^DMLVIZ_TESTS=full \S+ -m pytest .*-m "(.*?)"', in_ci, re.MULTILINE)
    everything, always, later = collecting(""), collecting(None), collecting(chosen, DMLVIZ_TESTS="full")
    tests, run = run_by(everything), run_by(always) | run_by(later)
    assert not sorted(tests - run)
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert not sorted(files - {test.split("::")[0] for test in run})
