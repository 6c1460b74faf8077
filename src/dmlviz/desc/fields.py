"""The fields of an operator's struct, under DirectML's names."""

from __future__ import annotations

import enum
import re
from functools import cache

from msgspec import Struct

from .support import Support


class Role(enum.StrEnum):
    """What an operator does with a tensor."""

    DATA = "data"
    INDICES = "indices"
    LENGTHS = "lengths"
    OUTPUT = "output"


class TensorField(Struct, frozen=True):
    """A `DML_TENSOR_DESC` field; an array of them where `many`."""

    name: str
    role: Role
    support: Support
    many: bool = False
    about: str = ""
    """What it is, in one sentence for a newcomer; empty for what follows from its kind."""


UINT_RANGE, INT_RANGE = (0, 2**32 - 1), (-(2**31), 2**31 - 1)
"""The least and the largest number of C's UINT and INT."""


class NumberField(Struct, frozen=True):
    """A UINT field; an INT field where `signed`."""

    name: str
    is_axis: bool = False
    signed: bool = False
    about: str = ""
    """What it is, in one sentence for a newcomer; empty for what follows from its kind."""


class NumbersField(Struct, frozen=True):
    """A UINT array; an INT array where `signed`."""

    name: str
    per_axis: bool = False
    """True where there is one entry for each axis."""
    signed: bool = False
    neutral: int | None = None
    """The entry of an axis of size 1 that is put in front: 1 of repeats, 0 of offsets; None where there is no such.

    Without it no fix can lengthen the array as dimensions are added.
    """
    axes_of: str = ""
    """The tensor field whose axes are lit with a broken entry; empty for the operator's anchor."""
    about: str = ""
    """What it is, in one sentence for a newcomer; empty for what follows from its kind."""


class CountField(Struct, frozen=True):
    """A UINT field that says how long the array `of` is, or each of several; it follows the first unless given."""

    name: str
    of: str | tuple[str, ...]
    """The field or fields that it counts the entries of."""
    about: str = ""
    """What it is, in one sentence for a newcomer; empty for what follows from its kind."""

    @property
    def arrays(self) -> tuple[str, ...]:
        """The names of the fields that it governs."""
        return (self.of,) if isinstance(self.of, str) else self.of


Field = TensorField | NumberField | NumbersField | CountField


def number_range(field: NumberField | NumbersField | CountField) -> tuple[int, int]:
    """The least and the largest number that a field's C type holds."""
    return INT_RANGE if not isinstance(field, CountField) and field.signed else UINT_RANGE


@cache
def snake(name: str) -> str:
    """DirectML's field name as Python spells it: `InputTensors` to `input_tensors`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
