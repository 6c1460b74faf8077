"""PADDING against definitions of others, on random descs of all types and modes: np.pad, and onnx's.

Outputs, sources both ways, nowhere included, and counts are held against np.pad of the flat positions of the elements,
the outputs against onnx's reference too. Verdicts, of valid descs and of planted faults, are held against Microsoft's
pages of both descs as they are typed in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

import dmlviz as dml
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.levels import LEVELS
from support.against_gather_elements import without_fixes

FLOATS = ["FLOAT32", "FLOAT16"]
LOW = [*FLOATS, "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8"]
ALL = [*LOW, "FLOAT64", "INT64", "UINT64"]
PAGES = {
    "PADDING": {"1_0": (4, 5, FLOATS), "2_1": (4, 5, LOW), "3_1": (1, 8, LOW), "5_0": (1, 8, ALL)},
}
"""Each page's rows: from a level on, the fewest and most dimensions, and the types."""
MODES = {"CONSTANT": "constant", "EDGE": "edge", "REFLECTION": "reflect", "SYMMETRIC": "symmetric"}
Sizes = tuple[int, ...]


class Written(msgspec.Struct, frozen=True):
    """A desc as somebody writes it down, right or wrong."""

    name: str
    data_type: str
    sizes: Sizes
    mode: str
    value_type: str
    value: float
    start: Sizes
    end: Sizes
    out_type: str
    out: Sizes
    count: int

    def built(self) -> Any:
        members = {
            "InputTensor": dml.TensorDesc(self.data_type, self.sizes),
            "OutputTensor": dml.TensorDesc(self.out_type, self.out),
            "PaddingMode": self.mode,
            "PaddingValue": self.value,
            "DimensionCount": self.count,
            "StartPadding": self.start,
            "EndPadding": self.end,
        }
        return dml.Padding.build(members)

    def expected(self, level: str) -> bool:
        """Whether the page takes it at `level`."""
        rows = [row for since, row in PAGES[self.name].items() if since <= level]
        if not rows or (self.mode == "SYMMETRIC" and level < "3_0"):
            return False
        low, high, types = rows[-1]
        n = len(self.sizes)
        if not (low <= n <= high and {len(self.out), len(self.start), len(self.end), self.count} == {n}):
            return False
        if self.data_type not in types or self.out_type != self.data_type or min((*self.start, *self.end)) < 0:
            return False
        sums = tuple(map(sum, zip(self.start, self.sizes, self.end, strict=True)))
        return self.out == sums and min(self.sizes) > 0


def drawn(random: np.random.Generator) -> Written:
    """A desc that its page takes at the highest level."""
    count = int(random.integers(1, 9))
    sizes = tuple(random.permutation([*random.integers(1, 5, min(count, 3)), *(1,) * max(0, count - 3)]).tolist())
    ends = np.zeros((2, count), int)
    for d in random.permutation(count)[:3]:
        ends[:, d] = random.integers(0, 2 * sizes[d] + 2, 2) * random.integers(0, 2, 2)
    start, end = (tuple(side.tolist()) for side in ends)
    data_type, name = str(random.choice(ALL)), str(random.choice(list(PAGES)))
    kind = dml.DataType[data_type]
    low, high = (-(2**10), 2**10) if kind.is_float else kind.integer_range
    if not kind.is_float:
        low, high = max(low, -(2**24)), min(high, 2**24)
    value: float = int(random.integers(low, high, endpoint=True, dtype=np.uint64 if low >= 0 else np.int64))
    value = value / 4 if kind.is_float else value
    out = tuple(map(sum, zip(start, sizes, end, strict=True)))
    mode = str(random.choice(list(MODES)))
    return Written(name, data_type, sizes, mode, data_type, value, start, end, data_type, out, count)


def faults(written: Written, random: np.random.Generator) -> Iterator[Written]:
    """The same with one thing changed; some of it the page takes all the same."""
    d, by = int(random.integers(len(written.sizes))), int(random.choice([-1, 1]))

    def other(sizes: Sizes) -> Sizes:
        return (*sizes[:d], sizes[d] + by, *sizes[d + 1 :])

    for name in ("sizes", "start", "end", "out"):
        yield msgspec.structs.replace(written, **{name: other(getattr(written, name))})
        yield msgspec.structs.replace(written, **{name: (1, *getattr(written, name))})
        yield msgspec.structs.replace(written, **{"out": other(written.out), name: other(getattr(written, name))})
    longer = msgspec.structs.replace(written, start=(0, *written.start), end=(0, *written.end))
    yield from (longer, msgspec.structs.replace(longer, count=written.count + 1))
    for name in ("data_type", "value_type", "out_type"):
        yield msgspec.structs.replace(written, **{name: str(random.choice(ALL))})
    yield msgspec.structs.replace(written, count=written.count + by)
    yield msgspec.structs.replace(written, mode=str(random.choice(list(MODES))))


def verdicts(written: Written, random: np.random.Generator) -> Iterator[str]:
    levels = [level.value for level in LEVELS]
    for other in (written, *faults(written, random)):
        desc, takes = other.built(), [level for level in levels if other.expected(level)]
        report, level = dml.check(desc), str(random.choice(levels))
        if report.ok is not (levels[-1] in takes):
            yield "verdict"
        if (report.lowest_level and report.lowest_level.value) != (takes[0] if takes else None):
            yield "lowest level"
        if dml.check(desc, feature_level=level).ok is not (level in takes):
            yield "verdict at a level"


def differing(written: Written, random: np.random.Generator, onnx: Any) -> Iterator[str]:
    """What differs, in a word each."""
    yield from verdicts(written, random)
    desc, data = written.built(), dml.TensorDesc(written.data_type, written.sizes)
    bits = random.integers(0, 256, data.byte_count, np.uint8).view(data.data_type.dtype).reshape(data.sizes)
    pairs, mode = list(zip(written.start, written.end, strict=True)), MODES[written.mode]
    nowhere = {"constant_values": -1} if mode == "constant" else {}
    flat = np.pad(np.arange(bits.size).reshape(bits.shape), pairs, mode, **nowhere).ravel()  # type: ignore[call-overload]
    constant = np.array(written.value, bits.dtype)
    want = np.append(bits.ravel(), constant)[flat].tobytes()
    if dml.run(desc, [bits])[0].tobytes() != want:
        yield "output"
    trace = dml.trace(desc, [bits])
    if trace.reference(0).tobytes() != want:
        yield "reference"
    tensors, places = trace.addresses(0, unravel(np.arange(len(flat), dtype=np.int64), written.out))
    if not np.array_equal(np.where(tensors < 0, -1, places), flat):
        yield "sources"
    elements = unravel(np.arange(bits.size, dtype=np.int64), bits.shape)
    if not np.array_equal(trace.counts(0, elements), np.bincount(flat[flat >= 0], minlength=bits.size)):
        yield "counts"
    for k in random.choice(bits.size, 3):
        at = tuple(int(i[0]) for i in unravel(np.array([k]), bits.shape))
        readers = [to.index for to in trace.destinations(0, at)]
        reads = [int(ravel([np.array([i]) for i in index], written.out)[0]) for index in readers]
        if reads != np.flatnonzero(flat == k).tolist():
            yield "destinations"
    if onnx is not None and mode != "symmetric":
        model = onnx(mode)
        made = model.run(None, {"data": bits, "pads": np.array([*written.start, *written.end]), "value": constant})[0]
        if made.tobytes() != want:
            yield "onnx"


class Reference:
    """onnx's own reference of Pad, which has no mode with the edge mirrored."""

    def __init__(self) -> None:
        from onnx import reference

        self.evaluator = reference.ReferenceEvaluator
        self.models: dict[str, Any] = {}

    def __call__(self, mode: str) -> Any:
        if mode not in self.models:
            from onnx import parser

            inputs, node = "float[N] data, int64[M] pads, float value", f'Pad <mode = "{mode}"> (data, pads, value)'
            text = f'<ir_version: 8, opset_import: ["": 18]> pad ({inputs}) => (float[K] out) {{ out = {node} }}'
            self.models[mode] = self.evaluator(parser.parse_model(text))
        return self.models[mode]


def held(descs: int, seed: int) -> Counter[str]:
    """How often each thing differs, of so many random descs."""
    try:
        onnx: Any = Reference()
    except ImportError:
        onnx = None
    random, found = np.random.default_rng(seed), Counter[str]()
    with without_fixes():
        for _ in range(descs):
            found.update(differing(drawn(random), random, onnx))
    return found
