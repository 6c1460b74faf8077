"""Callers and helpers of the kernels' boxes, one memory access at a time, in an order that chance finds."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from dmlviz.kernels.lib import mailbox, thread_pool
from dmlviz.kernels.lib.mailbox import ARRAYS, ASLEEP, BOX, CODE, ENDED, FREE, LINE, NUMBERS, SERVING, WRITING

LOOKS = 12
"""Few, so that helpers fall asleep and callers lose patience now and then."""
MOST_STEPS = 60_000


class StoppedError(Exception):
    """The play is over."""


class Play:
    """Callers and helpers, each in a thread of its own, of which one goes a step further at a time.

    Memory is INT64 by address. What a `call` is given is held against what was asked for by the caller of that turn.
    Callers hear ctrl+c between the steps of `_Pool.share`, each time with probability `interrupted`, and at most twice
    in a call: the second may come in the handler of the first. The memory of a call that was left so is gone.
    """

    def __init__(self, seed: int, callers: int, helpers: int, calls: int, interrupted: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.memory: dict[int, int] = {}
        self.boxes = [BOX * (1 + k) for k in range(helpers + 1)]  # the first is of the callers' own processor
        self.callers, self.calls, self.interrupted = callers, calls, interrupted
        self.seen: Counter[str] = Counter()
        self.wrong: list[BaseException] = []
        self.working: dict[int, int] = {}  # by caller, how many threads are in its kernel
        self.within: dict[int, tuple[int, ...]] = {}  # by caller, what its present call is to be called with
        self.heard: dict[str, int] = {}  # by caller, how often it has heard ctrl+c in its present call
        self.batons: dict[str, threading.Semaphore] = {}
        self.stage = threading.Semaphore(0)
        self.left = callers
        self.rung = dict.fromkeys(self.boxes, 0)
        self.streamed: set[str] = set()  # helpers whose kernel may have written past the caches, since their last fence
        self.plain: dict[str, Any] = {**vars(mailbox), **{name: getattr(self, name) for name in PRIMITIVES}}
        for name in ("serve", "share", "finish"):
            plain = getattr(mailbox, name).py_func
            self.plain[name] = FunctionType(plain.__code__, self.plain, name)
        around = {**vars(thread_pool), "PATIENCE": LOOKS, "time": SimpleNamespace(sleep=self.sleep)}
        self.share: Any = FunctionType(thread_pool._Pool.share.__code__, around, "share")

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
        for k, box in enumerate(self.boxes):
            self.memory |= {box + place: 0 for place in range(0, 2 * LINE, 8)}
            self.memory[box + ASLEEP] = 1
            if k:
                self.actor(f"helper {k}", lambda box=box: self.helper(box))  # type: ignore[misc]
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

    def helper(self, box: int) -> None:
        while True:
            self.plain["serve"](box, LOOKS)
            assert self.memory[box + ASLEEP] == 1
            self.seen["asleep"] += 1
            while not self.rung[box]:
                self.step()
            self.rung[box] -= 1

    def caller(self, number: int) -> None:
        place, pool = 0, self.pool(lambda: self.turns_at(place))
        for k in range(self.calls):
            if not pool._free:
                place = 1_000_000 * (8 * number + 1) + self.random.choice([0, 100 * LINE])
            code, *given = (1000 * number + 10 * k + each for each in range(1, 4))
            self.within[place], self.heard[threading.current_thread().name] = (code, *given), 0
            try:
                self.share(pool, SimpleNamespace(code=code), *given)
            except KeyboardInterrupt:
                pool._free.clear()
                self.seen["left"] += 1
            assert place not in self.working, "the caller goes on while a helper is at work"
            del self.within[place]
            if not pool._free:
                for at in [each for each in self.memory if place <= each < place + 100 * LINE]:
                    del self.memory[at]
                self.step()
        self.left -= 1

    def pool(self, turns: Callable[[], Any]) -> Any:
        """What `_Pool.share` is called on."""
        bells = [SimpleNamespace(put=lambda _, box=box: self.wake(box)) for box in self.boxes]
        natives = {f"_{name}": self.native(name) for name in ("share", "finish")}
        return SimpleNamespace(
            _started=True, _count=len(self.boxes), _numbers={}, _free=[], _turns=turns, _bells=bells, _boxes=self,
            _where=self.boxes[0], **natives,
        )  # fmt: skip

    def __getitem__(self, place: tuple[int, int]) -> int:
        """What stands in a line of the boxes, as the caller looks at it to know who sleeps."""
        self.hear()
        self.step()
        return self.memory[self.boxes[0] + LINE * place[0] + 8 * place[1]]

    def turns_at(self, turns: int) -> Any:
        """New turns at an address, with their counters, and what a call that has them tells."""
        count = len(self.boxes)
        for k in range(count):
            counters = turns + count * LINE
            self.memory |= {at + k * LINE + by: 7 for at in (turns, counters) for by in range(0, LINE, 8)}
            self.memory[turns + k * LINE] = counters
            self.memory[turns + k * LINE + ENDED] = 1
        return None, (self.boxes[0], count, turns)

    def native(self, name: str) -> Callable[..., int]:
        def called(*given: Any) -> int:
            self.hear()
            over: int = self.plain[name](*given)
            self.seen["someone sleeps" if over < 0 else "over" if over else "not yet over"] += 1
            self.hear()
            return over

        return called

    def wake(self, box: int) -> None:
        self.hear()
        self.rung[box] += 1
        self.seen["woken"] += 1
        self.hear()

    def hear(self) -> None:
        """Raises ctrl+c, now and then."""
        name = threading.current_thread().name
        if self.heard[name] < 2 and self.random.random() < self.interrupted:
            self.heard[name] += 1
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        self.step()
        self.hear()

    # ---- the primitives

    def peek(self, at: int) -> int:
        self.step()
        return self.held(at)

    def held(self, at: int) -> int:
        assert at in self.memory, "someone looks at memory of a call that was left"
        return self.memory[at]

    def poke(self, at: int, value: int) -> None:
        self.step()
        assert at in self.memory, "someone writes to memory of a call that was left"
        assert threading.current_thread().name not in self.streamed, "a helper says that it has ended before it has"
        self.memory[at] = value

    def exchange(self, at: int, old: int, new: int) -> int:
        self.step()
        if self.held(at) != old:
            self.seen["busy" if old == FREE else "too late"] += 1
            return 0
        self.memory[at] = new
        self.seen["withdrawn" if new == FREE else {WRITING: "asked", SERVING: "taken"}[new & 3]] += 1
        return 1

    def read(self, at: int, place: int, width: int) -> int:
        self.step()
        return self.held(at + place)

    def put(self, at: int, place: int, value: int, width: int) -> None:
        self.step()
        assert at not in self.boxes or (self.memory[at] == WRITING and place in (CODE, ARRAYS, NUMBERS))
        assert at + place in self.memory, "someone writes to memory of a call that was left"
        self.memory[at + place] = value

    def call(self, code: int, arrays: int, numbers: int, turn: int) -> None:
        turns = max((each for each in self.within if each <= turn), default=0)
        place = (turn - turns) // LINE
        assert 0 <= place < len(self.boxes), "someone works for a caller that has gone on"
        assert (place == 0) == threading.current_thread().name.startswith("caller")
        assert self.within[turns] == (code, arrays, numbers)
        assert self.memory[turn + mailbox.TRIED] == 0
        assert self.memory[self.memory[turn] + place * LINE] == 0
        self.working[turns] = self.working.get(turns, 0) + 1
        for _ in range(self.random.randrange(6)):
            self.step()
            assert self.within.get(turns) == (code, arrays, numbers), "the caller goes on while a helper is at work"
        self.working[turns] -= 1
        if not self.working[turns]:
            del self.working[turns]
        self.seen[threading.current_thread().name.split()[0]] += 1
        if place:
            self.streamed.add(threading.current_thread().name)

    def fence(self) -> None:
        if threading.current_thread().name in self.streamed:
            self.streamed.remove(threading.current_thread().name)
        else:
            self.step()

    def identity(self, found: int) -> int:
        return found


PRIMITIVES = ("peek", "poke", "exchange", "read", "put", "call", "fence", "identity")


def fails(play: Play) -> bool:
    try:
        play.run()
    except AssertionError:
        return True
    return False
