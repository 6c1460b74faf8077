"""Kinds of questions by what they say of themselves, and an experiment with a task of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from dmlviz.errors import DmlvizError
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.tasks.tasks import question_of, task_of

KINDS = tuple(kinds())
"""The names of all kinds, so that a new one is met by every test of them."""
WITH_FORM = frozenset(name for name, kind in kinds().items() if kind.form.name in ("field", "desc"))
FORMS = {name: kind.form.name for name, kind in kinds().items() if name not in WITH_FORM}
OF_CHAINS = tuple(name for name, kind in kinds().items() if kind.of_chains)
AUTHORED = frozenset(name for name, kind in kinds().items() if kind.authored)
ASKED = tuple(name for name in kinds() if name not in AUTHORED)
"""Those that are asked about any experiment."""
MEMORY = frozenset(name for name, kind in kinds().items() if kind.about_memory)
IN_PICTURE = frozenset(name for name, kind in kinds().items() if kind.pictured)
DRAWN = IN_PICTURE | {"level"}


@cache
def of_kind(name: str) -> tuple[Experiment, Question]:
    """An experiment whose task is of a kind, and its question."""
    for experiment in _candidates(name):
        try:
            task = task_of(experiment)
            if task is not None and task.kind == name:
                return experiment, question_of(experiment, task)
        except DmlvizError:
            continue
    raise AssertionError(f"nothing asks a question of kind {name}")


@cache
def _authored() -> list[Session]:
    return [load(file) for file in sorted(CONTENT.glob("*.json"))] + [each.with_tasks() for each in all_examples()]


def _candidates(name: str) -> Iterator[Experiment]:
    for session in _authored():
        yield from session.experiments
    for example in all_examples():
        for experiment in example.session().experiments[:: -1 if name in OF_CHAINS else 1]:
            yield replace(experiment, extra={"task": {"id": name, "ask": {"kind": name}}})
