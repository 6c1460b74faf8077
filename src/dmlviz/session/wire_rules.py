"""The rules about wires: each mistake once, at the wire that makes it; whoever reads a broken source waits for that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..desc.base import Part
from ..desc.tensors import braces
from ..desc.value_sources import Wired
from ..errors import DmlvizError, plain, quote
from ..operators.evaluation import evaluate
from ..operators.fixes.differences import changes_between
from ..operators.registry import operator_of
from ..operators.report import Check, Fix, Recorder, Report, Severity, Waiting, root_of
from .wiring import fault, misfit, source_tensor, wire_text, wires, with_part

PAGE = "Chains, docs/session-files.md"
"""Where these rules stand: no page of DirectML's is about two operators."""
ON_WIRE = ("chain.data_type", "chain.elements")
"""Rules that wait for a source, and for its being valid."""


def with_wire_rules(experiment: Any, report: Report) -> Report:
    """`report` with the rules about an experiment's wires."""
    record = Recorder(PAGE, report.feature_level)
    waits_for, stuck, mistyped = "", set(), False
    for part, wire in wires(experiment):
        _rules_of(part, wire, record)
        name = fault(wire.source) if wire.source is not None else ""
        waits_for = waits_for or name
        mistyped = mistyped or (not name and misfit(part, wire) == "chain.data_type")
        if name or wire.source is None or misfit(part, wire):
            stuck.add(part.path)
            for id_ in ON_WIRE if name else ():
                record.wait(id_, part.path, plain(name, 40))
    _level_note(experiment, record)
    checks, waiting = [], [*report.waiting, *record.waiting]
    for check in report.checks:
        path = root_of(check.field).partition("[")[0] if check.id.startswith(("values.", "note.")) else ""
        if path in stuck:  # what fills it now is no value of its own
            if check.id.startswith("values."):
                waiting.append(Waiting(check.id, path, plain(waits_for, 40) or "chain.source"))
        elif not check.ok and check.id == "dtype.equal" and mistyped:  # the wire's own rule says which one is wrong
            waiting.append(Waiting(check.id, check.field, "chain.data_type"))
        elif not check.ok and check.id.startswith("values.") and _is_made_up(experiment.values.get(path)):
            continue
        elif not check.ok and check.id == "values.index_range" and isinstance(experiment.values.get(path), Wired):
            checks.append(_clamped(check, experiment.values[path]))
            waiting.append(Waiting(check.id, check.field, "chain.clamped"))
        else:
            checks.append(check)
    held = (*checks, *record.checks)
    return replace(report, checks=held, waiting=tuple(waiting), waits_for=waits_for)


def with_wire_fixes(experiment: Any, report: Report) -> Report:
    """`report` with one fix of wires that don't fit: their tensors go with their sources. No fix breaks a wire."""
    before = _wire_errors(experiment)
    broken = {id_ for id_, _ in before}
    fixes = (_taking_over(experiment),) if broken and broken <= {*ON_WIRE} else ()
    checks = []
    for check in report.checks:
        sound = [fix for fix in check.fixes if not _wire_errors(experiment.mended(fix)) - before]
        left = len(before) if check.id not in ON_WIRE else 0
        sound = [replace(fix, mends_all=fix.mends_all and not left, left=fix.left + left) for fix in sound]
        if not check.ok and check.id in ON_WIRE:
            sound = [fix for fix in fixes if fix is not None]
        checks.append(replace(check, fixes=tuple(sound)))
    return replace(report, checks=tuple(checks))


def _taking_over(experiment: Any) -> Fix | None:
    """What gives all wired tensors their sources' types and sizes; None where that mends not all."""
    desc, level = experiment.desc, experiment.feature_level
    try:
        for part, wire in wires(experiment):
            if misfit(part, wire) and (tensor := source_tensor(wire)) is not None:
                desc = with_part(desc.replace(desc.inferable), part.path, tensor)
        checks = evaluate(operator_of(desc), desc, level).checks
    except DmlvizError:
        return None
    changes = tuple(changes_between(experiment.desc, desc, level, level))
    if not changes or any(not check.ok and check.severity is Severity.ERROR for check in checks):
        return None
    return Fix(", ".join(map(str, changes)), desc, level, mends_all=True, changes=changes, left=0)


def _wire_errors(experiment: Any) -> set[tuple[str, str]]:
    """The rules of severity error that an experiment's wires break, each with its tensor's path."""
    broken = set()
    for part, wire in wires(experiment):
        if wire.loose is not None:
            broken.add((wire.loose.id, part.path))
        elif wire.source is not None and not fault(wire.source) and (id_ := misfit(part, wire)):
            broken.add((id_, part.path))
    return broken


def _rules_of(part: Part, wire: Wired, record: Recorder) -> None:
    """Records what is said of one wire, but for what waits."""
    path, loose = part.path, wire.loose
    if loose is not None:
        record.expect(loose.id, False, path, loose.expected, loose.found, f"{path} {loose.message}")
        return
    if wire.source is None:  # of an experiment that no session has
        message = f"{path} is from {quote(wire.name)}, expected a session with that experiment."
        record.expect("chain.source", False, path, "one experiment", "no session", message)
        return
    text = wire_text(wire)
    record.expect("chain.source", True, path, wire.name, wire.name, "", holds=f"{path} is {text}.")
    tensor, own = source_tensor(wire), part.tensor
    if fault(wire.source) or tensor is None or not tensor.can_exist:
        return
    record.expect(
        "chain.data_type",
        own.data_type is tensor.data_type,
        f"{path}.DataType",
        tensor.data_type.name,
        own.data_type.name,
        f"{path}.DataType is {own.data_type}, expected {tensor.data_type}, as has {text}.",
        holds=f"{path} has the DataType of {text}.",
    )
    if not own.can_exist:
        return  # its own rule tells
    sizes = braces(tensor.sizes)
    record.expect(
        "chain.elements",
        own.element_count == tensor.element_count,
        f"{path}.Sizes",
        tensor.element_count,
        own.element_count,
        f"{path} has {own.element_count:,} elements, Sizes {braces(own.sizes)}, expected the {tensor.element_count:,} "
        f"of {text}, {sizes}.",
        holds=f"{path} has as many elements as {text}.",
    )
    if own.element_count == tensor.element_count and own.sizes != tensor.sizes:
        record.note(
            "chain.reinterpreted",
            f"{path}.Sizes",
            list(own.sizes),
            list(tensor.sizes),
            f"{path} reads {text}, {sizes}, as {braces(own.sizes)}: the same packed memory with other sizes, which "
            f"moves nothing.",
        )


def _level_note(experiment: Any, record: Recorder) -> None:
    """Notes that a source stands at another feature level."""
    own = experiment.feature_level
    sources = {wire.name: wire.source for _, wire in wires(experiment) if wire.source is not None}
    others = {name: one.feature_level for name, one in sources.items() if one.feature_level is not own}
    if others:
        named = ", ".join(f"{quote(name, 40)} at {level}" for name, level in others.items())
        highest = max(own, *others.values())
        record.note(
            "chain.level",
            "FeatureLevel",
            own.value,
            highest.value,
            f"FeatureLevel is {own}, and it reads {named}: one device runs them all, at {highest} or above.",
        )


def _is_made_up(entry: object) -> bool:
    """True for what is computed, at least in part, of values that nobody gave."""
    source: Any = entry.source if isinstance(entry, Wired) else None
    return source is not None and any(part.path not in one.values for one in source.stages for part in one.desc.inputs)


def _clamped(check: Check, wire: Wired) -> Check:
    """A warning about indices, of indices that another experiment computes."""
    message = (
        f"{check.message.removesuffix('.')}. {quote(wire.name, 40)} computes these indices, and no value that any "
        f"later experiment reads through them is promised."
    )
    return replace(check, id="chain.clamped", message=message, page=PAGE)
