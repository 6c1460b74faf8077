"""Feature levels: every tensor of every operator, at every level, type and count, against the pages' tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from support.reports import f32, notes, tensor, u32

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.general_rules import evaluate
from dmlviz.operators.registry import operator_of

LEVELS = ["1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4"]
TYPES = ["FLOAT64", "FLOAT32", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"]

# Written down from the pages, column by column, so that a slip in the package's own tables can't hide here.
FLOATS = "FLOAT32 FLOAT16"
NO_BYTES = "FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16"
UP_TO_32_BITS = "FLOAT32 FLOAT16 INT32 INT16 INT8 UINT32 UINT16 UINT8"
EVERYTHING = "FLOAT64 FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8"
ALL_BUT_DOUBLE = "FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8"
INDEX = "INT64 INT32 UINT64 UINT32"

Table = dict[str, tuple[int, int, str]]


def table(**rows: tuple[int, int, str]) -> Table:
    """The rows from the newest on, each by the level it came with: `L4_1`."""
    return {level.removeprefix("L"): row for level, row in rows.items()}


JOIN = table(L4_1=(1, 8, EVERYTHING), L3_0=(4, 5, UP_TO_32_BITS), L2_1=(4, 4, UP_TO_32_BITS), L1_0=(4, 4, NO_BYTES))
SPLIT = table(L4_1=(1, 8, EVERYTHING), L3_0=(1, 8, UP_TO_32_BITS), L2_1=(4, 4, UP_TO_32_BITS), L1_0=(4, 4, NO_BYTES))
REVERSE = table(
    L5_0=(1, 8, EVERYTHING), L4_0=(1, 8, UP_TO_32_BITS), L3_0=(4, 5, UP_TO_32_BITS), L2_1=(4, 4, UP_TO_32_BITS)
)
LENGTHS = table(L5_0=(1, 8, "UINT64 UINT32"), L4_0=(1, 8, "UINT32"), L3_0=(4, 5, "UINT32"), L2_1=(4, 4, "UINT32"))
GATHER = table(L4_1=(1, 8, EVERYTHING), L3_0=(1, 8, UP_TO_32_BITS), L2_1=(4, 4, UP_TO_32_BITS), L1_0=(4, 4, FLOATS))
INDICES = table(L3_0=(1, 8, INDEX), L1_0=(4, 4, "UINT32"))
TILE = table(L4_1=(1, 8, ALL_BUT_DOUBLE), L3_1=(1, 8, UP_TO_32_BITS), L2_1=(4, 4, UP_TO_32_BITS), L1_0=(4, 4, FLOATS))
TABLES: dict[str, dict[str, Table]] = {
    "JOIN": {"InputTensors[0]": JOIN, "InputTensors[1]": JOIN, "OutputTensor": JOIN},
    "SPLIT": {"InputTensor": SPLIT, "OutputTensors[0]": SPLIT, "OutputTensors[1]": SPLIT},
    "REVERSE_SUBSEQUENCES": {"InputTensor": REVERSE, "SequenceLengthsTensor": LENGTHS, "OutputTensor": REVERSE},
    "GATHER": {"InputTensor": GATHER, "IndicesTensor": INDICES, "OutputTensor": GATHER},
    "TILE": {"InputTensor": TILE, "OutputTensor": TILE},
}
OPERATORS = list(TABLES)


def row_at(table: Table, level: str) -> tuple[int, int, str] | None:
    """The newest row that `level` reaches."""
    reached = [row for since, row in table.items() if LEVELS.index(since) <= LEVELS.index(level)]
    return reached[0] if reached else None


def make(operator: str, tensors: list[Any]) -> Any:
    """A desc of these tensors, in the order of TABLES."""
    one, two, *rest = tensors
    made: dict[str, Callable[[], Any]] = {
        "JOIN": lambda: dml.Join((one, two), 0, *rest),
        "SPLIT": lambda: dml.Split(one, (two, *rest), 0),
        "REVERSE_SUBSEQUENCES": lambda: dml.ReverseSubsequences(one, two, 0, *rest),
        "GATHER": lambda: dml.Gather(one, two, 0, 1, *rest),
        "TILE": lambda: dml.Tile(one, (1,) * one.dimension_count, two),
    }
    return made[operator]()


@pytest.mark.drawn(2)
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_tensor_at_every_level_with_every_type_and_dimension_count(operator: str) -> None:
    """Each tensor of a desc gets a type and a count of its own, so that none can lean on another."""
    tables = TABLES[operator]
    seen = set()
    for k, d in product(range(len(TYPES)), range(8)):
        own = [(TYPES[(k + 3 * i) % len(TYPES)], (d + i) % 8 + 1) for i in range(len(tables))]
        desc = make(operator, [dml.TensorDesc(kind, (1,) * count) for kind, count in own])
        for name in LEVELS:
            level = dml.FeatureLevel.of(name)
            found = {(c.id, c.field): c.ok for c in evaluate(operator_of(desc), desc, level).checks}
            exists = all(row_at(table, name) for table in tables.values())
            assert found["level.operator", "FeatureLevel"] is exists
            for (path, table), (kind, count) in zip(tables.items(), own, strict=True):
                row = row_at(table, name)
                dtype = "dtype.supported", f"{path}.DataType"
                dimensions = "dimension_count.supported", f"{path}.DimensionCount"
                if row is None:
                    assert dtype not in found
                    assert dimensions not in found
                    continue
                low, high, kinds = row
                assert found[dtype] is (kind in kinds.split()), (name, path, kind)
                assert found[dimensions] is (low <= count <= high), (name, path, count)
                seen.add((path, kind, count, name))
    levels = len(LEVELS) - (2 if operator == "REVERSE_SUBSEQUENCES" else 0)
    assert len(seen) == len(tables) * len(TYPES) * 8 * levels


def test_the_levels_and_types_are_all_there() -> None:
    assert [level.value for level in dml.FeatureLevel] == [level.value for level in sorted(FeatureLevel)] == LEVELS
    values = {
        "FLOAT32": 1, "FLOAT16": 2, "UINT32": 3, "UINT16": 4, "UINT8": 5, "INT32": 6, "INT16": 7, "INT8": 8,
        "FLOAT64": 9, "UINT64": 10, "INT64": 11,
    }  # fmt: skip
    assert {each.name: each.value for each in dml.DataType} == values
    assert sorted(values) == sorted(TYPES)


def test_notes_stand_exactly_where_public_sources_disagree() -> None:
    for level, count in product(FeatureLevel, range(1, 9)):
        report = dml.check(dml.Join((f32(*(1,) * count),), 0), feature_level=level)
        disagree = level.value in ("3_1", "4_0") and count not in (4, 5)
        assert notes(report) == ({"note.join_dimensions"} if disagree else set())
        assert not disagree or "dimension_count.supported" in {c.id for c in report.errors}  # the page decides
    for level, kind in product(FeatureLevel, ("FLOAT64", "INT64", "FLOAT32")):
        report = dml.check(dml.Tile(tensor(kind, 1, 1, 2, 2), (1, 1, 1, 2)), feature_level=level)
        noted = kind == "FLOAT64" and level >= FeatureLevel.L4_1
        assert notes(report) == ({"note.tile_float64"} if noted else set())
        assert kind != "FLOAT64" or "dtype.supported" in {c.id for c in report.errors}
        for desc in (
            dml.Split(tensor(kind, 2, 2), (tensor(kind, 2, 2),), 0),
            dml.ReverseSubsequences(tensor(kind, 2, 2), u32(2, 1), 1),
        ):
            assert not notes(dml.check(desc, feature_level=level))
    for level in FeatureLevel:
        report = dml.check(dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1), feature_level=level)
        assert report.ok
        assert notes(report) == ({"note.gather_shapes"} if level.value in ("1_0", "2_0") else set())
