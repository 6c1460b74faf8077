"""One exported file, and the arrays that belong beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from ...desc.values import Array


class Export(Struct, frozen=True):
    """One exported file, and the arrays that belong beside it."""

    content: str | bytes
    """Text, or the bytes of a binary model."""
    files: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    """Arrays that stand beside it as .npy files, by file name."""

    @property
    def data(self) -> bytes:
        """The file as it is written."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()
