"""A bug report in Markdown: the desc, what breaks which rule, the picture as text, and the session itself.

All that came from the session stands in code, where Markdown acts upon nothing. The session's JSON in the last block of
each experiment is what `dmlviz import` reads back.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..desc.tensors import TensorDesc, braces
from ..desc.value_sources import Listed, Npy
from ..desc.values import Array
from ..errors import DmlvizError, quote
from ..formats.json_text import json_file
from ..operators.registry import operator_of
from ..operators.report import E_INVALIDARG, Check
from ..scene.drawing.as_it_stands import CLOSE, OPEN, as_it_stands, preview
from ..scene.drawing.text_picture import text_picture
from ..scene.view_state import ViewState, scan
from ..scene.view_state import view_state_of as show
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from ..stopping import checked
from .lib.chained import operator_name, tensor_name
from .lib.export import Export

ABOUT = "A bug report in Markdown: desc, broken rules, the picture as text, and the session to open again."
SUFFIX = ".md"
LANGUAGE = "markdown"
RUNS = False

MOST_LISTED = 4096
"""Elements of a list that stay in the session's JSON; more go into an .npy file."""
MOST_TENSORS, MOST_RULES = 24, 60
COLUMNS, LINES = 100, 60
"""What is drawn of each side at most."""


def export(session: Session, stem: str) -> Export:
    """A report of every experiment, valid or not. Raises DmlvizError for a session that no file could hold."""
    files: dict[str, Array] = {}
    pieces = [f"# dmlviz report{f': {code(session.title)}' if session.title else ''}"]
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
    yield "### Session"
    yield "To open it: `dmlviz import` with this file, or the block below in a file of its own."
    yield fenced(_session_json(experiment, session, number, stem, files), "json")


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
        if field.many:
            yield from _some([f"- {field.name}[{i}]: {_tensor_text(tensor)}" for i, tensor in enumerate(member)])
            continue
        shown = _tensor_text(member) if isinstance(member, TensorDesc) else _cut(field.shown(member), 200)
        inferred = " (inferred)" if field.name in desc.inferred else ""
        yield f"- {field.name}: {'not determined by the rest' if member is None else f'{shown}{inferred}'}"


def _some(lines: Sequence[str], most: int = MOST_TENSORS) -> list[str]:
    """The first lines, at most so many, and how many more there are."""
    left = len(lines) - most
    return [*lines[:most], f"- … and {left:,} more"] if left > 0 else list(lines)


def _tensor_text(tensor: TensorDesc) -> str:
    return _cut(f"{tensor.data_type.name} {braces(tensor.sizes)}", 200)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _rules(view: ViewState) -> Iterator[str]:
    """Paragraphs on checks: how many hold, and those that fail with their fixes, and what was not checked."""
    report = view.report
    failures = [cause.told for cause in report.causes]
    passed = sum(check.ok for check in report.checks)
    yield f"{passed} of {len(report.checks)} checks hold." + ("" if failures else " Nothing is broken.")
    lines = [line for check in failures[:MOST_RULES] for line in _failure(check)]
    if len(failures) > MOST_RULES:
        lines.append(f"- … and {len(failures) - MOST_RULES:,} more")
    lines += _some([f"- not checked: {escaped(_cut(check.message, 400))}" for check in report.not_checked])
    lines += _some([f"- {code(each.id)} at {code(each.field)} waits for {code(each.on)}" for each in report.waiting])
    lines += _some([f"- {escaped(_cut(problem, 400))}" for problem in view.problems])
    if lines:
        yield "\n".join(lines)


def _failure(check: Check) -> Iterator[str]:
    """Lines on a check that fails: what was found and expected, its page, and fixes."""
    yield f"- **{check.severity.value}** {code(check.id)} at {code(check.field)}: {escaped(_cut(check.message, 600))}"
    yield f"  - found {code(quote(check.found, 200), 200)}, expected {code(quote(check.expected, 200), 200)}"
    yield f"  - page: {escaped(check.page)}"
    for fix in check.fixes:
        after = "mends everything" if fix.mends_all else f"{fix.left} left broken"
        yield f"  - fix: {escaped(_cut(fix.text, 300))} ({after})"


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


def _session_json(experiment: Experiment, session: Session, number: int, stem: str, files: dict[str, Array]) -> str:
    """A session file of one experiment. Long lists and .npy files come along, called after the operator."""
    settled = experiment.settled()
    entries = dict(settled.values)
    sources, _ = settled.sources_or_defaults()
    for part, values in zip(experiment.desc.inputs, sources, strict=True):
        entry = entries.get(part.path)
        if not isinstance(entry, Npy) and not (isinstance(entry, Listed) and len(entry.items) > MOST_LISTED):
            continue
        del entries[part.path]
        if part.tensor.can_exist:  # no array is of a tensor that can't
            file = f"{stem}-{tensor_name(part, operator_name(experiment.desc, number))}.npy"
            files[file] = values.array()
            entries[part.path] = Npy(file)
    beside = dataclasses.replace(settled, values=entries, folder=None)
    try:
        document = json.loads(
            dump(dataclasses.replace(session, experiments=(beside,)), views=False, keeps_missing=True)
        )
        here = [one.name for one in session.experiments]  # which have blocks of their own
        document["experiments"][:-1] = [one for one in document["experiments"][:-1] if one["name"] not in here]
        return json_file(document, in_rows=True)
    except DmlvizError:
        raise
    except (ValueError, TypeError, RecursionError):  # made in Python; nothing like this comes out of a file
        raise DmlvizError(
            f"experiment {quote(experiment.name)} holds what is no JSON, expected finite numbers and whole text."
        ) from None


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
