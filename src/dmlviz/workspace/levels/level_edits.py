"""What an edit makes of a level's desc: given elements flow into other sizes, and lists of indices change theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...desc.fields import Role
from ...desc.tensors import braces
from ...desc.value_sources import Listed
from ...errors import DmlvizError, quote
from ...operators.desc_edits import with_tensor
from ...session.experiments import Experiment
from ...session.new_experiments import converted
from ...teaching.levels.level import Level
from ...teaching.questions.goals import flowed, with_lists
from ..form.form_edits import edited
from ..form.value_text import parse_values
from ..shown.state import FormRow

MOST_FLOWING = 4096
"""Elements of a tensor up to which the given ones are laid into its sizes."""
VALUES = ".values"


def may_edit(level: Level, one: Experiment, row: FormRow) -> bool:
    """True if a level takes edits of a form's row: of numbers, sizes and index or length values; never of data."""
    if row.key == "Operator":
        return level.allows("Operator")
    if row.key.endswith(VALUES):
        part = next((p for p in one.desc.inputs if p.path == row.tensor), None)
        return part is not None and part.field.role is not Role.DATA and level.allows(row.tensor)
    if row.is_sizes and not row.adds:
        given_output = any(f.name == row.key and f.role is Role.OUTPUT for f in one.desc.TENSORS)
        return not given_output and (level.allows(f"{row.key}.Sizes") or level.allows(row.key))
    return row.key in one.desc.attributes and level.allows(row.key)


def changed(one: Experiment, given: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed in row `key`; `given` has the elements that flow.

    Raises DmlvizError where it can't be read.
    """
    if key.endswith(VALUES):
        return _with_list(one, key.removesuffix(VALUES), text)
    return _flowing(edited(one, key, text), given)


def _flowing(one: Experiment, given: Experiment) -> Experiment:
    """The experiment with `given`'s data elements, row-major, in its sizes; with as many indices and lengths as fit.

    Where there is room for more, data begins again, an index is 0 and a length 1.
    """
    data = [part.path for part in given.desc.inputs if part.field.role is Role.DATA]
    values, number = dict(one.values), 0
    for part in one.desc.inputs:
        is_data, tensor = part.field.role is Role.DATA, part.tensor
        model = data[number % len(data)] if is_data and data else part.path
        number += is_data
        source = given.values.get(model) if is_data else one.values.get(part.path)
        if not isinstance(source, Listed) or not tensor.can_exist or tensor.element_count > MOST_FLOWING:
            continue
        wanted, items = tensor.element_count, source.items
        if is_data:
            items = tuple(items[k % len(items)] for k in range(wanted)) if items else ()
        else:
            more = 1 if part.field.role is Role.LENGTHS else 0
            items = (*items, *(more,) * (wanted - len(items)))[:wanted]
        values[part.path] = Listed(items, tensor.sizes)
    return replace(one, values=values)


def _with_list(one: Experiment, path: str, text: str) -> Experiment:
    """The experiment with other index or length values; the tensor's sizes follow where there are more, or fewer."""
    part = next((p for p in one.desc.inputs if p.path == path), None)
    if part is None:
        raise DmlvizError(f"{path} is no tensor of this desc, expected one that the line above the picture shows.")
    entries = parse_values(text, f"{path}{VALUES}", part.tensor.data_type)
    if not isinstance(entries, Listed):
        raise DmlvizError(f"{path}{VALUES} is {quote(text)}, expected integers such as 0, 1, 2.")
    count, tensor, desc = len(entries.items), part.tensor, one.desc
    if not tensor.can_exist or tensor.element_count != count:
        long = [axis for axis, size in enumerate(tensor.sizes) if size != 1] or [len(tensor.sizes) - 1]
        if len(long) > 1 or not tensor.sizes:
            room = f"{path} of Sizes {braces(tensor.sizes)} has room for {tensor.element_count:,} values"
            raise DmlvizError(f"{room}, entries {count:,}: change its sizes first.")
        sizes = [count if axis == long[0] else size for axis, size in enumerate(tensor.sizes)]
        tensor = tensor.resized(sizes)
        desc = desc.replace(with_tensor(desc, part, tensor))
    values = {**one.values, path: Listed(entries.items, tensor.sizes)}
    return replace(one, desc=desc, values=values)


def begun(level: Level, one: Experiment, kind: str) -> Experiment:
    """An experiment of another operator to begin with: as the level has it, else one about the same elements.

    Raises DmlvizError where the given elements don't fit any.
    """
    start = with_lists(level.start)
    if kind == start.desc.TYPE:
        return start
    own_start = level.starts.get(kind)
    if own_start is not None:
        return with_lists(own_start)
    listed = with_lists(converted(one, kind))
    steering: dict[str, Sequence[Any]] = {
        part.path: source.items
        for part in listed.desc.inputs
        if part.field.role is not Role.DATA and isinstance(source := listed.values.get(part.path), Listed)
    }
    return flowed(start, listed.desc, steering)
