"""Every operator of the package and the toys go through the kit, which misses a declaration that is taken away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.outside import TOYS, installed

from dmlviz.errors import DmlvizError
from dmlviz.operators import registry
from dmlviz.operators.registry import operator_of
from operator_kit.finding import cases_of
from operator_kit.kit import CHECKS, NEEDS, holds

OWN = [operator.desc.TYPE for operator in registry.operators().values()]
SLICE1 = "DML_OPERATOR_SLICE1"
OUTSIDE = ["HEAD", "PICK", "TURN"]
COMPILES = "the_kernel_agrees_with_the_oracle"
"""A check that compiles the package's kernels; `test_kernels.py` holds these against the oracles too."""


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.removeprefix("DML_OPERATOR_").lower())
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n == COMPILES)) for n in CHECKS])
def test_an_operator_of_the_package(kind: str, name: str) -> None:
    hold(kind, name)


def hold(kind: str, name: str) -> None:
    """Holds a check, unless one that it leans on fails."""
    for need in NEEDS[name]:
        if not holds(operator_of(kind), need):
            pytest.skip(f"waits for {need}")
    CHECKS[name](kind)


@pytest.fixture(scope="module")
def outside() -> Iterator[None]:
    """The toys are there."""
    with installed(TOYS):
        yield


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("kind", [f"DML_OPERATOR_{name}" for name in OUTSIDE])
@pytest.mark.parametrize("name", list(CHECKS))
def test_an_operator_from_outside(kind: str, name: str) -> None:
    hold(kind, name)


@pytest.mark.parametrize(
    ("declaration", "fails"),
    [
        ("fixes", "mistakes_are_mended"),
        ("identity_count", "colours_join_elements_with_their_sources"),
        ("identity_axes", "colours_join_elements_with_their_sources"),
    ],
)
def test_a_declaration_that_is_taken_away_fails_its_check(
    declaration: str, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(type(operator_of(SLICE1)), declaration)
    with pytest.raises(AssertionError):
        CHECKS[fails](SLICE1)


@pytest.mark.parametrize("name", ["name", "title", "desc", "anchor"])
def test_what_is_required_is_asked_for_by_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "operators").mkdir()
    text = (TOYS / "operators" / "head.py").read_text("utf-8")
    (tmp_path / "operators" / "bare.py").write_text(re.sub(rf"\n    {name} = .*", "", text), "utf-8")
    with pytest.raises(DmlvizError, match=f"bare declares no {name}"), installed(tmp_path):
        pass


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "operators").mkdir()
    text = (TOYS / "operators" / "head.py").read_text("utf-8")
    (tmp_path / "operators" / "bare.py").write_text(text.replace("HEAD", "BARE"), "utf-8")
    with installed(tmp_path):
        with pytest.raises(AssertionError, match=r"^tests/operator_kit/cases/bare\.py is missing: it has the oracle"):
            cases_of("DML_OPERATOR_BARE")
        with pytest.raises(AssertionError, match=r"^examples/bare\.json is missing"):
            CHECKS["examples_come_with_it"]("DML_OPERATOR_BARE")
