"""What a page keeps of its answers, what it saves of them, and where its address leads; in a headless Chromium."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from support.browser import Tab
from support.every_kind import KINDS, of_kind
from support.kinds import OF_CHAINS
from support.page_in_browser import GIVE, IN_CHROMIUM, STATE, opened, session_of, value, visited, written

from dmlviz.recording.tasks import Asked, exercises_of, tasks_of
from dmlviz.recording.words import words
from dmlviz.session.experiments import Session
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.progress.hand_ins import HandIn, read_hand_ins
from dmlviz.teaching.words.catalogue import sentence

pytestmark = IN_CHROMIUM
EVERY_KIND = Session(tuple(of_kind(kind)[0] for kind in KINDS), "Every kind")
SAID = """["count", "kept", "told"].map((name) => document.querySelector("." + name).textContent)"""


def root_of(number: int) -> str:
    return f"document.querySelectorAll('.dmlviz')[{number}]"


async def give(page: Tab, number: int, task: Asked, key: str) -> str:
    said = await value(page, f"{GIVE}({root_of(number)}, {json.dumps(task.form)}, {json.dumps(key)})")
    assert isinstance(said, str)
    return said


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
def test_what_is_saved_is_what_was_answered_as_python_grades_it(right: bool, tmp_path: Path) -> None:
    """Of every kind that a page asks: the right answer, or that of a wrong rule."""
    file = written(EVERY_KIND, tmp_path / "page.html")
    tasks = [(number, task) for number, task in enumerate(tasks_of(EVERY_KIND)) if isinstance(task, Asked)]
    if not right:
        tasks = [(number, task) for number, task in tasks if task.question.answers]

    async def visit(page: Tab) -> None:
        for number, task in tasks:
            question = task.question
            answer = question.truth if right else next(iter(question.answers.values()))
            assert (
                await give(page, number, task, text_of(question, answer)) == f"verdict {'right' if right else 'wrong'}"
            )
        handed_in = await saved(page, tmp_path, "Ada 7")
        assert handed_in.name == "Ada 7"
        assert handed_in.lesson == "Every kind"
        assert len(handed_in.answers) == len(tasks)
        for answered, (_, task) in zip(handed_in.answers, tasks, strict=True):
            question = task.question
            verdict = question.grade(answered.answer)
            asked = task.id, question.subject.operator.name, question.kind.name, question.seed, "Every kind"
            assert (answered.task, answered.operator, answered.kind, answered.seed, answered.lesson) == asked
            assert (answered.right, answered.rules) == (verdict.right, verdict.rules)
            assert answered.right == right
            assert answered.rungs == 0
            assert not answered.skipped

    visited(visit, file)


def test_a_recorded_page_keeps_nothing_but_those_that_were_saved(tmp_path: Path) -> None:
    """A recorded page keeps nothing, and says so: answers are gone when it is closed, but for those that were saved in
    a file.

    A hint and a wrong answer; a right one behind a wrong one; two wrong ones; one that is shown: none counts twice.
    """
    file = written(EVERY_KIND, tmp_path / "page.html")
    asked = [(n, task) for n, task in enumerate(tasks_of(EVERY_KIND)) if isinstance(task, Asked)]
    (one, two, three, four, *_) = [(n, task) for n, task in asked if task.form in ("values", "number")]

    async def visit(page: Tab) -> None:
        before = await value(page, STATE), await value(page, SAID)
        assert before[1][1].startswith("Your answers are gone")
        for (number, _), button in ((one, "hint"), (four, "show")):
            await value(page, f"{root_of(number)}.querySelector('.{button}').click() ?? 0")
        for (number, task), keys in ((one, [False]), (two, [False, True]), (three, [False, False])):
            wrong = " ".join("99" for _ in task.truth.split())
            for right in keys:
                await give(page, number, task, task.truth if right else wrong)
        await value(page, "document.querySelector('.save').click() ?? 0")
        assert (await value(page, SAID))[2] == words("name_first")
        handed_in = await saved(page, tmp_path, '"><img onerror=alert(1)>\u202e 東京')
        assert handed_in.name == '"><img onerror=alert(1)>\u202e 東京'
        found = [(a.task, a.right, a.skipped, a.rungs) for a in handed_in.answers]
        (first, second, third, fourth) = (task.id for _, task in (one, two, three, four))
        assert found == [
            (fourth, False, True, 0),
            (first, False, False, 1),
            (second, False, False, 0),
            (second, True, False, 0),
            (third, False, False, 0),
            (third, False, False, 0),
        ]
        assert await value(page, "Object.keys(localStorage).length") == 0
        await opened(page, file)
        assert (await value(page, STATE), await value(page, SAID)) == before

    visited(visit, file)


@pytest.mark.parametrize("name", ["constructor", "__proto__"])
def test_what_every_object_has_is_no_hint_and_no_value(name: str, tmp_path: Path) -> None:
    """A task may be called so, and somebody may type it."""
    experiment = replace(of_kind("fill")[0], extra={"task": {"id": name, "ask": {"kind": "fill"}}})
    session = Session((experiment,), "Names")
    (task,) = tasks_of(session)
    assert isinstance(task, Asked)
    assert (task.id, task.form, task.data_type) == (name, "values", "FLOAT32")
    typed = " ".join("toString" for _ in task.truth.split())

    async def visit(page: Tab) -> None:
        await give(page, 0, task, typed)
        said = await value(page, f"{root_of(0)}.querySelector('.verdict').textContent")
        assert said == words("no_value", value="toString", type="FLOAT32")
        await give(page, 0, task, " ".join("99" for _ in task.truth.split()))
        await value(page, f"{root_of(0)}.querySelector('.hint').click() ?? 0")
        await give(page, 0, task, task.truth)
        assert [answered.rungs for answered in (await saved(page, tmp_path, "Ada")).answers] == [0, 1]

    visited(visit, written(session, tmp_path / "page.html"))


@pytest.mark.parametrize("student", ["\u0905\u0928\u0940\u0924\u093e", "Zoe\u0308"])
def test_marks_of_a_name_stay_in_the_name_of_its_file(student: str, tmp_path: Path) -> None:
    """Vowel signs of Devanagari, and an accent, which makes one letter with what it stands on."""

    async def visit(page: Tab) -> None:
        await saved(page, tmp_path, student)
        assert (tmp_path / f"Every-kind-{unicodedata.normalize('NFC', student)}.json").exists()

    visited(visit, written(EVERY_KIND, tmp_path / "page.html"))


def test_memory_stands_below_the_picture_once_a_verdict_says_to_look_there(tmp_path: Path) -> None:
    """Of a task that isn't about memory: not before its answer, which memory would tell."""
    session = session_of("join")
    task = tasks_of(session)[0]
    assert isinstance(task, Asked)
    wrong = [key for key, reply in task.verdicts.items() if reply.look == sentence("words.memory")]
    assert len(wrong) == 2
    rows = f"[...{root_of(0)}.querySelectorAll('.memory tr')].filter((row) => row.checkVisibility()).length"

    async def visit(page: Tab) -> None:
        for key, shown in zip(wrong, (0, 2), strict=True):
            assert await give(page, 0, task, key) == "verdict wrong"
            said = await value(page, f"{root_of(0)}.querySelector('.verdict').textContent")
            assert words("look", look=task.verdicts[key].look) in said
            assert await value(page, rows) == shown

    visited(visit, written(session, tmp_path / "page.html"))


AT = """[...document.querySelectorAll(".dmlviz")].map((root) => [Number(root.querySelector(".steps input")?.value),
  root.dmlviz.said(), Math.abs(root.getBoundingClientRect().top) < window.innerHeight])"""


def test_an_address_opens_an_experiment_at_a_step_and_a_cell(tmp_path: Path) -> None:
    shown = session_of("gather-2").experiments[0]
    split = session_of("split-1").experiments[0]
    session = Session((shown, split, session_of("classroom").experiments[0]), "Places")

    async def visit(page: Tab) -> None:
        await opened(page, file, "#experiment=2&step=2&cell=OutputTensors[1][0,0,0,0]")
        at = await value(page, AT)
        start = await value(page, "history.length")
        assert at[1][0] == 2
        assert at[1][1].startswith("OutputTensors[1][0,0,0,0] = ")
        assert at[1][2]
        await value(page, "(location.hash = '#experiment=1&step=3&cell=1,0') && 0")
        await asyncio.sleep(0.1)
        at = await value(page, AT)
        assert at[0][0] == 3
        assert at[0][1].startswith("OutputTensor[1,0] = ")
        for hostile in HOSTILE:
            await opened(page, file, f"#{hostile}")
            (one, two, _) = await value(page, AT)
            assert [one[0], two[0]] == await value(
                page, "[...document.querySelectorAll('.steps input')].slice(0, 2).map((i) => +i.max)"
            )
            assert [one[1], two[1]] == ["", ""]
        # An open task shows no more than it does without an address.
        await opened(page, file)
        state = await value(page, f"{root_of(2)}.innerText")
        await opened(page, file, "#experiment=3&step=1&cell=0,0")
        formula = await value(page, f"{root_of(2)}.dmlviz.said()")
        assert formula.endswith("is told with the answer")
        assert (await value(page, f"{root_of(2)}.innerText")).replace(formula, "").split() == state.split()
        # Steps keep the address, and lead to no other page in the history.
        await opened(page, file, "#experiment=1&step=3")
        start = await value(page, "history.length")
        await value(
            page, f"{root_of(0)}.querySelector('.next').click() ?? {root_of(0)}.querySelector('.next').click() ?? 0"
        )
        await asyncio.sleep(0.5)
        place = await value(page, "location.hash")
        assert place.startswith("#experiment=1&step=5&cell=")
        assert await value(page, "history.length") == start
        said = await value(page, f"{root_of(0)}.dmlviz.said()")
        await opened(page, file, place)
        assert (await value(page, AT))[0][:2] == [5, said]

    file = written(session, tmp_path / "page.html")
    visited(visit, file)


def test_an_address_tells_no_covered_cell(tmp_path: Path) -> None:
    """That there is such a cell would tell sizes that are asked for, and what it holds where a chain's element is."""
    covered = [
        (number, f"{table.path}[{','.join('0' for _ in table.figure.part.tensor.sizes)}]")
        for number, exercise in enumerate(exercises_of(EVERY_KIND))
        if exercise.cover is not None and exercise.shown.picture is not None
        for table in exercise.shown.picture.tables
        if exercise.cover.table(table.path, table.place.is_output)
    ]
    assert {KINDS[number] for number, _ in covered} == {"sizes", "insizes", *OF_CHAINS}

    async def visit(page: Tab) -> None:
        for number, place in covered:
            await opened(page, file, f"#experiment={number + 1}&cell={place}")
            assert await value(page, f"{root_of(number)}.dmlviz.said()") == ""
        for number, place in covered:  # what was answered once is open from then on
            await opened(page, file, f"#experiment={number + 1}&cell={place}")
            await value(page, f"{root_of(number)}.querySelector('.show').click() ?? 0")
            await value(page, f"{root_of(number)}.dmlviz.open(null, {json.dumps(place)}) ?? 0")
            assert (await value(page, f"{root_of(number)}.dmlviz.said()")).startswith(f"{place} = ")

    file = written(EVERY_KIND, tmp_path / "page.html")
    visited(visit, file)


def test_an_experiment_without_a_picture_has_no_steps_and_leaves_keys_to_others(tmp_path: Path) -> None:
    drawn = session_of("gather-2").experiments[0]
    session = Session((replace(drawn, extra={}), replace(of_kind("fixes")[0], extra={})), "Places")
    step = f"Number({root_of(0)}.querySelector('.steps input').value)"

    async def visit(page: Tab) -> None:
        await opened(page, file, "#experiment=2&step=0")
        assert await value(page, "faults") == []
        last = await value(page, step)
        await value(page, "window.scrollTo(0, 0) ?? 0")
        await page.press(",")
        assert last > 0
        assert await value(page, step) == last - 1

    file = written(session, tmp_path / "page.html")
    visited(visit, file)


def test_a_page_on_paper_has_its_open_title_and_then_that_of_before(tmp_path: Path) -> None:
    """However often a browser says that it prints."""
    titles = "[document.title, document.querySelector('h1').textContent]"

    async def visit(page: Tab) -> None:
        asks = await value(page, titles)
        assert "Every kind" not in asks
        await value(page, "document.querySelectorAll('.show').forEach((each) => each.click()) ?? 0")
        before = await value(page, STATE)
        for _ in range(2):
            assert await value(page, titles) == ["Every kind", "Every kind"]
            for _ in range(2):
                await value(page, "window.dispatchEvent(new Event('beforeprint')) && 0")
                assert await value(page, titles) == asks
            await value(page, "window.dispatchEvent(new Event('afterprint')) && 0")
            assert await value(page, STATE) == before

    visited(visit, written(EVERY_KIND, tmp_path / "page.html"))


HOSTILE = (
    "experiment=99&step=1&cell=0,0",
    "experiment=0&step=1",
    "experiment=-1&step=1",
    "experiment=1e0&step=1",
    "experiment=1&step=999999999",
    "experiment=1&step=-1",
    "experiment=1&step=1.5&cell=9,9",
    "experiment=1&cell=__proto__",
    "experiment=constructor&step=1",
    "experiment=%E0%A4%A&step=1",
    "step=%00&cell=<img src=x onerror=alert(1)>",
    "experiment=1&cell=%3Cscript%3E",
    "cell=" + "0," * 5000,
    "%",
    "e99",
)
"""Addresses of which no part is any that there is."""
