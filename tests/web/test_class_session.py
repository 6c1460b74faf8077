"""A class without a network: what phones are asked and told, what is counted, and what is kept."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.commands import call
from support.effort import tried
from support.every_kind import KINDS, of_kind
from support.kinds import FORMS, WITH_FORM
from support.presentations import CLASSROOM, Time

import dmlviz as dml
from dmlviz.errors import DmlvizError, SessionError
from dmlviz.session import examples
from dmlviz.session.class_status import status_file
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.web.class_room import MOST_ANSWERS, Room, Student, TooFastError
from dmlviz.web.class_session import ClassSession, RefusedError
from dmlviz.workspace.wall.presented_item import Item
from dmlviz.workspace.wall.presenting import Presenting

ASKED = sorted(set(KINDS) & set(FORMS) - set(WITH_FORM))
"""The kinds that a phone asks by their own form."""


class Held:
    """A class, and the wall that it follows."""

    def __init__(self, folder: Path, *, session: Session | None = None, own_pace: bool = False) -> None:
        self.session = session if session is not None else dml.load(CLASSROOM)
        self.time, self.kept = Time(), StateFile("/a/lesson.json", folder)
        self.room = Room(bytes(32), self.time)
        self.wall = Presenting(self.session, self.time, kept=self.kept)
        self.hall = self.opened(own_pace=own_pace)

    def opened(self, *, own_pace: bool = False) -> ClassSession:
        """The class as a server that begins now has it."""
        kept = StateFile(self.kept.name, self.kept.file.parent)
        return ClassSession(self.session, self.room, self.time, kept, own_pace=own_pace)

    def student(self) -> Student:
        id_ = self.room.id_of(self.room.new_cookie())
        assert id_ is not None
        return self.room.student(id_)

    def state(self, student: Student) -> Any:
        """What a phone gets, as it gets it."""
        self.hall.follow()
        return json.loads(json.dumps(self.hall.state(student, keeps=False)))

    def put(self, student: Student, text: str, *, vote: int = 0) -> None:
        """Answers what a phone shows."""
        shown = self.state(student)["question"]
        self.hall.put(student, shown["id"] if shown is not None else None, vote, text)

    def hands(self, vote: int = 0) -> tuple[int | None, ...]:
        """What the wall has counted."""
        self.hall.write_counts()
        self.wall.tick()
        return self.wall.notes.votes[vote].counts


@pytest.fixture
def held(tmp_path: Path) -> Held:
    return Held(tmp_path)


def refused(act: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(RefusedError) as error:
        act()
    return error.value.status, error.value.problem


def test_the_room_answers_and_the_wall_counts(held: Held) -> None:
    one, other, third = (held.student() for _ in range(3))
    for student, text in ((one, "a"), (other, "b"), (third, "b"), (third, "c"), (third, "b")):
        held.put(student, text)
    assert held.hands() == (1, 2, 0, 0)
    assert held.wall.state.hands.votes is None  # nobody is to follow the crowd
    before = held.state(one)
    assert (before["open"], before["mine"], before["reveal"], before["answered"]) == (True, "a", None, 3)
    held.wall.reveal()
    told = held.state(other)["reveal"]
    assert (told["right"], told["answer"], told["rule"][:2]) == (False, "a", "G4")
    assert told["feedback"]
    assert [(letter, count, right) for letter, _, count, right in told["counts"]] == [
        ("a", 1, True),
        ("b", 2, False),
        ("c", 0, False),
        ("d", 0, False),
    ]
    assert held.state(one)["reveal"]["right"] is True
    assert held.state(held.student())["reveal"]["right"] is None  # who came late


def test_what_is_closed_or_another_question_is_refused_and_counts_nothing(held: Held) -> None:
    student = held.student()
    first = held.state(student)["question"]["id"]
    held.wall.reveal()
    assert refused(lambda: held.hall.put(student, first, 0, "a"))[0] == 409  # without a look in between
    held.wall.forward()
    assert refused(lambda: held.hall.put(student, first, 0, "a"))[0] == 409
    now = held.state(student)["question"]["id"]
    others: list[object] = [1, -1, True, 0.0, None, "0"]
    for vote in others:
        assert refused(partial(held.hall.put, student, now, vote, "a"))[0] == 409
    assert not student.given


def test_steps_close_a_question_and_tell_nothing(held: Held) -> None:
    student = held.student()
    held.put(student, "a")
    held.wall.forward()
    state = held.state(student)
    assert (held.wall.shared.build, state["open"], state["why"], state["reveal"]) == (Build.PLAY, False, "steps", None)


def test_a_second_vote_is_another_and_shows_the_first(held: Held) -> None:
    one, other = held.student(), held.student()
    held.put(one, "b")
    held.wall.second_vote()
    state = held.state(one)
    assert (state["vote"], state["mine"], state["before"], state["open"]) == (1, None, "b", True)
    held.put(one, "a", vote=1)
    held.put(other, "a", vote=1)
    assert held.hands(0) == (0, 1, 0, 0)
    assert held.hands(1) == (2, 0, 0, 0)


def test_what_is_not_asked_on_phones_is_on_the_wall(held: Held) -> None:
    student = held.student()
    held.wall.go_to(4)  # a level
    state = held.state(student)
    assert (state["question"], state["why"]) == (None, "wall")


def test_begun_anew_nobody_has_answered_and_all_are_still_there(held: Held) -> None:
    student = held.student()
    held.put(student, "b")
    held.time.now += 5
    held.wall.clean()
    held.wall.clean()
    assert held.state(student)["mine"] is None
    assert held.hands() == (None,) * 4
    held.put(student, "c")
    assert held.hands() == (0, 0, 1, 0)


def test_a_server_that_begins_again_counts_the_same(held: Held) -> None:
    student, silent = held.student(), held.student()
    held.put(student, "b")
    held.hall = held.opened()
    assert held.hands() == (0, 1, 0, 0)
    assert held.state(student)["mine"] == "b"
    held.wall.reveal()
    held.hall = held.opened()
    assert [row[2] for row in held.state(silent)["reveal"]["counts"]] == [0, 1, 0, 0]


def test_what_was_answered_while_the_wall_went_on_alone_is_counted(held: Held) -> None:
    student = held.student()
    held.put(student, "b")  # the server is killed before it counts
    held.wall.go_to(2)
    held.hall = held.opened()
    held.wall.go_to(1)
    assert held.hands() == (0, 1, 0, 0)


def test_begun_anew_while_no_server_was_there_nobody_has_answered(held: Held) -> None:
    student = held.student()
    held.put(student, "b")
    held.time.now += 5
    for _ in range(2):
        held.wall.clean()
    held.hall = held.opened()
    assert (held.state(student)["mine"], held.hands()) == (None, (None,) * 4)


def test_a_class_that_goes_on_keeps_its_pace(held: Held) -> None:
    held.put(held.student(), "b")
    with pytest.raises(SessionError, match="--pace is own, and a class on FILE goes on with host"):
        held.opened(own_pace=True)
    assert [held.room.answered(key) for student in held.room.students.values() for key in student.given] == [1]


def test_a_disk_that_is_full_keeps_nobody_from_beginning_anew_later(held: Held) -> None:
    student = held.student()
    held.put(student, "b")

    def full(event: object) -> None:
        raise OSError(28, "the disk is full")

    held.time.now += 5
    held.room._keep = full
    for _ in range(2):
        held.wall.clean()
    with pytest.raises(OSError, match="full"):
        held.hall.follow()
    held.room._keep = None
    assert held.state(student)["mine"] is None


def test_a_title_that_is_no_lessons_is_not_told(tmp_path: Path) -> None:
    lesson = dml.load(CLASSROOM)
    untitled = Session(lesson.experiments, title="Row 2 is the answer")
    assert Held(tmp_path, session=untitled).hall.title == ""
    assert Held(tmp_path).hall.title == "Rows by index"


def test_nothing_of_one_is_told_to_another(held: Held) -> None:
    one, other = held.student(), held.student()
    held.put(one, "b")
    before = held.state(other)
    held.put(one, "c")
    assert held.state(other) == before
    assert one.id not in json.dumps(before)


def test_whoever_sends_too_much_waits(held: Held) -> None:
    student = held.student()
    for n in range(MOST_ANSWERS):
        held.put(student, "ab"[n % 2])
    with pytest.raises(TooFastError):
        held.put(student, "c")
    assert student.given
    assert {given.text for given in student.given.values()} == {"b"}


def test_the_instructors_phone_does_what_the_speaker_does(held: Held) -> None:
    assert held.hall.acts == ("forward", "reveal", "second_vote")
    held.hall.act("second_vote")
    held.hall.act("back")  # there is nothing before
    held.hall.act("reveal")
    held.wall.tick()
    assert (held.wall.shared.vote, held.wall.shared.experiment, held.wall.shared.build) == (1, 0, Build.REVEAL)
    assert [*held.hall.acts] == ["forward", "back"]


def test_the_instructors_phone_takes_a_second_vote_where_answers_have_no_letters(tmp_path: Path) -> None:
    held = Held(tmp_path, session=examples.example("gather-elements-1").session())
    assert (held.wall.item.answers, "second_vote" in held.hall.acts) == ((), True)


def test_a_session_that_asks_nothing_a_phone_can_answer_is_refused(tmp_path: Path) -> None:
    level = Session(dml.load(CLASSROOM).experiments[3:])
    with pytest.raises(SessionError, match="asks nothing that a phone can answer"):
        Held(tmp_path, session=level)


# ---- at one's own pace


def test_at_ones_own_pace_a_second_try_then_the_answer_then_on(tmp_path: Path) -> None:
    held = Held(tmp_path, own_pace=True)
    one, other = held.student(), held.student()
    first, rev = held.state(one)["question"], held.state(one)["rev"]
    assert (first["number"], first["of"]) == (1, 3)
    assert refused(lambda: held.hall.go_on(one, first["id"]))[0] == 409
    held.put(one, "b")
    state = held.state(one)
    assert (state["open"], state["next"], state["reveal"]["right"]) == (True, False, False)
    assert (state["reveal"]["answer"], state["reveal"]["shown"]) == ("", None)
    assert held.hall.rev_of(one) == state["rev"] != rev  # which another window of it is told
    held.put(one, "a")
    told = held.state(one)
    assert (told["open"], told["next"], told["reveal"]["right"]) == (False, True, True)
    assert held.hall.shown(one, told["reveal"]["shown"])
    assert held.hall.shown(other, told["reveal"]["shown"]) is None
    for _ in range(2):  # a second tap on the same button
        held.hall.go_on(one, first["id"])
    assert held.state(one)["question"]["number"] == 2
    assert (held.state(other)["question"], held.state(other)["rev"]) == (first, rev)
    places = held.hall.host_state()["places"]
    assert sorted((place["step"], place["missed"]) for place in places) == [(0, []), (1, [0])]


def test_at_the_end_of_ones_own_way_it_says_how_many_were_right(tmp_path: Path) -> None:
    held = Held(tmp_path, own_pace=True)
    student = held.student()
    while (shown := held.state(student))["question"] is not None:
        asked = next(q for n in held.hall.tasks if (q := held.hall.question(n)) and q.id == shown["question"]["id"])
        held.put(student, text_of(asked.question, asked.question.truth))
        held.hall.go_on(student, shown["question"]["id"])
    assert (shown["why"], shown["right_first"], shown["question"]) == ("end", 3, None)


# ---- every kind


def of_one(experiment: Experiment, folder: Path) -> Held:
    return Held(folder, session=Session((experiment,)), own_pace=True)


@pytest.mark.parametrize("kind", ASKED)
def test_every_kind_takes_the_truth_and_what_wrong_rules_give(kind: str, tmp_path: Path) -> None:
    experiment, _ = of_kind(kind)
    asked = of_one(experiment, tmp_path).hall.question(0)
    assert asked is not None
    assert asked.read(text_of(asked.question, asked.question.truth)).right
    for rule, answer in asked.question.answers.items():
        read = asked.read(text_of(asked.question, answer))
        assert not read.right
        assert rule in read.rules
        assert asked.verdict(read).says


@pytest.mark.parametrize("kind", ASKED)
@given(text=st.text(max_size=60) | st.text("0123456789abcd:,.-e {}", max_size=30))
@tried(15, suppress_health_check=list(HealthCheck))
def test_whatever_is_sent_is_an_answer_or_one_sentence(kind: str, text: str, tmp_path_factory: Any) -> None:
    experiment, _ = of_kind(kind)
    held = of_one(experiment, tmp_path_factory.mktemp("state"))
    student = held.student()
    try:
        held.put(student, text)
        status, problem = 200, "none"
    except RefusedError as error:
        status, problem = error.status, error.problem
    assert (status, len(student.given)) in ((200, 1), (422, 0))
    assert problem.strip()


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("own_pace", [False, True])
def test_another_truth_behind_an_open_question_changes_no_byte(kind: str, own_pace: bool, tmp_path: Path) -> None:
    experiment, _ = of_kind(kind)
    states = []
    for other in (False, True):
        held = Held(tmp_path / str(other), session=Session((experiment,)), own_pace=own_pace)
        if held.hall.question(0) is None:
            pytest.skip("it is asked on the wall")
        question = held.hall.question(0)
        assert question is not None
        if other:
            _give_another_truth(held, question.question.answers)
        student = held.room.students.setdefault("me", Student(id="me", number=1, seen=0.0))
        asked = held.hall.question(0)
        assert asked is not None
        states.append((held.hall.state(student, keeps=False), asked.fragment, held.hall.counts, held.hall.rev))
    assert states[0] == states[1]


def _give_another_truth(held: Held, answers: Any) -> None:
    """Has another answer be the right one, in whatever the class holds of the question."""
    wrong = next(iter(answers.values()), None)
    asked = held.hall.question(0)
    assert asked is not None
    if wrong is None:
        pytest.skip("no other answer is known")
    question = replace(asked.question, truth=wrong, answers={})
    lettered = tuple(replace(answer, right=not answer.right, rule="") for answer in asked.item.answers)
    item = replace(asked.item, question=question, answers=lettered, sentences=("another",))
    held.hall._presenting._items[0] = item
    held.hall._asked.clear()


# ---- what is kept


def test_what_is_saved_is_what_progress_merges(held: Held, tmp_path: Path) -> None:
    answered = [held.student() for _ in range(4)]
    for student in answered:
        held.put(student, "b")
    held.student()
    held.wall.second_vote()
    held.put(answered[0], "a", vote=1)
    file = tmp_path / "class.jsonl"
    file.write_text("".join(f"{each.line}\n" for each in held.hall.hand_ins()), "utf-8")
    hand_ins = read_hand_ins(file)
    assert sorted(each.name for each in hand_ins) == ["1", "2", "3", "4"]
    tries = sorted([(a.answer, a.right, a.rules) for a in each.answers] for each in hand_ins)
    assert tries == [[("b", False, ("G4",))]] * 3 + [[("b", False, ("G4",)), ("a", True, ())]]
    assert read_hand_ins(file, prefix="class")[0].name.startswith("class ")
    file.write_text(file.read_text("utf-8") + '{"x": 1}\n', "utf-8")
    with pytest.raises(DmlvizError, match=r"class\.jsonl, line 5 is no hand-in"):
        read_hand_ins(file)


def test_students_of_two_classes_are_told_apart(tmp_path: Path) -> None:
    files = [tmp_path / name / "kept.jsonl" for name in ("monday", "tuesday")]
    for file in files:
        file.parent.mkdir()
        held = Held(file.parent)
        held.put(held.student(), "b")
        file.write_text("".join(f"{each.line}\n" for each in held.hall.hand_ins()), "utf-8")
    rows = [*csv.DictReader(io.StringIO(call("progress", "--csv", "--merge", *files).out))]
    assert len({row["student"] for row in rows}) == 2


BELIEFS = {"commonest": 14, "": 9, "G4": 5}
"""Of 30 students the wrong rule that each follows, "" for none; two say nothing."""


def answer_by(item: Item, rule: str) -> str | None:
    """What a phone sends for who believes a wrong rule, "" for none; None where that has no answer of its own."""
    question = item.question
    if question is None or (rule and rule not in question.answers):
        return None
    answer = question.answers[rule] if rule else question.truth
    if item.answers:
        return next((each.id for each in item.answers if each.given == answer), None)
    return text_of(question, answer)


@pytest.mark.parametrize(
    ("example", "named"), [("gather-2", "G3 scatter"), ("gather-elements-1", "E2 the first index picks for all")]
)
def test_the_commonest_wrong_rule_of_a_class_is_named_to_the_speaker(tmp_path: Path, example: str, named: str) -> None:
    """By the letters that hands are counted by, and by marked cells, which have none."""
    state, seen = (StateFile("/a/lesson.json", tmp_path) for _ in range(2))
    session = Session(examples.example(example).session().experiments[:1])
    clock = Time()
    room = Room(bytes(32), clock)
    held, speaker = ClassSession(session, room, clock, state), Presenting(session, clock, kept=seen)
    question = held.question(0)
    assert question is not None
    students = (rule for rule, many in BELIEFS.items() for _ in range(many))
    for k, rule in enumerate(students):
        answer = answer_by(speaker.item, named[:2] if rule == "commonest" else rule)
        held.put(room.student(f"student {k}"), question.id, 0, answer)
    held.write_counts()
    status_file(state).write(held.status(code="K7QM4XT", address="http://a", host="", keeps="", trouble=""))
    speaker.tick()
    assert speaker.notes.room is not None
    assert speaker.notes.room.commonest == (named, 14, 28)
