"""The right side: the picture of one experiment, the cursor in it, and the steps that play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ..scene.elements.cursor import Cursor, is_inside
from ..scene.elements.lookup import first_reader_of, source_of, value_of
from ..scene.elements.partners import Partners, partners
from ..scene.elements.pins import Pins
from ..scene.layout.arrange import Scene, arrange
from ..scene.layout.zoom import Zoom
from ..scene.lights import lights
from ..scene.look import Look
from ..scene.memory.strip import HEIGHT as MEMORY_LINES
from ..scene.steps.order import Steps, Unit
from ..scene.steps.player import Phase, Player
from ..tracing import Trace
from ..widgets.flow_lane import MOST, Chip, Flow, FlowLane
from ..widgets.formula_line import FormulaLine
from ..widgets.memory_strip import MemoryStrip
from ..widgets.painted import Row
from ..widgets.tensor_stack import TensorStack
from ..widgets.transport import State, Transport

if TYPE_CHECKING:
    from .explorer.explorer import Explorer

FRAME = 1 / 30
"""Seconds from one frame to the next while playing."""
SHARE = 0.22
"""Of the processor's time, what playing takes at most."""
ROOMY = 22
"""Lines that are room enough for a picture, even where it doesn't fit."""


class Picture:
    """The picture of one explorer: its layout, its cursor, pins and steps, and the widgets that show them."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.scene: Scene | None = None
        self.steps: Steps | None = None
        self.player = Player()
        self.bookmarks: dict[str, frozenset[int]] = {}  # by experiment
        self.cursor: Cursor | None = None
        self.memory: bool | None = None  # None: shown where there is room
        self.zoom: Zoom | None = None  # None: the largest in which everything fits
        self.timer: Timer | None = None
        self.spent = 0.0, 0.0  # the clock and the processor's time at the last frame that was played
        self._pins: dict[str, Pins] = {}  # by experiment, whose number changes with the others
        self._arranged: object = None
        self._memory_for: object = None
        self._zoomed = ""  # the operator that the zoom was chosen for
        # What is drawn on every press is not looked up each time.
        self.sides = TensorStack(is_output=False, id="inputs"), TensorStack(is_output=True, id="outputs")
        self.formula = FormulaLine(id="formula")
        self.transport = Transport(id="transport")
        self._lane = FlowLane(id="lane")
        self._memory_strip = MemoryStrip(id="memory")
        self._caption = Static(id="caption")

    @property
    def step(self) -> int | None:
        """The step that is shown; None where everything is written and the cursor is free."""
        return self.player.step

    @property
    def pins(self) -> Pins:
        """The pinned elements of this experiment."""
        return self._pins.get(self._explorer.experiment.name, Pins())

    def widgets(self) -> Iterator[Widget]:
        """The picture's widgets, from top to bottom."""
        yield self._caption
        yield Row(self.sides[0], self._lane, self.sides[1], id="picture")
        yield self._memory_strip
        yield self.formula
        yield self.transport

    def mounted(self) -> None:
        """Begins to follow what scrolls."""
        for stack in self.sides:
            self._explorer.watch(stack, "scroll_y", self.draw_lane, init=False)

    def changed(self) -> None:
        """The desc is another: nothing plays, the cursor is free, and the bookmarks are the experiment's."""
        self.stop()
        marks = self.bookmarks.get(self._explorer.experiment.name, frozenset())
        self.player = replace(self.player.freed(), marks=marks)

    def forget(self) -> None:
        """The document is another: its cursor, pins and bookmarks are gone."""
        self.cursor = None
        self._pins.clear()
        self.bookmarks.clear()

    # ---- drawing

    def draw(self) -> None:
        """Lays the picture out for the room there is, and draws everything that follows from cursor and step."""
        explorer = self._explorer
        if not explorer.is_mounted:
            return
        inputs, _ = self.sides
        trace = explorer.shown.trace
        picture = explorer.query_one("#picture").size
        width = picture.width - self._lane.outer_size.width - 2
        room = (width, self.place_memory(width))
        if trace is not None and trace.operator.name != self._zoomed:
            self.zoom, self._zoomed = None, trace.operator.name
        wanted = (id(trace), room, self.zoom)
        if trace is None:
            self.scene, self.steps, self.cursor = None, None, None
        elif self._arranged != wanted:
            old = self.cursor
            self.scene = arrange(trace, max(20, room[0]), max(4, room[1]), self.zoom)
            self.steps = self._steps(trace)
            share = self.scene.share + 1  # one column more, for a scroll bar
            held = inputs.styles.width.value if inputs.styles.width is not None else 0
            # Where both sides stand whole as it is, nothing moves, and nothing has to be laid out anew.
            if held != share and not self.scene.suits(int(held) - 1, width):
                inputs.styles.width = share
                explorer.call_after_refresh(self.reveal)
            self.cursor = old if old is not None and is_inside(trace, old) else None
            if self.cursor is None:
                self.cursor = Steps(trace).element(1)
        rearranged = trace is not None and self._arranged != wanted
        self._arranged = wanted
        self.draw_picture()
        if rearranged:
            self.reveal()
            self.draw_lane()

    def draw_caption(self) -> bool:
        """Says over the picture what it shows; True where the line comes or goes."""
        shown, caption = self._explorer.shown, self._caption
        moves = caption.display != bool(shown.caption)
        if moves:
            caption.display = bool(shown.caption)
        mark = Text.assemble((f" {shown.mark} ", "reverse"), "  ") if shown.mark else Text()
        caption.update(mark.append(shown.caption), layout=False)
        return moves

    def draw_picture(self) -> None:
        """Draws what follows from cursor and step, in the layout there is."""
        explorer, (inputs, outputs) = self._explorer, self.sides
        scene, trace, steps = self.scene, explorer.shown.trace, self.steps
        explorer.footer.play(self.player.playing)
        if scene is None or trace is None or steps is None:
            for stack in (inputs, outputs):
                stack.show(None, Look(), Partners())
            self._lane.show(None)
            self.formula.show(None, None, False)
            self._memory_strip.show(None, None, Look())
            self.transport.show(State(seconds=self.player.seconds, unit=self.player.unit))
            explorer.runs.draw()
            return
        if scene.trace is not trace:
            return  # the layout of what is shown now is on its way
        cursor, live = self.cursor, explorer.shown.live
        self.scene = scene = scene.following(cursor)
        player = self.player
        links = player.links(partners(trace, cursor))
        lit = lights(explorer.shown.why.reasons[explorer.chosen] if explorer.chosen is not None else None)
        pins = self.pins.within(trace)
        if live:
            self._pins[explorer.experiment.name] = pins
        look = player.look(steps, Look(cursor, None, not live, lit.axes, lit.cells, pins=pins.marks(trace)))
        inputs.show(scene.inputs, look, links)
        outputs.show(scene.outputs, look, links)
        step, marks = player.now(steps.count), player.marked_steps(steps)
        self.transport.show(State(step, steps.count, player.playing, player.seconds, player.unit, marks))
        self._memory_strip.show(trace, cursor, look)
        self.formula.show(trace, cursor, live, pins, lit=player.phase is Phase.RULE)
        explorer.runs.draw()
        self.draw_lane()
        if explorer.typing.is_open:
            explorer.call_after_refresh(explorer.typing.place)

    def draw_lane(self) -> None:
        """Draws the way from the source to the cursor's element, between the two sides."""
        shown = self._explorer.shown
        lane, scene, trace, cursor = self._lane, self.scene, shown.trace, self.cursor
        if scene is None or trace is None or cursor is None or not shown.live or scene.trace is not trace:
            lane.show(None)
            return
        inputs, outputs = self.sides
        target = cursor if cursor.place.is_output else first_reader_of(trace, cursor)
        laid = inputs.stack is scene.inputs and outputs.stack is scene.outputs
        if target is None or not laid or self.player.phase is Phase.SOURCE:
            lane.show(None)
            return
        targets, count = [target], 1
        if self.steps is not None and self.step and cursor == self.steps.element(self.step):
            targets, count = self.steps.moved(self.step, MOST)
        source = source_of(trace, target)  # of what an index sends too: the value comes from the data
        start, stop = inputs.level_of(source), outputs.level_of(target)
        if start is None or stop is None:
            lane.show(None)
            return
        way = self.player.way
        chips = [Chip(*value_of(trace, each)) for each in targets] if way is not None else []
        lane.show(Flow(tuple(chips), start, stop, count - len(targets) if chips else 0, way or 0))

    # ---- memory

    def place_memory(self, width: int) -> int:
        """Shows the memory strip where it is wanted, or the picture leaves room for it; gives the picture's height."""
        strip, explorer, shown = self._memory_strip, self._explorer, self._explorer.shown
        own = MEMORY_LINES + (not explorer.has_class("low"))
        whole = explorer.query_one("#formula").region.y - explorer.query_one("#picture").region.y
        room = explorer.query_one("#transport").region.y  # pins come and go, and change nothing about that
        wanted = (shown.trace, explorer.size, room, self.memory, shown.live)
        if self._memory_for != wanted:
            self._memory_for = wanted
            strip.display = shown.live and (self.spares(width, whole - own) if self.memory is None else self.memory)
        return whole - own * strip.display

    def spares(self, width: int, height: int) -> bool:
        """True if the whole picture fits into that much room and keeps its air; or if much is left to it."""
        trace = self._explorer.shown.trace
        if trace is None or height < MEMORY_LINES or self._explorer.has_class("low"):
            return False
        layout = arrange(trace, max(20, width), height).layout
        return layout.is_airy if layout.fits else height >= ROOMY

    def turn_memory(self) -> None:
        """Shows or hides the memory strip, from now on."""
        self.memory = not self._memory_strip.display
        self._explorer.prefer("memory", self.memory)
        self.draw()

    # ---- the cursor

    def point(self, cursor: Cursor) -> None:
        """Looks at an element, and scrolls there."""
        self.cursor = cursor
        self.reveal()
        self.draw_picture()

    def pointed(self, cursor: Cursor) -> None:
        """An element was pointed at in what is drawn."""
        self.stop()
        trace = self._explorer.shown.trace
        if trace is not None and is_inside(trace, cursor):
            self.point(cursor)  # else it was pointed at in a picture that has gone

    def pin(self, cursor: Cursor | None) -> None:
        """Pins an element, or takes its pin away; None takes the last ones away."""
        if self._explorer.shown.live:
            pins = self.pins.escaped() if cursor is None else self.pins.toggled(cursor)
            self._pins[self._explorer.experiment.name] = pins
            self.draw_picture()

    def reveal(self) -> None:
        """Scrolls both sides so that the cursor's element and its source are seen."""
        cursor, scene, shown = self.cursor, self.scene, self._explorer.shown
        if cursor is None or scene is None or not shown.live or scene.trace is not shown.trace:
            return
        inputs, outputs = self.sides
        if inputs.stack is None or inputs.stack.family is not scene.inputs.family:
            return
        if cursor.place.is_output:
            # The end of what a step writes before its beginning, so that as much of it is seen as there is room for.
            for each in (*self.ends(cursor), cursor):
                outputs.reveal(each)
                inputs.reveal(source_of(scene.trace, each))
        else:
            inputs.reveal(cursor)

    def ends(self, cursor: Cursor) -> list[Cursor]:
        """The last element of the present step's run or slice, where the cursor is on its first."""
        steps, step, trace = self.steps, self.step, self._explorer.shown.trace
        if steps is None or not step or steps.unit not in (Unit.RUN, Unit.SLICE) or steps.trace is not trace:
            return []
        group = steps.group(step)
        if group is None or group.elements(0, 1) != [cursor]:
            return []
        return group.elements(group.count - 1, group.count)

    def turn_zoom(self, by: int) -> None:
        """Draws cells smaller or larger; stays until the operator changes."""
        if self.scene is not None:
            self.zoom = self.scene.zoom.turned(by)
            self.draw()

    async def go_to(self) -> None:
        """Asks for an element or a step, and goes there."""
        from .dialogs.go_to import GoToDialog

        explorer, trace, steps = self._explorer, self._explorer.shown.trace, self.steps
        if trace is None or steps is None or not explorer.shown.live or steps.trace is not trace:
            return
        found = await explorer.app.push_screen_wait(GoToDialog(trace, self.cursor, steps.count))
        if found is None or explorer.shown.trace is not trace:
            return
        self.stop()
        if isinstance(found, int):
            self.go(found)
        else:
            self.point(found)

    # ---- steps

    def pressed(self, name: str) -> None:
        """One of the transport's buttons was pressed."""
        actions: dict[str, Callable[[], None]] = {
            "first": lambda: self.go(0),
            "back": lambda: self.go_by(-1),
            "play": self.play_or_pause,
            "forward": lambda: self.go_by(1),
            "last": self.go_last,
            "unit": lambda: self.turn_unit(1),
            "speed": lambda: self.play(self.player.next_speed(time.monotonic())),
        }
        actions[name]()

    def scrubbed(self, share: float) -> None:
        """The step at `share` of all, 0 to 1, was pointed at."""
        if self.steps is not None:
            self.go(round(share * self.steps.count))

    def _steps(self, trace: Trace) -> Steps:
        return Steps(trace, self.player.unit)

    def go(self, step: int) -> None:
        """Shows the picture after `step` steps."""
        shown = self._explorer.shown
        if self.steps is not None and shown.live and self.steps.trace is shown.trace:
            self.play(self.player.at(step, self.steps.count))

    def go_by(self, by: int) -> None:
        """Goes `by` steps on from the present one."""
        self.go((self.player.now(self.steps.count) if self.steps is not None else 0) + by)

    def go_last(self) -> None:
        """Shows the picture after every step."""
        if self.steps is not None:
            self.go(self.steps.count)

    def play(self, player: Player) -> None:
        """Shows what a player shows, and keeps its time while it plays."""
        moved = player.step is not None and (player.step, player.unit) != (self.player.step, self.player.unit)
        self.player = player
        if player.playing and self.timer is None:
            self.timer = self._explorer.set_interval(FRAME, self.tick)
            self.spent = time.monotonic(), time.thread_time()
        elif not player.playing:
            self.stop()
        if self.steps is None or self.steps.trace is not self._explorer.shown.trace:
            return
        if self.steps.unit is not player.unit:
            self.steps = self._steps(self.steps.trace)
        if moved and player.step is not None:
            self.cursor = self.steps.element(max(1, player.step))
            self.reveal()
        self.draw_picture()

    def tick(self) -> None:
        """Shows what the time has come for, unless frames take too much of the processor's."""
        if self.steps is None:
            self.stop()
            return
        now, used = time.monotonic(), time.thread_time()
        drawn, before = self.spent
        if used - before > SHARE * (now - drawn):
            return  # frames that cost much come less often
        player = self.player.ticked(now, self.steps.count)
        if player != self.player:
            self.spent = now, used
            self.play(player)

    def stop(self) -> None:
        """What plays is at rest, its step done."""
        self.player = self.player.stopped()
        if self.timer is not None:
            self.timer.stop()
            self.timer = None

    def play_or_pause(self) -> None:
        """Plays the steps that are left, or stops; where nothing may move, goes a step on."""
        steps, player, explorer = self.steps, self.player, self._explorer
        if steps is None or not explorer.shown.live or steps.trace is not explorer.shown.trace:
            return
        if player.playing:
            self.play(player.stopped())
        elif explorer.app.animation_level == "none":
            # Reduced motion: a key press is a step.
            self.go(player.now(steps.count) % steps.count + 1)
        else:
            self.play(player.played(time.monotonic(), steps.count))

    def turn_speed(self, by: int) -> None:
        """Plays slower, or faster where `by` is negative, from now on."""
        self.play(self.player.slower(by, time.monotonic()))
        self._explorer.prefer("seconds", self.player.seconds)

    def turn_unit(self, by: int) -> None:
        """Makes each step another unit, from now on."""
        if self.steps is not None and self._explorer.shown.live:
            self.play(self.player.next_unit(by, self.steps.trace))
            self._explorer.prefer("unit", self.player.unit.value)

    def bookmark(self) -> None:
        """Sets or clears a bookmark at the present step."""
        if self.steps is not None and self._explorer.shown.live:
            self.play(self.player.marked(self.steps))
            self.bookmarks[self._explorer.experiment.name] = self.player.marks

    def go_to_bookmark(self, by: int) -> None:
        """Goes to the next bookmark, or the one before."""
        if self.steps is not None and self._explorer.shown.live:
            self.play(self.player.to_mark(by, self.steps))
