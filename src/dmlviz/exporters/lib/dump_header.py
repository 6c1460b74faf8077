"""dml_dump.h: the C++ header that prints a DML_OPERATOR_DESC as a DxDispatch model, made of operators' declarations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...desc.fields import Choice, CountField, EnumField, Field, TensorField
from ...desc.tensors import DataType
from ...operators.base import Operator
from ...operators.registry import operators
from ...version import __version__
from .cpp_text import listing

TEMPLATE = Path(__file__).with_name("dml_dump.h")


def dump_header() -> str:
    """The header's text, in ASCII: every operator that is known here, others by their number."""
    known = list(operators().values())
    enums = {"DML_TENSOR_DATA_TYPE": tuple(Choice(kind.name, kind.value) for kind in DataType)}
    for op in known:
        enums.update({f.type: f.members for f in op.desc.FIELDS if isinstance(f, EnumField)})
    pieces = {
        "version": [__version__],
        "names": [line for name, choices in enums.items() for line in _names(name, choices)],
        "operators": [line for op in known for line in _case(op)],
    }
    text = TEMPLATE.read_text("ascii")
    for name, lines in pieces.items():
        text = text.replace(f"@{name}@", "\n".join(lines))
    return text


def _names(name: str, choices: tuple[Choice, ...]) -> Iterator[str]:
    held = [f'{{{choice.value}, "{choice.name}"}}' for choice in choices]
    return listing(f"constexpr Name {name}_Names[] =", held, "")


def _case(op: Operator[Any]) -> Iterator[str]:
    desc = op.desc
    since = min(field.support.rows[0].since for field in desc.TENSORS).value
    guarded = since != "1_0"
    if guarded:
        yield f"#if DML_DUMP_VERSION >= 0x{since.replace('_', '')}00"
    counters = {array: count.name for count in desc.COUNTS for array in count.arrays}
    yield f"    case static_cast<int>({desc.TYPE}):"
    yield f'        Begin(out, "{op.name.lower()}", "{desc.TYPE}", file, line);'
    yield f"        if (const auto* held = static_cast<const {op.page}*>(desc.Desc))"
    yield "        {"
    yield '            out.Put("{");'
    for field in desc.FIELDS:
        yield f'            out.Key("{field.name}");'
        yield f"            out.{_printed(field, counters.get(field.name, ''))};"
    yield '            out.Put("}");'
    yield "        }"
    yield "        else"
    yield "        {"
    yield "            out.Null();"
    yield "        }"
    yield '        out.Put("}");'
    yield "        break;"
    if guarded:
        yield "#endif"


def _printed(field: Field, counter: str) -> str:
    name = f"held->{field.name}"
    if isinstance(field, TensorField):
        if field.many:
            return f'Tensors({name}, "{counter}", held->{counter})'
        return f"Tensor({name})"
    if isinstance(field, EnumField):
        return f"Choice(NumberOf({name}), {field.type}_Names)"
    if field.is_list and not isinstance(field, CountField):
        return f'Numbers({name}, "{counter}", held->{counter})'
    return f"Number({name})"
