"""The kernels in plain Python: every memory primitive has a twin here that works on a model of memory.

In the model every buffer is a region of its own, far from all others, at an address with the alignment that is asked
for. A read must lie within one region, in bytes that have been written, and a write within one region that may be
written; whatever else a kernel does raises AstrayError. `Unjitted` runs the kernels' own source on it, in as many
threads as wanted, one of which runs at a time as an `Order` says.
"""

from __future__ import annotations

import ast
import enum
import importlib
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dmlviz import kernels
from dmlviz.kernels.lib.primitives import MOVED, PARTS, TURNED, WORDS

HELPERS = ("plan", "blocks", "rows")
KERNELS = tuple(sorted(file.stem for file in Path(kernels.__path__[0]).glob("[a-z]*.py")))
APART = 1 << 40
"""Bytes between the addresses of two regions."""
LINE = 64
"""Bytes of a cache line, which no two threads' counters share."""


class AstrayError(AssertionError):
    """A kernel reads or writes what it must not."""


class Use(enum.Enum):
    """What a region is for, and so who may do what with it."""

    INPUT = "read by anybody"
    OUTPUT = "written by anybody, and read by whose claim has written it"
    OWN = "read and written by one thread: its scratch, or its turn"
    COUNTERS = "added to"


class Region:
    """A buffer: its bytes, and for each of them by which claim it was written; 0 is nobody, 255 is the caller."""

    def __init__(self, name: str, base: int, data: bytes | bytearray, use: Use, given: bool, thread: int = -1) -> None:
        self.name, self.base, self.use, self.thread = name, base, use, thread
        self.data = bytearray(data)
        self.owner = bytearray(b"\xff" * len(data) if given else len(data))

    def place(self, address: int, length: int) -> slice:
        low = address - self.base
        if low < 0 or low + length > len(self.data):
            raise AstrayError(f"{self.name} has bytes 0 to {len(self.data)}, not {low} to {low + length}")
        return slice(low, low + length)


class Order(enum.Enum):
    """Which thread goes on where one asks for units."""

    ROUND = "the next one"
    ALONE = "the same, until none is left for it; the others come after it"
    LATE = "the next one, but the first is late: it comes when all others are done"
    ABSENT = "the next one, but the last never comes at all"
    ANY = "any"


class _Threads:
    """Real threads, of which only one runs at a time."""

    def __init__(self, count: int, order: Order, seed: int, begin: Callable[[int], None]) -> None:
        self.left = list(range(count - 1 if order is Order.ABSENT and count > 1 else count))
        self.order, self.begin, self.random = order, begin, random.Random(seed)
        self.batons = [threading.Semaphore(0) for _ in range(count)]
        self.over, self.errors = threading.Semaphore(0), list[BaseException]()

    def run(self, work: Callable[[int], object]) -> None:
        if len(self.left) == 1:
            self.begin(self.left[0])
            work(self.left.pop())
            return

        def one(thread: int) -> None:
            self.batons[thread].acquire()
            try:
                work(thread)
            except BaseException as error:
                self.errors.append(error)
            following = self._following(thread)
            self.left.remove(thread)
            self._hand(following if following != thread else None)

        for thread in self.left:
            threading.Thread(target=one, args=(thread,), daemon=True).start()
        self._hand(self.left[-1])
        self.over.acquire()
        for error in self.errors:
            raise error

    def _following(self, thread: int) -> int:
        rest = self.left
        if self.order is Order.LATE and rest[-1] != 0:
            rest = [each for each in self.left if each != 0]
        if self.order is Order.ANY:
            return self.random.choice(rest)
        return next((each for each in rest if each > thread), rest[0])

    def _hand(self, thread: int | None) -> None:
        if thread is None and self.left:
            thread = self.left[0]
        if thread is None:
            self.over.release()
        else:
            self.begin(thread)
            self.batons[thread].release()

    def step(self, thread: int) -> None:
        """Lets another thread go on, as the order says."""
        if self.order is Order.ALONE or len(self.left) < 2:
            return
        following = self._following(thread)
        if following != thread:
            self._hand(following)
            self.batons[thread].acquire()


class Memory:
    """What one call of a kernel sees. `arrays` are its outputs and inputs in order, `numbers` what was planned."""

    def __init__(
        self, outputs: Sequence[bytes | bytearray], inputs: Sequence[bytes], numbers: Sequence[int] = (),
        alignments: Sequence[int] = (0,), given: bool = False,
    ) -> None:  # fmt: skip
        self.regions: list[Region] = []
        self._alignments = alignments
        self.outputs = [self.add(f"output {k}", data, Use.OUTPUT, given) for k, data in enumerate(outputs)]
        self.inputs = [self.add(f"input {k}", data, Use.INPUT, True) for k, data in enumerate(inputs)]
        self.arrays = (*self.outputs, *self.inputs)
        self.numbers = list(numbers)
        self.scratch_size = 0
        self.claims = 0
        self.taken = bytearray()
        """How often each unit was claimed."""
        self.thread = 0
        self.marks = [1]
        """Of each thread the claim that it works on, 1 to 254 (they are used again, which makes the check a little
        milder)."""
        self.turns: list[int] = [0]
        """Of each thread, the address of its turn; 0 where it is alone."""
        self.threads: _Threads | None = None

    def add(
        self, name: str, data: bytes | bytearray, use: Use, given: bool, alignment: int | None = None, thread: int = -1
    ) -> Region:
        k = len(self.regions)
        off = self._alignments[k % len(self._alignments)] if alignment is None else alignment
        self.regions.append(Region(name, (k + 1) * APART + off, data, use, given, thread))
        return self.regions[-1]

    def share(self, threads: int, first: int = 0) -> None:
        """Makes counters and turns for `threads` threads, whose own parts are `first` and those behind it."""
        counters = self.add("counters", bytes(LINE * threads), Use.COUNTERS, True, 0)
        self.turns = []
        for k in range(threads):
            turn = b"".join(n.to_bytes(8, "little") for n in (counters.base, threads, (first + k) % threads, 0, 0))
            self.turns.append(self.add(f"turn {k}", turn, Use.OWN, True, 0, k).base)
        self.marks = [1] * threads

    def run(self, work: Callable[[int], object], order: Order = Order.ROUND, seed: int = 0) -> None:
        """Calls `work` with its turn in every thread; `seed` is for an order of any kind."""

        def begin(thread: int) -> None:
            self.thread = thread

        self.threads = _Threads(len(self.turns), order, seed, begin)
        self.threads.run(lambda thread: work(self.turns[thread]))

    def claimed(self, first: int = 0, step: int = 0, units: int = 0) -> None:
        """From now on this thread works on another claim: `step` units from `first` on, or none from `units` on."""
        self.claims += 1
        self.marks[self.thread] = 1 + self.claims % 254
        self.taken = self.taken or bytearray(units)
        for unit in range(first, min(first + step, units)):
            self.taken[unit] += 1
            if self.taken[unit] > 1:
                raise AstrayError(f"unit {unit} of {units} is claimed twice")

    def _region(self, base: int, address: int) -> Region:
        k = (base + APART // 2) // APART - 1  # a base may lie before its region, where what is added is never 0
        if not 0 <= k < len(self.regions):
            raise AstrayError(f"{base} is no buffer's address")
        if not -(2**63) <= address < 2**63:
            raise AstrayError(f"{address} is no int64")
        return self.regions[k]

    def _checked(self, region: Region) -> None:
        if region.use is Use.COUNTERS:
            raise AstrayError("counters are read or written while other threads add to them")
        if region.use is Use.OWN and region.thread != self.thread:
            raise AstrayError(f"{region.name} is another thread's")

    def read(self, base: int, offset: int, length: int) -> bytes:
        region = self._region(base, base + offset)
        place = region.place(base + offset, length)
        self._checked(region)
        owners = set(region.owner[place])
        if 0 in owners:
            raise AstrayError(f"{region.name} is read where nothing was written, in {place.start} to {place.stop}")
        if region.use is Use.OUTPUT and not owners <= {self.marks[self.thread], 255}:
            raise AstrayError(f"{region.name} is read where another claim wrote, in {place.start} to {place.stop}")
        return bytes(region.data[place])

    def write(self, base: int, offset: int, data: bytes) -> None:
        region, mark = self._region(base, base + offset), self.marks[self.thread]
        place = region.place(base + offset, len(data))
        self._checked(region)
        if region.use is Use.INPUT:
            raise AstrayError(f"{region.name} is written")
        if region.use is Use.OUTPUT and not set(region.owner[place]) <= {0, mark, 255}:
            raise AstrayError(f"{region.name} is written where another claim wrote, in {place.start} to {place.stop}")
        region.data[place] = data
        region.owner[place] = bytes([mark]) * len(data)

    def counter(self, address: int) -> tuple[Region, slice]:
        region = self._region(address, address)
        place = region.place(address, 8)
        if region.use is not Use.COUNTERS or place.start % LINE:
            raise AstrayError(f"{address} in {region.name} is no counter")
        return region, place


def _signed(data: bytes | bytearray) -> int:
    return int.from_bytes(data, "little", signed=True)


class Primitives:
    """The twins, named as what they are twins of; `memory` is what they work on."""

    memory: Memory

    def address(self, arrays: Sequence[Region], k: int) -> int:
        if not 0 <= k < len(arrays):
            raise AstrayError(f"there are arrays 0 to {len(arrays) - 1}, not {k}")
        return arrays[k].base

    def number(self, numbers: Sequence[int], k: int) -> int:
        if not 0 <= k < len(numbers):
            raise AstrayError(f"there are numbers 0 to {len(numbers) - 1}, not {k}")
        return numbers[k]

    def told(self, numbers: Sequence[int], table: Any) -> Any:
        return table(*numbers[: len(table._fields)])

    def fetch_add(self, counter: int, step: int) -> int:
        memory = self.memory
        if memory.threads is not None:
            memory.threads.step(memory.thread)
        region, place = memory.counter(counter)
        if step < 1:
            raise AstrayError(f"{step} units are claimed")
        found = _signed(region.data[place])
        region.data[place] = (found + step).to_bytes(8, "little", signed=True)
        return found

    def peek(self, at: int) -> int:
        if at % 8:
            raise AstrayError(f"{at} is not aligned")
        return _signed(self.memory.read(at, 0, 8))

    def poke(self, at: int, value: int) -> None:
        if at % 8:
            raise AstrayError(f"{at} is not aligned")
        self.memory.write(at, 0, value.to_bytes(8, "little", signed=True))

    def exchange(self, at: int, old: int, new: int) -> int:
        held = self.peek(at) == old
        if held:
            self.poke(at, new)
        return int(held)

    def scratch(self) -> int:
        memory = self.memory
        return memory.add("scratch", bytearray(memory.scratch_size), Use.OWN, False, 0, memory.thread).base

    def stream256(self, out: int, at: int, data: int, start: int) -> None:
        if (out + at) % LINE:
            raise AstrayError(f"{out + at} is streamed to, which is no multiple of {LINE}")
        self.move(out, at, data, start, 256)

    def fence(self) -> None:
        pass

    def move(self, out: int, at: int, data: int, start: int, width: int) -> None:
        self.memory.write(out, at, self.memory.read(data, start, _one_of(width, MOVED)))

    def weave(self, out: int, at: int, arrays: Sequence[Region], start: int, parts: int, width: int) -> None:
        columns = [self.memory.read(self.address(arrays, 1 + k), start, 64) for k in range(_one_of(parts, PARTS))]
        words = [column[k : k + width] for k in range(0, 64, width) for column in columns]
        self.memory.write(out, at, b"".join(words))

    def unweave(self, arrays: Sequence[Region], at: int, data: int, start: int, parts: int, width: int) -> None:
        held = self.memory.read(data, start, 64 * _one_of(parts, PARTS))
        words = [held[k : k + width] for k in range(0, 64 * parts, width)]
        for k in range(parts):
            self.memory.write(self.address(arrays, k), at, b"".join(words[k::parts]))

    def turn(self, out: int, at: int, data: int, start: int, length: int, width: int) -> None:
        held = self.memory.read(data, start, _one_of(length, TURNED))
        self.memory.write(out, at, b"".join(held[k : k + width] for k in range(length - width, -1, -width)))

    def read(self, data: int, at: int, width: int) -> int:
        held = self.memory.read(data, at, _one_of(width, WORDS))
        return int.from_bytes(held, "little", signed=width == 8)

    def put(self, out: int, at: int, value: int, width: int) -> None:
        if not -(2**63) <= value < 2**63:
            raise AstrayError(f"{value} is no int64")
        self.memory.write(out, at, (value & 2**64 - 1).to_bytes(8, "little")[: _one_of(width, WORDS)])

    def each_word(self, loop: Callable[..., None], width: int, *more: Any) -> None:
        loop(_one_of(width, WORDS), *more)

    def each_run(self, loop: Callable[..., None], length: int, *more: Any) -> None:
        wide = 0 if length > 256 or length == 0 else min(128, 1 << length.bit_length() - 1)
        loop(wide, length - wide, *more)


def _one_of(number: int, numbers: Sequence[int]) -> int:
    if number not in numbers:
        raise AstrayError(f"{number} is none of {numbers}")
    return number


def module_of(name: str) -> Any:
    """A kernel by its name, or what kernels share."""
    return importlib.import_module(f"dmlviz.kernels.{name}" if name in KERNELS else f"dmlviz.kernels.lib.{name}")


class Unjitted:
    """The kernels and their helpers as plain Python on the twins, with other constants where wanted.

    `constants` are by module and name, such as `{"plan": {"BLOCK": 64}}`; a module that imports one gets it too.
    """

    def __init__(self, constants: Mapping[str, Mapping[str, int]] | None = None) -> None:
        self.constants = constants or {}
        self.primitives = Primitives()
        self.modules: dict[str, dict[str, Any]] = {}
        memory = importlib.import_module("dmlviz.kernels.lib.primitives")
        self.scratch_size: int = self.constants.get("primitives", {}).get("SCRATCH", memory.SCRATCH)
        for name in (*HELPERS, *KERNELS):
            self.modules[name] = self._made(name)

    def _made(self, name: str) -> dict[str, Any]:
        module = module_of(name)
        path = Path(str(module.__file__))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = dict(vars(module))
        for node in tree.body:
            shared = str(node.module).removeprefix("lib.") if isinstance(node, ast.ImportFrom) and node.level else ""
            if isinstance(node, ast.ImportFrom) and shared not in ("", "compiled"):
                names |= {each.asname or each.name: self._imported(shared, each.name) for each in node.names}
        names |= self.constants.get(name, {})
        functions: list[ast.stmt] = []
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("textbook"):  # takes arrays
                node.decorator_list = []
                functions.append(node)
        made = compile(ast.Module(functions, []), str(path), "exec")  # its annotations are not looked at, as here
        exec(made, names)
        return names

    def _imported(self, module: str, name: str) -> Any:
        if (module, name) == ("blocks", "claim"):
            return self.claim
        if module in self.modules:
            return self.modules[module][name]
        if name in self.constants.get(module, {}):
            return self.constants[module][name]
        found = getattr(module_of(module), name)
        if module == "primitives" and callable(found):
            assert hasattr(Primitives, name), f"{name} has no twin"
            return getattr(self.primitives, name)
        return found

    def claim(self, turn: int, step: int, units: int, before: int) -> int:
        """As in `blocks`; what is claimed is noted."""
        first: int = self.modules["blocks"]["claim"](turn, step, units, before)
        self.primitives.memory.claimed(first, step, units)
        return first

    @classmethod
    def with_constants(cls, constants: Mapping[str, Mapping[str, int]]) -> Unjitted:
        """As the class itself, made once for the same constants."""
        found = _made.get(id(constants))
        if found is None:
            found = _made[id(constants)] = cls(constants)
        return found

    def function(self, module: str, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = self.modules[module][name]
        return found

    def plan(self, kernel: str, folded: Sequence[int]) -> list[int]:
        """What the kernel's `plan` makes of the numbers that the operator folded."""
        made: list[int] = self.function(kernel, "plan")(*folded)
        return made

    def on(self, memory: Memory) -> Memory:
        """Has the twins work on `memory` from now on."""
        memory.scratch_size = self.scratch_size
        self.primitives.memory = memory
        return memory

    def run(
        self, kernel: str, folded: Sequence[int], sizes: Sequence[int], inputs: Sequence[bytes],
        threads: int = 0, step: int = 0, alignments: Sequence[int] = (0,), order: Order = Order.ROUND,
    ) -> list[bytes]:  # fmt: skip
        """The outputs, of `sizes` bytes: by one call alone, or by `threads` that share it.

        A thread takes `step` units at a time where that is not 0. Raises AstrayError where something is read or written
        that must not be, a unit isn't done exactly once, or an output is left with holes.
        """
        numbers = self.plan(kernel, folded)
        assert 0 < numbers[1] <= max(numbers[0], 1), f"{numbers[0]} units, {numbers[1]} at a time"
        numbers[1] = step or numbers[1]
        memory = self.on(Memory([bytes(size) for size in sizes], inputs, numbers, alignments))
        if threads:
            memory.share(threads, sum(alignments) % threads)
        memory.run(lambda turn: self.function(kernel, "run")(memory.arrays, memory.numbers, turn), order, sum(sizes))
        if memory.taken != b"\1" * numbers[0]:
            raise AstrayError(f"unit {memory.taken.find(0)} of {numbers[0]} is not done")
        for region in memory.outputs:
            if 0 in region.owner:
                raise AstrayError(f"{region.name} is not written at {region.owner.index(0)}")
        return [bytes(region.data) for region in memory.outputs]


_made: dict[int, Unjitted] = {}
