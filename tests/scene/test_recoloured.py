"""Colours with another meaning: TILE by source element instead of by copy. Any operator may declare one."""

from __future__ import annotations

import numpy as np
import pytest
from support.driver import Driver, explore

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Place
from dmlviz.operators.registry import operators
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.dialogs.help import Help
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.widgets.lib.inks import inks_of
from dmlviz.widgets.picture.memory_strip import MemoryStrip

TILE = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (2, 3))


def test_a_colour_is_a_source_element_wherever_it_is_copied_to() -> None:
    trace = dml.trace(TILE).coloured(True)
    output, source = Place(True, 0), Place(False, 0)
    at = unravel(np.arange(36, dtype=np.int64), (4, 9))
    found = trace.identity(output, at)
    origin = trace.sources(0, at).index
    assert np.array_equal(found, trace.identity(source, origin))
    assert np.array_equal(found, ravel(origin, (2, 3)))
    assert sorted(set(found.tolist())) == list(range(trace.colours.identity_count(TILE)))


@pytest.mark.parametrize("operator", operators().values(), ids=lambda o: o.name)
def test_operators_with_one_meaning_keep_it(operator: Operator[Desc]) -> None:
    usual = fresh(operator.desc.TYPE).trace()
    assert (usual.coloured(True) is usual) == (operator.recoloured() is None)


def fills(driver: Driver) -> list[int]:
    """The identity of each output element in a row, by the colour of its cell."""
    inks = inks_of(driver.app.theme_variables)
    cells = sorted((style for style in inks._table if style.kind == "cell"), key=lambda style: -style.identity)
    known = {inks.style(style).bgcolor: style.identity for style in cells}  # later ones have a colour again
    places = [Cursor(Place(True, 0), (0, j)) for j in range(9)]
    return [known[style.bgcolor] for style in (driver.segment(at).style for at in places) if style is not None]


def test_keys_change_what_colours_stand_for_and_show_the_memory() -> None:
    async def script(driver: Driver) -> None:
        assert fills(driver) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
        cursor = driver.screen.state.picture.cursor
        await driver.press("C")
        assert fills(driver) == [0, 1, 2] * 3
        assert driver.screen.state.picture.cursor == cursor
        assert not driver.screen.workspace.document.dirty  # how it is looked at is no edit
        strip = driver.screen.query_one(MemoryStrip)
        await driver.press("m")
        assert strip.display
        assert "A 1" in driver.text("#memory").split("OutputTensor")[0]  # the input's elements have colours too
        await driver.click_text("B 2", "#memory")
        assert driver.screen.state.picture.cursor == Cursor(Place(False, 0), (0, 1))
        await driver.press("m")
        assert not strip.display
        await driver.press("p")
        assert isinstance(driver.app.screen, Help)
        assert "the source element" in driver.words("Help Grid > Static")
        await driver.press("escape", "home", "full_stop")  # what isn't written has no colour yet
        assert driver.text("#outputs").count("·") == 35
        await driver.press("C", "end", "escape")
        assert fills(driver) == [0, 0, 0, 1, 1, 1, 2, 2, 2]

    explore(script, Session((Experiment("tiles", TILE),)))
