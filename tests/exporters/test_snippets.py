"""The lines that a slide wants: they run by themselves, give what the operator gives, and are few."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import little_torch
from support.commands import call
from support.idioms import has_idiom

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.exporting import export, snippet, target_of, targets
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Experiment, Session

pytestmark = pytest.mark.integration

SNIPPETS = ("numpy", "dmlviz", "torch")


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
        monkeypatch.setitem(sys.modules, "torch", little_torch.module())
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
            wanted = trace.reference(k)
            found = output.numpy() if target == "torch" else np.asarray(output)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
            assert found.tobytes() == wanted.tobytes(), name
        assert len(outputs) == len(experiment.desc.outputs)
        assert target == "torch" or str(outputs[0]) in capsys.readouterr().out, name
        lines = text.splitlines()
        assert lines[0] == "import numpy as np"
        assert not any(line.lstrip().startswith("#") for line in lines)


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


def test_the_command_prints_what_python_makes() -> None:
    done, session = call("export", "gather-2", "--to", "torch", "--snippet"), example("gather-2").session()
    assert (done.code, done.out) == (0, dml.export(session, "torch", snippet=True))
    assert len(done.out.splitlines()) < len(str(export(session, "torch").content).splitlines()) / 4
    done = call("export", "gather-2", "--to", "numpy", "--snippet", "--level", "5_0")
    assert (done.code, done.out) == (2, "")
    assert done.said == ["--level is given, expected none with --snippet, which asks for no level."]
