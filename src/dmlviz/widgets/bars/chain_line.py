"""The stages of a chain in one line, with what runs between them; clicks go to stages, to wires and to the path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.message import Message

from ...errors import plain
from ...scene.spans import AXIS, DIM, PLAIN, RULER, TITLE, Line, Span, Style
from ...workspace.shown.chain_state import ChainState, StageState
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

HERE, BROKEN, WARN = Style("tab"), Style("broken"), Style("warn", strong=True)
MARKS = {"✘": BROKEN, "…": WARN, "~": AXIS, "✔": AXIS}
KEYS = "{ } stage   P path"


class Piece(Struct, frozen=True):
    """A part of the line, and what a click on it leads to."""

    text: str
    style: Style
    stage: int = -1
    """The stage, or the one that reads the wire; -1 for none."""
    wire: str = ""
    """The path of the input that the wire fills; "" for the stage itself."""
    experiment: int = -1
    """An experiment of no stage; -1 for none."""


class Wording(Struct, frozen=True):
    """How much the line says."""

    names: bool
    details: bool
    sizes: int
    """Which sizes: 2 all, 1 those that go in, come out at the end, and of the stage that is looked at; 0 none."""


WORDINGS = (
    Wording(True, True, 2),
    Wording(True, False, 2),
    Wording(True, False, 1),
    Wording(False, False, 2),
    Wording(False, False, 1),
    Wording(False, False, 0),
)
"""Ever shorter."""


def pieces(chain: ChainState, width: int) -> list[Piece]:
    """The line for so many columns: the longest wording that fits, or else what stands around the present stage."""
    stages = range(len(chain.stages))
    for wording in WORDINGS:
        line = [*_pieces(chain, stages, wording)]
        if _length(line) <= width:
            return line
    first = last = chain.at
    while True:
        for more in (range(first - 1, last + 1), range(first, last + 2)):
            if more.start < 0 or more.stop > len(chain.stages) or more == range(first, last + 1):
                continue
            line = [*_pieces(chain, more, WORDINGS[-1])]
            if _length(line) <= width:
                first, last = more.start, more.stop - 1
                break
        else:
            return [*_pieces(chain, range(first, last + 1), WORDINGS[-1])]


def _length(line: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in line)


def _pieces(chain: ChainState, shown: range, wording: Wording) -> Iterator[Piece]:
    """The line of these stages, with how many stand before and behind them."""
    stages, arrow = chain.stages, "──" if wording.names else "─"
    first, last = stages[shown[0]], stages[shown[-1]]
    if shown.start:
        yield Piece(f"‹{shown.start} ", DIM, shown.start - 1)
    elif wording.sizes and first.roots:
        kind = f"{first.data_type} " if wording.names else ""
        yield Piece(f"{kind}{_listed(first.roots)} {arrow}▶ ", RULER)
    for i in shown:
        stage = stages[i]
        yield Piece(_stage_text(stage, i, i == chain.at, wording), HERE if i == chain.at else TITLE, i)
        if stage.mark != "✔" or wording.details:
            yield Piece(f" {stage.mark}", MARKS[stage.mark], i)
        if stage.others:
            number, name = stage.others[0]
            more = f" +{len(stage.others) - 1}" if stage.others[1:] else ""
            yield Piece(f" (also to {plain(name, 12)}{more})", RULER, experiment=number)
        if i + 1 in shown:
            yield from _between(stages, i, i == chain.at, wording, arrow)
    if shown.stop < len(stages):
        yield Piece(f" {len(stages) - shown.stop}›", DIM, shown.stop)
    elif wording.sizes and last.outputs:
        yield Piece(f" {arrow}▶ {_listed(last.outputs)}", RULER)


def _stage_text(stage: StageState, number: int, is_here: bool, wording: Wording) -> str:
    text = f"{number + 1} {stage.operator}"
    if wording.names and stage.name != stage.operator:
        text = f"{number + 1} {stage.name} {stage.operator}"
    if wording.details and stage.detail:
        text += f" {stage.detail.lower()}"
    # What it reads besides the stage before it, by their numbers.
    others = [str(source + 1) for source in sorted(stage.reads) if source not in (-1, number - 1)]
    text += f" ⇠{','.join(others)}" if others else ""
    return f"[{text}]" if is_here else text


def _between(stages: Sequence[StageState], i: int, is_here: bool, wording: Wording, arrow: str) -> Iterator[Piece]:
    """What stands between a stage and the next: the wires from the one to the other, or that there are none."""
    wires = [wire for wire in stages[i + 1].wires if wire.source == i]
    if not wires:
        yield Piece(" · ", DIM)
        return
    mark = next((wire.mark for sign in "✘…~" for wire in wires if wire.mark == sign), "")
    read = {wire.output for wire in wires}
    sizes = _listed([text for k, text in enumerate(stages[i].outputs) if k in read])
    sizes = sizes if wording.sizes == 2 or (wording.sizes and is_here) else ""
    to = i + 1, wires[0].path
    lead = f" {arrow}{sizes}{arrow}" if sizes and wording.names else f" {sizes} {arrow}" if sizes else f" {arrow}"
    yield Piece(lead, RULER, *to)
    if mark:
        yield Piece(mark, MARKS[mark], *to)
    yield Piece("▶ ", RULER, *to)


def _waiting_texts(stages: Sequence[StageState]) -> list[str]:
    """That stages wait, and for which: that is broken, and the first of these; [] where none does."""
    broken = [stage.name for stage in stages if stage.mark == "✘"]
    count = sum(stage.mark == "…" for stage in stages)
    wait = f"… {count} wait{'s' * (count == 1)}"
    return [f"{wait} for {plain(broken[0], 20)}"] * (len(broken) == 1) + [wait] if count else []


def _listed(sizes: Sequence[str]) -> str:
    """`{1,4}`, `{1,4}×2`, `{1,4} {1,3}`, or the first of many."""
    if not sizes:
        return ""
    if len(set(sizes)) == 1:
        return sizes[0] + (f"×{len(sizes)}" if len(sizes) > 1 else "")
    return " ".join(sizes) if len(sizes) <= 2 else f"{sizes[0]} +{len(sizes) - 1}"


class ChainLine(LinePanel):
    """Hidden where an experiment neither reads another one nor is read."""

    PANEL = "panel"

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """A stage is wanted, or the element of it that `wire` fills; or, of no stage, an experiment."""

        stage: int
        wire: str
        experiment: int

    class PathWanted(Message):
        """The path is wanted, or no longer."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._chain: ChainState | None = None
        self.appear(False)

    def present(self, state: State) -> None:
        """Shows another state."""
        if state.chain is not self._chain:
            self._chain = state.chain
            self.appear(self._chain is not None)
            self.redraw()

    def _pieces(self, width: int) -> list[Piece]:
        if self._chain is None:
            return []
        dead, stages = self._chain.dead, self._chain.stages
        count, _, name = dead.partition(" elements of ")
        whose = f" of {name.rpartition(' of ')[2]}" if " of " in name else ""
        end = f" in {stages[-1].name}" if any(stage.others for stage in stages) else ""
        dead_texts = [f"{told} never arrive{end}" for told in (dead, f"{count}{whose}")] if dead else []
        texts = dead_texts or _waiting_texts(stages)
        line = pieces(self._chain, width - (len(texts[-1]) + 2 if texts else 0))
        room = width - _length(line)
        for told in [*(f"{text}   {KEYS}" for text in texts), *texts, KEYS]:
            if len(told) + 2 <= room:
                return [*line, Piece(" " * (room - len(told)) + told, DIM)]
        return line

    def lines(self, width: int, height: int) -> list[Line]:
        return [[Span(piece.text, piece.style) for piece in self._pieces(width)] or [Span("", PLAIN)]]

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        x = offset.x if offset is not None else -1
        for piece in self._pieces(self.size.width):
            columns = cell_len(piece.text)
            if 0 <= x < columns:
                if piece.stage >= 0 or piece.experiment >= 0:
                    self.post_message(self.Chosen(piece.stage, piece.wire, piece.experiment))
                elif piece.text.endswith(KEYS) and x >= piece.text.rindex("P path"):
                    self.post_message(self.PathWanted())
                return
            x -= columns
