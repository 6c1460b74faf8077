"""The picture: both sides, the lane between them, and the field over a cell whose value is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.geometry import Region

from ...scene.drawing.wires import Route, route
from ...scene.elements.cursor import Cursor, is_inside
from ...scene.elements.lookup import source_of
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import BARS, Scene
from ...scene.look import Look
from ...workspace.shown.state import CellState, PicturedState, PictureState
from .flow_lane import Chip, Flow, FlowLane
from .tensor_stack import ShownStack, TensorStack

if TYPE_CHECKING:
    from .cell_entry import CellEntry

LEAST, USUAL, WIDE = 7, 12, 20
"""Columns of the lane: where tensors stand better for it, and where they have room enough."""


class PicturePane(Horizontal):
    """Draws a state's picture; scrolls to what is looked at, and follows what is scrolled with the lane."""

    def __init__(self, typed: Callable[[str, int], None] | None = None, *, id: str) -> None:  # noqa: A002
        """`typed` gets a cell's text and the way to the next one, see `CellEntry`; without it nothing takes keys."""
        side = TensorStack if typed is not None else ShownStack
        self.sides = side(is_output=False, id="inputs"), side(is_output=True, id="outputs")
        self.lane = FlowLane(id="lane")
        super().__init__(self.sides[0], self.lane, self.sides[1], id=id)
        self._typed = typed or (lambda text, by: None)
        self._picture = PictureState()
        self._laid = 0, 0
        self._route = Route()
        self._cell: CellState | None = None
        self._entry: CellEntry | None = None

    def on_mount(self) -> None:
        for stack in self.sides:
            self.watch(stack, "scroll_y", self._draw_lane, init=False)
        for name in ("scroll_x", "scroll_y"):
            self.watch(self.sides[0], name, self._place_entry, init=False)

    def on_tensor_stack_resized(self) -> None:
        """Other room may have scrolled away what is looked at, and ends the wire at other lines."""
        self.call_after_refresh(self._reveal)
        self.call_after_refresh(self._draw_lane)

    @property
    def columns(self) -> int:
        """How many columns both sides have together when the lane is as narrow as it can be."""
        return self.size.width - LEAST

    @property
    def spare(self) -> int:
        """How many of `columns` the lane and scroll bars would like to have."""
        wanted = WIDE if self.app.size.width >= 170 else USUAL
        return wanted - LEAST + BARS

    @property
    def is_typing(self) -> bool:
        """True while there is a field over a cell."""
        return self._cell is not None

    def present(self, state: PicturedState) -> None:
        """Shows another state."""
        cell, self._cell = self._cell, state.cell  # first: drawing may scroll, and `_place_entry` then asks for it
        if state.picture is not self._picture:
            before, self._picture = self._picture, state.picture
            self._draw_picture(before)
        if state.cell is not cell:
            self._open_entry(cell)
        if self._cell is not None:
            self.call_after_refresh(self._place_entry)

    # ---- the picture

    def _draw_picture(self, before: PictureState) -> None:
        """Draws the picture, and scrolls where that is called for by what changed since `before`."""
        picture, (inputs, outputs) = self._picture, self.sides
        scene = picture.scene
        if scene is None:
            for stack in self.sides:
                stack.take(None, Look(), Partners())
                stack.redraw()
            self.lane.show(None)
            return
        anew = inputs.stack is None or inputs.stack.family is not scene.inputs.family
        reveals = picture.reveal != before.reveal
        if before.known.whole and not picture.known.whole:
            inputs.scroll_home(animate=False, force=True, immediate=True)  # where it stands may tell what is hidden now
        moving = picture.moving
        self._route = route(scene, moving.source, moving.target) if moving is not None else Route()
        inputs.take(scene.inputs, picture.look, picture.links, self._route.inputs)
        outputs.take(scene.outputs, picture.look, picture.links, self._route.outputs)
        if anew:
            self._share_columns(scene)
        if anew or reveals:
            self._reveal(anew=anew)  # first, so that what is drawn is what is seen
        for stack in self.sides:
            stack.redraw()
        self._draw_lane()

    def _share_columns(self, scene: Scene) -> None:
        """Gives the inputs their columns, all without outputs; where both sides are whole, only a resize moves them."""
        inputs, lane = self.sides[0], scene.layout.lane
        alone = not scene.outputs.figures
        if self.lane.display is alone:
            self.lane.display = self.sides[1].display = not alone
            self._laid = 0, 0
        if alone:
            inputs.styles.width = "1fr"
            return
        bar = int(lane > 0)  # one column more, for a scroll bar
        wide = LEAST + max(0, lane - BARS)
        share = scene.share + bar
        if self._laid == (wide, share):
            return
        self._laid = wide, share
        self.lane.styles.width, inputs.styles.width = wide, share
        self.call_after_refresh(self._reveal)

    def _reveal(self, *, anew: bool = True) -> None:
        """Scrolls both sides so that the cursor's element and its source are seen.

        Where a picture is only shown, and laid out `anew`, both begin at their beginnings: what is seen then doesn't
        depend on the rooms that it had in between, while its screen was laid out.
        """
        picture, (inputs, outputs) = self._picture, self.sides
        scene = picture.scene
        if scene is None or not picture.live or inputs.stack is None or inputs.stack.family is not scene.inputs.family:
            return
        looked_at: tuple[list[Cursor], list[Cursor]] = [], []
        for cursor in [picture.cursor] if picture.cursor is not None else []:
            looked_at[cursor.place.is_output].append(cursor)
            told = cursor.place.is_output and picture.known.tells(cursor)
            if told and (source := source_of(scene.trace, cursor)) is not None:
                looked_at[False].append(source)
        anew &= isinstance(outputs, ShownStack)
        for stack, cursors in zip(self.sides, looked_at, strict=True):
            stack.reveal(*cursors, anew=anew)

    def _draw_lane(self) -> None:
        picture, (inputs, outputs) = self._picture, self.sides
        scene, moving = picture.scene, picture.moving
        laid = scene is not None and inputs.stack is scene.inputs and outputs.stack is scene.outputs
        start, stop = (self._route.enters, self._route.ends) if laid and moving is not None else (None, None)
        if laid and moving is not None:
            start = inputs.nearest_line_of(moving.source) if start is None else start
            stop = outputs.nearest_line_of(moving.target) if stop is None else stop
        if moving is None or start is None or stop is None:
            self.lane.show(None)
            return
        chips = tuple(Chip(*value) for value in moving.values)
        goes_on = bool(self._route.outputs)
        self.lane.show(
            Flow(chips=chips, start=start, stop=stop, more=moving.more if chips else 0, way=moving.way, goes_on=goes_on)
        )

    # ---- the field over a cell

    def _open_entry(self, before: CellState | None) -> None:
        """Fills the field for another cell than `before`, or hides it; hidden, it gives the focus to the picture."""
        cell, entry = self._cell, self._entry
        if cell is None:
            if entry is not None:
                if self.screen.focused is entry:  # `has_focus` still holds while it hears that the focus went elsewhere
                    self.sides[0].focus()
                entry.display = False
            return
        if entry is None:
            from .cell_entry import CellEntry

            entry = self._entry = CellEntry(self._typed, id="cell-entry")
            self.screen.mount(entry)
        if before is None or cell.serial != before.serial:
            entry.fill(cell.content)
        if before is None:
            entry.display = True
            entry.focus()

    def _place_entry(self) -> None:
        cell, entry, scene, side = self._cell, self._entry, self._picture.scene, self.sides[0]
        if cell is None or entry is None or not entry.is_attached:
            return
        stack = side.stack
        if scene is None or stack is None or stack is not scene.inputs or not is_inside(scene.trace, cell.cursor):
            return  # the layout is on its way
        room = side.region
        x, y = stack.locate(cell.cursor)
        figure = stack.figure(cell.cursor.place)
        over, down = (0, 0) if stack.stays(cell.cursor.place) else side.scroll_offset
        left = room.x + x + figure.margin - over
        top = min(max(room.y + y - down, room.y), room.bottom - 1)
        entry.lie_over(Region(left, top, figure.cell, 1), room)
