"""Text as people paste it into issues: quoted, between fences, with prompts or as a diff.

It is parted into blocks that a source can read by itself. A line is emptied, never taken out, so that each line keeps
its number.
"""

from __future__ import annotations

import codecs
import re
import textwrap
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...errors import SessionError

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_QUOTED = re.compile(r"(?:[ \t]{0,3}>(?!>>(?:[ \t]|$))[ \t]?){1,100}")
"""Marks of quoting; a prompt of Python is none."""
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^`]*+)$")
_TYPED = re.compile(r"[ \t]{0,40}(?:(>>>|In[ \t]?\[[\d ]{0,9}\]:)(?= *\S)|\.\.\.:?|\.{3,9}:)(?: |$)")


class Block(Struct, frozen=True):
    """Lines of a text that stand together."""

    line: int
    """Number of its first line in the whole text, from 1."""
    text: str
    language: str = ""
    """The first word behind the fence, in small letters."""


def in_utf8(data: bytes, shown: str) -> bytes:
    """`data` in UTF-8, also of UTF-16 with its mark, as Windows writes it. Raises SessionError for damaged UTF-16."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding).encode()
            except UnicodeDecodeError as error:
                raise SessionError(
                    f"{shown} begins with the mark of UTF-16 and is none at byte {error.start + len(mark):,}, "
                    f"expected text in UTF-8 or UTF-16."
                ) from None
    return data


def as_text(data: bytes) -> str | None:
    """Text with `\\n` at the end of its lines; None for what is no text."""
    if b"\0" in data:
        return None
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def fenced_blocks(text: str) -> Iterator[Block]:
    """Every block between fences, without marks of quoting and of a diff."""
    fence, start, language = "", 0, ""
    inside: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        bare = _QUOTED.sub("", line, count=1) if _QUOTED.match(line) else line
        if not fence:
            if (mark := _FENCE.match(bare)) is not None:
                fence, start, inside = mark[1], number + 1, []
                language = mark[2].strip().partition(" ")[0].lower()
        elif bare.strip().startswith(fence) and not bare.strip().strip(fence[0]):
            yield Block(start, cleaned("\n".join(inside), language), language)
            fence = ""
        else:
            inside.append(line)
    if fence:  # cut off behind the block's last line, as it may be in a paste
        yield Block(start, cleaned("\n".join(inside[:-1]), language), language)


def outside(text: str, blocks: Sequence[Block]) -> str:
    """The text with the lines of the blocks and of their fences emptied, cleaned."""
    lines = text.split("\n")
    for block in blocks:
        end = block.line + block.text.count("\n") + 1
        lines[block.line - 2 : end] = [""] * len(lines[block.line - 2 : end])
    return cleaned("\n".join(lines), "")


def object_amid(text: str) -> tuple[Block, str] | None:
    """What stands from the first line that begins with a brace to the last brace, and the text without it."""
    start, end = re.search(r"^[ \t]*\{", text, re.MULTILINE), text.rfind("}") + 1
    if start is None or end <= start.start():
        return None
    at = start.start()
    return Block(text.count("\n", 0, at) + 1, text[at:end]), text[:at] + "\n" * text.count("\n", at, end) + text[end:]


def cleaned(text: str, language: str) -> str:
    """Text without marks of quoting; of a diff the new lines, with those that it takes away emptied."""
    lines = [_QUOTED.sub("", line, count=1) if _QUOTED.match(line) else line for line in text.split("\n")]
    lines = ["" if _FENCE.match(line) else line for line in lines]  # of a block in a block
    signs = {line[:1] for line in lines}
    if language == "diff" or any(line.startswith("@@ ") for line in lines) or {"+"} <= signs <= {"+", "-", " ", ""}:
        lines = ["" if line[:1] == "-" or line[:2] in ("++", "@@") else line[1:] for line in lines]
    return textwrap.dedent("\n".join(lines))


def typed_lines(text: str) -> str:
    """A dialogue with Python or IPython as the lines that were typed in it, each where it was; other text as it is."""
    lines = [(line, _TYPED.match(line)) for line in text.split("\n")]
    if not any(sign is not None and sign[1] for _, sign in lines):
        return textwrap.dedent(text)
    return "\n".join(line[sign.end() :] if sign is not None else "" for line, sign in lines)
