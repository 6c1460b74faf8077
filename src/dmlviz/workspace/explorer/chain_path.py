"""The cursor's path through a chain in words: back to its root, and forth to where that arrives."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ...desc.indexing import flat_in
from ...errors import plain
from ...formats.page_text import short_number
from ...operators.maps import NOWHERE, Place
from ...scene.colour.root_colours import roots_of
from ...scene.elements.cursor import Cursor
from ...session.chains import Arrival, Chain, Hop, Path
from ..shown.chain_state import PathLine, PathState
from .chain_view import output_of

MOST_NAMED = 3
"""Places where an element arrives that are named; the others are counted."""


def path_state(chain: Chain, stage: int, cursor: Cursor, hidden: Callable[[int], bool], tells: bool) -> PathState:
    """The path of an element of a stage; of an input's that of what fills it.

    `hidden` says of which stages not everything may be told, and past one nothing is. `tells` is False where the
    cursor's own element isn't written yet.
    """
    start = output_of(chain, stage, cursor)
    lines, root, index = list[PathLine](), NOWHERE, cursor.index
    if start is None:  # of an input that no wire fills
        root = chain.fed[stage, cursor.place.number][1]
        title = chain.root_text(root, index)
    elif tells and (cursor.place.is_output or not hidden(start[0])):
        title, path = chain.element_text(*start), chain.path(*start)
        told = next((i for i, hop in enumerate(path.hops) if i and hidden(hop.stage)), len(path.hops))
        lines += [_hop_line(chain, path, i) for i in range(told)]
        if told == len(path.hops):
            root, index = path.root, path.index
    else:
        title = chain.element_text(*start)
        lines.append(PathLine(title, "is not written yet"))
    if root != NOWHERE:
        is_hidden = any(map(hidden, range(chain.inputs[root].stage, len(chain.stages))))
        lines.append(_reach_line(chain, root, index, is_hidden))
    return PathState(f"path of {title}", tuple(lines))


def _hop_line(chain: Chain, path: Path, i: int) -> PathLine:
    hop = path.hops[i]
    if i + 1 < len(path.hops):
        after = path.hops[i + 1]
        comes_from = chain.element_text(after.stage, after.output, after.index)
    else:
        comes_from = f"{chain.end_text(path)}{_root_value(chain, path)}"
    left = chain.element_text(hop.stage, hop.output, hop.index)
    why = _working(chain, hop) + " !" * hop.source.clamped
    cursor = Cursor(Place(True, hop.output), hop.index)
    return PathLine(left, f"⇠ {comes_from}", why, stage=chain.stages[hop.stage], cursor=cursor)


def _root_value(chain: Chain, path: Path) -> str:
    """` = 6`, which the element of the chain's input holds that a path ends at; "" where it ends at a constant."""
    if path.root == NOWHERE:
        return ""
    root = chain.inputs[path.root]
    flat = flat_in(path.index, root.part.tensor.sizes)
    return f" = {short_number(chain.traces[root.stage].read(root.tensor, np.array([flat], np.int64))[0])}"


def _working(chain: Chain, hop: Hop) -> str:
    """How a stage comes from an output's index to its source's: `[0,9 % 8]`; "" where it says no more than that."""
    trace = chain.traces[hop.stage]
    terms = "".join(text for text, kind in trace.formula(hop.output, hop.index)).split(" = ")
    middle = terms[1] if len(terms) > 2 else ""
    if not middle.startswith("Input") or "[" not in middle:
        return middle
    index = middle[middle.index("[") :]
    n, many, rest = index.partition("][")
    return f"input {n[1:]} [{rest}" if many else index


@lru_cache(maxsize=2)
def reach_of(chain: Chain, root: int, index: tuple[int, ...]) -> list[Arrival] | None:
    """Where an element of a chain's input arrives, as far as a screen waits for it."""
    return chain.destinations(root, index)


def _reach_line(chain: Chain, root: int, index: tuple[int, ...], is_hidden: bool) -> PathLine:
    one, last = chain.inputs[root], len(chain.stages) - 1
    right, why = "goes on to what is not written yet", ""
    if not is_hidden:
        reach = reach_of(chain, root, index)
        if reach is None:
            right = "goes to too many places to be counted at once"
        elif not reach:
            right, why = f"never arrives in {plain(chain.stages[-1].name, 40)}", "×0"
        else:
            named = ", ".join(chain.element_text(last, a.output, a.index) for a in reach[:MOST_NAMED])
            more = f" and {len(reach) - MOST_NAMED:,} more" if len(reach) > MOST_NAMED else ""
            verb = "goes to" if root in roots_of(chain, last) else "has its say in"
            right, why = f"{verb} {named}{more}", f"×{sum(a.times for a in reach):,}"
    cursor = Cursor(Place(False, one.tensor), index)
    return PathLine(chain.root_text(root, index), right, why, stage=chain.stages[one.stage], cursor=cursor)
