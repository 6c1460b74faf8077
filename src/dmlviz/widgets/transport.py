"""Steps: buttons, where the pass stands, and a bar to scrub along."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ..scene.figure import Style
from .inks import inks_of

BUTTONS = (("first", "|◀"), ("back", "◀◀"), ("play", "▶"), ("forward", "▶▶"), ("last", "▶|"))


class Transport(Widget):
    """First, back, play, forward, last; a click or a drag on the bar jumps, one on the speed changes it."""

    @dataclass
    class Pressed(Message):
        """A button by name."""

        name: str

    @dataclass
    class Scrubbed(Message):
        """The bar was pointed at, from 0 to 1."""

        share: float

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._step, self._count, self._playing, self._seconds = 0, 0, False, 2.0
        self._bar = (0, 0)
        self._dragging = False

    def show(self, step: int, count: int, playing: bool, seconds: float) -> None:
        """`step` of `count`; `seconds` is how long a whole pass takes."""
        state = (step, count, playing, seconds)
        if state != (self._step, self._count, self._playing, self._seconds):
            self._step, self._count, self._playing, self._seconds = state
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y != self.size.height // 2:
            return Strip.blank(width, self.rich_style)
        inks = inks_of(self.app.theme_variables)
        names = {"play": "‖" if self._playing else "▶"}
        spans = [(" ", Style("plain"))]
        for name, mark in BUTTONS:
            spans += [(f"{names.get(name, mark):^4}", Style("letter"))]
        what = f"  step {self._step:,} of {self._count:,}  "
        end = f"  by element · {self._seconds:g} s a pass "
        left = 1 + 4 * len(BUTTONS) + len(what)
        length = width - left - len(end)
        if length < 8:
            end, length = "", max(0, width - left - 1)
        self._bar = (left, length)
        share = self._step / self._count if self._count else 0
        full = round(share * length)
        spans += [(what, Style("plain")), ("━" * full, Style("axis")), ("─" * (length - full), Style("rule"))]
        spans += [(end, Style("dim"))]
        return Strip([Segment(text, inks.style(style)) for text, style in spans]).adjust_cell_length(
            width, self.rich_style
        )

    def on_mouse_down(self, event: events.MouseDown) -> None:
        left, length = self._bar
        x = event.x
        if left <= x < left + length:
            self._dragging = True
            self.capture_mouse()
            self._scrub(x)
        elif 1 <= x < 1 + 4 * len(BUTTONS):
            self.post_message(self.Pressed(BUTTONS[(x - 1) // 4][0]))
        elif x >= left + length:
            self.post_message(self.Pressed("speed"))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._scrub(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _scrub(self, x: int) -> None:
        left, length = self._bar
        self.post_message(self.Scrubbed(min(max((x - left + 0.5) / max(1, length), 0.0), 1.0)))
