"""What holds in every target: no text of a session is acted upon; short lines for a slide; and names of files."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt
from support import little_torch, scripts
from support.commands import call
from support.compiled_cpp import tokens
from support.strategies import has_idiom

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.exporting import export, snippet, target_of, targets
from dmlviz.exporters.lib.writing import Export
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Session

pytestmark = pytest.mark.integration

SNIPPETS = ("numpy", "dmlviz", "torch")
HOSTILE = (*scripts.HOSTILE, "`" * 1000, "`~~~~")


def skeleton(made: Export, target: str) -> Any:
    """What is written without what the session's texts may be in; these have no place elsewhere."""
    text = "" if target == "onnx" else str(made.content)
    assert all(line.isprintable() for line in text.split("\n"))
    if target == "onnx":
        model = pytest.importorskip("onnx").load_model_from_string(made.data)
        for each in (model, *model.graph.node):
            assert each.doc_string.isprintable()
            assert len(each.doc_string) <= 200
            each.ClearField("doc_string")
        return model
    if target == "dxdispatch":
        return {key: each for key, each in json.loads(text).items() if key != "$dmlviz"}
    if target == "markdown":
        found = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        return [(token.type, "" if token.type == "fence" else token.content) for token in found]
    assert len(text) < 40_000
    if target_of(target).SUFFIX == ".py":
        return scripts.structure(text)
    assert "??" not in text
    assert all(line[-1:].isascii() and not line.endswith("\\") for line in text.splitlines())
    return list(tokens(text))


@pytest.mark.parametrize("target", targets())
def test_texts_of_a_session_are_data(target: str) -> None:
    session = example("warning-index-range").session()
    wanted = skeleton(export(scripts.renamed(session, "plain"), target), target)
    for text in HOSTILE:
        assert skeleton(export(scripts.renamed(session, text), target), target) == wanted, text[:40]


@pytest.mark.parametrize("target", SNIPPETS)
def test_every_example_gives_its_output(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if target == "torch" and importlib.util.find_spec("torch") is None:
        monkeypatch.setitem(sys.modules, "torch", little_torch.module())
    monkeypatch.chdir(tmp_path)
    every = [(each.session(), one) for each in all_examples() for one in each.session().experiments]
    for session, one in every:
        if one.check().ok is False or not has_idiom(one.desc, target):
            continue
        made, scope = snippet(Session((one,), folder=session.folder), target), dict[str, Any]()
        for file, array in made.files.items():
            np.save(tmp_path / file, array)
        exec(str(made.content), scope)
        many = one.desc.outputs[0].field.many
        called = "output_tensors" if many else "output_tensor"
        if one.is_wired:
            called = groups(Session((one,)))[0].names[id(one)]
        outputs, trace = scope[called] if many else [scope[called]], one.trace()
        for k, output in enumerate(outputs):
            wanted, found = trace.reference(k), output.numpy() if target == "torch" else np.asarray(output)
            assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
        assert target == "torch" or str(outputs[0]) in capsys.readouterr().out


def test_a_snippet_is_of_one_experiment_that_can_be_run_or_a_sentence_says_why_not() -> None:
    for target in set(targets()) - set(SNIPPETS):
        with pytest.raises(DmlvizError, match=rf'"{target}", which has no snippet, expected one of numpy, dmlviz, '):
            snippet(example("gather-2").session(), target)
    with pytest.raises(DmlvizError, match=r'^experiment is missing, expected one of "TILE: copies", .*: a snippet is'):
        dml.export(example("padding-or-tile").session(), "numpy", snippet=True)
    with pytest.raises(dml.InvalidDescError, match=r"can't be exported to numpy"):
        snippet(example("gather-3-as-printed").session(), "numpy")


def test_the_command_prints_what_python_makes() -> None:
    done, session = call("export", "gather-2", "--to", "torch", "--snippet"), example("gather-2").session()
    assert (done.code, done.out) == (0, dml.export(session, "torch", snippet=True))
    assert len(done.out.splitlines()) < len(str(export(session, "torch").content).splitlines()) / 4
    assert "// It asks for DML_FEATURE_LEVEL_6_4, " in call("export", "gather-2", "--to", "cpp", "--level", "6_4").out
