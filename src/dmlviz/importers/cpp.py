"""C++ text with structs of DirectML, as people paste it into an issue, to experiments.

Declarations, initialisers and assignments are read. A desc is taken as it is when it is passed to CreateOperator, or
else as it is at the end of its scope. Nothing has to compile. Every statement is said to be taken or ignored.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..errors import plain
from ..operators.registry import operator_of
from ..session.experiments import Experiment
from .lib.cpp_descs import Descs, LeftError
from .lib.cpp_expressions import TangledError
from .lib.cpp_statements import Said, Statements
from .lib.cpp_tokens import Tokens, tokenize
from .lib.cpp_values import OPERATOR, Struct, Structs, Symbol, settled
from .lib.directmlx_calls import functions_named
from .lib.imported import Imported, ImportFailedError, NothingHereError, Remark

TITLE = "C++ with DML_*_OPERATOR_DESC structs"
ORDER = 40
MOST_BYTES = 16 << 20
MOST_TOKENS = 2_000_000
MOST_REMARKS = 1_000
_OTHERS = (".json", ".onnx", ".py", ".ipynb", ".npy", ".npz", ".pt", ".pth")
_OWN = (".cpp", ".cxx", ".cc", ".c", ".h", ".hpp", ".hxx", ".inl")
_MARK = b"_OPERATOR_DESC"
_USED = re.compile(rb"_OPERATOR_DESC[\s*&)]*+\w*+\s*+[={;\[]")
"""A struct that is declared or made, as no prose has it."""
_CALLS = re.compile(rb"\bdml\s*+::|\bnamespace\s++dml\b|=\s*+(?:::\s*+)?dml\s*+;")
"""Names of DirectMLX, whose calls make operators and aren't read."""
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\{\s*+["}]|\[\s*+[{"\d\]])')
_HEADING = '// Experiment "'
"""How the `cpp` exporter begins the comment that names an experiment."""
_SAID_LEVELS = ("// at DML_FEATURE_LEVEL_", "// It asks for DML_FEATURE_LEVEL_")
_MOST_HEADING = 400
"""Lines of that comment that are looked at."""


def knows(data: bytes, name: str) -> bool:
    """True if it names an operator's struct as C++ does, and isn't what another source reads."""
    if name.lower().endswith(_OTHERS) or _JSON.match(data):
        return False
    if name.lower().endswith(_OWN):
        return _MARK in data or _CALLS.search(data) is not None
    return _USED.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The experiments of the structs in C++ text. Raises ImportFailedError."""
    if len(data) > MOST_BYTES:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_BYTES:,} of C++.")
    if _MARK not in data and not _CALLS.search(data):
        raise ImportFailedError(f"{name} names no DML_*_OPERATOR_DESC, expected C++ that fills one.")
    tokens = tokenize(data.decode("utf-8-sig", "replace"))
    if len(tokens.texts) > MOST_TOKENS:
        raise ImportFailedError(
            f"{name} has {len(tokens.texts):,} words and signs, expected at most {MOST_TOKENS:,} of C++."
        )
    return _Reader(tokens).imported(name)


class _Said(NamedTuple):
    """A remark while the text is read."""

    line: int
    taken: bool
    text: str
    unchecked: bool = False
    of: int | None = None
    """The place in `found` of the experiment that it is about."""


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.structs = Structs()
        self.remarks: list[_Said] = []
        self.found: list[tuple[int, Experiment]] = []
        self.before: dict[int, tuple[Struct, Desc | None]] = {}
        """The desc that each struct filled when it was last looked at; the struct stays alive with it."""
        self.descs = Descs(self.structs, self._unchecked)
        levels = {token for token in tokens.texts if token.startswith("DML_FEATURE_LEVEL_")}
        known = [level for level in FeatureLevel if f"DML_FEATURE_LEVEL_{level.value}" in levels]
        self.places: dict[int, int] = {}
        """The place in `found` of what each struct became last."""
        self.only_level = known[0] if len(known) == 1 else None
        headings = (
            (i, line, _heading(text)) for i, (line, text) in enumerate(tokens.comments) if text.startswith(_HEADING)
        )
        titles = [(i, line, title) for i, line, title in headings if title is not None]
        self.headings = [(line, title) for _, line, title in titles]
        self.levels = [
            _levels(text for _, text in tokens.comments[i + 1 : i + 1 + _MOST_HEADING]) for i, _, _ in titles
        ]
        self.unnamed = set(range(len(self.headings)))
        self.unread: list[int] = []
        """Places of tokens that make an operator which isn't read."""

    def _left(self, line: int, text: str) -> None:
        self.remarks.append(_Said(line, False, text))

    def _unchecked(self, line: int, text: str, of: int | None = None) -> None:
        self.remarks.append(_Said(line=line, taken=False, text=text, unchecked=True, of=of))

    def imported(self, name: str) -> Imported:
        statements = Statements(self.tokens, self.structs, self._finish)
        try:
            statements.run()
        except TangledError:
            raise ImportFailedError(f"{name} is too tangled to read as C++, expected plain initialisers.") from None
        self._look_for_expressions()
        self._look_for_temporaries()
        if not self.found:
            said = min(self.remarks, key=lambda each: (not each.unchecked, each), default=None)
            why = f"line {said.line}: {said.text.removesuffix('.')}" if said else "no struct of an operator is filled"
            if said and not said.unchecked:
                raise NothingHereError(f"{name} holds none of the operators that are known here: {why}.")
            raise ImportFailedError(f"{name} holds no desc that can be read: {why}.")
        of_statements = self._of_statements(statements.said)
        order = sorted(range(len(self.found)), key=lambda i: self.found[i][0])
        places = {i: place for place, i in enumerate(order)}
        return Imported(tuple(self.found[i][1] for i in order), tuple(_told(self.remarks, of_statements, places)))

    def _look_for_expressions(self) -> None:
        """Calls of DirectMLX are passed over, and told where they make an operator that is known here."""
        for i, name in functions_named(self.tokens):
            if (wanted := self.structs.expressions.get(f"dml::{name}")) is not None:
                self.unread.append(i)
                self._unchecked(self.tokens.lines[i], f"dml::{name} of DirectMLX isn't read, expected a {wanted}.")

    def _look_for_temporaries(self) -> None:
        """Structs that are made amid an expression, and that no statement has told of."""
        texts, lines = self.tokens.texts, self.tokens.lines
        told = {(struct.kind, struct.line) for struct, _ in self.before.values()}
        for i, (text, after) in enumerate(pairwise(texts)):
            is_made = after in ("{", "(") and (i == 0 or texts[i - 1] not in ("struct", "class", "union"))
            if is_made and text in self.structs.operators and (text, lines[i]) not in told:
                self.unread.append(i)
                self._unchecked(lines[i], f"{text} amid an expression isn't read, expected a variable of that type.")
        self.unread.sort()

    def _finish(self, struct: Struct, level: FeatureLevel | None, at_end: bool, until: int) -> None:
        if at_end and id(struct) in self.before:
            return
        called = f"{plain(struct.kind)} {plain(struct.name, 60)}".rstrip()
        if struct.kind not in self.structs.operators:
            known = ", ".join(self.structs.operators)
            self.before[id(struct)] = (struct, None)
            self._left(struct.line, f"{called} isn't supported, expected one of {known}.")
            return
        length = len(self.remarks)
        try:
            desc: Desc | None = self.descs.desc(struct, until)
        except LeftError as error:
            desc = None
            del self.remarks[length:]
            self._unchecked(struct.line, f"{called} is left out: {error}.")
        if desc is not None and desc == self._desc_of(struct):
            del self.remarks[length:]
            return
        self.before[id(struct)] = (struct, desc)
        if desc is None:
            return
        used = level or self.only_level or NEWEST
        said = "" if level or self.only_level else ", the newest, as none is said"
        number = self._number(struct.line)
        if number is None:
            title = plain(struct.name) or operator_of(desc).name.lower()
        else:
            title = self.headings[number][1]
            own, asked = self.levels[number]
            used = own if own is not None and asked is used else used
        of = len(self.found)
        self.remarks[length:] = [each._replace(of=of) for each in self.remarks[length:]]
        self.found.append((struct.line, Experiment(title, desc, used)))
        self.places[id(struct)] = of
        self.remarks.append(
            _Said(struct.line, True, f"{called} is experiment {of + 1}, at feature level {used}{said}.", of=of)
        )

    def _number(self, line: int) -> int | None:
        """Which of `headings` stands above and names the experiment; each names one."""
        number = bisect.bisect_left(self.headings, (line, "")) - 1
        if number not in self.unnamed:
            return None
        self.unnamed.remove(number)
        return number

    def _of_statements(self, said: list[Said]) -> list[_Said]:
        """A remark about each statement: whether a desc that was taken depends on it."""
        made: list[_Said] = []
        for each in said:
            held = None if each.sets is None else each.sets.value
            taken = each.matters or (each.sets is not None and each.sets.used)
            if isinstance(held, Struct):
                if held.kind == OPERATOR:
                    held = self._described(each, held)
                    taken |= held is not None
                elif held.kind.endswith("_OPERATOR_DESC"):
                    taken = self._desc_of(held) is not None
                    if not taken and each.line == held.line:
                        continue  # why was said before
            at = bisect.bisect_left(self.unread, each.start)
            if not taken and self.unread[at : at + 1] and self.unread[at] < each.end:
                continue  # that it isn't read was said before
            text = _line(self.tokens.texts[each.start : min(each.end, each.start + 24)])
            made.append(_Said(each.line, taken, text if taken else f"no desc needs it: {text}"))
        return made

    def _described(self, said: Said, struct: Struct) -> Struct | None:
        """What a DML_OPERATOR_DESC describes, if that was taken; its Type has to fit."""
        inner, kind = settled(struct.members.get("Desc")), settled(struct.members.get("Type"))
        if not isinstance(inner, Struct) or (desc := self._desc_of(inner)) is None:
            return None
        if isinstance(kind, Symbol) and kind.name != desc.TYPE:
            wrong = f"{OPERATOR}.Type is {plain(kind.name, 60)}, expected {desc.TYPE} for its {inner.kind}."
            self._unchecked(said.line, wrong, self.places.get(id(inner)))
        return inner

    def _desc_of(self, struct: Struct) -> Desc | None:
        return self.before.get(id(struct), (struct, None))[1]


def _told(of_structs: list[_Said], of_statements: list[_Said], places: Mapping[int, int]) -> Iterator[Remark]:
    """Remarks in the order of lines, so many; where there are more, those about statements give way first.

    What was left out of one line in the same words is said once. `places` are those of experiments in the end.
    """
    of_structs = sorted(of_structs, key=lambda each: not each.unchecked)
    first = list(dict.fromkeys(of_structs))[:MOST_REMARKS]
    more = list(dict.fromkeys(of_statements))[: MOST_REMARKS - len(first)]
    for each in sorted([*first, *more], key=lambda item: item.line):
        place = None if each.of is None else places[each.of]
        yield Remark(
            where=f"line {each.line}", taken=each.taken, text=each.text, unchecked=each.unchecked, experiment=place
        )
    cut = len(dict.fromkeys(of_structs)) + len(dict.fromkeys(of_statements)) - len(first) - len(more)
    if cut:
        last = max(each.line for each in (*of_structs, *of_statements))
        unchecked = sum(each.unchecked for each in dict.fromkeys(of_structs)) > MOST_REMARKS
        yield Remark(f"line {last}", False, f"{cut:,} more remarks are left out.", unchecked)


_CLOSE = frozenset({",", ";", ")", "]", ".", "->", "::"})
"""Words that stand close to the one before."""
_OPEN = frozenset({"(", "[", "&", ".", "->", "::"})
"""Words that stand close to the one behind."""


def _line(words: list[str]) -> str:
    """Words as a line that is fit for a terminal, spaced as people write them."""
    text = words[0] if words else ""
    for before, word in pairwise(words):
        close = word in _CLOSE or before in _OPEN or (word in "([" and (before[-1:].isalnum() or before[-1:] == "_"))
        text += word if close else f" {word}"
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _levels(comments: Iterable[str]) -> tuple[FeatureLevel | None, FeatureLevel | None]:
    """The level of an exported experiment, and the one that its function asks for, as its heading says."""
    found: list[FeatureLevel | None] = [None, None]
    for text in comments:
        if text.startswith(_HEADING):
            break
        for k, beginning in enumerate(_SAID_LEVELS):
            value = text.removeprefix(beginning)[:3] if text.startswith(beginning) else ""
            found[k] = found[k] or next((level for level in FeatureLevel if level.value == value), None)
    return found[0], found[1]


def _heading(comment: str) -> str | None:
    """The name in the comment above an exported function."""
    end = comment.rfind('"')
    try:
        found = json.loads(comment[len(_HEADING) - 1 : end + 1])
        found.encode()
    except (ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None
