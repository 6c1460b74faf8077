"""`dmlviz quiz`: what a program and a person are told, what they may answer, and that nothing they send ends it."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from support import quiz_solver
from support.commands import call
from support.kinds import KINDS, of_kind

from dmlviz.cli import quiz, quiz_text
from dmlviz.errors import DmlvizError
from dmlviz.operators.registry import operator_of
from dmlviz.session import examples, settings
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.session.writing import dump
from dmlviz.teaching.asked import json_of
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import CONTENT, shipped_lessons
from dmlviz.teaching.progress import progress
from dmlviz.teaching.progress.progress import Answered, Progress
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.tasks.tasks import AuthoredQuestion
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.lessons.lesson import standing

Json = dict[str, Any]
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"


def conversation(answer: Callable[[Json], Any], *words: str) -> list[Json]:
    """All lines of a quiz whose questions are answered by a function."""
    out = io.StringIO()

    def readline() -> bytes:
        question = json.loads(out.getvalue().rstrip().rsplit("\n", 1)[-1])["question"]
        return json.dumps({"answer": answer(question)}).encode() + b"\n"

    stdin = SimpleNamespace(buffer=SimpleNamespace(readline=readline))
    with mock.patch.object(sys, "stdin", stdin), contextlib.redirect_stdout(out):
        assert quiz.run([*words, "--json"]) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def lines(*answers: Any, words: Sequence[str] = ("gather-2", "--kinds", "blank")) -> list[Json]:
    """All lines of a quiz that was sent these lines; what is no text or bytes is sent as JSON."""
    sent = [each if isinstance(each, (str, bytes)) else json.dumps(each) for each in answers]
    data = b"".join((each.encode() if isinstance(each, str) else each) + b"\n" for each in sent)
    found = call("quiz", *words, "--json", stdin=data)
    assert found.code == 0, found.err
    return [json.loads(line) for line in found.out.splitlines()]


def asked(said: Sequence[Json]) -> list[Json]:
    return [line["question"] for line in said if "question" in line]


GROUPS = sorted({each.name.partition("-")[0] for each in examples.all_examples()} - {"chain"})


@pytest.mark.drawn(1)
@pytest.mark.parametrize("group", [*GROUPS, pytest.param("", marks=pytest.mark.slow)])
def test_a_program_that_knows_only_the_shapes_answers_every_question_rightly(group: str) -> None:
    every = [each for each in examples.all_examples() if each.name.startswith(group) and "chain" not in each.name]
    names = [each.name for each in every if not operator_of(each.session().experiments[0].desc).neighbour]
    for name in names[:3] if group else names[::8]:
        *said, last = conversation(quiz_solver.answer, name, "--count", "40", "--seed", "0" if group else "1")
        verdicts = [line["verdict"] for line in said if "verdict" in line]
        assert all(verdict["right"] and verdict["score"] == 1 and not verdict["rules"] for verdict in verdicts)
        assert all(set(each) == {"right", "score", "answer", "rules", "feedback", "look"} for each in verdicts)
        assert last["result"]["asked"] == last["result"]["right"] == len(asked(said)) == len(verdicts)
        assert last["result"]["diagnosis"] is None  # nobody who is right is blamed


def test_the_same_seed_asks_the_same_questions_and_another_one_others() -> None:
    words = ("join-1", "--kinds", "cell,fill", "--seed")
    one, again, other = (conversation(quiz_solver.answer, *words, seed) for seed in ("3", "3", "4"))
    assert one == again != other


def test_a_hint_leaves_the_question_open_a_skip_closes_it_and_the_end_of_input_ends_the_quiz() -> None:
    _, hint, verdict, result = lines({"hint": 1}, {"skip": True}, words=("gather-2", "--kinds", "runs"))
    assert hint["hint"]["number"] == 1
    assert hint["hint"]["text"]
    assert (verdict["verdict"]["right"], verdict["verdict"]["answer"]) == (False, 2)
    assert result["result"] == {**result["result"], "asked": 1, "right": 0}
    for sent in ((), (b'{"answer": 0',)):
        question, *_, result = lines(*sent)
        assert (question["question"]["field"], result["result"]["asked"]) == ("Axis", 0)


BAD = [
    (b"nonsense", "expected JSON"),
    (b'{"answer": 1, "skip": true}', "expected an object"),
    (b'{"answers": 1}', "expected answer, hint or skip"),
    (b'{"answer": "one"}', "expected an integer."),
    (b'{"hint": 0}', "expected 1 to 4"),
    (b'{"skip": false}', "expected true"),
    (b"[" * 60_000, "nested too deep"),
    (b"\xff\xfe{", "expected JSON"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_what_is_no_answer_is_told_in_a_sentence_and_the_question_asked_again(line: bytes, sentence: str) -> None:
    first, error, again, verdict, *_ = lines(line, {"answer": 0})
    assert sentence in error["error"]
    assert error["error"].endswith(".")
    assert "\n" not in error["error"]
    assert again == first
    assert verdict["verdict"]["right"]


# ---- for people


def spoken(*answers: str, words: Sequence[str]) -> str:
    found = call("quiz", *words, stdin="\n".join(answers) + "\n")
    assert found.code == 0, found.err
    assert found.out.replace("\n", "").isprintable()  # no colours, no cursor that moves
    return found.out


@pytest.mark.parametrize(
    ("kind", "answer", "example"),
    [
        ("sizes", "{4, 2}", "gather-2"),
        ("lowest", "none", "gather-3-as-printed"),
        ("valid", "none", "gather-2"),
        ("valid", "gather.fits", "gather-3-as-printed"),
    ],
)
def test_a_person_types_answers_in_a_plain_form(kind: str, answer: str, example: str) -> None:
    assert "\nRight. " in spoken(answer, words=[example, "--kinds", kind, "--count", "1"])


def test_a_person_reads_the_tensors_as_rows_and_the_choices_by_letters() -> None:
    words = ["gather-2", "--kinds", "pictures", "--count", "2"]
    said = spoken("hint", "hint 9", "what", "skip", "quit", words=words)
    assert "\nQuestion 1.\nGATHER at feature level 3_0\nInputTensor: FLOAT32 {3, 2}\n  [0] 1 2\n  [1] 3 4\n" in said
    assert all(f"\n{letter})\n" in said for letter in "abcd")
    assert all(f"Hint {number} of 4: " in said for number in (1, 2))
    assert 'Not understood: found "what", expected a letter of a to d.' in said
    assert "Not right." in said
    assert said.endswith("0 of 1 right.\n")


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_with_nothing_in_it_is_not_graded_and_is_asked_for_again(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(dump(Session((of_kind(kind)[0],))), "utf-8")
    for words in ([], ["--json"])[kinds()[kind].form.how == "edit" :]:
        blanks = [b"", b"  ", b",", b" ; "] if not words else [b"", b"{}", b'{"answer": ""}', b'{"answer": "  "}']
        found = call("quiz", str(path), "--kinds", kind, *words, stdin=b"\n".join([*blanks, b""]))
        assert found.code == 0, found.err
        refused = found.out.count('"error"') if words else found.out.count(sentence("page.answer_first"))
        assert refused == len(blanks)
    assert not remembered()


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("sizes", "4{}2", [[4, 2]]),
        ("insizes", "4{}-2{}0.5{}nan", [4, -2, 0.5, "nan"]),
        ("order", "+4{}.5{}1e3{}−2", [4, 0.5, 1000, -2]),
        ("dest", "1{}0; 0{}1", [{"output": 0, "index": [1, 0]}, {"output": 0, "index": [0, 1]}]),
        ("unread", "1: 1{}0", [{"tensor": 1, "index": [1, 0]}]),
        ("source", "2{}0", {"tensor": 0, "index": [2, 0]}),
        ("via", "2{}0", {"tensor": 1, "index": [2, 0]}),
        ("promised", "Yes", True),
    ],
)
def test_blanks_and_commas_part_what_is_typed(kind: str, text: str, expected: Any) -> None:
    assert all(json_of(of_kind(kind)[1], text.replace("{}", mark)) == expected for mark in (" ", ",", ", "))
    for wrong in ("1_0", "1.2.3", "x"):
        with pytest.raises(DmlvizError, match="expected"):
            json_of(of_kind(kind)[1], wrong)


# ---- lessons, and what is remembered


def remembered() -> list[Answered]:
    return Progress(progress.default_file()).answers


def test_the_tasks_of_a_lesson_are_asked_first_and_remembered_as_others_are() -> None:
    file = CONTENT / "lesson-join.json"
    (lesson,) = [each for each in shipped_lessons() if each.id == "join"]
    tasks = [step.task for step in lesson.steps if step.task is not None]
    count = len(tasks) + 2
    sent = [{"hint": 2}, {"answer": "a"}, *[{"skip": True}] * (count - 1)]
    said = lines(*sent, words=(str(file), "--count", str(count)))
    assert [(each["kind"], each["prompt"]) for each in asked(said)[: len(tasks)]] == [(t.kind, t.say) for t in tasks]
    first, second, *_ = kept = remembered()
    assert [each.task for each in kept[: len(tasks)]] == [task.id for task in tasks]
    assert {each.name for each in load(file).experiments}.issuperset(each.task for each in kept[len(tasks) :])
    assert {each.lesson for each in kept if each.kind != "level"} == {"join"}
    assert (first.task, first.kind, first.answer, first.rungs, first.skipped) == ("join.2", "pictures", "a", 2, False)
    assert (second.task, second.right, second.answer, second.skipped) == ("join.1", False, None, True)
    assert (first.looked_up, second.looked_up, 0 <= first.seconds < 60) == (False, False, True)
    verdict = next(line["verdict"] for line in said if "verdict" in line)
    assert [first.right, list(first.rules)] == [verdict["right"], verdict["rules"]]
    assert standing(lesson, kept[:2]).marks[:3] == ("missed", "skipped", "")
    assert "JOIN" in call("progress").out


def test_what_is_suspected_is_confirmed_before_a_quiz_ends_though_a_lesson_has_more_tasks() -> None:
    asked_all: list[Question] = []

    def ask(self: Any, question: Question) -> bool:
        asked_all.append(question)
        self.verdicts.append(self.diagnosis.take(question, question.answers.get("R1", question.truth)))
        return True

    with mock.patch.object(quiz_text._Quiz, "ask", ask):
        found = call("quiz", str(CONTENT / "lesson-reverse.json"), "--count", "8")
    assert all(isinstance(question, AuthoredQuestion) for question in asked_all[:5])  # a lesson's own tasks come first
    assert any(question.confirms for question in asked_all[5:])
    assert "Your answers follow “the whole axis”" in found.out


def test_an_authors_words_are_said_and_what_was_asked_is_not_asked_again_in_other_words(tmp_path: Path) -> None:
    (file := tmp_path / "x.json").write_text(CLASSROOM.read_text().replace('"name": "', '"name": "TOLD '))
    assert "TOLD" not in spoken(*["skip"] * 12, words=[str(file)]), "a name may be the answer: `negative index`"
    said = spoken("b", "skip", "skip", words=[str(CLASSROOM), "--count", "3"])
    assert "Not right. Indices count from 0.\n" in said
    assert "Index 2 comes first, so row 2 does.\n" in said
    own = "Mark every place that this element goes to.\nMark every output element that reads InputTensor[1,1].\n"
    assert own in said
    found = lines(*[{"skip": True}] * 60, words=(str(file), "--count", "60", "--kinds", "dest,unread"))
    assert "TOLD" not in json.dumps(found)
    marks = [(json.dumps(each["experiment"]), each["kind"], json.dumps(each["at"])) for each in asked(found)]
    assert len({*marks}) == len(marks) > 4


def test_nothing_is_remembered_where_the_settings_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file = tmp_path / "config.json"
    settings_file.write_text('{"progress": false}')
    monkeypatch.setattr(settings, "default_file", lambda: settings_file)
    lines({"answer": 0})
    assert not progress.default_file().exists()


def classroom(tmp_path: Path, number: int, **changes: Any) -> Path:
    """The lesson of the classroom with other members of a task, in a file."""
    made = json.loads(CLASSROOM.read_text("utf-8"))
    made["experiments"][number]["task"].update(changes)
    (file := tmp_path / "l.json").write_text(json.dumps(made), "utf-8")
    return file


def test_a_task_that_cannot_be_asked_is_left_out_and_what_a_level_locks_is_refused(tmp_path: Path) -> None:
    ask = {**json.loads(CLASSROOM.read_text("utf-8"))["experiments"][1]["task"]["ask"], "at": [9, 9]}
    found = call("quiz", classroom(tmp_path, 1, ask=ask), "--json", "--count", "3", stdin=b'{"skip": true}\n' * 3)
    assert [said[:50] for said in found.said] == ["Question 2 is left out: task.ask.at is [9, 9], exp"]
    questions = asked([json.loads(line) for line in found.out.splitlines()])
    assert [each["kind"] for each in questions] == ["pictures", "unread", "level"]
    words, count = ["--kinds", "level", "--count", "1"], len(remembered())
    desc = questions[-1]["experiment"]["desc"]
    sent = {"answer": {"desc": desc, "values": {"IndicesTensor": [2, 0, 1]}}}
    said = lines(sent, words=[str(classroom(tmp_path, 3, may_change=["Axis"])), *words])
    refused = "answer changes IndicesTensor, expected only what may be changed: Axis."
    assert [line["error"] for line in said if "error" in line] == [refused]
    assert len(remembered()) == count
    assert lines(sent, words=[str(CLASSROOM), *words])[-1]["result"]["right"] == 1
    assert "expected other kinds" in call("quiz", CLASSROOM, *words).err, "nobody types a desc"
