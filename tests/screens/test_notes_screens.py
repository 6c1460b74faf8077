"""Notes and the question that they end with: written, undone at once, safe to look at, in sight at every size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore, is_top
from support.one_session import many
from textual.widgets import TextArea

from dmlviz.screens.dialogs.notes_editor import NotesEditor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.notes import question_of
from dmlviz.widgets.panels.question_line import MOST, QuestionLine


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_notes_are_written_and_undone_at_once(driver: Driver) -> None:
    screen = driver.screen
    before = screen.workspace.document.session
    await driver.press("home", "n")
    area = driver.app.screen.query_one(TextArea)
    area.move_cursor((0, 0))
    await driver.type("*new* ")
    assert area.text.startswith("*new* Each index")
    assert "new Each index" in driver.text("#shown") if driver.app.size.width > 80 else "Preview" not in driver.text()
    assert screen.workspace.experiment.notes == area.text
    await driver.press("shift+tab", "end")
    await driver.type("!")
    await driver.press("escape")
    assert is_top(driver, Explorer)
    assert screen.workspace.document.session.title.endswith("!")
    assert screen.state.picture.step == 0, "the picture goes on where it was"
    await driver.press("u")
    assert screen.workspace.document.session == before


def test_notes_of_strangers_are_safe_to_look_at_and_are_not_changed_by_looking() -> None:
    evil = "one\x1b]0;title\x07 [red]two[/red]\n\n# three"
    session = many("a")
    session = replace(session, experiments=(replace(session.experiments[0], notes=evil), *session.experiments[1:]))

    async def script(driver: Driver) -> None:
        await driver.until(lambda: "three" in driver.text("#notes"))
        assert "\x1b" not in driver.text()
        assert "[red]two[/red]" in driver.text("#notes")
        await driver.press("n")
        assert "\x1b" not in driver.text()
        await driver.press("escape")
        assert driver.screen.workspace.experiment.notes == evil
        assert not driver.screen.state.document.dirty

    explore(script, session)


LONGEST = "ab " * (MOST // 3)


def line_of(driver: Driver) -> QuestionLine:
    """The one of the two that is shown."""
    return next(each for each in driver.screen.query(QuestionLine) if each.is_on_screen)


def said(driver: Driver) -> str:
    line = line_of(driver)
    return " ".join(driver.text(f"#{line.id}").replace("?", "", 1).split())


@pytest.mark.parametrize("size", [(60, 18), (200, 50)])
def test_each_experiment_s_own_is_whole_whatever_else_changes_and_a_click_reads_on(size: tuple[int, int]) -> None:
    (one,) = examples.example("gather-2").session().experiments
    inline = examples.example("inline-split").session().experiments
    long = [replace(one, name=end, notes=f"Told. **{LONGEST}{end}?**") for end in ("", "and so on")]

    async def script(driver: Driver) -> None:
        for each in (*inline, long[0]):
            assert said(driver) == " ".join(question_of(each.notes).split())
            await driver.press("ctrl+right")
        assert not any(each.is_on_screen for each in driver.screen.query(QuestionLine)), "the notes have it"
        await driver.press("ctrl+left")
        place = line_of(driver).region
        for key in ("home", "full_stop", "end", "down", "z", "m"):
            await driver.press(key)
            assert line_of(driver).region == place, key
        await driver.click(line_of(driver), 5)
        assert is_top(driver, NotesEditor)
        await driver.press("escape")
        assert is_top(driver, Explorer)

    explore(script, Session((*inline, *long)), size)
