"""The lane between inputs and outputs: what a step moves goes through it, from line to line."""

from __future__ import annotations

import pytest
from support.cursors import into, out
from support.driver import Driver
from support.one_session import one

import dmlviz as dml
from dmlviz.scene.drawing.wires import Wire, wired
from dmlviz.widgets.picture.flow_lane import FlowLane


async def test_the_value_travels_through_the_lane(driver: Driver) -> None:
    await driver.press("home", *["full_stop"] * 5)
    lane = driver.text("#lane")
    assert "3" in lane
    assert "▶" in lane + driver.text("#outputs")
    flow = driver.screen.query_one(FlowLane).flow
    assert flow is not None
    assert flow.stop == driver.side(True).line_of(out(2, 0))
    # The index stands between: the route leaves the source, passes below the index with a tick to it, and goes on.
    inputs = driver.side(False)
    wires = {wire.text: wire for wire in inputs.wires}
    assert flow.start == wires["┴"].y
    index = inputs.line_of(into(0, 2, number=1))
    assert index is not None
    assert index < wires["▲"].y == flow.start - 1
    assert "─" in driver.text("#inputs").split("\n")[flow.start]


async def test_by_run_what_moves_together_is_lit_and_goes_through_the_lane_with_its_letters(driver: Driver) -> None:
    await driver.press("s", "home", *["full_stop"] * 3)
    lane = driver.words("#lane")
    assert "B 3" in lane
    assert "B 4" in lane
    for cursor in (into(1, 0), into(1, 1), into(0, 2, number=1), out(2, 0), out(2, 1)):
        style = driver.segment(cursor).style
        assert style is not None
        assert style.bold, cursor
    for cursor in (into(0, 0), into(2, 1), into(0, 1, number=1), out(1, 0), out(1, 1)):
        style = driver.segment(cursor).style
        assert style is not None
        assert not style.bold, cursor


@pytest.mark.parametrize("session", [one(dml.Tile(dml.TensorDesc("INT32", (60, 2)), (1, 1)))])
async def test_the_lane_follows_a_scroll(driver: Driver) -> None:
    await driver.press("home", *["full_stop"] * 3)
    lane, side = driver.screen.query_one(FlowLane), driver.side(True)
    height = side.size.height
    for y in range(side.max_scroll_y + 1):
        side.scroll_to(y=y, animate=False, immediate=True)
        await driver.settle()
        line = side.line_of(out(1, 0))
        assert lane.flow is not None
        assert lane.flow.stop == (line if line is not None else -1)
        texts = driver.text("#lane").split("\n")
        heads = [i for i, text in enumerate(texts) if "▶" in text]
        assert heads == ([line] if line is not None else [])
    driver.side(False).scroll_end(animate=False, immediate=True)
    side.scroll_home(animate=False, immediate=True)
    await driver.settle()
    assert lane.flow is not None
    assert (lane.flow.start, lane.flow.stop) == (-1, side.line_of(out(1, 0)))
    await driver.press("end")
    side.scroll_home(animate=False, immediate=True)
    await driver.settle()
    assert lane.flow is not None
    assert lane.flow.stop == height


@pytest.mark.parametrize(
    ("x", "text", "seen"), [(-9, "───────╮", ""), (-3, "───╮", "╮"), (-1, "", "────"), (2, "╭─", "  ╭─")]
)
def test_of_a_route_that_begins_left_of_the_window_the_rest_is_drawn(x: int, text: str, seen: str) -> None:
    (line,) = wired([[]], [Wire(x, 0, text)], 4)
    assert "".join(span.text for span in line) == seen
