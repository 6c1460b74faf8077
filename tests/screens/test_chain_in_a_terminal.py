"""A chain in a real terminal, by the bytes that keys and clicks send."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.chain_sessions import rotate_half
from support.real_terminal import Terminal

from dmlviz.session.writing import save

SIZES = [(80, 24), pytest.param((120, 36), marks=pytest.mark.slow), pytest.param((200, 50), marks=pytest.mark.slow)]


@pytest.mark.parametrize("size", SIZES)
def test_its_keys_and_clicks_go_along(size: tuple[int, int], tmp_path: Path) -> None:
    save(rotate_half(), tmp_path / "chain.json")
    shown = Terminal([sys.executable, "-m", "dmlviz", str(tmp_path / "chain.json")], *size, tmp_path)
    shown.until("SPLIT]" if size[0] < 100 else "1 halves SPLIT")
    shown.wait()
    shown.send("}}")
    shown.until("3 of 3")
    shown.send("P")
    shown.until("path of swapped[0,4]")
    shown.click_text("2 JOIN" if size[0] < 100 else "2 swapped")
    shown.until("2 of 3")
    shown.click_text("─▶ [2" if size[0] < 100 else "──▶ [2")
    shown.until("halves[1][0,0] ")  # the first that the wire fills
    shown.click_text("halves[1][0,0]", below="path of")
    shown.until("1 of 3", "path of halves[1][0,0] ")
    shown.send("P")
    shown.until(lambda text: "path of" not in text and "⇠ InputTensor" not in text)
    shown.quits()
