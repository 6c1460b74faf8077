"""JSON as dmlviz reads it: numbers that no float holds, and many keys."""

from __future__ import annotations

import pytest

import dmlviz as dml
from dmlviz.formats import json_text

KEYS = ", ".join(f'"k{i}": 0' for i in range(1000))
FLOAT = 'expected a number that FLOAT64 holds, or "nan", "inf" or "-inf".'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, -1.5e999]", f"found -1.5e999, {FLOAT}"),
        ("NaN", f"found NaN, {FLOAT}"),
        (f'{{{KEYS}, "k999": 1}}', 'the key "k999" appears twice in one object, expected once.'),
        ("1" * 50_000, f"found {'1' * 39}…, expected an integer of 64 bits."),
        ("-" + "9" * 39, f"found -{'9' * 39}, expected an integer of 64 bits."),
    ],
)
def test_numbers_that_nothing_holds_are_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(dml.DmlvizError) as raised:
        json_text.parse_json(text)
    assert str(raised.value) == said
