"""GATHER_ELEMENTS against definitions of others, on random descs of all types: NumPy's, and onnx's where it is there.

Outputs, sources both ways and counts are held against `np.take_along_axis` of the flat positions of the elements, the
outputs against onnx's reference too. Verdicts, of valid descs and of planted faults, are held against Microsoft's page
of DML_GATHER_ELEMENTS_OPERATOR_DESC as it is typed in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.levels import LEVELS
from dmlviz.operators import checking

LOW = ["FLOAT32", "FLOAT16", "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8"]
ALL = [*LOW, "FLOAT64", "INT64", "UINT64"]
INDEX = ["INT64", "INT32", "UINT64", "UINT32"]
PAGE = {"2_1": (4, 4, LOW, ["UINT32"]), "3_0": (1, 8, LOW, INDEX), "4_1": (1, 8, ALL, INDEX)}
"""The page's rows: from a level on, the fewest and most dimensions, types of input and output, types of indices."""

Sizes = tuple[int, ...]
Written = tuple[str, Sizes, str, Sizes, str, Sizes, int]
"""Types and sizes of InputTensor, IndicesTensor and OutputTensor, and Axis."""


def expected(written: Written, level: str) -> bool:
    """Whether the page takes it at `level`, "2_1" or higher or lower."""
    data_type, data, index_type, indices, out_type, out, axis = written
    rows = [row for since, row in PAGE.items() if float(since.replace("_", ".")) <= float(level.replace("_", "."))]
    if not rows:
        return False
    low, high, types, index_types = rows[-1]
    if not (low <= len(data) <= high and len(data) == len(indices) == len(out) and 0 <= axis < len(data)):
        return False
    if data_type not in types or out_type != data_type or index_type not in index_types:
        return False
    off_axis = all(a == b for d, (a, b) in enumerate(zip(data, indices, strict=True)) if d != axis)
    return off_axis and out == indices and min((*data, *indices)) > 0


def desc_of(written: Written) -> dml.GatherElements:
    data_type, data, index_type, indices, out_type, out, axis = written
    return dml.GatherElements(
        dml.TensorDesc(data_type, data),
        dml.TensorDesc(index_type, indices),
        axis,
        dml.TensorDesc(out_type, out),
    )


def drawn(random: np.random.Generator) -> Written:
    """A desc that the page takes at its highest level."""
    count = int(random.integers(1, 9))
    data = tuple(random.permutation([*random.integers(1, 5, min(count, 4)), *(1,) * max(0, count - 4)]).tolist())
    axis = int(random.integers(count))
    indices = (*data[:axis], int(random.integers(1, 7)), *data[axis + 1 :])
    data_type = str(random.choice(ALL))
    return data_type, data, str(random.choice(INDEX)), indices, data_type, indices, axis


def faults(written: Written, random: np.random.Generator) -> Iterator[Written]:
    """The same with one thing changed; some of it the page takes all the same."""
    data_type, data, index_type, indices, out_type, out, axis = written
    d = int(random.integers(len(data)))

    def other(sizes: Sizes, by: int) -> Sizes:
        return (*sizes[:d], sizes[d] + by, *sizes[d + 1 :])

    by = int(random.choice([-1, 1]))
    yield data_type, other(data, by), index_type, indices, out_type, out, axis
    yield data_type, data, index_type, other(indices, by), out_type, out, axis
    yield data_type, data, index_type, other(indices, by), out_type, other(out, by), axis
    yield data_type, data, index_type, indices, out_type, other(out, by), axis
    yield data_type, data, index_type, indices, out_type, (1, *out), axis
    yield data_type, data, index_type, (1, *indices), out_type, (1, *out), axis
    yield data_type, data, str(random.choice(ALL)), indices, out_type, out, axis
    yield data_type, data, index_type, indices, str(random.choice(ALL)), out, axis
    for wrong in (-1, len(data), int(random.integers(len(data)))):
        yield data_type, data, index_type, indices, out_type, out, wrong


def values_of(desc: dml.GatherElements, random: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Random bits of data; indices, some negative or outside; and where along Axis each of them lies, as int64."""
    data, indices, n = desc.input_tensor, desc.indices_tensor, desc.input_tensor.sizes[desc.axis]
    bits = random.integers(0, 256, data.byte_count, np.uint8).view(data.data_type.dtype).reshape(data.sizes)
    low, high = indices.data_type.integer_range
    pool = [*range(max(low, -n - 2), n + 3), low, high, high // 2 + 1]
    told = [pool[i] for i in random.integers(0, len(pool), indices.element_count)]
    acting = [min(max(i + n if i < 0 else i, 0), n - 1) for i in told]
    shape = indices.sizes
    return bits, np.array(told, indices.data_type.dtype).reshape(shape), np.array(acting, np.int64).reshape(shape)


def differing(written: Written, random: np.random.Generator, onnx: Any) -> Iterator[str]:
    """What differs, in a word each."""
    for other in (written, *faults(written, random)):
        desc = desc_of(other)
        levels = [level.value for level in LEVELS]
        takes = [level for level in levels if expected(other, level)]
        report = dml.check(desc)
        if report.ok is not bool(expected(other, levels[-1])):
            yield "verdict"
        if (report.lowest_level.value if report.lowest_level else None) != (takes[0] if takes else None):
            yield "lowest level"
        level = str(random.choice(levels))
        if dml.check(desc, feature_level=level).ok is not expected(other, level):
            yield "verdict at a level"
    desc = desc_of(written)
    bits, indices, acting = values_of(desc, random)
    flat = np.take_along_axis(np.arange(bits.size).reshape(bits.shape), acting, desc.axis).ravel()
    want = bits.ravel()[flat].tobytes()
    if dml.run(desc, [bits, indices])[0].tobytes() != want:
        yield "output"
    trace = dml.trace(desc, [bits, indices])
    if trace.reference(0).tobytes() != want:
        yield "reference"
    every = unravel(np.arange(len(flat), dtype=np.int64), indices.shape)
    sources = trace.sources(0, every)
    if not np.array_equal(ravel(sources.index, bits.shape), flat) or sources.tensor.any():
        yield "sources"
    if sources.via is None or not np.array_equal(ravel(sources.via, indices.shape), np.arange(len(flat))):
        yield "via"
    elements = unravel(np.arange(bits.size, dtype=np.int64), bits.shape)
    if not np.array_equal(trace.counts(0, elements), np.bincount(flat, minlength=bits.size)):
        yield "counts"
    for number, wanted in ((0, flat), (1, np.arange(len(flat)))):
        for k in random.choice(desc.inputs[number].tensor.element_count, 3):
            at = tuple(int(i[0]) for i in unravel(np.array([k]), desc.inputs[number].tensor.sizes))
            found = [
                int(ravel([np.array([i]) for i in to.index], indices.shape)[0]) for to in trace.destinations(number, at)
            ]
            if found != np.flatnonzero(wanted == k).tolist():
                yield "destinations"
    if onnx is not None:
        made = onnx.run(None, {"data": bits, "indices": acting, "axis": desc.axis})
        if made.tobytes() != want:
            yield "onnx"


class Reference:
    """onnx's own reference of GatherElements; it has no indices outside, so that it gets where they lie."""

    def __init__(self) -> None:
        from onnx.reference.ops.op_gather_elements import GatherElements

        self._operator = GatherElements

    def run(self, _: None, feeds: dict[str, Any]) -> NDArray[Any]:
        made: NDArray[Any] = self._operator.eval(feeds["data"], feeds["indices"], axis=feeds["axis"])
        return made


def without_fixes() -> AbstractContextManager[object]:
    """Checks make no fixes meanwhile: none is held here, and they take most of the time."""
    return mock.patch.object(checking, "_with_fixes", lambda _, __, ___, record, ____: tuple(record.checks))


def held(descs: int, seed: int) -> Counter[str]:
    """How many of so many descs differ, by what differs."""
    random = np.random.default_rng(seed)
    try:
        onnx: Any = Reference()
    except ImportError:
        onnx = None
    with without_fixes():
        return Counter(word for _ in range(descs) for word in set(differing(drawn(random), random, onnx)))
