"""A cell's arrays with its kernel's own call, below everything that checks and binds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cells
import numpy as np

from dmlviz.kernels.lib import loading, rows, thread_pool
from dmlviz.operators.registry import operator_of

ROW = rows.Numbers(*range(len(rows.Numbers._fields)))
"""Where each of the numbers of JOIN and SPLIT stands."""
UNITS, STEP = ROW.units, ROW.step
"""Where every kernel's numbers have how many units the work has, and how many a thread takes at a time."""


def alone(numbers: list[int]) -> dict[int, int]:
    """No thread helps: one takes all units at once."""
    return {STEP: max(1, numbers[UNITS])}


def planned(cell: cells.Cell) -> list[int]:
    """The numbers that the kernel's plan makes for a cell."""
    plan = loading.load(cell.operator).plan
    assert plan is not None
    return plan(*operator_of(cell.desc).kernel_numbers(cell.desc))


class KernelCalls:
    """A cell, its arrays, and the numbers that its kernel's plan made."""

    def __init__(self, cell: cells.Cell) -> None:
        self.name, self.folded = cell.operator, operator_of(cell.desc).kernel_numbers(cell.desc)
        self.inputs = cell.arrays()
        self.outputs = [cells.aligned(part.tensor) for part in cell.desc.outputs]
        self.arrays: tuple[Any, ...] = (*self.outputs, *self.inputs)
        self.kernel = loading.load(self.name)
        self.numbers = planned(cell)

    def call(self, changes: dict[int, int] | None = None) -> Callable[[], None]:
        """The kernel with other numbers, shared where the plan or the change leaves something to share."""
        numbers = [(changes or {}).get(place, n) for place, n in enumerate(self.numbers)]
        if numbers[STEP] < numbers[UNITS]:
            return partial(thread_pool.share, self.kernel, self.arrays, np.array(numbers))
        return partial(self.kernel.run, self.arrays, np.array(numbers), 0)

    def agree(self, *calls: Callable[[], object]) -> bool:
        """True if all calls write the same bytes."""
        written = []
        for call in calls:
            for output in self.outputs:
                output.view(np.uint8).fill(0xA5)
            call()
            written.append([output.tobytes() for output in self.outputs])
        return all(outputs == written[0] for outputs in written)
