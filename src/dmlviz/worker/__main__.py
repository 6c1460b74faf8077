"""The worker's process. It ends with its input, from before it has imported what takes long."""

import contextlib
import os
import pickle
import queue
import sys
import threading
from typing import Any


def listen(requests: queue.SimpleQueue[Any]) -> None:
    with contextlib.suppress(EOFError):
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    os._exit(0)


if __name__ == "__main__":
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(heard,), daemon=True).start()
    from .process import main

    main(heard)
