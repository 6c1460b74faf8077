"""Textual's private parts: all that the program uses is in one module, is there, and hasn't become public."""

from __future__ import annotations

import ast
import importlib
import re
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
import textual

import dmlviz

SOURCE = Path(dmlviz.__file__).parent
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
    assert public == name or re.search(rf"\b{name}\b", text), "Textual has it no more: see what it is said to be for"
    assert public in (name, "exit", "post_message") or f"def {public}(" not in text, "it is public now: use that"


def _private_names(nodes: list[ast.AST]) -> Iterator[str]:
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


def test_no_other_module_uses_one() -> None:
    paths = sorted(SOURCE.rglob("*.py"))
    nodes = {path: [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))] for path in paths}
    sources = Path(textual.__file__).parent.rglob("*.py")
    of_textual = {name for path in sources for name in re.findall(r"\b_\w*(?<!__)\b", path.read_text("utf-8"))}
    of_textual -= set(dir(namedtuple("Any", ())))  # `_replace` and its like are for everybody
    uses: list[str] = []
    used_there, others = {name for _, name in USED}, {"os._exit", OF_SERVE}
    own = {name for path, found in nodes.items() if path != USER for name in _private_names(found)}
    for path, found in nodes.items():
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
