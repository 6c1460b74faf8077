"""What exported scripts need of PyTorch, on NumPy, where it isn't installed, as strict about types and indices.

Tensors of 16, 32 and 64 bits without a sign can be viewed as others and compared, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

_UNSIGNED = ("uint16", "uint32", "uint64")


class Tensor:
    """A tensor, its array in `held`."""

    def __init__(self, held: Any) -> None:
        assert isinstance(held, np.ndarray)
        self.held = held

    @property
    def dtype(self) -> Any:
        return self.held.dtype

    def numpy(self) -> Any:
        return self.held

    def reshape(self, *sizes: int) -> Tensor:
        return Tensor(self.held.reshape(sizes))

    def view(self, dtype: np.dtype[Any]) -> Tensor:
        assert self.dtype.itemsize == dtype.itemsize
        return Tensor(np.ascontiguousarray(self.held).reshape(self.held.shape).view(dtype))

    def to(self, dtype: np.dtype[Any]) -> Tensor:
        return Tensor(self.held.astype(dtype))

    def clamp(self, least: int | None = None, most: int | None = None, *, max: int | None = None) -> Tensor:  # noqa: A002
        return Tensor(np.clip(_moved(self), least, most if max is None else max))

    def __getitem__(self, index: Any) -> Tensor:
        steps = [part.step for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, slice)]
        assert all(step is None or step > 0 for step in steps)
        return Tensor(self.held[index])

    def __setitem__(self, index: Any, other: Tensor) -> None:
        assert self.dtype == other.dtype
        self.held[index] = other.held

    def __sub__(self, other: Any) -> Tensor:
        return Tensor(_moved(self) - _plain(other))

    def __rsub__(self, other: int) -> Tensor:
        return Tensor(other - _moved(self))

    def __add__(self, other: int) -> Tensor:
        return Tensor(_moved(self) + other)

    def __mod__(self, other: int) -> Tensor:
        return Tensor(_moved(self) % other)

    def __lt__(self, other: Any) -> Tensor:
        return Tensor(_moved(self) < _plain(other))


def _moved(tensor: Tensor) -> Any:
    """The array of a tensor of a type that operations know."""
    assert isinstance(tensor, Tensor)
    assert tensor.dtype.name not in _UNSIGNED
    return tensor.held


def _plain(other: Any) -> Any:
    return _moved(other) if isinstance(other, Tensor) else other


def _indices(index: Tensor, n: int) -> Any:
    assert index.dtype == np.int64
    assert ((index.held >= 0) & (index.held < n)).all()
    return index.held


def _index_select(data: Tensor, dim: int, index: Tensor) -> Tensor:
    assert index.held.ndim == 1
    return Tensor(np.take(_moved(data), _indices(index, data.held.shape[dim]), dim))


def _gather(data: Tensor, dim: int, index: Tensor) -> Tensor:
    sizes = [n if d != dim else data.held.shape[d] for d, n in enumerate(index.held.shape)]
    assert all(n <= own for n, own in zip(sizes, data.held.shape, strict=True))
    taken = _moved(data)[tuple(map(slice, sizes))]
    return Tensor(np.take_along_axis(taken, _indices(index, data.held.shape[dim]), dim))


def _cat(data: Sequence[Tensor], dim: int) -> Tensor:
    assert len({each.dtype for each in data}) == 1
    return Tensor(np.concatenate([_moved(each) for each in data], dim))


def _split(data: Tensor, sizes: Sequence[int], dim: int) -> tuple[Tensor, ...]:
    assert sum(sizes) == data.held.shape[dim]
    return tuple(map(Tensor, np.split(_moved(data), np.cumsum(sizes)[:-1], dim)))


def module() -> ModuleType:
    """A module to stand for `torch`."""
    made: Any = ModuleType("torch")
    for name in ("int8", "int16", "int32", "int64", "uint8", *_UNSIGNED, "float16", "float32", "float64"):
        setattr(made, name, np.dtype(name))
    made.from_numpy = Tensor
    made.cat, made.split, made.index_select, made.gather = _cat, _split, _index_select, _gather
    made.tile = lambda data, repeats: Tensor(np.tile(_moved(data), repeats))
    made.arange = lambda *bounds: Tensor(np.arange(*bounds, dtype=np.int64))
    made.full = lambda sizes, number, dtype: Tensor(np.full(sizes, number, dtype))
    made.where = lambda picked, one, other: Tensor(np.where(picked.held, _plain(one), _plain(other)))
    made.minimum = lambda one, other: Tensor(np.minimum(_moved(one), _moved(other)))
    made.flip = lambda data, dims: Tensor(np.flip(_moved(data), dims))
    return made  # type: ignore[no-any-return]
