"""The lines that a slide wants: they run by themselves, give what the operator gives, and are few."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import call
from support.compiled_cpp import UNPLAIN, Program, expected, needs_gxx, run
from support.idioms import has_idiom

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.exporting import export, snippet, target_of, targets
from dmlviz.importers.lib import importing
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Experiment, Session

pytestmark = pytest.mark.integration

SNIPPETS = ("numpy", "dmlviz", "torch", "cpp", "directmlx")
LONGER = {
    "numpy": {"inline-reverse": "its lengths fill eight lines"},
    "dmlviz": {
        "inline-gather-indices": "its indices fill three lines",
        "inline-reverse": "its lengths fill eight lines",
        "split-1": "a line for each of its parts",
    },
    "torch": {
        "inline-reverse": "its lengths fill eight lines",
        "padding-1": "PyTorch mirrors no more than there is, so that each axis takes lines of its own",
    },
    "cpp": dict.fromkeys(
        [
            *("join-2-axis-1", "join-2-axis-2", "join-2-axis-3", "split-1", "inline-split"),
            *("rule-sizes-sum", "rule-count-matches"),
        ],
        "four tensors, of which each takes a line",
    ),
    "directmlx": {},
}
"""Examples that need more than ten lines, and why."""


def told(target: str) -> Iterator[tuple[str, Experiment, str, dict[str, Any]]]:
    """Each experiment of an example that a target can say: the example's name, its snippet and files beside it."""
    for each in all_examples():
        session = each.session()
        for experiment in session.experiments:
            can_run = experiment.check().ok is not False or not target_of(target).RUNS
            if can_run and has_idiom(experiment.desc, target):
                made = snippet(Session((experiment,), folder=session.folder), target)
                assert isinstance(made.content, str)
                yield each.name, experiment, made.content, dict(made.files)


@pytest.mark.parametrize("target", ["numpy", "dmlviz", "torch"])
def test_every_example_gives_its_output(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if target == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch isn't installed")
    monkeypatch.chdir(tmp_path)
    for name, experiment, text, files in told(target):
        for file, array in files.items():
            np.save(tmp_path / file, array)
        scope: dict[str, Any] = {}
        exec(compile(text, name, "exec"), scope)
        many = experiment.desc.outputs[0].field.many
        called = "output_tensors" if many else "output_tensor"
        if experiment.is_wired:
            called = groups(Session((experiment,)))[0].names[id(experiment)]
        outputs = scope[called] if many else [scope[called]]
        trace = experiment.trace()
        for k, output in enumerate(outputs):
            wanted, found = trace.reference(k), np.asarray(output)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
            assert found.tobytes() == wanted.tobytes(), name
        assert len(outputs) == len(experiment.desc.outputs)
        assert str(outputs[0]) in capsys.readouterr().out, name


def test_every_example_in_cpp_says_its_desc() -> None:
    for name, experiment, text, _ in told("cpp"):
        imported = importing.read(text.encode(), "slide.cpp", None)
        assert [each.desc for each in imported.experiments] == [experiment.desc], name


@needs_gxx
@pytest.mark.parametrize("target", ["cpp", "directmlx"])
def test_every_example_compiles_and_asks_for_its_operator(target: str, tmp_path: Path) -> None:
    programs = []
    for name, experiment, text, _ in told(target):
        if name in UNPLAIN:
            continue
        *lines, last = text.splitlines()
        if target == "cpp":
            head, whole = "HRESULT slide_1(IDMLDevice* device, IDMLOperator** into)", [*lines, f"return {last}"]
            whole = ["IDMLOperator*& made = *into;", *whole]
        else:
            head = "Microsoft::WRL::ComPtr<IDMLCompiledOperator> slide_1(IDMLDevice* device)"
            whole = [*lines, last, "return compiled;"]
        programs.append(Program("\n".join([head, "{", *whole, "}\n"]), Session((experiment,))))
    on, std = ("DirectML", "c++14") if target == "cpp" else ("DirectMLX", "c++17")
    records = run(programs, tmp_path, on=on, std=std)
    assert len(records) == len(programs) > 40
    for record, program in zip(records, programs, strict=True):
        struct = record["stages"][-1] if "stages" in record else record["struct"]
        assert struct == expected(program.session.experiments[0].desc)


@pytest.mark.parametrize("target", SNIPPETS)
def test_ten_lines_are_enough_but_for_examples_that_say_why(target: str) -> None:
    every = [(name, text.splitlines(), one.is_wired) for name, one, text, _ in told(target)]
    lines = [(name, each) for name, each, is_chain in every if not is_chain]  # a chain has those of all its stages
    assert len(lines) > 40
    assert {name for name, each in lines if len(each) > 10} == {*LONGER[target]}
    assert sorted(len(each) for _, each in lines)[len(lines) // 2] <= 10
    wide = [line for name, each, _ in every for line in each]
    assert max(map(len, wide)) <= (122 if target == "directmlx" else 120)
    assert not any(line.lstrip().startswith(("#", "//")) for _, each in lines for line in each)


def test_a_target_has_a_snippet_or_says_in_a_sentence_who_has() -> None:
    able = f"expected one of {', '.join(SNIPPETS)}"
    assert sorted(SNIPPETS) == sorted(name for name in targets() if hasattr(target_of(name), "snippet"))
    for target in set(targets()) - set(SNIPPETS):
        with pytest.raises(DmlvizError, match=rf'^target is "{target}", which has no snippet, {able}\.$'):
            snippet(example("gather-2").session(), target)


def test_a_snippet_is_of_one_experiment_that_can_be_run() -> None:
    with pytest.raises(DmlvizError, match=r'^experiment is missing, expected one of "TILE: copies", .*: a snippet is'):
        dml.export(example("padding-or-tile").session(), "numpy", snippet=True)
    session = example("gather-3-as-printed").session()
    with pytest.raises(dml.InvalidDescError, match=r"can't be exported to numpy"):
        snippet(session, "numpy", experiment=session.experiments[0].name)


def test_values_of_a_file_are_read_from_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))
    experiment = dml.Experiment("one", desc, values={"InputTensor": {"npy": "x.npy"}})  # type: ignore[dict-item]
    dml.save(Session((experiment,), folder=tmp_path), "session.json")
    done = call("export", "session.json", "--to", "numpy", "--snippet", "-o", "slide.py")
    assert (done.code, done.said) == (0, ["wrote slide.py, and 1 .npy file beside it."])
    scope: dict[str, Any] = {}
    exec(Path("slide.py").read_text(), scope)
    assert scope["output_tensor"].tolist() == [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]]


def test_the_command_prints_what_python_makes() -> None:
    done, session = call("export", "gather-2", "--to", "torch", "--snippet"), example("gather-2").session()
    assert (done.code, done.out) == (0, dml.export(session, "torch", snippet=True))
    assert len(done.out.splitlines()) < len(str(export(session, "torch").content).splitlines()) / 4
    done = call("export", "gather-2", "--to", "cpp", "--snippet", "--level", "5_0")
    assert (done.code, done.out) == (2, "")
    assert done.said == ["--level is given, expected none with --snippet, which asks for no level."]
