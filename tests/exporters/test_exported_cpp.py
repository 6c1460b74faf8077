"""The C++ targets: what they write is compiled, run against a device that records, and compared field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compiled_cpp import UNPLAIN, expected, is_readable, level_number, needs_gxx, run
from support.effort import part
from support.random_sessions import STRANGE, session_of, sessions_of_all_kinds

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session

pytestmark = pytest.mark.integration

F32 = dml.DataType.FLOAT32


def text_of(session: Session, target: str = "cpp") -> str:
    return str(export(session, target).content)


def holds(sessions: list[Session], folder: Path, *stds: str) -> list[tuple[str, Experiment]]:
    """Every field that a device is handed is the desc's; the lines that dml_dump.h prints of each experiment."""
    readable = [each for each in sessions if all(is_readable(one.desc) for one in each.experiments)]
    found = run([(text_of(each), each) for each in readable], folder, stds=stds or ("c++14", "c++17"))
    wanted = [one for each in readable for one in each.experiments]
    for record, one in zip(found, wanted, strict=True):
        assert (record["level"], record["structs"], record["hr"]) == (level_number(one), [expected(one.desc)], 0)
    return [(record["lines"][0], one) for record, one in zip(found, wanted, strict=True)]


@needs_gxx
@pytest.mark.parametrize("stds", [["c++17"], pytest.param(["c++14", "c++17"], marks=pytest.mark.slow)])
def test_every_example_fills_the_structs_that_its_desc_says_and_what_is_printed_is_read_as_that_desc(
    tmp_path: Path, stds: list[str]
) -> None:
    sessions = [each.session() for each in all_examples() if each.name not in UNPLAIN]
    for line, one in holds([*sessions, session_of(*STRANGE, level="1_0")], tmp_path, *stds):
        if one.check().ok:
            (read,) = importing.read(line.encode(), "a log").experiments
            assert expected(read.desc) == expected(one.desc), line


@needs_gxx
@pytest.mark.slow
def test_random_sessions_fill_the_structs(tmp_path: Path) -> None:
    holds(list(sessions_of_all_kinds(part(300))), tmp_path)


@needs_gxx
def test_a_wrong_total_does_not_compile(tmp_path: Path) -> None:
    session = session_of(dml.Tile(dml.TensorDesc(F32, (2, 3)), (1, 2)))
    text = text_of(session)
    assert text.count("TotalTensorSizeInBytes = 24;") == 1
    wrong = text.replace("Sizes[] = {2, 3}", "Sizes[] = {2, 4}")
    with pytest.raises(AssertionError, match="static assertion failed: TotalTensorSizeInBytes"):
        run([(wrong, session)], tmp_path)


def test_every_failed_rule_stands_above_its_function() -> None:
    for each in (each for example in all_examples() for each in example.session().experiments):
        text, report = text_of(Session((each,))), each.check()
        own = text[text.rindex('// Experiment "') :]  # what it reads stands before it
        said = " ".join(line.removeprefix("//").strip() for line in own[: own.index("\nHRESULT ")].splitlines())
        for check in (cause.told for cause in report.causes):
            assert f"{check.id} ({check.field}): {check.message}" in said
        assert ("E_INVALIDARG" in said) is (report.is_refused)
        assert f"DML_FEATURE_LEVEL_{each.feature_level}" in said


def test_comments_say_what_is_no_number_of_its_member() -> None:
    desc = dml.Tile(dml.TensorDesc(F32, (2, -3, 0)), (1, 0), repeats_count=7)
    text = text_of(Session((Experiment("x", desc),)))
    for said in (
        "-3 is no UINT: it becomes 4294967293 here.",
        "0 is no legal size, and there are no",
        "Repeats has 2.",
    ):
        assert f"    // {said}" in text


def test_directmlx_slices_what_strides_reach_and_no_more() -> None:
    for stride, offset in ((2, 1), (-2, 5)):
        desc = dml.Slice1(dml.TensorDesc(F32, (9,)), [1], [7], [stride], output_tensor=dml.TensorDesc(F32, (2,)))
        text = text_of(Session((Experiment("x", desc),)), "directmlx")
        assert f"Offsets[] = {{{offset}}};\n    const uint32_t inputWindowSizes[] = {{3}};" in text


@pytest.mark.parametrize("target", ["cpp", "directmlx"])
def test_comments_say_what_fills_the_inputs(target: str) -> None:
    desc = dml.Gather(dml.TensorDesc(F32, (5, 2)), dml.TensorDesc("UINT32", (1, 3)), axis=0, index_dimensions=1)
    for path, given, said in (
        ("InputTensor", None, "1, 2, 3, ..."),
        ("IndicesTensor", None, "0, 1, 2, ... modulo 5."),
        ("IndicesTensor", np.array([4, 0, 2]), "{4, 0, 2}."),
        ("InputTensor", np.zeros((5, 2)), "10 listed values."),
        ("InputTensor", {"fill": "random", "seed": 7}, "random values of seed 7."),
        ("InputTensor", {"fill": "iota", "start": 2, "step": 0.5}, "2 and on in steps of 0.5."),
        ("InputTensor", {"fill": "constant", "value": "nan"}, '"nan" everywhere.'),
    ):
        values: Any = {} if given is None else {path: given}
        assert f"    // {path} holds {said}\n" in text_of(Session((Experiment("x", desc, values=values),)), target)
