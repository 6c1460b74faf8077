"""Files checked one after the other, or many by several processes; what is told of them comes in the files' order."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

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

    def told(self, options: Options) -> FileTold:
        return check_file(self.word, options, is_found=self.is_found)


def check_all(jobs: Sequence[Job], options: Options) -> Iterator[FileTold]:
    """What is told of each file, in order."""
    count = min(os.cpu_count() or 1, MOST_PROCESSES)
    if len(jobs) <= FEW or count < 2 or not sys.executable:
        yield from (job.told(options) for job in jobs)
        return
    several = [_Apart(jobs[k::count], options) for k in range(count)]
    try:
        for i in range(len(jobs)):
            yield several[i % count].next()
    finally:
        for apart in several:
            apart.end()


class _Apart:
    """A process that checks files one after the other; it waits where nobody takes what it tells."""

    def __init__(self, jobs: Sequence[Job], options: Options) -> None:
        self._left, self._options = deque(jobs), options
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        """A process that finds what this one does, with the files that are left."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        folder = str(Path(__file__).resolve().parents[3])
        with contextlib.suppress(OSError):  # it has ended, which is noticed by what it doesn't tell
            pickle.dump([folder, *(os.path.abspath(entry) for entry in sys.path if entry)], process.stdin)
            pickle.dump(([job for job in self._left if job.word != "-"], self._options), process.stdin)
            process.stdin.close()
        return process

    def next(self) -> FileTold:
        """What is told of the next file. Raises what the check of it raised."""
        job = self._left.popleft()
        if job.word == "-":
            return job.told(self._options)
        assert self._process.stdout is not None
        try:
            answer = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.end()
            self._process = self._started()
            return _ended(job)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, FileTold)
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def _ended(job: Job) -> FileTold:
    """What is told of a file whose process ended without an answer."""
    sentence = f"{plain(job.word)} ended the process that checked it, maybe because memory ran out."
    return FileTold(
        name=job.word,
        codes=frozenset({UNREADABLE}),
        says=(sentence,),
        findings=(Finding(id=CANT_BE_READ, level="error", message=sentence),),
        json={"file": job.word, "error": sentence, "remarks": []},
        is_path=True,
    )


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Tells of one file after the other; what a check raises is told too, and raised in the first process."""
    jobs, options = pickle.load(given)
    for job in jobs:
        try:
            answer: FileTold | Exception = job.told(options)
        except Exception as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()
