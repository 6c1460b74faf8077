"""The wall and the speaker's screen: by page down and page up alone, in rooms of every size, and in real terminals."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.driver import Driver, explore
from support.real_terminal import Terminal

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.present.key_list import KeyList
from dmlviz.screens.present.opening import SpeakerScreen
from dmlviz.screens.present.wall import WallScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.widgets.fields.form import Form
from dmlviz.widgets.picture.tensor_stack import ShownStack
from dmlviz.workspace.wall.presenting import Presenting

SIZES = [(60, 18), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 50)))]
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
LEVELS = CONTENT / "levels.json"
PAGE_DOWN, PAGE_UP = "\x1b[6~", "\x1b[5~"


def session_of(*names: str) -> Session:
    return Session(tuple(each for name in names for each in examples.example(name).session().experiments[:1]))


LESSON = session_of("gather-2", "rule-sizes-match", "join-1")


def wall(driver: Driver) -> WallScreen:
    screen = driver.app.screen
    assert isinstance(screen, WallScreen)
    return screen


def cells(text: str) -> str:
    """A line without blocks: hairlines beside cells, and cells' fills beyond their lines."""
    return "".join(" " if "\u2580" <= each <= "\u259f" else each for each in text)


async def present(driver: Driver) -> WallScreen:
    await driver.press("w")
    await driver.until(lambda: isinstance(driver.app.screen, WallScreen) and driver.app.screen.is_mounted)
    return wall(driver)


@pytest.mark.parametrize("size", SIZES)
def test_page_down_and_page_up_alone_go_through_a_session(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await present(driver)
        assert not screen.query(Form)
        seen = []
        for key in ("pagedown",) * 8 + ("pageup",) * 8:
            state, text = screen.state, driver.text()
            seen.append((state.heading.number, state.build))
            assert f"{state.heading.number} of 3" in driver.text("#wall-head")
            assert ("✗ invalid" in text) is (state.heading.number == 2)
            if state.build is Build.QUESTION:
                assert state.item.prompt.split()[0] in text
            if state.desc.pictured:
                assert state.picture.scene is not None
                assert state.picture.scene.layout.fits
                assert screen.pane.region.height >= 5
            await driver.press(key)
        assert seen[0] == (1, Build.QUESTION)
        assert seen[7] == (3, Build.REVEAL)
        assert seen[8:] == seen[7::-1]
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, Explorer))

    explore(script, LESSON, size)


def test_the_outputs_stay_off_the_wall_until_they_are_played() -> None:
    async def script(driver: Driver) -> None:
        screen = await present(driver)
        assert not screen.state.picture.known.whole
        await driver.press("pagedown")
        assert screen.state.build is Build.PLAY
        await driver.press("pagedown")
        assert screen.state.picture.known.whole
        assert "✓" in driver.text("#wall-board")
        await driver.press("h")
        assert not screen.state.picture.known.whole

    explore(script, LESSON)


@pytest.mark.parametrize("file", [CLASSROOM, LEVELS], ids=["questions", "levels"])
def test_no_name_of_an_experiment_is_on_the_wall_before_the_answer(file: Path) -> None:
    """It may be the answer, and a level's solution."""
    made = load(file)
    named = tuple(replace(each, name=f"TOLD {n}") for n, each in enumerate(made.experiments[:4]))

    async def script(driver: Driver) -> None:
        screen = await present(driver)
        told = 0
        while screen.state.heading.number < 4 or screen.state.build is not Build.REVEAL:
            revealed = screen.state.build is Build.REVEAL
            assert ("TOLD" in driver.text()) is revealed
            told += revealed
            await driver.press("pagedown")
        assert told == 3

    explore(script, replace(made, experiments=named))


def test_a_solution_on_the_smallest_wall_has_every_number_whole() -> None:
    (experiment,) = session_of("join-2-axis-2").experiments
    values = [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]
    output = {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 6]}
    task = {
        "kind": "level",
        "goal": [{"Sizes": [1, 1, 2, 6], "values": [[values]]}],
        "solutions": [{"desc": {"Axis": 3, "OutputTensor": output}}],
        "say": "Put the three tensors side by side.",
        "then": "Axis counts from 0.",
    }

    async def script(driver: Driver) -> None:
        screen = await present(driver)
        await driver.press("r")
        assert not screen.state.item.problem
        drawn = [re.findall(r"\d+", line) for line in driver.text("#wall-picture").split("\n")]
        for row in values:
            assert any(line[-6:] == [*map(str, row)] for line in drawn), driver.text()

    explore(script, Session((replace(experiment, notes="", extra={"task": task}),)), (60, 18))


def test_hands_are_typed_and_stay_off_the_wall_until_they_are_revealed() -> None:
    async def script(driver: Driver) -> None:
        screen = await present(driver)
        for letter, hands in zip("abcd", ("71", "72", "73", "74"), strict=True):
            await driver.press(letter, *hands)
            for each in ("71", "72", "73", "74"):
                assert each not in driver.text("#wall-board")
            await driver.press("enter")
        assert "290 counted" in driver.words("#wall-board")
        assert "71" not in driver.text("#wall-board")
        await driver.press("r")
        for each in ("71", "72", "73", "74"):
            assert each in driver.text("#wall-board")
        assert screen.state.build is Build.REVEAL

    explore(script, LESSON, (100, 40))


def test_the_speaker_s_screen_below_the_wall_is_where_there_is_one_screen_alone() -> None:
    async def script(driver: Driver) -> None:
        await present(driver)
        assert "Next:" not in driver.text()
        await driver.press("s")
        assert "Next: 2" in driver.text("#wall-notes")
        await driver.press("s")
        assert "Next:" not in driver.text()

    explore(script, LESSON, (100, 40))


def test_the_spotlight_dims_all_but_the_row_and_its_partners() -> None:
    async def script(driver: Driver) -> None:
        screen = await present(driver)
        await driver.press("r")

        def fills(side: ShownStack) -> int:
            return len({s.style.bgcolor for y in range(side.size.height) for s in side.render_line(y) if s.style})

        sides = [side for side in screen.pane.sides if isinstance(side, ShownStack)]
        before = [side.render_line(y) for side in sides for y in range(side.size.height)]
        filled = sum(map(fills, sides))
        await driver.press("space")
        assert screen.state.spot
        assert sum(map(fills, sides)) < filled
        dimmed = [side.render_line(y) for side in sides for y in range(side.size.height)]
        assert [cells(strip.text) for strip in dimmed] == [cells(strip.text) for strip in before]
        await driver.press("space")
        assert [side.render_line(y) for side in sides for y in range(side.size.height)] == before

    explore(script, "gather-2")


def test_black_shows_nothing_and_the_next_key_lights_it() -> None:
    async def script(driver: Driver) -> None:
        await present(driver)
        await driver.press("k")
        assert not driver.text().strip()
        await driver.press("pagedown")
        assert "1 of 3" in driver.text("#wall-head")

    explore(script, LESSON)


def test_f9_presents_the_experiment_on_the_screen_and_leads_back() -> None:
    async def script(driver: Driver) -> None:
        driver.screen.present(driver.screen.workspace.look_at_experiment(LESSON.experiments[2]))
        await driver.settle()
        await driver.press("f9")
        await driver.until(lambda: isinstance(driver.app.screen, WallScreen))
        assert wall(driver).state.heading.number == driver.screen.state.document.number + 1
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, Explorer))

    explore(script, LESSON)


def test_the_speaker_s_screen_has_the_rule_behind_each_answer_and_what_comes_next() -> None:
    async def script(driver: Driver) -> None:
        presenting = Presenting(LESSON, lambda: 1_800_000_000.0)
        driver.app.push_screen(SpeakerScreen(presenting))
        await driver.until(lambda: isinstance(driver.app.screen, SpeakerScreen) and driver.app.screen.is_mounted)
        said = driver.words("#wall-body")
        for answer in presenting.item.answers:
            assert (answer.rule or "right") in said
        assert said.startswith(f'Next: 2, "{presenting.item_at(1).prompt}'[:60])
        assert "SPEAKER" in driver.text("#wall-head")
        await driver.press("pagedown", "pagedown", "pagedown")
        assert "2 of 3" in driver.text("#wall-head")

    explore(script, LESSON, (120, 36))


@pytest.mark.parametrize("notes", [False, True])
def test_the_keys_are_listed_and_a_clicker_closes_the_list(notes: bool) -> None:
    async def script(driver: Driver) -> None:
        screen = SpeakerScreen if notes else WallScreen
        driver.app.push_screen(screen(Presenting(LESSON, lambda: 1_800_000_000.0)))
        await driver.until(lambda: isinstance(driver.app.screen, screen) and driver.app.screen.is_mounted)
        await driver.press("question_mark")
        listed = driver.app.screen
        assert isinstance(listed, KeyList)
        told = driver.text()
        for said in ("pgdn n  on", "pgup N  back", "a b c d  hands", "v  count", "r  reveal", "k  black", "g  go to"):
            assert said in told
        assert ("space  spotlight" in told) is not notes
        await driver.press("pagedown")
        assert isinstance(driver.app.screen, screen)
        assert "1 of 3" in driver.text("#wall-head")

    explore(script, LESSON, (120, 40))


@pytest.mark.parametrize("size", [(60, 18), (200, 50)])
def test_the_question_stands_right_below_its_picture(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        driver.app.push_screen(WallScreen(Presenting(LESSON, lambda: 1_800_000_000.0)))
        await driver.until(lambda: isinstance(driver.app.screen, WallScreen) and driver.app.screen.is_mounted)
        screen = wall(driver)
        for key in ("", "pagedown", "pagedown"):
            if key:
                await driver.press(key)
            scene = screen.state.picture.scene
            assert scene is not None
            assert scene.layout.fits
            below = [stack.below for stack in (scene.inputs, scene.outputs) if stack.figures]
            assert min(below) <= 1
            assert screen.query_one("#wall-board").region.y == screen.pane.region.bottom
            assert all(max(side.max_scroll_y, 0) == 0 for side in screen.pane.sides if side.display)

    explore(script, LESSON, size)


# ---- in real terminals


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    made: list[Terminal] = []
    yield made
    for each in made:
        each.process.close(force=True)


@pytest.mark.slow
def test_two_terminals_follow_each_other_and_go_on_after_a_kill(tmp_path: Path, terminals: list[Terminal]) -> None:
    from dmlviz.session.writing import save

    save(LESSON, tmp_path / "lesson.json")

    def start(*more: str) -> Terminal:
        words = [sys.executable, "-m", "dmlviz", "present", "lesson.json", *more]
        made = Terminal(words, 80, 24, tmp_path)
        terminals.append(made)
        return made

    shown = start()
    shown.until("1 of 3")
    assert b"palette" not in shown.raw, "the room sees no explorer, which shows the outputs"
    speaker = start("--notes")
    speaker.until("SPEAKER", "1 of 3")
    for _ in range(3):
        shown.wait()
        shown.send(PAGE_DOWN)
    shown.until("2 of 3")
    speaker.until("2 of 3")
    speaker.send(PAGE_DOWN)
    speaker.until(lambda text: "reveal" in text.splitlines()[0])
    speaker.wait()
    speaker.send(PAGE_DOWN)
    shown.until("3 of 3")
    shown.process.kill(9)
    speaker.send("a12\r")
    speaker.until("12")
    again = start()
    again.until("3 of 3")
    again.until("counted: a")
    speaker.process.kill(9)
    again.send("r")
    again.until("100 %")
    other = start("--notes")
    other.until(lambda text: "3 of 3" in text and "reveal" in text.splitlines()[0] and " 12 " in text)
    other.quits()
    again.quits()


def test_a_damaged_state_is_told_and_the_wall_has_no_palette(tmp_path: Path, terminals: list[Terminal]) -> None:
    lesson = tmp_path / "lesson.json"
    lesson.write_bytes(CLASSROOM.read_bytes())
    kept = StateFile(str(lesson), tmp_path / ".home" / "xdg_state_home" / "dmlviz" / "presenting").file
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    wall = Terminal([sys.executable, "-m", "dmlviz", "present", "lesson.json"], 120, 36, tmp_path)
    terminals.append(wall)
    wall.until("expected JSON")
    wall.send("\x10?")  # ctrl+p; the next key is heard by the wall
    wall.until("hands for an answer")
    wall.send("\x10\x1b")  # nor over the list of keys
    wall.until(lambda text: "hands for an answer" not in text and "Which picture" in text)
    wall.quits()


@pytest.mark.slow
def test_every_key_works_by_its_bytes_from_a_fresh_home(tmp_path: Path, terminals: list[Terminal]) -> None:
    (tmp_path / "lesson.json").write_bytes(CLASSROOM.read_bytes())
    wall = Terminal([sys.executable, "-m", "dmlviz", "present", "lesson.json"], 120, 36, tmp_path, first=True)
    terminals.append(wall)

    def press(keys: str, shown: str | Callable[[str], bool]) -> None:
        wall.wait()
        wall.send(keys)
        wall.until(shown)

    wall.until("1 of 4")
    wall.until("Which picture is the output?")
    press("a11\r", "hands counted: a")
    press("b9", "b: …")
    press("c6\x7f7\rd2\r", "hands   29 counted · first vote")
    press("v", "second vote")
    press("v", "first vote")
    press("T", "talk to your neighbour")
    press("T", lambda text: "talk to" not in text)
    press("?", "hands for an answer")
    press("\x1b", lambda text: "hands for an answer" not in text)
    press("k", lambda text: not text.strip())
    press(PAGE_DOWN, "Which picture")
    press(" ", "Which picture")
    press("\t\x1b[B\x1b[C\x1b[A\x1b[D ", "Which picture")
    press(".", "Steps are shown once the question was asked")
    press(PAGE_DOWN, "OutputTensor")
    press("r", "Index 2 comes first")
    wall.until("a ✓   11  █████████                 38 %", "31 %  indices from 1")  # beside the author's words
    press("h", lambda text: "→ 5" not in text and "·" in text)
    press("h", "Index 2 comes first")
    press(".,", "OutputTensor")
    press("p", "OutputTensor")
    press("s", "Next: 2")
    press("s", lambda text: "Next: 2" not in text)
    press("g9\r", "There is no experiment 9, expected 1 to 4.")
    press("g3\r", "3 of 4")
    press("g\x1b", "3 of 4")
    press(PAGE_UP, "2 of 4")
    press("n", "3 of 4")
    press("N", "2 of 4")
    press("Z", "Z again begins anew")
    press("Z", "1 of 4")
    press("r", lambda text: "38 %" not in text and "Index 2 comes first" in text)
    wall.wait()
    wall.send("\x1b")
    assert wall.ends() == 0


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["wall", "speaker"])
def test_the_classroom_lesson_by_page_down_and_page_up_alone(
    killed: str, tmp_path: Path, terminals: list[Terminal]
) -> None:
    (tmp_path / "lesson.json").write_bytes(CLASSROOM.read_bytes())
    way = [(number, build) for number in range(1, 5) for build in Build]

    def start(side: str) -> Terminal:
        more = ["--notes"] if side == "speaker" else []
        made = Terminal([sys.executable, "-m", "dmlviz", "present", "lesson.json", *more], 80, 24, tmp_path)
        terminals.append(made)
        return made

    sides = {side: start(side) for side in ("wall", "speaker")}

    def at(number: int, build: Build) -> None:
        sides["wall"].until(f"{number} of 4")
        sides["speaker"].until(lambda text: f"{number} of 4  {build.value}" in text.split("\n")[0])

    def go(key: str, number: int, build: Build) -> None:
        sides["wall"].wait()
        sides["wall"].send(key)
        at(number, build)

    at(*way[0])
    for each in way[1:5]:
        go(PAGE_DOWN, *each)
    sides[killed].process.kill(9)
    sides[killed] = start(killed)
    at(*way[4])
    for each in way[5:]:
        go(PAGE_DOWN, *each)
    sides["wall"].wait()
    sides["wall"].send(PAGE_DOWN)
    sides["wall"].until("This is the end.")
    for each in way[-2:6:-1]:
        go(PAGE_UP, *each)
    sides[killed].process.kill(9)
    sides[killed] = start(killed)
    at(*way[7])
    for each in way[6::-1]:
        go(PAGE_UP, *each)
    for side in sides.values():
        side.quits()
