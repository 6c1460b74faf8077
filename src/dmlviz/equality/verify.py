# fmt: off
# ruff: noqa: B023, B905, E401, E731, I001
"""Checks a certificate of `dmlviz same`: python verify.py CERTIFICATE FILE. Nothing of dmlviz is used, and no library.
Each piece of the certificate is followed through both chains of FILE by what the operators mean, and every entry of its
tables held against what comes out. Pieces are all elements, for all index values, as each cut deals out all positions
once. A table is (the factors that it depends on, the last first; its row-major cells)."""
import json, math, operator, sys
from itertools import accumulate, chain
from typing import Any
INPUTS, WINDOW = ["InputTensors", "InputTensor", "IndicesTensor", "SequenceLengthsTensor"], "InputWindow"
MODES, ZERO, MOST = ["CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC"], ((), [0]), 1 << 23
def need(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(what)
def by_path(held: Any) -> dict[str, Any]:
    many = {f"InputTensors[{k}]": one for k, one in enumerate(held.get("InputTensors") or [])}
    return many | {name: held[name] for name in INPUTS[1:] if name in held}
class Stage:
    """An experiment: its operator, what its inputs are and are filled with by path, and its outputs' sizes."""
    def __init__(self, tree: Any) -> None:
        self.name, self.kind, d = tree["name"], tree["type"].removeprefix("DML_OPERATOR_"), tree["desc"]
        self.d, self.inputs, self.entries = d, by_path(d), by_path(tree.get("values", {}))
        self.wires = {path: one for path, one in self.entries.items() if isinstance(one, dict) and "from" in one}
        need(all(set(one) == {"DataType", "Sizes"} for one in self.inputs.values()), f"{self.name} has strides or more")
        sizes: Any = [one["Sizes"] for one in self.inputs.values()]
        s, i, x, n = sizes[0], sizes[-1], d.get("Axis", 0), d.get("IndexDimensions", 0)
        full, self.sizes, self.axis, self.n = [*s[:x], *i[len(i) - n :], *s[x + 1 :]], s, x, s[x]
        made: dict[str, Any] = {
            "JOIN": lambda: [*s[:x], sum(one[x] for one in sizes), *s[x + 1 :]],
            "GATHER": lambda: full[n - 1 :] if n else [1, *full],
            "TILE": lambda: list(map(operator.mul, s, d["Repeats"])),
            "SLICE": lambda: [1 + (a - 1) // abs(b) for a, b in zip(d[f"{WINDOW}Sizes"], d[f"{WINDOW}Strides"])],
            "PADDING": lambda: list(map(sum, zip(d["StartPadding"], s, d["EndPadding"]))),
            "REVERSE_SUBSEQUENCES": lambda: s, "GATHER_ELEMENTS": lambda: i, "SPLIT": lambda: None}
        need(self.kind.rstrip("1") in made, f"{self.kind} is not known here")
        given = [one["Sizes"] for one in d.get("OutputTensors") or [d.get("OutputTensor")] if one]
        self.outputs = given or [made[self.kind.rstrip("1")]()]
    def value(self, path: str, flat: int) -> Any:
        entry = self.entries.get(path)
        while isinstance(entry, list) and isinstance(entry[0], list):
            entry = list(chain.from_iterable(entry))
        if entry is None:
            return {INPUTS[2]: flat % self.n, INPUTS[3]: self.n}.get(path, flat + 1)
        by = entry if isinstance(entry, dict) else {"value": entry[flat], "fill": "constant"}
        number = by.get("value", by.get("start", 0) + flat * by.get("step", 1))
        low = -(2**31) * ("UINT" not in self.inputs[path]["DataType"])
        is_read = by.get("fill") in ("iota", "constant") and type(number) is int and low <= number < 2**32 + low
        need(is_read, f"{path} of {self.name} is filled by what is not read here")
        return number
class Piece:
    """A product of factors: their lengths; by axis, and by -1 - variable, the factor and its positions."""
    def __init__(self, lengths: list[int], columns: dict[int, Any], variables: list[Any]) -> None:
        self.lengths, self.columns, self.variables = lengths, columns, variables
    def each(self, how: Any, *tables: Any) -> Any:
        """The table of what `how` makes of the cells of others; one cell where that is the same everywhere."""
        factors, spread = sorted({j for table in tables for j in table[0]}, reverse=True), []
        need(0 < math.prod(self.lengths[j] for j in factors) <= MOST, "a table is too large to be checked here")
        for over, cells in tables:
            need(len(cells) == math.prod(self.lengths[j] for j in over), "a table has more or fewer cells")
            at, steps = [0], {j: math.prod(self.lengths[k] for k in over if k < j) for j in over}
            for j in factors if list(over) != factors else ():
                at = [i + k * steps.get(j, 0) for i in at for k in range(self.lengths[j])]
            spread.append([cells[i] for i in at] if list(over) != factors else cells)
        made = list(map(how, *spread))
        return (tuple(factors), made) if made != made[:1] * len(made) else ((), made[:1])
    def only(self, how: Any, table: Any) -> Any:
        need(len(made := self.each(how, table)[1]) == 1, "a piece comes from several inputs")
        return made[0]
    def equal(self, left: Any, right: Any) -> bool:
        return len(left) == len(right) and all(all(self.each(operator.eq, a, b)[1]) for a, b in zip(left, right))
    def cut(self, js: list[int], where: list[int]) -> Any:
        """Some positions of factors, the first of which then stands for all."""
        at, lengths, rest, held = dict[int, Any](), list(self.lengths), where, self.columns.items()
        for j in js:
            at[j], rest = [p % self.lengths[j] for p in rest], [p // self.lengths[j] for p in rest]
            lengths[j] = len(where) if j == js[0] else 1
        taken = {key: ((js[0],), [c[p] for p in at[j]]) if j in at else ((j,), c) for key, ((j,), c) in held}
        return Piece(lengths, taken, list(self.variables))
class Chain:
    """An experiment and all that it reads, each behind that; how elements are followed to the inputs."""
    def __init__(self, trees: Any, end: Any, values: str) -> None:
        self.trees, self.end, self.these = trees, end, {"for all": False, "for these": True}[values]
        self.stages, self.roots, self.names = dict[str, Stage](), list[Any](), dict[Any, Any]()
        self.add(end[0])
    def add(self, name: str) -> None:
        found = [Stage(tree) for tree in self.trees if tree["name"] == name and name not in self.stages]
        need(len(found) == 1 or name in self.stages, f"{len(found)} experiments are called {name}")
        for stage in found:
            for wire in stage.wires.values():
                self.add(wire["from"])
            self.stages[name] = stage
            self.roots += [(name, path) for path in stage.inputs if path not in stage.wires]
    def source(self, stage: Stage, path: str, at: Any, piece: Piece) -> Any:
        """Where elements of an input come from: (an input that no wire fills, tables), or (None, a constant)."""
        sizes = stage.inputs[path]["Sizes"]
        need(all(0 <= c < n for (_, t), n in zip(at, sizes, strict=True) for c in t), f"outside {path} of {stage.name}")
        if path not in stage.wires:
            return (stage.name, path), at
        other, number = self.stages[stage.wires[path]["from"]], stage.wires[path].get("output", "")[14:-1] or 0
        there, now = other.outputs[int(number)], at
        if there != sizes:  # the same memory: axes between equal products of sizes are one
            a, b = ([1, *accumulate(each, operator.mul)] for each in (sizes, there))
            now, both = [], {*a} & {*b}
            for j, size in enumerate(there):
                low, high = max(c for c in both if c <= b[j]), min(c for c in both if c >= b[j + 1])
                axes = [i for i in range(len(sizes)) if low <= a[i] and a[i + 1] <= high]
                steps, by, own = [high // a[i + 1] for i in axes], high // b[j + 1], [at[i] for i in axes]
                now.append(piece.each(lambda _, *c: sum(map(operator.mul, c, steps)) // by % size, ZERO, *own))
        return self.follow(other, int(number), now, piece)
    def index(self, stage: Stage, path: str, at: Any, n: int, piece: Piece) -> Any:
        """The indices or lengths that send elements, clamped to 0 .. n - 1: their values, or the variable's."""
        clamp: Any = lambda number: min(max(number + n * (number < 0), 0), n - 1)
        root, tables = self.source(stage, path, at, piece)
        if root is None:
            return (), [clamp(max(int(float(tables[1])), -n * ("UINT" not in tables[2])))]
        if self.these:
            own, sizes = self.stages[root[0]], self.stages[root[0]].inputs[root[1]]["Sizes"]
            steps = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
            return piece.each(lambda *c: clamp(own.value(root[1], sum(map(operator.mul, c, steps)))), *tables)
        for number, (name, size, rows) in enumerate(piece.variables):
            cells = [piece.each(lambda _, *p: row.get(p), ZERO, *map(piece.columns.get, keys)) for keys, row in rows]
            if (name, size) == (self.names[root], n) and piece.equal(cells, tables):
                return piece.columns[-1 - number]
        raise ValueError("an index is none of the certificate's variables")
    def follow(self, stage: Stage, output: int, at: Any, piece: Piece) -> Any:
        d, x, n, kind, path, each, at = stage.d, stage.axis, stage.n, stage.kind, "InputTensor", piece.each, list(at)
        if kind == "JOIN":
            starts = [0, *accumulate(one["Sizes"][x] for one in stage.inputs.values())]
            k = piece.only(lambda c: sum(c >= start for start in starts) - 1, at[x])
            path, at[x] = f"InputTensors[{k}]", each(lambda c: c - starts[k], at[x])
        elif kind == "SPLIT":
            at[x] = each(lambda c: c + sum(one["Sizes"][x] for one in d["OutputTensors"][:output]), at[x])
        elif kind == "TILE":
            at = [each(lambda c: c % size, table) for table, size in zip(at, stage.sizes)]
        elif kind == "REVERSE_SUBSEQUENCES":
            length = self.index(stage, INPUTS[3], [*at[:x], ZERO, *at[x + 1 :]], n + 1, piece)
            at[x] = each(lambda c, many: many - 1 - c if c < many else c, at[x], length)
        elif kind == "GATHER":
            many = d["IndexDimensions"]
            full = [ZERO] * (many - 1) + at if many else at[1:]
            cell = [*[ZERO] * (len(stage.inputs[INPUTS[2]]["Sizes"]) - many), *full[x : x + many]]
            at = [*full[:x], self.index(stage, INPUTS[2], cell, n, piece), *full[x + many :]]
        elif kind == "GATHER_ELEMENTS":
            at[x] = self.index(stage, INPUTS[2], at, n, piece)
        elif kind == "SLICE1":
            rows = zip(at, *(d[f"{WINDOW}{name}"] for name in ("Offsets", "Sizes", "Strides")))
            at = [each(lambda c: start + (size - 1) * (by < 0) + by * c, table) for table, start, size, by in rows]
        else:
            mode = MODES.index(d["PaddingMode"].split("MODE_")[-1])
            for j, (start, size) in enumerate(zip(d["StartPadding"], stage.sizes)):
                if mode == 0 and piece.only(lambda c: not 0 <= c - start < size, at[j]):
                    return None, (kind, repr(d["PaddingValue"]), stage.inputs[path]["DataType"])
                turn = (2 * size - 2 * (mode == 2)) * (mode > 1 and size > 1)
                at[j] = each(lambda c: min(max(c - start, 0), size - 1) if not turn else
                             min((c - start) % turn, turn - (mode == 3) - (c - start) % turn), at[j])
        return self.source(stage, path, at, piece)
def verify(certificate: Any, session: Any) -> None:
    """Raises ValueError with what is wrong with a certificate about a session."""
    left, right = (Chain(session["experiments"], one, certificate["values"]) for one in certificate["outputs"])
    looks = dict[Any, tuple[list[Any], list[Any]]]()
    for side, (one, other) in enumerate(((left, right), (right, left))):
        for root in one.roots:
            stage, path = one.stages[root[0]], root[1]
            look = json.dumps([stage.inputs[path], stage.entries.get(path), path in INPUTS[2:] and stage.n])
            looks.setdefault(root if root in other.roots else look, ([], []))[side].append(root)
    for ours, theirs in looks.values():  # the same in their order, or one where one chain has more
        is_one = ours and theirs and len(ours) != len(theirs)
        for one, roots in ((left, ours), (right, theirs)):
            one.names |= {root: [*(ours or theirs)[0 if is_one else k], int(not ours)] for k, root in enumerate(roots)}
    sizes, others = (one.stages[one.end[0]].outputs[one.end[1]] for one in (left, right))
    need(sizes == others and 0 < min(sizes) <= max(sizes) <= MOST, "the outputs' sizes differ, or are too large")
    columns = {d: ((len(sizes) - 1 - d,), list(range(n))) for d, n in enumerate(sizes)}
    stack = [(certificate["tree"], Piece(sizes[::-1], columns, []))]
    while stack:
        node, piece = stack.pop()
        for new in node.get("variables", ()):
            rows = [(keys, {tuple(at): cell for *at, cell in listed}) for keys, listed in new["cells"]]
            need(0 < new["size"] <= MOST and all(piece.columns.keys() >= {*k} for k, _ in rows), "a variable is none")
            piece.columns[-1 - len(piece.variables)] = (len(piece.lengths),), list(range(new["size"]))
            piece.lengths.append(new["size"])
            piece.variables.append((new["input"], new["size"], rows))
        if "cut" in node:
            cut, parts, then = node["cut"], node["parts"], node["then"]
            count = math.prod(piece.lengths[j] for j in cut) if {*cut} <= {*range(len(piece.lengths))} else 0
            is_cut = len({*cut}) == len(cut) and len(parts) == len(then) and sum(map(len, parts)) == count
            need(is_cut and sorted(chain.from_iterable(parts)) == list(range(count)), "a cut leaves something out")
            stack += [(one, piece.cut(cut, part)) for one, part in zip(then, parts)]
            continue
        at = [piece.columns[d] for d in range(len(sizes))]
        found = [one.follow(one.stages[one.end[0]], one.end[1], at, piece) for one in (left, right)]
        names = [root and one.names[root] for one, (root, _) in zip((left, right), found)]
        need(names[0] == names[1] == node["input"], "elements come from another input")
        is_same = all(piece.equal(one, node["tables"]) for _, one in found) if names[0] else found[0] == found[1]
        need(is_same, "elements come from elsewhere")
if __name__ == "__main__":
    try:
        verify(*(json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3]))  # noqa: SIM115
        print("the same map")
    except Exception as error:
        sys.exit(f"refused: {error}")
