"""Levels from two descs: one that makes the goal, and one where a student starts; what else a level holds follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.value_sources import nest
from ...errors import TaskError
from ...operators.registry import operator_of
from ...session.cell_edits import listed
from ...session.experiments import Experiment
from ...session.writing import dump_desc
from ..kinds.level import LEVEL
from ..questions.goals import Attempt, with_lists
from ..tasks.changed_descs import changed, steering_of
from ..tasks.tasks import task_of
from .level import OPERATOR, Level
from .nearer_descs import near, nearer

MOST_TRIED = 300
"""Descs that are tried for traps."""
MOST_TRAPS = 3
Json = dict[str, Any]


def goal_of(experiment: Experiment) -> Json:
    """The members `goal` and `solutions` of a task: the experiment's outputs, and its desc as the solution.

    Raises TaskError for a desc that breaks a rule, is large, or leaves an element unpromised.
    """
    attempt = Attempt(experiment)
    if not attempt.small:
        raise TaskError("The desc has a tensor that doesn't exist or is too large, expected at most 512 elements each.")
    if not attempt.valid:
        raise TaskError("The desc breaks a rule, expected a valid one: its outputs become the goal.")
    if attempt.outputs is None:
        raise TaskError("An index lies outside its range, expected outputs that DirectML promises as the goal.")
    goal = []
    for k, part in enumerate(attempt.trace.outputs):
        sizes = part.tensor.sizes
        values = listed(attempt.trace.reference(k).reshape(-1))
        goal.append({"Sizes": list(sizes), "values": nest(values, sizes)})
    lean = lean_desc(experiment.desc)
    solution: Json = {"type": lean.TYPE, "desc": dump_desc(lean)}
    if steering := _steering_json(experiment):
        solution["values"] = steering
    return {"goal": goal, "solutions": [solution]}


def lean_desc(desc: Desc) -> Desc:
    """The desc without what follows from the rest: a single output, and counts. Nobody has to change those."""
    return desc.replace({field.name: None for field in desc.FIELDS if field.can_be_inferred})


def started(start: Experiment, task: Mapping[str, Any]) -> Experiment:
    """The experiment of a level that begins with `start`; `task` holds its goal and solution.

    What may change, par and traps are worked out. Raises TaskError where the goal can't be reached from there.
    """
    start = replace(start, desc=lean_desc(start.desc))
    solution = changed(start, task["solutions"][0], "task.solutions[0]")
    members = {**task, "kind": LEVEL.name, "par": 0, "traps": [], "may_change": _changed_fields(start, solution)}
    level = _level_of(start, members)
    if level.wins(start):
        raise TaskError("The desc makes the goal already, expected one that a student has to change.")
    if not level.wins(solution):
        raise TaskError("The goal was set with other data values, which are given: set the goal anew.")
    while True:
        members |= {"par": level.numbers_changed(solution), "solutions": [_difference(start, solution)]}
        members["may_change"] = _changed_fields(start, solution)
        level = _level_of(start, members)
        shorter = nearer(level)
        if shorter is None:
            break
        solution = shorter
    members["traps"] = [{"rule": rule, **_difference(start, tried)} for rule, tried in _traps(level)]
    return _with_task(start, members)


def _with_task(experiment: Experiment, task: Mapping[str, Any]) -> Experiment:
    return replace(experiment, extra={**experiment.extra, "task": dict(task)})


def _level_of(start: Experiment, task: Mapping[str, Any]) -> Level:
    """The level of a start and the JSON of a task."""
    level_task = task_of(_with_task(start, task))
    assert level_task is not None
    return Level(start, level_task)


def _changed_fields(start: Experiment, end: Experiment) -> list[str]:
    """The fields in which two experiments differ, as `may_change` names them."""
    if start.desc.TYPE != end.desc.TYPE:
        return [OPERATOR, *(field.name for field in end.desc.FIELDS if not field.can_be_inferred)]
    before, after = steering_of(start), steering_of(end)
    names = []
    for field in start.desc.FIELDS:
        one, other = start.desc.get(field.name), end.desc.get(field.name)
        if not isinstance(field, TensorField):
            if one != other and not field.can_be_inferred:
                names.append(field.name)
        elif field.role is Role.DATA:
            if one != other:
                names.append(f"{field.name}.Sizes")
        elif field.role is Role.OUTPUT:
            if field.many and one != other:
                names.append(field.name)
        elif one != other or before.get(field.name) != after.get(field.name):
            names.append(field.name)
    return names


def _steering_json(experiment: Experiment) -> Json:
    """The index and length values by path, in nested lists."""
    sizes = {part.path: part.tensor.sizes for part in experiment.desc.inputs}
    return {path: nest(items, sizes[path]) for path, items in steering_of(experiment).items()}


def _difference(start: Experiment, end: Experiment) -> Json:
    """What a level writes down of a desc: the fields and values that differ from the start's."""
    before, after = dump_desc(start.desc), dump_desc(lean_desc(end.desc))
    members: Json = {}
    if start.desc.TYPE != end.desc.TYPE:
        members["type"], before = end.desc.TYPE, {}
    if fields := {name: member for name, member in after.items() if before.get(name) != member}:
        members["desc"] = fields
    own = _steering_json(start)
    if values := {path: items for path, items in _steering_json(end).items() if own.get(path) != items}:
        members["values"] = values
    return members


def _traps(level: Level) -> list[tuple[str, Experiment]]:
    """(id of a wrong rule, try that makes the goal by it alone), one a rule, nearest first, `MOST_TRAPS` at most."""
    traps: dict[str, Experiment] = {}
    for tried in _start_and_near(level):
        if len(traps) == MOST_TRAPS:
            break
        if level.wins(tried):
            continue
        for rule in Attempt(tried).explaining_rules(level.wanted):
            if len(traps) < MOST_TRAPS:
                traps.setdefault(rule, tried)
    order = [rule.id for rule in operator_of(level.start.desc).misreadings()]
    return sorted(traps.items(), key=lambda trap: (level.numbers_changed(trap[1]), order.index(trap[0])))


def _start_and_near(level: Level) -> Iterator[Experiment]:
    """The start, and tries with up to one number more than par changed, nearest first, `MOST_TRIED` at most."""
    yield with_lists(level.start)
    yield from near(level, level.par + 1, MOST_TRIED)
