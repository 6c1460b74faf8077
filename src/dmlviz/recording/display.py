"""What notebooks and `rich.print` show of a report, a trace, a session, an experiment or a desc.

In a notebook it stands in a shadow root, so that the notebook's style sheet doesn't reach in: one that is declared,
which nbconvert's pages have without a script, or that a script attaches, as where JupyterLab puts in what was run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.values import Values
from ..explaining import explain
from ..operators.registry import operator_of
from ..operators.report import Report
from ..session.experiments import Experiment, Session
from ..session.notes import printable
from ..tracing import Trace
from .html_page import FOLDER, colour_rules, print_style, script, section, style
from .html_text import Markup, tag
from .pictures import Recorded, picture_of, recorded
from .stages import end_of
from .tasks import Exercise
from .words import counted

MOST_EXPERIMENTS = 20
"""Experiments of a session that a notebook shows."""


def html_of(shown: object) -> str:
    """A report as a table; anything else as its pictures, with steps where scripts run."""
    if isinstance(shown, Report):
        return _hosted(_own("notebook.css"), [_report_table(shown)])
    if isinstance(shown, Session):
        some = shown.experiments[:MOST_EXPERIMENTS]
        whole = [recorded(experiment, end=end_of(shown, k)) for k, experiment in enumerate(some)]
        return _pictures(whole, printable(shown.title), len(shown.experiments) - len(whole), shown)
    return _pictures([_recorded_trace(shown) if isinstance(shown, Trace) else recorded(_as_experiment(shown))])


def text_of(shown: object) -> str:
    """A report's summary and failures, or the explanation of anything else, as plain text for a terminal."""
    if isinstance(shown, Report):
        return _report_text(shown)
    if isinstance(shown, Session):
        return "\n".join(explain(experiment, shown.experiments) for experiment in shown.experiments)
    return explain(_experiment_of_trace(shown) if isinstance(shown, Trace) else _as_experiment(shown))


def _pictures(whole: Sequence[Recorded], title: str = "", left: int = 0, session: Session | None = None) -> str:
    """Experiments as a notebook shows them; without scripts they stand with all written. `left` are not among them."""
    places = [session.stage(k) if session is not None else None for k in range(len(whole))]
    sections = [section(Exercise(one, None, one.experiment, place)) for one, place in zip(whole, places, strict=True)]
    heading = [tag("h1", title, dir="auto")] if title else []
    more = [tag("p", counted("more_experiments", left))] if left else []
    styles = f"{_style()}{colour_rules(whole)}"
    return _hosted(styles, [*heading, *sections, *more], script())


def _hosted(styles: str, contents: Sequence[str], program: str = "") -> str:
    """Contents in a shadow root with their own style; keys that are pressed in it are none of the notebook's."""
    whole = tag("div", *contents, class_="notebook")  # the notebook's own rules may be about the host
    inside = tag("template", Markup(f"<style>{styles}</style>"), whole, shadowrootmode="open")
    host = tag("div", inside, data_dmlviz="", data_lm_suppress_shortcuts="true", lang="en")
    return tag("div", host, Markup(f"<script>{_own('notebook.js')}{program}</script>"))


@cache
def _own(name: str) -> str:
    """A file of what only notebooks need."""
    return (FOLDER / name).read_text("utf-8")


@cache
def _style() -> str:
    """A page's style, dark where the notebook is, and where nobody knows that where the system likes it."""
    whole = re.fullmatch(r"(?s)(.*?)@media \(prefers-color-scheme: dark\) \{(.*?\} )\}\n(.*)", style())
    assert whole is not None
    light, dark, rest = whole.groups()
    unknown = dark.replace(".dmlviz", ":host(:not([data-ground])) .dmlviz")
    known = dark.replace(".dmlviz", ":host([data-ground=dark]) .dmlviz")
    grounds = f"@media (prefers-color-scheme: dark) {{{unknown}}}{known}"
    return f"{light}{grounds}{rest}{print_style('print')}{_own('notebook.css')}"


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
    failed = [(cause.told, cause.first.fixes) for cause in report.causes]
    has_fixes = any(fixes for _, fixes in failed)
    titles = ["Holds", "Rule", "What was found", *["Fixes"] * has_fixes, "Where"]
    head = tag("tr", *(tag("th", title, scope="col") for title in titles))
    rows = [
        tag(
            "tr",
            tag("td", "✔" if check.ok else f"✘ {check.severity.value}"),
            tag("td", check.id, tag("small", check.field)),
            tag("td", check.message),
            *([tag("td", tag("ol", *(tag("li", fix.text) for fix in fixes)) if fixes else "")] if has_fixes else []),
            tag("td", check.page),
            class_=None if check.ok else "broken",
        )
        for check, fixes in (*failed, *((check, ()) for check in report.checks if check.ok))
    ]
    caption = tag("caption", summary(report))
    return tag("table", caption, tag("thead", head), tag("tbody", *rows), class_="report")


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
