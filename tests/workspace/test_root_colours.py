"""Colours of a chain: what they stand for at each stage, and that they tell nothing of what is hidden."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.chain_sessions import looked_up, rotate_half
from support.cursors import out
from support.desks import done
from support.random_chains import random_chain

from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import unravel
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.colour.root_colours import RootColours
from dmlviz.session.chains import Chain
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.tracing import Trace
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

ROOM = Room(74, 20)


def opened(session: Session, stage: int = 0) -> Workspace:
    workspace = Workspace(Document(session))
    workspace.fit(ROOM)
    workspace.go_to_stage(stage)
    workspace.fit(ROOM)
    return workspace


def trace_of(workspace: Workspace) -> Trace:
    assert workspace.view.trace is not None
    return workspace.view.trace


def names(trace: Trace, place: Place) -> list[int]:
    tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
    index = unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)
    return [int(name) for name in trace.identity(place, index)]


def test_a_colour_is_an_element_of_the_root_at_every_stage() -> None:
    for stage, wanted in ((0, [4, 5, 6, 7]), (1, [4, 5, 6, 7, 0, 1, 2, 3]), (2, [4, 5, 6, 7, 0, 1, 2, 3] * 2)):
        trace = trace_of(opened(rotate_half(), stage))
        assert names(trace, Place(True, len(trace.outputs) - 1)) == wanted
        assert trace.colours.identity_of == "the element of InputTensor of halves"


def test_the_key_goes_on_from_the_root_to_the_stage_and_back() -> None:
    workspace = opened(rotate_half(), 2)
    meanings = []
    for _ in range(3):
        meanings.append(trace_of(workspace).colours.identity_of)
        workspace.recolour()
    assert meanings == ["the element of InputTensor of halves", "the source element", meanings[0]]
    workspace = opened(rotate_half(), 1)
    before = trace_of(workspace).colours.identity_of
    workspace.recolour()
    assert trace_of(workspace).colours.identity_of == "the tensor an element comes from"
    workspace.recolour()
    assert trace_of(workspace).colours.identity_of == before


@pytest.mark.parametrize("seed", range(20))
def test_of_random_chains_each_colour_is_where_the_path_ends(seed: int) -> None:
    session = random_chain(random.Random(seed)).session(random.Random(seed))
    chain = max((Chain(one) for one in session.experiments), key=lambda each: len(each.stages))
    for number, trace in enumerate(chain.traces):
        colours = RootColours(chain, number)
        roots = colours.roots
        assert all(chain.inputs[k].part.field.role is Role.DATA for k in roots)
        coloured = trace.with_colours(colours)
        for k, part in enumerate(trace.outputs):
            place, sizes = Place(True, k), part.tensor.sizes
            found = np.array(names(coloured, place)).reshape(sizes)
            for index in np.ndindex(*sizes):
                path = chain.path(number, k, index)
                assert path.root in (NOWHERE, *roots) or number + 1 < len(chain.stages)
                if path.root == NOWHERE or path.root not in roots:
                    wanted = -1
                elif len(roots) > 1:
                    wanted = roots.index(path.root)
                else:
                    wanted = int(np.ravel_multi_index(path.index, chain.inputs[path.root].part.tensor.sizes))
                assert found[index] == wanted
            assert found.max() < colours.identity_count(trace.desc)
            axes = colours.identity_axes(trace.desc, place)
            assert all((found == found.take([0], axis=d)).all() for d in range(len(sizes)) if d not in axes)


def test_what_indices_pick_is_not_told_by_the_layout() -> None:
    axes = []
    for picked in ((1, 3, 1), (0, 0, 0)):
        trace = trace_of(opened(looked_up(picked), 1))
        axes.append([trace.colours.identity_axes(trace.desc, Place(True, 0))])
    assert axes[0] == axes[1]


def test_at_a_step_colours_are_told_of_what_is_written_alone() -> None:
    workspace = opened(rotate_half(), 1)
    wanted = [4, 5, 6, 7, 0, 1, 2, 3]
    for step in range(9):
        known, trace = done(workspace, workspace.go, step).picture.known, trace_of(workspace)
        assert [known.identity(trace, out(0, k)) for k in range(8)] == [*wanted[:step], *[-1] * (8 - step)]
