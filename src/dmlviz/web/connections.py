"""A server's connections: so many at most, and none that takes long to say what it wants."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import cast

MOST = 2000
"""Open at once: a room of phones with some streams each."""
GONE = 30_000
"""Milliseconds in which what is sent has to be received."""
PATIENCE = 20.0
"""Seconds in which a request's head has to arrive."""


class _Watched(asyncio.Protocol):
    """Hands all that happens to the server's own protocol, and notes since when a request's head is awaited."""

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self._inner, self._connections = inner, connections
        self.transport: asyncio.Transport | None = None
        self.waits_since: float | None = time.monotonic()
        self.is_busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # a phone that is gone without a word ends its stream of events
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE)
        self._connections.open[transport] = self
        self._inner.connection_made(transport)
        if len(self._connections.open) > self._connections.most:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self.is_busy and self.waits_since is None:
            self.waits_since = time.monotonic()
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.open.pop(self.transport, None)
        self._inner.connection_lost(error)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()


class Connections:
    """Makes the protocol of each connection."""

    def __init__(self, make: Callable[[], asyncio.Protocol], most: int = MOST) -> None:
        self._make, self.most = make, most
        self.open: dict[asyncio.BaseTransport | None, _Watched] = {}

    def __call__(self) -> asyncio.Protocol:
        return _Watched(self._make(), self)

    @contextlib.contextmanager
    def answering(self, transport: asyncio.BaseTransport | None) -> Iterator[None]:
        """While the context lasts, a request of this connection is answered: its head is there."""
        watched = self.open.get(transport)
        if watched is not None:
            watched.is_busy, watched.waits_since = True, None
        try:
            yield
        finally:
            if watched is not None:
                watched.is_busy, watched.waits_since = False, None

    def close_slow(self) -> None:
        """Closes those that have begun a request, or nothing yet, and take too long."""
        now = time.monotonic()
        for each in [
            each for each in self.open.values() if each.waits_since is not None and now - each.waits_since > PATIENCE
        ]:
            if each.transport is not None:
                each.transport.abort()

    def close_all(self) -> None:
        """Closes all."""
        for each in list(self.open.values()):
            if each.transport is not None:
                each.transport.close()
