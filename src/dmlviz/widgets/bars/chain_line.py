"""The stages of a chain in one line, with what runs between them; clicks go to stages and to the path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from ...scene.spans import AXIS, DIM, RULER, TITLE, Line, Span, Style
from ...workspace.shown.state import ChainState, StageState, State
from ..lib.painted import LinePanel

HERE, BROKEN, WARN = Style("tab"), Style("broken"), Style("warn", strong=True)
MARKS = {"✘": BROKEN, "…": WARN, "~": AXIS, "✔": AXIS}
KEYS = "{ } stage   P path"


def pieces(chain: ChainState, width: int) -> Line:
    """The line for so many columns: the longest wording that fits, or else what stands around the present stage."""
    line = [*_spans(chain, range(len(chain.stages)), named=True)]
    if _columns(line) <= width:
        return line
    for by in range(len(chain.stages), -1, -1):
        line = [*_spans(chain, range(max(0, chain.at - by), min(chain.at + by + 1, len(chain.stages))))]
        if _columns(line) <= width:
            break
    return line


def _columns(line: Line) -> int:
    return sum(cell_len(span.text) for span in line)


def _spans(chain: ChainState, shown: range, *, named: bool = False) -> Iterator[Span]:
    stages = chain.stages
    if shown.start:
        yield Span(f"‹{shown.start} ", DIM, _to(shown.start - 1))
    for i in shown:
        stage = stages[i]
        yield Span(_stage_text(stage, i, i == chain.at, named=named), HERE if i == chain.at else TITLE, _to(i))
        if stage.mark != "✔" or named:
            yield Span(f" {stage.mark}", MARKS[stage.mark], _to(i))
        if i + 1 in shown:
            yield from _between(stages, i, named=named)
    if shown.stop < len(stages):
        yield Span(f" {len(stages) - shown.stop}›", DIM, _to(shown.stop))


def _to(stage: int) -> str:
    return f"screen.do('go_to_stage', ({stage},))"


def _stage_text(stage: StageState, number: int, is_here: bool, *, named: bool) -> str:
    text = f"{number + 1} {stage.operator}"
    if named and stage.name != stage.operator:
        text = f"{number + 1} {stage.name} {stage.operator}"
    # What it reads besides the stage before it, by their numbers.
    others = [str(source + 1) for source in sorted(stage.reads) if source not in (-1, number - 1)]
    text += f" ⇠{','.join(others)}" if others else ""
    return f"[{text}]" if is_here else text


def _between(stages: Sequence[StageState], i: int, *, named: bool) -> Iterator[Span]:
    wires = [wire for wire in stages[i + 1].wires if wire.source == i]
    if not wires:
        yield Span(" · ", DIM)
        return
    mark = next((wire.mark for sign in "✘…~" for wire in wires if wire.mark == sign), "")
    read = {wire.output for wire in wires}
    sizes = " ".join(dict.fromkeys(text for k, text in enumerate(stages[i].outputs) if k in read))
    to = _to(i + 1)
    yield Span(f" ──{sizes}──" if named else " ─", RULER, to)
    if mark:
        yield Span(mark, MARKS[mark], to)
    yield Span("▶ ", RULER, to)


class ChainLine(LinePanel):
    """Hidden where an experiment neither reads another one nor is read."""

    PANEL = "panel"
    _chain: ChainState | None = None

    def present(self, state: State) -> None:
        self.appear(state.chain is not None)
        if state.chain is not self._chain:
            self._chain = state.chain
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self._chain is None:
            return []
        line = pieces(self._chain, width)
        room = width - _columns(line) - 2
        if len(KEYS) <= room:
            line.append(Span(f"{'':{room - len(KEYS) + 2}}{KEYS}", DIM, "screen.do('turn_path')"))
        return [line]
