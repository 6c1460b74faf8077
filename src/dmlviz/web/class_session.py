"""A class: what is presented, the room, and what each phone is shown of both. It knows no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ..errors import DmlvizError, SessionError, plain
from ..session.class_status import MOST_SAID, ClassStatus, Said
from ..session.experiments import Session
from ..session.presentation_state import Build, Presented, StateFile
from ..teaching.lessons.lessons import lesson_of
from ..teaching.progress.hand_ins import HandIn
from ..teaching.progress.progress import Answered, now_text
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words import catalogue
from ..workspace.wall.presented_item import in_few_words
from ..workspace.wall.presenting import Presenting
from .class_questions import ClassQuestion, question_of
from .class_room import OWN_PACE, Given, Key, Room, Student, commonest, shuffled

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


class ClassSession:
    """One class. No clock but the one it is given."""

    def __init__(
        self,
        session: Session,
        room: Room,
        now: Callable[[], float],
        kept: StateFile | None,
        *,
        own_pace: bool = False,
        anew: bool = False,
    ) -> None:
        """`kept` is the presentation's state, which wall and speaker's screen share; they begin `anew` with the class.

        Raises SessionError where nothing is asked that a phone can answer, or where `kept` can't be followed.
        """
        self.room, self.own_pace, self.away = room, own_pace, False
        self._session, self._now = session, now
        self._presenting = Presenting(session, now, kept=kept)
        if anew:
            self.begin_anew()
        self._kept = kept
        self._asked: dict[int, ClassQuestion | None] = {}
        self._shown: dict[int, str] = {}
        self._lesson = lesson_of(with_own_tasks(session))
        self.tasks = [n for n in range(self._presenting.count) if self.question(n) is not None]
        """The experiments that phones are asked about."""
        self._questions = {q.key: q for n in self.tasks if (q := self.question(n)) is not None}
        """The same by key, in their order."""
        if not self.tasks:
            name = plain(kept.name) if kept is not None else "the session"
            raise SessionError(f"{name} asks nothing that a phone can answer, expected a task such as pictures.")
        self._opened = now()
        self.rev = 0
        self._seen = self._shared
        self._dirty = {key for student in room.students.values() for key in student.given}
        self._begin()
        self.write_counts()

    def _begin(self) -> None:
        """Forgets what was answered in another presentation. Raises SessionError where it is of another pace."""
        room, began = self.room, OWN_PACE if self.own_pace else self._shared.began
        if room.began == began:
            return
        if OWN_PACE in (room.began, began) and any(student.given for student in room.students.values()):
            other, pace = ("host", "own") if self.own_pace else ("own", "host")
            raise SessionError(f"--pace is {pace}, and a class on FILE goes on with {other}; expected that.")
        room.wipe(began)
        self._dirty.clear()

    # ---- the presentation

    @property
    def title(self) -> str:
        """The lesson's; "" for a session without one, whose title may tell what is asked."""
        has_own = self._lesson is not None and "lesson" in self._session.extra
        return plain(self._lesson.title, 80) if self._lesson is not None and has_own else ""

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

    def _asks(self, student: Student) -> ClassQuestion | None:
        """What a student is asked now; None at the end of one's own way, and where one looks at the wall."""
        if not self.own_pace:
            return self._present
        return self.question(self.tasks[student.step]) if student.step < len(self.tasks) else None

    def _key(self, question: ClassQuestion) -> Key:
        return question.key, 0 if self.own_pace else self._shared.vote

    def begin_anew(self) -> None:
        """Has wall and speaker begin at the first question, without hands."""
        self._presenting.begin_anew()

    def follow(self) -> bool:
        """Follows wall and speaker; True where phones have something new to ask for."""
        kept = self._kept
        if kept is not None and kept.changed():
            self._presenting.follow()
        return self._noticed()

    def _noticed(self) -> bool:
        before, seen = self._seen, self._shared
        if _shows(seen) == _shows(before):
            return False
        if seen.began != before.began and not self.own_pace:  # begun anew, without hands
            self.room.wipe(seen.began)
            self._dirty.clear()
        self._seen = seen
        self.rev += 1
        was_open = before.build is Build.QUESTION
        if (seen.experiment, seen.vote) != (before.experiment, before.vote) or (self.is_open and not was_open):
            self._opened = self._now()
        if was_open and not self.is_open:
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
            "second_vote": self.is_open and (bool(item.answers) or self._present is not None),
        }
        return tuple(name for name in ACTS if can[name])

    # ---- answers

    def put(self, student: Student, question_id: object, vote: object, text: object) -> Given:
        """Takes a phone's answer. Raises RefusedError, TooFastError or OSError."""
        self.follow()  # what was closed a moment ago is closed
        question = self._asks(student)
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

    def go_on(self, student: Student, question_id: object) -> None:
        """Has somebody go on from a question that was told, at their own pace. Raises RefusedError, OSError."""
        question = self._asks(student)
        if self.own_pace and question is not None and question.id == question_id:
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
        if question is None or question.shown_id(self.room.key) != id_:
            return None
        if question.number not in self._shown:
            from .class_page import shown_fragment

            self._shown[question.number] = shown_fragment(question.item)
        return self._shown[question.number]

    def fragment(self, student: Student, id_: str) -> str | None:
        """The question that a student is asked now, as phones show it; None for any other."""
        question = self._asks(student)
        return question.fragment if question is not None and question.id == id_ else None

    def _told_to(self, student: Student) -> ClassQuestion | None:
        if not self.own_pace:
            return self._present if self._is_told else None
        question = self._asks(student)
        return question if question is not None and self._is_done(student, question) else None

    # ---- counts

    def write_counts(self) -> None:
        """Puts what was answered since the last time where hands are counted."""
        dirty, self._dirty = self._dirty, set()
        for key, vote in dirty:
            question = self._questions.get(key)
            if question is not None and question.letters:
                self._presenting.count_room(question.number, vote, self._by_letter(question, (key, vote)))

    def _by_letter(self, question: ClassQuestion, key: Key) -> tuple[int, ...]:
        given = [one.text for one in self.room.of(key)]
        return tuple(given.count(answer.id) for answer in question.item.answers)

    def _said(self, question: ClassQuestion) -> list[Said]:
        """Answers without letters: the commonest, and the rest together."""
        named, rest = commonest(self.room.of(self._key(question)), MOST_SAID)
        said = [
            Said(text=one.words, count=count, right=one.right, rule=question.rule_of(one.rules)) for one, count in named
        ]
        return said + ([Said(text="", count=rest)] if rest else [])

    def _rows(self, question: ClassQuestion) -> list[tuple[str, str, int, bool]]:
        """(letter, text, count, right) of each answer, as phones show them after the reveal."""
        if question.letters:
            counts = zip(question.item.answers, self._by_letter(question, self._key(question)), strict=True)
            return [(answer.id, answer.text, count, answer.right) for answer, count in counts]
        return [("", said.text, said.count, said.right) for said in self._said(question)]

    # ---- what is shown

    def say(self, key: str, **values: Any) -> str:
        """The sentence of that key."""
        return catalogue.sentence(key, **values)

    def rev_of(self, student: Student) -> int:
        """What changes with what a phone shows; at one's own pace another window of it has to hear of that."""
        return self.rev + (student.changes if self.own_pace else 0)

    def state(self, student: Student, *, keeps: bool) -> Mapping[str, Any]:
        """What a phone shows of the class, as JSON has it."""
        question = self._asks(student)
        given = student.given.get(self._key(question)) if question is not None else None
        is_second = question is not None and self._key(question)[1] == 1
        before = student.given.get((question.key, 0)) if question is not None and is_second else None
        is_open = question is not None and self._takes(student, question)
        told = self._told_to(student)
        at, of = (student.step, len(self.tasks)) if self.own_pace else (self._shared.experiment, self._presenting.count)
        why = "" if question is not None else "end" if self.own_pace else "wall"
        if question is not None and not is_open and told is None:
            why = "steps"
        return {
            "rev": self.rev_of(student),
            "title": self.title,
            "own_pace": self.own_pace,
            "away": self.away,
            "keeps": keeps,
            "question": {"id": question.id, "number": at + 1, "of": of} if question is not None else None,
            "why": why,
            "open": is_open,
            "vote": 0 if self.own_pace else self._shared.vote,
            "began": 0 if self.own_pace else self._shared.began,
            "answered": self._answered,
            "joined": len(self.room.students),
            "mine": given.text if given is not None else None,
            "mine_text": given.words if given is not None else "",
            "before": before.words if before is not None else "",
            "reveal": self._reveal(question, given, is_told=told is not None) if question is not None else None,
            "next": self.own_pace and told is not None,
            "tries": given.tries if given is not None and self.own_pace else 0,
            "tasks": len(self.tasks),
            "right_first": sum(one.first for one in student.given.values()) if why == "end" else 0,
        }

    def _reveal(self, question: ClassQuestion, given: Given | None, *, is_told: bool) -> Mapping[str, Any] | None:
        """What is told of an answer; None while nothing is."""
        if not is_told and not (self.own_pace and given is not None):
            return None
        item = question.item
        reveal: dict[str, Any] = {"right": None, "feedback": "", "look": "", "rule": ""}
        reveal |= {"answer": "", "then": "", "counts": None, "shown": None}
        if given is not None:
            verdict = question.verdict(given)
            reveal |= {"right": given.right, "feedback": verdict.says}
            reveal |= {"look": question.look(verdict), "rule": question.rule_of(given.rules)}
        if is_told:
            truth = in_few_words(question.question, question.question.truth) or ""
            said = {f"{answer.id}: {answer.words}" for answer in item.answers if answer.words}
            said |= {reveal["feedback"], question.question.subject.sentence("present.answer", answer=truth)}
            reveal |= {
                "answer": question.truth,
                "then": " ".join(sentence for sentence in item.sentences if sentence not in said),
                "counts": None if self.own_pace else self._rows(question),
                "shown": question.shown_id(self.room.key) if item.view.live else None,
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

    def status(self, **about: Any) -> ClassStatus:
        """How the class stands, for the status file, with what its server knows of it."""
        question = self._present
        students = self.room.students.values()
        return ClassStatus(
            **about,
            own_pace=self.own_pace,
            title=self.title,
            tasks=len(self.tasks),
            joined=len(students),
            lost=sum(map(self.room.is_lost, students)),
            question=self._presenting.question_key(self._shared.experiment),
            vote=self._shared.vote,
            asked=question is not None and not self.own_pace,
            answered=self._answered,
            said=() if question is None or self.own_pace or question.letters else tuple(self._said(question)),
            beat=self._now(),
        )

    def _places(self) -> Iterator[Mapping[str, Any]]:
        """Where each is, at their own pace: the question, from 0, and those whose first answer was wrong."""
        keys = [self._key(question) for question in self._questions.values()]
        for student in sorted(self.room.students.values(), key=lambda one: one.number) if self.own_pace else ():
            missed = [k for k, key in enumerate(keys) if key in student.given and not student.given[key].first]
            lost = self.room.is_lost(student)
            yield {"student": student.number, "step": student.step, "missed": missed, "lost": lost}

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
            "places": list(self._places()),
            "tasks": [question.item.prompt for question in self._questions.values()],
            "left": self.acts,
        }

    # ---- what is kept at the end

    def hand_ins(self) -> Iterator[HandIn]:
        """What each student answered, under a number that nobody was shown."""
        name = self._lesson.name if self._lesson is not None else ""
        for number, student in shuffled(self.room.students):
            given = student.kept or sorted(student.given.items(), key=lambda kv: kv[1].time)
            answers = tuple(
                Answered(
                    **_about(self._questions[key]),
                    time=now_text(one.time),
                    right=one.right,
                    answer=one.answer,
                    rules=one.rules,
                    seconds=one.seconds,
                    lesson=name,
                )
                for (key, _), one in given
                if key in self._questions
            )
            if answers:  # none where FILE asks something else by now
                yield HandIn(name=str(number), answers=answers, lesson=name)


def _shows(shared: Presented) -> tuple[object, ...]:
    """What all phones show of a presentation: a change of it is worth asking for."""
    return shared.experiment, shared.build, shared.vote, shared.told, shared.began


def _about(question: ClassQuestion) -> dict[str, Any]:
    """What progress knows a question by: its task's id, or its experiment's name, and more."""
    asked = question.question
    own = asked.task.id if isinstance(asked, AuthoredQuestion) else ""
    return {
        "task": own or plain(asked.subject.experiment.name, 60) or f"{question.number + 1}",
        "operator": asked.subject.operator.name,
        "kind": asked.kind.name,
        "seed": asked.seed,
    }
