"""Targets and sources for the screens' tests, which stand in the packages in place of the real ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from dmlviz.exporters.lib import exporting
from support.sources_and_targets import placed

TARGETS = {
    "plain": """
import numpy as np
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "A short script that says what each experiment is.", ".py", True
def export(session, stem):
    lines = [f"# {each.desc.TYPE}\\nassert {i} == {i}" for i, each in enumerate(session.experiments)]
    return Export("import numpy as np\\n\\n" + "\\n".join(lines) + "\\n")
""",
    "arrays": """
import numpy as np
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "A script with its arrays in files beside it.", ".py", True
def export(session, stem):
    names = [f"{stem}-{i}.npy" for i in range(2)]
    text = "".join(f"x = np.load({name!r})\\n" for name in names)
    return Export(text, {name: np.arange(6, dtype="<f4") for name in names})
""",
    "model": """
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "A binary model.", ".onnx", True
def export(session, stem):
    return Export(b"\\x08\\x07\\x1b[31m")
""",
    "refuses": """
from dmlviz.errors import DmlvizError
ABOUT, SUFFIX, RUNS = "A target that can't say it.", ".txt", False
def export(session, stem):
    raise DmlvizError("Axis is [red]3[/red] & \\\\[, expected what this target can say.")
""",
    "long": """
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "Very many lines in C++, which any terminal can show.", ".cpp", False
def export(session, stem):
    row = "    const UINT sizes_{0}[] = {{{0}, 2, 3}}; // the sizes of tensor {0}\\n"
    return Export("#include <DirectML.h>\\n\\nvoid run() {\\n" + "".join(map(row.format, range(40_000))) + "}\\n")
""",
    "hostile": """
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "Text \\x1b[31m [bold]that[/bold] would break a terminal.", ".py", False
def export(session, stem):
    text = "".join(f"# {each.name}\\n" for each in session.experiments)
    return Export("x = '\\x1b]0;title\\x07 [red]two[/red] \\u202e'\\n" + text + "#" + "y" * 50_000 + "\\n")
""",
}
SOURCES = {
    "toylines": """
import dmlviz as dml
from dmlviz.importers.lib.found import Found
from dmlviz.importers.lib.imported import ImportFailedError, Note
TITLE, ORDER = "lines of toys", -1
def knows(data, name):
    return b"toy" in data and not data.startswith(b"dml")
def read(data, name, folder):
    items = []
    for n, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["toy"] and len(words) > 2:
            desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), int(words[2]), 1)
            items.append(Found(desc, f"GATHER along axis {words[2]}", n, name=words[1]))
        elif words:
            items.append(Note(f"{words[0]} is no toy, so it was ignored", n))
    if not any(isinstance(item, Found) for item in items):
        raise ImportFailedError(f"{name} has no toy [b]at all[/b], expected a line such as: toy name 0.")
    return items
""",
}


@contextmanager
def toys(root: Path) -> Iterator[None]:
    """Only the targets of this module are there, and its source is asked first."""
    with mock.patch.object(exporting, "ORDER", tuple(TARGETS)), placed(root, TARGETS, SOURCES, alone=True):
        yield
