"""What the Python scripts share: a function for each experiment, its inputs and expected outputs, and a `main`."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from keyword import iskeyword

import numpy as np
from msgspec import Struct, field

from ...desc.base import Desc, Part
from ...desc.fields import Role, TensorField, snake
from ...desc.tensors import DataType, TensorDesc
from ...desc.value_sources import Npy
from ...desc.values import Array, Constant, Cycle, Fill, Filled, Iota, Random, Stored, Values
from ...errors import DmlvizError, quote
from ...operators.maps import CLAMPED, NEGATIVE
from ...operators.registry import operator_of
from ...running.engine import inputs_of, run
from ...running.output_preview import SMALL, reference_outputs
from ...session.experiments import Experiment, Session
from ...session.tokens import TokenError, token_of
from ...stopping import checked
from ...tracing import Trace
from .chained import Group, groups
from .export import Export
from .python_text import (
    LINE,
    WIDTH,
    Node,
    array_lines,
    call,
    comment,
    cut,
    docstring,
    dtype_text,
    laid_out,
    mapped,
    number_text,
    stepped,
    text_literal,
    tuple_text,
)

MOST_LITERAL = 1 << 12
"""Elements of a tensor that may stand in the script; larger ones lie beside it."""
MOST_LITERALS = 4 * MOST_LITERAL
"""Elements of all tensors of an experiment that may stand in the script."""
MOST_ELEMENTS = 1 << 28
"""Elements of a tensor that a script can be asked to make or to expect."""
MOST_LINES = 10
"""Lines of a snippet, if it can be said in so many."""
MOST_FILES = 1000
"""Arrays beside a script."""
_OWN = frozenset(
    {"arrays", "call", "constants", "data", "desc", "dml", "element", "fields", "indices", "k", "lengths", "load"}
    | {"main", "np", "operator_of", "report", "same", "seconds", "source", "statistics", "timeit", "torch", "words"}
)
"""Names that a script gives to other things."""
_NAME = re.compile(r"(?<![.\w])[a-z]\w*\b(?!=)")
"""A name in code that isn't a member's, nor that of a keyword."""
_ABOUT_CHAINS = (
    "What reads others' outputs is one function with these, a chain: variables are called after its stages, which its "
    "docstring lists. What it leaves with is held against the expected output."
)


class Body(Struct, dict=True):
    """The function of one experiment while it is written, and the arrays that lie beside the script."""

    number: int
    experiment: Experiment
    stem: str
    files: dict[str, Array]
    lines: list[str] = field(default_factory=list)
    literals: int = 0
    """Elements that stand in the function so far."""
    is_snippet: bool = False
    """True for the few lines of a slide: without comments, and with the outputs printed in place of asserts."""
    sources: Mapping[str, tuple[Body, int]] = field(default_factory=dict)
    """By path, the stage of the same function, and the number of its output, that fills an input."""
    stage: str = ""
    """What the stage of a chain is called, as the variable of its result is; "" for an experiment by itself."""

    def __post_init__(self) -> None:
        self.desc: Desc = self.experiment.desc
        self.operator = operator_of(self.desc)
        self.inputs, self.outputs = self.desc.inputs, self.desc.outputs
        for part in self.desc.parts:
            if part.tensor.element_count > MOST_ELEMENTS:
                raise DmlvizError(
                    f"experiment {quote(self.experiment.name)}: {part.path} has {part.tensor.element_count:,} "
                    f"elements, expected at most 2^28 for a script that makes them."
                )
        self.values: list[Values] = self.experiment.sources()
        self.trace = Trace(self.desc, self.values)
        self._names = self._stage_names() if self.stage else {}

    def _stage_names(self) -> dict[str, str]:
        """What a chain calls the variables of an operator's idiom: `split_1[1]` what another calls `input_tensor`."""
        names = {field_variable(part.field): self.stage for part in self.outputs} | {"desc": f"{self.stage}_desc"}
        if self.outputs[0].field.many:
            names |= {variable(part): f"{self.stage}_{k}" for k, part in enumerate(self.outputs)}
        for part in self.inputs:
            own = re.sub("_tensors?", "", variable(part))
            names[variable(part)] = self._wire_text(part) if self.is_wired(part) else f"{self.stage}_{own}"
        return names

    def _wire_text(self, part: Part) -> str:
        """What fills an input, as an expression; reshaped where the same elements are read with other sizes."""
        source, number = self.sources[part.path]
        output = source.outputs[number]
        read = f"{source.stage}[{number}]" if output.field.many else source.stage
        sizes = part.tensor.sizes
        return read if output.tensor.sizes == sizes else f"{read}.reshape({', '.join(map(str, sizes))})"

    def is_wired(self, part: Part) -> bool:
        """True if another stage of the same function fills an input."""
        return part.path in self.sources

    def _named(self, text: str) -> str:
        """Code with the names of the stage."""
        return _NAME.sub(lambda found: self._names.get(found[0], found[0]), text) if self._names else text

    @property
    def function(self) -> str:
        """What the function is called: after the operator and its place in the session, `gather_1`."""
        return f"{re.sub('[^a-z0-9_]', '_', self.operator.name.lower())}_{self.number}"

    def say(self, text: str) -> None:
        """Adds a comment, in scripts alone; nothing of a session's texts may stand in it."""
        if not self.is_snippet:
            self.lines += comment(text)

    def taken(self) -> list[str]:
        """The lines so far, and none from here on."""
        lines, self.lines = self.lines, []
        return lines

    def put(self, *lines: str) -> None:
        """Adds lines, indented by one step; an empty one stays empty."""
        self.lines += [f"    {self._named(line)}" if line else "" for line in lines]

    def assign(self, name: str, node: Node) -> None:
        """Adds `name = node`, on as many lines as it takes."""
        self.lines += laid_out(f"{self._named(name)} = ", mapped(node, self._named))

    def array(self, name: str, array: Array, label: str, *, beside: bool = False) -> None:
        """Adds `name = array`, as a literal, or loaded from a file where it is large or `beside` is asked for."""
        if not beside and array.size <= MOST_LITERAL and self.literals + array.size <= MOST_LITERALS:
            self.literals += array.size
            self.lines += array_lines(name, array, short=self.is_snippet)
            return
        file = f"{self.stem}-{self.number}-{label}.npy"
        self.files[file] = array
        if len(self.files) > MOST_FILES:
            raise DmlvizError(
                f"the session has more than {MOST_FILES:,} arrays that are too large to stand in a script, expected "
                f"at most {MOST_FILES:,}."
            )
        loaded = call("np.load" if self.is_snippet else "load", text_literal(file))  # a file may be called as variables
        self.lines += laid_out(f"{self._named(name)} = ", loaded)

    def make_inputs(self) -> None:
        """Adds a variable for each input, `input_tensors_1` for one of many."""
        for k, (part, values) in enumerate(zip(self.inputs, self.values, strict=True)):
            if self.is_wired(part):
                continue
            name = self._named(variable(part))
            if isinstance(values, Filled):
                lines = fill_lines(name, part.tensor, values.fill)
                if lines is not None:
                    self.lines += lines
                    continue
            brought = isinstance(self.experiment.values.get(part.path), Npy)
            self.array(name, self.values[k].array(), label(part), beside=brought)
        if not self.stage:
            self.lines.append("")

    @property
    def input_names(self) -> list[str]:
        return [self._named(variable(part)) for part in self.inputs]

    def output_name(self) -> str:
        """What the operation's result is called: the output, or the list of all outputs of a field of many."""
        return self._named(field_variable(self.outputs[0].field))

    def expect(self, as_array: Callable[[str], str]) -> None:
        """Adds the expected outputs and asserts; `as_array` makes a NumPy array's expression of an output's name."""
        many = self.outputs[0].field.many
        if self.is_snippet:
            self.put(f'print(*{self.output_name()}, sep="\\n\\n")' if many else f"print({self.output_name()})")
            return
        self.lines.append("")
        if many:
            self.put(f"assert len({self.output_name()}) == {len(self.outputs)}")
        for k, (part, array) in enumerate(zip(self.outputs, self._expected_outputs(), strict=True)):
            name = f"expected_{k}" if many else "expected"
            self.array(name, array, label(part))
            output = f"{self.output_name()}[{k}]" if many else self.output_name()
            told = f"{part.path} of {self.stage}" if self.stage else part.path
            self.put(f"assert same({as_array(output)}, {name}), {text_literal(f'{told} differs')}")

    def _expected_outputs(self) -> Sequence[Array]:
        """The expected outputs: small ones by the slow reference, large ones by the kernel."""
        if sum(part.tensor.element_count for part in self.outputs) <= SMALL:
            outputs = reference_outputs(self.trace)
            assert outputs is not None
            return outputs
        return run(self.desc, inputs_of(self.desc, self.values), feature_level=self.experiment.feature_level)

    @cached_property
    def holds_signalling(self) -> bool:
        """True if an input of floats that came from a file holds a signalling NaN: one without the quiet bit."""
        data = (part.path for part in self.inputs if part.field.role is Role.DATA and self.is_wired(part))
        if any(self.sources[path][0].holds_signalling for path in data):
            return True
        for values in self.values:
            if values.tensor.data_type.is_float and isinstance(values, Stored):
                dtype = values.tensor.data_type.dtype
                quiet = 1 << (np.finfo(dtype).nmant - 1)
                for _, chunk in values.chunks():
                    bits = chunk.view(f"u{dtype.itemsize}")
                    if (np.isnan(chunk) & (bits & quiet == 0)).any():
                        return True
        return False

    def flagged(self) -> tuple[int, int]:
        """How many index or length cells are clamped, and how many are negative and count from the end."""
        clamped = negative = 0
        for _, chunk in self.values[1].chunks():
            flags = self.operator.cell_flags(self.desc, 1, chunk)
            if flags is not None:
                clamped += int(np.count_nonzero(flags & CLAMPED))
                negative += int(np.count_nonzero(flags & NEGATIVE))
        return clamped, negative


def field_variable(tensor_field: TensorField) -> str:
    """What a field is called in a script: `input_tensor`; with `_` behind it if a script has that name for more."""
    name = re.sub("[^a-z0-9_]", "_", snake(tensor_field.name))
    taken = iskeyword(name) or name in _OWN or name.startswith("expected")
    return f"{name}_" if taken else name


def variable(part: Part) -> str:
    """What a tensor is called in a script: `input_tensor`, `input_tensors_1`."""
    number = re.search(r"\[(\d+)\]$", part.path) if part.field.many else None
    return f"{field_variable(part.field)}_{number[1]}" if number else field_variable(part.field)


def label(part: Part) -> str:
    """What a tensor is called in a file's name: `InputTensors1`."""
    return re.sub(r"\W", "", part.path)


class Kind(Struct, frozen=True):
    """What makes one kind of script."""

    about: str
    """The sentences of the script's docstring."""
    imports: Sequence[Sequence[str]]
    """Blocks of imports; pathlib is added where arrays are loaded."""
    operate: Callable[[Body], None]
    """Writes what makes the outputs."""
    finish: Callable[[Sequence[Body], Sequence[Body]], None]
    """Writes what follows a chain's stages: these, and those of them that none reads, on whose lines it is written."""
    write: Callable[[Body], None] | None = None
    """Writes what follows the inputs of what is no chain; None where that is as of a chain of one stage."""
    returns: str = "None"
    """What the functions return: None, or a text that `main` prints."""

    def write_rest(self, body: Body) -> None:
        """Writes what follows the inputs of what is no chain."""
        if self.write is not None:
            self.write(body)
            return
        self.operate(body)
        self.finish([body], [body])


def script(session: Session, stem: str, kind: Kind) -> Export:
    """The whole session as one script, and the arrays that lie beside it."""
    files: dict[str, Array] = {}
    functions: list[str] = []
    names: list[str] = []
    about = kind.about
    for group in checked(groups(session)):
        if group.is_chain:
            name, written = _chain(group, _file_stem(stem), files, kind)
            functions += ["", "", f"def {name}() -> {kind.returns}:", *written]
            names.append(name)
            about = f"{kind.about} {_ABOUT_CHAINS}"
            continue
        ((number, experiment),) = group
        body = Body(number, experiment, _file_stem(stem), files)
        body.make_inputs()
        kind.write_rest(body)
        functions += ["", "", f"def {body.function}() -> {kind.returns}:"]
        functions += _indented(docstring(_docstring_line(body), experiment.notes))
        functions += body.lines
        names.append(body.function)
    title = cut(session.title)
    head = docstring(f"A session of dmlviz: {title}." if title else "A session of dmlviz.", about)
    head[-1:] = [*_token_lines(session), head[-1]]
    lines = [
        *head,
        *_imports(kind, bool(files)),
        *_SAME,
        *(_LOAD if files else []),
        *functions,
        *_main(names, kind),
    ]
    return Export("\n".join(lines) + "\n", files)


def _token_lines(session: Session) -> list[str]:
    """The session's token, by which the script is read back; nothing for a session that goes into none."""
    try:
        return ["", *textwrap.wrap(token_of(session.whole), LINE, break_on_hyphens=False)]
    except TokenError:
        return []


def _bodies(group: Group, stem: str, files: dict[str, Array], *, is_snippet: bool = False) -> list[Body]:
    """The stages of a chain, in order, which name what they read."""
    made: dict[int, Body] = {}
    for number, one in group:
        found = {part.path: group.source(one, part) for part in one.desc.inputs}
        sources = {path: (made[id(led[0])], led[1]) for path, led in found.items() if led is not None}
        body = Body(number, one, stem, files, is_snippet=is_snippet, sources=sources, stage=group.names[id(one)])
        made[id(one)] = body
    return list(made.values())


def _chain(group: Group, stem: str, files: dict[str, Array], kind: Kind) -> tuple[str, list[str]]:
    """What the function of a chain is called, and its lines behind the first: inputs, a stage after the other, ends."""
    bodies = _bodies(group, stem, files)
    titles = [f"{body.stage}: {_docstring_line(body)}" for body in bodies]
    lines = _indented(
        docstring(f"A chain of {len(bodies)} stages, each of which reads others' outputs.", "\n".join(titles))
    )
    for body in bodies:
        body.make_inputs()
        lines += body.taken()
    for place, body in enumerate(bodies, 1):
        body.put("")
        body.say(f"Stage {place} of {len(bodies)}.")
        kind.operate(body)
        lines += body.taken()
    last = {number for number, _ in group.ends}
    ends = [body for body in bodies if body.number in last]
    kind.finish(bodies, ends)
    return f"chain_{group.number}", lines + [line for body in ends for line in body.lines]


def snippet(experiment: Experiment, stem: str, kind: Kind) -> Export:
    """The lines of one experiment that a slide wants: inputs, the operation, and the outputs printed.

    One that reads others comes with all stages.
    """
    if experiment.is_wired:
        return _chain_snippet(groups(Session((experiment,)))[0], _file_stem(stem), kind)
    body = Body(1, experiment, _file_stem(stem), {}, is_snippet=True)
    body.make_inputs()
    kind.write_rest(body)
    lines = [line.removeprefix("    ") for line in body.lines if line]
    imports = [line for block in kind.imports for line in block]
    parted = [""] if len(imports) + len(lines) < MOST_LINES else []
    return Export("\n".join([*imports, *parted, *lines]) + "\n", body.files)


def _chain_snippet(group: Group, stem: str, kind: Kind) -> Export:
    """The lines of a chain that a slide wants: all inputs, a stage after the other, and the last one printed."""
    files: dict[str, Array] = {}
    bodies = _bodies(group, stem, files, is_snippet=True)
    lines = [line for block in kind.imports for line in block] + [""]
    for work in (Body.make_inputs, kind.operate):
        for body in bodies:
            work(body)
            lines += [line.removeprefix("    ") for line in body.taken() if line]
    kind.finish(bodies, bodies[-1:])
    lines += [line.removeprefix("    ") for line in bodies[-1].lines if line]
    return Export("\n".join(lines) + "\n", files)


def _docstring_line(body: Body) -> str:
    """The first line of a function's docstring: the operator, the level, and the experiment's name."""
    name = cut(body.experiment.name)
    first = f"{body.operator.name} at feature level {body.experiment.feature_level}"
    return f"{first}: {name}." if name else f"{first}."


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _file_stem(stem: str) -> str:
    """The beginning of file names, short, without what no file name may hold."""
    return "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in stem) or "values"


def _imports(kind: Kind, with_files: bool) -> Iterator[str]:
    for k, block in enumerate(kind.imports):
        lines = sorted([*block, "from pathlib import Path"] if with_files and k == 0 else block, key=_import_order)
        if lines:
            yield ""
            yield from lines


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


_SAME = (
    "",
    "",
    "def same(found: np.ndarray, expected: np.ndarray) -> bool:",
    '    """True if both have one dtype, one shape and the same bytes: NaN equals itself, -0.0 is not 0.0."""',
    "    alike = found.dtype == expected.dtype and found.shape == expected.shape",
    "    return alike and found.tobytes() == expected.tobytes()",
)
_LOAD = (
    "",
    "",
    "def load(file: str) -> np.ndarray:",
    '    """An array that lies beside this script."""',
    "    return np.load(Path(__file__).parent / file)",
)


def _main(names: Sequence[str], kind: Kind) -> list[str]:
    """The lines of `main`, which calls every function, and of the call of `main`."""
    lines = ["", "", "def main() -> None:", '    """Runs every experiment; an AssertionError says what differs."""']
    for name in names:
        # The names of functions are ASCII, which every terminal prints; names of experiments may not be.
        if kind.returns == "None":
            lines += [f"    {name}()", f'    print("{name}: as expected")']
        else:
            lines.append(f'    print("{name}: as expected;", {name}())')
    return [*lines, "", "", 'if __name__ == "__main__":', "    main()"]


_EXACT = {DataType.FLOAT16: 2**11, DataType.FLOAT32: 2**24, DataType.FLOAT64: 2**53}
"""Integers up to which every one is a float of the type."""


def fill_lines(name: str, tensor: TensorDesc, fill: Fill) -> list[str] | None:
    """Statements that make `name` the filled tensor; None for a fill that isn't known here."""
    if isinstance(fill, Iota):
        return _iota_lines(name, tensor, fill)
    if isinstance(fill, Constant):
        value = fill.make(np.zeros(1, np.int64), tensor.data_type)[0]
        return [f"    {name} = np.full({tuple_text(tensor.sizes)}, {number_text(value)}, {_dtype_text(tensor)})"]
    if isinstance(fill, Random):
        return _random_lines(name, tensor, fill)
    if isinstance(fill, Cycle):
        count, n = tensor.element_count, min(fill.n, 2**63 - 1)
        if count <= n and _holds(tensor.data_type, 0, count):
            return _shaped_lines(name, tensor, _arange_text(0, count, 1, tensor))
        return _shaped_lines(name, tensor, f"(np.arange({count}, dtype=np.int64) % {n}).astype({_dtype_text(tensor)})")
    return None


def _dtype_text(tensor: TensorDesc) -> str:
    return dtype_text(tensor.data_type.dtype)


def _shaped_lines(name: str, tensor: TensorDesc, expression: str) -> list[str]:
    """The lines that make `name` the elements of a row in the tensor's sizes."""
    sizes = tensor.sizes
    return stepped(name, expression, [] if len(sizes) == 1 else [f"reshape({', '.join(map(str, sizes))})"])


def _arange_text(start: int, stop: int, step: int, tensor: TensorDesc) -> str:
    numbers = [start, stop, step] if step != 1 else [start, stop] if start else [stop]
    return f"np.arange({', '.join(map(str, numbers))}, dtype={_dtype_text(tensor)})"


def _holds(data_type: DataType, *numbers: int) -> bool:
    """True if the type holds these integers, and all between them, as they are; none needs 64 bits without a sign."""
    low, high = data_type.integer_range if not data_type.is_float else (-_EXACT[data_type], _EXACT[data_type])
    return low <= min(numbers) and max(numbers) <= min(high, 2**63 - 1)


def _iota_lines(name: str, tensor: TensorDesc, fill: Iota) -> list[str]:
    start, step, count, data_type = fill.start, fill.step, tensor.element_count, tensor.data_type
    if isinstance(start, int) and isinstance(step, int):
        stop = start + count * step
        if step and _holds(data_type, start, stop):
            return _shaped_lines(name, tensor, _arange_text(start, stop, step, tensor))
        if abs(start) + abs(step) * 2**32 < 2**63:
            then = f"which then round to {data_type}" if data_type.is_float else f"whose low bits {data_type} takes"
            remark = comment(f"In integers of 64 bits first, {then}.")
            return remark + _computed(name, tensor, "int64", str(step), str(start), _overflows(tensor, start, step))
        if not data_type.is_float:
            remark = comment(f"Integers modulo 2**64, whose low bits {data_type} takes.")
            return remark + _computed(name, tensor, "uint64", str(step % 2**64), str(start % 2**64), False)
    remark = (
        comment(f"In float64 first, which then rounds to {data_type}.") if data_type is not DataType.FLOAT64 else []
    )
    factor, first = number_text(np.float64(step)), number_text(np.float64(start))
    return remark + _computed(name, tensor, "int64", factor, first, _overflows(tensor, start, step))


def _computed(name: str, tensor: TensorDesc, kind: str, step: str, start: str, overflows: bool) -> list[str]:
    """`step` times 0, 1, 2, ..., plus `start`, then cast; in one statement where a line is wide enough."""
    numbers = f"np.arange({tensor.element_count}, dtype=np.{kind})"
    arithmetic = "" if step == "1" else f" * {step}"
    if start != "0":
        arithmetic += f" - {start[1:]}" if start[0] == "-" else f" + {start}"
    sizes = tensor.sizes
    cast = f".astype({_dtype_text(tensor)})" + (f".reshape({', '.join(map(str, sizes))})" if len(sizes) > 1 else "")
    indent = "        " if overflows else "    "
    lines = [f"{indent}{name} = {f'({numbers}{arithmetic})' if arithmetic else numbers}{cast}"]
    if len(lines[0]) > WIDTH:
        lines = [
            f"{indent}{name} = {numbers}",
            f"{indent}{name} = {name}{arithmetic}",
            f"{indent}{name} = {name}{cast}",
        ]
    # Overflows to infinity are meant.
    return ['    with np.errstate(over="ignore", invalid="ignore"):', *lines] if overflows else lines


def _overflows(tensor: TensorDesc, start: float, step: float) -> bool:
    """True if some element may be beyond the type's largest number."""
    if not tensor.data_type.is_float:
        return False
    # Half of it leaves room for rounding.
    largest = float(np.finfo(tensor.data_type.dtype).max) / 2
    reach = abs(float(step)) * tensor.element_count
    return not math.isfinite(reach) or abs(float(start)) + reach > largest


def _random_lines(name: str, tensor: TensorDesc, fill: Random) -> list[str]:
    words = f"    words = np.random.Philox(key={fill.seed}).random_raw({tensor.element_count})"
    if fill.below is not None:
        expression = f"(words % np.uint64({min(fill.below, 2**64 - 1)})).astype({_dtype_text(tensor)})"
    elif tensor.data_type.is_float:
        expression = f"((words >> np.uint64(11)) * 2.0**-53).astype({_dtype_text(tensor)})"
    else:
        expression = f"words.astype({_dtype_text(tensor)})"
    return [words, *_shaped_lines(name, tensor, expression)]
