"""Questions before something is lost: a sentence, and a button for each answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button, Label
from textual.widgets.button import ButtonVariant

from ...errors import plain
from ...operators.registry import operator_of
from ...session.recovery import LostSession
from .dialog import Dialog


class Choice(Struct, frozen=True):
    """A button, and the keys that do the same."""

    id: str
    label: str
    keys: str
    action: str
    variant: ButtonVariant = "default"


CANCEL = Choice("stay", "Cancel (esc)", "escape", "dismiss(None)")


class Ask(Dialog[str | None]):
    """Says a sentence, and gives the answer that is chosen; None where everything is to stay as it is."""

    CHOICES: ClassVar[Sequence[Choice]] = ()

    def __init_subclass__(cls) -> None:
        """Binds the choices' keys to their actions."""
        cls.BINDINGS = [Binding(one.keys, one.action, one.label, id=f"ask.{one.id}") for one in cls.CHOICES]
        super().__init_subclass__()

    def __init__(self, said: str) -> None:
        super().__init__()
        self._sentence = said

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._sentence, classes="question", markup=False)
            yield from self.details()
            with Horizontal(classes="buttons"):
                for choice in self.CHOICES:
                    action = f"screen.{choice.action}"
                    yield Button(choice.label, variant=choice.variant, id=choice.id, action=action)

    def details(self) -> Iterator[Widget]:
        """The widgets between the sentence and the buttons; none by default."""
        return iter(())


class AskUnsaved(Ask):
    """Asks what becomes of unsaved changes: "save" or "discard". No letter answers: it was meant for others."""

    CHOICES = (
        Choice("save", "Save (^s)", "ctrl+s", "dismiss('save')", variant="success"),
        Choice("discard", "Don't save (^d)", "ctrl+d", "dismiss('discard')", variant="error"),
        CANCEL,
    )

    def __init__(self) -> None:
        super().__init__("The session has unsaved changes.")


class AskReplace(Ask):
    """Asks whether a file that is there already is to be replaced: "replace"."""

    CHOICES = (
        Choice("keep", "Keep it (esc)", "escape", "dismiss(None)"),
        Choice("replace", "Replace it (^r)", "ctrl+r", "dismiss('replace')", variant="error"),
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"{plain(name)} is there already.")


class AskChanged(Ask):
    """Asks what becomes of a file that somebody else has changed: "both" or "overwrite"."""

    AUTO_FOCUS = "#both"
    CHOICES = (
        Choice("both", "Keep both (k)", "k", "dismiss('both')", variant="success"),
        Choice("overwrite", "Overwrite (^r)", "ctrl+r", "dismiss('overwrite')", variant="error"),
        Choice("stay", "Stay (esc)", "escape", "dismiss(None)"),
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"Somebody else has changed {plain(name)} since it was read.")


class AskReaders(Ask):
    """Asks before an experiment is deleted that others read: "unwire"."""

    CHOICES = (
        Choice("unwire", "Unwire (^u)", "ctrl+u", "dismiss('unwire')", variant="error"),
        CANCEL,
    )

    def __init__(self, name: str, readers: Sequence[str]) -> None:
        """`readers` are the names of those that read it."""
        named = ", ".join(plain(reader, 40) for reader in readers[:3])
        more = f" and {len(readers) - 3:,} more" if len(readers) > 3 else ""
        verb = "reads" if len(readers) == 1 else "read"
        super().__init__(f"{named}{more} {verb} {plain(name, 40)}. What they read is filled anew.")


class AskLost(Ask):
    """Asks what becomes of a session that a crash left behind: "open" or "discard"; None is for later."""

    CHOICES = (
        Choice("open", "Open (o)", "o", "dismiss('open')", variant="success"),
        Choice("discard", "Discard (^d)", "ctrl+d", "dismiss('discard')", variant="error"),
        Choice("later", "Later (esc)", "escape,l", "dismiss(None)"),
    )

    def __init__(self, lost: LostSession, more: int) -> None:
        """`more` is how many other sessions were left behind."""
        super().__init__("A session that wasn't saved was found.")
        self._lost, self._more = lost, more

    def details(self) -> Iterator[Widget]:
        doc = self._lost.document
        count = len(doc.session.experiments)
        yield _label(f"{operator_of(doc.experiment.desc).name} · {plain(doc.experiment.name, 50)}")
        if count > 1:
            yield _label(f"{count} experiments")
        yield _label(f"from {plain(str(doc.path))}" if doc.path is not None else "never in a file")
        yield _label(f"last edited {time.strftime('%H:%M:%S on %d %B', time.localtime(self._lost.written))}")
        if self._more:
            yield _label(f"{self._more} more {'is' if self._more == 1 else 'are'} there.")


def _label(text: str) -> Label:
    return Label(text, classes="line", markup=False)
