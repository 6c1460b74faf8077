"""Carries out C++ text in order, block by block: statements, and what expressions stand for and set."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import tree_sitter_cpp
from msgspec.structs import replace
from tree_sitter import Language, Node, Parser

from ...desc.tensors import TensorDesc
from ...errors import DmlvizError, quote
from ...session.reading import meant_by
from ...stopping import checkpoint
from ..lib.found import Item
from ..lib.imported import Note
from .descs import BYTES, NARROW, OPERATOR, TITLE, Calculated, Descs
from .names import NUMBERS, Array, Braced, Kind, Made, Place, Symbol, Unknown, Value, Wide, is_null, number, walked, why

MOST_LONG = 1 << 14
VECTORS = ("vector", "initializer_list", "InlinedVector", "SmallVector", "Dimensions", "TensorDimensions")
ARRAYS = ("array", *VECTORS)
TENSOR_DESC = "dml::TensorDesc"
_CREATES = ("CreateOperator", "DML_CREATE_OPERATOR", "dml_dump", "CreateOperatorNode")
_CASTS = ("static_cast", "narrow_cast", "checked_cast", "const_cast", "reinterpret_cast")
_LISTS = ("argument_list", "parameter_list")
_SIZES = ("size", "ssize", "_countof", "ARRAYSIZE")
_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}
_TYPE = re.compile(r"(?:\w+::)*(\w[\w ]*?)\s*(?:<(?:\w+::)*([\w ]+?)\s*(?:,\s*(\w+)\s*)?>|\[\])?")
_BRANCHES = {
    **dict.fromkeys(("if_statement", "else_clause", "switch_statement", "case_statement"), "under a condition"),
    **dict.fromkeys(("try_statement", "catch_clause"), "in a try"),
    **dict.fromkeys(("for_statement", "for_range_loop", "while_statement", "do_statement"), "in a loop"),
}
_IFS = ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else")
_INSIDE = (
    "namespace_definition",
    "expression_statement",
    "parameter_pack_expansion",
    "linkage_specification",
    "declaration_list",
    "template_declaration",
    "init_statement",
    "condition_clause",
)
_CLASSES = ("class_specifier", "struct_specifier", "union_specifier")
_FORM = re.compile(r"([*&]?)&?\s*(?:const\s+)?(\w+)\s*(\[[^\[\]]*\])?")
_CLOSED = {"initializer_list": '"," or "}"', "argument_list": '"," or ")"'}
_JUMPS = ("labeled_statement", "goto_statement", "gnu_asm_expression")
_PARTED = (*_BRANCHES, *_IFS, *_INSIDE, *_CLASSES, "compound_statement", "function_definition")


def items_of(data: bytes) -> list[Item]:
    root = Parser(Language(tree_sitter_cpp.language())).parse(data).root_node
    doomed: dict[int | str, str] = {}
    while True:
        before = len(doomed)
        reader = Statements(data, doomed)
        reader.block([root] if root.type == "ERROR" else root.named_children)
        if len(doomed) == before:
            return reader.items


class Statements(Descs):
    torn = ""

    def block(self, nodes: Sequence[Node], how: str = "", names: Iterable[str] = ()) -> dict[str, Place]:
        """Carries out statements in a scope of their own, which it gives, and takes the descs that they have left."""
        before = (self.torn, self.made)
        self.torn = ""
        self.made = []
        self.scopes.append({})
        with self.within(how):
            self.hide(names)
            self.each(nodes)
            for node in nodes if self.torn else ():
                self.damage(node, why=self.torn)
            for one in sorted(self.made, key=lambda one: one.kind.name != OPERATOR):
                count = len(one.value.items) if isinstance(one.value, Array) else 0
                for place in [Place(one).part(i) for i in range(count)] or [Place(one)]:
                    self.finish(place, at_end=True)
        self.torn, self.made = before
        return self.scopes.pop()

    def hide(self, names: Iterable[str], lost: str = "") -> None:
        for name in names:
            self.declare(name, Symbol(name), lost=lost)

    def names_in(self, *nodes: Node | None) -> list[str]:
        return [self.text(one) for node in nodes if node for one in walked(node) if one.type == "identifier"]

    def _of_lambda_expression(self, node: Node) -> Value:
        captures = self.part(node, "captures")
        self.doubt(captures, "gives")
        self.run_later(self.part(node, "body"), "in a lambda", captures, self.field(node, "declarator"))
        return self.unread(node)

    def run_later(self, node: Node, how: str, *parameters: Node | None) -> None:
        before = self.deferred
        self.deferred = len(self.branches) + 1
        self.block(node.named_children, how, self.names_in(*parameters))
        self.deferred = before

    def each(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            checkpoint()
            if not self.tears(node):
                self.statement(node)

    def statement(self, node: Node) -> None:
        kind = node.type
        if kind == "compound_statement":
            self.block(node.named_children)
        elif kind in _IFS:
            self.preprocessed(node)
        elif kind in _BRANCHES:
            self.branching(node, _BRANCHES[kind])
        elif kind == "template_declaration":
            self.block(node.named_children, names=self.names_in(self.field(node, "parameters")))
        elif kind in _INSIDE:
            before = self.is_open
            opens = self.text(self.field(node, "name")) in self.spaces
            self.is_open |= opens
            self.each(node.named_children)
            self.is_open = before if opens else self.is_open
        elif kind == "function_definition":
            for body in node.children_by_field_name("body"):
                self.run_later(body, "in a function", self.part(node, "declarator"))
        elif kind in _CLASSES:
            own = [child for part in node.children_by_field_name("body") for child in part.named_children]
            later = ("function_definition", "template_declaration")
            self.block(sorted(own, key=lambda child: child.type in later))
        elif kind in ("declaration", "field_declaration"):
            type_ = self.field(node, "type")
            self.each([type_] if type_ is not None and type_.type in (*_CLASSES, "enum_specifier") else [])
            for declarator in node.children_by_field_name("declarator"):
                self.declared(node, declarator, self.kind(type_))
        elif kind in ("preproc_def", "preproc_function_def"):
            self.define(node)
            for name in re.findall(r"\bdml::(\w+)", self.text(self.field(node, "value"))):
                self.note_unread(name, node)
        elif kind == "alias_declaration":
            name = self.text(self.field(node, "name"))
            is_sure = name not in self.types and not self.branches
            self.types[name] = self.kind(self.field(node, "type")) if is_sure else Kind("?")
        elif kind in ("enum_specifier", "using_declaration", "namespace_alias_definition"):
            words = re.findall(r"\w+", self.text(node))  # `using dml::Tile`, `using namespace dml`, `namespace d = dml`
            if words[0] == "namespace" and words[-1] in self.spaces:
                self.spaces.add(words[1])
            elif words[:2] == ["using", "namespace"]:
                self.is_open |= words[-1] in self.spaces
            elif words[0] == "using" and words[-2] in self.spaces:
                self.free.add(words[-1])
            self.hide(self.names_in(node))
        elif kind in ("return_statement", "throw_statement"):
            for child in node.named_children:
                self.give(child)
        elif kind == "comment":
            self.title = TITLE.match(self.data, node.start_byte) or self.title
        else:
            self.value(node)

    def tears(self, node: Node) -> bool:
        own = [one for one in node.children if one.type != "}"] if node.type in _PARTED else walked(node)
        is_jump = node.type in _JUMPS  # `a << b;` outside a function is read as if `...` were missing
        every = (node, *own) if node.has_error else ()
        wrong = [one for one in every if one.type == "ERROR" or (one.is_missing and one.type != "...")]
        if not is_jump and not wrong:
            return False
        line = node.start_point.row
        said = "is a jump"
        if wrong:
            line, said = self.slip(node, min(wrong, key=lambda one: (one.child_count > 1, one.start_byte)))
        said = f"line {line + 1} {said}"
        self.torn = self.torn or said
        for page in sorted({*re.findall(r"\b(DML_\w+_OPERATOR_DESC)\s+\w+\s*[={]", self.text(node))} & {*self.known}):
            self.items.append(Note(f"{page} is not read: {said}.", line + 1, unchecked=True))
        return True

    def slip(self, around: Node, node: Node) -> tuple[int, str]:
        line = node.start_point.row
        end = node.start_byte
        wanted = f'"{node.type}"'
        behind = node.next_sibling
        if not node.is_missing:
            before = self.data[around.start_byte : end - node.start_point.column].rstrip()
            wanted = _CLOSED.get(node.parent.type if node.parent else "", "")
            if not wanted and behind is not None and behind.start_point.row > node.end_point.row:
                line = node.end_point.row
                end = node.end_byte
                wanted = '";"'
            elif not wanted and re.search(rb"[\w)\]]$", before[-1:]):
                line = around.start_point.row + before.count(b"\n")
                end = around.start_byte + len(before)
                wanted = '";"'
            else:
                found = re.match(r"\w+|.|", self.text(node)[:60])
                return line, f"can't be parsed: found {quote(found and found[0])}{wanted and f', expected {wanted}'}"
        last = self.data[max(0, end - 40) : end].decode(errors="replace").split()
        return line, f"can't be parsed: expected {wanted} after {quote(last[-1] if last else '')}"

    def branching(self, node: Node, how: str) -> None:
        """A condition, a loop, a switch, a try: only a condition is sure to be carried out, and but once."""
        is_loop = how == "in a loop"
        body = self.field(node, "body")
        condition = None if is_loop else self.field(node, "condition")
        self.scopes.append({})
        self.each([condition] if condition is not None else [])
        with self.within(how):
            for child in node.named_children:
                if is_loop and child == body:
                    self.hide([*self.scopes[-1]])
                if node.type == "for_range_loop" and child != body:
                    self.doubt(child, "sets")
                    self.hide(self.names_in(child))
                elif child != condition:
                    self.each([child])
        self.scopes.pop()

    def preprocessed(self, node: Node) -> None:
        for name in self.block(node.named_children, "under an #if"):
            self.hide([name], f"{self.says(node, 'sets', name)} under an #if")

    def declared(self, node: Node, declarator: Node, kind: Kind) -> None:
        is_filled = declarator.type == "function_declarator" and kind.name in VECTORS  # `vector<UINT> ones(rank, one);`
        is_whole = not is_filled and declarator.type != "init_declarator"
        form = _FORM.fullmatch(self.text(declarator if is_whole else self.field(declarator, "declarator")))
        given = self.field(declarator, "parameters" if is_filled else "value")
        given = given or self.field(node, "default_value")
        if form is None or (form[1] == "&" and given is None):
            self.doubt(node, "gives")  # `archive & axis;`
            self.hide(self.names_in(declarator), self.says(declarator, "gives"))
            return
        sign, name, size = form.groups()
        words = {self.text(child) for child in node.children}
        is_fixed = bool(words & {"const", "constexpr"}) and sign != "*"
        kind = Kind("") if sign == "*" else kind
        if sign == "&" and given is not None:
            place = self.place(given)
            if place.of.name:
                self.scopes[-1][name] = place
                return
            self.doubt(given, "refers to")
            value: Value = self.unread(given)
        elif size is not None:
            array = next(one for one in walked(declarator) if one.type == "array_declarator")
            counted = self.field(array, "size")
            count = self.value(counted) if counted is not None else None
            filled = self.value(given) if given is not None else None
            value = self.array(filled, Kind("array", kind.name, count), node, is_c=True)
            kind = Kind("?")
        else:
            value = self.filled(kind, given, node)
        if not kind.name and isinstance(value, (Array, Made)):
            kind = Kind(value.kind) if isinstance(value, Made) else Kind("vector", value.of)
        is_member = node.type == "field_declaration" and not words & {"static", "constexpr"}
        is_lost = "volatile" in words or is_member or ("static" in words and len(self.scopes) > 2 and not is_fixed)
        lost = f"line {self.line(node)} sets {name} as what other code may set" if is_lost else ""
        made = self.declare(name, value, declarator.start_byte, lost)
        made.kind, made.is_fixed = kind, is_fixed
        if isinstance(value, (Made, Array)):
            self.made.append(made)
        elif self.is_struct(kind.name) and kind.name.endswith("_OPERATOR_DESC"):
            said = f"{kind.name} {name} is not read: {why(value)}."
            self.items.append(Note(said, self.line(node), unchecked=True))

    def part(self, node: Node, name: str) -> Node:
        return self.field(node, name) or node.named_children[0]

    def own(self, node: Node) -> list[Node]:
        return [child for child in node.named_children if child.type != "comment"]

    def value(self, node: Node) -> Value:
        read: Callable[[Node], Value] | None = getattr(self, f"_of_{node.type}", None)
        if read is not None:
            return read(node)
        self.doubt(node, "gives")
        return NUMBERS.get(self.text(node)) or self.unread(node)

    def kind(self, node: Node | None) -> Kind:
        text = re.sub(r"\b(?:const|struct)\b\s*", "", self.text(node))
        match = _TYPE.fullmatch(text)
        if match is None or self.function_named(text) == "TensorDesc":
            return Kind("" if re.search("[*&]", text) else "?" if match is None else TENSOR_DESC)
        name, of, count = match.groups(default="")
        if text[-1] == "]":
            return Kind("array", name)
        size = self.named(count) if name == "array" and count else None
        is_known = self.is_struct(name) or name in (*ARRAYS, *self.scalars)
        name = name if is_known else "" if name in ("auto", "Expression") else "?"
        return self.types.get(text) or Kind(
            name, "" if of == "Expression" else of, self.read(size) if isinstance(size, Place) else size
        )

    def held(self, value: Value, kind: Kind, node: Node) -> Value:
        name = kind.name
        if name in ARRAYS:
            return self.array(value, kind, node)
        if self.is_struct(name) and (value is None or isinstance(value, Braced)):
            return self.struct(value, name, node)
        if isinstance(value, Braced) and len(value.parts) < 2:
            value = value.parts[0][1] if value.parts else 0
        if (not name or self.is_struct(name)) and not isinstance(value, Braced):
            return self.copied(value)
        if name in ("float", "FLOAT", "double") and isinstance(value, (int, float)):
            return float(value)
        if isinstance(value, int) and BYTES.get(name) == 8:
            return Wide(value)
        if isinstance(value, Wide) and name in self.scalars:
            return int(value) if -(2**31) <= value < 2**32 else self.unread(node)
        is_same = value is None or isinstance(value, (int, Symbol, Unknown))
        if is_same and name in self.scalars:
            return value
        return self.unread(node, value)

    def struct(self, given: Braced | None, kind: str, node: Node) -> Value:
        own = given or Braced([])
        names = self.members.get(kind, [])
        parts = own.parts
        made = Made(kind, self.line(node), given is not None)
        if names and (len(parts) > len(names) or any(name not in ("", *names) for name, _ in parts)):
            return Unknown(f"{self.says(node, 'has', str(len(parts)))} initialisers for the {len(names)} of a {kind}")
        members = [*names, *map(str, range(len(parts)))]
        for (name, value), member, line in zip(parts, members, own.lines, strict=False):
            made.members[name or member] = self.held(value, Kind(""), node)
            made.lines[name or member] = line
        return made

    def copied(self, value: Value) -> Value:
        if isinstance(value, Array):
            self.spend(len(value.items))
            return Array(value.of, [self.copied(item) for item in value.items], line=value.line, lines={**value.lines})
        if isinstance(value, Made):
            return replace(value, members={**value.members}, lines={**value.lines})
        return value

    def array(self, value: Value, kind: Kind, node: Node, *, is_c: bool = False) -> Value:
        if isinstance(value, (Array, Unknown)) and not is_c:
            return self.copied(value)
        own = value if isinstance(value, Braced) else Braced([])
        if len(own.parts) == 1 and isinstance(inner := own.parts[0][1], Braced):
            is_doubled = not self.is_struct(kind.of) or any(isinstance(part, Braced) for _, part in inner.parts)
            own = inner if is_doubled else own
        parts = own.parts
        length = len(parts) if kind.count is None else kind.count
        is_odd = not (value is None or isinstance(value, Braced)) or any(name for name, _ in parts)
        if is_odd or not isinstance(length, int) or length > MOST_LONG:
            return self.unread(node, kind.count)
        if len(parts) > length:
            return Unknown(f"{self.says(node, 'has', str(len(parts)))} initialisers for {length} elements")
        self.spend(length)
        items = [self.held(part, Kind(kind.of), node) for _, part in parts]
        rest = None if value is None else Braced([])
        items += [self.held(rest, Kind(kind.of), node) for _ in range(length - len(parts))]
        return Array(kind.of, items, is_c, line=self.line(node), lines=dict(enumerate(own.lines)))

    def filled(self, kind: Kind, given: Node | None, node: Node) -> Value:
        nodes = [] if given is None else self.own(given) if given.type in _LISTS else [given]
        if kind.name == "?":
            for one in nodes:
                self.give(one)
            return self.unread(node)
        values = [self.value(one) for one in nodes]
        first = values[0] if values else None
        if kind.name in VECTORS and isinstance(first, int) and 0 <= first <= MOST_LONG and len(values) < 3:
            self.spend(first)
            each = [*values, Braced([])][1]
            items = [self.held(each, Kind(kind.of), node) for _ in range(first)]
            return Array(kind.of, items, line=self.line(node))
        if kind.name == TENSOR_DESC:
            parts = [part for _, part in first.parts] if isinstance(first, Braced) else values
            if isinstance(first, TensorDesc):
                return first
            return self.made_by("TensorDesc", parts, node)
        if len(values) > 1:
            return self.unread(node, *values)
        return self.held(first, kind, node)

    def _of_number_literal(self, node: Node) -> Value:
        found = number(self.text(node))
        return self.unread(node) if found is None else found

    def _of_qualified_identifier(self, node: Node) -> Value:
        text = self.text(node)
        last = self.text(node).rpartition("::")[2]
        self.note_unread(self.function_named(text), node)  # by its address
        return Symbol(last if last.startswith("DML_") else text)

    def _of_initializer_list(self, node: Node) -> Braced:
        parts: list[tuple[str, Value]] = []
        own = self.own(node)
        for child in own:
            names = child.children_by_field_name("designator")
            spot = self.part(child, "value") if child.type == "initializer_pair" else child
            name = self.text(names[0]).removeprefix(".") if len(names) == 1 else "?" if names else ""
            parts.append((name, self.value(spot)))
        return Braced(parts, [self.line(child) for child in own])

    def _of_compound_literal_expression(self, node: Node) -> Value:
        return self.filled(self.kind(self.field(node, "type")), self.part(node, "value"), node)

    def place(self, node: Node) -> Place:
        """The place that an expression names; one without a name holds the value of another expression."""
        if node.type == "parenthesized_expression":
            return self.place(self.own(node)[-1])
        if node.type in ("identifier", "true", "false", "null", "parameter_declaration"):
            found = self.named(self.text(node))
        elif node.type == "field_expression":
            owner = self.part(node, "argument")
            name = self.text(self.part(node, "field"))
            place = self.led(self.place(owner))
            made = self.written(place) if place is not None else None
            is_member = isinstance(made, Made) and name in self.members.get(made.kind, ())
            if isinstance(made, Made) and name not in (known := self.members.get(made.kind, (name,))):
                expected = f"{meant_by(name, known)}expected a member of {made.kind}"
                self.lose(place, f"{self.says(node, 'names', name)}, {expected}")
            found = place.part(name) if place and is_member else self.unread(node, place and self.at(place))
        elif node.type == "subscript_expression":
            indices = self.own(self.part(node, "indices"))
            return self.element(self.part(node, "argument"), self.value(indices[0]) if indices else None, node)
        elif node.type == "pointer_expression" and self.text(node)[0] == "*":
            return self.element(self.part(node, "argument"), 0, node)
        else:
            found = self.value(node)
            return self.temporary(found, node.start_byte)
        if isinstance(found, Place):
            return found
        return self.temporary(found, node.start_byte)

    def element(self, array: Node, index: Value, node: Node) -> Place:
        place = self.place(array)
        found = self.at(place)
        if isinstance(found, Place):
            place, found = found, self.at(found)
        if isinstance(found, Array) and isinstance(index, int) and 0 <= index < len(found.items):
            return place.part(index)
        is_itself = isinstance(found, Made) and index == 0
        if is_itself:
            return place
        return self.temporary(self.unread(node, found, index), node.start_byte)

    def read(self, place: Place) -> Value:
        found = self.at(place)
        if found is None:
            return Unknown(f"{place.name} is never set")
        return place if isinstance(found, Array) and found.is_c else found

    def write(self, place: Place, value: Value, node: Node) -> None:
        variable, path = place.of, place.path
        if not variable.name and isinstance(self.at(place), (Unknown, Symbol)):
            self.lose(value, self.says(node, "sets"))
            self.doubt(node, "sets")
            return
        self.touch(variable, self.says(node, "sets", place.name))
        if variable.lost or variable.is_fixed:
            self.lose(value, self.says(node, "sets"))
        elif not path:
            variable.value = self.held(value, variable.kind, node)
        else:
            holder = self.written(Place(variable, path[:-1]))
            if isinstance(holder, Made):
                holder.members[str(path[-1])] = self.held(value, Kind(""), node)
                holder.lines[str(path[-1])] = self.line(node)
            elif isinstance(holder, Array) and isinstance(path[-1], int):
                holder.items[path[-1]] = self.held(value, Kind(holder.of), node)
                holder.lines[path[-1]] = self.line(node)

    def _of_identifier(self, node: Node) -> Value:
        return self.read(self.place(node))

    _of_true = _of_false = _of_null = _of_parameter_declaration = _of_identifier
    _of_subscript_expression = _of_field_expression = _of_parenthesized_expression = _of_identifier

    def _of_pointer_expression(self, node: Node) -> Value:
        if self.text(node)[0] == "*":
            return self.read(self.place(node))
        place = self.place(self.part(node, "argument"))
        if not place.of.name and isinstance(self.at(place), (Unknown, Symbol)):
            return self.at(place)
        return Place(place.of, place.path[:-1]) if place.path[-1:] == (0,) else place

    def _of_binary_expression(self, node: Node) -> Value:
        left_node = self.part(node, "left")
        right_node = self.part(node, "right")
        sign = self.text(self.field(node, "operator"))
        left = self.value(left_node)
        is_choice = sign in ("&&", "||", "and", "or")
        if sign == "&" and isinstance(left, int) and self.text(right_node)[0] == "~":
            mask = self.value(self.part(right_node, "argument"))
            if isinstance(mask, int) and (left < 2**32 or isinstance(mask, Wide)):
                return type(left)(left & ~mask)
        if sign in ("<<", ">>", "&") and not isinstance(left, (int, float)):
            self.give(right_node)  # to a stream
            return self.unread(node, left)
        with self.within("under a condition" if is_choice else ""):
            right = self.value(right_node)
        return self.combined(left, sign, right, node)

    def combined(self, left: Value, sign: str, right: Value, node: Node) -> Value:
        if isinstance(left, int) and isinstance(right, int) and sign in _COMPUTED:
            is_wide = isinstance(left, Wide) or isinstance(right, Wide)
            is_plain = (min(left, right) >= 0 or sign != "/") and max(abs(left), abs(right)) < 2**64
            made = 2**64
            most = 2**64 if is_wide else 2**32
            if is_plain and (right or sign != "/"):
                made = _COMPUTED[sign](left, right)
            made = Wide(made) if is_wide else made
            return made if -(most // 2) <= made < most else self.unread(node)
        if isinstance(left, Symbol) and isinstance(right, Symbol) and sign == "|":
            return Symbol(f"{left.name} | {right.name}")
        for value in (left, right):
            self.lose(value, self.says(node, "gives"))
        return self.unread(node, left, right)

    def _of_sizeof_expression(self, node: Node) -> Value:
        if node.named_children[0].type == "cast_expression":  # `sizeof(UINT)`, and no `;` behind it
            type_ = self.part(node.named_children[0], "type")
            said = 'can\'t be parsed: expected ";" after "sizeof"'
            self.torn = self.torn or f"line {type_.end_point.row + 1} {said}"
        name = re.sub(r"^sizeof[\s(]*(?:std::)?|[\s)]+$", "", self.text(node))
        size = BYTES.get(name) or NARROW.get(name)
        return Wide(size) if size else self.unread(node)

    def _of_conditional_expression(self, node: Node) -> Value:
        with self.within("under a condition"):
            for child in self.own(node):
                self.give(child)
        return self.unread(node)

    def _of_assignment_expression(self, node: Node) -> Value:
        left = self.part(node, "left")
        right = self.part(node, "right")
        sign = self.text(self.field(node, "operator"))[:-1]
        value = self.value(right)
        place = self.place(left)
        if sign:
            value = self.combined(self.read(place), sign, value, node)
        self.write(place, value, left)
        return self.read(place)

    def _of_cast_expression(self, node: Node) -> Value:
        return self.cast(self.field(node, "type"), self.part(node, "value"), node)

    def cast(self, type_: Node | None, given: Node, node: Node) -> Value:
        kind = self.kind(type_)
        if kind.name or "const" in self.text(type_):
            value = self.value(given)
            if kind.name in ("", *self.scalars):
                return self.held(value, kind, node)
            return self.unread(node, value)
        self.lose(self.value(given), self.says(node, "sets"))
        self.damage(given, "in a cast")
        return self.unread(node)

    def _of_call_expression(self, node: Node) -> Value:
        function = self.part(node, "function")
        arguments = self.part(node, "arguments")
        given = self.own(arguments)
        callee = self.text(function).partition("<")[0].strip()
        name = re.split(r"::|\.|->", callee)[-1].strip()
        owner = self.part(function, "argument") if function.type == "field_expression" else None
        if name in _CREATES:
            for one in given:
                self.finish(self.place(one))
            return self.unread(node)
        if owner is None and (own := self.function_named(callee)):
            return self.made_by(own, [self.value(one) for one in given], node)
        if owner is None and len(given) == 1 and name in (*self.scalars, *_CASTS):
            types = [one for one in walked(function) if one.type == "type_descriptor"]
            return self.cast(function if name in self.scalars else types[0] if types else None, given[0], node)
        if owner is None and len(given) == 1 and name == "move":
            value = self.value(given[0])
            self.doubt(given[0], "gives")
            return value
        if name == "DMLCalcBufferTensorSize" and len(given) == 4:
            return self._calculated(given, node)
        looked = given if owner is None else [owner, *given]
        place = self.place(looked[0]) if looked and name in (*_SIZES, "data", "push_back", "emplace_back") else None
        array = self.at(place) if place is not None else None
        if place is not None and isinstance(array, Array) and len(looked) == 1:
            if name in _SIZES:
                return len(array.items)
            if name == "data":
                return place
            return self.unread(node)
        if place is not None and isinstance(array, Array) and name.endswith("_back") and len(looked) == 2:
            self.touch(place.of, self.says(node, "sets", place.name))
            self.spend(1)
            array.lines[len(array.items)] = self.line(node)
            array.items.append(self.held(self.value(looked[1]), Kind(array.of), looked[1]))
            return self.unread(node)
        with self.within("in a macro" if name in self.macros else ""):
            if owner is None and function.type not in ("identifier", "qualified_identifier", "template_function"):
                self.give(function)
            for one in looked:
                self.give(one)
        return Unknown(f"{self.says(node, 'calls', name)}()")

    def _calculated(self, given: list[Node], node: Node) -> Value:
        kind, count, sizes, strides = (self.value(one) for one in given)
        try:
            tensor = TensorDesc(self.plain(kind, "DataType"), self.listed(sizes, "Sizes", self.plain))
        except DmlvizError as error:
            return Unknown(str(error).removesuffix("."))
        is_plain = is_null(strides) and count == len(tensor.sizes)
        return Calculated(tensor.total_bytes) if is_plain else self.unread(node, count, strides)

    def give(self, node: Node) -> None:
        if node.type == "initializer_list":
            for one in self.own(node):
                self.give(self.part(one, "value") if one.type == "initializer_pair" else one)
            return
        place = self.place(node)
        self.finish(place, is_given=True)
        self.lose(place, self.says(node, "gives"))
        if node.type == "assignment_expression":
            self.doubt(node, "gives")
