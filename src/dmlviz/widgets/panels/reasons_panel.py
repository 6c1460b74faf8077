"""What is broken and what mends it, then warnings; all rules, with what was found, once they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.style import Style as RichStyle
from rich.table import Table
from rich.text import Text
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from ...errors import plain
from ...operators.report import E_INVALIDARG, Cause, Fix, Report, Severity, Verdict, root_of
from ...scene.names import tight
from ...scene.view_state import ViewState
from ...scene.words.diffs import diff, words_after_fix
from ...scene.words.reasons import KEYS, Reason
from ...workspace.shown.state import State
from ..lib.commands import BY_ID, command_keys
from ..lib.inks import Inks, bold, inks_of, thin

ROWS = 4
"""Checks of one cause that are listed; the reason counts them."""
Row = tuple[Text, Text]
"""A mark, and what it is the mark of."""


class Told(Static):
    """Rows whose further lines begin below the first, and whose links look as what they are in."""

    @property
    def link_style(self) -> RichStyle:
        return RichStyle.null()

    def tell(self, tables: Sequence[Sequence[Row]]) -> None:
        drawn = []
        for table in filter(None, tables):
            grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
            for row in table:
                grid.add_row(*row)
            drawn.append(grid)
        self.update(Group(*drawn))


class ReasonsPanel(VerticalScroll, can_focus=True):
    """The one place where it is said what is wrong; a click on a fix applies it, one on a reason chooses that.

    It has the class `broken` while there are broken rules, `speaks` where there is anything to say but that rules hold,
    and `warns` where that is warnings alone.
    """

    opens = reactive(False, init=False, repaint=False)
    """What was found and all rules are told, too."""
    DEFAULT_CSS = """
    ReasonsPanel { height: auto; background: $surface; scrollbar-size-vertical: 1; }
    Told { height: auto; }
    """
    tables: Sequence[Sequence[Row]] = ()
    """What is told."""
    _state: State | None = None
    _said: tuple[object, ...] = ()

    def __init__(self, *, id: str) -> None:  # noqa: A002
        self._told = Told()
        super().__init__(self._told, id=id)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._reread_keys)

    def _reread_keys(self, screen: Screen[object]) -> None:
        if screen is self.screen and self._state is not None:
            self.present(self._state)

    def present(self, state: State) -> None:
        self._state = state
        seen = self.app.theme, self.opens, self.screen.has_class("low")
        said = state.view, state.chosen, *seen, self._key_of(0, first=True), *state.form.errors.values()
        if not self.is_attached or (said[1:] == self._said[1:] and state.view is self._said[0]):
            return
        if state.chosen != (self._said[1] if self._said else None):
            self.scroll_home(animate=False)
        self._said = said
        inks = inks_of(self.app.theme_variables, "surface")
        rows = [*self._rows(state, inks)]
        self.set_class(bool(state.view.why.errors), "broken")
        self.set_class(bool(rows), "speaks")
        self.set_class(0 < len(rows) == len(state.view.why.reasons), "warns")
        title = Text(self._title(state), RichStyle(meta={"@click": "screen.details"}))
        more = _details(state.view, state.chosen, inks) if self.opens else ()
        self.tables = [rows, [(Text("▼" if self.opens else "▶", inks.muted.hex), title)], *more]
        self._told.tell(self.tables)

    def action_details(self) -> None:
        self.opens = not self.opens

    def watch_opens(self) -> None:
        self.set_class(self.opens, "open")
        if self._state is not None:
            self.present(self._state)

    def _key_of(self, number: int, *, first: bool = False) -> str:
        """The key of fix `number`, from 0, or of the one that is `first`; behind that to this panel from a field."""
        action = "fix.first" if first else f"fix.{number + 1}"
        keymap = getattr(self.screen, "keymap", {})
        is_text = self.screen.check_action("fix", (-1 if first else number,)) is False
        keys = [command_keys(BY_ID[way], keymap).partition(" ")[0] for way in ("rules.go",) * is_text + (action,)]
        return " ".join(key.upper() if key[1:].isdigit() else key for key in keys if key)

    def _hint(self, command: str, does: str) -> str:
        """What keys do, behind a text; "" for a command that a user left without any."""
        keys = command_keys(BY_ID[command], getattr(self.screen, "keymap", {}))
        return f"   {keys} {does}" * bool(keys)

    def _rows(self, state: State, inks: Inks) -> Iterator[Row]:
        view = state.view
        why = view.why
        report = view.report
        bad = bold(inks.error)
        warn = bold(inks.warning)
        for said in state.form.errors.values():
            yield Text("✘", bad), Text(said, inks.text.hex)
        shown = min(state.chosen or 0, len(why.errors) - 1) if why.errors else -1
        if shown >= 0:
            yield Text("✘", bad), _sentence(why.errors[shown].cause, inks)
            if not self.screen.has_class("low"):
                yield Text(), Text()
            yield from self._fix_rows(view, why.errors[shown], inks)
        for number, reason in enumerate(why.reasons):
            if number != shown:
                yield Text("▸" if number == state.chosen else " ", bad), _short(number, reason, inks)
        if report.waits_for:
            yield Text("…", warn), Text(f"Not checked until {plain(report.waits_for, 40)} is valid.")
        for check in report.failures:
            if check.severity is Severity.NOTE:
                yield Text("i", bold(inks.accent)), Text(check.message)
        for unchecked in report.not_checked:
            ends = unchecked is report.not_checked[-1] and not unchecked.field  # the last remark of an import
            many = sum(not each.field for each in report.not_checked)
            drops = self._hint("rules.drop", f"drops these {many}" if many > 1 else "drops it") if ends else ""
            click = RichStyle(meta={"@click": "screen.do('drop_remarks')"} if ends else None)
            yield Text("?", warn), Text.assemble(unchecked.message, (drops, inks.muted.hex), style=click)
        for said in view.problems:
            yield Text("!", warn), Text(f"{tight(said)} Fitted for the picture.")

    def _fix_rows(self, view: ViewState, reason: Reason, inks: Inks) -> Iterator[Row]:
        first = f"bold {inks.paper.hex} on {inks.accent.hex}"
        other = f"{inks.text.hex} on {inks.neutral.hex}"
        for at, number in enumerate(reason.fixes):
            key = self._key_of(at, first=not at) if at < KEYS else ""
            fix = view.why.fixes[number]
            style = other if at else first
            after = fix.effect if at and fix.mends_all else words_after_fix(view.experiment.desc, fix)
            text = Text.assemble(_change(fix, style), "  ", (tight(after), inks.muted.hex))
            text.stylize(RichStyle(meta={"@click": f"screen.fix({at})"}))
            yield Text(key, bold(inks.accent)), text
        if not reason.fixes:
            yield Text(), Text("None of the edits that were tried fixes it.", inks.muted.hex)

    def _title(self, state: State) -> str:
        report = state.view.report
        errors = state.view.why.errors
        if errors:
            shown = errors[min(state.chosen or 0, len(errors) - 1)]
            lowest = report.lowest_level
            accepts = "no feature level accepts it" if lowest is None else f"accepted from {lowest} on"
            words = f"{shown.first.id} · {accepts} · found, expected, page"
        else:
            words = f"{sum(check.ok for check in report.checks)} checks pass"
            if report.waiting and not report.waits_for:
                words += f", {len(report.waiting)} not checked until {report.waiting[0].until}"
        unread = any(state.form.errors.values())
        return f"{words}{' for the last readable values' * unread}{self._hint('rules.all', 'opens')}"


def verdict(report: Report, inks: Inks) -> tuple[str, str]:
    """A report's verdict in words, and the style of the words."""
    ink = {Verdict.VALID: inks.accent, Verdict.INVALID: inks.error}.get(report.verdict, inks.warning)
    return f"{report.verdict.mark} {report.verdict}", bold(ink)


def _sentence(cause: Cause, inks: Inks) -> Text:
    check = cause.first
    named = [check.field] if len(cause.checks) == 1 else [root_of(failure.field) for failure in cause.checks]
    words = cause.message if named[0] in cause.message else f"{check.field}: {cause.message}"
    text = Text(tight(words), bold(inks.text))
    mark = "reverse" if inks.has_marks else "underline"
    text.highlight_words(named, f"{bold(inks.error)} {mark}")
    return text


def _short(number: int, reason: Reason, inks: Inks) -> Text:
    row = reason.rows[0]
    ink = inks.error if reason.is_error else inks.warning
    text = Text(f"{'✘' if reason.is_error else '!'} ", bold(ink))
    if reason.is_error:
        text.append(row.field).append(f"  {row.found}, expected {row.expected}", thin(inks.text))
    else:
        text.append(reason.first.message, thin(inks.text))
    if len(reason.checks) > 1:
        text.append(f" and {len(reason.checks) - 1:,} more", thin(inks.muted))
    text.append(f"  {reason.first.id}", thin(inks.muted))
    text.stylize(RichStyle(meta={"@click": f"screen.do('look_at_reason', ({number},))"}))
    return text


def _change(fix: Fix, style: str) -> Text:
    """A fix's diff, old → new, with what is new underlined, and what only goes struck out."""
    text = Text(" ", style)
    for i, change in enumerate(fix.changes):
        text.append(", " if i else "")
        if not change.before or not change.after:
            does = "remove" if change.before else "add"
            text.append(f"{does} {change.what} {change.before or change.after}", "bold")
            continue
        text.append(f"{change.what} ")
        before, after = diff(change._replace(before=tight(change.before), after=tight(change.after)))
        only_less = not any(piece.new for piece in after)
        for piece in before:
            text.append(piece.text, "strike" if piece.new and only_less else "")
        text.append(" → ")
        for piece in after:
            text.append(piece.text, "bold underline" if piece.new else "")
    return text.append(" ")


def _details(view: ViewState, chosen: int | None, inks: Inks) -> Iterator[list[Row]]:
    """What was found, the rule and its page; which rules wait; and the rules that hold."""
    report, desc = view.report, view.experiment.desc
    muted = inks.muted.hex
    if view.why.errors:
        from ...session.rules_told import about  # most never ask

        reason = view.why.errors[min(chosen or 0, len(view.why.errors) - 1)]
        bad = bold(inks.error)
        yield [(Text(row.field, bad), Text(f"{row.found}, expected {row.expected}")) for row in reason.rows[:ROWS]]
        told = [*about(desc, reason.first)]
        if report.refuses(reason.first):
            told.append(("device", f"E_INVALIDARG 0x{E_INVALIDARG:08X}"))
        yield [(Text(word, muted), Text(text)) for word, text in told]
    others: list[Row] = [
        (Text("…", muted), Text(f"{waiting.id}: not checked until {waiting.until}")) for waiting in report.waiting
    ]
    held = {check.id: check for check in report.checks if check.ok}
    others += [(Text("✔", bold(inks.accent)), Text(check.message, inks.ruler.hex)) for check in held.values()]
    yield others
