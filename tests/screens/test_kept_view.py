"""Looking at a session in the explorer: nothing to be asked about, and in the file once it is saved."""

from __future__ import annotations

from pathlib import Path

from support.driver import Driver, explore

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.views import View
from dmlviz.session.writing import save

LOOKING = ("home", ".", ".", "s", "T", "down", ".")


def test_looking_asks_nothing_on_leaving_and_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save(examples.example("gather-2").session(), path)
    before = path.read_bytes()

    async def script(driver: Driver) -> None:
        await driver.press(*LOOKING)
        assert "● saved" in driver.text("#header")
        workspace = driver.screen.workspace
        assert workspace.document.views
        assert not workspace.document.past
        driver.app.exit = lambda *_: asked.append(driver.app.screen)  # type: ignore[method-assign]
        await driver.press("q")
        await driver.until(lambda: bool(asked))

    asked: list[object] = []
    explore(script, load(path), path=path)
    assert isinstance(asked[0], Explorer), "no dialog stands over it"
    assert path.read_bytes() == before


def test_what_is_saved_is_opened_as_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save(examples.example("gather-2").session(), path)
    seen: list[object] = []

    async def look(driver: Driver) -> None:
        await driver.press("home", ".", ".", "T", ".", "ctrl+s")
        picture = driver.screen.state.picture
        seen.append((picture.step, picture.cursor, driver.text("#picture")))

    async def look_again(driver: Driver) -> None:
        picture = driver.screen.state.picture
        seen.append((picture.step, picture.cursor, driver.text("#picture")))
        assert "step 3 of 8" in driver.text()

    explore(look, load(path), path=path)
    explore(look_again, load(path), path=path)
    assert seen[0] == seen[1]
    view = load(path).experiments[0].view.view
    assert view == View(step=3, unit="element", turned=True)
