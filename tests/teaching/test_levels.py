"""The shipped levels: each solved through a session, traps explained; what a try comes to."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec import convert
from msgspec.structs import replace
from support.answering import past_answer
from support.levels import level

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import shipped_levels, taught_types
from dmlviz.teaching.levels.level import Level, answer_of, best
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.goals import picture_of
from dmlviz.teaching.tasks.changed_descs import Change, changed, distance
from dmlviz.teaching.tasks.tasks import question_of

LEVELS = shipped_levels()
COURSE = 25
"""Levels of the course; each neighbour of its operators has one more."""


def named(levels: list[Level]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("each", levels, ids=lambda each: each.id)


def reread(experiment: Experiment) -> Experiment:
    """The experiment through its session's JSON."""
    session, errors = parse(dump(Session((experiment,))).encode(), "it", None)
    assert not errors
    return session.experiments[0]


def test_there_are_25_levels_easiest_first_and_one_of_each_neighbour_behind_them() -> None:
    assert [each.id for each in LEVELS] == [f"L{n:02}" for n in range(1, len(LEVELS) + 1)]
    types = [each.start.desc.TYPE for each in LEVELS]
    assert {*types[:COURSE]} == {*taught_types()}
    assert len(types) == len({*types[COURSE:]} - {*taught_types()}) + COURSE
    assert all(each.task.learn and len(each.task.hints) == 4 for each in LEVELS)
    assert [each.title for each in LEVELS][:2] == ["Side by side", "Two and four"]


@named(list(LEVELS))
def test_each_solution_wins_after_it_was_saved_and_read_again_and_the_start_does_not(each: Level) -> None:
    begun, question = each.judge(each.start), question_of(each.start, each.task)
    assert (begun.won, each.numbers_changed(each.start), bool(begun.sentence)) == (False, 0, True)
    assert not question.grade(answer_of(each.start)).right
    solutions = [reread(each.solution(k)) for k in range(len(each.task.solutions))]
    for tried in solutions:
        verdict = each.judge(tried)
        assert verdict.won, verdict.sentence
        assert (verdict.outputs, verdict.cells, verdict.wrong_sizes) == (each.goal, frozenset(), False)
        assert question.grade(answer_of(tried)).right
        assert dml.check(tried.desc, feature_level=each.start.feature_level).ok
    assert min(map(each.numbers_changed, solutions)) == each.par


@named([each for each in LEVELS if "traps" in each.start.extra["task"]])
def test_a_trap_does_not_win_and_is_explained_by_its_rule(each: Level) -> None:
    for trap in each.start.extra["task"]["traps"]:
        verdict = each.judge(reread(changed(each.start, convert(trap, Change), "trap")))
        assert not verdict.won
        assert trap["rule"] in verdict.rules
        assert "This is what “" in verdict.sentence


@pytest.mark.parametrize(
    ("before", "after", "far"),
    [((), (), 0), ((1, 2), (1, 2), 0), ((0, 1), (0, 1, 1, 2), 2), ((2, 3), (1, 1, 2, 3), 2), ((3, 2), (2, 3), 2)],
)
def test_distances_are_levenshteins(before: tuple[int, ...], after: tuple[int, ...], far: int) -> None:
    assert distance(before, after) == distance(after, before) == far


def test_undo_costs_nothing_and_what_follows_by_itself_is_free() -> None:
    each = level("L15")
    lengths = each.start.desc.get("SequenceLengthsTensor")
    turned = each.start.desc.replace({"Axis": 0, "SequenceLengthsTensor": lengths.resized((1, 4))})
    values = {**each.start.values, "SequenceLengthsTensor": Listed((1, 1, 1, 1), (1, 4))}
    tried = dataclasses.replace(each.start, desc=turned, values=values)
    assert (each.numbers_changed(tried), each.numbers_changed(each.start)) == (2, 0)  # Axis and a length


def test_cells_that_the_goal_has_otherwise_or_not_at_all_are_marked() -> None:
    each, wide = level("L05"), level("L01")
    verdict, wider = each.judge(each.start), wide.judge(wide.start)
    assert verdict.cells == {(0, 0), (0, 2)}, "goal 14 12 14 of 11 12 13 14, and 11 12 13"
    assert (verdict.wrong_sizes, verdict.outputs) == (False, picture_of(each.start))
    assert wider.wrong_sizes, "{4, 2} instead of {2, 4}"
    assert {(0, flat) for flat in (4, 5, 6, 7)} <= wider.cells
    assert (0, 0) not in wider.cells


def test_data_values_are_given_whatever_a_try_says() -> None:
    each = level("L05")
    cheat = dataclasses.replace(each.start, values={**each.start.values, "InputTensor": Listed((14, 12, 14, 0), (4,))})
    assert not each.judge(cheat).won


def test_the_same_elements_flow_into_other_sizes() -> None:
    each = level("L13")
    tensor = each.start.desc.get("InputTensor")
    fits, wider = (each.start.desc.replace({"InputTensor": tensor.resized((n, 1))}) for n in (3, 4))
    assert each.judge(dataclasses.replace(each.start, desc=fits)).won
    assert "expected 3" in each.judge(dataclasses.replace(each.start, desc=wider)).sentence


def test_any_operator_wins_and_is_counted_from_its_own_start() -> None:
    each = level("L23")
    assert [each.solution(k).desc.TYPE.rpartition("_")[2] for k in range(3)] == ["TILE", "JOIN", "GATHER"]
    assert each.numbers_changed(each.solution(1)) == 2  # the operator, and Axis
    assert not each.judge(each.starts["DML_OPERATOR_JOIN"]).won


def test_the_level_s_own_feature_level_counts() -> None:
    each = level("L25")
    assert each.start.feature_level.value == "1_0"
    assert each.judge(dataclasses.replace(each.solution(), feature_level=dml.FeatureLevel.of("5_0"))).won
    begun = each.judge(each.start)
    assert "dimension_count.supported" in begun.sentence or begun.rules


def test_best_is_the_least_of_right_answers() -> None:
    each = level("L23")

    def answered(tried: Experiment, *, right: bool = True) -> Answered:
        return past_answer(task="L23", kind="level", right=right, answer=answer_of(tried))

    far, near = answered(each.solution(2)), answered(each.solution(0))
    assert best(each, []) is None
    assert best(each, [answered(each.start, right=False), replace(near, task="L01")]) is None
    assert best(each, [far]) == each.numbers_changed(each.solution(2)) > each.par
    assert best(each, [far, near]) == each.par
    assert best(each, [replace(near, answer={"desc": 7}), far]) == best(each, [far])
    assert each.judge(each.tried_by(answer_of(each.solution(2)))).won
