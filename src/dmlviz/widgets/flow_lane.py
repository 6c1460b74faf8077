"""The lane between inputs and outputs: the value on its way, from the line it leaves to the line it reaches."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from ..scene.figure import Style
from .inks import inks_of


@dataclass(frozen=True)
class Flow:
    """A value that moves: its text, its identity, and the lines it leaves and reaches (None: out of sight)."""

    text: str
    identity: int
    start: int | None
    stop: int | None


class FlowLane(Widget):
    """Draws one `Flow` as a bent arrow with the value on it."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._flow: Flow | None = None

    def show(self, flow: Flow | None) -> None:
        if flow != self._flow:
            self._flow = flow
            self.refresh()

    def render_line(self, y: int) -> Strip:
        inks = inks_of(self.app.theme_variables)
        width = self.size.width
        spans = self._spans(y, width)
        return Strip([Segment(text, inks.style(style)) for text, style in spans]).adjust_cell_length(
            width, self.rich_style
        )

    def _spans(self, y: int, width: int) -> list[tuple[str, Style]]:
        flow, line, wire = self._flow, width - 2, Style("dim")
        if flow is None or (flow.start is None and flow.stop is None):
            return []
        # An end that is out of sight is led to the edge it lies behind.
        last = self.size.height - 1
        start = flow.start if flow.start is not None else (last if flow.stop is None else flow.stop)
        stop = flow.stop if flow.stop is not None else start
        bend = 2
        if y == stop:
            room = max(2, line - 7)
            chip = f" {flow.text if len(flow.text) <= room else flow.text[: room - 1] + '…'} "
            lead = "─" if start == stop else ("╰" if start < stop else "╭")
            head = ("─" * bend if start == stop else " " * bend) + lead + "─"
            tail = "─" * max(0, line - len(head) - len(chip) - 1) + "▶"
            return [(" " + head, wire), (chip, Style("cell", flow.identity, True)), (tail, wire)]
        if y == start:
            return [(" " + "─" * bend + ("╮" if start < stop else "╯"), wire)]
        if min(start, stop) < y < max(start, stop):
            return [(" " + " " * bend + "│", wire)]
        return []
