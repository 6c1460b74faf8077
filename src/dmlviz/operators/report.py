"""A report: every check of a desc, its severity, and the fixes that were verified."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from ..formats.displayed import Displayed

E_INVALIDARG = 0x80070057
OWN = "dmlviz"
"""The page of a check of dmlviz's own: no page of DirectML's has it, and CreateOperator may not know it."""
OF_TENSORS = "DML_BUFFER_TENSOR_DESC"
"""The page of what holds for each tensor desc."""
_PAGES = {
    **dict.fromkeys(("count.matches", "indices.leading", "number.range"), OWN),
    **dict.fromkeys(("tensor.dimension_count", "tensor.strides"), OWN),
    **dict.fromkeys(("tensor.total_size", "tensor.alignment", "sizes.positive", "sizes.element_count"), OF_TENSORS),
}
"""The page of what the operator's own page doesn't have, by check id."""
_DOUBTS = {"dimension_count.supported": "note.join_dimensions", "dtype.supported": "note.tile_float64"}
"""The note, by the rule that it doubts: a device may accept what the page doesn't list."""


class Severity(enum.StrEnum):
    """A broken rule; what is legal, but not what it seems; and what is worth knowing."""

    ERROR, WARNING, NOTE = "error", "warning", "note"


class Kind(enum.StrEnum):
    """How what a check found, or expected, is to be read.

    A RANGE is text such as `[0, 2)` or `>= 1`, or a list of the least and the greatest; a SET is a list of values of
    which each will do, or was found.
    """

    VALUE, RANGE, SET = "value", "range", "set"


class Change(NamedTuple):
    """One thing that a fix changes; `before` is empty for what is added, `after` for what is removed."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before or not self.after:
            return f"{'remove' if self.before else 'add'} {self.what} {self.before or self.after}"
        return f"{self.what} {self.before} → {self.after}"


class Fix(Struct, frozen=True):
    """An edit that was applied to a copy and re-checked there: it removes the failure it is offered for."""

    label: str
    """Its `changes` in one line."""
    desc: Desc
    feature_level: FeatureLevel
    mends_all: bool
    """True if no error is left after it."""
    changes: tuple[Change, ...] = ()
    left: int = 0
    """How many checks fail after it."""
    loses: str = ""
    """What of the data has no place after it: `3 of 6 elements of IndicesTensor`."""
    same_bits: bool = False
    """True if a DataType changes, and each bit stays where it is."""
    turned: bool = False
    """True if `desc` is of another operator, which the same tensors fit."""

    @property
    def effect(self) -> str:
        """What it does to the data, in a few words; empty where nothing changes."""
        return f"loses {self.loses}" if self.loses else "the same bits" if self.same_bits else ""

    @property
    def text(self) -> str:
        """`label` with what that does to the data: `DataType FLOAT64 → UINT64 (the same bits)`."""
        return f"{self.label} ({self.effect})" if self.effect else self.label


class Check(Struct, frozen=True):
    """One rule held against one tensor or field."""

    id: str
    severity: Severity
    ok: bool
    field: str
    """DirectML's path: `OutputTensor.Sizes[2]`."""
    expected: Any
    """What would be right. In a text, " for " may tell behind it what that depends on."""
    found: Any
    message: str
    """One sentence: what was found and what was expected."""
    page: str
    """Where the rule is written."""
    fixes: tuple[Fix, ...] = ()
    """Of a cause in several tensors, they stand at its first check, and mend it in all."""
    related: tuple[str, ...] = ()
    """Paths of what else the rule read, to be lit beside `field`."""
    expected_kind: Kind = Kind.VALUE
    found_kind: Kind = Kind.VALUE
    same_as: str = ""
    """`field` of the check before that has the same cause, and the fixes; empty for the first of a cause."""
    since: FeatureLevel | None = None
    """The level from which it holds as it stands; None for what holds, or fails, at every level."""

    @property
    def is_own(self) -> bool:
        """True for a check that no page of DirectML's has."""
        return self.page == OWN or self.id.startswith("chain.")

    @property
    def words(self) -> str:
        """The sentence without the path of its tensor: the same for all that break the rule in the same way."""
        root = root_of(self.field)
        return self.message.replace(f"{root}.", "").replace(f"{root}'s ", "")

    def __repr__(self) -> str:
        return f"<Check {self.id} {'ok' if self.ok else self.severity.value}: {self.message}>"


class Cause(Struct, frozen=True):
    """The checks of one rule that fail for one reason: the fixes of the first mend them all."""

    checks: tuple[Check, ...]

    @property
    def first(self) -> Check:
        return self.checks[0]

    @property
    def told(self) -> Check:
        return replace(self.first, message=self.message)

    @property
    def message(self) -> str:
        """One sentence for all: `DataType is FLOAT64 in 65 tensors, expected ...: InputTensors[0] to [63] and ...`."""
        first, count = self.first, len(self.checks)
        if count == 1:
            return first.message
        if any(check.words != first.words for check in self.checks):
            others = listed([root_of(check.field) for check in self.checks[1:]])
            return f"{first.message.removesuffix('.')}, and {count - 1:,} more by the same cause: {others}."
        start, comma, expected = first.words.removesuffix(".").partition(", expected")
        return f"{start} in {count:,} tensors{comma}{expected}: {listed([root_of(c.field) for c in self.checks])}."


def listed(paths: Sequence[str]) -> str:
    """Paths as a sentence names them: `InputTensors[0] to [63] and OutputTensor`."""
    names: list[str] = []
    for _, run in groupby(enumerate(paths), key=lambda row: (row[1].partition("[")[0], _entry(row[1]) - row[0])):
        entries = [path for _, path in run]
        names += [f"{entries[0]} to [{_entry(entries[-1])}]"] if len(entries) > 2 else entries
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _entry(path: str) -> int:
    return int(path[path.rindex("[") + 1 : -1]) if path.endswith("]") else 0


def root_of(field: str) -> str:
    """The path of the tensor or number that `field` is about: `OutputTensor` of `OutputTensor.Sizes[2]`."""
    return field.split(".", 1)[0]


def name_of(path: str) -> str:
    """The name of the struct's field that a path leads into: `InputTensors` of `InputTensors[1].Sizes[2]`."""
    return root_of(path).split("[", 1)[0]


class Waiting(Struct, frozen=True):
    """A check that another failure leaves without meaning."""

    id: str
    field: str
    on: str
    """The id of the check it waits for."""

    @property
    def until(self) -> str:
        return f"{self.on} passes" if "." in self.on else f"{self.on} is done"


class NotChecked(Struct, frozen=True):
    """What was read and is held against no rule: neither a failure nor a promise."""

    field: str
    """DirectML's path: `InputTensor.Strides`."""
    found: Any
    message: str


class Verdict(enum.StrEnum):
    """What a report comes to: NOT_CHECKED where part of the desc is held against no rule, WAITS where an experiment
    that it reads is not valid; neither where a rule is broken.
    """

    VALID, NOT_CHECKED, WAITS, INVALID = "valid", "not checked", "waits", "invalid"

    @property
    def mark(self) -> str:
        return {"valid": "✔", "not checked": "?", "waits": "…", "invalid": "✘"}[self.value]


class Report(Displayed, Struct, frozen=True):
    """Every check of a desc at a feature level, and the lowest level that would accept the desc.

    It is true in a condition where its `verdict` is valid: `if dml.check(desc): ...`.
    """

    checks: tuple[Check, ...]
    waiting: tuple[Waiting, ...]
    feature_level: FeatureLevel
    lowest_level: FeatureLevel | None
    not_checked: tuple[NotChecked, ...] = ()
    waits_for: str = ""
    """The name of an experiment that this one reads, and that is not valid; "" for none."""

    @property
    def verdict(self) -> Verdict:
        """Valid only where everything that the desc says was held against a rule."""
        if self.errors:
            return Verdict.INVALID
        if self.waits_for:
            return Verdict.WAITS
        return Verdict.NOT_CHECKED if self.not_checked else Verdict.VALID

    @property
    def ok(self) -> bool | None:
        """True where the verdict is valid, False where a rule of severity error is broken; None for the other two."""
        return {Verdict.VALID: True, Verdict.INVALID: False}.get(self.verdict)

    @property
    def errors(self) -> tuple[Check, ...]:
        return tuple(c for c in self.checks if not c.ok and c.severity is Severity.ERROR)

    @property
    def is_refused(self) -> bool:
        """True where a documented rule is broken, so that CreateOperator may answer E_INVALIDARG."""
        return any(self.refuses(check) for check in self.errors)

    def refuses(self, error: Check) -> bool:
        """True for an error that breaks a documented rule, which no note of this report doubts."""
        doubt = _DOUBTS.get(error.id)
        return not error.is_own and all(check.id != doubt for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """Broken rules, warnings and notes."""
        return tuple(c for c in self.checks if not c.ok)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """`failures`, those together that have one cause."""
        groups: dict[tuple[str, str], list[Check]] = {}
        for check in self.failures:
            groups.setdefault((check.id, check.same_as or check.field), []).append(check)
        return tuple(Cause(tuple(group)) for group in groups.values())

    @property
    def broken(self) -> tuple[Cause, ...]:
        """`errors`, those together that have one cause: so many mistakes there are."""
        return tuple(cause for cause in self.causes if cause.first.severity is Severity.ERROR)

    @property
    def rules(self) -> int:
        """How many rules were held against the desc, those that fail by one cause counted as one."""
        return len(self.checks) - len(self.errors) + len(self.broken)

    def __bool__(self) -> bool:
        return self.ok is True

    def __repr__(self) -> str:
        lowest = f"lowest level {self.lowest_level}" if self.lowest_level is not None else "no level accepts it"
        broken = [cause.first.id for cause in self.broken]
        named = ", ".join(broken[:3]) + ", ..." * (len(broken) > 3)
        verdict = f"{len(broken)} of {self.rules} failed: {named}" if broken else f"{self.rules} checks ok"
        verdict += f", blocked by {self.waits_for!r}" * bool(self.waits_for)
        left = f", {len(self.not_checked)} not checked" if self.not_checked else ""
        return f"<Report at {self.feature_level}: {verdict}{left}; {lowest}>"


def _kind_of(expected: object) -> Kind:
    if isinstance(expected, str):
        return Kind.RANGE if expected.startswith(("[", "<", ">", "at most")) else Kind.VALUE
    return Kind.SET if isinstance(expected, list) and any(isinstance(each, str) for each in expected) else Kind.VALUE


class Recorder:
    """The checks that rules make as they run, and which ids failed, so that other checks can wait for them."""

    def __init__(self, page: str, level: FeatureLevel, patient: bool = True) -> None:
        """`patient` is False where rules that need a scan of many values wait for it: the caller has it made."""
        self.page, self.level, self.patient = page, level, patient
        self.checks: list[Check] = []
        self.waiting: list[Waiting] = []
        self.off: set[str] = set()
        """Ids of checks that failed or wait."""
        self.blamed: set[str] = set()
        """Names of the fields that a failed check is about, or reads."""

    def expect(
        self,
        id_: str,
        ok: bool,
        field: str,
        expected: Any,
        found: Any,
        message: str,
        holds: str = "",
        related: Sequence[str] = (),
        where: str = "",
        *,
        severity: Severity = Severity.ERROR,
        kinds: tuple[Kind, Kind] | None = None,
        since: FeatureLevel | None = None,
    ) -> bool:
        """Records one check and returns whether it holds.

        `message` says why it fails, `holds` that it doesn't; `where` names a passage of the page. `kinds` are those of
        `expected` and `found`, where they don't follow from `expected`. What isn't `ok` below the level `since` is so
        from there on: a relation that a level gives up.
        """
        since = None if ok else since
        ok = ok or (since is not None and self.level >= since)
        if not ok:
            self.off.add(id_)
            self.blamed |= {name_of(path) for path in (field, *related)}
        page = _PAGES.get(id_) or (f"{self.page}, {where}" if where else self.page)
        message = holds if ok and holds else message
        kind, found_kind = kinds or (_kind_of(expected), Kind.VALUE)
        self.checks.append(
            Check(
                id_,
                severity,
                ok,
                field,
                expected=expected,
                found=found,
                message=message,
                page=page,
                related=tuple(related),
                expected_kind=kind,
                found_kind=found_kind,
                since=since,
            )
        )
        return ok

    def wait(self, id_: str, field: str, on: str) -> None:
        self.off.add(id_)
        self.waiting.append(Waiting(id_, field, on))

    def note(
        self, id_: str, field: str, found: Any, expected: Any, message: str, where: str = "", kinds: Any = None
    ) -> None:
        """Records a note; notes are recorded only where they have something to say."""
        self.expect(id_, False, field, expected, found, message, where=where, severity=Severity.NOTE, kinds=kinds)

    def failed(self, *ids: str) -> str | None:
        """The first of `ids` that failed or waits itself."""
        return next((id_ for id_ in ids if id_ in self.off), None)
