"""What an edit makes of a level's desc: lists of indices and lengths follow sizes, and sizes follow them."""

from __future__ import annotations

from dataclasses import replace

from ...desc.fields import Role
from ...desc.tensors import braces
from ...desc.value_sources import Listed
from ...errors import DmlvizError, quote
from ...operators.desc_edits import with_tensor
from ...session.experiments import Experiment
from ...session.new_experiments import converted
from ...teaching.levels.level import OPERATOR, Level
from ...teaching.questions.goals import flowed, with_lists
from ...teaching.tasks.changed_descs import steering_of
from ..form.form_edits import edited
from ..form.value_text import parse_values
from ..shown.state import FormRow

VALUES = ".values"


def may_edit(level: Level, one: Experiment, row: FormRow) -> bool:
    """True if a level takes edits of a form's row: of numbers, sizes and index or length values; never of data."""
    if row.key == OPERATOR:
        return level.allows(OPERATOR)
    if row.key.endswith(VALUES):
        part = next((p for p in one.desc.inputs if p.path == row.tensor), None)
        return part is not None and part.field.role is not Role.DATA and level.allows(row.tensor)
    if row.is_sizes and not row.adds:
        given_output = any(f.name == row.key and f.role is Role.OUTPUT for f in one.desc.TENSORS)
        return not given_output and (level.allows(f"{row.key}.Sizes") or level.allows(row.key))
    return row.key in one.desc.attributes and level.allows(row.key)


def changed(one: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed in row `key`, never Operator. Raises DmlvizError."""
    path = key.removesuffix(VALUES)
    if path == key:
        one = edited(one, key, text)
        return replace(one, values={**one.values, **with_lists(one).values})
    part = next(part for part in one.desc.inputs if part.path == path)
    entries, tensor, desc = parse_values(text, key, part.tensor.data_type), part.tensor, one.desc
    if not isinstance(entries, Listed):
        raise DmlvizError(f"{key} is {quote(text)}, expected integers such as 0, 1, 2.")
    count = len(entries.items)
    if tensor.can_exist and tensor.element_count != count:
        if tensor.element_count != tensor.sizes[-1]:
            room = f"{path} of Sizes {braces(tensor.sizes)} has room for {tensor.element_count:,} values"
            raise DmlvizError(f"{room}, entries {count:,}: change its sizes first.")
        tensor = tensor.resized([*tensor.sizes[:-1], count])
        desc = desc.replace(with_tensor(desc, part, tensor))
    return replace(one, desc=desc, values={**one.values, path: Listed(entries.items, tensor.sizes)})


def begun(level: Level, one: Experiment, kind: str) -> Experiment:
    """An experiment of another operator to begin with: as the level has it, else one about the same elements.

    Raises DmlvizError where the given elements don't fit any.
    """
    start = level.starts.get(kind)
    if start is None:
        other = converted(one, kind)
        start = flowed(level.start, other.desc, steering_of(other))
    return with_lists(start)
