"""The public API: `check`, `trace`, `export`, `record`, `questions`, and the operators on NumPy arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .desc.base import Desc, Part
from .desc.indexing import put
from .desc.levels import NEWEST, FeatureLevel
from .desc.tensors import DataType, TensorDesc, integer, integers, is_listed
from .desc.value_sources import Wired
from .desc.values import Array, Stored, Values
from .errors import DmlvizError, InvalidDescError, ValuesError, quote
from .exporters.lib import exporting, writing
from .opening import open_file
from .operators import checking
from .operators.gather import Gather
from .operators.gather_elements import GatherElements
from .operators.join import Join
from .operators.padding import Padding as Padding
from .operators.registry import operator_of
from .operators.report import Check, Report
from .operators.reverse_subsequences import ReverseSubsequences
from .operators.slice1 import Slice1 as Slice1
from .operators.split import Split
from .operators.tile import Tile
from .running.array_checks import Given, check_arrays, require_unmasked
from .running.engine import Plan, bind, plan_of, require_desc, require_valid, run
from .session import same as comparing
from .session.chains import Chain
from .session.examples import examples
from .session.experiments import Experiment, Session
from .session.writing import save
from .teaching.diagnosis.diagnosis import Diagnosis
from .teaching.kinds.lib import asking
from .teaching.questions.question import Question
from .tracing import Trace, checked_number
from .version import __version__

__all__ = [
    "Check",
    "DataType",
    "Diagnosis",
    "DmlvizError",
    "Experiment",
    "FeatureLevel",
    "Gather",
    "GatherElements",
    "InvalidDescError",
    "Join",
    "Report",
    "ReverseSubsequences",
    "Session",
    "Slice1",
    "Split",
    "TensorDesc",
    "Tile",
    "__version__",
    "bind",
    "chain",
    "check",
    "examples",
    "export",
    "gather",
    "join",
    "load",
    "questions",
    "record",
    "reverse_subsequences",
    "run",
    "same",
    "save",
    "show",
    "split",
    "tile",
    "trace",
]


def check(
    desc: Desc, arrays: Sequence[Given | None] | None = None, feature_level: FeatureLevel | str = NEWEST
) -> Report:
    """Check `desc` at a feature level; with input `arrays`, check their index and length values, too.

    `arrays` is in field order, with None for an input that is not known; lists will do for indices and lengths. Raises
    ValuesError for an array that isn't what the desc says.
    """
    require_desc(desc)
    return checking.check(desc, None if arrays is None else _stored(desc, arrays), feature_level)


def trace(desc: Desc, arrays: Sequence[Given] | None = None, feature_level: FeatureLevel | str = NEWEST) -> Trace:
    """Trace a valid desc: where every element comes from and goes to.

    Indices are 0, 1, 2, ... modulo the axis size and lengths the axis size, unless `arrays` are given. Raises
    InvalidDescError, and ValuesError for an array that isn't what the desc says.
    """
    require_valid(desc, feature_level)
    stored = [None] * len(desc.inputs) if arrays is None else _stored(desc, arrays)
    return _WithArrays(operator_of(desc).name, desc, arrays=tuple(stored)).trace()


def chain(
    stages: Sequence[tuple[Desc, Sequence[Given | int | tuple[int, int] | None]]],
    feature_level: FeatureLevel | str = NEWEST,
) -> Chain:
    """Make a chain of descs that may read outputs of earlier ones: `dml.chain([(split, [x]), (join, [1, 0])])`.

    The inputs of each are in field order: an array; None for what it is filled with by default; the number of an output
    of the desc before; or (number of a desc, number of its output). Raises InvalidDescError, ValuesError for an array
    that isn't what its desc says, and DmlvizError for what reads no output of a desc before it, or other elements.
    """
    every: list[Experiment] = []
    for number, (desc, inputs) in enumerate(stages):
        require_valid(desc, feature_level)
        if len(inputs) != len(desc.inputs):
            raise DmlvizError(f"stages[{number}] has {len(inputs)} inputs, expected {len(desc.inputs)}.")
        entries = [(number - 1, entry) if isinstance(entry, int) else entry for entry in inputs]
        stored = _stored(desc, [None if isinstance(entry, tuple) else entry for entry in entries])
        wires: dict[str, Wired] = {}
        for k, (part, entry) in enumerate(zip(desc.inputs, entries, strict=True)):
            if isinstance(entry, tuple):
                named = f"stages[{number}] input {k}"
                before, output = [*integers(entry, named), -1][:2]
                outputs = stages[before][0].outputs if 0 <= before < number else ()
                if not 0 <= output < len(outputs):
                    raise DmlvizError(f"{named} is {quote(inputs[k])}, expected an output of a desc before it.")
                wires[part.path] = Wired(every[before].name, outputs[output].path)
        name = f"{operator_of(desc).name} {number + 1}"
        every.append(_WithArrays(name, desc, FeatureLevel.of(feature_level), wires, arrays=tuple(stored)))
    if not every:
        raise DmlvizError("stages is empty, expected at least one desc with its inputs.")
    session = Session(tuple(every))
    for one in session.experiments:
        for check in one.check().errors:
            raise DmlvizError(f"{one.name}: {check.message}")
    return session.chain(every[-1].name)


def same(
    left: Chain | Experiment | Desc, right: Chain | Experiment | Desc, left_output: int = 0, right_output: int = 0
) -> comparing.Verdict:
    """Compare two chains, experiments or descs: does each output element come from the same input element?

    All elements are compared, up to 2^22, for the index and length values that are there; then for all that may be
    there, where these are at most 4,096 settings, else for 64 that are drawn. Raises DmlvizError for what can't run.
    """
    chains = []
    for name, subject, output in (("left", left, left_output), ("right", right, right_output)):
        one = _as_experiment(subject)
        if not isinstance(one, (Chain, Experiment)):
            raise DmlvizError(f"{name} is {quote(subject)}, expected a Chain, an Experiment or a desc.")
        chains.append(one if isinstance(one, Chain) else Chain(one))
        checked_number(output, len(chains[-1].outputs), f"{name}_output")
    return comparing.same(chains[0], chains[1], left_output, right_output)


def export(
    session: Session | Experiment | Desc,
    target: str,
    output: str | os.PathLike[str] | None = None,
    *,
    experiment: str | None = None,
    snippet: bool = False,
    force: bool = False,
) -> str | bytes:
    """Export a session, an experiment or a desc as source text of a target (for onnx, a model's bytes).

    `experiment` names the one to take; `snippet` makes the lines of one that a slide wants. The file `output` is
    written too, and the .npy files that it may need beside it; files that are there are replaced only by `force`.
    Raises InvalidDescError for a desc with an error where the result would run, and DmlvizError.
    """
    make = exporting.snippet if snippet else exporting.export
    stem = {} if output is None else {"stem": writing.stem_of(output)}
    exported = make(_as_session(session), target, experiment=experiment, **stem)
    if output is None:
        writing.require_alone(exported, "output= to say where")
    else:
        writing.write(exported, output, unless="" if force else "force=True")
    return exported.content


def record(
    session: Session | Experiment | Desc,
    to: str,
    output: str | os.PathLike[str] | None = None,
    *,
    experiment: str | None = None,
    steps: str | None = None,
    size: str | None = None,
    force: bool = False,
) -> list[str | bytes]:
    """Record a session, an experiment or a desc. Return the contents of the files, and write them to `output`.

    `to` is `html`, one page with every step; `svg` or `png`, a still a step; or `gif`, an animation of the steps, which
    need the extra `gif`. `steps` are those of stills and animations, "0:6" with both, or "3". `size` is
    their ratio, "16:9". Files that are there are replaced only by `force`. Raises DmlvizError.
    """
    from .recording import recording  # most programs record nothing

    recording.format_of(to, output)
    files = recording.record(_as_session(session), to, experiment=experiment, steps=steps, size=size)
    if output is not None:
        recording.save_recording(files, output, unless="" if force else "force=True")
    return [file.content for file in files]


def show(shown: Desc | Experiment | Session | Report | Trace, arrays: Sequence[Given] | None = None) -> None:
    """Show a picture in a notebook, and text elsewhere: each experiment of a session, the checks of a report.

    A desc is shown with its input `arrays`, if they are given. Raises ValuesError for an array that isn't what the desc
    says, and DmlvizError for what can't be shown.
    """
    if not isinstance(shown, (Desc, Experiment, Session, Report, Trace)):
        raise DmlvizError(f"shown is {quote(shown)}, expected a desc, an Experiment, a Session, a Report or a Trace.")
    if isinstance(shown, Desc) and arrays is not None and check(shown, arrays).ok is not False:
        shown = trace(shown, arrays)
    notebook = sys.modules.get("IPython")
    if notebook is not None and hasattr(notebook.get_ipython(), "kernel"):
        notebook.display.display(shown)
    else:
        from .recording import display

        print(display.text_of(shown), end="")


def load(path: str | os.PathLike[str], *, dims: Mapping[str, int] | None = None) -> Session:
    """Load a session file, or the experiments in any file that `dmlviz import` reads.

    `dims` are sizes for the dimensions that an ONNX model leaves free, by name or as "INPUT:AXIS": `{"batch": 1}`.
    Raises DmlvizError, with one sentence, where the file can't be read as any of these, or has no such dimension.
    """
    return open_file(path, dims=dims).whole().session


def questions(
    experiment: Experiment | Desc, kinds: Iterable[str] | str | None = None, seed: SupportsIndex = 0
) -> list[Question]:
    """Make a question of each kind that can be asked about an experiment or a desc, easiest first.

    `kinds` are names such as "cell"; the same seed makes the same questions. `question.grade(answer)` gives a verdict
    on an answer as `dmlviz quiz --json` takes it, and `question.hint(n)` one of four hints. Raises DmlvizError for a
    kind that there is none of.
    """
    experiment = _as_experiment(experiment)
    if not isinstance(experiment, Experiment):
        raise DmlvizError(f"experiment is {quote(experiment)}, expected an Experiment or a desc.")
    names = [kinds] if isinstance(kinds, str) else kinds
    if names is not None and not isinstance(names, Iterable):
        raise DmlvizError(f"kinds is {quote(names)}, expected names of kinds.")
    return asking.questions(experiment, names, integer(seed, "seed"))


@dataclass(frozen=True)
class _WithArrays(Experiment):
    """An experiment with arrays of Python's, of any size, in the place of what a file would say."""

    arrays: tuple[Values | None, ...] = field(default=(), compare=False, repr=False)

    def source(self, k: int, part: Part) -> Values:
        return self.arrays[k] or super().source(k, part)


def _as_experiment(subject: Any) -> Any:
    """A desc as an experiment that is called like its operator; anything else as it is."""
    if isinstance(subject, Desc):
        return Experiment(operator_of(subject).name, subject)
    return subject


def _as_session(subject: Session | Experiment | Desc) -> Session:
    """A session, or one of an experiment or a desc alone. Raises DmlvizError for anything else."""
    subject = _as_experiment(subject)
    if isinstance(subject, Experiment):
        return Session((subject,))
    if not isinstance(subject, Session):
        raise DmlvizError(f"session is {quote(subject)}, expected a Session, an Experiment or a desc.")
    return subject


def _stored(desc: Desc, arrays: Sequence[Given | None]) -> list[Values | None]:
    """The arrays as values of the desc's inputs; None where one isn't known. Raises ValuesError."""
    if not isinstance(arrays, Sequence) or len(arrays) != len(desc.inputs):
        check_arrays(desc.inputs, arrays)  # type: ignore[arg-type]  # raises
    return [
        # No array fits a tensor that can't exist; which rule it breaks is what the caller wants to know.
        Stored(part.tensor, check_arrays([part], [array])[0]) if array is not None and part.tensor.can_exist else None
        for part, array in zip(desc.inputs, arrays, strict=True)
    ]


def _run(make: Callable[..., Desc], known: Hashable, *arrays: Array) -> list[Array]:
    """What the desc that `make` makes of the arrays' tensors, and of what it has to know beside them, gives."""
    # A dtype may hold whatever its maker put there, so its type is what a plan is made of.
    return _plan(make, known, *((array.dtype.type, array.shape) for array in arrays)).outputs_for(arrays)


@lru_cache(maxsize=256)
def _plan(make: Callable[..., Desc], known: Hashable, *tensors: tuple[Any, tuple[int, ...]]) -> Plan:
    """A plan, which is kept, being far dearer than a small call. It sees no values."""
    return plan_of(make(*(TensorDesc(*each) for each in tensors), known))


def join(arrays: Sequence[ArrayLike], axis: SupportsIndex) -> Array:
    """Join arrays along `axis`, which may be negative: DML_OPERATOR_JOIN, `np.concatenate` in NumPy.

    They have one dtype, and equal sizes apart from `axis`. Raises DmlvizError.
    """
    if not is_listed(arrays):
        raise DmlvizError(f"arrays is {quote(arrays)}, expected a list of arrays.")
    inputs = [_as_array(x, f"arrays[{i}]") for i, x in enumerate(arrays)]
    if not inputs:
        raise DmlvizError("arrays is empty, expected at least 1 array.")
    return _run(_joined, _axis_from_0(axis, inputs[0], "arrays[0]"), *inputs)[0]


def _joined(*tensors_axis: Any) -> Join:
    return Join(tensors_axis[:-1], tensors_axis[-1])


def split(x: ArrayLike, sizes: Iterable[SupportsIndex], axis: SupportsIndex) -> list[Array]:
    """Split `x` into copies of parts with these sizes along `axis`: DML_OPERATOR_SPLIT.

    (`np.split` takes the places to cut at instead.) The sizes add up to that of `x`. Raises DmlvizError.
    """
    data = _as_array(x, "x")
    return _run(_split, (_axis_from_0(axis, data, "x"), integers(sizes, "sizes")), data)


def _split(data: TensorDesc, known: tuple[int, tuple[int, ...]]) -> Split:
    axis, sizes = known
    return Split(data, tuple(data.resized(put(data.sizes, axis, size)) for size in sizes), axis)


def tile(x: ArrayLike, repeats: Iterable[SupportsIndex] | SupportsIndex) -> Array:
    """Repeat `x` `repeats[i]` times along axis i: DML_OPERATOR_TILE, `np.tile` in NumPy.

    The shorter of `repeats` and the dimensions of `x` gets leading 1s. Raises DmlvizError.
    """
    listed = integers(repeats, "repeats") if isinstance(repeats, Iterable) else (integer(repeats, "repeats"),)
    return _run(Tile.of_ranks, listed, _as_array(x, "x"))[0]


def gather(x: ArrayLike, indices: ArrayLike, axis: SupportsIndex) -> Array:
    """Pick slices of `x` along `axis` by `indices`: DML_OPERATOR_GATHER, `np.take(x, indices, axis)` in NumPy.

    Sizes are `x.shape[:axis] + indices.shape + x.shape[axis + 1:]`. Indices are INT64, INT32, UINT64 or UINT32;
    negative ones count from the end, and what lies outside is clamped. Raises DmlvizError.
    """
    data = _as_array(x, "x")
    picks = _as_array(indices, "indices")
    at = _axis_from_0(axis, data, "x")
    return _run(Gather.of_ranks, at, data, picks)[0].reshape(data.shape[:at] + picks.shape + data.shape[at + 1 :])


def reverse_subsequences(x: ArrayLike, lengths: ArrayLike, axis: SupportsIndex) -> Array:
    """Reverse the first `length` elements of every sequence along `axis`: DML_OPERATOR_REVERSE_SUBSEQUENCES.

    `lengths` is UINT32 or UINT64, or a list of such numbers, and has the shape of `x` with 1 at `axis`; longer lengths
    act as the axis size. Raises DmlvizError.
    """
    data = _as_array(x, "x")
    counts = _as_array(lengths, "lengths")
    if not isinstance(lengths, np.ndarray) and counts.dtype.kind == "i":
        if counts.min(initial=0) < 0:
            raise ValuesError(f"lengths holds {counts.min()}, expected numbers from 0 on.")
        counts = counts.astype(np.uint32 if counts.max(initial=0) < 2**32 else np.uint64)
    return _run(ReverseSubsequences, _axis_from_0(axis, data, "x"), data, counts)[0]


_NATIVE = frozenset(data_type.dtype for data_type in DataType)


def _as_array(like: ArrayLike, name: str) -> Array:
    """`like` as NumPy's own array of a type that there is. Raises DmlvizError, which calls it `name`."""
    if type(like) is np.ndarray and like.dtype in _NATIVE:
        return like
    require_unmasked(like, name)
    try:
        array: Array = np.asarray(like)
    except (ValueError, TypeError, OverflowError):
        raise DmlvizError(f"{name} is {type(like).__name__}, expected an array of numbers.") from None
    if array.dtype not in _NATIVE:
        raise DmlvizError(f"{name} has dtype {array.dtype}, expected one of {', '.join(DataType.__members__)}.")
    return array


def _axis_from_0(axis: SupportsIndex, array: Array, name: str) -> int:
    """`axis` from 0; a negative one counts from the end, as in NumPy. Raises DmlvizError if there is none."""
    at = integer(axis, "axis")
    n = array.ndim
    if not n:
        raise DmlvizError(f"{name} has no dimensions, expected at least 1 for an axis.")
    if not -n <= at < n:
        has = f"{name} has {n} dimension{'s' * (n > 1)}"
        raise DmlvizError(f"axis is {at}, expected {-n} to {n - 1} because {has}.")
    return at % n
