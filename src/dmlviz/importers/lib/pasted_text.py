"""Text as people paste it into issues: quoted, between fences, with prompts or as a diff, amid prose.

It is parted into blocks that a source can read by itself. A line is emptied, never taken out, so that each line keeps
its number. Every step takes time in proportion to the text.
"""

from __future__ import annotations

import bisect
import codecs
import html
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ...errors import SessionError

MOST_QUOTED = 100
"""Marks of quoting in front of one line that are taken off."""
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LINE_END = re.compile(r"\r\n|\n|\r")
_QUOTED = re.compile(r"[ \t]{0,3}>[ \t]?")
_QUOTED_NO_PROMPT = re.compile(r"[ \t]{0,3}>(?!>>(?:[ \t]|$))[ \t]?")
_PROMPT_LINE = re.compile(r"^[ \t>]{0,99}>>>(?:[ \t]|$)", re.MULTILINE)
_NOT_PYTHON = re.compile(r'DML_|"dmlviz"|"dispatchables"')
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^`]*+)$")
_DIFF_HEAD = re.compile(r"diff --|index [0-9a-f]{4,}\.\.|--- |\+\+\+ |@@ |\\ No newline")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#34|apos|nbsp);")
_JSON_KEY = re.compile(r'"(?:dmlviz|dispatchables)"')
_JSON_SIGN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|[{}]')
_OBJECT = re.compile(r"^[ \t]*+\{", re.MULTILINE)
_CODE_SIGN = re.compile(r"[;{}=&*<>#\\]|::|->|//")
_WORDS = re.compile(r"(?<![\w.:>'-])[A-Za-z][a-z]*(?:'[a-z]+)?(?: [A-Za-z][a-z]*(?:'[a-z]+)?){2}(?![\w(\[:<'-])")
"""Three words of a sentence, one after the other, as no C++ has them."""
_KEYWORD = re.compile(
    r"\s*+(?:auto|class|const|constexpr|enum|explicit|extern|inline|long|private|protected|public|return|short|signed|"
    r"static|struct|template|typedef|typename|unsigned|using|virtual|void|volatile)\b"
)
_SHORTENED = re.compile(r"[A-Za-z]'(?:s|t|m|d|re|ve|ll)\b")
_ENDS_CODE = re.compile(r"[;{},(]\s*$|^\s*(?://|\*|#)")


class Block(Struct, frozen=True):
    """Lines of a text that stand together."""

    line: int
    """Number of its first line in the whole text, from 1."""
    text: str
    language: str = ""
    """The first word behind the fence, in small letters."""
    fenced: bool = False


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
    return "\n".join(_LINE_END.split(data.decode("utf-8-sig", "replace")))


# ---- fences -----------------------------------------------------------------------------------------------------


def fenced_blocks(text: str) -> Iterator[Block]:
    """Every block between fences. Inside one, only the quoting that its fence stood behind is taken off."""
    fence, depth, start, language = "", 0, 0, ""
    inside: list[str] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not fence:
            line, depth = _unquoted(line, MOST_QUOTED, _QUOTED)
            if (mark := _FENCE.match(line)) is not None:
                fence, start, inside = mark[1], number + 1, []
                language = mark[2].strip().partition(" ")[0].lower().lstrip("{.").rstrip("}")
            continue
        line, _ = _unquoted(line, depth, _QUOTED)
        shut = line.strip()
        if shut.startswith(fence) and not shut.strip(fence[0]):
            yield Block(start, "\n".join(inside), language, True)
            fence = ""
        else:
            inside.append(line)
    if fence:  # cut off behind the block's last line, as it may be in a paste
        yield Block(start, "\n".join(inside), language, True)


def outside(text: str, blocks: Sequence[Block]) -> str:
    """The text with the lines of the blocks and of their fences emptied."""
    lines = text.split("\n")
    for block in blocks:
        start, count = block.line - 1, block.text.count("\n") + 1
        for number in range(max(0, start - 1), min(len(lines), start + count + 1)):
            lines[number] = ""
    return "\n".join(lines)


def _unquoted(line: str, most: int, mark: re.Pattern[str]) -> tuple[str, int]:
    """A line without at most `most` marks of quoting in front of it, and how many those were."""
    at = count = 0
    while count < most and (match := mark.match(line, at)) is not None:
        at, count = match.end(), count + 1
    return line[at:], count


# ---- what stands in front of lines ------------------------------------------------------------------------------


def cleaned(block: Block) -> Block:
    """A block without marks of quoting, of a diff and of HTML."""
    text = block.text.replace("\xa0", " ").replace("\u200b", "")
    lines = ["" if block.fenced and _FENCE.match(line) else line for line in _without_quotes(text)]
    text = "\n".join(_without_diff(lines, block.fenced))
    if "<" not in text and _ENTITY.search(text):
        text = html.unescape(text).replace("\xa0", " ")
    return replace(block, text=textwrap.dedent(text))


def _without_quotes(text: str) -> list[str]:
    """Lines without `> ` in front, where several do or the only one does; prompts of Python stay."""
    lines = text.split("\n")
    if ">" not in text:
        return lines
    typed = _PROMPT_LINE.search(text) is not None and not _NOT_PYTHON.search(text)
    mark = _QUOTED_NO_PROMPT if typed else _QUOTED
    marked = [mark.match(line) is not None for line in lines]
    alone = sum(1 for line in lines if line.strip()) == 1
    for i, line in enumerate(lines):
        beside = (i > 0 and marked[i - 1]) or (i + 1 < len(lines) and marked[i + 1])
        if marked[i] and (beside or alone):
            lines[i] = _unquoted(line, MOST_QUOTED, mark)[0]
    return lines


def _without_diff(lines: list[str], fenced: bool) -> list[str]:
    """Of a diff the new lines, with those that it takes away emptied; other lines as they are."""
    if not any(line.startswith("+") for line in lines):
        return lines
    start = 0
    for end in [*(i for i, line in enumerate(lines) if not _may_be_diff(line)), len(lines)]:
        run = lines[start:end]
        added = sum(line.startswith("+") and not line.startswith("+++") for line in run)
        whole = end - start == len(lines)
        if added >= 1 and (whole or any(line.startswith("@@") for line in run) or (added >= 2 and not fenced)):
            changed = ["" if line[:1] == "-" or _DIFF_HEAD.match(line) else line[1:] for line in run]
            if all(line[:2] in ("+ ", "+", "  ", " ", "") or line[:1] == "-" for line in run):
                changed = [line.removeprefix(" ") for line in changed]
            lines[start:end] = changed
        start = end + 1
    return lines


def _may_be_diff(line: str) -> bool:
    """True for a line that may stand in a diff, an empty one too."""
    return line[:1] in ("+", "-", " ", "") or _DIFF_HEAD.match(line) is not None


# ---- text without fences ----------------------------------------------------------------------------------------


def unfenced_blocks(text: str) -> list[Block]:
    """Each JSON object of dmlviz or DxDispatch in lines of its own, and the rest as one block; cleaned."""
    whole = cleaned(Block(1, text))
    if not _JSON_KEY.search(whole.text):
        return [whole]
    blocks: list[Block] = []
    rest: list[str] = []
    at = 0
    for start, end in _objects(whole.text):
        blocks.append(Block(whole.text.count("\n", 0, start) + 1, whole.text[start:end]))
        rest += [whole.text[at:start], "\n" * whole.text.count("\n", start, end)]
        at = end
    if not blocks:
        return [whole]
    other = "".join([*rest, whole.text[at:]])
    return [*blocks, Block(1, other)] if other.strip() else blocks


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Where objects of dmlviz or DxDispatch begin and end, that begin a line and stand in no other."""
    begins = {match.end() - 1: match.start() for match in _OBJECT.finditer(text)}
    opened: list[int] = []
    closed: list[tuple[int, int]] = []
    for sign in _JSON_SIGN.finditer(text, min(begins, default=len(text))):
        if sign[0] == "{":
            opened.append(sign.start())
        elif sign[0] == "}" and opened:
            start = opened.pop()
            if start in begins:
                while closed and closed[-1][0] > start:
                    closed.pop()
                closed.append((begins[start], sign.end()))
    yield from ((start, end) for start, end in closed if _JSON_KEY.search(text, start, end))


def without_prose(text: str) -> str:
    """Text with lines that are sentences and no C++ emptied: an apostrophe or a bracket in one would swallow code."""
    return "\n".join("" if _is_prose(line) else line for line in text.split("\n"))


def _is_prose(line: str) -> bool:
    if len(line) > 10_000:
        return False
    shortened = _SHORTENED.search(line) is not None
    words = _WORDS.search(line) is not None and not _KEYWORD.match(line)
    if not _CODE_SIGN.search(line):
        return words or shortened
    return words and shortened and not _ENDS_CODE.search(line)


# ---- logs -------------------------------------------------------------------------------------------------------

NO_DESC = "the DML_OPERATOR_DESC is a null pointer"
"""What dml_dump.h prints where there is nothing to print."""
_DUMP = re.compile(r'\{(\\*)"dml_dump\\*":' + f'|(?<!"){NO_DESC}')
_SAID = re.compile(r"\b(?:D3D12|DXGI|DirectML|DML) (?:CORRUPTION|ERROR|WARNING|INFO)\b[^\n]{0,999}")
_GAVE = re.compile(r"CreateOperator gave 0x([0-9A-Fa-f]{8})\b")
_NUMBER = re.compile(r"[0-9a-fA-F]*\d[0-9a-fA-F]*")
MOST_DUMP = 4 << 20
"""Letters of one desc in a log."""
MOST_PREFIX, MOST_APART, MOST_SAID = 200, 30, 5
"""Letters in front of a log's lines; lines between a desc and what the debug layer says of it; such messages."""


class Dump(Struct):
    """A desc that dml_dump.h printed amid other text."""

    line: int
    """Where it stands first."""
    text: str
    """Its JSON; empty where that breaks off."""
    result: int | None = None
    """What CreateOperator gave, if a line right before says so."""
    times: int = 0
    """How often it is printed."""
    said: list[str] = field(default_factory=list)
    """What the debug layer said beside it."""


def dumps(text: str) -> tuple[list[Dump], str]:
    """The descs that dml_dump.h printed into a log, and the text without their lines and the debug layer's.

    One may be split over lines that all begin alike but for numbers, and may stand in quotes, with `\\` before its own.
    """
    begins = list(_DUMP.finditer(text))
    if not begins:
        return [], text
    lines = text.split("\n")
    found: dict[str, Dump] = {}  # a desc that is made for each frame is printed for each
    printed: list[tuple[int, Dump]] = []  # by line
    number, at, done, prefix = 0, 0, 0, ""
    for match, limit in zip(begins, [*(later.start() for later in begins[1:]), len(text)], strict=True):
        number += text.count("\n", at, match.start())
        at = match.start()
        before = text[max(0, at - MOST_PREFIX) : at].rpartition("\n")[2]
        prefix = prefix if "}" in before else before  # behind another one in its line
        first, *later = text[at : min(limit, at + MOST_DUMP)].split("\n")
        rows = [first, *map(without_prefix(prefix), later)]
        if match[1]:
            depth = len(match[1]).bit_length()  # of strings in strings: 1, 3, 7 of them
            for _ in range(depth):
                rows[0] = _ESCAPED.sub(r"\1", rows[0])
            rows = rows[:1]
        whole = "".join(rows)
        end = next((sign.end() for sign, depth in _braced(whole) if depth == 0), None)
        if match[0] == NO_DESC:
            rows, end = [whole := NO_DESC], len(NO_DESC)
        told = whole[:end] if end is not None else ""
        gave = _GAVE.findall("\n".join(lines[max(done, number - 3) : number]))
        dump = found.setdefault(told, Dump(number + 1, told))
        dump.result = int(gave[-1], 16) if gave else dump.result
        dump.times += 1
        printed.append((number + 1, dump))
        last = number
        while end is not None and end > len(rows[last - number]):
            end -= len(rows[last - number])
            last += 1
        done = last + 1
        lines[number:done] = [""] * (done - number)
    for i, row in enumerate(lines, 1):
        if (words := _SAID.search(row)) is not None:
            place = bisect.bisect(printed, i, key=lambda one: one[0])
            near = [printed[k] for k in (place, place - 1) if 0 <= k < len(printed)]
            said = next((dump.said for line, dump in near if abs(line - i) <= MOST_APART), [])
            if len(said) < MOST_SAID and words[0].rstrip() not in said:
                said.append(words[0].rstrip())
            lines[i - 1] = ""
    return list(found.values()), "\n".join(lines)


def has_dumps(data: bytes) -> bool:
    """True for text, not in UTF-16, with a desc that dml_dump.h printed."""
    may_be = b'"dml_dump' in data or NO_DESC.encode() in data
    return may_be and _DUMP.search(data.decode(errors="replace")) is not None


_ESCAPED = re.compile(r"\\(.)")


def without_prefix(prefix: str) -> Callable[[str], str]:
    """Takes off lines what stands in front of them as `prefix` does of the first: alike but for numbers."""
    if not 0 < len(prefix) < MOST_PREFIX:
        return str
    alike = re.compile(r"[0-9a-fA-F]+".join(map(re.escape, _NUMBER.split(prefix))))
    return lambda row: alike.sub("", row, count=1) if alike.match(row) else row


def _braced(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each brace outside strings, and how many are open behind it."""
    depth = 0
    for sign in _JSON_SIGN.finditer(text):
        if sign[0] in "{}":
            depth += 1 if sign[0] == "{" else -1
            yield sign, depth


# ---- dialogues with Python --------------------------------------------------------------------------------------

_TYPED = re.compile(r"[ \t]{0,40}(?:(>>>|In[ \t]?\[[\d ]{0,9}\]:)|\.\.\.:?|\.{3,9}:)(?: |$)")
_PRINTED = re.compile(r"[ \t]{0,40}Out[ \t]?\[[\d ]{0,9}\]:")
_PROMPTS = (">>>", "In [", "In[")
_MAGIC = re.compile(r"^[ \t]*(?:%{1,2}timeit?\b(?:[ \t]+-\w+[ \t]*\d*)*+|[%!].*)", re.MULTILINE)


def typed_lines(text: str) -> str:
    """A dialogue with Python or IPython as the lines that were typed in it, each where it was; other text as it is."""
    if "%" in text or "!" in text:
        text = _MAGIC.sub("", text)
    if not any(prompt in text for prompt in _PROMPTS):
        return textwrap.dedent(text)
    lines = text.split("\n")
    if not any(prompt is not None and prompt[1] for prompt in map(_TYPED.match, lines)):
        return textwrap.dedent(text)
    typed: list[str] = []
    cell = False  # behind a prompt that stands alone, as a notebook's page shows one
    for line in lines:
        sign = _TYPED.match(line)
        if sign is not None:
            rest = line[sign.end() :]
            cell = bool(sign[1]) and sign[1].startswith("In") and not rest.strip()
            typed.append(rest)
        else:
            cell = cell and not _PRINTED.match(line)
            typed.append(line if cell else "")
    return "\n".join(typed)
