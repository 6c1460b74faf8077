"""Callers and helpers of the kernels' mailboxes, one memory access at a time, in an order that chance finds."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from types import FunctionType
from typing import Any

from dmlviz.kernels.lib import mailbox
from dmlviz.kernels.lib.mailbox import (
    ARRAYS,
    ASLEEP,
    CODE,
    ENDED,
    FREE,
    LINE,
    NUMBERS,
    SERVING,
    WRITING,
)

LOOKS = 12
"""Few, so that helpers fall asleep and callers lose patience now and then."""

MOST_STEPS = 60_000


class StoppedError(Exception):
    """The play is over."""


class Play:
    """Callers and helpers, each in a thread of its own, of which one goes a step further at a time.

    Memory is INT64 by address. What a `call` is given is held against what was asked for by the caller of that turn.
    """

    def __init__(self, seed: int, callers: int, helpers: int, calls: int) -> None:
        self.random = random.Random(seed)
        self.memory: dict[int, int] = {}
        self.desks = [LINE * (1 + 2 * k) for k in range(helpers)]
        self.callers, self.calls = callers, calls
        self.seen: Counter[str] = Counter()
        self.wrong: list[BaseException] = []
        self.working: dict[int, int] = {}  # by caller, how many threads are in its kernel
        self.within: dict[int, tuple[int, int, int]] = {}  # by caller, what its present call is to be called with
        self.served: Counter[tuple[int, int]] = Counter()
        self.batons: dict[str, threading.Semaphore] = {}
        self.stage = threading.Semaphore(0)
        self.left = callers
        self.rung = dict.fromkeys(self.desks, 0)
        self.plain: dict[str, Any] = {**vars(mailbox), **{name: getattr(self, name) for name in PRIMITIVES}}
        for name in ("serve", "post", "finish", "work", "together"):
            plain = getattr(mailbox, name).py_func
            self.plain[name] = FunctionType(plain.__code__, self.plain, name)

    # ---- the stage

    def step(self) -> None:
        """Waits until it is this thread's turn again."""
        self.stage.release()
        self.batons[threading.current_thread().name].acquire()
        if self.wrong or not self.left:
            raise StoppedError

    def actor(self, name: str, act: Callable[[], None]) -> None:
        def play() -> None:
            try:
                self.batons[name].acquire()
                act()
            except StoppedError:
                pass
            except BaseException as error:
                self.wrong.append(error)
            finally:
                self.batons.pop(name)
                self.stage.release()

        self.batons[name] = threading.Semaphore(0)
        threading.Thread(target=play, name=name, daemon=True).start()

    def run(self) -> None:
        for k, desk in enumerate(self.desks):
            self.memory |= {desk + place: 0 for place in range(0, 2 * LINE, 8)}
            self.memory[desk + ASLEEP] = 1
            self.actor(f"helper {k}", lambda desk=desk: self.helper(desk))  # type: ignore[misc]
        for k in range(self.callers):
            self.actor(f"caller {k}", lambda k=k: self.caller(k))  # type: ignore[misc]
        steps, name, change = 0, "", self.random.choice([0.05, 0.15, 0.4])  # what goes wrong needs some steps in a row
        while self.batons:
            if name not in self.batons or self.random.random() < change:
                name = self.random.choice(sorted(self.batons))
            self.batons[name].release()
            self.stage.acquire()
            steps += 1
            if steps > MOST_STEPS and not self.wrong:
                self.wrong.append(AssertionError("somebody waits for ever"))
        if self.wrong:
            raise self.wrong[0]
        assert not self.working

    def helper(self, desk: int) -> None:
        while True:
            self.plain["serve"](desk, LOOKS)
            assert self.memory[desk + ASLEEP] == 1
            self.seen["asleep"] += 1
            while not self.rung[desk]:
                self.step()
            self.rung[desk] -= 1

    def caller(self, number: int) -> None:
        count = len(self.desks)
        turns, counters, table = ((8 * number + k + 1) * 1_000_000 // LINE * LINE for k in range(3))
        for k in range(count + 1):
            self.memory |= {at + k * LINE + place: 7 for at in (turns, counters) for place in range(0, LINE, 8)}
            self.memory[turns + k * LINE] = counters
            self.memory[turns + k * LINE + ENDED] = 1
        self.memory |= {table + 8 * k: desk for k, desk in enumerate(self.desks)}
        for call in range(self.calls):
            code, arrays, numbers = (1000 * number + 10 * call + k for k in range(3))
            self.within[turns] = code, arrays, numbers
            self.served.clear()
            over = self.plain["together"](table, count, code, arrays, numbers, turns, LOOKS)
            if over < 0:
                for desk in self.desks:
                    self.step()
                    self.rung[desk] += self.memory[desk + ASLEEP]
                self.seen["woken"] += 1
                over = self.plain["work"](table, count, code, arrays, numbers, turns, LOOKS)
            self.seen["over" if over else "not yet over"] += 1
            while not over:
                over = self.plain["finish"](table, count, turns, 1)
            assert turns not in self.working, "the caller goes on while a helper is at work"
            del self.within[turns]
        self.left -= 1

    # ---- the primitives

    def peek(self, at: int) -> int:
        self.step()
        return self.memory[at]

    def poke(self, at: int, value: int) -> None:
        self.step()
        self.memory[at] = value

    def exchange(self, at: int, old: int, new: int) -> int:
        self.step()
        if self.memory[at] != old:
            self.seen["busy" if old == FREE else "too late"] += 1
            return 0
        self.memory[at] = new
        self.seen["withdrawn" if new == FREE else {WRITING: "asked", SERVING: "taken"}[new & 3]] += 1
        return 1

    def int64(self, at: int, place: int) -> int:
        self.step()
        return self.memory[at + place]

    def put64(self, at: int, place: int, value: int) -> None:
        self.step()
        assert at not in self.desks or (self.memory[at] == WRITING and place in (CODE, ARRAYS, NUMBERS))
        self.memory[at + place] = value

    def call(self, code: int, arrays: int, numbers: int, turn: int) -> None:
        turns = max(each for each in self.within if each <= turn)
        place = (turn - turns) // LINE
        assert 0 <= place <= len(self.desks)
        assert (place == 0) == threading.current_thread().name.startswith("caller")
        assert self.within[turns] == (code, arrays, numbers)
        assert self.memory[turn + mailbox.TRIED] == 0
        assert self.memory[self.memory[turn] + place * LINE] == 0
        self.working[turns] = self.working.get(turns, 0) + 1
        for _ in range(self.random.randrange(6)):
            self.step()
            assert self.within[turns] == (code, arrays, numbers)
        self.working[turns] -= 1
        if not self.working[turns]:
            del self.working[turns]
        self.seen[threading.current_thread().name.split()[0]] += 1

    def fence(self) -> None:
        self.step()

    def identity(self, found: int) -> int:
        return found

    def pointer(self, at: int) -> int:
        return at


PRIMITIVES = ("peek", "poke", "exchange", "int64", "put64", "call", "fence", "identity", "pointer")
