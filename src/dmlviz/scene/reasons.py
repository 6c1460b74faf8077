"""What is said about a desc that breaks rules: reasons, fixes, and what in the picture each reason concerns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from ..desc.tensors import braces
from ..operators.registry import operator_of
from ..operators.report import Change, Check, Fix, Report, Severity
from ..operators.sentences import sentence_of
from ..operators.workings import CodeLine, Term
from .figure import BrokenCells

KEYS = 9
"""Fixes that a digit applies."""


class Row(NamedTuple):
    """A field that a rule names: what stands there, and what would have to."""

    field: str
    found: str
    expected: str


class Piece(NamedTuple):
    """Part of a diff's text; `new` where the other side has something else."""

    text: str
    new: bool


@dataclass(frozen=True)
class Reason:
    """One cause: the checks of one rule that the same fixes mend, the first of them in words."""

    checks: tuple[Check, ...]
    sentence: str
    """The rule, whatever the numbers."""
    fixes: tuple[int, ...]
    """Numbers, from 0, of the fixes that mend it."""

    @property
    def first(self) -> Check:
        return self.checks[0]

    @property
    def is_error(self) -> bool:
        return self.first.severity is Severity.ERROR

    @property
    def page(self) -> str:
        """Where the rule is written: `GATHER page, OutputTensor and example 3`."""
        return re.sub(r"^DML_(\w+)_OPERATOR_DESC", r"\1 page", self.first.page)

    @property
    def rows(self) -> list[Row]:
        """A row for each check."""
        return [row_of(check) for check in self.checks]


@dataclass(frozen=True)
class Why:
    """Everything there is to say about what a report found."""

    reasons: tuple[Reason, ...]
    """Broken rules first, then warnings."""
    fixes: tuple[Fix, ...]
    """Each verified edit once: those after which every rule holds, then the others. The order of keys 1 to 9."""

    @property
    def errors(self) -> tuple[Reason, ...]:
        return tuple(reason for reason in self.reasons if reason.is_error)


def why(desc: Desc, report: Report) -> Why:
    """Groups a report's failures by cause, and lists each fix once."""
    operator = operator_of(desc)
    targets: dict[tuple[Desc, FeatureLevel], Fix] = {}
    for check in report.errors:
        for fix in check.fixes:
            targets.setdefault((fix.desc, fix.feature_level), fix)
    ordered = sorted(targets, key=lambda target: not targets[target].mends_all)
    number = {target: i for i, target in enumerate(ordered)}
    groups: dict[object, list[Check]] = {}
    for check in report.failures:
        if check.severity is Severity.NOTE:
            continue
        mends = frozenset((fix.desc, fix.feature_level) for fix in check.fixes)
        groups.setdefault((check.severity, check.id, mends), []).append(check)
    for_all = {number[target] for target, fix in targets.items() if fix.mends_all}
    reasons = []
    for checks in sorted(groups.values(), key=lambda group: group[0].severity is not Severity.ERROR):
        own = {number[fix.desc, fix.feature_level] for check in checks for fix in check.fixes}
        numbers = sorted(own | for_all) if checks[0].severity is Severity.ERROR else []
        reasons.append(Reason(tuple(checks), sentence_of(operator, checks[0].id), tuple(numbers)))
    return Why(tuple(reasons), tuple(targets[target] for target in ordered))


def row_of(check: Check) -> Row:
    """Found and expected as a person would write them, of the very size where the field names one."""
    found, expected = check.found, check.expected
    at = re.search(r"\[(\d+)\]$", check.field)
    if at is not None:
        d = int(at[1])
        found = found[d] if _is_sizes(found) and d < len(found) else found
        expected = expected[d] if _is_sizes(expected) and d < len(expected) else expected
    if check.id == "dimension_count.supported":
        low, high = check.expected
        expected = low if low == high else f"{low} to {high}"
    if check.id == "gather.fits":
        expected = str(expected).split(" for ", 1)[0]  # the sentence says for what
    return Row(check.field, _said(found), _said(expected))


def _is_sizes(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(each, int) for each in found)


def _said(found: Any) -> str:
    if found is None:
        return "–"
    if _is_sizes(found):
        return braces(found)
    if isinstance(found, list):
        return found[0] if len(found) == 1 else f"{', '.join(map(str, found[:-1]))} or {found[-1]}"
    return f"{found:,}" if isinstance(found, int) and abs(found) >= 10**6 else str(found)


def working(desc: Desc, reason: Reason) -> list[Term]:
    """The computation behind a reason, with live numbers."""
    return operator_of(desc).working(desc, reason.first)


CODE_RULES = frozenset({"dimension_count.equal", "sizes.match", "sizes.sum"})
"""The rules that pages write as pseudo-code."""


def code_of(desc: Desc, reason: Reason | None = None) -> list[CodeLine]:
    """The page's pseudo-code with live numbers; nothing where it has none, or says nothing about `reason`."""
    if reason is not None and reason.first.id not in CODE_RULES:
        return []
    return operator_of(desc).pseudo_code(desc)


def result_of(desc: Desc, fix: Fix) -> str:
    """What is so after a fix: `then every rule holds; OutputTensor {3, 1, 2}`, where the output follows by itself."""
    if fix.left:
        return "1 check stays broken" if fix.left == 1 else f"{fix.left:,} checks stay broken"
    before = {part.path: part.tensor.sizes for part in desc.outputs}
    told = {change.what for change in fix.changes}
    follow = [
        f"; {part.path} {braces(part.tensor.sizes)}"
        for part in fix.desc.outputs
        if part.path not in told and part.tensor.sizes != before.get(part.path)
    ]
    return "then every rule holds" + "".join(follow[:1])


def diff(change: Change) -> tuple[list[Piece], list[Piece]]:
    """Before and after, with what differs marked; sizes are held against each other from the last one."""
    before, after = (re.findall(r"-?\w+|[^\w-]+|-", text) for text in (change.before, change.after))
    return _marked(before, after), _marked(after, before)


def _marked(tokens: Sequence[str], other: Sequence[str]) -> list[Piece]:
    words = [token for token in other if token[-1].isalnum()]
    rest = sum(token[-1].isalnum() for token in tokens)
    made: list[Piece] = []
    for token in tokens:
        new = False
        if token[-1].isalnum():
            new = rest > len(words) or words[-rest] != token
            rest -= 1
        if made and made[-1].new == new:
            made[-1] = Piece(made[-1].text + token, new)
        else:
            made.append(Piece(token, new))
    return made


class Lights(NamedTuple):
    """What in the picture a reason concerns."""

    axes: frozenset[tuple[str, int]] = frozenset()
    """(tensor path, axis); axis -1 for the tensor as a whole."""
    cells: frozenset[BrokenCells] = frozenset()


def lights(reason: Reason | None) -> Lights:
    """The axes in the rulers, and the cells: slices that are too many or missing, or indices and lengths outside."""
    if reason is None:
        return Lights()
    axes: set[tuple[str, int]] = set()
    cells: set[BrokenCells] = set()
    for check in reason.checks:
        path, _, rest = check.field.partition(".")
        if check.id.startswith("values."):
            cells.add(BrokenCells(path.split("[", 1)[0]))
            continue
        for each in (check.field, *check.related):
            head, _, tail = each.partition(".Sizes[")
            if tail:
                axes.add((head, int(tail.rstrip("]"))))
        if rest in ("DataType", "DimensionCount") or check.id == "sizes.element_count":
            axes.add((path, -1))
        if rest.startswith("Sizes"):
            for d, found, expected in _sizes_of(check):
                if found != expected:
                    axes.add((path, d))
                    cells.add(BrokenCells(path, d, max(0, min(found, expected)), max(found, expected)))
        for each in (check.field, *check.related):
            if each.startswith("Repeats["):
                axes.add(("OutputTensor", int(each[8:-1])))
    return Lights(frozenset(axes), frozenset(cells))


def _sizes_of(check: Check) -> list[tuple[int, int, int]]:
    """(axis, found, expected) of the sizes that a check names."""
    found, expected = check.found, check.expected
    at = re.search(r"Sizes\[(\d+)\]$", check.field)
    if isinstance(found, int) and isinstance(expected, int):
        return [(int(at[1]), found, expected)] if at is not None else []
    if not _is_sizes(found):
        return []
    if not _is_sizes(expected):  # "at least 1"
        return [(d, size, 1) for d, size in enumerate(found) if size < 1]
    return [(d, f, e) for d, (f, e) in enumerate(zip(found, expected, strict=False))]
