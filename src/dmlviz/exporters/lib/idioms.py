"""Idioms: how another library says an operator. They are optional; a target without one refuses in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...desc.base import Desc
from ...errors import DmlvizError, quote
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.registry import operator_of, operators
from ...operators.reverse_subsequences import ReverseSubsequences


def knows(idioms: Any, desc: type[Desc]) -> bool:
    """True if an idiom is registered for descs of that class, in a function of `functools.singledispatch`."""
    return idioms.dispatch(desc) is not idioms.dispatch(Desc)


def no_idiom(experiment: str, desc: Desc, library: str, idioms: Any) -> DmlvizError:
    """What is raised for an experiment whose operator `library` has no idiom for."""
    known = ", ".join(operator.name for operator in operators().values() if knows(idioms, operator.desc))
    return DmlvizError(
        f"experiment {quote(experiment)}: {operator_of(desc).name} has no {library} idiom, expected one of {known}."
    )


# ---- what those in Python share ---------------------------------------------------------------------------------


def arguments(sizes: Sequence[int]) -> str:
    """Sizes as a call takes them: `3, 2`."""
    return ", ".join(map(str, sizes))


def along(desc: ReverseSubsequences) -> str:
    """The call that shapes positions along Axis for broadcasting: `.reshape(1, 4, 1)`; empty for one dimension."""
    sizes = desc.input_tensor.sizes
    spread = [n if axis == desc.axis else 1 for axis, n in enumerate(sizes)]
    return "" if len(sizes) == 1 else f".reshape({arguments(spread)})"


def outside_text(desc: Gather | GatherElements, clamped: int) -> str:
    """What becomes of indices outside, where there are some and where there are none."""
    n, indices = desc.input_tensor.sizes[desc.axis], desc.indices_tensor
    low = -n if indices.data_type.is_signed else 0
    here = f"{clamped:,} of {indices.element_count:,} here, which dmlviz clamps" if clamped else "none here"
    return f"Of an index outside [{low}, {n}) DirectML promises no value: {here}."


def slices_text(sizes: Sequence[int], slices: Sequence[slice]) -> str:
    """An index into an array of these sizes: `3::-2, 1:5`."""
    texts = []
    for n, cut in zip(sizes, slices, strict=True):
        start = cut.start if cut.start or cut.step < 0 else ""  # backwards, none is the last element
        stop = "" if cut.stop in (None, n) else cut.stop
        texts.append(f"{start}:{stop}{f':{cut.step}' if cut.step != 1 else ''}")
    return ", ".join(texts)
