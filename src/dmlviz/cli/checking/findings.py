"""What a check found in one file; each format tells it in its own way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ...formats.json_places import Place
from ...operators.report import Report
from ...session.experiments import Experiment
from ..shared import FINE, INVALID, UNREADABLE, worst

NOT_CHECKED = "not_checked"
UNREAD = "unreadable"
TASK = "task"
WAITS = "waits"
"""Ids of findings that no rule of an operator has."""
DOUBTED = (NOT_CHECKED, UNREAD, WAITS, "chain.cycle")
"""What says of no desc that it is invalid; a ring is the session's fault."""


class Finding(Struct, frozen=True, kw_only=True):
    """A broken rule, or something that could not be checked, at one place of a file."""

    id: str
    level: str
    """`error`, `warning` or `note`."""
    message: str
    place: Place | None = None

    @property
    def code(self) -> int:
        """The exit code that it asks for."""
        if self.id in DOUBTED:
            return UNREADABLE
        return INVALID if self.level == "error" else FINE


class CheckedDesc(Struct, frozen=True, kw_only=True):
    """One experiment, and what is said of it."""

    experiment: Experiment
    report: Report
    task: Mapping[str, Sequence[str]]
    """The `faults` of its task; {} where it has none."""
    places: Mapping[str, Place]
    """Where its fields stand, if anything is told of them."""
    findings: Sequence[Finding]
    """The causes of the report, in their order, then what else there is."""


class CheckedFile(Struct, frozen=True, kw_only=True):
    """What is told of one file."""

    word: str
    """The word that named it, or its path from where the check was started, with `/`."""
    is_path: bool
    """False for standard input, a token and an example."""
    json: Mapping[str, Any]
    """What `--json` prints of the file as a whole."""
    says: Sequence[str] = ()
    """Sentences for stderr."""
    descs: Sequence[CheckedDesc] = ()
    findings: Sequence[Finding] = ()
    """Those of no experiment."""

    @property
    def code(self) -> int:
        """The exit code."""
        own = [finding.code for finding in self.findings]
        return worst([*own, *(finding.code for desc in self.descs for finding in desc.findings)])
