"""How the desc runs: one line until it does, then how long, beside a plain copy, NumPy and the textbook loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from ...formats.durations import duration, three_digits
from ...running.memory import bytes_text
from ...scene.spans import AXIS, DIM, PLAIN, TITLE, Line, Span, Style, fitting
from ...worker.states import Running
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

if TYPE_CHECKING:
    from ...timing.comparison import Comparison

TICK = 0.1
"""Seconds between two drawings of the elapsed time."""
NAMES, BAR = 11, 10
"""Columns of the names, and of the longest bar."""
STAGES = {
    "starting": "starting",
    "compiling": "compiling",
    "allocating": "filling the inputs",
    "running": "running",
    "timing": "timing",
    "textbook": "the naive loop",
}
TROUBLE = Style("broken")


class KernelPanel(LinePanel):
    """Shows a run; a click runs or cancels.

    It has the class `timed` while there is a result, or one on its way, and is higher then; the class `idle` while it
    only says how to run, which a small screen can do without.
    """

    PANEL = "surface"
    _state = Running()
    _timer: Timer | None = None

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self.redraw, pause=True)

    def present(self, state: State) -> None:
        """Shows another state; of an invalid desc nothing is said, and the panel isn't seen."""
        running = state.run.running
        busy, found = running.busy, running.comparison
        self.set_class(busy or found is not None, "timed")
        self.set_class(running == Running(), "idle")
        if self._timer is not None and busy != self._state.busy:
            self._timer.resume() if busy else self._timer.pause()
        self._state = running
        self.redraw()

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        await self.screen.run_action("do('run', ())")

    def lines(self, width: int, height: int) -> list[Line]:
        found = self._state.comparison
        if found is None or self._state.busy:
            return [fitting(self._line_without_result(), width)]
        lines = [_title_line(found), *_time_rows(found), _bytes_line(self._state, found)]
        if height < len(lines):  # the times first
            del lines[0]
        return [fitting(line, width) for line in lines]

    def _line_without_result(self) -> Line:
        state, line = self._state, [Span("Kernel  ", TITLE)]
        if state.trouble:
            return [*line, Span(state.trouble, TROUBLE)]
        if state.busy:
            return [*line, Span(self._progress, PLAIN), Span("   r", AXIS), Span(" cancels", DIM)]
        return [*line, Span("r", AXIS), Span(" runs and times it", DIM)]

    @property
    def _progress(self) -> str:
        state = self._state
        return f"{STAGES[state.stage]} {max(0.0, time.monotonic() - state.since):.1f} s"


def _title_line(found: Comparison) -> Line:
    ours = found.ours
    share = f"{ours.kernel_seconds / ours.opening:.0%}"
    what = {"cold": "compiling", "cached": "reading the cache"}
    part = f", {share} of it {what[ours.word]}" if ours.word in what else ""
    call = [Span(f"  {ours.word} call ", DIM), Span(duration(ours.opening), PLAIN)]
    return [Span("Kernel", TITLE), *call, Span(f"{part}, then:", DIM)]


def _bytes_line(state: Running, found: Comparison) -> Line:
    """`48 bytes read, 32 bytes written   0.166 GB/s   ✔ 8 elements match`."""
    ours = found.ours
    what = "element" if state.agreed == 1 else "elements"
    rate = f"{three_digits(ours.gb_per_s)} GB/s"
    moved = f"{bytes_text(ours.bytes_read)} read, {bytes_text(ours.bytes_written)} written   "
    agreed = [Span("   ✔", AXIS), Span(f" {state.agreed:,} {what} match", DIM)]
    return [Span(moved, DIM), Span(rate, PLAIN), *agreed]


def _time_rows(found: Comparison) -> Iterator[Line]:
    warm = found.ours.warm
    notes = f"median  min {duration(warm.min)}  p95 {duration(warm.p95)}  n {warm.n:,}"
    rows = [("this desc", warm.median, notes)]
    if found.copy is not None:
        rows.append(("memcpy", found.copy.median, _copy_note(found, found.copy.median / warm.median)))
    if found.peer is not None:
        ratio = _ratio_text(found.peer.median / warm.median)
        rows.append(("NumPy", found.peer.median, f"{ratio}  {found.peer_name}"))
    if found.textbook is not None:
        ratio = _ratio_text(found.textbook.loop / warm.median)
        rows.append(("naive loop", found.textbook.loop, f"{ratio}  element by element"))
    longest = max(median for _, median, _ in rows)
    for name, median, note in rows:
        look = PLAIN if name == "this desc" else DIM
        yield [
            Span(f"{name:<{NAMES}}", look),
            Span(f"{duration(median):>9}  ", PLAIN),
            Span(f"{'█' * max(1, round(BAR * median / longest)):<{BAR}}", look),
            Span(f"  {note}", DIM),
        ]


def _copy_note(found: Comparison, share: float) -> str:
    by = f" by {found.copy_threads} threads" * (found.copy_threads > 1)
    verdict = f"{share:.0%} of its speed" if share < 1.05 else f"{three_digits(share)} times as fast"
    return f"this desc: {verdict}{by}"


def _ratio_text(ratio: float) -> str:
    """What takes `ratio` times as long as this desc: `3.1 times slower`, `as fast`."""
    if 1 / 1.05 < ratio < 1.05:
        return "as fast"
    times, word = (ratio, "slower") if ratio > 1 else (1 / ratio, "faster")
    return f"{three_digits(times)} times {word}"
