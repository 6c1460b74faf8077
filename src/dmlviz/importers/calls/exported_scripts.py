"""Scripts that dmlviz exports for NumPy, PyTorch and itself: a function for each chain, and for what is by itself.

Docstrings say which variable is which stage, of which name and level. Lines that only make indices fit a library go
unread, and the idiom of REVERSE_SUBSEQUENCES, which no library has, is read as one call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as with_members

from ...desc.base import Desc
from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc
from ...errors import DmlvizError
from ...operators.gather import Gather
from ...operators.registry import operators
from ...operators.reverse_subsequences import ReverseSubsequences
from .array_makers import METHODS
from .call_reader import MOST_DEPTH, Reader, require_tensor
from .element_movers import Given, Moved, elements_along, sliced
from .known_arrays import Call, Dotted, Known, Left, Origin, Slice

_OPENING = '"""A session of dmlviz'
_LEVEL = rf"(\w+) at feature level ({'|'.join(level.value for level in FeatureLevel)})"
_ALONE = re.compile(rf"{_LEVEL}(?:: (.*))?\.\Z")
_STAGE = re.compile(rf"\b(\w{{1,99}}): {_LEVEL}(?:: (.*?))?\. (?=\w{{1,99}}: {_LEVEL}|\Z)")
_MOST_TOLD = 1 << 14
_ALONE_MAKES = ("output_tensor", "output_tensors")
_OWN = ("same", "load", "main")
_STEERING = ("indices", "lengths")
_DIMENSIONS = re.compile(rb"# IndexDimensions (\d{1,2}):")


def is_exported(text: str) -> bool:
    """True for a script as `dmlviz export` writes it."""
    return text.lstrip().startswith(_OPENING)


class _Stage(Struct, frozen=True):
    """What a docstring tells of a stage."""

    operator: str
    level: FeatureLevel
    name: str


class _Turned(Struct, frozen=True):
    """The places of elements whose sequences are turned round."""

    lengths: Known


class ScriptReader(Reader):
    """What has been read so far of a script that dmlviz wrote."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._names.bound["dml"] = Dotted("dmlviz")
        self._library = "torch" if "\nimport torch\n" in text else "numpy"
        self._stages: dict[str, _Stage] = {}
        """The stages of the function that is read, by variable."""
        self._target = ""
        self._whole: Known | None = None
        """The index tensor of a stage, of which only the last sizes go on."""
        self._from = 0
        """The line where the last stage ended."""

    def _carry_out(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef):
            if node.name not in _OWN:
                self._read_function(node)
        elif isinstance(node, ast.If):
            pass  # the call of main
        elif self._stages and isinstance(node, ast.Assign):
            target = node.targets[0]
            self._target = target.id if isinstance(target, ast.Name) else ""
            super()._carry_out(node)
            value, desc = (self._names.bound.get(name) for name in (self._target, "desc"))
            if self._target == "arrays" and isinstance(desc, Desc):
                self._add_stages(node.value, [[desc, value]])
            elif self._target == "stages":
                self._add_stages(node.value, value)
        else:
            super()._carry_out(node)

    def _unread(self, node: ast.stmt) -> list[str]:
        return [] if isinstance(node, ast.FunctionDef) else super()._unread(node)

    def _read_function(self, node: ast.FunctionDef) -> None:
        """Reads what a function does, up to what its outputs are held against. Raises Left for none of dmlviz's."""
        self._stages = _stages_of(ast.get_docstring(node) or "")
        if not self._stages:
            raise Left(f"the function {node.name} tells no stages, expected one as dmlviz exports it")
        outside, self._from = dict(self._names.bound), node.lineno
        makes, of, refused = list[str](), "", set[str]()
        for statement in reversed(node.body):
            of = name if (name := _assigned(statement)) in self._stages else of
            makes.append(of)
        for statement, of in zip(node.body, reversed(makes), strict=True):
            name = _assigned(statement)
            if name.startswith("expected") or name in ("chain", "report", "path"):
                break
            is_padding = self._library == "torch" and of in self._stages and self._stages[of].operator == "PADDING"
            if is_padding and name in ("data", "source", of):
                if name == of and of not in refused:
                    refused.add(of)
                    self._line = statement.lineno
                    self._remark(False, f"{of} isn't read: PyTorch has no call for PADDING, and takes several.", True)
            elif isinstance(statement, (ast.Assign, ast.With)):
                self.statement(statement)
        self._names.bound, self._stages = outside, {}

    def _value(self, node: ast.expr, depth: int) -> object:
        if not self._stages or depth > MOST_DEPTH:
            return super()._value(node, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (node.args or node.keywords):
            return self._own_value(node, node.func, depth + 1)
        if isinstance(node, ast.ListComp):  # each of some arrays in another type, or as a tensor
            return self._value(node.generators[0].iter, depth + 1)
        return super()._value(node, depth)

    def _own_value(self, node: ast.Call, function: ast.Attribute, depth: int) -> object:
        """What a call gives of which the script's writer knows more than its library. Raises Left."""
        name, args, steers = function.attr, node.args, self._target in _STEERING
        if steers and name == "reshape":
            whole = self._value(function.value, depth)
            if not isinstance(whole, Known):
                raise Left(f"{self._shown(function)} isn't read, expected indices that are known")
            self._whole = whole
            return METHODS[name](Call(self._shown(node), [whole, *self._values(args, depth)], {}, whole.library))
        if (steers and name in ("astype", "to", "clamp")) or (
            name == "view" and args and isinstance(args[0], ast.Attribute)
        ):
            return self._value(function.value, depth)  # the same numbers, or the same bits
        if steers and args and name in ("minimum", "clip"):
            return self._value(args[0], depth)
        if name == "where" and len(args) == 3 and isinstance(args[0], ast.Compare):
            if not isinstance(args[2], ast.Name) or args[2].id != "k":
                return self._value(args[2], depth)
            lengths = self._value(args[0].comparators[0], depth)
            return _Turned(lengths) if isinstance(lengths, Known) else lengths
        if name == "flip" and len(args) == 2 and isinstance(args[0], ast.Subscript):
            data, cuts, axes = self._values([args[0].value, args[0].slice, args[1]], depth)
            return self._sliced(node, data, cuts if isinstance(cuts, list) else [cuts], axes)
        if name in ("take", "index_select", "take_along_axis", "gather"):
            return self._picked(node, self._values([*args, *(each.value for each in node.keywords)], depth))
        if isinstance(function.value, ast.Name) and function.value.id == "dml":
            return self._desc_value(node, name, depth)
        return super()._value(node, depth)

    def _values(self, nodes: Sequence[ast.expr], depth: int) -> list[Any]:
        return [self._value(each, depth) for each in nodes]

    def _picked(self, node: ast.Call, given: Sequence[object]) -> object:
        """What a call picks of its first argument, along the whole number, by the other one."""
        axis = next((one for one in given if type(one) is int), None)
        picks = next((one for one in given[1:] if isinstance(one, (Known, _Turned))), None)
        call = Call(self._shown(node), [], {}, self._library)
        if not given or not isinstance(given[0], Known) or axis is None or picks is None:
            raise Left(f"{call.shown} isn't read, expected an array, indices and an axis")
        data = require_tensor(given[0], call.shown)
        if isinstance(picks, _Turned):
            desc = ReverseSubsequences(data.tensor, picks.lengths.tensor, axis)
            return self._add_experiment(
                node, Moved(desc, [data.values, picks.lengths.values], with_members(data, values=None))
            )
        if call.shown.partition("(")[0].endswith(("take", "index_select")):
            return self._add_experiment(node, self._gathered(node, data, picks, axis))
        return self._add_experiment(node, elements_along(data, picks, axis, call))

    def _indexed_value(self, node: ast.Subscript, owner: Known, at: list[object]) -> object:
        return self._sliced(node, owner, at) if self._stages else super()._indexed_value(node, owner, at)

    def _sliced(self, node: ast.expr, data: object, at: Sequence[object], turned: object = ()) -> object:
        """A SLICE1, also where it takes all, or one axis backwards; `turned` are turned round behind it."""
        cuts = [cut for cut in at if isinstance(cut, Slice)]
        if not isinstance(data, Known) or len(cuts) < len(at) or not isinstance(turned, (list, tuple)):
            raise Left(f"{self._shown(node)} is indexed by what is no slice, expected slices of an array")
        for axis, size in enumerate(data.sizes[: len(cuts)]):
            start, stop, step = slice(cuts[axis].start, cuts[axis].stop, cuts[axis].step or 1).indices(size)
            if axis in turned and range(start, stop, step):
                cuts[axis] = Slice(range(start, stop, step)[-1], start - 1 if start else None, -step)
        call = Call(self._shown(node), [], {}, "numpy")
        return self._add_experiment(node, sliced(require_tensor(data, call.shown), cuts, call))

    def _gathered(self, node: ast.Call, data: Known, picks: Known, axis: int) -> Moved:
        """A GATHER, whose IndexDimensions a comment tells where not all sizes of its indices count."""
        told = _DIMENSIONS.search(b"\n".join(self._lines[self._from : node.lineno]))
        if (told or picks.library == "torch") and self._whole is not None:
            picks = self._whole
        desc = Gather(data.tensor, picks.tensor, axis, int(told[1]) if told else len(picks.sizes))
        out = desc.output_tensor
        if out is None:
            raise Left(f"{self._shown(node)} picks what has no sizes, expected an axis of its input")
        return Moved(desc, [data.values, picks.values], with_members(data, sizes=out.sizes, values=None))

    def _desc_value(self, node: ast.Call, name: str, depth: int) -> object:
        """A tensor desc or a desc, made of the fields that are told. Raises Left where they make none."""
        classes = {operator.desc.__name__: operator.desc for operator in operators().values()}
        made = TensorDesc if name == "TensorDesc" else classes.get(name)
        if made is None:
            raise Left(f"{self._shown(node.func)} is no desc, expected one of an operator")
        named: dict[str, Any] = {each.arg: self._value(each.value, depth) for each in node.keywords if each.arg}
        args = self._values(node.args, depth)
        try:
            return made(*args, **named)
        except (DmlvizError, TypeError, ValueError) as error:
            raise Left(f"{self._shown(node.func)} isn't made, {str(error).rstrip('.')}") from None

    def _add_stages(self, node: ast.expr, stages: object) -> None:
        """Adds the experiments of descs, each with what fills its inputs: arrays, or stage and output."""
        first = len(self.experiments)
        for variable, stage in zip(self._stages, stages if isinstance(stages, list) else [], strict=False):
            desc, read = stage if isinstance(stage, list) and len(stage) == 2 else (None, None)
            if not isinstance(desc, Desc) or not isinstance(read, list) or len(read) != len(desc.inputs):
                raise Left(f"{variable} isn't read, expected a desc and what fills its inputs")
            values: list[Given] = []
            for one in read:
                if isinstance(one, list) and len(one) == 2 and all(type(n) is int for n in one):
                    number, output = first + one[0], one[1]
                    outputs = self.experiments[number].desc.outputs if first <= number < len(self.experiments) else ()
                    if not 0 <= output < len(outputs):
                        raise Left(f"{variable} reads output {output} of stage {one[0]}, expected one before it")
                    path = outputs[output].path if outputs[output].field.many else ""
                    values.append(Origin(number, path))
                else:
                    values.append(one.values if isinstance(one, Known) else None)
            self._target = variable
            self._add_experiment(node, Moved(desc, values, []))

    def _add_experiment(self, node: ast.expr, moved: Moved) -> object:
        returned = super()._add_experiment(node, moved)
        self._whole, self._from = None, node.end_lineno or node.lineno
        if self._target in self._stages:
            told, stage = self.experiments[-1], self._stages[self._target]
            self.experiments[-1] = replace(told, name=stage.name or told.name, feature_level=stage.level)
        return returned


def _assigned(statement: ast.stmt) -> str:
    """The variable that a statement assigns, or writes into."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    target = target.value if isinstance(target, ast.Subscript) else target
    return target.id if isinstance(target, ast.Name) else ""


def _stages_of(text: str) -> dict[str, _Stage]:
    """The stages that a function's docstring tells, by the variable of what each makes."""
    first, _, rest = text.partition("\n")
    if (alone := _ALONE.match(first)) is not None:
        return dict.fromkeys(_ALONE_MAKES, _Stage(alone[1], FeatureLevel.of(alone[2]), alone[3] or ""))
    chain = f"{' '.join(rest[:_MOST_TOLD].split())} " if first.startswith("A chain of ") else ""
    return {each[1]: _Stage(each[2], FeatureLevel.of(each[3]), each[4] or "") for each in _STAGE.finditer(chain)}
