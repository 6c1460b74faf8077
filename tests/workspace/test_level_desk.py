"""Levels without a screen: solved by edits, judged at each, with what is given left as it is."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from support.answering import Clock
from support.levels import after, lead_to, level, work_on

from dmlviz.desc.fields import Role
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import Place
from dmlviz.scene.look import EntryKind
from dmlviz.teaching.kinds.whole_descs import read_desc
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.goals import flowed, with_lists
from dmlviz.teaching.tasks.tasks import Wanted
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.levels.level_desk import LevelDesk

WAYS = [(each.id, k) for each in shipped_levels() for k in range(len(each.task.solutions))]


def data_of(work: LevelDesk) -> list[tuple[object, ...]]:
    """What the data tensors hold."""
    experiment = with_lists(work.state.view.experiment)
    found: list[tuple[object, ...]] = []
    for part in experiment.desc.inputs:
        held = experiment.values[part.path]
        assert isinstance(held, Listed)
        if part.field.role is Role.DATA:
            found.append(held.items)
    return found


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_every_solution_is_reached_by_edits(name: str, way: int) -> None:
    progress = Progress()
    work = work_on(name, progress)
    assert not work.state.won
    target = level(name).solution(way)
    state = lead_to(work, target)
    assert state.won
    assert state.solved
    assert not state.summary
    assert all(not table.differing for table in state.goal)
    if way == 0:
        assert state.changed == state.level.par == state.best
    answered = progress.answers[-1]
    assert (answered.task, answered.kind, answered.right, answered.skipped) == (name, "level", True, False)
    answer = read_desc(answered.answer, level(name).start.desc.TYPE, any_operator=True)
    tried = flowed(level(name).start, answer.desc, dict(answer.steering))
    assert not isinstance(tried, str)
    assert level(name).judge(tried).won


def test_what_is_undone_and_done_again_is_won_once() -> None:
    progress = Progress()
    work = work_on("L21", progress)
    begun, cells = work.experiment, [table.differing for table in work.state.goal]
    lead_to(work, level("L21").solution())
    while work.document.past:
        work.undo()
    assert (work.experiment, [table.differing for table in work.state.goal]) == (begun, cells)
    assert not work.state.won
    while work.document.future:
        work.redo()
    assert work.state.won
    assert sum(each.right for each in progress.answers) == 1


@pytest.mark.parametrize("name", ["L10", "L21"])
def test_what_is_given_takes_no_edit_and_says_why(name: str) -> None:
    work = work_on(name)
    before, data = work.experiment, data_of(work)
    paths = [part.path for part in before.desc.inputs if part.field.role is Role.DATA]
    for key in ["FeatureLevel", "DataType", *(f"{path}.values" for path in paths), *(k for k, _ in work.state.given)]:
        state = after(work, "type_in_field", key, "1")
        assert work.experiment == before
        assert "is given in this puzzle. You can change " in state.unread
        work.leave_fields()
        work.refuse(key)
        assert work.notices() == [state.unread]
        assert not work.document.past
    assert data_of(work) == data


def test_indices_and_their_sizes_follow_each_other() -> None:
    work = work_on("L21")
    work.type_in_field("IndicesTensor", "1,2,2")
    held = work.experiment.values["IndicesTensor"]
    assert isinstance(held, Listed)
    assert (held.items[:2], len(held.items)) == ((0, 1), 4)
    state = after(work, "type_in_field", "IndicesTensor.values", "0,1,1")
    assert "change its sizes first" in state.unread
    work.leave_fields()
    work.type_in_field("IndicesTensor", "1,1,2")
    work.type_in_field("IndicesTensor.values", "0,1,1")
    part = next(p for p in work.experiment.desc.inputs if p.path == "IndicesTensor")
    assert part.tensor.sizes == (1, 1, 3)


def test_differing_cells_are_marked_in_both_pictures_and_nowhere_else() -> None:
    work = work_on("L09")
    state = after(work, "type_in_field", "IndicesTensor.values", "2,1,1")
    assert work.experiment.desc.outputs[0].tensor.sizes == (3, 2)
    made = np.array([[5, 6], [3, 4], [3, 4]]).reshape(-1)
    goal = np.array([float(text) for text in state.goal[0].values])
    wrong = frozenset(np.flatnonzero(made != goal).tolist())
    assert state.goal[0].differing == wrong == {2, 3}
    entries = state.picture.look.entries[Place(True, 0)]
    assert {flat for flat, entry in entries.items() if entry.kind is EntryKind.WRONG} == wrong
    assert state.summary == "2 of 6 cells differ from the goal."


@pytest.mark.parametrize("name", ["L10", "L24", "L25"])
def test_a_broken_rule_shows_the_inputs_and_no_fix(name: str) -> None:
    """What a fix would give may be the answer, so nothing of it is drawn."""
    work = work_on(name)
    state = work.state
    assert state.view.report.errors
    assert state.view.trace is None
    assert state.picture.scene is None
    assert [table.sizes for table in state.tables] == [part.tensor.sizes for part in work.experiment.desc.inputs]
    assert state.summary.startswith(state.view.report.errors[0].id)
    assert not any(table.differing for table in state.goal)


@pytest.mark.parametrize(
    ("name", "key", "text", "rule"),
    [
        ("L03", "Repeats", "3,2", "C1"),
        ("L04", "SequenceLengthsTensor.values", "2", "R3"),
    ],
)
def test_a_failed_try_is_explained_by_its_wrong_rule_when_it_is_asked_for(
    name: str, key: str, text: str, rule: str
) -> None:
    progress = Progress()
    work = work_on(name, progress)
    state = after(work, "ask_why")
    assert (state.explained, progress.answers) == (sentence("level.unchanged"), []), "nobody follows a rule yet"
    state = after(work, "type_in_field", key, text)
    assert not state.explained
    assert not progress.answers
    state = after(work, "ask_why")
    assert state.explained
    assert [(each.right, rule in each.rules) for each in progress.answers] == [(False, True)]
    work.ask_why()
    assert len(progress.answers) == 1  # the same try once more
    assert not after(work, "type_in_field", key, text.replace("2", "1").replace("0", "1")).explained


def test_four_hints_then_the_solution_which_counts_as_skipped() -> None:
    progress = Progress()
    work = work_on("L16", progress)
    said = []
    for rung in range(1, 5):
        assert not work.state.may_show
        work.show_solution()
        state = after(work, "hint")
        said.append(state.hint)
        assert state.hints == rung
    assert said == [*level("L16").task.hints]
    assert work.state.may_show
    state = after(work, "show_solution")
    assert state.won
    assert state.shown
    assert not state.solved
    assert [(each.right, each.skipped, each.rungs) for each in progress.answers] == [(False, True, 4)]
    assert not after(work, "undo").won
    work.start_again()
    state = lead_to(work, level("L16").solution())
    assert state.solved
    assert [(each.right, each.rungs) for each in progress.answers[1:]] == [(True, 4)]


def test_a_start_that_wins_is_no_answer() -> None:
    known, progress = level("L01"), Progress()
    found = known.judge(known.start).outputs
    assert found is not None
    goal = tuple(Wanted(Sizes=sizes, values=[*values]) for sizes, values in found.outputs)
    work = LevelDesk(Level(known.start, replace(known.task, goal=goal)), progress, Clock())
    assert work.state.won
    assert not work.state.solved
    assert not progress.answers
