"""Choices and floats in C++, as people write them: by a toy that has a field of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.outside import installed

import dmlviz as dml
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import ImportFailedError
from dmlviz.operators.registry import operator_of

STRUCTS = """
UINT sizes[] = {1, 1, 2, 4};
DML_BUFFER_TENSOR_DESC buffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, nullptr, 32, 0};
DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
"""
FILLED = """
DML_TURN_OPERATOR_DESC desc = {};
desc.InputTensor = &tensor;
desc.OutputTensor = &tensor;
"""


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    with installed(Path(__file__).parents[1] / "operator_kit" / "toys"):
        yield


def read(text: str) -> Any:
    (experiment,) = importing.read((STRUCTS + text).encode(), "it.cpp").experiments
    return experiment.desc


@pytest.mark.parametrize(
    ("written", "mode"),
    [
        ("desc.Mode = DML_TURN_MODE_REVERSE;", "REVERSE"),
        ("desc.Mode = static_cast<DML_TURN_MODE>(1);", "REVERSE"),
        ("desc.Mode = (DML_TURN_MODE)2;", "ROTATE"),
        ("desc.Mode = DML_TURN_MODE(9);", 9),
        ("const DML_TURN_MODE mode = DML_TURN_MODE_ROTATE; desc.Mode = mode;", "ROTATE"),
        ("DML_TURN_MODE mode{}; desc.Mode = mode;", "KEEP"),
        ("#define MODE DML_TURN_MODE_REVERSE\ndesc.Mode = MODE;", "REVERSE"),
        ("", "KEEP"),
    ],
)
def test_a_choice_is_read_by_its_name_or_number(written: str, mode: object) -> None:
    assert read(FILLED + written).mode == mode


@pytest.mark.parametrize(
    ("written", "ratio"),
    [
        *(("0.5f", 0.5), (".25F", 0.25), ("1.", 1.0), ("-1e-3f", -0.001), ("2", 2.0), ("1'0.5", 10.5), ("0.1", 0.1)),
        *(("-INFINITY", -math.inf), ("float{3}", 3.0), ("static_cast<FLOAT>(7)", 7.0)),
    ],
)
def test_a_float_is_read(written: str, ratio: float) -> None:
    assert read(f"{FILLED} desc.Ratio = {written};").ratio == ratio
    assert read(f"const float ratio = {written};{FILLED} desc.Ratio = ratio;").ratio == ratio


def test_a_whole_struct_is_read_from_braces() -> None:
    given = "&tensor, &tensor, DML_TURN_MODE_ROTATE, 0.5f, 2.5f"
    desc = read(f"DML_TURN_OPERATOR_DESC desc = {{{given}}};")
    assert (desc.mode, desc.ratio, desc.value) == ("ROTATE", 0.5, 2.5)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("desc.Mode = DML_TURN_MODE_TWICE;", 'Mode is "DML_TURN_MODE_TWICE", expected one of KEEP, REVERSE, ROTATE'),
        ("desc.Mode = choose();", "line 9 calls choose()"),
        ("desc.Ratio = 1.0f / 3;", "line 9 gives 1.0f / 3, expected what stands in the text"),
        ("if (x) desc.Value = 2;", "line 9 sets Value under a condition"),
        ("desc.Value = other;", "Value is other, expected what stands in the text"),
    ],
)
def test_what_is_not_known_is_said(written: str, why: str) -> None:
    with pytest.raises(ImportFailedError) as error:
        read(f"{FILLED}{written}")
    assert why in str(error.value)


def test_a_model_of_dxdispatch_has_choices_and_floats() -> None:
    tensor = '{"DataType": "FLOAT32", "Sizes": [2, 4]}'
    model = (
        '{"dispatchables": {"a": {"type": "DML_OPERATOR_TURN", "desc": {"InputTensor": T, "OutputTensor": T, "Mode": '
        '"DML_TURN_MODE_EDGE", "Ratio": "-Inf", "Value": 0.25}}}}'
    ).replace("T,", f"{tensor},")
    (found,) = importing.read(model.replace("MODE_EDGE", "MODE_ROTATE").encode(), "it.json").experiments
    desc: Any = found.desc
    assert (desc.mode, desc.ratio, desc.value) == ("ROTATE", -math.inf, 0.25)
    with pytest.raises(ImportFailedError, match='Mode is "DML_TURN_MODE_EDGE", expected one of KEEP'):
        importing.read(model.encode(), "it.json")


def test_a_call_of_directmlx_has_choices_and_floats() -> None:
    text = """
    auto input = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, 2, 4}));
    auto output = dml::Turn(input, DML_TURN_MODE_REVERSE, 0.5f, 1.5f);
    """
    (found,) = importing.read(text.encode(), "it.cpp").experiments
    desc = operator_of("DML_OPERATOR_TURN").desc
    assert found.desc == desc(dml.TensorDesc("FLOAT32", (1, 1, 2, 4)), "REVERSE", 0.5, 1.5)
