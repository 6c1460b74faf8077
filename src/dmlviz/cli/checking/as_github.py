"""What a check found as annotations of GitHub's workflows, one for each desc, the gravest first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ...formats.json_text import escaped
from .findings import CheckedFile, Finding

KINDS = {"error": "error", "warning": "warning", "note": "notice"}
"""The annotation for each level of a finding, worst first."""


def annotated(files: Sequence[CheckedFile]) -> Iterator[str]:
    """The commands that annotate. GitHub shows ten of a kind, and the rest in the step's log alone."""
    groups = [(told, "", [finding]) for told in files for finding in told.findings]
    groups += [(told, f"{desc.experiment.name}: ", [*desc.findings]) for told in files for desc in told.descs]
    for level, kind in KINDS.items():
        for told, name, found in groups:
            worst = min(found, key=lambda finding: [*KINDS].index(finding.level), default=None)
            if worst is not None and worst.level == level:
                more = f" (and {len(found) - 1} more of this desc)" if len(found) > 1 else ""
                yield f"::{kind} {_properties(told, worst)}::{_data(f'{name}{worst.message}{more}')}"


def _properties(told: CheckedFile, finding: Finding) -> str:
    given: dict[str, object] = {}
    if told.is_path:
        root = os.environ.get("GITHUB_WORKSPACE") or None
        given["file"] = os.path.relpath(told.word, root).replace(os.sep, "/")
    if told.is_path and (place := finding.place) is not None:
        given |= {"line": place.line, "endLine": place.end_line}
        if place.line == place.end_line:  # columns are of one line
            given |= {"col": place.column, "endColumn": place.end_column}
    given["title"] = finding.id
    written = []
    for key, value in given.items():
        text = _data(str(value)).replace(":", "%3A")
        written.append(f"{key}={text.replace(',', '%2C')}")
    return ",".join(written)


def _data(text: str) -> str:
    return escaped(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
