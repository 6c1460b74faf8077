"""What screens with a picture share: the arrows, and a picture that is laid out for its room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from textual import on
from textual.binding import Binding
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from ...widgets.painted import Ground
from ...widgets.picture_pane import LEAST, PicturePane
from ...widgets.tensor_stack import TensorStack
from ...workspace.picture import Room

LOW = 32
"""Lines of the terminal below which nothing stands between the picture's parts."""


def arrows(id_: str) -> Iterator[Binding]:
    """The arrow keys, which move what is looked at; the footer has one entry for them, known by `id_`."""
    for key, by, shown in (
        ("left", (0, -1), "arrows"),
        ("right", (0, 1), ""),
        ("up", (-1, 0), ""),
        ("down", (1, 0), ""),
    ):
        yield Binding(key, f"move{by}", "move", key_display=shown, show=bool(shown), id=id_ if shown else None)


def room_in(pane: PicturePane, height: int, *, width: int | None = None, alone: bool = False) -> Room:
    """The picture's room in a pane with so many lines, and columns if it is to have others than it has.

    Without a lane where the inputs are drawn `alone`.
    """
    low, width = pane.app.size.height < LOW, pane.size.width if width is None else width
    return Room(width, height, low) if alone else Room(width - LEAST, height, low, pane.spare)


def show_only(widgets: Iterable[tuple[Widget, bool]]) -> bool:
    """Shows each widget or hides it; True where that changes anything."""
    others = [widget for widget, is_shown in widgets if widget.display is not is_shown]
    for widget in others:
        widget.display = not widget.display
    return bool(others)


class PictureScreen(Screen[ScreenResultType], Ground):
    """Hands its `state` to its panels, again with another theme, and has the picture laid out in other rooms."""

    AUTO_FOCUS = ""
    state: Any

    def present(self, state: Any) -> None:
        """Hands a state to every panel."""
        raise NotImplementedError

    def _fit(self) -> None:
        """Has the picture laid out for the room that it has now."""
        raise NotImplementedError

    def close(self, answer: ScreenResultType) -> None:
        """Closes with an answer, unless another screen stands over this one."""
        if self.app.screen_stack[-1] is self:
            self.dismiss(answer)

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.present(self.state))

    @on(TensorStack.Resized)
    def _on_resized(self) -> None:
        self._fit()
