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
from dmlviz.widgets.panels.question_line import SURE, QuestionLine


def line_of(driver: Driver) -> QuestionLine:
    """The one of the two that is shown."""
    return next(each for each in driver.screen.query(QuestionLine) if each.is_on_screen)


def said(line: QuestionLine) -> str:
    return " ".join(line.text.removeprefix("? ").split())


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 36), (200, 50)])
def test_each_experiment_s_own_is_whole_and_bold_whatever_else_changes(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        for each in driver.screen.workspace.document.session.experiments:
            assert said(line_of(driver)) == question_of(each.notes)
            await driver.press("ctrl+right")
        line, place = line_of(driver), line_of(driver).region
        assert all(span.style.strong for spans in line.lines(*line.size) for span in spans)
        for key in ("home", "full_stop", "end", "down", "z", "m"):
            await driver.press(key)
            assert line_of(driver).region == place, key

    explore(script, "inline-split", size)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
def test_a_long_one_is_cut_clearly_and_a_click_reads_on(size: tuple[int, int]) -> None:
    (experiment,) = examples.example("gather-2").session().experiments
    question = " ".join(f"word{i}" for i in range(200)) + "?"

    async def script(driver: Driver) -> None:
        shown = said(line_of(driver))
        assert shown.endswith("… n reads on")
        assert question.startswith(shown.removesuffix("… n reads on").strip())
        await driver.click(line_of(driver), 5, 1)
        assert is_top(driver, NotesEditor)
        await driver.press("escape")
        assert is_top(driver, Explorer)

    explore(script, Session((replace(experiment, notes=f"Told. **{question}**"),)), size)


@pytest.mark.parametrize("width", [78, 100, 160, 230])
@pytest.mark.parametrize("question", ["a" * SURE, "ab " * (SURE // 3), "語" * (SURE // 2)])
def test_one_that_is_short_enough_is_never_cut(question: str, width: int) -> None:
    line = QuestionLine()
    line.question = question
    told = "".join(span.text for spans in line.lines(width, 3) for span in spans)
    assert "".join(told.split()) == "?" + "".join(question.split())
