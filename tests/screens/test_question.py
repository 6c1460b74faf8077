"""The question of the notes: in sight at every size, whatever stands beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore, is_top

from dmlviz.scene.elements.lookup import value_of
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.screens.dialogs.notes_editor import NotesEditor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.notes import question_of
from dmlviz.widgets.panels.notes_panel import NotesPanel
from dmlviz.widgets.panels.question_line import MOST, SURE, LargeQuestion, QuestionLine, question_lines

SIZES = [(80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in ((100, 30), (120, 36), (200, 50)))]


def line_of(driver: Driver) -> QuestionLine:
    """The one that is for a terminal of this size: a panel above the picture where there is room, else a line."""
    columns, lines = driver.app.size
    return driver.screen.query_one("#question-large" if columns >= 170 and lines >= 44 else "#question", QuestionLine)


def room_of(driver: Driver) -> int:
    """Lines of the picture, and of the memory strip, which comes below it where the picture leaves room."""
    memory = driver.screen.query_one("#memory")
    return driver.screen.pane.size.height + (memory.outer_size.height if memory.display else 0)


def asked(driver: Driver) -> str:
    """What stands right above the footer, or above the picture, on one line; "" where nothing does."""
    line, footer = line_of(driver), driver.screen.query_one("#footer")
    shown = [each for each in driver.screen.query(QuestionLine) if each.is_on_screen and each.region.area]
    if not line.display or not shown:
        assert not shown
        return ""
    assert shown == [line], "it is asked once"
    if isinstance(line, LargeQuestion):
        assert line.region.bottom < driver.screen.pane.region.y
        assert line.region.x == driver.screen.pane.region.x
        assert driver.text("#question-large").split("\n")[0].strip() == "", "space around it"
        assert driver.text("#question-large").split("\n")[-1].strip() == ""
    else:
        assert line.region.bottom == footer.region.y == driver.app.size.height - 1
    assert 1 <= line.content_size.height <= MOST
    return driver.words(f"#{line.id}").removeprefix("? ")


@pytest.mark.parametrize("size", SIZES)
def test_question_of_every_example_is_whole_on_the_screen_on_opening(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        for name, session in examples.examples().items():
            driver.open(session)
            await driver.settle()
            assert asked(driver) == question_of(session.experiments[0].notes), name
            picture = driver.screen.state.picture
            if picture.trace is not None and picture.cursor is not None and picture.scene is not None:
                driver.cell(picture.cursor)  # in sight
                assert driver.screen.pane.size.height >= 6, name
                assert picture.scene.zoom in (Zoom.LARGE, Zoom.VALUES), name
                assert value_of(picture.trace, picture.cursor)[0] in driver.drawn(picture.cursor), name

    explore(script, size=size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["gather-2", "gather-3-as-printed"])
def test_question_stays_while_form_and_picture_change_places_and_steps_play(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        question = question_of(driver.screen.workspace.experiment.notes)
        for key in ("f2", "f2", "home", ".", "z", "m", "u", "r"):
            await driver.press(key)
            assert asked(driver) == question, key
        await driver.pilot.resize_terminal(50, 15)
        await driver.settle()
        assert asked(driver) == "", "where nothing has room, it has none"
        await driver.pilot.resize_terminal(90, 26)
        await driver.settle()
        assert asked(driver) == question

    explore(script, name, size)


@pytest.mark.parametrize("size", SIZES)
def test_notes_without_a_question_leave_the_picture_its_room(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        workspace = driver.screen.workspace
        with_one, before = room_of(driver), driver.screen.state.picture.scene
        lines = line_of(driver).outer_size.height
        driver.screen.present(workspace.write_notes("Nothing asked.", None))
        await driver.settle()
        assert asked(driver) == ""
        assert room_of(driver) >= with_one + lines
        scene = driver.screen.state.picture.scene
        assert before is not None
        assert scene is not None
        assert scene.zoom == before.zoom
        assert scene.layout.fits >= before.layout.fits
        driver.screen.present(workspace.write_notes("Nothing told. **And now?**", None))
        await driver.settle()
        assert asked(driver) == "And now?"

    explore(script, size=size)


def test_every_experiment_of_a_session_has_its_own() -> None:
    async def script(driver: Driver) -> None:
        for each in driver.screen.workspace.document.session.experiments:
            assert asked(driver) == question_of(each.notes)
            await driver.press("ctrl+right")

    explore(script, "inline-split", (80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_long_question_is_cut_clearly_and_a_click_or_n_reads_on(size: tuple[int, int]) -> None:
    session = examples.example("gather-2").session()
    question = " ".join(f"word{i}" for i in range(200)) + "?"
    session = Session((replace(session.experiments[0], notes=f"Told. **{question}**"),))

    async def script(driver: Driver) -> None:
        shown = asked(driver)
        assert shown.endswith("… n reads on")
        begun = shown.removesuffix("… n reads on").strip()
        assert question.startswith(begun)
        assert len(begun) > SURE
        panel = next((each for each in driver.screen.query(NotesPanel) if each.is_on_screen), None)
        assert panel is None or "word199?" in panel._notes, "the panel has all of it then"
        await driver.press("n")
        assert is_top(driver, NotesEditor)
        await driver.press("escape")
        await driver.click(line_of(driver), 5, 1)
        assert is_top(driver, NotesEditor)
        await driver.press("escape")
        assert is_top(driver, Explorer)

    explore(script, session, size)


@pytest.mark.parametrize("size", [(120, 36), (200, 50)])
def test_notes_beside_it_tell_the_rest(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        panel = next(each for each in driver.screen.query(NotesPanel) if each.is_on_screen)
        await driver.until(lambda: "Each index picks" in driver.words(f"#{panel.id}"))
        assert "What changes" not in panel._notes
        assert driver.words("").count("What changes if") == 1

    explore(script, size=size)


@pytest.mark.parametrize("width", range(76, 240, 7))
@pytest.mark.parametrize("question", ["a" * SURE, "ab " * (SURE // 3), f"a {'b' * 76} {'c' * 60}", "語" * (SURE // 2)])
def test_question_that_is_short_enough_is_never_cut(question: str, width: int) -> None:
    lines = question_lines(question, width)
    assert "".join("".join(lines).split()) == "".join(question.split())


def test_question_is_bold_and_stays_where_it_is_while_the_picture_changes() -> None:
    async def script(driver: Driver) -> None:
        line = line_of(driver)
        assert isinstance(line, LargeQuestion)
        place = line.region
        x, y = driver.find("What changes", "#question-large")
        strip = driver.app.screen._compositor.render_strips()[place.y + y]
        assert next(iter(strip.crop(place.x + x, place.x + x + 4))).style.bold  # type: ignore[union-attr]
        for key in ("home", "full_stop", "end", "down", "z", "o", "o", "m", "m"):
            await driver.press(key)
            assert line.region == place, key
        await driver.focus("Axis")
        await driver.type("9")
        assert not driver.screen.state.view.report.ok
        assert line.region == place
        await driver.press("ctrl+z")
        for size in ((120, 36), (180, 40), (200, 50)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert asked(driver) == question_of(driver.screen.workspace.experiment.notes), size
        assert line.region == place

    explore(script, size=(200, 50))


@pytest.mark.parametrize("width", [58, 76, 100, 112])
def test_no_word_of_a_question_stands_alone_in_its_last_line(width: int) -> None:
    text = "Which of the two digits of {1, 2} counts then? Predict, then apply the first fix. "
    words = (2 * text).split()
    for count in range(16, len(words) + 1):
        question = " ".join(words[:count])
        lines = question_lines(question, width)
        assert all(len(line) <= width for line in lines)
        if len(lines) == 2 and " ".join(lines) == question:
            assert len(lines[0]) - len(lines[1]) <= 24, lines
