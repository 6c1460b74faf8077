"""The cursor's path through all stages of a chain: a line a stage, and where its root arrives; a click goes there."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from ...scene.elements.cursor import Cursor
from ...scene.spans import AXIS, DIM, PLAIN, TITLE, Line, Span, Style, fitting
from ...workspace.shown.chain_state import PathState
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

MOST = 10
"""Lines at most, its title among them."""
PLAY, STOP = "▶ ", "‖ "
WHY = Style("ruler")
WARN = Style("warn", strong=True)


class PathPanel(LinePanel):
    """A title and a line for each stage; two lines where the screen is low. It is as high for every element."""

    PANEL = "surface"

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """An element of a stage is to be looked at."""

        stage: int
        cursor: Cursor

    class Played(Message):
        """The path's element is to go through all stages, or to stop."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._path: PathState | None = None
        self.appear(False)

    def present(self, state: State) -> None:
        """Shows another state."""
        path = state.path
        self.appear(path is not None)
        if path is None:
            self._path = None
            return
        stages = len(state.chain.stages) if state.chain is not None else 1
        self.styles.height = 2 if self.screen.has_class("low") else min(path.rows or stages + 4, MOST)
        if path is not self._path:
            self._path = path
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        path = self._path
        if path is None:
            return []
        sign = (STOP if path.is_playing else PLAY) if path.plays else ""
        if height <= 2:
            return [
                fitting([Span(sign, TITLE), Span(path.brief[0], PLAIN)], width),
                fitting([Span(path.brief[1], PLAIN)], width),
            ]
        told, more = path.lines, ""
        if len(told) > height - 1:
            more = f"   … {len(told) - height + 1:,} more"
            told = told[: height - 2] + told[-1:]
        left = max((len(line.left) for line in told if line.right), default=0)
        right = max((len(line.right) for line in told if line.left and line.why), default=0)
        if any(len(sign) + left + right + len(line.why) + 3 > width for line in told):
            right = 0  # in columns they would be cut
        says = [path.plays, "a click goes there", "P closes"]
        while len(sign) + len(path.title) + len(more) + 3 + len(", ".join(filter(None, says))) > width and says[1:]:
            del says[-1 if len(says) == 2 else 1]
        hint = f"{more}   {', '.join(filter(None, says))}"
        rows: list[Line] = [[Span(f"{sign}{path.title}", TITLE), Span(hint, DIM)]]
        for line in told:
            style = AXIS if line.stage >= 0 else PLAIN
            right_text = f"{line.right:<{right}}  " if line.why else line.right
            taken = len(sign) + left + len(right_text) + len(line.why) + 1
            columns = left if taken <= width else 0
            row = [Span(f"{line.left:<{columns}} " if line.left else "", style), Span(right_text, PLAIN)]
            why = WARN if line.why.endswith("!") else WHY
            here = Span(PLAY if line.is_here else " " * len(sign), TITLE)
            rows.append([here, *row, Span(line.why, why)])
        return [fitting([span for span in row if span.text], width) for row in rows]

    def on_click(self, event: events.Click) -> None:
        offset, path = event.get_content_offset(self), self._path
        if offset is None or path is None:
            return
        if path.plays and offset.y == 0 and (offset.x < len(PLAY) or self.size.height > 2):
            self.post_message(self.Played())
            return
        told, height = path.lines, self.size.height
        if height <= 2:
            told = told[-1:] if offset.y else told[:1]
            line = told[0] if told else None
        else:
            told = told if len(told) < height else told[: height - 2] + told[-1:]
            line = told[offset.y - 1] if 1 <= offset.y <= len(told) else None
        if line is not None and line.stage >= 0 and line.cursor is not None:
            self.post_message(self.Chosen(line.stage, line.cursor))
