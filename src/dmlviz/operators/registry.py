"""The registry of operators: modules of this package that define `OPERATOR`.

The package's path is walked, so a folder added to `dmlviz.operators.__path__` brings operators too.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from ..desc.base import Desc
from ..errors import DmlvizError, quote
from .base import Operator

REQUIRED = ("name", "title", "desc", "anchor")
"""What an operator has to declare besides its methods."""


@cache
def _registry() -> Mapping[str, Operator[Any]]:
    by_type: dict[str, Operator[Any]] = {}
    for module in pkgutil.iter_modules(sys.modules[__package__].__path__):
        operator = getattr(importlib.import_module(f"{__package__}.{module.name}"), "OPERATOR", None)
        if operator is not None:  # else it is something that operators share
            for name in REQUIRED:
                if not hasattr(operator, name):
                    raise DmlvizError(f"operator {module.name} declares no {name}, expected {', '.join(REQUIRED)}.")
            by_type[operator.desc.TYPE] = operator
    order = sorted(by_type.values(), key=lambda operator: (operator.page_number, operator.desc.TYPE))
    return MappingProxyType({operator.desc.TYPE: operator for operator in order})


def discover() -> Mapping[str, Operator[Any]]:
    """Every operator by its type, such as "DML_OPERATOR_GATHER", after walking the package's path anew."""
    _registry.cache_clear()
    importlib.invalidate_caches()
    return _registry()


def operators() -> Mapping[str, Operator[Any]]:
    """Every operator by its type."""
    return _registry()


def operator_of(desc: Desc | str) -> Operator[Any]:
    """The operator of a desc, or of a type such as "DML_OPERATOR_GATHER". Raises DmlvizError for any other."""
    kind = desc if isinstance(desc, str) else getattr(desc, "TYPE", type(desc).__name__)
    try:
        return _registry()[kind]
    except KeyError:
        known = ", ".join(_registry())
        raise DmlvizError(f"operator type is {quote(kind)}, expected one of {known}.") from None
