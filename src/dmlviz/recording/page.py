"""`html`: a session as one page that its program draws from one JSON; it loads nothing, and asks no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..desc.fields import Role
from ..desc.indexing import flat_in
from ..desc.tensors import braces, brackets
from ..explaining import explain
from ..operators.registry import operator_of
from ..scene.layout.figure import Figure
from ..scene.steps.order import Unit
from ..scene.words.meaning import meaning
from ..scene.words.sentences import example
from ..session.experiments import Session
from ..session.notes import printable, split_notes
from ..teaching.asked import about, json_of, takes_none, text_of
from ..teaching.lessons.lessons import lesson_of
from ..teaching.questions.question import Picture as Drawn
from ..teaching.questions.question import Question, Reply
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion
from ..teaching.words.catalogue import sentence, templates
from .pictures import Picture, Table, cell_colours, identity_of
from .tasks import Asked, Exercise, reasons_of, summary

Data = dict[str, Any]
"""JSON, without members that say nothing."""


def escaped(text: str) -> str:
    """Text as HTML and XML, without what neither may hold."""
    return html.escape(printable(text))


def page_of(session: Session, every: Sequence[Exercise]) -> str:
    """The page of a session whose exercises are worked out: without its program it is plain text."""
    data = page_data(session, every)
    script = _own("player.js")
    style = _own("player.css")
    digests = (hashlib.sha256(own.encode()).digest() for own in (style, script))
    style_hash, script_hash = (base64.b64encode(digest).decode() for digest in digests)
    policy = (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":  # nothing in it ends the element or begins another
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    plain = [data["title"], *[sentence("record.needs_script")] * ("asks" in data)]
    for one, shown in zip(data["experiments"], every, strict=True):
        asked = f"{one['title']}\n{shown.task.prompt}" if shown.task is not None else ""
        plain.append(asked or explain(shown.home, session.experiments))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(data['title'])}</title><style>{style}</style></head>"
        f"<body><main><noscript><pre>{escaped(chr(10).join(plain))}</pre></noscript></main>"
        f'<script type="application/json">{text}</script><script>{script}</script></body></html>\n'
    )


@cache
def _own(name: str) -> str:
    """The page's program, or what it looks like, without what only its readers need."""
    text = re.sub(r"(?m)^ *(/\*.*\*/\n)?| // .*$", "", (Path(__file__).parent / name).read_text("utf-8"))
    blanks = r"\s*([{};:,])\s*" if name.endswith(".css") else r"(?<=\{) | (?=\})| (=>|[!=]==|&&|\|\||\?\?) "
    return re.sub(blanks, r"\1", text)


def told(**members: Any) -> Data:
    return {key: member for key, member in members.items() if member not in (None, False, "", [], (), {}, (0, 0))}


def page_data(session: Session, every: Sequence[Exercise]) -> Data:
    asks = any(one.task is not None and not one.task.reason for one in every)
    lesson = lesson_of(session)
    progress = lesson_of(with_own_tasks(session)) if asks else None
    title = printable(lesson.title if lesson is not None else session.title)
    is_telling = "lesson" not in session.extra and any(one.cover is not None and one.cover.rules for one in every)
    if is_telling or not title:  # experiments' names may tell
        title = ", ".join(dict.fromkeys(operator_of(one.experiment.desc).name for one in every)) or "dmlviz"
    return told(
        goal=printable(lesson.goal) if lesson is not None else "",
        asks=asks,
        lesson=progress.name if progress is not None else "",
    ) | {
        "title": title,
        "experiments": [experiment_data(one) for one in every],
        "colours": colours_of(every),
        "words": templates("page."),
    }


def experiment_data(one: Exercise) -> Data:
    picture = one.picture
    cover = one.cover
    desc = one.experiment.desc
    notes, question = split_notes(one.experiment.notes)
    data = told(
        number=one.number,
        title=one.title,
        then_title=one.name,
        operator=operator_of(desc).name,
        meaning=operator_of(desc).title,
        fields=_fields(one),
        verdict=summary(one.view.report),
        invalid=one.view.report.ok is False,
        reasons=reasons_of(one.view.report),
        # Of a desc that a task changes they would tell what isn't on the page.
        notes=printable(notes).strip() if one.experiment is one.home else "",
        question=question if cover is None else "",
        large=sentence("record.left_out") if picture is None and one.view.live else "",
        task=_task_data(one, one.task) if one.task is not None else {},
    )
    if picture is None:
        return data
    unit = picture.steps.unit
    asks_memory = one.question is not None and one.question.kind.about_memory
    return data | told(
        count=picture.steps.count,
        unit=unit.value,
        lit=unit not in (Unit.ELEMENT, Unit.WHOLE),
        captions=[*map(picture.caption, range(picture.steps.count + 1))] if unit is not Unit.ELEMENT else [],
        memory=unit.is_memory or asks_memory,
        map=meaning(desc, picture.trace).code,
        what=picture.trace.colours.identity_of,
        tables=[_table_data(picture, table, one) for table in picture.tables],
    )


def _fields(each: Exercise) -> list[Data]:
    """The fields, and the tensors where no picture has them; `open` is what stands there where they are asked for."""
    one, cover = each.experiment, each.cover
    hidden = {path.partition("[")[0] for path in cover.hidden} if cover is not None else set[str]()
    fields = [
        told(name=field.name, content=field.shown(one.desc.get(field.name)), open="?" * (field.name in hidden))
        for field in one.desc.FIELDS
        if field not in one.desc.TENSORS
    ]
    fields.append(told(name="FeatureLevel", content=f"{one.feature_level}", open="?" * ("feature_level" in hidden)))
    for part in one.desc.parts if each.picture is None or (cover is not None and cover.picture) else ():
        asked = f"{part.tensor.data_type.name} {{?}}" if cover is not None and cover.sizes(part.path) else ""
        fields.append(told(name=part.path, content=f"{part.tensor}", open=asked))
    return fields


def _table_data(picture: Picture, table: Table, exercise: Exercise) -> Data:
    """A tensor's cells, and from which step on each is told. Arrays have an entry a cell, in the table's order."""
    held = table.contents
    cells = table.cells()
    cover = exercise.cover
    place = table.place
    some = {
        "shade": [cell.shade for cell in cells],
        "sign": [cell.sign for cell in cells],
        "unread": [int(cell.is_unread) for cell in cells],
        "placed": table.placed.tolist() if (table.placed != table.told).any() else [],
        "told": table.told.tolist(),
        "flat": held.flat.tolist() if (held.flat != np.arange(len(cells))).any() else [],
    }
    links: Data = {}
    if held.source is not None:
        links = {"source": held.source[0].tolist(), "from": held.source[1].tolist()}
    if held.via is not None:
        links |= {"by": held.via[0], "via": held.via[1].tolist()}
    return told(
        data=table.figure.part.field.role in (Role.DATA, Role.OUTPUT),
        covered=cover is not None and cover.hides(place, table.path),
        asked=asked_in(table, exercise.question),
        **heads_of(table.figure),
        said=_said(picture, table) if place.is_output else [],
        **{key: each for key, each in some.items() if any(one not in (0, -1, "") for one in each)},
    ) | {
        "out": place.is_output,
        "number": place.number,
        "columns": table.figure.columns.count,
        "texts": held.texts,
        "identity": [*map(identity_of, cells)],
        **links,
    }


def asked_in(table: Table, question: Question | None) -> tuple[int, int]:
    """The first element of a table that is asked about, and the one behind the last, row-major; (0, 0) for none."""
    at = question.at if question is not None and about(question) else None
    if at is None or at.place != table.place:
        return 0, 0
    sizes = table.figure.part.tensor.sizes
    count = len(at.index)
    first = flat_in((*at.index, *[0] * (len(sizes) - count)), sizes)
    return first, first + math.prod(sizes[count:])


def heads_of(figure: Figure) -> Data:
    """What stands above and beside a table's cells: indices along the axes that go down and across."""
    tensor = figure.part.tensor
    rows = figure.rows
    columns = figure.columns
    axes = [
        f"{'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))} {arrow}"
        for axes, arrow in ((figure.down, "↓"), (figure.across, "→"))
        if axes
    ]
    return {
        "path": figure.part.path,
        "type": f"{tensor.data_type.name} {braces(tensor.sizes)}",
        "axes": " · ".join(axes),
        "row_heads": [",".join(map(str, rows.split(n))) for n in range(rows.count) if figure.down],
        "column_heads": [",".join(map(str, columns.split(n))) for n in range(columns.count) if figure.across],
    }


def _said(picture: Picture, table: Table) -> list[str]:
    """What is said of each element behind its name: where it comes from, and its value."""
    every = map(table.index, range(len(table.contents.texts)))
    number, path = table.place.number, table.path
    return [example(picture.trace, number, at).removeprefix(f"{path}{brackets(at)}") for at in every]


def colours_of(every: Sequence[Exercise]) -> Mapping[str, tuple[str, str, str]]:
    """Fill, ink and letter of each identity, `3`, and of each of its shades, `3 5`, that some cell has."""
    tables = (table for each in every if each.picture is not None for table in each.picture.tables)
    cells = [cell for table in tables for cell in table.cells()]
    kinds = {(identity_of(cell), shade, cell.letter) for cell in cells for shade in (-1, cell.shade)}
    return {
        f"{id_} {shade}" if shade != -1 else f"{id_}": (*cell_colours(id_, shade), letter)
        for id_, shade, letter in sorted(kinds)
        if id_ >= 0
    }


def _task_data(one: Exercise, task: Asked) -> Data:
    """What a task asks, what it covers while it is open, and what is said to each answer."""
    question, cover = task.question, one.cover
    if question is None or cover is None:
        return told(prompt=task.prompt, reason=task.reason, form="none")
    goal = question.goal if question.kind.form.how == "edit" else None
    return told(
        prompt=task.prompt,
        hints=[question.hint(n) for n in range(1, 5)],
        then=task.then,
        reason=task.reason,
        form="none",
        links=cover.links,
        outputs=cover.outputs,
        picture=cover.picture,
        rules=cover.rules,
        facts=[
            told(text=text, tables=Drawn(((sizes, values),)).tables if values else [])
            for text, sizes, values in question.kind.lines(question)
        ],
        goal=goal.tables if goal is not None else [],
    ) | (_answers_data(task, question) if task.other is not None else {})


def _answers_data(task: Asked, question: Question) -> Data:
    """How an answer is given, and the replies, by the answer's text."""
    form = question.kind.form.name
    outputs = question.subject.desc.outputs
    truth = json.dumps(question.kind.form.json(question.truth))
    return told(
        about=about(question, task.prompt),
        options=[
            told(key=option.id, text=option.text, tables=option.picture.tables if option.picture is not None else [])
            | {"json": json_of(question, option.id)}
            for option in question.options
        ],
        none=_none_text(question),
        id=question.task.id if isinstance(question, AuthoredQuestion) else "",
        type=outputs[0].tensor.data_type.name if form == "values" else "",
    ) | {
        "form": form,
        "verdicts": {key: _reply_data(reply) for key, reply in task.verdicts.items()},
        "other": _reply_data(task.other) if task.other is not None else [],
        "truth": text_of(question, question.truth),
        "lists": len(truth) - len(truth.lstrip("[")),
        "progress": {"kind": question.kind.name, "seed": question.seed},
    }


def _reply_data(reply: Reply) -> list[Any]:
    return [reply.right, reply.says, reply.look, *reply.rules]


def _none_text(question: Question) -> str:
    """What the box says that says that nothing fits; "" where something has to."""
    form = question.kind.form
    if not takes_none(question):
        return ""
    if form.takes_several:
        return sentence("valid.says" if form.how == "tick" else "words.none")
    return sentence("answer.nowhere")
