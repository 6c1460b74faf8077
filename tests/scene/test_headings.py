"""Titles, axes, slices and ranges are said in full, or in short."""

from __future__ import annotations

import pytest
from support.layouts import text_of

import dmlviz as dml
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.headings import title_columns, titles
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.session.experiments import Experiment


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


def test_an_index_over_narrow_columns_stands_whole_or_not_at_all() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (3, 120)), (1, 1))
    for zoom in Zoom:
        scene = arrange(Experiment("ruler", desc).trace(), 300, 30, zoom).packed()
        figure = scene.outputs.figures[0]
        ruler = text_of(stack_lines(scene.outputs, 0, figure.head, 0, 900, Look(), Partners())[-1])
        words = ruler.split()
        assert words == sorted(words, key=int)
        assert set(words) <= {str(n) for n in range(120)}
        assert len(words) >= 10
        for word in words:
            x, _ = figure.locate((0, int(word)))
            assert abs(ruler.index(f" {word}") + 1 - figure.margin - x) <= figure.cell
