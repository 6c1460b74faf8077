"""What a field may hold instead of what it holds, as questions, levels and follow-ups vary it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dmlviz.desc.fields import FLOAT, INT, UINT, Choice, EnumField, Field, FloatField, NumbersField

MODE = EnumField("Mode", "DML_MODE", (Choice("CONSTANT", 0), Choice("EDGE", 1), Choice("SYMMETRIC", 2)))
HELD: tuple[tuple[Field, Any], ...] = (
    (Field("Axis", is_axis=True), 1),
    (Field("IndexDimensions"), 2),
    (NumbersField("Repeats", per_axis=True, neutral=1), (1, 2, 3)),
    (NumbersField("Strides", per_axis=True, neutral=1, signed=True), (1, -2)),
    (NumbersField("Offsets", per_axis=True, neutral=0), ()),
    (MODE, "EDGE"),
    (MODE, 7),
    (FloatField("Value"), 0.5),
)


@pytest.mark.parametrize(("field", "held"), HELD, ids=lambda each: getattr(each, "name", str(each)))
def test_whatever_a_field_is_varied_to_it_may_hold(field: Field, held: Any) -> None:
    varied = [*field.exchanged(held, lambda number: (number + 1, number - 1)), *field.nearby(held, 3)]
    varied += field.exchanged(held, field.small(3, 3))
    assert all(field.checked(other) == other for other in varied)
    assert bool(varied) is (held != () and field.example != FloatField.example)
    changed = list(field.exchanged(held, lambda number: (number + 1,)))
    if field.choices():
        assert set(changed) == {choice.name for choice in field.choices()} - {held}
    elif field.is_list:
        assert len(changed) == len(held)  # one number at a time


def test_what_a_slip_may_have_meant_is_the_nearest_first() -> None:
    assert list(Field("Axis").nearby(3, 5)) == [2, 4, 1, 5, 0]
    assert list(MODE.nearby("EDGE", 5)) == ["CONSTANT", "SYMMETRIC"]
    assert not list(NumbersField("Repeats", per_axis=True, neutral=1).nearby((1, 2), 5))


def test_bounds_hold_whole_numbers_of_32_bits_and_what_no_float_rounds_to_infinity() -> None:
    for bounds, low, high in ((UINT, 0, 2**32 - 1), (INT, -(2**31), 2**31 - 1)):
        assert all(map(bounds.holds, (low, 7, high)))
        assert not any(map(bounds.holds, (low - 1, 1.5, high + 1)))
    most = float(np.finfo(np.float32).max)
    found = [FLOAT.holds(number) for number in (most, -most, most * (1 + 2**-25), np.nextafter(2.0**128, 0), math.inf)]
    assert found == [True, True, True, False, True]
