"""What holds of every question about any desc: right by the oracles, wrong by each rule, the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from operator_kit.finding import cases_of

import dmlviz as dml
from dmlviz.cli.quiz_text import question_lines
from dmlviz.errors import DmlvizError
from dmlviz.teaching.asked import question_json, verdict_json
from dmlviz.teaching.diagnosis.diagnosis import Diagnosis
from dmlviz.teaching.kinds.lib.asking import kinds_named
from dmlviz.teaching.questions.question import Question, Wish
from dmlviz.teaching.questions.subject import FROM_NOWHERE, values_of
from support.strategies import Case
from support.teaching import FIRST, Oracle, answered, subject_of

OF_DESCS = ("blank", "fixes", "lowest", "runs", "valid")
"""Kinds about whole descs, where other answers than one may be right."""
AUTHORED = ("level", "misprint")
"""Kinds that no desc makes by itself."""
JUNK: tuple[Any, ...] = (
    None, "x", 3.5, -1, True, [], {}, [[1]], [None] * 3, {"tensor": 0}, {"output": 9, "index": [0]},
    {"tensor": 0, "index": [99] * 3}, [{"output": 0, "index": "0"}], [[[2]]], ["a"], "e", 10**30, [1] * 400,
)  # fmt: skip


# Truths by the oracles.


def sizes(question: Question, oracle: Oracle) -> None:
    assert question.truth == (oracle.outputs[0].shape,)


def cell(question: Question, oracle: Oracle) -> None:
    assert [question.truth] == values_of(
        oracle.outputs[question.element.place.number][question.element.index].reshape(1)
    )


def pictures(question: Question, oracle: Oracle) -> None:
    drawn = {each.id: each.picture for each in question.choices}
    assert list(drawn) == ["a", "b", "c", "d"]
    assert len(set(drawn.values())) == 4
    true = drawn[question.truth]
    assert true is not None
    if question.at is None:
        wanted = oracle.outputs
    else:
        start = question.at.index
        cut = tuple(slice(i, i + n) for i, n in zip(start, true.outputs[0][0], strict=True))
        wanted = [oracle.outputs[question.at.place.number][cut]]
    assert true.outputs == tuple((out.shape, tuple(values_of(out.reshape(-1)))) for out in wanted)
    assert {tuple(size for size, _ in each.outputs) for each in drawn.values() if each} == {
        tuple(out.shape for out in wanted)
    }


def source(question: Question, oracle: Oracle) -> None:
    number = oracle.numbers[question.element.place.number][question.element.index]
    assert question.truth == FROM_NOWHERE if number < FIRST else oracle.number_of(question.truth) == number


def via(question: Question, oracle: Oracle) -> None:
    """The cell that is named decides alone where the element comes from."""
    number, index = question.truth
    desc, k, at = oracle.case.desc, question.element.place.number, question.element.index
    n = desc.input_tensor.sizes[desc.axis]

    def sources(changed: tuple[int, ...]) -> set[int]:
        found = set()
        for value in range(n) if desc.TYPE.endswith("GATHER") else range(n + 1):
            arrays = [array.copy() for array in oracle.case.arrays]
            arrays[number][changed] = value
            found.add(int(oracle.numbered(arrays)[k][at]))
        return found

    assert n == 1 or len(sources(index)) > 1
    others = [each for each in np.ndindex(desc.inputs[number].tensor.sizes) if each != index]
    assert len(sources(others[0])) == 1


def dest(question: Question, oracle: Oracle) -> None:
    assert list(question.truth) == oracle.readers((question.element.place.number, question.element.index))


def count(question: Question, oracle: Oracle) -> None:
    assert question.truth == len(oracle.readers((question.element.place.number, question.element.index)))


def unread(question: Question, oracle: Oracle) -> None:
    assert list(question.truth) == oracle.unread


def fill(question: Question, oracle: Oracle) -> None:
    under = values_of(oracle.outputs[question.element.place.number][question.element.index].reshape(-1))
    assert list(question.truth) == under[: question.first]


def order(question: Question, oracle: Oracle) -> None:
    assert (
        list(question.truth) == values_of(oracle.outputs[question.element.place.number].reshape(-1))[: question.first]
    )


def insizes(question: Question, oracle: Oracle) -> None:
    desc = oracle.case.desc
    wanted = list(desc.input_tensor.sizes)
    wanted[desc.axis] = 1
    assert list(question.truth) == wanted


def promised(question: Question, oracle: Oracle) -> None:
    """An element is promised where its index picks a slice without being clamped."""
    desc, indices = oracle.case.desc, oracle.case.arrays[1]
    n = desc.input_tensor.sizes[desc.axis]
    low = -n if desc.indices_tensor.data_type.is_signed else 0
    inside = (indices.astype(object) >= low) & (indices.astype(object) < n)
    # Outputs where each index is replaced by whether it lies inside.
    whole = desc.input_tensor.sizes
    marks = dml.TensorDesc("INT64", (*whole[: desc.axis], 2, *whole[desc.axis + 1 :]))
    told = np.zeros(marks.sizes, np.int64)
    told[(slice(None),) * desc.axis + (1,)] = 1
    other = desc.replace({"InputTensor": marks, "OutputTensor": dml.TensorDesc("INT64", desc.output_tensor.sizes)})
    found = cases_of(desc.TYPE).oracle(other, [told, inside.astype(indices.dtype)])[0]
    assert question.truth == bool(found[question.element.index])


TRUTHS: dict[str, Callable[[Question, Oracle], None]] = {
    each.__name__: each
    for each in (sizes, cell, pictures, dest, source, via, count, unread, fill, order, insizes, promised)
}


def hold_of_elements(case: Case, seed: int) -> set[str]:
    """Everything that holds of the questions about elements and sizes of a valid desc; the kinds that were asked."""
    subject, oracle, found = subject_of(case.desc, case.arrays), Oracle(case), set()
    again = subject_of(case.desc, case.arrays)
    for kind in kinds_named(TRUTHS):
        question = kind.make(subject, seed)
        other = kind.make(again, seed)
        assert (question is None) == (other is None)
        if question is None or other is None:
            continue
        assert question_json(question) == question_json(other)
        assert (question.truth, question.answers) == (other.truth, other.answers)
        if question.subject is not subject:
            continue  # it is about a small one like it
        TRUTHS[kind.name](question, oracle)
        hold_verdicts(question)
        hold_junk(question)
        hold_places(question)
        found.add(kind.name)
        if question.at is not None and kind.name != "pictures":
            wanted = kind.make(again, seed, Wish(at=question.at, first=question.first))
            assert wanted is not None
            assert question_json(wanted) == question_json(question)
            assert (wanted.truth, wanted.answers) == (question.truth, question.answers)
    return found


def hold_verdicts(question: Question) -> None:
    right = question.grade(answered(question, question.truth))
    assert right.right
    assert not right.rules
    said = {right.says, right.look, *(question.hint(n) for n in (1, 2, 3, 4)), question.prompt}
    assert all(text and "\n" not in text for text in said)
    for id_, answer in question.answers.items():
        verdict = question.grade(answered(question, answer))
        assert not verdict.right
        alike = [each for each, given in question.answers.items() if given == answer]
        assert list(verdict.rules) == alike
        assert id_ in alike
        assert verdict.says
        assert json.loads(json.dumps(verdict_json(question, verdict)))["rules"] == alike


def hold_junk(question: Question) -> None:
    """What is no answer is refused in a sentence; what is one, though wrong, gets a verdict."""
    for junk in JUNK:
        said = ""
        try:
            said = question.grade(junk).says
        except DmlvizError as error:
            said = str(error)
            refused = said.startswith("answer") and ", expected " in said and said.endswith(".")
            assert refused, said
        assert said
        assert "\n" not in said


def hold_places(question: Question) -> None:
    """Nothing is asked about an element that isn't promised, but whether it is."""
    if question.at is None or not question.at.place.is_output or question.kind.name in ("promised", "fill", "order"):
        return
    assert question.subject.truth.promised[question.cell]


def hold_answers(question: Question) -> None:
    """The truth grades right; what a rule's holder answers grades wrong, with the rule among those named."""
    verdict = question.grade(question.kind.form.json(question.truth))
    assert (verdict.right, verdict.rules) == (True, ())
    assert verdict.says.endswith((".", "]"))
    for rule, answer in question.answers.items():
        verdict = question.grade(question.kind.form.json(answer))
        assert not verdict.right
        assert rule in verdict.rules, (question.id, rule, answer)
        assert verdict.says
    assert all(question.hint(n) for n in range(1, 5))


def hold_beliefs(question: Question) -> None:
    """A rule whose holder's answer was given is believed in more than before, and more than any with another answer."""
    for rule, answer in question.answers.items():
        diagnosis = Diagnosis()
        diagnosis.take(question, question.truth)
        before = diagnosis.beliefs
        diagnosis.take(question, answer)
        after = diagnosis.beliefs
        assert after[rule] > before[rule], (question.id, rule)
        others = [after[other] for other, ways in question.ways.items() if answer not in ways]
        assert after[rule] > max(others, default=0), (question.id, rule)


def hold_lines(question: Question) -> None:
    """`quiz` tells it to people in lines."""
    assert all(line and "\n" not in line for line in question_lines(question, question_json(question)))
