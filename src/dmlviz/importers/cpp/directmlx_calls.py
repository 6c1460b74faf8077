"""Functions of DirectMLX that C++ tokens name, under whatever name they go, and what those make of literals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.indexing import put
from ...desc.tensors import TensorDesc
from ...operators.registry import operators
from .descs import LeftError, data_type, desc_of, scalar_of
from .expressions import Expressions
from .tokens import Tokens
from .values import Inverted, Output, Symbol, Unknown, Value, shown, why

_MEMBER = frozenset({"::", ".", "->", "~"})
"""Words before the name of something else's member."""
_NO_STRIDES = ("dml::NullOpt", "NullOpt", "nullopt", "nullptr")
_CALLING = frozenset({"return", "co_return", "co_yield", "throw", "case", "else", "do"})
"""Words before a call that are no type of what is declared."""


def function_of(kind: str) -> str:
    """The function of an operator's type in DirectMLX: `ReverseSubsequences`; `Slice` of SLICE1."""
    return kind.removeprefix("DML_OPERATOR_").title().replace("_", "").rstrip("0123456789")


class Names:
    """The names of DirectMLX's namespace and of what is used of it: `namespace d = dml;`, `using dml::Tile;`."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._spaces = {"dml"}
        self._free: set[str] = set()
        self._is_open = False
        """True where its functions go by their own names: behind `using namespace dml;`, and inside of it."""
        for i, text in enumerate(texts):
            if text == "namespace":
                name, *rest = [word for word in texts[i + 1 : i + 6] if word != "::"] or [""]
                if rest[:1] == ["="] and rest[1:2] and rest[1] in self._spaces:
                    self._spaces.add(name)
                self._is_open |= name in self._spaces and ("using" in texts[max(0, i - 1) : i] or rest[:1] == ["{"])
            elif text in self._spaces and _follows_using(texts, i) and texts[i + 1 : i + 2] == ["::"]:
                self._free.update(texts[i + 2 : i + 3])

    def functions(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The place and the name of each function that tokens name: `Tile` of `d::Tile`."""
        for i, text in enumerate(texts):
            before, after = texts[i - 1] if i else "", texts[i + 1] if i + 1 < len(texts) else ""
            if text in self._spaces and after == "::" and i + 2 < len(texts):
                if not _follows_using(texts, i):
                    yield i, texts[i + 2]
            elif (self._is_open or text in self._free) and after in ("(", "<") and before not in _MEMBER:
                is_declared = before.isidentifier() or before == ">"
                if not is_declared or before in _CALLING:
                    yield i, text


def _follows_using(texts: Sequence[str], i: int) -> bool:
    """True for the namespace of `using dml::Tile;` and `using ::dml::Tile;`."""
    before = texts[max(0, i - 2) : i]
    return before[-1:] == ["using"] or before == ["using", "::"]


def functions_named(tokens: Tokens) -> list[tuple[int, str]]:
    """Place and name of each DirectMLX function that tokens name; those in macros, used or not, at the directive."""
    names = Names(tokens.texts)
    functions = [*names.functions(tokens.texts)]
    for i, directive in tokens.directives.items():
        if directive[:1] == ["define"]:
            functions += [(i, name) for _, name in names.functions(directive)]
    return sorted(functions)


# ---- what they make ---------------------------------------------------------------------------------------------


class Call(msgspec.Struct):
    """What a function is given; each of its parameters is taken as what it has to be, or `LeftError` says why not."""

    memory: Expressions
    name: str
    given: list[Value]
    made: list[tuple[int, str] | None] = msgspec.field(default_factory=list)
    """What each of its input tensors is an output of, in order, once `desc` has read them."""

    def output(self) -> Value:
        """`InputTensor`, `TensorDesc` and `Reinterpret`: a tensor. Raises LeftError."""
        if self.name == "Reinterpret":
            return self._reinterpreted()
        if self.name == "InputTensor":
            self._require_count(3)
            if not isinstance(self.given[2], TensorDesc):
                raise self._error(2, "a dml::TensorDesc of a type and sizes", self.given[2])
            return Output(self.given[2])
        self._require_count(2, 3)
        kind = data_type(self.given[0])
        if kind is None:
            raise self._error(0, "a type", self.given[0])
        if len(self.given) == 3 and self.given[1] != Symbol("DML_TENSOR_FLAG_NONE"):
            raise self._error(1, "DML_TENSOR_FLAG_NONE", self.given[1])
        return TensorDesc(kind, self._numbers_argument(len(self.given) - 1))

    def _reinterpreted(self) -> Value:
        """The elements of an expression in other sizes, packed; of another type too, which makes it a new tensor."""
        self._require_count(3, 4)
        before, kind = self._tensor_argument(0), data_type(self.given[1]) if len(self.given) == 4 else None
        if len(self.given) == 4 and kind is None:
            raise self._error(1, "a type", self.given[1])
        if shown(self.given[-1]) not in _NO_STRIDES:
            raise self._error(len(self.given) - 1, "dml::NullOpt", self.given[-1])
        tensor = TensorDesc(kind or before.data_type, self._numbers_argument(len(self.given) - 2))
        return Output(tensor, self.made[0] if tensor.data_type is before.data_type else None)

    def desc(self) -> Desc:
        """The desc of an operator, whose inputs and numbers are given in their order; of several outputs the sizes
        along the axis come last. Raises LeftError.
        """
        kind = next((operator.desc for kind, operator in operators().items() if function_of(kind) == self.name), None)
        if kind is None:
            raise LeftError("it is no function that is known here")
        outputs = [field for field in kind.TENSORS if field.role is Role.OUTPUT]
        own = [field for field in kind.FIELDS if field not in outputs and field not in kind.COUNTS]
        parts = next((field.name for field in outputs if field.many), "")
        self._require_count(len(own) + bool(parts))
        fields: dict[str, object] = {}
        for place, field in enumerate(own):
            if isinstance(field, TensorField):
                fields[field.name] = self._tensors_argument(place) if field.many else self._tensor_argument(place)
            elif field.is_list:
                fields[field.name] = self._numbers_argument(place)
            elif field.choices() or isinstance(self.given[place], float):
                fields[field.name] = scalar_of(field, self.given[place])
            else:
                fields[field.name] = self._number_argument(place)
        if parts:
            whole, axis = self._tensor_argument(0), self._number_argument(len(own) - 1)
            if not 0 <= axis < len(whole.sizes):
                raise LeftError(f"the axis is {axis} for {len(whole.sizes)} dimensions")
            fields[parts] = [whole.resized(put(whole.sizes, axis, size)) for size in self._numbers_argument(len(own))]
        return desc_of(kind, fields)

    def _require_count(self, *counts: int) -> None:
        if len(self.given) not in counts:
            raise LeftError(f"it is given {len(self.given)} arguments, expected {' or '.join(map(str, counts))}")

    def _error(self, place: int, expected: str, value: Value) -> LeftError:
        """The error of an argument that isn't what was expected."""
        return LeftError(why(value) or f"argument {place + 1} is {shown(value)}, expected {expected} that can be read")

    def _tensor_argument(self, place: int) -> TensorDesc:
        value = self.given[place]
        if not isinstance(value, Output):
            raise self._error(place, "an expression", value)
        self.made.append(value.made)
        return value.tensor

    def _tensors_argument(self, place: int) -> list[TensorDesc]:
        parts = self.memory.elements(self.given[place])
        tensors = [] if isinstance(parts, Unknown) else [part.tensor for part in parts if isinstance(part, Output)]
        if isinstance(parts, Unknown) or len(tensors) != len(parts):
            raise self._error(place, "expressions", parts if isinstance(parts, Unknown) else self.given[place])
        self.made += [part.made for part in parts if isinstance(part, Output)]
        return tensors

    def _number_argument(self, place: int) -> int:
        value = self.given[place]
        if not isinstance(value, int) or isinstance(value, Inverted):
            raise self._error(place, "a number", value)
        return value

    def _numbers_argument(self, place: int) -> list[int]:
        numbers = self.memory.numbers(self.given[place])
        if numbers is None:
            parts = self.memory.elements(self.given[place])
            unread = [part for part in parts if isinstance(part, Unknown)] if isinstance(parts, list) else [parts]
            raise self._error(place, "numbers", unread[0] if unread else self.given[place])
        return numbers
