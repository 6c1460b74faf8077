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
      | \.?\d(?:[eE][+-]|[\w.'])*+
      | //(?:[^\\\n]|\\.)*+
      | /\*(?:[^*]|\*(?!/))*+(?:\*/)?
      | "(?:[^"\\\n]|\\.)*+"?
      | '(?:[^'\\\n]|\\.)*+'?
      | \\\n
      | -> | :: | <<=? | >>=? | [-+*/%^!=<>]= | \+\+ | -- | &[&=]? | \|[|=]? | .
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
    text: str = ""
    """What was read, with `\\n` at the end of lines, and without what is dead or stands in raw strings."""
    starts: list[int] = field(default_factory=list)
    """Where each token begins in that."""


def tokenize(text: str) -> Tokens:
    """The tokens of C++ text. Never raises."""
    tokens = Tokens(text=_live_text(text))
    texts, lines, comments, starts = tokens.texts, tokens.lines, tokens.comments, tokens.starts
    line, fresh = 1, True
    directive: list[str] | None = None
    # Trailing blanks are no token, and looking for one behind each of them would take long.
    for match in _TOKEN.finditer(tokens.text.rstrip()):
        token = match[1]
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
                directive = tokens.directives[len(texts)] = []
            fresh = False
            texts.append(token)
            lines.append(line)
            starts.append(match.start(1))
            if first in "\"'":
                line += token.count("\n")
    return tokens


def _live_text(text: str) -> str:
    """Text with `\\n` at the end of lines, and without dead code and what stands in raw strings."""
    return _without_dead_code(_without_raw_strings(text.replace("\r\n", "\n").replace("\r", "\n")))


def _without_dead_code(text: str) -> str:
    """`text` with what an `#if 0` or an `#if 1` leaves out blanked, line ends apart, and their directives too."""
    if not _CONSTANT.search(text):
        return text
    kept, dead = list[str](), 0
    open_ = list[tuple[bool, bool]]()  # of each `#if`: whether a constant decides it, and whether this part is dead
    for line in text.split("\n"):
        directive = _CONDITION.match(line)
        was_dead = dead > 0
        if directive and directive[1].startswith("if"):
            constant = _CONSTANT.match(line)
            open_.append((constant is not None, constant is not None and constant[1] in ("0", "false")))
            dead += open_[-1][1]
            line = "" if constant else line
        elif directive and open_:
            is_constant, is_dead = open_.pop()
            dead -= is_dead
            if directive[1] == "elif" and is_constant and is_dead:
                is_constant, is_dead, line = False, False, line.replace("elif", "if", 1)
            elif is_constant:
                is_dead, line = not is_dead, ""
            if directive[1] != "endif":
                open_.append((is_constant, is_dead))
                dead += is_dead
        kept.append("" if dead or (was_dead and not line) else line)
    return text if open_ else "\n".join(kept)  # one that is never closed may stand in a comment


_CONSTANT = re.compile(r"^[ \t]*#[ \t]*if[ \t]+(0|1|false|true)[ \t]*(?:/[/*].*)?$", re.MULTILINE)
_CONDITION = re.compile(r"[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif)\b")


def _without_raw_strings(text: str) -> str:
    """`text` with what raw strings hold blanked, line ends apart: it may be anything, code too."""
    if 'R"' not in text:
        return text
    pieces: list[str] = []
    done = 0
    while opening := _RAW.search(text, done):
        closing = f'){opening[1]}"'
        end = text.find(closing, opening.end())
        if end < 0:
            break
        pieces += [text[done : opening.start()], '""', "\n" * text.count("\n", opening.end(), end)]
        done = end + len(closing)
    return "".join([*pieces, text[done:]])
