"""The line at the top: what is looked at, and whether it is valid."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..checks import Severity
from ..errors import plain
from ..operators import operator_of
from ..scene.shown import Shown
from .inks import Inks, inks_of


class HeaderLine(Static):
    """Operator and experiment at the left; feature level, verdict and unsaved changes at the right."""

    _said: tuple[object, ...] = ()

    def show(self, shown: Shown, number: int, count: int, unread: int, dirty: bool) -> None:
        """Experiment `number` of `count`; `unread` is how many fields hold what can't be read."""
        said = (shown, number, count, unread, dirty, self.app.size.width, self.app.theme)
        if self._said and self._said[0] is shown and self._said[1:] == said[1:]:
            return
        self._said = said
        inks = inks_of(self.app.theme_variables, "panel")
        room = self.app.size.width - 2
        level = shown.report.feature_level
        # What can be spared gives way first: a word, then the mark of a session that is saved.
        for words, saved in ((f"feature level {level}", True), (f"level {level}", True), (f"level {level}", False)):
            right = self._right(shown, words, unread, dirty, saved, inks)
            if room - right.cell_len >= 40:
                break
        name = plain(shown.experiment.name, 200)
        left = Text("dmlviz", style=f"bold {inks.accent.hex}")
        left.append(f"  {operator_of(shown.experiment.desc).name}", f"bold {inks.text.hex}")
        place = f"   {number + 1} of {count}" if count > 1 else ""
        tail = Text(f" · {name}", style=f"not bold {inks.text.hex}")
        tail.truncate(max(0, room - 2 - right.cell_len - left.cell_len - len(place)), overflow="ellipsis")
        left.append_text(tail).append(place, f"not bold {inks.muted.hex}")
        left.truncate(max(8, room - 2 - right.cell_len), overflow="ellipsis")
        self.update(
            Text.assemble(left, " " * max(1, room - left.cell_len - right.cell_len), right, no_wrap=True), layout=False
        )

    def _right(self, shown: Shown, level: str, unread: int, dirty: bool, saved: bool, inks: Inks) -> Text:
        report = shown.report
        right = Text(f"{level}   ", style=inks.text.hex)
        if report.ok and not unread:
            right.append(f"✔ valid · {counted(sum(c.ok for c in report.checks), 'rule')}", f"bold {inks.accent.hex}")
            warnings = sum(c.severity is Severity.WARNING for c in report.failures) + len(shown.problems)
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
