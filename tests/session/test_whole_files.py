"""Files are whole, stay their owner's, and leave nothing behind, whoever is killed."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dmlviz.session.whole_files import write_whole

KILLED = """
import os, sys
from pathlib import Path
from dmlviz.session.whole_files import replace_whole
replace_whole(Path(sys.argv[1]), lambda out: (out.write(b"half"), out.flush(), os.kill(os.getpid(), 9)))
"""


def test_what_other_threads_write_meanwhile_is_nobody_else_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other, real = tmp_path / "other.json", os.umask
    real(before := real(0o077))

    def umask(mask: int) -> int:
        was = real(mask)
        other.touch()
        return was

    monkeypatch.setattr(os, "umask", umask)
    real(0o077)
    try:
        write_whole(tmp_path / "s.json", b"after")
        other.touch()
    finally:
        real(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (other, tmp_path / "s.json")] == [0o600, 0o600]


def test_what_a_killed_process_left_goes_with_the_next_save(tmp_path: Path) -> None:
    target = tmp_path / "s.json"
    target.write_bytes(b"before")
    subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert target.read_bytes() == b"before"
    (left,) = tmp_path.glob(".s.json.*.new")
    other = tmp_path / f".s.json.{os.getpid()}-00000000-abc.new"  # of another machine
    other.touch()
    write_whole(tmp_path / "another.json", b"x")
    assert left.exists(), "it is another file's"
    write_whole(target, b"after")
    assert target.read_bytes() == b"after"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["another.json", other.name, "s.json"])


def test_other_names_of_a_file_stay_its_names(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_bytes(b"a longer text than what comes")
    os.link(one, two)
    write_whole(one, b"short")
    assert two.read_bytes() == b"short"
    assert one.stat().st_ino == two.stat().st_ino
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one.json", "two.json"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_stays_its_owners(tmp_path: Path) -> None:
    target = tmp_path / "s.json"
    target.write_bytes(b"before")
    os.chown(target, 12345, 23456)
    os.chmod(target, 0o640)
    write_whole(target, b"after")
    found = target.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (12345, 23456, 0o640)
    assert target.read_bytes() == b"after"


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
@pytest.mark.parametrize("linked", [False, True])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, room: int, linked: bool) -> None:
    target = tmp_path / "s.json"
    target.write_bytes(b"before")
    if linked:  # it can't be replaced
        os.link(target, tmp_path / "other.json")
    found = subprocess.run([sys.executable, "-c", FULL, str(target), str(room)], capture_output=True, check=True)
    assert found.stdout.strip() == b"File too large"
    assert target.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1 + linked


def test_a_disk_that_fills_up_while_a_linked_file_is_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new content lies whole beside it by then, so the old one has to be put back."""
    target = tmp_path / "s.json"
    target.write_bytes(b"before")
    os.link(target, tmp_path / "other.json")
    real, synced = os.fsync, list[int]()

    def fsync(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="No space left"):
        write_whole(target, b"after" * 1000)
    assert target.read_bytes() == b"before"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.json", "s.json"]
