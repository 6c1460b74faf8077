"""Recorded pages in a headless Chromium: cells, partners and verdicts are Python's, and answers are handed in."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.browser import Tab, find_chromium, tab
from support.effort import EFFORT
from support.kinds import FORMS, KINDS, of_kind
from support.page_json import asked_in, by_unit, cells_at, html_page
from support.presentations import CLASSROOM

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.recording.page import page_data, page_of
from dmlviz.recording.pictures import Picture
from dmlviz.recording.tasks import exercises_of, summary
from dmlviz.scene.elements.cursor import Cursor, flat_of
from dmlviz.scene.words.sentences import example as line_of
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.asked import json_of, text_of
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.teaching.progress.hand_ins import HandIn, read_hand_ins
from dmlviz.teaching.progress.progress import LESSONS
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.words.catalogue import sentence

CHROMIUM = find_chromium() or ""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path"),
]
SIZES = ((1400, 900), (800, 600), (390, 740))
CELLS = """((root) => root.cells.map(({ td, text, letter }) => [text.data, td.style.background, td.style.color,
  letter.hidden ? "" : letter.textContent, td.className]))"""
"""What each cell shows."""
OVERFLOW = """[...document.querySelectorAll("button, label, .chips li, .verdict, .task strong")].filter((each) =>
  each.checkVisibility() && each.scrollWidth > each.clientWidth + 1
  && getComputedStyle(each).overflowX !== "auto").map((each) => each.innerText)"""
WATCH = """
window.faults = [];
for (const kind of ["error", "securitypolicyviolation", "unhandledrejection"])
  window.addEventListener(kind, (event) => faults.push(`${kind}: ${event.message || event.blockedURI}`), true);
for (const kind of ["error", "warn", "log"]) console[kind] = (...words) => faults.push(`${kind}: ${words}`);
"""
CHECK = """axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(
  found.violations.map((each) => [each.id, each.impact, each.nodes.map((node) => node.html.slice(0, 160))])))"""
"""What the checker of `axe` finds wrong on a page that has it."""
GIVE = """((root, form, truth) => {
  const inputs = [...root.querySelectorAll(".task input")];
  if (truth === "") {
    root.querySelector(".options button").click();
    return root.querySelector(".task .verdict").className;
  }
  if (form.startsWith("choice")) {
    for (const each of inputs)
      if (each.checked !== truth.split(" ").includes(each.value)) each.click();
  } else if (["input", "inputs", "outputs"].includes(form)) {
    for (const each of root.cells) if (each.td.classList.contains("marked")) each.td.click();
    for (const place of truth.split(" ")) root.at((form === "outputs" ? "o" : "i") + place).td.click();
  } else inputs.find((each) => each.type === "text").value = truth;
  root.querySelector(".task .answer").click();
  return root.querySelector(".task .verdict").className;
})"""
"""Gives an answer as its text, by clicks; how the verdict looks."""


def session_of(name: str) -> Session:
    """A shipped lesson, the lesson of the classroom, or an example."""
    if name == "classroom":
        return load(CLASSROOM)
    return load(CONTENT / f"lesson-{name}.json") if name in LESSONS else example(name).session()


def written(session: Session, file: Path, **how: Any) -> Path:
    """A session's page as a file."""
    file.write_text(html_page(session, **how), "utf-8")
    return file


async def value(page: Tab, script: str) -> Any:
    found = await page.call("Runtime.evaluate", expression=f"JSON.stringify({script})", awaitPromise=True)
    assert "exceptionDetails" not in found, found
    return json.loads(found["result"]["value"])


async def sized(page: Tab, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    await page.call("Emulation.setDeviceMetricsOverride", **size)


async def opened(page: Tab, file: Path) -> None:
    await page.call("Page.navigate", url="about:blank")
    await page.call("Page.navigate", url=file.as_uri())
    for _ in range(1200):
        if await value(page, "document.readyState === 'complete' && location.protocol") == "file:":
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the page doesn't load")


def visited(visit: Callable[[Tab], Awaitable[None]], file: Path | None = None) -> None:
    """Visits a page, or what `visit` opens; nothing may go wrong or be loaded."""

    async def run() -> None:
        async with tab(CHROMIUM, "about:blank", (1400, 800)) as page:
            await page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            if file is not None:
                await page.downloads_go_to(file.parent)
                await opened(page, file)
            await visit(page)
            assert await value(page, "window.faults ?? []") == []
            assert await value(page, "performance.getEntriesByType('resource').map((entry) => entry.name)") == []

    asyncio.run(run())


def every_kind() -> Session:
    """A session that asks a question of each kind."""
    return Session(tuple(of_kind(kind)[0] for kind in KINDS), "Every kind")


def root(number: int) -> str:
    return f"document.querySelectorAll('.dmlviz')[{number}]"


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


async def hold_cells(page: Tab, number: int, data: Any, colours: Any) -> None:
    """Texts, colours and letters of every cell are those of the JSON, at every step."""
    script = f"[...Array({data['count'] + 1}).keys()].map((step) => ({root(number)}.go(step), {CELLS}({root(number)})))"
    for step, shown in enumerate(await value(page, script)):
        wanted = [cell for table in cells_at(data, colours, step) for cell in table]
        for (text, fill, ink, letter, classes), cell in zip(shown, wanted, strict=True):
            assert (text, letter) == (cell.text, cell.colours[2] if cell.colours else "")
            assert [fill, ink] == ([*map(rgb, cell.colours[:2])] if cell.colours else ["", ""])
            assert ("clamped" in classes, "negative" in classes) == (cell.sign == "!", cell.sign == "-")


def test_every_cell_of_every_step_of_every_example_is_the_scenes_and_every_size_holds_it(tmp_path: Path) -> None:
    async def visit(page: Tab) -> None:
        for each in all_examples()[:: 1 if EFFORT == "new" else 3]:
            session = each.session()
            exercises = exercises_of(session, asks=False)
            data = page_data(session, exercises)
            file = tmp_path / "page.html"
            file.write_text(page_of(session, exercises), "utf-8")
            await opened(page, file)
            for width, height in SIZES:
                await sized(page, width, height)
                assert await value(page, "document.documentElement.scrollWidth") <= width, each.name
            for number, (exercise, one) in enumerate(zip(exercises, data["experiments"], strict=True)):
                if exercise.picture is not None:
                    await hold_cells(page, number, one, data["colours"])
                    await hold_partners(page, number, exercise.picture)
            assert await value(page, "faults") == [], each.name

    visited(visit)


async def hold_partners(page: Tab, number: int, picture: Picture) -> None:
    """Each cell's partners are the trace's, and an output's line is its formula."""
    script = f"""((root) => root.cells.map((cell) => (root.look(cell), [root.querySelector(".formula").textContent,
        root.partners(cell).map((each) => [each.table.out, each.table.number, each.flat])])))({root(number)})"""
    shown = iter(await value(page, script))
    for table in picture.tables:
        for k in range(len(table.contents.texts)):
            said, near = next(shown)
            assert {tuple(each) for each in near} == partners_of(picture, Cursor(table.place, table.index(k)))
            if table.place.is_output:
                assert said == line_of(picture.trace, table.place.number, table.index(k))


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


@pytest.mark.parametrize("name", [*LESSONS, "classroom"])
def test_a_lesson_is_played_wrongly_and_rightly_at_every_size(name: str, tmp_path: Path) -> None:
    """Nothing tells the answer while a task is open; the right one, or its being shown, tells everything."""
    session = session_of(name)
    file, exercises = written(session, tmp_path / "page.html"), exercises_of(session)
    data = page_data(session, exercises)
    asked = {number: (task, question) for number, _, task, question in asked_in(exercises)}

    async def visit(page: Tab) -> None:
        for width, height in SIZES:
            await sized(page, width, height)
            await opened(page, file)
            for number, exercise in enumerate(exercises):
                cover, at = exercise.cover, root(number)
                if cover is None:
                    continue
                assert summary(exercise.view.report) not in await value(page, f"{at}.innerText") or not cover.rules
                if cover.links:
                    cells = await value(page, f"{CELLS}({at})")
                    assert not any(fill or letter for _, fill, _, letter, _ in cells)
                    assert await value(page, f"{at}.querySelector('.steps')?.checkVisibility() ?? false") is False
                if number in asked:
                    task, question = asked[number]
                    wrong = [key for key, reply in task.verdicts.items() if not reply.right]
                    truth = text_of(question, question.truth)
                    for key in (*wrong[:1], truth):
                        how = "right" if key == truth else "wrong"
                        assert await given(page, number, question, key) == f"verdict {how}", (task.prompt, key)
                        said = await value(page, f"{at}.querySelector('.verdict').textContent")
                        assert task.verdicts[key].says in said
                else:
                    await value(page, f"{at}.querySelector('.show').click() ?? 0")
                shown = await value(page, f"{at}.innerText")
                assert summary(exercise.view.report) in shown
                assert exercise.name in shown
                assert data["experiments"][number]["task"].get("then", "") in shown
                if exercise.picture is not None:
                    await hold_cells(page, number, data["experiments"][number], data["colours"])
            assert await value(page, "document.documentElement.scrollWidth") <= width
            assert await value(page, OVERFLOW) == []

    visited(visit, file)


async def given(page: Tab, number: int, question: Question, key: str) -> Any:
    """Gives an answer by clicks; how the verdict looks."""
    return await value(page, f"{GIVE}({root(number)}, {json.dumps(question.kind.form.name)}, {json.dumps(key)})")


def test_generated_answers_are_graded_alike_by_page_and_by_python(tmp_path: Path) -> None:
    file, dice = written(every_kind(), tmp_path / "page.html"), random.Random(7)
    met = set()

    async def visit(page: Tab) -> None:
        for number, _, task, question in asked_in(exercises_of(every_kind())):
            met.add(question.kind.name)
            truth = text_of(question, question.truth)
            texts = [truth, *task.verdicts]
            for _ in range(60 if question.kind.form.name in ("values", "number", "sizes") else 0):
                numbers = truth.split()
                numbers[dice.randrange(len(numbers))] = dice.choice(["0", "1", "7", "12", "0.5", "nan", "1e2", "drei"])
                texts.append(dice.choice([" ", ", "]).join(numbers))
            count, more = len(truth.split()), f"{truth} 7"
            texts += [more] * (question.kind.form.name in ("values", "number"))
            script = f"((task) => {json.dumps(texts)}.map((text) => problemOf(task, text) || replyTo(task, text)))"
            found = await value(page, f"{script}({root(number)}.data.task)")
            for text, said in zip(texts, found, strict=True):
                assert ("drei" in text) == ('"drei"' in said), "what can't be read is named"
                told = sentence("page.counted", text=text, found=count + 1, count=count)
                assert (text == more) == (said == told), "numbers that can be read are counted"
                try:
                    reply = question.grade(json_of(question, text))
                except DmlvizError:
                    assert isinstance(said, str) or not said["right"], (task.prompt, text)
                    continue
                assert said["right"] == reply.right, (task.prompt, text, said)
                if reply.rules:
                    assert (said["feedback"], tuple(said["rules"])) == (reply.says, reply.rules), (task.prompt, text)

    visited(visit, file)
    assert met == {*FORMS} & {*KINDS}


async def saved(page: Tab, folder: Path, student: str) -> HandIn:
    """Types a name, presses enter, and reads the file that is downloaded as `progress --merge` does."""
    before = {*folder.iterdir()}
    await value(page, "document.querySelector('.hand-in input').focus() ?? 0")
    await page.call("Input.insertText", text=student)
    await page.press("Enter")
    await page.downloaded()
    (new,) = (path for path in folder.iterdir() if path not in before)
    return read_hand_ins(new)[0]


@pytest.mark.parametrize("right", [True, False])
def test_a_page_keeps_nothing_but_those_that_were_saved(right: bool, tmp_path: Path) -> None:
    """A recorded page keeps nothing, and says so: answers are gone when it is closed, but for those that were saved in
    a file.

    Of every kind that a page asks: the right answer, or that of a wrong rule, as Python grades it; then one is shown
    after a hint.
    """
    file = written(every_kind(), tmp_path / "page.html")
    every = [(n, q) for n, *_, q in asked_in(exercises_of(every_kind())) if right or q.answers]
    (last, shown), answered = every[-1], every[:-1]

    async def visit(page: Tab) -> None:
        assert sentence("page.kept") in await value(page, "document.querySelector('.kept').textContent")
        await value(page, "document.querySelector('.save').click() ?? 0")
        assert await value(page, "document.querySelector('.hand-in input').matches(':invalid')")
        for number, question in answered:
            key = text_of(question, question.truth if right else next(iter(question.answers.values())))
            how = "right" if right else "wrong"
            assert await given(page, number, question, key) == f"verdict {how}", (question.prompt, key)
        for button in (".hint", ".show"):
            await value(page, f"{root(last)}.querySelector('{button}').click() ?? 0")
        handed_in = await saved(page, tmp_path, "Zoe\u0308 7 \u0905\u0928\u0940\u0924\u093e")
        assert handed_in.name == "Zo\u00eb 7 \u0905\u0928\u0940\u0924\u093e" or handed_in.name.startswith("Zoe")
        assert handed_in.lesson == "Every kind"
        for made, (_, question) in zip(handed_in.answers[:-1], answered, strict=True):
            reply = question.grade(made.answer)
            about = question.task.id, question.subject.operator.name, question.kind.name, question.seed, "Every kind"
            assert (made.task, made.operator, made.kind, made.seed, made.lesson) == about
            assert (made.right, made.rules) == (reply.right, reply.rules)
            assert (made.right, made.rungs, made.skipped) == (right, 0, False)
        skipped = handed_in.answers[-1]
        assert (skipped.task, skipped.right, skipped.skipped, skipped.rungs) == (shown.task.id, False, True, 1)
        assert await value(page, "Object.keys(localStorage).length") == 0
        verdicts = "document.querySelectorAll('.verdict.right, .verdict.wrong').length"
        assert await value(page, verdicts) == len(answered)
        await opened(page, file)
        assert await value(page, verdicts) == 0

    visited(visit, file)


def test_keys_mark_cells_and_answer_and_the_empty_answer_is_refused(tmp_path: Path) -> None:
    session = session_of("classroom")
    file = written(session, tmp_path / "page.html")
    number, question = next((n, q) for n, *_, q in asked_in(exercises_of(session)) if q.kind.form.name == "outputs")

    async def visit(page: Tab) -> None:
        said = f"{root(number)}.querySelector('.verdict').textContent"
        await value(page, f"{root(number)}.querySelector('.answer').click() ?? 0")
        assert await value(page, said) == sentence("page.answer_first")
        first = f"{root(number)}.cells.find(({{ table }}) => table.out)"
        await value(page, f"{first}.td.focus() ?? 0")
        await page.press("ArrowDown", "ArrowRight", "Enter")
        assert await value(page, f"{root(number)}.querySelectorAll('.marked').length") == 1
        assert await value(page, "document.activeElement.classList.contains('marked')")
        assert await given(page, number, question, text_of(question, question.truth)) == "verdict right"
        await value(page, f"({root(number)}.go(0), {root(number)}.querySelector('[type=range]').focus() ?? 0)")
        await page.press("ArrowRight", "ArrowRight")
        assert "step 2 of" in await value(page, f"{root(number)}.querySelector('.now').textContent")
        await value(page, f"({root(number)}.go(0), {root(number)}.querySelector('.play').click() ?? 0)")
        await page.call(
            "Runtime.evaluate", expression="new Promise((done) => setTimeout(done, 1500))", awaitPromise=True
        )
        assert "step 0" not in await value(page, f"{root(number)}.querySelector('.now').textContent")

    visited(visit, file)


@pytest.mark.parametrize("unit", ["run", "slice"])
def test_steps_by_more_than_an_element_frame_and_say_what_they_move(unit: str, tmp_path: Path) -> None:
    """By run the rows of memory mark the same, in address order."""

    async def visit(page: Tab) -> None:
        for name in ("gather-2", "join-1", "padding-1"):
            session = by_unit(session_of(name), unit)
            await opened(page, written(session, tmp_path / "page.html", asks=False))
            for number, exercise in enumerate(exercises_of(session, asks=False)):
                picture = exercise.picture
                assert picture is not None
                script = f"""((root) => [...Array({picture.steps.count + 1}).keys()].map((step) => (root.go(step), [
                    root.querySelector(".formula").textContent,
                    root.querySelectorAll(".memory .step, .memory .partner").length,
                    root.cells.filter(({{ td }}) => td.classList.contains("step")).map(({{ flat }}) => flat),
                ])))({root(number)})"""
                for step, (said, marked, moved) in enumerate(await value(page, script)):
                    group = picture.steps.group(step)
                    assert said == picture.caption(step)
                    assert [*sorted(moved)] == (sorted(group.links(0, group.count).flat.tolist()) if group else [])
                    assert (marked > 0) == (unit == "run" and step > 0)

    visited(visit)


@pytest.mark.parametrize("name", ["classroom", "split", "chain"])
def test_a_printed_page_is_a_hand_out(name: str, tmp_path: Path) -> None:
    """With a name, room to write and the answers on a page of their own."""
    pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 is missing: no printed page can be read")
    session = session_of(name)
    tasks = [e.task for e in exercises_of(session) if e.task is not None and e.task.question is not None]

    def packed(text: str) -> str:
        return "".join(text.split())

    async def visit(page: Tab) -> None:
        pdf = base64.b64decode((await page.call("Page.printToPDF", preferCSSPageSize=True))["data"])
        sheets = [sheet.get_textpage().get_text_range() for sheet in pdfium.PdfDocument(pdf)]
        assert sheets[-1].startswith(sentence("page.answers"))
        assert sentence("page.name_line") in sheets[0]
        for task in tasks:
            assert packed(task.question.hint(4)) in packed("".join(sheets[-2:]))  # type: ignore[union-attr]
            assert any(packed(task.prompt) in packed(sheet) for sheet in sheets)
            assert not task.then or packed(task.then) not in packed("".join(sheets[:-2]))
        assert not any(
            sentence(f"page.{key}") in text for key in ("show_answer", "ask_hint", "save") for text in sheets
        )
        await page.call("Emulation.setEmulatedMedia", media="print")
        assert await value(page, "document.querySelectorAll('.dmlviz.open').length") == len(tasks)
        rooms = "[...document.querySelectorAll('.room, .task input[type=text]')].filter((e) => e.checkVisibility())"
        assert all(height > 30 for height in await value(page, f"{rooms}.map((each) => each.offsetHeight)"))

    visited(visit, written(session, tmp_path / "page.html"))


@pytest.mark.parametrize("name", ["classroom", "gather-2", "reverse-1", "rule-axis-range"])
def test_an_accessibility_checker_finds_nothing(name: str, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_core_python", reason="axe-core is missing")
    checker = next(Path(axe.__file__).parent.rglob("axe*.js")).read_text("utf-8")
    file = written(session_of(name), tmp_path / "page.html")

    async def visit(page: Tab) -> None:
        await page.call("Page.setBypassCSP", enabled=True)
        for width, height in SIZES:
            await sized(page, width, height)
            await opened(page, file)
            await page.call("Runtime.evaluate", expression=checker)
            for script in ("0", "for (const each of document.querySelectorAll('.task .show')) each.click()"):
                await page.call("Runtime.evaluate", expression=script)
                said = await page.call("Runtime.evaluate", expression=CHECK, awaitPromise=True)
                assert json.loads(said["result"]["value"]) == [], (width, script)

    visited(visit)


def test_a_notebook_shows_a_frame_that_plays_and_reaches_nothing(tmp_path: Path) -> None:
    trace = dml.trace(dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1))
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8><style>td {{ display: none }}</style>{trace._repr_html_()}")

    async def visit(page: Tab) -> None:
        await opened(page, file)
        assert await value(page, "document.querySelectorAll('iframe[sandbox]').length") == 1
        assert "allow-same-origin" not in file.read_text()
        for _ in range(100):  # the frame's own program draws them
            shot = base64.b64decode((await page.call("Page.captureScreenshot", format="png"))["data"])
            if len(shot) > 10_000:
                break
            await asyncio.sleep(0.1)
        assert len(shot) > 10_000, "cells are drawn"

    visited(visit)
