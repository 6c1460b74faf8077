"""Inputs for the step that parts pasted texts: code of all kinds in wrappings of all kinds, damaged."""

from __future__ import annotations

import json
import random as std_random
from collections.abc import Callable, Sequence
from functools import cache

from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment
from support import dumped_cpp, fuzz_calls
from support.mutations import damaged
from support.snippets_cpp import SNIPPETS

PROSE = (
    "Hello, it doesn't work (why?",
    "What's wrong with torch.cat(...)?",
    "It's E_INVALIDARG (0x80070057), isn't it: line 3, column 4",
    "Output: 1, 2, 3 } ) ]",
    "| a | b |",
    "- a list",
    "DML_GATHER_OPERATOR_DESC is broken",
    "",
    "```",
    "~~~",
    "> quoted",
    "+ added",
    "@@ -1 +1 @@",
    "Out[3]: 4",
    "Traceback (most recent call last):",
    "D3D12 ERROR: it is so",
    "\u2028\u202e\x1b[0m",
)
SIGNS = (
    "`",
    "```",
    "~~~~",
    ">",
    "> ",
    ">>> ",
    "+",
    "-",
    "@@",
    "In [1]: ",
    "   ...: ",
    "Out[",
    "\n",
    "\r",
)


def fenced(text: str, fence: str = "```", language: str = "") -> str:
    """A block of code."""
    return f"{fence}{language}\n{text}\n{fence}\n"


def before_lines(text: str, mark: str) -> str:
    """A mark in front of every line."""
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


def prompted(text: str) -> str:
    """A dialogue in which every line was typed."""
    return "".join(f"In [{n}]: {line}\nOut[{n}]: \n" for n, line in enumerate(text.split("\n"), 1))


WRAPPINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    fenced,
    lambda text: fenced(text, "~~~~", "cpp"),
    lambda text: fenced(text, language="python"),
    lambda text: before_lines(text, "> "),
    lambda text: before_lines(text, "> > "),
    lambda text: before_lines(fenced(text), "> "),
    lambda text: fenced(before_lines(text, ">")),
    prompted,
    lambda text: before_lines(text, ">>> "),
    lambda text: before_lines(text, "    "),
    lambda text: text.replace("\n", "\r\n"),
)
LOGGED: tuple[Callable[[str], str], ...] = (
    lambda text: before_lines(text, "[12:00:01] "),
    lambda text: json.dumps({"message": text}),
    lambda text: "\n".join(text[k : k + 80] for k in range(0, len(text), 80)),
)
"""What only descs that dml_dump.h printed are found in."""


@cache
def _sessions() -> tuple[str, ...]:
    held = (each.session() for each in all_examples()[:6])
    return tuple(export(each, target).content for each in held for target in ("dxdispatch", "markdown"))  # type: ignore[misc]


@cache
def _dumps() -> tuple[str, ...]:
    return tuple(dumped_cpp.line_of(one.desc, "a") for each in all_examples()[:6] for one in each.session().experiments)


def _code(random: std_random.Random) -> str:
    how = random.random()
    if how < 0.4:
        return random.choice(SNIPPETS).text
    if how < 0.9:
        return "\n".join(fuzz_calls.valid(random, random.choice(("numpy", "torch"))))
    return random.choice(_sessions() if how < 0.95 else _dumps())


def inputs(random: std_random.Random) -> bytes:
    """The bytes of one input; the same for the same state of `random`."""
    parts = []
    for _ in range(random.choice((1, 1, 2, 3))):
        parts += [random.choice(PROSE) for _ in range(random.randint(0, 2))]
        text = random.choice(WRAPPINGS)(_code(random))
        parts.append(random.choice(WRAPPINGS + LOGGED)(text) if random.random() < 0.3 else text)
    parts += [random.choice(PROSE) for _ in range(random.randint(0, 1))]
    text = "\n".join(parts)
    for _ in range(random.choice((0, 0, 1, 3))):
        at = random.randint(0, len(text))
        text = text[:at] + random.choice(SIGNS) * random.choice((1, 1, 3)) + text[at + random.randint(0, 3) :]
    data = text.encode("utf-16") if random.random() < 0.1 else text.encode()
    return damaged(random, data) if random.random() < 0.4 else data


def read(data: bytes) -> Sequence[Experiment]:
    """What is made of them, with every remark fit for a terminal."""
    importing.is_known(data, "input")
    found = importing.read(data, "input")
    for each in found.remarks:
        assert each.where.isprintable(), repr(each.where)
        assert each.text.isprintable(), repr(each.text)
    return found.experiments
