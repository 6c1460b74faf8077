"""What a page and stills show of an experiment, as the JSON that the page's program, and the stills, draw from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..desc.fields import Role
from ..desc.indexing import flat_in
from ..desc.tensors import brackets
from ..operators.registry import operator_of
from ..scene.steps.order import Unit
from ..session.notes import printable, split_notes
from ..teaching.asked import Task, json_of
from ..teaching.questions.question import Choice, Question, Reply, part_at
from ..teaching.questions.question import Picture as Drawn
from ..teaching.words.catalogue import sentence
from .colours import cell_colours, identity_of
from .pictures import Picture, fields_of
from .tables import Table
from .tasks import Asked, Exercise, Unasked

Data = dict[str, Any]
"""JSON, without members that say nothing."""
MOST_LISTED = 32
"""Tensors that are listed where no picture is drawn."""
MARKED = ("input", "inputs", "outputs")
"""Forms of answers that are marked cells."""
TYPED = ("values", "number", "sizes")


def told(**members: Any) -> Data:
    """JSON of what there is: no member that is empty, False or None."""
    return {key: member for key, member in members.items() if member not in (None, False, "", [], (), {})}


def experiment_data(one: Exercise, number: int = 0, *, bare: bool = False) -> Data:
    """One experiment with its steps and its task; `number` is 0 where it stands alone. `bare` has the picture alone."""
    shown, picture, cover, task = one.shown, one.shown.picture, one.cover, one.task
    drawn = {} if picture is None else _picture_data(picture, one)
    asked = _task_data(one, task) if task is not None and not bare else {}
    if bare:
        return told(name=shown.name, verdict=shown.verdict(), bare=True, **drawn)
    desc, open_title = shown.experiment.desc, one.title(number)
    notes, question = split_notes(shown.experiment.notes)
    return told(
        number=number,
        title=open_title,
        then_title=shown.name if shown.name not in ("", open_title) else "",
        operator=operator_of(desc).name,
        meaning=operator_of(desc).title,
        stage=one.stage(),
        map=shown.meaning.code,
        fields=_fields(one),
        verdict=shown.verdict(),
        invalid=shown.report.ok is False,
        unchecked=shown.report.ok is None,
        reasons=[f"{check.severity.value} {check.id}: {check.message}" for check in shown.reasons],
        tensors=_listed(one) if picture is None or (cover is not None and cover.picture) else [],
        # Of a desc that a task changes they would tell what isn't on the page.
        notes=printable(notes).strip() if one.home is shown.experiment else "",
        question=question if cover is None else "",
        large=sentence("page.too_large") if shown.is_large else "",
        task=asked,
        **drawn,
    )


def _fields(each: Exercise) -> list[Data]:
    """Name and content of each field that is no tensor, and what it was where a task changes it."""
    before, one, cover = dict(fields_of(each.home)), each.shown.experiment, each.cover
    hidden = {path.partition("[")[0] for path in cover.hidden} if cover is not None else set[str]()
    fields = [
        told(
            name=name,
            content=held,
            asked=name in hidden,
            note=sentence("page.instead_of", before=before[name]) if before.get(name, held) != held else "",
        )
        for name, held in each.shown.fields
    ]
    if each.shown.picture is None or (cover is not None and cover.rules):
        level = sentence("words.feature_level")
        fields.append(told(name=level, content=str(one.feature_level), asked="feature_level" in hidden))
    paths = [part.path for part in one.desc.inputs]
    changed = [path for path in paths if each.home.values.get(path) != one.values.get(path)]
    return [*fields, *(told(name=path, note=sentence("page.other_values")) for path in changed)]


def _listed(one: Exercise) -> list[Data]:
    """The desc's tensors, each in a line; `open` is what stands there where its sizes are asked for."""
    parts, cover = one.shown.experiment.desc.parts, one.cover
    listed = [
        told(
            text=f"{part.path} {part.tensor}",
            open=f"{part.path} {part.tensor.data_type.name} {{?}}" if cover and cover.sizes(part.path) else "",
        )
        for part in parts[:MOST_LISTED]
    ]
    left = len(parts) - MOST_LISTED
    return [*listed, {"text": sentence("page.more_tensors", count=f"{left:,}")}] if left > 0 else listed


# ---- the picture


def _picture_data(picture: Picture, one: Exercise) -> Data:
    """The tables, and what their steps say."""
    task, steps, cover = one.task, picture.steps, one.cover
    has_memory = picture.shows_memory or (isinstance(task, Asked) and task.names_memory)
    tells_later = cover is not None and (not picture.shows_memory or cover.links or "memory" in cover.hidden)
    return told(
        count=steps.count,
        unit=steps.unit.value,
        lit=steps.unit not in (Unit.ELEMENT, Unit.WHOLE),
        captions=picture.captions if steps.unit is not Unit.ELEMENT else (),
        memory=("later" if tells_later else "shown") if has_memory else "",
        tables=[_table_data(picture, table, one) for table in picture.tables],
        key=_colour_key(picture),
    )


def _table_data(picture: Picture, table: Table, exercise: Exercise) -> Data:
    """A tensor's cells, and from which step on each is told. Arrays have an entry a cell, in the table's order."""
    held, cells, cover, place = table.contents, table.cells(), exercise.cover, table.place
    some = {
        "shade": [cell.shade for cell in cells],
        "sign": [cell.sign for cell in cells],
        "unread": [int(cell.is_unread) for cell in cells],
        "placed": table.placed.tolist() if any(cell.shade != -1 for cell in cells) else [],
        "told": table.told.tolist(),
    }
    links: Data = {}
    if held.source is not None:
        links = {"source": held.source[0].tolist(), "from": held.source[1].tolist()}
    if held.via is not None:
        links |= {"by": held.via[0], "via": held.via[1].tolist()}
    tensor = table.figure.part.tensor
    return told(
        path=table.path,
        type=table.type,
        axes=table.axes,
        data=table.figure.part.field.role in (Role.DATA, Role.OUTPUT),
        covered=cover is not None and cover.table(table.path, place.is_output),
        row_heads=table.heads[0],
        column_heads=table.heads[1],
        said=_said(picture, table) if place.is_output else [],
        **{key: each for key, each in some.items() if any(one not in (0, -1, "") for one in each)},
    ) | {
        "out": place.is_output,
        "number": place.number,
        "sizes": tensor.sizes,
        "columns": table.figure.columns.count,
        "flat": held.flat.tolist(),
        "texts": held.texts,
        "identity": [*map(identity_of, cells)],
        **links,
    }


def _said(picture: Picture, table: Table) -> list[str]:
    """What is said of each element behind its name, with numbers for the paths of tensors, which take less room."""
    said = []
    for n in range(len(table.contents.texts)):
        text = picture.said_of(table, n).removeprefix(f"{table.path}{brackets(table.index(n))}")
        for number, each in enumerate(picture.tables):
            text = text.replace(each.path, f"@{number}")
        said.append(text)
    return said


def _colour_key(picture: Picture) -> str:
    """What colours and marks stand for; "" where there are none."""
    cells = [cell for table in picture.tables for cell in table.cells()]
    marks = {
        "pictures.key": any(cell.identity >= 0 or cell.is_nowhere for cell in cells),
        "pictures.clamped": any(cell.sign == "!" for cell in cells),
        "pictures.negative": any(cell.sign == "-" for cell in cells),
        "pictures.unread": any(cell.is_unread for cell in cells),
        "pictures.shaded": any(cell.shade >= 0 for cell in cells),
        "pictures.nowhere": any(cell.is_nowhere for cell in cells),
    }
    about = {"what": picture.trace.colours.identity_of, "path": picture.trace.operator.constant_path}
    said = [sentence(mark, **about) for mark, is_there in marks.items() if is_there]
    return f"{'; '.join(said)}." if marks["pictures.key"] else ""


def colours_of(every: Sequence[Exercise]) -> Mapping[str, tuple[str, str, str]]:
    """Fill, ink and letter of each identity, `3`, and of each of its shades, `3 5`, that some cell has."""
    pictures = (each.shown.picture for each in every if each.shown.picture is not None)
    cells = [cell for picture in pictures for table in picture.tables for cell in table.cells()]
    kinds = {(identity_of(cell), shade, cell.letter) for cell in cells for shade in (-1, cell.shade)}
    return {
        f"{id_} {shade}" if shade != -1 else f"{id_}": (*cell_colours(id_, shade), letter)
        for id_, shade, letter in sorted(kinds)
        if id_ >= 0
    }


# ---- tasks


def _task_data(one: Exercise, task: Asked | Unasked) -> Data:
    """What a task asks, what it covers while it is open, and what is said to each answer."""
    question, cover, picture = task.question, one.cover, one.shown.picture
    if question is None or cover is None:
        return told(prompt=task.prompt, reason=task.reason if isinstance(task, Unasked) else "", form="none")
    unplayed = []
    if picture is not None and cover.plays is not None:
        for table in picture.outputs:
            number, cells = table.place.number, table.contents
            unplayed += [[number, flat] for flat in cells.flat[~cover.plays(number, cells.index)].tolist()]
    asked = told(
        prompt=task.prompt,
        hints=[question.hint(n) for n in range(1, 5)],
        then=task.then,
        links=cover.links,
        outputs=cover.outputs,
        picture=cover.picture,
        rules=cover.rules,
        plays=cover.plays is not None,
        covers=unplayed,
        facts=[
            told(text=text, tables=Drawn(((sizes, values),)).tables if values else [])
            for text, sizes, values in question.kind.lines(question)
        ],
    )
    if isinstance(task, Asked):
        return asked | _answers_data(task, question)
    goal = question.goal if question.kind.form.how == "edit" else None
    return asked | told(form="none", reason=task.reason, goal=goal.tables if goal is not None else [])


def _answers_data(task: Asked, question: Question) -> Data:
    """How an answer is given, and the replies: `verdicts` by an answer's text, each the place of one in `replies`."""
    replies, outputs = list[Any](), question.subject.desc.outputs

    def place(reply: Reply) -> int:
        said = [reply.right, reply.says, reply.look, *reply.rules]
        if said not in replies:
            replies.append(said)
        return replies.index(said)

    verdicts = {key: place(reply) for key, reply in task.verdicts.items()}
    return told(
        form=task.task.form,
        about=task.task.about if task.task.about not in task.prompt else "",
        options=[
            told(key=option.id, text=option.text, tables=_tables(option)) | {"json": json_of(question, option.id)}
            for option in task.task.options
        ],
        none=_none_text(question, task.task),
        nowhere=question.kind.takes_nowhere(question.subject),
        at=_asked_range(question) if task.task.about else None,
        several=task.is_filled,
        id=task.id,
        type=outputs[0].tensor.data_type.name if task.task.form == "values" else "INT64",
    ) | {
        "verdicts": verdicts,
        "other": place(task.other),
        "replies": replies,
        "truth": task.truth,
        "lists": _depth(question.truth) if task.task.form in TYPED else 0,
        "progress": {"operator": question.subject.operator.name, "kind": question.kind.name, "seed": question.seed},
    }


def _tables(option: Choice) -> list[list[list[str]]]:
    return option.picture.tables if option.picture is not None else []


def _depth(answer: Any) -> int:
    """How many lists an answer's numbers stand in."""
    return 1 + _depth(answer[0]) if isinstance(answer, tuple) else 0


def _none_text(question: Question, task: Task) -> str:
    """What the box says that says that nothing fits; "" where something has to."""
    subject = question.subject
    if not task.takes_none:
        return ""
    if not question.kind.form.takes_several:
        return subject.sentence("answer.nowhere")
    return subject.sentence("valid.option") if task.how == "tick" else sentence("words.none")


def _asked_range(question: Question) -> list[Any] | None:
    """The element that is asked about: side, number, its first flat index and the one behind the last; or None."""
    at = question.at
    if at is None:
        return None
    sizes, count = part_at(question.subject, at.place).tensor.sizes, len(at.index)
    first = flat_in((*at.index, *[0] * (len(sizes) - count)), sizes)
    return [at.place.is_output, at.place.number, first, first + math.prod(sizes[count:])]
