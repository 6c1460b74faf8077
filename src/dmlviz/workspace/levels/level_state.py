"""What the screen of a level shows at one moment: frozen values."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...operators.registry import operator_of
from ...scene.view_state import ViewState
from ...teaching.levels.level import OPERATOR, Level
from ...teaching.words.catalogue import sentence
from ..shown.state import FormState, PicturedState


class LevelTable(Struct, frozen=True):
    """A tensor of the goal, or an input while there is nothing to draw."""

    title: str
    sizes: tuple[int, ...]
    texts: tuple[str, ...]
    differing: frozenset[int] = frozenset()
    """Elements of the goal, by flat index, that the student's output hasn't."""
    other_sizes: bool = False
    """The student's output has other sizes."""


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
    goal: tuple[LevelTable, ...]
    given: tuple[tuple[str, str], ...]
    """(row, what it holds) of what doesn't change."""
    tables: tuple[LevelTable, ...]
    """The inputs, while there is nothing to draw."""
    changed: int
    """Numbers that were changed, put in or taken out."""
    best: int | None
    """The least numbers that were changed when it was solved; None before that."""
    won: bool
    solved: bool
    """It was won since the screen was opened."""
    shown: bool
    """The solution was shown."""
    hints: int
    """Rungs that were taken."""
    undoable: bool
    redoable: bool
    summary: str
    """How the output differs from the goal, or which rule is broken."""
    refused: str
    """Why an edit wasn't taken."""
    explained: str
    """Why a try failed, where the student asked."""

    @property
    def operator(self) -> str:
        """Of the desc as it is now, without prefix: GATHER."""
        return operator_of(self.view.experiment.desc).name

    @property
    def any_operator(self) -> bool:
        """True if the operator may be changed, too."""
        return self.level.allows(OPERATOR)

    @property
    def most_hints(self) -> int:
        return len(self.level.task.hints)

    @property
    def hint(self) -> str:
        """The last hint that was taken; not beside why a try failed."""
        return self.level.task.hints[self.hints - 1] if self.hints and not self.explained else ""

    @property
    def may_show(self) -> bool:
        """True from the last hint on: then the solution may be seen."""
        return bool(self.level.task.solutions) and self.hints >= self.most_hints and not self.won

    @property
    def in_picture(self) -> bool:
        """False while there is nothing to draw."""
        return self.picture.scene is not None or not self.tables

    @property
    def unread(self) -> str:
        """The sentence on a field that can't be read; empty where all can."""
        return next(iter(self.form.errors.values()), "")
