"""The examples that come with dmlviz, and with operators that were added to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from msgspec import Struct

from .. import operators
from ..errors import SessionError, quote
from ..operators import registry
from .experiments import Experiment, Session
from .reading import load

TASK = "task"
"""The key of an experiment that has what is asked about it."""


class Example(Struct, frozen=True):
    """A shipped session file."""

    name: str
    path: Path

    def session(self) -> Session:
        """The session in the file without its tasks: whoever opens, exports or adds it wants no lesson."""
        return _sessions_in(self.path)[1]

    def with_tasks(self) -> Session:
        """The session in the file, its tasks included."""
        return _sessions_in(self.path)[0]


@cache
def _sessions_in(path: Path) -> tuple[Session, Session]:
    """The session in a file, and that without its tasks."""
    session = load(path)
    return session, replace(session, experiments=tuple(map(without_task, session.experiments)))


def without_task(experiment: Experiment) -> Experiment:
    """An experiment without what is asked about it."""
    if TASK not in experiment.extra:
        return experiment
    return replace(experiment, extra={key: entry for key, entry in experiment.extra.items() if key != TASK})


@cache
def _asking() -> list[Experiment]:
    """Experiments of examples that have a task."""
    experiments = (experiment for example in all_examples() for experiment in example.with_tasks().experiments)
    return [experiment for experiment in experiments if TASK in experiment.extra]


def asked_by_examples(experiment: Experiment) -> list[Experiment]:
    """Experiments of examples with this one's name and a task; the same task, where this one has any."""
    named = [asking for asking in _asking() if asking.name == experiment.name]
    return [asking for asking in named if experiment.extra.get(TASK, asking.extra[TASK]) == asking.extra[TASK]]


def _folders() -> Iterator[Path]:
    """Folders of examples: one beside each folder of operators, in the wheel and in a checkout."""
    for entry in operators.__path__:
        package = Path(entry).parent
        for folder in (package / "examples", package.parent.parent / "examples"):
            if folder.is_dir():
                yield folder
                break


def all_examples() -> list[Example]:
    """Every example: the pages' own first, then errata, then one for most rules."""
    by_name = {path.stem: Example(path.stem, path) for folder in _folders() for path in sorted(folder.glob("*.json"))}
    own = [f"{one.example_word or one.name.lower().replace('_', '-')}-" for one in registry.listed()]
    return sorted(by_name.values(), key=lambda shipped: (_place_among(shipped.name, (*own, *OTHERS)), shipped.name))


OTHERS = ("", "inline-", "erratum-", "warning-", "note-", "rule-")
"""How names of examples begin that are no operator's own, in the order in which they are listed behind those."""


def _place_among(name: str, groups: Sequence[str]) -> int:
    """The place, among beginnings of names, of the longest that `name-` begins with."""
    return max(range(len(groups)), key=lambda i: len(groups[i]) if f"{name}-".startswith(groups[i]) else -1)


def example(name: str) -> Example:
    """The example of that name. Raises SessionError where there is none."""
    for shipped in all_examples():
        if shipped.name == name:
            return shipped
    raise SessionError(f"there is no example {quote(name)}; `dmlviz examples` lists them.")


def examples() -> dict[str, Session]:
    """The sessions of all shipped examples, by the examples' names, without tasks."""
    return {shipped.name: shipped.session() for shipped in all_examples()}
