"""Whether an output has to be copied at all: strides over one input's memory may say where each element is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.indexing import index_in, unravel
from ..desc.tensors import braces, brackets
from ..desc.values import Indices
from ..errors import plain
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
Addresses = Callable[[Indices], tuple[Indices, Indices]]
"""Where elements (N,) come from: (inputs' numbers or NOWHERE, flat elements), both (N,)."""
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


def view_of(trace: Trace, output: int = 0) -> View:
    """What strides make of an output of a desc; kept, as often as it is asked for."""
    name = "view", output
    if name not in trace.kept:
        part = trace.outputs[output]
        trace.kept[name] = _view(
            View(output=part.path, item_size=part.tensor.data_type.item_size),
            part.tensor.sizes,
            lambda flat: trace.addresses(output, unravel(flat, part.tensor.sizes)),
            lambda k: (trace.inputs[k].path, trace.input_sizes[k]),
        )
    view: View = trace.kept[name]
    return view


def view_through(chain: Chain, output: int = 0) -> View:
    """What strides make of an output of a chain's end, in the memory of one of its inputs."""
    last, part = len(chain.stages) - 1, chain.outputs[output]
    return _view(
        View(output=chain.element_text(last, output, ())[:-2], item_size=part.tensor.data_type.item_size),
        part.tensor.sizes,
        lambda flat: chain.addresses(last, output, flat)[:2],
        lambda k: (_root_name(chain, k), chain.inputs[k].part.tensor.sizes),
    )


def _root_name(chain: Chain, number: int) -> str:
    root = chain.inputs[number]
    return chain.root_name(number) or f"{root.part.path} of {plain(chain.stages[root.stage].name, 40)}"


def _view(begun: View, sizes: Sequence[int], addresses: Addresses, named: Named) -> View:
    """The view of an output of some sizes, in which all elements are where the first ones along each axis want them."""
    ones = np.array([math.prod(sizes[d + 1 :]) for d in range(len(sizes)) if sizes[d] > 1], np.int64)
    roots, flats = addresses(np.concatenate([np.zeros(1, np.int64), ones]))
    root, base = int(roots[0]), int(flats[0])
    if root == NOWHERE:
        return replace(begun, breaks=(0,) * len(sizes), why="which comes from no input")
    steps = iter(np.where(roots[1:] == root, flats[1:] - base, 0).tolist())
    own = [next(steps) if size > 1 else None for size in sizes]
    strides: list[int] = []
    for size, stride in reversed(list(zip([*sizes[1:], 1], own, strict=True))):
        strides.insert(0, (strides[0] * size if strides else 1) if stride is None else stride)
    view = replace(begun, source=named(root)[0], strides=tuple(strides), base=base)
    count = math.prod(sizes)
    for start in range(0, min(count, MOST_ASKED), PIECE):
        checkpoint()
        flat = np.arange(start, min(start + PIECE, count), dtype=np.int64)
        roots, flats = addresses(flat)
        wanted = np.array(strides, np.int64) @ np.stack(unravel(flat, sizes)) + base
        loose = np.flatnonzero((roots != root) | (flats != wanted) | (flats < base))
        if len(loose):
            at = int(loose[0])
            why = _why(int(roots[at]), int(flats[at]), root, base, int(wanted[at]), named)
            return replace(view, breaks=index_in(start + at, sizes), why=why)
    if count > MOST_ASKED:
        return replace(view, why=f"{MOST_ASKED:,} of its {count:,} elements are where strides would have them")
    return view


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
