"""How long it takes to decide whether two chains of 2^32 elements are the same map: laws, and what is too large.

    .venv/bin/python benchmarks/same_map.py

prints processor time and peak memory of each, and fails above 100 ms for a law, 1 s for what isn't decided, or 200 MB.
Each is measured in a process of its own, whose first comparison it is, imports of it included.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import dmlviz as dml
from dmlviz.session.chains import Chain

N = 65535
"""N times N elements are 2^32, but for some."""
MOST_SECONDS, MOST_UNDECIDED, MOST_MEGABYTES = 0.1, 1.0, 200
Pair = tuple[Chain, Chain]


def tensor(*sizes: int, of: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(of, sizes)


X = tensor(N, N)


def copied(one: dml.TensorDesc = X) -> Chain:
    return dml.chain([(dml.Tile(one, (1,) * one.dimension_count), [None])])


def joined(cuts: tuple[int, ...], order: tuple[int, ...]) -> Chain:
    parts = [tensor(N, n) for n in cuts]
    return dml.chain([(dml.Split(X, parts, 1), [None]), (dml.Join([parts[k] for k in order], 1), list(order))])


def join_split() -> Pair:
    return joined((1000, 64000, 535), (0, 1, 2)), copied()


def split_swapped() -> Pair:
    return joined((1000, 64000, 535), (0, 2, 1)), copied()


def _indices(seed: int, n: int = N) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    return np.random.default_rng(seed).integers(0, n, (1, N), dtype=np.uint32)


def gather_gather() -> Pair:
    """GATHER(GATHER(x, i), j) = GATHER(x, GATHER(i, j)), for all i and j."""
    cells, picked = tensor(1, N, of="UINT32"), dml.Gather(X, tensor(1, N, of="UINT32"), 1, 1)
    i, j = _indices(1), _indices(2)
    twice = dml.chain([(picked, [None, i]), (picked, [0, j])])
    return twice, dml.chain([(dml.Gather(cells, cells, 1, 1), [i, j]), (picked, [None, 0])])


def gather_gather_of_these() -> Pair:
    """The same with i[j] written down."""
    picked = dml.Gather(X, tensor(1, N, of="UINT32"), 1, 1)
    i, j = _indices(1), _indices(2)
    return dml.chain([(picked, [None, i]), (picked, [0, j])]), dml.chain([(picked, [None, i[:, j[0]]])])


def reverse_twice() -> Pair:
    """One length for all rows."""
    turned, lengths = dml.ReverseSubsequences(X, tensor(N, 1, of="UINT32"), 1), np.full((N, 1), 60000, np.uint32)
    return dml.chain([(turned, [None, lengths]), (turned, [0, lengths])]), copied()


def tile_split() -> Pair:
    part = tensor(N, N // 5)
    tiled = dml.Tile(part, (1, 5))
    return dml.chain([(tiled, [None]), (dml.Split(X, [part] * 5, 1), [0])]), copied(part)


def tile_gather() -> Pair:
    part, cells = tensor(N, N // 5), tensor(1, N // 5, of="UINT32")
    index = np.arange(N // 5, 2 * (N // 5), dtype=np.uint32)[None]
    return dml.chain([(dml.Tile(part, (1, 5)), [None]), (dml.Gather(X, cells, 1, 1), [0, index])]), copied(part)


def lengths_of_all_rows() -> Pair:
    """Tables of N times N cells."""
    turned = dml.ReverseSubsequences(X, tensor(N, 1, of="UINT32"), 1)
    lengths = _indices(3).reshape(N, 1)
    return dml.chain([(turned, [None, lengths]), (turned, [0, lengths])]), copied()


def one_long_axis() -> Pair:
    long = tensor(2**32 - 1)
    return copied(long), copied(long)


def many_rows_of_pieces() -> Pair:
    """Halves that are joined with themselves turned round, again and again: each piece is cut once more."""
    part, whole = tensor(4096, 2), tensor(4096, 4)
    rows = tensor(4096, 1, of="UINT32")
    stages: list[object] = [(dml.Join((part, part), 1), [None, None])]
    for k in range(14):
        lengths = _indices(k, 5)[:, :4096].reshape(4096, 1)
        number = len(stages) - 1
        stages += [
            (dml.ReverseSubsequences(whole, rows, 1), [(number, 0), lengths]),
            (dml.Split(whole, (part, part), 1), [0]),
            (dml.Join((part, part), 1), [1, 0]),
        ]
    return dml.chain(stages), dml.chain(stages)  # type: ignore[arg-type]


LAWS = (join_split, gather_gather, gather_gather_of_these, reverse_twice, tile_split, tile_gather, split_swapped)
TOO_LARGE = (lengths_of_all_rows, one_long_axis, many_rows_of_pieces)


def measured(pair: Callable[[], Pair]) -> None:
    """Prints seconds of processor time, megabytes of memory at most, and the verdict."""
    left, right = pair()
    begun = time.process_time()
    verdict = dml.same(left, right)
    taken = time.process_time() - begun
    print(f"{taken}\t{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}\t{verdict.sentence}")


def main() -> int:
    failed = 0
    for pair in (*LAWS, *TOO_LARGE):
        words = [sys.executable, __file__, pair.__name__]
        seconds, memory, said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\t")
        most = MOST_SECONDS if pair in LAWS else MOST_UNDECIDED
        is_held = float(seconds) <= most and float(memory) <= MOST_MEGABYTES
        failed += not is_held
        shown = f"{float(seconds) * 1000:6.1f} ms {float(memory):5.0f} MB"
        print(f"{pair.__name__:24}{shown}  {'' if is_held else 'MISSED  '}{said.strip()}")
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measured(globals()[sys.argv[1]])
    else:
        sys.exit(bool(main()))
