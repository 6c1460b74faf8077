"""The shipped levels: each solved through a session, par the least there is, traps explained; what a try comes to."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from support.level_domains import tries
from support.teaching import past_answer

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.errors import TaskError
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import level, shipped_levels, taught_types
from dmlviz.teaching.levels.level import Level, answer_of, best
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.goals import Attempt, picture_of
from dmlviz.teaching.tasks.changed_descs import distance
from dmlviz.teaching.tasks.tasks import question_of, task_of

LEVELS = shipped_levels()
COURSE = 25
"""Levels of the course; each neighbour of its operators has one more."""
FAST = 900
"""Descs of a domain that are tried each time."""


def named(levels: list[Level]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("each", levels, ids=lambda each: each.id)


def checked(each: Level) -> Mapping[str, int]:
    found: Mapping[str, int] = each.start.extra["task"]["checked"]
    return found


def reread(experiment: Experiment) -> Experiment:
    """The experiment through its session's JSON."""
    session, errors = parse(dump(Session((experiment,))).encode(), "it", None)
    assert not errors
    return session.experiments[0]


def with_axis(each: Level, axis: int) -> Experiment:
    return dataclasses.replace(each.start, desc=each.start.desc.replace({"Axis": axis}))


def with_values(each: Level, path: str, *items: int) -> Experiment:
    part = next(p for p in each.start.desc.inputs if p.path == path)
    sizes = (*(1,) * (part.tensor.dimension_count - 1), len(items))
    desc = each.start.desc.replace({path: part.tensor.resized(sizes)})
    return dataclasses.replace(each.start, desc=desc, values={**each.start.values, path: Listed(items, sizes)})


def test_there_are_25_levels_easiest_first_and_one_of_each_neighbour_behind_them() -> None:
    assert [each.id for each in LEVELS] == [f"L{n:02}" for n in range(1, len(LEVELS) + 1)]
    types = [each.start.desc.TYPE for each in LEVELS]
    assert {*types[:COURSE]} == {*taught_types()}
    assert len(types) == len({*types[COURSE:]} - {*taught_types()}) + COURSE
    assert all(each.level_task.learn and len(each.task.hints) == 4 for each in LEVELS)
    assert [each.title() for each in LEVELS][:2] == ["Side by side", "Two and four"]


@named(list(LEVELS))
def test_a_start_is_no_solution(each: Level) -> None:
    verdict = each.judge(each.start)
    assert not verdict.won
    assert verdict.changed == 0
    assert verdict.sentence


@named(list(LEVELS))
def test_each_solution_wins_after_it_was_saved_and_read_again(each: Level) -> None:
    count = len(each.level_task.solutions)
    for k in range(count):
        tried = reread(each.solution(k))
        verdict = each.judge(tried)
        assert verdict.won, verdict.sentence
        assert verdict.outputs == each.goal
        assert not verdict.cells
        assert not verdict.wrong_sizes
        assert verdict.changed >= each.par
        assert dml.check(tried.desc, feature_level=each.start.feature_level).ok
    assert min(each.numbers_changed(each.solution(k)) for k in range(count)) == each.par


@named(list(LEVELS))
def test_a_level_asked_as_a_question_is_answered_by_its_solution(each: Level) -> None:
    question = question_of(each.start, each.task)
    for k in range(len(each.level_task.solutions)):
        assert question.grade(answer_of(each.solution(k))).right
    assert not question.grade(answer_of(each.start)).right
    assert [question.hint(n) for n in (1, 4)] == [each.task.hints[0], each.task.hints[3]]


@named([each for each in LEVELS if each.level_task.traps])
def test_a_trap_does_not_win_and_is_explained_by_its_rule(each: Level) -> None:
    for k in range(len(each.level_task.traps)):
        rule, tried = each.trap(k)
        verdict = each.judge(reread(tried))
        assert not verdict.won
        assert rule in verdict.rules
        assert "this would be it" in verdict.sentence


def held_in_domain(each: Level) -> None:
    """No desc of the domain that makes the goal is nearer than par, and as many make it as its author counted."""
    counted = checked(each)
    descs, winning = 0, []
    for tried in tries(each):
        descs += 1
        if Attempt(tried).outputs == each.wanted:
            winning.append(each.numbers_changed(tried))
    assert descs == counted["descs_tried"]
    assert len(winning) == counted["winning"]
    assert min(winning) == each.par
    assert winning.count(each.par) == counted["ways_at_par"]


@named([each for each in LEVELS if checked(each)["descs_tried"] <= FAST])
def test_par_is_the_least_of_a_small_domain(each: Level) -> None:
    held_in_domain(each)


@pytest.mark.slow
@named([each for each in LEVELS if checked(each)["descs_tried"] > FAST])
def test_par_is_the_least_of_a_large_domain(each: Level) -> None:
    held_in_domain(each)


def test_the_looks_of_a_start_are_those_that_the_design_names() -> None:
    """To a student with such a rule the start looks won already."""
    looks = {each.id for each in LEVELS if {"C1", "C2", "S1c"} & set(each.judge(each.start).rules)}
    assert {"L01", "L06", "L07", "L10", "L12", "L23"} <= looks


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
    lengths_of_four = {**each.start.values, "SequenceLengthsTensor": Listed((1, 1, 1, 1), (1, 4))}
    assert (
        each.numbers_changed(dataclasses.replace(each.start, desc=turned, values=lengths_of_four)) == 2
    )  # Axis and a length
    assert each.numbers_changed(each.start) == 0


@pytest.mark.parametrize(
    ("id_", "path", "may"),
    [
        ("L01", "Axis", True),
        ("L01", "InputTensors[0].Sizes", False),
        ("L01", "InputTensors[0]", False),
        ("L02", "OutputTensors[1].Sizes[0]", True),
        ("L02", "OutputTensors[1].DataType", False),
        ("L05", "IndicesTensor", True),
        ("L05", "IndicesTensor.Sizes", True),
        ("L05", "InputTensor", False),
        ("L13", "InputTensor.Sizes", True),
        ("L13", "InputTensor", False),
        ("L13", "Repeats[1]", True),
        ("L23", "Operator", True),
        ("L22", "Operator", False),
    ],
)
def test_what_may_change_is_said(id_: str, path: str, may: bool) -> None:
    assert level(id_).allows(path) is may


def test_cells_that_differ_are_marked_where_sizes_agree() -> None:
    each = level("L05")  # goal 14 12 14 of 11 12 13 14
    verdict = each.judge(each.start)  # 11 12 13
    assert verdict.cells == {(0, 0), (0, 2)}
    assert not verdict.wrong_sizes
    assert verdict.outputs == picture_of(each.start)


def test_cells_that_the_goal_has_not_are_marked_where_sizes_differ() -> None:
    each = level("L01")
    verdict = each.judge(each.start)  # {4, 2} instead of {2, 4}
    assert verdict.wrong_sizes
    assert {(0, flat) for flat in (4, 5, 6, 7)} <= verdict.cells
    assert (0, 0) not in verdict.cells


def test_data_values_are_given_whatever_a_try_says() -> None:
    each = level("L05")
    cheat = dataclasses.replace(each.start, values={**each.start.values, "InputTensor": Listed((14, 12, 14, 0), (4,))})
    assert not each.judge(cheat).won


def test_the_same_elements_flow_into_other_sizes() -> None:
    each = level("L13")
    tensor = each.start.desc.get("InputTensor")
    tried = dataclasses.replace(each.start, desc=each.start.desc.replace({"InputTensor": tensor.resized((3, 1))}))
    assert each.judge(tried).won
    wider = dataclasses.replace(each.start, desc=each.start.desc.replace({"InputTensor": tensor.resized((4, 1))}))
    assert "expected 3" in each.judge(wider).sentence


def test_any_operator_wins_and_is_counted_from_its_own_start() -> None:
    each = level("L23")
    assert [each.judge(each.solution(k)).won for k in range(3)] == [True] * 3
    assert [each.solution(k).desc.TYPE.rpartition("_")[2] for k in range(3)] == ["TILE", "JOIN", "GATHER"]
    assert each.numbers_changed(each.solution(1)) == 2  # the operator, and Axis
    start = each.start_of("DML_OPERATOR_JOIN")
    assert start is not None
    assert not each.judge(start).won


def test_a_broken_rule_an_unpromised_element_and_wrong_sizes_are_told() -> None:
    each = level("L01")
    assert "axis.range" in each.judge(with_axis(each, 7)).sentence
    assert each.judge(with_axis(each, 7)).outputs is None
    gather = level("L09")
    assert "promises no value" in gather.judge(with_values(gather, "IndicesTensor", 0, 1, 9)).sentence
    assert "expected {3, 2}" in gather.judge(with_values(gather, "IndicesTensor", 0, 0)).sentence


def test_a_desc_that_the_level_does_not_take_does_not_win() -> None:
    each = level("L25")
    tried = each.solution()
    assert each.start.feature_level.value == "1_0"
    assert each.judge(
        dataclasses.replace(tried, feature_level=dml.FeatureLevel.of("5_0"))
    ).won  # the level's own counts
    two = each.judge(each.start)
    assert "dimension_count.supported" in two.sentence or two.rules


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


def test_solutions_that_are_not_there_are_refused() -> None:
    with pytest.raises(TaskError, match="expected one of 1"):
        level("L01").solution(1)
    with pytest.raises(TaskError, match=f"expected one from L01 to {LEVELS[-1].id}"):
        level("L99")
    task = task_of(level("L01").start)
    assert task is not None
    with pytest.raises(TaskError, match=r"expected .level"):
        Level(level("L01").start, replace(task, level=None, kind="sizes"))
