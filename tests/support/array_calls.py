"""Lines of NumPy and PyTorch that a test can evaluate itself."""

from __future__ import annotations

import random as std_random
from collections.abc import Callable

Make = Callable[[std_random.Random, list[int], int, int, str, list[str]], str]
"""A call on x from its sizes, an axis, the size of that, its type; what else is assigned goes into the list."""
NUMPY_TYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "uint32", "uint64", "int16")
TORCH_TYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "int16")


def _list(numbers: list[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _shape(sizes: list[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"


def _array(random: std_random.Random, sizes: list[int], library: str, kind: str) -> str:
    """An expression for an array of these sizes; its elements tell where they came from."""
    module = {"numpy": "np", "torch": "torch"}[library]
    count = 1
    for size in sizes:
        count *= size
    typed = {"numpy": f".astype(np.{kind})", "torch": f".to(torch.{kind})"}[library]
    how = random.randrange(5)
    if how == 0:
        numbers = [random.randint(0, 99) for _ in range(count)]
        maker = {"numpy": "np.array", "torch": "torch.tensor"}[library]
        return f"{maker}({_list(numbers)}, dtype={module}.{kind}).reshape({_shape(sizes)})"
    if how == 1:
        return f"{module}.full({_shape(sizes)}, {random.randint(0, 9)}, dtype={module}.{kind})"
    if how == 2:
        return f"{module}.zeros({_shape(sizes)}, dtype={module}.{kind})"
    end = random.choice((1, 1, 2, 3))
    spread = ", ".join(map(str, [*sizes[:-1], -1] if random.random() < 0.2 else sizes))
    return f"{module}.arange(3, {3 + count * end}, {end}).reshape({spread}){typed}"


def _axis(random: std_random.Random, rank: int) -> int:
    return random.randint(-rank, rank - 1)


def valid(random: std_random.Random, library: str) -> tuple[str, str]:
    """Assignments, and a call on what they make: mostly such as the library computes, none that does anything else."""
    sizes = [random.randint(1, 4) for _ in range(random.randint(1, 4))]
    kind = random.choice(NUMPY_TYPES if library == "numpy" else TORCH_TYPES)
    lines = [f"x = {_array(random, sizes, library, kind)}"]
    axis = _axis(random, len(sizes))
    along = sizes[axis]
    makers = _NUMPY if library == "numpy" else _TORCH
    expression = random.choice(makers)(random, sizes, axis, along, kind, lines)
    return "\n".join(lines), expression


def _indices(random: std_random.Random, along: int, negative: bool = True) -> str:
    low = -along if negative else 0
    if random.random() < 0.2:
        return str(random.randint(low, along - 1))
    rows = [[random.randint(low, along - 1) for _ in range(random.randint(1, 3))]]
    rows *= random.randint(1, 2)
    return _list(rows[0]) if random.random() < 0.6 else f"[{', '.join(map(_list, rows))}]"


def _others(random: std_random.Random, sizes: list[int], axis: int, kind: str, lines: list[str], library: str) -> str:
    names = ["x"]
    for name in ("a", "b")[: random.randint(0, 2)]:
        own = list(sizes)
        own[axis] = random.randint(1, 4)
        lines.append(f"{name} = {_array(random, own, library, kind)}")
        names.append(name)
    random.shuffle(names)
    return f"[{', '.join(names)}]" if random.random() < 0.5 else f"({', '.join(names)},)"


def _cuts(random: std_random.Random, along: int) -> str:
    return _list(sorted(random.sample(range(1, along), random.randint(0, along - 1))))


def _repeats(random: std_random.Random, rank: int) -> list[int]:
    return [random.randint(1, 3) for _ in range(rank)]


_NUMPY: tuple[Make, ...] = (
    lambda r, s, a, n, k, ls: f"np.take(x, {_indices(r, n)}, axis={a})",
    lambda r, s, a, n, k, ls: f"x.take({_indices(r, n)}, {a})",
    lambda r, s, a, n, k, ls: f"x.take({_indices(r, n)})",
    lambda r, s, a, n, k, ls: f"np.concatenate({_others(r, s, a, k, ls, 'numpy')}, axis={a})",
    lambda r, s, a, n, k, ls: f"np.concatenate({_others(r, s, a, k, ls, 'numpy')}, axis=None)",
    lambda r, s, a, n, k, ls: f"np.vstack({_others(r, s, 0, k, ls, 'numpy')})",
    lambda r, s, a, n, k, ls: f"np.hstack({_others(r, s, min(1, len(s) - 1), k, ls, 'numpy')})",
    lambda r, s, a, n, k, ls: f"np.split(x, {_cuts(r, n)}, axis={a})",
    lambda r, s, a, n, k, ls: f"np.split(x, {r.choice([d for d in range(1, n + 1) if n % d == 0])}, {a})",
    lambda r, s, a, n, k, ls: f"np.array_split(x, {r.randint(1, n)}, axis={a})",
    lambda r, s, a, n, k, ls: f"np.tile(x, {_shape(_repeats(r, r.randint(1, len(s) + 1)))})",
    lambda r, s, a, n, k, ls: f"np.tile(x, {r.randint(1, 3)})",
    lambda r, s, a, n, k, ls: f"np.flip(x, axis={a})",
    lambda r, s, a, n, k, ls: "x[..., ::-1]",
    lambda r, s, a, n, k, ls: f"x[{':, ' * (a % len(s))}{_indices(r, n)}]",
)
_TORCH: tuple[Make, ...] = (
    lambda r, s, a, n, k, ls: f"torch.cat({_others(r, s, a, k, ls, 'torch')}, dim={a})",
    lambda r, s, a, n, k, ls: f"torch.split(x, {r.randint(1, n)}, dim={a})",
    lambda r, s, a, n, k, ls: f"x.split({_list([1] * n)}, {a})",
    lambda r, s, a, n, k, ls: f"torch.chunk(x, {r.randint(1, n + 1)}, dim={a})",
    lambda r, s, a, n, k, ls: f"torch.tile(x, {_shape(_repeats(r, r.randint(1, len(s) + 1)))})",
    lambda r, s, a, n, k, ls: f"x.repeat({', '.join(map(str, _repeats(r, len(s) + r.randint(0, 1))))})",
    lambda r, s, a, n, k, ls: f"torch.index_select(x, {a}, torch.tensor({_list([r.randint(0, n - 1) for _ in s])}))",
    lambda r, s, a, n, k, ls: f"torch.flip(x, [{a}])",
    lambda r, s, a, n, k, ls: f"x.flip({a})",
)
