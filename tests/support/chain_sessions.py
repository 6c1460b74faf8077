"""The example of a chain whose JOIN swaps the two halves of a row, with what is broken in it."""

from __future__ import annotations

from dataclasses import replace

import dmlviz as dml
from dmlviz.session.examples import example


def rotate_half(cut: int = 4) -> dml.Session:
    """`halves` ▸ `swapped` ▸ `twice`: the first half is `cut` long, of which the JOIN knows 4."""
    session = example("chain-rotate-half").session()
    halves, *others = session.experiments
    parts = [dml.TensorDesc("FLOAT32", (1, size)) for size in (cut, 4)]
    return replace(session, experiments=(replace(halves, desc=halves.desc.replace({"OutputTensors": parts})), *others))
