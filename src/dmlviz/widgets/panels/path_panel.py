"""The cursor's path through all stages of a chain: a line a stage, and where its root arrives."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from ...scene.spans import AXIS, DIM, PLAIN, TITLE, Line, Span, Style, fitting
from ...workspace.shown.state import PathState, State
from ..lib.painted import LinePanel

MOST, MOST_LOW = 10, 5
"""Lines at most, its title among them; and where the screen is low."""
WHY = Style("ruler")
WARN = Style("warn", strong=True)


class PathPanel(LinePanel):
    """A title and a line for each stage; as high for every element."""

    PANEL = "surface"
    _path: PathState | None = None

    def present(self, state: State) -> None:
        before, self._path = self._path, state.path
        self.appear(state.path is not None)
        if state.chain is not None and state.path is not None and state.path is not before:
            self.styles.height = min(len(state.chain.stages) + 3, MOST_LOW if self.screen.has_class("low") else MOST)
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        path = self._path
        if path is None:
            return []
        told, more = [*path.lines], ""
        if len(told) > height - 1:
            more = f"   … {len(told) - height + 1:,} more"
            told = told[: height - 2] + told[-1:]
        left = max((cell_len(line.left) for line in told), default=0)
        lines = [[Span(path.title, TITLE), Span(f"{more}   P closes", DIM, "screen.do('turn_path', ())")]]
        for line in told:
            why = Span(line.why, WARN if line.why.endswith("!") else WHY)
            text = set_cell_size(line.left, max(left, cell_len(line.left)))
            lines.append([Span(text, AXIS), Span(f" {line.right}  ", PLAIN), why])
        return [fitting([span for span in line if span.text], width) for line in lines]
