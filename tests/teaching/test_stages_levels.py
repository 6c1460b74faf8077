"""Levels of two operators: par searched again by a program that knows no dmlviz, solutions, traps, what is refused."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.chain_search import Limits, Move, Tensor, first_stages, moves, names_of, search, whole
from support.mutations import hostile

from dmlviz.errors import DmlvizError, TaskError
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import lesson_of, level, stages_levels
from dmlviz.teaching.lessons.task_checks import faults
from dmlviz.teaching.levels.level import answer_of, best
from dmlviz.teaching.levels.stages import STAGES, Rows, StagesLevel, begun, level_of, stages_in
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.goals import picture_of
from dmlviz.teaching.tasks.tasks import question_of, task_of

LEVELS = stages_levels()
FIELDS = {
    "JOIN": ("Axis",),
    "SPLIT": ("Axis", "OutputTensors"),
    "TILE": ("Repeats",),
    "GATHER": ("Axis", "IndicesTensor"),
    "REVERSE_SUBSEQUENCES": ("Axis", "SequenceLengthsTensor"),
}
named = pytest.mark.parametrize("each", LEVELS, ids=lambda each: each.id)


def rows_of(move: Move) -> Rows:
    """A move of the search as a stage is written."""
    reads = tuple(name if name == "x" or "[" in name else f"{name}[0]" for name in move.numbers[0])
    fields = zip(FIELDS[move.operator], move.numbers[1:], strict=True)
    return {"Operator": (move.operator,), "reads": reads, **dict(fields)}


def limits_of(each: StagesLevel) -> Limits:
    return Limits(**each.limits)


def goal_of(each: StagesLevel) -> Tensor:
    sizes, values = each.goal.outputs[0]
    return Tensor(tuple(sizes), tuple(map(int, values)))


def changed(each: StagesLevel, **members: Any) -> Experiment:
    """The level's start with other members of its task; None takes one out."""
    task = {key: value for key, value in {**each.start.extra["task"], **members}.items() if value is not None}
    return replace(each.start, extra={"task": task})


def test_there_are_ten_easiest_first_rotating_and_the_palindrome_among_them() -> None:
    assert [each.id for each in LEVELS] == [f"C{n:02}" for n in range(1, 11)]
    assert [each.par for each in LEVELS] == sorted(each.par for each in LEVELS)
    assert goal_of(level_named("C01")).items == (1, 2, 3, 3, 2, 1)
    assert goal_of(level_named("C07")).items == (3, 1, 2, 6, 4, 5)
    assert "GATHER" not in level_named("C07").allowed
    assert {each.stages for each in LEVELS} == {2}
    assert all(each.level_task.learn and len(each.task.hints) == 4 for each in LEVELS)


def level_named(id_: str) -> StagesLevel:
    found = level(id_)
    assert isinstance(found, StagesLevel)
    return found


def test_pars_are_the_least_there_is() -> None:
    """No chain of fewer operators within the limits makes the goal, and none of as many with fewer numbers."""
    for each in LEVELS:
        x = whole(each.x.sizes)
        assert picture_of(each.first).outputs[0] == (x.sizes, tuple(map(float, x.items)))
        found = search(each.allowed, x, goal_of(each), limits_of(each))
        assert found is not None
        assert (found.operators, found.numbers) == (each.stages, each.par), each.id
        written = each.start.extra["task"]["checked"]
        assert (found.tried, len(found.chains)) == (written["chains_tried"], written["ways_at_par"]), each.id
        for chain in found.chains:
            assert each.judge(each.built([rows_of(move) for move in chain])[-1]).won, each.id


@named
def test_the_search_and_dmlviz_agree_on_what_chains_make_and_cost(each: StagesLevel) -> None:
    dice, x, limits = random.Random(each.id), whole(each.x.sizes), limits_of(each)
    for one in dice.sample(found := first_stages(each.allowed, x, limits), min(6, len(found))):
        names = names_of(1, one.outputs)
        sources = [("x", x), *zip(names, one.outputs, strict=True)]
        every = [*moves(each.allowed, sources, names[0], limits)]
        for two in dice.sample(every, min(4, len(every))):
            chain = [rows_of(one), rows_of(two)]
            end = each.built(chain)[-1]
            made = [Tensor(tuple(sizes), tuple(map(int, values))) for sizes, values in picture_of(end).outputs]
            assert tuple(made) == two.outputs, chain
            assert each.numbers_changed(end) == one.cost + two.cost, chain


@named
def test_solutions_win_at_par_and_are_read_back_from_progress(each: StagesLevel) -> None:
    for k in range(len(each.level_task.solutions)):
        tried = each.solution(k)
        verdict = each.judge(tried)
        assert verdict.won, verdict.sentence
        assert verdict.changed == each.par
        answer = json.loads(json.dumps(answer_of(tried)))
        assert stages_in(each.tried_by(answer)) == stages_in(tried)
        answered = Answered(
            time="2026-11-22T19:40:05Z", task=each.id, operator="", kind="level", seed=0, right=True, answer=answer
        )
        assert best(each, [answered]) == each.par
    assert not each.judge(each.first).won


@named
def test_no_single_operator_copies_its_way_to_the_goal(each: StagesLevel) -> None:
    """An operator that was just added changes nothing, and counts for nothing."""
    for operator in each.allowed:
        end = each.built([begun(operator, each.x, "x", each.limits["indices"])])[-1]
        assert picture_of(end).outputs == picture_of(each.first).outputs
        assert each.numbers_changed(end) == 0


def test_traps_do_not_win_and_are_told_by_their_rules() -> None:
    rules = set()
    for each in LEVELS:
        for k in range(len(each.level_task.traps)):
            rule, tried = each.trap(k)
            verdict = each.judge(tried)
            assert not verdict.won
            assert rule in verdict.rules
            assert "this would be it" in verdict.sentence
            rules.add(rule)
    assert {"Q1", "Q4", "Q5"} <= rules


def test_shipped_levels_have_no_fault_and_a_wrong_par_is_one() -> None:
    session = Session(tuple(each.start for each in LEVELS))
    assert [*faults(session)] == []
    told = [fault.sentence for fault in faults(Session((changed(LEVELS[6], par=3),)))]
    assert any("task.par is 3, expected 4" in sentence for sentence in told), told


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"stages": 1}, "task.stages is 1"),
        ({"stages": True}, "task.stages is true"),
        ({"stages": 9}, "task.stages is 9"),
        ({"allowed": []}, "task.allowed is []"),
        ({"allowed": None}, "task.allowed is []"),
        ({"allowed": ["PADDING"]}, "task.allowed is"),
        ({"limits": 7}, "task.limits is 7"),
        ({"limits": {"axes": 3}}, "task.limits is"),
        ({"limits": {"elements": 0}}, "task.limits.elements is 0"),
        ({"limits": {"elements": 1 << 40}}, "task.limits.elements is"),
    ],
)
def test_what_is_no_level_of_stages_is_refused_in_a_sentence(members: dict[str, Any], told: str) -> None:
    with pytest.raises(TaskError, match="expected") as raised:
        task_of(changed(LEVELS[0], **members))
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        7,
        {},
        {"stages": []},
        {"stages": [7]},
        {"stages": [{"Operator": ["GATHER"]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x"]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["1[0]"], "Repeats": [1, 1]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x", "x"], "Repeats": [1, 1]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [1, -1]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [1, 1 << 40]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [99, 99]}]},
        {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [1, 1.5]}]},
    ],
)
def test_a_forged_answer_is_refused_and_counts_for_nothing(answer: object) -> None:
    each = LEVELS[0]
    with pytest.raises(DmlvizError):
        each.tried_by(answer)
    forged = Answered(
        time="2026-11-22T19:40:05Z", task="C01", operator="", kind="level", seed=0, right=True, answer=answer
    )
    assert best(each, [forged]) is None


def test_a_level_of_stages_is_told_as_a_question_and_survives_its_file() -> None:
    each = LEVELS[1]
    question = question_of(each.start, each.task)  # of a lesson's step, or on a wall
    assert not question.grade(answer_of(each.start)).right
    assert "JOIN (1[1], 1[0]) Axis {1}" in question.kind.says(question)
    session, errors = parse(dump(Session((each.start,))).encode(), "it", None)
    assert not errors
    task = task_of(session.experiments[0])
    assert task is not None
    again = level_of(session.experiments[0], task)
    assert isinstance(again, StagesLevel)
    assert again.judge(again.solution()).won
    lesson = lesson_of(session)
    assert lesson is not None
    assert [step.problem for step in lesson.steps] == [""]


def test_an_unpromised_element_on_the_way_is_no_goal() -> None:
    each = level_named("C10")
    first = {"Operator": ("GATHER",), "reads": ("x",), "Axis": (1,), "IndicesTensor": (7, 0)}  # 7 acts as 2
    end = each.built([first, {**first, "reads": ("1[0]",), "Axis": (0,), "IndicesTensor": (2, 0)}])[-1]
    verdict = each.judge(end)
    assert np.array_equal(picture_of(end).outputs[0][1], each.goal.outputs[0][1])
    assert not verdict.won
    assert "promises no value" in verdict.sentence
    assert STAGES in end.extra


def test_mutated_levels_and_answers_are_refused_in_sentences() -> None:
    dice, built = random.Random(33), 0
    for _ in range(150):
        each = dice.choice(LEVELS)
        (written,) = json.loads(dump(Session((each.start,))))["experiments"]
        data = hostile(dice, {"dmlviz": 1, "experiments": [written]})
        with suppress(DmlvizError):
            session, _ = parse(data.encode("utf-8", "surrogatepass"), "it", None)
            assert all(fault.sentence for fault in faults(session))
            for experiment in session.experiments:
                task = task_of(experiment)
                again = level_of(experiment, task) if task is not None and task.level is not None else None
                built += isinstance(again, StagesLevel) and not again.judge(again.first).won
        with suppress(DmlvizError, ValueError):
            each.tried_by(json.loads(hostile(dice, answer_of(each.solution()))))
    assert built > 20
