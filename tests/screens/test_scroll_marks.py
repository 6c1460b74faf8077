"""Panels with more lines than room: pictures say which rows are seen, and notes scroll under their question."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.driver import Driver, explore, is_top

from dmlviz.scene.layout.zoom import Zoom
from dmlviz.screens.dialogs.notes_editor import NotesEditor
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.widgets.panels.notes_panel import NotesPanel


@pytest.mark.parametrize("session", ["padding-1"])
async def test_rows_that_are_said_to_be_seen_are_those_whose_values_are(driver: Driver) -> None:
    driver.zoom(Zoom.LARGE)
    await driver.settle()
    said = set()
    for y in range(5):
        await driver.scroll(driver.side(True), y)
        found = re.search(r"rows (\d)–(\d) of 8", driver.text("#outputs"))
        assert found is not None
        rows = re.findall(r"^\W*(\d) (?=.*[A-Z∅])", driver.text("#outputs"), re.MULTILINE)
        assert (rows[0], rows[-1]) == found.groups()
        said.add(found.groups())
    assert len(said) > 1


LONG = "\n\n".join(f"Paragraph {i} of notes that nobody has room for." for i in range(30))


@pytest.mark.parametrize("size", [(100, 30), (200, 50)])
def test_long_notes_scroll_under_a_question_that_stays(size: tuple[int, int]) -> None:
    session = examples.example("gather-2").session()
    session = Session((replace(session.experiments[0], notes=f"{LONG}\n\n**Which rows are read?**"),))

    async def script(driver: Driver) -> None:
        panel = next(each for each in driver.screen.query(NotesPanel) if each.display)
        name = f"#{panel.id}"
        await driver.until(lambda: "Paragraph 0" in driver.text(name))
        panel.scroll_end(animate=False)
        await driver.settle()
        assert "Paragraph 29" in driver.words(name)
        assert "Which rows are read?" in driver.text(), "the question stays where it is"
        await driver.click(name, 4, 1)
        assert is_top(driver, NotesEditor)

    explore(script, session, size)
