"""Dialogs: experiments of a session, the palette, and tasks that are made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from inspect import isawaitable
from operator import attrgetter
from typing import Any

import pytest
from support.driver import Driver, header, is_top, names, top
from support.one_session import many
from textual import actions
from textual.command import CommandList
from textual.events import Paste
from textual.widgets import OptionList, TextArea

from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.choose import ChooseOperator
from dmlviz.screens.dialogs.experiments import Experiments
from dmlviz.screens.dialogs.make_task import GIVES_UP, MakeTask
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.explorer.files import Files
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.session.document import Document
from dmlviz.session.examples import examples
from dmlviz.teaching.tasks.tasks import task_of
from dmlviz.widgets.fields.field import Field
from dmlviz.widgets.lib.commands import COMMANDS
from dmlviz.widgets.lib.textual_private import Palette
from dmlviz.widgets.panels.reasons_panel import ReasonsPanel
from dmlviz.widgets.picture.tensor_stack import TensorStack
from dmlviz.workspace.explorer.workspace import Workspace


@pytest.mark.parametrize("session", [many("a", "b")])
async def test_experiments_are_edited_by_key(driver: Driver) -> None:
    await driver.press("ctrl+e", "down", "ctrl+d")
    assert names(driver) == ["a", "b", "b 2"]
    await driver.press("f2")
    await driver.type("new")
    await driver.press("enter")
    assert names(driver) == ["a", "b", "new"]
    await driver.press("shift+up", "shift+up")
    assert names(driver) == ["new", "a", "b"]
    await driver.press("ctrl+n")
    assert is_top(driver, ChooseOperator)
    await driver.press("home", "enter")
    assert names(driver) == ["new", "JOIN", "a", "b"]
    await driver.press("down", "delete")
    assert names(driver) == ["new", "JOIN", "b"]
    await driver.press("escape", "ctrl+z")
    assert names(driver) == ["new", "JOIN", "a", "b"]
    await driver.press("ctrl+e", "2")
    assert is_top(driver, Explorer)
    assert "JOIN" in header(driver)
    assert "2 of 4" in header(driver)
    for _ in range(5):  # each was one edit
        await driver.press("u")
    assert names(driver) == ["a", "b"]
    assert not driver.screen.state.document.dirty
    await driver.press("ctrl+e", "end", "delete", "delete")
    assert "only experiment" in top(driver, ".trouble")
    await driver.press("f2", "escape")
    assert is_top(driver, Experiments)
    await driver.press("escape")
    assert names(driver) == ["a"]


def offered(driver: Driver) -> dict[str, Callable[[], Any]]:
    return {command.title: command.callback for command in driver.app.get_system_commands(driver.app.screen)}


async def test_a_palette_that_goes_says_nothing_and_may_be_asked_for_before_it_is_gone(driver: Driver) -> None:
    await driver.press("ctrl+p", *"qqqq")
    palette = driver.app.screen
    assert isinstance(palette, Palette)
    await driver.until(lambda: "No matches found" in driver.text())
    await palette.query_one(CommandList).remove()  # as when its screen is taken away
    palette.say_no_matches(searched=True)
    palette.say_no_matches(searched=False)
    for is_found in (True, False):  # by what searches, which hasn't ended
        palette._list_visible = is_found
    await driver.settle()
    assert driver.app._exception is None
    await driver.press("escape", "ctrl+p")
    first = driver.app.screen
    assert isinstance(first, Palette)
    first.dismiss(None)
    for _ in range(2):
        driver.app.action_command_palette()  # as a key does that comes while a busy machine takes the last one away
        await driver.settle()
        assert driver.app._exception is None
        assert [each for each in driver.app.screen_stack if isinstance(each, Palette)] == [driver.app.screen]
    assert driver.app.screen is not first


@pytest.mark.parametrize("size", [(6, 6), (20, 5)])
async def test_a_page_of_a_list_without_a_line_is_nothing_to_move_by(driver: Driver) -> None:
    driver.app.action_command_palette()
    await driver.settle()
    await driver.press("d", "down", "pagedown", "pageup", "pagedown", "escape")
    assert driver.app._exception is None


async def run(driver: Driver, callback: Callable[[], Any]) -> None:
    """Calls a command as the palette does once it has closed."""
    answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def called() -> None:
        try:
            answer = callback()
            if isawaitable(answer) and not hasattr(answer, "cancel"):
                await answer
        except Exception as error:
            answered.set_exception(error)
        else:
            answered.set_result(None)

    driver.app.call_later(called)
    await asyncio.wait_for(answered, 60)
    await driver.settle()


@pytest.mark.parametrize(
    ("size", "session", "nowhere", "every"),
    [
        ((80, 24), "join-1", False, 6),
        pytest.param((80, 24), "join-1", False, 1, marks=pytest.mark.slow),
        pytest.param((120, 36), "rule-dtype-equal", True, 1, marks=pytest.mark.slow),
    ],
    ids=["some", "valid", "broken"],
)
async def test_every_command_may_be_called_and_left(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, nowhere: bool, every: int
) -> None:
    """From the start and with the focus nowhere; the monkey calls them from everywhere."""
    ended: list[object] = []
    monkeypatch.setattr(driver.app, "exit", lambda *_: ended.append("exit"))
    monkeypatch.setattr(driver.app, "deliver_screenshot", lambda *_: None)
    for title, callback in [*offered(driver).items()][-1::-every]:
        if nowhere:
            driver.screen.set_focus(None)
        await run(driver, callback)
        for _ in range(4):
            if driver.app.screen is not driver.screen or driver.screen.maximized is not None:
                await driver.press("escape")
        assert driver.app.screen is driver.screen, title
        for back in ("Cancel run", "Undo"):
            if back in offered(driver):
                await run(driver, offered(driver)[back])
    assert ended  # Quit would have


async def test_the_palette_offers_what_can_act_and_does_it_even_from_a_field(driver: Driver) -> None:
    always = {each.title for each in COMMANDS if each.pane == "explorer" and each.when(driver.screen.state)}
    assert always - {"Back to the picture", "Cell under the cursor"} <= {*offered(driver)}
    never = {"Undo", "Cancel run", "Fix 1", "Next failed check", "Add a tensor", "Leave the steps", "Next experiment"}
    assert not never & {*offered(driver)}
    await driver.focus("Axis")
    await driver.type("7")
    assert {"Undo", "Apply fix 1", "Next failed check"} <= {*offered(driver)}
    assert not {"Play", "Run", "Redo", "Fix 9"} & {*offered(driver)}
    await driver.press("ctrl+z", "ctrl+p")
    await driver.type("First step")
    await driver.until(lambda: "before anything is written" in driver.text())
    await driver.press("enter")
    await driver.until(lambda: driver.screen.state.picture.step == 0)


def test_every_command_has_somebody_who_does_it() -> None:
    desk = Workspace(Document(many("a")))
    kinds = {"explorer": Explorer, "form": Field, "picture": TensorStack, "rules": ReasonsPanel}
    for command in COMMANDS:
        where, name, given = actions.parse(command.action)
        does = {"app": DmlvizApp, "screen": Explorer}.get(where, kinds[command.pane])
        assert callable(getattr(does, f"action_{name}")), command.id
        if name in ("do", "file"):
            assert callable(attrgetter(str(given[0]))(desk if name == "do" else Files)), command.id
        assert command.title
        assert command.help


async def tasks_dialog(driver: Driver) -> MakeTask:
    driver.screen.action_make_task()
    await driver.until(lambda: is_top(driver, MakeTask))
    assert isinstance(driver.app.screen, MakeTask)
    return driver.app.screen


def members(dialog: MakeTask) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dialog.query_one(TextArea).text)
    return found


async def choose(driver: Driver, dialog: MakeTask, id_: str) -> None:
    """Chooses a kind, or a misconception, by keys."""
    offers = dialog.query_one(OptionList)
    while driver.app.focused is not offers:
        await driver.press("shift+tab")
    await driver.press(
        "home", *["down"] * sum(not each.disabled for each in offers.options[: offers.get_option_index(id_)])
    )
    await driver.press("enter")


async def write(driver: Driver, dialog: MakeTask, part: str = "task", **more: Any) -> None:
    """Pastes the text with some members of the task, or of the lesson, over what was there."""
    editor, every = dialog.query_one(TextArea), members(dialog)
    every[part] |= more
    while driver.app.focused is not editor:
        await driver.press("tab")
    await driver.press("f7")
    driver.app.post_message(Paste(json.dumps(every, indent=2)))
    await driver.until(lambda: dialog.draft.text == json.dumps(every, indent=2))


@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_task_is_made_by_mouse_but_for_its_words_and_undone_as_one(driver: Driver) -> None:
    dialog = await tasks_dialog(driver)
    await driver.click_text("cell", "#offers")
    assert members(dialog)["task"]["ask"]["kind"] == "cell"
    await driver.scroll(driver.app.screen.query_one("#offers"), 100)
    await driver.click_text("G3", "#offers")
    await driver.type("Rows aren't sent.")  # its words have the caret
    await driver.click_text('"say": "', "#json", len('"say": "'))
    await driver.type("Why")
    await driver.click_text("Preview", ".foot")
    await driver.until(lambda: is_top(driver, LessonScreen) and "Why" in driver.text())
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, MakeTask))
    await driver.click_text("Make it", ".foot")
    await driver.until(lambda: is_top(driver, Explorer))
    await driver.press("u")
    assert driver.screen.workspace.document.session == examples()["gather-2"], "one change"
    await driver.press("ctrl+y")
    task = task_of(driver.screen.workspace.document.experiment)
    assert task is not None
    assert (task.kind, task.phase, task.say, task.wrong) == ("cell", "predict", "Why", {"G3": "Rows aren't sent."})


@pytest.mark.parametrize("size", [(80, 24)])
async def test_what_is_written_is_given_up_only_when_escape_is_pressed_twice(driver: Driver) -> None:
    await tasks_dialog(driver)
    await driver.press("escape")
    assert is_top(driver, Explorer), "nothing was written"
    await write(driver, await tasks_dialog(driver), say="Which?")
    await driver.press("escape")
    assert is_top(driver, MakeTask)
    assert GIVES_UP.split(":")[0] in driver.words(".trouble")
    await driver.press("escape")
    assert is_top(driver, Explorer)
    assert driver.screen.workspace.document.session == examples()["gather-2"]


@pytest.mark.parametrize("size", [(80, 24)])
@pytest.mark.parametrize(("kind", "preview"), [("sizes", LessonScreen), ("level", LevelScreen)])
async def test_the_preview_asks_as_a_student_is_asked_and_keeps_nothing(
    driver: Driver, kind: str, preview: type[LessonScreen]
) -> None:
    answers = [*driver.app.progress.answers]
    dialog = await tasks_dialog(driver)
    await choose(driver, dialog, kind)
    solved: dict[str, Any] = {"solutions": [{"values": {"IndicesTensor": [[2, 1, 1, 0]]}}]} if kind == "level" else {}
    await write(driver, dialog, say="Which sizes?", **solved)
    await driver.press("f2")
    await driver.until(lambda: is_top(driver, preview) and "Which sizes?" in driver.text())
    if kind == "sizes":
        await driver.press("4", "comma", "2", "enter")
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, MakeTask))
    assert members(dialog)["task"]["say"] == "Which sizes?"
    assert driver.app.progress.answers == answers


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_what_is_wrong_and_what_a_kind_needs_are_told_by_keys_and_by_mouse(driver: Driver) -> None:
    dialog = await tasks_dialog(driver)
    await write(driver, dialog, "lesson", minutes="ten")
    number = next(n for n, line in enumerate(dialog.draft.text.split("\n"), 1) if "minutes" in line)
    assert f'line {number}: lesson.minutes is "ten"' in driver.words(".trouble")
    for key in ("ctrl+s", "f2"):
        await driver.press(key)
        assert is_top(driver, MakeTask), "nothing acts over it"
    for label in ("Preview (f2)", "Make it (^s)", "Close (esc)"):
        assert label in driver.text(".foot")
    assert dialog.query_one(TextArea).size.height >= 8
    await choose(driver, dialog, "insizes")
    assert "insizes can't be asked here: it needs a tensor of lengths." in driver.words(".trouble")
    await driver.click_text("fixes", "#offers")
    assert "fixes can't be asked here" in driver.words(".trouble")
    await choose(driver, dialog, "order")
    assert members(dialog)["task"]["ask"]["kind"] == "order"
