"""`dmlviz quiz`: questions about the experiments of a session on stdout, answered on stdin."""

from __future__ import annotations

from .parsers import add_dim_option, add_named_file, integer, parser

COUNT = 18
"""Questions that are asked unless `--count` says otherwise: enough to name a rule, see `diagnosis.MOST`."""
MOST_COUNT = 100_000


def run(argv: list[str]) -> int:
    words = parser(
        "quiz",
        "Ask questions about the experiments of a session, the tasks of a lesson or an example first: one at a time "
        "on standard output, answered by lines on standard input. An answer is a line such as `4,2` or `b`; `hint`, "
        "`skip` and `quit` are lines too.",
        "With --json each line is one JSON object, in and out, for a program. The last line is the result. Answers are "
        'remembered, as `dmlviz progress` shows them, unless the settings have `"progress": false`.',
    )
    add = words.add_argument
    add_named_file(words)
    add("--kinds", metavar="K,...", help="ask only questions of these kinds")
    add("--seed", default="0", metavar="N", help="the same number asks the same questions")
    add("--count", default=str(COUNT), metavar="N", help=f"ask at most N questions; {COUNT} if left out")
    add("--json", action="store_true", help="read and print JSON, one object a line")
    add_dim_option(words)
    args = words.parse_args(argv)
    count = integer(args.count, "--count", 1, MOST_COUNT)
    seed = integer(args.seed, "--seed", -(10**18), 10**18)
    from .quiz_text import ask_all

    kinds = None
    if args.kinds is not None:
        kinds = [kind.strip() for kind in args.kinds.split(",")]
    return ask_all(args.file, args.dims, kinds, count, seed, as_json=args.json)
