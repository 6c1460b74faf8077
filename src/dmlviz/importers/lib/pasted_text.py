"""Text as people paste it into issues. Blanks stand for what is taken off, so lines and columns stay."""

from __future__ import annotations

import codecs
import re
import textwrap

_QUOTED = re.compile(r"^(?:[ \t]{0,3}>(?!>>(?:[ \t]|$))[ \t]?){1,100}", re.MULTILINE)
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^`]*+)$")
_TYPED = re.compile(r"[ \t]{0,99}(?:(>>>|In[ \t]?\[[\d ]{0,9}\]:)(?= *\S)|\.\.\.:?|\.{3,9}:)(?: |$)")
_PROSE = re.compile(
    r"^(?!.*(?:[;{}=&*<>#\\]|::|->|//))(?=.*\b(?:the|is|it|it's|I|I've|you|of|that|what|what's)\b)(?:\S+[ \t]+){3}.*$"
    r"|^(?:Hi|Hello|Dear)\b[^;{}=\n]*$",
    re.MULTILINE | re.IGNORECASE,
)


def in_utf8(data: bytes) -> bytes:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode()
    return data


def as_text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def parted(text: str) -> tuple[list[tuple[int, str, str]], str]:
    text = _QUOTED.sub(lambda marks: " " * len(marks[0]), text)
    blocks: list[tuple[int, str, str]] = []
    inside: list[str] = []
    rest: list[str] = []
    fence = language = ""
    for line in [*text.split("\n"), None]:
        mark = _FENCE.match(line) if line is not None else None
        if fence and (line is None or (mark is not None and mark[1].startswith(fence) and not mark[2].strip())):
            blocks.append((len(rest) - len(inside) + 1, "\n".join(inside), language))
            fence = ""
        elif fence:
            inside.append("" if mark is not None else str(line))
        elif mark is not None:
            fence = mark[1]
            language = mark[2].strip().partition(" ")[0].lower()
            inside = []
        else:
            rest.append(line or "")
            continue
        rest.append("")
    return blocks, "\n".join(rest[:-1])


def without_prose(text: str) -> str:
    """Text with lines that are sentences and no C++ emptied: an apostrophe or a bracket in one would swallow code."""
    return _PROSE.sub("", text)


def typed_lines(text: str) -> str:
    """A dialogue with Python or IPython as the lines that were typed in it, each where it was; other text as it is."""
    lines = [(line, _TYPED.match(line)) for line in text.split("\n")]
    if not any(sign is not None and sign[1] for _, sign in lines):
        return textwrap.dedent(text)
    return "\n".join(line[sign.end() :] if sign is not None else "" for line, sign in lines)
