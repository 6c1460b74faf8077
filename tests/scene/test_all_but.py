"""What is known where some elements are hidden: everything else, and the stretch of memory around each."""

from __future__ import annotations

import numpy as np
import pytest

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import AllBut
from dmlviz.session.examples import examples


@pytest.mark.parametrize("hidden", [[], [0], [7], [0, 3, 4], [*range(8)]])
def test_all_is_known_but_what_is_hidden(hidden: list[int]) -> None:
    trace = examples()["gather-2"].experiments[0].trace()
    sizes = trace.outputs[0].tensor.sizes
    cells = [*np.ndindex(*sizes)]
    known = AllBut(0, frozenset(cells[flat] for flat in hidden))
    assert known.whole is (not hidden)
    index = tuple(np.array(axis, np.int64) for axis in zip(*cells, strict=True))
    assert np.flatnonzero(~known(0, index)).tolist() == hidden
    assert known(1, index).all()
    for flat, cell in enumerate(cells):
        assert known.tells(Cursor(Place(True, 0), cell)) is (flat not in hidden)
        if flat not in hidden:
            first, stop = known.stretch(trace, 0, flat)
            shown = [
                k for k in range(len(cells)) if all(h not in hidden for h in range(min(k, flat), max(k, flat) + 1))
            ]
            assert (first, stop) == (shown[0], shown[-1] + 1)
