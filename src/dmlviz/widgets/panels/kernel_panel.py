"""How the desc runs: how long, beside a plain copy, NumPy and the textbook loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.message import Message
from textual.timer import Timer

from ...formats.durations import duration, three_digits
from ...running import memory
from ...running.memory import bytes_text
from ...session.experiments import Experiment
from ...worker.client import memory_needed
from ...worker.states import Readiness, Running
from ...workspace.shown.state import State
from ..lib.inks import Inks, inks_of
from ..lib.painted import Painted

if TYPE_CHECKING:
    from ...timing.comparison import Comparison

TICK = 0.1
"""Seconds between two drawings of the elapsed time."""
NOTED = 64 << 20
"""Bytes from which on it is said what memory there is."""
FEW = 1 << 16
"""Bytes below which a copy takes about as long as the call of NumPy that makes it."""
NAMES = 14
"""Columns of the names."""
TALL = 7
"""Lines from which on the textbook loop has one of its own."""
STAGES = {
    "starting": "starting",
    "compiling": "compiling",
    "allocating": "filling the inputs",
    "running": "running",
    "timing": "timing",
    "textbook": "the textbook loop",
}
Piece = list[tuple[str, str]]
"""Texts and their styles, shown together or not at all."""
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
EIGHTHS = " ▏▎▍▌▋▊▉"


class KernelPanel(Painted):
    """Shows a `Running`; a click runs or cancels.

    It has the class `timed` while there is a result, or one on its way, and is higher then; the class `idle` while it
    only says what a run would need, which a small screen can do without.
    """

    PANEL = "surface"

    class Pressed(Message):
        """The panel was clicked."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = Running()
        self._readiness: Readiness | None = None
        self._needed = 0
        self._available: int | None = None
        self._experiment: Experiment | None = None
        self._timer: Timer | None = None

    def present(self, state: State) -> None:
        """Shows another state."""
        run = state.run
        self.show(run.running, state.document.experiment, state.view.live, run.readiness)

    def show(self, state: Running, experiment: Experiment, live: bool, readiness: Readiness | None = None) -> None:
        """Shows the run of `experiment`, and how far its kernel is; nothing unless `live`, as the desc is invalid then.

        `readiness` is None where the kernel is left to the first run.
        """
        if (state, experiment, readiness) == (self._state, self._experiment, self._readiness):
            return
        before = self._experiment is not None, self._state, self._readiness, self._needed, self._available
        self._state, self._experiment, self._readiness = state, experiment, readiness
        self._needed = memory_needed(experiment) if live else 0
        self._available = memory.available_memory() if self._needed >= NOTED else None
        if before == (True, state, readiness, self._needed, self._available):
            return
        timed = state.busy or state.comparison is not None
        short = self._available is not None and self._needed > self._available
        self.set_class(timed, "timed")
        trouble = state.trouble or (readiness is not None and readiness.trouble)
        self.set_class(not timed and not trouble and not short, "idle")
        goes_on = state.busy or (readiness is not None and bool(readiness.stage))
        if goes_on and self._timer is None:
            self._timer = self.set_interval(TICK, self.refresh)
        elif not goes_on and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Pressed())

    def render(self) -> Text:
        inks = inks_of(self.app.theme_variables, "surface")
        width, height = self.size
        if self._state.comparison is None:
            return _text_without_result(self._state, self._readiness, self._needed, self._available, width, inks)
        lines = result_lines(self._state, self._state.comparison, width, height, inks)
        return Text("\n", no_wrap=True, overflow="ellipsis").join(lines)


def _text_without_result(
    state: Running,
    readiness: Readiness | None,
    needed: int,
    available: int | None,
    width: int,
    inks: Inks,
) -> Text:
    """What the panel says while there is no result: trouble, progress, or what a run would need."""
    bold, muted, accent = f"bold {inks.text.hex}", inks.muted.hex, f"bold {inks.accent.hex}"
    text = Text.assemble(("Kernel  ", bold))
    if state.trouble:
        return text.append(state.trouble, f"bold {inks.error.hex}")
    if state.busy:
        waits = readiness if readiness is not None and readiness.stage and state.stage == "starting" else None
        words = _readiness_text(waits) if waits is not None else _stage_text(state)
        if waits is not None and text.cell_len + len(words) > width:
            words = f"{waits.stage} {max(0.0, time.monotonic() - waits.since):.1f} s"
        return _append_fitting(text, [[(words, inks.text.hex)], [("   r", accent), (" cancels", muted)]], width)
    text.append("r", accent)
    text.append(" runs and times it; needs ", muted)
    text.append(bytes_text(needed), inks.text.hex)
    if available is not None:
        text.append(f", {bytes_text(available)} available", muted)
        if needed > available:
            text.append(": it won't start", f"bold {inks.warning.hex}")
    if readiness is not None:
        text.append("\n")
        if readiness.trouble:
            text.append(f"{readiness.name} isn't ready: {readiness.trouble}", f"bold {inks.warning.hex}")
        else:
            text.append(_readiness_text(readiness), muted)
    return text


def _readiness_text(readiness: Readiness) -> str:
    """`compiling GATHER for the first time, 1.2 s`, `GATHER is ready, loaded from the cache in 110 ms`."""
    spent = f"{max(0.0, time.monotonic() - readiness.since):.1f} s"
    if readiness.stage == "compiling":
        return f"compiling {readiness.name} for the first time, {spent}"
    if readiness.stage == "loading":
        return f"loading {readiness.name} from the cache, {spent}"
    if readiness.stage:
        return f"getting {readiness.name} ready, {spent}"
    if readiness.from_cache:
        return f"{readiness.name} is ready, loaded from the cache in {duration(readiness.seconds)}"
    if readiness.ready:
        return f"{readiness.name} is ready, compiled in {duration(readiness.seconds)}"
    return f"{readiness.name} is not ready yet"


def _stage_text(state: Running) -> str:
    """`compiling 1.2 s`."""
    return f"{STAGES[state.stage]} {max(0.0, time.monotonic() - state.since):.1f} s"


def result_lines(state: Running, timed: Comparison, width: int, height: int, inks: Inks) -> list[Text]:
    """As much of a result as fits `width` columns and `height` lines: the times first."""
    rows = list(_time_rows(timed, width, inks, with_textbook=height >= TALL))
    room = height - len(rows)
    lines = rows if room < 1 else [_title_line(state, timed, width, inks, alone=room < 2), *rows]
    room -= 1
    if room >= 1:
        lines.append(_bytes_line(state, timed, width, inks, with_textbook=height < TALL))
        room -= 1
    return lines


# ---- the times ----------------------------------------------------------------------------------------------------


def _title_line(state: Running, timed: Comparison, width: int, inks: Inks, alone: bool) -> Text:
    """`Kernel compiled in 0.71 s cold call 1.24 s, then warm:`; `alone` without the bytes' line."""
    ours = timed.ours
    ready = {
        "cold": f"compiled in {duration(ours.kernel_seconds)}",
        "cached": f"from cache in {duration(ours.kernel_seconds)}",
        "first": "was ready",
    }
    muted, shown = inks.muted.hex, inks.text.hex
    text = Text.assemble(("Kernel", f"bold {shown}"), no_wrap=True)
    pieces = [[(f"  {ready[ours.word]}", muted)]]
    if state.busy:
        pieces.append([(f"   {_stage_text(state)}", shown), ("   r", f"bold {inks.accent.hex}"), (" cancels", muted)])
    else:
        then = [(f"   {ours.word} call ", muted), (_duration_text(ours.opening), shown), (", then warm:", muted)]
        if text.cell_len + sum(len(part) for part, _ in (*pieces[0], *then)) > width:
            del pieces[0]  # what getting it ready took is in the call's time
        pieces.append(then)
        if alone:
            pieces += [_checked_piece(state, inks), *_textbook_pieces(timed, inks)]
    return _append_fitting(text, pieces, width)


def _checked_piece(state: Running, inks: Inks) -> Piece:
    """`✔ 8 elements as pictured`."""
    what = "element" if state.agreed == 1 else "elements"
    return [("   ✔", f"bold {inks.accent.hex}"), (f" {state.agreed:,} {what} as pictured", inks.muted.hex)]


def _textbook_pieces(timed: Comparison, inks: Inks) -> list[Piece]:
    """`textbook loop 3.1 times slower at 32 bytes`; nothing where it wasn't timed."""
    if timed.textbook is None:
        return []
    size = f" at {bytes_text(timed.ours.bytes_written)}"
    ratio = _ratio_text(timed.textbook.ratio)
    return [[("   textbook loop ", inks.muted.hex), (ratio, inks.text.hex), (size, inks.muted.hex)]]


def _bytes_line(state: Running, timed: Comparison, width: int, inks: Inks, with_textbook: bool) -> Text:
    """`48 bytes read, 32 written   0.166 GB/s   ✔ 8 elements as pictured`, and the textbook loop."""
    ours, muted = timed.ours, inks.muted.hex
    text = Text(no_wrap=True)
    read, written = bytes_text(ours.bytes_read), bytes_text(ours.bytes_written)
    if read.split()[1:] == written.split()[1:]:
        written = written.split()[0]
    moved = f"{read} read, {written} written"
    rate = [(f"   {_rate_text(ours.gb_per_s)}", inks.text.hex)]
    more = _textbook_pieces(timed, inks) if with_textbook else []
    return _append_fitting(text, [[(moved, muted)], rate, _checked_piece(state, inks), *more], width)


def _rate_text(gb_per_s: float) -> str:
    """`0.166 GB/s`, or MB/s below 0.01 of these."""
    return f"{three_digits(gb_per_s)} GB/s" if gb_per_s >= 0.01 else f"{three_digits(gb_per_s * 1000)} MB/s"


def _append_fitting(text: Text, pieces: Iterable[Piece], width: int) -> Text:
    """`text`, to which those pieces are appended that fit whole, up to the first that doesn't."""
    for piece in pieces:
        if text.cell_len + sum(len(part) for part, _ in piece) > width:
            break
        for part, style in piece:
            text.append(part, style)
    return text


def _time_rows(timed: Comparison, width: int, inks: Inks, with_textbook: bool) -> Iterator[Text]:
    """A row of name, median, bar and note for this desc, a plain copy, NumPy, and maybe the textbook loop."""
    ours, copy, peer = timed.ours, timed.copy, timed.peer
    textbook = timed.textbook if with_textbook else None
    medians = [sample.median for sample in (ours.warm, copy, peer) if sample]
    show = _duration_writer([*medians, textbook.loop] if textbook else medians)
    warm = ours.warm
    spread = [f"median  min {_without_unit(show(warm.min))}", f"p95 {_without_unit(show(warm.p95))}", f"n {warm.n:,}"]
    rows = [("this desc", warm.median, spread)]
    size = bytes_text(ours.bytes_written)
    if copy:
        share = copy.median / warm.median
        by = f" by {timed.copy_threads} threads" if timed.copy_threads > 1 else ""
        verdict = f"{share:.0%} of its speed" if share < 1.05 else f"{three_digits(share)} times as fast"
        # A desc that takes less time than a copy of what it writes wants a word.
        call = ["mostly the call"] if share >= 1.05 and ours.bytes_written < FEW else []
        fewer = ", it reads fewer bytes" if share >= 1.05 and ours.bytes_read < ours.bytes_written else ""
        rows.append(("plain copy", copy.median, [f"of the same {size}{by}", *call, f"this desc: {verdict}{fewer}"]))
    if peer:
        name = f"NumPy {timed.peer_name}"
        long = len(name) >= NAMES
        ratio = _ratio_text(peer.median / warm.median)
        rows.append(("NumPy" if long else name, peer.median, [ratio, *([timed.peer_name] if long else [])]))
    if textbook:
        ratio = _ratio_text(textbook.ratio)
        rows.append(("textbook loop", textbook.loop, [ratio, f"at {size}", "element by element"]))
    longest = max(time for _, time, _ in rows)
    notes = ["  ".join(note) for _, _, note in rows]
    room = width - NAMES - 11
    while max(map(len, notes)) + 8 > room and any(len(note) > 1 for _, _, note in rows):
        # The bars need room too: the longest note gives up its end.
        at = max((k for k in range(len(rows)) if len(rows[k][2]) > 1), key=lambda k: len(notes[k]))
        if len(notes[at]) + 8 <= room:
            break
        rows[at][2].pop()
        notes[at] = "  ".join(rows[at][2])
    bar = min(40, max(4, room - max(map(len, notes)) - 2))
    for (name, median, _), note in zip(rows, notes, strict=True):
        own = name == "this desc"
        text = Text(f"{name:<{NAMES}}", inks.text.hex if own else inks.muted.hex, no_wrap=True)
        text.append(f"{show(median):>9}  ", f"bold {inks.text.hex}" if own else inks.text.hex)
        text.append(f"{_bar_text(median / longest, bar):<{bar}}", inks.text.hex if own else inks.muted.hex)
        text.append(f"  {note}", inks.muted.hex)
        yield text
    if not copy:
        yield Text(f"{'plain copy':<{NAMES}}not timed: no memory for a second {size}", inks.muted.hex, no_wrap=True)


def _without_unit(shown: str) -> str:
    """A duration in words without its unit."""
    return shown.rsplit(" ", 1)[0]


def _ratio_text(ratio: float) -> str:
    """What takes `ratio` times as long as this desc: `3.1 times slower`, `as fast`."""
    if 1 / 1.05 < ratio < 1.05:
        return "as fast"
    return f"{_times_text(ratio)} slower" if ratio > 1 else f"{_times_text(1 / ratio)} faster"


def _times_text(ratio: float) -> str:
    return f"{ratio:.2f} times" if ratio < 1.95 else f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _duration_text(seconds: float) -> str:
    """A duration in words; in microseconds from 0.1 µs on, as most that stand here are some."""
    return f"{three_digits(seconds / 1e-6)} µs" if 1e-7 <= seconds < 1e-6 else duration(seconds)


def _duration_writer(seconds: Sequence[float]) -> Callable[[float], str]:
    """A function that writes durations, in one unit where they are near each other."""
    longest = max(seconds)
    name, unit = UNITS[2] if 1e-7 <= longest < 1e-6 else next((u for u in UNITS if longest >= 0.9995 * u[1]), UNITS[-1])
    if min(seconds) / unit < 0.01:
        return _duration_text
    return lambda duration: f"{three_digits(duration / unit)} {name}"


def _bar_text(share: float, width: int) -> str:
    """A bar of `share` of `width` columns, to an eighth of one; at least an eighth."""
    eighths = max(1, round(share * width * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
