"""Colours of a chain: one means the same from the root to the end, whatever stages do with it."""

from __future__ import annotations

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Index, Indices
from ...errors import plain
from ...operators.maps import NOWHERE, Place, Reader
from ...session.chains import Chain

MOST_ELEMENTS = 64
"""Elements of an only root up to which each has a colour of its own; of more, its slices have."""
MOST_LOOKED_AT = 4096
"""Elements of a tensor up to which colours are worked out once, and the axes along which they change are found."""


class RootColours:
    """What `Trace.colours` has to be, for one stage of a chain."""

    def __init__(self, chain: Chain, stage: int) -> None:
        self._chain, self._stage = chain, stage
        self.roots = roots_of(chain, len(chain.stages) - 1)
        stages = _data_stages(chain, stage)
        if not any(chain.inputs[k].stage in stages for k in self.roots):
            # What the stage makes is no data at the end, but indices there.
            self.roots = roots_of(chain, stage)
        self._axes: dict[Place, tuple[int, ...]] = {}
        self._whole: dict[Place, Indices] = {}
        only = chain.inputs[self.roots[0]] if len(self.roots) == 1 else None
        self._sizes = only.part.tensor.sizes if only is not None else ()
        self._axis = -1
        if only is None:
            self.identity_of = "the input of the chain an element comes from"
            self._count = len(self.roots)
            return
        stage_name = plain(chain.stages[only.stage].name, 20)
        of = chain.root_name(self.roots[0]) or f"{only.part.path} of {stage_name}"
        if only.part.tensor.element_count <= MOST_ELEMENTS:
            self.identity_of, self._count = f"the element of {of}", only.part.tensor.element_count
            return
        long = [d for d, size in enumerate(self._sizes) if size > 1]
        named = chain.stages[only.stage].desc.named_axes
        self._axis = next((d for d in named if d in long), long[-1])
        self.identity_of, self._count = f"the place along axis {self._axis} of {of}", self._sizes[self._axis]

    def identity(self, desc: Desc, place: Place, index: Index, read: Reader) -> Indices:
        """(N,) which root, or which part of the only one, each element comes from; -1 for none, and for indices."""
        trace = self._chain.traces[self._stage]
        tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
        flat = ravel(index, tensor.sizes)
        if tensor.element_count > MOST_LOOKED_AT:
            return self._identity(place, flat)
        if place not in self._whole:
            self._whole[place] = self._identity(place, tensor.flat)
        names: Indices = self._whole[place][flat]
        return names

    def _identity(self, place: Place, flat: Indices) -> Indices:
        chain, n = self._chain, place.number
        if place.is_output:
            return self._named(*chain.addresses(self._stage, n, flat)[:2])
        if chain.traces[self._stage].inputs[n].field.role is not Role.DATA:
            return np.full(len(flat), -1, np.int64)
        stage, out = chain.fed[self._stage, n]
        if stage != NOWHERE:
            return self._named(*chain.addresses(stage, out, flat)[:2])
        return self._named(np.full(len(flat), out, np.int64), flat)

    def _named(self, roots: Indices, flat: Indices) -> Indices:
        if len(self.roots) != 1:
            names = np.full(len(self._chain.inputs) + 1, -1, np.int64)  # the last one is NOWHERE's
            names[self.roots] = np.arange(len(self.roots))
            return names[roots]
        found = unravel(flat, self._sizes)[self._axis] if self._axis >= 0 else flat
        return np.where(roots == self.roots[0], found, -1)

    def identity_count(self, desc: Desc) -> int:
        return self._count

    def identity_axes(self, desc: Desc, place: Place) -> tuple[int, ...]:
        """Where colours change: as is found out of a small tensor, unless indices or lengths decide it, else anywhere.

        What those decide is hidden while steps are shown, and the layout would tell.
        """
        known = self._axes.get(place)
        if known is None:
            known = self._axes[place] = self._found_axes(place)
        return known

    def _found_axes(self, place: Place) -> tuple[int, ...]:
        trace = self._chain.traces[self._stage]
        tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
        long = tuple(d for d, size in enumerate(tensor.sizes) if size > 1)
        steered = any(part.field.role is not Role.DATA for part in trace.inputs)
        if tensor.element_count > MOST_LOOKED_AT or (place.is_output and steered):
            return long
        every = unravel(tensor.flat, tensor.sizes)
        names = self.identity(trace.desc, place, every, trace.read).reshape(tensor.sizes)
        return tuple(d for d in long if (names != names.take([0], axis=d)).any())

    def named_by(self, desc: Desc, tensor: int, index: Index, read: Reader) -> None:
        """None: what reads an element has no say in its colour."""

    def sequence_size(self, desc: Desc) -> int:
        """0: no shades, which would be other colours."""
        return 0

    def sequence_places(self, desc: Desc, place: Place, index: Index, read: Reader) -> None:
        """None, likewise."""


def _data_stages(chain: Chain, stage: int) -> set[int]:
    """The stages whose elements are data in a stage: what is read as indices there doesn't count."""
    found, left = set[int](), [stage]
    while left:
        here = left.pop()
        if here in found:
            continue
        found.add(here)
        inputs = enumerate(chain.stages[here].desc.inputs)
        data = [k for k, part in inputs if part.field.role is Role.DATA]
        left += [led[0] for k in data if (led := chain.wire(here, k)) is not None]
    return found


def roots_of(chain: Chain, stage: int) -> list[int]:
    """The numbers of the chain's inputs that elements of a stage are of."""
    stages = _data_stages(chain, stage)
    return [k for k, r in enumerate(chain.inputs) if r.stage in stages and r.part.field.role is Role.DATA]
