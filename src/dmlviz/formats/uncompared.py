"""What a record holds beside its meaning: two records that differ in nothing else are equal, and hash alike."""

from __future__ import annotations

from typing import Any


class Cache(dict[Any, Any]):
    """What was worked out of a record, kept for the next time; equal to every other cache, told apart by `is` alone."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cache)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return 0
