"""A tick and exit code 0 are for what was held against the rules whole; everything else gets neither."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.commands import call, document, experiment
from support.random_sessions import sessions_of_all_kinds, valid_sessions

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.desc.value_sources import dump_source, parse_source
from dmlviz.exporters.lib.exporting import export
from dmlviz.operators.registry import operator_of
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse_desc
from dmlviz.session.report_json import report_json
from dmlviz.session.tokens import experiments_of, to_token
from dmlviz.session.writing import dump, dump_desc

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
    "an output's strides of zeros": once(
        r"(    DML_BUFFER_TENSOR_DESC output\w+ = \{\};)([^}]*?)Strides = nullptr",
        lambda m: f"    const UINT zeros[] = {{0, 0, 0, 0, 0, 0, 0, 9}};\n{m[1]}{m[2]}Strides = zeros",
    ),
    "flags": once(r"DML_TENSOR_FLAG_NONE;", lambda m: "DML_TENSOR_FLAG_OWNED_BY_DML;"),
    "flags from elsewhere": once(r"DML_TENSOR_FLAG_NONE;", lambda m: "FlagsOf(weights);"),
    "alignment": once(
        r"(\w+)(\.TotalTensorSizeInBytes = )", lambda m: f"{m[1]}.GuaranteedBaseOffsetAlignment = 48; {m[0]}"
    ),
    "no buffer": once(r"\{DML_TENSOR_TYPE_BUFFER,", lambda m: "{DML_TENSOR_TYPE_INVALID,"),
    "another operator's type": once(r"operatorDesc = \{\w+,", lambda m: "operatorDesc = {DML_OPERATOR_RESAMPLE,"),
    "a struct that nobody clears": once(
        r"(DML_\w+_OPERATOR_DESC desc) = \{\};([^}]*?)    desc\.(?:Axis|RepeatsCount) = \d+;",
        lambda m: f"{m[1]};{m[2]}",
    ),
    "a desc that can't be read": once(r"\Z", lambda m: "DML_TILE_OPERATOR_DESC more = {&unseen, &unseen, 1, unseen};"),
    "a desc that DirectMLX makes": once(r"\Z", lambda m: "auto more = dml::Tile(unseen, {1, 2});"),
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


@pytest.mark.drawn(5)
@pytest.mark.parametrize("fault", CPP)
def test_no_tick_for_cpp_with_a_fault_outside_the_fields(fault: str) -> None:
    @given(SEEDS)
    def run(seed: int) -> None:
        assume(fault != "an output's strides of zeros" or steps(only(seed)))
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


def strided(desc: Any) -> None:
    output = desc.get("OutputTensor") or desc["OutputTensors"][0]
    output["Strides"] = [0] * len(output["Sizes"])


def unbound(model: Any, made: random.Random) -> None:
    for command in model["commands"]:
        if command["type"] == "dispatch":
            name = next(name for name in command["bindings"] if name.startswith("Input"))
            command["bindings"][name] = ["nothing", "like", "it"] * 9


DXDISPATCH: dict[str, Callable[[Any, random.Random], None]] = {
    "more dimensions than sizes": told("DimensionCount", lambda t: len(t["Sizes"]) + 1),
    "too few bytes": told("TotalTensorSizeInBytes", lambda t: 1),
    "an output's strides": at_desc(strided),
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
        assume(fault != "an output's strides" or steps(only(seed)))
        model = json.loads(export(only(seed), "dxdispatch").data)
        DXDISPATCH[fault](model, random.Random(seed))
        found = call("check", "-", stdin=json.dumps(model))
        assert found.code in (1, 2), (model, found)
        if not fault.startswith("another"):
            assert "✔" not in found.out, (model, found)

    run()


# ---- what `check` says ------------------------------------------------------------------------------------------

FLAGGED = {"InputTensor": {"DataType": "UINT8", "Sizes": [2], "Flags": ["DML_TENSOR_FLAG_OWNED_BY_DML"]}}


def test_what_is_not_checked_is_neither_valid_nor_invalid(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(document(experiment("flagged", **FLAGGED)))
    found = call("check", file)
    assert found.code == 2
    assert found.out.startswith("? flagged · TILE at 5_0: 1 thing not checked, ")
    assert "    ? InputTensor.Flags is DML_TENSOR_FLAG_OWNED_BY_DML and not checked: no rule about flags" in found.out
    (each,) = call("check", file, "--json").json
    assert (each["ok"], each["verdict"]) == (None, "not checked")
    assert [(n["field"], n["found"]) for n in each["not_checked"]] == [
        ("InputTensor.Flags", FLAGGED["InputTensor"]["Flags"])
    ]
    broken = tmp_path / "broken.json"
    broken.write_text(document(experiment("broken", **FLAGGED, Repeats=[0])))
    assert call("check", file, broken).code == 1
    assert [each["ok"] for each in call("run", file, "--json").json] == [None]
    report = dml.check(dml.load(file).experiments[0].desc)
    assert report.ok is None
    assert not report
    assert (report.verdict, [n.field for n in report.not_checked]) == ("not checked", ["InputTensor.Flags"])


def test_what_is_not_checked_goes_along_into_a_session(tmp_path: Path) -> None:
    text = export(only(3), "cpp").data.decode()
    file, session = tmp_path / "a.cpp", tmp_path / "a.json"
    file.write_text(CPP["bytes from elsewhere"](text, random.Random(1)))
    told = call("check", file, "--json").json[0]["not_checked"]
    assert "TotalTensorSizeInBytes is not read: line 60 calls GetDesc()" in told[0]["message"]
    assert call("import", file, "-o", session).code == 0
    assert call("check", session).code == 2
    assert call("check", session, "--json").json[0]["not_checked"] == told
    (each,) = dml.load(session).experiments
    assert experiments_of(to_token(each))[-1].not_checked == each.not_checked != ()


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"auto y = {call}(x, 0);", f"{call} of DirectMLX isn't read")
        for call in ("dml::Join", "dml::Split", "dml::Tile", "dml::Gather", "dml::ReverseSubsequences")
    ]
    + [
        (f"use(DML_{name}_OPERATOR_DESC{{&unseen}});", f"DML_{name}_OPERATOR_DESC is not read: Input")
        for name in ("JOIN", "SPLIT", "TILE", "GATHER", "REVERSE_SUBSEQUENCES")
    ],
)
def test_what_is_not_read_beside_other_operators_is_trouble(text: str, said: str) -> None:
    for whole in (
        f"DML_ABS_OPERATOR_DESC d = {{}};\n{text}\n",
        f"```cpp\nDML_ABS_OPERATOR_DESC d = {{}};\n{text}\n```\n",
    ):
        found = call("check", "-", stdin=whole)
        assert (found.code, found.out) == (2, "")
        assert said in found.said[0]
    assert call("check", "-", stdin="DML_ABS_OPERATOR_DESC d = {}; auto y = dml::Relu(x); // dml::Join(x)\n").code == 0
    beside = f"```cpp\nDML_ABS_OPERATOR_DESC d = {{}};\n```\nand\n```cpp\n{text}\n```\n"
    assert call("check", "-", stdin=beside).code == 2


GOOD = """\
UINT sizes[2] = {2, 2}, wide[2] = {2, 4}, repeats[2] = {1, 2};
DML_BUFFER_TENSOR_DESC x = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, sizes, nullptr, 16, 0};
DML_BUFFER_TENSOR_DESC y = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, wide, nullptr, 32, 0};
DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &x}, out = {DML_TENSOR_TYPE_BUFFER, &y};
DML_TILE_OPERATOR_DESC good = {&in, &out, 2, repeats};
"""
CALLS = {
    "by its whole name": "auto t = dml::Gather(a, b, 0, 1);",
    "from the top": "auto t = ::dml::Gather(a, b, 0, 1);",
    "with its namespace opened": "using namespace dml;\nauto t = Gather(a, b, 0, 1);",
    "inside its namespace": "namespace dml {\nExpression f(Expression a) { return Gather(a, b, 0, 1); }\n}",
    "named before": "using dml::Gather;\nauto t = Gather(a, b, 0, 1);",
    "by another name of its namespace": "namespace d = ::dml;\nauto t = d::Gather(a, b, 0, 1);",
    "by another name, opened": "namespace d = dml;\nusing namespace d;\nauto t = Gather(a, b, 0, 1);",
    "as a template": "auto t = dml::Gather<int>(a, b, 0, 1);",
    "in a macro": "#define MAKE(a) dml::Gather(a, b, 0, 1)\nauto t = MAKE(a);",
    "in a macro of several lines": "#define MAKE(a) \\\n  dml::Gather(a, b, 0, 1)\nauto t = MAKE(a);",
    "by its address": "auto make = &dml::Gather;\nauto t = make(a, b, 0, 1);",
    "in another call": "auto t = dml::Identity(dml::Gather(a, b, 0, 1));",
}
"""How C++ calls a function of DirectMLX's."""


@pytest.mark.parametrize("how", CALLS)
def test_a_call_of_directmlx_is_no_verdict_however_it_is_written(how: str, tmp_path: Path) -> None:
    for number, text in enumerate((CALLS[how], GOOD + CALLS[how], f"```cpp\n{CALLS[how]}\n```\n")):
        file = tmp_path / f"{number}{'.md' if '```' in text else '.cpp'}"
        file.write_text(text)
        found = call("check", file)
        assert found.code == 2
        assert "E_INVALIDARG" not in found.out + found.err
        assert any("Gather" in sentence and "DML_GATHER_OPERATOR_DESC" in sentence for sentence in found.said)
        assert ("TILE" in found.out and "valid" in found.out) == (number == 1), "what can be read is checked"
        remarks = json.loads(call("check", file, "--json").out)["files"][0]["remarks"]
        told = [each["where"] for each in remarks if "Gather(" in each["text"] or "::Gather of" in each["text"]]
        assert len(told) == len(set(told)), "a line is told of once"


@pytest.mark.parametrize(
    "text",
    [
        "// dml::Gather(a, b, 0, 1)",
        'const char* text = "dml::Gather(a)";',
        "auto t = other::Gather(a, b, 0, 1);",
        "using namespace dml;\nauto t = a.Gather(b) + other::Gather(a);",
        "using namespace dml;\nint Gather(int a);",
        "auto t = dml::Convolution(a, b);",
        "auto t = Gather(a, b, 0, 1);",
        "#define NAME other::Gather(a)",
        "Log(DML_JOIN_OPERATOR_DESC{}, DML_JOIN_OPERATOR_DESC());",
    ],
)
def test_what_only_looks_like_a_call_or_a_desc_changes_no_verdict(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.cpp"
    file.write_text(GOOD + text)
    assert call("check", file).code == 0


@pytest.mark.parametrize(
    "text",
    [
        "auto t = use(DML_JOIN_OPERATOR_DESC{1, &unseen});",
        "auto t = use(use(DML_JOIN_OPERATOR_DESC{1, &unseen, &out, 1}));",
    ],
)
def test_a_struct_that_is_made_amid_an_expression_is_no_verdict(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.cpp"
    file.write_text(GOOD + text)
    found = call("check", file)
    assert found.code == 2
    assert "E_INVALIDARG" not in found.out + found.err
    assert any("DML_JOIN_OPERATOR_DESC" in sentence for sentence in found.said)


def test_a_level_stands_in_where_a_session_has_none(tmp_path: Path) -> None:
    held = experiment("n")
    del held["feature_level"]
    file = tmp_path / "s.json"
    file.write_text(document(held))
    assert call("check", file).code == 2
    found = call("check", file, "--level", "4_1")
    assert found.code == 0
    assert "TILE at 4_1" in found.out


@pytest.mark.drawn(2)
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
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Experiment, "check", fails)
    found = call("check", "-", stdin=document(experiment("good")))
    assert found.code == 70
    assert "ZeroDivisionError" in found.err
    assert "a fault of dmlviz's own" in found.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("state", [".", "/dev/null"])
def test_a_fault_of_its_own_is_no_verdict_where_nothing_can_be_told(state: str, tmp_path: Path) -> None:
    """With a place for its details, and without."""
    program = "from dmlviz.cli import entry; entry.dispatch = lambda words: 1 / 0; entry.main([])"
    with open("/dev/full", "w") as full:
        environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / state)}
        made = subprocess.run([sys.executable, "-c", program], stderr=full, env=environment, check=False)
    assert made.returncode == 70


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
                    values = {path: dump_source(source) for path, source in each.values.items()}
                    found = {key: made[key] for key in ("feature_level", "type", "desc")}
                    fixed = apply({**found, "values": values}, edits)
                    assert fixed["feature_level"] == fix.feature_level.value
                    assert parse_desc(fixed["type"], fixed["desc"]) == parse_desc(each.desc.TYPE, dump_desc(fix.desc))
                    assert fixed["type"] == operator_of(fix.desc).desc.TYPE
                    applied += 1
    assert applied > 50


def joined(count: int) -> str:
    """A JOIN of so many FLOAT64 tensors at 4_0, which knows none, as a file's text."""
    join = dml.Join([dml.TensorDesc("FLOAT64", (1, 1, 2, 2))] * count, 3)
    return dump(Session((Experiment("many", join, FeatureLevel.of("4_0")),)))


def test_one_cause_is_one_diagnostic_with_its_fixes_once() -> None:
    text = call("check", "-", stdin=joined(64))
    assert text.code == 1
    assert "E_INVALIDARG, 1 rule broken, lowest level 4_1" in text.out
    assert text.out.count("✘ dtype.supported: DataType is FLOAT64 in 65 tensors, expected FLOAT32, ") == 1
    assert ": InputTensors[0] to [63] and OutputTensor.\n" in text.out
    assert text.out.count("FLOAT64 → FLOAT32 (loses values that FLOAT32 can't hold)") == 1
    assert len(text.out.splitlines()) < 12
    (whole,) = call("check", "-", "--json", stdin=joined(64)).json
    failing = [check for check in whole["checks"] if not check["ok"]]
    assert len(failing) == 65
    assert [bool(check["fixes"]) for check in failing] == [True] + [False] * 64
    sizes = [len(call("check", "-", "--json", stdin=joined(n)).out) for n in (16, 32, 64)]
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0]), "twice the tensors are twice the text"


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


@pytest.mark.parametrize(
    ("before", "values", "level"),
    [
        ("FLOAT64", [0.5, 1.5, 2.5], "4_0"),
        ("FLOAT64", {"fill": "constant", "value": 3}, "4_0"),
        ("FLOAT64", {"fill": "iota", "start": 0.5, "step": 1}, "6_4"),
        ("INT32", [7, 5, 3], "1_0"),
        ("INT32", [-1, 5, 7], "1_0"),
        ("INT16", [0x7D01, 0x7E01, -1], "1_0"),
        ("INT32", {"npy": "x.npy"}, "1_0"),
    ],
)
def test_a_fix_that_says_the_same_bits_keeps_them(before: str, values: Any, level: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[[[1, 2, 3]]]], np.int32))
    tile = dml.Tile(dml.TensorDesc(before, (1, 1, 1, 3)), (1, 1, 1, 2))
    each = dml.Experiment(
        "moved", tile, FeatureLevel.of(level), {"InputTensor": parse_source(values, "values")}, folder=tmp_path
    )
    bits = each.sources()[0].array().tobytes()
    fixes = [fix for check in each.check().checks for fix in check.fixes if fix.same_bits]
    assert fixes
    for fix in fixes:
        kept = each.mended(fix).sources_or_defaults()[0][0].array().tobytes() == bits
        assert fix.effect == ("the same bits" if kept else "loses the values of InputTensor")
    bare = dataclasses.replace(each, values={}).check()
    assert not any(fix.loses for check in bare.checks for fix in check.fixes if fix.same_bits), "nothing was given"
