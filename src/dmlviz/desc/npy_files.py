"""The .npy files beside a session file: which names they may have, and what is read of them."""

from __future__ import annotations

import os
import weakref
from pathlib import Path, PurePath

from numpy.lib import format as npy

from ..errors import ValuesError, plain
from ..formats.regular_files import open_regular
from .tensors import TensorDesc, braces
from .values import Array

_read: weakref.WeakValueDictionary[tuple[str, int, int, int], Array] = weakref.WeakValueDictionary()
"""What was read and is still in use, by path, inode, size, and time of the last change: other ones, another file."""
allowed: frozenset[Path] | None = None
"""The files, resolved, that this process may locate, for visitors may type any name; None where it may locate all."""


def resolved(path: Path) -> Path:
    """The path without links. Raises OSError for a link that leads to itself, ValueError for what is no name."""
    target = Path(os.path.realpath(path))  # as `Path.resolve`, of which each Python says something else of such a link
    if target.is_symlink():
        target.stat()  # which says what the system says
    return target


def locate(file: str, field: str, folder: Path | None) -> Path:
    """The path of an .npy file inside a session's folder. Raises ValuesError for a name that leads elsewhere.

    A session that somebody else wrote says these names, and files are written under them when it is saved elsewhere.
    """
    named, name = f"{field}: {plain(file)}", PurePath(file)
    outside = f"{named} is outside the session's folder, expected a file inside it."
    if name.anchor or PurePath(os.path.normpath(file)).parts[:1] == ("..",):  # nobody looks there at all
        raise ValuesError(outside)
    if name.suffix != ".npy":
        raise ValuesError(f"{named} is no name of an .npy file, expected one that ends in .npy.")
    if any(part.startswith(".") and part != ".." for part in name.parts):
        raise ValuesError(f"{named} has a hidden part, expected a name whose parts begin with no dot.")
    try:
        base = resolved(folder or Path())
        path = resolved(base / file)
        file.encode()  # a name that is no text could not be written back
    except (OSError, ValueError):
        raise ValuesError(f"{named} can't be a file, expected the name of an .npy file.") from None
    if not path.is_relative_to(base):
        raise ValuesError(outside)
    if allowed is not None and path not in allowed:
        raise ValuesError(f"{named} is a file of the server, expected values, or one that the served session names.")
    return path


def read_npy(file: str, tensor: TensorDesc, field: str, folder: Path | None) -> Array:
    """The array in `folder / file`, never unpickled. Raises ValuesError where it isn't what `tensor` says."""
    array = read_any_npy(file, field, folder)
    named = f"{field}: {plain(file)}"
    want = tensor.data_type.dtype
    if array.dtype != want:
        raise ValuesError(f"{named} holds {plain(str(array.dtype))}, expected {tensor.data_type} ({want}).")
    if array.shape != tensor.sizes:
        raise ValuesError(f"{named} has shape {braces(array.shape)}, expected {braces(tensor.sizes)}.")
    if not array.flags.c_contiguous:
        raise ValuesError(f"{named} is in Fortran order, expected C order; save numpy.ascontiguousarray(x).")
    return array


def read_any_npy(file: str, field: str, folder: Path | None) -> Array:
    """The array in `folder / file`, whatever its type and shape, read-only. Raises ValuesError."""
    named = f"{field}: {plain(file)}"
    path = locate(file, field, folder)
    try:
        with open_regular(path) as handle:
            status = os.fstat(handle.fileno())
            stamp = str(path), status.st_ino, status.st_size, status.st_mtime_ns
            array = _read.get(stamp)
            if array is None:
                array = npy.read_array(handle, allow_pickle=False)  # not mapped: it may be cut off meanwhile
                array.setflags(write=False)
            return _read.setdefault(stamp, array)
    except FileNotFoundError:
        raise ValuesError(f"{named} is missing, expected an .npy file there.") from None
    except OSError as error:
        raise ValuesError(f"{named} can't be read: {error.strerror or 'it is no file'}.") from None
    except MemoryError:
        raise ValuesError(f"{named} has {status.st_size:,} bytes, more than there is memory for.") from None
    except Exception:  # NumPy evaluates the header, so a damaged one can raise anything
        raise ValuesError(f"{named} is damaged or no array of numbers, expected one of numpy.save.") from None
