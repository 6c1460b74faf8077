"""What the wall and the speaker's screen say, line by line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import product

from ...operators.registry import operator_of
from ...scene.drawing.small_table import CELL_SIZES, CellSize
from ...scene.spans import PLAIN, RULER, TITLE, WARN, Line, Span, Style, fitting, length
from ...session.presentation_state import Build
from ...teaching.words.catalogue import sentence
from ...workspace.asking.asked_desc import TableState
from ...workspace.wall.presented_item import Answer, total_of
from ...workspace.wall.wall_desk import WallState
from .answer_board import rows_of, table_of, tables_at, titled, with_right
from .vote_bars import bar_lines

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAD = Style("warn", strong=True)
BAND = BLANK = Style("tab", strong=True)
FLAT = tuple(size for size in CELL_SIZES if size.lines == 1 and not size.between)
"""Cells without air above: on a low screen, and once a question was asked, the picture has the lines first."""
GAP = 3
"""Columns between two tables, and between two texts of one line."""
Key = tuple[str, str, str]
"""A key, what it does in a word, and the action of a click on that."""


def wall_head(state: WallState, width: int) -> list[Line]:
    """What is presented and its numbers at the left, in as many lines as they need; how far it is at the right."""
    name = Span(operator_of(state.view.experiment.desc).name, TITLE)
    told: Line = [Span(f"✗ {sentence('present.invalid')}", BAD)] if state.invalid else []
    told += [Span(f"{field.path} {field.text}", BLANK if field.blank else STRONG) for field in state.fields]
    title, named = ([Span(text, PLAIN)] if text else [] for text in (state.title, state.name))
    number = sentence("words.of", number=state.at.experiment + 1, count=state.count)
    # Whoever comes late still finds the way in.
    code = f"{state.room.spelled}   " if state.room is not None else ""
    right = f"{code}{number}"
    every = [*title, name, *named, *told]
    room = max(1, width - len(right) - 2)
    lines = rows_of(every if length(every) + GAP * (len(every) - 1) <= room else [name, *told], room, GAP)
    return [with_right(lines[0], right, PLAIN, width), *lines[1:]]


def notes_head(state: WallState, width: int) -> list[Line]:
    """The head of the speaker's screen: names at the left; how far the talk is, and the time, at the right."""
    assert state.notes is not None
    spans = [Span(sentence("present.speaker"), TITLE), Span(state.title, PLAIN), Span(state.notes.name, RULER)]
    if state.at.black:
        spans.append(Span(sentence("present.is_black"), WARN))
    number = sentence("words.of", number=state.at.experiment + 1, count=state.count)
    right = f"{number}  {state.at.build.value}   {state.notes.clock}".rstrip()
    left: Line = [part for span in spans if span.text for part in (span, Span("   ", PLAIN))]
    return [with_right(left, right, PLAIN, width)]


def wall_forms(state: WallState, width: int, *, roomy: bool = False) -> Iterator[tuple[list[Line], bool]]:
    """(lines, all answers are seen) of the question and of what was revealed, the largest form first."""
    gap: list[Line] = [[]] if roomy else []
    texts = textwrap.wrap(state.item.prompt, width - 2)
    asked: list[Line] = [[Span(text.center(width), BAND)] for text in (["", *texts, ""] if roomy else texts)]
    tail = _centred(_revealed_lines(state, width), width)
    tail = [*(gap if tail else ()), *tail]
    is_small = state.drawn and not (roomy and state.at.build is Build.QUESTION)
    sizes = product((True, False), FLAT) if is_small else product((False,), CELL_SIZES)
    bare = [TableState(table.title, table.sizes, ()) for table in state.tables]
    for tables, in_row, size in [*((state.tables, *each) for each in sizes), (tuple(bare), False, CELL_SIZES[-1])]:
        body = _body(state, tables, width, size, in_row=in_row)
        if body is not None:
            yield [*asked, *gap, *body, *tail], True
    answers = state.item.answers
    are_whole = all(one.text and len(f"{one.id} {one.text}") <= width for one in answers)
    yield [*asked, *_centred(_answer_letters(state, width), width), *tail], are_whole


def _body(
    state: WallState, tables: Sequence[TableState], width: int, size: CellSize, *, in_row: bool
) -> list[Line] | None:
    """The desc's tables, and the answers or a level's goal; None where they have no room."""
    question = state.item.question
    answers = state.item.answers
    lines, valued = titled(tables, width)
    pictures = [(_lead(state, each), table_of(each.picture)) for each in answers if each.picture is not None]
    if question is not None and question.goal is not None and not answers:
        pictures = [(Span(sentence("page.goal"), ACCENT), table_of(question.goal))]
    parts = [tables_at(each, size, width, GAP + size.pad // 2, in_row=in_row) for each in (valued, pictures)]
    if not pictures:
        parts.append(_answer_lines(state, width))
    for part in parts:
        if part is None:
            return None
        if lines and part and size.pad > 1:
            lines.append([])
        lines += _centred(part, width)
    return lines


def _lead(state: WallState, answer: Answer) -> Span:
    if answer.right and state.told:
        return Span(f"[{answer.id}] ✓ ", BAND)
    return Span(f" {answer.id}    ", ACCENT)


def _answer_lines(state: WallState, width: int) -> list[Line]:
    lines: list[Line] = []
    for answer in state.item.answers:
        lead = _lead(state, answer)
        for text in textwrap.wrap(answer.text, width - len(lead.text) - 1):
            lines.append([lead, Span(f" {text}", PLAIN)])
            lead = Span(" " * len(lead.text), PLAIN)
    return lines


def _answer_letters(state: WallState, width: int) -> list[Line]:
    answers = state.item.answers
    right = [answer for answer in answers if answer.right and state.told]
    if right or not answers:
        return [line for each in right for line in wrapped_lines(f"✓ {each.id}  {each.text}", ACCENT, width)]
    return rows_of((Span(f"{answer.id} {answer.text}", PLAIN) for answer in answers), width, GAP)


def _centred(lines: list[Line], width: int) -> list[Line]:
    margin = Span(" " * max(0, (width - max(map(length, lines), default=0)) // 2), PLAIN)
    return [[margin, *line] if line else line for line in lines]


def _revealed_lines(state: WallState, width: int) -> list[Line]:
    lines: list[Line] = []
    if total_of(state.counted):
        lines += bar_lines(state.counted, width)
    for told in state.sentences:
        lines += wrapped_lines(told, PLAIN, width)
    now = []
    if state.hands and not state.told:
        now.append(Span(state.hands, RULER))
    if state.typing:
        now.append(Span(state.typing, ACCENT))
    if now:
        lines += rows_of(now, width, GAP)
    return [*lines, *wrapped_lines(state.sentence, WARN, width)]


def notes_lines(state: WallState, width: int, height: int) -> list[Line]:
    """What the speaker alone sees: what comes next, the question, the rules behind answers, hands, notes."""
    notes = state.notes
    item = state.item
    vote = state.at.vote
    room = state.room
    assert notes is not None
    width = max(20, width)
    following = Span(notes.next or sentence("present.end"), PLAIN)
    lines = [fitting([Span(f"{sentence('present.next')} ", RULER), following], width), []]
    lines += wrapped_lines(item.prompt, STRONG, width)
    if room is not None:
        told = how_many(state) if room.asked else f"{how_many(state)} · {sentence('present.room_not_asked')}"
        lines += [fitting([Span(told, STRONG)], width), *wrapped_lines(room.trouble, WARN, width)]
    if item.answers:
        which = sentence("present.vote", number=vote + 1)
        hands = sentence("present.vote_hands", vote=which, count=total_of(notes.counted))
        lines += [[], [Span(hands, RULER)]]
    meant = {answer.id: answer.text for answer in item.answers}
    lines += bar_lines(notes.counted, width, meant=meant)
    for told, style in ((notes.typing, ACCENT), (state.sentence, WARN), (item.problem, WARN)):
        lines += wrapped_lines(told, style, width)
    for title, texts in (("present.note", item.notes), ("present.reveal", item.sentences)):
        if texts:
            lines += [[], [Span(sentence(title), RULER)]]
        for text in texts:
            lines += wrapped_lines(text, PLAIN, min(width, 110))  # to be read
    return lines[:height]


def how_many(state: WallState, *, short: bool = False) -> str:
    """How many phones have answered; how many have joined, where they aren't asked."""
    room = state.room
    if room is None:
        return ""
    if not room.asked:
        return sentence("present.room_joined", count=room.joined)
    told = sentence("present.room_answered", count=room.answered, total=room.joined)
    return f"{room.answered}/{room.joined}" if short else told


def wrapped_lines(text: str, style: Style, width: int) -> list[Line]:
    """A text in lines of `width` columns, or of a few where there are fewer."""
    return [[Span(part, style)] for part in textwrap.wrap(text, max(8, width))]


def keys_line(state: WallState, width: int, *, speaker: bool = False) -> list[Line]:
    """The keys that do something now, as many as there is room for."""
    if state.at.joining:
        return [_key_spans(("pgdn", "to the questions", "forward"))]
    answers = state.item.answers
    is_asked = state.room is not None and state.room.asked
    keys: list[Key] = [("pgdn", "on", "forward"), ("pgup", "back", "back")]
    if not state.told:
        keys.append(("r", "reveal", "reveal"))
        if answers and not is_asked:
            keys.append((f"{answers[0].id}–{answers[-1].id}", "hands", ""))
        if answers or is_asked:
            keys.append(("v", sentence("present.vote", number=2 - state.at.vote), "second_vote"))
    if state.drawn and state.at.build is not Build.QUESTION and not speaker:
        keys += [(", .", "step", "step"), ("p", "play", "play")]
    keys += [("k", "black", "black"), ("g", "go to", "")]
    line: Line = []
    if state.room is not None and not speaker:
        count = how_many(state, short=width < 100)
        line = [Span(count, STRONG), Span(" · ", PLAIN), *_key_spans(("J", "code", "show_code"))]
    end = _key_spans(("?", "keys", "screen.keys"))
    end += _key_spans(("q", "leave", "screen.leave(False)"))[:-1]
    for key in keys:
        piece = _key_spans(key)
        if length(line) + length(piece) + length(end) > width:
            break
        line += piece
    return [fitting([*line, *end], width)]


def _key_spans(key: Key) -> Line:
    name, word, call = key
    action = call if not call or "." in call else f"screen.do('{call}', {'(1,)' if call == 'step' else '()'})"
    return [Span(name, ACCENT, action), Span(f" {word}", PLAIN, action), Span("  ", PLAIN)]
