"""Names that no file can have, in each dialog that asks for one: a sentence, and the explorer goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.real_terminal import Terminal

from dmlviz.errors import SessionError
from dmlviz.screens.dialogs.file_opening import path_of

NOBODY, LONG = "~nobody-is-called-so", 300 * "n"
CTRL_O, F12, ESCAPE = b"\x0f", b"\x1b[24~", b"\x1b"


def _both(*texts: str) -> Callable[[str], bool]:
    return lambda shown: all(text in shown for text in texts)


def typed(terminal: Terminal, name: str) -> None:
    """Types a name in place of what stands in the field, and enters it."""
    terminal.burst(b"\x05\x15" + name.encode() + b"\r")  # to the end, and delete to the start


@pytest.mark.parametrize(
    ("keys", "asks"),
    [(F12, "Save as"), (b"x", "Write the")],
    ids=["save", "export"],
)
def test_a_dialog_refuses_a_name_that_no_file_can_have(terminal: Terminal, keys: bytes, asks: str) -> None:
    terminal.burst(keys)
    if keys == b"x":
        terminal.until("beside it")
        terminal.burst(b"\x13")  # ctrl+s
    terminal.until(asks)
    for name, said in ((f"{NOBODY}/x", "nobody's"), (LONG, "looked"), (f"{NOBODY}/", "nobody's")):
        typed(terminal, name)
        terminal.until(_both(said, asks))
    terminal.burst(ESCAPE)
    terminal.until(lambda text: asks not in text)
    if keys != F12:
        terminal.burst(ESCAPE)
    terminal.until(lambda text: "▔▔▔" not in text)
    terminal.quits()


def test_a_folder_of_nobody_and_no_folder_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path_of("~/a.json") == tmp_path / "a.json"
    for name in (NOBODY, f"{NOBODY}/x", LONG, "a\0b"):
        with pytest.raises(SessionError) as raised:
            path_of(name)
        assert str(raised.value).endswith(".")
