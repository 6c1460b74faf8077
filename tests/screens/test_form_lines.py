"""The form's lines: names in full where they have room, and told in full where they are shortened; nothing overlaps."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from support.driver import Driver, explore
from support.toy import Toy

import dmlviz as dml
from dmlviz.desc.fields import TensorField
from dmlviz.scene.names import short_name
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.form_lines import Drawing, columns_of, cut, fitted, labels_of, lines_of
from dmlviz.widgets.fields.number_input import NumberInput
from dmlviz.widgets.lib.text_view import after_click, more_of
from dmlviz.workspace.form.form_rows import form_rows

EIGHT = Experiment("eight", dml.Join((dml.TensorDesc("FLOAT32", (1, 1, 2, 2)),) * 8, 3))
MANY = Experiment("many", dml.Join((dml.TensorDesc("FLOAT32", (1, 1, 2, 2)),) * 20, 3))
DEEP = Experiment("deep", dml.Tile(dml.TensorDesc("FLOAT32", (1, 2, 1, 2, 1, 2, 1, 2)), (1,) * 8))
ALL = [(each.name, i, e) for each in examples.all_examples() for i, e in enumerate(each.session().experiments)]
ALL += [("eight", 0, EIGHT), ("many", 0, MANY), ("deep", 0, DEEP)]


@pytest.mark.parametrize("width", [31, 43, 77])
def test_every_line_stays_in_its_width_and_names_its_row(width: int) -> None:
    for name, _, experiment in ALL:
        rows = form_rows(experiment, experiment.check())
        rows.append(replace(rows[0], key="Order", label="Order", text="DEPTH_COLUMN_ROW"))
        plain = [row for row in rows if not row.beside]
        labels = labels_of(rows, width)
        columns = columns_of([labels[row.key] for row in plain], width)
        types = {row.tensor: row for row in rows if row.beside}
        named = set()
        for line in lines_of(plain, types, labels, columns, airy=True):
            if line.row is None:
                continue
            named.add(labels[line.row.key])
            for here in (False, True):
                for severity in ("", "error"):
                    drawing = Drawing(
                        line,
                        columns,
                        labels[line.row.key],
                        line.row.text,
                        type=line.beside.text if line.beside is not None else "",
                        here=here,
                        near=here,
                        severity=severity,
                    )
                    text = "".join(piece.text for piece in drawing.pieces())
                    assert len(text) <= max(width, len(drawing.label)), (name, text)
                    if line.is_label or line.row.adds:
                        continue
                    assert len(text) == columns.right
                    assert drawing.field >= len(drawing.label) + 1 or drawing.label not in text
                    assert drawing.width >= 7, (name, text)
                    if line.row.choices:
                        assert line.row.text in text, (name, text)
                        fits = len(drawing.label) + 1 + len(f" {line.row.text} ") <= drawing.marks_begin
                        assert not fits or re.search(rf" {line.row.text}[ ◀]", text), (name, text)
                    if severity and drawing.field == columns.field:
                        assert "◀" in text
        assert len(named) == len({row.label if row.label != row.key else row.key for row in plain}), name


@pytest.mark.parametrize("width", [31, 43, 77])
def test_tensors_lose_the_word_they_share_together_or_not_at_all(width: int) -> None:
    for name, _, experiment in ALL:
        rows = form_rows(experiment)
        labels = labels_of(rows, width)
        tensors = [row for row in rows if row.is_sizes]
        short = [labels[row.key] != row.label for row in tensors]
        assert len(set(short)) == 1, name
        for row in tensors:
            assert labels[row.key] == (short_name(row.label) if short[0] else row.label), name
            assert not short[0] or "Tensor" not in labels[row.key]
        others = [row for row in rows if not row.is_sizes]
        assert all(labels[row.key] == row.label for row in others)


def test_a_sixth_operators_names_are_shortened_by_the_same_rule(toy: Toy) -> None:
    rows = form_rows(examples.example("flip").session().experiments[0])
    assert {row.key: row.label for row in rows} == labels_of(rows, 31)
    long = [replace(row, label=f"{'Very' * 4}{row.label}") if row.is_sizes else row for row in rows]
    long = [replace(row, key=row.label, tensor=row.label) if row.is_sizes else row for row in long]
    labels = labels_of(long, 31)
    assert [labels[row.key] for row in long if row.is_sizes] == ["Input", "Output"]


@pytest.mark.parametrize("size", [(100, 30), (120, 36)])
@pytest.mark.parametrize("name", ["join-1", "split-1", "tile-1", "gather-2", "reverse-1"])
def test_full_names_are_told_where_the_focus_is_and_the_picture_has_the_room(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        assert driver.screen.query_one("#left").outer_size.width <= 34
        assert driver.screen.pane.size.width >= size[0] - 36
        for field in driver.screen.workspace.experiment.desc.FIELDS:
            key = f"{field.name}[0]" if isinstance(field, TensorField) and field.many else field.name
            await driver.focus(key)
            assert key in driver.text("#form"), "beside its field, or in the title"
            entry = driver.screen.query_one(NumberInput)
            y, _ = driver.row(key)
            assert entry.region.y == driver.form.content_region.y + y
            assert entry.region.right <= driver.form.content_region.right
            if isinstance(field, TensorField):
                held = driver.screen.workspace.experiment.desc.get(field.name)
                sizes = (held[0] if field.many else held).sizes
                shown = driver.text("#form").split("\n")[y]
                assert ",".join(map(str, sizes)) in shown.replace(", ", ","), "all sizes are in sight"

    explore(script, name, size)


def test_sizes_are_typed_as_ever_where_their_spaces_had_no_room() -> None:
    async def script(driver: Driver) -> None:
        field = await driver.focus("SequenceLengthsTensor")
        before = driver.screen.workspace.experiment
        assert driver.screen.workspace.experiment is before
        assert not driver.screen.state.document.dirty, "it was only shown more tightly"
        await driver.press("end", "up")
        desc = driver.screen.workspace.experiment.desc
        assert desc.get("SequenceLengthsTensor").sizes[-1] == before.desc.get("SequenceLengthsTensor").sizes[-1] + 1
        assert field.cursor_position == len(field.value)

    explore(script, "reverse-1")


def test_a_form_with_more_rows_than_room_says_how_many_and_a_click_turns_the_page() -> None:
    async def script(driver: Driver) -> None:
        form = driver.form
        assert "▾" in driver.text("#form").split("\n")[-2]
        seen = set()
        for _ in range(20):
            text = driver.text("#form").split("\n")
            seen |= {word for line in text for word in line.split() if "put" in word and "[" in word}
            if "▾" not in text[-2]:
                break
            await driver.click("#form", 4, form.size.height - 2)
        assert len(seen) == 20
        assert "above" in text[-2]
        await driver.focus("InputTensors[0]")
        await driver.focus("InputCount")
        y, _ = driver.row("InputCount")
        assert y < form.size.height - 2, "nothing lies under the mark"

    explore(script, Session((MANY,)), (100, 30))


@pytest.mark.parametrize(
    ("top", "count", "room", "text"),
    [
        (0, 5, 5, ""),
        (0, 6, 5, "▾ 1 more line"),
        (0, 17, 5, "▾ 12 more lines"),
        (3, 17, 5, "▴ 3 above  ▾ 9 more lines"),
        (12, 17, 5, "▴ 12 lines above"),
        (0, 4005, 5, "▾ 4,000 more lines"),
    ],
)
def test_the_mark_counts_what_is_not_seen(top: int, count: int, room: int, text: str) -> None:
    assert more_of(top, count, room, 40) == text
    for width in range(40):
        assert len(more_of(top, count, room, width)) <= width


@pytest.mark.parametrize("count", [6, 11, 17, 40])
def test_clicks_on_the_mark_show_every_line_and_begin_again(count: int) -> None:
    room, top, seen = 5, 0, set[int]()
    for _ in range(count):
        seen |= set(range(top, top + room))
        top = after_click(top, count, room)
        if not top:
            break
    assert top == 0
    assert seen == set(range(count))


def test_lists_lose_spaces_before_their_end() -> None:
    assert fitted("1, 2, 3", 7) == "1, 2, 3"
    assert fitted("1, 2, 3", 6) == "1,2,3"
    assert fitted("1, 2, 3", 4) == "1,2…"
    assert cut("one two, three, four", 18) == "one two, three …"
    assert cut("one two three", 9) == "one two …"
    assert cut("one", 3) == "one"


@pytest.mark.parametrize(
    ("name", "key"), [("rule-sizes-repeat", "OutputTensor"), ("rule-level-operator", "FeatureLevel")]
)
def test_what_points_at_a_field_is_parted_from_the_word_behind_it(name: str, key: str) -> None:
    async def script(driver: Driver) -> None:
        assert re.search(r"◀ (given|≥2_1)", driver.row(key)[1])

    explore(script, name)
