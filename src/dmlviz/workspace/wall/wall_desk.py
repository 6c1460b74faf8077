"""A session in front of a class: what is on the wall follows from `Presented` alone, which two screens share by a file.

What plays follows from it and from the time, so that both screens are at the same step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...desc.tensors import braces
from ...errors import SessionError, plain
from ...operators.maps import Place
from ...scene.elements.partners import Partners
from ...scene.layout.zoom import Size, lettered
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.class_status import ClassStatus, Said
from ...session.experiments import Session
from ...session.presentation_state import Build, Counts, Presented, StateFile
from ...teaching.lessons.lessons import lesson_of, steps_of
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.words.catalogue import sentence
from ..asking.asked_desc import Answering, AskedDesk, FieldState, TableState, fields_of, numbers_of, tables_of, unit_of
from ..shown.picture import Entries, Picture, Room
from ..shown.state import PicturedState, PictureState
from .presented_item import Item, counted_hands, item_of


class Notes(Struct, frozen=True, kw_only=True):
    """What the room must not see."""

    name: str
    counted: tuple[Said, ...]
    next: str
    """The question of the next experiment, with its number."""
    typing: str
    clock: str


class WallState(PicturedState, frozen=True, kw_only=True):
    """What the wall shows. No hands are in it before the reveal, but in `notes`."""

    at: Presented
    """Without hands and phones."""
    item: Item
    view: ViewState
    """Of the desc that is shown: after the reveal the solution's, where there is one."""
    title: str
    name: str
    """The experiment's; "" while something is asked, which it might tell."""
    count: int
    told: bool
    drawn: bool
    invalid: bool
    fields: tuple[FieldState, ...]
    tables: tuple[TableState, ...]
    counted: tuple[Said, ...]
    """() until the reveal."""
    hands: str
    """Which vote it is, where that is the second."""
    sentences: tuple[str, ...]
    typing: str
    sentence: str
    notes: Notes | None
    """The speaker's; None where the room alone is shown something."""
    room: ClassStatus | None
    """How the phones stand, without what they said; None where there are none."""


RULES = frozenset({"rules", "levels", "feature_level"})
"""What is hidden where an author hides whether a desc is valid."""
MOST_DIGITS = 3
LONGEST = 12 * 3600.0
"""Seconds after which a presentation begins anew: by then it is another lesson."""
LEAST_PLAYED, MOST_PLAYED = 2.0, 20.0
"""Seconds for all steps of an experiment; one second for each of a few."""


class WallDesk(AskedDesk):
    """Each method is one thing that a speaker does, on the wall or on the other screen."""

    def __init__(
        self, session: Session, now: Callable[[], float], *, kept: StateFile | None = None, begins: int | None = None
    ) -> None:
        """`kept` is the file that another screen follows; it says where to go on, unless `begins` does, from 0."""
        super().__init__(Picture(), now)
        self.session, self._kept = session, kept
        self.has_notes = False
        self.typed = ""
        """What is being typed: an answer's letter with its hands, or `g` with an experiment's number."""
        lesson = lesson_of(session)
        self._seed = lesson.seed if lesson is not None else 0
        title = lesson.title if lesson is not None else session.title
        # Without a lesson of its own a session's title may tell what a task asks.
        self.lesson = plain(title, 60) if "lesson" in session.extra else ""
        self._steps = steps_of(with_own_tasks(session))
        self._items: dict[int, Item] = {}
        self._seen: object = None  # what a state was made of last
        time, shared = now(), kept.read() if kept is not None else None
        self._sentence = kept.problem if kept is not None else ""
        if shared is None or time - shared.changed > LONGEST:
            shared = Presented(began=time, changed=time)
        self.shared = self._fitting(shared)
        if begins is not None and begins != self.shared.experiment:
            self.shared = replace(self.shared, **self._way_to(begins, Build.QUESTION), changed=time)
        self._look()
        self._keep()

    # ---- what is presented

    @property
    def count(self) -> int:
        return len(self.session.experiments)

    @property
    def item(self) -> Item:
        return self.item_at(self.shared.experiment)

    def item_at(self, number: int) -> Item:
        """Experiment `number`, from 0."""
        if number not in self._items:
            self._items[number] = item_of(self._steps[number], self._seed)
        return self._items[number]

    @property
    def builds(self) -> tuple[Build, ...]:
        """What page down shows in turn."""
        return tuple(Build) if self.item.draws_open else (Build.QUESTION, Build.REVEAL)

    @property
    def told(self) -> bool:
        return self.shared.told

    # ---- what a speaker does

    def forward(self) -> None:
        """Page down: the next build, or the next experiment; a black wall is lit first."""
        self._turn(1)

    def back(self) -> None:
        """Page up: the build before, or the end of the experiment before."""
        self._turn(-1)

    def _turn(self, by: int) -> None:
        number, build, builds = self.shared.experiment, self.shared.build, self.builds
        # Steps that are shown after the reveal stand behind it.
        at = (builds.index(build) if build in builds else len(builds) - (by > 0)) + by
        if self.shared.black or self.shared.joining:
            self._change(black=False, joining=False)
        elif 0 <= at < len(builds):
            self.go_to(number, builds[at])
        elif 0 <= number + by < self.count:
            self.go_to(number + by, Build.QUESTION if by > 0 else Build.REVEAL)
        else:
            self._sentence = sentence("present.at_end" if by > 0 else "present.at_beginning")

    def reveal(self) -> None:
        """Shows the answer, the outputs and the hands."""
        self.go_to(self.shared.experiment, Build.REVEAL)

    def step(self, by: int) -> None:
        """Shows the step so many further; after the reveal from the beginning, or backwards from the end."""
        is_whole = self.shared.build is Build.REVEAL
        self.go((self._step_count * (by < 0) if is_whole else self.step_now) + by)

    def go(self, step: int) -> None:
        """Shows a step, or says why there is none; after the reveal the answer stays."""
        if self._has_steps():
            self._change(build=Build.PLAY, step=min(max(step, 0), self._step_count), playing=False)

    def play(self) -> None:
        """Plays the steps, or stops, or says why there are none; after the reveal the answer stays."""
        is_whole = self.shared.build is Build.REVEAL or self.step_now >= self._step_count
        step = 0 if is_whole else self.step_now
        if self.still:
            self.go(step + 1)
        elif self._has_steps():
            self._change(build=Build.PLAY, step=step, playing=not self.shared.playing)

    def _has_steps(self) -> bool:
        if self.open or not self.view.live:
            self._sentence = sentence("present.steps_later" if self.open else "present.no_steps")
        return not self.open and self.view.live

    def black(self) -> None:
        """Shows nothing at all, or all again."""
        self._change(black=not self.shared.black)

    def second_vote(self) -> None:
        """Opens the second vote; where that isn't told yet, the first one again."""
        n, vote = self.shared.experiment, 1 - self.shared.vote
        if not (self.item.answers or self._is_voting):
            self._sentence = sentence("present.nothing_to_count")
        elif (n, vote) in self.shared.revealed:
            self._sentence = sentence("present.vote_told")
        else:
            self._change(**self._way_to(n, Build.QUESTION) | {"vote": vote})

    def show_code(self) -> None:
        """Shows how phones join, or the question again."""
        if self.live is not None:
            self._change(joining=not self.shared.joining)

    def clean(self) -> None:
        """Begins anew, once that is asked for twice: at the first experiment, without hands."""
        if self._is_asked_twice(sentence("present.wipes")):
            self._begin_anew()

    def _is_asked_twice(self, told: str) -> bool:
        """True if the wall says already what would come of it; else it does from now on."""
        before, self._sentence = self._sentence, told
        return before == told

    def _begin_anew(self) -> None:
        now, shared = self.now(), self.shared
        self._sentence = self.typed = ""
        self._set(Presented(began=now, changed=now, room=shared.room, code=shared.code, port=shared.port))

    # ---- numbers that are typed

    def type_number(self, key: str) -> None:
        """Types the hands of an answer, which count as they are typed, or for `g` an experiment's number."""
        letters = [answer.id for answer in self.item.answers]
        if key.isdigit():
            self.typed += key if self.typed and len(self.typed) <= MOST_DIGITS else ""
            self._count_typed()
        elif key == "g" or letters:
            self.typed, self._sentence = key * (key == "g" or key in letters), ""
        else:
            self._sentence = sentence("present.nothing_to_count")

    def cancel(self) -> None:
        """Types no more; what was counted stays."""
        self.typed = ""

    def enter(self) -> None:
        """Goes to the experiment that was typed; hands are counted already."""
        what, number, self.typed = self.typed[:1], self.typed[1:], ""
        if what != "g" or not number:
            return
        if 1 <= int(number) <= self.count:
            self.go_to(int(number) - 1)
        else:
            self._sentence = sentence("present.no_experiment", number=int(number), count=self.count)

    def _count_typed(self) -> None:
        counts, vote = [*self.votes()[self.shared.vote]], self.shared.vote
        for k, answer in enumerate(self.item.answers):
            if answer.id == self.typed[:1]:
                counts[k] = int(self.typed[1:])
        self.count_room(self.shared.experiment, vote, tuple(counts))

    # ---- time, and the other screen

    def tick(self) -> bool:
        """Shows what the time has come for, or the other screen has done; False where nothing is new."""
        self.follow()
        moves = self.shared.playing and self._show_step()
        if self.shared.playing and self._passed >= self._step_count:
            self._set(replace(self.shared, step=self._step_count, playing=False, changed=self.now()))
        return moves or self._seen != (self.shared, self._clock)

    def follow(self) -> None:
        """Takes over what the other screen has done."""
        kept = self._kept
        if kept is None or not kept.changed():
            return
        shared = kept.read()
        if shared is None:
            self._sentence = kept.problem or self._sentence
            self._keep()
        else:
            self._show(self._fitting(shared))

    @property
    def _unit(self) -> Unit:
        unit = unit_of(self.item.question, self.item.view.experiment)
        return unit if unit is not Unit.COPY or self.told else Unit.SLICE

    @property
    def _passed(self) -> float:
        """How many steps have been written, with the part of the present one, while it plays."""
        shared, count = self.shared, self._step_count
        return shared.step + max(0.0, self.now() - shared.changed) * count / seconds_of(count)

    @property
    def step_now(self) -> int:
        """The step that is shown."""
        return min(int(self._passed) + 1, self._step_count) if self.shared.playing else self.shared.step

    def _show_step(self) -> bool:
        shared, picture, steps = self.shared, self.picture, self.picture.live_steps
        if shared.build is not Build.PLAY or steps is None:
            return False
        before, seconds = picture.player, seconds_of(steps.count)
        if shared.playing:
            began = shared.changed - shared.step / steps.count * seconds
            playing = replace(before, seconds=seconds, began=began)
            picture.play(playing.ticked(self.now(), steps.count))
        else:
            picture.go(shared.step)
        return picture.player != before

    # ---- the phones of a class

    def hear(self, room: ClassStatus | None, **more: Any) -> None:
        """Takes how the phones stand; None once no class is held any more. `more` are fields of the shared state."""
        self.follow()
        if more.get("joining") and not self.shared.of_class:
            self._begin_anew()
        after = replace(self.shared, room=room, **more)
        if after != self.shared:
            self._set(after)

    def count_room(self, number: int, vote: int, counts: Counts) -> None:
        """Takes the hands of a vote on the question of experiment `number`, from 0."""
        self.follow()
        key = self.question_key(number)
        if self.shared.counts(key, len(counts), vote) != counts:
            self._set(self.shared.with_hands(key, vote, counts))

    @property
    def live(self) -> ClassStatus | None:
        """How the class stands; None where none is held."""
        return self.shared.room

    @property
    def _is_voting(self) -> bool:
        """True if phones ask the present question, and what they answered is of the present vote."""
        live, key = self.live, self.question_key(self.shared.experiment)
        return live is not None and live.asked and (live.question, live.vote) == (key, self.shared.vote)

    def may_leave(self) -> bool:
        """True if nothing ends with the wall, or it was left twice; else the wall says now what would end."""
        live, shared = self.live, self.shared
        if live is None:
            return True
        if shared.black or shared.joining:  # that it is said is seen
            self._change(black=False, joining=False)
        ends = self._is_asked_twice(sentence("present.room_ends", count=live.joined, saves=int(bool(live.keeps))))
        if ends:
            self._begin_anew()  # what one class said is not for the next
        return ends

    # ---- hands

    def question_key(self, number: int) -> str:
        """What hands for the question of experiment `number`, from 0, are kept by: a digest of what it asks."""
        item = self.item_at(number)
        answers = [(answer.id, answer.text, answer.right, answer.rule) for answer in item.answers]
        asked = f"{number} {item.view.experiment.desc} {item.prompt} {answers}"
        return hashlib.sha256(asked.encode(errors="surrogatepass")).hexdigest()[:16]

    def votes(self) -> tuple[Counts, Counts]:
        """The hands of both votes on the present question, in the order of its answers."""
        key, count = self.question_key(self.shared.experiment), len(self.item.answers)
        return self.shared.counts(key, count, 0), self.shared.counts(key, count, 1)

    def _counted(self) -> tuple[Said, ...]:
        if self.item.answers:
            votes = self.votes()
            return counted_hands(self.item.answers, *(votes[::-1] if self.shared.vote else votes[:1]))
        return self.live.said if self.live is not None and self._is_voting else ()

    # ---- what is shown

    @property
    def state(self) -> WallState:
        item, shared, question, view = self.item, self.shared, self.question, self.view
        asks = question is not None or item.view.report.ok is False  # at least why it is refused
        hides_rules = question is not None and (question.kind.told_by_rules or bool(question.hidden & RULES))
        hides_rules &= self.open
        self._seen = shared, self._clock
        room = self.live and replace(
            self.live, said=(), asked=self._is_voting, answered=self.live.answered * self._is_voting
        )
        return WallState(
            picture=self._picture_state(),
            at=replace(shared, hands={}, room=None),
            item=item,
            view=view,
            title=self.lesson,
            name="" if asks and not self.told else self._name,
            count=self.count,
            told=self.told,
            drawn=self.is_pictured,
            invalid=view.report.ok is False and not hides_rules,
            fields=self._fields(),
            tables=() if self.is_pictured else self._tables(),
            counted=self._counted() if self.told else (),
            hands=sentence("present.vote_second") if shared.vote else "",
            sentences=self._sentences() if self.told else (),
            typing=self._going or (f"{self.typed[0]}: …" if self.typed else ""),
            sentence=self._sentence,
            notes=self._notes() if self.has_notes else None,
            room=room,
        )

    @property
    def _clock(self) -> str:
        passed = divmod(max(0, int(self.now() - self.shared.changed)), 60)
        return "{:02}:{:02}".format(*passed) if self.has_notes and self.shared.is_open else ""

    def _notes(self) -> Notes:
        ahead, what, number = self.shared.experiment + 1, self.typed[:1], f"{self.typed[1:]}_"
        return Notes(
            name=self._name,
            counted=self._counted(),
            next=f'{ahead + 1}, "{self.item_at(ahead).prompt}"' if ahead < self.count else "",
            typing=self._going or (sentence("present.hands_of", letter=what, number=number) if what else ""),
            clock=self._clock,
        )

    @property
    def _going(self) -> str:
        return sentence("present.going", number=f"{self.typed[1:]}_") if self.typed[:1] == "g" else ""

    @property
    def _name(self) -> str:
        return plain(self.item.view.experiment.name, 60)

    def _sentences(self) -> tuple[str, ...]:
        """What the reveal tells: first what is said to the answer that most gave."""
        item, counted = self.item, self._counted()
        most = max((each for each in counted if each.says), key=lambda each: each.count or 0, default=None)
        if most is not None and most.count:
            return (f"{most.text}: {most.says}", *(told for told in item.sentences if told not in most.says))
        return item.sentences

    def _fields(self) -> tuple[FieldState, ...]:
        if self.question is not None and self.view is self.item.view:
            return fields_of(self.question, None, "", is_open=not self.told, pictured=self.is_pictured)
        return tuple(FieldState(*number) for number in numbers_of(self.view.experiment.desc))

    def _tables(self) -> tuple[TableState, ...]:
        question = self.question
        if question is None:
            parts = [(part.path, part.tensor) for part in self.view.experiment.desc.parts]
            return tuple(TableState(f"{path} {t.data_type} {braces(t.sizes)}", t.sizes, ()) for path, t in parts)
        if question.kind.pictured:  # what an author hides stands in place of what the kind does
            question = replace(question, hidden=question.hidden | {"values"})
        return tables_of(question, "", is_open=not self.told)

    def _picture_state(self) -> PictureState:
        if not self.is_pictured:
            return PictureState()
        if self.open:
            return replace(self.picture.state(entries=self.picture.entries(self._signs_asked())), links=Partners())
        return self.picture.state(entries=self._answered() if self.shared.build is Build.REVEAL else None)

    def _answered(self) -> Entries:
        question = self.question
        if question is None:
            return {}
        answering = Answering(question, self.picture.point)
        answering.given = question.kind.form.json(question.truth)
        answering.verdict = question.verdict_on(question.truth)
        return self.picture.entries(answering.signs)

    # ---- the picture

    def _look(self) -> None:
        self.view = self.item.solved if self.told else self.item.view
        self.question, self.draws_open = self.item.question, self.item.draws_open
        self.open = self.shared.build is Build.QUESTION
        self._step_count = Steps(self.view.trace, self._unit).count if self.view.trace is not None else 0
        self._look_anew(Player(self._unit), is_legible=self.open)
        self.picture.tells_memory = self.told
        if self.is_pictured:
            asked = self._asked()
            self.picture.cursor = asked or (self._first_of(Place(False, 0)) if self.open else None)
            self._refit()

    def _refit(self) -> None:
        if self.is_pictured:
            super()._refit()
            self._show_step()

    def size_in(self, room: Room) -> Size | None:
        """How large the whole picture would stand in a room with a number in each cell; None where it wouldn't."""
        layout = self.picture.layout_in(room, room.height - self.picture.memory_lines_in(room))
        return layout.size if layout is not None and layout.fits and lettered(layout.zoom) else None

    # ---- what is shared

    def _way_to(self, number: int, build: Build) -> dict[str, Any]:
        """What of the shared state changes on the way to a build of an experiment, by field."""
        plays = build is Build.PLAY
        changes: dict[str, Any] = {"build": build, "step": int(plays and self.still)}
        changes |= {"playing": plays and not self.still, "joining": False}
        if number != self.shared.experiment:
            changes |= {"experiment": number, "vote": int((number, 1) in self.shared.revealed)}
        return changes

    def go_to(self, number: int, build: Build = Build.QUESTION) -> None:
        """Goes to a build of experiment `number`, from 0."""
        self._change(**self._way_to(number, build))

    def _fitting(self, shared: Presented) -> Presented:
        """`shared` as far as the session has what it says: it may have been edited since."""
        shared = replace(shared, experiment=min(shared.experiment, self.count - 1))
        item = self.item_at(shared.experiment)
        has_steps = item.solved.live if shared.told else item.draws_open
        return shared if has_steps or shared.build is not Build.PLAY else replace(shared, build=Build.REVEAL)

    def _change(self, **changes: Any) -> None:
        """Sets fields of the shared state, of which the present step and time are two, shows and keeps it."""
        self.typed = self._sentence = ""
        if self.shared.playing:
            changes = {"step": min(int(self._passed), self._step_count)} | changes
        is_same = self.shared.is_open and "black" in changes  # its clock goes on in the dark
        changes["of_class"] = self.live is not None
        self._set(replace(self.shared, **changes, changed=self.shared.changed if is_same else self.now()))

    def _set(self, after: Presented) -> None:
        self._show(after)
        self._keep()

    def _show(self, after: Presented) -> None:
        before, told = self.shared, range(after.vote + 1) if after.told else ()
        revealed = (*after.revealed, *((after.experiment, vote) for vote in told))
        self.shared = after = replace(after, revealed=tuple(dict.fromkeys(revealed)))
        if (after.experiment, after.vote) != (before.experiment, before.vote):
            self.typed = ""
        if (before.experiment, before.build, before.told) != (after.experiment, after.build, after.told):
            self._look()
        else:
            self._show_step()

    def _keep(self) -> None:
        try:
            if self._kept is not None:
                self._kept.write(self.shared)
        except SessionError as error:
            self._sentence = str(error)


def seconds_of(count: int) -> float:
    """How many seconds `count` steps take in front of a class."""
    return min(MOST_PLAYED, max(LEAST_PLAYED, float(count)))
