"""The strip below the form: the feature levels at which something changes, and which of them accept the desc."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.color import Color
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ...desc.levels import FeatureLevel
from ...scene.levels.strip import LevelStrip, Mark
from ...scene.spans import Style
from ...workspace.shown.state import State
from ..lib.inks import Inks, inks_of

NAME, SHORT_NAME = "Levels  ", "Levels"
TALL = 4
"""Lines that tell of DimensionCounts too, and why a level refuses; fewer are one line of levels."""
LEVEL = 5
"""Columns of a level at least."""
WIDEST = 7
"""Columns of a level where there is room."""


class LevelStripLine(Widget, can_focus=True):
    """Levels, in one line or with counts, marks and sentence. A click chooses one, or beside them opens all."""

    FOCUS_ON_CLICK = False  # a click chooses, and the keys stay with what they moved before

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """A level was clicked."""

        level: FeatureLevel

    class Opened(Message):
        """All that the levels take is to be shown."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._strip: LevelStrip | None = None

    def present(self, state: State) -> None:
        """Shows another state."""
        self.show(state.levels)

    def show(self, strip: LevelStrip) -> None:
        """Draws another strip; does nothing where it is the same."""
        if strip != self._strip:
            self._strip = strip
            self.refresh()

    def _marks_in_room(self) -> tuple[list[Mark], int]:
        """(marks, columns a mark): the levels that there is room for.

        The present one stays, then the lowest that accepts what it refuses, then the nearest.
        """
        if self._strip is None:
            return [], WIDEST
        room, marks = self.size.width - len(self._heading), self._strip.marks
        here = next(i for i, mark in enumerate(marks) if mark.here)
        helps = next((i for i, mark in enumerate(marks) if mark.accepted and not marks[here].accepted), here)
        nearest = sorted(range(len(marks)), key=lambda i: (i not in (here, helps), abs(i - here)))
        kept = [marks[i] for i in sorted(nearest[: max(1, room // LEVEL)])]
        return kept, max(1, min(WIDEST, room // len(kept)))

    @property
    def _has_one_line(self) -> bool:
        return self.size.height < TALL

    @property
    def _tells_refusal(self) -> bool:
        """True where the one line tells why the present level refuses the desc, and which one doesn't."""
        return self._has_one_line and self._strip is not None and bool(self._strip.refusal)

    def _refusal_texts(self, strip: LevelStrip) -> tuple[str, str, str, str]:
        """(heading, present level, why it refuses the desc, lowest level that accepts it), in one line.

        Where room is short the heading gives way, then the reason.
        """
        here = next(f"▸{mark.level}" for mark in strip.marks if mark.here)
        accepts = next(str(mark.level) for mark in strip.marks if mark.accepted)
        room = self.size.width - len(f" {here}✘  {accepts}✔")
        reason = strip.refusal if len(strip.refusal) <= room else f"{strip.refusal[: max(0, room - 1)]}…"
        return SHORT_NAME if len(SHORT_NAME) + len(reason) <= room else "", here, reason, accepts

    @property
    def _heading(self) -> str:
        return SHORT_NAME if self._has_one_line else NAME

    def render_line(self, y: int) -> Strip:
        inks, width = inks_of(self.app.theme_variables, "surface"), self.size.width
        spans = self._row_spans(y, inks)
        return Strip([Segment(text, style) for text, style in spans]).adjust_cell_length(width, self.rich_style)

    def _row_spans(self, y: int, inks: Inks) -> list[tuple[str, RichStyle]]:
        plain, dim, ruler, title = (inks.style(Style(kind)) for kind in ("plain", "dim", "ruler", "title"))
        strip = self._strip
        if strip is None:
            return [(self._heading, title)] if y == 0 else []
        if self._has_one_line:
            return self._one_line_spans(inks) if y == 0 else []
        if y == 3:
            room = self.size.width
            return [(strip.sentence if len(strip.sentence) <= room else strip.sentence[: room - 1] + "…", plain)]
        marks, wide = self._marks_in_room()
        if y > 3:
            return []
        spans = [(NAME, title) if y == 0 else (" " * len(NAME), plain)]
        for mark in marks:
            if y == 0:
                # Never colour alone: the present level has an arrow too.
                text = f"{'▸' if mark.here else ' '}{mark.level} "
                style = self._here_style(inks) if mark.here else (plain if mark.accepted else dim)
            elif y == 1:
                text, style = f" {mark.dimensions or '–'}", ruler
            else:
                text = f"  {'✔' if mark.accepted else '✘'}"
                style = inks.style(Style("axis")) if mark.accepted else self._refused_style(inks)
            text = text[:wide]
            spans += [(text, style), (" " * (wide - len(text)), plain)]
        return spans

    def _one_line_spans(self, inks: Inks) -> list[tuple[str, RichStyle]]:
        """Levels with their marks right behind them; or the present one with why it refuses, and one that doesn't."""
        plain, dim, title, good = (inks.style(Style(kind)) for kind in ("plain", "dim", "title", "axis"))
        refused = ("✘", self._refused_style(inks))
        if self._tells_refusal and self._strip is not None:
            heading, here, reason, accepts = self._refusal_texts(self._strip)
            present = [(heading, title), (" ", plain), (here, self._here_style(inks)), refused]
            return [*present, (f" {reason} {accepts}", plain), ("✔", good)]
        marks, wide = self._marks_in_room()
        spans = [(SHORT_NAME, title)]
        for mark in marks:
            style = self._here_style(inks) if mark.here else (plain if mark.accepted else dim)
            sign = ("✔", good) if mark.accepted else refused
            text = f"{'▸' if mark.here else ' '}{mark.level}"[: wide - 1]
            spans += [(" " * (wide - len(text) - 1), plain), (text, style), sign]
        return spans

    def _here_style(self, inks: Inks) -> RichStyle:
        ground = Color.parse(self.app.theme_variables["primary"])
        return RichStyle(color=inks.text.rich_color, bgcolor=ground.rich_color, bold=True)

    def _refused_style(self, inks: Inks) -> RichStyle:
        return RichStyle(color=inks.error.rich_color, bgcolor=inks.paper.rich_color)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self._strip is None:
            return
        if self._tells_refusal:
            heading, here, reason, accepts = self._refusal_texts(self._strip)
            at = offset.x - len(f"{heading} {here}✘ {reason} ")
            chosen = 0 <= at <= len(accepts)
            self.post_message(self.Chosen(FeatureLevel.of(accepts)) if chosen else self.Opened())
            return
        marks, wide = self._marks_in_room()
        number = (offset.x - len(self._heading)) // wide
        beside = offset.x < len(self._heading) or offset.y == TALL - 1 or (self._has_one_line and number >= len(marks))
        if beside:
            self.post_message(self.Opened())
        elif number < len(marks):
            self.post_message(self.Chosen(marks[number].level))

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            self.post_message(self.Opened())
