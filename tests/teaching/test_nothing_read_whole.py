"""Whatever is asked about huge tensors, nothing of them is read and made: counted in elements and bytes."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from support.answering import answered
from support.quiz_solver import OF_ELEMENTS

import dmlviz as dml
from dmlviz.desc.values import Filled, Indices, Random, Stored
from dmlviz.errors import DmlvizError
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.asked import question_json
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.kinds.whole_descs import LEVEL, DescAnswer
from dmlviz.teaching.questions.question import Picture, Question, Wish
from dmlviz.teaching.questions.subject import Subject

WIDE = 65535
MOST_AT_ONCE = 4096
"""Elements that may be read of a tensor at a time."""
MOST_IN_ALL = 1 << 18
"""Elements that all of a question may read: eleven wrong rules look at each."""
MOST_TO_MAKE = 8_000
"""Elements that making a question about elements or sizes may read."""
MOST_BYTES = 4 << 20
"""Bytes that making a question, answering it and looking at its hints may hold at a time."""


def tensor(*sizes: int, kind: str = "INT8") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


BIG, HALF, ROWS = tensor(WIDE, WIDE), tensor(32767, WIDE), tensor(30000, WIDE)
REST, SINGLE = tensor(35535, WIDE), tensor(WIDE, 1, WIDE)
INDICES, LENGTHS = {"IndicesTensor": Random(3)}, {"SequenceLengthsTensor": Random(3)}
TILE = dml.Tile(BIG, (1, 1))
JOIN = dml.Join([ROWS, REST], axis=0)
SPLIT = dml.Split(BIG, [ROWS, REST], axis=0)
GATHER = dml.Gather(BIG, tensor(1, WIDE, kind="UINT32"), axis=0, index_dimensions=1)
SCANNED = dml.Gather(tensor(1, 5), tensor(255, WIDE, kind="INT32"), axis=1, index_dimensions=2)
REVERSE = dml.ReverseSubsequences(BIG, tensor(WIDE, 1, kind="UINT32"), axis=1)

VALID: dict[str, tuple[Any, dict[str, Any]]] = {
    "tile by ones": (TILE, {}),
    "join rows": (JOIN, {}),
    "gather rows": (GATHER, INDICES),
    "gather by a square of indices": (dml.Gather(tensor(1, 5), tensor(WIDE, WIDE, kind="UINT32"), 1, 2), {}),
    "gather by as many indices as are scanned": (SCANNED, {"IndicesTensor": Random(3)}),
    "reverse rows": (REVERSE, LENGTHS),
    "reverse single elements": (dml.ReverseSubsequences(SINGLE, tensor(WIDE, 1, WIDE, kind="UINT32"), axis=1), {}),
}
INVALID: dict[str, tuple[Any, dict[str, Any]]] = {
    "tile too much": (TILE.replace({"Repeats": (2, 2), "OutputTensor": None}), {}),
    "join of unequal rows": (JOIN.replace({"InputTensors": [ROWS, tensor(35535, 65534)], "OutputTensor": BIG}), {}),
    "split into too little": (SPLIT.replace({"OutputTensors": [ROWS, ROWS]}), {}),
    "gather with too many dimensions": (GATHER.replace({"IndexDimensions": 3}), INDICES),
    "gather by scanned indices into other sizes": (SCANNED.replace({"OutputTensor": HALF}), INDICES),
    "reverse by other lengths": (REVERSE.replace({"SequenceLengthsTensor": tensor(1, WIDE, kind="UINT32")}), LENGTHS),
}


class Counted:
    """What has been read since it was last put back to 0."""

    def __init__(self) -> None:
        self.most = self.total = 0

    def add(self, count: int) -> None:
        self.most, self.total = max(self.most, count), self.total + count
        assert count <= MOST_AT_ONCE, f"{count:,} elements are read at a time"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    made = Counted()
    for kind in (Stored, Filled):
        own = kind.read

        def read(self: Any, flat: Indices, own: Any = own) -> Any:
            made.add(len(flat))
            return own(self, flat)

        monkeypatch.setattr(kind, "read", read)
    return made


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def everything_of(question: Question) -> None:
    """Shows a question, answers it in all ways that are known and in some that are nobody's, and takes every hint."""
    assert len(json.dumps(question_json(question))) < 60_000
    assert question.grade(answered(question, question.truth)).right
    for answer in question.answers.values():
        assert question.grade(answered(question, answer)).says
    for answer in (0, 10**9, [], [10**9] * 2, "a", "none", None, True, {}):
        with suppress(DmlvizError):
            question.grade(answer)
    for number in (1, 2, 3, 4):
        assert question.hint(number)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*VALID, *INVALID])
def test_no_kind_asks_for_a_whole_tensor(name: str, counted: Counted, traced: None) -> None:
    desc, values = (VALID | INVALID)[name]
    subject = Subject(Experiment(name, desc, values=values))
    assert subject.valid is (name in VALID)
    asked = set()
    for kind in kinds().values():
        counted.total = 0
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        question = kind.make(subject, 1)
        if kind.name in OF_ELEMENTS:
            assert counted.total < MOST_TO_MAKE, kind.name
        if question is not None:
            asked.add(kind.name)
            everything_of(question)
        _, peak = tracemalloc.get_traced_memory()
        assert counted.total <= MOST_IN_ALL, kind.name
        assert peak - before <= MOST_BYTES, f"{kind.name}: {peak - before:,} bytes"
    assert {"valid", "lowest"} <= asked
    if name in VALID and name != "reverse single elements":
        assert {"cell", "source"} & asked


def test_a_level_has_inputs_that_are_shown_whole(counted: Counted) -> None:
    with pytest.raises(DmlvizError, match="InputTensor has 4,294,836,225 elements, expected at most 512"):
        LEVEL.make(Subject(Experiment("huge", TILE)), 0, Wish(goal=Picture((((1,), (1,)),))))
    assert not counted.total


@pytest.mark.parametrize("name", [*VALID, *INVALID])
def test_a_huge_desc_is_a_wrong_answer_to_a_level(name: str, counted: Counted, traced: None) -> None:
    start = dml.Tile(tensor(2, 3), (1, 2))
    goal = Picture((((2, 6), (1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6)),))
    question = LEVEL.make(Subject(Experiment("small", start)), 0, Wish(goal=goal, truth=DescAnswer(start)))
    assert question is not None
    given = LEVEL.form.json(DescAnswer((VALID | INVALID)[name][0]))
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    verdict = question.grade(given)
    assert not verdict.right
    assert "room for" in verdict.says
    assert tracemalloc.get_traced_memory()[1] - before <= MOST_BYTES
