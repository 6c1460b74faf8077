"""Questions that are answered step by step in their picture: each method is one thing that a user does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside
from ...scene.elements.partners import Partners
from ...scene.lights import Lights
from ...scene.look import EntryKind
from ...scene.steps.player import Player
from ...scene.view_state import view_state_of
from ...session.experiments import Experiment
from ...teaching.diagnosis.practice import Practice, follow_up
from ...teaching.kinds.lib.asking import kinds
from ...teaching.progress.progress import Progress, counted_as
from ...teaching.questions.question import Form, Question, Reply, told_by_reveal
from ...teaching.questions.subject import Subject
from ...teaching.tasks.tasks import AuthoredQuestion
from ...teaching.words.catalogue import found, sentence
from ..lessons.lesson import LessonState, RunningLesson
from ..shown.picture import Entries, Picture, Signs
from ..shown.state import PicturedState, PictureState
from .asked_desc import Answering, AskedDesk, FieldState, TableState, fields_of, first_sentence, tables_of, unit_of


class AskState(PicturedState, frozen=True, kw_only=True):
    """All that the screen shows of a question. Nothing in it tells the answer while `open`."""

    question: Question
    answer: Answering
    form: Form
    """How it is answered here: a desc that mends another is chosen among edits."""
    open: bool
    verdict: Reply | None
    """None where the question was skipped, too."""
    # ---- the desc
    in_picture: bool
    """False where plain tables and lists stand in the picture's place."""
    fields: tuple[FieldState, ...]
    tables: tuple[TableState, ...]
    moves: bool
    steps: bool
    # ---- what is told
    hints: int
    hint: str
    sentences: tuple[str, ...]
    next: str
    answered: tuple[int, int]
    """(right, answers) since the screen was opened."""
    lesson: LessonState | None = None
    introduced: tuple[str, ...] = ()
    """Sentences on the terms that it is the first to have."""

    @property
    def words(self) -> str:
        """What is read of it, but for the cells of its picture."""
        subject = self.question.subject
        desc = subject.desc
        parts = [part.path for part in desc.parts] if self.in_picture else []
        if self.in_picture and not self.open:
            data = sum(part.tensor.element_count for part in desc.inputs if part.is_data)
            if subject.operator.reads_vary or sum(part.tensor.element_count for part in desc.outputs) > data:
                parts.append("×2")  # how often elements are read is told with the answer
        marks = self.lesson.marks if self.lesson is not None else ()
        parts += [sign for mark, sign in (("missed", "▣"), ("begun", "▣"), ("looked up", "◧")) if mark in marks]
        parts += [field.path for field in self.fields] + [table.title for table in self.tables]
        parts += [option.text for option in self.answer.options] + [self.answer.sentence, self.hint]
        return "\n".join((self.question.prompt, *parts, *self.sentences))


MOST_HINTS = 4
MOST_BELIEVED = 8


class AskDesk(AskedDesk):
    """Asks about one experiment. No clock but the one it is given, and no dice but its seed.

    A subclass asks what its `source` chooses.
    """

    question: Question
    answering: Answering
    source: Practice | RunningLesson | None = None
    _seed, _named = 0, ""

    def __init__(
        self,
        one: Experiment,
        progress: Progress,
        now: Callable[[], float],
        *,
        seed: int = 0,
        only: Sequence[str] | None = None,
        own: Question | None = None,
        named: str = "",
    ) -> None:
        """`only` has the kinds that are asked, all for None. `own` is what the experiment itself asks.

        That comes first, and may be about another desc, with something changed. `named` is the name of the lesson that
        the experiment belongs to. Raises DmlvizError, with a sentence, where there is nothing to ask.
        """
        self._home, self._seed, self._named = Subject(one), seed, named
        asked = [kind for kind in kinds().values() if not kind.authored and (only is None or kind.name in only)]
        asked = [kind for kind in asked if one.is_wired or not kind.of_chains]
        asked.sort(key=lambda kind: not (kind.pictured and kind.form.how == "choose"))
        early = [kind for kind in asked if not kind.late]
        begin = seed % max(1, len(early))
        self._kinds = [*early[begin:], *early[:begin], *(kind for kind in asked if kind.late)]
        every = (question for kind in self._kinds if (question := kind.make(self._home, seed)) is not None)
        if (first := own or next(every, None)) is None:
            raise DmlvizError(sentence("ask.nothing"))
        self._begin_with(first, progress, now)

    def _begin_with(self, question: Question, progress: Progress, now: Callable[[], float]) -> None:
        super().__init__(Picture(memory=False), now)
        self._progress = progress
        self.view = view_state_of(question.subject.experiment)
        self._kept = len(progress.answers)
        self._right = self._count = 0
        self._terms: dict[str, tuple[Question, bool]] = {}  # what was the first to have a term, and whether it was open
        self._begin(question)

    # ---- which question

    def _begin(self, question: Question, before: tuple[Question, ...] = ()) -> None:
        self._before = before
        self._like: Question | None = None  # what is asked after a wrong answer
        self.question, self.open, self.draws_open = question, True, question.kind.pictured
        self.answering = Answering(question, lambda cursor: self.picture.point(cursor))
        if self.view.experiment is not self.experiment:
            self.view = view_state_of(self.experiment)
        self.hints, self._looked_up = 0, False
        self._began = self.now()
        self._look_anew(None)
        if self.is_pictured:
            self.picture.cursor = self._first_cursor()
        self._refit()

    @property
    def subject(self) -> Subject:
        return self.question.subject

    @property
    def form(self) -> Form:
        return self.answering.form

    @property
    def experiment(self) -> Experiment:
        """The experiment that is asked about now."""
        return self.subject.experiment

    @property
    def home(self) -> Experiment:
        """The experiment that was to be asked about; its own task may be about a changed one."""
        return self._home.experiment

    @property
    def verdict(self) -> Reply | None:
        """What is said to the answer; None while there is none."""
        return self.answering.verdict

    @property
    def has_answers(self) -> bool:
        """True once a question was answered or skipped."""
        return self._count > 0

    @property
    def moves_cursor(self) -> bool:
        """True if the cursor in the picture is the user's; False where what is asked isn't drawn."""
        return self.is_pictured and (not self.open or self.question.kind.draws_outputs)

    @property
    def can_step(self) -> bool:
        """True if steps can be shown: after the reveal."""
        return self.is_pictured and not self.open

    def _first_cursor(self) -> Cursor:
        if self.answering.tensors:
            side = self.form.side == "outputs"
            return self._first_of(Place(side, self.question.kind.tensor_marked(self.subject)))
        return self._asked() or self._first_of(Place(False, 0))

    # ---- what a user does

    def move(self, rows: int, columns: int) -> None:
        """Moves the cursor: in a list, from cell to cell, or in the picture."""
        answering = self.answering
        if self.open and self.form.is_listed:
            answering.move(rows if self.form.takes_several or not columns else columns)
        elif self.open and self.form.fills:
            answering.go_to_slot(answering.slot + (columns or rows))
        elif self.moves_cursor:
            cursor, tensors = self.picture.cursor, answering.tensors if self.open else ()
            if tensors and (cursor is None or cursor.place not in tensors):  # where steps or a click have led it
                self.picture.point(next(iter(answering.cells), self._first_cursor()))
            self._point(self.picture.moved(rows, columns))

    def page(self, way: int) -> None:
        """Looks at the next slice (1) or the one before (-1), from the last at another tensor; without a cursor too."""
        picture = self.picture
        cursor, scene = picture.cursor, picture.scene
        if self.is_pictured and cursor is not None and scene is not None:
            target = scene.stack(cursor.place.is_output).turned(cursor, way, 0)
            if target is not None and target != cursor:
                picture.point(target)
            else:
                picture.to_next_tensor()

    def _point(self, target: Cursor | None) -> None:
        answering, tensors = self.answering, self.answering.tensors if self.open else frozenset()
        answering.sentence = ""
        if target is not None and (not tensors or target.place in tensors):
            self.picture.point(target)
        cursor = self.picture.cursor
        if cursor is not None and cursor.place in tensors and not self.form.takes_several:
            answering.mark(cursor)

    def other_side(self) -> None:
        """Moves the cursor to the next tensor; to the next cell, option or picture where those answer."""
        if self.open and (self.form.fills or self.form.is_listed):
            self.move(1, 0)
        elif self.moves_cursor:
            sides = [self.form.side == "outputs"] if self.open and self.answering.tensors else [False, True]
            self.picture.to_next_tensor(sides)
            self._point(None)

    def click(self, cursor: Cursor) -> None:
        """Looks at an element, and marks it, points at it or goes to its cell, where that answers."""
        if not (self.moves_cursor and is_inside(self.trace, cursor)):
            return  # as after a click at a picture that has gone
        answering = self.answering
        if self.open and answering.types_into_cells and cursor in answering.places:
            answering.go_to_slot(answering.places.index(cursor))
            return
        self.picture.point(cursor)
        if self.open and answering.tensors:
            answering.mark(cursor)

    def mark(self) -> None:
        """Marks the element under the cursor, or takes its mark away; of options, chooses the one under the cursor."""
        answering, cursor = self.answering, self.picture.cursor
        if self.open and self.form.is_marked and cursor is not None:
            answering.mark(cursor)
        elif self.open and answering.at is not None:
            answering.choose(answering.options[answering.at].id)
        elif self.open and self.form.is_listed:
            answering.sentence = first_sentence(self.question)

    def answer(self) -> None:
        """Gives the answer; after the reveal, goes on to what is asked next."""
        answering = self.answering
        if not self.open:
            self._next()
            return
        if self.form.how == "edit":
            return  # a screen of its own answers
        empty = [k for k, text in enumerate(answering.slots) if not text] if self.form.fills else []
        if empty and answering.slot not in empty:
            answering.go_to_slot(next((k for k in empty if k > answering.slot), empty[0]))
            return
        try:
            given = answering.json()
            verdict = self.question.grade(given)
        except DmlvizError as error:
            answering.sentence, answering.retypes = str(error), not empty
            return
        self._right += verdict.right
        self._reveal(verdict, given)
        if self.source is None and not verdict.right:
            self._like = self._follow_up()

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
            self.answering.sentence = sentence("another.none")
        else:
            self._begin(question, (*self._before, self.question))

    # ---- on to the next

    def _another(self) -> Question | None:
        return self._like or self._follow_up()

    def _follow_up(self) -> Question | None:
        rules = self.verdict.rules if self.verdict is not None else ()
        believed = [each.rules[0] for each in reversed(self._progress.answers[-MOST_BELIEVED:]) if each.rules]
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
        before, told = self.question, None
        begin = self._kinds.index(before.kind) + 1 if before.kind in self._kinds else 0
        for kind in (*self._kinds[begin:], *self._kinds[:begin]):
            question = kind.make(self._home, self._seed + self._count)
            if question is not None and told_by_reveal(before, question):
                told = told or question
                question = follow_up(question, seed=self._seed + self._count, before=[before])
            if question is not None:
                self._begin(question)
                return
        self._begin(told or before)

    @property
    def _after(self) -> str:
        return sentence("next.like" if self._like is not None else "next.on")

    # ---- the answer

    def _task_id(self) -> str:
        authored = self.question.task.id if isinstance(self.question, AuthoredQuestion) else ""
        return authored or self.experiment.name

    def _keep(self, right: bool, verdict: Reply | None = None) -> None:
        answered = self._record(
            self._progress,
            self._began,
            task=self._task_id(),
            operator=self.subject.operator.name,
            kind=self.question.kind.name,
            seed=self.question.seed,
            right=right,
            answer=self.answering.given,
            rules=verdict.rules if verdict is not None else (),
            on=self.source.on if self.source is not None else "",
            rungs=self.hints,
            skipped=verdict is None and not right,
            looked_up=self._looked_up,
            lesson=counted_as(self._named, self.question.kind.name),
        )
        self._count += 1
        self._kept = len(self._progress.answers)
        if self.source is not None:
            self.source.heard(self.question, self.answering.given, answered)

    def _reveal(self, verdict: Reply | None, given: Any = None) -> None:
        answering, cursor = self.answering, self.picture.cursor
        answering.sentence = ""
        answering.verdict, answering.given = verdict, given
        self._keep(verdict is not None and verdict.right, verdict)
        self.open = answering.open = False
        if self.is_pictured:
            wrong, unit = answering.differing, unit_of(self.question, self.experiment)
            more = max(map(len, wrong.values()), default=-1) + 1  # a wrong answer stands beside the truth
            self._look_anew(Player(unit) if unit.is_memory else None, more=more)
            kept = cursor if cursor is not None and cursor.place.is_output else None
            self.picture.cursor = next(iter(wrong), self._asked() or kept)
            self._refit()

    # ---- what is shown

    @property
    def state(self) -> AskState:
        """What is shown of the question now; practice and lessons say of each term what it is where it comes first."""
        question, open_, answering = self.question, self.open, self.answering
        typed = next(iter(answering.slots), "")
        state = AskState(
            question=question,
            answer=copy(answering),
            form=answering.form,
            picture=self._picture_state(),
            open=open_,
            verdict=self.verdict,
            in_picture=self.is_pictured,
            fields=fields_of(question, self.verdict, typed, is_open=open_, pictured=self.is_pictured),
            tables=() if self.is_pictured else tables_of(question, typed, is_open=open_),
            moves=self.moves_cursor or (open_ and self.form.is_listed),
            steps=self.can_step,
            hints=self.hints,
            hint=question.hint(self.hints) if self.hints else "",
            sentences=() if open_ else self._told_sentences,
            next=self._after,
            answered=(self._right, self._count),
            **self._parts(),
        )
        if self.source is None:
            return state
        for term in found(state.words):
            self._terms.setdefault(term, (question, open_))
        introduced = tuple(term for term, first in self._terms.items() if first == (question, open_))
        return replace(state, introduced=introduced)

    def _parts(self) -> dict[str, Any]:
        return {}

    @property
    def _taught(self) -> tuple[str, ...]:
        return (self.source.news,) if self.source is not None else ()

    @property
    def _told_sentences(self) -> tuple[str, ...]:
        is_counted = self._looked_up and self.verdict is not None and self.verdict.right
        warned = sentence("verdict.looked_up") if is_counted else ""
        told = (*self.answering.sentences, warned, *self._taught, self.answering.sentence)
        return tuple(dict.fromkeys(filter(None, told)))

    def _picture_state(self) -> PictureState:
        if not self.is_pictured:
            return PictureState()
        lit = {light.partition(".")[0] for light in (self.verdict.lights if self.verdict is not None else ())}
        parts = (part for part in self.subject.desc.parts if part.path.partition("[")[0] in lit)
        lights = Lights(named=frozenset((part.path, -1) for part in parts))
        shown = self.picture.state(lights, self._entries())
        if not self.moves_cursor:
            shown = replace(shown, look=replace(shown.look, cursor=None), links=Partners())
        return shown

    def _entries(self) -> Entries:
        if self.open:
            return self.picture.entries(self._open_signs())
        return self.picture.entries(self.answering.signs) if self.picture.player.step is None else {}

    def _open_signs(self) -> Signs:
        answering = self.answering
        if not answering.places:
            marks: Signs = [(cursor, EntryKind.MARK, "") for cursor in answering.cells]
            return marks + self._signs_asked()
        signs: Signs = []
        for k, (cursor, asked, _) in enumerate(self._signs_asked()):
            signs.append((cursor, asked if k == answering.slot else EntryKind.WAITS, answering.slots[k]))
        return signs


class PracticeDesk(AskDesk):
    """Asks about ever new descs."""

    source: Practice

    def __init__(self, practice: Practice, progress: Progress, now: Callable[[], float]) -> None:
        self.source = practice
        self._begin_with(practice.next(now()), progress, now)

    def _next(self) -> None:
        self._begin(self.source.next(self.now()))


class LessonDesk(AskDesk):
    """Goes through a lesson, until it has `ended`."""

    source: RunningLesson

    def __init__(self, lesson: RunningLesson, progress: Progress, now: Callable[[], float]) -> None:
        """Raises DmlvizError, with a sentence, where the lesson has nothing to ask."""
        self.source = self.lesson = lesson
        self.ended = False
        question = lesson.next(now())
        if question is None:
            raise DmlvizError(sentence("lesson.none_asked", title=quote(lesson.lesson.title)))
        self._named = lesson.lesson.name
        self._begin_with(question, progress, now)
        self._notices += lesson.problems

    def _task_id(self) -> str:
        return self.lesson.task

    def _another(self) -> Question | None:
        return self.lesson.another()

    def _next(self) -> None:
        question = self.lesson.next(self.now())
        self.ended = question is None
        if question is not None:
            self._begin(question)

    def returned(self, solved: bool) -> None:
        """Takes over what was answered on a level's own page; once it is solved, the lesson goes on."""
        since, self._kept = self._progress.answers[self._kept :], len(self._progress.answers)
        heard = self.lesson.heard_level(since)
        if solved and not heard:
            self._keep(right=True)
        elif heard:
            self._count += 1
        if solved or heard:
            self._right += 1
            self._next()

    @property
    def _after(self) -> str:
        return self.lesson.after

    @property
    def _taught(self) -> tuple[str, ...]:
        right = self.verdict is not None and self.verdict.right
        return (*super()._taught, *self.lesson.told(right=right))

    def _parts(self) -> dict[str, Any]:
        return {"lesson": self.lesson.state}
