"""The line at the top: what is looked at, and whether it is valid."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from ...errors import plain
from ...operators.registry import operator_of
from ...operators.report import Severity
from ...scene.view_state import ViewState
from ...workspace.shown.state import State
from ..lib.inks import Inks, bold, inks_of, thin
from ..panels.reasons_panel import verdict


class HeaderLine(Static):
    """Operator, experiment, its task and whether it is saved at the left; feature level and verdict at the right."""

    def present(self, state: State) -> None:
        inks = inks_of(self.app.theme_variables, "panel")
        doc = state.document
        view = state.view
        unread = len(state.form.errors)
        count, dirty = len(doc.session.experiments), doc.dirty
        room = self.app.size.width - 2
        op = operator_of(view.experiment.desc).name
        place = f"   {doc.number + 1} of {count}" if count > 1 else ""
        sign = "   ?" * ("task" in view.experiment.extra)
        called = plain(view.experiment.name, 200)
        name = f" · {called}" if called != op else ""
        for brand, words, saved in (("dmlviz  ", "feature level ", "   ● saved"), ("", "", "")):
            right = _level_and_verdict(view, f"{words}{view.report.feature_level}", unread, inks)
            state_words = "   ● unsaved" if dirty else saved
            spare = room - 2 - len(brand + op + place + state_words) - cell_len(sign) - right.cell_len
            if spare >= cell_len(name):
                break
        shown = Text(name if cell_len(name) <= spare or spare > len(" · …") else "")
        shown.truncate(max(0, spare), overflow="ellipsis")
        left = Text(brand, style=bold(inks.accent))
        left.append(op, bold(inks.text))
        left.append(shown.plain, thin(inks.text))
        left.append(place, thin(inks.ruler))
        left.append(sign, thin(inks.text))
        left.append(state_words, bold(inks.text) if dirty else thin(inks.muted))
        left.truncate(max(8, room - 2 - right.cell_len), overflow="ellipsis")
        gap = " " * max(1, room - left.cell_len - right.cell_len)
        shown = Text.assemble(left, gap, right, no_wrap=True)
        if shown != self.content:
            self.update(shown, layout=False)


def _level_and_verdict(view: ViewState, level: str, unread: int, inks: Inks) -> Text:
    report = view.report
    right = Text(f"{level}   ", style=inks.text.hex)
    if report.ok is not False and not unread:
        words, style = verdict(report, inks)
        right.append(words, style)
        warnings = sum(c.severity is Severity.WARNING for c in report.failures) + len(view.problems)
        if warnings:
            right.append(f" · {counted(warnings, 'warning')}", bold(inks.warning))
    elif report.ok is not False:
        right.append(f"✘ {counted(unread, 'field')} unreadable", bold(inks.error))
    else:
        answer = "E_INVALIDARG" if report.is_refused else "invalid"
        right.append(f"✘ {answer} · {len(report.broken) + unread} failed", bold(inks.error))
    return right


def counted(count: int, noun: str) -> str:
    """A number with its noun: `1 warning`, `2 warnings`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
