"""Upright at every size, before and after edits, fixes and zooms; and what is linked is on the screen."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.driver import Driver

from dmlviz.formats.page_text import short_number
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.layout.arrange import seen_with
from dmlviz.scene.layout.directions import across_of
from dmlviz.scene.layout.zoom import Zoom, lettered
from dmlviz.tracing import Trace

SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


def value_of(trace: Trace, cursor: Cursor) -> str:
    at = tuple(np.array([i], np.int64) for i in cursor.index)
    if cursor.place.is_output:
        return short_number(trace.window(cursor.place.number, at)[0])
    flat = np.ravel_multi_index(cursor.index, trace.inputs[cursor.place.number].tensor.sizes)
    return short_number(trace.read(cursor.place.number, np.array([flat], np.int64))[0])


def look(driver: Driver) -> None:
    """The axes run as NumPy prints them; what is in a cell of the screen is its element; what is linked is seen."""
    picture = driver.screen.state.picture
    scene, trace = picture.scene, driver.screen.state.view.trace
    if scene is None or trace is None:
        return
    assert scene.trace is trace
    layout = scene.layout
    assert layout.across == ((across_of(trace),) if across_of(trace) >= 0 else ())
    assert list(layout.down) == sorted(layout.down)
    wanted = [*seen_with(trace, picture.cursor)] if picture.cursor is not None and picture.live else []
    for side in (driver.side(False), driver.side(True)):
        stack = side.stack
        assert stack is not None
        room = side.scrollable_content_region.size
        left, top = side.scroll_offset
        lines = ["".join(segment.text for segment in side.render_line(y)) for y in range(room.height)]
        seen: dict[int, list[tuple[int, ...]]] = {}
        for each in wanted:
            if each.place.is_output != side.is_output:
                continue
            figure = stack.figure(each.place)
            y = side.line_of(each)
            assert y is not None, (each, scene.layout)
            aside = stack.aside(each.place)
            x = stack.locate(each)[0] + figure.margin - (0 if aside else left)
            assert figure.margin <= x
            assert x + min(figure.cell, 3) <= room.width
            if lettered(layout.zoom):
                end = x + figure.cell
                text = lines[y][x:end].rstrip(SUBSCRIPTS + " !✘-▌▐▏▕").lstrip(" ▏")
                value = value_of(trace, each)
                assert text.endswith((value, "…")) or "·" in text or text.lstrip("¹²³ ") in value, (text, value)
        for y in range(room.height):
            for x in range(room.width):
                cursor = stack.hit(x, y, top, left)
                if cursor is not None and (not seen.get(y) or seen[y][-1] != cursor.index):
                    seen.setdefault(y, []).append(cursor.index)
        for found in seen.values():
            for one, other in pairwise(found):  # neighbours in a line: of a row, or of two tensors
                differ = [d for d in range(len(one)) if one[d] != other[d]]
                assert differ == [*layout.across] or stack.beside


async def drive(driver: Driver, sizes: tuple[tuple[int, int], ...]) -> None:
    look(driver)
    for size in sizes:
        await driver.resize(size)
        look(driver)
        driver.side(True).focus()
        await driver.press("down", "right")
        look(driver)
        await driver.press("end", "pagedown")
        look(driver)
    for _ in Zoom:
        await driver.press("z")
        look(driver)
    await driver.press("f")  # the first fix, where there is one
    look(driver)
    if driver.screen.state.view.report.ok and driver.form.focus_row("Axis"):
        await driver.settle()
        for keys in (("up",), ("down",)):
            await driver.press(*keys)
            look(driver)


@pytest.mark.parametrize("session", ["join-1", "gather-2", "reverse-1", "rule-sizes-sum"])
async def test_pictures_stand_upright_through_windows_zooms_and_edits(driver: Driver) -> None:
    await drive(driver, ((80, 24), (120, 36)))
