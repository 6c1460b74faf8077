"""What lines of NumPy or PyTorch say: names, shapes, and the calls that move elements. Nothing is evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.tensors import MAX_DIMENSIONS, DataType
from ...desc.value_sources import ValueSource
from ...desc.values import Constant, Iota
from ...errors import plain
from ...session.experiments import Experiment
from ..lib.imported import Remark, listed
from .array_makers import MAKERS, METHODS, transposed
from .element_movers import METHOD_MOVERS, MOVERS, OTHERS, Moved, embedded, gathered, reversed_along, sliced
from .known_arrays import (
    MOST_RANK,
    Call,
    Dotted,
    Embedding,
    Known,
    Left,
    Method,
    Names,
    Origin,
    Sizes,
    Slice,
    dtype_called,
)

MOST_DEPTH = 60
MOST_EXPERIMENTS = 500
MOST_ITEMS = 1 << 14
MOST_NUMBER = 2**64
MOST_NAME = 80
MOST_LINES = 9
"""Lines of a call that its name is made of."""
_LIBRARIES = ("numpy", "torch")
_SHAPE = r"(?:(?:np|numpy|torch)\.)?([A-Za-z_]\w{0,30})?\s{0,9}[(\[{]([\d\s,_]{0,400})[)\]}]"
_TOLD = re.compile(r"([A-Za-z_]\w{0,99})\s{0,9}:\s{0,9}" + _SHAPE)
_ANNOTATED = re.compile(r"\s{0,9}" + _SHAPE + r"\s{0,9}\Z")
_OTHER_TYPES = ("bool", "complex", "str", "object")
_METHODS = frozenset(name.rpartition(".")[2] for name in METHOD_MOVERS)
_MODULES = frozenset({"np", "numpy", "torch", "nn", "F", "float", "int", *_OTHER_TYPES})
_RESHAPES = frozenset({"shape", "data", "strides", "dtype", "resize", "resize_", "unsqueeze_", "squeeze_", "t_"})
_RESHAPES |= {"transpose_", "swapaxes_", "swapdims_", "as_strided_", "set_"}
"""Attributes that give an array other sizes in place, where they are assigned or called."""
_DEVICES = ("torch.device", "torch_directml.device")
_DEVICE = Dotted("a device")
_CLEAR_OTHERS = ("repeat_interleave",)
"""Methods that only an array has, whatever is known of it."""


class Lost(Struct, frozen=True):
    """A line that is no Python: it may have assigned names, or called a function that moves elements."""

    line: int
    names: tuple[str, ...]
    called: str


class Reader:
    """What has been read so far, line by line."""

    def __init__(self, text: str) -> None:
        self.experiments: list[Experiment] = []
        self.links: dict[int, dict[str, tuple[int, str]]] = {}
        self.roots: dict[int, dict[str, str]] = {}
        """By experiment and path, the name of the array there."""
        self.remarks: list[Remark] = []
        self._lines = text.encode().split(b"\n")
        self._names = Names({"np": Dotted("numpy"), "numpy": Dotted("numpy"), "torch": Dotted("torch")})
        self._names.bound |= {"float": DataType.FLOAT64, "int": DataType.INT64}
        self._names.bound |= {name: Dotted(f"builtins.{name}") for name in _OTHER_TYPES}
        self._names.bound |= {"F": Dotted("torch.nn.functional"), "nn": Dotted("torch.nn")}
        self._line = 1
        self._read: set[int] = set()
        """Calls and indices that became an experiment, by identity."""
        self._others = 0
        """Calls of either library that are other operators."""
        self._library = "torch" if "torch" in text else "numpy" if "np." in text or "numpy" in text else ""
        """The library of arrays of which nothing else tells it."""
        if "#" in text:
            self._note_told_shapes(text)

    def _note_told_shapes(self, text: str) -> None:
        """Notes the arrays that comments tell, each with its line."""
        for number, line in enumerate(text.split("\n"), 1):
            for name, kind, sizes in _TOLD.findall(line.partition("#")[2]):
                known = _told_array(kind, sizes)
                if known is not None:
                    self._names.told.setdefault(name, []).append((number, known))

    # ---- statements

    def statement(self, node: ast.stmt) -> None:
        """Reads one statement, and says what couldn't be taken from it."""
        self._line = node.lineno
        self._read.clear()
        try:
            self._carry_out(node)
        except Left as error:
            self._outdate(node)
            unread = self._unread(node)
            if unread and not unread[0].startswith(plain(str(error), 20)) and unread[0] not in str(error):
                self._remark(False, f"{unread[0]} isn't read: {error}.", True)
            else:
                self._remark(False, f"{error}.", bool(unread))
        else:
            if unread := self._unread(node):
                self._remark(False, f"{unread[0]} isn't read, expected a call by itself.", True)

    def lost(self, line: Lost) -> None:
        """Takes note of a line that can't be parsed."""
        self._line = line.line
        for name in line.names:
            self._names.bound.pop(name, None)
        if line.called:
            self._remark(False, f"{line.called} stands in what is no Python by itself, expected a whole call.", True)

    @property
    def only_others(self) -> bool:
        """True if there were calls, each of them of another operator than those here."""
        return self._others > 0 and not self.experiments and not any(remark.unchecked for remark in self.remarks)

    def _remark(self, taken: bool, text: str, unchecked: bool = False) -> None:
        number = len(self.experiments) - 1 if taken else None
        self.remarks.append(
            Remark(at=f"line {self._line}", taken=taken, text=_printable(text), unchecked=unchecked, experiment=number)
        )

    def _unread(self, node: ast.stmt) -> list[str]:
        """The calls and indices of a statement, as text, that look like known operators and became no experiment."""
        if isinstance(node, ast.With) or _is_main(node):
            return []  # its statements spoke for themselves
        return [
            self._shown(call.func if isinstance(call, ast.Call) else call)
            for call in ast.walk(node)
            if isinstance(call, (ast.Call, ast.Subscript)) and id(call) not in self._read and self._looks_moving(call)
        ]

    def _looks_moving(self, node: ast.Call | ast.Subscript) -> bool:
        """True for what may move elements: a known function, a method named so, an index into a known array."""
        if isinstance(node, ast.Subscript):
            owner = self._names.bound.get(node.value.id) if isinstance(node.value, ast.Name) else None
            return isinstance(owner, Known) and isinstance(node.ctx, ast.Load) and _may_pick(node.slice)
        dotted = _dotted_name(node.func)
        first, _, rest = dotted.partition(".")
        target = self._names.bound.get(first)
        if isinstance(target, Dotted):
            return (f"{target.name}.{rest}" if rest else target.name) in MOVERS
        if isinstance(target, Embedding):
            return not rest
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
            return False
        if isinstance(node.func.value, (ast.Constant, ast.JoinedStr)):
            return False  # of a string
        told = [*node.args, *(keyword.value for keyword in node.keywords)]
        known = isinstance(target, Known) and not rest.partition(".")[2]
        if known and isinstance(target, Known) and f"{target.library or self._library}.{node.func.attr}" in OTHERS:
            return False
        return bool(told) and not any(
            isinstance(argument, ast.Constant) and isinstance(argument.value, str) for argument in told
        )

    def _carry_out(self, node: ast.stmt) -> None:
        """Takes what a statement says of names and calls. Raises Left for what isn't read."""
        if isinstance(node, ast.Assign):
            try:
                value = self._value(node.value, 0)
            except Left:
                for target in node.targets:
                    self._forget(target)
                raise
            for target in node.targets:
                self._assign(target, value)
        elif isinstance(node, ast.AnnAssign):
            self._annotate(node)
        elif isinstance(node, (ast.Expr, ast.Assert)):
            told = node.value if isinstance(node, ast.Expr) else node.test
            try:
                self._read_alone(told)
            except Left:
                if isinstance(told, ast.Call) and isinstance(told.func, ast.Attribute):
                    self._forget_values(told.func)  # such as x.fill_(3)
                raise
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.With) or _is_main(node):
            assert isinstance(node, (ast.With, ast.If))
            for item in node.items if isinstance(node, ast.With) else ():
                if item.optional_vars is not None:
                    self._forget(item.optional_vars)
            for inner in node.body:
                self.statement(inner)
        elif not isinstance(node, ast.Pass):
            raise Left(f"{_grammar_name(node)} isn't looked into, expected calls and assignments")

    def _assign(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self._names.bound[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, list) and len(value) == len(target.elts):
            for element, item in zip(target.elts, value, strict=True):
                self._assign(element, item)
        else:
            self._forget(target)

    def _forget(self, target: ast.expr) -> None:
        """Forgets what an assignment sets: names, or the values of an array that it writes into."""
        if isinstance(target, ast.Name):
            self._names.bound.pop(target.id, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._forget(element)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            self._forget_values(target)

    def _outdate(self, node: ast.stmt) -> None:
        """Forgets what a statement that wasn't read may have changed: names, and the values of arrays."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._names.bound.pop(node.name, None)  # its body's names are its own
            return
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and not any(
            isinstance(part, ast.NamedExpr) for part in ast.walk(node)
        ):
            return  # its targets are forgotten, and nothing else is written
        for part in ast.walk(node):
            if not isinstance(part, ast.Name) or part.id in _MODULES:
                continue
            in_place = isinstance(node, ast.AugAssign) and isinstance(self._names.bound.get(part.id), Known)
            if isinstance(part.ctx, ast.Load) or in_place:
                self._forget_values(part)
            else:
                self._names.bound.pop(part.id, None)

    def _forget_values(self, target: ast.expr) -> None:
        """Forgets the values of the array behind `target`, and its shape where the attribute may change that."""
        reshaped = isinstance(target, ast.Attribute) and target.attr in _RESHAPES
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        known = self._names.bound.get(target.id) if isinstance(target, ast.Name) else None
        if not isinstance(target, ast.Name) or target.id in _MODULES:
            return
        if isinstance(known, Known) and not reshaped:
            self._names.bound[target.id] = replace(known, values=None)
        elif isinstance(known, (Known, list)):
            self._names.bound.pop(target.id, None)

    def _annotate(self, node: ast.AnnAssign) -> None:
        """Takes the array that `x: "float32[2, 3]"` tells, or the value. Raises Left where neither is told."""
        note = node.annotation
        match = _ANNOTATED.match(note.value) if isinstance(note, ast.Constant) and isinstance(note.value, str) else None
        known = _told_array(match[1], match[2]) if match else None
        if known is None and node.value is None:
            raise Left('the annotation tells no shape, expected one such as x: "float32[2, 3]"')
        self._assign(node.target, known)
        if node.value is not None:
            self._assign(node.target, self._value(node.value, 0))

    def _read_alone(self, node: ast.expr) -> None:
        """Reads an expression that stands alone or in an assert: a call, or comparisons that tell a shape."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for operand in node.values:
                self._read_alone(operand)
        elif isinstance(node, ast.Compare):
            self._take_comparison(node)
        else:
            self._value(node, 0)

    def _take_comparison(self, node: ast.Compare) -> None:
        """Takes the shape or type that `x.shape == (2, 3)` or `x.dtype == np.float32` tells. Raises Left for others."""
        left = node.left
        if (
            len(node.ops) != 1
            or not isinstance(node.ops[0], ast.Eq)
            or not isinstance(left, ast.Attribute)
            or not isinstance(left.value, ast.Name)
            or left.attr not in ("shape", "dtype")
        ):
            raise Left("a comparison tells nothing, expected one such as x.shape == (2, 3)")
        name, other = left.value.id, self._value(node.comparators[0], 0)
        known = self._names.bound.get(name)
        if left.attr == "dtype":
            if isinstance(other, str):
                other = dtype_called(other, self._library)
            if isinstance(other, DataType):
                self._names.types[name] = other
                if isinstance(known, Known):
                    self._names.bound[name] = Known(known.sizes, other, known.library, _made(known))
        elif isinstance(other, list) and all(isinstance(size, int) for size in other):
            kind = known.data_type if isinstance(known, Known) else self._names.types.get(name, DataType.FLOAT32)
            if not isinstance(known, Known) or known.sizes != tuple(other):
                self._names.bound[name] = Known(_require_sizes(tuple(other)), kind, self._library, _made(known))

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Notes the names that an import gives to what is in the libraries."""
        for alias in node.names:
            whole = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
            if whole.partition(".")[0] in (*_LIBRARIES, "torch_directml"):
                called = alias.asname or (whole if isinstance(node, ast.ImportFrom) else whole.partition(".")[0])
                dotted = whole if alias.asname or isinstance(node, ast.ImportFrom) else whole.partition(".")[0]
                self._names.bound[called.rpartition(".")[2]] = Dotted(dotted)

    # ---- expressions

    def _value(self, node: ast.expr, depth: int) -> object:
        """What an expression stands for. Raises Left where nothing is known of it."""
        if depth > MOST_DEPTH:
            raise Left(f"it is nested more than {MOST_DEPTH} deep, expected a plain call")
        read = _EXPRESSIONS.get(type(node))
        if read is None:
            raise Left(f"{_grammar_name(node)} isn't evaluated, expected numbers, names and calls")
        return read(self, node, depth + 1)

    def _constant_value(self, node: ast.Constant, depth: int) -> object:
        constant = node.value
        if isinstance(constant, int) and abs(constant) > MOST_NUMBER:
            raise Left("a number is beyond 64 bits, expected one that fits")
        return constant

    def _list_value(self, node: ast.Tuple | ast.List, depth: int) -> list[object]:
        if len(node.elts) > MOST_ITEMS:
            raise Left(f"a list has {len(node.elts):,} entries, expected at most {MOST_ITEMS:,}")
        return [self._value(element, depth) for element in node.elts]

    def _name_value(self, node: ast.Name, depth: int) -> object:
        known = self._names.find(node.id, self._line)
        if known is None:
            shown = plain(node.id, 40)
            raise Left(
                f"{shown} has no shape here, expected a line such as {shown} = np.zeros((2, 3), np.float32) or "
                f"a comment such as # {shown}: float32 (2, 3)"
            )
        if isinstance(known, Known) and known.values is None:
            return replace(known, values=Origin(-1, node.id))
        return known

    def _attribute_value(self, node: ast.Attribute, depth: int) -> object:
        """A size, type or method of an array, or a name in a library. Raises Left."""
        name = node.attr
        try:
            owner = self._value(node.value, depth)
        except Left:
            other = OTHERS.get(f"{self._library}.{name}") if name in _CLEAR_OTHERS else None
            if other is not None:
                self._others += 1
                raise Left(f"{self._shown(node)} {other}") from None
            raise
        if isinstance(owner, Embedding) and name == "weight":
            return owner.weight
        if isinstance(owner, Dotted):
            return self._dotted_value(owner, name)
        if not isinstance(owner, Known):
            raise Left(f".{plain(name, 40)} of it isn't known, expected a method of an array")
        if name == "shape":
            return list(owner.sizes)
        if name == "dtype":
            return owner.data_type
        if name == "T":
            return transposed(owner)
        return len(owner.sizes) if name == "ndim" else Method(owner, name)

    def _dotted_value(self, owner: Dotted, name: str) -> object:
        """What a name in a library stands for: a type, nan or the like, or a longer dotted name."""
        library = owner.name.partition(".")[0]
        if owner.name in _LIBRARIES:
            kind = dtype_called(name, library)
            if kind is not None:
                return kind
            special = {"nan": float("nan"), "inf": float("inf"), "pi": 3.141592653589793}.get(name)
            if special is not None:
                return special
        return Dotted(f"{owner.name}.{name}"[:99])

    def _unary_value(self, node: ast.UnaryOp, depth: int) -> object:
        """A number with its sign. Raises Left for any other operator of one side."""
        operand = self._value(node.operand, depth)
        if (
            isinstance(operand, (int, float))
            and not isinstance(operand, bool)
            and isinstance(node.op, (ast.USub, ast.UAdd))
        ):
            return -operand if isinstance(node.op, ast.USub) else operand
        raise Left("an operator of one side isn't evaluated, expected a number")

    def _binary_value(self, node: ast.BinOp, depth: int) -> object:
        """Whole numbers, as in `np.zeros((2 * 3,))`, and lists as in `[x] * 3`."""
        left, right = self._value(node.left, depth), self._value(node.right, depth)
        if isinstance(node.op, ast.Mult) and isinstance(right, list) and type(left) is int:
            left, right = right, left
        if isinstance(left, list) and isinstance(node.op, ast.Mult) and type(right) is int:
            if len(left) * right > MOST_ITEMS:
                raise Left(f"a list has {len(left) * right:,} entries, expected at most {MOST_ITEMS:,}")
            return left * right
        if isinstance(left, list) and isinstance(right, list) and isinstance(node.op, ast.Add):
            if len(left) + len(right) > MOST_ITEMS:
                raise Left(f"a list has {len(left) + len(right):,} entries, expected at most {MOST_ITEMS:,}")
            return left + right
        if type(left) is int and type(right) is int:
            if isinstance(node.op, ast.FloorDiv) and not right:
                raise Left("a number is divided by 0, expected another")
            operations = {
                ast.Add: int.__add__,
                ast.Sub: int.__sub__,
                ast.Mult: int.__mul__,
                ast.FloorDiv: int.__floordiv__,
            }
            compute = operations.get(type(node.op))
            number = compute(left, right) if compute else None
            if isinstance(number, int) and abs(number) <= MOST_NUMBER:
                return number
        raise Left(f"{_grammar_name(node)} isn't evaluated, expected whole numbers of 64 bits")

    def _subscript_value(self, node: ast.Subscript, depth: int) -> object:
        """An entry of a list, or what an index into an array gives."""
        owner, at = self._value(node.value, depth), self._value(node.slice, depth)
        if isinstance(owner, list):
            if type(at) is int and -len(owner) <= at < len(owner):
                return owner[at]
            raise Left("an entry of a list isn't known, expected its number")
        if not isinstance(owner, Known):
            raise Left("an index of it isn't known, expected one into an array")
        return self._indexed_value(
            node, owner, at if isinstance(node.slice, ast.Tuple) and isinstance(at, list) else [at]
        )

    def _indexed_value(self, node: ast.Subscript, owner: Known, at: list[object]) -> object:
        """What `x[:, [0, 2]]`, a gather, `x[..., ::-1]`, a reversal, or `x[1:3]` gives; it becomes an experiment."""
        if at.count(...) == 1:
            k = at.index(...)
            at = [*at[:k], *[Slice()] * (len(owner.sizes) - len(at) + 1), *at[k + 1 :]]
        odd = [d for d, index in enumerate(at) if index != Slice()]
        call = Call(self._shown(node), [], {}, owner.library or self._library)
        cuts = [index for index in at if isinstance(index, Slice)]
        if odd and len(cuts) == len(at) and (len(odd) > 1 or not cuts[odd[0]].takes_all or cuts[odd[0]].step != -1):
            return self._add_experiment(node, sliced(_require_tensor(owner, call.shown), cuts, call))
        if len(at) > len(owner.sizes) or len(odd) != 1:
            raise Left(f"{self._shown(node)} indexes {len(odd)} axes, expected 1 by a list or by ::-1")
        axis, picks = odd[0], at[odd[0]]
        if isinstance(picks, Slice):
            return self._add_experiment(node, reversed_along(_require_tensor(owner, call.shown), axis))
        return self._add_experiment(node, gathered(_require_tensor(owner, call.shown), picks, axis, call, None))

    def _slice_value(self, node: ast.Slice, depth: int) -> object:
        parts = [None if part is None else self._value(part, depth) for part in (node.lower, node.upper, node.step)]
        start, stop, step = (part if type(part) is int else None for part in parts)
        odd = any(part is not None and type(part) is not int for part in parts)
        return Slice(start, stop, 1 if step is None else step, odd)

    def _call_value(self, node: ast.Call, depth: int) -> object:
        """What a call gives back; one that moves elements becomes an experiment. Raises Left for unknown functions."""
        if isinstance(node.func, ast.Name) and not isinstance(self._names.bound.get(node.func.id), (Dotted, Embedding)):
            return self._builtin_value(node, node.func.id, depth)
        function = self._value(node.func, depth)
        if isinstance(function, Embedding):
            call = Call(self._shown(node.func), [function.weight], {}, "torch")
            call.args[:0] = [self._value(argument, depth) for argument in node.args]
            return self._add_experiment(node, embedded(call))
        if not isinstance(function, (Dotted, Method)):
            raise Left(f"{self._shown(node.func)} is no function that is known here, expected one such as np.take")
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            argument.arg is None for argument in node.keywords
        ):
            raise Left(f"{self._shown(node.func)} is given a starred argument, expected each by itself")
        library = function.name.partition(".")[0] if isinstance(function, Dotted) else self._library_of(function)
        call = Call(self._shown(node.func), [], {}, library)
        name = function.name if isinstance(function, Dotted) else f"{library}.{function.name}"
        if name in OTHERS:
            self._others += 1
            raise Left(f"{call.shown} {OTHERS[name]}")
        if name in _DEVICES:
            return _DEVICE
        method = isinstance(function, Method)
        mover = (METHOD_MOVERS if method else MOVERS).get(name)
        maker = METHODS.get(name.rpartition(".")[2]) if method else MAKERS.get(name)
        if mover is None and maker is None:
            if name == "numpy.random.default_rng":
                return Dotted("numpy.random")
            if name == "torch.Size" and node.args:
                return self._value(node.args[0], depth)
            self._others += library in _LIBRARIES
            raise Left(f"{call.shown} is none of the operators here, expected one such as np.take or torch.cat")
        call.args += [function.owner] * method if isinstance(function, Method) else []
        call.args += [self._value(argument, depth) for argument in node.args]
        call.named = {keyword.arg: self._value(keyword.value, depth) for keyword in node.keywords if keyword.arg}
        if mover is not None:
            return self._add_experiment(node, mover(call))
        assert maker is not None
        call.args = [_as_dtype(argument, library) for argument in call.args if argument is not _DEVICE]
        call.named = {name: _as_dtype(argument, library) for name, argument in call.named.items()}
        return maker(call)

    def _library_of(self, method: Method) -> str:
        """The array's own library, or else the one that has a method of that name."""
        library = method.owner.library or self._library
        if library:
            return library
        return next((name for name in _LIBRARIES if f"{name}.{method.name}" in METHOD_MOVERS), "numpy")

    def _builtin_value(self, node: ast.Call, name: str, depth: int) -> object:
        """What `print` of calls gives, None, or `float("nan")`. Raises Left for other functions."""
        if name == "print":
            for argument in node.args:
                self._value(argument, depth)
            return None
        if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            special = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}.get(str(node.args[0].value))
            if special is not None:
                return special
        raise Left(f"{plain(name, 40)} is no function that is known here, expected one such as np.take")

    # ---- results

    def _add_experiment(self, node: ast.expr, moved: Moved) -> object:
        """Adds the experiment of a call, with a remark; gives what the call gives back."""
        if len(self.experiments) >= MOST_EXPERIMENTS:
            raise Left(f"the {MOST_EXPERIMENTS} calls before it are enough")
        self._read.add(id(node))
        values: dict[str, ValueSource] = {}
        left: list[str] = []
        number, made = len(self.experiments), dict[str, tuple[int, str]]()
        for part, source in zip(moved.desc.inputs, moved.values, strict=True):
            if isinstance(source, Origin) and source.number >= 0:
                made[part.path] = source.number, source.path
            elif isinstance(source, Origin):
                self.roots.setdefault(number, {})[part.path] = source.path
                left.append(part.path)
            elif isinstance(source, (Iota, Constant)):
                values[part.path] = source
            elif source is not None:
                values[part.path] = listed(source)
            else:
                left.append(part.path)
        self.experiments.append(Experiment(self._shown(node), moved.desc, values=values))
        kind = moved.desc.TYPE.removeprefix("DML_OPERATOR_")
        sentences = [f"it became {kind} of {moved.desc.inputs[0].tensor}", *moved.remarks]
        if made:
            self.links[number] = made
            read = dict.fromkeys(self.experiments[source].name for source, _ in made.values())
            sentences.append(f"it reads {', '.join(list(read)[:8])}{' …' * (len(read) > 8)}")
        if left:
            sentences.append(f"filled by default: {', '.join(left[:8])}{' …' * (len(left) > 8)}")
        self._remark(True, f"{'; '.join(sentences)}.")
        if isinstance(moved.returned, list):
            return [_output(part, moved.desc, number, k) for k, part in enumerate(moved.returned)]
        return _output(moved.returned, moved.desc, number, 0)

    def _shown(self, node: ast.expr) -> str:
        """The text of an expression on one line, cut."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : min(last + 1, first + MOST_LINES)]
        if not lines:
            return "it"
        if last - first < MOST_LINES:
            lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        text = " ".join(b" ".join(lines).decode(errors="replace").split())
        return _printable(text if len(text) <= MOST_NAME else f"{text[: MOST_NAME - 1]}…")


def _made(known: object) -> Origin | None:
    """The experiment's output that an array is, also where something else is said of its shape than follows."""
    values = known.values if isinstance(known, Known) else None
    return values if isinstance(values, Origin) and values.number >= 0 else None


def _output(returned: object, desc: Desc, number: int, k: int) -> object:
    """What a call gives back, as output `k` of its experiment where it holds just those elements."""
    part = desc.outputs[k] if k < len(desc.outputs) else None
    if not isinstance(returned, Known) or returned.values is not None or part is None or not part.tensor.can_exist:
        return returned
    if (returned.data_type, returned.count) != (part.tensor.data_type, part.tensor.element_count):
        return returned
    return replace(returned, values=Origin(number, part.path if part.field.many else ""))


def _is_main(node: ast.stmt) -> bool:
    """True for `if __name__ == "__main__":`."""
    test = node.test if isinstance(node, ast.If) and not node.orelse else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _may_pick(index: ast.expr) -> bool:
    """True for an index with a name, call or list in it, which may pick; False for a mask made by a comparison."""
    if any(isinstance(part, (ast.Compare, ast.Invert)) for part in ast.walk(index)):
        return False
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, (ast.Name, ast.List, ast.Call, ast.Attribute)) for part in parts)


def _dotted_name(node: ast.expr) -> str:
    """`np.random.rand` as it is written; empty where that is no plain name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _printable(text: str) -> str:
    """The text with `?` for what can't be printed."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _require_tensor(known: Known, shown: str) -> Known:
    """The array itself. Raises Left where it can't be a tensor."""
    if not 1 <= len(known.sizes) <= MAX_DIMENSIONS or min(known.sizes) < 1:
        raise Left(
            f"the array of {shown} is {plain(str(known.tensor))}, expected 1 to {MAX_DIMENSIONS} sizes of at least 1"
        )
    return known


def _as_dtype(argument: object, library: str) -> object:
    """A dtype that is told by its name in quotes; anything else as it is."""
    kind = dtype_called(argument, library) if isinstance(argument, str) else None
    return argument if kind is None else kind


def _told_array(kind: str, sizes: str) -> Known | None:
    """The array that a comment or an annotation tells; None where it tells none."""
    data_type = dtype_called(kind, "torch" if kind in ("float", "int") else "") if kind else DataType.FLOAT32
    numbers = re.findall(r"\d+", sizes)
    if data_type is None or any(len(digits) > 20 for digits in numbers) or len(numbers) > MOST_RANK:
        return None
    return Known(tuple(map(int, numbers)), data_type)


def _require_sizes(sizes: Sizes) -> Sizes:
    """The sizes themselves. Raises Left for too many, or one below 0."""
    if len(sizes) > MOST_RANK or min(sizes, default=1) < 0:
        raise Left(f"the shape has {len(sizes)} sizes, the least {min(sizes, default=1)}, expected none below 0")
    return sizes


def _grammar_name(node: ast.AST) -> str:
    """A piece of Python's grammar in a sentence: `a FunctionDef`."""
    name = type(node).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


_EXPRESSIONS: Mapping[type[ast.expr], Callable[[Reader, Any, int], object]] = MappingProxyType(
    {
        ast.Constant: Reader._constant_value,
        ast.Tuple: Reader._list_value,
        ast.List: Reader._list_value,
        ast.Name: Reader._name_value,
        ast.Attribute: Reader._attribute_value,
        ast.UnaryOp: Reader._unary_value,
        ast.BinOp: Reader._binary_value,
        ast.Subscript: Reader._subscript_value,
        ast.Slice: Reader._slice_value,
        ast.Call: Reader._call_value,
    }
)
