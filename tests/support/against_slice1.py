"""SLICE1 against definitions of others, on random descs of all types: NumPy's, and onnx's where it is there.

Outputs, sources both ways and counts are held against NumPy's slices of a window, the outputs against onnx's reference
too. Verdicts, of valid descs and of planted faults, are held against Microsoft's page of DML_SLICE1_OPERATOR_DESC as
it is typed in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import dmlviz as dml
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.levels import LEVELS
from support.against_gather_elements import without_fixes

LOW = ["FLOAT32", "FLOAT16", "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8"]
ALL = [*LOW, "FLOAT64", "INT64", "UINT64"]
PAGE = {"2_1": (4, 5, LOW), "3_0": (1, 8, LOW), "4_1": (1, 8, ALL)}
"""The page's rows: from a level on, the fewest and most dimensions, and the types of both tensors."""

Numbers = tuple[int, ...]


class Written(NamedTuple):
    """A desc as somebody writes it."""

    type: str
    data: Numbers
    out_type: str
    out: Numbers
    dimensions: int
    offsets: Numbers
    sizes: Numbers
    strides: Numbers


def expected(written: Written, level: str) -> bool:
    """Whether the page takes it at `level`. All arrays have to be of one length, which DirectML can't see."""
    rows = [row for since, row in PAGE.items() if float(since.replace("_", ".")) <= float(level.replace("_", "."))]
    if not rows or written.type != written.out_type:
        return False
    low, high, types = rows[-1]
    arrays = written.data, written.out, written.offsets, written.sizes, written.strides
    if (
        not low <= written.dimensions <= high
        or written.type not in types
        or {*map(len, arrays)} != {written.dimensions}
    ):
        return False
    for n, out, offset, size, stride in zip(*arrays, strict=True):
        if stride == 0 or size < 1 or offset < 0 or offset + size > n:
            return False
        most = 1 + (size - 1) // abs(stride)  # the page has no abs(), which its own example 2 needs
        if not 1 <= out <= most:
            return False
    return True


def desc_of(written: Written) -> dml.Slice1:
    tensors = dml.TensorDesc(written.type, written.data), dml.TensorDesc(written.out_type, written.out)
    windows = written.offsets, written.sizes, written.strides
    return dml.Slice1(tensors[0], *windows, tensors[1], written.dimensions)


def drawn(random: np.random.Generator) -> Written:
    """A desc that the page takes at its highest level."""
    count = int(random.integers(1, 9))
    data = tuple(random.permutation([*random.integers(1, 7, min(count, 4)), *(1,) * max(0, count - 4)]).tolist())
    rows = []
    for n in data:
        offset = int(random.integers(n))
        size = int(random.integers(1, n - offset + 1))
        stride = int(random.integers(1, size + 2)) * int(random.choice([-1, 1]))
        rows.append((offset, size, stride, int(random.integers(1, 2 + (size - 1) // abs(stride)))))
    offsets, sizes, strides, out = zip(*rows, strict=True)
    data_type = str(random.choice(ALL))
    if random.integers(2):
        out = tuple(1 + (size - 1) // abs(stride) for _, size, stride, _ in rows)
    return Written(data_type, data, data_type, out, count, offsets, sizes, strides)


def faults(written: Written, random: np.random.Generator) -> Iterator[Written]:
    """The same with one thing changed; some of it the page takes all the same."""
    d = int(random.integers(written.dimensions))

    def with_(name: str, entries: Numbers) -> Written:
        changes: Any = {name: entries}
        return written._replace(**changes)

    for name in ("data", "out", "offsets", "sizes", "strides"):
        entries: Numbers = getattr(written, name)
        by = int(random.choice([-1, 1]))
        for changed in (entries[d] + by, 0, -entries[d], int(random.integers(2, 9))):
            yield with_(name, (*entries[:d], changed, *entries[d + 1 :]))
        yield with_(name, (1, *entries))
        yield with_(name, entries[1:])
    longer: Any = {name: (1, *getattr(written, name)) for name in ("data", "out", "sizes", "strides")}
    yield written._replace(**longer, offsets=(0, *written.offsets), dimensions=written.dimensions + 1)
    yield written._replace(dimensions=written.dimensions + int(random.choice([-1, 1])))
    yield written._replace(type=str(random.choice(ALL)))
    yield written._replace(out_type=str(random.choice(ALL)))


def sliced(array: Any, written: Written) -> Any:
    """The window, then every n-th of it, which begins at its end where n is negative; then as many as there are."""
    rows = list(zip(written.offsets, written.sizes, written.strides, written.out, strict=True))
    window = array[tuple(slice(offset, offset + size) for offset, size, _, _ in rows)]
    return window[tuple(slice(None, None, stride) for *_, stride, _ in rows)][tuple(slice(out) for *_, out in rows)]


def differing(written: Written, random: np.random.Generator, onnx: Any) -> Iterator[str]:
    """What differs, in a word each."""
    levels = [level.value for level in LEVELS]
    for other in (written, *faults(written, random)):
        desc = desc_of(other)
        takes = [level for level in levels if expected(other, level)]
        report = dml.check(desc)
        if report.ok is not expected(other, levels[-1]):
            yield "verdict"
        if (report.lowest_level.value if report.lowest_level else None) != (takes[0] if takes else None):
            yield "lowest level"
        level = str(random.choice(levels))
        if dml.check(desc, feature_level=level).ok is not expected(other, level):
            yield "verdict at a level"
    desc = desc_of(written)
    tensor = desc.input_tensor
    bits = random.integers(0, 256, tensor.byte_count, np.uint8).view(tensor.data_type.dtype).reshape(tensor.sizes)
    flat = sliced(np.arange(bits.size).reshape(bits.shape), written).ravel()
    want = sliced(bits, written).tobytes()
    if dml.run(desc, [bits])[0].tobytes() != want:
        yield "output"
    trace = dml.trace(desc, [bits])
    if trace.reference(0).tobytes() != want:
        yield "reference"
    sources = trace.sources(0, unravel(np.arange(len(flat), dtype=np.int64), written.out))
    if not np.array_equal(ravel(sources.index, bits.shape), flat) or sources.tensor.any():
        yield "sources"
    elements = unravel(np.arange(bits.size, dtype=np.int64), bits.shape)
    if not np.array_equal(trace.counts(0, elements), np.bincount(flat, minlength=bits.size)):
        yield "counts"
    for k in random.choice(bits.size, 5):
        at = tuple(int(i[0]) for i in unravel(np.array([k]), bits.shape))
        places = [int(ravel([np.array([i]) for i in to.index], written.out)[0]) for to in trace.destinations(0, at)]
        if places != np.flatnonzero(flat == k).tolist():
            yield "destinations"
    if onnx is not None:
        starts = [o if s > 0 else o + n - 1 for o, n, s in zip(*written[5:], strict=True)]
        ends = [a + s * out for a, s, out in zip(starts, written.strides, written.out, strict=True)]
        ends = [-n - 1 if end < 0 else end for end, n in zip(ends, written.data, strict=True)]
        numbers = [np.array(each) for each in (starts, ends, range(written.dimensions), written.strides)]
        if onnx(bits, *numbers).tobytes() != want:
            yield "onnx"


def reference() -> Any:
    """onnx's own reference of Slice, of (data, starts, ends, axes, steps); None where onnx isn't installed."""
    try:
        from onnx.reference.ops.op_slice import Slice_10
    except ImportError:
        return None
    return lambda *feeds: Slice_10.eval(*feeds)


def held(descs: int, seed: int) -> Counter[str]:
    """How many of so many descs differ, by what differs."""
    random, onnx = np.random.default_rng(seed), reference()
    with without_fixes():
        return Counter(word for _ in range(descs) for word in set(differing(drawn(random), random, onnx)))
