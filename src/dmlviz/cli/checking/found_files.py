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

from msgspec import Struct

from ...formats.regular_files import open_regular
from ...importers.lib.pasted_text import as_text, fenced_blocks

GIT_SECONDS = 10.0
"""How long git may take to list a folder, before that is walked."""
SNIFFED = 64 << 10
"""Bytes of a file that are looked at."""
CODE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".inl")
SUFFIXES = (".json", ".onnx", ".md", *CODE)
LEFT_OUT = ("node_modules",)
_CPP = re.compile(rb"DML_\w*OPERATOR_DESC|\bdml\s*+::")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:\{|//|/\*)|\xff\xfe|\xfe\xff")
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

    def _names(self, folder: str) -> Iterator[str]:
        """The files below a folder, from there on with `/`."""
        listed = _listed_by_git(folder)
        if listed is not None:
            names = map(os.fsdecode, listed.split(b"\0"))
            return (name for name in names if name and not name.startswith(("../", "/")) and name[-1] != "/")
        self.without_git = True
        return walked(folder)


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
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, inside)) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        continue
                    if not entry.is_dir(follow_symlinks=False):
                        yield f"{inside}{entry.name}"
                    elif not entry.name.startswith(".") and entry.name not in LEFT_OUT:
                        waiting.append(f"{inside}{entry.name}/")
        except PermissionError:
            yield inside or "./"
        except OSError:  # gone
            continue


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
    if begin[:2] in (b"\xff\xfe", b"\xfe\xff"):
        begin = begin.replace(b"\0", b"")
    of_json = b'"dispatchables"' in begin or (b'"dmlviz"' in begin and b'"experiments"' in begin)
    if suffix == ".json":
        return of_json and _JSON.match(begin) is not None
    of_code = _CPP.search(begin) is not None
    if suffix in CODE:
        return of_code
    text = as_text(begin) if of_code or of_json else None
    blocks = (block.text.encode() for block in fenced_blocks(text or ""))
    return any(_CPP.search(block) or b'"dispatchables"' in block or b'"dmlviz"' in block for block in blocks)
