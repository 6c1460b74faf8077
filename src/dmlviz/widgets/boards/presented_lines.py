"""What the wall and the speaker's screen say, line by line."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ...scene.spans import DIM, PLAIN, RULER, TITLE, WARN, Line, Span, Style, fitting, length
from ...session.presentation_state import Build
from ...workspace.asking.ask_state import AskState
from ...workspace.wall.votes import counted_hands
from ...workspace.wall.wall_state import NotesState, WallState
from .answer_board import Board, board_of, head_lines
from .class_lines import notes_class_lines, wall_class, wrapped_lines
from .vote_bars import bar_lines

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAD = Style("warn", strong=True)
BAND = BLANK = Style("tab", strong=True)
VOTES = ("first vote", "second vote")
ENDS = (("?", "keys"), ("q", "leave"))
"""The keys that are always named."""
AIR = 2
"""Lines above and below the question in its band, where there is much room."""
LEAST_BOARD = 4
"""Lines that a question has at least."""


def wall_head(state: WallState, width: int) -> list[Line]:
    """What is presented and its numbers at the left; how far it is, and the time, at the right."""
    op = Span(state.heading.operator, TITLE)
    name = Span(f" · {state.heading.name}" if state.heading.name else "", PLAIN)
    rest: Line = [Span(f"   ✗ {state.item.say('present.invalid')}", BAD)] if state.desc.marked_invalid else []
    level: Line = []
    for field in state.desc.fields:
        spans = [Span("   ", PLAIN), Span(f"{field.path} {field.text}", BLANK if field.blank else STRONG)]
        if field.path == state.item.say("words.feature_level"):
            level = spans
        else:
            rest += spans
    number = state.item.say("words.of", number=state.heading.number, count=state.heading.count)
    timed = f"{number}   {state.heading.elapsed}"
    whole: Line = [op, *rest, *level]
    named: Line = [op, name, *rest, *level]
    titled: Line = [Span(f"{state.heading.title}   ", PLAIN), *named] if state.heading.title else named
    ways = [""]
    if state.room is not None:  # whoever comes late still finds the way in
        code = f"{state.room.status.spelled}   "
        ways = [f"{state.room.status.spoken}  {code}", code]
    for way in ways:
        for left, right in ((titled, timed), (named, timed), (whole, timed), (whole, number)):
            if length(left) + len(way) + len(right) + 2 <= width:
                return [_two_ended_line(left, f"{way}{right}", width)]
    return head_lines([op, *rest], Span(f"{ways[-1]}{number}", PLAIN), width)  # the speaker's screen has the time


def notes_head(state: NotesState, width: int) -> list[Line]:
    """The head of the speaker's screen: names at the left; how far the talk is, and the time, at the right."""
    title = Span(f"  {state.heading.title}" if state.heading.title else "", PLAIN)
    left: Line = [Span(state.item.say("present.speaker"), TITLE), title, Span(f"  {state.heading.name}", RULER)]
    if state.black:
        left.append(Span(f"  {state.item.say('present.is_black')}", WARN))
    heading, say = state.heading, state.item.say
    time = heading.elapsed
    if heading.planned:
        time = say("words.of", number=time, count=heading.planned)
    n = say("words.of", number=heading.number, count=heading.count)
    return [_two_ended_line(left, f"{n}  {state.build.value}   {time}", width)]


def _two_ended_line(left: Line, right: str, width: int) -> Line:
    line = fitting(left, max(1, width - len(right) - 2))
    return [*line, Span(right.rjust(max(0, width - length(line))), PLAIN)]


def keys_line(keys: Sequence[tuple[str, str]], width: int, ends: Sequence[tuple[str, str]] = ENDS) -> list[Line]:
    """One line of keys and what they do, as many as there is room for; those of `ends` always."""
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
        asked, tail = _asked_and_revealed(state, width, height - AIR, short=short, roomy=True)
        if len(asked) + len(tail) <= height - AIR:
            return _parts_with_air(_centred_parts(asked, tail, width), height)
    asked, tail = _asked_and_revealed(state, width, height, short=short)
    lines = _parts_with_air(([_with_band(line, width) for line in asked], tail), height)
    told = [] if lines[-1:] == tail[-1:] else wrapped_lines(state.sentence, WARN, width)
    return [*lines[: height - len(told)], *told]  # what was just asked for is answered, whatever else has no room


def _asked_and_revealed(
    state: WallState, width: int, height: int, *, short: bool, roomy: bool = False
) -> tuple[list[Line], list[Line]]:
    """(lines asked, lines revealed); hands are bars, or a line for each vote where bars have no room.

    With both votes and much room, the second one's bars stand below those of the first. In a class bars come before
    air.
    """
    parts: tuple[list[Line], list[Line]] = [], []
    forms = [*(["below"] if roomy else []), "beside", *([] if roomy and state.room is not None else ["low"])]
    for form in forms if has_votes(state) else ["beside"]:
        tail = _revealed_lines(state, width, form=form)
        whole = True
        if state.ask is None:
            lines: list[Line] = [[Span(text, PLAIN)] for text in state.desc.lines]
            lines += [*([[]] if lines else []), *wrapped_lines(state.item.prompt, STRONG, width)]
        elif short:
            lines = [*wrapped_lines(state.item.prompt, STRONG, width), *_answer_letters(state, width)]
        else:
            board = _question_board(state.ask, width, max(LEAST_BOARD, height - len(tail)))
            lines, whole = board.lines, board.whole
        parts = [*_without_empty_end(lines)], tail
        if whole and len(parts[0]) + len(tail) <= height:
            break
    return parts


def _parts_with_air(parts: tuple[list[Line], list[Line]], height: int) -> list[Line]:
    """Both parts, with an empty line between them if there is room; at most `height` lines."""
    lines, tail = parts
    aired = lines and tail and len(lines) + 1 + len(tail) <= height
    return [*lines, *([[]] if aired else []), *tail][:height]


def _centred_parts(asked: list[Line], tail: list[Line], width: int) -> tuple[list[Line], list[Line]]:
    """(asked, revealed): the question on a high band; its answers, and what was revealed, as centred blocks."""
    asks, tells = (
        _centring_margin([line for line in part if not _is_question_line(line)], width) for part in (asked, tail)
    )
    lines: list[Line] = []
    for k, line in enumerate(asked):
        if not _is_question_line(line):
            lines.append([asks, *line] if line else line)
            continue
        band = [Span(line[0].text.center(width), BAND)]
        before, after = asked[k - 1 : k], asked[k + 1 : k + 2]
        edge: Line = [Span(" " * width, BAND)]
        lines += [
            *([] if before and _is_question_line(before[0]) else [edge]),
            band,
            *([] if after and _is_question_line(after[0]) else [edge]),
        ]
    return lines, [[tells, *line] if line else line for line in tail]


def _centring_margin(lines: Sequence[Line], width: int) -> Span:
    """The spaces that stand before each of some lines to centre them as one block."""
    return Span(" " * max(0, (width - max(map(length, lines), default=0)) // 2), PLAIN)


def _is_question_line(line: Line) -> bool:
    """True for a line of the question itself: one strong span."""
    return len(line) == 1 and line[0].style == STRONG


def answers_fit(state: WallState, width: int, height: int) -> bool:
    """True if the question stands with all of its answers in so many lines, beside what was revealed.

    What phones counted are bars: they are what a class talks about.
    """
    width = max(20, width)
    room = height - len(_revealed_lines(state, width, form="low" if state.room is None else "beside"))
    return state.ask is None or (room > 0 and _question_board(state.ask, width, room).whole)


def has_votes(state: WallState) -> bool:
    """True if there are bars: hands that were counted, or answers of phones."""
    said = state.room is not None and state.room.said
    return bool(said) or (state.hands.votes is not None and any(vote.is_begun for vote in state.hands.votes))


def _question_board(ask: AskState, width: int, room: int) -> Board:
    """The lines of a question with its answers; an empty last one needs no room."""
    board = board_of(ask, width, room + 1, on_wall=True)
    return board if len(_without_empty_end(board.lines)) <= room else board_of(ask, width, room, on_wall=True)


def _without_empty_end(lines: Sequence[Line]) -> Sequence[Line]:
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]


def _with_band(line: Line, width: int) -> Line:
    """A line of the question on a band of `width` columns; any other line as it is."""
    if not _is_question_line(line):
        return line
    text = line[0].text
    return [Span((f" {text}" if len(text) < width else text).ljust(width), BAND)]


def _answer_letters(state: WallState, width: int) -> list[Line]:
    """The right answers once they are revealed; before that, every answer, several in a line."""
    right = [answer for answer in state.item.answers if answer.right]
    if state.item.is_told(state.build) and right:
        return [line for answer in right for line in wrapped_lines(f"✓ {answer.id}  {answer.text}", ACCENT, width)]
    lines: list[Line] = []
    for answer in state.item.answers:
        piece: Line = [Span(f"{answer.id} ", ACCENT), Span(answer.text, PLAIN)]
        if lines and length(lines[-1]) + length(piece) + 3 <= width:
            lines[-1] += [Span("   ", PLAIN), *piece]
        else:
            lines.append(piece)
    return [fitting(line, width) for line in lines]


def _revealed_lines(state: WallState, width: int, *, form: str) -> list[Line]:
    """Lines below the question: hands, sentences, the timer, and what the presenter types. `form` is the bars'."""
    lines: list[Line] = []
    say, room, hands = state.item.say, state.room, state.hands
    if hands.votes is not None:
        shown = counted_hands(state.item.answers, hands.votes)
        lines += bar_lines(shown or (room.said if room is not None else ()), width, form=form)
    for told in state.sentences:
        lines += wrapped_lines(told, PLAIN, width)
    now: Line = []
    if hands.votes is None and hands.counted and not (room is not None and room.status.asked):
        counted = say("present.counted", letters=" ".join(hands.counted))
        if hands.total is not None:
            counted = say("present.counted_all", count=hands.total)
        now.append(Span(f"{counted} · {VOTES[hands.vote]}    ", RULER))
    elif hands.votes is None and hands.vote:
        now.append(Span(f"{say('present.vote_second')}    ", RULER))
    if state.heading.timer and hands.votes is None:
        now += [Span(f"{say('present.talk')}  ", RULER), Span(f"{state.heading.timer}    ", STRONG)]
    if state.typing:
        now.append(Span(state.typing, ACCENT))
    if now:
        lines.append(fitting([*now[:-1], now[-1]._replace(text=now[-1].text.rstrip())], width))
    if state.sentence:
        lines += wrapped_lines(state.sentence, WARN, width)
    return lines


def notes_lines(state: NotesState, width: int, height: int, *, below_wall: bool = False) -> list[Line]:
    """What the speaker alone sees: what comes next, the rules behind answers, hands, notes, if need be the question."""
    width, item, say = max(20, width), state.item, state.item.say
    lines: list[Line] = [
        fitting([Span(f"{say('present.next')} ", RULER), Span(state.next or say("present.end"), PLAIN)], width)
    ]
    if not below_wall:
        lines += [[], *wrapped_lines(item.prompt, STRONG, width)]
    lines += notes_class_lines(state, width)[int(below_wall) :]
    right = ", ".join(answer.id for answer in item.answers if answer.right)
    vote = state.votes[state.vote]
    if right:
        named = VOTES[state.vote]
        vote_words = say("present.vote_hands", vote=f"{named[:1].upper()}{named[1:]}", count=vote.total)
        lines.append([Span(say("present.right", letters=right), ACCENT), Span(f"    {vote_words}", RULER)])
    for k, answer in enumerate(item.answers):
        count = vote.counts[k]
        share = vote.percent(k)
        bar = "█" * round(share * 16 / 100)
        line: Line = [
            Span(f"  {answer.id} ", ACCENT),
            Span("  –" if count is None else f"{count:>3}", STRONG),
            Span(f"  {bar.ljust(16)} {f'{share:>3} %' if count is not None else ' ' * 5}  ", PLAIN),
            Span(
                say("present.is_right") if answer.right else answer.rule or say("present.no_rule"),
                STRONG if answer.right else PLAIN,
            ),
            Span(f"  {answer.text}" if answer.text else "", DIM),
        ]
        lines.append(fitting(line, width))
    if state.votes[0].is_begun and state.vote:
        first = state.votes[0]
        shares = "   ".join(
            f"{answer.id} {'–' if first.counts[k] is None else f'{first.percent(k)} %'}"
            for k, answer in enumerate(item.answers)
        )
        lines.append(fitting([Span(say("present.first_shares", shares=shares), RULER)], width))
    if state.room is not None:
        lines += bar_lines(state.room.said, width, form="beside", ids=True)
    if state.room is not None and state.room.commonest is not None:
        rule, count, total = state.room.commonest
        words = say("present.room_commonest", rule=rule, count=count, total=total)
        lines.append(fitting([Span(words, STRONG)], width))
    if state.advice:
        lines += [*([] if below_wall else [[]]), *wrapped_lines(state.advice, ACCENT, width)]
    if state.heading.timer:
        lines.append([Span(f"{say('present.timer')}  ", RULER), Span(state.heading.timer, STRONG)])
    if state.typing:
        lines.append([Span(state.typing, ACCENT)])
    for trouble in (state.sentence, item.problem):
        lines += wrapped_lines(trouble, WARN, width) if trouble else []
    for title, told in (
        (say("present.note"), item.notes),
        (say("present.reveal"), () if below_wall else item.sentences),
    ):
        if told:
            lines.append([])
        for n, paragraph in enumerate(told):
            wrapped = textwrap.wrap(paragraph, width - 8)
            heads = [f"{title:<8}" if not n and not k else " " * 8 for k in range(len(wrapped))]
            lines += [[Span(head, RULER), Span(text, PLAIN)] for head, text in zip(heads, wrapped, strict=True)]
    return lines[:height]


def notes_footer(state: NotesState, width: int) -> list[Line]:
    """The keys of the speaker's screen."""
    keys = _common_keys(state, state.vote, told=state.build is Build.REVEAL)
    return keys_line([*keys, ("g", "go to"), ("T", "timer")], width)


def wall_footer(state: WallState, width: int, *, room: bool = False) -> list[Line]:
    """The keys of the wall that do something now; a `room`'s own isn't left, and has no speaker's screen below it."""
    told, steps = state.item.is_told(state.build), state.desc.pictured and state.build is not Build.QUESTION
    keys = _common_keys(state, state.hands.vote, told=told)
    ways = [*([(", .", "step")] if steps else []), *([("m", "memory")] if state.desc.memory else [])]
    if told:  # what there is to be seen then
        keys[2:2] = ways
        ways = []
    if state.desc.pictured:
        keys += [("space", "point"), *ways]
    if steps:
        keys.append(("h", "hide"))
    keys += [("g", "go to"), ("T", "timer"), *([] if room else [("s", "speaker")])]
    for short in (False, True):  # the keys that go on are worth more than words
        joined = wall_class(state, short=short)
        [line] = keys_line(keys, width - length(joined), ENDS[:1] if room else ENDS)
        if keys[0][0] in (span.text for span in line):
            break
    return [[*joined, *line]]


def _common_keys(state: WallState | NotesState, vote: int, *, told: bool) -> list[tuple[str, str]]:
    """(key, word) of what works on the wall and on the speaker's screen; `told` is after the reveal.

    Where phones count, nobody types hands.
    """
    status, answers = state.room.status if state.room is not None else None, state.item.answers
    plays = [("p", "play")] if state.build is Build.PLAY else []
    if status is not None and status.asked and not told:
        return [("pgdn", "on"), ("r", "reveal"), ("v", VOTES[1 - vote]), ("pgup", "back"), ("k", "black"), *plays]
    keys = [("pgdn", "on"), ("pgup", "back")]
    if answers and not told:
        keys += [(f"{answers[0].id}–{answers[-1].id}", "hands"), ("v", VOTES[1 - vote])]
    if not told:
        keys.append(("r", "reveal"))
    return [*keys, ("k", "black"), *plays]
