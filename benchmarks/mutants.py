"""How strong the tests are: the share of small faults, planted one at a time, that the tests of their room find.

    python benchmarks/mutants.py 150 --seed 7 --rooms importers session

One operator, constant, branch or call is changed in a copy of the checkout. Its room's tests run, properties last, till
one fails (the mutant is killed) or its room's LIMIT of processor time is over (it survives). What hangs or dies counts
as killed. With `--control` nothing is changed: each kill is a false one then.
"""

import argparse
import ast
import itertools
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

LIMIT, LIMITS = 8, {"kernels": 30}  # seconds; all kernels are compiled anew for a changed one
ARGUMENTS = ("-W", "ignore::pytest.PytestAssertRewriteWarning", "-m")
ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/dmlviz"
OTHERS: dict[type, type] = {ast.Eq: ast.NotEq, ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OTHERS |= {ast.Add: ast.Sub, ast.Mult: ast.FloorDiv, ast.And: ast.Or}
OTHERS |= {other: one for one, other in OTHERS.items()}
TESTS = {"operators": "operators operator_kit", "kernels": "kernels running", "importers": "importers real"}
TESTS |= {"widgets": "widgets screens", "app.py": "screens", "themes.py": "screens", "opening.py": "cli"}
Work = tuple[
    str, int, Path, bool
]  # file in SOURCE, which node of it, folder of the copies, and whether it is left alone


def change(node: ast.AST) -> bool:
    """Changes `node` in its tree; False where it isn't of a kind that is changed."""
    match node:
        case ast.Compare() if type(node.ops[0]) in OTHERS:
            node.ops[0] = OTHERS[type(node.ops[0])]()
        case ast.BinOp() | ast.BoolOp() if type(node.op) in OTHERS:
            node.op = OTHERS[type(node.op)]()
        case ast.Constant(value=int(value)):
            node.value = not value if isinstance(value, bool) else value + 1
        case ast.If() | ast.IfExp() if ast.unparse(node.test) != "TYPE_CHECKING":
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def running(node: ast.AST) -> list[ast.AST]:
    """`node` and what is in it, but for types and decorators."""
    found = [(name, value if isinstance(value, list) else [value]) for name, value in ast.iter_fields(node)]
    parts = [
        part for name, values in found if name not in ("annotation", "returns", "decorator_list") for part in values
    ]
    return [node, *(each for part in parts if isinstance(part, ast.AST) for each in running(part))]


class Watch:  # a plugin of pytest
    failed = over = False

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def pytest_runtest_logreport(self, report: object) -> None:
        self.failed |= bool(getattr(report, "failed", False))
        self.over = self.failed or sum(os.times()[:4]) > self.limit
        if self.over:
            raise KeyboardInterrupt

    pytest_collectreport = pytest_runtest_logreport


def run(tree: Path, file: Path) -> bool:
    """True where a test fails. Runs in a process of its own."""
    limit = LIMITS.get(room := file.parts[0], LIMIT)
    signal.alarm(60 * LIMIT)  # what waits for ever; a machine that is busy gives a mutant its limit long before
    resource.setrlimit(resource.RLIMIT_CPU, (4 * limit, 4 * limit))
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(1, 2)
    os.chdir(tree)
    sys.path.insert(0, str(tree / "src"))
    os.environ["PYTHONPATH"] = sys.path[0]
    places = [tree / "tests" / each for each in TESTS.get(room, f"{room} test_{room}").split()]
    tests = [test for place in places for test in ([place] if place.is_file() else place.rglob("test_*.py"))]
    near = (file.stem, file.parent.name)  # `gather.py`, or what is in `cpp`
    tests.sort(
        key=lambda test: (*(name not in test.stem for name in near), near[0] not in test.read_text("utf-8"), test)
    )
    watch, fives = Watch(limit), range(0, len(tests), 5)
    for mark, place in itertools.product(("not hypothesis", "hypothesis"), fives):
        if not watch.over:
            pytest.main([*ARGUMENTS, f"{mark} and not slow", *map(str, tests[place : place + 5])], plugins=[watch])
    return watch.failed


def killed(name: str, place: int, trees: str, control: bool) -> tuple[str, str, bool]:
    """The file of a mutant, what was changed, and whether the tests find it, in this process's copy of the checkout."""
    tree = Path(trees, str(os.getpid()))
    if not tree.exists():
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache"))
    file, text = tree / "src/dmlviz" / name, (SOURCE / name).read_text("utf-8")
    module = ast.parse(text)
    node = running(module)[place]
    before = ast.unparse(node).splitlines()[0]
    _ = control or change(node)
    file.write_text(ast.unparse(module), "utf-8")
    process = os.fork()
    if process == 0:
        os.setsid()
        failed = True  # where pytest itself dies, too
        try:
            failed = run(tree, Path(name))
        finally:
            os._exit(failed)
    told = f"{name}:{getattr(node, 'lineno', 0)}: {before} -> {ast.unparse(node).splitlines()[0]}"
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    os.killpg(process, signal.SIGKILL)  # what it left running
    file.write_text(text, "utf-8")
    for compiled in file.parent.glob(f"__pycache__/{file.stem}.*"):
        compiled.unlink()
    return name, told, os.waitpid(process, 0)[1] != 0


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int)
    options.add_argument("--seed", default=7)
    options.add_argument("--rooms", nargs="+", default=sorted(file.name for file in SOURCE.iterdir()))
    options.add_argument("--control", action="store_true")
    given, every = options.parse_args(), list[tuple[str, int]]()
    for path in sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")):
        if path.parts[0] in given.rooms:
            nodes = running(ast.parse((SOURCE / path).read_text("utf-8")))
            every += [(str(path), place) for place, node in enumerate(nodes) if change(node)]
    for library in ("hypothesis", "numba", "textual.app"):  # once, for all processes that are forked from this one
        __import__(library)
    tried, found = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as trees, multiprocessing.get_context("fork").Pool() as pool:
        drawn = [(*each, trees, given.control) for each in random.Random(given.seed).sample(every, given.count)]
        for work in [pool.apply_async(killed, each) for each in drawn]:
            name, told, was_killed = work.get()
            tried[room := name.split("/")[0]] += 1
            found[room] += was_killed
            print("killed  " if was_killed else "SURVIVES", told, flush=True)
    for room in sorted(tried):
        print(f"{room:15} {found[room]:4} of {tried[room]:4}")
    print(f"{found.total()} of {tried.total()} killed: {found.total() / tried.total():.1%}")


if __name__ == "__main__":
    main()
