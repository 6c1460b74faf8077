"""Which examples were opened already: the marks of the course."""

from __future__ import annotations

import json
from pathlib import Path

from ..formats.regular_files import read_regular
from .settings import write
from .whole_files import state_folder

MOST = 1000
"""Names that are read of a file."""


def default_file() -> Path:
    """The file, in the user's state folder, of the examples that were opened."""
    return state_folder() / "opened-examples.json"


class OpenedExamples:
    """The names of opened examples, in a file or for this run alone; a file that can't be read counts as none."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._names: frozenset[str] | None = None  # nobody asks for them before the gallery is open

    @property
    def names(self) -> frozenset[str]:
        """The names of examples that were opened, read from the file when first asked for."""
        if self._names is None:
            self._names = self._names_in_file()
        return self._names

    def add(self, name: str) -> None:
        """Marks an example as opened. Raises SessionError where that can't be kept; it is marked here all the same."""
        if name in self.names:
            return
        # Another window may have marked others since.
        self._names = self.names | self._names_in_file() | {name}
        if self._file is not None:
            write(self._file, {"opened": sorted(self._names)})

    def _names_in_file(self) -> frozenset[str]:
        """The names in the file; none where there is no file, or it can't be read."""
        if self._file is None:
            return frozenset()
        try:
            names = json.loads(read_regular(self._file))["opened"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return frozenset()
        return (
            frozenset(name for name in names[:MOST] if isinstance(name, str))
            if isinstance(names, list)
            else frozenset()
        )
