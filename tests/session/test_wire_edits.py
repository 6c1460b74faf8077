"""Edits of wires: what follows them, what is refused, and that undo gives back what was there."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.crashes import crashed, only
from support.effort import part
from support.random_chains import random_chain

import dmlviz as dml
from dmlviz.desc.value_sources import Wired
from dmlviz.errors import DmlvizError, SessionError
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.wire_edits import unwire, wire
from dmlviz.session.wiring import wires
from dmlviz.session.writing import dump

T = dml.TensorDesc


def document() -> Document:
    """halves, swapped and twice: a SPLIT, a JOIN of its parts, a TILE of that."""
    return Document(examples.example("chain-rotate-half").session())


def sizes(session: Session, name: str) -> list[tuple[int, ...]]:
    experiment = next(one for one in session.experiments if one.name == name)
    return [part.tensor.sizes for part in (*experiment.desc.inputs, *experiment.desc.outputs)]


def undone(edited: Document, before: str) -> None:
    """Holds that undo gives back the same bytes, and redo what it took back."""
    after = dump(edited.session)
    assert after != before
    assert edited.undo()
    assert dump(edited.session) == before
    assert not edited.dirty
    assert edited.redo()
    assert dump(edited.session) == after
    assert edited.undo()


def replaced(edited: Document, number: int, desc: Any) -> None:
    edited.go(number)
    edited.edit(replace(edited.experiment, desc=desc))


def test_wired_tensors_follow_their_source_and_inferred_outputs_follow_on() -> None:
    edited = document()
    before = dump(edited.session)
    replaced(edited, 0, dml.Split(T("UINT8", (1, 8)), (T("UINT8", (1, 3)), T("UINT8", (1, 5))), 1))
    assert sizes(edited.session, "swapped") == [(1, 5), (1, 3), (1, 8)]
    assert {part.tensor.data_type.name for one in edited.session.experiments for part in one.desc.parts} == {"UINT8"}
    assert all(one.check().ok for one in edited.session.experiments)
    undone(edited, before)
    replaced(edited, 2, dml.Tile(T("FLOAT32", (2, 4)), (1, 2)))  # other sizes stay while the elements are as many
    replaced(edited, 0, dml.Split(T("FLOAT16", (1, 8)), (T("FLOAT16", (1, 4)),) * 2, 1))
    assert sizes(edited.session, "twice") == [(2, 4), (2, 8)]
    assert edited.session.experiments[2].check().ok


def test_names_follow_and_copies_of_a_chain_read_each_other() -> None:
    edited = document()
    before = dump(edited.session)
    edited.rename("parts")
    assert {wire.name for _, wire in wires(edited.session.experiments[1])} == {"parts"}
    assert edited.session.experiments[1].check().ok
    undone(edited, before)
    edited.go(2)
    edited.duplicate()
    assert edited.experiment.name == "twice 2"
    assert edited.experiment.stages[1] is edited.session.experiments[1]
    undone(edited, before)
    edited.add(*edited.session.experiments)
    assert [one.name for one in edited.session.chain("twice 2").stages] == ["halves 2", "swapped 2", "twice 2"]
    undone(edited, before)


def test_a_wire_takes_type_and_sizes_over_and_goes_away_again() -> None:
    edited = document()
    edited.add(Experiment("more", dml.Tile(T("UINT8", (2, 2)), (2, 2))))
    before, number = dump(edited.session), edited.number
    edited.saved = edited.session
    edited.rewrite(wire(edited.session, number, "InputTensor", "halves", "OutputTensors[1]"))
    assert sizes(edited.session, "more") == [(1, 4), (2, 8)]
    assert edited.experiment.trace().reference(0)[0, 0] == 5
    undone(edited, before)
    edited.redo()
    edited.go(number)
    edited.rewrite(unwire(edited.session, number, "InputTensor"))
    assert not edited.experiment.values
    assert sizes(edited.session, "more") == [(1, 4), (2, 8)]


def test_a_wire_that_cannot_be_is_refused_in_a_sentence() -> None:
    edited = document()
    before = dump(edited.session)
    for number, source, output, said in (
        (0, "twice", "", 'InputTensor of "halves" would read itself, twice ⇠ swapped ⇠ halves ⇠ twice'),
        (0, "halves", "OutputTensors[0]", 'InputTensor of "halves" would read itself, halves ⇠ halves'),
        (2, "nobody", "", 'InputTensor is from "nobody", but no experiment is called so.'),
        (2, "halves", "", "expected OutputTensors[0] or OutputTensors[1]."),
    ):
        edited.go(number)
        with pytest.raises(SessionError) as refused:
            wire(edited.session, number, "InputTensor", source, output)
        assert {*said.split()} <= {*str(refused.value).split()}
        assert dump(edited.session) == before
    assert not edited.past


def test_readers_of_a_deleted_source_are_filled_by_default() -> None:
    edited = document()
    before = dump(edited.session)
    edited.delete()
    assert [one.name for one in edited.session.experiments] == ["swapped", "twice"]
    assert not edited.session.experiments[0].values
    undone(edited, before)


def test_a_ring_outlives_a_crash(tmp_path: Path) -> None:
    halves, *others = document().session.experiments
    looped = Session((replace(halves, values={"InputTensor": Wired("twice")}), *others))
    assert [check.id for check in looped.experiments[1].check().errors] == ["chain.cycle"] * 2
    crashed(tmp_path, looped)
    assert len(only(tmp_path).document.session.experiments) == 3


@pytest.mark.drawn(3)
@pytest.mark.parametrize("seed", range(part(20)))
def test_random_edits_of_wires_make_no_ring_lose_no_wire_and_undo(seed: int) -> None:
    made = random.Random(seed)
    edited = Document(random_chain(made))
    texts = [dump(edited.session)]
    for _ in range(30):
        edited.go(made.randrange(len(edited.session.experiments)))
        try:
            one_edit(edited, made, len(texts))
        except DmlvizError:
            assert dump(edited.session) == texts[-1]
            continue
        assert all(wire.source is not None for one in edited.session.experiments for _, wire in wires(one))
        text = dump(edited.session)
        assert parse(text.encode(), "it", None)[0] == edited.session
        if text != texts[-1]:
            texts.append(text)
    for text in reversed(texts[:-1]):
        assert edited.undo()
        assert dump(edited.session) == text
    assert not edited.past


def one_edit(edited: Document, made: random.Random, number: int) -> None:
    path = made.choice(edited.experiment.desc.inputs).path
    source = made.choice(edited.session.experiments)
    kind = made.randrange(7)
    if kind < 3 and source.desc.outputs:
        edited.rewrite(wire(edited.session, edited.number, path, source.name, made.choice(source.desc.outputs).path))
    elif kind == 3:
        edited.rewrite(unwire(edited.session, edited.number, path))
    elif kind == 4:
        edited.rename(f"n{number}")
    elif kind == 5 and len(edited.session.experiments) < 10:
        edited.duplicate()
    elif len(edited.session.experiments) > 2:
        edited.delete()
