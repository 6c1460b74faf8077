"""What notebooks and `rich.print` show of a report, a trace, a session, an experiment or a desc."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..desc.base import Desc
from ..desc.values import Values
from ..explaining import explain
from ..operators.registry import operator_of
from ..operators.report import Report
from ..session.experiments import Experiment, Session
from ..tracing import Trace
from .page import escaped, page_of
from .tasks import exercises_of, reasons_of, summary

FRAME = '<iframe style="width:100%;border:0;resize:vertical" height="560" sandbox="allow-scripts" srcdoc="{}"></iframe>'
TABLE = '<table style="text-align:left"><caption style="text-align:left">{}</caption>{}</table>'


def html_of(shown: object) -> str:
    """A report as a table; anything else as its page in a frame, of which nothing reaches the notebook."""
    if isinstance(shown, Report):
        return _report_table(shown)
    session = _session_of(shown)
    return FRAME.format(escaped(page_of(session, exercises_of(session, asks=False))))


def text_of(shown: object) -> str:
    """A report's summary and failures, or the explanation of anything else, as plain text for a terminal."""
    if isinstance(shown, Report):
        return "".join(f"{line}\n" for line in (summary(shown), *reasons_of(shown)))
    every = _session_of(shown).experiments
    return "\n".join(explain(one, every) for one in every)


@dataclass(frozen=True)
class _TracedExperiment(Experiment):
    """An experiment whose tensors hold a trace's own values, however many they are."""

    tensors: tuple[Values, ...] = field(default=(), compare=False, repr=False)

    def sources_or_defaults(self) -> tuple[list[Values], list[str]]:
        return list(self.tensors), []


def _session_of(shown: object) -> Session:
    """A session as it is; an experiment, a trace with its own values, or a desc with default values, alone."""
    if isinstance(shown, Session):
        return shown
    if isinstance(shown, Trace):
        shown = _TracedExperiment(shown.operator.name, shown.desc, tensors=shown.values)
    if isinstance(shown, Desc):
        shown = Experiment(operator_of(shown).name, shown)
    assert isinstance(shown, Experiment)
    return Session((shown,))


def _report_table(report: Report) -> str:
    rows = [("Holds", "Rule", "What was found", "Fixes", "Where")]
    for cause in report.causes:
        check = cause.told
        fixes = "; ".join(fix.text for fix in cause.first.fixes)
        rows.append((f"✘ {check.severity.value}", f"{check.id} {check.field}", check.message, fixes, check.page))
    held = (check for check in report.checks if check.ok)
    rows += [("✔", f"{check.id} {check.field}", check.message, "", check.page) for check in held]
    lines = (f"<tr>{''.join(f'<td>{escaped(text)}</td>' for text in row)}</tr>" for row in rows)
    return TABLE.format(escaped(summary(report)), "".join(lines))
