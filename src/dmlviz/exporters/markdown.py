"""A bug report in Markdown: the desc, what breaks which rule, the picture as text, values, and the session itself.

All that came from the session stands in code, where Markdown acts upon nothing. The session's JSON in the last block of
each experiment is what `dmlviz import` reads back.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..desc.base import Desc, Part
from ..desc.tensors import TensorDesc, braces
from ..desc.value_sources import Listed, Npy
from ..desc.values import Array, Stored, Values
from ..errors import DmlvizError, quote
from ..formats.page_text import page_lines, shorts
from ..operators.registry import operator_of
from ..operators.report import E_INVALIDARG, Check
from ..running.output_preview import reference_outputs
from ..scene.drawing.as_it_stands import CLOSE, OPEN, as_it_stands, preview
from ..scene.drawing.text_picture import text_picture
from ..scene.view_state import ViewState, scan
from ..scene.view_state import view_state_of as show
from ..session.chains import Chain
from ..session.examples import without_example_task
from ..session.experiments import Experiment, Session
from ..session.wiring import fault, wire_text, wires
from ..session.writing import dump
from ..stopping import checked
from .lib.chained import Group, groups
from .lib.export import Export
from .lib.json_page import json_page
from .lib.tensor_names import operator_name, tensor_name

ABOUT = "A bug report in Markdown: desc, broken rules, the picture as text, values, and the session to open again."
SUFFIX = ".md"
LANGUAGE = "markdown"
RUNS = False

MOST_LISTED = 4096
"""Elements of a list that stay in the session's JSON; more go into an .npy file."""
MOST_PRINTED, FIRST = 256, 16
"""Elements of a tensor that are printed, and of a larger one."""
MOST_TENSORS, MOST_RULES = 24, 60
MOST_COUNTED = 1 << 16
"""Elements of a chain up to which those that never arrive are counted."""
COLUMNS, LINES = 100, 60
"""What is drawn of each side at most."""
MOST_NOTES = 4_000
"""Characters of the notes that are shown; all of them stand in the JSON."""


def export(session: Session, stem: str) -> Export:
    """A report of every experiment, valid or not. Raises DmlvizError for a session that no file could hold."""
    files: dict[str, Array] = {}
    title = f": {code(session.title)}" if session.title else ""
    pieces = [f"# dmlviz report{title}"]
    every = groups(session) if any(one.is_wired for one in session.experiments) else []
    for group in checked(every):
        pieces += _chain(group) if group.is_chain else []
    if alone := [str(group.number) for group in every if not group.is_chain]:
        pieces.append(f"In no chain: {', '.join(alone)}.")
    for i, experiment in enumerate(checked(session.experiments)):
        pieces += _experiment(experiment, session, i + 1, stem, files)
    return Export("\n\n".join(pieces) + "\n", files)


def _experiment(
    experiment: Experiment, session: Session, number: int, stem: str, files: dict[str, Array]
) -> Iterator[str]:
    """The paragraphs of one experiment."""
    view = show(experiment)
    if view.waits:
        view = replace(view, report=scan(view))
    yield f"## {number}. {operator_of(experiment.desc).name}: {code(experiment.name)}"
    yield "\n".join(_summary(view))
    yield "### Desc"
    yield "\n".join(_fields(experiment))
    yield "### Rules"
    yield from _rules(view)
    yield "### Picture"
    yield from _picture(view)
    yield "### Values"
    yield from _values(view)
    if experiment.notes:
        yield "### Notes"
        cut = f"\n… ({len(experiment.notes):,} characters in all)" if len(experiment.notes) > MOST_NOTES else ""
        yield fenced(experiment.notes[:MOST_NOTES] + cut, "text")
    yield "### Session"
    yield "To open it: `dmlviz import` with this file, or the block below in a file of its own."
    yield fenced(_session_json(experiment, session, number, stem, files), "json")


def _chain(group: Group) -> Iterator[str]:
    """The paragraphs of a chain: its stages by their numbers below, what each reads, and a path through all of them."""
    yield f"## Chain {' ▸ '.join(str(number) for number, _ in group)}"
    numbers = {id(one): number for number, one in group}
    lines = []
    for place, (number, one) in enumerate(group, 1):
        lines.append(f"- Stage {place} of {len(group)}: {number}. {operator_of(one.desc).name}: {code(one.name)}")
        reads = []
        for part, wire in wires(one):
            led = group.source(one, part)
            if led is not None:
                source = f"{code(led[0].desc.outputs[led[1]].path)} of {numbers[id(led[0])]}"
                reads.append(f"  - {part.path} ⇠ {source}, {_tensor_text(part.tensor)}")
            else:
                reads.append(f"  - {part.path} ⇠ {code(wire_text(wire))}, which is not there")
        lines += _some(reads)
    yield "\n".join(lines)
    yield "\n".join(line for _, end in group.ends for line in _through(end))


def _through(end: Experiment) -> Iterator[str]:
    """What an end of a chain is through all stages: valid from which level on, its last element's path, dead inputs."""
    if broken := fault(end):
        yield (
            f"- {code(end.name)} waits for {code(broken)}, which is **invalid**."
            if broken != end.name
            else (f"- {code(end.name)} is **invalid**.")
        )
        return
    chain = Chain(end)
    if (level := chain.lowest_level) is not None:
        asks = code(chain.asks_for_level.name)
        yield f"- The lowest level that takes all stages is {level.value}, for which {asks} asks"
    last = len(chain.outputs) - 1
    path = chain.source(last, tuple(n - 1 for n in chain.outputs[last].tensor.sizes))
    yield f"- The last element: {code(chain.path_text(path), 400)}"
    for number, root in enumerate(chain.inputs[:MOST_TENSORS] if chain.elements <= MOST_COUNTED else ()):
        if dead := chain.dead(number):
            name = f"{root.part.path} of {code(chain.stages[root.stage].name)}"
            yield f"- {dead:,} of {root.part.tensor.element_count:,} elements of {name} never arrive{'s' * (dead == 1)}"
    if len(chain.inputs) > MOST_TENSORS:
        yield f"- … and {len(chain.inputs) - MOST_TENSORS:,} inputs more"


def _summary(view: ViewState) -> Iterator[str]:
    """Lines of a list: the operator, the level, the lowest level that takes the desc, and whether it is valid."""
    report, desc = view.report, view.experiment.desc
    lowest = report.lowest_level
    yield f"- Operator: {code(desc.TYPE)}"
    yield f"- Feature level: {report.feature_level.value}"
    yield f"- Lowest level that takes it: {lowest.value if lowest is not None else 'none'}"
    count = len(report.broken)
    broken = f", {count} {'rule is' if count == 1 else 'rules are'} broken" if count else ""
    answer = f"; CreateOperator may answer E\\_INVALIDARG (0x{E_INVALIDARG:08X})" if report.is_refused else ""
    yield f"- Result: **{report.verdict}**{broken}{answer}"


def _fields(experiment: Experiment) -> Iterator[str]:
    """Every field with its value, in DirectML's order."""
    desc = experiment.desc
    for field in desc.FIELDS:
        member = desc.get(field.name)
        inferred = " (inferred)" if field.name in desc.inferred else ""
        if field.many:
            yield from _some([f"- {field.name}[{i}]: {_tensor_text(tensor)}" for i, tensor in enumerate(member)])
        elif isinstance(member, TensorDesc):
            yield f"- {field.name}: {_tensor_text(member)}{inferred}"
        elif member is None:
            yield f"- {field.name}: not determined by the rest"
        else:
            yield f"- {field.name}: {_cut(field.shown(member))}{inferred}"


def _some(lines: Sequence[str], most: int = MOST_TENSORS) -> list[str]:
    """The first lines, at most so many, and how many more there are."""
    left = len(lines) - most
    return [*lines[:most], f"- … and {left:,} more"] if left > 0 else list(lines)


def _tensor_text(tensor: TensorDesc) -> str:
    return _cut(f"{tensor.data_type.name} {braces(tensor.sizes)}")


def _cut(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# ---- rules ------------------------------------------------------------------------------------------------------


def _rules(view: ViewState) -> Iterator[str]:
    """Paragraphs on checks: how many hold, those that fail with their fixes, and what was not checked."""
    report = view.report
    failures = [cause.told for cause in report.causes]
    passed = sum(check.ok for check in report.checks)
    yield f"{passed} of {len(report.checks)} checks hold." + ("" if failures else " Nothing is broken.")
    if failures:
        yield "\n".join(line for check in failures[:MOST_RULES] for line in _failure(check))
    if len(failures) > MOST_RULES:
        yield f"… and {len(failures) - MOST_RULES:,} more."
    if report.not_checked:
        yield "Not checked:"
        yield "\n".join(_some([f"- {escaped(_cut(check.message, 400))}" for check in report.not_checked]))
    if report.waiting:
        yield "Not evaluated:"
        lines = [f"- {code(check.id)} at {code(check.field)} waits for {code(check.on)}" for check in report.waiting]
        yield "\n".join(_some(lines))
    if view.problems:
        yield "\n".join(_some([f"- {escaped(_cut(problem, 400))}" for problem in view.problems]))


def _failure(check: Check) -> Iterator[str]:
    """Lines on a check that fails: what was found and expected, its page, and fixes."""
    yield f"- **{check.severity.value}** {code(check.id)} at {code(check.field)}: {escaped(_cut(check.message, 600))}"
    yield f"  - found {code(quote(check.found, 200), 200)}, expected {code(quote(check.expected, 200), 200)}"
    yield f"  - page: {escaped(check.page)}"
    for fix in check.fixes:
        after = "mends everything" if fix.mends_all else f"{fix.left} left broken"
        yield f"  - fix: {escaped(_cut(fix.text, 300))} ({after})"


# ---- picture and values -----------------------------------------------------------------------------------------


def _picture(view: ViewState) -> Iterator[str]:
    """The picture as text; of a broken desc its members as they stand, and a preview if there is one."""
    if view.trace is not None and view.live:
        drawn = text_picture(view.trace, 2 * COLUMNS, LINES, most=COLUMNS)
        yield fenced("".join(f"{line}\n" for line in drawn.lines), "text")
        if drawn.is_cut:
            yield f"Each side is cut to {COLUMNS} columns and {LINES} lines."
        return
    yield f"The desc as it stands; what the broken rules name stands between {OPEN} and {CLOSE}."
    yield fenced("\n".join(as_it_stands(view, COLUMNS)), "text")
    shown = preview(view, COLUMNS)
    if shown is not None:
        yield escaped(shown.label)
        yield fenced("\n".join(shown.lines), "text")


def _values(view: ViewState) -> Iterator[str]:
    """Small tensors whole, of larger ones the beginning; outputs where the desc is valid and they are small."""
    experiment = view.experiment
    inputs = list(zip(experiment.desc.inputs, experiment.sources_or_defaults()[0], strict=True))
    for part, values in inputs[:MOST_TENSORS]:
        yield from _tensor_values(part, values) if part.tensor.can_exist else [f"{part.path} can't exist as it is."]
    if len(inputs) > MOST_TENSORS:
        yield f"… and {len(inputs) - MOST_TENSORS:,} inputs more."
    if not view.live or view.trace is None:
        yield "There are no outputs as long as a rule is broken."
        return
    outputs = reference_outputs(view.trace)
    if outputs is None:
        yield "The outputs are too large to be worked out here."
        return
    for part, array in list(zip(view.trace.outputs, outputs, strict=True))[:MOST_TENSORS]:
        yield from _tensor_values(part, Stored(part.tensor, array))
    if len(outputs) > MOST_TENSORS:
        yield f"… and {len(outputs) - MOST_TENSORS:,} outputs more."


def _tensor_values(part: Part, values: Values) -> Iterator[str]:
    """A tensor's values; of a large one the first `FIRST`."""
    count = part.tensor.element_count
    if count <= MOST_PRINTED:
        yield f"{part.path}, {_tensor_text(part.tensor)}:"
        yield fenced("\n".join(page_lines(values.array(), MOST_PRINTED)), "text")
    else:
        yield f"{part.path}, {_tensor_text(part.tensor)}, the first {FIRST} of {count:,} elements:"
        yield fenced(", ".join(shorts(values.read(np.arange(FIRST, dtype=np.int64)))) + ", …", "text")


# ---- the session ------------------------------------------------------------------------------------------------


def _session_json(experiment: Experiment, session: Session, number: int, stem: str, files: dict[str, Array]) -> str:
    """A session file of one experiment. Long lists and .npy files come along, called after the operator."""
    settled = without_example_task(experiment).settled()
    entries = dict(settled.values)
    sources, _ = settled.sources_or_defaults()
    beside: dict[str, str] = {}
    for part, values in zip(experiment.desc.inputs, sources, strict=True):
        entry = entries.get(part.path)
        if not isinstance(entry, Npy) and not (isinstance(entry, Listed) and len(entry.items) > MOST_LISTED):
            continue
        del entries[part.path]
        if part.tensor.can_exist:  # no array is of a tensor that can't
            file = f"{stem}-{tensor_name(part, operator_name(experiment.desc, number))}.npy"
            files[file] = values.array()
            beside[part.path] = file
    try:
        document = json.loads(
            dump(dataclasses.replace(session, experiments=(dataclasses.replace(settled, values=entries),)), views=False)
        )
        here = [one.name for one in session.experiments]  # which have blocks of their own
        document["experiments"][:-1] = [one for one in document["experiments"][:-1] if one["name"] not in here]
        _put_files(beside, experiment.desc, document["experiments"][-1]["values"])
        return json_page(document)
    except DmlvizError:
        raise
    except (ValueError, TypeError, RecursionError):  # made in Python; nothing like this comes out of a file
        raise DmlvizError(
            f"experiment {quote(experiment.name)} holds what is no JSON, expected finite numbers and whole text."
        ) from None


def _put_files(beside: Mapping[str, str], desc: Desc, values: dict[str, Any]) -> None:
    """Adds the files that hold values, by tensor, to the `values` of an experiment in JSON."""
    for field in desc.FIELDS:
        parts = [part for part in desc.inputs if part.field is field]
        for i, part in enumerate(parts):
            if part.path in beside and part.field.many:
                values.setdefault(part.field.name, [None] * len(parts))[i] = {"npy": beside[part.path]}
            elif part.path in beside:
                values[part.field.name] = {"npy": beside[part.path]}


_ACTIVE = re.compile(r"[\\`*_\[\]<>&|~#@$]")
"""What Markdown, or GitHub's, would act upon in the middle of a line."""
_TICKS = re.compile("`+")


def escaped(text: str) -> str:
    """Text in which Markdown acts upon nothing, to stand behind other text on its line."""
    return _ACTIVE.sub(r"\\\g<0>", _visible(text))


def code(text: str, most: int = 120) -> str:
    """A code span of one line, cut to `most` characters; no mark means anything in it."""
    shown = _visible(text)
    shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    if not shown.strip():
        shown = quote(shown)  # a span of nothing is none
    ticks = "`" * (_longest(shown) + 1)
    # One space on each side is taken off again; without it, ticks or spaces at the ends would be lost.
    edge = " " if shown[0] in " `" or shown[-1] in " `" else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def fenced(text: str, language: str) -> str:
    """A block of code that nothing in `text` can end; its unprintable characters are written as escapes."""
    lines = [_visible(line) for line in text.removesuffix("\n").split("\n")]
    ticks = "`" * max(3, _longest(text) + 1)
    return "\n".join([f"{ticks}{language}", *lines, ticks])


def _longest(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)
