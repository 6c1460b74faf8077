"""The cursor's path through all stages of a chain: a line a stage, and where its root arrives; a click goes there."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.message import Message

from ...scene.spans import AXIS, DIM, PLAIN, TITLE, Line, Span, Style, fitting
from ...workspace.shown.chain_state import PathLead, PathLine, PathState
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

MOST, MOST_LOW = 10, 5
"""Lines at most, its title among them; and where the screen is low."""
WHY = Style("ruler")
WARN = Style("warn", strong=True)


class PathPanel(LinePanel):
    """A title and a line for each stage; as high for every element."""

    PANEL = "surface"

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """An element of a stage is to be looked at."""

        lead: PathLead

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
        stages = state.chain.stages if state.chain is not None else ()
        high = (len(stages) or 1) + 4
        self.styles.height = min(high, MOST_LOW if self.screen.has_class("low") else MOST)
        if path is not self._path:
            self._path = path
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return [fitting([span for span in row if span.text], width) for _, row in self._rows(width, height)]

    def _rows(self, width: int, height: int) -> list[tuple[PathLine | None, Line]]:
        """What stands in each row; None is the title."""
        path = self._path
        if path is None:
            return []
        told, more = path.lines, ""
        if len(told) > height - 1:
            more = f"   … {len(told) - height + 1:,} more"
            told = told[: height - 2] + told[-1:]
        left = max((cell_len(line.left) for line in told if line.right), default=0)
        right = max((cell_len(line.right) for line in told if line.left and line.why), default=0)
        if any(left + right + cell_len(line.why) + 3 > width for line in told):
            right = 0  # in columns they would be cut
        hint = f"{more}   a click goes there, P closes"
        rows: list[tuple[PathLine | None, Line]] = [(None, [Span(path.title, TITLE), Span(hint, DIM)])]
        for line in told:
            style = AXIS if line.leads else PLAIN
            right_text = f"{_wide(line.right, right)}  " if line.why else line.right
            taken = left + cell_len(right_text) + cell_len(line.why) + 1
            columns = left if taken <= width else 0
            row = [Span(f"{_wide(line.left, columns)} " if line.left else "", style), Span(right_text, PLAIN)]
            why = WARN if line.why.endswith("!") else WHY
            rows.append((line, [*row, Span(line.why, why)]))
        return rows

    def on_click(self, event: events.Click) -> None:
        offset, path = event.get_content_offset(self), self._path
        rows = self._rows(*self.size)
        if offset is None or path is None or not 0 <= offset.y < len(rows):
            return
        line, row = rows[offset.y]
        text, chosen, end = "".join(span.text for span in row), None, 0
        for lead in line.leads if line is not None else ():  # the last that begins before the click
            begins = text.find(lead.text, end)
            if chosen is None or (begins >= 0 and cell_len(text[:begins]) <= offset.x):
                chosen, end = lead, begins + len(lead.text)
        if chosen is not None:
            self.post_message(self.Chosen(chosen))


def _wide(text: str, columns: int) -> str:
    """A text with blanks up to so many columns; whole where it has more."""
    return set_cell_size(text, max(columns, cell_len(text)))
