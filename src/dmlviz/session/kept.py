"""Small files of the user's own: settings, what was opened, where a presentation and a class stand."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import msgspec

from ..desc.npy_files import resolved
from ..errors import SessionError, plain, reason_of
from ..formats.json_text import json_file, parse_json
from ..formats.regular_files import read_regular
from .whole_files import Stamp, stamp_of, write_whole

T = TypeVar("T")


class Kept(Generic[T]):
    """One record in a JSON file. What can't be read counts as nothing, and `problem` says so in a sentence."""

    def __init__(self, file: Path, kind: Any) -> None:
        self.file, self._kind = file, kind
        self.problem = ""
        self._seen: Stamp | None = None

    def read(self) -> T | None:
        self.problem = ""
        self._seen = stamp_of(self.file)
        try:
            tree = parse_json(read_regular(self.file).decode("utf-8-sig"))
            return cast(T, msgspec.convert(tree, self._kind))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            why = f"can't be read: {reason_of(error)}"
        except (ValueError, msgspec.ValidationError) as error:
            why = f"can't be used: {plain(str(error)).removesuffix('.')}"
        self.problem = f"{plain(str(self.file))} {why}."
        return None

    def write(self, record: T) -> None:
        """Writes the record whole. Raises SessionError, and leaves what was there."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            text = json_file(msgspec.to_builtins(record))
            self._seen = write_whole(resolved(self.file), text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise SessionError(f"{plain(str(self.file))} can't be written: {reason_of(error)}.") from None

    def changed(self) -> bool:
        return stamp_of(self.file) != self._seen

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self.file.unlink()
