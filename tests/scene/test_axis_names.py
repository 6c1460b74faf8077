"""The axes are named in one way below every tensor of a picture."""

from __future__ import annotations

import re

import pytest

from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.stack import GAP
from dmlviz.scene.look import Look
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples

ROOMS = [(72, 15), (79, 19), (170, 43)]
NAMES = ["gather-2", "join-1", "join-2-axis-3", "reverse-1", "split-1", "tile-1", "rule-sizes-match", "rule-sizes-sum"]


@pytest.mark.parametrize("room", ROOMS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_axes_are_named_in_one_way_below_every_tensor(name: str, room: tuple[int, int]) -> None:
    trace = view_state_of(examples.example(name).session().experiments[0]).trace
    assert trace is not None
    scene, ways = arrange(trace, *room, lane=7), set()
    for stack, width in ((scene.inputs, scene.share), (scene.outputs, room[0] - scene.layout.lane - scene.share)):
        for n, figure in enumerate(stack.figures):
            columns = stack.lefts[n + 1] - stack.lefts[n] - GAP if stack.beside else width - stack.before
            text = "".join(span.text for span in figure.foot(Look(), columns))
            if len(figure.down) + len(figure.across) > 1:
                worded = re.search(r"[↓→] axis \d", text) is not None
                tight = re.search(r"[↓→]\d", text) is not None
                ways.add((worded, tight))
            elif columns >= len("axis →1"):
                assert not re.fullmatch(r"[↓→]\d+", text.strip()), "an arrow and a number alone are read as -1"
    assert len(ways) <= 1, ways
