"""What is broken: the reason that is looked at, its fixes, and the rows of the form that it names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..operators.report import Fix
from ..scene.words.reasons import KEYS
from ..widgets.form import Form
from ..widgets.rules_panel import RulesPanel
from ..widgets.why_panel import WhyPanel

if TYPE_CHECKING:
    from .explorer.explorer import Explorer


class Reasons:
    """The broken rules and warnings of one explorer's desc, one of which may be looked at."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.chosen: int | None = None  # the reason that is looked at, among `shown.why.reasons`
        self._next = 0
        self.panel = WhyPanel(id="why")  # tells the chosen reason in full
        self.restart()

    def restart(self) -> None:
        """A broken rule is looked at from the start, a warning only when it is asked for: the picture is valid then."""
        self._next = 0
        self.chosen = 0 if self._explorer.shown.why.errors else None

    def draw(self) -> None:
        """The two panels that say what is broken; the chosen reason is marked in both."""
        explorer = self._explorer
        explorer.query_one(RulesPanel).show(explorer.shown, tuple(explorer.said.values()), self.chosen)
        self.panel.show(explorer.shown, self.chosen or 0)

    def make_room(self, invalid: bool) -> bool:
        """Gives the reason the room of what has no meaning until it is mended; True where that moves anything.

        By each widget's own style: a class would have every widget in the panel styled anew.
        """
        explorer, moves = self._explorer, False
        for widget in (explorer.picture.formula, explorer.picture.transport, explorer.runs.panel, self.panel):
            wanted = ("block" if widget is self.panel else "none") if invalid else None
            if widget.styles.inline.get_rule("display", None) != wanted:
                widget.styles.display = wanted
                moves = True
        return moves

    def broken_rows(self) -> dict[str, str]:
        """The form's rows that something is wrong with, each with how bad it is: "error" or "warning"."""
        rows: dict[str, str] = dict.fromkeys(self._explorer.said, "error")
        keys = self._row_keys()
        for reason in self._explorer.shown.why.reasons:
            for check in reason.checks:
                for path in (check.field, *check.related):
                    severe = reason.is_error and path == check.field
                    rows.setdefault(_row_key(path, keys), "error" if severe else "warning")
        return rows

    def _row_keys(self) -> frozenset[str]:
        return frozenset(row.key for row in self._explorer.rows)

    def fix(self, number: int) -> Fix | None:
        """Fix `number`, from 0; -1 for the first of those that mend the reason that is looked at."""
        why = self._explorer.shown.why
        reason = why.reasons[self.chosen] if self.chosen is not None else None
        if number < 0:
            number = reason.fixes[0] if reason is not None and reason.fixes else KEYS
        fixes = why.fixes[:KEYS]
        return fixes[number] if number < len(fixes) else None

    def mend(self, number: int) -> None:
        """Makes fix `number`, counted as `fix` does, if there is one."""
        explorer, fix = self._explorer, self.fix(number)
        if fix is not None:
            explorer.said.clear()
            explorer.edit(replace(explorer.experiment, desc=fix.desc, feature_level=fix.feature_level))
            explorer.query_one(Form).refill()

    def look_at_next(self) -> None:
        """Looks at the next broken rule or warning, and puts the focus on the field that it names."""
        explorer, reasons = self._explorer, self._explorer.shown.why.reasons
        targets = [*explorer.said, *range(len(reasons))]
        if not targets:
            return
        target = targets[self._next % len(targets)]
        self._next += 1
        if isinstance(target, int):
            self._look_at(target)
            target = _row_key(reasons[target].first.field, self._row_keys())
        if explorer.has_class("narrow"):
            explorer.add_class("form")
        explorer.query_one(Form).focus_row(target)

    def look_at(self, number: int) -> None:
        """Looks at reason `number`, and puts the focus on the field that it names."""
        self._next = len(self._explorer.said) + number
        self.look_at_next()

    def _look_at(self, number: int) -> None:
        """Looks at a reason: it is told in full, and what it concerns lights up."""
        self.chosen = number
        self.draw()
        self._explorer.picture.draw_picture()

    def turn_details(self) -> None:
        """Shows or hides the rules that hold, and the details of the reason."""
        self._explorer.query_one(RulesPanel).action_open_all()
        self.panel.action_details()


def _row_key(path: str, rows: frozenset[str]) -> str:
    """The form's row for a field path: `InputTensors[1].Sizes[2]` to `InputTensors[1]`, `Repeats[0]` to `Repeats`."""
    head, dot, rest = path.partition(".")
    if f"{path.split('[', 1)[0]}.values" in rows and "[" in path and not dot:
        return f"{path.split('[', 1)[0]}.values"  # a cell of the indices or lengths
    if rest == "DataType" and path not in rows:
        return "DataType"
    if path in rows:
        return path
    return head if dot or not head.startswith("Repeats[") else "Repeats"
