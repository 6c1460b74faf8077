"""The examples that come with dmlviz, and with operators that were added to it."""

from __future__ import annotations

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
        return _without_tasks(self.path)

    def with_tasks(self) -> Session:
        """The session in the file, its tasks included."""
        return _loaded(self.path)


_loaded = cache(load)


@cache
def _without_tasks(path: Path) -> Session:
    session = _loaded(path)
    return replace(session, experiments=tuple(map(without_task, session.experiments)))


def without_task(one: Experiment) -> Experiment:
    extra = {key: entry for key, entry in one.extra.items() if key != TASK}
    return replace(one, extra=extra) if TASK in one.extra else one


@cache
def _asking() -> list[Experiment]:
    return [one for shipped in all_examples() for one in shipped.with_tasks().experiments if TASK in one.extra]


def asked_by_examples(each: Experiment) -> list[Experiment]:
    """Experiments of examples with this one's name and a task; the same task, where this one has any."""
    task = each.extra.get(TASK)
    return [one for one in _asking() if one.name == each.name and task in (None, one.extra[TASK])]


def by_name() -> dict[str, Example]:
    """Every example by its name: of a folder beside each folder of operators, in the wheel and in a checkout."""
    found: dict[str, Example] = {}
    for entry in operators.__path__:
        package = Path(entry).parent
        near = [one for one in (package / "examples", package.parents[1] / "examples") if one.is_dir()]
        found |= {path.stem: Example(path.stem, path) for folder in near[:1] for path in folder.glob("*.json")}
    return found


def all_examples() -> list[Example]:
    """Every example: the pages' own first, then errata, then one for most rules."""

    def place(shipped: Example) -> tuple[int, str]:
        name = f"{shipped.name}-"  # of beginnings that fit, the longest counts
        fits = max(range(len(groups)), key=lambda i: (name.startswith(groups[i]), len(groups[i])))
        return fits, shipped.name

    own = [f"{one.example_word or one.name.lower().replace('_', '-')}-" for one in registry.listed()]
    groups = (*own, *OTHERS)
    return sorted(by_name().values(), key=place)


OTHERS = ("", "inline-", "erratum-", "warning-", "note-", "rule-")
"""How names of examples begin that are no operator's own, in the order in which they are listed behind those."""


def example(name: str) -> Example:
    """The example of that name. Raises SessionError where there is none."""
    shipped = by_name().get(name)
    if shipped is None:
        raise SessionError(f"there is no example {quote(name)}; `dmlviz examples` lists them.")
    return shipped


def examples() -> dict[str, Session]:
    """The sessions of all shipped examples, by the examples' names, without tasks."""
    return {shipped.name: shipped.session() for shipped in all_examples()}
