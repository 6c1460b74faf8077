"""`dmlviz class FILE`: a lesson that the room answers on its phones."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SessionError, plain, quote
from .parsers import add_named_file, integer, parser
from .shared import FINE

if TYPE_CHECKING:
    from ..web.class_server import ClassServer, Hall

PATIENCE = 10.0
"""Seconds that the server has to end a class."""
KEPT = "The server of the class ended by itself: the class is kept, and `dmlviz class` with the same FILE goes on."
EPILOG = """\
Phones open the address that the wall shows, in the same network as this machine. Where a campus network keeps phones
apart from it: make this machine a hotspot (try how many phones it takes), bring a travel router, run the class on a
machine that phones reach, with --public-url, or count hands.
No names are asked, and answers are forgotten at the end, unless --save says where to keep them, under numbers.
Needs aiohttp and segno: pip install 'dmlviz[class]'."""


def run(argv: list[str]) -> int:
    """Holds a class until its wall is left."""
    words = parser("class", "Hold a class: the wall asks, the room answers on its phones, the wall counts.", EPILOG)
    add = words.add_argument
    add_named_file(words)
    add("--host", default="", metavar="H", help="the address to listen on; all of this machine if left out")
    add("--port", metavar="N", help="8765, or that of a class that goes on; 0 takes any free one")
    add("--save", default="", metavar="F", help="write the answers to F at the end, without names")
    add("--pace", choices=("host", "own"), default="host", help="everybody with the wall, or each at their own pace")
    shown = "where phones find it behind a proxy, such as https://class.example.edu"
    add("--public-url", default="", metavar="URL", help=shown)
    add("--no-wall", action="store_true", help="the server alone; `dmlviz present FILE` on this machine is its wall")
    args = words.parse_args(argv)
    port = None if args.port is None else integer(args.port, "--port", 0, 65535)
    missing = [name for name in ("aiohttp", "segno") if importlib.util.find_spec(name) is None]
    if missing:
        raise SessionError(
            f"class needs the packages aiohttp and segno, found no {missing[0]}, "
            "expected `pip install 'dmlviz[class]'` to have been run."
        )
    from .. import opening
    from ..web.class_server import Hall, serve_class
    from .explore import presentation_name

    source = opening.find(args.file).whole()
    hall = Hall(
        name=presentation_name(source.path, source.example, args.file),
        bind=args.host or ("127.0.0.1" if args.public_url else "0.0.0.0"),
        port=port,
        public_url=_public_url(args.public_url),
        saves=_saves(args.save),
        own_pace=args.pace == "own",
        wall=not args.no_wall,
    )
    if args.no_wall:
        serve_class(hall, source.session, _tell)
    code = FINE if args.no_wall else _with_wall(args.file, hall)
    _tell_saved(hall)
    return code


def _public_url(url: str) -> str:
    """The URL that phones open. Raises SessionError for anything but a scheme and a host."""
    if url and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?/?", url.lower()):
        raise SessionError(
            f"--public-url is {quote(url)}, expected a scheme and a host, such as https://class.example.edu."
        )
    return url.lower().removesuffix("/")


def _saves(name: str) -> str:
    """The absolute path to save at, "" for none. Raises SessionError where nothing can be written, or something is."""
    if name and not os.path.isdir(Path(name).absolute().parent):
        raise SessionError(f"--save is {quote(name)}, expected a file in a folder that there is.")
    if name and os.path.lexists(name):
        raise SessionError(f"--save is {quote(name)}, which is there already, expected another name.")
    return str(Path(name).absolute()) if name else ""


def _tell(server: ClassServer) -> None:
    print(f"phones:        {server.address}   code {server.code[:3]} {server.code[3:]}")
    print(f"your phone:    {server.host_address}")
    print("ctrl+c ends the class.", flush=True)
    if server.notice:
        print(server.notice, file=sys.stderr, flush=True)


def _tell_saved(hall: Hall) -> None:
    if hall.saves and not os.path.exists(hall.saves):
        print("Nobody answered, so that nothing was saved.")
    elif hall.saves:
        file = plain(hall.saves)
        print(f"The answers are in {file}: `dmlviz progress --merge {file}` makes tables of them.")


def _with_wall(word: str, hall: Hall) -> int:
    """Holds a class whose wall is this terminal. Raises SessionError where none can be held, or not all was kept."""
    import msgspec

    from ..web.class_program import Ready
    from . import explore

    process = _started(word, hall)
    assert process.stdout is not None
    first = process.stdout.readline()
    ready = msgspec.json.decode(first, type=Ready) if first else Ready(error="The server could not be started.")
    if ready.error:
        raise SessionError(ready.error)
    if ready.notice:
        print(ready.notice, file=sys.stderr)
    print(f"your phone:    {ready.host}", flush=True)
    try:
        code = explore.run([word], presents="wall")
    finally:
        last = ""
        try:
            last, _ = process.communicate("end\n", PATIENCE)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            process.kill()
    if last or process.wait():
        raise SessionError(msgspec.json.decode(last, type=Ready).error if last else KEPT)
    return code


def _started(word: str, hall: Hall) -> subprocess.Popen[str]:
    """The server's process."""
    import json

    import msgspec

    from ..web import class_program
    from ..web.server import safe_path_variables

    words = json.dumps(word), msgspec.json.encode(hall).decode()
    return subprocess.Popen(
        [sys.executable, "-P", class_program.__file__, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=os.environ | safe_path_variables(),
        start_new_session=True,  # what ends the terminal is told by the pipe
    )
