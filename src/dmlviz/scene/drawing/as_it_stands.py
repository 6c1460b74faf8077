"""An invalid desc as plain text: its tensors as they stand, with what is broken marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...desc.fields import Field
from ..lights import lights
from ..view_state import ViewState

OPEN, CLOSE = "▸", "◂"
"""What stands around what a broken rule names. They are told apart without colour, and screen readers name them."""
MOST_TENSORS, MOST_SIZES = 16, 12
"""Tensors that are listed, and the sizes of each that are written out."""


def as_it_stands(view: ViewState) -> Iterator[str]:
    """All tensors with type and sizes, and the other fields."""
    desc = view.experiment.desc
    broken = _named_by_rules(view)
    if "FeatureLevel" in broken:
        yield f"FeatureLevel {_marked(view.report.feature_level, True)}"
    for part in desc.parts[:MOST_TENSORS]:
        kind = _marked(part.tensor.data_type, f"{part.path}.DataType" in broken)
        sizes = _list_text(part.tensor.sizes, f"{part.path}.Sizes", broken)
        yield f"{part.path} {kind} {_marked(sizes, part.path in broken)}"
    if (more := len(desc.parts) - MOST_TENSORS) > 0:
        yield f"… {more:,} more tensor{'s' * (more != 1)}"
    for field in desc.FIELDS:
        if field not in desc.TENSORS:
            yield f"{field.name} {_field_text(field, desc.get(field.name), broken)}"


def _named_by_rules(view: ViewState) -> set[str]:
    """What the broken rules of a view name: `Axis`, `InputTensor.Sizes[0]`, or a tensor as a whole by its path."""
    desc = view.experiment.desc
    paths = {part.path for part in desc.parts}
    broken: set[str] = set()
    for reason in view.why.errors:
        sizes = [(path, axis) for path, axis in lights(reason, desc).axes if axis >= 0]
        broken |= {f"{path}.Sizes[{axis}]" for path, axis in sizes}
        for named in (name for check in reason.checks for name in (check.field, *check.related)):
            path, _, rest = named.partition(".")
            if path not in paths or rest == "DataType":
                broken.add(named)
            elif not rest.startswith("Sizes") or path not in dict(sizes):
                broken.add(path)
    return broken


def _marked(text: object, broken: object) -> str:
    return f"{OPEN}{text}{CLOSE}" if broken else str(text)


def _list_text(held: Sequence[Any], name: str, broken: set[str]) -> str:
    entries = [_marked(n, f"{name}[{i}]" in broken) for i, n in enumerate(held[:MOST_SIZES])]
    entries += [f"… {len(held) - MOST_SIZES:,} more"] if len(held) > MOST_SIZES else []
    return f"{{{', '.join(entries)}}}"


def _field_text(field: Field, held: Any, broken: set[str]) -> str:
    name = field.name
    if field.is_list:
        return _marked(_list_text(held, name, broken), name in broken)
    return _marked(field.shown(held), any(re.match(rf"{name}\b(?!\[)", path) for path in broken))
