"""The room of a class and its file: who is in it, what was answered, and what a kill leaves."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried

from dmlviz.errors import SessionError
from dmlviz.web import class_journal
from dmlviz.web.class_journal import OLDEST, RoomFile, open_room
from dmlviz.web.class_room import (
    MOST_ANSWERS,
    MOST_JOINS,
    MOST_STUDENTS,
    MOST_WRONG_CODES,
    Given,
    Room,
    RoomFullError,
    Student,
    TooFastError,
    commonest,
    new_code,
    shuffled,
    tidy_code,
)

KEY = bytes(32)
ASKED = ("question", 0)


class Clock:
    """A clock that a test moves."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def room(clock: Clock) -> Room:
    return Room(KEY, clock)


def joined(room: Room) -> Student:
    id_ = room.id_of(room.new_cookie())
    assert id_ is not None
    return room.student(id_)


def said(text: str, *, right: bool = False) -> Given:
    return Given(text=text, words=text, answer=text, right=right)


def looks(room: Room) -> dict[str, object]:
    return {id_: (s.number, s.step, s.given, s.kept) for id_, s in room.students.items()}


# ---- who somebody is


def test_a_cookie_is_the_rooms_own_and_nobody_is_kept_before_it_comes_back(room: Room, clock: Clock) -> None:
    cookie = room.new_cookie()
    assert not room.students
    assert room.id_of(cookie) == cookie.partition(".")[0]
    assert Room(bytes(31) + b"x", clock).id_of(cookie) is None


@given(st.text(max_size=80))
@tried(60)
def test_a_guessed_cookie_is_nobodys(guess: str) -> None:
    assert Room(KEY, time.time).id_of(guess) is None


def test_numbers_are_different(room: Room) -> None:
    numbers = [joined(room).number for _ in range(MOST_JOINS)]
    assert len(set(numbers)) == MOST_JOINS
    assert all(1 <= number <= MOST_STUDENTS for number in numbers)


def test_a_room_takes_so_many_and_then_the_place_of_who_never_answered_and_is_gone(room: Room, clock: Clock) -> None:
    for _ in range(MOST_STUDENTS // MOST_JOINS):
        for _ in range(MOST_JOINS):
            room.answer(joined(room), ASKED, said("a"))
        with pytest.raises(TooFastError):
            joined(room)
        clock.now += 1
    with pytest.raises(RoomFullError):
        joined(room)
    gone = [*room.students.values()][-1]
    gone.given.clear()
    clock.now += 59
    with pytest.raises(RoomFullError):
        joined(room)
    clock.now += 10
    assert joined(room).number == gone.number  # the only one that is free
    assert gone.id not in room.students
    assert len(room.students) == MOST_STUDENTS


def test_wrong_codes_and_answers_are_counted_by_the_second(room: Room, clock: Clock) -> None:
    student = joined(room)
    for count, act in ((MOST_WRONG_CODES, room.wrong_code), (MOST_ANSWERS, lambda: room.pace(student))):
        for _ in range(count):
            act()
        with pytest.raises(TooFastError):
            act()
    clock.now += 1
    room.wrong_code()
    with pytest.raises(TooFastError):
        room.pace(student)
    clock.now += MOST_ANSWERS
    for _ in range(MOST_ANSWERS):
        room.pace(student)
    clock.now -= 3600  # set back, it makes nobody wait for an hour
    room.pace(student)


@pytest.mark.parametrize("typed", ["k7qm4xt", "K7Q M4XT", "k7q-m4xt"])
def test_a_code_is_read_as_it_is_typed(typed: str) -> None:
    assert tidy_code(typed) == "K7QM4XT"
    assert tidy_code("oOiIlL1") == "0011111"
    assert tidy_code(new_code()) != tidy_code(new_code())


# ---- what is answered


def test_the_last_answer_counts_once_and_the_same_again_is_the_same(room: Room) -> None:
    one, other = joined(room), joined(room)
    for text in ("a", "b", "b"):
        room.answer(one, ASKED, said(text))
    room.answer(other, ASKED, said("a"))
    assert sorted(given.text for given in room.of(ASKED)) == ["a", "b"]
    room.leave(other.id)
    assert [given.text for given in room.of(ASKED)] == ["b"]
    room.wipe(1.0)
    assert room.answered(ASKED) == 0
    assert list(room.students) == [one.id]


def test_at_ones_own_pace_every_try_is_kept_and_the_first_is_remembered(room: Room) -> None:
    student = joined(room)
    for text, right in (("a", False), ("a", False), ("b", True)):
        room.try_answer(student, ASKED, msgspec.structs.replace(said(text, right=right), first=right))
    given = student.given[ASKED]
    assert (given.text, given.right, given.tries, given.first) == ("b", True, 2, False)
    assert [kept.text for _, kept in student.kept] == ["a", "b"]


def test_a_phone_is_lost_once_it_is_silent_and_found_again(room: Room, clock: Clock) -> None:
    student = joined(room)
    clock.now += 31
    assert room.is_lost(student)
    student.streams = 1
    assert not room.is_lost(student)
    student.streams = 0
    room.student(student.id)
    assert not room.is_lost(student)


def test_the_commonest_answers_are_named_and_what_one_alone_gave_is_not() -> None:
    given = [said(text) for text in ("x", "y", "y", "z", "z", "z", "u", "u")]
    named, rest = commonest(given, 2)
    assert [(one.text, count) for one, count in named] == [("z", 3), ("u", 2)]
    assert rest == 3


def test_what_is_saved_has_numbers_that_nobody_was_shown(room: Room) -> None:
    for _ in range(60):
        room.answer(joined(room), ASKED, said("a"))
    joined(room)
    listed = shuffled(room.students)
    assert [number for number, _ in listed] == [*range(1, 61)]
    assert [student.id for _, student in listed] != [*room.students]


# ---- the file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "states" / "lesson.room"


def opened(path: Path) -> tuple[RoomFile, Room]:
    file, lost = open_room(path, "lesson")
    assert lost == ""
    return file, file.room


ACTS = st.lists(
    st.tuples(st.sampled_from(["join", "answer", "try", "leave", "step", "wipe"]), st.integers(0, 9), st.text("abc")),
    max_size=40,
)


@given(ACTS, st.integers(0, 40), st.booleans())
@tried(60, suppress_health_check=list(HealthCheck))
def test_a_killed_rooms_file_tells_the_same_room(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, str]], torn: int, rewritten: bool
) -> None:
    path = tmp_path_factory.mktemp("room") / "lesson.room"
    file, room = opened(path)
    for act, n, text in acts:
        students = list(room.students.values())
        if act == "wipe":
            room.wipe(1.0)
        elif act == "join" or not students:
            joined(room)
        elif act == "leave":
            room.leave(students[n % len(students)].id)
        elif act == "step":
            room.go_on(students[n % len(students)], n)
        else:
            keep = room.answer if act == "answer" else room.try_answer
            keep(students[n % len(students)], (f"q{n % 3}", 0), said(text))
    if rewritten:
        file.set_port(99)
    head = file.head
    file.close(forgets=False)  # as a kill does: the lock alone goes
    with path.open("ab") as out:
        out.write(b'["answer","nobody","q",0,{"text":"x"'[:torn])  # what a kill cuts off
    file, again = opened(path)
    assert (file.head, looks(again)) == (head, looks(room))
    assert joined(again)
    file.close(forgets=False)
    file, third = opened(path)
    assert looks(third) == looks(again)
    file.close(forgets=True)
    assert list(path.parent.iterdir()) == []


def test_the_file_is_ones_own_and_stays_small(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_journal, "MOST_BYTES", 4000)
    file, room = opened(path)
    assert path.stat().st_mode & 0o777 == 0o600
    student = joined(room)
    for n in range(300):
        room.answer(student, ASKED, said(str(n)))
    assert path.stat().st_size < 5000
    monkeypatch.setattr(class_journal, "WAIT", 0.1)
    with pytest.raises(SessionError, match="held on lesson already"):
        open_room(path, "lesson")
    assert not class_journal.leave_request(path).exists()  # it stays, whatever becomes of its wall
    file.close(forgets=False)
    assert looks(opened(path)[1]) == looks(room)


def test_a_file_with_much_to_say_is_not_written_anew_at_each_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_journal, "MOST_BYTES", 4000)
    file, room = opened(path)
    written: set[int] = set()
    student = joined(room)
    for n in range(300):
        room.answer(student, (f"q{n}", 0), said("a"))
        written.add(id(file._handle))
    assert 1 < len(written) < 10


@pytest.mark.parametrize("content", [b"{}", b"\xff\n", b'{"dmlviz_class": 2}\n', b"[" * 5000, b"\0" * 100])
def test_a_damaged_file_begins_a_room_anew_and_says_so(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    file, lost = open_room(path, "lesson")
    assert "damaged" in lost
    assert not file.room.students
    file.close(forgets=False)
    assert opened(path)[0].head == file.head


def test_lines_that_are_none_lose_themselves_alone(path: Path) -> None:
    file, room = opened(path)
    joined(room)
    file.close(forgets=False)
    with path.open("ab") as out:
        out.write(
            b'["x"]\n[]\n{}\n["join"]\n["answer","a"]\n\xff\n["step","nobody",1]\n["join",1,{}]\n' + b"[" * 9999 + b"\n"
        )
    assert looks(opened(path)[1]) == looks(room)


def test_a_file_of_another_user_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(path)[0].close(forgets=False)
    before = path.read_bytes()
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(SessionError, match="another user's"):
        open_room(path, "lesson")
    assert path.read_bytes() == before


def test_an_old_file_is_removed_unread_and_one_whose_class_is_held_is_not(path: Path) -> None:
    long_ago = time.time() - OLDEST - 60
    held, _ = opened(path.with_name("other.room"))
    path.write_bytes(b"never read")
    for old in (path, held.path):
        os.utime(old, (long_ago, long_ago))
    opened(path)  # says nothing of damage
    assert held.path.exists()
    held.close(forgets=True)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[: len(data) // 2]))


def test_an_answer_that_cannot_be_kept_is_not_taken(path: Path, request: pytest.FixtureRequest) -> None:
    _, room = opened(path)
    student = joined(room)
    size = path.stat().st_size
    request.getfixturevalue("full_disk")
    with pytest.raises(OSError, match="part of a line"):
        room.answer(student, ASKED, said("a"))
    assert path.stat().st_size == size
    assert not student.given


def test_a_file_that_somebody_removed_is_there_again_with_the_next_answer(path: Path) -> None:
    file, room = opened(path)
    student = joined(room)
    room.answer(student, ASKED, said("a"))
    shutil.rmtree(path.parent)
    room.answer(student, ASKED, said("b"))
    file.close(forgets=False)
    assert looks(opened(path)[1]) == looks(room)


def test_a_full_disk_costs_no_answer_that_was_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_journal, "MOST_BYTES", 4000)
    file, room = opened(path)
    student = joined(room)
    while path.stat().st_size < 3900:
        room.answer(student, ASKED, said(str(path.stat().st_size)))
    with monkeypatch.context() as disk:
        disk.setattr(os, "write", _full)
        for text in ("x" * 200, "y"):
            with pytest.raises(OSError, match="full"):
                room.answer(student, ASKED, said(text))
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:5] if b'"z"' in data else data))
    with pytest.raises(OSError, match="part of a line"):
        room.answer(student, ASKED, said("z"))
    file.close(forgets=False)
    assert looks(opened(path)[1]) == looks(room)


def _full(handle: int, data: bytes) -> int:
    raise OSError(28, "the disk is full")
