"""Which feature levels accept a desc, and what each of them takes: the strip beside the form, and the whole matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..desc.base import Desc
from ..desc.fields import Role, TensorField
from ..desc.levels import LEVELS, FeatureLevel
from ..desc.support import T11, Row
from ..desc.tensors import MAX_DIMENSIONS, DataType, braces
from ..errors import DmlvizError
from ..operators.checking import check
from ..operators.desc_edits import with_data_type, with_dimensions, with_field_type
from ..operators.general_rules import anchor_of
from ..operators.level_rules import LEVEL_CHECKS, first_level, refusals
from ..operators.registry import operator_of, operators
from ..operators.report import Check, Report
from ..session.experiments import Experiment

TYPES = T11
"""In the order of SPEC section 2, wide ones first within a kind."""

Entry = DataType | int
"""A row of a table: a DataType, or a DimensionCount."""


@dataclass(frozen=True, slots=True)
class Column:
    """Levels that take the same, from `first` to `last`."""

    first: FeatureLevel
    last: FeatureLevel

    @property
    def label(self) -> str:
        return self.first.value if self.first is self.last else f"{self.first}–{self.last}"

    def holds(self, level: FeatureLevel) -> bool:
        return self.first <= level <= self.last


def columns(kind: type[Desc], *more: FeatureLevel) -> tuple[Column, ...]:
    """The levels of an operator's desc class, parted where something changes, and at `more`."""
    starts = {LEVELS[0], *more}
    for field in kind.FIELDS:
        if isinstance(field, TensorField):
            starts |= {row.since for row in field.support.rows}
    firsts = sorted(starts)
    ends = [LEVELS[LEVELS.index(first) - 1] for first in firsts[1:]] + [LEVELS[-1]]
    return tuple(Column(first, last) for first, last in zip(firsts, ends, strict=True))


def dimension_counts(kind: type[Desc], level: FeatureLevel) -> range:
    """The DimensionCounts that every tensor field takes at `level`; empty where the operator isn't there."""
    rows = _rows(kind, level)
    if not rows:
        return range(0)
    return range(max(row.lowest for row in rows.values()), min(row.highest for row in rows.values()) + 1)


def _rows(kind: type[Desc], level: FeatureLevel) -> dict[str, Row]:
    """The row of each tensor field at `level`; empty where the operator isn't there."""
    if level < first_level(operators()[kind.TYPE]):
        return {}
    found = {f.name: f.support.at(level) for f in kind.FIELDS if isinstance(f, TensorField)}
    return {name: row for name, row in found.items() if row is not None}


def accepts(report: Report, level: FeatureLevel) -> bool:
    """True if the desc of the report has no error at `level`: each level promises all that the ones below promise."""
    return report.lowest_level is not None and level >= report.lowest_level


# ---- the strip --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """One level of the strip."""

    level: FeatureLevel
    dimensions: str
    """4D, or 1-8; empty where the operator isn't there."""
    accepted: bool
    here: bool


@dataclass(frozen=True, slots=True)
class LevelStrip:
    """The levels at which something changes, and the present one, with one sentence about the desc as it stands."""

    marks: tuple[Mark, ...]
    sentence: str


def level_strip(experiment: Experiment, report: Report) -> LevelStrip:
    """The strip of an experiment; `report` is that of its desc, at whatever level."""
    kind, here = type(experiment.desc), experiment.feature_level
    parted = columns(kind, here)
    marks = tuple(
        Mark(c.first, _short_range(dimension_counts(kind, c.first)), accepts(report, c.first), c.first is here)
        for c in parted
    )
    return LevelStrip(marks, _short_sentence(experiment, report, parted))


def _short_range(counts: range) -> str:
    if not counts:
        return ""
    return f"{counts[0]}D" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}D"


def _short_sentence(experiment: Experiment, report: Report, parted: Sequence[Column]) -> str:
    lowest = report.lowest_level
    if lowest is None:
        return "no feature level accepts this desc"
    if experiment.feature_level < lowest:
        return f"the lowest level that accepts it is {lowest}"
    refusing = [c.first for c in parted if c.first < lowest]
    if not refusing:
        return "every feature level accepts this desc"
    broken = refusals(experiment.desc, refusing[-1])
    return short_refusal(experiment.desc, refusing[-1], broken[0]) if broken else ""


def short_refusal(desc: Desc, level: FeatureLevel, broken: Check) -> str:
    """A failed check of the level, in a few words."""
    if broken.id == "level.operator":
        return f"{level} has no {operator_of(desc).name}"
    path = broken.field.split(".", 1)[0]
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        return f"{level} refuses: DimensionCount must be {low if low == high else f'{low} to {high}'}"
    own = next(p.field for p in desc.parts() if p.path == path)
    shared = own.role in (Role.DATA, Role.OUTPUT)
    return f"{level} refuses {'DataType' if shared else path} {broken.found}"


# ---- sentences about levels -------------------------------------------------------------------------------------


def level_below(experiment: Experiment, report: Report) -> str:
    """What breaks below the present level, or what is broken at it."""
    desc, here, lowest = experiment.desc, experiment.feature_level, report.lowest_level
    if lowest is None:
        broken = next((c for c in report.errors if c.id not in LEVEL_CHECKS), None) or report.errors[0]
        return f"No feature level accepts this desc. {broken.message}"
    if here < lowest:
        return f"{refusals(desc, here)[0].message} The lowest level that accepts this desc is {lowest}."
    if lowest is LEVELS[0]:
        return "Every feature level accepts this desc."
    under = LEVELS[LEVELS.index(lowest) - 1]
    broken = refusals(desc, under)[0]
    return f"{'' if lowest is here else f'Down to {lowest} nothing breaks. '}{broken.message}"


def level_adds(desc: Desc, level: FeatureLevel) -> str:
    """What the next level at which something changes adds to `level`."""
    kind, name = type(desc), operator_of(desc).name
    following = [c.first for c in columns(kind) if c.first > level]
    if not following:
        return f"No later level adds anything to {name}."
    after = following[0]
    old, new = _rows(kind, level), _rows(kind, after)
    if not new:
        return f"{after} doesn't have {name} either."
    if not old:
        return f"{after} brings {name}."
    said: dict[str, list[str]] = {}
    for field, row in new.items():
        before = old[field]
        types = [t.name for t in TYPES if t in row.types and t not in before.types]
        counts = [n for n in range(row.lowest, row.highest + 1) if not before.lowest <= n <= before.highest]
        more = [_and(types)] if types else []
        more += [f"DimensionCount {_runs(counts)}"] if counts else []
        if more:
            said.setdefault(" and ".join(more), []).append(field)
    everywhere = len(said) == 1 and len(new) == len(next(iter(said.values())))
    phrases = [what if everywhere else f"{what} for {_and(fields)}" for what, fields in said.items()]
    return f"{after} adds {'; '.join(phrases)}."


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _runs(numbers: Iterable[int]) -> str:
    """`1 to 3 and 6 to 8`."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return _and([str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs])


# ---- the matrix -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """What is accepted for some fields that have one support table: DataTypes; or DimensionCounts, for all fields."""

    title: str
    fields: tuple[str, ...]
    shared: bool
    """True for fields whose tensors have one DataType."""
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class LevelMatrix:
    """Level × DataType for each tensor field, and level × DimensionCount, for one experiment."""

    experiment: Experiment

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns(type(self.experiment.desc))

    @cached_property
    def here(self) -> int:
        """The number of the column that holds the present level."""
        return next(i for i, c in enumerate(self.columns) if c.holds(self.experiment.feature_level))

    @cached_property
    def report(self) -> Report:
        return self.experiment.check()

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """One for the fields that are alike, in field order; the DimensionCounts last."""
        groups: dict[object, list[TensorField]] = {}
        for field in self.experiment.desc.FIELDS:
            if isinstance(field, TensorField):
                shared = field.role in (Role.DATA, Role.OUTPUT)
                # A type that can't be shared is chosen field by field.
                groups.setdefault((field.support, shared) if shared else field.name, []).append(field)
        made = []
        for fields in groups.values():
            names = tuple(f.name for f in fields)
            shared = fields[0].role in (Role.DATA, Role.OUTPUT)
            made.append(Table(", ".join(names), names, shared, TYPES))
        every = tuple(name for table in made for name in table.fields)
        return (*made, Table("DimensionCount", every, True, tuple(range(1, MAX_DIMENSIONS + 1))))

    def present(self, table: Table) -> frozenset[Entry]:
        """The DataTypes or DimensionCounts that the table's tensors have."""
        parts = [p for p in self.experiment.desc.parts() if p.field.name in table.fields]
        if table.entries is TYPES:
            return frozenset(p.tensor.data_type for p in parts)
        return frozenset(p.tensor.dimension_count for p in parts)

    def accepted(self, table: Table, entry: Entry, column: Column) -> bool:
        """True if every field of the table takes the entry at those levels."""
        rows = _rows(type(self.experiment.desc), column.first)
        if not rows:
            return False
        if isinstance(entry, DataType):
            return all(entry in rows[name].types for name in table.fields)
        return all(rows[name].lowest <= entry <= rows[name].highest for name in table.fields)

    def is_here(self, table: Table, entry: Entry, column: Column) -> bool:
        """True if the desc as it stands lies in this cell."""
        return column == self.columns[self.here] and entry in self.present(table)

    def level_for(self, column: Column) -> FeatureLevel:
        """The level that choosing a cell of the column sets: the present one where it lies there."""
        here = self.experiment.feature_level
        return here if column.holds(here) else column.first

    def sentence(self, table: Table, entry: Entry, column: Column) -> str:
        """What a cell means, and what choosing it does."""
        what = str(entry) if isinstance(entry, DataType) else f"DimensionCount {entry}"
        name = operator_of(self.experiment.desc).name
        of = "" if entry not in TYPES or table.shared else f" as {table.title}"
        since = next((c.first for c in self.columns if self.accepted(table, entry, c)), None)
        refuses = "refuses" if column.first is column.last else "refuse"
        if since is None:
            known = f"No feature level takes {what}{of} for {name}"
        elif since is LEVELS[0]:
            known = f"Every feature level takes {what}{of}"
        else:
            known = f"{what}{of} from {since} on"
        if since is not None and not self.accepted(table, entry, column):
            known += f"; {column.label} {refuses} it"
        try:
            self.chosen(table, entry, column)
        except DmlvizError as error:
            return f"{known}. {error}"
        if self.is_here(table, entry, column):
            return f"{known}. You are here."
        return f"{known}. Enter sets {self._change(table, entry, column)}."

    def _change(self, table: Table, entry: Entry, column: Column) -> str:
        """What choosing a cell changes, in words."""
        level = self.level_for(column)
        said = [f"feature level {level}"] if level is not self.experiment.feature_level else []
        if entry not in self.present(table):
            if isinstance(entry, DataType):
                said.append(f"{'DataType' if table.shared else table.title} {entry}")
            else:
                anchor = anchor_of(operator_of(self.experiment.desc), self.chosen(table, entry, column).desc)
                sizes = f": {anchor.path} {braces(anchor.tensor.sizes)}" if anchor is not None else ""
                said.append(f"{entry} {'size' if entry == 1 else 'sizes'} a tensor{sizes}")
        return " and ".join(said) or "nothing new"

    def chosen(self, table: Table, entry: Entry, column: Column) -> Experiment:
        """The experiment with the level of a column, and the DataType or DimensionCount of a row.

        Sizes get leading 1s, or lose them. Raises DmlvizError with a sentence where they can't.
        """
        desc, level = self.experiment.desc, self.level_for(column)
        if entry not in self.present(table) or len(self.present(table)) > 1:
            if isinstance(entry, DataType):
                for_all = with_data_type(desc, entry)
                desc = for_all if table.shared else with_field_type(desc, table.fields[0], entry)
            else:
                desc = self._resized(entry)
        return replace(self.experiment, desc=desc, feature_level=level)

    def _resized(self, count: int) -> Desc:
        desc = self.experiment.desc
        changed = with_dimensions(desc, count)
        if changed is None:
            blocked = next((p for p in desc.parts() if _ones(p.tensor.sizes) < p.tensor.dimension_count - count), None)
            if blocked is None:
                raise DmlvizError(f"No tensor can have DimensionCount {count} while the other fields stay as they are.")
            tensor, sizes = blocked.tensor, "1 size" if count == 1 else f"{count} sizes"
            raise DmlvizError(
                f"{blocked.path} {braces(tensor.sizes)} can't have {sizes}: only leading 1s may go, "
                f"and it has {_ones(tensor.sizes)} of them."
            )
        if all(c.id in LEVEL_CHECKS for c in self.report.errors):  # else there is nothing whole to break
            for broken in check(changed, None, LEVELS[-1]).errors:
                if broken.id in LEVEL_CHECKS:
                    continue
                raise DmlvizError(f"DimensionCount {count} would break {broken.id}: {broken.message}")
        return changed


def _ones(sizes: Sequence[int]) -> int:
    """How many leading 1s there are."""
    return next((d for d, size in enumerate(sizes) if size != 1), len(sizes))
