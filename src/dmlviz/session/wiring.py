"""Wires between a session's experiments: what each leads to, what its reader reads, and what follows its source.

A session has every `Wired` know its source, an experiment as frozen as its reader. So whoever reads values by window
reads through all stages, and an experiment that is looked at alone still reads what it read in its session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.indexing import ravel, unravel
from ..desc.levels import FeatureLevel
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Loose, Wired
from ..desc.values import Array, Indices, Stored, Values
from ..errors import DmlvizError, ValuesError, plain, quote
from ..operators.desc_edits import with_tensor
from ..operators.evaluation import evaluate
from ..operators.registry import operator_of
from ..operators.report import Severity
from ..tracing import Trace

MOST_STAGES = 64
"""Experiments that one may read through, itself included."""
MOST_KEPT = 1 << 12
"""Elements of an output up to which all are kept once one is read: a picture asks for most of them anyhow."""
MOST_KEPT_CELLS = 1 << 20
"""Likewise of an output that is read as indices or lengths: checks scan these whole, maps ask for them again."""


MOST_RECENT = 1 << 18
"""Elements of a larger output that are kept of those read last."""
Stage: TypeAlias = Any
"""An experiment, which imports this module."""


def wires(stage: Stage) -> list[tuple[Part, Wired]]:
    """The wired inputs of a stage, in field order."""
    if not stage.is_wired:
        return []
    entries = ((part, stage.values.get(part.path)) for part in stage.desc.inputs)
    return [(part, entry) for part, entry in entries if isinstance(entry, Wired)]


def stages_of(stage: Stage) -> tuple[Stage, ...]:
    """All that a stage reads, transitively, each behind its sources, the stage itself last."""
    done: dict[int, Stage] = {}
    walk: list[tuple[Stage, bool]] = [(stage, False)]
    while walk:
        one, is_left = walk.pop()
        if is_left:
            done.setdefault(id(one), one)
        elif id(one) not in done:
            walk.append((one, True))
            walk += [(wire.source, False) for _, wire in reversed(wires(one)) if wire.source is not None]
    return tuple(done.values())


def standings(stages: Sequence[Stage]) -> list[tuple[int, int] | None]:
    """Of each: which stage, from 1, of how many it is in the longest chain that it is in; None where it is alone."""
    found: dict[int, tuple[int, int]] = {}
    for chain in map(stages_of, stages):
        for k, one in enumerate(chain, 1):
            if len(chain) > found.get(id(one), (1, 1))[1]:
                found[id(one)] = k, len(chain)
    return [found.get(id(one)) for one in stages]


# ---- where wires lead


def resolved(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The experiments of a session with each wire led to its source; the same objects where that is known already."""
    if not any(stage.is_wired for stage in stages):
        return stages
    places: dict[str, list[int]] = {}
    for i, stage in enumerate(stages):
        places.setdefault(stage.name, []).append(i)
    reads = [_reads(stage, places) for stage in stages]
    order, cut = _in_order(reads)
    now = list(stages)
    depths: dict[int, frozenset[int]] = {}
    for i in order:
        depths[i] = frozenset({i}).union(*(depths[k] for path, k in reads[i].items() if (i, path) not in cut))
        led = {}
        for path, entry in now[i].values.items():
            if isinstance(entry, Wired):
                ring = cut.get((i, path))
                wire = _led(entry, places, now, ring)
                if wire.loose is None and len(depths[i]) > MOST_STAGES:
                    wire = Wired(entry.name, entry.output, loose=_too_many(entry, len(depths[i])))
                if wire.source is not entry.source or (wire.number, wire.loose) != (entry.number, entry.loose):
                    led[path] = wire
        if led:
            now[i] = replace(now[i], values={**now[i].values, **led})
        if len(depths[i]) > MOST_STAGES:
            depths[i] = frozenset({i})
    return tuple(now)


def _reads(stage: Stage, places: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """By path, the number of the experiment that each wire of a stage reads, where there is just one of that name."""
    if not stage.is_wired:
        return {}
    named = {path: places.get(entry.name, ()) for path, entry in stage.values.items() if isinstance(entry, Wired)}
    return {path: found[0] for path, found in named.items() if len(found) == 1}


def _in_order(reads: Sequence[Mapping[str, int]]) -> tuple[list[int], dict[tuple[int, str], list[int]]]:
    """Numbers of experiments, each behind those that it reads, and the wires that were cut for it, with their rings.

    A ring is cut where the last of it reads, as seen from the first one in the session.
    """
    cut: dict[tuple[int, str], list[int]] = {}
    order: list[int] = []
    state = [0] * len(reads)  # 1: on the way, 2: done
    for start in range(len(reads)):
        way: list[tuple[int, Iterator[tuple[str, int]]]] = []
        if not state[start]:
            state[start] = 1
            way.append((start, iter(reads[start].items())))
        while way:
            at, left = way[-1]
            for path, source in left:
                if state[source] == 1:
                    numbers = [number for number, _ in way]
                    cut[at, path] = [*numbers[numbers.index(source) :], source]
                elif not state[source]:
                    state[source] = 1
                    way.append((source, iter(reads[source].items())))
                    break
            else:
                way.pop()
                state[at] = 2
                order.append(at)
    return order, cut


def _led(entry: Wired, places: Mapping[str, Sequence[int]], now: Sequence[Any], ring: list[int] | None) -> Wired:
    """A wire with its source, or with what is wrong with it."""
    name, output = entry.name, entry.output

    def loose(id_: str, expected: str, found: str, message: str) -> Wired:
        return Wired(name, output, loose=Loose(id_, expected, found, message))

    found = places.get(name, ())
    if not found and entry.source is not None:
        return entry  # what was taken out of its session reads what it read there
    if len(found) != 1:
        count = "no experiment" if not found else f"{len(found)} experiments, {_numbers(found)},"
        verb = "is" if len(found) <= 1 else "are"
        return loose(
            "chain.source", "one experiment", str(len(found)), f"is from {quote(name)}, but {count} {verb} called so."
        )
    if ring is not None:
        shown = " ⇠ ".join(plain(now[i].name, 40) for i in (ring if len(ring) <= 9 else [*ring[:4], *ring[-4:]]))
        return loose("chain.cycle", "no way back", shown, f"reads itself: {shown}.")
    source = now[found[0]]
    fields = [field for field in source.desc.TENSORS if field.role is Role.OUTPUT]
    paths = [part.path for part in source.desc.outputs] or [field.name for field in fields if not field.many]
    if output in paths or (not output and len(paths) == 1):
        return Wired(name, output, source, paths.index(output) if output else 0)
    if not paths and fields:
        paths = [f"{fields[0].name}[0]"]
    known = " or ".join([*paths[:3], *(["..."] if len(paths) > 3 else [])])
    said = f"output {quote(output)} of" if output else "no output in particular of"
    return loose("chain.source", known, output, f"is from {said} {quote(name)}, expected {known}.")


def _numbers(found: Sequence[int]) -> str:
    numbers = [str(i + 1) for i in found[:4]] + ["..."] * (len(found) > 4)
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def _too_many(entry: Wired, count: int) -> Loose:
    return Loose(
        "chain.source",
        f"at most {MOST_STAGES} experiments",
        str(count),
        f"is from {quote(entry.name)}, through which it reads {count} experiments, expected at most {MOST_STAGES}.",
    )


def rings(stages: Sequence[Stage]) -> list[str]:
    """Each ring of experiments that read each other: `a ⇠ b ⇠ a`."""
    loose = (wire.loose for stage in stages for _, wire in wires(stage))
    return list(dict.fromkeys(found.found for found in loose if found is not None and found.id == "chain.cycle"))


# ---- what readers read


def source_tensor(wire: Wired) -> TensorDesc | None:
    """The output that a wire leads to; None where there is none, or its source is without one."""
    outputs = wire.source.desc.outputs if wire.source is not None else ()
    return outputs[wire.number].tensor if wire.number < len(outputs) else None


def misfit(part: Part, wire: Wired) -> str:
    """The id of the rule by which a wire and its source don't go together; "" where they do, or one isn't there."""
    tensor = source_tensor(wire)
    if tensor is None or not tensor.can_exist or not part.tensor.can_exist:
        return ""
    if tensor.data_type is not part.tensor.data_type:
        return "chain.data_type"
    return "chain.elements" if tensor.element_count != part.tensor.element_count else ""


def fault(stage: Stage) -> str:
    """The name of the experiment for which readers of a stage wait: itself or one that it reads; "" for none."""
    if "_fault" not in stage.__dict__:
        for one in stages_of(stage):  # each behind its sources, so that none of them goes deep
            if "_fault" not in one.__dict__:
                one.__dict__["_fault"] = _own_fault(one)
    return str(stage.__dict__["_fault"])


def _own_fault(stage: Stage) -> str:
    """`fault` of a stage whose sources' faults are known."""
    for _, wire in wires(stage):
        if wire.source is not None and wire.source.__dict__["_fault"]:
            return str(wire.source.__dict__["_fault"])
    return (stage.name or "an experiment") if is_broken(stage) else ""


def is_broken(stage: Stage) -> bool:
    """True if a stage breaks a rule itself, whatever it waits for."""
    if any(wire.source is None or (not fault(wire.source) and misfit(part, wire)) for part, wire in wires(stage)):
        return True
    checks = evaluate(operator_of(stage.desc), stage.desc, stage.feature_level).checks
    return any(not check.ok and check.severity is Severity.ERROR for check in checks)


class WiredValues(Values):
    """Elements of another experiment's output, by its trace: the same packed memory, whatever the sizes."""

    def __init__(self, part: Part, trace: Trace, number: int) -> None:
        super().__init__(part.tensor)
        self._trace, self._number = trace, number
        most = MOST_KEPT if part.field.role is Role.DATA else MOST_KEPT_CELLS
        self._is_kept = part.tensor.element_count <= most

    @property
    def key(self) -> Hashable:
        return self.tensor, self._number, self._trace  # a trace is equal to itself alone

    def read(self, flat: Indices) -> Array:
        kept = self._trace.kept
        name = "wired", self._number
        if self._is_kept and name not in kept:
            kept[name] = self._trace.reference(self._number).reshape(-1)
        if name in kept:
            elements: Array = kept[name][flat]
            return elements
        if ("recent", self._number) not in kept:
            kept["recent", self._number] = _Recent(self.tensor)
        recent: _Recent = kept["recent", self._number]
        return recent.read(flat, self._window)

    def _window(self, flat: Indices) -> Array:
        sizes = self._trace.outputs[self._number].tensor.sizes
        return self._trace.window(self._number, unravel(flat, sizes))


class _Recent:
    """Elements of one output that were read last, each in one place, which another may take.

    Indices may come from where the data do that they pick: without these, each stage would ask twice for what it reads.
    """

    def __init__(self, tensor: TensorDesc) -> None:
        places = min(tensor.element_count, MOST_RECENT)
        self._numbers = np.zeros(places, np.int64)  # from 1; 0 for none
        self._elements = np.zeros(places, tensor.data_type.dtype)
        self._lock = Lock()  # traces are read by several threads

    def read(self, flat: Indices, window: Callable[[Indices], Array]) -> Array:
        """The elements at `flat`, of which `window` gives those that aren't known."""
        places = flat % len(self._numbers)
        with self._lock:
            elements, new = self._elements[places], self._numbers[places] != flat + 1
        if new.any():
            asked, at = flat[new], places[new]
            elements[new] = made = window(asked)
            with self._lock:
                self._numbers[at], self._elements[at] = asked + 1, made
        return elements


def values_of(part: Part, wire: Wired) -> Values:
    """What a wired input holds. Raises ValuesError where the wire leads nowhere, or to what has no values yet."""
    if wire.source is None:
        why = wire.loose.message if wire.loose is not None else f"is from {quote(wire.name)}, expected it in a session."
        raise ValuesError(f"{part.path} {why}")
    if (name := fault(wire.source)) or source_tensor(wire) is None:
        raise ValuesError(f"{part.path} waits for {quote(name or wire.name)}, which is not valid.")
    if misfit(part, wire):
        raise ValuesError(
            f"{part.path} is {part.tensor}, expected as many elements, of the same DataType, as {wire_text(wire)}, "
            f"{source_tensor(wire)}."
        )
    return WiredValues(part, wire.source.links, wire.number)


def wire_name(wire: Wired) -> str:
    """What a wire leads to, in short: `halves[1]`; `swapped` of its only output."""
    several = wire.source is not None and len(wire.source.desc.outputs) > 1
    return f"{plain(wire.name, 40)}{f'[{wire.number}]' * several}"


def wire_text(wire: Wired) -> str:
    """Where a wire leads, as sentences say it: `OutputTensors[1] of "halves"`."""
    outputs = wire.source.desc.outputs if wire.source is not None else ()
    path = wire.output or (outputs[wire.number].path if wire.number < len(outputs) else "the output")
    return f"{plain(path, 40)} of {quote(wire.name, 40)}"


# ---- what follows


def with_part(desc: Desc, path: str, tensor: TensorDesc) -> Desc:
    """A desc whose tensor at `path` has the type and the sizes of another; what is inferred follows."""
    part = next(part for part in desc.parts if part.path == path)
    if (part.tensor.data_type, part.tensor.sizes) == (tensor.data_type, tensor.sizes):
        return desc
    return desc.replace(with_tensor(desc, part, part.tensor.retyped(tensor.data_type).resized(tensor.sizes)))


def followed(before: Sequence[Stage], after: Sequence[Stage]) -> tuple[Stage, ...]:
    """The experiments after an edit, with wired tensors as their sources are now where both were alike before it.

    Both are of as many, in one order. What an edit itself gives a wired tensor stays.
    """
    now = list(resolved(tuple(after)))
    if len(before) != len(now) or not any(stage.is_wired for stage in now):
        return tuple(now)
    places = {id(stage): i for i, stage in enumerate(now)}
    order = [places[id(one)] for stage in now for one in stages_of(stage) if id(one) in places]
    for i in dict.fromkeys(order):
        old = {part.path: (part.tensor, wire) for part, wire in wires(before[i])}
        desc = now[i].desc
        for part, wire in wires(now[i]):
            was, source = old.get(part.path), places.get(id(wire.source))
            if was is None or source is None or was[0] != part.tensor or was[1].name != wire.name:
                continue
            tensor, outputs = source_tensor(was[1]), now[source].desc.outputs
            if tensor is None or wire.number >= len(outputs) or wire.output != was[1].output:
                continue
            new = outputs[wire.number].tensor
            if _looks(tensor) == _looks(new):
                continue
            data_type, sizes = _looks(was[0])
            if data_type is tensor.data_type and new.can_exist:
                data_type = new.data_type
            if sizes == tensor.sizes and new.can_exist:
                sizes = new.sizes
            try:
                desc = with_part(desc, part.path, TensorDesc(data_type, sizes))
            except DmlvizError:
                continue
        if desc is not now[i].desc:
            now[i] = replace(now[i], desc=desc)
    return resolved(tuple(now))


def _looks(tensor: TensorDesc) -> tuple[Any, tuple[int, ...]]:
    return tensor.data_type, tensor.sizes


def renamed(stages: Sequence[Stage], names: Mapping[str, str]) -> list[Stage]:
    """The experiments with wires to other names."""
    changed = []
    for stage in stages:
        moved = {
            path: Wired(names[entry.name], entry.output)
            for path, entry in stage.values.items()
            if isinstance(entry, Wired) and entry.name in names and names[entry.name] != entry.name
        }
        changed.append(replace(stage, values={**stage.values, **moved}) if moved else stage)
    return changed


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, with a number behind it where another has it."""
    if name not in taken:
        return name
    base, _, number = name.rpartition(" ")
    base = base if base and number.isdecimal() else name
    return next(numbered for n in count(2) if (numbered := f"{base} {n}") not in taken)


def told_apart(missing: tuple[Stage, ...], stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Both, in turn; of the missing those that have another's name under one of their own, and wires to these too."""
    taken, new = {stage.name for stage in stages}, dict[int, str]()
    for one in missing:
        name = free_name(one.name, taken)
        taken.add(name)
        if name != one.name:
            new[id(one)] = name
    if not new:
        return (*missing, *stages)
    now = []
    for one in (*missing, *stages):
        led = {
            path: Wired(new[id(entry.source)], entry.output)
            for path, entry in one.values.items()
            if isinstance(entry, Wired) and id(entry.source) in new
        }
        now.append(replace(one, name=new.get(id(one), one.name), values={**one.values, **led}))
    return resolved(tuple(now))


_RUN: list[Callable[[Desc, Sequence[Array | Values], FeatureLevel], list[Array]]] = []
"""What runs a desc on its kernel, which stands above sessions; set once the public API is there."""


def run_by(run: Callable[[Desc, Sequence[Array | Values], FeatureLevel], list[Array]]) -> None:
    """Sets what runs each stage of a chain, and makes arrays of values if there is memory for these."""
    _RUN[:] = [run]


def run_desc(desc: Desc, inputs: Sequence[Array | Values], level: FeatureLevel) -> list[Array]:
    """The outputs of a desc; by the slow reference where nothing runs kernels."""
    if _RUN:
        return _RUN[0](desc, inputs, level)
    pairs = zip(desc.inputs, inputs, strict=True)
    trace = Trace(desc, [one if isinstance(one, Values) else Stored(part.tensor, one) for part, one in pairs])
    return [trace.reference(number) for number in range(len(trace.outputs))]


def through_output(trace: Trace, number: int, flat: Indices) -> tuple[Indices, Indices, Indices | None, Indices]:
    """Where elements `flat` (N,) of an output come from, one stage back: (tensors, flat elements, flat cells, flags).

    Cells are those of the index or length tensor that sent them; None where there is none. `Sources.via_tensor` is
    that tensor's number, the same for all outputs.
    """
    sizes = trace.outputs[number].tensor.sizes
    sources = trace.sources(number, unravel(flat, sizes))
    cells = None
    if sources.via is not None:
        cells = ravel(sources.via, trace.input_sizes[sources.via_tensor])
    flags = sources.flags if sources.flags is not None else np.zeros(len(flat), np.int64)
    return sources.tensor, sources.flat(trace.input_sizes), cells, flags
