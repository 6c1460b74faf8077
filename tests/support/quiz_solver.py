"""A program that answers `dmlviz quiz --json` from the question's line alone.

It knows the shapes of questions, and what the five operators mean and refuse: written with NumPy from the
specification, without a line of dmlviz.
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = dict[str, Any]
Ids = NDArray[np.int64]
SPAN = 10**12
"""An element's number is its tensor's times this, and its place in memory."""
LEVELS = ["1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4"]
F2 = {"FLOAT32", "FLOAT16"}
T6 = F2 | {"INT32", "INT16", "UINT32", "UINT16"}
T8 = T6 | {"INT8", "UINT8"}
T10 = T8 | {"INT64", "UINT64"}
T11 = T10 | {"FLOAT64"}
INDEX = {"INT64", "INT32", "UINT64", "UINT32"}
BYTES = {"FLOAT64": 8, "INT64": 8, "UINT64": 8, "FLOAT32": 4, "INT32": 4, "UINT32": 4, "FLOAT16": 2, "INT16": 2}
BYTES |= {"UINT16": 2, "INT8": 1, "UINT8": 1}
Rows = list[tuple[str, int, int, set[str]]]
"""(since, least and most dimensions, types)"""
JOINS: Rows = [("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 4, 5, T8), ("4_1", 1, 8, T11)]
SPLITS: Rows = [("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11)]
GATHERS: Rows = [("1_0", 4, 4, F2), ("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11)]
PICKS: Rows = [("1_0", 4, 4, {"UINT32"}), ("3_0", 1, 8, INDEX)]
TILES: Rows = [("1_0", 4, 4, F2), ("2_1", 4, 4, T8), ("3_1", 1, 8, T8), ("4_1", 1, 8, T10)]
TURNS: Rows = [("2_1", 4, 4, T8), ("3_0", 4, 5, T8), ("4_0", 1, 8, T8), ("5_0", 1, 8, T11)]
LENGTHS: Rows = [("2_1", 4, 4, {"UINT32"}), ("3_0", 4, 5, {"UINT32"}), ("4_0", 1, 8, {"UINT32"})]
LENGTHS += [("5_0", 1, 8, {"UINT32", "UINT64"})]
TABLE: dict[str, dict[str, Rows]] = {
    "JOIN": {"InputTensors": JOINS, "OutputTensor": JOINS},
    "SPLIT": {"InputTensor": SPLITS, "OutputTensors": SPLITS},
    "GATHER": {"InputTensor": GATHERS, "IndicesTensor": PICKS, "OutputTensor": GATHERS},
    "TILE": {"InputTensor": TILES, "OutputTensor": TILES},
    "REVERSE_SUBSEQUENCES": {"InputTensor": TURNS, "SequenceLengthsTensor": LENGTHS, "OutputTensor": TURNS},
}
STEERING = ("IndicesTensor", "SequenceLengthsTensor")


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
        return [(f, t) for f in TABLE[self.name] if not f.startswith("Output") for t in self.tensors(f)]

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

    def broken(self, level: str | None) -> tuple[set[str], set[str]]:
        """(rules that are broken, rules that wait for one); of the levels' rules none where `level` is None."""
        return Rules(self, level).found()


def flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for each in values:
            yield from flat(each)
    else:
        yield values


def row_at(rows: Rows, level: str) -> tuple[str, int, int, set[str]] | None:
    known = [row for row in rows if LEVELS.index(row[0]) <= LEVELS.index(level)]
    return known[-1] if known else None


class Rules:
    """The rules of a desc, each evaluated where it has a meaning."""

    def __init__(self, problem: Problem, level: str | None) -> None:
        self.problem, self.level, self.desc = problem, level, problem.desc
        self.bad: set[str] = set()
        self.waiting: set[str] = set()
        fields = TABLE[problem.name]
        self.tensors: dict[str, Json] = {}
        for field in fields:
            held = problem.desc.get(field)
            if isinstance(held, list):
                self.tensors |= {f"{field}[{k}]": each for k, each in enumerate(held)}
            elif held is not None:
                self.tensors[field] = held

    def sizes(self, path: str) -> list[int]:
        tensor = self.tensors[path]
        count = tensor.get("DimensionCount")
        sizes: list[int] = tensor["Sizes"]
        return sizes[:count] if count is not None and 0 <= count <= len(sizes) else sizes

    def expect(self, rule: str, holds: bool) -> bool:
        if not holds:
            self.bad.add(rule)
        return holds

    def found(self) -> tuple[set[str], set[str]]:
        self.of_levels()
        for path, tensor in self.tensors.items():
            count, sizes = tensor.get("DimensionCount"), self.sizes(path)
            whole = count is None or self.expect("tensor.dimension_count", 0 <= count <= len(tensor["Sizes"]))
            if self.expect("sizes.positive", all(n >= 1 for n in sizes)):
                whole &= self.expect("sizes.element_count", math.prod(sizes) <= 2**32 - 1)
            else:
                whole = False
                self.waiting.add("sizes.element_count")
            if (total := tensor.get("TotalTensorSizeInBytes")) is not None:
                least = -(-math.prod(sizes) * BYTES[tensor["DataType"]] // 4) * 4
                if whole:
                    self.expect("tensor.total_size", total >= least)
                else:
                    self.waiting.add("tensor.total_size")
        data = [p for p in self.tensors if not p.startswith(STEERING)]
        self.expect("dtype.equal", len({self.tensors[p]["DataType"] for p in data}) < 2)
        self.expect("dimension_count.equal", len({len(self.sizes(p)) for p in self.tensors}) < 2)
        {
            "JOIN": self.of_parts,
            "SPLIT": self.of_parts,
            "TILE": self.of_tile,
            "REVERSE_SUBSEQUENCES": self.of_reverse,
            "GATHER": self.of_gather,
        }[self.problem.name]()
        return self.bad, self.waiting

    def of_levels(self) -> None:
        if self.level is None:
            return
        exists = all(row_at(rows, self.level) for rows in TABLE[self.problem.name].values())
        if not self.expect("level.operator", exists):
            self.waiting |= {"dtype.supported", "dimension_count.supported"}
            return
        for path, tensor in self.tensors.items():
            row = row_at(TABLE[self.problem.name][path.split("[")[0]], self.level)
            assert row is not None
            self.expect("dtype.supported", tensor["DataType"] in row[3])
            self.expect("dimension_count.supported", row[1] <= len(self.sizes(path)) <= row[2])

    def on_axis(self, count: int, *ids: str) -> bool:
        if self.expect("axis.range", 0 <= self.desc["Axis"] < count):
            return True
        self.waiting |= {*ids}
        return False

    def alike(self, *paths: str) -> bool:
        return all(path in self.tensors for path in paths) and len({len(self.sizes(path)) for path in paths}) == 1

    def of_parts(self) -> None:
        joins = self.problem.name == "JOIN"
        many, one, count = (
            ("InputTensors", "OutputTensor", "InputCount") if joins else ("OutputTensors", "InputTensor", "OutputCount")
        )
        parts = [p for p in self.tensors if p.startswith(many)]
        held = self.desc.get(count, len(parts))
        self.expect("count.positive", held > 0)
        self.expect("count.matches", held == len(parts))
        model = one if one in self.tensors else parts[0] if parts else None
        if model is None:
            self.waiting |= {"axis.range", "sizes.sum"}
            return
        if not self.on_axis(len(self.sizes(model)), "sizes.match", "sizes.sum"):
            return
        axis = self.desc["Axis"]
        for part in parts:
            if self.alike(part, model):
                pairs = enumerate(zip(self.sizes(part), self.sizes(model), strict=True))
                self.expect("sizes.match", all(a == b for d, (a, b) in pairs if d != axis))
            else:
                self.waiting.add("sizes.match")
        if parts and one in self.tensors and self.alike(*parts, one):
            self.expect("sizes.sum", sum(self.sizes(p)[axis] for p in parts) == self.sizes(one)[axis])
        elif one in self.tensors:
            self.waiting.add("sizes.sum")

    def of_tile(self) -> None:
        sizes, repeats = self.sizes("InputTensor"), self.desc["Repeats"]
        count = self.desc.get("RepeatsCount", len(repeats))
        ok = self.expect("repeats.count", count == len(sizes))
        ok &= self.expect("count.matches", count == len(repeats))
        ok &= self.expect("repeats.positive", all(r > 0 for r in repeats))
        if not ok or not self.alike("InputTensor", "OutputTensor"):
            self.waiting.add("sizes.repeat")
        else:
            self.expect(
                "sizes.repeat", self.sizes("OutputTensor") == [n * r for n, r in zip(sizes, repeats, strict=True)]
            )

    def of_reverse(self) -> None:
        sizes, axis = self.sizes("InputTensor"), self.desc["Axis"]
        if self.on_axis(len(sizes), "lengths.sizes", "values.length_clamped"):
            if self.alike("InputTensor", "SequenceLengthsTensor"):
                self.expect(
                    "lengths.sizes", self.sizes("SequenceLengthsTensor") == [*sizes[:axis], 1, *sizes[axis + 1 :]]
                )
            else:
                self.waiting.add("lengths.sizes")
            self.of_values("values.length_clamped", "SequenceLengthsTensor")
        if self.alike("InputTensor", "OutputTensor"):
            self.expect("sizes.equal", self.sizes("OutputTensor") == sizes)
        elif "OutputTensor" in self.tensors:
            self.waiting.add("sizes.equal")

    def of_values(self, rule: str, field: str) -> None:
        for path in ("InputTensor", field):
            sizes = self.sizes(path)
            if not (1 <= len(sizes) <= 8 and min(sizes) >= 1 and math.prod(sizes) <= 2**32 - 1):
                self.waiting.add(rule)
        if self.tensors[field]["DataType"].startswith("FLOAT"):
            self.waiting.add(rule)

    def of_gather(self) -> None:
        desc, sizes, cells = self.desc, self.sizes("InputTensor"), self.sizes("IndicesTensor")
        wanted = desc["IndexDimensions"]
        on_axis = self.on_axis(len(sizes), "gather.fits", "gather.sizes", "values.index_range")
        counts = self.expect("index_dimensions.range", 0 <= wanted <= len(cells))
        if counts:
            self.expect("indices.leading", all(n == 1 for n in cells[: len(cells) - wanted]))
        else:
            self.waiting |= {"indices.leading", "gather.fits", "gather.sizes"}
        if on_axis:
            self.of_values("values.index_range", "IndicesTensor")
        if not on_axis or not counts:
            return
        drop = max(0, wanted - 1)
        fits = self.expect("gather.fits", drop <= desc["Axis"] and all(n == 1 for n in sizes[:drop]))
        if not fits or not self.alike("InputTensor", "IndicesTensor", "OutputTensor"):
            self.waiting.add("gather.sizes")
            return
        self.expect("gather.sizes", self.sizes("OutputTensor") == self.problem.gathered_sizes())


# ---- one function a kind


def place(tensor: int, at: Any, sizes: list[int], side: str = "tensor") -> Json:
    return {side: tensor, "index": [int(i) for i in np.unravel_index(int(at), sizes)]}


def without_output(problem: Problem) -> Problem:
    made = copy.copy(problem)
    made.desc = {key: held for key, held in problem.desc.items() if key != "OutputTensor"}
    return made


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
        if not tried.broken(p.level)[0]:
            made = [(list(each.shape), list(flat(each.tolist()))) for each in tried.outputs()]
            if made == goal:
                return value
    raise AssertionError("no value gives the goal")


def valid(q: Json, p: Problem) -> Any:
    return sorted(p.broken(p.level)[0])


def waits(q: Json, p: Problem) -> Any:
    return sorted(p.broken(p.level)[1] & {choice["id"] for choice in q["choices"]})


def lowest(q: Json, p: Problem) -> Any:
    return next((level for level in LEVELS if not p.broken(level)[0]), None)


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
    """Numbers and types are changed one after the other, until nothing is broken."""
    told = re.search(r"at most (\d+)", q["prompt"])  # an author's words may say nothing of it
    most = int(told[1]) if told is not None else 3
    frontier = [p.desc]
    for _ in range(min(most, 3)):
        following: list[tuple[int, Json]] = []
        for edits in (_edits, _with_other_dimensions):
            for desc in frontier:
                for tried in edits(desc, p):
                    made = copy.copy(p)
                    made.desc = tried
                    left = len(made.broken(p.level)[0])
                    if not left:
                        return tried
                    if edits is _edits:
                        following.append((left, tried))
        frontier = [desc for _, desc in sorted(following, key=lambda each: each[0])[:40]]
    raise AssertionError("no fix was found")


def _edits(desc: Json, p: Problem) -> Iterator[Json]:
    single = {"Axis", "IndexDimensions"} & desc.keys()
    count_ = max((len(t["Sizes"]) for _, t in p.inputs()), default=0)
    for name in ("InputCount", "OutputCount", "RepeatsCount"):
        if name in desc:
            yield {k: v for k, v in desc.items() if k != name}
    output = _fitting_output(desc, p)
    if output is not None and desc.get("OutputTensor") != output:
        yield {**desc, "OutputTensor": output}
    for name in sorted(single):
        for value in range(count_ + 1):
            yield {**desc, name: value}
    if "Repeats" in desc:
        repeats = desc["Repeats"]
        free = {k: v for k, v in desc.items() if k != "RepeatsCount"}
        yield {**free, "Repeats": [1] * (count_ - len(repeats)) + repeats[max(0, len(repeats) - count_) :]}
        for d in range(len(repeats)):
            for value in range(1, 5):
                yield {**desc, "Repeats": [*repeats[:d], value, *repeats[d + 1 :]]}
        yield {**desc, "Repeats": [max(1, r) for r in repeats]}
    for path in TABLE[p.name]:
        held = desc.get(path)
        if held is None:
            continue
        many = held if isinstance(held, list) else [held]
        for k, tensor in enumerate(many):
            for changed in _tensors(tensor, desc, p):
                changed_too = [*many[:k], changed, *many[k + 1 :]]
                yield {**desc, path: changed_too if isinstance(held, list) else changed_too[0]}
    types = {"FLOAT32", "UINT32", "INT32"}
    for kind in sorted(types):
        made = copy.deepcopy(desc)
        for path in TABLE[p.name]:
            if path not in STEERING and made.get(path) is not None:
                for tensor in made[path] if isinstance(made[path], list) else [made[path]]:
                    tensor["DataType"] = kind
        yield made


def _with_other_dimensions(desc: Json, p: Problem) -> Iterator[Json]:
    """Every tensor with more or fewer leading 1s."""
    for more in (1, 2, 3, -1, -2, -3):
        made = copy.deepcopy(desc)
        for path in TABLE[p.name]:
            for tensor in made[path] if isinstance(made.get(path), list) else [made[path]] if made.get(path) else []:
                tensor["Sizes"] = [1] * more + tensor["Sizes"][max(0, -more) :]
        if "Axis" in made:
            made["Axis"] += more
        if "Repeats" in made:
            made["Repeats"] = [1] * more + made["Repeats"][max(0, -more) :]
            made.pop("RepeatsCount", None)
        made.pop("OutputTensor", None)
        yield made
        if (fitting := _fitting_output(made, p)) is not None:
            yield {**made, "OutputTensor": fitting}


def _tensors(tensor: Json, desc: Json, p: Problem) -> Iterator[Json]:
    plain = {"DataType": tensor["DataType"], "Sizes": tensor["Sizes"]}
    if plain != tensor:
        yield plain
    others = [t for f in TABLE[p.name] for t in (desc[f] if isinstance(desc.get(f), list) else [desc.get(f)]) if t]
    for kind in sorted({t["DataType"] for t in others} | {"FLOAT32", "UINT32"}):
        if kind != tensor["DataType"]:
            yield {**plain, "DataType": kind}
    sizes_ = tensor["Sizes"]
    near = {n for t in others for n in t["Sizes"] if 0 < n < 2**16} | {1}
    near |= {a + b for a in near for b in near} | {abs(a - b) for a in near for b in near if a != b}
    for d in range(len(sizes_)):
        for value in sorted(near, key=lambda n: abs(n - sizes_[d])):
            yield {**plain, "Sizes": [*sizes_[:d], value, *sizes_[d + 1 :]]}
    while len(sizes_) > 1 and sizes_[0] == 1:
        sizes_ = sizes_[1:]
        yield {**plain, "Sizes": sizes_}
    for more in range(1, 4):
        yield {**plain, "Sizes": [1] * more + tensor["Sizes"]}


def _fitting_output(desc: Json, p: Problem) -> Json | None:
    """The output that the other fields make; None where they make none."""
    if p.name == "SPLIT":
        return None
    made = copy.copy(p)
    made.desc = desc
    try:
        first = made.inputs()[0][1]
        sizes_ = first["Sizes"]
        axis = desc.get("Axis", 0)
        if p.name == "JOIN":
            sizes_ = [*sizes_[:axis], sum(t["Sizes"][axis] for t in desc["InputTensors"]), *sizes_[axis + 1 :]]
        elif p.name == "TILE":
            sizes_ = [n * r for n, r in zip(sizes_, desc["Repeats"], strict=True)]
        elif p.name == "GATHER":
            sizes_ = made.gathered_sizes()
        return {"DataType": first["DataType"], "Sizes": sizes_}
    except (IndexError, ValueError):
        return None


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
}


def answer(question: Json) -> Any:
    """The answer to a question, as a line holds it."""
    return SOLVERS[question["kind"]](question, Problem(question["experiment"], question["windows"]))
