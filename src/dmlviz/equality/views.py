"""Whether an output has to be copied at all: strides over one input's memory may say where each element is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..desc.fields import Role
from ..desc.indexing import index_in, unravel
from ..desc.tensors import braces, brackets
from ..desc.values import Indices
from ..operators.maps import NOWHERE
from ..stopping import checkpoint
from ..tracing import Trace

if TYPE_CHECKING:
    from ..session.chains import Chain

ALIGNMENT = 16
"""Bytes of which DirectML asks a binding's offset to be a multiple."""
MOST_ASKED = 1 << 14
"""Elements of an output that are asked for where they come from, in row-major order: some milliseconds."""
PIECE = 1 << 11
MOST_TABLES = 1 << 22
"""Elements of an axis or an index tensor up to which the others are looked at by tables."""
Named = Callable[[int], tuple[str, Sequence[int]]]
"""By an input's number what sentences call it, and its sizes."""


class View(Struct, frozen=True, kw_only=True):
    """What strides make of an output; the first place where they don't, or that it isn't known."""

    output: str
    """Its path."""
    source: str = ""
    """The input whose memory it would be, as sentences name it."""
    strides: tuple[int, ...] = ()
    """In elements, one for each axis; 0 repeats. Along an axis of size 1 any would do: the packed one."""
    base: int = 0
    """The element of the source that it begins with."""
    item_size: int = 1
    breaks: tuple[int, ...] | None = None
    """The first element, in row-major order, that strides don't reach."""
    why: str = ""
    """What is wrong there, or why it isn't known."""

    @property
    def needs_copy(self) -> bool | None:
        """None where it isn't known."""
        return True if self.breaks is not None else None if self.why else False

    @property
    def byte_strides(self) -> tuple[int, ...]:
        return tuple(stride * self.item_size for stride in self.strides)

    @property
    def base_bytes(self) -> int:
        return self.base * self.item_size

    @property
    def is_aligned(self) -> bool:
        """True if a binding may begin with it, as far as the source's own begins at such a place."""
        return self.base_bytes % ALIGNMENT == 0

    @property
    def _base_told(self) -> str:
        return f"byte {self.base_bytes:,}, {'a multiple of' if self.is_aligned else 'no multiple of'} {ALIGNMENT}"

    @property
    def sentence(self) -> str:
        """`No copy needed: OutputTensor is InputTensor with Strides {4,1}, in bytes {16,4}, from element 2 on, ...`"""
        if self.needs_copy:
            assert self.breaks is not None
            return f"{self.output} has to be copied: no strides lead to {brackets(self.breaks)}, {self.why}."
        if self.why:
            return f"Whether {self.output} has to be copied is not decided: {self.why}."
        strides = f"Strides {_short(self.strides)}, in bytes {_short(self.byte_strides)}"
        return (
            f"No copy needed: {self.output} is {self.source} with {strides}, "
            f"from element {self.base:,} on, {self._base_told}."
        )

    @property
    def brief(self) -> tuple[str, str]:
        """The sentence in some words, and in few."""
        if self.needs_copy:
            return (short := f"copy needed from {brackets(self.breaks or ())}"), short
        if self.why:
            return "copy or view is not decided", ""
        return f"no copy needed: strides {_short(self.strides)}, from {self._base_told}", "no copy needed"


class _Alone:
    """A trace as a chain of one stage, of which all inputs are the chain's."""

    def __init__(self, trace: Trace) -> None:
        self.stages, self.traces, self.outputs = (None,), (trace,), trace.outputs
        self.root_numbers = {(0, k): k for k in range(len(trace.inputs))}

    def wire(self, stage: int, tensor: int) -> None:
        return None

    def addresses(self, stage: int, output: int, flat: Indices) -> tuple[Indices, Indices, None]:
        return *self.traces[0].addresses(output, unravel(flat, self.outputs[output].tensor.sizes)), None


def view_of(trace: Trace, output: int = 0, *, most_tables: int = MOST_TABLES) -> View:
    """What strides make of an output of a desc; kept, as often as it is asked for.

    Where axes or index tensors have more than `most_tables` elements, only the first elements are looked at.
    """
    name = "view", output, most_tables
    if name not in trace.kept:
        part = trace.outputs[output]
        steering = [each.tensor.element_count for each in trace.inputs if each.field.role is not Role.DATA]
        trace.kept[name] = _view(
            View(output=part.path, item_size=part.tensor.data_type.item_size),
            cast("Chain", _Alone(trace)),
            output,
            lambda k: (trace.inputs[k].path, trace.input_sizes[k]),
            with_tables=max(*part.tensor.sizes, *steering, 0) <= most_tables,
        )
    view: View = trace.kept[name]
    return view


def view_through(chain: Chain, output: int = 0) -> View:
    """What strides make of an output of a chain's end, in the memory of one of its inputs."""
    item_size = chain.outputs[output].tensor.data_type.item_size
    begun = View(output=chain.element_text(len(chain.stages) - 1, output, ())[:-2], item_size=item_size)
    return _view(begun, chain, output, lambda k: (chain.root_text(k), chain.inputs[k].part.tensor.sizes))


def _view(begun: View, chain: Chain, output: int, named: Named, *, with_tables: bool = True) -> View:
    """The view of an output in which all elements are where the first ones along each axis want them."""
    sizes, last = chain.outputs[output].tensor.sizes, len(chain.stages) - 1
    steps = {d: math.prod(sizes[d + 1 :]) for d in range(len(sizes)) if sizes[d] > 1}
    roots, flats, _ = chain.addresses(last, output, np.array([0, *steps.values()], np.int64))
    root, base = int(roots[0]), int(flats[0])
    if root == NOWHERE:
        return replace(begun, breaks=(0,) * len(sizes), why="which comes from no input")
    own = dict(zip(steps, np.where(roots[1:] == root, flats[1:] - base, 0).tolist(), strict=True))
    strides: list[int] = []
    for d in reversed(range(len(sizes))):
        strides.insert(0, own.get(d, strides[0] * sizes[d + 1] if strides else 1))
    view = replace(begun, source=named(root)[0], strides=tuple(strides), base=base)

    def broken(flat: Indices) -> View | None:
        """The view with the first of these elements that strides don't reach; None where they reach all."""
        roots, flats, _ = chain.addresses(last, output, flat)
        wanted = np.array(strides, np.int64) @ np.stack(unravel(flat, sizes)) + base
        loose = np.flatnonzero((roots != root) | (flats != wanted) | (flats < base))
        if not len(loose):
            return None
        at = int(loose[0])
        why = _why(int(roots[at]), int(flats[at]), root, base, int(wanted[at]), named)
        return replace(view, breaks=index_in(int(flat[at]), sizes), why=why)

    count = math.prod(sizes)
    for start in range(0, min(count, MOST_ASKED), PIECE):
        checkpoint()
        if (found := broken(np.arange(start, min(start + PIECE, count), dtype=np.int64))) is not None:
            return found
    if count <= MOST_ASKED:
        return view
    if not with_tables:
        return replace(view, why=f"{MOST_ASKED:,} of its {count:,} elements are where strides would have them")
    from .tables import NotDecided  # most outputs have few elements

    try:
        first = _first_break(chain, output, root, view)
    except NotDecided as error:
        return replace(view, why=str(error).removesuffix("."))
    turned = [steps[d] for d in steps if strides[d] < 0]
    first = min([*turned, *([] if first is None else [first])], default=None)
    return view if first is None else broken(np.array([first], np.int64)) or view


def _first_break(chain: Chain, output: int, root: int, view: View) -> int | None:
    """The flat number of the first element that isn't where strides, of any sign, lead to; None where all are.

    In a piece of the map what tables and strides differ by is a sum over groups of factors that no table has in common.
    Where it is none for the first element of the piece, the first other one is off that along one group alone.
    """
    from .tables import MOST_CELLS, NotDecided, map_of

    sizes, found = chain.outputs[output].tensor.sizes, list[int]()
    whole = next(t.input_sizes[k] for (s, k), n in chain.root_numbers.items() if n == root for t in [chain.traces[s]])
    for piece, leaf in map_of(chain, output, for_all_values=False):
        weights = piece.weights(sizes)
        first = sum(int(weight.min()) for weight in weights)
        if leaf.root != root:
            found.append(first)
            continue
        terms = [table * math.prod(whole[d + 1 :]) for d, table in enumerate(leaf.tables)]
        for j, (factor, n) in enumerate(zip(piece.factors, piece.lengths, strict=True)):
            wanted = sum((at * view.strides[d] for d, at in factor.items()), np.zeros(n, np.int64))
            terms.append(-wanted.reshape(-1, *(1,) * j))
        groups: list[tuple[set[int], NDArray[np.int64]]] = []
        for term in terms:
            along = {j for j in range(term.ndim) if term.shape[-1 - j] > 1}
            for group in [group for group in groups if group[0] & along]:
                groups.remove(group)
                if (cells := math.prod(np.broadcast_shapes(term.shape, group[1].shape))) > MOST_CELLS:
                    raise NotDecided(f"a table of {cells:,} cells, at most {MOST_CELLS:,} are made.")
                along, term = along | group[0], term + group[1]
            groups.append((along, term))
        begins = [int(weight.argmin()) for weight in weights]
        origins = [
            int(t[tuple(begins[j] if t.shape[-1 - j] > 1 else 0 for j in reversed(range(t.ndim)))]) for _, t in groups
        ]
        found += [first] * (sum(origins) != view.base)
        for (_, term), origin in zip(groups, origins, strict=True):
            loose = np.nonzero(np.atleast_1d(term != origin))
            if len(loose[0]):
                off = [
                    weights[j][at] - weights[j].min() for j, at in enumerate(reversed(loose)) if term.shape[-1 - j] > 1
                ]
                found.append(first + int(np.sum(off, axis=0).min()))
    return min(found, default=None)


def _why(root: int, flat: int, first: int, base: int, wanted: int, named: Named) -> str:
    """Why an element isn't where strides would have it."""
    if root == NOWHERE:
        return "which comes from no input"
    name, sizes = named(root)
    here = f"which is {brackets(index_in(flat, sizes))} of {name}"
    if root != first:
        return f"{here}, while the first element is of {named(first)[0]}"
    if flat < base:
        return f"{here}, before the first element, and no stride is negative"
    is_there = wanted < math.prod(sizes)
    return f"{here}, where they would have {brackets(index_in(wanted, sizes)) if is_there else 'what lies behind it'}"


def _short(strides: Sequence[int]) -> str:
    return braces(strides).replace(" ", "")
