"""A desc is frozen: what is computed from it once stays, and copies of it are descs of their own."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
from hypothesis import given
from support.effort import tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.running import engine

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def copies(desc: Desc) -> list[Desc]:
    pickled = [pickle.loads(pickle.dumps(desc, protocol)) for protocol in PROTOCOLS]
    return [*pickled, copy.copy(desc), copy.deepcopy(desc)]


def assert_same(one: Desc, other: Desc) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert one.inferred == other.inferred
    assert one.parts == other.parts
    assert one.given() == other.given()


def gather(columns: int = 2) -> dml.Gather:
    return dml.Gather(dml.TensorDesc("FLOAT32", (3, columns)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)


@tried(100)
@given(case=cases())
def test_any_valid_desc_is_pickled_and_copied_after_it_ran(case: Case) -> None:
    before = engine.run(case.desc, case.arrays)
    for made in copies(case.desc):
        assert_same(made, case.desc)
    for one, other in zip(engine.run(copies(case.desc)[-1], case.arrays), before, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_copy_of_what_was_given_as_it_would_be_inferred_keeps_it(toy: Any) -> None:
    full = gather().replace({"OutputTensor": dml.TensorDesc("FLOAT32", (4, 2))})
    assert full == gather()
    assert (full.inferred, gather().inferred) == (frozenset(), frozenset({"OutputTensor"}))
    for desc in (full, full.replace({"Axis": 7, "OutputTensor": None}), toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)):
        for made in copies(desc):
            assert_same(made, desc)


def test_what_was_computed_is_no_part_of_a_desc() -> None:
    plain, used = gather(), gather()
    engine.run(used, [np.zeros((3, 2), np.float32), np.zeros((1, 4), np.uint32)])
    assert used.parts is used.parts
    assert [part.path for part in used.parts] == ["InputTensor", "IndicesTensor", "OutputTensor"]
    assert (*used.inputs, *used.outputs) == used.parts
    assert [(part.is_data, part.is_moved) for part in used.parts] == [(True, True), (False, False), (False, True)]
    assert "parts" in vars(used)
    assert "parts" not in vars(plain)
    assert_same(plain, used)
    assert dataclasses.asdict(plain) == dataclasses.asdict(used)
    assert vars(copy.copy(used)).keys() == vars(gather()).keys()
    wider = used.replace({"InputTensor": dml.TensorDesc("FLOAT32", (3, 5))})
    assert_same(wider, gather(5))
    assert_same(dataclasses.replace(used, axis=0), dataclasses.replace(plain, axis=0))
