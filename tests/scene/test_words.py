"""What is said of elements and steps: names that are typed, lines that are wrapped, pieces of steps."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.operators.report import Cause, Check, Severity
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.lights import Lights, lights
from dmlviz.scene.steps.groups import Box, Group
from dmlviz.scene.steps.order import Steps
from dmlviz.scene.view_state import view_state_of
from dmlviz.scene.words.formulas import tallest, wrapped
from dmlviz.scene.words.go_to import find
from dmlviz.scene.words.meaning import meaning
from dmlviz.scene.words.reasons import Reason, is_sizes
from dmlviz.scene.words.sentences import Piece, elements_in_words, pieces_of, sentence
from dmlviz.session import examples
from dmlviz.tracing import Trace


def trace_of(name: str, number: int = 0) -> Trace:
    return examples.example(name).session().experiments[number].trace()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("InputTensors[1][0,0,1,1]", Cursor(Place(False, 1), (0, 0, 1, 1))),
        ("inputtensors [2] (0, 0, 1, 0)", Cursor(Place(False, 2), (0, 0, 1, 0))),
        ("OutputTensor 0 2 0 1", Cursor(Place(True, 0), (0, 2, 0, 1))),
        ("OutputTensor", Cursor(Place(True, 0), (0, 0, 0, 0))),
        (" 0,0,1,0 ", Cursor(Place(False, 1), (0, 0, 1, 0))),
        ("", Cursor(Place(False, 1), (0, 0, 0, 0))),
        ("step 0", 0),
        ("Step12", 12),
    ],
)
def test_what_is_typed_is_an_element_or_a_step(text: str, found: Cursor | int) -> None:
    here = Cursor(Place(False, 1), (0, 0, 0, 1))
    assert find(text, trace_of("join-2-axis-1"), here, 12) == found
    if isinstance(found, int) or text.startswith("Out"):
        assert find(text, trace_of("join-2-axis-1"), None, 12) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("step 13", "0 to 12"),
        ("OutputTensor[0,3,0,0]", "3 is outside axis 1"),
        ("OutputTensor[0,0,0,-1]", "-1 is outside axis 3"),
        ("OutputTensor[0,1]", "2 numbers found, expected 4"),
        ("OutputTensor[7]", "1 number found, expected 4"),
        ("9" * 5000, "1 number found, expected 4"),
        ("1.5,2", "names no element"),
        ("OutputTensor[a]", "OutputTensor[0,2,1,1]"),
        ("Nonsense[1]", "InputTensors[0] to InputTensors[2], OutputTensor."),
        ("InputTensors[9][0]", "InputTensors[0] to InputTensors[2]."),
    ],
)
def test_what_names_no_element_is_told_with_what_would(text: str, names: str) -> None:
    with pytest.raises(DmlvizError) as told:
        find(text, trace_of("join-2-axis-1"), None, 12)
    assert names in str(told.value)
    with pytest.raises(DmlvizError) as untold:
        find("step 13", trace_of("join-2-axis-1"), None, 12, count_is_told=False)
    assert "12" not in str(untold.value)


def elements_of(piece: Piece) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(output, source) of each element of a piece: both in order, but for axes of the source that run backwards."""
    ranges = [r[::-1] if d in piece.backwards else r for d, r in enumerate(piece.source)]
    return [*zip(product(*piece.output), product(*ranges), strict=True)]


@pytest.mark.parametrize(
    ("sources", "count"),
    [
        ([[3, 4, 5]], 1),
        ([[5, 4, 3]], 1),
        ([[1, 0, 2, 3]], 2),
        ([[0, 1, 5, 6, 9]], 3),
        ([[7]], 1),
        ([[0, 0]], 2),
        ([[0, 2, 4, 6]], 4),
        ([[[2, 2], [1, 1]], [[0, 1], [0, 1]]], 1),
        ([[[4, 4], [5, 5]], [[1, 0], [1, 0]]], 1),
        ([[[4, 4], [8, 8]], [[1, 2], [1, 2]]], 2),
    ],
)
def test_a_box_is_cut_where_its_sources_jump(sources: list[Any], count: int) -> None:
    axes = [np.array(axis, np.int64) for axis in sources]
    start = [10 * (d + 1) for d in range(axes[0].ndim)]
    pieces = [piece for piece in pieces_of(start, axes) if piece is not None]
    assert len(pieces) == count
    wanted = {
        tuple(begin + i for begin, i in zip(start, at, strict=True)): tuple(int(axis[at]) for axis in axes)
        for at in np.ndindex(*axes[0].shape)
    }
    told = [link for piece in pieces for link in elements_of(piece)]
    assert dict(told) == wanted
    assert len(told) == len(wanted)


@pytest.mark.parametrize(
    "sources",
    [
        [[0, 2, 4, 6, 8]],  # too many pieces
        [[[0, 1], [0, 1]], [[0, 0], [1, 1]]],  # axes change places
        [[[0, 1], [1, 2]]],  # both go along one
        [[[0, 0], [1, 5]], [[0, 1], [0, 1]]],  # one element is from elsewhere
    ],
)
def test_what_is_no_piece_is_not_told(sources: list[Any]) -> None:
    axes = [np.array(axis, np.int64) for axis in sources]
    assert None in [*pieces_of([0] * axes[0].ndim, axes)]


def test_elements_are_called_rows_and_columns_where_the_picture_has_them() -> None:
    (part,) = trace_of("gather-2").outputs
    told = {
        (range(4), range(2)): "all of OutputTensor",
        (range(2, 3), range(2)): "OutputTensor row 2",
        (range(1, 3), range(2)): "OutputTensor rows 1 to 2",
        (range(4), range(1, 2)): "OutputTensor column 1",
        (range(2, 3), range(1, 2)): "OutputTensor[2,1]",
        (range(3), range(1, 2)): "OutputTensor[0 to 2,1]",
    }
    assert {ranges: elements_in_words(part, ranges, 1) for ranges in told} == told
    assert elements_in_words(part, (range(2, 3), range(2)), 0) == "OutputTensor[2,all]"


def test_a_large_step_is_told_by_its_ends() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (128, 128)), (1, 2))
    group = Steps(dml.trace(desc)).group(1)
    assert group is not None
    few, many = (Group(group.trace, (Box(0, (range(128), columns)),)) for columns in (range(128), range(129)))
    said = [sentence(each) for each in (few, many)]
    assert said[0] == "OutputTensor columns 0 to 127 are all of InputTensor."
    assert said[1] is not None
    assert said[1].endswith("16,512 elements, begins with InputTensor[0,0] and ends with InputTensor[127,0].")


def test_a_line_is_broken_between_terms_and_within_long_ones_alone() -> None:
    terms = [[("ab", "output"), (" = ", "")], [(" 3 ", "value")], [("   ", ""), ("cd,ef,gh", "source")]]

    def lines(width: int) -> list[str]:
        return ["".join(text for text, _ in line) for line in wrapped(terms, width)]

    assert lines(19) == ["ab =  3    cd,ef,gh"]
    assert lines(18) == ["ab =  3 ", "cd,ef,gh"]
    assert lines(8) == ["ab =  3 ", "cd,ef,gh"]
    assert lines(7) == ["ab = ", " 3 ", "cd,ef,", "gh"]


def test_the_tallest_formula_is_as_high_as_any() -> None:
    for name in ("gather-2", "reverse-1", "padding-1", "tile-1"):
        trace = trace_of(name)
        heights = [tallest(trace, width) for width in (20, 30, 40, 60, 200)]
        assert heights == sorted(heights, reverse=True)
        assert heights[0] > heights[-1] >= tallest(trace, 200, remarks=False)


def test_the_map_stands_beside_its_sentence_or_below_it_in_shorter_names() -> None:
    trace = trace_of("gather-2")
    said = meaning(trace.desc, trace)
    full, short = (len(said.sentence) + 3 + len(code) for code in (said.code, said.short_code))
    assert said.code == "OutputTensor[i,j] = InputTensor[IndicesTensor[0,i],j]"
    assert said.short_code == "Output[i,j] = Input[Indices[0,i],j]"
    assert said.lines(full) == [(said.sentence, said.code)]
    assert said.lines(full - 1) == said.lines(short) == [(said.sentence, said.short_code)]
    assert said.lines(short - 1) == [(said.sentence, ""), ("", said.code)]
    assert said.lines(len(said.code) - 1) == [(said.sentence, ""), ("", said.short_code)]


def test_fixes_that_mend_all_belong_to_every_error_and_to_no_warning() -> None:
    for shipped in examples.all_examples():
        for one in shipped.session().experiments[:1] if shipped.name.startswith(("rule", "warning")) else ():
            why = view_state_of(one).why
            for reason in why.reasons:
                wanted = {n for n, fix in enumerate(why.fixes) if fix.mends_all}
                assert set(reason.fixes) >= wanted if reason.is_error else not reason.fixes
    assert [is_sizes(each) for each in ([1, 2], [], [1, "a"], 3, "12")] == [True, True, False, False, False]


def test_what_a_check_names_is_lit() -> None:
    def lit(field: str, found: Any, expected: Any, *related: str, rule: str = "of.a_test") -> tuple[Any, ...]:
        check = Check(rule, Severity.ERROR, False, field, expected, found, "", "", related=related)
        axes, cells, _ = lights(Reason(Cause((check,)), ()), desc)
        return sorted(axes), sorted((cell.axis or 0, cell.start, cell.stop) for cell in cells)

    desc = trace_of("gather-2").desc
    data = "InputTensor"
    assert lit(f"{data}.Sizes[1]", 5, 2) == ([(data, 1)], [(1, 2, 5)])
    assert lit(f"{data}.Sizes", [4, 2], [3, 2]) == ([(data, 0)], [(0, 3, 4)])
    assert lit(f"{data}.Sizes", [0, 1, 2], ">= 1") == ([(data, 0)], [(0, 1, 0)])
    assert lit(f"{data}.Sizes", [-3, 1], [-1, 1]) == ([(data, 0)], [(0, 0, -3)])
    assert lit(f"{data}.DataType", "INT8", "FLOAT32") == ([(data, -1)], [])
    assert lit(data, 2**33, 2**32, rule="sizes.element_count") == ([(data, -1)], [])
    assert lit("Axis", 3, 1, f"{data}.Sizes[0]", "OutputTensor.Sizes[1]") == ([(data, 0), ("OutputTensor", 1)], [])
    assert lit("IndicesTensor[0,1]", 9, 3, rule="values.index_range") == ([], [(0, 0, 0)])
    assert lights(None, desc) == Lights()
    desc = trace_of("padding-1").desc
    assert lit("StartPadding[2]", 5, 2) == ([(data, 2)], [])
    assert lit("PaddingValue", 5, 2) == ([], [])
