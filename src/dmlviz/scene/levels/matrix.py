"""Level by DataType, by choice and by DimensionCount, for one experiment."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from msgspec import Struct

from ...desc.fields import Role, TensorField
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import MAX_DIMENSIONS, DataType
from ...operators.desc_edits import with_data_type, with_tensors
from ...operators.registry import operator_of
from ...operators.report import Report
from ...session.experiments import Experiment
from .columns import TYPES, Column, columns, rows_at

Entry = DataType | int | str
"""A row of a table: a DataType, a DimensionCount, or the name of a choice."""


class Table(Struct, frozen=True):
    """What is accepted for some fields that have one support table: DataTypes; or DimensionCounts, for all fields.

    Or for one field the choices, of which some came with a later level.
    """

    title: str
    fields: tuple[str, ...]
    shared: bool
    """True for fields whose tensors have one DataType."""
    entries: tuple[Entry, ...]


class LevelMatrix(Struct, frozen=True, dict=True):
    """Level × DataType for each tensor field, level × choice, and level × DimensionCount, for one experiment."""

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
        for field in self.experiment.desc.TENSORS:
            shared = field.role in (Role.DATA, Role.OUTPUT)
            # A type that can't be shared is chosen field by field.
            groups.setdefault((field.support, shared) if shared else field.name, []).append(field)
        tables = []
        for fields in groups.values():
            names = tuple(f.name for f in fields)
            shared = fields[0].role in (Role.DATA, Role.OUTPUT)
            tables.append(Table(", ".join(names), names, shared, TYPES))
        every = tuple(name for table in tables for name in table.fields)
        for chosen in self.experiment.desc.ATTRIBUTES:
            if any(choice.since is not None for choice in chosen.choices()):
                names = tuple(choice.name for choice in chosen.choices())
                tables.append(Table(chosen.name, (chosen.name,), False, names))
        return (*tables, Table("DimensionCount", every, True, tuple(range(1, MAX_DIMENSIONS + 1))))

    def present(self, table: Table) -> frozenset[Entry]:
        """The DataTypes or DimensionCounts that the table's tensors have, or the choice of its field."""
        if isinstance(table.entries[0], str):
            return frozenset({str(self.experiment.desc.get(table.title))})
        parts = [p for p in self.experiment.desc.parts if p.field.name in table.fields]
        if table.entries is TYPES:
            return frozenset(p.tensor.data_type for p in parts)
        return frozenset(p.tensor.dimension_count for p in parts)

    def accepted(self, table: Table, entry: Entry, column: Column) -> bool:
        """True if every field of the table takes the entry at the column's levels."""
        rows = rows_at(type(self.experiment.desc), column.first)
        if not rows:
            return False
        if isinstance(entry, str):
            field = next(f for f in self.experiment.desc.ATTRIBUTES if f.name == table.title)
            return entry in (choice.name for choice in field.choices(column.first))
        if isinstance(entry, DataType):
            return all(entry in rows[name].types for name in table.fields)
        return all(rows[name].lowest <= entry <= rows[name].highest for name in table.fields)

    def is_here(self, table: Table, entry: Entry, column: Column) -> bool:
        """True if the cell's level is the present one, and some tensor of the table has its entry."""
        return column == self.columns[self.here] and entry in self.present(table)

    @property
    def following(self) -> str:
        """What the next level at which something changes takes that the present one doesn't, in a sentence."""
        if self.here == len(self.columns) - 1:
            return "No later level adds anything."
        present, after = self.columns[self.here : self.here + 2]
        added = []
        for table in self.tables:
            new = [str(each) for each in table.entries if self.accepted(table, each, after)]
            old = [str(each) for each in table.entries if self.accepted(table, each, present)]
            names = ", ".join(each for each in new if each not in old)
            if names:
                added.append(f"{names} ({table.title})")
        return f"{after.first} adds {', '.join(added)}."

    def level_for(self, column: Column) -> FeatureLevel:
        """The level that choosing a cell of the column sets: the present one if the column holds it, else its first."""
        here = self.experiment.feature_level
        return here if column.holds(here) else column.first

    def sentence(self, table: Table, entry: Entry, column: Column, *, may_set: bool = True) -> str:
        """What a cell means, and where `may_set` says so what choosing it does."""
        what = str(entry) if isinstance(entry, DataType) else f"{table.title} {entry}"
        of = "" if entry not in TYPES or table.shared else f" as {table.title}"
        since = next((each.first for each in self.columns if self.accepted(table, entry, each)), None)
        if since is None:
            known = f"No feature level takes {what}{of} for {operator_of(self.experiment.desc).name}"
        elif since is LEVELS[0]:
            known = f"Every feature level takes {what}{of}"
        else:
            known = f"{what}{of} from {since} on"
        if self.is_here(table, entry, column):
            return f"{known}. You are here."
        if not may_set:
            return f"{known}."
        also = "" if isinstance(entry, int) else f" and {what}{of}"
        return f"{known}. Enter sets feature level {self.level_for(column)}{also}."

    def chosen(self, table: Table, entry: Entry, column: Column) -> Experiment:
        """The experiment at a column's level with a row's DataType or choice; sizes stay, whatever their count."""
        desc, level = self.experiment.desc, self.level_for(column)
        if entry not in self.present(table) or len(self.present(table)) > 1:
            if isinstance(entry, DataType):
                for_all = with_data_type(desc, entry)
                own = {p.path: p.tensor.changed(data_type=entry) for p in desc.parts if p.field.name == table.fields[0]}
                desc = for_all if table.shared else desc.replace(with_tensors(desc, own))
            elif isinstance(entry, str):
                desc = desc.replace({table.title: entry})
        return replace(self.experiment, desc=desc, feature_level=level)
