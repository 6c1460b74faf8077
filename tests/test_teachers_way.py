"""The way of a lesson: written by keys in a real terminal, shown, recorded, printed, worked through and counted."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.browser import Tab, find_chromium, tab
from support.commands import process
from support.page_in_browser import WATCH, opened, value
from support.real_terminal import Terminal

from dmlviz.operators.join import Join
from dmlviz.recording.tasks import Asked, key_of, tasks_of
from dmlviz.session.examples import example
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.writing import save
from dmlviz.teaching.progress.hand_ins import HandIn, read_hand_in

pytestmark = [pytest.mark.slow, pytest.mark.integration]
CHROMIUM = find_chromium() or ""
SIZES = [(60, 18), (80, 24), (120, 36), (200, 50)]
ESCAPE, HOME, END, DOWN, PAGE_DOWN, NEXT, F2 = "\x1b", "\x1b[H", "\x1b[F", "\x1b[B", "\x1b[6~", "\x1b[1;5C", "\x1bOQ"
PALETTE, ERASE, SAVE = "\x10", "\x15", "\x13"
PASSED = ("Wrong rules that differ", "Hidden while", "The lesson", "May change", "Traps")
"""Rows of the author's dialog at which no key stops."""
SAYS = (
    "Axis 3. Which picture is the output?",
    "How many copies, at least, write the output?",
    "Which 6 numbers come first in memory?",
    "Put the three tensors side by side.",
)
OWN_WORDS = "Each row takes its piece of each tensor."
GOAL = r"1\s+2\s+5\s+6\s+9\s+10\b"
ASKED = (r"(?s)\ba\b.*\bb\b.*\bc\b.*\bd\b", GOAL, r"(?s)Output.*(·.*){12}", rf"(?s)goal.*{GOAL}")
"""What has to be in sight while a question is open: the pictures, the output to be copied, its blanks, the goal."""
TOLD = ("s = 0, 3 for k = 0, 1.", "6 copies", "Memory runs along the last axis", "Axis 2 → 3")
"""What is told with the answer, and not before."""
PAGES = (2, 1, 2, 2)
"""How often Page Down is pressed from the open question to that."""


def bare(name: str, called: str) -> Experiment:
    """An example's desc without its task and its notes, whose output follows what is changed."""
    shown = example(name).session().experiments[0]
    assert isinstance(shown.desc, Join)
    return replace(shown, name=called, notes="", extra={}, desc=Join(shown.desc.input_tensors, axis=shown.desc.axis))


def flat(text: str) -> str:
    """A screen's words without its lines and without the clock."""
    return " ".join(re.sub(r"\b\d\d:\d\d\b", "", text).split())


class Author:
    """Writes tasks in the dialog by what stands on the screen of a terminal; a click leads to a field of the form."""

    def __init__(self, file: Path) -> None:
        self.terminal = Terminal([sys.executable, "-m", "dmlviz", str(file)], 120, 64, file.parent)
        self.terminal.process.delaybeforesend = None
        self.terminal.until("1 of 4")

    def rows(self, text: str) -> list[str]:
        """The rows of the dialog at which keys stop, from the top."""
        found = [re.search(r"▊  ▎?(.*?)[\s▁-▇]*▎", line) for line in text.split("\n")]
        lines = [each.group(1) if each else "" for each in found]
        first = next((y for y, line in enumerate(lines) if line.startswith("Make a task of")), len(lines)) + 2
        shown = lines[first : next((y for y, line in enumerate(lines) if "Make it (m)" in line), first)]
        return [line for line in shown if line.strip() and not line.startswith(PASSED)]

    def at(self, label: str, keys: str, shown: str = "") -> None:
        """Goes to a row and presses a key there, until one of the rows, or the whole screen, shows what it did."""
        self.terminal.until(lambda text: any(row.startswith(label) for row in self.rows(text)))
        self.terminal.wait()
        names = [row.startswith(label) for row in self.rows(self.terminal.text())]
        self.terminal.send(HOME + DOWN * names.index(True))
        self.terminal.wait()
        self.terminal.send(keys)
        if shown:
            self.terminal.until(shown)

    def open(self) -> None:
        self.terminal.send(PALETTE)
        self.terminal.until("Search for commands")
        self.terminal.send("make a task")
        self.terminal.until("Write what this experiment asks")
        self.terminal.wait()  # nothing else is found
        self.terminal.send("\r")
        self.terminal.until("Make it (m)")

    def kind(self, kind: str) -> None:
        self.at("Kind", "\r", "change the desc until it makes a goal")
        self.at(kind.ljust(10), "\r", f"Kind            {kind}: ")

    def write(self, label: str, text: str) -> None:
        self.at(label, "\r")
        self.terminal.wait()
        self.terminal.send(f"{END}{ERASE}{text}\r")
        self.terminal.until(lambda shown: any(text in row for row in self.rows(shown)))

    def make(self, shown: str) -> None:
        self.terminal.until("Make it (m)")
        self.terminal.wait()
        self.terminal.send("m")
        self.terminal.until(lambda text: "Make it (m)" not in text and shown in text)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks and a level, written in the real program."""
    file = tmp_path_factory.mktemp("way") / "memory.json"
    names = ("join-1", "join-2-axis-3", "join-2-axis-2", "join-2-axis-3")
    called = ("pictures", "copies", "order", "goal")
    save(Session(tuple(map(bare, names, called)), "Before"), file)
    author = Author(file)
    terminal = author.terminal
    author.open()
    author.write("Say", SAYS[0])
    author.at("[ ] J5 ", " ", "[x] J5 ")
    author.write("    Say", OWN_WORDS)
    author.write("Title", "Joining in memory")
    author.write("Minutes", "8")
    terminal.send("p")
    terminal.until(lambda text: "step 1 of 1" in text and "Make it (m)" not in text)
    terminal.send(ESCAPE)
    author.make("? pictures")
    for number, (kind, says) in enumerate(zip(("runs", "order"), SAYS[1:3], strict=True), 2):
        terminal.send(NEXT)
        terminal.until(f"{number} of 4")
        author.open()
        author.kind(kind)
        author.write("Say", says)
        author.make(f"? {kind}")
    terminal.send(NEXT)
    terminal.until("4 of 4")
    author.open()
    author.kind("level")
    author.at("Set the goal", "\r", "The goal is set")
    author.make("? level")
    terminal.click_text("Axis             3")
    terminal.wait()
    terminal.send(f"{END}{ERASE}2")
    terminal.until("{1, 1, 6, 2}")
    terminal.send(ESCAPE)
    terminal.until("space play")
    author.open()
    author.at("Start here", "\r", "par 1")
    author.write("Say", SAYS[3])
    author.write("Afterwards", "Axis counts from 0.")
    author.make("? level")
    terminal.send(SAVE)
    terminal.until("● saved")
    terminal.quits()
    return file


def test_check_finds_nothing_wrong_with_what_was_written(lesson: Path) -> None:
    checked = process("check", lesson)
    assert (checked.code, checked.err) == (0, "")
    assert checked.out.count("✔") == 4
    assert [each.extra["task"]["say"] for each in load(lesson).experiments] == [*SAYS]


@pytest.mark.parametrize("size", SIZES)
def test_every_step_on_the_wall_shows_what_it_asks_about(size: tuple[int, int], lesson: Path, tmp_path: Path) -> None:
    wall = Terminal([sys.executable, "-m", "dmlviz", "present", str(lesson)], *size, tmp_path)
    wall.process.delaybeforesend = None
    for number, (says, asked, told, pages) in enumerate(zip(SAYS, ASKED, TOLD, PAGES, strict=True), 1):
        memory = size > (60, 18) and number in (2, 3)

        def is_open(text: str, at: str = f"{number} of 4", says: str = says, asked: str = asked) -> bool:
            return at in text and says in flat(text) and re.search(asked, flat(text)) is not None

        def is_told(text: str, says: str = says, told: str = told, memory: bool = memory) -> bool:
            return says in flat(text) and told in flat(text) and (not memory or "Memory run of" in flat(text))

        text = wall.until(is_open)
        assert told not in flat(text)
        assert "Memory run of" not in flat(text) or not memory
        for _ in range(pages):
            wall.wait()
            before = flat(wall.text())
            wall.send(PAGE_DOWN)
            wall.until(lambda text, before=before: flat(text) != before)  # type: ignore[misc]
        wall.until(is_told)  # a screen is drawn in parts
        if number == 1:
            wall.until(lambda text: OWN_WORDS in flat(text))
        wall.wait()
        wall.send(PAGE_DOWN)
    wall.until("Axis counts from 0.", "This is the end")
    wall.quits()


def test_the_lesson_is_recorded_in_four_formats(lesson: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")
    for suffix in ("html", "svg", "png", "gif"):
        more = () if suffix == "html" else ("--experiment", "copies", "--unit", "run")
        made = process("record", lesson, "-o", tmp_path / f"memory.{suffix}", *more)
        assert made.code == 0, made.err
    page = (tmp_path / "memory.html").read_text("utf-8")
    assert all(says in page for says in SAYS)
    stills = sorted(tmp_path.glob("*.svg"))
    assert len(stills) == len([*tmp_path.glob("*.png")]) == 7
    assert "one copy" not in stills[0].read_text("utf-8")
    assert all("one copy: 2 elements, 8 bytes" in still.read_text("utf-8") for still in stills[1:])
    (moving,) = tmp_path.glob("*.gif")
    with image.open(moving) as frames:
        assert frames.n_frames >= 7
        assert frames.info["loop"] == 0


# ---- the page


class Student:
    """Works a page through by mouse, by keys or by touch, as a hand does: nothing is called, all is pressed."""

    def __init__(self, page: Tab, hand: str) -> None:
        self.page, self.hand = page, hand

    async def press(self, element: str) -> None:
        """Presses an element, given as JavaScript, where it is in sight."""
        script = f"""(() => {{ const each = {element}; each.scrollIntoView({{ block: "center", behavior: "instant" }});
          const {{ x, y, width, height }} = each.getBoundingClientRect();
          return [x + width / 2, y + height / 2]; }})()"""
        x, y = await value(self.page, script)
        if self.hand == "mouse":
            await self.page.click(x, y)
        elif self.hand == "touch":
            await self.page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            await self.page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        else:
            await self.reach(element)
            kind = await value(self.page, "document.activeElement.type")
            for _ in range(await value(self.page, AHEAD.format(element)) if kind == "radio" else 0):
                await self.page.press("ArrowDown")
            if kind == "radio" and not await value(self.page, f"{element}.checked"):
                await self.page.press(" ")
            if kind in ("submit", "button"):
                key: dict[str, Any] = {"key": "Enter", "windowsVirtualKeyCode": 13}
                await self.page.call("Input.dispatchKeyEvent", type="keyDown", text="\r", **key)
                await self.page.call("Input.dispatchKeyEvent", type="keyUp", **key)

    async def reach(self, element: str) -> None:
        """Presses tab until an element, or one of its group, has the focus."""
        for _ in range(200):
            if await value(self.page, f"document.activeElement === {element} || {GROUP.format(element)}"):
                return
            await self.page.press("Tab")
        raise AssertionError(f"no tab leads to {element}")

    async def until(self, script: str, wanted: object) -> None:
        for _ in range(400):
            if (found := await value(self.page, script)) == wanted:
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"{script} is {found}, expected {wanted}")

    async def answer(self, number: int, task: Asked, key: str, says: str) -> None:
        """Answers a task, and reads what is said of it."""
        root = f"document.querySelectorAll('.dmlviz')[{number}]"
        if task.form == "choice":
            await self.press(f"{root}.querySelector('.task input[value=\"{key}\"]')")
        else:
            await self.press(f"{root}.querySelector('.task input[type=text]')")
            await value(self.page, f"({root}.querySelector('.task input').value = '') || 0")
            await self.page.call("Input.insertText", text=key)
        await self.press(f"{root}.querySelector('.task .answer')")
        await self.until(f"{root}.querySelector('.task .verdict').className", f"verdict {says}")

    async def hand_in(self, name: str, folder: Path) -> HandIn:
        await self.press("document.querySelector('.hand-in input')")
        await self.page.call("Input.insertText", text=name)
        await self.press("document.querySelector('.hand-in .save')")
        for _ in range(400):
            (*files,) = folder.glob("*.json")
            if files:
                return read_hand_in(files[0])
            await asyncio.sleep(0.05)
        raise AssertionError("nothing was downloaded")


GROUP = """((each) => each.type === "radio" && document.activeElement.type === "radio" &&
  each.closest(".task").contains(document.activeElement))({})"""
AHEAD = """((each) => {{ const all = [...each.closest(".task").querySelectorAll("input")];
  return (all.indexOf(each) - all.indexOf(document.activeElement) + all.length) % all.length; }})({})"""
"""Whether the focus is in an element's group, and how many it is ahead there."""


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path")
def test_the_page_is_printed_worked_through_and_counted(lesson: Path, tmp_path: Path) -> None:
    for name, more in (("page.html", ()), ("handout.html", ("--handout",))):
        assert process("record", lesson, "--to", "html", "-o", tmp_path / name, *more).code == 0
    pictures, copies, order = tasks_of(load(lesson))[:3]
    assert isinstance(pictures, Asked)
    assert isinstance(copies, Asked)
    assert isinstance(order, Asked)
    appended, forgotten = (key_of(pictures.question, pictures.question.answers[rule]) for rule in ("J5", "J6"))
    three = key_of(copies.question, copies.question.answers["J5"])
    students = (
        ("Ada", "mouse", (1400, 800), [(0, pictures.truth), (1, copies.truth), (2, order.truth)]),
        (
            "Ben, 17",
            "keys",
            (800, 1100),
            [(0, appended), (0, pictures.truth), (1, three), (1, three), (2, order.truth)],
        ),
        ("7", "touch", (390, 844), [(0, forgotten), (1, copies.truth)]),
    )

    async def work(name: str, hand: str, size: tuple[int, int], answers: list[tuple[int, str]]) -> Path:
        async with tab(CHROMIUM, "about:blank") as page:
            folder = tmp_path / hand
            folder.mkdir()
            await page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
            await page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": hand == "touch"}
            await page.call("Emulation.setDeviceMetricsOverride", **screen)
            await page.call("Emulation.setTouchEmulationEnabled", enabled=hand == "touch")
            if hand == "mouse":
                await opened(page, tmp_path / "handout.html")
                pdf = base64.b64decode((await page.call("Page.printToPDF", preferCSSPageSize=True))["data"])
                assert len(re.findall(rb"/Type\s*/Page\b", pdf)) in (3, 4)  # three, and the answers
            await opened(page, tmp_path / "page.html")
            assert await value(page, "document.documentElement.scrollWidth <= innerWidth")
            hint = "getComputedStyle(document.querySelector('.formula'), '::before').content"
            assert ("Tab" in await value(page, hint)) is (hand != "touch")  # a phone has no such keys
            student = Student(page, hand)
            for number, key in answers:
                task = (pictures, copies, order)[number]
                await student.answer(number, task, key, "right" if key == task.truth else "wrong")
            root = "document.querySelectorAll('.dmlviz')[1]"
            rows = f"[...{root}.querySelectorAll('.memory tr')].filter((row) => row.checkVisibility()).length"
            assert await value(page, rows) == 2
            before = await value(page, f"{root}.querySelector('.steps .now').textContent")
            await student.press(f"{root}.querySelector('.steps .first')")
            await student.until(f"{root}.querySelector('.steps .now').textContent === {before!r}", False)
            handed_in = await student.hand_in(name, folder)
            assert handed_in.name == name
            assert await value(page, "faults") == []
            return next(folder.glob("*.json"))

    files = [asyncio.run(work(*student)) for student in students]
    shown = process("progress", "--merge", *files)
    assert shown.code == 0, shown.err
    ids = [task.id for task in (pictures, copies, order)]
    for name, marks in (("Ada", "✓ ✓ ✓"), ("Ben, 17", "✗×2 ✗×2 ✓"), ("7", "✗ ✓ ·")):
        assert f"\n{name} {marks}\n" in re.sub(" +", " ", shown.out)
    table = [*csv.DictReader(io.StringIO(process("progress", "--merge", *files, "--csv").out))]
    given = {
        (row["task"], json.loads(row["answer"])): row for row in table if row["table"] == "answer" and row["rules"]
    }
    rules = {place: {*row["rules"].split()} for place, row in given.items()}
    assert {place: row["name"] for place, row in given.items()} == {
        (ids[0], appended): "Ben, 17",
        (ids[0], forgotten): "7",
        (ids[1], int(three)): "Ben, 17",
    }
    assert rules[ids[0], appended] == {"J5"}
    assert rules[ids[0], forgotten] == {"J6"}
    assert "J5" in rules[ids[1], int(three)]
    tried = {(row["name"], row["task"]): (row["first"], row["tries"]) for row in table if row["table"] == "try"}
    assert tried["Ben, 17", ids[0]] == ("wrong", "2")
    assert tried["Ada", ids[2]] == ("right", "1")
    assert [(row["name"], row["task"]) for row in table if row["table"] == "nothing"] == [("7", ids[2])]
