"""Steps: buttons, where the pass stands, a bar to scrub along, the unit and the speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct
from textual import events
from textual.message import Message

from ...formats.page_text import short_count
from ...scene.changes import Counts
from ...scene.spans import AXIS, LETTER, PLAIN, RULER, Line, Span, Style, cut
from ...scene.steps.order import Steps
from ...scene.words.diffs import changes_words
from ...workspace.shown.state import PictureState, State
from ..lib.painted import LinePanel

BUTTONS = {"|◀": "'go', 0", "◀◀": "'step', -1", "▶": "'play'", "▶▶": "'step', 1", "▶|": "'picture.go_last'"}
"""What a desk does for each."""
SHORTEST = 8
"""Columns of the bar at least."""
RULE = Style("rule")
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


class Laid(NamedTuple):
    """A line of the transport, with the bar's first column and how many it has."""

    spans: Line
    bar: tuple[int, int]


class Transport(LinePanel):
    """First, back, play, forward, last; a click or a drag on the bar jumps, one on the unit or on the speed changes it.

    What the last edit moved is told too.
    """

    @dataclass(repr=False, eq=False)
    class Pressed(Message):
        """A desk's method, and what it is given: of a button, of the unit, of the speed, or of a step of the bar."""

        name: str
        given: tuple[int, ...]

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.state = Pass()
        self._steps: Steps | None = None
        self._counts: Counts | None = None
        self._dragging = False

    def present(self, state: State) -> None:
        """Shows another state."""
        counts, self._counts = self._counts, state.counts
        if counts != self._counts:
            self.redraw()
        chain = state.chain
        stage = f"stage {chain.at + 1} of {len(chain.stages)}" if chain is not None else ""
        self.show_steps(state.picture, covered=bool(state.cover), stage=stage)

    def show_steps(self, picture: PictureState, words: str = "", *, covered: bool = False, stage: str = "") -> None:
        """Shows how far a picture's steps are, none while it is `covered`; `words` stand for step, unit and speed.

        `stage` says which of a chain's it is.
        """
        player, steps = picture.player, picture.steps
        self._steps = steps
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
        counts, room = self._counts, self.size.width - 2
        if counts is None:
            return ""
        room -= CHANGES_BESIDE if self.size.height < ROWS else 0
        texts = changes_words(counts)
        return next((text for text in texts if len(text) <= room), cut(texts[-1], max(1, room)))

    def lines(self, width: int, height: int) -> list[Line]:
        line, words = self.laid.spans, self.changed_words
        changed = [Span(" ", PLAIN), Span(words, LETTER)] if words else []
        if height < ROWS:
            return [[*line, *changed]]
        return [changed, *([[]] * (height // 2 - 1)), line]

    def action_press(self, name: str, *given: int) -> None:
        """Has the desk do something: a click does so, in a field too, where the key would be text."""
        self.post_message(self.Pressed(name, given))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        left, length = self.laid.bar
        if left <= event.x < left + length:
            self._dragging = True
            self.capture_mouse()
            self._go_to(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._go_to(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _go_to(self, x: int) -> None:
        """Shows the step that a column of the bar stands for: its ends are the first and the last one."""
        left, length = self.laid.bar
        share = min(max((x - left) / max(1, length - 1), 0.0), 1.0)
        if self._steps is not None:
            self.action_press("go", self._steps.step_at(share))


def lay(state: Pass, width: int) -> Laid:
    """The transport in `width` columns: in the longest wording that leaves the bar its room."""
    for pitch, words, unit, speed in (wordings := _wordings(state)):
        length = width - 1 - pitch * len(BUTTONS) - len(f" {words} ") - len(f"  {unit}{speed} ")
        if length >= SHORTEST:
            break
    else:
        pitch, words, unit, speed = wordings[-1]
        words, unit, speed = cut(words, max(1, width - 1 - pitch * len(BUTTONS) - 2)), "", ""
        length = 0
    line = [Span(" ", PLAIN)]
    for mark, call in BUTTONS.items():
        shown = "‖" if mark == "▶" and state.playing else mark
        line.append(Span(f"{shown:^{pitch}}", LETTER, f"press({call})"))
    line.append(Span(f" {words} ", PLAIN))
    bar = sum(len(span.text) for span in line), length
    at, behind = state.passed or (state.step, state.count)
    full = (round(at / behind * (length - 1)) if behind else 0) + 1 if state.step and length else 0
    line += [Span("━" * full, AXIS), Span("─" * (length - full), RULE), Span("  ", PLAIN)]
    if unit:  # who says the step in words has neither
        line += [Span(unit, RULER, "press('turn_unit', 1)"), Span(speed, RULER, "press('slow_down', 1)")]
    return Laid([*line, Span(" ", PLAIN)], bar)


def _wordings(state: Pass) -> list[tuple[int, str, str, str]]:
    """(columns a button, step, unit, speed), longest first: in full, with the step alone, and shorter still."""
    if state.words:
        return [(3, state.words, "", ""), (2, state.words, "", "")]
    unit, speed = str(state.unit), f" · {state.seconds:g} s"
    exact, tight = f"{state.step:,}", short_count(state.step)
    if state.count_is_told:
        exact, tight = f"{exact} of {state.count:,}", f"{tight} of {short_count(state.count)}"
    done, stage = " done" * state.elsewhere, ""
    if state.stage:  # all of a stage at once is a step of the chain
        unit, stage = "stage" if unit == "whole" else unit, f"{state.stage} · "
    return [
        (4, f"{stage}step {exact}{done}", f"by {unit}", f"{speed} a pass"),
        (3, f"step {exact}{done}", f"by {unit}", speed),
        (2, f"{short_count(state.step) if state.elsewhere else tight}{done}", unit, speed),
    ]
