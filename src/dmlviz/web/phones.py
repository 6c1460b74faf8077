"""A class on phones: each is a clicker for the wall's letters, or a field, and says then what was wrong with its own.

The wall's presentation is the only state there is: a student is a cookie, and forgotten with it.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct

from ..errors import DmlvizError, plain
from ..scene.spans import cut
from ..session.class_status import MOST_SAID, ClassStatus, Said
from ..session.presentation_state import Build
from ..teaching.asked import Task, json_of, task_of
from ..teaching.lessons.lessons import lesson_of
from ..teaching.progress.hand_ins import HandIn
from ..teaching.progress.progress import Answered, now_text
from ..teaching.questions.question import Question
from ..teaching.questions.subject import LETTERS
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words.catalogue import sentence
from ..workspace.wall.presented_item import Item, in_words, rule_name
from ..workspace.wall.wall_desk import WallDesk

MOST_STUDENTS = 400
MOST_ANSWERS = 20
"""Of one student, in as many seconds."""
MOST_WORDS = 120
"""Characters of an answer that is read aloud."""
NONE = "none"
"""What stands for no option, where several may be chosen."""
Option = tuple[str, str, list[list[list[str]]]]
Key = tuple[float, int, int]
"""When the presentation began, an experiment's number, from 0, and which vote on it."""


class Given(Struct, frozen=True, kw_only=True):
    """What one student answered to one question in one vote."""

    text: str
    """As the phone has it."""
    words: str
    """As a person reads it."""
    json: Any
    right: bool
    says: str = ""
    rules: tuple[str, ...] = ()
    """Wrong rules that give it."""


class Student(Struct, kw_only=True):
    """One phone in the room."""

    name: str
    """A number that nobody is shown."""
    answered: deque[float] = msgspec.field(default_factory=lambda: deque(maxlen=MOST_ANSWERS))
    """When it answered last, in seconds since 1970."""
    given: dict[Key, Given] = msgspec.field(default_factory=dict)


class Phones:
    """The phones of a class that follow a presentation."""

    def __init__(self, desk: WallDesk, now: Callable[[], float], keep: Callable[[HandIn], None]) -> None:
        """`now` gives seconds since 1970; `keep` saves an answer, or raises OSError."""
        self.desk, self._now, self._keep = desk, now, keep
        self.students: dict[str, Student] = {}
        self._shown: object = None
        self._counted = self.key
        self._common = dict[str, Any]()
        self._asked = [n for n in range(desk.count) if is_asked(desk.item_at(n))]
        lesson = lesson_of(with_own_tasks(desk.session))
        self._name, title = (lesson.name, plain(lesson.title, 60)) if lesson is not None else ("", "")
        self._title = title if "lesson" in desk.session.extra else ""  # another may tell what is asked

    @property
    def key(self) -> Key:
        return self.desk.shared.began, self.desk.shared.experiment, self.desk.shared.vote

    # ---- who is there

    def student(self, cookie: str) -> Student:
        """The student of a cookie, who joins if it is the first time. Raises HTTPException where there is no place."""
        if cookie not in self.students:
            if len(self.students) >= MOST_STUDENTS:
                raise web.HTTPServiceUnavailable(text=sentence("class.full"))
            n = int.from_bytes(hashlib.sha256(cookie.encode()).digest()[:8]) % 10**8
            self.students[cookie] = Student(name=f"{n:08}")
        return self.students[cookie]

    # ---- what is answered

    def answer(self, student: Student, key: object, text: str) -> None:
        """Takes a phone's answer in place of the one before. Raises HTTPException, OSError."""
        self.look()
        item, now = self.desk.item, self._now()
        if key != self.key or not self._is_open:
            raise web.HTTPConflict(text=sentence("class.closed"))
        times = student.answered
        if len(times) == MOST_ANSWERS and 0 <= now - times[0] < MOST_ANSWERS:  # a clock may be set back
            raise web.HTTPTooManyRequests(text=sentence("class.too_fast"))
        times.append(now)
        try:
            given = given_of(item, text)
        except DmlvizError as error:
            raise web.HTTPUnprocessableEntity(text=str(error)) from None
        if given == student.given.get(self.key):
            return
        question = item.question
        assert question is not None
        own = question.task.id if isinstance(question, AuthoredQuestion) else ""
        answered = Answered(
            task=own or plain(question.subject.experiment.name, 60) or f"{self.key[1] + 1}",
            operator=question.subject.operator.name,
            kind=question.kind.name,
            seed=question.seed,
            time=now_text(now),
            right=given.right,
            answer=given.json,
            rules=given.rules,
            seconds=round(max(0.0, now - self.desk.shared.changed), 1),
            lesson=self._name,
        )
        self._keep(HandIn(name=student.name, answers=(answered,), lesson=self._name))
        student.given[self.key] = given

    @property
    def _is_open(self) -> bool:
        return self.desk.shared.is_open and self.desk.shared.experiment in self._asked

    # ---- what wall and speaker are told

    def tell(self, status: ClassStatus) -> None:
        """Tells the presentation how the class stands; `status` has what its server knows."""
        self.look()
        desk, (_, number, vote), item = self.desk, self.key, self.desk.item
        asks, given = number in self._asked, self._given(self.key)
        self._count(self.key)
        desk.hear(
            msgspec.structs.replace(
                status,
                title=self._title,
                tasks=len(self._asked),
                joined=len(self.students),
                question=desk.question_key(number),
                vote=vote,
                asked=asks,
                answered=len(given),
                said=said_of(item, given) if asks and not item.answers else (),
            )
        )

    def _count(self, key: Key) -> None:
        """Puts what was answered where hands are counted."""
        answers, given = self.desk.item_at(key[1]).answers, self._given(key)
        if answers and given and key[0] == self.key[0]:
            counts = Counter(one.text for one in given)
            self.desk.count_room(*key[1:], tuple(counts[answer.id] for answer in answers))

    def _given(self, key: Key) -> list[Given]:
        return [student.given[key] for student in self.students.values() if key in student.given]

    # ---- what is shown

    def look(self) -> None:
        """Builds what all phones show, where the presentation has gone on."""
        shared = self.desk.shared
        shown = (self.key, shared.build, shared.told, shared.is_open, shared.joining)
        if shown == self._shown:
            return
        self._count(self._counted)  # what came last before somebody went on
        self._counted, self._shown = self.key, shown
        self._common = self._state()

    def _state(self) -> dict[str, Any]:
        """What all phones show, as JSON has it; nothing of the truth before it is told."""
        shared, item, at = self.desk.shared, self.desk.item, self.desk.shared.experiment
        state = {"key": self.key, "title": sentence("class.title"), "open": self._is_open}
        if shared.joining or item.question is None or at not in self._asked:
            return state | {"told": sentence("class.waiting" if shared.joining else "class.wall")}
        task = task_of(item.question)
        is_told, options = shared.told, options_of(item, task)
        told = "" if self._is_open or is_told else "class.steps" if shared.build is Build.PLAY else "class.closed"
        kind = item.question.kind
        nowhere = int(kind.form.side == "inputs" and kind.takes_nowhere(item.question.subject))
        hint = sentence(f"quiz.{kind.form.words}", nowhere=nowhere)
        state |= {
            "title": sentence("class.number", number=self._asked.index(at) + 1, of=len(self._asked)),
            "prompt": item.prompt,
            "about": task.about if task.about not in item.prompt else "",
            "options": [option for option, _ in options],
            "many": bool(options) and task.how == "tick",
            "hint": "" if options else hint,
            "told": sentence(told) if told else "",
        }
        if shared.vote and self._is_open:
            state["told"] = sentence("class.second_vote")
        if is_told:
            right = [option[0] for option, is_right in options if is_right]
            state |= {"right": right, "told": sentence("class.answer", answer=truth_of(item))}
        return state

    def state(self, student: Student) -> Mapping[str, Any]:
        """What a phone shows; `at` stands for it."""
        self.look()
        given = student.given.get(self.key)
        state = self._common | {"mine": given.text if given is not None else None}
        if self._is_open and given is not None:
            state["says"] = [sentence("class.sent", answer=given.words)]
        elif "right" in state:
            state["says"] = list(reply_lines(self.desk.item, given))
            state["verdict"] = "" if given is None else "right" if given.right else "wrong"
        return state | {"at": hashlib.sha256(msgspec.json.encode(state)).hexdigest()[:16]}


def is_asked(item: Item) -> bool:
    """True if phones ask it: by the wall's letters, or by anything but a form."""
    return item.question is not None and (bool(item.answers) or task_of(item.question).how != "edit")


def options_of(item: Item, task: Task) -> list[tuple[Option, bool]]:
    """All that there is to choose, each with whether it is right."""
    if item.answers:
        pictures = [answer.picture.tables if answer.picture else [] for answer in item.answers]
        return [((one.id, one.text, tables), one.right) for one, tables in zip(item.answers, pictures, strict=True)]
    assert item.question is not None
    truth, ticks = item.question.truth, task.how == "tick"
    right = truth if isinstance(truth, tuple) else (truth,)
    options: list[tuple[Option, bool]] = [
        ((LETTERS[k] if ticks else option.id, option.text, []), option.id in right)
        for k, option in enumerate(task.options)
    ]
    return [*options, ((NONE, sentence("valid.option"), []), not truth)] if ticks else options


def given_of(item: Item, text: str) -> Given:
    """What a phone sent, graded. Raises DmlvizError, one sentence, for what can't be read."""
    question = item.question
    assert question is not None
    if item.answers:
        answer = next((answer for answer in item.answers if answer.id == text), None)
        if answer is None:
            raise DmlvizError(sentence("class.letters", letters=", ".join(answer.id for answer in item.answers)))
        given, words = answer.given, f"{answer.id} {answer.text}".strip()
        if question.kind.form.how == "edit":
            return Given(text=text, words=words, json=answer.text, right=answer.right)
    elif not text.strip() and not task_of(question).takes_none:
        raise DmlvizError(sentence("page.answer_first"))
    else:
        given = question.kind.form.read(question, json_of(question, text))
        words = words_of(question, given)
    json, reply = question.kind.form.json(given), question.verdict_on(given)
    return Given(text=text, words=words, json=json, right=reply.right, says=reply.says, rules=reply.rules)


def words_of(question: Question, answer: Any) -> str:
    """An answer as a person reads it, in at most MOST_WORDS characters."""
    return cut(in_words(question, question.kind.form.json(answer)), MOST_WORDS)


def truth_of(item: Item) -> str:
    """The right answer in words."""
    assert item.question is not None
    right = [f"{answer.id} {answer.text}".strip() for answer in item.answers if answer.right]
    return ", ".join(right) or words_of(item.question, item.question.truth)


def reply_lines(item: Item, given: Given | None) -> list[str]:
    """What is said to an answer once the right one is told, and what the wall tells besides."""
    assert item.question is not None
    lines = [sentence("class.no_answer")]
    if given is not None:
        lines = [sentence("class.right", answer=given.words, right=int(given.right)), given.says]
    said = {*lines, sentence("present.answer", answer=words_of(item.question, item.question.truth))}
    return [line for line in (*lines, " ".join(told for told in item.sentences if told not in said)) if line]


def said_of(item: Item, given: list[Given]) -> tuple[Said, ...]:
    """The commonest answers without letters, of those that at least two gave; and how many gave any other."""
    assert item.question is not None
    counts, every = Counter(one.words for one in given), {one.words: one for one in given}
    said = list[Said]()
    for words, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SAID]:
        one = every[words]
        if count > 1:
            rule = rule_name(item.question, one.rules[0]) if one.rules else ""
            said.append(Said(text=words, count=count, right=one.right, rule=rule, says=one.says))
    rest = len(given) - sum(each.count or 0 for each in said)
    return (*said, *([Said(text="", count=rest)] if rest else []))
