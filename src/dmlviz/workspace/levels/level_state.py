"""What the screen of a level shows at one moment: frozen values."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.tensors import braces
from ...operators.registry import operator_of
from ...scene.view_state import ViewState
from ...teaching.levels.level import OPERATOR, Level
from ...teaching.questions.goals import Outcome
from ...teaching.questions.subject import shown
from ...teaching.words.catalogue import sentence
from ..asking.asked_desc import TableState
from ..shown.state import FormState, PicturedState


def names_in_words(may_change: Sequence[str]) -> str:
    """What may be changed, in words: `the operator, Axis and Repeats`; `nothing` for nothing."""
    names = [(sentence("level.the_operator") if name == OPERATOR else name) for name in may_change]
    *before, last = names or [sentence("level.nothing")]
    return sentence("words.and", first=", ".join(before), last=last) if before else last


class LevelState(PicturedState, frozen=True, kw_only=True):
    """All that the screen shows of a level."""

    level: Level
    view: ViewState
    form: FormState
    verdict: Outcome
    """What the desc as it stands comes to."""
    given: tuple[tuple[str, str], ...]
    """(row, what it holds) of what doesn't change."""
    tables: tuple[TableState, ...]
    """The inputs, while there is nothing to draw."""
    changed: int
    """Numbers that were changed, put in or taken out."""
    best: int | None
    """The least numbers that were changed when it was solved; None before that."""
    solved: bool
    """It was won since the screen was opened."""
    shown: bool
    """The solution was shown."""
    hints: int
    """Rungs that were taken."""
    explained: str
    """Why a try failed, where the student asked."""

    @property
    def operator(self) -> str:
        """Of the desc as it is now, without prefix: GATHER."""
        return operator_of(self.view.experiment.desc).name

    @property
    def won(self) -> bool:
        return self.verdict.won

    @property
    def goal(self) -> tuple[TableState, ...]:
        """The goal's tensors, with the elements that the desc's outputs of the same sizes haven't."""
        tables = []
        for k, (sizes, values) in enumerate(self.level.goal.outputs):
            cells = self.verdict.cells if not self.verdict.wrong_sizes else ()
            title = f"{f'[{k}]' if k else sentence('level.goal')} {braces(sizes)}"
            differing = frozenset(flat for output, flat in cells if output == k)
            tables.append(TableState(title, tuple(sizes), tuple(map(shown, values)), differing=differing))
        return tuple(tables)

    @property
    def summary(self) -> str:
        """The rule that is broken, or how the output differs from the goal; "" once it is won."""
        cells = self.verdict.cells
        if self.won or self.verdict.wrong_sizes or not cells:
            return "" if self.won else self.verdict.trouble
        return sentence("level.differ", wrong=len(cells), count=sum(len(table.values) for table in self.goal))

    @property
    def hint(self) -> str:
        """The last hint that was taken; not beside why a try failed."""
        return self.level.task.hints[self.hints - 1] if self.hints and not self.explained else ""

    @property
    def may_show(self) -> bool:
        """True from the last hint on: then the solution may be seen."""
        return bool(self.level.task.solutions) and self.hints >= len(self.level.task.hints) and not self.won

    @property
    def in_picture(self) -> bool:
        """False while there is nothing to draw."""
        return self.picture.scene is not None or not self.tables

    @property
    def unread(self) -> str:
        """The sentence on a field that can't be read; empty where all can."""
        return next(iter(self.form.errors.values()), "")
