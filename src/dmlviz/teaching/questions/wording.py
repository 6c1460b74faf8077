"""What questions say: where to look, formulas with live numbers and with blanks, and what they hide."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ...desc.fields import Role
from ...desc.tensors import brackets
from ...operators.sentences import sentence_of
from ...operators.wrong_rules import PLACES
from ...scene.words.meaning import meaning
from ...scene.words.sentences import example
from ..words.catalogue import sentence
from .question import At, Question, Reply, part_at
from .subject import FROM_NOWHERE, Cell, Subject

CHECK = re.compile(r"\b[a-z_]+\.[a-z_]+")
DRAWN = ("formula", "ruler")
"""What a quiz doesn't have."""


def is_index(index: Sequence[int], sizes: Sequence[int]) -> bool:
    """True if an index, as many numbers as there are axes, lies in a tensor of these sizes."""
    return len(index) == len(sizes) and all(0 <= i < n for i, n in zip(index, sizes, strict=True))


def element_text(subject: Subject, at: At) -> str:
    return f"{part_at(subject, at.place).path}{brackets(at.index)}"


def origin_text(subject: Subject, cell: Cell) -> str:
    """The name of an input's element, or that an element comes from nowhere."""
    if cell == FROM_NOWHERE:
        return sentence("source.nowhere", field=subject.operator.constant_path)
    return element_text(subject, At.input(*cell))


def steering(subject: Subject) -> list[str]:
    return [part.path for part in subject.desc.inputs if not part.is_data]


def look(subject: Subject) -> str:
    """Where to look, in a few words: "IndicesTensor, Axis and IndexDimensions"."""
    others = [field.name for field in subject.desc.ATTRIBUTES]
    data = next(field.name for field in subject.desc.TENSORS if field.role is Role.DATA)
    sizes = sentence("words.sizes_of", name=data)
    return listed([*(steering(subject) or [sizes]), *others])


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `a, b and c`; "" for none."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def formula(subject: Subject, at: At) -> str:
    """Where an output's element comes from, with live numbers and its value, as a sentence."""
    return example(subject.trace, at.place.number, at.index)


def blanked(text: str) -> str:
    """A formula with `?` for its numbers."""
    return re.sub(r"(?<![\w.])\d+(\.\d+)?(?!\w)", "?", text)


def blanks(subject: Subject) -> str:
    head, equals, rest = map_live(subject).partition(" = ")
    return head + equals + blanked(rest)


def map_live(subject: Subject) -> str:
    """The map of all elements in one line, or an element's formula where there is no map, with live numbers."""
    return f"{meaning(subject.desc, subject.trace).code}."


def covers(subject: Subject) -> frozenset[str]:
    """What a question about output elements hides: the outputs, and the panels that would tell where they come from."""
    paths = {part.path for part in subject.desc.outputs}
    return frozenset({*paths, "values", "links", "reads", "memory"})


def with_its_rule(subject: Subject, look: str) -> str:
    """A place to look, for where no rules are next to the picture: one that names a check has its sentence, too."""
    check = CHECK.search(look)
    told = sentence_of(subject.operator, check[0]) if check else ""
    return f"{look}: {told.removesuffix('.')}" if told else look


def on_page(question: Question, reply: Reply) -> Reply:
    """A reply that sends nobody to what a page doesn't show while a question is open: formula, and mostly memory."""
    missing = ("formula",) if question.kind.about_memory else ("formula", "memory")
    return replace(reply, look=place_without(question.subject, reply.look, reply.lights, missing))


def place_without(subject: Subject, place: str, lights: Sequence[str], missing: Sequence[str] = DRAWN) -> str:
    """A place to look where panels are missing: the rule's next light, or the fields that decide, stand for them."""
    for name in missing:
        place = place.removeprefix(f"{PLACES[name]}: ")  # an author says what is to be seen there
    if place in [PLACES[name] for name in missing]:
        place = next((light for light in lights if light not in missing), look(subject))
    return with_its_rule(subject, place)
