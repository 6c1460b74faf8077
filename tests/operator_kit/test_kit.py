"""Every operator of the package and the toys go through the kit, which misses what is taken away."""

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
from operator_kit.kit import CHECKS

OWN = [operator.desc.TYPE for operator in registry.operators().values()]
COMPILES = "the_kernel_agrees_with_the_oracle"
"""A check that compiles the package's kernels; `test_kernels.py` holds these against the oracles too."""


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.removeprefix("DML_OPERATOR_").lower())
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n == COMPILES)) for n in CHECKS])
def test_an_operator_of_the_package(kind: str, name: str) -> None:
    CHECKS[name](kind)


@pytest.fixture(scope="module")
def outside() -> Iterator[None]:
    """The toys are there."""
    with installed(TOYS):
        yield


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("kind", ["DML_OPERATOR_FLIP", "DML_OPERATOR_TURN"])
@pytest.mark.parametrize("name", list(CHECKS))
def test_an_operator_from_outside(kind: str, name: str) -> None:
    CHECKS[name](kind)


@pytest.mark.parametrize("declaration", ["identity_count", "identity_axes"])
def test_a_declaration_that_is_taken_away_is_missed(declaration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(type(operator_of("DML_OPERATOR_SLICE1")), declaration)
    with pytest.raises(AssertionError):
        CHECKS["colours_join_elements_with_their_sources"]("DML_OPERATOR_SLICE1")


def bare(folder: Path, old: str, new: str) -> Path:
    """A folder with FLIP's operator as BARE, without its other files, and with something replaced."""
    (folder / "operators").mkdir()
    text = (TOYS / "operators" / "flip.py").read_text("utf-8")
    (folder / "operators" / "bare.py").write_text(re.sub(old, new, text), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["name", "title", "desc", "anchor"])
def test_what_is_required_is_asked_for_by_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(DmlvizError, match=f"declares no {name}"), installed(bare(tmp_path, f"    {name} = .*", "")):
        operator_of("DML_OPERATOR_FLIP")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with installed(bare(tmp_path, "FLIP", "BARE")):
        with pytest.raises(AssertionError, match=r"^tests/operator_kit/cases/bare\.py is missing: it has the oracle"):
            cases_of("DML_OPERATOR_BARE")
        with pytest.raises(AssertionError, match=r"^examples/bare\.json is missing"):
            CHECKS["examples_come_with_it"]("DML_OPERATOR_BARE")
