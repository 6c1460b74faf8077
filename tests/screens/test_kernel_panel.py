"""The panel that shows what a run found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.driver import Driver, explore, panel
from support.effort import tried
from support.runs import gone, wait_until
from support.worker_processes import worker

from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.timing import sampling
from dmlviz.timing.comparison import Comparison, Textbook
from dmlviz.timing.sampling import Spread
from dmlviz.widgets.panels.kernel_panel import KernelPanel
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


TIMES = st.floats(1e-8, 100)
COMPARISONS = st.builds(
    compared,
    st.sampled_from(KernelState),
    TIMES,
    st.none() | TIMES,
    st.none() | TIMES,
    st.none() | TIMES,
)


@tried(100)
@given(COMPARISONS, st.integers(60, 160), st.integers(3, 8))
def test_a_result_has_its_rows_in_the_room_there_is(found: Comparison, width: int, height: int) -> None:
    panel = KernelPanel(id="kernel")
    panel._state = Running(comparison=found, agreed=8)
    lines = ["".join(span.text for span in line) for line in panel.lines(width, height)]
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines), lines
    assert any(line.startswith("this desc") for line in lines)
    if height >= 6:
        starts = [line.split("  ")[0] for line in lines]
        assert ("NumPy" in starts) is (found.peer is not None)
        assert ("naive loop" in starts) is (found.textbook is not None)
        assert any("memcpy" in line for line in lines)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_panel_tells_what_to_do_then_what_was_found(driver: Driver, size: tuple[int, int]) -> None:
    screen = driver.screen
    low = size[1] < 32
    # Where lines are short, the footer's word is all there is until there is a run to show.
    assert ("r runs and times it" in panel(driver)) is not low
    assert not low or "r run" in driver.text("#footer")
    before = screen.query_one(KernelPanel).size.height
    await driver.press("r")
    assert screen.state.run.running.busy
    assert "r cancels" in panel(driver) or not low
    await driver.until(lambda: not screen.state.run.running.busy)
    words = panel(driver)
    assert "this desc" in words
    assert "this desc: " in words
    assert "NumPy" in words
    assert "median min" in words
    assert screen.query_one(KernelPanel).size.height > before
    if not low:
        assert "naive loop" in words
        assert "48 bytes read, 32 bytes written" in words
        assert "8 elements match" in words
    assert driver.side(True).size.height >= 6
    await driver.press("down")
    assert "this desc" in panel(driver)  # the cursor changes nothing about it


@pytest.mark.parametrize("way", ["r", "click"])
async def test_a_run_is_cancelled_by_key_click_and_command(driver: Driver, way: str) -> None:
    screen = driver.screen

    async def go(command: str) -> None:
        if way == "click":
            await driver.click("#kernel", 5)
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


def test_the_process_ends_with_the_explorer() -> None:
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        await driver.press("r")
        await driver.until(lambda: worker() is not None)
        processes.append(worker() or 0)

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script)
    wait_until(lambda: gone(processes[0]), "the process to end")
