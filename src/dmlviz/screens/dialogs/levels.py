"""Which DataTypes and DimensionCounts each feature level takes, tensor by tensor; a cell that is chosen is set."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...scene.levels.matrix import LevelMatrix
from ...scene.levels.sentences import level_adds, level_below
from ...session.experiments import Experiment
from ...teaching.words.catalogue import sentence
from ...widgets.lib.inks import inks_of
from ...widgets.panels.level_table import LevelTable
from ...widgets.panels.reason_text import verdict
from .dialog import Dialog

HINT = "▸ ◂ here  ✔ accepted  · refused    arrows move, enter or click sets, esc closes"


class LevelsScreen(Dialog[None]):
    """The whole matrix for an experiment.

    `edit` takes the experiment that a chosen cell makes, None sets nothing.
    """

    CSS_PATH = "levels.tcss"
    AUTO_FOCUS = "LevelTable"
    BINDINGS = [Binding("escape,v,q", "dismiss", "Close", show=False, id="levels.close")]

    def __init__(self, experiment: Experiment, edit: Callable[[Experiment], None] | None) -> None:
        super().__init__()
        self._matrix, self._edit = LevelMatrix(experiment), edit

    def compose(self) -> ComposeResult:
        with Vertical(id="levels-page"):
            yield Static(id="levels-head")
            yield Static(id="levels-now")
            yield Static(id="levels-cell")
            yield LevelTable(self._matrix, since="from", id="levels-table")
            yield Static(
                HINT if self._edit is not None else "▸ ◂ here  ✔ accepted  · refused    arrows move, esc closes",
                id="levels-hint",
            )

    def on_mount(self) -> None:
        self._show_report()

    def _show_report(self) -> None:
        inks = inks_of(self.app.theme_variables)
        experiment, report = self._matrix.experiment, self._matrix.report
        head = Text("Feature levels", f"bold {inks.text.hex}", no_wrap=True, overflow="ellipsis")
        head.append(f"  {operator_of(experiment.desc).name} · {experiment.feature_level}   ", inks.muted.hex)
        if report.ok is not False:
            word = sentence("present.valid") if report.ok else "not checked"
            head.append(f"{report.verdict.mark} {word}", verdict(report, inks)[1])
        else:
            answer = "E_INVALIDARG" if report.is_refused else sentence("present.invalid")
            head.append(f"✘ {answer} · {len(report.broken)}", f"bold {inks.error.hex}")
        self.query_one("#levels-head", Static).update(head)
        names = ["Below" if report.ok is not False else "Here", "Above"]
        told = [level_below(experiment, report), level_adds(experiment.desc, experiment.feature_level)]
        now, wide = Text(no_wrap=False), max(map(len, ("Below", "Above"))) + 2
        for name, what in zip(names, told, strict=True):
            now.append(name.ljust(wide), f"bold {inks.text.hex}")
            now.append(f"{what}\n", f"not bold {inks.text.hex}")
        now.rstrip()
        self.query_one("#levels-now", Static).update(now)
        self._say_cell()

    @on(LevelTable.Moved)
    def _say_cell(self) -> None:
        """Says what the cell under the cursor means."""
        told = self._matrix.sentence(*self.query_one(LevelTable).under, may_set=self._edit is not None)
        self.query_one("#levels-cell", Static).update(Text(told))

    @on(LevelTable.Chosen)
    def _on_chosen(self) -> None:
        table = self.query_one(LevelTable)
        if self._edit is None:
            self.app.bell()
            return
        try:
            experiment = self._matrix.chosen(*table.under)
        except DmlvizError:
            self.app.bell()  # why it can't be stands below the tables
            return
        self._edit(experiment)
        self._matrix = LevelMatrix(experiment)
        table.show(self._matrix)
        self._show_report()
