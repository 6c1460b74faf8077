"""The picture: both sides, and the lane between them."""

from __future__ import annotations

from textual.containers import Horizontal

from ...scene.drawing.wires import Route, route
from ...scene.elements.cursor import Cursor
from ...scene.elements.lookup import source_of
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import BARS, Scene
from ...scene.look import Look
from ...workspace.shown.state import PicturedState, PictureState
from .flow_lane import Chip, Flow, FlowLane
from .tensor_stack import ShownStack, TensorStack

LEAST, USUAL, WIDE = 7, 12, 20
"""Columns of the lane: where tensors stand better for it, and where they have room enough."""


class PicturePane(Horizontal):
    """Draws a state's picture; scrolls to what is looked at, and follows what is scrolled with the lane."""

    def __init__(self, side: type[TensorStack] = ShownStack, *, id: str) -> None:  # noqa: A002
        self.sides = side(is_output=False, id="inputs"), side(is_output=True, id="outputs")
        self.lane = FlowLane(id="lane")
        super().__init__(self.sides[0], self.lane, self.sides[1], id=id)
        self._picture = PictureState()
        self._laid = 0, 0
        self._route = Route()

    def on_mount(self) -> None:
        for stack in self.sides:
            self.watch(stack, "scroll_y", self._draw_lane, init=False)

    def on_tensor_stack_resized(self) -> None:
        """Other room may have scrolled away what is looked at, and ends the wire at other lines."""
        self.call_after_refresh(self._reveal)
        self.call_after_refresh(self._draw_lane)

    @property
    def columns(self) -> int:
        return self.size.width - LEAST

    @property
    def spare(self) -> int:
        wanted = WIDE if self.app.size.width >= 170 else USUAL
        return wanted - LEAST + BARS

    def present(self, state: PicturedState) -> None:
        if state.picture is not self._picture:
            before, self._picture = self._picture, state.picture
            self._draw_picture(before)

    def _draw_picture(self, before: PictureState) -> None:
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
            # Where it stands may tell what is hidden now.
            inputs.scroll_home(animate=False, force=True, immediate=True)
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
            start = inputs.line_of(moving.source) if start is None else start
            stop = outputs.line_of(moving.target) if stop is None else stop
        if moving is None or start is None or stop is None:
            self.lane.show(None)
            return
        chips = tuple(Chip(*value) for value in moving.values)
        goes_on = bool(self._route.outputs)
        self.lane.show(
            Flow(chips=chips, start=start, stop=stop, more=moving.more if chips else 0, way=moving.way, goes_on=goes_on)
        )
