"""Questions about elements and sizes of many random descs of the package's own operators."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.held_questions import hold_of_elements
from support.strategies import Case

from dmlviz.operators.registry import operators

FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
FIVE = ("GATHER", "JOIN", "REVERSE_SUBSEQUENCES", "SPLIT", "TILE")
OF_EACH = pytest.mark.parametrize("name", FIVE)


def cases(name: str) -> st.SearchStrategy[Case]:
    (kind,) = [each for each, operator in operators().items() if operator.name == name]
    return cases_of(kind).cases()


@OF_EACH
def test_questions_hold(name: str) -> None:
    @FEW
    @given(cases(name), st.integers(0, 5))
    def run(case: Case, seed: int) -> None:
        hold_of_elements(case, seed)

    run()


@pytest.mark.slow
@OF_EACH
def test_many_questions_hold(name: str) -> None:
    @MANY
    @given(cases(name), st.integers(0, 1000))
    def run(case: Case, seed: int) -> None:
        hold_of_elements(case, seed)

    run()
