"""Hides elements of an output and shows them again, as an author does who asks about them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...desc.indexing import ravel
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside
from ...scene.elements.known import AllBut
from ...scene.look import EntryKind
from ...scene.view_state import view_state_of
from ...session.experiments import Experiment
from ...teaching.questions.elements import SMALL
from ..shown.picture import Picture, Room
from ..shown.state import PicturedState

ROWS = "fill"
"""The kind that asks about any number of elements."""
FIRST = "order"
"""The kind that asks about the first elements of memory."""


class HidingState(PicturedState, frozen=True, kw_only=True):
    """The picture without what is hidden, and what is said of it."""

    output: int
    cells: frozenset[tuple[int, ...]]
    """Indices of the hidden elements of `output`."""
    summary: str
    """How many are hidden."""
    sentence: str
    """Why the last thing couldn't be done; empty where it was."""
    has_rows: bool
    """A row can be hidden at once."""


class Hiding:
    """The hidden elements of one output; a kind that asks about one element has one, `order` the first of memory."""

    def __init__(
        self,
        experiment: Experiment,
        kind: str,
        output: int,
        cells: Iterable[tuple[int, ...]],
        cursor: Cursor | None = None,
    ) -> None:
        """`cells` are hidden at first; `cursor` is where the cursor begins, if that is on an output and none is."""
        self.kind, self.output, self.cells = kind, output, frozenset(cells)
        self._sentence = ""
        self._view = view_state_of(experiment)
        self.picture = Picture(memory=False, is_legible=True)
        self.picture.hidden = AllBut(self.output, self.cells)
        self.picture.look_at(self._view)
        trace = self._view.trace
        if trace is not None:
            first = min(self.cells, default=(0,) * len(trace.outputs[output].tensor.sizes))
            own = cursor is not None and cursor.place.is_output and is_inside(trace, cursor) and not self.cells
            self.picture.cursor = cursor if own else Cursor(Place(True, output), first)

    @property
    def state(self) -> HidingState:
        self.picture.hidden = AllBut(self.output, self.cells)
        place, trace = Place(True, self.output), self._view.trace
        entries = self.picture.entries((Cursor(place, index) for index in self.cells), EntryKind.WAITS)
        path = trace.outputs[self.output].path if trace is not None else ""
        summary = f"{len(self.cells)} element{'s' * (len(self.cells) != 1)} of {path} hidden"
        if self.kind != ROWS:
            summary += "; whoever is asked sees none of the others"
        return HidingState(
            picture=self.picture.state(entries=entries),
            output=self.output,
            cells=self.cells,
            summary=summary,
            sentence=self._sentence,
            has_rows=self.kind == ROWS,
        )

    # ---- what an author does

    def fit(self, room: Room) -> HidingState:
        """Lays the picture out for the room that it has."""
        self.picture.fit(room)
        return self.state

    def move(self, rows: int, columns: int) -> HidingState:
        """Moves the cursor over the outputs."""
        self.picture.move(rows, columns)
        return self.state

    def point(self, cursor: Cursor, *, hides: bool = False) -> HidingState:
        """Looks at an element; with `hides`, as a click does, hides or shows it."""
        self._sentence = ""
        if not cursor.place.is_output:
            self._sentence = "That is an input's element, expected one of an output: inputs stay in sight."
            return self.state
        self.picture.point(cursor)
        return self.hide() if hides else self.state

    def hide(self) -> HidingState:
        """Hides the element under the cursor, or shows it; of `order`, all of memory up to it."""
        cursor = self.picture.cursor
        if cursor is None or not cursor.place.is_output:
            return self.state
        one = frozenset({cursor.index})
        if self.kind == ROWS:
            return self._toggle(cursor, one)
        if self.kind == FIRST:
            sizes = self._sizes(cursor)
            count = int(ravel([np.array([i], np.int64) for i in cursor.index], sizes)[0]) + 1
            count -= cursor.place.number == self.output and len(self.cells) == count
            if count > SMALL:
                return self._refuse(count)
            pairs = zip(np.ndindex(*sizes), range(count), strict=False)
            return self._hide_only(cursor, frozenset(index for index, _ in pairs))
        same = cursor.place.number == self.output and self.cells == one
        return self._hide_only(cursor, frozenset() if same else one)

    def hide_row(self) -> HidingState:
        """Hides the row of the element under the cursor, along the last axis; shows it where all of it is hidden."""
        cursor = self.picture.cursor
        if cursor is None or not cursor.place.is_output or self.kind != ROWS:
            return self.state
        count = self._sizes(cursor)[-1]
        if count > SMALL:
            return self._refuse(count)
        return self._toggle(cursor, frozenset((*cursor.index[:-1], i) for i in range(count)))

    def _sizes(self, cursor: Cursor) -> tuple[int, ...]:
        trace = self._view.trace
        assert trace is not None
        return trace.outputs[cursor.place.number].tensor.sizes

    def _toggle(self, cursor: Cursor, cells: frozenset[tuple[int, ...]]) -> HidingState:
        """Shows cells that are all hidden, and hides them where one is not."""
        hidden = self.cells if cursor.place.number == self.output else frozenset()
        wanted = hidden - cells if cells <= hidden else hidden | cells
        return self._refuse(len(wanted)) if len(wanted) > SMALL else self._hide_only(cursor, wanted)

    def _hide_only(self, cursor: Cursor, cells: frozenset[tuple[int, ...]]) -> HidingState:
        """Makes these cells, of the cursor's output, the hidden ones."""
        self._sentence, self.output, self.cells = "", cursor.place.number, cells
        return self.state

    def _refuse(self, count: int) -> HidingState:
        """Says that so many elements can't be hidden."""
        self._sentence = f"That would hide {count:,} elements, expected at most {SMALL}."
        return self.state
