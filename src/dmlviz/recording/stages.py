"""What wires a recorded experiment reads, and the way of its elements through all stages before it."""

from __future__ import annotations

from collections.abc import Callable

from ..desc.tensors import brackets
from ..errors import DmlvizError
from ..operators.maps import NOWHERE
from ..session.experiments import Experiment


def wired_inputs(experiment: Experiment) -> list[str]:
    """What wires fill, and what they lead to: `InputTensors[0] ⇠ halves[1]`."""
    if not experiment.is_wired:
        return []
    from ..session.wiring import wire_name, wires

    return [f"{part.path} ⇠ {wire_name(wire)}" for part, wire in wires(experiment)]


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
