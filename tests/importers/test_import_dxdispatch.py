"""DxDispatch models as people write them: comments, every form of initial values, windows of buffers, strangers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.work import Work

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Npy, Wired
from dmlviz.desc.values import Iota
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Why
from dmlviz.session.writing import dump

HAND_WRITTEN = r"""
// Three ways to look at one vocabulary. /* not a comment inside */
{
    "resources": {
        "table, // not a comment": { "initialValuesDataType": "DML_TENSOR_DATA_TYPE_FLOAT32",
            "initialValues": { "valueCount": 12, "valueStart": 0.5, "valueDelta": 0.25, }, },
        "picks /*,]*/ \" ,}": { "initialValuesDataType": "UINT32", "initialValues": [2, 0, 0, 1,], },
        "Out": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 16, "value": 0 } }, /* a comment
           over two lines, with "quotes" and , } */
    },
    "dispatchables": {
        "lookup": {
            "type": "GATHER",
            "executionFlags": ["DISABLE_META_COMMANDS"],
            "Desc": {
                "InputTensor": { "Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {
                    "DataType": "FLOAT32", "Flags": "NONE", "DimensionCount": 2, "Sizes": [3, 4],
                    "Strides": [4, 1], "TotalTensorSizeInBytes": 48, "GuaranteedBaseOffsetAlignment": 0 } },
                "IndicesTensor": { "DataType": "UINT32", "Sizes": [1, 4], },
                "OutputTensor": { "DataType": "FLOAT32", "Sizes": [4, 4] }, // [rows, columns]
                "Axis": 0, "IndexDimensions": 1,
            },
        },
    },
    "commands": [
        { "type": "dispatch", "dispatchable": "lookup",
          "bindings": { "InputTensor": "table, // not a comment", "IndicesTensor": "picks /*,]*/ \" ,}",
                        "OutputTensor": "Out" } },
        { "type": "print", "resource": "Out" },
    ],
}
"""


def read(model: object, folder: Path | None = None) -> Imported:
    data = model.encode() if isinstance(model, str) else json.dumps(model).encode()
    return importing.read(data, "model.json", folder)


def left(found: Imported) -> dict[str, str]:
    """What was not taken, and why."""
    return {each.where: each.text for each in found.remarks if not each.taken}


def test_a_model_written_by_hand() -> None:
    found = read(HAND_WRITTEN)
    (one,) = found.experiments
    assert (one.name, one.desc.TYPE, one.feature_level) == ("lookup", "DML_OPERATOR_GATHER", dml.FeatureLevel("6_4"))
    assert one.check().ok
    assert one.values["InputTensor"] == Iota(0.5, 0.25)
    assert one.values["IndicesTensor"] == Listed((2, 0, 0, 1), (1, 4))
    assert not left(found)
    (taken,) = [each.text for each in found.remarks if each.taken]
    assert taken == "DML_OPERATOR_GATHER is experiment 1, at feature level 6_4, the newest, as none is given."


def model(resources: object, *, desc: object = None, bindings: object = None, **more: Any) -> dict[str, Any]:
    """A model of one TILE of six elements, with whatever is to be told about it."""
    return {
        "resources": resources,
        "dispatchables": {"t": {"type": "DML_OPERATOR_TILE", "desc": desc or tile(), **more}},
        "commands": [{"type": "dispatch", "dispatchable": "t", "bindings": bindings or {"InputTensor": "A"}}],
    }


def tile(kind: str = "FLOAT32", sizes: tuple[int, ...] = (2, 3), **more: Any) -> dict[str, Any]:
    tensor = {"DataType": kind, "Sizes": list(sizes)}
    return {"InputTensor": {**tensor, **more}, "OutputTensor": tensor, "RepeatsCount": 2, "Repeats": [1, 1]}


def floats(*items: Any) -> dict[str, Any]:
    return {"A": {"initialValuesDataType": "FLOAT32", "initialValues": list(items)}}


def elements(found: Imported) -> list[Any]:
    """What the input of the first experiment holds."""
    values: list[Any] = found.experiments[0].sources()[0].array().reshape(-1).tolist()
    return values


@pytest.mark.parametrize(
    ("buffer", "expected"),
    [
        ([1, 2.5, -3, 4, 5, 6], [1, 2.5, -3, 4, 5, 6]),
        (["nan", "inf", "-inf", 0, 0, 0], None),
        ({"valueCount": 6, "value": 2.5}, [2.5] * 6),
        ({"valueCount": 600, "value": 2.5}, [2.5] * 6),
        ({"valueCount": 6, "valueStart": 1, "valueDelta": 2}, [1, 3, 5, 7, 9, 11]),
        ({"valueCount": 5, "valueStart": 1, "valueDelta": 2}, None),
    ],
)
def test_initial_values_of_the_own_type(buffer: Any, expected: list[float] | None) -> None:
    found = read(model({"A": {"initialValuesDataType": "FLOAT32", "initialValues": buffer}}))
    if expected is not None:
        assert elements(found) == expected
        assert not left(found)
    elif isinstance(buffer, list):
        assert np.isnan(elements(found)[0])
        assert elements(found)[1:3] == [np.inf, -np.inf]
    else:
        assert "valueCount is 5, expected at least 6" in left(found)["dispatchables.t.InputTensor"]
        assert "InputTensor" not in found.experiments[0].values


def test_windows_of_buffers_are_not_read() -> None:
    for window, is_read in (({"elementCount": 6}, True), ({"elementOffset": 0}, True), ({"elementOffset": 1}, False)):
        found = read(model(floats(*range(9)), bindings={"InputTensor": {"name": "A", **window}}))
        assert ("InputTensor" in found.experiments[0].values) is is_read
        assert ("dispatchables.t.InputTensor" in left(found)) is not is_read


def test_files(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "fits.npy", array)
    np.save(tmp_path / "wide.npy", array.astype(np.float64))
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.save(tmp_path / "columns.npy", np.asfortranarray(array))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "fits.npy").read_bytes()[:40])
    (tmp_path / "text.npy").write_text("x")

    def of(file: object, kind: str | None = "FLOAT32", **window: Any) -> Imported:
        found: dict[str, Any] = {"initialValues": {"sourcePath": file}}
        found |= {"initialValuesDataType": kind} if kind else {}
        return read(model({"A": found}, bindings={"InputTensor": {"name": "A", **window}}), tmp_path)

    assert of("fits.npy", None).experiments[0].values["InputTensor"] == Npy("fits.npy")
    for file, kind, reason in [
        ("wide.npy", "FLOAT32", "wide.npy holds float64, expected FLOAT32 (float32)"),
        ("columns.npy", None, "expected C order"),
        ("objects.npy", None, "no array of numbers"),
        ("cut.npy", None, "damaged"),
        ("text.npy", None, "damaged"),
        ("raw.bin", "FLOAT32", "expected one that ends in .npy"),
        ("none.npy", "FLOAT32", "missing"),
        ("../fits.npy", "FLOAT32", "outside"),
        ("\0.npy", "UINT8", "can't be a file"),
    ]:
        found = of(file, kind)
        assert reason in left(found)["dispatchables.t.InputTensor"], file
        assert not found.experiments[0].values


TENTHS = {"valueCount": 20, "valueStart": 0, "valueDelta": 0.1}


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        ({}, 'found "A", expected a whole one of the resources'),
        ({"A": 3}, "initialValuesDataType is null"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": "deferred"}}, "deferred"),
        ({"A": {"initialValuesDataType": "FLOAT32"}}, "initialValues is null"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": {"random": 3}}}, 'initialValues is {"random"'),
        ({"A": {"initialValuesDataType": "INT4", "initialValues": [1]}}, 'initialValuesDataType is "INT4"'),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": {"value": 1}}}, "initialValues is"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": {"value": 1, "valueCount": -1}}}, "valueCount is"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": {"value": 1, "valueCount": 1e3}}}, "valueCount"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 6, "value": "x"}}}, 'value is "x"'),
        (
            {"A": {"initialValuesDataType": "UINT8", "initialValues": {"valueCount": 24, "value": 0}}},
            "expected FLOAT32",
        ),
        ({"A": {**floats(1, 2)["A"], "initialValuesOffsetInBytes": 8}}, "initialValuesOffsetInBytes is not read here"),
        ({"A": {"initialValuesDataType": "FLOAT32", "initialValues": TENTHS}}, "rounds at every step"),
        (floats(1, 2, 3, 4, 5, "six"), 'is "six"'),
        (floats(1, 2, 3, 4, 5, None), "is null"),
        (floats(1, 2, 3, 4, 5, [6]), r"is [6]"),
        (floats(1, 2, 3, 4, 5, True), "is true"),
        ({"A": {"initialValuesDataType": "UNKNOWN", "initialValues": [1]}}, 'initialValuesDataType is "UNKNOWN"'),
    ],
)
def test_values_that_cannot_be_had_are_named_and_defaults_stand_for_them(resources: Any, reason: str) -> None:
    found = read(model(resources))
    assert reason in left(found)["dispatchables.t.InputTensor"]
    assert left(found)["dispatchables.t.InputTensor"].endswith("; it is filled by default.")
    assert not found.experiments[0].values
    assert elements(found) == [1, 2, 3, 4, 5, 6]


def test_tensors_that_are_no_plain_ones() -> None:
    found = read(model(floats(*range(6)), desc=tile(Strides=[1, 2])))
    said = left(found)["dispatchables.t.InputTensor"]
    assert "values are taken for a packed tensor" in said
    assert found.experiments[0].desc.inputs[0].tensor.members["Strides"] == (1, 2)
    assert not found.experiments[0].values
    found = read(model(floats(*range(6)), desc=tile(Strides=[0, 1])))
    assert not found.experiments[0].values
    found = read(model(floats(*range(6)), desc=tile(sizes=(1, 6), Strides=[99, 1])))  # an axis of size 1 has no stride
    assert elements(found) == [0, 1, 2, 3, 4, 5]
    kept: dict[str, Any] = {"Flags": ["OWNED_BY_DML"], "TotalTensorSizeInBytes": 28, "DimensionCount": 3}
    for key, value in kept.items():
        found = read(model(floats(*range(6)), desc=tile(**{key: value})))
        (tensor,) = [each.tensor for each in found.experiments[0].desc.inputs]
        assert json.loads(json.dumps(tensor.members)) == {key: value}
        assert elements(found) == [0, 1, 2, 3, 4, 5]
    same: dict[str, list[Any]] = {"TotalTensorSizeInBytes": [24, 0], "DimensionCount": [2], "Strides": [[], [3, 1]]}
    for key, value in ((key, value) for key, values in same.items() for value in values):
        found = read(model(floats(*range(6)), desc=tile(**{key: value})))
        assert not found.experiments[0].desc.inputs[0].tensor.members
    for member, said in (({"Colour": 1}, 'InputTensor has "Colour"'), ({"DimensionCount": "2"}, "expected an integer")):
        with pytest.raises(ImportFailedError, match=said):
            read(model(floats(*range(6)), desc=tile(**member)))
    found = read(model(floats(*range(6)), desc=tile(DimensionCount=1)))
    assert found.experiments[0].desc.inputs[0].tensor.sizes == (2,)


@pytest.mark.parametrize(
    ("dispatchable", "reason"),
    [
        ({"type": "DML_OPERATOR_GATHR", "desc": {}}, 'GATHR" is none that dmlviz knows, did you mean "GATHER"?'),
        ({"type": "hlsl", "sourcePath": "a.hlsl"}, 'type is "hlsl", expected the type of an operator'),
        ({}, "type is null"),
        ([], "type is null"),
        ({"type": "TILE", "desc": 5}, "desc is 5"),
        ({"type": "TILE", "desc": {**tile(), "RepeatsCount": 2.5}}, "RepeatsCount is 2.5"),
        ({"type": "TILE", "desc": {**tile(), "InputTensor": [tile()["InputTensor"]]}}, "InputTensor is"),
        ({"type": "TILE", "desc": tile("UINT4")}, 'InputTensor.DataType is "UINT4"'),
        ({"type": "TILE", "desc": tile(Type="TEXTURE")}, 'InputTensor.Type is "TEXTURE"'),
        ({"type": "TILE", "desc": tile(Sizes=[1, "2"])}, 'InputTensor.Sizes[1] is "2"'),
        ({"type": "TILE", "desc": {"Repeats": [1]}}, "InputTensor is missing"),
    ],
)
def test_what_is_not_supported_is_named_and_the_rest_is_taken(dispatchable: Any, reason: str) -> None:
    whole = model(floats(*range(6)))
    whole["dispatchables"] = {"other \x1b[31m": dispatchable, **whole["dispatchables"]}
    found = read(whole)
    assert len(found.experiments) == 1
    (said,) = [each.text for each in found.remarks if "other" in each.where]
    assert reason in said
    unchecked = [each.unchecked for each in found.remarks if "other" in each.where]
    whole["dispatchables"].pop("t")
    with pytest.raises(ImportFailedError) as failed:
        read(whole)
    assert reason in str(failed.value)
    # What is an operator and can't be held; what is none is nobody's business.
    known = isinstance(dispatchable, dict) and dispatchable.get("type", "hlsl") != "hlsl"
    assert unchecked == [known]
    assert (failed.value.why is Why.NOTHING) == (not known)


def test_commands_tell_what_is_bound_and_what_was_written_before() -> None:
    whole = model(floats(*range(6)))
    whole["resources"]["B"] = {"initialValuesDataType": "FLOAT32", "initialValues": [9] * 6}
    whole["dispatchables"]["u"] = {"type": "TILE", "desc": tile()}
    whole["dispatchables"]["never"] = {"type": "TILE", "desc": tile()}
    whole["commands"] = [
        {"type": "dispatch", "dispatchable": "t", "bindings": {"InputTensor": "A", "OutputTensor": "B"}},
        {"type": "dispatch", "dispatchable": "u", "bindings": {"InputTensor": ["B"], "OutputTensor": "A"}},
        {"type": "dispatch", "dispatchable": "u", "bindings": {"InputTensor": "A"}},
        {"type": "dispatch", "dispatchable": "nothing"},
        {"type": "writeFile", "resource": "B"},
        {"type": "sleep"},
        17,
    ]
    found = read(whole)
    assert not left(found)
    assert found.experiments[1].values == {"InputTensor": Wired("t", source=found.experiments[0])}
    whole["dispatchables"]["t"]["desc"] = tile(kind="INT32")
    found = read(whole)  # the bits of integers, which no wire reads as floats
    assert left(found)["dispatchables.u.InputTensor"] == "B is written by t before; it is filled by default."
    assert [each.unchecked for each in found.remarks if each.where == "dispatchables.u.InputTensor"] == [False]
    assert not found.experiments[1].values
    whole["commands"] = None
    assert not read(whole).experiments[0].values


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"dispatchables": }', "line 1, column 19"),
        (b'// one\n/* two\n\n*/ {"dispatchables": x}', "line 4, column 2"),
        (b'{"dispatchables": {}, "a": "unended}', "found"),
        (b'{"dispatchables": {}}', "expected an object with at least one operator"),
        (b'{"dispatchables": []}', "dispatchables is []"),
        (b'{"dispatchables": "\xff"}', "byte 0xff"),
        (b'{"dispatchables": {"a": {}, "a": {}}}', "twice"),
        (b'{"dispatchables": {"a": NaN}}', "found NaN, expected a number"),
    ],
)
def test_no_model_is_one_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(ImportFailedError) as failed:
        importing.read(data, "model.json")
    assert str(failed.value).startswith("model.json")
    assert reason in str(failed.value)


def test_names_that_are_half_a_character_still_give_an_experiment() -> None:
    whole = model(floats(*range(6)))
    whole["dispatchables"] = {"\ud800": whole["dispatchables"]["t"]}
    whole["commands"][0]["dispatchable"] = "\ud800"
    found = read(whole)
    dump(dml.Session(found.experiments))
    assert elements(found) == [0, 1, 2, 3, 4, 5]


NESTED = b'{"dispatchables": ' + b"[" * 100_000


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    "data",
    [
        NESTED,
        b'{"dispatchables": {"a": ' + b'{"a":' * 100_000,
        b'{"dispatchables": {"t": {"type": "TILE", "desc": {"InputTensor": ' + b"[" * 900 + b"]" * 900 + b"}}}}",
        b'{"dispatchables": {' + b"/*" * 2_000_000,
        b'{"dispatchables": {' + b'"' * 3_000_001,
        b'{"dispatchables": {' + b"," * 3_000_000 + b"}",
        b'{"dispatchables": ' + b"9" * 3_000_000 + b"}",
        b'{"dispatchables": {' + b",".join(b'"%d": {"type": "TILE"}' % i for i in range(20_000)) + b"}}",
    ],
    ids=range(8),
)
def test_monstrous_input_is_read_with_work_in_proportion(data: bytes) -> None:
    read(HAND_WRITTEN)  # so that modules are there
    with pytest.raises(ImportFailedError) as failed, Work() as work:
        importing.read(data, "model.json")
    assert work.done < 30 * len(data)
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 1000


def test_twenty_thousand_huge_sizes_are_a_desc_that_breaks_rules() -> None:
    tensor = {"DataType": "INT8", "Sizes": [2**63] * 20_000}
    desc = {"InputTensor": tensor, "OutputTensor": tensor, "Repeats": [1]}
    (one,) = read(model(floats(1), desc=desc)).experiments
    assert one.desc.inputs[0].tensor.dimension_count == 20_000


def test_huge_numbers_and_windows_are_refused_in_words() -> None:
    for window in (
        {"elementOffset": 2**40},
        {"elementSizeInBytes": 2**63, "elementOffset": 3},
    ):
        found = read(model(floats(*range(6)), bindings={"InputTensor": {"name": "A", **window}}))
        assert "filled by default" in left(found)["dispatchables.t.InputTensor"]
    with pytest.raises(ImportFailedError, match="expected an integer of 64 bits"):
        read(model(floats(*range(6)), bindings={"InputTensor": {"name": "A", "elementOffset": 10**400}}))
    big = {"A": {"initialValuesDataType": "UINT64", "initialValues": {"valueCount": 2**32 - 1, "value": 2**64}}}
    assert "filled by default" in left(read(model(big, desc=tile("UINT64"))))["dispatchables.t.InputTensor"]


@pytest.mark.drawn(1)
def test_a_buffer_that_many_operators_bind_is_not_read_for_all_of_them() -> None:
    whole = model({"A": {"initialValuesDataType": "FLOAT32", "initialValues": [0] * 200_000}})
    whole["dispatchables"] = {str(i): {"type": "TILE", "desc": tile("FLOAT32", (1, 40_000))} for i in range(1000)}
    bindings = {"InputTensor": "A"}
    whole["commands"] = [{"type": "dispatch", "dispatchable": str(i), "bindings": bindings} for i in range(1000)]
    with Work() as work:
        found = read(whole)
    assert work.done < 1000 * 200_000 // 3
    assert len(found.experiments) == 1000
    assert "expected 40,000 and at most 65,536" in left(found)["dispatchables.0.InputTensor"]
