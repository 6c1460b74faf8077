"""Small targets and sources, registered by the door that all of them come through: the packages' paths."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dmlviz import exporters, importers
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing

LINES = """
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "A line for each experiment.", ".txt", True
def export(session, stem):
    return Export("".join(f"{each.desc.TYPE} {len(each.name)}\\n" for each in session.experiments))
"""
BINARY = """
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "Bytes.", ".bin", False
def export(session, stem):
    return Export(bytes(range(256)))
"""
ARRAYS = """
import numpy as np
from dmlviz.exporters.lib.writing import Export
ABOUT, SUFFIX, RUNS = "A file, and arrays beside it.", ".txt", False
def export(session, stem):
    files = {f"{stem}_1.npy": np.arange(6, dtype=np.int16).reshape(2, 3), "two.npy": np.ones(2, np.float32)}
    return Export("\\n".join(sorted(files)) + "\\n", files)
"""
WORDS = """
import dmlviz as dml
from dmlviz.importers.lib.found import Found
from dmlviz.importers.lib.imported import ImportFailedError, Note
TITLE, ORDER = "sizes in words", 90
def knows(data, name):
    return data.startswith(b"words\\n")
def read(data, name, folder):
    items = []
    for number, line in enumerate(data.decode("ascii", "replace").splitlines()[1:], 2):
        words = line.split()
        if words[:1] == ["tile"] and len(words) == 3 and all(word.isdecimal() for word in words[1:]):
            size, times = map(int, words[1:])
            desc = dml.Tile(dml.TensorDesc("UINT8", (size,)), (times,))
            items.append(Found(desc, "TILE", number, name=f"line {number}"))
        else:
            items.append(Note("no sizes in words.", number))
    if not any(isinstance(item, Found) for item in items):
        raise ImportFailedError(f"{name} holds no sizes in words, expected tile and two numbers.")
    return items
"""


@contextlib.contextmanager
def placed(
    root: Path, targets: Mapping[str, str], sources: Mapping[str, str], *, alone: bool = False
) -> Iterator[None]:
    """Modules of targets and of sources, by name; gone again afterwards. `alone`: no other target is there then."""
    packages = {exporters: targets, importers: sources}
    before = {package: list(package.__path__) for package in packages}
    for package, files in packages.items():
        folder = root / package.__name__.rpartition(".")[2]
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text, "utf-8")
        package.__path__[:] = [str(folder), *([] if alone and package is exporters else before[package])]
    _forget()
    try:
        yield
    finally:
        for package, files in packages.items():
            package.__path__[:] = before[package]
            for name in files:
                sys.modules.pop(f"{package.__name__}.{name}", None)
                if hasattr(package, name):
                    delattr(package, name)
        _forget()


def registered(root: Path) -> contextlib.AbstractContextManager[None]:
    """Targets `lines`, `binary` and `arrays`, and a source of text that begins `words`, beside all others."""
    return placed(root, {"lines": LINES, "binary": BINARY, "arrays": ARRAYS}, {"words": WORDS})


def _forget() -> None:
    importlib.invalidate_caches()
    exporting._modules_by_target.cache_clear()
    importing.sources.cache_clear()
