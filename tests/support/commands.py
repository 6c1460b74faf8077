"""`dmlviz` called in this process or in one of its own, and session files to give it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from dmlviz.cli import entry

MARK = '"MARK"'
PROGRESS = r" … \d+ s$"


@dataclass(frozen=True)
class Result:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)["experiments"]

    @property
    def said(self) -> list[str]:
        """The sentences on stderr, without those that only say what takes so long."""
        lines = self.err.splitlines()
        assert all(line.startswith("dmlviz: ") for line in lines), self.err
        return [line.removeprefix("dmlviz: ") for line in lines if not re.search(PROGRESS, line)]


def call(*argv: str | Path, stdin: str | bytes = "") -> Result:
    """`dmlviz ARGS...` in this process."""
    given = io.TextIOWrapper(io.BytesIO(stdin if isinstance(stdin, bytes) else stdin.encode()))
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "stdin", given), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            entry.main([str(word) for word in argv])
        except SystemExit as ended:
            code = ended.code
    assert isinstance(code, int)
    return Result(code, out.getvalue(), err.getvalue())


def process(*argv: str | Path, stdin: str = "", **environment: str) -> Result:
    """`python -m dmlviz ARGS...`."""
    made = subprocess.run(
        [sys.executable, "-m", "dmlviz", *map(str, argv)],
        input=stdin.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    return Result(made.returncode, made.stdout.decode(), made.stderr.decode())


def experiment(name: str = "n", **changes: Any) -> dict[str, Any]:
    """TILE of {2} of UINT8 by 2, as a session file holds it, with fields of its desc changed."""
    desc = {"InputTensor": {"DataType": "UINT8", "Sizes": [2]}, "Repeats": [2]}
    return {"name": name, "feature_level": "5_0", "type": "DML_OPERATOR_TILE", "desc": {**desc, **changes}}


def document(*experiments: Any) -> str:
    return json.dumps({"dmlviz": 1, "experiments": experiments})


def set_at(path: str, raw: str) -> str:
    """The experiment "bad" as JSON text, with `raw` at a dotted path."""
    found = {**experiment("bad"), "values": {"InputTensor": [1, 2]}}
    *way, last = path.split(".")
    at: Any = found
    for key in way:
        at = at[key]
    at[last] = "MARK"
    return json.dumps(found).replace(MARK, raw)


def among_good(raw: str) -> str:
    """A session of the experiment `raw` between two that are fine."""
    return document(experiment("first"), "MARK", experiment("last")).replace(MARK, raw)


def one_line(text: str) -> bool:
    return text.endswith(".") and text.isprintable()
