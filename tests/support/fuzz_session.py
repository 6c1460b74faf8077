"""Fuzz inputs for session files: shipped examples with bytes and values that changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.reading import parse
from support.mutations import damaged, hostile


@cache
def _shipped() -> list[tuple[bytes, Any]]:
    files = [each.path.read_bytes() for each in examples.all_examples()]
    return [(data, json.loads(data)) for data in files]


def inputs(random: Random) -> bytes:
    """The bytes of one input; the same for the same state of `random`."""
    data, tree = random.choice(_shipped())
    how = random.random()
    if how < 0.3:
        return damaged(random, data)
    if how < 0.9:
        return hostile(random, tree).encode("utf-8", "surrogatepass")
    if how < 0.95:
        return damaged(random, hostile(random, tree).encode("utf-8", "surrogatepass"))
    return random.randbytes(random.randrange(100))


def read(data: bytes) -> Sequence[Experiment]:
    """What is fuzzed."""
    session, errors = parse(data, "it", None)
    if not session.experiments:
        raise errors[0]
    return session.experiments
