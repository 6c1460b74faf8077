"""The `view` in session files: read without errors, kept as it was, written where it says something."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.crashes import crashed, only

import dmlviz as dml
from dmlviz.exporters.lib.exporting import targets
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.tokens import experiments_of, to_token
from dmlviz.session.views import View, ViewEntry, parse_view
from dmlviz.session.writing import dump

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["step", "unit", "cursor", "pins", "bookmarks", "turned", "recoloured", "output", "tensor", "index", "zoom"]
)
LIKE_ONE = st.recursive(
    st.integers(-2, 9) | st.booleans() | st.sampled_from(["run", "whole", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=15,
)
COUNTS = st.integers(0, 2**63 - 1)
VIEWS = st.builds(
    View,
    st.none() | COUNTS,
    st.sampled_from(["", "element", "run", "slice", "whole"]),
    st.booleans(),
)


def session(view: Any, **beside: Any) -> bytes:
    """A session file whose experiment has a view, among other keys that this version doesn't know."""
    found = json.loads(dump(examples.example("gather-2").session()))
    found["experiments"][0] |= {"later": {"a": [1]}, "view": view, **beside}
    return json.dumps({**found, "later": {"version": 9}}, ensure_ascii=False).encode()


def parsed(data: bytes) -> Session:
    made, errors = parse(data, "it", None)
    assert errors == []
    return made


@settings(deadline=None)
@given(JSON | LIKE_ONE)
def test_any_view_is_read_and_kept_byte_for_byte(view: Any) -> None:
    first = parsed(session(view, zzz=1))
    text = dump(first)
    kept = json.loads(text)["experiments"][0]
    assert json.dumps(kept["view"]) == json.dumps(view)
    assert list(kept)[-3:] == ["view", "later", "zzz"]
    again = parsed(text.encode())
    assert again == first
    assert dump(again) == text
    Document(first).viewed()
    for sentence in first.experiments[0].view.notes:
        assert sentence.startswith("view")
        assert "expected" in sentence
        assert "\n" not in sentence


@given(LIKE_ONE, VIEWS)
def test_a_view_comes_back_and_what_is_unknown_stays_beside_it(found: Any, view: View) -> None:
    entry = ViewEntry((found,)).holding(view)
    made = json.loads(json.dumps(entry.written[0])) if entry.written else {}
    assert parse_view(made) == (view, "")
    for key, value in found.items() if isinstance(found, dict) else ():
        assert key in ("step", "unit", "turned") or made[key] == value


@pytest.mark.parametrize("view", [5, {"step": -1}, {"step": True}, {"unit": "rows"}, {"turned": 1}])
def test_what_is_of_the_wrong_shape_is_told_in_a_sentence(view: Any) -> None:
    read, sentence = parse_view(view)
    assert read == View()
    assert sentence.startswith("view is ")
    assert sentence.endswith(".")


def test_tokens_and_exports_leave_it_out() -> None:
    looked, plain = (
        parsed(session({"step": 3, "bookmarks": [987654321]})),
        parsed(session({"step": 3})),
    )
    bare = replace(plain, experiments=(replace(plain.experiments[0], view=ViewEntry()),))
    assert to_token(looked.experiments[0]) == to_token(bare.experiments[0])
    assert experiments_of(to_token(looked.experiments[0]))[-1].view.written == ()
    for name in targets():
        try:
            expected = dml.export(bare, name)
        except dml.DmlvizError:
            continue
        assert dml.export(looked, name) == expected, name


def test_live_views_are_in_the_file_and_in_what_a_crash_leaves_but_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(session({"step": 3, "bookmarks": [1]}))
    document = Document(dml.load(path), path)
    document.views[document.experiment.view] = View(step=2)
    assert not document.dirty
    assert not document.history.can_undo
    crashed(tmp_path / "kept", replace(document.viewed(), title="edited"), path)
    kept = only(tmp_path / "kept").document
    assert kept.experiment.view.view == View(step=2)
    document.save(path)
    assert json.loads(path.read_text())["experiments"][0]["view"] == {"step": 2, "bookmarks": [1]}
    assert not document.dirty


def test_every_experiment_has_a_view_of_its_own() -> None:
    one = examples.example("gather-2").session().experiments[0]
    document = Document(Session((one, one)))
    document.views[document.experiment.view] = View(step=1)
    document.duplicate()
    document.views[document.experiment.view] = View(step=2)
    document.add_all([one, one])
    document.rename("another")
    document.views[document.experiment.view] = View(step=3)
    assert [each.view.view.step for each in document.viewed().experiments] == [1, 2, 3, None, None]
    document.undo()
    document.undo()
    assert [each.view.view.step for each in document.viewed().experiments] == [1, 2, None]
