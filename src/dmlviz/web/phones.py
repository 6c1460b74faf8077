"""A class on phones: each is a clicker for the wall's letters, or a field, and says then what was wrong with its own.

The wall's presentation is the only state there is: a student is a cookie, and forgotten with it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct

from ..errors import DmlvizError, plain
from ..scene.spans import cut
from ..session.class_status import MOST_SAID, ClassStatus, Said
from ..session.presentation_state import Build
from ..teaching.asked import about, json_of, takes_none
from ..teaching.lessons.lessons import lesson_of
from ..teaching.progress.hand_ins import HandIn
from ..teaching.progress.progress import Answered, now_text
from ..teaching.questions.question import Question, Reply
from ..teaching.questions.subject import LETTERS
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words.catalogue import sentence
from ..workspace.wall.presented_item import Item, in_words, rule_name
from ..workspace.wall.wall_desk import WallDesk

MOST_STUDENTS = 400
MOST_WORDS = 120
"""Characters of an answer that is read aloud."""
Option = tuple[str, str, list[list[list[str]]]]
Key = tuple[float, int, int]
"""When the presentation began, an experiment's number, from 0, and which vote on it."""


class Given(Struct, frozen=True, kw_only=True):
    text: str
    words: str
    """The same as a person reads it."""
    json: Any
    reply: Reply


class Phones:
    def __init__(self, desk: WallDesk, now: Callable[[], float], keep: Callable[[HandIn], None]) -> None:
        """`now` gives seconds since 1970; `keep` saves an answer, or raises OSError."""
        self.desk, self._now, self._keep = desk, now, keep
        self.students: dict[str, dict[Key, Given]] = {}
        """What was answered, by the cookie of a phone."""
        self._shown = self.key
        self._common = dict[str, Any]()
        """What all phones show, built once a tick."""
        self._asked = [n for n in range(desk.count) if is_asked(desk.item_at(n))]
        lesson = lesson_of(with_own_tasks(desk.session))
        self._name = lesson.name if lesson is not None else ""

    @property
    def key(self) -> Key:
        return self.desk.shared.began, self.desk.shared.experiment, self.desk.shared.vote

    # ---- who is there

    def join(self, cookie: str) -> None:
        """Takes a phone in, if it is the first time. Raises HTTPException where there is no place."""
        if cookie not in self.students and len(self.students) >= MOST_STUDENTS:
            raise web.HTTPServiceUnavailable(text=sentence("class.full"))
        self.students.setdefault(cookie, {})

    # ---- what is answered

    def answer(self, cookie: str, key: object, text: str) -> None:
        """Takes a phone's answer in place of the one before. Raises HTTPException, OSError."""
        item, now, mine = self.desk.item, self._now(), self.students[cookie]
        if key != self.key or not self._is_open:
            raise web.HTTPConflict(text=sentence("class.closed"))
        try:
            given = given_of(item, text)
        except DmlvizError as error:
            raise web.HTTPUnprocessableEntity(text=str(error)) from None
        question = item.question
        if question is None or given == mine.get(self.key):
            return
        own = question.task.id if isinstance(question, AuthoredQuestion) else ""
        answered = Answered(
            task=own or plain(question.subject.experiment.name, 60),
            operator=question.subject.operator.name,
            kind=question.kind.name,
            seed=question.seed,
            time=now_text(now),
            right=given.reply.right,
            answer=given.json,
            rules=given.reply.rules,
            seconds=round(max(0.0, now - self.desk.shared.changed), 1),
            lesson=self._name,
        )
        name = int.from_bytes(hashlib.sha256(cookie.encode()).digest()[:8]) % 10**8  # which nobody is shown
        self._keep(HandIn(name=f"{name:08}", answers=(answered,), lesson=self._name))
        mine[self.key] = given

    @property
    def _is_open(self) -> bool:
        return self.desk.shared.is_open and self.desk.shared.experiment in self._asked

    # ---- what wall and speaker are told

    def tell(self, status: ClassStatus) -> None:
        """Tells phones how the presentation stands, and that how the class does; `status` has what its server knows."""
        for each in (self._shown, self.key):  # what came last before somebody went on is counted too
            self._count(each)
        desk, (_, number, vote), item = self.desk, self.key, self.desk.item
        asks, given = number in self._asked, self._given(self.key)
        self._shown, self._common = self.key, self._state()
        desk.hear(
            msgspec.structs.replace(
                status,
                title=desk.lesson,
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
        answers, given = self.desk.item_at(key[1]).answers, self._given(key)
        if answers and given and key[0] == self.key[0]:
            counts = Counter(one.text for one in given)
            self.desk.count_room(*key[1:], tuple(counts[answer.id] for answer in answers))

    def _given(self, key: Key) -> list[Given]:
        return [given[key] for given in self.students.values() if key in given]

    # ---- what is shown

    def _state(self) -> dict[str, Any]:
        """What all phones show, as JSON has it; nothing of the truth before it is told."""
        shared, item, at = self.desk.shared, self.desk.item, self.desk.shared.experiment
        state = {"key": self.key, "title": "dmlviz", "open": self._is_open}
        if shared.joining or item.question is None or at not in self._asked:
            return state | {"told": sentence("class.waiting" if shared.joining else "class.wall")}
        is_told, options = shared.told, options_of(item)
        told = "" if self._is_open or is_told else "class.steps" if shared.build is Build.PLAY else "class.closed"
        kind = item.question.kind
        nowhere = int(kind.form.side == "inputs" and kind.takes_nowhere(item.question.subject))
        hint = sentence(f"quiz.{kind.form.words}", nowhere=nowhere)
        state |= {
            "title": sentence("class.number", number=self._asked.index(at) + 1, of=len(self._asked)),
            "prompt": item.prompt,
            "about": about(item.question, item.prompt),
            "options": [option for option, _ in options],
            "hint": hint if not options or kind.form.how == "tick" else "",
            "told": sentence(told) if told else "",
        }
        if is_told:
            right = [option[0] for option, is_right in options if is_right]
            then = item.question.task.afterwards() if isinstance(item.question, AuthoredQuestion) else ()
            answer = sentence("page.the_answer", answer=truth_of(item, item.question))
            state |= {"right": right, "told": answer, "then": then}
        return state

    def state(self, cookie: str) -> Mapping[str, Any]:
        """What a phone shows; `at` stands for it."""
        given = self.students[cookie].get(self._shown)
        state = self._common | {"mine": given.text if given is not None else None}
        if self._common["open"] and given is not None:
            state["says"] = [sentence("class.sent", answer=given.words)]
        elif "right" in state:
            state["says"] = [*reply_lines(given), *state["then"]]
            state["verdict"] = "" if given is None else "right" if given.reply.right else "wrong"
        return state | {"at": hashlib.sha256(msgspec.json.encode(state)).hexdigest()[:16]}


def is_asked(item: Item) -> bool:
    """True if phones ask it: by the wall's letters, or by anything but a form."""
    return item.question is not None and (bool(item.answers) or item.question.kind.form.how != "edit")


def options_of(item: Item) -> list[tuple[Option, bool]]:
    """All that there is to choose, each with whether it is right."""
    if item.answers:
        pictures = [answer.picture.tables if answer.picture else [] for answer in item.answers]
        return [((one.id, one.text, tables), one.right) for one, tables in zip(item.answers, pictures, strict=True)]
    assert item.question is not None
    truth, options = item.question.truth, item.question.options
    right = truth if isinstance(truth, tuple) else (truth,)
    letters = LETTERS if item.question.kind.form.how == "tick" else [option.id for option in options]
    each = zip(letters, options, strict=False)
    return [((letter, option.text, []), option.id in right) for letter, option in each]


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
            return Given(text=text, words=words, json=answer.text, reply=Reply(answer.right, "", ""))
    elif not text.strip() and not takes_none(question):
        raise DmlvizError(sentence("page.answer_first"))
    else:
        given = question.kind.form.read(question, json_of(question, text))
        words = cut(in_words(question, question.kind.form.json(given)), MOST_WORDS)
    return Given(text=text, words=words, json=question.kind.form.json(given), reply=question.verdict_on(given))


def truth_of(item: Item, question: Question) -> str:
    right = [f"{answer.id} {answer.text}".strip() for answer in item.answers if answer.right]
    return ", ".join(right) or in_words(question, question.kind.form.json(question.truth))


def reply_lines(given: Given | None) -> list[str]:
    """What is said to an answer once the right one is told."""
    if given is None:
        return [sentence("class.no_answer")]
    first = sentence("class.right", answer=given.words, right=int(given.reply.right))
    return [line for line in (first, given.reply.says) if line]


def said_of(item: Item, given: list[Given]) -> tuple[Said, ...]:
    """The commonest answers without letters, of those that at least two gave; and how many gave any other."""
    assert item.question is not None
    counts, every = Counter(one.words for one in given), {one.words: one for one in given}
    said = list[Said]()
    for words, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SAID]:
        reply = every[words].reply
        if count > 1:
            rule = rule_name(item.question, reply.rules[0]) if reply.rules else ""
            said.append(Said(text=words, count=count, right=reply.right, rule=rule, says=reply.says))
    rest = len(given) - sum(each.count or 0 for each in said)
    return (*said, *([Said(text="", count=rest)] if rest else []))
