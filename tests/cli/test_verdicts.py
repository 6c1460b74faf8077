"""A tick and exit code 0 are for what was held against the rules whole; everything else gets neither."""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.commands import call, document, experiment
from support.random_sessions import sessions_of_all_kinds, valid_sessions

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.operators.registry import operator_of
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse_desc
from dmlviz.session.report_json import report_json
from dmlviz.session.tokens import from_token, to_token
from dmlviz.session.writing import dump_desc

SEEDS = st.integers(0, 10**6)


def only(seed: int) -> Session:
    """A session of one valid experiment."""
    (session,) = valid_sessions(1, seed)
    return Session(session.experiments[:1])


def steps(session: Session) -> bool:
    """True if each tensor has an axis along which a stride is taken."""
    return all(max(part.tensor.sizes) > 1 for part in session.experiments[0].desc.parts)


# ---- C++ --------------------------------------------------------------------------------------------------------

Fault = Callable[[str, random.Random], str]


def once(pattern: str, change: Callable[[re.Match[str]], str]) -> Fault:
    """Changes one place of the text that fits."""

    def fault(text: str, made: random.Random) -> str:
        found = made.choice(list(re.finditer(pattern, text)))
        return text[: found.start()] + change(found) + text[found.end() :]

    return fault


CPP: dict[str, Fault] = {
    "more dimensions than sizes": once(r"DimensionCount = (\d+)", lambda m: f"DimensionCount = {int(m[1]) + 1}"),
    "a count from elsewhere": once(r"DimensionCount = \d+", lambda m: "DimensionCount = Rank(shape)"),
    "too few bytes": once(r"TotalTensorSizeInBytes = (\d+)", lambda m: f"TotalTensorSizeInBytes = {int(m[1]) - 1}"),
    "bytes that are never set": once(r"\w+\.TotalTensorSizeInBytes = \d+;", lambda m: ""),
    "bytes from elsewhere": once(r"(TotalTensorSizeInBytes = )\d+", lambda m: f"{m[1]}resource->GetDesc().Width"),
    "strides from elsewhere": once(r"Strides = nullptr", lambda m: "Strides = layout.strides"),
    "strides of zeros": once(
        r"(    DML_BUFFER_TENSOR_DESC \w+ = \{\};)([^}]*?)Strides = nullptr",
        lambda m: f"    const UINT zeros[] = {{0, 0, 0, 0, 0, 0, 0, 9}};\n{m[1]}{m[2]}Strides = zeros",
    ),
    "flags": once(r"DML_TENSOR_FLAG_NONE;", lambda m: "DML_TENSOR_FLAG_OWNED_BY_DML;"),
    "flags from elsewhere": once(r"DML_TENSOR_FLAG_NONE;", lambda m: "FlagsOf(weights);"),
    "alignment": once(
        r"(\w+)(\.TotalTensorSizeInBytes = )", lambda m: f"{m[1]}.GuaranteedBaseOffsetAlignment = 256; {m[0]}"
    ),
    "no buffer": once(r"\{DML_TENSOR_TYPE_BUFFER,", lambda m: "{DML_TENSOR_TYPE_INVALID,"),
    "another operator's type": once(r"operatorDesc = \{\w+,", lambda m: "operatorDesc = {DML_OPERATOR_RESAMPLE,"),
    "a struct that nobody clears": once(
        r"(DML_\w+_OPERATOR_DESC desc) = \{\};([^}]*?)    desc\.(?:Axis|RepeatsCount) = \d+;",
        lambda m: f"{m[1]};{m[2]}",
    ),
    "a desc that can't be read": once(r"\Z", lambda m: "DML_TILE_OPERATOR_DESC more = {&unseen, &unseen, 1, unseen};"),
    "a desc made in a loop": once(
        r"\Z",
        lambda m: (
            "DML_TENSOR_DESC all[2] = {}; for (int i = 0; i < 2; ++i) { all[i] = Make(i); }\n"
            "DML_JOIN_OPERATOR_DESC joined = {2, all, &all[0], 0};"
        ),
    ),
}


@given(SEEDS)
def test_exported_cpp_gets_its_tick(seed: int) -> None:
    found = call("check", "-", stdin=export(only(seed), "cpp").data)
    assert found.code == 0
    assert found.out.startswith("✔ ")


@pytest.mark.parametrize("fault", CPP)
def test_no_tick_for_cpp_with_a_fault_outside_the_fields(fault: str) -> None:
    @given(SEEDS)
    def run(seed: int) -> None:
        assume(fault != "strides of zeros" or steps(only(seed)))
        text = export(only(seed), "cpp").data.decode()
        broken = CPP[fault](text, random.Random(seed))
        found = call("check", "-", stdin=broken)
        assert found.code in (1, 2), (broken, found)
        if not fault.startswith("a desc "):  # those are other descs than the one that is fine
            assert "✔" not in found.out, (broken, found)
        else:
            assert any("not checked" in said for said in found.said)

    run()


# ---- DxDispatch -------------------------------------------------------------------------------------------------


def tensors(model: Any) -> list[Any]:
    (dispatchable,) = model["dispatchables"].values()
    held = [each for value in dispatchable["desc"].values() for each in (value if isinstance(value, list) else [value])]
    return [each for each in held if isinstance(each, dict)]


def told(name: str, value: Callable[[Any], Any]) -> Callable[[Any, random.Random], None]:
    def fault(model: Any, made: random.Random) -> None:
        tensor = made.choice(tensors(model))
        tensor[name] = value(tensor)

    return fault


def at_desc(change: Callable[[Any], Any]) -> Callable[[Any, random.Random], None]:
    def fault(model: Any, made: random.Random) -> None:
        (dispatchable,) = model["dispatchables"].values()
        change(dispatchable["desc"])

    return fault


def unbound(model: Any, made: random.Random) -> None:
    for command in model["commands"]:
        if command["type"] == "dispatch":
            name = next(name for name in command["bindings"] if name.startswith("Input"))
            command["bindings"][name] = ["nothing", "like", "it"] * 9


DXDISPATCH: dict[str, Callable[[Any, random.Random], None]] = {
    "more dimensions than sizes": told("DimensionCount", lambda t: len(t["Sizes"]) + 1),
    "too few bytes": told("TotalTensorSizeInBytes", lambda t: 1),
    "strides": told("Strides", lambda t: [7] * len(t["Sizes"])),
    "flags": told("Flags", lambda t: ["DML_TENSOR_FLAG_OWNED_BY_DML"]),
    "alignment": told("GuaranteedBaseOffsetAlignment", lambda t: 64),
    "a member that is none": told("Stride", lambda t: [1]),
    "a field that is none": at_desc(lambda desc: desc.update(Axes=[0])),
    "no output": at_desc(lambda desc: desc.pop("OutputTensor", None) or desc.pop("OutputCount")),
    "what is bound": unbound,
    "another one that can't be read": lambda model, _: model["dispatchables"].update(
        more={"type": "DML_OPERATOR_JOIN", "desc": {"Axis": 0}}
    ),
}


@given(SEEDS)
def test_an_exported_model_gets_its_tick(seed: int) -> None:
    found = call("check", "-", stdin=export(only(seed), "dxdispatch").data)
    assert found.code == 0, found
    assert found.out.startswith("✔ ")


@pytest.mark.parametrize("fault", DXDISPATCH)
def test_no_tick_for_a_model_with_a_fault_outside_the_fields(fault: str) -> None:
    @given(SEEDS)
    def run(seed: int) -> None:
        assume(fault != "strides" or steps(only(seed)))
        model = json.loads(export(only(seed), "dxdispatch").data)
        DXDISPATCH[fault](model, random.Random(seed))
        found = call("check", "-", stdin=json.dumps(model))
        assert found.code in (1, 2), (model, found)
        if not fault.startswith("another"):
            assert "✔" not in found.out, (model, found)

    run()


# ---- what `check` says ------------------------------------------------------------------------------------------

STRIDED = {"InputTensor": {"DataType": "UINT8", "Sizes": [2], "Strides": [0]}}


def test_what_is_not_checked_is_neither_valid_nor_invalid(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(document(experiment("strided", **STRIDED)))
    found = call("check", file)
    assert found.code == 2
    assert found.out.startswith("? strided · TILE at 5_0: 1 thing not checked, ")
    assert "    ? InputTensor.Strides {0} is not packed: not checked, and drawn and run as packed." in found.out
    (each,) = call("check", file, "--json").json
    assert (each["ok"], each["verdict"]) == (None, "not checked")
    assert [(n["field"], n["found"]) for n in each["not_checked"]] == [("InputTensor.Strides", [0])]
    broken = tmp_path / "broken.json"
    broken.write_text(document(experiment("broken", **STRIDED, Repeats=[0])))
    assert call("check", file, broken).code == 1
    report = dml.check(dml.load(file).experiments[0].desc)
    assert report.ok
    assert (report.verdict, [n.field for n in report.not_checked]) == ("not checked", ["InputTensor.Strides"])


def test_what_is_not_checked_goes_along_into_a_session(tmp_path: Path) -> None:
    text = export(only(3), "cpp").data.decode()
    file, session = tmp_path / "a.cpp", tmp_path / "a.json"
    file.write_text(CPP["bytes from elsewhere"](text, random.Random(1)))
    told = call("check", file, "--json").json[0]["not_checked"]
    assert "TotalTensorSizeInBytes is resource" in told[0]["message"]
    assert call("import", file, "-o", session).code == 0
    assert call("check", session).code == 2
    assert call("check", session, "--json").json[0]["not_checked"] == told
    (each,) = dml.load(session).experiments
    assert from_token(to_token(each)).not_checked == each.not_checked != ()


def test_other_operators_alone_are_no_trouble(tmp_path: Path) -> None:
    cpp, model = tmp_path / "a.cpp", tmp_path / "a.json"
    cpp.write_text("DML_ABS_OPERATOR_DESC d = {};")
    model.write_text('{"dispatchables": {"g": {"type": "DML_OPERATOR_GEMM", "desc": {}}}}')
    for file in (cpp, model):
        found = call("check", file)
        assert (found.code, found.out) == (0, "")
        assert "holds none of the operators that are known here" in found.said[0]
        whole = json.loads(call("check", file, "--json").out)
        assert (whole["experiments"], whole["files"][0]["error"]) == ([], None)
        assert whole["files"][0]["remarks"][0]["kind"] == "ignored"
    missing = tmp_path / "missing"
    whole = json.loads(call("check", missing, "--json").out)
    assert "no such file" in whole["files"][0]["error"]


def test_a_level_stands_in_where_a_session_has_none(tmp_path: Path) -> None:
    held = experiment("n")
    del held["feature_level"]
    file = tmp_path / "s.json"
    file.write_text(document(held))
    assert call("check", file).code == 2
    found = call("check", file, "--level", "4_1")
    assert found.code == 0
    assert "TILE at 4_1" in found.out


@pytest.mark.parametrize(
    ("redirected", "codes"),
    [(">&-", (0, 1)), ("2>&-", (0, 1)), ("<&-", (0, 1)), (">&- 2>&- <&-", (0, 1)), ("- <&-", (2, 2))],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_closed_streams_change_no_verdict(redirected: str, codes: tuple[int, int], tmp_path: Path) -> None:
    for code, held in zip(codes, (experiment("good"), experiment("invalid", Repeats=[0])), strict=True):
        file = tmp_path / "s.json"
        file.write_text(document(held))
        named = "" if redirected.startswith("-") else str(file)
        made = subprocess.run(
            ["sh", "-c", f'"{sys.executable}" -m dmlviz check {named} {redirected}'], capture_output=True, check=False
        )
        assert made.returncode == code, made
        assert b"Traceback" not in made.stderr


def test_a_fault_of_its_own_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Experiment, "check", fails)
    found = call("check", "-", stdin=document(experiment("good")))
    assert found.code == 70
    assert "ZeroDivisionError" in found.err
    assert "a fault of dmlviz's own" in found.err


def apply(document: Any, edits: list[Any]) -> Any:
    """A JSON Patch applied, as RFC 6902 tells it."""
    made = copy.deepcopy(document)
    for edit in edits:
        *way, last = [step.replace("~1", "/").replace("~0", "~") for step in edit["path"].split("/")[1:]]
        held = made
        for step in way:
            held = held[int(step)] if isinstance(held, list) else held[step]
        key: Any = int(last) if isinstance(held, list) else last
        if edit["op"] == "remove":
            del held[key]
        else:
            assert edit["op"] in ("add", "replace")
            assert (edit["op"] == "replace") == (isinstance(held, list) or key in held)
            held[key] = edit["value"]
    return made


def test_a_program_can_apply_the_fixes() -> None:
    applied = 0
    for session in sessions_of_all_kinds(40, seed=5, members=True):
        for each in session.experiments:
            report = each.check()
            made = json.loads(json.dumps(report_json(each, report)))
            for check, said in zip(report.checks, made["checks"], strict=True):
                for fix, edits in zip(check.fixes, (f["edits"] for f in said["fixes"]), strict=True):
                    fixed = apply({key: made[key] for key in ("feature_level", "type", "desc")}, edits)
                    assert fixed["feature_level"] == fix.feature_level.value
                    assert parse_desc(fixed["type"], fixed["desc"]) == parse_desc(each.desc.TYPE, dump_desc(fix.desc))
                    assert fixed["type"] == operator_of(fix.desc).desc.TYPE
                    applied += 1
    assert applied > 50


def test_expected_and_found_say_how_they_are_to_be_read() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT64", (2, 3)), (1, 1))
    kinds = {c.id: (c.expected_kind, c.found_kind) for c in dml.check(desc).checks}
    assert kinds["dtype.supported"] == ("set", "value")
    assert kinds["dimension_count.supported"] == ("range", "value")
    assert kinds["sizes.element_count"] == ("range", "value")
    assert kinds["sizes.repeat"] == ("value", "value")
    notes = {c.id: (c.expected_kind, c.found_kind) for c in dml.check(desc).failures}
    assert notes["note.tile_float64"] == ("set", "value")


def test_no_name_reaches_the_terminal_raw(tmp_path: Path) -> None:
    """U+009B begins an escape sequence, and U+202E turns what stands behind it."""
    name = "a\x9b31m\u202eb\U000e0001é"
    file = tmp_path / "s.json"
    file.write_text(document(experiment(name)))
    for first, *rest in (("check", "--json"), ("run", "--json"), ("import",)):
        found = call(first, file, *rest)
        assert all(c.isprintable() or c == "\n" for c in found.out + found.err), first
        assert json.loads(found.out)["experiments"][0]["name"] == name
    dml.save(dml.load(file), tmp_path / "t.json")
    assert dml.load(tmp_path / "t.json").experiments[0].name == name
