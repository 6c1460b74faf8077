"""FLIP, a sixth operator that lives in three files outside the package."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmlviz.operators.base import Operator
from support.outside import installed

FLIP_OPERATOR = '''
"""FLIP: every sequence along one axis, back to front. No operator of DirectML's; it comes from outside the package."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import NumberField, Role, TensorField
from dmlviz.desc.indexing import put
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc, brackets
from dmlviz.desc.values import Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Place, Reader, Region, Sources
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import axis_rule

_TENSORS = support(("2_1", 4, 4, T11), ("5_1", 1, 8, T11))


@dataclass(frozen=True)
class Flip(Desc):
    """Reverses the input tensor along `axis`."""

    TYPE = "DML_OPERATOR_FLIP"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        NumberField("Axis", is_axis=True),
    )

    input_tensor: TensorDesc
    axis: int
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc | None:
        return self.input_tensor


class FlipOperator(Operator[Flip]):
    name = "FLIP"
    title = "Turns a tensor round along one axis."
    desc = Flip
    anchor = "InputTensor"
    identity_of = "the slice along Axis"

    def rules(self, desc: Flip, record: Recorder) -> None:
        axis_rule(record, desc.axis, desc.input_tensor.dimension_count)
        found, want = desc.output_tensor.sizes, desc.input_tensor.sizes
        if len(found) != len(want):
            record.wait("sizes.equal", "OutputTensor.Sizes", "dimension_count.equal")
            return
        message = f"OutputTensor.Sizes is {found}, expected {want}, InputTensor's sizes."
        record.expect("sizes.equal", found == want, "OutputTensor.Sizes", list(want), list(found), message)

    def fixes(self, desc: Flip, broken: Check) -> Iterator[Changes]:
        if broken.id == "sizes.equal":
            yield {"OutputTensor": None}

    def _turned(self, desc: Flip, along: Indices) -> Indices:
        return desc.input_tensor.sizes[desc.axis] - 1 - along

    def source(self, desc: Flip, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        return Sources(np.zeros_like(index[0]), put(index, desc.axis, self._turned(desc, index[desc.axis])))

    def region(self, desc: Flip, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        sizes = desc.input_tensor.sizes
        at = put(index, desc.axis, sizes[desc.axis] - 1 - index[desc.axis])
        return Region(0, tuple(Factor((n,), range(i, i + 1)) for n, i in zip(sizes, at, strict=True)))

    def counts(self, desc: Flip, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        return np.ones_like(index[0])

    def identity(self, desc: Flip, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        return self._turned(desc, index[desc.axis]) if place.is_output else index[desc.axis]

    def identity_count(self, desc: Flip) -> int:
        return desc.input_tensor.sizes[desc.axis]

    def identity_axes(self, desc: Flip, place: Place) -> tuple[int, ...]:
        return (desc.axis,)

    def axis(self, desc: Flip) -> int:
        return desc.axis

    def formula(self, desc: Flip, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        source = put(index, desc.axis, desc.input_tensor.sizes[desc.axis] - 1 - index[desc.axis])
        shown = (f"OutputTensor{brackets(index)}", "output"), (" = ", ""), (f"InputTensor{brackets(source)}", "source")
        return list(shown)

    def kernel_numbers(self, desc: Flip) -> tuple[int, ...]:
        sizes, axis = desc.input_tensor.sizes, desc.axis
        run = math.prod(sizes[axis + 1 :]) * desc.input_tensor.data_type.item_size
        return math.prod(sizes[:axis]), sizes[axis], run


OPERATOR = FlipOperator()
'''

FLIP_KERNEL = '''
"""FLIP: runs of bytes, written back to front."""


def run(arrays, numbers, turn):
    (out, data), (outer, size, run) = arrays, numbers
    turned = data.reshape(outer, size, run)[:, ::-1]
    out.reshape(outer, size, run)[:] = turned
'''

FLIP_EXAMPLE = """{
  "dmlviz": 1,
  "title": "FLIP, from outside",
  "experiments": [
    {
      "name": "columns turned round",
      "feature_level": "5_1",
      "type": "DML_OPERATOR_FLIP",
      "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]}, "Axis": 1},
      "values": {"InputTensor": [[1, 2, 3], [4, 5, 6]]},
      "notes": "What becomes of the middle column?"
    }
  ]
}
"""


@dataclass(frozen=True)
class Toy:
    """A sixth operator, registered by the same door as the others."""

    operator: Operator[Any]
    desc: Any
    """Its desc class: `Flip(input_tensor, axis, output_tensor=None)`."""
    example: Path
    name: str = "FLIP"
    type: str = "DML_OPERATOR_FLIP"


@contextmanager
def flip(root: Path) -> Iterator[Toy]:
    """FLIP is there, in three files below `root`."""
    files = {
        root / "operators" / "flip.py": FLIP_OPERATOR,
        root / "kernels" / "flip.py": FLIP_KERNEL,
        root / "examples" / "flip.json": FLIP_EXAMPLE,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with installed(root):
        module = importlib.import_module("dmlviz.operators.flip")
        yield Toy(module.OPERATOR, module.Flip, root / "examples" / "flip.json")
