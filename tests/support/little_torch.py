"""What exported scripts need of PyTorch, on NumPy, where it isn't installed, as strict about types and indices.

Tensors of 16, 32 and 64 bits without a sign can be viewed as others, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

_UNSIGNED = ("uint16", "uint32", "uint64")


class Tensor(np.ndarray[Any, Any]):
    """An array that takes what a tensor takes."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        return tensor(ufunc(*(_moved(each).numpy() if isinstance(each, Tensor) else each for each in inputs)))

    def numpy(self) -> Any:
        return self.view(np.ndarray)

    def to(self, dtype: np.dtype[Any]) -> Tensor:
        return tensor(self.astype(dtype))

    def clamp(self, least: int | None = None, most: int | None = None, *, max: int | None = None) -> Tensor:  # noqa: A002
        return tensor(np.clip(_moved(self).numpy(), least, most if max is None else max))

    def __getitem__(self, index: Any) -> Any:
        steps = [part.step for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, slice)]
        assert all(step is None or step > 0 for step in steps)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, other: Any) -> None:
        assert self.dtype == other.dtype
        super().__setitem__(index, other)


def tensor(array: Any) -> Tensor:
    return np.asarray(array).view(Tensor)


def _moved(held: Tensor) -> Tensor:
    """A tensor of a type that operations know."""
    assert held.dtype.name not in _UNSIGNED
    return held


def _indices(index: Tensor, n: int) -> Any:
    assert index.dtype == np.int64
    found = index.numpy()
    assert ((found >= 0) & (found < n)).all()
    return found


def _index_select(data: Tensor, dim: int, index: Tensor) -> Tensor:
    assert index.ndim == 1
    return tensor(np.take(_moved(data).numpy(), _indices(index, data.shape[dim]), dim))


def _gather(data: Tensor, dim: int, index: Tensor) -> Tensor:
    sizes = [n if d != dim else data.shape[d] for d, n in enumerate(index.shape)]
    assert all(n <= own for n, own in zip(sizes, data.shape, strict=True))
    taken = _moved(data).numpy()[tuple(map(slice, sizes))]
    return tensor(np.take_along_axis(taken, _indices(index, data.shape[dim]), dim))


def _cat(data: Sequence[Tensor], dim: int) -> Tensor:
    assert len({each.dtype for each in data}) == 1
    return tensor(np.concatenate([_moved(each).numpy() for each in data], dim))


def _split(data: Tensor, sizes: Sequence[int], dim: int) -> list[Any]:
    assert sum(sizes) == data.shape[dim]
    return np.split(_moved(data), np.cumsum(sizes)[:-1], dim)


def module() -> ModuleType:
    """A module to stand for `torch`."""
    made: Any = ModuleType("torch")
    for name in ("int8", "int16", "int32", "int64", "uint8", *_UNSIGNED, "float16", "float32", "float64"):
        setattr(made, name, np.dtype(name))
    made.from_numpy, made.minimum = tensor, np.minimum
    made.cat, made.split, made.index_select, made.gather = _cat, _split, _index_select, _gather
    made.tile = lambda data, repeats: tensor(np.tile(_moved(data).numpy(), repeats))
    made.arange = lambda *bounds: tensor(np.arange(*bounds, dtype=np.int64))
    made.full = lambda sizes, number, dtype: tensor(np.full(sizes, number, dtype))
    made.where = lambda picked, *ways: tensor(np.where(picked, *(np.asarray(each) for each in ways)))
    made.flip = lambda data, dims: tensor(np.flip(_moved(data).numpy(), dims))
    return made  # type: ignore[no-any-return]
