"""A session of one experiment, or of some that are alike."""

from __future__ import annotations

from typing import Any

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session


def one(desc: Any, **more: Any) -> Session:
    return Session((Experiment("one", desc, **more),))


def experiment_of(name: str = "gather-2", number: int = 0) -> Experiment:
    """One of an example's experiments."""
    return examples.example(name).session().experiments[number]


def many(*names: str) -> Session:
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    return Session(tuple(Experiment(name, desc) for name in names))
