"""What every dialog has in common."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """A screen over the explorer; it can be closed once."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes it. Keys that came in one burst may close it twice: the second finds it gone."""
        if not self.is_current:
            return AwaitComplete()
        return super().dismiss(result)
