"""The panel that shows what a run found."""

from __future__ import annotations

import dataclasses
import re
from inspect import isawaitable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.driver import Driver, explore, panel
from support.effort import tried
from support.one_session import one
from support.runs import gone, wait_until
from support.worker_processes import worker

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session import examples
from dmlviz.timing import sampling
from dmlviz.timing.comparison import Comparison, Textbook
from dmlviz.timing.sampling import Spread
from dmlviz.widgets.lib.inks import inks_of
from dmlviz.widgets.panels.kernel_panel import KernelPanel, result_lines
from dmlviz.worker.states import Running


def compared(
    kind: KernelState, median: float, copy: float | None, peer: float | None, textbook: float | None = None
) -> Comparison:
    def spread(value: float) -> Spread:
        return Spread(value, value * 0.93, value * 1.2, 4096)

    ours = sampling.Timing(
        opening=1.25, kernel=kind, warm=spread(median), bytes_read=48, bytes_written=32, kernel_seconds=0.7
    )
    copied, other = spread(copy) if copy else None, spread(peer) if peer else None
    loop = Textbook(textbook, median) if textbook else None
    return Comparison(
        ours=ours,
        elements=8,
        copy=copied,
        peer_name="take_along_axis" if peer else "",
        peer=other,
        textbook=loop,
    )


INKS = inks_of(DmlvizApp(examples.example("gather-2").session()).theme_variables, "surface")
TIMES = st.floats(1e-8, 100)
COMPARISONS = st.builds(
    compared,
    st.sampled_from(KernelState),
    TIMES,
    st.none() | TIMES,
    st.none() | TIMES,
    st.none() | TIMES,
)


@tried(200)
@given(COMPARISONS, st.integers(60, 160), st.integers(3, 16), st.booleans())
def test_nothing_of_a_result_is_clipped(found: Comparison, width: int, height: int, busy: bool) -> None:
    state = Running("timing" if busy else "", 0.4, comparison=found, agreed=8)
    lines = result_lines(state, found, width, height, INKS)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines), [line.plain for line in lines]
    text = "\n".join(line.plain for line in lines)
    assert "this desc" in text
    assert "plain copy" in text
    assert ("NumPy" in text) == (found.peer is not None)
    assert "min" in text
    if found.peer is not None:
        assert any(word in text for word in ("slower", "faster", "as fast"))


@pytest.mark.parametrize("width", [72, 76, 120])
def test_a_copy_that_is_slower_than_the_desc_says_why(width: int) -> None:
    def text(copy: float) -> str:
        found = compared(KernelState.READY, 1e-6, copy, None)
        lines = result_lines(Running("", 0.4, comparison=found, agreed=8), found, width, 6, INKS)
        return "\n".join(line.plain for line in lines)

    assert "of the same 32 bytes  mostly the call" in text(2e-6)
    assert "mostly the call" not in text(0.9e-6)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)])
async def test_the_panel_tells_what_to_do_then_what_was_found(driver: Driver, size: tuple[int, int]) -> None:
    screen = driver.screen
    low = size[1] < 32
    # Where lines are short, the footer's word is all there is until there is a run to show.
    assert ("r runs and times it; needs 72 bytes" in panel(driver)) is not low
    assert not low or "r run" in driver.text("#footer")
    before = screen.query_one(KernelPanel).size.height
    await driver.press("r")
    assert screen.state.run.running.busy
    assert "r cancels" in panel(driver) or not low
    await driver.until(lambda: not screen.state.run.running.busy)
    words = panel(driver)
    assert "this desc" in words
    assert "of the same 32 bytes" in words
    if size[1] >= 36:
        assert re.search("textbook loop .*(slower|faster|as fast)", words)
    assert "NumPy take" in words
    assert ", then warm:" in words
    assert "median min" in words
    if size[1] >= 36:
        assert screen.query_one(KernelPanel).size.height > before
        assert "64 bytes" not in words
        assert "48 bytes read, 32 written" in words
        assert "8 elements as pictured" in words
        assert "cold call" in words or "cached call" in words
    assert driver.side(True).size.height >= 6
    await driver.press("down")
    assert "this desc" in panel(driver)  # the cursor changes nothing about it


@pytest.mark.parametrize(
    "way", ["r", "click", pytest.param("f5", marks=pytest.mark.slow), pytest.param("palette", marks=pytest.mark.slow)]
)
async def test_a_run_is_cancelled_by_key_click_and_command(driver: Driver, way: str) -> None:
    screen = driver.screen

    async def go(command: str) -> None:
        if way == "click":
            await driver.click("#kernel", 5, 1)
        elif way == "palette":
            found = {c.title: c.callback for c in driver.app.get_system_commands(cast(Any, screen))}
            done = found[command]()
            if isawaitable(done):
                await done
            await driver.settle()
        else:
            await driver.press(way)

    await go("Run")
    assert screen.state.run.running.busy
    assert "cancels" in panel(driver)
    await go("Cancel run")
    assert not screen.state.run.running.busy
    assert "r runs and times it" in panel(driver)
    await go("Run")
    await driver.until(lambda: not screen.state.run.running.busy)
    assert screen.state.run.running.comparison is not None


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_an_invalid_desc_does_not_run(driver: Driver) -> None:
    await driver.press("r")
    assert not driver.screen.state.run.running.busy
    assert driver.screen.state.run.running.comparison is None


@pytest.mark.slow
async def test_an_edit_ends_the_run_and_no_time_is_shown_for_another_desc(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("r")
    assert screen.state.run.running.busy
    await driver.choose("DataType", "FLOAT16")
    assert not screen.state.run.running.busy
    assert "needs 44 bytes" in panel(driver)
    driver.side(True).focus()
    await driver.press("r")
    await driver.until(lambda: not screen.state.run.running.busy)
    timing = screen.state.run.running.comparison
    assert timing is not None
    assert timing.ours.bytes_written == 16
    # What says nothing about the run leaves its result.
    driver.edit(dataclasses.replace(screen.workspace.experiment, notes="other notes"))
    await driver.settle()
    assert screen.state.run.running.comparison is timing
    await driver.press("ctrl+z", "ctrl+z")
    assert screen.state.run.running.comparison is None
    assert "needs 72 bytes" in panel(driver)


async def test_a_late_word_of_a_cancelled_run_is_not_heard(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("r")
    number = screen.workspace.runs.number
    await driver.press("r")
    late = Running(comparison=compared(KernelState.READY, 1, 1, 1))
    screen.workspace.later(screen.workspace.runs.heard, number, late)
    await driver.settle()
    assert screen.state.run.running.comparison is None


def test_a_huge_desc_says_that_it_will_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 3 * 2**30)
    tensor = dml.TensorDesc("UINT8", (65535, 65535))

    async def script(driver: Driver) -> None:
        assert "needs 8.0 GiB, 3.0 GiB available: it won't start" in panel(driver)
        await driver.press("r")
        await driver.until(lambda: not driver.screen.state.run.running.busy)
        assert "running TILE needs 8.0 GiB of memory, but only 3.0 GiB is available." in panel(driver)
        assert worker() is None

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script, one(dml.Tile(tensor, (1, 1))))


def test_the_process_ends_with_the_explorer() -> None:
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        await driver.press("r")
        await driver.until(lambda: worker() is not None)
        processes.append(worker() or 0)

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script)
    wait_until(lambda: gone(processes[0]), "the process to end")
