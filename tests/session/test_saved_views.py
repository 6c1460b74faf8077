"""The `view` in session files: read without errors, kept as it was, written where it says something."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from support.crashes import crashed, only

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.tokens import to_token
from dmlviz.session.views import View, ViewEntry
from dmlviz.session.writing import dump

ANY = st.recursive(
    st.none() | st.integers(-2, 2**64) | st.booleans() | st.sampled_from(["run", "whole", "x", "\u2028"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["step", "unit", "pins", "x"]), inner),
    max_leaves=15,
)
UNITS = st.sampled_from(["", "element", "run", "slice", "whole"])
VIEWS = st.builds(View, st.none() | st.integers(0, 2**63 - 1), UNITS, st.booleans())
GATHER = examples.example("gather-2").session()


def session(view: Any) -> Session:
    """What is read of a session whose experiment has a view, among other keys that this version doesn't know."""
    found = json.loads(dump(GATHER))
    found["experiments"][0] |= {"later": {"a": [1]}, "view": view}
    made, errors = parse(json.dumps(found).encode(), "it", None)
    assert errors == []
    return made


@settings(deadline=None)
@given(ANY, VIEWS)
def test_any_view_is_kept_as_it_was_and_one_that_is_made_stands_beside_what_is_unknown(found: Any, view: View) -> None:
    first = session(found)
    kept = json.loads(dump(first))["experiments"][0]
    assert json.dumps(kept["view"]) == json.dumps(found)
    assert list(kept)[-2:] == ["view", "later"]
    assert isinstance(first.experiments[0].view.view, View)
    made = ViewEntry(found).holding(view).written
    made = {} if made is UNSET else json.loads(json.dumps(made))
    assert ViewEntry(made).view == view
    for key, value in found.items() if isinstance(found, dict) else ():
        assert key in ("step", "unit", "turned") or made[key] == value


def test_live_views_are_in_the_file_and_in_what_a_crash_leaves_but_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(dump(session({"step": 3, "bookmarks": [1]})))
    document = Document(dml.load(path), path)
    document.views[document.experiment.view] = View(step=2)
    assert not document.dirty
    assert not document.past
    crashed(tmp_path / "kept", replace(document.viewed(), title="edited"), path)
    assert only(tmp_path / "kept").document.experiment.view.view == View(step=2)
    document.save(path)
    assert json.loads(path.read_text())["experiments"][0]["view"] == {"step": 2, "bookmarks": [1]}
    assert not document.dirty
    bare = replace(GATHER.experiments[0], extra=document.experiment.extra)
    assert to_token(document.viewed().experiments[0]) == to_token(bare), "it goes into no token"


def test_every_experiment_has_a_view_of_its_own() -> None:
    one = GATHER.experiments[0]
    document = Document(Session((one, one)))
    document.views[document.experiment.view] = View(step=1)
    document.duplicate()
    document.views[document.experiment.view] = View(step=2)
    document.add(one, one)
    document.rename("another")
    document.views[document.experiment.view] = View(step=3)
    assert [each.view.view.step for each in document.viewed().experiments] == [1, 2, 3, None, None]
    document.undo()
    document.undo()
    assert [each.view.view.step for each in document.viewed().experiments] == [1, 2, None]
