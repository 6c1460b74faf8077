"""What the screen of a level shows at one moment: frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..scene.view_state import ViewState
from .ask_state import TableState
from .state import CellState, FormState, PictureState


@dataclass(frozen=True, slots=True)
class GoalTable:
    """One tensor of the goal."""

    title: str
    sizes: tuple[int, ...]
    texts: tuple[str, ...]
    differing: frozenset[int] = frozenset()
    """Elements, by flat index, that the student's output hasn't."""
    other_sizes: bool = False
    """The student's output has other sizes."""


@dataclass(frozen=True)
class LevelState:
    """All that the screen shows of a level."""

    id: str
    title: str
    operator: str
    """Without prefix: GATHER."""
    picture: PictureState
    view: ViewState
    form: FormState
    goal: tuple[GoalTable, ...]
    par: int
    changed: int
    """Numbers that were changed, put in or taken out."""
    best: int | None = None
    """The least numbers that were changed when it was solved; None before that."""
    any_operator: bool = False
    """The operator may be changed, too."""
    given: tuple[tuple[str, str], ...] = ()
    """(row, what it holds) of what doesn't change."""
    may_change: tuple[str, ...] = ()
    tables: tuple[TableState, ...] = ()
    """The inputs as plain tables, while there is nothing to draw."""
    won: bool = False
    solved: bool = False
    """It was won since the screen was opened."""
    shown: bool = False
    """The solution was shown."""
    summary: str = ""
    """How the output differs from the goal, or which rule is broken."""
    refused: str = ""
    """Why an edit wasn't taken."""
    explained: str = ""
    """Why a try failed, where the student asked."""
    rules: tuple[str, ...] = ()
    """The wrong rules that would make the goal of it."""
    learn: str = ""
    """What was learnt; empty while the level isn't won."""
    hint: str = ""
    hints: int = 0
    """Rungs that were taken."""
    most_hints: int = 4
    undoable: bool = False
    redoable: bool = False
    cell: CellState | None = field(default=None, init=False)
    """No field lies over a cell: values are typed in the line above the picture."""

    @property
    def in_picture(self) -> bool:
        """False while there is nothing to draw."""
        return self.picture.scene is not None or not self.tables

    @property
    def unread(self) -> str:
        """The sentence on a field that can't be read; empty where all can."""
        return next(iter(self.form.errors.values()), "")
