"""DML_GRAPH_DESC in the tokens of C++: which operator's output goes into which input of another.

Read is what stands there as numbers and names, in declarations and in assignments in a straight line with them. A graph
with anything else in it gives no wires, and a sentence says why.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

import msgspec

from ...desc.base import Desc
from ...errors import plain, quote
from .expressions import number_of
from .tokens import Tokens
from .values import is_name

GRAPH, NODE, EDGE = "DML_GRAPH_DESC", "DML_GRAPH_NODE_DESC", "DML_GRAPH_EDGE_DESC"
OPERATOR_NODE, INNER_EDGE = "DML_OPERATOR_GRAPH_NODE_DESC", "DML_INTERMEDIATE_GRAPH_EDGE_DESC"
_COUNTED = "InputCount OutputCount NodeCount Nodes InputEdgeCount InputEdges OutputEdgeCount OutputEdges"
_MEMBERS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        GRAPH: (*_COUNTED.split(), "IntermediateEdgeCount", "IntermediateEdges"),
        NODE: ("Type", "Desc"),
        EDGE: ("Type", "Desc"),
        OPERATOR_NODE: ("Operator", "Name"),
        INNER_EDGE: ("FromNodeIndex", "FromNodeOutputIndex", "ToNodeIndex", "ToNodeInputIndex", "Name"),
    }
)
_ADDRESSES = frozenset({"GetAddressOf", "ReleaseAndGetAddressOf", "put", "put_void", "addressof"})
"""Methods of smart pointers by which a function sets them."""
_BEGINS = frozenset({";", "{", "}", ""})
"""What stands in front of a statement that surely runs."""
MOST_ELEMENTS = 4096
MOST_GRAPHS = 64
MOST_LOOKED_AT = 64
"""Variables of one name, and tokens of a call, that are looked at."""
Links = dict[int, dict[str, tuple[int, str]]]
Fields = dict[str, Sequence[str]]


class _UnreadError(Exception):
    """Why a graph gives no wires."""


class _Wrong(msgspec.Struct):
    """What is wrong with an edge, and the place of the experiment that it would lead to."""

    text: str
    place: int | None


class _Variable(msgspec.Struct):
    """A struct of a graph, or an array of such, as declarations and assignments have it."""

    name: str
    token: int
    block: int
    """The brace that it stands in; -1 for none."""
    kind: str
    elements: list[Fields]
    why: str = ""
    """Why what it holds isn't known."""


class Graphs:
    """The graphs of a text, whose operators became experiments."""

    def __init__(self, tokens: Tokens, closing: Mapping[int, int], created: Mapping[int, int]) -> None:
        """`closing` is by bracket; `created` has an experiment's place by the bracket that closes a CreateOperator."""
        self._texts, self._lines, self._closing = [*tokens.texts, "", "", ""], tokens.lines, closing
        self._created = created
        self._blocks: list[int] = []
        """Of each token, the innermost brace around it; -1 for none."""
        self._bodies: list[int] = []
        """Likewise the brace of the function that it stands in."""
        self._stand()
        self._constants = dict(self._known_numbers())
        self._functions = dict(self._makers())
        self._sites: dict[str, list[tuple[int, int]]] = {}
        """Where each variable gets an operator that was read: token, place of the experiment."""
        for i, written, place in self._set_operators():
            self._sites.setdefault(written, []).append((i, place))
        self._variables: dict[str, list[_Variable]] = {}
        declared: set[int] = set()
        for i, text in enumerate(self._texts):
            if text in _MEMBERS:
                for variable, at in self._declared(i):
                    declared.add(at)
                    self._variables.setdefault(variable.name, []).append(variable)
            elif text in self._variables and self._texts[i + 1] in (".", "[") and i not in declared:
                self._set_member(i)

    def wires(self, descs: Sequence[Desc]) -> tuple[Links, list[tuple[int, str, int | None]]]:
        """What experiments read, by place and path, and sentences: a line, the text, and the place it is about."""
        links: Links = {}
        told: list[tuple[int, str, int | None]] = []
        graphs = [variable for named in self._variables.values() for variable in named if variable.kind == GRAPH]
        for graph in graphs[:MOST_GRAPHS]:
            line = self._lines[graph.token]
            try:
                for edge in list(self._edges(graph, descs)):
                    if isinstance(edge, _Wrong):
                        told.append((line, edge.text, edge.place))
                    else:
                        reader, path, link = edge
                        links.setdefault(reader, {})[path] = link
            except _UnreadError as error:
                told.append((line, f"{GRAPH} {plain(graph.name, 60)} gives no wires: {error}.", None))
        return links, told

    # ---- where things stand

    def _stand(self) -> None:
        """Notes where each token stands."""
        around: list[tuple[int, int]] = []
        for i, text in enumerate(self._texts):
            while around and i >= self._closing[around[-1][0]]:
                around.pop()
            block, body = around[-1] if around else (-1, -1)
            self._blocks.append(block)
            self._bodies.append(body)
            if text == "{" and i in self._closing:
                is_body = body < 0 and self._texts[i - 1] in (")", "const", "noexcept")
                around.append((i, i if is_body else body))

    def _known_numbers(self) -> Iterator[tuple[str, int]]:
        """The constants that are numbers."""
        for i, text in enumerate(self._texts[:-3]):
            before = self._texts[max(0, i - 4) : i] if text == "=" and self._texts[i + 2] == ";" else []
            if "const" in before or "constexpr" in before:
                number = number_of(self._texts[i + 1]) if self._texts[i + 1][:1].isdecimal() else None
                if isinstance(number, int):
                    yield self._texts[i - 1], number

    def _is_sure(self, i: int, block: int) -> bool:
        """True for a statement that begins at a token of a block, and that nothing skips or repeats."""
        return self._blocks[i] == block and self._texts[i - 1 if i else -1] in _BEGINS

    def _visible(self, name: str, i: int) -> _Variable | None:
        """The variable that a name means at a token."""
        named = self._variables.get(name, [])
        before = bisect.bisect_left(named, i, key=lambda variable: variable.token)
        near = named[max(0, before - MOST_LOOKED_AT) : before][::-1]
        return next((v for v in near if v.block < 0 or v.block < i <= self._closing[v.block]), None)

    # ---- operators

    def _makers(self) -> Iterator[tuple[str, int]]:
        """The functions that make just one operator that was read, with the place of its experiment."""
        made: dict[int, set[int]] = {}
        for i, place in self._created.items():
            made.setdefault(self._bodies[i], set()).add(place)
        for i in range(len(self._texts) - 3):
            close = self._closing.get(i + 1, -1) if is_name(self._texts[i]) and self._texts[i + 1] == "(" else -1
            places = made.get(close + 1, set()) if close >= 0 else set()
            if len(places) == 1:
                yield self._texts[i], next(iter(places))

    def _set_operators(self) -> Iterator[tuple[int, str, int]]:
        """Where a variable gets an operator that was read: token, the variable as it is written, place."""
        for i in range(len(self._texts) - 3):
            close = self._closing.get(i + 1, -1) if self._texts[i + 1] == "(" else -1
            place = self._created.get(close, self._functions.get(self._texts[i], -1)) if close >= 0 else -1
            if place < 0 or self._texts[close + 1] == "{":
                continue
            for j in range(i + 2, min(close, i + MOST_LOOKED_AT)):
                is_set = self._texts[j + 1] in (".", "->") and self._texts[j + 2] in _ADDRESSES
                if is_name(self._texts[j]) and (is_set or self._texts[j - 1] == "&"):
                    yield i, _written(self._texts[j : min(close, j + 16)]), place
            if self._texts[i - 1] == "=":
                start = next((k for k in range(i - 2, max(i - 8, -1), -1) if is_name(self._texts[k])), i)
                yield i, _written(self._texts[start : i - 1]), place

    def _operator(self, written: str, i: int) -> int | None:
        """The place of the experiment whose operator a variable holds at a token; None where that isn't known."""
        sites = self._sites.get(written, [])
        before = bisect.bisect_left(sites, (i, -1))
        for token, place in sites[max(0, before - MOST_LOOKED_AT) : before][::-1]:
            if self._bodies[token] == self._bodies[i - 1]:
                return place
        return sites[0][1] if len({place for _, place in sites[:MOST_LOOKED_AT]}) == 1 else None

    # ---- variables

    def _declared(self, i: int) -> Iterator[tuple[_Variable, int]]:
        """The variable that is declared behind a struct's name, if one is, and the token of its own name."""
        kind, at, texts = self._texts[i], i + 1, self._texts
        is_array = texts[at] in (">", ",")
        if is_array:
            while texts[at] not in (">", ";", "", "{"):
                at += 1
            at += texts[at] == ">"
        name, named_at = texts[at], at
        if not is_name(name):
            return
        at += 1
        while texts[at] == "[" and at in self._closing:
            is_array, at = True, self._closing[at] + 1
        at += texts[at] == "="
        variable = _Variable(name=name, token=i, block=self._blocks[i], kind=kind, elements=[])
        if texts[at] == "{" and at in self._closing:
            parts = list(self._parts(at))
            if is_array and len(parts) == 1 and texts[parts[0][0]] == "{" and texts[parts[0][0] + 1] in ("{", kind):
                parts = list(self._parts(parts[0][0]))  # std::array, with the braces of the array inside it
            if not is_array:
                variable.elements.append(self._fields(at, kind))
            else:
                variable.elements += [self._element(start, end, variable) for start, end in parts[:MOST_ELEMENTS]]
        elif texts[at] not in (";", "(", ",") or not name:
            variable.why = f"line {self._lines[i]} gives {plain(name, 40)} what isn't read"
        if not is_array and not variable.elements:
            variable.elements.append({})
        yield variable, named_at

    def _element(self, start: int, end: int, variable: _Variable) -> Fields:
        """The members of an array's element: braces, with or without the struct's name."""
        start += self._texts[start] == variable.kind
        if self._texts[start] == "{" and start in self._closing:
            return self._fields(start, variable.kind)
        variable.why = f"line {self._lines[variable.token]} puts what isn't read into {plain(variable.name, 40)}"
        return {}

    def _parts(self, brace: int) -> Iterator[tuple[int, int]]:
        """The tokens of each part of braces, without the comma behind it."""
        start = at = brace + 1
        close = self._closing[brace]
        while at < close:
            if self._texts[at] in ("(", "[", "{") and at in self._closing:
                at = self._closing[at]
            elif self._texts[at] == ",":
                yield start, at
                start = at + 1
            at += 1
        if start < close:
            yield start, close

    def _fields(self, brace: int, kind: str) -> Fields:
        """The members that braces give a struct, each as tokens."""
        fields: Fields = {}
        for k, (start, end) in enumerate(self._parts(brace)):
            if self._texts[start] == "." and self._texts[start + 2] == "=":
                fields[self._texts[start + 1]] = self._texts[start + 3 : end]
            elif k < len(_MEMBERS[kind]):
                fields[_MEMBERS[kind][k]] = self._texts[start:end]
        return fields

    def _set_member(self, i: int) -> None:
        """Carries out `edge.FromNodeIndex = 0;`, `edges[1] = {...};` and `edges.push_back({...});`."""
        variable, texts = self._visible(self._texts[i], i), self._texts
        if variable is None:
            return
        name, at, k = plain(variable.name, 40), i + 1, 0
        if texts[at] == "[" and at in self._closing:
            number = self._number(texts[at + 1 : self._closing[at]])
            at = self._closing[at] + 1
            if texts[at] not in (".", "=") or (texts[at] == "." and texts[at + 2] != "="):
                return
            k = -1 if number is None else number
        is_put = texts[at] == "." and texts[at + 1] in ("push_back", "emplace_back") and texts[at + 2] == "("
        is_set = texts[at] == "=" or (texts[at] == "." and texts[at + 2] == "=")
        if not is_put and not is_set:
            return
        if not self._is_sure(i, variable.block) or not 0 <= k < len(variable.elements) + MOST_LOOKED_AT:
            variable.why = variable.why or f"line {self._lines[i]} sets {name} where it may not run, or run often"
            return
        if is_put:
            variable.elements.append(self._element(at + 3, self._closing.get(at + 2, at + 3), variable))
            return
        variable.elements += [{} for _ in range(len(variable.elements), k + 1)]
        if texts[at] == "=":
            variable.elements[k] = self._element(at + 1, at + 2, variable)
        else:
            end = next((j for j in range(at + 3, len(texts)) if texts[j] in (";", "")), len(texts))
            variable.elements[k] = {**variable.elements[k], texts[at + 1]: texts[at + 3 : end]}

    # ---- what they hold

    def _number(self, tokens: Sequence[str]) -> int | None:
        """The number that tokens are, or that a constant of that name is; None where that isn't known."""
        word = tokens[0] if len(tokens) == 1 else ""
        number = number_of(word) if word[:1].isdecimal() else self._constants.get(word)
        return number if isinstance(number, int) else None

    def _pointed(self, tokens: Sequence[str], kind: str, i: int, what: str) -> tuple[_Variable, int]:
        """The variable and the element that an address leads to. Raises _UnreadError."""
        words = [text for text in tokens if text != "&"]
        variable = self._visible(words[0], i) if words else None
        k: int | None = 0
        if len(words) > 1 and words[1] == "[":
            k = self._number(words[2:-1])
        if variable is None or variable.kind != kind or k is None:
            raise _UnreadError(f"its {what} is {quote(' '.join(tokens[:12]), 60)}, expected a {kind} that is read")
        if variable.why:
            raise _UnreadError(variable.why)
        return variable, k

    def _described(self, graph: Fields, member: str, kind: str, inner: str, i: int) -> Iterator[Fields]:
        """The structs that the descs of an array of a graph lead to. Raises _UnreadError."""
        count = self._number(graph.get(f"{member.removesuffix('s')}Count", ()))
        written = graph.get(member, ())
        if count == 0 or (not written and count is None):
            return
        array, start = self._pointed(written, kind, i, member)
        every = array.elements[start:] if count is None else array.elements[start : start + count]
        if count is not None and len(every) < count:
            raise _UnreadError(f"{member} has {len(every)} elements that are read, expected {count:,}")
        for k, desc in enumerate(every):
            thing, at = self._pointed(desc.get("Desc", ()), inner, i, f"{member}[{k}].Desc")
            if at >= len(thing.elements):
                raise _UnreadError(f"{member}[{k}].Desc leads behind {plain(thing.name, 40)}")
            yield thing.elements[at]

    def _edges(self, graph: _Variable, descs: Sequence[Desc]) -> Iterator[tuple[int, str, tuple[int, str]] | _Wrong]:
        """The reader, its path, and what that reads, of each edge; or what is wrong with it. Raises _UnreadError."""
        if graph.why:
            raise _UnreadError(graph.why)
        fields, end = graph.elements[0], self._closing.get(graph.block, len(self._texts) - 1)
        nodes = [
            self._operator(_written([text for text in node.get("Operator", ()) if text != "&"]), end)
            for node in self._described(fields, "Nodes", NODE, OPERATOR_NODE, end)
        ]
        known = [place for place in nodes if place is not None]
        if len(set(known)) < len(known):
            raise _UnreadError("one operator is several of its nodes, which one experiment can't be")
        for edge in self._described(fields, "IntermediateEdges", EDGE, INNER_EDGE, end):
            numbers = [self._number(edge.get(member, ("0",))) for member in _MEMBERS[INNER_EDGE][:4]]
            source, output, reader, taken = (-1 if number is None else number for number in numbers)
            if None in numbers:
                raise _UnreadError("an edge has a number that isn't read")
            if max(source, reader) >= len(nodes):
                here = nodes[reader] if reader < len(nodes) else None
                told = f"an edge leads from node {source:,} to node {reader:,}, expected two of its {len(nodes)}."
                yield _Wrong(told, here)
                continue
            made, read = nodes[source], nodes[reader]
            if made is None or read is None:
                continue
            outputs, inputs = descs[made].outputs, descs[read].inputs
            if output >= len(outputs) or taken >= len(inputs):
                ends = f"from output {output:,} of {len(outputs)} to input {taken:,} of {len(inputs)}"
                yield _Wrong(f"an edge leads {ends}, counted from 0, expected such as are there.", read)
                continue
            part = outputs[output]
            yield read, inputs[taken].path, (made, part.path if part.field.many else "")


def _written(tokens: Sequence[str]) -> str:
    """A variable, a member or an element as the first of the tokens write it: `operators[0]`, `this->split`."""
    depths = list(accumulate((text == "[") - (text == "]") for text in tokens))
    taken: list[str] = []
    for k, text in enumerate(tokens):
        is_member = text in (".", "->") and len(tokens) > k + 1 and tokens[k + 2 : k + 3] != ["("]
        is_inside = bool(depths[k]) or text == "]"
        if taken and not is_member and not is_inside and taken[-1] not in (".", "->"):
            break
        taken.append(text)
    return "".join(taken)
