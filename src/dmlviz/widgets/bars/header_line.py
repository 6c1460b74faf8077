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
from ..lib.inks import Inks, inks_of
from ..panels.reasons_panel import verdict


class HeaderLine(Static):
    """Operator, experiment, its task and whether it is saved at the left; feature level and verdict at the right."""

    def present(self, state: State) -> None:
        inks = inks_of(self.app.theme_variables, "panel")
        doc, view, unread = state.document, state.view, len(state.form.errors)
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
        left = Text(brand, style=f"bold {inks.accent.hex}")
        left.append(op, f"bold {inks.text.hex}")
        left.append(shown.plain, f"not bold {inks.text.hex}")
        left.append(place, f"not bold {inks.ruler.hex}")
        left.append(sign, f"not bold {inks.text.hex}")
        left.append(state_words, f"bold {inks.text.hex}" if dirty else f"not bold {inks.muted.hex}")
        left.truncate(max(8, room - 2 - right.cell_len), overflow="ellipsis")
        gap = " " * max(1, room - left.cell_len - right.cell_len)
        self.update(Text.assemble(left, gap, right, no_wrap=True), layout=False)


def _level_and_verdict(view: ViewState, level: str, unread: int, inks: Inks) -> Text:
    """The feature level and the verdict; of an invalid desc the device's word and a count too."""
    report = view.report
    right = Text(f"{level}   ", style=inks.text.hex)
    if report.ok is not False and not unread:
        words, style = verdict(report, inks)
        right.append(words, style)
        warnings = sum(c.severity is Severity.WARNING for c in report.failures) + len(view.problems)
        right.append(f" · {counted(warnings, 'warning')}" if warnings else "", f"bold {inks.warning.hex}")
    elif report.ok is not False:
        right.append(f"✘ {counted(unread, 'field')} unreadable", f"bold {inks.error.hex}")
    else:
        answer = "E_INVALIDARG" if report.is_refused else "invalid"
        right.append(f"✘ {answer} · {len(report.broken) + unread} failed", f"bold {inks.error.hex}")
    return right


def counted(count: int, noun: str) -> str:
    """A number with its noun: `1 warning`, `2 warnings`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
