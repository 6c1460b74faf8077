"""A session in front of a class: what is on the wall follows from `Presented` alone, which two screens share by a file.

What plays follows from it and from the time, so that both screens are at the same step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ...desc.tensors import braces
from ...errors import SessionError, plain
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...scene.elements.known import NOTHING
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import Answers
from ...scene.layout.zoom import lettered
from ...scene.look import EntryKind
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.class_status import ClassStatus
from ...session.experiments import Session
from ...session.presentation_state import Build, Counts, Presented, StateFile
from ...teaching.lessons.lessons import lesson_of, steps_of
from ...teaching.questions.subject import FROM_NOWHERE
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.tasks.tasks import AuthoredQuestion
from ...teaching.words.catalogue import sentence
from ..asking.answering import hides_memory, unit_of
from ..asking.ask_state import FieldState, TableState
from ..asking.asked_desc import fields_of, numbers_of, places_of, tables_of
from ..shown.desk import Desk
from ..shown.picture import Entries, Picture, Room
from ..shown.state import PictureState
from .presented_item import Item, item_of
from .votes import Counted, advice, counted_hands, counted_said
from .wall_state import Notes, WallState

RULES = frozenset({"rules", "levels", "feature_level"})
"""What is hidden where an author hides whether a desc is valid."""
MOST_HANDS = 3
"""Digits of a number of hands, or of an experiment."""
SECONDS = 120
"""Of the timer: as long as neighbours are to talk."""
LONGEST = 12 * 3600.0
"""Seconds after which a presentation begins anew: by then it is another lesson."""
LEAST_PLAYED, MOST_PLAYED = 2.0, 20.0
"""Seconds for all steps of an experiment; one second for each of a few."""
ENOUGH = 2
"""Advice comes once one in so many phones has answered: of the first two answers nothing follows."""


class WallDesk(Desk):
    """Each method is one thing that a speaker does, on the wall or on the other screen."""

    def __init__(
        self, session: Session, now: Callable[[], float], *, kept: StateFile | None = None, begins: int | None = None
    ) -> None:
        """`now` gives seconds since 1970. `kept` is the file that another screen follows; None for none.

        It goes on where `kept` says, or at experiment `begins`, from 0.
        """
        super().__init__(Picture(), now)
        self.session, self._kept = session, kept
        self.has_notes = False
        """The speaker's screen is shown, too."""
        self.typed = ""
        """What is being typed: an answer's letter with its hands, or `g` with an experiment's number."""
        lesson = lesson_of(session)
        self._seed = lesson.seed if lesson is not None else 0
        self._planned = minutes(60 * lesson.minutes) if lesson is not None else ""
        title = lesson.title if lesson is not None else session.title
        # Without a lesson of its own a session's title may tell what a task asks.
        self._lesson = plain(title, 60) if "lesson" in session.extra else ""
        self._steps = steps_of(with_own_tasks(session))
        self._items: dict[int, Item] = {}
        self._sentence = self._trouble = self._leaves = ""
        self._flip = 0
        self._memory: bool | None = None  # memory is shown, or hidden, by the speaker
        self._seen: object = None  # what a state was made of last
        time, shared = now(), kept.read() if kept is not None else None
        self._sentence = kept.problem if kept is not None else ""
        if shared is None or time - shared.changed > LONGEST:
            shared = Presented(began=time, changed=time)
        self.shared = self._fitting(shared)
        if begins is not None and begins != self.shared.experiment:
            self.shared = replace(self.shared, **self._way_to(begins, Build.QUESTION), changed=time)
        self.opened = self.shared.changed
        """When the question was, in the present vote."""
        self._look()
        self._keep()

    # ---- what is presented

    @property
    def count(self) -> int:
        """How many experiments there are."""
        return len(self.session.experiments)

    @property
    def item(self) -> Item:
        """The experiment that is presented."""
        return self.item_at(self.shared.experiment)

    def item_at(self, number: int) -> Item:
        """Experiment `number`, from 0."""
        if number not in self._items:
            self._items[number] = item_of(self._steps[number], self._seed)
        return self._items[number]

    @property
    def builds(self) -> tuple[Build, ...]:
        """What page down shows in turn."""
        return _builds(self.shared, self.item)

    @property
    def told(self) -> bool:
        """True if the answer may be seen."""
        return _is_told(self.shared, self.item)

    @property
    def is_drawn(self) -> bool:
        """True where tensors are drawn: while a question is open, where that tells nothing."""
        return self.item.draws_open if self.shared.build is Build.QUESTION else self._view.live

    @property
    def _view(self) -> ViewState:
        return self.item.solved if self.told else self.item.view

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
            self._go_to(number, builds[at])
        elif 0 <= number + by < self.count:
            self._go_to(number + by, Build.QUESTION if by > 0 else Build.REVEAL)
        else:
            self._sentence = sentence("present.at_end" if by > 0 else "present.at_beginning")

    def go_to(self, number: int) -> None:
        """Goes to the question of experiment `number`, from 1."""
        if 1 <= number <= self.count:
            self._go_to(number - 1)
        else:
            self._sentence = sentence("present.no_experiment", number=number, count=self.count)

    def reveal(self) -> None:
        """Shows the answer, the outputs and the hands."""
        self._go_to(self.shared.experiment, Build.REVEAL)

    def step(self, by: int) -> None:
        """Shows the step so many further; after the reveal from the beginning, or backwards from the end."""
        is_whole = self.shared.build is Build.REVEAL
        self.go((self._step_count * (by < 0) if is_whole else self.step_now) + by)

    def go(self, step: int) -> None:
        """Shows a step, or says why there is none; after the reveal the answer stays."""
        if self._has_steps():
            self._change(**self._told_steps(), step=min(max(step, 0), self._step_count), playing=False)

    def play(self) -> None:
        """Plays the steps, or stops, or says why there are none; after the reveal the answer stays."""
        is_whole, step = self.shared.build is Build.REVEAL, self.step_now
        step = 0 if is_whole or step >= self._step_count else step
        if self.still and not is_whole:
            self.go(step + 1)
        elif self._has_steps():
            plays = not self.still and (is_whole or not self.shared.playing)
            self._change(**self._told_steps(), step=step, playing=plays)

    def _told_steps(self) -> dict[str, Any]:
        return {"build": Build.PLAY, "told": True} if self.shared.build is Build.REVEAL else {}

    def _has_steps(self) -> bool:
        is_open = self.shared.build is Build.QUESTION
        if is_open or not self._view.live:
            self._sentence = sentence("present.steps_later" if is_open else "present.no_steps")
        return not is_open and self._view.live

    def turn_memory(self) -> None:
        """Shows linear memory below the picture, or hides it; not while it would tell what is asked."""
        if not self.is_drawn or not self.picture.is_live:
            self._sentence = sentence("present.no_memory")
        elif not self.picture.tells_memory:
            self._sentence = sentence("present.memory_later")
        else:
            self.picture.turn_memory()
            self._memory = self.picture.memory

    def black(self) -> None:
        """Shows nothing at all, or all again."""
        self._change(black=not self.shared.black)

    def turn_timer(self) -> None:
        """Starts the timer, or takes it away."""
        self._change(timer=self.now() + SECONDS if self.shared.timer is None else None)

    def second_vote(self) -> None:
        """Opens the second vote; where that isn't told yet, the first one again."""
        n, vote = self.shared.experiment, 1 - self.shared.vote
        if not (self.item.answers or self._is_asked):
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
        """Begins anew, once that is asked for twice: at the first experiment, without hands, at time 0."""
        if self._sentence == sentence("present.wipes"):
            self._begin_anew()
        else:
            self._sentence = sentence("present.wipes")

    def _begin_anew(self) -> None:
        now, shared = self.now(), self.shared
        self._sentence = self.typed = ""
        self._set(Presented(began=now, changed=now, room=shared.room, code=shared.code, port=shared.port))

    def show_notes(self) -> None:
        """Shows the speaker's screen below the wall, or the wall alone."""
        self.has_notes = not self.has_notes

    def flip(self) -> None:
        """Shows the next of the pictures to choose from, where there is room for one alone."""
        self._flip += 1

    # ---- numbers that are typed

    def type_number(self, key: str) -> None:
        """Types the hands of an answer, or for `g` an experiment's number: what it is of, then digits."""
        what = self.typed[:1]
        if key.isdigit():
            self.typed += key if what and len(self.typed) <= MOST_HANDS else ""
        elif key == "g" or self.item.answers:
            if what != "g":
                self._change()
            self.typed, self._sentence = key if key == "g" or key in self._letters else "", ""
        else:
            self._sentence = sentence("present.nothing_to_count")

    def erase(self) -> None:
        """Takes the last digit away, or gives up where there is none."""
        self.typed = self.typed[:-1]

    def cancel(self) -> None:
        """Gives up what is typed."""
        self.typed = ""

    def enter(self) -> None:
        """Takes what was typed."""
        what, number, self.typed = self.typed[:1], self.typed[1:], self.typed * (self.typed[:1] != "g")
        if what == "g" and number:
            self.go_to(int(number))
        elif what:
            self._change()

    def _with_typed(self, after: Presented) -> Presented:
        """`after` with the hands that are typed, for the answer and the vote that they were typed for."""
        letter, number, letters = self.typed[:1], self.typed[1:], self._letters
        if letter not in letters:
            return after
        self.typed = ""
        key, vote = self.question_key(self.shared.experiment), self.shared.vote
        counts = [*after.counts(key, len(letters), vote)]
        counts[letters.index(letter)] = int(number) if number else counts[letters.index(letter)]
        return _with_counts(after, key, vote, tuple(counts))

    @property
    def _letters(self) -> list[str]:
        return [answer.id for answer in self.item.answers]

    # ---- time, and the other screen

    def tick(self) -> bool:
        """Shows what the time has come for, or the other screen has done; False where nothing is new."""
        self.follow()
        moves = self.shared.playing and self._show_step()
        if self.shared.playing and self._passed >= self._step_count:
            self._set(replace(self.shared, step=self._step_count, playing=False, changed=self.now()))
        return moves or self._seen != (self.shared, self._times())

    def follow(self) -> None:
        """Takes over what the other screen has done."""
        kept = self._kept
        if kept is None or not kept.changed():
            return
        shared = kept.read()
        if shared is None:
            self._sentence = kept.problem or self._sentence
            self._keep()
            return
        self._trouble, shared, before = "", self._fitting(shared), self.shared
        told = _is_told(shared, self.item) and not self.told
        ends = told or (shared.experiment, shared.vote) != (before.experiment, before.vote)
        self._show(self._with_typed(shared) if ends else shared)
        if self.shared != shared:
            self._keep()

    @property
    def _unit(self) -> Unit:
        """What a step writes: a copy of memory where that was asked about, and the answer is on the wall."""
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
        """Shows the step that is to be seen; False where that is shown already."""
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
        after = replace(self.shared, room=room, **more)
        if after != self.shared:
            self._set(after)

    def count_room(self, number: int, vote: int, counts: Counts) -> None:
        """Takes the hands of a vote on the question of experiment `number`, from 0, as a class's phones have them."""
        self.follow()
        key = self.question_key(number)
        if self.shared.counts(key, len(counts), vote) != counts:
            self._set(_with_counts(self.shared, key, vote, counts))

    @property
    def live(self) -> ClassStatus | None:
        """How the class stands; None where none is held."""
        return self.shared.room

    @property
    def _is_asked(self) -> bool:
        """True if phones ask the present question."""
        live = self.live
        return live is not None and live.asked and live.question == self.question_key(self.shared.experiment)

    @property
    def _is_voting(self) -> bool:
        """True if what phones answered is of the present vote."""
        return self._is_asked and self.live is not None and self.live.vote == self.shared.vote

    def may_leave(self) -> bool:
        """True if nothing ends with the wall, or it was left twice; else the wall says now what would end."""
        live = self.live
        if live is None:
            return True
        if self._leaves and self._sentence == self._leaves:
            self._begin_anew()  # what one class said is not for the next
            return True
        if self.shared.black or self.shared.joining:  # that it is said is seen
            self._change(black=False, joining=False)
        saves = int(bool(live.keeps))
        self._sentence = self._leaves = sentence("present.room_ends", count=live.joined, saves=saves)
        return False

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

    def _counted(self) -> tuple[Counted, ...]:
        """The present question's hands, or what phones answered where its answers have no letters."""
        if self.item.answers:
            return counted_hands(self.item.answers, self.votes())
        said = self.live.said if self.live is not None and self._is_asked else ()
        return counted_said((*said, *[()] * (self.shared.vote + 1 - len(said))))

    def _hands(self) -> str:
        """Which hands are counted in the present vote, or how many all are."""
        counts, letters = self.votes()[self.shared.vote], [answer.id for answer in self.item.answers]
        told = [letter for letter, count in zip(letters, counts, strict=True) if count is not None]
        if not told or (self.live is not None and self.live.asked):
            return sentence("present.vote_second") if self.shared.vote else ""
        key = "present.counted_all" if told == letters else "present.counted"
        hands = sentence(key, letters=" ".join(told), count=sum(count or 0 for count in counts))
        return f"{hands} · {sentence('present.vote', number=self.shared.vote + 1)}"

    # ---- what is shown

    @property
    def state(self) -> WallState:
        item, shared, question, view = self.item, self.shared, self.item.question, self._view
        asks = question is not None or item.view.report.ok is False  # at least why it is refused
        hides_rules = question is not None and (question.kind.told_by_rules or bool(question.hidden & RULES))
        hides_rules &= shared.build is Build.QUESTION
        times = elapsed, timer, open_for = self._times()
        self._seen = shared, times
        going = sentence("present.going", number=f"{self.typed[1:]}_") if self.typed[:1] == "g" else ""
        room = self.live and replace(
            self.live, said=(), asked=self._is_voting, answered=self.live.answered * self._is_voting
        )
        return WallState(
            picture=self._picture_state(),
            at=replace(shared, hands={}, room=None),
            item=item,
            view=view,
            title=self._lesson,
            name="" if asks and not self.told else self._name,
            count=self.count,
            elapsed=elapsed,
            timer=timer,
            told=self.told,
            drawn=self.is_drawn,
            invalid=view.report.ok is False and not hides_rules,
            memory=self.is_drawn and self.picture.is_live and self.picture.tells_memory,
            fields=self._fields(),
            tables=() if self.is_drawn else self._tables(),
            flip=self._flip,
            counted=self._counted() if self.told else (),
            hands=self._hands(),
            sentences=self._sentences() if self.told else (),
            typing=going or (f"{self.typed[0]}: …" if self.typed else ""),
            sentence=self._sentence,
            notes=self._notes(going) if self.has_notes else None,
            room=room,
            open_for=open_for,
        )

    def _notes(self, going: str) -> Notes:
        counted, ahead, live = self._counted(), self.shared.experiment + 1, self.live
        waits = live is not None and live.asked and (not self._is_voting or live.answered * ENOUGH < live.joined)
        letter, number = self.typed[:1], f"{self.typed[1:]}_"
        return Notes(
            name=self._name,
            planned=self._planned,
            counted=counted,
            advice="" if waits else advice(counted, self.shared.vote),
            next=f'{ahead + 1}, "{self.item_at(ahead).prompt}"' if ahead < self.count else "",
            typing=going or (sentence("present.hands_of", letter=letter, number=number) if letter else ""),
            sentence=self._sentence or self._trouble,
        )

    @property
    def _name(self) -> str:
        return plain(self.item.view.experiment.name, 60)

    def _times(self) -> tuple[str, str, str]:
        """The time since the beginning, the timer's, and how long phones may answer; "" where there is none."""
        now, shared = self.now(), self.shared
        timer = minutes(shared.timer - now) if shared.timer is not None else ""
        waits = self.live is not None and shared.is_open
        return minutes(now - shared.began), timer, minutes(now - self.opened) if waits else ""

    def _sentences(self) -> tuple[str, ...]:
        """What the reveal tells: first what is said to the answer that most gave, else the author's words on each."""
        item, counts, says = self.item, self.votes()[self.shared.vote], ""
        if self._is_asked and self.live is not None and self.live.said:
            says = next((f"{each.text}: {each.says}" for each in self.live.said[-1] if each.says), "")
        most = max(item.answers, key=lambda answer: counts[item.answers.index(answer)] or 0, default=None)
        if most is not None and any(counts) and item.question is not None and most.given is not None:
            says = f"{most.id}: {item.question.verdict_on(most.given).says}"
        if says:
            return (says, *(told for told in item.sentences if told not in says))
        return (*item.sentences, *(f"{answer.id}: {answer.words}" for answer in item.answers if answer.words))

    def _fields(self) -> tuple[FieldState, ...]:
        """The desc's numbers, as far as the question lets them be seen."""
        question = self.item.question
        if question is not None and self._view is self.item.view:
            return fields_of(question, None, "", is_open=not self.told, pictured=self.is_drawn)
        return tuple(FieldState(*number) for number in numbers_of(self._view.experiment.desc))

    def _tables(self) -> tuple[TableState, ...]:
        """The desc's tensors in plain tables, as far as the question lets them be seen."""
        question = self.item.question
        if question is None:
            parts = [(part.path, part.tensor) for part in self._view.experiment.desc.parts]
            return tuple(TableState(f"{path} {t.data_type} {braces(t.sizes)}", t.sizes, ()) for path, t in parts)
        if question.kind.pictured:  # what an author hides stands in place of what the kind does
            question = replace(question, hidden=question.hidden | {"values"})
        return tables_of(question, "", is_open=not self.told)

    def _picture_state(self) -> PictureState:
        """What is to be drawn; while outputs are hidden, nothing links to them."""
        if not self.is_drawn:
            return PictureState()
        if self.shared.build is Build.QUESTION:
            return replace(self.picture.state(entries=self._asked()), links=Partners())
        return self.picture.state(entries=self._answered() if self.shared.build is Build.REVEAL else None)

    def _asked(self) -> Entries:
        """Signs on the elements that are asked about; {} for none."""
        question = self.item.question
        if question is None or question.at is None or not question.kind.draws_outputs or question.kind.about_memory:
            return {}  # which cells an order begins with is what it asks
        is_output = question.at.place.is_output
        return self.picture.entries(places_of(question), EntryKind.ASKED if is_output else EntryKind.ABOUT)

    def _answered(self) -> Entries:
        """Signs on the elements that are the answer; {} where it is no elements."""
        question = self.item.question
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

    # ---- the picture

    def _look(self) -> None:
        """Makes the picture anew: while the question is open, nothing of the outputs is told."""
        question, is_open, trace = self.item.question, self.shared.build is Build.QUESTION, self._view.trace
        self._step_count = Steps(trace, self._unit).count if trace is not None else 0
        picture = self.picture = Picture(Player(self._unit), is_legible=is_open)
        picture.wants_memory = self._unit.is_memory
        picture.memory = self._memory if self._memory is not None or picture.wants_memory else False
        own = (question.task.hide or ()) if isinstance(question, AuthoredQuestion) else ()
        picture.tells_memory = (
            self.told
            or question is None
            or not hides_memory(question)
            # What a kind hides besides its answer steps may tell; what the author hides stays hidden.
            or (not is_open and not question.kind.about_memory and "memory" not in own)
        )
        if not self.is_drawn:
            return
        picture.hidden = NOTHING if is_open else None
        picture.answers = Answers(not is_open or question is None or question.kind.draws_outputs)
        picture.look_at(self._view)
        if is_open:
            sizes = self.item.view.experiment.desc.inputs[0].tensor.sizes
            picture.point(Cursor(Place(False, 0), (0,) * len(sizes)))
        at = question.at if question is not None else None
        if at is not None and (picture.answers.outputs or not at.place.is_output):
            picture.point(Cursor(at.place, at.index))
        self._refit()

    def _refit(self) -> None:
        if self.is_drawn:
            super()._refit()
            self._show_step()

    def stands_in(self, room: Room) -> bool:
        """True if the whole picture would stand in a room with a number in each cell."""
        strip = self.picture.memory_lines_in(room)
        layout = self.picture.layout_in(room, room.height - strip - room.below * (strip > 0))
        return layout is None or (layout.fits and lettered(layout.zoom))

    # ---- what is shared

    def _way_to(self, number: int, build: Build) -> dict[str, Any]:
        """What of the shared state changes on the way to a build of an experiment, by field."""
        plays = build is Build.PLAY
        changes: dict[str, Any] = {"build": build, "step": int(plays and self.still)}
        changes |= {"playing": plays and not self.still, "told": False, "joining": False}
        if number != self.shared.experiment:
            counts = self.shared.hands.get(self.question_key(number), ())
            second = len(counts) > 1 and any(count is not None for count in counts[1])
            second |= (number, 1) in self.shared.revealed
            changes |= {"experiment": number, "vote": int(second), "timer": None}
        return changes

    def _go_to(self, number: int, build: Build = Build.QUESTION) -> None:
        self._change(**self._way_to(number, build))

    def _fitting(self, shared: Presented) -> Presented:
        """`shared` as far as the session has what it says: it may have been edited since."""
        shared = replace(shared, experiment=min(shared.experiment, self.count - 1))
        item = self.item_at(shared.experiment)
        can_play = shared.build is Build.PLAY and item.solved.live
        return shared if can_play or shared.build in _builds(shared, item) else replace(shared, build=Build.REVEAL)

    def _change(self, **changes: Any) -> None:
        """Sets fields of the shared state, of which the present step and time are two, shows and keeps it."""
        self._sentence = ""
        if self.shared.playing:
            changes = {"step": min(int(self._passed), self._step_count)} | changes
        self._set(self._with_typed(replace(self.shared, **changes, changed=self.now())))

    def _set(self, after: Presented) -> None:
        """Shows a shared state, and keeps it in the file."""
        self._show(after)
        self._keep()

    def _show(self, after: Presented) -> None:
        """Takes a shared state, and draws it."""
        before, item = self.shared, self.item_at(after.experiment)
        told = range(after.vote + 1) if _is_told(after, item) else ()
        revealed = (*after.revealed, *((after.experiment, vote) for vote in told))
        self.shared = after = replace(after, revealed=tuple(dict.fromkeys(revealed)))
        opened, now = ((each.experiment, each.vote, each.is_open) for each in (before, after))
        if after.is_open and opened != now:
            self.opened = after.changed
        if after.experiment != before.experiment:
            self.typed, self._memory = "", None
        stood, stands = ((each.experiment, each.build, each.told) for each in (before, after))
        if stood != stands:
            self._flip *= stood[:2] == stands[:2]
            self._look()
        else:
            self._show_step()

    def _keep(self) -> None:
        """Writes the shared state to the file, or says why that can't be: the room once, the speaker all the time."""
        if self._kept is None:
            return
        trouble = ""
        try:
            self._kept.write(self.shared)
        except SessionError as error:
            trouble = str(error)
        if trouble != self._trouble:
            self._sentence = trouble or self._sentence
        self._trouble = trouble


def _is_told(shared: Presented, item: Item) -> bool:
    """True if the answer may be seen: from the reveal on, which steps follow where they would have told it."""
    return shared.build is Build.REVEAL or (shared.build is Build.PLAY and Build.PLAY not in _builds(shared, item))


def _builds(shared: Presented, item: Item) -> tuple[Build, ...]:
    """What page down shows in turn; where nothing is drawn, no steps: they would tell answer and validity."""
    return tuple(Build) if item.draws_open and not shared.told else (Build.QUESTION, Build.REVEAL)


def _with_counts(shared: Presented, key: str, vote: int, counts: Counts) -> Presented:
    """A copy in which a vote on a question has these counts."""
    return replace(replace(shared, vote=vote).with_hands(key, counts), vote=shared.vote)


def seconds_of(count: int) -> float:
    """How many seconds `count` steps take in front of a class."""
    return min(MOST_PLAYED, max(LEAST_PLAYED, float(count)))


def minutes(seconds: float) -> str:
    """Seconds as minutes and seconds, 04:10; 00:00 for a time that is over."""
    whole = max(0, int(seconds))
    return f"{whole // 60:02}:{whole % 60:02}"
