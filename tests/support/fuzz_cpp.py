"""Inputs for the fuzzing of the C++ importer: damaged exports, damaged snippets, soups of tokens, bytes."""

from __future__ import annotations

import random
import re
from functools import cache

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import NumbersField, TensorField
from dmlviz.exporters.lib.exporting import export
from dmlviz.operators.registry import operator_of
from support.random_sessions import sessions_of_all_kinds, valid_desc
from support.snippets_cpp import SNIPPETS

_TEXT = (
    "DML_GATHER_OPERATOR_DESC DML_JOIN_OPERATOR_DESC DML_TILE_OPERATOR_DESC DML_SPLIT_OPERATOR_DESC DML_OPERATOR_DESC "
    "DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC DML_CONVOLUTION_OPERATOR_DESC DML_BUFFER_TENSOR_DESC DML_TENSOR_DESC "
    "DML_TENSOR_DATA_TYPE_FLOAT32 DML_TENSOR_DATA_TYPE_UINT4 DML_TENSOR_FLAG_OWNED_BY_DML DML_TENSOR_TYPE_BUFFER "
    "DML_FEATURE_LEVEL_5_0 DML_FEATURE_LEVEL_9_9 DML_OPERATOR_GATHER CreateOperator UINT sizes a b desc auto const std "
    "vector array static_cast sizeof size data push_back InputTensor InputTensors OutputTensor Axis Sizes Desc "
    "DimensionCount Repeats RepeatsCount nullptr if for return define include 0 1 2 3 4 16 0x7fffffff 4294967296 "
    "99999999999999999999999 08 1.5 1e9 0x 1'000 -1 { } ( ) [ ] < > ; , . -> :: = == + - * / % << >> & | ^ ~ ! ? : # "
    "0.5f .25 1e-3f INFINITY float DML_SCALAR_UNION Float32 Bytes DML_PADDING_MODE DML_PADDING_MODE_EDGE PaddingMode "
    '"text" \'c\' " \' // /* */ \\ \\\n \n R"( )" ?? @ $ ` é 名 \u2028 \x00'
)
WORDS = _TEXT.split(" ")


def _compact(desc: Desc) -> str:
    """C++ that fills a desc in as few words as it takes."""
    lines, fields = [], []
    for field in desc.FIELDS:
        held, name = desc.get(field.name), field.name.lower()
        if isinstance(field, TensorField):
            tensors = held if field.many else [held]
            for i, tensor in enumerate(tensors):
                sizes = ", ".join(map(str, tensor.sizes))
                kind = f"DML_TENSOR_DATA_TYPE_{tensor.data_type}"
                lines.append(f"UINT s{name}{i}[] = {{{sizes}}};")
                lines.append(
                    f"DML_BUFFER_TENSOR_DESC b{name}{i} = {{{kind}, DML_TENSOR_FLAG_NONE, {tensor.dimension_count}, "
                    f"s{name}{i}, nullptr, {tensor.total_bytes}, 0}};"
                )
            items = ", ".join(f"{{DML_TENSOR_TYPE_BUFFER, &b{name}{i}}}" for i in range(len(tensors)))
            lines.append(f"DML_TENSOR_DESC {name}[] = {{{items}}};")
            fields.append(name)
        elif isinstance(field, NumbersField):
            lines.append(f"const UINT {name}[] = {{{', '.join(map(str, held))}}};")
            fields.append(name)
        else:
            fields.append(str(held))
    return "\n".join([*lines, f"{operator_of(desc).page} d = {{{', '.join(fields)}}};", ""])


@cache
def _small() -> tuple[str, ...]:
    made = random.Random(5)
    descs = sorted((_compact(valid_desc(made)) for _ in range(120)), key=len)
    return tuple(descs[:40])


@cache
def _seeds() -> tuple[str, ...]:
    """Texts to damage."""
    exported = [export(each, "cpp").content for each in sessions_of_all_kinds(24, seed=5)]
    functions = [text[text.index("// Experiment") :] for text in exported if isinstance(text, str)]
    return (*(text for text in functions if len(text) < 6000), *(each.text for each in SNIPPETS))


@cache
def _lines() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(text.splitlines(keepends=True)) for text in _seeds())


@cache
def _tokens() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(re.findall(r'\w+|"[^"\n]*"|[^\w\s]', text)) for text in (*_seeds(), *_small() * 3))


def inputs(random: random.Random) -> bytes:
    """One input for the importer, mostly of a few hundred bytes."""
    kind = random.randrange(10)
    if kind < 2:
        return _soup(random)
    if kind == 2:
        return b"DML_GATHER_OPERATOR_DESC" * random.randint(0, 1) + random.randbytes(random.randint(0, 120))
    if kind < 4:
        return _some_lines(random)
    if kind < 6:
        return _some_tokens(random)
    if kind < 9:
        return _one_desc(random)
    return _some_bytes(random)


def _soup(random: random.Random) -> bytes:
    return " ".join(random.choices(WORDS, k=random.randint(1, 60))).encode()


def _one_desc(random: random.Random) -> bytes:
    """A small text with one desc, with a few characters or tokens replaced."""
    text = random.choice(_small())
    for _ in range(random.randint(0, 2)):
        at = random.randrange(len(text))
        text = text[:at] + random.choice(WORDS) + text[at + random.randint(0, 3) :]
    return text.encode()


def _some_lines(random: random.Random) -> bytes:
    """Some lines of a text, with lines dropped, doubled, or taken from elsewhere."""
    lines = list(random.choice(_lines()))
    start = random.randrange(len(lines))
    lines = lines[start : start + random.randint(4, 20)]
    for _ in range(random.randint(0, 3)):
        at, how = random.randrange(len(lines)), random.randrange(3)
        if how == 0 and len(lines) > 1:
            del lines[at]
        elif how == 1:
            lines.insert(random.randrange(len(lines)), lines[at])
        else:
            lines.insert(at, random.choice(random.choice(_lines())))
    return ("" if random.random() < 0.3 else "DML_TILE_OPERATOR_DESC e = {}; ").encode() + "".join(lines).encode()


def _some_tokens(random: random.Random) -> bytes:
    """Some tokens of a text, with tokens dropped or replaced."""
    tokens = random.choice(_tokens())
    start = random.randrange(len(tokens))
    made = list(tokens[start : start + random.randint(10, 100)])
    for _ in range(random.randint(0, 5)):
        made[random.randrange(len(made))] = random.choice(WORDS) if random.random() < 0.7 else ""
    return " ".join(made).encode()


def _some_bytes(random: random.Random) -> bytes:
    """A piece of a text with bytes replaced."""
    text = random.choice(_seeds()).encode()
    start = random.randrange(len(text))
    made = bytearray(text[start : start + random.randint(50, 600)])
    for _ in range(random.randint(1, 8)):
        made[random.randrange(len(made))] = random.choice(b"{}()[]<>;,.=&*/\\\"'#\n\0\xff0-")
    return bytes(made)
