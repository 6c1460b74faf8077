"""`html`: a session as one page with its steps, provenance and tasks; it loads nothing, and asks no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..desc.fields import Role
from ..scene.colour.palette import MUTED
from ..session.experiments import Session
from ..session.notes import printable
from ..teaching.answers import shown
from .blocks import blocks
from .colours import cell_colours
from .html_text import Markup, json_script, tag
from .pictures import Picture, Recorded, axes_words, left_out_words, recorded, tensor_words
from .tables import Table, is_data, signs_of
from .tasks import Asked, Option, Said, Unasked, tasks_of

FOLDER = Path(__file__).parent
MOST_TENSORS = 32
"""Tensors of an invalid desc that are listed."""


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
    parts = [section(each, task, bare=bare) for each, task in zip(shown_ones, tasks, strict=True)]
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
    heading = [] if bare else [tag("h1", title, dir="auto")]
    body = tag("body", tag("main", *heading, *parts), Markup(f"<script>{script()}</script>"))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def html_fragment(shown_one: Recorded) -> str:
    """One experiment as a piece of a page, as notebooks show it; without scripts it stands with all written."""
    styles = Markup(f"<style>{style()}{colour_rules([shown_one])}</style>")
    return f"<div>{styles}{section(shown_one, None)}<script>{script()}</script></div>"


PAGE_STYLE = """
body { margin: 0; background: #ffffff; color: #14181d; }
h1 { font: bold 1.5em/1.3 system-ui, sans-serif; margin: .6em .7em; overflow-wrap: anywhere; }
.dmlviz + .dmlviz { border-top: 1px solid #79828b; }
@media (prefers-color-scheme: dark) { body { background: #0f1216; color: #e8edf2; } }
@media print { body { background: #ffffff; color: #000000; } }
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
        made.append(f".dmlviz td.i{identity}{_shade_class(shade, '.')}{{background:{ground};color:{ink}}}")
    return "".join(made)


def section(shown_one: Recorded, task: Asked | Unasked | None, *, bare: bool = False) -> Markup:
    """One experiment: what it is, its tables, its steps, its task."""
    picture = shown_one.picture
    words = [] if bare else _words(shown_one, task)
    drawn = [] if picture is None else _drawn(picture, task, bare=bare)
    asked = [] if task is None else [_task(task)]
    data: dict[str, Any] = {}
    if picture is not None:
        data = {"count": picture.steps.count, "tables": [_table_data(picture, each) for each in picture.tables]}
    if isinstance(task, Asked):
        data |= {"task": _task_data(task), "covers": True}
    return tag(
        "section", *words, *asked, *drawn, json_script(data), class_="dmlviz", aria_label=shown_one.name or "Experiment"
    )


def _words(shown_one: Recorded, task: Asked | Unasked | None) -> list[Markup]:
    """Heading, meaning, fields, verdict with its reasons, notes."""
    found = shown_one.meaning
    code = [" ", tag("code", found.code)] if found.code else []
    fields = ", ".join(f"{name} {held}" for name, held in shown_one.fields)
    made = [
        tag("h2", shown_one.name or "Experiment", dir="auto"),
        tag("p", found.sentence, tag("span", *code, class_="covered"), class_="meaning"),
    ]
    if fields:
        made.append(tag("p", tag("code", fields), class_="fields"))
    ok = shown_one.report.ok
    reasons = [
        tag("li", tag("strong", check.severity.value), f" {check.id}: {check.message}") for check in shown_one.reasons
    ]
    about = [tag("p", shown_one.verdict, class_="validity" if ok else "validity invalid")]
    if reasons:
        about.append(tag("ul", *reasons, class_="reasons"))
    if shown_one.picture is None:
        tensors = (f"{part.path} {part.tensor}" for part in shown_one.experiment.desc.parts[:MOST_TENSORS])
        made.append(tag("ul", *(tag("li", tag("code", each)) for each in tensors), class_="tensors"))
    # The rules are what some tasks ask; they are told with the answer then.
    hidden = isinstance(task, Asked) and not task.question.hidden.isdisjoint(("rules", "levels", "feature_level"))
    made.append(tag("div", *about, class_="covered" if hidden else "told"))
    if shown_one.notes.strip():
        made.append(tag("p", shown_one.notes.strip(), class_="notes", dir="auto"))
    return made


def _drawn(picture: Picture, task: Asked | Unasked | None, *, bare: bool) -> list[Markup]:
    left_out = picture.tensors_left_out
    sides = []
    for name, tables, left in (("Inputs", picture.inputs, left_out[0]), ("Outputs", picture.outputs, left_out[1])):
        more = [tag("p", f"… {left:,} more tensor{'s' * (left != 1)}")] if left else []
        drawn = [_table(picture, each, covered=isinstance(task, Asked) and task.hides(each)) for each in tables]
        sides.append(tag("div", *drawn, *more, class_="side", role="group", aria_label=name))
    made = [tag("div", *sides, class_="picture"), _controls(picture)]
    made.append(tag("p", class_="formula", role="status", aria_live="polite"))
    sentences = picture.sentences
    if sentences and not bare:
        left = picture.steps.count - len(sentences)
        listed = tag("ol", *(tag("li", each) for each in sentences))
        note = [tag("p", "… and more steps")] if left > 0 and len(sentences) > 1 else []
        made.append(tag("details", tag("summary", "The steps in words"), listed, *note, class_="covered"))
    return made


def _controls(picture: Picture) -> Markup:
    count = picture.steps.count

    def button(kind: str, text: str, label: str) -> Markup:
        return tag("button", text, type="button", class_=kind, aria_label=label)

    return tag(
        "div",
        button("first", "⏮", "Before the first step"),
        button("back", "◀", "One step back"),
        button("play", "▶", "Play"),
        button("next", "▶|", "One step on"),
        button("last", "⏭", "All steps"),
        tag("input", type="range", min=0, max=count, value=count, aria_label=f"Step by {picture.steps.unit.value}"),
        tag("span", f"step {count} of {count}", class_="now", role="status"),
        class_="steps",
        role="group",
        aria_label="Steps",
        hidden=True,
    )


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
            letter = [tag("i", cell.letter, aria_hidden="true")] if cell.letter else []
            made.append(tag("td", *letter, cell.text, class_=" ".join(filter(None, classes)) or None))
        first = [tag("th", table.row_head(row), scope="row")] if table.figure.down else []
        rows.append(tag("tr", *first, *made))
    about = "; ".join(filter(None, (tensor_words(table), axes_words(table))))
    caption = tag("caption", table.path, tag("small", about))
    note = left_out_words(table)
    whole = tag("table", caption, *head, tag("tbody", *rows))
    more = [*([tag("p", note)] if note else []), *filter(None, [blocks(table)])]
    kind = "scroll covered" if covered else "scroll"
    return tag("div", whole, *more, class_=kind, role="group", aria_label=table.path)


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
        inner = [tag("label", f"{label} ", tag("input", type="text", autocomplete="off", name="answer"))]
    buttons = [
        tag("button", "Answer", type="submit"),
        tag("button", "Hint", type="button", class_="hint"),
        tag("button", "Show the answer", type="button", class_="show"),
    ]
    legend = tag("legend", task.prompt, dir="auto")
    return tag(
        "form",
        tag("fieldset", legend, *inner, tag("div", *buttons, class_="buttons", hidden=True)),
        tag("p", class_="verdict", role="status", aria_live="polite"),
        class_="task",
    )


def _option(option: Option, many: bool) -> Markup:
    pictured = []
    for sizes, values in option.outputs:
        across = sizes[-1] if sizes else 1
        texts = [shown(each) for each in values]
        rows = [texts[at : at + across] for at in range(0, len(texts), across)]
        body = tag("tbody", *(tag("tr", *(tag("td", text) for text in row)) for row in rows))
        pictured.append(tag("table", body, aria_label=f"choice {option.key}"))
    name = f"{option.key} " if option.outputs or not option.text else ""
    control = tag("input", type="checkbox" if many else "radio", name="answer", value=option.key)
    return tag("label", control, f"{name}{option.text}", *pictured)


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
