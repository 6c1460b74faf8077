"""The chain that an experiment stands in, its wires, and the cursor's path through it; only sessions with wires ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct

from ...desc.base import Part
from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces
from ...desc.value_sources import Wired
from ...errors import plain
from ...operators.maps import NOWHERE, Place
from ...operators.registry import operator_of
from ...scene.colour.root_colours import roots_of
from ...scene.elements.cursor import Cursor
from ...session.chains import Arrival, Chain, Hop, Path
from ...session.experiments import Experiment, Session
from ...session.wiring import broken_by, fault, source_tensor, stages_of, wire_text, wires
from ..shown.state import ChainState, PathLine, PathState, StageState, WireState


def end_of(every: Sequence[Experiment], number: int, kept: Experiment | None) -> Experiment | None:
    """The experiment that a chain ends with in which `number` stands; None where it neither reads nor is read.

    `kept` is the end that was looked at before, which stays while it reads this one; else it is what reads it, and what
    reads that, the first reader in the session each time.
    """
    here = every[number]
    before = next((one for one in every if kept is not None and one.view is kept.view), None)
    if before is not None and before is not here and any(one is here for one in stages_of(before)):
        return before
    end = here
    while (reader := next((o for o in every if any(w.source is end for _, w in wires(o))), None)) is not None:
        end = reader
    return end if end.is_wired else None


def chain_state(every: Sequence[Experiment], end: Experiment, here: Experiment) -> ChainState:
    """The stages up to `end`, of which `here` is looked at."""
    stages = stages_of(end)
    numbers = {id(stage): i for i, stage in enumerate(stages)}
    places = {id(one): i for i, one in enumerate(every)}
    return ChainState(tuple(_stage(stage, numbers, places[id(stage)]) for stage in stages), numbers[id(here)])


def _stage(stage: Experiment, numbers: dict[int, int], number: int) -> StageState:
    desc, waits_for = stage.desc, fault(stage)
    return StageState(
        number=number,
        name=plain(stage.name, 40),
        operator=operator_of(desc).name,
        mark="✔" if not waits_for else "✘" if waits_for == stage.name else "…",
        outputs=tuple(_sizes(part) for part in desc.outputs),
        wires=tuple(
            WireState(part.path, numbers.get(id(wire.source), -1), _wire_mark(part, wire), wire.number)
            for part, wire in wires(stage)
        ),
    )


def _sizes(part: Part) -> str:
    return braces(part.tensor.sizes).replace(" ", "")


def _wire_mark(part: Part, wire: Wired) -> str:
    if wire.source is not None and fault(wire.source):
        return "…"
    if broken_by(part, wire):
        return "✘"
    tensor = source_tensor(wire)
    return "~" if tensor is not None and tensor.sizes != part.tensor.sizes else ""


def carried(chain: Chain, here: int, there: int, cursor: Cursor) -> Cursor | None:
    """What the cursor's element of stage `here` comes from in stage `there`, or is an input of; None for neither."""
    at = output_of(chain, here, cursor)
    if there < here:
        hops = chain.path(*at).hops if at is not None else ()
        return next((Cursor(Place(True, hop.output), hop.index) for hop in hops if hop.stage == there), None)
    if at is None or at[0] != here:
        return None
    for k, part in enumerate(chain.traces[there].inputs):
        if chain.wire(there, k) == (here, at[1]):
            flat = flat_in(at[2], chain.traces[here].outputs[at[1]].tensor.sizes)
            return Cursor(Place(False, k), index_in(flat, part.tensor.sizes))
    return None


def output_of(chain: Chain, stage: int, cursor: Cursor) -> tuple[int, int, tuple[int, ...]] | None:
    """(stage, output, index) of the output element that the cursor is on, or of the one that a wired input is of."""
    if cursor.place.is_output:
        return stage, cursor.place.number, cursor.index
    return chain.led(stage, cursor.place.number, cursor.index)


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
        comes_from = chain.end_text(path)
    left = chain.element_text(hop.stage, hop.output, hop.index)
    why = _working(chain, hop) + " !" * hop.source.clamped
    return PathLine(left, f"⇠ {comes_from}", why)


def _working(chain: Chain, hop: Hop) -> str:
    formula = "".join(text for text, kind in chain.traces[hop.stage].formula(hop.output, hop.index))
    return re.sub(r"^Input\w+", "", next(iter(formula.split(" = ")[1:-1]), ""))


@lru_cache(maxsize=2)
def reach_of(chain: Chain, root: int, index: tuple[int, ...]) -> list[Arrival] | None:
    """Where an element of a chain's input arrives, as far as a screen waits for it."""
    return chain.destinations(root, index)


def _reach_line(chain: Chain, root: int, index: tuple[int, ...], is_hidden: bool) -> PathLine:
    last = len(chain.stages) - 1
    right, why = "goes on to a stage that is not written yet", ""
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
    return PathLine(chain.root_text(root, index), right, why)


class WireChoice(Struct, frozen=True):
    """An output, and what reading it would do to the tensor."""

    name: str
    output: str
    text: str


class WireAsk(Struct, frozen=True):
    """An input that can be wired."""

    path: str
    tensor: str
    now: str
    choices: tuple[WireChoice, ...]


def wire_ask(session: Session, number: int, path: str) -> WireAsk:
    """What input `path` of an experiment can be wired to."""
    here = session.experiments[number]
    own = next(part.tensor for part in here.desc.inputs if part.path == path)
    names = [one.name for one in session.experiments]
    now = next((wire for part, wire in wires(here) if part.path == path), None)
    ranked: list[tuple[bool, WireChoice]] = []
    for one in session.experiments:
        if one is here or names.count(one.name) > 1 or any(stage is here for stage in stages_of(one)):
            continue
        for part in one.desc.outputs:
            if not part.tensor.can_exist:
                continue
            out = part.path if len(one.desc.outputs) > 1 else ""
            fits = part.tensor.data_type is own.data_type and part.tensor.element_count == own.element_count
            remark = "" if part.tensor == own else "   as many elements" if fits else f"   {path} becomes that"
            text = f"{plain(one.name, 40)} {out}".rstrip() + f"  {part.tensor}{remark}"
            ranked.append((not fits, WireChoice(one.name, out, text)))
    choices = tuple(choice for _, choice in sorted(ranked, key=lambda pair: pair[0]))
    return WireAsk(path, str(own), wire_text(now) if isinstance(now, Wired) else "", choices)
