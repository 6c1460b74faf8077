"""Disks that are full for a while: one of this process's own where the system lets it have one, or limits of files."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SIZE = 192 << 20
"""Bytes of a disk of one's own: a lesson, what is kept of it, and all compiled kernels."""
OWN = "DMLVIZ_TEST_DISK"
"""Names the folder that is a disk of its own, in a process of `with_own_disk`."""


def with_own_disk(arguments: list[str], folder: Path) -> list[str]:
    """How a program is called so that `folder` is a small disk of its own, and OWN names it.

    It takes no rights: in a user namespace everybody may mount. Where it is forbidden, `arguments` come back.
    """
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return arguments
    script = 'mount -t tmpfs -o size="$1" disk "$0" && export ' + OWN + '="$0" && shift && exec "$@"'
    made = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(folder), str(SIZE)]
    tried = subprocess.run([*made, "true"], capture_output=True, check=False)
    return [*made, *arguments] if tried.returncode == 0 else arguments


class Disk:
    """The disk that a folder lies on, as some processes see it."""

    def __init__(self, folder: Path) -> None:
        owned = os.environ.get(OWN)
        self.is_own = owned is not None and folder.is_relative_to(owned)
        self._ballast = folder / ".ballast"
        self._limited = False

    @property
    def can_fill(self) -> bool:
        return self.is_own or self.can_limit

    @property
    def can_limit(self) -> bool:
        return sys.platform.startswith("linux")

    def fill(self, processes: Iterable[int], left: int, by_limit: bool) -> None:
        """Leaves `left` bytes: of the disk, or, with `by_limit`, of each file that one of `processes` writes."""
        if by_limit or not self.is_own:
            self._limit(processes, left)
            return
        block = bytes(1 << 20)
        with self._ballast.open("wb", buffering=0) as out, contextlib.suppress(OSError):
            while out.write(block):
                pass
        size = self._ballast.stat().st_size
        os.truncate(self._ballast, max(0, size - left))

    def room(self, processes: Iterable[int]) -> None:
        """Ends that."""
        self._ballast.unlink(missing_ok=True)
        if self._limited:
            self._limit(processes, -1)

    def _limit(self, processes: Iterable[int], most: int) -> None:
        import resource

        assert sys.platform.startswith("linux")
        self._limited = most != -1
        for each in processes:
            with contextlib.suppress(OSError):  # it has ended meanwhile
                hard = resource.prlimit(each, resource.RLIMIT_FSIZE)[1]
                resource.prlimit(each, resource.RLIMIT_FSIZE, (most if most != -1 else hard, hard))
