"""The screen of a level: by real keys, by a terminal's mouse bytes, in rooms of every size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace
from support.driver import Driver, explore
from support.level_play import solve_by_keys, solve_by_mouse
from support.levels import level, play

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.memory import LEAST
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.widgets.boards.level_board import GoalPanel, goal_lines
from dmlviz.widgets.picture.tensor_stack import TensorStack
from dmlviz.workspace.levels.level_state import GoalTable

SIZES = [(80, 24), (120, 36), (200, 50)]
SOME = [(60, 18), (80, 24), *(pytest.param(size, marks=pytest.mark.slow) for size in ((120, 36), (200, 50)))]


def shown_goal(screen: LevelScreen) -> GoalPanel:
    panels = [panel for panel in screen.query(GoalPanel) if panel.display]
    assert len(panels) == 1
    return panels[0]


def everything_in_sight(driver: Driver, screen: LevelScreen) -> None:
    """The goal, all of it, what differs, and the keys that lead out are on the screen."""
    goal, text = shown_goal(screen), driver.text()
    region = goal.region
    assert region.height >= 1
    assert screen.region.contains_region(region)
    for table in screen.state.goal:
        assert table.title in text
        for value in table.texts:
            assert value in goal.text
    assert "esc leave" in driver.text("#level-footer")
    assert f"par {screen.state.level.par}" in driver.text("#level-head")


@pytest.mark.parametrize("size", SOME)
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("L01", ["1"]),
        ("L03", ["2", "right", "3"]),
        ("L07", ["1", "right", "2"]),
        ("L04", ["end", "3"]),
        ("L05", ["end", "3", "left", "1", "left", "3"]),
        ("L02", ["end", "left", "4", "left", "left", "2"]),
        ("L11", ["1", *["right", "3", "right", "1"] * 2]),
        ("L13", ["right", "right", "3", "right", "1"]),
        ("L19", ["1", "right", "2", "right", "3"]),
        ("L21", ["right", "2", "right", "right", "2", "end", "2", "left", "1"]),
        ("L23", ["1", "right", "2"]),
        ("L24", ["right", "1"]),
    ],
)
def test_won_by_keys_alone(name: str, keys: list[str], size: tuple[int, int]) -> None:
    progress = Progress()

    async def script(driver: Driver, screen: LevelScreen) -> None:
        everything_in_sight(driver, screen)
        assert not screen.state.won
        for key in keys:
            assert not screen.state.won
            await driver.press(key)
            everything_in_sight(driver, screen)
        assert screen.state.won, driver.text()
        board = driver.words("#level-low")
        assert "✓ That is the goal." in board
        assert level(name).task.learn.split()[0] in board
        await driver.press("enter")
        assert isinstance(driver.app.screen, Explorer)

    assert play(script, name, size, progress) == [True]
    assert [each.right for each in progress.answers] == [True]


@pytest.mark.parametrize("size", [(60, 18), *SIZES])
def test_the_goal_of_every_level_is_in_sight(size: tuple[int, int]) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("escape")
        for each in shipped_levels():
            found = LevelScreen(each, Progress())
            driver.app.push_screen(found)
            await driver.until(lambda found=found: driver.app.screen is found and found.is_mounted)  # type: ignore[misc]
            await driver.settle()
            everything_in_sight(driver, found)
            assert found.state.in_picture is found.pane.display
            await driver.press("escape")

    play(script, "L01", size)


@pytest.mark.parametrize(
    ("how", "size"),
    [(solve_by_keys, (80, 24)), pytest.param(solve_by_mouse, (60, 18), marks=pytest.mark.slow)],
)
def test_every_level_from_beginning_to_end(
    how: Callable[[Driver, LevelScreen], Awaitable[None]], size: tuple[int, int]
) -> None:
    progress, results = Progress(), list[bool | None]()

    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("escape")
        for each in shipped_levels():
            found = LevelScreen(each, progress)
            driver.app.push_screen(found, results.append)
            await driver.until(lambda found=found: driver.app.screen is found and found.is_mounted)  # type: ignore[misc]
            await driver.settle()
            await how(driver, found)
            assert found.state.won, f"{each.id}\n{driver.text()}"
            assert found.state.changed == each.par
            everything_in_sight(driver, found)
            await click_text(driver, "go on", "#level-footer")
            assert driver.app.screen is not found

    play(script, "L01", size)
    assert results == [True] * len(shipped_levels())
    assert {each.task for each in progress.answers if each.right} == {each.id for each in shipped_levels()}


@pytest.mark.parametrize("size", SIZES[:2])
def test_another_operator_wins_too(size: tuple[int, int]) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("o")
        await driver.until(lambda: driver.app.screen is not screen)
        await driver.press("home", *["down"] * 5, "up")
        names = [option.id for option in driver.app.screen.query_one("#ways").options]  # type: ignore[attr-defined]
        at = driver.app.screen.query_one("#ways").highlighted  # type: ignore[attr-defined]
        wanted = names.index("DML_OPERATOR_JOIN")
        await driver.press(*(["up"] * (at - wanted) if at > wanted else ["down"] * (wanted - at)), "enter")
        await driver.until(lambda: driver.app.screen is screen)
        assert screen.state.operator == "JOIN"
        await driver.press("1")
        assert screen.state.won
        await driver.press("escape")

    assert play(script, "L23", size) == [True]


def test_names_and_floats_are_typed_and_other_letters_are_keys() -> None:
    shipped = level("L28")
    both = replace(shipped.task, may_change=("PaddingMode", "PaddingValue"))

    async def script(driver: Driver, screen: LevelScreen) -> None:
        def held(name: str) -> str:
            return str(screen.desk.experiment.desc.get(name))

        for key, mode in (("S", "SYMMETRIC"), ("e", "SYMMETRIC"), ("up", "REFLECTION"), ("E", "EDGE")):
            await driver.press(key)
            assert held("PaddingMode") == mode
        await click_text(driver, "›", "#level-fields")
        assert held("PaddingMode") == "REFLECTION"
        for text in ("inf", "-inf", "nan", "0.002", "1e-05"):
            await driver.press("home", "right")
            await driver.type(text)
            assert held("PaddingValue") == text
        await driver.press("h", "a")
        assert screen.state.hints == 1
        assert (held("PaddingMode"), held("PaddingValue")) == ("CONSTANT", "0.0")

    play(script, Level(shipped.start, both))


def test_a_failed_try_is_explained_on_enter_alone() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("3", "right", "2")
        assert "By “" not in driver.words("#level-low")
        await driver.press("enter")
        assert screen.state.explained
        assert " ".join(screen.state.explained.split()[:4]) in driver.words("#level-low")
        await driver.press("escape")

    assert play(script, "L03") == [False]


def test_hints_solution_undo_redo_and_start_again() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        for rung in range(1, 5):
            assert "solution" not in driver.text("#level-footer")
            await driver.press("h")
            assert f"Hint {rung} of 4" in driver.text("#level-board")
        await driver.press("s")
        assert screen.state.won
        assert not screen.state.solved
        await driver.press("u")
        assert not screen.state.won
        await driver.press("r")
        assert screen.state.won
        await driver.press("a")
        assert not screen.state.won
        assert screen.state.changed == 0
        await driver.press("escape")

    assert play(script, "L08") == [False]


@pytest.mark.parametrize("hints", [3, 4])
def test_a_level_that_is_solved_after_its_last_hint_is_looked_up(hints: int) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press(*["h"] * hints)
        await solve_by_keys(driver, screen)
        answered = screen.desk._progress.answers[-1]
        assert (answered.right, answered.looked_up) == (True, hints == 4)
        await driver.press("escape")

    play(script, "L01")


def test_what_cannot_be_read_is_left_first_and_then_the_level() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("-")
        assert screen.state.unread
        await driver.press("escape")
        assert not screen.state.unread
        assert driver.app.screen is screen
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    assert play(script, "L01") == [False]


def test_differing_cells_have_a_sign_in_the_picture_and_in_the_goal() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("end", "1", "left", "1", "left", "2")
        wrong = screen.state.goal[0].differing
        assert wrong
        assert shown_goal(screen).text.count("✗") == len(wrong)
        outputs = screen.query_one("#outputs", TensorStack)
        drawn = "\n".join(outputs.render_line(y).text for y in range(outputs.size.height))
        assert drawn.count("✗") == len(wrong)

    play(script, "L09")


@pytest.mark.parametrize("size", SIZES)
def test_m_shows_memory_and_v_the_levels_as_hints_say(size: tuple[int, int]) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        before = screen.desk.experiment
        await driver.press("m")
        assert screen.state.picture.shows_memory
        assert screen.query_one("#level-memory").region.height == screen.state.picture.memory_lines >= LEAST
        everything_in_sight(driver, screen)
        await driver.press("m")
        assert not screen.state.picture.shows_memory
        assert not screen.query_one("#level-memory").display
        await driver.press("v")
        await driver.until(lambda: driver.app.screen is not screen)
        await driver.press("right", "enter", "escape")
        assert driver.app.screen is screen
        assert screen.desk.experiment == before
        await driver.press("1")
        assert screen.state.won

    play(script, "L12", size)


@pytest.mark.parametrize("large", [False, True])
def test_pages_of_a_goal_stand_further_apart_than_its_rows(large: bool) -> None:
    table = GoalTable("Goal {2, 2, 2}", (2, 2, 2), tuple("12345678"))
    drawn = ["".join(span.text for span in line) for line in goal_lines([table], 40, 40, large=large)]
    rows = [y for y, line in enumerate(drawn) if any(digit in line for digit in "12345678") and "Goal" not in line]
    assert len(rows) == 4
    assert rows[2] - rows[1] > rows[1] - rows[0] == rows[3] - rows[2]


@pytest.mark.parametrize(("name", "rows"), [("L03", 4), ("L15", 3)])
def test_on_a_wide_screen_a_goal_is_large_and_stands_in_the_middle_beside_the_picture(name: str, rows: int) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        lines = shown_goal(screen).text.split("\n")
        first = next(y for y, line in enumerate(lines) if line.startswith("Goal"))
        assert len(lines) - first == 1 + rows * 3 + rows - 1
        below = shown_goal(screen).size.height - len(lines)
        assert abs(first - below) <= 1
        assert "InputTensor FLOAT32" in driver.text("#level-picture"), "names are whole beside it"

    play(script, name, (200, 50))


def test_tab_leads_to_the_picture_where_arrows_move_and_back() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        before = screen.desk.experiment
        await driver.press("tab", "right", "down")
        assert screen.desk.experiment == before
        cursor = screen.state.picture.cursor
        assert cursor is not None
        assert sum(cursor.index) == 2
        await driver.press("tab", "2")
        assert screen.desk.experiment != before

    play(script, "L14")


@pytest.mark.parametrize("name", ["L02", "L14", "L19", "L24", "L25"])
def test_resizing_in_the_middle_loses_nothing(name: str) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("2", "h")
        held, focused = screen.desk.experiment, screen.focused
        for size in [(60, 18), (200, 50), (30, 10), (120, 36), (80, 24)]:
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            if size == (30, 10):
                assert "dmlviz needs" in driver.text()
            else:
                everything_in_sight(driver, screen)
            assert screen.desk.experiment == held
            assert screen.focused is focused
            assert screen.state.hints == 1
        await driver.press("u")
        assert screen.desk.experiment != held

    play(script, name)


async def click_text(driver: Driver, text: str, selector: str, by: int = 0) -> None:
    x, y = driver.find(text, selector)
    await driver.click(selector, x + by, y)


def test_every_act_has_a_click() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await click_text(
            driver, "InputTensor {2,2}" if "InputTensor {2,2}" in driver.text() else "level", "#level-given"
        )
        assert "is given in this level" in driver.words("#level-low")
        await click_text(driver, "›", "#level-fields")
        assert screen.state.changed == 1
        acts: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("undo", lambda: screen.state.changed == 0),
            ("redo", lambda: screen.state.changed == 1),
            ("again", lambda: screen.state.changed == 0),
            ("memory", lambda: screen.state.picture.shows_memory),
            ("hint", lambda: screen.state.hints == 1),
            ("why?", lambda: bool(screen.state.explained)),
        )
        for word, done in acts:
            await click_text(driver, word, "#level-footer")
            assert done(), word
        await click_text(driver, "+", "#level-fields")
        assert len(screen.desk.experiment.desc.get("Repeats")) == 3
        await click_text(driver, "×", "#level-fields")
        assert len(screen.desk.experiment.desc.get("Repeats")) == 2
        await click_text(driver, "TILE ▾", "#level-head")
        await driver.until(lambda: driver.app.screen is not screen)
        await driver.press("escape")
        await click_text(driver, "leave", "#level-footer")
        assert isinstance(driver.app.screen, Explorer)

    assert play(script, "L23", (120, 36)) == [False]


def test_a_click_on_an_element_looks_at_it() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        side = screen.query_one("#outputs", TensorStack)
        assert side.stack is not None
        cursor = Cursor(Place(True, 0), (1, 1))
        x, y = side.stack.locate(cursor)
        await driver.click(side, x + side.stack.figure(cursor.place).margin + 1, y)
        assert screen.state.picture.cursor == cursor

    play(script, "L03")


def test_every_act_stands_in_the_footer_of_80_columns() -> None:
    """Fields and pictures are gone to by a click on them, and the operator stands in the head."""

    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("3", "tab", "tab", "right", "3", "u")
        for words in ("why?", "h hint", "esc leave", "u undo", "r redo", "a again", "m memory", "v levels"):
            assert words in driver.text("#level-footer")
        await driver.press(*"hhhh")
        for words in ("why?", "s solution", "esc leave", "u undo", "r redo", "a again", "m memory", "v levels"):
            assert words in driver.text("#level-footer")

    play(script, "L23")


def test_the_longest_hints_are_in_sight_on_small_screens() -> None:
    longest = sorted(shipped_levels(), key=lambda each: max(len(hint) for hint in each.task.hints))[-6:]

    async def script(driver: Driver) -> None:
        for size in ((80, 24), (60, 18)):
            await driver.resize(size)
            for each in longest:
                screen = LevelScreen(each, Progress())
                driver.app.push_screen(screen)
                await driver.until(lambda screen=screen: driver.app.screen is screen and screen.is_mounted)  # type: ignore[misc]
                await driver.settle()
                for _ in range(screen.state.most_hints):
                    await driver.press("h")
                    await driver.settle()
                    words = screen.state.hint.split()
                    assert {*words[-3:]} <= {*driver.words("#level-board").split()}, (size, each.id, words)
                await driver.press("escape")
                await driver.settle()

    explore(script, "join-1", (80, 24))


def test_a_second_click_hits_the_number_that_the_first_went_to() -> None:
    """Marks beside the number that had the keys are gone with the first click; nothing may move by that."""

    async def script(driver: Driver, screen: LevelScreen) -> None:
        strip = screen.strip
        await driver.press("home")
        key = screen.state.form.strip[1]
        place = next(x for x, _, piece in strip._places if (piece.key, piece.number, piece.act) == (key, 1, ""))
        before = strip._rows[key].text
        await driver.click(strip, place)
        await driver.click(strip, place)
        assert (strip.here, strip._at, strip._rows[key].text) == (key, 1, before)
        assert screen.state.changed == 0
        bare = dict.fromkeys(map(ord, "‹›{},+×"), " ")
        for size in ((60, 18), (80, 24), (120, 36)):
            await driver.resize(size)
            await driver.press("home")
            before = driver.text("#level-fields").translate(bare)
            for _ in range(6):
                await driver.press("right")
                assert driver.text("#level-fields").translate(bare) == before

    play(script, "L22")
