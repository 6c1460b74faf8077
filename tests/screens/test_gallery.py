"""The gallery: examples and files are looked for, previewed, opened and added."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.driver import SIZES, Driver, is_top, names, top
from textual.widgets import Input

from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.writing import save


async def shown(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#preview") for word in words))


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_chosen_is_previewed_with_its_picture_and_opened(driver: Driver) -> None:
    await driver.press("ctrl+o")
    assert "1 Two tensors, side by side" in driver.words("#entries")
    await shown(driver, "dmlviz join-1", "✔ valid", "Output", "B B B B")
    driver.app.screen.query_one("#name", Input).value = "rule-gather-fits"
    await shown(driver, "✘ invalid", "gather.fits: IndexDimensions is 2")
    driver.app.screen.query_one("#name", Input).value = ""
    await driver.settle()
    await driver.press("down", "down", "enter")
    await driver.until(lambda: is_top(driver, Explorer))
    assert driver.screen.workspace.document.session == course.listed()[2].example.session()


@pytest.mark.parametrize("by", ["key", "mouse"])
@pytest.mark.parametrize("size", [(60, 18)])
async def test_an_example_is_added_to_the_session_and_undo_takes_it_back(driver: Driver, by: str) -> None:
    document = driver.screen.workspace.document
    before = document.session
    await driver.press("ctrl+o")
    await driver.type("the four ways")
    await shown(driver, "SPLIT")
    if by == "key":
        await driver.press("ctrl+a")
    else:
        await driver.click("#add", 1)
    assert driver.screen.workspace.document is document, "nothing was opened in its place"
    assert names(driver) == ["row gather", "1 + 1 + 1", "1 + 2", "2 + 1", "3, a copy"]
    await driver.press("ctrl+z")
    assert document.session == before


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
    await shown(driver, "TILE", "✔ valid")
    await driver.press("enter")
    await driver.until(lambda: is_top(driver, Explorer))
    assert driver.screen.workspace.document.path == tmp_path / "lessons" / "finish.json"


async def test_a_bad_file_is_told_and_the_gallery_stays(driver: Driver, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    first = driver.screen.workspace.document.session
    await driver.press("ctrl+o")
    for path in (bad, tmp_path / "none.json", tmp_path):
        await driver.fill(f"{path}/" if path is tmp_path else str(path))
        await driver.press("enter")
        await driver.until(lambda path=path: is_top(driver, Gallery) and path.name in top(driver, ".trouble"))  # type: ignore[misc]
    await driver.enter("no such example")
    assert "No example" in top(driver, ".trouble")
    assert is_top(driver, Gallery)
    await driver.press("escape")
    assert driver.screen.workspace.document.session is first
