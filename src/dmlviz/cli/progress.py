"""`dmlviz progress`: what was answered so far, handed in, or put together for a class."""

from __future__ import annotations

import csv
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DmlvizError, SessionError, plain
from ..session.experiments import text_of
from .parsers import parser
from .shared import FINE, UNREADABLE, say

if TYPE_CHECKING:
    from ..teaching.progress.progress import Progress


def run(argv: list[str]) -> int:
    """Shows, exports, forgets or merges progress."""
    words = parser(
        "progress",
        "Show how many questions were answered rightly, hand that in, or make an instructor's tables of it.",
        'No name and no host are kept, and nothing goes over a network. `"progress": false` in the settings turns it '
        "off. Answers can be forged: this serves practice, not examination.",
    )
    words.add_argument("--export", metavar="F", help="write all answers to F; they are shown first, just as written")
    words.add_argument("--as", dest="name", default="", metavar="NAME", help="what F says whose answers these are")
    words.add_argument("--merge", nargs="+", metavar="F", help="files that were exported, for --csv")
    words.add_argument("--csv", action="store_true", help="print tasks, wrong rules and students as one table")
    words.add_argument("--forget", action="store_true", help="delete all answers of this user on this machine")
    args = words.parse_args(argv)
    if sum(map(bool, (args.export, args.merge, args.forget))) > 1:
        raise SessionError("--export, --merge and --forget are given together, expected one of them.")
    if bool(args.merge) != args.csv:
        raise SessionError("--merge and --csv go together, expected both: --merge F... --csv.")
    if args.name and not args.export:
        raise SessionError("--as is given without --export, expected --export F too.")
    text_of(args.name, "--as")
    if args.merge:
        return _print_merged(args.merge)
    from ..teaching.progress import progress

    kept = progress.Progress(progress.default_file())
    for sentence in kept.problems:
        say(sentence)
    if args.forget:
        count = kept.forget()
        print(
            f"{count:,} answer{'s' * (count != 1)} forgotten." if count else "Nothing was kept, nothing is to forget."
        )
        return FINE
    if args.export:
        text = progress.export_text(kept.answers, args.name)
        print(text, end="")
        progress.write_export(Path(args.export), text)
        say(f"{len(kept.answers):,} answers are in {plain(args.export)}, as shown.")
        return FINE
    _print_summary(kept)
    return FINE


def _print_summary(kept: Progress) -> None:
    from ..teaching.progress import progress

    if not kept.answers:
        print("No answers yet. g asks a question in the explorer; `dmlviz quiz gather-2` asks here.")
        return
    for operator, (right, count) in progress.summary(kept.answers).items():
        print(f"{_harmless(operator):22} {right:5,} of {count:5,} right")
    for row in progress.tables([("", kept.answers)]):
        if row.table == "rule":
            print(f"answered as {_harmless(row.name):11} {row.answers:5,} times")


def _print_merged(files: list[str]) -> int:
    from ..teaching.lessons.lessons import named_anew
    from ..teaching.progress import progress

    handed_in, code = [], FINE
    for file in files:
        try:
            name, answers = progress.read_export(Path(file))
            handed_in.append((name, [*map(named_anew, answers)]))
        except DmlvizError as error:
            say(str(error))
            code = UNREADABLE
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["table", "name", "students", "answers", "right", "share", "median_seconds", "lesson"])
    for row in progress.tables(handed_in):
        share = f"{row.right / row.answers:.2f}"
        numbers = row.students, row.answers, row.right, share, row.median_seconds
        out.writerow([row.table, _csv_cell(row.name), *numbers, _csv_cell(row.lesson)])
    return code


ACTS = {"Cc", "Zl", "Zp"}
"""Unicode's categories of control characters and ends of lines; joiners (Cf) are of names in many languages."""
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's directions of what turns others around."""


def _harmless(name: str) -> str:
    """Text of others without control characters, and without what turns its direction."""
    return "".join(c for c in name if unicodedata.category(c) not in ACTS and unicodedata.bidirectional(c) not in TURNS)


def _csv_cell(name: str) -> str:
    """Text of others for a spreadsheet's cell, with a quote before what would be a formula."""
    shown = _harmless(name)
    judged = "".join(c for c in shown if not c.isspace() and unicodedata.category(c) != "Cf")
    return f"'{shown}" if unicodedata.normalize("NFKC", judged[:1]) in ("=", "+", "-", "@") else shown
