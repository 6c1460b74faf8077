"""Questions without a screen: answered step by step, revealed, practised, and nothing told before."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.answering import Clock, asking, give, typed
from support.effort import tried
from support.kinds import ASKED, IN_PICTURE, MEMORY, OF_CHAINS, of_kind
from support.kinds import KINDS as EVERY_KIND
from support.other_maps import with_other_map
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.spans import Line
from dmlviz.scene.steps.order import Unit
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis.practice import Practice
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.widgets.boards.answer_board import board_of
from dmlviz.workspace.asking.asked_desc import NONE, first_sentence
from dmlviz.workspace.asking.asking import AskDesk, AskState, PracticeDesk
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.wall_desk import WallDesk

NAMES = ("gather-2", "join-2-axis-3", "reverse-1", "split-1", "tile-1", "rule-axis-range", "warning-index-range")
CHAINS = ("chain-rotate-half", "chain-computed-indices")
"""Of these the last experiment is asked about, with all that it reads."""
LATE = {name for name in ASKED if kinds()[name].late}
RELAXED = tried(40, suppress_health_check=list(HealthCheck))
SIZES = ((56, 10), (76, 14), (116, 30), (196, 40))


def experiment(name: str) -> Experiment:
    return examples.example(name).session().experiments[-1 if name in CHAINS else 0]


def text_of(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def picture_text(state: AskState) -> str:
    """What both sides of the picture show."""
    scene, made = state.picture.scene, []
    if scene is not None:
        for stack in (scene.inputs, scene.outputs):
            width = max(stack.width, stack.extent)
            made += stack_lines(stack, 0, stack.height, 0, width, state.picture.look, state.picture.links)
    return text_of(made)


def every() -> list[tuple[str, str]]:
    """Each kind about the first example that has such a question."""
    found = dict[str, str]()
    for name in (*NAMES, *CHAINS):
        subject = Subject(experiment(name))
        for kind in OF_CHAINS if name in CHAINS else ASKED:
            if kind not in found and kinds()[kind].make(subject, 0) is not None:
                found[kind] = name
    return [(name, kind) for kind, name in found.items()]


EVERY = every()


def is_untouched(state: AskState) -> bool:
    """True if nothing is chosen, marked, typed or pointed at."""
    answer = state.answer
    return not (answer.chosen or answer.at is not None or answer.cells or any(answer.slots))


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_while_open_nothing_is_counted_no_source_is_marked_and_the_board_is_the_same_whatever_is_true(
    name: str, kind: str
) -> None:
    asked = asking(experiment(name), kind)
    for cursor in (asked.picture.cursor, Cursor(Place(False, 0), (0,) * 4)):
        if cursor is not None:
            asked.picture.point(cursor)
        state = asked.state
        assert "×" not in picture_text(state)
        assert " read" not in picture_text(state)
        assert state.picture.moving is None
        links = state.picture.links
        assert (links.source, links.via, links.identity) == (None, None, -1)
    if asked.form.fills:
        typed(asked, "1,2")
    state = asked.state
    other = replace(state, question=replace(state.question, truth=None, answers={}))
    for size in SIZES:
        assert board_of(state, *size).lines == board_of(other, *size).lines


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_a_question_from_hints_to_its_truth_and_on(name: str, kind: str) -> None:
    progress = Progress()
    asked = AskDesk(experiment(name), progress, Clock(), only=[kind])
    states = [asked.state]
    for number in (1, 2, 3, 4, 4):
        asked.hint()
        assert asked.state.hint == asked.question.hint(number)
    states += [asked.state, give(asked, asked.question.truth)]
    verdict = states[-1].verdict
    assert verdict is not None
    assert verdict.right
    (kept,) = progress.answers
    assert (kept.skipped, kept.right, kept.rungs, kept.looked_up, kept.kind) == (False, True, 4, True, kind)
    assert kept.seconds > 0
    first = asked.question
    asked.answer()
    assert asked.open
    assert asked.question is not first
    asked.skip()
    states.append(asked.state)
    assert asked.question.hint(4) in states[-1].sentences[0]
    assert [answer.skipped for answer in progress.answers] == [False, True]
    for state in states:
        for width, height in SIZES:
            board = board_of(state, width, height)
            assert not board.whole or len(board.lines) <= height
            assert all(sum(len(span.text) for span in line) <= width for line in board.lines)


@RELAXED
@given(cases(), st.sampled_from(sorted(IN_PICTURE)), st.integers(0, 99), st.data())
def test_another_map_draws_the_same_open_picture(case: Case, kind: str, seed: int, data: st.DataObject) -> None:
    """Of a map that is replaced by another with the same sizes, nothing in the picture tells while it is open."""
    plain = dml.trace(case.desc, case.arrays)
    try:
        asked = asking(Experiment("of a test", case.desc), kind)
    except DmlvizError:
        return
    rooms = data.draw(st.sampled_from(SIZES))
    moves = data.draw(st.lists(st.sampled_from(["left", "right", "up", "down", "tab", "mark", "click"]), max_size=4))
    assert asked.view is not None
    drawn = []
    for trace in (plain, with_other_map(plain, Unit.ELEMENT, 0, seed)):
        asked.view = replace(asked.view, trace=trace)
        asked._begin(asked.question)
        asked.fit(Room(*rooms))
        texts = [picture_text(asked.state)]
        for move in moves:
            steps = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
            if move in steps:
                asked.move(*steps[move])
            elif move == "click":
                asked.click(Cursor(Place(False, 0), (0,) * len(case.desc.inputs[0].tensor.sizes)))
            else:
                asked.other_side() if move == "tab" else asked.mark()
            texts.append(picture_text(asked.state))
        drawn.append(texts)
    assert drawn[0] == drawn[1]


# ---- what is drawn


def test_digits_stand_in_the_cell_and_a_wrong_one_beside_the_truth_until_steps_are_shown() -> None:
    asked = asking(experiment("gather-2"), "cell")
    typed(asked, "478")
    asked.answering.erase()
    assert asked.state.answer.slots == ("47",)
    asked.answer()
    assert "✗47 ✓3" in picture_text(asked.state)
    asked.step(1)
    assert "✗" not in picture_text(asked.state)


def test_which_cells_come_first_in_memory_is_not_told_by_where_digits_stand() -> None:
    asked = asking(experiment("gather-2"), "order")
    before, cursor = picture_text(asked.state), asked.picture.cursor
    typed(asked, "1,2,3,4")
    assert asked.state.answer.slots[:4] == ("1", "2", "3", "4")
    assert (picture_text(asked.state), asked.picture.cursor) == (before, cursor)
    assert "?" not in before


def test_marks_are_set_and_taken_away_and_none_has_to_be_said() -> None:
    asked = asking(experiment("tile-1"), "dest")
    truth = asked.question.truth
    for seen in (True, False, True):
        asked.click(Cursor(Place(True, truth[0][0]), truth[0][1]))
        assert ("▣" in picture_text(asked.state)) is seen
        assert asked.state.answer.pointed == ("1 marked" if seen else "?")
    for pointed in (sentence("words.none"), "?"):
        asked.answering.choose(NONE)
        assert asked.state.answer.pointed == pointed
    asked.move(0, 1)
    asked.mark()
    asked.answer()
    verdict = asked.state.verdict
    assert verdict is not None
    assert not verdict.right
    assert "○" in picture_text(asked.state)


def test_what_is_looked_at_is_no_answer_until_it_is_chosen() -> None:
    asked = asking(experiment("gather-2"), "source")
    for cursor in (Cursor(Place(False, 0), (1, 0)), Cursor(Place(True, 0), (0, 0)), Cursor(Place(False, 1), (0, 2))):
        asked.picture.point(cursor)  # as a click on the mark does that turns a slice
        asked.click(Cursor(Place(False, 7), (0, 0)))  # of a picture that has gone
        assert (asked.state.answer.pointed, asked.state.answer.sentence, asked.picture.cursor) == ("?", "", cursor)


# ---- what is asked


@pytest.mark.drawn(12)
@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: str(shipped.name))
def test_the_first_question_about_an_example_is_about_what_it_makes_or_breaks(shipped: examples.Example) -> None:
    """Of every example's experiments, whose own tasks come before: never memory, levels, or "none is unread"."""
    for each in shipped.session().experiments:
        question = AskDesk(each, Progress(), Clock(), seed=9).question
        if question.subject.valid:
            assert question.kind.name not in LATE, question.prompt
            assert question.truth != (), question.prompt
        else:
            assert question.kind.about_rules, question.prompt


# ---- an answer is empty until it is touched, and a second try replaces the first


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_an_untouched_answer_is_not_graded_and_the_first_key_that_moves_shows_what_enter_would_take(kind: str) -> None:
    about, question = of_kind(kind)
    asked = AskDesk(about, Progress(), Clock(), own=question)
    form = asked.form
    for act in (asked.answer, lambda: asked.fit(Room(60, 12)), lambda: asked.step(1), asked.answer):
        act()
        assert asked.open
        assert is_untouched(asked.state)
        assert not asked.has_answers
    assert asked.state.answer.sentence == ("" if form.how == "edit" else first_sentence(question))
    for by in ((0, 1), (1, 0), (0, -1)) if form.is_listed or form.how == "mark" else ():
        asked._begin(question)
        asked.fit(Room(100, 24))
        asked.move(*by)
        state = asked.state
        if form.is_listed:
            assert state.answer.at in (0, len(state.answer.options) - 1)
            assert bool(state.answer.chosen) is not form.takes_several
        else:
            assert (state.answer.pointed == "?") is form.takes_several
        asked.answer()
        assert asked.open is form.takes_several  # which space takes


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (" 4  2 ", "4,2,"),
        ("4-↵,2", "4-,2"),
        ("4,2-↵⌫1", "4,21"),
    ],
)
def test_blank_and_comma_part_numbers_and_what_was_refused_is_replaced(keys: str, text: str) -> None:
    asked = asking(experiment("gather-2"), "sizes")
    for key in keys:
        if key == "⌫":
            asked.answering.erase()
        elif key != "↵":
            asked.answering.press(key)
        else:
            asked.answer()
            assert "expected" in asked.state.answer.sentence or "isn't" in asked.state.answer.sentence
            assert asked.open
    assert asked.state.answer.slots == (text,)


def test_a_blank_leads_to_the_next_cell_and_a_number_that_one_comes_back_to_is_replaced() -> None:
    asked = asking(experiment("gather-2"), "fill")
    typed(asked, "12 3,4")
    asked.answering.go_to_slot(0)
    typed(asked, "25")
    assert asked.state.answer.slots[:3] == ("25", "3", "4")


WITH_MEMORY = ["join-2-axis-3", "split-1", "reverse-1"]


def with_task(name: str, **task: Any) -> Experiment:
    """An example's experiment, with a task of its own where some of it is given."""
    one = examples.example(name).session().experiments[0]
    return dataclasses.replace(one, extra={"task": task}) if task else one


def on_wall_of(one: Experiment) -> WallDesk:
    presenting = WallDesk(Session((one,), extra={"lesson": {}}), Clock(0))
    presenting.fit(Room(110, 30))
    return presenting


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", WITH_MEMORY)
def test_no_open_question_that_hides_memory_shows_it(name: str, kind: str) -> None:
    try:
        asked = asking(with_task(name), kind)
    except DmlvizError:
        return
    hides = kind in MEMORY or "memory" in asked.question.hidden
    asked.picture.turn_memory()
    assert asked.state.picture.shows_memory is (asked.is_pictured and not hides)
    wall = on_wall_of(with_task(name, id="a", ask={"kind": kind}, say="?"))
    question = wall.item.question
    for _ in wall.builds if question is not None and question.kind.name == kind in MEMORY else ():
        if not wall.told:
            assert not wall.state.picture.shows_memory
        wall.forward()


def test_what_an_author_doesn_t_hide_tells_no_more_than_the_picture() -> None:
    own = own_question(with_task("gather-2", id="a", ask={"kind": "fill", "row": [2]}, hide=[]))
    assert own is not None
    asked = AskDesk(own.subject.experiment, Progress(), Clock(0), own=own)
    asked.fit(Room(100, 30))
    asked.picture.turn_memory()
    picture = asked.state.picture
    assert picture.trace is not None
    assert picture.shows_memory
    for index in np.ndindex(4, 2):
        memory = Memory(picture.trace, Cursor(Place(True, 0), index), 100, picture.known)
        lines = ["".join(span.text for span in line) for line in memory.lines(picture.look)]
        row = memory.rows[1]
        assert row is not None
        x = memory.label_width + row.column(5)
        assert lines[3][x : x + row.cell].strip() == "·"


def practised(types: list[str], progress: Progress | None = None, seed: int = 0) -> PracticeDesk:
    bases = [fresh(kind) for kind in types]
    progress = progress or Progress()
    made = PracticeDesk(Practice(bases, seed, progress.answers), progress, Clock())
    made.fit(Room(100, 24))
    return made


@pytest.mark.drawn(1)
@pytest.mark.parametrize("rule", ["G4", "G3"])
def test_whoever_follows_a_rule_is_told_so_after_a_filled_output(rule: str) -> None:
    progress = Progress()
    asked = practised(["DML_OPERATOR_GATHER"], progress)
    for number in range(40):
        question = asked.question
        state = give(asked, question.answers.get(rule, question.truth))
        told = [each for each in state.sentences if each.startswith("Your answers follow")]
        if told:
            assert f"follow “{question.rule(rule).name}”" in told[0]
            assert rule not in told[0], "what ids stand for is nowhere said"
            assert rule in question.answers
            assert question.confirms
            assert number >= 3
            break
        asked.answer()
    else:
        raise AssertionError("nothing was said")
    asked.answer()
    assert rule in asked.question.answers, "the next one is about it"
    give(asked, asked.question.truth)
    assert progress.answers[-1].on == rule
