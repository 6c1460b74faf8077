"""All stages side by side, where there is room: what each makes, with the cursor's element lit wherever it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.indexing import flat_in, index_in
from ...desc.values import Indices
from ...errors import plain
from ...operators.maps import NOWHERE, Place
from ...scene.colour.root_colours import RootColours, roots_of
from ...scene.elements.cursor import Cursor
from ...scene.elements.known import EVERYTHING, Known
from ...scene.layout.arrange import Scene, arrange
from ...scene.layout.zoom import Zoom
from ...scene.look import Look
from ...session.chains import Chain
from ..shown.chain_state import StagePicture
from .chain_path import reach_of
from .chain_view import output_of

PAGE = 4000
"""Columns and lines that a picture is laid out for; the row shows a window of it."""


class Reached(Struct, frozen=True):
    """Which elements an element goes to, as `Look.lit` wants it; equal where they are."""

    elements: tuple[tuple[Place, tuple[int, ...]], ...]

    def __call__(self, place: Place, flat: Indices) -> NDArray[np.bool_]:
        here = [elements for at, elements in self.elements if at == place]
        return np.isin(flat, np.array(here[0] if here else (), np.int64))


class ChainRow:
    """Lays the stages of a chain out once, and tells what is lit in them."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        traces = [trace.with_colours(RootColours(chain, i)) for i, trace in enumerate(chain.traces)]
        self._scenes: list[Scene] = [arrange(trace, PAGE, PAGE, Zoom.VALUES, page=True).packed() for trace in traces]

    def pictures(
        self, stage: int, cursor: Cursor, known: Known, hidden: Callable[[int], bool]
    ) -> tuple[StagePicture, ...]:
        """The picture of the root, if there is but one, and of each stage's outputs.

        `known` is what may be told of the present stage. Of another that hides something nothing is told, and of what
        reads a stage that does.
        """
        chain, shown = self.chain, list[StagePicture]()
        places, root, index = self._path(stage, cursor, known, hidden)
        reach = reach_of(chain, root, index) if root != NOWHERE else None
        data = roots_of(chain, len(chain.stages) - 1)
        if len(data) == 1 and len(self._scenes[chain.inputs[data[0]].stage].inputs.figures) == 1:
            only = chain.inputs[data[0]]
            look, place = Look(), Place(False, only.tensor)
            if root == data[0]:
                flat = flat_in(index, only.part.tensor.sizes)
                look = Look(Cursor(place, index), lit=Reached(((place, (flat,)),)))
            title = chain.root_name(data[0]) or only.part.path
            shown.append(StagePicture(only.stage, title, self._scenes[only.stage].inputs, look, is_root=True))
        closed: set[int] = set()
        for i, one in enumerate(chain.stages):
            title = f"{i + 1} {plain(one.name, 30)}"
            leads = {led[0] for k in range(len(one.desc.inputs)) if (led := chain.wire(i, k)) is not None}
            if (i != stage and hidden(i)) or leads & closed or any(map(hidden, leads)):
                closed.add(i)
                shown.append(StagePicture(i, title, None))
                continue
            written = known if i == stage else EVERYTHING
            lit = Reached(()) if reach is None or not reach.counted or not written.whole else self._lit(reach.at(i))
            at = places.get(i)
            if at is None and lit.elements:  # where it goes first
                first, flats = lit.elements[0]
                sizes = chain.traces[i].outputs[first.number].tensor.sizes
                at = Cursor(first, index_in(flats[0], sizes))
            if at is not None and not written.tells(at):
                at = None
            look = Look(at, written=written, lit=lit if lit.elements else None)
            shown.append(StagePicture(i, title, self._scenes[i].outputs, look))
        return tuple(shown)

    def _path(
        self, stage: int, cursor: Cursor, known: Known, hidden: Callable[[int], bool]
    ) -> tuple[dict[int, Cursor], int, tuple[int, ...]]:
        """(by stage, the element on the cursor's path; the root where that ends, and its element there)."""
        chain, start = self.chain, output_of(self.chain, stage, cursor)
        if start is None:
            return {}, chain.root_numbers[stage, cursor.place.number], cursor.index
        if (cursor.place.is_output and not known.tells(cursor)) or (start[0] != stage and hidden(start[0])):
            return {}, NOWHERE, ()
        path = chain.path(*start)
        return {hop.stage: Cursor(Place(True, hop.output), hop.index) for hop in path.hops}, path.root, path.index

    @staticmethod
    def _lit(reached: Mapping[int, tuple[Indices, Indices]]) -> Reached:
        return Reached(tuple((Place(True, k), tuple(flats.tolist())) for k, (flats, _) in reached.items()))
