"""Lists of values: what is converted at once is what is converted one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, _at_once, convert, fill_from
from dmlviz.desc.values import Iota
from dmlviz.errors import ValuesError

EDGES = [2**53, 2**53 + 1, 2**63, 2**64 - 1, 10**400, 65504, 65519.99, 65520, 3.4028235e38, 5e-324, -0.0]
ITEMS = st.one_of(
    st.integers(-300, 300),
    st.integers(-(2**65), 2**65),
    st.floats(),
    st.sampled_from([*EDGES, *(-each for each in EDGES), "nan", "inf", True]),
)


def one_by_one(items: list[Any], data_type: dml.DataType) -> np.ndarray[Any, Any] | None:
    made = np.empty(len(items), data_type.dtype)
    try:
        for i, item in enumerate(items):
            made[i] = convert(item, data_type, "")
    except ValuesError:
        return None
    return made


@tried(500)
@given(
    items=st.one_of(
        st.lists(ITEMS, min_size=1, max_size=4),
        st.lists(st.integers(-300, 300), min_size=1, max_size=9),
        st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9),
    ),
    data_type=st.sampled_from(list(dml.DataType)),
)
def test_a_list_is_converted_at_once_as_one_by_one(items: list[Any], data_type: dml.DataType) -> None:
    want, made = one_by_one(items, data_type), _at_once(tuple(items), data_type)
    if made is not None:
        assert want is not None
        assert made.dtype == want.dtype
        assert made.tobytes() == want.tobytes()
    elif want is not None:  # only what is rare goes the long way
        assert any(isinstance(item, str) or abs(item) > 2**53 or not math.isfinite(item) for item in items)


@pytest.mark.parametrize("bad", [300, -1, 1.5, True, "nan"])
def test_one_value_that_does_not_fit_is_named_among_many(bad: Any) -> None:
    items = (*range(100), bad, *range(19))
    with pytest.raises(ValuesError, match=r"^InputTensor\[10,0\] is "):
        fill_from(Listed(items, (120,)), dml.TensorDesc("UINT8", (12, 10)), Iota(), "InputTensor", None, None)
