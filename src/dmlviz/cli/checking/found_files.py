"""The files below a folder that may hold something of ours: by git's own rules for what is ignored, or by a walk.

What is found is a hint: whoever checks it opens it anew. A name may be anything, and its file gone a moment later.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ...formats.regular_files import open_regular

GIT_SECONDS = 10.0
"""How long git may take to list a folder, before that is walked."""
SNIFFED = 64 << 10
"""Bytes of a file that are looked at."""
CODE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".inl")
SUFFIXES = (".json", ".onnx", ".md", *CODE)
_CPP = re.compile(rb"DML_\w*OPERATOR_DESC|\bdml\s*+::")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:\{|//|/\*)")
_OF_PLACE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""What a hook is told of its own repository, which need not be that of the folder."""


class Search(Struct):
    """What was gone through so far."""

    seen: int = 0
    """Files that were gone through."""
    without_git: bool = False
    """True where a folder had to be walked."""

    def below(self, folder: str) -> list[str]:
        """The files below a folder that may hold something of ours, in order, as paths from where we are with `/`."""
        base = shown_path(folder)
        found = set[str]()
        for name in self._names(folder):
            path = os.path.normpath(os.path.join(base, name)).replace(os.sep, "/")
            self.seen += 1
            if name.endswith("/") or may_hold(path):
                found.add(path)
        return sorted(found)

    def _names(self, folder: str) -> Iterable[str]:
        """The files below a folder, from there on with `/`."""
        listed = _listed_by_git(folder)
        if listed is None:
            self.without_git = True
            return walked(folder)
        names = map(os.fsdecode, listed.split(b"\0"))
        return (name for name in names if name and not name.startswith(("../", "/")) and name[-1] != "/")


def _listed_by_git(folder: str) -> bytes | None:
    """A folder's files by git; None where it doesn't tell in time. What a repository says is to be run is not."""
    program = shutil.which("git")
    if program is None or Path(program).resolve().is_relative_to(Path(folder).resolve()):
        return None
    own = {name: value for name, value in os.environ.items() if name not in _OF_PLACE} | {"GIT_NO_LAZY_FETCH": "1"}
    # Of a partial clone what is missing would be fetched, by what its settings name.
    settings = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "protocol.allow=never")
    options = ["--no-pager", "--no-optional-locks", *(word for setting in settings for word in ("-c", setting))]
    command = [program, *options, "-C", folder, "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    try:
        made = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=own, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return made.stdout


def walked(folder: str) -> Iterator[str]:
    """The files below a folder without links, hidden folders and `node_modules`, from there on with `/`.

    A folder that may not be read comes too, with `/` behind it: nobody shall believe that it was checked.
    """
    closed: list[str] = []
    for inside, folders, files in os.walk(folder, onerror=lambda error: closed.append(error.filename)):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        yield from (os.path.relpath(os.path.join(inside, name), folder) for name in files)
    yield from (f"{os.path.relpath(path, folder)}/" for path in closed)


def shown_path(path: str) -> str:
    """A path from where we are, with `/`; one that lies elsewhere as it was given."""
    normal = os.path.normpath(path)
    if os.path.isabs(normal):
        try:
            here = os.path.relpath(normal)
        except ValueError:  # on another drive
            here = ".."
        normal = normal if here.split(os.sep)[0] == ".." else here
    return normal.replace(os.sep, "/")


def may_hold(path: str) -> bool:
    """True if a file's name and its begin look like a session, a model or code with descs. Never raises."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        return False
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # what a link leads to is found under its own name
            return False
        if suffix == ".onnx":
            return True
        with open_regular(path) as file:
            return looks_like_ours(file.read(SNIFFED), suffix)
    except PermissionError:
        return True  # nobody knows, and nobody shall believe that it was checked
    except (OSError, ValueError):
        return False


def looks_like_ours(begin: bytes, suffix: str) -> bool:
    """True if the first bytes of a file with that suffix may be of something that is checked."""
    begin = begin.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")  # UTF-16
    is_json = b'"dispatchables"' in begin or (b'"dmlviz"' in begin and b'"experiments"' in begin)
    if suffix == ".json":
        return is_json and _JSON.match(begin) is not None
    return _CPP.search(begin) is not None or (suffix == ".md" and is_json)
