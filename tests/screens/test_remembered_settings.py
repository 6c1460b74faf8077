"""What is there at the next launch: theme, speed, step unit, the keys of the file; and what isn't written."""

from __future__ import annotations

import json
import os
from pathlib import Path

from support.driver import Driver, is_top
from support.quiet_pilot import piloted

from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.themes import DARK, LIGHT


def remembering(script: object, session: Session | None = None) -> None:
    import asyncio

    async def run() -> None:
        app = DmlvizApp(session or examples.example("gather-2").session(), remembers=True)
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)  # type: ignore[operator]
        app.close_keeper()

    asyncio.run(run())


def config() -> Path:
    return Path(os.environ["XDG_CONFIG_HOME"]) / "dmlviz" / "config.json"


def test_keys_of_the_file_are_used_and_shown() -> None:
    config().parent.mkdir(parents=True)
    config().write_text('{"keys": {"steps.first": "d", "session.open": "f7", "steps.lats": "t"}}')

    async def script(driver: Driver) -> None:
        said = driver.notices
        assert any("steps.lats" in each for each in said)
        await driver.press("d")
        assert driver.screen.state.picture.step == 0
        await driver.press("question_mark")
        line = next(line for line in driver.text().split("\n") if "First step" in line)
        assert "d  First step" in line
        assert not any("home" in line and "First step" in line for line in driver.text().split("\n"))
        await driver.press("escape")
        field = await driver.focus("Axis")
        await driver.press("d")
        assert field.value == "d", "a letter is text in a field, whatever it is for elsewhere"
        await driver.press("f7")
        assert is_top(driver, Gallery)

    remembering(script)


def test_the_theme_the_speed_and_the_step_unit_are_remembered_in_config_json() -> None:

    async def chooses(driver: Driver) -> None:
        assert driver.app.theme == DARK.name
        driver.app.action_toggle_light()
        await driver.press("less_than_sign", "s")
        offered = {each.title: each.callback for each in driver.app.get_system_commands(driver.app.screen)}
        offered["Settings file"]()
        await driver.settle()
        (said,) = [notice for notice in driver.notices if "settings and keys" in notice]
        assert said == f"settings and keys are in {config()}"

    async def finds(driver: Driver) -> None:
        player = driver.screen.state.picture.player
        assert (driver.app.theme, player.seconds, player.unit.value) == (LIGHT.name, 5.0, "run")

    remembering(chooses)
    assert config().name == "config.json"
    assert json.loads(config().read_text()) == {"theme": LIGHT.name, "seconds": 5.0, "unit": "run"}
    remembering(finds)
