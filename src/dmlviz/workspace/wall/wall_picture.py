"""The picture on the wall: what is drawn of an experiment, as far as its build lets it be seen."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside
from ...scene.elements.known import NOTHING
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import Answers, Scene
from ...scene.layout.zoom import lettered
from ...scene.look import EntryKind
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.presentation_state import Build, Presented
from ...teaching.questions.subject import FROM_NOWHERE
from ...teaching.tasks.tasks import AuthoredQuestion
from ..asking.answering import hides_memory, unit_of
from ..asking.asked_desc import places_of
from ..shown.picture import Entries, Picture, Room
from ..shown.state import PictureState
from .presented_item import Item

MOST_LIT = 256
"""Readers of an element that the spotlight is on."""
LEAST_PLAYED, MOST_PLAYED = 2.0, 20.0
"""Seconds for all steps of an experiment; one second for each of a few."""


class WallPicture:
    """Draws what a presentation says of one experiment. No clock but the one it is given."""

    def __init__(self, now: Callable[[], float], item: Item, shared: Presented) -> None:
        """`now` gives seconds since 1970, `item` is the experiment that `shared` stands at."""
        self.still = False
        """Nothing may move: steps are shown one by one."""
        self._now, self._item, self._shared = now, item, shared
        self._room: Room | None = None
        self._counted: Steps | None = None
        self.picture = Picture()
        self.spare = 0
        """Lines of the room that the picture leaves to the question: so that stands near it."""
        self._new_picture()

    @property
    def _view(self) -> ViewState:
        """The view of the desc that is on the wall: the solution's, where that is revealed."""
        return self._item.view_at(self._shared.build)

    @property
    def is_drawn(self) -> bool:
        """True where tensors are drawn: while a question is open, where that tells nothing."""
        return self._item.draws_open if self._shared.build is Build.QUESTION else self._view.live

    @property
    def step(self) -> int:
        """The step that is shown: while it plays, the picture knows."""
        steps = self.picture.live_steps
        return self.picture.player.now(steps.count) if steps is not None else self._shared.step

    @property
    def count(self) -> int:
        """How many steps there are; 0 for an invalid desc."""
        trace = self._item.view_at(Build.PLAY).trace
        if trace is None:
            return 0
        if self._counted is None or self._counted.trace is not trace or self._counted.unit is not self._unit:
            self._counted = Steps(trace, self._unit)
        return self._counted.count

    @property
    def _unit(self) -> Unit:
        """What a step writes: a copy of memory where that was asked about, and the answer is on the wall."""
        question, build = self._item.question, self._shared.build
        unit = unit_of(question, self._item.experiment)
        return unit if unit is not Unit.COPY or self._item.is_told(build) else Unit.SLICE

    # ---- what it is told

    def show(self, item: Item, after: Presented) -> Presented:
        """Follows the presentation to `after`, and gives that, with the step where the other screen stopped it."""
        before, self._item, self._shared = self._shared, item, after
        if (before.experiment, before.build, before.hides) != (after.experiment, after.build, after.hides):
            self._new_picture()
        elif before.step == after.step and not after.playing and self.picture.player.playing:
            self.picture.stop()  # the other screen stopped it, and does not know how far it was
            self._shared = replace(after, step=self.step)
        elif before.playing and after.playing and self.picture.player.playing:
            pass  # how far it was when that was kept for the last time; here it is known better
        elif (before.step, before.playing) != (after.step, after.playing):
            self._show_steps()
        if before.memory != after.memory:
            self.picture.memory = self._wanted_memory
            self._refit()
        if before.cursor != after.cursor and self.is_drawn:
            cursor = _cursor_of(after)
            if cursor is not None and (self.picture.answers.outputs or not cursor.place.is_output):
                self.picture.point(cursor)
        return self._shared

    def fit(self, room: Room) -> None:
        """Lays the picture out for the room that it has."""
        self._room = room
        self._refit()

    def stands_in(self, room: Room) -> bool:
        """True if the whole picture would stand in a room with a number in each cell."""
        strip = self.picture.memory_lines_in(room)
        layout = self.picture.layout_in(room, room.height - strip - room.below * (strip > 0))
        return layout is None or (layout.fits and lettered(layout.zoom))

    def tick(self) -> bool:
        """Shows the step that the time has come for; False where that is what is shown already."""
        return self._shared.playing and self.picture.player.playing and self.picture.tick(self._now())

    # ---- what is to be drawn

    @property
    def state(self) -> PictureState:
        """What is to be drawn; while outputs are hidden, nothing links to them."""
        if not self.is_drawn:
            return PictureState()
        if self._is_hidden:
            return replace(self.picture.state(entries=self._asked()), links=Partners())
        return self.picture.state(entries=self._answered() if self._shared.build is Build.REVEAL else None)

    @property
    def spot(self) -> tuple[Cursor, ...]:
        """The cursor's element, and its partners as far as they are known; () where nothing is drawn."""
        cursor, trace, known = self.picture.cursor, self._view.trace, self.picture.known
        if not self.is_drawn or cursor is None or trace is None:
            return ()
        if not cursor.place.is_output:
            return (cursor, *(known.readers(trace, cursor) or [])[:MOST_LIT])
        if not known.tells(cursor):
            return (cursor,)
        source, lit = trace.source(cursor.place.number, cursor.index), [cursor]
        if not source.nowhere:
            lit.append(Cursor(Place(False, source.tensor), source.index))
        if source.via is not None:
            lit.append(Cursor(Place(False, source.via.tensor), source.via.index))
        return tuple(lit)

    def _asked(self) -> Entries:
        """Signs on the elements that are asked about; {} for none."""
        question = self._item.question
        if question is None or question.at is None or not question.kind.draws_outputs or question.kind.about_memory:
            return {}  # which cells an order begins with is what it asks
        is_output = question.at.place.is_output
        return self.picture.entries(places_of(question), EntryKind.ASKED if is_output else EntryKind.ABOUT)

    def _answered(self) -> Entries:
        """Signs on the elements that are the answer; {} where it is no elements."""
        question = self._item.question
        if question is None:
            return {}
        kind, form, truth = question.kind, question.kind.form, question.truth
        cursors: list[Cursor] = []
        if form.how == "mark" and truth != FROM_NOWHERE:
            cells = truth if form.takes_several else [truth]
            cursors = [Cursor(Place(form.side == "outputs", k), index) for k, index in cells]
        elif kind.quantity == "value" and kind.plays and not kind.about_memory:
            cursors = places_of(question)
        return self.picture.entries(cursors, EntryKind.RIGHT)

    # ---- how it is made

    @property
    def _is_hidden(self) -> bool:
        """True while nothing of the outputs may be told."""
        return self._shared.hides or self._shared.build is Build.QUESTION

    def _new_picture(self) -> None:
        """Makes the picture anew."""
        question = self._item.question
        open_ = self._shared.build is Build.QUESTION
        self.picture = Picture(Player(self._unit), is_legible=open_)
        told = self._item.is_told(self._shared.build)
        self.picture.wants_memory = self._unit.is_memory
        self.picture.memory = self._wanted_memory
        own = (question.task.hide or ()) if isinstance(question, AuthoredQuestion) else ()
        self.picture.tells_memory = not self._shared.hides and (
            told
            or question is None
            or not hides_memory(question)
            # What a kind hides besides its answer steps may tell; what the author hides stays hidden.
            or (not open_ and not question.kind.about_memory and "memory" not in own)
        )
        if not self.is_drawn:
            return
        self.picture.hidden = NOTHING if self._is_hidden else None
        self.picture.answers = Answers(not open_ or question is None or question.kind.draws_outputs)
        self.picture.look_at(self._view)
        self.picture.cursor = self._first_cursor()
        self._refit()

    @property
    def _wanted_memory(self) -> bool | None:
        """Whether the memory strip is wanted; None where it is if there is room."""
        wanted = self._shared.memory
        return wanted if wanted is not None or self._unit.is_memory else False

    def _first_cursor(self) -> Cursor | None:
        """The element that is pointed at, or asked about; else, while outputs are hidden, an input's first, or None."""
        trace, question = self._view.trace, self._item.question
        assert trace is not None
        wanted = [_cursor_of(self._shared)]
        if question is not None and question.at is not None:
            wanted.append(Cursor(question.at.place, question.at.index))
        for cursor in wanted:
            if cursor is None or not is_inside(trace, cursor):
                continue
            if self.picture.answers.outputs or not cursor.place.is_output:
                return cursor
        return Cursor(Place(False, 0), (0,) * len(trace.inputs[0].tensor.sizes)) if self._is_hidden else None

    def _refit(self) -> None:
        if self._room is None or not self.is_drawn:
            return
        picture = self.picture
        anew = not picture.is_fitted
        changed = picture.fit(self._room)
        if changed and picture.scene is not None:
            picture.scene, self.spare = _raised(picture.scene)
        if anew:
            self._show_steps()

    def _show_steps(self) -> None:
        """Shows the step that is to be seen, and plays on from there."""
        steps = self.picture.live_steps
        if self._shared.build is not Build.PLAY or steps is None:
            return
        self.picture.player = replace(self.picture.player, seconds=seconds_of(steps.count))
        self.picture.go(self._shared.step)
        if self._shared.playing:
            self.picture.play_or_pause(self._now(), still=self.still)


def seconds_of(count: int) -> float:
    """How many seconds `count` steps take in front of a class."""
    return min(MOST_PLAYED, max(LEAST_PLAYED, float(count)))


def _raised(scene: Scene) -> tuple[Scene, int]:
    """The scene without the empty lines below it but one, and how many these are: its own air stays above it."""
    sides = [stack for stack in (scene.inputs, scene.outputs) if stack.figures]
    spare = max(0, min((stack.below for stack in sides), default=0) - 1) if scene.layout.fits else 0
    inputs, outputs = (replace(side, below=max(0, side.below - spare)) for side in (scene.inputs, scene.outputs))
    return replace(scene, inputs=inputs, outputs=outputs), spare


def _cursor_of(shared: Presented) -> Cursor | None:
    cursor = shared.cursor
    return Cursor(Place(cursor[0], cursor[1]), cursor[2]) if cursor is not None else None
