"""Thousands of random keys, mouse events and resizes: no exception, no lost session, and one that round-trips."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest
from support.key_events import key_event
from support.quiet_pilot import piloted
from textual import events
from textual.binding import Binding

from dmlviz.app import DmlvizApp
from dmlviz.operators.registry import operators
from dmlviz.screens.dialogs.ask_unsaved import AskUnsaved
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.widgets.commands import NO_KEY

MANY, FEW = 1200, 150
"""Events in a slow run, and in one for every change."""
TYPED = "0123456789,- {}[]abcxyz"
COMMON = ("tab", "shift+tab", "up", "down", "left", "right", "enter", "escape", "backspace", "delete", "f6", "space")
ASKING = {"q", "ctrl+q", "ctrl+o", "ctrl+n"}
"""Keys that ask what becomes of unsaved changes: what was typed behind them must not answer that."""
RARE = {"r", "f5"}
"""A run starts a process; one now and then is enough."""


def bound_keys() -> list[str]:
    """Every key that the explorer has bound."""
    bindings = [b for b in Explorer.BINDINGS if isinstance(b, Binding)]
    keys = {key for b in bindings for key in b.key.split(",")}
    return sorted(keys - RARE - {NO_KEY})


class Monkey:
    """Sends random events, as fast as a burst of keys comes from a terminal."""

    def __init__(self, app: DmlvizApp, random_: random.Random) -> None:
        self.app, self.random = app, random_
        self.keys = bound_keys()
        self.sent: list[str] = []

    def send(self, *found: events.Event) -> None:
        driver = self.app._driver
        assert driver is not None
        for event in found:
            event.set_sender(self.app)
            driver.send_message(event)

    def act(self) -> bool:
        """Sends one event; True if its effect is to be waited for."""
        chance = self.random.random()
        if isinstance(self.app.screen, AskUnsaved):
            name = "escape"  # the other answers may give a session up
        elif chance < 0.35:
            name = self.random.choice(self.keys)
        elif chance < 0.60:
            name = self.random.choice(COMMON)
        elif chance < 0.80:
            char = self.random.choice(TYPED)
            name = {",": "comma", "-": "minus", " ": "space", "{": "left_curly_bracket"}.get(char, char)
        elif chance < 0.805:
            name = "r"
        else:
            self.point()
            return True  # a click may ask too
        self.sent.append(name)
        self.send(key_event(name))
        return name in ASKING

    def point(self) -> None:
        width, height = self.app.size
        x, y = self.random.randrange(max(1, width)), self.random.randrange(max(1, height))
        self.sent.append(f"mouse {x},{y}")

        def event(kind: type[events.MouseEvent], button: int = 0) -> events.MouseEvent:
            return kind(None, x, y, 0, 0, button, False, False, False, screen_x=x, screen_y=y)

        kind = self.random.random()
        self.send(event(events.MouseMove))
        if kind < 0.7:
            self.send(event(events.MouseDown, 1), event(events.MouseUp, 1))
        else:
            self.send(event(events.MouseScrollDown if kind < 0.85 else events.MouseScrollUp))


def explorer(app: DmlvizApp) -> Explorer:
    return next(screen for screen in app.screen_stack if isinstance(screen, Explorer))


async def rampage(session: Session, seed: int, count: int) -> None:
    """`count` random events; where they leave the program, another one opens what was there."""
    random_, sent = random.Random(seed), 0
    while sent < count:
        held, used = await one_life(session, random_, count - sent)
        sent += used
        again, errors = parse(dump(held).encode(), "the session", None)
        assert not errors
        assert [e.desc for e in again.experiments] == [e.desc for e in held.experiments]
        assert dump(again) == dump(held)
        session = again


async def one_life(session: Session, random_: random.Random, count: int) -> tuple[Session, int]:
    """The session at the end of one program, and how many events it took."""
    app = DmlvizApp(session)
    monkey, turn = Monkey(app, random_), 0
    async with piloted(app, (120, 36)) as pilot:
        try:
            while turn < count and app._exit is False:
                wait = monkey.act()
                turn += 1
                if turn % 3 == 0:
                    await asyncio.sleep(0)
                if wait or turn % 25 == 0:
                    await pilot.pause()
                    assert 0 <= explorer(app).state.document.number < explorer(app).state.document.count
                if turn % 150 == 0:
                    await pilot.resize_terminal(random_.randint(20, 220), random_.randint(5, 70))
            await pilot.pause()
            assert app._exception is None
        except BaseException:
            print("sent last:", *monkey.sent[-60:])
            raise
        found = explorer(app)
        # The program may have been left, but not without a question where something would have been lost.
        assert not (app._exit and found.workspace.document.dirty)
        return found.workspace.document.session, turn


def test_the_monkey_knows_the_keys() -> None:
    keys = bound_keys()
    assert {"space", "f3", "ctrl+s", "ctrl+o"} <= set(keys)
    assert all(re.fullmatch(r"[a-z0-9_+]+|[A-Z]", key) for key in keys)


NAMES = sorted(operators())


@pytest.mark.parametrize(
    "type_", [pytest.param(name, marks=pytest.mark.slow if i > 0 else ()) for i, name in enumerate(NAMES)]
)
def test_random_events_lose_nothing(type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1, count=FEW))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("type_", NAMES)
def test_thousands_of_random_events_lose_nothing(
    type_: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1000 + seed, count=MANY))


def session_of(type_: str) -> Session:
    """An example of an operator."""
    for each in examples.all_examples():
        found = each.session()
        if type_ == found.experiments[0].desc.TYPE:
            return found
    raise AssertionError(f"no example of {type_}")
