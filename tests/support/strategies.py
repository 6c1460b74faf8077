"""Random valid descs of every operator, with arrays to fill their inputs, and which an export has words for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.exporters import directmlx, numpy_script, onnx_model, torch_script
from dmlviz.operators.registry import operator_of, operators

Sizes = tuple[int, ...]
TYPES = list(dml.DataType)
INDEX_TYPES = [dml.DataType[name] for name in ("INT32", "INT64", "UINT32", "UINT64")]
LENGTH_TYPES = [dml.DataType[name] for name in ("UINT32", "UINT64")]
MOST = 300
WRITERS = {
    "numpy": numpy_script._Body,
    "torch": torch_script._Body,
    "directmlx": directmlx._Idioms,
    "onnx": onnx_model._Model,
}


@dataclass(frozen=True)
class Case:
    """A valid desc and its inputs."""

    desc: Any
    arrays: list[NDArray[Any]]

    def __repr__(self) -> str:
        return f"Case({self.desc}, {[a.tolist() for a in self.arrays[1:]]})"


PADDED = Case(
    dml.Padding(dml.TensorDesc("INT32", (2, 2)), "CONSTANT", 0, (1, 2), (1, 0)),
    [np.arange(1, 5, dtype=np.int32).reshape(2, 2)],
)
"""Two elements in two of four rows of four, behind and before constants that go on over the ends of rows."""
LONG_PADDED = Case(
    dml.Padding(dml.TensorDesc("INT32", (2, 2)), "CONSTANT", -12345, (1, 2), (1, 0)),
    [12345 * np.arange(1, 5, dtype=np.int32).reshape(2, 2)],
)
"""The same with numbers of many digits: no blank stands behind constants, and edges of windows cut numbers."""


def outputs(desc: Any, arrays: list[NDArray[Any]]) -> list[bytes]:
    """The bytes of each output of a valid desc, by its operator's oracle."""
    from operator_kit.finding import cases_of  # its modules are made of what stands here

    return [out.tobytes() for out in cases_of(desc.TYPE).oracle(desc, arrays)]


def random_bits(generator: np.random.Generator, data_type: Any, sizes: Sizes) -> NDArray[Any]:
    """An array of random bits: of floats, some are NaNs with payloads."""
    count = int(np.prod(sizes)) * data_type.item_size
    return np.frombuffer(bytearray(generator.bytes(count)), data_type.dtype).reshape(sizes)


@st.composite
def shapes(draw: st.DrawFn, most: int = MOST, highest: int = 8) -> Sizes:
    """1 to `highest` sizes of at most `most` elements."""
    dimensions = draw(st.integers(1, highest))
    sizes = [1] * dimensions
    for d in draw(st.permutations(range(dimensions))):
        sizes[d] = draw(st.integers(1, min(6, most)))
        most //= sizes[d]
    return tuple(sizes)


def generators() -> st.SearchStrategy[np.random.Generator]:
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def parts_of(draw: st.DrawFn, whole: Sizes) -> tuple[int, list[Sizes]]:
    """An axis, and the sizes of one to five tensors that differ along it."""
    axis = draw(st.integers(0, len(whole) - 1))
    along = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    return axis, [(*whole[:axis], n, *whole[axis + 1 :]) for n in along]


def has_idiom(desc: Desc, target: str) -> bool:
    """True if a target has words of its own for a desc's operator, or needs none."""
    if target == "dmlviz":
        return getattr(dml, type(desc).__name__, None) is type(desc)
    return target not in WRITERS or hasattr(WRITERS[target], f"say_{operator_of(desc).name.lower()}")


def cases(target: str = "") -> st.SearchStrategy[Case]:
    """A case of any operator that is there, or of any that an export's target has an idiom for."""
    from operator_kit.finding import cases_of  # its modules are made of what stands here

    found = [cases_of(kind) for kind in operators()]
    return st.one_of([each.cases() for each in found if not target or has_idiom(each.VALID[0], target)])
