"""`dmlviz learn [FILE] [--lesson NAME] [--hand-in F]`: the explorer, with the course map over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SessionError, plain, quote
from .parsers import add_hand_in_options, file_to_hand_in, parser
from .shared import hand_in

if TYPE_CHECKING:
    from ..session.experiments import Session
    from ..teaching.lessons.lessons import Lesson
    from ..teaching.progress.progress import Progress


def run(argv: list[str]) -> int:
    """Opens the course map, or at once the lesson that is named."""
    from . import explore

    words = parser(
        "learn",
        "Open the course: seven lessons of about ten minutes, 25 levels, one for each neighbour, and ten of two "
        "operators. What was answered is remembered, so a lesson goes on where it was left.",
    )
    words.add_argument("file", metavar="FILE", nargs="?", help="a session file with a lesson of its own, for the map")
    words.add_argument("--lesson", metavar="NAME", help="begin with this lesson: join, split, reverse, gather, …")
    add_hand_in_options(words)
    args = words.parse_args(argv)
    file = file_to_hand_in(args)
    lessons: list[Lesson] = []  # that is handed in

    def begins(session: Session) -> str:
        from ..teaching.lessons.lessons import shipped_lessons
        from ..workspace.lessons.course_map import lesson_in

        own = lesson_in(session)
        if file is not None and args.file is None and args.lesson is None:
            raise SessionError("--hand-in is given without a lesson, expected FILE or --lesson too.")
        if args.file is not None and own is None:
            shown = plain(args.file, 60)
            raise SessionError(f"{shown} holds no lesson, expected a session in which an experiment has a task.")
        if args.lesson is None:
            lessons.extend([own] if own is not None else [])
            return ""
        known = {lesson.id: lesson for lesson in ([own] if own is not None else [])}
        for lesson in shipped_lessons():
            known.setdefault(lesson.id, lesson)
        if args.lesson not in known:
            raise SessionError(f"--lesson is {quote(args.lesson)}, expected one of {', '.join(map(plain, known))}.")
        lessons.append(known[args.lesson])
        return str(args.lesson)

    def leaves(progress: Progress) -> None:
        if file is not None:
            hand_in(file, args.name, lessons[0], progress.answers)

    return explore.run([args.file] if args.file is not None else [], begins, leaves=leaves, student=args.name)
