"""What the explorer shows for an experiment, valid or not: a pure function of the document."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..checks import Report
from ..descs import Desc
from ..errors import DmlvizError
from ..operators import check
from ..session import Experiment
from ..tracing import Trace


@dataclass(frozen=True)
class Shown:
    """An experiment's report, and the picture to draw for it."""

    experiment: Experiment
    report: Report
    problems: tuple[str, ...]
    """A sentence for each tensor whose values don't fit it."""
    trace: Trace | None
    """The picture's links; None where there is nothing to draw."""
    caption: str
    """What the picture is of, where it is not of the desc as it stands."""

    @property
    def live(self) -> bool:
        """True if the picture is of the desc as it stands."""
        return self.trace is not None and not self.caption


def drawable(desc: Desc) -> bool:
    """True if every tensor can exist, so that a picture can be made of a desc whose only faults are the level's."""
    return all(part.tensor.can_exist for part in desc.parts())


def show(experiment: Experiment, before: Shown | None = None) -> Shown:
    """The experiment with its report; while it is invalid, the last valid picture, or what its first fix would give."""
    values, problems = experiment.sources_or_defaults()
    report = check(experiment.desc, values, experiment.feature_level)
    if report.ok:
        return Shown(experiment, report, tuple(problems), Trace(experiment.desc, values), "")
    shown = Shown(experiment, report, tuple(problems), None, "nothing to draw until a rule is mended")
    if before is not None and before.trace is not None and before.experiment.desc.TYPE == experiment.desc.TYPE:
        caption = before.caption or "the last valid picture"
        return replace(shown, trace=before.trace, caption=caption)
    for broken in report.errors:
        for number, fix in enumerate(broken.fixes, 1):
            if fix.mends_all and drawable(fix.desc):
                try:
                    trace = replace(experiment, desc=fix.desc).trace()
                except DmlvizError:
                    continue
                return replace(shown, trace=trace, caption=f"as it would be after fix {number}: {fix.label}")
    return shown
