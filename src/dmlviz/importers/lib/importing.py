"""Which sources there are, and data read by the ones that know it.

A source is a module of `dmlviz.importers`, or of a folder added to that package's path. One of several files is a
package, whose module `source` it is.

What is read is never evaluated and never unpickled. A reader says piece by piece what it took and what it left.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from ... import importers
from ...errors import SessionError
from .found import Fields, Found, Item, imported
from .imported import Imported, ImportFailedError, Note, Why
from .pasted_text import Block, as_text, fenced_blocks, in_utf8, object_amid, outside

MOST_BYTES = 64 << 20
"""A longer source is refused."""
CODE = 40
"""Sources from this order on read code, which may stand between other text; the others read a file as a whole."""
MOST_NAMED = 500
"""Lines of one text that are said not to be read."""
MOST_ABOVE = 1 << 27
"""Lines above all blocks of one text, which each of them is read with."""
_ENDINGS = {
    **dict.fromkeys(("py", "python", "python3", "pycon", "ipython", "py3", "pytorch"), ".py"),
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "c", "h", "hpp", "hlsl"), ".cpp"),
    **dict.fromkeys(("json", "json5", "jsonc"), ".json"),
}
"""How a file in the language of a block is called."""
_WORST = (Why.INVALID, Why.NOT_READ, Why.UNREADABLE, Why.NOT_FILLED, Why.NOTHING)


class Source(Protocol):
    """What a module of the package offers.

    One may have `read_with`, which is `read` with sizes for free dimensions behind the folder; `line_pattern`, which
    gives a pattern for the begin of a line that names an operator in its language; `IS_SESSION`, where a text that
    holds one says the same beside it once more; and `IS_AMID`, where it stands amid what other sources read, too.
    """

    TITLE: str
    """What it reads, as a sentence names it: "a DxDispatch model"."""
    ORDER: int
    """Sources are asked in this order whether they know the data; from `CODE` on they may be given parts of a text."""

    def knows(self, data: bytes, name: str) -> bool:
        """True if data from a file of that name looks like this source. Quick, and never raises."""

    def read(self, data: bytes, name: str, folder: Path | None) -> list[Item]:
        """What `data`, called `name`, holds, at least one desc; files it names lie in `folder`.

        A part of a text has as many empty lines above it as there are lines above it in the text. Raises
        ImportFailedError where it holds no desc.
        """


@cache
def sources() -> Sequence[Source]:
    """Every source, in the order in which they are asked."""
    modules = [module for module in pkgutil.iter_modules(importers.__path__) if module.name != "lib"]
    names = (f"{module.name}.source" if module.ispkg else module.name for module in modules)
    kinds = [cast(Source, importlib.import_module(f"{importers.__name__}.{name}")) for name in names]
    return tuple(sorted(kinds, key=lambda source: source.ORDER))


def formats() -> str:
    """What can be read, as a sentence lists it: the titles of all sources."""
    return ", ".join(source.TITLE for source in sources())


def is_known(data: bytes, name: str) -> bool:
    """True if `data` looks like something that can be read, as a whole or in a part; False for damaged UTF-16."""
    try:
        return source_of(data, name) is not None or bool(_groups(as_text(in_utf8(data, name)) or "", name))
    except SessionError:
        return False


def read(data: bytes, name: str, folder: Path | None = None, dims: Mapping[str, int] | None = None) -> Imported:
    """The experiments in `data`, whatever sources it is of; `dims` are sizes for what a model leaves free.

    Text may hold several blocks, between fences, quoted or amid prose: each is read by the source that knows it.
    Raises ImportFailedError, with one sentence, where no source knows it or those that do find no desc, and for
    `dims` that it hasn't got.
    """
    if len(data) > MOST_BYTES:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_BYTES:,}.")
    first = source_of(data, name)  # what begins as UTF-16 does may be the binary file of a source
    if first is None:
        data = in_utf8(data, name)
        first = source_of(data, name)
    text = as_text(data)
    if dims:
        reader: Any = getattr(first, "read_with", None)
        if reader is None:
            raise no_free_dims(name, first.TITLE if first is not None else "a text")
        return imported(reader(data, name, folder, dims), text or "")
    if first is not None and (first.ORDER < CODE or text is None):
        return imported(first.read(data, name, folder), text or "")
    groups = _groups(text or "", name)
    if not groups:
        raise ImportFailedError(f"{name} is nothing that can be imported, expected {formats()}.", Why.UNKNOWN)
    return imported(_items(groups, name, folder, (text or "").split("\n")), text or "")


def source_of(data: bytes, name: str) -> Source | None:
    """The first source that knows the data as a whole; None where none does."""
    return next((source for source in sources() if source.knows(data, name)), None)


# ---- texts of several blocks ------------------------------------------------------------------------------------


class _Group(Struct, frozen=True):
    """Blocks that one source reads together, or a line that none reads."""

    line: int
    text: str
    source: Source | None


def _groups(text: str, name: str) -> list[_Group]:
    """The parts of a text in order: code with its source, and lines without one that name an operator.

    What stands outside fences is read only where no source knows any block between them.
    """
    fenced = list(fenced_blocks(text))
    known = [(block, _source(block, f"block{_ENDINGS.get(block.language, '')}")) for block in fenced]
    if sessions := [pair for pair in known if getattr(pair[1], "IS_SESSION", False)]:
        return list(_joined(sessions))
    rest = outside(text, fenced)
    if any(source is not None for _, source in known):
        known.append((Block(1, rest), None))
    else:
        if (held := object_amid(rest)) is not None and getattr(source := _source(held[0], name), "ORDER", CODE) < CODE:
            known.append((held[0], source))
            rest = held[1]
        known.append((Block(1, rest), _source(Block(1, rest), name)))
    if all(source is None for _, source in known):
        return []
    unread = [line for block, source in known for line in _unread_lines(block, source)]
    code = [(block, source) for block, source in known if source is None or source.ORDER >= CODE]
    for amid in sources():
        if getattr(amid, "IS_AMID", False):
            others = (block for block, source in code if source is not amid)
            known += [(block, amid) for block in others if amid.knows(_bytes(block.text), name)]
    return sorted([*_joined(known), *unread], key=lambda group: group.line)


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _source(block: Block, name: str) -> Source | None:
    return source_of(_bytes(block.text), name)


def _joined(known: Iterable[tuple[Block, Source | None]]) -> Iterator[_Group]:
    """Groups of the blocks that a source knows; all code of one source is one group, as it shares names."""
    code: dict[str, tuple[Source, list[Block]]] = {}
    for block, source in known:
        if source is not None and source.ORDER < CODE:
            yield _Group(block.line, block.text, source)
        elif source is not None:
            code.setdefault(source.TITLE, (source, []))[1].append(block)
    for source, blocks in code.values():
        blocks.sort(key=lambda block: block.line)
        lines: list[str] = []
        for block in blocks:
            lines += [""] * (block.line - blocks[0].line - len(lines))
            lines += block.text.split("\n")
        yield _Group(blocks[0].line, "\n".join(lines), source)


def _unread_lines(block: Block, source: Source | None) -> Iterator[_Group]:
    """A group without a source for each line of a block that names an operator in another language than its own."""
    for match in islice(_line_pattern().finditer(block.text), MOST_NAMED):
        if source_of(_bytes(match[0]), "line") is not source:
            yield _Group(block.line + block.text.count("\n", 0, match.end()), "", None)


@cache
def _line_pattern() -> re.Pattern[str]:
    """A line that declares a struct or assigns a call."""
    begun = [source.line_pattern() for source in sources() if hasattr(source, "line_pattern")]
    return re.compile(rf"^[ \t>`]*+(?:{'|'.join(begun)})", re.MULTILINE)


# ---- reading them -----------------------------------------------------------------------------------------------


def _items(groups: Sequence[_Group], name: str, folder: Path | None, page: Sequence[str]) -> list[Item]:
    """What all parts of a text hold, in its order. Raises ImportFailedError where no desc is in them."""
    items: list[Item] = []
    errors: list[ImportFailedError] = []
    above = 0
    for group in groups:
        above += group.line
        if group.source is None or above > MOST_ABOVE:
            why = "an operator is named here beside what is read, expected a block of its own"
            items.append(Note(f"{why}.", group.line, unchecked=True))
            errors.append(ImportFailedError(f"{name}: line {group.line}: {why}.", Why.NOT_READ))
            continue
        text = "\n" * (group.line - 1) + group.text
        try:
            own = group.source.read(_bytes(text), name, folder)
        except ImportFailedError as error:
            errors.append(error)
            names = group.source.ORDER < CODE or _line_pattern().search(group.text) is not None
            unchecked = error.why in (Why.NOT_READ, Why.INVALID) or (error.why is Why.UNREADABLE and names)
            said = str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
            items.append(Note(said, group.line, unchecked=unchecked))
            continue
        items += _at_home(own, group.line, text.split("\n"), page)
    if not any(isinstance(item, Found) for item in items):
        raise min(errors, key=lambda error: _WORST.index(error.why))
    return sorted(items, key=lambda item: item.line)


def _at_home(items: Iterable[Item], line: int, own: Sequence[str], page: Sequence[str]) -> Iterator[Item]:
    """Items of a group that begins at `line`; `own` are its lines, and those of the page are `page`."""
    for item in items:
        if isinstance(item, Note):
            yield item if item.line else replace(item, line=line)
            continue
        item.line = item.line or line
        item.notes = [note if note.line else replace(note, line=item.line) for note in item.notes]
        item.locate = partial(_on_page, item.locate, own, page)
        yield item


def _on_page(locate: Callable[[], Fields], own: Sequence[str], page: Sequence[str]) -> Fields:
    """Places in a group as places on its page, where more may stand in front of a line."""

    def shift(line: int) -> int:
        return max(0, page[line - 1].rfind(own[line - 1].rstrip())) if line <= min(len(own), len(page)) else 0

    return {
        field: replace(
            place, column=place.column + shift(place.line), end_column=place.end_column + shift(place.end_line)
        )
        for field, place in locate().items()
    }


def no_free_dims(name: str, what: str) -> ImportFailedError:
    """The error of sizes for free dimensions that are given for something that has none."""
    can = " or ".join(source.TITLE for source in sources() if hasattr(source, "read_with"))
    return ImportFailedError(f"{name} is {what}, which has no free dimensions to give sizes for, expected {can}.")
