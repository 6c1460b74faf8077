"""JSON as dmlviz reads it: numbers that no float holds, and many keys."""

from __future__ import annotations

import pytest

import dmlviz as dml
from dmlviz.formats import json_text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, -1.5e999]", "found -1.5e999, expected a number that FLOAT64 holds."),
        ("1" * 50_000, f"found {'1' * 39}…, expected an integer of 64 bits."),
        ("-" + "9" * 39, f"found -{'9' * 39}, expected an integer of 64 bits."),
    ],
)
def test_numbers_that_nothing_holds_are_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(dml.DmlvizError) as raised:
        json_text.parse_json(text)
    assert str(raised.value) == said


def test_many_keys_are_looked_through_quickly() -> None:
    keys = ", ".join(f'"k{i}": 0' for i in range(100_000))
    with pytest.raises(dml.DmlvizError, match=r'^the key "k99999" stands twice'):
        json_text.parse_json(f'{{{keys}, "k99999": 1}}')
