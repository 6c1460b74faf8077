"""Levels from two descs: one that makes the goal, and one where a student starts; what else a level holds follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from msgspec import convert

from ...desc.base import Desc
from ...desc.value_sources import nest
from ...errors import DmlvizError, TaskError
from ...session.cell_edits import listed
from ...session.experiments import Experiment
from ...session.writing import dump_desc
from ..kinds.level import LEVEL
from ..questions.goals import MOST_ELEMENTS, Attempt
from ..tasks.changed_descs import Change, changed, differing, one_off, steering_of
from ..tasks.tasks import task_of
from .level import OPERATOR, Level

Json = dict[str, Any]
MOST_TRIED = 500
"""Descs that are tried for a nearer one."""


def goal_of(experiment: Experiment) -> Json:
    """The members `goal` and `solutions` of a task: the experiment's outputs, and its desc as the solution.

    Raises TaskError for a desc without outputs that can be a goal.
    """
    attempt = Attempt(experiment)
    if attempt.outputs is None:
        expected = f"a valid one of at most {MOST_ELEMENTS} elements a tensor, whose outputs DirectML promises"
        raise TaskError(f"The desc can't be the goal, expected {expected}.")
    goal = []
    for k, part in enumerate(attempt.trace.outputs):
        sizes = part.tensor.sizes
        goal.append({"Sizes": list(sizes), "values": nest(listed(attempt.trace.reference(k).reshape(-1)), sizes)})
    return {"goal": goal, "solutions": [_solution(experiment)]}


def lean_desc(desc: Desc) -> Desc:
    """The desc without what follows from the rest: a single output, and counts. Nobody has to change those."""
    return desc.replace({field.name: None for field in desc.FIELDS if field.can_be_inferred})


def started(start: Experiment, task: Mapping[str, Any]) -> Experiment:
    """The experiment of a level that begins with `start`; `task` holds its goal and solution.

    What may change and par are worked out. Raises TaskError where the goal can't be reached from there.
    """
    start = replace(start, desc=lean_desc(start.desc))
    begun = task_of(replace(start, extra={"task": {**task, "kind": LEVEL.name}}))
    assert begun is not None
    level = Level(start, begun)
    solution = level.solution()
    if level.wins(start):
        raise TaskError("The desc makes the goal already, expected one that a student has to change.")
    if not level.wins(solution):
        raise TaskError("The goal was set with other data values, which are given: set the goal anew.")
    known = {"par": level.numbers_changed(solution), "may_change": _changed_fields(start, solution)}
    return replace(start, extra={**start.extra, "task": {**task, "kind": LEVEL.name, **known}})


def _changed_fields(start: Experiment, end: Experiment) -> list[str]:
    """The fields in which two experiments differ, as `may_change` names them."""
    if start.desc.TYPE != end.desc.TYPE:
        return [OPERATOR, *(field.name for field in end.desc.FIELDS if not field.can_be_inferred)]
    names = dict.fromkeys(re.sub(r"\[\d+\]", "", path) for path in differing(start, end))
    return [name for name in names if name.partition(".")[0] == name or name.partition(".")[0] not in names]


def _solution(experiment: Experiment) -> Json:
    """What a level writes down of a desc: its fields, and its index and length values in nested lists."""
    lean, sizes = lean_desc(experiment.desc), {part.path: part.tensor.sizes for part in experiment.desc.inputs}
    values = {path: nest(items, sizes[path]) for path, items in steering_of(experiment).items()}
    return {"type": lean.TYPE, "desc": dump_desc(lean), **({"values": values} if values else {})}


def nearer(level: Level) -> Experiment | None:
    """The first try that wins with fewer numbers changed than par, none put in or out; None among the nearest few."""
    desc = {name: tree for name, tree in dump_desc(level.start.desc).items() if level.allows(name)}
    values = {path: [*items] for path, items in steering_of(level.start).items() if level.allows(path)}
    most = max(n for part in level.start.desc.parts for n in (*part.tensor.sizes, part.tensor.dimension_count))
    some: list[Json] = [{"desc": desc, "values": values}]
    seen: set[str] = set()
    for changes in range(1, level.par):
        further = []
        for tree in (tree for base in some for tree in one_off(base, lambda _: range(-most, most + 1))):
            with suppress(DmlvizError):
                tried = changed(level.start, convert(tree, Change), "task")
                if level.numbers_changed(tried) == changes and str(tree) not in seen:
                    if level.wins(tried):
                        return tried
                    seen.add(str(tree))
                    further.append(tree)
            if len(seen) == MOST_TRIED:
                return None
        some = further
    return None
