"""Running a desc: check it, fold it, allocate, call the Numba kernel of the same name; and timing that."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from . import buffers, kernels
from .checks import Severity
from .descs import Desc, Part, Role
from .errors import DmlvizError, InvalidDescError, ResourceError, ValuesError, quote
from .kernels import KernelState
from .levels import NEWEST, FeatureLevel
from .operators import evaluate, operator_of
from .tensors import TensorDesc, braces
from .values import Array, Stored, Values

BUDGET = 0.02
"""Seconds of warm calls that `measure` spends."""
SHORTEST_SAMPLE = 20e-6
"""Calls are batched until a sample lasts this long; the clock's own cost, some 0.1 µs, is then lost in it."""
SMALL = 1 << 20
"""Bytes of outputs that are allocated without asking whether there are as many."""
LONGEST_WARM_UP = 2e-3
"""A sample up to this long follows a call that isn't timed and brings its arrays back into the caches."""
FEWEST_ROUNDS = 7
PATIENCE = 10
"""Times the budget that `sample` may spend to reach `FEWEST_ROUNDS`."""


def run(
    desc: Desc, arrays: Sequence[Array], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> list[Array]:
    """The outputs of `desc` for input `arrays`, both flat lists in field order; into the arrays `out` where given.

    Inputs may be read-only, unaligned or not contiguous. Large outputs come from memory that earlier ones have given
    back, see `buffers`. Raises InvalidDescError, ValuesError for an array that doesn't fit, ResourceError where memory
    is short.
    """
    plan = _planned(desc, feature_level)
    if out is None:
        inputs, outputs = _ready_inputs(plan, arrays), _allocate(plan)
    else:
        outputs = _given(desc, check_arrays(desc.inputs, arrays), out)
        inputs = _ready_inputs(plan, arrays)
    plan.call((*outputs, *inputs))
    return outputs


def bind(
    desc: Desc, arrays: Sequence[Array], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> Bound:
    """What `run` does, checked and folded once, to be called many times. Raises as `run` does.

    Each call reads the inputs as they are then and writes the same outputs again; an input that is not C-contiguous is
    copied here, once.
    """
    plan = _planned(desc, feature_level)
    inputs = check_arrays(desc.inputs, arrays)
    outputs = _allocate(plan) if out is None else _given(desc, inputs, out)
    return Bound(desc, plan, inputs, outputs)


def require_valid(desc: Desc, feature_level: FeatureLevel | str = NEWEST) -> None:
    """Raises InvalidDescError, with the first broken rule's message, where `desc` has an error at that level."""
    _planned(desc, feature_level)


def require_desc(found: object) -> None:
    """Raises DmlvizError where `found` is no desc."""
    if not isinstance(found, Desc):
        raise DmlvizError(f"desc is {quote(found)}, expected a desc such as dmlviz.Tile(...).")


class _Plan:
    """A valid desc, folded for its kernel: what stays the same at every call."""

    __slots__ = ("desc", "inputs", "kernel", "name", "needed", "numbers", "outputs", "pooled", "shared")

    def __init__(self, desc: Desc) -> None:
        self.desc = desc
        self.name = operator_of(desc).name
        self.inputs = [(part.tensor.data_type.dtype, part.tensor.sizes) for part in desc.inputs]
        self.outputs = [(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.outputs]
        self.needed = memory_needed(desc)
        self.kernel: Callable[[tuple[Array, ...], Array, int], None] | None = None

    def ready(self) -> Callable[[tuple[Array, ...], Array, int], None]:
        """The kernel, got ready, and the work planned. Raises DmlvizError if there is none."""
        if self.kernel is None:
            kernel = kernels.load(self.name)
            folded = operator_of(self.desc).kernel_numbers(self.desc)
            numbers = folded if kernel.plan is None else kernel.plan(*folded)
            self.numbers = np.array(numbers, np.int64)
            self.shared = kernel.plan is not None and numbers[1] < numbers[0]
            self.kernel = kernel.run
        return self.kernel

    def call(self, arrays: tuple[Array, ...]) -> None:
        """Runs the kernel on C-contiguous arrays that fit: the outputs, then the inputs."""
        kernel = self.kernel or self.ready()
        if self.shared:
            kernels.share(kernel, arrays, self.numbers)
        else:
            kernel(arrays, self.numbers, 0)


def _planned(desc: Desc, feature_level: FeatureLevel | str) -> _Plan:
    """The plan of `desc`, which it keeps. Raises InvalidDescError where it has an error at that level."""
    try:
        found: _Plan = desc.__dict__["_plans"][feature_level]
    except (AttributeError, KeyError, TypeError):
        require_desc(desc)
        level = FeatureLevel.of(feature_level)
        _require_valid(desc, level)
        plans = desc.__dict__.setdefault("_plans", {})
        found = plans[level] = next(iter(plans.values()), None) or _Plan(desc)
    return found


def _require_valid(desc: Desc, level: FeatureLevel) -> None:
    operator = operator_of(desc)
    errors = [c for c in evaluate(operator, desc, level).checks if not c.ok and c.severity is Severity.ERROR]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise InvalidDescError(errors[0].message.removesuffix(".") + f"{more}.")


class Bound:
    """A desc with its arrays: calling it runs the kernel on them and returns `outputs`, the same arrays every time.

    Inputs that were not C-contiguous were copied when it was made; later changes to those are not seen.
    """

    __slots__ = ("_arrays", "_kernel", "_numbers", "_plan", "desc", "inputs", "name", "outputs")

    def __init__(self, desc: Desc, plan: _Plan, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        self.desc, self.name = desc, plan.name
        self.inputs = [np.ascontiguousarray(array) for array in inputs]
        self.outputs = list(outputs)
        self._plan, self._arrays = plan, (*self.outputs, *self.inputs)
        self._kernel: Callable[[tuple[Array, ...], Array, int], None] | None = None
        self._numbers: Any = None

    def __call__(self) -> list[Array]:
        kernel = self._kernel
        if kernel is not None:
            kernel(self._arrays, self._numbers, 0)
        else:
            self._plan.call(self._arrays)
            if not self._plan.shared:
                self._numbers, self._kernel = self._plan.numbers, self._plan.kernel
        return self.outputs


# ---- arrays -----------------------------------------------------------------------------------------------------


def check_arrays(parts: Sequence[Part], arrays: Sequence[Array]) -> list[Array]:
    """`arrays` as a list, each held against the tensor it is meant for. Raises ValuesError that names the wrong one."""
    if isinstance(arrays, (np.ndarray, str, bytes)) or not isinstance(arrays, Sequence):
        kind = type(arrays).__name__
        raise ValuesError(f"arrays is of type {kind}, expected a list of arrays for {_names(parts)}.")
    if len(arrays) != len(parts):
        some = "1 array is" if len(arrays) == 1 else f"{len(arrays)} arrays are"
        raise ValuesError(f"{some} given, expected {len(parts)}: {_names(parts)}.")
    for part, array in zip(parts, arrays, strict=True):
        _check_array(part.path, part.tensor, array)
    return list(arrays)


def _ready_inputs(plan: _Plan, arrays: Sequence[Array]) -> Sequence[Array]:
    """`arrays`, held against the plan's inputs and C-contiguous. Raises ValuesError as `check_arrays` does."""
    if (type(arrays) is list or type(arrays) is tuple) and len(arrays) == len(plan.inputs):
        for array, (dtype, sizes) in zip(arrays, plan.inputs, strict=True):
            if type(array) is not np.ndarray or array.dtype != dtype or array.shape != sizes:
                break
            if not array.flags.c_contiguous:
                break
        else:
            return arrays  # nothing to say and nothing to copy, which is what most calls come to
    return [np.ascontiguousarray(array) for array in check_arrays(plan.desc.inputs, arrays)]


def _names(parts: Sequence[Part]) -> str:
    shown = [part.path for part in parts[:8]] + ["…"] * (len(parts) > 8)
    return ", ".join(shown)


def _check_array(path: str, tensor: TensorDesc, array: object) -> None:
    if not isinstance(array, np.ndarray):
        raise ValuesError(f"{path} is {quote(array)}, expected a NumPy array of {tensor}.")
    want = tensor.data_type.dtype
    if array.dtype != want:
        if array.dtype.newbyteorder("=") == want:
            order = "big" if sys.byteorder == "little" else "little"
            raise ValuesError(f"{path} is {order}-endian ({array.dtype.str}), expected {want.str} for {tensor}.")
        raise ValuesError(f"{path} has dtype {array.dtype}, expected {want} for {tensor}.")
    if array.shape != tensor.sizes:
        raise ValuesError(f"{path} has shape {braces(array.shape)}, expected {braces(tensor.sizes)}.")


def _given(desc: Desc, inputs: Sequence[Array], out: Sequence[Array]) -> list[Array]:
    """`out` held against the outputs of `desc`: right in every way, and overlapping neither an input nor each other."""
    outputs = check_arrays(desc.outputs, out)
    taken = [(part.path, array) for part, array in zip(desc.inputs, inputs, strict=True)]
    for part, array in zip(desc.outputs, outputs, strict=True):
        if not array.flags.c_contiguous:
            raise ValuesError(f"{part.path} is not C-contiguous, expected an array that is.")
        if not array.flags.writeable:
            raise ValuesError(f"{part.path} is read-only, expected an array that can be written.")
        for other, held in taken:
            if _overlap(array, held):
                raise ValuesError(f"{part.path} overlaps {other} in memory, expected an array of its own.")
        taken.append((part.path, array))
    return outputs


def _overlap(a: Array, b: Array) -> bool:
    if not np.may_share_memory(a, b):
        return False
    if b.flags.c_contiguous:
        return True  # both fill their bounds
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]  # NumPy takes any number
    except np.exceptions.TooHardError:
        return True


# ---- memory -----------------------------------------------------------------------------------------------------


def memory_needed(desc: Desc) -> int:
    """Bytes of the outputs of a valid desc."""
    return sum(part.tensor.byte_count for part in desc.outputs)


def available_memory() -> int | None:
    """Bytes that can be had without swapping, on this machine and in this process's group; None if that isn't known."""
    found = [each for each in (_machine_memory(), _group_memory()) if each is not None]
    return max(0, min(found)) if found else None


def _machine_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _group_memory() -> int | None:
    """What the control group leaves, as a container sees it; file pages count as free."""
    for folder, limit, usage, freed in (
        ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most = int(Path(folder, limit).read_text())  # "max", no limit, is a ValueError
            used = int(Path(folder, usage).read_text())
            stat = dict(line.split() for line in Path(folder, "memory.stat").read_text().splitlines())
            return most - used + int(stat.get(freed, 0))
        except (OSError, ValueError):
            continue
    return None


def require_memory(need: int, what: str) -> None:
    """Raises ResourceError, with `what` as the subject of its sentence, where `need` bytes are not available."""
    free = available_memory()
    if free is not None and need > free:
        raise ResourceError(f"{what} needs {bytes_text(need)} of memory, but only {bytes_text(free)} is available.")


def bytes_text(count: int) -> str:
    """Bytes with a binary unit: `48 bytes`, `8.0 GiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"


def _allocate(plan: _Plan) -> list[Array]:
    if plan.needed >= SMALL:
        _require_outputs(plan)
    try:
        return [buffers.empty(sizes, dtype) for sizes, dtype in plan.outputs]
    except MemoryError:
        raise _out_of_memory(plan.desc) from None


_room: tuple[float, float] = (-math.inf, 0)
"""When the memory that is available was last asked for, and what was found."""


def _require_outputs(plan: _Plan) -> None:
    """Raises ResourceError where the outputs don't fit; asks anew where they are large for what was found last."""
    global _room
    at, free = _room
    if plan.needed * 16 > free or time.monotonic() - at > 1:
        require_memory(plan.needed, f"the output of {plan.name}")
        found = available_memory()
        _room = time.monotonic(), math.inf if found is None else found


def require_room(desc: Desc, values: Sequence[Values]) -> None:
    """Raises ResourceError where the arrays of `values` and the outputs don't fit in memory together."""
    made = sum(each.tensor.byte_count for each in values if not isinstance(each, Stored))
    require_memory(made + memory_needed(desc), f"running {operator_of(desc).name}")


def inputs_of(desc: Desc, values: Sequence[Values]) -> list[Array]:
    """`values`, one for each input of a desc, as arrays.

    Raises ResourceError, before anything is allocated, where they and the outputs don't fit in memory together.
    """
    require_room(desc, values)
    try:
        return [each.array() for each in values]
    except MemoryError:
        raise _out_of_memory(desc) from None


def _out_of_memory(desc: Desc) -> ResourceError:
    need = bytes_text(memory_needed(desc))
    return ResourceError(f"{operator_of(desc).name} needs {need} of memory for its output, and the system refused it.")


# ---- timing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread:
    """How long one warm call takes, in seconds, over `n` samples."""

    median: float
    min: float
    p95: float
    """What 95 of 100 samples don't exceed."""
    n: int
    samples: tuple[float, ...] = field(default=(), repr=False, compare=False)
    """Each of them, in order; empty where they were measured in another process."""

    @classmethod
    def of(cls, samples: Iterable[float]) -> Spread:
        """The spread of at least one sample."""
        found = tuple(samples)
        ordered = sorted(found)
        p95 = ordered[math.ceil(0.95 * len(found)) - 1]
        return cls(float(np.median(ordered)), ordered[0], p95, len(found), found)

    def to_json(self) -> dict[str, Any]:
        return {"median_seconds": self.median, "min_seconds": self.min, "p95_seconds": self.p95, "n": self.n}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Spread:
        return cls(found["median_seconds"], found["min_seconds"], found["p95_seconds"], found["n"])


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a bound call takes.

    On the clock: the kernel on arrays that are there already, and Python's call of it. Not on it: checking and folding
    the desc, allocating, copying inputs that are not contiguous. Only `cold` includes getting the kernel ready, and the
    first touch of fresh pages of the outputs.
    """

    cold: float
    """Seconds of the first call, with importing Numba and compiling the kernel or loading it where that was needed."""
    kernel: KernelState
    """What getting the kernel ready took."""
    warm: Spread
    """Later calls; see `sample`."""
    bytes_read: int
    """Every data element that goes into the outputs, once, and the index or length tensor."""
    bytes_written: int
    kernel_seconds: float = 0.0
    """Seconds of `cold` that compiling the kernel took, or loading it from the cache."""

    @property
    def n(self) -> int:
        return self.warm.n

    @property
    def min(self) -> float:
        return self.warm.min

    @property
    def median(self) -> float:
        return self.warm.median

    @property
    def p95(self) -> float:
        return self.warm.p95

    @property
    def gb_per_s(self) -> float:
        """10^9 bytes read and written in a second, at the median."""
        return (self.bytes_read + self.bytes_written) / self.median / 1e9

    def to_json(self) -> dict[str, Any]:
        return {
            "cold_seconds": self.cold,
            "kernel": self.kernel.value,
            "warm": self.warm.to_json(),
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "gb_per_second": self.gb_per_s,
        }


def measure(bound: Bound, budget: float = BUDGET) -> Timing:
    """Times the first call of `bound`, then warm calls for `budget` seconds; only 1 where a call takes much longer."""
    start = time.perf_counter()
    ready = kernels.is_loaded(bound.name)
    kernel = kernels.load(bound.name)
    bound()
    cold = time.perf_counter() - start
    (warm,) = sample([bound], budget)
    return timing_of(bound, cold, None if ready else kernel, warm)


def timing_of(bound: Bound, cold: float, kernel: kernels.Kernel | None, warm: Spread) -> Timing:
    """The timing of `bound`; `kernel` is None where it was ready before the first call."""
    written = memory_needed(bound.desc)
    steering = sum(p.tensor.byte_count for p in bound.desc.inputs if p.field.role in (Role.INDICES, Role.LENGTHS))
    state, seconds = (kernel.state, kernel.seconds) if kernel else (KernelState.READY, 0.0)
    return Timing(cold, state, warm, written + steering, written, seconds)


def sample(
    calls: Sequence[Callable[[], object]], budget: float, tell: Callable[[float], None] | None = None
) -> list[Spread]:
    """Times `calls` in turns, for `budget` seconds in all; each call's spread. `tell` hears the share that is done.

    A round takes one sample of each call, so that whatever else the machine does meets all of them alike; the order
    rotates. Inside the clock: the call, and some 10 ns of Python's loop where short calls are batched into a sample,
    which is then their mean. Outside it: at least one call before the first sample, one before every sample that is
    short, and the garbage collector, which is held. At least `FEWEST_ROUNDS`, unless they took `PATIENCE` budgets.
    """
    clock = time.perf_counter
    collects = gc.isenabled()
    gc.disable()
    try:
        batches = [_batch(call) for call in calls]
        found: list[list[float]] = [[] for _ in calls]
        began = told = clock()
        turn = 0
        while True:
            for at in range(len(calls)):
                k = (at + turn) % len(calls)
                count, warm = batches[k]
                if warm:
                    calls[k]()
                found[k].append(_seconds(calls[k], count))
            turn += 1
            now = clock()
            spent = now - began
            if spent >= budget and (turn >= FEWEST_ROUNDS or spent >= PATIENCE * budget):
                return [Spread.of(each) for each in found]
            if tell is not None and now - told > 0.05:
                told = now
                tell(min(spent / budget, turn / FEWEST_ROUNDS))
    finally:
        if collects:
            gc.enable()


def _seconds(call: Callable[[], object], count: int) -> float:
    """Seconds a call, over `count` of them."""
    turns = repeat(None, count)
    clock = time.perf_counter
    start = clock()
    for _ in turns:
        call()
    return (clock() - start) / count


def _batch(call: Callable[[], object]) -> tuple[int, bool]:
    """How many calls make a sample, and whether one that isn't timed goes before it."""
    count = 1
    while True:
        lasts = _seconds(call, count) * count
        if SHORTEST_SAMPLE <= lasts <= LONGEST_WARM_UP:  # once more: something else may have had the processor
            lasts = min(lasts, _seconds(call, count) * count)
        if lasts >= SHORTEST_SAMPLE or count >= 1 << 12:
            return count, lasts <= LONGEST_WARM_UP
        count *= 2


def duration(value: float) -> str:
    """A duration with its unit, all of three digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.9995 * factor:
            return f"{three_digits(value / factor)} {unit}"
    return f"{three_digits(value / 1e-9)} ns"


def three_digits(value: float) -> str:
    """A number from 0.01 up with three digits: 0.380, 4.20, 41.0, 128, 5,120."""
    places = 2 - math.floor(math.log10(value)) if value > 0 else 0
    shown = round(value, places)
    if shown > 0 and math.floor(math.log10(shown)) > 2 - places:
        places -= 1  # it was rounded up into another digit
    return f"{shown:,.{max(0, places)}f}"
