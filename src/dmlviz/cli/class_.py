"""`dmlviz class FILE`: a lesson that the room answers on its phones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ..errors import SessionError, plain
from .parsers import add_named_file, integer, parser

EPILOG = """\
Phones open the address on the projector, in the same network as this machine. If a campus network separates
them: make this machine a hotspot (test how many phones it allows), bring a travel router, run the class on a
machine that phones can reach, or count hands.
dmlviz asks for no names, and deletes the answers at the end, unless --save keeps them, under numbers.
Needs aiohttp and segno: .venv/bin/pip install '.[class]'."""


def run(argv: list[str]) -> int:
    words = parser(
        "class", "Hold a class: the projector asks, students answer on their phones, the projector counts.", EPILOG
    )
    add = words.add_argument
    add_named_file(words)
    add("--host", default="", metavar="H", help="the address to listen on; all of this machine if left out")
    add("--port", metavar="N", help="the port of FILE's last class, or 8765, if left out; 0 takes a free one")
    add("--save", default="", metavar="F", help="append each answer to F as it comes, without names")
    args = words.parse_args(argv)
    port = None if args.port is None else integer(args.port, "--port", 0, 65535)
    missing = [name for name in ("aiohttp", "segno") if importlib.util.find_spec(name) is None]
    if missing:
        raise SessionError(
            f"class needs the packages aiohttp and segno, found no {missing[0]}: "
            "`.venv/bin/pip install '.[class]'` in dmlviz's folder installs it."
        )
    from .. import opening
    from ..web.class_server import Hall
    from . import explore

    source = opening.find(args.file).whole()
    name = explore.presentation_name(source.path, source.example, args.file)
    kept = str(Path(args.save).absolute()) if args.save else ""
    hall = Hall(source.session, name, args.host or "0.0.0.0", port, kept)
    code = explore.run([args.file], presents="wall", attend=hall.attend)
    if args.save:
        file = plain(args.save)
        print(f"The answers are in {file}: `dmlviz progress --merge {file}` makes tables of them.")
    return code
