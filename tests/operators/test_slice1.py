"""SLICE1: what NumPy's slices and Microsoft's page say, and the ways there from other languages and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from operator_kit.cases.slice1 import VALID, cases, oracle
from support.reports import f32
from support.strategies import Case

import dmlviz as dml
from dmlviz.exporters.lib import exporting
from dmlviz.exporters.lib.idioms import slices_text
from dmlviz.importers.lib import importing
from dmlviz.operators.slice1 import Slice1
from dmlviz.scene.words.reasons import row_of
from dmlviz.session.experiments import Experiment, Session


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


@pytest.mark.parametrize("target", ["directmlx", "onnx", "cpp", "dxdispatch"])
def test_an_export_read_back_takes_the_same(target: str) -> None:
    if target == "onnx":
        pytest.importorskip("onnx", reason="onnx isn't installed")
    session = Session(tuple(Experiment(f"slice {k}", desc) for k, desc in enumerate(VALID)))
    suffix = {"onnx": "onnx", "dxdispatch": "json"}.get(target, "cpp")
    found = importing.read(exporting.export(session, target).data, f"it.{suffix}").experiments
    for one, other in zip(session.experiments, found, strict=True):
        assert one.trace().reference(0).tobytes() == other.trace().reference(0).tobytes()
    if target in ("cpp", "dxdispatch"):
        assert [each.desc for each in found] == [*VALID]


@pytest.mark.parametrize(
    ("text", "offsets", "sizes", "strides"),
    [
        ("x[1:3]", (1, 0), (2, 6), (1, 1)),
        ("x[::-2, 1:5:2]", (0, 1), (4, 4), (-2, 2)),
        ("x[..., -2:]", (0, 4), (4, 2), (1, 1)),
        ("x[2::-1]", (0, 0), (3, 6), (-1, 1)),
    ],
)
def test_an_index_by_slices_becomes_one(
    text: str, offsets: tuple[int, ...], sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    source = f"import numpy as np\nx = np.arange(24, dtype=np.int32).reshape(4, 6)\ny = {text}\n"
    (found,) = importing.read(source.encode(), "it.py").experiments
    assert found.desc == Slice1(f32(4, 6), offsets, sizes, strides).replace(
        {"InputTensor": dml.TensorDesc("INT32", (4, 6))}
    )
    assert found.trace().reference(0).tolist() == eval(text, {"x": x}).tolist()


@pytest.mark.parametrize(
    ("text", "why"),
    [("x[4:]", "takes nothing"), ("x[::0]", "a step that the library rejects"), ("x[0, 1:]", "indexes 2 axes")],
)
def test_an_index_that_is_no_slice1_is_left_with_its_reason(text: str, why: str) -> None:
    source = f"import numpy as np\nx = np.arange(24).reshape(4, 6)\nz = x[1:]\ny = {text}\n"
    assert any(why in remark.text for remark in importing.read(source.encode(), "it.py").remarks)


def test_what_is_expected_at_most_is_written_so_in_the_table_too() -> None:
    (broken,) = dml.check(Slice1(f32(2, 2, 2, 1), (0, 0, 0, 0), (1, 2, 1, 1), (1, 1, 1, 1), f32(2, 1, 1, 1))).errors
    row = row_of(broken)
    assert (broken.id, row.field, row.found, row.expected) == ("slice.reach", "OutputTensor.Sizes[0]", "2", "at most 1")
