"""Follow mode: one element goes through all stages of a chain, from its root to the end, one stage a step."""

from __future__ import annotations

from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ...operators.maps import NOWHERE, Place
from ...scene.elements.cursor import Cursor
from ...scene.steps.player import Player
from ...session.chains import Chain, Path
from ..shown.chain_state import PathState
from .chain_path import reach_of, root_text
from .chain_view import output_of

MOST_TRIED = 64
"""Arrivals of a root among which one is looked for whose way leads by the element that is followed."""
Stop = tuple[int, Cursor]
"""A stage, and an element of it."""


class Following(Struct, frozen=True):
    """An element on its way: where it stops, and how far it has come."""

    chain: Chain
    path: PathState
    """The path of where it arrives."""
    stops: tuple[Stop, ...]
    player: Player

    @property
    def here(self) -> Stop:
        """Where the element stands."""
        return self.stops[self.player.moment(len(self.stops) - 1).written]

    def shown(self) -> PathState:
        """The path with a sign where the element stands."""
        (stage, cursor), playing = self.here, self.player.playing
        start = output_of(self.chain, stage, cursor)
        if start is not None:
            name, where = self.chain.element_text(*start), f"at stage {stage + 1} of {len(self.chain.stages)}"
        else:
            root = self.chain.root_numbers[stage, cursor.place.number]
            name, where = root_text(self.chain, root, cursor.index), "root"
        lines = tuple(replace(line, is_here=line.left == name) for line in self.path.lines)
        goes_on = "goes on" if self.here is not self.stops[-1] else "follows it again"
        plays = f"{where}: space {'stops' if playing else goes_on}"
        return replace(self.path, lines=lines, plays=plays, is_playing=playing)


def stops_of(chain: Chain, stage: int, cursor: Cursor) -> tuple[Stop, ...]:
    """Where an element's way leads: its root, then each stage's output up to where it arrives first.

    An element that never arrives goes as far as the cursor's.
    """
    start = output_of(chain, stage, cursor)
    path = chain.path(*start) if start is not None else None
    if path is None:
        root, index = chain.root_numbers[stage, cursor.place.number], cursor.index
    else:
        root, index = path.root, path.index
    if root != NOWHERE:
        path = _arriving(chain, root, index, start) or path
    first = [(chain.inputs[root].stage, Cursor(Place(False, chain.inputs[root].tensor), index))] * (root != NOWHERE)
    hops = path.hops if path is not None else ()
    return (*first, *((hop.stage, Cursor(Place(True, hop.output), hop.index)) for hop in reversed(hops)))


def _arriving(
    chain: Chain, root: int, index: tuple[int, ...], by: tuple[int, int, tuple[int, ...]] | None
) -> Path | None:
    """The path of the first arrival of a root's element as data, on a way through `by`; None for none."""
    reach = reach_of(chain, root, index)
    if not reach.counted:
        return None
    for arrival in islice(reach, MOST_TRIED):
        path = chain.path(len(chain.stages) - 1, arrival.output, arrival.index)
        leads = by is None or any((hop.stage, hop.output, hop.index) == by for hop in path.hops)
        if leads and (path.root, path.index) == (root, index):
            return path
    return None
