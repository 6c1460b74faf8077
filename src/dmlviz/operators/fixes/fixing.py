"""Fixes: edits that remove a failure, each verified on a copy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ...desc.base import Changes, Desc, Part
from ...desc.fields import Role
from ...desc.indexing import put
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...errors import DmlvizError
from ..base import Operator
from ..desc_edits import dimension_changes, fit_dimensions, with_tensor, with_tensors, with_types
from ..general_rules import anchor_of, evaluate
from ..level_rules import is_of_level
from ..registry import operator_of
from ..report import Check, Fix, Recorder, Severity, name_of, root_of
from .differences import changes_between, edits_between, keeps_bits, loss_between

MOST_FIXES = 6
MOST_EDITS = 96
"""Edits of a single number that are tried where an operator knows none that mends everything."""
MOST_PARTS = 32
"""Tensors up to which that is done: each try holds every rule against all of them."""
MOST_WORK = 30_000
"""Tensors that are held against the rules for all fixes of a desc together: each try looks at all of a desc's tensors,
so that thousands of broken ones would take the square of their number. The failures that come last have no fixes then.
"""
Edit = tuple[Changes, FeatureLevel]


class Fixer:
    """The fixes of one desc. What is tried for one failure is not worked out again for another."""

    def __init__(self, operator: Operator[Any], desc: Desc, level: FeatureLevel, before: Recorder) -> None:
        self._operator = operator
        self._desc = desc
        self._level = level
        self._old = {_key(check) for check in before.checks if not check.ok}
        self._work = 0
        self._records: dict[tuple[Desc, frozenset[str], FeatureLevel], Recorder] = {}

    def fixes(self, cause: Sequence[Check]) -> tuple[Fix, ...]:
        """Edits that remove checks which fail alike, verified on a copy: those after which every rule holds come first.

        Of those, the ones that lose nothing; then the ones that keep the operator and the level, which a device has;
        then those that change the fewest numbers, and the likeliest.
        """
        broken = cause[0]
        if self._work > MOST_WORK:
            return ()
        fixes = [*self._tried(cause, self._candidates(cause))]
        if broken.severity is Severity.ERROR:
            few = len(self._desc.parts) <= MOST_PARTS and not is_of_level(broken)
            if few and not any(map(self._is_small, fixes)):
                single = ((changes, self._level) for changes in islice(_single_numbers(self._desc), MOST_EDITS))
                fixes += filter(self._is_small, self._tried(cause, single))
            turned = (self._fix(desc, self._level) for desc in self._operator.turned(self._desc))
            fixes += (fix for fix in turned if fix.mends_all)
        fixes.sort(key=self._order)
        # A fix that uncovers another failure is offered only where no better one is known.
        best = [fix for fix in fixes if self._rank(fix) < 2] or fixes[:1]
        turned_last = [fix for fix in best[MOST_FIXES:] if fix.turned]  # it isn't cut off
        return (*best[: MOST_FIXES - len(turned_last)], *turned_last)

    def _order(self, fix: Fix) -> tuple[int, ...]:
        elsewhere = 2 * fix.turned + (fix.feature_level is not self._level)
        return self._rank(fix), bool(fix.loses), elsewhere, edits_between(self._desc, fix.desc)

    def _rank(self, fix: Fix) -> int:
        """0 for an edit after which nothing is broken, 1 for one that breaks nothing new, else 2."""
        return 0 if fix.mends_all else 1 if _failing(self._record(fix.desc, fix.feature_level)) <= self._old else 2

    def _is_small(self, fix: Fix) -> bool:
        return fix.mends_all and edits_between(self._desc, fix.desc) == 1

    def _fix(self, desc: Desc, level: FeatureLevel) -> Fix:
        changes = tuple(changes_between(self._desc, desc, self._level, level))
        left = [c for c in self._record(desc, level).checks if _is_broken(c)]
        loses = loss_between(self._desc, desc)
        return Fix(
            ", ".join(map(str, changes)),
            desc,
            level,
            mends_all=not left,
            changes=changes,
            left=len(left),
            loses=loses,
            same_bits=not loses and keeps_bits(self._desc, desc),
            turned=desc.TYPE != self._desc.TYPE,
        )

    def _tried(self, cause: Sequence[Check], edits: Iterable[Edit]) -> Iterator[Fix]:
        keys = {_key(check) for check in cause}
        seen = {(self._desc, self._level)}
        raised = False
        for changes, level in edits:
            desc = self._edited(changes)
            if desc is None or (desc, level) in seen or (level is not self._level and raised):
                continue
            seen.add((desc, level))
            self._work += len(desc.parts)
            if self._work > MOST_WORK + len(desc.parts):
                return
            if self._desc.outputs and not desc.outputs:
                continue  # an output that can't be inferred any more is no mend
            record = self._record(desc, level)
            if keys.isdisjoint(_failing(record) | {(w.id, root_of(w.field)) for w in record.waiting}):
                raised = raised or level is not self._level
                fix = self._fix(desc, level)
                if fix.changes:  # else only what is inferred changes
                    yield fix

    def _edited(self, changes: Changes) -> Desc | None:
        """The desc with `changes`; what was given stays given, with the sizes that follow from the rest."""
        try:
            edited = self._desc.replace(changes)
        except DmlvizError:
            return None
        follow: dict[str, Any] = {}
        for name in edited.inferred - self._desc.inferred:
            before, after = self._desc.get(name), edited.get(name)
            if isinstance(before, TensorDesc) and after is not None:  # with the members that it was given
                after = before.changed(data_type=after.data_type).resized(after.sizes)
            if after is not None:
                follow[name] = after
        return edited.replace(follow) if follow else edited

    def _record(self, desc: Desc, level: FeatureLevel) -> Recorder:
        key = desc, desc.inferred, level
        if key not in self._records:
            self._records[key] = evaluate(operator_of(desc), desc, level)
        return self._records[key]

    def _candidates(self, cause: Sequence[Check]) -> Iterator[Edit]:
        """Edits that may remove `cause`, likeliest first; most come with outputs inferred anew too."""
        inferable = self._desc.inferable
        guesses = [*_guesses(self._operator, self._desc, cause[0])]
        guesses += _general_fixes(self._operator, self._desc, cause)
        for changes in guesses:
            yield changes, self._level
            if any(changes.get(name, 0) is not None for name in inferable):
                yield {**changes, **inferable}, self._level
        if is_of_level(cause[0]):
            yield from (({}, level) for level in LEVELS if level > self._level)


def _is_broken(check: Check) -> bool:
    return not check.ok and check.severity is Severity.ERROR


def _key(check: Check) -> tuple[str, str]:
    return check.id, root_of(check.field)


def _failing(record: Recorder) -> set[tuple[str, str]]:
    return {_key(check) for check in record.checks if _is_broken(check)}


def _guesses(op: Operator[Any], desc: Desc, broken: Check) -> Iterator[Changes]:
    """The operator's own, up to one that would be of a size that no tensor can hold."""
    with contextlib.suppress(DmlvizError):
        yield from op.fixes(desc, broken)


_MEMBERS = {
    "tensor.dimension_count": "dimension_count",
    "tensor.total_size": "total_tensor_size_in_bytes",
    "tensor.strides": "strides",
    "tensor.alignment": "guaranteed_base_offset_alignment",
}
"""What may be left out of a tensor desc, by the rule of it."""


def _general_fixes(op: Operator[Any], desc: Desc, cause: Sequence[Check]) -> Iterator[Changes]:
    broken = cause[0]
    roots = {root_of(check.field) for check in cause}
    parts = [part for part in desc.parts if part.path in roots]
    anchor = anchor_of(op, desc)
    if broken.field in (count.name for count in desc.COUNTS):
        yield {broken.field: None}
        if anchor is not None:
            yield from _counted(desc, broken.field, anchor.tensor.dimension_count)
    if broken.id == "number.range":
        yield from _in_range(desc, name_of(broken.field))
    for field in desc.ATTRIBUTES:
        if field.name == broken.field:
            most = anchor.tensor.dimension_count if anchor is not None else 0
            number = desc.get(field.name)
            if field.is_axis and number < 0:  # from the end, as in NumPy
                yield {field.name: number + most}
            yield from ({field.name: other} for other in field.nearby(number, most))
    if not parts or anchor is None:
        return
    first = parts[0].tensor
    output = parts[0].field.name if len(parts) == 1 and _can_follow(parts[0]) else None

    def edited(change: Callable[[TensorDesc], TensorDesc]) -> Changes:
        given = [part for part in parts if part.field.name not in desc.inferred or len(parts) == 1]
        return with_tensors(desc, {part.path: change(part.tensor) for part in given})

    wanted = {root_of(check.field): check.expected for check in cause if f"{root_of(check.field)}.Sizes" in check.field}
    if broken.related and not parts[0].field.many and all(isinstance(wanted.get(part.path), list) for part in parts):
        yield with_tensors(desc, {part.path: part.tensor.resized(wanted[part.path]) for part in parts})
        axes = [(field.name, n) for field in desc.ATTRIBUTES if field.is_axis for n in range(first.dimension_count)]
        yield from ({name: other} for name, other in axes if other != desc.get(name))
    if broken.id in _MEMBERS:
        yield edited(lambda t: t.changed(**{_MEMBERS[broken.id]: None}))
    if broken.id == "tensor.dimension_count":
        missing = first.members.get("DimensionCount", 0) - first.dimension_count
        if 0 < missing <= MAX_DIMENSIONS:
            yield edited(lambda t: t.resized((1,) * missing + t.sizes))
    if broken.id == "dtype.supported":
        data = all(part.is_moved for part in parts)
        for kind in _nearest_types(first.data_type, map(DataType.of, broken.expected), data):
            yield with_types(desc, kind) if data else edited(lambda t, kind=kind: t.changed(data_type=kind))  # type: ignore[misc]
    if broken.id == "dtype.equal":
        yield edited(lambda t: t.changed(data_type=broken.expected))
        yield with_types(desc, first.data_type)
    if broken.id.startswith("dimension_count.") and any(p.tensor.listed_sizes != p.tensor.sizes for p in parts):
        yield edited(lambda t: t.changed(dimension_count=None))
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        yield from dimension_changes(desc, min(max(first.dimension_count, low), high) - first.dimension_count)
    if broken.id == "dimension_count.equal":
        count = anchor.tensor.dimension_count
        if all(fit_dimensions(part.tensor.sizes, count) is not None for part in parts):
            yield edited(lambda t: t.resized(fit_dimensions(t.sizes, count) or ()))
        back = fit_dimensions(anchor.tensor.sizes, first.dimension_count)
        if back is not None:
            yield with_tensor(desc, anchor, anchor.tensor.resized(back))
        if _can_follow(anchor):
            yield {anchor.field.name: None}
    if broken.id == "sizes.positive":
        yield edited(lambda t: t.resized(max(1, size) for size in t.sizes))
        yield edited(lambda t: t.resized(abs(size) or 1 for size in t.sizes))
    if output and broken.id in ("dimension_count.equal", "sizes.positive"):
        yield {output: None}


def _can_follow(part: Part) -> bool:
    return part.field.role is Role.OUTPUT and not part.field.many


def _single_numbers(desc: Desc) -> Iterator[Changes]:
    """Edits of one number: an axis or a count of axes; a size that another tensor has on that axis, or 1."""
    parts = [part for part in desc.parts if part.field.name not in desc.inferred]
    most = max((part.tensor.dimension_count for part in parts), default=0)
    for field in desc.ATTRIBUTES:
        yield from ({field.name: other} for other in field.nearby(desc.get(field.name), most))
    for part in parts:
        if "DimensionCount" in part.tensor.members:
            yield with_tensor(desc, part, part.tensor.changed(dimension_count=None))
        for d, size in enumerate(part.tensor.sizes):
            others = {p.tensor.sizes[d] for p in desc.parts if d < p.tensor.dimension_count} | {1}
            for other in sorted(others - {size}):
                yield with_tensor(desc, part, part.tensor.resized(put(part.tensor.sizes, d, other)))


def _counted(desc: Desc, counted: str, count: int) -> Iterator[Changes]:
    """Arrays under one count with an entry for each axis: neutral ones put on, or others left out, at either end."""
    governed = [name for f in desc.COUNTS if f.name == counted for name in f.arrays]
    fields = [field for field in desc.FIELDS if field.name in governed]
    if all(field.neutral is not None for field in fields):
        neutral = {field.name: (field.neutral,) * count for field in fields}
        lengths = {name: len(desc.get(name)) for name in neutral}
        yield {name: (more + desc.get(name))[lengths[name] :] for name, more in neutral.items()} | {counted: None}
        yield {name: (desc.get(name) + more)[:count] for name, more in neutral.items()} | {counted: None}


def _in_range(desc: Desc, name: str) -> Iterator[Changes]:
    """The nearest number that the field's type holds; without a sign first, which is what a negative one may mean."""
    field = next(f for f in desc.FIELDS if f.name == name)
    assert field.bounds is not None
    low, high = field.bounds.low, field.bounds.high
    for moved in (abs, int) if low == 0 else (int,):
        with contextlib.suppress(ValueError, OverflowError):  # neither NaN nor an infinity has a whole number near it
            numbers = field.numbers(desc.get(name))
            fitted = [n if field.bounds.holds(n) else min(max(moved(n), low), high) for n in numbers]
            yield {name: fitted if field.is_list else fitted[0]}


def _nearest_types(kind: DataType, types: Iterable[DataType], moved: bool) -> list[DataType]:
    """Other types: where bits are `moved`, those of the same size first; then those that hold every value.

    Then those of the same kind and size.
    """

    def order(other: DataType) -> tuple[object, ...]:
        kept = moved and other.item_size == kind.item_size
        apart = "uif".index(other.dtype.kind) if kept else other.dtype.kind != kind.dtype.kind
        holds = np.can_cast(kind.dtype, other.dtype)
        return not kept, not holds, apart, abs(other.item_size - kind.item_size)

    return sorted(types, key=order)[:3]
