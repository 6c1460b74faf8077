"""What notebooks and `rich.print` show of a report, a trace, an experiment or a desc."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.values import Values
from ..explaining import explain
from ..operators.registry import operator_of
from ..operators.report import Report
from ..session.experiments import Experiment
from ..tracing import Trace
from .html_page import html_fragment
from .html_text import tag
from .pictures import Recorded, picture_of, recorded


def html_of(shown: object) -> str:
    """A report as a table; anything else as its picture, with steps where scripts run."""
    if isinstance(shown, Report):
        return _report_table(shown)
    if isinstance(shown, Trace):
        return html_fragment(_recorded_trace(shown))
    return html_fragment(recorded(_as_experiment(shown)))


def text_of(shown: object) -> str:
    """A report's summary and failures, or the explanation of anything else, as plain text for a terminal."""
    if isinstance(shown, Report):
        return _report_text(shown)
    if isinstance(shown, Trace):
        return explain(_experiment_of_trace(shown))
    return explain(_as_experiment(shown))


def _as_experiment(shown: object) -> Experiment:
    """An experiment as it is; a desc as an experiment with default values."""
    if isinstance(shown, Experiment):
        return shown
    assert isinstance(shown, Desc)
    return Experiment(operator_of(shown).name, shown)


@dataclass(frozen=True)
class _TracedExperiment(Experiment):
    """An experiment whose tensors hold a trace's own values, however many they are."""

    tensors: tuple[Values, ...] = field(default=(), compare=False, repr=False)

    def sources_or_defaults(self) -> tuple[list[Values], list[str]]:
        """The trace's values, and no problems."""
        return list(self.tensors), []


def _experiment_of_trace(trace: Trace) -> Experiment:
    """A trace's desc with the trace's own values."""
    return _TracedExperiment(trace.operator.name, trace.desc, tensors=trace.values)


def _recorded_trace(trace: Trace) -> Recorded:
    """The picture of a trace's own values."""
    return replace(recorded(_experiment_of_trace(trace)), picture=picture_of(trace))


def _report_table(report: Report) -> str:
    """Every cause of failures in a row, then every check that holds."""
    ordered = [*(cause.told for cause in report.causes), *(check for check in report.checks if check.ok)]
    head = tag(
        "tr", *(tag("th", title, scope="col") for title in ("Holds", "Rule", "Field", "What was found", "Where"))
    )
    rows = [
        tag(
            "tr",
            tag("td", "✔" if check.ok else f"✘ {check.severity.value}"),
            tag("td", check.id),
            tag("td", check.field),
            tag("td", check.message),
            tag("td", check.page),
            class_=None if check.ok else "broken",
        )
        for check in ordered
    ]
    caption = tag("caption", summary(report))
    whole = tag("table", caption, tag("thead", head), tag("tbody", *rows), class_="dmlviz-report")
    return f"<div><style>{REPORT_STYLE}</style>{whole}</div>"


REPORT_STYLE = """
.dmlviz-report { border-collapse: collapse; }
.dmlviz-report caption { text-align: left; font-weight: 600; padding: .3em .6em; }
.dmlviz-report th, .dmlviz-report td { text-align: left; padding: .25em .6em; border-bottom: 1px solid #8888; }
.dmlviz-report .broken { font-weight: 600; background: #b8005022; }
"""


def summary(report: Report) -> str:
    """What a report comes to, in one sentence."""
    broken = len(report.broken)
    rules = f"{broken} of {report.rules} rules broken" if broken else f"{report.rules} rules hold"
    lowest = f"lowest level {report.lowest_level}" if report.lowest_level is not None else "no level accepts it"
    return f"{report.verdict.mark} {report.verdict.value} at feature level {report.feature_level}: {rules}; {lowest}."


def _report_text(report: Report) -> str:
    """The summary of a report, and a line for each cause of failures."""
    lines = [summary(report)]
    lines += [f"{cause.first.severity.value}: {cause.first.id}: {cause.message}" for cause in report.causes]
    return "\n".join(lines) + "\n"
