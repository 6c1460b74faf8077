"""The gallery, and the dialogs about what is in a session: experiments, notes, copies, help, commands."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from support.driver import Driver, explore, header, is_top
from support.quiet_pilot import piloted
from textual.widgets import Button, Input, OptionList, Static, TextArea

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.scene.drawing.side_by_side import as_text, page, widths
from dmlviz.scene.layout.arrange import arrange
from dmlviz.screens.dialogs.ask_unsaved import AskUnsaved
from dmlviz.screens.dialogs.choose_operator import ChooseOperator
from dmlviz.screens.dialogs.copy_menu import CopyMenu
from dmlviz.screens.dialogs.experiments import Experiments
from dmlviz.screens.dialogs.gallery import Gallery, listed_examples, preview
from dmlviz.screens.dialogs.help_sheet import HelpSheet
from dmlviz.screens.dialogs.key_sheet import KeySheet
from dmlviz.screens.dialogs.notes_editor import NotesEditor
from dmlviz.screens.explorer.copying import picture_text
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.writing import save
from dmlviz.themes import DARK, LIGHT
from dmlviz.widgets.cell_entry import CellEntry
from dmlviz.widgets.choice_list import ChoiceList
from dmlviz.widgets.commands import COMMANDS, listed
from dmlviz.widgets.desc_strip import DescStrip
from dmlviz.widgets.form import FOOT, Form
from dmlviz.widgets.inks import inks_of
from dmlviz.widgets.notes_panel import NotesPanel
from dmlviz.widgets.number_input import NumberInput
from dmlviz.widgets.rules_panel import RulesPanel
from dmlviz.widgets.tensor_stack import TensorStack
from dmlviz.widgets.why_panel import WhyPanel

SIZES = [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)]


def many(*names: str) -> Session:
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    return Session(tuple(Experiment(name, desc) for name in names))


def top(driver: Driver, selector: str) -> str:
    return " ".join(str(driver.app.screen.query_one(selector, Static).render()).split())


async def drawn(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#preview") for word in words))


# ---- the gallery


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
def test_the_gallery_begins_with_twelve_steps_and_chooses_the_next_one(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        assert "Start here" in opened_line(driver)
        assert "12 steps, 0 opened" in opened_line(driver)
        assert "1 Two tensors, side by side" in driver.words("#entries")
        assert "join-1" in driver.text("#entries"), "the command line knows it by that"
        await drawn(driver, "dmlviz join-1", "What would Axis 2 have to say")
        await driver.press("enter")
        assert "JOIN" in header(driver)
        await driver.press("ctrl+o")
        assert "12 steps, 1 opened" in opened_line(driver)
        assert driver.words("#entries").startswith("Start here 12 steps, 1 opened ✔ 1 Two tensors")
        await drawn(driver, "dmlviz join-2-axis-3")
        await driver.press("escape")
        assert "JOIN" in header(driver)

    explore(script, size=size)


@pytest.mark.parametrize("by", ["key", "mouse"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_an_example_is_added_to_the_session_and_undo_takes_it_back(by: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
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
        assert any("Undo takes it back" in each.message for each in driver.app._notifications)
        await driver.press("ctrl+o")
        assert "inline-split" in driver.screen.workspace.opened_examples.names
        await driver.press("escape", "ctrl+z")
        assert document.session == before

    explore(script, size=size)


def test_adding_asks_nothing_where_opening_would_lose_an_edit() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("Axis")
        await driver.type("1")
        await driver.press("ctrl+o")
        assert is_top(driver, Gallery)
        await driver.press("ctrl+a")
        assert is_top(driver, Explorer)
        assert names(driver) == ["row gather", "two tensors, side by side"]
        await driver.press("ctrl+o", "enter")
        await driver.until(lambda: is_top(driver, AskUnsaved))

    explore(script)


def test_a_file_is_not_added_as_an_example(tmp_path: Path) -> None:
    save(examples.example("split-1").session(), tmp_path / "mine.json")

    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        driver.app.screen.query_one("#name", Input).value = f"{tmp_path}/mine"
        await drawn(driver, "SPLIT")
        await driver.press("ctrl+a")
        assert is_top(driver, Gallery)
        assert "Only an example" in top(driver, ".trouble")

    explore(script)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gather.fits", "gather-3-as-printed"),
        ("embedding", "gather-5"),
        ("reverse_subsequences column", "reverse-2"),
        ("Misprint tile", ""),
        ("tile-1", "tile-1"),
    ],
)
def test_words_are_looked_for_in_titles_names_operators_rules_and_notes(text: str, name: str) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        driver.app.screen.query_one("#name", Input).value = text
        await driver.settle()
        gallery = driver.app.screen
        assert isinstance(gallery, Gallery)
        assert (gallery.entry.example if gallery.entry is not None else "") == name

    explore(script)


def test_another_width_lays_the_list_out_anew_and_keeps_what_is_chosen() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o", "down", "down", "down")
        gallery = driver.app.screen
        assert isinstance(gallery, Gallery)
        chosen = gallery.entry
        for size in ((80, 24), (200, 50)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert gallery.entry == chosen
            found = gallery.query_one(OptionList)
            room, prompts = (
                found.scrollable_content_region.width,
                [str(each.prompt) for each in found.options if not each.disabled],
            )
            assert all(len(line.rstrip()) <= room for prompt in prompts for line in prompt.split("\n"))

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_chosen_is_previewed_with_its_picture(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        await driver.type("gather-2")
        await drawn(driver, "GATHER, example 2", "✔ valid", "What changes if Axis becomes 1", "Output", "C")
        assert size[1] < 30 or "Each index picks a whole row" in driver.words("#preview")
        driver.app.screen.query_one("#name", Input).value = "rule-gather-fits"
        await drawn(driver, "✘ gather.fits", "IndexDimensions is 2")
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert "row gather" in header(driver)

    explore(script, size=size)


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


def test_a_path_is_completed_and_folders_are_walked(tmp_path: Path) -> None:
    (tmp_path / "lessons").mkdir()
    for name in ("first.json", "finish.json", "other.txt", ".hidden.json"):
        save(examples.example("tile-1").session(), tmp_path / "lessons" / name)

    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        field = driver.app.screen.query_one("#name", Input)
        field.value = f"{tmp_path}/le"
        await driver.settle()
        await driver.press("tab")
        assert field.value == f"{tmp_path}/lessons/"
        await driver.settle()
        listed = [str(option.prompt).strip() for option in driver.app.screen.query_one(OptionList).options]
        assert listed[1:] == ["../  the folder above", "finish.json", "first.json"]
        assert listed[0].endswith("/lessons")
        await driver.type("f")
        await driver.press("tab")
        assert field.value == f"{tmp_path}/lessons/fi"
        await driver.press("down")
        await drawn(driver, "TILE", "✔ valid")
        await driver.press("enter")
        assert is_top(driver, Explorer)
        assert driver.screen.workspace.document.path == tmp_path / "lessons" / "first.json"

    explore(script)


def test_the_mouse_alone_opens_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(examples.example("split-1").session(), tmp_path / "mine.json")
    monkeypatch.chdir(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        await driver.click("#browse", 1)
        assert tmp_path.name[-10:] in driver.text("#entries")
        x, y = driver.find("mine.json", "#entries")
        await driver.click("#entries", x, y)
        assert is_top(driver, Gallery), "a click only shows what it is"
        await drawn(driver, "SPLIT")
        await driver.click("#open", 1)
        assert is_top(driver, Explorer)
        assert "SPLIT" in header(driver)

    explore(script)


def test_a_double_click_opens() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        x, y = driver.find("split-1", "#entries")
        await driver.pilot.click("#entries", offset=(x, y), times=2)
        await driver.settle()
        assert is_top(driver, Explorer)
        assert "SPLIT" in header(driver)

    explore(script)


def test_recent_sessions_stand_first(tmp_path: Path) -> None:
    save(examples.example("split-1").session(), tmp_path / "mine.json")

    async def script(driver: Driver) -> None:
        driver.app.push_screen(Gallery([tmp_path / "mine.json", tmp_path / "gone.json"]))
        await driver.settle()
        lines = driver.text("#entries").split("\n")
        assert "Recent sessions" in lines[0]
        assert "mine.json" in lines[1]
        assert "gone.json" not in driver.text("#entries")
        await drawn(driver, "SPLIT")

    explore(script)


def test_a_file_that_is_no_session_is_told_in_the_preview(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")

    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        driver.app.screen.query_one("#name", Input).value = f"{tmp_path}/bad"
        await drawn(driver, "expected JSON")
        await driver.press("enter")
        assert is_top(driver, Gallery)
        assert "bad.json" in top(driver, ".trouble")

    explore(script)


# ---- new, and experiments


@pytest.mark.parametrize("size", SIZES)
def test_a_new_session_begins_with_an_operator(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+n")
        assert is_top(driver, ChooseOperator)
        text = driver.text()
        for word in (
            "JOIN",
            "SPLIT",
            "REVERSE_SUBSEQUENCES",
            "GATHER",
            "TILE",
            "Cuts a tensor into parts",
            "esc cancels",
        ):
            assert word in text
        await driver.press("home", "down", "enter")
        assert driver.screen.workspace.experiment.name == "SPLIT"
        assert driver.screen.workspace.document.path is None
        assert "✔ valid" in header(driver)
        await driver.press("ctrl+n", "escape")
        assert driver.screen.workspace.experiment.name == "SPLIT"

    explore(script, size=size)


def names(driver: Driver) -> list[str]:
    return [each.name for each in driver.screen.workspace.document.session.experiments]


def test_experiments_are_edited_by_key() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+e", "down", "d")
        assert names(driver) == ["a", "b", "b 2"]
        await driver.press("r")
        await driver.type("new")
        await driver.press("enter")
        assert names(driver) == ["a", "b", "new"]
        await driver.press("shift+up", "shift+up")
        assert names(driver) == ["new", "a", "b"]
        await driver.press("a")
        assert is_top(driver, ChooseOperator)
        await driver.press("home", "enter")
        assert names(driver) == ["new", "JOIN", "a", "b"]
        await driver.press("down", "delete")
        assert names(driver) == ["new", "JOIN", "b"]
        await driver.press("u")
        assert names(driver) == ["new", "JOIN", "a", "b"]
        await driver.press("up", "enter")
        assert is_top(driver, Explorer)
        assert "JOIN" in header(driver)
        assert "2 of 4" in header(driver)
        for _ in range(5):  # each was one edit
            await driver.press("u")
        assert names(driver) == ["a", "b"]
        assert not driver.screen.state.document.dirty

    explore(script, many("a", "b"))


@pytest.mark.parametrize("size", SIZES)
def test_experiments_are_edited_by_mouse(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+e")
        x, y = driver.find("second", "#experiments")
        await driver.click("#experiments", x, y)
        assert is_top(driver, Experiments)
        for button, after in (
            ("duplicate", ["first", "second", "second 2"]),
            ("up", ["first", "second 2", "second"]),
            ("up", ["second 2", "first", "second"]),
            ("down", ["first", "second 2", "second"]),
            ("delete", ["first", "second"]),
            ("undo", ["first", "second 2", "second"]),
        ):
            pressed = driver.app.screen.query_one(f"#{button}")
            await driver.until(lambda pressed=pressed: not pressed.has_class("-active"))  # type: ignore[misc]
            await driver.click(pressed, 1)
            assert names(driver) == after
        await driver.click("#close", 1)
        assert "second 2" in header(driver)

    explore(script, many("first", "second"), size=size)


def test_the_only_experiment_cannot_be_deleted() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+e", "delete")
        assert "only experiment" in top(driver, ".trouble")
        await driver.press("r", "escape")  # from naming to the list, from the list out
        assert is_top(driver, Experiments)
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert names(driver) == ["a"]

    explore(script, many("a"))


# ---- notes


@pytest.mark.parametrize("size", SIZES)
def test_notes_are_written_beside_a_preview_and_undone_at_once(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        before = screen.workspace.document.session
        await driver.press("home", "n")
        assert is_top(driver, NotesEditor)
        area = driver.app.screen.query_one(TextArea)
        area.move_cursor((0, 0))
        await driver.type("*new* ")
        assert area.text.startswith("*new* Each index")
        assert screen.workspace.experiment.notes == area.text
        if size[0] >= 100:
            assert "new Each index" in driver.words("#preview"), "as Markdown"
        await driver.press("shift+tab")
        await driver.type("!")
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert screen.workspace.document.session.title.endswith("!")
        assert screen.state.picture.step == 0, "the picture goes on where it was"
        if size[0] >= 100:
            panel = next(each for each in screen.query(NotesPanel) if each.display)
            assert "new Each index" in driver.words(f"#{panel.id}")
        await driver.press("u")
        assert screen.workspace.document.session == before

    explore(script, size=size)


def test_ctrl_s_saves_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "lesson.json"
    save(many("a"), path)

    async def script(driver: Driver) -> None:
        assert not any(panel.display for panel in driver.screen.query(NotesPanel)), "no notes, no panel"
        await driver.press("n")
        await driver.type("Why?")
        await driver.press("ctrl+s")
        assert is_top(driver, Explorer)
        assert not driver.screen.state.document.dirty

    explore(script, load(path), path=path)
    assert load(path).experiments[0].notes == "Why?"


def test_notes_of_strangers_are_safe_to_look_at_and_are_not_changed_by_looking() -> None:
    evil = "one\x1b]0;title\x07 [red]two[/red]\n\n# three"
    session = many("a")
    session = session.with_experiment(0, replace(session.experiments[0], notes=evil))

    async def script(driver: Driver) -> None:
        await driver.until(lambda: "three" in driver.text("#notes"))
        assert "\x1b" not in driver.text()
        assert "[red]two[/red]" in driver.text("#notes")
        await driver.press("n")
        assert "\x1b" not in driver.text()
        await driver.press("escape")
        assert driver.screen.workspace.experiment.notes == evil
        assert not driver.screen.state.document.dirty

    explore(script, session)


def test_a_click_on_the_notes_edits_them() -> None:
    async def script(driver: Driver) -> None:
        await driver.click("#notes", 3, 2)
        assert is_top(driver, NotesEditor)
        await driver.click("#close", 1)
        assert is_top(driver, Explorer)

    explore(script)


# ---- copies


async def choose(driver: Driver, word: str) -> None:
    await driver.press("c")
    menu = driver.app.screen
    assert isinstance(menu, CopyMenu)
    options = menu.query_one(OptionList)
    options.highlighted = next(i for i, option in enumerate(options.options) if word in str(option.prompt))
    await driver.settle()


def test_what_is_copied_is_what_is_seen() -> None:
    async def script(driver: Driver) -> None:
        await choose(driver, "The formula")
        await driver.press("enter")
        formula = "Output[0,0] = Input[Indices[0,0],0] = Input[0,0] = 1"
        assert driver.app.clipboard.strip() == formula
        await choose(driver, "The desc")
        await driver.press("enter")
        found = json.loads(driver.app.clipboard)
        assert found["experiments"][0]["desc"]["Axis"] == 0
        await choose(driver, "The notes")
        await driver.press("enter")
        assert driver.app.clipboard == driver.screen.workspace.experiment.notes
        await choose(driver, "The picture")
        await driver.press("enter")
        lines = driver.app.clipboard.split("\n")
        assert lines[0].split() == ["InputTensor", "FLOAT32", "{3,", "2}", "OutputTensor", "FLOAT32", "{4,", "2}"]
        assert any(line.split() == ["B", "1", "3", "4", "×2", "B", "1", "3", "4"] for line in lines)
        said = list(driver.app._notifications)[-1].message
        assert f"{len(driver.app.clipboard):,} characters" in said

    explore(script)


def test_a_picture_is_of_the_step_that_is_shown() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("home", ".")
        assert picture_text(driver.screen.state).count("·") == 7

    explore(script)


@pytest.mark.parametrize("by", ["key", "mouse"])
def test_a_copy_goes_to_a_file_too(tmp_path: Path, by: str) -> None:
    path = tmp_path / "notes.md"

    async def script(driver: Driver) -> None:
        await choose(driver, "The notes")
        if by == "key":
            await driver.press("f")
        else:
            await driver.click("#file", 1)
        driver.app.screen.query_one("#name", Input).value = str(tmp_path / "no" / "x.md")
        await driver.press("enter")
        driver.app.screen.query_one("#name", Input).value = str(path)
        await driver.press("enter")
        assert is_top(driver, Explorer)
        assert path.read_text() == driver.screen.workspace.experiment.notes

    explore(script)


def test_what_is_too_long_for_a_clipboard_goes_to_a_file(tmp_path: Path) -> None:
    session = many("a")
    session = session.with_experiment(0, replace(session.experiments[0], notes="x" * 100_001))

    async def script(driver: Driver) -> None:
        await choose(driver, "The notes")
        await driver.press("enter")
        assert driver.app.clipboard == ""
        driver.app.screen.query_one("#name", Input).value = str(tmp_path / "long.md")
        await driver.press("enter")
        assert len((tmp_path / "long.md").read_text()) == 100_001

    explore(script, session)


def test_a_giant_picture_is_cut_and_says_so() -> None:
    async def script(driver: Driver) -> None:
        text = picture_text(driver.screen.state)
        assert "is cut to 200 columns and 400 lines" in text
        assert len(text) < 200_000

    explore(script, Session((Experiment("g", dml.Tile(dml.TensorDesc("INT8", (65535, 32767)), (1, 2))),)))


def test_a_page_holds_every_value_of_a_small_picture() -> None:
    for each in examples.all_examples():
        for experiment in each.session().experiments:
            if not experiment.check().ok:
                continue
            scene = arrange(experiment.trace(), 300, 200)
            text = as_text(page(scene, *widths(scene), 400))
            for part in experiment.desc.parts:
                assert part.path in text
            assert all(line == line.rstrip() for line in text.split("\n"))


# ---- commands, help, keys


def test_the_palette_offers_what_can_act_and_nothing_else() -> None:
    async def script(driver: Driver) -> None:
        def offered() -> set[str]:
            return {each.title for each in driver.app.get_system_commands(driver.app.screen)}

        idle = {command.title for command in listed() if command.pane == "explorer"}
        idle -= {
            "Undo",
            "Redo",
            "Previous experiment",
            "Next experiment",
            "Previous bookmark",
            "Next bookmark",
            "Recolour",
        }
        idle -= {
            "Cancel run",
            "Back to the picture",
            "Apply fix 1",
            "Next broken rule",
            "Recolour",
            *(f"Fix {n}" for n in range(1, 10)),
        }
        assert idle <= offered()
        never = {"Undo", "Cancel run", "Fix 1", "Next broken rule", "Add a tensor", "Unpin", "Next experiment"}
        assert not never & offered()
        await driver.focus("Axis")
        await driver.type("7")
        assert {"Undo", "Apply fix 1", "Next broken rule"} <= offered()
        assert not {"Play", "Run", "Redo", "Pin", "Fix 9"} & offered()
        await driver.press("ctrl+z")
        assert {"Redo", "Play", "Run"} <= offered()
        assert not {"Undo", "Apply fix 1"} & offered()

    explore(script)


def test_every_command_has_somebody_who_does_it() -> None:
    kinds = {"explorer": Explorer, "form": Form, "picture": TensorStack, "rules": RulesPanel, "why": WhyPanel}
    kinds |= {"number": NumberInput, "choices": ChoiceList, "cell": CellEntry, "strip": DescStrip}
    for command in COMMANDS:
        owner = DmlvizApp if command.action.startswith("app.") else kinds[command.pane]
        assert callable(getattr(owner, f"action_{command.name.removeprefix('app.')}")), command.id
        assert command.title
        assert command.help


def test_the_palette_does_what_it_says_even_from_a_field() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("Axis")
        await driver.press("ctrl+p")
        await driver.type("First step")
        await driver.until(lambda: "before anything is written" in driver.text())
        await driver.press("enter")
        await driver.until(lambda: driver.screen.state.picture.step == 0)

    explore(script)


@pytest.mark.parametrize(
    ("pane", "title", "key"),
    [("outputs", "The output", "Cell up"), ("inputs", "The inputs", "Cell up"), ("rules", "The rules", "All rules")],
)
def test_help_is_about_the_pane_with_the_focus(pane: str, title: str, key: str) -> None:
    async def script(driver: Driver) -> None:
        driver.screen.query_one(f"#{pane}").focus()
        await driver.press("f1")
        assert is_top(driver, HelpSheet)
        assert title in driver.text()
        assert key in driver.text()
        await driver.press("f1")
        assert is_top(driver, Explorer)
        await driver.focus("Axis")
        await driver.press("f1")
        assert "One more" in driver.text()

    explore(script)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("by", ["key", "mouse", "palette"])
def test_a_field_is_explained_with_its_rules(size: tuple[int, int], by: str) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("f2")
        field = await driver.focus("IndexDimensions")
        if by == "key":
            await driver.press("f1")
        elif by == "mouse":
            y = driver.form.size.height - FOOT
            line = driver.text("#form").split("\n")[y]
            await driver.click("#form", line.rindex("?"), y)
        else:
            await driver.press("ctrl+p")
            await driver.type("help")
            await driver.until(lambda: "What the field or pane with the" in driver.text())
            await driver.press("enter")
        await driver.until(lambda: is_top(driver, HelpSheet))
        text = " ".join(driver.text().split())
        for said in (
            "UINT",
            "[0, 2]",
            "GATHER page: IndexDimensions",
            "Rules that speak of it",
            "index_dimensions.range",
        ):
            assert said in text
        for _ in range(40):
            if "indices.leading" in driver.text():
                break
            await driver.press("down")
        assert "indices.leading" in driver.text()
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert driver.screen.focused is field, "where one was"

    explore(script, size=size)


def test_a_field_s_help_lists_the_keys_of_that_field_only() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("Axis")
        await driver.press("f1")
        assert "One more" in driver.text()
        assert "Add a tensor" not in driver.text()
        await driver.press("f1")
        driver.form.focus_row("DataType")
        await driver.press("f1")
        assert "Open the choices" in driver.text()
        assert "One more" not in driver.text()

    explore(script)


def test_the_key_sheet_scrolls_where_room_is_short() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("question_mark")
        assert is_top(driver, KeySheet)
        assert "Copy" not in driver.text()
        for _ in range(20):
            if "Copy" in driver.text():
                break
            await driver.press("pagedown")
        assert "Copy" in driver.text()
        await driver.press("end")
        await asyncio.sleep(0.5)  # it glides
        assert "esc closes" in driver.text()

    explore(script, size=(80, 24))


# ---- what is remembered, on the screen


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


def test_theme_and_speed_are_there_at_the_next_launch() -> None:
    async def first(driver: Driver) -> None:
        assert driver.app.theme == DARK.name
        driver.app.action_toggle_light()
        await driver.press("less_than_sign")
        assert driver.screen.state.picture.player.seconds == 5.0

    async def second(driver: Driver) -> None:
        assert driver.app.theme == LIGHT.name
        assert driver.screen.state.picture.player.seconds == 5.0

    remembering(first)
    assert json.loads(config().read_text()) == {"theme": LIGHT.name, "seconds": 5.0}
    remembering(second)


def test_keys_of_the_file_are_used_and_shown() -> None:
    config().parent.mkdir(parents=True)
    config().write_text('{"keys": {"steps.first": "d", "session.open": "f7", "steps.lats": "t"}}')

    async def script(driver: Driver) -> None:
        said = [each.message for each in driver.app._notifications]
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


def test_a_first_launch_says_one_line_until_a_key_is_pressed() -> None:
    async def first(driver: Driver) -> None:
        assert "t teaches you" in driver.text()
        await driver.press("down")
        assert "t teaches you" not in driver.text()

    async def later(driver: Driver) -> None:
        assert "t teaches you" not in driver.text()

    remembering(first)
    remembering(later)


def test_without_remembering_nothing_is_written() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("less_than_sign", "ctrl+e", "d", "enter")
        driver.app.action_toggle_light()
        await driver.settle()
        assert isinstance(driver.app.screen, Explorer)
        assert not driver.app.screen.query(Button).filter("#open")

    explore(script)
    assert not config().exists()
    assert not Path(os.environ["XDG_STATE_HOME"]).exists()


def test_leaving_over_the_experiments_keeps_what_was_done_there() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+e", "delete", "ctrl+q")
        await driver.until(lambda: is_top(driver, AskUnsaved))
        await driver.press("escape")
        assert "b" in header(driver)
        assert driver.screen.state.view.experiment is driver.screen.workspace.experiment
        assert names(driver) == ["b"]

    explore(script, many("a", "b"))


def test_looking_at_the_experiments_leaves_the_picture_as_it_is() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("home", ".")
        await driver.press("ctrl+e", "r")
        await driver.type("x")
        await driver.press("enter", "enter")
        assert is_top(driver, Explorer)
        assert "· x" in header(driver)
        assert driver.screen.state.picture.step == 1

    explore(script)


def test_the_theme_the_speed_and_the_step_unit_are_remembered_in_config_json() -> None:
    """The theme, the speed and the step unit are remembered in `config.json` in the user's configuration folder
    (*Settings file* in the palette says where)."""

    async def chooses(driver: Driver) -> None:
        driver.app.theme = LIGHT.name
        await driver.press("less_than_sign", "s")
        driver.app._say_settings()
        await driver.settle()
        (said,) = [each.message for each in driver.app._notifications if "settings and keys" in each.message]
        assert said == f"settings and keys are in {config()}"
        commands = [each.title for each in driver.app.get_system_commands(driver.app.screen)]
        assert "Settings file" in commands

    async def finds(driver: Driver) -> None:
        player = driver.screen.state.picture.player
        assert (driver.app.theme, player.seconds, player.unit.value) == (LIGHT.name, 5.0, "run")

    remembering(chooses)
    assert config().name == "config.json"
    held = json.loads(config().read_text())
    assert (held["theme"], held["seconds"], held["unit"]) == (LIGHT.name, 5.0, "run")
    remembering(finds)


def test_settings_that_the_screen_cannot_use_are_told_and_the_others_used() -> None:
    config().parent.mkdir(parents=True)
    config().write_text('{"theme": "no such", "animation": false, "seconds": 10}')

    async def script(driver: Driver) -> None:
        assert driver.app.theme == DARK.name
        (said,) = [each.message for each in driver.app._notifications if "theme" in each.message]
        assert 'theme is "no such", expected one of' in said
        assert driver.screen.state.picture.player.seconds == 10.0
        await driver.press("home", "space")
        assert driver.screen.state.picture.step == 1, "without animation a key press is a step"

    remembering(script)
    assert json.loads(config().read_text())["theme"] == "no such", "nothing that a user wrote is lost"
