"""Fixes: edits that remove a failure, each verified on a copy."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...desc.base import Changes, Desc, Part
from ...desc.fields import Role
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...errors import DmlvizError
from ..base import Operator
from ..desc_edits import dimension_changes, fit_dimensions, with_tensor, with_tensors, with_types
from ..evaluation import record_rules
from ..general_rules import anchor_of
from ..level_rules import LEVEL_CHECKS, is_of_level, may_hold
from ..registry import operator_of
from ..report import Check, Fix, Recorder, Severity, name_of, root_of
from .differences import Edits, changes_between, edits_between
from .losses import grows, keeps_bits, loss_between

MOST_FIXES = 6
MOST_ALIKE = 3
"""Fixes that change one number of one tensor each, of many in a list, before there are other fixes."""
MOST_EDITS = 96
"""Edits of a single number that are tried where an operator knows none that mends everything."""
MOST_WORK = 30_000
"""Tensors that are held against the rules for all fixes of a desc together: each try looks at all of a desc's tensors,
so that thousands of broken ones would take the square of their number. The failures that come last have no fixes then.
"""
MOST_PARTS = 32
"""Tensors up to which that is done: each try holds every rule against all of them."""


class Outcome(Recorder):
    """Which checks fail or wait, by id and root of the field: all that has to be known of a desc that is tried."""

    def __init__(self, page: str, level: FeatureLevel) -> None:
        super().__init__(page, level)
        self.failing: set[tuple[str, str]] = set()
        self.unmet: set[tuple[str, str]] = set()
        """What fails, and what waits."""
        self.left = 0
        """How many checks fail."""

    def expect(
        self,
        id: str,  # noqa: A002
        ok: bool,
        field: str,
        *words: Any,  # are for nobody here
        related: Sequence[str] = (),
        severity: Severity = Severity.ERROR,
        since: FeatureLevel | None = None,
        **more: Any,
    ) -> bool:
        ok = ok or (since is not None and self.level >= since)
        if not ok and severity is Severity.ERROR:
            self.off.add(id)
            self.blamed |= {name_of(path) for path in (field, *related)}
            self.failing.add((id, root_of(field)))
            self.unmet.add((id, root_of(field)))
            self.left += 1
        return ok

    def wait(self, id: str, field: str, on: str) -> None:  # noqa: A002
        self.off.add(id)
        self.unmet.add((id, root_of(field)))


class Tried(NamedTuple):
    """An edit that removes a failure."""

    desc: Desc
    level: FeatureLevel
    outcome: Outcome
    loses: str


class Fixer:
    """The fixes of one desc. What is tried for one failure is not worked out again for another."""

    def __init__(self, operator: Operator[Any], desc: Desc, level: FeatureLevel, before: Recorder) -> None:
        self._operator, self._desc, self._level = operator, desc, level
        self._old = {(c.id, root_of(c.field)) for c in before.checks if not c.ok}
        self._work = 0
        self._edited_to: dict[Desc, Edits] = {}
        self._outcomes: dict[tuple[Desc, frozenset[str], FeatureLevel], Outcome] = {}

    def fixes(self, cause: Sequence[Check]) -> tuple[Fix, ...]:
        """Edits that remove checks which fail alike, verified on a copy: those after which every rule holds come first.

        Of those, the ones that lose nothing; then the ones that keep the operator; then the one that gives the named
        tensor the sizes that are expected, and changes nothing else; then those that change the fewest numbers; then
        those that keep an axis, and the outputs; then those that want no more data, and that make a size what most
        tensors have there.
        """
        broken = cause[0]
        if self._work > MOST_WORK:
            return ()
        tried = [*self._tried(cause, self._candidates(cause))]
        if self._may_be_a_number(broken) and not any(self._is_small(edit) for edit in tried):
            single = ((changes, self._level) for changes in islice(_single_numbers(self._desc), MOST_EDITS))
            tried += [edit for edit in self._tried(cause, single) if self._is_small(edit)]
        if broken.severity is Severity.ERROR:
            tried += self._turned()
        if len(tried) > 1:
            tried.sort(key=lambda edit: self._order(edit, broken))
        # A fix that uncovers another failure is offered only where no better one is known.
        best = [edit for edit in tried if self._rank(edit) < 2] or tried[:1]
        ordered = self._varied(best)
        turned = [edit for edit in ordered[MOST_FIXES:] if self._is_turned(edit)]  # it isn't cut off
        fixes = (self._fix(edit) for edit in (*ordered[: MOST_FIXES - len(turned)], *turned, *ordered[MOST_FIXES:]))
        return tuple(islice((fix for fix in fixes if fix.label), MOST_FIXES))  # no edit of what is only inferred

    def _varied(self, best: list[Tried]) -> list[Tried]:
        """Fixes in their order, but for those that change one more tensor of a list as `MOST_ALIKE` before do."""
        alike: Counter[str] = Counter()
        first: list[Tried] = []
        later: list[Tried] = []
        for tried in best:
            if self._is_turned(tried):
                first.append(tried)
                continue
            changed = next((f for f in self._desc.FIELDS if self._desc.get(f.name) != tried.desc.get(f.name)), None)
            single = self._edits(tried.desc).numbers == 1 and changed is not None and changed.many
            name = changed.name if changed is not None and single else ""
            alike[name] += 1
            (later if single and alike[name] > MOST_ALIKE else first).append(tried)
        return first + later

    def _rank(self, tried: Tried) -> int:
        """0 for an edit after which nothing is broken, 1 for one that breaks nothing new, else 2."""
        return 0 if not tried.outcome.failing else 1 if tried.outcome.failing <= self._old else 2

    def _may_be_a_number(self, broken: Check) -> bool:
        """True if one number may be to blame: not for types, nor for what a feature level lacks."""
        named = broken.id.startswith("dtype.") or broken.id in LEVEL_CHECKS
        return broken.severity is Severity.ERROR and not named and len(self._desc.parts) <= MOST_PARTS

    def _is_turned(self, tried: Tried) -> bool:
        """True if it makes a desc of another operator."""
        return tried.desc.TYPE != self._desc.TYPE

    def _is_small(self, tried: Tried) -> bool:
        """True if it mends everything by one number."""
        return not tried.outcome.failing and self._edits(tried.desc).numbers == 1

    def _edits(self, desc: Desc) -> Edits:
        """How much of the desc that is mended differs from `desc`."""
        if desc not in self._edited_to:
            self._edited_to[desc] = edits_between(self._desc, desc)
        return self._edited_to[desc]

    def _order(self, tried: Tried, broken: Check) -> tuple[int, ...]:
        """What fixes are sorted by: the lesser comes first."""
        edits = self._edits(tried.desc)
        # A sum is of what is on the other side: an output is as likely to be wrong there as an input.
        outputs = 0 if broken.id == "sizes.sum" else edits.outputs
        return (
            self._rank(tried),
            int(bool(tried.loses)),
            int(self._is_turned(tried)),
            int(tried.level is not self._level),  # a device has the level that it has
            int(not self._is_as_named(tried, broken)),
            edits.numbers,
            edits.axes + outputs,
            int(grows(self._desc, tried.desc)),
            -edits.agreeing,
        )

    def _is_as_named(self, tried: Tried, broken: Check) -> bool:
        """True if it changes nothing but the tensor that is named, which gets the sizes that are expected."""
        if self._is_turned(tried) or not broken.id.endswith(".sizes"):
            return False
        changed = {f.name for f in self._desc.FIELDS if self._desc.get(f.name) != tried.desc.get(f.name)}
        return changed == {name_of(broken.field)}

    def _fix(self, tried: Tried) -> Fix:
        desc, level, outcome, loses = tried
        changes = tuple(changes_between(self._desc, desc, self._level, level))
        label, same_bits = ", ".join(map(str, changes)), not loses and keeps_bits(self._desc, desc)
        return Fix(
            label,
            desc,
            level,
            mends_all=not outcome.failing,
            changes=changes,
            left=outcome.left,
            loses=loses,
            same_bits=same_bits,
            turned=self._is_turned(tried),
        )

    def _turned(self) -> Iterator[Tried]:
        """What was written as descs of other operators, where every rule of theirs holds."""
        for desc in self._operator.turned(self._desc):
            outcome = self._outcome(desc, self._level)
            if not outcome.failing:
                yield Tried(desc=desc, level=self._level, outcome=outcome, loses=loss_between(self._desc, desc))

    def _tried(self, cause: Sequence[Check], candidates: Iterable[tuple[Changes, FeatureLevel]]) -> Iterator[Tried]:
        """Those of the edits that remove every check of `cause`."""
        keys = {(check.id, root_of(check.field)) for check in cause}
        seen = {(self._desc, self._level)}
        raised = False
        for changes, level in candidates:
            desc = self._edited(changes)
            if desc is None or (desc, level) in seen or (level is not self._level and raised):
                continue
            seen.add((desc, level))
            self._work += len(desc.parts)
            if self._work > MOST_WORK + len(desc.parts):
                return
            if self._desc.outputs and not desc.outputs:
                continue  # an output that can't be inferred any more is no mend
            outcome = self._outcome(desc, level)
            if keys.isdisjoint(outcome.unmet):
                raised = raised or level is not self._level  # the lowest level that helps is enough
                yield Tried(desc=desc, level=level, outcome=outcome, loses=loss_between(self._desc, desc))

    def _edited(self, changes: Changes) -> Desc | None:
        """The desc with `changes`; what was given stays given, with the sizes that follow from the rest."""
        if not changes:
            return self._desc
        try:
            edited = self._desc.replace(changes)
        except DmlvizError:
            return None
        follow = {name: edited.get(name) for name in edited.inferred - self._desc.inferred}
        replacements = {
            name: _with_told_members(self._desc.get(name), value) for name, value in follow.items() if value is not None
        }
        return edited.replace(replacements) if replacements else edited

    def _outcome(self, desc: Desc, level: FeatureLevel) -> Outcome:
        """Which rules an edited desc breaks at a level; each is held once."""
        key = desc, desc.inferred, level
        if key not in self._outcomes:
            operator = self._operator if desc.TYPE == self._desc.TYPE else operator_of(desc)
            outcome = self._outcomes[key] = Outcome(operator.page, level)
            record_rules(operator, desc, outcome)
        return self._outcomes[key]

    def _candidates(self, cause: Sequence[Check]) -> Iterator[tuple[Changes, FeatureLevel]]:
        """Edits that may remove `cause`, likeliest first; most come with outputs inferred anew too."""
        operator, desc, broken = self._operator, self._desc, cause[0]
        own = [*_guesses(operator, desc, broken), *_general_fixes(operator, desc, cause)]
        inferable = desc.inferable
        for changes in own:
            yield changes, self._level
            if any(changes.get(name, 0) is not None for name in inferable):
                yield {**changes, **inferable}, self._level
        if is_of_level(broken):
            for higher in LEVELS:
                if higher > self._level and all(may_hold(operator, desc, check, higher) for check in cause):
                    yield {}, higher


def _with_told_members(before: object, after: Any) -> Any:
    """`after` with what tensor `before` was given beside DataType and Sizes; unchanged where it is no tensor."""
    if isinstance(before, TensorDesc) and isinstance(after, TensorDesc) and before.told_members():
        return before.retyped(after.data_type).resized(after.sizes)
    return after


def _guesses(operator: Operator[Any], desc: Desc, broken: Check) -> Iterator[Changes]:
    """The operator's own, up to one that would be of a size that no tensor can hold."""
    try:
        yield from operator.fixes(desc, broken)
    except DmlvizError:
        return


def _general_fixes(operator: Operator[Any], desc: Desc, cause: Sequence[Check]) -> Iterator[Changes]:
    broken, roots = cause[0], {root_of(check.field) for check in cause}
    parts = [part for part in desc.parts if part.path in roots]
    anchor = anchor_of(operator, desc)
    if broken.id.endswith(".count") or broken.id in (
        "count.matches",
        "count.positive",
    ):  # an operator's own, or for all
        yield {broken.field: None}
        if anchor is not None:
            yield from _counted(desc, broken.field, anchor.tensor.dimension_count)
    if broken.id == "number.range":
        yield from _in_range(desc, name_of(broken.field))
    if broken.id in ("value.known", "value.supported"):
        yield from ({broken.field: name} for name in broken.expected)
    if not parts or anchor is None:
        return
    first = parts[0].tensor
    data = all(part.field.role in (Role.DATA, Role.OUTPUT) for part in parts)
    output = parts[0].field.name if len(parts) == 1 and _can_follow(parts[0]) else None

    def edited(change: Callable[[TensorDesc], TensorDesc]) -> Changes:
        """One edit that changes every broken tensor in one way; what is inferred follows."""
        given = [part for part in parts if part.field.name not in desc.inferred or len(parts) == 1]
        return with_tensors(desc, {part.path: change(part.tensor) for part in given})

    if broken.id == "tensor.dimension_count":
        yield edited(lambda t: t.with_member("DimensionCount", None))
        missing = (first.members.dimension_count or 0) - first.dimension_count
        if 0 < missing <= MAX_DIMENSIONS:
            yield edited(lambda t: t.resized((1,) * missing + t.sizes))
    if broken.id == "tensor.total_size":
        yield edited(lambda t: t.with_member("TotalTensorSizeInBytes", None))
    if broken.id == "tensor.strides":
        yield edited(lambda t: t.with_member("Strides", None))
    if broken.id == "tensor.alignment":
        yield edited(lambda t: t.with_member("GuaranteedBaseOffsetAlignment", None))
    if broken.id == "dtype.supported":
        for name in _nearest_types(first.data_type, broken.expected, data):
            yield with_types(desc, DataType[name]) if data else edited(lambda t, n=name: t.retyped(n))  # type: ignore[misc]
    if broken.id == "dtype.equal":
        yield edited(lambda t: t.retyped(broken.expected))
        yield with_types(desc, first.data_type)
    if broken.id.startswith("dimension_count.") and any(part.tensor.members.further_sizes for part in parts):
        yield edited(lambda t: t.with_member("DimensionCount", None))
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        count = first.dimension_count
        yield from dimension_changes(desc, min(max(count, low), high) - count)
    if broken.id == "dimension_count.equal":
        count = anchor.tensor.dimension_count
        if all(fit_dimensions(part.tensor.sizes, count) is not None for part in parts):
            yield edited(lambda t: t.resized(fit_dimensions(t.sizes, count) or ()))
        if output:
            yield {output: None}
        back = fit_dimensions(anchor.tensor.sizes, first.dimension_count)
        if back is not None:
            yield with_tensor(desc, anchor, anchor.tensor.resized(back))
        if _can_follow(anchor):
            yield {anchor.field.name: None}
    if broken.id == "sizes.positive":
        yield edited(lambda t: t.resized(max(1, size) for size in t.sizes))
        yield edited(lambda t: t.resized(abs(size) or 1 for size in t.sizes))
        if output:
            yield {output: None}


def _can_follow(part: Part) -> bool:
    """True for an output that may be left out."""
    return part.field.role is Role.OUTPUT and not part.field.many


def _single_numbers(desc: Desc) -> Iterator[Changes]:
    """Edits of one number: an axis or a count of axes; a size that another tensor has on that axis, or 1."""
    parts = [part for part in desc.parts if part.field.name not in desc.inferred]
    most = max((part.tensor.dimension_count for part in parts), default=0)
    for field in desc.ATTRIBUTES:
        yield from ({field.name: other} for other in field.nearby(desc.get(field.name), most))
    for part in parts:
        if part.tensor.members.dimension_count is not None:
            yield with_tensor(desc, part, part.tensor.with_member("DimensionCount", None))
        for d, size in enumerate(part.tensor.sizes):
            other_sizes = {p.tensor.sizes[d] for p in desc.parts if d < p.tensor.dimension_count} | {1}
            for other in sorted(other_sizes - {size}):
                sizes = (*part.tensor.sizes[:d], other, *part.tensor.sizes[d + 1 :])
                yield with_tensor(desc, part, part.tensor.resized(sizes))


def _counted(desc: Desc, count_field: str, count: int) -> Iterator[Changes]:
    """Arrays under one count with an entry for each axis: neutral ones in front, or those in front left out."""
    changes: dict[str, Any] = {count_field: None}
    governed = [name for f in desc.COUNTS if f.name == count_field for name in f.arrays]
    for field in desc.FIELDS:
        if field.name not in governed:
            continue
        if not field.per_axis or field.neutral is None:
            return
        content = desc.get(field.name)
        changes[field.name] = (field.neutral,) * (count - len(content)) + content[max(0, len(content) - count) :]
    yield changes


def _in_range(desc: Desc, name: str) -> Iterator[Changes]:
    """The nearest number that the field's type holds; without a sign first, which is what a negative one may mean."""
    field = next((f for f in desc.FIELDS if f.name == name), None)
    bounds = None if field is None else field.bounds
    if field is None or bounds is None:
        return
    for moved in (abs, int) if bounds.low == 0 else (int,):
        with contextlib.suppress(ValueError, OverflowError):  # neither NaN nor an infinity has a whole number near it
            fitted = [
                entry if bounds.holds(entry) else min(max(moved(entry), bounds.low), bounds.high)
                for entry in field.numbers(desc.get(name))
            ]
            yield {name: fitted if field.is_list else fitted[0]}


def _nearest_types(data_type: DataType, names: Iterable[str], moved: bool) -> list[str]:
    """Other types: where bits are `moved`, those of the same size first; then those that hold every value.

    Then those of the same kind and size.
    """

    def order(name: str) -> tuple[object, ...]:
        other = DataType[name]
        kept = moved and other.item_size == data_type.item_size
        apart = "uif".index(other.dtype.kind) if kept else other.dtype.kind != data_type.dtype.kind
        holds = np.can_cast(data_type.dtype, other.dtype)
        return not kept, not holds, apart, abs(other.item_size - data_type.item_size)

    return sorted(names, key=order)[:3]
