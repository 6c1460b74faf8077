"""The screen of a question in German: what the program says of the question, and no placeholder."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.driver import Driver, explore

from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.teaching.words.catalogue import ENVIRONMENT

NAMED = re.compile(r"\{[A-Za-z_]+\}")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_question_its_hints_and_its_verdict_are_german(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, "de")

    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        screen = driver.app.screen
        assert isinstance(screen, QuestionScreen)

        def shown() -> str:
            text = " ".join(driver.text().split())
            assert not NAMED.search(text)
            return text

        await driver.until(lambda: "Welches Bild ist OutputTensor?" in shown())
        await driver.press("h")
        await driver.until(lambda: "IndicesTensor, Axis und IndexDimensions" in shown())
        await driver.press("h")
        await driver.until(lambda: "Nimmt Scheiben eines Tensors entlang einer Achse, nach Index." in shown())
        question = screen.state.question
        wrong = next(each.id for each in question.choices if each.id != question.truth)
        await driver.press(wrong, "enter")
        await driver.until(lambda: not screen.state.open)
        await driver.until(lambda: f"{wrong} ist die Antwort nach „" in shown() and " Zellen." in shown())
        assert "Sieh hin:" in shown()

    explore(script, "gather-2", size)


def test_the_task_of_a_german_session_is_asked_in_german(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    held = examples.example("gather-2").session().experiments[0]
    task = {"say": "Was steht da?", "ask": {"kind": "cell"}}
    session = Session((replace(held, extra={"task": task}),), extra={"lang": "de"})

    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        await driver.until(lambda: "Was steht da?" in driver.text())
        await driver.press("h")
        await driver.until(lambda: "IndicesTensor, Axis und IndexDimensions" in " ".join(driver.text().split()))

    explore(script, session)
