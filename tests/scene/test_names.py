"""Tensors have a whole name and one shorter one, and all titles of a picture have names of one kind."""

from __future__ import annotations

import pytest

from dmlviz.scene.names import short_name, shortened


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("InputTensor", "Input"),
        ("SequenceLengthsTensor", "Lengths"),
        ("IndicesTensor", "Indices"),
        ("InputTensors[0]", "Inputs[0]"),
        ("OutputTensors[12]", "Outputs[12]"),
        ("Tensor", "Tensor"),
        ("Data", "Data"),
    ],
)
def test_a_short_name_is_the_last_word_with_its_number(path: str, short: str) -> None:
    assert short_name(path) == short
    assert short_name(short) == short


def test_a_text_has_all_its_tensors_shortened() -> None:
    text = "L = min(SequenceLengthsTensor[0], 4), InputTensors[k] is not InputTensorsX"
    found = shortened(text, ["SequenceLengthsTensor", "InputTensors[0]"])
    assert found == "L = min(Lengths[0], 4), Inputs[k] is not InputTensorsX"
