"""What the dialog that makes tasks shows at one moment: frozen values."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class RowKind(Enum):
    """What can be done with a row."""

    HEAD = "head"
    """Nothing: it begins a group."""
    CHOICE = "choice"
    """One of several is chosen."""
    TEXT = "text"
    """A text is written."""
    TICK = "tick"
    """It is ticked or not."""
    ACT = "act"
    """Something is done."""

    @property
    def acts(self) -> bool:
        """True for rows in which something is chosen, written, ticked or done."""
        return self is not RowKind.HEAD


class AuthorRow(Struct, frozen=True):
    """One line of the dialog."""

    key: str
    """`kind`, `say`, `hide.OutputTensor`, `rule.G3`, `wrong.G3`, `lesson.goal`."""
    kind: RowKind
    label: str
    value: str = ""
    ticked: bool = False
    empty: str = ""
    """What stands for a value that isn't written."""


class AuthorState(Struct, frozen=True):
    """Every row, and whether the task can be made of them."""

    rows: tuple[AuthorRow, ...]
    sentences: tuple[str, ...]
    """What is wrong with the task as it stands, one sentence each; empty for nothing."""
    made_before: bool
    """The experiment has a task: it is edited, and can be removed."""
    changed: bool
    """Something was written that isn't made yet."""
    can_preview: bool

    def row(self, key: str) -> AuthorRow:
        """The row of that key, which has to be there."""
        return next(row for row in self.rows if row.key == key)
