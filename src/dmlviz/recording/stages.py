"""What wires a recorded experiment reads, and the way of its elements through all stages before it."""

from __future__ import annotations

from collections.abc import Callable

from ..desc.tensors import brackets
from ..errors import DmlvizError
from ..operators.maps import NOWHERE
from ..session.experiments import Experiment, Session
from ..teaching.questions.answers import shown
from ..teaching.questions.question import Question


def wired_inputs(experiment: Experiment) -> list[str]:
    """What wires fill, and what they lead to: `InputTensors[0] ⇠ halves[1]`."""
    if not experiment.is_wired:
        return []
    from ..session.wiring import wire_name, wires

    return [f"{part.path} ⇠ {wire_name(wire)}" for part, wire in wires(experiment)]


def end_of(session: Session, number: int) -> Experiment | None:
    """What the longest chain ends with in which an experiment, from 0, stands; None where it stands alone."""
    if session.stage(number) is None and not session.experiments[number].is_wired:
        return None
    own = session.experiments[number]
    ends = (one for one in session.experiments if one.is_wired and any(stage is own for stage in one.stages))
    return max(ends, key=lambda one: len(one.stages), default=None)


def chain_texts(question: Question | None) -> list[str]:
    """Inputs with their values, and each stage in a line, of a question about a chain; [] of another."""
    lines = question.kind.lines(question) if question is not None else []
    return [f"{title}{' = ' * bool(values)}{', '.join(map(shown, values))}" for title, _, values in lines]


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
