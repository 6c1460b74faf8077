"""Lessons on the screen: whole ones by keys and by mouse, explored and come back to, resized, and gone on with."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from support.answering import Clock
from support.driver import Driver, explore
from support.follow_ups import cases, chain, out_of_reach
from support.lesson_play import answer_by_keys, answer_by_mouse, asked, click_footer, easy_keys, numbers, running
from support.real_terminal import Terminal

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.lesson_end import LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.progress.progress import Answered, Progress
from dmlviz.widgets.boards.course_board import CourseBoard
from dmlviz.workspace.asking.following import LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson

LEVEL_KEYS = {
    "L11": ["1", *["right", "3", "right", "1"] * 2],
    "L13": ["right", "right", "3", "right", "1"],
}
"""Keys that win levels."""
LESSONS = [each.id for each in shipped_lessons()]


async def open_lesson(driver: Driver, name: str, *, by_mouse: bool = False) -> Lesson:
    """Opens a lesson from the map."""
    if not isinstance(driver.app.screen, CourseMapScreen):
        await driver.press("t")
    await driver.until(lambda: isinstance(driver.app.screen, CourseMapScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    screen = driver.app.screen
    assert isinstance(screen, CourseMapScreen)
    at = LESSONS.index(name)
    if by_mouse:
        board = screen.query_one(CourseBoard)
        await driver.click(board, *board.place_of("open", str(at)))
    else:
        await driver.press("home", *["down"] * at, "enter")
    await driver.until(lambda: isinstance(driver.app.screen, LessonScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    return shipped_lessons()[at]


async def win(driver: Driver, level: str) -> None:
    """Opens the level that is a step, and solves it by keys."""
    screen = asked(driver)
    await driver.press("enter")
    await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    await driver.press(*LEVEL_KEYS[level], "enter")
    assert driver.app.screen is screen
    assert "exit question 1 of 3" in driver.text("#ask-head")


async def take(driver: Driver, name: str, *, by_mouse: bool = False) -> None:
    """Goes through a lesson from the map to its end; most levels are skipped, which other tests solve."""
    lesson = await open_lesson(driver, name, by_mouse=by_mouse)
    screen = asked(driver)
    seen = []
    while isinstance(driver.app.screen, LessonScreen):
        lesson_now = running(driver)
        seen.append(lesson_now.task)
        head = driver.text("#ask-head")
        said = " ".join(screen.state.question.prompt.split())
        assert said in driver.words("#ask-board"), (said, driver.words("#ask-board"))
        if lesson_now.step is not None:
            assert f"step {lesson_now.step.number} of {len(lesson.steps)}" in head
        if not by_mouse and lesson_now.task in LEVEL_KEYS:
            await win(driver, lesson_now.task)
            continue
        if screen.state.form.how == "edit":
            await (click_footer(driver, "s skip") if by_mouse else driver.press("s"))
        else:
            driver.keys = 0
            await (answer_by_mouse(driver) if by_mouse else answer_by_keys(driver))
            easy_keys(screen.desk, driver.keys)
            assert screen.state.verdict is not None, (seen, screen.state.sentence)
            assert screen.state.verdict.right, seen
        assert "enter:" in driver.words("#ask-board")
        await (click_footer(driver, "enter go on") if by_mouse else driver.press("enter"))
        assert len(seen) < 40
    steps = [step.task.id for step in lesson.steps if step.task is not None]
    assert seen == [*steps, *[f"{name}.exit"] * 3]
    assert [each.task for each in driver.app.progress.answers][-len(seen) :] == seen
    assert isinstance(driver.app.screen, LessonEndScreen)
    assert driver.app.screen.end.title == lesson.title
    await (click_footer(driver, "esc map", "#end-footer") if by_mouse else driver.press("escape"))
    assert isinstance(driver.app.screen, CourseMapScreen)
    assert "done" in next(line for line in driver.text("#course-board").split("\n") if lesson.title in line)


@pytest.mark.parametrize("name", ["tile", "join"])
def test_a_whole_lesson_by_keys(name: str) -> None:
    async def script(driver: Driver) -> None:
        await take(driver, name)
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "gather-2", (80, 24))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "by_mouse"), [(name, n % 2 == 0) for n, name in enumerate(LESSONS)])
def test_each_lesson_to_its_end(name: str, by_mouse: bool) -> None:
    async def script(driver: Driver) -> None:
        await take(driver, name, by_mouse=by_mouse)

    explore(script, "gather-2", (80, 24) if by_mouse else (120, 36))


def test_a_wrong_answer_is_explained_and_another_like_it_is_asked() -> None:
    async def script(driver: Driver) -> None:
        lesson = await open_lesson(driver, "join")
        screen = asked(driver)
        task = lesson.steps[0].task
        assert task is not None
        rule, given = next((rule, given) for rule, given in screen.state.question.answers.items() if rule in task.wrong)
        await driver.press(*("comma" if c == "," else c for c in ",".join(map(str, given[0]))), "enter")
        shown = driver.words("#ask-board")
        assert " ".join(task.wrong[rule].split()) in shown
        assert "enter: another like it" in shown
        assert "▣□□□□□□□" in driver.text("#ask-head")
        await driver.press("enter")
        assert screen.state.open
        assert "step 1 of 8" in driver.text("#ask-head")
        await answer_by_keys(driver)
        assert "enter: on, to step 2" in driver.words("#ask-board")

    explore(script, "gather-2", (80, 24))


@pytest.mark.parametrize("back", ["t", "g"])
def test_a_step_is_explored_and_come_back_to(back: str) -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        lesson = await open_lesson(driver, "reverse")
        question = asked(driver).state.question
        await driver.press("b", "h", "e")
        await driver.until(lambda: driver.app.screen is explorer)
        assert explorer.state.document.experiment.desc == lesson.steps[0].experiment.desc
        assert "task" not in explorer.state.document.experiment.extra
        await driver.press(back)
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen))
        state = asked(driver).state
        assert state.question is question
        assert state.hints == 1
        assert [each.id for each in state.options if each.chosen] == ["b"]
        await driver.press("escape", "escape")
        assert driver.app.screen is explorer
        await driver.press("t")
        await driver.until(lambda: isinstance(driver.app.screen, CourseMapScreen))

    explore(script, "gather-2", (80, 24))


def test_explored_twice_a_desc_is_added_once() -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        await open_lesson(driver, "reverse")
        for _ in range(2):
            await driver.press("e")
            await driver.until(lambda: driver.app.screen is explorer)
            assert len(explorer.workspace.document.session.experiments) == 2
            await driver.press("t")
            await driver.until(lambda: isinstance(driver.app.screen, LessonScreen))

    explore(script, "gather-2", (80, 24))


@pytest.mark.parametrize("by_path", [False, True], ids=["name", "path"])
def test_t_has_the_question_of_an_example_on_the_map(by_path: bool) -> None:
    held = examples.example("tile-1")

    async def script(driver: Driver) -> None:
        explorer = driver.screen
        await driver.press("t")
        await driver.until(lambda: isinstance(driver.app.screen, CourseMapScreen) and driver.app.screen.is_mounted)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen) and driver.app.screen.is_mounted)
        await driver.settle()
        assert "How often is the 5 read?" in driver.text()
        await driver.press("e")
        await driver.until(lambda: driver.app.screen is explorer)
        assert explorer.workspace.document.session.experiments == session.experiments, "it is there already"
        await driver.press("t")
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen))
        await driver.press("9", "enter")
        verdict = asked(driver).state.verdict
        assert verdict is not None
        assert verdict.right

    session = load(held.path) if by_path else held.session()
    explore(script, session, (80, 24), held.path if by_path else None)


async def open_shown_step(driver: Driver) -> QuestionScreen:
    """Opens a step whose picture hides nothing but what is asked."""
    done = Answered(time="2026-11-22T19:40:05Z", task="split.1", operator="SPLIT", kind="pictures", seed=0, right=True)
    driver.app.progress.answers.append(done)
    await open_lesson(driver, "split")
    return asked(driver)


def test_where_nothing_is_hidden_a_point_steps_until_a_number_is_begun() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_shown_step(driver)
        assert screen.state.question.kind.name == "cell"
        await driver.press("full_stop")
        assert screen.state.picture.step is not None
        assert screen.state.slots == ("",)
        assert "?" in driver.text("#outputs"), "what is asked isn't told by it"
        await driver.press(*numbers(screen.desk)[0], "enter")
        assert screen.state.verdict is not None
        assert screen.state.verdict.right

    explore(script, "gather-2", (80, 24))


def test_space_plays_the_picture_that_is_asked_about_as_fast_as_the_explorer_and_any_key_stops_it() -> None:
    """It says which step it is at, and no frame of it tells what is asked."""

    def play_with(driver: Driver, seconds: float) -> None:
        driver.play_with(seconds=seconds)
        (explorer,) = (screen for screen in driver.app.screen_stack if isinstance(screen, Explorer))
        explorer.state = explorer.workspace.unmark()

    async def script(driver: Driver) -> None:
        play_with(driver, 4.0)
        screen = await open_shown_step(driver)
        answer = numbers(screen.desk)[0]
        seen: set[int | None] = set()

        def is_over() -> bool:
            seen.add(screen.state.picture.step)
            assert "?" in driver.text("#outputs")
            return not screen.state.picture.player.playing

        assert "space play" in driver.text("#ask-footer")
        await driver.pilot.press("space")
        assert screen.state.picture.player.seconds == 4.0
        await driver.until(is_over)
        steps = screen.state.picture.steps
        assert steps is not None
        assert seen >= {1, steps.count}
        assert f", . step {steps.count} of {steps.count}  space play" in driver.text("#ask-footer")
        play_with(driver, 60.0)
        for key in ("h", "comma", "question_mark", answer[0]):
            await driver.pilot.press("space")
            await driver.until(lambda: screen.state.picture.player.playing)
            assert "space stop" in driver.text("#ask-footer")
            await driver.press(key)
            assert not screen.state.picture.player.playing, key
            assert screen.state.picture.step in (0, 1), key
            if key == "question_mark":
                await driver.press("escape")
        assert screen.state.slots == (answer[0],)  # the key did what it does
        await driver.press(*answer[1:], "enter")
        assert screen.state.verdict is not None
        assert screen.state.verdict.right

    explore(script, "gather-2", (80, 24))


def test_a_level_is_a_step_that_goes_on_once_it_is_solved() -> None:
    async def script(driver: Driver) -> None:
        steps = shipped_lessons()[0].steps
        answers = driver.app.progress.answers
        for step in steps[:-1]:
            assert step.task is not None
            answers.append(
                Answered(
                    time="2026-11-22T19:40:05Z",
                    task=step.task.id,
                    operator="JOIN",
                    kind=step.task.kind,
                    seed=0,
                    right=True,
                )
            )
        await open_lesson(driver, "join")
        screen = asked(driver)
        task = steps[-1].task
        assert task is not None
        assert screen.state.form.how == "edit"
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen))
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is screen)
        assert screen.state.form.how == "edit"
        assert screen.state.open
        await driver.click("#ask-board", *driver.find("open the level", "#ask-board"))
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen))
        answers.append(
            Answered(time="2026-11-22T19:40:05Z", task=task.id, operator="JOIN", kind="level", seed=0, right=True)
        )
        driver.app.screen.dismiss(True)
        await driver.until(lambda: driver.app.screen is screen)
        assert "exit question 1 of 3" in driver.text("#ask-head")
        assert [each.task for each in answers].count(task.id) == 1

    explore(script, "gather-2", (80, 24))


def test_escape_leads_to_the_map_from_everywhere() -> None:
    async def script(driver: Driver) -> None:
        for keys in ([], ["1"], ["h"], ["s"], ["s", "full_stop"], ["s", "r"]):
            await open_lesson(driver, "invalid")
            await driver.press(*keys, "escape")
            assert isinstance(driver.app.screen, CourseMapScreen), keys

    explore(script, "gather-2", (80, 24))


def test_by_real_mouse_bytes_a_step_is_answered_and_after_a_kill_the_lesson_goes_on(tmp_path: Path) -> None:
    """The map is opened by its key, a lesson by a click, a step is answered by clicks; killed, it goes on there."""
    lesson = shipped_lessons()[LESSONS.index("tile")]
    twin = LessonDesk(RunningLesson(lesson, []), Progress(), Clock())
    words = [sys.executable, "-m", "dmlviz", "learn"]
    terminal = Terminal(words, 80, 24, tmp_path)
    try:
        terminal.click_text(lesson.title)
        terminal.until("step 1 of 9")
        assert twin.question.kind.name == "pictures"
        terminal.click_text(f" {twin.question.truth} ", below="Predict")
        terminal.until(f"[{twin.question.truth}]")
        terminal.click_text("enter answer")
        terminal.until("Right")
        terminal.click_text("enter go on")
        terminal.until("step 2 of 9")
    finally:
        terminal.process.close(force=True)
    (kept,) = (tmp_path / ".home").rglob("progress.jsonl")
    (answer,) = [json.loads(line) for line in kept.read_text().splitlines()]
    assert (answer["task"], answer["right"]) == ("tile.1", True)
    terminal = Terminal([*words, "--lesson", "tile"], 120, 36, tmp_path)
    try:
        terminal.until("step 2 of 9")
        terminal.until("■□□□□□□□□")
        terminal.send("\x1b")
        terminal.until("1 of 9")
    finally:
        terminal.process.close(force=True)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_follows_a_wrong_answer_is_whole_on_the_screen(size: tuple[int, int]) -> None:
    """Its picture and what is chosen among."""

    async def script(driver: Driver) -> None:
        await open_lesson(driver, "gather")
        for number, case in enumerate([*cases()][::5]):
            for question in chain(case, seed=number, count=1):
                assert not await out_of_reach(driver, question), case.name

    explore(script, "gather-2", size)


@pytest.mark.parametrize(("hints", "mark"), [(3, "■"), (4, "◧")])
def test_from_the_last_hint_on_an_answer_is_looked_up(hints: int, mark: str) -> None:
    async def script(driver: Driver) -> None:
        lesson = await open_lesson(driver, "tile")
        await driver.press(*["h"] * hints)
        await answer_by_keys(driver)
        answered = driver.app.progress.answers[-1]
        assert (answered.right, answered.rungs, answered.looked_up) == (True, hints, mark == "◧")
        assert ("looked up" in driver.text("#ask-board")) is (mark == "◧")
        assert f"{mark}{'□' * (len(lesson.steps) - 1)}" in driver.text("#ask-head")

    explore(script, "join-1", (100, 36))


def test_at_80_columns_the_first_reveal_is_whole() -> None:
    async def script(driver: Driver) -> None:
        await open_lesson(driver, LESSONS[0])
        question = asked(driver).desk.question
        wrong = next(choice.id for choice in question.choices if choice.id != question.truth)
        await driver.press(wrong, "enter")
        assert "✗ what you said" in driver.text("#ask-board")
        assert not re.search(r"col\w+ \d+–\d+", driver.text("#outputs"))

    explore(script, "join-1", (80, 24))
