"""Names that no file can have, in each dialog that asks for one: a sentence, and the explorer goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlviz.errors import SessionError
from dmlviz.screens.dialogs.file_opening import path_of

NOBODY, LONG = "~nobody-is-called-so", 300 * "n"


def test_a_folder_of_nobody_and_no_folder_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path_of("~/a.json") == tmp_path / "a.json"
    for name in (NOBODY, f"{NOBODY}/x", LONG, "a\0b"):
        with pytest.raises(SessionError) as raised:
            path_of(name)
        assert str(raised.value).endswith(".")
