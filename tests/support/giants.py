"""Descs of every operator whose tensors are as large as they can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dmlviz as dml

GIANTS: dict[str, Callable[[Any], Any]] = {
    "join": lambda t: dml.Join((t("INT8", (32767, 65535)), t("INT8", (32768, 65535))), 0),
    "split": lambda t: dml.Split(t("INT8", (65535, 65535)), (t("INT8", (65535, 1)), t("INT8", (65535, 65534))), 1),
    "tile": lambda t: dml.Tile(t("INT8", (255, 65535)), (257, 1)),
    "gather": lambda t: dml.Gather(t("INT8", (65535, 65535)), t("UINT32", (1, 65535)), 0, 1),
    "reverse": lambda t: dml.ReverseSubsequences(t("INT8", (65535, 65535)), t("UINT32", (65535, 1)), 1),
    "join of eight": lambda t: dml.Join((t("INT8", (16,) * 7 + (7,)), t("INT8", (16,) * 7 + (8,))), 7),
    "split of eight": lambda t: dml.Split(
        t("INT8", (15,) + (16,) * 7), (t("INT8", (7,) + (16,) * 7), t("INT8", (8,) + (16,) * 7)), 0
    ),
    "tile of eight": lambda t: dml.Tile(t("INT8", (8,) * 7 + (15,)), (2,) * 7 + (1,)),
    "gather of eight": lambda t: dml.Gather(t("INT8", (16,) * 7 + (15,)), t("UINT32", (1,) * 7 + (16,)), 2, 1),
    "reverse of eight": lambda t: dml.ReverseSubsequences(
        t("INT8", (16,) * 7 + (15,)), t("UINT32", (16,) * 3 + (1,) + (16,) * 3 + (15,)), 3
    ),
    "a line": lambda t: dml.ReverseSubsequences(t("INT8", (2**32 - 1,)), t("UINT64", (1,)), 0),
    "three": lambda t: dml.Tile(t("INT8", (255, 257, 65535)), (1, 1, 1)),
}
