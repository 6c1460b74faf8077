"""`dmlviz progress`: what was answered so far, handed in, or put together for a class."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DmlvizError, SessionError, plain
from .parsers import parser
from .shared import FINE, UNREADABLE, count_of, say, shown

if TYPE_CHECKING:
    from ..teaching.progress.class_tables import ClassTable
    from ..teaching.progress.progress import Progress


def run(argv: list[str]) -> int:
    """Shows, exports, forgets or merges progress."""
    words = parser(
        "progress",
        "Show how many questions were answered rightly, hand that in, or make an instructor's tables of it.",
        'No name and no host are kept, and nothing goes over a network. `"progress": false` in the settings turns it '
        "off. Answers can be forged: this serves practice, not examination.",
    )
    whats = words.add_mutually_exclusive_group()
    whats.add_argument("--export", metavar="F", help="write all answers to F; they are shown first, just as written")
    whats.add_argument("--merge", nargs="+", metavar="F", help="show what a class has handed in, as F of each")
    whats.add_argument("--forget", action="store_true", help="delete all answers of this user on this machine")
    words.add_argument("--as", dest="name", default="", metavar="NAME", help="what F says whose answers these are")
    words.add_argument("--csv", action="store_true", help="print what --merge shows as one table for a spreadsheet")
    args = words.parse_args(argv)
    if args.csv and not args.merge:
        raise SessionError("--csv is given without --merge, expected --merge F... too.")
    if args.name and not args.export:
        raise SessionError("--as is given without --export, expected --export F too.")
    if args.merge:
        return _print_merged(args.merge, as_csv=args.csv)
    from ..teaching.progress import progress
    from ..teaching.progress.hand_ins import HandIn, name_of

    kept = progress.Progress(progress.default_file())
    for sentence in kept.problems:
        say(sentence)
    if args.forget:
        print(f"{count_of(kept.forget(), 'answer')} forgotten.")
    elif args.export:
        hand_in = HandIn(name=name_of(args.name, "--as"), answers=tuple(kept.answers))
        hand_in.write(Path(args.export))
        print(hand_in.text, end="")
        say(f"{count_of(len(kept.answers), 'answer')} in {plain(args.export)}, as shown.")
    else:
        _print_summary(kept)
    return FINE


def _print_summary(kept: Progress) -> None:
    from .class_text import rule_text

    if not kept.answers:
        print("No answers yet. g asks a question in the explorer; `dmlviz quiz gather-2` asks here.")
        return
    counts = Counter(answer.operator for answer in kept.answers)
    right = Counter(answer.operator for answer in kept.answers if answer.right)
    for operator, count in counts.items():
        print(f"{shown(operator):22} {right[operator]:5,} of {count:5,} right")
    followed = Counter(answer.rules for answer in kept.answers if answer.rules)
    for rules, count in sorted(followed.items()):
        print(f"answered as {shown(' or '.join(map(rule_text, rules)))}: {count_of(count, 'time')}")


def _print_merged(files: list[str], *, as_csv: bool) -> int:
    from ..teaching.progress.class_tables import class_table
    from ..teaching.progress.hand_ins import HandIn, read_hand_ins
    from .class_text import print_class

    hand_ins: list[HandIn] = []
    code, stems = FINE, [Path(file).stem for file in files]
    for file in files:
        try:
            prefix = "" if len(files) == 1 else stem if stems.count(stem := Path(file).stem) == 1 else plain(file)
            hand_ins += read_hand_ins(Path(file), prefix=prefix)
        except DmlvizError as error:
            say(str(error))
            code = UNREADABLE
    table = class_table(hand_ins)
    if as_csv:
        _print_csv(table)
    elif hand_ins:
        print_class(table)
    return code


def _print_csv(table: ClassTable) -> None:
    from msgspec.structs import asdict

    from ..teaching.progress.class_tables import Row

    out = csv.DictWriter(sys.stdout, Row.__struct_fields__, lineterminator="\n")
    out.writeheader()
    for row in table.rows:
        told = asdict(row) | {"rules": " ".join(row.rules)}
        out.writerow({name: _csv_cell(cell) if isinstance(cell, str) else cell for name, cell in told.items()})


def _csv_cell(name: str) -> str:
    """Text of others for a spreadsheet's cell, with a quote before what would be a formula.

    Where a comma stands in numbers, `;` parts cells: what is behind one is a cell, too.
    """
    return re.sub(r"(^|;)(?=[ \u200c\u200d]*[=+@\uff1d\uff0b\uff20\uff0d-])", r"\1'", shown(name))
