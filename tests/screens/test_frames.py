"""Frames draw what changed and nothing else; a key passes few hands; random events lose nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pyte
import pytest
from rich.style import Style
from support.driver import Driver, explore
from support.effort import part
from support.quiet_pilot import key_event, piloted, render_update
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.binding import Binding
from textual.strip import Strip

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.operators.maps import Place
from dmlviz.operators.registry import operators
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.dialogs.asking import AskUnsaved
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.widgets.boards.answer_board import AnswerBoard
from dmlviz.widgets.fields.form import Form
from dmlviz.widgets.lib.commands import COMMANDS, NO_KEY
from dmlviz.widgets.picture.picture_pane import PicturePane
from dmlviz.workspace.shown.picture import Desk, Picture

SIZE = 120, 36
KEYS = (
    *("right", "down", "left"),  # the cursor
    *(",", ",", ".", "home", "end", "escape"),  # steps
    *("f2", "tab", "tab", "tab", "end", "up", "up", "down"),  # a size is edited
    *("f8", "o", "o", "f2", "pagedown", "z", "z", "m", "T", "i", "escape"),  # rules, zooms, memory, and a dialog
)
Cell = tuple[str, object]


def look(character: str, style: Style | None) -> Cell:
    """A character as it is seen: of a blank the ground alone."""
    style = style or Style()
    ground = style.color if style.reverse else style.bgcolor
    if character == " ":
        return " ", ground
    return character, (style.color, style.bgcolor, style.bold, style.underline, style.reverse)


def seen(strips: list[Strip], region: Any) -> list[list[Cell]]:
    """What stands in a region of the screen, by characters and colours."""
    lines = [[look(character, style) for text, style, _ in strip for character in text] for strip in strips]
    return [line[region.x : region.right] for line in lines[region.y : region.bottom]]


def panels(driver: Driver, *selectors: str) -> dict[str, list[list[Cell]]]:
    strips = driver.screen._compositor.render_strips()
    return {each: seen(strips, driver.screen.query_one(each).region) for each in selectors}


class Paper:
    """A terminal that is sent every frame of a screen."""

    def __init__(self, driver: Driver) -> None:
        self._console, compositor = driver.app.console, driver.screen._compositor
        self._screen = pyte.Screen(*SIZE)
        self._stream, self._whole = pyte.Stream(self._screen), compositor.render_full_update
        self.partial = 0
        self.send(self._whole())

        def sent(*given: Any, **named: Any) -> Any:
            update = render_update(compositor, *given, **named)
            if isinstance(update, CompositorUpdate):
                self.partial += isinstance(update, ChopsUpdate)
                self.send(update)
            return update

        compositor.render_update = sent  # type: ignore[method-assign]

    def send(self, update: CompositorUpdate) -> None:
        self._stream.feed(update.render_segments(self._console).replace("\n", ""))

    def cells(self) -> list[list[Any]]:
        columns, lines = SIZE
        return [[self._screen.buffer[y][x] for x in range(columns)] for y in range(lines)]

    def is_whole(self) -> bool:
        """True if nothing would change by drawing all of the screen."""
        before = self.cells()
        self.send(self._whole())
        return before == self.cells()


@pytest.mark.parametrize("colours", [True, False])
def test_frames_leave_what_drawing_the_whole_screen_would(monkeypatch: pytest.MonkeyPatch, colours: bool) -> None:
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        paper = Paper(driver)
        for key in KEYS:
            await driver.press(key)
            if driver.app.screen is driver.screen:
                await driver.until(paper.is_whole)
        assert paper.partial > len(KEYS) / 2

    explore(script, "gather-2", SIZE)


DRAWN = ("#inputs", "#outputs", "#kernel", "#rules", "#form", "#memory", "#formula", "#transport")


@pytest.mark.parametrize(("example", "edits"), [("gather-1", ("up", "up", "down")), ("split-1", ("up", "down"))])
def test_what_was_kept_is_not_shown_after_an_edit(example: str, edits: tuple[str, ...]) -> None:
    """The second one is broken in between, and mended by the same field."""
    found: list[dict[str, Any]] = []

    async def edited(driver: Driver) -> None:
        await driver.press(",", ",", ".", "f2", "tab", "tab", "tab", "end", *edits)
        await driver.press("f2")
        driver.screen.action_to_picture()
        await driver.settle()
        await look_there(driver)
        again.append(Session((driver.screen.workspace.document.experiment,)))

    async def look_there(driver: Driver) -> None:
        trace = driver.screen.state.view.trace
        assert trace is not None
        driver.point(Cursor(Place(True, 0), (0,) * trace.outputs[0].tensor.dimension_count))
        await driver.settle()
        found.append(panels(driver, *DRAWN))

    again: list[Session] = []
    explore(edited, example, (200, 50))
    explore(look_there, again[0], (200, 50))
    for name in DRAWN:
        assert found[0][name] == found[1][name], name


PACKAGE = str(Path(dml.__file__).parent)
IN, OUT = 3, 2


def ours(frame: FrameType | None, until: Callable[[FrameType], bool]) -> int:
    """How many functions of ours called a frame, up to one that `until` holds of."""
    count = 0
    while frame is not None and not until(frame):
        count += frame.f_code.co_filename.startswith(PACKAGE)
        frame = frame.f_back
    return count


async def count(driver: Driver, key: str, does: str) -> None:
    """Presses a key, and counts from Textual to the desk's method `does`, and from `state` to each widget."""
    seen = {"in": 0, "out": 0}

    def watched(frame: FrameType, event: str, arg: Any) -> None:
        name, here = frame.f_code.co_name, frame.f_locals.get("self")
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        if name == does and isinstance(here, Desk | Picture) and not seen["in"]:
            seen["in"] = ours(frame.f_back, lambda each: each.f_code.co_name == "run_action")
        if name == "present" and isinstance(here, AnswerBoard | Form | PicturePane):
            by = ours(frame, lambda each: each.f_code.co_name == "watch_state")
            by -= frame.f_back is not None and frame.f_back.f_locals.get("self") is here  # its own base's
            seen["out"] = max(seen["out"], by)

    sys.setprofile(watched)
    try:
        await driver.press(key)
    finally:
        sys.setprofile(None)
    assert 0 < seen["in"] <= IN, (key, seen)
    assert 0 < seen["out"] <= OUT, (key, seen)


async def test_in_the_explorer(driver: Driver) -> None:
    await count(driver, "full_stop", "step")
    await count(driver, "m", "turn_memory")
    await driver.focus("Axis")
    await count(driver, "7", "type_in_field")
    await driver.press("escape")
    await count(driver, "f", "mend")


COMMON = ("tab", "shift+tab", "up", "down", "left", "right", "enter", "escape", "backspace", "delete", "f6", "space")
LEAVE = {"q", "ctrl+q", "r", "f5", NO_KEY}
UNTRIED = {"app.quit", "app.quit-letter", "kernel.run"}
"""Keys and commands that end the program, and that start a process."""
PASTED = (
    *("1, 2, 3", "[[1, 2], [3, 4]]", "iota 3 2", "99999999999999999999", "nan", "", "\n\n", "\x1b[31m", "☃" * 70),
    *("np.take(np.zeros((3, 2), np.float32), [0, 2], axis=0)", '{"dmlviz": 1}', "dml1:zKEO"),
    "UINT sizes[] = {1, 2, 3}; DML_BUFFER_TENSOR_DESC desc = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3,",
)


def events_of(dice: Random, app: DmlvizApp) -> list[events.Event]:
    """A key, a paste, a command of the palette, a click or the wheel, by lot."""
    what = dice.random()
    if isinstance(app.screen, AskUnsaved):
        return [key_event("escape")]  # the other answers may give a session up
    if what < 0.80:
        bound = {key for each in Explorer.BINDINGS if isinstance(each, Binding) for key in each.key.split(",")} - LEAVE
        kinds = dice.choice(sorted(bound)), dice.choice(COMMON), dice.choice("0123456789,- {}[]abcxyz")
        return [key_event(*dice.choices(kinds, (35, 25, 20)))]
    if what < 0.83:
        return [events.Paste(dice.choice(PASTED))]
    if what < 0.85:
        title = dice.choice([each.title for each in COMMANDS if each.id not in UNTRIED])
        return [*map(key_event, ("ctrl+p", *title, "enter"))]
    x, y = map(dice.randrange, app.size)
    does: list[type[events.MouseEvent]] = [events.MouseMove, events.MouseScrollDown]
    if dice.random() < 0.7:
        does[1:] = events.MouseDown, events.MouseUp
    return [each(None, x, y, 0, 0, 1, False, False, False, x, y) for each in does]


async def rampage(session: Session, dice: Random, count: int) -> Session:
    """The session after random events, sent as fast as a burst of keys comes from a terminal.

    Where they leave the program, another one opens what was there.
    """
    app, turn = DmlvizApp(session), 0
    async with piloted(app, SIZE) as pilot:
        while turn < count and app._exit is False:
            turn += 1
            for event in (sent := events_of(dice, app)):
                event.set_sender(app)
                app._driver.send_message(event)  # type: ignore[union-attr]
            await asyncio.sleep(0)
            if len(sent) > 1 or turn % 25 == 0:
                await pilot.pause()
            if turn % 150 == 0:
                await pilot.resize_terminal(dice.randint(20, 220), dice.randint(5, 70))
        await pilot.pause()
        assert app._exception is None
        document = next(screen for screen in app.screen_stack if isinstance(screen, Explorer)).workspace.document
        assert not (app._exit and document.dirty), "it was left without a question where something would be lost"
    return await rampage(document.session, dice, count - turn) if turn < count else document.session


@pytest.mark.slow
@pytest.mark.parametrize("type_", sorted(operators()))
def test_random_events_lose_nothing(type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sessions = (each.session() for each in all_examples())
    first = next(session for session in sessions if type_ == session.experiments[0].desc.TYPE)
    held = asyncio.run(rampage(first, Random(1000), part(600)))
    back, errors = parse(dump(held).encode(), "the session", None)
    assert not errors
    assert [each.desc for each in back.experiments] == [each.desc for each in held.experiments]
    assert dump(back) == dump(held)
