"""The kernels in plain Python: every memory primitive has a twin here that works on a model of memory.

In the model every buffer is a region of its own, far from all others, at an address with the alignment that is asked
for. A read must lie within one region, in bytes that have been written, and a write within one region that may be
written; whatever else a kernel does raises AstrayError. `Unjitted` runs the kernels' own source on it, in as many
"threads" as wanted, and notes which lines and branches were run.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dmlviz import kernels

HELPERS = ("_plan", "_blocks")
KERNELS = tuple(sorted(file.stem for file in Path(kernels.__path__[0]).glob("[a-z]*.py")))
APART = 1 << 40
"""Bytes between the addresses of two regions."""
COUNTER = APART - 8
"""The address of the counter that the threads of a call share; only `claim` knows it."""


class AstrayError(AssertionError):
    """A kernel reads or writes what it must not."""


class Region:
    """A buffer: its bytes, and for each of them by which claim it was written; 0 is nobody, 255 is the caller."""

    def __init__(self, name: str, base: int, data: bytes | bytearray, writable: bool, given: bool) -> None:
        self.name, self.base, self.writable = name, base, writable
        self.data = bytearray(data)
        self.owner = bytearray(b"\xff" * len(data) if given else len(data))

    def place(self, address: int, length: int) -> slice:
        low = address - self.base
        if low < 0 or low + length > len(self.data):
            raise AstrayError(f"{self.name} has bytes 0 to {len(self.data)}, not {low} to {low + length}")
        return slice(low, low + length)


class Memory:
    """What one call of a kernel sees. `arrays` are its outputs and inputs in order, `numbers` what was planned."""

    def __init__(
        self, outputs: Sequence[bytes | bytearray], inputs: Sequence[bytes], numbers: Sequence[int] = (),
        alignments: Sequence[int] = (0,), given: bool = False,
    ) -> None:  # fmt: skip
        self.regions: list[Region] = []
        self._alignments = alignments
        self.outputs = [self.add(f"output {k}", data, True, given) for k, data in enumerate(outputs)]
        self.inputs = [self.add(f"input {k}", data, False, True) for k, data in enumerate(inputs)]
        self.arrays = (*self.outputs, *self.inputs)
        self.numbers = list(numbers)
        self.room: Region | None = None
        self.scratch_size = 0
        self.claims = 0
        self.me = 1
        """The claim that is being worked on, 1 to 254; they are used again, which makes the check a little milder."""
        self.thread, self.threads, self.turn = 0, 1, 0

    def add(self, name: str, data: bytes | bytearray, writable: bool, given: bool) -> Region:
        k = len(self.regions)
        base = (k + 1) * APART + self._alignments[k % len(self._alignments)]
        self.regions.append(Region(name, base, data, writable, given))
        return self.regions[-1]

    def begin(self, thread: int, threads: int) -> None:
        """What follows is done by `thread` of `threads`, in a scratch of its own."""
        self.thread, self.threads, self.turn, self.room = thread, threads, 0, None

    def claimed(self) -> None:
        self.claims += 1
        self.me = 1 + self.claims % 254

    def _region(self, base: int, address: int) -> Region:
        k = base // APART - 1
        if not 0 <= k < len(self.regions):
            raise AstrayError(f"{base} is no buffer's address")
        if not -(2**63) <= address < 2**63:
            raise AstrayError(f"{address} is no int64")
        return self.regions[k]

    def read(self, base: int, offset: int, length: int) -> bytes:
        region = self._region(base, base + offset)
        place = region.place(base + offset, length)
        owners = set(region.owner[place])
        if 0 in owners:
            raise AstrayError(f"{region.name} is read where nothing was written, in {place.start} to {place.stop}")
        if region is not self.room and not owners <= {self.me, 255}:
            raise AstrayError(f"{region.name} is read where another claim wrote, in {place.start} to {place.stop}")
        return bytes(region.data[place])

    def write(self, base: int, offset: int, data: bytes) -> None:
        region = self._region(base, base + offset)
        place = region.place(base + offset, len(data))
        if not region.writable:
            raise AstrayError(f"{region.name} is written")
        if region is not self.room and not set(region.owner[place]) <= {0, self.me, 255}:
            raise AstrayError(f"{region.name} is written where another claim wrote, in {place.start} to {place.stop}")
        region.data[place] = data
        region.owner[place] = bytes([self.me]) * len(data)


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _unsigned(data: bytes) -> int:
    return int.from_bytes(data, "little")


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

    def claim(self, counter: int, step: int, alone: int) -> int:
        """As if all threads took turns: thread t of T gets claims t, t + T, t + 2 T and so on."""
        self.memory.claimed()
        if counter == 0:
            return alone
        if counter != COUNTER:
            raise AstrayError(f"{counter} is no counter")
        if step < 1:
            raise AstrayError(f"{step} units are claimed")
        self.memory.turn += 1
        return (self.memory.thread + (self.memory.turn - 1) * self.memory.threads) * step

    def scratch(self) -> int:
        memory = self.memory
        if memory.room is None:
            memory.room = memory.add("scratch", bytearray(memory.scratch_size), True, False)
            memory.room.base -= memory.room.base % 64
        return memory.room.base

    def prefetch(self, data: int, at: int) -> None:
        pass

    def move(self, out: int, at: int, data: int, start: int, length: int) -> None:
        self.memory.write(out, at, self.memory.read(data, start, length))

    def move1(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 1)

    def move2(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 2)

    def move4(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 4)

    def move8(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 8)

    def move16(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 16)

    def move32(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 32)

    def move64(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 64)

    def move256(self, out: int, at: int, data: int, start: int) -> None:
        self.move(out, at, data, start, 256)

    def weave(self, out: int, at: int, arrays: Sequence[Region], start: int, parts: int, width: int) -> None:
        columns = [self.memory.read(self.address(arrays, 1 + k), start, 64) for k in range(parts)]
        words = [column[k : k + width] for k in range(0, 64, width) for column in columns]
        self.memory.write(out, at, b"".join(words))

    def unweave(self, arrays: Sequence[Region], at: int, data: int, start: int, parts: int, width: int) -> None:
        held = self.memory.read(data, start, 64 * parts)
        words = [held[k : k + width] for k in range(0, 64 * parts, width)]
        for k in range(parts):
            self.memory.write(self.address(arrays, k), at, b"".join(words[k::parts]))

    def turn(self, out: int, at: int, data: int, start: int, length: int, width: int) -> None:
        held = self.memory.read(data, start, length)
        self.memory.write(out, at, b"".join(held[k : k + width] for k in range(length - width, -1, -width)))

    def int32(self, data: int, at: int) -> int:
        return _signed(self.memory.read(data, at, 4))

    def uint32(self, data: int, at: int) -> int:
        return _unsigned(self.memory.read(data, at, 4))

    def int64(self, data: int, at: int) -> int:
        return _signed(self.memory.read(data, at, 8))

    def uint8(self, data: int, at: int) -> int:
        return _unsigned(self.memory.read(data, at, 1))

    def uint16(self, data: int, at: int) -> int:
        return _unsigned(self.memory.read(data, at, 2))

    def put(self, out: int, at: int, value: int, length: int) -> None:
        if not -(2**63) <= value < 2**63:
            raise AstrayError(f"{value} is no int64")
        self.memory.write(out, at, (value & 2**64 - 1).to_bytes(8, "little")[:length])

    def put8(self, out: int, at: int, value: int) -> None:
        self.put(out, at, value, 1)

    def put16(self, out: int, at: int, value: int) -> None:
        self.put(out, at, value, 2)

    def put32(self, out: int, at: int, value: int) -> None:
        self.put(out, at, value, 4)

    def put64(self, out: int, at: int, value: int) -> None:
        self.put(out, at, value, 8)


class Coverage:
    """Which statements were run, and what each condition was found to be."""

    def __init__(self) -> None:
        self.wanted: dict[tuple[str, int, int, str], str] = {}
        """What there is to be seen, with its text: file, line, column, and `run`, `True` or `False`."""
        self.seen: set[tuple[str, int, int, str]] = set()

    def missed(self) -> list[str]:
        """What was never seen, as `file:line: what`."""
        left = sorted(self.wanted.keys() - self.seen)
        return [f"{key[0]}:{key[1]}: never {key[3]}: {self.wanted[key]}" for key in left]


class _Noting(ast.NodeTransformer):
    """Has every statement and every condition of a function noted as it is run."""

    def __init__(self, file: str, coverage: Coverage) -> None:
        self.file, self.coverage = file, coverage

    def _call(self, name: str, node: Any, *more: ast.expr) -> ast.expr:
        where = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
        made: ast.expr = ast.Call(ast.Name(name, ast.Load()), [*where, *more], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _want(self, node: Any, *outcomes: str) -> None:
        for outcome in outcomes:
            text = ast.unparse(node).splitlines()[0]
            self.coverage.wanted[self.file, node.lineno, node.col_offset, outcome] = text

    def _test(self, test: ast.expr) -> ast.expr:
        self._want(test, "True", "False")
        return self._call("_test", test, self.visit(test))

    def _body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            self._want(statement, "run")
            noted = ast.Expr(self._call("_line", statement))
            made += [ast.copy_location(noted, statement), self.visit(statement)]
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), first)]
        node.body = self._body(node.body)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        node.iter, node.body, node.orelse = self.visit(node.iter), self._body(node.body), self._body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        node.test, node.body, node.orelse = self._test(node.test), self._body(node.body), self._body(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        node.test, node.body, node.orelse = self._test(node.test), self._body(node.body), self._body(node.orelse)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        node.test, node.body, node.orelse = self._test(node.test), self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        node.values = [self._test(value) for value in node.values]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.iter, node.ifs = self.visit(node.iter), [self._test(each) for each in node.ifs]
        return node


class Unjitted:
    """The kernels and their helpers as plain Python on the twins, with other constants where wanted.

    `constants` are by module and name, such as `{"_plan": {"BLOCK": 64}}`; a module that imports one gets it too.
    """

    def __init__(self, constants: Mapping[str, Mapping[str, int]] | None = None, coverage: Coverage | None = None):
        self.constants = constants or {}
        self.coverage = coverage or Coverage()
        self.primitives = Primitives()
        self.modules: dict[str, dict[str, Any]] = {}
        memory = importlib.import_module("dmlviz.kernels._memory")
        self.scratch_size: int = self.constants.get("_memory", {}).get("SCRATCH", memory.SCRATCH)
        for name in (*HELPERS, *KERNELS):
            self.modules[name] = self._made(name)

    def _made(self, name: str) -> dict[str, Any]:
        module = importlib.import_module(f"dmlviz.kernels.{name}")
        path = Path(str(module.__file__))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = dict(vars(module))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module != "_compiled":
                names |= {each.asname or each.name: self._imported(str(node.module), each.name) for each in node.names}
        names |= self.constants.get(name, {})
        file = f"kernels/{path.name}"
        noting, seen = _Noting(file, self.coverage), self.coverage.seen

        def line(line: int, column: int) -> None:
            seen.add((file, line, column, "run"))

        def test(line: int, column: int, found: object) -> object:
            seen.add((file, line, column, "True" if found else "False"))
            return found

        names |= {"_line": line, "_test": test}
        functions: list[ast.stmt] = [noting.visit(node) for node in tree.body if isinstance(node, ast.FunctionDef)]
        made = compile(ast.Module(functions, []), str(path), "exec")  # its annotations are not looked at, as here
        exec(made, names)
        return names

    def _imported(self, module: str, name: str) -> Any:
        if module in self.modules:
            return self.modules[module][name]
        if name in self.constants.get(module, {}):
            return self.constants[module][name]
        found = getattr(importlib.import_module(f"dmlviz.kernels.{module}"), name)
        if module == "_memory" and callable(found):
            assert hasattr(Primitives, name), f"{name} has no twin"
            return getattr(self.primitives, name)
        return found

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
        threads: int = 0, step: int = 0, alignments: Sequence[int] = (0,),
    ) -> list[bytes]:  # fmt: skip
        """The outputs, of `sizes` bytes: by one call with no counter, or by `threads` that share one.

        A thread takes `step` units at a time where that is not 0. The last thread is the first to run. Raises
        AstrayError where something is read or written that must not be, or an output is left with holes.
        """
        numbers = self.plan(kernel, folded)
        assert 0 < numbers[1] <= max(numbers[0], 1), f"{numbers[0]} units, {numbers[1]} at a time"
        numbers[1] = step or numbers[1]
        memory = self.on(Memory([bytes(size) for size in sizes], inputs, numbers, alignments))
        for thread in range(max(threads, 1) - 1, -1, -1):
            memory.begin(thread, threads)
            self.function(kernel, "run")(memory.arrays, memory.numbers, COUNTER if threads else 0)
        for region in memory.outputs:
            if 0 in region.owner:
                raise AstrayError(f"{region.name} is not written at {region.owner.index(0)}")
        return [bytes(region.data) for region in memory.outputs]


_made: dict[int, Unjitted] = {}
