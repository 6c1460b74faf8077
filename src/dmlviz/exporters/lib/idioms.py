"""Idioms: how another library says an operator. They are optional; a target without one refuses in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import DmlvizError, quote
from ...operators.registry import operator_of, operators
from ...operators.reverse_subsequences import ReverseSubsequences
from ...session.experiments import Experiment


def idiom(idioms: object, library: str, one: Experiment) -> Callable[..., Any]:
    """The method of `idioms` that is called after an operator, `say_gather`. Raises DmlvizError where there is none."""
    name = operator_of(one.desc).name
    method: Callable[..., Any] | None = getattr(idioms, f"say_{name.lower()}", None)
    if method is None:
        known = ", ".join(each.name for each in operators().values() if hasattr(idioms, f"say_{each.name.lower()}"))
        about = f"experiment {quote(one.name)}: {name}"
        raise DmlvizError(f"{about} has no {library} idiom, expected one of {known}.")
    return method


def arguments(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def along(desc: ReverseSubsequences) -> str:
    """The call that shapes positions along Axis for broadcasting: `.reshape(1, 4, 1)`; empty for one dimension."""
    sizes = desc.input_tensor.sizes
    spread = [n if axis == desc.axis else 1 for axis, n in enumerate(sizes)]
    return "" if len(sizes) == 1 else f".reshape({arguments(spread)})"


def slices_text(sizes: Sequence[int], slices: Sequence[slice]) -> str:
    """An index into an array of these sizes: `3::-2, 1:5`."""
    texts = []
    for n, cut in zip(sizes, slices, strict=True):
        start = cut.start if cut.start or cut.step < 0 else ""  # backwards, none is the last element
        stop = "" if cut.stop in (None, n) else cut.stop
        texts.append(f"{start}:{stop}{f':{cut.step}' if cut.step != 1 else ''}")
    return ", ".join(texts)
