"""Both sides of a picture laid out in a room, with one layout for all of its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ...formats.uncompared import Cache
from ...operators.maps import Place
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import first_reader_of
from .assign import MANY, Layout, Picture, choose
from .cell_widths import cell_widths
from .headings import Words
from .stack import Stack
from .zoom import SIZES, Zoom, lettered

BARS = 2
"""Columns of the lane that are kept for scroll bars."""


class Answers(Struct, frozen=True):
    """What a layout leaves room for where somebody is asked about the picture."""

    outputs: bool = True
    """False where the outputs, and even their sizes, are asked for: the picture is of the inputs alone."""
    more: int = 0
    """Columns of an output's cell for an answer beside the value."""
    asked: bool = True
    """What is asked stands right below the picture, which keeps a line for that rather than above itself."""


WITH_OUTPUTS = Answers(asked=False)


class Scene(Struct, frozen=True):
    """Both sides of a picture, and how many columns of the room the inputs take."""

    trace: Trace
    inputs: Stack
    outputs: Stack
    share: int
    layout: Layout

    def stack(self, is_output: bool) -> Stack:
        return self.outputs if is_output else self.inputs

    @property
    def zoom(self) -> Zoom:
        return self.layout.zoom

    def packed(self) -> Scene:
        """The scene without the empty columns and lines before its sides."""
        inputs, outputs = (replace(stack, before=0, above=0, below=0) for stack in (self.inputs, self.outputs))
        return replace(self, inputs=inputs, outputs=outputs)

    def at_first(self) -> Scene:
        """The scene at its first slices, wherever it was turned to before."""
        if not self.layout.sliced:
            return self
        return replace(self, inputs=_first_slices(self.inputs), outputs=_first_slices(self.outputs))

    def following(self, cursor: Cursor | None, known: Known = EVERYTHING) -> Scene:
        """The scene turned to the slices that hold an element and what is known to belong to it; as it is for None."""
        if cursor is None or not self.layout.sliced:
            return self
        elements = {c.place: c.index for c in seen_with(self.trace, cursor, known)}
        inputs, outputs = (_turned(stack, elements) for stack in (self.inputs, self.outputs))
        return replace(self, inputs=inputs, outputs=outputs)


def _turned(stack: Stack, elements: Mapping[Place, tuple[int, ...]]) -> Stack:
    """The stack with its figures turned to the slices of `elements`."""
    figures = list(stack.figures)
    for place, index in elements.items():
        for n in range(len(figures)):
            if figures[n].place == place and figures[n].at != index:
                # What was drawn stays with the slice that it is of.
                same = figures[n].shows(index)
                figures[n] = replace(figures[n], at=index, drawn=figures[n].drawn if same else Cache())
    return replace(stack, figures=tuple(figures))


def _first_slices(stack: Stack) -> Stack:
    figures = (replace(f, at=(0,) * len(f.at), drawn=Cache()) if any(f.at) else f for f in stack.figures)
    return replace(stack, figures=tuple(figures))


def layout_of(
    trace: Trace,
    width: int,
    height: int,
    zoom: Zoom | None = None,
    *,
    lane: int = 0,
    turned: bool = False,
    answers: Answers = WITH_OUTPUTS,
) -> Layout:
    """How the tensors of a desc are laid out in two windows side by side, `width` x `height` in all.

    In the largest zoom that lets all of it fit; else in `zoom`, or VALUES, by slices and then by scrolling. `turned`
    swaps rows and columns. The lane between the windows has `lane` of the columns, unless tensors stand better without.
    A trace keeps the answers.
    """
    known: dict[object, Layout] = trace.kept.setdefault("layouts", {})
    key = width, height, zoom, lane, turned, answers
    if key not in known:

        def beside(own: int) -> Layout:
            return replace(choose(_picture(trace, (width - own, height), zoom, turned, answers)), lane=own)

        layouts = [beside(own) for own in dict.fromkeys((lane, 0))]
        ends = {*map(_standing, layouts)}
        if lane > 1 and (len(ends) > 1 or ends.pop()[-3:] != (0, -Words.TYPED, True)):  # else half is no better
            layouts.insert(1, beside(lane // 2))
        known[key] = max((one for one in layouts if one is layouts[0] or one.fits), key=_standing)
    return known[key]


def _standing(layout: Layout) -> tuple[int, ...]:
    """How well tensors stand, larger is better.

    (fits, shows values, fewer sliced axes, side by side, higher cells, blanks beside values, more words in titles, on
    one line)
    """
    size = layout.size
    stands = layout.fits, lettered(layout.zoom), -len(layout.sliced), any(layout.beside)
    return *stands, size.lines, -sum(size.width.tight), -max(layout.words, Words.TYPED), not layout.folded


def _picture(
    trace: Trace,
    room: tuple[int, int],
    zoom: Zoom | None = None,
    turned: bool = False,
    answers: Answers = WITH_OUTPUTS,
) -> Picture:
    """The tensors of a desc, to be laid out in a room."""
    if "widths" not in trace.kept:
        trace.kept["widths"] = cell_widths(trace)
    return Picture(
        trace=trace,
        sides=(
            [(Place(False, k), part) for k, part in enumerate(trace.inputs)],
            [(Place(True, k), part) for k, part in enumerate(trace.outputs) if answers.outputs],
        ),
        zooms=[zoom] if zoom else [*Zoom],
        widths=trace.kept["widths"],
        more=answers.more,
        room=room,
        turned=turned,
    )


def arrange(
    trace: Trace,
    width: int,
    height: int,
    zoom: Zoom | None = None,
    *,
    lane: int = 0,
    turned: bool = False,
    answers: Answers = WITH_OUTPUTS,
) -> Scene:
    """A desc's tensors in two windows side by side, as `layout_of` says, axes alike."""
    layout = layout_of(trace, width, height, zoom, lane=lane, turned=turned, answers=answers)
    left, right = _picture(trace, (width, height), zoom, turned=turned, answers=answers).stacks(layout)
    room, wanted = width - layout.lane, left.extent + right.extent
    if layout.fits:
        share, left, right = _centred(left, right, room, height, asked=answers.asked)
    else:
        # Nothing is scrolled sideways for a wide lane.
        if room < wanted <= width - min(layout.lane, BARS):
            layout, room = replace(layout, lane=width - wanted), wanted
        most = max(room - right.extent, min(left.extent, room // 2))
        share = left.width if left.width + right.width <= room else most
        left, right = _noted(left, share, height), _noted(right, room - share, height)
    if not layout.fits and max(len(left.figures), len(right.figures)) <= MANY:
        rooms = [*((f, share) for f in left.figures), *((f, room - share) for f in right.figures)]
        words = min(max(f.words_in(columns) for f, columns in rooms), Words.LEAST)
        left, right = (
            replace(stack, figures=tuple(replace(f, words=words) for f in stack.figures)) for stack in (left, right)
        )
    scene = Scene(trace=trace, inputs=left, outputs=right, share=share, layout=layout)
    return scene.following(Cursor(Place(True, 0), (0,) * trace.outputs[0].tensor.dimension_count))


def arrange_page(trace: Trace, width: int, height: int, *, turned: bool = False) -> Scene:
    """A desc's tensors on a page of text: those of a side stand one below the other, and nothing is sliced.

    Cells have one line, as a page has no fills, and so no half lines.
    """
    picture = replace(_picture(trace, (width, height), turned=turned), page=True)
    layout = picture.layout([size for size in SIZES if lettered(size.zoom)][-1])
    layout = replace(layout, words=Words.ALL, ruled=picture.fits(replace(layout, ruled=True)))
    left, right = picture.stacks(layout)
    return Scene(trace=trace, inputs=left, outputs=right, share=width // 2, layout=layout)


def _centred(left: Stack, right: Stack, width: int, height: int, *, asked: bool) -> tuple[int, Stack, Stack]:
    """A picture that fits, each side in the middle of its half as far as the other leaves it that; (share, sides)."""
    wide = left.width, right.width
    share = max(min(max(width // 2, wide[0]), width - wide[1]), 0) if right.figures else width
    left, right = _levelled(left, right, height)
    tallest = max(left.height, right.height)
    # Below tensors that stand side by side, a value's way may pass.
    is_free = not asked and all(stack.height < tallest for stack in (left, right) if stack.beside)
    above = (max(0, height - tallest) + is_free) // 2
    left, right = (
        replace(
            stack,
            before=max(0, room - columns) // 2,
            above=above,
            below=max(0, height - above - stack.height),
        )
        for stack, room, columns in ((left, share, wide[0]), (right, width - share, wide[1]))
    )
    return share, left, right


def _levelled(left: Stack, right: Stack, height: int) -> tuple[Stack, Stack]:
    """Both sides with their first rows on one line, where all stand side by side and have room; else as they are."""
    if any(len(stack.figures) > 1 and not stack.beside for stack in (left, right)):
        return left, right
    head = max(f.head for stack in (left, right) for f in stack.figures)
    one, other = (
        replace(stack, figures=tuple(replace(f, lowered=head - f.head, drawn=Cache()) for f in stack.figures))
        for stack in (left, right)
    )
    return (one, other) if max(one.height, other.height) <= height else (left, right)


def _noted(stack: Stack, width: int, height: int) -> Stack:
    """The stack with a line on each tensor that is larger than the window, which says what of it is seen."""
    figures = ((f, f.extent > width or f.height > height) for f in stack.figures)
    return replace(stack, figures=tuple(replace(f, noted=True) if noted else f for f, noted in figures))


def seen_with(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Iterator[Cursor]:
    """The elements whose slices are seen with the cursor's, one a tensor at most; other tensors stay as they are.

    Only those that are known to belong to it.

    Of an output element: its source and the cell that sent it. Of an input element: the first output element that reads
    it, with that one's source and cell.
    """
    yield cursor
    place = cursor.place
    out, index = place.number, cursor.index
    if not place.is_output:
        reader = first_reader_of(trace, cursor, known)
        if reader is None:
            return
        out, index = reader.place.number, reader.index
        yield reader
    elif not known.tells(cursor):
        return
    source = trace.source(out, index)
    links = [] if source.nowhere else [Cursor(Place(False, source.tensor), source.index)]
    if source.via is not None:
        links.append(Cursor(Place(False, source.via.tensor), source.via.index))
    yield from (cursor for cursor in links if cursor.place != place)
