"""Which kinds of questions there are, and the questions that can be asked about an experiment."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from ....errors import DmlvizError, quote
from ....retired import told
from ....session.experiments import Experiment
from ... import kinds as package
from ...questions.question import Kind, Question
from ...questions.subject import Subject


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind by its name: those in `KINDS` of the package's modules, easiest first."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    every: list[Kind] = [kind for module in modules for kind in getattr(module, "KINDS", ())]
    return MappingProxyType({kind.name: kind for kind in sorted(every, key=lambda kind: (kind.stage, kind.name))})


def kinds_named(names: Iterable[str] | None) -> list[Kind]:
    """The kinds of these names, in that order; all for None. Raises DmlvizError for a name that no kind has."""
    known = kinds()
    if names is None:
        return list(known.values())
    chosen = []
    for name in names:
        if sentence := told(name):
            raise DmlvizError(f"kind: {sentence}")
        if name not in known:
            raise DmlvizError(f"kind is {quote(name)}, expected one of {', '.join(known)}.")
        chosen.append(known[name])
    return chosen


def questions(about: Experiment | Subject, names: Iterable[str] | None = None, seed: int = 0) -> list[Question]:
    """One question, by `seed`, of each kind that applies, easiest first. Raises DmlvizError for an unknown kind."""
    subject = about if isinstance(about, Subject) else Subject(about)
    if subject.experiment.has_loose_wires:
        return []  # nobody knows what an invalid one has written
    candidates = (kind.make(subject, seed) for kind in kinds_named(names))
    return [question for question in candidates if question is not None]
