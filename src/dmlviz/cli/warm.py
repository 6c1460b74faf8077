"""`dmlviz --warm`: every kernel got ready ahead of its first use."""

from __future__ import annotations

import os
import signal
import time

from .shared import FINE, say


def run(argv: list[str]) -> int:
    from ..formats.durations import duration
    from ..operators.registry import listed
    from ..running import warm_up

    began = time.perf_counter()
    # As an exception, ctrl+c would be lost where it falls into a callback, of the compiler's or the collector's.
    before = signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    names = [one.name for one in listed()]
    kernels: list[warm_up.Kernel] = []
    try:
        for number, name in enumerate(names, 1):
            doing = "loading" if warm_up.is_kept(name) else "compiling"
            say(f"{doing} {name}, {number} of {len(names)}")
            kernels.append(kernel := warm_up.load(name))
            print(f"{name}: {kernel.state} in {duration(kernel.seconds)}", flush=True)
        warm_up.ready()
    finally:
        signal.signal(signal.SIGINT, before)
    compiled = sum(kernel.state.name == "COMPILED" for kernel in kernels)
    spent = duration(time.perf_counter() - began)
    print(f"{compiled} compiled, {len(kernels) - compiled} found in the cache, in {spent}")
    folder = warm_up.directory()
    if folder is not None and all(map(warm_up.is_kept, names)):
        print(f"kept in {folder}")
    else:
        where = "no folder for it can be written" if folder is None else f"{folder} takes no more files"
        say(f"not all is kept: {where}, expected NUMBA_CACHE_DIR to name a writable folder; every start compiles anew.")
    return FINE
