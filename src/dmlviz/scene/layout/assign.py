"""Which zoom a picture is drawn in, which of its axes are sliced, and how the tensors of a side stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from ...tracing import Trace
from .cell_widths import Widths
from .directions import Axes, directions
from .measure import Extent, Measure, Side
from .stack import GAP
from .zoom import LARGE_LINES, SPACINGS, Spacing, Zoom, cell_choices, lettered

FEW = 128
"""Elements of the largest tensor up to which values are always shown, unless asked for otherwise."""
LEAST_LINES = 4
"""A tensor has at least a title, a ruler, a row and the names of its axes."""
LEAST_COLUMNS = 8
"""A tensor has at least a ruler and a cell."""
Beside = tuple[bool, bool]
"""Whether the inputs stand side by side, and whether the outputs do."""
STACKED: Beside = (False, False)
Words = Callable[[int, Axes, Axes, Axes], list[int]]
"""The least columns in which the title and the names of the axes stand, for each tensor of side 0 or 1, under (down,
across, sliced) axes."""


@dataclass(frozen=True)
class Layout:
    """The directions of all axes, and as much air as there is room for."""

    zoom: Zoom
    down: Axes
    across: Axes
    sliced: Axes
    cells: tuple[Sequence[int], Sequence[int]]
    """Columns of a cell, for each of the inputs and of the outputs."""
    spacing: Spacing
    fits: bool
    """Everything is seen without scrolling."""
    turned: bool = False
    """Rows and columns have changed places, because somebody wanted it."""
    beside: Beside = STACKED
    shaded: bool = False
    """Cells have room for their place in a sequence, and shades that say it."""

    @property
    def is_airy(self) -> bool:
        """A line below each title, and rows that stand apart."""
        return self.spacing.ruled and (self.zoom is Zoom.LARGE or self.spacing.step > 1)


@dataclass(frozen=True)
class Asked:
    """What a layout is asked for."""

    zooms: Sequence[Zoom]
    """Those to choose from, the most wanted first."""
    widths: Widths
    """What each tensor's own values need."""
    usual: Widths | None
    """What values of usual length need; None where a tensor's place may depend on its values."""
    room: tuple[int, int]
    """Columns and lines, for both sides together."""
    turned: bool = False
    page: bool = False
    """For a page, which is read from top to bottom: tensors one below the other, and nothing sliced."""


def choose(trace: Trace, sides: tuple[Side, Side], asked: Asked, words: Words) -> Layout:
    """The layout of both sides. Which way an axis runs depends on the sizes alone.

    In the largest zoom with values in which all of it fits; or else in VALUES with as few axes sliced as let it fit; or
    else as colours, if all of that fits. Where nothing does: in VALUES, sliced so that each tensor fits for itself, or
    with all sliced that may be. With a single zoom to choose from, in that. Tensors that are joined along an axis stand
    side by side where it runs across, and one below the other where it runs down, if they fit so; where they stand says
    more than whether values are drawn large. So does an index or length tensor, between the input and the output.
    Values that can be counted at a glance never become mere colours.

    Where everything fits with values of usual length, tensors stand there whatever their values are, as far as those
    let them. Indices and lengths are rather cut than that they would change anything.
    """
    picture = _Picture(trace, sides, asked, words)
    usual = picture.chosen(asked.usual) if asked.usual is not None else None
    if usual is not None and usual.fits and not usual.sliced and lettered(usual.zoom):
        settled = picture.settled(usual)
        if settled is not None:
            return settled
    own = picture.chosen(asked.widths)
    if own.fits and lettered(own.zoom) and not own.sliced:
        return own
    cut = picture.cut_widths()
    other = picture.chosen(cut) if cut is not None else own
    return max((own, other), key=lambda layout: (layout.fits, lettered(layout.zoom), -len(layout.sliced)))


@dataclass(frozen=True)
class _Picture:
    """Both sides of a picture, to be laid out with cells of any widths."""

    trace: Trace
    sides: tuple[Side, Side]
    asked: Asked
    words: Words

    @cached_property
    def measure(self) -> Measure:
        columns, lines = self.asked.room
        return Measure(self.trace, self.sides, max(columns // LEAST_COLUMNS, lines // LEAST_LINES) + 1)

    @cached_property
    def directions(self) -> tuple[Axes, Axes]:
        return directions(self.measure.axes, turned=self.asked.turned)

    @cached_property
    def placements(self) -> list[Beside]:
        return [STACKED] if self.asked.page else _placements(self.trace, self.sides, self.measure, self.directions[1])

    def under(self, sliced: Axes, widths: Widths) -> _Sliced:
        down, across = (tuple(d for d in axes if d not in sliced) for axes in self.directions)
        return _Sliced(self.measure, down, across, sliced, self.asked, widths, self.words)

    def settled(self, usual: Layout) -> Layout | None:
        """The same layout with cells as wide as each tensor's own values need; None where they don't fit so."""
        assert self.asked.usual is not None
        under, standard = (self.under((), widths) for widths in (self.asked.widths, self.asked.usual))
        zoom, beside = usual.zoom, usual.beside
        levels = range(len(cell_choices(zoom, (0, 0))))
        for cut, level in [*((False, level) for level in levels), (True, levels[-1])]:
            cells: tuple[list[int], list[int]] = [], []
            for side in (0, 1):
                every = zip(under.sides[side], standard.sides[side], self.measure.sides[side], strict=True)
                for own, common, bulk in every:
                    plain = usual.cells[side][bulk.numbers[0]]
                    wide = own.narrow > common.narrow and not (cut and bulk.is_steering)
                    cells[side].append(max(plain, own.cell(zoom, level)) if wide else plain)
            if under.columns(zoom, cells, beside) <= self.asked.room[0]:
                return replace(usual, cells=under.of_each(cells))
        return None

    def cut_widths(self) -> Widths | None:
        """The tensors' own, but of indices and lengths what the usual ones need; None where that is no less."""
        if self.asked.usual is None:
            return None
        (inputs, outputs), usual = self.asked.widths, self.asked.usual[0]
        steering = {n for bulk in self.measure.sides[0] if bulk.is_steering for n in bulk.numbers}
        made = [min(own, usual[n]) if n in steering else own for n, own in enumerate(inputs)]
        return (made, outputs) if made != [*inputs] else None

    def chosen(self, widths: Widths) -> Layout:
        return _chosen(self, widths)


def _chosen(picture: _Picture, widths: Widths) -> Layout:
    """The layout of both sides with cells of some widths."""
    trace, sides, asked, measure = picture.trace, picture.sides, picture.asked, picture.measure
    zooms = asked.zooms
    if len(zooms) > 1 and max(p.tensor.element_count for side in sides for _, p in side) <= FEW:
        zooms = [zoom for zoom in zooms if lettered(zoom)]
    placements = picture.placements
    whole = picture.under((), widths)
    worded = [zoom for zoom in zooms if lettered(zoom)]
    fitting = (found for beside in placements for zoom in worded if (found := whole.fitting(zoom, beside)))
    first = next(fitting, None)
    if first is not None:
        if first.zoom is Zoom.LARGE and first.spacing.step <= LARGE_LINES:
            # Large cells are no use where they cost the air between rows.
            return next((found for found in fitting if found.zoom is Zoom.VALUES), first)
        return first
    zoom = zooms[0] if len(zooms) == 1 else Zoom.VALUES
    alone, last = None, whole
    for sliced in [()] if asked.page else _slicings(trace, sides, measure.axes):
        last = picture.under(sliced, widths)
        for beside in placements:
            found = last.fitting(zoom, beside)
            if found is not None:
                return found
        alone = alone or last.fitting_alone(zoom)
    small = (zoom for zoom in zooms if not lettered(zoom))
    shrunk = (found for zoom in small for beside in placements if (found := whole.fitting(zoom, beside)))
    return next(shrunk, None) or alone or last.layout(zoom, STACKED, whole=False)


def joined_axis(trace: Trace, side: Side) -> int:
    """The axis along which the tensors of a side make up one on the other side; -1 for none."""
    if len(side) < 2 or not side[0][1].field.many:
        return -1
    axes = [*trace.operator.axis_roles(trace.desc, side[0][0])]
    return axes[0] if len(axes) == 1 else -1


def _placements(trace: Trace, sides: tuple[Side, Side], measure: Measure, across: Axes) -> list[Beside]:
    """How the tensors of both sides may stand: first what shows the axis they are joined along."""
    joined = [joined_axis(trace, side) if few == 1 else -1 for side, few in zip(sides, measure.stand_for, strict=True)]
    if measure.stand_for[0] == 1 and any(bulk.is_steering for bulk in measure.sides[0]):
        return [(True, False), STACKED]
    if joined == [-1, -1]:
        return [STACKED]
    wanted = joined[0] in across, joined[1] in across
    return [wanted, (joined[0] >= 0 and not wanted[0], joined[1] >= 0 and not wanted[1])]


def _slicings(trace: Trace, sides: tuple[Side, Side], axes: Axes) -> Iterator[Axes]:
    """The sets of axes that may be sliced, fewest first, and of those the likeliest: outer ones, and no colour's.

    The two innermost stay, and so does what the operator works on.
    """
    kept = {*axes[-2:], *_worked_on(trace, sides)}
    colours = {d for side in sides for place, _ in _some(side) for d in trace.colours.identity_axes(trace.desc, place)}
    free = [d for d in axes if d not in kept]
    for count in range(len(free) + 1):
        yield from sorted(combinations(free, count), key=lambda each: (sum(d in colours for d in each), each))


def _worked_on(trace: Trace, sides: tuple[Side, Side]) -> set[int]:
    """The axes that the operator works on: those that have a role, or else those along which outputs change colour."""
    operator, desc = trace.operator, trace.desc
    roles = {d for side in sides for place, _ in _some(side) for d in operator.axis_roles(desc, place)}
    return roles or {d for place, _ in _some(sides[1]) for d in trace.colours.identity_axes(desc, place)}


def _some(side: Side) -> Side:
    """Of thousands of tensors a few tell which axes are worked on."""
    return (*side[:8], *side[-1:])


@dataclass(frozen=True)
class _Sliced:
    """A picture of which some axes are sliced, to be fitted into a room."""

    measure: Measure
    down: Axes
    across: Axes
    sliced: Axes
    asked: Asked
    widths: Widths
    words: Words

    @cached_property
    def sides(self) -> tuple[list[Extent], list[Extent]]:
        return self.measure.under(self.down, self.across, self.sliced, self.widths)

    def cells(self, zoom: Zoom, level: int) -> tuple[list[int], list[int]]:
        """Columns of a cell, for each that is measured."""
        left, right = ([extent.cell(zoom, level) for extent in side] for side in self.sides)
        return left, right

    def of_each(self, cells: tuple[list[int], list[int]]) -> tuple[Sequence[int], Sequence[int]]:
        """The same for each tensor."""
        left, right = (
            [cell for cell, bulk in zip(side, bulks, strict=True) for _ in bulk.numbers]
            for side, bulks in zip(cells, self.measure.sides, strict=True)
        )
        return tuple(left), tuple(right)

    def width(self, zoom: Zoom, level: int, beside: Beside) -> int:
        """Columns of both sides with cells of one level."""
        return self.columns(zoom, self.cells(zoom, level), beside)

    def columns(self, zoom: Zoom, cells: tuple[list[int], list[int]], beside: Beside) -> int:
        """Columns of both sides."""
        return sum(self._width(side, zoom, cells[side], beside[side]) for side in (0, 1))

    def _width(self, side: int, zoom: Zoom, cells: list[int], beside: bool) -> int:
        each = [extent.width(zoom, cell) for extent, cell in zip(self.sides[side], cells, strict=True)]
        if not beside:
            return max(each)
        gaps = GAP * (len(each) - 1)
        if sum(each) + gaps > self.asked.room[0]:
            return sum(each) + gaps
        return sum(map(max, each, self.words(side, self.down, self.across, self.sliced))) + gaps

    def height(self, zoom: Zoom, spacing: Spacing, beside: Beside) -> int:
        """Lines of the taller side."""
        tall = []
        for side, extents in enumerate(self.sides):
            each = [extent.height(zoom, spacing) for extent in extents]
            below = (sum(each) + spacing.between * len(each)) * self.measure.stand_for[side] - spacing.between
            tall.append(max(each) if beside[side] else below)
        return max(tall)

    def _eased(self, zoom: Zoom, level: int, beside: Beside) -> tuple[list[int], list[int]]:
        """Cells of one level; where values stand without a blank before them, the narrowest get it if there is room."""
        cells = self.cells(zoom, level)
        widest = max(*cells[0], *cells[1])
        if level < 2 or self.columns(zoom, cells, beside) > self.asked.room[0]:
            return cells
        for side in (0, 1):
            for k, extent in enumerate(self.sides[side]):
                tight = cells[side][k]
                cells[side][k] = max(tight, min(widest, extent.cell(zoom, level - 1)))
                if self.columns(zoom, cells, beside) > self.asked.room[0]:
                    cells[side][k] = tight
        return cells

    def fitting(self, zoom: Zoom, beside: Beside) -> Layout | None:
        """The layout that shows everything without scrolling."""
        columns, lines = self.asked.room
        if self.height(zoom, SPACINGS[zoom][-1], beside) > lines:
            return None
        if self.width(zoom, -1, beside) > columns:
            return None
        return self.layout(zoom, beside, whole=True)

    def fitting_alone(self, zoom: Zoom) -> Layout | None:
        """The layout in which each tensor for itself can be seen without scrolling."""
        columns, lines = self.asked.room
        tallest = max(extent.height(zoom, SPACINGS[zoom][-1]) for side in self.sides for extent in side)
        if tallest > lines or self.width(zoom, -1, STACKED) > columns:
            return None
        return self.layout(zoom, STACKED, whole=False)

    def layout(self, zoom: Zoom, beside: Beside, *, whole: bool) -> Layout:
        """With the widest cells and the most air that there is room for."""
        columns, lines = self.asked.room
        *wide, tightest = range(len(cell_choices(zoom, (0, 0))))
        if not whole and wide:
            tightest = wide[-1]  # up against its edge a value would lose a digit as it is scrolled out of the window
        level = next((each for each in wide if self.width(zoom, each, beside) <= columns), tightest)
        cells = self.of_each(self._eased(zoom, level, beside))
        *roomy, spacing = SPACINGS[zoom]
        if whole:
            spacing = next((s for s in roomy if self.height(zoom, s, beside) <= lines), spacing)
        else:
            # What is scrolled past keeps a line between tensors.
            spacing = next(s for s in SPACINGS[zoom][::-1] if s.between)
        return Layout(
            zoom,
            self.down,
            self.across,
            self.sliced,
            cells,
            spacing,
            whole,
            self.asked.turned,
            beside,
            not self.asked.page,
        )
