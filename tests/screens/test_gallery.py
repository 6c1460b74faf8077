"""The gallery: examples and files are looked for, previewed, opened and added."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console
from support.driver import SIZES, Driver, header, is_top, names, top
from textual.widgets import Input, Static

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.asking import AskUnsaved
from dmlviz.screens.dialogs.gallery import Gallery, listed_examples, preview
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.writing import save
from dmlviz.widgets.lib.inks import inks_of


async def drawn(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#preview") for word in words))


def test_the_course_stands_first_and_every_example_somewhere_behind_it() -> None:
    entries = listed_examples()
    groups = list(dict.fromkeys(each.group for each in entries))
    assert [each.group for each in entries] == sorted((e.group for e in entries), key=groups.index)
    assert [each.example for each in entries if each.step] == list(course.START)
    assert [each.step for each in entries[: len(course.START)]] == [*range(1, len(course.START) + 1)]
    assert {each.example for each in entries if not each.step} == {each.name for each in examples.all_examples()}


def opened_line(driver: Driver) -> str:
    return driver.text("#entries").split("\n")[0]


@pytest.mark.parametrize("size", SIZES)
async def test_the_gallery_begins_with_twelve_steps_and_chooses_the_first(driver: Driver) -> None:
    await driver.press("ctrl+o")
    assert "Start here" in opened_line(driver)
    assert "12 steps" in opened_line(driver)
    assert "1 Two tensors, side by side" in driver.words("#entries")
    await drawn(driver, "dmlviz join-1", "What would Axis 2 have to say")
    await driver.press("enter")
    assert "JOIN" in header(driver)
    await driver.press("ctrl+o")
    await driver.press("down", "down", "enter")
    assert driver.screen.workspace.document.session == course.listed()[2].example.session()


@pytest.mark.parametrize("by", ["key", "mouse"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_an_example_is_added_to_the_session_and_undo_takes_it_back(driver: Driver, by: str) -> None:
    document = driver.screen.workspace.document
    before = document.session
    await driver.press("ctrl+o")
    assert "adds" in driver.text("#doing")
    await driver.type("the four ways")
    await drawn(driver, "SPLIT")
    if by == "key":
        await driver.press("ctrl+a")
    else:
        await driver.click("#add", 1)
    assert is_top(driver, Explorer)
    assert driver.screen.workspace.document is document, "nothing was opened in its place"
    assert names(driver) == ["row gather", "1 + 1 + 1", "1 + 2", "2 + 1", "3, a copy"]
    assert "2 of 5" in header(driver)
    assert "SPLIT" in header(driver)
    assert any("Undo takes it back" in notice for notice in driver.notices)
    await driver.press("ctrl+z")
    assert document.session == before


async def test_adding_asks_nothing_where_opening_would_lose_an_edit(driver: Driver) -> None:
    await driver.focus("Axis")
    await driver.type("1")
    await driver.press("ctrl+o")
    assert is_top(driver, Gallery)
    await driver.press("ctrl+a")
    assert is_top(driver, Explorer)
    assert names(driver) == ["row gather", "two tensors, side by side"]
    await driver.press("ctrl+o", "enter")
    await driver.until(lambda: is_top(driver, AskUnsaved))


async def test_a_file_is_not_added_as_an_example(driver: Driver, tmp_path: Path) -> None:
    save(examples.example("split-1").session(), tmp_path / "mine.json")
    await driver.press("ctrl+o")
    driver.app.screen.query_one("#name", Input).value = f"{tmp_path}/mine.json"
    await drawn(driver, "SPLIT")
    await driver.press("ctrl+a")
    assert is_top(driver, Gallery)
    assert "Only an example" in top(driver, ".trouble")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gather.fits", "rule-gather-fits"),
        ("embedding", "gather-5"),
        ("reverse_subsequences column", "reverse-2"),
        ("Misprint tile", ""),
        ("tile-1", "tile-1"),
    ],
)
async def test_words_are_looked_for_in_titles_names_operators_rules_and_notes(
    driver: Driver, text: str, name: str
) -> None:
    await driver.press("ctrl+o")
    await driver.fill(text)
    gallery = driver.app.screen
    assert isinstance(gallery, Gallery)
    assert (gallery.entry.example if gallery.entry is not None else "") == name


async def test_another_width_lays_the_list_out_anew_and_keeps_what_is_chosen(driver: Driver) -> None:
    await driver.press("ctrl+o", "down", "down", "down")
    gallery = driver.app.screen
    assert isinstance(gallery, Gallery)
    chosen = gallery.entry
    for size in ((80, 24), (200, 50)):
        await driver.resize(size)
        assert gallery.entry == chosen
        assert chosen is not None
        assert chosen.title[:25] in driver.text("#entries")


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_chosen_is_previewed_with_its_picture(driver: Driver, size: tuple[int, int]) -> None:
    await driver.press("ctrl+o")
    await driver.type("gather-2")
    await drawn(driver, "GATHER, example 2", "✔ valid", "What changes if Axis becomes 1", "Output", "C")
    assert size[1] < 30 or "Each index picks a whole row" in driver.words("#preview")
    driver.app.screen.query_one("#name", Input).value = "rule-gather-fits"
    await drawn(driver, "✘ gather.fits", "IndexDimensions is 2")
    await driver.press("escape")
    assert is_top(driver, Explorer)
    assert "row gather" in header(driver)


@pytest.mark.parametrize("name", [each.name for each in examples.all_examples()])
def test_every_preview_keeps_within_its_room(name: str) -> None:
    session = examples.example(name).session()
    inks = inks_of(DmlvizApp(session).theme_variables, "background")
    for width, height in ((40, 16), (60, 24), (100, 30)):
        console = Console(width=width, color_system=None, legacy_windows=False)
        lines = console.render_lines(preview(session, width, height, inks), pad=False)
        assert len(lines) <= height + 1
        text = ["".join(segment.text for segment in line) for line in lines]
        assert max(map(len, text)) <= width
        assert session.title[:20] in " ".join(text)


def test_a_preview_of_a_giant_asks_for_its_window_only() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (65535, 32767)), (1, 2))
    session = Session((Experiment("giant", desc),))
    inks = inks_of(DmlvizApp(session).theme_variables, "background")
    Console(width=60, color_system=None).render_lines(preview(session, 60, 20, inks))


async def test_a_path_is_suggested_and_tab_takes_it(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "lessons").mkdir()
    for name in ("first.json", "finish.json", "finish.txt", ".hidden.json"):
        save(examples.example("tile-1").session(), tmp_path / "lessons" / name)
    await driver.press("ctrl+o")
    field = driver.app.screen.query_one("#name", Input)
    field.value = f"{tmp_path}/le"
    field.cursor_position = len(field.value)
    for end in ("lessons/", "lessons/finish.json"):
        await driver.until(lambda end=end: field._suggestion.endswith(end))  # type: ignore[misc]
        await driver.press("tab")
        assert field.value == f"{tmp_path}/{end}"
    await drawn(driver, "TILE", "✔ valid")
    await driver.press("enter")
    assert is_top(driver, Explorer)
    assert driver.screen.workspace.document.path == tmp_path / "lessons" / "finish.json"


async def test_a_double_click_opens(driver: Driver) -> None:
    await driver.press("ctrl+o")
    x, y = driver.find("split-1", "#entries")
    await driver.pilot.click("#entries", offset=(x, y), times=2)
    await driver.settle()
    assert is_top(driver, Explorer)
    assert "SPLIT" in header(driver)


async def test_recent_sessions_stand_first(driver: Driver, tmp_path: Path) -> None:
    save(examples.example("split-1").session(), tmp_path / "mine.json")
    driver.app.push_screen(Gallery([tmp_path / "mine.json", tmp_path / "gone.json"]))
    await driver.settle()
    lines = driver.text("#entries").split("\n")
    assert "Recent sessions" in lines[0]
    assert "mine.json" in lines[1]
    assert "gone.json" not in driver.text("#entries")
    await drawn(driver, "SPLIT")


async def test_a_file_that_is_no_session_is_told_in_the_preview(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    await driver.press("ctrl+o")
    driver.app.screen.query_one("#name", Input).value = f"{tmp_path}/bad.json"
    await drawn(driver, "expected JSON")
    await driver.press("enter")
    assert is_top(driver, Gallery)
    assert "bad.json" in top(driver, ".trouble")


async def test_a_file_is_opened_by_name_and_a_bad_one_is_told(driver: Driver, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    save(examples.example("split-1").session(), good)
    bad.write_text("{")
    first = driver.screen.workspace.document.session
    await driver.press("ctrl+o")
    for path in (bad, tmp_path / "none.json", tmp_path):
        field = driver.app.screen.query_one("#name", Input)
        field.value = f"{path}/" if path is tmp_path else str(path)
        await driver.settle()
        await driver.press("enter")
        assert is_top(driver, Gallery)
        await driver.until(lambda: bool(top(driver, ".trouble").strip()))  # what is no .json is read in a thread
        trouble = " ".join(str(driver.app.screen.query_one(".trouble", Static).render()).split())
        assert path.name in trouble
        assert trouble.endswith(".")
    await driver.enter("no such example")
    assert "No example" in str(driver.app.screen.query_one(".trouble", Static).render())
    assert driver.screen.workspace.document.session is first
    await driver.enter(str(good))
    assert "SPLIT" in header(driver)
    assert driver.screen.workspace.document.path == good
