"""The operators: discovery, `check`, and the verifying of fixes.

An operator is one file here that defines `OPERATOR`. The package's path is walked, so a folder added to
`dmlviz.operators.__path__` brings operators too; `discover()` then finds them.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from ..desc.fields import CountField, Desc, NumberField, NumbersField, Part, Role, TensorField
from ..desc.levels import LEVELS, NEWEST, FeatureLevel
from ..desc.tensors import MAX_ELEMENTS, DataType, TensorDesc, braces
from ..desc.values import Values
from ..errors import DmlvizError, quote
from ._shared import SHARED_SENTENCES
from .report import Change, Changes, Check, Fix, Operator, Recorder, Report, Severity

LEVEL_CHECKS = frozenset({"level.operator", "dtype.supported", "dimension_count.supported"})
"""The checks whose answer depends on the feature level."""
MOST_FIXES = 4


@cache
def _registry() -> Mapping[str, Operator[Any]]:
    found: dict[str, Operator[Any]] = {}
    for module in pkgutil.iter_modules(__path__):
        operator = getattr(importlib.import_module(f"{__name__}.{module.name}"), "OPERATOR", None)
        if operator is not None:  # else it is something that operators share
            found[operator.desc.TYPE] = operator
    order = ("JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE")  # as the source pages are numbered
    rank = {f"DML_OPERATOR_{name}": i for i, name in enumerate(order)}
    return MappingProxyType(dict(sorted(found.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0]))))


def discover() -> Mapping[str, Operator[Any]]:
    """Every operator by its type, such as "DML_OPERATOR_GATHER", after walking the package's path anew."""
    _registry.cache_clear()
    importlib.invalidate_caches()
    return _registry()


def operators() -> Mapping[str, Operator[Any]]:
    """Every operator by its type."""
    return _registry()


def operator_of(found: Desc | str) -> Operator[Any]:
    """The operator of a desc, or of a type such as "DML_OPERATOR_GATHER". Raises DmlvizError for any other."""
    kind = found if isinstance(found, str) else getattr(found, "TYPE", type(found).__name__)
    try:
        return _registry()[kind]
    except KeyError:
        known = ", ".join(_registry())
        raise DmlvizError(f"operator type is {quote(kind)}, expected one of {known}.") from None


def check(
    desc: Desc,
    values: Sequence[Values | None] | None = None,
    feature_level: FeatureLevel | str = NEWEST,
    *,
    patient: bool = True,
) -> Report:
    """Every rule held against `desc` at `feature_level`, with verified fixes; `values` in field order are optional.

    Where `patient` is False, a rule that needs a scan of many values waits for SCAN.
    """
    level = FeatureLevel.of(feature_level)
    operator = operator_of(desc)
    record = evaluate(operator, desc, level)
    record.patient = patient
    broken = [c for c in record.checks if not c.ok]
    if values is not None:
        operator.value_rules(desc, values, record)
    operator.level_notes(desc, level, record)
    mended = {id(c): tuple(_fixes(operator, desc, level, c, record)) for c in broken}
    checks = tuple(replace(c, fixes=mended[id(c)]) if id(c) in mended else c for c in record.checks)
    return Report(checks, tuple(record.waiting), level, lowest_level(operator, desc, record))


def evaluate(operator: Operator[Any], desc: Desc, level: FeatureLevel) -> Recorder:
    """The rules that hold for every operator, then the operator's own: no values, no notes, no fixes."""
    record = Recorder(operator.page)
    parts = desc.parts()
    _level_rules(operator, parts, level, record)
    _equal_rules(operator, desc, record)
    for part in parts:
        _size_rules(part, record)
    operator.rules(desc, record)
    return record


def anchor_of(operator: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DimensionCount the others are held against.

    The first input where the operator's own is not there, or is only inferred from that input.
    """
    own = [p for p in desc.parts() if p.field.name == operator.anchor and p.field.name not in desc.inferred]
    return next(iter((*own, *desc.inputs, *desc.parts())), None)


def typed_as(operator: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DataType the others are held against: one of the type that most of them have.

    So the odd one out is named, and not every other. The anchor's type decides between equals.
    """
    anchor = anchor_of(operator, desc)
    sharing = [p for p in desc.parts() if p.field.role in (Role.DATA, Role.OUTPUT)]
    counts = Counter(p.tensor.data_type for p in sharing)
    first = sorted(sharing, key=lambda p: anchor is None or p.path != anchor.path)  # the anchor, then field order
    return max(first, key=lambda p: counts[p.tensor.data_type], default=None)


def lowest_level(operator: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel | None:
    """The lowest level at which `desc` has no error; None where an error remains at every level."""
    if any(not c.ok and c.severity is Severity.ERROR and c.id not in LEVEL_CHECKS for c in record.checks):
        return None
    parts = desc.parts()
    for level in LEVELS:
        at_level = Recorder(operator.page)
        _level_rules(operator, parts, level, at_level)
        if all(c.ok for c in at_level.checks):
            return level
    return None


def first_level(operator: Operator[Any]) -> FeatureLevel:
    """The level that introduced the operator."""
    return max(f.support.rows[0].since for f in operator.desc.FIELDS if isinstance(f, TensorField))


SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "level.operator": "A feature level has only the operators that were introduced up to it.",
        "dtype.supported": "A tensor has one of the DataTypes that the page lists for it at the feature level.",
        "dimension_count.supported": "A tensor has as many dimensions as the page allows it at the feature level.",
        "dimension_count.equal": "All tensors have the same DimensionCount.",
        "dtype.equal": "All tensors that hold elements have the same DataType; indices and lengths have their own.",
        "sizes.positive": "Every size is at least 1.",
        "sizes.element_count": "A tensor has at most 2^32 - 1 elements.",
    }
)
"""The rules of every operator by check id, each in one plain sentence."""


def sentence_of(operator: Operator[Any], id: str) -> str:  # noqa: A002 (a check's own word)
    """The rule behind a check id in one plain sentence; empty where an operator from outside gives none."""
    return operator.sentences.get(id) or SENTENCES.get(id) or SHARED_SENTENCES.get(id, "")


# ---- rules that hold for every operator -------------------------------------------------------------------------


def _level_rules(operator: Operator[Any], parts: Sequence[Part], level: FeatureLevel, record: Recorder) -> None:
    first = first_level(operator)
    exists = record.expect(
        "level.operator",
        level >= first,
        "FeatureLevel",
        f">= {first}",
        level.value,
        f"FeatureLevel is {level}, expected {first} or higher, the level that introduced {operator.name}."
        if level < first
        else f"{operator.name} exists from feature level {first} on.",
        where="Availability",
    )
    for part in parts:
        tensor, row = part.tensor, part.field.support.at(level)
        if not exists or row is None:
            record.wait("dtype.supported", part.path, "level.operator")
            record.wait("dimension_count.supported", part.path, "level.operator")
            continue
        names = [each.name for each in row.types]
        known = tensor.data_type in row.types
        record.expect(
            "dtype.supported",
            known,
            f"{part.path}.DataType",
            names,
            tensor.data_type.name,
            f"{part.path}.DataType is {tensor.data_type}, expected {_one_of(names)} at feature level {level}."
            if not known
            else f"{part.path}.DataType {tensor.data_type} is supported at feature level {level}.",
            where=f"Tensor support from {row.since}",
        )
        count = tensor.dimension_count
        fits = row.lowest <= count <= row.highest
        record.expect(
            "dimension_count.supported",
            fits,
            f"{part.path}.DimensionCount",
            [row.lowest, row.highest],
            count,
            f"{part.path}.DimensionCount is {count}, expected {row.dimensions} at feature level {level}."
            if not fits
            else f"{part.path}.DimensionCount {count} is supported at feature level {level}.",
            where=f"Tensor support from {row.since}",
        )


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _equal_rules(operator: Operator[Any], desc: Desc, record: Recorder) -> None:
    anchor, model = anchor_of(operator, desc), typed_as(operator, desc)
    for part in desc.parts():
        if anchor is not None and part.path != anchor.path:
            found, want = part.tensor.dimension_count, anchor.tensor.dimension_count
            record.expect(
                "dimension_count.equal",
                found == want,
                f"{part.path}.DimensionCount",
                want,
                found,
                f"{part.path}.DimensionCount is {found}, expected {want} as {anchor.path} has.",
                holds=f"{part.path}.DimensionCount {found} equals {anchor.path}'s.",
                where="Tensor constraints",
                related=[f"{anchor.path}.DimensionCount"],
            )
        if model is not None and part.path != model.path and part.field.role in (Role.DATA, Role.OUTPUT):
            kind, other = part.tensor.data_type, model.tensor.data_type
            record.expect(
                "dtype.equal",
                kind is other,
                f"{part.path}.DataType",
                other.name,
                kind.name,
                f"{part.path}.DataType is {kind}, expected {other} as {model.path} has.",
                holds=f"{part.path}.DataType {kind} equals {model.path}'s.",
                where="Tensor constraints",
                related=[f"{model.path}.DataType"],
            )


def _size_rules(part: Part, record: Recorder) -> None:
    tensor, path = part.tensor, part.path
    bad = [d for d, size in enumerate(tensor.sizes) if size < 1]
    said = " and ".join(f"Sizes[{d}] is {tensor.sizes[d]}" for d in bad)
    positive = record.expect(
        "sizes.positive",
        not bad,
        f"{path}.Sizes[{bad[0]}]" if len(bad) == 1 else f"{path}.Sizes",
        ">= 1",
        list(tensor.sizes),
        f"{path}.{said}, expected at least 1." if bad else f"{path}.Sizes {braces(tensor.sizes)} are at least 1.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{path}.Sizes[{d}]" for d in bad],
    )
    if not positive:
        record.wait("sizes.element_count", path, "sizes.positive")
        return
    count = tensor.element_count
    record.expect(
        "sizes.element_count",
        count <= MAX_ELEMENTS,
        f"{path}.Sizes",
        f"<= {MAX_ELEMENTS}",
        count,
        f"{path}.Sizes {braces(tensor.sizes)} make {_grouped(count)} elements, expected at most {MAX_ELEMENTS:,}."
        if count > MAX_ELEMENTS
        else f"{path} has {_grouped(count)} elements, at most {MAX_ELEMENTS:,}.",
        where="DML_BUFFER_TENSOR_DESC",
    )


def _grouped(count: int) -> str:
    return f"{count:,}" if count < 10**24 else f"about 10^{int(math.log10(count))}"


# ---- fixes ------------------------------------------------------------------------------------------------------

Key = tuple[str, str]


def _key(check: Check) -> Key:
    return check.id, check.field.split(".", 1)[0]


def _fixes(operator: Operator[Any], desc: Desc, level: FeatureLevel, broken: Check, before: Recorder) -> Iterator[Fix]:
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
        said = tuple(_said(desc, changed, level, new_level))
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
    part = next((p for p in desc.parts() if p.path == path), None)
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
                yield _with(desc, part, TensorDesc(name, part.tensor.sizes))
    if broken.id == "dtype.equal":
        yield _with(desc, part, TensorDesc(broken.expected, part.tensor.sizes))
        yield with_types(desc, part.tensor.data_type)
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        count = part.tensor.dimension_count
        yield from _with_dimensions(desc, min(max(count, low), high) - count)
    if broken.id == "dimension_count.equal":
        fitted = fit_dimensions(part.tensor.sizes, anchor.tensor.dimension_count)
        if fitted is not None:
            yield _with(desc, part, part.tensor.resized(fitted))
        if part.field.role is Role.OUTPUT and not part.field.many:
            yield {part.field.name: None}
        back = fit_dimensions(anchor.tensor.sizes, part.tensor.dimension_count)
        if back is not None:
            yield _with(desc, anchor, anchor.tensor.resized(back))
        if anchor.field.role is Role.OUTPUT and not anchor.field.many:
            yield {anchor.field.name: None}
    if broken.id == "sizes.positive":
        yield _with(desc, part, part.tensor.resized(max(1, size) for size in part.tensor.sizes))
        yield _with(desc, part, part.tensor.resized(abs(size) or 1 for size in part.tensor.sizes))
        if part.field.role is Role.OUTPUT and not part.field.many:
            yield {part.field.name: None}


def _nearest_types(found: DataType, names: Iterable[str]) -> list[str]:
    """Other types, those of the same kind and size first."""
    kind = found.dtype.kind
    return sorted(
        names,
        key=lambda n: (DataType[n].dtype.kind != kind, abs(DataType[n].item_size - found.item_size)),
    )[:3]


def _with(desc: Desc, part: Part, tensor: TensorDesc) -> Changes:
    """The change that puts `tensor` in the place of `part`."""
    if not part.field.many:
        return {part.field.name: tensor}
    held = [p.tensor if p.path != part.path else tensor for p in desc.parts() if p.field.name == part.field.name]
    return {part.field.name: held}


def with_data_type(desc: Desc, data_type: DataType) -> Desc:
    """A copy whose data and output tensors all have one type."""
    return desc.replace(with_types(desc, data_type))


def with_types(desc: Desc, data_type: DataType) -> Changes:
    """The change that gives every data and output tensor one type."""
    return _every(desc, lambda p: TensorDesc(data_type, p.tensor.sizes), (Role.DATA, Role.OUTPUT))


def with_dimensions(desc: Desc, count: int) -> Desc | None:
    """A copy with `count` dimensions: leading 1s put on or taken off every tensor, and what counts axes moved along.

    None where sizes other than leading 1s would have to go.
    """
    anchor = anchor_of(operator_of(desc), desc)
    if anchor is None:
        return None
    for changes in _with_dimensions(desc, count - anchor.tensor.dimension_count):
        changed = desc.replace(changes)
        follow = {name: changed.get(name) for name in changed.inferred - desc.inferred}  # what was given stays given
        return changed.replace(follow)
    return None


def with_field_type(desc: Desc, name: str, data_type: DataType) -> Desc:
    """A copy whose tensors of one field have another type."""
    held = [TensorDesc(data_type, p.tensor.sizes) for p in desc.parts() if p.field.name == name]
    many = any(f.name == name and isinstance(f, TensorField) and f.many for f in desc.FIELDS)
    return desc.replace({name: held if many else held[0]}) if held else desc


def refusals(desc: Desc, level: FeatureLevel) -> list[Check]:
    """The checks that `desc` fails because `level` doesn't know its operator, a DataType or a DimensionCount.

    Tensors of one field that are alike in both are held against it once.
    """
    operator = operator_of(desc)
    alike = {(p.field.name, p.tensor.data_type, p.tensor.dimension_count): p for p in reversed(desc.parts())}
    record = Recorder(operator.page)
    _level_rules(operator, list(reversed(alike.values())), level, record)
    return [c for c in record.checks if not c.ok]


def _every(desc: Desc, change: Any, roles: Sequence[Role] = tuple(Role)) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for field in desc.FIELDS:
        if isinstance(field, TensorField) and field.role in roles and field.name not in desc.inferred:
            made = [change(p) for p in desc.parts() if p.field.name == field.name]
            changes[field.name] = made if field.many else made[0]
    return changes


def fit_dimensions(sizes: tuple[int, ...], count: int) -> tuple[int, ...] | None:
    """`sizes` with leading 1s put on or taken off until there are `count`; None where other sizes would have to go."""
    if count >= len(sizes):
        return (1,) * (count - len(sizes)) + sizes
    extra = len(sizes) - count
    return sizes[extra:] if all(size == 1 for size in sizes[:extra]) else None


def _with_dimensions(desc: Desc, more: int) -> Iterator[Changes]:
    """Every tensor with `more` leading 1s (fewer, where negative), and what counts axes moved along."""
    changes: dict[str, Any] = {}
    for field in desc.FIELDS:
        held = desc.get(field.name)
        if isinstance(field, NumberField) and field.is_axis:
            changes[field.name] = held + more
        elif isinstance(field, NumbersField) and field.per_axis:
            fitted = fit_dimensions(held, len(held) + more)
            if fitted is None:
                return
            changes[field.name] = fitted
        elif isinstance(field, CountField) and field.of in changes:
            changes[field.name] = None
    fits = [fit_dimensions(p.tensor.sizes, p.tensor.dimension_count + more) for p in desc.parts()]
    if any(fit is None for fit in fits) or any(desc.get(k) + more < 0 for k in changes if isinstance(changes[k], int)):
        return
    paths = {p.path: fit for p, fit in zip(desc.parts(), fits, strict=True)}
    changes |= _every(desc, lambda p: p.tensor.resized(paths[p.path]))
    counts = {f.name: None for f in desc.FIELDS if isinstance(f, CountField) and f.of in changes}
    yield {**changes, **counts}


def _said(old: Desc, new: Desc, old_level: FeatureLevel, new_level: FeatureLevel) -> list[Change]:
    """What changes, as one line can say it: `Axis 4 → 3, OutputTensor {3, 2} → {2, 2}`."""
    said = [Change("feature level", str(old_level), str(new_level))] if old_level is not new_level else []
    before_types, after_types = _types(old), _types(new)
    if len(before_types) == len(after_types) == 1 and before_types != after_types:
        (one,), (other,) = before_types, after_types
        if with_data_type(old, other) == new:
            return [*said, Change("DataType", str(one), str(other))]
    for field in old.FIELDS:
        before, after = old.get(field.name), new.get(field.name)
        if before == after or (
            isinstance(field, CountField) and field.name in new.inferred and field.name in old.inferred
        ):
            continue
        if isinstance(field, TensorField):
            if field.name in old.inferred and not field.many:
                continue  # it follows the rest without being edited
            befores, afters = (before, after) if field.many else ((before,), (after,))
            said += _tensor_changes(field, befores, afters)
        elif isinstance(field, NumbersField):
            said.append(Change(field.name, braces(before), braces(after)))
        else:
            said.append(Change(field.name, str(before), str(after)))
    return said


def _types(desc: Desc) -> set[DataType]:
    """The types of data and output tensors."""
    return {p.tensor.data_type for p in desc.parts() if p.field.role in (Role.DATA, Role.OUTPUT)}


def _tensor_changes(
    field: TensorField, befores: Sequence[TensorDesc | None], afters: Sequence[TensorDesc | None]
) -> Iterator[Change]:
    for i in range(max(len(befores), len(afters))):
        before = befores[i] if i < len(befores) else None
        after = afters[i] if i < len(afters) else None
        if before == after:
            continue
        name = f"{field.name}[{i}]" if field.many else field.name
        if before is None or after is None:
            yield Change(name, str(before or ""), str(after or ""))
        elif before.data_type is after.data_type:
            yield Change(name, braces(before.sizes), braces(after.sizes))
        elif before.sizes == after.sizes:
            yield Change(name, str(before.data_type), str(after.data_type))
        else:
            yield Change(name, str(before), str(after))
