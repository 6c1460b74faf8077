"""Questions about one experiment, answered step by step in its picture: each method is one thing that a user does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.fields import Role
from ...desc.indexing import flat_in, ravel
from ...desc.tensors import brackets
from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, flat_of, is_inside, part_of
from ...scene.elements.known import NOTHING, Known, Without
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import Answers
from ...scene.lights import Lights
from ...scene.look import Entry, EntryKind
from ...scene.steps.apart import Apart
from ...scene.steps.order import Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState, view_state_of
from ...session.experiments import Experiment
from ...teaching.asked import json_of
from ...teaching.diagnosis.practice import follow_up
from ...teaching.kinds.lib.asking import kinds
from ...teaching.progress.progress import Answered, Progress, counted_as, now_text
from ...teaching.questions.question import Question, Reply, told_by_reveal
from ...teaching.questions.subject import FROM_NOWHERE, Subject, shown, values_of
from ...teaching.questions.wording import listed, without_formula
from ...teaching.tasks.tasks import AuthoredQuestion
from ...tracing import Trace
from ..shown.desk import Desk
from ..shown.picture import Entries, Picture
from ..shown.state import PictureState
from .answering import MOST_TYPED, NONE, SEPARATORS, first_sentence, hides_memory, typed_json, unit_of
from .ask_state import AskState, Option
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
FORMULA_LINES = 22
"""Lines of a screen from which on the formula stands below the picture; memory tells more where that is asked about."""


class AskDesk(Desk):
    """Asks about one experiment. No clock but the one it is given, and no dice but its seed.

    A subclass chooses otherwise what is asked: by `_next`, `_another` and `_heard`.
    """

    subject: Subject
    question: Question

    def __init__(
        self,
        one: Experiment,
        progress: Progress,
        now: Callable[[], float],
        *,
        seed: int = 0,
        turned: bool = False,
        only: Sequence[str] | None = None,
        own: Question | None = None,
        named: str = "",
    ) -> None:
        """`only` has the kinds that are asked, all for None. `own` is what the experiment itself asks.

        That comes first, and may be about another desc, with something changed. `named` is the name of the lesson that
        the experiment belongs to. Raises DmlvizError, with a sentence, where there is nothing to ask.
        """
        self._home, self._seed, self._own = Subject(one), seed, own
        asked = [kind for kind in kinds().values() if not kind.authored and (only is None or kind.name in only)]
        asked = [kind for kind in asked if one.is_wired or not kind.of_chains]
        asked.sort(key=lambda kind: not (kind.pictured and kind.form.how == "choose"))  # whole pictures come first
        early = [kind for kind in asked if not kind.late]
        begin = seed % max(1, len(early))
        self._kinds = [*early[begin:], *early[:begin], *(kind for kind in asked if kind.late)]
        self._like: Question | None = None
        """What is asked after a wrong answer."""
        self._begin_with(own or self._first(), progress, now, turned=turned, named=named)

    def _begin_with(
        self, question: Question, progress: Progress, now: Callable[[], float], *, turned: bool = False, named: str = ""
    ) -> None:
        super().__init__(Picture(memory=False), now)
        self._progress, self._turned, self._named = progress, turned, named
        self._view: ViewState | None = None
        self.lines = 99
        """Lines of the screen."""
        self._memory: bool | None = None  # what somebody has chosen of the memory strip
        self._told, self._kept = len(progress.problems), len(progress.answers)
        self._right = self._count = 0
        self._begin(question)

    # ---- which question

    def _first(self) -> Question:
        """The first question; "none is unread" is no question to begin with, unless there is no other."""
        every = [q for k in range(len(self._kinds)) if (q := self._question_of(k, 0)) is not None]
        if not every:
            raise DmlvizError(self._home.sentence("ask.nothing"))
        return next((question for question in every if question.truth != ()), every[0])

    def _question_of(self, kind: int, more: int) -> Question | None:
        """A question of kind number `kind` about `home`, with `more` added to the seed; None where there is none."""
        return self._kinds[kind].make(self._home, self._seed + more)  # whatever an own task has changed

    def _begin(self, question: Question, before: tuple[Question, ...] = ()) -> None:
        """Asks a question: nothing is answered, and the picture is made anew. `before` are those that it is like."""
        if self._view is None or question.subject is not self.subject:
            self.subject = question.subject
            self._view = view_state_of(self.experiment, turned=self._turned)
        self.question, self._before, self._like = question, before, None
        self.options = Options(question)
        self.form = self.options.form
        self.open, self._looked_up = True, False
        self.verdict: Reply | None = None
        self.hints, self._sentence = 0, ""
        self._given: Any = None
        self._played = self._plays(question)
        self._began = self.now()
        self._slot = 0
        self._places = places_of(question) if self.form.name == "values" else []  # typed into one after another
        self._slots = [""] * max(1, len(self._places))
        self._marked: set[Cursor] = set()
        self._marks_none = False  # somebody has said that none is to be marked, or that one comes from nowhere
        self._chosen: Cursor | None = None  # the element that is pointed at, which steps leave as it is
        self._checked = False  # what is typed next replaces what is there
        self._new_picture(Player(Unit.SLICE) if self.can_step else None)
        self.picture.hidden = NOTHING
        self.picture.answers = Answers(question.kind.draws_outputs)
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
    def experiment(self) -> Experiment:
        """The experiment that is asked about now."""
        return self.subject.experiment

    @property
    def home(self) -> Experiment:
        """The experiment that was to be asked about; its own task may be about a changed one."""
        return self._home.experiment

    @property
    def has_answers(self) -> bool:
        """True once a question was answered or skipped."""
        return self._count > 0

    @property
    def can_show_memory(self) -> bool:
        """True if linear memory can be shown: nothing of the question is told by it."""
        return self.is_pictured and self.picture.tells_memory

    @property
    def _types_into_cells(self) -> bool:
        """True if what is typed stands in the picture's cells; else below it: their place would tell the order."""
        return self.form.fills and not self.question.kind.about_memory

    @property
    def moves_cursor(self) -> bool:
        """True if the cursor in the picture is the user's; False where what is asked isn't drawn."""
        return self.is_pictured and (not self.open or self.question.kind.draws_outputs)

    @property
    def is_pictured(self) -> bool:
        """True if tensors are drawn as in the explorer: while a question is open, where that tells nothing."""
        return self._view is not None and self._view.live and (self.question.kind.pictured or not self.open)

    @property
    def can_step(self) -> bool:
        """True if steps can be shown: after the reveal, or while a lesson's author hides nothing of the picture."""
        return self.is_pictured and (not self.open or self._played is not None)

    def _plays(self, question: Question) -> Apart | None:
        """What steps may show while a question is open; None where there are none then."""
        return None

    def _first_cursor(self) -> Cursor:
        """The element asked about where that is drawn; else the first that can be pointed at."""
        at, trace = self.question.at, self.trace
        if self.form.is_pointed:
            place = Place(self.form.side == "outputs", self.question.kind.tensor_marked(self.subject))
            return Cursor(place, (0,) * len(part_of(trace, place).tensor.sizes))
        if self._places:
            return self._places[0]
        if at is not None and (self.picture.answers.outputs or not at.place.is_output):
            cursor = Cursor(at.place, at.index)
            if is_inside(trace, cursor):
                return cursor
        return Cursor(Place(False, 0), (0,) * len(trace.inputs[0].tensor.sizes))

    # ---- what a user does

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

    def turn_memory(self) -> None:
        """Shows or hides linear memory, from now on, where `can_show_memory`."""
        if self.can_show_memory:
            self.picture.turn_memory()
            self._memory = self.picture.memory

    def press(self, key: str) -> None:
        """Types a digit, sign or point; comma or blank part numbers. What was refused or left is typed over."""
        if not (self.open and self.form.is_typed and key in KEYS):
            return
        self._sentence, text = "", self._slots[self._slot]
        if key in SEPARATORS and self.form.fills:
            self.go_slot(1)
            return
        if key == " ":
            if self.form.name not in ("sizes", "field") or text[-1:] in ("", ","):
                return
            key = ","
        text = key if self._checked and key != "," else text + key
        self._checked = False
        if len(text) <= MOST_TYPED:
            self._slots[self._slot] = text

    def erase(self) -> None:
        """Takes the last character away; in an empty cell goes back to the one before."""
        if self.open and self.form.is_typed:
            self._sentence = ""
            if not self._slots[self._slot] and self._slot:
                self.go_slot(-1)
                return
            self._checked, self._slots[self._slot] = False, self._slots[self._slot][:-1]

    def go_slot(self, by: int) -> None:
        """Goes `by` cells on among those that are typed into, from the last to the first."""
        self.go_to_slot((self._slot + by) % len(self._slots))

    def go_to_slot(self, slot: int) -> None:
        """Goes to one of the places that are typed into, from 0; nowhere where there is no such place."""
        if self.open and self.form.fills and 0 <= slot < len(self._slots):
            self._slot, self._checked = slot, True
            if self._types_into_cells:
                self.picture.point(self._places[slot])

    def move(self, rows: int, columns: int) -> None:
        """Moves the cursor: in a list, from cell to cell, or to the next picture."""
        if self.open and self.form.is_listed:
            self._sentence = ""
            self.options.move(rows if self.form.takes_several or not columns else columns)
        elif self.open and self.form.fills:
            self.go_slot(columns or rows)
        elif self.moves_cursor:
            self._take_cursor()
            before = self.picture.cursor
            self.picture.move(rows, columns)
            if before is not None and not self._is_answer(self.picture.cursor):
                self.picture.point(before)
            self._choose()

    def page(self, way: int) -> None:
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

    def _is_answer(self, cursor: Cursor | None) -> bool:
        """True for an element that may be marked or pointed at; of any where neither is done."""
        if cursor is None or not (self.open and self.form.is_pointed):
            return True
        if cursor.place.is_output or self.form.side == "outputs":
            return cursor.place.is_output and self.form.side == "outputs"
        inputs = self.subject.desc.inputs
        asked = inputs[self.question.kind.tensor_marked(self.subject)]
        return (inputs[cursor.place.number].field.role is Role.DATA) is (asked.field.role is Role.DATA)

    def _take_cursor(self) -> None:
        """Takes the cursor in hand: from where steps or another page have led it, back to where the answer is."""
        self._sentence = ""
        if not self._is_answer(self.picture.cursor):
            self.picture.point(self._chosen or self._first_cursor())

    def _choose(self) -> None:
        """Makes the element under the cursor the answer, where one is pointed at."""
        if self.open and self.form.is_pointed and not self.form.takes_several:
            self._chosen, self._marks_none = self.picture.cursor, False

    def other_side(self) -> None:
        """Moves the cursor to the next tensor; to the next cell, option or picture where those answer."""
        if self.open and (self.form.fills or self.form.is_listed):
            self.move(1, 0)
        elif self.moves_cursor:
            is_asked = self.open and self.form.is_pointed
            self._take_cursor()
            for _ in self.subject.desc.parts:
                self.picture.to_next_tensor((self.form.side == "outputs",) if is_asked else (False, True))
                if self._is_answer(self.picture.cursor):
                    break
            self._choose()

    def point(self, cursor: Cursor) -> None:
        """Looks at an element, which answers nothing."""
        if self.is_pictured:
            self.picture.point(cursor)

    def click(self, cursor: Cursor) -> None:
        """Looks at an element, and marks it, points at it or goes to its cell, where that answers."""
        if not (self.moves_cursor and is_inside(self.trace, cursor)):
            return  # as after a click at a picture that has gone
        if self.open and self._types_into_cells and cursor in self._places:
            self.go_to_slot(self._places.index(cursor))
            return
        self._sentence = ""
        if not self._is_answer(cursor):
            self._say_what_answers(cursor)
            return
        self.picture.point(cursor)
        self._choose()
        if self.form.is_marked:
            self.mark()

    def _say_what_answers(self, cursor: Cursor) -> None:
        """Says among which tensors the answer is, and that an element isn't of those."""
        trace = self.trace
        sides = (False, trace.inputs), (True, trace.outputs)
        every = ((Cursor(Place(is_output, k), ()), part) for is_output, parts in sides for k, part in enumerate(parts))
        names = listed([*dict.fromkeys(part.field.name for first, part in every if self._is_answer(first))])
        self._sentence = self.subject.sentence("ask.other_tensor", names=names, path=part_of(trace, cursor.place).path)

    def mark(self) -> None:
        """Marks the element under the cursor, or takes its mark away; of options, chooses the one under the cursor."""
        if not self.open:
            return
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

    def choose(self, id_: str) -> None:
        """Chooses an option by letter or name, or takes it back; `NONE` says that no element is to be marked."""
        if self._none is not None and id_ == NONE:
            self._marks_none, self._chosen, self._sentence = not self._marks_none, None, ""
            self._marked.clear()
        elif self.open and self.options.choose(id_):
            self._sentence = ""

    def answer(self) -> None:
        """Gives the answer; after the reveal, goes on to what is asked next."""
        if not self.open:
            self._next()
            return
        if self.form.how == "edit":
            return  # a screen of its own answers
        empty = [k for k, text in enumerate(self._slots) if not text] if self.form.fills else []
        if self._slot in empty:
            self._sentence = first_sentence(self.question)
        elif empty:
            self.go_to_slot(next((k for k in empty if k > self._slot), empty[0]))
        else:
            self._grade()

    def _grade(self) -> None:
        try:
            given = self._answer_json()
            verdict = self.question.grade(given)
        except DmlvizError as error:
            self._sentence, self._checked = str(error), True
            return
        self._given, self.verdict = given, verdict
        self._right += verdict.right
        self._reveal(verdict)
        self._like = None if verdict.right else self._wrong_again()

    def hint(self) -> None:
        """The next of four hints; the last says how to find the answer, which counts as looked up from then on."""
        if self.open:
            self.hints = min(self.hints + 1, MOST_HINTS)
            self._looked_up |= self.hints == MOST_HINTS

    def skip(self) -> None:
        """Shows the answer without one being given; recorded as skipped."""
        if self.open:
            self._reveal(None)

    def look_up(self) -> None:
        """Notes that the desc is explored; an answer that comes after that counts as looked up."""
        self._looked_up |= self.open

    def another(self) -> None:
        """Asks another question like the one that was answered, or says that there is none; nothing while it's open."""
        if self.open or self.form.how == "edit":
            return
        question = self._another()
        if question is None:
            self._sentence = self.subject.sentence("another.none")
        else:
            self._begin(question, (*self._before, self.question)[-MOST_BEFORE:])

    def step(self, by: int) -> None:
        """Shows the step `by` further, where `can_step`; back from nothing is no way to the end."""
        if self.can_step and self.picture.player.step is None and (by > 0 or self.open):
            self.picture.go(max(0, by))
        else:
            super().step(by)

    # ---- on to the next

    def _another(self) -> Question | None:
        """A question like the one that was answered; None for none."""
        return self._like or self._follow_up()

    def _wrong_again(self) -> Question | None:
        """What is asked next after a wrong answer; None for what comes anyhow."""
        return self._follow_up()

    def _follow_up(self) -> Question | None:
        """A question like the one that was answered, about the wrong rule that the answer followed; None for none."""
        rules = self.verdict.rules if self.verdict is not None else ()
        believed = [answer.rules[0] for answer in reversed(self._progress.answers[-MOST_BEFORE:]) if answer.rules]
        seed = self._seed + self._count
        return follow_up(self.question, rules[0] if rules else "", seed=seed, believed=believed, before=self._before)

    def _next(self) -> None:
        """Asks the next question: another like it after a wrong answer, else of the next kind.

        It is about `home`, or about a desc like it where its answer was just shown. Where there is nothing else, what
        was asked is asked once more.
        """
        if self._like is not None:
            self.another()
            return
        before, told, begin = self.question, None, self._next_kind()
        for k in range(len(self._kinds)):
            question = self._question_of((begin + k) % len(self._kinds), self._count)
            if question is not None and told_by_reveal(before, question):
                told = told or question
                question = follow_up(question, seed=self._seed + self._count, before=[before])
            if question is not None:
                self._begin(question)
                return
        if told is not None or before is self._own:
            self._begin(told or before)

    def _next_kind(self) -> int:
        """The number of the kind to ask next: the one after this, of which there is another question."""
        at, count = self._kinds.index(self.question.kind) if self.question.kind in self._kinds else -1, len(self._kinds)
        return next((kind % count for kind in range(at + 1, at + count) if self._can_ask(kind % count)), max(at, 0))

    def _can_ask(self, kind: int) -> bool:
        """True if there is another question of kind number `kind` about `home`."""
        key = "asked", self._kinds[kind].name
        return self._home.keep(key, lambda: self._question_of(kind, self._count + 1) is not None)

    @property
    def _after(self) -> str:
        """What enter asks next, in a few words."""
        is_like = self._like is not None or not self._kinds or self._kinds[self._next_kind()] is self.question.kind
        return self.subject.sentence("next.like" if is_like else "next.on")

    # ---- the answer

    def _answer_json(self) -> Any:
        question, form, parts = self.question, self.form, self.subject.desc
        if form.is_typed:
            return typed_json(question, self._slots)
        if form.is_listed:
            return self.options.json()
        marked = {*self._marked, *filter(None, [self._chosen])}
        if not (marked or self._marks_none):
            raise DmlvizError(first_sentence(question))
        sizes = [part.tensor.sizes for part in (parts.outputs if form.side == "outputs" else parts.inputs)]
        cells = sorted((cursor.place.number, cursor.index) for cursor in marked)
        return json_of(question, " ".join(f"{k}:{flat_in(index, sizes[k])}" for k, index in cells))

    def _task_id(self) -> str:
        """The id under which the answer is kept: a task's, or the experiment's name."""
        authored = self.question.task.id if isinstance(self.question, AuthoredQuestion) else ""
        return authored or self.experiment.name

    def _keep(self, right: bool, verdict: Reply | None = None) -> None:
        """Counts an answer, and appends it to the progress; neither right nor judged it is skipped."""
        now = self.now()
        answered = Answered(
            time=now_text(now),
            task=self._task_id(),
            operator=self.subject.operator.name,
            kind=self.question.kind.name,
            seed=self.question.seed,
            right=right,
            answer=self._given if verdict is not None else None,
            rules=verdict.rules if verdict is not None else (),
            on=self._on,
            rungs=self.hints,
            skipped=verdict is None and not right,
            looked_up=self._looked_up,
            seconds=max(0.0, round(now - self._began, 1)),
            lesson=counted_as(self._named, self.question.kind.name),
        )
        self._count += 1
        self._progress.add(answered)
        self._kept = len(self._progress.answers)
        self._heard(answered)

    @property
    def _on(self) -> str:
        """The wrong rule that the question is about; "" for none."""
        return ""

    def _heard(self, answered: Answered) -> None:
        """Takes an answer, and how it was graded, into account."""

    # ---- the reveal

    def _reveal(self, verdict: Reply | None) -> None:
        """Keeps the answer, closes the question, and draws the picture with its outputs."""
        self._sentence = ""
        self._keep(verdict is not None and verdict.right, verdict)
        self.open, cursor = False, self.picture.cursor
        if not self.is_pictured:
            return
        wrong = self._outcome.differing
        widest = max(map(len, wrong.values()), default=0)
        # At a pinch a sign alone stands in the blank that a value has.
        self._more = (widest + 2, widest + 1) if widest else (2, 1, 0)
        unit = unit_of(self.question, self.experiment)
        self._new_picture(Player(unit) if unit.is_memory else None)
        assert self._view is not None
        self.picture.look_at(self._view)
        self.picture.cursor = self._reveal_cursor(cursor, next(iter(wrong), None))
        self._refit()

    def _reveal_cursor(self, cursor: Cursor | None, wrong: Cursor | None) -> Cursor | None:
        """The element that the reveal begins with: the first that is wrong, or the one that was asked about."""
        at = self.question.at
        asked = (
            [Cursor(at.place, at.index)] if at is not None and is_inside(self.trace, Cursor(at.place, at.index)) else []
        )
        asked += self._places[:1]
        return wrong or next(iter(asked), cursor if cursor is not None and cursor.place.is_output else None)

    @property
    def _outcome(self) -> Outcome:
        return Outcome(
            question=self.question,
            form=self.form,
            verdict=self.verdict,
            given=self._given,
            places=tuple(self._places),
            shows_memory=self.can_show_memory,
        )

    # ---- what is shown

    @property
    def trace(self) -> Trace:
        """What the picture is of, where there is one."""
        assert self._view is not None
        assert self._view.trace is not None
        return self._view.trace

    def notices(self) -> list[str]:
        """Sentences on answers that couldn't be kept, each once."""
        said = self._progress.problems[self._told :]
        self._told += len(said)
        return [*super().notices(), *said]

    @property
    def state(self) -> AskState:
        """What is shown of the question now."""
        question, open_, typed = self.question, self.open, self._slots[0]
        return AskState(
            question=question,
            form=self.form,
            picture=self._picture_state(),
            open=open_,
            in_picture=self.is_pictured,
            fields=fields_of(question, self.verdict, typed, is_open=open_, pictured=self.is_pictured),
            tables=() if self.is_pictured else tables_of(question, typed, is_open=open_),
            looked_at=self._value_at_cursor(),
            moves=self.moves_cursor or (open_ and self.form.is_listed),
            steps=self.can_step,
            formula=not open_ and self._has_formula,
            slots=tuple(self._slots) if self.form.is_typed else (),
            slot=self._slot,
            options=self.options.open() if open_ else self.options.revealed(skipped=self.verdict is None),
            pointed=self._pointed,
            none=self._none,
            sentence=self._sentence,
            hint=question.hint(self.hints) if self.hints else "",
            hints=self.hints,
            verdict=self.verdict,
            sentences=() if open_ else self._told_sentences,
            next=self._after,
            answered=(self._right, self._count),
            **self._parts(),
        )

    def _parts(self) -> dict[str, Any]:
        """Other parts of the state, by their names."""
        return {}

    @property
    def _has_formula(self) -> bool:
        """True if the screen has room for the formula line once the question is answered."""
        return self.is_pictured and self.lines >= FORMULA_LINES + 10 * self.picture.wants_memory

    @property
    def _taught(self) -> tuple[str, ...]:
        """What is said besides the verdict."""
        return ()

    @property
    def _told_sentences(self) -> tuple[str, ...]:
        """What came of the answer, what is made of it, and that no other question is like it; each sentence once."""
        is_counted = self._looked_up and self.verdict is not None and self.verdict.right
        warned = self.subject.sentence("verdict.looked_up") if is_counted else ""
        told = (*self._outcome.sentences, warned, *self._taught, self._sentence)
        if not self._has_formula:
            told = tuple(map(without_formula, told))
        return tuple(dict.fromkeys(filter(None, told)))

    def _picture_state(self) -> PictureState:
        if not self.is_pictured:
            return PictureState()
        if self.open:  # a step shows what it has written but for what is asked; without one nothing is shown
            self.picture.hidden = NOTHING if self.picture.player.step is None else self._written()
        shown = self.picture.state(self._lights(), self._entries())
        if self.open and self._played is not None and self.picture.player.step in self._played.steps_asked:
            shown = replace(shown, look=replace(shown.look, lit=None))  # what that step moves would be the answer
        if not self.moves_cursor:
            shown = replace(shown, look=replace(shown.look, cursor=None), links=Partners())
        return shown

    def _written(self) -> Known:
        """What is known while steps are shown before the answer."""
        steps = self.picture.live_steps  # None while the layout is on its way
        if steps is None or self._played is None:
            return NOTHING
        return Without(self.picture.player.known(steps), self._played)

    def _value_at_cursor(self) -> str:
        """`InputTensor[0,1] = 3` of the cursor's input element, while an answer is typed; "" else."""
        cursor = self.picture.cursor
        if not (self.open and self.moves_cursor and self.form.is_typed) or cursor is None or cursor.place.is_output:
            return ""
        part, at = part_of(self.trace, cursor.place), [np.array([i], np.int64) for i in cursor.index]
        (value,) = values_of(self.trace.read(cursor.place.number, ravel(at, part.tensor.sizes)))
        return f"{part.path}{brackets(cursor.index)} = {shown(value)}"

    @property
    def _pointed(self) -> str:
        """The answer so far, where elements are pointed at or marked; "" for other questions."""
        if not (self.open and self.form.is_pointed):
            return ""
        if self._none is not None and self._marks_none:
            return self._none.text
        if self._marked:
            return self.subject.sentence("answer.marked", count=len(self._marked))
        cursor = self._chosen
        return "?" if cursor is None else f"{part_of(self.trace, cursor.place).path}{brackets(cursor.index)}"

    @property
    def _none(self) -> Option | None:
        """That none is to be marked, or that an element comes from nowhere; None where neither can be answered."""
        from_nowhere = self.question.kind.takes_nowhere(self.subject)
        if not (self.open and (self.form.is_marked or from_nowhere)):
            return None
        text = self.subject.sentence("answer.nowhere" if from_nowhere else "words.none")
        return Option(NONE, text, chosen=self._marks_none)

    def _lights(self) -> Lights:
        """Tensors and their axes that the verdict lights."""
        if self.open or self.verdict is None or self.verdict.right:
            return Lights()
        paths, axes = {part.path for part in self.subject.desc.parts}, set()
        for path, _, axis in (light.partition(".Sizes[") for light in self.verdict.lights):
            if path in paths:
                axes.add((path, int(axis[:-1]) if axis[:-1].isdigit() else -1))
        return Lights(named=frozenset(axes))  # a name is no error

    def _entries(self) -> Entries:
        """Signs and texts on elements, by tensor and flat index: of the answer so far, or of the verdict."""
        signs: list[tuple[Cursor, EntryKind, str]] = []
        question, at = self.question, self.question.at
        if self.open:
            for k, cursor in enumerate(self._places if not self.question.kind.about_memory else ()):
                kind = EntryKind.ASKED if k == self._slot else EntryKind.WAITS
                signs.append((cursor, kind, self._slots[k]))
            signs += [(cursor, EntryKind.MARK, "") for cursor in (*self._marked, self._chosen) if cursor is not None]
            if at is not None and not self._places and question.kind.draws_outputs:
                signs.append(
                    (Cursor(at.place, at.index), EntryKind.ASKED if at.place.is_output else EntryKind.ABOUT, "")
                )
        elif self.verdict is not None and self.picture.player.step is None:
            signs += [(cursor, EntryKind.WRONG, said) for cursor, said in self._outcome.differing.items()]
            if self._places and not self.form.fills and self.verdict.right:
                signs.append((self._places[0], EntryKind.RIGHT, ""))
            if self.form.is_pointed:
                answer, truth = question.kind.form.read(question, self._given), question.truth
                answers, truths = ({*answer}, {*truth}) if self.form.takes_several else ({answer}, {truth})
                for k, index in (answers | truths) - {FROM_NOWHERE}:
                    hit, meant = (k, index) in answers, (k, index) in truths
                    kind = EntryKind.RIGHT if hit and meant else EntryKind.WRONG if hit else EntryKind.MISSED
                    signs.append((Cursor(Place(self.form.side == "outputs", k), index), kind, ""))
        entries = Entries()
        for cursor, kind, text in signs:
            if is_inside(self.trace, cursor):
                entries.setdefault(cursor.place, {})[flat_of(self.trace, cursor)] = Entry(kind, text)
        return entries
