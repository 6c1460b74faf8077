"""Fixes: edits that remove a failure, each verified on a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..desc.base import Changes, Desc
from ..desc.fields import Role, TensorField
from ..desc.levels import LEVELS, FeatureLevel
from ..desc.tensors import DataType, TensorDesc
from ..errors import DmlvizError
from .base import Operator
from .desc_edits import dimension_changes, fit_dimensions, with_tensor, with_types
from .differences import changes_between
from .evaluation import evaluate
from .general_rules import anchor_of
from .level_rules import LEVEL_CHECKS
from .report import Check, Fix, Recorder

MOST_FIXES = 4
Key = tuple[str, str]


def _key(check: Check) -> Key:
    return check.id, check.field.split(".", 1)[0]


def fixes_of(
    operator: Operator[Any], desc: Desc, level: FeatureLevel, broken: Check, before: Recorder
) -> Iterator[Fix]:
    """Edits that remove `broken`, verified on a copy: those after which every rule holds come first."""
    key = _key(broken)
    old = {_key(c) for c in before.checks if not c.ok}
    held: list[tuple[int, int, Fix]] = []
    seen: set[tuple[Desc, FeatureLevel]] = {(desc, level)}
    raised = False
    for order, (changes, new_level) in enumerate(_candidates(operator, desc, level, broken)):
        try:
            changed = desc.replace(changes)
        except DmlvizError:
            continue
        # What was given stays given, now with the sizes that follow from the rest.
        follow = {name: changed.get(name) for name in changed.inferred - desc.inferred}
        changed = changed.replace({name: held for name, held in follow.items() if held is not None})
        if (changed, new_level) in seen or (new_level is not level and raised):
            continue
        seen.add((changed, new_level))
        if desc.outputs and not changed.outputs:
            continue  # an output that can't be inferred any more is no mend
        after = evaluate(operator, changed, new_level)
        failing = {_key(c) for c in after.checks if not c.ok}
        waiting = {(w.id, w.field.split(".", 1)[0]) for w in after.waiting}
        if key in failing or key in waiting:
            continue
        raised = raised or new_level is not level  # the lowest level that helps is enough
        new = failing - old
        rank = 0 if not failing else (1 if not new else 2)
        said = tuple(changes_between(desc, changed, level, new_level))
        left = sum(not c.ok for c in after.checks)
        held.append((rank, order, Fix(", ".join(map(str, said)), changed, new_level, not failing, said, left)))
    if held:
        held.sort(key=lambda item: item[:2])
        # A fix that uncovers another failure is offered only where no better one is known.
        best = [fix for rank, _, fix in held if rank < 2] or [held[0][2]]
        yield from best[:MOST_FIXES]


def _candidates(
    operator: Operator[Any], desc: Desc, level: FeatureLevel, broken: Check
) -> Iterator[tuple[Changes, FeatureLevel]]:
    own = [*operator.fixes(desc, broken), *_general_fixes(operator, desc, broken)]
    inferable = {
        f.name: None for f in desc.FIELDS if isinstance(f, TensorField) and f.role is Role.OUTPUT and not f.many
    }
    for changes in own:
        yield changes, level
        if not inferable.keys() <= changes.keys():
            yield {**changes, **inferable}, level
    if broken.id in LEVEL_CHECKS:
        for higher in LEVELS:
            if higher > level:
                yield {}, higher


def _general_fixes(operator: Operator[Any], desc: Desc, broken: Check) -> Iterator[Changes]:
    path = broken.field.split(".", 1)[0]
    part = next((p for p in desc.parts if p.path == path), None)
    anchor = anchor_of(operator, desc)
    if broken.id in ("count.matches", "count.positive"):
        yield {broken.field: None}
    if part is None or anchor is None:
        return
    if broken.id == "dtype.supported":
        follow = part.field.role in (Role.DATA, Role.OUTPUT)
        for name in _nearest_types(part.tensor.data_type, broken.expected):
            if follow:
                yield with_types(desc, DataType[name])
            else:
                yield with_tensor(desc, part, TensorDesc(name, part.tensor.sizes))
    if broken.id == "dtype.equal":
        yield with_tensor(desc, part, TensorDesc(broken.expected, part.tensor.sizes))
        yield with_types(desc, part.tensor.data_type)
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        count = part.tensor.dimension_count
        yield from dimension_changes(desc, min(max(count, low), high) - count)
    if broken.id == "dimension_count.equal":
        fitted = fit_dimensions(part.tensor.sizes, anchor.tensor.dimension_count)
        if fitted is not None:
            yield with_tensor(desc, part, part.tensor.resized(fitted))
        if part.field.role is Role.OUTPUT and not part.field.many:
            yield {part.field.name: None}
        back = fit_dimensions(anchor.tensor.sizes, part.tensor.dimension_count)
        if back is not None:
            yield with_tensor(desc, anchor, anchor.tensor.resized(back))
        if anchor.field.role is Role.OUTPUT and not anchor.field.many:
            yield {anchor.field.name: None}
    if broken.id == "sizes.positive":
        yield with_tensor(desc, part, part.tensor.resized(max(1, size) for size in part.tensor.sizes))
        yield with_tensor(desc, part, part.tensor.resized(abs(size) or 1 for size in part.tensor.sizes))
        if part.field.role is Role.OUTPUT and not part.field.many:
            yield {part.field.name: None}


def _nearest_types(found: DataType, names: Iterable[str]) -> list[str]:
    """Other types, those of the same kind and size first."""
    kind = found.dtype.kind
    return sorted(
        names,
        key=lambda n: (DataType[n].dtype.kind != kind, abs(DataType[n].item_size - found.item_size)),
    )[:3]
