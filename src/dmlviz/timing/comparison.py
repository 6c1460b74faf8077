"""How fast a desc runs, beside a plain copy, NumPy and the textbook loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, to_builtins

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Array, Values
from ..errors import DmlvizError
from ..kernels.lib import loading, textbook
from ..operators.registry import operator_of
from ..running import engine, memory
from . import sampling
from .numpy_calls import NumpyCall, numpy_call
from .plain_copy import plain_copy, threads_busy
from .sampling import Spread, Timing, timing_of

COMPARE_BUDGET = 0.25
"""Seconds of warm calls, the copy's and NumPy's included, that `compare` spends."""
TEXTBOOK_BUDGET = 0.1
"""Seconds of warm calls that `against_textbook` spends."""
LARGEST = 32 << 20
"""Bytes of outputs up to which `against_textbook` goes."""
SPARE = 10
"""`against_textbook` takes at most one part in so many of the memory that is available."""
CHUNK = 1 << 24

Tell = Callable[[str, float], None]
"""Hears what is done now, and the share of it that is done."""


def _unheard(stage: str, share: float) -> None:
    pass


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
    """NumPy's call; None where there is none, or no room for its outputs."""
    copy_threads: int = 1
    """Threads that made the copy: as many as the kernel kept busy."""
    textbook: Textbook | None = None
    """None where it hasn't been timed."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        json: dict[str, Any] = to_builtins(self)
        return {**json, "ours": {**json["ours"], "gb_per_second": self.ours.gb_per_s}}


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
    does not count filling the inputs and allocating; see `sample` for the warm calls.

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
    if _has_room(3 * written):
        threads = threads_busy(bound, written)
        calls.append(plain_copy(written, threads))
    if _has_room(3 * written + 32 * _output_elements(desc)) and len(calls) == 2:
        peer = _numpy_peer(desc, bound.inputs, outputs)
        if peer is not None:
            peer_name = peer.name
            calls.append(peer.call)
    spreads = sampling.sample(calls, budget, partial(tell, "timing"))
    return Comparison(
        ours=timing_of(bound, opening, kernel, spreads[0]),
        elements=_output_elements(desc),
        copy=spreads[1] if len(spreads) > 1 else None,
        peer_name=peer_name,
        peer=spreads[2] if len(spreads) > 2 else None,
        copy_threads=threads,
    )


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


def _output_elements(desc: Desc) -> int:
    return sum(part.tensor.element_count for part in desc.outputs)


def _fits_in_memory(desc: Desc) -> bool:
    written = engine.memory_needed(desc)
    needed = 2 * written + sum(part.tensor.byte_count for part in desc.inputs)
    return written <= LARGEST and _has_room(SPARE * needed)


def _has_room(needed: int) -> bool:
    free = memory.available_memory()
    return free is None or needed <= free


def _numpy_peer(desc: Desc, arrays: Sequence[Array], want: Sequence[Array]) -> NumpyCall | None:
    """NumPy's call that makes the bytes of `want`; None for an operator that names none."""
    peer = numpy_call(desc, arrays, [np.empty_like(array) for array in want])
    return peer if peer is not None and _same(peer.call(), want) else None


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
