"""Colours of a chain: each is an element of its roots, wherever the path ends."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from support.random_chains import random_chain

from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import unravel
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.colour.root_colours import RootColours
from dmlviz.session.chains import Chain
from dmlviz.session.examples import example
from dmlviz.session.experiments import Session
from dmlviz.tracing import Trace


def names(trace: Trace, place: Place) -> list[int]:
    tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
    index = unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)
    return [int(name) for name in trace.identity(place, index)]


@pytest.mark.parametrize("seed", range(20))
def test_of_random_chains_each_colour_is_where_the_path_ends(seed: int) -> None:
    session = random_chain(random.Random(seed))
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
    order, picked = example("chain-computed-indices").session().experiments
    for row in (0, 2):
        read = replace(order, values={**order.values, "IndicesTensor": Listed((row,), (1, 1))})
        chain = Chain(Session((read, picked)).experiments[-1])
        axes.append(RootColours(chain, 1).identity_axes(chain.traces[1].desc, Place(True, 0)))
    assert axes[0] == axes[1]
