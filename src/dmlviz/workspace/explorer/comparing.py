"""Two outputs of a session held against each other: which can be, what the verdict is, and where each comes from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.indexing import flat_in, index_in
from ...desc.tensors import brackets
from ...desc.values import Indices
from ...equality.deciding import Answer, Inputs, Verdict, about, differing, same
from ...errors import plain, quote
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...session.chains import Chain
from ...session.experiments import Experiment
from ...session.views import ViewEntry
from ...session.wiring import fault, stages_of
from ...stopping import checkpoint
from ..shown.chain_state import ComparisonState, PathLine, PathState
from .chain_path import whole_path

MOST_SCANNED = 1 << 18
"""Elements that are counted, and gone through for the next one that differs: some 0.1 s a stage."""
PIECE = 1 << 14
KEPT = 8
LEAVE = "esc leaves"
MARKS = {
    Answer.FOR_ALL: "=",
    Answer.FOR_THESE: "=",
    Answer.DIFFERENT: "≠",
    Answer.ON_THIS_DATA: "≈",
    Answer.NOT_DECIDED: "?",
}


class CompareChoice(Struct, frozen=True):
    """An output that another one can be compared with."""

    entry: ViewEntry
    output: int
    text: str
    remark: str
    """Why it can't be the same; "" where it can."""


def compare_choices(experiments: Sequence[Experiment], here: Experiment, output: int) -> tuple[CompareChoice, ...]:
    """The outputs of all other valid experiments; first those of the same type and sizes."""
    own = here.desc.outputs[output].tensor
    found = []
    for one in experiments:
        if one is here or fault(one):
            continue
        for k, part in enumerate(one.desc.outputs):
            other = part.tensor
            kind, sizes = other.data_type is own.data_type, other.sizes == own.sizes
            remark = "" if kind and sizes else "other sizes" if kind else "another type"
            path = f" {part.path}" if len(one.desc.outputs) > 1 else ""
            found.append(CompareChoice(one.view, k, f"{plain(one.name, 40)}{path}  {other}", remark))
    return tuple(sorted(found, key=lambda choice: bool(choice.remark)))


def meant(choices: Sequence[CompareChoice]) -> CompareChoice | None:
    """The only output that can be the same, or the only one at all; None where one is to be chosen."""
    fitting = [choice for choice in choices if not choice.remark]
    return fitting[0] if len(fitting) == 1 else choices[0] if len(choices) == 1 else None


class Decided(Struct, frozen=True, eq=False):
    """What is known of two outputs, the one that is looked at first."""

    chains: tuple[Chain, Chain]
    outputs: tuple[int, int]
    verdict: Verdict
    inputs: Inputs
    where: Indices | None = None
    """The flat numbers of those that differ, rising; None where they aren't counted."""
    _kept: dict[int, tuple[Indices, NDArray[np.bool_]]] = field(default_factory=dict)

    def differs(self, flat: Indices) -> NDArray[np.bool_]:
        """(N,) True for the elements that come from elsewhere in the other; the last few windows are kept."""
        kept = self._kept.get(id(flat))
        if kept is None or kept[0] is not flat:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            kept = self._kept[id(flat)] = flat, differing(self.chains, self.outputs, self.inputs, flat)
        return kept[1]

    def sentence(self, flat: int) -> str:
        """The verdict; of another element that differs than the first, what that reads and which one it is."""
        first = self.verdict.first
        if first is None or flat == first or not differing(self.chains, self.outputs, self.inputs, np.array([flat]))[0]:
            return self.verdict.sentence
        told = about(replace(self.verdict, reason=""), self.chains, self.outputs, flat, self.inputs).sentence
        answer, _, reads = told.partition(": ")
        if self.where is None:
            return told
        return f"{answer}, {int(np.searchsorted(self.where, flat)) + 1:,} of {len(self.where):,}: {reads}"

    def next(self, flat: int, by: int) -> int | None:
        """The next element that differs behind one, or before it where `by` is -1; behind the last the first."""
        count = self.chains[0].outputs[self.outputs[0]].tensor.element_count
        for start in range(1, min(count, MOST_SCANNED) + 1, PIECE):
            tried = (flat + by * np.arange(start, min(start + PIECE, count + 1), dtype=np.int64)) % count
            found = np.flatnonzero(differing(self.chains, self.outputs, self.inputs, tried))
            if len(found):
                return int(tried[found[0]])
        return None


def decide(ends: tuple[Experiment, Experiment], outputs: tuple[int, int]) -> Decided:
    """Decides it; that may take a second, and `stopping.stoppable` ends it."""
    chains = Chain(ends[0]), Chain(ends[1])
    verdict, inputs, where = same(*chains, *outputs), Inputs(*chains), None
    count = chains[0].outputs[outputs[0]].tensor.element_count
    if verdict.first is not None and count <= MOST_SCANNED:
        found = []
        for start in range(0, count, PIECE):
            checkpoint()
            flat = np.arange(start, min(start + PIECE, count), dtype=np.int64)
            found.append(flat[differing(chains, outputs, inputs, flat)])
        where = np.concatenate(found)
    return Decided(chains=chains, outputs=outputs, verdict=verdict, inputs=inputs, where=where)


class Differs(Struct, frozen=True):
    """Which elements of a stage differ, as `Look.differs` wants it; equal for the same stage of the same verdict."""

    decided: Decided
    side: int

    def __call__(self, place: Place, flat: Indices) -> NDArray[np.bool_]:
        if place != Place(True, self.decided.outputs[self.side]):
            return np.zeros(len(flat), bool)
        return self.decided.differs(flat)


class Comparison:
    """Two outputs, one of which is looked at, and the element that was looked at last; edits have it decided anew."""

    def __init__(self, ends: tuple[tuple[ViewEntry, int], tuple[ViewEntry, int]]) -> None:
        self.ends = ends
        self.flat = 0
        self.was_told = False
        """The first element that differs was looked at."""
        self._known: list[Decided | None] = [None, None]  # by the one that is looked at: the words say here and there

    def side(self, entry: ViewEntry | None) -> int:
        """Which of both an experiment's view belongs to; -1 for neither."""
        return next((k for k, (end, _) in enumerate(self.ends) if end is entry), -1)

    def pair(self, experiments: Sequence[Experiment], side: int) -> tuple[Experiment, Experiment] | None:
        """Both experiments, the one that is looked at first; None where one has gone, or its output has."""
        found = [next((one for one in experiments if one.view is end), None) for end, _ in self.ends]
        here, there = found[side], found[1 - side]
        if here is None or there is None:
            return None
        outputs = [len(one.desc.outputs) for one in (here, there)]
        return (here, there) if all(k < n for k, n in zip(self._outputs(side), outputs, strict=True)) else None

    def _outputs(self, side: int) -> tuple[int, int]:
        return self.ends[side][1], self.ends[1 - side][1]

    def decided(self, pair: tuple[Experiment, Experiment], side: int) -> Decided | None:
        """What is known of both as they stand; None before that is decided."""
        known = self._known[side]
        if known is not None and all(a is b.stages[-1] for a, b in zip(pair, known.chains, strict=True)):
            return known
        return None

    def job(self, pair: tuple[Experiment, Experiment], side: int) -> Callable[[], Decided]:
        """What decides it, in a thread."""
        return partial(decide, pair, self._outputs(side))

    def take(self, decided: Decided, side: int) -> None:
        self._known[side] = decided

    def cursor(self, experiment: Experiment, side: int) -> Cursor:
        """The element that was looked at last, in the one or in the other."""
        output = self.ends[side][1]
        sizes = experiment.desc.outputs[output].tensor.sizes
        return Cursor(Place(True, output), index_in(min(self.flat, math.prod(sizes) - 1), sizes))

    def look_at(self, experiment: Experiment, side: int, cursor: Cursor | None) -> None:
        """Follows the cursor where it is in the output that is compared."""
        output = self.ends[side][1]
        if cursor is not None and cursor.place == Place(True, output):
            self.flat = flat_in(cursor.index, experiment.desc.outputs[output].tensor.sizes)

    def state(
        self,
        experiments: Sequence[Experiment],
        pair: tuple[Experiment, Experiment],
        side: int,
        hidden: str,
        *,
        path: bool,
    ) -> ComparisonState:
        """What is said of it; nothing where a stage of either is broken, or `hidden` says that one hides something."""
        there = pair[1]
        for one in (stage for end in pair for stage in stages_of(end)):
            if fault(one):
                return ComparisonState("…", f"{quote(one.name, 40)} is not valid: it is compared once it is.", LEAVE)
        if hidden:
            return ComparisonState("…", hidden.replace(", escape shows the whole", ""), LEAVE)
        known = self.decided(pair, side)
        if known is None:
            return ComparisonState("…", f"comparing with {quote(there.name, 40)}", keys=LEAVE, waits=True)
        numbers = {id(one): k for k, one in enumerate(experiments)}
        verdict, differs = known.verdict, known.verdict.first is not None
        count = len(known.where) if known.where is not None else 0
        keys = f"] next of {count:,} · " if count > 1 else "] next · " * (differs and known.where is None)
        return ComparisonState(
            MARKS[verdict.answer],
            known.sentence(self.flat),
            keys=f"{keys}= the other · {LEAVE}",
            differs=differs,
            path=self._path(known, numbers) if path else None,
            at=numbers[id(pair[0])],
        )

    def _path(self, known: Decided, numbers: dict[int, int]) -> PathState | None:
        """Where the element comes from here, and there; None where both have other sizes."""
        sizes = [chain.outputs[k].tensor.sizes for chain, k in zip(known.chains, known.outputs, strict=True)]
        if sizes[0] != sizes[1]:
            return None
        index, lines, brief = (
            index_in(min(self.flat, math.prod(sizes[0]) - 1), sizes[0]),
            list[PathLine](),
            list[PathLine](),
        )
        for word, chain, output in zip(("here", "there"), known.chains, known.outputs, strict=True):
            told, line = whole_path(chain, output, index)
            path = PathState("", tuple(told), (line,)).renumbered(
                {k: numbers[id(stage)] for k, stage in enumerate(chain.stages)}
            )
            lines += [PathLine(word, ""), *path.lines]
            brief.append(replace(path.brief[0], left=f"{word:<5}"))
        rows = sum(len(chain.stages) for chain in known.chains) + 3
        return PathState(f"{brackets(index)} of both", tuple(lines), tuple(brief), rows=rows)
