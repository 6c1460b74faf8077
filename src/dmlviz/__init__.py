"""See where every element goes: DirectML's JOIN, SPLIT, REVERSE_SUBSEQUENCES, GATHER and TILE.

import dmlviz as dml
desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), axis=0, index_dimensions=1)
dml.check(desc).ok
dml.run(desc, [x, indices])
dml.trace(desc, [x, indices]).source(output=0, index=(2, 0))
"""

from typing import TYPE_CHECKING, Any

from .api import (
    check,
    export,
    gather,
    join,
    load,
    questions,
    record,
    reverse_subsequences,
    show,
    split,
    tile,
    trace,
)
from .desc.levels import FeatureLevel
from .desc.tensors import DataType, TensorDesc
from .errors import DmlvizError, InvalidDescError
from .operators.gather import Gather
from .operators.join import Join
from .operators.report import Check, Report
from .operators.reverse_subsequences import ReverseSubsequences
from .operators.split import Split
from .operators.tile import Tile
from .running.engine import bind, run
from .session.examples import examples
from .session.experiments import Experiment, Session
from .session.writing import save
from .version import __version__

if TYPE_CHECKING:
    from .teaching.diagnosis import Diagnosis

__all__ = [
    "Check",
    "DataType",
    "Diagnosis",
    "DmlvizError",
    "Experiment",
    "FeatureLevel",
    "Gather",
    "InvalidDescError",
    "Join",
    "Report",
    "ReverseSubsequences",
    "Session",
    "Split",
    "TensorDesc",
    "Tile",
    "__version__",
    "bind",
    "check",
    "examples",
    "export",
    "gather",
    "join",
    "load",
    "questions",
    "record",
    "reverse_subsequences",
    "run",
    "save",
    "show",
    "split",
    "tile",
    "trace",
]


def __getattr__(name: str) -> Any:
    """`Diagnosis` is imported when it is first asked for: most programs ask no questions."""
    if name == "Diagnosis":
        from .teaching.diagnosis import Diagnosis

        return Diagnosis
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
