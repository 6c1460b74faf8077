"""`dmlviz learn [FILE] [--lesson NAME]`: the explorer, with the course map over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SessionError, plain, quote
from .parsers import parser

if TYPE_CHECKING:
    from ..session.experiments import Session


def run(argv: list[str]) -> int:
    from . import explore

    words = parser(
        "learn",
        "Open the course: seven lessons of about ten minutes, an eighth on the misprints of DirectML's pages, "
        "25 puzzles, and one for each related operator. dmlviz remembers your answers: a lesson goes on where it "
        "was left.",
    )
    words.add_argument("file", metavar="FILE", nargs="?", help="a session file with a lesson of its own, for the map")
    words.add_argument("--lesson", metavar="NAME", help="begin with this lesson: join, split, reverse, gather, …")
    args = words.parse_args(argv)

    def begins(session: Session) -> str:
        from ..teaching.lessons.lessons import shipped_lessons
        from ..workspace.lessons.lesson import lesson_in

        own = lesson_in(session)
        if args.file is not None and own is None:
            raise SessionError(f"{plain(args.file)} holds no lesson, expected an experiment that has a task.")
        known = [lesson.id for lesson in shipped_lessons()]
        if own is not None:
            known.insert(0, own.id)
        if args.lesson is not None and args.lesson not in known:
            listed = ", ".join(map(plain, known))
            raise SessionError(f"--lesson is {quote(args.lesson)}, expected one of {listed}.")
        return args.lesson or ""

    return explore.run([args.file] if args.file is not None else [], begins)
