"""ARCHITECTURE.md, CONTRIBUTING.md and its page of operators: what they name is there, and every package stands in the
first."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.misreadings import prove_declared, prove_drawn, prove_sentences
from support.outside import Toy

import dmlviz as dml
from dmlviz.operators.base import Operator
from dmlviz.operators.wrong_rules import Misreading
from dmlviz.running import engine

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dmlviz"
OPERATOR = "docs/adding-an-operator.md"
NAMES = ("ARCHITECTURE.md", "CONTRIBUTING.md", OPERATOR)
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in NAMES}
BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"[\w-]+(/[\w.-]+)*(/|\.(py|md|json|toml|tcss))|\.ci/run")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
SAID = re.compile(r"`([^`\n]+)`")


def words(name: str) -> set[str]:
    """What stands in backticks, beside blocks and rows of a table's alternatives."""
    return {each.removesuffix("()") for each in SAID.findall(BLOCK.sub("", TEXTS[name]))}


# ---- paths


def exists(path: str) -> bool:
    """True for what is there from the repository's root, from the package, or as a module or package of it."""
    return any((root / path).exists() for root in (ROOT, PACKAGE, ROOT / "src"))


@pytest.mark.parametrize("name", NAMES)
def test_every_path_is_there(name: str) -> None:
    found = {each for each in words(name) if PATH.fullmatch(each)}
    assert len(found) > 20
    assert not {path for path in found if not exists(path)}


# ---- names


@cache
def sources() -> dict[str, str]:
    """The source of every module by its dotted path."""
    found = {}
    for root in (PACKAGE, ROOT / "tests"):
        for path in root.rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts)] = path.read_text("utf-8")
    return found


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse(sources()[module])


def defined(tree: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.stmt]]:
    """What a module or a class defines itself, and where."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from ((each.id, node) for each in ast.walk(target) if isinstance(each, ast.Name))


def holds(tree: ast.Module | ast.ClassDef, names: list[str]) -> bool:
    """True if `names` lead to something in it, one inside the other."""
    first, *rest = names
    for name, node in defined(tree):
        if name == first and (not rest or (isinstance(node, ast.ClassDef) and holds(node, rest))):
            return True
    return False


def is_known(dotted: str) -> bool:
    """True for `module.name`, `package.module.Class.name` and `Class.name` of something that is there."""
    names = dotted.split(".")
    for module, source in sources().items():
        parts = module.split(".")
        for n in range(len(names)):
            if n and parts[-n:] != names[:n]:
                continue
            if all(each in source for each in names[n:]) and holds(parsed(module), names[n:]):  # parsing takes long
                return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name: str) -> None:
    dotted = {each for each in words(name) if DOTTED.fullmatch(each) and not PATH.fullmatch(each)}
    dotted = {each for each in dotted if not each.startswith("dml.")}
    assert len(dotted) > 4
    assert not {each for each in dotted if not is_known(each)}
    public = {each for each in words(name) if each.startswith("dml.")}
    assert not {each for each in public if each != "dml.DepthToSpace" and not hasattr(dml, each.removeprefix("dml."))}


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert is_known("EditDesk.type_in_field")
    assert is_known("form_rows.edited")
    assert is_known("process._Service.serve")
    assert not is_known("EditDesk.type_in_fields")
    assert not is_known("form_rows.Workspace")
    assert not exists("workspace/form_edit.py")


@pytest.mark.parametrize("name", NAMES)
def test_a_traced_name_stands_in_the_file_beside_it(name: str) -> None:
    for path, dotted in re.findall(r"`([\w/]+\.py)`: `([\w.]+)`", TEXTS[name]):
        module = path.removesuffix(".py").replace("/", ".")
        names = dotted.split(".")
        names = names[1:] if names[0] == module.rpartition(".")[2] else names
        assert holds(parsed(module), names), f"{path} has no {dotted}"


# ---- packages and floors


def diagram() -> list[list[str]]:
    """The packages and modules in each line of ARCHITECTURE's diagram."""
    block = BLOCK.search(TEXTS["ARCHITECTURE.md"])
    assert block
    return [re.findall(r"\w+", line) for line in re.findall(r"^│ (\S.*?)  +\S", block[0], re.MULTILINE)]


def test_the_diagram_has_every_package_on_its_floor() -> None:
    there = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    there |= {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    floors = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert {each for floor in floors for each in re.findall(r"\w+", floor)} == there
    assert diagram() == [re.findall(r"\w+", floor) for floor in floors]


# ---- what a stranger copies


def test_the_table_has_every_declaration_of_an_operator() -> None:
    table = TEXTS[OPERATOR].split("| declaration |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \| (\w+)", table, re.MULTILINE)
    found = {name: needed for names, needed in rows for name in SAID.findall(names)}
    assert found.keys() == {name for name in vars(Operator) | Operator.__annotations__ if name[0] != "_"} - {
        "page",
        "neighbour",
    }
    functions = {name for name, made in vars(Operator).items() if getattr(made, "__isabstractmethod__", False)}
    bare = {name for name in Operator.__annotations__ if not hasattr(Operator, name)}
    assert {name for name, needed in found.items() if needed == "required"} == functions | bare


@pytest.mark.slow  # it compiles
def test_the_smallest_kernel_runs(toy: Toy) -> None:
    found = re.search(r"<!-- kernel -->\n```python\n(.*?)```", TEXTS[OPERATOR], re.DOTALL)
    assert found
    text = found[1].replace("from .lib", "from dmlviz.kernels.lib")
    (toy.example.parents[1] / "kernels" / "flip.py").write_text(text, "utf-8")
    importlib.invalidate_caches()
    data = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    for axis in range(3):
        desc = toy.desc(dml.TensorDesc("INT16", data.shape), axis)
        assert np.array_equal(engine.run(desc, [data])[0], np.flip(data, axis))


def test_the_commands_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert {each.split()[1] for each in words("CONTRIBUTING.md") if each.startswith("make ")} == targets


def misconception() -> str:
    """The recipe of misconceptions."""
    return TEXTS[OPERATOR].split("## A misconception\n")[1].split("\n## ")[0]


def test_the_misconception_is_proved(toy: Toy) -> None:
    found = re.search(r"<!-- misreading -->\n```python\n(.*?)```", misconception(), re.DOTALL)
    assert found
    scope = dict(vars(sys.modules[type(toy.operator).__module__]))
    exec(found[1].replace("from .wrong_rules", "from dmlviz.operators.wrong_rules"), scope)
    (own,) = scope["MISREADINGS"]
    prove_declared([own], toy.desc)
    for sizes in itertools.product(range(1, 6), repeat=2):
        for axis in range(2):
            trace = dml.trace(toy.desc(dml.TensorDesc("INT16", sizes), axis))
            prove_drawn([own], trace)
            prove_sentences([own], trace)


def test_the_recipe_of_a_misconception_names_all_that_one_declares() -> None:
    block = BLOCK.search(misconception())
    assert block
    told = {*SAID.findall(BLOCK.sub("", misconception())), *re.findall(r"^ {8}(\w+)=", block[0], re.MULTILINE)}
    assert set(Misreading.__struct_fields__) <= told
