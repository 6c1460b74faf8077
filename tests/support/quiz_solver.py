"""A program that answers `dmlviz quiz --json` from the question's line alone.

It knows the shapes of questions, and what the five operators mean, written with NumPy from the specification. Which
rules a desc breaks it asks `dmlviz.check`, of nothing but the desc and the values in the line.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmlviz.errors import DmlvizError
from dmlviz.operators.fixes.differences import edits_between
from dmlviz.operators.report import Report
from dmlviz.session.experiments import Experiment
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump_desc

Json = dict[str, Any]
Ids = NDArray[np.int64]
SPAN = 10**12
"""An element's number is its tensor's times this, and its place in memory."""
BYTES = {"FLOAT64": 8, "INT64": 8, "UINT64": 8, "FLOAT32": 4, "INT32": 4, "UINT32": 4, "FLOAT16": 2, "INT16": 2}
BYTES |= {"UINT16": 2, "INT8": 1, "UINT8": 1}
STEERING = ("IndicesTensor", "SequenceLengthsTensor")
INPUTS = ("InputTensors", "InputTensor", *STEERING)


class Problem:
    """A desc, with values."""

    def __init__(self, experiment: Json) -> None:
        self.name = experiment["type"].removeprefix("DML_OPERATOR_")
        self.desc: Json = experiment["desc"]
        self.level: str | None = experiment["feature_level"]
        self.values: Json = experiment["values"]

    # ---- tensors

    def tensors(self, field: str) -> list[Json]:
        held = self.desc.get(field)
        return [] if held is None else held if isinstance(held, list) else [held]

    def inputs(self) -> list[tuple[str, Json]]:
        return [(field, tensor) for field in INPUTS for tensor in self.tensors(field)]

    def cells(self, field: str) -> NDArray[Any]:
        """Index or length values."""
        sizes = self.desc[field]["Sizes"]
        return np.array(self.values[field], object).reshape(sizes)

    # ---- what the operator does

    def moved(self, data: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """The outputs of data inputs."""
        desc, axis = self.desc, self.desc.get("Axis", 0)
        if self.name == "JOIN":
            return [np.concatenate(data, axis)]
        if self.name == "SPLIT":
            cuts = np.cumsum([t["Sizes"][axis] for t in desc["OutputTensors"]])[:-1]
            return np.split(data[0], cuts, axis)
        if self.name == "TILE":
            return [np.tile(data[0], desc["Repeats"])]
        if self.name == "GATHER":
            taken = np.asarray(np.take(data[0], self.picks(data[0].shape[axis]), axis), data[0].dtype)
            return [taken.reshape(self.gathered_sizes())]
        made = data[0].copy()
        lengths = self.cells("SequenceLengthsTensor")
        for at in np.ndindex(lengths.shape):
            line = (*at[:axis], slice(None), *at[axis + 1 :])
            row, n = data[0][line], min(int(lengths[at]), data[0].shape[axis])
            made[line] = np.concatenate([np.flip(row[:n]), row[n:]])
        return [made]

    def counted(self) -> list[int]:
        """The sizes of the indices that count."""
        sizes: list[int] = self.desc["IndicesTensor"]["Sizes"]
        return sizes[len(sizes) - self.desc["IndexDimensions"] :]

    def picks(self, n: int) -> NDArray[np.int64]:
        raw = self.cells("IndicesTensor").reshape(self.counted())
        signed = self.desc["IndicesTensor"]["DataType"].startswith("INT")
        found = [min(max(i + n if signed and i < 0 else i, 0), n - 1) for i in raw.reshape(-1).tolist()]
        return np.array(found, np.int64).reshape(raw.shape)

    def full_sizes(self) -> list[int]:
        axis, sizes = self.desc["Axis"], self.desc["InputTensor"]["Sizes"]
        return [*sizes[:axis], *self.counted(), *sizes[axis + 1 :]]

    def gathered_sizes(self) -> list[int]:
        full, wanted = self.full_sizes(), self.desc["IndexDimensions"]
        return [1, *full] if wanted == 0 else full[wanted - 1 :]

    def ids(self) -> list[Ids]:
        """Of every output, the number of each element's source."""
        data = []
        for k, (field, tensor) in enumerate(self.inputs()):
            if field not in STEERING:
                sizes = tensor["Sizes"]
                data.append(np.arange(math.prod(sizes), dtype=np.int64).reshape(sizes) + k * SPAN)
        return self.moved(data)

    def via_ids(self) -> Ids:
        """Of the output, the place in memory of the index or length cell that sends each element."""
        axis = self.desc["Axis"]
        if self.name == "GATHER":
            inner = self.counted()
            cells = np.arange(math.prod(inner), dtype=np.int64)
            shape = [1] * axis + inner + [1] * (len(self.desc["InputTensor"]["Sizes"]) - axis - 1)
            return np.broadcast_to(cells.reshape(shape), self.full_sizes()).reshape(self.gathered_sizes())
        sizes = self.desc["SequenceLengthsTensor"]["Sizes"]
        cells = np.arange(math.prod(sizes), dtype=np.int64).reshape(sizes)
        return np.broadcast_to(cells, self.desc["InputTensor"]["Sizes"])

    def outputs(self) -> list[NDArray[Any]]:
        """Every output, of what JSON holds."""
        data = []
        for k, (field, tensor) in enumerate(self.inputs()):
            if field not in STEERING:
                data.append(self.filled(k, field, tensor))
        return self.moved(data)

    def filled(self, number: int, field: str, tensor: Json) -> NDArray[Any]:
        """A data input's values."""
        held = self.values[field]
        values = list(flat(held[number] if isinstance(self.desc[field], list) else held))
        made = np.empty(len(values), object)
        made[:] = values
        return made.reshape(tensor["Sizes"])

    # ---- what it refuses

    def experiment(self) -> Experiment:
        """What the line holds. Raises DmlvizError for a desc that can't be read."""
        values = {field: entry for field, entry in self.values.items() if None not in flat(entry)}
        given = {
            "name": "asked",
            "type": f"DML_OPERATOR_{self.name}",
            "desc": self.desc,
            "feature_level": self.level,
            "values": values,
        }
        session, errors = parse(json.dumps({"dmlviz": 1, "experiments": [given]}).encode(), "line", None)
        if errors:
            raise errors[0]
        return session.experiments[0]

    def report(self) -> Report:
        return self.experiment().check()


def flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for each in values:
            yield from flat(each)
    else:
        yield values


# ---- one function a kind


def place(tensor: int, at: Any, sizes: list[int], side: str = "tensor") -> Json:
    return {side: tensor, "index": [int(i) for i in np.unravel_index(int(at), sizes)]}


def sizes(q: Json, p: Problem) -> Any:
    return [list(each.shape) for each in p.ids()]


def cell(q: Json, p: Problem) -> Any:
    return p.outputs()[q["at"]["output"]][tuple(q["at"]["index"])]


def pictures(q: Json, p: Problem) -> Any:
    wanted = p.outputs()
    start = q["at"]["index"] if q["at"] else None
    for choice in q["choices"]:
        shown = choice["outputs"]
        if start is not None:  # a window of one output
            part = wanted[q["at"]["output"]]
            wanted_here = [part[tuple(slice(i, i + n) for i, n in zip(start, shown[0]["sizes"], strict=True))]]
        else:
            wanted_here = wanted
        if [list(each.shape) for each in wanted_here] == [each["sizes"] for each in shown] and [
            list(flat(each.tolist())) for each in wanted_here
        ] == [list(flat(each["values"])) for each in shown]:
            return choice["id"]
    raise AssertionError("no picture is right")


def source(q: Json, p: Problem) -> Any:
    found = int(p.ids()[q["at"]["output"]][tuple(q["at"]["index"])])
    return place(found // SPAN, found % SPAN, p.inputs()[found // SPAN][1]["Sizes"])


def via(q: Json, p: Problem) -> Any:
    found = p.via_ids()[tuple(q["at"]["index"])]
    return place(1, found, p.inputs()[1][1]["Sizes"])


def dest(q: Json, p: Problem) -> Any:
    tensor = q["at"]["tensor"]
    at = int(np.ravel_multi_index(q["at"]["index"], p.inputs()[tensor][1]["Sizes"]))
    if p.inputs()[tensor][0] in STEERING:
        made = [p.via_ids()]
    else:
        made, at = p.ids(), at + tensor * SPAN
    return [
        {"output": k, "index": [int(i) for i in index]}
        for k, ids in enumerate(made)
        for index in np.argwhere(ids == at)
    ]


def count(q: Json, p: Problem) -> Any:
    return len(dest(q, p))


def unread(q: Json, p: Problem) -> Any:
    read = set(np.concatenate([ids.reshape(-1) for ids in p.ids()]).tolist())
    found = []
    for k, (field, tensor) in enumerate(p.inputs()):
        if field not in STEERING:
            places = range(math.prod(tensor["Sizes"]))
            found += [place(k, i, tensor["Sizes"]) for i in places if i + k * SPAN not in read]
    return found


def fill(q: Json, p: Problem) -> Any:
    at = q["at"]
    held = np.asarray(p.outputs()[at["output"]][tuple(at["index"])], object)
    return list(held.reshape(-1)[: q["first"]])


def promised(q: Json, p: Problem) -> Any:
    number = int(p.cells("IndicesTensor").reshape(-1)[int(p.via_ids()[tuple(q["at"]["index"])])])
    n = p.desc["InputTensor"]["Sizes"][p.desc["Axis"]]
    signed = p.desc["IndicesTensor"]["DataType"].startswith("INT")
    return (-n if signed else 0) <= number < n


def insizes(q: Json, p: Problem) -> Any:
    axis, held = p.desc["Axis"], p.desc["InputTensor"]["Sizes"]
    return [*held[:axis], 1, *held[axis + 1 :]]


def blank(q: Json, p: Problem) -> Any:
    steps = [int(s) if s.isdecimal() else s for s in re.findall(r"\w+", q["field"])]
    goal = [(each["sizes"], list(flat(each["values"]))) for each in q["goal"]]
    most = max(n for each, _ in goal for n in each)
    count_ = max(len(t["Sizes"]) for _, t in p.inputs())
    domain: Any = range(max(most, count_) + 1)
    if steps == ["Repeats"]:
        whole = p.desc["InputTensor"]["Sizes"]
        domain = [[b // a for a, b in zip(whole, goal[0][0], strict=True)]]
    for value in domain:
        tried = copy.copy(p)
        tried.desc = copy.deepcopy(p.desc)
        held: Any = tried.desc
        for step in steps[:-1]:
            held = held[step]
        held[steps[-1]] = value
        if _is_valid(tried):
            made = [(list(each.shape), list(flat(each.tolist()))) for each in tried.outputs()]
            if made == goal:
                return value
    raise AssertionError("no value gives the goal")


def _is_valid(problem: Problem) -> bool:
    try:
        return not problem.report().errors
    except DmlvizError:
        return False


def valid(q: Json, p: Problem) -> Any:
    return sorted({check.id for check in p.report().errors})


def lowest(q: Json, p: Problem) -> Any:
    p.level = "1_0"  # any will do
    level = p.report().lowest_level
    return None if level is None else level.value


def _indices(side: str, names: Json) -> list[int]:
    inner = re.sub(r"^\w+(\[[k0]\](?=\[))?", "", side)
    found = eval(f"({inner[1:-1]},)", names)
    return [int(i) for i in found]


def runs(q: Json, p: Problem) -> Any:
    return len(_runs(p))


def _runs(p: Problem) -> list[int]:
    found = []
    for ids in p.ids():
        line = ids.reshape(-1)
        ends = [0, *(np.flatnonzero(np.diff(line) != 1) + 1).tolist(), len(line)]
        found += [b - a for a, b in itertools.pairwise(ends)]
    return found


def fixes(q: Json, p: Problem) -> Any:
    """The fix that changes the fewest numbers."""
    experiment = p.experiment()
    fixes_ = [fix for error in experiment.check().errors for fix in error.fixes if fix.mends_all]
    same = [f.desc for f in fixes_ if f.feature_level is experiment.feature_level and not f.turned]
    return dump_desc(min(same, key=lambda desc: edits_between(experiment.desc, desc)))


# ---- chains


class Walk:
    """All stages of a chain: what each output holds, and where that comes from, as `root * SPAN + place`."""

    def __init__(self, stages: list[Json]) -> None:
        self.roots: list[tuple[str, str, list[int]]] = []
        """(stage, path, sizes) of each input that no wire fills."""
        self.made: dict[str, list[tuple[Ids, NDArray[Any]]]] = {}
        for stage in stages:
            self.made[stage["name"]] = self._stage(Problem(stage), stage["name"])
        self.ends = self.made[stages[-1]["name"]] if stages else []

    def _stage(self, p: Problem, name: str) -> list[tuple[Ids, NDArray[Any]]]:
        data: list[tuple[Ids, NDArray[Any]]] = []
        for field in INPUTS:
            for k, tensor in enumerate(p.tensors(field)):
                entry = p.values.get(field)
                entry = entry[k] if field == "InputTensors" and entry else entry
                ids, values = self._filled(entry, f"{field}[{k}]" if field == "InputTensors" else field, tensor, name)
                if field in STEERING:
                    p.values = {**p.values, field: values.tolist()}
                else:
                    data.append((ids, values))
        return list(zip(p.moved([ids for ids, _ in data]), p.moved([values for _, values in data]), strict=True))

    def _filled(self, entry: Any, path: str, tensor: Json, name: str) -> tuple[Ids, NDArray[Any]]:
        sizes = tensor["Sizes"]
        if isinstance(entry, dict) and "from" in entry:
            number = int((re.findall(r"\[(\d+)\]", entry.get("output", "")) or ["0"])[0])
            ids, values = self.made[entry["from"]][number]
            return ids.reshape(sizes), values.reshape(sizes)
        count = math.prod(sizes)
        ids = np.arange(count, dtype=np.int64).reshape(sizes) + len(self.roots) * SPAN
        self.roots.append((name, path, sizes))
        held = list(flat(entry)) if isinstance(entry, list) else list(range(1, count + 1))
        return ids, np.array(held, object).reshape(sizes)

    def root_name(self, found: int) -> tuple[str, str]:
        """The name of an input's element, and what follows it where others have inputs of that name."""
        name, path, sizes = self.roots[found // SPAN]
        index = np.unravel_index(found % SPAN, sizes)
        return f"{path}[{','.join(map(str, index))}]", f" ({name})"


def _chosen(q: Json, names: set[str]) -> str:
    """The choice that names these elements, and no others; a name of the last stage may have commas and blanks."""
    last = q["chain"][-1]["name"]
    wanted = {name.replace(last, "end") for name in names}
    for choice in q["choices"]:
        told = choice["text"].replace(last, "end")
        if {*re.findall(r"[^\s,]+(?:\[\d+\])?\[[\d,]+\](?: \([^)]*\))?", told)} == wanted:
            return str(choice["id"])
    raise AssertionError(f"no choice names {names}")


def _root_names(q: Json, walk: Walk, found: list[int]) -> set[str]:
    several = any("(" in choice["text"] for choice in q["choices"])
    pairs = [walk.root_name(each) for each in found]
    return {name + more * several for name, more in pairs}


def through(q: Json, p: Problem) -> Any:
    walk = Walk(q["chain"])
    found = int(walk.ends[q["at"]["output"]][0][tuple(q["at"]["index"])])
    return _chosen(q, _root_names(q, walk, [found]))


def reach(q: Json, p: Problem) -> Any:
    walk, ((root, place_),) = Walk(q["chain"]), q["cells"]
    names, several = set(), len(walk.ends) > 1
    for k, (ids, _) in enumerate(walk.ends):
        for index in np.argwhere(ids == root * SPAN + place_):
            names.add(f"{q['chain'][-1]['name']}{f'[{k}]' * several}[{','.join(map(str, index))}]")
    return _chosen(q, names)


def dead(q: Json, p: Problem) -> Any:
    walk, ((root,),) = Walk(q["chain"]), q["cells"]
    arrived = {int(i) for ids, _ in walk.ends for i in ids.flat}
    every = [root * SPAN + i for i in range(math.prod(walk.roots[root][2]))]
    return _chosen(q, _root_names(q, walk, [i for i in every if i not in arrived]))


SOLVERS: dict[str, Callable[[Json, Problem], Any]] = {
    "sizes": sizes,
    "cell": cell,
    "pictures": pictures,
    "source": source,
    "via": via,
    "dest": dest,
    "count": count,
    "unread": unread,
    "fill": fill,
    "order": fill,
    "promised": promised,
    "insizes": insizes,
    "blank": blank,
    "valid": valid,
    "lowest": lowest,
    "runs": runs,
    "fixes": fixes,
    "through": through,
    "reach": reach,
    "dead": dead,
}


def answer(question: Json) -> Any:
    """The answer to a question, as a line holds it."""
    about = question["chain"][0] if "chain" in question else question["experiment"]
    about = about if about["type"] is not None else question["chain"][-1]
    return SOLVERS[question["kind"]](question, Problem(about))
