"""What a tensor desc says besides DataType and Sizes: kept where it says something, left out where it is implied."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlviz as dml

SIZES = st.lists(st.integers(1, 5), max_size=5)
MEMBERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "dimension_count": st.integers(-1, 7),
        "strides": st.lists(st.integers(0, 30), max_size=6),
        "total_tensor_size_in_bytes": st.integers(0, 200),
        "flags": st.sampled_from(["DML_TENSOR_FLAG_NONE", "DML_TENSOR_FLAG_OWNED_BY_DML", "NONE", ""]),
        "guaranteed_base_offset_alignment": st.sampled_from([0, 16]),
    },
)


@given(SIZES, MEMBERS)
def test_a_tensor_is_made_again_of_what_it_says(sizes: list[int], members: dict[str, Any]) -> None:
    tensor = dml.TensorDesc("FLOAT16", sizes, **members)
    again = [
        pickle.loads(pickle.dumps(tensor)),
        copy.deepcopy(tensor),
        eval(repr(tensor), {"TensorDesc": dml.TensorDesc}),
        tensor.resized(tensor.sizes),
        tensor.changed(data_type="FLOAT16"),
    ]
    assert all(each == tensor and hash(each) == hash(tensor) for each in again)
    assert tensor.listed_sizes == tuple(sizes)
    inferred = dml.Tile(tensor, [1] * tensor.dimension_count).output_tensor
    assert inferred is None or (inferred.sizes, inferred.given) == (tensor.sizes, frozenset())


@given(SIZES)
def test_what_is_implied_says_nothing(sizes: list[int]) -> None:
    plain = dml.TensorDesc("INT8", sizes)
    strides = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
    told = dml.TensorDesc(
        "INT8",
        sizes,
        dimension_count=len(sizes),
        strides=strides,
        total_tensor_size_in_bytes=-(-plain.byte_count // 4) * 4,
        flags="DML_TENSOR_FLAG_NONE",
        guaranteed_base_offset_alignment=0,
    )
    assert told == plain
    assert not told.members
    assert {"DimensionCount", "TotalTensorSizeInBytes"} <= told.given  # held against the rules all the same


def test_the_first_sizes_count() -> None:
    tensor = dml.TensorDesc("FLOAT32", (2, 3, 4), dimension_count=2)
    assert (tensor.sizes, tensor.listed_sizes, tensor.dimension_count) == ((2, 3), (2, 3, 4), 2)
    assert tensor.resized((5, 3)).listed_sizes == (5, 3, 4)
    assert tensor.resized((5, 3, 1)).listed_sizes == (5, 3, 1)  # another number of them: all count
    assert tensor.changed(dimension_count=None).sizes == (2, 3, 4)
    missing = dml.TensorDesc("FLOAT32", (2, 3), dimension_count=3)
    assert missing.sizes == (2, 3)
    assert missing.resized((2, 3, 1)) == dml.TensorDesc("FLOAT32", (2, 3, 1))


def test_sizes_are_integers_of_64_bits_and_flags_are_names() -> None:
    made = dml.TensorDesc("INT8", np.array([2, 3], np.int32))
    assert (made.sizes, [type(size) for size in made.sizes]) == ((2, 3), [int, int])
    assert dml.TensorDesc("INT8", (2**64 - 1, -(2**63))).sizes == (2**64 - 1, -(2**63))
    wrong: tuple[Any, ...] = ((2**64,), (-(2**63) - 1,), (2, True), (2.0,), "2", {2}, 5)
    for sizes in wrong:
        with pytest.raises(dml.DmlvizError, match=r"^Sizes.*, expected (a list of integers|an integer)"):
            dml.TensorDesc("INT8", sizes)
    named: tuple[Any, ...] = ([5], "two words", ["NONE", "x!"])
    for flags in named:
        with pytest.raises(dml.DmlvizError, match=r"^Flags is .*, expected names such as"):
            dml.TensorDesc("INT8", (2,), flags=flags)
