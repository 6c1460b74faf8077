"""Functions of DirectMLX that C++ tokens name, under whatever name they go. What they make isn't read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .cpp_tokens import Tokens

_MEMBER = frozenset({"::", ".", "->", "~"})
"""Words before the name of something else's member."""
_CALLING = frozenset({"return", "co_return", "co_yield", "throw", "case", "else", "do"})
"""Words before a call that are no type of what is declared."""


class Names:
    """The names of DirectMLX's namespace and of what is used of it: `namespace d = dml;`, `using dml::Tile;`."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._spaces = {"dml"}
        self._free: set[str] = set()
        self._is_open = False
        """True where its functions go by their own names: behind `using namespace dml;`, and inside of it."""
        for i, text in enumerate(texts):
            if text == "namespace":
                named, *rest = [each for each in texts[i + 1 : i + 6] if each != "::"] or [""]
                if rest[:1] == ["="] and rest[1:2] and rest[1] in self._spaces:
                    self._spaces.add(named)
                self._is_open |= named in self._spaces and ("using" in texts[max(0, i - 1) : i] or rest[:1] == ["{"])
            elif text in self._spaces and _is_used(texts, i) and texts[i + 1 : i + 2] == ["::"]:
                self._free.update(texts[i + 2 : i + 3])

    def functions(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The place and the name of each function that tokens name: `Tile` of `d::Tile`."""
        for i, text in enumerate(texts):
            before, after = texts[i - 1] if i else "", texts[i + 1] if i + 1 < len(texts) else ""
            if text in self._spaces and after == "::" and i + 2 < len(texts):
                if not _is_used(texts, i):
                    yield i, texts[i + 2]
            elif (self._is_open or text in self._free) and after in ("(", "<") and before not in _MEMBER:
                declares = before.isidentifier() or before == ">"
                if not declares or before in _CALLING:
                    yield i, text


def _is_used(texts: Sequence[str], i: int) -> bool:
    """True for the namespace of `using dml::Tile;` and `using ::dml::Tile;`."""
    before = texts[max(0, i - 2) : i]
    return before[-1:] == ["using"] or before == ["using", "::"]


def functions_named(tokens: Tokens) -> list[tuple[int, str]]:
    """The place and the name of each function that is named; in a macro, whose place is its directive's.

    What a macro makes is taken for made, wherever that is.
    """
    names = Names(tokens.texts)
    found = [*names.functions(tokens.texts)]
    for i, directive in tokens.directives.items():
        if directive[:1] == ["define"]:
            found += [(i, name) for _, name in names.functions(directive)]
    return sorted(found)
