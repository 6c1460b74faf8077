"""The one solver of questions: a program that answers `dmlviz quiz --json` from the question's line alone.

What an operator does it asks the kit's oracles, which are written with NumPy from the specification; which rules a desc
breaks it asks `dmlviz.check`, of nothing but the desc and the values in the line.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from operator_kit.finding import cases_of

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.desc.tensors import DataType
from dmlviz.errors import DmlvizError
from dmlviz.operators.desc_edits import with_data_type
from dmlviz.operators.fixes.differences import edits_between
from dmlviz.session.experiments import Experiment
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump_desc
from dmlviz.teaching.questions.subject import FROM_NOWHERE_JSON, values_of

Json = dict[str, Any]
Arrays = list[NDArray[Any]]
SPAN = 10**12
"""An element's number is its tensor's, from 1, times this, and its place in memory; constants are below."""


def flat(values: Any) -> list[Any]:
    found: list[Any] = np.array(values, object).reshape(-1).tolist()
    return found


def experiment_of(line: Json) -> Experiment:
    """What a line holds; an output without sizes has those that follow. Raises DmlvizError for what can't be read."""
    unsized = {key: held for key, held in line["desc"].items() if isinstance(held, dict) and not held.get("Sizes")}
    given = {
        "name": "asked",
        "type": line["type"],
        "desc": {**line["desc"], **{key: {**held, "Sizes": [1]} for key, held in unsized.items()}},
        "feature_level": line["feature_level"] or "1_0",
        "values": {field: entry for field, entry in line["values"].items() if None not in flat(entry)},
    }
    session, errors = parse(json.dumps({"dmlviz": 1, "experiments": [given]}).encode(), "line", None)
    if errors:
        raise errors[0]
    (one,) = session.experiments
    return replace(one, desc=one.desc.replace(dict.fromkeys(unsized))) if unsized else one


def arrays_of(one: Experiment) -> Arrays:
    pairs = zip(one.sources(), one.desc.inputs, strict=True)
    return [source.array().reshape(part.tensor.sizes) for source, part in pairs]


def numbered(desc: Desc, arrays: Arrays) -> Arrays:
    """The outputs where each data element is its own number."""
    numbers = []
    for k, (part, array) in enumerate(zip(desc.inputs, arrays, strict=True), 1):
        own = np.arange(array.size, dtype=np.int64).reshape(array.shape) + k * SPAN
        numbers.append(own if part.field.role is Role.DATA else array)
    return [*cases_of(desc.TYPE).oracle(with_data_type(desc, DataType.INT64), numbers)]


def outputs(one: Experiment) -> Arrays:
    return [*cases_of(one.desc.TYPE).oracle(one.desc, arrays_of(one))]


def ids(one: Experiment) -> Arrays:
    return numbered(one.desc, arrays_of(one))


def via_cell(one: Experiment, output: int, index: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The index or length cell that sends an element: what stands in it decides alone where that comes from."""
    number = next(k for k, part in enumerate(one.desc.inputs) if part.field.role is not Role.DATA)
    desc, arrays = one.desc, arrays_of(one)
    axis, data = desc.get("Axis"), one.desc.inputs[0].tensor
    n = max(2, data.sizes[axis])  # along an axis of 1 all would come from the same place
    sizes = (*data.sizes[:axis], n, *data.sizes[axis + 1 :])
    if n != data.sizes[axis]:
        desc = desc.replace({"InputTensor": data.resized(sizes), "OutputTensor": None})
        arrays[0] = np.zeros(sizes, arrays[0].dtype)
    for cell in np.ndindex(arrays[number].shape):
        found = set()
        for value in range(n + 1):
            changed = [array.copy() for array in arrays]
            changed[number][cell] = value
            found.add(int(numbered(desc, changed)[output][index]))
        if len(found) > 1:
            return number, cell
    raise AssertionError("no cell decides")


# ---- one function a kind


def place(found: int, one: Experiment) -> Any:
    """An element of the inputs as `source` and others name it, by its number."""
    number, at = divmod(int(found), SPAN)
    if number < 1:
        return FROM_NOWHERE_JSON
    sizes = one.desc.inputs[number - 1].tensor.sizes
    return {"tensor": number - 1, "index": [int(i) for i in np.unravel_index(at, sizes)]}


def sizes(q: Json, one: Experiment) -> Any:
    return [list(each.shape) for each in ids(one)]


def asked(q: Json, of: Callable[[Experiment], Arrays], one: Experiment) -> Any:
    """What stands at the element, or under the shorter index, that is asked about."""
    return of(one)[q["at"]["output"]][tuple(q["at"]["index"])]


def cell(q: Json, one: Experiment) -> Any:
    return values_of(np.reshape(asked(q, outputs, one), 1))[0]


def pictures(q: Json, one: Experiment) -> Any:
    wanted = outputs(one)
    for choice in q["choices"]:
        drawn = [(each["sizes"], flat(each["values"])) for each in choice["outputs"]]
        if q["at"]:  # a window of one output
            cut = tuple(slice(i, i + n) for i, n in zip(q["at"]["index"], drawn[0][0], strict=True))
            wanted = [outputs(one)[q["at"]["output"]][cut]]
        if drawn == [([*each.shape], values_of(each.reshape(-1))) for each in wanted]:
            return choice["id"]
    raise AssertionError("no picture is right")


def source(q: Json, one: Experiment) -> Any:
    return place(asked(q, ids, one), one)


def via(q: Json, one: Experiment) -> Any:
    number, index = via_cell(one, q["at"]["output"], tuple(q["at"]["index"]))
    return {"tensor": number, "index": [*index]}


def dest(q: Json, one: Experiment) -> Any:
    tensor, index = q["at"]["tensor"], q["at"]["index"]
    at = int(np.ravel_multi_index(index, one.desc.inputs[tensor].tensor.sizes)) + (tensor + 1) * SPAN
    found = ((k, index) for k, each in enumerate(ids(one)) for index in np.argwhere(each == at))
    return [{"output": k, "index": [int(i) for i in index]} for k, index in found]


def count(q: Json, one: Experiment) -> Any:
    return len(dest(q, one))


def unread(q: Json, one: Experiment) -> Any:
    read = {int(number) for each in ids(one) for number in each.flat}
    data = [(k, part.tensor) for k, part in enumerate(one.desc.inputs, 1) if part.field.role is Role.DATA]
    every = [k * SPAN + at for k, tensor in data for at in range(tensor.element_count)]
    return [place(number, one) for number in every if number not in read]


def fill(q: Json, one: Experiment) -> Any:
    return values_of(np.reshape(asked(q, outputs, one), -1))[: q["first"]]


def promised(q: Json, one: Experiment) -> Any:
    number, index = via_cell(one, q["at"]["output"], tuple(q["at"]["index"]))
    n, held = one.desc.inputs[0].tensor.sizes[one.desc.get("Axis")], int(arrays_of(one)[number][index])
    return (-n if one.desc.inputs[number].tensor.data_type.is_signed else 0) <= held < n


def blank(q: Json, line: Json) -> Any:
    steps = [int(s) if s.isdecimal() else s for s in re.findall(r"\w+", q["field"])]
    goal = [(each["sizes"], flat(each["values"])) for each in q["goal"]]
    numbers = range(max(9, *(n for each, _ in goal for n in each)) + 1)
    signed = sorted(range(-numbers[-1], len(numbers)), key=abs)
    domain: Any = itertools.chain(numbers, map(list, itertools.product(signed, repeat=len(goal[0][0]))))
    if steps == ["Repeats"]:
        domain = [[b // a for a, b in zip(line["desc"]["InputTensor"]["Sizes"], goal[0][0], strict=True)]]
    for value in domain:
        tried = copy.deepcopy(line)
        held: Any = tried["desc"]
        for step in steps[:-1]:
            held = held[step]
        held[steps[-1]] = value
        try:
            one = experiment_of(tried)
        except DmlvizError:
            continue
        if not one.check().errors and [([*o.shape], values_of(o.reshape(-1))) for o in outputs(one)] == goal:
            return value
    raise AssertionError("no value gives the goal")


def insizes(q: Json, line: Json) -> Any:
    axis, held = line["desc"]["Axis"], line["desc"]["InputTensor"]["Sizes"]
    return [*held[:axis], 1, *held[axis + 1 :]]


def valid(q: Json, one: Experiment) -> Any:
    return sorted({check.id for check in one.check().errors})


def lowest(q: Json, one: Experiment) -> Any:
    level = one.check().lowest_level
    return None if level is None else level.value


def runs(q: Json, one: Experiment) -> Any:
    """Neighbours that are copied together."""
    lines = [each.reshape(-1) for each in ids(one)]
    return sum(1 for line in lines for a, b in itertools.pairwise([-1, *line.tolist()]) if b >= SPAN and b != a + 1)


def fixes(q: Json, one: Experiment) -> Any:
    """The fix that changes the fewest numbers."""
    every = [fix for error in one.check().errors for fix in error.fixes if fix.mends_all]
    same = [f.desc for f in every if f.feature_level is one.feature_level and not f.turned]
    return dump_desc(min(same, key=lambda desc: edits_between(one.desc, desc)))


Solver = Callable[[Json, Any], Any]
OF_ELEMENTS: dict[str, Solver] = {
    each.__name__: each for each in (sizes, cell, pictures, source, via, dest, count, unread, fill, promised)
}
"""Kinds about elements and sizes of a valid desc."""
OF_ELEMENTS |= {"order": fill, "insizes": insizes}
OF_DESCS: dict[str, Solver] = {each.__name__: each for each in (blank, valid, lowest, runs, fixes)}
"""Kinds about whole descs, where other answers than one may be right."""


def answer(question: Json) -> Any:
    """The answer to a question, as a line holds it."""
    kind, line = question["kind"], question["experiment"]
    about = line if kind in ("blank", "insizes") else experiment_of(line)
    return (OF_ELEMENTS | OF_DESCS)[kind](question, about)
