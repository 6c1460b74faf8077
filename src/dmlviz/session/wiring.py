"""Wires between a session's experiments: what each leads to, in which order they read each other, and what is wrong.

A session has every `Wired` know its source, an experiment as frozen as its reader. So whoever reads values by window
reads through all stages, and an experiment that is looked at alone still reads what it read in its session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from msgspec import structs

from ..desc.base import Desc, Part
from ..desc.levels import NEWEST
from ..desc.tensors import TensorDesc, braces
from ..desc.value_sources import Wired
from ..errors import DmlvizError, plain, quote
from ..operators.desc_edits import with_tensor
from ..operators.general_rules import evaluate
from ..operators.registry import operator_of
from ..operators.report import Check, Fix, Recorder, Report, Severity, root_of

MOST_STAGES = 64
"""Experiments that one may read through, itself included."""
PAGE = "Wires, docs/files.md"
"""Where rules about wires stand: no page of DirectML's is about two operators."""
ON_WIRE = ("chain.data_type", "chain.elements")
"""Rules that wait for a source, and for its being valid."""
Stage: TypeAlias = Any
"""An experiment, which imports this module."""


def wires(stage: Stage) -> list[tuple[Part, Wired]]:
    """The wired inputs of a stage, in field order."""
    inputs = stage.desc.inputs if stage.is_wired else ()
    return [(part, entry) for part in inputs if isinstance(entry := stage.values.get(part.path), Wired)]


def stages_of(stage: Stage) -> tuple[Stage, ...]:
    """All that a stage reads, transitively, each behind its sources, the stage itself last."""
    done: dict[int, Stage] = {}

    def go(one: Stage) -> None:
        for _, wire in wires(one):
            if wire.source is not None and id(wire.source) not in done:
                go(wire.source)
        done[id(one)] = one

    go(stage)
    return tuple(done.values())


def resolved(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The experiments of a session with each wire led to its source; the same objects where that is known already."""
    places: dict[str, list[int]] = {}
    for i, stage in enumerate(stages):
        places.setdefault(stage.name, []).append(i)
    entries = [{path: e for path, e in one.values.items() if isinstance(e, Wired)} for one in stages]
    reads = list[dict[str, int]]()
    for own in entries:
        named = {path: places.get(entry.name, []) for path, entry in own.items()}
        reads.append({path: numbers[0] for path, numbers in named.items() if len(numbers) == 1})
    order, cut = _ordered(reads)
    now = list(stages)
    behind = dict[int, set[int]]()
    for i in order:
        sources = [k for path, k in reads[i].items() if (i, path) not in cut]
        behind[i] = {i}.union(*(behind[k] for k in sources))
        led = {}
        for path, entry in entries[i].items():
            found = [now[k] for k in places.get(entry.name, ())]
            wire = _led(entry, found, [now[k].name for k in cut.get((i, path), ())], len(behind[i]))
            if wire.source is not entry.source or (wire.number, wire.loose) != (entry.number, entry.loose):
                led[path] = wire
        if led:
            now[i] = replace(now[i], values={**now[i].values, **led})
        if len(behind[i]) > MOST_STAGES:
            behind[i] = {i}
    return tuple(now)


def _ordered(reads: Sequence[Mapping[str, int]]) -> tuple[list[int], dict[tuple[int, str], list[int]]]:
    """Numbers of experiments, each behind those that it reads, and the wires that were cut for it, with their rings."""
    order = list[int]()
    cut = dict[tuple[int, str], list[int]]()
    seen = set[int]()
    for start in range(len(reads)):
        way = {} if start in seen else {start: iter(reads[start].items())}  # what reads the next one, to the last
        seen.add(start)
        while way:
            i = next(reversed(way))
            for path, source in way[i]:
                if source in way:
                    numbers = [*way]
                    cut[i, path] = [*numbers[numbers.index(source) :], source]
                elif source not in seen:
                    seen.add(source)
                    way[source] = iter(reads[source].items())
                    break
            else:
                order.append(i)
                del way[i]
    return order, cut


def _led(entry: Wired, found: Sequence[Stage], ring: Sequence[str], stages: int) -> Wired:
    """A wire with its source, of those that are called so, or with what is wrong with it."""
    name = quote(entry.name)
    output = entry.output
    if not found and entry.source is not None:
        return entry  # what was taken out of its session reads what it read there
    paths = [part.path for one in found for part in one.desc.outputs]
    if len(found) != 1:
        count = "no experiment is"
        if found:
            count = f"{len(found)} experiments are"
        wrong = "one experiment", str(len(found)), f"is from {name}, but {count} called so."
    elif ring:
        shown = " ⇠ ".join(plain(one, 40) for one in (ring if len(ring) < 10 else [*ring[:4], "…", *ring[-4:]]))
        wrong = "no way back", shown, f"reads itself: {shown}."
    elif stages > MOST_STAGES:
        most = f"at most {MOST_STAGES}"
        said = f"is from {name}, through which it reads {stages} experiments, expected {most}."
        wrong = f"{most} experiments", str(stages), said
    elif output not in paths and paths and (output or len(paths) > 1):
        known = " or ".join([*paths[:3], *["..."] * (len(paths) > 3)])
        said = f"output {quote(output)}" if output else "no output in particular"
        wrong = known, output, f"is from {said} of {name}, expected {known}."
    else:  # one without outputs is not valid itself
        return Wired(entry.name, output, found[0], paths.index(output) if output in paths else 0)
    return Wired(entry.name, output, loose=("chain.cycle" if ring else "chain.source", *wrong))


def rings(stages: Sequence[Stage]) -> list[str]:
    """Each ring of experiments that read each other: `a ⇠ b ⇠ a`."""
    loose = (wire.loose for stage in stages for _, wire in wires(stage))
    told = (why[2] for why in loose if why is not None and why[0] == "chain.cycle")
    return list(dict.fromkeys(told))


def source_tensor(wire: Wired) -> TensorDesc | None:
    """The output that a wire leads to; None where there is none, or its source is without one."""
    outputs = wire.source.desc.outputs if wire.source is not None else ()
    return outputs[wire.number].tensor if wire.number < len(outputs) else None


def wire_name(wire: Wired) -> str:
    """What a wire leads to, in short: `halves[1]`; `swapped` of its only output."""
    several = wire.source is not None and len(wire.source.desc.outputs) > 1
    return f"{plain(wire.name, 40)}{f'[{wire.number}]' * several}"


def wire_text(wire: Wired) -> str:
    """Where a wire leads, as sentences say it: `OutputTensors[1] of "halves"`."""
    outputs = wire.source.desc.outputs if wire.source is not None else ()
    path = wire.output or (outputs[wire.number].path if wire.number < len(outputs) else "the output")
    return f"{plain(path, 40)} of {quote(wire.name, 40)}"


def with_part(desc: Desc, path: str, tensor: TensorDesc) -> Desc:
    """A desc whose tensor at `path` has the type and the sizes of another; what is inferred follows."""
    part = next(part for part in desc.parts if part.path == path)
    typed = part.tensor.changed(data_type=tensor.data_type)
    return desc.replace(with_tensor(desc, part, typed.resized(tensor.sizes)))


def broken_by(part: Part, wire: Wired) -> Check | None:
    """The rule that a wire breaks; None where it breaks none, or waits for its source."""
    record = Recorder(PAGE, NEWEST)
    _rules_of(part, wire, record)
    return next(filter(_is_broken, record.checks), None)


def _is_broken(check: Check) -> bool:
    return not check.ok and check.severity is Severity.ERROR


def fault(stage: Stage) -> str:
    """The name of the experiment for which readers of a stage wait: itself or one that it reads; "" for none."""
    if "_fault" not in stage.__dict__:
        checks = evaluate(operator_of(stage.desc), stage.desc, stage.feature_level).checks
        is_broken = any(map(_is_broken, checks)) or any(broken_by(*wired) for wired in wires(stage))
        sources = (fault(wire.source) for _, wire in wires(stage) if wire.source is not None)
        name = stage.name or "an experiment"
        stage.__dict__["_fault"] = name if is_broken else next(filter(None, sources), "")
    return str(stage.__dict__["_fault"])


def with_wire_rules(each: Stage, report: Report) -> Report:
    """`report` with the rules about an experiment's wires, and with fixes of these."""
    record = Recorder(PAGE, report.feature_level)
    checks = list[Check]()
    held = list[Check]()
    wired = {part.path: wire for part, wire in wires(each)}
    waits = dict[str, str]()
    for path, wire in wired.items():
        if wire.source and (name := fault(wire.source)):
            waits[path] = plain(name, 40)
    for part, wire in wires(each):
        _rules_of(part, wire, record)
        for id_ in ON_WIRE if part.path in waits else ():
            record.wait(id_, part.path, waits[part.path])
    levels = [wire.source.feature_level for wire in wired.values() if wire.source is not None]
    if {*levels} - {level := report.feature_level}:
        highest = max(level, *levels)
        said = f"FeatureLevel is {level}: one device runs it and what it reads, at {highest} or above."
        record.note("chain.level", "FeatureLevel", level.value, highest.value, said)
    broken = {check.id: root_of(check.field) for check in record.checks if _is_broken(check)}
    stuck = {*waits, *broken.values()}
    waits_for = next(iter(waits.values()), "")
    for check in report.checks:
        path = root_of(check.field).partition("[")[0]
        of_values = check.id.startswith("values.")
        if path in stuck and (of_values or check.id.startswith("note.")):
            if of_values:  # what fills it now is no value of its own
                record.wait(check.id, path, waits_for or "chain.source")
        elif not check.ok and check.id == "dtype.equal" and "chain.data_type" in broken:  # that says which one is wrong
            record.wait(check.id, check.field, "chain.data_type")
        elif check.ok or not of_values or path not in wired:
            checks.append(check)
        elif all(part.path in one.values for one in wired[path].source.stages for part in one.desc.inputs):
            if check.id == "values.index_range":
                record.wait(check.id, check.field, "chain.clamped")
                said = f"{check.message} {quote(wired[path].name, 40)} computes these indices, and no value that any "
                said += "later experiment reads through them is promised."
                check = structs.replace(check, id="chain.clamped", message=said, page=PAGE)
            checks.append(check)
    own = _fix_of_wires(each) if fault(each) else []
    for check in (*checks, *record.checks):
        fixes = own if not check.ok and check.id in ("chain.source", *ON_WIRE) else check.fixes
        sound = [fix for fix in fixes if not any(broken_by(*wired) for wired in wires(each.mended(fix)))]
        held.append(structs.replace(check, fixes=tuple(sound)))
    return structs.replace(report, checks=tuple(held), waiting=(*report.waiting, *record.waiting), waits_for=waits_for)


def _fix_of_wires(one: Stage) -> list[Fix]:
    """What gives wired tensors their sources' types and sizes, if that mends all."""
    desc, level = one.desc, one.feature_level
    try:
        for part, wire in wires(one):
            if broken_by(part, wire) and (tensor := source_tensor(wire)) is not None:
                desc = with_part(desc.replace(desc.inferable), part.path, tensor)
    except DmlvizError:
        return []
    from ..operators.fixes.differences import changes_between  # most wires lead somewhere

    changes = tuple(changes_between(one.desc, desc, level, level))
    if not changes or fault(replace(one, desc=desc)):
        return []
    return [Fix(", ".join(map(str, changes)), desc, level, mends_all=True, changes=changes)]


def _rules_of(part: Part, wire: Wired, record: Recorder) -> None:
    path = part.path
    own = part.tensor
    tensor = source_tensor(wire)
    text = wire_text(wire)
    if wire.source is None:
        message = f"is from {quote(wire.name)}, expected it in a session."
        id_, expected, found, said = wire.loose or ("chain.source", "one experiment", "no session", message)
        record.expect(id_, False, path, expected, found, f"{path} {said}")
        return
    record.expect("chain.source", True, path, wire.name, wire.name, "", holds=f"{path} is {text}.")
    if fault(wire.source) or tensor is None or not tensor.can_exist:
        return
    said = f"{path}.DataType is {own.data_type}, expected {tensor.data_type}, as in {text}."
    holds = f"{path} has the DataType of {text}."
    type_ = own.data_type.name
    its_type = tensor.data_type.name
    record.expect("chain.data_type", type_ == its_type, f"{path}.DataType", its_type, type_, said, holds=holds)
    if not own.can_exist:
        return  # its own rule tells
    count = own.element_count
    its = tensor.element_count
    sizes = braces(own.sizes)
    read = braces(tensor.sizes)
    said = f"{path} has {count:,} elements, Sizes {sizes}, expected the {its:,} of {text}, {read}."
    holds = f"{path} has as many elements as {text}."
    record.expect("chain.elements", count == its, f"{path}.Sizes", its, count, said, holds=holds)
    if count == its and own.sizes != tensor.sizes:
        said = f"{path} reads {text}, {read}, as {sizes}: the same packed memory with other sizes, which moves nothing."
        record.note("chain.reinterpreted", f"{path}.Sizes", list(own.sizes), list(tensor.sizes), said)
