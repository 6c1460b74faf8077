"""Questions before work is given up: asked when it is time, and answered by nothing that was meant for elsewhere."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.driver import Driver, explore, header, is_top
from support.real_terminal import Terminal
from textual.widgets import Input

from dmlviz.screens.dialogs.ask_name import AskName
from dmlviz.screens.dialogs.asking import AskChanged, AskLost, AskReplace, AskUnsaved
from dmlviz.screens.dialogs.choose import ChooseOperator
from dmlviz.screens.dialogs.dialog import Dialog
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.kept import Kept
from dmlviz.session.reading import load
from dmlviz.session.recovery import LostSession
from dmlviz.session.writing import save
from dmlviz.widgets.lib.painted import BAR

GIVES_UP = ("discard", "overwrite", "replace")
"""Answers after which something is gone."""
OPEN, DISCARD = b"\x0f", b"\x04"


def lost() -> Dialog[Any]:
    return AskLost(LostSession(Kept(Path("lost"), None), Document(examples.example("gather-2").session()), 0.0), 0)


QUESTIONS: list[Callable[[], Dialog[Any]]] = [
    AskUnsaved,
    lost,
    lambda: AskReplace("lesson.json"),
    lambda: AskChanged("lesson.json"),
]


async def edit_axis(driver: Driver) -> None:
    await driver.focus("Axis")
    await driver.press("1")
    driver.screen.query_one("#outputs").focus()
    await driver.settle()
    assert driver.screen.state.document.dirty


def test_opening_asks_once_something_is_chosen() -> None:
    async def script(driver: Driver) -> None:
        await edit_axis(driver)
        document = driver.screen.workspace.document
        held = document.session
        await driver.press("ctrl+o")
        assert is_top(driver, Gallery)
        await driver.press("escape")
        assert is_top(driver, Explorer)
        await driver.press("ctrl+o")
        await driver.type("split-1")
        await driver.press("enter")
        assert is_top(driver, AskUnsaved)
        await driver.press("escape")
        assert is_top(driver, Gallery)
        assert driver.app.screen.query_one("#name", Input).value == "split-1"
        assert driver.screen.workspace.document.session is held
        await driver.press("enter", "ctrl+s")  # the session has no file yet
        assert is_top(driver, AskName)
        await driver.press("escape")
        assert is_top(driver, Gallery)
        await driver.press("enter", "ctrl+d")
        assert is_top(driver, Explorer)
        assert "SPLIT" in header(driver)
        assert driver.screen.workspace.document is not document

    explore(script)


def test_what_is_saved_before_another_is_opened_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def script(driver: Driver) -> None:
        await edit_axis(driver)
        await driver.press("ctrl+o")
        await driver.type("split-1")
        await driver.press("enter", "enter")  # the first button saves
        await driver.until(lambda: is_top(driver, Explorer))
        assert "SPLIT" in header(driver)

    explore(script, load(path), path=path)
    assert load(path).experiments[0].desc.get("Axis") == 1


def test_a_new_session_asks_once_an_operator_is_chosen() -> None:
    async def script(driver: Driver) -> None:
        await edit_axis(driver)
        document = driver.screen.workspace.document
        await driver.press("ctrl+n", "down", "enter")
        assert is_top(driver, AskUnsaved)
        await driver.press("escape")
        assert is_top(driver, ChooseOperator)
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert driver.screen.workspace.document is document
        assert document.dirty
        await driver.press("ctrl+n", "down", "enter", "ctrl+d")
        assert is_top(driver, Explorer)
        assert driver.screen.workspace.document is not document

    explore(script)


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_letter_gives_anything_up_and_an_arrow_with_enter_does(question: Callable[[], Dialog[Any]]) -> None:
    async def script(driver: Driver) -> None:
        answers: list[Any] = []
        for char in f"{string.ascii_letters}{string.digits} .,-":
            if is_top(driver, Explorer):
                driver.app.push_screen(question(), answers.append)
                await driver.settle()
            await driver.press(char)
            assert not [each for each in answers if each in GIVES_UP], char
        if not is_top(driver, Explorer):
            await driver.press("escape")
        answers.clear()
        driver.app.push_screen(question(), answers.append)
        await driver.settle()
        await driver.press("right", "left", "right", "enter")
        assert answers[0] in GIVES_UP

    explore(script)


@pytest.mark.slow
def test_a_word_that_is_typed_behind_ctrl_o_loses_nothing(start: Callable[..., Terminal], tmp_path: Path) -> None:
    """The bytes of a fast hand: an edit, ctrl+o, a word with every letter that was a button, enter, the word again."""
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")
    terminal = start("lesson.json", size=(100, 30))
    terminal.until("✔ valid")
    terminal.burst(b"e77\r")
    terminal.until("unsaved")
    terminal.burst(OPEN + b"dso")
    terminal.until("dso")
    terminal.burst(b"\x7f\x7f\x7fsplit-1\rdso discards")
    terminal.until("unsaved changes")
    terminal.burst(b"\x1b")
    terminal.until(lambda text: "unsaved changes" not in text and "split-1" in text)
    terminal.burst(b"\x1b")
    terminal.until(lambda text: "Open a session file" not in text and "GATHER" in text and "77" in text)
    terminal.burst(OPEN + b"split-1\r")
    terminal.until("unsaved changes")
    terminal.burst(DISCARD)
    terminal.until(lambda text: "SPLIT ·" in text)
    terminal.quits()


def test_typing_replaces_the_name_to_save_as_and_keeps_folder_and_suffix(tmp_path: Path) -> None:
    path = tmp_path / "my.lesson.json"
    save(examples.example("gather-2").session(), path)

    async def script(driver: Driver) -> None:
        await driver.press("f12")
        field = driver.app.screen.query_one(Input)
        assert field.selected_text == "my.lesson"
        await driver.type("other")
        assert field.value == str(tmp_path / "other.json")
        await driver.press("enter")
        await driver.until(lambda: (tmp_path / "other.json").exists())
        await driver.press("x")
        await driver.until(lambda: "making" not in driver.text("#source"))
        await driver.press("ctrl+s")
        field = driver.app.screen.query_one(Input)
        assert field.selected_text == "other-numpy"
        await driver.press("end")
        assert field.value == str(tmp_path / "other-numpy.py")

    explore(script, load(path), path=path)


def test_an_experiment_that_is_named_after_its_operator_is_listed_by_one_word() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+e", "ctrl+n", "enter")
        lines = [" ".join(line.strip(BAR + "▸ ").split()) for line in driver.text("#experiments").split("\n")]
        assert lines[:2] == ["1 ✔ row gather GATHER", "2 ✔ GATHER"]

    explore(script)


def test_html_in_notes_is_seen_as_it_was_written() -> None:
    notes = "Row <b>one</b> is\n<i>picked</i>.\n\n<p>And a</p>\n<hr>\n\n- an <u>item</u>\n- <div>one more</div>"

    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        driver.edit(replace(before, notes=notes))
        await driver.press("n")
        await driver.until(lambda: "item" in driver.text("#preview"))
        shown = driver.words("#preview")
        for text in ("Row <b>one</b> is <i>picked</i>.", "<p>And a</p> <hr>", "an <u>item</u>", "<div>one more</div>"):
            assert text in shown

    explore(script, size=(150, 44))


@pytest.mark.parametrize("name", ["gather-2", "gather-3-as-printed", "rule-level-operator", "warning-index-range"])
def test_the_palette_offers_the_fixes_that_there_are_and_says_what_they_do(name: str) -> None:
    async def script(driver: Driver) -> None:
        fixes = driver.screen.state.view.why.fixes
        offered = {each.title: each.help for each in driver.screen.offers()}
        assert sorted(title for title in offered if title.startswith("Fix ")) == [
            f"Fix {n}" for n in range(1, len(fixes) + 1)
        ]
        assert ("Apply fix 1" in offered) is bool(fixes)
        for n, fix in enumerate(fixes, 1):
            assert offered[f"Fix {n}"] == f"{fix.label} ({n})"

    explore(script, name)
