"""The strip below the form: the feature levels at which something changes, and which of them accept the desc."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding

from ...scene.levels.strip import LevelStrip, Mark
from ...scene.spans import DIM, PLAIN, TAB, TITLE, WARN, Line, Span, Style, fitting
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

LEVEL, WIDEST = 6, 7
"""Columns of a level, and where there is room."""
MARKS = {True: Span("✔", Style("axis")), False: Span("✘", WARN)}


class LevelStripLine(LinePanel, can_focus=True):
    """Levels with a mark, and a sentence where there is a second line. A click chooses one, or opens all of them."""

    PANEL = "surface"
    FOCUS_ON_CLICK = False  # a click chooses, and the keys stay with what they moved before
    BINDINGS = [Binding("enter", "screen.levels", show=False, id="level.open")]
    _strip: LevelStrip | None = None

    def present(self, state: State) -> None:
        if state.levels is not self._strip:
            self._strip = state.levels
            self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        if self._strip is None:
            return []
        return [_levels(self._strip.marks, width), fitting([Span(self._strip.sentence, PLAIN)], width)][:height]


def _levels(marks: Sequence[Mark], width: int) -> Line:
    """The levels that there is room for: the present one, then the lowest that would help, then the nearest."""
    line: Line = [Span("Valid", TITLE, "screen.levels")]
    here = next(n for n, mark in enumerate(marks) if mark.here)
    helps = next((n for n, mark in enumerate(marks) if mark.accepted and not marks[here].accepted), here)
    nearest = sorted(range(len(marks)), key=lambda n: (n not in (here, helps), abs(n - here)))
    room = width - len(line[0].text)
    kept = [marks[n] for n in sorted(nearest[: max(1, room // LEVEL)])]
    wide = max(LEVEL, min(WIDEST, room // len(kept)))
    for mark in kept:
        text, style = f"{'▸' if mark.here else ''}{mark.level}", TAB if mark.here else PLAIN if mark.accepted else DIM
        action = f"screen.do('choose_level', ({mark.level.value!r},))"
        line += [Span(" " * (wide - len(text) - 1), PLAIN), Span(text, style, action)]
        line.append(MARKS[mark.accepted]._replace(action=action))
    return line
