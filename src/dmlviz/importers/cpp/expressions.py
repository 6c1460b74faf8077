"""What expressions of C++ stand for, and what they set."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

from msgspec import Struct
from tree_sitter import Node

from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc
from .descs import built, integer
from .names import number
from .shaping import ARRAYS, MOST_LONG, TENSOR_DESC, Kind, Shapes
from .values import (
    BYTES,
    Array,
    Braced,
    Inverted,
    LeftError,
    Made,
    Pointer,
    Symbol,
    Thing,
    Unknown,
    Value,
    Variable,
    data_type,
    elements,
    is_null,
    is_struct,
    pointer_of,
    scalars,
    target,
    why,
)

_CREATES = ("CreateOperator", "DML_CREATE_OPERATOR", "dml_dump", "CreateOperatorNode")
_CASTS = ("static_cast", "narrow_cast", "narrow", "checked_cast", "const_cast", "reinterpret_cast")
_LOOKING = ("size", "ssize", "_countof", "ARRAYSIZE", "data", "begin", "cbegin", "end", "cend")
_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_MOST_DEEP = 60


class Spot(Struct, frozen=True, eq=False):
    """What can be set: a variable, a struct's member or an array's element; without a key all of it."""

    of: Thing
    key: str | int = ""

    @property
    def name(self) -> str:
        return f"{self.of.name}[{self.key}]" if isinstance(self.key, int) else self.key or self.of.name


class Values(Shapes):
    """Carries out expressions."""

    depth = 0

    def run_later(self, node: Node, how: str, *parameters: Node | None) -> None:
        """Carries out the body of a function or a lambda."""
        raise NotImplementedError

    def value(self, node: Node) -> Value:
        """What an expression stands for; structs and arrays that have a name are themselves."""
        read: Callable[[Node], Value] | None = getattr(self, f"_of_{node.type}", None)
        self.depth += 1
        try:
            if read is not None and self.depth <= _MOST_DEEP:
                return read(node)
        finally:
            self.depth -= 1
        self.escape_names(node, "gives")
        return self.unread(node)

    def part(self, node: Node, name: str) -> Node:
        """A part of a node that the grammar promises."""
        return node.child_by_field_name(name) or node.named_children[0]

    def unread(self, node: Node, *values: Value) -> Unknown:
        """The value of what isn't read, or of what is computed of something that isn't known."""
        return Unknown(why(*values) or f"{self.says(node, 'gives')}, expected what stands in the text")

    # ---- literals -------------------------------------------------------------------------------------------------

    def _of_number_literal(self, node: Node) -> Value:
        found = number(self.text(node))
        return self.unread(node) if found is None else found

    def _of_identifier(self, node: Node) -> Value:
        name = self.text(node)
        level = name.removeprefix("DML_FEATURE_LEVEL_")
        self.level = next((one for one in FeatureLevel if one.value == level), self.level)
        return self.named(name)

    _of_true = _of_false = _of_null = _of_identifier

    def _of_qualified_identifier(self, node: Node) -> Value:
        text, last = self.text(node), self.text(node).rpartition("::")[2]
        self.note_unread(self.function_named(text), node, ",")  # by its address
        return Symbol(last if last.startswith("DML_") else text)

    def _of_parenthesized_expression(self, node: Node) -> Value:
        return [None, *(self.value(child) for child in node.named_children if child.type != "comment")][-1]

    _of_comma_expression = _of_parameter_pack_expansion = _of_parenthesized_expression

    def _of_initializer_list(self, node: Node) -> Braced:
        parts: list[tuple[str, Value, Node]] = []
        for child in node.named_children:
            if child.type == "initializer_pair":
                spot, names = self.part(child, "value"), child.children_by_field_name("designator")
                name = self.text(names[0]).removeprefix(".") if len(names) == 1 else "?"
                parts.append((name, self.value(spot), spot))
            elif child.type != "comment":
                parts.append(("", self.value(child), child))
        return Braced(parts, node)

    def _of_compound_literal_expression(self, node: Node) -> Value:
        return self.filled(self.kind(node.child_by_field_name("type")), self.part(node, "value"), node)

    def filled(self, kind: Kind, given: Node | None, node: Node) -> Value:
        """A value of a type, of what it is given in braces, in parentheses, behind `=` or not at all."""
        if given is None:
            return self.built(kind, [], node)
        if not kind.is_known and given.type in ("initializer_list", "argument_list"):
            self.escape_names(given, "gives")
        if given.type == "argument_list":
            return self.built(kind, [self.value(child) for child in given.named_children], node)
        value = self.value(given) if kind.is_known else self.give(given, f"a {kind.name}")
        if kind.name in ARRAYS:
            return self.array(value, kind, node)
        return self.built(kind, [value], node)

    def built(self, kind: Kind, values: list[Value], node: Node) -> Value:
        """A value of a type whose initialisers stand in parentheses."""
        first = values[0] if values else None
        if kind.name in ARRAYS:
            return self.array_of(values, kind, node)
        if kind.name == TENSOR_DESC:
            own = first.parts if isinstance(first, Braced) else []
            return self.made_by("TensorDesc", [part for _, part, _ in own] or values, node) if values else None
        if len(values) > 1 or (isinstance(first, Braced) and (kind.name == "auto" or not kind.is_known)):
            return self.unread(node)
        if first is None and not is_struct(kind.name):
            return Unknown(f"{self.says(node, 'leaves')} without a value")
        return self.held(self.copied(first) if kind.name == "auto" else first, kind.name, node)

    def _of_lambda_expression(self, node: Node) -> Value:
        inits = [one for one in self.part(node, "captures").children if one.type == "lambda_capture_initializer"]
        for one in inits:
            self.give(self.part(one, "right"), "a lambda")
        declarator = node.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        self.run_later(self.part(node, "body"), "in a lambda", parameters, *(self.part(one, "left") for one in inits))
        return self.unread(node)

    # ---- places ---------------------------------------------------------------------------------------------------

    def spot(self, node: Node) -> Spot | Value:
        """The place that an expression names, or the value of one that names none."""
        if node.type == "parenthesized_expression" and len(node.named_children) == 1:
            return self.spot(node.named_children[0])
        if node.type == "identifier" or (
            node.type == "field_expression" and self.part(node, "argument").type == "this"
        ):
            name = self.text(self.part(node, "field") if node.type == "field_expression" else node)
            found = self.find(name) if name not in self.macros else None
            return self.value(node) if found is None else Spot(held_by(found))
        if node.type == "field_expression" and "*" in self.text(node.child_by_field_name("operator")):
            self.escape_names(node, "sets")
            return self.unread(node)
        if node.type == "field_expression":
            owner = self.value(self.part(node, "argument"))
            made = target(owner)
            if isinstance(made, Made):
                return Spot(made, self.text(self.part(node, "field")))
            return made if isinstance(made, Unknown) else Symbol(self.text(node))
        if node.type == "subscript_expression":
            indices = self.part(node, "indices").named_children
            return self.element(
                self.value(self.part(node, "argument")), self.value(indices[0]) if indices else None, node
            )
        if node.type == "pointer_expression" and self.text(node)[0] == "*":
            return self.element(self.value(self.part(node, "argument")), 0, node)
        if node.type == "call_expression" and (function := self.part(node, "function")).type == "field_expression":
            name, given = self.text(self.part(function, "field")), self.arguments(node)
            owner = self.value(self.part(function, "argument")) if name in ("at", "front", "back") else None
            if isinstance(owner, Array):
                last = len(owner.items) - 1 if name == "back" else 0
                return self.element(owner, self.value(given[0]) if given else last, node)
        return self.value(node)

    def arguments(self, node: Node) -> list[Node]:
        return [child for child in self.part(node, "arguments").named_children if child.type != "comment"]

    def element(self, owner: Value, index: Value, node: Node) -> Spot | Value:
        """An element of what a value leads to."""
        pointer = pointer_of(owner)
        if not isinstance(pointer, Pointer):
            return Symbol(self.text(node)) if isinstance(owner, Symbol) else self.unread(node, owner)
        to, at = pointer.to, pointer.at + index if isinstance(index, int) else -1
        if isinstance(to, Made) and at == 0:
            return Spot(to)
        if isinstance(to, Array) and 0 <= at < len(to.items):
            item = to.items[at]
            return Spot(item) if isinstance(item, Made) else Spot(to, at)
        return self.unread(node)

    def read(self, spot: Spot | Value) -> Value:
        """What is at a place."""
        if not isinstance(spot, Spot):
            return spot
        of, key = spot.of, spot.key
        if isinstance(of, (Made, Array)) and key == "":
            return of
        if of.lost:
            return Unknown(of.lost)
        if isinstance(of, Made):
            return of.members.get(str(key), 0 if of.is_cleared else Unknown(f"{key} is never set"))
        if isinstance(of, Array):
            return of.items[int(key)]
        return of.value if isinstance(of, Variable) else None

    def write(self, spot: Spot | Value, value: Value, node: Node, given: Node) -> None:
        """Sets what is at a place, which `node` names, to a value, which stands at `given`."""
        if not isinstance(spot, Spot):
            self.escape(value, self.says(node, "sets"))
            self.escape_names(node, "sets")
            self.damage(node, "", mark="")
            return
        of, key = spot.of, spot.key
        if not self.may_set(of, spot.name, node):
            self.escape(value, self.says(node, "sets", spot.name))
        elif isinstance(of, Variable):
            before, of.value = of.value, self.held(value, of.kind, node)
            self.escape(before if isinstance(of.value, Unknown) else None, self.says(node, "sets"))
        elif isinstance(of, Made) and key:
            of.members[str(key)], of.spots[str(key)] = self.held(value, "", given), given
        elif isinstance(of, Made):
            made = self.held(value, of.kind, given)
            of.lost = "" if isinstance(made, Made) and made.kind == of.kind else self.unread(node, made).why
            if isinstance(made, Made):
                of.members, of.spots, of.is_cleared = made.members, made.spots, made.is_cleared
                made.is_told = True
        elif isinstance(of, Array) and isinstance(key, int):
            of.items[key], of.spots[key] = self.held(value, of.kind, given), given
        elif isinstance(of, Array):
            kind = Kind("vector", Kind(of.kind)) if of.is_long else Kind("array", Kind(of.kind), len(of.items))
            made = self.array(value, kind, given)
            if isinstance(made, Array) and not of.is_c and (of.is_long or len(made.items) == len(of.items)):
                of.items, of.spots = self.adopted(of, made.items), made.spots
            else:
                of.lost = self.unread(node, made).why

    def adopted(self, array: Array, items: list[Value]) -> list[Value]:
        """Items as elements of an array, known as long as that is."""
        for item in items:
            if isinstance(item, Made):
                item.key, item.level, item.name = array.key, array.level, array.name
        return items

    def _of_subscript_expression(self, node: Node) -> Value:
        return self.read(self.spot(node))

    def _of_field_expression(self, node: Node) -> Value:
        is_own = self.part(node, "argument").type == "this"
        return self.named(self.text(self.part(node, "field"))) if is_own else self.read(self.spot(node))

    def _of_pointer_expression(self, node: Node) -> Value:
        """`*p` and `&x`."""
        if self.text(node)[0] == "*":
            return self.read(self.spot(node))
        spot = self.spot(self.part(node, "argument"))
        if not isinstance(spot, Spot):
            self.escape_parts(self.part(node, "argument"), "gives")
            return pointer_of(spot)
        if isinstance(spot.of, Array):
            return Pointer(spot.of, int(spot.key or 0))
        if isinstance(spot.of, Made) and not spot.key:
            spot.of.handed = "" if spot.of.lost else spot.of.handed
            return Pointer(spot.of)
        self.escape(spot.of, self.says(node, "gives"))
        return Unknown(self.says(node, "gives"))

    # ---- signs ----------------------------------------------------------------------------------------------------

    def _of_unary_expression(self, node: Node) -> Value:
        value, sign = self.value(self.part(node, "argument")), self.text(node)[0]
        if isinstance(value, (int, float)) and sign in "+-":
            return -value if sign == "-" else value
        if isinstance(value, int) and sign == "~":
            return Inverted(~value)
        self.escape(value, self.says(node, "gives"))
        return self.unread(node, value)

    def _of_binary_expression(self, node: Node) -> Value:
        left_node, right_node = self.part(node, "left"), self.part(node, "right")
        sign = self.text(node.child_by_field_name("operator"))
        name, first = (re.sub(r"^sizeof|[\s()]", "", self.text(one)) for one in (left_node, right_node))
        if {left_node.type, right_node.type} == {"sizeof_expression"} and first in (f"{name}[0]", f"*{name}"):
            array = self.named(name)
            return len(array.items) if isinstance(array, Array) and array.is_c else self.unread(node)
        left, is_choice = self.value(left_node), sign in ("&&", "||", "and", "or")
        self.branches += ["under a condition"] * is_choice
        right = self.value(right_node)
        self.branches = self.branches[: len(self.branches) - is_choice]
        if sign in ("<<", ">>", "&") and not isinstance(left, (int, float)):
            self.escape_parts(right_node, "gives")  # to a stream
        return self.combined(left, sign, right, node)

    def combined(self, left: Value, sign: str, right: Value, node: Node) -> Value:
        """What a sign makes of two values."""
        if isinstance(left, int) and isinstance(right, int) and sign in _COMPUTED:
            odd = sum(isinstance(one, Inverted) for one in (left, right))
            is_plain = min(left, right) >= 0 or (sign in "+-*" and not odd) or (sign == "&" and odd == 1)
            is_plain &= max(abs(left), abs(right)) < 2**40 and (right != 0 or sign not in "/%")
            made = _COMPUTED[sign](left, right) if is_plain and (sign[0] not in "<>" or right < 32) else 2**32
            return int(made) if -(2**31) <= made < 2**32 else self.unread(node)
        pointer = Pointer(left) if isinstance(left, Array) and left.is_c else left
        if isinstance(pointer, Pointer) and isinstance(pointer.to, Array) and sign == "+" and type(right) is int:
            return Pointer(pointer.to, pointer.at + right)
        if isinstance(left, Symbol) and isinstance(right, Symbol) and sign == "|":
            return Symbol(f"{left.name} | {right.name}")
        for value in (left, right):
            self.escape(value, self.says(node, "gives"))
        return self.unread(node, left, right)

    def _of_sizeof_expression(self, node: Node) -> Value:
        size = BYTES.get(self.kind(node.child_by_field_name("type")).name)
        return self.unread(node) if size is None else size

    def _of_conditional_expression(self, node: Node) -> Value:
        self.value(self.part(node, "condition"))
        self.branches.append("under a condition")
        for name in ("consequence", "alternative"):
            self.escape(self.value(self.part(node, name)), self.says(node, "gives"))
        self.branches.pop()
        return Unknown(f"{self.says(node, 'gives')} under a condition")

    def _of_update_expression(self, node: Node) -> Value:
        place = self.part(node, "argument")
        spot = self.spot(place)
        before = self.read(spot)
        after = self.combined(before, self.text(node.child_by_field_name("operator"))[0], 1, node)
        self.write(spot, after, place, node)
        return after if node.children[0] != place else before

    def _of_assignment_expression(self, node: Node) -> Value:
        left, right = self.part(node, "left"), self.part(node, "right")
        sign, value, spot = self.text(node.child_by_field_name("operator"))[:-1], self.value(right), self.spot(left)
        if sign:
            value = self.combined(self.read(spot), sign, value, node)
        self.write(spot, value, left, right)
        return self.read(spot)

    # ---- calls ----------------------------------------------------------------------------------------------------

    def _of_cast_expression(self, node: Node) -> Value:
        return self.cast(self.kind(node.child_by_field_name("type")), self.part(node, "value"), node)

    def cast(self, kind: Kind, given: Node, node: Node) -> Value:
        """A value of another type; by a pointer or a reference const may be set too."""
        value = self.value(given)
        if kind.is_mutable:
            self.escape(value, self.says(node, "sets"), fixed=True)
            self.escape_names(given, "sets", fixed=True)
        if kind.is_pointer:
            return self.unread(node) if kind.is_mutable else self.held(value, "", node)
        return self.held(value, kind.name, node) if kind.name in scalars() else self.unread(node, value)

    def _of_call_expression(self, node: Node) -> Value:
        function, given = self.part(node, "function"), self.arguments(node)
        callee = self.text(function).partition("<")[0].strip()
        name = re.split(r"::|\.|->", callee)[-1].strip()
        owner_node = self.part(function, "argument") if function.type == "field_expression" else None
        if name in _CREATES:
            for value in [self.value(one) for one in given]:
                self.finish(value)
            return self.unread(node)
        if owner_node is None and (own := self.function_named(callee)):
            return self.made_by(own, [self.value(one) for one in given], node)
        if owner_node is not None and name in ("at", "front", "back"):
            return self.read(self.spot(node))
        kind = Kind(name) if name in scalars() else self.kind(function)
        if owner_node is None and len(given) == 1 and (name in scalars() or name in _CASTS):
            return self.cast(kind.of or kind, given[0], node)
        if kind.name in ARRAYS and function.type != "identifier":
            return self.array_of([self.value(one) for one in given], kind, node)
        looked = [owner_node] if owner_node is not None else given
        if len(looked) == 1 and len(given) == (owner_node is None) and name in (*_LOOKING, "as_const", "move"):
            value = self.value(looked[0])
            if isinstance(value, Array) and name in _LOOKING[:4]:
                return Unknown(value.lost) if value.lost else len(value.items)
            if isinstance(value, Array) and name in _LOOKING:
                return Pointer(value, len(value.items) if name in ("end", "cend") else 0)
            if name in ("move", "as_const") and not isinstance(value, Pointer):
                made = self.copied(value)
                self.escape(value if name == "move" else None, self.says(node, "gives"))
                return made
        if name == "DMLCalcBufferTensorSize" and len(given) == 4:
            return self._calculated(given, node)
        if owner_node is not None:
            spot = self.spot(owner_node)
            owner = self.read(spot)
            if (
                isinstance(owner, Array)
                and owner.is_long
                and name in ("push_back", "emplace_back", "resize", "reserve")
            ):
                return self._grown(owner, name, given, node)
            self.escape(owner, self.says(node, "calls"))
            self.escape(spot.of if isinstance(spot, Spot) else None, self.says(node, "calls"))
        elif function.type not in ("identifier", "qualified_identifier", "template_function"):
            self.escape(self.value(function), self.says(node, "calls"))
        is_macro = name in self.macros
        self.branches += ["in a macro"] * is_macro
        for one in given:
            self.give(one, f"{name}()")
        self.branches = self.branches[: len(self.branches) - is_macro]
        return Unknown(f"{self.says(node, 'calls', name)}()")

    def _calculated(self, given: list[Node], node: Node) -> Value:
        """The bytes of a packed tensor, by its type, count and sizes."""
        kind, count, sizes, strides = (self.value(one) for one in given)
        type_, held = data_type(kind), elements(sizes)
        try:
            if type_ is None or not isinstance(held, list) or not is_null(strides) or integer(count, "") > len(held):
                return self.unread(node, kind, count, strides)
            return built(TensorDesc, type_, [integer(one, "a size") for one in held[: integer(count, "")]]).total_bytes
        except LeftError as error:
            return Unknown(str(error))

    def _grown(self, array: Array, name: str, given: list[Node], node: Node) -> Value:
        """A vector with elements put behind its others."""
        values, count = [self.value(one) for one in given], len(array.items)
        items: list[Value] = []
        is_read = name == "reserve" or self.may_set(array, array.name, node)
        if name in ("push_back", "emplace_back") and len(values) == 1:
            items = [self.held(values[0], array.kind, given[0])]
            array.spots[count] = given[0]
        elif name == "resize" and isinstance(first := values[0], int) and count <= first <= MOST_LONG:
            items = self.blank(array.kind, first - count, node, is_set=True)
            items = [self.held(values[1], array.kind, node) for _ in items] if len(values) > 1 else items
        elif name != "reserve":
            is_read = False
        self.room -= len(items)
        if not is_read or self.room < 0:
            array.lost = array.lost or self.says(node, "sets")
            for value in values:
                self.escape(value, array.lost)
        array.items += self.adopted(array, items)
        return self.unread(node)

    def give(self, node: Node, to: str) -> Value:
        """Hands a value on to what isn't read, and gives it."""
        spot = self.spot(node)
        value = self.read(spot)
        self.hand_on(value)
        sentence = f"{self.says(node, 'gives')} to {to}"
        self.escape(value, sentence)
        self.escape(spot.of if isinstance(spot, Spot) else None, sentence)
        if not isinstance(spot, Spot):
            self.escape_parts(node, "gives")
        return value

    def escape_parts(self, node: Node, verb: str) -> None:
        """What is named in something by which it may be set, though not in what is only computed."""
        if node.type in ("identifier", "field_expression", "subscript_expression", "initializer_list"):
            self.escape_names(node, verb)


def held_by(variable: Variable) -> Thing:
    """The struct or the array that a variable is, or itself."""
    return variable.value if isinstance(variable.value, (Made, Array)) else variable
