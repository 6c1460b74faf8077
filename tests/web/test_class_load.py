"""A class on phones in small: what `benchmarks/class_load.py`, `class_kill.py` and `class_fuzz.py` hold a large one to;
and one whose students follow known wrong rules."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from class_fuzz import fuzzed
from class_kill import kills
from class_load import Load
from support.class_phones import answers_by_rule, write_lesson

from dmlviz.session.class_status import StatusFile
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.reading import load
from dmlviz.web.class_room import Room
from dmlviz.web.class_session import ClassSession
from dmlviz.workspace.wall.presenting import Presenting


@pytest.mark.slow
def test_what_a_phone_shows_as_sent_is_in_the_table_once_however_bad_the_net_is(tmp_path: Path) -> None:
    figures = asyncio.run(Load(tmp_path, 12, 8.0, 1, cut=0.3, asleep=0.1).run())
    assert figures.answers > 60
    assert figures.cuts > 10


@pytest.mark.slow
@pytest.mark.parametrize("wall", [False, True])
def test_a_server_that_is_killed_goes_on_with_code_and_answers(tmp_path: Path, wall: bool) -> None:
    answers, shown = asyncio.run(kills(tmp_path, 1, 4, 1, wall=wall))
    assert max(answers) <= max(shown) < 10  # the program measures; here other tests share the machine


@pytest.mark.slow
def test_nonsense_is_refused_without_a_word_counts_nothing_and_learns_nothing(tmp_path: Path) -> None:
    assert "200: " in asyncio.run(fuzzed(tmp_path, 3000, 1, joins=420, slow=0))


BELIEFS = {"G3": 14, "": 9, "G4": 5}
"""Of 30 students the wrong rule that each follows, "" for none; two say nothing."""


@pytest.mark.parametrize("example", ["gather-2", "gather-elements-1"])
def test_the_commonest_wrong_rule_of_a_class_is_named_to_the_speaker(tmp_path: Path, example: str) -> None:
    """By the letters that hands are counted by, and by marked cells, which have none."""
    state, seen = (StateFile("/a/lesson.json", tmp_path) for _ in range(2))
    session = load(write_lesson(tmp_path / "lesson.json", (example,)))
    room = Room(bytes(32), time.time)
    held, speaker = ClassSession(session, room, time.time, state), Presenting(session, time.time, kept=seen)
    question = held.question(0)
    assert question is not None
    students = (rule for rule, many in BELIEFS.items() for _ in range(many))
    for k, rule in enumerate(students):
        answer = answers_by_rule(speaker.item, rule)
        held.put(room.student(f"student {k}"), question.id, 0, answer)
    held.write_counts()
    StatusFile(state).write(held.status(code="K7QM4XT", address="http://a", host="", keeps="", trouble=""))
    speaker.tick()
    assert speaker.notes.room is not None
    assert speaker.notes.room.commonest == ("G3 scatter", 14, 28)
