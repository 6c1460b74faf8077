"""Levels: find a desc that makes the goal; what may change, how far a try is from the start, and what it comes to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from ...errors import DmlvizError, TaskError
from ...session.experiments import Experiment
from ..kinds.level import LEVEL
from ..kinds.lib.desc_answers import DescAnswer, desc_json, read_desc
from ..progress.progress import Answered, is_of
from ..questions.answers import Answer
from ..questions.goals import Attempt, Outputs, explained_by, flowed, outputs_in, picture_of, why_not
from ..questions.question import Picture, Question
from ..tasks.changed_descs import Change, changed, differing, numbers_between, steering_of
from ..tasks.tasks import AuthoredQuestion, Task, wanted_picture
from ..words.catalogue import sentence

OPERATOR = "Operator"
"""In what may change: the desc may be another operator's."""
Cells = frozenset[tuple[int, int]]
"""Elements by output and flat, row-major place in it."""


class LevelVerdict(Struct, frozen=True, kw_only=True):
    """What a try comes to."""

    won: bool = False
    outputs: Picture | None = None
    """The outputs that it makes; None where a rule is broken, or a tensor is too large."""
    cells: Cells = Cells()
    """Elements of `outputs` that the goal has otherwise, or not at all."""
    wrong_sizes: bool = False
    """True if outputs are others than the goal's in number or in Sizes."""
    sentence: str
    """One sentence, always."""
    rules: tuple[str, ...] = ()
    """Ids of the wrong rules by which the try would be the goal."""
    changed: int
    """Numbers that differ from the start."""


class Level:
    """A start, a goal, and what its author knows."""

    def __init__(self, experiment: Experiment, task: Task, lesson: str = "") -> None:
        """`lesson` is the name of the lesson that it belongs to. Raises TaskError for a task that is no level."""
        if task.kind != LEVEL.name:
            raise TaskError(f'task.kind is "{task.kind}", expected "level".')
        self.start, self.task, self.lesson = experiment, task, lesson
        self.id, self.par, self.may_change = task.id, task.par, task.may_change
        self.goal = wanted_picture(experiment, task)

    def title(self) -> str:
        """The task's title; the name of the start where it has none."""
        return self.task.title or self.start.name

    def allows(self, path: str) -> bool:
        """True if a field, or a tensor's Sizes, may be changed: `Repeats[1]`, `InputTensors[0].Sizes`, `Operator`.

        Types are given, and so are data values; `IndicesTensor` stands for its values and Sizes.
        """
        plain = re.sub(r"\[\d+\]", "", path)
        if plain.endswith(".DataType"):
            return False
        return any(plain == name or plain.startswith(f"{name}.") for name in self.may_change)

    def locked(self, tried: Experiment) -> list[str]:
        """Paths of what a try changes although `may_change` doesn't name it."""
        kind = tried.desc.TYPE
        if kind != self.start.desc.TYPE and not self.allows(OPERATOR):
            return [OPERATOR]
        start = self.start_of(kind)
        changes = differing(start, tried) if start is not None else ()  # else it begins with what was tried before
        return [path for path in changes if not self.allows(path)]

    def numbers_changed(self, tried: Experiment) -> int:
        """How many numbers a try changes, adds or removes, from the start; with another operator one more."""
        if tried.desc.TYPE != self.start.desc.TYPE and tried.desc.TYPE in self._starts:
            return 1 + numbers_between(self._starts[tried.desc.TYPE], tried)
        return numbers_between(self.start, tried)

    @cached_property
    def _starts(self) -> dict[str, Experiment]:
        """The starts of solutions by other operators, by type."""
        starts: dict[str, Experiment] = {}
        for k, solution in enumerate(self.task.solutions):
            if solution.start is not None and solution.type not in ("", self.start.desc.TYPE):
                begun = Change(type=solution.type, start=solution.start)
                starts.setdefault(solution.type, changed(self.start, begun, f"task.solutions[{k}]"))
        return starts

    def start_of(self, kind: str) -> Experiment | None:
        """Where a try by an operator of that type begins; None where the level has no start for it."""
        return self.start if kind == self.start.desc.TYPE else self._starts.get(kind)

    def solution(self, k: int = 0) -> Experiment:
        """Solution `k`, with the start's values. Raises TaskError for one that is no desc."""
        return changed(self.start, self.task.solutions[k], f"task.solutions[{k}]")

    @cached_property
    def wanted(self) -> Outputs:
        """The goal's outputs in the form that is compared."""
        return outputs_in(self.goal, self.start.desc.inputs[0].tensor.data_type)

    def flowed(self, tried: Experiment) -> Experiment | str:
        """The try with the start's elements in its data tensors; a sentence on why they don't fit where they don't."""
        return flowed(self.start, tried.desc, dict(steering_of(tried)))

    def tried_by(self, answer: object) -> Experiment:
        """The try that an answer's JSON is. Raises DmlvizError for one that can't be read or doesn't fit the level."""
        read = read_desc(answer, self.start.desc.TYPE, any_operator=True)
        tried = flowed(self.start, read.desc, dict(read.steering))
        if isinstance(tried, str):
            raise DmlvizError(tried)
        return tried

    def wins(self, tried: Experiment) -> bool:
        """True if a try makes the goal, whatever its desc is."""
        filled = self.flowed(tried)
        return isinstance(filled, Experiment) and Attempt(filled).outputs == self.wanted

    def judge(self, tried: Experiment, *, marked: bool = True) -> LevelVerdict:
        """What a try comes to; its desc may be invalid, and of any operator. `marked` if a picture marks `cells`."""
        filled, count = self.flowed(tried), self.numbers_changed(tried)
        if isinstance(filled, str):
            return LevelVerdict(sentence=filled, changed=count)
        attempt = Attempt(filled)
        shown = picture_of(filled) if attempt.small and attempt.valid else None
        if attempt.outputs == self.wanted:
            return LevelVerdict(won=True, outputs=shown, sentence=self._sentence_on_win(count), changed=count)
        goal, cells = self.goal.outputs, set[tuple[int, int]]()
        for k, (sizes, values) in enumerate(shown.outputs if shown is not None else ()):
            wanted = dict(zip(np.ndindex(*goal[k][0]), goal[k][1], strict=True)) if k < len(goal) else {}
            indices = enumerate(np.ndindex(*sizes))
            cells |= {(k, flat) for flat, index in indices if wanted.get(index) != values[flat]}
        rules = attempt.explaining_rules(self.wanted)
        if rules:
            said = explained_by(attempt, next(rule for rule in attempt.misreadings if rule.id == rules[0]))
        else:
            said = why_not(attempt, self.goal, marked=marked)
        wrong_sizes = shown is not None and [sizes for sizes, _ in shown.outputs] != [sizes for sizes, _ in goal]
        return LevelVerdict(
            outputs=shown, cells=frozenset(cells), wrong_sizes=wrong_sizes, sentence=said, rules=rules, changed=count
        )

    def _sentence_on_win(self, count: int) -> str:
        """What is said to a try that wins with `count` numbers changed."""
        return sentence("level.over", count=count, par=self.par)


def read_answer(question: Question, given: object) -> Answer:
    """An answer from JSON; one to an author's level changes only what `may_change` names. Raises DmlvizError."""
    answer = question.kind.read(question, given)
    if isinstance(question, AuthoredQuestion) and question.kind is LEVEL:
        level, locked = Level(question.subject.experiment, question.task), list[str]()
        with suppress(DmlvizError):  # what doesn't fit is told with the verdict
            locked = level.locked(level.tried_by(given))
        if locked:
            allowed = ", ".join(level.may_change) or "nothing"
            raise DmlvizError(f"answer changes {', '.join(locked)}, expected only what may be changed: {allowed}.")
    return answer


# ---- how far somebody came


def answer_of(tried: Experiment) -> Mapping[str, Any]:
    """The JSON of a try, as progress keeps it: the desc, and its index and length values."""
    return desc_json(DescAnswer(tried.desc, tuple(steering_of(tried).items())))


def best(level: Level, answers: Iterable[Answered]) -> int | None:
    """The fewest numbers that a right answer to the level changed; None where there is no right answer."""
    counts = []
    for answered in answers:
        own = answered.task == level.id and answered.kind == LEVEL.name and is_of(answered, level.lesson)
        if own and answered.right:
            with suppress(DmlvizError):
                counts.append(level.numbers_changed(level.tried_by(answered.answer)))
    return min(counts, default=None)
