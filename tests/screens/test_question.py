"""The question of an example's notes on the explorer: in sight at every size, cut clearly, read on in the notes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore, is_top

from dmlviz.screens.dialogs.notes_editor import NotesEditor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.notes import question_of
from dmlviz.widgets.panels.question_line import MOST, QuestionLine

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
