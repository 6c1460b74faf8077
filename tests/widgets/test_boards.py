"""What is told beside a picture that is asked about, on the wall, in a level and at a lesson's end: lines of states."""

from __future__ import annotations

from collections.abc import Iterator

from support.answering import asking, give, typed
from support.golden import Golden, marked
from support.levels import lead_to, level, work_on
from support.one_session import experiment_of
from support.presentations import count, presented, tell

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.spans import PLAIN, Line, Span
from dmlviz.session.class_status import Said
from dmlviz.widgets.boards.answer_board import board_of
from dmlviz.widgets.boards.join_lines import join_head, join_lines
from dmlviz.widgets.boards.level_board import GivenLine, LevelHead, board_text
from dmlviz.widgets.boards.presented_lines import keys_line, notes_head, notes_lines, wall_forms, wall_head
from dmlviz.workspace.asking.asking import AskDesk

GOLDEN = Golden(__file__)
Named = Iterator[tuple[str, list[Line]]]


def questions() -> Named:
    def board(desk: AskDesk, width: int = 60, height: int = 12) -> list[Line]:
        return board_of(desk.state, width, height).lines

    desk = asking(experiment_of("tile-1"), "cell")
    typed(desk, "5.5")
    desk.hint()
    yield "a value is typed", board(desk, 84)
    give(desk, 7)
    yield "it was wrong", board(desk)
    desk = asking(experiment_of("join-1"), "sizes")
    typed(desk, "1,1")
    desk.click(Cursor(Place(False, 1), (0, 0, 1, 2)))
    yield "sizes in a narrow window", board(desk, 40, 4)
    desk = asking(experiment_of("gather-2"), "order")
    typed(desk, "1,3")
    yield "several numbers", board(desk, 20)
    desk = asking(experiment_of("reverse-1"), "pictures")
    desk.answering.choose("a")
    yield "pictures", board(desk, 30)
    desk = asking(experiment_of("gather-2"), "unread")
    desk.answering.choose("none")
    yield "no element", board(desk)
    desk = asking(experiment_of("rule-gather-fits"), "valid")
    desk.answering.choose("gather.fits")
    desk.move(1, 0)
    yield "a list", board(desk, 70, 14)
    desk.answering.choose("gather.sizes")
    desk.answer()
    yield "too many were chosen", board(desk, 70, 14)


def wall() -> Named:
    made = presented("gather-2", "rule-sizes-match", "tile-1")

    def on_wall(width: int = 70, form: int = 0) -> list[Line]:
        state = made.state
        lines, _ = [*wall_forms(state, width)][form]
        return [*wall_head(state, width), *lines, *keys_line(state, width)]

    yield "where nothing but its text has room", on_wall(60, -1)
    made.forward()
    count(made, "a", 3)
    made.second_vote()
    count(made, "a", 1)
    count(made, "b", 7)
    made.type_number("c")
    yield "hands in a second vote", on_wall(120)
    notes = made.state
    made.reveal()
    yield "the reveal", on_wall(70)
    yield "the speaker", [*notes_head(notes, 90), *notes_lines(notes, 90, 10), *keys_line(notes, 90, speaker=True)]
    made.forward()
    said = [Said(text="4", count=9, right=True, before=12), Said(text="6", count=2, rule="R1 last is first")]
    made.forward()
    made.forward()
    tell(made, answered=11, said=(*said, Said(text="", count=1)), trouble="No room.")
    yield "a class has answered", on_wall(110)
    narrow = keys_line(made.state, 57)
    silent = tell(made, answered=11, asked=False, trouble="No room.").state
    yield "narrow, and where phones don't ask", [*narrow, *keys_line(silent, 57), *notes_lines(silent, 57, 9)]
    made.reveal()
    made.show_code()
    yield "the code", [*join_head(made.state, 80), *join_lines(made.state, 40, 9), *keys_line(made.state, 80)]


def levels() -> Named:
    desk = work_on("L21")

    def told(width: int = 70) -> list[Line]:
        state = desk.state
        board = [[Span(text, PLAIN)] for text in board_text(state).markup.split("\n")]
        parts = (LevelHead(), GivenLine())
        return [line for part in parts for line in part.lines_of(state, width, 1)] + board

    desk.type_in_field("IndicesTensor.values", "9,9")
    desk.hint()
    yield "a hint", told()
    lead_to(desk, level("L21").solution())
    yield "solved", told()


def test_golden_boards() -> None:
    parts = (*questions(), *wall(), *levels())
    GOLDEN.check({"boards": "\n".join(f"- {title}\n{marked(lines)}" for title, lines in parts)})
