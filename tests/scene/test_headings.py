"""Titles, axes, slices and ranges are said in as many words as there is room for."""

from __future__ import annotations

import re

import pytest
from support.layouts import text_of

import dmlviz as dml
from dmlviz.scene.drawing.figure_lines import foot
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.headings import WORDED, captions, folded_titles, ranges, slices, tight_slices, titles
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import DIM, Style, length
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment


def test_a_title_keeps_its_number_and_its_braces() -> None:
    found = ["".join(each) for each in titles("OutputTensors[12]", "FLOAT32", (3, 2))]
    assert found == [
        "OutputTensors[12] FLOAT32 {3, 2}",
        "OutputTensors[12] FLOAT32 {3,2}",
        "Outputs[12] FLOAT32 {3,2}",
        "OutputTensors[12] {3,2}",
        "Outputs[12] {3,2}",
        "[12] {3,2}",
        "OutputTensors[12]",
        "Outputs[12]",
        "[12]",
    ]
    found = ["".join(each) for each in titles("SequenceLengthsTensor", "UINT32", (1,))]
    assert list(dict.fromkeys(found)) == [
        "SequenceLengthsTensor UINT32 {1}",
        "Lengths UINT32 {1}",  # DataType stays, where a word needn't
        "SequenceLengthsTensor {1}",
        "Lengths {1}",
        "SequenceLengthsTensor",
        "Lengths",
    ]


def test_a_title_in_two_lines_tells_as_much() -> None:
    found = folded_titles("SequenceLengthsTensor", "UINT32", (3, 1))
    assert found[0] == ("SequenceLengthsTensor", "UINT32 {3, 1}")
    assert found[3] == ("Lengths", "UINT32 {3,1}")
    assert found[-1] == ("Lengths", "{3,1}")
    assert folded_titles("InputTensors[2]", "INT8", (3, 1))[-1] == ("[2]", "{3,1}")


def test_what_is_seen_is_said_as_long_as_there_is_room() -> None:
    rows, columns = (0, 23, 65535), (0, 9, 65535)
    assert ranges(rows, columns, 60) == "rows 0–23 of 65,535 · columns 0–9 of 65,535"
    assert ranges(rows, columns, 42) == "rows 0–23 of 65535 · cols 0–9 of 65535"
    assert ranges(rows, columns, 34) == "rows 0–23/65535 cols 0–9/65535"
    assert ranges(rows, columns, 24) == "↓0–23/65535 →0–9/65535"
    assert ranges(rows, columns, 13) == "↓0–23 →0–9"
    assert ranges(rows, columns, 8) == "↓0… →0…"
    assert ranges((0, 4, 5), columns, 60) == "columns 0–9 of 65,535"
    assert ranges(rows, columns, 5) == ""


def test_axes_are_called_axes_as_long_as_there_is_room() -> None:
    """An arrow and a number alone mean nothing to whoever sees them first."""
    axes = [("↓", 2, "", Style("ruler")), ("→", 3, "Axis", Style("axis"))]
    found = [text_of(line) for line in captions(axes, [], "×3")]
    assert found[0].split() == ["↓", "axis", "2", "→", "axis", "3", "=", "Axis", "each", "read", "×3"]
    assert all(text.startswith("axes ") for text in found[1:4])
    assert len(found[3]) == len("axes ") + len(found[-1])
    assert found[-1] == "↓ 2 → 3=Axis ×3"
    assert [text_of(line) for line in captions(axes[:1], [], "")][1].split() == ["axis", "↓", "2"]
    assert not [text for text in found if re.search(r"[↓→]\d", text)], "it would be read as the number's sign"
    assert all("= Axis" in text or "→ 3=Axis" in text for text in found)
    assert captions([], [], "")[-1] == []
    for made in (captions(axes, [], ""), captions(axes[:1], [], "")):
        assert "ax" in text_of(made[WORDED])
        assert "ax" not in text_of(made[WORDED + 1])


def test_slices_are_said_as_long_as_there_is_room() -> None:
    axes = [(0, 2, 5), (1, 0, 3)]
    assert text_of(slices(axes, 60)) == "slice ‹ axis 0 = 2 of 5 › · ‹ axis 1 = 0 of 3 ›"
    assert text_of(slices(axes, 30)) == "fixed axes ‹0 at 2› ‹1 at 0›"  # in words before it goes without them
    assert text_of(slices(axes, 23)) == "axes ‹0 at 2› ‹1 at 0›"
    assert text_of(slices([(4, 1, 3)], 20)) == "slice ‹ 4 = 1 of 3 ›"
    assert text_of(slices([(4, 1, 3)], 19)) == "fixed axis ‹4 at 1›"
    assert text_of(slices(axes, 20)) == "‹0=2/5› ‹1=0/3›"
    assert text_of(slices(axes, 14)) == "‹0=2/5›‹1=0/3›"
    assert text_of(slices(axes, 13, 4)) == "‹[2,0,:,:]›"  # as NumPy writes it
    assert [span.button for span in slices(axes, 11, 4) if span.button] == [(1, -1), (0, 1), (1, 1), (1, 1)]
    assert [span.button for span in slices([(0, 4, 5)], 6, 2)][:3] == [(0, -1), None, (0, -4)]  # and round again
    assert tight_slices(axes, 4) == 11


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


@pytest.mark.parametrize("name", ["gather-5", "slice-1", "tile-1", "gather-4"])
def test_what_axes_are_for_is_left_out_before_it_is_cut(name: str) -> None:
    for width in range(20, 60):
        scene = arrange(examples.example(name).session().experiments[0].trace(), width, 12)
        for stack in (scene.inputs, scene.outputs):
            for figure in stack.figures:
                said = foot(figure, Look(), width // 2)
                feet = figure.feet(Look())
                bare = [span.text.partition("=")[0] for span in feet[-1]]
                assert length(said) <= width // 2
                assert "…" not in "".join(span.text for span in said) or len("".join(bare)) > width // 2
                assert [span.text.partition("=")[0] for span in said] == bare or said in feet or "…" in said[-1].text
