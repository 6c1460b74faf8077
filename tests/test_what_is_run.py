"""No test is left out of both: README's command, which everybody runs, and what `.ci/run` runs besides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

ROOT = Path(__file__).parents[1]


TELLING = """
import pytest
class Telling:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        for item in items:
            print("case", item.nodeid.split("[")[0], *{mark.name for mark in item.iter_markers()})
raise SystemExit(pytest.main(["--collect-only", "-qs", "-n", "0", "-m", ""], [Telling()]))
"""
"""A pytest that tells every case with its marks."""


def is_chosen(expression: Expression, marks: list[str]) -> bool:
    return expression.evaluate(lambda name, /, **_: name in marks)


@pytest.mark.slow
def test_every_test_has_a_case_that_is_run_and_every_file_a_test(request: pytest.FixtureRequest) -> None:
    commands = re.findall(r"-m pytest(.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert " -n 2" in commands, "it chooses none: what pyproject.toml leaves out is left out"
    in_ci = (ROOT / ".ci" / "run").read_text()
    (chosen,) = re.findall(r'^ *DMLVIZ_TESTS=full \S+ -m pytest .*-m "(.*?)"', in_ci, re.MULTILINE)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DMLVIZ_TESTS"))}
    told = subprocess.run([sys.executable, "-c", TELLING], cwd=ROOT, env=own, stdout=subprocess.PIPE, text=True)
    assert told.returncode == 0, told.stdout
    own_options = request.config.getini("addopts")
    expression = Expression.compile(f"{own_options[own_options.index('-m') + 1]} or ({chosen})")
    cases = [line.split()[1:] for line in told.stdout.splitlines() if line.startswith("case ")]
    run = {test for test, *marks in cases if is_chosen(expression, marks)}
    assert not sorted({test for test, *_ in cases} - run)
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert not sorted(files - {test.split("::")[0] for test in run})
