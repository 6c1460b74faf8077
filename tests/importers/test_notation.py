"""The notation of DirectML's pages: whatever it is pasted amid, it becomes the desc that the page means."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError
from dmlviz.session import examples

GATHER = """\
Axis: 0
IndexDimensions: 1

InputTensor: (Sizes:{3,2}, DataType:FLOAT32)
    [[1,2], // row 0
     [3,4], // row 1
     [5,6]] // row 2

IndicesTensor: (Sizes:{1, 4}, DataType:UINT32)
    [[0, 1, 1, 2]]

// output[y, x] = input[indices[y], x]
OutputTensor: (Sizes:{4,2}, DataType:FLOAT32)
    [[1,2], [3,4], [3,4], [5,6]]
"""
MEANT = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
SPLIT = """\
InputTensor: (Sizes:{1, 6}, DataType:FLOAT32)
[[1, 2, 3, 4, 5, 6]]

Example 1. Splitting in three
OutputCount: 2
Axis: 1
OutputTensors[0]: (Sizes:{1, 2}, DataType:FLOAT32)
OutputTensors[1]: (Sizes:{1, 4}, DataType:FLOAT32)

Example 2. Splitting rows
OutputCount: 1
Axis: 0
OutputTensors[0]: (Sizes:{1, 6}, DataType:FLOAT32)
"""


def read(text: str) -> Imported:
    assert importing.is_known(text.encode(), "a page")
    return importing.read(text.encode(), "a page")


WRAPPED: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "a page": lambda text: f"DML_GATHER_OPERATOR_DESC\n\nstruct DML_GATHER_OPERATOR_DESC {{\n}};\n\n{text}\nReq.",
    "a fence": lambda text: f"Why?\n\n```\n{text}```\nThanks",
    "a quote": lambda text: "".join(f"> {line}\n" for line in text.split("\n")),
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "a dialogue": lambda text: f">>> print(text)\n{text}>>> 1 + 1\n2\n",
}


@pytest.mark.parametrize("how", WRAPPED)
def test_an_example_is_read_with_its_values_wherever_it_stands(how: str) -> None:
    text = WRAPPED[how](GATHER)
    (one,) = read(text).experiments
    assert one.desc.inputs == MEANT.inputs
    assert str(one.desc.outputs[0].tensor) == "FLOAT32 {4, 2}"
    assert one.values == {
        "InputTensor": Listed((1, 2, 3, 4, 5, 6), (3, 2)),
        "IndicesTensor": Listed((0, 1, 1, 2), (1, 4)),
    }
    assert one.check().ok
    line = read(text).locate()[0][""].line
    assert "Axis: 0" in text.split("\n")[line - 1]


def test_it_is_read_beside_code_in_fences() -> None:
    code = "x = np.zeros((2, 3), np.float32)\ny = np.tile(x, (2, 1))"
    for text in (f"{GATHER}\n```\n{code}\n```\n", f"```\n{GATHER}```\n```\n{code}\n```\n"):
        assert sorted(type(one.desc).__name__ for one in read(text).experiments) == ["Gather", "Tile"]


def test_examples_may_share_the_input_above_them() -> None:
    found = read(SPLIT)
    first, second = found.experiments
    assert first.desc.get("Axis") == 1
    assert [str(part.tensor) for part in second.desc.parts] == ["FLOAT32 {1, 6}", "FLOAT32 {1, 6}"]
    assert first.values == second.values


def test_what_run_prints_is_no_desc_and_with_its_fields_it_is() -> None:
    with pytest.raises(ImportFailedError, match="line 2: found OutputTensor, expected all fields of an operator"):
        read("it · TILE\nOutputTensor: (Sizes:{2}, DataType:INT8)\n[1, 2]\n")
    (tile,) = read("InputTensor: (Sizes:{2}, DataType:INT8)\n[1, 2]\nRepeats: {3}\n").experiments
    assert tile.desc == dml.Tile(dml.TensorDesc("INT8", (2,)), (3,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GATHER.replace("[5,6]]", "]"), "InputTensor has 4 values, expected 6; it is filled by default."),
        (GATHER.replace("FLOAT32", "FLOAT33"), 'InputTensor.DataType is "FLOAT33", expected one of'),
        (GATHER.replace("Axis: 0", "Axis: zero"), 'Axis is "zero", expected an integer'),
        (
            GATHER.replace("Axis: 0\n", ""),
            "found IndexDimensions, IndicesTensor, InputTensor, OutputTensor,",
        ),
        (SPLIT.replace("[1]", "[7]"), "found OutputTensors[7], expected OutputTensors[1] there."),
    ],
)
def test_what_is_not_read_is_told_with_its_line(text: str, said: str) -> None:
    found = call("check", "-", stdin=text)
    assert found.code == 2
    assert said in found.out + found.err
    assert "line " in found.out + found.err


def test_every_example_of_the_pages_comes_back_from_that_notation() -> None:
    for shipped in examples.all_examples():
        for one in shipped.session().experiments:
            if one.is_wired or one.check().ok is not True:
                continue
            text = "".join(f"{name}: {_written(value)}\n" for name, value in one.desc.attributes.items())
            text += "".join(
                f"{part.path}: (Sizes:{{{', '.join(map(str, part.tensor.sizes))}}}, DataType:{part.tensor.data_type})\n"
                for part in one.desc.parts
            )
            if "PaddingValue" in text or any(part.tensor.members.get("Strides") for part in one.desc.parts):
                continue
            (found,) = read(f"{one.desc.TYPE}\n{text}").experiments
            assert [(part.path, part.tensor.sizes) for part in found.desc.parts] == [
                (part.path, part.tensor.sizes) for part in one.desc.parts
            ]
            assert found.desc.attributes == one.desc.attributes


def _written(value: object) -> str:
    return f"{{{', '.join(map(str, value))}}}" if isinstance(value, tuple) else str(value)
