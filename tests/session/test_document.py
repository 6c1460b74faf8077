"""The document: experiments that come, go and move, each change one edit; and what undo looks at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import call
from support.effort import tried

import dmlviz as dml
from dmlviz.errors import SessionError
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.session.reading import load

CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"


def made(*names: str) -> Document:
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    return Document(Session(tuple(Experiment(name, desc) for name in names)))


def names(document: Document) -> list[str]:
    return [each.name for each in document.session.experiments]


def test_a_new_experiment_stands_behind_the_one_that_is_looked_at() -> None:
    document = made("a", "b")
    document.add(fresh("DML_OPERATOR_JOIN"))
    assert names(document) == ["a", "JOIN", "b"]
    assert document.experiment.name == "JOIN"
    assert document.dirty
    assert document.undo()
    assert names(document) == ["a", "b"]
    assert not document.dirty
    assert document.redo()
    assert document.experiment.name == "JOIN"


def test_a_copy_has_a_name_of_its_own() -> None:
    document = made("a", "a 2")
    document.duplicate()
    document.duplicate()
    assert names(document) == ["a", "a 3", "a 4", "a 2"]
    assert document.number == 2


def test_of_copies_of_a_task_one_keeps_its_id_and_check_takes_the_file(tmp_path: Path) -> None:
    document = Document(load(CLASSROOM))
    document.duplicate()
    document.duplicate()
    document.add_all(load(CLASSROOM).experiments)
    ids = [each.extra["task"].get("id") for each in document.session.experiments]
    assert len({*ids} - {None}) == 4
    assert ids[:2] == ["rows-by-index.1", None], "what is copied keeps its own"
    document.save(tmp_path / "mine.json")
    checked = call("check", str(tmp_path / "mine.json"))
    assert checked.code == 0, checked.out


def test_the_last_experiment_stays() -> None:
    document = made("a", "b")
    document.go(1)
    document.delete()
    assert names(document) == ["a"]
    assert document.number == 0
    with pytest.raises(SessionError, match="only experiment"):
        document.delete()
    assert document.undo()
    assert document.experiment.name == "b"  # what came back is looked at


def test_an_experiment_moves_and_is_followed() -> None:
    document = made("a", "b", "c")
    document.move(1)
    assert (names(document), document.number) == (["b", "a", "c"], 1)
    document.move(5)
    assert (names(document), document.number) == (["b", "c", "a"], 2)
    document.move(1)  # it is at the end already: nothing to undo
    document.go(0)
    assert document.undo()
    assert names(document) == ["b", "a", "c"]
    assert document.experiment.name == "b"
    assert document.undo()
    assert names(document) == ["a", "b", "c"]
    assert not document.undo()


def test_undo_looks_at_what_it_changes() -> None:
    document = made("a", "b", "c")
    document.rename("first")
    document.go(2)
    assert document.undo()
    assert document.number == 0
    document.go(2)
    assert document.redo()
    assert (document.number, document.experiment.name) == (0, "first")


def test_saving_makes_it_the_file(tmp_path: Path) -> None:
    document = made("a")
    document.rename("b")
    with pytest.raises(SessionError):
        document.save(tmp_path / "no" / "such.json")
    assert document.dirty
    assert document.path is None
    document.save(tmp_path / "x.json")
    assert not document.dirty
    assert load(tmp_path / "x.json").experiments[0].name == "b"
    document.undo()
    assert document.dirty


CHANGES = st.lists(
    st.tuples(st.sampled_from(["add", "copy", "delete", "move", "rename", "go", "undo", "redo"]), st.integers(-3, 3)),
    max_size=25,
)


@tried(60)
@given(CHANGES)
def test_undo_goes_all_the_way_back_and_redo_all_the_way_again(changes: list[tuple[str, int]]) -> None:
    document = made("a", "b", "c")
    first = document.session
    sample = examples.example("join-1").session().experiments[0]
    for what, by in changes:
        before = document.session
        if what == "delete" and len(before.experiments) == 1:
            continue
        made_of: dict[str, Callable[[], object]] = {
            "add": lambda: document.add(sample),
            "copy": document.duplicate,
            "delete": document.delete,
            "move": partial(document.move, by),
            "rename": partial(document.rename, f"name {by}"),
            "go": partial(document.go, document.number + by),
            "undo": document.undo,
            "redo": document.redo,
        }
        made_of[what]()
        if what not in ("undo", "redo") and document.session is not before:
            assert not document.history.can_redo, "an edit is the end of what was taken back"
        assert document.experiment is document.session.experiments[document.number]
    while document.redo():
        pass
    last = document.session
    count = 0
    while document.undo():
        count += 1
        assert 0 <= document.number < len(document.session.experiments)
    assert document.session == first
    for _ in range(count):
        assert document.redo()
    assert document.session == last
