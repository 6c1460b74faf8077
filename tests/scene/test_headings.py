"""Titles, axes, slices and ranges are said in full, or in short."""

from __future__ import annotations

import pytest
from support.layouts import text_of

import dmlviz as dml
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.headings import full_title, short_title
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import DIM
from dmlviz.session.experiments import Experiment


@pytest.mark.parametrize(
    ("path", "room", "folded", "said"),
    [
        ("OutputTensors[12]", 17, False, "Outputs[12] {3,2}"),
        ("OutputTensors[12]", 16, False, "[12] {3,2}"),
        ("OutputTensors[12]", 10, False, "[12] {3,2}"),
        ("OutputTensors[12]", 9, False, "[12]"),
        ("OutputTensors[12]", 2, False, "[12]"),
        ("OutputTensors[12]", 10, True, "[12] {3,2}"),
        ("SequenceLengthsTensor", 13, False, "Lengths {3,2}"),
        ("SequenceLengthsTensor", 12, False, "Lengths"),
        ("SequenceLengthsTensor", 7, True, "Lengths {3,2}"),
        ("SequenceLengthsTensor", 5, True, "Leng…"),
    ],
)
def test_a_title_keeps_its_number_and_its_braces(path: str, room: int, folded: bool, said: str) -> None:
    assert " ".join(filter(None, short_title(path, (3, 2), room, 0, folded=folded))) == said
    assert full_title(path, "INT8", (3, 2)) == (path, "INT8 {3, 2}")


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


def test_every_row_has_all_of_its_indices_before_it_and_those_that_stay_are_dim() -> None:
    trace = Experiment("one", dml.Tile(dml.TensorDesc("FLOAT32", (2, 3, 2)), (1, 2, 1))).trace()
    scene = arrange(trace, 60, 60, Zoom.VALUES)
    (figure,) = scene.outputs.figures
    lines = stack_lines(scene.outputs, 0, scene.outputs.height, 0, 60, Look(), Partners())
    labelled = [line for line in lines if any(span.style.kind == "cell" for span in line)]
    assert len(labelled) == 12
    for row, line in enumerate(labelled):
        digits = [span for span in line if span.text.strip().isdigit() and span.style.kind != "cell"]
        block, at = divmod(row, 6)
        assert [int(span.text) for span in digits] == [block, at] == list(figure.rows.split(row))
        assert (digits[0].style == DIM) is (at > 0)
        assert digits[1].style != DIM
