"""Titles, axes, slices and ranges are said in full, or in short."""

from __future__ import annotations

import pytest

from dmlviz.scene.layout.headings import title_columns, titles


@pytest.mark.parametrize(
    ("path", "room", "folded", "said"),
    [
        ("OutputTensors[12]", 17, False, "Outputs[12] {3,2}"),
        ("OutputTensors[12]", 16, False, "[12] {3,2}"),
        ("OutputTensors[12]", 10, False, "[12] {3,2}"),
        ("OutputTensors[12]", 9, False, "[12]"),
        ("OutputTensors[12]", 2, False, "[12]"),
        ("OutputTensors[12]", 24, False, "Outputs[12] INT8 {3,2}"),
        ("OutputTensors[12]", 30, False, "OutputTensors[12] INT8 {3, 2}"),
        ("OutputTensors[12]", 10, True, "[12] {3,2}"),
        ("SequenceLengthsTensor", 13, False, "Lengths {3,2}"),
        ("SequenceLengthsTensor", 12, False, "Lengths"),
        ("SequenceLengthsTensor", 7, True, "Lengths {3,2}"),
    ],
)
def test_a_title_keeps_its_number_and_its_braces(path: str, room: int, folded: bool, said: str) -> None:
    ways = titles(path, "INT8", (3, 2))
    assert " ".join(next((way for way in ways if title_columns(*way, folded=folded) <= room), ways[-1])).strip() == said
