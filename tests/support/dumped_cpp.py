"""Descs filled in C++ and printed by dml_dump.h: one program, which reads them as numbers, for as many as there are.

Every array has a block of memory of its own, just as long as it is, so that the sanitizers see who reads behind it.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import CountField, EnumField, Field, FloatField, TensorField
from dmlviz.desc.tensors import TensorDesc
from dmlviz.exporters import dxdispatch
from dmlviz.exporters.lib.dump_header import dump_header
from dmlviz.operators.base import Operator
from dmlviz.operators.registry import operators
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from support import compiled_cpp, random_sessions

COMPILERS = [found for name in ("g++", "clang++") if (found := shutil.which(name)) is not None]
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
STRANGE = (0.1, -2.5, 1e-45, 3e38, math.inf, -math.inf, math.nan, 7, 65504)
NULL = -1
"""What stands for a null pointer among the numbers that the program reads."""

_READING = """
#include <dml_dump.h>

#include <cinttypes>
#include <cstdlib>
#include <vector>

static std::vector<void*> held;

static std::int64_t Next()
{
    std::int64_t number = 0;
    if (std::scanf("%" SCNd64, &number) != 1)
    {
        std::abort();
    }
    return number;
}

template <class T>
static T* Made(std::size_t count)
{
    held.push_back(std::calloc(count, sizeof(T)));
    return static_cast<T*>(held.back());
}

template <class T>
static void Take(T& to) // also what is no enumerator
{
    const std::int64_t number = Next();
    std::memcpy(&to, &number, sizeof(to));
}

template <class T>
static T* Array()
{
    const std::int64_t count = Next();
    T* const made = count < 0 ? nullptr : Made<T>(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
    {
        Take(made[i]);
    }
    return made;
}

static void TakeTensor(DML_TENSOR_DESC& to)
{
    Take(to.Type);
    if (Next() < 0)
    {
        return;
    }
    auto* const buffer = Made<DML_BUFFER_TENSOR_DESC>(1);
    to.Desc = buffer;
    Take(buffer->DataType);
    Take(buffer->Flags);
    Take(buffer->DimensionCount);
    buffer->Sizes = Array<UINT>();
    buffer->Strides = Array<UINT>();
    Take(buffer->TotalTensorSizeInBytes);
    Take(buffer->GuaranteedBaseOffsetAlignment);
}

static DML_TENSOR_DESC* Tensors()
{
    const std::int64_t count = Next();
    auto* const made = count < 0 ? nullptr : Made<DML_TENSOR_DESC>(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
    {
        TakeTensor(made[i]);
    }
    return made;
}
"""

_MAIN = """
int main()
{
    for (std::int64_t kind = Next(); kind >= 0; kind = Next())
    {
        DML_OPERATOR_DESC desc = {};
        switch (kind)
        {
@cases@
        }
        dml_dump(desc, stdout);
        for (void* each : held)
        {
            std::free(each);
        }
        held.clear();
    }
}
"""
_CASE = """
        case {number}:
        {{
            desc.Type = {type};
            if (Next() >= 0)
            {{
                auto* const made = Made<{struct}>(1);
                desc.Desc = made;
                {fields}
            }}
            break;
        }}"""


@dataclass
class Given:
    """A desc as it is given to the program, and what has to come of it."""

    numbers: list[int]
    desc: Desc | None
    """What is to be imported; None where no desc can hold all of it."""
    why: tuple[str, ...] = ()
    """Parts of sentences, one of which says why not."""


def build(folder: Path, compiler: str, std: str = "c++17") -> Path:
    """The program, in `folder`."""
    cases = [_case(number, operator) for number, operator in enumerate(operators().values())]
    return compiled(folder, _READING + _MAIN.replace("@cases@", "\n".join(cases)), compiler, std, *SANITIZED)


def _case(number: int, operator: Operator[Any]) -> str:
    fields = "\n                ".join(map(_taken, operator.desc.FIELDS))
    return _CASE.format(number=number, type=operator.desc.TYPE, struct=operator.page, fields=fields)


def _taken(field: Field) -> str:
    if isinstance(field, TensorField):
        return f"made->{field.name} = Tensors();"
    if field.is_list and not isinstance(field, CountField):
        return f"made->{field.name} = Array<{field.c_type}>();"
    return f"Take(made->{field.name});"


def compiled(folder: Path, text: str, compiler: str, std: str, *more: str) -> Path:
    """A program of a text on dml_dump.h, which has to compile without a warning."""
    (folder / "dml_dump.h").write_text(dump_header(), "ascii")
    source, binary = folder / "main.cpp", folder / "main"
    source.write_text(text, "utf-8")
    where = ("-O0", f"-I{folder}", f"-I{compiled_cpp.HEADERS}", str(source), "-o", str(binary))
    command = [compiler, f"-std={std}", *STRICT, *more, *where]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    return binary


def printed(program: Path, given: Sequence[Given]) -> list[str]:
    """What the program prints of each."""
    data = " ".join(str(number) for one in given for number in [*one.numbers, "\n"]) + " -1\n"
    done = subprocess.run([str(program)], input=data, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    assert not done.stderr
    return done.stdout.splitlines()


def line_of(desc: Desc, name: str) -> str:
    """The line that dml_dump.h prints of a desc, without a compiler."""
    model = json.loads(dxdispatch.export(Session((Experiment("", desc),)), "x").content)
    (made,) = model["dispatchables"].values()
    return json.dumps({"dml_dump": 1, "dispatchables": {name: made}}, separators=(",", ":"))


# ---- random descs


def drawn(count: int, seed: int) -> list[Given]:
    """Random descs of all operators, valid and broken in all ways but counts above the entries that there are."""
    made = random.Random(seed)
    pool = [one.desc for example in all_examples() for one in example.session().experiments]
    by_type = {kind: [desc for desc in pool if kind == desc.TYPE] for kind in operators()}
    return [_given(_desc(made, by_type), made) for _ in range(count)]


def _desc(made: random.Random, pool: dict[str, list[Desc]]) -> Desc:
    desc = random_sessions.valid_desc(made) if made.random() < 0.3 else made.choice(pool[made.choice(list(pool))])
    desc = random_sessions.broken(desc, made) if made.random() < 0.6 else desc
    changes: dict[str, Any] = {}
    for field in desc.FIELDS:
        held = desc.get(field.name)
        if made.random() < 0.5:
            continue
        if isinstance(field, EnumField):
            changes[field.name] = made.choice([*(choice.name for choice in field.members), 0, -1, 99, 2**31 - 1])
        elif isinstance(field, FloatField):
            changes[field.name] = made.choice(STRANGE)
        elif isinstance(field, TensorField) and held is not None:
            changes[field.name] = [_with_members(t, made) for t in held] if field.many else _with_members(held, made)
    told = {field.name: desc.get(field.name) for field in desc.TENSORS}
    return _readable(desc.replace({**told, **changes}))


def _with_members(tensor: TensorDesc, made: random.Random) -> TensorDesc:
    """The tensor with other strides, bytes, flags and alignment; some are as they would be left out."""
    strides = [made.choice((0, 1, 2, 7, 2**32 - 1)) for _ in tensor.listed_sizes]
    total = made.choice((0, 4, tensor.total_bytes, tensor.total_bytes + 4, 2**64 - 1))
    return TensorDesc(
        tensor.data_type,
        tensor.listed_sizes,
        strides=made.choice((None, strides)),
        total_tensor_size_in_bytes=total % 2**64,
        flags=made.choice((None, "DML_TENSOR_FLAG_OWNED_BY_DML", "0x6")),
        guaranteed_base_offset_alignment=made.choice((0, 16, 3, 2**32 - 1)),
    )


def _readable(desc: Desc) -> Desc:
    """The desc with counts that count no more than there is, or so many that nothing is read."""
    changes: dict[str, Any] = {}
    for count in desc.COUNTS:
        there = min(len(desc.get(name)) for name in count.arrays)
        if there < desc.get(count.name) % 2**32 <= _most(count.name):
            changes[count.name] = there
    return desc.replace(changes)


def _most(counter: str) -> int:
    return 8 if counter == "DimensionCount" else 4096


def _given(desc: Desc, made: random.Random) -> Given:
    """The numbers of a desc, one pointer in many of which is null, and what is to be imported."""
    numbers = [list(operators()).index(desc.TYPE), 0]
    faults: list[str] = []
    changes: dict[str, Any] = {}
    counters = {array: count.name for count in desc.COUNTS for array in count.arrays}
    for field in desc.FIELDS:
        held, counter = desc.get(field.name), counters.get(field.name, "")
        is_array = isinstance(field, TensorField) or (field.is_list and not isinstance(field, CountField))
        count = desc.get(counter) % 2**32 if counter else 1
        if counter and is_array and count > _most(counter):
            faults.append(f'{field.name} is "not read: {counter} is {count}, above {_most(counter)}"')
        if is_array and (held is None or (made.random() < 0.02 and count)):
            numbers.append(NULL)
            faults.append(f"{field.name} is a null")
        elif isinstance(field, TensorField):
            tensors = held if field.many else (held,)
            numbers.append(len(tensors))
            told = []
            for i, tensor in enumerate(tensors):
                path = f"{field.name}[{i}]" if field.many else field.name
                told.append(_tensor(tensor, path, made, numbers, faults if i < count else []))
            changes[field.name] = told[:count] if field.many else told[0]
        elif is_array:
            wrapped = [compiled_cpp._wrapped(number, field) for number in held]
            numbers += [len(wrapped), *wrapped]
            changes[field.name] = wrapped[:count]
        else:
            scalar = compiled_cpp._scalar(held, field)
            numbers.append(scalar if scalar < 2**63 else scalar - 2**64)
            if not isinstance(field, (EnumField, FloatField)):
                changes[field.name] = scalar
    return Given(numbers, None, tuple(faults)) if faults else Given(numbers, desc.replace(changes))


def _tensor(tensor: TensorDesc, path: str, made: random.Random, numbers: list[int], faults: list[str]) -> TensorDesc:
    """What is to be imported of a tensor; adds its numbers, and what can't be."""
    if made.random() < 0.01:
        numbers += [1, NULL]
        faults.append(f"{path}.Desc is a null pointer")
        return tensor
    members, sizes = tensor.members, [size % 2**32 for size in tensor.listed_sizes]
    count = members.get("DimensionCount", len(tensor.sizes)) % 2**32
    count = len(sizes) if len(sizes) < count <= 8 else count
    short = max(0, len(sizes) - len(members.get("Strides", ())))
    flags = 6 if members.get("Flags") == ("0x6",) else int("Flags" in members)
    strides = [*(stride % 2**32 for stride in members["Strides"]), *[1] * short] if "Strides" in members else None
    total = members.get("TotalTensorSizeInBytes", tensor.total_bytes)
    aligned = members.get("GuaranteedBaseOffsetAlignment", 0) % 2**32
    numbers += [1, 0, tensor.data_type.value, flags, count, len(sizes), *sizes]
    numbers += [NULL] if strides is None else [len(strides), *strides]
    numbers += [total if total < 2**63 else total - 2**64, aligned]
    if count > 8:
        faults.append(f"{path}.DimensionCount is {count}")
    return TensorDesc(
        tensor.data_type,
        sizes[:count],
        strides=None if strides is None else strides[:count],
        total_tensor_size_in_bytes=total,
        flags=members.get("Flags"),
        guaranteed_base_offset_alignment=aligned,
    )


def held(desc: Desc) -> Iterator[object]:
    """What the struct of a desc holds: tensors as they are, other numbers by their bits."""
    for field in desc.FIELDS:
        content = desc.get(field.name)
        whole = isinstance(field, (TensorField, CountField)) or field.is_list
        yield content if whole else compiled_cpp._scalar(content, field)
