"""Commands of the palette: each is safe from anywhere, and offered where it finds something to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from inspect import isawaitable
from typing import Any, cast

import pytest
from support.quiet_pilot import QuietPilot
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer.explorer import Explorer
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


def palette(app: DmlvizApp) -> Palette:
    """The commands that are offered now."""
    return {command.title: command.callback for command in app.get_system_commands(app.screen)}


def form_text(app: DmlvizApp) -> str:
    return "\n".join(drawn(app.screen, "#form"))


async def run(callback: Callable[[], Any], pilot: Pilot[None]) -> None:
    done = callback()
    if isawaitable(done) and not hasattr(done, "cancel"):
        await done
    await pilot.pause()


def explore(script: Callable[[DmlvizApp, Pilot[None]], Awaitable[None]], example: str = "join-1") -> None:
    async def main() -> None:
        app = DmlvizApp(examples.example(example).session())
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            await script(app, pilot)

    asyncio.run(main())


def test_enter_in_the_palette_of_a_fresh_start_ends_nothing() -> None:
    async def script(app: DmlvizApp, pilot: Pilot[None]) -> None:
        for _ in range(3):
            await pilot.press("ctrl+p")
            for _ in range(3000):
                if any(held.option_count for held in app.screen.query(OptionList)):
                    break
                await pilot.pause(0.02)
            await pilot.press("enter")
            await pilot.pause()
            for _ in range(3):
                if len(app.screen_stack) > 1:
                    await pilot.press("escape")
            assert len(app.screen_stack) == 1

    explore(script, "gather-2")


@pytest.mark.slow
def test_commands_of_a_row_are_offered_on_such_a_row_and_do_nothing_elsewhere() -> None:
    async def script(app: DmlvizApp, pilot: Pilot[None]) -> None:
        assert not OF_A_ROW & set(palette(app))
        seen: Palette = {}
        offered = []
        await pilot.press("f6")  # to the form's first row
        while "form" in ancestors(app):
            now = palette(app)
            seen |= {title: now[title] for title in OF_A_ROW & set(now)}
            offered.append("".join("C" * ("Choice after" in now) + "T" * ("Remove the tensor" in now)))
            await pilot.press("tab")
        assert offered == [*"CCC", "T", "T", "T", "T", "T", "", "", ""]  # JOIN: choices, two tensors, `+ add`, others
        assert set(seen) == OF_A_ROW
        before = form_text(app)
        for id_ in ("inputs", "outputs", "rules"):  # a command that was offered before is called all the same
            app.screen.query_one(f"#{id_}").focus()
            for callback in seen.values():
                await run(callback, pilot)
                assert form_text(app) == before
                assert id_ in ancestors(app)

    explore(script)


def test_the_next_field_from_elsewhere_is_the_one_that_had_the_focus() -> None:
    async def script(app: DmlvizApp, pilot: Pilot[None]) -> None:
        await run(palette(app)["Next field"], pilot)
        assert app.focused is app.screen.query_one("#form")
        await pilot.press(*["tab"] * 3)
        assert app.focused is not None
        field = app.focused.region
        await pilot.press("f6")
        await run(palette(app)["Field before"], pilot)
        assert app.focused.region == field

    explore(script)


def ancestors(app: DmlvizApp) -> Iterator[str | None]:
    """The ids of what has the focus and of what that stands in."""
    return (node.id for node in (app.focused.ancestors_with_self if app.focused is not None else []))


# ---- every command from everywhere


class Tour:
    """One program, in which commands are called with the focus anywhere; what they change is taken back."""

    def __init__(self, app: DmlvizApp) -> None:
        self.app = app
        self.pilot = QuietPilot(app)
        self.explorer = app.screen
        self.known: Palette = {}
        self._tabs: dict[str, int] = {}  # how many lead from the form's first row to one of that kind
        self._said: list[str] = []

    # ---- driving

    async def settle(self) -> None:
        """Lets every widget work off what was sent to it, and what comes of that.

        The layout, too: until it has come Textual may tell a widget's `size` as it will be, and `outer_size` as it was.
        """
        await self.pilot.pause()
        assert self.app.return_code is None, f"ended by {self._said[-5:]}"

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.post_message(events.Key(key, None))
        await self.settle()

    async def call(self, title: str, callback: Callable[[], Any]) -> None:
        """Calls a command as the palette does once it has closed."""
        self._said.append(title)
        done, failed = asyncio.Event(), []

        async def called() -> None:
            try:
                answer = callback()
                if isawaitable(answer) and not hasattr(answer, "cancel"):
                    await answer
            except Exception as error:
                failed.append(error)
            done.set()

        self.app.call_later(called)
        for _ in range(6000):
            if done.is_set() or self.app.return_code is not None:
                break
            await asyncio.sleep(0 if _ < 60 else 0.01)
        if failed:
            raise AssertionError(f"{title}, after {self._said[-5:]}") from failed[0]
        await self.settle()

    # ---- where the focus is

    async def pane(self, id_: str) -> None:
        if self.app.size.width >= 100:
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
            hint = (await self.lines("#form"))[-1]
            for kind in (kind for word, kind in HINTS.items() if word in hint):
                own = kind == "choice" and "array" in self._tabs
                self._tabs.setdefault("own type" if own else kind, tabs)
            await self.press("tab")
            tabs += 1
        await self.pane("form")

    def state(self) -> object:
        """What tells whether the focus is where it was."""
        form: Any = self.explorer.query_one("#form")
        return self.explorer.focused, [list(form.render_line(y)) for y in range(form.size.height)]

    # ---- and back

    async def lines(self, selector: str) -> list[str]:
        """The lines of a widget once it has some: the layout may be on its way back after a pane was maximized."""
        for _ in range(6000):
            if found := drawn(self.explorer, selector):
                return found
            await asyncio.sleep(0.01)
        raise AssertionError(f"{selector} is never drawn after {self._said[-5:]}")

    async def recover(self, title: str) -> None:
        """Closes what has been opened, and takes back what has been edited."""
        for _ in range(4):
            if self.app.screen is self.explorer and self.explorer.maximized is None:
                break
            await self.press("escape")
        assert self.app.screen is self.explorer, f"{title} leaves {self.app.screen}"
        if title == "Play":
            await self.call("First step", palette(self.app)["First step"])
        if title == "Run":
            await self.call("Cancel run", palette(self.app).get("Cancel run", lambda: None))
        for _ in range(4):
            if "unsaved" not in (await self.lines("#header"))[0]:
                break
            await self.call("Undo", palette(self.app)["Undo"])
        assert "unsaved" not in (await self.lines("#header"))[0], title

    async def run(self, kind: str, titles: Callable[[str], bool]) -> None:
        """Calls the commands that `titles` takes, with the focus on a place of that kind."""
        if not await self.go(kind):
            return
        now = palette(self.app)
        self.known |= now
        assert OF_A_ROW & set(now) == ROWS.get("choice" if kind == "choices" else kind, set()), kind
        self._said.append(f"({kind})")
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
                    assert await self.go(kind), f"{kind} after {self._said[-4:]}"
                    state = self.state()


def drawn(explorer: Any, selector: str) -> list[str]:
    """The lines of a widget."""
    widget = explorer.query_one(selector)
    return [widget.render_line(y).text for y in range(widget.size.height)]


def tour(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], example: str, turn: int, takes: Callable[[str, str], bool]
) -> None:
    """Calls commands from everywhere; `takes` tells which from which kind of place."""
    ended: list[object] = []

    async def main() -> None:
        first = next(e for e in examples.example(example).session().experiments if e.desc.TYPE == "DML_OPERATOR_JOIN")
        app = DmlvizApp(Session((first,)))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            with monkeypatch.context() as patched:
                patched.setattr(app, "exit", lambda *_: ended.append("exit"))
                patched.setattr(app, "deliver_screenshot", lambda *_: None)
                found = Tour(app)
                found.known = palette(app)
                last = VISITS[turn:] + VISITS[:turn]
                order = sorted(found.known, key=lambda title: last.index(title) if title in last else -1)
                found.known = {title: found.known[title] for title in order}
                for kind in KINDS:
                    await found.run(kind, lambda title, kind=kind: takes(title, kind))  # type: ignore[misc]
                await pilot.pause()
            assert "Quit" in palette(app)

    asyncio.run(main())
    assert ended  # Quit would have


def test_the_tour_looks_once_the_layout_has_come() -> None:
    """A frame that comes before has Textual tell the form's `size` as it will be: more lines than there are."""

    async def script(app: DmlvizApp, pilot: Pilot[None]) -> None:
        tour, explorer = Tour(app), cast(Explorer, app.screen)
        whole = explorer.workspace.document.experiment
        desc = cast(dml.Join, whole.desc)
        explorer.present(
            explorer.workspace.replace_experiment(replace(whole, desc=dml.Join(desc.input_tensors[:1], 1)))
        )
        await tour.settle()
        explorer.present(explorer.workspace.replace_experiment(whole))
        await asyncio.sleep(0)
        hidden = explorer.query_one("#why")
        explorer._compositor.update_widgets({hidden})
        assert not hidden.size
        with pytest.raises(IndexError):
            tour.state()
        await tour.settle()
        tour.state()

    explore(script)


@pytest.mark.parametrize(
    ("size", "example"),
    [
        # One valid and one that isn't at every run; the others with the slow ones.
        pytest.param(size, example, marks=() if SIZES.index(size) == EXAMPLES.index(example) else pytest.mark.slow)
        for size in SIZES
        for example in EXAMPLES
    ],
)
def test_every_command_is_safe_from_everywhere(
    size: tuple[int, int], example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quick commands from each kind of place at one of the sizes, slow ones from one kind of place at each."""
    turn, valid = SIZES.index(size), EXAMPLES.index(example) == 0
    number: dict[str, int] = {}

    def takes(title: str, kind: str) -> bool:
        at = number.setdefault(title, len(number))
        if title in SLOW:
            return (at + turn) % 2 == valid and (at * 5 + turn) % len(KINDS) == KINDS.index(kind)
        spread = at + turn + KINDS.index(kind)
        if title in OF_A_ROW:
            return title not in ROWS.get(kind, ()) or spread % 3 == 0
        return kind == "start" or spread % 6 == 3 * valid

    tour(monkeypatch, size, example, turn + 3 * valid, takes)
