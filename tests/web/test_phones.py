"""Phones without a network: what they show, take, and say to each answer of its own."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace
from support.answering import Clock
from support.kinds import KINDS, of_kind
from support.presentations import CLASS, CLASSROOM

from dmlviz.session.examples import example
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build
from dmlviz.session.reading import load
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.progress.hand_ins import HandIn
from dmlviz.web import phones
from dmlviz.web.phones import Phones, given_of, reply_lines, truth_of
from dmlviz.workspace.wall.wall_desk import WallDesk

SIZES = re.compile(r"\{\d+(, ?\d+)*\}")


class Room:
    """A class without a wall and a server."""

    def __init__(self, session: Session) -> None:
        self.time, self.kept = Clock(0), list[HandIn]()
        self.wall = WallDesk(session, self.time)
        self.phones = Phones(self.wall, self.time, self.kept.append)
        self.tell()

    def tell(self) -> None:
        """What the server does between requests."""
        self.phones.tell(CLASS)

    def state(self, student: str) -> Any:
        """What a phone is sent after the next tick."""
        self.phones.join(student)
        self.tell()
        return json.loads(json.dumps(self.phones.state(student)))

    def give(self, student: str, text: str) -> Any:
        """What a phone shows after it sent an answer to what it shows."""
        self.phones.join(student)
        self.phones.answer(student, self.phones.key, text)
        return self.state(student)

    def refused(self, student: str, text: str, key: object = None) -> tuple[int, str]:
        self.phones.join(student)
        with pytest.raises(web.HTTPException) as found:
            self.phones.answer(student, key or self.phones.key, text)
        return found.value.status, found.value.text or ""


@pytest.fixture
def room() -> Room:
    return Room(load(CLASSROOM))


def kind_room(kind: str) -> Room:
    return Room(Session((of_kind(kind)[0],)))


def example_room(name: str, at: int = 0) -> Room:
    return Room(Session((example(name).with_tasks().experiments[at],)))


ASKED = [kind for kind in KINDS if kind != "level"]


def test_all_kinds_but_a_level_are_asked() -> None:
    assert [kind for kind in KINDS if phones.is_asked(kind_room(kind).wall.item)] == ASKED


@pytest.mark.parametrize("kind", ASKED)
def test_nothing_that_is_sent_before_the_reveal_depends_on_the_truth(kind: str) -> None:
    room = kind_room(kind)
    student, item = "k", room.wall.item
    assert item.question is not None
    shown = room.state(student)
    rights = [answer.right for answer in item.answers]
    turned = [replace(answer, right=right) for answer, right in zip(item.answers, reversed(rights), strict=True)]
    other = next(iter(item.question.answers.values()), item.question.truth)
    question = replace(item.question, truth=other, answers={"X": item.question.truth})
    room.wall._items[0] = replace(item, answers=tuple(turned), question=question, sentences=("told",), notes=("told",))
    assert {**room.state(student), "at": ""} == {**shown, "at": ""}
    room.wall.reveal()
    assert "right" in room.state(student)


@pytest.mark.parametrize("kind", ASKED)
def test_whatever_wrong_rule_gives_an_answer_its_phone_says_what_was_wrong_with_it(kind: str) -> None:
    room = kind_room(kind)
    item, student = room.wall.item, "k"
    question = item.question
    assert question is not None
    if item.answers:
        texts = {answer.id: answer.given for answer in item.answers}
    else:
        texts = {text_of(question, each): each for each in (question.truth, *question.answers.values())}
    for text, given in texts.items():
        assert "says" not in room.state(student) or "you can change it" in room.state(student)["says"][0]
        shown = room.give(student, text)
        assert (shown["mine"], "verdict" in shown) == (text, False)
        read = given_of(item, text)
        lines = reply_lines(read)
        if question.kind.form.how != "edit":
            reply = question.verdict_on(given)
            assert read.reply == reply
            assert lines[1] == reply.says
        assert lines[0] == f"{read.words}: {'right' if read.reply.right else 'not right'}."
        assert "{" not in SIZES.sub("", lines[0]), "braces stand around sizes alone: no JSON, no gap of a sentence"
    room.wall.reveal()
    told = room.state(student)
    assert told["says"] == [*lines, *told["then"]]
    assert told["verdict"] == ("right" if read.reply.right else "wrong")
    assert told["told"] == f"The answer: {truth_of(item, question)}"
    assert room.state("late")["says"][0] == "You gave no answer."


def test_a_lesson_as_a_phone_has_it(room: Room) -> None:
    student, others = "k", [f"{n}" for n in range(3)]
    room.wall.hear(room.wall.live, joining=True)
    assert room.state(student)["told"] == "You have joined. The next question appears here."
    assert room.refused(student, "a")[0] == 409, "nothing is open while the wall shows the code"
    room.time.now += 100
    room.wall.forward()
    shown = room.state(student)
    assert (shown["title"], shown["open"], shown["mine"]) == ("Question 1 of 3", True, None)
    assert [option[0] for option in shown["options"]] == ["a", "b", "c", "d"]
    assert shown["options"][0][2] == [[["5", "6"], ["1", "2"]]], "small pictures are on the buttons"
    assert room.wall.votes()[0] == (None,) * 4, "nobody was asked yet"
    room.time.now += 7
    room.give(student, "b")
    assert room.state(student)["says"] == ["sent ✔ b · you can change it"]
    room.give(student, "a")
    room.give(student, "a")
    assert [(each.answers[0].answer, each.answers[0].seconds) for each in room.kept] == [("b", 7.0), ("a", 7.0)]
    assert (room.kept[0].name, room.kept[0].answers[0].task) == (room.kept[1].name, "rows-by-index.1")
    for other in others:
        room.give(other, "c")
    room.tell()
    assert room.wall.live is not None
    assert (room.wall.live.answered, room.wall.live.joined, room.wall.live.tasks) == (4, 4, 3)
    assert room.wall.votes()[0] == (1, 0, 3, 0)
    room.wall.forward()
    assert room.state(student)["told"] == "Answers are closed. Look at the projector for the steps."
    room.wall.reveal()
    assert (room.state(student)["right"], room.state(student)["told"]) == (["a"], "The answer: a")
    assert room.state(student)["says"][-1] == "Index 2 comes first, so row 2 does.", "what its author says afterwards"
    assert room.state(others[0])["says"][0] == "c: not right."
    room.wall.second_vote()
    shown = room.state(others[0])
    assert (shown["open"], shown["mine"]) == (True, None)
    room.give(others[0], "a")
    room.tell()
    assert room.wall.votes()[1] == (1, 0, 0, 0)
    room.wall.reveal()
    room.wall.back()
    room.wall.back()
    assert room.state(student)["told"] == "This question is closed."
    assert room.refused(student, "b")[0] == 409, "what was told isn't opened again"
    room.wall.go_to(1)
    assert room.state(student)["about"] == "InputTensor[1,1]", "which its prompt doesn't name"
    room.give(student, "a")
    room.wall.go_to(3)
    assert room.state(student)["told"] == "Look at the projector: this question is asked there."
    room.wall.go_to(1)
    assert room.wall.votes()[0].count(1) == 1, "what came last before somebody went on is counted"
    room.wall.clean()
    room.wall.clean()
    assert room.state(student)["mine"] is None
    assert room.wall.votes()[0] == (None,) * 4, "what was answered before it was begun anew isn't counted"


def test_several_choices_are_typed_by_their_letters() -> None:
    room = example_room("rule-dimension-count-equal")
    one, two, three = "abc"
    for student in "abc":
        shown = room.state(student)
    assert shown["hint"].startswith("Type letters")
    assert room.refused(one, "zz")[0] == 422
    assert room.give(one, "b a")["mine"] == "b a"
    for student in (two, three):
        room.give(student, "none")
    room.tell()
    assert room.wall.live is not None
    said = room.wall.live.said
    assert [(each.count, each.text != "") for each in said] == [(2, True), (1, False)]
    room.wall.reveal()
    assert room.wall.item.question is not None
    letters = [key for key, option in zip("abcd", room.wall.item.question.options, strict=False)]
    assert {*room.state(one)["right"]} < {*letters}
    assert room.wall.state.sentences[0] == f"{said[0].text}: {said[0].says}"


def test_a_field_says_what_is_typed_and_what_cannot_be_read() -> None:
    for name, at, typed, hint, unread in (
        ("slice-1", 0, "0 0 2 1", "Type an index", ["x", "9999999", "2 1", " "]),
        ("padding-1", 1, "6", "Type a number", ["x", "1.5", "6 6", " "]),
        ("padding-1", 0, "0 0 1 2; 0 0 0 0", "Type indices", ["x", "9999999", "1 1; 0 0"]),
    ):
        room, student = example_room(name, at), "k"
        shown = room.state(student)
        assert shown["hint"].startswith(hint)
        assert shown["options"] == []
        assert (" " in unread) == ("none" not in shown["hint"])
        for text in unread:
            status, problem = room.refused(student, text)
            assert (status, problem[-1]) == (422, ".")
        assert room.give(student, typed)["mine"] == typed
        room.tell()
        assert room.wall.live is not None
        assert [said.count for said in room.wall.live.said] == [1]


def test_a_full_room_takes_nobody_else(room: Room) -> None:
    for n in range(phones.MOST_STUDENTS):
        room.phones.join(f"{n}")
    room.phones.join("0")
    with pytest.raises(web.HTTPServiceUnavailable):
        room.phones.join("another")


def test_a_poll_finds_nothing_new_until_there_is(room: Room) -> None:
    student, other = "k", "o"
    at, others = room.state(student)["at"], room.state(other)["at"]
    room.give(student, "a")
    room.tell()
    assert room.state(student)["at"] != at
    assert room.state(other)["at"] == others, "no phone hears what others answer"
    room.wall.forward()
    assert room.wall.shared.build is Build.PLAY
    assert room.state(other)["at"] != others
