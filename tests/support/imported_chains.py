"""What tests of imported chains look at: wires, faults, and whether chains are a session's."""

from __future__ import annotations

from collections.abc import Sequence

from dmlviz.desc.value_sources import Wired
from dmlviz.operators.report import Severity
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session

CHAINS = [example.name for example in examples.all_examples() if any(e.is_wired for e in example.session().experiments)]


def wires_of(experiments: Sequence[Experiment]) -> dict[tuple[str, str], tuple[str, int]]:
    """By reader and path, the source and the number of its output."""
    return {
        (each.name, path): (entry.name, entry.number)
        for each in experiments
        for path, entry in each.values.items()
        if isinstance(entry, Wired)
    }


def same_chains(found: Sequence[Experiment], session: Session) -> None:
    """Descs, wires and what every chain computes are those of the session."""
    assert [(e.name, e.desc) for e in found] == [(e.name, e.desc) for e in session.experiments]
    assert wires_of(found) == wires_of(session.experiments)
    back = Session(tuple(found))
    for each in session.experiments:
        want, got = session.chain(each.name).run(), back.chain(each.name).run()
        assert [a.tobytes() for a in got] == [a.tobytes() for a in want]


def errors(experiments: Sequence[Experiment]) -> list[tuple[str, str]]:
    """The name of each experiment with the id of each rule of severity error that it breaks."""
    checks = ((each.name, check) for each in experiments for check in each.check().checks)
    return [(name, check.id) for name, check in checks if not check.ok and check.severity is Severity.ERROR]
