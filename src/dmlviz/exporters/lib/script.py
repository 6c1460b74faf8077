"""What the Python scripts share: a function for each experiment or chain, its inputs, its expected outputs, `main`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.tensors import snake
from ...desc.value_sources import Npy
from ...desc.values import Array, Filled
from ...errors import DmlvizError, quote
from ...operators.maps import CLAMPED, NEGATIVE
from ...operators.registry import operator_of
from ...running.engine import inputs_of, run
from ...session.experiments import Experiment, Session
from ...session.tokens import TokenError, token_of
from ...stopping import checked
from ...tracing import Trace
from .chained import Group, groups, operator_name
from .fills import fill_lines
from .idioms import idiom
from .python_text import array_lines, docstring, short, statement
from .writing import Export

MOST_LITERAL = 1 << 12
MOST_ELEMENTS = 1 << 28
"""Elements of a tensor: that stand in the script itself, and that it can be asked to make or to expect."""
_NAME = re.compile(r"(?<![.\w])[a-z]\w*\b(?!=)")
"""A name in code that isn't a member's, nor that of a keyword."""
_ABOUT_CHAINS = (
    "What reads others' outputs is one function with these, a chain: variables are called after its stages, which its "
    "docstring lists. What it leaves with is held against the expected output."
)


class Body(Struct, dict=True):
    """The function of one experiment, or its part of a chain's, while it is written.

    A kind of script is a subclass, with a method for each operator that writes what makes its outputs: `say_gather`.
    """

    LIBRARY: ClassVar[str]
    ABOUT: ClassVar[str]
    IMPORTS: ClassVar[Sequence[Sequence[str]]] = (("import numpy as np",),)
    MORE_IMPORTS: ClassVar[Sequence[str]] = ()
    """Those of the standard library in a script, in which arrays are loaded by pathlib."""
    RETURNS: ClassVar[str] = "None"
    """What the functions return: None, or a text that `main` prints."""
    AS_ARRAY: ClassVar[str] = ""
    number: int
    experiment: Experiment
    stem: str
    files: dict[str, Array]
    is_snippet: bool
    """True for the few lines of a slide, with the outputs printed in place of asserts."""
    sources: Mapping[str, tuple[Self, int]]
    """By path, the stage of the same function, and the number of its output, that fills an input."""
    stage: str
    """What the stage of a chain is called, as the variable of its result is; "" for an experiment by itself."""
    lines: list[str]

    def __post_init__(self) -> None:
        self.desc: Desc = self.experiment.desc
        self.operator = operator_of(self.desc)
        self.inputs = self.desc.inputs
        self.outputs = self.desc.outputs
        for part in self.desc.parts:
            if (count := part.tensor.element_count) > MOST_ELEMENTS:
                about = f"experiment {quote(self.experiment.name)}: {part.path} has {count:,} elements"
                raise DmlvizError(f"{about}, expected at most 2^28 for a script that makes them.")
        self.values = self.experiment.sources()
        self.trace = Trace(self.desc, self.values)
        self._names = self._stage_names() if self.stage else {}

    def _stage_names(self) -> dict[str, str]:
        """What a chain calls the variables of an operator's idiom: `split_1[1]` what another calls `input_tensor`."""
        names = {snake(part.field.name): self.stage for part in self.outputs} | {"desc": f"{self.stage}_desc"}
        if self.outputs[0].field.many:
            names |= {variable(part): f"{self.stage}_{k}" for k, part in enumerate(self.outputs)}
        for part in self.inputs:
            own = re.sub("_tensors?", "", variable(part))
            names[variable(part)] = self._wire_text(part) if part.path in self.sources else f"{self.stage}_{own}"
        return names

    def _wire_text(self, part: Part) -> str:
        source, number = self.sources[part.path]
        output = source.outputs[number]
        read = f"{source.stage}[{number}]" if output.field.many else source.stage
        sizes = part.tensor.sizes
        if output.tensor.sizes == sizes:
            return read
        return f"{read}.reshape({', '.join(map(str, sizes))})"

    def _named(self, text: str) -> str:
        if self._names:
            return _NAME.sub(lambda found: self._names.get(found[0], found[0]), text)
        return text

    @property
    def title(self) -> str:
        name = short(self.experiment.name)
        return f"{self.operator.name} at feature level {self.experiment.feature_level}{name and f': {name}'}."

    def put(self, *lines: str) -> None:
        self.lines += [f"    {self._named(line)}" if line else "" for line in lines]

    def assign(self, name: str, opening: str, items: Sequence[str], closing: str) -> None:
        self.lines += statement(self._named(f"{name} = {opening}"), [*map(self._named, items)], closing)

    def array(self, name: str, array: Array, part: Part, *, beside: bool = False) -> None:
        """Adds `name = array`, as a literal, or loaded from a file where it is large or `beside` is asked for."""
        if not beside and array.size <= MOST_LITERAL:
            self.lines += array_lines(name, array)
            return
        label = re.sub(r"\W", "", part.path)
        file = f"{self.stem}-{self.number}-{label}.npy"
        self.files[file] = array
        self.lines.append(f"    {name} = {'np.load' if self.is_snippet else 'load'}({json.dumps(file)})")

    def make_inputs(self) -> None:
        for part, values in zip(self.inputs, self.values, strict=True):
            if part.path in self.sources:
                continue
            name = self._named(variable(part))
            made = fill_lines(name, part.tensor, values.fill) if isinstance(values, Filled) else None
            if made is not None:
                self.lines += made
            else:
                is_file = isinstance(self.experiment.values.get(part.path), Npy)
                self.array(name, values.array(), part, beside=is_file)

    @property
    def input_names(self) -> list[str]:
        return [self._named(variable(part)) for part in self.inputs]

    def output_name(self) -> str:
        return self._named(snake(self.outputs[0].field.name))

    def operate(self) -> None:
        """Adds what makes the outputs. Raises DmlvizError for an operator without an idiom."""
        idiom(self, self.LIBRARY, self.experiment)(self.desc)

    @classmethod
    def finish(cls, bodies: Sequence[Self], ends: Sequence[Self]) -> None:
        """Adds what follows all stages, to those of them that none reads."""
        for body in ends:
            body.expect()

    def expect(self) -> None:
        many = self.outputs[0].field.many
        if self.is_snippet:
            self.put(f'print(*{self.output_name()}, sep="\\n\\n")' if many else f"print({self.output_name()})")
            return
        self.put("")
        if many:
            self.put(f"assert len({self.output_name()}) == {len(self.outputs)}")
        level = self.experiment.feature_level
        count = sum(part.tensor.element_count for part in self.outputs)
        if count <= MOST_LITERAL:  # by the slow reference, which compiles nothing
            expected = [self.trace.reference(k) for k in range(len(self.outputs))]
        else:
            expected = run(self.desc, inputs_of(self.desc, self.values), feature_level=level)
        for k, (part, array) in enumerate(zip(self.outputs, expected, strict=True)):
            name, one = (f"expected_{k}", f"[{k}]") if many else ("expected", "")
            self.array(name, array, part)
            told = f"{part.path} of {self.stage}" if self.stage else part.path
            self.put(f'assert same({self.output_name()}{one}{self.AS_ARRAY}, {name}), "{told} differs"')

    def flagged(self) -> tuple[bool, bool]:
        """Whether index or length cells are clamped, and whether some are negative and count from the end."""
        chunks = [self.operator.cell_flags(self.desc, 1, chunk) for _, chunk in self.values[1].chunks()]
        found = [flags for flags in chunks if flags is not None]
        clamped = any((flags & CLAMPED).any() for flags in found)
        negative = any((flags & NEGATIVE).any() for flags in found)
        return clamped, negative


def variable(part: Part) -> str:
    """What a tensor is called in a script: `input_tensor`, `input_tensors_1`."""
    return snake(part.field.name) + re.sub(r"\[(\d+)\]$", r"_\1", part.path.removeprefix(part.field.name))


def script(session: Session, stem: str, kind: type[Body]) -> Export:
    files: dict[str, Array] = {}
    functions, calls = list[str](), list[str]()
    about = kind.ABOUT
    for group in checked(groups(session)):
        bodies = _bodies(group, stem, files, kind)
        name = operator_name(bodies[0].desc, bodies[0].number)
        head = docstring(bodies[0].title)
        if group.is_chain:
            name = f"chain_{group.number}"
            about = f"{kind.ABOUT} {_ABOUT_CHAINS}"
            stages = "\n".join(f"{body.stage}: {body.title}" for body in bodies)
            head = docstring(f"A chain of {len(bodies)} stages, each of which reads others' outputs.", stages)
        indented = [f"    {line}" if line else "" for line in head]
        functions += ["", "", f"def {name}() -> {kind.RETURNS}:", *indented, *bodies[0].lines]
        # The names of functions are ASCII, which every terminal prints; names of experiments may not be.
        if kind.RETURNS == "None":
            calls += [f"    {name}()", f'    print("{name}: as expected")']
        else:
            calls.append(f'    print("{name}: as expected;", {name}())')
    title = short(session.title)
    first = f"A session of dmlviz: {title}." if title else "A session of dmlviz."
    more = [*kind.MORE_IMPORTS]
    if files:
        more.append("from pathlib import Path")
    blocks = [more, *kind.IMPORTS]
    imports = [line for block in blocks if block for line in ("", *block)]
    lines = [*docstring(first, about, *_token(session)), *imports, *_SAME, *(_LOAD if files else []), *functions]
    lines += ["", "", "def main() -> None:", '    """Runs every experiment; an AssertionError says what differs."""']
    lines += [*calls, "", "", 'if __name__ == "__main__":', "    main()"]
    return Export("\n".join(lines) + "\n", files)


def snippet(experiment: Experiment, stem: str, kind: type[Body]) -> Export:
    """The lines of one experiment, and of all that it reads, that a slide wants, with the outputs printed."""
    files: dict[str, Array] = {}
    bodies = _bodies(groups(Session((experiment,)))[0], stem, files, kind, is_snippet=True)
    lines = [line.removeprefix("    ") for line in bodies[0].lines if line]
    imports = [line for block in kind.IMPORTS for line in block]
    return Export("\n".join([*imports, "", *lines]) + "\n", files)


def _token(session: Session) -> list[str]:
    """The session's token, by which the script is read back; nothing for a session that goes into none."""
    try:
        return [token_of(session.whole)]
    except TokenError:
        return []


def _bodies(
    group: Group, stem: str, files: dict[str, Array], kind: type[Body], *, is_snippet: bool = False
) -> list[Body]:
    lines: list[str] = []
    made: dict[int, Body] = {}
    for number, one in group:
        found = {part.path: group.source(one, part) for part in one.desc.inputs}
        sources = {path: (made[id(led[0])], led[1]) for path, led in found.items() if led is not None}
        stage = group.names[id(one)] if group.is_chain else ""
        made[id(one)] = kind(number, one, stem, files, is_snippet=is_snippet, sources=sources, stage=stage, lines=lines)
    bodies = list(made.values())
    for body in bodies:
        body.make_inputs()
    for body in bodies:
        body.put("")
        body.operate()
    kind.finish(bodies, [made[id(one)] for _, one in group.ends])
    return bodies


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
