"""The frames of a screen: what changed is asked of the widgets that are seen there, and of no other one.

Textual asks every widget that touches the rectangle around all changes for all of its lines, those that lie under
others too, and keeps the few pieces that changed.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

from rich.console import RenderableType
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from ..widgets.lib.textual_private import Chops, SpanCompositor, Spans


class Frames(SpanCompositor):
    """A compositor that yields what Textual's own does, with less asked; and nothing while it is `held`."""

    held = False

    def render_update(
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        return None if self.held else super().render_update(full, screen_stack, simplify)

    def drawn(self, spans: Spans) -> Chops:
        """The pieces of lines, by column, that some spans (line, first column, end) touch, drawn anew."""
        cuts = self.cuts
        chops: list[dict[int, Strip | None]] = [{} for _ in cuts]
        missing: dict[int, set[int]] = {}
        for y, begin, end in spans:
            if not 0 <= y < len(cuts):
                continue
            if y not in missing:
                missing[y], chops[y] = set(), dict.fromkeys(cuts[y][:-1])
            missing[y].update(x for x, after in pairwise(cuts[y]) if x < end and begin < after)
        for widget, (region, clip) in self.visible_widgets.items():
            if not missing:
                break
            left, top, width, height = region.intersection(clip)
            right = left + width
            lines = [y for y in missing if top <= y < top + height and any(left <= x < right for x in missing[y])]
            if not lines:
                continue
            first, last = min(lines), max(lines)
            strips = widget.render_lines(Region(left - region.x, first - region.y, width, last + 1 - first))
            for y in lines:
                if y - first >= len(strips):
                    continue
                edges = [x for x in cuts[y] if left <= x <= right]
                pieces = strips[y - first].divide([x - left for x in edges[1:]])
                wanted, pieces_of_line = missing[y], chops[y]
                for x, piece in zip(edges, pieces, strict=False):
                    if x in wanted:
                        wanted.remove(x)
                        pieces_of_line[x] = piece
                if not wanted:
                    del missing[y]
        return chops


FRAME = 1 / 30
"""Seconds from one frame to the next."""
SHARE = 0.22
"""Of the processor's time, what playing takes at most."""


class Pace:
    """Lets frames that cost much come less often."""

    def __init__(self) -> None:
        self._drawn, self._spent = 0.0, 0.0

    def begin(self) -> None:
        """Notes that a frame is about to be drawn."""
        self._drawn, self._spent = time.monotonic(), time.thread_time()

    def allows(self) -> bool:
        """True if another frame may be drawn: the last one was cheap enough for the time since."""
        return time.thread_time() - self._spent <= SHARE * (time.monotonic() - self._drawn)
