"""C++ text with structs of DirectML, as people paste it into an issue, to experiments.

What stands in straight line is read: declarations, initialisers, assignments. Whatever a branch, a loop, a call or a
macro may have changed is not. A desc is taken as it is when it is passed to CreateOperator, or else as it is at the
end of its scope. Nothing has to compile. Every statement is said to be taken or ignored.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ...desc.base import Desc
from ...desc.levels import NEWEST, FeatureLevel
from ...errors import plain
from ...operators.registry import operator_of, operators
from ...session.experiments import Experiment
from ..lib.imported import Imported, ImportFailedError, NothingHereError, Remark
from .descs import Descs, LeftError, Reading
from .directmlx_calls import Call, functions_named
from .memory import Earlier, TangledError
from .statements import Listener, Said, Statements
from .tokens import Tokens, tokenize
from .values import OPERATOR, Output, Pointer, Struct, Structs, Symbol, Unknown, Value, expression_of, shown

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


def _structs() -> str:
    kinds = "|".join(kind.removeprefix("DML_OPERATOR_") for kind in operators())
    return rf"\bDML_(?:{kinds})_OPERATOR_DESC\b"


def named() -> str:
    """A pattern for the struct or the function of an operator."""
    return rf"{_structs()}|\b(?:{'|'.join(map(expression_of, operators()))})(?=[ \t]*[(<])"


def begun() -> str:
    """A pattern for the begin of a line that declares a struct."""
    return rf"(?:const )?{_structs()}[ \t]+\w+[ \t]*[={{;]"


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
    try:
        reader = _Reader(tokens, Earlier())
        reader.statements.run()
        earlier = reader.statements.later
        if earlier.by_functions or earlier.by_loops:  # they hold for what stands in front of them too
            reader = _Reader(tokens, earlier)
            reader.statements.run()
    except (TangledError, RecursionError):
        raise ImportFailedError(f"{name} is too tangled to read as C++, expected plain initialisers.") from None
    return reader.imported(name)


class _Said(NamedTuple):
    """A remark while the text is read."""

    line: int
    taken: bool
    text: str
    unchecked: bool = False
    of: int | None = None
    """The place in `experiments` of the experiment that it is about."""


class _Reader(Listener):
    def __init__(self, tokens: Tokens, earlier: Earlier) -> None:
        self.tokens = tokens
        self.structs = Structs()
        self.remarks: list[_Said] = []
        self.experiments: list[tuple[int, Experiment]] = []
        self.readings: dict[int, tuple[Struct, Reading | None]] = {}
        """What each struct was read as last, and its reading in front of a call; the struct stays alive with it."""
        self.looked: dict[int, Reading] = {}
        self.places: dict[int, int] = {}
        """The place in `experiments` of what each struct became last."""
        named = {i: name for i, name in functions_named(tokens) if tokens.texts[i] != "#"}
        self.calls = {i: name for i, name in functions_named(tokens) if f"dml::{name}" in self.structs.expressions}
        """Functions of DirectMLX that make an operator, and aren't read yet."""
        self.statements = Statements(tokens, self.structs, earlier, listener=self, directmlx=named)
        self.descs = Descs(self.statements)
        levels = {token for token in tokens.texts if token.startswith("DML_FEATURE_LEVEL_")}
        known = [level for level in FeatureLevel if f"DML_FEATURE_LEVEL_{level.value}" in levels]
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

    def _unchecked(self, line: int, text: str, of: int | None = None) -> None:
        self.remarks.append(_Said(line=line, taken=False, text=text, unchecked=True, of=of))

    def imported(self, name: str) -> Imported:
        self._look_for_expressions()
        self._look_for_temporaries()
        if not self.experiments:
            first = min(self.remarks, key=lambda remark: (not remark.unchecked, remark), default=None)
            why = (
                f"line {first.line}: {first.text.removesuffix('.')}" if first else "no struct of an operator is filled"
            )
            if first and not first.unchecked:
                raise NothingHereError(f"{name} holds none of the operators that are known here: {why}.")
            raise ImportFailedError(f"{name} holds no desc that can be read: {why}.")
        of_statements = self._of_statements()
        order = sorted(range(len(self.experiments)), key=lambda i: self.experiments[i][0])
        places = {i: place for place, i in enumerate(order)}
        return Imported(tuple(self.experiments[i][1] for i in order), tuple(_told(self.remarks, of_statements, places)))

    def _look_for_expressions(self) -> None:
        """Calls of DirectMLX that weren't read: in a macro, by address."""
        for i, name in self.calls.items():
            self._left_call(i, name, "")

    def _left_call(self, i: int, name: str, why: str) -> None:
        wanted = self.structs.expressions[f"dml::{name}"]
        self.unread.append(i)
        told = f": {plain(why, 200)};" if why else ","
        self._unchecked(self.tokens.lines[i], f"dml::{name} of DirectMLX isn't read{told} expected a {wanted}.")

    def _look_for_temporaries(self) -> None:
        """Structs that are made amid an expression, and that no statement has told of."""
        texts, lines = self.tokens.texts, self.tokens.lines
        told = {(struct.kind, struct.line) for struct, _ in self.readings.values()}
        for i, (text, after) in enumerate(pairwise(texts)):
            begins = after in ("{", "(") and (i == 0 or texts[i - 1] not in ("struct", "class", "union"))
            if begins and text in self.structs.operators and (text, lines[i]) not in told:
                self.unread.append(i)
                self._unchecked(lines[i], f"{text} amid an expression isn't read, expected a variable of that type.")
        self.unread.sort()

    # ---- what is told while statements are read -------------------------------------------------------------------

    def look(self, struct: Struct) -> None:
        if struct.kind in self.structs.operators:
            self.looked[id(struct)] = self.descs.reading(struct)

    def finish(self, struct: Struct, level: FeatureLevel | None, *, at_end: bool) -> None:
        if at_end and id(struct) in self.readings:
            return
        called = f"{plain(struct.kind)} {plain(struct.name, 60)}".rstrip()
        if struct.kind not in self.structs.operators:
            known = ", ".join(self.structs.operators)
            self.readings[id(struct)] = (struct, None)
            self.remarks.append(_Said(struct.line, False, f"{called} isn't supported, expected one of {known}."))
            return
        reading = self.looked.get(id(struct))
        if not at_end or reading is None or not reading.holds:
            reading = self.descs.reading(struct)
        before = self.readings.get(id(struct), (struct, None))[1]
        if before is not None and reading.desc is not None and reading.desc == before.desc:
            return
        self.readings[id(struct)] = (struct, reading)
        if reading.desc is None:
            self._unchecked(struct.line, f"{called} is not read: {reading.why}.")
            return
        for owner in reading.owners.values():
            owner.is_used = True
        place = self._add(reading.desc, level, struct.line, plain(struct.name), called)
        self.places[id(struct)] = place
        for line, text in reading.unchecked:
            self._unchecked(line, text, place)

    def _add(self, desc: Desc, level: FeatureLevel | None, line: int, name: str, called: str) -> int:
        """An experiment more; its place."""
        used = level or self.only_level or NEWEST
        told = "" if level or self.only_level else ", the newest, as none is said"
        number = self._number(line)
        title = name or operator_of(desc).name.lower()
        if number is not None:
            title = self.headings[number][1]
            own, asked = self.levels[number]
            if own is not None and (asked is used or (asked is None and level is None)):
                used, told = own, ""
        place = len(self.experiments)
        self.experiments.append((line, Experiment(title, desc, used)))
        self.remarks.append(
            _Said(line, True, f"{called} is experiment {place + 1}, at feature level {used}{told}.", of=place)
        )
        return place

    def expression(self, at: int, name: str, given: list[Value], level: FeatureLevel | None) -> Value:
        call = Call(self.statements, name, given)
        try:
            if name in ("InputTensor", "TensorDesc"):
                return call.output()
            desc = call.desc()
        except LeftError as error:
            if at in self.calls:
                self._left_call(at, self.calls.pop(at), str(error))
            return Unknown(f"dml::{name}", str(error))
        del self.calls[at]
        line = self.tokens.lines[at]
        self._add(desc, level, line, "", f"dml::{name}")
        outputs: list[Value] = [Output(part.tensor) for part in desc.outputs]
        if name == "Split":
            return self.statements.array("Expression", outputs)
        return outputs[0] if outputs else Unknown(f"dml::{name}")

    def _number(self, line: int) -> int | None:
        """Which of `headings` stands above and names the experiment; each names one."""
        number = bisect.bisect_left(self.headings, (line, "")) - 1
        if number not in self.unnamed:
            return None
        self.unnamed.remove(number)
        return number

    # ---- statements -----------------------------------------------------------------------------------------------

    def _of_statements(self) -> list[_Said]:
        """A remark about each statement: whether a desc that was taken depends on it."""
        remarks: list[_Said] = []
        for said in reversed(self.statements.said):
            operators = [owner for owner in said.writes if isinstance(owner, Struct) and owner.kind == OPERATOR]
            taken = said.matters or any(owner.is_used for owner in said.writes)
            for operator in operators:
                taken |= self._describes(said, operator)
            if taken:
                for variable in said.reads:
                    variable.is_used = True
            elif any(
                isinstance(owner, Struct) and id(owner) in self.readings and owner.line == said.line
                for owner in said.writes
            ):
                continue  # why was said before
            at = bisect.bisect_left(self.unread, said.start)
            if not taken and self.unread[at : at + 1] and self.unread[at] < said.end:
                continue  # that it isn't read was said before
            text = _line(self.tokens.texts[said.start : min(said.end, said.start + 24)])
            remarks.append(_Said(said.line, taken, text if taken else f"no desc needs it: {text}"))
        return remarks[::-1]

    def _describes(self, said: Said, operator: Struct) -> bool:
        """True if a DML_OPERATOR_DESC leads to a desc that was taken; its Type has to fit."""
        inner, kind = operator.members.get("Desc"), operator.members.get("Type")
        struct = self.statements.get(inner.to) if isinstance(inner, Pointer) else None
        reading = self.readings.get(id(struct), (None, None))[1]
        if reading is None or reading.desc is None:
            return False
        place = self.places.get(id(struct))
        if isinstance(kind, Symbol) and kind.name != reading.desc.TYPE:
            wrong = (
                f"{OPERATOR}.Type is {plain(kind.name, 60)}, expected {reading.desc.TYPE} for its {shown(struct)[2:]}."
            )
            self._unchecked(said.line, wrong, place)
        elif isinstance(kind, Unknown) and kind.why:
            self._unchecked(said.line, f"{OPERATOR}.Type is not read: {plain(kind.why, 200)}.", place)
        return True


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
