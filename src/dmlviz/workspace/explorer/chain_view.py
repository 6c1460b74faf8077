"""The chain that an experiment of a session stands in, as screens say it; only sessions with wires ask."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.base import Part
from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces
from ...desc.value_sources import Wired
from ...errors import plain
from ...operators.maps import Place
from ...operators.registry import operator_of
from ...scene.elements.cursor import Cursor
from ...session.chains import Chain
from ...session.experiments import Experiment
from ...session.wiring import broken_by, fault, source_tensor, stages_of, wires
from ..shown.chain_state import ChainState, StageState, WireState


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
    return shown_stages(stages_of(end), every, here)


def shown_stages(stages: Sequence[Experiment], every: Sequence[Experiment], here: Experiment) -> ChainState:
    """Some experiments of a session as stages, of which `here` is looked at."""
    numbers = {id(stage): i for i, stage in enumerate(stages)}
    places = {id(one): i for i, one in enumerate(every)}
    return ChainState(tuple(_stage(stage, numbers, places[id(stage)]) for stage in stages), numbers[id(here)])


def _stage(stage: Experiment, numbers: dict[int, int], number: int) -> StageState:
    desc, waits_for, wired = stage.desc, fault(stage), {part.path for part, _ in wires(stage)}
    axes = [f"{field.name} {desc.get(field.name)}" for field in desc.ATTRIBUTES if field.is_axis]
    outputs = desc.outputs
    return StageState(
        number=number,
        name=plain(stage.name, 40),
        operator=operator_of(desc).name,
        detail=axes[0] if axes else "",
        mark="✔" if not waits_for else "✘" if waits_for == stage.name else "…",
        outputs=tuple(_sizes(part) for part in outputs),
        data_type=outputs[0].tensor.data_type.name if outputs else "",
        roots=tuple(_root_text(stage, part) for part in desc.inputs if part.path not in wired),
        wires=tuple(
            WireState(part.path, numbers.get(id(wire.source), -1), _wire_mark(part, wire), wire.number)
            for part, wire in wires(stage)
        ),
    )


def _root_text(stage: Experiment, part: Part) -> str:
    """Sizes of an input that no wire fills, with what it is called where an import has named it."""
    names = stage.extra.get("roots")
    name = names.get(part.path) if isinstance(names, dict) else None
    return f"{plain(name, 20)} {_sizes(part)}" if isinstance(name, str) and name else _sizes(part)


def _sizes(part: Part) -> str:
    return braces(part.tensor.sizes).replace(" ", "")


def _wire_mark(part: Part, wire: Wired) -> str:
    """What is to be known about a wire, see `WireState.mark`."""
    if wire.source is not None and fault(wire.source):
        return "…"
    if broken_by(part, wire):
        return "✘"
    tensor = source_tensor(wire)
    return "~" if tensor is not None and tensor.sizes != part.tensor.sizes else ""


def carried(chain: Chain, here: int, there: int, cursor: Cursor) -> Cursor | None:
    """Where the cursor's element of stage `here` stands in stage `there`: what it comes from, or where it goes first.

    None where neither is so. To a reader it goes as an element of the input that the wire fills; an input's by way of
    the first output element that reads it.
    """
    at = output_of(chain, here, cursor)
    if there > here and not cursor.place.is_output:
        reads = chain.traces[here].destinations(cursor.place.number, cursor.index)
        at = (here, reads[0].output, reads[0].index) if reads.counted and len(reads) else None
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
