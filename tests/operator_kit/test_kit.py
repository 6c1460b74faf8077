"""Every operator of the package and the toys go through the kit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.compiled_cpp import Program, expected, needs_gxx, run
from support.outside import installed

from dmlviz.desc.base import Desc
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing
from dmlviz.operators import registry
from dmlviz.operators.registry import operator_of
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from operator_kit.finding import cases_of
from operator_kit.kit import CHECKS, NEEDS, all_descs, named, told

HERE = Path(__file__).parent
OWN = [operator.desc.TYPE for operator in registry.operators().values()]
OUTSIDE = ["ROLL", "CROP", "HEAD", "PICK", "FRAME", "TURN"]
COMPILE = {"the_kernel_agrees_with_the_oracle", "scripts_hold"}
"""Checks that compile the package's kernels; `test_kernels.py` holds these against the oracles too."""
LONG = COMPILE | {"what_comes_later_is_hidden"}
"""`scene/test_hidden.py` holds the package's pictures to the last one too."""


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.removeprefix("DML_OPERATOR_").lower())
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in CHECKS])
def test_an_operator_of_the_package(kind: str, name: str) -> None:
    hold(kind, name)


def hold(kind: str, name: str) -> None:
    """Holds a check, unless one that it leans on fails."""
    for need in NEEDS[name]:
        if need not in COMPILE and told(kind, need):
            pytest.skip(f"waits for {need}")
    CHECKS[name](kind)


@pytest.fixture(scope="module")
def outside() -> Iterator[None]:
    """The toys are there."""
    with installed(HERE / "toys"):
        yield


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("kind", [f"DML_OPERATOR_{name}" for name in OUTSIDE])
@pytest.mark.parametrize("name", list(CHECKS))
def test_an_operator_from_outside(kind: str, name: str) -> None:
    hold(kind, name)


def test_a_crash_on_the_first_valid_desc_fails_every_check_that_draws_cases(
    outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = "DML_OPERATOR_PICK"
    operator, first = type(operator_of(kind)), cases_of(kind).VALID[0]
    draws = {name for name, check in CHECKS.items() if "for_cases" in check.__code__.co_names}
    assert len(draws) > 5
    for method in ("source", "kernel_numbers"):
        monkeypatch.setattr(operator, method, crashing(getattr(operator, method), first))
    for name in draws - {"valid_descs_pass", "misreadings_differ_where_they_say"}:
        monkeypatch.setattr(cases_of(kind), "VALID", (replace(first),))  # it keeps what was computed of it
        with pytest.raises(ZeroDivisionError):
            CHECKS[name](kind)


def crashing(method: Callable[..., Any], first: Desc) -> Callable[..., Any]:
    """A method of an operator that crashes on one desc."""

    def planted(self: Any, desc: Desc, *rest: Any) -> Any:
        if desc == first:
            raise ZeroDivisionError
        return method(self, desc, *rest)

    return planted


@needs_gxx
@pytest.mark.usefixtures("outside")
@pytest.mark.integration
def test_exported_cpp_of_every_operator_fills_the_structs(tmp_path: Path) -> None:
    """One program for all, compiled by g++ with every warning an error.

    Structs of DirectML's stand in the header as their pages have them, those of toys as their fields tell.
    """
    descs = [desc for kind in registry.operators() for desc in all_descs(kind)]
    ends = (-(2**31), 2**31 - 1, -1, 2**31, -(2**40))
    (slice1, *_) = all_descs("DML_OPERATOR_SLICE1")
    descs.append(slice1.replace({"InputWindowStrides": ends, "InputWindowOffsets": ends}))
    (turn, *_) = all_descs("DML_OPERATOR_TURN")
    descs.append(turn.replace({"Ratio": -1e39, "Value": 1e39}))
    session = Session(tuple(map(named, descs)))
    text = exporting.export(session, "cpp").content
    assert isinstance(text, str)
    for desc, found in zip(descs, run([Program(text, session)], tmp_path), strict=True):
        assert found["struct"] == expected(desc)
    read = importing.read(text.encode(), "it.cpp").experiments[:-1]
    assert [each.desc for each in read] == descs[:-1]


def test_the_pages_examples_of_slice1() -> None:
    one, two = examples.example("slice-1").session().experiments
    assert one.trace().reference(0).reshape(-1).tolist() == [2, 4, 10, 12]
    assert two.trace().reference(0).reshape(-1).tolist() == [14, 16, 6, 8]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "operators"
    folder.mkdir()
    text = (HERE / "toys" / "operators" / "head.py").read_text("utf-8")
    (folder / "bare.py").write_text(text.replace("HEAD", "BARE"), "utf-8")
    with installed(tmp_path):
        with pytest.raises(AssertionError, match=r"^tests/operator_kit/cases/bare\.py is missing: it has the oracle"):
            cases_of("DML_OPERATOR_BARE")
        with pytest.raises(AssertionError, match=r"^examples/bare\.json is missing"):
            CHECKS["examples_come_with_it"]("DML_OPERATOR_BARE")
