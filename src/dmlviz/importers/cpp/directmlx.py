"""Functions of DirectMLX, under whatever name they go, and what they make of literals."""

from __future__ import annotations

import re

from tree_sitter import Node

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.indexing import put
from ...desc.tensors import TensorDesc
from ...errors import plain
from ...operators.registry import operators
from ..lib.found import Found
from ..lib.imported import Note
from . import function_of
from .descs import Descs, desc_of, integer, scalar
from .values import Array, LeftError, Output, Symbol, Unknown, Value, data_type, elements, shown, why

_NO_STRIDES = ("dml::NullOpt", "NullOpt", "nullopt", "nullptr")


class Expressions(Descs):
    """Takes the descs that DirectMLX's functions make."""

    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        super().__init__(data, doomed)
        self.functions = {function_of(kind): operator for kind, operator in operators().items()}
        self.spaces = {"dml"}
        """What its namespace is called."""
        self.free: set[str] = set()
        """Functions that go by their own names."""
        self.is_open = False
        """True where all do: behind `using namespace dml;`, and inside of it."""

    def function_named(self, text: str) -> str:
        """The function of DirectMLX that a callee names; empty for another."""
        space, _, name = text.removeprefix("::").rpartition("::")
        if space in self.spaces or (not space and (self.is_open or name in self.free)):
            return name
        return ""

    def use(self, node: Node) -> None:
        """`using dml::Tile;`, `using namespace dml;`, `namespace d = dml;`."""
        words = re.findall(r"\w+", self.text(node))
        if words[:1] == ["namespace"] and words[-1] in self.spaces:
            self.spaces.add(words[1])
        elif words[:2] == ["using", "namespace"]:
            self.is_open |= words[-1] in self.spaces
        elif words[:1] == ["using"] and len(words) > 2 and words[-2] in self.spaces:
            self.free.add(words[-1])

    def note_unread(self, name: str, node: Node, said: str) -> None:
        """Notes that a function that makes an operator isn't read."""
        if name in self.functions:
            sentence = f"dml::{name} of DirectMLX isn't read{said} expected a {self.functions[name].page}."
            self.items.append(Note(sentence, node.start_point.row + 1, unchecked=True))

    def made_by(self, name: str, given: list[Value], node: Node) -> Value:
        """What a function gives; the desc of an operator's is taken."""
        try:
            if name == "TensorDesc":
                return self.tensor_desc(given)
            if name == "InputTensor":
                _require_count(given, 3)
                if not isinstance(given[2], TensorDesc):
                    raise _error(given, 2, "a dml::TensorDesc of a type and sizes")
                return Output(given[2])
            if name == "Reinterpret":
                return self._reinterpreted(given)
            if name not in self.functions:
                return Unknown(self.says(node, "calls", f"dml::{name}"))
            reads: list[tuple[Found, str] | None] = []
            desc = self._desc_of_call(self.functions[name].desc, given, reads)
        except LeftError as error:
            self.note_unread(name, node, f": {plain(str(error), 200)};")
            return Unknown(f"{self.says(node, 'calls', f'dml::{name}')}: {error}")
        read = zip(desc.inputs, reads, strict=False)  # a function may look at one of them twice
        found = Found(desc, f"dml::{name}", node.start_point.row + 1)
        found.reads = {part.path: made for part, made in read if made is not None}
        self.take(found)
        outputs = [Output(part.tensor, (found, part.path if part.field.many else "")) for part in desc.outputs]
        if any(field.many and field.role is Role.OUTPUT for field in desc.TENSORS):
            return Array(key=node.start_byte, level=len(self.branches), kind="", items=[*outputs], is_long=True)
        return outputs[0] if outputs else Unknown(f"dml::{name}")

    def tensor_desc(self, given: list[Value]) -> TensorDesc:
        """A `dml::TensorDesc` of a type, perhaps flags, and sizes. Raises LeftError."""
        _require_count(given, 2, 3)
        kind = data_type(given[0])
        if kind is None:
            raise _error(given, 0, "a type")
        if len(given) == 3 and given[1] != Symbol("DML_TENSOR_FLAG_NONE"):
            raise _error(given, 1, "DML_TENSOR_FLAG_NONE")
        return TensorDesc(kind, self.integers(given[-1], "sizes"))

    def _reinterpreted(self, given: list[Value]) -> Output:
        """The elements of an expression in other sizes, packed; of another type too, which makes it a new tensor."""
        _require_count(given, 3, 4)
        before = _output(given, 0)
        kind = data_type(given[1]) if len(given) == 4 else before.tensor.data_type
        if kind is None:
            raise _error(given, 1, "a type")
        if shown(given[-1]) not in _NO_STRIDES:
            raise _error(given, len(given) - 1, "dml::NullOpt")
        tensor = TensorDesc(kind, self.integers(given[-2], "sizes"))
        return Output(tensor, before.made if kind is before.tensor.data_type else None)

    def _desc_of_call(self, kind: type[Desc], given: list[Value], reads: list[tuple[Found, str] | None]) -> Desc:
        """The desc of an operator, whose inputs and numbers are given in their order; of several outputs the sizes
        along the axis come last. Raises LeftError.
        """
        outputs = [field for field in kind.TENSORS if field.role is Role.OUTPUT]
        own = [field for field in kind.FIELDS if field not in outputs and field not in kind.COUNTS]
        parts = next((field.name for field in outputs if field.many), "")
        _require_count(given, len(own) + bool(parts))
        fields: dict[str, object] = {}
        for place, field in enumerate(own):
            if isinstance(field, TensorField):
                several = elements(given[place]) if field.many else [given[place]]
                if not isinstance(several, list):
                    raise LeftError(why(several) or _error(given, place, "expressions").args[0])
                read = [_output(several, i) for i in range(len(several))]
                reads += [one.made for one in read]
                fields[field.name] = [one.tensor for one in read] if field.many else read[0].tensor
            elif field.is_list:
                fields[field.name] = self.integers(given[place], f"argument {place + 1}")
            else:
                fields[field.name] = scalar(field, given[place])
        if parts:
            whole, axis = _output(given, 0).tensor, integer(given[len(own) - 1], "the axis")
            if not 0 <= axis < len(whole.sizes):
                raise LeftError(f"the axis is {axis} for {len(whole.sizes)} dimensions")
            sizes = self.integers(given[len(own)], f"argument {len(own) + 1}")
            fields[parts] = [whole.resized(put(whole.sizes, axis, size)) for size in sizes]
        return desc_of(kind, fields)


def _require_count(given: list[Value], *counts: int) -> None:
    if len(given) not in counts:
        raise LeftError(f"it is given {len(given)} arguments, expected {' or '.join(map(str, counts))}")


def _error(given: list[Value], place: int, expected: str) -> LeftError:
    """The error of an argument that isn't what was expected."""
    value = given[place]
    return LeftError(why(value) or f"argument {place + 1} is {shown(value)}, expected {expected} that can be read")


def _output(given: list[Value], place: int) -> Output:
    value = given[place]
    if not isinstance(value, Output):
        raise _error(given, place, "an expression")
    return value
