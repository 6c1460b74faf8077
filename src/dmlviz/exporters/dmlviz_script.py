"""Target `dmlviz`: a script on the public API that checks, runs, traces and times each desc."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields
from itertools import takewhile

from ..desc.base import Desc
from ..desc.fields import snake
from ..desc.tensors import MEMBERS, TensorDesc
from ..operators.maps import NOWHERE
from ..session.chains import Chain
from ..session.experiments import Experiment, Session
from .lib.export import Export
from .lib.python_text import text_literal, tuple_text
from .lib.script import Body, Kind, script
from .lib.script import snippet as script_snippet

ABOUT = "A script on dmlviz's own API: check, run, trace and time each desc, and compare the output."
SUFFIX = ".py"
LANGUAGE = "python"
RUNS = True


def export(session: Session, stem: str) -> Export:
    """The session as a script on dmlviz's API, .npy files beside it. Raises DmlvizError for values, sizes or memory."""
    imports = (("import statistics", "import timeit"), ("import numpy as np",), _own_imports(session.experiments))
    return script(session, stem, Kind(_ABOUT, imports, _assign_desc, _finish, returns="str"))


def snippet(experiment: Experiment, stem: str) -> Export:
    """One experiment on dmlviz's API, in the lines of a slide."""
    imports = (("import numpy as np",), _own_imports(experiment.stages))
    return script_snippet(experiment, stem, Kind("", imports, _assign_desc, _finish))


def _own_imports(experiments: Sequence[Experiment]) -> Sequence[str]:
    """The imports of dmlviz itself that the descs of these experiments take."""
    outside = () if all(_is_public(experiment.desc) for experiment in experiments) else (_REGISTRY,)
    return ("import dmlviz as dml", *outside)


_REGISTRY = "from dmlviz.operators.registry import operator_of"
_ABOUT = (
    "Each function checks a desc, runs it on the compiled kernel, asks where an element comes from, and times warm "
    "calls, each of which follows another of the same arrays at once. The output is held against the expected one, bit "
    "for bit."
)


def _is_public(desc: Desc) -> bool:
    """True for the descs of the package itself, which `dmlviz` has by name; others come from outside."""
    package = sys.modules[__name__.partition(".")[0]]  # its floor is above this one
    return getattr(package, type(desc).__name__, None) is type(desc)


def _finish(bodies: Sequence[Body], ends: Sequence[Body]) -> None:
    """Writes the run of a desc, or of a chain, and what is asked of it."""
    (end, *_) = ends
    if end.stage:
        _write_chain(bodies, ends)
    elif end.is_snippet:
        end.assign(_unpacked(end), "dml.run(desc, [", end.input_names, "])")
        end.expect()
    else:
        _write_rest(end)


def _unpacked(body: Body) -> str:
    """What a list of all outputs is assigned to."""
    return body.output_name() if body.outputs[0].field.many else f"({body.output_name()},)"


def _write_rest(body: Body) -> None:
    """Writes the check of a desc, its run, trace and timing, and what its outputs are held against."""
    level = f'feature_level="{body.experiment.feature_level.value}"'
    body.assign("arrays", "[", body.input_names, "]")
    body.put("", f"report = dml.check(desc, arrays, {level})")
    # What is not checked is run all the same.
    holds = "report.ok" if body.experiment.check().ok else "report.ok is not False"
    body.put(f"assert {holds}, [check.message for check in report.errors]")
    body.put(f"{_unpacked(body)} = dml.run(desc, arrays, {level})")
    body.expect()
    first, last, place = _last(body)
    origin, element = "arrays[source.tensor][source.index]", 'f"element {source.index} of input {source.tensor}"'
    if body.trace.source(0, last).nowhere:
        origin = f"np.array(source.constant, {first}.dtype)"
        element = f'f"{body.operator.constant_path}, {{source.constant}}"'
    body.put(
        "",
        f"source = dml.trace(desc, arrays, {level}).source(output=0, index={tuple_text(last)})",
        f"assert {first}[{place}].tobytes() == {origin}.tobytes()",
        f"call = dml.bind(desc, arrays, {level})",
        *_timed("call"),
        f"element = {element}",
        _told(body, place, "a warm call"),
    )


def _last(body: Body) -> tuple[str, list[int], str]:
    """The first output, the index of its last element, and how that stands in brackets."""
    first = f"{body.output_name()}[0]" if body.outputs[0].field.many else body.output_name()
    last = [size - 1 for size in body.outputs[0].tensor.sizes]
    return first, last, ", ".join(map(str, last))


def _timed(call: str) -> list[str]:
    return [f"seconds = statistics.median(timeit.repeat({call}, setup={call}, repeat=9, number=1))"]


def _told(body: Body, place: str, call: str) -> str:
    """What a function returns: where the last element comes from, and how long a call takes."""
    path = body.outputs[0].path
    return f'return f"{path}[{place}] is {{element}}; {call} takes {{seconds * 1e6:.3g}} microseconds"'


def _write_chain(bodies: Sequence[Body], ends: Sequence[Body]) -> None:
    """Writes the chain of the stages' descs and its run; in a script also where an element comes from, and timing.

    A chain has one end: where there are several, each has a chain of its own, of the stages up to it.
    """
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
        body.put(f"chain = dml.chain({stages}, {level})", f"{_unpacked(body)} = chain.run()")
        body.expect()
    if not ends[-1].is_snippet:
        _write_path(ends[-1])


def _write_path(body: Body) -> None:
    """Writes where the last element of a chain comes from, and how long its run takes."""
    first, last, place = _last(body)
    origin = [
        "root = chain.inputs[path.root]",
        "origin = chain.traces[root.stage].values[root.tensor].array()[path.index]",
        'element = f"element {path.index} of {root.part.path}, {len(path.hops)} stages back"',
    ]
    if Chain(body.experiment).source(0, last).root == NOWHERE:
        origin = [
            f"origin = np.array(path.hops[-1].source.constant, {first}.dtype)",
            'element = f"the constant {origin}, {len(path.hops)} stages back"',
        ]
    body.put(
        "",
        f"path = chain.source(output=0, index={tuple_text(last)})",
        *origin,
        f"assert {first}[{place}].tobytes() == origin.tobytes()",
        *_timed("chain.run"),
        _told(body, place, "a run of all stages"),
    )


def _assign_desc(body: Body) -> None:
    """Writes the statements that make `desc`, of the fields that were given."""
    desc = _lean(body.desc) if body.is_snippet else body.desc
    given = {name: _field_text(desc, name, brief=body.is_snippet) for name in desc.given()}
    if _is_public(desc):
        unnamed = _leading_tensors(desc) if body.is_snippet else ()
        items = [text if name in unnamed else f"{snake(name)}={text}" for name, text in given.items()]
        body.assign("desc", f"dml.{type(desc).__name__}(", items, ")")
        return
    items = [f"{text_literal(name)}: {text}" for name, text in given.items()]
    body.assign("fields", "{", items, "}")
    body.put(f"desc = operator_of({text_literal(desc.TYPE)}).desc.build(fields)")


def _lean(desc: Desc) -> Desc:
    """The same desc of fewer fields: without outputs and counts that the rest tells."""
    for field in desc.FIELDS:
        if field.can_be_inferred and (leaner := desc.replace({field.name: None})) == desc:
            desc = leaner
    return desc


def _leading_tensors(desc: Desc) -> Sequence[str]:
    """The tensors that come first in a call as in a struct, so that they need no names."""
    tensors = [field.name for field in desc.TENSORS]
    order = zip(desc.given(), fields(desc), strict=False)
    return [name for name, _ in takewhile(lambda pair: pair[0] in tensors and snake(pair[0]) == pair[1].name, order)]


def _field_text(desc: Desc, name: str, *, brief: bool) -> str:
    """A field as an expression; `brief` says equal tensors only once."""
    member = desc.get(name)
    if isinstance(member, TensorDesc):
        return _tensor_text(member)
    field = next(field for field in desc.FIELDS if field.name == name)
    if not field.many:
        return str([*member]) if field.is_list else field.python(member)
    texts = [_tensor_text(tensor) for tensor in member]
    if brief and len(texts) > 1 and len(set(texts)) == 1:
        return f"[{texts[0]}] * {len(texts)}"
    return f"[{', '.join(texts)}]"


def _tensor_text(tensor: TensorDesc) -> str:
    """A tensor desc as an expression, with the members that were told."""
    told = (f", {MEMBERS[name]}={_member_text(member)}" for name, member in tensor.told_members().items())
    return f'dml.TensorDesc("{tensor.data_type.name}", {tuple_text(tensor.listed_sizes)}{"".join(told)})'


def _member_text(member: object) -> str:
    """A member of a tensor desc as an expression, without blanks in texts, at which a statement could be broken."""
    if isinstance(member, tuple):
        texts = (text_literal(each).replace(" ", "\\x20") if isinstance(each, str) else str(each) for each in member)
        return f"[{', '.join(texts)}]"
    return str(member)
