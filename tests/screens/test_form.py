"""The form without a screen: its rows follow the declaration, and an edit of a row makes another experiment."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.effort import tried
from support.one_session import experiment_of
from support.toy import Toy

import dmlviz as dml
from dmlviz.desc.fields import CountField, NumberField, NumbersField, TensorField
from dmlviz.desc.values import Iota
from dmlviz.errors import DmlvizError
from dmlviz.formats.number_text import parse_numbers
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.workspace.form.form_rows import edited, form_rows, grown
from dmlviz.workspace.shown.state import FormRow

QUICK = tried(60)


def numbers(text: str) -> list[int]:
    return [int(word) for word in re.findall(r"-?\d+", text)]


def row_of(experiment: Experiment, key: str) -> FormRow:
    return next(row for row in form_rows(experiment) if row.key == key)


# ---- the rows


@pytest.mark.parametrize("name", [each.name for each in examples.all_examples()])
def test_the_rows_follow_the_declaration(name: str) -> None:
    for experiment in examples.example(name).session().experiments:
        desc, rows = experiment.desc, form_rows(experiment)
        assert [row.key for row in rows[:3]] == ["Operator", "FeatureLevel", "DataType"]
        keys = [row.key for row in rows]
        assert len(set(keys)) == len(keys)
        for field in desc.FIELDS:
            mine = [row for row in rows if re.fullmatch(re.escape(field.name) + r"(\[\d+\])?", row.key)]
            held = desc.get(field.name)
            if isinstance(field, TensorField) and field.many:
                assert len(mine) == max(1, len(held))
            else:
                assert len(mine) == 1
            for row, tensor in zip(mine, held if isinstance(held, (list, tuple)) else [held], strict=False):
                shown = row.text or row.inferred
                if isinstance(field, TensorField):
                    assert shown == "?" if tensor is None else parse_numbers(shown, row.key) == list(tensor.sizes)
                elif isinstance(field, NumbersField):
                    assert numbers(row.text) == list(held)
                elif isinstance(field, (NumberField, CountField)):
                    assert shown == str(held)
                assert bool(row.text) == (field.name not in desc.inferred)
        known = {f.name for f in desc.FIELDS}
        assert {re.split(r"[\[.]", key)[0] for key in keys[3:]} <= known


def test_a_sixth_operators_fields_come_by_themselves(toy: Toy) -> None:
    experiment = examples.example("flip").session().experiments[0]
    rows = form_rows(experiment)
    assert [row.key for row in rows[3:]] == ["InputTensor", "InputTensor.values", "OutputTensor", "Axis"]
    assert toy.name in rows[0].choices
    assert rows[0].text == toy.name
    assert [row.text or row.inferred for row in rows[3:] if not row.key.endswith(".values")] == ["2, 3", "2, 3", "1"]
    assert edited(experiment, "Axis", "0").desc == toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 0)
    wide = edited(experiment, "InputTensor", "4")
    assert row_of(wide, "OutputTensor").inferred == "4"
    assert view_state_of(wide, view_state_of(experiment)).report.errors[0].id == "axis.range"


# ---- edits


def test_the_shared_type_and_a_tensors_own() -> None:
    gather = experiment_of("gather-2")
    halves = edited(gather, "DataType", "FLOAT16")
    assert {p.path: p.tensor.data_type.name for p in halves.desc.parts} == {
        "InputTensor": "FLOAT16",
        "IndicesTensor": "UINT32",
        "OutputTensor": "FLOAT16",
    }
    signed = edited(gather, "IndicesTensor.DataType", "INT64")
    assert {p.path: p.tensor.data_type.name for p in signed.desc.parts} == {
        "InputTensor": "FLOAT32",
        "IndicesTensor": "INT64",
        "OutputTensor": "FLOAT32",
    }
    mixed = experiment_of("rule-dtype-equal")
    own = [row for row in form_rows(mixed) if row.key.endswith(".DataType")]
    assert own
    for row in own:
        mended = edited(mixed, row.key, row_of(mixed, "DataType").text)
        assert not [r for r in form_rows(mended) if r.key == row.key]
    assert edited(gather, "FeatureLevel", "1_0").feature_level.value == "1_0"


def test_a_tensor_is_added_behind_another_and_any_is_removed() -> None:
    join = experiment_of("join-1")
    one, two = join.desc.get("InputTensors")
    more = grown(join, "InputTensors[0]", 1)
    assert more.desc.get("InputTensors") == (one, one, two)
    assert dict(more.values) == {
        "InputTensors[0]": join.values["InputTensors[0]"],
        "InputTensors[1]": Iota(7, 1),  # behind those of the tensor before
        "InputTensors[2]": join.values["InputTensors[1]"],
    }
    assert grown(more, "InputTensors[1]", -1) == join
    assert more.desc.get("InputCount") == 3  # a count that is given counts what there is
    rest = grown(join, "InputTensors[0]", -1)
    assert rest.desc.get("InputTensors") == (two,)
    assert dict(rest.values) == {"InputTensors[0]": join.values["InputTensors[1]"]}
    none = grown(rest, "InputTensors[0]", -1)
    assert none.desc.get("InputTensors") == ()
    assert [c.id for c in view_state_of(none).report.errors][:1] == ["count.positive"]
    assert row_of(none, "InputTensors[0]").inferred == "none"
    assert len(grown(none, "InputTensors[0]", 1).desc.get("InputTensors")) == 1
    assert grown(none, "InputTensors[0]", -1) == none  # nothing to remove is no mistake
    assert len(edited(none, "InputTensors[0]", "2, 2").desc.get("InputTensors")) == 1


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("InputTensor", ""),
        ("InputTensor", "3, two"),
        ("InputTensor", "3,,2"),
        ("Axis", "0, 1"),
        ("IndicesTensor.values", "[[1], 2]"),
        ("IndicesTensor.values", "iota 1 2 3"),
        ("IndicesTensor.values", "1, 2.5"),
        ("InputTensor.values", "1e999"),
        ("InputTensor.values", "constant 1_0"),
        ("IndicesTensor.values", "1_0, 2"),
        ("InputTensor.values", "random nan"),
        ("InputTensor.values", "../x.npy"),
        ("InputTensor.values", "file /dev/zero"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(key: str, text: str) -> None:
    with pytest.raises(DmlvizError) as refused:
        edited(experiment_of("gather-2"), key, text)
    sentence(refused.value)
    assert key.removesuffix(".values") in str(refused.value)


# ---- every keystroke


def sentence(refused: DmlvizError) -> None:
    text = str(refused)
    assert text.endswith(".")
    assert len(text) < 300
    assert "\n" not in text


def typed(experiment: Experiment, key: str, text: str) -> None:
    """Types `text` letter by letter; every state is checked, pictured and listed."""
    shown = view_state_of(experiment)
    for end in range(len(text) + 1):
        try:
            experiment = edited(experiment, key, text[:end])
        except DmlvizError as refused:
            sentence(refused)
            continue
        shown = view_state_of(experiment, shown)
        assert form_rows(experiment)
        assert (shown.report.ok is False) == bool(shown.report.errors)
        assert bool(shown.caption) == (shown.report.ok is False)
        if shown.trace is not None:
            arrange(shown.trace, 60, 18)


KEYS = {
    name: [row.key for row in form_rows(experiment_of(name)) if row.is_typed]
    for name in ("join-1", "split-1", "tile-1", "gather-2", "reverse-1")
}


@QUICK
@given(
    st.sampled_from([(name, key) for name, keys in KEYS.items() for key in keys]),
    st.one_of(
        st.text(max_size=12),
        st.text("0123456789, -", max_size=14),
        st.lists(st.integers(-3, 2**33), max_size=9).map(lambda numbers: ", ".join(map(str, numbers))),
    ),
)
@example(("join-1", "InputTensors[0]"), "65535, 65535, 1, 1")
@example(("gather-2", "Axis"), "9" * 40)
@example(("gather-2", "IndicesTensor.values"), ", [1, 2]")
@example(("reverse-1", "SequenceLengthsTensor.values"), "random 3")
@example(("gather-2", "InputTensor"), "0, -1, ٣, ²")
@example(("tile-1", "Repeats"), "4294967295, 1, 1, 1")
def test_typing_never_fails(where: tuple[str, str], text: str) -> None:
    name, key = where
    typed(experiment_of(name), key, text)
