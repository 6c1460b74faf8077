"""Tensors have a whole name and one shorter one, and all titles of a picture have names of one kind."""

from __future__ import annotations

import pytest

from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.look import Look
from dmlviz.scene.names import short_name, shortened
from dmlviz.scene.spans import TITLE
from dmlviz.session import examples


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


def titles(scene: Scene, width: int, height: int) -> list[str]:
    """The names in all titles."""
    sides = (scene.inputs, scene.share), (scene.outputs, width - scene.layout.lane - scene.share)
    return [
        span.text
        for stack, columns in sides
        for line in stack_lines(stack, 0, height, 0, columns, Look(), Partners())
        for span in line
        if span.style == TITLE
    ]


@pytest.mark.parametrize("room", [(65, 15), (72, 8), (60, 20), (77, 21), (90, 33), (170, 43)])
@pytest.mark.parametrize("name", ["gather-2", "gather-5", "reverse-1", "join-2-axis-3", "split-1", "tile-1"])
def test_titles_of_a_picture_have_names_of_one_kind(name: str, room: tuple[int, int]) -> None:
    trace = examples.example(name).session().experiments[0].trace()
    found = titles(arrange(trace, *room), *room)
    assert found
    paths = {part.path for part in (*trace.inputs, *trace.outputs)}
    whole = [name in paths for name in found]
    assert all(whole) or not any(whole), found
    assert all(name in paths | {short_name(path) for path in paths} or name.startswith("[") for name in found)
