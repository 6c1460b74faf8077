"""Mutated hand-ins, progress files and lessons, through `progress`, `quiz`, `learn` and `present`: no traceback.

`learn` and `present` are called too, as far as the terminal that they want. What their screens are made of then goes on
without one: the course map, the lesson's questions, the wall and the speaker's screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import traceback
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from unittest import mock

from msgspec.structs import replace

from dmlviz.errors import DmlvizError
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons import lessons
from dmlviz.teaching.progress import progress
from dmlviz.teaching.progress.hand_ins import HandIn
from dmlviz.widgets.boards.presented_lines import notes_lines, wall_forms, wall_head
from dmlviz.workspace.asking.following import LessonDesk
from dmlviz.workspace.lessons.course_map import course_of, lesson_in
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.wall_desk import WallDesk
from support.answering import Clock
from support.commands import Result, call
from support.mutations import damaged, hostile
from support.teaching import past_answer

ROOM = Room(100, 24)
MOST_STEPS, MOST_QUESTIONS = 9, 3
"""Of a presentation, and of a lesson, that are gone through."""
GOOD = "one that nobody mutates"
LINES = "hint\n0\nb\n0,0\nskip\n[]\nskip\n" * 4
"""Answers to a quiz, some of which are none."""


@cache
def _answers() -> list[progress.Answered]:
    """Honest ones: of an experiment, of each step of a lesson, and of levels."""
    answers = [past_answer(right=False, answer=[3], rules=("G4",), on="G4", rungs=1, seconds=4.5)]
    for lesson in lessons.shipped_lessons():
        for k, step in enumerate(step for step in lesson.steps if step.task is not None):
            assert step.task is not None
            skipped = k % 3 == 0
            answers.append(
                past_answer(task=step.task.id, kind=step.task.kind, seed=k, right=k % 2 == 0, skipped=skipped)
            )
    tried = {"desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]}, "Axis": 1}, "values": {}}
    return [*answers, *(past_answer(task=each.id, kind="level", answer=tried) for each in lessons.shipped_levels())]


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


def hand_in(random: Random, folder: Path) -> None:
    """A file is told or taken, and the table of the others stands; nothing in it acts on a terminal."""
    some = tuple(replace(answer, lesson="rows") for answer in random.sample(_answers(), 3))
    whole = HandIn(name="17", answers=some, lesson="rows")
    (folder / "bad.json").write_bytes(_mutated(random, whole.text.encode()))
    HandIn(name=GOOD, answers=tuple(_answers()[:2])).write(folder / "good.json")
    words = ["progress", "--merge", *map(str, folder.glob("*.json"))]
    shown = _calm(call(*words), 0, 2).out
    assert GOOD[:19] in shown
    table = _calm(call(*words, "--csv"), 0, 2).out + shown
    assert f",{GOOD}," in table
    acts = {each for each in table if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")}
    assert acts <= {"\n"}, acts


def progress_file(random: Random, folder: Path) -> None:
    """What can't be read of one's own is left out, and all that takes answers goes on."""
    lines = [each.line().encode() for each in random.sample(_answers(), 5)]
    at = random.randrange(len(lines))
    lines[at] = _mutated(random, lines[at])
    file = progress.default_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\n".join(lines))
    _calm(call("progress"), 0)
    _calm(call("progress", "--export", folder / "mine.json", "--as", "17"), 0)
    _calm(call("progress", "--csv", "--merge", folder / "mine.json"), 0)
    with contextlib.suppress(DmlvizError):
        _learned(random.choice(lessons.shipped_lessons()), progress.Progress(file))


def lesson(random: Random, folder: Path) -> None:
    """A session with tasks is asked, learned from and presented, or refused in a sentence."""
    file = folder / "lesson.json"
    file.write_bytes(_mutated(random, random.choice(_lessons())))
    _calm(call("quiz", file, "--count", "3", stdin=LINES), 0, 2)
    for command in ("learn", "present"):
        assert len(_calm(call(command, file), 2).said) == 1
    try:
        session = load(file)
    except DmlvizError:
        return
    with contextlib.suppress(DmlvizError):
        if (own := lesson_in(session)) is not None:
            _learned(own, progress.Progress())
    with contextlib.suppress(DmlvizError):
        _presented(session)


def _learned(lesson: lessons.Lesson, kept: progress.Progress) -> None:
    """The course map, and the first questions of a lesson, which are answered somehow or skipped."""
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
    running.notices()


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


KINDS: tuple[Callable[[Random, Path], None], ...] = (hand_in, progress_file, lesson)


def play(seed: int, start: int, stop: int) -> list[str]:
    """What went wrong with mutations `start` to `stop`. Number `n` of a seed is always the same."""
    wrong = []
    for number in range(start, stop):
        kind = KINDS[number % len(KINDS)]
        with tempfile.TemporaryDirectory() as name:
            own = {f"XDG_{each}_HOME": f"{name}/{each}" for each in ("DATA", "STATE", "CONFIG", "CACHE")}
            try:
                with mock.patch.dict(os.environ, own):
                    kind(Random(f"{seed}/{number}"), Path(name))
            except Exception:
                wrong.append(f"{kind.__name__}, number {number} of seed {seed}:\n{traceback.format_exc()[-3000:]}")
    return wrong
