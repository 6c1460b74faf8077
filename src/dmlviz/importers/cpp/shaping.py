"""Types of C++ text, and what values become in a variable, a member or an element of them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node

from .directmlx import Expressions
from .values import (
    BYTES,
    FLOATS,
    Array,
    Braced,
    Made,
    Pointer,
    Thing,
    Unknown,
    Value,
    elements,
    is_struct,
    members,
    scalars,
    why,
)

MOST_LONG = 1 << 14
"""Elements of one array."""
VECTORS = ("vector", "initializer_list", "InlinedVector", "SmallVector", "Dimensions", "TensorDimensions")
ARRAYS = ("array", *VECTORS)
TENSOR_DESC = "dml::TensorDesc"


class Kind(Struct, frozen=True):
    """A type: its last word, what is in its angle brackets or brackets, and how many elements it says."""

    name: str
    of: Kind | None = None
    count: Value = None
    is_pointer: bool = False
    is_mutable: bool = False
    """It is a pointer or a reference by which something may be set."""

    @property
    def inner(self) -> str:
        """Of an array the type of its elements; empty for pointers and others."""
        return "" if self.of is None or self.of.is_pointer else self.of.name

    @property
    def is_known(self) -> bool:
        """True where it is known what a value becomes in it."""
        own = (*ARRAYS, TENSOR_DESC, "auto", "Expression")
        return self.is_pointer or self.name in own or is_struct(self.name) or self.name in scalars()


class Shapes(Expressions):
    """Shapes values by types."""

    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        super().__init__(data, doomed)
        self.types: dict[str, Kind] = {}
        """Other names of types; one that stands for two is none."""
        self.made: list[list[Made]] = [[]]
        """The structs of operators of each block."""

    def value(self, node: Node) -> Value:
        """What an expression stands for."""
        raise NotImplementedError

    def kind(self, node: Node | None) -> Kind:
        """The type that a node names, or that is in the angle brackets of a cast that it names."""
        text, declarator = self.text(node), ""
        if node is not None and node.type == "type_descriptor":
            declarator = self.text(node.child_by_field_name("declarator"))
            node = node.child_by_field_name("type")
        is_pointer = "*" in declarator or "&" in declarator
        is_mutable = is_pointer and "const" not in text.removesuffix(declarator)
        is_tensor = self.function_named(self.text(node)) == "TensorDesc"
        while node is not None and node.type in ("qualified_identifier", "struct_specifier"):
            node = node.child_by_field_name("name")
        name, of, count = self.text(node), None, None
        if node is not None and node.type in ("template_type", "template_function"):
            name, brackets = (self.text(node.child_by_field_name("name")), node.child_by_field_name("arguments"))
            parts = brackets.named_children if brackets is not None else []
            of = self.kind(parts[0]) if parts else None
            count = self.value(parts[1]) if name == "array" and len(parts) > 1 else None
        kind = Kind(TENSOR_DESC if is_tensor else name, of, count, is_pointer=is_pointer, is_mutable=is_mutable)
        alias = self.types.get(name, kind)
        kind = (
            kind if alias is kind else replace(alias, is_pointer=alias.is_pointer or is_pointer, is_mutable=is_mutable)
        )
        return Kind("array", kind) if "[" in declarator else kind

    def born(self, node: Node) -> dict[str, Any]:
        """What is true of each thing that is made here."""
        return {"key": node.start_byte, "level": len(self.branches), "lost": self.doomed.get(node.start_byte, "")}

    def held(self, value: Value, kind: str, node: Node) -> Value:
        """What a value is in a variable, a member or an element of a type; that of pointers is empty."""
        if is_struct(kind):
            return self.struct(value, kind, node) if isinstance(value, Braced) or value is None else self.copied(value)
        if isinstance(value, Array) and value.is_c:
            value = Pointer(value)  # it decays
        if kind in ("", "auto", "Expression") or isinstance(value, Unknown):
            return value
        if isinstance(value, Braced) and len(value.parts) < 2:
            value = value.parts[0][1] if value.parts else 0
        is_cut = isinstance(value, float) and kind in BYTES and kind not in FLOATS
        is_cut |= isinstance(value, int) and BYTES.get(kind, 8) < 3 and not 0 <= value < (2 if kind == "bool" else 128)
        if isinstance(value, (Braced, Thing)) or is_cut:
            return Unknown(f"{self.says(node, 'fills')} as a {kind}")
        return float(value) if kind in FLOATS and isinstance(value, int) else value

    def struct(self, given: Braced | None, kind: str, node: Node) -> Value:
        """A struct of DirectML of what stands in braces, if any."""
        parts, names = given.parts if given is not None else [], members().get(kind, ())
        line = node.start_point.row + 1
        made = Made(**self.born(node), kind=kind, line=line, is_cleared=given is not None)
        if names and (len(parts) > len(names) or any(name not in ("", *names) for name, _, _ in parts)):
            made.lost = f"{self.says(node, 'has', str(len(parts)))} initialisers for the {len(names)} of a {kind}"
        for i, (name, value, spot) in enumerate(parts):
            member = name or (names[i] if i < len(names) else str(i))
            made.members[member], made.spots[member] = self.held(value, "", spot), spot
        self.made[-1].append(made)
        return made

    def copied(self, value: Value) -> Value:
        """A copy of a struct or an array that has a name already; it is as long known as what it becomes."""
        if not isinstance(value, (Made, Array)) or not value.name:
            return value
        if value.lost:
            return Unknown(value.lost)
        own: dict[str, Any] = {"key": value.key, "level": len(self.branches), "kind": value.kind}
        if isinstance(value, Array):
            self.room -= len(value.items)
            items = [self.copied(item) for item in value.items] if self.room > 0 else []
            made = Array(**own, items=items, is_c=value.is_c, is_long=value.is_long)
            return made if self.room > 0 else Unknown("all arrays have too many elements")
        struct = Made(**own, line=value.line, is_cleared=value.is_cleared)
        struct.members, struct.spots = dict(value.members), dict(value.spots)
        self.made[-1].append(struct)
        return struct

    def array(self, value: Value, kind: Kind, node: Node, *, is_c: bool = False) -> Value:
        """An array of what stands in braces, or of another array; its kind says of what, and how long it is."""
        inner, count = kind.inner, kind.count
        made = Array(**self.born(node), kind=inner, is_c=is_c, is_long=kind.name in VECTORS)
        if isinstance(value, (Array, Unknown)) and not is_c:
            return self.copied(value)
        parts = value.parts if isinstance(value, Braced) else []
        if len(parts) == 1 and isinstance(own := parts[0][1], Braced):
            is_doubled = not is_struct(inner) or any(isinstance(part, Braced) for _, part, _ in own.parts)
            parts = own.parts if is_doubled else parts
        length = len(parts) if count is None else count
        if not isinstance(length, int) or not (value is None or isinstance(value, Braced)) or any(p[0] for p in parts):
            return Unknown(why(count) or f"{self.says(node, 'fills')} by what isn't read")
        if len(parts) > length:
            return Unknown(f"{self.says(node, 'has', str(len(parts)))} initialisers for {length} elements")
        self.room -= length
        if length > MOST_LONG or self.room < 0 or (value is None and count is None and not made.is_long):
            return Unknown(f"{self.says(node, 'makes')} of {length} elements")
        made.items = [self.held(part, inner, spot) for _, part, spot in parts]
        made.spots = {i: spot for i, (_, _, spot) in enumerate(parts)}
        if isinstance(value, Braced):
            made.spots[""] = value.node
        made.items += self.blank(inner, length - len(parts), node, is_set=value is not None)
        return made

    def blank(self, kind: str, count: int, node: Node, *, is_set: bool) -> list[Value]:
        """Elements that nothing was given for: 0 each, or never set."""
        if is_struct(kind):
            return [self.struct(Braced([], node) if is_set else None, kind, node) for _ in range(count)]
        return [0 if is_set else Unknown(f"{self.says(node, 'leaves')} without values")] * count

    def array_of(self, given: list[Value], kind: Kind, node: Node) -> Value:
        """`(3)`, `(3, value)`, `(other)` or `(begin, end)` behind a vector's type."""
        first, made = given[0] if given else None, Array(**self.born(node), kind=kind.inner, is_long=True)
        if not given or (len(given) == 1 and isinstance(first, (Braced, Array))):
            return self.array(first, kind, node)
        if len(given) == 2 and isinstance(first, Pointer) and isinstance(last := given[1], Pointer):
            items = elements(first)
            if first.to is last.to and isinstance(items, list):
                made.items = [self.copied(item) for item in items[: last.at - first.at]]
                return made
        if isinstance(first, int) and 0 <= first <= min(MOST_LONG, self.room) and len(given) < 3:
            self.room -= first
            made.items = self.blank(kind.inner, first if len(given) == 1 else 0, node, is_set=True)
            if len(given) == 2:
                if isinstance(given[1], Made):
                    given[1].name = given[1].name or kind.inner  # so that each is a copy
                made.items = [self.copied(self.held(given[1], kind.inner, node)) for _ in range(first)]
            return made
        return Unknown(why(*given) or f"{self.says(node, 'makes')} of what isn't read")
