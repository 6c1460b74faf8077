"""Every chain of few operators over one tensor, within a level's limits: what it makes, and the fewest numbers for it.

Nothing here asks dmlviz what an operator means: tensors are plain tuples, and each operator is written down once more.
By hand it lists what needs so many operators: `PYTHONPATH=src:tests python -m support.chain_search 2,3 TILE,SPLIT`.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Sizes = tuple[int, ...]
Numbers = tuple[tuple[Any, ...], ...]
"""What is written in an operator: what it reads, then its fields, each a row of numbers."""


class Tensor(NamedTuple):
    sizes: Sizes
    items: tuple[int, ...]


class Limits(NamedTuple):
    """How far chains are tried."""

    elements: int = 24
    """Of any tensor."""
    indices: int = 4
    """Of a GATHER."""
    inputs: int = 3
    """Of a JOIN."""


class Move(NamedTuple):
    """One operator as it is written, and what it makes."""

    operator: str
    numbers: Numbers
    outputs: tuple[Tensor, ...]
    cost: int
    """Numbers that are changed, put in or taken out, from the operator that copies what the stage before made."""


def whole(sizes: Sequence[int]) -> Tensor:
    """A tensor of so many elements, no two of them equal."""
    return Tensor(tuple(sizes), tuple(range(1, math.prod(sizes) + 1)))


def taken(tensor: Tensor, axis: int, places: Sequence[int]) -> Tensor:
    """The slices at `places` along an axis, in that order."""
    before, n, behind = math.prod(tensor.sizes[:axis]), tensor.sizes[axis], math.prod(tensor.sizes[axis + 1 :])
    items = tensor.items
    made = [items[(b * n + p) * behind + k] for b in range(before) for p in places for k in range(behind)]
    return Tensor((*tensor.sizes[:axis], len(places), *tensor.sizes[axis + 1 :]), tuple(made))


def joined(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """The tensors behind each other along an axis."""
    first, widths = tensors[0].sizes, [math.prod(t.sizes[axis:]) for t in tensors]
    made: list[int] = []
    for b in range(math.prod(first[:axis])):
        for t, width in zip(tensors, widths, strict=True):
            made += t.items[b * width : (b + 1) * width]
    return Tensor((*first[:axis], sum(t.sizes[axis] for t in tensors), *first[axis + 1 :]), tuple(made))


def reversed_by(tensor: Tensor, axis: int, lengths: Sequence[int]) -> Tensor:
    """The first elements along an axis turned round, as many as the lengths say; one for each row along it."""
    n, behind = tensor.sizes[axis], math.prod(tensor.sizes[axis + 1 :])
    made = list(tensor.items)
    for row, length in enumerate(lengths):
        b, k = divmod(row, behind)
        for at in range(length):
            made[(b * n + at) * behind + k] = tensor.items[(b * n + length - 1 - at) * behind + k]
    return Tensor(tensor.sizes, tuple(made))


def compositions(whole_: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as a sum, in order."""
    for cuts in itertools.product((False, True), repeat=whole_ - 1):
        at = [0, *(k + 1 for k, cut in enumerate(cuts) if cut), whole_]
        yield tuple(b - a for a, b in itertools.pairwise(at))


def distance(before: Sequence[Any], after: Sequence[Any]) -> int:
    """How many entries are changed, put in or taken out."""
    row = list(range(len(after) + 1))
    for i, one in enumerate(before, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(after, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (one != other))
    return row[-1]


def beginning(operator: str, tensor: Tensor, read: str, limits: Limits) -> Numbers:
    """What stands in an operator that was just added: it copies what it reads, as far as its limits go."""
    long = [d for d, n in enumerate(tensor.sizes) if n > 1]
    axis = long[-1] if long else len(tensor.sizes) - 1
    n = tensor.sizes[axis]
    rows: dict[str, Numbers] = {
        "JOIN": ((axis,),),
        "SPLIT": ((axis,), (n,)),
        "TILE": ((1,) * len(tensor.sizes),),
        "GATHER": ((axis,), tuple(range(min(n, limits.indices)))),
        "REVERSE_SUBSEQUENCES": ((axis,), (1,) * (len(tensor.items) // n)),
    }
    return ((read,), *rows[operator])


def tried(operator: str, sources: Sequence[tuple[str, Tensor]], limits: Limits, wanted: Sizes = ()) -> Iterator[Any]:
    """(numbers, outputs) of an operator over any of the sources; with `wanted` what has an output of these sizes."""

    def fits(sizes: Sizes) -> bool:
        return math.prod(sizes) <= limits.elements and wanted in ((), sizes)

    def along(tensor: Tensor, axis: int, n: int) -> Sizes:
        return (*tensor.sizes[:axis], n, *tensor.sizes[axis + 1 :])

    if operator == "JOIN":
        for count in range(1, limits.inputs + 1):
            for some in itertools.product(sources, repeat=count):
                tensors = [tensor for _, tensor in some]
                for axis in range(len(tensors[0].sizes)):
                    same = {along(t, axis, 0) for t in tensors}
                    if len(same) == 1 and fits(along(tensors[0], axis, sum(t.sizes[axis] for t in tensors))):
                        yield (tuple(name for name, _ in some), (axis,)), (joined(tensors, axis),)
        return
    for name, tensor in sources:
        if operator == "TILE":
            for repeats in itertools.product(*(range(1, limits.elements // n + 1) for n in tensor.sizes)):
                if fits(tuple(n * r for n, r in zip(tensor.sizes, repeats, strict=True))):
                    made = tensor
                    for axis, r in enumerate(repeats):
                        made = taken(made, axis, [*range(tensor.sizes[axis])] * r)
                    yield ((name,), repeats), (made,)
            continue
        for axis, n in enumerate(tensor.sizes):
            if operator == "SPLIT":
                for parts in compositions(n):
                    if not wanted or any(fits(along(tensor, axis, part)) for part in parts):
                        starts = [0, *itertools.accumulate(parts)]
                        outputs = [taken(tensor, axis, range(a, b)) for a, b in itertools.pairwise(starts)]
                        yield ((name,), (axis,), parts), tuple(outputs)
            elif operator == "GATHER":
                for count in range(1, limits.indices + 1):
                    if fits(along(tensor, axis, count)):
                        for places in itertools.product(range(n), repeat=count):
                            yield ((name,), (axis,), places), (taken(tensor, axis, places),)
            elif fits(tensor.sizes):
                for lengths in itertools.product(range(1, n + 1), repeat=len(tensor.items) // n):
                    yield ((name,), (axis,), lengths), (reversed_by(tensor, axis, lengths),)


def moves(
    operators: Sequence[str], sources: Sequence[tuple[str, Tensor]], read: str, limits: Limits, wanted: Sizes = ()
) -> Iterator[Move]:
    """Every operator over the sources, of which `read` is what a new one reads."""
    tensor = dict(sources)[read]
    for operator in operators:
        before = beginning(operator, tensor, read, limits)
        for numbers, outputs in tried(operator, sources, limits, wanted):
            cost = sum(map(distance, before, numbers))
            yield Move(operator, numbers, outputs, cost)


def names_of(stage: int, outputs: Sequence[Tensor]) -> list[str]:
    """What the outputs of a stage, from 1, are called where they are read."""
    return [f"{stage}[{k}]" if len(outputs) > 1 else str(stage) for k in range(len(outputs))]


def first_stages(operators: Sequence[str], x: Tensor, limits: Limits) -> list[Move]:
    """What one operator makes of x, each once, with the fewest numbers."""
    least: dict[tuple[Tensor, ...], Move] = {}
    for move in moves(operators, [("x", x)], "x", limits):
        if move.outputs not in least or move.cost < least[move.outputs].cost:
            least[move.outputs] = move
    return list(least.values())


class Found(NamedTuple):
    """What a search came to."""

    operators: int
    """The fewest that make the goal."""
    numbers: int
    """The fewest numbers among those chains."""
    chains: tuple[tuple[Move, ...], ...]
    """One chain of so many numbers for each first stage that leads to it."""
    tried: int
    """Chains that could have been it, by sizes."""


def search(operators: Sequence[str], x: Tensor, goal: Tensor, limits: Limits) -> Found | None:
    """The chains of one operator, else of two, whose last output is the goal by the fewest numbers; None for none."""
    alone = [m for m in moves(operators, [("x", x)], "x", limits, goal.sizes) if goal in m.outputs]
    if alone:
        least = min(m.cost for m in alone)
        return Found(1, least, tuple((m,) for m in alone if m.cost == least), len(alone))
    found: list[tuple[Move, Move]] = []
    count = 0
    for one in first_stages(operators, x, limits):
        names = names_of(1, one.outputs)
        sources = [("x", x), *zip(names, one.outputs, strict=True)]
        for two in moves(operators, sources, names[0], limits, goal.sizes):
            count += 1
            if goal in two.outputs:
                found.append((one, two))
    if not found:
        return None
    least = min(one.cost + two.cost for one, two in found)
    return Found(2, least, tuple(c for c in found if c[0].cost + c[1].cost == least), count)


def made_by_two(operators: Sequence[str], x: Tensor, limits: Limits) -> dict[Tensor, tuple[int, tuple[Move, Move]]]:
    """What two operators make of x and one doesn't, with the fewest numbers."""
    by_one = {output for m in moves(operators, [("x", x)], "x", limits) for output in m.outputs} | {x}
    least: dict[Tensor, tuple[int, tuple[Move, Move]]] = {}
    for one in first_stages(operators, x, limits):
        names = names_of(1, one.outputs)
        sources = [("x", x), *zip(names, one.outputs, strict=True)]
        for two in moves(operators, sources, names[0], limits):
            for output in two.outputs:
                cost = one.cost + two.cost
                if output not in by_one and (output not in least or cost < least[output][0]):
                    least[output] = cost, (one, two)
    return least


def rows_text(tensor: Tensor) -> str:
    """A tensor's rows, `1 2 3 / 4 5 6`."""
    n = tensor.sizes[-1]
    return " / ".join(" ".join(map(str, tensor.items[k : k + n])) for k in range(0, len(tensor.items), n))


if __name__ == "__main__":
    start = whole([int(n) for n in sys.argv[1].split(",")])
    for made, (numbers, chain) in sorted(
        made_by_two(sys.argv[2].split(","), start, Limits()).items(), key=lambda pair: (pair[1][0], pair[0])
    ):
        print(numbers, rows_text(made), *((move.operator, move.numbers) for move in chain))
