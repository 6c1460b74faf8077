"""An example that asks about its picture, on the real screen: what is painted is what is known, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from support.driver import Driver, is_top
from support.lesson_play import answer_by_keys, asked

from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.dialogs.gallery import drawn, preview
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.session import course, examples
from dmlviz.session.document import Document
from dmlviz.widgets.lib.inks import inks_of

NAMES = ["tile-1", "join-2-axis-3"]


def open_example(driver: Driver, name: str) -> None:
    document = Document(examples.example(name).session())
    document.example = name
    driver.screen.act(driver.screen.workspace.open, document)


def outputs(driver: Driver) -> list[str]:
    """What is painted in each cell of the output."""
    scene = driver.screen.state.picture.scene
    assert scene is not None
    sizes = scene.trace.outputs[0].tensor.sizes
    return [driver.drawn(Cursor(Place(True, 0), index)) for index in np.ndindex(*sizes)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(120, 36)])
async def test_nothing_of_the_output_is_painted_until_it_is_answered(driver: Driver, name: str) -> None:
    open_example(driver, name)
    await driver.settle()
    assert all(HIDDEN in painted for painted in outputs(driver))
    assert "×" not in driver.text("#inputs")
    assert "g answers" in driver.words("#caption")
    assert "step 0 of" in driver.words("#transport")
    await driver.press("g")
    await driver.until(lambda: is_top(driver, QuestionScreen))
    assert "×" not in driver.text()
    await answer_by_keys(driver)
    verdict = asked(driver).state.verdict
    assert verdict is not None
    assert verdict.right
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, Explorer))
    assert not any(HIDDEN in painted for painted in outputs(driver))
    assert "g answers" not in driver.text()


@pytest.mark.parametrize(
    ("name", "keys", "looked_up"),
    [
        ("join-2-axis-3", ["full_stop"] * 5, False),  # what is asked is the eleventh of its elements
        ("join-2-axis-3", ["full_stop"] * 12, True),
        ("join-2-axis-3", ["escape", "comma", "full_stop", "full_stop"], True),
        ("tile-1", ["g", "e"], True),
        ("tile-1", ["full_stop"] * 2, True),  # how often an input is read, steps tell one by one
        ("tile-1", [], False),
    ],
)
@pytest.mark.parametrize("size", [(80, 24)])
async def test_what_play_has_shown_counts_as_looked_up(
    driver: Driver, name: str, keys: list[str], looked_up: bool
) -> None:
    open_example(driver, name)
    await driver.press(*keys, "g")
    await driver.until(lambda: is_top(driver, QuestionScreen))
    await answer_by_keys(driver)
    answered = asked(driver).desk._progress.answers[-1]
    assert (answered.right, answered.looked_up) == (True, looked_up)
    assert ("counts as looked up" in driver.words("#ask-board")) is looked_up


@pytest.mark.parametrize("size", [(80, 24)])
async def test_the_gallery_covers_what_it_asks(driver: Driver) -> None:
    cards = {card.example.name: card for card in course.listed()}
    shown = {}
    for name in (*NAMES, "gather-1"):
        inks = inks_of(driver.app.theme_variables, "background")
        words, trace, look = preview(cards[name].example.session(), cards[name], inks)
        assert trace is not None
        shown[name] = f"{words}\n{drawn(trace, look, 70, 20, inks)}"
    assert "How often is the 5 read?" in shown["tile-1"]
    assert "×" not in shown["tile-1"]
    assert all(HIDDEN in shown[name] for name in NAMES)
    assert HIDDEN not in shown["gather-1"].split("?")[-1]
