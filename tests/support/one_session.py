"""A session of one experiment, of some that are alike, or of a chain."""

from __future__ import annotations

from dataclasses import replace
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


def rotate_half(cut: int = 4) -> Session:
    """`halves` ▸ `swapped` ▸ `twice`: the first half is `cut` long, of which the JOIN, which swaps them, knows 4."""
    session = examples.example("chain-rotate-half").session()
    halves, *others = session.experiments
    parts = [dml.TensorDesc("FLOAT32", (1, size)) for size in (cut, 4)]
    return replace(session, experiments=(replace(halves, desc=halves.desc.replace({"OutputTensors": parts})), *others))
