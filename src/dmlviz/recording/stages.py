"""What wires a recorded experiment reads, and the way of its elements through all stages before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..desc.base import Part
from ..desc.tensors import brackets
from ..errors import DmlvizError, plain
from ..operators.maps import NOWHERE
from ..session.experiments import Experiment

if TYPE_CHECKING:
    from ..desc.value_sources import Wired


def wired_inputs(experiment: Experiment) -> list[tuple[Part, Wired]]:
    """The inputs that wires fill."""
    if not experiment.is_wired:
        return []
    from ..session.wiring import wires

    return wires(experiment)


def wire_name(wire: Wired) -> str:
    """What a wire leads to: `halves[1]`; `swapped` of its only output."""
    several = wire.source is not None and len(wire.source.desc.outputs) > 1
    return f"{plain(wire.name, 40)}{f'[{wire.number}]' * several}"


def way_of(experiment: Experiment) -> Callable[[int, tuple[int, ...]], str] | None:
    """(output, index) to where that element comes from, stage by stage; None without wires, and where none can run."""
    if not experiment.is_wired:
        return None
    from ..session.chains import Chain

    try:
        chain = Chain(experiment)
    except DmlvizError:
        return None

    def way(output: int, index: tuple[int, ...]) -> str:
        path = chain.source(output, index)
        places = [chain.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
        if path.root != NOWHERE:
            places.append(f"{chain.inputs[path.root].part.path}{brackets(path.index)}")
        return " ⇠ ".join(places)

    return way
