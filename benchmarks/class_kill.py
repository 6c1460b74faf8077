"""The server of a class on phones, killed again and again while phones answer.

    python benchmarks/class_kill.py [--times 50] [--phones 30] [--seed 1]

First it runs as `dmlviz class --no-wall`, which this program starts again; then with the wall in a pseudo-terminal,
whose `dmlviz class` does that itself. Each time the code, the addresses and all answers have to be as before, and what
a phone sends in that moment is kept. Prints the median and the worst time until the server answers again, and until the
last phone shows how things stand. Linux only; needs the `test` extra.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.class_phones import NETWORK, Class, Phone, known_answers, until, write_lesson
from support.real_terminal import Terminal
from support.worker_processes import children

MOST = 2.0
"""Seconds in which all has to be as before."""
Times = tuple[list[float], list[float]]
"""Seconds until the server answered again, and until all phones showed how things stand."""


@contextlib.contextmanager
def on_wall(room: Class) -> Iterator[Terminal]:
    """`dmlviz class` with its wall in a pseudo-terminal, which is read all the time."""
    terminal = Terminal([*room.line], 100, 30, room.home, room.environment)
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            terminal.read(0.05)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield terminal
    finally:
        ended.set()
        reader.join()
        server = server_of(terminal)
        terminal.process.kill(signal.SIGKILL)
        terminal.process.wait()
        if server is not None:  # which would wait for the next wall
            os.kill(server, signal.SIGKILL)


def server_of(terminal: Terminal) -> int | None:
    """The process of the server below a wall."""
    for each in children(terminal.process.pid):
        with contextlib.suppress(OSError):
            if b"class_program" in Path(f"/proc/{each}/cmdline").read_bytes():
                return each
    return None


async def answers_at(address: str) -> None:
    """Waits until something answers there."""
    async with aiohttp.ClientSession() as client:
        while True:
            with contextlib.suppress(*NETWORK):
                async with client.get(address, timeout=aiohttp.ClientTimeout(1)) as answer:
                    await answer.read()
                    return
            await asyncio.sleep(0.01)


async def kills(folder: Path, times: int, phones: int, seed: int, *, wall: bool) -> Times:
    """Holds a class whose server is killed; raises AssertionError where something isn't as it was."""
    chance, room = random.Random(seed), Class(write_lesson(folder / "lesson.json", ("gather-2",) * 2), folder)
    with on_wall(room) if wall else contextlib.nullcontext() as terminal:
        try:
            if terminal is None:
                status = await asyncio.to_thread(room.start)
            else:
                await until(lambda: room.status is not None, "the class to begin")
                status = room.status  # type: ignore[assignment]
            async with contextlib.AsyncExitStack() as stack:
                own = [Phone(status.address, status.code, random.Random(f"{seed} {k}")) for k in range(phones)]
                await asyncio.gather(*(stack.enter_async_context(phone.on()) for phone in own))
                return await _killed(room, terminal, own, times, chance)
        finally:
            if terminal is None:
                room.kill()


async def _killed(
    room: Class, terminal: Terminal | None, phones: list[Phone], times: int, chance: random.Random
) -> Times:
    before, presenting = room.status, room.presenting
    assert before is not None
    known = known_answers(presenting.item)
    await asyncio.gather(*(phone.give(chance.choice(known)) for phone in phones))
    until_answers, until_shown = [], []
    for k in range(times):
        late = asyncio.create_task(phones[k % len(phones)].give(chance.choice(known)))
        await asyncio.sleep(chance.random() * 0.01)
        began = time.monotonic()
        if terminal is None:
            room.kill()
            starting = asyncio.create_task(asyncio.to_thread(room.start))
        else:
            server = server_of(terminal)
            assert server is not None
            os.kill(server, signal.SIGKILL)
        await asyncio.wait_for(answers_at(before.address), 30)
        until_answers.append(time.monotonic() - began)
        assert await late

        def are_there(began: float = began) -> bool:
            return all(p.looked > began and p.state["answered"] == len(phones) for p in phones)

        try:
            await until(are_there, "the phones to resume")
        except AssertionError:
            stand = [(p.looked > began, p.connected, p.state["answered"], p.state["joined"]) for p in phones]
            raise AssertionError(f"(looked, connected, answered, joined) after kill {k}: {stand}") from None
        until_shown.append(time.monotonic() - began)
        await asyncio.gather(*(phone.look() for phone in phones))  # of its own answer no phone is told
        assert all(p.state["mine"] == p.sent[p.asked] for p in phones if p.asked), [p.told_wrong() for p in phones]
        if terminal is None:
            await starting
        after = room.status
        assert after is not None
        assert (after.code, after.address, after.host) == (before.code, before.address, before.host)
        await asyncio.sleep(1 + chance.random() * 0.5)  # one that ends at once is started again after a pause
    presenting.reveal()
    await until(lambda: all(p.state["reveal"] is not None for p in phones), "the phones to see the answer")
    assert not [wrong for phone in phones for wrong in phone.told_wrong()]
    presenting.follow()
    hands = presenting.shared.counts(presenting.question_key(0), len(presenting.item.answers), 0)
    sent = [text for phone in phones for text in phone.sent.values()]
    assert [hand or 0 for hand in hands] == [sent.count(answer.id) for answer in presenting.item.answers]
    return until_answers, until_shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--phones", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for wall in (False, True):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            found = asyncio.run(kills(Path(folder), args.times, args.phones, args.seed, wall=wall))
        answers, shown = (f"{1000 * sorted(t)[len(t) // 2]:.0f} / {1000 * max(t):.0f} ms" for t in found)
        print(f"{'wall' if wall else 'no wall'}: answers again {answers}, all phones {shown}", flush=True)
        assert max(found[1]) <= MOST


if __name__ == "__main__":
    main()
