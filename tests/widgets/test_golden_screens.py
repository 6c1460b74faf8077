"""Whole screens at 80x24, gone through as somebody would who sees all of them."""

from __future__ import annotations

from support.driver import Driver, explore
from support.golden import Golden

from dmlviz.session import examples

GOLDEN = Golden(__file__)
WAY = {
    "a step, its copy and memory": ("gather-2", ("full_stop", "full_stop", "m")),
    "an invalid desc": ("rule-sizes-match", ()),
    "a chain and the cursor's path": ("chain-rotate-half", ("P",)),
    "a wrong answer": ("tile-1", ("g", "5", "enter")),
    "a puzzle": ("", ("escape", "t", "right", "enter")),
    "a wall": ("join-1", ("w",)),
}
"""What is shown: an example that is opened, or none, and the keys that lead there from what was shown before."""


def test_golden_screens() -> None:
    drawn = {}

    async def script(driver: Driver) -> None:
        for name, (opened, keys) in WAY.items():
            if opened:
                while len(driver.app.screen_stack) > 1:
                    await driver.press("escape")
                driver.open(examples.example(opened).session())
                await driver.settle()
            await driver.press(*keys)
            drawn[name] = driver.text()

    explore(script, size=(80, 24))
    GOLDEN.check(drawn)
