"""Feature levels: the strip's marks and the matrix' cells against the rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.strategies import Case, cases

from dmlviz.desc.levels import LEVELS, FeatureLevel
from dmlviz.desc.tensors import DataType
from dmlviz.operators.checking import check
from dmlviz.operators.level_rules import refusals
from dmlviz.scene.levels.columns import TYPES
from dmlviz.scene.levels.matrix import LevelMatrix
from dmlviz.scene.levels.strip import level_strip
from dmlviz.session.experiments import Experiment

QUICK = tried(40)


def experiments() -> st.SearchStrategy[Experiment]:
    return st.builds(lambda case, level: Experiment("any", case.desc, level), cases(), st.sampled_from(LEVELS))


@QUICK
@given(cases(), st.sampled_from(LEVELS))
def test_the_strip_accepts_where_the_rules_do(case: Case, here: FeatureLevel) -> None:
    experiment = Experiment("any", case.desc, here)
    report = experiment.check()
    strip = level_strip(experiment, report)
    assert [m.level for m in strip.marks if m.here] == [here]
    for mark in strip.marks:
        assert mark.accepted == (check(case.desc, experiment.sources_or_defaults()[0], mark.level).ok is not False)


@QUICK
@given(experiments(), st.data())
def test_a_cell_is_accepted_where_the_rules_accept_its_type(experiment: Experiment, data: st.DataObject) -> None:
    matrix = LevelMatrix(experiment)
    table = data.draw(st.sampled_from([table for table in matrix.tables if table.entries is TYPES]))
    entry, column = data.draw(st.sampled_from(TYPES)), data.draw(st.sampled_from(matrix.columns))
    changed = matrix.chosen(table, entry, column).desc
    for level in (column.first, column.last):
        failed = {(c.id, c.field.split("[")[0].split(".")[0]) for c in refusals(changed, level)}
        broken = {("dtype.supported", name) for name in table.fields} | {("level.operator", "FeatureLevel")}
        assert matrix.accepted(table, entry, column) == (not failed & broken)


@QUICK
@given(experiments(), st.data())
def test_choosing_a_cell_goes_there_and_keeps_sizes(experiment: Experiment, data: st.DataObject) -> None:
    matrix = LevelMatrix(experiment)
    table = data.draw(st.sampled_from(matrix.tables))
    entry, column = data.draw(st.sampled_from(table.entries)), data.draw(st.sampled_from(matrix.columns))
    chosen = matrix.chosen(table, entry, column)
    assert column.holds(chosen.feature_level)
    assert [p.tensor.sizes for p in chosen.desc.parts] == [p.tensor.sizes for p in experiment.desc.parts]
    if isinstance(entry, DataType):
        assert LevelMatrix(chosen).present(table) == {entry}
    if matrix.is_here(table, entry, column):
        assert chosen == experiment
