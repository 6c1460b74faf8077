"""What every dialog has in common."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Button


class Dialog(ModalScreen[ScreenResultType]):
    """A screen over the explorer; it can be closed once. What gives work up has a button or a chord, never a letter."""

    BINDINGS = [
        Binding("left", "button(-1)", "Button before", show=False, id="dialog.previous"),
        Binding("right", "button(1)", "Next button", show=False, id="dialog.next"),
    ]

    @property
    def is_top(self) -> bool:
        """True if nothing lies over it; Textual calls a screen current that only shows through."""
        return self.app.screen_stack[-1:] == [self]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes it. Keys that came in one burst may close it twice: the second finds it gone.

        They may also close it before it is there; it goes once it is, since a screen half made can't be taken down.
        """
        if not self.is_top:
            return AwaitComplete()
        if not self.is_mounted:
            self.call_later(self._dismiss_late, result)
            return AwaitComplete()
        return super().dismiss(result)

    def _dismiss_late(self, result: ScreenResultType | None) -> None:
        self.dismiss(result)  # a screen can't wait for its own end

    def action_button(self, by: int) -> None:
        """Puts the focus on the next button, where it is on one."""
        found = [button for button in self.query(Button) if button.focusable]
        if self.focused in found:
            found[(found.index(self.focused) + by) % len(found)].focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing but closing works before there is anything to work on."""
        return self.is_mounted or action == "dismiss"
