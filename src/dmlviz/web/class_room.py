"""Who has joined a class, and what each has answered; no server, and no clock but the one it is given.

A student is a number and a cookie: no name, no address. All that happens goes to a journal before it is acknowledged,
so that whoever is killed goes on where it was.
"""

from __future__ import annotations

import hashlib
import hmac
import random
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

MOST_STUDENTS = 400
MOST_JOINS, MOST_WRONG_CODES = 100, 20
"""In a second, of the whole room: one address may stand for all of it."""
MOST_ANSWERS = 10
"""Of one student, in as many seconds."""
LOST = 30.0
"""Seconds after which a phone that says nothing is lost."""
FORGETTABLE = 60.0
"""Seconds after which a phone that never answered, and says nothing, leaves its place to another."""
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: no letter is taken for a digit."""
LETTERS_OF_CODE = 7
OWN_PACE = -1.0
"""What stands for the beginning of a class in which each has their own."""
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})

Key = tuple[str, int]
"""What stands for a question, and which vote on it, from 0."""


class Given(Struct, frozen=True, kw_only=True):
    """What one student answered to one question in one vote."""

    text: str
    """As the phone has it."""
    words: str
    """As a person reads it."""
    answer: Any
    """Its JSON."""
    right: bool
    rules: tuple[str, ...] = ()
    """Wrong rules that give it."""
    time: float = 0.0
    """In seconds since 1970."""
    seconds: float = 0.0
    """Since the question was opened."""
    tries: int = 1
    """Of one's own pace: how many answers there were."""
    first: bool = True
    """The first of these was right."""


class Student(Struct, kw_only=True):
    """One phone in the room."""

    id: str
    number: int
    seen: float
    """When it was heard of, in seconds since 1970."""
    step: int = 0
    """At one's own pace, the question that one is at, from 0."""
    given: dict[Key, Given] = msgspec.field(default_factory=dict)
    kept: list[tuple[Key, Given]] = msgspec.field(default_factory=list)
    """At one's own pace every answer, in order."""
    streams: int = 0
    changes: int = 0
    """How often what it is shown alone has changed."""
    asked: deque[float] = msgspec.field(default_factory=deque)
    """When it answered, of late."""
    opened: float = 0.0
    """At one's own pace, when its question was opened."""


class RoomFullError(Exception):
    """There is no place for another student."""


class TooFastError(Exception):
    """Too much in too short a time."""


def new_code() -> str:
    """A code for a room: 35 bits, a door and no secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LETTERS_OF_CODE))


def tidy_code(typed: str) -> str:
    """A code as it is kept, from what somebody typed."""
    return typed.upper().translate(_MISREAD)


def _take(times: deque[float], most: int, seconds: float, now: float) -> None:
    """Notes one more at `now`. Raises TooFastError where there were `most` in so many seconds."""
    while times and not 0 <= now - times[0] < seconds:  # a clock may be set back
        times.popleft()
    if len(times) >= most:
        raise TooFastError
    times.append(now)


class Room:
    """The students of a class."""

    def __init__(
        self, key: bytes, now: Callable[[], float], keep: Callable[[tuple[Any, ...]], None] | None = None
    ) -> None:
        """`key` signs cookies. `now` gives seconds since 1970. `keep` writes down what happens, or raises OSError."""
        self.key, self._now, self._keep = key, now, keep
        self.students: dict[str, Student] = {}
        self.began = 0.0
        """When the presentation began that is answered; OWN_PACE, or 0 for none yet."""
        self._joins: deque[float] = deque()
        self._wrong: deque[float] = deque()

    # ---- who somebody is

    def new_cookie(self) -> str:
        """A cookie for somebody who isn't there yet: nothing is kept until it comes back."""
        id_ = secrets.token_urlsafe(16)
        return f"{id_}.{self._signature(id_)}"

    def _signature(self, id_: str) -> str:
        return hmac.new(self.key, id_.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def id_of(self, cookie: str) -> str | None:
        """Whose cookie it is; None for one that this room didn't give."""
        id_, _, signature = cookie.rpartition(".")
        is_ours = hmac.compare_digest(signature.encode(errors="replace"), self._signature(id_).encode())
        return id_ if is_ours else None

    def student(self, id_: str) -> Student:
        """The student of a cookie, who joins if it is the first time. Raises RoomFullError, TooFastError, OSError."""
        student = self.students.get(id_)
        if student is None:
            _take(self._joins, MOST_JOINS, 1.0, self._now())
            if len(self.students) >= MOST_STUDENTS:
                self._make_place()
            taken = {other.number for other in self.students.values()}
            number = random.choice([n for n in range(1, MOST_STUDENTS + 1) if n not in taken])
            self._happens("join", id_, number)
            student = self.students[id_]
        student.seen = self._now()
        return student

    def _make_place(self) -> None:
        """Forgets somebody who never answered and is gone. Raises RoomFullError where nobody is."""
        idle = [s for s in self.students.values() if not s.given and self.is_lost(s, FORGETTABLE)]
        if not idle:
            raise RoomFullError
        self._happens("leave", min(idle, key=lambda one: one.seen).id)

    def wrong_code(self) -> None:
        """Counts a code that was none. Raises TooFastError."""
        _take(self._wrong, MOST_WRONG_CODES, 1.0, self._now())

    def leave(self, id_: str) -> None:
        """Forgets a student with all answers. Raises OSError."""
        self._happens("leave", id_)

    # ---- what is answered

    def pace(self, student: Student) -> None:
        """Counts an attempt to answer. Raises TooFastError."""
        _take(student.asked, MOST_ANSWERS, MOST_ANSWERS, self._now())

    def answer(self, student: Student, key: Key, given: Given) -> None:
        """Keeps an answer in place of the one before; the same again changes nothing. Raises OSError."""
        before = student.given.get(key)
        if before is None or before.text != given.text:
            self._happens("answer", student.id, *key, given)

    def try_answer(self, student: Student, key: Key, given: Given) -> None:
        """Keeps an answer beside the ones before, at one's own pace. Raises OSError."""
        before = student.given.get(key)
        if before is not None:
            if before.text == given.text:
                return
            given = msgspec.structs.replace(given, tries=before.tries + 1, first=before.first)
        self._happens("try", student.id, *key, given)

    def go_on(self, student: Student, step: int) -> None:
        """Has a student at their own pace go to a question, from 0. Raises OSError."""
        if step != student.step:
            self._happens("step", student.id, step)

    def wipe(self, began: float) -> None:
        """Forgets all answers, for a presentation that began anew; whoever has joined stays. Raises OSError."""
        self._happens("wipe", began)

    # ---- what is counted

    def of(self, key: Key) -> Iterable[Given]:
        """All answers to a question in a vote."""
        return (student.given[key] for student in self.students.values() if key in student.given)

    def answered(self, key: Key) -> int:
        """How many answered."""
        return sum(key in student.given for student in self.students.values())

    def is_lost(self, student: Student, seconds: float = LOST) -> bool:
        """True for a phone that has said nothing for a while."""
        return not student.streams and self._now() - student.seen > seconds

    # ---- what is kept

    def _happens(self, *event: Any) -> None:
        if self._keep is not None:
            self._keep(event)
        self.follow(event)

    def follow(self, event: tuple[Any, ...] | list[Any]) -> None:
        """Takes an event as the journal has it. Raises ValueError for what is none."""
        try:
            what, *rest = event
            if what == "wipe":
                self.began = float(rest[0])
                for student in self.students.values():
                    student.given, student.kept, student.step = {}, [], 0
            elif what == "join":
                id_, number = rest
                self.students[str(id_)] = Student(id=str(id_), number=int(number), seen=self._now())
            elif what == "leave":
                self.students.pop(rest[0], None)
            elif what == "step":
                student = self.students[rest[0]]
                student.step, student.opened = int(rest[1]), self._now()
                student.changes += 1
            elif what in ("answer", "try"):
                id_, question, vote, given = rest
                given = given if isinstance(given, Given) else msgspec.convert(given, Given)
                key, student = (str(question), int(vote)), self.students[id_]
                student.given[key] = given
                student.changes += 1
                if what == "try":
                    student.kept.append((key, given))
            else:
                raise ValueError
        except (KeyError, IndexError, TypeError, msgspec.ValidationError) as error:
            raise ValueError(str(error)) from None

    def events(self) -> Iterable[tuple[Any, ...]]:
        """The shortest events that lead to how the room stands."""
        yield "wipe", self.began
        for student in self.students.values():
            yield "join", student.id, student.number
            if student.step:
                yield "step", student.id, student.step
            last = dict(student.kept)
            for key, given in student.kept:
                yield "try", student.id, *key, given
            for key, given in student.given.items():
                if last.get(key) != given:
                    yield "answer", student.id, *key, given


def commonest(given: Iterable[Given], most: int) -> tuple[list[tuple[Given, int]], int]:
    """(the commonest answers that at least two gave, with how many; how many gave any other)."""
    counts: Counter[bytes] = Counter()
    firsts: dict[bytes, Given] = {}
    for one in given:
        answer = msgspec.json.encode(one.answer, order="sorted")
        counts[answer] += 1
        firsts.setdefault(answer, one)
    ranked = sorted(counts, key=lambda answer: (-counts[answer], answer))
    named = [answer for answer in ranked[:most] if counts[answer] >= 2]
    return [(firsts[each], counts[each]) for each in named], counts.total() - sum(counts[each] for each in named)


def shuffled(students: Mapping[str, Student]) -> list[tuple[int, Student]]:
    """(a number, student) of all who answered: numbers that nobody was shown, in an order that tells nothing."""
    listed = [student for student in students.values() if student.given]
    random.SystemRandom().shuffle(listed)
    return list(enumerate(listed, 1))
