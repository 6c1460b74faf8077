"""The tensors of one side, one below the other, and the layout that both sides share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from ..checks import Place
from ..tracing import Trace
from .assign import Layout, Side, choose, letter_columns
from .figure import Cursor, Figure, Line, Look, Partners, cell_width, sample
from .slices import beside
from .zoom import Zoom

READ_FOR_WIDTH = 2048
"""Values that are looked at to find out how wide a cell has to be."""


@dataclass(frozen=True)
class Stack:
    """Figures one below the other."""

    figures: tuple[Figure, ...]
    between: int = 1
    """Empty lines between two tensors."""
    family: object = field(default_factory=object, compare=False, repr=False)
    """The same for stacks that differ in nothing but the slices they show."""

    @cached_property
    def tops(self) -> list[int]:
        """The first line of each figure, and behind the last one's gap."""
        return list(accumulate((f.height + self.between for f in self.figures), initial=0))

    @property
    def height(self) -> int:
        return max(0, self.tops[-1] - self.between)

    @cached_property
    def width(self) -> int:
        return max((f.width for f in self._some), default=0)

    @cached_property
    def snug(self) -> int:
        return max((f.snug for f in self._some), default=0)

    @property
    def _some(self) -> tuple[Figure, ...]:
        """Of thousands of tensors a few tell how long titles are."""
        return self.figures[:: max(1, len(self.figures) // 32)]

    @cached_property
    def extent(self) -> int:
        """Columns that there is something to scroll to."""
        return max((f.extent for f in self.figures), default=0)

    def figure_at(self, y: int) -> int:
        return max(0, min(bisect_right(self.tops, y) - 1, len(self.figures) - 1))

    def hit(self, x: int, y: int, top: int, left: int, half: int = 0) -> Cursor | None:
        """The element drawn at (x, y) of a window that shows the stack from line `top`, bodies from column `left`.

        `half` is 0 for the upper and 1 for the lower of two elements in a character.
        """
        number = self.figure_at(top + y)
        figure = self.figures[number]
        local = top + y - self.tops[number]
        start = top - self.tops[number]
        if 0 < start < figure.height - figure.head - 1 and y < figure.head:
            return None  # the pinned ruler lies over the cells there
        index = figure.hit(x - figure.margin + left, local, half) if x >= figure.margin else None
        return Cursor(figure.place, index) if index is not None else None

    def button(self, x: int, y: int, top: int, width: int) -> Cursor | None:
        """What the cursor moves to where (x, y) of a window is a mark that turns to another slice."""
        number = self.figure_at(top + y)
        figure = self.figures[number]
        start = top - self.tops[number]
        pinned = 0 < start < figure.height - figure.head - 1 and y < figure.head
        found = figure.button(x, y if pinned else top + y - self.tops[number], width)
        return Cursor(figure.place, figure.turned(*found)) if found is not None else None

    def turned(self, cursor: Cursor, by: int, outer: int) -> Cursor | None:
        """The cursor some slices further; the sliced axes count like digits, the last `outer` of them standing still.

        None where nothing is sliced that far out.
        """
        figure = self.figure(cursor.place)
        sizes = figure.part.tensor.sizes
        axes = [d for d in figure.sliced if sizes[d] > 1]
        axes = axes[: len(axes) - outer]
        if not axes:
            return None
        index, carry = list(cursor.index), by
        for d in reversed(axes):
            carry, index[d] = divmod(index[d] + carry, sizes[d])
        return cursor if carry else Cursor(cursor.place, tuple(index))

    def place(self, cursor: Cursor) -> tuple[int, int]:
        """(x, y) of an element: x behind the ruler, y from the stack's top."""
        number = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        x, y = self.figures[number].locate(cursor.index)
        return x, y + self.tops[number]

    def figure(self, place: Place) -> Figure:
        return next(f for f in self.figures if f.place == place)

    def moved(self, cursor: Cursor, rows: int, columns: int) -> Cursor:
        """The element some cells further; past the last row, the next tensor's."""
        number = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        figure = self.figures[number]
        row = figure.row_of(cursor.index) + rows
        if row < 0 and number > 0:
            other = self.figures[number - 1]
            return Cursor(other.place, other.index(other.rows.count - 1, 0))
        if row >= figure.rows.count and number < len(self.figures) - 1:
            other = self.figures[number + 1]
            return Cursor(other.place, other.index(0, 0))
        return Cursor(figure.place, figure.moved(cursor.index, rows, columns))

    def first(self) -> Cursor:
        figure = self.figures[0]
        return Cursor(figure.place, figure.index(0, 0))

    def lines(self, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
        """What a window of `count` lines and `width` columns shows from line `top`, bodies scrolled by `left`."""
        made: list[Line] = []
        while len(made) < count and self.figures:
            y = top + len(made)
            if y >= self.height:
                break
            number = self.figure_at(y)
            figure, start = self.figures[number], y - self.tops[number]
            if start >= figure.height:
                made.append([])
                continue
            share = min(count - len(made), figure.height - start)
            made += figure.lines(start, share, left, width, look, partners)
        return made + [[]] * (count - len(made))


@dataclass(frozen=True)
class Scene:
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

    def following(self, cursor: Cursor | None) -> Scene:
        """The same picture, turned to the slices that hold an element and what belongs to it on the other side."""
        if not self.layout.sliced or cursor is None:
            return self
        found = {c.place: c.index for c in beside(self.trace, cursor)}
        return replace(self, inputs=_turned(self.inputs, found), outputs=_turned(self.outputs, found))


def _turned(stack: Stack, found: Mapping[Place, tuple[int, ...]]) -> Stack:
    """The stack with the figures of some tensors turned to the slices of those elements."""
    figures = list(stack.figures)
    for place, index in found.items():
        for n in range(len(figures)):
            if figures[n].place == place and figures[n].at != index:
                # What was drawn stays with the slice that it is of.
                same = figures[n].shows(index)
                figures[n] = replace(figures[n], at=index, _grids=figures[n]._grids if same else {})
    return replace(stack, figures=tuple(figures))


def arrange(trace: Trace, width: int, height: int, zoom: Zoom | None = None) -> Scene:
    """Lays the tensors of a desc into two windows side by side, `width` x `height` in all; axes go alike on both sides.

    In the largest zoom that lets all of it fit, if any of the at most 256 ways to send axes down or across does; else
    in `zoom`, or VALUES, by slices and then by scrolling.
    """
    inputs = [(Place(False, k), p) for k, p in enumerate(trace.inputs)]
    outputs = [(Place(True, k), p) for k, p in enumerate(trace.outputs)]
    found = choose(trace, (inputs, outputs), [zoom] if zoom else list(Zoom), _cells(trace), (width, height))
    left, right = (_stack(trace, side, found) for side in (inputs, outputs))
    share = _share(left, right, width)
    if not found.fits:
        left, right = _noted(left, share, height), _noted(right, width - share, height)
    return Scene(trace, left, right, share, found).following(
        Cursor(Place(True, 0), (0,) * len(outputs[0][1].tensor.sizes))
    )


def _noted(stack: Stack, width: int, height: int) -> Stack:
    """The stack with a line on each tensor that is larger than the window, which says what of it is seen."""
    figures = (replace(f, noted=f.extent > width or f.height > height) for f in stack.figures)
    return replace(stack, figures=tuple(figures))


def _share(inputs: Stack, outputs: Stack, width: int) -> int:
    """Columns for the inputs: words give way before sizes do, and sizes before cells."""
    for left, right in (
        (inputs.width, outputs.width),
        (inputs.snug, outputs.snug),
        (inputs.extent, outputs.extent),
    ):
        if left + right <= width:
            # What the inputs would still like, as far as the outputs have no use for it.
            return left + max(0, min(inputs.width - left, width - left - outputs.width))
    return max(width - outputs.extent, min(inputs.extent, width // 2))


def _cells(trace: Trace) -> tuple[int, int]:
    """Columns of a cell in which values stand whole, with a letter where need be: beside them, and up against them."""
    narrow = _cell(trace)
    several = False
    for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
        for k, part in enumerate(parts):
            axes = trace.operator.identity_axes(trace.desc, Place(is_output, k))
            several |= sum(part.tensor.sizes[d] > 1 for d in axes) > 1
    name = letter_columns(trace) if several else 0
    return narrow + (name + 1 if several else 0), narrow + max(0, name - 1)


def _cell(trace: Trace) -> int:
    """One width for every cell of the picture, so that both sides line up."""
    most = max(4, min(256, READ_FOR_WIDTH // len(trace.inputs)))
    step = max(1, len(trace.inputs) // 256)
    every = range(0, len(trace.inputs), step)
    return cell_width(trace.read(k, sample(trace.inputs[k].tensor.element_count, most)) for k in every)


def _stack(trace: Trace, side: Side, layout: Layout) -> Stack:
    figures = []
    for place, part in side:
        sizes = part.tensor.sizes
        rows, columns, sliced = (
            tuple(d for d in axes if d < len(sizes) and sizes[d] > 1)
            for axes in (layout.down, layout.across, layout.sliced)
        )
        figures.append(
            Figure(
                trace,
                place,
                part,
                rows,
                columns,
                layout.cell,
                layout.spacing.step,
                layout.spacing.ruled,
                layout.zoom,
                sliced,
                (0,) * len(sizes) if sliced else (),
            )
        )
    return Stack(tuple(figures), layout.spacing.between)
