"""JSON as dmlviz reads it: numbers that no float holds, and many keys."""

from __future__ import annotations

import json

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


def test_what_is_laid_out_holds_the_same_in_lines_of_at_most_so_many_characters() -> None:
    tree = {"name": "x" * 40, "lists": [[*range(40)], [*range(1000, 1100)], []], "more": {"a": {}, "b": [{"c": 1.5}]}}
    for in_rows in (False, True):
        text = json_text.laid_out(tree, in_rows=in_rows)
        assert json.loads(text) == tree
        assert max(map(len, text.splitlines())) <= json_text.WIDE
    rows = [line for line in text.splitlines() if line.strip()[:1] == "1"]
    assert min(map(len, rows[:-1])) > json_text.WIDE - 8, "as many numbers in a line as it has room for"
