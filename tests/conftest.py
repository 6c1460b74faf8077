"""Fixtures that several test files share."""

from __future__ import annotations

import gc
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.effort import choose_profile
from support.real_terminal import FOLDERS, Terminal
from support.toy import Toy, flip

from dmlviz.worker.client import Runner

choose_profile()

NUMBERS = itertools.count()
HERE = Path(__file__).parent
INTEGRATION = ("screens", "timing", "web", "worker")
"""Folders whose tests open explorers, terminals and browsers, or start processes; a few files say so themselves."""
OPENS = {"explore", "piloted", "Terminal"}
"""Names of `support` that a test in another folder opens an explorer by."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make check` leaves out, before any of it is."""
    for item in items:
        names = item.function.__code__.co_names if isinstance(item, pytest.Function) else ()
        if item.path.relative_to(HERE).parts[0] in INTEGRATION or OPENS & set(names):
            item.add_marker("integration")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """The program in a pseudo-terminal as it opens without a file, after the first launch."""
    made = Terminal([sys.executable, "-m", "dmlviz"], 120, 36, tmp_path)
    made.until("8 of 8")
    yield made
    made.process.close(force=True)


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
    monkeypatch.delenv("DMLVIZ_LANG", raising=False)
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
