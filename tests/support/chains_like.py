"""Small chains from random numbers, each of a family that shows one of the wrong rules about chains."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dmlviz.desc.base import Desc
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.operators.gather import Gather
from dmlviz.operators.join import Join
from dmlviz.operators.reverse_subsequences import ReverseSubsequences
from dmlviz.operators.split import Split
from dmlviz.operators.tile import Tile
from dmlviz.session.experiments import Experiment, Session

TRIES = 60
"""Chains that are made of one request."""


class _Row:
    """Experiments along one axis of {1, n}, each reading what stands before it."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.stages: list[Experiment] = []

    def _add(self, name: str, desc: Desc, **values: Any) -> str:
        self.stages.append(Experiment(name, desc, values={k: v for k, v in values.items() if v is not None}))
        return name

    def _indices(self, numbers: Sequence[int]) -> tuple[TensorDesc, Listed]:
        return TensorDesc(DataType.UINT32, (1, len(numbers))), Listed((*numbers,), (1, len(numbers)))

    def gather(self, name: str, size: int, numbers: Sequence[int], wire: Wired | None = None) -> Wired:
        tensor, listed = self._indices(numbers)
        desc = Gather(_tensor(size), tensor, axis=1, index_dimensions=1)
        return Wired(self._add(name, desc, InputTensor=wire, IndicesTensor=listed))

    def reverse(self, name: str, size: int, length: int, wire: Wired | None = None) -> Wired:
        lengths = TensorDesc(DataType.UINT32, (1, 1))
        desc = ReverseSubsequences(_tensor(size), lengths, axis=1)
        return Wired(self._add(name, desc, InputTensor=wire, SequenceLengthsTensor=Listed((length,), (1, 1))))

    def split(self, name: str, sizes: Sequence[int], wire: Wired | None = None) -> list[Wired]:
        desc = Split(_tensor(sum(sizes)), [_tensor(n) for n in sizes], axis=1)
        self._add(name, desc, InputTensor=wire)
        return [Wired(name, f"OutputTensors[{k}]") for k in range(len(sizes))]

    def join(self, name: str, sizes: Sequence[int], wires: Sequence[Wired | None]) -> Wired:
        desc = Join([_tensor(n) for n in sizes], axis=1)
        return Wired(self._add(name, desc, **{f"InputTensors[{k}]": wire for k, wire in enumerate(wires)}))

    def tile(self, name: str, size: int, wire: Wired | None = None) -> Wired:
        return Wired(self._add(name, Tile(_tensor(size), [1, 2]), InputTensor=wire))


def _tensor(size: int) -> TensorDesc:
    return TensorDesc(DataType.FLOAT32, (1, size))


def _turned(row: _Row) -> tuple[Wired, int]:
    """Q1: two that don't change places."""
    size = row.dice.randint(5, 7)
    first = row.reverse("turned", size, row.dice.randint(2, size - 1))
    return row.gather("moved", size, [(k + row.dice.choice((1, 2))) % size for k in range(size)], first), size


def _picked(row: _Row) -> tuple[Wired, int]:
    """Q2: a GATHER of a GATHER."""
    size = row.dice.randint(5, 7)
    count = row.dice.randint(3, 4)
    first = row.gather("picked", size, row.dice.sample(range(size), count + 1))
    return row.gather("again", count + 1, [row.dice.randrange(count + 1) for _ in range(count)], first), count


def _repeated(row: _Row) -> tuple[Wired, int]:
    """Q3: TILE of a JOIN of two parts."""
    sizes = [row.dice.randint(1, 3), row.dice.randint(2, 3)]
    parts = row.split("parts", sizes)
    joined = row.join("joined", sizes[::-1], parts[::-1])
    return row.tile("twice", sum(sizes), joined), 2 * sum(sizes)


def _reversed(row: _Row) -> tuple[Wired, int]:
    """Q4: SPLIT of a reversed tensor."""
    sizes = [row.dice.randint(2, 4) for _ in range(row.dice.randint(2, 3))]
    size = sum(sizes)
    parts = row.split("parts", sizes, row.reverse("turned", size, size - row.dice.randint(0, 1)))
    k = row.dice.randrange(len(sizes))
    return parts[k], sizes[k]


def _parted(row: _Row) -> tuple[Wired, int]:
    """Q5: a JOIN of a SPLIT's parts, in another order than theirs; one of three may be left out."""
    sizes = [row.dice.randint(2, 3) for _ in range(row.dice.randint(2, 3))]
    order = list(range(len(sizes)))
    while order == sorted(order):
        row.dice.shuffle(order)
    if len(order) == 3 and row.dice.random() < 0.7:
        order = order[:2] if order[:2] != [0, 1] else order[1:]
    parts = row.split("parts", sizes)
    chosen = [sizes[k] for k in order]
    return row.join("joined", chosen, [parts[k] for k in order]), sum(chosen)


def _both_turned(row: _Row) -> tuple[Wired, int]:
    """Of no rule: two rotations, which may change places."""
    size = row.dice.randint(4, 6)
    one, other = row.dice.sample(range(1, size), 2)
    first = row.gather("turned", size, [(k + one) % size for k in range(size)])
    return row.gather("again", size, [(k + other) % size for k in range(size)], first), size


FAMILIES: Mapping[str, Callable[[_Row], tuple[Wired, int]]] = {
    "Q1": _turned,
    "Q2": _picked,
    "Q3": _repeated,
    "Q4": _reversed,
    "Q5": _parted,
    "": _both_turned,
}


def chains_like(wanted: Sequence[str], dice: random.Random) -> Iterator[Experiment]:
    """Ends of small chains of two to four stages, of the families of the wanted rules; of all where none is wanted."""
    families = [FAMILIES[rule] for rule in wanted if rule in FAMILIES] or list(FAMILIES.values())
    for _ in range(TRIES):
        row = _Row(dice)
        end, size = dice.choice(families)(row)
        more = dice.randrange(4)
        if more == 1 and size <= 5:
            row.tile("doubled", size, end)
        elif more == 2 and size >= 3:
            row.gather("chosen", size, sorted(dice.sample(range(size), size - 1), reverse=True), end)
        elif more == 3 and size >= 2 and row.stages[-1].name != "parts":
            row.split("cut", [1, size - 1], end)
        elif row.stages[-1].name == "parts":
            row.tile("doubled", size, end)
        yield Session(tuple(row.stages)).experiments[-1]
