"""The form without a screen: its rows follow the declaration, and an edit of a row makes another experiment."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from conftest import Toy
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dmlviz as dml
from dmlviz import library
from dmlviz.descs import CountField, NumberField, NumbersField, TensorField
from dmlviz.errors import DmlvizError
from dmlviz.levels import LEVELS
from dmlviz.operators import operators
from dmlviz.scene.shown import show
from dmlviz.scene.stack import arrange
from dmlviz.session import Experiment
from dmlviz.values import Constant, Iota, Random
from dmlviz.widgets.form_rows import FormRow, edited, form_rows, grown, parse_numbers, stepped

QUICK = settings(max_examples=60, deadline=None)
FIVE = {"JOIN": "join-1", "SPLIT": "split-1", "TILE": "tile-1", "GATHER": "gather-2", "REVERSE": "reverse-1"}


def experiment_of(name: str) -> Experiment:
    return library.example(name).session().experiments[0]


def texts(experiment: Experiment) -> dict[str, str]:
    return {row.key: row.text for row in form_rows(experiment)}


def numbers(text: str) -> list[int]:
    return [int(word) for word in re.findall(r"-?\d+", text)]


def row_of(experiment: Experiment, key: str) -> FormRow:
    return next(row for row in form_rows(experiment) if row.key == key)


# ---- the rows


@pytest.mark.parametrize("name", [each.name for each in library.shelf()])
def test_the_rows_follow_the_declaration(name: str) -> None:
    for experiment in library.example(name).session().experiments:
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


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("JOIN", ["InputTensors[0]", "InputTensors[1]", "OutputTensor", "Axis", "InputCount"]),
        ("SPLIT", ["InputTensor", "OutputTensors[0]", "OutputTensors[1]", "OutputTensors[2]", "Axis", "OutputCount"]),
        ("TILE", ["InputTensor", "OutputTensor", "Repeats", "RepeatsCount"]),
        (
            "GATHER",
            [
                "InputTensor",
                "IndicesTensor",
                "IndicesTensor.DataType",
                "IndicesTensor.values",
                "OutputTensor",
                "Axis",
                "IndexDimensions",
            ],
        ),
        (
            "REVERSE",
            [
                "InputTensor",
                "SequenceLengthsTensor",
                "SequenceLengthsTensor.DataType",
                "SequenceLengthsTensor.values",
                "OutputTensor",
                "Axis",
            ],
        ),
    ],
)
def test_the_five_operators_have_directmls_fields(name: str, want: list[str]) -> None:
    assert [row.key for row in form_rows(experiment_of(FIVE[name]))][3:] == want


def test_what_can_be_chosen_is_every_operator_level_and_type() -> None:
    rows = form_rows(experiment_of("gather-2"))
    by_key = {row.key: row for row in rows}
    assert by_key["Operator"].choices == tuple(o.name for o in operators().values())
    assert by_key["FeatureLevel"].choices == tuple(level.value for level in LEVELS)
    assert len(by_key["DataType"].choices) == 11
    assert by_key["IndicesTensor.DataType"].choices == by_key["DataType"].choices
    for row in rows:
        assert not row.choices or row.text in row.choices


def test_a_sixth_operators_fields_come_by_themselves(toy: Toy) -> None:
    experiment = library.example("flip").session().experiments[0]
    rows = form_rows(experiment)
    assert [row.key for row in rows] == ["Operator", "FeatureLevel", "DataType", "InputTensor", "OutputTensor", "Axis"]
    assert toy.name in rows[0].choices
    assert rows[0].text == toy.name
    assert [row.text or row.inferred for row in rows[3:]] == ["2, 3", "2, 3", "1"]
    assert edited(experiment, "Axis", "0").desc == toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 0)
    wide = edited(experiment, "InputTensor", "4")
    assert row_of(wide, "OutputTensor").inferred == "4"
    assert show(wide, show(experiment)).report.errors[0].id == "axis.range"


# ---- edits


def test_an_edit_of_sizes_leaves_everything_else() -> None:
    before = experiment_of("gather-2")
    after = edited(before, "InputTensor", "5, 2")
    assert after.desc == before.desc.replace({"InputTensor": dml.TensorDesc("FLOAT32", (5, 2))})
    assert replace(after, desc=before.desc) == before


@pytest.mark.parametrize("text", ["1 4", "1,4", "{1, 4}", "[1 4]", " 1 ,4, "])
def test_sizes_are_read_as_people_write_them(text: str) -> None:
    assert parse_numbers(text, "IndicesTensor") == [1, 4]


def test_numbers_and_counts() -> None:
    gather = experiment_of("gather-2")
    assert edited(gather, "Axis", "1").desc.get("Axis") == 1
    assert edited(gather, "IndexDimensions", " -3 ").desc.get("IndexDimensions") == -3
    tile = experiment_of("tile-1")
    assert edited(tile, "Repeats", "2, 1, 1, 4").desc.get("Repeats") == (2, 1, 1, 4)
    join = experiment_of("join-1")
    counted = edited(join, "InputCount", "3")
    assert row_of(counted, "InputCount").text == "3"
    assert [c.id for c in show(counted).report.errors] == ["count.matches"]
    again = edited(counted, "InputCount", "")
    assert row_of(again, "InputCount") == FormRow("InputCount", "InputCount", "", inferred="2")


@pytest.mark.parametrize("name", ["join-1", "gather-2", "tile-1", "reverse-1"])
def test_an_empty_output_is_inferred_and_follows(name: str) -> None:
    inferred = edited(experiment_of(name), "OutputTensor", "  ")
    assert "OutputTensor" in inferred.desc.inferred
    row = row_of(inferred, "OutputTensor")
    assert row.text == ""
    assert numbers(row.inferred) == list(inferred.desc.outputs[0].tensor.sizes)
    given = edited(inferred, "OutputTensor", "9, 9")
    assert "OutputTensor" not in given.desc.inferred
    assert row_of(given, "OutputTensor").text == "9, 9"


def test_an_output_that_cannot_be_inferred_has_a_question_mark() -> None:
    experiment = edited(edited(experiment_of("gather-2"), "OutputTensor", ""), "Axis", "9")
    assert row_of(experiment, "OutputTensor").inferred == "?"
    assert not show(experiment).report.ok


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("InputTensor", "", "InputTensor is empty, expected integers such as 1, 1, 6, 2."),
        ("InputTensor", "3, two", 'InputTensor has "two", expected integers such as 1, 1, 6, 2.'),
        ("InputTensor", "3, 2.5", 'InputTensor has "2.5", expected integers such as 1, 1, 6, 2.'),
        ("OutputTensor", "-", 'OutputTensor has "-", expected integers such as 1, 1, 6, 2.'),
        ("Axis", "", "Axis is empty, expected an integer."),
        ("Axis", "0, 1", "Axis has 2 numbers, expected one."),
        ("InputTensor", "0x10,2", 'InputTensor has "0x10", expected integers such as 1, 1, 6, 2.'),
        ("InputTensor", "3,,2", 'InputTensor has "", expected integers such as 1, 1, 6, 2.'),
        ("Axis", "NaN", 'Axis has "NaN", expected an integer.'),
    ],
)
def test_what_is_no_number_is_refused_in_one_sentence(key: str, text: str, sentence: str) -> None:
    with pytest.raises(DmlvizError) as refused:
        edited(experiment_of("gather-2"), key, text)
    assert str(refused.value) == sentence


def test_the_shared_type_and_a_tensors_own() -> None:
    gather = experiment_of("gather-2")
    halves = edited(gather, "DataType", "FLOAT16")
    assert {p.path: p.tensor.data_type.name for p in halves.desc.parts()} == {
        "InputTensor": "FLOAT16",
        "IndicesTensor": "UINT32",
        "OutputTensor": "FLOAT16",
    }
    signed = edited(gather, "IndicesTensor.DataType", "INT64")
    assert {p.path: p.tensor.data_type.name for p in signed.desc.parts()} == {
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


def test_a_tensor_is_added_like_the_last_and_removed_again() -> None:
    join = experiment_of("join-1")
    more = grown(join, "InputTensors[1]", 1)
    tensors = more.desc.get("InputTensors")
    assert len(tensors) == 3
    assert tensors[2] == tensors[1]
    assert [row.key for row in form_rows(more) if row.can_grow] == ["InputTensors[2]"]
    assert grown(more, "InputTensors[2]", -1).desc.get("InputTensors") == join.desc.get("InputTensors")
    none = grown(grown(join, "InputTensors[1]", -1), "InputTensors[0]", -1)
    assert none.desc.get("InputTensors") == ()
    assert [c.id for c in show(none).report.errors][:1] == ["count.positive"]
    assert row_of(none, "InputTensors[0]").can_grow
    assert len(grown(none, "InputTensors[0]", 1).desc.get("InputTensors")) == 1
    grown(none, "InputTensors[0]", -1)  # nothing to remove is no mistake
    assert len(edited(none, "InputTensors[0]", "2, 2").desc.get("InputTensors")) == 1


@pytest.mark.parametrize("name", ["rule-dtype-equal", "split-1", "join-1"])
def test_one_place_to_add_tensors_for_each_array(name: str) -> None:
    assert len([row for row in form_rows(experiment_of(name)) if row.can_grow]) <= 1


@pytest.mark.parametrize(
    ("text", "at", "by", "want"),
    [
        ("3, 2", 0, 1, ("4, 2", 0)),
        ("3, 2", 1, 1, ("4, 2", 1)),
        ("3, 2", 4, -1, ("3, 1", 4)),
        ("9", 1, 1, ("10", 1)),
        ("10", 2, -1, ("9", 1)),
        ("0", 0, -1, ("-1", 0)),
        ("", 0, 1, ("", 0)),
        ("a", 1, 1, ("a", 1)),
    ],
)
def test_up_and_down_step_the_number_under_the_cursor(text: str, at: int, by: int, want: tuple[str, int]) -> None:
    assert stepped(text, at, by) == want


@QUICK
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=8), st.data())
def test_a_step_up_and_down_again_changes_nothing(numbers: list[int], data: st.DataObject) -> None:
    text = ", ".join(map(str, numbers))
    at = data.draw(st.integers(0, len(text)))
    up, where = stepped(text, at, 1)
    if up != text:
        assert sum(parse_numbers(up, "x")) == sum(numbers) + 1
        assert stepped(up, where, -1)[0] == text


# ---- values of indices and lengths


def test_indices_are_typed_as_a_list_or_named_as_a_fill() -> None:
    gather = experiment_of("gather-2")
    assert numbers(row_of(gather, "IndicesTensor.values").text) == [0, 1, 1, 2]
    for text, want in (
        ("2, 1, 0, 2", [2, 1, 0, 2]),
        ("[[2, 1, 0, 2]]", [2, 1, 0, 2]),
        ("iota 0 1", [0, 1, 2, 3]),
        ("constant 2", [2, 2, 2, 2]),
        ("", [0, 1, 2, 0]),
    ):
        changed = edited(gather, "IndicesTensor.values", text)
        trace = changed.trace()
        assert [trace.source(0, (i, 0)).via.value for i in range(4)] == want  # type: ignore[union-attr]
        row = row_of(changed, "IndicesTensor.values")
        assert bool(row.text) == bool(text)


@pytest.mark.parametrize(
    "text", [",", "[", "[1", "[[1], 2]", "two", "iota x", "iota 1 2 3", "random -1", "1, 2.5", "]"]
)
def test_values_that_cannot_be_read_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(DmlvizError) as refused:
        edited(experiment_of("gather-2"), "IndicesTensor.values", text)
    assert "IndicesTensor.values" in str(refused.value)
    assert str(refused.value).endswith(".")


# ---- every keystroke


def sentence(refused: DmlvizError) -> None:
    text = str(refused)
    assert text.endswith(".")
    assert len(text) < 300
    assert "\n" not in text


def typed(experiment: Experiment, key: str, text: str) -> None:
    """Types `text` letter by letter; every state is checked, pictured and listed."""
    shown = show(experiment)
    for end in range(len(text) + 1):
        try:
            experiment = edited(experiment, key, text[:end])
        except DmlvizError as refused:
            sentence(refused)
            continue
        shown = show(experiment, shown)
        assert form_rows(experiment)
        assert shown.report.ok or shown.report.errors
        assert bool(shown.caption) != shown.report.ok
        if shown.trace is not None:
            arrange(shown.trace, 60, 18)


KEYS = {
    name: [row.key for row in form_rows(experiment_of(name)) if not row.choices]
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
@example(("gather-2", "Axis"), "9" * 5000)
@example(("tile-1", "Repeats"), "4294967295, 1, 1, 1")
def test_typing_never_fails(where: tuple[str, str], text: str) -> None:
    name, key = where
    if len(text) > 100:
        typed_whole(experiment_of(name), key, text)
    else:
        typed(experiment_of(name), key, text)


def typed_whole(experiment: Experiment, key: str, text: str) -> None:
    """As `typed`, for a text that is pasted."""
    try:
        made: Any = edited(experiment, key, text)
    except DmlvizError as refused:
        sentence(refused)
        return
    assert not show(made).report.ok


def test_index_and_length_values_are_typed_in_the_form() -> None:
    experiment = library.example("gather-2").session().experiments[0]
    rows = {row.key: row for row in form_rows(experiment)}
    assert rows["IndicesTensor.values"].text == "0, 1, 1, 2"
    changed = edited(experiment, "IndicesTensor.values", "2, 2, 0, -1")
    assert changed.sources_or_defaults()[1]  # -1 is no UINT32, and a sentence says so
    changed = edited(experiment, "IndicesTensor.values", "2,2,0,1")
    assert changed.trace().reference(0).tolist() == [[5, 6], [5, 6], [1, 2], [3, 4]]
    assert edited(experiment, "IndicesTensor.values", "[[2,2,0,1]]").trace().reference(0)[0].tolist() == [5, 6]
    for text, spec in (("iota 1 2", Iota(1, 2)), ("constant 2", Constant(2)), ("Random 7", Random(7))):
        held = edited(experiment, "IndicesTensor.values", text)
        assert held.values["IndicesTensor"] == spec
        again = {row.key: row.text for row in form_rows(held)}["IndicesTensor.values"]
        assert again == text.lower()
    emptied = edited(experiment, "IndicesTensor.values", "")
    assert {row.key: row.inferred for row in form_rows(emptied)}["IndicesTensor.values"] == "0,1,2,0"
    for bad in ("iota 1 2 3", "random -1", "constant x", "one", "[1, [2]]", "constant 1 2"):
        with pytest.raises(DmlvizError, match=r"IndicesTensor\.values.*expected.*\.$"):
            edited(experiment, "IndicesTensor.values", bad)
