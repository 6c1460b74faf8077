"""Arrays in real memory between guard bands."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

GUARD = 320
"""Bytes around every buffer: more than any primitive moves at once."""


class Buffers:
    """Arrays of random bytes in real memory, each `off` bytes off any alignment, between guard bands of random bytes.

    `wanted` is what they and their guard bands are to be in the end; at first, what they are.
    """

    def __init__(self, generator: np.random.Generator, *sizes: int) -> None:
        self.held, self.arrays = [], []
        for size in sizes:
            held = generator.integers(0, 256, size + 2 * GUARD + 64, np.uint8)
            start = GUARD + int(generator.integers(64))
            self.held.append(held)
            self.arrays.append(held[start : start + size])
        self._whole = [each.copy() for each in self.held]
        self.wanted = [
            whole[own.ctypes.data - held.ctypes.data :][: len(own)]
            for whole, own, held in zip(self._whole, self.arrays, self.held, strict=True)
        ]

    def fill(self, k: int, data: NDArray[Any]) -> NDArray[Any]:
        """Puts `data` into array `k`, which is returned with its type and shape."""
        self.arrays[k][:] = self.wanted[k][:] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        return self.arrays[k].view(data.dtype).reshape(data.shape)

    def right(self) -> bool:
        return all((a == b).all() for a, b in zip(self.held, self._whole, strict=True))


def fenced(data: NDArray[Any]) -> NDArray[Any]:
    """A copy behind whose last byte nothing can be read: whoever does ends the process."""
    room = -(-data.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    held = np.frombuffer(mmap.mmap(-1, room + mmap.PAGESIZE), np.uint8)
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(held.ctypes.data + room), mmap.PAGESIZE, 0) == 0
    made = held[room - data.nbytes : room].view(data.dtype).reshape(data.shape)
    made[...] = data
    return made
