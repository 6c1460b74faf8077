"""A class: what is presented, the room, and what each phone is shown of both. It knows no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..errors import DmlvizError, SessionError, plain
from ..session.class_status import MOST_SAID, ClassStatus, Place, Said
from ..session.experiments import Session
from ..session.presentation_state import Build, Presented, StateFile
from ..teaching.lessons.lessons import lesson_of
from ..teaching.progress.hand_ins import AskedTask, HandIn
from ..teaching.progress.progress import Answered, now_text
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words import catalogue
from ..workspace.wall.presenting import Presenting
from .class_questions import ClassQuestion, question_of
from .class_room import Given, Key, Room, Student, commonest, shuffled

MOST_TRIES = 2
"""Answers at one's own pace, after which the right one is told."""
ACTS = ("forward", "back", "reveal", "second_vote")
"""What the instructor's own phone does."""


class RefusedError(Exception):
    """What a phone sent isn't taken."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem
        """As HTTP has it; one sentence."""


class Seen(Struct, frozen=True, kw_only=True):
    """What all phones see the same of: a change of it is worth asking for."""

    experiment: int
    build: Build
    vote: int
    told: bool
    began: float


class ClassSession:
    """One class. No clock but the one it is given."""

    def __init__(
        self, session: Session, room: Room, now: Callable[[], float], kept: StateFile | None, *, own_pace: bool = False
    ) -> None:
        """`kept` is the presentation's state, which wall and speaker's screen share.

        Raises SessionError where nothing is asked that a phone can answer, or where `kept` can't be followed.
        """
        self.room, self.own_pace, self.away = room, own_pace, False
        self._session, self._now = session, now
        self._presenting = Presenting(session, now, kept=kept)
        self._kept = kept
        self._asked: dict[int, ClassQuestion | None] = {}
        self._shown: dict[int, str] = {}
        self._lesson = lesson_of(with_own_tasks(session))
        self.tasks = [n for n in range(self._presenting.count) if self.question(n) is not None]
        """The experiments that phones are asked about."""
        if not self.tasks:
            raise SessionError("FILE asks nothing that a phone can answer, expected a task such as pictures or cell.")
        self._opened = now()
        self._dirty: set[Key] = set()
        self.rev = 0
        self._seen = self._look()
        self._count_again()

    # ---- the presentation

    @property
    def title(self) -> str:
        """The lesson's, or the session's."""
        if self._lesson is not None:
            return plain(self._lesson.titles.in_language(self.lang), 80)
        return plain(self._session.title, 80)

    @property
    def lang(self) -> str:
        """The language in which the wall speaks."""
        return self._presenting.item.lang

    def question(self, number: int) -> ClassQuestion | None:
        """What phones are asked of experiment `number`, from 0; None where they look at the wall."""
        if number not in self._asked:
            item = self._presenting.item_at(number)
            key = self._presenting.question_key(number)
            self._asked[number] = question_of(item, number, key, own_pace=self.own_pace)
        return self._asked[number]

    @property
    def _shared(self) -> Presented:
        return self._presenting.shared

    def _look(self) -> Seen:
        shared = self._shared
        return Seen(
            experiment=shared.experiment,
            build=shared.build,
            vote=shared.vote,
            told=self._is_told,
            began=shared.began,
        )

    @property
    def _is_told(self) -> bool:
        return self._presenting.item.is_told(self._shared.build)

    @property
    def is_open(self) -> bool:
        """True while the wall asks, and takes answers."""
        return self._shared.build is Build.QUESTION

    @property
    def _present(self) -> ClassQuestion | None:
        return self.question(self._shared.experiment)

    def _key(self, question: ClassQuestion) -> Key:
        return question.key, 0 if self.own_pace else self._shared.vote

    def follow(self) -> bool:
        """Follows wall and speaker; True where phones have something new to ask for."""
        kept = self._kept
        if kept is not None and kept.changed():
            with self._presenting.alone():
                self._presenting.follow()
        return self._noticed()

    def _noticed(self) -> bool:
        seen = self._look()
        if seen == self._seen:
            return False
        before, self._seen = self._seen, seen
        self.rev += 1
        if seen.began != before.began and not self.own_pace:  # begun anew, without hands
            self.room.wipe()
            self._dirty.clear()
        if (seen.experiment, seen.vote) != (before.experiment, before.vote) or (
            seen.build is Build.QUESTION and before.build is not Build.QUESTION
        ):
            self._opened = self._now()
        if before.build is Build.QUESTION and seen.build is not Build.QUESTION:
            self.write_counts()
        return True

    def act(self, name: str) -> None:
        """Does what the instructor's phone asks for; one of ACTS."""
        if name in self.acts:
            getattr(self._presenting, name)()
            self._noticed()

    @property
    def acts(self) -> tuple[str, ...]:
        """Those of ACTS that do something now."""
        shared, item = self._shared, self._presenting.item
        ends = shared.experiment + 1 == self._presenting.count and self._is_told
        can = {
            "forward": not ends or shared.black,
            "back": shared.experiment > 0 or shared.build is not Build.QUESTION,
            "reveal": not self._is_told,
            "second_vote": bool(item.answers) and self.is_open,
        }
        return tuple(name for name in ACTS if can[name])

    # ---- answers

    def put(self, student: Student, question_id: object, vote: object, text: object) -> Given:
        """Takes a phone's answer. Raises RefusedError, TooFastError or OSError."""
        self.follow()  # what was closed a moment ago is closed
        question = self._own(student) if self.own_pace else self._present
        if question is None or question.id != question_id:
            raise RefusedError(409, self.say("class.other_question"))
        if vote != self._key(question)[1] or type(vote) is not int or not self._takes(student, question):
            raise RefusedError(409, self.say("class.closed"))
        if not isinstance(text, str):
            raise RefusedError(422, "answer is no text, expected what the page sends.")
        self.room.pace(student)
        try:
            text.encode()
            given = question.read(text)
        except UnicodeEncodeError:
            raise RefusedError(422, "answer holds half a character, expected text.") from None
        except DmlvizError as error:
            raise RefusedError(422, str(error)) from None
        now = self._now()
        opened = student.opened or now if self.own_pace else self._opened
        given = replace(given, time=now, seconds=round(max(0.0, now - opened), 1), first=given.right)
        key = self._key(question)
        if self.own_pace:
            self.room.try_answer(student, key, given)
        else:
            self.room.answer(student, key, given)
            self._dirty.add(key)
        return given

    def _takes(self, student: Student, question: ClassQuestion) -> bool:
        """True while a student may answer, or answer otherwise."""
        return not self._is_done(student, question) if self.own_pace else self.is_open

    def _is_done(self, student: Student, question: ClassQuestion) -> bool:
        """True once somebody at their own pace has been told."""
        given = student.given.get(self._key(question))
        return given is not None and (given.right or given.tries >= MOST_TRIES)

    def _own(self, student: Student) -> ClassQuestion | None:
        """The question that somebody is at, at their own pace; None at the end."""
        return self.question(self.tasks[student.step]) if student.step < len(self.tasks) else None

    def go_on(self, student: Student, question_id: object) -> None:
        """Has somebody go on from a question that was told, at their own pace. Raises RefusedError, OSError."""
        question = self._own(student) if self.own_pace else None
        if question is not None and question.id == question_id:
            if not self._is_done(student, question):
                raise RefusedError(409, self.say("class.not_answered"))
            self.room.go_on(student, student.step + 1)

    def leave(self, student: Student) -> None:
        """Forgets a student with all answers. Raises OSError."""
        keys = set(student.given)
        self.room.leave(student.id)
        self._dirty |= keys

    def shown(self, student: Student, id_: str) -> str | None:
        """The picture of an answer that was told to a student; None for any other."""
        question = self._told_to(student)
        if question is None or question.shown_id(self._secret) != id_:
            return None
        if question.number not in self._shown:
            from .class_page import shown_fragment

            self._shown[question.number] = shown_fragment(question.item)
        return self._shown[question.number]

    def fragment(self, id_: str) -> str | None:
        """A question as phones show it; only one that is, or was, asked."""
        known = (self._asked[n] for n in self.tasks)
        return next((q.fragment for q in known if q is not None and q.id == id_), None)

    def may_see(self, student: Student, id_: str) -> bool:
        """True for the question that a student is asked now."""
        question = self._own(student) if self.own_pace else self._present
        return question is not None and question.id == id_

    def _told_to(self, student: Student) -> ClassQuestion | None:
        if not self.own_pace:
            return self._present if self._is_told else None
        question = self._own(student)
        return question if question is not None and self._is_done(student, question) else None

    @property
    def _secret(self) -> bytes:
        return self.room.key

    # ---- counts

    def _count_again(self) -> None:
        """Puts into hands what a room that goes on has answered so far."""
        question = self._present
        if question is not None and not self.own_pace and self.room.answered(self._key(question)):
            self._dirty.add(self._key(question))
        self.write_counts()

    def write_counts(self) -> None:
        """Puts what was answered since the last time where hands are counted."""
        dirty, self._dirty = self._dirty, set()
        for key, vote in dirty:
            number = next((n for n in self.tasks if (q := self.question(n)) is not None and q.key == key), None)
            question = self.question(number) if number is not None else None
            if number is not None and question is not None and question.letters:
                self._presenting.count_room(number, vote, tuple(self._by_letter(question, (key, vote))))

    def _by_letter(self, question: ClassQuestion, key: Key) -> Iterator[int]:
        given = [one.text for one in self.room.of(key)]
        for answer in question.item.answers:
            yield given.count(answer.id)

    def _said(self, question: ClassQuestion, key: Key) -> list[Said]:
        """Answers without letters: the commonest, and the rest together."""
        named, rest = commonest(self.room.of(key), MOST_SAID)
        said = [
            Said(text=one.words, count=count, right=one.right, rule=question.rule_of(one.rules)) for one, count in named
        ]
        return said + ([Said(text="", count=rest)] if rest else [])

    def _rows(self, question: ClassQuestion) -> list[tuple[str, str, int, bool]]:
        """(letter, text, count, right) of each answer, as phones show them after the reveal."""
        key = self._key(question)
        if question.letters:
            counts = zip(question.item.answers, self._by_letter(question, key), strict=True)
            return [(answer.id, answer.text, count, answer.right) for answer, count in counts]
        return [("", said.text, said.count, said.right) for said in self._said(question, key)]

    # ---- what is shown

    def say(self, key: str, **values: Any) -> str:
        """The sentence of that key in the wall's language."""
        return catalogue.sentence(self.lang, key, **values)

    def state(self, student: Student, *, keeps: bool) -> Mapping[str, Any]:
        """What a phone shows of the class, as JSON has it."""
        question = self._own(student) if self.own_pace else self._present
        given = student.given.get(self._key(question)) if question is not None else None
        is_open = question is not None and self._takes(student, question)
        told = self._told_to(student)
        at = student.step if self.own_pace else self._shared.experiment
        why = "" if question is not None else "end" if self.own_pace else "wall"
        if question is not None and not is_open and told is None:
            why = "steps"
        tries = given.tries if given is not None and self.own_pace else 0
        return {
            "rev": self.rev,
            "title": self.title,
            "lang": self.lang,
            "own_pace": self.own_pace,
            "away": self.away,
            "keeps": keeps,
            "question": None
            if question is None
            else {
                "id": question.id,
                "number": at + 1,
                "of": len(self.tasks) if self.own_pace else self._presenting.count,
            },
            "why": why,
            "open": is_open,
            "vote": 0 if self.own_pace else self._shared.vote,
            "began": 0 if self.own_pace else self._shared.began,
            "answered": self._answered,
            "joined": len(self.room.students),
            "mine": given.text if given is not None else None,
            "mine_text": given.words if given is not None else "",
            "before": self._before(student, question),
            "reveal": self._reveal(question, given, is_told=told is not None) if question is not None else None,
            "next": self.own_pace and told is not None,
            "tries": tries,
            "tasks": len(self.tasks),
            "right_first": sum(one.first for one in student.given.values()) if why == "end" else 0,
        }

    def _before(self, student: Student, question: ClassQuestion | None) -> str:
        """What somebody answered in the first vote, while the second is taken; "" for nothing."""
        if question is None or self.own_pace or not self._shared.vote:
            return ""
        given = student.given.get((question.key, 0))
        return given.words if given is not None else ""

    def _reveal(self, question: ClassQuestion, given: Given | None, *, is_told: bool) -> Mapping[str, Any] | None:
        """What is told of an answer; None while nothing is."""
        if not is_told and not (self.own_pace and given is not None):
            return None
        verdict = question.verdict(given) if given is not None else None
        item = question.item
        reveal: dict[str, Any] = {
            "right": given.right if given is not None else None,
            "answer": "",
            "feedback": verdict.feedback if verdict is not None else "",
            "look": question.look(verdict) if verdict is not None else "",
            "rule": question.rule_of(given.rules) if given is not None else "",
            "then": "",
            "counts": None,
            "shown": None,
        }
        if is_told:
            said = {f"{answer.id}: {answer.words}" for answer in item.answers if answer.words}
            said |= {reveal["feedback"], question.question.subject.sentence("present.answer", answer=question.truth)}
            reveal |= {
                "answer": question.truth,
                "then": " ".join(sentence for sentence in item.sentences if sentence not in said),
                "counts": None if self.own_pace else self._rows(question),
                "shown": question.shown_id(self._secret) if item.view.live else None,
            }
        return reveal

    @property
    def _answered(self) -> int:
        question = self._present
        return self.room.answered(self._key(question)) if question is not None and not self.own_pace else 0

    @property
    def counts(self) -> tuple[int, int]:
        """(answered, joined)."""
        return self._answered, len(self.room.students)

    # ---- what wall and speaker are told

    def status(
        self, *, code: str, address: str, host: str, keeps: str = "", trouble: str = "", wall: bool = True
    ) -> ClassStatus:
        """How the class stands, for the status file."""
        question = self._present
        students = self.room.students.values()
        letterless = question is not None and not self.own_pace and not question.letters
        return ClassStatus(
            code=code,
            address=address,
            host=host,
            keeps=keeps,
            wall=wall,
            own_pace=self.own_pace,
            title=self.title,
            tasks=len(self.tasks),
            joined=len(students),
            lost=sum(map(self.room.is_lost, students)),
            question=self._presenting.question_key(self._shared.experiment),
            vote=self._shared.vote,
            asked=question is not None and not self.own_pace,
            answered=self._answered,
            said=tuple(self._said(question, self._key(question))) if letterless and question is not None else (),
            places=tuple(self._places()) if self.own_pace else (),
            trouble=trouble,
            beat=self._now(),
        )

    def _places(self) -> Iterator[Place]:
        keys = [self._key(question) for n in self.tasks if (question := self.question(n)) is not None]
        for student in sorted(self.room.students.values(), key=lambda one: one.number):
            missed = tuple(k for k, key in enumerate(keys) if key in student.given and not student.given[key].first)
            yield Place(student=student.number, step=student.step, missed=missed, lost=self.room.is_lost(student))

    def host_state(self) -> Mapping[str, Any]:
        """What the instructor's own phone shows."""
        shared, item = self._shared, self._presenting.item
        return {
            "title": self.title,
            "number": shared.experiment + 1,
            "of": self._presenting.count,
            "build": shared.build.value,
            "vote": shared.vote,
            "answered": self._answered,
            "joined": len(self.room.students),
            "lost": sum(map(self.room.is_lost, self.room.students.values())),
            "prompt": item.prompt,
            "own_pace": self.own_pace,
            "places": [
                {"student": place.student, "step": place.step, "missed": place.missed, "lost": place.lost}
                for place in (self._places() if self.own_pace else ())
            ],
            "tasks": [q.item.prompt for n in self.tasks if (q := self.question(n)) is not None],
            "left": self.acts,
        }

    # ---- what is kept at the end

    def hand_ins(self) -> Iterator[HandIn]:
        """What each student answered, under a number that nobody was shown."""
        name = self._lesson.name if self._lesson is not None else ""
        questions = {q.key: q for n in self.tasks if (q := self.question(n)) is not None}
        asked = tuple(
            AskedTask(
                task=_task_id(q),
                operator=q.operator,
                kind=q.question.kind.name,
                seed=q.question.seed,
                prompt=q.item.prompt,
            )
            for q in questions.values()
        )
        for number, student in shuffled(self.room.students):
            given: Sequence[tuple[Key, Given]] = student.kept or sorted(
                student.given.items(), key=lambda kv: kv[1].time
            )
            answers = tuple(
                Answered(
                    time=now_text(one.time),
                    task=_task_id(questions[key]),
                    operator=questions[key].operator,
                    kind=questions[key].question.kind.name,
                    seed=questions[key].question.seed,
                    right=one.right,
                    answer=one.answer,
                    rules=one.rules,
                    seconds=one.seconds,
                    lesson=name,
                )
                for (key, _), one in given
                if key in questions
            )
            if answers:  # none where FILE asks something else by now
                yield HandIn(name=str(number), answers=answers, lesson=name, tasks=asked)


def _task_id(question: ClassQuestion) -> str:
    """What progress calls a question: its task's id, or its experiment's name."""
    asked = question.question
    own = asked.task.id if isinstance(asked, AuthoredQuestion) else ""
    return own or plain(asked.subject.experiment.name, 60) or f"{question.number + 1}"
