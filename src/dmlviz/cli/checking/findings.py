"""What a check found in one file, as each format tells it; whole files of it go from process to process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...formats.json_places import Place

NOT_CHECKED, UNREADABLE, TASK, WAITS = "not_checked", "unreadable", "task", "waits"
"""Ids of findings that no rule of an operator has."""
LEVELS = ("error", "warning", "note")
"""How grave a finding is, worst first; the words of `Severity`."""


class Mend(Struct, frozen=True):
    """A fix that was verified."""

    text: str
    mends_all: bool
    edits: tuple[tuple[Place, str], ...]
    """What takes the place of what in the file; nothing where it can't be written there."""


class Finding(Struct, frozen=True, kw_only=True):
    """Something to say of a file at one place of it: a broken rule, or what could not be held against one."""

    id: str
    level: str
    message: str
    """One sentence, or more."""
    place: Place | None = None
    experiment: str = ""
    twin: int = 0
    """How many experiments of that name stand before it in the file."""
    field: str = ""
    lowest: str = ""
    """The lowest feature level that accepts the desc."""
    related: tuple[tuple[str, Place], ...] = ()
    """The other fields that the rule compares with."""
    mends: tuple[Mend, ...] = ()

    @property
    def is_review(self) -> bool:
        """True for what was not held against a rule."""
        return self.id in (NOT_CHECKED, WAITS)


class DescTold(Struct, frozen=True, kw_only=True):
    """What is told of one experiment."""

    name: str
    verdict: str
    lines: tuple[str, ...]
    """As text: the verdict, and what belongs to it."""
    findings: tuple[Finding, ...]
    json: Mapping[str, Any] | None = None


class RuleTold(Struct, frozen=True):
    """A rule that was held against a desc: how grave it is, its sentence, its page and where that is."""

    level: str
    sentence: str
    page: str
    address: str


class FileTold(Struct, frozen=True, kw_only=True):
    """What is told of one file."""

    name: str
    """The word that named it, or its path from where the check was started, with `/`."""
    codes: frozenset[int]
    says: tuple[str, ...] = ()
    """Sentences for stderr."""
    lines: tuple[str, ...] = ()
    """Text about the file as a whole."""
    descs: tuple[DescTold, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Those of no experiment."""
    json: Mapping[str, Any] | None = None
    rules: Mapping[str, RuleTold] = {}
    is_path: bool = False
    """False for standard input, a token and an example."""
    nothing: bool = False
    """True where it holds nothing of ours."""

    @property
    def every(self) -> tuple[Finding, ...]:
        """All findings, in the order of the file."""
        return (*self.findings, *(finding for desc in self.descs for finding in desc.findings))
