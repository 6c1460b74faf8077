"""Writes an export and the .npy files beside it: all of them or none, and nothing over what is there unless told to."""

from __future__ import annotations

import contextlib
import errno
import filecmp
import os
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
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
    """Writes the export to `path`, and its arrays as .npy files beside it, in place of what is there.

    Work that is stopped leaves every file as it was before.
    Nothing is replaced where `unless` names what would allow that; a .npy file that holds the same is no hindrance.
    Raises SessionError where it can't be done; every file is then as it was before.
    """
    shown = plain(str(path) or ".")
    try:
        target = resolved(Path(path))  # a link stays a link to the file that is replaced
        beside = {locate(name, "export", target.parent): array for name, array in export.files.items()}
        _require_free(target, shown, unless)
        if not target.parent.is_dir():  # folders are made only for what lies beside it
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with contextlib.ExitStack() as undo:
            ready = [(path, _staged_in_folders(path, _npy_writer(array), undo)) for path, array in beside.items()]
            for path, name in ready:
                same = path.is_file() and filecmp.cmp(name, path, shallow=False)
                _require_free(path, plain(path.name), "" if same else unless)
            checkpoint()  # the last: what follows takes no time, and is done whole
            # The export last: whoever sees it finds its files.
            ready.append((target, _staged_in_folders(target, lambda out: out.write(export.data), undo)))
            kept = [_put(path, name, undo) for path, name in ready]
            undo.pop_all()
    except ValuesError as error:
        raise SessionError(str(error)) from None
    except DmlvizError:
        raise
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise SessionError(f"{shown} can't be written: {reason}.") from None
    for old in kept:
        if old is not None:
            _remove(old)


def write_several(output: Path, files: Sequence[tuple[Path, bytes]], *, unless: str = "") -> None:
    """Writes several files, all or none, in place of what is there; `output` is the name that was asked for.

    Nothing is replaced where `unless` names what would allow that. Raises SessionError where it can't be done; every
    file is then as it was before.
    """
    shown = plain(str(output) or ".")
    try:
        with contextlib.ExitStack() as undo:
            _require_free(resolved(output), shown, "")  # names that begin like a folder's would lie beside it
            targets = []
            for path, _ in files:
                shown = plain(str(path) or ".")
                target = resolved(path)
                _require_free(target, shown, unless)
                if not target.parent.is_dir():
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
                targets.append(target)
            ready = []
            for target, (path, data) in zip(targets, files, strict=True):
                shown = plain(str(path))
                checkpoint()
                ready.append((target, _staged_in_folders(target, partial(_write_bytes, data), undo)))
            kept = [_put(target, name, undo) for target, name in ready]
            undo.pop_all()
    except DmlvizError:
        raise
    except (OSError, ValueError) as error:
        raise SessionError(f"{shown} can't be written: {reason_of(error)}.") from None
    for old in kept:
        if old is not None:
            _remove(old)


def _write_bytes(data: bytes, out: BinaryIO) -> object:
    return out.write(data)


def _require_free(path: Path, shown: str, unless: str) -> None:
    """Raises SessionError for a folder or no regular file, and for any file where `unless` is given."""
    if path.is_dir():
        raise SessionError(f"{shown} is a directory, expected a file to write.")
    if path.exists() and not path.is_file():
        raise SessionError(f"{shown} is no regular file, expected a file to write.")
    if path.exists() and unless:
        raise SessionError(f"{shown} exists already, expected another name, or {unless}, which replaces it.")


class _Checked:
    """A file with a checkpoint before each piece; NumPy writes an array to what is no file of its own in pieces."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, data: bytes) -> int:
        """Writes bytes, after a checkpoint."""
        checkpoint()
        return self._out.write(data)


def _npy_writer(array: Array) -> Callable[[BinaryIO], object]:
    """A function that writes the array to a file as .npy, with checkpoints."""

    def save(out: BinaryIO) -> None:
        whole = cast(BinaryIO, _Checked(out))
        np.lib.format.write_array(whole, np.ascontiguousarray(array), allow_pickle=False)

    return save


def _staged_in_folders(target: Path, fill: Callable[[BinaryIO], object], undo: contextlib.ExitStack) -> str:
    """Writes a file beside its place, with the folders that lead there; `undo` takes both away again."""
    for folder in reversed([parent for parent in target.parents if not parent.exists()]):
        folder.mkdir()
        undo.callback(_remove_folder, folder)
    name = staged(target, fill)
    undo.callback(_remove, name)
    return name


def _put(target: Path, name: str, undo: contextlib.ExitStack) -> str | None:
    """Puts a file in its place; `undo` brings back what stood there. Returns a copy of that, to be removed later."""
    if not target.exists():
        os.replace(name, target)
        undo.callback(_remove, str(target))
        return None
    old = f"{name}.old"
    try:
        os.link(target, old)
    except OSError:  # not every file system has links
        shutil.copy2(target, old)
    undo.callback(_remove, old)  # two links to one file are not renamed into each other
    undo.callback(_bring_back, old, target)
    os.replace(name, target)
    return old


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _bring_back(old: str, target: Path) -> None:
    with contextlib.suppress(OSError):
        os.replace(old, target)
