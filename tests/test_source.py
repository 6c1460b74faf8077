"""How the source is written: what can be said of every module by its syntax tree."""

from __future__ import annotations

import ast
import importlib
import re
from collections import namedtuple
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import textual

import dmlviz
from dmlviz.teaching.kinds.lib.asking import kinds

SOURCE = Path(dmlviz.__file__).parent
Nodes = list[ast.AST]
"""A module's syntax tree, as it is walked."""
Modules = Mapping[Path, Nodes]


def nodes_of(text: str) -> Nodes:
    return [*ast.walk(ast.parse(text))]


@pytest.fixture(scope="module")
def modules() -> Modules:
    """Every module of dmlviz, parsed once for all that is said here."""
    return {path: nodes_of(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


# ---- records


def _tells_fields(node: ast.ClassDef) -> bool:
    said = {ast.unparse(each).split("(")[0].rpartition(".")[2] for each in (*node.bases, *node.decorator_list)}
    return not said.isdisjoint({"Struct", "NamedTuple", "dataclass"})


def by_position(modules: Modules) -> Iterator[str]:
    """Calls that give a record of the project more than four values by position: `tracing.py:171 Source`."""
    own = {
        file: {each.name for each in found if isinstance(each, ast.ClassDef) and _tells_fields(each)}
        for file, found in modules.items()
    }
    every = set().union(*own.values())
    for file, found in modules.items():
        names = {"cls", *own[file]}
        for each in found:
            if isinstance(each, ast.ImportFrom) and each.level:
                names |= {alias.asname or alias.name for alias in each.names if alias.name in every}
        for call in found:
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
                continue
            name, spread = call.func.id, any(isinstance(each, ast.Starred) for each in call.args)
            if name in names and len(call.args) + spread > 4:
                yield f"{file.name}:{call.lineno} {name}"


def test_no_record_is_given_more_than_four_values_by_position(modules: Modules) -> None:
    assert [*by_position(modules)] == [], "more than four values by position: give them by keyword"


def test_more_than_four_values_by_position_are_noticed() -> None:
    one = "class A(Struct):\n    a: int\n\nA(1, 2, 3, 4)\nA(1, 2, 3, 4, 5)\n"
    two = "from .one import A as B\nfrom rich import A\nB(1, 2, 3, *more)\nA(1, 2, 3, 4, 5)\n"
    found = by_position({Path("one.py"): nodes_of(one), Path("two.py"): nodes_of(two)})
    assert [*found] == ["one.py:5 A", "two.py:3 B"]


# ---- methods that only hand their call on

ROOMS = ("workspace", "screens")
"""Where no method of one's own only hands its call on: its body would be one call of the same name."""
FILE = {"fileno", "isatty"}
"""What a file has to have, for who writes to the terminal."""


def forwards(nodes: Nodes) -> Iterator[str]:
    """Names of methods whose body is one call of the same name with the same arguments, of something else than super.

    Properties have no arguments, and stand for a field.
    """
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
            continue
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        call = getattr(body[0], "value", None) if len(body) == 1 else None
        call = call.value if isinstance(call, ast.Await) else call
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != node.name:
            continue
        given = [ast.unparse(each) for each in (*call.args, *(each.value for each in call.keywords))]
        takes = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        if given == takes[1:] and ast.unparse(call.func.value) != "super()":
            yield node.name


def test_no_method_only_forwards(modules: Modules) -> None:
    shown = {file: nodes for file, nodes in modules.items() if file.relative_to(SOURCE).parts[0] in ROOMS}
    assert len(shown) > 50
    assert not {(file.name, name) for file, nodes in shown.items() for name in {*forwards(nodes)} - FILE}


def test_a_method_that_only_forwards_is_noticed() -> None:
    text = "class A:\n def go(self, by):\n  'Goes.'\n  return self.other.go(by)\n def at(self):\n  return self.b.at(1)"
    assert [*forwards(nodes_of(text))] == ["go"]


# ---- kinds of question

OTHERS = ("teaching/", "scene/", "widgets/lib/inks.py")
"""Where a `kind` is one of something else, and teaching itself."""


def test_no_front_end_knows_kinds_by_name(modules: Modules) -> None:
    fronts = [file for file in modules if not file.relative_to(SOURCE).as_posix().startswith(OTHERS)]
    assert fronts
    assert not [file for file in fronts if _knows(modules[file])]


@pytest.mark.parametrize(
    "text",
    [
        'is_level = question.kind.name == "level"',
        'is_level = "level" != kind',
        'drawn = task.kind in {"cell", "dest"}',
        'DRAWN = ("cell", "dest")',
        'FORMS = {"cell": 1, "dest": 2}',
        'match question.kind.name:\n    case "cell" | "dest":\n        pass',
    ],
)
def test_a_planted_name_is_found(text: str) -> None:
    assert _knows(nodes_of(text))
    assert not _knows(nodes_of(text.replace("cell", "shell").replace("dest", "nest").replace("level", "bevel")))


def _knows(nodes: Nodes) -> bool:
    """True if a module compares a kind with a name, or has a collection of two of their names."""
    known = {*kinds()}
    for node in nodes:
        if not isinstance(node, ast.Compare | ast.Match | ast.Dict | ast.Tuple | ast.List | ast.Set):
            continue
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        if isinstance(node, ast.Match):
            sides = [node.subject, *(each.value for each in ast.walk(node) if isinstance(each, ast.MatchValue))]
        names = {each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)}
        if names & known and any(ast.unparse(side).endswith(("kind", "kind.name")) for side in sides):
            return True
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        names = {part.value for part in parts if isinstance(part, ast.Constant)}
        if len(names) > 1 and names <= known:
            return True
    return False


# ---- Textual's private parts: all that is used is in one module, is there, and hasn't become public

USER = SOURCE / "widgets" / "lib" / "textual_private.py"
PARTS = {
    "app.App": "_exception _exception_event _exit _close_messages_no_wait _handle_exception",
    "command.CommandPalette": "_action_command_list _list_visible _start_no_matches_countdown "
    "_stop_no_matches_countdown _no_matches_timer _NO_MATCHES _NO_MATCHES_COUNTDOWN",
    "dom.DOMNode": "_bindings",
    "message_pump.MessagePump": "_message_queue _mounted_event _post_message",
    "screen.Screen": "_compositor _layout_required _on_timer_update _refresh_layout _update_auto_focus",
    "widget.Widget": "_check_refresh _layout_required",
    "keys": "_character_to_key",
    "_xterm_parser": "XTermParser",
}
"""What is used, by Textual's class or module that has it."""
USED = [(owner.strip(), name) for owner, names in PARTS.items() for name in names.split()]


OF_SERVE = "served._process_messages"
"""A private part of textual-serve, which `tests/web` hold; a private part of Textual is called so too."""


@pytest.mark.parametrize(("owner", "name"), USED)
def test_a_private_part_is_there_and_has_not_become_public(owner: str, name: str) -> None:
    module = importlib.import_module(f"textual.{owner.partition('.')[0]}")
    text, public = Path(str(module.__file__)).read_text("utf-8"), name.lstrip("_")
    assert re.search(rf"\b{name}\b", text), "Textual has it no more: see what it is said to be for"
    assert public in (name, "exit", "post_message") or f"def {public}(" not in text, "it is public now: use that"


def _private_names(nodes: Nodes) -> Iterator[str]:
    """The private names that a module binds: functions, classes, attributes of `self`, variables."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_no_other_module_uses_one(modules: Modules) -> None:
    sources = Path(textual.__file__).parent.rglob("*.py")
    of_textual = {name for path in sources for name in re.findall(r"\b_\w*(?<!__)\b", path.read_text("utf-8"))}
    of_textual -= set(dir(namedtuple("Any", ())))  # `_replace` and its like are for everybody
    uses: list[str] = []
    used_there, others = {name for _, name in USED}, {"os._exit", OF_SERVE}
    own = {name for path, found in modules.items() if path != USER for name in _private_names(found)}
    for path, found in modules.items():
        if path == USER:
            continue
        for node in found:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
                private = "._" in (node.module or "") or any(_is_private(alias.name) for alias in node.names)
                uses += [f"{path}:{node.lineno} {ast.unparse(node)}"] * private
            elif isinstance(node, ast.Attribute) and node.attr in of_textual and ast.unparse(node) not in others:
                is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and node.attr in own
                other = not is_own and (node.attr in used_there or node.attr not in own)
                uses += [f"{path}:{node.lineno} {ast.unparse(node)}"] * other
    assert not uses, "\n".join(uses)


def test_each_part_that_is_listed_is_used() -> None:
    text = USER.read_text(encoding="utf-8")
    assert [name for _, name in USED if name not in text] == []
