"""A session in front of a class, without a screen: each method is one thing that a speaker does.

What is on the wall follows from `Presented` alone, which the wall and the speaker's screen share by a file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..desc.fields import NumberField, NumbersField
from ..desc.tensors import braces, brackets
from ..errors import DmlvizError, SessionError, plain
from ..operators.maps import Place
from ..operators.registry import operator_of
from ..scene.elements.cursor import Cursor, flat_of, is_inside, part_of
from ..scene.elements.known import NOTHING
from ..scene.elements.partners import Partners
from ..scene.layout.arrange import Answers
from ..scene.layout.zoom import Zoom, lettered
from ..scene.lights import Lights
from ..scene.look import Entry, EntryKind
from ..scene.steps.order import Steps, Unit
from ..scene.steps.player import Player
from ..scene.view_state import ViewState, view_state_of
from ..session.experiments import Experiment, Session
from ..session.notes import printable, split_notes
from ..session.presentation_state import Build, Counts, Presented, StateFile
from ..teaching.answers import shown
from ..teaching.asking import kinds
from ..teaching.lessons import lesson_of
from ..teaching.question import Picture as Drawn
from ..teaching.question import Question
from ..teaching.subject import Subject
from ..teaching.tasks import question_of, task_of
from .answering import IN_PICTURE, WITHOUT_OUTPUTS
from .ask_state import AskState, Form, Option
from .asked_desc import tables_of
from .picture import Picture, Room
from .state import CellState, PictureState

GENERATED = ("pictures", "cell", "sizes", "count")
"""What is asked about an experiment whose author asks nothing: the first kind that can be."""
WITHOUT_LETTERS = frozenset({"level", "fixes"})
"""Kinds whose answer is a desc."""
TELLS_RULES = frozenset({"valid", "waits", "lowest", "misprint"})
"""Kinds whose answer it would be to say that a desc is invalid."""
LETTERS = "abcd"
MOST_SAID = 48
"""Columns of an answer that is chosen by a letter."""
MOST_HANDS = 3
"""Digits of a number of hands, or of an experiment."""
MOST_LIT = 256
"""Readers of an element that the spotlight is on."""
SECONDS = 120
"""Of the timer: as long as neighbours are to talk."""
LONGEST = 12 * 3600.0
"""Seconds after which a presentation begins anew: by then it is another lesson."""
LEAST_PLAYED, MOST_PLAYED = 2.0, 20.0
"""Seconds for all steps of an experiment; one second for each of a few."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers that hands are counted for."""

    id: str
    text: str
    right: bool
    rule: str = ""
    """Who gives it: the wrong rule's id and name; "" for the right one, and where no rule gives it."""
    picture: Drawn | None = None


@dataclass(frozen=True)
class Item:
    """One experiment as it is presented."""

    experiment: Experiment
    view: ViewState
    prompt: str
    question: Question | None = None
    """None where nothing can be asked but what the prompt says."""
    answers: tuple[Answer, ...] = ()
    said: tuple[str, ...] = ()
    """What the reveal tells, sentence by sentence."""
    notes: tuple[str, ...] = ()
    """The speaker's."""
    problem: str = ""
    """Why its own task can't be asked."""

    @property
    def builds(self) -> tuple[Build, ...]:
        """What page down shows of it, one after the other."""
        return tuple(Build) if self.view.live else (Build.QUESTION, Build.REVEAL)

    @property
    def is_invalid(self) -> bool:
        return not self.view.report.ok

    @property
    def lines(self) -> tuple[str, ...]:
        """The desc in plain lines, for one without a picture."""
        desc = self.experiment.desc
        found = [f"{part.path}  {part.tensor.data_type}  {braces(part.tensor.sizes)}" for part in desc.parts]
        for each in desc.FIELDS:
            if isinstance(each, NumbersField):
                found.append(f"{each.name}  {braces(desc.get(each.name))}")
            elif isinstance(each, NumberField):
                found.append(f"{each.name}  {desc.get(each.name)}")
        return (*found, f"FeatureLevel  {self.experiment.feature_level}")


@dataclass(frozen=True, slots=True)
class Vote:
    """The hands of one vote, in the order of the answers."""

    counts: Counts

    @property
    def total(self) -> int:
        return sum(each or 0 for each in self.counts)

    @property
    def is_begun(self) -> bool:
        return any(each is not None for each in self.counts)

    @property
    def is_whole(self) -> bool:
        """True if hands were counted for every answer."""
        return bool(self.counts) and None not in self.counts

    def percent(self, number: int) -> int:
        """The share of one answer, 0 to 100."""
        return round(100 * (self.counts[number] or 0) / self.total) if self.total else 0


@dataclass(frozen=True)
class NotesState:
    """What the speaker's screen shows: the room must not see it."""

    title: str
    number: int
    count: int
    name: str
    build: Build
    prompt: str
    answers: tuple[Answer, ...]
    votes: tuple[Vote, Vote]
    vote: int
    """Which one is counted, from 0."""
    advice: str
    next: str
    notes: tuple[str, ...]
    elapsed: str
    timer: str
    black: bool
    typing: str
    """What is being typed: an answer's hands, or an experiment's number."""
    problem: str
    sentence: str


@dataclass(frozen=True)
class WallState:
    """What the wall shows. No hands are in it before the reveal."""

    title: str
    number: int
    count: int
    name: str
    build: Build
    item: Item
    picture: PictureState
    pictured: bool
    ask: AskState | None
    """What is asked, with its answers; None where there is only `item.prompt`."""
    lines: tuple[str, ...]
    """The desc, where neither a picture nor a question shows it."""
    marked_invalid: bool
    said: tuple[str, ...]
    votes: tuple[Vote, Vote] | None
    """None until the reveal."""
    counted: tuple[str, ...]
    """The answers whose hands are counted in the present vote."""
    hands: int | None
    """How many hands there are, once all are counted: before, the numbers of single answers would follow."""
    vote: int
    elapsed: str
    timer: str
    black: bool
    spot: tuple[Cursor, ...]
    """The element that is pointed at and its partners; () where nothing is dimmed."""
    typing: str
    sentence: str
    notes: NotesState | None
    """The speaker's screen, where both are on one."""
    cell: CellState | None = field(default=None, init=False)
    """Nothing can be edited."""


class Presenting:
    """Presents a session. No clock but the one it is given."""

    def __init__(
        self, session: Session, now: Callable[[], float], *, kept: StateFile | None = None, begins: int | None = None
    ) -> None:
        """`now` gives seconds since 1970. `kept` is the file that another screen follows; None for none.

        It goes on where `kept` says, or at experiment `begins`. Raises SessionError for a file of another version or
        owner.
        """
        self.session, self._now, self._kept = session, now, kept
        self.still = False
        """Nothing may move: steps are shown one by one."""
        self.both = False
        """The speaker's screen is below the wall."""
        lesson = lesson_of(session)
        self._lang, self._seed = (lesson.lang, lesson.seed) if lesson is not None else ("en", 0)
        self._title = plain(lesson.title if lesson is not None else session.title, 80)
        self._items: dict[int, Item] = {}
        self._sentence = self._trouble = ""
        self._typing = ("", "")
        self._flip = 0
        self._room: Room | None = None
        self._pictured, self._times = PictureState(), ("", "")
        self.picture = Picture(zoom=None, memory=False)
        time = now()
        found = kept.read() if kept is not None else None
        fresh = found is None or time - found.changed > LONGEST
        self.shared = self._fitting(Presented(began=time, changed=time) if fresh or found is None else found)
        if begins is not None and begins != self.shared.experiment:
            self.shared = replace(self.shared, **self._at(begins, Build.QUESTION))
        self._lay()
        if fresh or begins is not None:
            self._keep()

    # ---- what is presented

    @property
    def count(self) -> int:
        """How many experiments there are."""
        return len(self.session.experiments)

    @property
    def item(self) -> Item:
        """The experiment that is on the wall."""
        return self.item_at(self.shared.experiment)

    def item_at(self, number: int) -> Item:
        """Experiment `number`, from 0."""
        if number not in self._items:
            self._items[number] = item_of(self.session.experiments[number], self._lang, self._seed)
        return self._items[number]

    @property
    def is_pictured(self) -> bool:
        """True where tensors are drawn: while a question is open, where that tells nothing."""
        item = self.item
        open_ = self.shared.build is Build.QUESTION and item.question is not None
        return item.view.live and (not open_ or (item.question is not None and item.question.kind.name in IN_PICTURE))

    # ---- what a speaker does

    def forward(self) -> WallState:
        """Page down: the next build, or the next experiment; a black wall is lit first."""
        self.follow()
        shared, builds = self.shared, self.item.builds
        at = builds.index(shared.build)
        if shared.black:
            self._change(black=False)
        elif at + 1 < len(builds):
            self._change(**self._at(shared.experiment, builds[at + 1]))
        elif shared.experiment + 1 < self.count:
            self._change(**self._at(shared.experiment + 1, Build.QUESTION))
        else:
            self._sentence = "This is the end. Page up goes back."
        return self.state

    def back(self) -> WallState:
        """Page up: the build before, or the end of the experiment before."""
        self.follow()
        shared, builds = self.shared, self.item.builds
        at = builds.index(shared.build)
        if shared.black:
            self._change(black=False)
        elif at:
            self._change(**self._at(shared.experiment, builds[at - 1]))
        elif shared.experiment:
            self._change(**self._at(shared.experiment - 1, Build.REVEAL))
        else:
            self._sentence = "This is the beginning. Page down goes on."
        return self.state

    def go_by(self, by: int) -> WallState:
        """The question of the experiment so many further."""
        self.follow()
        return self.go_to(self.shared.experiment + by + 1)

    def go_to(self, number: int) -> WallState:
        """The question of experiment `number`, from 1."""
        self.follow()
        if 1 <= number <= self.count:
            self._change(**self._at(number - 1, Build.QUESTION))
        else:
            self._sentence = f"There is no experiment {number}, expected 1 to {self.count}."
        return self.state

    def reveal(self) -> WallState:
        """Shows the answer, the outputs and the hands."""
        self.follow()
        self._change(**self._at(self.shared.experiment, Build.REVEAL))
        return self.state

    def hide(self) -> WallState:
        """Hides the output, or shows it again; while the question is open, it is hidden anyhow."""
        self.follow()
        self._change(hides=not self.shared.hides)
        return self.state

    def step(self, by: int) -> WallState:
        """The picture step by step; not before the question has been left."""
        self.follow()
        item, shared = self.item, self.shared
        if shared.build is Build.QUESTION or Build.PLAY not in item.builds:
            self._sentence = "Page down shows the steps, once the question was asked."
            return self.state
        count = self._steps_of(item)
        now = (0 if by > 0 else count) if shared.build is Build.REVEAL else self._step
        self._change(build=Build.PLAY, step=min(max(now + by, 0), count), playing=False)
        return self.state

    def play(self) -> WallState:
        """Plays the steps, or stops."""
        self.follow()
        if self.shared.build is Build.PLAY:
            self._change(step=self._step, playing=not self.shared.playing)
        return self.state

    def spotlight(self) -> WallState:
        """Dims all but the cursor's row and its partners, or nothing any more."""
        self.follow()
        self._change(spotlight=not self.shared.spotlight)
        return self.state

    def black(self) -> WallState:
        """Shows nothing at all, or all again."""
        self.follow()
        self._change(black=not self.shared.black)
        return self.state

    def turn_timer(self) -> WallState:
        """Starts the timer, or takes it away."""
        self.follow()
        self._change(timer=self._now() + SECONDS if self.shared.timer is None else None)
        return self.state

    def second_vote(self) -> WallState:
        """Counts the second vote from now on, or the first one again."""
        self.follow()
        if self.item.answers:
            self._change(vote=1 - self.shared.vote)
        else:
            self._sentence = NOTHING_TO_COUNT
        return self.state

    def clean(self) -> WallState:
        """Begins anew: at the first experiment, without hands, at time 0."""
        now = self._now()
        self._set(Presented(began=now, changed=now))
        return self.state

    def show_both(self) -> WallState:
        """Shows the speaker's screen below the wall, or the wall alone."""
        self.both = not self.both
        return self.state

    def flip(self) -> WallState:
        """The next of the pictures to choose from, where there is room for one alone."""
        self._flip += 1
        return self.state

    # ---- pointing

    def move(self, rows: int, columns: int) -> WallState:
        """Moves the cursor."""
        cursor, scene = self.picture.cursor, self.picture.scene
        if self.is_pictured and cursor is not None and scene is not None:
            self.point(scene.stack(cursor.place.is_output).moved(cursor, rows, columns))
        return self.state

    def other_side(self) -> WallState:
        """Moves the cursor to the next tensor that is drawn."""
        cursor, trace = self.picture.cursor, self.item.view.trace
        if self.is_pictured and cursor is not None and trace is not None:
            places = [Place(False, k) for k in range(len(trace.inputs))]
            if self.picture.answers.outputs:
                places += [Place(True, k) for k in range(len(trace.outputs))]
            at = places.index(cursor.place) if cursor.place in places else -1
            place = places[(at + 1) % len(places)]
            self.point(Cursor(place, (0,) * len(part_of(trace, place).tensor.sizes)))
        return self.state

    def point(self, cursor: Cursor) -> WallState:
        """Looks at an element, as a click does."""
        self.follow()
        self._change(cursor=(cursor.place.is_output, cursor.place.number, cursor.index))
        return self.state

    # ---- numbers that are typed

    @property
    def is_typing(self) -> bool:
        """True while a number is typed: digits, enter and escape are for it."""
        return bool(self._typing[0])

    def count_hands(self, id_: str) -> WallState:
        """Begins to type the hands for an answer; what was typed for another is taken."""
        if self.is_typing:
            self.enter()
        if id_ in {each.id for each in self.item.answers}:
            self._typing, self._sentence = (id_, ""), ""
        elif not self.item.answers:
            self._sentence = NOTHING_TO_COUNT
        return self.state

    def begin_go(self) -> WallState:
        """Begins to type an experiment's number."""
        self._typing, self._sentence = ("g", ""), ""
        return self.state

    def digit(self, digit: str) -> WallState:
        """Types a digit."""
        what, text = self._typing
        if what and len(text) < MOST_HANDS:
            self._typing = what, text + digit
        return self.state

    def erase(self) -> WallState:
        """Takes the last digit away, or gives up where there is none."""
        what, text = self._typing
        self._typing = (what, text[:-1]) if text else ("", "")
        return self.state

    def cancel(self) -> WallState:
        """Gives up what is typed."""
        self._typing = ("", "")
        return self.state

    def enter(self) -> WallState:
        """Takes what was typed."""
        (what, text), self._typing = self._typing, ("", "")
        if not what or not text:
            return self.state
        if what == "g":
            return self.go_to(int(text))
        self.follow()
        shared, ids = self.shared, [each.id for each in self.item.answers]
        if what in ids:
            counts = list(shared.counts(shared.experiment, len(ids), shared.vote))
            counts[ids.index(what)] = int(text)
            self._set(replace(shared.with_hands(shared.experiment, tuple(counts)), changed=self._now()))
        return self.state

    # ---- time, and the other screen

    def tick(self) -> WallState | None:
        """What the time has come for, or the other screen has done; None where nothing is new."""
        followed, moved = self.follow(), False
        if self.shared.playing and self.picture.player.playing:
            moved = self.picture.tick(self._now())
            if moved and not self.picture.player.playing:
                self._change(step=self._step, playing=False)
        times = self._clock()
        if not followed and not moved and times == self._times:
            return None
        return self.state

    def follow(self) -> bool:
        """Takes over what the other screen has done; True if that is anything."""
        kept = self._kept
        if kept is None or not kept.changed():
            return False
        try:
            found = kept.read()
        except SessionError as error:
            self._kept, self._trouble = None, str(error)  # what can't be understood is nobody's to write over
            return True
        if found is None:
            return False
        fitting = self._fitting(found)
        self._show(fitting)
        if self.shared != fitting:
            self._keep()  # how far the steps were is known here alone
        return True

    def fit(self, room: Room) -> WallState:
        """Lays the picture out for the room that it has."""
        self._room = room
        self._refit()
        return self.state

    # ---- what is shown

    @property
    def state(self) -> WallState:
        """The wall."""
        item, shared = self.item, self.shared
        revealed = shared.build is Build.REVEAL
        present = self._vote(shared.vote)
        self._times = self._clock()
        hides_rules = (
            item.question is not None and item.question.kind.name in TELLS_RULES and shared.build is Build.QUESTION
        )
        sentence = self._sentence or self._trouble
        picture = self._picture_state()
        return WallState(
            self._title,
            shared.experiment + 1,
            self.count,
            plain(item.experiment.name, 60),
            shared.build,
            item,
            picture,
            self.is_pictured,
            self._asked(picture),
            () if self.is_pictured or item.question is not None else item.lines,
            item.is_invalid and not hides_rules,
            item.said if revealed else (),
            (self._vote(0), self._vote(1)) if revealed else None,
            tuple(each.id for each, n in zip(item.answers, present.counts, strict=True) if n is not None),
            present.total if present.is_whole else None,
            shared.vote,
            *self._times,
            shared.black,
            self._spotlit() if shared.spotlight else (),
            self._typed_on_wall,
            sentence,
            self._notes(sentence) if self.both else None,
        )

    @property
    def notes(self) -> NotesState:
        """The speaker's screen."""
        self._times = self._clock()
        return self._notes(self._sentence or self._trouble)

    def _notes(self, sentence: str) -> NotesState:
        item, shared = self.item, self.shared
        ahead = shared.experiment + 1
        following = ""
        if ahead < self.count:
            other = self.item_at(ahead)
            following = f'{ahead + 1}, "{other.prompt}"'
        what, text = self._typing
        return NotesState(
            self._title,
            shared.experiment + 1,
            self.count,
            plain(item.experiment.name, 60),
            shared.build,
            item.prompt,
            item.answers,
            (self._vote(0), self._vote(1)),
            shared.vote,
            advice(item.answers, self._vote(shared.vote), shared.vote),
            following,
            item.notes,
            *self._clock(),
            shared.black,
            "" if not what else f"go to {text}_" if what == "g" else f"{what}: {text}_ hands",
            item.problem,
            sentence,
        )

    @property
    def _typed_on_wall(self) -> str:
        """What is typed, without the hands: nobody is to follow the crowd."""
        what, text = self._typing
        return f"go to {text}_" if what == "g" else f"{what}: …" if what else ""

    def _vote(self, vote: int) -> Vote:
        return Vote(self.shared.counts(self.shared.experiment, len(self.item.answers), vote))

    def _clock(self) -> tuple[str, str]:
        """The time since the beginning, and the timer's."""
        now, timer = self._now(), self.shared.timer
        return minutes(now - self.shared.began), "" if timer is None else minutes(timer - now)

    def _asked(self, picture: PictureState) -> AskState | None:
        item, shared = self.item, self.shared
        question = item.question
        if question is None:
            return None
        revealed = shared.build is Build.REVEAL
        options = tuple(
            Option(
                each.id,
                each.text,
                each.picture,
                chosen=revealed and each.right,
                at=each.picture is not None and k == self._flip % len(item.answers),
                verdict="right" if revealed and each.right else "",
            )
            for k, each in enumerate(item.answers)
        )
        if question.goal is not None and not options:
            options = (Option("goal", "", question.goal, at=True),)
        tables = () if self.is_pictured else tables_of(question, "", is_open=shared.build is Build.QUESTION)
        return AskState(question, Form.CHOICE, picture, in_picture=self.is_pictured, tables=tables, options=options)

    def _spotlit(self) -> tuple[Cursor, ...]:
        """The cursor's element, and its partners as far as they are known."""
        cursor, trace, known = self.picture.cursor, self.item.view.trace, self.picture.known
        if not self.is_pictured or cursor is None or trace is None:
            return ()
        if not cursor.place.is_output:
            return (cursor, *(known.readers(trace, cursor) or [])[:MOST_LIT])
        if not known.tells(cursor):
            return (cursor,)
        found = trace.sources(cursor.place.number, tuple(np.array([i], np.int64) for i in cursor.index))
        lit = [cursor, Cursor(Place(False, int(found.tensor[0])), tuple(int(axis[0]) for axis in found.index))]
        if found.via is not None:
            lit.append(Cursor(Place(False, found.via_tensor), tuple(int(axis[0]) for axis in found.via)))
        return tuple(lit)

    def _picture_state(self) -> PictureState:
        if not self.is_pictured:
            return PictureState()
        made = self.picture.state(Lights(), self._pictured)
        if made.scene is not None and self._is_hidden:
            made = replace(made, look=replace(made.look, entries=self._entries()), links=Partners())
        self._pictured = made
        return made

    def _entries(self) -> dict[Place, dict[int, Entry]]:
        """Marks the element that is asked about."""
        question, trace = self.item.question, self.item.view.trace
        if question is None or question.at is None or trace is None or question.kind.name in WITHOUT_OUTPUTS:
            return {}
        cursor = Cursor(question.at.place, question.at.index)
        if not is_inside(trace, cursor):
            return {}
        kind = EntryKind.ASKED if cursor.place.is_output else EntryKind.ABOUT
        return {cursor.place: {flat_of(trace, cursor): Entry(kind)}}

    # ---- the picture

    @property
    def _is_hidden(self) -> bool:
        """True while nothing of the outputs may be told."""
        return self.shared.hides or self.shared.build is Build.QUESTION

    @property
    def _step(self) -> int:
        """The step that is shown: while it plays, the picture knows."""
        steps = self.picture.live_steps
        return self.picture.player.now(steps.count) if steps is not None else self.shared.step

    def _steps_of(self, item: Item) -> int:
        trace = item.view.trace
        return Steps(trace, Unit.SLICE).count if trace is not None else 0

    def _lay(self) -> None:
        """Makes the picture of what is shown now."""
        item = self.item
        self.picture = Picture(Player(Unit.SLICE), zoom=None, memory=False)
        self._pictured = PictureState()
        if not self.is_pictured:
            return
        question = item.question
        open_ = self.shared.build is Build.QUESTION
        self.picture.hidden = NOTHING if self._is_hidden else None
        self.picture.answers = Answers(not open_ or question is None or question.kind.name not in WITHOUT_OUTPUTS)
        self.picture.look_at(item.view)
        self.picture.cursor = self._first_cursor()
        self._refit()

    def _first_cursor(self) -> Cursor | None:
        """The element that is pointed at, or asked about; while outputs are hidden, else an input's first."""
        trace, question = self.item.view.trace, self.item.question
        assert trace is not None
        wanted = [_cursor(self.shared)]
        if question is not None and question.at is not None:
            wanted.append(Cursor(question.at.place, question.at.index))
        for each in wanted:
            if each is None or not is_inside(trace, each):
                continue
            if self.picture.answers.outputs or not each.place.is_output:
                return each
        return Cursor(Place(False, 0), (0,) * len(trace.inputs[0].tensor.sizes)) if self._is_hidden else None

    def _refit(self) -> None:
        if self._room is None or not self.is_pictured:
            return
        picture = self.picture
        anew = not picture.is_fitted
        picture.fit(self._room)
        if self.shared.build is Build.QUESTION and picture.scene is not None and not lettered(picture.scene.zoom):
            picture.zoom = Zoom.VALUES  # cells that are asked about show numbers
            picture.fit(self._room)
        if anew:
            self._show_steps()

    def _show_steps(self) -> None:
        """Shows the step that is to be seen, and plays on from there."""
        steps = self.picture.live_steps
        if self.shared.build is not Build.PLAY or steps is None:
            return
        seconds = min(MOST_PLAYED, max(LEAST_PLAYED, float(steps.count)))
        self.picture.player = replace(self.picture.player, seconds=seconds)
        self.picture.go(self.shared.step)
        if self.shared.playing:
            self.picture.play_or_pause(self._now(), still=self.still)

    # ---- what is shared

    def _at(self, number: int, build: Build) -> dict[str, Any]:
        """What changes on the way to a build of an experiment."""
        changes: dict[str, Any] = {"build": build, "step": 0, "playing": build is Build.PLAY, "hides": False}
        if number != self.shared.experiment:
            counts = self.shared.hands.get(number, ())
            second = len(counts) > 1 and any(each is not None for each in counts[1])
            changes |= {"experiment": number, "cursor": None, "spotlight": False, "vote": int(second), "timer": None}
        return changes

    def _fitting(self, found: Presented) -> Presented:
        """The state as far as the session has what it says: it may have been edited since."""
        found = replace(found, experiment=min(found.experiment, self.count - 1))
        builds = self.item_at(found.experiment).builds
        return found if found.build in builds else replace(found, build=Build.REVEAL)

    def _change(self, **changes: Any) -> None:
        self._sentence = ""
        self._set(replace(self.shared, **changes, changed=self._now()))

    def _set(self, after: Presented) -> None:
        self._show(after)
        self._keep()

    def _show(self, after: Presented) -> None:
        before, self.shared = self.shared, after
        if (before.experiment, before.build, before.hides) != (after.experiment, after.build, after.hides):
            if before.experiment != after.experiment:
                self._typing, self._flip = ("", ""), 0
            self._lay()
        elif before.step == after.step and not after.playing and self.picture.player.playing:
            self.picture.stop()  # the other screen stopped it, and does not know how far it was
            self.shared = replace(after, step=self._step)
        elif (before.step, before.playing) != (after.step, after.playing):
            self._show_steps()
        if before.cursor != after.cursor and self.is_pictured:
            cursor = _cursor(after)
            if cursor is not None and (self.picture.answers.outputs or not cursor.place.is_output):
                self.picture.point(cursor)

    def _keep(self) -> None:
        if self._kept is None:
            return
        try:
            self._kept.write(self.shared)
        except SessionError as error:
            self._trouble = str(error)
        else:
            self._trouble = ""


NOTHING_TO_COUNT = "This question has no answers to count hands for."


def item_of(experiment: Experiment, lang: str = "en", seed: int = 0) -> Item:
    """How an experiment is presented: its author's question, or one that is made from its desc."""
    view = view_state_of(experiment)
    told, own = split_notes(printable(experiment.notes))
    notes = [each for each in told.splitlines() if each.strip()]
    question: Question | None = None
    said: list[str] = []
    problem = ""
    try:
        task = task_of(experiment, lang)
        if task is not None:
            question = question_of(experiment, task, seed, lang)
            notes = [*(printable(each.said(lang)) for each in task.speaker), *notes]
    except DmlvizError as error:
        task, problem = None, str(error)
    if question is None and view.report.ok:
        question = _generated(experiment)
    if question is not None and own:
        notes.append(own)
    answers = answers_of(question) if question is not None else ()
    if question is not None:
        if question.kind.name not in WITHOUT_LETTERS:
            said += [*_right(question, answers), question.kind.says(question)]
        if task is not None and task.then is not None:
            said.append(task.then.said(lang))
    if not view.report.ok:
        said += [reason.first.message for reason in view.why.errors]
        prompt = question.prompt if question is not None else own or "Why is this desc refused?"
    else:
        prompt = question.prompt if question is not None else own or operator_of(experiment.desc).title
    return Item(experiment, view, prompt, question, answers, tuple(dict.fromkeys(said)), tuple(notes), problem)


def _generated(experiment: Experiment) -> Question | None:
    """A question about a valid desc; None where there is nothing to ask."""
    subject, known = Subject(experiment), kinds()
    made = (known[name].make(subject, 0) for name in GENERATED if name in known)
    return next((question for question in made if question is not None), None)


def answers_of(question: Question) -> tuple[Answer, ...]:
    """The answers that hands can be counted for, by letters: the right one and those of wrong rules.

    None where the right one can't be said in a few words.
    """
    if question.kind.name in WITHOUT_LETTERS:
        return ()
    rules: dict[Any, str] = {}
    for id_, given in question.answers.items():
        rules.setdefault(given, f"{id_} {question.rule(id_).name}" if question.knows(id_) else id_)
    choices = {each.id: each for each in question.choices}
    if isinstance(question.truth, str) and question.truth in choices and set(choices) <= set(LETTERS):
        return tuple(
            Answer(each.id, each.text, each.id == question.truth, rules.get(each.id, ""), each.picture)
            for each in question.choices
        )
    if isinstance(question.truth, bool):
        every: list[Any] = [True, False]
    else:
        wrong = list(rules)[: len(LETTERS) - 1]
        every = [question.truth, *wrong]
        random.Random(f"{question.id} {question.subject.experiment.name}").shuffle(every)
    found: dict[str, Any] = {}
    for given in every:
        text = said_of(question, given)
        if given == question.truth and (text is None or text in found):
            return ()
        if text is not None:
            found.setdefault(text, given)
    if len(found) < 2:
        return ()
    return tuple(
        Answer(letter, text, given == question.truth, rules.get(given, ""))
        for letter, (text, given) in zip(LETTERS, found.items(), strict=False)
    )


def said_of(question: Question, answer: Any) -> str | None:
    """An answer in a few words; None for one that can't be said so."""
    text = _said(question, question.kind.json(answer))
    return text if text is not None and 0 < len(text) <= MOST_SAID else None


def _said(question: Question, found: Any) -> str | None:
    if found is None:
        return "none"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, (int, float)):
        return shown(found)
    if isinstance(found, str):
        return found
    if isinstance(found, dict):
        number = found.get("tensor", found.get("output"))
        desc, index = question.subject.desc, found.get("index")
        parts = desc.outputs if "output" in found else desc.inputs
        if type(number) is not int or number >= len(parts) or not isinstance(index, list):
            return None
        return f"{parts[number].path}{brackets(index)}"
    if isinstance(found, list):
        if not found:
            return "none" if question.kind.name != "valid" else "valid"
        if all(isinstance(each, list) for each in found):
            return "  ".join(braces(each) for each in found)
        said = [_said(question, each) for each in found]
        return ", ".join(each for each in said if each is not None) if None not in said else None
    return None


def _right(question: Question, answers: Sequence[Answer]) -> list[str]:
    """The answer in a sentence, where no letter stands for it."""
    if any(each.right for each in answers):
        return []
    text = said_of(question, question.truth)
    return [f"Answer: {text}"] if text is not None else []


def advice(answers: Sequence[Answer], vote: Vote, number: int) -> str:
    """What the hands suggest to a speaker; `number` is the vote's, from 0."""
    right = next((k for k, each in enumerate(answers) if each.right), None)
    if right is None or not vote.is_whole or not vote.total:
        return ""
    percent = vote.percent(right)
    if number:
        return "That was the second vote: r reveals."
    if percent < 30:
        return "Fewer than 30 % are right: explain, then v for the second vote."
    if percent <= 70:
        return "Between 30 and 70 % are right: let them talk, then v for the second vote."
    return "More than 70 % are right: r reveals, then go on."


def minutes(seconds: float) -> str:
    """A time as 04:10; 00:00 for one that is over."""
    whole = max(0, int(seconds))
    return f"{whole // 60:02}:{whole % 60:02}"


def _cursor(shared: Presented) -> Cursor | None:
    found = shared.cursor
    return Cursor(Place(found[0], found[1]), found[2]) if found is not None else None
