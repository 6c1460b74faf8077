"""Steps: buttons, where the pass stands, a bar to scrub along, the unit and the speed."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct
from textual import events
from textual.message import Message

from ...formats.page_text import short_count
from ...scene.spans import Line, Span, Style, cut
from ...scene.words.diffs import changes_words
from ...workspace.shown.state import ChangesState, PictureState, State
from ..lib.painted import LinePanel

BUTTONS = (("first", "|◀"), ("back", "◀◀"), ("play", "▶"), ("forward", "▶▶"), ("last", "▶|"))
SHORTEST = 8
"""Columns of the bar at least."""
COMFORTABLE = 14
"""Columns of the bar for which words give way."""
ROWS = 3
"""Lines from which on what an edit moved stands above the buttons; on fewer it stands behind them."""
CHANGES_BESIDE = 52
"""Columns that buttons, bar and unit keep on such a line."""


class Pass(Struct, frozen=True, kw_only=True):
    """What is shown of a pass: `step` of `count`, its `seconds`."""

    step: int = 0
    count: int = 0
    playing: bool = False
    seconds: float = 2.0
    unit: str = "element"
    count_is_told: bool = True
    passed: tuple[int, int] | None = None
    """How much of how much the bar is filled; None where it counts steps."""
    words: str = ""
    """What stands for step, unit and speed where neither of the latter can be changed."""
    elsewhere: bool = False
    """What is looked at is no part of what the step writes: the picture is what it is after that step."""
    stage: str = ""
    """Which stage of a chain the steps are of: `stage 2 of 3`."""

    def column(self, place: int, length: int) -> int:
        """The column that stands for a place along a bar of `length` columns."""
        return mark_column(place, self.passed[1] if self.passed is not None else self.count, length)


class Laid(Struct, frozen=True):
    """A line of the transport: its spans, and what lies from where to where."""

    spans: list[tuple[str, Style]]
    parts: list[tuple[int, int, str]]
    """(first column, column behind the last, name)."""
    bar: tuple[int, int]
    """(first column, columns)."""

    def button_at(self, x: int) -> str | None:
        """The name of what is clicked at a column; None where nothing is."""
        return next((name for left, right, name in self.parts if left <= x < right), None)


class Transport(LinePanel):
    """First, back, play, forward, last; a click or a drag on the bar jumps, one on the unit or on the speed changes it.

    What the last edit moved is told too.
    """

    @dataclass(repr=False, eq=False)
    class Pressed(Message):
        """A button by name: first, back, play, forward, last, unit, speed."""

        name: str

    @dataclass(repr=False, eq=False)
    class Scrubbed(Message):
        """The bar was pointed at, from 0 to 1."""

        share: float

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.state = Pass()
        self._changes = ChangesState()
        self._dragging = False

    def present(self, state: State) -> None:
        """Shows another state."""
        changes, self._changes = self._changes, state.changes
        if changes is not self._changes:
            self.redraw()
        chain = state.chain
        stage = f"stage {chain.at + 1} of {len(chain.stages)}" if chain is not None else ""
        self.show_steps(state.picture, covered=bool(state.cover), stage=stage)

    def show_steps(self, picture: PictureState, words: str = "", *, covered: bool = False, stage: str = "") -> None:
        """Shows how far a picture's steps are, none while it is `covered`; `words` stand for step, unit and speed.

        `stage` says which of a chain's it is.
        """
        player, steps = picture.player, picture.steps
        if steps is None:
            self.show(Pass(seconds=player.seconds, unit=player.unit))
            return
        step, told = 0 if covered else player.now(steps.count), picture.count_is_told
        passed, elsewhere = steps.passed(step), step > 0 and not picture.is_at_step
        self.show(
            Pass(
                step=step,
                count=steps.count,
                playing=player.playing,
                seconds=player.seconds,
                unit=player.unit,
                count_is_told=told,
                passed=passed,
                elsewhere=elsewhere,
                words=words,
                stage=stage,
            )
        )

    def show(self, state: Pass) -> None:
        if state != self.state:
            self.state = state
            self.redraw()

    @property
    def laid(self) -> Laid:
        """The line of buttons, bar and words at the present size."""
        words = self.changed_words
        return lay(self.state, self.size.width - (len(words) + 2 if words and self.size.height < ROWS else 0))

    @property
    def changed_words(self) -> str:
        """What the last edit moved; "" while there is nothing to tell."""
        counts, room = self._changes.counts, self.size.width - 2
        if counts is None:
            return ""
        room -= CHANGES_BESIDE if self.size.height < ROWS else 0
        texts = changes_words(counts)
        return next((text for text in texts if len(text) <= room), cut(texts[-1], max(1, room)))

    def lines(self, width: int, height: int) -> list[Line]:
        line = [Span(text, style) for text, style in self.laid.spans]
        words = self.changed_words
        changed = [Span(" ", Style("plain")), Span(words, Style("letter"))] if words else []
        if height < ROWS:
            return [[*line, *changed]]
        return [changed, *([[]] * (height // 2 - 1)), line]

    def on_mouse_down(self, event: events.MouseDown) -> None:
        laid = self.laid
        left, length = laid.bar
        if left <= event.x < left + length:
            self._dragging = True
            self.capture_mouse()
            self._post_scrubbed(event.x)
        elif (name := laid.button_at(event.x)) is not None:
            self.post_message(self.Pressed(name))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._post_scrubbed(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _post_scrubbed(self, x: int) -> None:
        left, length = self.laid.bar
        # The bar's ends are the first and the last step, whatever its length.
        self.post_message(self.Scrubbed(min(max((x - left) / max(1, length - 1), 0.0), 1.0)))


def lay(state: Pass, width: int) -> Laid:
    """The transport in `width` columns, with the longest wording that leaves the bar its room."""
    exact, tight = _wordings(state)
    for wordings, least in ((exact, COMFORTABLE), (exact, SHORTEST), (tight, SHORTEST)):
        for pitch, what, unit, speed in wordings:
            if width - _columns_of_words(pitch, what, unit, speed) >= least:
                return _laid_with(state, width, pitch, what, unit, speed)
    return _laid_with(state, width, 3, "", "", "")


def _columns_of_words(pitch: int, what: str, unit: str, speed: str) -> int:
    """How many columns all but the bar takes."""
    return 1 + pitch * len(BUTTONS) + len(f" {what} ") + len(f"  {unit}{speed} ")


Wording = tuple[int, str, str, str]
"""(columns a button, step, unit, speed)"""


def _wordings(state: Pass) -> tuple[list[Wording], list[Wording]]:
    """(wordings with exact numbers, wordings with short ones), longest first."""
    if state.words:
        return [(pitch, state.words, "", "") for pitch in (4, 3)], [(2, state.words, "", "")]
    unit, seconds = str(state.unit), f"{state.seconds:g} s"
    exact, tight = f"{state.step:,}", short_count(state.step)
    if state.count_is_told:
        exact, tight = f"{exact} of {state.count:,}", f"{tight} of {short_count(state.count)}"
    done = " done" if state.elsewhere else ""
    staged: list[Wording] = []
    if state.stage:  # all of a stage at once is a step of the chain
        unit = "stage" if unit == "whole" else unit
        what = f"{state.stage} · step {exact}{done}"
        shorter = f"{state.stage} · {exact}{done}"
        staged = [(pitch, told, f"by {unit}", f" · {seconds} a pass") for pitch, told in ((4, what), (3, shorter))]
    return [
        *staged,
        (4, f"step {exact}{done}", f"by {unit}", f" · {seconds} a pass"),
        (3, f"step {exact}{done}", f"by {unit}", f" · {seconds} a pass"),
        (4, f"step {exact}{done}", f"by {unit}", f" · {seconds}"),
        (3, f"step {exact}{done}", f"by {unit}", f" · {seconds}"),
        (3, f"{exact}{done}", f"by {unit}", f" · {seconds}"),
        *([(3, f"{state.step:,}{done}", f"by {unit}", f" · {seconds}")] if state.elsewhere else []),
    ], [
        (3, f"step {tight}{done}", f"by {unit}", f" · {seconds} a pass"),
        (3, f"{tight}{done}", f"by {unit}", f" · {seconds}"),
        (3, f"{tight}{done}", unit, f" · {seconds}"),
        (2, f"{short_count(state.step)}{done}" if state.elsewhere else tight, unit, f" {seconds}"),
        (2, short_count(state.step), unit, f" {seconds}"),
    ]


def _laid_with(state: Pass, width: int, pitch: int, what: str, unit: str, speed: str) -> Laid:
    """The transport in one wording; a button has `pitch` columns, the bar what is left."""
    names = {"play": "‖" if state.playing else "▶"}
    spans: list[tuple[str, Style]] = [(" ", Style("plain"))]
    parts = []
    for i, (name, mark) in enumerate(BUTTONS):
        spans.append((f"{names.get(name, mark):^{pitch}}", Style("letter")))
        parts.append((1 + pitch * i, 1 + pitch * (i + 1), name))
    left = 1 + pitch * len(BUTTONS)
    spans.append((f" {what} ", Style("plain")))
    left += len(what) + 2
    length = max(0, width - _columns_of_words(pitch, what, unit, speed))
    full = state.column(state.passed[0] if state.passed else state.step, length) + 1 if state.step and length else 0
    spans += [("━" * full, Style("axis")), ("─" * (length - full), Style("rule"))]
    end = left + length + 2
    spans += [("  ", Style("plain")), (unit, Style("ruler")), (speed, Style("ruler")), (" ", Style("plain"))]
    if unit:  # who says the step in words has neither
        parts += [(end, end + len(unit), "unit"), (end + len(unit), end + len(unit) + len(speed) + 1, "speed")]
    return Laid(spans, parts, (left, length))


def mark_column(step: int, count: int, length: int) -> int:
    """The bar's column that stands for a step; 0 where there are no steps."""
    return round(step / count * (length - 1)) if count else 0
