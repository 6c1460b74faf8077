"""HEAD, uncompiled."""

from __future__ import annotations

from typing import Any


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data = arrays
    item, *rest = numbers.tolist()
    whole, head = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    out.reshape(*head, item)[:] = data.reshape(*whole, item)[tuple(slice(n) for n in head)]
