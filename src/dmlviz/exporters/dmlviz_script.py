"""Target `dmlviz`: a script on the public API that checks, runs, traces and times each desc."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Self

from ..desc.base import Desc
from ..desc.tensors import TensorDesc, snake
from ..errors import DmlvizError, quote
from ..operators.maps import NOWHERE
from ..operators.registry import operators
from ..session.chains import Chain
from .lib.python_text import tuple_text
from .lib.script import Body, script
from .lib.script import snippet as script_snippet

ABOUT = "A script on dmlviz's own API: check, run, trace and time each desc, and compare the output."
SUFFIX = ".py"
RUNS = True
_TIMED = "seconds = statistics.median(timeit.repeat({call}, setup={call}, repeat=9, number=1))"


class _Body(Body):
    ABOUT = (
        "Each function checks a desc, runs it on the compiled kernel, asks where an element comes from, and times warm "
        "calls, each of which follows another of the same arrays at once. The output is held against the expected one, "
        "bit for bit."
    )
    IMPORTS = (("import numpy as np",), ("import dmlviz as dml",))
    MORE_IMPORTS = ("import statistics", "import timeit")
    RETURNS = "str"

    def operate(self) -> None:
        """Adds `desc`, of the fields that were given; an operator from outside, which `dmlviz` lacks, is refused."""
        desc = _lean(self.desc) if self.is_snippet else self.desc
        package = sys.modules[__name__.partition(".")[0]]  # its floor is above this one
        names = [each.name for each in operators().values() if getattr(package, each.desc.__name__, None) is each.desc]
        if self.operator.name not in names:
            about = f"experiment {quote(self.experiment.name)}: {self.operator.name}"
            raise DmlvizError(f"{about} has no dmlviz idiom, expected one of {', '.join(names)}.")
        given = {name: _field_text(desc, name, brief=self.is_snippet) for name in desc.given()}
        unnamed = _leading_tensors(desc) if self.is_snippet else ()
        items = [text if name in unnamed else f"{snake(name)}={text}" for name, text in given.items()]
        self.assign("desc", f"dml.{type(desc).__name__}(", items, ")")

    @classmethod
    def finish(cls, bodies: Sequence[Self], ends: Sequence[Self]) -> None:
        end, *_ = ends
        if end.stage:
            cls._run_chain(bodies, ends)
        elif end.is_snippet:
            end.assign(end._unpacked(), "dml.run(desc, [", end.input_names, "])")
            end.expect()
        else:
            end._run_alone()

    def _unpacked(self) -> str:
        if self.outputs[0].field.many:
            return self.output_name()
        return f"({self.output_name()},)"

    def _run_alone(self) -> None:
        level = f'feature_level="{self.experiment.feature_level.value}"'
        # What is not checked is run all the same.
        holds = "report.ok" if self.experiment.check().ok else "report.ok is not False"
        self.assign("arrays", "[", self.input_names, "]")
        self.put(
            "",
            f"report = dml.check(desc, arrays, {level})",
            f"assert {holds}, [check.message for check in report.errors]",
            f"{self._unpacked()} = dml.run(desc, arrays, {level})",
        )
        self.expect()
        first, last, place = self._last()
        origin = "arrays[source.tensor][source.index]"
        element = 'f"element {source.index} of input {source.tensor}"'
        if self.trace.source(0, last).nowhere:
            origin = f"np.array(source.constant, {first}.dtype)"
            element = f'f"{self.operator.constant_path}, {{source.constant}}"'
        self.put(
            "",
            f"source = dml.trace(desc, arrays, {level}).source(output=0, index={tuple_text(last)})",
            f"assert {first}[{place}].tobytes() == {origin}.tobytes()",
            f"call = dml.bind(desc, arrays, {level})",
            _TIMED.format(call="call"),
            f"element = {element}",
            self._told("a warm call"),
        )

    def _last(self) -> tuple[str, list[int], str]:
        first = f"{self.output_name()}[0]" if self.outputs[0].field.many else self.output_name()
        last = [size - 1 for size in self.outputs[0].tensor.sizes]
        return first, last, ", ".join(map(str, last))

    def _told(self, call: str) -> str:
        place = f"{self.outputs[0].path}[{self._last()[2]}]"
        return f'return f"{place} is {{element}}; {call} takes {{seconds * 1e6:.3g}} microseconds"'

    @classmethod
    def _run_chain(cls, bodies: Sequence[Self], ends: Sequence[Self]) -> None:
        """Adds a chain and its run, or one for each of several ends: of the stages up to it."""
        places = {body.stage: place for place, body in enumerate(bodies)}
        items = []
        for body in bodies:
            sources = [body.sources.get(part.path) for part in body.inputs]
            read = [
                name if source is None else f"({places[source[0].stage]}, {source[1]})"
                for name, source in zip(body.input_names, sources, strict=True)
            ]
            items.append(f"({body.stage}_desc, [{', '.join(read)}])")
        level = f'feature_level="{max(body.experiment.feature_level for body in bodies).value}"'
        ends[0].assign("stages", "[", items, "]")
        for body in ends:
            before = places[body.stage] + 1
            stages = "stages" if before == len(bodies) else f"stages[:{before}]"
            body.put(f"chain = dml.chain({stages}, {level})", f"{body._unpacked()} = chain.run()")
            body.expect()
        if not ends[-1].is_snippet:
            ends[-1]._trace_chain()

    def _trace_chain(self) -> None:
        first, last, place = self._last()
        origin = [
            "root = chain.inputs[path.root]",
            "origin = chain.traces[root.stage].values[root.tensor].array()[path.index]",
            'element = f"element {path.index} of {root.part.path}, {len(path.hops)} stages back"',
        ]
        if Chain(self.experiment).source(0, last).root == NOWHERE:
            origin = [
                f"origin = np.array(path.hops[-1].source.constant, {first}.dtype)",
                'element = f"the constant {origin}, {len(path.hops)} stages back"',
            ]
        self.put(
            "",
            f"path = chain.source(output=0, index={tuple_text(last)})",
            *origin,
            f"assert {first}[{place}].tobytes() == origin.tobytes()",
            _TIMED.format(call="chain.run"),
            self._told("a run of all stages"),
        )


export = partial(script, kind=_Body)
"""The session as a script on dmlviz's API, .npy files beside it. Raises DmlvizError for values, sizes or memory."""
snippet = partial(script_snippet, kind=_Body)


def _lean(desc: Desc) -> Desc:
    for field in desc.FIELDS:
        if field.can_be_inferred and (leaner := desc.replace({field.name: None})) == desc:
            desc = leaner
    return desc


def _leading_tensors(desc: Desc) -> Sequence[str]:
    """The tensors that come first in a call as in a struct, so that they need no names."""
    tensors = [field.name for field in desc.TENSORS]
    names = list[str]()
    for name, member in zip(desc.given(), fields(desc), strict=False):
        if name not in tensors or snake(name) != member.name:
            break
        names.append(name)
    return names


def _field_text(desc: Desc, name: str, *, brief: bool) -> str:
    member = desc.get(name)
    if isinstance(member, TensorDesc):
        return _tensor_text(member)
    field = next(field for field in desc.FIELDS if field.name == name)
    if not field.many:
        return field.python(member)
    texts = [*map(_tensor_text, member)]
    if brief and len(texts) > 1 and len(set(texts)) == 1:
        return f"[{texts[0]}] * {len(texts)}"
    return f"[{', '.join(texts)}]"


def _tensor_text(tensor: TensorDesc) -> str:
    told = (f", {snake(name)}={_member_text(member)}" for name, member in tensor.members.items())
    return f'dml.TensorDesc("{tensor.data_type.name}", {tuple_text(tensor.listed_sizes)}{"".join(told)})'


def _member_text(member: object) -> str:
    """A member of a tensor desc as an expression, without blanks in texts, at which a statement could be broken."""
    if isinstance(member, tuple):
        texts = (repr(each).replace(" ", "\\x20") if isinstance(each, str) else str(each) for each in member)
        return f"[{', '.join(texts)}]"
    return str(member)
