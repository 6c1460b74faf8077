"""Levels: find a desc that makes the goal; what may change, and how far a try is from the start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from ...errors import DmlvizError, TaskError
from ...session.experiments import Experiment
from ..kinds.whole_descs import LEVEL, read_desc
from ..progress.progress import Answered, is_of
from ..questions.goals import Outcome, flowed
from ..questions.question import Question
from ..questions.subject import Answer
from ..tasks.changed_descs import Change, changed, desc_answer, differing, numbers_between, steering_of
from ..tasks.tasks import AuthoredQuestion, Task, wanted_picture

OPERATOR = "Operator"
"""In what may change: the desc may be another operator's."""


class Level:
    def __init__(self, experiment: Experiment, task: Task, lesson: str = "") -> None:
        """`lesson` is the name of the lesson that it belongs to. Raises TaskError for a task that is no level."""
        if task.kind != LEVEL.name:
            raise TaskError(f'task.kind is "{task.kind}", expected "level".')
        self.start = experiment
        self.task = task
        self.lesson = lesson
        self.id = task.id
        self.title = task.title or experiment.name
        self.par = task.par
        self.may_change = task.may_change
        self.goal = wanted_picture(experiment, task)

    def allows(self, path: str) -> bool:
        """True if a field, or a tensor's Sizes, may be changed: `Repeats[1]`, `InputTensors[0].Sizes`, `Operator`.

        Types are given, and so are data values; `IndicesTensor` stands for its values and Sizes.
        """
        plain = re.sub(r"\[\d+\]", "", path)
        named = any(plain == name or plain.startswith(f"{name}.") for name in self.may_change)
        return named and not plain.endswith(".DataType")

    def locked(self, tried: Experiment) -> list[str]:
        """Paths of what a try changes although `may_change` doesn't name it."""
        if (kind := tried.desc.TYPE) != self.start.desc.TYPE and not self.allows(OPERATOR):
            return [OPERATOR]
        start = self.starts.get(kind)
        changes = differing(start, tried) if start is not None else ()  # else it begins with what was tried before
        return [path for path in changes if not self.allows(path)]

    def numbers_changed(self, tried: Experiment) -> int:
        """How many numbers a try changes, adds or removes, from the start; with another operator one more."""
        is_other = tried.desc.TYPE != self.start.desc.TYPE and tried.desc.TYPE in self.starts
        return is_other + numbers_between(self.starts.get(tried.desc.TYPE, self.start), tried)

    @cached_property
    def starts(self) -> dict[str, Experiment]:
        """The start, and those of solutions by other operators, by type."""
        starts = {self.start.desc.TYPE: self.start}
        for k, solution in enumerate(self.task.solutions):
            if solution.start is not None and solution.type:
                begun = Change(type=solution.type, start=solution.start)
                starts.setdefault(solution.type, changed(self.start, begun, f"task.solutions[{k}]"))
        return starts

    def solution(self, k: int = 0) -> Experiment:
        """Solution `k`, with the start's values. Raises TaskError for one that is no desc."""
        return changed(self.start, self.task.solutions[k], f"task.solutions[{k}]")

    def tried_by(self, answer: object) -> Experiment:
        """The try that an answer's JSON is. Raises DmlvizError for one that can't be read or doesn't fit the level."""
        read = read_desc(answer, self.start.desc.TYPE, any_operator=True)
        return flowed(self.start, read.desc, dict(read.steering))

    def judge(self, tried: Experiment) -> Outcome:
        return Outcome(self.start, self.goal, tried.desc, steering_of(tried))


def read_answer(question: Question, given: object) -> Answer:
    """An answer from JSON; one to an author's level changes only what `may_change` names. Raises DmlvizError."""
    answer = question.kind.form.read(question, given)
    if isinstance(question, AuthoredQuestion) and question.kind is LEVEL:
        level = Level(question.subject.experiment, question.task)
        locked = list[str]()
        with suppress(DmlvizError):  # what doesn't fit is told with the verdict
            locked = level.locked(level.tried_by(given))
        if locked:
            allowed = ", ".join(level.may_change) or "nothing"
            raise DmlvizError(f"answer changes {', '.join(locked)}, expected only what may be changed: {allowed}.")
    return answer


def answer_of(tried: Experiment) -> Mapping[str, Any]:
    """The JSON of a try, as progress keeps it: the desc, and its index and length values."""
    made: Mapping[str, Any] = LEVEL.form.json(desc_answer(tried))
    return made


def best(level: Level, answers: Iterable[Answered]) -> int | None:
    """The fewest numbers that a right answer to the level changed; None where there is no right answer."""
    counts = []
    for answered in answers:
        own = answered.task == level.id and answered.kind == LEVEL.name and is_of(answered, level.lesson)
        if own and answered.right:
            with suppress(DmlvizError):
                counts.append(level.numbers_changed(level.tried_by(answered.answer)))
    return min(counts, default=None)
