"""An experiment is one desc with what fills its tensors; a session is a document of experiments. Both are frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from ..desc.base import Desc, Part
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.tensors import TensorDesc
from ..desc.value_sources import MOST_FITTED, Listed, Npy, ValueSource, Wired, fill_from, fitted, parse_source
from ..desc.values import Fill, Filled, Iota, Values
from ..errors import SessionError, ValuesError, quote
from ..formats.displayed import Displayed
from ..operators.checking import check
from ..operators.registry import operator_of
from ..operators.report import Check, Fix, NotChecked, Report, listed
from ..tracing import Trace
from . import wiring
from .views import ViewEntry

if TYPE_CHECKING:
    from .chains import Chain


@dataclass(frozen=True)
class Experiment(Displayed):
    """One desc at one feature level, with what fills its tensors, and notes in Markdown.

    `values` maps a tensor's path (`InputTensor`, `InputTensors[1]`) to what fills it; what is left out is filled.
    `not_checked` holds a sentence for each thing that its source says of it and that no desc can hold. `view` is where
    somebody left off looking at it, as its file has it: experiments that differ in nothing else are equal.
    """

    name: str
    desc: Desc
    feature_level: FeatureLevel = NEWEST
    values: Mapping[str, ValueSource] = field(default_factory=dict)
    notes: str = ""
    folder: Path | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    not_checked: tuple[str, ...] = ()
    view: ViewEntry = field(default_factory=ViewEntry, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.desc, Desc):
            raise SessionError(f"desc is {quote(self.desc)}, expected a desc such as dmlviz.Tile(...).")
        object.__setattr__(self, "name", text_of(self.name, "name"))
        object.__setattr__(self, "notes", text_of(self.notes, "notes"))
        object.__setattr__(self, "feature_level", FeatureLevel.of(self.feature_level))
        entries = {path: _value_source(written, f"values.{path}") for path, written in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(entries))

    @cached_property
    def is_wired(self) -> bool:
        return any(isinstance(entry, Wired) for entry in self.values.values())

    def __reduce__(self) -> tuple[Any, ...]:
        told = self.name, self.desc, self.feature_level, dict(self.values), self.notes  # a proxy can't be pickled
        return Experiment, (*told, self.folder, self.extra, self.not_checked, self.view)

    def sources(self) -> list[Values]:
        """What fills each input, in field order. Raises ValuesError where values don't fit their tensor."""
        return [self.source(k, part) for k, part in enumerate(self.desc.inputs)]

    def sources_or_defaults(self) -> tuple[list[Values], list[str]]:
        """`sources` of a desc that is being edited: fitted, or by default, and a sentence for each that loses some."""
        held = [self._held(k, part) for k, part in enumerate(self.desc.inputs)]
        return [values for values, _, _ in held], [why for _, _, why in held if why]

    def _held(self, k: int, part: Part) -> tuple[Values, ValueSource | None, str]:
        """What fills input `k`, what still fits of what it is given, and why that isn't all of it."""
        entry = self.values.get(part.path)
        default = self._default(k)
        if not part.tensor.can_exist:
            return Filled(TensorDesc(part.tensor.data_type, (1,)), default), entry, ""
        try:
            return self.source(k, part), entry, ""
        except ValuesError as error:
            why = "" if isinstance(entry, Wired) else str(error)  # a check tells of wires
            left = fitted(entry, part.tensor, default) if isinstance(entry, Listed) else None
            return fill_from(left, part.tensor, default, part.path, self.folder, None), left, why

    def source(self, k: int, part: Part) -> Values:
        """What fills input `k`, which is `part`. Raises ValuesError where the values that it is given don't fit."""
        if isinstance(entry := self.values.get(part.path), Wired):
            from .chains import values_of  # most experiments have no wires

            return values_of(part, entry)
        below = operator_of(self.desc).bound(self.desc, k)
        return fill_from(entry, part.tensor, self._default(k), part.path, self.folder, below)

    def _default(self, k: int) -> Fill:
        return operator_of(self.desc).default_fill(self.desc, k) or Iota(1, 1)

    def check(self) -> Report:
        """Every rule, the ones about index and length values, and about wires, included."""
        return self.told(check(self.desc, self.sources_or_defaults()[0], self.feature_level))

    def told(self, report: Report) -> Report:
        """`report`, with what its wires break, what fixes lose of its values, and what of its source is not checked."""
        if self.is_wired:
            report = wiring.with_wire_rules(self, report)
        if any(fix.same_bits for check in report.checks for fix in check.fixes):
            report = structs.replace(report, checks=tuple(map(self._with_losses, report.checks)))
        more = tuple(NotChecked("", None, said) for said in self.not_checked)
        return structs.replace(report, not_checked=report.not_checked + more)

    def mended(self, fix: Fix) -> Experiment:
        """A copy after a fix; values keep what they say where it gives their tensor another type."""
        return replace(self, desc=fix.desc, feature_level=fix.feature_level).with_lists_nested(fits=True)

    def with_lists_nested(self, *, fits: bool = False) -> Experiment:
        """A copy whose lists are nested as their tensors' Sizes; with `fits`, those of another length are fitted, too.

        While sizes are typed, a list keeps its values for the sizes to come.
        """
        nested: dict[str, ValueSource | None] = {}
        for k, part in enumerate(self.desc.inputs):
            entry = self.values.get(part.path)
            tensor = part.tensor
            if not isinstance(entry, Listed) or not tensor.can_exist:
                continue
            if len(entry.items) != tensor.element_count:
                nested |= {part.path: fitted(entry, tensor, self._default(k))} if fits else {}
            elif entry.shape not in (tensor.sizes, (tensor.element_count,)):
                nested[part.path] = Listed(entry.items, tensor.sizes)
        values = {path: entry for path, entry in {**self.values, **nested}.items() if entry is not None}
        return replace(self, values=values) if nested else self

    def _with_losses(self, check: Check) -> Check:
        """`check` with what fixes lose of the values that don't keep their bits, and those that lose nothing first."""
        fixes = []
        before = self.sources_or_defaults()[0]
        for fix in check.fixes:
            after = self.mended(fix).sources_or_defaults()[0] if fix.same_bits else []
            pairs = zip(self.desc.inputs, before, after, strict=False)
            moved = [part.path for part, *both in pairs if not _same_bits(*both)]
            lost = [path for path in moved if not isinstance(self.values.get(path), (Wired, type(None)))]
            fixes.append(structs.replace(fix, loses=f"the values of {listed(lost)}") if lost else fix)
        fixes.sort(key=lambda fix: (not fix.mends_all, bool(fix.loses)))
        return structs.replace(check, fixes=tuple(fixes))

    def trace(self) -> Trace:
        """The links between elements; only for a desc that is valid."""
        return Trace(self.desc, self.sources_or_defaults()[0])

    @property
    def stages(self) -> tuple[Experiment, ...]:
        """All that it reads by wires, each behind its own sources, and itself last."""
        return wiring.stages_of(self)

    @property
    def has_loose_wires(self) -> bool:
        """True if a wire of it leads nowhere, or to what is not valid: then nobody knows what it reads."""
        return any(wiring.broken_by(*wired) or wiring.fault(wired[1].source) for wired in wiring.wires(self))

    @cached_property
    def links(self) -> Trace:
        """`trace`, kept for those that read this experiment."""
        return self.trace()

    def settled(self, *, keeps_missing: bool = False) -> Experiment:
        """A copy that can be read back once it is saved; with `keeps_missing` it goes on naming .npy files."""
        values: dict[str, ValueSource] = {}
        for k, part in enumerate(self.desc.inputs):
            entry = self.values.get(part.path)
            if not (isinstance(entry, Wired) or (keeps_missing and isinstance(entry, Npy))):
                entry = self._held(k, part)[1]
            if entry is not None:
                values[part.path] = entry
        return replace(self, values=values)


@dataclass(frozen=True)
class Session(Displayed):
    """A document of experiments. `folder` is where its .npy files lie; `extra` keeps keys this version doesn't know."""

    experiments: tuple[Experiment, ...]
    title: str = ""
    folder: Path | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    told: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)
    """A sentence for each experiment of its file, by its number there, that `extra` keeps as what was taken out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "experiments", tuple(self.experiments))
        object.__setattr__(self, "title", text_of(self.title, "title"))
        for i, one in enumerate(self.experiments):
            if not isinstance(one, Experiment):
                raise SessionError(f"experiments[{i}] is {quote(one)}, expected an Experiment.")
        if any(one.is_wired for one in self.experiments):
            object.__setattr__(self, "experiments", wiring.resolved(self.experiments))

    def chain(self, name: str) -> Chain:
        """The experiment of that name with all that it reads. Raises DmlvizError where none is so, or it can't run."""
        named = [one for one in self.experiments if one.name == name]
        if len(named) != 1:
            known = ", ".join(quote(one.name, 40) for one in self.experiments[:8])
            raise SessionError(f"{len(named) or 'no'} experiments are called {quote(name)}, expected one of {known}.")
        from .chains import Chain  # most sessions have no chains

        return Chain(named[0])

    @property
    def whole(self) -> tuple[Experiment, ...]:
        """Its experiments, behind those that they read and that aren't among them: what a file of it holds."""
        here = {id(one) for one in self.experiments}
        read = (stage for one in self.experiments if one.is_wired for stage in one.stages)
        missing = {id(stage): stage for stage in read if id(stage) not in here}
        return (*missing.values(), *self.experiments)


def same_file(one: Session, other: Session) -> bool:
    """True if both sessions are written alike."""
    return one is other or (one == other and all(map(same_entry, one.experiments, other.experiments)))


def same_entry(one: Experiment, other: Experiment) -> bool:
    """True if both are written alike but for views: equal ones may differ in 0.0 and -0.0, and in what is inferred."""
    if one is other or one.values.keys() != other.values.keys():
        return one is other
    pairs = ((entry, other.values[path]) for path, entry in one.values.items())
    alike = all(a is b or repr(a) == repr(b) for a, b in pairs)  # they may be large
    return alike and repr(replace(one, values={})) == repr(replace(other, values={}))


def text_of(text: object, field: str) -> str:
    """`text`, if it is a str that UTF-8 can hold. Raises SessionError, which names `field`, for anything else."""
    if not isinstance(text, str):
        raise SessionError(f"{field} is {quote(text)}, expected text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SessionError(f"{field} is {quote(text)}, which is half of a character, expected text.") from None
    return text


def _same_bits(one: Values, other: Values) -> bool:
    if one.tensor == other.tensor:
        return True
    return one.tensor.element_count <= MOST_FITTED and one.array().tobytes() == other.array().tobytes()


def _value_source(written: object, field: str) -> ValueSource:
    """What fills a tensor, given as a session file would have it, as an array, or ready made."""
    if isinstance(written, np.ndarray):
        written = written.tolist()
    if isinstance(written, ValueSource):
        return written
    return parse_source(written, field)
