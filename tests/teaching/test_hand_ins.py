"""Hand-ins: written by a page, a lesson and a quiz in one shape; a bad one is told, and loses nothing of the others."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from support.answering import past_answer
from support.commands import Result, call

from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import Lesson, hand_in_of, lesson_of
from dmlviz.teaching.progress.hand_ins import MOST_BYTES, HandIn, class_table, read_hand_ins
from dmlviz.teaching.progress.progress import AGAIN, Answered

CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
WRONG = past_answer(task="rows.1", lesson="rows", right=False, answer=3, rules=("G4",), rungs=1)
RIGHT = past_answer(task="rows.1", lesson="rows", answer=5, time="2026-11-22T19:41:00Z")
MARKED = replace(
    RIGHT, task="rows.2", kind="dest", answer=[{"output": 0, "index": [1, 1]}, {"output": 0, "index": [2, 1]}]
)
OF_A_PAGE: dict[str, Any] = {
    "dmlviz_progress": 1,
    "as": "Ada",
    "lesson": "rows",
    "page": "9f86d081884c7d65",
    "tasks": [{"task": "rows.1", "operator": "GATHER", "kind": "cell", "seed": 7, "prompt": "What is it?"}],
    "answers": [json.loads(WRONG.line())],
}
"""What *Save my answers* of a page downloads."""


def handed(name: str, *answers: Answered, lesson: str = "rows") -> HandIn:
    return HandIn(name=name, answers=answers, lesson=lesson, file=f"{name}.json")


def merged(folder: Path, *more: str) -> Result:
    return call("progress", "--merge", *sorted(folder.glob("*.json")), *more)


def rows(folder: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(merged(folder, "--csv").out))]


def test_what_a_page_saves_is_read_and_comes_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "rows-Ada.json"
    file.write_text(json.dumps(changed(**{"as": 17})))
    assert read_hand_ins(file)[0].name == "17"
    file.write_text(json.dumps(OF_A_PAGE))
    hand_in = read_hand_ins(file)[0]
    assert (hand_in.name, hand_in.lesson) == ("Ada", "rows")
    assert hand_in.answers[0].rules == ("G4",)
    assert json.loads(hand_in.text) | {name: OF_A_PAGE[name] for name in ("page", "tasks")} == OF_A_PAGE


def test_students_by_tasks_tell_the_first_try_how_many_there_were_and_hints() -> None:
    more = replace(RIGHT, rungs=2), replace(RIGHT, task=f"rows.1{AGAIN}", time="2026-11-23T10:00:00Z")
    skipped = replace(WRONG, skipped=True, answer=None, rules=())
    table = class_table([handed("Ada", WRONG, *more), handed("Bob", skipped), handed("Eve", RIGHT, MARKED)])
    found = [(row.task, row.student, row.first, row.tries, row.hints, row.right) for row in table.rows]
    first = [("Ada", "wrong", 3, 2, 1), ("Bob", "skipped", 0, 1, 0), ("Eve", "right", 1, 0, 1)]
    assert found[:3] == [("rows.1", *each) for each in first], "tasks stand in the order in which they were answered"
    assert found[3:5] == [("rows.2", name, "nothing", 0, 0, 0) for name in ("Ada", "Bob")]


def test_tasks_by_answer_have_the_wrong_rule_behind_each_and_rules_who_holds_them() -> None:
    other = replace(WRONG, answer=9, rules=("C1", "C2"))
    table = class_table([handed("Ada", WRONG, RIGHT), handed("Bob", WRONG), handed("Eve", other), handed("Zoe", RIGHT)])
    given = [(row.student, row.answer, row.rules) for row in table.rows if row.task == "rows.1"]
    by_rule = [("Ada", "3", ("G4",)), ("Bob", "3", ("G4",)), ("Eve", "9", ("C1", "C2"))]
    assert given == [*by_rule, ("Zoe", "5", ())]
    assert table.rules == [(("G4",), ["Ada", "Bob"]), (("C1", "C2"), ["Eve"])]


def test_files_of_one_name_are_one_students_and_an_answer_in_two_of_them_counts_once() -> None:
    before, after = handed("Ada", WRONG), handed(" Ada", WRONG, RIGHT)
    for order in ([before, after], [after, before]):
        table = class_table([*order, handed("Bob", WRONG)])
        assert [*table.students.values()] == [[WRONG, RIGHT], [WRONG]]
    columns = replace(RIGHT, lesson="columns", task="columns.1")
    table = class_table([handed("Ada", WRONG), handed("Ada", columns, lesson="columns")])
    assert table.students["Ada"] == [WRONG, columns], "another lesson stays"


def test_files_without_a_name_are_called_by_their_paths(tmp_path: Path) -> None:
    files = [tmp_path / student / "answers.json" for student in ("1001", "1002")]
    for file, name in zip(files, ("", " \t"), strict=True):
        file.parent.mkdir(parents=True)
        HandIn(name=name, answers=(RIGHT,)).write(file)
    table = class_table([read_hand_ins(file)[0] for file in files])
    assert [*table.students] == [str(file) for file in files]


def test_the_terminal_shows_all_of_it(tmp_path: Path) -> None:
    for name, answers in {"Ada": (WRONG, RIGHT), "Bob": (WRONG,), "王小明": (RIGHT, MARKED), "Zoe": ()}.items():
        handed(name, *answers).write(tmp_path / f"{name[:3]}.json")
    text = merged(tmp_path).out
    assert "1 of 3 right at the first try: rows.1 cell" in text
    assert "✗ 3   G4 indices from 1" in text
    assert "✓ [1,1] [2,1] " in text
    assert "nothing handed in by 1: Zoe" in text
    assert "    2  G4 indices from 1" in text


def test_the_table_for_a_spreadsheet_has_a_row_for_each_student_and_task(tmp_path: Path) -> None:
    for name, answers in {"Ada": (WRONG, RIGHT), "Bob": (replace(WRONG, answer="=1+1"), MARKED)}.items():
        handed(name, *answers).write(tmp_path / f"{name}.json")
    names = ("student", "task", "first", "tries", "hints", "right", "answer", "rules")
    given = [tuple(row[name] for name in names) for row in rows(tmp_path)]
    assert given[:3] == [
        ("Ada", "rows.1", "wrong", "2", "1", "1", "3", "G4"),
        ("Bob", "rows.1", "wrong", "1", "1", "0", '"=1+1"', "G4"),
        ("Ada", "rows.2", "nothing", "0", "0", "0", "", ""),
    ]


def changed(**members: Any) -> dict[str, Any]:
    return {**OF_A_PAGE, **members}


def answer(**members: Any) -> dict[str, Any]:
    return changed(answers=[{**OF_A_PAGE["answers"][0], **members}])


HOSTILE: dict[str, str] = {
    "deep": "[" * 100_000,
    "deep answer": json.dumps(answer(answer=json.loads("[" * 900 + "]" * 900))),
    "NaN": json.dumps(answer(seconds=float("nan"))),
    "long name": json.dumps(changed(**{"as": "A" * 10_000})),
    "name of a list": json.dumps(changed(**{"as": ["Ada"]})),
    "lesson of a number": json.dumps(changed(lesson=3)),
    "half a character": json.dumps(changed(tasks=[{"task": "\ud800"}])),
    "digits": json.dumps(OF_A_PAGE).replace('"Ada"', "7" * 5000),
    "bytes": "\x00\x01",
    "half a name": json.dumps(changed(**{"as": "\ud800"})),
    "number": "3",
    "empty": "{}",
    "of a later version": '{"dmlviz_progress": 2, "answers": []}',
    "without answers": '{"dmlviz_progress": 1}',
}


def test_hostile_hand_ins_are_told_in_a_sentence_each_and_the_others_stand(tmp_path: Path) -> None:
    for name, text in HOSTILE.items():
        (tmp_path / f"bad {name}.json").write_text(text)
    huge = tmp_path / "bad zz huge.json"
    with huge.open("wb") as out:
        out.truncate(MOST_BYTES + 1)
    handed("Bob", RIGHT).write(tmp_path / "good.json")
    found = merged(tmp_path)
    assert found.code == 2
    assert len(found.said) == len(HOSTILE) + 1
    for file, sentence in zip(sorted(tmp_path.glob("bad *.json")), found.said, strict=True):
        assert sentence.startswith(str(file)), sentence
        assert ", expected " in sentence
        assert len(sentence) < 400
    assert found.out.startswith("1 student: Bob\n")
    assert {row["student"] for row in rows(tmp_path)} == {"Bob"}


# ---- what lessons and quizzes write


def classroom() -> Lesson:
    lesson = lesson_of(load(CLASSROOM))
    assert lesson is not None
    return lesson


def test_a_lesson_is_handed_in_with_its_own_answers_alone() -> None:
    lesson = classroom()
    ids = [step.task.id for step in lesson.steps if step.task is not None]
    own = past_answer(task=ids[0], lesson=lesson.name), past_answer(task=f"{ids[1]}{AGAIN}", lesson=lesson.name)
    others = past_answer(task=ids[0], lesson="another"), past_answer(task="gather-2")
    hand_in = hand_in_of(lesson, [*others, *own], "Ada")
    assert (hand_in.name, hand_in.lesson, hand_in.answers) == ("Ada", lesson.name, own)
