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

    def __init__(self, experiment: Json, windows: list[Json] | None = None) -> None:
        self.windows = windows or []
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
        """A data input's values; None outside of its window."""
        held = self.values[field]
        values = list(flat(held[number] if isinstance(self.desc[field], list) else held))
        window = next((w for w in self.windows if w["tensor"] == number), None)
        made = np.full(tensor["Sizes"], None, object)
        start, sizes = (window["start"], window["sizes"]) if window else ([0] * made.ndim, tensor["Sizes"])
        part = np.empty(len(values), object)
        part[:] = values
        made[tuple(slice(i, i + n) for i, n in zip(start, sizes, strict=True))] = part.reshape(sizes)
        return made

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


def waits(q: Json, p: Problem) -> Any:
    return sorted({wait.id for wait in p.report().waiting} & {choice["id"] for choice in q["choices"]})


def lowest(q: Json, p: Problem) -> Any:
    p.level = "1_0"  # any will do
    level = p.report().lowest_level
    return None if level is None else level.value


def parsons(q: Json, p: Problem) -> Any:
    """Every order of the terms, until one makes both sides equal everywhere."""
    said = q["prompt"].split("? ", 1)[1]
    equation, _, where = said.partition(", where ")
    target, source_ = equation.split(" = ")
    data = [np.array(list(flat(v)), object) for v in _data_values(p)]
    arrays = [
        held.reshape(t["Sizes"])
        for held, (f, t) in zip(data, [i for i in p.inputs() if i[0] not in STEERING], strict=True)
    ]
    names: Json = {"min": min}
    for field in STEERING:
        if field in p.desc:
            held = p.cells(field)
            if field == "IndicesTensor":
                n = p.desc["InputTensor"]["Sizes"][p.desc["Axis"]]
                held = np.array([i + n if i < 0 else i for i in held.reshape(-1)], object).reshape(held.shape)
            names[field] = held
    made = p.outputs()
    names |= {"InputTensor": arrays[0], "InputTensors": arrays, "OutputTensor": made[0], "OutputTensors": made}
    outer: list[Json] = [{"k": 0, "s": 0}]
    clause = where
    if found := re.match(r"s = ([\d, ]+) for k = [\d, ]+", where):
        outer = [{"k": k, "s": int(s)} for k, s in enumerate(found[1].split(","))]
        clause = ""
    places = equation.count("_")
    plain = target if "_" in source_ else source_
    letters = [c for c in "ijmnpqrt" if re.search(rf"\b{c}\b", plain)]
    for order_ in itertools.permutations([choice["id"] for choice in q["choices"]], places):
        sides = [_with_terms(side, list(order_)) for side in (target, source_)]
        if all(_holds(sides, clause, {**names, **each}, letters, plain) for each in outer):
            return list(order_)
    raise AssertionError("no order is right")


def _data_values(p: Problem) -> list[Any]:
    held = p.values.get("InputTensors")
    return list(held) if held is not None else [p.values["InputTensor"]]


def _with_terms(side: str, terms: list[str]) -> str:
    while "_" in side:
        side = side.replace("_", f"({terms.pop(0)})", 1)
    return side


def _holds(sides: list[str], clause: str, names: Json, letters: list[str], plain: str) -> bool:
    held = eval(plain.split("[")[0] + ("[k]" if "[k]" in plain else "[0]" if "s[0]" in plain else ""), names)
    axes = re.sub(r"^\w+(\[[k0]\](?=\[))?", "", plain)[1:-1].split(",")
    ranges = [range(held.shape[d]) for d, term in enumerate(axes) if term in letters]
    order_ = [term for term in axes if term in letters]
    for at in itertools.product(*ranges):
        here = {**names, **dict(zip(order_, at, strict=True))}
        try:
            if clause:
                name, rule = clause.split(" = ", 1)
                here[name] = eval(rule, here)
            numbers = [_indices(side, here) for side in sides]
            if any(i < 0 for each in numbers for i in each) or eval(sides[0], here) != eval(sides[1], here):
                return False
        except IndexError:
            return False
    return True


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


def bytes_(q: Json, p: Problem) -> Any:
    return max(_runs(p)) * BYTES[p.inputs()[0][1]["DataType"]]


def faster(q: Json, p: Problem) -> Any:
    """The one that works along the outer axis."""

    def axis(text: str) -> int:
        if found := re.search(r"Axis (\d+)", text):
            return int(found[1])
        repeats = re.search(r"Repeats \{([\d, ]+)\}", text)
        assert repeats is not None
        return [int(r) > 1 for r in repeats[1].split(",")].index(True)

    return min(q["choices"], key=lambda choice: axis(choice["text"]))["id"]


def fixes(q: Json, p: Problem) -> Any:
    """The fix that changes the fewest numbers."""
    experiment = p.experiment()
    fixes_ = [fix for error in experiment.check().errors for fix in error.fixes if fix.mends_all]
    same = [f.desc for f in fixes_ if f.feature_level is experiment.feature_level and not f.turned]
    return dump_desc(min(same, key=lambda desc: edits_between(experiment.desc, desc).numbers))


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


def hole(q: Json, p: Problem) -> Any:
    blank = next(k for k, stage in enumerate(q["chain"]) if stage["type"] is None)
    for choice in q["choices"]:
        stage = _read_stage(choice["text"], q["chain"][:blank], q["chain"][blank])
        walk = Walk([*q["chain"][:blank], stage, *q["chain"][blank + 1 :]])
        held = [list(flat(values.tolist())) for _, values in walk.ends]
        if held == [list(flat(each["values"])) for each in q["goal"]]:
            return choice["id"]
    raise AssertionError("no stage gives the end")


def _read_stage(text: str, before: list[Json], blank: Json) -> Json:
    """The stage that a line tells: `JOIN Axis 1: halves[1], halves[0]`; the blank one holds what it reads unwired."""
    head, _, reads = text.partition(": ")
    operator, _, numbers = head.partition(" ")
    desc: Json = {k: json.loads(v) for k, v in re.findall(r"(\w+) (-?\d+)(?!\d)", numbers)}
    desc |= {k: json.loads(f"[{v}]") for k, v in re.findall(r"(\w+) \{([^}]*)\}", numbers)}
    walk, wires, tensors, steering = Walk(before), [], [], []
    for read in re.findall(r"\{[^}]*\}|[^,{ ][^,]*", reads):
        if read.startswith("{"):
            steering = json.loads(f"[{read[1:-1]}]")
            continue
        if read in (blank["desc"] or {}):
            wires.append((blank["values"] or {}).get(read))
            tensors.append(blank["desc"][read])
            continue
        source, number = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", read).groups()  # type: ignore[union-attr]
        wires.append({"from": source, "output": f"OutputTensors[{number or 0}]"})
        tensors.append({"Sizes": list(walk.made[source][int(number or 0)][0].shape)})
    values: Json = {"InputTensors": wires} if operator == "JOIN" else {"InputTensor": wires[0]}
    desc |= {"InputTensors": tensors} if operator == "JOIN" else {"InputTensor": tensors[0]}
    rank = len(tensors[0]["Sizes"])
    if operator == "GATHER":
        desc["IndicesTensor"] = {"DataType": "INT64", "Sizes": [1] * (rank - 1) + [len(steering)]}
        values["IndicesTensor"] = steering
    elif operator == "REVERSE_SUBSEQUENCES":
        sizes = list(tensors[0]["Sizes"])
        sizes[desc["Axis"]] = 1
        desc["SequenceLengthsTensor"], values["SequenceLengthsTensor"] = {"Sizes": sizes}, steering
    return {
        "name": blank["name"],
        "feature_level": None,
        "type": f"DML_OPERATOR_{operator}",
        "desc": desc,
        "values": values,
    }


def equal(q: Json, p: Problem) -> Any:
    number, text = re.search(r"stage (\d+) = (.*)\. Is B", q["prompt"]).groups()  # type: ignore[union-attr]
    k = int(number) - 1
    other = [*q["chain"][:k], _read_stage(text, q["chain"][:k], q["chain"][k]), *q["chain"][k + 1 :]]
    walks = [Walk(stages) for stages in (q["chain"], other)]
    mine, its = ([[w.root_name(int(i)) for i in ids.flat] for ids, _ in w.ends] for w in walks)
    differing = {(o, i) for o, names in enumerate(mine) for i, name in enumerate(names) if name != its[o][i]}
    return _yes_or_element(q, walks[0], differing)


def _yes_or_element(q: Json, walk: Walk, differing: set[tuple[int, int]]) -> str:
    """The choice of an element among these, of the one that says yes where there is none."""
    names = set()
    for output, flat_index in differing:
        index = np.unravel_index(flat_index, walk.ends[output][0].shape)
        several = f"[{output}]" if len(walk.ends) > 1 else ""
        names.add(f"{q['chain'][-1]['name']}{several}[{','.join(map(str, index))}]")
    for choice in q["choices"]:
        if any(f" {name} " in f"{choice['text']} " for name in names) or (not names and choice["text"][:3] == "yes"):
            return str(choice["id"])
    raise AssertionError(f"no choice says {sorted(names)}")


def swap(q: Json, p: Problem) -> Any:
    *before, one, two = q["chain"]
    field = "InputTensors" if "InputTensors" in one["desc"] else "InputTensor"
    tensors, entries = one["desc"][field], (one["values"] or {}).get(field)
    many = field == "InputTensors"
    tensors = tensors if many else [tensors]
    entries = (entries or [None] * len(tensors)) if many else [entries]
    made, walk = [], Walk(q["chain"])
    for k, (tensor, entry) in enumerate(zip(tensors, entries, strict=True)):
        desc = {key: held for key, held in two["desc"].items() if key != "OutputTensor"} | {"InputTensor": tensor}
        values = {key: held for key, held in (two["values"] or {}).items() if key != "InputTensor"}
        values |= {"InputTensor": entry} if entry else {}
        made.append({**two, "name": f"moved {k}", "desc": desc, "values": values})
    partly = Walk([*before, *made])
    sizes = [{**t, "Sizes": list(partly.made[m["name"]][0][0].shape)} for t, m in zip(tensors, made, strict=True)]
    wires = [{"from": m["name"]} for m in made]
    desc = {key: held for key, held in one["desc"].items() if key != "OutputTensor"}
    desc |= {field: sizes if many else sizes[0]}
    end = {**one, "desc": desc, "values": {**(one["values"] or {}), field: wires if many else wires[0]}}
    turned = Walk([*before, *made, end])
    mine, its = (_by_data(w, w.ends[0][0]) for w in (walk, turned))
    if walk.ends[0][0].shape != turned.ends[0][0].shape:
        return next(choice["id"] for choice in q["choices"] if "Sizes" in choice["text"])
    return _yes_or_element(q, walk, {(0, i) for i, each in enumerate(mine) if each != its[i] and mine[:i] == its[:i]})


def _by_data(walk: Walk, ids: Ids) -> list[tuple[int, int]]:
    """(which of the inputs that hold data, place in it) of each element."""
    order = [k for k, (_, path, _) in enumerate(walk.roots) if path not in STEERING]
    return [(order.index(int(i) // SPAN), int(i) % SPAN) for i in ids.flat]


def view(q: Json, p: Problem) -> Any:
    walk, ((number,),) = Walk(q["chain"]), q["cells"]
    ids = walk.ends[number][0]
    first, strides = int(ids.flat[0]), list[int]()
    for axis in reversed(range(ids.ndim)):
        beside = int(np.take(ids, 1, axis).flat[0]) if ids.shape[axis] > 1 else -1
        packed = strides[0] * ids.shape[axis + 1] if strides else 1
        strides.insert(0, packed if beside < 0 else beside - first if beside // SPAN == first // SPAN else 0)
    along = (np.arange(n).reshape(-1, *[1] * (ids.ndim - 1 - d)) for d, n in enumerate(ids.shape))
    wanted = first + sum(at * stride for at, stride in zip(along, strides, strict=True))
    loose = np.flatnonzero((ids != wanted) | (ids < first) | (ids // SPAN != first // SPAN))
    if len(loose):
        return _yes_or_element(q, walk, {(number, int(loose[0]))})
    text = f"{{{', '.join(map(str, strides))}}}, from element {first % SPAN} "
    return next(choice["id"] for choice in q["choices"] if text in choice["text"])


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
    "waits": waits,
    "lowest": lowest,
    "parsons": parsons,
    "runs": runs,
    "bytes": bytes_,
    "faster": faster,
    "fixes": fixes,
    "through": through,
    "reach": reach,
    "dead": dead,
    "hole": hole,
    "equal": equal,
    "swap": swap,
    "view": view,
}


def answer(question: Json) -> Any:
    """The answer to a question, as a line holds it."""
    about = question["chain"][0] if "chain" in question else question["experiment"]
    about = about if about["type"] is not None else question["chain"][-1]
    return SOLVERS[question["kind"]](question, Problem(about, question["windows"]))
