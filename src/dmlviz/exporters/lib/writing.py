"""An export, and how it is written: whole, with the .npy files beside it, and over nothing there unless told to."""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from msgspec import Struct, field

from ...desc.npy_files import locate, resolved
from ...desc.values import Array
from ...errors import DmlvizError, SessionError, ValuesError, plain, quote, reason_of
from ...session.whole_files import staged
from ...stopping import checkpoint

STEM = "values"


class Export(Struct, frozen=True):
    """One file, text or the bytes of a binary model, and arrays that stand beside it as .npy files, by file name."""

    content: str | bytes
    files: Mapping[str, Array] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        if isinstance(self.content, bytes):
            return self.content
        return self.content.encode()


def stem_of(path: str | os.PathLike[str]) -> str:
    """How names of files beside `path` begin: letters and digits of its name. Raises SessionError for no path."""
    try:
        name = Path(path).stem
    except TypeError:
        raise SessionError(f"output is {quote(path)}, expected the name of a file.") from None
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60].strip("_") or STEM


def paths(export: Export, path: Path) -> tuple[Path, ...]:
    return (path, *(path.parent / name for name in export.files))


def require_alone(export: Export, how: str) -> None:
    """Raises SessionError where files belong beside an export that is to stand alone; `how` says what would help."""
    if export.files:
        names = [plain(name, 40) for name in export.files]
        listing = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        raise SessionError(f"the export needs {listing} next to it, expected {how}.")


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
                checkpoint()
                shown = plain(str(path) or ".")
                target = resolved(path)
                require_place(path)
                name = staged(target, partial(_fill, content))
                undo.callback(Path(name).unlink, missing_ok=True)
                is_text = isinstance(content, bytes)
                if unless and target.exists() and (is_text or not filecmp.cmp(name, target, shallow=False)):
                    raise SessionError(
                        f"{shown} exists already, expected another name, or {unless}, which replaces it."
                    )
                ready.append((target, name))
            checkpoint()  # the last: what follows takes no time
            for target, name in reversed(ready):
                os.replace(name, target)
    except (OSError, ValueError) as error:
        if isinstance(error, DmlvizError):
            raise
        raise SessionError(f"{shown} can't be written: {reason_of(error)}.") from None


def require_place(path: Path) -> None:
    """Raises SessionError for a folder, and for what else is no regular file."""
    if os.path.exists(path) and not path.is_file():
        what = "a directory" if path.is_dir() else "no regular file"
        raise SessionError(f"{plain(str(path) or '.')} is {what}, expected a file to write.")


def _fill(content: bytes | Array, out: BinaryIO) -> None:
    if isinstance(content, bytes):
        out.write(content)
    else:
        np.lib.format.write_array(out, np.ascontiguousarray(content), allow_pickle=False)
