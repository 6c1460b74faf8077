"""What a class's phones show: the page, the open question without anything of its truth, and what is told of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..desc.fields import Role
from ..operators.registry import operator_of
from ..recording.html_page import (
    PAGE_STYLE,
    asked_for,
    asked_range,
    chain_markup,
    colour_rules,
    digest,
    entry_markup,
    head_markup,
    place_data,
    script,
    section,
    style,
    table_markup,
)
from ..recording.html_text import Markup, json_script, tag
from ..recording.pictures import Picture, Recorded, fields_of, recorded
from ..recording.tables import MOST_LISTED, Table, table_of
from ..recording.tasks import WITH_FORM, Cover, Exercise, cover_of, element_of
from ..recording.words import counted, of_script, words
from ..scene.cells.contents import HIDDEN
from ..session.presentation_state import Build
from ..teaching.asked import task_of
from ..teaching.kinds.chains import SHOWN, the_chain
from ..teaching.questions.question import Choice, Question
from ..teaching.words.catalogue import sentence, templates
from ..workspace.wall.presented_item import Item

FOLDER = Path(__file__).parent
MARKED = {"input": False, "inputs": False, "outputs": True}
"""Forms that are answered by marking cells, and whether those are an output's."""


def page(*, address: str, asks: bool = False) -> tuple[str, str]:
    """(html, Content-Security-Policy) of the students' page.

    It loads nothing; its program asks only this server. `address` is what others type to join, and `asks` has the page
    ask for a code, at `/` and where there is no class of the code that was typed.
    """
    say = partial(_said)
    if asks:
        field = tag(
            "input", type="text", name="code", autocomplete="off", autocapitalize="characters", spellcheck="false",
            maxlength=20,
        )  # fmt: skip
        told, join = tag("p", class_="told", role="status"), tag("button", say("join"), class_="act")
        code = tag("form", tag("label", say("type_code"), field), join, told, class_="code")
        return _whole(say("join_title"), "code", [tag("main", tag("h1", say("join_title")), code)])
    sent = tag("p", class_="sent", role="status")
    parts = [
        tag("p", say("waiting"), class_="told", role="status"),
        tag("p", class_="again", role="status"),
        tag("div", class_="reveal", role="status"),
        tag("div", class_="asked"),
        tag("div", sent, _button(say("send"), "act send", hidden=True), class_="bar"),
        _button(say("next"), "act next", hidden=True),
        tag("div", class_="shown"),
    ]
    others = tag("p", say("others", address=address)) if address else ""
    footer = tag("footer", tag("p", say("kept")), others, _button(say("leave"), "leave"))
    # Which question it is, is told aloud, and how many have answered isn't.
    return _whole("dmlviz", "class", [_header(tag("span", role="status"), tag("span")), tag("main", *parts), footer])


def host_page() -> tuple[str, str]:
    """(html, Content-Security-Policy) of the host's own phone: two huge buttons, counts, and who is where."""
    say = partial(_said)

    def button(act: str, word: str, kind: str = "") -> Markup:
        return _button(say(word), kind, data_act=act, disabled=True)

    parts = [
        tag("p", class_="told", role="status"),
        tag("p", class_="counts-line"),
        tag("div", button("forward", "on", "act"), button("reveal", "reveal", "act"), class_="large"),
        tag("div", button("back", "back"), button("second_vote", "vote"), class_="little"),
        tag("div", class_="places", hidden=True, tabindex=0),
    ]
    return _whole(say("host_title"), "host", [_header(), tag("main", *parts)])


def form_of(item: Item, *, letters: bool, alone: bool = False) -> str | None:
    """The form that `question_fragment` asks by; None where a phone can't ask. Decided from what is visible alone."""
    question = item.question
    if question is None or (form := question.kind.form.name) in WITH_FORM:
        return None
    if letters and item.answers:
        form = "choice"
    elif form in MARKED and not _is_whole(item, outputs=MARKED[form]):
        return None
    if alone and not _is_enough(item):
        return None
    return form


def question_fragment(item: Item, *, letters: bool, alone: bool = False) -> str | None:
    """The open question as HTML without anything of its truth; None where a phone can't ask it: it looks at the wall.

    With `letters` those of the wall are offered, else it is asked by the kind's own form. Where a student is `alone`,
    without a wall, it is asked only if the phone shows all there is to see.
    """
    form, question = form_of(item, letters=letters, alone=alone), item.question
    if form is None or question is None:
        return None
    cover, picture = cover_of(question), _drawn(item)
    task: dict[str, Any] = {"form": form, "sent": True, "links": True, "outputs": True, "plays": False}
    task["at"] = asked_range(question)
    tables = [] if picture is None else _open_tables(picture, cover)
    drawn = [] if picture is None else _open_picture(tables, picture, cover, marks=form in MARKED)
    unsaid: dict[str, Any] = {key: [] for key in ("identity", "shade", "sign", "told", "placed", "unread", "said")}
    told = [place_data(table) | unsaid for table in tables if not cover.table(table.path, table.place.is_output)]
    lettered = letters and bool(item.answers)
    facts = chain_markup(question) or [_facts(question, cover, listed=picture is None)]
    whole = tag(
        "section",
        _asked_markup(item, question, form, lettered=lettered),
        *facts,
        *drawn,
        json_script({"words": of_script(), "count": 0, "tables": told, "task": task}),
        class_="dmlviz open",
        aria_label=_said("question"),
    )
    return _without_styles(whole)


def shown_fragment(item: Item) -> str:
    """The whole picture with its steps, once it is told: a section that the page's program drives, and its colours."""
    question = item.question
    experiment = dataclasses.replace(item.experiment_at(Build.REVEAL), notes="")
    about_memory = question is not None and question.kind.about_memory
    shown = recorded(experiment, about_memory=about_memory)
    rules = [f"{rule}}}" for rule in colour_rules([shown]).split("}") if rule]
    whole = section(Exercise(shown, None, shown.experiment))
    return _without_styles(Markup(f"{whole}{json_script(rules, 'colours')}"))


# ---- the open question


def _drawn(item: Item) -> Picture | None:
    """The picture of the desc that is asked about; None where there is none, or it would tell what is asked."""
    question = item.question
    assert question is not None
    return None if cover_of(question).picture or question.kind.of_chains else _recorded(item).picture


def _recorded(item: Item) -> Recorded:
    """What is recorded of an item's experiment, which keeps it."""
    kept: Recorded | None = item.__dict__.get("class_recorded")
    if kept is None:
        kept = item.__dict__["class_recorded"] = recorded(item.experiment)
    return kept


def _is_whole(item: Item, *, outputs: bool) -> bool:
    """True if every tensor of one side is drawn whole, so that no mark that may be wanted is missing."""
    picture = _drawn(item)
    assert item.question is not None
    cover = cover_of(item.question)
    if picture is None or picture.tensors_left_out[outputs]:
        return False
    side = picture.outputs if outputs else picture.inputs
    return all(table.is_whole and not cover.table(table.path, outputs) for table in side)


def _is_enough(item: Item) -> bool:
    """True if nothing is left out that somebody without a wall may need."""
    question, picture = item.question, _drawn(item)
    assert question is not None
    if question.kind.of_chains:  # it shows small indices and lengths alone
        steering = (root.part for root in the_chain(question.subject).inputs if root.part.field.role is not Role.DATA)
        return all(part.tensor.element_count <= SHOWN for part in steering)
    if picture is None:
        return len(question.subject.desc.parts) <= MOST_LISTED
    if any(picture.tensors_left_out):
        return False
    cover = cover_of(question)
    seen = [table for table in picture.tables if not cover.table(table.path, table.place.is_output)]
    return question.kind.looks_up == "sizes" or all(table.is_whole for table in seen)


def _open_tables(picture: Picture, cover: Cover) -> list[Table]:
    """The tables as far as they may be seen: no colours, no links, and outputs' values only where they aren't asked."""
    tables = picture.tables
    if any(cover.table(table.path, table.place.is_output) for table in tables):
        # The directions of all follow from sizes and values of all, of which some are asked for.
        tables = [_spread(table, picture) for table in tables]
    return [_open_table(table, cover) for table in tables]


def _spread(table: Table, picture: Picture) -> Table:
    """The table with its last axis across, whatever stands beside it."""
    axes = range(table.figure.part.tensor.dimension_count)
    figure = replace(table.figure, down=(*axes[:-1],), across=(*axes[-1:],), is_turned=False)
    return table_of(figure, picture.steps)


def _open_table(table: Table, cover: Cover) -> Table:
    contents = table.contents
    texts = contents.texts
    if table.place.is_output:
        texts = [HIDDEN for _ in texts]
    untold: Any = np.zeros_like(table.told)
    nothing = dict.fromkeys(("counts", "flags", "source", "via", "nowhere", "shades", "places"))
    bare = replace(contents, texts=texts, identity=np.full_like(contents.identity, -1), **nothing)
    return replace(table, contents=bare, told=untold, placed=untold)


def _open_picture(tables: Sequence[Table], picture: Picture, cover: Cover, *, marks: bool) -> list[Markup]:
    """The picture: tables by side, and the line that says what a cell is."""
    sides = []
    for name, key, is_output in (("in", "inputs", False), ("out", "outputs", True)):
        left = picture.tensors_left_out[is_output]
        drawn = [
            asked_for(table.path) if cover.table(table.path, is_output) else table_markup(table, squares=False)
            for table in tables
            if table.place.is_output is is_output
        ]
        drawn += [tag("p", counted("more_tensors", left))] if left else []
        inner = tag("h2", words(key)), tag("div", *drawn, class_="tensors")
        sides.append(tag("div", *inner, class_=f"side {name}", role="group", aria_label=words(key)))
    says = {"data_empty": words("formula_empty"), "data_touch": words("formula_touch")}
    line = tag("p", class_="formula", role="status", aria_live="polite", **says)
    return [tag("div", *sides, class_="picture markable" if marks else "picture"), line]


def _facts(question: Question, cover: Cover, *, listed: bool) -> Markup:
    """The operator, its numbers, and its tensors where no picture is drawn, without what the question hides."""
    experiment, desc = question.subject.experiment, question.subject.desc
    chips = [tag("li", operator_of(desc).title)]
    roots = {path.split("[")[0].split(".")[0] for path in question.hidden}
    contents = dict(fields_of(experiment))
    fields = [(field.name, contents[field.name]) for field in desc.ATTRIBUTES if field.name not in roots]
    if listed and "feature_level" not in question.hidden:
        fields.append((sentence("words.feature_level"), str(experiment.feature_level)))
    chips += [tag("li", tag("b", name), tag("code", content)) for name, content in fields]
    parts = desc.parts if listed else ()
    for part in parts[:MOST_LISTED]:
        hides = cover.sizes(part.path)
        text = f"{part.path} {part.tensor.data_type.name} {{?}}" if hides else f"{part.path} {part.tensor}"
        chips.append(tag("li", tag("code", text), class_="asked-for" if hides else None))
    if left := len(parts[MOST_LISTED:]):
        chips.append(tag("li", counted("more_tensors", left)))
    return tag("ul", *chips, class_="chips")


def _asked_markup(item: Item, question: Question, form: str, *, lettered: bool) -> Markup:
    """What is asked and how it is answered; the button to send it is the page's."""
    element, prompt = element_of(question), item.prompt
    inner: list[Markup] = []
    if element and element not in prompt:
        inner.append(tag("p", words("about", element=element), class_="about"))
    if form == "choices" or form in MARKED:
        inner.append(tag("p", _said(f"mark_{form}")))
    walls = [Choice(answer.id, answer.text, answer.picture) for answer in item.answers]
    options = walls if lettered else task_of(question).options
    inner += entry_markup(question, form, options, lettered=lettered, maxlength=1000, enterkeyhint="send")
    return tag(
        "form",
        tag("fieldset", tag("legend", prompt, dir="auto"), *inner, tag("div", class_="buttons")),
        tag("p", class_="verdict", role="status", aria_live="polite"),
        class_="task",
        autocomplete="off",
    )


# ---- the page around it


def _said(key: str, /, **values: Any) -> str:
    """A sentence of the page."""
    return sentence(f"class.{key}", **values)


def _button(text: str, kind: str, **attributes: str | bool) -> Markup:
    return tag("button", text, type="button", class_=kind or None, **attributes)


def _header(*where: Markup) -> Markup:
    """The title, where somebody is, and whether the server answers."""
    return tag(
        "header",
        tag("h1", "dmlviz", dir="auto"),
        tag("p", *where, class_="where"),
        tag("span", class_="line", role="status"),
    )


@cache
def _program() -> str:
    return (FOLDER / "class.js").read_text("utf-8")


@cache
def _looks() -> str:
    """The style of pages and of sections, and what is different in a class."""
    return style() + PAGE_STYLE + (FOLDER / "class.css").read_text("utf-8")


def _whole(title: str, kind: str, inner: Sequence[str]) -> tuple[str, str]:
    """A page of a kind, and its policy."""
    told = {"page": kind, "words": templates("class.")}
    scripts = (script(), _program())
    allowed = " ".join(f"'sha256-{digest(each)}'" for each in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'sha256-{digest(_looks())}'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    head = head_markup(title, _looks(), Markup('<link rel="icon" href="data:,">'))
    programs = (Markup(f"<script>{each}</script>") for each in scripts)
    body = tag("body", *inner, json_script(told, "class-data"), *programs, class_=f"phone {kind}")
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n", policy


def _without_styles(markup: str) -> str:
    """Markup whose `style` attributes, which the policy forbids, are for the program to set."""
    return markup.replace(' style="', ' data-style="')
