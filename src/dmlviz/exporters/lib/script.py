"""What the Python scripts share: a function for each experiment or chain, its inputs, its expected outputs, `main`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from keyword import iskeyword

import numpy as np
from msgspec import Struct, field

from ...desc.base import Desc, Part
from ...desc.fields import Role, TensorField, snake
from ...desc.value_sources import Npy
from ...desc.values import Array, Filled, Stored
from ...errors import DmlvizError, quote
from ...operators.maps import CLAMPED, NEGATIVE
from ...operators.registry import operator_of
from ...running.engine import inputs_of, run
from ...running.output_preview import SMALL, reference_outputs
from ...session.experiments import Experiment, Session
from ...session.tokens import TokenError, token_of
from ...stopping import checked
from ...tracing import Trace
from .chained import Group, groups, operator_name
from .export import Export
from .fills import fill_lines
from .python_text import array_lines, cut, docstring, notes_text, statement, text_literal

MOST_LITERAL = 1 << 12
"""Elements of a tensor that may stand in the script; larger ones lie beside it."""
MOST_LITERALS = 4 * MOST_LITERAL
"""Elements of all tensors of an experiment that may stand in the script."""
MOST_ELEMENTS = 1 << 28
"""Elements of a tensor that a script can be asked to make or to expect."""
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
    """The function of one experiment, or its part of a chain's, while it is written."""

    number: int
    experiment: Experiment
    stem: str
    files: dict[str, Array]
    is_snippet: bool
    """True for the few lines of a slide: without comments, and with the outputs printed in place of asserts."""
    sources: Mapping[str, tuple[Body, int]]
    """By path, the stage of the same function, and the number of its output, that fills an input."""
    stage: str
    """What the stage of a chain is called, as the variable of its result is; "" for an experiment by itself."""
    lines: list[str] = field(default_factory=list)
    literals: int = 0
    """Elements that stand in the function so far."""

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
        self.values = self.experiment.sources()
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
    def title(self) -> str:
        """The operator, the level, and the experiment's name."""
        name = cut(self.experiment.name)
        return f"{self.operator.name} at feature level {self.experiment.feature_level}{name and f': {name}'}."

    def say(self, text: str) -> None:
        """Adds a comment, in scripts alone; nothing of a session's texts may stand in it."""
        if not self.is_snippet:
            self.lines.append(f"    # {text}")

    def taken(self) -> list[str]:
        """The lines so far, and none from here on."""
        lines, self.lines = self.lines, []
        return lines

    def put(self, *lines: str) -> None:
        """Adds lines, indented by one step; an empty one stays empty."""
        self.lines += [f"    {self._named(line)}" if line else "" for line in lines]

    def assign(self, name: str, opening: str, items: Sequence[str], closing: str) -> None:
        """Adds `name = opening items closing`, on as many lines as it takes."""
        self.lines += statement(self._named(f"{name} = {opening}"), [*map(self._named, items)], closing)

    def array(self, name: str, array: Array, part: Part, *, beside: bool = False) -> None:
        """Adds `name = array`, as a literal, or loaded from a file where it is large or `beside` is asked for."""
        if not beside and array.size <= MOST_LITERAL and self.literals + array.size <= MOST_LITERALS:
            self.literals += array.size
            self.lines += array_lines(name, array)
            return
        label = re.sub(r"\W", "", part.path)
        file = f"{self.stem}-{self.number}-{label}.npy"
        self.files[file] = array
        self.lines.append(f"    {name} = {'np.load' if self.is_snippet else 'load'}({text_literal(file)})")

    def make_inputs(self) -> None:
        """Adds a variable for each input, `input_tensors_1` for one of many."""
        for part, values in zip(self.inputs, self.values, strict=True):
            if self.is_wired(part):
                continue
            name = self._named(variable(part))
            made = fill_lines(name, part.tensor, values.fill) if isinstance(values, Filled) else None
            if made is None:
                brought = isinstance(self.experiment.values.get(part.path), Npy)
                self.array(name, values.array(), part, beside=brought)
            else:
                self.lines += made

    @property
    def input_names(self) -> list[str]:
        return [self._named(variable(part)) for part in self.inputs]

    def output_name(self) -> str:
        """What the operation's result is called: the output, or the list of all outputs of a field of many."""
        return self._named(field_variable(self.outputs[0].field))

    def expect(self, call: str = "") -> None:
        """Adds the expected outputs and asserts; `call` makes a NumPy array of an output."""
        many = self.outputs[0].field.many
        if self.is_snippet:
            self.put(f'print(*{self.output_name()}, sep="\\n\\n")' if many else f"print({self.output_name()})")
            return
        self.put("")
        if many:
            self.put(f"assert len({self.output_name()}) == {len(self.outputs)}")
        for k, (part, array) in enumerate(zip(self.outputs, self._expected_outputs(), strict=True)):
            name, one = (f"expected_{k}", f"[{k}]") if many else ("expected", "")
            self.array(name, array, part)
            told = f"{part.path} of {self.stage}" if self.stage else part.path
            self.put(f'assert same({self.output_name()}{one}{call}, {name}), "{told} differs"')

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
        for part, values in zip(self.inputs, self.values, strict=True):
            kind = part.tensor.data_type
            if part.field.role is Role.DATA and self.is_wired(part):
                if self.sources[part.path][0].holds_signalling:
                    return True
            elif kind.is_float and isinstance(values, Stored):
                quiet = 1 << (np.finfo(kind.dtype).nmant - 1)
                array = values.array()
                if (np.isnan(array) & (array.view(f"u{kind.item_size}") & quiet == 0)).any():
                    return True
        return False

    def flagged(self) -> tuple[int, int]:
        """How many index or length cells are clamped, and how many are negative and count from the end."""
        found = [self.operator.cell_flags(self.desc, 1, chunk) for _, chunk in self.values[1].chunks()]
        clamped, negative = (
            sum(int((flags & flag != 0).sum()) for flags in found if flags is not None) for flag in (CLAMPED, NEGATIVE)
        )
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


class Kind(Struct, frozen=True):
    """What makes one kind of script."""

    about: str
    """The sentences of the script's docstring."""
    imports: Sequence[Sequence[str]]
    """Blocks of imports; pathlib is added to the first where arrays are loaded."""
    operate: Callable[[Body], None]
    """Writes what makes the outputs."""
    finish: Callable[[Sequence[Body], Sequence[Body]], None]
    """Writes what follows all stages: these, and those of them that none reads, on whose lines it is written."""
    returns: str = "None"
    """What the functions return: None, or a text that `main` prints."""


def held_by(call: str) -> Callable[[Sequence[Body], Sequence[Body]], None]:
    """What has the outputs printed, or held against the expected ones; `call` makes a NumPy array of an output."""

    def finish(bodies: Sequence[Body], ends: Sequence[Body]) -> None:
        for body in ends:
            body.expect(call)

    return finish


def script(session: Session, stem: str, kind: Kind) -> Export:
    """The whole session as one script, and the arrays that lie beside it."""
    files: dict[str, Array] = {}
    functions: list[str] = []
    names: list[str] = []
    about = kind.about
    for group in checked(groups(session)):
        bodies = _bodies(group, stem, files)
        name, notes = operator_name(bodies[0].desc, bodies[0].number), notes_text(bodies[0].experiment.notes)
        head = docstring(bodies[0].title, *([notes] if notes else []))
        if group.is_chain:
            name, about = f"chain_{group.number}", f"{kind.about} {_ABOUT_CHAINS}"
            stages = "\n".join(f"{body.stage}: {body.title}" for body in bodies)
            head = docstring(f"A chain of {len(bodies)} stages, each of which reads others' outputs.", stages)
        last = {number for number, _ in group.ends}
        written = _lines(bodies, [body for body in bodies if body.number in last], kind)
        indented = [f"    {line}" if line else "" for line in head]
        functions += ["", "", f"def {name}() -> {kind.returns}:", *indented, *written]
        names.append(name)
    title = cut(session.title)
    first = f"A session of dmlviz: {title}." if title else "A session of dmlviz."
    own, *others = kind.imports
    blocks = [[*own, *(["from pathlib import Path"] if files else [])], *others]
    imports = [line for block in blocks if block for line in ("", *block)]
    lines = [*docstring(first, about, *_token(session)), *imports, *_SAME, *(_LOAD if files else []), *functions]
    lines += ["", "", "def main() -> None:", '    """Runs every experiment; an AssertionError says what differs."""']
    for name in names:
        # The names of functions are ASCII, which every terminal prints; names of experiments may not be.
        if kind.returns == "None":
            lines += [f"    {name}()", f'    print("{name}: as expected")']
        else:
            lines.append(f'    print("{name}: as expected;", {name}())')
    lines += ["", "", 'if __name__ == "__main__":', "    main()"]
    return Export("\n".join(lines) + "\n", files)


def snippet(experiment: Experiment, stem: str, kind: Kind) -> Export:
    """The lines of one experiment that a slide wants: inputs, the operation, and the outputs printed.

    One that reads others comes with all stages.
    """
    files: dict[str, Array] = {}
    bodies = _bodies(groups(Session((experiment,)))[0], stem, files, is_snippet=True)
    lines = [line.removeprefix("    ") for line in _lines(bodies, bodies[-1:], kind) if line]
    imports = [line for block in kind.imports for line in block]
    return Export("\n".join([*imports, "", *lines]) + "\n", files)


def _token(session: Session) -> list[str]:
    """The session's token, by which the script is read back; nothing for a session that goes into none."""
    try:
        return [token_of(session.whole)]
    except TokenError:
        return []


def _bodies(group: Group, stem: str, files: dict[str, Array], *, is_snippet: bool = False) -> list[Body]:
    """The stages of a chain, in order, which name what they read; of no chain, the one experiment."""
    named = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in stem) or "values"
    made: dict[int, Body] = {}
    for number, one in group:
        found = {part.path: group.source(one, part) for part in one.desc.inputs}
        sources = {path: (made[id(led[0])], led[1]) for path, led in found.items() if led is not None}
        stage = group.names[id(one)] if group.is_chain else ""
        made[id(one)] = Body(number, one, named, files, is_snippet=is_snippet, sources=sources, stage=stage)
    return list(made.values())


def _lines(bodies: Sequence[Body], ends: Sequence[Body], kind: Kind) -> list[str]:
    """The lines of a function: inputs, a stage after the other, and what `ends` are held against."""
    lines = []
    for body in bodies:
        body.make_inputs()
        lines += body.taken()
    for body in bodies:
        body.put("")
        kind.operate(body)
        lines += body.taken()
    kind.finish(bodies, ends)
    return lines + [line for body in ends for line in body.lines]


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
