"""The program in a real pseudo-terminal: what a terminal may send, and how it may end."""

from __future__ import annotations

import re
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.real_terminal import Terminal
from textual import events
from textual.keys import Keys

from dmlviz.screens.terminal_driver import Reader
from dmlviz.session import examples, recovery
from dmlviz.session.writing import dump

Start = Callable[..., Terminal]


def test_a_first_launch_opens_on_an_example_keys_work_and_a_resize_is_followed(start: Start) -> None:
    terminal = start(size=(80, 24), first=True)
    terminal.until("How do you want to begin?")
    terminal.send("\x1b")
    terminal.until("8 of 8", "GATHER · row gather", "✔ valid", "OutputTensor[0,0]")
    terminal.send("\x1b[B")  # down
    terminal.until("OutputTensor[1,0]")
    terminal.send("\x1b[H")  # home
    assert terminal.until("0 of 8").count("·") >= 8
    terminal.send("..")
    terminal.until("2 of 8")
    terminal.send(" ")  # without animations a key press is a step
    terminal.until("3 of 8")
    for width, height, shown in ((50, 15, "nothing is lost"), (80, 24, "step 3 of 8")):
        terminal.screen.resize(height, width)
        terminal.process.setwinsize(height, width)
        terminal.until(shown)
    terminal.quits()


def test_a_file_is_piped_in(tmp_path: Path) -> None:
    path = examples.example("join-1").path
    line = f"cat {shlex.quote(str(path))} | {shlex.quote(sys.executable)} -m dmlviz -"
    terminal = Terminal(["/bin/sh", "-c", line], 80, 24, tmp_path)
    terminal.until("JOIN")
    terminal.send("\x1b[B")
    terminal.send("\x1b[H")
    terminal.until("step 0 of")
    terminal.quits()


BYTES = {
    "a Latin-1 letter": b"\xe9",
    "a Latin-1 paste": b"\x1b[200~caf\xe9 d\xe9j\xe0\x1b[201~",
    "8-bit meta": b"\xe9\xf1\xe6",
    "a code point beyond Unicode": b"\x1b[1114112u",
    "a surrogate": b"\x1b[55296u\x1b[97;1;56320u",
    "alternate keys that nobody asked for": b"\x1b[97:65;2u\x1b[97;5:3u",
    "text of code points beyond Unicode": b"\x1b[97;2;1114112u",
    "a size of nothing, and a click": b"\x1b[48;0;0;0;0t\x1b[<0;5;5M\x1b[<0;5;5m",
    "a size beyond every terminal": b"\x1b[48;99999999;99999999;1;1t",
    "UTF-8 that is overlong or too large": b"\xc0\x80\xf4\x90\x80\x80\xed\xa0\x80",
    "half a letter": b"\xc3",
}


@pytest.mark.slow
def test_no_byte_on_the_keyboard_ends_the_explorer(terminal: Terminal) -> None:
    for number, (what, data) in enumerate(BYTES.items()):
        terminal.send(data + (b"\x1b[H" if number % 2 else b"\x1b[F"))
        terminal.until("0 of 8" if number % 2 else "step 8 of 8")
        assert terminal.process.isalive(), what
    terminal.quits()


@pytest.mark.parametrize("data", ["\x1b[1114112u", "\x1b[55296u", "\x1b[97:65;2u", "\x1b[97;1;55296u", "\x1b[97;1:2u"])
def test_a_key_that_cant_exist_is_none_and_what_is_sent_next_is_read(data: str) -> None:
    reader = Reader()
    found = [each for text in ("é漢", data, "x\x1b[97;5u\x1b[A") for each in reader.feed(text)]
    read = [each for each in found if isinstance(each, events.Key) and each.key != Keys.Ignore]
    assert [each.key for each in read][2:] == ["x", "ctrl+a", "up"]
    assert [each.character for each in read][:2] == ["é", "漢"]


def type_77(terminal: Terminal) -> None:
    """Types a value into the cell under the cursor."""
    terminal.send("e")
    terminal.until("enter sets it")
    terminal.send(b"77\r")


def kept(terminal: Terminal, folder: Path) -> list[recovery.LostSession]:
    found, sentences = recovery.find(folder / ".home" / "xdg_state_home" / "dmlviz" / "recovery")
    assert not sentences
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_terminal_as_it_was_and_the_work_for_the_next_launch(
    terminal: Terminal, tmp_path: Path, number: signal.Signals
) -> None:
    assert terminal.is_raw
    type_77(terminal)
    terminal.until("● unsaved")
    terminal.process.kill(number)
    assert terminal_ends(terminal) == 128 + number
    raw = terminal.raw
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?1003h", b"\x1b[?1003l"), (b"\x1b[?25l", b"\x1b[?25h")):
        assert raw.rindex(off) > raw.rindex(on)
    assert b"Traceback" not in raw
    (found,) = kept(terminal, tmp_path)
    assert "77" in dump(found.document.session)
    found.kept.remove()


def test_a_signal_right_behind_a_burst_of_input_ends_the_explorer(terminal: Terminal) -> None:
    terminal.send(b",." * 2000)
    time.sleep(0.05)  # the burst is being read, and its keys wake the loop faster than it can hear
    terminal.process.kill(signal.SIGTERM)
    assert terminal_ends(terminal) == 128 + signal.SIGTERM


def terminal_ends(terminal: Terminal) -> int:
    """The exit code; the terminal isn't raw any more then."""
    limit = time.monotonic() + 60
    while terminal.process.isalive():
        assert time.monotonic() < limit, "still waiting for the explorer to end"
        terminal.read()
    terminal.read()
    assert not terminal.is_raw
    return terminal.ends()


PLANTED = """
import sys
from dmlviz.cli.entry import main
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.widgets.picture.caption_line import CaptionLine
from dmlviz.widgets.picture.tensor_stack import TensorStack

def fails(self, *given):
    app = __import__("textual").app.active_app.get()
    if app.screen_stack[0].workspace.document.dirty:
        raise OSError("planted")
    return plain(self, *given)

plain = {0}
{0} = fails
main(["gather-2"])
"""
"""A program in which a panel, or what it draws, fails from the first edit on."""


@pytest.mark.parametrize("place", ["CaptionLine.present", "TensorStack.render_line", "Explorer.check_action"])
def test_a_fault_in_a_panel_ends_the_explorer_with_one_sentence_and_keeps_the_work(
    start: Start, tmp_path: Path, place: str
) -> None:
    terminal = start(program=("-c", PLANTED.replace("{0}", place)))
    terminal.until("8 of 8")
    type_77(terminal)
    assert terminal_ends(terminal) == 70
    _, _, after = terminal.raw.rpartition(b"\x1b[?1049l")
    details = tmp_path / ".home" / "xdg_state_home" / "dmlviz" / "fault.txt"
    told = re.sub(r"\x1b\[[^a-z]*[a-z]", "", after.decode()).split("\r\n")
    assert [line for line in told if line] == [
        "dmlviz: OSError is an internal error, and doesn't mean that the files are wrong; "
        f"what wasn't saved is offered at the next launch; its details are in {details}."
    ]
    assert b"Traceback" not in terminal.raw
    assert "OSError: planted" in details.read_text()
    (found,) = kept(terminal, tmp_path)
    assert "77" in dump(found.document.session)
    found.kept.remove()


def test_a_terminal_that_goes_takes_the_explorer_with_it_and_leaves_its_work(
    terminal: Terminal, tmp_path: Path
) -> None:
    type_77(terminal)
    terminal.until("● unsaved")
    terminal.process.ptyproc.fileobj.close()
    while terminal.process.isalive():
        time.sleep(0.05)
    (found,) = kept(terminal, tmp_path)
    found.kept.remove()


def test_a_program_that_ends_does_not_take_the_terminal_again(tmp_path: Path) -> None:
    """A SIGCONT that came while it ended made the terminal raw, and the program waited for keys for ever."""
    terminal = Terminal([sys.executable, "-m", "dmlviz", "gather-2"], 80, 24, tmp_path)
    terminal.until("8 of 8")
    terminal.process.kill(signal.SIGTERM)
    ends = time.monotonic() + 60
    while terminal.process.isalive():
        assert time.monotonic() < ends, "still waiting for the explorer to end"
        if not terminal.is_raw:
            terminal.process.kill(signal.SIGCONT)
        terminal.read(0)
    assert not terminal.is_raw
    assert terminal.process.exitstatus == 128 + signal.SIGTERM
