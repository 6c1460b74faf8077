"""An example about clamped values opens on one of them, with its sign explained and its index readable."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.driver import Driver, explore

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session import examples
from dmlviz.session.views import ViewEntry
from dmlviz.session.writing import dump

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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", ["warning-index-range"])
async def test_a_wide_index_is_read_whole_and_widens_no_other_column(driver: Driver) -> None:
    indices = [Cursor(Place(False, 1), (0, j)) for j in range(4)]
    assert [driver.drawn(each).rstrip("!") for each in indices] == ["0", "3", "1", "4294967295"]
    stack = driver.side(False).stack
    assert stack is not None
    figure = stack.figure(Place(False, 1))
    widths = [figure.cell for j in range(4)]
    assert widths[0] == widths[1] == widths[2] <= widths[3]
    for each in indices:  # a click finds what is drawn there
        x, y = driver.cell(each)
        await driver.click("#inputs", x + figure.cell - 1, y)
        assert driver.screen.state.picture.cursor == each


@pytest.mark.parametrize("session", ["warning-index-range"])
async def test_where_it_opens_is_no_change_of_the_file(driver: Driver) -> None:
    document = driver.screen.workspace.document
    assert not document.views
    assert dump(document.viewed()) == dump(examples.example("warning-index-range").session())


def test_while_something_is_hidden_the_cursor_gives_no_clamped_element_away() -> None:
    session = examples.example("warning-index-range").session()
    first = session.experiments[0]
    hidden = replace(session, experiments=(replace(first, view=ViewEntry({"step": 1})),))

    async def script(driver: Driver) -> None:
        assert not driver.screen.state.picture.known.whole
        assert driver.screen.state.picture.cursor == Cursor(Place(True, 0), (0, 0))

    explore(script, hidden)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("column", [1, 2, 3])
@pytest.mark.parametrize("session", ["warning-index-range"])
async def test_the_wire_ends_below_the_index_that_sends_the_element(driver: Driver, column: int) -> None:
    driver.point(Cursor(Place(True, 0), (column, 0)))
    await driver.settle()
    x, y = driver.cell(Cursor(Place(False, 1), (0, column)))
    stack = driver.side(False).stack
    assert stack is not None
    if not stack.beside:  # indices of ten digits have no room beside the input at 80x24
        return
    width = stack.figure(Place(False, 1)).cell
    lines = driver.text("#inputs").split("\n")
    head = [(x, y) for y, line in enumerate(lines) for x, char in enumerate(line) if char == "▲"]
    assert len(head) == 1
    assert x <= head[0][0] < x + width
    assert y < head[0][1] <= y + 3
    assert lines[head[0][1] + 1][head[0][0]] == ("╯" if column == 3 else "┴")  # it goes on from there
