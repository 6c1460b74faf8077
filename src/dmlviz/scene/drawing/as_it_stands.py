"""An invalid desc as plain text: its tensors as they stand, what is broken marked, and what a fix gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

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


def as_it_stands(view: ViewState) -> Iterator[str]:
    """All tensors with type and sizes, inputs with their first elements, and the other fields."""
    desc = view.experiment.desc
    broken, members = _named_by_rules(view)
    inputs = dict(zip((part.path for part in desc.inputs), view.experiment.sources_or_defaults()[0], strict=True))
    if "FeatureLevel" in broken:
        yield f"FeatureLevel {_marked(view.report.feature_level, True)}"
    for part in (shown := _listed(desc, broken)):
        is_read = part.path in inputs and part.tensor.can_exist
        text = " ".join((_tensor_text(part, broken), *(_marked(member, True) for member in members.get(part.path, ()))))
        yield f"{part.path} {text}{_held(part, inputs[part.path].read) if is_read else ''}"
    if len(shown) < len(desc.parts):
        yield _more_tensors(len(desc.parts) - len(shown))
    for field in desc.FIELDS:
        if field not in desc.TENSORS:
            yield f"{field.name} {_field_text(field, desc.get(field.name), broken)}"


def _named_by_rules(view: ViewState) -> tuple[set[str], dict[str, list[str]]]:
    """What the broken rules of a view name: fields, and other members of tensors by path, with what they hold.

    `Axis`, `Repeats[1]`, `InputTensor.Sizes[0]`, `InputTensor.DataType`; `InputTensor` for one as a whole.
    """
    desc = view.experiment.desc
    paths = {part.path: len(part.tensor.sizes) for part in desc.parts}
    broken: set[str] = set()
    members: dict[str, list[str]] = {}
    for reason in view.why.errors:
        sizes = [(path, axis) for path, axis in lights(reason, desc).axes if axis >= 0]
        broken |= {f"{path}.Sizes[{axis}]" for path, axis in sizes}
        for check in reason.checks:
            for named in (check.field, *check.related):
                path, _, rest = named.partition(".")
                if path not in paths or rest == "DataType":
                    broken.add(named)
                elif rest in ("", "DimensionCount") or check.id == "sizes.element_count":
                    broken.add(path)
            path, _, rest = check.field.partition(".")
            if rest.startswith("Sizes"):
                broken |= set() if any(path == tensor for tensor, _ in sizes) else {path}
            elif path in paths and rest and rest != "DataType" and check.found != paths[path]:
                members.setdefault(path, []).append(f"{rest} {check.found}")
    return broken, {path: sorted(set(told)) for path, told in members.items()}


def _listed(desc: Desc, broken: set[str]) -> list[Part]:
    """The tensors that are listed, in field order; where there are too many, broken ones are chosen first."""
    named = {name.partition(".")[0] for name in broken}
    order = sorted(range(len(desc.parts)), key=lambda k: (desc.parts[k].path not in named, k))
    return [desc.parts[k] for k in sorted(order[:MOST_TENSORS])]


def _marked(text: object, broken: object) -> str:
    return f"{OPEN}{text}{CLOSE}" if broken else str(text)


def _tensor_text(part: Part, broken: set[str]) -> str:
    path, tensor = part.path, part.tensor
    kind = _marked(tensor.data_type, f"{path}.DataType" in broken)
    return f"{kind} {_marked(_list_text(tensor.sizes, f'{path}.Sizes', broken), path in broken)}"


def _list_text(held: Sequence[Any], name: str, broken: set[str]) -> str:
    entries = [_marked(n, f"{name}[{i}]" in broken) for i, n in enumerate(held[:MOST_SIZES])]
    entries += [f"… {len(held) - MOST_SIZES:,} more"] if len(held) > MOST_SIZES else []
    return f"{{{', '.join(entries)}}}"


def _field_text(field: Field, held: Any, broken: set[str]) -> str:
    name = field.name
    if field.is_list:
        return _marked(_list_text(held, name, broken), name in broken)
    return _marked(field.shown(held), any(re.match(rf"{name}\b(?!\[)", path) for path in broken))


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
