"""One grid: cells are as wide as their own tensor's values, and tensors stand at the same place whatever those are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.operators.maps import Place
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.cell_widths import cell_widths, usual_widths
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.zoom import CELL_WIDTHS, Zoom, lettered
from dmlviz.session import examples

ROOMS = ((65, 15), (40, 21), (60, 20), (90, 33), (170, 43))
"""What is left to a picture at 80x24, 100x30, 120x36, 200x50 and 240x60."""
RELAXED = tried(40, suppress_health_check=list(HealthCheck))
HUGE = 4294967295


def places(scene: Scene) -> dict[Place, tuple[int, int]]:
    """Where each tensor begins: its column in its side, and its line; and where the outputs begin."""
    return {
        figure.place: (stack.lefts[n] + (scene.share if stack is scene.outputs else 0), stack.tops[n])
        for stack in (scene.inputs, scene.outputs)
        for n, figure in enumerate(stack.figures)
    }


def cells(scene: Scene) -> dict[Place, int]:
    return {figure.place: figure.cell for stack in (scene.inputs, scene.outputs) for figure in stack.figures}


def of(desc: Any, *values: Any, room: tuple[int, int], zoom: Zoom | None = None) -> Scene:
    return arrange(dml.trace(desc, [np.array(each) for each in values]), *room, zoom)


GATHER = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
DATA = np.arange(1, 7, dtype=np.float32).reshape(3, 2)


@pytest.mark.parametrize("room", ROOMS)
def test_one_wide_index_moves_nothing_and_widens_no_other_tensor(room: tuple[int, int]) -> None:
    plain = of(GATHER, DATA, np.array([[0, 1, 1, 2]], np.uint32), room=room)
    wide = of(GATHER, DATA, np.array([[0, HUGE, 1, 2]], np.uint32), room=room)
    assert places(wide)[Place(False, 0)] == places(plain)[Place(False, 0)]
    assert {p: top for p, (_, top) in places(wide).items()} == {p: top for p, (_, top) in places(plain).items()}
    assert (wide.zoom, wide.layout.beside, wide.layout.fits) == (plain.zoom, plain.layout.beside, True)
    indices = Place(False, 1)
    assert {p: n for p, n in cells(wide).items() if p != indices} == {
        p: n for p, n in cells(plain).items() if p != indices
    }
    assert cells(wide)[indices] >= cells(plain)[indices]


def test_a_wide_index_stands_whole_where_there_is_room() -> None:
    wide = of(GATHER, DATA, np.array([[0, HUGE, 1, 2]], np.uint32), room=(170, 43), zoom=Zoom.VALUES)
    assert cells(wide)[Place(False, 1)] >= len(str(HUGE)) + 2
    assert wide.layout.beside == (True, False)


def test_one_wide_value_of_a_joined_tensor_leaves_the_other_as_it_is() -> None:
    desc = dml.Join((dml.TensorDesc("FLOAT32", (2, 2)), dml.TensorDesc("FLOAT32", (2, 3))), 1)
    first, second = np.ones((2, 2), np.float32), np.ones((2, 3), np.float32)
    plain = of(desc, first, second, room=(134, 33), zoom=Zoom.VALUES)
    wide = of(desc, np.array([[1, 2], [3, 1.234567]], np.float32), second, room=(134, 33), zoom=Zoom.VALUES)
    assert cells(wide)[Place(False, 1)] == cells(plain)[Place(False, 1)] < cells(wide)[Place(False, 0)]
    assert cells(wide)[Place(False, 0)] >= len("1.234567") + 2
    assert places(wide)[Place(False, 0)] == places(plain)[Place(False, 0)]


@RELAXED
@given(cases(), st.sampled_from(ROOMS), st.data())
def test_tensors_stand_at_the_same_place_whatever_their_values(
    case: Case, room: tuple[int, int], data: st.DataObject
) -> None:
    """Of any operator: data of up to three columns, and any indices and lengths, change no place and no other cell."""
    steering = [part.field.role is not Role.DATA for part in case.desc.inputs]
    hundreds = arrange(dml.trace(case.desc, [np.full_like(each, 100) for each in case.arrays]), *room)
    if not hundreds.layout.fits or hundreds.layout.sliced or not lettered(hundreds.zoom):
        return
    digits = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = [
        data.draw(st.sampled_from([each, np.full_like(each, np.iinfo(each.dtype).max)]))
        if steers
        else digits.integers(0, 100, each.shape).astype(each.dtype)
        for each, steers in zip(case.arrays, steering, strict=True)
    ]
    scene = arrange(dml.trace(case.desc, arrays), *room)
    assert (scene.zoom, scene.layout.beside, scene.layout.spacing) == (
        hundreds.zoom,
        hundreds.layout.beside,
        hundreds.layout.spacing,
    )
    found, expected = places(scene), places(hundreds)
    assert {p: top for p, (_, top) in found.items()} == {p: top for p, (_, top) in expected.items()}
    assert {p: n for p, n in cells(scene).items() if p.is_output or not steering[p.number]} == {
        p: n for p, n in cells(hundreds).items() if p.is_output or not steering[p.number]
    }
    if not any(steering):
        assert found == expected


@RELAXED
@given(cases(), st.sampled_from(ROOMS))
def test_cells_are_as_wide_as_their_own_values(case: Case, room: tuple[int, int]) -> None:
    """Where everything fits a cell has its tensor's own room, or that of usual values; and an output its data's."""
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, *room, Zoom.VALUES)
    own, usual = cell_widths(trace), usual_widths(trace)

    def widest(figure: Figure) -> int:
        number, side = figure.place.number, figure.place.is_output
        width = CELL_WIDTHS[scene.zoom][scene.layout.breadth]
        return max(own[side][number][0] + (width.more or 0), usual[side][number][0] + (width.more or 0), 5)

    for stack in (scene.inputs, scene.outputs):
        for figure in stack.figures:
            least = min(own[figure.place.is_output][figure.place.number][1], usual[figure.place.is_output][0][1])
            is_data = figure.part.field.role in (Role.DATA, Role.OUTPUT)
            assert figure.cell <= widest(figure)
            assert figure.cell >= (own[figure.place.is_output][figure.place.number][1] if is_data else least)


@pytest.mark.parametrize("name", ["gather-1", "gather-2", "gather-4", "reverse-1", "reverse-2", "warning-index-range"])
def test_indices_and_lengths_stand_between_input_and_output_where_there_is_room(name: str) -> None:
    for each in examples.example(name).session().experiments:
        scene = arrange(each.trace(), 134, 43)
        assert scene.layout.beside == (True, False)
        first, second = (scene.inputs.lefts[n] for n in (0, 1))
        assert first + scene.inputs.figures[0].extent < second
        assert second + scene.inputs.figures[1].extent <= scene.share
