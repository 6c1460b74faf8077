"""What the user does, one thing after the other: a key is handed on once the one before has had its effect.

Textual hands every key to the widget that has the focus by then, and looks up bindings once it has travelled through
all parents; in a burst, keys that have bindings are overtaken by keys that haven't, and all by those with priority.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

from ..widgets.fields.field import field_of
from ..widgets.lib.textual_private import all_mounted, is_ending, rests

ROUNDS = 3
"""Ways from the focus up to the app: the key's own, that of what it made be said, and that to what it opened."""
PATIENCE = 1.0
"""Seconds after which the next key goes on its way all the same."""
MAKING = 10.0
"""Seconds that the next key waits for fields that are being made: who presses it sees them already, or soon."""
HEAD_START = 0.03
"""Seconds that an effect gets before it is asked whether it is had: the asking would take from its first frame."""
MOST_WAITING = 50_000
"""Keys and clicks that wait; a keyboard that sends more loses them, as one with a full buffer does."""
EFFECTS = events.Key, events.Paste, events.MouseDown, events.MouseUp


class InputOrder:
    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[Message] = deque()
        self._comes = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def put(self, message: Message) -> None:
        """Hands a message on, at once where nothing stands before it; drops it where too many wait."""
        if len(self._waiting) >= MOST_WAITING:
            return
        self._waiting.append(message)
        self._comes.set()
        if self._task is None or self._task.done():  # an eager one may be done before it is known here
            self._task = asyncio.create_task(self._hand_on())

    async def _hand_on(self) -> None:
        while self._waiting and not is_ending(self._app):
            screen = self._top_screen
            if screen is not None:
                await _within(MAKING, all_mounted(screen))
            message = self._waiting.popleft()
            self._comes.clear()
            field = field_of(screen.focused) if screen is not None else None
            if field is not None and isinstance(message, EFFECTS) and not field.types(message):
                field.post_message(events.Callback(callback=field.take))
                await _within(PATIENCE, _idle(field))
            self._app.post_message(message)
            if isinstance(message, EFFECTS):
                if not self._waiting:
                    await _within(HEAD_START, self._comes.wait())
                await _within(PATIENCE, self._settled(hurried=bool(self._waiting)))

    async def _settled(self, *, hurried: bool) -> None:
        """Waits until a key has had its effect; unless `hurried`, only for widgets that are at work."""
        if hurried or not rests(self._app):
            await _idle(self._app)
        for _ in range(ROUNDS):
            screen = self._top_screen
            if screen is None:
                return
            for node in (screen.focused or screen).ancestors_with_self:
                if hurried or not rests(node):
                    await _idle(node)

    @property
    def _top_screen(self) -> Screen[Any] | None:
        stack = self._app.screen_stack
        return stack[-1] if stack else None


async def _within(seconds: float, work: Coroutine[Any, Any, object]) -> None:
    """Awaits `work` for so many seconds at most; it is no error to be late."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        pass


async def _idle(pump: MessagePump) -> None:
    done = asyncio.Event()
    if pump.post_message(events.Callback(callback=done.set)):  # `call_later` wraps it, and asks for its signature
        await done.wait()
