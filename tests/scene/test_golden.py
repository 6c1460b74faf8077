"""Golden texts of the scene: pictures as a person sees them, with the styles of some in letters below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from support.golden import Golden

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import Place
from dmlviz.scene.colour.root_colours import RootColours
from dmlviz.scene.drawing.as_it_stands import as_it_stands
from dmlviz.scene.drawing.small_table import CELL_SIZES, SmallTable
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.drawing.text_picture import text_picture
from dmlviz.scene.drawing.values import entered
from dmlviz.scene.drawing.wires import route, wired
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import EVERYTHING
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.headings import Words
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.lights import lights
from dmlviz.scene.look import Entry, EntryKind, Look
from dmlviz.scene.memory import HEIGHT, LEAST
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.spans import PLAIN, Line, Span, Style, length
from dmlviz.scene.steps.groups import Box
from dmlviz.scene.steps.order import Steps, Unit
from dmlviz.scene.steps.player import Player
from dmlviz.scene.view_state import view_state_of
from dmlviz.scene.words.formulas import terms, wrapped
from dmlviz.scene.words.sentences import told_steps
from dmlviz.session import examples
from dmlviz.session.chains import Chain
from dmlviz.session.experiments import Experiment
from dmlviz.widgets.picture.flow_lane import Chip, Flow, lane_lines
from dmlviz.workspace.shown.picture import Picture, Room
from dmlviz.workspace.shown.state import PictureState

KINDS = {"title": "T", "dim": "-", "ruler": ":", "axis": "%", "edge": "|", "warn": "!", "letter": "@", "rule": "~"}
KINDS |= {"empty": "0", "stale": "8", "unread": "9", "broken": "^", "named": "_", "broken cell": "&", "plain": " "}
KINDS |= {"nowhere": "7", "asked": "?", "waits": ";", "about": ">", "mark": "#", "wrong": "x", "missed": "o"}


def signed(style: Style) -> str:
    """A letter for a style: an identity's, a large one where it is marked, its place in a sequence; else its kind's."""
    kind = style.kind.removesuffix(" edge")
    if kind == "cell":
        return "." if style.shade != -1 and not style.marked else chr((65 if style.marked else 97) + style.identity)
    return "*" if style.marked else KINDS[kind]


def joined(lines: Iterable[str]) -> str:
    """Lines of text without the empty ones before and behind them."""
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def plain(lines: Iterable[Line]) -> str:
    return joined("".join(span.text for span in line) for line in lines)


def styled(lines: Sequence[Line]) -> str:
    """Lines, and below all of them the styles of their characters."""
    below = joined("".join(signed(span.style) * len(span.text) for span in line) for line in lines)
    return f"{plain(lines)}\n\n{below}"


def example(name: str, number: int = 0) -> Experiment:
    return examples.example(name).session().experiments[number]


class Seen:
    """The picture of an experiment in a room, and the step, cursor and zoom that it is looked at with."""

    def __init__(
        self, one: Experiment, width: int, height: int, zoom: Zoom | None = None, turned: bool = False
    ) -> None:
        self.width, self.height = width, height
        self._picture = Picture(Player(), zoom)
        self._picture.look_at(view_state_of(one, turned=turned))
        self._picture.fit(Room(width - 7, height, lane=7))

    def step(self, number: int, unit: Unit = Unit.ELEMENT) -> Seen:
        self._picture.player = replace(self._picture.player, unit=unit)
        self._picture.refit()
        self._picture.go(number)
        return self

    def at(self, *index: int, tensor: int = 0, is_output: bool = True) -> Seen:
        self._picture.point(Cursor(Place(is_output, tensor), index))
        return self

    @property
    def state(self) -> PictureState:
        return self._picture.state()

    def lines(self, look: Look | None = None) -> list[Line]:
        """Inputs, lane and outputs as they stand side by side on a screen, nothing scrolled."""
        state, scene = self.state, self.state.scene
        assert scene is not None
        lane = 7 + max(0, scene.layout.lane - 2)
        share, moving, flow, ways = scene.share + (scene.layout.lane > 0), state.moving, None, None
        if moving is not None:
            ways = route(scene, moving.source, moving.target)
            start = scene.inputs.locate(moving.source)[1] if ways.enters is None else ways.enters
            stop = scene.outputs.locate(moving.target)[1] if ways.ends is None else ways.ends
            chips = tuple(Chip(*value) for value in moving.values)
            flow = Flow(chips, start, stop, moving.more, moving.way, bool(ways.outputs))
        sides = []
        for stack, width in ((scene.inputs, share), (scene.outputs, self.width - lane - share)):
            lines = stack_lines(stack, 0, self.height, 0, width, look or state.look, state.links)
            wires = () if ways is None else ways.inputs if stack is scene.inputs else ways.outputs
            sides.append(wired(lines, wires, width))
        between = lane_lines(flow, lane, self.height)
        columns = (filled(sides[0], share), filled(between, lane), sides[1])
        return [[*first, *middle, *last] for first, middle, last in zip(*columns, strict=True)]


def filled(lines: Sequence[Line], width: int) -> list[Line]:
    return [[*line, Span(" " * (width - length(line)), PLAIN)] for line in lines]


def source(*index: int, tensor: int = 0) -> Cursor:
    return Cursor(Place(False, tensor), index)


def written(*index: int, tensor: int = 0) -> Cursor:
    return Cursor(Place(True, tensor), index)


def of(desc: dml.Desc) -> Experiment:
    return Experiment("of a test", desc)


def tile(sizes: tuple[int, ...], repeats: tuple[int, ...]) -> Experiment:
    return of(dml.Tile(dml.TensorDesc("INT32", sizes), repeats))


def pictures() -> Iterator[tuple[str, str]]:
    """Whole pictures, in cells of each height."""
    gather, reverse, negative = example("gather-2"), example("reverse-1"), example("note-negative-index")
    frame = of(dml.Padding(dml.TensorDesc("FLOAT32", (2, 3)), "CONSTANT", 7, (1, 1), (1, 1)))
    beside = example("join-2-axis-3")
    yield "gather, step 5", styled(Seen(gather, 80, 15).step(5).lines())
    yield "gather, digits three lines high", plain(Seen(gather, 112, 25).step(5).lines())
    yield "tile turned", plain(Seen(tile((2, 3, 2), (1, 1, 2)), 80, 14, turned=True).at(1, 2, 1).lines())
    yield "gather, negative indices", plain(Seen(negative, 80, 15).at(0, 1).lines())
    yield "join side by side", plain(Seen(beside, 80, 15).at(0, 0, 1, 4).lines())
    yield "join above its row", plain(Seen(beside, 80, 13).at(0, 0, 1, 2).lines())
    yield "reverse, step 6", styled(Seen(reverse, 80, 15).step(6).lines())
    yield "padding as blocks", styled(Seen(frame, 60, 8, Zoom.BLOCKS).step(8).lines())


def entries() -> Iterator[tuple[str, str]]:
    """What a user has said of cells, while a question is open and after it."""
    said: list[tuple[EntryKind, str]] = [(kind, "") for kind in EntryKind if kind is not EntryKind.WRONG]
    said += [(EntryKind.ASKED, "12"), (EntryKind.WRONG, "7")]
    marks = {Place(True, 0): {flat: Entry(*each) for flat, each in enumerate(said)}}
    seen = Seen(example("gather-2"), 80, 11, Zoom.VALUES)
    yield "entries", styled(seen.lines(replace(seen.state.look, entries=marks)))
    cells = [(held, Entry(*each)) for held, each in (*(("5", each) for each in said), ("-12.5", said[-1]))]
    table = ("|".join(entered(held, entry, width) for width in (2, 4, 5, 6, 9)) for held, entry in cells)
    yield "entries in cells of 2, 4, 5, 6 and 9 columns", "\n".join(table)


def values() -> Iterator[tuple[str, str]]:
    """Values beside letters, the wider the room the more of them; and what a broken rule concerns."""
    held = Listed((float("nan"), float("-inf"), 1e-30, 123456789, -0.0, 0.1), (2, 3))
    frame = dml.Padding(dml.TensorDesc("FLOAT32", (2, 3)), "CONSTANT", -1.5, (0, 1), (1, 1))
    filled_in = Experiment("of a test", frame, values={"InputTensor": held})
    yield "values in 54 and 96 columns", "\n".join(plain(Seen(filled_in, width, 6).lines()) for width in (54, 96))
    one = example("rule-sizes-sum")
    view = view_state_of(one)
    axes, cells, _ = lights(view.why.reasons[0], one.desc)
    look = Look(stale=not view.live, broken_axes=axes, broken_cells=cells)
    yield "rule-sizes-sum in red", styled(Seen(one, 70, 8, Zoom.VALUES).lines(look))
    yield "sizes that don't add up", "\n".join(as_it_stands(view))


def window(one: Experiment, cursor: Cursor, size: tuple[int, int], corner: tuple[int, int]) -> list[Line]:
    """Both sides in a window, scrolled to column and line `corner`, without a lane."""
    (width, height), (left, top) = size, corner
    scene = arrange(one.trace(), width - 2, height).following(cursor)
    links, share = partners(scene.trace, cursor), scene.share
    inputs, outputs = (
        stack_lines(stack, top, height, left, room, Look(cursor), links)
        for stack, room in ((scene.inputs, share), (scene.outputs, width - 2 - share))
    )
    return [[*first, *second] for first, second in zip(filled(inputs, share + 2), outputs, strict=True)]


def windows() -> Iterator[tuple[str, str]]:
    """Parts of what doesn't fit: slices, giants, what an edge cuts."""
    giant, sliced = tile((65535, 255), (1, 257)), tile((4, 3, 9, 12), (1, 1, 1, 2))
    yield "a giant", plain(window(giant, written(40000, 302), (70, 9), (1203, 39996)))
    yield "slices in short", styled(window(sliced, written(2, 1, 3, 3), (76, 8), (3, 0)))
    yield "a small window", plain(window(example("gather-2"), written(2, 0), (26, 9), (0, 1)))
    yield "cut at the left", plain(window(example("reverse-1"), written(0, 0, 1, 0), (36, 8), (6, 2)))


def layouts() -> Iterator[tuple[str, str]]:
    """How large cells are, what titles say and where both sides stand, room by room."""
    lines = []
    for name, width, height in (
        *(("gather-2", *room) for room in ((24, 8), (37, 13), (43, 17), (55, 9), (64, 13), (105, 25), (170, 43))),
        *(("reverse-1", *room) for room in ((60, 18), (90, 12))),
        *(("join-2-axis-1", *room) for room in ((50, 12), (80, 24))),
        *(("inline-gather-indices", *room) for room in ((80, 12), (160, 60))),
    ):
        scene = arrange(example(name).trace(), width, height, lane=7)
        layout, size = scene.layout, scene.layout.size
        given = [word for word in ("folded", "ruled", "apart", "aired", "passed") if getattr(layout, word)]
        words = [f"{size.zoom.value} of {size.lines}", Words(layout.words).name, *given, f"lane {layout.lane}"]
        for stack in (scene.inputs, scene.outputs):
            cells = ", ".join(f"{figure.cell}+{figure.gap}" for figure in stack.figures)
            words.append(f"{stack.width}x{stack.height - stack.above} at {stack.before},{stack.above} ({cells})")
        lines.append(f"{name} in {width}x{height}: {'; '.join(words)}{'' if layout.fits else '; scrolled'}")
    yield "layouts", "\n".join(lines)


def memory() -> Iterator[tuple[str, str]]:
    """Memory strips, of both sides and each height."""

    def strip(one: Experiment, cursor: Cursor, width: int, step: int | None = None, height: int = HEIGHT) -> list[Line]:
        known = EVERYTHING if step is None else Steps(one.trace()).until(step)
        return Memory(one.trace(), cursor, width, known).lines(Look(cursor, known), height)

    gather, copies = example("gather-2"), example("tile-1")
    yield "memory of gather", styled(strip(gather, written(1, 1), 80))
    strips = (
        strip(gather, written(2, 1), 80, height=LEAST),
        strip(gather, source(0, 2, tensor=1), 60),
        strip(example("padding-1"), written(0, 0, 0, 3), 80),
        strip(copies, written(0, 0, 0, 4), 60, 4),
        strip(copies, written(0, 0, 0, 2), 60, 4),
        strip(tile((300, 400), (2, 2)), written(1, 500), 70),
    )
    yield (
        "memory in three lines, of an index, a constant, before and after a step, a long run",
        "\n".join(map(plain, strips)),
    )


def pages() -> Iterator[tuple[str, str]]:
    """Pictures as plain text, and small tables."""
    many = dml.Join([dml.TensorDesc("INT32", (1, 1, 2, n)) for n in (1, 2, 3, 1, 2)], 3)
    for name, one, columns, lines in (("gather", example("gather-2"), 80, 30), ("join, cut", of(many), 66, 11)):
        yield f"{name}, as text", "\n".join(text_picture(one.trace(), columns, lines).lines)
    table = SmallTable((((2, 2, 2), "12345678"), ((1, 2), ("-10", "7"))))
    high = SmallTable((((2,), "12"),)).lines(CELL_SIZES[1])
    tables = (*(table.lines(CELL_SIZES[n]) for n in (3, 8)), high)
    yield "tables of cells of three sizes", "\n".join(map(plain, tables))


def formulas() -> Iterator[tuple[str, str]]:
    """Formulas of elements in lines of so many columns, after so many steps or as all is written."""
    asked: list[tuple[str, Cursor, int, int | None]] = [
        ("gather-2", written(2, 0), 70, None),
        ("gather-2", written(2, 0), 24, None),
        ("gather-2", written(2, 0), 60, 3),
        ("gather-2", source(1, 0), 60, None),
        ("gather-2", source(2, 0), 60, 3),
        ("gather-2", source(0, 2, tensor=1), 60, None),
        ("gather-2", source(0, 3, tensor=1), 60, 3),
        ("warning-index-range", written(1, 0), 70, None),
        ("warning-index-range", source(0, 3, tensor=1), 50, None),
        ("note-negative-index", written(0, 1), 70, None),
        ("reverse-1", written(0, 0, 1, 0), 50, None),
        ("reverse-1", source(0, 0, 1, 0, tensor=1), 50, None),
        ("warning-length-clamped", written(0, 0, 1, 0), 60, None),
        ("tile-1", source(0, 0, 1, 2), 40, None),
        ("padding-1", written(0, 0, 0, 3), 70, None),
        ("slice-1", source(0, 0, 0, 0), 70, None),
    ]
    lines = []
    for name, cursor, width, step in asked:
        trace = example(name).trace()
        known = EVERYTHING if step is None else Steps(trace).until(step)
        lines += ["".join(text for text, _ in line) for line in wrapped(terms(trace, cursor, known), width)]
    yield "formulas", "\n".join(lines)
    said = []
    for name, number in (("gather-4", 0), ("join-2-axis-1", 0), ("split-2", 0), ("reverse-1", 0), ("padding-1", 1)):
        told = told_steps(example(name, number).trace(), 3)
        said += [f"{name} by {told.unit}, {told.count} steps", *told.sentences]
    yield "steps in sentences", "\n".join(said)


def steps() -> Iterator[tuple[str, str]]:
    """What each step writes, and when it is shown."""

    def text_of(box: Box) -> str:
        return f"{box.output}[{','.join(f'{r.start}:{r.stop}' for r in box.ranges)}]"

    lines = []
    for name in ("gather-2", "reverse-1", "split-2", "padding-1"):
        for unit in (Unit.RUN, Unit.SLICE, Unit.WHOLE, Unit.COPY):
            order = Steps(example(name).trace(), unit)
            groups = [group for n in (1, 2, order.count) if (group := order.group(n)) is not None]
            boxes = "  ".join("+".join(map(text_of, group.boxes[:4])) for group in groups)
            moved, count = order.moved(2, 3)
            lines.append(f"{name} by {unit}, {order.count}: {boxes}; moves {count}, {[list(c.index) for c in moved]}")
    yield "steps", "\n".join(lines)
    played = []
    for seconds, count in ((2.0, 4), (1.0, 9)):
        player = Player(seconds=seconds, step=1).played(100.0, count)
        times = [player.ticked(100.0 + tenth / 10, count) for tenth in range(17)]
        played.append(" ".join(f"{at.now(count)}{at.phase.name[0]}{'' if at.way is None else at.way}" for at in times))
        slower = [player.slower(by, 101.0) for by in (-9, -1, 1, 2, 9)]
        played.append(" ".join(f"{at.seconds:g} s from {at.began:.2f}" for at in slower))
    yield "playing", "\n".join(played)


def rules() -> Iterator[tuple[str, str]]:
    """What broken rules concern."""
    lines = []
    for name in (
        "rule-dtype-supported",
        "rule-dimension-count-supported",
        "rule-sizes-positive",
        "rule-sizes-sum",
        "rule-padding-count",
        "rule-lengths-sizes",
        "warning-index-range",
    ):
        one = example(name)
        for reason in view_state_of(one).why.reasons:
            axes, cells, _ = lights(reason, one.desc)
            lines += [f"{name}: {row.field} {row.found}, not {row.expected}" for row in reason.rows[:2]]
            broken = sorted((cell.path, cell.axis or 0, cell.start, cell.stop) for cell in cells)
            lines.append(f"    axes {sorted(axes)}, cells {broken}, fixes {list(reason.fixes)}")
    yield "reasons", "\n".join(lines)


def chains() -> Iterator[tuple[str, str]]:
    """Colours of a chain, which follow its roots through every stage."""
    chain = Chain(examples.example("chain-padded-sequences").session().experiments[-1])
    colours = RootColours(chain, 1)
    lines = text_picture(chain.traces[1].with_colours(colours), 72, 8).lines
    yield "chain-padded-sequences, stage 1", "\n".join([colours.identity_of, *lines])


ALL = (pictures, entries, values, windows, layouts, memory, pages, formulas, steps, rules, chains)


def test_golden_scene() -> None:
    Golden(__file__).check({name: text for drawn in ALL for name, text in drawn()})
