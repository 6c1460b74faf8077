"""The axes are named in one way below every tensor of a screen."""

from __future__ import annotations

import re

import pytest
from support.driver import Driver

from dmlviz.scene.layout.stack import GAP
from dmlviz.scene.look import Look

SIZES = [(80, 24), (120, 36), (200, 50)]
NAMES = ["gather-2", "join-1", "join-2-axis-3", "reverse-1", "split-1", "tile-1", "rule-sizes-match", "rule-sizes-sum"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", NAMES)
async def test_axes_are_named_in_one_way_below_every_tensor(driver: Driver) -> None:
    scene = driver.screen.state.picture.scene
    assert scene is not None
    ways = set()
    for stack, room in (
        (scene.inputs, driver.side(False).size.width),
        (scene.outputs, driver.side(True).size.width),
    ):
        for n, figure in enumerate(stack.figures):
            columns = stack.lefts[n + 1] - stack.lefts[n] - GAP if stack.beside else room - stack.before
            text = "".join(span.text for span in figure.foot(Look(), columns))
            if len(figure.down) + len(figure.across) > 1:
                worded = re.search(r"[↓→] axis \d", text) is not None
                tight = re.search(r"[↓→]\d", text) is not None
                ways.add((worded, tight))
            elif columns >= len("axis →1"):
                assert not re.fullmatch(r"[↓→]\d+", text.strip()), "an arrow and a number alone are read as -1"
    assert len(ways) <= 1, ways
