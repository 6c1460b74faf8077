"""The document: experiments that come, go and move, each change one edit; and what undo looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.one_session import rotate_half

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.desc.values import Iota
from dmlviz.errors import SessionError, ValuesError
from dmlviz.operators.report import Fix
from dmlviz.session.cell_edits import typed
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.session.reading import load
from dmlviz.workspace.form.form_rows import edited


def made(*names: str) -> Document:
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    return Document(Session(tuple(Experiment(name, desc) for name in names)))


def names(document: Document) -> list[str]:
    return [each.name for each in document.session.experiments]


def test_what_is_added_copied_deleted_and_moved_is_looked_at_and_so_is_what_undo_brings_back() -> None:
    document = made("a", "b")
    document.add(fresh("DML_OPERATOR_JOIN"))
    assert (names(document), document.experiment.name, document.dirty) == (["a", "JOIN", "b"], "JOIN", True)
    assert document.undo()
    assert (names(document), document.dirty) == (["a", "b"], False)
    assert document.redo()
    assert document.experiment.name == "JOIN"
    document.delete()
    document.move(-5)
    assert (names(document), document.number) == (["b", "a"], 0)
    document.duplicate()
    document.duplicate()
    assert (names(document), document.number) == (["b", "b 2", "b 3", "a"], 2)
    document.edit(replace(document.experiment, extra={"task": {"id": "b.1", "say": "?"}}))
    document.duplicate()
    assert document.experiment.extra == {"task": {"say": "?"}}, "an id is of one task"
    document.delete()
    document.move(-1)
    document.rename("last")
    document.go(0)
    assert document.undo()
    assert document.number == 2, "where something changed"
    document.go(0)
    assert document.redo()
    assert (document.number, document.experiment.name) == (2, "last")
    document.undo()
    document.rename("other")
    assert not document.redo(), "an edit is the end of what was taken back"
    alone = made("a")
    with pytest.raises(SessionError, match="only experiment"):
        alone.delete()
    alone.move(1)  # it is at the end already: nothing to undo
    assert (alone.undo(), alone.number) == (False, 0)


def test_edits_of_one_key_count_as_one() -> None:
    document = made("a")
    for title, key in (("x", "left"), ("xy", "left"), ("xyz", "right")):
        document.edit_session(replace(document.session, title=title), key)
    document.go(0)
    document.edit_session(replace(document.session, title="wxyz"), "right")
    seen = [document.session.title]
    while document.undo():
        seen.append(document.session.title)
    assert seen == ["wxyz", "xyz", "xy", ""]


def test_a_typed_value_is_what_a_file_holds_or_the_sentence_names_it() -> None:
    for text, held in {"-0": -0.0, " 7 ": 7, "+INF": "inf", "1e3": 1000.0, "-1": -1}.items():
        assert repr(typed(text, dml.DataType.FLOAT32, "x")) == repr(held), "-0 isn't 0"
    for text in ("1e999", "1" * 400 + "e", "nope"):
        with pytest.raises(ValuesError, match=rf'^x is "?{text[:9]}'):
            typed(text, dml.DataType.FLOAT32, "x")


def test_a_list_is_nested_as_sizes_that_are_typed_and_has_as_many_values_as_a_fix_wants() -> None:
    def tile(*sizes: int) -> dml.Tile:
        return dml.Tile(dml.TensorDesc("UINT8", sizes), (1,) * len(sizes))

    values = {"InputTensor": Listed((1, 2, 3, 4, 5, 6), (1, 2, 3))}
    document = Document(Session((Experiment("a", tile(1, 2, 3), values=values),)))
    for sizes in ((2,), (3, 2)):
        document.edit(replace(document.experiment, desc=tile(*sizes)), "sizes")
    one = document.experiment
    assert one.sources()[0].array().tolist() == [[1, 2], [3, 4], [5, 6]]
    fixed = one.mended(Fix("", tile(2, 2), one.feature_level, mends_all=True))
    assert fixed.sources()[0].array().tolist() == [[1, 2], [3, 4]]


def test_saving_makes_it_the_file(tmp_path: Path) -> None:
    document = made("a")
    document.rename("b")
    with pytest.raises(SessionError):
        document.save(tmp_path / "no" / "such.json")
    assert (document.dirty, document.path) == (True, None)
    document.save(tmp_path / "x.json")
    assert not document.dirty
    assert load(tmp_path / "x.json").experiments[0].name == "b"
    document.undo()
    assert document.dirty


EDITS: dict[str, Callable[[Document], object]] = {
    "notes": lambda document: document.edit(replace(document.experiment, notes="what the others read")),
    "name": lambda document: document.rename("HALF"),
    "values": lambda document: document.edit(replace(document.experiment, values={"InputTensor": Iota(5, 1)})),
    "type": lambda document: document.edit(edited(document.experiment, "DataType", "FLOAT16")),
    "delete": lambda document: document.delete(),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_undo_looks_at_what_was_edited_not_at_what_reads_it(edit: Callable[[Document], object]) -> None:
    session = rotate_half()
    document = Document(replace(session, experiments=session.experiments[::-1]))
    document.go(2)
    edit(document)
    number = document.number
    document.go(0)
    assert document.undo()
    assert (document.number, document.experiment.name) == (2, "halves")
    document.go(0)
    assert document.redo()
    assert document.number == number


def test_undo_of_a_title_looks_where_it_looked() -> None:
    document = made("a", "b", "c")
    document.go(1)
    document.edit_session(replace(document.session, title="x"), "title")
    document.rename("z")
    document.edit_session(replace(document.session, title="xy"))
    document.go(0)
    assert document.undo()
    assert document.number == 0


@pytest.mark.parametrize("written", [(-0.0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)])
def test_what_is_equal_but_written_otherwise_is_an_edit(written: tuple[float, ...]) -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (6,)), (2,))
    lists = [{"InputTensor": Listed(items, (6,))} for items in ((0.0, 1, 2, 3, 4, 5), written, (*written,))]
    document = Document(Session((*made("a").session.experiments, Experiment("b", desc, values=lists[0]))))
    document.go(1)
    for values in lists[1:]:
        document.edit(replace(document.experiment, values=values))
    assert repr(document.experiment.values["InputTensor"]) == repr(lists[1]["InputTensor"])
    assert (document.dirty, len(document.past)) == (True, 1), "once more the same is none"
    document.go(0)
    assert document.undo()
    assert (document.number, document.dirty) == (1, False)
