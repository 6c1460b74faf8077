"""An experiment in plain text: what it is, what the rules say, the picture, and its steps in sentences.

The text is for pipes, screen readers, issues and tests. It has no colours, no control characters, and never more than
some hundred lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from .desc.base import Part
from .desc.fields import Role
from .desc.indexing import unravel
from .desc.tensors import braces, brackets
from .desc.value_sources import Wired
from .desc.values import Indices
from .errors import cut, plain
from .formats.page_text import shorts
from .operators.registry import operator_of
from .operators.report import Report, Severity, Verdict
from .operators.scans import SCAN
from .operators.sentences import sentence_of
from .scene.cells.contents import NOWHERE_SIGN
from .scene.drawing.as_it_stands import CLOSE, OPEN, as_it_stands
from .scene.drawing.text_picture import text_picture
from .scene.layout.directions import across_of
from .scene.view_state import ViewState, view_state_of
from .scene.words.sentences import elements_in_words, example, told_steps
from .session.experiments import Experiment
from .session.wiring import wire_text
from .tracing import Trace

COLUMNS, LINES = 120, 60
"""The columns of both sides of the picture together, and its lines, at most."""
MOST_TOLD = 40
"""Steps, and failures, that are told one by one."""
MOST_TENSORS = 16
MOST_VALUES = 8
"""Values of a tensor that are told."""
LONGEST = 1000
"""Characters of a line; only what has thousands of sizes has a longer one."""
MOST_COUNTED = 1 << 16
"""Elements of a tensor up to which those that are never read are told."""


def explain(experiment: Experiment, among: Sequence[Experiment] = ()) -> str:
    """The experiment in words, ending with a line break. Giants take no longer than others.

    `among` are the experiments of its session, of which some may read it.
    """
    view = view_state_of(experiment)
    report = view.report
    if any(one.on == SCAN for one in report.waiting):
        report = experiment.check()
    sections = [_head(experiment, report), _stage(experiment, among), _broken(view, report), _tensors(experiment, view)]
    if view.trace is not None and view.live:
        sections += [_picture(view.trace), _steps(view.trace), _reads(view.trace)]
        sections += [_path(experiment)] * experiment.is_wired
    elif report.errors:
        title = f"The desc as text; fields of failed checks are between {OPEN} and {CLOSE}"
        sections.append(iter([title, *as_it_stands(view)]))
    blocks = ["".join(f"{cut(line, LONGEST)}\n" for line in section) for section in sections]
    return "\n".join(filter(None, blocks))


def _head(one: Experiment, report: Report) -> Iterator[str]:
    op = operator_of(one.desc)
    if one.name:
        yield plain(one.name)
    yield f"{op.name} at feature level {report.feature_level}. {op.title}"
    said = {
        Verdict.VALID: "It is valid",
        Verdict.WAITS: f"It reads {plain(report.waits_for)}, which is not valid",
        Verdict.NOT_CHECKED: "It is only partly checked, see below",
        Verdict.INVALID: "It is invalid" + ", E_INVALIDARG" * report.is_refused,
    }
    broken = len(report.broken)
    lowest = "No feature level accepts it." if report.is_refused else ""
    if report.lowest_level is not None:
        lowest = f"The lowest feature level that accepts it is {report.lowest_level}."
    fail = f"{_count(broken, 'check')} fail{'s' * (broken == 1)}, " * bool(broken)
    hold = _count(sum(check.ok for check in report.checks), "check")
    yield f"{said[report.verdict]}: {fail}{hold} pass. {lowest}".rstrip()


def _stage(each: Experiment, among: Sequence[Experiment]) -> Iterator[str]:
    """Which stage it is of each chain that it belongs to, and the level that takes all stages."""
    readers = [one for one in among if one.is_wired and any(stage is each for stage in one.stages)]
    read = {id(stage) for one in readers for stage in one.stages[:-1]}
    ends = [one for one in readers if id(one) not in read] or [each] * each.is_wired
    for end in ends[:MOST_TENSORS]:
        number = next(k for k, stage in enumerate(end.stages, 1) if stage is each)
        names = [plain(stage.name, 40) for stage in end.stages]
        yield f"Stage {number} of {len(names)}: {' ▸ '.join(names)}"
        levels = [level for stage in end.stages if (level := stage.check().lowest_level) is not None]
        if len(levels) == len(names):
            least = max(levels)
            asks = f"for which {names[levels.index(least)]} asks"
            yield f"The lowest feature level that takes all stages is {least}, {asks}."
    yield from _more(len(ends), "chains")


def _path(one: Experiment) -> Iterator[str]:
    """Where its last element comes from through all stages."""
    from .session.chains import Chain  # most experiments read no other

    chain = Chain(one)
    last = len(chain.outputs) - 1
    path = chain.source(last, tuple(n - 1 for n in chain.outputs[last].tensor.sizes))
    places = [*(chain.element_text(hop.stage, hop.output, hop.index) for hop in path.hops), chain.end_text(path)]
    yield "Through all stages"
    for hop, (here, there) in zip(path.hops, pairwise(places), strict=True):
        cell, via = hop.source.via, ""
        if cell is not None:
            origin = chain.led(hop.stage, cell.tensor, cell.index)
            came = f", which is {chain.element_text(*origin)}" if origin is not None else ""
            steers = chain.traces[hop.stage].inputs[cell.tensor].path
            via = f", sent by {cell.value} at {steers}{brackets(cell.index)}{came}"
        clamped = ", clamped: no value is promised" * hop.source.clamped
        yield f"- {here} is {there}{via}{clamped}."


def _more(count: int, what: str, most: int = MOST_TENSORS) -> Iterator[str]:
    """A line for those of `count` that are not told."""
    if count > most:
        yield f"… and {count - most:,} more{what and ' '}{what}."


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _broken(view: ViewState, report: Report) -> Iterator[str]:
    """Broken rules with their fixes, then warnings and notes."""
    failures = sorted(report.causes, key=lambda cause: list(Severity).index(cause.first.severity))
    if failures:
        yield "Failed checks, warnings and notes"
    for cause in failures[:MOST_TOLD]:
        first = cause.first
        yield f"- {first.severity.value.capitalize()} {first.id}: {cause.message}"
        rule = sentence_of(operator_of(view.experiment.desc), first.id)
        where = "It is a check of dmlviz's own." if first.is_own else f"Its page: {first.page}."
        yield f"  {f'The rule: {rule} ' if rule else ''}{where}"
        for number, fix in enumerate(first.fixes, 1):
            after = "after which every check passes" if fix.mends_all else "after which other checks still fail"
            yield f"  Fix {number}: {fix.text}, {after}."
    yield from _more(len(failures), "", MOST_TOLD)
    if report.not_checked:
        yield "What is not checked"
    yield from (f"- {plain(left.message)}" for left in report.not_checked[:MOST_TOLD])
    yield from _more(len(report.not_checked), "", MOST_TOLD)


def _tensors(one: Experiment, view: ViewState) -> Iterator[str]:
    desc = one.desc
    yield "Tensors and fields"
    for part in desc.parts[:MOST_TENSORS]:
        values = _first_values(view.trace, part) if view.trace is not None and view.live else ""
        inferred = ", inferred from the rest" if part.field.name in desc.inferred else ""
        wire = one.values.get(part.path)
        source = f", from {wire_text(wire)}" if isinstance(wire, Wired) else ""
        yield f"- {part.path} is {part.tensor.data_type} {braces(part.tensor.sizes)}{source}{inferred}{values}."
    yield from _more(len(desc.parts), "tensors")
    for field in desc.FIELDS:
        if field not in desc.TENSORS:
            yield f"- {field.name} is {field.shown(desc.get(field.name))}."
    yield from (f"- {said}" for said in view.problems)


def _first_values(trace: Trace, part: Part) -> str:
    count = part.tensor.element_count
    flat = np.arange(min(count, MOST_VALUES), dtype=np.int64)
    if part in trace.outputs:
        elements = trace.window(trace.outputs.index(part), unravel(flat, part.tensor.sizes))
    else:
        elements = trace.read(trace.inputs.index(part), flat)
    more = f" and {count - MOST_VALUES:,} more" if count > MOST_VALUES else ""
    return f", and holds {', '.join(shorts(elements))}{more}"


def _picture(trace: Trace) -> Iterator[str]:
    yield "Picture: the inputs on the left, the outputs on the right"
    drawn = text_picture(trace, COLUMNS, LINES)
    yield from drawn.lines
    if any(NOWHERE_SIGN in line for line in drawn.lines):
        yield f"({NOWHERE_SIGN} has no source: {trace.operator.constant_path} fills it.)"
    if drawn.is_cut:
        yield f"(Cut to {COLUMNS} columns and {LINES} lines.)"


def _steps(trace: Trace) -> Iterator[str]:
    steps = told_steps(trace, MOST_TOLD)
    yield f"Steps, {steps.count:,} by {steps.unit.value}"
    yield from (f"{number}. {said}" for number, said in enumerate(steps.sentences, 1))
    yield from _more(steps.count, "", len(steps.sentences))
    last = len(trace.outputs) - 1
    index = tuple(n - 1 for n in trace.outputs[last].tensor.sizes)
    yield f"The last element as a formula: {example(trace, last, index)}"


def _reads(trace: Trace) -> Iterator[str]:
    """What becomes of the inputs: what is never read, and how often the rest is."""
    data = [(k, part) for k, part in enumerate(trace.inputs) if part.field.role is Role.DATA]
    if data:
        yield "What is read"
    for k, part in data[:MOST_TENSORS]:
        count = part.tensor.element_count
        counts = np.array([-1])
        if count <= MOST_COUNTED and trace.prepared:
            counts = trace.counts(k, unravel(np.arange(count, dtype=np.int64), part.tensor.sizes))
        least = int(counts.min())
        most = int(counts.max())
        told = f"How often elements of {part.path} are read is not counted"
        if least > 0:
            often = f"{least:,} to {most:,} times" if least < most else _count(least, "time")
            told = f"Every element of {part.path} is read {often}"
        elif least == 0:
            told = _unread(part, counts, across_of(trace))
        yield f"- {told}."
    yield from _more(len(data), "inputs")


def _unread(part: Part, counts: Indices, across: int) -> str:
    """A sentence on which elements of a tensor are never read: whole slices where it can be, else the first of them."""
    sizes = part.tensor.sizes
    found = np.argwhere((counts == 0).reshape(sizes))
    firsts = [np.unique(along, return_index=True)[1] for along in found.T]
    axis = next((d for d, n in enumerate(sizes) if len(firsts[d]) * (len(counts) // n) == len(found)), None)
    found = found if axis is None else found[firsts[axis]]
    names: list[str] = []
    for cell in found[:MOST_VALUES].tolist():
        box = [range(at, at + 1) if axis in (None, d) else range(sizes[d]) for d, at in enumerate(cell)]
        names.append(elements_in_words(part, box, across))
    names += [f"{len(found) - len(names):,} more"] * (len(found) > len(names))
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    said = f"{listed} {'is' if len(found) == 1 else 'are'} never read"
    return f"{said[0].upper()}{said[1:]}"
