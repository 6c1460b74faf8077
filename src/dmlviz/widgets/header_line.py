"""The line at the top: what is looked at, and whether it is valid."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..checks import Severity
from ..errors import plain
from ..operators import operator_of
from ..scene.shown import Shown
from .inks import inks_of


class HeaderLine(Static):
    """Operator and experiment at the left; feature level, verdict and unsaved changes at the right."""

    def show(self, shown: Shown, number: int, count: int, unread: int, dirty: bool) -> None:
        """Experiment `number` of `count`; `unread` is how many fields hold what can't be read."""
        inks = inks_of(self.app.theme_variables, "panel")
        report, experiment = shown.report, shown.experiment
        left = Text("dmlviz", style=f"bold {inks.accent.hex}")
        left.append(f"  {operator_of(experiment.desc).name}", f"bold {inks.text.hex}")
        left.append(f" · {plain(experiment.name, 60)}", inks.text.hex)
        if count > 1:
            left.append(f"   {number + 1} of {count}", inks.muted.hex)
        right = Text(f"feature level {report.feature_level}   ", style=inks.text.hex)
        if report.ok and not unread:
            right.append(f"✔ valid · {sum(c.ok for c in report.checks)} rules", f"bold {inks.accent.hex}")
            warnings = sum(c.severity is Severity.WARNING for c in report.failures) + len(shown.problems)
            right.append(f" · ! {warnings}" if warnings else "", f"bold {inks.warning.hex}")
        elif report.ok:
            right.append(f"✘ {unread} {'field' if unread == 1 else 'fields'} unreadable", f"bold {inks.error.hex}")
        else:
            right.append(f"✘ E_INVALIDARG · {len(report.errors) + unread}", f"bold {inks.error.hex}")
        right.append("   ● unsaved" if dirty else "", inks.muted.hex)
        room = self.app.size.width - 2 - right.cell_len
        left.truncate(max(8, room - 2), overflow="ellipsis")
        self.update(Text.assemble(left, " " * max(1, room - left.cell_len), right, no_wrap=True), layout=False)
