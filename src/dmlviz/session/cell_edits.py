"""Edits of an experiment that are more than putting one field in another's place."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from typing import Any

import numpy as np

from ..desc.indexing import unravel
from ..desc.tensors import DataType, brackets
from ..desc.value_sources import MOST_FITTED, Listed, convert
from ..desc.values import SPECIAL, Array
from ..errors import ValuesError
from .experiments import Experiment

_INTEGER = re.compile(r"[+-]?[0-9]+")
_LONGEST = 400


def require_typable(one: Experiment, path: str) -> None:
    """Raises ValuesError, with a sentence, where the input `path` has too many elements to be typed one by one."""
    count = next(p.tensor for p in one.desc.inputs if p.path == path).element_count
    if count > MOST_FITTED:
        raise ValuesError(
            f"{path} has {count:,} elements: values of up to {MOST_FITTED:,} can be typed; "
            f"give a fill or an .npy file instead."
        )


def with_value(one: Experiment, path: str, flat: int, text: str) -> Experiment:
    """With element `flat`, row-major, changed to what `text` says; other fills become lists. Raises ValuesError."""
    require_typable(one, path)
    number = next(k for k, p in enumerate(one.desc.inputs) if p.path == path)
    tensor = one.desc.inputs[number].tensor
    where = path + brackets(int(i[0]) for i in unravel(np.array([flat], np.int64), tensor.sizes))
    value = typed(text, tensor.data_type, where)
    source = one.values.get(path)
    if isinstance(source, Listed) and source.shape in (tensor.sizes, (tensor.element_count,)):
        items = list(source.items)
        shape = source.shape
    else:
        values = one.sources_or_defaults()[0][number]
        items = listed(values.read(np.arange(tensor.element_count, dtype=np.int64)))
        shape = tensor.sizes
    items[flat] = value
    return replace(one, values={**one.values, path: Listed(tuple(items), shape)})


def typed(text: str, kind: DataType, field: str) -> int | float | str:
    """What a person typed, as a session file holds it. Raises ValuesError where `kind` can't hold it."""
    text, shown = text.strip(), ""
    lower = text.lower().removeprefix("+")
    is_short = len(text) <= _LONGEST
    element: int | float | str = lower if lower in SPECIAL else text
    if is_short and _INTEGER.fullmatch(text) and not (kind.is_float and float(text) == 0 and text[0] == "-"):
        element = int(text)
    elif is_short and kind.is_float and re.fullmatch(r"[0-9eE+.-]+", text):
        with contextlib.suppress(ValueError):
            element = float(text)
            shown = "" if np.isfinite(element) else text  # too large for any float
    convert(element, kind, field, shown)
    return element


def listed(values: Array) -> list[int | float | str]:
    """Values as a session file lists them: floats as short as can be, whole ones without a point, NaN as text."""
    if values.dtype.kind == "f":
        return [_listed(value) for value in values]
    whole: list[int | float | str] = values.tolist()
    return whole


def _listed(value: np.floating[Any]) -> int | float | str:
    number = float(str(value))
    if not np.isfinite(number):
        return str(number)
    is_whole = number.is_integer() and abs(number) < 2**53 and not (number == 0 and np.signbit(number))
    return int(number) if is_whole else number
