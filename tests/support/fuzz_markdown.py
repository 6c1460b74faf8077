"""Inputs for the reader of reports: sessions in blocks of code, quoted and damaged, among other text."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from dmlviz.exporters.lib import exporting
from dmlviz.session.examples import all_examples

LINES = [
    "# a report",
    "",
    "> quoted",
    "text with `code`",
    "```text",
    "```",
    "~~~",
    "    ```json",
    "- ```",
    "> > ```json",
]
LINES += ["```json", "````", '{"dmlviz": 1}', "\u2028", "\x00", "<!-- -->", "| a | b |", "```json title=x", "`````"]
TOKENS = [
    b"`",
    b"```",
    b"\n",
    b"\r",
    b"> ",
    b'"',
    b"{",
    b"}",
    b"[",
    b"\xff",
    b"\xef\xbb\xbf",
    b"1e999",
    b"9" * 40,
    b"\\",
]
TYPES = ["FLOAT32", "INT8", "UINT32", "INT64", "?"]
FILLS: list[Any] = [
    [1, 2, 3],
    [[1, 2], [3, 4]],
    {"fill": "iota"},
    {"fill": "random", "seed": 3},
    {"fill": "constant", "value": "nan"},
    {"npy": "gone.npy"},
    {"npy": "../x"},
    [{"npy": "gone.npy"}, None],
    None,
    7,
]


def inputs(generator: random.Random) -> bytes:
    """One input: a report with one session or two, as often as not damaged, at times anything at all."""
    if generator.random() < 0.04:
        return generator.randbytes(generator.randrange(60))
    lines: list[str] = []
    for _ in range(generator.choice((1, 1, 1, 2))):
        lines += generator.choices(LINES, k=generator.choice((0, 0, 1, 3)))
        fence = generator.choice(("```", "```", "````", "~~~"))
        indent = generator.choice((None, 1, 2))
        lines += [f"{fence}json", *json.dumps(_session(generator), indent=indent).split("\n"), fence]
    lines += generator.choices(LINES, k=generator.choice((0, 0, 2)))
    if generator.random() < 0.05:
        lines = generator.choice(_exported())
    quote = generator.choice(("", "", "", "> ", ">", ">> ", "> > "))
    end = generator.choice(("\n", "\n", "\r\n", "\r"))
    data = end.join(quote + line for line in lines).encode()
    for _ in range(generator.choice((0, 0, 0, 1, 2, 5))):
        at = generator.randrange(len(data) + 1)
        data = data[:at] + generator.choice(TOKENS) + data[at + generator.choice((0, 0, 1, 5, 40)) :]
    return data


@cache
def _exported() -> list[list[str]]:
    """A few examples as dmlviz reports them, line by line."""
    return [exporting.export(each.session(), "markdown").data.decode().split("\n") for each in all_examples()[::9]]


def _session(generator: random.Random) -> Any:
    found = [_experiment(generator) for _ in range(generator.choice((1, 1, 2)))]
    return {"dmlviz": 1 if generator.random() < 0.97 else generator.choice((2, "1", None)), "experiments": found}


def _experiment(generator: random.Random) -> Any:
    def tensor() -> dict[str, Any]:
        kind = TYPES[0] if generator.random() < 0.6 else generator.choice(TYPES)
        return {"DataType": kind, "Sizes": [generator.choice((1, 2, 2, 3, 0, 2**32)) for _ in range(2)]}

    if generator.random() < 0.5:
        kind = "TILE"
        desc: dict[str, Any] = {"InputTensor": tensor(), "Repeats": [1, generator.randrange(3)]}
        values = {"InputTensor": generator.choice(FILLS)} if generator.random() < 0.6 else {}
    else:
        kind = "JOIN"
        desc = {"InputTensors": [tensor(), tensor()], "Axis": generator.randrange(3)}
        values = {"InputTensors": generator.choice(([None, {"npy": "gone.npy"}], [[1], [2]], [None, None]))}
        values = values if generator.random() < 0.6 else {}
    found: dict[str, Any] = {
        "name": "n",
        "feature_level": "5_0",
        "type": f"DML_OPERATOR_{kind}",
        "desc": desc,
        "values": values,
    }
    if generator.random() < 0.03:
        del found[generator.choice(list(found))]
    return found
