"""What the wall and the speaker's screen say, line by line."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..scene.spans import DIM, PLAIN, RULER, TITLE, WARN, Line, Span, Style, fitting, length
from ..session.presentation_state import Build
from ..workspace.ask_state import AskState
from ..workspace.presented_item import Answer
from ..workspace.votes import Vote
from ..workspace.wall_state import NotesState, WallState
from .answer_board import Board, board_of

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAD = Style("warn", strong=True)
BAND = BLANK = Style("tab", strong=True)
ORDINALS = ("first", "second")
BAR = 24
"""Columns of the bar of an answer that everybody gives."""
ENDS = (("?", "keys"), ("q", "leave"))
"""The keys that are always named."""
AIR = 2
"""Lines above and below the question in its band, where there is much room."""
LEAST_BOARD = 4
"""Lines that a question has at least."""


def wall_head(state: WallState, width: int) -> list[Line]:
    """What is presented and its numbers at the left; how far it is, and the time, at the right."""
    operator = Span(state.heading.operator, TITLE)
    name = Span(f" · {state.heading.name}" if state.heading.name else "", PLAIN)
    rest: Line = [Span("   ✗ invalid", BAD)] if state.desc.marked_invalid else []
    level: Line = []
    for each in state.desc.fields:
        said = [Span("   ", PLAIN), Span(f"{each.path} {each.text}", BLANK if each.blank else STRONG)]
        if each.path == "FeatureLevel":
            level = said
        else:
            rest += said
    number = f"{state.heading.number} of {state.heading.count}"
    timed = f"{number}   {state.heading.elapsed}"
    whole: Line = [operator, *rest, *level]
    named: Line = [operator, name, *rest, *level]
    titled: Line = [Span(f"{state.heading.title}   ", PLAIN), *named] if state.heading.title else named
    for left, right in ((titled, timed), (named, timed), (whole, timed), (whole, number)):
        if length(left) + len(right) + 2 <= width:
            return [_beside(left, right, width)]
    return [_beside([operator, *rest], number, width)]  # the speaker's screen has the time


def notes_head(state: NotesState, width: int) -> list[Line]:
    """The same on the speaker's screen."""
    title = Span(f"  {state.heading.title}" if state.heading.title else "", PLAIN)
    left: Line = [Span("SPEAKER", TITLE), title, Span(f"  {state.heading.name}", RULER)]
    if state.black:
        left.append(Span("  the wall is black", WARN))
    time = f"{state.heading.elapsed} of {state.heading.planned}" if state.heading.planned else state.heading.elapsed
    return [_beside(left, f"{state.heading.number} of {state.heading.count}  {state.build.value}   {time}", width)]


def _beside(left: Line, right: str, width: int) -> Line:
    line = fitting(left, max(1, width - len(right) - 2))
    return [*line, Span(right.rjust(max(0, width - length(line))), PLAIN)]


def footer(keys: Sequence[tuple[str, str]], width: int, ends: Sequence[tuple[str, str]] = ENDS) -> list[Line]:
    """Keys and what they do, as many as there is room for; those at the end always."""
    end: Line = []
    for key, word in ends:
        end += [Span("  " if end else "", PLAIN), Span(key, ACCENT), Span(f" {word}", PLAIN)]
    line: Line = []
    for key, word in keys:
        piece: Line = [Span(key, ACCENT), Span(f" {word}  ", PLAIN)]
        if length(line) + length(piece) + length(end) > width:
            break
        line += piece
    return [[*line, *end]]


def wall_lines(state: WallState, width: int, height: int, *, short: bool = False, airy: bool = False) -> list[Line]:
    """The question with its answers, and below it what was revealed; at most `height` lines.

    Where it is to be `short`, the answers' letters stand for them. On an `airy` wall the question's band is three lines
    high, as far as there is room, and what stands below it is in the middle.
    """
    width = max(20, width)
    if airy:
        asked, tail = _parts(state, width, height - AIR, short=short)
        if len(asked) + len(tail) <= height - AIR:
            bands = sum(_is_asked(line) for line in asked)
            return _joined(_in_the_middle(asked, tail, width, bands), height)
    asked, tail = _parts(state, width, height, short=short)
    return _joined(([_banded(line, width) for line in asked], tail), height)


def _parts(state: WallState, width: int, height: int, *, short: bool) -> tuple[list[Line], list[Line]]:
    """What is asked, and what was revealed: hands as bars, or in a line for each vote where bars have no room."""
    made: tuple[list[Line], list[Line]] = [], []
    for low in (False, True) if _has_hands(state) else (False,):
        tail = _tail(state, width, low=low)
        whole = True
        if state.ask is None:
            lines: list[Line] = [[Span(each, PLAIN)] for each in state.desc.lines]
            lines += [*([[]] if lines else []), *_wrapped(state.item.prompt, STRONG, width)]
        elif short:
            lines = [*_wrapped(state.item.prompt, STRONG, width), *_letters(state, width)]
        else:
            board = _asked(state.ask, width, max(LEAST_BOARD, height - len(tail)))
            lines, whole = board.lines, board.whole
        made = [*_trimmed(lines)], tail
        if whole and len(made[0]) + len(tail) <= height:
            break
    return made


def _joined(parts: tuple[list[Line], list[Line]], height: int) -> list[Line]:
    """Both with a line of air between them, if there is room."""
    lines, tail = parts
    aired = lines and tail and len(lines) + 1 + len(tail) <= height
    return [*lines, *([[]] if aired else []), *tail][:height]


def _in_the_middle(asked: list[Line], tail: list[Line], width: int, bands: int) -> tuple[list[Line], list[Line]]:
    """The question on a band with air in it; its answers, and what was revealed, as a block each in the middle."""
    asks, tells = (_margin([line for line in part if not _is_asked(line)], width) for part in (asked, tail))
    lines: list[Line] = []
    for k, line in enumerate(asked):
        if not _is_asked(line):
            lines.append([asks, *line] if line else line)
            continue
        band = [Span(line[0].text.center(width), BAND)]
        before, after = asked[k - 1 : k], asked[k + 1 : k + 2]
        edge: Line = [Span(" " * width, BAND)]
        lines += [
            *([] if before and _is_asked(before[0]) else [edge]),
            band,
            *([] if after and _is_asked(after[0]) else [edge]),
        ]
    return lines, [[tells, *line] if line else line for line in tail]


def _margin(lines: Sequence[Line], width: int) -> Span:
    """What stands before each line where all are one block in the middle."""
    return Span(" " * max(0, (width - max(map(length, lines), default=0)) // 2), PLAIN)


def _is_asked(line: Line) -> bool:
    return len(line) == 1 and line[0].style == STRONG


def answers_fit(state: WallState, width: int, height: int) -> bool:
    """True if the question stands with all of its answers in so many lines, beside what was revealed."""
    width = max(20, width)
    room = height - len(_tail(state, width, low=True))
    return state.ask is None or (room > 0 and _asked(state.ask, width, room).whole)


def _has_hands(state: WallState) -> bool:
    return state.hands.votes is not None and any(vote.is_begun for vote in state.hands.votes)


def _asked(ask: AskState, width: int, room: int) -> Board:
    """The question's lines; the empty one that may end them needs no room."""
    board = board_of(ask, width, room + 1, on_wall=True)
    return board if len(_trimmed(board.lines)) <= room else board_of(ask, width, room, on_wall=True)


def _trimmed(lines: Sequence[Line]) -> Sequence[Line]:
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]


def _banded(line: Line, width: int) -> Line:
    """A line of the question, on a band as wide as the screen that is seen from the last row; others as they are."""
    if not _is_asked(line):
        return line
    text = line[0].text
    return [Span((f" {text}" if len(text) < width else text).ljust(width), BAND)]


def _letters(state: WallState, width: int) -> list[Line]:
    """The right answer, once it is revealed: the picture shows what it looks like; else all letters in a line."""
    right = [each for each in state.item.answers if each.right]
    if state.item.is_told(state.build) and right:
        return [line for each in right for line in _wrapped(f"✓ {each.id}  {each.text}", ACCENT, width)]
    lines: list[Line] = []
    for each in state.item.answers:
        piece: Line = [Span(f"{each.id} ", ACCENT), Span(f"{each.text}   ", PLAIN)]
        if lines and length(lines[-1]) + length(piece) - 3 <= width:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [fitting(line, width) for line in lines]


def _tail(state: WallState, width: int, *, low: bool) -> list[Line]:
    lines: list[Line] = []
    if state.hands.votes is not None:
        lines += hands_lines(state.item.answers, state.hands.votes, width, low=low)
    for each in state.sentences:
        lines += _wrapped(each, PLAIN, width)
    now: Line = []
    if state.hands.votes is None and state.hands.counted:
        said = f"hands counted: {' '.join(state.hands.counted)}"
        if state.hands.total is not None:
            said = f"hands   {state.hands.total} counted"
        now.append(Span(f"{said} · {ORDINALS[state.hands.vote]} vote    ", RULER))
    elif state.hands.votes is None and state.hands.vote:
        now.append(Span("second vote    ", RULER))
    if state.heading.timer and state.hands.votes is None:
        now += [Span("talk to your neighbour  ", RULER), Span(f"{state.heading.timer}    ", STRONG)]
    if state.typing:
        now.append(Span(state.typing, ACCENT))
    if now:
        lines.append(fitting([*now[:-1], now[-1]._replace(text=now[-1].text.rstrip())], width))
    if state.sentence:
        lines += _wrapped(state.sentence, WARN, width)
    return lines


def hands_lines(answers: Sequence[Answer], votes: tuple[Vote, Vote], width: int, *, low: bool = False) -> list[Line]:
    """Each answer with its hands in both votes; nothing where none were counted. Each vote in a line, where `low`."""
    begun = [(name, vote) for name, vote in zip(ORDINALS, votes, strict=True) if vote.is_begun]
    lines: list[Line] = []
    for name, vote in begun if low else ():
        line: Line = [Span(f"{name:<8}" if len(begun) > 1 else "hands   ", RULER)]
        for k, each in enumerate(answers):
            count = vote.counts[k]
            said = f"{each.id}{'✓' if each.right else ''} {'–' if count is None else f'{count} {vote.percent(k)}%'}"
            line += [Span(said, STRONG if each.right else PLAIN), Span("   ", PLAIN)]
        lines.append(fitting(line[:-1], width))
    if low:
        return lines
    for k, each in enumerate(answers if begun else ()):
        line = [Span(f" {each.id} {'✓' if each.right else ' '}", ACCENT if each.right else PLAIN)]
        for name, vote in begun:
            count, share = vote.counts[k], vote.percent(k)
            bar = "█" * round(share * BAR / 100 / len(begun))
            which = f"{name} " if len(begun) > 1 else ""
            said = f"  {which}{'–' if count is None else count:>3}  {bar.ljust(BAR // len(begun))} "
            said += f"{share:>3} %" if count is not None else " " * 5
            line.append(Span(said, STRONG if each.right else PLAIN))
        lines.append(fitting(line, width))
    return lines


def notes_lines(state: NotesState, width: int, height: int, *, below_wall: bool = False) -> list[Line]:
    """What the speaker alone sees: what comes next, the rule behind each answer, hands, and notes.

    The wall has the question, where they stand below it.
    """
    width = max(20, width)
    lines: list[Line] = [fitting([Span("Next: ", RULER), Span(state.next or "the end", PLAIN)], width)]
    if not below_wall:
        lines += [[], *_wrapped(state.item.prompt, STRONG, width)]
    right = ", ".join(each.id for each in state.item.answers if each.right)
    vote = state.votes[state.vote]
    if right:
        said = f"{ORDINALS[state.vote].capitalize()} vote, {vote.total} hands"
        lines.append([Span(f"Right: {right}.", ACCENT), Span(f"    {said}", RULER)])
    for k, each in enumerate(state.item.answers):
        count = vote.counts[k]
        share = vote.percent(k)
        bar = "█" * round(share * 16 / 100)
        line: Line = [
            Span(f"  {each.id} ", ACCENT),
            Span("  –" if count is None else f"{count:>3}", STRONG),
            Span(f"  {bar.ljust(16)} {f'{share:>3} %' if count is not None else ' ' * 5}  ", PLAIN),
            Span("right" if each.right else each.rule or "no rule", STRONG if each.right else PLAIN),
            Span(f"  {each.text}" if each.text else "", DIM),
        ]
        lines.append(fitting(line, width))
    if state.votes[0].is_begun and state.vote:
        first = state.votes[0]
        shares = "   ".join(
            f"{each.id} {'–' if first.counts[k] is None else f'{first.percent(k)} %'}"
            for k, each in enumerate(state.item.answers)
        )
        lines.append(fitting([Span(f"First vote: {shares}", RULER)], width))
    if state.advice:
        lines += [*([] if below_wall else [[]]), *_wrapped(state.advice, ACCENT, width)]
    if state.heading.timer:
        lines.append([Span("Timer  ", RULER), Span(state.heading.timer, STRONG)])
    if state.typing:
        lines.append([Span(state.typing, ACCENT)])
    for each_said in (state.sentence, state.item.problem):
        lines += _wrapped(each_said, WARN, width) if each_said else []
    for title, told in (("Note", state.item.notes), ("Reveal", () if below_wall else state.item.sentences)):
        if told:
            lines.append([])
        for n, sentence in enumerate(told):
            wrapped = textwrap.wrap(sentence, width - 8)
            heads = [f"{title:<8}" if not n and not k else " " * 8 for k in range(len(wrapped))]
            lines += [[Span(head, RULER), Span(text, PLAIN)] for head, text in zip(heads, wrapped, strict=True)]
    return lines[:height]


def notes_footer(state: NotesState, width: int) -> list[Line]:
    """The keys of the speaker's screen."""
    keys = _keys(state.item.answers, state.build, state.vote, told=state.build is Build.REVEAL)
    return footer([*keys, ("g", "go to"), ("T", "timer")], width)


def wall_footer(state: WallState, width: int, *, room: bool = False) -> list[Line]:
    """The keys of the wall that do something now; a `room`'s own isn't left, and has no speaker's screen below it."""
    keys = _keys(state.item.answers, state.build, state.hands.vote, told=state.item.is_told(state.build))
    if state.desc.pictured:
        keys.append(("space", "point"))
    if state.desc.pictured and state.build is not Build.QUESTION:
        keys += [(", .", "step"), ("h", "hide")]
    keys += [("g", "go to"), ("T", "timer")]
    return footer(keys, width, ENDS[:1]) if room else footer([*keys, ("s", "speaker")], width)


def _keys(answers: Sequence[Answer], build: Build, vote: int, *, told: bool) -> list[tuple[str, str]]:
    keys = [("pgdn", "on"), ("pgup", "back")]
    if answers and not told:
        keys += [(f"{answers[0].id}–{answers[-1].id}", "hands"), ("v", f"{ORDINALS[1 - vote]} vote")]
    if not told:
        keys.append(("r", "reveal"))
    return [*keys, ("k", "black"), *([("p", "play")] if build is Build.PLAY else [])]


def _wrapped(text: str, style: Style, width: int) -> list[Line]:
    return [[Span(each, style)] for each in textwrap.wrap(text, width)]
