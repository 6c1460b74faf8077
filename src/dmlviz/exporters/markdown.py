"""A bug report in Markdown: what breaks which rule, the picture as text, and the session itself.

All that came from the session stands in blocks of code, where Markdown acts upon nothing. `dmlviz import` reads the
last, the session's JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from ..desc.value_sources import Npy
from ..desc.values import Array
from ..errors import cut
from ..operators.registry import operator_of
from ..operators.report import E_INVALIDARG
from ..scene.drawing.as_it_stands import CLOSE, OPEN, as_it_stands
from ..scene.drawing.text_picture import text_picture
from ..scene.view_state import ViewState, scan, view_state_of
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from ..stopping import checked
from .lib.chained import operator_name, tensor_name
from .lib.writing import Export

ABOUT = "A bug report in Markdown: failed checks, the picture as text, and the session to open again."
SUFFIX = ".md"
RUNS = False

MOST_LINES, MOST_TEXT = 60, 600
COLUMNS, LINES = 100, 60


def export(session: Session, stem: str) -> Export:
    files: dict[str, Array] = {}
    pieces = ["# dmlviz report"]
    for number, each in enumerate(checked(session.experiments), 1):
        view = view_state_of(each)
        if view.waits:
            view = msgspec.structs.replace(view, report=scan(view))
        pieces += [f"## {number}. {operator_of(each.desc).name}", fenced(_rules(view)), *_picture(view)]
    held = [_with_files(number, one, stem, files) for number, one in enumerate(session.experiments, 1)]
    doc = dump(replace(session, experiments=tuple(held)), views=False, keeps_missing=True)
    pieces += ["## Session", "To open it: `dmlviz import` with this file, or the block below in a file of its own."]
    return Export("\n\n".join([*pieces, fenced(doc[:-1].split("\n"), "json")]) + "\n", files)


def _rules(view: ViewState) -> Iterator[str]:
    report, lines = view.report, []
    for check in (cause.told for cause in report.causes):
        lines += [f"{check.severity} {check.id} ({check.field}): {check.message}", f"  page: {check.page}"]
        lines += [f"  fix: {fix.text}" for fix in check.fixes]
    lines += [f"not checked: {check.message}" for check in report.not_checked]
    lines += [f"{each.id} ({each.field}): not checked until {each.until}" for each in report.waiting]
    lines += view.problems
    left = len(lines) - MOST_LINES
    lowest = "none" if report.lowest_level is None else report.lowest_level.value
    refused = f", CreateOperator may answer E_INVALIDARG (0x{E_INVALIDARG:08X})" if report.is_refused else ""
    yield f"Experiment: {cut(view.experiment.name, MOST_TEXT)}"
    yield f"Feature level: {report.feature_level.value}; lowest that takes it: {lowest}"
    yield f"Result: {report.verdict}{refused}"
    broken = f"{len(report.broken)} check{'s' * (len(report.broken) != 1)} failed"
    yield f"{broken}; {sum(check.ok for check in report.checks)} of {len(report.checks)} checks pass."
    yield from (cut(line, MOST_TEXT) for line in lines[:MOST_LINES])
    if left > 0:
        yield f"… and {left:,} more lines"


def _picture(view: ViewState) -> Iterator[str]:
    if view.trace is not None and view.live:
        drawn = text_picture(view.trace, 2 * COLUMNS, LINES, most=COLUMNS)
        yield fenced(drawn.lines)
        if drawn.is_cut:
            yield f"Each side is cut to {COLUMNS} columns and {LINES} lines."
        return
    yield f"The desc; fields of failed checks are between {OPEN} and {CLOSE}."
    yield fenced(as_it_stands(view))


def _with_files(number: int, one: Experiment, stem: str, files: dict[str, Array]) -> Experiment:
    settled = one.settled()
    entries = dict(settled.values)
    for part, values in zip(one.desc.inputs, settled.sources_or_defaults()[0], strict=True):
        if isinstance(entries.get(part.path), Npy):
            del entries[part.path]
            if part.tensor.can_exist:  # no array is of a tensor that can't
                file = f"{stem}-{tensor_name(part, operator_name(one.desc, number))}.npy"
                files[file] = values.array()
                entries[part.path] = Npy(file)
    return replace(settled, values=entries, folder=None)


def fenced(lines: Iterable[str], language: str = "text") -> str:
    """A block of code that nothing in `lines` can end; unprintable characters are written as escapes."""
    text = "\n".join(map(_visible, lines))
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks}{language}\n{text}\n{ticks}"


def _visible(line: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in line)
