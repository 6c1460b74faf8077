"""Running a desc: check it, fold it, allocate, call the Numba kernel of the same name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ascontiguousarray, empty, ndarray

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Array, Stored, Values
from ..errors import DmlvizError, InvalidDescError, ResourceError, quote
from ..kernels.lib import loading, thread_pool
from ..operators import checking
from ..operators.evaluation import evaluate
from ..operators.registry import operator_of
from ..operators.report import Cause, Severity
from .array_checks import Given, check_arrays, check_outputs, require_writable
from .memory import bytes_text, require_memory

SMALL = 64 << 20
"""Bytes of outputs that are allocated without asking whether there are as many: asking takes 0.1 ms."""


def run(
    desc: Desc, arrays: Sequence[Given], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> list[Array]:
    """The outputs of `desc` for input `arrays`, both flat lists in field order; into the arrays `out` where given.

    Inputs may be read-only, unaligned or not contiguous. Raises InvalidDescError, ValuesError for an array that doesn't
    fit, ResourceError where memory is short.
    """
    plan = _planned(desc, feature_level)
    ready = _are_ready(arrays, plan.inputs)  # as most are
    inputs: Sequence[Any] = arrays if ready else check_arrays(desc.inputs, arrays)
    if out is None:
        outputs = _allocate(plan)
    elif ready and _are_free(out, plan.outputs, inputs):
        outputs = [*out]
    else:
        outputs = check_outputs(desc, inputs, out)
    plan.call((*outputs, *(inputs if ready else map(ascontiguousarray, inputs))))
    return outputs


def bind(
    desc: Desc, arrays: Sequence[Given], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> Bound:
    """What `run` does, checked and folded once, to be called many times. Raises as `run` does.

    Each call reads the inputs as they are then and writes the same outputs again; an input that is not C-contiguous is
    copied here, once. A call raises ValuesError where an output was made read-only since.
    """
    plan = _planned(desc, feature_level)
    inputs = check_arrays(desc.inputs, arrays)
    outputs = _allocate(plan) if out is None else check_outputs(desc, inputs, out)
    return Bound(desc, plan, inputs, outputs, outputs if out is None else out)


def require_valid(desc: Desc, feature_level: FeatureLevel | str = NEWEST) -> None:
    """Raises InvalidDescError, with the first broken rule's message, where `desc` has an error at that level."""
    _planned(desc, feature_level)


def require_desc(desc: object) -> None:
    """Raises DmlvizError where `found` is no desc."""
    if not isinstance(desc, Desc):
        raise DmlvizError(f"desc is {quote(desc)}, expected a desc such as dmlviz.Tile(...).")


_Kind = tuple[tuple[int, ...], np.dtype[Any]]
"""Sizes and type of an array."""


class Plan:
    """A valid desc, folded for its kernel: what stays the same at every call."""

    __slots__ = (
        *("desc", "inputs", "kernel", "level", "levels", "loaded", "name", "needed", "numbers", "outputs", "shared"),
    )

    def __init__(self, desc: Desc) -> None:
        self.desc = desc
        self.name = operator_of(desc).name
        self.inputs: list[_Kind] = [(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.inputs]
        self.outputs: list[_Kind] = [(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.outputs]
        self.needed = memory_needed(desc)
        self.level: FeatureLevel | None = None  # the one that was asked for last, of those where the desc is valid
        self.levels: set[FeatureLevel] = set()
        self.kernel: Callable[[tuple[Array, ...], Array, int], None] | None = None

    def ready(self) -> Callable[[tuple[Array, ...], Array, int], None]:
        """The kernel, got ready, and the work planned. Raises DmlvizError if there is none."""
        if self.kernel is None:
            kernel = self.loaded = loading.load(self.name)
            folded = operator_of(self.desc).kernel_numbers(self.desc)
            numbers = folded if kernel.plan is None else kernel.plan(*folded)
            self.numbers = np.array(numbers, np.int64)
            self.shared = kernel.plan is not None and numbers[1] < numbers[0]
            self.kernel = kernel.run
        return self.kernel

    def outputs_for(self, inputs: Sequence[Array]) -> list[Array]:
        """New outputs for inputs of the desc's types and element counts, of any sizes. Raises ResourceError."""
        for array in inputs:
            if not array.flags.c_contiguous:
                inputs = [ascontiguousarray(array) for array in inputs]
                break
        outputs = _allocate(self)
        self.call((*outputs, *inputs))
        return outputs

    def call(self, arrays: tuple[Array, ...]) -> None:
        """Runs the kernel on C-contiguous arrays that fit: the outputs, then the inputs."""
        kernel = self.kernel or self.ready()
        if self.shared:
            thread_pool.share(self.loaded, arrays, self.numbers)
        else:
            kernel(arrays, self.numbers, 0)


def _planned(desc: Desc, feature_level: FeatureLevel | str) -> Plan:
    """The plan of `desc`, which it keeps. Raises InvalidDescError where it has an error at that level."""
    require_desc(desc)
    plan: Plan | None = desc.__dict__.get("_plan")
    if plan is not None and plan.level is feature_level:
        return plan
    level = FeatureLevel.of(feature_level)
    if plan is None or level not in plan.levels:
        _require_valid(desc, level)
        plan = desc.__dict__.setdefault("_plan", plan or Plan(desc))
        plan.levels.add(level)
    plan.level = level
    return plan


def plan_of(desc: Desc, sizes: tuple[int, ...] | None = None) -> Plan:
    """The plan of `desc` at the newest level, whose only output gets `sizes`. Raises InvalidDescError."""
    plan = _planned(desc, NEWEST)
    if sizes is not None:
        plan.outputs = [(sizes, dtype) for _, dtype in plan.outputs]
    return plan


def _require_valid(desc: Desc, level: FeatureLevel) -> None:
    operator = operator_of(desc)
    errors = [c for c in evaluate(operator, desc, level).checks if not c.ok and c.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        # Which sentences have one cause is only known by their fixes, which may take seconds to find.
        alike = Cause(tuple(c for c in errors if (c.id, c.words) == (first.id, first.words)))
        others = len({c.id for c in errors}) - 1
        more = f" (and {others} more)" if others else ""
        message = alike.message.removesuffix(".")
        raise InvalidDescError(f"{message}{more}.", lambda: checking.check(desc, None, level))


class Bound:
    """A desc with its arrays: calling it runs the kernel on them and returns `outputs`, the same arrays every time.

    Inputs that were not C-contiguous were copied when it was made; later changes to those are not seen.
    """

    __slots__ = ("_arrays", "_kernel", "_numbers", "_plan", "_written", "desc", "inputs", "name", "outputs")

    def __init__(
        self, desc: Desc, plan: Plan, inputs: Sequence[Array], outputs: Sequence[Array], written: Sequence[Array]
    ) -> None:
        """`written` are the arrays that the caller knows, on the memory of `outputs`."""
        self.desc, self.name = desc, plan.name
        self.inputs = [np.ascontiguousarray(array) for array in inputs]
        self.outputs = list(outputs)
        self._plan, self._arrays, self._written = plan, (*self.outputs, *self.inputs), tuple(written)
        self._kernel: Callable[[tuple[Array, ...], Array, int], None] | None = None
        self._numbers: Any = None

    def __call__(self) -> list[Array]:
        for array in self._written:
            if not array.flags.writeable:  # since it was bound
                self._refuse()
        kernel = self._kernel
        if kernel is not None:
            kernel(self._arrays, self._numbers, 0)
        else:
            self._plan.call(self._arrays)
            if not self._plan.shared:
                self._numbers, self._kernel = self._plan.numbers, self._plan.kernel
        return self.outputs

    def _refuse(self) -> None:
        for part, array in zip(self.desc.outputs, self._written, strict=True):
            require_writable(array, part.path)


def _are_ready(arrays: object, wanted: Sequence[_Kind]) -> bool:
    """True if `arrays` are C-contiguous and as `wanted`. Nothing is compared twice: small calls cost little else."""
    if (type(arrays) is not list and type(arrays) is not tuple) or len(arrays) != len(wanted):
        return False
    for array, (sizes, dtype) in zip(arrays, wanted):  # noqa: B905
        if type(array) is not ndarray or array.dtype is not dtype or array.shape != sizes:
            return False
        if not array.flags.c_contiguous:
            return False
    return True


_OWNED = 0x505
"""`flags.num` of an array that owns its memory and is `carray`: C-contiguous, aligned and writeable."""


def _are_free(out: object, wanted: Sequence[_Kind], inputs: Sequence[Array]) -> bool:
    """True if `check_outputs`, which takes longer, has nothing to say: `out` is just as `wanted`, and lies apart.

    Arrays lie apart if each owns its memory, or is a view of one that does, and no two of these are the same.
    """
    if (type(out) is not list and type(out) is not tuple) or len(out) != len(wanted):
        return False
    owners: list[Any] = []
    owner: Any
    for array in inputs:
        owner = array if (base := array.base) is None else base
        if type(owner) is not ndarray or not owner.flags.owndata:
            return False
        owners.append(owner)
    for array, (sizes, dtype) in zip(out, wanted):  # noqa: B905
        if type(array) is not ndarray or array.dtype is not dtype or array.shape != sizes:
            return False
        owner = array
        if array.flags.num & _OWNED != _OWNED:
            owner = array.base
            if not array.flags.carray or type(owner) is not ndarray or not owner.flags.owndata:
                return False
        for other in owners:
            if other is owner:
                return False
        owners.append(owner)
    return True


def memory_needed(desc: Desc) -> int:
    """Bytes of the outputs of a valid desc."""
    return sum(part.tensor.byte_count for part in desc.outputs)


def _allocate(plan: Plan) -> list[Array]:
    if plan.needed >= SMALL:
        require_memory(plan.needed, f"the output of {plan.name}")
    try:
        return [empty(sizes, dtype) for sizes, dtype in plan.outputs]
    except MemoryError:
        raise _out_of_memory(plan.desc) from None


def require_room(desc: Desc, values: Sequence[Values]) -> None:
    """Raises ResourceError where the arrays of `values` and the outputs don't fit in memory together."""
    allocated = sum(source.tensor.byte_count for source in values if not isinstance(source, Stored))
    require_memory(allocated + memory_needed(desc), f"running {operator_of(desc).name}")


def inputs_of(desc: Desc, values: Sequence[Values]) -> list[Array]:
    """`values` of each input as arrays. Raises ResourceError first where they and the outputs need too much memory."""
    require_room(desc, values)
    try:
        return [source.array() for source in values]
    except MemoryError:
        raise _out_of_memory(desc) from None


def _out_of_memory(desc: Desc) -> ResourceError:
    need = bytes_text(memory_needed(desc))
    return ResourceError(f"{operator_of(desc).name} needs {need} of memory for its output, and the system refused it.")
