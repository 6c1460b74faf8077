"""Levels of several operators: from one tensor x, a chain of a few of some operators, whose end is to be the goal.

A stage is written as rows of numbers: what it reads, then its fields. An operator that was just added copies what it
reads, and a chain counts the numbers that were changed from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...desc.base import Desc
from ...desc.indexing import put
from ...desc.tensors import DataType, TensorDesc, braces
from ...desc.value_sources import Listed, ValueSource, Wired
from ...errors import DmlvizError, TaskError, quote
from ...operators.gather import Gather
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.split import Split
from ...operators.tile import Tile
from ...session.experiments import Experiment, Session
from ..kinds.lib.failed_tries import explained_by, explained_by_chain, why_not
from ..questions.goals import MOST_ELEMENTS, Attempt, picture_of, with_lists
from ..questions.question import Picture
from ..tasks.changed_descs import distance
from ..tasks.tasks import Task
from ..words.catalogue import sentence
from .level import Cells, Level, LevelVerdict, differing_cells

X = "x"
"""What the given tensor is called where it is read; a stage's output is `1[0]`."""
STAGES = "stages"
"""Of an experiment's extra members: how all stages of its chain are written."""
Rows = Mapping[str, tuple[Any, ...]]
"""A stage: `Operator`, `reads`, then its fields by name; OutputTensors are the parts' sizes along Axis."""
MAKES: Mapping[str, Any] = {
    "JOIN": lambda ins, rows: Join(ins, rows["Axis"][0]),
    "SPLIT": lambda ins, rows: Split(ins[0], _parts(ins[0], rows), rows["Axis"][0]),
    "TILE": lambda ins, rows: Tile(ins[0], rows["Repeats"]),
    "GATHER": lambda ins, rows: Gather(ins[0], _places(ins[0], rows), rows["Axis"][0], 1),
    "REVERSE_SUBSEQUENCES": lambda ins, rows: ReverseSubsequences(ins[0], _lengths(ins[0], rows), rows["Axis"][0]),
}
"""The desc of a stage, by its operator: of the tensors that it reads, and its rows."""
MOST = {"elements": "words.most_elements", "indices": "words.most_indices", "inputs": "words.most_inputs"}
"""What is said to more than a limit, by its key."""
STEERING = {"GATHER": "IndicesTensor", "REVERSE_SUBSEQUENCES": "SequenceLengthsTensor"}


def _parts(tensor: TensorDesc, rows: Rows) -> list[TensorDesc]:
    axis = rows["Axis"][0]
    fits = 0 <= axis < tensor.dimension_count
    return [tensor.resized(put(tensor.sizes, axis, n)) if fits else tensor for n in rows["OutputTensors"]]


def _places(tensor: TensorDesc, rows: Rows) -> TensorDesc:
    ones = (1,) * (tensor.dimension_count - 1)
    return TensorDesc(DataType.UINT32, (*ones, len(rows["IndicesTensor"])))


def _lengths(tensor: TensorDesc, rows: Rows) -> TensorDesc:
    """The lengths' tensor: as the input's, with 1 at Axis; in a row where that doesn't hold as many."""
    axis, count = rows["Axis"][0], len(rows["SequenceLengthsTensor"])
    sizes = put(tensor.sizes, axis, 1) if 0 <= axis < tensor.dimension_count else ()
    fits = math.prod(sizes) == count and sizes
    return TensorDesc(DataType.UINT32, sizes if fits else (*(1,) * (tensor.dimension_count - 1), count))


def begun(operator: str, tensor: TensorDesc, read: str, most_indices: int) -> Rows:
    """An operator that copies `tensor`, as far as so many indices do, along the last axis that is longer than 1."""
    sizes = tensor.sizes
    axis = next((d for d in reversed(range(len(sizes))) if sizes[d] > 1), len(sizes) - 1)
    own: dict[str, Rows] = {
        "JOIN": {"Axis": (axis,)},
        "SPLIT": {"Axis": (axis,), "OutputTensors": (sizes[axis],)},
        "TILE": {"Repeats": (1,) * len(sizes)},
        "GATHER": {"Axis": (axis,), "IndicesTensor": tuple(range(min(sizes[axis], most_indices)))},
        "REVERSE_SUBSEQUENCES": {
            "Axis": (axis,),
            "SequenceLengthsTensor": (1,) * (tensor.element_count // sizes[axis]),
        },
    }
    return {"Operator": (operator,), "reads": (read,), **own[operator]}


def stages_in(experiment: Experiment) -> list[Rows]:
    """How the stages of an experiment's chain are written."""
    return [{key: tuple(items) for key, items in rows.items()} for rows in experiment.extra[STAGES]]


class StagesLevel(Level):
    """A level whose tries are chains: each experiment of one knows how all its stages are written."""

    @property
    def stages(self) -> int:
        """The most operators; no chain of fewer makes the goal."""
        return self.level_task.stages

    @property
    def allowed(self) -> tuple[str, ...]:
        """The operators, without prefix."""
        return self.level_task.allowed

    @property
    def limits(self) -> Mapping[str, int]:
        """The most elements of a tensor, indices of a GATHER and inputs of a JOIN, for which par is proved."""
        return self.level_task.limits

    @property
    def x(self) -> TensorDesc:
        """The given tensor."""
        return self.start.desc.inputs[0].tensor

    @cached_property
    def _given(self) -> ValueSource:
        return with_lists(self.start).values["InputTensor"]

    @cached_property
    def begin(self) -> Rows:
        """The stage that a student begins with: the first operator, which copies x."""
        return begun(self.allowed[0], self.x, X, self.limits["indices"])

    def built(self, stages: Sequence[Rows]) -> tuple[Experiment, ...]:
        """The experiments of a chain as it is written, the end last; they may be invalid.

        Raises DmlvizError, with one sentence, for what no desc can hold and for what lies beyond the limits.
        """
        made: list[Experiment] = []
        written = [{key: list(items) for key, items in rows.items()} for rows in stages]
        for number, rows in enumerate(stages, 1):
            tensors = [self._read(read, made) for read in rows["reads"]]
            operator = rows["Operator"][0]
            desc: Desc = MAKES[operator](tensors, rows)
            self._hold_limits(rows, desc)
            values: dict[str, Any] = {}
            for part, read in zip(desc.inputs, rows["reads"], strict=False):
                values[part.path] = self._given if read == X else self._wire(read, made)
            if operator in STEERING:
                part = next(part for part in desc.inputs if part.path == STEERING[operator])
                values[part.path] = Listed(rows[part.path], part.tensor.sizes)
            roots = {part.path: X for part, read in zip(desc.inputs, rows["reads"], strict=False) if read == X}
            extra = {STAGES: written, "roots": roots}
            made.append(Experiment(str(number), desc, self.start.feature_level, values, extra=extra))
        return Session(tuple(made)).experiments

    def _read(self, read: str, made: Sequence[Experiment]) -> TensorDesc:
        """The tensor that is read; x's in the place of one that can't be."""
        if read == X:
            return self.x
        number, output = _stage_and_output(read)
        outputs = made[number - 1].desc.outputs if number <= len(made) else ()
        fits = output < len(outputs) and outputs[output].tensor.can_exist
        return outputs[output].tensor if fits else self.x

    @staticmethod
    def _wire(read: str, made: Sequence[Experiment]) -> Wired:
        number, output = _stage_and_output(read)
        source = made[number - 1]
        return Wired(source.name, f"OutputTensors[{output}]" if output or len(source.desc.outputs) > 1 else "")

    def _hold_limits(self, rows: Rows, desc: Desc) -> None:
        limits = {**self.limits, "elements": MOST_ELEMENTS}  # what is larger than the level's is no goal, see `judge`
        found = {"inputs": len(rows["reads"]), "indices": len(rows.get("IndicesTensor", ()))}
        for name, count in (*found.items(), ("elements", _largest(desc))):
            if count > limits[name]:
                raise DmlvizError(sentence(self.lang, MOST[name], most=limits[name], count=count))

    # ---- tries

    def numbers_changed(self, tried: Experiment) -> int:
        """Numbers of all stages that differ from those of operators that copy what stands before them."""
        return self.cost(stages_in(tried))

    def cost(self, stages: Sequence[Rows]) -> int:
        """The same of stages as they are written."""
        count, before, read = 0, self.x, X
        for number, (rows, stage) in enumerate(zip(stages, self.built(stages), strict=True), 1):
            fresh = begun(rows["Operator"][0], before, read, self.limits["indices"])
            count += sum(distance(fresh[key], rows[key]) for key in fresh)
            first = stage.desc.outputs[0].tensor if stage.desc.outputs else self.x
            before, read = first if first.can_exist else self.x, f"{number}[0]"
        return count

    def locked(self, tried: Experiment) -> Iterator[str]:
        """Nothing: what a level of stages doesn't take is no chain of it."""
        return iter(())

    @property
    def first(self) -> Experiment:
        return self.built([self.begin])[-1]

    def flowed(self, tried: Experiment) -> Experiment | str:
        """The try itself: x is given wherever it is read."""
        return tried

    def solution(self, k: int = 0) -> Experiment:
        """The end of solution `k`. Raises TaskError where there is none."""
        count = len(self.level_task.solutions)
        if not 0 <= k < count:
            raise TaskError(f"solution {k} is asked for, expected one of {count}.")
        return self._end(self.level_task.solutions[k], f"task.solutions[{k}]")

    def trap(self, k: int) -> tuple[str, Experiment]:
        trap = self.level_task.traps[k]
        return trap["rule"], self._end(trap, f"task.traps[{k}]")

    def tried_by(self, answer: object) -> Experiment:
        return self._end(answer, "answer")

    def _end(self, members: object, field: str) -> Experiment:
        """The end of a chain from JSON, `{"stages": [{…}, {…}]}`. Raises TaskError, naming `field`."""
        stages = members.get(STAGES) if isinstance(members, dict) else None
        if not isinstance(stages, list) or not 0 < len(stages) <= self.stages:
            raise TaskError(f"{field}.stages is {quote(stages)}, expected a list of 1 to {self.stages} stages.")
        read = (self._written(rows, k, f"{field}.stages[{k - 1}]") for k, rows in enumerate(stages, 1))
        return self.built([*read])[-1]

    def _written(self, rows: object, number: int, field: str) -> Rows:
        """One stage from JSON. Raises TaskError for other rows than its operator has, and for what can't be read."""
        operator = rows.get("Operator") if isinstance(rows, dict) else None
        name = operator[0] if isinstance(operator, list) and operator else operator
        if not isinstance(rows, dict) or name not in self.allowed:
            raise TaskError(f"{field}.Operator is {quote(name)}, expected one of {', '.join(self.allowed)}.")
        keys = begun(str(name), self.x, X, self.limits["indices"])
        if {*rows} != {*keys}:
            raise TaskError(f"{field} has {', '.join(map(str, rows))}, expected {', '.join(keys)}.")
        written: dict[str, tuple[Any, ...]] = {"Operator": (str(name),)}
        for key in list(keys)[1:]:
            items = rows[key]
            single = key == "Axis" or (key == "reads" and name != "JOIN")
            fits = self._is_read if key == "reads" else _is_number
            if not isinstance(items, list) or not items or (single and len(items) != 1):
                raise TaskError(f"{field}.{key} is {quote(items)}, expected a list of {'one' if single else 'some'}.")
            if not all(fits(item, number) for item in items):
                expected = 'x, or a stage before it as "1[0]"' if key == "reads" else "whole numbers from 0"
                raise TaskError(f"{field}.{key} is {quote(items)}, expected {expected}.")
            written[key] = tuple(items)
        return written

    @staticmethod
    def _is_read(item: object, number: int) -> bool:
        if item == X:
            return True
        parts = item[:-1].split("[") if isinstance(item, str) and item.endswith("]") else []
        digits = len(parts) == 2 and all(p.isascii() and p.isdigit() and len(p) < 4 for p in parts)
        return digits and 0 < int(parts[0]) < number

    def wins(self, tried: Experiment) -> bool:
        return self.judge(tried).won

    def judge(self, tried: Experiment) -> LevelVerdict:
        """What a chain comes to: `tried` is its end."""
        count = self.numbers_changed(tried)
        attempts = [Attempt(stage) for stage in tried.stages]
        broken = next((one for one in attempts if not (one.small and one.valid)), None)
        if broken is not None:
            return self._verdict(why_not(self.lang, broken, self.goal, marked=True), count)
        largest, most = max(_largest(stage.desc) for stage in tried.stages), self.limits["elements"]
        if largest > most:
            return self._verdict(sentence(self.lang, MOST["elements"], most=most, count=largest), count)
        pictures = picture_of(tried).outputs
        best = min(range(len(pictures)), key=lambda k: self._distance_of(pictures[k]))
        shown = Picture((pictures[best],))
        cells, wrong_sizes = differing_cells(shown, self.goal)
        cells = frozenset((best, flat) for _, flat in cells)
        promised = all(one.outputs is not None for one in attempts)
        if not cells and not wrong_sizes and promised:
            return self._verdict(self._sentence_on_win(count), count, shown, won=True)
        told, rules = self._explained(attempts[-1], shown, wrong_sizes=wrong_sizes, promised=promised)
        return self._verdict(told, count, shown, cells, rules, wrong_sizes=wrong_sizes)

    def _distance_of(self, output: tuple[tuple[int, ...], tuple[Any, ...]]) -> tuple[bool, int]:
        """How far an output is from the goal: of other sizes, and in how many elements."""
        cells, wrong_sizes = differing_cells(Picture((output,)), self.goal)
        return wrong_sizes, len(cells)

    def _explained(
        self, end: Attempt, shown: Picture, *, wrong_sizes: bool, promised: bool
    ) -> tuple[str, tuple[str, ...]]:
        """Why a valid chain misses the goal, and the wrong rules by which its end, or all of it, would make it."""
        by_chain = self._chain_rules(end.experiment) if end.experiment.is_wired and promised else ()
        of_end = end.explaining_rules(self.wanted) if promised and len(end.desc.outputs) == 1 else ()
        if by_chain:
            return explained_by_chain(self.lang, by_chain[0]), (*by_chain, *of_end)
        if of_end:
            return explained_by(self.lang, end, next(r for r in end.misreadings if r.id == of_end[0])), of_end
        if wrong_sizes:
            mine, theirs = braces(shown.outputs[0][0]), braces(self.goal.outputs[0][0])
            return sentence(self.lang, "level.sizes_one", found=mine, wanted=theirs), ()
        return sentence(self.lang, "level.marked" if promised else "level.unpromised"), ()

    def _chain_rules(self, end: Experiment) -> tuple[str, ...]:
        """The wrong rules of chains by which an output of the end would be the goal."""
        from ...session.chains import Chain
        from ..kinds.lib.chain_kind import ends_of
        from ..words.chain_rules import CHAIN_RULES

        chain, (sizes, wanted) = Chain(end), self.goal.outputs[0]
        elements = picture_of(self.built([begun("TILE", self.x, X, 1)])[0]).outputs[0][1]
        found = []
        for rule in CHAIN_RULES:
            for part, (roots, flats) in zip(chain.outputs, ends_of(chain, rule.id), strict=True):
                if part.tensor.sizes == sizes and (roots >= 0).all():
                    found += [rule.id] * (tuple(elements[flat] for flat in flats.tolist()) == tuple(wanted))
        return tuple(dict.fromkeys(found))

    @staticmethod
    def _verdict(
        told: str,
        count: int,
        outputs: Picture | None = None,
        cells: Cells = frozenset(),
        rules: tuple[str, ...] = (),
        *,
        won: bool = False,
        wrong_sizes: bool = False,
    ) -> LevelVerdict:
        return LevelVerdict(
            won=won,
            outputs=outputs,
            cells=cells,
            wrong_sizes=wrong_sizes,
            sentence=told,
            rules=rules,
            changed=count,
        )


def _largest(desc: Desc) -> int:
    """The most elements that a tensor of a desc has."""
    return max((part.tensor.element_count for part in desc.parts if part.tensor.can_exist), default=0)


def _stage_and_output(read: str) -> tuple[int, int]:
    """The stage, from 1, and its output that `1[0]` names."""
    stage, _, output = read.partition("[")
    return int(stage), int(output[:-1])


def _is_number(item: object, _: int) -> bool:
    return type(item) is int and 0 <= item < 2**31


def without(stages: Sequence[Rows], number: int) -> list[Rows]:
    """The stages without one, from 0: what read it reads what it has read."""
    instead = stages[number]["reads"][0]

    def turned(read: str) -> str:
        if read == X:
            return X
        stage, output = _stage_and_output(read)
        return instead if stage == number + 1 else f"{stage - (stage > number + 1)}[{output}]"

    left = [*stages[:number], *stages[number + 1 :]]
    return [{**rows, "reads": tuple(turned(read) for read in rows["reads"])} for rows in left]


def followed(level: StagesLevel, stages: Sequence[Rows], first: int) -> list[Rows]:
    """The stages with as many lengths as what they read has rows, from stage `first` on; a SPLIT of one part is whole.

    Where there is room for more, a length is 1.
    """
    now = [*stages]
    for number in range(first, len(now)):
        rows, tensor = now[number], level.built(now)[number].desc.inputs[0].tensor
        axis = rows.get("Axis", (-1,))[0]
        if not 0 <= axis < tensor.dimension_count:
            continue
        n = tensor.sizes[axis]
        if (lengths := rows.get("SequenceLengthsTensor")) is not None:
            count = tensor.element_count // n
            now[number] = {**rows, "SequenceLengthsTensor": (*lengths, *(1,) * count)[:count]}
        elif len(rows.get("OutputTensors", ())) == 1:
            now[number] = {**rows, "OutputTensors": (n,)}
    return now


def level_of(experiment: Experiment, task: Task, lesson: str = "") -> Level:
    """The level that a task is, of one operator or of several. Raises TaskError for a task that is none."""
    several = task.level is not None and task.level.stages > 0
    return (StagesLevel if several else Level)(experiment, task, lesson)
