"""A subject, a desc that questions are asked about: what is true of it, what wrong rules say, and answers.

Nothing here reads a large tensor whole.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from ...desc.indexing import unravel
from ...desc.values import SPECIAL, Array, Index, Indices, element_of
from ...errors import DmlvizError, quote
from ...formats.json_text import json_number
from ...operators.base import Operator
from ...operators.checking import check
from ...operators.general_rules import evaluate
from ...operators.maps import CLAMPED, NOWHERE, Sources
from ...operators.registry import operator_of
from ...operators.report import Check, Report, Severity
from ...operators.wrong_rules import Misreading, Sizes, WrongOutputs
from ...session.experiments import Experiment
from ...tracing import Trace
from ..varying import varied
from ..words.catalogue import sentence

Rule = Misreading[Any]
"""A wrong rule of any operator."""
Answer = Any
"""What a kind wants: hashable, made of tuples, numbers, texts and booleans. Its JSON form has lists for tuples."""
Value = int | float | str
"""An element as session files write it: exact, the shortest float that is it, or "nan", "inf", "-inf"."""
Cell = tuple[int, tuple[int, ...]]
"""An element by its tensor's number, among the inputs or among the outputs, and its index."""
FROM_NOWHERE: Cell = (NOWHERE, ())
"""In place of an input's element: an output's element comes from none."""
FROM_NOWHERE_JSON = "nowhere"
NOTHING = ("none", "valid", "nowhere", "-")
"""What is typed where no answer of several fits."""
How = Literal["choose", "tick", "type", "mark", "edit"]
Side = Literal["", "inputs", "outputs"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def values_of(elements: Array) -> list[Value]:
    """(N,) elements in the form of answers, in which NaN equals NaN too."""
    return [json.loads(json_number(element)) for element in elements]


def shown(value: Value) -> str:
    """An answer's value as a person writes it: 2 for 2.0."""
    return str(value).removesuffix(".0")


def first_wrong(given: Sequence[Value], wanted: Sequence[Value]) -> int | None:
    """The position of the first wrong value; None where all are right."""
    return next((i for i, (a, b) in enumerate(zip(given, wanted, strict=True)) if a != b), None)


def typed_numbers(text: str) -> list[Value]:
    """Numbers with blanks, commas or brackets between. Raises DmlvizError, with a sentence."""
    numbers: list[Value] = []
    for word in re.findall(r"[^\s,;{}()\[\]]+", text.lower().replace("−", "-")):
        if word not in SPECIAL and not re.fullmatch(r"[-+]?(\d{1,99}\.?\d*|\.\d+)(e[-+]?\d+)?", word, re.ASCII):
            raise DmlvizError(sentence("quiz.found_number", found=quote(word)))
        number = int(word) if word.strip("+-").isdigit() else float(word)
        numbers.append(word if word in SPECIAL else number)
    return numbers


T = TypeVar("T")

READ_AT_ONCE = 4096
"""Elements of a tensor that is read whole, once."""
SMALL = 1024
"""Elements of a tensor that is asked about; of a larger desc a small one like it is asked about instead."""


class Reading:
    """Outputs, of these `sizes`, by the truth or a wrong rule: where elements come from, and what they hold.

    What is kept of every element, by cells, is for small descs alone. `rule` is None for the truth.
    """

    def __init__(self, trace: Trace, wrong: WrongOutputs | None = None, rule: Rule | None = None) -> None:
        """Reads the truth, unless `wrong` outputs are given, which tell sizes alone where they have no sources."""
        self.rule = rule
        self._trace, self._wrong = trace, wrong
        self.sizes: tuple[Sizes, ...] = wrong.sizes if wrong else tuple(part.tensor.sizes for part in trace.outputs)

    @property
    def has_elements(self) -> bool:
        """True if the reading says where elements come from, False if it tells sizes alone."""
        return self._wrong is None or self._wrong.source is not None

    @property
    def has_true_sizes(self) -> bool:
        """True if it says where elements come from, of outputs that have their true sizes."""
        return self.has_elements and self.sizes == tuple(part.tensor.sizes for part in self._trace.outputs)

    def sources(self, output: int, index: Index) -> Sources:
        """Where elements come from; `index` has one (N,) array an axis of `sizes[output]`."""
        if self._wrong is None:
            return self._trace.sources(output, index)
        assert self._wrong.source is not None
        return self._wrong.source(output, index)

    def values(self, output: int, index: Index) -> Array:
        """(N,) values of output elements; the operator's constant, else 0, for what comes from nowhere."""
        is_there = output < len(self._trace.outputs)
        number = self._trace.operator.constant(self._trace.desc, output) if is_there else None
        constant = element_of(0 if number is None else number, self._trace.inputs[0].tensor.data_type)
        sources = self.sources(output, index)
        return self._trace.read.elements(sources.tensor, sources.flat(self._trace.input_sizes), constant)

    @cached_property
    def _outputs(self) -> list[tuple[list[Cell], Sources]]:
        every = enumerate(self.sizes if self.has_elements else ())
        return [([*every_cell(k, sizes)], self.sources(k, every_index(sizes))) for k, sizes in every]

    def _each(self, look: Callable[[int, Sources], Iterable[T]]) -> dict[Cell, T]:
        found = ((cells, look(k, sources)) for k, (cells, sources) in enumerate(self._outputs))
        return {cell: one for cells, every in found for cell, one in zip(cells, every, strict=False)}

    @cached_property
    def value(self) -> dict[Cell, Value]:
        """What every output element holds, in row-major order."""
        return self._each(lambda k, _: values_of(self.values(k, every_index(self.sizes[k]))))

    @cached_property
    def source(self) -> dict[Cell, Cell]:
        """The input element that every output element comes from; FROM_NOWHERE for none, if the operator has such."""
        found = self._each(lambda _, sources: _cells(sources.tensor, sources.index))
        return {cell: at for cell, at in found.items() if self._trace.has_constants or at != FROM_NOWHERE}

    @cached_property
    def via(self) -> dict[Cell, Cell]:
        """The index or length cell that sends every output element to its place; empty where none does."""

        def cells(_: int, sources: Sources) -> list[Cell]:
            tensors = np.full(len(sources.tensor), sources.via_tensor)
            return [] if sources.via is None else _cells(tensors, sources.via)

        return self._each(cells)

    @cached_property
    def readers(self) -> dict[Cell, tuple[Cell, ...]]:
        """The output elements that come from every input element that is read, in row-major order."""
        found: dict[Cell, tuple[Cell, ...]] = {}
        for cell, source in self.source.items():
            if source != FROM_NOWHERE:
                found[source] = (*found.get(source, ()), cell)
        return found

    @cached_property
    def promised(self) -> dict[Cell, bool]:
        """Whether DirectML promises an output element's value: its index lies in its range. {} for silent rules."""

        def promises(_: int, sources: Sources) -> list[bool]:
            silent = [True] * len(sources.tensor) if self.rule is None else []
            if sources.flags is None:
                return silent
            return [not flags & CLAMPED for flags in sources.flags.tolist()]

        return self._each(promises)


def every_index(sizes: Sizes) -> Index:
    """Every index of a small tensor, one (N,) array an axis."""
    return unravel(np.arange(math.prod(sizes), dtype=np.int64), sizes)


def every_cell(number: int, sizes: Sizes) -> Iterator[Cell]:
    """Every element of a small tensor, row-major."""
    return ((number, index) for index in itertools.product(*map(range, sizes)))


def _cells(tensors: Indices, index: Index) -> list[Cell]:
    places = zip(*(axis.tolist() for axis in index), strict=True)
    return [FROM_NOWHERE if k == NOWHERE else (k, at) for k, at in zip(tensors.tolist(), places, strict=True)]


class Subject:
    """An experiment, its report, and every reading of it. Made once for all questions about the experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.desc = experiment.desc
        self.operator: Operator[Any] = operator_of(experiment.desc)
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, work_out: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = work_out()
        kept: T = self._kept[key]
        return kept

    @property
    def title(self) -> str:
        """What the operator does, in one sentence, and what that is in NumPy where the operator says so."""
        title = self.operator.title
        code = self.operator.in_numpy
        return " ".join((title, sentence("words.in_numpy", code=code))) if code else title

    @cached_property
    def report(self) -> Report:
        """The report on the desc; index and length values are checked where they are few: no question scans many."""
        sources, _ = self.experiment.sources_or_defaults()
        few = [values if values.tensor.element_count <= READ_AT_ONCE else None for values in sources]
        return self.experiment.told(check(self.desc, few, self.experiment.feature_level))

    @cached_property
    def valid(self) -> bool:
        """True if the desc breaks no rule, and its index and length values, where they are few, break none."""
        return all(c.ok or c.severity is not Severity.ERROR for c in self.evaluated)

    @cached_property
    def evaluated(self) -> Sequence[Check]:
        """The checks of the desc, and of index and length values where they are few: no notes on levels, no fixes."""
        record = evaluate(self.operator, self.desc, self.experiment.feature_level)
        steers = [part.tensor for part in self.desc.inputs if not part.is_data]
        if steers and all(tensor.can_exist and tensor.element_count <= READ_AT_ONCE for tensor in steers):
            self.operator.value_rules(self.desc, self.experiment.sources_or_defaults()[0], record)
        return tuple(record.checks)

    @cached_property
    def trace(self) -> Trace:
        return self.experiment.trace()

    @cached_property
    def rules(self) -> Sequence[Rule]:
        return self.operator.misreadings()

    @cached_property
    def truth(self) -> Reading:
        """The right reading of the desc, which has to be valid."""
        return Reading(self.trace)

    def reading(self, rule: Rule | None) -> Reading:
        """The reading of a rule about a valid desc; the truth for None, and for a rule that gives what that gives."""
        if rule is None or rule.outputs is None:
            return self.truth
        outputs = rule.outputs

        def work_out() -> Reading:
            read = self.trace.read
            wrong = outputs(self.desc, read) if rule.differs(self.desc, read) else None
            return self.truth if wrong is None else Reading(self.trace, wrong, rule)

        return self.keep(("reading", rule.id), work_out)

    def element_reading(self, rule: Rule | None) -> Reading:
        reading = self.reading(rule)
        return reading if reading.has_elements else self.truth

    @cached_property
    def element_readings(self) -> dict[str, Reading]:
        """The readings that differ from the truth and say where elements come from, by the rules' ids."""
        every = ((rule.id, self.reading(rule)) for rule in self.rules)
        return {id_: reading for id_, reading in every if reading is not self.truth and reading.has_elements}

    @cached_property
    def varies(self) -> bool:
        data = [(k, part.tensor) for k, part in enumerate(self.desc.inputs) if part.is_data]
        read = (self.trace.read(k, tensor.flat) for k, tensor in data)
        return len({element.tobytes() for elements in read for element in elements}) > 1

    @cached_property
    def is_small(self) -> bool:
        """True for a valid desc whose tensors all are small, so that every element is known."""
        return self.valid and all(part.tensor.element_count <= SMALL for part in self.desc.parts)

    @cached_property
    def small(self) -> Subject:
        """Itself; of a valid desc that isn't small the most telling of some small ones like it, if any is found."""
        dice = random.Random(self.experiment.name)
        is_large = self.valid and not self.is_small
        others = [Subject(one) for _ in range(8 * is_large) if (one := varied(self.experiment, dice)) is not None]
        return max(others, key=lambda other: len(other.element_readings), default=self)

    @cached_property
    def data_cells(self) -> list[Cell]:
        data = [(k, part) for k, part in enumerate(self.desc.inputs) if part.is_data]
        return [cell for k, part in data for cell in every_cell(k, part.tensor.sizes)]

    @property
    def moves(self) -> bool:
        """False where an operator does nothing, as by lengths of 1; of a broken desc as far as its fields tell."""
        desc = self.desc
        truth = self.truth.source if self.is_small else {}
        lists = [(field, desc.get(field.name)) for field in desc.ATTRIBUTES if field.is_list]
        if lists and all(number == field.neutral for field, content in lists for number in content):
            return False
        alone = [part.tensor.sizes for part in desc.inputs if part.is_data and not part.field.many]
        is_one = any(field.many and len(desc.get(field.name)) < 2 for field in desc.TENSORS)
        if is_one or any(sizes[axis : axis + 1] == (1,) for axis in desc.named_axes if axis >= 0 for sizes in alone):
            return False
        return not truth or truth != {cell: cell for cell in self.data_cells}
