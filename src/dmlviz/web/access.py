"""Who is let in: whoever asks for this machine by a name of its own, from the page that it has served."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..errors import SessionError, plain

if TYPE_CHECKING:
    from aiohttp import web

LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = ("0.0.0.0", "::", "")
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "dmlviz",
}
"""Of every answer: no frame shows it, no other page reads it, and no link tells its address."""

Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


def is_ours(host: str, origin: str | None, served: str) -> bool:
    """True if a request comes from the page that was served, by its Host and Origin headers.

    Browsers let any page on the web open a WebSocket to this machine, and whoever has it can type in the explorer. A
    name on the web can be made to lead here, so Host is the name that is served, or an address where that is any.
    """
    name = (host.rsplit(":", 1)[0] if not host.endswith("]") else host).strip("[]").lower()
    is_address = re.fullmatch(r"[0-9.]+|.*:.*", name) is not None  # no name that somebody else could lead here
    is_known = name in LOOPBACK or name == served.lower() or (served in EVERYWHERE and is_address)
    return is_known and (origin is None or origin.partition("://")[2] == host)


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens on `port`, or on any free one for 0. Raises SessionError where it can't be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (socket.gaierror, UnicodeError):
        raise SessionError(f"--host is {plain(host)}, expected a name or an address of this machine.") from None
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise SessionError(
            f"--port is {port} on {plain(host)}, which can't be had: {why}; expected a free one, such as 0."
        ) from None
