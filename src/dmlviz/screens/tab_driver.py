"""The driver of an explorer in a browser tab: Textual's, that ends with its input, whatever it is told."""

from __future__ import annotations

import concurrent.futures
import os
import re
import signal
import threading
from collections.abc import Iterable
from typing import Any

from textual import events
from textual.drivers.web_driver import WebDriver
from textual.message import Message

from ..widgets.lib.textual_private import ByteStream, DriverParts, ExitInput
from .input_parser import Parser
from .signals import on_signal

MOST_COLUMNS, MOST_LINES = 500, 200
"""Of the tab's terminal, whatever the server says."""
MOST_TYPED = 256
"""Characters of a message that are read as keys; nobody types more at once, and more is a paste."""
PASTE = re.compile(r"\x1b\[200~(.*?)(?:\x1b\[201~|\Z)", re.DOTALL)
NO_TEXT = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~])?|\x00")
"""What of a paste is no text: a sequence, and the null that Textual leaves out, too."""


class TabDriver(DriverParts, WebDriver):
    """Speaks with the server through standard input and output; calls `end_with_tab()` when either side is gone."""

    def __init__(self, app: Any, **how: Any) -> None:
        super().__init__(app, **how)
        if self.opening_size is not None:
            self.opening_size = _clamped(*self.opening_size)
        self._writing = threading.Lock()
        self.write_by(self._write_whole)
        self._sent: concurrent.futures.Future[Any] | None = None

    def start_application_mode(self) -> None:
        super().start_application_mode()
        if os.name == "posix":
            for n in (signal.SIGINT, signal.SIGTERM):
                on_signal(n, self._end_with_tab)

    def _end_with_tab(self) -> None:
        self.app.call_later(self.app.end_with_tab)

    def _write_whole(self, data: bytes) -> None:
        """Writes a packet whole: the thread that hands out a file writes between the frames of another."""
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[os.write(self.fileno, left) :]

    def run_input_thread(self) -> None:
        """Reads packets until the server is gone. One that can't be read is passed over, and the next ones are read."""
        parser, stream = Parser(self.debugs), ByteStream()
        try:
            for data in self.packets:
                for kind, payload in stream.feed(data) if data else ():
                    try:
                        if kind == "D":
                            for event in read_message(parser, payload.decode(errors="replace")):
                                self.process_message(event)
                            self._keep_pace()
                        else:
                            self.do_meta(kind, payload)
                    except ExitInput:
                        raise
                    except Exception:  # the parser may be at its end
                        parser = Parser(self.debugs)
        except ExitInput:
            pass
        finally:
            self.packets.close()
            if not self.exit_event.is_set():
                self._end_with_tab()

    def send_message(self, message: Message) -> None:
        self._sent = self.hand_in(message)

    def _keep_pace(self) -> None:
        """Waits until the explorer has been handed what was read: a page may send faster than anybody takes it."""
        while self._sent is not None and not self.exit_event.is_set():
            if concurrent.futures.wait([self._sent], timeout=0.1).done:
                self._sent = None

    def on_meta(self, packet_type: str, payload: dict[str, Any]) -> None:
        if packet_type == "quit":
            self._end_with_tab()
            return
        if packet_type == "resize":
            payload["width"], payload["height"] = _clamped(payload["width"], payload["height"])
        super().on_meta(packet_type, payload)


def read_message(parser: Parser, text: str) -> Iterable[Message]:
    """The events of one whole message of a page: an escape at its end is the key; a burst of text is a paste."""
    if len(text) > MOST_TYPED:
        if (paste := PASTE.match(text)) is not None:
            text = paste[1]
        yield events.Paste(NO_TEXT.sub("", text))
        return
    yield from parser.feed(text)
    yield from parser.finish()


def _clamped(columns: int, lines: int) -> tuple[int, int]:
    return min(max(columns, 1), MOST_COLUMNS), min(max(lines, 1), MOST_LINES)
