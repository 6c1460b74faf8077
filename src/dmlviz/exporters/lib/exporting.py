"""Which targets there are, and sessions exported to them.

A target is a module of `dmlviz.exporters`, or of a folder added to that package's path. A session's names, titles and
notes are data in every target: they never name anything or become code. The same session gives the same bytes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from ... import exporters
from ...desc.levels import FeatureLevel
from ...errors import DmlvizError, InvalidDescError, quote
from ...session.experiments import Experiment, Session
from .writing import STEM, Export


class Target(Protocol):
    """What a module of the package offers."""

    ABOUT: str
    SUFFIX: str
    """How its file's name ends: `.py`."""
    RUNS: bool
    """True if what it makes would run, so that a desc with an error is refused."""

    def export(self, session: Session, stem: str) -> Export:
        """The whole session, valid where `RUNS`, as one file; `stem` begins the names of files beside it."""


ORDER = ("numpy", "dmlviz", "torch", "onnx", "cpp", "directmlx", "dxdispatch", "markdown")


@cache
def _modules_by_target() -> Mapping[str, str]:
    """Each target's name and its module's; a module called `numpy_script` makes the target `numpy`."""
    modules = {m.name.partition("_")[0]: m.name for m in pkgutil.iter_modules(exporters.__path__) if not m.ispkg}
    return {name: modules[name] for name in ORDER if name in modules} | modules


def targets() -> Sequence[str]:
    """The name of every target, in the order in which they are listed."""
    return tuple(_modules_by_target())


def target_of(name: str) -> Target:
    """The target of that name; its module is loaded now. Raises DmlvizError for any other."""
    module = _modules_by_target().get(name) if isinstance(name, str) else None
    if module is None:
        raise DmlvizError(f"target is {quote(name)}, expected one of {', '.join(targets())}.")
    return cast(Target, importlib.import_module(f"{exporters.__name__}.{module}"))


def export(
    session: Session, target: str, *, experiment: str | None = None, stem: str = STEM, level: FeatureLevel | None = None
) -> Export:
    """The session, or one of its experiments with what it reads, in a target; at `level` in place of its own if given.

    Raises InvalidDescError for a desc with an error where the result would have to run. Raises DmlvizError for a target
    or an experiment that isn't there, and where the target can't say it.
    """
    exporter = target_of(target)
    chosen = only(session, experiment)
    chosen = replace(chosen, experiments=chosen.whole)
    if level is not None:
        every = tuple(replace(one, feature_level=level) for one in chosen.experiments)
        chosen = replace(chosen, experiments=every)
    _require_valid(chosen.experiments, target)
    asking: Callable[[Session, str, FeatureLevel | None], Export] | None = getattr(exporter, "export_at", None)
    if asking is not None:
        return asking(chosen, stem, level)
    return exporter.export(chosen, stem)


def snippet(session: Session, target: str, *, experiment: str | None = None, stem: str = STEM) -> Export:
    """The lines of one experiment, and of all that it reads, that a slide wants; they run by themselves.

    A target has them whose module has a function `snippet` of an experiment and a stem. Raises DmlvizError as `export`
    does, for a target without them, and for several experiments that the last of them doesn't read.
    """
    short: Callable[[Experiment, str], Export] | None = getattr(target_of(target), "snippet", None)
    if short is None:
        able = ", ".join(name for name in targets() if hasattr(target_of(name), "snippet"))
        raise DmlvizError(f"target is {quote(target)}, which has no snippet, expected one of {able}.")
    chosen = only(session, experiment).experiments
    one = chosen[-1]
    if not {*map(id, chosen)} <= {*map(id, one.stages)}:
        raise DmlvizError(f"experiment is missing, expected one of {_names(chosen)}: a snippet is of one experiment.")
    _require_valid(one.stages, target)
    return short(one, stem)


def only(session: Session, name: str | None) -> Session:
    """The session with the experiments of that name alone; all where it is None. Raises DmlvizError for none."""
    if not session.experiments:
        raise DmlvizError("the session has no experiment, expected at least one.")
    if name is None:
        return session
    chosen = tuple(one for one in session.experiments if one.name == name)
    if not chosen:
        raise DmlvizError(f"experiment is {quote(name)}, expected one of {_names(session.experiments)}.")
    return replace(session, experiments=chosen)


def _names(every: Sequence[Experiment]) -> str:
    return ", ".join(quote(one.name, 40) for one in every[:8])


def _require_valid(every: Iterable[Experiment], target: str) -> None:
    """Raises InvalidDescError for a desc with an error, where it would have to run; one not checked whole passes."""
    for one in every if target_of(target).RUNS else ():
        report = one.check()
        if report.ok is False:
            first = report.errors[0]
            able = [name for name in targets() if not target_of(name).RUNS]
            raise InvalidDescError(
                f"experiment {quote(one.name)} can't be exported to {target}: {first.id}: "
                f"{first.message.removesuffix('.')}; expected a valid desc, or one of {', '.join(able)}.",
                report,
            )


def stem_for(session: Session, path: Path | None) -> str:
    """How a file is called that is made of a session: as its own file, or as its first operator."""
    if path is None:
        return session.experiments[0].desc.TYPE.removeprefix("DML_OPERATOR_").lower()
    return path.stem
