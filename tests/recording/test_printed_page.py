"""Pages as a headless Chromium prints them: tasks with room to write, whole, and the answers on a page of their own."""

from __future__ import annotations

import base64
from collections import Counter
from pathlib import Path

import pytest
from support.browser import Tab
from support.page_in_browser import IN_CHROMIUM, STATE, session_of, value, visited, written

from dmlviz.recording.tasks import Asked, Exercise, Unasked, exercises_of
from dmlviz.recording.words import words
from dmlviz.teaching.progress.progress import LESSONS

pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 is missing: no printed page can be read")
pytestmark = IN_CHROMIUM
A4 = (595, 842)
MARGINS = (40, 34)
"""Points beside and above what is printed: 16 and 14 mm, less 5 that a heading of cells may reach over."""
ROOM = """[...document.querySelectorAll(".dmlviz")].map((root) => [
  ...root.querySelectorAll(".room, .task input[type=text]")]
  .filter((each) => each.checkVisibility()).map((each) => [each.offsetWidth, each.offsetHeight]))"""


async def printed(page: Tab) -> list[str]:
    """The texts of the pages, of which no letter lies in the margins."""
    pdf = base64.b64decode((await page.call("Page.printToPDF", preferCSSPageSize=True))["data"])
    texts = []
    for sheet in pdfium.PdfDocument(pdf):
        width, height = sheet.get_size()
        assert (round(width), round(height)) == A4
        letters = sheet.get_textpage()
        for number in range(letters.count_chars()):
            left, bottom, right, top = letters.get_charbox(number)
            if letters.get_text_range(number, 1).strip():
                assert MARGINS[0] <= left <= right <= width - MARGINS[0]
                assert MARGINS[1] <= bottom <= top <= height - MARGINS[1]
        texts.append(letters.get_text_range())
    return texts


def packed(text: str) -> str:
    return "".join(text.split())


def hold_answers(sheets: list[str], exercises: list[Exercise], heading: str) -> None:
    """The last page is the answers' own."""
    assert sheets[-1].startswith(heading)
    for exercise in exercises:
        task = exercise.task
        if task is not None and task.question is not None:
            assert packed(task.question.hint(4)) in packed(sheets[-1])
            assert packed(task.then) in packed(sheets[-1])
            assert not task.then or packed(task.then) not in packed("".join(sheets[:-1]))


@pytest.mark.parametrize("handout", [False, True])
@pytest.mark.parametrize("name", ["classroom", *LESSONS])
def test_tasks_are_printed_whole_with_room_to_write_and_answers_apart(name: str, handout: bool, tmp_path: Path) -> None:
    """Of a page on which everything was answered, and of a handout."""
    session = session_of(name)
    exercises = exercises_of(session)
    file = written(session, tmp_path / "page.html", handout=handout)

    async def visit(page: Tab) -> None:
        if not handout:
            await value(page, "document.querySelectorAll('.show').forEach((each) => each.click()) ?? 0")
        before = await value(page, STATE)
        sheets = await printed(page)
        assert await value(page, STATE) == before
        assert name != "classroom" or len(sheets) in (2, 3)
        hold_answers(sheets, exercises, words("answers"))
        assert words("name_line") in sheets[0]
        assert not any(words(key) in text for key in ("show_answer", "ask_hint", "save") for text in sheets)
        await page.call("Emulation.setEmulatedMedia", media="print")
        await value(page, "window.dispatchEvent(new Event('beforeprint')) && 0")
        shown = await value(page, "[...document.querySelectorAll('.dmlviz')].map((root) => root.innerText)")
        rooms = await value(page, ROOM)
        for number, (exercise, text, room) in enumerate(zip(exercises, shown, rooms, strict=True), 1):
            task = exercise.task
            (sheet,) = (sheet for sheet in sheets[:-1] if packed(f"{number}. {text.splitlines()[0]}") in packed(sheet))
            assert Counter(packed(text)) <= Counter(packed(sheet)), text
            if isinstance(task, Asked):
                typed = task.form in ("values", "number", "sizes")
                assert all(width > 400 and height > 30 for width, height in room)
                assert len(room) == typed
                if exercise.cover is not None and exercise.cover.outputs and exercise.shown.picture is not None:
                    outputs = (
                        f"document.querySelectorAll('.dmlviz')[{number - 1}].querySelectorAll('.out td.unwritten')"
                    )
                    assert await value(page, f"{outputs}.length") > 0
            elif isinstance(task, Unasked):
                assert [height > 60 for _, height in room] == [True]
        assert await value(page, "document.querySelectorAll('.dmlviz.open').length") == len(
            [exercise for exercise in exercises if exercise.cover is not None]
        )

    visited(visit, file)


def test_a_handout_answers_to_nobody(tmp_path: Path) -> None:
    """Nothing of it is a button, steps, or keeps an answer; it looks on the screen as it does on paper."""
    file = written(session_of("classroom"), tmp_path / "page.html", handout=True)

    async def visit(page: Tab) -> None:
        parts = "[...document.querySelectorAll('button, nav, .steps, .hand-in')]"
        assert await value(page, f"{parts}.filter((each) => each.checkVisibility()).length") == 0
        before = await value(page, STATE)
        for td in (0, 4):
            await value(page, f"document.querySelectorAll('.picture td')[{td}].click() ?? 0")
        await page.press(".", "Enter")
        assert await value(page, STATE) == before
        assert await value(page, "[faults, Object.keys(localStorage)]") == [[], []]

    visited(visit, file)
