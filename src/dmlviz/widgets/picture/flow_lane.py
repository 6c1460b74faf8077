"""The lane between inputs and outputs: the values on their way, from the line they leave to the line they reach."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from ...formats.page_text import short_count
from ...scene.colour.palette import letter
from ...scene.spans import Line, Span, Style, cut
from ...scene.steps.player import WAYS
from ..lib.painted import LinePanel

WIRE, COUNT, NONE = Style("ruler"), Style("plain"), Style("plain")
BEND = 3
"""The column in which the wire goes up or down."""
MOST = 4
"""So many values are shown, the others are counted."""


class Chip(Struct, frozen=True):
    text: str
    identity: int

    def label(self, room: int) -> str:
        """An identity's letter and the value, in at most `room` columns."""
        name = letter(self.identity) if self.identity >= 0 else ""
        text = cut(f"{name} {self.text}".strip(), room)
        return f" {text} " if len(text) + 2 < room else text


class Flow(Struct, frozen=True):
    """Values that move, at most `MOST`, and how many more with them; where from and where to.

    `start` and `stop` are lines of the lane, below 0 or beyond its height where the element is out of sight. `way` goes
    from 0, at the source, to `WAYS`, at the destination. Without chips only the wire is there.
    """

    chips: tuple[Chip, ...]
    start: int
    stop: int
    more: int = 0
    way: int = WAYS
    goes_on: bool = False
    """The arrow's head stands behind the lane, before what it points at."""


class FlowLane(LinePanel):
    """Draws one `Flow` as a bent arrow with the values on it."""

    flow: Flow | None = None

    def show(self, flow: Flow | None) -> None:
        if flow != self.flow:
            self.flow = flow
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return lane_lines(self.flow, width, height)


def lane_lines(flow: Flow | None, width: int, height: int) -> list[Line]:
    """The lane's lines, `height` of them, each at most `width` columns of text."""
    if flow is None or width < 6 or height < 1 or _side_of(flow.start, height) == _side_of(flow.stop, height) != 0:
        return [[] for _ in range(height)]
    canvas: list[list[tuple[str, Style]]] = [[] for _ in range(height)]

    def put(x: int, y: int, text: str, style: Style) -> None:
        if 0 <= y < height:
            row = canvas[y] = canvas[y] or [(" ", NONE)] * width  # most lines stay empty
            for i, char in enumerate(text):
                if 0 <= x + i < width:
                    row[x + i] = char, style

    end = width - 2  # the arrow's head
    start, stop = flow.start, flow.stop
    if start == stop:
        put(0, start, "─" * end, WIRE)
    else:
        put(0, start, "─" * BEND + ("╮" if start < stop else "╯"), WIRE)
        for y in range(max(0, min(start, stop) + 1), min(height, max(start, stop))):
            put(BEND, y, "│", WIRE)
        put(BEND, stop, ("╰" if start < stop else "╭") + "─" * (end - BEND - 1), WIRE)
    put(end, stop, "──" if flow.goes_on else "▶", WIRE)
    labels = [chip.label(end) for chip in flow.chips]
    if not labels:
        return _joined_by_style(canvas)
    x, y = _first_chip_place(flow, max(map(len, labels)), end, height)
    rows = len(labels) + (flow.more > 0)
    y = max(0, min(y, height - rows))
    for i, (chip, label) in enumerate(zip(flow.chips, labels, strict=True)):
        put(x, y + i, label, Style("cell", chip.identity, True))
    if flow.more:
        text = cut(f"+{short_count(flow.more)}", end - 1)  # before the arrow's head
        put(max(0, min(x, end - 1 - len(text))), y + len(labels), text, COUNT)
    return _joined_by_style(canvas)


def _side_of(line: int, height: int) -> int:
    """-1 for a line above the lane, 1 for one below it, 0 for one within."""
    return -1 if line < 0 else int(line >= height)


def _first_chip_place(flow: Flow, length: int, end: int, height: int) -> tuple[int, int]:
    """(x, y) of the first chip: along the source's line, the bend, and the destination's line, as `way` says."""
    start, stop = (min(max(line, 0), height - 1) for line in (flow.start, flow.stop))
    down = 1 if start < stop else -1
    last = max(0, end - 1 - length)  # a piece of wire stays before the head where there is room
    path = [(min(1, last), start), *((min(BEND - 1, last), y) for y in range(start + down, stop, down))]
    path += [(x, stop) for x in range(min(BEND, last), last + 1)]
    return path[round(flow.way / WAYS * (len(path) - 1))]


def _joined_by_style(canvas: list[list[tuple[str, Style]]]) -> list[Line]:
    blank, lines = (" ", NONE), []
    for row in canvas:
        end = len(row)
        while end and row[end - 1] == blank:
            end -= 1
        runs = groupby(row[:end], key=itemgetter(1))
        lines.append([Span("".join(char for char, _ in run), style) for style, run in runs])
    return lines
