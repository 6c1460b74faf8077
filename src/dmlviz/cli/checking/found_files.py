"""The files below a folder that may hold something of ours: by git's own rules for what is ignored, or by a walk.

What is found is a hint: whoever checks it opens it anew. A name may be anything, and its file gone a moment later.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ...formats.regular_files import open_regular

GIT_SECONDS = 10.0
"""How long git may take to list a folder, before that is walked."""
SNIFFED = 64 << 10
"""Bytes of a file that are looked at."""
SUFFIXES = (".json", ".onnx", ".md", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".inl")
_CPP = re.compile(rb"DML_\w*OPERATOR_DESC|\bdml\s*+::")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:\{|//|/\*)")
_OF_PLACE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""What a hook is told of its own repository, which need not be that of the folder."""


def files_below(folder: str) -> tuple[list[str], int, bool]:
    """The files below a folder that may hold something of ours, in order, as paths from where we are with `/`.

    Then how many there are of any kind, and whether git listed them.
    """
    listed = _listed_by_git(folder)
    base = shown_path(folder)
    if listed is None:
        names = [*_walked(folder)]
    else:
        names = [*map(os.fsdecode, re.findall(rb"[^\0]*[^/\0](?=\0)", listed))]
    own = [name for name in names if not name.startswith(("../", "/"))]
    paths = {os.path.normpath(os.path.join(base, name)).replace(os.sep, "/"): name for name in own}
    found = [path for path, name in paths.items() if name.endswith("/") or may_hold(path)]
    return sorted(found), len(own), listed is not None


def _listed_by_git(folder: str) -> bytes | None:
    """A folder's files by git; None where it doesn't tell in time. What a repository says is to be run is not."""
    program = shutil.which("git")
    if program is None or Path(program).resolve().is_relative_to(Path(folder).resolve()):
        return None
    own = {name: value for name, value in os.environ.items() if name not in _OF_PLACE} | {"GIT_NO_LAZY_FETCH": "1"}
    # Of a partial clone what is missing would be fetched, by what its settings name.
    settings = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "protocol.allow=never")
    options = ["--no-pager", "--no-optional-locks"]
    for setting in settings:
        options += ["-c", setting]
    command = [program, *options, "-C", folder, "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    try:
        made = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=own, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return made.stdout


def _walked(folder: str) -> Iterator[str]:
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
    normal = Path(os.path.normpath(path))
    return (normal.relative_to(Path.cwd()) if normal.is_relative_to(Path.cwd()) else normal).as_posix()


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
            begin = file.read(SNIFFED)
    except PermissionError:
        return True  # nobody knows, and nobody shall believe that it was checked
    except (OSError, ValueError):
        return False
    begin = begin.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")  # UTF-16
    is_json = b'"dispatchables"' in begin or (b'"dmlviz"' in begin and b'"experiments"' in begin)
    if suffix == ".json":
        return is_json and _JSON.match(begin) is not None
    return _CPP.search(begin) is not None or (suffix == ".md" and is_json)
