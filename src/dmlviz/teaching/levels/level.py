"""Levels: find a desc that makes the goal; what may change, how far a try is from the start, and what it comes to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from msgspec import Struct

from ...errors import DmlvizError, TaskError
from ...session.experiments import Experiment
from ..kinds.lib.desc_answers import DescAnswer, desc_json, read_desc
from ..progress.progress import Answered, is_of
from ..questions.answers import Answer
from ..questions.goals import Attempt, Outputs, explained_by, flowed, outputs_in, picture_of, why_not
from ..questions.question import Picture, Question
from ..tasks.changed_descs import changed, numbers_between, start_of_solution, steering_of, written_numbers
from ..tasks.tasks import AuthoredQuestion, Task
from ..words.catalogue import sentence

OPERATOR = "Operator"
"""In what may change: the desc may be another operator's."""
Cells = frozenset[tuple[int, int]]
"""Elements by output and flat, row-major place in it."""


class LevelVerdict(Struct, frozen=True, kw_only=True):
    """What a try comes to."""

    won: bool
    outputs: Picture | None
    """The outputs that it makes; None where a rule is broken, or a tensor is too large."""
    cells: Cells
    """Elements of `outputs` that the goal has otherwise, or not at all."""
    wrong_sizes: bool
    """True if outputs are others than the goal's in number or in Sizes."""
    sentence: str
    """One sentence, always."""
    rules: tuple[str, ...]
    """Ids of the wrong rules by which the try would be the goal."""
    changed: int
    """Numbers that differ from the start."""


class Level:
    """A start, a goal, and what its author knows."""

    def __init__(self, experiment: Experiment, task: Task, lesson: str = "") -> None:
        """`lesson` is the name of the lesson that it belongs to. Raises TaskError for a task that is no level."""
        if task.level is None:
            raise TaskError(f'task.kind is "{task.kind}", expected "level".')
        self.start, self.task, self.level_task, self.lesson = experiment, task, task.level, lesson

    def __repr__(self) -> str:
        return f"<Level {self.id}>"

    @property
    def id(self) -> str:
        return self.task.id

    @property
    def goal(self) -> Picture:
        return self.level_task.goal

    @property
    def par(self) -> int:
        return self.level_task.par

    @property
    def may_change(self) -> tuple[str, ...]:
        return self.level_task.may_change

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

    def locked(self, tried: Experiment) -> Iterator[str]:
        """Paths of what a try changes although `may_change` doesn't name it."""
        kind = tried.desc.TYPE
        if kind != self.start.desc.TYPE and not self.allows(OPERATOR):
            yield OPERATOR
            return
        start = self.start_of(kind)
        if start is None:
            return  # where it begins follows from what was tried before
        before, after = written_numbers(start), written_numbers(tried)
        for path in {**before, **after}:
            if before.get(path) != after.get(path) and not self.allows(path):
                yield path

    def numbers_changed(self, tried: Experiment) -> int:
        """How many numbers a try changes, adds or removes, from the start; with another operator one more."""
        if tried.desc.TYPE != self.start.desc.TYPE and tried.desc.TYPE in self._starts:
            return 1 + numbers_between(self._starts[tried.desc.TYPE], tried)
        return numbers_between(self.start, tried)

    @cached_property
    def _starts(self) -> dict[str, Experiment]:
        """The starts of solutions by other operators, by type."""
        starts: dict[str, Experiment] = {}
        for k, solution in enumerate(self.level_task.solutions):
            if solution.get("start") and solution.get("type") not in (None, self.start.desc.TYPE):
                starts.setdefault(solution["type"], start_of_solution(self.start, solution, f"task.solutions[{k}]"))
        return starts

    def start_of(self, kind: str) -> Experiment | None:
        """Where a try by an operator of that type begins; None where the level has no start for it."""
        return self.start if kind == self.start.desc.TYPE else self._starts.get(kind)

    def solution(self, k: int = 0) -> Experiment:
        """Solution `k`, with the start's values. Raises TaskError where there is none."""
        count = len(self.level_task.solutions)
        if not 0 <= k < count:
            raise TaskError(f"solution {k} is asked for, expected one of {count}.")
        return changed(self.start, self.level_task.solutions[k], f"task.solutions[{k}]")

    def trap(self, k: int) -> tuple[str, Experiment]:
        """Trap `k`: the id of the wrong rule by which it would be the goal, and the try."""
        trap = self.level_task.traps[k]
        return trap["rule"], changed(self.start, trap, f"task.traps[{k}]")

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

    def judge(self, tried: Experiment) -> LevelVerdict:
        """What a try comes to; its desc may be invalid, and of any operator."""
        filled, count = self.flowed(tried), self.numbers_changed(tried)
        won, shown, cells, wrong_sizes = False, None, Cells(), False
        rules: tuple[str, ...] = ()
        if isinstance(filled, str):
            sentence = filled
        else:
            attempt = Attempt(filled)
            won = attempt.outputs == self.wanted
            shown = picture_of(filled) if attempt.small and attempt.valid else None
            if shown is not None and not won:
                cells, wrong_sizes = differing_cells(shown, self.goal)
            rules = () if won else attempt.explaining_rules(self.wanted)
            if won:
                sentence = self._sentence_on_win(count)
            elif rules:
                rule = next(rule for rule in attempt.misreadings if rule.id == rules[0])
                sentence = explained_by(attempt, rule)
            else:
                sentence = why_not(attempt, self.goal, marked=True)
        return LevelVerdict(
            won=won,
            outputs=shown,
            cells=cells,
            wrong_sizes=wrong_sizes,
            sentence=sentence,
            rules=rules,
            changed=count,
        )

    def _sentence_on_win(self, count: int) -> str:
        """What is said to a try that wins with `count` numbers changed."""
        if count <= self.par:
            return self._sentence("level.par_one") if count == 1 else self._sentence("level.par", count=count)
        if count == 1:
            return self._sentence("level.over_one", par=self.par)
        return self._sentence("level.over", count=count, par=self.par)

    def _sentence(self, key: str, **values: Any) -> str:
        """A sentence of the catalogue, with values in it."""
        return sentence(key, **values)


def differing_cells(shown: Picture, goal: Picture) -> tuple[Cells, bool]:
    """The elements of `shown` that the goal has otherwise or not at all, and whether sizes differ."""
    cells: set[tuple[int, int]] = set()
    for k, (sizes, values) in enumerate(shown.outputs):
        wanted = dict(_indexed(*goal.outputs[k])) if k < len(goal.outputs) else {}
        cells |= {
            (k, flat) for flat, (index, value) in enumerate(_indexed(sizes, values)) if wanted.get(index) != value
        }
    return frozenset(cells), [sizes for sizes, _ in shown.outputs] != [sizes for sizes, _ in goal.outputs]


def _indexed(sizes: tuple[int, ...], values: tuple[Any, ...]) -> Iterable[tuple[tuple[int, ...], Any]]:
    """(index, value) of every element, row-major."""
    return zip(itertools.product(*map(range, sizes)), values, strict=True)


def read_answer(question: Question, given: object) -> Answer:
    """An answer from JSON; one to an author's level changes only what `may_change` names. Raises DmlvizError."""
    answer = question.kind.read(question, given)
    if isinstance(question, AuthoredQuestion) and question.task.level is not None:
        level = Level(question.subject.experiment, question.task)
        tried = flowed(level.start, answer.desc, dict(answer.steering))
        if isinstance(tried, Experiment) and (locked := ", ".join(level.locked(tried))):
            allowed = ", ".join(level.may_change) or "nothing"
            raise DmlvizError(f"answer changes {locked}, expected only what may be changed: {allowed}.")
    return answer


# ---- how far somebody came


def answer_of(tried: Experiment) -> Mapping[str, Any]:
    """The JSON of a try, as progress keeps it: the desc, and its index and length values."""
    return desc_json(DescAnswer(tried.desc, tuple(steering_of(tried).items())))


def best(level: Level, answers: Iterable[Answered]) -> int | None:
    """The fewest numbers that a right answer to the level changed; None where there is no right answer."""
    counts = []
    for answered in answers:
        own = answered.task == level.id and answered.kind == "level" and is_of(answered, level.lesson)
        if own and answered.right:
            with suppress(DmlvizError):
                counts.append(level.numbers_changed(level.tried_by(answered.answer)))
    return min(counts, default=None)
