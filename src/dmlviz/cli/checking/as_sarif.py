"""What a check found as SARIF 2.1.0: one run, with what GitHub's code scanning asks for, and fixes as replacements.

Paths are relative to the repository's root, which is not named. Fingerprints hold neither lines nor values, so that an
alert stays the same one while what stands above it is edited.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...formats.json_places import NO_LINE, Place
from ...formats.json_text import escaped
from ...version import __version__
from .findings import NOT_CHECKED, TASK, UNREADABLE, WAITS, FileTold, Finding, RuleTold

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""Results of a run that GitHub takes."""
MOST_RELATED = 100
"""Related places of a result that are told; GitHub takes 1,000."""
_OWN = {
    NOT_CHECKED: RuleTold("note", "What was read and is held against no rule gets no tick.", "", ""),
    UNREADABLE: RuleTold("error", "A file with descs can be read.", "", ""),
    TASK: RuleTold("error", "A task of a lesson can be asked and answered.", "", ""),
    WAITS: RuleTold("note", "A desc is valid only if all that it reads is.", "", ""),
}
"""What stands for a rule where something else is found."""
_ORDER = ("error", "warning", "note", "none")
Json = dict[str, Any]


def sarif(files: Sequence[FileTold], code: int) -> Iterator[str]:
    """The log as pieces of text; `code` is the exit code."""
    rules: dict[str, RuleTold] = {}
    for told in files:
        rules |= told.rules
    found = {finding.id for told in files for finding in told.every}
    rules |= {id_: rule for id_, rule in _OWN.items() if id_ in found}
    numbers = {id_: number for number, id_ in enumerate(rules)}
    paths = Paths()
    results = list(_results(files, numbers, paths))
    run = {
        "tool": {"driver": _driver(rules)},
        "automationDetails": {"id": "dmlviz/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
        "invocations": [_invocation(files, paths, code, len(results))],
        "artifacts": [{"location": paths.location(told)} for told in files if told.is_path],
        "results": _most(results),
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    yield escaped(json.dumps(whole, ensure_ascii=False, indent=1))
    yield "\n"


def _most(results: list[Json]) -> list[Json]:
    """As many results as are taken, the gravest first where there are more."""
    if len(results) > MOST_RESULTS:
        results = sorted(results, key=lambda result: _ORDER.index(result["level"]))
    return results[:MOST_RESULTS]


def _driver(rules: dict[str, RuleTold]) -> Json:
    return {
        "name": "dmlviz",
        "semanticVersion": ".".join(__version__.split(".")[:3]),
        "rules": [_rule(id_, rule) for id_, rule in rules.items()],
    }


def _rule(id_: str, rule: RuleTold) -> Json:
    page = f" It is written in {rule.page}." if rule.page else ""
    more = f"`dmlviz rule {id_}` tells more, with a desc that breaks it and its fixes." if rule.page else ""
    linked = f" It is written in [{rule.page}]({rule.address})." if rule.address else page
    texts = [f"{rule.sentence}{where} {more}".rstrip() for where in (page, linked)]
    told: Json = {
        "id": id_,
        "shortDescription": {"text": rule.sentence},
        "fullDescription": {"text": f"{rule.sentence}{page}"},
        "help": {"text": texts[0], "markdown": texts[1]},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"precision": "very-high", "tags": ["directml", id_.split(".")[0]]},
    }
    return told | ({"helpUri": rule.address} if rule.address else {})


def _invocation(files: Sequence[FileTold], paths: Paths, code: int, count: int) -> Json:
    unread = [
        (told, finding) for told in files for finding in told.findings if finding.id == UNREADABLE and not told.descs
    ]
    notes = [
        {
            "level": "error",
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": {"artifactLocation": paths.location(told)}}],
        }
        for told, finding in unread
    ]
    if count > MOST_RESULTS:
        left = f"{count - MOST_RESULTS:,} results of {count:,} are left out, the least grave ones."
        notes.append({"level": "warning", "message": {"text": left}})
    return {"executionSuccessful": True, "exitCode": code, "toolExecutionNotifications": notes}


class Paths:
    """Paths as a log has them: relative to the root of the repository that we are in, or else to where we are."""

    def __init__(self) -> None:
        here = Path.cwd().resolve()
        self._root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)

    def relative(self, name: str) -> str:
        """The path from the root with `/`; an absolute one for what lies elsewhere."""
        try:
            path = Path(name).resolve()
        except (OSError, ValueError, RuntimeError):
            return name
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.as_posix()

    def location(self, told: FileTold) -> Json:
        """The artifactLocation of a file; of what is none its name."""
        if not told.is_path:
            return {"uri": quote(told.name)}
        path = self.relative(told.name)
        if os.path.isabs(path):
            return {"uri": f"file://{quote(os.fsencode(path))}"}
        return {"uri": quote(os.fsencode(path)), "uriBaseId": "SRCROOT"}


def _results(files: Sequence[FileTold], numbers: dict[str, int], paths: Paths) -> Iterator[Json]:
    counts: Counter[tuple[str, ...]] = Counter()
    for told in files:
        at = paths.location(told)
        for finding in told.every:
            key = (at["uri"], finding.experiment, str(finding.twin), finding.id, finding.field)
            counts[key] += 1
            yield _result(at, finding, numbers[finding.id], fingerprint((*key, str(counts[key]))))


def fingerprint(parts: Sequence[str]) -> str:
    """32 hexadecimal digits that tell one finding from all others."""
    import hashlib

    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]


def _result(at: Json, finding: Finding, number: int, print_: str) -> Json:
    lowest = f" The lowest level that accepts it: {finding.lowest}." if finding.lowest else ""
    place = finding.place or NO_LINE
    logical = "/".join(part for part in (finding.experiment, finding.field) if part)
    location: Json = {"physicalLocation": {"artifactLocation": at, "region": region(place)}}
    names = [
        {"fullyQualifiedName": name, "kind": kind}
        for name, kind in ((logical, "member"), (place.name, "object"))
        if name
    ]
    if names:
        location["logicalLocations"] = names
    told: Json = {
        "ruleId": finding.id,
        "ruleIndex": number,
        "level": finding.level,
        "message": {"text": f"{finding.message}{lowest}"},
        "locations": [location],
        "partialFingerprints": {"primaryLocationLineHash": print_},
    }
    if finding.is_review:
        told |= {"kind": "review", "level": "none"}
    related = [
        {
            "id": k,
            "message": {"text": field},
            "physicalLocation": {"artifactLocation": at, "region": region(other)},
        }
        for k, (field, other) in enumerate(finding.related[:MOST_RELATED], 1)
    ]
    fixes = [
        {
            "description": {"text": mend.text if mend.mends_all else f"{mend.text} (other rules stay broken)"},
            "artifactChanges": [
                {"artifactLocation": at, "replacements": [_replacement(place, text) for place, text in mend.edits]}
            ],
        }
        for mend in finding.mends
        if mend.edits
    ]
    return told | ({"relatedLocations": related} if related else {}) | ({"fixes": fixes} if fixes else {})


def region(place: Place) -> Json:
    """A region with all four of lines and columns."""
    told = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return told | ({"charOffset": place.start, "charLength": place.end - place.start} if place.start >= 0 else {})


def _replacement(place: Place, text: str) -> Json:
    return {"deletedRegion": region(place), "insertedContent": {"text": text}}
