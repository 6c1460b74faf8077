"""README, `docs/` and `--help` name options, commands, rules, keys and kinds of questions that are there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding

from dmlviz import screens
from dmlviz.cli import parsers
from dmlviz.cli.entry import COMMANDS, HELP
from dmlviz.retired import INSTEAD
from dmlviz.session import examples, rules_told
from dmlviz.session.chains import Chain
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.tasks import tasks
from dmlviz.widgets.lib import commands

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted(ROOT.glob("docs/*.md")))
}
ELSEWHERE = ("docs/learn-and-teach.md", "docs/lessons.md")
"""Pages about more screens than the explorer."""
WITHOUT_KEYS = ("docs/reference.md",)
"""Pages about programs, where a letter is an answer."""
ABOUT_CODE = ("benchmarks/README.md", "docs/adding-an-operator.md")
"""Pages about modules and functions."""
BLOCK = re.compile(r"^ *```(?:sh|json)?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
KEY = re.compile(r"[A-Za-z=\[\]{},.<>?]|F\d+|ctrl\+\w")


def code_of(text: str) -> Iterator[str]:
    """What stands in backticks, and the lines of blocks."""
    for block in BLOCK.findall(text):
        yield from block.splitlines()
    yield from (word.replace("\\|", "|") for word in WORD.findall(BLOCK.sub("", text)))


class _Made(Exception):  # noqa: N818 (no error)
    """A command's parser was made."""


@cache
def parsed() -> dict[str, tuple[set[str], str]]:
    """By command: its options, and its help."""
    found: dict[str, tuple[set[str], str]] = {}

    def made(self: Any, *_: Any) -> None:
        found[self.prog.removeprefix("dmlviz ")] = {*self._option_string_actions}, self.format_help()
        raise _Made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parsers._Parser, "parse_known_args", made)
        for module in COMMANDS.values():
            with pytest.raises(_Made):
                importlib.import_module(f"dmlviz.cli.{module}").run([])
    return found


@cache
def keys_of(page: str) -> frozenset[str]:
    """The keys that a page may name: the explorer's, or those of any screen."""
    found = [command.keys for command in commands.COMMANDS]
    if page in ELSEWHERE:
        for module in pkgutil.walk_packages(screens.__path__, "dmlviz.screens."):
            for kind in vars(importlib.import_module(module.name)).values():
                made = vars(kind).get("BINDINGS", ()) if isinstance(kind, type) else ()
                found += [one.key for one in made if isinstance(one, Binding)]
    return frozenset(commands.keyboard_names(",".join(found)).replace("^", "ctrl+").split()) | {"ctrl+p"}


@cache
def known_options() -> frozenset[str]:
    """The options of all commands, of none, and of the programs beside them."""
    beside = [HELP, *(path.read_text("utf-8") for path in ROOT.glob("benchmarks/*.py"))]
    return frozenset().union(*(options for options, _ in parsed().values()), *map(OPTION.findall, beside))


def gone(text: str, page: str) -> Iterator[str]:
    """What a page names that isn't there."""
    shipped, rules = {one.name for one in examples.all_examples()}, rules_told.ids()
    groups = {id_.partition(".")[0] for id_ in rules}
    for code in code_of(text):
        command = re.match(r"(?:\$ )?(?:\.venv/bin/)?dmlviz (\S+)", code)
        if command and re.fullmatch("[a-z]+", command[1]) and command[1] not in {*COMMANDS, *shipped}:
            yield code
        if command or code.startswith("--"):
            known = parsed()[command[1]][0] if command and command[1] in COMMANDS else known_options()
            yield from (f"{option} in {code}" for option in OPTION.findall(code) if option not in known)
        if KEY.fullmatch(code) and page not in WITHOUT_KEYS and re.sub(r"F(\d)", r"f\1", code) not in keys_of(page):
            yield f"the key {code}"
        if re.fullmatch(r"[a-z]+\.[a-z_]+", code) and code.partition(".")[0] in groups and page not in ABOUT_CODE:
            is_there = code in rules or code in commands.BY_ID or hasattr(Chain, code.partition(".")[2])
            yield from [] if is_there else [f"the rule {code}"]
        yield from (f"the kind {kind}" for kind in re.findall(r'"kind": "(\w+)"', code) if kind not in kinds())
    for name in INSTEAD:
        if not re.fullmatch("[a-z]+|.", name) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield f"{name}, which was taken out"  # the words of kinds and settings have other uses
    of_tasks = {*kinds(), *tasks.Task.__struct_fields__, *tasks.Ask.__struct_fields__, *tasks.PANELS}
    for sentence in re.split(r"(?<=[.:|])\s", BLOCK.sub("", text)) if page == "docs/lessons.md" else ():
        named = set(re.findall(r"`([a-z]+)`", sentence))
        if named & {*kinds()}:
            yield from (f"the kind {word}" for word in named - of_tasks)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_what_is_there(page: str) -> None:
    assert [*gone(PAGES[page], page)] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_tells_of_its_own_options(command: str) -> None:
    options, told = parsed()[command]
    assert set(OPTION.findall(told)) <= options


def test_the_programs_help_names_what_is_there() -> None:
    listed = HELP.partition("commands:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines()] == [*COMMANDS]


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ("`dmlviz chek FILE`", "dmlviz chek FILE"),
        ("```sh\n$ dmlviz check --nothing FILE\n```", "--nothing in $ dmlviz check --nothing FILE"),
        ("with `--nothing`", "--nothing in --nothing"),
        ("Its neighbour PADDING1 pads.", "PADDING1, which was taken out"),
        ("`K` compares, `r` runs", "the key K"),
        ("press `F11`", "the key F11"),
        ("it breaks `tensor.nothing`", "the rule tensor.nothing"),
        ('```json\n{"kind": "nothing"}\n```', "the kind nothing"),
        ("Kinds such as `cell` and `nothing`.", "the kind nothing"),
    ],
)
def test_what_is_not_there_is_noticed(planted: str, named: str) -> None:
    assert [*gone(planted, "docs/lessons.md")] == [named]


def test_what_is_there_is_not_noticed() -> None:
    assert not [*gone("`dmlviz check --json FILE`, `r`, `tensor.strides`", "docs/lessons.md")]
