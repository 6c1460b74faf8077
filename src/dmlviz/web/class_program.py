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
    """The first line that is printed, and the last."""

    code: str = ""
    address: str = ""
    host: str = ""
    port: int = 0
    notice: str = ""
    error: str = ""


def tell(line: Ready) -> None:
    """Prints a line for whoever has started this."""
    print(msgspec.json.encode(line).decode(), flush=True)


def main() -> int:
    """Holds the class that the command line tells."""
    sys.set_int_max_str_digits(100_000)  # as the command line does
    word, hall = json.loads(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Hall)

    def ready(server: ClassServer) -> None:
        tell(
            Ready(
                code=server.code,
                address=server.address,
                host=server.host_address,
                port=server.port,
                notice=server.notice,
            )
        )
        threading.Thread(target=listen, args=(server, server.loop.call_soon_threadsafe), daemon=True).start()

    def listen(server: ClassServer, call: object) -> None:
        assert callable(call)
        ended = any(line.strip() == "end" for line in iter(sys.stdin.readline, ""))
        call(server.end if ended else server.lose_wall)

    try:
        source = opening.find(word)
        if source.errors:
            raise source.errors[0]
        serve_class(hall, source.session, ready)
    except DmlvizError as error:
        tell(Ready(error=str(error)))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
