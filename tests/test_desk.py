"""How callers hand work to helpers, in every order that chance finds: plain Python, one memory access at a time."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest

from dmlviz.kernels import _crew, _desk
from dmlviz.kernels._desk import ARRAYS, ASLEEP, CODE, ENDED, FREE, LINE, NUMBERS, POSTED, SERVING, WRITING

LOOKS = 12
"""Few, so that helpers fall asleep and callers lose patience now and then."""
MOST_STEPS = 60_000


class StoppedError(Exception):
    """The play is over."""


class Play:
    """Callers and helpers, each in a thread of its own, of which one goes a step further at a time.

    Memory is INT64 by address. What a `call` is given is held against what was asked for by the caller of that turn.
    Callers hear ctrl+c between the steps of `_Call.do`, each time with probability `interrupted`, and at most twice in
    a call: the second may come in the handler of the first. The memory of a call that was left so is gone.
    """

    def __init__(self, seed: int, callers: int, helpers: int, calls: int, interrupted: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.memory: dict[int, int] = {}
        self.desks = [LINE * (1 + 2 * k) for k in range(helpers)]
        self.callers, self.calls, self.interrupted = callers, calls, interrupted
        self.seen: Counter[str] = Counter()
        self.wrong: list[BaseException] = []
        self.working: dict[int, int] = {}  # by caller, how many threads are in its kernel
        self.within: dict[int, tuple[int, ...]] = {}  # by caller, what its present call is to be called with
        self.heard: dict[str, int] = {}  # by caller, how often it has heard ctrl+c in its present call
        self.batons: dict[str, threading.Semaphore] = {}
        self.stage = threading.Semaphore(0)
        self.left = callers
        self.rung = dict.fromkeys(self.desks, 0)
        self.plain: dict[str, Any] = {**vars(_desk), **{name: getattr(self, name) for name in PRIMITIVES}}
        for name in ("serve", "post", "finish", "work", "together"):
            plain = getattr(_desk, name).py_func
            self.plain[name] = FunctionType(plain.__code__, self.plain, name)
        around = {**vars(_crew), "PATIENCE": LOOKS, "time": SimpleNamespace(sleep=self.sleep)}
        self.do: Any = FunctionType(_crew._Call.do.__code__, around, "do")

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
        call, place = None, 0
        for k in range(self.calls):
            if call is None:
                place = 1_000_000 * (8 * number + 1) + self.random.choice([0, 100 * LINE])
                call = self.new_call(place)
            given = tuple(1000 * number + 10 * k + each for each in range(3))
            self.within[place], self.heard[threading.current_thread().name] = given, 0
            try:
                self.do(call, *given)
            except KeyboardInterrupt:
                call, self.seen["left"] = None, self.seen["left"] + 1
            assert place not in self.working, "the caller goes on while a helper is at work"
            del self.within[place]
            if call is None:
                for at in [each for each in self.memory if place <= each < place + 100 * LINE]:
                    del self.memory[at]
                self.step()
        self.left -= 1

    def new_call(self, turns: int) -> Any:
        """What `_Call.do` is called on, with its turns at address `turns`, their counters and the desks' table."""
        count, counters, table = len(self.desks), turns + 30 * LINE, turns + 60 * LINE
        for k in range(count + 1):
            self.memory |= {at + k * LINE + place: 7 for at in (turns, counters) for place in range(0, LINE, 8)}
            self.memory[turns + k * LINE] = counters
            self.memory[turns + k * LINE + ENDED] = 1
        self.memory |= {table + 8 * k: desk for k, desk in enumerate(self.desks)}
        natives = {f"_{name}": self.native(name) for name in ("together", "work", "finish")}
        helpers = [SimpleNamespace(wake=lambda desk=desk: self.wake(desk)) for desk in self.desks]
        return SimpleNamespace(**natives, helpers=helpers, _count=count, _where=(table, turns))

    def native(self, name: str) -> Callable[..., int]:
        def called(*given: Any) -> int:
            self.hear()
            over: int = self.plain[name](*given)
            self.seen["someone sleeps" if over < 0 else "over" if over else "not yet over"] += 1
            self.hear()
            return over

        return called

    def wake(self, desk: int) -> None:
        self.hear()
        self.step()
        asleep = self.memory[desk + ASLEEP]
        self.hear()
        if asleep:
            self.rung[desk] += 1
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
        self.memory[at] = value

    def exchange(self, at: int, old: int, new: int) -> int:
        self.step()
        if self.held(at) != old:
            self.seen["busy" if old == FREE else "too late"] += 1
            return 0
        self.memory[at] = new
        self.seen["withdrawn" if new == FREE else {WRITING: "asked", SERVING: "taken"}[new & 3]] += 1
        return 1

    def int64(self, at: int, place: int) -> int:
        self.step()
        return self.held(at + place)

    def put64(self, at: int, place: int, value: int) -> None:
        self.step()
        assert at not in self.desks or (self.memory[at] == WRITING and place in (CODE, ARRAYS, NUMBERS))
        assert at + place in self.memory, "someone writes to memory of a call that was left"
        self.memory[at + place] = value

    def call(self, code: int, arrays: int, numbers: int, turn: int) -> None:
        turns = max((each for each in self.within if each <= turn), default=0)
        place = (turn - turns) // LINE
        assert 0 <= place <= len(self.desks), "someone works for a caller that has gone on"
        assert (place == 0) == threading.current_thread().name.startswith("caller")
        assert self.within[turns] == (code, arrays, numbers)
        assert self.memory[turn + _desk.TRIED] == 0
        assert self.memory[self.memory[turn] + place * LINE] == 0
        self.working[turns] = self.working.get(turns, 0) + 1
        for _ in range(self.random.randrange(6)):
            self.step()
            assert self.within.get(turns) == (code, arrays, numbers), "the caller goes on while a helper is at work"
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


@pytest.mark.parametrize(("callers", "helpers"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_no_order_of_steps_does_harm(callers: int, helpers: int) -> None:
    """Nobody works for a caller that has gone on, with what it did not ask for, or twice; and nobody waits for ever."""
    seen: Counter[str] = Counter()
    for seed in range(30):
        play = Play(seed, callers, helpers, calls=3)
        play.run()
        seen += play.seen
        assert play.seen["caller"] == 3 * callers
        assert play.seen["helper"] == play.seen["taken"]
        assert play.seen["asked"] == play.seen["taken"] + play.seen["withdrawn"]
    wanted = {"asleep", "woken", "over", "not yet over", "withdrawn", "asked", "taken", "too late", "helper"}
    assert set(seen) >= wanted | ({"busy"} if callers > 1 else set())


@pytest.mark.parametrize(("callers", "helpers"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_no_order_of_steps_does_harm_to_callers_who_hear_ctrl_c(callers: int, helpers: int) -> None:
    """A helper that has begun is waited for, and one that has not never does: nobody touches the memory of a call that
    was left, also where the next one has it.
    """
    seen: Counter[str] = Counter()
    for seed in range(60):
        play = Play(seed, callers, helpers, calls=5, interrupted=(0.02, 0.1, 0.4)[seed % 3])
        play.run()
        seen += play.seen
        assert play.seen["helper"] == play.seen["taken"]
        assert play.seen["asked"] == play.seen["taken"] + play.seen["withdrawn"]
    assert set(seen) >= {"left", "woken", "over", "not yet over", "withdrawn", "asked", "taken", "too late", "helper"}


def test_a_helper_that_is_free_comes() -> None:
    """Asleep, about to sleep or awake: where the caller's part lasts long enough, every helper has one too."""

    class Long(Play):
        def call(self, code: int, arrays: int, numbers: int, turn: int) -> None:
            super().call(code, arrays, numbers, turn)
            if threading.current_thread().name.startswith("caller"):
                while self.seen["helper"] < len(self.desks) * (1 + self.seen["woken or not"]):
                    self.step()
                self.seen["woken or not"] += 1

    for seed in range(20):
        play = Long(seed, 1, 2, calls=3)
        play.run()
        assert play.seen["helper"] == 6


def test_the_play_notices_whoever_takes_back_an_order_of_another() -> None:
    """Were an order not told from every other, one caller would withdraw another's, who would wait for ever."""

    class Careless(Play):
        def exchange(self, at: int, old: int, new: int) -> int:
            if new == FREE and self.memory[at] & 3 == POSTED:
                old = self.memory[at]
            return super().exchange(at, old, new)

    assert any(fails(Careless(seed, 4, 1, calls=4)) for seed in range(200))


def test_the_play_notices_whoever_leaves_too_early() -> None:
    """Were helpers not waited for after ctrl+c, they would work on memory that has gone."""

    class Hasty(Play):
        def native(self, name: str) -> Callable[..., int]:
            waits = super().native(name)
            return lambda *given: 1 if given[-1] == _crew.FOREVER else waits(*given)

    assert any(fails(Hasty(seed, 1, 2, calls=4, interrupted=0.1)) for seed in range(20))


def fails(play: Play) -> bool:
    try:
        play.run()
    except AssertionError:
        return True
    return False
