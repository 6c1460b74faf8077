"""The whole course in a real terminal, from beginning to end: its lessons and levels, by keys or by mouse bytes.

A twin without a terminal is pressed and clicked alike: it knows the right answers, and what must stand on the screen.
In the middle of each lesson the terminal is resized there and back, and the program is killed; it goes on there.

    python tests/support/whole_course.py 80x24 keys [join L05 …]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from textual.events import MouseScrollDown, MouseScrollUp
from textual.widget import Widget
from textual.widgets import Button

from dmlviz.app import DmlvizApp
from dmlviz.screens.learn.course_map import CourseMapScreen, LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.session import examples, recent_files
from dmlviz.teaching.lessons.lessons import shipped_lessons, shipped_levels
from dmlviz.teaching.progress.progress import Progress
from support.course import go_to, place_on_map
from support.driver import Driver
from support.lesson_play import answer_by_keys, answer_by_mouse, asked, click_footer, running
from support.level_play import solve_by_keys, solve_by_mouse
from support.quiet_pilot import piloted
from support.real_terminal import HOVER, LEFT, Terminal

Size = tuple[int, int]
HASHED = "PYTHONHASHSEED"
"""Which question tells most is a sum over sets: the program and its twin add in one order."""
PATIENCE = 90.0
"""Seconds after which the terminal doesn't show what its twin shows."""
SIZES: tuple[Size, ...] = ((60, 18), (132, 43))
"""What the terminal is resized to in the middle."""
WHEEL_UP, WHEEL_DOWN = 64, 65
"""What a terminal says of the wheel."""
BYTES = {
    "enter": "\r",
    "escape": "\x1b",
    "space": " ",
    "tab": "\t",
    "comma": ",",
    "minus": "-",
    "full_stop": ".",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
}


class Hand(Driver):
    """Does the same to a terminal, by bytes, and to its twin."""

    def __init__(self, app: DmlvizApp, pilot: Any, terminal: Terminal) -> None:
        super().__init__(app, pilot)
        self.terminal = terminal

    async def agree(self) -> None:
        """Waits until the terminal shows what the twin shows, line by line."""
        ends = time.monotonic() + PATIENCE
        while True:
            await self.settle()
            meant, shown = _lines(self.text()), _lines(self.terminal.text())
            if meant == shown:
                return
            if time.monotonic() > ends:
                lines = zip(meant, shown, strict=False)
                told = [f"{y}: meant {a!r}\n   shown {b!r}" for y, (a, b) in enumerate(lines) if a != b]
                raise AssertionError("\n".join(["the terminal shows something else:", *told]))
            self.terminal.read(0.02)
            await asyncio.sleep(0.01)  # what the twin shows for some seconds goes, too

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.terminal.send(BYTES.get(key, key))
        await super().press(*keys)

    async def click(self, widget: Widget | str, x: int = 0, y: int = 0) -> None:
        found = self.app.screen.query_one(widget) if isinstance(widget, str) else widget
        assert not isinstance(found, Button)
        await self.agree()  # nobody clicks at what isn't there yet
        place = found.region.x + x, found.region.y + y
        self.terminal.mouse(HOVER, *place)
        self.terminal.mouse(LEFT, *place)
        self.terminal.wait()
        self.terminal.mouse(LEFT, *place, pressed=False)
        await super().click(found, x, y)
        self.terminal.wait()

    async def wheel(self, widget: Widget, down: bool) -> None:
        """Turns the wheel over the middle of a widget."""
        x, y = widget.size.width // 2, widget.size.height // 2
        self.terminal.mouse(WHEEL_DOWN if down else WHEEL_UP, widget.region.x + x, widget.region.y + y)
        kind = MouseScrollDown if down else MouseScrollUp
        await self.pilot._post_mouse_events([kind], widget, (x, y), button=0)
        await self.settle()

    async def scroll(self, widget: Widget, y: int) -> None:
        """By the wheel, as far as it goes."""
        before = -1.0
        while (now := widget.scroll_offset.y) != before and abs(now - y) > widget.size.height // 2:
            before = now
            await self.wheel(widget, now < y)
        await self.agree()

    async def resize(self, size: Size) -> None:
        self.terminal.screen.resize(size[1], size[0])
        self.terminal.process.setwinsize(size[1], size[0])
        await self.pilot.resize_terminal(*size)
        await self.agree()

    async def reach(self, kind: type[Any]) -> Any:
        """Waits until a screen of that kind has the keys, in the terminal too."""
        await self.until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted)
        await self.agree()
        return self.app.screen


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


class Course:
    """One student with one terminal and one hand."""

    def __init__(self, size: Size, by_mouse: bool, folder: Path) -> None:
        self.size, self.by_mouse, self.folder = size, by_mouse, folder
        self.progress = Progress()

    def live(self, script: Callable[[Hand], Awaitable[None]]) -> None:
        """Opens the course map, does something there, and is killed; what was answered is kept."""
        app = DmlvizApp(examples.example(recent_files.FIRST).session(), learns="")
        app.progress = self.progress
        terminal = Terminal([sys.executable, "-m", "dmlviz", "learn"], *self.size, self.folder, {HASHED: "0"})

        async def run() -> None:
            async with piloted(app, self.size) as pilot:
                hand = Hand(app, pilot, terminal)
                await hand.reach(CourseMapScreen)
                await script(hand)

        try:
            asyncio.run(run())
        finally:
            terminal.crash()
        (kept,) = (self.folder / ".home").rglob("progress.jsonl")
        answers = [json.loads(line) for line in kept.read_text().splitlines()]
        assert [each["task"] for each in answers] == [each.task for each in self.progress.answers]
        assert all(each["right"] for each in answers)

    async def open(self, hand: Hand, at: int) -> None:
        """Opens what stands at a place of the map."""
        screen = await hand.reach(CourseMapScreen)
        if not self.by_mouse:
            await go_to(hand, screen, at)
            await hand.press("enter")
            return
        board = screen.query_one("#course-lessons" if at < len(screen.course.lessons) else "#course-levels")
        while (place := place_on_map(hand, screen, at)) is None:
            await hand.wheel(board, down=True)
        await hand.click(*place)

    async def does(self, hand: Hand, key: str, words: str, footer: str) -> None:
        """Presses a key, or clicks what the footer calls it."""
        await (click_footer(hand, words, footer) if self.by_mouse else hand.press(key))

    def take(self, number: int) -> None:
        """Takes a lesson: to its middle, where it is resized and killed, and from there to its end."""
        lesson = shipped_lessons()[number]
        middle = len(lesson.steps) // 2 + 1

        async def first(hand: Hand) -> None:
            await self.open(hand, number)
            await hand.reach(LessonScreen)
            while running(hand).state.at < middle:
                await self._answer(hand)
            screen = asked(hand)
            await self.does(hand, "h", "h hint", "#ask-footer")
            held = screen.state.question, screen.state.hints, screen.state.answer.slots
            for size in (*SIZES, self.size):
                await hand.resize(size)
                assert (screen.state.question, screen.state.hints, screen.state.answer.slots) == held

        async def second(hand: Hand) -> None:
            await self.open(hand, number)
            await hand.reach(LessonScreen)
            assert running(hand).state.at == middle
            while isinstance(hand.app.screen, LessonScreen):
                await self._answer(hand)
            await hand.reach(LessonEndScreen)
            await self.does(hand, "escape", "esc map", "#end-footer")
            await hand.reach(CourseMapScreen)

        self.live(first)
        self.live(second)

    async def _answer(self, hand: Hand) -> None:
        """Answers what is asked rightly, and goes on."""
        await hand.agree()
        screen = asked(hand)
        if screen.state.form.how == "edit":
            if self.by_mouse:
                await hand.click("#ask-board", *hand.find("open the puzzle", "#ask-board"))
            else:
                await hand.press("enter")
            await self._solve(hand)
            await self.does(hand, "enter", "go on", "#level-footer")
            await hand.until(lambda: not isinstance(hand.app.screen, LevelScreen))
            return
        await (answer_by_mouse(hand) if self.by_mouse else answer_by_keys(hand))
        await hand.agree()
        verdict = screen.state.verdict
        assert verdict is not None, (screen.state.question.id, screen.state.answer.sentence)
        assert verdict.right, screen.state.question.prompt
        await self.does(hand, "enter", "enter go on", "#ask-footer")

    def solve(self, number: int) -> None:
        """Solves a level."""

        async def whole(hand: Hand) -> None:
            await self.open(hand, len(shipped_lessons()) + number)
            await self._solve(hand)
            await self.does(hand, "escape", "esc", "#level-footer")
            await hand.reach(CourseMapScreen)

        self.live(whole)
        assert self.progress.answers[-1].task == shipped_levels()[number].id

    async def _solve(self, hand: Hand) -> None:
        screen: LevelScreen = await hand.reach(LevelScreen)
        await (solve_by_mouse(hand, screen) if self.by_mouse else solve_by_keys(hand, screen))
        await hand.agree()
        assert screen.state.won, hand.text()
        assert screen.state.changed == screen.state.level.par


def main() -> None:
    """Takes all of the course, or what is named, and says so line by line."""
    size, by, *only = sys.argv[1:]
    if os.environ.get(HASHED) != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, HASHED: "0"})
    columns, lines = map(int, size.split("x"))
    began, lessons = time.monotonic(), len(shipped_lessons())
    with tempfile.TemporaryDirectory() as folder:
        course = Course((columns, lines), by == "mouse", Path(folder))
        names = [*(lesson.id for lesson in shipped_lessons()), *(level.id for level in shipped_levels())]
        for number, name in enumerate(names):
            if not only or name in only:
                course.take(number) if number < lessons else course.solve(number - lessons)
                print(f"{time.monotonic() - began:7.1f} s  {name}", flush=True)
    print("the course was taken from beginning to end")


if __name__ == "__main__":
    main()
