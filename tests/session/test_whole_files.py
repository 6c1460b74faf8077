"""Files are whole on a full disk; a small file that can't be read counts as nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from dmlviz.errors import SessionError
from dmlviz.session.kept import Kept

FULL = """
import os, resource, sys
from pathlib import Path
from dmlviz.session.whole_files import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    write_whole(Path(sys.argv[1]), b"after" * 1000)
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.drawn(2)
@pytest.mark.skipif(sys.platform == "win32", reason="has no limit for files")
@pytest.mark.parametrize("room", [0, 1, 4999])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, room: int) -> None:
    target = tmp_path / "s.json"
    target.write_bytes(b"before")
    found = subprocess.run([sys.executable, "-c", FULL, str(target), str(room)], capture_output=True, check=True)
    assert found.stdout.strip() == b"File too large"
    assert target.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


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
