"""E_INVALIDARG is DirectML's word: only documented rules carry it, in every front end."""

from __future__ import annotations

import pytest
from support.commands import call

from dmlviz.session import examples
from dmlviz.session.rules_told import rule
from dmlviz.session.writing import dump

WORD = "E_INVALIDARG"
DOUBTED = ("note-tile-float64", "note-join-dimensions")
OWN = (
    "count.matches",
    "indices.leading",
    "tensor.dimension_count",
    "tensor.strides",
)


def test_a_check_that_calls_itself_dmlvizs_own_is_one_and_no_other() -> None:
    failing = [
        check
        for shipped in examples.all_examples()
        for experiment in shipped.session().experiments
        for check in experiment.check().errors
        if not check.id.startswith("chain.")
    ]
    assert {check.id for check in failing if check.is_own} == {
        check.id for check in failing if "a check of dmlviz's own" in check.message
    }


@pytest.mark.parametrize("name", [*OWN, *DOUBTED])
@pytest.mark.parametrize(
    "command",
    [("check",), ("check", "--json"), ("check", "--github"), ("explain",), ("export", "--to=markdown"), ("export",)],
    ids=" ".join,
)
def test_what_no_page_forbids_is_invalid_but_not_invalidarg(name: str, command: tuple[str, ...]) -> None:
    given = dump(examples.example(name).session()) if name in DOUBTED else rule(name).session_text
    told = call(command[0], "-", *command[1:], stdin=given)
    said = told.out.replace("\\", "").replace("// E_INVALIDARG says no more than that a rule is broken", "")
    assert WORD not in said
    assert "no feature level accepts it" not in told.out.lower()
    if command == ("check",):
        assert "broken" in told.out
