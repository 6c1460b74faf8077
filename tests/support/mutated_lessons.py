"""Mutated lessons through `quiz`, `learn` and `present`: no traceback.

`learn` and `present` are called too, as far as the terminal that they want. What their screens are made of then goes on
without one: the course map, the lesson's questions, the wall and the speaker's screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import traceback
from functools import cache
from pathlib import Path
from random import Random
from unittest import mock

from dmlviz.errors import DmlvizError
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons import lessons
from dmlviz.teaching.progress import progress
from dmlviz.widgets.boards.presented_lines import notes_lines, wall_forms, wall_head
from dmlviz.workspace.asking.asking import LessonDesk
from dmlviz.workspace.lessons.course_map import course_of, lesson_in
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.wall_desk import WallDesk
from support.answering import Clock
from support.commands import Result, call
from support.mutations import damaged, hostile

ROOM = Room(100, 24)
MOST_STEPS, MOST_QUESTIONS = 9, 3
"""Of a presentation, and of a lesson, that are gone through."""
LINES = "hint\n0\nb\n0,0\nskip\n[]\nskip\n" * 4
"""Answers to a quiz, some of which are none."""


@cache
def _lessons() -> list[bytes]:
    """Those that are shipped, and examples that ask something."""
    shipped = sorted(Path(lessons.__file__).parent.glob("content/lesson-*.json"))
    asking = [each.path for each in examples.all_examples() if b'"task"' in each.path.read_bytes()]
    return [each.read_bytes() for each in (*shipped, *asking)]


def _mutated(random: Random, data: bytes) -> bytes:
    if random.random() < 0.4:
        return damaged(random, data)
    return hostile(random, json.loads(data)).encode("utf-8", "surrogatepass")


def _calm(found: Result, *codes: int) -> Result:
    assert found.code in codes, found.err[-3000:]
    assert all(each.endswith(".") for each in found.said), found.said
    return found


def _lesson(random: Random, folder: Path) -> None:
    """A session with tasks is asked, learned from and presented, or refused in a sentence."""
    file = folder / "lesson.json"
    file.write_bytes(_mutated(random, random.choice(_lessons())))
    _calm(call("quiz", file, "--count", "3", stdin=LINES), 0, 2)
    for command in ("learn", "present"):
        assert len(_calm(call(command, file), 2).said) == 1
    with contextlib.suppress(DmlvizError):
        session = load(file)
        if (own := lesson_in(session)) is not None:
            with contextlib.suppress(DmlvizError):
                _learned(own)
        _presented(session)


def _learned(lesson: lessons.Lesson) -> None:
    """The course map, and the first questions of a lesson, which are answered somehow or skipped."""
    kept = progress.Progress()
    course_of(lessons.shipped_lessons(), lessons.shipped_levels(), kept.answers, lesson)
    running = RunningLesson(lesson, kept.answers)
    if not lesson.steps:
        return
    asking = LessonDesk(running, kept, Clock())
    for _ in range(MOST_QUESTIONS):
        asking.fit(ROOM)
        asking.hint()
        asking.answering.choose("b")
        asking.answering.press("1")
        asking.answer()
        asking.skip()  # does nothing once there is an answer
        asking.answer()  # goes on
        if asking.ended:
            break
    asking.notices()


def _presented(session: Session) -> None:
    """Page down, on both screens."""
    presenting = WallDesk(session, Clock())
    presenting.has_notes = True
    for _ in range(MOST_STEPS):
        presenting.fit(ROOM)
        wall_head(presenting.state, 100)
        [*wall_forms(presenting.state, 100)]
        notes_lines(presenting.state, 100, 30)
        presenting.forward()


def play(seed: int, count: int) -> list[str]:
    """What went wrong with so many mutations. Number `n` of a seed is always the same."""
    wrong = []
    for number in range(count):
        with tempfile.TemporaryDirectory() as name:
            own = {f"XDG_{each}_HOME": f"{name}/{each}" for each in ("DATA", "STATE", "CONFIG", "CACHE")}
            try:
                with mock.patch.dict(os.environ, own):
                    _lesson(Random(f"{seed}/{number}"), Path(name))
            except Exception:
                wrong.append(f"number {number} of seed {seed}:\n{traceback.format_exc()[-3000:]}")
    return wrong
