"""Questions about one experiment, answered step by step in its picture: each method is one thing that a user does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import ravel
from ...desc.tensors import brackets
from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, flat_of, is_inside, part_of
from ...scene.elements.known import NOTHING, Known, Without
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import Answers
from ...scene.lights import Lights
from ...scene.look import Entry, EntryKind
from ...scene.steps.order import Unit
from ...scene.steps.player import Player
from ...scene.view_state import view_state_of
from ...session.experiments import Experiment
from ...teaching.diagnosis.follow_ups import follow_up
from ...teaching.diagnosis.practice import Practice
from ...teaching.kinds.lib.asking import kinds
from ...teaching.progress.progress import Answered, Progress, counted_as, now_text
from ...teaching.questions.answers import FROM_NOWHERE, FROM_NOWHERE_JSON, Value, shown, values_of
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.subject import Subject
from ...teaching.questions.telling import told_by_reveal
from ...teaching.questions.wording import listed, without_formula
from ...teaching.tasks.own_tasks import played
from ...teaching.tasks.tasks import AuthoredQuestion
from ...teaching.words.terms import found
from ..lessons.lesson import RunningLesson
from ..shown.picture import Picture, Room
from ..shown.state import PictureState
from .answering import (
    FORMS,
    LATER,
    MOST_TYPED,
    NONE,
    SEPARATORS,
    first_sentence,
    form_of,
    hides_memory,
    typed_json,
    unit_of,
)
from .ask_state import AskEntry, AskFeedback, AskState, AskView, Form, Option
from .asked_desc import fields_of, places_of, tables_of
from .options import Options
from .outcome import Outcome

MOST_HINTS = 4
BESIDE_ROWS = 4
"""Lines of a picture that no page goes over: titles and rulers."""
MOST_BEFORE = 8
"""Questions that another one is to be unlike, and answers that tell what is believed."""
KEYS = frozenset(f"0123456789-.{SEPARATORS}")
"""The characters of numbers, and what parts them."""


class Asking:
    """Asks about one experiment. No clock but the one it is given, and no dice but its seed."""

    def __init__(
        self,
        experiment: Experiment,
        progress: Progress,
        now: Callable[[], float],
        *,
        seed: int = 0,
        turned: bool = False,
        only: Sequence[str] | None = None,
        practice: Practice | None = None,
        lesson: RunningLesson | None = None,
        own: Question | None = None,
        named: str = "",
    ) -> None:
        """`now` gives seconds since 1970. `only` has the kinds that are asked, all for None.

        With `practice` or `lesson`, that chooses each question, and `experiment` is only a beginning. `own` is what the
        experiment itself asks: it comes first, and may be about another desc, with something changed. `named` is the
        name of the lesson that the experiment belongs to. Raises DmlvizError, with a sentence, where there is nothing
        to ask.
        """
        self.subject = self._home_subject = Subject(experiment)
        self.picture = Picture(memory=False)
        self._progress, self._now, self._seed = progress, now, seed
        self._turned, self._own = turned, own
        self._named = lesson.lesson.name if lesson is not None else named
        self._view = view_state_of(experiment, turned=turned)
        self._lesson, self._source = lesson, lesson or practice
        self.ended = False
        """The lesson is at its end: nothing more is asked."""
        known = kinds()
        names = [name for name in FORMS if name in known and (only is None or name in only)]
        is_chain = experiment.is_wired or lesson is not None or practice is not None or own is not None
        asked_kinds = [known[name] for name in names if is_chain or not known[name].of_chains]
        early = [kind for kind in asked_kinds if kind.name not in LATER]
        begin = seed % max(1, len(early))
        self._kinds = [*early[begin:], *early[:begin], *(kind for kind in asked_kinds if kind.name in LATER)]
        self._terms: dict[str, tuple[Question, bool]] = {}
        """The question that was the first to have a term, and whether it was open then."""
        self.has_formula = True
        """The screen shows the formula line once the question is answered."""
        self._room: Room | None = None
        self._memory: bool | None = None  # what somebody has chosen of the memory strip
        self._told = len(progress.problems)
        self._kept = len(progress.answers)
        self._right = self._count = 0
        if lesson is not None:
            question = lesson.next(now())
            if question is None:
                raise DmlvizError(self.subject.sentence("lesson.none_asked", title=quote(lesson.lesson.title)))
            self._begin(question)
            return
        if practice is not None:
            self._begin(self._next_of_practice(practice))
            return
        if own is not None:
            self._begin(own)
            return
        # "None is unread" is no question to begin with, unless there is no other.
        every = (q for k in range(len(self._kinds)) if (q := self._question_of(k, 0)))
        first = next(every, None)
        if first is not None and first.truth == ():
            first = next((q for q in every if q.truth != ()), first)
        if first is None:
            raise DmlvizError(self.subject.sentence("ask.nothing"))
        self._begin(first)

    # ---- which question

    def _question_of(self, kind: int, more: int) -> Question | None:
        """A question of kind number `kind` about `home`, with `more` added to the seed; None where there is none."""
        return self._kinds[kind].make(self._home_subject, self._seed + more)  # whatever an own task has changed

    def _next_of_practice(self, practice: Practice) -> Question:
        """The next question of a practice that can be asked here."""
        while True:
            question = practice.next(self._now())
            if question.kind in self._kinds:
                return question

    def _begin(self, question: Question) -> None:
        """Asks a question: nothing is answered, and the picture is made anew."""
        if question.subject is not self.subject:
            self.subject = question.subject
            self._view = view_state_of(self.experiment, turned=self._turned)
        self.question = question
        self.form = form_of(question)
        self.options = Options(question, self.form)
        self.open, self.skipped, self._looked_up = True, False, False
        self.verdict: Reply | None = None
        self.hints, self._sentence, self._yours = 0, "", False
        self._given: Any = None
        self._began = self._now()
        self._like: Question | None = None  # what is asked after a wrong answer
        self._before: tuple[Question, ...] = ()  # those that it is like, the last few
        self._played = played(question) if self._lesson is not None else None
        self._slot = 0
        is_typed = self.form is Form.CELLS or question.kind.name == "cell"
        self._places = places_of(question) if is_typed else []  # the cells that are typed into, one after another
        self._slots = [""] * max(1, len(self._places))
        self._entered_from: dict[int, Cursor] = {}  # the input elements that were clicked for numbers
        self._marked: set[Cursor] = set()
        self._marks_none = False  # somebody has said that none is to be marked, or that one comes from nowhere
        self._chosen: Cursor | None = None  # the element that is pointed at, which steps leave as it is
        self._checked = False  # what is typed next replaces what is there
        self._outcome = self._outcome_now()
        shows_outputs = question.kind.draws_outputs
        self._new_picture(Player(Unit.SLICE) if self.can_step else None)
        self.picture.hidden = NOTHING
        self.picture.answers = Answers(shows_outputs)
        self._more: tuple[int, ...] = (0,)  # columns of a cell for an answer beside the truth, the most wanted first
        if self.is_pictured:
            self.picture.look_at(self._view)
            self.picture.cursor = self._first_cursor()
        self._refit()

    def _new_picture(self, player: Player | None) -> None:
        """Makes the picture anew: with linear memory where that is asked about, or somebody has chosen it."""
        self.picture = Picture(player, is_legible=True)
        self.picture.wants_memory = unit_of(self.question, self.experiment).is_memory
        self.picture.memory = self._memory if self.picture.wants_memory else self._memory or False
        self.picture.tells_memory = not self.open or not hides_memory(self.question)

    @property
    def can_show_memory(self) -> bool:
        """True if linear memory can be shown: nothing of the question is told by it."""
        return self.is_pictured and self.picture.tells_memory

    def turn_memory(self) -> AskState:
        """Shows or hides linear memory, from now on, where `can_show_memory`."""
        if self.can_show_memory:
            self.picture.turn_memory()
            self._memory = self.picture.memory
        return self.state

    @property
    def _types_into_cells(self) -> bool:
        """True if what is typed stands in the picture's cells; False for `order`, where it stands below the picture."""
        return self.question.kind.name != "order"

    @property
    def _takes_elements(self) -> bool:
        """True for `order`, where a click on an input element enters it as the next one."""
        return self.form is Form.CELLS and not self._types_into_cells

    @property
    def moves_cursor(self) -> bool:
        """True if the cursor in the picture is the user's; False where what is asked isn't drawn."""
        return self.is_pictured and (not self.open or self.question.kind.draws_outputs)

    @property
    def is_pictured(self) -> bool:
        """True if tensors are drawn as in the explorer: while a question is open, where that tells nothing."""
        return self._view.live and (self.question.kind.pictured or not self.open)

    def _first_cursor(self) -> Cursor:
        """The element asked about where that is drawn; else the first that can be pointed at."""
        at, trace = self.question.at, self._view.trace
        assert trace is not None
        if self.form.is_pointed:
            place = Place(self.form is Form.OUTPUT_MARKS, self.question.kind.tensor_marked(self.subject))
            return Cursor(place, (0,) * len(part_of(trace, place).tensor.sizes))
        if self._places:
            return self._places[0]
        if at is not None and (self.picture.answers.outputs or not at.place.is_output):
            cursor = Cursor(at.place, at.index)
            if is_inside(trace, cursor):
                return cursor
        return Cursor(Place(False, 0), (0,) * len(trace.inputs[0].tensor.sizes))

    # ---- what a user does

    @property
    def state(self) -> AskState:
        """What is shown of the question now."""
        question, open_ = self.question, self.open
        after = self._lesson.after if self._lesson is not None else ""
        if self._source is None:
            kind = self._kinds[self._next_kind()] if self._kinds else question.kind
            like = self._like is not None or kind is question.kind
            say = self.subject.sentence
            after = say("next.like" if like else "next.on")
        view = AskView(
            in_picture=self.is_pictured,
            fields=fields_of(question, self.verdict, self._slots[0], is_open=open_, pictured=self.is_pictured),
            tables=() if self.is_pictured else tables_of(question, self._slots[0], is_open=open_),
            yours=self._yours,
            looked_at=self._value_at_cursor(),
            moves=self.moves_cursor or (open_ and self.form.is_listed),
            steps=self.can_step,
            flips=self.can_flip,
        )
        entry = AskEntry(
            slots=tuple(self._slots) if self.form.is_typed else (),
            slot=self._slot,
            options=self.options.open() if open_ else self.options.revealed(self.verdict),
            pointed=self._pointed,
            none=self._none,
            sentence=self._sentence,
        )
        feedback = AskFeedback(
            hint=question.hint(self.hints) if self.hints else "",
            hints=self.hints,
            verdict=self.verdict,
            skipped=self.skipped,
            sentences=() if open_ else self._told_sentences,
            next=after or self.subject.sentence("next.on"),
            answered=(self._right, self._count),
        )
        state = AskState(
            question=question,
            form=self.form,
            picture=self._picture_state(),
            open=open_,
            view=view,
            entry=entry,
            feedback=feedback,
            lesson=self._lesson.state if self._lesson is not None else None,
        )
        return replace(state, introduced=self._introduced(state.words)) if self._source is not None else state

    def _introduced(self, words: str) -> tuple[str, ...]:
        """Sentences on the terms in what is read that no question of the lesson, or of the practice, had before."""
        for term in found(words):
            self._terms.setdefault(term, (self.question, self.open))
        return tuple(
            term
            for term, (question, is_open) in self._terms.items()
            if question is self.question and is_open == self.open
        )

    @property
    def _diagnosed(self) -> tuple[str, ...]:
        """What practice or lesson has just learnt from the answers, if anything."""
        return (self._source.news,) if self._source is not None and self._source.news else ()

    @property
    def _warned(self) -> tuple[str, ...]:
        """That a right answer counts as looked up, where it does."""
        is_counted = self._looked_up and self.verdict is not None and self.verdict.right
        return (self.subject.sentence("verdict.looked_up"),) if is_counted else ()

    @property
    def _taught(self) -> tuple[str, ...]:
        """What the lesson says of the step, once it is answered."""
        right = self.verdict is not None and self.verdict.right
        return self._lesson.told(right=right) if self._lesson is not None else ()

    @property
    def _told_sentences(self) -> tuple[str, ...]:
        """What came of the answer, what is made of it, and that no other question is like it; each sentence once."""
        unlike = (self._sentence,) if self._sentence else ()
        told = (*self._outcome.sentences, *self._warned, *self._diagnosed, *self._taught, *unlike)
        if not self.has_formula:
            told = tuple(map(without_formula, told))
        return tuple(dict.fromkeys(filter(None, told)))

    @property
    def lesson(self) -> RunningLesson | None:
        """The lesson that is gone through; None for none."""
        return self._lesson

    @property
    def experiment(self) -> Experiment:
        """The experiment that is asked about now."""
        return self.subject.experiment

    @property
    def home(self) -> Experiment:
        """The experiment that was to be asked about; its own task may be about a changed one."""
        return self._home_subject.experiment

    @property
    def has_answers(self) -> bool:
        """True once a question was answered or skipped."""
        return self._count > 0

    def notices(self) -> list[str]:
        """Sentences on answers that couldn't be kept and on steps that are left out, each once."""
        sentences = self._progress.problems[self._told :]
        self._told += len(sentences)
        return [*sentences, *self._lesson.notices()] if self._lesson is not None else sentences

    def fit(self, room: Room) -> AskState:
        """Lays the picture out for the room that it has."""
        self._room = room
        self._refit()
        return self.state

    def press(self, key: str) -> AskState:
        """Types a digit, sign or point; comma or blank part numbers. What was refused or left is typed over."""
        if not (self.open and self.form.is_typed and key in KEYS):
            return self.state
        self._sentence = ""
        if key in SEPARATORS and self.form is Form.CELLS:
            return self.go_slot(1)
        text = self._slots[self._slot]
        if key == " ":
            if self.form is not Form.NUMBERS or text[-1:] in ("", ","):
                return self.state
            key = ","
        text = key if self._checked and key != "," else text + key
        self._checked = False
        if len(text) <= MOST_TYPED:
            self._slots[self._slot] = text
            self._entered_from.pop(self._slot, None)
        return self.state

    def erase(self) -> AskState:
        """Takes the last character away, or a clicked number; in an empty cell goes back to the one before."""
        if self.open and self.form.is_typed:
            self._sentence = ""
            if not self._slots[self._slot] and self._slot:
                return self.go_slot(-1)
            self._checked = False
            was_clicked = self._entered_from.pop(self._slot, None) is not None
            self._slots[self._slot] = "" if was_clicked else self._slots[self._slot][:-1]
        return self.state

    def go_slot(self, by: int) -> AskState:
        """Goes `by` cells on among those that are typed into, from the last to the first."""
        return self.go_to_slot((self._slot + by) % len(self._slots))

    def go_to_slot(self, slot: int) -> AskState:
        """Goes to one of the places that are typed into, from 0; nowhere where there is no such place."""
        if self.open and self.form is Form.CELLS and 0 <= slot < len(self._slots):
            self._slot, self._checked = slot, True
            if self._types_into_cells:
                self.picture.point(self._places[slot])
        return self.state

    def move(self, rows: int, columns: int) -> AskState:
        """Moves the cursor: in a list, from cell to cell, or to the next picture."""
        if self.open and self.form.is_listed:
            self._sentence = ""
            by = rows if self.form is Form.LIST or not columns else columns
            self.options.move(by)
            return self.state
        if self.open and self.form is Form.CELLS:
            return self.go_slot(columns or rows)
        if self.moves_cursor:
            self._take_cursor()
            before = self.picture.cursor
            self.picture.move(rows, columns)
            if before is not None and not self._is_answer(self.picture.cursor):
                self.picture.point(before)
            self._choose()
        return self.state

    def page(self, way: int) -> AskState:
        """Looks at the next slice (1) or the one before (-1), or so much further down; from the last at another tensor.

        Also where no cursor is seen: all that is asked about has to come into sight.
        """
        picture = self.picture
        cursor, scene = picture.cursor, picture.scene
        if self.is_pictured and cursor is not None and scene is not None and self._room is not None:
            target = scene.stack(cursor.place.is_output).turned(cursor, way, 0)
            if target is None or target == cursor:
                target = picture.moved(way * max(1, self._room.height - BESIDE_ROWS), 0)
            if target is not None and target != cursor:
                picture.point(target)
                if self._chosen is not None and self._is_answer(target):
                    self._choose()  # who has chosen an element goes on from it; looking on chooses none
            elif way > 0:
                picture.to_next_tensor()
        return self.state

    def _is_answer(self, cursor: Cursor | None) -> bool:
        """True for an element that may be marked or pointed at; of any where neither is done."""
        if cursor is None or not (self.open and self.form.is_pointed):
            return True
        if cursor.place.is_output or self.form is Form.OUTPUT_MARKS:
            return cursor.place.is_output and self.form is Form.OUTPUT_MARKS
        is_data = self.subject.desc.inputs[cursor.place.number].field.role is Role.DATA
        return is_data is not (self.question.kind.name == "via")

    def _take_cursor(self) -> None:
        """Takes the cursor in hand: from where steps or another page have led it, back to where the answer is."""
        self._sentence = ""
        if not self._is_answer(self.picture.cursor):
            self.picture.point(self._chosen or self._first_cursor())

    def _choose(self) -> None:
        """Makes the element under the cursor the answer, where one is pointed at."""
        if self.open and self.form is Form.POINT:
            self._chosen, self._marks_none = self.picture.cursor, False

    def other_side(self) -> AskState:
        """Moves the cursor to the next tensor; to the next cell, option or picture where those answer."""
        if self.open and self.form is Form.CELLS:
            return self.go_slot(1)
        if self.open and self.form.is_listed:
            return self.move(1, 0)
        if not self.open and self.can_flip:
            return self.flip()
        sides = (self.form is Form.OUTPUT_MARKS,) if self.open and self.form.is_pointed else (False, True)
        if self.moves_cursor:
            self._take_cursor()
            for _ in self.subject.desc.parts:
                self.picture.to_next_tensor(sides)
                if self._is_answer(self.picture.cursor):
                    break
            self._choose()
        return self.state

    def point(self, cursor: Cursor, *, marks: bool = False) -> AskState:
        """Looks at an element; with `marks`, as a click does, marks it or enters its number, where that answers."""
        trace = self._view.trace
        if trace is None or not is_inside(trace, cursor):
            return self.state  # as after a click at a picture that has gone
        if (self.open and not marks) or not self.moves_cursor:
            if self.is_pictured and not marks:
                self.picture.point(cursor)  # the slice that is turned to, which answers nothing
            return self.state
        if self.open and self.form is Form.CELLS and self._types_into_cells and cursor in self._places:
            return self.go_to_slot(self._places.index(cursor))
        self._sentence = ""
        if not self._is_answer(cursor):
            self._say_what_answers(cursor)
            return self.state
        self.picture.point(cursor)
        self._choose()
        if self.open and self._takes_elements:
            return self._enter_element(cursor)
        return self.mark() if marks and self.form.is_marked else self.state

    def _enter_element(self, cursor: Cursor) -> AskState:
        """Enters an input element's number as the next: what a click on it says is that it comes next in memory."""
        trace, question = self._view.trace, self.question
        assert trace is not None
        assert question.at is not None
        part = part_of(trace, cursor.place)
        if cursor.place.is_output or part.field.role is not Role.DATA:
            data = self._names(part for part in trace.inputs if part.field.role is Role.DATA)
            memory = part_of(trace, question.at.place).path
            self._sentence = self.subject.sentence("ask.click_data", data=data, path=part.path, memory=memory)
            return self.state
        self._sentence = ""
        self._slots[self._slot] = shown(self._value(cursor))
        self._entered_from[self._slot] = cursor
        empty = [k for k, text in enumerate(self._slots) if not text]
        return self.go_to_slot(next((k for k in empty if k > self._slot), empty[0] if empty else self._slot))

    def _names(self, parts: Iterable[Part]) -> str:
        """The fields of some tensors, as a sentence lists them."""
        return listed([*dict.fromkeys(part.field.name for part in parts)])

    def _say_what_answers(self, cursor: Cursor) -> None:
        """Says among which tensors the answer is, and that an element isn't of those."""
        trace = self._view.trace
        assert trace is not None
        sides = (False, trace.inputs), (True, trace.outputs)
        every = ((Cursor(Place(is_output, k), ()), part) for is_output, parts in sides for k, part in enumerate(parts))
        names = self._names(part for first, part in every if self._is_answer(first))
        path = part_of(trace, cursor.place).path
        self._sentence = self.subject.sentence("ask.other_tensor", names=names, path=path)

    def mark(self) -> AskState:
        """Marks the element under the cursor, or takes its mark away; of options, chooses the one under the cursor."""
        if not self.open:
            return self.state
        self._sentence = ""
        cursor = self.picture.cursor
        if self.form.is_marked and cursor is not None:
            if not self._is_answer(cursor):
                self._say_what_answers(cursor)
            else:
                self._marked ^= {cursor}
                self._marks_none = False
        elif self.form.is_listed and not self.options.mark():
            self._sentence = first_sentence(self.question)
        return self.state

    def choose(self, id_: str) -> AskState:
        """Chooses an option by letter or name, or takes it back; `NONE` says that no element is to be marked."""
        if self._none is not None and id_ == NONE:
            self._marks_none = not self._marks_none
            self._marked.clear()
            self._chosen = None
            self._sentence = ""
        elif self.open and self.options.choose(id_):
            self._sentence = ""
        return self.state

    def answer(self) -> AskState:
        """Gives the answer; after the reveal, goes on to what is asked next."""
        if not self.open:
            return self._go_on()
        if self.form is Form.DOOR:
            return self.state  # a screen of its own answers
        if self.form is Form.CELLS and not self._slots[self._slot]:
            self._sentence = first_sentence(self.question)
            return self.state
        if self.form is Form.CELLS and not all(self._slots):
            empty = [k for k, text in enumerate(self._slots) if not text]
            return self.go_to_slot(next((k for k in empty if k > self._slot), empty[0]))
        try:
            given = self._answer_json()
            verdict = self.question.grade(given)
        except DmlvizError as error:
            self._sentence, self._checked = str(error), True
            return self.state
        self._given, self.verdict, self._sentence = given, verdict, ""
        self._outcome = self._outcome_now()
        self._right += verdict.right
        self._keep(verdict)
        self._like = self._follow_up() if self._source is None and not verdict.right else None
        self._reveal()
        return self.state

    def hint(self) -> AskState:
        """The next of four hints; the last says how to find the answer, which counts as looked up from then on."""
        if self.open:
            self.hints = min(self.hints + 1, MOST_HINTS)
            self._looked_up |= self.hints == MOST_HINTS
        return self.state

    def skip(self) -> AskState:
        """Shows the answer without one being given; recorded as skipped."""
        if not self.open:
            return self.state
        self.skipped, self._sentence = True, ""
        self._outcome = self._outcome_now()
        self._keep(None)
        self._reveal()
        return self.state

    def look_up(self) -> None:
        """Notes that the desc is explored; an answer that comes after that counts as looked up."""
        self._looked_up |= self.open

    def another(self) -> AskState:
        """Asks another question like the one that was answered; nothing while that is open."""
        if not self.open and self._lesson is not None:
            if self.form is not Form.DOOR:
                self._begin_another(self._lesson.another())
        elif not self.open:
            self._begin_another(self._like or self._follow_up())
        return self.state

    def _begin_another(self, question: Question | None) -> None:
        """Asks a question like the one that was answered, or says that there is none."""
        if question is not None:
            before = (*self._before, self.question)[-MOST_BEFORE:]
            self._begin(question)
            self._before = before
        else:
            self._sentence = self.subject.sentence("another.none")

    def _follow_up(self) -> Question | None:
        """A question like the one that was answered, about the wrong rule that the answer followed; None for none."""
        rules = self.verdict.rules if self.verdict is not None else ()
        believed = [answer.rules[0] for answer in reversed(self._progress.answers[-MOST_BEFORE:]) if answer.rules]
        seed = self._seed + self._count
        return follow_up(self.question, rules[0] if rules else "", seed=seed, believed=believed, before=self._before)

    @property
    def may_test(self) -> bool:
        """True at the start of a lesson that can be skipped by the questions at its end."""
        return self.open and self._lesson is not None and self._lesson.may_test

    def begin_test(self) -> AskState:
        """Asks the questions that let the lesson be skipped, where `may_test`."""
        if self.may_test:
            assert self._lesson is not None
            question = self._lesson.begin_test(self._now())
            if question is not None:
                self._begin(question)
        return self.state

    def returned(self, *, solved: bool) -> AskState:
        """Takes over what was answered on a level's own screen; once it is solved, the lesson goes on."""
        if self._lesson is not None and self.form is Form.DOOR and self.open:
            since, self._kept = self._progress.answers[self._kept :], len(self._progress.answers)
            heard = self._lesson.heard_level(since)
            if solved and not heard:
                self._append_answer(True)
            if solved or heard:
                self._right, self._count = self._right + 1, self._count + 1
                return self._go_on()
        return self.state

    @property
    def can_step(self) -> bool:
        """True if steps can be shown: after the reveal, or while a lesson's author hides nothing of the picture."""
        if not self.open:
            return self.is_pictured
        return self._played is not None and self.is_pictured

    def step(self, by: int) -> AskState:
        """Shows the step `by` further, where `can_step`."""
        if self.can_step:
            self._yours = False
            if self.picture.player.step is None and (by > 0 or self.open):
                self.picture.go(max(0, by))
            else:
                self.picture.go_by(by)
        return self.state

    def go(self, step: int) -> AskState:
        """Shows the picture after a step, where `can_step`."""
        if self.can_step:
            self._yours = False
            self.picture.go(step)
        return self.state

    def play(self, time: float, seconds: float, *, still: bool = False) -> AskState:
        """Plays the steps that are left, or stops, where `can_step`; where nothing may move (`still`), goes a step on.

        A pass takes `seconds`; `time` is in seconds, of a clock of its own.
        """
        if self.can_step:
            self._yours = False
            self.picture.player = replace(self.picture.player, seconds=seconds)
            self.picture.play_or_pause(time, still=still)
        return self.state

    def tick(self, time: float) -> AskState | None:
        """Shows what the time has come for while steps play; None where that is what is shown already."""
        return self.state if self.picture.tick(time) else None

    def stop(self) -> AskState:
        """Stops what plays; its step is done."""
        self.picture.stop()
        return self.state

    @property
    def can_flip(self) -> bool:
        """True after the reveal, if the user's own outputs can be shown in place of the truth's."""
        return not self.open and self.picture.player.step is None and bool(self._outcome.differing)

    def flip(self) -> AskState:
        """Shows what the user said in place of the truth, or the truth again, where `can_flip`."""
        if self.can_flip:
            self._yours = not self._yours
        return self.state

    # ---- on to the next

    def _next_kind(self) -> int:
        """The number of the kind to ask next: this one after a wrong answer, the one after it after a right one."""
        at = self._kinds.index(self.question.kind) if self.question.kind in self._kinds else -1
        if at >= 0 and self._like is not None:
            return at
        for k in range(1, len(self._kinds)):
            kind = (at + k) % len(self._kinds)
            if self._can_ask(kind):
                return kind
        return max(at, 0)

    def _can_ask(self, kind: int) -> bool:
        """True if there is another question of kind number `kind` about `home`."""
        key = "asked", self._kinds[kind].name
        return self._home_subject.keep(key, lambda: self._question_of(kind, self._count + 1) is not None)

    def _go_on(self) -> AskState:
        """Asks the next question: of the lesson, which may end, of practice, or of the next kind."""
        if self._lesson is not None:
            question = self._lesson.next(self._now())
            if question is None:
                self.ended = True
            else:
                self._begin(question)
        elif isinstance(self._source, Practice):
            self._begin(self._next_of_practice(self._source))
        elif self._like is not None:
            self._begin_another(self._like)
        else:
            self._ask(self._next_kind())
        return self.state

    def _ask(self, kind: int) -> None:
        """Asks about `home`, from kind number `kind` on, or about a desc like it where the answer was just shown.

        Where there is nothing else, what was asked is asked once more.
        """
        before, told = self.question, None
        for k in range(len(self._kinds)):
            question = self._question_of((kind + k) % len(self._kinds), self._count)
            if question is not None and told_by_reveal(before, question):
                told = told or question
                question = follow_up(question, seed=self._seed + self._count, before=[before])
            if question is not None:
                self._begin(question)
                return
        if told is not None or before is self._own:
            self._begin(told or before)

    # ---- the answer

    def _answer_json(self) -> Any:
        question, form = self.question, self.form
        if form.is_typed:
            return typed_json(question, self._slots)
        if form.is_pointed and not (self._marked or self._marks_none or self._chosen):
            raise DmlvizError(first_sentence(question))
        if form.is_marked:
            side = "output" if form is Form.OUTPUT_MARKS else "tensor"
            marked = sorted(self._marked, key=lambda c: (c.place.number, c.index))
            return [{side: cursor.place.number, "index": list(cursor.index)} for cursor in marked]
        if form is Form.POINT:
            if self._chosen is None:
                return FROM_NOWHERE_JSON
            return {"tensor": self._chosen.place.number, "index": list(self._chosen.index)}
        return self.options.json()

    def _keep(self, verdict: Reply | None) -> None:
        """Counts the answer, and appends it to the progress; None for a question that was skipped."""
        self._count += 1
        self._append_answer(verdict is not None and verdict.right, verdict)

    def _task_id(self) -> str:
        """The id under which the answer is kept: a task's, or the experiment's name."""
        if self._lesson is not None:
            return self._lesson.task
        authored = self.question.task.id if isinstance(self.question, AuthoredQuestion) else ""
        return authored or self.experiment.name

    def _append_answer(self, right: bool, verdict: Reply | None = None) -> None:
        """Appends an answer to the progress, and tells lesson or practice; neither right nor judged it is skipped."""
        now, source = self._now(), self._source
        answered = Answered(
            time=now_text(now),
            task=self._task_id(),
            operator=self.subject.operator.name,
            kind=self.question.kind.name,
            seed=self.question.seed,
            right=right,
            answer=self._given if verdict is not None else None,
            rules=verdict.rules if verdict is not None else (),
            on=source.on if source is not None else "",
            rungs=self.hints,
            skipped=verdict is None and not right,
            looked_up=self._looked_up,
            seconds=max(0.0, round(now - self._began, 1)),
            lesson=counted_as(self._named, self.question.kind.name),
        )
        self._progress.add(answered)
        self._kept = len(self._progress.answers)
        if source is not None:
            source.heard(self.question, self._given, answered)

    # ---- the reveal

    def _outcome_now(self) -> Outcome:
        return Outcome(
            question=self.question,
            form=self.form,
            verdict=self.verdict,
            given=self._given,
            places=tuple(self._places),
            shows_memory=self.is_pictured,
        )

    def _reveal(self) -> None:
        """Closes the question, and draws the picture with its outputs."""
        self.open = False
        cursor = self.picture.cursor
        if not self.is_pictured:
            return
        wrong = self._outcome.differing
        widest = max(map(len, wrong.values()), default=0)
        # At a pinch a sign alone stands in the blank that a value has.
        self._more = (widest + 2, widest + 1) if widest else (2, 1, 0)
        unit = unit_of(self.question, self.experiment)
        self._new_picture(Player(unit) if unit.is_memory else None)
        self.picture.look_at(self._view)
        self.picture.cursor = self._reveal_cursor(cursor, wrong)
        self._refit()

    def _reveal_cursor(self, cursor: Cursor | None, wrong: Mapping[Cursor, str]) -> Cursor | None:
        """The element that the reveal begins with: the first that is wrong, or the one that was asked about."""
        if wrong:
            return next(iter(wrong))
        at, trace = self.question.at, self._view.trace
        if at is not None and trace is not None and is_inside(trace, Cursor(at.place, at.index)):
            return Cursor(at.place, at.index)
        if self._places:
            return self._places[0]
        return cursor if cursor is not None and cursor.place.is_output else None

    # ---- what is shown

    def _refit(self) -> None:
        """Lays the picture out in its room; a wrong answer has columns beside the truth, apart if all of it fits."""
        if self._room is None or not self.is_pictured:
            return
        picture = self.picture
        for more in self._more:
            picture.answers = replace(picture.answers, more=more)
            picture.fit(self._room)
            if not more or picture.scene is None or picture.scene.layout.fits:
                break
            picture.zoom = None

    def _picture_state(self) -> PictureState:
        if not self.is_pictured:
            return PictureState()
        if self.open:  # a step shows what it has written but for what is asked; without one nothing is shown
            self.picture.hidden = NOTHING if self.picture.player.step is None else self._written()
        shown = self.picture.state(self._lights(), self._entries())
        if self.open and self._is_at_asked():
            shown = replace(shown, look=replace(shown.look, lit=None))
        if not self.moves_cursor:
            shown = replace(shown, look=replace(shown.look, cursor=None), links=Partners())
        return replace(shown, also=())

    def _written(self) -> Known:
        """What is known while steps are shown before the answer."""
        steps = self.picture.live_steps  # None while the layout is on its way
        if steps is None or self._played is None:
            return NOTHING
        return Without(self.picture.player.known(steps), self._played)

    def _is_at_asked(self) -> bool:
        """True if the present step writes an element that is asked about: what it moves would be the answer."""
        return self._played is not None and self.picture.player.step in self._played.steps_asked

    def _value_at_cursor(self) -> str:
        """`InputTensor[0,1] = 3` of the cursor's input element, while an answer is typed; "" else."""
        cursor, trace = self.picture.cursor, self._view.trace
        if not (self.open and self.moves_cursor and self.form.is_typed) or cursor is None or trace is None:
            return ""
        if cursor.place.is_output:
            return ""
        return f"{part_of(trace, cursor.place).path}{brackets(cursor.index)} = {shown(self._value(cursor))}"

    def _value(self, cursor: Cursor) -> Value:
        """The value of an input element."""
        trace = self._view.trace
        assert trace is not None
        at = [np.array([i], np.int64) for i in cursor.index]
        (value,) = values_of(trace.read(cursor.place.number, ravel(at, part_of(trace, cursor.place).tensor.sizes)))
        return value

    @property
    def _pointed(self) -> str:
        """The answer so far, where elements are pointed at or marked; "" for other questions."""
        if not (self.open and self.form.is_pointed):
            return ""
        if self._none is not None and self._marks_none:
            return self._none.text
        if self.form.is_marked:
            return self.subject.sentence("answer.marked", count=len(self._marked)) if self._marked else "?"
        cursor = self._chosen
        if cursor is None:
            return "?"
        return f"{self.subject.desc.inputs[cursor.place.number].path}{brackets(cursor.index)}"

    @property
    def _none(self) -> Option | None:
        """That none is to be marked, or that an element comes from nowhere; None where neither can be answered."""
        from_nowhere = self.question.kind.takes_nowhere(self.subject)
        if not (self.open and (self.form.is_marked or from_nowhere)):
            return None
        text = self.subject.sentence("answer.nowhere" if from_nowhere else "verdict.none")
        return Option(NONE, text, chosen=self._marks_none)

    def _lights(self) -> Lights:
        """Tensors and their axes that the verdict lights."""
        if self.open or self.verdict is None or self.verdict.right:
            return Lights()
        axes = set()
        for light in self.verdict.lights:
            path, _, axis = light.partition(".Sizes[")
            if any(part.path == path for part in self.subject.desc.parts):
                axes.add((path, int(axis[:-1]) if axis[:-1].isdigit() else -1))
        return Lights(named=frozenset(axes))  # a name is no error

    def _entries(self) -> dict[Place, dict[int, Entry]]:
        """Signs and texts on elements, by tensor and flat index: of the answer so far, or of the verdict."""
        entries: dict[Place, dict[int, Entry]] = {}

        def enter(cursor: Cursor, kind: EntryKind, text: str = "") -> None:
            trace = self._view.trace
            assert trace is not None
            flat = flat_of(trace, cursor)
            entries.setdefault(cursor.place, {})[flat] = Entry(kind, text)

        question = self.question
        if self.open:
            for k, cursor in enumerate(self._places if self._types_into_cells else ()):
                enter(cursor, EntryKind.ASKED if k == self._slot else EntryKind.WAITS, self._slots[k])
            for cursor in {*self._marked, *self._entered_from.values(), *filter(None, [self._chosen])}:
                enter(cursor, EntryKind.MARK)
            if question.at is not None and not self._places and question.kind.draws_outputs:
                self._enter_asked(enter)
            return entries
        if self.verdict is None or self.picture.player.step is not None:
            return entries
        for cursor, answer in self._outcome.differing.items():
            enter(cursor, EntryKind.ASKED if self._yours else EntryKind.WRONG, answer)
        if question.kind.name == "cell" and self.verdict.right:
            enter(self._places[0], EntryKind.RIGHT)
        if self.form.is_marked or self.form is Form.POINT:
            is_output = self.form is Form.OUTPUT_MARKS
            answer = question.kind.form.read(question, self._given)
            answers, truth = (answer, question.truth) if self.form.is_marked else ((answer,), (question.truth,))
            for k, index in {*answers, *truth} - {FROM_NOWHERE}:
                hit, meant = (k, index) in answers, (k, index) in truth
                kind = EntryKind.RIGHT if hit and meant else EntryKind.WRONG if hit else EntryKind.MISSED
                enter(Cursor(Place(is_output, k), index), kind)
        return entries

    def _enter_asked(self, enter: Callable[[Cursor, EntryKind], None]) -> None:
        """Marks the element that a question is about, and that isn't typed into."""
        at = self.question.at
        assert at is not None
        trace = self._view.trace
        if trace is None or not is_inside(trace, Cursor(at.place, at.index)):
            return
        cursor = Cursor(at.place, at.index)
        enter(cursor, EntryKind.ASKED if at.place.is_output else EntryKind.ABOUT)
