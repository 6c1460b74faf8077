"""Progress: one line an answer; what is damaged loses only itself, what can't be written is told."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.answering import past_answer

from dmlviz.cli import progress as command
from dmlviz.cli.class_text import rule_text
from dmlviz.errors import SessionError
from dmlviz.teaching.progress import progress
from dmlviz.teaching.progress.hand_ins import HandIn, read_hand_ins
from dmlviz.teaching.progress.progress import Answered, Progress

ANSWER = past_answer(right=False, answer=[3], rules=("G4",), rungs=1, seconds=4.5)
RIGHT = past_answer(time="2026-11-22T19:41:00Z", seed=8, answer=5, seconds=2.0)
answers = st.builds(
    Answered,
    time=st.integers(0, 2**33).map(progress.now_text),
    task=st.text(),
    operator=st.sampled_from(["GATHER", "TILE"]),
    kind=st.sampled_from(["cell", "fill"]),
    seed=st.integers(0, 10**9),
    right=st.booleans(),
    answer=st.none() | st.integers() | st.lists(st.integers(), max_size=4),
    rules=st.lists(st.sampled_from(["G4", "C1"]), max_size=2).map(tuple),
    on=st.sampled_from(["", "G4"]),
    rungs=st.integers(0, 4),
    skipped=st.booleans(),
    seconds=st.floats(0, 1e6),
    lesson=st.sampled_from(["", "rows-1"]),
)


@given(st.lists(answers, max_size=5))
def test_lines_give_back_what_was_answered(given_answers: list[Answered]) -> None:
    data = b"".join(each.line().encode() + b"\n" for each in given_answers)
    assert progress.parse(data) == (given_answers, 0)
    assert all(line.isascii() for line in data.decode().splitlines())


@given(st.lists(answers, min_size=1, max_size=3), st.data())
def test_a_torn_last_line_loses_only_itself(given_answers: list[Answered], data: st.DataObject) -> None:
    whole = "\n".join(each.line() for each in given_answers)
    last = given_answers[-1].line()
    cut = data.draw(st.integers(1, len(last)))
    assert progress.parse(whole[:-cut].encode()) == (given_answers[:-1], int(cut < len(last)))


def test_answers_are_appended_and_what_follows_a_torn_line_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "data" / "progress.jsonl"
    one = Progress(file)
    one.add(ANSWER)
    with file.open("a") as out:
        out.write(RIGHT.line()[:40])
    Progress(file).add(RIGHT)  # another window
    found = Progress(file)
    assert found.answers == [ANSWER, RIGHT]
    (sentence,) = found.problems
    assert "1 line that isn't what this version writes" in sentence
    assert RIGHT.line()[:40] in file.read_text(), "what can't be read is left alone"


DEEP = json.loads("[" * 800 + "]" * 800)
CHANGES = (
    *({"v": 3}, {"time": "2026-13-22T19:40:05Z"}, {"seconds": 10**400}, {"seconds": 1.7e308}, {"rungs": 5}),
    *({"answer": DEEP}, {"answer": "x" * 70_000}, {"task": "half \ud800"}, {"rules": ["\udfff"]}),
)
BAD = [json.dumps({**json.loads(ANSWER.line()), **changes}) for changes in CHANGES]
BAD += ["[]", "{}", '{"v": true}', "1" * 200_000, "[" * 50_000, '{"time": 3}', "\x00"]


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[-20:])
def test_lines_that_are_no_answers_lose_themselves_alone(tmp_path: Path, line: str) -> None:
    assert progress.parse(f"{line}\n{RIGHT.line()}\n".encode()) == ([RIGHT], 1)


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_told_once_and_answers_stay() -> None:
    kept = Progress()
    kept.file = Path("/dev/full")
    kept.add(ANSWER)
    kept.add(RIGHT)
    assert kept.answers == [ANSWER, RIGHT]
    (sentence,) = kept.problems
    assert "/dev/full" in sentence
    assert "until the program ends" in sentence


# ---- the command


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Progress(progress.default_file()).add(ANSWER)
    return tmp_path


def test_an_export_takes_the_place_of_an_earlier_hand_in_and_of_nothing_else(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "somebody-by-name")
    file, lesson = home / "me.json", home / "lesson.json"
    for name in ("17", "18"):
        assert command.run(["--export", str(file), "--as", name]) == 0
        assert capsys.readouterr().out == file.read_text(), "it is shown just as it is written"
        assert read_hand_ins(file)[0] == HandIn(name=name, answers=(ANSWER,), file=str(file))
    assert not [host for host in ("somebody-by-name", os.uname().nodename) if host in file.read_text()]
    lesson.write_text("{}")
    with pytest.raises(SessionError, match="is there and no hand-in, expected another name"):
        command.run(["--export", str(lesson)])
    with pytest.raises(SessionError, match=r"--as is .* half of a character"):
        command.run(["--export", str(home / "other.json"), "--as", "\udcff"])
    assert (lesson.read_text(), capsys.readouterr().out) == ("{}", "")


def test_forget_from_the_command_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["--forget"]) == 0
    assert "1" in capsys.readouterr().out
    assert not progress.default_file().exists()


def test_what_was_answered_by_wrong_rules_has_their_names(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = Progress(progress.default_file())
    for rules in (("T1", "T2"), ("T1", "T2"), ("Q5",), ()):
        kept.add(replace(ANSWER, rules=rules))
    assert command.run([]) == 0
    said = capsys.readouterr().out
    t1, t2, q5 = map(rule_text, ("T1", "T2", "Q5"))
    assert min(map(len, (t1, t2, q5))) > 10
    assert f"answered as {t1} or {t2}: 2 times\n" in said
    assert f"answered as {q5}: 1 time\n" in said


def test_a_shipped_level_is_one_whichever_version_wrote_the_hand_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solved = replace(RIGHT, task="L12", kind="level")
    for name, lesson in (("17", ""), ("18", "join"), ("19", "levels"), ("20", "my lesson")):
        answers = replace(solved, lesson=lesson), replace(solved, task="L99", lesson=lesson)
        text = HandIn(name=name, answers=answers).text
        (tmp_path / name).write_text(text.replace(', "lesson": ""', ""))
    assert command.run(["--merge", *map(str, sorted(tmp_path.glob("??"))), "--csv"]) == 0
    rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    tasks = Counter((row["lesson"], row["task"]) for row in rows if row["first"] == "right")
    assert tasks == {
        ("levels", "L12"): 2,
        ("my lesson", "L12"): 1,  # a level of its author's own
        ("no lesson named", "L12/level"): 1,
        ("no lesson named", "L99/level"): 1,
        ("levels", "L99"): 2,
        ("my lesson", "L99"): 1,
    }


def hand_in(file: Path, name: object = "18", **changes: object) -> Path:
    """A hand-in of two answers, one of them changed."""
    held = [json.loads(RIGHT.line()), {**json.loads(ANSWER.line()), **changes}]
    file.write_text(json.dumps({"dmlviz_progress": 1, "as": name, "answers": held}))
    return file


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("\t=1+1", "\ufffd=1+1"),
        ("\N{FULLWIDTH EQUALS SIGN}1", "'\N{FULLWIDTH EQUALS SIGN}1"),
        ("\N{ZERO WIDTH SPACE}@x", "\ufffd@x"),
        ("\N{ZERO WIDTH JOINER}@x", "'\N{ZERO WIDTH JOINER}@x"),
        ("\x1b]0;x\x07\x9b31mAda", "\ufffd]0;x\ufffd\ufffd31mAda"),
        ("A\nb\r\N{LINE SEPARATOR}\x85c", "A\ufffdb\ufffd\ufffd\ufffdc"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}ad\N{POP DIRECTIONAL ISOLATE}a", "\ufffdad\ufffda"),
        ("\u0646\u0627\u0645\u0647\N{ZERO WIDTH NON-JOINER}\u0627\u06cc", "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc"),
        ("a;=1+1;b; @c", "a;'=1+1;b;' @c"),
    ],
)
def test_names_in_the_table_are_no_formulas_and_no_terminal_acts_on_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, cell: str
) -> None:
    command.run(["--merge", str(hand_in(tmp_path / "x.json", name, task=name, lesson=name)), "--csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert {(row["student"], row["lesson"], row["task"]) for row in rows} >= {(cell, cell, cell)}
