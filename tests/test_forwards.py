"""No method of the screens and of what they show only hands its call on: its body is one call of the same name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import dmlviz

ROOMS = ("workspace", "screens")
FILE = {"fileno", "isatty"}
"""What a file has to have, for who writes to the terminal."""


def forwards(tree: ast.AST) -> Iterator[str]:
    """Names of methods whose body is one call of the same name with the same arguments, of something else than super.

    Properties have no arguments, and stand for a field.
    """
    for node in ast.walk(tree):
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


def test_no_method_only_forwards() -> None:
    root = Path(dmlviz.__file__).parent
    trees = {file: ast.parse(file.read_text("utf-8")) for room in ROOMS for file in (root / room).rglob("*.py")}
    assert len(trees) > 50
    assert not {(file.name, name) for file, tree in trees.items() for name in {*forwards(tree)} - FILE}


def test_a_method_that_only_forwards_is_noticed() -> None:
    text = "class A:\n def go(self, by):\n  'Goes.'\n  return self.other.go(by)\n def at(self):\n  return self.b.at(1)"
    assert [*forwards(ast.parse(text))] == ["go"]
