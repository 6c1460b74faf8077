"""SLICE1 beside NumPy's slices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from operator_kit.cases.slice1 import cases, oracle
from support.reports import f32
from support.strategies import Case

import dmlviz as dml
from dmlviz.exporters.lib.idioms import slices_text
from dmlviz.operators.slice1 import Slice1
from dmlviz.scene.words.reasons import row_of


@given(cases())
def test_slices_of_a_desc_are_numpys_and_back(case: Case) -> None:
    desc, sizes = case.desc, case.desc.input_tensor.sizes
    x = np.arange(np.prod(sizes)).reshape(sizes)
    taken = x[tuple(desc.slices)]
    assert np.array_equal(taken, oracle(desc, [x])[0])
    assert np.array_equal(eval(f"x[{slices_text(x.shape, desc.slices)}]", {"x": x}), taken)
    again = Slice1.of_slices(desc.input_tensor, desc.slices)
    assert again.most() == [*desc.output_tensor.sizes]
    assert np.array_equal(x[tuple(again.slices)], taken)


def test_what_is_expected_at_most_is_written_so_in_the_table_too() -> None:
    (broken,) = dml.check(Slice1(f32(2, 2, 2, 1), (0, 0, 0, 0), (1, 2, 1, 1), (1, 1, 1, 1), f32(2, 1, 1, 1))).errors
    row = row_of(broken)
    assert (broken.id, row.field, row.found, row.expected) == ("slice.reach", "OutputTensor.Sizes[0]", "2", "at most 1")
