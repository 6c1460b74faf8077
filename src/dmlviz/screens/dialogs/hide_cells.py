"""The picture in which an author hides what a task asks about: by the cursor, or by clicks."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ...scene.elements.cursor import Cursor
from ...widgets.lib.painted import Column
from ...widgets.picture.picture_pane import PicturePane
from ...widgets.picture.tensor_stack import TensorStack
from ...workspace.authoring.hiding import Hiding, HidingState
from ..picture_screen import PictureScreen, arrows

KEYS = "arrows move · space or a click hides or shows an element · {rows}enter takes it · esc gives it up"
ROWS = "r its row · "


class HideCells(PictureScreen[tuple[int, frozenset[tuple[int, ...]]] | None]):
    """Shows what `Hiding` yields; (output, indices of its hidden elements), or None where nothing is to change."""

    CSS_PATH = "hide_cells.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "hide", "Hide or show", id="hide.cell"),
        Binding("r", "hide_row", "Hide or show the row", id="hide.row"),
        Binding("enter", "take", "Take it", id="hide.take"),
        Binding("escape", "close", "Give it up", id="hide.close"),
        *arrows("hide.move"),
    ]

    def __init__(self, hiding: Hiding) -> None:
        super().__init__()
        self.hiding = hiding
        self.state = hiding.state
        self.pane = PicturePane(id="hide-picture")

    def compose(self) -> ComposeResult:
        yield Static("", id="hide-head", markup=False)
        with Column(id="hide-body"):
            yield self.pane
        yield Static("", id="hide-sentence", markup=False)
        yield Static(KEYS.format(rows=ROWS if self.state.has_rows else ""), id="hide-keys", markup=False)

    def on_mount(self) -> None:
        self.fit_window()

    def present(self, state: HidingState) -> None:
        self.state = state
        self.query_one("#hide-head", Static).update(f"Hide what is asked about: {state.summary}")
        self.query_one("#hide-sentence", Static).update(state.sentence)
        self.pane.present(state)

    def _fit(self) -> None:
        if self.is_mounted and self.pane.size.height:
            self.present(self.hiding.fit(self.room()))

    @on(TensorStack.Pointed)
    def _move_or_hide(self, event: TensorStack.Pointed) -> None:
        self.present(self.hiding.point(event.cursor, hides=event.clicked))

    @property
    def cursor(self) -> Cursor | None:
        """The element that a key hides or shows; None before there is one."""
        return self.hiding.picture.cursor

    def action_move(self, rows: int, columns: int) -> None:
        self.present(self.hiding.move(rows, columns))

    def action_hide(self) -> None:
        self.present(self.hiding.hide())

    def action_hide_row(self) -> None:
        self.present(self.hiding.hide_row())

    def action_take(self) -> None:
        """Closes with the output and its hidden elements."""
        self.close((self.state.output, self.state.cells))

    def action_close(self) -> None:
        self.close(None)
