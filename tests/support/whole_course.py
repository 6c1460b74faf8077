"""The whole course in a real terminal, from beginning to end: its lessons and levels, by keys or by mouse bytes.

A twin without a terminal is pressed and clicked alike: it knows the right answers, and what must stand on the screen.
In the middle of each lesson the terminal is resized there and back, and the program is killed; it goes on there.

    python tests/support/whole_course.py --size 80x24 --look dark --hand keys [join L05 …]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from textual.events import MouseScrollDown, MouseScrollUp
from textual.widget import Widget
from textual.widgets import Button

from dmlviz.app import DmlvizApp
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.lesson_end import LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.session import examples, recent_files
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons, shipped_levels
from dmlviz.teaching.progress.progress import Answered, Progress
from support.course import go_to, place_on_map
from support.driver import Driver
from support.lesson_play import answer_by_keys, answer_by_mouse, asked, click_footer, easy_keys, running
from support.level_play import solve_by_keys, solve_by_mouse
from support.quiet_pilot import piloted
from support.real_terminal import HOVER, LEFT, Terminal

Size = tuple[int, int]
HANDS = "keys", "mouse"
LOOKS = "dark", "light", "none"
"""The themes, and NO_COLOR."""
HASHED = "PYTHONHASHSEED"
"""Which question tells most is a sum over sets: the program and its twin add in one order."""
PATIENCE = 90.0
"""Seconds after which the terminal doesn't show what its twin shows."""
SIZES: tuple[Size, ...] = ((60, 18), (132, 43))
"""What the terminal is resized to in the middle."""
MIDDLES = ("L15",)
"""Levels that are resized and killed before they are solved."""
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


@contextmanager
def opened(arguments: list[str], size: Size, folder: Path, more: dict[str, str]) -> Iterator[Terminal]:
    """A program in a terminal, killed in the end."""
    terminal = Terminal(arguments, *size, folder, more)
    try:
        yield terminal
    finally:
        terminal.process.kill(signal.SIGKILL)
        terminal.process.close(force=True)


class Course:
    """One student with one terminal, one look and one hand."""

    def __init__(self, size: Size, look: str, hand: str, folder: Path) -> None:
        self.size, self.by_mouse, self.folder = size, hand == "mouse", folder
        self.progress = Progress()
        self._more = {HASHED: os.environ.get(HASHED, "0")} | ({"NO_COLOR": "1"} if look == "none" else {})
        self._theme = "dmlviz-light" if look == "light" else "dmlviz-dark"
        self._most = 0  # keys of an answer of an easy kind
        settings = folder / ".home" / "xdg_config_home" / "dmlviz" / "config.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"theme": self._theme}))

    def live(self, script: Callable[[Hand], Awaitable[None]]) -> None:
        """Opens the course map, does something there, and is killed; what was answered is kept."""
        app = DmlvizApp(examples.example(recent_files.FIRST).session(), learns="")
        app.progress = self.progress
        app.theme = self._theme

        async def run(terminal: Terminal) -> None:
            async with piloted(app, self.size) as pilot:
                hand = Hand(app, pilot, terminal)
                await hand.reach(CourseMapScreen)
                await script(hand)

        with opened([sys.executable, "-m", "dmlviz", "learn"], self.size, self.folder, self._more) as terminal:
            asyncio.run(run(terminal))
        assert self.kept() == [_told(each) for each in self.progress.answers]

    def kept(self) -> list[tuple[object, ...]]:
        """What the program has kept of the answers."""
        files = list((self.folder / ".home").rglob("progress.jsonl"))
        lines = files[0].read_text().splitlines() if files else []
        return [tuple(json.loads(line)[key] for key in ("task", "kind", "right", "skipped")) for line in lines]

    async def open(self, hand: Hand, at: int) -> None:
        """Opens what stands at a place of the map."""
        screen = await hand.reach(CourseMapScreen)
        if not self.by_mouse:
            await go_to(hand, screen, at)
            await hand.press("enter")
            return
        board = screen.query_one("#course-lessons" if at < len(screen.course.lessons) else "#course-levels")
        for _ in range(100):
            place = place_on_map(hand, screen, at)
            if place is not None:
                await hand.click(*place)
                return
            await hand.wheel(board, down=True)
        raise AssertionError(f"{at} never comes into sight")

    # ---- lessons

    def take(self, number: int) -> str:
        """Takes a lesson: to its middle, where it is resized and killed, and from there to its end."""
        lesson = shipped_lessons()[number]
        self._most = 0
        middle = len(lesson.steps) // 2 + 1

        async def first(hand: Hand) -> None:
            await self.open(hand, number)
            await hand.reach(LessonScreen)
            while running(hand).state.at < middle:
                await self._answer(hand)
            await self._resize(hand)

        async def second(hand: Hand) -> None:
            await self.open(hand, number)
            await hand.reach(LessonScreen)
            assert running(hand).state.at == middle
            while isinstance(hand.app.screen, LessonScreen):
                await self._answer(hand)
            await hand.reach(LessonEndScreen)
            await (click_footer(hand, "esc map", "#end-footer") if self.by_mouse else hand.press("escape"))
            await hand.reach(CourseMapScreen)

        self.live(first)
        self.live(second)
        return self._said(lesson)

    def _said(self, lesson: Lesson) -> str:
        own = {f"{lesson.id}.exit", *(step.task.id for step in lesson.steps if step.task is not None)}
        answers = [each for each in self.progress.answers if each.task in own]
        right = sum(each.right for each in answers)
        assert len(answers) == right == len(lesson.steps) + lesson.exit, f"{right} of {len(answers)} right"
        keys = "" if self.by_mouse else f", at most {self._most} keys an easy answer"
        return f"{lesson.id}: {len(lesson.steps)} steps and {lesson.exit} questions, resized, killed, resumed{keys}"

    async def _answer(self, hand: Hand) -> None:
        """Answers what is asked rightly, and goes on."""
        await hand.agree()
        screen = asked(hand)
        state = screen.state
        if state.form.how == "edit":
            await self._through_door(hand)
            return
        hand.keys = 0
        await (answer_by_mouse(hand) if self.by_mouse else answer_by_keys(hand))
        await hand.agree()
        verdict = screen.state.verdict
        assert verdict is not None, (state.question.id, screen.state.answer.sentence)
        assert verdict.right, state.question.prompt
        if not self.by_mouse:
            self._most = max(self._most, easy_keys(screen.desk, hand.keys))
        await (click_footer(hand, "enter go on") if self.by_mouse else hand.press("enter"))

    async def _through_door(self, hand: Hand) -> None:
        """Solves the level that is a step."""
        if self.by_mouse:
            await hand.click("#ask-board", *hand.find("open the level", "#ask-board"))
        else:
            await hand.press("enter")
        await self._solve(hand)
        await (self._click_level(hand, "go on") if self.by_mouse else hand.press("enter"))
        await hand.until(lambda: not isinstance(hand.app.screen, LevelScreen))

    async def _resize(self, hand: Hand) -> None:
        """Takes a hint, and resizes there and back: all stays as it was."""
        screen = asked(hand)
        await (click_footer(hand, "h hint") if self.by_mouse else hand.press("h"))
        held = screen.state.question, screen.state.hints, screen.state.answer.slots, screen.state.hint
        assert screen.state.hints == 1
        for size in (*SIZES, self.size):
            await hand.resize(size)
            state = screen.state
            assert (state.question, state.hints, state.answer.slots, state.hint) == held

    # ---- levels

    def solve(self, number: int, *, is_middle: bool = False) -> str:
        """Solves a level; one in the middle is resized and killed before."""
        level = shipped_levels()[number]

        async def opened_level(hand: Hand) -> None:
            await hand.reach(CourseMapScreen)
            await self.open(hand, len(shipped_lessons()) + number)

        async def first(hand: Hand) -> None:
            await opened_level(hand)
            screen: LevelScreen = await hand.reach(LevelScreen)
            await (self._click_level(hand, "h hint") if self.by_mouse else hand.press("h"))
            held = screen.desk.experiment, screen.state.hints
            for size in (*SIZES, self.size):
                await hand.resize(size)
                assert (screen.desk.experiment, screen.state.hints) == held

        async def whole(hand: Hand) -> None:
            await opened_level(hand)
            await self._solve(hand)
            await (self._click_level(hand, "esc") if self.by_mouse else hand.press("escape"))
            await hand.reach(CourseMapScreen)

        if is_middle:
            self.live(first)
        self.live(whole)
        answer = self.progress.answers[-1]
        assert (answer.task, answer.right) == (level.id, True)
        return f"{level.id}: solved at par {level.par}" + (", resized, killed, begun anew" if is_middle else "")

    async def _solve(self, hand: Hand) -> None:
        screen: LevelScreen = await hand.reach(LevelScreen)
        await (solve_by_mouse(hand, screen) if self.by_mouse else solve_by_keys(hand, screen))
        await hand.agree()
        assert screen.state.won, hand.text()
        assert screen.state.changed == screen.state.level.par

    async def _click_level(self, hand: Hand, words: str) -> None:
        await click_footer(hand, words, "#level-footer")


def _told(each: Answered) -> tuple[object, ...]:
    return each.task, each.kind, each.right, each.skipped


def take_course(size: Size, look: str, hand: str, folder: Path, only: list[str], first: str = "") -> Iterator[str]:
    """Takes all of the course, what of it comes from `first` on, or what is named; a line for each lesson and level."""
    course = Course(size, look, hand, folder)
    lessons, levels = shipped_lessons(), shipped_levels()
    names = [*(lesson.id for lesson in lessons), *(level.id for level in levels)]
    for number, name in enumerate(names):
        if number < (names.index(first) if first else 0) or (only and name not in only):
            continue
        at = number - len(lessons)
        yield course.take(number) if at < 0 else course.solve(at, is_middle=levels[at].id in MIDDLES)


def main() -> None:
    words = argparse.ArgumentParser(description="Take the course in a real terminal.")
    words.add_argument("--size", default="80x24", help="columns and lines of the terminal")
    words.add_argument("--look", default="dark", choices=LOOKS, help="dark, light, or none for NO_COLOR")
    words.add_argument("--hand", default="keys", choices=HANDS)
    words.add_argument("--from", dest="first", default="", help="the lesson or level that is begun with")
    words.add_argument("only", nargs="*", help="lessons and levels, all of them if none is named")
    args = words.parse_args()
    wanted = {"NO_COLOR": "1"} if args.look == "none" else {}
    seeded = os.environ.get(HASHED, "random") != "random"
    if not seeded or any(os.environ.get(key) != value for key, value in wanted.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, HASHED: "0", **wanted})
    columns, lines = map(int, args.size.split("x"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for line in take_course((columns, lines), args.look, args.hand, Path(folder), args.only, args.first):
            print(f"{time.monotonic() - began:7.1f} s  {line}", flush=True)
    print("the course was taken from beginning to end")


if __name__ == "__main__":
    main()
