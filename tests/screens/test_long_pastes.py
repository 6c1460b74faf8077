"""A paste of a megabyte, into each kind of field: a sentence, and the screen goes on; in a pseudo-terminal."""

from __future__ import annotations

import threading

import pytest
from support.real_terminal import Terminal

CTRL_P, CTRL_O, CTRL_G, F12 = b"\x10", b"\x0f", b"\x07", b"\x1b[24~"
REFUSED = b"What was pasted has"


def paste(terminal: Terminal, text: bytes) -> None:
    """Sends it while the screen is read: a terminal takes in only as much as is taken out."""
    sending = threading.Thread(target=terminal.burst, args=(b"\x1b[200~" + text + b"\x1b[201~",))
    sending.start()
    while sending.is_alive():
        terminal.read()


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        (b"\t\t\t\t\t", "axis 1, counted from 0"),
        (b"e", "set, next cell"),
        (CTRL_G, "Go to an element"),
        (CTRL_P, "Search for commands"),
        (CTRL_O, "Add to session"),
        (F12, "Save as"),
        (b"n", "Markdown · tab"),
        (b"", "8 of 8"),
    ],
    ids=["form", "value", "go to", "palette", "open", "save", "notes", "none"],
)
def test_a_megabyte_is_refused_by_a_sentence(terminal: Terminal, keys: bytes, shown: str) -> None:
    terminal.burst(keys)
    terminal.until(shown)
    paste(terminal, b"1,\n" * 333_333)
    terminal.until(lambda _: REFUSED in terminal.raw)  # it may have gone from the screen again
    assert terminal.process.isalive()
