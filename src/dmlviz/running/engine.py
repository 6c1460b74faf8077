"""Running a desc: check it, fold it, allocate, call the Numba kernel of the same name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import empty, ndarray

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Array, Stored, Values
from ..errors import DmlvizError, InvalidDescError, ResourceError, quote
from ..kernels.lib import loading, thread_pool
from ..operators import checking
from ..operators.evaluation import evaluate
from ..operators.registry import operator_of
from ..operators.report import Severity
from . import buffers
from .array_checks import Given, check_arrays, check_outputs
from .memory import bytes_text, require_memory, require_memory_lately

SMALL = 1 << 20
"""Bytes of outputs that are allocated without asking whether there are as many."""


def run(
    desc: Desc, arrays: Sequence[Given], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
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
        held = check_arrays(desc.inputs, arrays)
        outputs = check_outputs(desc, held, out)
        inputs = _ready_inputs(plan, held)
    plan.call((*outputs, *inputs))
    return outputs


def bind(
    desc: Desc, arrays: Sequence[Given], out: Sequence[Array] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> Bound:
    """What `run` does, checked and folded once, to be called many times. Raises as `run` does.

    Each call reads the inputs as they are then and writes the same outputs again; an input that is not C-contiguous is
    copied here, once.
    """
    plan = _planned(desc, feature_level)
    inputs = check_arrays(desc.inputs, arrays)
    outputs = _allocate(plan) if out is None else check_outputs(desc, inputs, out)
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

    __slots__ = ("desc", "inputs", "kernel", "loaded", "name", "needed", "numbers", "outputs", "pooled", "shared")

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
            kernel = self.loaded = loading.load(self.name)
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
            thread_pool.share(self.loaded, arrays, self.numbers)
        else:
            kernel(arrays, self.numbers, 0)


def _planned(desc: Desc, feature_level: FeatureLevel | str) -> _Plan:
    """The plan of `desc`, which it keeps. Raises InvalidDescError where it has an error at that level."""
    require_desc(desc)
    kept: tuple[FeatureLevel, _Plan] | None = desc.__dict__.get("_plan")
    if kept is not None and kept[0] is feature_level:
        return kept[1]
    level = FeatureLevel.of(feature_level)
    if kept is None or kept[0] is not level:
        _require_valid(desc, level)
        kept = level, kept[1] if kept is not None else _Plan(desc)
        desc.__dict__["_plan"] = kept  # of the level that was asked for last
    return kept[1]


def _require_valid(desc: Desc, level: FeatureLevel) -> None:
    operator = operator_of(desc)
    errors = [c for c in evaluate(operator, desc, level).checks if not c.ok and c.severity is Severity.ERROR]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        message = errors[0].message.removesuffix(".")
        raise InvalidDescError(f"{message}{more}.", lambda: checking.check(desc, None, level))


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


def _ready_inputs(plan: _Plan, arrays: Sequence[Given]) -> Sequence[Array]:
    """`arrays`, held against the plan's inputs and C-contiguous. Raises ValuesError as `check_arrays` does."""
    if (type(arrays) is list or type(arrays) is tuple) and len(arrays) == len(plan.inputs):
        # No comparison is made twice: this is most of what a small call costs.
        for array, (dtype, sizes) in zip(arrays, plan.inputs):  # noqa: B905
            if type(array) is not ndarray or array.dtype is not dtype or array.shape != sizes:
                break
            if not array.flags.c_contiguous:
                break
        else:
            return arrays  # nothing to say and nothing to copy, which is what most calls come to
    return [np.ascontiguousarray(array) for array in check_arrays(plan.desc.inputs, arrays)]


def memory_needed(desc: Desc) -> int:
    """Bytes of the outputs of a valid desc."""
    return sum(part.tensor.byte_count for part in desc.outputs)


def _allocate(plan: _Plan) -> list[Array]:
    if plan.needed < SMALL:
        return [empty(sizes, dtype) for sizes, dtype in plan.outputs]
    require_memory_lately(plan.needed, f"the output of {plan.name}")
    try:
        return [buffers.empty(sizes, dtype) for sizes, dtype in plan.outputs]
    except MemoryError:
        raise _out_of_memory(plan.desc) from None


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
