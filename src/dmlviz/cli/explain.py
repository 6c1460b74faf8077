"""`dmlviz explain`: the picture and the steps in words."""

from __future__ import annotations

from ..errors import plain
from .parsers import add_file, parser
from .shared import OF_REPORT, progress, read_session, worst


def run(argv: list[str]) -> int:
    words = parser(
        "explain",
        "Describe each experiment in plain text: the rules, the tensors, the picture, and every step in a sentence.",
        "Exit codes: 0 fine, 1 a desc is invalid (it says why), 2 a file can't be read, or not checked as a whole.",
    )
    add_file(words)
    args = words.parse_args(argv)
    from .. import explaining

    session, code = read_session(args.file, args.dims)
    codes, every = [code], session.experiments
    for number, one in enumerate(every):
        with progress(f"explaining {plain(one.name)}"):
            told = explaining.explain(one, every)
        if number:
            print(f"\n{'=' * 80}\n")
        print(told, end="")
        codes.append(OF_REPORT[one.check().ok])
    return worst(codes)
