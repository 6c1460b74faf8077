"""Why a desc is refused: one broken rule in one sentence with the fix that mends it, all others in one line each."""

from __future__ import annotations

from rich.console import Group
from rich.style import Style as RichStyle
from rich.table import Table
from rich.text import Text

from ...operators.report import E_INVALIDARG, Check, Severity, root_of
from ...scene.view_state import ViewState
from ...scene.words.reasons import Reason
from ...workspace.shown.state import State
from ..lib.commands import bindings
from ..lib.inks import Inks, inks_of
from ..lib.text_view import Lines
from .reason_panel import ReasonPanel
from .reason_text import Block, good_style, rows_table, sentence_text, short_row


class WhyPanel(ReasonPanel):
    """Shows the chosen reason; what was found and expected, rule and page once they are asked for."""

    BINDINGS = bindings("why")

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._number = 0

    def present(self, state: State) -> None:
        """Shows another state."""
        n = state.chosen or 0
        if state.view is not self._view or n != self._number:
            self.show(state.view, n)

    def show(self, view: ViewState, number: int) -> None:
        """Shows reason `number` of a refused desc; does nothing for any other desc, as the panel is not seen."""
        if view.report.ok is not False:
            return  # the panel is not seen
        if self._view is not view or number != self._number:
            self._serial += 1
            self.scroll_to(y=0, animate=False, immediate=True)
        self._view, self._number = view, min(number, len(view.why.errors) - 1)
        self._say_reasons()

    def _say_reasons(self) -> None:
        if self._view is not None:
            self.say(self._lines_for, (self._serial, self._open))

    def _lines_for(self, width: int, height: int) -> Lines:
        """All blocks in lines, with an empty line between two where there is room for that."""
        blocks = self._blocks(width)
        lines = self.lines_of(Group(*_apart(blocks)), width)
        if len(lines) <= height:
            return lines
        said, mends, *rest = blocks
        if len(self.lines_of(Group(*said, mends[0]), width)) > height:
            said, mends = mends, said  # however long the sentence is, its fix is in sight
        return self.lines_of(Group(*(part for block in (said, mends, *rest) for part in block)), width)

    def _blocks(self, width: int) -> list[Block]:
        """What is said, the most important first."""
        assert self._view is not None
        view, inks = self._view, inks_of(self.app.theme_variables, "surface")
        reasons = view.why.errors
        reason = reasons[self._number]
        none: Block = [Text("No single edit that was tried mends it.", inks.muted.hex)]
        ending = [self._foot_text(view, reason, inks)]
        details = self._details(view, reason, width, inks) if self._open else []
        return [
            [sentence_text(reason.cause, inks)],
            self._fix_rows(view, reason, width, inks) or none,
            self._other_reasons(reasons, inks),
            *([*details, ending] if self._open else [ending]),
        ]

    def _other_reasons(self, reasons: tuple[Reason, ...], inks: Inks) -> Block:
        """The other broken rules, one line each; nothing where there is one alone."""
        if len(reasons) == 1:
            return []
        head = Text.assemble((f"{len(reasons) - 1:,} more:", f"bold {inks.text.hex}"))
        head.append(f"   {self._number + 1} of {len(reasons)} is shown, F3 next", inks.muted.hex)
        return [head, *(short_row(i, other, inks) for i, other in enumerate(reasons) if i != self._number)]

    def _details(self, view: ViewState, reason: Reason, width: int, inks: Inks) -> list[Block]:
        """What was found, what is worth knowing about its tensors, the rule and its page."""
        muted, desc = inks.muted.hex, view.experiment.desc
        from ...session.rules_told import about  # most never ask

        rule = Table.grid(padding=(0, 2, 0, 0))
        rule.add_column(no_wrap=True)
        rule.add_column(overflow="fold")
        for word, text in about(desc, reason.first):
            rule.add_row(Text(word, muted), Text(text, inks.text.hex if word == "rule" else muted))
        return [
            [rows_table(reason, width, inks), *self._tensor_notes(view, reason.first, inks)],
            [rule],
        ]

    def _tensor_notes(self, view: ViewState, check: Check, inks: Inks) -> Block:
        """What is worth knowing about the tensors that a rule is about."""
        about = {root_of(path) for path in (check.field, *check.related)}
        return [
            Text.assemble(("i  ", good_style(inks)), (note.message, inks.text.hex))
            for note in view.report.failures
            if note.severity is Severity.NOTE and root_of(note.field) in about
        ]

    def _foot_text(self, view: ViewState, reason: Reason, inks: Inks) -> Text:
        """What a program is told, which levels accept the desc, and what else there is to read."""
        lowest, muted = view.report.lowest_level, inks.muted.hex
        words = [reason.first.id]
        if view.report.refuses(reason.first):
            words.insert(0, f"E_INVALIDARG 0x{E_INVALIDARG:08X}")
        if lowest or view.report.is_refused:
            words.append(f"accepted from feature level {lowest} on" if lowest else "no feature level accepts this desc")
        text = Text(" · ".join(words), muted)
        head = Text(style=RichStyle.parse(inks.text.hex) + RichStyle(meta={"details": True}))
        head.append(f"{'▾' if self._open else '▸'} found and expected, the rule and its page")
        head.append(f"   {self._key_of_details} {'closes' if self._open else 'opens'}", muted)
        return Text("\n").join([head, text])


def _apart(blocks: list[Block]) -> Block:
    """Blocks with an empty line between two."""
    filled = [block for block in blocks if block]
    return [part for i, block in enumerate(filled) for part in ([Text("")] if i else []) + block]
