"""The screen of a question: by keys alone and by mouse alone, left from everywhere, in rooms of every size."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.answering import Clock, begun
from support.driver import Driver, explore
from support.lesson_play import answer_by_keys, asked, click_board, click_cell, click_footer, click_option
from support.real_terminal import Terminal
from textual.color import Color
from textual.events import MouseScrollDown, MouseScrollUp

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.question import KEPT_BELOW, LEAST_LIFTED, QuestionScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.answers import shown
from dmlviz.teaching.questions.question import Question
from dmlviz.widgets.boards.answer_board import AnswerBoard
from dmlviz.widgets.lib.painted import LinePanel
from dmlviz.widgets.picture.tensor_stack import TensorStack
from dmlviz.workspace.asking.answering import FORMS
from dmlviz.workspace.asking.ask_state import Form
from dmlviz.workspace.asking.asked_desc import numbers_of
from dmlviz.workspace.asking.asking import Asking
from dmlviz.workspace.lessons.lesson import RunningLesson

LESSONS = {lesson.id: lesson for lesson in shipped_lessons()}
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
CHAINS = ("chain-rotate-half", "chain-computed-indices")
SIZES = [(60, 18), (80, 24), (120, 36)]
SOME = [(60, 18), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (120, 36), (200, 50)))]


async def ask(driver: Driver, kind: str) -> QuestionScreen:
    """Opens a question of one kind, as `g` does."""
    experiment = driver.screen.state.document.experiment
    driver.app.push_screen(QuestionScreen(Asking(experiment, Progress(), Clock(), only=[kind])))
    await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
    return asked(driver)


def keys_of(screen: QuestionScreen) -> list[str]:
    """The keys that give the right answer of an easy kind."""
    question = screen.state.question
    if screen.state.form is Form.CHOICE:
        return [question.truth, "enter"]
    flat = question.truth[0] if question.kind.name == "sizes" else (question.truth,)
    return [*("comma" if c == "," else c for c in ",".join(shown(each) for each in flat)), "enter"]


@pytest.mark.parametrize("size", SIZES)
def test_g_asks_about_the_desc_and_escape_leads_back(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert asked(driver).state.question.subject.experiment is driver.screen.state.document.experiment
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)
        await driver.press("g", "g")
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "join-1", size)


@pytest.mark.parametrize("size", [(60, 18), (80, 24)])
@pytest.mark.parametrize(("example", "keys", "head"), [("slice-1", "g", "#ask-head"), ("padding-1", "w", "#wall-head")])
def test_a_head_has_every_field_in_full(example: str, keys: str, head: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        before = driver.app.screen
        await driver.press(keys)
        await driver.until(lambda: driver.app.screen is not before and driver.app.screen.is_mounted)
        told = driver.app.screen.query_one(head, LinePanel)
        desc = driver.screen.state.document.experiment.desc
        want = [f"{name} {number}" for name, number in numbers_of(desc)]
        await driver.until(lambda: told.size.height == 1 + told.text.count("\n") > 1)
        assert [each for each in want if each not in told.text] == []

    explore(script, example, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("example", "kind"), [("reverse-1", "pictures"), ("gather-2", "cell"), ("gather-2", "sizes")])
def test_by_keys_alone_in_three_keys(example: str, kind: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        keys = keys_of(screen)
        digits = max(0, len(shown(screen.state.question.truth)) - 1) if kind == "cell" else 0
        assert len(keys) - digits <= 3 or kind == "sizes"  # sizes have a key for each number and comma
        await driver.press(*keys)
        assert screen.state.feedback.verdict is not None
        assert screen.state.feedback.verdict.right
        assert "Right" in driver.text("#ask-board")
        await driver.press("enter")
        assert screen.state.open

    explore(script, example, size)


MOVING = {"up", "down", "left", "right", "tab"}
TWO = [
    ("reverse-1", "pictures"),
    ("gather-2", "source"),
    ("reverse-1", "via"),
    ("gather-2", "dest"),
    ("tile-1", "dest"),
]


@pytest.mark.parametrize(("example", "kind"), TWO)
def test_pictures_and_pointing_are_answered_in_two_keys_beside_the_arrows(
    example: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where several elements are marked, a key for each and one more."""
    pressed: list[str] = []
    press = Driver.press

    async def counted(driver: Driver, *keys: str) -> None:
        pressed.extend(keys)
        await press(driver, *keys)

    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        monkeypatch.setattr(Driver, "press", counted)
        await answer_by_keys(driver)
        assert screen.state.feedback.verdict is not None
        assert screen.state.feedback.verdict.right
        marks = len(screen.state.question.truth) if screen.state.form.is_marked else 1
        assert len([key for key in pressed if key not in MOVING]) <= marks + 1
        assert pressed

    explore(script, example, (80, 24))


@pytest.mark.parametrize("size", SOME)
@pytest.mark.parametrize(
    ("example", "kind"),
    [
        ("reverse-1", "pictures"),
        ("gather-2", "cell"),
        ("gather-2", "sizes"),
        ("gather-2", "fill"),
        ("gather-2", "order"),
        ("gather-2", "dest"),
        ("gather-2", "source"),
        ("reverse-1", "via"),
        ("gather-2", "count"),
        ("join-1", "runs"),
        ("rule-axis-range", "valid"),
        ("tile-1", "lowest"),
        ("gather-2", "blank"),
        ("reverse-1", "insizes"),
        ("warning-index-range", "promised"),
    ],
)
def test_by_mouse_alone(example: str, kind: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        form, truth = screen.state.form, screen.state.question.truth
        if form.is_typed:
            await _click_numbers(driver, form, kind, truth)
        elif form.is_marked:
            for number, index in truth:
                await click_cell(driver, Cursor(Place(form is Form.OUTPUT_MARKS, number), index))
            await click_footer(driver, "enter answer")
        elif form is Form.POINT:
            await click_cell(driver, Cursor(Place(False, truth[0]), truth[1]))
            await click_footer(driver, "enter answer")
        else:
            several = truth if isinstance(truth, tuple) else ({True: "a", False: "b"}.get(truth, truth),)
            for each in several:
                await click_option(driver, each)
            await click_footer(driver, "enter answer")
        assert screen.state.feedback.verdict is not None, screen.state.entry.sentence
        assert screen.state.feedback.verdict.right
        await click_footer(driver, "enter go on")
        assert screen.state.open
        await click_footer(driver, "h hint")
        assert screen.state.feedback.hints == 1
        await click_footer(driver, "s skip")
        assert not screen.state.open
        await click_footer(driver, "esc leave")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, example, size)


def test_a_number_with_a_point_can_be_clicked() -> None:
    halves = {"InputTensor": Listed((0.5, 1.5, 2.5, 3.5, 4.5, 5.5), (3, 2))}
    half = replace(examples.example("gather-2").session().experiments[0], values=halves)

    async def script(driver: Driver) -> None:
        screen = await ask(driver, "cell")
        await _click_numbers(driver, Form.NUMBER, "cell", screen.state.question.truth)
        assert screen.state.feedback.verdict is not None
        assert screen.state.feedback.verdict.right

    explore(script, Session((half,)), (60, 18))


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_name_that_a_verdict_speaks_of_is_not_as_red_as_an_error(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "pictures")
        question = screen.state.question
        wrong = [
            each
            for rule, each in question.answers.items()
            if "IndicesTensor" in question.grade(question.kind.form.json(each)).lights
        ]
        await driver.press(str(question.kind.form.json(wrong[0])), "enter")
        assert screen.state.feedback.verdict is not None
        assert not screen.state.feedback.verdict.right
        inputs = driver.app.screen.query_one("#inputs").region
        strips = list(driver.app.screen._compositor.render_strips())[inputs.y : inputs.bottom]
        found = [each for strip in strips for each in strip if each.text.strip() in ("IndicesTensor", "Indices")]
        error = Color.parse(driver.app.theme_variables["error"]).rich_color
        assert found
        for each in found:
            assert each.style is not None
            assert each.style.bold
            assert each.style.underline
            assert each.style.color != error

    explore(script, "gather-2", size)


async def _click_numbers(driver: Driver, form: Form, kind: str, truth: Any) -> None:
    if form is Form.CELLS:
        for value in truth:
            for key in shown(value):
                await click_board(driver, "key", key)
            await click_board(driver, "key", "answer")
        return
    flat = truth[0] if kind == "sizes" else truth
    text = ",".join(map(str, flat)) if isinstance(flat, tuple) else shown(flat)
    await click_board(driver, "key", "9")
    await click_board(driver, "key", "erase")
    for key in text:
        await click_board(driver, "key", key)
    await click_board(driver, "key", "answer")


@pytest.mark.parametrize("kind", ["pictures", "cell", "dest", "fill", "valid", "blank"])
def test_escape_leads_out_from_everywhere(kind: str) -> None:
    moments: tuple[list[str], ...] = (
        [],
        ["1"],
        ["h"],
        ["space"],
        ["right"],
        ["tab"],
        ["s"],
        ["s", "full_stop"],
        ["s", "tab"],
        ["s", "r"],
    )

    async def script(driver: Driver) -> None:
        for keys in moments:
            await ask(driver, kind)
            if keys:
                await driver.press(*keys)
            await driver.press("escape")
            assert isinstance(driver.app.screen, Explorer), keys

    explore(script, "reverse-1", (80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_g_asks_what_the_example_asks_first_and_once_it_is_answered_other_things(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert "How often is the 5 read?" in driver.text()
        await driver.press("escape", "g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert "How often is the 5 read?" in driver.text(), "it isn't answered yet"
        await driver.press("9", "enter")
        verdict = asked(driver).state.feedback.verdict
        assert verdict is not None
        assert verdict.right
        await driver.press("enter")
        assert asked(driver).state.open
        assert "How often is the 5 read?" not in driver.text()
        await driver.press("escape", "g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert "How often is the 5 read?" not in driver.text()

    explore(script, "tile-1", size)


def test_what_is_asked_about_a_changed_desc_waits_while_its_own_is_explored() -> None:
    async def script(driver: Driver) -> None:
        shown = driver.screen.state.document.experiment
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        question = asked(driver).state.question
        assert question.subject.desc == shown.desc
        assert question.subject.experiment.values != shown.values
        await driver.press("e")
        assert isinstance(driver.app.screen, Explorer)
        assert driver.screen.state.document.experiment is shown, "nothing of the session is changed"
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert asked(driver).state.question is question

    explore(script, "gather-1", (80, 24))


def test_no_name_of_an_experiment_stands_beside_a_question() -> None:
    """It may be the answer."""
    (experiment,) = examples.example("rule-indices-leading").session().experiments

    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        assert "TOLD" not in driver.text()

    explore(script, Session((replace(experiment, name="TOLD"),)))


def test_ctrl_q_leaves_the_program_from_a_question() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        await driver.press("ctrl+q")
        await driver.until(lambda: driver.app._exit)

    explore(script, "gather-2")


def test_e_leads_to_the_explorer_at_the_element_that_is_looked_at() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        await driver.press("s")
        cursor = asked(driver).state.picture.cursor
        await driver.press("e")
        assert isinstance(driver.app.screen, Explorer)
        assert driver.screen.state.picture.cursor == cursor

    explore(script, "reverse-1")


def test_a_resize_in_the_middle_loses_nothing() -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "fill")
        await driver.press("7", "enter", "8")
        for size in ((60, 18), (40, 10), (150, 44)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
        assert screen.state.entry.slots[:3] == ("7", "8", "")
        await driver.press("9")
        assert screen.state.entry.slots[1] == "89"
        assert "89" in driver.text("#outputs")

    explore(script, "gather-2", (80, 24))


def test_what_is_seen_of_an_answer_follows_from_the_room_and_not_from_those_before() -> None:
    """A tall picture scrolls to the element that was asked about, and further with the arrows."""
    tensor = dml.TensorDesc("FLOAT32", (1, 1, 16, 3))
    tall = Experiment("tall", dml.Split(tensor, [dml.TensorDesc("FLOAT32", (1, 1, 16, n)) for n in (1, 2)], 3))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, "cell")
        await driver.press(*keys_of(screen), "down", "down", "down")
        outputs = driver.app.screen.query_one("#outputs", TensorStack)
        seen, top = driver.text(), outputs.scroll_offset.y
        assert 0 < top < outputs.max_scroll_y
        for lines in (21, 30, 20, 24):
            await driver.resize((80, lines))
        assert (driver.text(), outputs.scroll_offset.y) == (seen, top)

    explore(script, Session((tall,)), (80, 24))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("lesson", ["gather", "tile"])
def test_a_verdict_is_in_sight_whatever_room_it_was_drawn_in_before(lesson: str) -> None:
    async def script(driver: Driver) -> None:
        asking = begun(next(each for each in shipped_lessons() if each.id == lesson))
        driver.app.push_screen(LessonScreen(asking, Progress()))
        await driver.settle()
        await answer_by_keys(driver)
        seen = driver.text()
        assert "Right." in seen
        for size in ((120, 40), (60, 18)):
            await driver.resize(size)
        assert driver.text() == seen

    explore(script, size=(60, 18))


@pytest.mark.parametrize("size", SOME)
@pytest.mark.parametrize("kind", sorted(FORMS))
def test_the_prompt_and_what_answers_it_are_in_sight(kind: str, size: tuple[int, int]) -> None:
    """At every size, whatever is asked; and after the reveal what came of it and what comes next."""

    async def script(driver: Driver) -> None:
        names = (
            "gather-2",
            "reverse-1",
            "join-2-axis-3",
            "split-1",
            "tile-1",
            "rule-axis-range",
            "warning-index-range",
            *CHAINS,
        )
        for name in names:
            session = examples.example(name).session()
            # Of a chain the end comes first, which asks about all that it reads.
            driver.open(replace(session, experiments=session.experiments[:: -1 if name in CHAINS else 1]))
            await driver.settle()
            try:
                screen = await ask(driver, kind)
            except DmlvizError:
                continue
            said = "".join(driver.text("#ask-board").split())  # places in a formula have air around them
            assert "".join(screen.state.question.prompt.split()) in said
            hits = {(hit.name, hit.value) for hit in screen.query_one(AnswerBoard)._hits}
            if screen.state.form.is_typed:
                assert {("key", "answer"), ("key", "erase"), ("key", "0")} <= hits
            elif screen.state.form.is_listed:
                assert ("choose", screen.state.entry.options[0].id) in hits
            await driver.press("s")
            assert "enter:" in driver.words("#ask-board")
            assert "go on" in driver.text("#ask-footer")
            await driver.press("escape")

    explore(script, "gather-2", size)


def test_while_open_the_footer_lists_just_the_keys_that_work() -> None:
    async def script(driver: Driver) -> None:
        await ask(driver, "cell")
        footer = driver.words("#ask-footer")
        assert "enter answer" in footer
        assert "a–d" not in footer
        assert "palette" not in footer
        assert "step" not in footer
        await driver.press("s")
        footer = driver.words("#ask-footer")
        assert ", . step" in footer
        assert "hint" not in footer

    explore(script, "gather-2")


def test_where_nothing_can_be_asked_a_notice_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.workspace.asking.asking.FORMS", {})

    async def script(driver: Driver) -> None:
        await driver.press("g")
        assert isinstance(driver.app.screen, Explorer)
        assert any("nothing to ask" in notice for notice in driver.notices)

    explore(script)


def test_what_is_asked_of_a_lesson_s_desc_is_kept_under_the_lesson_s_name() -> None:
    session = replace(load(CLASSROOM), title="Rows")

    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        await driver.press("s")
        assert [each.lesson for each in driver.app.progress.answers] == ["Rows"]

    explore(script, session)


def test_answers_are_kept_in_memory_where_nothing_is_remembered() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        await driver.press("s")
        progress = driver.app.progress
        assert progress.file is None
        assert [each.skipped for each in progress.answers] == [True]
        await driver.press("escape")
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        assert asked(driver).state.question.seed == 1  # another than before

    explore(script)


def test_clicks_of_a_real_terminal_answer_from_a_fresh_start(tmp_path: Path) -> None:
    """A pictures question and a cell question, by real mouse bytes alone; the answers are in the user's file."""
    path = tmp_path / "session.json"
    path.write_bytes(examples.example("reverse-1").path.read_bytes())
    session: Session = examples.example("reverse-1").session()
    twin = Asking(session.experiments[0], Progress(), Clock())
    terminal = Terminal([sys.executable, "-m", "dmlviz", str(path)], 100, 30, tmp_path)
    try:
        terminal.until("12 of 12")
        terminal.send("g")
        terminal.until("Which picture is")
        assert twin.question.kind.name == "pictures"
        terminal.click_text(f" {twin.question.truth} ", below="Which picture")
        terminal.until(f"[{twin.question.truth}]")
        terminal.click_text("enter answer")
        terminal.until("Right")
        terminal.click_text("enter go on")
        terminal.until("Which number stands in")
        twin.choose(twin.question.truth)
        twin.answer()
        twin.answer()
        terminal.until(twin.question.prompt)
        for digit in shown(twin.question.truth):
            terminal.click_text(f" {digit} ", below="Answer")
        terminal.until(f"Answer  {shown(twin.question.truth)} ")
        terminal.click_text("↵")
        terminal.until("Right")
        terminal.send("\x1b")
        terminal.until("12 of 12")
    finally:
        terminal.process.close(force=True)
    (kept,) = (tmp_path / ".home").rglob("progress.jsonl")
    answers = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(each["kind"], each["right"]) for each in answers] == [("pictures", True), ("cell", True)]


# ---- numbers that are clicked in order


def in_memory(question: Question) -> list[Cursor]:
    """The input elements in the order in which their numbers stand in the output's memory."""
    assert question.at is not None
    output, subject = question.at.place.number, question.subject
    cells = [cell for cell in subject.truth.source if cell[0] == output][: len(question.truth)]
    return [Cursor(Place(False, number), index) for number, index in map(subject.truth.source.__getitem__, cells)]


async def turn_to(driver: Driver, cursor: Cursor) -> None:
    """Turns the wheel over the inputs until an element of theirs is in sight."""
    side = asked(driver).query_one("#inputs", TensorStack)
    for _ in range(40):
        assert side.stack is not None
        y = side.stack.locate(cursor)[1] - side.scroll_offset.y
        if 0 <= y < side.size.height:
            return
        await driver.pilot._post_mouse_events([MouseScrollUp if y < 0 else MouseScrollDown], side, (2, 1))
        await driver.settle()
    raise AssertionError(cursor)


@pytest.mark.parametrize("size", SOME)
@pytest.mark.parametrize("example", ["gather-2", "join-2-axis-3", "reverse-1", "tile-1"])
def test_inputs_are_clicked_in_the_order_of_memory(example: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "order")
        assert "click inputs in order" in driver.text("#ask-board")
        for number, cursor in enumerate(in_memory(screen.state.question)):
            await turn_to(driver, cursor)
            await click_cell(driver, cursor)
            assert sum(map(bool, screen.state.entry.slots)) == number + 1
        await click_footer(driver, "enter answer")
        assert screen.state.feedback.verdict is not None
        assert screen.state.feedback.verdict.right

    explore(script, example, size)


def test_a_click_that_was_wrong_is_erased_or_clicked_anew() -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "order")
        first, second, *_ = in_memory(screen.state.question)
        await click_cell(driver, second)
        assert "▣" in driver.text("#inputs")
        await click_board(driver, "key", "erase")  # back to the number before
        await click_board(driver, "key", "erase")
        assert not any(screen.state.entry.slots)
        assert "▣" not in driver.text("#inputs")
        await click_cell(driver, second)
        await click_board(driver, "slot", "0")
        await click_cell(driver, first)
        assert screen.state.entry.slots[:2] == (shown(screen.state.question.truth[0]), "")

    explore(script, "gather-2")


@pytest.mark.parametrize("kind", ["order", "dest"])
def test_a_click_that_turns_to_another_slice_answers_nothing(kind: str) -> None:
    cubes = dml.Tile(dml.TensorDesc("FLOAT32", (6, 5, 4, 4)), (1, 1, 1, 2))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        before = screen.state
        await driver.click_text("›", "#outputs" if kind == "dest" else "#inputs")
        state = screen.state
        assert state.picture.cursor != before.picture.cursor
        assert (state.entry.slots, state.picture.look.entries) == (before.entry.slots, before.picture.look.entries)

    explore(script, Session((Experiment("cubes", cubes),)), (80, 24))


@pytest.mark.parametrize("kind", ["dest", "source", "unread", "via"])
def test_the_footer_has_the_keys_that_point_and_mark(kind: str) -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        footer = driver.words("#ask-footer")
        assert "arrows move" in footer
        assert ("space mark" in footer) is screen.state.form.is_marked
        assert "other side" not in footer

    explore(script, "gather-2", (80, 24))


def test_after_wrong_pictures_the_footer_has_the_key_that_flips() -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "pictures")
        wrong = next(iter(screen.state.question.answers.values()))
        await driver.press(wrong, "enter")
        assert "tab your answer" in driver.words("#ask-footer")
        await driver.press("tab")
        assert screen.state.view.yours
        assert "tab true outputs" in driver.words("#ask-footer")
        await driver.press("full_stop")
        assert "true outputs" not in driver.words("#ask-footer")

    explore(script, "reverse-1", (80, 24))


def test_a_list_below_the_head_has_air_where_there_is_room_and_is_clicked_where_it_stands() -> None:
    async def script(driver: Driver) -> None:
        screen = await ask(driver, "valid")
        assert driver.text("#ask-board").split("\n")[0].strip() == ""
        await click_board(driver, "choose", "sizes.positive")
        assert [option.id for option in screen.state.entry.options if option.chosen] == ["sizes.positive"]

    explore(script, "rule-axis-range", (120, 36))


@pytest.mark.parametrize("size", [(120, 36), (200, 50)])
@pytest.mark.parametrize(("example", "kind"), [("join-1", "cell"), ("gather-2", "sizes"), ("split-1", "cell")])
def test_a_question_stands_right_below_its_picture_whatever_room_there_is(
    example: str, kind: str, size: tuple[int, int]
) -> None:
    def gap(driver: Driver) -> int:
        """Empty lines between the picture, or the formula, and the question."""
        screen = asked(driver)
        below = screen.query_one("#ask-formula") if screen._formula.display else screen.pane
        lines = [line.rstrip() for line in driver.text().split("\n")]
        begins = next(y for y, line in enumerate(lines) if screen.state.question.prompt[:30] in line)
        assert begins >= below.region.bottom
        last = max(y for y, line in enumerate(lines[:begins]) if line.strip(" │▏▕"))
        return begins - last - 1

    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        await driver.settle()
        assert gap(driver) <= KEPT_BELOW + LEAST_LIFTED + 1
        scene = screen.state.picture.scene
        assert scene is not None
        assert screen.pane.size.height >= max(scene.inputs.height, scene.outputs.height), "nothing of it is cut"
        await driver.press("s")
        await driver.settle()
        assert gap(driver) <= 3
        board = driver.text("#ask-board")
        assert "enter:" in board, "nothing of what is said is cut"
        await driver.press("enter")
        await driver.settle()
        assert screen.state.open
        await driver.pilot.resize_terminal(80, 24)
        await driver.settle()
        assert screen._board.region.bottom == 23
        await driver.pilot.resize_terminal(*size)
        await driver.settle()
        assert gap(driver) <= KEPT_BELOW + LEAST_LIFTED + 1

    explore(script, example, size)


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
def test_the_last_row_of_a_choice_and_every_hint_are_reached_by_keys_and_by_the_wheel(size: tuple[int, int]) -> None:
    """Choices of twelve rows with wide numbers, of which one at a time has room, and no room for all its rows."""
    data = dml.TensorDesc("FLOAT32", (1, 1, 12, 4))
    desc = dml.ReverseSubsequences(data, dml.TensorDesc("UINT32", (1, 1, 12, 1)), 3)
    numbers = tuple(100_000_000 + 8 * k for k in range(48))
    values = {"InputTensor": Listed(numbers, (48,)), "SequenceLengthsTensor": Listed((3,) * 12, (12,))}
    session = Session((Experiment("tall", desc, values=values),))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, "pictures")
        board = screen.query_one(AnswerBoard)
        last = re.compile(r"1000003(52|60|68|76)")
        for _ in range(4):
            await driver.press("h")
            assert screen.state.feedback.hint.split()[-1] in driver.text("#ask-board")
        for _ in range(4):
            await driver.press("pageup")
        assert not last.search(driver.text("#ask-board"))
        assert "pgup pgdn" in driver.text("#ask-board")
        await driver.press("pagedown", "pagedown")
        assert last.search(driver.text("#ask-board"))
        for kind, sees in ((MouseScrollUp, False), (MouseScrollDown, True)):
            for _ in range(12):
                board.post_message(kind(board, 1, 1, 0, 0, 0, False, False, False))
            await driver.settle()
            assert ("▴" in driver.text("#ask-board")) is sees

    explore(script, session, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_every_slice_and_tensor_is_reached_from_the_question(size: tuple[int, int]) -> None:
    """No cursor is seen where outputs are asked for; page down still leads through all that the inputs hold."""
    tensors = [dml.TensorDesc("FLOAT32", (3, 4, 2, 2)) for _ in range(3)]
    values = {f"InputTensors[{k}]": Listed(tuple(range(1000 + 48 * k, 1048 + 48 * k)), (48,)) for k in range(3)}
    session = Session((Experiment("slices", dml.Join(tensors, 3), values=values),))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, "sizes")
        seen: set[str] = set()
        for _ in range(40):
            seen |= {*re.findall(r"\b1\d\d\d\b", driver.text("#ask-picture"))}
            await driver.press("pagedown")
        assert seen == {str(number) for number in range(1000, 1144)}
        assert screen.state.open

    explore(script, session, size)


def test_choices_that_fit_stand_side_by_side_from_the_first_frame_on() -> None:
    """Of REVERSE's first step, at 80x24: what is told of a term takes its line before the picture is laid out."""
    lesson = next(each for each in shipped_lessons() if each.id == "reverse")

    async def script(driver: Driver) -> None:
        asking = Asking(lesson.steps[0].experiment, Progress(), Clock(), lesson=RunningLesson(lesson, [], number=1))
        driver.app.push_screen(LessonScreen(asking, Progress()))
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen) and driver.app.screen.is_mounted)
        await driver.settle()
        assert asking.question.kind.name == "pictures"
        board = driver.app.screen.query_one(AnswerBoard)
        places = {board.place_of("choose", letter) for letter in "abcd"}
        assert len({y for _, y in places}) == 1
        assert len({x for x, _ in places}) == 4
        assert "pgup" not in driver.text("#ask-board")
        assert "flips" not in driver.text("#ask-board")

    explore(script, "join-1", (80, 24))


@pytest.mark.parametrize("size", [(60, 18), (80, 18), (80, 24), (120, 36)])
def test_a_wrong_answer_stands_beside_the_truth_however_narrow_cells_are(size: tuple[int, int]) -> None:
    experiment = examples.example("join-1").session().experiments[0]

    async def script(driver: Driver) -> None:
        driver.app.push_screen(QuestionScreen(Asking(experiment, Progress(), Clock(), only=["cell"])))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        truth = shown(asked(driver).state.question.truth)
        await driver.press("9", "9", "enter")
        assert re.search(rf"✗99 ?✓{truth}", driver.text("#outputs"))

    explore(script, size=size)


@pytest.mark.parametrize(("size", "cut"), [((60, 18), True), ((80, 24), False), ((120, 36), False)])
def test_rules_to_choose_from_are_told_whole_where_there_is_room(size: tuple[int, int], cut: bool) -> None:
    lesson = LESSONS["reverse"]
    first = lesson.steps[0].experiment

    async def script(driver: Driver) -> None:
        asking = Asking(first, Progress(), Clock(), lesson=RunningLesson(lesson, ()))
        driver.app.push_screen(QuestionScreen(asking))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        while asking.question.kind.name != "valid":
            await driver.press("s", "enter")
        assert ("…" in driver.text("#ask-board")) is cut
        assert ("as the page allows it at the feature level." in driver.words("#ask-board")) is not cut

    explore(script, size=size)


@pytest.mark.parametrize("kind", ["source", "valid", "runs"])
def test_what_is_told_is_told_once(kind: str) -> None:
    """Behind a length the formula has its source once; a skipped question's answer isn't said again."""
    experiment = examples.example("reverse-1").session().experiments[0]

    async def script(driver: Driver) -> None:
        driver.app.push_screen(QuestionScreen(Asking(experiment, Progress(), Clock(), only=[kind])))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        await driver.press("s")
        told = driver.words("#ask-board").removesuffix(".").split(". ")
        assert len(told) == len({*told})
        if kind == "source":
            assert driver.words("#ask-formula").count("InputTensor[0,0,0,2]") == 1

    explore(script, size=(120, 36))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_no_sign_of_a_colour_stands_in_the_formula(size: tuple[int, int]) -> None:
    """The third colour is hardly seen on a dark ground: its cells have edges, a number in a sentence has none."""

    async def script(driver: Driver) -> None:
        driver.app.push_screen(QuestionScreen(Asking(experiment, Progress(), Clock(), only=["cell"])))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        await driver.press("s")
        for _ in range(8):
            await driver.press("down")
            assert "=" in driver.text("#ask-formula")
            assert not {*"▕▏"} & {*driver.text("#ask-formula")}
        assert "▕" in driver.text("#ask-picture")

    experiment = examples.example("reverse-1").session().experiments[0]
    explore(script, size=size)
