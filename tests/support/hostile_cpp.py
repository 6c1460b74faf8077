"""Descs whose numbers are hard to write as C++."""

from __future__ import annotations

from typing import Any

import dmlviz as dml
from dmlviz.session.experiments import Experiment, Session

F32 = dml.DataType.FLOAT32


def session_of(*descs: Any, level: str = "6_4") -> Session:
    return Session(tuple(Experiment(f"e{i}", desc, dml.FeatureLevel.of(level)) for i, desc in enumerate(descs)))


STRANGE = (
    dml.Tile(dml.TensorDesc(F32, (2, 2**32, 3)), (1, 2**31, 2**32 - 1)),
    dml.Tile(dml.TensorDesc(F32, (-1, -(2**31), -(2**32))), (-(2**63), 2**63, 2**64 - 1)),
    dml.Tile(dml.TensorDesc(F32, ()), ()),
    dml.Tile(dml.TensorDesc("UINT8", (2**32 - 1,) * 8), (2**31 - 1, 2**31) * 20),
    dml.Join((), axis=-5),
    dml.Join((dml.TensorDesc(F32, (0, 2)),) * 3, axis=2**63),
    dml.Split(dml.TensorDesc("FLOAT16", (1, 1, 3)), (), axis=1),
    dml.Gather(dml.TensorDesc(F32, (3, 2)), dml.TensorDesc("INT64", (7,)), axis=-1, index_dimensions=99),
)
