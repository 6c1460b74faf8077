"""The gallery: examples and files are looked for, previewed, opened and added."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console
from support.driver import SIZES, Driver, header, is_top, names, top
from textual.widgets import Input, Static

from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.gallery import Gallery, listed_examples, preview
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.writing import save
from dmlviz.widgets.lib.inks import inks_of


async def drawn(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#preview") for word in words))


def test_the_course_stands_first_and_every_example_somewhere_behind_it() -> None:
    entries = listed_examples()
    groups = list(dict.fromkeys(each.group for each in entries))
    assert [each.group for each in entries] == sorted((e.group for e in entries), key=groups.index)
    steps = [each.name for each in entries if each.group == course.START_HERE]
    assert steps == list(course.START) == [each.name for each in entries[: len(steps)]]
    assert {each.name for each in entries} == {each.name for each in examples.all_examples()}


def opened_line(driver: Driver) -> str:
    return driver.text("#entries").split("\n")[0]


@pytest.mark.parametrize("size", SIZES)
async def test_the_gallery_begins_with_twelve_steps_and_chooses_the_first(driver: Driver) -> None:
    await driver.press("ctrl+o")
    assert "Start here" in opened_line(driver)
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
    assert (gallery.entry.name if gallery.entry is not None else "") == name


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_chosen_is_previewed_with_its_picture(driver: Driver, size: tuple[int, int]) -> None:
    await driver.press("ctrl+o")
    await driver.type("gather-2")
    await drawn(driver, "GATHER, example 2", "✔ valid", "What changes if Axis becomes 1", "Output", "C")
    assert size[1] < 30 or "Each index picks a whole row" in driver.words("#preview")
    driver.app.screen.query_one("#name", Input).value = "rule-gather-fits"
    await drawn(driver, "✘ invalid", "gather.fits: IndexDimensions is 2")
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


async def test_a_path_is_suggested_and_taken(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "lessons").mkdir()
    for name in ("first.json", "finish.json", "finish.txt", ".hidden.json"):
        save(examples.example("tile-1").session(), tmp_path / "lessons" / name)
    await driver.press("ctrl+o")
    field = driver.app.screen.query_one("#name", Input)
    field.value = f"{tmp_path}/le"
    field.cursor_position = len(field.value)
    for end in ("lessons/", "lessons/finish.json"):
        await driver.until(lambda end=end: field._suggestion.endswith(end))  # type: ignore[misc]
        await driver.press("right")
        assert field.value == f"{tmp_path}/{end}"
    await drawn(driver, "TILE", "✔ valid")
    await driver.press("enter")
    await driver.until(lambda: is_top(driver, Explorer))
    assert driver.screen.workspace.document.path == tmp_path / "lessons" / "finish.json"


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
    await driver.until(lambda: is_top(driver, Explorer))
    assert "SPLIT" in header(driver)
    assert driver.screen.workspace.document.path == good
