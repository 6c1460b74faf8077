"""Desc: one filled-in operator struct, and the tensors in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..formats.displayed import Displayed
from .fields import CountField, Field, Role, TensorField
from .tensors import TensorDesc, snake

Changes = Mapping[str, Any]
"""What fields are to hold instead, by DirectML's names."""


class Part(Struct, frozen=True):
    """One tensor of a desc, with the field it stands in and its path: `InputTensors[1]`."""

    field: TensorField
    path: str
    tensor: TensorDesc

    @property
    def is_data(self) -> bool:
        return self.field.role is Role.DATA

    @property
    def is_moved(self) -> bool:
        """True for what holds elements, at either side; indices and lengths steer them."""
        return self.field.role in (Role.DATA, Role.OUTPUT)


@dataclass(frozen=True)
class Desc(Displayed):
    """The base of the typed descs. Values are held as given, legal or not; `dmlviz.check` says what is wrong.

    Output tensors and counts that are left out are inferred, as far as the rest allows; `inferred` names them.
    Raises DmlvizError where a field holds something of the wrong kind.

    What is computed from a desc may be kept in its `__dict__`: comparisons, copies and pickles leave it out.
    """

    TYPE: ClassVar[str]  # as in DML_OPERATOR_GATHER
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    """In DirectML's order."""
    TENSORS: ClassVar[tuple[TensorField, ...]]
    """The fields that are tensors, or arrays of them."""
    COUNTS: ClassVar[tuple[CountField, ...]]
    """The fields that say how long an array is."""
    ATTRIBUTES: ClassVar[tuple[Field, ...]]
    """All other fields: numbers, arrays of numbers, choices."""
    inferred = frozenset[str]()
    """The names of the fields that were left out."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.TENSORS = tuple(field for field in cls.FIELDS if isinstance(field, TensorField))
        cls.COUNTS = tuple(field for field in cls.FIELDS if isinstance(field, CountField))
        cls.ATTRIBUTES = tuple(f for f in cls.FIELDS if not isinstance(f, (TensorField, CountField)))
        # A dataclass makes its own unless it has one: with what was inferred, and with a comparison by which, from
        # Python 3.13 on, no NaN is itself.
        cls.__repr__ = Desc.__repr__  # type: ignore[method-assign]
        cls.__eq__ = Desc.__eq__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        open_fields = [f.name for f in self.FIELDS if f.can_be_inferred and self.get(f.name) is None]
        object.__setattr__(self, "inferred", frozenset(open_fields))
        for field in self.FIELDS:
            if field.name not in self.inferred:
                self._hold(field, field.checked(self.get(field.name)))
        for count in self.COUNTS:
            if count.name in self.inferred:
                self._hold(count, len(self.get(count.arrays[0])))
        for tensor in self.TENSORS:
            if tensor.name in self.inferred:
                try:
                    output = self.infer_output()
                except DmlvizError:  # of sizes beyond 64 bits
                    output = None
                self._hold(tensor, output and output.plain())

    def _hold(self, field: Field, content: object) -> None:
        object.__setattr__(self, snake(field.name), content)

    def __repr__(self) -> str:
        """The call that makes it, with the fields that were given."""
        fields = (f"{snake(name)}={content!r}" for name, content in self.given().items())
        return f"{type(self).__name__}({', '.join(fields)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in self.FIELDS]
        return [*map(self.get, names)] == [*map(other.get, names)]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made of the fields that were given; what was inferred is inferred again."""
        return type(self).build, (self.given(),)

    def infer_output(self) -> TensorDesc | None:
        """The output tensor that the other fields determine; None where they don't."""
        raise NotImplementedError

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every tensor there is, in field order."""
        parts: list[Part] = []
        for field in self.TENSORS:
            content = self.get(field.name)
            if field.many:
                parts += (Part(field, f"{field.name}[{i}]", tensor) for i, tensor in enumerate(content))
            elif content is not None:
                parts.append(Part(field, field.name, content))
        return tuple(parts)

    @cached_property
    def named_axes(self) -> tuple[int, ...]:
        """What the fields hold that name an axis."""
        return tuple(self.get(field.name) for field in self.ATTRIBUTES if field.is_axis)

    @property
    def inferable(self) -> dict[str, None]:
        """The change that leaves every single output to be inferred."""
        return {field.name: None for field in self.TENSORS if field.can_be_inferred}

    @property
    def attributes(self) -> dict[str, Any]:
        """What the fields hold that are neither tensors nor counts, by DirectML's names."""
        return {field.name: self.get(field.name) for field in self.ATTRIBUTES}

    @cached_property
    def inputs(self) -> tuple[Part, ...]:
        """The tensors that arrays are given for, in field order; a trace numbers them so."""
        return tuple(part for part in self.parts if part.field.role is not Role.OUTPUT)

    @cached_property
    def outputs(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.field.role is Role.OUTPUT)

    def get(self, name: str) -> Any:
        """A field by DirectML's name."""
        return getattr(self, snake(name))

    def given(self) -> dict[str, Any]:
        """The fields that were given, by DirectML's names."""
        return {field.name: self.get(field.name) for field in self.FIELDS if field.name not in self.inferred}

    def replace(self, changes: Changes) -> Self:
        """A copy with fields changed, by DirectML's names; None lets an output or a count be inferred again."""
        return self.build({**self.given(), **changes})

    @classmethod
    def build(cls, values: Mapping[str, Any]) -> Self:
        """A desc from fields by DirectML's names. Raises DmlvizError for a field that is unknown or missing."""
        known = [field.name for field in cls.FIELDS]
        for name in values:
            if name not in known:
                raise DmlvizError(f"{quote(name)} is no field of {cls.TYPE}, expected one of {', '.join(known)}.")
        for field in cls.FIELDS:
            if field.name not in values and not field.can_be_inferred:
                raise DmlvizError(f"{field.name} is missing, expected it in a desc of {cls.TYPE}.")
        return cls(**{snake(name): value for name, value in values.items()})
