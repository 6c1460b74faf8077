"""A class on phones whose server is asked for nonsense, by everybody, as fast as it answers.

    python benchmarks/class_fuzz.py [--requests 1000000] [--seed 1]

Random methods, paths, headers, bodies and broken HTTP over several connections; wrong codes, foreign origins and hosts,
guessed cookies, answers to closed and other questions; bodies that never end, 5,000 joins, and a student who answers
without pause. It fails where the server says a word, answers 500 or not at all, takes 100 MB, closes a slow
connection late, counts what it should not, or has anything of one student's in an answer to another. Linux only; needs
the `test` extra.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.class_phones import Class, Phone, known_answers, until, write_lesson

CONNECTIONS, BATCH = 24, 8
"""Connections at a time, and requests that are sent on one before its answers are read."""
MOST_MEMORY = 100.0
"""MB that the server may have had at most."""
SLOW = 35.0
"""Seconds in which a connection that brings no request is closed: 20, 10 of aiohttp's for the rest of a body, and some
for the machine."""
MARK = "0:1 0:3 0:5 0:7"
"""The answer of one student, which nobody else gives."""
GIVEN = ((MARK, "", "", "0:0", "", ""), ("a", "b", "b", "c", "a", "d"))
"""What six students answer to two questions."""
METHODS = ("GET " * 8 + "PUT " * 6 + "POST " * 4 + "HEAD DELETE OPTIONS PATCH TRACE").split()
PUT = b"PUT /answer HTTP/1.1\r\nHost: a\r\n"
BROKEN = (
    *(
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n" * 50,
    ),
    *(b"get" + PUT[3:] + b"\r\n", PUT.replace(b"/answer", b"*") + b"\r\n", b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n"),
    *(PUT + b"Content-Length: -1\r\n\r\n", PUT + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456"),
    *(
        PUT + b"Transfer-Encoding: chunked\r\n" + more
        for more in (b"\r\nzz\r\n", b"Content-Length: 3\r\n\r\n0\r\n\r\n")
    ),
    *(PUT + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", PUT + b"X: " + b"y" * 20_000 + b"\r\n\r\n"),
    *(
        PUT + b"A: b\r\n" * 5_000 + b"\r\n",
        PUT + b": \r\nHost\r\n\r\n",
        b"CONNECT evil:443 HTTP/1.1\r\nHost: evil\r\n\r\nmore",
    ),
    *(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /ü HTTP/1.1\r\nHost: ä\r\n\r\n".encode()),
    b"GET /state HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello",
)
JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    2,
    1e300,
    10**400,
    "e",
    "aa",
    "\ud800",
    "\0",
    "<b>",
    "9" * 900,
    [],
    {},
    [[]] * 9,
)


class Fuzz:
    """Requests at random, and what has to hold of their answers."""

    def __init__(self, phones: list[Phone], secret: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.host, self.port = phones[0].http._base_url.host, phones[0].http._base_url.port  # type: ignore[union-attr]
        self.own, self.code, self.secret = f"{self.host}:{self.port}", phones[0].code, secret
        self.cookies = [cookie_of(phone) for phone in phones]
        """Those of phones that nobody else has."""
        self.secrets = [MARK.encode(), secret.encode(), *(cookie.partition("=")[2].encode() for cookie in self.cookies)]
        self.visitors: list[str] = []
        """Cookies that this program was given, which count nothing."""
        self.ids: list[str] = []
        self.open: str = ""
        self.right: list[str] = []
        """The question that is open, and answers to it."""
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []
        self._left = 0

    # ---- what is asked

    def path(self) -> str:
        pick, word = self.chance.choice, self.word
        return pick(
            (
                *("/", "/state", "/answer", "/answer", "/answer", "/next", "/leave", f"/{self.code}"),
                *(f"/{self.code.lower()}-", f"/{word(7)}", f"/{word(7)}/{word(3)}", f"/question/{word(16)}"),
                *(f"/question/{pick(self.ids)}", f"/shown/{pick(self.ids)}", f"/host/{word(43)}/reveal"),
                *(f"/host/{word(43)}", f"/host/{self.secret[:-1]}/state", "/host//state", "/host/%00/forward"),
                *("/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//evil/state", "/state?" + word(300)),
                *(f"/{word(8000)}", f"http://evil/{self.code}", "/%ff%fe", "/" + "%2f" * 99, "/static/../class.js"),
            )
        )

    def word(self, length: int) -> str:
        if length > 100:
            return self.chance.choice("aA%&;") * length
        return "".join(self.chance.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZabcdef_-", k=length))

    def body(self, *, right: bool) -> bytes:
        """An answer; one that could be counted if all else is `right`, or nonsense."""
        chance = self.chance
        if right:
            return json.dumps({"question": self.open, "vote": 0, "answer": chance.choice(self.right)}).encode()
        odd = {"question": self.open, "vote": 0, "answer": chance.choice(self.right)}
        what = chance.randrange(8)
        if what < 4:
            name = chance.choice(list(odd))
            choices = JUNK if name == "answer" else (*JUNK, *(each for each in self.ids if each != self.open))
            odd[name] = chance.choice(choices)
            return json.dumps(odd).encode()
        if what == 4:
            return json.dumps({**odd, "answer": "x" * chance.choice((2000, 10_000, 100_000))}).encode()
        whole = json.dumps(odd).encode()
        return (whole[: chance.randrange(len(whole))], b"[" * 1900, chance.randbytes(chance.randrange(300)))[what - 5]

    def request(self) -> tuple[bytes, str]:
        """A request that can be read, and its method. None of them may be counted."""
        chance, method, path = self.chance, self.chance.choice(METHODS), self.path()
        cookie = chance.choice(("", "valid", "valid", "guessed", "junk"))
        own, page = chance.randrange(8), f"http://{self.own}"
        host = chance.choice(("evil.example", "", f"{self.own}@evil", "[::1", "127.0.0.1:1")) if not own else self.own
        origin = chance.choice((*(page,) * 8, "", "http://evil.example", "null"))
        is_ours = cookie == "valid" and host == self.own and origin == page
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
        lines += [f"Origin: {origin}"] if origin else []
        if cookie == "valid" and self.visitors:
            lines.append(f"Cookie: {chance.choice(self.visitors)}")
        elif cookie == "guessed":
            name, _, value = chance.choice(self.cookies).partition("=")
            at = chance.randrange(len(value))
            lines.append(f"Cookie: {name}={value[:at]}{'A' if value[at] != 'A' else 'B'}{value[at + 1 :]}")
        elif cookie == "junk":
            name, value = self.cookies[0].partition("=")[0], self.word(chance.choice((1, 60, 3000)))
            lines.append(f'Cookie: {name}={value}; a="b; =')
        if not chance.randrange(4):
            more = (
                f"If-None-Match: {self.word(5)}",
                "If-None-Match: *",
                "Range: bytes=0-",
                "Accept-Encoding: gzip, zz",
            )
            lines.append(
                chance.choice((*more, "X-Forwarded-For: 1", "Content-Type: text/xml;charset=utf-7", "Expect: x"))
            )
        body = b""
        if method in ("PUT", "POST", "PATCH"):
            body = self.body(right=not is_ours)
            if chance.randrange(5):
                lines.append(f"Content-Length: {len(body)}")
            else:
                lines.append("Transfer-Encoding: chunked")
                body = b"%x;a=b\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        return "\r\n".join(lines).encode(errors="replace") + b"\r\n\r\n" + body, method

    # ---- what is answered

    async def ask(self, requests: int) -> None:
        """Sends so many requests over several connections at once."""
        self._left = requests
        await asyncio.gather(*(self._ask() for _ in range(CONNECTIONS)))

    async def _ask(self) -> None:
        """Sends requests on one connection after the other, some at once, and broken ones now and then."""
        while self._left > 0:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 22)
            try:
                while self._left > 0 and not writer.is_closing():
                    asked = [self.request() for _ in range(BATCH)]
                    writer.write(b"".join(request for request, _ in asked))
                    what = self.chance.randrange(40)
                    for k, (request, method) in enumerate(asked):
                        if what == 0 and k == BATCH // 2:
                            writer.transport.abort()
                        self._look_at(request, *await asyncio.wait_for(answer_of(reader, method), 30))
                    if what < 4:
                        request = self.chance.choice(BROKEN)
                        writer.write(request)
                        with contextlib.suppress(TimeoutError):  # `slow` looks at those that nobody answers
                            self._look_at(request, *await asyncio.wait_for(answer_of(reader, "GET"), 1))
                        break
            except TimeoutError:
                self.faults.append(f"no answer to {request[:200]!r}")
            except (OSError, asyncio.IncompleteReadError):
                pass  # it was refused, with what came behind it
            finally:
                writer.transport.abort()

    def _look_at(self, request: bytes, status: int, head: bytes, body: bytes) -> None:
        self.statuses[status] += 1
        self._left -= 1
        if status >= 500 and status != 503:
            self.faults.append(f"{status} to {request[:300]!r}: {body[:300]!r}")
        for each in self.secrets:
            if each in body or each in head:
                self.faults.append(f"{each!r} is told to {request[:300]!r}")

    # ---- other things that people do

    async def slow(self, first: bytes, more: bytes) -> None:
        """A connection on which a request begins and never ends; it has to be closed."""
        began = time.monotonic()
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(first)
            while time.monotonic() - began < SLOW:
                with contextlib.suppress(TimeoutError):
                    if not await asyncio.wait_for(reader.read(1000), 1):
                        return
                writer.write(more)
            self.faults.append(f"{first!r} is waited for longer than {SLOW} s")
        except OSError:
            return
        finally:
            writer.transport.abort()

    async def join(self, times: int) -> Counter[int]:
        """Joins so many times, each as somebody new; what was answered."""
        found, left = Counter[int](), times

        async def one() -> None:
            nonlocal left
            async with aiohttp.ClientSession(f"http://{self.own}", cookie_jar=aiohttp.DummyCookieJar()) as client:
                while left > 0:
                    left -= 1
                    async with client.get(f"/{self.code}") as page:
                        name, given = next(iter(page.cookies.items()))
                    cookie = f"{name}={given.value}"
                    async with client.get("/state", headers={"Cookie": cookie}) as state:
                        found[state.status] += 1
                        if state.status == 200:
                            self.visitors.append(cookie)
                        elif state.status == 429:
                            await asyncio.sleep(0.1)

        await asyncio.gather(*(one() for _ in range(8)))
        return found

    async def stream(self, streams: int) -> None:
        """Opens many event streams with one cookie, of which the newest three stay."""
        async with aiohttp.ClientSession(f"http://{self.own}", cookie_jar=aiohttp.DummyCookieJar()) as client:

            async def one() -> None:
                async with client.get("/events", headers={"Cookie": self.visitors[0]}) as events:
                    await events.content.read()

            tasks = [asyncio.create_task(one()) for _ in range(streams)]
            _, left = await asyncio.wait(tasks, timeout=1.5)
            if len(left) > 3:
                self.faults.append(f"{len(left)} event streams of one cookie are open")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def flood(phone: Phone, answers: list[str]) -> None:
    """A student answers without pause; most of it is refused, and what was taken last counts."""
    question, vote = phone.asked or ("", 0)
    bodies = [{"question": question, "vote": vote, "answer": text} for text in answers * 20]
    asked = (phone._asked("PUT", "/answer", json=body, headers={"Origin": phone.address}) for body in bodies)
    statuses = Counter(status for status, _, _ in await asyncio.gather(*asked))
    assert 0 < statuses[200] <= 10, statuses
    assert statuses[200] + statuses[429] == len(bodies), statuses
    await phone.look()
    phone.sent[question, vote] = phone.state["mine"]
    phone.pressed[question, vote] = [phone.state["mine"]]


def cookie_of(phone: Phone) -> str:
    """`name=value` of a phone's cookie."""
    (cookie,) = phone.http.cookie_jar
    return f"{cookie.key}={cookie.value}"


async def answer_of(reader: asyncio.StreamReader, method: str) -> tuple[int, bytes, bytes]:
    """The next answer's status, head and body. Raises IncompleteReadError at the end."""
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    if status < 200:
        return await answer_of(reader, method)
    if method == "HEAD" or status in (204, 304):
        return status, head, b""
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length:
        return status, head, await reader.readexactly(int(length[1]))
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return status, head, body


async def differences(one: Phone, other: Phone, ids: list[str]) -> list[str]:
    """What two students are answered differently, but for what is their own."""
    found = []
    for path in ("/", f"/{one.code}", "/state", *(f"/{kind}/{id_}" for kind in ("question", "shown") for id_ in ids)):
        texts = [text for phone in (one, other) for _, text, _ in [await phone._asked("GET", path)]]
        if path == "/state":
            states = [json.loads(text) for text in texts]
            for state in states:
                state.pop("mine"), state.pop("mine_text")
                state["reveal"] = {**(state["reveal"] or {}), "right": 0, "feedback": 0, "look": 0, "rule": 0}
            texts = [json.dumps(state) for state in states]
        if texts[0] != texts[1]:
            found.append(f"{path}: {texts}")
    return found


async def fuzzed(folder: Path, requests: int, seed: int, *, joins: int = 5000, slow: int = 60) -> str:
    """Does all of that to a class; raises AssertionError where something doesn't hold. What it came to, in a line."""
    room = Class(write_lesson(folder / "lesson.json", ("gather-elements-1", "gather-2")), folder)
    began = time.monotonic()
    try:
        status = await asyncio.to_thread(room.start)
        async with contextlib.AsyncExitStack() as stack:
            phones = [Phone(status.address, status.code, random.Random(f"{seed} {k}")) for k in range(6)]
            for phone in phones:
                await stack.enter_async_context(phone.on())
            fuzz = Fuzz(phones, status.host.rpartition("/")[2], seed)
            slowly = asyncio.gather(
                *(fuzz.slow(b"GET /sta", b"") for _ in range(slow)),
                *(fuzz.slow(b"GET /state HTTP/1.1\r\nHost: a\r\n", b"A: b\r\n") for _ in range(slow)),
                *(fuzz.slow(put(fuzz, 1000), b"x") for _ in range(slow)),
            )
            joined = Counter[int]()
            for number in range(2):
                await until(
                    lambda n=number: all(p.numbers.get(p.state["question"]["id"]) == n + 1 for p in phones), "them"
                )
                fuzz.ids = [*phones[0].numbers, "0" * 16]
                fuzz.open = phones[0].state["question"]["id"]
                fuzz.right = known_answers(room.presenting.item)
                for phone, text in zip(phones, GIVEN[number], strict=True):
                    assert await phone.give(text)
                if number == 1:
                    await flood(phones[-1], fuzz.right)
                joined += await fuzz.join(joins // 2)
                await fuzz.stream(40)
                await fuzz.ask(requests // 2)
                for phone in phones:
                    await phone.look()
                    assert phone.state["answered"] == len(phones), phone.state
                assert not await differences(phones[1], phones[2], fuzz.ids)
                if number == 0:
                    room.presenting.go_to(2)
            await slowly
            room.presenting.reveal()
            await until(lambda: all(p.state["reveal"] is not None for p in phones), "the answer")
            assert not await differences(phones[1], phones[2], fuzz.ids)
            room.presenting.follow()
            hands = room.presenting.shared.counts(room.presenting.question_key(1), len(room.presenting.item.answers), 0)
            sent = [phone.sent[fuzz.open, 0] for phone in phones]
            assert [hand or 0 for hand in hands] == [sent.count(each.id) for each in room.presenting.item.answers], (
                hands
            )
            assert not [wrong for phone in phones for wrong in phone.told_wrong()]
        cpu, memory = room.cost()
        said = await asyncio.to_thread(room.stop)
    finally:
        room.kill()
    assert not fuzz.faults, (len(fuzz.faults), fuzz.faults[:5])
    assert said.count("\n") == 3, said[:5000]  # where it is, and how to end it
    assert memory < MOST_MEMORY, memory
    answered = ", ".join(f"{status}: {count:,}" for status, count in sorted(fuzz.statuses.items()))
    return (
        f"{sum(fuzz.statuses.values()):,} answered ({answered}) in {time.monotonic() - began:.0f} s; "
        f"joins {dict(joined)}; CPU {cpu:.0f} s, {memory:.0f} MB"
    )


def put(fuzz: Fuzz, length: int) -> bytes:
    """The head of an answer of so many bytes."""
    about = f"Host: {fuzz.own}\r\nOrigin: http://{fuzz.own}\r\nCookie: {fuzz.cookies[1]}\r\nContent-Length: {length}"
    return f"PUT /answer HTTP/1.1\r\n{about}\r\n\r\n{{".encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(asyncio.run(fuzzed(Path(folder), args.requests, args.seed)))


if __name__ == "__main__":
    main()
