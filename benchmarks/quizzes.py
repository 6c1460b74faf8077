"""How often a quiz of 18 questions names the wrong rule of students whom somebody else has written.

    python benchmarks/quizzes.py [--files 2] [--students 2] [--seed 1] [--operators GATHER,TILE] [--curve]

A file has 24 random descs of one operator. Students follow the sentences of wrong rules by NumPy code of their own, in
one of the ways that a sentence may be read; the catalogue's functions are not used. They apply their rule to a share κ
of the questions, answer the others rightly, and slip with probability 0.1: a number is another one, a choice any.
Those who are right throughout, who guess, and whose rule is missing from the catalogue are to be named by nobody.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise, zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dmlviz.session.reading import parse_experiment
from dmlviz.teaching.diagnosis.diagnosis import PRIORS, Diagnosis
from dmlviz.teaching.diagnosis.practice import Order
from dmlviz.teaching.kinds.lib.asking import kinds_named
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Answer, Subject

DESCS, QUESTIONS = 24, 18
KINDS = ("sizes", "cell", "pictures", "fill")
SLIP = 0.1
ALIKE = 0.4
"""Of a rule that is missing, another that answers so much alike is a twin: its sentence fits."""
SHOWN = 4
"""Descs of a file that have to show a rule: whoever holds one that shows in fewer is not asked."""
Ints = NDArray[np.int64]
Sizes = tuple[int, ...]
Outputs = list[Ints] | list[Sizes] | None
"""What somebody believes the outputs are, or their sizes alone; None where the rule says nothing."""


@dataclass(frozen=True)
class Problem:
    """A desc and its numbers, as a student sees them."""

    operator: str
    inputs: list[Ints]
    axis: int = 0
    parts: tuple[int, ...] = ()
    repeats: tuple[int, ...] = ()
    steer: Ints = field(default_factory=lambda: np.zeros((), np.int64))
    """Lengths or indices, with their leading 1s."""
    own: int = 0
    """IndexDimensions."""

    @property
    def first(self) -> Ints:
        return self.inputs[0]

    @cached_property
    def truth(self) -> list[Ints]:
        return right(self)


# ---- what is right, in NumPy's words


def right(p: Problem) -> list[Ints]:
    x, a = p.first, p.axis
    if p.operator == "JOIN":
        return [np.concatenate(p.inputs, a)]
    if p.operator == "SPLIT":
        return np.split(x, np.cumsum(p.parts)[:-1], a)
    if p.operator == "TILE":
        return [np.tile(x, p.repeats)]
    if p.operator == "REVERSE_SUBSEQUENCES":
        return [along(p, lambda k, length, n: np.where(k < min(length, n), min(length, n) - 1 - k, k))]
    return [gathered(p, a, counted(p))]


def along(p: Problem, rule: Callable[[Ints, int, int], Ints]) -> Ints:
    """Sequences along Axis by a rule of (places, length, n) that says where each element is from; -1 is a 0."""
    rows = np.moveaxis(p.first, p.axis, -1)
    lengths = np.moveaxis(p.steer, p.axis, -1)[..., 0]
    turned, n = np.zeros_like(rows), rows.shape[-1]
    for at in np.ndindex(lengths.shape):
        source = rule(np.arange(n), int(lengths[at]), n)
        turned[at] = np.where(source < 0, 0, rows[at][source % n])
    return np.moveaxis(turned, -1, p.axis)


def counted(p: Problem) -> Ints:
    """The indices in the sizes that IndexDimensions counts."""
    return p.steer.reshape(p.steer.shape[p.steer.ndim - p.own :])


def gathered(p: Problem, axis: int, index: Ints) -> Ints:
    """Slices along an axis, in as many sizes as InputTensor has, where leading 1s make that possible."""
    n = p.first.shape[axis]
    picked = np.take(p.first, np.clip(np.where(index < 0, index + n, index), 0, n - 1), axis)
    return fitted(picked, p.first.ndim)


def fitted(picked: Ints, count: int) -> Ints:
    sizes = picked.shape
    while len(sizes) > count and sizes[0] == 1:
        sizes = sizes[1:]
    return picked.reshape((1,) * (count - len(sizes)) + sizes)


# ---- wrong rules, from their sentences


def other_axis(change: Callable[[Problem], int]) -> Callable[[Problem], Outputs]:
    """What the operator does along another axis, where that can be done."""

    def outputs(p: Problem) -> Outputs:
        axis = change(p)
        if not 0 <= axis < p.first.ndim or axis == p.axis:
            return None
        n, m = p.first.shape[p.axis], p.first.shape[axis]
        if p.operator in ("SPLIT", "REVERSE_SUBSEQUENCES") and n != m:
            return None
        steer = p.steer
        if p.operator == "REVERSE_SUBSEQUENCES":
            sizes = list(p.first.shape)
            sizes[axis] = 1
            steer = steer.reshape(sizes)
        if p.operator == "JOIN":
            sizes = list(p.first.shape)
            sizes[axis] = sum(x.shape[axis] for x in p.inputs)
            if len({x.shape[:axis] + x.shape[axis + 1 :] for x in p.inputs}) > 1:
                return [tuple(sizes)]
        wrong = right(Problem(p.operator, p.inputs, axis, p.parts, p.repeats, steer, p.own))
        return wrong if all(x.ndim == p.first.ndim for x in wrong) else None

    return outputs


def leading_ones(p: Problem) -> int:
    return next((d for d, n in enumerate(p.first.shape) if n != 1), 0)


def from_the_other_end(p: Problem) -> Outputs:
    if p.operator == "TILE":
        return [np.tile(p.first, p.repeats[::-1])]
    return other_axis(lambda p: p.first.ndim - 1 - p.axis)(p)


def columns_first(p: Problem) -> Outputs:
    """The numbers of inputs are laid down the columns, the first axis fastest."""
    filled = [x.ravel().reshape(x.shape, order="F") for x in p.inputs]
    return list(right(Problem(p.operator, filled, p.axis, p.parts, p.repeats, p.steer, p.own)))


def read_columns_first(p: Problem) -> Outputs:
    """The right numbers, written into the output down the columns."""
    return [x.ravel().reshape(x.shape, order="F") for x in p.truth]


def column_row(p: Problem) -> Outputs:
    """Coordinates name the column first; where there is no such place the right one is meant."""
    if p.first.ndim < 2:
        return None
    wrong = []
    for x in p.truth:
        mine = x.copy()
        m = min(x.shape[-2:])
        mine[..., :m, :m] = np.swapaxes(x[..., :m, :m], -1, -2)
        wrong.append(mine)
    return wrong


def transposed(p: Problem) -> Outputs:
    """Outputs have their columns down and their rows across, and their sizes so, too."""
    return [np.swapaxes(x, -1, -2) for x in p.truth] if p.first.ndim > 1 else None


def stacked(p: Problem) -> Outputs:
    return [np.stack(p.inputs, p.axis)] if len({x.shape for x in p.inputs}) == 1 else None


def dealt_join(p: Problem) -> Outputs:
    rows = [list(np.moveaxis(x, p.axis, 0)) for x in p.inputs]
    turns = [row for turn in zip_longest(*rows) for row in turn if row is not None]
    return [np.moveaxis(np.array(turns), 0, p.axis)]


def diagonal(p: Problem) -> Outputs:
    block = np.zeros(np.sum([x.shape for x in p.inputs], axis=0), np.int64)
    start = np.zeros(p.first.ndim, np.int64)
    for x in p.inputs:
        block[tuple(slice(s, s + n) for s, n in zip(start, x.shape, strict=True))] = x
        start += x.shape
    return [block]


def times_the_first(p: Problem) -> Outputs:
    sizes = list(p.first.shape)
    sizes[p.axis] *= len(p.inputs)
    return [tuple(sizes)]


def appended(p: Problem) -> Outputs:
    return [np.concatenate([x.ravel() for x in p.inputs]).reshape(p.truth[0].shape)]


def start_forgotten(p: Problem) -> Outputs:
    pieces, j = [], 0
    for x in p.inputs:
        n = x.shape[p.axis]
        pieces.append(np.take(x, np.arange(j, j + n) % n, p.axis))
        j += n
    return [np.concatenate(pieces, p.axis)]


def parts_from(
    starts: Callable[[tuple[int, ...]], Sequence[int]], mode: Literal["clip", "wrap"]
) -> Callable[[Problem], Outputs]:
    def outputs(p: Problem) -> Outputs:
        places = zip(starts(p.parts), p.parts, strict=True)
        return [np.take(p.first, np.arange(s, s + c), p.axis, mode=mode) for s, c in places]

    return outputs


def equal_parts(p: Problem) -> Outputs:
    n, count = p.first.shape[p.axis], len(p.parts)
    size = -(-n // count)
    cuts = [min(n, size * k) for k in range(count + 1)]
    return [np.take(p.first, np.arange(a, b), p.axis) for a, b in pairwise(cuts)]


def evenly_parts(p: Problem) -> Outputs:
    """As np.array_split: the first parts take one more each."""
    return list(np.array_split(p.first, len(p.parts), p.axis))


def with_a_step(p: Problem) -> Outputs:
    n, count = p.first.shape[p.axis], len(p.parts)
    return [np.take(p.first, np.arange(k, n, count), p.axis) for k in range(count)]


def dealt_round(p: Problem) -> Outputs:
    """As cards are dealt; whose part is full is left out."""
    hands: list[list[int]] = [[] for _ in p.parts]
    k = 0
    for card in range(p.first.shape[p.axis]):
        while len(hands[k % len(hands)]) == p.parts[k % len(hands)]:
            k += 1
        hands[k % len(hands)].append(card)
        k += 1
    return [np.take(p.first, np.array(hand, np.int64), p.axis) for hand in hands]


def axis_lost(p: Problem) -> Outputs:
    return [np.squeeze(x, p.axis) if x.shape[p.axis] == 1 else x for x in p.truth]


def memory_cut(p: Problem) -> Outputs:
    cuts = np.cumsum([x.size for x in p.truth])[:-1]
    return [piece.reshape(x.shape) for piece, x in zip(np.split(p.first.ravel(), cuts), p.truth, strict=True)]


def repeated(p: Problem) -> Outputs:
    x = p.first
    for d, r in enumerate(p.repeats):
        x = np.repeat(x, r, d)
    return [x]


def on_top(p: Problem) -> Outputs:
    return [tuple(n * (1 + r) if r > 1 else n for n, r in zip(p.first.shape, p.repeats, strict=True))]


def laid_on_top(p: Problem) -> Outputs:
    return [np.tile(p.first, [1 + r if r > 1 else 1 for r in p.repeats])]


def wanted_sizes(p: Problem) -> Outputs:
    return [tuple(r if r > 1 else n for n, r in zip(p.first.shape, p.repeats, strict=True))]


def mirrored(p: Problem) -> Outputs:
    x = p.first
    for d, r in enumerate(p.repeats):
        x = np.concatenate([np.flip(x, d) if k % 2 else x for k in range(r)], d)
    return [x]


def turned(rule: Callable[[Ints, int, int], Ints]) -> Callable[[Problem], Outputs]:
    return lambda p: [along(p, rule)]


def stretches(k: Ints, length: int, n: int) -> Ints:
    if length < 1:
        return k
    first = k // length * length
    return first + np.minimum(length, n - first) - 1 - k % length


def along_the_other(p: Problem) -> Outputs:
    """Another axis is turned; the lengths are read in order, one for each place along Axis."""
    others = [d for d, n in enumerate(p.first.shape) if n > 1 and d != p.axis]
    lengths, n = p.steer.ravel(), p.first.shape[p.axis]
    if not others or n < 2:
        return None
    rows = np.moveaxis(p.first, (p.axis, others[-1]), (0, 1)).copy()
    for i in range(n):
        length = min(int(lengths[i % len(lengths)]), rows.shape[1])
        rows[i, :length] = rows[i, :length][::-1].copy()
    return [np.moveaxis(rows, (0, 1), (p.axis, others[-1]))]


def picked(change: Callable[[Ints, int], Ints]) -> Callable[[Problem], Outputs]:
    return lambda p: [gathered(p, p.axis, change(counted(p), p.first.shape[p.axis]))]


def each_its_own(p: Problem) -> Outputs:
    off = [d for d in range(p.first.ndim) if d != p.axis]
    if any(p.steer.shape[d] > p.first.shape[d] for d in off):
        return None
    n = p.first.shape[p.axis]
    cut = p.first[tuple(slice(None) if d == p.axis else slice(p.steer.shape[d]) for d in range(p.first.ndim))]
    return [np.take_along_axis(cut, np.where(p.steer < 0, p.steer + n, p.steer), p.axis)]


def of_all(p: Problem) -> Outputs:
    index = np.where(p.steer < 0, p.steer + p.first.size, p.steer)
    return [p.first.ravel()[index]]


def scattered(p: Problem) -> Outputs:
    index, n = counted(p).ravel(), p.first.shape[p.axis]
    rows = np.moveaxis(p.first, p.axis, 0)
    wrong = np.zeros((len(index), *rows.shape[1:]), np.int64)
    for j, i in enumerate(np.where(index < 0, index + n, index)):
        if i < len(index) and j < n:
            wrong[i] = rows[j]
    sizes = counted(p).shape
    whole = np.moveaxis(wrong.reshape((*sizes, *rows.shape[1:])), range(len(sizes)), range(p.axis, p.axis + len(sizes)))
    return [fitted(whole, p.first.ndim)]


def index_first(p: Problem) -> Outputs:
    if p.own == 0:
        return None
    n, index = p.first.shape[p.axis], counted(p)
    whole = np.moveaxis(p.first, p.axis, 0)[np.where(index < 0, index + n, index)]
    ones = [index.ndim + d for d in range(whole.ndim - p.first.ndim) if whole.shape[index.ndim + d] == 1]
    return [np.squeeze(whole, tuple(ones))]


def from_the_front(p: Problem) -> Outputs:
    index = p.steer[(slice(None),) * p.own + (0,) * (p.steer.ndim - p.own)]
    return [gathered(p, p.axis, index)]


def axis_kept(p: Problem) -> Outputs:
    return [np.take(p.first, counted(p).reshape(1), p.axis)] if p.own == 0 else None


def selection(p: Problem) -> Outputs:
    if p.own != 1:
        return None
    n = p.first.shape[p.axis]
    return [gathered(p, p.axis, np.unique(counted(p) % n))]


EVERY: dict[str, list[Callable[[Problem], Outputs]]] = {
    "C1": [from_the_other_end],
    "C4": [columns_first, read_columns_first],
    "C5": [column_row, transposed],
}
AXES: dict[str, list[Callable[[Problem], Outputs]]] = {
    **EVERY,
    "C2": [other_axis(lambda p: p.axis - 1)],
    "C3": [other_axis(lambda p: p.axis + leading_ones(p))],
}
BELIEFS: dict[str, dict[str, list[Callable[[Problem], Outputs]]]] = {
    "JOIN": {
        **AXES,
        "J1": [stacked],
        "J2": [dealt_join],
        "J3": [diagonal],
        "J4": [times_the_first],
        "J5": [appended],
        "J6": [start_forgotten],
    },
    "SPLIT": {
        **AXES,
        "S1": [parts_from(lambda c: (0, *c[:-1]), "clip"), parts_from(lambda c: (0, *c[:-1]), "wrap")],
        "S2": [equal_parts, evenly_parts],
        "S3": [parts_from(lambda c: [0] * len(c), "clip")],
        "S4": [with_a_step, dealt_round],
        "S5": [axis_lost],
        "S8": [memory_cut],
    },
    "TILE": {
        **EVERY,
        "T1": [repeated],
        "T2": [on_top, laid_on_top],
        "T4": [wanted_sizes],
        "T5": [mirrored],
        "T6": [lambda p: [np.resize(p.first, p.truth[0].shape)]],
    },
    "REVERSE_SUBSEQUENCES": {
        **AXES,
        "R1": [turned(lambda k, length, n: n - 1 - k)],
        "R2": [turned(lambda k, length, n: np.where(k >= n - length, 2 * n - length - 1 - k, k))],
        "R3": [
            turned(lambda k, length, n: np.where(k <= length, min(length, n - 1) - k, k)),
            turned(
                lambda k, length, n: np.where(
                    (k <= length) & (length < n), length - k, np.where(k < min(length, n), min(length, n) - 1 - k, k)
                )
            ),
        ],
        "R4": [along_the_other],
        "R5": [turned(lambda k, length, n: (k + length) % n), turned(lambda k, length, n: (k - length) % n)],
        "R6": [turned(lambda k, length, n: np.where(k < (length or n), min(length or n, n) - 1 - k, k))],
        "R8": [turned(lambda k, length, n: np.where(k < min(length, n), min(length, n) - 1 - k, -1))],
        "R9": [turned(stretches)],
    },
    "GATHER": {
        **AXES,
        "G1": [each_its_own],
        "G2": [of_all],
        "G3": [scattered],
        "G4": [picked(lambda i, n: np.where(i > 0, i - 1, i)), picked(lambda i, n: np.where(i >= 0, i - 1, i))],
        "G5": [picked(lambda i, n: np.maximum(i, 0))],
        "G7": [index_first],
        "G8": [from_the_front],
        "G9": [axis_kept],
        "G10": [lambda p: [p.first.shape]],
        "G11": [selection],
    },
}
"""The ways in which students of an operator read each rule."""


# ---- files


def drawn(operator: str, dice: random.Random) -> Problem:
    """A random problem of up to 4 sizes of 1 to 4, whose data values all differ."""
    count = dice.choice((1, 2, 2, 3, 3, 4) if operator in ("GATHER", "TILE") else (2, 2, 3, 3, 4))
    sizes = [dice.randint(1, 4) for _ in range(count)]
    axis = dice.randrange(count)

    def numbers(sizes: Sequence[int], start: int = 1) -> Ints:
        return np.arange(start, start + int(np.prod(sizes)), dtype=np.int64).reshape(sizes)

    if operator == "JOIN":
        inputs: list[Ints] = []
        same = dice.random() < 0.4
        for _ in range(dice.randint(2, 3)):
            sizes[axis] = sizes[axis] if same else dice.randint(1, 4)
            inputs.append(numbers(sizes, 1 + sum(x.size for x in inputs)))
        return Problem(operator, inputs, axis)
    if operator == "SPLIT":
        parts = tuple(dice.randint(1, 3) for _ in range(dice.randint(2, 4)))
        sizes[axis] = sum(parts)
        return Problem(operator, [numbers(sizes)], axis, parts)
    if operator == "TILE":
        return Problem(operator, [numbers(sizes)], repeats=tuple(dice.randint(1, 3) for _ in sizes))
    if operator == "REVERSE_SUBSEQUENCES":
        sizes[axis] = dice.randint(2, 5)
        beside = [1 if d == axis else n for d, n in enumerate(sizes)]
        lengths = [dice.randint(0, sizes[axis]) for _ in range(int(np.prod(beside)))]
        return Problem(operator, [numbers(sizes)], axis, steer=np.array(lengths, np.int64).reshape(beside))
    own = dice.choice((0, 1, 1, 1, 2)) if count > 1 else dice.choice((0, 1, 1))
    if own == 2:
        sizes[0], axis = 1, dice.randint(1, count - 1)
    index = [dice.randint(1, 4) for _ in range(own)]
    n, least = sizes[axis], dice.choice((0, 0, -1))
    picks = [dice.randint(least * n, n - 1) for _ in range(int(np.prod(index)))]
    steer = np.array(picks, np.int64).reshape([1] * (count - own) + index)
    return Problem(operator, [numbers(sizes)], axis, steer=steer, own=own)


def as_written(p: Problem, number: int) -> dict[str, Any]:
    """A problem as a session file has it."""

    def tensor(sizes: Sequence[int], type_: str = "FLOAT32") -> dict[str, Any]:
        return {"DataType": type_, "Sizes": list(sizes)}

    outputs = [tensor(x.shape) for x in p.truth]
    desc: dict[str, Any] = {} if p.operator == "TILE" else {"Axis": p.axis}
    values: dict[str, Any] = {"InputTensor": p.first.tolist()}
    if p.operator == "JOIN":
        values = {"InputTensors": [x.tolist() for x in p.inputs]}
        desc |= {"InputCount": len(p.inputs), "InputTensors": [tensor(x.shape) for x in p.inputs]}
    else:
        desc["InputTensor"] = tensor(p.first.shape)
    if p.operator == "SPLIT":
        desc |= {"OutputCount": len(outputs), "OutputTensors": outputs}
    else:
        desc["OutputTensor"] = outputs[0]
    if p.operator == "TILE":
        desc |= {"RepeatsCount": len(p.repeats), "Repeats": list(p.repeats)}
    if p.operator == "REVERSE_SUBSEQUENCES":
        desc["SequenceLengthsTensor"] = tensor(p.steer.shape, "UINT32")
        values["SequenceLengthsTensor"] = p.steer.tolist()
    if p.operator == "GATHER":
        desc |= {"IndicesTensor": tensor(p.steer.shape, "INT32"), "IndexDimensions": p.own}
        values["IndicesTensor"] = p.steer.tolist()
    return {
        "name": f"desc {number}",
        "feature_level": "6_4",
        "type": f"DML_OPERATOR_{p.operator}",
        "desc": desc,
        "values": values,
    }


class File:
    """A file of random descs; its questions are made once for all who are asked."""

    def __init__(self, operator: str, seed: str, missing: str = "") -> None:
        """`missing` is a rule that the catalogue lacks."""
        dice = random.Random(f"{operator} {seed}")
        self.operator = operator
        self.problems: list[Problem] = []
        while len(self.problems) < DESCS:
            p = drawn(operator, dice)
            if all(x.size <= 200 for x in p.truth):
                self.problems.append(p)
        written = (as_written(p, number) for number, p in enumerate(self.problems))
        self.subjects = [Subject(parse_experiment(tree, None)) for tree in written]
        assert all(subject.valid for subject in self.subjects)
        for subject in self.subjects:
            vars(subject)["rules"] = [rule for rule in subject.rules if rule.id != missing]
        self.problem_of = {id(s): p for s, p in zip(self.subjects, self.problems, strict=True)}

    def shows(self, believes: Callable[[Problem], Outputs]) -> int:
        """How many descs show a belief."""
        return sum(differs(p, believes(p)) for p in self.problems)


def differs(p: Problem, wrong: Outputs) -> bool:
    if wrong is None:
        return False
    arrays = [x for x in wrong if not isinstance(x, tuple)]
    if len(arrays) < len(wrong):
        return len(p.truth) == 1 and [x.shape for x in p.truth] != wrong
    if p.operator == "SPLIT":  # whose sizes aren't asked for
        return any(not np.array_equal(x.ravel(), y.ravel()) for x, y in zip(p.truth, arrays, strict=True))
    return any(not np.array_equal(x, y) for x, y in zip(p.truth, arrays, strict=True))


# ---- students


@dataclass(frozen=True)
class Student:
    """Holds a belief, or none; guesses if `guesses`."""

    rule: str
    believes: Callable[[Problem], Outputs] | None
    steady: float
    dice: random.Random
    guesses: bool = False

    def answer(self, question: Question, p: Problem) -> Answer:
        slips = self.guesses or self.dice.random() < SLIP
        follows = self.believes is not None and self.dice.random() < self.steady
        own = self.believes(p) if follows and self.believes is not None else None
        given = said(question, p, own, self.dice)
        if given is None:
            given = said(question, p, p.truth, self.dice)
        return self._slipped(question, p, given) if slips else given

    def _slipped(self, question: Question, p: Problem, given: Answer) -> Answer:
        dice = self.dice
        if question.kind.name == "pictures":
            return dice.choice(question.choices).id
        numbers = [int(v) for x in p.inputs for v in x.ravel()]
        if question.kind.name == "cell":
            return float(dice.choice(numbers))
        if question.kind.name == "sizes":
            sizes = list(given[0])
            for at in range(len(sizes)) if self.guesses else [dice.randrange(len(sizes))]:
                sizes[at] = max(1, sizes[at] + dice.choice((-1, 1, 2)))
            return (tuple(sizes),)
        cells = list(given)
        for at in range(len(cells)) if self.guesses else [dice.randrange(len(cells))]:
            cells[at] = float(dice.choice(numbers))
        return tuple(cells)


def said(question: Question, p: Problem, believed: Outputs, dice: random.Random) -> Answer | None:
    """What somebody answers who believes that these are the outputs; None where that is no answer."""
    if believed is None:
        return None
    if question.kind.name == "sizes":
        return (tuple(x if isinstance(x, tuple) else x.shape for x in believed),)[0]
    arrays = [x for x in believed if not isinstance(x, tuple)]
    if len(arrays) < len(believed):
        return None
    if question.kind.name == "pictures":
        return chosen(question, arrays, dice)
    at = question.element
    x = arrays[at.place.number]
    if question.kind.name == "cell":
        inside = len(at.index) == x.ndim and all(i < n for i, n in zip(at.index, x.shape, strict=True))
        return float(x[at.index]) if inside else None
    under = p.truth[at.place.number][at.index]
    if not at.index and x.size == under.size:
        row = x
    elif x.ndim == p.truth[at.place.number].ndim and all(i < n for i, n in zip(at.index, x.shape, strict=False)):
        row = x[at.index]
    else:
        return None
    count = question.first or under.size
    return tuple(map(float, row.ravel()[:count])) if row.size >= count else None


def chosen(question: Question, believed: list[Ints], dice: random.Random) -> Answer | None:
    """The picture most like what is believed, one of several by chance; None where none is like it at all."""
    likeness = []
    for choice in question.choices:
        assert choice.picture is not None
        alike = 0
        for k, (sizes, values) in enumerate(choice.picture.outputs):
            at = question.at
            x = believed[k if at is None else at.place.number]
            if at is not None and x.ndim == len(at.index):
                x = x[tuple(slice(i, i + n) for i, n in zip(at.index, sizes, strict=True))]
            if x.shape == sizes:
                alike += int((x.ravel() == np.array(values)).sum())
        likeness.append(alike)
    most = max(likeness)
    best = [choice.id for choice, alike in zip(question.choices, likeness, strict=True) if alike == most]
    return dice.choice(best) if most else None


# ---- a quiz


@dataclass(frozen=True)
class Asked:
    """What became of one student."""

    held: str
    named: tuple[str | None, ...]
    """The rule that is named after each question."""
    fits: tuple[bool, ...]
    """After each question: what is named is what is held, or answers alike."""
    first_fits: bool
    """The most believed rule is the held one."""
    why: str


def quizzed(student: Student, file: File, seed: int) -> Asked:
    """Asks one student as `dmlviz quiz` does."""
    diagnosis = Diagnosis()
    known = any(rule.id == student.rule for rule in file.subjects[0].rules)
    order = Order(file.subjects, kinds_named(KINDS), seed)
    named: list[str | None] = []
    fits: list[bool] = []
    kinds: list[str] = []
    shown: list[tuple[Question, Answer]] = []  # what shows the belief, and what it answers
    while len(named) < QUESTIONS:
        question = order.next_question(diagnosis)
        if question is None:
            break
        p = file.problem_of[id(question.subject)]
        given = student.answer(question, p)
        own = said(question, p, student.believes(p), student.dice) if student.believes is not None else None
        if own not in (None, question.truth):
            shown.append((question, own))
        diagnosis.take(question, given)
        kinds.append(question.kind.name[0].upper() if question.confirms else question.kind.name[0])
        rule = diagnosis.rule
        named.append(rule)
        as_well = sum(each.answers.get(rule or "") == own for each, own in shown) >= ALIKE * max(1, len(shown))
        fits.append(rule is not None and (student.rule in (rule, *diagnosis.twins(rule)) or (not known and as_well)))
    named += named[-1:] * (QUESTIONS - len(named))
    fits += fits[-1:] * (QUESTIONS - len(fits))
    first = next((rule for rule in diagnosis.beliefs if rule not in PRIORS), "")
    alike = student.rule == first or student.rule in diagnosis.twins(first)
    top = " ".join(f"{rule} {share:.2f}" for rule, share in [*diagnosis.beliefs.items()][:3])
    return Asked(
        student.rule, tuple(named), tuple(fits), alike, f"{''.join(kinds)} suspects {diagnosis.suspected} {top}"
    )


def keep_questions() -> None:
    """Questions are made once for each desc, kind and seed: all who are asked about a file share them."""
    for kind in kinds_named(KINDS):
        for name in ("make", "whole"):
            if hasattr(kind, name):
                setattr(kind, name, cache(getattr(kind, name)))


def students_of(file: File, count: int, seed: str, steady: float) -> Iterator[Student]:
    for rule, ways in BELIEFS[file.operator].items():
        for k in range(count):
            believes = ways[k % len(ways)]
            if file.shows(believes) >= SHOWN:
                yield Student(rule, believes, steady, random.Random(f"{seed} {rule} {k} {steady}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2, help="of each operator")
    parser.add_argument("--students", type=int, default=2, help="of each rule and file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operators", default=",".join(BELIEFS))
    parser.add_argument("--missing", action="store_true", help="ask those whose rule is missing, too: it takes longer")
    parser.add_argument("--curve", action="store_true", help="print the share named after each question")
    parser.add_argument("--why", action="store_true", help="print what was asked of each who wasn't named")
    args = parser.parse_args()
    keep_questions()
    began = time.monotonic()
    asked: dict[str, list[Asked]] = {}
    for operator in args.operators.split(","):
        for number in range(args.files):
            seed = f"{args.seed} {number}"
            file = File(operator, seed)
            for what, steady in (("consistent", 1.0), ("κ 0.7", 0.7)):
                for k, student in enumerate(students_of(file, args.students, seed, steady)):
                    asked.setdefault(what, []).append(quizzed(student, file, k))
            for what, guesses in (("right", False), ("by chance", True)):
                for k in range(4 * args.students):
                    innocent = Student("", None, 1.0, random.Random(f"{seed} {what} {k}"), guesses)
                    asked.setdefault(what, []).append(quizzed(innocent, file, k))
            for k, student in enumerate(students_of(file, 1, seed, 1.0) if args.missing else ()):
                lacking = File(operator, seed, student.rule)
                asked.setdefault("rule missing", []).append(quizzed(student, lacking, k))
        print(f"<!-- {operator}: {time.monotonic() - began:.0f} s -->", flush=True)
    print("| students | number | most believed is held | named rightly | another rule | questions, median |")
    print("|---|---|---|---|---|---|")
    for what, those in asked.items():
        right_ones = [each for each in those if each.fits[-1]]
        other = [each for each in those if each.named[-1] is not None and not each.fits[-1]]
        after = sorted(each.fits.index(True) + 1 for each in right_ones)
        shares = [
            f"{100 * n / len(those):.1f} %" for n in (sum(e.first_fits for e in those), len(right_ones), len(other))
        ]
        print(f"| {what} | {len(those)} | {' | '.join(shares)} | {after[len(after) // 2] if after else '-'} |")
        if args.curve:
            named = (sum(each.fits[k] for each in those) for k in range(QUESTIONS))
            curve = " ".join(f"{100 * n / len(those):.0f}" for n in named)
            print(f"<!-- {what}, named after 1 to {QUESTIONS}: {curve} -->")
        if args.why:
            for each in those:
                if not each.fits[-1] and (each.held or each.named[-1]):
                    print(f"  {what} {each.held}: named {each.named[-1]}; {each.why}")


if __name__ == "__main__":
    main()
