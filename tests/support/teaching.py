"""Subjects of random descs, and answers as they are sent and kept."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray

from dmlviz.desc.base import Desc
from dmlviz.desc.value_sources import Listed
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Subject, values_of


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
