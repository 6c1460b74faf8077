"""Fixtures that several test files share."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import itertools
import os
import random
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from support.effort import choose_profile
from support.outside import Toy, flip
from support.real_terminal import FOLDERS, Terminal

from dmlviz.worker.client import Runner

if TYPE_CHECKING:
    from dmlviz.session.experiments import Session

choose_profile()
gc.disable()  # what is collected stays: looking through it again and again was a third of collecting
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every program that a test starts compiles dmlviz anew
sys.dont_write_bytecode = False  # and every run all tests

NUMBERS = itertools.count()
HERE = Path(__file__).parent
INTEGRATION = ("screens", "timing", "web", "worker")
"""Folders whose tests open explorers, terminals and browsers, or start processes; a few files say so themselves."""
OPENS = {"explore", "piloted", "Terminal", "DmlvizApp"}
"""Names that a test in another folder opens an explorer by, itself or by a function of its file."""


BACKWARDS = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
"""Every second worker collects from the end: where nothing is compiled yet, each compiles half of the tests."""
CASES = 1
"""How many of the cases of a test that opens an explorer are tried at every run."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turns a folder round for the workers that begin at its end."""
    report = yield
    if BACKWARDS and isinstance(collector, pytest.Directory):
        report.result = report.result[::-1]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make check` leaves out, and which cases of a test are tried where, before any is left out.

    In CI every value of every parameter is in a case that is tried.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.path)  # the same in all of them
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        opens = "driver" in item.fixturenames or OPENS & names(item.function)
        if opens or item.path.relative_to(HERE).parts[0] in INTEGRATION:
            item.add_marker("integration")
        if item.get_closest_marker("integration") or item.get_closest_marker("drawn"):
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
    for test, like in cases.items():
        drawn = like[0].get_closest_marker("drawn")
        order = random.Random(test).sample(like, len(like))
        tried = [item for item in order if item.get_closest_marker("slow") is None][: drawn.args[0] if drawn else CASES]
        begun = bool(tried)
        seen = {value for item in tried for value in values(item)}
        for item in order:
            if item not in tried:
                item.add_marker("slow")
                if begun and values(item) <= seen:
                    item.add_marker("rare")
                begun, seen = True, seen | values(item)


def values(case: pytest.Function) -> set[tuple[str, str]]:
    """What a case is parametrized by."""
    return {(name, repr(value)) for name, value in case.callspec.params.items()} if hasattr(case, "callspec") else set()


@functools.cache
def names(function: Callable[..., object]) -> set[str]:
    """The names that a function goes by, those within it and those of the functions of its file that it calls."""
    found: set[str] = set()
    waiting: list[CodeType] = [inspect.unwrap(function).__code__]
    own = inspect.unwrap(function).__globals__
    while waiting:
        code = waiting.pop()
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
        for name in {*code.co_names} - found:
            called = own.get(name)
            if isinstance(called, FunctionType) and called.__globals__ is own:
                waiting.append(called.__code__)
        found |= {*code.co_names}
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Tells of a test once, and of what was before and after it if that failed: each telling goes between processes."""
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish() -> None:
    """Tests run with the collector; nothing is frozen, since old versions of Hypothesis find tests flaky then."""
    gc.set_threshold(20_000, 20, 50)  # all that was collected and imported is looked through less often
    gc.enable()


@pytest.fixture
def session(request: pytest.FixtureRequest) -> Session | str:
    """What the explorer of a test that is a coroutine opens on: its file's `SESSION`, or an example by its name."""
    return getattr(request.module, "SESSION", "gather-2")


@pytest.fixture
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Columns and lines of that explorer's window, or its file's `SIZE`."""
    return getattr(request.module, "SIZE", (120, 36))


@pytest.fixture
def no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test opens shows no colours, and nothing in it moves."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")  # which Textual reads from the environment


@pytest.fixture
def driver(session: Session | str, size: tuple[int, int]) -> tuple[Session | str, tuple[int, int]]:
    """What the test's `Driver` is made of once it is called."""
    return session, size


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Calls a test that is a coroutine, with an explorer of its own if it asks for a `driver`."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    from support.driver import explore

    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
    if "driver" in arguments:
        opening = arguments.pop("driver")
        explore(lambda driver: test(driver, **arguments), *opening)
    else:
        asyncio.run(test(**arguments))
    return True


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts the program, or another one, in a pseudo-terminal; it is gone after the test."""
    started: list[Terminal] = []

    def run(
        *arguments: str, size: tuple[int, int] = (120, 36), program: tuple[str, ...] = ("-m", "dmlviz"), **more: Any
    ) -> Terminal:
        started.append(Terminal([sys.executable, *program, *arguments], *size, tmp_path, **more))
        return started[-1]

    yield run
    for terminal in started:
        terminal.crash()


@pytest.fixture
def terminal(start: Callable[..., Terminal]) -> Terminal:
    """The program as it opens without a file, after the first launch."""
    terminal = start()
    terminal.until("8 of 8")
    return terminal


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector runs in every test: the command line holds it until the explorer's first frame."""
    yield
    gc.enable()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tests' own folders are made by what writes into them."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_folders(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, recent sessions and kept ones lie in folders of the test's own, never in the user's.

    They don't exist yet: thousands of empty folders take seconds to make and to take away.
    """
    root = homes / str(next(NUMBERS))
    for name in FOLDERS:
        monkeypatch.setenv(name, str(root / name.lower()))
    return root


@pytest.fixture
def running() -> Iterator[Runner]:
    """A runner whose process ends with the test."""
    made = Runner()
    yield made
    made.close()


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Toy]:
    """A sixth operator, gone again after the test."""
    with flip(tmp_path / "outside") as made:
        yield made
