"""Desc: one filled-in operator struct, and the tensors in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..errors import DmlvizError, quote
from .fields import CountField, Field, NumbersField, Role, TensorField, snake
from .tensors import TensorDesc, integer

Changes = Mapping[str, Any]
"""What fields are to hold instead, by DirectML's names."""


@dataclass(frozen=True, slots=True)
class Part:
    """One tensor of a desc, with the field it stands in and its path: `InputTensors[1]`."""

    field: TensorField
    path: str
    tensor: TensorDesc


@dataclass(frozen=True)
class Desc:
    """The base of the typed descs. Values are held as given, legal or not; `dmlviz.check` says what is wrong.

    Output tensors and counts that are left out are inferred, as far as the rest allows; `inferred` names them.
    Raises DmlvizError where a field holds something of the wrong kind.
    """

    TYPE: ClassVar[str]  # as in DML_OPERATOR_GATHER
    FIELDS: ClassVar[tuple[Field, ...]]  # in DirectML's order

    def __post_init__(self) -> None:
        inferred = set()
        for field in self.FIELDS:
            attribute = snake(field.name)
            found = getattr(self, attribute)
            if found is None and (isinstance(field, CountField) or _is_output(field)):
                inferred.add(field.name)
                continue
            object.__setattr__(self, attribute, _held(field, found))
        for field in self.FIELDS:
            if isinstance(field, CountField) and field.name in inferred:
                object.__setattr__(self, snake(field.name), len(getattr(self, snake(field.of))))
        object.__setattr__(self, "_inferred", frozenset(inferred))
        for field in self.FIELDS:
            if field.name in inferred and isinstance(field, TensorField):
                object.__setattr__(self, snake(field.name), self.infer_output())

    def infer_output(self) -> TensorDesc | None:
        """The output tensor that the other fields determine; None where they don't."""
        raise NotImplementedError

    @property
    def inferred(self) -> frozenset[str]:
        """The names of the fields that were left out."""
        found: frozenset[str] = self._inferred  # type: ignore[attr-defined]
        return found

    def parts(self) -> list[Part]:
        """Every tensor there is, in field order."""
        found = []
        for field in self.FIELDS:
            if isinstance(field, TensorField):
                held = getattr(self, snake(field.name))
                if field.many:
                    found += [Part(field, f"{field.name}[{i}]", tensor) for i, tensor in enumerate(held)]
                elif held is not None:
                    found.append(Part(field, field.name, held))
        return found

    @property
    def inputs(self) -> list[Part]:
        """The tensors that arrays are given for, in field order; a trace numbers them so."""
        return [part for part in self.parts() if part.field.role is not Role.OUTPUT]

    @property
    def outputs(self) -> list[Part]:
        return [part for part in self.parts() if part.field.role is Role.OUTPUT]

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
        known = {field.name: field for field in cls.FIELDS}
        for name in values:
            if name not in known:
                raise DmlvizError(f"{quote(name)} is no field of {cls.TYPE}, expected one of {', '.join(known)}.")
        for name, field in known.items():
            optional = isinstance(field, CountField) or (_is_output(field))
            if name not in values and not optional:
                raise DmlvizError(f"{name} is missing, expected it in a desc of {cls.TYPE}.")
        return cls(**{snake(name): value for name, value in values.items()})


def _is_output(field: Field) -> bool:
    return isinstance(field, TensorField) and field.role is Role.OUTPUT and not field.many


def _held(field: Field, found: object) -> object:
    if isinstance(field, TensorField):
        if not field.many:
            return _tensor(found, field.name)
        if isinstance(found, (str, TensorDesc)) or not isinstance(found, Iterable):
            raise DmlvizError(f"{field.name} is {quote(found)}, expected a list of tensor descs.")
        return tuple(_tensor(each, f"{field.name}[{i}]") for i, each in enumerate(found))
    if isinstance(field, NumbersField):
        if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
            raise DmlvizError(f"{field.name} is {quote(found)}, expected a list of integers.")
        return tuple(integer(each, f"{field.name}[{i}]") for i, each in enumerate(found))
    return integer(found, field.name)


def _tensor(found: object, name: str) -> TensorDesc:
    if isinstance(found, TensorDesc):
        return found
    raise DmlvizError(f"{name} is {quote(found)}, expected a TensorDesc.")
