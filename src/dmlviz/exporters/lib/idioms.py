"""Idioms: how another library says an operator. They are optional; a target without one refuses in a sentence."""

from __future__ import annotations

from typing import Any, Protocol

from ...desc.base import Desc
from ...errors import DmlvizError, quote
from ...operators.registry import operator_of, operators


class Dispatch(Protocol):
    """A `functools.singledispatch` function over descs; an idiom is what is registered for an operator's desc."""

    def dispatch(self, cls: Any) -> Any:
        """What is called for a desc of that class."""


def knows(idioms: Dispatch, desc: type[Desc]) -> bool:
    """True if an idiom is registered for descs of that class."""
    return idioms.dispatch(desc) is not idioms.dispatch(Desc)


def no_idiom(experiment: str, desc: Desc, library: str, idioms: Dispatch) -> DmlvizError:
    """What is raised for an experiment whose operator `library` has no idiom for."""
    known = ", ".join(operator.name for operator in operators().values() if knows(idioms, operator.desc))
    return DmlvizError(
        f"experiment {quote(experiment)}: {operator_of(desc).name} has no {library} idiom, expected one of {known}."
    )
