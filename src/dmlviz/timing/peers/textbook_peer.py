"""The textbook loop beside each kernel, as a peer: plain Numba, on one thread; see `kernels.lib.textbook`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...desc.base import Desc
from ...desc.values import Array
from ...kernels.lib import loading, textbook
from ...operators.registry import operator_of
from ...version import __version__
from .ways import CannotExpressError, Way


def version() -> str:
    """Ours; the loops come with the kernels. Raises ImportError where Numba isn't installed."""
    loading.import_numba()
    return __version__


def ways(desc: Desc, arrays: Sequence[Array], outs: Sequence[Array] | None) -> list[Way]:
    """`loop`, compiled by now, or loaded from the cache. Raises DmlvizError where Numba doesn't compile it."""
    operator = operator_of(desc)
    folded = operator.kernel_numbers(desc)
    found = textbook.bind(operator.name, folded, outs if outs is not None else _empty(desc), arrays)
    if found is None:
        raise CannotExpressError("has no loop")
    if outs is not None:

        def outputs() -> Sequence[Array]:
            found()
            return outs

        return [Way("loop", found, outputs)]

    def fresh() -> Sequence[Array]:
        made = _empty(desc)
        call = textbook.bind(operator.name, folded, made, arrays)
        assert call is not None
        call()
        return made

    return [Way("loop", fresh, fresh)]


def _empty(desc: Desc) -> list[Array]:
    return [np.empty(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.outputs]
