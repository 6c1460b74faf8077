"""The terminal as Textual drives it, held against any bytes, and against its end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from ..widgets.lib.textual_private import XTermParser, is_ending
from .signals import on_signal

LARGEST = 10_000
"""Columns or lines of a terminal; a sequence that tells of more isn't followed."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Signals that end the program; the terminal is put right before."""


class Reader:
    """Textual's parser, for which a key or a size that can't exist counts as nothing."""

    def __init__(self) -> None:
        self._parser = XTermParser()

    def feed(self, text: str) -> Iterator[Message]:
        """What the text says, and what a wait for the rest of a sequence has come to."""
        for piece in (*re.split("(?=\x1b)", text), None):  # what follows a sequence that fails is read all the same
            try:
                said = self._parser.tick() if piece is None else self._parser.feed(piece) if piece else ()
                yield from filter(_can_be, said)
            except Exception:  # a code point beyond Unicode, for one; the parser is at its end
                self._parser = XTermParser()


def _can_be(message: Message) -> bool:
    if isinstance(message, events.Resize):
        return all(0 < size <= LARGEST for size in message.size)
    if isinstance(message, events.Key):  # a lone surrogate is no character
        return not any(0xD800 <= ord(c) < 0xE000 for c in f"{message.key}{message.character}")
    return True


class TerminalDriver(LinuxDriver):
    """Textual's driver, which reads any bytes, and leaves a terminal as it was when a signal ends the program.

    It calls the app's `end_by_signal(number)` for each of `ENDINGS`, and for a terminal that has gone.
    """

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self.app = app
        self._out: Any = sys.__stderr__

    def write(self, data: str) -> None:
        """Writes to the terminal without Textual's thread; what is written to one that has gone is lost."""
        with contextlib.suppress(OSError):
            self._out.write(data)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._out.flush()

    def start_application_mode(self) -> None:
        for n in ENDINGS:
            on_signal(n, self.app.end_by_signal, n)
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def resume_application_mode(self) -> None:
        """Takes the terminal again after a pause, unless the program ends and has given it back."""
        if not is_ending(self.app):
            super().resume_application_mode()

    def run_input_thread(self) -> None:
        """Reads input as Textual does, but bytes that aren't UTF-8 are U+FFFD."""
        reader, decoder = Reader(), getincrementaldecoder("utf-8")(errors="replace")
        while not self.exit_event.is_set():
            data = b""
            if select.select([self.fileno], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    data = os.read(self.fileno, 4096)
                if not data:  # the terminal has gone
                    self.app.call_later(self.app.end_by_signal, signal.SIGHUP)
                    return
            for message in reader.feed(decoder.decode(data)):
                self.process_message(message)
