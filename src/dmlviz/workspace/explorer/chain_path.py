"""The cursor's path through a chain in words: back to its root, forth to where that arrives, and what never arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from ...desc.indexing import flat_in
from ...desc.tensors import brackets
from ...errors import plain
from ...formats.page_text import short_number
from ...operators.maps import NOWHERE, Place
from ...scene.colour.root_colours import roots_of
from ...scene.elements.cursor import Cursor
from ...session.chains import Arrival, Chain, Hop, Path
from ..shown.chain_state import PathLead, PathLine, PathState
from .chain_view import output_of

MOST_COUNTED = 1 << 16
"""Elements of a chain up to which it is counted what never arrives, after each edit."""
MOST_NAMED = 3
"""Places where an element arrives that are named; the others are counted."""
LONG_NAME = 12
"""Characters of a stage's name from which on it isn't repeated for each place."""
Hidden = Callable[[int], bool]
"""True for a stage of which not everything may be told."""


def path_state(chain: Chain, stage: int, cursor: Cursor, hidden: Hidden, tells: bool) -> PathState:
    """The path of an element of a stage; of an input's that of what fills it.

    `tells` is False where the cursor's own element isn't written yet. Past a hidden stage nothing is told.
    """
    start = output_of(chain, stage, cursor)
    lines, root, index = list[PathLine](), NOWHERE, cursor.index
    if start is None:  # of an input that no wire fills
        root = chain.fed[stage, cursor.place.number][1]
        title = root_text(chain, root, index)
    elif tells and (cursor.place.is_output or not hidden(start[0])):
        title, path = chain.element_text(*start), chain.path(*start)
        shown = _told_hops(path, start[0], hidden)
        lines += [_hop_line(chain, path, i) for i in shown]
        lines += [line for i in shown if (line := _sender(chain, path.hops[i])) is not None]
        if len(shown) == len(path.hops):
            root, index = path.root, path.index
    else:
        title = chain.element_text(*start)
        lines.append(PathLine(title, "is not written yet"))
    if root != NOWHERE:
        lines.append(
            _reach_line(chain, root, index, any(map(hidden, range(chain.inputs[root].stage, len(chain.stages)))))
        )
        dead = "" if any(map(hidden, range(len(chain.stages)))) else _dead(chain, root)
        if dead:
            lines.append(PathLine("", f"{dead} never arrive"))
    return PathState(f"path of {title}", tuple(lines))


def root_text(chain: Chain, number: int, index: tuple[int, ...]) -> str:
    """An element of a chain's input: `InputTensor[0,5]`; with its stage where other stages have inputs of their own."""
    return _root_name(chain, number, brackets(index))


def _root_name(chain: Chain, number: int, at: str = "") -> str:
    root = chain.inputs[number]
    if name := chain.root_name(number):
        return f"{name}{at}"
    alone = len({one.stage for one in chain.inputs}) == 1
    of = "" if alone else f" of {plain(chain.stages[root.stage].name, 40)}"
    return f"{root.part.path}{at}{of}"


def _told_hops(path: Path, start: int, hidden: Hidden) -> list[int]:
    """The numbers of the hops that may be told: from the first back to one of a stage that hides its own."""
    told: list[int] = []
    for i, hop in enumerate(path.hops):
        if hidden(hop.stage) and not (i == 0 and hop.stage == start):
            break
        told.append(i)
    return told


def _place_text(chain: Chain, path: Path, i: int) -> str:
    """Where hop `i` of a path comes from: the next hop's element, or the root's."""
    if i + 1 < len(path.hops):
        after = path.hops[i + 1]
        return chain.element_text(after.stage, after.output, after.index)
    if path.root == NOWHERE:
        constant = path.hops[-1].source.constant
        return f"the constant {short_number(np.array(constant)[()]) if constant is not None else ''}"
    root = chain.inputs[path.root]
    flat = flat_in(path.index, root.part.tensor.sizes)
    value = short_number(chain.traces[root.stage].read(root.tensor, np.array([flat], np.int64))[0])
    return f"{root_text(chain, path.root, path.index)} = {value}"


def _place_lead(chain: Chain, path: Path, i: int) -> PathLead | None:
    """Where a click on `_place_text` leads; None for a constant."""
    if i + 1 < len(path.hops):
        return _hop_lead(chain, path.hops[i + 1])
    return _root_lead(chain, path.root, path.index) if path.root != NOWHERE else None


def _hop_lead(chain: Chain, hop: Hop) -> PathLead:
    text = chain.element_text(hop.stage, hop.output, hop.index)
    return PathLead(text, chain.stages[hop.stage], Cursor(Place(True, hop.output), hop.index))


def _root_lead(chain: Chain, root: int, index: tuple[int, ...]) -> PathLead:
    one = chain.inputs[root]
    return PathLead(root_text(chain, root, index), chain.stages[one.stage], Cursor(Place(False, one.tensor), index))


def _leads(chain: Chain, path: Path, told: Iterable[int]) -> tuple[PathLead, ...]:
    """Of the first hop's element, and of where each of these comes from."""
    return (_hop_lead(chain, path.hops[0]), *(lead for i in told if (lead := _place_lead(chain, path, i)) is not None))


def _hop_line(chain: Chain, path: Path, i: int) -> PathLine:
    hop = path.hops[i]
    why = _working(chain, hop) + " !" * hop.source.clamped
    left, to = _hop_lead(chain, hop), _place_lead(chain, path, i)
    return PathLine(left.text, f"⇠ {_place_text(chain, path, i)}", why, leads=(left, to) if to is not None else (left,))


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


def _sender(chain: Chain, hop: Hop) -> PathLine | None:
    """The line of the index or length that sent a hop's element, where that has a path of its own."""
    via = hop.source.via
    at = chain.led(hop.stage, via.tensor, via.index) if via is not None else None
    if via is None or at is None:
        return None
    origin = chain.path(*at)
    path = chain.traces[hop.stage].inputs[via.tensor].path
    back, left = _back_in_a_line(chain, origin, len(origin.hops)), f"{path}{brackets(via.index)}"
    here = PathLead(left, chain.stages[hop.stage], Cursor(Place(False, via.tensor), via.index))
    right = f"⇠ {back.left} {back.right}"
    return PathLine(f"{left} = {via.value}", right, "!" * origin.clamped, leads=(here, *back.leads))


def _back_in_a_line(chain: Chain, path: Path, told: int) -> PathLine:
    leads = _leads(chain, path, range(told))
    return PathLine(leads[0].text, " ".join(f"⇠ {_place_text(chain, path, i)}" for i in range(told)), leads=leads)


@lru_cache(maxsize=2)
def reach_of(chain: Chain, root: int, index: tuple[int, ...]) -> list[Arrival] | None:
    """Where an element of a chain's input arrives, as far as a screen waits for it; path and row ask for the same."""
    return chain.destinations(root, index)


def _reach_line(chain: Chain, root: int, index: tuple[int, ...], is_hidden: bool) -> PathLine:
    """The line of where an element of a chain's input arrives at the end."""
    here = _root_lead(chain, root, index)
    left, leads = here.text, (here,)
    if is_hidden:
        return PathLine(left, "goes on to what is not written yet", leads=leads)
    reach = reach_of(chain, root, index)
    if reach is None:
        return PathLine(left, "goes to too many places to be counted at once", leads=leads)
    last, name = len(chain.stages) - 1, plain(chain.stages[-1].name, 40)
    if not reach:
        return PathLine(left, f"never arrives in {name}", "×0", leads=leads)
    arrivals = reach[:MOST_NAMED]
    texts = [chain.element_text(last, a.output, a.index) for a in arrivals]
    if len(name) > LONG_NAME:
        texts[1:] = [text.removeprefix(name) for text in texts[1:]]
    if "," in name:  # it would read as two places
        texts[0] = texts[0].replace(name, f'"{name}"', 1)
    named = ", ".join(texts)
    more = f" and {len(reach) - MOST_NAMED:,} more" if len(reach) > MOST_NAMED else ""
    verb = "goes to" if root in roots_of(chain, last) else "has its say in"
    cursors = [Cursor(Place(True, a.output), a.index) for a in arrivals]
    to = tuple(PathLead(text, chain.stages[last], cursor) for text, cursor in zip(texts, cursors, strict=True))
    return PathLine(left, f"{verb} {named}{more}", f"×{sum(a.times for a in reach):,}", leads=(here, *to))


@lru_cache(maxsize=2)
def dead_text(chain: Chain) -> str:
    """What never arrives of the first input of which that is so; "" where all does, or it isn't counted."""
    return next(filter(None, (_dead(chain, k) for k in range(len(chain.inputs)))), "")


def _dead(chain: Chain, root: int) -> str:
    """What of a chain's input never arrives: `3 of 8 elements of InputTensor of parts`; "" for none, or too many."""
    dead = chain.dead(root) if chain.elements <= MOST_COUNTED else None
    if not dead:
        return ""
    part = chain.inputs[root].part
    return f"{dead:,} of {part.tensor.element_count:,} elements of {_root_name(chain, root)}"
