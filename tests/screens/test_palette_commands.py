"""Commands of the palette: each is safe from anywhere, and offered where it finds something to do."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

import pytest
from support.driver import Driver, explore
from textual.widgets import OptionList

from dmlviz.session import examples
from dmlviz.session.experiments import Session

SIZES = [(80, 24), (120, 36), (200, 50)]
EXAMPLES = ["join-1", "rule-dtype-equal"]
"""One that is valid, and one whose first JOIN is not: its tensors have types of their own."""
Palette = dict[str, Callable[[], Any]]
OF_CHOICES = {"Open the choices", "Choice before", "Choice after"}
OF_AN_ARRAY = {"Add a tensor", "Remove the tensor", "Move the tensor up", "Move the tensor down"}
OF_A_ROW = OF_CHOICES | OF_AN_ARRAY
"""Commands for the row of the form that has the focus."""
ROWS = {
    "choice": OF_CHOICES,
    "array": OF_AN_ARRAY,
    "values": OF_AN_ARRAY,
    "own type": OF_CHOICES | OF_AN_ARRAY,
    "add": {"Add a tensor", "Remove the tensor"},
    "typed": set[str](),
}
"""Kinds of rows of the form, and the commands that are for them."""
HINTS = {"enter opens": "choice", "remove": "array", "iota": "values", "enter adds": "add", "step the number": "typed"}
"""What the form's last line says of a row that has the focus."""
KINDS = ["start", "outputs", *ROWS, "choices", "inputs", "cell entry", "rules", "why", "notes", "nothing"]
"""Where the focus is when a command is called; at the start the form has never been visited."""
VISITS = ["Next field", "Next, or open", "Next pane", "Field before", "Next broken rule", "Form or picture"]
"""Commands that visit the form; from the start they come last, each of them first in another run."""
SLOW = {
    *("Theme", "Light or dark", "Keys", "Help", "Colour key", "Feature levels", "Go to a coordinate", "Run"),
    *("New", "Open", "Save", "Save as", "Experiments", "Notes", "Copy", "Export", "Import", "Make a task", "Welcome"),
}
"""Commands that open a dialog, style everything anew, or start a process."""


def palette(driver: Driver) -> Palette:
    """The commands that are offered now."""
    return {command.title: command.callback for command in driver.app.get_system_commands(driver.app.screen)}


async def run(driver: Driver, callback: Callable[[], Any]) -> None:
    """Calls a command as the palette does once it has closed."""
    answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def called() -> None:
        try:
            answer = callback()
            if isawaitable(answer) and not hasattr(answer, "cancel"):
                await answer
        except Exception as error:
            answered.set_exception(error)
        else:
            answered.set_result(None)

    driver.app.call_later(called)
    await asyncio.wait_for(answered, 60)
    await driver.settle()


async def test_enter_in_the_palette_of_a_fresh_start_ends_nothing(driver: Driver) -> None:
    for _ in range(3):
        await driver.press("ctrl+p")
        await driver.until(lambda: any(options.option_count for options in driver.app.screen.query(OptionList)))
        await driver.press("enter")
        for _ in range(3):
            if len(driver.app.screen_stack) > 1:
                await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


@pytest.mark.slow
@pytest.mark.parametrize("session", ["join-1"])
async def test_commands_of_a_row_are_offered_on_such_a_row_and_do_nothing_elsewhere(driver: Driver) -> None:
    assert not OF_A_ROW & set(palette(driver))
    seen: Palette = {}
    offered = []
    await driver.press("f6")  # to the form's first row
    while "form" in ancestors(driver):
        now = palette(driver)
        seen |= {title: now[title] for title in OF_A_ROW & set(now)}
        offered.append("".join("C" * ("Choice after" in now) + "T" * ("Remove the tensor" in now)))
        await driver.press("tab")
    assert offered == [*"CCC", "T", "T", "T", "T", "T", "", "", ""]  # JOIN: choices, two tensors, `+ add`, others
    assert set(seen) == OF_A_ROW
    before = driver.text("#form")
    for id_ in ("inputs", "outputs", "rules"):  # a command that was offered before is called all the same
        driver.app.screen.query_one(f"#{id_}").focus()
        for callback in seen.values():
            await run(driver, callback)
            assert driver.text("#form") == before
            assert id_ in ancestors(driver)


@pytest.mark.parametrize("session", ["join-1"])
async def test_the_next_field_from_elsewhere_is_the_one_that_had_the_focus(driver: Driver) -> None:
    await run(driver, palette(driver)["Next field"])
    assert driver.app.focused is driver.form
    await driver.press(*["tab"] * 3)
    assert driver.app.focused is not None
    field = driver.app.focused.region
    await driver.press("f6")
    await run(driver, palette(driver)["Field before"])
    assert driver.app.focused.region == field


def ancestors(driver: Driver) -> list[str | None]:
    """The ids of what has the focus and of what that stands in."""
    focused = driver.app.focused
    return [node.id for node in focused.ancestors_with_self] if focused is not None else []


# ---- every command from everywhere


class Tour:
    """One program, in which commands are called with the focus anywhere; what they change is taken back."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.explorer = driver, driver.screen
        self.known = palette(driver)
        self._tabs: dict[str, int] = {}  # how many lead from the form's first row to one of that kind
        self._called: list[str] = []

    async def settle(self) -> None:
        await self.driver.settle()
        assert self.driver.app.return_code is None, f"ended by {self._called[-5:]}"

    async def press(self, *keys: str) -> None:
        await self.driver.press(*keys)
        await self.settle()

    async def call(self, title: str, callback: Callable[[], Any]) -> None:
        self._called.append(title)
        try:
            await run(self.driver, callback)
        except Exception as error:
            raise AssertionError(f"{title}, after {self._called[-5:]}") from error
        await self.settle()

    # ---- where the focus is

    async def pane(self, id_: str) -> None:
        if self.driver.app.size.width >= 100:
            self.explorer.query_one(f"#{id_}").focus()
            await self.settle()
            return
        for _ in range(6):
            if self.focused_id == id_:
                return
            await self.press("f6")
        raise AssertionError(f"F6 never comes to {id_}")

    @property
    def focused_id(self) -> str | None:
        return self.explorer.focused.id if self.explorer.focused is not None else None

    async def go(self, kind: str) -> bool:
        """Puts the focus there; False where there is no such place."""
        if kind == "start":
            self.explorer.query_one("#outputs").focus()
            await self.settle()
        elif kind in ROWS:
            await self.pane("rules")  # from elsewhere, so that the form is entered at its first row
            await self.pane("form")
            if not self._tabs:
                await self._walk()
            if kind not in self._tabs:
                return False
            await self.press(*["tab"] * self._tabs[kind])
        elif kind == "choices":
            await self.go("choice")
            await self.press("enter")
        elif kind == "nothing":
            await self.pane("outputs")
            self.explorer.set_focus(None)
        elif kind == "cell entry":
            await self.pane("inputs")
            await self.press("end", "e")  # at a step before, what isn't written can't be typed over
            return self.focused_id == "cell-entry"
        elif kind == "notes":
            await self.pane("rules")
            shown = [node for node in self.explorer.query("NotesPanel") if node.is_on_screen]
            if not shown:
                return False
            shown[0].focus()
            await self.settle()
        elif kind == "why" and not self.explorer.query_one("#why").display:
            return False
        else:
            await self.pane(kind)
        return True

    async def _walk(self) -> None:
        """Goes once through the form, and counts the tabs to the first row of each kind."""
        tabs = 0
        while self.focused_id in ("form", "field"):
            hint = drawn(self.explorer, "#form")[-1]
            for kind in (kind for word, kind in HINTS.items() if word in hint):
                own = kind == "choice" and "array" in self._tabs
                self._tabs.setdefault("own type" if own else kind, tabs)
            await self.press("tab")
            tabs += 1
        await self.pane("form")

    def state(self) -> object:
        """What tells whether the focus is where it was."""
        form = self.explorer.form
        return self.explorer.focused, [list(form.render_line(y)) for y in range(form.size.height)]

    # ---- and back

    async def recover(self, title: str) -> None:
        """Closes what has been opened, and takes back what has been edited."""
        for _ in range(4):
            if self.driver.app.screen is self.explorer and self.explorer.maximized is None:
                break
            await self.press("escape")
        assert self.driver.app.screen is self.explorer, f"{title} leaves {self.driver.app.screen}"
        if title == "Play":
            await self.call("First step", palette(self.driver)["First step"])
        if title == "Run":
            await self.call("Cancel run", palette(self.driver).get("Cancel run", lambda: None))
        await self.driver.until(lambda: bool(drawn(self.explorer, "#header")))  # a pane that was maximized goes back
        for _ in range(4):
            if "unsaved" not in drawn(self.explorer, "#header")[0]:
                break
            await self.call("Undo", palette(self.driver)["Undo"])
        assert "unsaved" not in drawn(self.explorer, "#header")[0], title

    async def run(self, kind: str, titles: Callable[[str], bool]) -> None:
        """Calls the commands that `titles` takes, with the focus on a place of that kind."""
        if not await self.go(kind):
            return
        now = palette(self.driver)
        self.known |= now
        assert OF_A_ROW & set(now) == ROWS.get("choice" if kind == "choices" else kind, set()), kind
        self._called.append(f"({kind})")
        state = self.state()
        for title, callback in self.known.items():
            if titles(title):
                await self.call(title, now.get(title, callback))
                if title in OF_A_ROW and title not in now:
                    assert self.state() == state, f"{title} does something from {kind}"
                    continue
                if title in SLOW:
                    await asyncio.sleep(0.05)  # a dialog may come from a thread's answer
                await self.recover(title)
                if self.state() != state:
                    assert await self.go(kind), f"{kind} after {self._called[-4:]}"
                    state = self.state()


def drawn(explorer: Any, selector: str) -> list[str]:
    """The lines of a widget."""
    widget = explorer.query_one(selector)
    return [widget.render_line(y).text for y in range(widget.size.height)]


def joined(example: str) -> Session:
    """The first JOIN of an example."""
    experiments = examples.example(example).session().experiments
    return Session((next(each for each in experiments if each.desc.TYPE == "DML_OPERATOR_JOIN"),))


@pytest.mark.parametrize("draw", [*itertools.product(SIZES, EXAMPLES, (0, 1))])
def test_every_command_is_safe_from_everywhere(
    draw: tuple[tuple[int, int], str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quick commands from each kind of place at one of the sizes, slow ones from one kind of place at each."""
    size, example, half = draw
    turn, valid = SIZES.index(size), EXAMPLES.index(example) == 0
    number: dict[str, int] = {}
    ended: list[object] = []

    def takes(title: str, kind: str) -> bool:
        at = number.setdefault(title, len(number))
        if title in SLOW:
            here = (at + turn) % 4 == valid + 2 * half
            return here and (at * 5 + turn) % len(KINDS) == KINDS.index(kind)
        spread = at + turn + KINDS.index(kind)
        if title in OF_A_ROW:
            return spread % 6 == 3 * half if title in ROWS.get(kind, ()) else spread % 2 == half
        if kind == "start":
            return spread % 2 == half or title == "Quit"
        return spread % 12 == 3 * valid + 6 * half

    async def script(driver: Driver) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(driver.app, "exit", lambda *_: ended.append("exit"))
            patched.setattr(driver.app, "deliver_screenshot", lambda *_: None)
            tour, first = Tour(driver), turn + 3 * valid
            last = VISITS[first:] + VISITS[:first]
            order = sorted(tour.known, key=lambda title: last.index(title) if title in last else -1)
            tour.known = {title: tour.known[title] for title in order}
            for kind in KINDS:
                await tour.run(kind, lambda title, kind=kind: takes(title, kind))  # type: ignore[misc]
            await driver.settle()
        assert "Quit" in palette(driver)

    explore(script, joined(example), size)
    assert ended  # Quit would have
