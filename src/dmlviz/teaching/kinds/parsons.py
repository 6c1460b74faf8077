"""`parsons`: the formula of the map with its terms taken out, to be put back in order among terms of wrong rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.values import Array, Indices
from ...errors import DmlvizError, quote
from ...operators.maps import NOWHERE, Sources, tensors_among
from ...operators.wrong_rules import Misreading
from ..questions.goals import all_promised, every_index, has_small_tensors
from ..questions.question import ANYTHING, Answer, Choice, Kind, Question, Wish
from ..questions.subject import Subject
from ..questions.wording import where_clause

OTHERS = 2
"""Terms that belong to no place, or to wrong rules."""


class _Formula(Struct, frozen=True):
    """The formula of a desc's map with places left open, and what every term is at every element."""

    shown: str
    """`OutputTensor[0,i] = InputTensor[0,_], where ...`."""
    terms: tuple[str, ...]
    """The terms that stand in the places, in order."""
    axes: tuple[int, ...]
    """The axis of each place: of the inputs, or of the outputs where these are open."""
    opens_source: bool
    values: Mapping[str, Indices]
    """(N,) what each term that is offered is, over all elements of all outputs."""
    whole: tuple[Indices, ...]
    """All coordinates on the open side, one (N,) array an axis."""


class ParsonsKind(Kind):
    """Asks to put terms into the blanks of a formula; the answer is a tuple of terms in order."""

    name = "parsons"
    stage = 3

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        formula = _formula(subject)
        others = [] if formula is None else _wrong_terms(subject, formula)
        if formula is None or len(others) < OTHERS:
            return None
        offered = [*formula.terms, *others[:OTHERS]]
        self.dice(subject, seed).shuffle(offered)
        prompt = subject.sentence("parsons.prompt", formula=formula.shown)
        return self.pose(subject, seed, prompt, {"links"}, choices=tuple(Choice(term, term) for term in offered))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        formula = _checked_formula(question)
        if rule is None:
            return formula.terms
        wanted = _coordinates_by_rule(question.subject, formula, rule)
        if wanted is None:
            return None
        terms = []
        for axis in formula.axes:
            fits = (c.id for c in question.choices if np.array_equal(formula.values[c.id], wanted[axis]))
            terms.append(next(fits, ""))
        return tuple(terms) if all(terms) else None

    def read(self, question: Question, given: object) -> tuple[str, ...]:
        count = len(_checked_formula(question).axes)
        if not isinstance(given, list) or len(given) != count:
            raise DmlvizError(f"answer is {quote(given)}, expected a list of {count} terms, in order.")
        terms = [choice.id for choice in question.choices]
        for term in given:
            if term not in terms:
                raise DmlvizError(f"answer has {quote(term)}, expected some of {', '.join(terms)}.")
        return tuple(given)

    def score(self, question: Question, answer: Answer) -> float:
        """1 if with these terms both sides of the equation hold the same values at every element, else 0."""
        formula = _checked_formula(question)
        at = list(formula.whole)
        for axis, term in zip(formula.axes, answer, strict=True):
            at[axis] = formula.values[term]
        return float(_is_equation_true(question.subject, formula, tuple(at)))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        formula, subject = _checked_formula(question), question.subject
        terms = ", ".join((formula.terms[0], *("_" for _ in formula.terms[1:])))
        blank = subject.sentence("parsons.formula", formula=formula.shown, terms=terms)
        return subject.sentence("parsons.look"), subject.title, blank, self.says(question)

    def says(self, question: Question) -> str:
        return question.subject.sentence("parsons.says", terms=", ".join(question.truth))


def _checked_formula(question: Question) -> _Formula:
    """The formula of a question's subject, which has one."""
    formula = _formula(question.subject)
    assert formula is not None
    return formula


@lru_cache(maxsize=8)
def _formula(subject: Subject) -> _Formula | None:
    """The formula with its places open; None where the operator has none, or tensors are large."""
    if not subject.valid or not has_small_tensors(subject.desc) or not all_promised(subject.trace):
        return None
    code = subject.operator.map_code(subject.desc)
    if code is None:
        return None
    target, source = _name_and_terms(code.target), _name_and_terms(code.source)
    if target is None or source is None:
        return None
    opens_source = _are_letters(target[1])
    opened, plain = (source, target) if opens_source else (target, source)
    if not _are_letters(plain[1]):
        return None
    into, out_of = _coordinates(subject)
    here, letters_at = (out_of, into) if opens_source else (into, out_of)
    if len(opened[1]) != len(here) or len(plain[1]) != len(letters_at):
        return None
    longer = [axis for axis, term in enumerate(opened[1]) if term != "0"]
    values = {opened[1][axis]: here[axis] for axis in longer}
    if not longer or len(values) < len(longer):
        return None
    values |= _possible_terms(plain[1], letters_at, subject)
    values |= {opened[1][axis]: here[axis] for axis in longer}
    gaps = ",".join("_" if axis in longer else term for axis, term in enumerate(opened[1]))
    sides = (code.target, f"{source[0]}[{gaps}]") if opens_source else (f"{target[0]}[{gaps}]", code.source)
    shown = " = ".join(sides) + where_clause(subject, code)
    return _Formula(
        shown=shown,
        terms=tuple(opened[1][a] for a in longer),
        axes=tuple(longer),
        opens_source=opens_source,
        values=values,
        whole=here,
    )


def _name_and_terms(text: str) -> tuple[str, list[str]] | None:
    """(name, terms) of `InputTensors[k][0,IndicesTensor[0,i]]`; None for text that doesn't end with brackets."""
    if not text.endswith("]"):
        return None
    depth, start = 0, -1
    for at in range(len(text) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[at], 0)
        if depth == 0:
            start = at
            break
    if start < 0:
        return None
    terms, depth = [""], 0
    for char in text[start + 1 : -1]:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            terms.append("")
        else:
            terms[-1] += char
    return text[:start], terms


def _are_letters(terms: list[str]) -> bool:
    """True if the terms are single letters, each once, or 0."""
    letters = [term for term in terms if term != "0"]
    return all(len(term) == 1 and term.isalpha() for term in letters) and len(set(letters)) == len(letters)


def _coordinates(subject: Subject) -> tuple[tuple[Indices, ...], tuple[Indices, ...]]:
    """The coordinates of all elements that have a source, and those of their sources: one (N,) array an axis each."""
    into, out_of = [], []
    for k in range(len(subject.truth.sizes)):
        index, sources = _with_source(subject, k)
        into.append(index)
        out_of.append(sources.index)
    return _joined_coordinates(into), _joined_coordinates(out_of)


def _with_source(subject: Subject, output: int) -> tuple[tuple[Indices, ...], Sources]:
    """The coordinates of an output's elements that have a source, and their sources."""
    index = every_index(subject.truth.sizes[output])
    tensor = subject.truth.sources(output, index).tensor
    if (tensor == NOWHERE).any():
        index = tuple(axis[tensor != NOWHERE] for axis in index)
    return index, subject.truth.sources(output, index)


def _joined_coordinates(parts: list[tuple[Indices, ...]]) -> tuple[Indices, ...]:
    """The coordinates of several outputs, one after the other: one array an axis."""
    return tuple(np.concatenate(axis) for axis in zip(*parts, strict=True))


def _possible_terms(letters: list[str], at: tuple[Indices, ...], subject: Subject) -> dict[str, Indices]:
    """Terms that wrong rules may have, in the formula's own letters, and what they are at every element."""
    desc = subject.desc
    sizes = sorted({n for part in desc.inputs for n in part.tensor.sizes if n > 1})
    terms: dict[str, Indices] = {}
    for letter, values in zip(letters, at, strict=True):
        if letter == "0":
            continue
        terms[letter] = values
        most = int(values.max())
        terms[f"{most}-{letter}"] = most - values
        for n in sizes:
            if n <= most:
                terms[f"{letter} % {n}"] = values % n
                terms[f"{letter} // {n}"] = values // n
        terms[f"{letter}+1"] = values + 1
    return terms


def _wrong_terms(subject: Subject, formula: _Formula) -> list[str]:
    """Terms that are right in none of the places, those of wrong rules first."""
    right = [formula.whole[axis] for axis in formula.axes]
    bounds = [int(values.max()) for values in right]
    by_rules = [
        wanted[axis]
        for rule in subject.rules
        if (wanted := _coordinates_by_rule(subject, formula, rule)) is not None
        for axis in formula.axes
    ]
    others = []
    for term, values in formula.values.items():
        if any(np.array_equal(values, true) for true in right):
            continue
        named = any(np.array_equal(values, wrong) for wrong in by_rules)
        inside = any(int(values.max()) <= bound for bound in bounds)
        others.append((not named, not inside, term))
    return [term for _, _, term in sorted(others, key=lambda other: other[:2])]


def _coordinates_by_rule(subject: Subject, formula: _Formula, rule: Misreading[Any]) -> tuple[Indices, ...] | None:
    """The coordinates on the open side by a wrong rule; None for other sizes, and where the rule says nothing."""
    reading = subject.element_reading(rule)
    if reading is subject.truth or not formula.opens_source or reading.sizes != subject.truth.sizes:
        return None
    index = []
    for k in range(len(reading.sizes)):
        sources = reading.sources(k, _with_source(subject, k)[0])
        if (sources.tensor == NOWHERE).any():
            return None
        index.append(sources.index)
    return _joined_coordinates(index)


def _is_equation_true(subject: Subject, formula: _Formula, at: tuple[Indices, ...]) -> bool:
    """True if both sides of the equation hold the same values at these coordinates of the open side."""
    into, out_of = _coordinates(subject)
    into, out_of = (into, at) if formula.opens_source else (at, out_of)
    start = 0
    for k, sizes in enumerate(subject.truth.sizes):
        tensor = _with_source(subject, k)[1].tensor
        piece = slice(start, start + len(tensor))
        start += len(tensor)
        there = [axis[piece] for axis in into]
        if any(bool(((axis < 0) | (axis >= n)).any()) for axis, n in zip(there, sizes, strict=True)):
            return False
        written = subject.truth.values(k, tuple(there))
        read = _input_values(subject, tensor, [axis[piece] for axis in out_of])
        if read is None or written.tobytes() != read.tobytes():
            return False
    return True


def _input_values(subject: Subject, tensor: Indices, at: list[Indices]) -> Array | None:
    """Values of inputs: at each position one from input `tensor`, at coordinates `at`; None where one lies outside."""
    sizes = subject.trace.input_sizes
    for k in tensors_among(tensor):
        here = tensor == k
        if any(((axis < 0) | (axis >= n))[here].any() for axis, n in zip(at, sizes[k], strict=True)):
            return None
    flat = Sources(tensor, tuple(at)).flat(sizes)
    return subject.trace.read.elements(tensor, flat, subject.truth.constant(0))


KIND = ParsonsKind()
