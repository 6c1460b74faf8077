"""What the explorer shows for an experiment, valid or not: a pure function of the document."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from ..desc.base import Desc
from ..errors import DmlvizError, plain
from ..operators.checking import check
from ..operators.report import Report
from ..operators.scans import SCAN
from ..session.experiments import Experiment
from ..tracing import Trace
from .words.reasons import Why, why


class ViewState(Struct, frozen=True, kw_only=True, dict=True):
    """An experiment's report, and the picture to draw for it."""

    experiment: Experiment
    report: Report
    problems: tuple[str, ...]
    trace: Trace | None
    """The picture's links; None where there is nothing to draw."""
    caption: str
    """What the picture is of, where it is not of the desc as it stands."""
    is_preview: bool = False
    """The picture is of what a fix would give, and not of what stood there before."""
    turned: bool = False
    recoloured: bool = False

    def coloured(self, other: bool) -> ViewState:
        """The view with colours of the other meaning if `other`, with the usual ones if not."""
        trace = self.trace.coloured(other) if self.trace is not None else None
        return replace(self, trace=trace, recoloured=other)

    @property
    def waits(self) -> bool:
        """True if a long scan of values is still to be made: see `scan`."""
        unknown = self.trace is not None and not self.trace.prepared
        return unknown or any(waiting.on == SCAN for waiting in self.report.waiting)

    @property
    def live(self) -> bool:
        """True if the picture is of the desc as it stands."""
        return self.trace is not None and not self.caption

    @cached_property
    def why(self) -> Why:
        """The broken rules by cause, and the fixes by number."""
        return why(self.experiment.desc, self.report)

    @property
    def mark(self) -> str:
        """What a picture is that is not of the desc as it stands: stale, or a preview with a fix; else empty."""
        if self.live or self.trace is None:
            return ""
        return self.caption.partition(": ")[0] if self.is_preview else "stale"


def scan(view: ViewState) -> Report:
    """Makes the scans that `view` waits for, and gives the report that is whole then. May take seconds."""
    if view.trace is not None:
        view.trace.prepare()
    values, _ = view.experiment.sources_or_defaults()
    return view.experiment.told(check(view.experiment.desc, values, view.experiment.feature_level))


def _same_links(before: Trace, after: Trace) -> bool:
    keys = [[values.key for values in trace.values] for trace in (before, after)]
    return before.desc == after.desc and None not in keys[0] and keys[0] == keys[1]


def drawable(desc: Desc) -> bool:
    """True if every tensor can exist, so that a picture can be made of a desc whose only faults are the level's."""
    return all(part.tensor.can_exist for part in desc.parts)


def view_state_of(
    one: Experiment,
    before: ViewState | None = None,
    *,
    turned: bool = False,
    recoloured: bool = False,
) -> ViewState:
    """The experiment with its report; while it is invalid, the last valid picture, or what its first fix would give.

    `turned` says that rows and columns are to change places, `recoloured` that colours have their other meaning. While
    what it reads isn't valid, its own last picture stays as well.
    """
    return replace(_upright_view(one, before), turned=turned).coloured(recoloured)


def _upright_view(one: Experiment, before: ViewState | None) -> ViewState:
    """The view of an experiment with usual directions and colours."""
    values, problems = one.sources_or_defaults()
    report = one.told(check(one.desc, values, one.feature_level, patient=False))
    if report.ok is not False and not report.waits_for:
        trace = Trace(one.desc, values, patient=False)
        if before is not None and before.trace is not None and _same_links(before.trace, trace):
            trace = before.trace  # what was counted stays counted
        return ViewState(experiment=one, report=report, problems=tuple(problems), trace=trace, caption="")
    waits = f"nothing to draw until {plain(report.waits_for, 40)} is valid"
    caption = waits if report.waits_for else "nothing to draw until the desc is fixed"
    view = ViewState(experiment=one, report=report, problems=tuple(problems), trace=None, caption=caption)
    if before is not None and (before.trace is None or before.experiment.desc.TYPE != one.desc.TYPE):
        before = None
    if before is not None and not before.is_preview:
        return replace(view, trace=before.trace, caption=before.caption or "the last valid picture")
    for number, fix in enumerate(view.why.fixes, 1):
        if fix.mends_all and drawable(fix.desc):
            try:
                trace = one.mended(fix).trace()
            except DmlvizError:
                continue
            caption = f"preview with fix {number}: {fix.label}"
            return replace(view, trace=trace, caption=caption, is_preview=True)
    if before is not None:
        return replace(view, trace=before.trace, caption="an earlier picture")
    return view
