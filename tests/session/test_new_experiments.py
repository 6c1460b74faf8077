"""New experiments: of another operator, about the tensor that was there."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.fields import TensorField
from dmlviz.desc.levels import LEVELS
from dmlviz.operators.general_rules import anchor_of
from dmlviz.operators.registry import operator_of, operators
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.new_experiments import begun, converted

EVERY = tried(80)


def anchor(experiment: Experiment) -> dml.TensorDesc:
    part = anchor_of(operator_of(experiment.desc), experiment.desc)
    assert part is not None
    return part.tensor


@EVERY
@given(cases(), st.sampled_from([*operators()]))
def test_another_operator_is_about_the_same_tensor(case: Case, kind: str) -> None:
    before = Experiment("before", case.desc, notes="on the old one")
    made = converted(before, kind)
    assert kind == made.desc.TYPE
    assert made.check().ok
    assert made.feature_level >= before.feature_level
    assert (made.name, made.notes) == (operator_of(kind).name, "")
    fields = [field for field in operator_of(kind).desc.FIELDS if isinstance(field, TensorField)]
    if len(anchor(before).sizes) > max(row.highest for row in fields[0].support.rows):
        return  # an operator of few dimensions begins with its own example
    # Only a type that the operator has at no level, as TILE has no FLOAT64, may change.
    kept = anchor(made).sizes[len(anchor(made).sizes) - len(anchor(before).sizes) :]
    assert kept == anchor(before).sizes  # old levels want leading 1s
    assert prod(anchor(made).sizes) == prod(kept)
    taken = {each for row in fields[0].support.rows for each in row.types}
    if anchor(before).data_type in taken:
        assert anchor(made).data_type is anchor(before).data_type


@pytest.mark.parametrize("kind", [*operators()])
def test_one_begins_at_the_newest_level_with_few_dimensions_and_an_output_that_follows(kind: str) -> None:
    one = begun(kind)
    assert (one.feature_level, one.check().ok) == (LEVELS[-1], True)
    assert max(part.tensor.dimension_count for part in one.desc.parts) <= 2
    assert one.desc.inferred >= one.desc.inferable.keys()
    one.sources()


def test_sizes_and_axis_come_along() -> None:
    gather = examples.example("gather-2").session().experiments[0]
    for kind in {*operators()} - {gather.desc.TYPE}:
        for level in (gather.feature_level, LEVELS[-1]):
            made = converted(replace(gather, feature_level=level), kind)
            assert (made.desc.TYPE, made.feature_level >= level) == (kind, True)
            assert made.sources()[0].array().ravel().tolist() == [1, 2, 3, 4, 5, 6]
            more = made.desc.inputs[0].tensor.dimension_count - 2  # of an operator that takes four and no others
            assert [made.desc.get(f.name) for f in made.desc.FIELDS if getattr(f, "is_axis", False)] in ([], [more])
