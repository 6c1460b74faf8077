"""New experiments: a valid one of each operator to begin with."""

from __future__ import annotations

from dataclasses import replace

from ..errors import SessionError
from ..operators.registry import operator_of, operators
from . import examples
from .experiments import Experiment


def sample(kind: str) -> Experiment:
    """A valid experiment of an operator's type, to begin with: the desc of its first example.

    Raises SessionError where the operator comes without an example.
    """
    for each in examples.all_examples():
        for found in each.session().experiments:
            if kind == found.desc.TYPE and found.check().lowest_level is not None:
                return found
    raise SessionError(f"{kind} comes without an example, expected one to begin with.")


def fresh(kind: str) -> Experiment:
    """`sample`, named after its operator and without notes."""
    return replace(sample(kind), name=operator_of(kind).name, notes="", extra={})


def choices() -> list[tuple[str, str, str]]:
    """(type, name, title) of every operator that an experiment can be made for."""
    return [(kind, operator.name, operator.title) for kind, operator in operators().items()]
