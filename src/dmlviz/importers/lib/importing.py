"""The sources: modules of `dmlviz.importers` and of folders in its path. What is read is never evaluated."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec.structs import replace

from ... import importers
from .found import Found, Item, imported
from .imported import Imported, ImportFailedError, Note, Why
from .pasted_text import as_text, in_utf8, parted

MOST_BYTES, MOST_BLOCKS = 64 << 20, 200
CODE = 40
"""Sources from this order on read all blocks of a text together; the others read one as a file."""
_HUNK = re.compile(r"^[ \t>]*@@ -\d", re.MULTILINE)
_WORST = (Why.INVALID, Why.NOT_READ, Why.UNREADABLE, Why.NOT_FILLED, Why.NOTHING)


class Source(Protocol):
    """A module of the package; it may have `read_with`, for sizes of free dimensions, and `IS_AMID`: in prose."""

    TITLE: str
    """What it reads, as a sentence names it: "a DxDispatch model"."""
    ORDER: int
    """Sources are asked in this order whether they know the data; 0 is a session's."""

    def knows(self, data: bytes, name: str) -> bool:
        """True if data from a file of that name looks like this source. Quick, and never raises."""

    def read(self, data: bytes, name: str, folder: Path | None) -> list[Item]:
        """What `data`, called `name`, holds; files it names lie in `folder`.

        A part of a text stands in the lines in which the text has it. Raises ImportFailedError where it can't be read.
        """


@cache
def sources() -> Sequence[Source]:
    modules = [module for module in pkgutil.iter_modules(importers.__path__) if module.name != "lib"]
    names = (f"{module.name}.source" if module.ispkg else module.name for module in modules)
    kinds = [cast(Source, importlib.import_module(f"{importers.__name__}.{name}")) for name in names]
    return tuple(sorted(kinds, key=lambda source: source.ORDER))


def formats() -> str:
    return ", ".join(source.TITLE for source in sources())


def is_known(data: bytes, name: str) -> bool:
    return source_of(data, name) is not None or bool(_parts(as_text(in_utf8(data)), name)[0])


def read(data: bytes, name: str, folder: Path | None = None, dims: Mapping[str, int] | None = None) -> Imported:
    """The experiments in `data`; `dims` are sizes for what a model leaves free. Raises ImportFailedError."""
    if len(data) > MOST_BYTES:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_BYTES:,}.")
    first = source_of(data, name)  # what begins as UTF-16 does may be the binary file of a source
    if first is None:
        data = in_utf8(data)
        first = source_of(data, name)
    if dims:
        reader: Any = getattr(first, "read_with", None)
        if reader is None:
            raise no_free_dims(name, first.TITLE if first is not None else "a text")
        items: list[Item] = reader(data, name, folder, dims)
    elif first is not None and first.ORDER < CODE:
        items = first.read(data, name, folder)
    else:
        items = _items(as_text(data), name, folder)
    if not any(isinstance(item, Found) for item in items):
        notes = [item for item in items if isinstance(item, Note)]
        said = min(notes, key=lambda note: (note.check is None, not note.unchecked), default=Note("it holds no desc."))
        why = Why.INVALID if said.check else Why.NOT_READ if said.unchecked else Why.NOTHING
        raise ImportFailedError(f"{name}: {said.where and f'{said.where}: '}{said.text}", why)
    return imported(items, as_text(data))


def source_of(data: bytes, name: str) -> Source | None:
    return next((source for source in sources() if source.knows(data, name)), None)


def no_free_dims(name: str, what: str) -> ImportFailedError:
    can = " or ".join(source.TITLE for source in sources() if hasattr(source, "read_with"))
    return ImportFailedError(f"{name} is {what}, which has no free dimensions to give sizes for, expected {can}.")


_Block = tuple[int, str]


def _parts(text: str, name: str) -> tuple[list[tuple[Source, list[_Block]]], list[Item]]:
    """The blocks of a text by source, and notes on what is passed over: all that stands beside a session is."""
    fenced, rest = parted(text)
    known: list[tuple[Source, _Block]] = []
    for line, block, language in fenced[:MOST_BLOCKS]:
        called = f"block.{language.replace('c++', 'cpp').replace('python', 'py')}"
        known += [(source, (line, block)) for source in _knowing(block, called)]
    beside = bool(known)
    left: list[Item] = [Note(f"only {MOST_BLOCKS} blocks are read.", unchecked=True)] * (len(fenced) > MOST_BLOCKS)
    for source in _knowing(rest, name):
        if beside and not getattr(source, "IS_AMID", False):
            left.append(Note(f"the text outside the fences looks like {source.TITLE}, and is passed over."))
        else:
            known.append((source, (1, rest)))
    if sessions := [pair for pair in known if pair[0].ORDER == 0]:
        known, left = sessions, []
    parts = [(source, [block]) for source, block in known if source.ORDER < CODE]
    code = {source.TITLE: source for source, _ in known if source.ORDER >= CODE}
    parts += [(source, sorted(block for one, block in known if one is source)) for source in code.values()]
    return parts, left


def _knowing(text: str, name: str) -> list[Source]:
    known = [source for source in sources() if source.knows(text.encode(errors="replace"), name)]
    return known[:1] if known and known[0].ORDER < CODE else known


def _items(text: str, name: str, folder: Path | None) -> list[Item]:
    if _HUNK.search(text):
        raise ImportFailedError(f"{name} is a diff, which isn't read, expected the text that it makes.", Why.NOT_READ)
    parts, items = _parts(text, name)
    errors = []
    if not parts:
        raise ImportFailedError(f"{name} has nothing to import, expected {formats()}.", Why.UNKNOWN)
    for source, blocks in parts:
        line = blocks[0][0]
        lines: list[str] = []
        for start, block in blocks:
            lines += [""] * (start - 1 - len(lines))
            lines += block.split("\n")
        try:
            own = source.read("\n".join(lines).encode(errors="replace"), name, folder)
        except ImportFailedError as error:
            errors.append(error)
            said = str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
            own = [Note(said, unchecked=error.why not in (Why.NOTHING, Why.NOT_FILLED))]
        for item in own:
            if isinstance(item, Found):
                item.line = item.line or line
                item.notes = [note if note.line else replace(note, line=item.line) for note in item.notes]
            items.append(item if item.line else replace(item, line=line))
    if len(errors) == len(parts):
        raise min(errors, key=lambda error: _WORST.index(error.why))
    return sorted(items, key=lambda item: item.line)
