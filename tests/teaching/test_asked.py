"""Every question is asked and graded by what `teaching.asked` says of it, and one text stands for each answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from support.commands import call
from support.kinds import KINDS, of_kind

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.recording.tasks import asked_of
from dmlviz.teaching import kinds as package
from dmlviz.teaching.asked import about, json_of, question_json, takes_none, text_of
from dmlviz.teaching.kinds.lib.asking import kinds, questions

ADDED = """
from dmlviz.teaching.kinds.lib.forms import NUMBER
from dmlviz.teaching.questions.question import ANYTHING, Kind


class OutputsKind(Kind):
    name, form, stage = "outputs", NUMBER, 1

    def make(self, subject, seed, wish=ANYTHING):
        return self.pose(subject, seed, "How many outputs are there?") if subject.valid else None

    def answer(self, question, rule):
        return len(question.subject.desc.outputs)

    def says(self, question):
        return f"There are {question.truth}."

    def hints(self, question):
        return "the form", "Count them.", "outputs = ?", self.says(question)


KINDS = (OutputsKind(),)
"""


@pytest.mark.parametrize("name", KINDS)
def test_an_answer_s_text_is_read_back_and_graded(name: str) -> None:
    question = of_kind(name)[1]
    kind, graded = question.kind, set[str]()
    for answer in (question.truth, *question.answers.values()):
        text = text_of(question, answer)
        assert kind.form.read(question, json_of(question, text)) == answer
        assert question.grade(json_of(question, text)) == question.grade(kind.form.json(answer))
        graded.add(text)
    assert len(graded) == len({question.truth, *question.answers.values()})
    with pytest.raises(DmlvizError):
        kind.form.read(question, json_of(question, "1_0 x"))


@pytest.mark.parametrize("name", KINDS)
def test_what_is_asked_is_the_same_whatever_is_true(name: str) -> None:
    question = of_kind(name)[1]
    unknown, form = msgspec.structs.replace(question, truth=None, answers={}), question.kind.form
    assert unknown.options == question.options
    for tell in (about, takes_none, question_json, question.kind.lines):
        assert tell(unknown) == tell(question)
    assert bool(question.options) == (form.how in ("choose", "tick") or bool(question.choices))
    assert bool(form.side) == (form.how == "mark")


@pytest.mark.parametrize("name", KINDS)
def test_the_line_of_a_question_lacks_what_is_asked_for(name: str) -> None:
    line = question_json(of_kind(name)[1])
    desc = line["experiment"]["desc"]
    assert {*line["experiment"]} == {"name", "feature_level", "type", "desc", "values"}
    assert name != "blank" or desc[line["field"]] is None
    assert name != "sizes" or desc["OutputTensor"]["Sizes"] is None
    assert name != "lowest" or line["experiment"]["feature_level"] is None


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "outputs_of_a_test.py").write_text(ADDED)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    kinds.cache_clear()
    yield
    monkeypatch.undo()
    kinds.cache_clear()


@pytest.mark.usefixtures("added")
def test_a_kind_that_is_added_as_one_file_is_asked_by_quiz_and_page() -> None:
    words = ("quiz", "split-1", "--kinds", "outputs", "--count", "1")
    (question,) = questions(dml.examples()["split-1"].experiments[0], ["outputs"])
    assert "Right." in call(*words, stdin=f"{question.truth}\n").out
    assert '"right": true' in call(*words, "--json", stdin=f'{{"answer": {question.truth}}}\n').out
    page = asked_of(question)
    assert page.other is not None
    assert page.verdicts[str(question.truth)].right
    assert not page.other.right
