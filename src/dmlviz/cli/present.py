"""`dmlviz present FILE [--notes]`: the wall for a room, or the speaker's screen."""

from __future__ import annotations

from .parsers import add_named_file, parser


def run(argv: list[str]) -> int:
    words = parser(
        "present",
        "Present a session to a class, in large cells. Answers stay hidden until you reveal them. Page down goes "
        "forward, page up goes back.",
        "Both screens share a file in your state folder, named after FILE's path: you can close and restart either.",
    )
    add_named_file(words)
    words.add_argument(
        "--notes",
        action="store_true",
        help="the presenter view, in another terminal: notes, votes, and the next experiment",
    )
    args = words.parse_args(argv)
    from . import explore

    return explore.run([args.file], presents="notes" if args.notes else "wall")
