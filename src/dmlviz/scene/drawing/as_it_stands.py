"""An invalid desc as plain text: its tensors as they stand, what is broken marked, and in small what a fix gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.fields import Field
from ...desc.indexing import ravel, unravel
from ...desc.tensors import braces
from ...desc.values import Array, Indices
from ...formats.page_text import shorts
from ...operators.report import Fix
from ..layout.directions import Axes, directions, long_axes
from ..layout.tracks import Track
from ..lights import lights
from ..view_state import ViewState
from .text_picture import more

OPEN, CLOSE = "▸", "◂"
"""What stands around what a broken rule names. They are told apart without colour, and screen readers name them."""
MOST_TENSORS, MOST_GRIDS, MOST_SIZES = 16, 4, 12
"""Tensors that are listed, those whose elements are drawn, and sizes of one that are written out."""
ROWS = 6
"""Rows that are drawn of a tensor."""
SMALL, PREVIEW_ROWS = 64, 4
"""Elements of all outputs up to which a preview draws them, and the rows that it draws."""
TOLD = 8
"""Elements of a large output that a preview tells."""


# ---- the desc as it stands


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


def as_it_stands(view: ViewState, columns: int) -> Iterator[str]:
    """All tensors with type and sizes, inputs with their first elements, other fields, on `columns` columns."""
    desc, broken = view.experiment.desc, _named_by_rules(view)
    inputs = dict(zip((part.path for part in desc.inputs), view.experiment.sources_or_defaults()[0], strict=True))
    alike = len({part.tensor.dimension_count for part in desc.parts}) == 1
    drawn = 0
    if "FeatureLevel" in broken.fields:
        yield f"FeatureLevel {_marked(view.report.feature_level, True)}"
    for part in (shown := _listed(desc, broken)):
        yield f"{part.path} {_tensor_text(part, broken)}"
        if part.path in inputs and part.tensor.can_exist and drawn < MOST_GRIDS:
            drawn += 1
            axes = long_axes(tensor_part.tensor.sizes for tensor_part in (desc.parts if alike else [part]))
            yield from (
                f"  {line}" for line in grid(part.tensor.sizes, axes, inputs[part.path].read, columns - 2, ROWS)
            )
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


def _field_text(field: Field, content: Any, broken: _Broken) -> str:
    """What a field that is no tensor holds; what broken rules name is marked."""
    name = field.name
    if field.is_list:
        entries = [_marked(n, f"{name}[{i}]" in broken.fields) for i, n in enumerate(content[:MOST_SIZES])]
        entries += [f"… {len(content) - MOST_SIZES:,} more"] if len(content) > MOST_SIZES else []
        return _marked(f"{{{', '.join(entries)}}}", name in broken.fields)
    return _marked(field.shown(content), any(re.match(rf"{name}\b(?!\[)", path) for path in broken.fields))


# ---- a tensor's elements


def grid(sizes: Sequence[int], axes: Axes, read: Callable[[Indices], Array], columns: int, most: int) -> Iterator[str]:
    """A tensor's first `most` rows, with its indices, in `columns` columns, and how much is left out.

    `axes` are the long ones of all tensors, whose directions it shares. `read` takes flat indices.
    """
    down, across = (tuple(d for d in side if d < len(sizes) and sizes[d] > 1) for side in directions(axes))
    rows, cells = (Track(tuple(sizes[d] for d in side) or (1,), 1, 0) for side in (down, across))
    labels = [_row_label(down, rows, n) for n in range(min(rows.count, most))]
    margin = max(map(len, labels), default=0)
    tight = min(cells.count, max(1, (columns - margin) // 2))
    at = np.zeros((len(sizes), len(labels) * tight), np.int64)
    r, c = np.divmod(np.arange(len(labels) * tight), tight)
    for side, track, numbers in ((down, rows, r), (across, cells, c)):
        for d, index in zip(side, unravel(numbers, track.sizes), strict=False):
            at[d] = index
    texts = shorts(read(ravel(tuple(at), tuple(sizes))))
    widths = [max(len(str(j)), *(len(text) for text in texts[j::tight])) + 2 for j in range(tight)]
    count, cell = 1, widths[0]
    for j in range(1, tight):
        wider = max(cell, widths[j])
        if margin + (j + 1) * wider > columns:
            break
        count, cell = j + 1, wider
    if across:
        yield f"{'':{margin}}{''.join(f'{j:>{cell}}' for j in range(count))}"
    for n, label in enumerate(labels):
        yield f"{label:>{margin}}{''.join(f'{text:>{cell}}' for text in texts[n * tight : n * tight + count])}"
    if note := more(rows.count - len(labels), cells.count - count):
        yield note


def _row_label(down: Axes, rows: Track, number: int) -> str:
    """The indices of a row; "" where no axis goes down."""
    return " ".join(map(str, rows.split(number))) if down else ""


# ---- what a fix would give


class Preview(Struct, frozen=True):
    """What the outputs would be after a fix."""

    label: str
    lines: list[str]


def preview(view: ViewState, columns: int) -> Preview | None:
    """The outputs after the first fix that can be drawn, in a few lines; None where there is no such fix."""
    trace = view.trace
    if trace is None or not view.is_preview:
        return None
    numbered = next(
        ((n, fix) for n, fix in enumerate(view.why.fixes, 1) if fix.desc == trace.desc and fix.mends_all), None
    )
    if numbered is None:
        return None
    number, fix = numbered
    axes = long_axes(part.tensor.sizes for part in (*trace.inputs, *trace.outputs))
    small = sum(part.tensor.element_count for part in trace.outputs) <= SMALL and len(trace.outputs) <= MOST_GRIDS
    lines = []
    for k, part in enumerate(trace.outputs[:MOST_GRIDS]):
        sizes = part.tensor.sizes

        def read(flat: Indices, k: int = k, sizes: tuple[int, ...] = sizes) -> Array:
            return trace.window(k, unravel(flat, sizes))

        title = f"{part.path} {part.tensor.data_type} {braces(sizes)}"
        if small:
            lines += [title, *(f"  {line}" for line in grid(sizes, axes, read, columns - 2, PREVIEW_ROWS))]
            continue
        count = part.tensor.element_count
        left = f" and {count - TOLD:,} more" if count > TOLD else ""
        values = ", ".join(shorts(read(np.arange(min(count, TOLD), dtype=np.int64))))
        lines.append(f"{title}, which holds {values}{left}")
    if len(trace.outputs) > MOST_GRIDS:
        lines.append(_more_tensors(len(trace.outputs) - MOST_GRIDS))
    return Preview(_fix_label(number, fix), lines)


def _more_tensors(count: int) -> str:
    return f"… {count:,} more tensor{'s' * (count != 1)}"


def _fix_label(number: int, fix: Fix) -> str:
    return f"If fix {number} were applied: {fix.label}"
