"""A sixth operator is one file of meaning, one kernel and its examples: all else follows from what it declares."""

from __future__ import annotations

import numpy as np
import pytest
from support.toy import Toy

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.registry import operator_of, operators
from dmlviz.running import engine
from dmlviz.session import examples
from dmlviz.session.reading import load, parse_desc
from dmlviz.session.writing import dump
from dmlviz.timing import sampling

DATA = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
TURNED = [[3, 2, 1], [6, 5, 4]]
PAGES = ["JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE"]


def names() -> list[str]:
    return [operator.name for operator in operators().values()]


OWN = names()
"""The package's own."""


def test_operators_with_pages_come_first_and_then_the_others_by_name(toy: Toy) -> None:
    assert OWN[:5] == PAGES
    paged = [operator.name for operator in operators().values() if operator.page_number != float("inf")]
    others = sorted(set(OWN) - set(paged) | {"FLIP"})
    assert names() == [*paged, *others]
    assert operator_of(toy.type) is toy.operator


def test_its_mistakes_are_found_and_mended(toy: Toy) -> None:
    broken = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), -1, dml.TensorDesc("FLOAT16", (2, 4)))
    report = dml.check(broken)
    assert {c.id for c in report.errors} == {"axis.range", "sizes.equal", "dtype.equal"}
    labels = {c.id: [fix.label for fix in c.fixes] for c in report.errors}
    assert labels["axis.range"][0] == "OutputTensor FLOAT16 {2, 4} → FLOAT32 {2, 3}, Axis -1 → 1"
    assert "OutputTensor FLOAT16 → FLOAT32" in labels["dtype.equal"]
    assert labels["sizes.equal"] == ["OutputTensor FLOAT16 {2, 4} → FLOAT32 {2, 3}"]


def test_its_kernel_runs(toy: Toy) -> None:
    desc = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)
    assert engine.run(desc, [DATA])[0].tolist() == TURNED
    assert sampling.measure(engine.bind(desc, [DATA]), budget=0.001).warm.n >= 1
    with pytest.raises(DmlvizError, match="Axis"):
        dml.run(toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 2), [DATA])


def test_its_example_stands_on_the_shelf_and_is_a_session(toy: Toy) -> None:
    assert toy.example.stem in {each.name for each in examples.all_examples()}
    (experiment,) = examples.example("flip").session().experiments
    assert experiment.check().ok
    assert experiment.trace().reference(0).tolist() == TURNED
    assert dump(load(toy.example)) == toy.example.read_text(encoding="utf-8")
    desc = parse_desc(toy.type, {"InputTensor": {"DataType": "INT8", "Sizes": [4]}, "Axis": 0})
    assert desc == toy.desc(dml.TensorDesc("INT8", (4,)), 0)


def test_nothing_of_it_is_left_behind() -> None:
    assert names() == OWN
    assert not any(each.name == "flip" for each in examples.all_examples())
    with pytest.raises(DmlvizError, match="operator type"):
        operator_of("DML_OPERATOR_FLIP")
