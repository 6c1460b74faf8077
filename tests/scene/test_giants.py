"""Tensors of any size: a picture costs no more than its window, and says how much of them is seen."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import dmlviz as dml
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.lookup import source_of
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.zoom import SIZES, Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.steps.order import Steps
from dmlviz.scene.view_state import view_state_of
from dmlviz.session.experiments import Experiment

GIANTS: dict[str, Callable[[Any], Any]] = {
    "join": lambda t: dml.Join((t("INT8", (32767, 65535)), t("INT8", (32768, 65535))), 0),
    "split": lambda t: dml.Split(t("INT8", (65535, 65535)), (t("INT8", (65535, 1)), t("INT8", (65535, 65534))), 1),
    "tile": lambda t: dml.Tile(t("INT8", (255, 65535)), (257, 1)),
    "gather": lambda t: dml.Gather(t("INT8", (65535, 65535)), t("UINT32", (1, 65535)), 0, 1),
    "reverse": lambda t: dml.ReverseSubsequences(t("INT8", (65535, 65535)), t("UINT32", (65535, 1)), 1),
    "join of eight": lambda t: dml.Join((t("INT8", (16,) * 7 + (7,)), t("INT8", (16,) * 7 + (8,))), 7),
    "split of eight": lambda t: dml.Split(
        t("INT8", (15,) + (16,) * 7), (t("INT8", (7,) + (16,) * 7), t("INT8", (8,) + (16,) * 7)), 0
    ),
    "tile of eight": lambda t: dml.Tile(t("INT8", (8,) * 7 + (15,)), (2,) * 7 + (1,)),
    "gather of eight": lambda t: dml.Gather(t("INT8", (16,) * 7 + (15,)), t("UINT32", (1,) * 7 + (16,)), 2, 1),
    "reverse of eight": lambda t: dml.ReverseSubsequences(
        t("INT8", (16,) * 7 + (15,)), t("UINT32", (16,) * 3 + (1,) + (16,) * 3 + (15,)), 3
    ),
    "a line": lambda t: dml.ReverseSubsequences(t("INT8", (2**32 - 1,)), t("UINT64", (1,)), 0),
    "three": lambda t: dml.Tile(t("INT8", (255, 257, 65535)), (1, 1, 1)),
}
"""Descs of every operator whose tensors are as large as they can be."""


def looked_at(scene: Scene) -> Iterator[tuple[Cursor, Scene]]:
    """The first element, one in the middle and the last in the order of steps, each with the picture turned to it."""
    steps = Steps(scene.trace)
    for step in (1, steps.count // 2, steps.count):
        cursor = steps.element(step)
        assert cursor is not None
        scene = scene.following(cursor)
        yield cursor, scene


@pytest.mark.drawn(5)
@pytest.mark.parametrize("kind", list(GIANTS))
@pytest.mark.parametrize("zoom", [None, *Zoom])
def test_a_giant_costs_no_more_than_its_window(kind: str, zoom: Zoom | None) -> None:
    shown = view_state_of(Experiment("giant", GIANTS[kind](dml.TensorDesc)))
    trace = shown.trace
    assert shown.live
    assert trace is not None
    arrange(trace, 108, 26, zoom)
    tracemalloc.start()
    scene = arrange(trace, 108, 26, zoom)
    seen = {*scene.layout.down, *scene.layout.across}
    assert scene.layout.fits or len(seen) <= 3 or kind == "tile of eight"  # Axis stays, and the two innermost
    for cursor, here in looked_at(scene):
        links = partners(trace, cursor)
        for each in filter(None, (cursor, source_of(trace, cursor))):
            stack = here.stack(each.place.is_output)
            figure = stack.figure(each.place)
            x, y = stack.locate(each)
            top, left = max(0, y - 22), max(0, x - 20)
            assert len(stack_lines(stack, top, 26, left, 54, Look(cursor), links)) == 26
            cell = stack_lines(stack, top, 26, left, 54, Look(cursor), links)[y - top]
            marked = {i for i, (_, style) in enumerate((c, s.style) for s in cell for c in s.text) if style.marked}
            assert marked >= {x - left + figure.margin}
        turned = here.outputs.turned(cursor, 1, 0)
        assert (turned is None) == (not here.outputs.figure(cursor.place).sliced)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert scene.layout.size in SIZES
