"""The driver of an explorer in a browser tab: Textual's, that ends with its input, whatever it is told."""

from __future__ import annotations

import base64
import os
import threading
from codecs import getincrementaldecoder
from typing import Any

from textual import messages
from textual._xterm_parser import XTermParser
from textual.drivers._byte_stream import ByteStream
from textual.drivers.web_driver import WebDriver, _ExitInput
from textual.message import Message

MOST_COLUMNS, MOST_LINES = 500, 200
"""Of the tab's terminal, whatever the server says."""


class Uploaded(Message):
    """A file came from the browser."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__()
        self.name = name
        self.data = data


class TabDriver(WebDriver):
    """Speaks with the server through this process's standard input and output."""

    def __init__(self, app: Any, **how: Any) -> None:
        super().__init__(app, **how)
        if self._size is not None:
            self._size = _clamped(*self._size)
        self._writing = threading.Lock()
        self._write = self._write_whole  # type: ignore[assignment]

    def _write_whole(self, data: bytes) -> None:
        """Writes a packet whole: the thread that hands out a file writes between the frames of another."""
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[os.write(self.fileno, left) :]

    def run_input_thread(self) -> None:
        """Reads packets until the server is gone. One that can't be read is passed over, and the next ones are read."""
        parser, decode, stream = (
            XTermParser(debug=self._debug),
            getincrementaldecoder("utf-8")("replace").decode,
            ByteStream(),
        )
        try:
            for data in self._input_reader:
                for kind, payload in stream.feed(data) if data else ():
                    try:
                        if kind == "D":
                            for event in parser.feed(decode(payload)):
                                self.process_message(event)
                        else:
                            self._on_meta(kind, payload)
                    except _ExitInput:
                        raise
                    except Exception:  # a key of no Unicode number, for one; the parser may be at its end
                        parser = XTermParser(debug=self._debug)
                for event in parser.tick():
                    self.process_message(event)
        except _ExitInput:
            pass
        finally:
            self._input_reader.close()
            if not self.exit_event.is_set():
                self._app.post_message(messages.ExitApp())

    def on_meta(self, packet_type: str, payload: dict[str, Any]) -> None:
        if packet_type == "upload":
            self._app.post_message(Uploaded(str(payload["name"]), base64.b64decode(payload["data"])))
            return
        if packet_type == "resize":
            payload["width"], payload["height"] = _clamped(payload["width"], payload["height"])
        super().on_meta(packet_type, payload)


def _clamped(columns: int, lines: int) -> tuple[int, int]:
    return min(max(columns, 1), MOST_COLUMNS), min(max(lines, 1), MOST_LINES)
