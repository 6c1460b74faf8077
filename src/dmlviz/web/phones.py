"""A class on phones: each is a clicker for the wall's letters, or a field, and says then what was wrong with its own.

It knows no network. The wall's presentation is the only state there is: a student is a cookie, and forgotten with it.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
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
from ..teaching.questions.wording import without_keys
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words.catalogue import sentence
from ..workspace.wall.presented_item import Item, in_few_words, in_words, rule_name
from ..workspace.wall.wall_desk import WallDesk

MOST_STUDENTS = 400
MOST_ANSWERS = 20
"""Of one student, in as many seconds."""
MOST_WORDS = 120
"""Characters of an answer that is read aloud."""
NONE = "none"
"""What stands for no option, where several may be chosen."""
Option = tuple[str, str, list[list[list[str]]]]
Key = tuple[int, int]
"""An experiment's number, from 0, and which vote on it."""


class RefusedError(Exception):
    """What a phone sent isn't taken."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem
        """As HTTP has it; one sentence."""


class Given(Struct, frozen=True, kw_only=True):
    """What one student answered to one question in one vote."""

    text: str
    """As the phone has it."""
    words: str
    """As a person reads it."""
    json: Any
    right: bool
    says: str = ""
    look: str = ""
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
        self._counted, self._began = self.key, desk.shared.began
        self._common = dict[str, Any]()
        self._asked = [n for n in range(desk.count) if is_asked(desk.item_at(n))]
        self._lesson = lesson_of(with_own_tasks(desk.session))

    @property
    def key(self) -> Key:
        return self.desk.shared.experiment, self.desk.shared.vote

    # ---- who is there

    def student(self, cookie: str) -> Student:
        """The student of a cookie, who joins if it is the first time. Raises RefusedError where there is no place."""
        if cookie not in self.students:
            if len(self.students) >= MOST_STUDENTS:
                raise RefusedError(503, sentence("class.full"))
            n = int.from_bytes(hashlib.sha256(cookie.encode()).digest()[:8]) % 10**8
            self.students[cookie] = Student(name=f"{n:08}")
        return self.students[cookie]

    # ---- what is answered

    def answer(self, student: Student, key: object, text: str) -> None:
        """Takes a phone's answer in place of the one before. Raises RefusedError, OSError."""
        self.look()
        item, now = self.desk.item, self._now()
        if key != self.key or not self._is_open:
            raise RefusedError(409, sentence("class.closed"))
        times = student.answered
        if len(times) == MOST_ANSWERS and 0 <= now - times[0] < MOST_ANSWERS:  # a clock may be set back
            raise RefusedError(429, sentence("class.too_fast"))
        times.append(now)
        try:
            given = given_of(item, text)
        except DmlvizError as error:
            raise RefusedError(422, str(error)) from None
        if given == student.given.get(self.key):
            return
        question = item.question
        assert question is not None
        own = question.task.id if isinstance(question, AuthoredQuestion) else ""
        answered = Answered(
            task=own or plain(question.subject.experiment.name, 60) or f"{self.key[0] + 1}",
            operator=question.subject.operator.name,
            kind=question.kind.name,
            seed=question.seed,
            time=now_text(now),
            right=given.right,
            answer=given.json,
            rules=given.rules,
            seconds=round(max(0.0, now - self.desk.opened), 1),
            lesson=self._name,
        )
        self._keep(HandIn(name=student.name, answers=(answered,), lesson=self._name))
        student.given[self.key] = given

    @property
    def _name(self) -> str:
        return self._lesson.name if self._lesson is not None else ""

    @property
    def _is_open(self) -> bool:
        return self.desk.shared.is_open and self.desk.shared.experiment in self._asked

    # ---- what wall and speaker are told

    def tell(self, status: ClassStatus) -> None:
        """Tells the presentation how the class stands; `status` has what its server knows."""
        self.look()
        desk, (number, vote), item = self.desk, self.key, self.desk.item
        asks = number in self._asked
        letterless = asks and not item.answers
        has_own = "lesson" in desk.session.extra  # another title may tell what is asked
        self._count(self.key)
        desk.hear(
            msgspec.structs.replace(
                status,
                title=plain(self._lesson.title, 60) if self._lesson is not None and has_own else "",
                tasks=len(self._asked),
                joined=len(self.students),
                question=desk.question_key(number),
                vote=vote,
                asked=asks,
                answered=len(self._given(self.key)),
                said=tuple(said_of(item, self._given((number, k))) for k in range(vote + 1)) if letterless else (),
            )
        )

    def _count(self, key: Key) -> None:
        """Puts what was answered where hands are counted."""
        answers, given = self.desk.item_at(key[0]).answers, self._given(key)
        if answers and given:
            counts = Counter(one.text for one in given)
            self.desk.count_room(*key, tuple(counts[answer.id] for answer in answers))

    def _given(self, key: Key) -> list[Given]:
        return [student.given[key] for student in self.students.values() if key in student.given]

    # ---- what is shown

    def look(self) -> None:
        """Builds what all phones show, where the presentation has gone on."""
        shared = self.desk.shared
        shown = (self.key, shared.build, shared.told, shared.is_open, shared.joining, shared.began)
        if shown == self._shown:
            return
        if shared.began != self._began:  # begun anew, without hands
            self._began = shared.began
            for student in self.students.values():
                student.given.clear()
        self._count(self._counted)  # what came last before somebody went on
        self._counted, self._shown = self.key, shown
        self._common = self._state()

    def _state(self) -> dict[str, Any]:
        """What all phones show, as JSON has it; nothing of the truth before it is told."""
        shared, item, at = self.desk.shared, self.desk.item, self.key[0]
        state = {"key": self.key, "began": shared.began, "title": sentence("class.title"), "open": self._is_open}
        if shared.joining or item.question is None or at not in self._asked:
            return state | {"told": sentence("class.waiting" if shared.joining else "class.wall")}
        task = task_of(item.question)
        is_told, options = self.desk.told, options_of(item, task)
        told = "" if self._is_open or is_told else "class.steps" if shared.build is Build.PLAY else "class.closed"
        kind = item.question.kind
        nowhere = int(kind.form.side == "inputs" and kind.takes_nowhere(item.question.subject))
        hint = sentence(f"quiz.{kind.form.words}", nowhere=nowhere)
        state |= {
            "title": sentence("class.number", number=self._asked.index(at) + 1, of=len(self._asked)),
            "prompt": item.prompt,
            "about": task.about if task.about not in item.prompt else "",
            "options": options,
            "many": bool(options) and task.how == "tick",
            "hint": "" if options else hint,
            "told": sentence(told) if told else "",
        }
        if shared.vote and self._is_open:
            state["told"] = sentence("class.second_vote")
        if is_told:
            state |= {"right": right_of(item, options), "told": sentence("class.answer", answer=truth_of(item))}
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


def options_of(item: Item, task: Task) -> list[Option]:
    """(what is sent, text, rows of each output that it shows) of all that there is to choose."""
    if item.answers:
        return [(one.id, one.text, one.picture.tables if one.picture else []) for one in item.answers]
    if task.how != "tick":
        return [(option.id, option.text, []) for option in task.options]
    options: list[Option] = [(key, option.text, []) for key, option in zip(LETTERS, task.options, strict=False)]
    return [*options, (NONE, sentence("valid.option"), [])]


def given_of(item: Item, text: str) -> Given:
    """What a phone sent, graded. Raises DmlvizError, one sentence, for what can't be read."""
    question = item.question
    assert question is not None
    task = task_of(question)
    if item.answers:
        answer = next((answer for answer in item.answers if answer.id == text), None)
        if answer is None:
            raise DmlvizError(sentence("class.letters", letters=", ".join(answer.id for answer in item.answers)))
        given, words = answer.given, f"{answer.id} {answer.text}".strip()
        if task.how == "edit":
            return Given(text=text, words=words, json=answer.text, right=answer.right)
    elif not text.strip() and not task.takes_none:
        raise DmlvizError(sentence("page.answer_first"))
    else:
        given = question.kind.form.read(question, json_of(question, text))
        words = words_of(question, given)
    verdict = question.verdict_on(given)
    look = "" if verdict.right else without_keys(question.subject, verdict.look)
    json = question.kind.form.json(given)
    right, says, rules = verdict.right, verdict.says, verdict.rules
    return Given(text=text, words=words, json=json, right=right, says=says, look=look, rules=rules)


def words_of(question: Question, answer: Any) -> str:
    """An answer as a person reads it, in at most MOST_WORDS characters."""
    return cut(in_words(question, question.kind.form.json(answer)), MOST_WORDS)


def truth_of(item: Item) -> str:
    """The right answer in words."""
    assert item.question is not None
    right = [f"{answer.id} {answer.text}".strip() for answer in item.answers if answer.right]
    return ", ".join(right) or words_of(item.question, item.question.truth)


def right_of(item: Item, options: list[Option]) -> list[str]:
    """What is sent of the options that are right."""
    if item.answers:
        return [answer.id for answer in item.answers if answer.right]
    assert item.question is not None
    truth = item.question.truth if isinstance(item.question.truth, tuple) else (item.question.truth,)
    every = zip(options, item.question.options, strict=False)
    right = [key for (key, *_), option in every if option.id in truth]
    return right or [NONE]


def reply_lines(item: Item, given: Given | None) -> list[str]:
    """What is said to an answer once the right one is told, and what the wall tells besides."""
    question = item.question
    assert question is not None
    truth = in_few_words(question, question.truth) or ""
    said = {f"{answer.id}: {answer.words}" for answer in item.answers if answer.words}
    said.add(sentence("present.answer", answer=truth))
    lines = [sentence("class.no_answer")]
    if given is not None:
        lines = [sentence("class.right", answer=given.words, right=int(given.right)), given.says]
        said.add(given.says)
    if given is not None and given.look:
        lines.append(sentence("page.look", look=given.look))
    return [line for line in (*lines, " ".join(told for told in item.sentences if told not in said)) if line]


def said_of(item: Item, given: list[Given]) -> tuple[Said, ...]:
    """The commonest answers without letters, of those that at least two gave; and how many gave any other."""
    counts, firsts = Counter[str](), dict[str, Given]()
    for one in given:
        counts[one.words] += 1
        firsts.setdefault(one.words, one)
    ranked = sorted(counts, key=lambda words: (-counts[words], words))
    named = [words for words in ranked[:MOST_SAID] if counts[words] >= 2]
    rest = len(given) - sum(counts[words] for words in named)
    assert item.question is not None
    rules = {words: next((rule_name(item.question, rule) for rule in firsts[words].rules), "") for words in named}
    said = [
        Said(text=each, count=counts[each], right=firsts[each].right, rule=rules[each], says=firsts[each].says)
        for each in named
    ]
    return (*said, *([Said(text="", count=rest)] if rest else []))
