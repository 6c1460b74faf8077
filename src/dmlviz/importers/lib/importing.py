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
from typing import Protocol, cast, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from ... import importers
from ...errors import SessionError, plain
from ...formats.json_places import Place
from .found import Fields, Found, Item, imported
from .imported import Imported, ImportFailedError, Note, Why
from .pasted_text import (
    Block,
    Dump,
    as_text,
    cleaned,
    dumps,
    fenced_blocks,
    has_dumps,
    in_utf8,
    outside,
    unfenced_blocks,
    without_prose,
)

MOST_BYTES = 64 << 20
"""A longer source is refused."""
CODE = 40
"""Sources from this order on read code, which may stand between other text; the others read a file as a whole."""
MOST_DUMPS, MOST_NAMED = 500, 500
"""Descs of one log that are read; lines of one text that are said not to be."""
MOST_ABOVE = 1 << 27
"""Lines above all blocks of one text, which each of them is read with."""
_ENDINGS = {
    **dict.fromkeys(("py", "python", "python3", "pycon", "ipython", "py3", "pytorch"), ".py"),
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "c", "h", "hpp", "hlsl"), ".cpp"),
    **dict.fromkeys(("json", "json5", "jsonc"), ".json"),
}
"""How a file in the language of a block is called."""


class Source(Protocol):
    """What a module of the package offers."""

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


@runtime_checkable
class HasFreeDims(Protocol):
    """What a source offers beside `read` whose dimensions may be free."""

    def read_with(self, data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> list[Item]:
        """As `read`, with sizes for free dimensions; raises ImportFailedError for one that isn't there too."""


@runtime_checkable
class NamesOperators(Protocol):
    """What a source of code offers beside `read`: how a text that isn't read names operators in its language."""

    def operator_pattern(self) -> str:
        """A pattern for an operator's name, without groups."""

    def line_pattern(self) -> str:
        """A pattern for the begin of a line that fills a struct or calls an operator, blanks before it apart."""


@runtime_checkable
class ReadsDumps(Protocol):
    """What the source offers beside `read` whose JSON dml_dump.h prints."""

    def read_dump(self, text: str, line: int, result: int | None) -> Found | Note:
        """The desc printed at a line, to which CreateOperator gave `result`; a note where it can't be read."""


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
    if source_of(data, name) is not None:
        return True
    try:
        data = in_utf8(data, name)
    except SessionError:
        return False
    return source_of(data, name) is not None or has_dumps(data) or bool(_groups(as_text(data) or "", name))


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
    if dims and first is not None:
        if not isinstance(first, HasFreeDims):
            raise no_free_dims(name, first.TITLE)
        return imported(first.read_with(data, name, folder, dims), text or "")
    if first is not None and (first.ORDER < CODE or text is None):
        return imported(first.read(data, name, folder), text or "")
    printed, rest = dumps(text or "")
    groups = _groups(rest, name)
    if not printed and not groups:
        raise ImportFailedError(f"{name} is nothing that can be imported, expected {formats()}.", Why.UNKNOWN)
    if dims:
        raise no_free_dims(name, "a text")
    return imported(_items(_logged(printed), groups, name, folder, (text or "").split("\n")), text or "")


def source_of(data: bytes, name: str) -> Source | None:
    """The first source that knows the data as a whole; None where none does."""
    return next((source for source in sources() if source.knows(data, name)), None)


# ---- texts of several blocks ------------------------------------------------------------------------------------


class _Group(Struct, frozen=True):
    """Blocks that one source reads together, or a place that none reads."""

    line: int
    text: str
    source: Source | None
    why: str = ""
    """What is wrong with a place that none reads."""


def _groups(text: str, name: str) -> list[_Group]:
    """The parts of a text in order: code with its source, and places without one that name an operator.

    Blocks between fences are preferred: what stands outside them is read only where no source knows any of them.
    """
    fenced = list(fenced_blocks(text)) if "```" in text or "~~~" in text else []
    known = [_with_source(block, name) for block in fenced]
    if sessions := [pair for pair in known if getattr(pair[1], "IS_SESSION", False)]:
        return list(_joined(sessions))  # a report, of which the rest says the same
    rest = outside(text, fenced) if fenced else text
    outside_them = []
    if any(source is not None for _, source in known):
        places, outside_them = list(_unread_lines(rest, None)), [Block(1, rest)]
    else:
        known = [_with_source(block, name) for block in unfenced_blocks(rest)]
        if all(source is None for _, source in known):
            return []
        places = [place for block, source in known if source for place in _unread_lines(block.text, source)]
        places += list(_unread_blocks(fenced))
    places += list(_unread_blocks(block for block, source in known if source is None))
    amid = next(source for source in sources() if getattr(source, "IS_AMID", False))
    code = [block for block, source in known if source not in (None, amid) and source.ORDER >= CODE]
    mixed = map(cleaned, code + outside_them)
    known += [(block, amid) for block in mixed if amid.knows(block.text.encode(errors="replace"), name)]
    return sorted([*_joined(known), *places], key=lambda group: group.line)


def _with_source(block: Block, name: str) -> tuple[Block, Source | None]:
    """A block, cleaned if it is code, and the source that knows it, or None. Fences name a language."""
    called = f"block{_ENDINGS.get(block.language, '')}" if block.fenced else name
    source = source_of(block.text.encode(errors="replace"), called)
    if source is None or source.ORDER >= CODE:
        block = cleaned(block)
        source = source_of(block.text.encode(errors="replace"), called)
    if source is not None and source.ORDER >= CODE and not getattr(source, "AMID_PROSE", False):
        block = replace(block, text=without_prose(block.text))
    return block, source


def _joined(known: Iterable[tuple[Block, Source | None]]) -> Iterator[_Group]:
    """Groups of the blocks that a source knows; all code of one source is one group, as it shares names."""
    code: dict[str, tuple[Source, list[Block]]] = {}
    for block, source in known:
        if source is not None and source.ORDER < CODE:
            yield _Group(block.line, block.text, source)
        elif source is not None:
            code.setdefault(source.TITLE, (source, []))[1].append(block)
    for source, blocks in code.values():
        lines: list[str] = []
        for block in blocks:
            lines += [""] * (block.line - blocks[0].line - len(lines))
            lines += block.text.split("\n")
        yield _Group(blocks[0].line, "\n".join(lines), source)


# ---- what is named and not read ---------------------------------------------------------------------------------


def _unread_blocks(blocks: Iterable[Block]) -> Iterator[_Group]:
    """A group without a source for each block that names an operator."""
    for block in blocks:
        named = _operator_named(block.text)
        if named:
            yield _Group(block.line, "", None, f"it names {named} and is no code that can be read")


def _unread_lines(text: str, source: Source | None) -> Iterator[_Group]:
    """A group without a source for each line that names an operator and that `source` doesn't read; None reads none."""
    for match in islice(_line_pattern().finditer(text), MOST_NAMED):
        line = text.count("\n", 0, match.start()) + 1
        if source is None or source_of(match[0].encode(), "line") not in (source, None):
            named = _operator_named(match[0])
            beside = "outside the blocks of code" if source is None else f"beside {source.TITLE}"
            yield _Group(line, "", None, f"it names {named} {beside}, and isn't read; expected a block of its own")


@cache
def _operator_pattern() -> re.Pattern[str]:
    """A pattern for an operator's name in the language of any source."""
    return re.compile("|".join(source.operator_pattern() for source in sources() if isinstance(source, NamesOperators)))


@cache
def _line_pattern() -> re.Pattern[str]:
    """A line that declares a struct or assigns a call."""
    begun = "|".join(source.line_pattern() for source in sources() if isinstance(source, NamesOperators))
    return re.compile(rf"^[ \t>`]*+(?:{begun})", re.MULTILINE)


def _operator_named(text: str) -> str:
    """The first struct or call of an operator that is known here, in a text; empty where there is none."""
    match = _operator_pattern().search(text)
    return match[0].rstrip("(< \t") if match else ""


# ---- reading them -----------------------------------------------------------------------------------------------


def _logged(printed: Sequence[Dump]) -> Iterator[Item]:
    """The descs that dml_dump.h printed into a log, with what is said of them there."""
    reader = next((source for source in sources() if isinstance(source, ReadsDumps)), None)
    for dump in printed[:MOST_DUMPS]:
        if not dump.text:
            yield Note("a desc that dml_dump.h printed begins here, and breaks off.", dump.line, unchecked=True)
            continue
        assert reader is not None
        item = reader.read_dump(dump.text, dump.line, dump.result)
        if isinstance(item, Found):
            said = [plain(sentence, 400) for sentence in dump.said]
            item.written = "\n\n".join(f"The debug layer: {sentence}" for sentence in said)
            item.notes += [Note(sentence, item.line, item.at, told="debug layer") for sentence in said]
            if dump.times > 1:
                item.notes.append(Note(f"it is printed {dump.times:,} times, and taken once.", item.line, item.at))
        yield item
    for dump in printed[MOST_DUMPS : MOST_DUMPS + 1]:
        yield Note(f"{len(printed) - MOST_DUMPS:,} descs too many begin here.", dump.line, unchecked=True)


def _items(
    logged: Iterable[Item], groups: Sequence[_Group], name: str, folder: Path | None, page: Sequence[str]
) -> list[Item]:
    """What all parts of a text hold, in its order. Raises ImportFailedError where no desc is in them."""
    items = list(logged)
    errors: list[ImportFailedError] = []
    above = 0
    for group in groups:
        above += group.line
        if group.source is None or above > MOST_ABOVE:
            why = group.why or "this block is one of too many"
            items.append(Note(f"{why}.", group.line, unchecked=True))
            continue
        text = "\n" * (group.line - 1) + group.text
        try:
            own = group.source.read(text.encode(errors="replace"), name, folder)
        except ImportFailedError as error:
            errors.append(error)
            holds_none = error.why in (Why.NOTHING, Why.NOT_FILLED)
            said = str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
            items.append(Note(said, group.line, unchecked=bool(_operator_named(group.text)) and not holds_none))
            continue
        items += _at_home(own, group.line, text.split("\n"), page)
    if any(isinstance(item, Found) for item in items):
        return sorted(items, key=lambda item: item.line)
    notes = [item for item in items if isinstance(item, Note)]
    broken = next((note for note in notes if note.check is not None), None)
    told = broken or next((note for note in notes if note.unchecked), notes[0])
    worse = [error for error in errors if error.why is not Why.NOTHING]
    if broken is None and (worse or (errors and not told.unchecked)):
        raise (worse or errors)[0]
    at = f", {told.at}" if told.at else ""
    reason = Why.INVALID if broken else Why.NOT_READ if told.unchecked else Why.NOTHING
    raise ImportFailedError(f"{name}: line {told.line}{at}: {told.text}", reason)


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
    found: dict[str, Place] = {}
    for field, place in locate().items():
        ends = []
        for line, column in ((place.line, place.column), (place.end_line, place.end_column)):
            inner, outer = (lines[line - 1].rstrip() if line <= len(lines) else "" for lines in (own, page))
            ends.append(min(column + (len(outer) - len(inner) if outer.endswith(inner) else 0), len(outer) + 1))
        found[field] = replace(place, column=ends[0], end_column=ends[1])
    return found


def no_free_dims(name: str, what: str) -> ImportFailedError:
    """The error of sizes for free dimensions that are given for something that has none."""
    can = " or ".join(source.TITLE for source in sources() if isinstance(source, HasFreeDims))
    return ImportFailedError(f"{name} is {what}, which has no free dimensions to give sizes for, expected {can}.")
