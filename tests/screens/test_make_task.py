"""Make a task: every kind by keys alone, one by mouse, and the lesson that is shipped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.author_keys import Author
from support.driver import Driver, explore, is_top
from textual.widgets import TextArea

from dmlviz.screens.dialogs.make_task import GIVES_UP, MakeTask
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Session
from dmlviz.teaching.tasks.tasks import task_of

SMALL = (80, 24)
Script = Callable[[Author], Awaitable[None]]


def write(script: Script, session: Session | str = "gather-2", size: tuple[int, int] = SMALL) -> Session:
    """The session that an author leaves behind."""
    found: list[Session] = []

    async def whole(driver: Driver) -> None:
        await script(Author(driver))
        found.append(driver.screen.workspace.document.session)

    explore(whole, session, size)
    return found[0]


def test_a_task_is_made_by_mouse_but_for_its_words_and_undone_as_one() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        driver.screen.action_make_task()
        await driver.until(lambda: is_top(driver, MakeTask))
        await driver.click_text("cell", "#offers")
        assert author.members["task"]["ask"]["kind"] == "cell"
        await driver.scroll(driver.app.screen.query_one("#offers"), 100)
        await driver.click_text("G3", "#offers")
        assert [*author.members["task"]["wrong"]] == ["G3"]
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

    task = task_of(write(script).experiments[0])
    assert task is not None
    assert (task.kind, task.phase, task.say, [*task.wrong]) == ("cell", "predict", "Why", ["G3"])


def test_what_is_written_is_given_up_only_when_escape_is_pressed_twice() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await driver.press("escape")
        assert is_top(driver, Explorer), "nothing was written"
        await author.open()
        await author.write(say="Which?")
        await driver.press("escape")
        assert is_top(driver, MakeTask)
        assert GIVES_UP.split(":")[0] in driver.words(".trouble")
        await driver.press("escape")
        assert is_top(driver, Explorer)

    assert write(script) == examples()["gather-2"]


def test_a_sign_says_that_there_is_a_task_until_it_is_taken_out() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        assert "   ?" not in driver.text("#header")
        await author.open()
        await author.choose("sizes")
        await author.make()
        assert "   ?" in driver.text("#header")
        await author.open()
        author.dialog.query_one(TextArea).clear()
        await driver.press("ctrl+s")
        await driver.until(lambda: is_top(driver, Explorer))
        assert "   ?" not in driver.text("#header")

    assert write(script, size=(120, 36)) == examples()["gather-2"]


@pytest.mark.parametrize(("kind", "preview"), [("sizes", LessonScreen), ("level", LevelScreen)])
def test_the_preview_asks_as_a_student_is_asked_and_keeps_nothing(kind: str, preview: type[LessonScreen]) -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        answers = len(driver.app.progress.answers) if driver.app.progress else 0
        await author.open()
        await author.choose(kind)
        solved: dict[str, Any] = (
            {"solutions": [{"values": {"IndicesTensor": [[2, 1, 1, 0]]}}]} if kind == "level" else {}
        )
        await author.write(say="Which sizes?", **solved)
        await driver.press("f2")
        await driver.until(lambda: is_top(driver, preview) and "Which sizes?" in driver.text())
        if kind == "sizes":
            await driver.press("4", "comma", "2", "enter")
        await driver.press("escape")
        await driver.until(lambda: is_top(driver, MakeTask))
        assert author.members["task"]["say"] == "Which sizes?"
        assert (len(driver.app.progress.answers) if driver.app.progress else 0) == answers

    write(script)


@pytest.mark.parametrize("size", [SMALL, (200, 50)])
def test_what_is_wrong_and_what_a_kind_needs_are_told_by_keys_and_by_mouse(size: tuple[int, int]) -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.write("lesson", minutes="ten")
        number = next(n for n, line in enumerate(author.dialog.draft.text.split("\n"), 1) if "minutes" in line)
        assert f'line {number}: lesson.minutes is "ten"' in driver.words(".trouble")
        for key in ("ctrl+s", "f2"):
            await driver.press(key)
            assert is_top(driver, MakeTask), "nothing acts over it"
        for label in ("Preview (f2)", "Make it (^s)", "Close (esc)"):
            assert label in driver.text(".foot")
        assert driver.app.screen.query_one(TextArea).size.height >= 8
        await author.choose("insizes")
        assert "insizes can't be asked here: it needs a tensor of lengths." in driver.words(".trouble")
        await driver.click_text("fixes", "#offers")
        assert "fixes can't be asked here" in driver.words(".trouble")
        await author.choose("order")
        assert author.members["task"]["ask"]["kind"] == "order"

    write(script, size=size)
