"""`dmlviz bench`: its words; `bench_run` does what they ask for."""

from __future__ import annotations

from .parsers import parser


def run(argv: list[str]) -> int:
    """Times the kernels beside other libraries, and prints the table."""
    words = parser(
        "bench",
        "Time the kernels beside other libraries, each in a process of its own, and beside a plain copy.",
        "ctrl+c ends it and prints what there is. PyTorch and ONNX Runtime: pip install 'dmlviz[bench]'.\n"
        "Exit codes: 0 every peer made the same bytes, 1 one did not, 2 wrong usage, 130 ctrl+c.",
    )
    words.add_argument(
        "file", nargs="?", metavar="FILE", help="time the experiments of a session file or an example instead"
    )
    words.add_argument("--grid", metavar="G", help="small (a minute or two, the default) or full (25 minutes or more)")
    words.add_argument(
        "--peers",
        metavar="P",
        help="some of numpy,torch,onnxruntime (the default is all three) and textbook",
    )
    words.add_argument(
        "--only", metavar="REGEX", help="of the grid, only cells whose id matches, such as 4Mi/.*/gather"
    )
    words.add_argument("--rounds", type=int, default=9, metavar="N", help="samples of every call; 9")
    words.add_argument("--json", metavar="F", help="write the result to a file")
    words.add_argument(
        "--update", action="store_true", help="keep the cells that file already has, but those timed now"
    )
    words.add_argument("--list", action="store_true", help="print the cells' ids and time nothing")
    words.add_argument("--show", metavar="F", help="print a result that --json wrote, and time nothing")
    words.add_argument("--markdown", action="store_true", help="print Markdown instead of the table")
    args = words.parse_args(argv)
    from .bench_run import bench

    return bench(args)
