"""The line at the top: what is looked at, and whether it is valid."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..errors import plain
from ..operators.registry import operator_of
from ..operators.report import Severity
from ..scene.view_state import ViewState
from ..workspace.state import State
from .inks import Inks, inks_of
from .reason_text import verdict

NAME = 12
"""Columns that the experiment's name would like at least."""
SHORTER = (
    ("dmlviz  ", "feature level ", True, True),
    ("dmlviz  ", "level ", True, True),
    ("dmlviz  ", "level ", True, False),
    ("dmlviz  ", "level ", False, False),
    ("", "level ", False, False),
    ("", "", False, False),
)
"""What the line says, ever shorter: (the program's name, words before the level, count of rules, that all is saved)."""


class HeaderLine(Static):
    """Operator and experiment at the left; feature level, verdict and unsaved changes at the right."""

    _said: tuple[object, ...] = ()

    def present(self, state: State) -> None:
        """Shows another state."""
        document = state.document
        self.show(state.view, document.number, document.count, len(state.form.errors), document.dirty)

    def show(self, view: ViewState, number: int, count: int, unread: int, dirty: bool) -> None:
        """Experiment `number` of `count`; `unread` is how many fields hold what can't be read."""
        said = (view, number, count, unread, dirty, self.app.size.width, self.app.theme)
        if self._said and self._said[0] is view and self._said[1:] == said[1:]:
            return
        self._said = said
        inks = inks_of(self.app.theme_variables, "panel")
        room = self.app.size.width - 2
        operator = operator_of(view.experiment.desc).name
        place = f"   {number + 1} of {count}" if count > 1 else ""
        # What can be spared gives way first, so that room is left for the experiment's name.
        for brand, words, rules, saved in SHORTER:
            left = Text(brand, style=f"bold {inks.accent.hex}")
            left.append(operator, f"bold {inks.text.hex}")
            right = self._right(view, f"{words}{view.report.feature_level}", unread, rules, dirty, saved, inks)
            spare = room - 2 - left.cell_len - len(place) - right.cell_len
            if spare >= NAME:
                break
        called = plain(view.experiment.name, 200)
        name = Text(f" · {called}" if called != operator else "")
        name.truncate(max(0, spare), overflow="ellipsis")
        left.append(name.plain if spare > 4 else "", f"not bold {inks.text.hex}")
        left.append(place, f"not bold {inks.ruler.hex}")
        left.truncate(max(8, room - 2 - right.cell_len), overflow="ellipsis")
        gap = " " * max(1, room - left.cell_len - right.cell_len)
        self.update(Text.assemble(left, gap, right, no_wrap=True), layout=False)

    def _right(
        self, view: ViewState, level: str, unread: int, rules: bool, dirty: bool, saved: bool, inks: Inks
    ) -> Text:
        report = view.report
        right = Text(f"{level}   ", style=inks.text.hex)
        if report.ok and not unread:
            words, style = verdict(report, inks)
            right.append(words, style)
            held = f" · {counted(sum(c.ok for c in report.checks), 'rule')}"
            right.append(held if rules else "", style)
            warnings = sum(c.severity is Severity.WARNING for c in report.failures) + len(view.problems)
            right.append(f" · {counted(warnings, 'warning')}" if warnings else "", f"bold {inks.warning.hex}")
        elif report.ok:
            right.append(f"✘ {counted(unread, 'field')} unreadable", f"bold {inks.error.hex}")
        else:
            right.append(f"✘ E_INVALIDARG · {len(report.errors) + unread} broken", f"bold {inks.error.hex}")
        if dirty:
            right.append("   ● unsaved", f"bold {inks.text.hex}")
        elif saved:
            right.append("   ● saved", inks.muted.hex)
        return right


def counted(count: int, noun: str) -> str:
    """`1 warning`, `2 warnings`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
