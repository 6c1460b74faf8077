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
from ..operators.general_rules import evaluate
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
    plan = plan_of(desc, feature_level)
    ready = _are_ready(arrays, plan.inputs)  # as most are
    inputs: Sequence[Any] = arrays if ready else check_arrays(desc.inputs, arrays)
    if out is None:
        outputs = plan.allocate()
    elif ready and _are_ready(out, plan.outputs) and _are_free(out, inputs):
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
    plan = plan_of(desc, feature_level)
    inputs = check_arrays(desc.inputs, arrays)
    outputs = plan.allocate() if out is None else check_outputs(desc, inputs, out)
    return Bound(desc, plan, inputs, outputs)


def require_valid(desc: Desc, feature_level: FeatureLevel | str = NEWEST) -> None:
    """Raises InvalidDescError, with the first broken rule's message, where `desc` has an error at that level."""
    plan_of(desc, feature_level)


def require_desc(desc: object) -> None:
    """Raises DmlvizError for anything else."""
    if not isinstance(desc, Desc):
        raise DmlvizError(f"desc is {quote(desc)}, expected a desc such as dmlviz.Tile(...).")


_Kind = tuple[tuple[int, ...], np.dtype[Any]]
"""Sizes and type of an array."""
_Run = Callable[[tuple[Array, ...], Array, int], None]


class Plan:
    """A valid desc, folded for its kernel: what stays the same at every call."""

    def __init__(self, desc: Desc) -> None:
        self.name = operator_of(desc).name
        self.inputs: list[_Kind] = [(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.inputs]
        self.outputs: list[_Kind] = [(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.outputs]
        self.levels: set[FeatureLevel] = set()  # at which the desc was found valid
        self.kernel: _Run | None = None
        self._desc = desc
        self._needed = memory_needed(desc)

    def _ready(self) -> _Run:
        """The kernel, got ready, and the work planned. Raises DmlvizError if there is none."""
        kernel = self._loaded = loading.load(self.name)
        folded = operator_of(self._desc).kernel_numbers(self._desc)
        numbers = folded if kernel.plan is None else kernel.plan(*folded)
        self.numbers = np.array(numbers, np.int64)
        self.shared = kernel.plan is not None and numbers[1] < numbers[0]
        self.kernel = kernel.run  # last: whoever is interrupted before begins anew
        return self.kernel

    def allocate(self) -> list[Array]:
        """New outputs. Raises ResourceError."""
        if self._needed >= SMALL:
            require_memory(self._needed, f"the output of {self.name}")
        try:
            return [empty(sizes, dtype) for sizes, dtype in self.outputs]
        except MemoryError:
            raise ResourceError(
                f"{self.name} needs {bytes_text(self._needed)}, which the system didn't give."
            ) from None

    def outputs_for(self, inputs: Sequence[Array]) -> list[Array]:
        """New outputs for inputs of the desc's types and element counts, of any sizes. Raises ResourceError."""
        for array in inputs:
            if not array.flags.c_contiguous:
                inputs = [ascontiguousarray(array) for array in inputs]
                break
        outputs = self.allocate()
        self.call((*outputs, *inputs))
        return outputs

    def call(self, arrays: tuple[Array, ...]) -> None:
        """Runs the kernel on C-contiguous arrays that fit: the outputs, then the inputs."""
        kernel = self.kernel or self._ready()
        if self.shared:
            thread_pool.share(self._loaded, arrays, self.numbers)
        else:
            kernel(arrays, self.numbers, 0)


def plan_of(desc: Desc, feature_level: FeatureLevel | str = NEWEST) -> Plan:
    """The plan of `desc`, which it keeps. Raises InvalidDescError where it has an error at that level."""
    require_desc(desc)
    level = FeatureLevel.of(feature_level)
    plan: Plan | None = desc.__dict__.get("_plan")
    if plan is None or level not in plan.levels:
        _require_valid(desc, level)
        plan = desc.__dict__.setdefault("_plan", plan or Plan(desc))
        plan.levels.add(level)
    return plan


def _require_valid(desc: Desc, level: FeatureLevel) -> None:
    op = operator_of(desc)
    errors = [c for c in evaluate(op, desc, level).checks if not c.ok and c.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        # Which sentences have one cause is only known by their fixes, which may take seconds to find.
        alike = Cause(tuple(c for c in errors if (c.id, c.words) == (first.id, first.words)))
        others = len({c.id for c in errors}) - 1
        more = f" (and {others} more)" if others else ""
        message = alike.message.removesuffix(".")
        raise InvalidDescError(f"{message}{more}.", lambda: checking.check(desc, None, level))


class Bound:
    """A desc with its arrays: calling it runs the kernel on them and returns `outputs`, the same arrays every time."""

    def __init__(self, desc: Desc, plan: Plan, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        self.desc = desc
        self.name = plan.name
        self.inputs = [ascontiguousarray(array) for array in inputs]
        self.outputs = list(outputs)
        self._plan = plan
        self._arrays = (*self.outputs, *self.inputs)
        self._written = [(part.path, array) for part, array in zip(desc.outputs, outputs, strict=True)]

    def __call__(self) -> list[Array]:
        for path, array in self._written:
            if not array.flags.writeable:  # since it was bound
                require_writable(array, path)
        plan = self._plan
        if plan.kernel is None or plan.shared:
            plan.call(self._arrays)
        else:
            plan.kernel(self._arrays, plan.numbers, 0)
        return self.outputs


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


def _are_free(out: Sequence[Array], inputs: Sequence[Array]) -> bool:
    """True if `check_outputs`, which takes longer, has nothing to say of arrays that are just as wanted.

    Arrays lie apart if each owns its memory, or is a view of one that does, and no two of these are the same.
    """
    owners: list[Any] = []
    owner: Any
    for array in inputs:
        owner = array if (base := array.base) is None else base
        if type(owner) is not ndarray or not owner.flags.owndata:
            return False
        owners.append(owner)
    for array in out:
        owner = array if (base := array.base) is None else base
        if type(owner) is not ndarray or not owner.flags.owndata or not array.flags.writeable:
            return False
        for other in owners:
            if other is owner:
                return False
        owners.append(owner)
    return True


def memory_needed(desc: Desc) -> int:
    """Bytes of the outputs of a valid desc."""
    return sum(part.tensor.byte_count for part in desc.outputs)


def require_room(desc: Desc, values: Sequence[Values]) -> None:
    """Raises ResourceError where the arrays of `values` and the outputs don't fit in memory together."""
    allocated = sum(source.tensor.byte_count for source in values if not isinstance(source, Stored))
    require_memory(allocated + memory_needed(desc), f"running {operator_of(desc).name}")


def inputs_of(desc: Desc, values: Sequence[Values]) -> list[Array]:
    """`values` of each input as arrays. Raises ResourceError first where they and the outputs need too much memory."""
    require_room(desc, values)
    return [source.array() for source in values]
