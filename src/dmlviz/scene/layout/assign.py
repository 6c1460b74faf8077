"""Which size cells have, which axes of a picture are sliced, and how the tensors of a side stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice, product

from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Part
from ...desc.fields import Role
from ...operators.maps import Place
from ...tracing import Trace
from ..digits import HIGH
from .cell_widths import Narrow, Widths
from .directions import Axes, directions, long_axes
from .figure import Figure
from .headings import WORDINGS, Words
from .stack import Stack
from .zoom import SIZES, Size, Zoom, lettered

FEW = 128
"""Elements of the largest tensor up to which values are always shown, unless asked for otherwise."""
STEERING = Role.INDICES, Role.LENGTHS
LEAST_LINES = 4
"""A tensor has at least a title, a ruler, a row and the names of its axes."""
LEAST_COLUMNS = 8
"""A tensor has at least a ruler and a cell."""
MANY = 64
"""Tensors of a side that are all measured; of more, some."""
Side = Sequence[tuple[Place, Part]]
Beside = tuple[bool, bool]
"""Whether the inputs stand side by side, and whether the outputs do."""
STACKED: Beside = (False, False)


class Layout(Struct, frozen=True, kw_only=True):
    """The directions of all axes, and cells as large as there is room for."""

    down: Axes
    across: Axes
    sliced: Axes
    size: Size
    fits: bool
    """Everything is seen without scrolling."""
    beside: Beside = STACKED
    words: int = Words.ALL
    folded: bool = False
    """Titles have a second line, for DataType and sizes."""
    ruled: bool = False
    """A line under each title."""
    apart: bool = False
    """An empty line between rows of large cells."""
    aired: bool = False
    """And one below the last of them."""
    passed: bool = False
    """One below the last row of indices or lengths in any case: a value's way passes there."""
    spare: int = 0
    """Lines of the room that are kept for others."""
    lane: int = 0
    """Columns of the room that the lane between both sides has, besides those that it needs."""

    @property
    def zoom(self) -> Zoom:
        return self.size.zoom


class Picture(Struct, frozen=True, kw_only=True, dict=True):
    """The tensors of both sides, and what a layout is asked for."""

    trace: Trace
    sides: tuple[Side, Side]
    zooms: Sequence[Zoom]
    """Those to choose from, the most wanted first."""
    widths: Widths
    """What each tensor's values need."""
    more: int
    """Columns of an output's cell for what stands beside the value."""
    room: tuple[int, int]
    """Columns and lines, for both sides together."""
    turned: bool = False
    page: bool = False
    """For a page of text."""

    @cached_property
    def axes(self) -> Axes:
        """Those that are longer than 1 in some tensor."""
        return long_axes(part.tensor.sizes for side in self.sides for _, part in side)

    @cached_property
    def is_steered(self) -> bool:
        """True if an input holds indices or lengths."""
        return any(part.field.role in STEERING for _, part in self.sides[0])

    def layout(
        self, size: Size, beside: Beside = STACKED, sliced: Axes = (), *, words: int = Words.LEAST, fits: bool = True
    ) -> Layout:
        """A layout of cells of one size, without any air."""
        down, across = (tuple(d for d in axes if d not in sliced) for axes in directions(self.axes, turned=self.turned))
        return Layout(down=down, across=across, sliced=sliced, size=size, fits=fits, beside=beside, words=words)

    def stacks(self, layout: Layout, most: int | None = None) -> tuple[Stack, Stack]:
        """Both sides as a layout has them; of more than `most` tensors of a side some, which tell of the others."""
        stacks = []
        for side, widths, beside in zip(self.sides, self.widths, layout.beside, strict=True):
            some = side[:: max(1, len(side) // most)] if most else side
            figures = (self._figure(place, part, layout, widths[place.number]) for place, part in some)
            stacks.append(Stack(tuple(figures), beside=beside))
        return stacks[0], stacks[1]

    def _figure(self, place: Place, part: Part, layout: Layout, narrow: Narrow) -> Figure:
        """A tensor with its long axes, at the first slice, in cells that hold its values."""
        sizes, size = part.tensor.sizes, layout.size
        down, across, sliced = (
            tuple(d for d in axes if d < len(sizes) and sizes[d] > 1)
            for axes in (layout.down, layout.across, layout.sliced)
        )
        return Figure(
            trace=self.trace,
            place=place,
            part=part,
            down=down,
            across=across,
            sliced=sliced,
            at=(0,) * len(sizes) if sliced else (),
            cell=size.cell(narrow, self.more * place.is_output, is_output=place.is_output),
            gap=size.width.gap,
            lines=size.lines,
            apart=layout.apart,
            aired=layout.aired or (layout.passed and part.field.role in STEERING),
            ruled=layout.ruled,
            zoom=size.zoom,
            words=layout.words,
            folded=layout.folded,
            is_turned=self.turned,
            paged=self.page,
        )

    def fits(self, layout: Layout, *, is_narrow: bool = False) -> bool:
        """True if everything is seen without scrolling; whether it `is_narrow` enough may be known."""
        columns, lines = self.room
        if max(map(len, self.sides)) > max(columns // LEAST_COLUMNS, lines // LEAST_LINES):
            return False
        left, right = self.stacks(layout)
        is_low = max(left.height, right.height) + layout.spare <= lines
        return is_low and (is_narrow or left.width + right.width <= columns)

    def fitting(self, sizes: Sequence[Size], beside: Beside, sliced: Axes) -> Layout | None:
        """The layout in the largest cells in which everything is seen; None where there is none.

        Its titles have as many words as there is room for with them, or with cells one width less if those let them
        have names or types; any width less under high digits, which titles have a line under, too. After that it has as
        much air.
        """
        least = (
            replace(self.layout(size, beside, sliced, words=size.words), folded=folded, ruled=size.lines > HIGH)
            for size, folded in product(sizes, (False, True))
        )
        found = next(filter(self.fits, least), None)
        if found is None:
            return None
        is_high = found.size.lines > HIGH
        alike = [size for size in sizes[sizes.index(found.size) :] if size.lines == found.size.lines]
        roomy = (size for size in alike if not any(size.width.tight) and self.fits(replace(found, size=size)))
        some = [*islice(roomy, None if is_high else 2)] or alike[:1]
        worded = [self._worded(replace(found, size=size)) for size in some]
        found = min(worded, key=lambda layout: layout.words if is_high else max(layout.words, Words.TYPED))
        # Above a tensor, and below it, where the way of a value may pass.
        spares = (2, 1, 0) if any(beside) else (1, 0)
        apart = (True, False) if found.size.zoom is Zoom.LARGE else (False,)
        ruled = (True,) if is_high else (True, False)
        passed = (True, False) if self.is_steered and any(beside) else (False,)
        airs = (
            replace(found, apart=apart, spare=spare, ruled=ruled, aired=aired, passed=passed)
            for apart, spare, ruled, aired, passed in product(apart, spares, ruled, (True, False), passed)
            if aired == apart or (apart and spare == 1)
        )
        return next(layout for layout in airs if self.fits(layout, is_narrow=True))

    def _worded(self, layout: Layout) -> Layout:
        """A layout that fits, with as many words in titles as there is room for."""
        worded = (replace(layout, words=words, folded=folded) for words, folded in WORDINGS)
        return next(filter(self.fits, worded))


def choose(picture: Picture) -> Layout:
    """The layout of both sides. Which way an axis runs depends on the sizes alone.

    In the largest cells with values in which all of it fits; or else in VALUES with as few axes sliced as let it fit;
    or else as colours, if all of that fits. Where nothing does: in VALUES, with all sliced that may be. With a single
    zoom to choose from, in that. Tensors that are joined along an axis stand side by side where it runs across, and one
    below the other where it runs down, if they fit so; where they stand says more than whether values are drawn large.
    So does an index or length tensor, between the input and the output. Values that can be counted at a glance never
    become mere colours.
    """
    zooms = picture.zooms
    zoom = zooms[0] if len(zooms) == 1 else Zoom.VALUES
    sizes = [size for size in SIZES if size.zoom is zoom]
    slicings = [*_slicings(picture)]
    small = max(part.tensor.element_count for side in picture.sides for _, part in side) <= FEW
    for slicing, some in (
        ((), [size for size in SIZES if size.zoom in zooms and lettered(size.zoom)]),
        *((sliced, sizes) for sliced in slicings),
        ((), [size for size in SIZES if size.zoom in zooms and not lettered(size.zoom) and not small]),
    ):
        for beside in _ways_to_stand(picture):
            found = picture.fitting(some, beside, slicing)
            if found is not None:
                return found
    return _scrolled(picture, sizes, slicings[-1])


def _scrolled(picture: Picture, sizes: Sequence[Size], sliced: Axes) -> Layout:
    """The layout of what doesn't fit, a blank before its values: at an edge, scrolling would cut a digit off.

    No edge cuts anything where all columns are seen.
    """
    easy, tight = [size for size in sizes if not any(size.width.tight)][-1], sizes[-1]
    columns = picture.room[0]
    if picture.is_steered:  # below the input they would be out of sight
        for size in (easy, tight):
            layout = picture.layout(size, (True, False), sliced, fits=False)
            if sum(stack.width for stack in picture.stacks(layout, MANY)) <= columns:
                return layout
    layouts = [picture.layout(size, STACKED, sliced, words=Words.ALL, fits=False) for size in (easy, tight)]
    for layout in layouts:
        if sum(stack.extent for stack in picture.stacks(layout, MANY)) <= columns:
            return layout
    return layouts[0]


def joined_axis(trace: Trace, side: Side) -> int:
    """The axis along which the tensors of a side make up one on the other side; -1 for none."""
    if len(side) < 2 or not side[0][1].field.many:
        return -1
    axes = [*trace.operator.axis_roles(trace.desc, side[0][0])]
    return axes[0] if len(axes) == 1 else -1


def _ways_to_stand(picture: Picture) -> list[Beside]:
    """How the tensors of both sides may stand: first what shows the axis they are joined along."""
    if picture.is_steered:
        return [(True, False), STACKED]
    joined = [joined_axis(picture.trace, side) for side in picture.sides]
    if joined == [-1, -1]:
        return [STACKED]
    across = directions(picture.axes, turned=picture.turned)[1]
    wanted = joined[0] in across, joined[1] in across
    return [wanted, (joined[0] >= 0 and not wanted[0], joined[1] >= 0 and not wanted[1])]


def _slicings(picture: Picture) -> Iterator[Axes]:
    """Axes that are sliced, fewest first: never the two innermost, or those that are worked on; colours' last."""
    trace, desc, op = picture.trace, picture.trace.desc, picture.trace.operator
    # A few of thousands.
    inputs, outputs = ([place for place, _ in (*side[:8], *side[-1:])] for side in picture.sides)
    roles = {d for place in (*inputs, *outputs) for d in op.axis_roles(desc, place)}
    worked_on = roles or {d for place in outputs for d in trace.colours.identity_axes(desc, place)}
    colours = {d for place in (*inputs, *outputs) for d in trace.colours.identity_axes(desc, place)}
    free = sorted((d for d in picture.axes[:-2] if d not in worked_on), key=lambda d: (d in colours, d))
    for count in range(len(free) + 1):
        yield tuple(sorted(free[:count]))
