"""How fast a desc runs, beside a plain copy, NumPy and the textbook loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Array, Values
from ..errors import DmlvizError
from ..kernels.lib import loading, textbook
from ..operators.registry import operator_of
from ..running import engine, memory
from . import sampling
from .numpy_calls import numpy_call
from .plain_copy import plain_copy, threads_busy
from .sampling import Spread, Timing, timing_of

COMPARE_BUDGET = 0.25
"""Seconds of warm calls, the copy's and NumPy's included, for a desc."""
TEXTBOOK_BUDGET = 0.1
"""Seconds of warm calls for its textbook loop."""
LARGEST = 32 << 20
"""Bytes of outputs up to which the textbook loop is timed: it takes up to a hundred times as long."""


class Textbook(NamedTuple):
    """The textbook loop beside the kernel: medians of the same rounds."""

    loop: float
    ours: float


class Comparison(Struct, frozen=True, kw_only=True):
    """A desc's timing, and what it is held against; medians come from the same rounds, but for the textbook's."""

    ours: Timing
    elements: int
    """Of all outputs."""
    copy: Spread | None = None
    """A plain copy (`np.copyto`, one contiguous block) of as many bytes as the outputs have; None: no room for one."""
    peer_name: str = ""
    peer: Spread | None = None
    """NumPy's call; None where there is none, or no room for its outputs."""
    copy_threads: int = 1
    """Threads that made the copy: as many as the kernel kept busy."""
    textbook: Textbook | None = None
    """None where it hasn't been timed."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        json: dict[str, Any] = to_builtins(self)
        return {**json, "ours": {**json["ours"], "gb_per_second": self.ours.gb_per_s}}


def comparisons(
    desc: Desc,
    values: Sequence[Values],
    feature_level: FeatureLevel | str = NEWEST,
    budget: float = COMPARE_BUDGET,
    tell: Callable[[str], None] = lambda stage: None,
    verify: Callable[[Sequence[Array]], None] = lambda outputs: None,
) -> Iterator[Comparison]:
    """Runs `desc` on `values` and times it; in turns with it, a plain copy and NumPy; then also the textbook loop.

    Yields a comparison without the loop first, which has to be compiled the first time on a machine. `tell` hears what
    is done now. `verify` is given the outputs of the first call, before anything is timed. `ours.opening` counts
    importing Numba and getting the kernel ready, where that was needed, and the first call, which touches its outputs'
    pages.

    All arrays are there already when a call is timed, the copy's too, and NumPy's as far as its function can write into
    one. NumPy is timed only where it makes the same bytes. The copy is made by as many threads as the kernel keeps
    busy. Raises InvalidDescError, ResourceError, and what `verify` raises.
    """
    engine.require_valid(desc, feature_level)
    engine.require_room(desc, values)
    tell("compiling")
    name = operator_of(desc).name
    start = time.perf_counter()
    kernel = None if loading.is_loaded(name) else loading.load(name)
    opening = time.perf_counter() - start
    tell("allocating")
    bound = engine.bind(desc, engine.inputs_of(desc, values), feature_level=feature_level)
    tell("running")
    start = time.perf_counter()
    outputs = bound()
    opening += time.perf_counter() - start
    verify(outputs)
    tell("timing")
    elements = sum(array.size for array in outputs)
    calls: list[Callable[[], object]] = [bound]
    threads, peer = 1, None
    written = engine.memory_needed(desc)
    if _has_room(3 * written):
        threads = threads_busy(bound, written)
        calls.append(plain_copy(written, threads))
        if _has_room(3 * written + 32 * elements):
            peer = numpy_call(desc, bound.inputs, [np.empty_like(array) for array in outputs])
    if peer is not None and _same(peer.call(), outputs):
        calls.append(peer.call)
    spreads = sampling.sample(calls, budget)
    found = Comparison(
        ours=timing_of(bound, opening, kernel, spreads[0]),
        elements=elements,
        copy=spreads[1] if len(spreads) > 1 else None,
        peer_name=peer.name if peer is not None and len(spreads) > 2 else "",
        peer=spreads[2] if len(spreads) > 2 else None,
        copy_threads=threads,
    )
    yield found
    needed = 2 * written + sum(part.tensor.byte_count for part in desc.inputs)
    if written <= LARGEST and _has_room(10 * needed):
        tell("textbook")
        yield replace(found, textbook=_beside_textbook(bound))


def _beside_textbook(bound: engine.Bound) -> Textbook | None:
    """The textbook loop in turns with the kernel; None for none, and where it isn't compiled or makes other bytes."""
    op = operator_of(bound.desc)
    outputs = [np.empty_like(array) for array in bound.outputs]
    try:
        loop_call = textbook.bind(op.name, op.kernel_numbers(bound.desc), outputs, bound.inputs)
    except DmlvizError:
        return None
    if loop_call is None:
        return None
    loop_call()
    if not _same(outputs, bound.outputs):
        return None
    ours, loop = sampling.sample([bound, loop_call], TEXTBOOK_BUDGET, patience=1)
    return Textbook(loop.median, ours.median)


def _has_room(needed: int) -> bool:
    free = memory.available_memory()
    return free is None or needed <= free


def _same(arrays: Sequence[Array], want: Sequence[Array]) -> bool:
    """True if two lists of arrays hold the same bytes, whatever their shapes."""
    held = map(_bytes_of, arrays)
    wanted = map(_bytes_of, want)
    return len(arrays) == len(want) and all(map(np.array_equal, held, wanted))


def _bytes_of(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
