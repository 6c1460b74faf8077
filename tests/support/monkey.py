"""Random keys, mouse events, pastes, resizes and commands: no exception, no lost session, and one that round-trips."""

from __future__ import annotations

import asyncio
import random

from textual import events
from textual.binding import Binding

from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.asking import AskUnsaved
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.widgets.lib.commands import COMMANDS, NO_KEY
from support.key_events import key_event
from support.quiet_pilot import piloted

NAMED = {",": "comma", "-": "minus", " ": "space", "{": "left_curly_bracket"}
COMMON = ("tab", "shift+tab", "up", "down", "left", "right", "enter", "escape", "backspace", "delete", "f6", "space")
ASKING = {"q", "ctrl+q", "ctrl+o", "ctrl+n"}
"""Keys that ask what becomes of unsaved changes: what was typed behind them must not answer that."""
RARE = {"r", "f5"}
"""A run starts a process; one now and then is enough."""
PASTED = (
    *("1, 2, 3", "[[1, 2], [3, 4]]", "iota 3 2", "{1, 1, 6, 2}", "99999999999999999999", "-", "nan", "", "\n\n"),
    *("\x1b[31m", "☃" * 70, "np.take(np.zeros((3, 2), np.float32), [0, 2], axis=0)", '{"dmlviz": 1}', "dml1:zKEO"),
    "UINT sizes[] = {1, 2, 3}; DML_BUFFER_TENSOR_DESC desc = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3,",
)
UNTRIED = {"app.quit", "app.quit-letter", "kernel.run"}
"""Commands that end the program, and the one that starts a process."""


class Monkey:
    """Sends random events, as fast as a burst of keys comes from a terminal."""

    def __init__(self, app: DmlvizApp, random_: random.Random) -> None:
        self.app, self.random = app, random_
        bound = {key for b in Explorer.BINDINGS if isinstance(b, Binding) for key in b.key.split(",")}
        self.keys = sorted(bound - RARE - {NO_KEY})
        self.sent: list[str] = []

    def send(self, what: str, *found: events.Event) -> None:
        driver = self.app._driver
        assert driver is not None
        self.sent.append(what)
        for event in found:
            event.set_sender(self.app)
            driver.send_message(event)

    def act(self) -> bool:
        """Sends one event; True if its effect is to be waited for."""
        chance = self.random.random()
        if isinstance(self.app.screen, AskUnsaved):
            name = "escape"  # the other answers may give a session up
        elif chance < 0.80:
            char = self.random.choice("0123456789,- {}[]abcxyz")
            kinds = self.random.choice(self.keys), self.random.choice(COMMON), NAMED.get(char, char)
            name = self.random.choices(kinds, (35, 25, 20))[0]
        elif chance < 0.805:
            name = "r"
        elif chance < 0.83:
            text = self.random.choice(PASTED)
            self.send(f"paste {text!r}", events.Paste(text))
            return True
        elif chance < 0.85:  # one of the palette's commands
            title = self.random.choice([each for each in COMMANDS if each.id not in UNTRIED]).title
            names = [NAMED.get(char, char) for char in title]
            self.send(f"palette {title!r}", *(key_event(name) for name in ("ctrl+p", *names, "enter")))
            return True
        else:
            self.point()
            return True  # a click may ask too
        self.send(name, key_event(name))
        return name in ASKING

    def point(self) -> None:
        x, y = (self.random.randrange(max(1, size)) for size in self.app.size)

        def event(kind: type[events.MouseEvent], button: int = 0) -> events.MouseEvent:
            return kind(None, x, y, 0, 0, button, False, False, False, screen_x=x, screen_y=y)

        clicks = event(events.MouseDown, 1), event(events.MouseUp, 1)
        rolls = [event(self.random.choice((events.MouseScrollDown, events.MouseScrollUp)))]
        self.send(f"mouse {x},{y}", event(events.MouseMove), *(clicks if self.random.random() < 0.7 else rolls))


async def rampage(session: Session, seed: int, count: int) -> None:
    """`count` random events; where they leave the program, another one opens what was there."""
    random_, sent = random.Random(seed), 0
    while sent < count:
        held, used = await one_life(session, random_, count - sent)
        sent += used
        session, errors = parse(dump(held).encode(), "the session", None)
        assert not errors
        assert [e.desc for e in session.experiments] == [e.desc for e in held.experiments]
        assert dump(session) == dump(held)


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
                if turn % 150 == 0:
                    await pilot.resize_terminal(random_.randint(20, 220), random_.randint(5, 70))
            await pilot.pause()
            assert app._exception is None
        except BaseException:
            print("sent last:", *monkey.sent[-60:])
            raise
        document = next(screen for screen in app.screen_stack if isinstance(screen, Explorer)).workspace.document
        # The program may have been left, but not without a question where something would have been lost.
        assert not (app._exit and document.dirty)
        return document.session, turn


def session_of(type_: str) -> Session:
    """An example of an operator."""
    sessions = (each.session() for each in examples.all_examples())
    return next(session for session in sessions if type_ == session.experiments[0].desc.TYPE)
