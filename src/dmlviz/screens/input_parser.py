"""What a terminal or a page sends, read as keys, clicks and pastes; Textual's parser, held against any bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual import events
from textual.keys import Keys
from textual.message import Message

from ..widgets.lib.textual_private import KeyParsing, XTermParser


class Parser(KeyParsing, XTermParser):  # type: ignore[misc]  # Textual's reader of keys is cached
    """Textual's parser, for which a key or a size that can't exist counts as nothing."""

    def read_key(self, sequence: str, read: Callable[[str], list[events.Key] | None]) -> list[events.Key] | None:
        """The keys that `read` makes of a sequence; an ignored one where that fails."""
        try:
            keys = read(sequence)
            for key in keys or ():
                f"{key.key}{key.character}".encode()  # a lone surrogate is no character
        except (ValueError, OverflowError):
            return [events.Key(Keys.Ignore, sequence)]
        return keys

    def parse_mouse_code(self, code: str) -> Message | None:
        try:
            return super().parse_mouse_code(code)
        except (ArithmeticError, ValueError):  # in pixels, of a terminal that told of no size
            return None

    def feed(self, data: str) -> Iterable[Message]:
        return super().feed(data) if data else ()  # no text would be the end, for Textual's

    def finish(self) -> Iterable[Message]:
        """What an unfinished sequence becomes when nothing follows: an escape is the key."""
        return self.tick() if self.end_wait() else ()
