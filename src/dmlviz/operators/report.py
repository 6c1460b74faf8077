"""A report: every check of a desc, its severity, and the fixes that were verified."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from ..formats.displayed import Displayed

E_INVALIDARG = 0x80070057


class Severity(enum.StrEnum):
    ERROR = "error"
    """A documented violation: CreateOperator may answer E_INVALIDARG."""
    WARNING = "warning"
    """Legal, but the result is not what it seems."""
    NOTE = "note"
    """Worth knowing."""


class Kind(enum.StrEnum):
    """How what a check found, or expected, is to be read."""

    VALUE = "value"
    RANGE = "range"
    """Text such as `[0, 2)` or `>= 1`, or a list of the least and the greatest."""
    SET = "set"
    """A list of values of which each will do, or was found."""


class Change(NamedTuple):
    """One thing that a fix changes; `before` is empty for what is added, `after` for what is removed."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before or not self.after:
            return f"{'remove' if self.before else 'add'} {self.what} {self.before or self.after}"
        return f"{self.what} {self.before} → {self.after}"


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that was applied to a copy and re-checked there: it removes the failure it is offered for."""

    label: str
    desc: Desc
    feature_level: FeatureLevel
    mends_all: bool
    """True if no error is left after it."""
    changes: tuple[Change, ...] = ()
    """What `label` says, piece by piece."""
    left: int = 0
    """How many checks fail after it."""


@dataclass(frozen=True, slots=True, repr=False)
class Check:
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
    related: tuple[str, ...] = ()
    """Paths of what else the rule read, to be lit beside `field`."""
    expected_kind: Kind = Kind.VALUE
    found_kind: Kind = Kind.VALUE

    def __repr__(self) -> str:
        return f"<Check {self.id} {'ok' if self.ok else self.severity.value}: {self.message}>"


def root_of(field: str) -> str:
    """The path of the tensor or number that `field` is about: `OutputTensor` of `OutputTensor.Sizes[2]`."""
    return field.split(".", 1)[0]


def name_of(path: str) -> str:
    """The name of the struct's field that a path leads into: `InputTensors` of `InputTensors[1].Sizes[2]`."""
    return root_of(path).split("[", 1)[0]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A check that another failure leaves without meaning."""

    id: str
    field: str
    on: str
    """The id of the check it waits for."""


@dataclass(frozen=True, slots=True)
class NotChecked:
    """What was read and is held against no rule: neither a failure nor a promise."""

    field: str
    """DirectML's path: `InputTensor.Strides`."""
    found: Any
    message: str


class Verdict(enum.StrEnum):
    """What a report comes to."""

    VALID = "valid"
    NOT_CHECKED = "not checked"
    """No rule is broken, but part of the desc is held against none."""
    INVALID = "invalid"

    @property
    def mark(self) -> str:
        """A sign for it that needs no colour."""
        return {"valid": "✔", "not checked": "?", "invalid": "✘"}[self.value]


@dataclass(frozen=True, slots=True, repr=False)
class Report(Displayed):
    """Every check of a desc at a feature level, and the lowest level that would accept the desc.

    It is true in a condition where the desc is valid: `if dml.check(desc): ...`.
    """

    checks: tuple[Check, ...]
    waiting: tuple[Waiting, ...]
    feature_level: FeatureLevel
    lowest_level: FeatureLevel | None
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Valid only where everything that the desc says was held against a rule."""
        if not self.ok:
            return Verdict.INVALID
        return Verdict.NOT_CHECKED if self.not_checked else Verdict.VALID

    @property
    def ok(self) -> bool:
        """True if no rule of severity error is broken."""
        return not self.errors

    @property
    def errors(self) -> tuple[Check, ...]:
        return tuple(c for c in self.checks if not c.ok and c.severity is Severity.ERROR)

    @property
    def failures(self) -> tuple[Check, ...]:
        """Broken rules, warnings and notes."""
        return tuple(c for c in self.checks if not c.ok)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        lowest = f"lowest level {self.lowest_level}" if self.lowest_level is not None else "no level accepts it"
        broken = [c.id for c in self.errors]
        named = ", ".join(broken[:3]) + ", ..." * (len(broken) > 3)
        verdict = f"{len(self.checks)} checks ok" if self.ok else f"{len(broken)} of {len(self.checks)} broken: {named}"
        left = f", {len(self.not_checked)} not checked" if self.not_checked else ""
        return f"<Report at {self.feature_level}: {verdict}{left}; {lowest}>"


def _kind_of(expected: object) -> Kind:
    return Kind.RANGE if isinstance(expected, str) and expected.startswith(("[", "<", ">", "at most")) else Kind.VALUE


@dataclass(slots=True)
class Recorder:
    """The checks that rules make as they run, and which ids failed, so that other checks can wait for them."""

    page: str
    patient: bool = True
    """False where rules that need a scan of many values wait for it: the caller has it made elsewhere."""
    checks: list[Check] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    off: set[str] = field(default_factory=set)
    """Ids of checks that failed or wait."""
    blamed: set[str] = field(default_factory=set)
    """Names of the fields that a failed check is about, or reads."""

    def expect(
        self,
        id: str,  # noqa: A002 (the field's own name)
        ok: bool,
        field: str,
        expected: Any,
        found: Any,
        message: str,
        *,
        holds: str = "",
        where: str = "",
        related: Sequence[str] = (),
        severity: Severity = Severity.ERROR,
        kinds: tuple[Kind, Kind] | None = None,
    ) -> bool:
        """Records one check and returns `ok`.

        `message` says why it fails, `holds` that it doesn't; `where` names a passage of the page. `kinds` are those of
        `expected` and `found`, where they don't follow from `expected`.
        """
        if not ok:
            self.off.add(id)
            self.blamed |= {name_of(path) for path in (field, *related)}
        page = f"{self.page}, {where}" if where else self.page
        of_expected, of_found = kinds or (_kind_of(expected), Kind.VALUE)
        self.checks.append(
            Check(
                id,
                severity,
                ok,
                field,
                expected,
                found,
                holds if ok and holds else message,
                page,
                related=tuple(related),
                expected_kind=of_expected,
                found_kind=of_found,
            )
        )
        return ok

    def wait(self, id: str, field: str, on: str) -> None:  # noqa: A002
        self.off.add(id)
        self.waiting.append(Waiting(id, field, on))

    def note(
        self,
        id: str,  # noqa: A002
        field: str,
        found: Any,
        expected: Any,
        message: str,
        where: str = "",
        kinds: tuple[Kind, Kind] | None = None,
    ) -> None:
        """Records a note; notes are recorded only where they have something to say."""
        self.expect(id, False, field, expected, found, message, where=where, severity=Severity.NOTE, kinds=kinds)

    def failed(self, *ids: str) -> str | None:
        """The first of `ids` that failed or waits itself."""
        return next((id_ for id_ in ids if id_ in self.off), None)
