"""Which zoom a picture is drawn in, which of its axes are sliced, and how the tensors of a side stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from ...tracing import Trace
from .cell_widths import Widths
from .directions import Axes, directions
from .measure import Extent, Measure, Side
from .stack import GAP
from .zoom import CELL_WIDTHS, IN_PROPORTION, PAGE_SPACINGS, SPACINGS, Spacing, Zoom, lettered

LEAST_BESIDE = 12
"""Lines of a window from which small tensors keep a place of their own in it."""
FEW = 128
"""Elements of the largest tensor up to which values are always shown, unless asked for otherwise."""
LEAST_LINES = 4
"""A tensor has at least a title, a ruler, a row and the names of its axes."""
LEAST_COLUMNS = 8
"""A tensor has at least a ruler and a cell."""
Beside = tuple[bool, bool]
"""Whether the inputs stand side by side, and whether the outputs do."""
STACKED: Beside = (False, False)
Wordings = Sequence[tuple[int, int, int]]
"""Columns of title and names of axes, for each tensor: in all words, with shorter names, and with sizes alone."""
Words = Callable[[int, Axes, Axes, Axes, bool], Wordings]
"""Those of the tensors of side 0 or 1, under (down, across, sliced) axes, in titles that are folded or not. Of tensors
that stand one below the other some are enough."""
Wording = tuple[int, bool]
ALL, NAMED, SIZED = 0, 1, 2
"""How many words titles have."""
TYPED = ((ALL, False), (ALL, True), (NAMED, False), (NAMED, True))
UNTYPED = ((SIZED, False), (SIZED, True))
"""(words, folded): DataType is left out where none of `TYPED` fits."""


SCROLLED = {Zoom.LARGE: range(3, 5), Zoom.VALUES: range(1, 3)}
"""The widths of cells in a picture that is scrolled."""


class Layout(Struct, frozen=True, kw_only=True):
    """The directions of all axes, and as much air as there is room for."""

    zoom: Zoom
    down: Axes
    across: Axes
    sliced: Axes
    cells: tuple[Sequence[int], Sequence[int]]
    """Columns of a cell, for each of the inputs and of the outputs."""
    breadth: int
    """Which of `CELL_WIDTHS` they have."""
    spacing: Spacing
    fits: bool
    """Everything is seen without scrolling."""
    turned: bool = False
    """Rows and columns have changed places, because somebody wanted it."""
    beside: Beside = STACKED
    page: bool = False
    """For a page, where nothing is drawn but text."""
    folded: bool = False
    """Titles have a second line, for DataType and sizes."""
    usual: tuple[Sequence[int], Sequence[int]] | None = None
    """The same as `cells`, if values were of usual length: where tensors stand follows from that."""

    lane: int = 0
    """Columns of the room that the lane between both sides has, besides those that it needs."""

    @property
    def gap(self) -> int:
        """Columns between two cells."""
        return CELL_WIDTHS[self.zoom][self.breadth].gap

    @property
    def is_airy(self) -> bool:
        """A line below each title, and rows that stand apart."""
        return self.spacing.ruled and (self.zoom is Zoom.LARGE or self.spacing.step > 1)


class Asked(Struct, frozen=True):
    """What a layout is asked for."""

    zooms: Sequence[Zoom]
    """Those to choose from, the most wanted first."""
    widths: Widths
    """What each tensor's own values need."""
    usual: Widths | None
    """What values of usual length need; None where a tensor's place may depend on its values."""
    room: tuple[int, int]
    """Columns and lines, for both sides together."""
    spare: int = 0
    """Columns besides, which the lane between both sides gives for what would be scrolled sideways without them."""
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
    usual = _layout_with(picture, asked.usual) if asked.usual is not None else None
    if usual is not None and usual.fits and not usual.sliced and lettered(usual.zoom):
        settled = picture.settled(usual)
        if settled is not None:
            return settled
    for widths in (picture.floored_widths(), asked.widths):
        own = _layout_with(picture, widths)
        if own.fits and lettered(own.zoom) and not own.sliced:
            return own
    cut = picture.cut_widths()
    other = _layout_with(picture, cut) if cut is not None else own
    return max((own, other), key=lambda layout: (layout.fits, lettered(layout.zoom), -len(layout.sliced)))


class _Picture(Struct, frozen=True, dict=True):
    """Both sides of a picture, to be laid out with cells of any widths."""

    trace: Trace
    sides: tuple[Side, Side]
    asked: Asked
    words: Words

    @cached_property
    def measure(self) -> Measure:
        """The tensors of both sides, to be measured."""
        columns, lines = self.asked.room
        return Measure(self.trace, self.sides, max(columns // LEAST_COLUMNS, lines // LEAST_LINES) + 1)

    @cached_property
    def directions(self) -> tuple[Axes, Axes]:
        """(down, across) axes of the picture."""
        return directions(self.measure.axes, turned=self.asked.turned)

    @cached_property
    def placements(self) -> list[Beside]:
        """How both sides may stand, the most wanted first."""
        return (
            [STACKED] if self.asked.page else _ways_to_stand(self.trace, self.sides, self.measure, self.directions[1])
        )

    def with_sliced(self, sliced: Axes, widths: Widths) -> _Sliced:
        """The picture with some axes sliced, and cells as `widths` need them."""
        down, across = (tuple(d for d in axes if d not in sliced) for axes in self.directions)
        return _Sliced(
            measure=self.measure,
            down=down,
            across=across,
            sliced=sliced,
            asked=self.asked,
            widths=widths,
            words=self.words,
        )

    def settled(self, usual: Layout) -> Layout | None:
        """The layout `usual` with cells as wide as each tensor's own values need; None where they don't fit so."""
        assert self.asked.usual is not None
        under, standard = (self.with_sliced((), widths) for widths in (self.asked.widths, self.asked.usual))
        zoom, beside, first = usual.zoom, usual.beside, usual.breadth
        breadths = range(first, len(CELL_WIDTHS[zoom]))
        spare = self.asked.room[0] - standard.columns(zoom, usual.cells, first, beside, (SIZED, usual.folded))
        for stays, cut, breadth in [
            *((True, False, breadth) for breadth in breadths),
            (True, True, breadths[-1]),
            *((False, False, breadth) for breadth in breadths),
            (False, True, breadths[-1]),
        ]:
            cells: tuple[list[int], list[int]] = [], []
            for side in (0, 1):
                every = zip(under.sides[side], standard.sides[side], self.measure.sides[side], strict=True)
                for own, common, bulk in every:
                    plain = usual.cells[side][bulk.numbers[0]]
                    wide = own.narrow > common.narrow and not (cut and bulk.is_steering)
                    cells[side].append(max(plain, own.cell(zoom, breadth)) if wide else plain)
            # What is wider than usual takes room at the right first, so that nothing moves.
            room = self.asked.room[0] - (spare // 2 if stays else 0)
            if under.columns(zoom, cells, first, beside, (SIZED, usual.folded)) <= room:
                return replace(usual, cells=under.of_each(cells), usual=usual.cells)
        return None

    def floored_widths(self) -> Widths:
        """Widths that hold a tensor's own values and usual ones; own ones alone where no usual ones are asked for."""
        if self.asked.usual is None:
            return self.asked.widths
        inputs, outputs = (
            [(max(own[0], usual[0]), max(own[1], usual[1])) for own, usual in zip(*widths_of_side, strict=True)]
            for widths_of_side in zip(self.asked.widths, self.asked.usual, strict=True)
        )
        return inputs, outputs

    def cut_widths(self) -> Widths | None:
        """Widths of own values, of indices and lengths no more than usual ones need; None where that cuts nothing."""
        if self.asked.usual is None:
            return None
        (inputs, outputs), usual = self.asked.widths, self.asked.usual[0]
        steering = {n for bulk in self.measure.sides[0] if bulk.is_steering for n in bulk.numbers}
        widths = [min(own, usual[n]) if n in steering else own for n, own in enumerate(inputs)]
        return (widths, outputs) if widths != [*inputs] else None


def _layout_with(picture: _Picture, widths: Widths) -> Layout:
    """The layout of both sides with cells of some widths."""
    trace, sides, asked, measure = picture.trace, picture.sides, picture.asked, picture.measure
    zooms = asked.zooms
    if len(zooms) > 1 and max(p.tensor.element_count for side in sides for _, p in side) <= FEW:
        zooms = [zoom for zoom in zooms if lettered(zoom)]
    placements = picture.placements
    whole = picture.with_sliced((), widths)
    worded = [zoom for zoom in zooms if lettered(zoom)]
    fitting = (layout for beside in placements for zoom in worded if (layout := whole.fitting(zoom, beside)))
    first = next(fitting, None)
    if first is not None:
        if first.zoom is Zoom.LARGE and not first.spacing.between:
            # Large cells are no use where they cost the line between tensors.
            return next((layout for layout in fitting if layout.zoom is Zoom.VALUES), first)
        return first
    zoom = zooms[0] if len(zooms) == 1 else Zoom.VALUES
    alone, last = None, whole
    for sliced in [()] if asked.page else _slicings(trace, sides, measure.axes):
        last = picture.with_sliced(sliced, widths)
        for beside in placements:
            layout = last.fitting(zoom, beside)
            if layout is not None:
                return layout
        alone = alone or last.fitting_alone(zoom)
    small = (zoom for zoom in zooms if not lettered(zoom))
    shrunk = (layout for zoom in small for beside in placements if (layout := whole.fitting(zoom, beside)))
    return next(shrunk, None) or alone or last.scrolled(zoom)


def joined_axis(trace: Trace, side: Side) -> int:
    """The axis along which the tensors of a side make up one on the other side; -1 for none."""
    if len(side) < 2 or not side[0][1].field.many:
        return -1
    axes = [*trace.operator.axis_roles(trace.desc, side[0][0])]
    return axes[0] if len(axes) == 1 else -1


def _ways_to_stand(trace: Trace, sides: tuple[Side, Side], measure: Measure, across: Axes) -> list[Beside]:
    """How the tensors of both sides may stand: first what shows the axis they are joined along."""
    joined = [joined_axis(trace, side) if few == 1 else -1 for side, few in zip(sides, measure.stand_for, strict=True)]
    if measure.stand_for[0] == 1 and any(bulk.is_steering for bulk in measure.sides[0]):
        return [(True, False), STACKED]
    if joined == [-1, -1]:
        return [STACKED]
    wanted = joined[0] in across, joined[1] in across
    return [wanted, (joined[0] >= 0 and not wanted[0], joined[1] >= 0 and not wanted[1])]


def _slicings(trace: Trace, sides: tuple[Side, Side], axes: Axes) -> Iterator[Axes]:
    """Sets of axes that may be sliced, likeliest first: never the two innermost, or those that are worked on."""
    kept = {*axes[-2:], *_worked_on(trace, sides)}
    colours = {d for side in sides for place, _ in _few(side) for d in trace.colours.identity_axes(trace.desc, place)}
    free = [d for d in axes if d not in kept]
    for count in range(len(free) + 1):
        yield from sorted(combinations(free, count), key=lambda axes: (sum(d in colours for d in axes), axes))


def _worked_on(trace: Trace, sides: tuple[Side, Side]) -> set[int]:
    """The axes that the operator works on: those that have a role, or else those along which outputs change colour."""
    operator, desc = trace.operator, trace.desc
    roles = {d for side in sides for place, _ in _few(side) for d in operator.axis_roles(desc, place)}
    return roles or {d for place, _ in _few(sides[1]) for d in trace.colours.identity_axes(desc, place)}


def _few(side: Side) -> Side:
    """The first tensors of a side and its last: of thousands these tell which axes are worked on."""
    return (*side[:8], *side[-1:])


def _larger(zoom: Zoom, one: tuple[Spacing, int], other: tuple[Spacing, int]) -> bool:
    """True if cells `one` are so much larger than `other` that titles may give words for it."""
    (spacing, breadth), (before, was) = one, other
    if CELL_WIDTHS[zoom][breadth].tight != CELL_WIDTHS[zoom][was].tight:
        return CELL_WIDTHS[zoom][was].tight
    return spacing.lines > before.lines or (spacing.lines == before.lines and breadth < was - 1)


class _Sliced(Struct, frozen=True, kw_only=True, dict=True):
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
        """What the room of each measured tensor follows from, for inputs and outputs."""
        return self.measure.under(self.down, self.across, self.sliced, self.widths)

    def cells(self, zoom: Zoom, breadth: int) -> tuple[list[int], list[int]]:
        """Columns of a cell, for each that is measured."""
        left, right = ([extent.cell(zoom, breadth) for extent in side] for side in self.sides)
        return left, right

    def of_each(self, cells: tuple[list[int], list[int]]) -> tuple[Sequence[int], Sequence[int]]:
        """`cells` of measured tensors, for every tensor that one of them stands for."""
        left, right = (
            [cell for cell, bulk in zip(side, bulks, strict=True) for _ in bulk.numbers]
            for side, bulks in zip(cells, self.measure.sides, strict=True)
        )
        return tuple(left), tuple(right)

    def width(self, zoom: Zoom, breadth: int, beside: Beside, wording: Wording | None = None) -> int:
        """Columns of both sides with cells of one breadth."""
        key = zoom, breadth, beside, wording
        width = self._measured_columns.get(key)
        if width is None:
            bodies = self._measured_bodies.get((zoom, breadth))
            if bodies is None:
                bodies = self._measured_bodies[zoom, breadth] = self._body_columns(
                    zoom, self.cells(zoom, breadth), breadth
                )
            width = self._measured_columns[key] = self._columns_of_both(bodies, beside, wording)
        return width

    @cached_property
    def _measured_columns(self) -> dict[object, int]:
        """Widths that were measured already: cells grow step by step."""
        return {}

    @cached_property
    def _measured_bodies(self) -> dict[tuple[Zoom, int], Sequence[Sequence[int]]]:
        """Widths without titles that were measured already; titles are tried with more words and fewer."""
        return {}

    @cached_property
    def _low_spacings(self) -> dict[object, list[list[Spacing]]]:
        """The spacings with which both sides are no higher than the room; what titles say has no part in it."""
        return {}

    def columns(
        self,
        zoom: Zoom,
        cells: tuple[Sequence[int], Sequence[int]],
        breadth: int,
        beside: Beside,
        wording: Wording | None = None,
    ) -> int:
        """Columns of both sides; titles of tensors one below the other have no part in it without a `wording`."""
        return self._columns_of_both(self._body_columns(zoom, cells, breadth), beside, wording)

    def _body_columns(
        self, zoom: Zoom, cells: tuple[Sequence[int], Sequence[int]], breadth: int
    ) -> Sequence[Sequence[int]]:
        """Columns of each tensor of both sides, without titles."""
        gap = CELL_WIDTHS[zoom][breadth].gap
        return [
            [extent.width(zoom, cell, gap) for extent, cell in zip(extents, cells_of_side, strict=False)]
            for extents, cells_of_side in zip(self.sides, cells, strict=True)
        ]

    def _columns_of_both(self, cells: Sequence[Sequence[int]], beside: Beside, wording: Wording | None) -> int:
        """Columns of both sides, whose tensors take `cells` columns without titles."""
        return sum(self._columns_of_side(side, cells[side], beside[side], wording) for side in (0, 1))

    def _columns_of_side(self, side: int, cells: Sequence[int], beside: bool, wording: Wording | None) -> int:
        """Columns of one side, whose tensors take `cells` columns without titles; 0 for no tensors."""
        gaps = GAP * (len(cells) - 1) if beside else 0
        if not cells:
            return 0
        if not beside and wording is None:
            return max(cells)
        if (sum(cells) if beside else max(cells)) + gaps > self.asked.room[0]:
            return sum(cells) + gaps
        words, folded = wording or (SIZED, False)
        worded = [wording[words] for wording in self.words(side, self.down, self.across, self.sliced, folded)]
        return sum(map(max, cells, worded)) + gaps if beside else max(*cells, *worded)

    def height(self, zoom: Zoom, spacing: Spacing, beside: Beside, folded: bool = False) -> int:
        """Lines of the taller side."""
        tall = []
        for side, extents in enumerate(self.sides):
            heights = [extent.height(zoom, spacing) + folded for extent in extents]
            below = (sum(heights) + spacing.between * len(heights)) * self.measure.stand_for[side] - spacing.between
            tall.append(max(heights, default=0) if beside[side] else below)
        return max(tall)

    def _eased(self, zoom: Zoom, breadth: int, beside: Beside, wording: Wording | None) -> tuple[list[int], list[int]]:
        """Cells of one breadth; the narrowest get a blank before their values, where none has one and there is room."""
        cells = self.cells(zoom, breadth)
        widest = max([*cells[0], *cells[1]])
        if (
            not CELL_WIDTHS[zoom][breadth].tight
            or self.columns(zoom, cells, breadth, beside, wording) > self.asked.room[0]
        ):
            return cells
        for side in (0, 1):
            for k, extent in enumerate(self.sides[side]):
                tight = cells[side][k]
                cells[side][k] = max(tight, min(widest, extent.cell(zoom, breadth - 1)))
                if self.columns(zoom, cells, breadth, beside, wording) > self.asked.room[0]:
                    cells[side][k] = tight
        return cells

    def fitting(self, zoom: Zoom, beside: Beside) -> Layout | None:
        """The layout that shows everything without scrolling, as large as there is room for; None where none does."""
        columns, lines = self.asked.room
        if self.height(zoom, SPACINGS[zoom][-1], beside) > lines:
            return None
        breadths = range(len(CELL_WIDTHS[zoom]))
        if not any(beside) and self.width(zoom, breadths[-1], beside) > columns:
            return None
        if self.asked.page:
            return self._on_page(zoom)
        folds = all(next_to or len(side) < 2 for next_to, side in zip(beside, self.sides, strict=True))
        best: tuple[Spacing, int, Wording | None] | None = None
        every: list[Sequence[Wording | None]] = [TYPED, UNTYPED, *([] if any(beside) else [[None]])]
        for wordings in every:
            if best is not None and not CELL_WIDTHS[zoom][best[1]].tight:
                break  # words give way before cells do
            for wording in wordings:
                largest = self._largest(zoom, beside, wording) if folds or wording is None or not wording[1] else None
                if largest is not None and (best is None or _larger(zoom, largest, best[:2])):
                    best = *largest, wording
        return self._layout(zoom, best[1], best[0], beside, best[2], fits=True) if best is not None else None

    def _largest(self, zoom: Zoom, beside: Beside, wording: Wording | None) -> tuple[Spacing, int] | None:
        """The largest cells with which everything fits, titles of some wording too; None for none."""
        columns, lines = self.asked.room
        breadths = range(len(CELL_WIDTHS[zoom]))
        if self.width(zoom, breadths[-1], beside, wording) > columns:
            return None
        folded = wording is not None and wording[1]
        low = self._low_spacings.get((zoom, beside, folded))
        if low is None:
            low = self._low_spacings[zoom, beside, folded] = [
                [spacing for spacing in SPACINGS[zoom] if height(zoom, spacing, beside, folded) <= lines]
                for height in (self.levelled_height, self.height)
            ]
        pairs: list[tuple[Spacing, int]] = []
        for spacings in low:
            for spacing in spacings:
                proper = IN_PROPORTION.get((spacing.lines, spacing.step), breadths) if lettered(zoom) else breadths
                breadth = next(
                    (number for number in proper if self.width(zoom, number, beside, wording) <= columns), None
                )
                if breadth is not None:
                    pairs.append((spacing, breadth))
                    break
        # Rows of all tensors on one line are worth a rule or a gap, and no smaller cells.
        return max(pairs, key=lambda pair: pair[0].lines) if pairs else None

    def levelled_height(self, zoom: Zoom, spacing: Spacing, beside: Beside, folded: bool = False) -> int:
        """Lines with all first rows on one line; those of `height` where not all tensors stand side by side."""
        extents = [extent for side in self.sides for extent in side]
        stacked = [len(side) > 1 and not next_to for side, next_to in zip(self.sides, beside, strict=True)]
        if any(stacked) or self.measure.stand_for != [1, 1]:
            return self.height(zoom, spacing, beside, folded)
        return max(e.above(zoom, spacing) for e in extents) + max(e.below(zoom, spacing) for e in extents) + folded

    def fitting_alone(self, zoom: Zoom) -> Layout | None:
        """The layout in which each tensor for itself is seen without scrolling; None where there is none."""
        columns, lines = self.asked.room
        tallest = max(extent.height(zoom, SPACINGS[zoom][-1]) for side in self.sides for extent in side)
        if tallest > lines or self.width(zoom, len(CELL_WIDTHS[zoom]) - 1, STACKED) > columns:
            return None
        return self.scrolled(zoom)

    def scrolled(self, zoom: Zoom) -> Layout:
        """The layout of what doesn't fit, a blank before its values: at an edge, scrolling would cut a digit off."""
        wide, (columns, lines) = SCROLLED.get(zoom, range(1)), self.asked.room
        # No edge cuts anything where all columns are seen, and the lane gives its own before cells lose their blanks.
        whole, tight = columns + self.asked.spare, len(CELL_WIDTHS[zoom]) - 1
        ways = [*((number, columns) for number in wide), (wide[-1], whole), (tight, whole)]
        breadth = next((number for number, room in ways if self.width(zoom, number, STACKED) <= room), wide[-1])
        spacing = next(s for s in SPACINGS[zoom][::-1] if s.between)  # what is scrolled past keeps a line between
        steered = any(bulk.is_steering for bulk in self.measure.sides[0])
        if lines < LEAST_BESIDE and steered and self.measure.stand_for == [1, 1] and not self.asked.page:
            # A window that is too low for a place of their own: beside the input they are in sight, too.
            for narrower in range(wide[0], len(CELL_WIDTHS[zoom])):
                for wording in (*TYPED, *UNTYPED):
                    if not wording[1] and self.width(zoom, narrower, (True, False), wording) <= columns:
                        return self._layout(zoom, narrower, spacing, (True, False), wording, fits=False)
        return self._layout(zoom, breadth, spacing, STACKED, None, fits=False)

    def _on_page(self, zoom: Zoom) -> Layout:
        """The layout for a page, whatever its length: tightest where not all of it fits."""
        columns, lines = self.asked.room
        *wide, tightest = range(1, len(CELL_WIDTHS[zoom]))
        *roomy, tight = PAGE_SPACINGS
        breadth = next((number for number in wide if self.width(zoom, number, STACKED) <= columns), tightest)
        spacing = next((s for s in roomy if self.height(zoom, s, STACKED) <= lines), tight)
        return self._layout(zoom, breadth, spacing, STACKED, None, fits=True)

    def _layout(
        self, zoom: Zoom, breadth: int, spacing: Spacing, beside: Beside, wording: Wording | None, *, fits: bool
    ) -> Layout:
        return Layout(
            zoom=zoom,
            down=self.down,
            across=self.across,
            sliced=self.sliced,
            cells=self.of_each(self._eased(zoom, breadth, beside, wording)),
            breadth=breadth,
            spacing=spacing,
            fits=fits,
            turned=self.asked.turned,
            beside=beside,
            page=self.asked.page,
            folded=wording is not None and wording[1],
        )
