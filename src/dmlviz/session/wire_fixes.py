"""Fixes of wired experiments: what the wire's source says, and what it can be read as.

Each is made on a copy of the experiment, and offered only if it mends there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..desc.base import Desc, Part
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Wired
from ..errors import DmlvizError
from ..operators.checking import check
from ..operators.desc_edits import with_data_type
from ..operators.evaluation import evaluate
from ..operators.fixes.differences import changes_between
from ..operators.registry import operator_of
from ..operators.report import Check, Fix, Report, Severity, root_of
from .wire_rules import ON_WIRE, wire_errors
from .wiring import misfit, source_tensor, wires, with_part

MOST_FIXES = 6


def with_wire_fixes(experiment: Any, report: Report) -> Report:
    """`report` with fixes for what wires break, and with what other fixes do to wires; those that mend all first."""
    checks = []
    for broken in report.checks:
        if not broken.ok and broken.severity is Severity.ERROR and broken.same_as in ("", broken.field):
            fixes = [*_own(experiment, broken), *_of_wire(experiment, broken)]
            fixes = sorted({fix.label: fix for fix in fixes}.values(), key=lambda fix: not fix.mends_all)
            broken = replace(broken, fixes=tuple(fixes[:MOST_FIXES]))
        checks.append(broken)
    return replace(report, checks=tuple(checks))


def _own(experiment: Any, broken: Check) -> Iterator[Fix]:
    """Fixes of the desc alone, as they stand with the wires: one may take a tensor away from its source."""
    before = wire_errors(experiment)
    for fix in broken.fixes:
        left = wire_errors(experiment.mended(fix))
        is_worse = bool(left - before)
        if is_worse and broken.id in ON_WIRE:
            continue
        more = len(left) if is_worse or fix.mends_all else 0
        yield replace(fix, mends_all=False, left=fix.left + more) if more else fix


def _of_wire(experiment: Any, broken: Check) -> Iterator[Fix]:
    """Fixes that have the reader of a source go with it, where they mend `broken`."""
    wired = {part.path: (part, wire) for part, wire in wires(experiment)}
    root = root_of(broken.field)
    if broken.id not in ON_WIRE or root not in wired:
        return
    level = experiment.feature_level
    for desc in _candidates(experiment.desc, root, wired):
        edited = replace(experiment, desc=desc)
        failing = (c for c in evaluate(operator_of(desc), desc, level).checks if not c.ok)
        left = {(c.id, root_of(c.field)) for c in failing if c.severity is Severity.ERROR} | wire_errors(edited)
        changes = tuple(changes_between(experiment.desc, desc, level, level))
        if (broken.id, root) not in left and changes:
            label = ", ".join(map(str, changes))
            yield Fix(label, desc, level, mends_all=not left, changes=changes, left=len(left))


def _candidates(desc: Desc, root: str, wired: dict[str, tuple[Part, Wired]]) -> Iterator[Desc]:
    """Descs that may go with the source of the wire at `root`; then one that goes with all sources."""
    yield from _read_otherwise(desc, *wired[root])
    for path, (part, wire) in wired.items():
        if misfit(part, wire) and (tensor := source_tensor(wire)) is not None:
            desc = with_part(desc.replace(desc.inferable), path, tensor)
    yield desc


def _read_otherwise(desc: Desc, part: Part, wire: Wired) -> Iterator[Desc]:
    """Descs that take a wired tensor over from its source, or read as many elements with the sizes that they have."""
    tensor = source_tensor(wire)
    if tensor is None:
        return
    typed = TensorDesc(tensor.data_type, part.tensor.sizes)
    if tensor.element_count == part.tensor.element_count:  # the sizes may be meant
        yield from _completed(desc, part.path, typed)
    yield from _completed(desc, part.path, tensor)
    if tensor.data_type is not part.tensor.data_type:
        try:
            yield with_part(with_data_type(desc, tensor.data_type), part.path, tensor)
            yield with_part(with_data_type(desc, tensor.data_type), part.path, typed)
        except DmlvizError:
            pass
    if part.tensor.sizes and len(tensor.sizes) != len(part.tensor.sizes):
        whole = math.prod(part.tensor.sizes)
        for axis, size in enumerate(part.tensor.sizes):
            others = whole // size if size > 0 else 0
            if others and tensor.element_count % others == 0:
                sizes = (*part.tensor.sizes[:axis], tensor.element_count // others, *part.tensor.sizes[axis + 1 :])
                yield from _completed(desc, part.path, TensorDesc(tensor.data_type, sizes))


def _completed(desc: Desc, path: str, tensor: TensorDesc) -> Iterator[Desc]:
    """Descs with another tensor: with outputs as given, or inferred, or else with what mends them and keeps that."""
    own = path.partition("[")[0]
    for given in ({}, {name: None for name in desc.inferable if name != own}):
        try:
            edited = with_part(desc.replace(given), path, tensor)
        except DmlvizError:
            continue
        errors = check(edited).errors
        if not errors:
            yield edited
            return
        for fix in (fix for broken in errors for fix in broken.fixes if fix.mends_all and not fix.turned):
            now = next((part.tensor for part in fix.desc.parts if part.path == path), None)
            if now is not None and (now.data_type, now.sizes) == (tensor.data_type, tensor.sizes):
                yield fix.desc
