"""Files checked one after the other, or many by several processes; what is told of them comes in the files' order."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...errors import plain
from ..shared import UNREADABLE
from .findings import UNREADABLE as CANT_BE_READ
from .findings import FileTold, Finding
from .one_file import Options, check_file

FEW = 50
"""Files up to which one process is faster than to start others, which takes each of them half a second."""
MOST_PROCESSES = 8

_START = """
import os, pickle, sys
answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # whatever prints something
sys.path[:] = pickle.load(sys.stdin.buffer)
sys.set_int_max_str_digits(100_000)
from dmlviz.cli.checking.side_by_side import serve
serve(sys.stdin.buffer, answers)
"""


class Job(Struct, frozen=True):
    """A file to be checked, as it was named, or found."""

    word: str
    is_found: bool


def check_all(jobs: Sequence[Job], options: Options) -> Iterator[FileTold]:
    """What is told of each file, in order."""
    count = min(os.cpu_count() or 1, MOST_PROCESSES)
    apart = [job for job in jobs if job.word != "-"]
    if len(apart) <= FEW or count < 2 or not sys.executable:
        for job in jobs:
            yield check_file(job.word, options, is_found=job.is_found)
        return
    done: dict[int, queue.SimpleQueue[FileTold | Exception]] = {i: queue.SimpleQueue() for i in range(len(jobs))}
    waiting = iter([(i, job) for i, job in enumerate(jobs) if job.word != "-"])
    # Nobody runs far ahead of what is told, or what was found would pile up.
    room, lock, ended = threading.Semaphore(64 * count), threading.Lock(), threading.Event()
    processes: list[subprocess.Popen[bytes]] = []

    def work() -> None:
        process: subprocess.Popen[bytes] | None = None
        while not ended.is_set():
            room.acquire()
            with lock:
                i, job = next(waiting, (-1, None))
            if job is None:
                break
            try:
                if process is None:
                    process = _started(processes)
                done[i].put(_asked(process, job, options))
            except (OSError, EOFError, pickle.UnpicklingError):
                done[i].put(_ended(job))
                process = None
            except Exception as error:
                done[i].put(error)
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        for i, job in enumerate(jobs):
            told = check_file(job.word, options, is_found=job.is_found) if job.word == "-" else done[i].get()
            if isinstance(told, Exception):
                raise told
            yield told
            del done[i]
            room.release()
    finally:
        ended.set()
        for _ in threads:
            room.release()
        for process in processes:
            process.kill()
            process.wait()


def _started(processes: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """One more process, which finds what this one does."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    processes.append(process)
    assert process.stdin is not None
    folder = str(Path(__file__).resolve().parents[3])
    pickle.dump([folder, *(os.path.abspath(entry) for entry in sys.path if entry)], process.stdin)
    return process


def _asked(process: subprocess.Popen[bytes], job: Job, options: Options) -> FileTold:
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump((job, options), process.stdin)
    process.stdin.flush()
    answer = pickle.load(process.stdout)
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, FileTold)
    return answer


def _ended(job: Job) -> FileTold:
    """What is told of a file whose process ended without an answer."""
    sentence = f"{plain(job.word)} ended the process that checked it, maybe because memory ran out."
    unread = Finding(id=CANT_BE_READ, level="error", message=sentence)
    told = {"file": job.word, "error": sentence, "remarks": []}
    return FileTold(
        name=job.word,
        codes=frozenset({UNREADABLE}),
        says=(sentence,),
        findings=(unread,),
        json=told,
        is_path=True,
    )


def serve(given: object, answers: object) -> None:
    """Answers one request after the other until there is no more; what a check raises is an answer too."""
    while True:
        try:
            job, options = pickle.load(given)  # type: ignore[arg-type]
        except EOFError:
            return
        try:
            answer: object = check_file(job.word, options, is_found=job.is_found)
        except Exception as error:  # a fault of our own, which the first process tells
            answer = error
        pickle.dump(answer, answers)  # type: ignore[arg-type]
        answers.flush()  # type: ignore[attr-defined]
