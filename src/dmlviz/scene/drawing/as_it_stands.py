"""An invalid desc as plain text: its tensors as they stand, what is broken marked, and what a fix gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.fields import Field
from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...desc.values import Array, Indices
from ...formats.page_text import shorts
from ..lights import lights
from ..view_state import ViewState

OPEN, CLOSE = "▸", "◂"
"""What stands around what a broken rule names. They are told apart without colour, and screen readers name them."""
MOST_TENSORS, MOST_SIZES, TOLD = 16, 12, 8
"""Tensors that are listed; of each the sizes and the elements that are written out."""


class _Broken(Struct, frozen=True):
    """What the broken rules name."""

    sizes: frozenset[tuple[str, int]]
    """(tensor path, axis)."""
    types: frozenset[str]
    """Paths of tensors whose DataType is named."""
    tensors: frozenset[str]
    """Paths of tensors that are named as a whole, or for how many sizes they have."""
    fields: frozenset[str]
    """Fields that are no tensors, and entries of them: `Axis`, `Repeats[1]`."""
    members: frozenset[tuple[str, str]]
    """(tensor path, what another member of its desc holds): `TotalTensorSizeInBytes 20`."""


def as_it_stands(view: ViewState) -> Iterator[str]:
    """All tensors with type and sizes, inputs with their first elements, and the other fields."""
    desc, broken = view.experiment.desc, _named_by_rules(view)
    inputs = dict(zip((part.path for part in desc.inputs), view.experiment.sources_or_defaults()[0], strict=True))
    if "FeatureLevel" in broken.fields:
        yield f"FeatureLevel {_marked(view.report.feature_level, True)}"
    for part in (shown := _listed(desc, broken)):
        is_read = part.path in inputs and part.tensor.can_exist
        yield f"{part.path} {_tensor_text(part, broken)}{_held(part, inputs[part.path].read) if is_read else ''}"
    if len(shown) < len(desc.parts):
        yield _more_tensors(len(desc.parts) - len(shown))
    for field in desc.FIELDS:
        if field not in desc.TENSORS:
            yield f"{field.name} {_field_text(field, desc.get(field.name), broken)}"


def _named_by_rules(view: ViewState) -> _Broken:
    """What the broken rules of a view name."""
    desc = view.experiment.desc
    paths = {part.path: len(part.tensor.sizes) for part in desc.parts}
    members: set[tuple[str, str]] = set()
    sizes: set[tuple[str, int]] = set()
    types, tensors, fields = set(), set(), set()
    for reason in view.why.errors:
        sizes |= {(path, axis) for path, axis in lights(reason, desc).axes if axis >= 0}
        for check in reason.checks:
            for field in (check.field, *check.related):
                path, _, rest = field.partition(".")
                if path not in paths:
                    fields.add(field)
                elif rest == "DataType":
                    types.add(path)
                elif rest in ("", "DimensionCount") or check.id == "sizes.element_count":
                    tensors.add(path)
            path, _, rest = check.field.partition(".")
            if rest.startswith("Sizes") and not any(path == tensor for tensor, _ in sizes):
                tensors.add(path)
            if path in paths and rest and not rest.startswith(("Sizes", "DataType")) and check.found != paths[path]:
                members.add((path, f"{rest} {check.found}"))
    return _Broken(
        sizes=frozenset(sizes),
        types=frozenset(types),
        tensors=frozenset(tensors),
        fields=frozenset(fields),
        members=frozenset(members),
    )


def _listed(desc: Desc, broken: _Broken) -> list[Part]:
    """The tensors that are listed, in field order; where there are too many, broken ones are chosen first."""
    named = {path for path, _ in broken.sizes} | broken.types | broken.tensors
    order = sorted(range(len(desc.parts)), key=lambda k: (desc.parts[k].path not in named, k))
    return [desc.parts[k] for k in sorted(order[:MOST_TENSORS])]


def _marked(text: object, broken: object) -> str:
    """The text, between `OPEN` and `CLOSE` if it is `broken`."""
    return f"{OPEN}{text}{CLOSE}" if broken else str(text)


def _tensor_text(part: Part, broken: _Broken) -> str:
    """A tensor's type, sizes and broken members; what broken rules name is marked."""
    sizes = part.tensor.sizes
    marked_sizes = [_marked(n, (part.path, d) in broken.sizes) for d, n in enumerate(sizes[:MOST_SIZES])]
    marked_sizes += [f"… {len(sizes) - MOST_SIZES:,} more"] if len(sizes) > MOST_SIZES else []
    text = f"{{{', '.join(marked_sizes)}}}"
    members = sorted(member for path, member in broken.members if path == part.path)
    pieces = (
        _marked(part.tensor.data_type, part.path in broken.types),
        _marked(text, part.path in broken.tensors),
        *(_marked(member, True) for member in members),
    )
    return " ".join(pieces)


def _field_text(field: Field, held: Any, broken: _Broken) -> str:
    """What a field that is no tensor holds; what broken rules name is marked."""
    name = field.name
    if field.is_list:
        entries = [_marked(n, f"{name}[{i}]" in broken.fields) for i, n in enumerate(held[:MOST_SIZES])]
        entries += [f"… {len(held) - MOST_SIZES:,} more"] if len(held) > MOST_SIZES else []
        return _marked(f"{{{', '.join(entries)}}}", name in broken.fields)
    return _marked(field.shown(held), any(re.match(rf"{name}\b(?!\[)", path) for path in broken.fields))


def _held(part: Part, read: Callable[[Indices], Array]) -> str:
    """The first elements of a tensor, and how many more there are; `read` takes flat indices."""
    count = part.tensor.element_count
    left = f" and {count - TOLD:,} more" if count > TOLD else ""
    return f", which holds {', '.join(shorts(read(np.arange(min(count, TOLD), dtype=np.int64))))}{left}"


def preview(view: ViewState) -> list[str]:
    """Which fix is the first that can be drawn, and the outputs after it, a line each; [] where there is none."""
    trace = view.trace
    if trace is None or not view.is_preview:
        return []
    fixes = enumerate(view.why.fixes, 1)
    found = next(((n, fix) for n, fix in fixes if fix.desc == trace.desc and fix.mends_all), None)
    if found is None:
        return []
    number, fix = found
    lines = [f"If fix {number} were applied: {fix.label}"]
    for k, part in enumerate(trace.outputs[:MOST_TENSORS]):
        tensor = part.tensor

        def read(flat: Indices, k: int = k, sizes: tuple[int, ...] = tensor.sizes) -> Array:
            return trace.window(k, unravel(flat, sizes))

        lines.append(f"{part.path} {tensor.data_type} {braces(tensor.sizes)}{_held(part, read)}")
    if len(trace.outputs) > MOST_TENSORS:
        lines.append(_more_tensors(len(trace.outputs) - MOST_TENSORS))
    return lines


def _more_tensors(count: int) -> str:
    return f"… {count:,} more tensor{'s' * (count != 1)}"
