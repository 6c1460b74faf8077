"""The terminal as Textual drives it, held against what a terminal may send, and against its end."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import sys
from codecs import getincrementaldecoder
from typing import IO, Any

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from ..widgets.lib.textual_private import SYNC_END, SYNC_START, DriverParts
from .input_parser import Parser
from .signals import on_signal

LARGEST = 10_000
"""Columns or lines of a terminal; a sequence that tells of more isn't followed."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Signals that end the program; the terminal is put right before."""


class _Output:
    """What is written to a terminal that has gone is lost; Textual's writing thread must not end by that."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()


class TerminalDriver(DriverParts, LinuxDriver):
    """Textual's driver, which reads any bytes, and leaves a terminal as it was when a signal ends the program.

    It calls the app's `end_by_signal(number)` for each of `ENDINGS`, and for a terminal that has gone, and its
    `end_by_fault(error)` where reading the terminal fails.
    """

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self.write_to(_Output(sys.__stderr__))  # type: ignore[arg-type]
        self._frame: list[str] | None = None

    def write(self, data: str) -> None:
        """Writes to the terminal, a frame in one piece: each may cost a switch to the writing thread and back."""
        if self._frame is None and data == SYNC_START:
            self._frame = []
        if self._frame is None:
            super().write(data)
            return
        self._frame.append(data)
        if data == SYNC_END:
            frame, self._frame = "".join(self._frame), None
            super().write(frame)

    def start_application_mode(self) -> None:
        for n in ENDINGS:
            on_signal(n, self._end_by, n)
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def _end_by(self, number: int) -> None:
        self.app.end_by_signal(number)

    def run_input_thread(self) -> None:
        """Reads input as Textual does, but bytes that aren't UTF-8 are U+FFFD; an error ends the app."""
        try:
            self._read_input()
        except Exception as error:
            self.app.call_later(self.app.end_by_fault, error)

    def _read_input(self) -> None:
        parser, decoder = Parser(self.debugs), getincrementaldecoder("utf-8")(errors="replace")
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    try:
                        data = os.read(self.fileno, 4096)
                    except OSError:
                        data = b""
                    if not data:  # the terminal has gone
                        self.app.call_later(self._end_by, signal.SIGHUP)
                        return
                    for message in parser.feed(decoder.decode(data)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def process_message(self, message: Message) -> None:
        """Hands a message on, but no size that nobody asked for or no terminal has."""
        if isinstance(message, events.Resize):
            width, height = message.size
            if not self.hears_sizes or not (0 < width <= LARGEST and 0 < height <= LARGEST):
                return  # nobody asked for it
        super().process_message(message)
