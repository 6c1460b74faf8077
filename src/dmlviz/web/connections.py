"""A server's connections: so many at most, and none that takes long to say what it wants."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator

from aiohttp import web

MOST = 2000
"""Open at once: a room of phones with some streams each."""
PATIENCE = 20.0
"""Seconds in which a request's head has to arrive; a server closes what is idle sooner."""
GONE = 30_000
"""Milliseconds in which what is sent has to be received."""
Transport = asyncio.BaseTransport | None


class Connections:
    """The connections of one server."""

    def __init__(self, server: web.Server) -> None:
        self._server = server
        self._busy: set[Transport] = set()
        self._idle: dict[Transport, float] = {}
        """Since when nothing that they wanted was answered."""

    @contextlib.contextmanager
    def answering(self, transport: Transport) -> Iterator[None]:
        """While the context lasts, a request of this connection is answered: its head is there."""
        self._busy.add(transport)
        try:
            yield
        finally:
            self._busy.discard(transport)

    def close_slow(self) -> None:
        """Closes those that take too long to want something, and the newest of too many."""
        now = time.monotonic()
        there = [handler.transport for handler in self._server.connections if handler.transport is not None]
        self._idle = {each: self._idle.get(each, now) for each in there if each not in self._busy}
        slow = [each for each in there if now - self._idle.get(each, now) > PATIENCE]
        for each in {*slow, *there[MOST:]}:
            each.abort()


def end_when_gone(transport: Transport) -> None:
    """Has a connection end whose other end is gone without a word, where the system can tell."""
    if transport is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE)
