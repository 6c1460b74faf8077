"""Who is let in: whoever brings the secret of the address, and then its cookie, from the page that was served.

Browsers send a cookie to whatever listens on this machine, on any port, and a program can forge where it comes from. So
an explorer is had by the secret alone, which the page keeps where no other port's page looks; a cookie has its parts.
"""

from __future__ import annotations

import contextlib
import functools
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp import web

LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = ("0.0.0.0", "::", "")
SECRET = "secret"
"""The address's parameter that holds the secret."""
SOCKET = "/ws"
"""The path of the WebSocket that an explorer is at the end of."""
REFUSED = "dmlviz answers whoever opens the address that `dmlviz serve` has printed.\n"
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
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


def _same(given: str, secret: str) -> bool:
    """True if the two are one, in a time that doesn't tell how much of it is right."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode())


class Access:
    """The secret of one address, and the cookie that whoever has it is given."""

    def __init__(self, host: str, port: int, part: str = "") -> None:
        """`part` is of the cookie's name, where a server has several addresses."""
        self._host = host
        self.secret = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._name = f"dmlviz-{port}{part}"  # browsers keep one cookie of a name for all ports of a machine

    def _has_secret(self, request: web.Request) -> bool:
        return _same(request.query.get(SECRET, ""), self.secret)

    def _has_cookie(self, request: web.Request) -> bool:
        return _same(request.cookies.get(self._name, ""), self._cookie)

    def admits(self, request: web.Request) -> bool:
        """True if the request may be answered. A secret that is wrong is no one's, whatever comes with it."""
        origin = request.headers.get("Origin")
        if not is_ours(request.host, origin, self._host):
            return False
        if request.path == SOCKET:  # every browser sends an origin with a WebSocket
            return origin is not None and self._has_cookie(request) and self._has_secret(request)
        if SECRET in request.query:  # the page keeps what it is opened by
            return request.path == "/" and self._has_secret(request)
        return self._has_cookie(request)

    def give_cookie(self, request: web.Request, response: web.StreamResponse) -> None:
        """Sets the cookie for whoever comes with the secret, unless the answer has begun."""
        if self._has_secret(request) and not response.prepared:
            response.set_cookie(self._name, self._cookie, httponly=True, samesite="Strict", path="/")


def guard(asks: Callable[[web.Request], Sequence[Access]]) -> Any:
    """The middleware that refuses a request, unless one `Access` that `asks` gives for it admits it."""
    from aiohttp import web

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        admits = [access for access in asks(request) if access.admits(request)]
        if not admits:
            return web.Response(status=403, text=REFUSED)
        response = await handler(request)
        for access in admits:
            access.give_cookie(request, response)
        return response

    return guarded


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Sets `HEADERS`, before an answer goes."""
    response.headers.update(HEADERS)
    response.headers["Server"] = "dmlviz"
