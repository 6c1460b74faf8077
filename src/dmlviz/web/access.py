"""Who is let in: whoever asks for this machine by a name of its own, from the page that it has served."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import os
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
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "dmlviz",
}
"""Of every answer: no frame shows it, no other page reads it, and no link tells its address."""

Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


def is_ours(host: str, origin: str | None, served: str) -> bool:
    """True if a request comes from the page that was served, by its Host and Origin headers.

    Browsers let any page on the web open a WebSocket to this machine, and whoever has it can type in the explorer. A
    name on the web can be made to lead here, so Host is a name of this machine, or an address where `served` is any.
    """
    name = (host.rsplit(":", 1)[0] if not host.endswith("]") else host).strip("[]").lower()
    if name not in LOOPBACK and not (served not in LOOPBACK and _leads_here(name, served.lower())):
        return False
    return origin is None or origin.partition("://")[2] == host


def _leads_here(name: str, served: str) -> bool:
    """True for the host that is served, a name of this machine, or any address where all are served."""
    if served in EVERYWHERE:
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(name)
            return True  # no name that somebody else could lead here
    return name == served or name in _own_names()  # which may be asked of a network, and takes its time


@functools.cache
def _own_names() -> frozenset[str]:
    name = socket.gethostname().lower()
    return frozenset({name, f"{name}.local", socket.getfqdn().lower()} - {""})


def listener(host: str, port: int) -> socket.socket:
    """A socket bound to `port`, or to any free one for 0. Raises SessionError where it can't be had."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, number)
    except (socket.gaierror, UnicodeError):
        raise SessionError(f"--host is {plain(host)}, expected a name or an address of this machine.") from None
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise SessionError(
            f"--port is {port} on {plain(host)}, which can't be had: {error.strerror}; expected a free one, such as 0."
        ) from None
    return bound
