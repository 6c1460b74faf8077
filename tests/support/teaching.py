"""Subjects of random descs, and what is true of them by the operators' oracles."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from operator_kit.finding import cases_of

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.desc_edits import with_data_type
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Cell, Subject, values_of
from support.strategies import Case


def subject_of(desc: Desc, arrays: list[NDArray[Any]] | None = None, name: str = "random") -> Subject:
    """A subject with these inputs; filled by default without them."""
    values = {}
    for part, array in zip(desc.inputs, arrays or [], strict=arrays is not None):
        values[part.path] = Listed(tuple(values_of(array.reshape(-1))), (array.size,))
    return Subject(Experiment(name, desc, values=values))


def answered(question: Question, answer: Any) -> Any:
    """An answer's JSON form, read back from its text."""
    return json.loads(json.dumps(question.kind.form.json(answer)))


def past_answer(**fields: Any) -> Answered:
    """A right answer of some time ago, as progress keeps it, with other fields."""
    usual = {"time": "2026-11-22T19:40:05Z", "task": "gather-2", "operator": "GATHER", "kind": "cell", "seed": 7}
    return Answered(**{**usual, "right": True, **fields})


FIRST = 2**40
"""The number of the first data element: constants are below."""


class Oracle:
    """Outputs of a case, and where their elements come from, by the slow oracle of its operator."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._cases = cases_of(case.desc.TYPE)

    @cached_property
    def outputs(self) -> list[NDArray[Any]]:
        return [*self._cases.oracle(self.case.desc, self.case.arrays)]

    def numbered(self, arrays: list[NDArray[Any]] | None = None) -> list[NDArray[Any]]:
        """The outputs where each data element is its own number, counted through all inputs from FIRST."""
        desc = with_data_type(self.case.desc, dml.DataType.INT64)
        made, start = [], FIRST
        for part, array in zip(desc.inputs, arrays or self.case.arrays, strict=True):
            if part.field.role is Role.DATA:
                made.append(np.arange(start, start + array.size, dtype=np.int64).reshape(array.shape))
                start += array.size
            else:
                made.append(array)
        return [*self._cases.oracle(desc, made)]

    @cached_property
    def numbers(self) -> list[NDArray[Any]]:
        return self.numbered()

    def number_of(self, cell: Cell) -> int:
        """The number of a data element, as `numbered` counts."""
        parts = self.case.desc.inputs
        before: list[int] = [p.tensor.element_count for p in parts[: cell[0]] if p.field.role is Role.DATA]
        return FIRST + sum(before) + int(np.ravel_multi_index(cell[1], parts[cell[0]].tensor.sizes))

    def readers(self, cell: Cell) -> list[Cell]:
        """The output elements that read a data element, in order."""
        wanted = self.number_of(cell)
        return [
            (k, tuple(int(i) for i in at)) for k, out in enumerate(self.numbers) for at in np.argwhere(out == wanted)
        ]

    @cached_property
    def unread(self) -> list[Cell]:
        seen = {int(x) for out in self.numbers for x in out.flat}
        cells = [
            (k, tuple(int(i) for i in at))
            for k, part in enumerate(self.case.desc.inputs)
            if part.field.role is Role.DATA
            for at in np.ndindex(part.tensor.sizes)
        ]
        return [cell for cell in cells if self.number_of(cell) not in seen]
