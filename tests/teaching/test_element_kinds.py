"""Questions about elements and sizes of many random descs of the package's own operators."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.effort import tried
from support.held_questions import hold_of_elements
from support.strategies import Case

from dmlviz.operators.registry import operators

FIVE = ("GATHER", "JOIN", "REVERSE_SUBSEQUENCES", "SPLIT", "TILE")


def cases(name: str) -> st.SearchStrategy[Case]:
    (kind,) = [each for each, operator in operators().items() if operator.name == name]
    return cases_of(kind).cases()


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", FIVE)
def test_questions_hold(name: str) -> None:
    @tried(120, suppress_health_check=list(HealthCheck))
    @given(cases(name), st.integers(0, 1000))
    def run(case: Case, seed: int) -> None:
        hold_of_elements(case, seed)

    run()
