"""What a check found as annotations of GitHub's workflows.

GitHub shows ten annotations of a kind for a step, and drops the rest without a word: so each desc has one, for what is
gravest in it, the gravest first, and the tenth says how many there are more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...formats.json_text import escaped
from .findings import FileTold, Finding

MOST = 10
"""Annotations of a kind that are shown of a step."""
_KINDS = {"error": "error", "warning": "warning", "note": "notice"}
"""The annotation for each level of a finding, worst first."""


def annotated(files: Sequence[FileTold]) -> Iterator[str]:
    """The commands that annotate, at most ten of a kind."""
    by_level: dict[str, list[tuple[FileTold, list[Finding]]]] = {level: [] for level in _KINDS}
    for told in files:
        groups = [[finding] for finding in told.findings] + [list(desc.findings) for desc in told.descs]
        for group in filter(None, groups):
            group.sort(key=lambda finding: [*_KINDS].index(finding.level))
            by_level[group[0].level].append((told, group))
    here = Path.cwd().resolve()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    for every in by_level.values():
        for k, (told, group) in enumerate(every[:MOST], 1):
            yield _annotation(told, root, group, len(every) - MOST if k == MOST else 0)


def _annotation(told: FileTold, root: Path, group: Sequence[Finding], left: int) -> str:
    finding, place = group[0], group[0].place
    named = f"{finding.experiment}: " if finding.experiment else ""
    more = f" (and {len(group) - 1} more of this desc)" if len(group) > 1 else ""
    more += f" … {left:,} more like this in the log" if left > 0 else ""
    properties = {"file": _relative(told.name, root) if told.is_path else ""}
    if place is not None and told.is_path:
        properties |= {"line": str(place.line), "endLine": str(place.end_line)}
        if place.line == place.end_line:  # columns are of one line
            properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
    properties["title"] = finding.id
    given = ",".join(f"{key}={_property(text)}" for key, text in properties.items() if text)
    return f"::{_KINDS[finding.level]} {given}::{_data(f'{named}{finding.message}{more}')}"


def _relative(name: str, root: Path) -> str:
    """The path from the repository's root with `/`; an absolute one for what lies elsewhere."""
    try:
        path = Path(name).resolve()
    except (OSError, ValueError, RuntimeError):
        return name
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _data(text: str) -> str:
    """Text as a command has it, without what a terminal would act on."""
    return escaped(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
