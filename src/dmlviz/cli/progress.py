"""`dmlviz progress`: what was answered so far, handed in, or put together for a class."""

from __future__ import annotations

from pathlib import Path

from ..errors import SessionError, plain
from .parsers import parser
from .shared import FINE, count_of, say


def run(argv: list[str]) -> int:
    words = parser(
        "progress",
        "Show how many of your answers were right, write them to a file to hand in, or make tables of a class.",
        'No name and no host are kept, and nothing goes over a network. `"progress": false` in the settings turns it '
        "off. Answers can be forged: use this for practice, not for exams.",
    )
    whats = words.add_mutually_exclusive_group()
    whats.add_argument("--export", metavar="F", help="write all answers to F, and print them first")
    whats.add_argument("--merge", nargs="+", metavar="F", help="make tables of the files that a class handed in")
    whats.add_argument("--forget", action="store_true", help="delete all answers of this user on this machine")
    words.add_argument("--as", dest="name", default="", metavar="NAME", help="your name in F")
    words.add_argument("--csv", action="store_true", help="print what --merge shows as one table for a spreadsheet")
    args = words.parse_args(argv)
    if args.csv and not args.merge:
        raise SessionError("--csv is given without --merge, expected --merge F... too.")
    if args.name and not args.export:
        raise SessionError("--as is given without --export, expected --export F too.")
    from ..teaching.progress import progress
    from ..teaching.progress.hand_ins import HandIn, name_of
    from .class_text import print_merged, print_summary

    if args.merge:
        return print_merged(args.merge, as_csv=args.csv)
    kept = progress.Progress(progress.default_file())
    for said in kept.problems:
        say(said)
    if args.forget:
        print(f"{count_of(kept.forget(), 'answer')} forgotten.")
    elif args.export:
        hand_in = HandIn(name=name_of(args.name, "--as"), answers=tuple(kept.answers))
        hand_in.write(Path(args.export))
        print(hand_in.text, end="")
        say(f"{count_of(len(kept.answers), 'answer')} in {plain(args.export)}, as shown.")
    else:
        print_summary(kept)
    return FINE
