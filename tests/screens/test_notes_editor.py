"""Notes: written, saved, undone at once, and safe to look at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore, is_top
from support.one_session import many
from textual.widgets import TextArea

from dmlviz.screens.explorer.explorer import Explorer


@pytest.mark.parametrize("size", [(80, 24)])
async def test_notes_are_written_and_undone_at_once(driver: Driver) -> None:
    screen = driver.screen
    before = screen.workspace.document.session
    await driver.press("home", "n")
    area = driver.app.screen.query_one(TextArea)
    area.move_cursor((0, 0))
    await driver.type("*new* ")
    assert area.text.startswith("*new* Each index")
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
    session = session.with_experiment(0, replace(session.experiments[0], notes=evil))

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
