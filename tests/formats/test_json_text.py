"""JSON as dmlviz reads it: numbers that no float holds, and many keys."""

from __future__ import annotations

import pytest

import dmlviz as dml
from dmlviz.errors import quote
from dmlviz.formats import json_text


def test_numbers_that_no_float_holds_are_quoted_as_they_were_written() -> None:
    assert quote(json_text.parse_json("-1.5e999")) == "-1.5e999"
    assert quote(json_text.parse_json("1" * 50_000)) == "11111111111111111111… (50,000 digits)"


def test_many_keys_are_looked_through_quickly() -> None:
    keys = ", ".join(f'"k{i}": 0' for i in range(100_000))
    with pytest.raises(dml.DmlvizError, match=r'^the key "k99999" stands twice'):
        json_text.parse_json(f'{{{keys}, "k99999": 1}}')
