"""What lines of NumPy or PyTorch say: names, shapes, and calls that move elements. Nothing is evaluated."""

from __future__ import annotations

import ast
import math
import operator
import re

import numpy as np
from msgspec.structs import replace

from ...desc.value_sources import Listed
from ...desc.values import Constant
from ...errors import DmlvizError, plain
from ...session.cell_edits import listed
from ..lib.found import Found, Item
from ..lib.imported import Note
from .functions import (
    FLOATS,
    FUNCTIONS,
    IGNORED,
    MOVERS,
    Arr,
    Dotted,
    Left,
    Moved,
    Unknown,
    blank,
    call,
    indexed,
    kind_called,
)

MOST_DEPTH = 60
MOST_ITEMS = 4096
MOST_NUMBER = 2**64
MOST_TENSORS = 1000
_TOLD = re.compile(
    r"([A-Za-z_]\w{0,99})\s{0,9}:\s{0,9}(?:(?:np|numpy|torch)\.)?([A-Za-z_]\w{0,30})?\s{0,9}[(\[{]([\d\s,]{0,400})[)\]}]"
)
_LIBRARIES = {"np": "numpy", "F": "torch.nn.functional", "nn": "torch.nn", "numpy": "numpy", "torch": "torch"}
_LIBRARIES |= {"tf": "tensorflow", "jnp": "jax.numpy", "helper": "onnx.helper", "builder": "webnn"}
_OTHERS = {"tensorflow": "TensorFlow's", "jax": "JAX's", "onnx": "ONNX's", "webnn": "WebNN's"}
_DEVICE = "cpu"
_MOVING = "|".join(sorted({name.rpartition(".")[2] for name in MOVERS}, reverse=True))
_CALLED = rf"\b(?:np|numpy|torch|F|nn\.functional)[ \t]{{0,9}}\.[ \t]{{0,9}}(?:{_MOVING})[ \t]{{0,9}}\("
_NAMES = re.compile(r"(\w++(?:[ \t]*+,[ \t]*+\w++)*+)[ \t]*+([-+*/|&%@]{0,2}=(?!=)|in\b.*:\s*$)?")
_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}


def _shown(node: ast.AST) -> str:
    try:
        return plain(ast.unparse(node)[:99], 80)
    except RecursionError:
        return "it"


def _foreign(shown: str, name: str) -> str:
    whose = _OTHERS.get(name.partition(".")[0], "")
    how = "the model as an .onnx file" if whose == "ONNX's" else "a line of NumPy or PyTorch"
    return f"{shown} is {whose}, which isn't read, expected {how}" if whose else ""


class Reader:
    def __init__(self, text: str) -> None:
        self.items: list[Item] = []
        self.others = 0  # calls of other operators
        self._line = 1
        self._bound: dict[str, object] = {name: Dotted(whole) for name, whole in _LIBRARIES.items()}
        self._bound |= dict.fromkeys(("device", "dev", "dml", "cuda", "gpu", "print", "tensor", "array"), _DEVICE)
        self._bound |= {name: np.dtype(name) for name in ("float", "int", "bool", "complex")}
        self._told: list[tuple[int, str, Arr]] = []  # comments that no statement has come to, the last one first
        self._read: set[ast.AST] = set()  # calls; an identity alone could be a later node's
        self._beside: dict[str, Arr] = {}  # what comments beside a statement tell of what it sets, if nothing else does
        self._tensors = 0  # of all descs
        is_torch = re.search(r"\btorch|\bnn\.|\bF\.", text) and not re.search(r"\b(?:np|numpy)\b", text)
        library = "torch" if is_torch else "numpy"  # of which arrays have no method that means another thing in PyTorch
        for number, line in enumerate(text.split("\n"), 1):
            for name, kind, sizes in _TOLD.findall(line.partition("#")[2]):
                dtype = kind_called(kind or "float32", kind in ("float", "int") or library == "torch")
                shape = [int(size) for size in sizes.split(",") if size.strip().isdecimal()][:9]
                if dtype is not None and math.prod(shape) < 2**59:
                    self._told.insert(0, (number, name, replace(blank(shape, dtype), library=library, origin=name)))

    def statement(self, node: ast.stmt) -> None:
        self._line = node.lineno
        if isinstance(node, ast.With):
            for item in node.items:
                self._forget(item)
            for inner in node.body:
                self.statement(inner)
            return
        why, self._beside = "", {}
        while self._told and self._told[-1][0] <= (node.end_lineno or 0):
            line, name, array = self._told.pop()
            known = self._bound.get(name)
            if isinstance(known, Unknown | None) or (isinstance(known, Arr) and known.origin == name):
                self._bound[name] = array
            if line >= node.lineno:
                self._beside[name] = array
        try:
            self._carry_out(node)
        except Left as error:
            why = str(error)
            self._forget(node, why)
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and part not in self._read]
        shown = next((_shown(call.func) for call in calls if self._moves(call)), "")
        if shown not in why:
            why = _foreign(shown, _LIBRARIES.get(shown.partition(".")[0], "")) or why or "expected a call by itself"
            why = why if why.startswith(f"{shown} is ") else f"{shown} isn't read: {why}"
        if why:
            self.items.append(Note(plain(f"{why}.", 400), node.lineno, unchecked=bool(shown)))

    def lost(self, line: str, number: int) -> None:
        for names, assigned in _NAMES.findall(line):
            for name in names.split(",") if assigned else ():
                self._bound[name.strip()] = Unknown(f"{name.strip()} is set in line {number}, which is no Python")
        if (called := re.search(_CALLED, line)) is not None:
            text = f"{called[0][:-1]} is in a line that isn't complete Python, expected a whole call."
            self.items.append(Note(text, number, unchecked=True))

    def _moves(self, node: ast.Call) -> bool:
        first, *names = _shown(node.func).split(".")
        known = self._bound.get(first)
        if isinstance(known, Dotted) and known.name.partition(".")[0] in FLOATS:
            return ".".join([known.name, *names]) in MOVERS
        is_text = any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.args)
        is_named = bool(names) and not MOVERS.isdisjoint([f"torch..{names[-1]}", f"torch.{names[-1]}"])
        return is_named and bool(node.args or node.keywords) and not is_text

    def _carry_out(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value) | ast.AnnAssign(target=targets, value=ast.expr() as value):
                made = self._value(value)
                for target in targets if isinstance(targets, list) else [targets]:
                    self._assign(target, made)
            case ast.Expr(value=ast.Call() | ast.Subscript() | ast.Attribute() as value):
                made = self._value(value)
                if isinstance(made, Unknown) and not isinstance(value, ast.Subscript):  # which has been told
                    raise Left(made.why)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    whole = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
                    name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else whole.partition(".")[0])
                    self._bound[name] = Dotted(name if name == whole.partition(".")[0] else whole)
            case ast.Expr() | ast.Assert() | ast.Pass():
                self._forget(node)
            case _:
                raise Left(f"{_shown(node).partition(':')[0]} isn't looked into, expected calls and assignments")

    def _assign(self, target: ast.expr, value: object) -> None:
        values = value if isinstance(value, (list, tuple)) else ()
        match target:
            case ast.Name(id=name):
                if isinstance(value, Unknown) and " is set in line " not in value.why:
                    value = Unknown(f"{name} is set in line {self._line}: {value.why}")
                self._bound[name] = self._beside.get(name, value) if isinstance(value, Unknown) else value
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == len(values):
                for part, one in zip(parts, values, strict=True):
                    self._assign(part, one)
            case _:
                self._forget(target)

    def _forget(self, node: ast.AST, why: str = "") -> None:
        """Forgets what may be changed by what isn't read: names, and elements where it writes or calls."""
        why = f": {why}" if why and " is set in line " not in why else ", which isn't read"
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            node = ast.Name(node.name, ast.Store())  # its body's names are its own
        parts = list(ast.walk(node))
        stored = [part for part in parts if isinstance(getattr(part, "ctx", None), (ast.Store, ast.Del))]
        is_whole = not isinstance(node, (ast.Assign, ast.AnnAssign))
        called = [part.func for part in parts if isinstance(part, ast.Call) and is_whole and part not in self._read]
        names = [part.id for part in stored if isinstance(part, ast.Name)]
        if called or len(names) < len(stored) or any(isinstance(part, ast.AugAssign) for part in parts):
            self._write()
        arrays = {name for name, known in self._bound.items() if isinstance(known, Arr)}
        owners = [part.value for part in (*stored, *called) if isinstance(part, ast.Attribute)]
        owned = arrays.intersection(part.id for part in owners if isinstance(part, ast.Name))
        for name in {*names, *owned} - (arrays if isinstance(node, ast.AugAssign) else set()):  # which keeps the shape
            self._bound[name] = self._beside.get(name) or Unknown(f"{name} is set in line {self._line}{why}")

    def _write(self) -> None:
        for name, known in self._bound.items():
            if isinstance(known, Arr):
                self._bound[name] = replace(known, is_known=False, origin=f"{name} of line {self._line}")
            elif isinstance(known, (list, tuple)):
                self._bound[name] = Unknown(f"{name} may have changed in line {self._line}")

    def _value(self, node: ast.expr, depth: int = 0) -> object:
        if depth > MOST_DEPTH:
            raise Left(f"it is nested more than {MOST_DEPTH} deep, expected a plain call")
        depth += 1
        match node:
            case ast.Constant(value=constant):
                return constant
            case ast.List(elts=parts) | ast.Tuple(elts=parts) if len(parts) <= MOST_ITEMS:
                made = [self._value(part, depth) for part in parts]
                return made if isinstance(node, ast.List) else tuple(made)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._value(operand, depth)
                if isinstance(number, (int, float)):
                    return -number
                return Unknown("it is computed")
            case ast.BinOp(left=left, op=sign, right=right):
                return self._computed(self._value(left, depth), sign, self._value(right, depth))
            case ast.Slice():
                ends = (node.lower, node.upper, node.step)
                return slice(*(None if end is None else self._value(end, depth) for end in ends))
            case ast.Subscript(value=inner, slice=index):
                return self._at(node, self._value(inner, depth), self._value(index, depth))
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(node, self._value(inner, depth), name)
            case ast.Call():
                return self._call(node, depth)
        self._forget(node)
        return Unknown(f"{_shown(node)} isn't evaluated, expected numbers, names and calls")

    def _named(self, name: str) -> object:
        known = self._bound.get(name)
        shown = plain(name, 40)
        if isinstance(known, Arr) and not known.is_known and not known.origin:
            return replace(known, origin=name)
        how = f"{shown} = np.zeros((2, 3), np.float32) or a comment such as # {shown}: float32 (2, 3)"
        if known is None:
            return Unknown(f"{shown} has no shape here, expected a line such as {how}")
        return known

    def _computed(self, left: object, sign: ast.operator, right: object) -> object:
        compute = _OPERATIONS.get(type(sign))
        if compute is not None and type(right) is int and (right or not isinstance(sign, ast.FloorDiv)):
            if type(left) is int and abs(number := compute(left, right)) <= MOST_NUMBER:
                return number
            if isinstance(left, list) and isinstance(sign, ast.Mult) and len(left) * right <= MOST_ITEMS:
                return left * right
        for one in (left, right):
            if isinstance(one, Unknown):
                return one
        return Unknown("it is computed")

    def _at(self, node: ast.Subscript, owner: object, at: object) -> object:
        if isinstance(owner, (list, tuple)) and type(at) is int and -len(owner) <= at < len(owner):
            return owner[at]
        shown = _shown(node)
        if not isinstance(owner, Arr):
            if isinstance(owner, Unknown):
                return owner
            return Unknown(f"{shown} isn't known")
        try:
            return self._moved(node, shown, indexed(owner, at if isinstance(at, tuple) else (at,)), owner.library)
        except (Left, DmlvizError) as error:
            why = f"{shown} {error}"
        self.items.append(Note(plain(f"{why}.", 400), self._line, unchecked=True))
        return Unknown(why)

    def _attribute(self, node: ast.Attribute, owner: object, name: str) -> object:
        if name == "device":
            return _DEVICE
        match owner:
            case Arr():
                known: dict[str, object] = {"shape": owner.sizes, "dtype": owner.held.dtype}
                known["T"] = replace(owner, held=owner.held.T, origin="")
                return known.get(name, Dotted(f"{owner.library}..{name}", owner))
            case list():  # `append` and the like
                self._write()
            case Dotted(name=library, owner=None):
                kind = kind_called(name, library == "torch") if library in FLOATS else None
                return Dotted(f"{library}.{name}"[:99]) if kind is None else kind
        if isinstance(owner, Unknown):
            return owner
        return Unknown(f"{_shown(node)} isn't known")

    def _call(self, node: ast.Call, depth: int) -> object:
        shown = _shown(node.func)
        function = self._value(node.func, depth)
        args = [self._value(argument, depth) for argument in node.args]
        named = {each.arg or "**": self._value(each.value, depth) for each in node.keywords if each.arg not in IGNORED}
        name, owner = (function.name, function.owner) if isinstance(function, Dotted) else ("", None)
        if name not in FUNCTIONS:
            return self._other_call(node, shown, name, function)
        try:
            if self._tensors > MOST_TENSORS and name in MOVERS:
                raise Left("isn't read: the calls above are enough")
            made = call(name, args if owner is None else [owner, *args], named)
            return self._moved(node, shown, made, name.partition(".")[0])
        except Left as error:
            raise Left(f"{shown} {error}") from None

    def _other_call(self, node: ast.Call, shown: str, name: str, function: object) -> object:
        if function == _DEVICE:
            return function
        if name.endswith("_") or any(each.arg == "out" for each in node.keywords):
            self._forget(node)  # it writes in place
        if name.startswith("torch.set_default"):
            self._bound["torch"] = Unknown(f"line {self._line} changes the types that it gives")
        self.others += name.startswith(("numpy.", "torch."))
        if isinstance(function, Unknown) and isinstance(node.func, ast.Attribute):
            return function
        if foreign := _foreign(shown, name):
            raise Left(foreign)
        how = "expected one such as np.take, or a comment with the shape: # x: float32 (2, 3)"
        return Unknown(f"{shown} is no function that is read, {how}")

    def _moved(self, node: ast.expr, shown: str, made: object, library: str) -> object:
        self._read.add(node)
        if not isinstance(made, Moved):
            return replace(made, library=library) if isinstance(made, Arr) else made
        self._tensors += len(made.desc.inputs) + len(made.desc.outputs)
        item = Found(made.desc, shown, node.lineno, name=_shown(node))
        item.notes += [Note(f"{shown}: {note}.", node.lineno, told="note") for note in made.notes]
        for part, source in zip(made.desc.inputs, made.inputs, strict=True):
            if isinstance(source, Constant):
                item.values[part.path] = source
            elif source.is_known:
                item.values[part.path] = Listed(tuple(listed(source.held.reshape(-1))), part.tensor.sizes)
            elif isinstance(source.origin, tuple):
                item.reads[part.path] = source.origin
            elif source.origin:
                item.roots[part.path] = source.origin
        self.items.append(item)
        outputs = list[Arr]()
        for part in made.desc.outputs:
            if not part.tensor.can_exist:
                raise Left("makes no tensor that can exist")
            sizes = part.tensor.sizes if made.shape is None else made.shape
            origin = (item, part.path if part.field.many else "")
            outputs.append(replace(blank(sizes, part.tensor.data_type.dtype), library=library, origin=origin))
        return outputs if made.desc.outputs[0].field.many else outputs[0]
