"""The fields of an operator's struct, under DirectML's names."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cache

from .support import Support


class Role(enum.StrEnum):
    """What an operator does with a tensor."""

    DATA = "data"
    INDICES = "indices"
    LENGTHS = "lengths"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class TensorField:
    """A `DML_TENSOR_DESC` field; an array of them where `many`."""

    name: str
    role: Role
    support: Support
    many: bool = False


@dataclass(frozen=True, slots=True)
class NumberField:
    """A UINT field."""

    name: str
    is_axis: bool = False


@dataclass(frozen=True, slots=True)
class NumbersField:
    """A UINT array; one entry an axis where `per_axis`."""

    name: str
    per_axis: bool = False


@dataclass(frozen=True, slots=True)
class CountField:
    """A UINT field that says how long the array `of` is; it follows the array unless given."""

    name: str
    of: str


Field = TensorField | NumberField | NumbersField | CountField


@cache
def snake(name: str) -> str:
    """DirectML's field name as Python spells it: `InputTensors` to `input_tensors`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
