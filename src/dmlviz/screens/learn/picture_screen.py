"""What the screens of a question and of a level share: the arrows, and a picture that is laid out for its room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual import on
from textual.binding import Binding
from textual.screen import Screen, ScreenResultType

from ...widgets.painted import Ground
from ...widgets.tensor_stack import TensorStack


def arrows(id_: str) -> Iterator[Binding]:
    """The arrow keys, which move what is looked at; the footer has one entry for them, known by `id_`."""
    for key, by, shown in (
        ("left", (0, -1), "arrows"),
        ("right", (0, 1), ""),
        ("up", (-1, 0), ""),
        ("down", (1, 0), ""),
    ):
        yield Binding(key, f"move{by}", "move", key_display=shown, show=bool(shown), id=id_ if shown else None)


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

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.present(self.state))

    @on(TensorStack.Resized)
    def _on_resized(self) -> None:
        self._fit()
