"""The driver of an explorer in a browser tab: Textual's, that ends with its input, whatever it is told."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from textual.drivers.web_driver import WebDriver

from .signals import on_signal

MOST_COLUMNS, MOST_LINES = 500, 200
"""Of the tab's terminal, whatever the server says."""


class TabDriver(WebDriver):
    """Speaks with the server through standard input and output; calls `end_by_signal()` when either side is gone."""

    def __init__(self, app: Any, **how: Any) -> None:
        size = _clamped(int(os.environ.get("COLUMNS", 80)), int(os.environ.get("ROWS", 24)))
        super().__init__(app, **{**how, "size": size})
        self.app = app
        self._lock = threading.Lock()  # the thread that hands out a file writes between the frames of another

    def write(self, data: str) -> None:
        with self._lock:
            super().write(data)

    def write_meta(self, data: dict[str, object]) -> None:
        with self._lock:
            super().write_meta(data)

    def write_binary_encoded(self, data: tuple[str | bytes, ...]) -> None:
        with self._lock:
            super().write_binary_encoded(data)

    def start_application_mode(self) -> None:
        super().start_application_mode()
        if os.name == "posix":
            for n in (signal.SIGINT, signal.SIGTERM):
                on_signal(n, self.app.end_by_signal)

    def run_input_thread(self) -> None:
        """Reads as Textual does, until the server is gone or says what can't be read."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self.app.call_later(self.app.end_by_signal)

    def on_meta(self, packet_type: str, payload: dict[str, Any]) -> None:
        if packet_type == "quit":
            self.app.call_later(self.app.end_by_signal)
            return
        if packet_type == "resize":
            payload["width"], payload["height"] = _clamped(payload["width"], payload["height"])
        super().on_meta(packet_type, payload)


def _clamped(columns: int, lines: int) -> tuple[int, int]:
    return min(max(columns, 1), MOST_COLUMNS), min(max(lines, 1), MOST_LINES)
