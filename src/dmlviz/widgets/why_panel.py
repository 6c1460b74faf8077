"""Why a desc is refused: one broken rule in full with the fixes that were verified, the others one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.style import Style as RichStyle
from rich.text import Text
from textual import events
from textual.message import Message

from ..operators.report import E_INVALIDARG, Check, Severity, root_of
from ..scene.view_state import ViewState
from ..scene.words.reasons import Reason, code_of, working
from ..workspace.state import State
from .commands import bindings
from .inks import Inks, inks_of
from .reason_text import bad, bold, code_lines, fix_rows, good, rows_table, short_row, working_table
from .text_view import Lines, TextView

BRIEF = 16
"""Lines below which nothing stands between the parts."""
ROOMY = 22
"""Lines from which pseudo-code is open by itself."""


Block = list[RenderableType]


class Parts(NamedTuple):
    """What is said about a reason, piece by piece."""

    title: Text
    table: RenderableType
    message: Text
    fixes: list[RenderableType]
    working: list[RenderableType]
    rule: list[RenderableType]
    code: list[RenderableType]
    others: list[RenderableType]


class WhyPanel(TextView):
    """Shows the chosen reason; a click on a fix applies it, one on another reason chooses that."""

    COUNTS = True

    BINDINGS = bindings("why")

    @dataclass
    class Chosen(Message):
        """A fix by number, from 0."""

        number: int

    @dataclass
    class Picked(Message):
        """A reason by number, from 0."""

        number: int

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._open: bool | None = None  # None: as the room has it
        self._view: ViewState | None = None
        self._number = 0
        self._serial = 0

    def present(self, state: State) -> None:
        """Shows another state."""
        number = state.chosen or 0
        if state.view is not self._view or number != self._number:
            self.show(state.view, number)

    def show(self, view: ViewState, number: int) -> None:
        """Shows reason `number` in full."""
        if view.report.ok:
            return  # the panel is not seen
        if self._view is not view or number != self._number:
            self._serial += 1
            self.scroll_to(y=0, animate=False, immediate=True)
        self._view, self._number = view, min(number, len(view.why.errors) - 1)
        self.say(self._text, (self._serial, self._open))

    def action_details(self) -> None:
        """Opens or folds the pseudo-code."""
        self._open = not self._is_open(self.size.height)
        if self._view is not None:
            self.show(self._view, self._number)

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if "fix" in meta:
            self.post_message(self.Chosen(meta["fix"]))
        elif "reason" in meta:
            self.post_message(self.Picked(meta["reason"]))
        elif "details" in meta:
            self.action_details()

    def _is_open(self, height: int) -> bool:
        return height >= ROOMY if self._open is None else self._open

    def _text(self, width: int, height: int) -> Lines:
        """The roomiest of three layouts that fits; where none does, one with the fixes near the top."""
        parts = self._parts(width, height)
        made = self.lines_of(Group(*self._roomy(parts)), width)
        if len(made) > height:
            short = self.lines_of(Group(*self._short(parts)), width)
            made = short if len(short) <= height or height >= BRIEF else self._brief(parts, width, height)
        return made

    def _roomy(self, parts: Parts) -> Block:
        line = Rule(style=inks_of(self.app.theme_variables, "surface").line.hex)
        blocks: list[Block] = [
            [parts.table],
            [parts.message],
            parts.fixes,
            parts.working,
            parts.rule,
            parts.code,
            parts.others,
        ]
        return [parts.title, line, *_apart(blocks)]

    def _short(self, parts: Parts) -> Block:
        blocks: list[Block] = [
            [parts.table, parts.message],
            parts.fixes,
            parts.working + parts.rule,
            parts.others,
            parts.code,
        ]
        return [parts.title, *_apart(blocks)]

    def _brief(self, parts: Parts, width: int, height: int) -> Lines:
        """The fixes behind the message; before it where that would push them out of sight."""
        head = parts.title, parts.table
        first = len(self.lines_of(Group(*head, parts.message), width)) + 2  # with what says how much more there is
        told = (parts.message, *parts.fixes) if first <= height else (*parts.fixes, parts.message)
        return self.lines_of(Group(*head, *told, *parts.others, *parts.working, *parts.rule, *parts.code), width)

    def _parts(self, width: int, height: int) -> Parts:
        assert self._view is not None
        view, inks = self._view, inks_of(self.app.theme_variables, "surface")
        reasons, fixes = view.why.errors, view.why.fixes
        reason, desc = reasons[self._number], view.experiment.desc
        terms = working(desc, reason)
        told: list[RenderableType] = [working_table(terms, width, inks)] if terms else []
        rule: list[RenderableType] = []
        if reason.sentence:
            rule = [Text.assemble(("rule  ", inks.muted.hex), (reason.sentence, inks.text.hex))]
        rule.append(Text(reason.page, inks.muted.hex))
        mends: RenderableType = Text("No single edit that was tried mends it.", inks.muted.hex)
        if reason.fixes:
            mends = fix_rows(desc, reason.fixes, fixes, width, inks)
        return Parts(
            self._title(view, len(reasons), width, inks),
            rows_table(reason, width, inks),
            self._message(view, reason.first, inks),
            [mends],
            told,
            rule,
            self._code(view, reason, width, height, inks),
            [short_row(i, other, inks) for i, other in enumerate(reasons) if i != self._number],
        )

    def _message(self, view: ViewState, check: Check, inks: Inks) -> Text:
        """What is wrong, and what is worth knowing about the tensors that it is about."""
        text = Text(check.message, inks.text.hex)
        about = {root_of(path) for path in (check.field, *check.related)}
        for note in view.report.failures:
            if note.severity is Severity.NOTE and root_of(note.field) in about:
                text.append("\ni  ", good(inks)).append(note.message)
        return text

    def _title(self, view: ViewState, count: int, width: int, inks: Inks) -> Text:
        lowest, muted = view.report.lowest_level, inks.muted.hex
        text = Text("Why", bold(inks), no_wrap=True, overflow="ellipsis")
        text.append("  ").append(f" E_INVALIDARG 0x{E_INVALIDARG:08X} ", f"{bad(inks)} reverse")
        levels = f"accepted from feature level {lowest} on" if lowest else "no feature level accepts this desc"
        ending = f"{self._number + 1} of {count}  F3 next" if count > 1 else ""
        if text.cell_len + len(levels) + len(ending) + 4 > width:
            levels = f"accepted from {lowest} on" if lowest else "no level accepts it"
        text.append(f"  {levels}", f"not bold {muted}")
        text.append(" " * max(2, width - text.cell_len - len(ending)) + ending if ending else "", f"not bold {muted}")
        return text

    def _code(self, view: ViewState, reason: Reason, width: int, height: int, inks: Inks) -> list[RenderableType]:
        lines = code_of(view.experiment.desc, reason)
        if not lines:
            return []
        is_open = self._is_open(height)
        head = Text(style=RichStyle.parse(inks.text.hex) + RichStyle(meta={"details": True}))
        head.append(f"{'▾' if is_open else '▸'} the page's pseudo-code, with these numbers")
        head.append(f"   o {'closes' if is_open else 'opens'}", inks.muted.hex)
        return [head, *code_lines(lines, width, inks)] if is_open else [head]


def _apart(blocks: list[Block]) -> Block:
    """Blocks with an empty line between two."""
    filled = [block for block in blocks if block]
    return [part for i, block in enumerate(filled) for part in ([Text("")] if i else []) + block]
