"""The server of a class as a program of its own: what it is to hold as JSON on its command line.

The first line that it prints is JSON with where it is, or with an error. It ends the class at a line on its standard
input; where that ends without one, its wall is gone, and the class goes on with the next.
"""

from __future__ import annotations

import json
import sys
import threading

import msgspec

from dmlviz import opening
from dmlviz.errors import DmlvizError
from dmlviz.web.class_server import ClassServer, Hall, serve_class


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The first line that is printed; another one ends with an error."""

    host: str = ""
    port: int = 0
    notice: str = ""
    error: str = ""


def tell(line: Ready) -> None:
    """Prints a line for whoever has started this."""
    print(msgspec.json.encode(line).decode(), flush=True)


def begin(server: ClassServer) -> None:
    """Tells where the server is, and listens."""
    tell(Ready(host=server.host_address, port=server.port, notice=server.notice))
    threading.Thread(target=listen, args=(server,), daemon=True).start()


def listen(server: ClassServer) -> None:
    """Ends the class, or has it go on alone, as the standard input says."""
    ended = any(line.strip() == "end" for line in sys.stdin)
    server.loop.call_soon_threadsafe(server.end if ended else server.lose_wall)


def main() -> int:
    """Holds the class that the command line tells."""
    try:
        source = opening.find(json.loads(sys.argv[1])).whole()
        serve_class(msgspec.json.decode(sys.argv[2], type=Hall), source.session, begin)
    except DmlvizError as error:
        tell(Ready(error=str(error)))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
