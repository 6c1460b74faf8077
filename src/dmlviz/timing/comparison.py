"""How fast a desc runs, beside a plain copy, NumPy and the textbook loop, and how its time grows with its size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, convert, to_builtins

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Array, Fill, Filled, Iota, Values
from ..errors import DmlvizError
from ..kernels.lib import loading, textbook
from ..operators.evaluation import evaluate
from ..operators.registry import operator_of
from ..operators.report import Severity
from ..running import engine, memory
from . import numpy_ways, sampling
from .numpy_ways import Way
from .plain_copy import plain_copy, threads_busy
from .sampling import Spread, Timing, timing_of

COMPARE_BUDGET = 0.25
"""Seconds of warm calls, the copy's and NumPy's included, that `compare` spends."""
POINT_BUDGET = 0.03
"""Seconds that each size of `against_size` is timed for."""
GROWTH = (16, 8, 4, 2)
"""How many times larger each size of `against_size` may be: the first of them that leaves room for three sizes."""
TEXTBOOK_BUDGET = 0.1
"""Seconds of warm calls that `against_textbook` spends."""
LARGEST = 32 << 20
"""Bytes of outputs up to which `against_size` and `against_textbook` go."""
SPARE = 10
"""`against_size` takes at most one part in so many of the memory that is available."""
CHUNK = 1 << 24

Tell = Callable[[str, float], None]
"""Hears what is done now, and the share of it that is done."""


def _unheard(stage: str, share: float) -> None:
    pass


class Point(NamedTuple):
    """The time of one size."""

    elements: int
    """Of all outputs."""
    bytes_moved: int
    """Read and written by the kernel."""
    median: float
    copy: float
    """The median of a plain copy of as many bytes as the outputs have."""

    @property
    def gb_per_s(self) -> float:
        return self.bytes_moved / self.median / 1e9


class Textbook(NamedTuple):
    """The textbook loop beside the kernel: medians of the same rounds."""

    loop: float
    ours: float

    @property
    def ratio(self) -> float:
        """How many times longer the loop takes."""
        return self.loop / self.ours


class Comparison(Struct, frozen=True, kw_only=True):
    """A desc's timing, and what it is held against; medians come from the same rounds, but for the textbook's."""

    ours: Timing
    elements: int
    """Of all outputs."""
    copy: Spread | None = None
    """A plain copy (`np.copyto`, one contiguous block) of as many bytes as the outputs have; None: no room for one."""
    peer_name: str = ""
    peer: Spread | None = None
    """NumPy's fastest way; None where there is none, or no room for its outputs."""
    growth: tuple[Point, ...] = ()
    """Ascending in size, this desc first."""
    copy_threads: int = 1
    """Threads that made the copy: as many as the kernel kept busy."""
    textbook: Textbook | None = None
    """None where it hasn't been timed."""

    def to_json(self) -> dict[str, Any]:
        """Plain values, which `from_json` reads back."""
        json: dict[str, Any] = to_builtins(self)
        return {**json, "ours": {**json["ours"], "gb_per_second": self.ours.gb_per_s}}

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> Comparison:
        return convert(json, cls)


def compare(
    desc: Desc,
    values: Sequence[Values],
    feature_level: FeatureLevel | str = NEWEST,
    budget: float = COMPARE_BUDGET,
    tell: Tell = _unheard,
    verify: Callable[[Sequence[Array]], None] | None = None,
) -> Comparison:
    """Runs `desc` on `values` and times it; then, in turns with it, a plain copy and NumPy.

    `verify` is given the outputs of the first call, before anything is timed. `ours.opening` counts importing Numba and
    getting the kernel ready, where that was needed, and the first call with the first touch of its outputs' pages. It
    does not count filling the inputs and allocating. `ours.first` comes from calls after idle times; see `sample` for
    the warm calls.

    All arrays are there already when a call is timed, the copy's too, and NumPy's as far as its function can write into
    one. NumPy is timed only where it makes the same bytes. The copy is made by as many threads as the kernel keeps
    busy. Raises InvalidDescError, ResourceError, and what `verify` raises.
    """
    engine.require_valid(desc, feature_level)
    engine.require_room(desc, values)
    tell("compiling", 0)
    name = operator_of(desc).name
    kernel = None if loading.is_loaded(name) else loading.load(name)
    tell("allocating", 0)
    bound = engine.bind(desc, engine.inputs_of(desc, values), feature_level=feature_level)
    tell("running", 0)
    start = time.perf_counter()
    outputs = bound()
    opening = time.perf_counter() - start
    if kernel is not None:
        opening += kernel.numba_seconds + kernel.seconds
    if verify is not None:
        verify(outputs)
    tell("timing", 0)
    calls: list[Callable[[], object]] = [bound]
    peer_name, threads = "", 1
    written = engine.memory_needed(desc)
    first = sampling.first_after_idle(bound, idle=min(sampling.IDLE, budget))
    if _has_room(3 * written):
        threads = threads_busy(bound, written)
        calls.append(plain_copy(written, threads))
    if _has_room(3 * written + 32 * _output_elements(desc)) and len(calls) == 2:
        peer = numpy_peer(desc, bound.inputs, outputs)
        if peer is not None:
            peer_name = peer.name
            calls.append(peer.call)
    spreads = sampling.sample(calls, budget, partial(tell, "timing"))
    return Comparison(
        ours=timing_of(bound, opening, kernel, spreads[0], first),
        elements=_output_elements(desc),
        copy=spreads[1] if len(spreads) > 1 else None,
        peer_name=peer_name,
        peer=spreads[2] if len(spreads) > 2 else None,
        copy_threads=threads,
    )


def against_size(
    desc: Desc,
    first: Comparison,
    feature_level: FeatureLevel | str = NEWEST,
    fills: Sequence[Fill | None] = (),
    tell: Tell = _unheard,
) -> Iterator[Point]:
    """How the time of `desc` grows with its size: `first`, its own comparison, then larger ones, as many times each.

    Index and length tensors are filled by `fills` (in field order; None and what is left out: by default). The other
    inputs hold ones; a kernel only moves them.
    """
    if first.copy is None:
        return
    moved = first.ours.bytes_read + first.ours.bytes_written
    yield Point(first.elements, moved, first.ours.warm.median, first.copy.median)
    written = engine.memory_needed(desc)
    growth = next((times for times in GROWTH if written * times**3 <= LARGEST), GROWTH[-1])
    sizes = []
    elements = first.elements * growth
    while (larger := scaled(desc, elements, feature_level)) is not None and _fits_in_memory(larger):
        sizes.append(larger)
        elements *= growth
    for k, larger in enumerate(sizes):
        tell("sizes", k / len(sizes))
        bound = engine.bind(larger, list(_input_arrays(larger, fills)), feature_level=feature_level)
        bound()
        count = engine.memory_needed(larger)
        copy = plain_copy(count, threads_busy(bound, count))
        ours, plain = sampling.sample([bound, copy], POINT_BUDGET)
        timing = timing_of(bound, 0, None, ours)
        yield Point(_output_elements(larger), timing.bytes_read + timing.bytes_written, ours.median, plain.median)


def against_textbook(
    desc: Desc, values: Sequence[Values], feature_level: FeatureLevel | str = NEWEST, tell: Tell = _unheard
) -> Textbook | None:
    """Times the textbook loop in turns with the kernel on `values`, as `compare` times its calls.

    It is compiled first where that was never done. None where there is none, it can't be compiled, it makes other bytes
    than the kernel, or the tensors are large: a loop takes up to a hundred times as long.
    """
    if not _fits_in_memory(desc):
        return None
    tell("textbook", 0)
    bound = engine.bind(desc, engine.inputs_of(desc, values), feature_level=feature_level)
    outputs = [np.empty_like(array) for array in bound()]
    operator = operator_of(desc)
    try:
        loop_call = textbook.bind(operator.name, operator.kernel_numbers(desc), outputs, bound.inputs)
    except DmlvizError:
        return None
    if loop_call is None:
        return None
    loop_call()
    if not _same(outputs, bound.outputs):
        return None
    ours, loop = sampling.sample([bound, loop_call], TEXTBOOK_BUDGET, patience=1)
    return Textbook(loop.median, ours.median)


def scaled(desc: Desc, elements: int, feature_level: FeatureLevel | str = NEWEST) -> Desc | None:
    """A desc like a valid `desc`, but with about `elements` elements in its outputs; `desc` itself if it has as many.

    It is the first valid one of those that the operator knows, see `Operator.grown`. None is returned where none is
    valid: beyond 2^32 - 1 elements, or for one index into one axis.
    """
    level, own = FeatureLevel.of(feature_level), _output_elements(desc)
    factor = round(elements / own)
    if factor <= 1:
        return desc
    for changes in operator_of(desc).grown(desc, factor):
        try:
            larger = desc.replace(changes)
        except DmlvizError:
            continue
        if _output_elements(larger) == own * factor and _is_valid(larger, level):
            return larger
    return None


def _is_valid(desc: Desc, level: FeatureLevel) -> bool:
    checks = evaluate(operator_of(desc), desc, level).checks
    return all(c.ok for c in checks if c.severity is Severity.ERROR)


def _output_elements(desc: Desc) -> int:
    return sum(part.tensor.element_count for part in desc.outputs)


def _fits_in_memory(desc: Desc) -> bool:
    written = engine.memory_needed(desc)
    needed = 2 * written + sum(part.tensor.byte_count for part in desc.inputs)
    return written <= LARGEST and _has_room(SPARE * needed)


def _has_room(needed: int) -> bool:
    free = memory.available_memory()
    return free is None or needed <= free


def _input_arrays(desc: Desc, fills: Sequence[Fill | None]) -> Iterator[Array]:
    operator = operator_of(desc)
    for k, part in enumerate(desc.inputs):
        tensor = part.tensor
        if part.field.role is Role.DATA:
            # Ones and not zeros: the pages of an array of zeros may all be the same one.
            ones = np.full(tensor.byte_count, 1, np.uint8)
            yield ones.view(tensor.data_type.dtype).reshape(tensor.sizes)
        else:
            fill = (fills[k] if k < len(fills) else None) or operator.default_fill(desc, k) or Iota(1, 1)
            yield Filled(tensor, fill).array()


def numpy_peer(desc: Desc, arrays: Sequence[Array], want: Sequence[Array]) -> Way | None:
    """NumPy's fastest way to the bytes of `want`; None for an operator that it has no way for."""
    ways = numpy_ways.ways(desc, arrays, [np.empty_like(array) for array in want])
    right = [way for way in ways if _same(way.outputs(), want)]
    return right[sampling.fastest([way.call for way in right])] if right else None


def _same(arrays: Sequence[Array], want: Sequence[Array]) -> bool:
    """True if two lists of arrays hold the same bytes, whatever their shapes."""
    if len(arrays) != len(want):
        return False
    for one, other in zip(arrays, want, strict=True):
        a, b = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (one, other))
        if len(a) != len(b):
            return False
        if not all(np.array_equal(a[at : at + CHUNK], b[at : at + CHUNK]) for at in range(0, len(a), CHUNK)):
            return False
    return True
