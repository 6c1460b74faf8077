"""Which rows of the form stand in the one line above the picture, where there is no room for the form."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.base import Desc
from ...desc.fields import Role
from ..shown.state import FormRow


def strip_keys(desc: Desc, rows: Sequence[FormRow]) -> tuple[str, ...]:
    """The keys of the rows that decide what an operator does, by its declaration: numbers, then sizes of tensors.

    Sizes of outputs come before those of inputs: they show what follows from the numbers. Counts follow by themselves;
    one that was given may be wrong, and stands at the end.
    """
    counts = [field.name for field in desc.COUNTS if field.name not in desc.inferred]
    outputs = {field.name for field in desc.TENSORS if field.role is Role.OUTPUT}
    sizes = [row.key for row in rows if row.is_sizes]
    return (*desc.attributes, *sorted(sizes, key=lambda key: key.partition("[")[0] not in outputs), *counts)
