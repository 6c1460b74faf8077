"""Stills: what they show, frame and say at a step is the scene's, and all of an experiment are of one size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from support.golden import Golden
from support.kinds import of_kind
from support.page_json import by_unit
from support.presentations import CLASSROOM

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.recording.pictures import Picture
from dmlviz.recording.recording import size_of
from dmlviz.recording.stills import MARK, Stills
from dmlviz.recording.tasks import exercises_of
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.steps.order import UNITS, Unit
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import CONTENT

SESSIONS = {example.name: example.session() for example in all_examples()}
SVG = "{http://www.w3.org/2000/svg}"
Cell = tuple[Place, int]


def pictures(name: str, unit: str = "") -> Iterator[tuple[Stills, Picture]]:
    for exercise in exercises_of(by_unit(SESSIONS[name], unit), asks=False):
        if exercise.picture is not None:
            yield Stills(exercise), exercise.picture


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def pieces(svg: str) -> str:
    """What is drawn, a line for all that is equally high: `40+52 #fff` is a box with its fill, `28 bold a` a text."""
    rows: dict[float, list[str]] = {}
    for each in ElementTree.fromstring(svg).iter():
        x, y, *looks = map(each.get, ("x", "y", "font-weight", "text-anchor", "font-size", "stroke-dasharray", "fill"))
        frame = f"+{each.get('width')} {each.get('stroke')}" if each.tag == f"{SVG}rect" else ""
        words = [x, frame, *(look for look in looks if look not in (None, "start")), each.text]
        rows.setdefault(float(y or 0), []).append(" ".join(filter(None, words)).replace(" +", "+"))
    return "\n".join(f"{y:g}: {' | '.join(row)}" for y, row in sorted(rows.items()))


def test_golden_stills() -> None:
    (pictures, goes_to, *_), (clamped, *_) = map(exercises_of, (load(CLASSROOM), SESSIONS["warning-index-range"]))
    (lettered,) = exercises_of(Session((of_kind("misprint")[0],)))
    drawn = [("pictures", pictures, 0), ("an element", goes_to, 0), ("letters", lettered, 0), ("a step", clamped, 4)]
    Golden(__file__).check({name: pieces(Stills(exercise).svg(step)) for name, exercise, step in drawn})


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_still_shows_what_the_scene_shows_at_its_step(name: str) -> None:
    for stills, picture in pictures(name):
        for step in sorted({0, min(1, count := picture.steps.count), count // 2, count}):
            found = texts(stills.svg(step))
            cells = [cell for table in picture.tables for cell in table.cells(picture.known(step))]
            assert {cell.text + cell.sign.replace("-", "−") for cell in cells} <= {*found}
            assert found.count(HIDDEN) == sum(not cell.is_known for cell in cells)


def moved(picture: Picture, step: int) -> tuple[set[Cell], set[Cell]]:
    """What the first element of a step reads and what the step writes, by the scene."""
    group = picture.steps.group(step)
    if group is None:
        return set(), set()
    links = group.links(0, group.count)
    rows = [*zip(links.output, links.flat, links.tensor, links.source, strict=True)]
    vias = links.via.tolist() if links.via is not None else []
    read, vias = rows[:1], vias[:1]
    sources = {(Place(False, int(k)), int(at)) for _, _, k, at in read if k != NOWHERE}
    sources |= {(Place(False, links.via_tensor), at) for at in vias}
    return sources, {(Place(True, int(k)), int(at)) for k, at, _, _ in rows}


@pytest.mark.drawn(6)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_still_frames_what_the_scenes_step_moves(name: str, unit: Unit) -> None:
    for stills, picture in pictures(name, unit):
        if picture.steps.unit is not unit:
            continue
        for step in sorted({0, 1, (count := picture.steps.count) // 2, count}):
            rectangles = [*ElementTree.fromstring(stills.svg(step)).iter(f"{SVG}rect")][1:]
            read, written = moved(picture, step)
            assert sum(each.get("stroke-dasharray") == "5 3" for each in rectangles) == len(written)
            boxes = [(each.get("x"), each.get("y")) for each in rectangles if each.get("stroke") == MARK]
            assert len({*boxes}) == len(read)
            # Cells are drawn in the order of the tables, and each frame is around the cell of what is read.
            cells = [each for each in rectangles if each.get("stroke") != MARK]
            places = [(table.place, flat) for table in picture.tables for flat in table.contents.flat.tolist()]
            at = {(each.get("x"), each.get("y")): place for each, place in zip(cells, places, strict=True)}
            assert {at[box] for box in boxes} == read


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", ["lesson-join", "lesson-split", "lesson-invalid", "reverse-2"])
def test_all_stills_of_an_experiment_are_of_one_size_and_nothing_moves(name: str) -> None:
    session = load(CONTENT / f"{name}.json") if name.startswith("lesson") else SESSIONS[name]
    for exercise in exercises_of(session):
        stills = Stills(exercise)
        steps = sorted({0, 1, exercise.count // 2, exercise.count} & {*range(exercise.count + 1)})
        drawn = [stills.svg(step) for step in steps]
        assert len({size_of(each) for each in drawn}) == 1
        wide, high = size_of(drawn[0])
        for each in drawn:
            for text in ElementTree.fromstring(each).iter(f"{SVG}text"):
                assert float(text.get("y", "0")) < high
                assert float(text.get("x", "0")) < wide
        if len(drawn) > 1 and "picture" not in stills.data.get("task", {}) and "tables" in stills.data:
            title = f"{stills.data['tables'][0]['path']} "
            every = [text for each in drawn for text in ElementTree.fromstring(each).iter(f"{SVG}text")]
            tops = {text.get("y") for text in every if text.text == f"{title}{stills.data['tables'][0]['type']}"}
            assert len(tops) == 1


def test_text_of_wide_characters_stays_in_the_image() -> None:
    """Ideographs are as wide as high in every font that has them."""
    notes = "**" + "どの行が出力されますか、上から順に書いてください" * 6 + "？**"
    experiment = replace(SESSIONS["gather-2"].experiments[0], notes=notes, name="二行を選ぶ" * 20)
    (exercise,) = exercises_of(Session((experiment,)), asks=False)
    svg = Stills(exercise).svg(0)
    wide, _ = size_of(svg)
    drawn = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}text") if each.text]
    lines = [each for each in drawn if any(ord(char) > 0x2E80 for char in each.text or "")]
    assert len(lines) > 4
    for each in lines:
        reach = sum(1 if ord(c) > 0x2E80 else 0.6 for c in each.text or "") * int(each.get("font-size", 16))
        assert float(each.get("x", "0")) + reach <= wide - 24


def test_an_invalid_desc_and_a_large_one_are_words() -> None:
    for desc, words in (
        (dml.Join([dml.TensorDesc("FLOAT64", (1, 1, 2, 2))] * 64, 3), "DataType is FLOAT64 in 65 tensors"),
        (dml.Tile(dml.TensorDesc("FLOAT32", (300, 400)), (1, 2)), "too large for a page"),
    ):
        (exercise,) = exercises_of(Session((Experiment("x", desc, FeatureLevel.L4_0),)))
        assert words in " ".join(texts(Stills(exercise).svg(0)))


def test_no_still_names_an_address() -> None:
    svg = next(pictures("gather-2"))[0].svg(1)
    assert svg.replace('xmlns="http://www.w3.org/2000/svg"', "").count("://") == 0
