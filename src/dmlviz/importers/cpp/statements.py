"""Carries out the statements of C++ text in order, block by block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import tree_sitter_cpp
from msgspec.structs import replace
from tree_sitter import Language, Node, Parser

from ...stopping import checkpoint
from ..lib.found import Item
from ..lib.imported import Note
from .expressions import Values, held_by
from .names import walked
from .shaping import ARRAYS, Kind
from .values import OPERATOR, Array, Made, Symbol, Unknown, Value, Variable, members, scalars

_BRANCHES = {
    **dict.fromkeys(("if_statement", "else_clause"), "under a condition"),
    **dict.fromkeys(("switch_statement", "case_statement"), "in a switch"),
    **dict.fromkeys(("try_statement", "catch_clause"), "in a try"),
    **dict.fromkeys(("for_statement", "for_range_loop", "while_statement", "do_statement"), "in a loop"),
}
_IFS = ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else")
_BLOCKS = ("compound_statement", "translation_unit", "namespace_definition")
_INSIDE = ("linkage_specification", "declaration_list", "template_declaration", "init_statement", "condition_clause")
_CLASSES = ("class_specifier", "struct_specifier", "union_specifier")
_JUMPS = {"labeled_statement": "behind a label", "goto_statement": "behind a jump", "gnu_asm_expression": "in assembly"}
_IGNORED = ("preproc_include", "break_statement", "continue_statement", "access_specifier")
_BREAKING = re.compile(r"[{}#]|\b(?:if|else|for|while|do|switch|case|try|catch|goto|default)\b")
_MOST_DEEP = 60


def items_of(data: bytes) -> list[Item]:
    """The descs in a text, and notes on others.

    It is read again with what was found to be unknown, until nothing else is found to be.
    """
    for known in (members, scalars):
        known.cache_clear()  # an operator may have been installed since
    root = Parser(Language(tree_sitter_cpp.language())).parse(data).root_node
    doomed: dict[int | str, str] = {}
    while True:
        before = len(doomed)
        reader = Statements(data, doomed)
        reader.block([root] if root.type == "ERROR" else root.named_children)
        if len(doomed) == before:
            return reader.items


class Statements(Values):
    """Carries out statements."""

    is_behind = False
    """The statement before can't be parsed."""
    is_torn = False
    """In the block something can't be parsed that may begin or end a branch."""

    def block(self, nodes: Sequence[Node], how: str = "", names: Iterable[str] = ()) -> dict[str, Variable]:
        """Carries out statements in a scope of their own, which it gives, and takes the descs that they have left."""
        self.branches += [how] if how else []
        self.scopes.append({name: self.unseen(name) for name in names})
        self.made.append([])
        level, torn, self.is_torn = self.level, self.is_torn, False
        for node in nodes:
            if len(self.scopes) < _MOST_DEEP:
                self.statement(node)
            else:
                self.damage(node, "too deep in blocks")
        for node in nodes if self.is_torn else ():
            self.damage(node, "beside what can't be parsed")
        self.is_torn = torn
        made = self.made.pop()
        for one in made:
            self.finish(one, at_end=True)
        for one in made:
            if one.kind == OPERATOR:
                self.note_type(one)
        self.level = level if len(self.scopes) > 2 else self.level
        self.branches = self.branches[: len(self.branches) - bool(how)]
        return self.scopes.pop()

    def unseen(self, name: str) -> Variable:
        """A name that is declared as something whose value isn't in the text."""
        return Variable(key=-1, level=len(self.branches), name=name, value=Symbol(name))

    def names_in(self, *nodes: Node | None) -> list[str]:
        """What parameters and the like declare."""
        return [self.text(one) for node in nodes if node for one in walked(node) if one.type == "identifier"]

    def run_later(self, node: Node, how: str, *parameters: Node | None) -> None:
        before, self.deferred = self.deferred, len(self.branches) + 1
        self.block(node.named_children, how, self.names_in(*parameters))
        self.deferred = before

    def statement(self, node: Node) -> None:
        """Carries out one statement."""
        checkpoint()
        kind = node.type
        if self.is_behind and kind != "comment":
            self.is_behind = False
            self.damage(node, "behind what can't be parsed")
        if kind in _IGNORED or (node.has_error and self.is_damaged(node)):
            return
        if kind == "comment":
            self.comment(self.text(node))
        elif kind in _BLOCKS:
            body = node.child_by_field_name("body") or node
            name = self.text(node.child_by_field_name("name"))
            self.is_open |= name in self.spaces
            is_unnamed = kind == "namespace_definition" and not name
            if is_unnamed:
                self.each(body.named_children)
            else:
                self.block(body.named_children)
        elif kind in _IFS:
            self.preprocessed(node)
        elif kind in _BRANCHES:
            self.branching(node, _BRANCHES[kind])
        elif kind == "template_declaration":
            self.block(node.named_children, names=self.names_in(node.child_by_field_name("parameters")))
        elif kind == "enum_specifier":
            for name in self.names_in(node.child_by_field_name("body")):
                self.scopes[-1][name] = self.unseen(name)
        elif kind in _INSIDE or kind == "expression_statement":
            self.each(node.named_children)
        elif kind == "function_definition":
            self.function(node)
        elif kind in _CLASSES:
            own = [child for part in node.children_by_field_name("body") for child in part.named_children]
            later = ("function_definition", "template_declaration")
            self.block(sorted(own, key=lambda child: child.type in later))
        elif kind in ("declaration", "field_declaration"):
            type_ = node.child_by_field_name("type")
            if type_ is not None and type_.type in (*_CLASSES, "enum_specifier"):
                self.statement(type_)
            for declarator in node.children_by_field_name("declarator"):
                self.declared(node, declarator, self.kind(type_))
        elif kind in ("preproc_def", "preproc_function_def"):
            self.define(node)
            for name in re.findall(r"\bdml::(\w+)", self.text(node.child_by_field_name("value"))):
                self.note_unread(name, node, ",")
        elif kind == "preproc_call":
            self.macros.pop(self.text(node.child_by_field_name("argument")).strip(), None)
        elif kind in ("alias_declaration", "type_definition"):
            self.alias(node)
        elif kind in ("using_declaration", "namespace_alias_definition"):
            self.use(node)
            name = re.split(r"\W+", self.text(node).rstrip("; "))[-1]
            self.scopes[-1][name] = self.unseen(name)
        elif kind in ("return_statement", "throw_statement"):
            for child in node.named_children:
                self.give(child, "a caller")
        elif kind in _JUMPS:
            for scope in self.scopes:
                for one in scope.values():
                    self.doom(held_by(one).key, f"{self.says(node, 'sets', one.name)} {_JUMPS[kind]}")
            self.each(node.named_children)
        else:
            self.value(node)

    def each(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.statement(node)

    def is_damaged(self, node: Node) -> bool:
        """True for what can't be parsed: nothing of the names in it is known, nor of what stands behind it."""
        if node.type in _BLOCKS:
            return False
        has_parts = node.type in (*_BRANCHES, *_IFS, *_INSIDE, *_CLASSES, "function_definition")
        head = node.child_by_field_name("declarator") if node.type == "function_definition" else None
        own = [node, *node.children, *(walked(head) if head is not None else ())] if has_parts else walked(node)
        broken = [one for one in own if _is_broken(one)]
        if not broken:
            return False
        text, first = self.text(node), node.start_point.row + 1
        for match in re.finditer(r"\b(DML_\w+_OPERATOR_DESC)\s+\w+\s*[={]", text):
            line = first + text.count("\n", 0, match.start())
            if match[1] in members():
                self.items.append(Note(f"{match[1]} is not read: line {line} can't be parsed.", line, unchecked=True))
        self.damage(node, "in what can't be parsed")
        self.is_behind = True
        self.is_torn |= any(_BREAKING.search(self.text(one)) for one in broken)
        return True

    def alias(self, node: Node) -> None:
        """`using Sizes = ...;`: one that stands for two types, or is made by `#if`, stands for none."""
        name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        kind = self.kind(node.child_by_field_name("type"))
        is_sure = name is not None and name.type == "type_identifier" and "under an #if" not in self.branches
        is_sure &= self.types.get(self.text(name), kind) == kind
        self.types[self.text(name)] = kind if is_sure else Kind("")

    # ---- branches -------------------------------------------------------------------------------------------------

    def branching(self, node: Node, how: str) -> None:
        """A condition, a loop, a switch, a try: only a condition is sure to be carried out, and but once."""
        is_loop = how == "in a loop"
        conditions = {child.id for child in node.children_by_field_name("condition")}
        straight = [child for child in node.named_children if child.id in conditions and not is_loop]
        self.scopes.append({})
        self.each(straight)
        self.branches.append(how)
        for child in node.named_children:
            if node.type == "for_range_loop" and child == node.child_by_field_name("right"):
                self.escape_names(child, "sets")
            elif node.type == "for_range_loop" and child != node.child_by_field_name("body"):
                for one in (one for one in walked(child) if one.type == "identifier"):
                    self.declare(one, None)
            elif child.type == "compound_statement":
                self.block(child.named_children)
            elif child not in straight:
                self.statement(child)
            for found in self.scopes[-1].values() if is_loop else ():
                found.lost = found.lost or f"{self.says(node, 'sets', found.name)} in a loop"
        self.branches.pop()
        self.scopes.pop()

    def preprocessed(self, node: Node) -> None:
        """`#if`: what it declares isn't known behind it, but for `#if 0`, `#if 1` and a header's guard."""
        part: Node | None = node
        while part is not None:
            condition = self.text(part.child_by_field_name("condition")).strip()
            alternative = part.child_by_field_name("alternative")
            own = [child for child in part.named_children if child != alternative]
            own = own if part.type == "preproc_else" else own[1:]
            first = own[0] if own and own[0].type == "preproc_def" and alternative is None else None
            is_guard = first is not None and first.child_by_field_name("value") is None
            is_dead = part.type == "preproc_if" and condition in ("0", "false")
            is_live = part.type == "preproc_if" and condition in ("1", "true")
            if is_live or (is_guard and self.text(part).startswith("#ifndef")):
                self.each(own)
                return
            if is_dead and alternative is not None and alternative.type == "preproc_else":
                self.each(alternative.named_children)
                return
            for one in self.block([] if is_dead else own, "under an #if").values():
                lost = f"{self.says(part, 'sets', one.name)} under an #if"
                self.scopes[-1][one.name] = replace(one, value=Unknown(lost), lost=lost)
            part = alternative

    def function(self, node: Node) -> None:
        """The definition of a function."""
        declarator, body = self.part(node, "declarator"), node.child_by_field_name("body")
        functions = [one for one in walked(declarator) if one.type == "function_declarator"]
        first = min(functions, key=lambda one: one.start_byte, default=None)
        for child in node.named_children:
            if child.type == "field_initializer_list":
                self.damage(child, "in a constructor", mark="")
        if body is not None:
            parameters = first.child_by_field_name("parameters") if first is not None else None
            self.run_later(body, "in a function", parameters)

    # ---- declarations ---------------------------------------------------------------------------------------------

    def declared(self, node: Node, declarator: Node, kind: Kind) -> None:
        """Declares one variable, with what its initialiser says."""
        given = declarator.child_by_field_name("value") or node.child_by_field_name("default_value")
        inner: Node | None = declarator
        forms: list[Node] = []
        while inner is not None and inner.type not in ("identifier", "field_identifier"):
            forms.append(inner)
            inside = [child for child in inner.named_children if child.type != "type_qualifier"]
            inner = inner.child_by_field_name("declarator") or next(iter(inside), None)
        types = {form.type for form in forms}
        if inner is None or ("reference_declarator" in types and given is None):
            self.escape_names(declarator, "gives")  # `archive & axis;`
            return
        if "structured_binding_declarator" in types and given is not None:
            self.escape_names(given, "refers to")
            for one in (form for form in forms if form.type == "structured_binding_declarator"):
                for child in one.named_children:
                    self.declare(child, Unknown(self.says(child, "refers to")))
            return
        if "pointer_declarator" in types:
            kind = Kind("", is_pointer=True)
        value: Value
        if "function_declarator" in types:
            parameters = [part for form in forms for part in form.children_by_field_name("parameters")]
            own = parameters[0].named_children if parameters else []
            if not own or not kind.is_known or declarator.type != "function_declarator":
                for one in own:
                    self.escape(self.named(self.text(one)), self.says(one, "gives"))
                self.scopes[-1][self.text(inner)] = self.unseen(self.text(inner))
                return
            value = self.built(kind, [self.named(self.text(one)) for one in own], node)  # `vector<UINT> a(n);`
        elif "reference_declarator" in types and given is not None:
            value = self.read(self.spot(given))
            if not isinstance(value, (Made, Array, Symbol)):
                self.escape_names(given, "refers to")
                value = Unknown(self.says(given, "refers to"))
        elif "array_declarator" in types:
            sizes = [form.child_by_field_name("size") for form in forms if form.type == "array_declarator"]
            count = self.value(sizes[0]) if sizes[0] is not None else None
            given_value = self.value(given) if given is not None else None
            is_plain = len(sizes) == 1 and kind.name not in ARRAYS
            value = (
                self.array(given_value, Kind("array", kind, count), node, is_c=True) if is_plain else self.unread(node)
            )
        else:
            value = self.filled(kind, given, node)
        words = {self.text(child) for child in node.children}
        is_fixed = bool(words & {"const", "constexpr"}) and not kind.is_pointer
        outer = node.parent.parent if node.parent is not None else None
        lost = ""
        if not is_fixed and "static" in words and len(self.scopes) > 2:
            lost = f"{self.says(inner, 'sets')} static, which keeps what was set"
        elif "volatile" in words:
            lost = f"{self.says(inner, 'sets')} volatile"
        elif not is_fixed and node.type == "field_declaration" and outer and outer.type != "class_specifier":
            lost = f"{self.says(inner, 'sets')} in a struct, which may hold something else"
        self.declare(inner, value, kind=kind.name, is_fixed=is_fixed, lost=lost)


def _is_broken(node: Node) -> bool:
    """True for what can't be parsed; `a << b;` outside a function is read as if `...` were missing."""
    return node.type == "ERROR" or (node.is_missing and node.type != "...")
