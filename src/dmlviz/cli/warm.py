"""`dmlviz --warm`: every kernel got ready ahead of its first use."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

from .shared import FINE, say


def run(argv: list[str]) -> int:
    """Gets every operator's kernel ready, says how, and where it is kept."""
    from concurrent.futures import ThreadPoolExecutor

    from ..formats.durations import duration
    from ..operators.registry import listed
    from ..running import warm_up

    names = [one.name for one in listed()]
    began = time.perf_counter()
    directory = warm_up.directory()
    kernels: list[warm_up.Warmed] = []

    def leave(*_: object) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\r\x1b[2K\x1b[?25h")  # the bar's line goes, the cursor comes back
        os._exit(130)  # the compiler is not waited for

    # As an exception, ctrl+c would be lost where it falls into a callback, of the compiler's or the collector's.
    before = signal.signal(signal.SIGINT, leave)
    compiler = ThreadPoolExecutor(1)
    try:
        with _steps(len(names), max(map(len, names)) + len("compiling ")) as step:
            for name in names:
                step(f"{'loading' if warm_up.is_kept(name) else 'compiling'} {name}")
                kernel = compiler.submit(warm_up.warm, name).result()
                kernels.append(kernel)
                print(f"{name}: {kernel.state} in {duration(kernel.seconds)}", flush=True)
            compiler.submit(warm_up.ready_to_share).result()
    finally:
        signal.signal(signal.SIGINT, before)
    compiler.shutdown()
    compiled = sum(kernel.compiled for kernel in kernels)
    spent = time.perf_counter() - began
    print(f"{compiled} compiled, {len(kernels) - compiled} found in the cache, in {duration(spent)}")
    if directory is None or not all(kernel.kept for kernel in kernels):
        what = "not all" if any(kernel.kept for kernel in kernels) else "nothing"
        why = "no place for it can be written" if directory is None else f"{directory} takes no more files"
        say(f"{what} is kept: {why}, so every start compiles anew; expected NUMBA_CACHE_DIR to name a writable folder.")
    else:
        print(f"kept in {directory}")
    return FINE


@contextlib.contextmanager
def _steps(count: int, width: int) -> Iterator[Callable[[str], None]]:
    """A function to call with each of `count` steps as it begins: it moves a bar on stderr, or prints a line if that
    is no terminal. The names of steps have up to `width` characters.
    """
    if not sys.stderr.isatty():
        numbers = iter(range(1, count + 1))
        yield lambda what: say(f"{what}, {next(numbers)} of {count}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(f"{{task.description:<{width}}}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task("", total=count)
        begun = 0

        def step(what: str) -> None:
            nonlocal begun
            bar.update(task, description=what, completed=begun)
            begun += 1

        yield step
        bar.update(task, description="", completed=count)
