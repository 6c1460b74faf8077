"""Levels of several operators without a screen: stages added, changed, taken out and undone; the end is judged."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import pytest
from support.answering import Clock

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.teaching.lessons.lessons import level, stages_levels
from dmlviz.teaching.levels.stages import StagesLevel, stages_in
from dmlviz.teaching.progress.progress import Progress
from dmlviz.workspace.levels.stages_work import StagesWork
from dmlviz.workspace.shown.picture import Room


def work_on(id_: str, progress: Progress | None = None) -> StagesWork:
    each = level(id_)
    assert isinstance(each, StagesLevel)
    work = StagesWork(each, progress if progress is not None else Progress(), Clock())
    work.fit(Room(70, 14))
    return work


def rows(work: StagesWork) -> dict[str, str]:
    return {row.key: row.text for row in work.state.form.rows}


def type_all(work: StagesWork, **texts: str) -> None:
    for key, text in texts.items():
        work.type_in_field(key, text)


def solve_halves(work: StagesWork) -> None:
    """C02: SPLIT, then JOIN of its parts the other way round."""
    type_all(work, OutputTensors="2,2")
    work.add_stage("JOIN")
    type_all(work, InputCount="2", **{"InputTensors[0]": "1[1]", "InputTensors[1]": "1[0]"})


def test_a_chain_is_built_and_wins_and_is_kept_once() -> None:
    progress = Progress()
    work = work_on("C02", progress)
    assert rows(work) == {"InputTensor": "x", "Axis": "1", "OutputTensors": "4"}
    solve_halves(work)
    state = work.state
    assert state.attempt.won
    assert (state.attempt.changed, state.terms.par, state.attempt.best) == (3, 3, 3)
    assert state.chain is not None
    assert [stage.operator for stage in state.chain.stages] == ["SPLIT", "JOIN"]
    assert state.chain.at == 1
    work.undo()
    assert work.at == 1, "the stage that it has changed"
    while work.state.attempt.undoable:
        work.undo()
    assert len(work.stages) == 1
    assert not work.state.attempt.won
    while work.state.attempt.redoable:
        work.redo()
    assert work.state.attempt.won
    assert [each.right for each in progress.answers] == [True]
    assert progress.answers[0].lesson == "levels"


@pytest.mark.parametrize("each", stages_levels(), ids=lambda each: each.id)
def test_the_solution_is_shown_after_all_hints_and_counts_as_skipped(each: StagesLevel) -> None:
    progress = Progress()
    work = work_on(each.id, progress)
    work.show_solution()
    assert len(work.stages) == 1, "not before the last hint"
    for _ in range(4):
        work.hint()
    state = work.show_solution()
    assert state.attempt.won
    assert state.attempt.shown
    assert [answer.skipped for answer in progress.answers] == [True]
    assert work.stages == stages_in(each.solution())
    assert not work.start_again().attempt.shown
    assert work.stages == [dict(each.begin)]


def test_the_end_alone_is_held_against_the_goal() -> None:
    work = work_on("C02")
    solve_halves(work)
    work.type_in_field("InputTensors[0]", "1[0]")
    at_end = work.state
    assert at_end.feedback.summary
    assert at_end.picture.look.entries
    work.step_stage(-1)
    assert work.state.feedback.summary == at_end.feedback.summary
    assert not work.state.picture.look.entries
    assert [table.differing for table in work.state.goal] == [table.differing for table in at_end.goal]


def test_an_operator_that_is_added_reads_the_output_under_the_cursor() -> None:
    work = work_on("C04")
    type_all(work, OutputTensors="2,1")
    work.point(Cursor(Place(True, 1), (0, 0)))
    work.add_stage("TILE")
    assert rows(work)["InputTensor"] == "1[1]"


def test_stages_follow_what_they_read() -> None:
    work = work_on("C08")  # REVERSE of {2, 3}, SPLIT
    type_all(work, Axis="0")
    assert rows(work)["SequenceLengthsTensor"] == "1,1,1"
    work.add_stage("SPLIT")
    work.step_stage(-1)
    work.choose_operator("TILE")
    type_all(work, Repeats="1,2")
    work.step_stage(1)
    assert rows(work)["OutputTensors"] == "6"
    assert work.state.chain is not None
    assert {stage.mark for stage in work.state.chain.stages} == {"✔"}


def test_a_broken_stage_is_told_and_what_reads_it_waits() -> None:
    work = work_on("C02")
    solve_halves(work)
    work.step_stage(-1)
    type_all(work, OutputTensors="2,1")
    chain = work.state.chain
    assert chain is not None
    assert [stage.mark for stage in chain.stages] == ["✘", "…"]
    assert "sizes.sum" in work.state.feedback.summary
    work.step_stage(1)
    assert not work.state.attempt.won
    work.undo()
    assert work.state.attempt.won


def test_a_read_part_that_is_gone_is_no_crash() -> None:
    work = work_on("C02")
    solve_halves(work)
    work.step_stage(-1)
    work.choose_operator("TILE")
    assert not work.state.attempt.won
    work.step_stage(1)
    assert rows(work)["InputTensors[0]"] == "1[1]"
    type_all(work, **{"InputTensors[0]": "x"})
    assert rows(work)["InputTensors[0]"] == "x"


def test_what_a_stage_read_is_read_where_it_is_taken_out() -> None:
    work = work_on("C02")
    assert "only operator" in work.take_out().feedback.refused
    solve_halves(work)
    work.step_stage(-1)
    work.take_out()
    assert rows(work) == {"InputCount": "2", "InputTensors[0]": "x", "InputTensors[1]": "x", "Axis": "1"}
    work.undo()
    assert work.state.attempt.won


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("Repeats", "", "Repeats is ''"),
        ("Repeats", "1,-2", "expected whole numbers"),
        ("Repeats", "1,x", "expected whole numbers"),
        ("Repeats", "99,9", "at most 512"),
        ("Repeats", "1,999999999", "at most 512"),
    ],
)
def test_what_cannot_be_read_or_is_too_large_is_told_and_changes_nothing(key: str, text: str, told: str) -> None:
    work = work_on("C06")
    before = work.stages
    state = work.type_in_field(key, text)
    assert told in state.unread
    assert work.stages == before
    assert not work.type_in_field(key, "1,2").unread


def test_a_tensor_beyond_the_limits_is_drawn_and_is_no_goal() -> None:
    work = work_on("C06")
    state = work.type_in_field("Repeats", "5,1")
    assert not state.unread
    assert "at most 12" in state.feedback.summary
    assert not state.attempt.won


def test_limits_hold_for_indices_and_inputs() -> None:
    gathers = work_on("C10")
    assert "at most 4" in gathers.type_in_field("IndicesTensor", "0,1,2,0,1").unread
    joins = work_on("C02")
    joins.choose_operator("JOIN")
    assert "1 to 3" in joins.type_in_field("InputCount", "4").unread
    assert "1 to 3" in joins.type_in_field("InputCount", "0").unread


def test_no_more_operators_than_the_level_says_and_no_others() -> None:
    work = work_on("C02")
    work.add_stage("TILE")
    before = work.stages
    assert "at most 2 operators" in work.add_stage("TILE").feedback.refused
    work.choose_operator("GATHER")
    work.add_stage("GATHER")
    assert work.stages == before
    assert "given" in work.type_in_field("FeatureLevel", "6_0").feedback.refused


def test_why_names_a_wrong_rule_of_chains() -> None:
    progress = Progress()
    work = work_on("C07", progress)
    work.ask_why()
    assert not progress.answers, "nobody has tried anything"
    type_all(work, SequenceLengthsTensor="3,3")
    work.add_stage("REVERSE_SUBSEQUENCES")
    type_all(work, SequenceLengthsTensor="2,2")
    state = work.ask_why()
    assert "order of two stages" in state.feedback.explained
    assert progress.answers[-1].rules[0] == "Q1"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_edited_can_be_undone_and_what_wins_is_the_goal(seed: int) -> None:
    dice = random.Random(seed)
    each = dice.choice(stages_levels())
    work = work_on(each.id)
    begun = work.stages
    texts = ["", "0", "1", "2", "7", "1,2", "3,3", "2,1,1", "1,1,1", "x", "1[0]", "1[1]", "-1", "999999999", "1,0"]
    for _ in range(120):
        keys = [row.key for row in work.state.form.rows]
        acts: list[Callable[[], object]] = [
            partial(work.type_in_field, dice.choice(keys), dice.choice(texts)),
            partial(work.add_stage, dice.choice(each.allowed)),
            partial(work.choose_operator, dice.choice(each.allowed)),
            partial(work.step_stage, dice.choice((1, -1))),
            partial(work.fit, Room(dice.choice((40, 70, 120)), dice.choice((8, 14, 30)))),
            work.take_out,
            work.undo,
            work.redo,
        ]
        dice.choice(acts)()
        state = work.state
        assert state.chain is not None
        assert 1 <= len(state.chain.stages) <= each.stages
        assert state.attempt.won is each.judge(work.tried).won
        assert state.attempt.changed == each.numbers_changed(work.tried)
        assert not (state.attempt.won and state.attempt.changed < each.par)
    while work.state.attempt.undoable:
        work.undo()
    assert work.stages == begun
