"""The .npy files beside a session file: which names they may have, and what is read of them.

Nothing is mapped that somebody else may cut off: the next touch of a page that is gone would end the process. What is
small is read into memory; what is large is copied into a file of this process that has no name, and that is mapped.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import BinaryIO

import numpy as np

from ..errors import ValuesError, plain
from ..formats.regular_files import open_regular
from .tensors import TensorDesc, braces
from .values import Array

LARGE = 64 << 20
"""Bytes of a file from which on its array isn't kept in memory."""

_Stamp = tuple[str, int, int, int]
"""Path, inode, size, and time of the last change: another one is another file."""
_read: weakref.WeakValueDictionary[_Stamp, Array] = weakref.WeakValueDictionary()
"""What was read and is still in use: a file is read once, however often an edit asks for it."""
_lock = threading.Lock()
_allowed: frozenset[Path] | None = None


def allow_only(paths: Iterable[Path] | None) -> None:
    """Lets this process locate only `paths`, resolved; None lets it locate all. For visitors, who may type any."""
    global _allowed
    _allowed = frozenset(paths) if paths is not None else None


def allowed() -> frozenset[Path] | None:
    """The files that this process may locate; None where it may locate all."""
    return _allowed


def require_name(file: str, field: str) -> None:
    """Raises ValuesError for what is no name of an .npy file inside a session's folder.

    A session that somebody else wrote says these names, and files are written under them when it is saved elsewhere.
    """
    path = PurePath(file)
    _require_inside(file, field)
    if path.suffix != ".npy":
        raise ValuesError(f"{field}: {plain(file)} is no name of an .npy file, expected one that ends in .npy.")
    if any(part.startswith(".") and part != ".." for part in path.parts):
        raise ValuesError(f"{field}: {plain(file)} has a hidden part, expected a name whose parts begin with no dot.")


def _require_inside(file: str, field: str) -> None:
    """Raises ValuesError for a name that says itself that it leads out of the folder: nobody looks there at all."""
    if PurePath(file).anchor or PurePath(os.path.normpath(file)).parts[:1] == ("..",):
        raise ValuesError(f"{field}: {plain(file)} lies outside the session's folder, expected a file inside it.")


def resolved(path: Path) -> Path:
    """The path without links. Raises OSError for a link that leads to itself, ValueError for what is no name.

    `Path.resolve` raises RuntimeError for such a link up to Python 3.12, and returns the link itself from 3.13 on.
    """
    target = Path(os.path.realpath(path))
    try:
        target.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    return target


def locate(file: str, field: str, folder: Path | None) -> Path:
    """The path of a file beside a session. Raises ValuesError where it leaves `folder`, or no file can be called so."""
    _require_inside(file, field)
    named = f"{field}: {plain(file)}"
    try:
        base = resolved(folder or Path())
        path = resolved(base / file)
        file.encode()  # a name that is no text could not be written back
    except (OSError, ValueError):
        raise ValuesError(f"{named} can't be a file, expected the name of an .npy file.") from None
    if not path.is_relative_to(base):
        raise ValuesError(f"{named} lies outside the session's folder, expected a file inside it.")
    if _allowed is not None and path not in _allowed:
        raise ValuesError(f"{named} is a file of the server, expected values, or one that the served session names.")
    return path


def read_npy(file: str, tensor: TensorDesc, field: str, folder: Path | None) -> Array:
    """The array in `folder / file`, never unpickled. Raises ValuesError where it isn't what `tensor` says.

    It stays as it was read, whatever becomes of the file.
    """
    array = read_any_npy(file, field, folder, str(tensor))
    named = f"{field}: {plain(file)}"
    want = tensor.data_type.dtype
    if array.dtype != want:
        if array.dtype.newbyteorder("=") == want:
            how = "save it again with .astype(x.dtype.newbyteorder('='))"
            raise ValuesError(f"{named} is big-endian ({array.dtype.str}), expected little-endian {want.str}; {how}.")
        raise ValuesError(f"{named} holds {plain(str(array.dtype))}, expected {tensor.data_type} ({want}).")
    if array.shape != tensor.sizes:
        raise ValuesError(f"{named} has shape {braces(array.shape)}, expected {braces(tensor.sizes)}.")
    if not array.flags.c_contiguous:
        raise ValuesError(f"{named} is in Fortran order, expected C order; save numpy.ascontiguousarray(x).")
    return array


def read_any_npy(file: str, field: str, folder: Path | None, expected: str = "an array") -> Array:
    """The array in `folder / file`, whatever its type and shape. Raises ValuesError, which says what was `expected`."""
    require_name(file, field)
    return read_called(file, field, folder, expected)


def read_called(file: str, field: str, folder: Path | None, expected: str = "an array") -> Array:
    """As `read_any_npy`, whatever the file inside the folder is called."""
    named = f"{field}: {plain(file)}"
    path = locate(file, field, folder)
    try:
        if path.exists() and not path.is_file():
            raise ValuesError(f"{named} is no regular file, expected an array written by numpy.save.")
        with open_regular(path) as handle:
            return _array(handle, path, named, expected)
    except FileNotFoundError:
        raise ValuesError(f"{named} is missing, expected an .npy file there.") from None
    except OSError as error:
        raise ValuesError(f"{named} can't be read: {error.strerror or 'it is no file'}.") from None


def _array(handle: BinaryIO, path: Path, named: str, expected: str) -> Array:
    """The array in an open file, read now or before. Raises ValuesError, and OSError."""
    head = handle.read(8)
    if not head.startswith(b"\x93NUMPY"):
        import zipfile

        pickle = head.startswith(b"\x80") and not zipfile.is_zipfile(path)
        what = "a pickle, which is never read" if pickle else "no .npy file"
        raise ValuesError(f"{named} is {what}, expected an array written by numpy.save.")
    status = os.fstat(handle.fileno())
    stamp = str(path), status.st_ino, status.st_size, status.st_mtime_ns
    with _lock:
        if (known := _read.get(stamp)) is not None:
            return known
    handle.seek(0)
    read: Callable[[BinaryIO], Array] = _into_memory if status.st_size < LARGE else _mapped_copy
    try:
        array = read(handle)
    except OSError:
        raise
    except MemoryError:
        raise ValuesError(f"{named} has {status.st_size:,} bytes, more than there is memory for.") from None
    except Exception as error:  # NumPy evaluates the header, so a damaged one can raise anything
        # numpy.save marks an array of objects in its header; loading it would mean unpickling.
        if str(error).startswith("Object arrays"):
            raise ValuesError(f"{named} holds pickled objects, which are never read; expected {expected}.") from None
        raise ValuesError(f"{named} is truncated or damaged, expected {expected}.") from None
    array.setflags(write=False)
    with _lock:
        return _read.setdefault(stamp, array)


def _into_memory(handle: BinaryIO) -> Array:
    array: Array = np.lib.format.read_array(handle, allow_pickle=False)
    return np.asarray(array)


def _mapped_copy(handle: BinaryIO) -> Array:
    """The array of a large file, in a copy that nobody else can reach."""
    import mmap

    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(handle, copy, 16 << 20)
        size = copy.tell()
        copy.flush()
        copy.seek(0)
        version = np.lib.format.read_magic(copy)
        head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = head(copy)
        if dtype.hasobject:
            raise ValueError("Object arrays cannot be mapped")
        mapped = mmap.mmap(copy.fileno(), size, access=mmap.ACCESS_READ)
        array: Array = np.ndarray(shape, dtype, mapped, copy.tell(), order="F" if fortran else "C")
        return array
