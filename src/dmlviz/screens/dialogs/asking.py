"""Questions before something is lost: a sentence, and a button for each answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label
from textual.widgets.button import ButtonVariant

from ...errors import plain
from ...operators.registry import operator_of
from ...session.recovery import LostSession
from .dialog import Dialog


class Choice(NamedTuple):
    """A button, and the keys that do the same. What gives work up has a chord, never a letter."""

    id: str
    label: str
    keys: str
    variant: ButtonVariant = "default"

    @property
    def action(self) -> str:
        """Closes with its id; with None where escape does the same."""
        return f"dismiss({None if 'escape' in self.keys else self.id!r})"


CANCEL = Choice("stay", "Cancel (esc)", "escape")


class Ask(Dialog[str | None]):
    """Says a sentence, and lines below it; gives the answer that is chosen, None where everything is to stay."""

    CHOICES: ClassVar[Sequence[Choice]] = ()

    def __init_subclass__(cls) -> None:
        """Binds the choices' keys to their actions."""
        cls.BINDINGS = [Binding(one.keys, one.action, one.label, id=f"ask.{one.id}") for one in cls.CHOICES]
        super().__init_subclass__()

    def __init__(self, said: str, *lines: str) -> None:
        super().__init__()
        self._said, self._lines = said, lines

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._said, classes="question", markup=False)
            for line in self._lines:
                yield Label(line, classes="line", markup=False)
            with Horizontal(classes="buttons"):
                for one in self.CHOICES:
                    yield Button(one.label, variant=one.variant, id=one.id, action=f"screen.{one.action}")


class AskUnsaved(Ask):
    """Asks what becomes of unsaved changes: "save" or "discard". No letter answers: it was meant for others."""

    CHOICES = (
        Choice("save", "Save (^s)", "ctrl+s", variant="success"),
        Choice("discard", "Don't save (^d)", "ctrl+d", variant="error"),
        CANCEL,
    )

    def __init__(self) -> None:
        super().__init__("The session has unsaved changes.")


class AskReplace(Ask):
    """Asks whether a file that is there already is to be replaced: "replace"."""

    CHOICES = (
        Choice("keep", "Keep it (esc)", "escape"),
        Choice("replace", "Replace it (^r)", "ctrl+r", variant="error"),
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"{plain(name)} is there already.")


class AskChanged(Ask):
    """Asks what becomes of a file that somebody else has changed: "both" or "overwrite"."""

    CHOICES = (
        Choice("both", "Keep both (k)", "k", variant="success"),
        Choice("overwrite", "Overwrite (^r)", "ctrl+r", variant="error"),
        CANCEL,
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"Somebody else has changed {plain(name)} since it was read.")


class AskReaders(Ask):
    """Asks before an experiment is deleted that others read: "unwire"."""

    CHOICES = (Choice("unwire", "Unwire (^u)", "ctrl+u", variant="error"), CANCEL)

    def __init__(self, name: str, readers: Sequence[str]) -> None:
        """`readers` are the names of those that read it."""
        more = f" and {len(readers) - 1:,} more" if len(readers) > 1 else ""
        reads = "read" if more else "reads"
        super().__init__(f"{plain(readers[0], 40)}{more} {reads} {plain(name, 40)}. What is read is filled anew.")


class AskLost(Ask):
    """Asks what becomes of a session that a crash left behind: "open" or "discard"; None is for later."""

    CHOICES = (
        Choice("open", "Open (o)", "o", variant="success"),
        Choice("discard", "Discard (^d)", "ctrl+d", variant="error"),
        Choice("later", "Later (esc)", "escape,l"),
    )

    def __init__(self, lost: LostSession, more: int) -> None:
        """`more` is how many other sessions were left behind."""
        doc = lost.document
        super().__init__(
            "A session that wasn't saved was found.",
            f"{operator_of(doc.experiment.desc).name} · {plain(doc.experiment.name, 50)}",
            f"from {plain(str(doc.path))}" if doc.path is not None else "never in a file",
            f"last edited {time.strftime('%H:%M:%S on %d %B', time.localtime(lost.written))}",
            *([f"There are {more} more."] if more else []),
        )
