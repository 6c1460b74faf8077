"""New experiments: a valid one of each operator to begin with, and one about what another operator had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.tensors import TensorDesc
from ..errors import SessionError
from ..operators.checking import check
from ..operators.desc_edits import with_data_type, with_dimensions
from ..operators.general_rules import anchor_of
from ..operators.registry import operator_of
from . import examples
from .experiments import Experiment


def fresh(kind: str) -> Experiment:
    """A valid experiment of an operator's type, named after it: its first example's. Raises SessionError for none."""
    for shipped in examples.all_examples():
        for one in shipped.session().experiments:
            if kind == one.desc.TYPE and one.check().lowest_level is not None:
                return replace(one, name=operator_of(kind).name, notes="", extra={})
    raise SessionError(f"{kind} comes without an example, expected one to begin with.")


def begun(kind: str) -> Experiment:
    """`fresh` as somebody begins to edit it: at the newest level, in few dimensions, with inferred outputs."""
    one = replace(fresh(kind), feature_level=NEWEST)
    few = with_dimensions(one.desc, min(one.desc.parts[0].tensor.dimension_count, 2)) or one.desc
    small = replace(one, desc=few.replace(few.inferable)).with_lists_nested()
    return small if small.check().ok else one


def converted(one: Experiment, kind: str) -> Experiment:
    """`fresh`, about the tensor and the axis that an experiment of another operator has, filled by default.

    What its feature level doesn't take is left: the axis, the number of dimensions, the type; then the level is raised;
    then all is left. Raises SessionError as `fresh`.
    """
    new, own = fresh(kind), one.feature_level
    anchor = anchor_of(operator_of(one.desc), one.desc)
    if anchor is not None and anchor.tensor.can_exist:
        for desc, level in sorted(_about(new.desc, one.desc, anchor.tensor), key=lambda found: found[1] > own):
            return replace(new, desc=desc, feature_level=max(own, level), values={})
    return replace(new, feature_level=max(own, new.check().lowest_level or own))


def _about(desc: Desc, before: Desc, tensor: TensorDesc) -> Iterator[tuple[Desc, FeatureLevel]]:
    """Descs of `desc`'s operator about a tensor of `before` and its axis, each with its lowest level."""
    for candidate in _descs_about(desc, tensor, _axis_of(before, tensor)):
        if (level := check(candidate).lowest_level) is not None:
            yield candidate, level


def _axis_of(desc: Desc, tensor: TensorDesc) -> int:
    sizes = tensor.sizes
    long = [d for d, size in enumerate(sizes) if size > 1] or [len(sizes) - 1]
    return next((axis for axis in desc.named_axes if axis in long), long[-1])


def _descs_about(desc: Desc, tensor: TensorDesc, axis: int) -> Iterator[Desc]:
    """Descs of the same operator about `tensor`, the likeliest first; then about one of the type that `desc` has."""
    own = anchor_of(operator_of(desc), desc)
    types = dict.fromkeys([tensor.data_type, *([own.tensor.data_type] if own is not None else [])])
    for kind in types:
        # Old levels take four dimensions and no others.
        for more in (0, max(0, 4 - tensor.dimension_count)):
            about = TensorDesc(kind, (1,) * more + tensor.sizes)
            fit = operator_of(desc).about(about, axis + more)
            if fit is not None:
                yield fit
            fitted = _with_data(desc, about, axis + more)
            yield fitted
            fixes = [fix for broken in check(fitted).errors for fix in broken.fixes]
            sound = [fix.desc for fix in fixes if fix.mends_all and not fix.turned]
            fixed = [each for each in sound if about.sizes in [part.tensor.sizes for part in each.inputs]]
            yield from sorted(fixed, key=lambda candidate: _axis_of(candidate, about) != axis + more)


def _with_data(desc: Desc, tensor: TensorDesc, axis: int) -> Desc:
    desc = with_data_type(with_dimensions(desc, tensor.dimension_count) or desc, tensor.data_type)
    changes: dict[str, Any] = {**desc.inferable, **{f.name: axis for f in desc.ATTRIBUTES if f.is_axis}}
    for field in desc.TENSORS:
        if field.role is Role.DATA:
            changes[field.name] = [tensor] * len(desc.get(field.name)) if field.many else tensor
    return desc.replace(changes)
