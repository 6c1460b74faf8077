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
from ...desc.fields import Role
from ...desc.levels import NEWEST, FeatureLevel
from ...errors import plain
from ...formats.json_places import Lines, Places
from ...formats.json_places import Place as TextPlace
from ...operators.registry import operator_of, operators
from ...retired import told
from ...session.experiments import Experiment
from ..lib.imported import Imported, ImportFailedError, NothingFilledError, NothingHereError, NotReadError, Remark
from ..lib.wired import wired
from .descs import Descs, LeftError, Reading
from .directmlx_calls import Call, function_of, functions_named
from .memory import TangledError
from .statements import Statements
from .tokens import Tokens, tokenize
from .values import OPERATOR, Object, Output, Pointer, Spot, Structs, Symbol, Unknown, Value

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
_GRAPH = "DML_GRAPH_DESC"
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


def _struct_pattern() -> str:
    """A pattern for the name of a known operator's struct."""
    kinds = "|".join(kind.removeprefix("DML_OPERATOR_") for kind in operators())
    return rf"\bDML_(?:{kinds})_OPERATOR_DESC\b"


def operator_pattern() -> str:
    """A pattern for the struct or the DirectMLX function of a known operator."""
    return rf"{_struct_pattern()}|\bdml::(?:{'|'.join(map(function_of, operators()))})(?=[ \t]*[(<])"


def line_pattern() -> str:
    """A pattern for the begin of a line that declares a struct."""
    return rf"(?:const )?{_struct_pattern()}[ \t]+\w+[ \t]*[={{;]"


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The experiments of the structs in C++ text; no other file of `folder` is read. Raises ImportFailedError."""
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
        reader = _Reader(tokens, {})
        reader.run()
        if reader.dooms:  # they hold for what stands in front of them too
            reader = _Reader(tokens, reader.dooms)
            reader.run()
    except (TangledError, RecursionError):
        raise ImportFailedError(f"{name} is too tangled to read as C++, expected plain initialisers.") from None
    return reader.imported(name)


class _Told(NamedTuple):
    """A remark while the text is read."""

    line: int
    taken: bool
    text: str
    unchecked: bool = False
    of: int | None = None
    """The place in `experiments` of the experiment that it is about."""


class _Reader(Statements):
    def __init__(self, tokens: Tokens, doomed: Mapping[int, str]) -> None:
        functions = functions_named(tokens)
        own = set(map(function_of, operators()))
        super().__init__(tokens, Structs(), doomed, {i: name for i, name in functions if tokens.texts[i] != "#"})
        self.remarks: list[_Told] = []
        self.experiments: list[tuple[int, Experiment]] = []
        self.spots: dict[int, Mapping[str, Spot]] = {}
        """What the fields of each experiment were set to, by its place."""
        self.links: dict[int, dict[str, tuple[int, str]]] = {}
        """What each experiment reads, by its place and path: the place of another, and the path of its output."""
        self.readings: dict[int, tuple[Object, Reading | None]] = {}
        """What each struct was read as last; the struct stays alive with it."""
        self.places: dict[int, int] = {}
        """The place in `experiments` of what each struct became last."""
        self.unread_calls = {i: name for i, name in functions if name in own}
        """Functions of DirectMLX that make an operator, and aren't read yet."""
        self.descs = Descs(self)
        levels = {token for token in tokens.texts if token.startswith("DML_FEATURE_LEVEL_")}
        known = [level for level in FeatureLevel if f"DML_FEATURE_LEVEL_{level.value}" in levels]
        self.only_level = known[0] if len(known) == 1 else None
        headings = (
            (i, line, _heading_name(text))
            for i, (line, text) in enumerate(tokens.comments)
            if text.startswith(_HEADING)
        )
        titles = [(i, line, title) for i, line, title in headings if title is not None]
        self.headings = [(line, title) for _, line, title in titles]
        self.said_levels = [
            _heading_levels(text for _, text in tokens.comments[i + 1 : i + 1 + _MOST_HEADING]) for i, _, _ in titles
        ]
        self.unnamed = set(range(len(self.headings)))
        self.unread: list[int] = []
        """Places of tokens that make an operator which isn't read."""

    def _unchecked(self, line: int, text: str, of: int | None = None) -> None:
        """Remarks on what can't be held against a rule; `of` is its experiment's place."""
        self.remarks.append(_Told(line=line, taken=False, text=text, unchecked=True, of=of))

    def imported(self, name: str) -> Imported:
        """All experiments and remarks, in the order of lines. Raises ImportFailedError for no experiment."""
        for i, function in self.unread_calls.items():  # in a macro, by address
            self._remark_unread_call(i, function, "")
        self._remark_temporaries()
        if not self.experiments:
            first = min(self.remarks, key=lambda remark: (not remark.unchecked, remark), default=None)
            why = (
                f"line {first.line}: {first.text.removesuffix('.')}" if first else "no struct of an operator is filled"
            )
            if first and not first.unchecked:
                raise NothingHereError(f"{name} holds none of the operators that are known here: {why}.")
            raise (NotReadError if first else NothingFilledError)(f"{name} holds no desc that can be read: {why}.")
        if _GRAPH in self.texts:
            line = self.tokens.lines[self.texts.index(_GRAPH)]
            self.remarks.append(_Told(line, False, f"{_GRAPH} gives no wires: each operator stands by itself."))
        of_statements = self._statement_remarks()
        order = sorted(range(len(self.experiments)), key=lambda i: self.experiments[i][0])
        places = {i: place for place, i in enumerate(order)}
        found = wired(
            [self.experiments[i][1] for i in order],
            {
                places[i]: {path: (places[source], output) for path, (source, output) in own.items()}
                for i, own in self.links.items()
            },
        )
        spots = {places[i]: own for i, own in self.spots.items()}
        return Imported(found, tuple(_ordered(self.remarks, of_statements, places)), lambda: self._located(spots))

    def _located(self, spots: Mapping[int, Mapping[str, Spot]]) -> Places:
        """The places of the experiments' fields, which are those of tokens."""
        tokens, lines = self.tokens, Lines(self.tokens.text)

        def place(spot: Spot) -> TextPlace:
            start, last = (min(i, len(tokens.starts) - 1) for i in (spot[0], spot[1] - 1))
            return lines.place(tokens.starts[start], tokens.starts[last] + len(tokens.texts[last]))

        return {i: {path: place(spot) for path, spot in own.items()} for i, own in spots.items()}

    def _remark_unread_call(self, i: int, function: str, why: str) -> None:
        """Remarks that the call of a DirectMLX function isn't read."""
        page = next(operator.page for kind, operator in operators().items() if function_of(kind) == function)
        self.unread.append(i)
        told = f": {plain(why, 200)};" if why else ","
        self._unchecked(self.tokens.lines[i], f"dml::{function} of DirectMLX isn't read{told} expected a {page}.")

    def _remark_temporaries(self) -> None:
        """Remarks on structs that are made amid an expression, of which no statement has told."""
        texts, lines = self.tokens.texts, self.tokens.lines
        told = {(struct.kind, struct.line) for struct, _ in self.readings.values()}
        for i, (text, after) in enumerate(pairwise(texts)):
            begins = after in ("{", "(") and (i == 0 or texts[i - 1] not in ("struct", "class", "union"))
            if begins and text in self.structs.operators and (text, lines[i]) not in told:
                self.unread.append(i)
                self._unchecked(lines[i], f"{text} amid an expression isn't read, expected a variable of that type.")
        self.unread.sort()

    # ---- what is told while statements are read -------------------------------------------------------------------

    def finish(self, struct: Object, level: FeatureLevel | None, *, at_end: bool) -> None:
        """Adds the experiment of an operator's struct, or a remark why not; at its scope's end only if never read."""
        before = self.readings.get(id(struct))
        if at_end and before is not None:
            return
        called = f"{plain(struct.kind)} {plain(struct.name, 60)}".rstrip()
        if struct.kind not in self.structs.operators:
            known = ", ".join(self.structs.operators)
            self.readings[id(struct)] = (struct, None)
            gone = told(struct.kind.removeprefix("DML_").removesuffix("_OPERATOR_DESC"))
            sentence = gone or f"{called} isn't supported, expected one of {known}."
            self.remarks.append(_Told(struct.line, False, sentence))
            return
        # A call behind the last place that sets or hands on the struct, or what it leads to, changes nothing.
        moment = max(struct.stamp, struct.used) if at_end else self.at
        reading = self.descs.reading(struct, moment)
        if (last := max((thing.stamp for thing in reading.objects), default=0)) > moment:
            reading = self.descs.reading(struct, last)
        if before is not None and before[1] is not None and reading.desc is not None and reading.desc == before[1].desc:
            return
        self.readings[id(struct)] = (struct, reading)
        if reading.desc is None:
            self._unchecked(struct.line, f"{called} is not read: {reading.why}.")
            return
        for thing in reading.objects:
            thing.is_needed = True
        place = self._add_experiment(reading.desc, level, struct.line, plain(struct.name), called)
        self.places[id(struct)], self.spots[place] = place, reading.spots
        for line, text in reading.unchecked:
            self._unchecked(line, text, place)

    def _add_experiment(self, desc: Desc, level: FeatureLevel | None, line: int, name: str, called: str) -> int:
        """Adds an experiment and its remark, and gives its place in `experiments`."""
        used = level or self.only_level or NEWEST
        told = "" if level or self.only_level else ", the newest, as none is said"
        number = self._heading_number(line)
        title = name or operator_of(desc).name.lower()
        if number is not None:
            title = self.headings[number][1]
            own, asked = self.said_levels[number]
            if own is not None and (asked is used or (asked is None and level is None)):
                used, told = own, ""
        place = len(self.experiments)
        self.experiments.append((line, Experiment(title, desc, used)))
        self.remarks.append(
            _Told(line, True, f"{called} is experiment {place + 1}, at feature level {used}{told}.", of=place)
        )
        return place

    def made_by(self, at: int, function: str, given: list[Value], level: FeatureLevel | None) -> Value:
        """What a DirectMLX function gives; the desc of an operator's becomes an experiment."""
        call = Call(self, function, given)
        try:
            if function in ("InputTensor", "TensorDesc", "Reinterpret"):
                return call.output()
            desc = call.desc()
        except LeftError as error:
            if at in self.unread_calls:
                self._remark_unread_call(at, self.unread_calls.pop(at), str(error))
            return Unknown(f"dml::{function}", str(error))
        self.unread_calls.pop(at, None)
        place = self._add_experiment(desc, level, self.tokens.lines[at], "", f"dml::{function}")
        read = zip(desc.inputs, call.made, strict=False)  # a function may look at one of them twice
        self.links[place] = {part.path: made for part, made in read if made is not None}
        outputs: list[Value] = [Output(p.tensor, (place, p.path if p.field.many else "")) for p in desc.outputs]
        if any(field.many and field.role is Role.OUTPUT for field in desc.TENSORS):
            return self.new_array("Expression", outputs)
        return outputs[0] if outputs else Unknown(f"dml::{function}")

    def _heading_number(self, line: int) -> int | None:
        """The place in `headings` of the unused one above `line`, which is used up then; None for no such."""
        number = bisect.bisect_left(self.headings, (line, "")) - 1
        if number not in self.unnamed:
            return None
        self.unnamed.remove(number)
        return number

    # ---- statements -----------------------------------------------------------------------------------------------

    def _statement_remarks(self) -> list[_Told]:
        """A remark about each statement: whether a desc that was taken depends on it."""
        remarks: list[_Told] = []
        for statement in reversed(self.statements):
            taken = statement.matters or any(thing.is_needed for thing in statement.writes)
            for thing in statement.writes:
                if thing.kind == OPERATOR:
                    taken |= self._describes(statement.line, thing)
            if taken:
                for thing in statement.reads:
                    thing.is_needed = True
            elif any(id(thing) in self.readings and thing.line == statement.line for thing in statement.writes):
                continue  # why was told before
            at = bisect.bisect_left(self.unread, statement.start)
            if not taken and self.unread[at : at + 1] and self.unread[at] < statement.end:
                continue  # that it isn't read was told before
            text = _spaced(self.tokens.texts[statement.start : min(statement.end, statement.start + 24)])
            remarks.append(_Told(statement.line, taken, text if taken else f"no desc needs it: {text}"))
        return remarks[::-1]

    def _describes(self, line: int, operator: Object) -> bool:
        """True if a DML_OPERATOR_DESC leads to a desc that was taken; remarks on a Type that doesn't fit."""
        inner, kind = operator.cells.get("Desc"), operator.cells.get("Type")
        struct = inner.to if isinstance(inner, Pointer) else None
        reading = self.readings.get(id(struct), (None, None))[1]
        if not isinstance(struct, Object) or reading is None or reading.desc is None:
            return False
        place = self.places.get(id(struct))
        if isinstance(kind, Symbol) and kind.name != reading.desc.TYPE:
            wrong = f"{OPERATOR}.Type is {plain(kind.name, 60)}, expected {reading.desc.TYPE} for its {struct.kind}."
            self._unchecked(line, wrong, place)
        elif isinstance(kind, Unknown) and kind.why:
            self._unchecked(line, f"{OPERATOR}.Type is not read: {plain(kind.why, 200)}.", place)
        return True


def _ordered(of_structs: list[_Told], of_statements: list[_Told], places: Mapping[int, int]) -> Iterator[Remark]:
    """At most `MOST_REMARKS`, in the order of lines; of more, those about statements give way first.

    Equal ones are each once, and one more says how many are left out. `places` are those of experiments in the end.
    """
    important = list(dict.fromkeys(sorted(of_structs, key=lambda each: not each.unchecked)))
    others = list(dict.fromkeys(of_statements))
    kept = [*important[:MOST_REMARKS], *others[: max(0, MOST_REMARKS - len(important))]]
    for each in sorted(kept, key=lambda each: each.line):
        place = None if each.of is None else places[each.of]
        yield Remark(f"line {each.line}", each.taken, each.text, unchecked=each.unchecked, experiment=place)
    left_out = len(important) + len(others) - len(kept)
    if left_out:
        last = max(each.line for each in (*important, *others))
        unchecked = sum(each.unchecked for each in important) > MOST_REMARKS
        yield Remark(f"line {last}", False, f"{left_out:,} more remarks are left out.", unchecked)


_CLOSE = frozenset({",", ";", ")", "]", ".", "->", "::"})
"""Words that stand close to the one before."""
_OPEN = frozenset({"(", "[", "&", ".", "->", "::"})
"""Words that stand close to the one behind."""


def _spaced(words: list[str]) -> str:
    """Words as a line that is fit for a terminal, spaced as people write them."""
    text = words[0] if words else ""
    for before, word in pairwise(words):
        close = word in _CLOSE or before in _OPEN or (word in "([" and (before[-1:].isalnum() or before[-1:] == "_"))
        text += word if close else f" {word}"
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _heading_levels(comments: Iterable[str]) -> tuple[FeatureLevel | None, FeatureLevel | None]:
    """The level of an exported experiment, and the one that its function asks for, as its heading says."""
    levels: list[FeatureLevel | None] = [None, None]
    for text in comments:
        if text.startswith(_HEADING):
            break
        for k, beginning in enumerate(_SAID_LEVELS):
            number = text.removeprefix(beginning)[:3] if text.startswith(beginning) else ""
            levels[k] = levels[k] or next((level for level in FeatureLevel if level.value == number), None)
    return levels[0], levels[1]


def _heading_name(comment: str) -> str | None:
    """The experiment's name in the comment above an exported function; None for another comment."""
    end = comment.rfind('"')
    try:
        name = json.loads(comment[len(_HEADING) - 1 : end + 1])
        name.encode()
    except (ValueError, AttributeError):
        return None
    return name if isinstance(name, str) else None
