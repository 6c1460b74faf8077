"""`dmlviz serve`: the explorer in browser tabs."""

from __future__ import annotations

from .parsers import add_named_file, integer, parser
from .shared import FINE


def run(argv: list[str]) -> int:
    words = parser(
        "serve",
        "Serve the explorer to browser tabs on this machine, each tab with an explorer of its own.",
        "Needs textual-serve: .venv/bin/pip install '.[web]'.",
    )
    add = words.add_argument
    add_named_file(words, nargs="?")
    add("--port", default="8000", metavar="N", help="the port, 8000 if left out; 0 takes a free one")
    add("--host", default="127.0.0.1", metavar="H", help="the address; 127.0.0.1, this machine only, if left out")
    add("--files", action="store_true", help="let tabs open and save this machine's files as you do")
    args = words.parse_args(argv)
    port = integer(args.port, "--port", 0, 65535)
    if args.file is not None:
        from .. import opening

        opening.find(args.file).whole()  # what is wrong is said here, and not in every tab
    from ..web.server import serve

    serve([] if args.file is None else [args.file], args.host, port, files=args.files)
    return FINE
