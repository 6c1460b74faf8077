"""Recorded pages in a headless Chromium: tables, partners and verdicts are Python's, and nothing leaves the page."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Tab
from support.every_kind import KINDS, of_kind
from support.kinds import FORMS, PLAYED
from support.moved_cells import in_memory, moved, stretches
from support.page_in_browser import CHECK, GIVE, IN_CHROMIUM, axe, opened, session_of, value, visited, written
from support.recorded_pages import data_of, experiments

from dmlviz.desc.tensors import brackets
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.recording.pictures import Picture, recorded
from dmlviz.recording.tasks import Asked, Exercise, exercises_of, tasks_of
from dmlviz.recording.words import words
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.elements.cursor import Cursor, flat_of, part_of
from dmlviz.scene.elements.known import EVERYTHING
from dmlviz.scene.steps.order import Unit
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Session
from dmlviz.teaching.progress.progress import LESSONS
from dmlviz.workspace.asking.asked_desc import places_of

pytestmark = IN_CHROMIUM
SIZES = ((1400, 900), (800, 600), (360, 740))


def test_every_example_in_every_size(tmp_path: Path) -> None:
    async def visit(page: Tab) -> None:
        for example in all_examples():
            session = example.session()
            file = written(session, tmp_path / "page.html")
            for width, height in SIZES:
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                await page.call("Emulation.setDeviceMetricsOverride", **size)
                await opened(page, file)
                assert await value(page, "faults") == [], example.name
                assert await value(page, "performance.getEntriesByType('resource').map((e) => e.name)") == []
                wide = await value(page, "document.documentElement.scrollWidth")
                assert wide <= width, (example.name, width, wide)
            for number, each in enumerate(exercises_of(session)):
                picture = each.shown.picture
                if picture is not None and each.task is None:
                    await hold(page, f"document.querySelectorAll('.dmlviz')[{number}].dmlviz", picture)
            assert await value(page, "faults") == [], example.name

    visited(visit)


async def hold(page: Tab, root: str, picture: Picture) -> None:
    """The page's tables are the scene's at some steps, and each cell's partners the trace's."""
    count, tables = picture.steps.count, picture.tables
    for step in sorted({*range(min(count, 12) + 1), count}):
        await page.call("Runtime.evaluate", expression=f"{root}.go({step})")
        shown = await value(page, f"[{', '.join(f'{root}.table({n})' for n in range(len(tables)))}]")
        for table, texts in zip(tables, shown, strict=True):
            assert texts == [cell.text for cell in table.cells(picture.known(step))]
    everyone = {
        (t.place.is_output, t.place.number, flat): (n, k)
        for n, t in enumerate(tables)
        for k, flat in enumerate(t.contents.flat.tolist())
    }
    for n, table in enumerate(tables):
        found = await value(page, f"[...Array({len(table.contents.texts)}).keys()].map((k) => {root}.partners({n}, k))")
        for k, shown_ones in enumerate(found):
            wanted = partners_of(picture, Cursor(table.place, table.index(k))) & set(everyone)
            assert {tuple(each) for each in shown_ones} == wanted


def partners_of(picture: Picture, cursor: Cursor) -> set[tuple[bool, int, int]]:
    """Asked of the trace, element by element."""
    trace = picture.trace
    if cursor.place.is_output:
        source = trace.source(cursor.place.number, cursor.index)
        sent = [(source.via.tensor, source.via.index)] if source.via else []
        cells = [*([] if source.nowhere else [(source.tensor, source.index)]), *sent]
        return {(False, k, flat_of(trace, Cursor(Place(False, k), index))) for k, index in cells}
    readers = trace.destinations(cursor.place.number, cursor.index)
    return {(True, each.output, flat_of(trace, Cursor(Place(True, each.output), each.index))) for each in readers}


def guesses(task: Asked, dice: random.Random, count: int) -> list[tuple[str, Any]]:
    """(what is typed, the same as JSON) of answers that are right, nearly right and wrong."""
    made: list[tuple[str, Any]] = []
    truth = task.question.kind.form.json(task.question.truth)
    for _ in range(count):
        if task.form == "values":
            held = [*truth] if isinstance(truth, list) else [truth]
            if dice.random() < 0.8:
                held[dice.randrange(len(held))] = dice.choice([*range(-2, 20), 0.5, 1e3, 3.25])
            made.append((" ".join(map(str, held)), held if isinstance(truth, list) else held[0]))
        elif task.form == "number":
            number = dice.choice([truth, dice.randrange(30)])
            made.append((str(number), number))
        elif task.form == "sizes":
            nested = task.question.kind.name == "sizes"
            sizes = list(truth[0] if nested else truth)
            if sizes and dice.random() < 0.8:
                sizes[dice.randrange(len(sizes))] = dice.randrange(9)
            made.append((", ".join(map(str, sizes)), [sizes] if nested else sizes))
        elif task.form == "choice":
            key = dice.choice(task.options).id
            name = task.question.kind.name
            made.append((key, key == "true" if name == "promised" else None if key == "none" else key))
        elif task.form == "choices":
            some = [option.id for option in task.options if dice.random() < 0.3]
            made.append((" ".join(sorted(some)), some))
        else:
            side = "output" if task.form == "outputs" else "tensor"
            desc = task.question.subject.desc
            parts = desc.outputs if task.form == "outputs" else desc.inputs
            places = [(k, at) for k, part in enumerate(parts) for at in product(*map(range, part.tensor.sizes))][:64]
            cells = {(each[side], tuple(each["index"])) for each in (truth if isinstance(truth, list) else [truth])}
            if task.form == "input":
                cells = {dice.choice([*cells, *places])}
            elif dice.random() < 0.8:
                cells = cells ^ {dice.choice(places)}
            flats = sorted((k, int(np.ravel_multi_index(at, parts[k].tensor.sizes))) for k, at in cells)
            marked = [{side: k, "index": [*at]} for k, at in sorted(cells)]
            made.append((" ".join(f"{k}:{flat}" for k, flat in flats), marked[0] if task.form == "input" else marked))
    return made


def test_a_mouse_over_each_cell_shows_its_partners_and_its_formula(tmp_path: Path) -> None:
    session = session_of("gather-2")
    picture = recorded(session.experiments[0]).picture
    assert picture is not None
    file = tmp_path / "page.html"
    page = written(session, file).read_text("utf-8")
    tables = data_of(experiments(page)[0])["tables"]
    root = "document.querySelector('.dmlviz').dmlviz"

    async def visit(page: Tab) -> None:
        for table, told in zip(picture.tables, tables, strict=True):
            for k, flat in enumerate(table.contents.flat.tolist()):
                cell = f"{root}.cell({str(table.place.is_output).lower()}, {table.place.number}, {flat})"
                x, y = await value(page, f"(({{x, y}}) => [x + 20, y + 20])({cell}.getBoundingClientRect())")
                await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
                wanted = partners_of(picture, Cursor(table.place, table.index(k)))
                shown = await value(page, f"{root}.near()")
                assert {tuple(each) for each in shown} == wanted
                said = await value(page, f"{root}.said()")
                assert said == told["said"][k]
                assert said == picture.said_of(table, k)

    visited(visit, file, size=(1400, 1200))


ANSWERS = 300
"""To each task of the lessons."""


def test_lessons_ask_for_so_many_answers() -> None:
    tasks = [task for name in LESSONS for task in tasks_of(session_of(name))]
    assert sum(isinstance(task, Asked) for task in tasks) * ANSWERS >= 10_000


@pytest.mark.parametrize("name", LESSONS)
def test_generated_answers_are_graded_alike_by_page_and_by_python(name: str, tmp_path: Path) -> None:
    session: Session = session_of(name)
    tasks = tasks_of(session)
    file = written(session, tmp_path / "lesson.html")
    dice = random.Random(name)

    async def visit(page: Tab) -> None:
        for number, task in enumerate(tasks):
            if not isinstance(task, Asked):
                continue
            tried = guesses(task, dice, ANSWERS)
            root = f"document.querySelectorAll('.dmlviz')[{number}].dmlviz"
            given = json.dumps([typed for typed, _ in tried])
            for (typed, answer), said in zip(tried, await value(page, f"{given}.map({root}.grade)"), strict=True):
                try:
                    verdict = task.question.grade(answer)
                except DmlvizError:
                    assert "problem" in said, (task.prompt, typed)
                    continue
                assert said.get("right") == verdict.right, (task.prompt, typed)
                if task.form != "choices" and verdict.rules:
                    assert said["feedback"] == verdict.says, (task.prompt, typed)

    visited(visit, file)


ASKING = sorted(
    each.name for each in all_examples() if any("task" in one.extra for one in each.with_tasks().experiments)
)


def test_nothing_is_graded_before_something_is_chosen_and_a_second_try_replaces_the_first(tmp_path: Path) -> None:
    """Of every kind."""
    session = Session(tuple(of_kind(kind)[0] for kind in KINDS))
    file = written(session, tmp_path / "page.html")
    met = set()

    async def visit(page: Tab) -> None:
        for number, task in enumerate(tasks_of(session)):
            if not isinstance(task, Asked):
                continue
            met.add(task.question.kind.name)
            root = f"document.querySelectorAll('.dmlviz')[{number}]"
            field = f"{root}.querySelector('.task input')"
            assert await value(page, f"{root}.querySelectorAll(':checked, .marked').length") == 0
            said = f"{root}.querySelector('.verdict').textContent"
            for act in (f"{root}.querySelector('.answer').click()", f"{field}?.focus()"):
                await value(page, f"{act} ?? 0")
                await press_enter(page)
                assert await value(page, said) == words("answer_first")
                assert await value(page, f"{root}.classList.contains('open')")
            if task.form in ("values", "number", "sizes"):
                await page.call("Input.insertText", text="1, 2 3x")
                await press_enter(page)
                await page.call("Input.insertText", text="7")  # what was refused is selected
                assert await value(page, f"{field}.value") == "7"
                blanks = task.truth.replace(",", " ")
                await value(page, f"({field}.value = {json.dumps(blanks)})")
                assert (await value(page, f"{root}.dmlviz.grade({field}.value)"))["right"]
                commas = ", ".join(blanks.split())
                assert (await value(page, f"{root}.dmlviz.grade({json.dumps(commas)})"))["right"]
            if task.none is not None:
                none = f"{root}.querySelector('[name=none]')"
                other = f"{root}.querySelector('[name=answer]')"
                if task.form != "choices":
                    other = f"{root}.dmlviz.cell({json.dumps(task.form == 'outputs')}, 0, 0)"
                chosen = f"[{none}.checked, {root}.querySelectorAll('[name=answer]:checked, .picture .marked').length]"
                for click, shown in ((none, [True, 0]), (other, [False, 1]), (none, [True, 0]), (none, [False, 0])):
                    assert await value(page, f"({click}.click(), {chosen})") == shown
            given = await value(page, f"{GIVE}({root}, {json.dumps(task.form)}, {json.dumps(task.truth)})")
            assert given == "verdict right", task.prompt

    visited(visit, file)
    assert met == {*FORMS} & {*KINDS}


async def press_enter(page: Tab) -> None:
    for event in ("rawKeyDown", "char", "keyUp"):
        await page.call("Input.dispatchKeyEvent", type=event, key="Enter", windowsVirtualKeyCode=13, text="\r")


@pytest.mark.parametrize(
    "names", [*([each] for each in (*LESSONS, "classroom")), ASKING], ids=[*LESSONS, "classroom", "examples"]
)
def test_an_open_task_hides_what_it_asks_for_until_it_is_answered(names: list[str], tmp_path: Path) -> None:
    async def visit(page: Tab) -> None:
        for name in names:
            session = session_of(name)
            file = written(session, tmp_path / f"{name}.html")
            await opened(page, file)
            for number, item in enumerate(exercises_of(session)):
                await answered(page, f"document.querySelectorAll('.dmlviz')[{number}]", item)
            assert await value(page, "faults") == []

    visited(visit)


PLAYED_ASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "cell": ("gather-2", {"at": [1, 0]}),
    "source": ("gather-2", {"at": [2, 1]}),
    "via": ("gather-2", {"at": [1, 1]}),
    "fill": ("gather-5", {"at": [0, 0]}),
    "order": ("gather-5", {"first": 2}),
}
"""What a task of each kind asks about an example whose steps are played before the answer."""
WALK = """((root, covers, counts) => {
  const asked = covers.map(([number, flat]) => root.dmlviz.cell(true, number, flat));
  const lit = /(^| )(i\\d+|s\\d+|sm|step|partner)( |$)/;
  const faults = [], lines = [];
  const look = (step) => {
    for (const td of asked) {
      if (td.lastChild.data !== "·") faults.push(`${step}: written`);
      if (lit.test(td.className)) faults.push(`${step}: ${td.className}`);
    }
    if ([...root.querySelectorAll("td.unread, .blocks")].some((each) => each.checkVisibility()))
      faults.push(`${step}: what all is read by`);
  };
  const last = Number(root.querySelector(".steps input").max);
  for (let step = 0; step <= last; step++) {
    root.dmlviz.go(step);
    look(step);
    if (asked.some((td) => td.classList.contains("cursor"))) faults.push(`${step}: cursor`);
    counts.forEach((count, n) => {
      for (let k = 0; k < count; k++) {
        const near = root.dmlviz.partners(n, k);
        lines.push(root.dmlviz.said());
        if (near.some(([out, number, flat]) => out && covers.some((each) => each[0] === number && each[1] === flat)))
          faults.push(`${step}: partners of ${n} ${k}`);
        look(step);
      }
    });
  }
  const texts = counts.flatMap((_, n) => root.dmlviz.table(n));
  return { faults, lines, hidden: texts.filter((text) => text === "·").length };
})"""


def test_what_plays_before_the_answer_neither_writes_nor_tells_what_is_asked(tmp_path: Path) -> None:
    """Of each kind that may be played: all else is written in the end, and the answer tells the rest."""
    asked = {kind: (session_of(name), {"kind": kind, **ask}) for kind, (name, ask) in PLAYED_ASKS.items()}
    session = Session(
        tuple(
            replace(own.experiments[0], name=kind, extra={"task": {"id": kind, "ask": ask, "hide": []}})
            for kind, (own, ask) in asked.items()
        )
    )
    lessons = [session_of(name) for name in ("join", "reverse", "split", "tile")]
    met = set()

    async def visit(page: Tab) -> None:
        for each in (session, *lessons):
            file = written(each, tmp_path / "page.html")
            await opened(page, file)
            for number, item in enumerate(exercises_of(each)):
                picture = item.shown.picture
                if picture is None or item.cover is None or not item.cover.plays:
                    continue
                assert isinstance(item.task, Asked)
                question = item.task.question
                met.add(question.kind.name)
                root = f"document.querySelectorAll('.dmlviz')[{number}]"
                places = places_of(question)
                covers = []
                for number_of_output, part in enumerate(question.subject.desc.outputs):
                    for flat, index in enumerate(np.ndindex(*part.tensor.sizes)):
                        cell = Cursor(Place(True, number_of_output), index)
                        if not item.cover.plays.tells(cell):
                            covers.append([number_of_output, flat])
                        assert cell not in places or covers[-1] == [number_of_output, flat]
                counts = [len(table.contents.texts) for table in picture.tables]
                walked = await value(page, f"{WALK}({root}, {json.dumps(covers)}, {json.dumps(counts)})")
                assert walked["faults"] == [], question.prompt
                assert walked["hidden"] == len(covers)
                for place in places:
                    element = f"{question.subject.desc.outputs[place.place.number].path}{brackets(place.index)}"
                    told = [line for line in walked["lines"] if element in line and not line.endswith("the answer")]
                    assert told == [], element
                await value(page, f"{root}.querySelector('.show').click() ?? 0")
                shown = await value(page, f"[...Array({len(counts)}).keys()].map({root}.dmlviz.table)")
                assert shown == [[c.text for c in table.cells(EVERYTHING)] for table in picture.tables]

    visited(visit)
    assert met == {*PLAYED}


def test_tasks_fit_every_size_before_and_after_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    answer = "document.querySelectorAll('.task .show').forEach((each) => each.click())"

    async def visit(page: Tab) -> None:
        for name in (*LESSONS, "classroom", *ASKING):
            written(session_of(name), file)
            for width, height in SIZES:
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                await page.call("Emulation.setDeviceMetricsOverride", **size)
                await opened(page, file)
                for script in ("0", answer):
                    await page.call("Runtime.evaluate", expression=script)
                    wide = await value(page, "document.documentElement.scrollWidth")
                    assert wide <= width, (name, width, wide, script)
                    clipped = """[...document.querySelectorAll("button, label, legend, .chips li, .verdict")]
                        .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1
                            && getComputedStyle(each).overflowX !== "auto")
                        .map((each) => each.innerText)"""
                    assert await value(page, clipped) == [], (name, width, script)

    visited(visit)


async def answered(page: Tab, root: str, item: Exercise) -> None:
    """Nothing tells the answer while a task is open; the right one, or its being shown, tells everything."""
    task, picture, cover = item.task, item.shown.picture, item.cover
    if task is None or cover is None:
        return
    tables = f"[...Array({len(picture.tables)}).keys()].map({root}.dmlviz.table)" if picture is not None else "[]"
    covered = f"[...{root}.querySelectorAll('.covered')].every((each) => !each.checkVisibility())"
    assert await value(page, covered)
    seen = f"{root}.innerText"
    if cover.rules:
        assert item.shown.verdict() not in await value(page, seen)
    if picture is not None and isinstance(task, Asked):
        assert cover.outputs or cover.plays
        for table, texts in zip(picture.tables, await value(page, tables), strict=True):
            if table.place.is_output:
                assert set(texts) == {HIDDEN}
        coloured = f'{root}.querySelectorAll(\'.picture td[class*=" i"], .picture td[class^="i"]\').length'
        assert cover.plays or await value(page, coloured) == 0
        assert cover.plays or await value(page, f"{root}.querySelectorAll('.clamped, .negative, .partner').length") == 0
        assert await value(page, f"{root}.querySelector('.steps').checkVisibility()") == (cover.plays is not None)
    if isinstance(task, Asked):
        given = await value(page, f"{GIVE}({root}, {json.dumps(task.form)}, {json.dumps(task.truth)})")
        assert given == "verdict right", (item.shown.name, task.form, task.truth)
    else:
        await page.call("Runtime.evaluate", expression=f"{root}.querySelector('.show').click()")
    if picture is not None:
        for table, texts in zip(picture.tables, await value(page, tables), strict=True):
            assert texts == [cell.text for cell in table.cells(EVERYTHING)]
        assert await value(page, f"{root}.querySelector('.steps').checkVisibility()")
    shown = await value(page, seen)
    assert item.shown.verdict() in shown
    assert item.shown.name in shown
    assert await value(page, f"[...{root}.querySelectorAll('.covered')].every((each) => each.checkVisibility())")


def test_without_scripts_an_open_task_tells_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "page.html"

    async def visit(page: Tab) -> None:
        for name in ("gather-1", "tile-1", "erratum-gather-output-tensor"):
            session = session_of(name)
            (item,) = exercises_of(session)
            written(session, file)
            await opened(page, file)
            await page.call("Emulation.setScriptExecutionDisabled", value=True)
            await opened(page, file)
            shown = await value(page, "document.querySelector('.dmlviz').innerText")
            assert await value(page, "document.querySelectorAll('[data-on]').length") == 0
            assert "where the page's program may run" in shown
            assert not await value(
                page,
                """[...document.querySelectorAll('.out td')].some((each) =>
                each.checkVisibility({visibilityProperty: true}))""",
            )
            if item.cover is not None and item.cover.rules:
                assert item.shown.verdict() not in shown
            await page.call("Emulation.setScriptExecutionDisabled", value=False)

    visited(visit)


@pytest.mark.skipif(not axe(), reason="axe-core is missing")
@pytest.mark.parametrize(
    "name", ["classroom", "gather-2", "reverse-1", "join-2-axis-3", "rule-axis-range", "invalid", "split-2"]
)
def test_an_accessibility_checker_finds_nothing(name: str, tmp_path: Path) -> None:
    session = session_of(name)
    file = written(session, tmp_path / "page.html")

    async def visit(page: Tab) -> None:
        await page.call("Page.setBypassCSP", enabled=True)
        for scheme, (width, height) in product(("light", "dark"), SIZES):
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            await page.call("Emulation.setDeviceMetricsOverride", **size)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            await page.call("Emulation.setEmulatedMedia", features=features)
            await opened(page, file)
            await page.call("Runtime.evaluate", expression=axe())
            answered = "for (const each of document.querySelectorAll('.task .show')) each.click()"
            for script in ("0", answered):
                await page.call("Runtime.evaluate", expression=script)
                said = await page.call("Runtime.evaluate", expression=CHECK, awaitPromise=True)
                assert json.loads(said["result"]["value"]) == [], (scheme, width, script)

    visited(visit)


MEMORY = """((root) => [...root.querySelectorAll(".memory > div")].filter((row) => row.offsetParent).map((row) => [
  row.querySelector("p").textContent, [...row.querySelectorAll("td:not(.gap)")].map((td) => td.lastChild.data),
  [...row.querySelectorAll("td:not(.gap)")].flatMap((td, n) => (/step|partner/.test(td.className) ? [n] : []))]))"""


@pytest.mark.parametrize("unit", [Unit.RUN, Unit.COPY, Unit.SLICE])
def test_steps_by_more_than_an_element_frame_and_say_what_they_move(unit: Unit, tmp_path: Path) -> None:
    """On both sides, as the scene has it; by run, and by copy, the rows of memory mark the same, in address order."""

    async def visit(page: Tab) -> None:
        for example in all_examples():
            await opened(page, written(example.session(), tmp_path / "page.html", unit=unit, bare=True))
            for number, experiment in enumerate(example.session().experiments):
                picture = recorded(experiment, unit=unit).picture
                if picture is None:
                    continue
                root = f"document.querySelectorAll('.dmlviz')[{number}]"
                steps = range(picture.steps.count + 1)
                script = f"(go(n), [classed('partner'), classed('step'), said(), {MEMORY}({root})])"
                shown = await value(
                    page, f"((r) => {{ with (r) return {[*steps]}.map((n) => {script}) }})({root}.dmlviz)"
                )
                for step, (read, writes, said, memory) in zip(steps, shown, strict=True):
                    shown_ones = [each for each in read if not each[0]] + [each for each in writes if each[0]]
                    assert {(Place(out, number), flat) for out, number, flat in shown_ones} == moved(picture, step)
                    assert step or not read
                    assert said == picture.captions[step]
                    held_to_memory(picture, step, memory)
            assert await value(page, "faults") == []

    visited(visit)


def held_to_memory(picture: Picture, step: int, rows: list[Any]) -> None:
    """What stands in the rows of memory is what lies there, and what is marked is one stretch with its bytes."""
    if step == 0 or not picture.shows_memory:
        assert [marked for _, _, marked in rows] == [[], []] * picture.shows_memory
        return
    wanted = stretches(picture, step)
    assert {title for title, _, _ in rows} == {*wanted}
    for title, texts, marked in rows:
        place, flat = wanted[title]
        assert marked == flat.tolist()
        count = part_of(picture.trace, place).tensor.element_count
        assert texts == in_memory(picture, place, np.arange(count), step)
