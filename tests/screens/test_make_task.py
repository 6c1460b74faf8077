"""Make a task: every kind and a level by keys alone, another by mouse, and the lesson that is shipped."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.author_keys import Author
from support.driver import Driver, explore, is_top
from support.kinds import OF_CHAINS
from textual.screen import Screen
from textual.widgets import Input, OptionList

from dmlviz.cli.check import run as check
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.operators.gather import Gather
from dmlviz.screens.dialogs.make_task import GIVES_UP, MakeTask
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.writing import dump, save
from dmlviz.teaching.lessons.lessons import faults, lesson_of
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.workspace.authoring.authoring import KINDS

SMALL = (80, 24)
SHIPPED = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
BROKEN = "gather-3-as-printed"
OTHERS = {"fixes": BROKEN, "insizes": "reverse-1", "promised": "warning-index-range"}
OTHERS |= dict.fromkeys(OF_CHAINS, "chain-rotate-half") | {"dead": "chain-computed-indices"}
"""Examples of whose last experiment the kinds are made which can't be made of gather-2."""
Script = Callable[[Author], Awaitable[None]]


def write(script: Script, session: Session | str, size: tuple[int, int] = SMALL) -> Session:
    """The session that an author leaves behind."""
    found: list[Session] = []

    async def whole(driver: Driver) -> None:
        await script(Author(driver))
        found.append(driver.screen.workspace.document.session)

    explore(whole, session, size)
    return found[0]


def anywhere(session: Session) -> tuple[Experiment, ...]:
    """Experiments, and those that they read, without the folder that they lie in."""
    return replace(session, experiments=tuple(replace(each, folder=None) for each in session.experiments)).experiments


def is_sound(session: Session, file: Path) -> None:
    """The session is saved, check finds nothing wrong with its tasks, and it loads again equal."""
    assert not faults(session)
    own = replace(session, folder=file.parent)
    save(own, file)
    again = load(file)
    assert anywhere(again) == anywhere(session)
    assert again.extra == session.extra
    assert dump(again, views=False) == dump(own, views=False)


@pytest.mark.parametrize("kind", [each for each in KINDS if each != "level"])
def test_a_task_of_every_kind_is_made_by_keys_alone(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = OTHERS.get(kind, "gather-2")

    async def script(author: Author) -> None:
        await author.driver.press(*["ctrl+right"] * (len(examples()[name].experiments) - 1))
        await author.open()
        await author.kind(kind)
        if kind == "misprint":
            await author.write("choices", "*axis 1 | Axis 0 | Sizes {4, 2}")
        await author.write("say", "Which?")
        await author.write("hint.0", "Look.")
        rules = [row.key for row in author.dialog.state.rows if row.key.startswith("rule.")]
        if rules:
            await author.press(rules[0], "space")
            await author.write(rules[0].replace("rule.", "wrong."), "Not so.")
        await author.make()
        document = author.driver.screen.workspace.document
        assert document.dirty
        await author.driver.press("u")
        assert document.session == examples()[name], "one change"
        await author.driver.press("ctrl+y")

    made = write(script, name)
    experiment = made.experiments[-1]
    task = task_of(experiment)
    assert task is not None
    assert task.kind == kind
    question = question_of(experiment, task)
    assert question.prompt == "Which?"
    assert question.hint(1) == "Look."
    for rule, text in task.wrong.items():
        assert question.grade(question.kind.form.json(question.answers[rule])).says == text == "Not so."
    is_sound(made, tmp_path / "made.json")
    assert check([str(tmp_path / "made.json")]) == (name == BROKEN), capsys.readouterr().out


def rows(name: str, *indices: int) -> Experiment:
    """A GATHER of rows by these indices."""
    data = TensorDesc(DataType.FLOAT32, (3, 2))
    desc = Gather(data, TensorDesc(DataType.UINT32, (1, len(indices))), axis=0, index_dimensions=1)
    values = {"InputTensor": [[1, 2], [3, 4], [5, 6]], "IndicesTensor": [list(indices)]}
    return Experiment(name, desc, "3_0", values)  # type: ignore[arg-type]


async def change_index(author: Author, *texts: str) -> None:
    """Types other indices into the cells, by keys: the cursor goes to the indices, then each cell is typed."""
    driver = author.driver
    await driver.press("ctrl+g")
    await driver.pilot.press(*"IndicesTensor", "left_square_bracket", *"0,0", "right_square_bracket")
    await driver.press("enter", "e")
    for text in texts:
        await driver.press("home", "shift+end", *text, "enter")
    await driver.press("escape")


async def begin(author: Author, kind: str, phase: str, say: str) -> None:
    """Opens the dialog, and writes what every task has."""
    await author.open()
    await author.kind(kind)
    await author.phase(phase)
    await author.write("say", say)


async def back_to_dialog(author: Author, shown: str, preview: type[Screen[Any]] = LessonScreen) -> None:
    """Out of the preview, once it is there and shows something."""
    driver = author.driver
    await driver.until(lambda: is_top(driver, preview) and shown in driver.text())
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, MakeTask))


# ---- the lesson that is shipped


@pytest.mark.slow
def test_the_shipped_lesson_is_made_by_keys_alone(tmp_path: Path) -> None:
    before = Session(
        (
            rows("rows 1", 2, 0),
            rows("rows 2", 0, 1, 1, 2),
            rows("rows 3", 1, 1, 0),
        ),
        "Rows by index",
    )

    async def script(author: Author) -> None:
        driver = author.driver
        await begin(author, "pictures", "predict", "Indices 2 and 0. Which picture is the output?")
        await author.press("rule.G3", "space")
        await author.write("wrong.G3", "An index says where an output row comes from, not where it goes.")
        await author.press("rule.G4", "space")
        await author.write("wrong.G4", "Indices count from 0.")
        await author.write("hint.0", "The first index makes the first output row.")
        await author.write("then", "Index 2 comes first, so row 2 does.")
        await author.write("lesson.title", "Rows by index")
        await author.write("lesson.goal", "Say which rows GATHER takes, and in which order.")
        await author.make()
        await driver.press("ctrl+right")
        await begin(author, "dest", "investigate", "Mark every place that this element goes to.")
        await author.write("hint.0", "How often does the number of its row stand among the indices?")
        await author.make()
        await driver.press("ctrl+right")
        await begin(author, "unread", "modify", "The last index is 0 now. Which input elements are never read?")
        await author.write("then", "No index names their row. No rule asks that one does.")
        await author.make()

    made = write(script, before)
    is_sound(made, tmp_path / "made.json")
    lesson = made.extra["lesson"]
    assert isinstance(lesson, dict)
    assert re.fullmatch(r"rows-by-index-[0-9a-f]{8}", lesson["id"])
    bare = {key: held for key, held in lesson.items() if key != "id"}  # it is made by chance
    shipped = load(SHIPPED)
    questions = replace(shipped, experiments=shipped.experiments[:3])  # the level behind them is written by hand
    assert dump(questions) == dump(replace(made, extra={**made.extra, "lesson": bare}), views=False)


def test_the_shipped_lesson_is_held_to_account(capsys: pytest.CaptureFixture[str]) -> None:
    session = load(SHIPPED)
    assert not faults(session)
    assert check([str(SHIPPED)]) == 0, capsys.readouterr().out
    lesson = lesson_of(session)
    assert lesson is not None
    assert lesson.goal
    phases = [step.task.phase for step in lesson.steps if step.task is not None]
    assert phases == ["predict", "investigate", "modify", "make"]
    for step in lesson.steps:
        assert step.task is not None
        assert step.experiment.desc.TYPE == "DML_OPERATOR_GATHER"
        question = question_of(step.experiment, step.task, lesson.seed)
        assert question.grade(question.kind.form.json(question.truth)).right
        for rule, text in step.task.wrong.items():
            verdict = question.grade(question.kind.form.json(question.answers[rule]))
            assert not verdict.right
            assert verdict.says == text


# ---- the dialog


@pytest.mark.parametrize("size", [SMALL, (120, 36)])
def test_a_task_is_made_by_mouse_but_for_its_words(size: tuple[int, int]) -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        driver.screen.action_make_task()
        await driver.until(lambda: is_top(driver, MakeTask))

        async def click(text: str) -> None:
            x, y = driver.find(text, "#task-rows")
            await driver.click("#task-rows", x + 1, y)

        await click("Kind")
        await click("what stands in one element?")
        assert author.dialog.authoring.kind == "cell"
        await click("Phase")
        rule = next(row for row in author.dialog.state.rows if row.key.startswith("rule."))
        await click(rule.label)
        await click("Say")
        assert driver.app.focused is driver.app.screen.query_one(Input)
        await driver.press("W", "h", "y", "question_mark", "enter")
        await driver.click("#preview")
        await back_to_dialog(author, "Why?")
        await driver.click("#make")
        await driver.until(lambda: is_top(driver, Explorer))

    task = task_of(write(script, "gather-2", size).experiments[0])
    assert task is not None
    assert (task.kind, task.phase, task.say, len(task.wrong)) == ("cell", "predict", "Why?", 1)


def test_what_is_written_is_given_up_only_when_escape_is_pressed_twice() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await driver.press("escape")
        assert is_top(driver, Explorer), "nothing was written"
        await author.open()
        await author.write("say", "Which?")
        await driver.press("escape")
        assert is_top(driver, MakeTask)
        assert GIVES_UP.split(":")[0] in driver.words(".trouble")
        await driver.press("escape")
        assert is_top(driver, Explorer)

    assert write(script, "gather-2") == examples()["gather-2"]


def test_a_task_is_edited_and_removed_from_the_dialog() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.write("say", "Which?")
        await author.make()
        assert driver.screen.workspace.experiment.extra["task"]["say"] == "Which?"
        await author.open()
        assert author.dialog.state.row("say").value == "Which?"
        await driver.press("delete")
        await driver.until(lambda: is_top(driver, Explorer))

    assert write(script, "gather-2") == examples()["gather-2"]


def test_the_preview_asks_as_a_student_is_asked_and_keeps_nothing() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        answers = len(driver.app.progress.answers) if driver.app.progress else 0
        await author.open()
        await author.kind("sizes")
        await author.write("say", "Which sizes?")
        await driver.press("f2")
        await driver.until(lambda: is_top(driver, LessonScreen))
        assert "Which sizes?" in driver.text()
        await driver.press("4", "comma", "2", "enter")
        screen = driver.app.screen
        assert isinstance(screen, LessonScreen)
        assert not screen.state.open
        await back_to_dialog(author, "Which sizes?")
        assert author.dialog.state.row("say").value == "Which sizes?"
        assert (len(driver.app.progress.answers) if driver.app.progress else 0) == answers

    write(script, "gather-2")


@pytest.mark.parametrize("size", [SMALL, (120, 36), (200, 50)])
def test_rows_buttons_and_what_is_wrong_stand_on_the_screen(size: tuple[int, int]) -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.kind("cell")
        await author.write("lesson.minutes", "ten")
        shown = driver.text()
        assert 'lesson.minutes is "ten"' in " ".join(shown.split())
        for label in ("As a student (F2)", "Make it (^s)", "Remove (del)", "Close (esc)"):
            assert label in shown
        rows_ = driver.app.screen.query_one(OptionList)
        assert rows_.size.height >= 8
        await author.go("lesson.goal")
        assert "what somebody can do afterwards" in driver.text("#task-rows")

    write(script, "gather-2", size)


# ---- signs, reasons, and texts that a click would lose


@pytest.mark.parametrize("size", [SMALL, (120, 36)])
def test_a_sign_says_that_there_is_a_task_until_it_is_removed(size: tuple[int, int]) -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        signs = {"#header": "   ?", **({"#form": "? task"} if size[0] > 100 else {})}
        assert not any(sign in driver.text(each) for each, sign in signs.items())
        await author.open()
        await author.kind("cell")
        await author.make()
        assert all(sign in driver.text(each) for each, sign in signs.items())
        await driver.press("ctrl+e")
        assert "GATHER  ?" in driver.text("#experiments")
        await driver.press("escape")
        if size[0] > 100:
            await driver.click("#form", *driver.find("? task", "#form"))
            assert author.dialog.state.made_before
            await driver.press("escape")
        await driver.press("u")
        assert not any(sign in driver.text(each) for each, sign in signs.items())
        await driver.press("ctrl+y")
        assert all(sign in driver.text(each) for each, sign in signs.items())

    write(script, "gather-2", size)


def test_a_kind_that_is_not_offered_says_why_by_keys_and_by_mouse() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.press("kind")
        assert "needs a tensor of lengths" in driver.text("#task-rows")
        await author.press("pick.insizes")
        assert "insizes can't be asked of this desc: it needs a tensor of lengths." in driver.words(".trouble")
        await driver.click("#task-rows", *driver.find("fixes", "#task-rows"))
        assert "fixes can't be asked of this desc: it needs a broken rule" in driver.words(".trouble")
        await author.press("pick.order")
        assert author.dialog.authoring.kind == "order"
        assert not driver.words(".trouble")

    write(script, "gather-2")


def test_a_click_on_another_row_or_a_button_takes_what_is_being_written() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.kind("cell")
        await author.press("say")
        await driver.type("Which?")
        await driver.click("#task-rows", *driver.find("Hint 1", "#task-rows"))
        assert author.dialog.state.row("say").value == "Which?"
        await driver.type("Look.")
        await driver.click("#make")
        await driver.until(lambda: is_top(driver, Explorer))

    task = write(script, "gather-2").experiments[0].extra["task"]
    assert isinstance(task, dict)
    assert (task["say"], task["hints"]) == ("Which?", ["Look."])


def test_what_is_refused_is_told_and_nothing_acts_over_it() -> None:
    async def script(author: Author) -> None:
        driver = author.driver
        await author.open()
        await author.kind("cell")
        await author.write("say", "Which?")
        for where in ("#make", "#preview", "feature_level"):
            await author.press("lesson.minutes")
            await driver.type("5 min")
            await (driver.click(where) if where.startswith("#") else driver.click_text(where, "#task-rows"))
            assert is_top(driver, MakeTask), where
            assert 'lesson.minutes is "5 min", expected an integer' in driver.words(".trouble"), where
        await driver.click("#make")
        await driver.until(lambda: is_top(driver, Explorer))

    made = write(script, "gather-2")
    assert "minutes" not in made.extra["lesson"]


def test_the_lessons_own_rows_are_written_by_keys_and_undone_as_one() -> None:
    texts = {"minutes": "25", "exit": "2", "seed": "7"}

    async def script(author: Author) -> None:
        await author.open()
        await author.kind("sizes")
        await author.write("speaker.0", "Let them talk.")
        for key, text in texts.items():
            await author.write(f"lesson.{key}", text)
        await author.make()
        document = author.driver.screen.workspace.document
        await author.driver.press("u")
        assert document.session == examples()["gather-2"], "one change"
        await author.driver.press("ctrl+y")

    made = write(script, "gather-2")
    lesson = lesson_of(made)
    assert lesson is not None
    assert (lesson.minutes, lesson.exit, lesson.seed) == (25, 2, 7)
    (step,) = lesson.steps
    assert step.task is not None
    assert [*step.task.speaker] == ["Let them talk."]
