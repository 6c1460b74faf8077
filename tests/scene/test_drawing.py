"""Pieces that pictures are drawn of, each for itself: spans, rulers, routes, tables, colours, memory rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.colour.palette import (
    FINE,
    MUTED,
    SHADES,
    contrast,
    fill,
    ink,
    letter,
    lightness,
    rgb,
    rounds,
    shaded,
    shades_of,
    tones,
)
from dmlviz.scene.drawing.figure_lines import _stride
from dmlviz.scene.drawing.side_by_side import page
from dmlviz.scene.drawing.small_table import CELL_SIZES, SmallTable, placed
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.drawing.wires import Wire, wired
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.cell_widths import cell_width
from dmlviz.scene.layout.margins import letter_columns, place_columns, read_columns
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.spans import (
    DIM,
    EDGE,
    PLAIN,
    TITLE,
    Span,
    Style,
    cut,
    fitting,
    labels,
    length,
    marked_window_of,
    window_of,
)
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

LINE = [Span("A 12,345", TITLE), Span("  x ", PLAIN), Span("-6.5 789", DIM)]
WHOLE = "".join(span.text for span in LINE)


def text_of(line: list[Span]) -> str:
    return "".join(span.text for span in line)


def trace_of(name: str) -> Trace:
    return examples.example(name).session().experiments[0].trace()


@pytest.mark.parametrize("room", range(len(WHOLE) + 2))
def test_what_is_cut_ends_before_a_number(room: int) -> None:
    text = text_of(fitting(LINE, room))
    assert len(text) <= max(1, room)
    assert WHOLE.startswith(text.removesuffix("…"))
    assert text.endswith("…") == (room < len(WHOLE))
    if room < len(WHOLE):
        beyond = WHOLE[len(text) - 1 :]
        assert not (text[-2:-1].isdigit() and beyond[:1].isdigit())
        assert room - len(text) <= len("12,345")
    assert cut(WHOLE, room) == (WHOLE if room >= len(WHOLE) else WHOLE[: room - 1] + "…")


def test_a_window_is_its_columns_and_marks_a_number_at_its_edge() -> None:
    for left in range(len(WHOLE)):
        for width in range(len(WHOLE) + 2):
            line = window_of(LINE, left, width)
            assert text_of(line) == WHOLE[left : left + width]
            assert all(span.text for span in line)
            assert [span.style for span in line] == [*dict.fromkeys(span.style for span in line)]
    marked = {(2, 6): "12,345", (3, 5): "…,345", (2, 1): "…", (12, 4): "-6.5", (13, 4): "….5 ", (12, 6): "-6.5 …"}
    marked |= {(8, 4): "  x ", (0, 4): "A 12", (0, 3): "A …", (17, 9): "789", (18, 2): "…9"}
    assert {at: text_of(marked_window_of(LINE, *at)) for at in marked} == marked
    assert text_of(marked_window_of([], 0, 4)) == ""
    assert length(LINE) == len(WHOLE)


def test_blanks_between_words_that_are_underlined_are_not() -> None:
    broken = Style("broken")
    assert labels(" 0  1", broken) == [Span(" ", PLAIN), Span("0", broken), Span("  ", PLAIN), Span("1", broken)]
    assert labels(" 0  1", DIM) == [Span(" 0  1", DIM)]


def test_labels_stand_at_every_second_fifth_or_tenth_where_they_would_touch() -> None:
    steps = [size * 10**n for n in range(6) for size in (1, 2, 5)]
    for pitch in range(1, 12):
        for columns in range(1, 60):
            step = _stride(columns, pitch)
            assert step == next(each for each in steps if each * pitch >= columns)


def test_a_wire_is_drawn_where_nothing_else_is_and_not_outside_of_its_window() -> None:
    lines = [[Span("ab", TITLE), Span("   ", PLAIN), Span("cd", TITLE)], [], [Span(" 1 ", Style("cell", 0))]]
    wires = [Wire(-1, 0, "────────"), Wire(2, 1, ""), Wire(1, 2, "──────"), Wire(9, 1, "─"), Wire(0, 3, "─")]
    wires += [Wire(0, -1, "─")]
    drawn = [text_of(line) for line in wired(lines, wires, 8)]
    assert drawn == ["ab ─ cd", "  ──────", " 1 ────"]
    assert [text_of(line) for line in wired(lines, [Wire(-2, 1, "123456")], 3)][1] == "345"
    kinds = {span.style.kind for line in wired(lines, wires, 8) for span in line if "─" in span.text}
    assert kinds == {"dim"}
    edges = [[Span("▐", EDGE), Span(" 3 ", Style("cell", 1, True)), Span("▌", EDGE), Span("   ", PLAIN)]]
    assert text_of(wired(edges, [Wire(0, 0, "────────")], 8)[0]) == "▐ 3 ▌───"


def test_both_sides_stand_on_one_page_in_their_columns() -> None:
    scene = arrange(trace_of("gather-2"), 60, 20, Zoom.VALUES).packed()
    sides = [[*stack_lines(stack, 0, 9, 0, 24, Look(), Partners())] for stack in (scene.inputs, scene.outputs)]
    wanted = [f"{text_of(first):<24}   {text_of(second)}" for first, second in zip(*sides, strict=True)]
    assert [text_of(line) for line in page(scene, 24, 24, 9, Look())] == wanted


def test_cells_of_tables_are_listed_the_largest_first() -> None:
    tables, heads, size = [SmallTable((((2, n), "7" * (2 * n)),)) for n in (1, 3, 2)], [0, 0, 4], CELL_SIZES[-1]
    table = tables[1]
    assert placed(tables, size, 14, 2, heads) == [(0, 0), (3, 0), (10, 0)]  # a head may be wider than its table
    assert placed(tables, size, 13, 2, heads) == [(0, 0), (3, 0), (0, 4)]
    assert placed(tables, size, 5, 2, heads) == [(0, 0), (0, 4), (0, 8)]
    assert placed(tables, size, 4, 2, heads) is placed(tables, size, 13, 2, heads, in_row=True) is None
    assert SmallTable((((), "5"), ((2,), ["-1", "0"]))).width(CELL_SIZES[0]) == 2 * (2 + 6 + 1) - 1
    assert SmallTable((((2, 0), ""),)).lines(CELL_SIZES[0]) == []
    for one, other in pairwise(CELL_SIZES):
        assert table.height(one) * table.width(one) > table.height(other) * table.width(other)


def test_colours_are_those_of_xterm_and_letters_those_of_a_spreadsheet() -> None:
    known = {16: (0, 0, 0), 21: (0, 0, 255), 196: (255, 0, 0), 231: (255, 255, 255), 110: (135, 175, 215)}
    known |= {232: (8, 8, 8), 255: (238, 238, 238), 30: (0, 135, 135)}
    assert {index: rgb(index) for index in known} == known
    names = {-1: "", 0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"}
    assert {identity: letter(identity) for identity in names} == names
    assert [round(lightness((grey,) * 3), 1) for grey in (0, 5, 119, 255)] == [0, 1.4, 50.0, 100]
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert [ink((grey,) * 3)[0] for grey in (0, 110, 125, 255)] == [255, 255, 0, 0]


def test_shades_run_evenly_from_the_first_of_a_sequence_to_its_last() -> None:
    places, lengths = np.arange(-1, 15), np.full(16, 15)
    assert shades_of(places, lengths) == [MUTED, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
    assert shades_of(np.array([0, 0, 1]), np.array([1, 2, 2])) == [0, 0, SHADES - 1]
    assert shaded(3, SHADES) == shaded(3, -1) == fill(3)
    assert shaded(11, 2) == shaded(3, 2) != fill(11)
    for palette in ("xterm", "greys", "ansi-dark", "ansi-light"):
        many = len(tones(palette))
        assert [rounds(n, palette) for n in (0, many - 1, many, 2 * many)] == [0, 0, 1, 2]
        assert (fill(many, palette) == fill(0, palette)) == (palette != "xterm")
        assert (shaded(0, 1, palette) == fill(0, palette)) == (palette != "xterm")
        assert (palette in FINE) == (many == 8)


def test_cells_are_as_wide_as_their_values_up_to_fourteen() -> None:
    assert cell_width([np.array([7])]) == 3
    assert cell_width([np.array([7]), np.array([-125, 3])]) == 6
    assert cell_width([np.array([2**62])]) == 14
    assert cell_width([]) == 3


def test_margins_follow_from_how_many_letters_and_places_there_are() -> None:
    def gather(rows: int, count: int) -> Trace:
        return dml.trace(dml.Gather(dml.TensorDesc("INT8", (rows, 2)), dml.TensorDesc("UINT32", (1, count)), 0, 1))

    def reverse(size: int) -> Trace:
        return dml.trace(
            dml.ReverseSubsequences(dml.TensorDesc("INT8", (2, size)), dml.TensorDesc("UINT32", (2, 1)), 1)
        )

    assert [letter_columns(gather(rows, 3)) for rows in (1, 26, 27, 702, 703)] == [1, 1, 2, 2, 3]
    assert [place_columns(reverse(size)) for size in (10, 11, 100, 101, 1000, 1001)] == [1, 2, 2, 3, 3, 0]
    assert [read_columns(gather(5, count)) for count in (3, 99, 100, 999, 1000)] == [4, 4, 5, 5, 7]
    assert place_columns(gather(3, 3)) == 0


@pytest.mark.parametrize("width", [30, 50, 90])
def test_every_cell_of_a_memory_row_is_hit_and_nothing_beside_it(width: int) -> None:
    one = Experiment("of a test", dml.Tile(dml.TensorDesc("INT16", (5, 30)), (2, 1)))
    for flat in (0, 77, 299):
        memory = Memory(one.trace(), Cursor(Place(True, 0), divmod(flat, 30)), width)
        for row in memory.rows:
            assert row is not None
            assert row.flat in row.shown
            assert row.shown.start >= 0
            assert row.shown.stop <= row.part.tensor.element_count
            columns = {row.column(n) + i: n for n in row.shown for i in range(row.cell)}
            for x in range(width):
                found = row.hit(x)
                assert (None if found is None else found.index[0] * 30 + found.index[1]) == columns.get(x)
            end = row.column(row.shown[-1]) + row.cell
            assert length(row.line(Look(), Partners(output=(0, row.flat)))) <= row.width
            assert end <= row.width
