"""An example about clamped values opens on one of them, with its sign explained and its index readable."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session import examples
from dmlviz.session.views import ViewEntry

SIZES = [(80, 24), (120, 36), (200, 50)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", ["warning-index-range", "warning-length-clamped"])
async def test_the_cursor_opens_on_a_clamped_element_and_the_formula_explains_its_sign(driver: Driver) -> None:
    cursor, trace = driver.screen.state.picture.cursor, driver.screen.state.view.trace
    assert cursor is not None
    assert trace is not None
    assert cursor.place.is_output
    assert trace.source(cursor.place.number, cursor.index).clamped
    assert "!" in driver.drawn(cursor)
    assert "! clamped" in driver.words("#formula")
    assert "acts as" in driver.words("#formula")


def test_while_something_is_hidden_the_cursor_gives_no_clamped_element_away() -> None:
    session = examples.example("warning-index-range").session()
    first = session.experiments[0]
    hidden = replace(session, experiments=(replace(first, view=ViewEntry({"step": 1})),))

    async def script(driver: Driver) -> None:
        assert not driver.screen.state.picture.known.whole
        assert driver.screen.state.picture.cursor == Cursor(Place(True, 0), (0, 0))

    explore(script, hidden)
