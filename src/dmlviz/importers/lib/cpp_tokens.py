"""C++ text to tokens: linear in its length, whatever it holds.

Nothing is preprocessed. A directive is one token with its own tokens beside it; comments leave none.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

# Repeats are possessive, so that no text makes the matcher go back; each alternative begins with another character.
_TOKEN = re.compile(
    r"""[^\S\n]*+(
        \n++
      | [^\W\d]\w*+
      | \d[\w.']*+
      | //(?:[^\\\n]|\\.)*+
      | /\*(?:[^*]|\*(?!/))*+(?:\*/)?
      | "(?:[^"\\\n]|\\.)*+"?
      | '(?:[^'\\\n]|\\.)*+'?
      | \\\n
      | -> | :: | << | >> | .
    )""",
    re.VERBOSE | re.DOTALL,
)
_RAW = re.compile(r'\b(?:u8|[uUL])?R"([^()\\\s"]{0,16}+)\(')


class Tokens(Struct):
    """The tokens of a text, the line of each, and what stands beside them."""

    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    directives: dict[int, list[str]] = field(default_factory=dict)
    """The tokens of the directive whose `#` is at a place, without the `#`."""
    comments: list[tuple[int, str]] = field(default_factory=list)
    """Line and text of each `//` comment."""


def tokenize(text: str) -> Tokens:
    """The tokens of C++ text. Never raises."""
    made = Tokens()
    texts, lines, comments = made.texts, made.lines, made.comments
    line, fresh = 1, True
    directive: list[str] | None = None
    # Trailing blanks are no token, and looking for one behind each of them would take long.
    for token in _TOKEN.findall(_plain(text).rstrip()):
        first = token[0]
        if first == "\n":
            line += len(token)
            fresh, directive = True, None
        elif first == "/" and len(token) > 1:
            if token[1] == "/":
                comments.append((line, token))
            line += token.count("\n")
        elif first == "\\" and len(token) > 1:
            line += 1
        elif directive is not None:
            directive.append(token)
            line += token.count("\n")
        else:
            if first == "#" and fresh:
                directive = made.directives[len(texts)] = []
            fresh = False
            texts.append(token)
            lines.append(line)
            if first in "\"'":
                line += token.count("\n")
    return made


def _plain(text: str) -> str:
    return _without_dead_code(_without_raw_strings(text.replace("\r\n", "\n").replace("\r", "\n")))


def _without_dead_code(text: str) -> str:
    """`text` with what stands between `#if 0` and its `#else` or `#endif` blanked, line ends apart."""
    if not _DEAD.search(text):
        return text
    made, dead = list[str](), 0
    open_ = list[bool]()  # for each `#if` that is open, whether its present branch is dead
    for line in text.split("\n"):
        found = _CONDITION.match(line)
        if found and found[1].startswith("if"):
            open_.append(_DEAD.match(line) is not None)
            dead += open_[-1]
        elif found and open_:
            dead -= open_.pop()
            if found[1] != "endif":
                open_.append(False)
        made.append("" if dead else line)
    return text if open_ else "\n".join(made)  # one that is never closed may stand in a comment


_DEAD = re.compile(r"^[ \t]*#[ \t]*if[ \t]+(?:0|false)[ \t]*(?:/[/*].*)?$", re.MULTILINE)
_CONDITION = re.compile(r"[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif)\b")


def _without_raw_strings(text: str) -> str:
    """`text` with what raw strings hold blanked, line ends apart: it may be anything, code too."""
    if 'R"' not in text:
        return text
    made: list[str] = []
    done = 0
    while found := _RAW.search(text, done):
        closing = f'){found[1]}"'
        end = text.find(closing, found.end())
        if end < 0:
            break
        made += [text[done : found.start()], '""', "\n" * text.count("\n", found.end(), end)]
        done = end + len(closing)
    return "".join([*made, text[done:]])
