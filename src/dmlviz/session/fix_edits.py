"""Fixes as edits of the text that a desc was read from: of a session file, or of a DxDispatch model.

What the text says beside what a fix changes stays as it stands there: comments, members without a meaning here, and how
lists are laid out. SARIF's replacements and `check --fix` are these edits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..desc.base import Desc
from ..desc.fields import Field
from ..desc.tensors import MEMBERS, TensorDesc
from ..errors import DmlvizError, quote
from ..formats.json_edits import Edit, edits_between
from ..formats.json_places import Places, spans
from ..formats.tolerant_json import parse_tolerant
from ..operators.fixes.differences import implied
from ..operators.report import Fix
from .dxdispatch_names import NOTED
from .experiments import Experiment, Session
from .writing import dump_tensor, dump_values, field_json

_PREFIX = "DML_TENSOR_DATA_TYPE_"
Json = dict[str, Any]


class JsonSource:
    """A text whose experiments can be edited: `places` are those of the session that was read from it."""

    def __init__(self, text: str, session: Session, places: Places) -> None:
        """`text` has no byte order mark. Raises DmlvizError where it is no JSON."""
        self._tree: Any = parse_tolerant(text.encode(errors="surrogatepass"))
        self._spans = spans(text)
        self._text, self._session, self._places = text, session, places

    def edits(self, number: int, fix: Fix) -> list[Edit]:
        """The edits that make a fix of experiment `number`, in their order. They don't overlap.

        Raises DmlvizError, with one sentence, where the text has no place for it.
        """
        experiments = self._session.experiments
        if fix.at is None:
            return self._edits(number, experiments[number].mended(fix))
        source = next(stage for stage in experiments[number].stages if stage.name == fix.at)
        after = {next(i for i, one in enumerate(experiments) if one is source): (fix.desc, fix.feature_level)}
        for name, desc in fix.also:  # no other one is called so
            i, one = next((i, one) for i, one in enumerate(experiments) if one.name == name)
            after[i] = desc, one.feature_level
        edits = (
            self._edits(i, replace(experiments[i], desc=desc, feature_level=level))
            for i, (desc, level) in after.items()
        )
        return sorted(edit for own in edits for edit in own)

    def _edits(self, number: int, mended: Experiment) -> list[Edit]:
        """The edits that make experiment `number` what it is after a fix."""
        experiment = self._session.experiments[number]
        place = self._places.get(number, {}).get("")
        if place is None or place.pointer not in self._spans:
            raise DmlvizError(f"{quote(experiment.name)} stands at no place of the text that can be edited.")
        kind, called = place.pointer.split("/")[1:3]
        before = self._at(place.pointer)
        if kind == "experiments":
            return self._between(place.pointer, before, _experiment_json(before, experiment, mended))
        edits = self._between(place.pointer, before, _dispatchable_json(before, experiment.desc, mended.desc))
        if mended.feature_level is not experiment.feature_level:
            edits += self._level_noted(_unescaped(called), mended.feature_level.value)
        return sorted(edits)

    def _between(self, pointer: str, before: Any, after: Any) -> list[Edit]:
        return edits_between(self._text, self._spans, pointer, before, after)

    def _at(self, pointer: str) -> Any:
        node: Any = self._tree
        for key in pointer.split("/")[1:]:
            node = node[int(key)] if isinstance(node, list) else node[_unescaped(key)]
        return node

    def _level_noted(self, called: str, level: str) -> list[Edit]:
        """The edits of what dmlviz noted of a dispatchable when it wrote the model."""
        operators = (self._tree.get(NOTED) or {}).get("operators") or ()
        for i, noted in enumerate(operators):
            if isinstance(noted, dict) and noted.get("dispatchable") == called:
                return self._between(f"/{NOTED}/operators/{i}", noted, {**noted, "feature_level": level})
        raise DmlvizError("a DxDispatch model has no feature level that could be raised.")


def _unescaped(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")


def _experiment_json(node: Json, experiment: Experiment, mended: Experiment) -> Json:
    """An experiment of a session file after a fix."""
    after = {**node, "desc": _fields_json(node["desc"], experiment.desc, mended.desc, field_json)}
    if mended.desc.TYPE != experiment.desc.TYPE:
        after["type"] = mended.desc.TYPE
    if mended.feature_level is not experiment.feature_level:
        after["feature_level"] = mended.feature_level.value
    values = _values_json(node.get("values", {}), experiment, mended.settled(keeps_missing=True))
    if values or "values" in node:
        after["values"] = values
    return after


def _values_json(node: Json, experiment: Experiment, mended: Experiment) -> Json:
    """The values of an experiment after a fix: lists as they fit the tensors then."""
    old, new = dump_values(experiment), dump_values(mended)
    kept = {name: value for name, value in node.items() if name in new or name not in old}
    return {**kept, **{name: value for name, value in new.items() if old.get(name) != value}}


def _dispatchable_json(node: Json, before: Desc, after: Desc) -> Json:
    """A dispatchable of a model after a fix."""

    def dumped(desc: Desc, field: Field) -> Any:
        return (
            field_json(desc, field)
            if field in desc.TENSORS
            else field.dump_dxdispatch(desc.get(field.name), desc.attributes)
        )

    found = dict(node)
    if before.TYPE != after.TYPE:
        key = "Type" if "Type" in node else "type"
        found[key] = after.TYPE if node[key] == before.TYPE else after.TYPE.removeprefix("DML_OPERATOR_")
    key = next((key for key in ("Desc", "desc") if key in node), "")
    if key:
        return {**found, key: _fields_json(node[key], before, after, dumped)}
    return _fields_json(found, before, after, dumped)


def _fields_json(node: Json, before: Desc, after: Desc, dumped: Callable[[Desc, Field], Any]) -> Json:
    """The fields of a desc in a text, where `before` becomes `after`; other keys stay."""
    had, has = ({field.name for field in desc.FIELDS} for desc in (before, after))
    found = {key: value for key, value in node.items() if key not in had - has}
    for field in after.FIELDS:
        name, content = field.name, after.get(field.name)
        old = before.get(name) if name in had else None
        if (old == content and name in node) or (name not in node and name in after.inferred):
            continue
        if content is None:
            found.pop(name, None)
        elif field not in after.TENSORS or name not in node:
            found[name] = dumped(after, field)
        elif field.many:
            found[name] = _tensors_json(node[name], old or (), content)
        else:
            found[name] = _tensor_json(node[name], old, content)
    return found


def _tensors_json(nodes: Any, before: Sequence[TensorDesc], after: Sequence[TensorDesc]) -> Any:
    """A list of tensors: those at its ends that stay the same stay, and the ones between are edited one by one."""
    if not isinstance(nodes, list) or len(nodes) != len(before) or not before:
        return [dump_tensor(tensor) for tensor in after]
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tail = next((i for i in range(shorter - head) if before[-1 - i] != after[-1 - i]), shorter - head)
    middle = [
        _tensor_json(nodes[i], before[i], tensor)
        for k, tensor in enumerate(after[head : len(after) - tail])
        for i in [min(head + k, len(before) - 1)]
    ]
    return [*nodes[:head], *middle, *nodes[len(nodes) - tail :]]


def _tensor_json(node: Any, before: TensorDesc | None, after: TensorDesc) -> Any:
    """A tensor, which may be one in DxDispatch's longer form; what it says of itself follows where that is implied."""
    if not isinstance(node, dict) or before is None:
        return dump_tensor(after)
    if isinstance(inner := node.get("Desc"), dict):
        return {**node, "Desc": _tensor_json(inner, before, after)}
    old, new = dump_tensor(before), dump_tensor(after)
    found = dict(node)
    for key, value in new.items():
        if old.get(key) != value:
            is_long = key == "DataType" and str(node.get(key)).startswith(_PREFIX)
            found[key] = f"{_PREFIX}{value}" if is_long else value
    for key in MEMBERS.keys() & node.keys() - new.keys():
        if key in old or node[key] == implied(before, key) is not None:
            found[key] = implied(after, key)
            if found[key] is None:
                del found[key]
    return found
