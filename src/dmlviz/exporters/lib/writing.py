"""Writes an export and the .npy files beside it: whole, and over nothing that is there unless told to."""

from __future__ import annotations

import contextlib
import errno
import filecmp
import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, cast

import numpy as np

from ...desc.npy_files import locate, resolved
from ...desc.values import Array
from ...errors import DmlvizError, SessionError, ValuesError, plain, quote, reason_of
from ...session.whole_files import staged
from ...stopping import checkpoint
from .export import Export

STEM = "values"
"""How names of files beside an export begin that has no name itself."""


def stem_of(path: str | os.PathLike[str]) -> str:
    """How names of files beside `path` begin: letters and digits of its name. Raises SessionError for no path."""
    try:
        name = Path(path).stem
    except TypeError:
        raise SessionError(f"output is {quote(path)}, expected the name of a file.") from None
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60].strip("_") or STEM


def paths(export: Export, path: Path) -> tuple[Path, ...]:
    """Every file that `write` writes, the export's own first."""
    return (path, *(path.parent / name for name in export.files))


def require_alone(export: Export, how: str) -> None:
    """Raises SessionError where files belong beside an export that is to stand alone; `how` says what would help."""
    if export.files:
        names = [plain(name, 40) for name in export.files]
        listing = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        raise SessionError(f"the export needs {listing} beside it, expected {how}.")


def write(export: Export, path: str | os.PathLike[str], *, unless: str = "") -> None:
    """Writes the export to `path`, and its arrays as .npy files beside it, as `write_several` does."""
    try:
        folder = resolved(Path(path)).parent  # a link stays a link to the file that is replaced
        beside = [(locate(name, "export", folder), array) for name, array in export.files.items()]
    except ValuesError as error:
        raise SessionError(str(error)) from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{plain(str(path))} can't be written: {reason_of(error)}.") from None
    # The export last: whoever sees it finds its files.
    write_several([*beside, (Path(path), export.data)], unless=unless)


def write_several(files: Sequence[tuple[Path, bytes | Array]], *, unless: str = "") -> None:
    """Writes files, arrays as .npy, in place of what is there; all lie whole beside their places before one is put.

    Nothing is replaced where `unless` names what would allow that; a .npy file that holds the same is no hindrance.
    Raises SessionError where it can't be done. Work that is stopped leaves every file as it was before.
    """
    shown = ""
    try:
        with contextlib.ExitStack() as undo:
            ready: list[tuple[Path, str]] = []
            for path, content in reversed(files):
                shown = plain(str(path) or ".")
                target = resolved(path)
                exists = f"{shown} exists already, expected another name, or {unless}, which replaces it."
                require_place(path)
                if unless and target.exists() and isinstance(content, bytes):
                    raise SessionError(exists)
                if not target.parent.is_dir():
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
                checkpoint()
                name = staged(target, partial(_fill, content))
                undo.callback(_remove, name)
                if unless and target.exists() and not filecmp.cmp(name, target, shallow=False):
                    raise SessionError(exists)
                ready.append((target, name))
            checkpoint()  # the last: what follows takes no time
            for target, name in reversed(ready):
                os.replace(name, target)
    except DmlvizError:
        raise
    except (OSError, ValueError) as error:
        raise SessionError(f"{shown} can't be written: {reason_of(error)}.") from None


def require_place(path: Path) -> None:
    """Raises SessionError for a folder, and for what else is no regular file."""
    if os.path.exists(path) and not path.is_file():
        what = "a directory" if path.is_dir() else "no regular file"
        raise SessionError(f"{plain(str(path) or '.')} is {what}, expected a file to write.")


def _fill(content: bytes | Array, out: BinaryIO) -> None:
    """Writes bytes, or an array as .npy, with a checkpoint before each piece."""
    if isinstance(content, bytes):
        out.write(content)
        return

    def write(piece: bytes) -> int:
        checkpoint()
        return out.write(piece)

    # NumPy writes an array to what is no file of its own in pieces.
    in_pieces = cast(BinaryIO, SimpleNamespace(write=write))
    np.lib.format.write_array(in_pieces, np.ascontiguousarray(content), allow_pickle=False)


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)
