"""`html`: a session as one page with its steps, provenance and tasks; it loads nothing, and asks no network."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..desc.fields import Role
from ..scene.colour.palette import MUTED, letter
from ..session.experiments import Session
from ..session.notes import printable, split_notes
from ..teaching.answers import shown
from ..teaching.lessons import lesson_of
from .blocks import blocks
from .colours import cell_colours
from .html_text import Markup, json_script, tag
from .pictures import Picture, Recorded, axes_words, left_out_words, recorded, tensor_words
from .tables import Table, is_data, signs_of
from .tasks import Asked, Option, Said, Unasked, tasks_of

FOLDER = Path(__file__).parent
MOST_TENSORS = 32
"""Tensors of an invalid desc that are listed."""
MOST_KEYS = 16
"""Colours that the key shows."""
MOST_NAME = 24
"""Characters of a tensor's name for which there is room even on a phone; longer ones scroll with their cells."""
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


def html_page(session: Session, *, bare: bool = False) -> str:
    """The session as a page; `bare` leaves all but the pictures and their steps out."""
    shown_ones = [recorded(each) for each in session.experiments]
    tasks: Sequence[Asked | Unasked | None] = [None] * len(shown_ones) if bare else tasks_of(session)
    parts = [
        section(each, task, bare=bare, id_=f"e{number}")
        for number, (each, task) in enumerate(zip(shown_ones, tasks, strict=True), 1)
    ]
    title = printable(session.title) or (shown_ones[0].name if shown_ones else "") or "dmlviz"
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script())}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        Markup(f"<style>{style()}{PAGE_STYLE}{colour_rules(shown_ones)}</style>"),
    )
    heading = [] if bare else _heading(session, title, shown_ones)
    body = tag("body", tag("main", *heading, *parts), Markup(f"<script>{script()}</script>"))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _heading(session: Session, title: str, shown_ones: Sequence[Recorded]) -> list[Markup]:
    """Title, a lesson's goal, and the way to each of several experiments."""
    inner = [tag("h1", title, dir="auto")]
    lesson = lesson_of(session)
    if lesson is not None and (goal := printable(lesson.goal.said(lesson.lang))):
        inner.append(tag("p", goal, class_="goal", dir="auto"))
    made = [tag("header", *inner)]
    if len(shown_ones) > 1:
        ways = (
            tag("li", tag("a", each.name or "Experiment", href=f"#e{number}", dir="auto"))
            for number, each in enumerate(shown_ones, 1)
        )
        made.append(tag("nav", tag("ol", *ways), aria_label="Experiments"))
    return made


def html_fragment(shown_one: Recorded) -> str:
    """One experiment as a piece of a page, as notebooks show it; without scripts it stands with all written."""
    styles = Markup(f"<style>{style()}{colour_rules([shown_one])}</style>")
    return f"<div>{styles}{section(shown_one, None)}<script>{script()}</script></div>"


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
  border-radius: .6em; background: #ffffff; color: #0b5cad; text-decoration: none;
  border: 1px solid #c6cdd5; counter-increment: e; }
nav a::before { content: counter(e) "  "; color: #4f575f; white-space: pre; }
nav a:hover, nav a:focus-visible { border-color: #0b5cad; outline: 2px solid #0b5cad; }
main > .dmlviz { border-radius: .9em; border: 1px solid #d3d9e0; margin: 0 0 1.6em; }
@media (prefers-color-scheme: dark) {
  body { background: #0b0e12; color: #edf1f5; }
  .goal { color: #c6ced7; }
  nav a { background: #161a20; color: #7db8ff; border-color: #566270; }
  nav a::before { color: #b7c0ca; }
  nav a:hover, nav a:focus-visible { border-color: #7db8ff; outline-color: #7db8ff; }
  main > .dmlviz { border-color: #2c343e; } }
@media (max-width: 520px) {
  main { padding: .8em .4em 2em; }
  h1 { font-size: 1.8em; }
  header { margin: .4em .6em 1em; }
  .goal { font-size: 1.1em; } }
@media print {
  body { background: #ffffff; color: #000000; }
  nav { display: none; }
  main { padding: 0; }
  main > .dmlviz { border: 0; } }
"""


def colour_rules(shown_ones: Iterable[Recorded]) -> str:
    """A rule for the colour of each identity, and of each of its shades, that some cell has."""
    found = {
        (cell.identity, shade)
        for each in shown_ones
        if each.picture is not None
        for table in each.picture.tables
        for cell in table.at(each.picture.known(each.picture.steps.count))
        if cell.identity >= 0
        for shade in {-1, cell.shade}
    }
    made = []
    for identity, shade in sorted(found):
        ground, ink = cell_colours(identity, shade)
        where = f".dmlviz td.i{identity}{_shade_class(shade, '.')}"
        keys = f",.dmlviz .k{identity}" if shade == -1 else ""
        made.append(f"{where}{keys}{{background:{ground};color:{ink}}}")
    return "".join(made)


def section(shown_one: Recorded, task: Asked | Unasked | None, *, bare: bool = False, id_: str | None = None) -> Markup:
    """One experiment: what it is, its task, its tables, its steps."""
    picture = shown_one.picture
    words = [] if bare else _words(shown_one, task)
    drawn = [] if picture is None else _drawn(picture, task, bare=bare)
    asked = [] if task is None else [_task(task)]
    data: dict[str, Any] = {}
    if picture is not None:
        data = {"count": picture.steps.count, "tables": [_table_data(picture, each) for each in picture.tables]}
    if isinstance(task, Asked):
        data |= {"task": _task_data(task)}
    return tag(
        "section",
        *words,
        *asked,
        *drawn,
        json_script(data),
        class_="dmlviz",
        id=id_,
        aria_label=shown_one.name or "Experiment",
    )


def _words(shown_one: Recorded, task: Asked | Unasked | None) -> list[Markup]:
    """Heading, meaning, fields, verdict with its reasons, notes; what a task asks for is covered."""
    found = shown_one.meaning
    hidden = task.question.hidden if isinstance(task, Asked) else frozenset[str]()
    made = [tag("h2", shown_one.name or "Experiment", dir="auto"), tag("p", found.sentence, class_="meaning")]
    if found.code:
        made.append(tag("p", tag("code", found.code), class_="map covered"))
    fields = [
        tag("li", tag("b", name), tag("code", held), class_="covered" if name in hidden else None)
        for name, held in shown_one.fields
    ]
    ok = shown_one.report.ok
    reasons = [
        tag("li", tag("strong", check.severity.value), f" {check.id}: {check.message}") for check in shown_one.reasons
    ]
    about = [tag("p", shown_one.verdict, class_="validity" if ok else "validity invalid")]
    if reasons:
        about.append(tag("ul", *reasons, class_="reasons"))
    if shown_one.picture is None:
        tensors = (f"{part.path} {part.tensor}" for part in shown_one.experiment.desc.parts[:MOST_TENSORS])
        fields += (tag("li", tag("code", each)) for each in tensors)
    # The rules are what some tasks ask; they are told with the answer then.
    told_later = not hidden.isdisjoint(("rules", "levels", "feature_level"))
    classes = "broken" * bool(reasons), "covered" * told_later
    facts = [tag("ul", *fields, class_="chips")] if fields else []
    facts.append(tag("div", *about, class_=" ".join(filter(None, classes)) or None))
    made.append(tag("div", *facts, class_="facts"))
    notes, question = split_notes(shown_one.experiment.notes)
    if notes := printable(notes).strip():
        made.append(tag("p", notes, class_="notes", dir="auto"))
    if question:
        made.append(tag("p", question, class_="question", dir="auto"))
    return made


def _drawn(picture: Picture, task: Asked | Unasked | None, *, bare: bool) -> list[Markup]:
    left_out = picture.tensors_left_out
    sides = []
    for name, tables, left in (("Inputs", picture.inputs, left_out[0]), ("Outputs", picture.outputs, left_out[1])):
        more = [tag("p", f"… {left:,} more tensor{'s' * (left != 1)}")] if left else []
        drawn = [_table(picture, each, covered=isinstance(task, Asked) and task.hides(each)) for each in tables]
        heading = [] if bare else [tag("h3", name)]
        tensors = tag("div", *drawn, *more, class_="tensors")
        sides.append(tag("div", *heading, tensors, class_="side", role="group", aria_label=name))
    marks = isinstance(task, Asked) and task.form in ("input", "inputs", "outputs")
    made = [tag("div", *sides, class_="picture markable" if marks else "picture")]
    if not bare:
        made += _key(picture)
    made += [tag("p", class_="formula", role="status", aria_live="polite"), _controls(picture)]
    sentences = picture.sentences
    if sentences and not bare:
        left = picture.steps.count - len(sentences)
        listed = tag("ol", *(tag("li", each) for each in sentences))
        note = [tag("p", "… and more steps")] if left > 0 and len(sentences) > 1 else []
        made.append(tag("details", tag("summary", "The steps in words"), listed, *note, class_="covered"))
    return made


MARKS = {
    "clamped": "! its index or length is outside the range, and clamped",
    "negative": "− its index counts from the end",
    "unread": "dashed: read by no output",
    "shaded": "shades run from light to dark along what is reversed",
}


def _key(picture: Picture) -> list[Markup]:
    """What colours and marks stand for; swatches of what no step has told yet are left out by the page's program."""
    cells = [cell for table in picture.tables for cell in table.at(picture.known(picture.steps.count))]
    seen = sorted({cell.identity for cell in cells if cell.identity >= 0})
    if not seen:
        return []
    signs = {cell.sign for cell in cells}
    marks = [MARKS["clamped"]] * ("!" in signs) + [MARKS["negative"]] * ("-" in signs)
    if any(table.grid.counts is not None and (table.grid.counts == 0).any() for table in picture.tables):
        marks.append(MARKS["unread"])
    if any(cell.shade >= 0 for cell in cells):
        marks.append(MARKS["shaded"])
    swatches = [
        tag("span", letter(each), class_=f"k{each}", data_identity=each, aria_hidden="true")
        for each in seen[:MOST_KEYS]
    ]
    more = ["…"] if len(seen) > MOST_KEYS else []
    said = f"A colour and its letter stand for {picture.trace.colours.identity_of}, the same on both sides"
    return [
        tag("p", *swatches, *more, f"{'; '.join((said, *marks))}.", class_="key covered"),
    ]


def _controls(picture: Picture) -> Markup:
    count = picture.steps.count

    def button(kind: str, label: str) -> Markup:
        drawn = (
            tag("svg", tag("path", d=path), viewBox="0 0 16 16", class_=name, aria_hidden="true")
            for name, path in ICONS[kind].items()
        )
        return tag("button", *drawn, type="button", class_=kind, aria_label=label, title=label)

    return tag(
        "div",
        button("first", "Before the first step"),
        button("back", "One step back"),
        button("play", "Play"),
        button("next", "One step on"),
        button("last", "All steps"),
        tag("input", type="range", min=0, max=count, value=count, aria_label=f"Step by {picture.steps.unit.value}"),
        tag("span", f"step {count} of {count}", class_="now", role="status"),
        class_="steps",
        role="group",
        aria_label="Steps",
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


def _table(picture: Picture, table: Table, *, covered: bool) -> Markup:
    """A tensor with its headings, all written: what stands where scripts are left out."""
    cells = table.at(picture.known(picture.steps.count))
    signs = {"!": "clamped", "-": "negative", "": ""}
    counts = table.grid.counts
    heads = [tag("th", table.column_head(n), scope="col") for n in range(table.columns)]
    corner = [tag("td")] if table.figure.down else []
    head = [tag("thead", tag("tr", *corner, *heads))] if table.figure.across else []
    rows = []
    for row in range(table.rows):
        made = []
        for n in range(row * table.columns, (row + 1) * table.columns):
            cell = cells[n]
            coloured = f"i{cell.identity}{_shade_class(cell.shade, ' ')}" if cell.identity >= 0 else ""
            classes = [coloured, signs[cell.sign]]
            if counts is not None and counts[n] == 0:
                classes.append("unread")
            mark = [tag("i", cell.letter, aria_hidden="true")] if cell.letter else []
            made.append(tag("td", *mark, cell.text, class_=" ".join(filter(None, classes)) or None))
        first = [tag("th", table.row_head(row), scope="row")] if table.figure.down else []
        rows.append(tag("tr", *first, *made))
    about = [tag("small", each) for each in (tensor_words(table), axes_words(table)) if each]
    caption = tag("caption", table.path, *about)
    note = left_out_words(table)
    widest = max(map(len, table.grid.texts), default=1)
    whole = tag("table", caption, *head, tag("tbody", *rows), class_=_size_class(table), style=f"--text:{widest}")
    more = [*([tag("p", note)] if note else []), *filter(None, [blocks(table)])]
    kind = "scroll covered" if covered else "scroll"
    longest = max(len(table.path), *(len(each) * 4 // 5 for each in (tensor_words(table), axes_words(table))))
    named = f"--name:{min(longest, MOST_NAME)}"
    return tag("div", whole, *more, class_=kind, role="group", aria_label=table.path, style=named)


def _size_class(table: Table) -> str | None:
    """Cells of a small tensor are large, so that the back of a room reads them; many are smaller than usual."""
    widest = max(map(len, table.grid.texts), default=0)
    if table.rows <= BIG_ROWS and table.columns * (widest + 2) <= BIG_CHARACTERS:
        return "big"
    return "small" if table.columns > MOST_USUAL or table.rows > MOST_USUAL else None


def _table_data(picture: Picture, table: Table) -> dict[str, Any]:
    """What the page's program has to know of a table's cells besides what they show."""
    grid = table.grid
    count = len(grid.texts)
    cells = table.at(picture.known(picture.steps.count))
    made: dict[str, Any] = {
        "out": table.place.is_output,
        "number": table.place.number,
        "path": table.path,
        "sizes": list(table.figure.part.tensor.sizes),
        "columns": table.columns,
        "data": is_data(table),
        "flat": grid.flat.tolist(),
        "identity": grid.identity.tolist(),
        "shade": [cell.shade for cell in cells],
        "sign": signs_of(grid, table.place.is_output),
        "told": table.told.tolist(),
        "placed": table.placed.tolist(),
        "unread": [0] * count if grid.counts is None else (grid.counts == 0).astype(int).tolist(),
        "said": [picture.said(table, n) for n in range(count)],
    }
    if grid.source is not None:
        made |= {"source": grid.source[0].tolist(), "from": grid.source[1].tolist()}
    if grid.via is not None:
        by = next(k for k, part in enumerate(picture.trace.inputs) if part.field.role in (Role.INDICES, Role.LENGTHS))
        made |= {"via": grid.via.tolist(), "by": by}
    return made


# ---- tasks


def _task(task: Asked | Unasked) -> Markup:
    if isinstance(task, Unasked):
        prompt = [tag("p", task.prompt, dir="auto")] if task.prompt else []
        return tag("div", *prompt, tag("p", task.reason), class_="unasked")
    if task.form.startswith("choice"):
        many = task.form == "choices"
        inner = [tag("div", *(_option(each, many) for each in task.options), class_="options")]
    elif task.form in ("input", "inputs", "outputs"):
        side = "an output" if task.form == "outputs" else "an input"
        several = "Mark the cells" if task.form.endswith("s") else "Mark one cell"
        inner = [tag("p", f"{several} of {side} with a click, or with the arrow keys and Enter; then answer.")]
    else:
        how = {"values": "Values, with blanks between them", "number": "A whole number", "sizes": "Sizes such as 4, 2"}
        label = how[task.form]
        keys = "numeric" if task.form == "number" else None
        typed = tag("input", type="text", name="answer", autocomplete="off", spellcheck="false", inputmode=keys)
        inner = [tag("label", label, typed)]
    buttons = [
        tag("button", "Answer", type="button", class_="answer"),
        tag("button", "Hint", type="button", class_="hint"),
        tag("button", "Show the answer", type="button", class_="show"),
    ]
    about = task.about
    if about and about not in task.prompt:
        inner.insert(0, tag("p", "It is about ", tag("code", about), ".", class_="about"))
    legend = tag("legend", task.prompt, dir="auto")
    return tag(
        "form",
        tag("fieldset", legend, *inner, tag("div", *buttons, class_="buttons", hidden=True)),
        tag("p", class_="verdict", role="status", aria_live="polite"),
        class_="task",
    )


def _at(task: Asked) -> list[Any] | None:
    """The same for the page's program: side, number, the first flat index and the one behind the last."""
    at = task.question.at
    if not task.about or at is None:
        return None
    sizes, first = task.part(at.place).tensor.sizes, 0
    for d, size in enumerate(sizes):
        first = first * size + (at.index[d] if d < len(at.index) else 0)
    return [at.place.is_output, at.place.number, first, first + math.prod(sizes[len(at.index) :])]


def _option(option: Option, many: bool) -> Markup:
    pictured = []
    for sizes, values in option.outputs:
        across = sizes[-1] if sizes else 1
        texts = [shown(each) for each in values]
        rows = [texts[at : at + across] for at in range(0, len(texts), across)]
        body = tag("tbody", *(tag("tr", *(tag("td", text) for text in row)) for row in rows))
        pictured.append(tag("table", body, aria_label=f"choice {option.key}"))
    name = [tag("b", option.key)] if option.outputs or not option.text else []
    control = tag("input", type="checkbox" if many else "radio", name="answer", value=option.key)
    return tag("label", control, *name, option.text, *pictured)


def _task_data(task: Asked) -> dict[str, Any]:
    held: dict[str, Any] = {
        "form": task.form,
        "type": task.data_type,
        "truth": task.truth,
        "shown": task.question.hint(4),
        "verdicts": {key: _said(each) for key, each in task.verdicts.items()},
        "other": _said(task.other),
        "firsts": [_said(each) for each in task.firsts],
        "hints": task.hints,
        "then": task.then,
        "at": _at(task),
    }
    if task.none is not None:
        held["none"] = _said(task.none)
    return held


def _said(said: Said) -> dict[str, Any]:
    return {"right": said.right, "feedback": said.feedback, "look": said.look}


def _shade_class(shade: int, before: str) -> str:
    if shade == -1:
        return ""
    return f"{before}s{'m' if shade == MUTED else shade}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
