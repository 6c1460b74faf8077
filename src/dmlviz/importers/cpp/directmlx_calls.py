"""Functions of DirectMLX that C++ tokens name, under whatever name they go, and what those make of literals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...desc.base import Desc
from ...desc.indexing import put
from ...desc.tensors import TensorDesc
from ...operators.gather import Gather
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.split import Split
from ...operators.tile import Tile
from .descs import LeftError, data_type
from .expressions import Expressions
from .tokens import Tokens
from .values import Inverted, Output, Symbol, Unknown, Value, shown

_MEMBER = frozenset({"::", ".", "->", "~"})
"""Words before the name of something else's member."""
_CALLING = frozenset({"return", "co_return", "co_yield", "throw", "case", "else", "do"})
"""Words before a call that are no type of what is declared."""


class Names:
    """The names of DirectMLX's namespace and of what is used of it: `namespace d = dml;`, `using dml::Tile;`."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._spaces = {"dml"}
        self._free: set[str] = set()
        self._is_open = False
        """True where its functions go by their own names: behind `using namespace dml;`, and inside of it."""
        for i, text in enumerate(texts):
            if text == "namespace":
                named, *rest = [each for each in texts[i + 1 : i + 6] if each != "::"] or [""]
                if rest[:1] == ["="] and rest[1:2] and rest[1] in self._spaces:
                    self._spaces.add(named)
                self._is_open |= named in self._spaces and ("using" in texts[max(0, i - 1) : i] or rest[:1] == ["{"])
            elif text in self._spaces and _is_used(texts, i) and texts[i + 1 : i + 2] == ["::"]:
                self._free.update(texts[i + 2 : i + 3])

    def functions(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The place and the name of each function that tokens name: `Tile` of `d::Tile`."""
        for i, text in enumerate(texts):
            before, after = texts[i - 1] if i else "", texts[i + 1] if i + 1 < len(texts) else ""
            if text in self._spaces and after == "::" and i + 2 < len(texts):
                if not _is_used(texts, i):
                    yield i, texts[i + 2]
            elif (self._is_open or text in self._free) and after in ("(", "<") and before not in _MEMBER:
                declares = before.isidentifier() or before == ">"
                if not declares or before in _CALLING:
                    yield i, text


def _is_used(texts: Sequence[str], i: int) -> bool:
    """True for the namespace of `using dml::Tile;` and `using ::dml::Tile;`."""
    before = texts[max(0, i - 2) : i]
    return before[-1:] == ["using"] or before == ["using", "::"]


def functions_named(tokens: Tokens) -> list[tuple[int, str]]:
    """The place and the name of each function that is named; in a macro, whose place is its directive's.

    What a macro makes is taken for made, wherever that is.
    """
    names = Names(tokens.texts)
    found = [*names.functions(tokens.texts)]
    for i, directive in tokens.directives.items():
        if directive[:1] == ["define"]:
            found += [(i, name) for _, name in names.functions(directive)]
    return sorted(found)


# ---- what they make ---------------------------------------------------------------------------------------------


class Call(Struct):
    """What a function is given; each of its parameters is taken as what it has to be, or `LeftError` says why not."""

    memory: Expressions
    name: str
    given: list[Value]

    def output(self) -> Value:
        """`InputTensor` and `TensorDesc`: a tensor. Raises LeftError."""
        self._counts(3) if self.name == "InputTensor" else self._counts(2, 3)
        if self.name == "InputTensor":
            tensor = self.given[2]
            if not isinstance(tensor, TensorDesc):
                raise self._left(2, "a dml::TensorDesc of a type and sizes", tensor)
            return Output(tensor)
        kind = data_type(self.given[0])
        if kind is None:
            raise self._left(0, "a type", self.given[0])
        if len(self.given) == 3 and self.given[1] != Symbol("DML_TENSOR_FLAG_NONE"):
            raise self._left(1, "DML_TENSOR_FLAG_NONE", self.given[1])
        return TensorDesc(kind, self.numbers(len(self.given) - 1))

    def desc(self) -> Desc:
        """The desc of an operator. Raises LeftError."""
        if self.name == "Join":
            self._counts(2)
            parts = self.memory.elements(self.given[0])
            tensors = [] if isinstance(parts, Unknown) else [part.tensor for part in parts if isinstance(part, Output)]
            if isinstance(parts, Unknown) or len(tensors) != len(parts):
                raise self._left(0, "expressions", parts if isinstance(parts, Unknown) else self.given[0])
            return Join(tensors, self.number(1))
        if self.name == "Split":
            self._counts(3)
            whole, axis, sizes = self.tensor(0), self.number(1), self.numbers(2)
            if not 0 <= axis < len(whole.sizes):
                raise LeftError(f"the axis is {axis} for {len(whole.sizes)} dimensions")
            return Split(whole, [whole.resized(put(whole.sizes, axis, size)) for size in sizes], axis)
        if self.name == "Tile":
            self._counts(2)
            return Tile(self.tensor(0), self.numbers(1))
        if self.name == "ReverseSubsequences":
            self._counts(3)
            return ReverseSubsequences(self.tensor(0), self.tensor(1), self.number(2))
        if self.name == "Gather":
            self._counts(4)
            return Gather(self.tensor(0), self.tensor(1), self.number(2), self.number(3))
        raise LeftError("it is no function that is known here")

    def _counts(self, *counts: int) -> None:
        if len(self.given) not in counts:
            raise LeftError(f"it is given {len(self.given)} arguments, expected {' or '.join(map(str, counts))}")

    def _left(self, place: int, expected: str, value: Value) -> LeftError:
        if isinstance(value, Unknown) and value.why:
            return LeftError(value.why)
        return LeftError(f"argument {place + 1} is {shown(value)}, expected {expected} that can be read")

    def tensor(self, place: int) -> TensorDesc:
        value = self.given[place]
        if not isinstance(value, Output):
            raise self._left(place, "an expression", value)
        return value.tensor

    def number(self, place: int) -> int:
        value = self.given[place]
        if not isinstance(value, int) or isinstance(value, Inverted):
            raise self._left(place, "a number", value)
        return value

    def numbers(self, place: int) -> list[int]:
        value = self.given[place]
        numbers = self.memory.numbers(value)
        if numbers is None:
            parts = self.memory.elements(value)
            unread = [part for part in parts if isinstance(part, Unknown)] if isinstance(parts, list) else [parts]
            raise self._left(place, "numbers", unread[0] if unread else value)
        return numbers
