"""Lists of values: what is converted at once is what is converted one by one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Npy, ValueSource, Wired, convert, dump_source, fill_from, parse_source
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.errors import ValuesError

EDGES = [2**53, 2**53 + 1, 2**63, 2**64 - 1, 10**400, 65504, 65519.99, 65520, 3.4028235e38, 5e-324, -0.0]
ITEMS = st.one_of(
    st.integers(-300, 300),
    st.integers(-(2**65), 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*EDGES, *(-each for each in EDGES), "nan", "inf", True]),
)
SMALL = st.one_of(st.lists(st.integers(-300, 300), min_size=1, max_size=9), st.lists(ITEMS, min_size=1, max_size=4))


def filled(items: tuple[Any, ...], kind: str, sizes: tuple[int, ...]) -> bytes:
    source = Listed(items, (len(items),))
    return fill_from(source, dml.TensorDesc(kind, sizes), Iota(), "X", None, None).array().tobytes()


@tried(500)
@given(SMALL, st.sampled_from(list(dml.DataType)))
def test_a_list_is_converted_at_once_as_one_by_one(items: list[Any], kind: dml.DataType) -> None:
    try:
        want = np.array([convert(item, kind, "X[0]") for item in items], kind.dtype).tobytes()
    except ValuesError:
        with pytest.raises(ValuesError, match=r"^X\[\d\] is .*, expected a"):
            filled(tuple(items), kind.name, (len(items),))
    else:
        assert filled(tuple(items), kind.name, (len(items),)) == want


@pytest.mark.parametrize("bad", [300, -1, 1.5, True, "nan"])
def test_one_value_that_does_not_fit_is_named_among_many(bad: Any) -> None:
    with pytest.raises(ValuesError, match=r"^X\[10,0\] is "):
        filled((*range(100), bad, *range(19)), "UINT8", (12, 10))


FILLS = (Iota(5, -2), Constant(7), Random(3))
SOURCES = (*FILLS, Listed((1, 2.5, "nan", 4), (2, 2)), Npy("x.npy"), Wired("a", "OutputTensor"), Wired("a"))


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_a_source_is_read_back_as_it_was_written(source: ValueSource) -> None:
    written = json.loads(json.dumps(dump_source(source)))
    assert parse_source(written, "X") == source
    wrong = {**written, "seeds": 1} if isinstance(written, dict) else [*written, 1]
    with pytest.raises(ValuesError, match=r"^X.*expected "):
        parse_source(wrong, "X")


def test_floats_are_floats_and_integers_integers() -> None:
    assert [type(convert(3, kind, "X")) for kind in (dml.DataType.FLOAT16, dml.DataType.INT64)] == [float, int]
