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
from .lib.python_text import Group, Node, call, listed, packed_nodes, text_literal, tuple_text
from .lib.script import Body, Kind, script
from .lib.script import snippet as script_snippet

ABOUT = "A script on dmlviz's own API: check, run, trace and time each desc, and compare the output."
SUFFIX = ".py"
LANGUAGE = "python"
RUNS = True


def export(session: Session, stem: str) -> Export:
    """The session as a script on dmlviz's API, .npy files beside it. Raises DmlvizError for values, sizes or memory."""
    imports = (("import statistics", "import timeit"), ("import numpy as np",), _own_imports(session.experiments))
    kind = Kind(_ABOUT, imports, _assign_desc, _write_chain, write=_write_rest, returns="str")
    return script(session, stem, kind)


def snippet(experiment: Experiment, stem: str) -> Export:
    """One experiment on dmlviz's API, in the lines of a slide."""
    imports = (("import numpy as np",), _own_imports(experiment.stages))
    return script_snippet(experiment, stem, Kind("", imports, _assign_desc, _write_chain, write=_write_run))


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


def _write_run(body: Body) -> None:
    """Writes the desc and its run, and has the outputs printed."""
    _assign_desc(body)
    output = body.output_name()
    names = output if body.outputs[0].field.many else f"({output},)"
    body.assign(names, call("dml.run", "desc", listed(body.input_names)))
    body.expect(lambda name: name)


def _write_rest(body: Body) -> None:
    """Writes the desc, its check, run, trace and timing, and what its outputs are held against."""
    level = f'feature_level="{body.experiment.feature_level.value}"'
    _assign_desc(body)
    body.assign("arrays", listed(body.input_names))
    body.put("")
    body.put(f"report = dml.check(desc, arrays, {level})")
    report = body.experiment.check()
    told = [check.id for check in report.failures]
    if told:
        body.say(f"Warnings and notes in the report: {', '.join(dict.fromkeys(told))}.")
    holds = "report.ok" if report.ok else "report.ok is not False"  # what is not checked is run all the same
    body.put(f"assert {holds}, [check.message for check in report.errors]")
    output = body.output_name()
    first = f"{output}[0]" if body.outputs[0].field.many else output
    body.put(f"{output if body.outputs[0].field.many else f'({output},)'} = dml.run(desc, arrays, {level})")
    body.expect(lambda name: name)
    last = [size - 1 for size in body.outputs[0].tensor.sizes]
    index = tuple_text(last)
    origin, element = "arrays[source.tensor][source.index]", 'f"element {source.index} of input {source.tensor}"'
    if body.trace.source(0, last).nowhere:
        origin = f"np.array(source.constant, {first}.dtype)"
        element = f'f"{body.operator.constant_path}, {{source.constant}}"'
    body.put(
        "",
        f"source = dml.trace(desc, arrays, {level}).source(output=0, index={index})",
        f"assert {first}[{index[1:-1].rstrip(',')}].tobytes() == {origin}.tobytes()",
        f"call = dml.bind(desc, arrays, {level})",
        "seconds = statistics.median(timeit.repeat(call, setup=call, repeat=9, number=1))",
        f"element = {element}",
        f'return f"{body.outputs[0].path}[{index[1:-1].rstrip(",")}] is {{element}}; a warm call takes '
        f'{{seconds * 1e6:.3g}} microseconds"',
    )


def _write_chain(bodies: Sequence[Body], ends: Sequence[Body]) -> None:
    """Writes the chain of the stages' descs and its run; in a script also where an element comes from, and timing.

    A chain has one end: where there are several, each has a chain of its own, of the stages up to it.
    """
    places = {body.stage: place for place, body in enumerate(bodies)}
    items: list[Node] = []
    for body in bodies:
        sources = [body.sources.get(part.path) for part in body.inputs]
        read = [
            name if source is None else f"({places[source[0].stage]}, {source[1]})"
            for name, source in zip(body.input_names, sources, strict=True)
        ]
        items.append(Group("(", [f"{body.stage}_desc", listed(read)], ")"))
    level = f'feature_level="{max(body.experiment.feature_level for body in bodies).value}"'
    ends[0].put(*([] if ends[0].is_snippet else [""]))
    ends[0].assign("stages", listed(items))
    for body in ends:
        before = places[body.stage] + 1
        stages = "stages" if before == len(bodies) else f"stages[:{before}]"
        body.put(f"chain = dml.chain({stages}, {level})")
        output, many = body.output_name(), body.outputs[0].field.many
        body.put(f"{output if many else f'({output},)'} = chain.run()")
        body.expect(lambda name: name)
    if not ends[-1].is_snippet:
        _write_path(ends[-1])


def _write_path(body: Body) -> None:
    """Writes where the last element of a chain comes from, and how long its run takes."""
    last = [size - 1 for size in body.outputs[0].tensor.sizes]
    index = tuple_text(last)
    output = f"{body.output_name()}[0]" if body.outputs[0].field.many else body.output_name()
    origin = [
        "root = chain.inputs[path.root]",
        "origin = chain.traces[root.stage].values[root.tensor].array()[path.index]",
        'element = f"element {path.index} of {root.part.path}, {len(path.hops)} stages back"',
    ]
    if Chain(body.experiment).source(0, last).root == NOWHERE:
        origin = [
            f"origin = np.array(path.hops[-1].source.constant, {output}.dtype)",
            'element = f"the constant {origin}, {len(path.hops)} stages back"',
        ]
    place = index[1:-1].rstrip(",")
    body.put(
        "",
        f"path = chain.source(output=0, index={index})",
        *origin,
        f"assert {output}[{place}].tobytes() == origin.tobytes()",
        "seconds = statistics.median(timeit.repeat(chain.run, setup=chain.run, repeat=9, number=1))",
        f'return f"{body.outputs[0].path}[{place}] is {{element}}; a run of all stages takes '
        f'{{seconds * 1e6:.3g}} microseconds"',
    )


def _assign_desc(body: Body) -> None:
    """Writes the statements that make `desc`, of the fields that were given."""
    desc = _lean(body.desc) if body.is_snippet else body.desc
    given = desc.given()
    if _is_public(desc):
        unnamed = _leading_tensors(desc) if body.is_snippet else ()
        nodes = ((name, _field_node(desc, name, packed=body.is_snippet)) for name in given)
        items = [node if name in unnamed else _labelled(f"{snake(name)}=", node) for name, node in nodes]
        body.assign("desc", call(f"dml.{type(desc).__name__}", *(packed_nodes(items) if body.is_snippet else items)))
        return
    body.say("This operator is none of the package's own: dmlviz has found it in a folder that was added.")
    items = [_labelled(f"{text_literal(name)}: ", _field_node(desc, name)) for name in given]
    body.assign("fields", Group("{", items, "}"))
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


def _labelled(name: str, node: Node) -> Node:
    """`node` with a name in front: `axis=1`, `"Axis": 1`."""
    return f"{name}{node}" if isinstance(node, str) else Group(f"{name}{node.opening}", node.items, node.closing)


def _field_node(desc: Desc, name: str, *, packed: bool = False) -> Node:
    """A field as an expression; `packed` puts several tensors on a line, and equal ones only once."""
    member = desc.get(name)
    if isinstance(member, TensorDesc):
        return _tensor_text(member)
    field = next(field for field in desc.FIELDS if field.name == name)
    if not field.many:
        return listed([str(number) for number in member]) if field.is_list else field.python(member)
    texts = [_tensor_text(tensor) for tensor in member]
    if packed and len(texts) > 1 and len(set(texts)) == 1:
        return f"[{texts[0]}] * {len(texts)}"
    return listed(packed_nodes(texts) if packed else texts)


def _tensor_text(tensor: TensorDesc) -> str:
    """A tensor desc as an expression, with the members that were told."""
    told = (f", {MEMBERS[name]}={_member_text(member)}" for name, member in tensor.told_members().items())
    return f'dml.TensorDesc("{tensor.data_type.name}", {tuple_text(tensor.listed_sizes)}{"".join(told)})'


def _member_text(member: object) -> str:
    """A member of a tensor desc as an expression."""
    if isinstance(member, tuple):
        return f"[{', '.join(text_literal(part) if isinstance(part, str) else str(part) for part in member)}]"
    return str(member)
