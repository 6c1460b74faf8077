"""Typing values into cells: the field over the cursor's cell, and what becomes of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.geometry import Region

from ..desc.indexing import ravel, unravel
from ..desc.tensors import brackets
from ..errors import DmlvizError
from ..scene.elements.cursor import Cursor, is_inside
from ..scene.elements.lookup import source_of, value_of
from ..session.cell_edits import can_type, with_value
from ..tracing import Trace
from ..widgets.cell_entry import CellEntry, CellSaid
from ..widgets.tensor_stack import TensorStack

if TYPE_CHECKING:
    from .explorer.explorer import Explorer


class CellTyping:
    """The field over a cell of one explorer; there is none until it is opened."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._entry: CellEntry | None = None
        self._said: CellSaid | None = None

    @property
    def is_open(self) -> bool:
        return self._entry is not None

    def open(self) -> None:
        """Opens the field over the cursor's cell; over its source's where the cursor is on an output element."""
        explorer, trace, cursor = self._explorer, self._explorer.shown.trace, self._explorer.cursor
        if trace is None or cursor is None or not explorer.shown.live:
            return
        said = ""
        if cursor.place.is_output:
            said = f"{_name(trace, cursor)} takes its value from here: {_name(trace, source_of(trace, cursor))}"
            cursor = source_of(trace, cursor)
        try:
            can_type(explorer.experiment, trace.inputs[cursor.place.number].path)
        except DmlvizError as error:
            explorer.notify(str(error), severity="warning", markup=False)
            return
        self.close()
        explorer.point(cursor)
        self._entry, self._said = CellEntry(self._done, id="cell-entry"), CellSaid(id="cell-said")
        explorer.mount(self._entry, self._said)
        self._entry.fill(cursor, value_of(trace, cursor)[0])
        self._said.say(said)
        self._entry.focus()
        inputs = explorer.query_one("#inputs", TensorStack)
        for name in ("scroll_x", "scroll_y"):
            explorer.watch(inputs, name, self.place, init=False)
        explorer.call_after_refresh(self.place)

    def close(self) -> None:
        """Takes the field away; the focus goes back to the picture."""
        entry, said, self._entry, self._said = self._entry, self._said, None, None
        if entry is None or said is None:
            return
        if entry.has_focus:
            self._explorer.query_one("#inputs", TensorStack).focus()
        entry.remove()
        said.remove()

    def _done(self, by: int) -> None:
        """The field is left (`by` is 0), or its text is meant and the element `by` further is next."""
        explorer, entry, said, trace = self._explorer, self._entry, self._said, self._explorer.shown.trace
        if entry is None or said is None or by == 0 or trace is None or entry.cursor is None:
            self.close()
            return
        cursor = entry.cursor
        part = trace.inputs[cursor.place.number]
        at = [np.array([i], np.int64) for i in cursor.index]
        flat = int(ravel(at, part.tensor.sizes)[0])
        following = flat + by
        target = cursor
        if 0 <= following < part.tensor.element_count:
            index = unravel(np.array([following], np.int64), part.tensor.sizes)
            target = Cursor(cursor.place, tuple(int(i[0]) for i in index))
        if entry.changed:
            try:
                edited = with_value(explorer.experiment, part.path, flat, entry.value)
            except DmlvizError as error:
                said.say(str(error))
                self.place()
                return
            explorer.edit(edited)
        said.say("")
        explorer.point(target)
        if target == cursor or explorer.shown.trace is None:
            self.close()
            return
        entry.fill(target, value_of(explorer.shown.trace, target)[0])

    def place(self) -> None:
        """Puts the field where its cell is drawn now; takes it away where it has none."""
        explorer, entry, said = self._explorer, self._entry, self._said
        trace, scene, cursor = explorer.shown.trace, explorer.scene, explorer.cursor
        if entry is None or said is None or entry.cursor is None or not entry.is_attached:
            return
        if trace is None or not explorer.shown.live or cursor != entry.cursor or not is_inside(trace, cursor):
            self.close()
            return
        side = explorer.query_one("#inputs", TensorStack)
        if scene is None or scene.trace is not trace or side.stack is not scene.inputs:
            return  # the layout is on its way
        held = value_of(trace, cursor)[0]
        if held != entry.held and not entry.changed:
            entry.fill(cursor, held)  # an edit was taken back under it
        room = side.region
        x, y = scene.inputs.place(cursor)
        figure = scene.inputs.figure(cursor.place)
        over, down = (0, 0) if scene.inputs.aside(cursor.place) else side.scroll_offset
        left = room.x + x + figure.margin - over
        top = min(max(room.y + y - down, room.y), room.bottom - 1)
        cell = Region(left, top, figure.cell, 1)
        entry.lie_over(cell, room)
        said.lie_below(cell, explorer.query_one("#right").region)


def _name(trace: Trace, cursor: Cursor) -> str:
    parts = trace.outputs if cursor.place.is_output else trace.inputs
    return f"{parts[cursor.place.number].path}{brackets(cursor.index)}"
