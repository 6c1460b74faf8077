"""Which sources there are, and data read by the ones that know it.

A source is a module of `dmlviz.importers`, or of a folder added to that package's path. One of several files is a
package, whose module `source` it is.

What is read is never evaluated and never unpickled. A reader says piece by piece what it took and what it left.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from ... import importers
from ...errors import SessionError, plain
from ...session.experiments import Experiment
from ...session.wiring import resolved
from .imported import Imported, ImportFailedError, NothingHereError, NotReadError, Remark
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
from .text_places import Read, moved, with_lines
from .wired import joined

MOST_BYTES = 64 << 20
"""A longer source is refused."""
CODE = 40
"""Sources from this order on read code, which may stand between other text; the others read a file as a whole."""
MOST_GROUPS = 500
"""Blocks of one text that are read."""
_ENDINGS = {
    **dict.fromkeys(("py", "python", "python3", "pycon", "ipython", "py3", "pytorch"), ".py"),
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "c", "h", "hpp", "hlsl"), ".cpp"),
    **dict.fromkeys(("json", "json5", "jsonc"), ".json"),
}
"""How a file in the language of a block is called."""
_LINE = re.compile(r"(?:(?<=: )|(?<=; )|\A)line ([\d,]{1,15})\b")
_WHERE = re.compile(r"line ([\d,]{1,15})")
_EXPERIMENT = re.compile(r"(?<=is experiment )(\d{1,9})(?=,)")


class UnknownFormatError(ImportFailedError):
    """The data is nothing that any source knows."""


class Source(Protocol):
    """What a module of the package offers."""

    TITLE: str
    """What it reads, as a sentence names it: "a DxDispatch model"."""
    ORDER: int
    """Sources are asked in this order whether they know the data; from `CODE` on they may be given parts of a text."""

    def knows(self, data: bytes, name: str) -> bool:
        """True if data from a file of that name looks like this source. Quick, and never raises."""

    def read(self, data: bytes, name: str, folder: Path | None) -> Imported:
        """Experiments in `data`, called `name`; files it names lie in `folder`. Raises ImportFailedError for none."""


@runtime_checkable
class HasFreeDims(Protocol):
    """What a source offers beside `read` whose dimensions may be free."""

    def read_with(self, data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> Imported:
        """As `read`, with sizes for free dimensions; raises ImportFailedError for one that isn't there too."""


@runtime_checkable
class NamesOperators(Protocol):
    """What a source of code offers beside `read`: how a text that isn't read names operators in its language."""

    def operator_pattern(self) -> str:
        """A pattern for an operator's name, without groups."""

    def line_pattern(self) -> str:
        """A pattern for the begin of a line that fills a struct or calls an operator, blanks before it apart."""


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
    return source_of(data, name) is not None or bool(_groups(data, name))


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
    if dims and first is not None:
        if isinstance(first, HasFreeDims):
            return _complete(first.read_with(data, name, folder, dims), data)
        raise no_free_dims(name, first.TITLE)
    if first is not None and first.ORDER < CODE:
        try:
            return _complete(first.read(data, name, folder), data)
        except ImportFailedError:
            if first is not _dxdispatch() or not has_dumps(data):
                raise  # else a log that begins with a model
    groups = _groups(data, name)
    if groups:
        if dims:
            raise no_free_dims(name, "a text")
        return _complete(_Parted(name, folder).read(groups, data), data)
    if first is None:
        raise UnknownFormatError(f"{name} is nothing that can be imported, expected {formats()}.")
    return _complete(first.read(data, name, folder), data)


def _complete(imported: Imported, data: bytes) -> Imported:
    """What was read, with what is known of each experiment besides."""
    return with_lines(_with_unchecked(imported), data)


def _with_unchecked(imported: Imported) -> Imported:
    """What was read; each experiment also has the remarks on what could not be checked of it."""
    left: dict[int, list[str]] = {}
    for remark in imported.remarks:
        if remark.unchecked and remark.experiment is not None:
            left.setdefault(remark.experiment, []).append(f"{remark.where}: {remark.text}")
    if not left:
        return imported
    experiments = [
        dataclasses.replace(experiment, not_checked=(*experiment.not_checked, *left.get(i, ())))
        for i, experiment in enumerate(imported.experiments)
    ]
    return replace(imported, experiments=resolved(tuple(experiments)))


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
    dump: Dump | None = None
    """How it stands in a log."""


def _groups(data: bytes, name: str) -> list[_Group]:
    """The parts of a text in order: code with its source, and places without one that name an operator; [] for no text.

    Blocks between fences are preferred: what stands outside them is read only where no source knows any of them.
    """
    text = as_text(data)
    if text is None:
        return []
    printed, rest = dumps(text)
    groups = [_group_of_dump(dump) for dump in printed[:MOST_GROUPS]]
    many = f"{len(printed) - MOST_GROUPS:,} descs too many begin here"
    more = (_Group(dump.block.line, "", None, many) for dump in printed[MOST_GROUPS : MOST_GROUPS + 1])
    return [*groups, *more, *_parts(rest, name)]


def _group_of_dump(dump: Dump) -> _Group:
    """A desc of a log for the source that reads DxDispatch's models."""
    if not dump.block.text:
        return _Group(dump.block.line, "", None, "a desc that dml_dump.h printed begins here, and breaks off")
    return _Group(dump.block.line, dump.block.text, _dxdispatch(), dump=dump)


@cache
def _dxdispatch() -> Source:
    return next(source for source in sources() if getattr(source, "DUMPED", None))


def _parts(text: str, name: str) -> list[_Group]:
    """The parts of a text without what dml_dump.h printed."""
    fenced = list(fenced_blocks(text)) if "```" in text or "~~~" in text else []
    known = [_with_source(cleaned(block), name) for block in fenced[:MOST_GROUPS]]
    rest = outside(text, fenced) if fenced else text
    if any(source is not None for _, source in known):
        places = [*_unread_lines(rest, None), *_unread_blocks(fenced[MOST_GROUPS:], "is one block of too many")]
    else:
        known = [_with_source(block, name) for block in unfenced_blocks(rest)]
        if all(source is None for _, source in known):
            return []
        places = [place for block, source in known if source for place in _unread_lines(block.text, source)]
        places += list(_unread_blocks(fenced, "is no code that can be read"))
    places += list(_unread_blocks((block for block, source in known if source is None), "is no code that can be read"))
    return sorted([*_joined(known), *places], key=lambda group: group.line)


def _with_source(block: Block, name: str) -> tuple[Block, Source | None]:
    """A block, without prose if it is code, and the source that knows it, or None. Fences name a language."""
    called = f"block{_ENDINGS.get(block.language, '')}" if block.fenced else name
    source = source_of(block.text.encode(errors="replace"), called)
    if source is not None and source.ORDER >= CODE and not getattr(source, "AMID_PROSE", False):
        block = replace(block, text=without_prose(block.text))
    return block, source


def _joined(known: Iterable[tuple[Block, Source | None]]) -> Iterator[_Group]:
    """Groups of the blocks that a source knows; neighbours of one source of code are one group, as they share names."""
    together: list[Block] = []
    reads: Source | None = None
    for block, source in known:
        if source is None:
            continue
        if together and (source is not reads or source.ORDER < CODE):
            yield _group_of(together, reads)
            together = []
        together.append(block)
        reads = source
    if together:
        yield _group_of(together, reads)


def _group_of(blocks: list[Block], source: Source | None) -> _Group:
    """Several blocks as one text, each at its line."""
    lines: list[str] = []
    first = blocks[0].line
    for block in blocks:
        lines += [""] * (block.line - first - len(lines))
        lines += block.text.split("\n")
    return _Group(first, "\n".join(lines), source)


# ---- what is named and not read ---------------------------------------------------------------------------------


def _unread_blocks(blocks: Iterable[Block], why: str) -> Iterator[_Group]:
    """A group without a source for each block that names an operator; `why` says why it is not read."""
    for block in blocks:
        named = _operator_named(block.text)
        if named:
            yield _Group(block.line, "", None, f"it names {named} and {why}")


def _unread_lines(text: str, source: Source | None) -> Iterator[_Group]:
    """A group without a source for each line that names an operator and that `source` doesn't read; None reads none."""
    for match in islice(_line_pattern().finditer(text), MOST_GROUPS):
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


class _Parted(Struct):
    """A text while its groups are read one by one."""

    name: str
    folder: Path | None
    experiments: list[tuple[Experiment, ...]] = field(default_factory=list)
    """Those of each group that was read."""
    remarks: list[Remark] = field(default_factory=list)
    errors: list[ImportFailedError] = field(default_factory=list)
    blocks: list[Read] = field(default_factory=list)

    def read(self, groups: Sequence[_Group], data: bytes) -> Imported:
        """What the groups hold. Raises ImportFailedError where no experiment is in them."""
        for group in groups:
            if group.source is None:
                self.remarks.append(Remark(f"line {group.line:,}", False, f"{group.why}.", unchecked=True))
                continue
            try:
                imported = group.source.read(group.text.encode(errors="replace"), self.name, self.folder)
            except ImportFailedError as error:
                self._note_failure(group, error)
            else:
                self._take(group, imported)
        if self.experiments:
            locate = partial(moved, self.blocks, as_text(data) or "")
            return Imported(joined(self.experiments), tuple(self.remarks), locate)
        other = [error for error in self.errors if not isinstance(error, NothingHereError)]
        unread = next((remark for remark in self.remarks if remark.unchecked), None)
        if not other and unread is not None:
            raise NotReadError(f"{self.name}: {unread.where}: {unread.text}")
        raise next(iter(other or self.errors))

    def _note_failure(self, group: _Group, error: ImportFailedError) -> None:
        sentence = _renumbered(str(error), group.line)
        self.errors.append(type(error)(sentence))
        names_one = group.dump is not None or bool(_operator_named(group.text))
        unchecked = names_one and not isinstance(error, NothingHereError)
        text = sentence.removeprefix(f"{self.name}: ").removeprefix(f"{self.name} ")
        self.remarks.append(Remark(f"line {group.line:,}", False, text, unchecked))

    def _take(self, group: _Group, imported: Imported) -> None:
        before = sum(map(len, self.experiments))
        dump = group.dump or Dump(Block(0, ""))
        if dump.said:
            notes = "\n\n".join(f"The debug layer: {plain(said, 400)}" for said in dump.said)
            imported = replace(
                imported, experiments=tuple(dataclasses.replace(one, notes=notes) for one in imported.experiments)
            )
        self.experiments.append(imported.experiments)
        self.blocks.append(Read(before, group.line, group.text, imported.locate))
        for remark in imported.remarks:
            number = remark.experiment + before if remark.experiment is not None else None
            text = remark.text if remark.taken else _renumbered(remark.text, group.line)
            if before and remark.taken:
                text = _EXPERIMENT.sub(lambda match: str(int(match[1]) + before), text)
            self.remarks.append(
                replace(remark, where=_renumbered_place(remark.where, group.line), text=text, experiment=number)
            )
        where = f"line {group.line:,}, {plain(imported.experiments[0].name, 60)}"
        if dump.times > 1:
            text = f"it is printed {dump.times:,} times, and taken once."
            self.remarks.append(Remark(where, False, text, experiment=before))
        for said in dump.said:
            self.remarks.append(Remark(where, False, plain(said, 400), experiment=before, told=True))


def _renumbered_place(where: str, first: int) -> str:
    """A place in a group as a place in the whole text; the group begins at line `first`."""
    match = _WHERE.fullmatch(where)
    if match is not None:
        return f"line {int(match[1].replace(',', '')) + first - 1}"
    return where if first == 1 else f"line {first}, {where}"


def _renumbered(sentence: str, first: int) -> str:
    """A sentence on a group with line numbers of the whole text; the group begins at line `first`."""
    return _LINE.sub(lambda match: f"line {int(match[1].replace(',', '') or 0) + first - 1}", sentence)


def no_free_dims(name: str, what: str) -> ImportFailedError:
    """The error of sizes for free dimensions that are given for something that has none."""
    can = " or ".join(source.TITLE for source in sources() if isinstance(source, HasFreeDims))
    return ImportFailedError(f"{name} is {what}, which has no free dimensions to give sizes for, expected {can}.")
