"""Running an experiment for the screen: its timing, and whether the kernel agrees with the picture."""

from __future__ import annotations

from dataclasses import dataclass

from .. import engine
from ..checks import unravel
from ..engine import Timing
from ..errors import DmlvizError
from ..scene.figure import sample
from ..session import Experiment

COMPARED = 4096
"""Elements of each output that are held against the picture's own."""


@dataclass(frozen=True)
class Running:
    """What is known of the kernel: nothing yet, that it is being prepared, its timing, or why it didn't run."""

    timing: Timing | None = None
    busy: bool = False
    trouble: str = ""
    agreed: int = 0
    """Output elements that were compared with the picture's own."""


def timed(experiment: Experiment) -> Running:
    """Runs a valid experiment's kernel and times it; for a thread of its own."""
    try:
        arrays = engine.inputs_of(experiment.desc, experiment.sources_or_defaults()[0])
        bound = engine.bind(experiment.desc, arrays, feature_level=experiment.feature_level)
        timing = engine.measure(bound)
    except DmlvizError as error:
        return Running(trouble=str(error))
    trace = experiment.trace()
    agreed = 0
    for k, (part, array) in enumerate(zip(trace.outputs, bound.outputs, strict=True)):
        flat = sample(part.tensor.element_count, COMPARED)
        want = trace.window(k, unravel(flat, part.tensor.sizes))
        if array.reshape(-1)[flat].tobytes() != want.tobytes():
            return Running(timing, trouble=f"{part.path} differs from the picture: please report this desc.")
        agreed += len(flat)
    return Running(timing, agreed=agreed)
