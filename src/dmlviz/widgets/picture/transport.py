"""Steps: buttons, where the pass stands, a bar to scrub along, the unit and the speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.message import Message

from ...formats.page_text import short_count
from ...scene.changes import Counts
from ...scene.spans import AXIS, LETTER, PLAIN, RULER, Line, Span, Style, cut
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


Wording = tuple[int, str, str, str]
"""Columns a button, the step, the unit and the speed."""


class Laid(NamedTuple):
    """A line of the transport, with the bar's first column and how many it has."""

    spans: Line
    bar: tuple[int, int]


class Transport(LinePanel):
    """First, back, play, forward, last; a click on the bar jumps, one on the unit or on the speed changes it.

    What the last edit moved is told too.
    """

    _picture = PictureState()
    _stage = ""
    _covered = False
    _counts: Counts | None = None

    @dataclass(repr=False, eq=False)
    class Pressed(Message):
        """A desk's method, and what it is given: of a button, of the unit, of the speed, or of a step of the bar."""

        name: str
        given: tuple[int, ...]

    def present(self, state: State) -> None:
        """Shows another state, none of the steps while a picture is covered."""
        self._counts, self._picture, self._covered = state.counts, state.picture, bool(state.cover)
        chain = state.chain
        self._stage = f"stage {chain.at + 1} of {len(chain.stages)}" if chain is not None else ""
        self.redraw()

    @property
    def laid(self) -> Laid:
        words, picture, is_covered = self.changed_words, self._picture, self._covered
        share = None if is_covered else share_done(picture)
        width = self.size.width - (len(words) + 2 if words and self.size.height < ROWS else 0)
        said = wordings(picture, self._stage, covered=is_covered)
        return lay(said, width, share, playing=picture.player.playing)

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

    def on_click(self, event: events.Click) -> None:
        """Shows the step that a column of the bar stands for: its ends are the first and the last one."""
        left, length = self.laid.bar
        steps = self._picture.steps
        if steps is not None and self._picture.count_is_told and left <= event.x < left + length:
            self.action_press("go", round((event.x - left) / max(1, length - 1) * steps.count))


def lay(wordings: Sequence[Wording], width: int, share: float | None, *, playing: bool = False) -> Laid:
    """The transport in `width` columns: in the longest wording that leaves the bar its room.

    The bar is filled by a `share`; None where nothing is shown.
    """
    for pitch, words, unit, speed in wordings:
        length = width - 1 - pitch * len(BUTTONS) - len(f" {words} ") - len(f"  {unit}{speed} ")
        if length >= SHORTEST:
            break
    else:
        pitch, words, unit, speed = wordings[-1]
        words, unit, speed = cut(words, max(1, width - 1 - pitch * len(BUTTONS) - 2)), "", ""
        length = 0
    line = [Span(" ", PLAIN)]
    for mark, call in BUTTONS.items():
        shown = "‖" if mark == "▶" and playing else mark
        line.append(Span(f"{shown:^{pitch}}", LETTER, f"press({call})"))
    line.append(Span(f" {words} ", PLAIN))
    bar = sum(len(span.text) for span in line), length
    full = 0 if share is None or not length else round(share * (length - 1)) + 1
    line += [Span("━" * full, AXIS), Span("─" * (length - full), RULE), Span("  ", PLAIN)]
    if unit:  # who says the step in words has neither
        line += [Span(unit, RULER, "press('turn_unit', 1)"), Span(speed, RULER, "press('slow_down', 1)")]
    return Laid([*line, Span(" ", PLAIN)], bar)


def share_done(picture: PictureState) -> float | None:
    """How much of the bar a picture's step fills; None before the first one, and where it would tell of later ones."""
    steps = picture.steps
    step = picture.player.now(steps.count) if steps is not None else 0
    return step / steps.count if steps is not None and step and picture.count_is_told else None


def wordings(picture: PictureState, stage: str = "", *, covered: bool = False) -> list[Wording]:
    """How a step is said, longest first: in full, with the step alone, and shorter still; as of none if `covered`.

    `stage` says which one of a chain the steps are of. A step is done where what is looked at is no part of it.
    """
    player, steps = picture.player, picture.steps
    count = steps.count if steps is not None else 0
    step = player.now(count) if steps is not None and not covered else 0
    unit, speed = str(player.unit), f" · {player.seconds:g} s"
    exact, tight = f"{step:,}", short_count(step)
    if picture.count_is_told:
        exact, tight = f"{exact} of {count:,}", f"{tight} of {short_count(count)}"
    is_over = step > 0 and not picture.is_at_step
    done = " done" * is_over
    in_chain = "stage" if stage and unit == "whole" else unit  # all of a stage at once is a step of the chain
    return [
        (4, f"{f'{stage} · ' if stage else ''}step {exact}{done}", f"by {in_chain}", f"{speed} a pass"),
        (3, f"step {exact}{done}", f"by {in_chain}", speed),
        (2, f"{short_count(step) if is_over else tight}{done}", unit, speed),
    ]
