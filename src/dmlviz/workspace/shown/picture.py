"""The picture of one experiment: its layout in the room there is, the cursor, steps, zoom and memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ...operators.maps import Place
from ...scene.changes import Changes
from ...scene.elements.cursor import Cursor, flat_of, is_inside, part_of
from ...scene.elements.known import EVERYTHING, NOTHING, Known
from ...scene.elements.partners import partners
from ...scene.layout.arrange import WITH_OUTPUTS, Scene, arrange, layout_of
from ...scene.layout.assign import Layout
from ...scene.layout.zoom import Zoom, lettered
from ...scene.lights import Lights
from ...scene.look import Entry, EntryKind, Look
from ...scene.memory import HEIGHT as MEMORY_LINES
from ...scene.memory import LEAST as LEAST_MEMORY
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.views import View
from ...tracing import Trace
from .state import PicturedState, PictureState

if TYPE_CHECKING:
    from ...teaching.progress.progress import Answered, Progress


LEAST_PICTURE = 7


NO_LIGHTS = Lights()
Signs = list[tuple[Cursor, EntryKind, str]]
"""Signs and texts that stand on elements of the picture."""
Entries = dict[Place, dict[int, Entry]]


class Room(Struct, frozen=True):
    """The room for a picture, in columns and lines of the screen."""

    width: int
    height: int
    """Lines for the picture and the memory strip below it."""
    low: bool = False
    """The screen is low: nothing stands between the parts."""
    lane: int = 0
    """Columns of `width` that the lane between both sides would like to have."""


class Picture:
    """The picture of the experiment that is looked at."""

    def __init__(
        self,
        player: Player | None = None,
        zoom: Zoom | None = None,
        memory: bool | None = None,
        *,
        is_legible: bool = False,
    ) -> None:
        """`is_legible` shows every number, whatever is out of sight then."""
        self.player = player if player is not None else Player()
        self.zoom = zoom
        """None: the largest in which everything fits."""
        self.memory = memory
        """The user wants the strip; None: it is there where memory is what the picture is about."""
        self.cursor: Cursor | None = None
        self.scene: Scene | None = None
        self.steps: Steps | None = None
        self.tells_memory = True
        """False while the memory strip would tell what is asked: then there is none, whoever wants it."""
        self.wants_memory = False
        self.memory_lines = 0
        """Lines of the memory strip, with the empty one above it; 0 for none."""
        self.changes: Changes | None = None
        self.hidden: Known | None = None
        """What is known of the outputs while somebody is asked about them; None where steps alone hide."""
        self.is_covered = False
        """Nothing is told of the outputs until somebody steps, edits, or asks to see the whole."""
        self.answers = WITH_OUTPUTS
        """What the layout leaves room for where somebody is asked."""
        self._is_legible = is_legible
        self._unit = self.player.unit  # what the user likes best
        self._says_unit = False  # the experiment has a unit of its own
        self._reveal = 0
        self._view: ViewState | None = None
        self._room: Room | None = None
        self._arranged: object = None  # what the scene was arranged for
        self._zoomed = ""  # the operator that the zoom was chosen for
        self._state = PictureState()  # what was to be drawn last

    @property
    def _trace(self) -> Trace | None:
        return self._view.trace if self._view is not None else None

    # ---- what it is of

    def look_at(self, view: ViewState) -> None:
        """Takes the view after an edit: nothing plays, and the cursor is free."""
        self._view = view
        self.show_whole()
        if view.trace is None:
            self.scene = self.steps = self.cursor = self._arranged = None

    def open(self, view: ViewState, kept: View) -> None:
        """Looks at another experiment as somebody has left it; what it no longer has is left out."""
        self.cursor, self._says_unit = None, bool(kept.unit)
        unit = Unit(kept.unit or Unit.ELEMENT) if kept.unit or kept.step is not None else self._unit
        self.player = replace(self.player, unit=unit)
        self.look_at(view)
        if view.trace is None or not view.live:
            return
        steps = Steps(view.trace, unit)
        if kept.step is not None and kept.step <= steps.count:
            self.player = self.player.at(kept.step, steps.count)
            self.cursor = steps.element(max(1, kept.step))

    def kept(self) -> View:
        """How the experiment is looked at, as `open` takes it up again."""
        trace, player, step = self._trace, self.player, None
        if trace is not None and self.is_live and player.step is not None:
            steps = self.live_steps
            if steps is None or steps.unit is not player.unit:
                steps = Steps(trace, player.unit)
            step = player.now(steps.count)
        unit = player.unit.value if self._says_unit or step is not None else ""
        return View(step=step, unit=unit, turned=self.is_turned)

    @property
    def is_turned(self) -> bool:
        """True if rows and columns have changed places."""
        return self._view is not None and self._view.turned

    def take_view(self, view: ViewState) -> None:
        """Takes the view of an experiment whose words changed, or of which more is counted; the layout stays."""
        self._view = view

    # ---- layout

    def fit(self, room: Room) -> None:
        """Lays the picture out for a room."""
        self._arrange(room)
        if self._is_legible and self.scene is not None and not lettered(self.scene.zoom):
            self.zoom = Zoom.VALUES
            self._arrange(room)

    def _arrange(self, room: Room) -> None:
        trace = self._trace
        self._room = room
        if trace is not None and trace.operator.name != self._zoomed:
            self.zoom, self._zoomed = None if self._zoomed else self.zoom, trace.operator.name
        self.memory_lines = self.memory_lines_in(room) if self.is_live else 0
        height = room.height - self.memory_lines
        answers = replace(self.answers, asked=self.answers.asked and room.low)  # else the question has its own line
        wanted = (room.width, room.lane, height, self.zoom, self.is_turned, answers)
        is_fitted = self.scene is not None and self.scene.trace is trace
        if trace is None or (is_fitted and self._arranged == wanted):
            return
        self._arranged = wanted
        self.scene = arrange(
            trace,
            max(20, room.width),
            max(4, height),
            self.zoom,
            lane=room.lane if self.answers.outputs else 0,
            turned=self.is_turned,
            answers=answers,
        )
        self.steps = Steps(trace, self.player.unit)
        if not self.known.whole:
            self.scene = self.scene.at_first()
        if self.cursor is None or not is_inside(trace, self.cursor):
            self.cursor = Steps(trace).element(1)
        self._reveal += 1

    @property
    def shows_memory(self) -> bool:
        return self.memory_lines > 0

    def memory_lines_in(self, room: Room) -> int:
        """Lines of the memory strip in a room, with the empty one above it; 0 for none.

        It is lower before the picture isn't whole, and gives way before that; who asks for it gets it.
        """
        wanted = self.wants_memory if self.memory is None else self.memory
        if not self.tells_memory or not wanted:
            return 0
        high, low = (lines + (not room.low) for lines in (MEMORY_LINES, LEAST_MEMORY))
        whole = next((lines for lines in (high, low) if self._is_whole(room, room.height - lines)), 0)
        if whole or self.memory:
            return whole or low
        return low if room.height - low >= LEAST_PICTURE and not self._is_whole(room, room.height) else 0

    def _is_whole(self, room: Room, height: int) -> bool:
        layout = self.layout_in(room, height)
        return layout is not None and height > 0 and layout.fits and lettered(layout.zoom)

    def layout_in(self, room: Room, height: int) -> Layout | None:
        """The layout of the picture in so many lines of a room; None where there is nothing to draw."""
        trace = self._trace
        if trace is None:
            return None
        width, lane = max(20, room.width), room.lane if self.answers.outputs else 0
        return layout_of(trace, width, max(4, height), lane=lane, turned=self.is_turned, answers=self.answers)

    def turn_memory(self) -> None:
        """Shows or hides the memory strip, from now on."""
        self.memory = not self.shows_memory
        self.refit()

    def turn_zoom(self, by: int) -> None:
        """Draws cells smaller or larger, until the operator changes. Zooms that there is no room for are left out."""
        wanted = self.scene.zoom if self.scene is not None else Zoom.VALUES
        for _ in Zoom:
            self.zoom = wanted = wanted.further(by)
            self.refit()
            if self.scene is None or self.scene.zoom is wanted:
                break

    def turn(self, view: ViewState) -> None:
        """Takes a view in which rows and columns change places, or colours stand for something else."""
        self.take_view(view)
        self.refit()

    def refit(self) -> None:
        """Lays the picture out anew in the room that it has, if it was given any."""
        if self._room is not None:
            self.fit(self._room)

    # ---- the cursor

    @property
    def is_live(self) -> bool:
        """True if the picture is of the desc as it stands."""
        return self._view is not None and self._view.live

    @property
    def live_steps(self) -> Steps | None:
        """The steps of the desc as it stands; None where it isn't valid, or its layout is on its way."""
        steps = self.steps
        return steps if steps is not None and self.is_live and steps.trace is self._trace else None

    def point(self, cursor: Cursor) -> None:
        """Looks at an element; not at one that the picture hasn't, as after a click at a picture that has gone."""
        trace = self._trace
        if trace is not None and is_inside(trace, cursor):
            self.cursor = cursor
            self._reveal += 1

    def moved(self, rows: int, columns: int) -> Cursor | None:
        """The element so many rows and columns beside the cursor's; None where nothing is drawn."""
        cursor, scene = self.cursor, self.scene
        if cursor is None or scene is None:
            return None
        return scene.stack(cursor.place.is_output).moved(cursor, rows, columns)

    def move(self, rows: int, columns: int) -> None:
        """Looks at the element so many rows and columns beside the cursor's, if anything is drawn."""
        cursor = self.moved(rows, columns)
        if cursor is not None:
            self.point(cursor)

    def to_next_tensor(self, sides: Sequence[bool] = (False, True)) -> None:
        """Looks at the next tensor's first element, of these sides, True for outputs; after the last the first."""
        cursor, trace = self.cursor, self._trace
        if cursor is None or trace is None:
            return
        counts = {False: len(trace.inputs), True: len(trace.outputs) if self.answers.outputs else 0}
        places = [Place(is_output, k) for is_output in sides for k in range(counts[is_output])]
        place = places[(places.index(cursor.place) + 1 if cursor.place in places else 0) % len(places)]
        self.point(Cursor(place, (0,) * len(part_of(trace, place).tensor.sizes)))

    def entries(self, signs: Signs) -> Entries:
        """Signs and texts on elements, as far as the picture has them."""
        trace, entries = self._trace, Entries()
        for cursor, kind, text in signs:
            if trace is not None and is_inside(trace, cursor):
                entries.setdefault(cursor.place, {})[flat_of(trace, cursor)] = Entry(kind, text)
        return entries

    # ---- steps

    @property
    def known(self) -> Known:
        """What may be told of the outputs: all, what is written once there are steps, or what a question leaves."""
        if self.hidden is not None:
            return self.hidden
        if self.is_covered:
            return NOTHING
        steps = self.live_steps
        return self.player.known(steps) if steps is not None else EVERYTHING

    def play(self, player: Player) -> None:
        """Takes a player; the cursor follows its step, and what isn't written then is hidden."""
        was_whole = self.known.whole
        self.is_covered &= player.step is None
        moved = player.step is not None and (player.step, player.unit) != (self.player.step, self.player.unit)
        self.player = player
        if self.steps is None or self.steps.trace is not self._trace:
            return
        if self.steps.unit is not player.unit:
            self.steps = Steps(self.steps.trace, player.unit)
        if moved and player.step is not None:
            self.cursor = self.steps.element(max(1, player.step))
            self._reveal += 1
        if was_whole and not self.known.whole and self.scene is not None:
            self.scene = self.scene.at_first()  # where it was turned to may tell what is hidden now

    def show_whole(self) -> None:
        """Leaves the steps: everything is told again, and the cursor is free."""
        self.is_covered = False
        self.player = self.player.freed()

    def stop(self) -> None:
        """Stops what plays; its step is done."""
        self.player = self.player.stopped()

    def go(self, step: int) -> None:
        """Shows the picture after `step` steps."""
        steps = self.live_steps
        if steps is not None:
            self.play(self.player.at(step, steps.count))

    def go_by(self, by: int) -> None:
        """Goes `by` steps on from the present one; forward from the beginning where no step is shown yet."""
        if self.steps is not None:
            begins = self.player.step is None and (by > 0 or self.is_covered)
            self.go(by if begins else self.player.now(self.steps.count) + by)

    def go_last(self) -> None:
        """Shows the picture after every step."""
        if self.steps is not None:
            self.go(self.steps.count)

    def play_or_pause(self, now: float, *, still: bool = False) -> None:
        """Plays the steps that are left, or stops; where nothing may move (`still`), goes a step on."""
        steps, player = self.live_steps, self.player
        if steps is None:
            return
        if player.playing:
            self.play(player.stopped())
        elif still:
            self.go(player.now(steps.count) % steps.count + 1)
        else:
            self.play(player.played(now, steps.count))

    def tick(self, now: float) -> bool:
        """Shows what the time has come for; False where that is what is shown already."""
        if self.steps is None:
            self.stop()
            return True
        player = self.player.ticked(now, self.steps.count)
        if player == self.player:
            return False
        self.play(player)
        return True

    def turn_unit(self, by: int) -> bool:
        """Makes each step another unit; False where there are no steps."""
        steps = self.live_steps
        if steps is None:
            return False
        self.play(self.player.next_unit(by, steps.trace))
        self._unit, self._says_unit = self.player.unit, True
        return True

    # ---- what is seen

    def state(self, lights: Lights = NO_LIGHTS, entries: Entries | None = None) -> PictureState:
        """What is to be drawn, with signs on elements; while the layout is on its way, what was drawn last."""
        view, trace = self._view, self._trace
        if view is None or trace is None:
            self._state = PictureState(player=self.player)
            return self._state
        scene, steps = self.scene, self.steps
        if scene is None or steps is None or scene.trace is not trace:
            return self._state
        cursor, live = self.cursor, view.live
        known = self.known
        self.scene = scene = scene.following(cursor, known)
        changes = self.changes if live and known.whole else None
        if changes is not None and changes.after.read is not trace.read:  # of another desc, or other values
            changes = None
        look = Look(
            cursor,
            stale=not live,
            broken_axes=lights.axes,
            broken_cells=lights.cells,
            named_axes=lights.named,
            changes=changes,
            entries=entries or {},
        )
        look = self.player.look(steps, look)
        self._state = PictureState(
            scene=scene,
            steps=steps,
            cursor=cursor,
            player=self.player,
            look=replace(look, written=known) if self.is_covered or self.hidden is not None else look,
            links=self.player.links(partners(trace, cursor, known)),
            known=known,
            live=live,
            memory_lines=self.memory_lines,
            reveal=self._reveal,
        )
        return self._state


class Desk(ABC):
    """Its methods are what a user does. They return nothing: `state` says what came of them.

    What moves only the cursor, the zoom or the memory strip is a method of `picture`. A subclass says what may be told,
    by what `picture` hides, and what is shown besides, by `state`.
    """

    def __init__(self, picture: Picture, now: Callable[[], float]) -> None:
        """`now` gives seconds since 1970."""
        self.picture, self.now = picture, now
        self.still = False
        """Nothing may move by itself: to play is to go a step on."""
        self.seconds = picture.player.seconds
        self._room: Room | None = None
        self._notices: list[str] = []

    @property
    @abstractmethod
    def state(self) -> PicturedState:
        """All that is shown now."""

    @property
    def can_step(self) -> bool:
        """True if steps can be shown."""
        return self.picture.live_steps is not None

    def notices(self) -> list[str]:
        """Sentences that nobody has been told yet, each once."""
        notices, self._notices = self._notices, []
        return notices

    def _record(self, progress: Progress, began: float, **answered: Any) -> Answered:
        """Appends an answer to what was asked at a time, and tells of what keeps it from its file."""
        from ...teaching.progress.progress import Answered, now_text  # the explorer keeps none

        now, told = self.now(), len(progress.problems)
        seconds = max(0.0, round(now - began, 1))
        progress.add(made := Answered(time=now_text(now), seconds=seconds, **answered))
        self._notices += progress.problems[told:]
        return made

    def fit(self, room: Room) -> None:
        """Lays the picture out for the room that it has."""
        self._room = room
        self._refit()

    def _refit(self) -> None:
        if self._room is not None:
            self.picture.fit(self._room)

    def step(self, by: int) -> None:
        """Shows the step so many further, where `can_step`."""
        if self.can_step:
            self.picture.go_by(by)

    def go(self, step: int) -> None:
        """Shows the picture after a step, where `can_step`."""
        if self.can_step:
            self.picture.go(step)

    def play(self) -> None:
        """Plays the steps that are left, or stops, where `can_step`; where nothing may move, goes a step on."""
        if self.can_step:
            self.picture.player = replace(self.picture.player, seconds=self.seconds)
            self.picture.play_or_pause(self.now(), still=self.still)

    def tick(self) -> bool:
        """Shows what the time has come for while steps play; False where that is what is shown already."""
        return self.picture.tick(self.now())
