"""Random pairs of chains, one made of the other by rewriting or by one change, and what all their elements say.

    PYTHONPATH=src:tests .venv/bin/python -m support.random_pairs 3000 7

holds the verdicts about so many, from seed 7, against every element's source, and prints which are wrong.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.equality.deciding import Answer, Verdict, same
from dmlviz.errors import DmlvizError
from dmlviz.session.chains import Chain
from dmlviz.session.wiring import fault
from support.random_chains import random_chain

Experiments = list[dml.Experiment]
REDRAWN = 12
"""Times that index values are drawn anew for maps that are said to be the same for all of them."""


def tensor(sizes: Any) -> dml.TensorDesc:
    return dml.TensorDesc("UINT32", tuple(sizes))


def experiment(name: str, desc: Desc, values: dict[str, Any]) -> dml.Experiment:
    return dml.Experiment(name, desc, "5_1", values)  # type: ignore[arg-type]


def drawn_pair(made: random.Random, *, changed: bool, most: int = 5) -> tuple[dml.Session, str, str, int]:
    """A session, the names of two of its experiments, and which output of both: a chain and what was made of it.

    Both read the same inputs, which copies of these give them. One in two, where that can be, is `changed` once.
    """
    while True:
        own = random_chain(made, most).experiments
        roots: Experiments = []
        chain: Experiments = []
        for one in own:
            values = dict(one.values)
            for part in one.desc.inputs:
                if not isinstance(values[part.path], Wired):
                    name = f"r{len(roots)}"
                    copy = dml.Tile(part.tensor, (1,) * part.tensor.dimension_count)
                    roots.append(experiment(name, copy, {"InputTensor": values[part.path]}))
                    values[part.path] = Wired(name, "")
            chain.append(replace(one, values=values))
        names = {one.name: f"b{one.name}" for one in chain}
        end = max(dml.Session((*roots, *chain)).experiments, key=lambda one: len(one.stages)).name
        other = [replace(one, name=names[one.name], values=_renamed(one, names)) for one in chain]
        for _ in range(made.randint(0 if changed else 1, 3)):
            other = _rewritten(made, other)
        output = made.randrange(len(next(one for one in own if one.name == end).desc.outputs))
        session = dml.Session((*roots, *chain, *other))
        if not changed:
            return session, end, names[end], output
        for _ in range(60):
            after = _changed(made, other)
            session = dml.Session((*roots, *chain, *after))
            last = next(one for one in session.experiments if one.name == names[end])
            if fault(last) or output >= len(last.desc.outputs):
                continue
            left, right = session.chain(end), session.chain(names[end])
            if shape(left, output) == shape(right, output) and first_difference(left, right, output) is not None:
                return session, end, names[end], output


def shape(chain: Chain, output: int) -> tuple[int, ...]:
    return chain.outputs[output].tensor.sizes


def _renamed(one: dml.Experiment, names: dict[str, str]) -> dict[str, Any]:
    return {
        path: Wired(names.get(entry.name, entry.name), entry.output) if isinstance(entry, Wired) else entry
        for path, entry in one.values.items()
    }


def _rewritten(made: random.Random, chain: Experiments) -> Experiments:
    """The same map with something on one wire that changes nothing."""
    places = [(i, part) for i, one in enumerate(chain) for part in one.desc.inputs]
    i, part = made.choice(places)
    reader, wire = chain[i], chain[i].values[part.path]
    sizes = part.tensor.sizes
    axis = made.randrange(len(sizes))
    base = f"{reader.name}.{len(chain)}"
    n = sizes[axis]
    whole, ones = tensor(sizes), (1,) * len(sizes)

    def along(count: int) -> tuple[int, ...]:
        return (*sizes[:axis], count, *sizes[axis + 1 :])

    def listed(of: tuple[int, ...], numbers: Any) -> Listed:
        return Listed(tuple(int(x) for x in np.ravel(numbers)), of)

    def then(number: int, desc: Desc, **values: Any) -> dml.Experiment:
        return experiment(f"{base}.{number}", desc, {"InputTensor": wire if number == 0 else before(0), **values})

    def before(output: int) -> Wired:
        return Wired(f"{base}.0", f"OutputTensors[{output}]" if output or kind == "split" else "")

    kind = made.choice(["split", "reverse", "tile", "gather", "elements", "pad", "sizes", "slice"])
    if kind == "split":
        cuts = sorted(made.sample(range(1, n), made.randint(0, min(2, n - 1))))
        counts = np.diff([0, *cuts, n]).tolist()
        parts = tuple(tensor(along(count)) for count in counts)
        back = {f"InputTensors[{k}]": before(k) for k in range(len(parts))}
        new = [then(0, dml.Split(whole, parts, axis)), experiment(f"{base}.1", dml.Join(parts, axis), back)]
    elif kind == "reverse":
        lengths = listed(along(1), [made.randint(0, n + 1) for _ in range(int(np.prod(along(1))))])
        desc = dml.ReverseSubsequences(whole, tensor(along(1)), axis)
        new = [then(k, desc, SequenceLengthsTensor=lengths) for k in range(2)]
    elif kind == "tile":
        times = made.randint(1, 2)
        large = tensor(along(n * times))
        offsets = tuple(n * (times - 1) * (d == axis) for d in range(len(sizes)))
        repeats = tuple(times if d == axis else 1 for d in range(len(sizes)))
        new = [then(0, dml.Tile(whole, repeats)), then(1, dml.Slice1(large, offsets, sizes, ones))]
    elif kind == "gather":
        index = tensor((*ones[:-1], n))
        order = made.sample(range(n), n)
        turned = [order.index(k) for k in range(n)]
        picked = dml.Gather(whole, index, axis, 1)
        new = [then(k, picked, IndicesTensor=listed(index.sizes, cells)) for k, cells in enumerate((order, turned))]
    elif kind == "elements":
        cells = listed(sizes, np.indices(sizes)[axis])
        new = [then(0, dml.GatherElements(whole, whole, axis), IndicesTensor=cells)]
    elif kind == "pad":
        mode = made.choice(("CONSTANT", "EDGE", "SYMMETRIC"))
        before_, behind = (tuple(made.randint(0, 1) for _ in sizes) for _ in range(2))
        padded = dml.Padding(whole, mode, 5, before_, behind)
        assert padded.output_tensor is not None
        new = [then(0, padded), then(1, dml.Slice1(padded.output_tensor, before_, sizes, ones))]
    elif kind == "sizes":
        count = int(np.prod(sizes))
        first = made.choice([k for k in range(1, count + 1) if count % k == 0])
        if isinstance(wire, Listed):
            wire = Listed(wire.items, (first, count // first))
        new = [then(0, dml.Tile(tensor((first, count // first)), (1, 1)))]
    else:
        strides = tuple(-1 if d == axis else 1 for d in range(len(sizes)))
        flipped = dml.Slice1(whole, (0,) * len(sizes), sizes, strides)
        new = [then(k, flipped) for k in range(2)]
    values = {**reader.values, part.path: Wired(new[-1].name, "")}
    return [*chain[:i], *new, replace(reader, values=values), *chain[i + 1 :]]


def _changed(made: random.Random, chain: Experiments) -> Experiments:
    """The chain with one number, one wire or one choice changed; the result may be invalid."""
    i = made.randrange(len(chain))
    one = chain[i]
    values: dict[str, Any] = dict(one.values)
    lists = [path for path, entry in values.items() if isinstance(entry, Listed)]
    wired = [path for path, entry in values.items() if isinstance(entry, Wired)]
    kind = made.choice(["list"] * 2 * bool(lists) + ["wire"] * bool(wired) + ["swap"] * (len(wired) > 1) + ["field"])
    if kind == "list":
        path = made.choice(lists)
        items = list(values[path].items)
        items[made.randrange(len(items))] = made.randint(0, 4)
        values[path] = Listed(tuple(items), values[path].shape)
    elif kind == "swap":
        a, b = made.sample(wired, 2)
        values[a], values[b] = values[b], values[a]
    elif kind == "wire":
        path = made.choice(wired)
        values[path] = Wired(values[path].name, f"OutputTensors[{made.randrange(3)}]")
    else:
        numbers = {**one.desc.attributes}
        if not numbers:
            return chain
        name = made.choice(list(numbers))
        held = numbers[name]
        try:
            if isinstance(held, str):
                now: Any = made.choice(("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC"))
            elif isinstance(held, tuple):
                now = made.sample(held, len(held)) if made.random() < 0.5 else [-x if x else 1 for x in held]
            else:
                now = held + made.choice((-1, 1))
            return [*chain[:i], replace(one, desc=one.desc.replace({name: now})), *chain[i + 1 :]]
        except DmlvizError:
            return chain
    return [*chain[:i], replace(one, values=values), *chain[i + 1 :]]


# ---- brute force


def sources(chain: Chain, output: int) -> list[tuple[Any, ...]]:
    """Of every element of an output, which element of which experiment's input it is, or which constant."""
    flat = np.arange(chain.outputs[output].tensor.element_count, dtype=np.int64)
    roots, flats, _ = chain.addresses(len(chain.stages) - 1, output, flat)
    held = chain.traces[-1].reference(output).reshape(-1).tolist()
    names = [(chain.stages[root.stage].name, root.part.path) for root in chain.inputs]
    rows = zip(roots.tolist(), flats.tolist(), held, strict=True)
    return [(*names[root], at) if root >= 0 else ("constant", value) for root, at, value in rows]


def first_difference(left: Chain, right: Chain, output: int) -> int | None:
    one, other = sources(left, output), sources(right, output)
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), None)


def redrawn(made: random.Random, session: dml.Session) -> dml.Session:
    """The session with other values in what both chains read."""
    now = []
    for one in session.experiments:
        if one.name.startswith("r"):
            entry = one.values["InputTensor"]
            assert isinstance(entry, Listed)
            items = tuple(made.choice((0, 0, 1, 1, 2, 3, 9)) for _ in entry.items)
            one = replace(one, values={"InputTensor": Listed(items, entry.shape)})
        now.append(one)
    return dml.Session(tuple(now))


def wrong(made: random.Random, pair: tuple[dml.Session, str, str, int]) -> tuple[Verdict, str]:
    """The verdict about a pair, and what is wrong with it; "" if nothing is."""
    session, a, b, output = pair
    left, right = session.chain(a), session.chain(b)
    verdict = same(left, right, output, output)
    first = first_difference(left, right, output)
    if verdict.answer is Answer.NOT_DECIDED:
        return verdict, ""
    if bool(verdict) != (first is None):
        return verdict, f"said {verdict.sentence}, but first is {first}"
    if verdict.first != first:
        return verdict, f"first is {verdict.first}, expected {first}"
    held = np.array_equal(left.traces[-1].reference(output), right.traces[-1].reference(output))
    if first is not None and held != (verdict.answer is Answer.ON_THIS_DATA):
        return verdict, f"values are {'equal' if held else 'different'}: {verdict.sentence}"
    if verdict.answer is Answer.FOR_ALL:
        for _ in range(REDRAWN):
            again = redrawn(made, session)
            if first_difference(again.chain(a), again.chain(b), output) is not None:
                return verdict, "not for all values"
    return verdict, ""


def main(count: int, seed: int) -> int:
    answers: Counter[str] = Counter()
    failing, longest = [], 0.0
    for n in range(count):
        made = random.Random(f"{seed}.{n}")
        pair = drawn_pair(made, changed=n % 2 == 1)
        begun = time.process_time()
        verdict = same(pair[0].chain(pair[1]), pair[0].chain(pair[2]), pair[3], pair[3])
        longest = max(longest, time.process_time() - begun)
        _, found = wrong(made, pair)
        answers[f"{'changed' if n % 2 else 'equal'}: {verdict.answer.name}"] += 1
        if found:
            failing.append((n, found))
    print(f"{count} pairs, {len(failing)} wrong, {longest:.3f} s at most", dict(answers), *failing[:20], sep="\n")
    return len(failing)


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
