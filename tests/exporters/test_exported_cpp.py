"""The C++ targets: what they write is compiled, run against a device that records, and compared field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compiled_cpp import UNPLAIN, Program, expected, level_number, needs_gxx, run
from support.cpp_tokens import tokens
from support.effort import part
from support.hostile_cpp import HOSTILE, STRANGE, session_of
from support.idioms import has_idiom
from support.random_sessions import sessions_of_all_kinds

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session

pytestmark = pytest.mark.integration

F32 = dml.DataType.FLOAT32


def text_of(session: Session, target: str = "cpp") -> str:
    made = export(session, target)
    assert isinstance(made.content, str)
    assert not made.files
    return made.content


def compare(programs: list[Program], found: list[Any]) -> None:
    """Every field that a device was handed is the desc's."""
    wanted = [each for program in programs for each in program.session.experiments]
    assert len(found) == len(wanted)
    for record, each in zip(found, wanted, strict=True):
        assert record == {"level": level_number(each), "struct": expected(each.desc), "hr": 0}


def compare_expressions(programs: list[Program], found: list[Any]) -> None:
    wanted = [each for program in programs for each in program.session.experiments]
    assert len(found) == len(wanted)
    for record, each in zip(found, wanted, strict=True):
        assert len(record.pop("told")) == len(each.desc.outputs)
        assert record == {
            "level": 0,
            "struct": expected(each.desc),
            "inputs": list(range(len(each.desc.inputs))),
            "outputs": list(range(len(each.desc.outputs))),
        }


def is_said(each: Experiment, target: str) -> bool:
    """True if the target writes the experiment: C++ has the struct of any desc."""
    return target == "cpp" or (each.check().ok is not False and has_idiom(each.desc, target))


# ---- compiled and run -------------------------------------------------------------------------------------------


@needs_gxx
def test_every_example_fills_the_structs_that_its_desc_says(tmp_path: Path) -> None:
    told = [each for each in all_examples() if each.name not in UNPLAIN]
    programs = [Program(text_of(each.session()), each.session()) for each in told]
    programs.append(Program(text_of(session_of(*STRANGE, level="1_0")), session_of(*STRANGE, level="1_0")))
    compare(programs, run(programs, tmp_path))


@pytest.mark.drawn(1)
@needs_gxx
@pytest.mark.parametrize("std", ["c++17", "c++20"])
def test_every_valid_example_is_a_directmlx_expression(tmp_path: Path, std: str) -> None:
    programs = []
    for each in all_examples():
        every = each.session().experiments
        if any(e.is_wired for e in every):  # a chain has one function for all: see test_exported_chains.py
            continue
        if good := [e for e in every if is_said(e, "directmlx")]:
            session = Session(tuple(good))
            programs.append(Program(text_of(session, "directmlx"), session))
    compare_expressions(programs, run(programs, tmp_path, on="DirectMLX", std=std))


@needs_gxx
@pytest.mark.slow
def test_random_sessions_fill_the_structs(tmp_path: Path) -> None:
    programs = [Program(text_of(each), each) for each in sessions_of_all_kinds(part(300))]
    compare(programs, run(programs, tmp_path))


@needs_gxx
def test_a_wrong_total_does_not_compile(tmp_path: Path) -> None:
    session = session_of(dml.Tile(dml.TensorDesc(F32, (2, 3)), (1, 2)))
    text = text_of(session)
    assert text.count("TotalTensorSizeInBytes = 24;") == 1
    for wrong in (text.replace("Sizes[] = {2, 3}", "Sizes[] = {2, 4}"), text.replace("== 24,", "== 28,")):
        assert wrong != text
        with pytest.raises(AssertionError, match="static assertion failed: TotalTensorSizeInBytes"):
            run([Program(wrong, session)], tmp_path)


# ---- what is written --------------------------------------------------------------------------------------------


def test_every_failed_rule_stands_above_its_function() -> None:
    for example in all_examples():
        for each in example.session().experiments:
            text = text_of(Session((each,)))
            own = text[text.rindex('// Experiment "') :]  # what it reads stands before it
            above = own[: own.index("\nHRESULT ")]
            assert all(line.startswith("// ") for line in above.splitlines())
            said = " ".join(line.removeprefix("//").strip() for line in above.splitlines())
            report = each.check()
            for check in (cause.told for cause in report.causes):
                assert f"{check.id} ({check.field}): " in said
                assert check.message in said
            assert ("E_INVALIDARG" in said) is (report.is_refused)
            assert f"DML_FEATURE_LEVEL_{each.feature_level}" in said


@pytest.mark.parametrize("target", ["cpp", "directmlx"])
def test_comments_say_what_fills_the_inputs(target: str) -> None:
    desc = dml.Gather(dml.TensorDesc(F32, (5, 2)), dml.TensorDesc("UINT32", (1, 3)), axis=0, index_dimensions=1)
    for values, said in (
        ({}, ["InputTensor holds 1, 2, 3, ...", "IndicesTensor holds 0, 1, 2, ... modulo 5."]),
        ({"IndicesTensor": np.array([4, 0, 2])}, ["IndicesTensor holds {4, 0, 2}."]),
        ({"InputTensor": np.zeros((5, 2))}, ["InputTensor holds 10 listed values."]),
        ({"InputTensor": {"fill": "random", "seed": 7}}, ["InputTensor holds random values of seed 7."]),
        ({"InputTensor": {"fill": "iota", "start": 2, "step": 0.5}}, ["holds 2 and on in steps of 0.5."]),
        ({"InputTensor": {"fill": "constant", "value": "nan"}}, ['InputTensor holds "nan" everywhere.']),
    ):
        text = text_of(Session((Experiment("x", desc, values=values),)), target)  # type: ignore[arg-type]
        for line in said:
            assert f"{line}\n" in text


# ---- hostile text -----------------------------------------------------------------------------------------------


def skeleton(text: str) -> list[str]:
    """A file's tokens without comments."""
    return list(tokens(text))


def renamed(session: Session, text: str) -> Session:
    each = session.experiments[0]
    return Session((Experiment(text, each.desc, each.feature_level, each.values, text),), text)


@pytest.mark.parametrize("target", ["cpp", "directmlx"])
def test_hostile_names_are_only_comments(target: str) -> None:
    plain = renamed(session_of(dml.Tile(dml.TensorDesc(F32, (2, 3)), (1, 2))), "plain")
    wanted = skeleton(text_of(plain, target))
    for name in HOSTILE:
        text = text_of(renamed(plain, name), target)
        assert skeleton(text) == wanted
        assert all(c.isprintable() or c == "\n" for c in text)
        assert "??" not in text
        assert len(text) < 8_000
        for line in text.splitlines():
            assert not line.endswith("\\")
            assert line[-1:].isascii()
