"""Both sides of a picture laid out in a room, with one layout for all of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Part
from ...desc.fields import Role
from ...formats.uncompared import Cache
from ...operators.maps import Place
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import first_reader_of
from .assign import LEAST_BESIDE, Asked, Layout, Wordings, Words, choose, joined_axis
from .cell_widths import cell_widths, column_widths, page_widths, usual_widths
from .directions import Axes
from .figure import Figure
from .margins import letter_columns
from .measure import Side
from .stack import GAP, Aside, Stack
from .zoom import Zoom, lettered

T = TypeVar("T")
NEAR = 24
"""Columns by which the inputs may have more or less room than they would get by themselves."""

BARS = 2
"""Columns of the lane that are kept for scroll bars."""
LEAST_ROWS = 2
"""Rows of a tensor that are worth a part of the window."""
FEW = 64
"""Tensors of a side up to which all are asked how much of their names there is room for."""


class Answers(Struct, frozen=True):
    """What a layout leaves room for where somebody is asked about the picture."""

    outputs: bool = True
    """False where the outputs, and even their sizes, are asked for: the picture is of the inputs alone."""
    more: int = 0
    """Columns of an output's cell for an answer beside the value."""


WITH_OUTPUTS = Answers()


class Scene(Struct, frozen=True):
    """Both sides of a picture, and how many columns of the room the inputs take."""

    trace: Trace
    inputs: Stack
    outputs: Stack
    share: int
    layout: Layout

    def suits(self, share: int, width: int) -> bool:
        """True if both sides stand whole where the inputs have `share` of `width` columns, near enough to their own."""
        left, right = (stack.before + stack.width for stack in (self.inputs, self.outputs))
        whole = left <= share and right <= width - share
        return self.layout.fits and whole and abs(share - self.share) <= NEAR

    def stack(self, is_output: bool) -> Stack:
        return self.outputs if is_output else self.inputs

    @property
    def zoom(self) -> Zoom:
        return self.layout.zoom

    def called(self, *, short: bool, worded: int) -> Scene:
        """The scene with shorter names of its tensors if `short`, and with so few words for their axes."""
        left, right = (
            replace(stack, figures=tuple(replace(figure, is_short=short, worded=worded) for figure in stack.figures))
            for stack in (self.inputs, self.outputs)
        )
        return replace(self, inputs=left, outputs=right)

    def packed(self) -> Scene:
        """The scene without the empty columns and lines before its sides."""
        inputs, outputs = (replace(stack, before=0, above=0, below=0) for stack in (self.inputs, self.outputs))
        return replace(self, inputs=inputs, outputs=outputs)

    @property
    def _turns(self) -> bool:
        """True if a cursor can turn it: axes are sliced, or tensors are set aside."""
        return bool(self.layout.sliced or self.inputs.asides or self.outputs.asides)

    def at_first(self) -> Scene:
        """The scene at its first slices, wherever it was turned to before."""
        if not self._turns:
            return self
        return replace(self, inputs=_first_slices(self.inputs), outputs=_first_slices(self.outputs))

    def following(self, cursor: Cursor | None, known: Known = EVERYTHING) -> Scene:
        """The scene turned to the slices that hold an element and what is known to belong to it; as it is for None."""
        if cursor is None or not self._turns:
            return self
        elements = {c.place: c.index for c in seen_with(self.trace, cursor, known)}
        return replace(self, inputs=_turned(self.inputs, elements), outputs=_turned(self.outputs, elements))


def _turned(stack: Stack, elements: Mapping[Place, tuple[int, ...]]) -> Stack:
    """The stack with its figures turned to the slices of `elements`, and what is set aside scrolled to them."""
    figures = list(stack.figures)
    for place, index in elements.items():
        for n in range(len(figures)):
            if figures[n].place == place and figures[n].at != index:
                # What was drawn stays with the slice that it is of.
                same = figures[n].shows(index)
                figures[n] = replace(figures[n], at=index, drawn=figures[n].drawn if same else Cache())
    asides = []
    for aside in stack.asides:
        figure = figures[aside.number]
        here = elements.get(figure.place)
        asides.append(aside if here is None else aside.following(figure, here))
    return replace(stack, figures=tuple(figures), asides=tuple(asides))


def _first_slices(stack: Stack) -> Stack:
    """The stack at its first slices, with what is set aside scrolled to its beginning."""
    figures = (replace(f, at=(0,) * len(f.at), drawn=Cache()) if any(f.at) else f for f in stack.figures)
    return replace(stack, figures=tuple(figures), asides=tuple(replace(a, top=0, left=0) for a in stack.asides))


def layout_of(
    trace: Trace,
    width: int,
    height: int,
    zoom: Zoom | None = None,
    *,
    lane: int = 0,
    turned: bool = False,
    page: bool = False,
    answers: Answers = WITH_OUTPUTS,
) -> Layout:
    """How the tensors of a desc are laid out in two windows side by side, `width` x `height` in all.

    In the largest zoom that lets all of it fit; else in `zoom`, or VALUES, by slices and then by scrolling. `turned`
    swaps rows and columns. On a `page` tensors stand one below the other, and nothing is sliced. The lane between the
    windows has `lane` of the columns, unless more fits without. A trace keeps the answers.
    """
    known: dict[object, Layout] = trace.kept.setdefault("layouts", {})
    key = width, height, zoom, lane, turned, page, answers
    if key not in known:
        spare = max(0, lane - BARS)
        layout = _laid_out(trace, width - lane, height, zoom, spare=spare, turned=turned, page=page, answers=answers)
        if lane and not _stands_best(trace, layout):
            wider = _laid_out(trace, width, height, zoom, turned=turned, page=page, answers=answers)
            if wider.fits and _standing(wider) > _standing(layout):
                layout, lane = wider, 0
        known[key] = replace(layout, lane=lane)
    return known[key]


def _stands_best(trace: Trace, layout: Layout) -> bool:
    """True if tensors would stand no better in any other room: one at each side has nothing to stand beside."""
    alone = len(trace.inputs) == len(trace.outputs) == 1
    return layout.fits and (alone or any(layout.beside)) and not layout.sliced and lettered(layout.zoom)


def _standing(layout: Layout) -> tuple[bool, bool, int, bool]:
    """How well tensors stand, larger is better: (fits, shows values, fewer sliced axes, side by side)."""
    return layout.fits, lettered(layout.zoom), -len(layout.sliced), any(layout.beside)


def _laid_out(
    trace: Trace,
    width: int,
    height: int,
    zoom: Zoom | None,
    *,
    spare: int = 0,
    turned: bool,
    page: bool,
    answers: Answers,
) -> Layout:
    """The layout in a room without a lane, or with one of `spare` columns more than it needs, worked out anew."""
    sides = _sides(trace, answers)
    # The cells of the small zooms are of one width, whatever they hold.
    usual = None if page or (zoom is not None and not lettered(zoom)) else _kept(trace, "usual widths", usual_widths)
    widths = _kept(trace, "page widths", page_widths) if page else _kept(trace, "widths", cell_widths)
    if answers.more:
        widths = widths[0], [(at_ease + answers.more, tight + answers.more) for at_ease, tight in widths[1]]
    asked = Asked(
        zooms=[zoom] if zoom else list(Zoom),
        widths=widths,
        usual=usual,
        room=(width, height),
        spare=spare,
        turned=turned,
        page=page,
    )
    words = _kept(trace, "words when turned" if turned else "words", partial(_title_lengths, turned=turned))
    return choose(trace, sides, asked, words)


def _kept(trace: Trace, name: str, make: Callable[[Trace], T]) -> T:
    """What `make` gives for a trace, which keeps it under `name`."""
    if name not in trace.kept:
        trace.kept[name] = make(trace)
    kept: T = trace.kept[name]
    return kept


def _title_lengths(trace: Trace, *, turned: bool) -> Words:
    """A function that says how long the titles of a side are under given axes; `turned` ones say that below."""
    sides = _sides(trace, WITH_OUTPUTS)

    @cache
    def words(side: int, down: Axes, across: Axes, sliced: Axes, folded: bool) -> Wordings:
        # Of thousands of tensors, which don't stand side by side, a few tell how long titles are.
        some = sides[side][:: max(1, len(sides[side]) // 64)]
        figures = (_figure(trace, *placed_part, (down, across, sliced)) for placed_part in some)
        return [replace(figure, is_turned=turned, folded=folded).wordings for figure in figures]

    return words


def arrange(
    trace: Trace,
    width: int,
    height: int,
    zoom: Zoom | None = None,
    *,
    lane: int = 0,
    turned: bool = False,
    page: bool = False,
    answers: Answers = WITH_OUTPUTS,
) -> Scene:
    """A desc's tensors in two windows side by side, as `layout_of` says, axes alike."""
    layout = layout_of(trace, width, height, zoom, lane=lane, turned=turned, page=page, answers=answers)
    room = width - layout.lane
    left, right = _both_stacks(trace, layout, answers)
    if layout.fits and not page:
        wide = _widened(left, right, width - min(layout.lane, 1))
        if wide is not left:
            layout = replace(layout, lane=min(layout.lane, width - wide.least - right.least))
        room = width - layout.lane
        return _called_alike(_centred(trace, wide, right, layout, room, height, answers), room)
    wanted = left.extent + right.extent
    if not page and room < wanted <= width - min(layout.lane, BARS):  # nothing is scrolled sideways for a wide lane
        layout, room = replace(layout, lane=width - wanted), wanted
    share = _share(left, right, room)
    left, right = left.spread(share), right.spread(room - share)
    if not page:
        left, right = _noted(left, share, height), _noted(right, room - share, height)
        left = _shared_out(_set_aside(left, share, height), share, height)
        right = _shared_out(right, room - share, height)
        if layout.zoom is Zoom.LARGE and not left.asides and _steering_figures(left) and left.height > height:
            # Cells so large that what sends an element is out of sight: smaller ones leave room for both.
            return arrange(trace, width, height, Zoom.VALUES, lane=lane, turned=turned, answers=answers)
    scene = _at_first_output(Scene(trace=trace, inputs=left, outputs=right, share=share, layout=layout))
    return scene if page else _called_alike(scene, room)


def _called_alike(scene: Scene, room: int) -> Scene:
    """The scene with shorter names, and as short axes' words, for all tensors where one lacks the room."""
    if max(len(stack.figures) for stack in (scene.inputs, scene.outputs)) > FEW:
        return scene  # thousands of them are all inputs, or all outputs
    sides = (scene.inputs, scene.share), (scene.outputs, room - scene.share)
    rooms = [
        (figure, stack.lefts[n + 1] - stack.lefts[n] - GAP if stack.beside else columns - stack.before)
        for stack, columns in sides
        for n, figure in enumerate(stack.figures)
    ]
    short = not all(figure.is_called_whole(columns) for figure, columns in rooms)
    worded = max((figure.words_in(columns) for figure, columns in rooms), default=0)
    return scene.called(short=short, worded=worded) if short or worded else scene


def _at_first_output(scene: Scene) -> Scene:
    """The scene turned to the first element of the first output."""
    trace = scene.trace
    return scene.following(Cursor(Place(True, 0), (0,) * trace.outputs[0].tensor.dimension_count))


def _both_stacks(trace: Trace, layout: Layout, answers: Answers) -> tuple[Stack, Stack]:
    """The inputs and the outputs as a layout has them stand."""
    sides = zip(_sides(trace, answers), layout.beside, strict=True)
    left, right = (_stack_of_side(trace, side, layout, beside=beside) for side, beside in sides)
    return left, right


def _centred(
    trace: Trace, left: Stack, right: Stack, layout: Layout, width: int, height: int, answers: Answers
) -> Scene:
    """A picture that fits, each side in the middle of its half as far as the other leaves it that.

    Where it stands follows from values of usual length, and gives way only to what would not fit otherwise.
    """
    standard = (
        (left, right) if layout.usual is None else _both_stacks(trace, replace(layout, cells=layout.usual), answers)
    )
    usual, own = (_wanted_columns(*pair, width) for pair in (standard, (left, right)))
    share, before = _halves(usual, width)
    share = min(max(share, before[0] + own[0]), width - own[1])
    left, right = (
        replace(stack.spread(room - ahead), before=ahead)
        for stack, room, ahead in (
            (left, share, min(before[0], share - own[0])),
            (right, width - share, min(before[1], width - share - own[1])),
        )
    )
    pieces = any(joined_axis(trace, side) >= 0 for side in _sides(trace, answers)) and not any(layout.beside)
    left, right = _levelled(left, right, height)
    tallest = max(left.height, right.height)
    left, right = (_stood(stack, stack.height if pieces else tallest, height) for stack in (left, right))
    return _at_first_output(Scene(trace=trace, inputs=left, outputs=right, share=share, layout=layout))


def _stood(stack: Stack, lines: int, height: int) -> Stack:
    """The stack with empty lines around it, as `lines` lines stand in the middle of a window."""
    above = max(0, height - lines) // 2
    return replace(stack, above=above, below=max(0, height - above - stack.height))


def _widened(left: Stack, right: Stack, width: int) -> Stack:
    """The inputs with those columns of indices and lengths wider whose values would be cut, as far as there is room.

    Nothing else becomes wider or narrower for it; the lane gives room before a value is cut.
    """
    figures = list(left.figures)
    for n in _steering_figures(left):
        figure = figures[n]
        widths = column_widths(figure.trace, figure.part, figure.across) if lettered(figure.zoom) else {}
        name = letter_columns(figure.trace) if figure.letters == "cell" else 0
        for column, (ease, pinch) in widths.items():
            for whole in (ease + name + (name > 0), pinch + name):
                more = whole - figures[n].cell
                if more <= 0:
                    break
                wider = (*figures[n].wider, (column, more))
                wider_figures = [*figures[:n], replace(figures[n], wider=wider), *figures[n + 1 :]]
                wide = replace(left, figures=tuple(wider_figures))
                if wide.least + right.least <= width:
                    figures = wider_figures
                    break
    return replace(left, figures=tuple(figures)) if tuple(figures) != left.figures else left


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


def _wanted_columns(left: Stack, right: Stack, width: int) -> tuple[int, int]:
    """Columns of both sides, with as many words as there is room for."""
    choices = (
        (left.width, right.width),
        (left.snug, right.snug),
        (left.least, right.least),
        (left.extent, right.extent),
    )
    return next((choice for choice in choices if sum(choice) <= width), choices[-1])


def _halves(wanted: tuple[int, int], width: int) -> tuple[int, tuple[int, int]]:
    """The columns of the inputs, and the empty ones before both sides."""
    left, right = wanted
    if not right:
        return width, (max(0, width - left) // 2, 0)
    share = max(min(max(width // 2, left), width - right), 0)
    return share, (max(0, share - left) // 2, max(0, width - share - right) // 2)


def _sides(trace: Trace, answers: Answers) -> tuple[Side, Side]:
    """The tensors of both sides with their places."""
    inputs = [(Place(False, k), part) for k, part in enumerate(trace.inputs)]
    outputs = [(Place(True, k), part) for k, part in enumerate(trace.outputs) if answers.outputs]
    return inputs, outputs


def _noted(stack: Stack, width: int, height: int) -> Stack:
    """The stack with a line on each tensor that is larger than the window, which says what of it is seen."""
    figures = (replace(f, noted=f.extent > width or f.height > height) for f in stack.figures)
    return replace(stack, figures=tuple(figures))


def _steering_figures(stack: Stack) -> list[int]:
    """The numbers of the figures that hold indices or lengths."""
    return [n for n, f in enumerate(stack.figures) if f.part.field.role in (Role.INDICES, Role.LENGTHS)]


def _set_aside(stack: Stack, width: int, height: int) -> Stack:
    """The stack with index and length tensors set aside, where scrolling would hide them and there is the height."""
    small = _steering_figures(stack)
    if not small or height < LEAST_BESIDE or (stack.height <= height and stack.extent <= width):
        return stack
    figures, asides = list(stack.figures), []
    row = figures[0].lines
    for n in small:
        figure = figures[n]
        lines = min(figure.height, max(figure.head + row + 1, height // 3))
        noted = figure.extent > width or figure.height > lines
        if noted and not figure.noted:
            lines = min(figure.height, lines) + 1
        figures[n] = replace(figure, noted=noted)
        asides.append(Aside(n, min(lines, figures[n].height), width))
    turned = replace(stack, figures=tuple(figures), asides=tuple(asides))
    head = max(f.head for n, f in enumerate(figures) if n not in small)
    return turned if turned.ahead + head + row + 2 <= height else stack


def _shared_out(stack: Stack, width: int, height: int) -> Stack:
    """The stack with a part of the window for each tensor, where the first ones would hide the others; else as it is.

    Low ones have all the lines that they need, the others as many as each other. The last one scrolls as ever.
    """
    figures, count = [*stack.figures], len(stack.figures)
    if not 1 < count <= height or stack.beside or _steering_figures(stack):
        return stack
    if stack.tops[count - 1] + figures[-1].head + figures[-1].lines <= height:
        return stack  # there the last one is seen as it is
    lines, spare = [0] * count, height - (count - 1)
    for left, n in zip(range(count, 0, -1), sorted(range(count), key=lambda n: figures[n].height), strict=True):
        lines[n] = min(figures[n].height, spare // left)
        spare -= lines[n]
        if lines[n] < figures[n].height and not figures[n].noted:
            figures[n] = replace(figures[n], noted=True)
        if lines[n] < min(figures[n].height, figures[n].head + LEAST_ROWS * figures[n].step):
            return stack
    asides = tuple(Aside(n, lines[n], width) for n in range(count - 1))
    return replace(stack, figures=tuple(figures), asides=asides)


def _share(inputs: Stack, outputs: Stack, width: int) -> int:
    """Columns for the inputs: words give way before sizes do, and sizes before cells."""
    for left, right in (
        (inputs.width, outputs.width),
        (inputs.snug, outputs.snug),
        (inputs.least, outputs.least),
        (inputs.extent, outputs.extent),
    ):
        if left + right <= width:
            # What the inputs would still like, as far as the outputs have no use for it.
            return left + max(0, min(inputs.width - left, width - left - outputs.width))
    return max(width - outputs.extent, min(inputs.extent, width // 2))


def _stack_of_side(trace: Trace, side: Side, layout: Layout, *, beside: bool = False) -> Stack:
    """The tensors of a side as a layout has them drawn."""
    axes = layout.down, layout.across, layout.sliced
    figures = (
        replace(
            _figure(trace, place, part, axes),
            cell=layout.cells[place.is_output][place.number],
            gap=layout.gap,
            lines=layout.spacing.lines,
            step=layout.spacing.step,
            ruled=layout.spacing.ruled,
            zoom=layout.zoom,
            is_turned=layout.turned,
            shaded=not layout.page,
            folded=layout.folded,
            centred=not layout.page,
        )
        for place, part in side
    )
    return Stack(tuple(figures), layout.spacing.between, beside=beside)


def _figure(trace: Trace, place: Place, part: Part, axes: tuple[Axes, Axes, Axes]) -> Figure:
    """A tensor with its long axes (down, across, sliced), at the first slice."""
    sizes = part.tensor.sizes
    down, across, sliced = (tuple(d for d in side if d < len(sizes) and sizes[d] > 1) for side in axes)
    return Figure(
        trace=trace,
        place=place,
        part=part,
        down=down,
        across=across,
        cell=1,
        sliced=sliced,
        at=(0,) * len(sizes) if sliced else (),
    )


def seen_with(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Iterator[Cursor]:
    """The elements whose slices are seen with the cursor's, one a tensor at most; other tensors stay as they are.

    Only those that are known to belong to it.

    Of an output element: its source and the cell that sent it. Of an input element: the first output element that reads
    it, with that one's source and cell.
    """
    yield cursor
    place = cursor.place
    output, index = place.number, cursor.index
    if not place.is_output:
        reader = first_reader_of(trace, cursor, known)
        if reader is None:
            return
        output, index = reader.place.number, reader.index
        yield reader
    elif not known.tells(cursor):
        return
    source = trace.source(output, index)
    links = [] if source.nowhere else [Cursor(Place(False, source.tensor), source.index)]
    if source.via is not None:
        links.append(Cursor(Place(False, source.via.tensor), source.via.index))
    yield from (cursor for cursor in links if cursor.place != place)
