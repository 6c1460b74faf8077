"""What every dialog has in common."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar

from rich.text import Text
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, ScreenResultType
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Button, Label, Static

from ...widgets.lib.commands import keyboard_names


class KeyButton(Button, can_focus=False):
    """A key's button, for the mouse alone: the focus stays where it is."""

    def __init__(self, binding: Binding) -> None:
        key = keyboard_names(binding.key.split(",")[0])
        key = key.replace("escape", "esc").replace("delete", "del").replace("shift+", "⇧")
        name = (binding.id or "").rpartition(".")[2]
        super().__init__(f"{binding.description} ({key})", id=name, compact=True, action=f"screen.{binding.action}")


class Dialog(ModalScreen[ScreenResultType]):
    """A screen over the explorer; it can be closed once. What gives work up has a chord, never a letter."""

    CSS_PATH: ClassVar[str | list[str | PurePath] | None] = "dialog.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "narrow"), (72, "usual"), (110, "roomy")]
    KIND = ""
    """The class of its frame."""

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.show_in_colour())

    def show_in_colour(self) -> None:
        """Shows anew what is in the colours of the theme."""

    @property
    def is_top(self) -> bool:
        """True if nothing lies over the dialog; Textual calls a screen current that only shows through."""
        return self.app.screen_stack[-1:] == [self]

    def frame(self, title: str, *parts: Widget, hint: str = "") -> Vertical:
        """The dialog: what it asks, its parts, a line for what is wrong, and its foot."""
        question, trouble = Label(title, classes="question", markup=False), Label("", classes="trouble", markup=False)
        return Vertical(question, *parts, trouble, self.foot(hint), classes=f"dialog {self.KIND}")

    def foot(self, hint: str = "") -> Horizontal:
        """The last line of the dialog: a hint, and a button for each of its keys that are shown."""
        shown = [one for one in self.BINDINGS if isinstance(one, Binding) and one.show]
        return Horizontal(*[Label(hint, classes="hint")][: bool(hint)], *map(KeyButton, shown), classes="foot")

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes the dialog. Keys that came in one burst may ask for that twice: the second time nothing happens.

        A dialog that isn't mounted yet closes once it is, since a screen half made can't be taken down.
        """
        if self.is_top and self.is_mounted:
            self.workers.cancel_node(self)  # before its parts go
            return super().dismiss(result)
        if self.is_top:
            self.call_later(self._dismiss_late, result)
        return AwaitComplete()

    def _dismiss_late(self, result: ScreenResultType | None) -> None:
        self.dismiss(result)  # a screen can't wait for its own end

    def tell(self, name: str, text: VisualType) -> None:
        """Shows a text in the part of that name; there is none while the dialog closes."""
        for part in self.query(f"#{name}").results(Static):
            part.update(text)

    def say_trouble(self, said: str) -> None:
        """Shows a sentence in the dialog's label `.trouble`; "" hides the label."""
        label = self.query_one(".trouble", Label)
        label.update(Text(said))
        label.set_class(bool(said), "on")

    def on_input_changed(self) -> None:
        self.say_trouble("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the dialog is mounted, no action but closing it works."""
        return self.is_mounted or action == "dismiss"
