"""`html`: a session as one page with its steps, provenance and tasks; it loads nothing, and asks no network."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..desc.indexing import flat_in
from ..operators.registry import operator_of
from ..scene.cells.cells import CLAMPED_SIGN, NEGATIVE_SIGN
from ..scene.cells.contents import NOWHERE_SIGN
from ..scene.colour.palette import MUTED, letter
from ..scene.steps.order import Unit
from ..session.experiments import Session
from ..session.notes import printable, split_notes
from ..teaching.asked import task_of
from ..teaching.lessons.lessons import Lesson, lesson_of
from ..teaching.questions.question import Choice, Question, Reply, part_at
from ..teaching.questions.question import Picture as Drawn
from ..teaching.tasks.own_tasks import with_own_tasks
from .blocks import blocks
from .colours import FROM_NOWHERE, cell_colours, identity_of
from .html_text import Markup, json_script, tag
from .pictures import Picture, Recorded, axes_words, fields_of, left_out_words, tensor_words
from .stages import way_of
from .tables import MOST_LISTED, Table, is_data
from .tasks import (
    Asked,
    Exercise,
    Unasked,
    element_of,
    exercises_of,
)
from .words import HAND_IN, counted, of_script, words

FOLDER = Path(__file__).parent
MOST_KEYS = 16
"""Colours that the key shows."""
MOST_NAME = 24
"""Characters of a tensor's name for which there is room even on a phone; longer ones scroll with their cells."""
SIGN_CLASSES = {CLAMPED_SIGN: "clamped", NEGATIVE_SIGN: "negative"}
"""What a cell is called that has a sign; the page's style draws it."""
ROOM = tag("div", class_="paper room")
"""Where somebody writes, on paper."""
BIG_ROWS, BIG_CHARACTERS, MOST_USUAL = 8, 30, 16
"""Rows, and characters of a row, that are drawn large; rows or columns after which they are drawn small."""


@cache
def script() -> str:
    """The page's program."""
    return (FOLDER / "page.js").read_text("utf-8")


@cache
def style() -> str:
    """What a page looks like, besides the colours of its cells."""
    return (FOLDER / "page.css").read_text("utf-8")


def print_style(media: str) -> Markup:
    """What is different on paper, where `media` is `print`, or everywhere, where it is `all`."""
    return Markup(f"@media {media} {{ {(FOLDER / 'print.css').read_text('utf-8')} }}")


def html_page(session: Session, *, bare: bool = False, unit: str = "", handout: bool = False) -> str:
    """The session as a page; `bare` has pictures and steps alone. Raises DmlvizError."""
    return page_of(session, exercises_of(session, bare=bare, unit=unit), bare=bare, handout=handout)


def page_of(session: Session, exercises: Sequence[Exercise], *, bare: bool = False, handout: bool = False) -> str:
    """The page of a session whose `exercises` are worked out already; a `handout` looks as the page does on paper."""
    parts = [
        section(exercise, bare=bare, number=n if len(exercises) > 1 else 0) for n, exercise in enumerate(exercises, 1)
    ]
    lesson = lesson_of(session)
    title, open_title = _titles(session, lesson, exercises)
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest(script())}'; "
        "base-uri 'none'; form-action 'none'"
    )
    colours = colour_rules(exercise.shown for exercise in exercises)
    looks = f"{style()}{PAGE_STYLE}{print_style('all' if handout else 'print')}{colours}"
    head = head_markup(open_title, looks, tag("meta", http_equiv="Content-Security-Policy", content=policy))
    heading = [] if bare else _heading(lesson, title, open_title, exercises)
    hand_in = _hand_in(session, exercises, parts) if not handout else []
    parts += [*hand_in, *_answers(exercises)]
    whole = tag("main", *heading, *parts, class_="handout" if handout else None)
    body = tag("body", whole, Markup(f"<script>{script()}</script>"))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def head_markup(title: str, looks: str, *more: Markup) -> Markup:
    """A page's head, with its style, and what else stands in it."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        *more,
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        Markup(f"<style>{looks}</style>"),
    )


def _titles(session: Session, lesson: Lesson | None, exercises: Sequence[Exercise]) -> tuple[str, str]:
    """The title, and what stands for it where it may say what is asked: the operators' names."""
    named = lesson.title if lesson is not None else session.title
    title = printable(named) or (exercises[0].shown.name if exercises else "") or "dmlviz"
    tells = any(exercise.cover is not None and (exercise.cover.rules or not named) for exercise in exercises)
    if not tells or "lesson" in session.extra:
        return title, title
    names = dict.fromkeys(operator_of(exercise.shown.experiment.desc).name for exercise in exercises)
    return title, ", ".join(names)


def _heading(lesson: Lesson | None, title: str, open_title: str, exercises: Sequence[Exercise]) -> list[Markup]:
    """Title, a lesson's goal, and the way to each of several experiments."""
    inner = [tag("h1", open_title, dir="auto", data_then=title if title != open_title else None)]
    if lesson is not None and (goal := printable(lesson.goal)):
        inner.append(tag("p", goal, class_="goal", dir="auto"))
    if any(isinstance(exercise.task, Asked) for exercise in exercises):
        inner.append(
            tag("p", words("kept"), " ", tag("a", words("to_hand_in"), href="#end"), class_="kept", hidden=True)
        )
    inner.append(tag("p", tag("span", words("name_line")), tag("span", words("date_line")), class_="name-line"))
    heading = [tag("header", *inner)]
    if len(exercises) > 1:
        ways = (
            tag("li", tag("a", exercise.title(number), href=f"#e{number}", dir="auto"))
            for number, exercise in enumerate(exercises, 1)
        )
        heading.append(tag("nav", tag("ol", *ways), aria_label=words("experiments")))
    return heading


def _hand_in(session: Session, exercises: Sequence[Exercise], parts: Sequence[str]) -> list[Markup]:
    """Where answers are saved, with what tells this page's from another's; [] where nothing is asked."""
    if not any(isinstance(exercise.task, Asked) for exercise in exercises):
        return []
    lesson = lesson_of(with_own_tasks(session))
    page = hashlib.sha256("".join((*parts, script())).encode()).hexdigest()[:16]
    about = {"lesson": lesson.name if lesson is not None else "", "page": page, "words": of_script(HAND_IN)}
    field = tag("input", type="text", name="as", autocomplete="off", maxlength=100)
    save = tag("button", words("save"), type="button", class_="save")
    form = tag("form", tag("label", words("your_name"), field), save)
    return [
        tag(
            "section",
            tag("h2", words("hand_in")),
            tag("p", class_="count", role="status"),
            form,
            tag("p", class_="told", role="status"),
            json_script(about),
            class_="hand-in",
            id="end",
            aria_label=words("hand_in"),
            hidden=True,
        )
    ]


def _answers(exercises: Sequence[Exercise]) -> list[Markup]:
    """The answers on a page of their own, for paper alone; [] where nothing is asked."""
    answers = []
    for number, exercise in enumerate(exercises, 1):
        task = exercise.task
        if task is None or task.question is None:
            continue
        told = tag("p", tag("b", exercise.shown.name), " ", task.question.hint(4), dir="auto")
        then = [tag("p", task.then, dir="auto")] if task.then else []
        answers.append(tag("li", told, *then, value=number))
    heading = tag("h2", words("answers"))
    return [tag("section", heading, tag("ol", *answers), class_="answers")] if answers else []


PAGE_STYLE = """
body { margin: 0; background: #eceff3; color: #14181d; font: 17px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans",
  "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 74em; margin: 0 auto; padding: 1.5em 1.2em 3em; }
header { margin: .5em .3em 1.2em; }
h1 { font-size: 2.3em; line-height: 1.15; letter-spacing: -.02em; margin: 0; }
.goal { font-size: 1.25em; margin: .4em 0 0; color: #3d454d; max-width: 42em; }
nav ol { list-style: none; display: flex; flex-wrap: wrap; gap: .5em; padding: 0; margin: 0 0 1.4em;
  counter-reset: e; }
nav a { display: flex; align-items: center; padding: 0 .9em; min-height: 2.6em; box-sizing: border-box;
  border-radius: .6em; background: var(--ground); color: var(--accent); text-decoration: none;
  border: 1px solid var(--line); counter-increment: e; }
nav a::before { content: counter(e) "  "; color: var(--dim); white-space: pre; }
nav a:hover, nav a:focus-visible { border-color: var(--accent); outline: 2px solid var(--accent); }
.name-line, .answers { display: none; }
.kept { margin: .8em 0 0; font-size: .95em; }
.kept a { color: inherit; }
.hand-in { background: var(--ground); border: 1px solid #d3d9e0; border-radius: .9em; padding: 1.2em 1.8em; }
.hand-in[hidden] { display: none; }
.hand-in h2 { font-size: 1.3em; margin: 0; }
.hand-in p { margin: .4em 0; }
.hand-in form { display: flex; flex-wrap: wrap; gap: .6em; align-items: end; margin: .6em 0; }
.hand-in label { flex: 1 1 14em; max-width: 24em; }
.hand-in input, .hand-in button { font: inherit; min-height: 2.75em; padding: .3em 1em; border-radius: .5em;
  color: inherit; background: inherit; border: 1px solid #79828b; box-sizing: border-box; }
.hand-in input { display: block; width: 100%; padding: .3em .6em; }
.hand-in button { cursor: pointer; }
.hand-in .save { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.hand-in :is(input, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main > .dmlviz { border-radius: .9em; border: 1px solid #d3d9e0; margin: 0 0 1.6em; }
@media (prefers-color-scheme: dark) {
  body { background: #0b0e12; color: #edf1f5; }
  .goal { color: #c6ced7; }
  main > .dmlviz, .hand-in { border-color: #2c343e; } }
@media (max-width: 520px) {
  main { padding: .8em .4em 2em; }
  h1 { font-size: 1.5em; }
  header { margin: .4em .6em 1em; }
  .goal { font-size: 1.1em; }
  .hand-in { padding: .9em .8em; } }
"""


def colour_rules(shown_ones: Iterable[Recorded]) -> str:
    """A rule for the colour of each identity, and of each of its shades, that some cell has."""
    colours = {
        (identity_of(cell), shade)
        for shown_one in shown_ones
        if shown_one.picture is not None
        for table in shown_one.picture.tables
        for cell in table.cells()
        if identity_of(cell) >= 0
        for shade in {-1, cell.shade}
    }
    rules = []
    for identity, shade in sorted(colours):
        ground, ink = cell_colours(identity, shade)
        where = f".dmlviz td.i{identity}{_shade_class(shade, '.')}"
        keys = f",.dmlviz .k{identity}" if shade == -1 else ""
        rules.append(f"{where}{keys}{{background:{ground};color:{ink}}}")
    return "".join(rules)


def section(exercise: Exercise, *, bare: bool = False, number: int = 0) -> Markup:
    """One experiment: what it is, its task, its tables, its steps; `number` is 0 where it stands alone."""
    picture, cover, task = exercise.shown.picture, exercise.cover, exercise.task
    name = exercise.title(number)
    texts = [] if bare else _exercise_texts(exercise, name)
    drawn = [] if picture is None else _picture_markup(picture, exercise, bare=bare)
    asked = [] if task is None else [_task_markup(task)]
    for_script: dict[str, Any] = {"words": of_script()}
    if picture is not None:
        has_memory = _has_memory(picture, task)
        way = way_of(exercise.shown.experiment)
        tables = [_table_data(picture, table, way, has_memory=has_memory) for table in picture.tables]
        for_script |= {"count": picture.steps.count, "tables": tables}
        if picture.steps.unit is not Unit.ELEMENT:
            for_script |= {"captions": picture.captions, "lit": picture.steps.unit is not Unit.WHOLE}
    if task is not None and cover is not None:
        for_script |= {"task": _task_data(task)}
        if picture is not None and cover.plays is not None:
            outputs = [(table.place.number, table.contents) for table in picture.tables if table.place.is_output]
            unplayed = {number: shown.flat[~cover.plays(number, shown.index)].tolist() for number, shown in outputs}
            for_script["task"]["covers"] = [[number, flat] for number, flats in unplayed.items() for flat in flats]
    return tag(
        "section",
        *texts,
        *asked,
        *drawn,
        json_script(for_script),
        class_="dmlviz" if cover is None else "dmlviz open",
        id=f"e{number}" if number else None,
        aria_label=name,
    )


def _exercise_texts(exercise: Exercise, name: str) -> list[Markup]:
    """Heading, meaning, fields, verdict with its reasons, notes; what a task asks for is covered."""
    shown_one, cover = exercise.shown, exercise.cover
    about_map = shown_one.meaning
    hidden = cover.hidden if cover is not None else frozenset[str]()
    then = shown_one.name if shown_one.name not in ("", name) else None
    title = operator_of(shown_one.experiment.desc).title
    blocks_of_text = [tag("h2", name, dir="auto", data_then=then), tag("p", title, class_="meaning")]
    if stage := exercise.stage():
        blocks_of_text.insert(1, tag("p", stage, class_="meaning", dir="auto"))
    if about_map.code:
        told_later = cover is not None and (cover.links or cover.plays is not None)
        blocks_of_text.append(tag("p", tag("code", about_map.code), class_="map covered" if told_later else "map"))
    fields = [
        tag("li", tag("b", name), tag("code", content), *more, class_="covered" if name in hidden else None)
        for name, content, more in _fields(exercise)
    ]
    report = shown_one.report
    reasons = [
        tag("li", tag("strong", check.severity.value), f" {check.id}: {check.message}") for check in shown_one.reasons
    ]
    if report.ok is None:
        about = [tag("p", f"{report.verdict.mark} {shown_one.verdict()}", class_="not-checked")]
    else:
        about = [tag("p", shown_one.verdict(), class_="validity" if report.ok else "validity invalid")]
    if reasons:
        about.append(tag("ul", *reasons, class_="reasons"))
    if shown_one.picture is None or (cover is not None and cover.picture):
        parts = shown_one.experiment.desc.parts
        for part in parts[:MOST_LISTED]:
            asked = cover is not None and cover.sizes(part.path)
            if asked:
                open_ = f"{part.path} {part.tensor.data_type.name} {{?}}"
                fields.append(tag("li", tag("code", open_), class_="asked-for"))
            fields.append(tag("li", tag("code", f"{part.path} {part.tensor}"), class_="covered" if asked else None))
        if left := len(parts[MOST_LISTED:]):
            fields.append(tag("li", counted("more_tensors", left)))
    # The rules are what some tasks ask; they are told with the answer then.
    told_later = cover is not None and cover.rules
    classes = "broken" * (bool(reasons) and not told_later), "covered" * told_later
    facts = [tag("ul", *fields, class_="chips")] if fields else []
    facts.append(tag("div", *about, class_=" ".join(filter(None, classes)) or None))
    blocks_of_text.append(tag("div", *facts, class_="facts"))
    notes, question = split_notes(shown_one.experiment.notes)
    # Of a desc that a task changes they would tell what isn't on the page.
    if (notes := printable(notes).strip()) and exercise.home is shown_one.experiment:
        blocks_of_text.append(tag("p", notes, class_="notes covered" if cover is not None else "notes", dir="auto"))
    if question and cover is None:
        blocks_of_text += [tag("p", question, class_="question", dir="auto"), ROOM]
    return blocks_of_text


def _fields(exercise: Exercise) -> Iterator[tuple[str, str, list[Markup]]]:
    """Name and content of each field that is no tensor, and what it was where a task changes it."""
    before = dict(fields_of(exercise.home))
    for name, content in exercise.shown.fields:
        is_other = before.get(name, content) != content
        yield name, content, [tag("small", words("instead_of", before=before[name]))] if is_other else []
    if exercise.home is not exercise.shown.experiment and exercise.home.values != exercise.shown.experiment.values:
        for part in exercise.shown.experiment.desc.inputs:
            if exercise.home.values.get(part.path) != exercise.shown.experiment.values.get(part.path):
                yield part.path, "", [tag("small", words("other_values"))]


def _picture_markup(picture: Picture, exercise: Exercise, *, bare: bool) -> list[Markup]:
    """The picture of a page: tables, key, formula line, controls, and steps in sentences."""
    left_out, task, cover = picture.tensors_left_out, exercise.task, exercise.cover
    sides = []
    named = (
        ("in", "inputs", picture.inputs, left_out[0]),
        ("out", "outputs", picture.outputs, left_out[1]),
    )
    for kind, key, tables, left in named:
        more = [tag("p", counted("more_tensors", left))] if left else []
        drawn = [
            table_markup(table, covered=cover is not None and cover.table(table.path, table.place.is_output))
            for table in tables
        ]
        heading = [] if bare else [tag("h3", words(key))]
        tensors = tag("div", *drawn, *more, class_="tensors")
        sides.append(tag("div", *heading, tensors, class_=f"side {kind}", role="group", aria_label=words(key)))
    marks = isinstance(task, Asked) and task.form in ("input", "inputs", "outputs")
    later = cover is not None and cover.picture
    classes = "picture", "markable" * marks, "covered" * later
    drawn_parts = [tag("div", *sides, class_=" ".join(filter(None, classes)))]
    if _has_memory(picture, task):
        hides = cover is not None and (not picture.shows_memory or cover.links or "memory" in cover.hidden)
        drawn_parts.append(tag("div", class_="memory", data_later=hides or None, hidden=True))
    told_later = " covered" * (cover is not None and (cover.links or cover.plays is not None))
    if not bare:
        drawn_parts += _colour_key(picture, told_later)
    line = tag(
        "p",
        class_=f"formula{' covered' * later}",
        role="status",
        aria_live="polite",
        data_empty=words("formula_empty"),
        data_touch=words("formula_touch"),
    )
    drawn_parts += [line, _controls(picture)]
    if not bare and (sentences := picture.told.sentences):
        listed = tag("ol", *(tag("li", sentence) for sentence in sentences))
        note = [tag("p", words("more_steps"))] if len(sentences) < picture.told.count else []
        inner = tag("summary", words("in_words")), listed, *note
        drawn_parts.append(tag("details", *inner, class_=told_later.strip() or None))
    return drawn_parts


def _colour_key(picture: Picture, told_later: str) -> list[Markup]:
    """What colours and marks stand for; swatches of what no step has told yet are left out by the page's program."""
    cells = [cell for table in picture.tables for cell in table.cells()]
    seen = sorted({cell.identity for cell in cells if cell.identity >= 0})
    filled = any(cell.is_nowhere for cell in cells)
    if not seen and not filled:
        return []
    signs = {cell.sign for cell in cells}
    marks = ["clamped"] * ("!" in signs) + ["negative"] * ("-" in signs)
    if any(cell.is_unread for cell in cells):
        marks.append("unread")
    if any(cell.shade >= 0 for cell in cells):
        marks.append("shaded")
    swatches = [
        tag("span", letter(identity), class_=f"k{identity}", data_identity=identity, aria_hidden="true")
        for identity in seen[:MOST_KEYS]
    ]
    if filled:
        kind = f"k{FROM_NOWHERE}"
        swatches.append(tag("span", NOWHERE_SIGN, class_=kind, data_identity=FROM_NOWHERE, aria_hidden="true"))
        marks.append("nowhere")
    more = ["…"] if len(seen) > MOST_KEYS else []
    legend = words("key", what=picture.trace.colours.identity_of)
    path = picture.trace.operator.constant_path
    told = "; ".join((legend, *(words(mark, path=path) for mark in marks)))
    return [tag("p", *swatches, *more, f"{told}.", class_=f"key{told_later}")]


def _controls(picture: Picture) -> Markup:
    """The buttons and the slider that go through the steps, hidden until the page's program runs."""
    count = picture.steps.count

    def button(kind: str) -> Markup:
        drawn = (
            tag("svg", tag("path", d=path), viewBox="0 0 16 16", class_=name, aria_hidden="true")
            for name, path in ICONS[kind].items()
        )
        return tag("button", *drawn, type="button", class_=kind, aria_label=words(kind), title=words(kind))

    by = words("step_by", unit=picture.steps.unit.value)
    return tag(
        "div",
        *map(button, ("first", "back", "play", "next", "last")),
        tag("input", type="range", min=0, max=count, value=count, aria_label=by),
        tag("span", words("step_of", step=count, count=count), class_="now", role="status"),
        class_="steps",
        role="group",
        aria_label=words("steps"),
        hidden=True,
    )


ICONS = {
    "first": {"go": "M2 3h2v10H2zM14 3v10L5 8z"},
    "back": {"go": "M11 2L5 8l6 6 1.5-1.5L8 8l4.5-4.5z"},
    "play": {"go": "M4 2v12l10-6z", "stop": "M3 3h4v10H3zM9 3h4v10H9z"},
    "next": {"go": "M5 2l6 6-6 6-1.5-1.5L8 8 3.5 3.5z"},
    "last": {"go": "M12 3h2v10h-2zM2 3v10l9-5z"},
}
"""Paths of what the buttons show, 16 by 16."""


def table_markup(table: Table, *, covered: bool = False, squares: bool = True) -> Markup:
    """A tensor with its headings, all written: what stands where scripts are left out; with `squares`, more of it."""
    cells = table.cells()
    heads = [tag("th", table.column_head(n), scope="col") for n in range(table.columns)]
    corner = [tag("td")] if table.figure.down else []
    head = [tag("thead", tag("tr", *corner, *heads))] if table.figure.across else []
    rows = []
    for row in range(table.rows):
        row_cells = []
        for cell in cells[row * table.columns : (row + 1) * table.columns]:
            identity = identity_of(cell)
            coloured = f"i{identity}{_shade_class(cell.shade, ' ')}" if identity >= 0 else ""
            classes = [coloured, SIGN_CLASSES.get(cell.sign, ""), "unread" * cell.is_unread]
            mark = [tag("i", cell.letter, aria_hidden="true")] if cell.letter else []
            row_cells.append(tag("td", *mark, cell.text, class_=" ".join(filter(None, classes)) or None))
        first = [tag("th", table.row_head(row), scope="row")] if table.figure.down else []
        rows.append(tag("tr", *first, *row_cells))
    about = [tag("small", text) for text in (tensor_words(table), axes_words(table)) if text]
    caption = tag("caption", table.path, *about)
    note = left_out_words(table)
    widest = max(map(len, table.contents.texts), default=1)
    whole = tag("table", caption, *head, tag("tbody", *rows), class_=_size_class(table), style=f"--text:{widest}")
    drawn_small = blocks(table) if squares else None
    more = [*([tag("p", note)] if note else []), *([drawn_small] if drawn_small is not None else [])]
    asked = [asked_for(table.path)] if covered else []
    kind = "scroll covered" if covered else "scroll"
    longest = max(len(table.path), *(len(text) * 4 // 5 for text in (tensor_words(table), axes_words(table))))
    named = f"--name:{min(longest, MOST_NAME)}"
    drawn = tag("div", whole, *more, class_=kind, role="group", aria_label=table.path, style=named)
    return Markup("".join((*asked, drawn)))


def asked_for(path: str) -> Markup:
    """What stands in the place of a tensor that an open question covers."""
    return tag("p", tag("b", path), " {?}", class_="asked-for")


def _size_class(table: Table) -> str | None:
    """Cells of a small tensor are large, so that the back of a room reads them; many are smaller than usual."""
    widest = max(map(len, table.contents.texts), default=0)
    if table.rows <= BIG_ROWS and table.columns * (widest + 2) <= BIG_CHARACTERS:
        return "big"
    return "small" if table.columns > MOST_USUAL or table.rows > MOST_USUAL else None


def _has_memory(picture: Picture, task: Asked | Unasked | None) -> bool:
    """True where linear memory is drawn: its picture shows that, or an answer's verdict says to look there."""
    return picture.shows_memory or (isinstance(task, Asked) and task.names_memory)


def _table_data(picture: Picture, table: Table, way: Callable[..., str] | None, *, has_memory: bool) -> dict[str, Any]:
    """What the page's program has to know of a table's cells besides what they show."""
    contents, cells = table.contents, table.cells()
    told = [picture.said_of(table, n) for n in range(len(cells))]
    if way is not None and table.place.is_output:
        told = [f"{text}; {way(table.place.number, table.index(n))}" for n, text in enumerate(told)]
    table_data = place_data(table) | {
        "identity": [*map(identity_of, cells)],
        "shade": [cell.shade for cell in cells],
        "sign": [cell.sign for cell in cells],
        "told": table.told.tolist(),
        "placed": table.placed.tolist(),
        "unread": [int(cell.is_unread) for cell in cells],
        "said": told,
    }
    if has_memory and is_data(table):
        said = words("memory_of", path=table.path), words("memory_at", path=table.path, first="{first}", last="{last}")
        table_data |= {"memory": said, "item": table.figure.part.tensor.data_type.item_size}
    if contents.source is not None:
        table_data |= {"source": contents.source[0].tolist(), "from": contents.source[1].tolist()}
    if contents.via is not None:
        table_data |= {"via": contents.via[1].tolist(), "by": contents.via[0]}
    return table_data


def place_data(table: Table) -> dict[str, Any]:
    """Which tensor a table is of, and which of its elements it shows."""
    return {
        "out": table.place.is_output,
        "number": table.place.number,
        "path": table.path,
        "sizes": list(table.figure.part.tensor.sizes),
        "columns": table.columns,
        "data": is_data(table),
        "flat": table.contents.flat.tolist(),
    }


# ---- tasks


def _task_markup(task: Asked | Unasked) -> Markup:
    """What a task asks and how it is answered, or why it isn't asked."""
    question = task.question
    if question is None:
        prompt = [tag("p", task.prompt, dir="auto")] if task.prompt else []
        return tag("div", *prompt, tag("p", task.reason if isinstance(task, Unasked) else ""), class_="unasked")
    inner: list[Markup] = []
    if isinstance(task, Unasked):
        inner.append(tag("p", task.reason, class_="about screen"))
        if question.kind.form.how == "edit" and question.goal is not None:
            goal = Choice("", "", question.goal)
            drawn = tag("p", words("goal")), *_pictured_outputs(goal, words("goal"))
            inner.append(tag("div", *drawn, class_="goals", tabindex=0, role="group", aria_label=words("goal")))
        inner.append(ROOM)
    else:
        is_marked = task.form in ("input", "inputs", "outputs")
        hint = [tag("p", words(f"mark_{task.form}"), class_="screen")] if is_marked or task.form == "choices" else []
        hint += [tag("p", words("mark_on_paper"), class_="paper")] if is_marked else []
        inner = [*chain_markup(question), *hint, *entry_markup(question, task.form, task.options)]
    buttons = [tag("button", words("answer"), type="button", class_="answer")] if isinstance(task, Asked) else []
    buttons += [
        tag("button", words("ask_hint"), type="button", class_="hint"),
        tag("button", words("show_answer"), type="button", class_="show"),
    ]
    if isinstance(task, Asked) and task.about and task.about not in task.prompt:
        inner.insert(0, tag("p", words("about", element=task.about), class_="about"))
    legend = tag("legend", task.prompt, dir="auto")
    return tag(
        "form",
        tag("fieldset", legend, *inner, tag("div", *buttons, class_="buttons", hidden=True)),
        tag("noscript", tag("p", words("needs_script"))),
        tag("p", class_="verdict", role="status", aria_live="polite"),
        class_="task",
        autocomplete="off",  # a page that is loaded again has nothing chosen
    )


def chain_markup(question: Question) -> list[Markup]:
    """What a question about a chain shows: its inputs, and each stage in a line; [] of another."""
    lines = []
    for title, sizes, values in question.kind.lines(question):
        option = Choice("", "", Drawn(((sizes, values),)) if values else None)
        lines.append(tag("li", tag("code", title, dir="auto"), *_pictured_outputs(option, title)))
    return [tag("ul", *lines, class_="chips stages")] if lines else []


def entry_markup(
    question: Question, form: str, options: Sequence[Choice], *, lettered: bool = False, **typed: str | int
) -> list[Markup]:
    """What an answer is given in: boxes, or a text field that has the attributes `typed`; cells are marked elsewhere.

    A wall that is `lettered` has a letter for what fits nowhere, too.
    """
    none = none_markup(question) if not lettered else []
    if form.startswith("choice"):
        many = form == "choices"
        boxes = (option_markup(option, many, lettered=lettered) for option in options)
        return [tag("div", *boxes, *none, class_="options many" if many else "options")]
    if form in ("input", "inputs", "outputs"):
        return [tag("div", each, class_="options") for each in none]
    keys = "numeric" if form == "number" else None
    field = tag("input", type="text", name="answer", autocomplete="off", spellcheck="false", inputmode=keys, **typed)
    return [tag("label", words(f"type_{form}"), field)]


def asked_range(question: Question) -> list[Any] | None:
    """The element that is asked about: side, number, its first flat index and the one behind the last; or None."""
    at = question.at
    if at is None or not element_of(question):
        return None
    sizes, count = part_at(question.subject, at.place).tensor.sizes, len(at.index)
    first = flat_in((*at.index, *[0] * (len(sizes) - count)), sizes)
    return [at.place.is_output, at.place.number, first, first + math.prod(sizes[count:])]


def _pictured_outputs(option: Choice, label: str) -> list[Markup]:
    """The outputs of a choice as tables."""
    tables = option.picture.tables if option.picture is not None else []
    lines = ([tag("tr", *(tag("td", text) for text in row)) for row in rows] for rows in tables)
    return [tag("table", tag("tbody", *rows), aria_label=label) for rows in lines]


def option_markup(option: Choice, many: bool, *, lettered: bool = False) -> Markup:
    """One choice, as text or as tables, with its box to mark, and its key where that is a letter on a wall, too."""
    pictured = _pictured_outputs(option, words("choice", letter=option.id))
    name = [tag("b", option.id)] if option.picture or not option.text or lettered else []
    control = tag("input", type="checkbox" if many else "radio", name="answer", value=option.id)
    return tag("label", control, *name, option.text, *pictured)


def none_markup(question: Question) -> list[Markup]:
    """The box that says that nothing fits; [] where something has to."""
    task, subject = task_of(question), question.subject
    if not task.takes_none:
        return []
    text = subject.sentence("valid.option") if task.how == "tick" else words("none")
    if not question.kind.form.takes_several:
        text = subject.sentence("answer.nowhere")
    return [tag("label", tag("input", type="checkbox", name="none"), text)]


def _task_data(task: Asked | Unasked) -> dict[str, Any]:
    """What the page's program has to know to grade a task and to give hints."""
    question, cover = task.question, task.cover
    assert question is not None
    assert cover is not None
    hints = [question.hint(number) for number in range(1, 5)]
    task_data: dict[str, Any] = {
        "form": "none",
        "links": cover.links,
        "outputs": cover.outputs,
        "plays": cover.plays is not None,
        "shown": hints[3],
        "hints": hints,
        "then": task.then,
    }
    if isinstance(task, Unasked):
        return task_data
    task_data |= {
        "id": task.id,
        "operator": question.subject.operator.name,
        "kind": question.kind.name,
        "seed": question.seed,
        "listed": isinstance(question.truth, tuple),
        "form": task.form,
        "type": task.data_type,
        "truth": task.truth,
        "verdicts": {key: _reply_json(verdict) for key, verdict in task.verdicts.items()},
        "other": _reply_json(task.other),
        "firsts": [_reply_json(verdict) for verdict in task.firsts],
        "at": asked_range(question),
    }
    if task.none is not None:
        task_data["none"] = _reply_json(task.none)
    return task_data


def _reply_json(feedback: Reply) -> dict[str, Any]:
    return {"right": feedback.right, "feedback": feedback.says, "look": feedback.look, "rules": feedback.rules}


def _shade_class(shade: int, before: str) -> str:
    """The class of a shade behind `before`; "" for none."""
    if shade == -1:
        return ""
    return f"{before}s{'m' if shade == MUTED else shade}"


def digest(text: str) -> str:
    """The SHA-256 of a text, in base64."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
