"""What a check found in one file, as each format tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ...formats.json_places import Place

NOT_CHECKED, UNREADABLE, TASK, WAITS = "not_checked", "unreadable", "task", "waits"
"""Ids of findings that no rule of an operator has."""


class Finding(Struct, frozen=True, kw_only=True):
    """A broken rule, or something that could not be checked, at one place of a file."""

    id: str
    level: str
    """`error`, `warning` or `note`."""
    message: str
    """One sentence, or more."""
    place: Place | None = None
    experiment: str = ""


class DescTold(Struct, frozen=True, kw_only=True):
    """What is told of one experiment."""

    verdict: str
    lines: tuple[str, ...]
    """As text: the verdict, and what belongs to it."""
    findings: tuple[Finding, ...]
    json: Mapping[str, Any] | None = None


class FileTold(Struct, frozen=True, kw_only=True):
    """What is told of one file."""

    name: str
    """The word that named it, or its path from where the check was started, with `/`."""
    code: int = 0
    says: tuple[str, ...] = ()
    """Sentences for stderr."""
    lines: tuple[str, ...] = ()
    """Text about the file as a whole."""
    descs: tuple[DescTold, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Those of no experiment."""
    json: Mapping[str, Any] | None = None
    is_path: bool = False
    """False for standard input, a token and an example."""
    nothing: bool = False
    """True where it holds nothing of ours."""
