"""A small file that can't be read counts as nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct

from dmlviz.errors import SessionError
from dmlviz.session.kept import Kept


class Count(Struct):
    count: int
    names: tuple[str, ...] = ()


def test_what_one_writes_the_other_reads(tmp_path: Path) -> None:
    one, other = (Kept[Count](tmp_path / "new" / "x.json", Count) for _ in range(2))
    assert (one.read(), one.problem, other.changed()) == (None, "", False)
    one.write(Count(3, ("ä", "\udc80")))
    assert (one.changed(), other.changed()) == (False, True)
    assert other.read() in (Count(3, ("ä", "\\udc80")), Count(3, ("ä", "\udc80")))
    assert not other.changed()
    other.remove()
    assert one.changed()
    assert one.read() is None


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b"[" * 100_000, b'{"count": "x"}', b'{"count": 1e400}'])
def test_what_cannot_be_read_counts_as_nothing_and_is_told_in_one_sentence(tmp_path: Path, data: bytes) -> None:
    kept = Kept[Count](tmp_path / "x.json", Count)
    kept.file.write_bytes(data)
    assert kept.read() is None
    assert kept.problem.startswith(f"{kept.file} can't be used: ")
    assert kept.problem.endswith(".")
    assert "\n" not in kept.problem
    kept.write(Count(1))
    assert (kept.read(), kept.problem) == (Count(1), "")
    for file in (kept.file / "x.json", tmp_path):
        with pytest.raises(SessionError, match=r"can't be written: .*\.$"):
            Kept[Count](file, Count).write(Count(1))
