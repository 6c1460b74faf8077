"""What stands around the picture: chain, run, levels, path, what is wrong, the verdict, and what keys are called."""

from __future__ import annotations

import dataclasses
import re
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from rich.text import Text
from support.golden import Golden, marked
from support.one_session import one
from support.quiet_pilot import QuietPilot, Shown, show

import dmlviz as dml
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.scene.spans import Line, length
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.themes import DARK
from dmlviz.timing.comparison import Comparison, Textbook
from dmlviz.timing.sampling import Spread, Timing
from dmlviz.widgets.bars.chain_line import ChainLine, pieces
from dmlviz.widgets.bars.footer_line import FooterLine
from dmlviz.widgets.bars.header_line import HeaderLine, _level_and_verdict
from dmlviz.widgets.bars.meaning_line import MeaningLine
from dmlviz.widgets.lib.inks import Inks, inks_of
from dmlviz.widgets.panels.kernel_panel import KernelPanel, _ratio_text
from dmlviz.widgets.panels.level_strip import LevelStripLine
from dmlviz.widgets.panels.path_panel import PathPanel
from dmlviz.widgets.panels.reasons_panel import ReasonsPanel, Row, _details
from dmlviz.widgets.picture.caption_line import CaptionLine
from dmlviz.worker.states import Running
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import ChainState, PathLine, PathState, StageState, WireState

GOLDEN = Golden(__file__)
NAMES = {"text": "text", "error": "bad", "warning": "warn", "accent": "good", "muted": "muted", "ruler": "ruler"}


def opened(session: Session | str) -> Workspace:
    found = examples.example(session).session() if isinstance(session, str) else session
    workspace = Workspace(Document(found, None))
    workspace.fit(Room(74, 20))
    return workspace


@pytest.fixture(scope="module")
def inks() -> Inks:
    return inks_of({**DARK.to_color_system().generate(), **DARK.variables})


class Alone(ReasonsPanel):
    """The panel without a screen: its keys are the usual ones, and a field has the focus or hasn't."""

    screen: Any = SimpleNamespace(keymap={}, check_action=lambda *given: True, has_class=lambda name: False)
    in_field: Any = SimpleNamespace(keymap={}, check_action=lambda *given: False, has_class=lambda name: True)


def named(rows: list[Row], inks: Inks) -> str:
    """Rows with the names of their colours."""
    text = "\n".join(f"{mark.markup:<2} {words.markup}" for mark, words in rows)
    for ink, name in (*NAMES.items(), ("paper", "paper"), ("neutral", "grey")):
        text = text.replace(getattr(inks, ink).hex, name)
    return text


def reasons(inks: Inks) -> str:
    """What is said of descs that are wrong in several ways."""
    tensor = dml.TensorDesc("FLOAT32", (1, 1, 2, 3))
    parts = (tensor, dml.TensorDesc("INT8", (2, 3)), dml.TensorDesc("INT8", (1, 1, 2, 3)))
    left = dml.TensorDesc("FLOAT32", (1, 1, 2, 3), strides=(6, 6, 1, 2), total_tensor_size_in_bytes=24)
    tile = one(dml.Tile(left, (1, 1, 2, 1)))
    told = []
    for session in ("rule-sizes-match", one(dml.Join(parts, 9, tensor)), "warning-index-range", tile):
        workspace, panel = opened(session), Alone(id="rules")
        if session is tile:
            workspace.edit(dataclasses.replace(workspace.experiment, not_checked=("one.", "two.")))
            workspace.type_in_field("Repeats", "x")
        elif session == "rule-sizes-match":
            panel.screen = Alone.in_field
        state = workspace.state
        told.append([*panel._rows(state, inks), (Text("▶"), Text(panel._title(state)))])
        told += [rows[:8] for rows in _details(state.view, None, inks)] if session == "rule-sizes-match" else []
    return "\n".join(named(rows, inks) for rows in told)


def chain(*, at: int = 1) -> ChainState:
    stages = (
        StageState(0, "cut", "SPLIT", "✔", ("{1,4}", "{1,4}"), ()),
        StageState(1, "JOIN", "JOIN", "✘", ("{1,8}",), (WireState("a", 0, "~", 1), WireState("b", 0, "✘", 0))),
        StageState(2, "alone", "TILE", "…", ("{2}",), (WireState("a", -1),)),
        StageState(3, "last", "GATHER", "✔", ("{3}",), (WireState("a", 2), WireState("b", 0), WireState("c", 1))),
    )
    return ChainState(stages, at)


def timed() -> Comparison:
    def spread(median: float) -> Spread:
        return Spread(median=median, min=median / 2, p95=median * 3, n=1200)

    ours = Timing(
        opening=0.4, kernel=KernelState.COMPILED, warm=spread(2e-6), bytes_read=48, bytes_written=32, kernel_seconds=0.3
    )
    copied = Comparison(ours=ours, elements=8, copy=spread(1e-6), copy_threads=2)
    return replace(copied, peer_name="np.take", peer=spread(2.01e-6), textbook=Textbook(8e-6, 2e-6))


def kernels() -> list[Line]:
    panel = KernelPanel()
    lines = panel.lines(60, 1)
    for running, width, height in (
        (Running(trouble="There is no room."), 60, 1),
        (Running("compiling", since=1e12), 60, 1),
        (Running(comparison=timed(), agreed=8), 76, 6),
        (Running(comparison=replace(timed(), textbook=None, copy=None, peer=None), agreed=1), 60, 2),
    ):
        panel._state = running
        lines += panel.lines(width, height)
    return lines


def paths() -> list[Line]:
    panel = PathPanel()
    told = tuple(PathLine(f"a[{'9' * k}]", f"⇠ b[{k}]", "read by c!" if k == 2 else "its rule") for k in range(5))
    panel._path = PathState("path of c[0]", told)
    return [*panel.lines(60, 6), *panel.lines(30, 4)]


def strips() -> list[Line]:
    strip = LevelStripLine()
    lines: list[Line] = []
    for name, width, height in (("gather-2", 60, 2), ("rule-gather-fits", 30, 1)):
        strip._strip = opened(name).state.levels
        lines += strip.lines(width, height)
    return lines


def test_golden_bars_and_panels(inks: Inks) -> None:
    stages = [pieces(chain(at=at), width) for at, width in ((1, 90), (1, 60), (0, 30), (3, 24), (2, 8))]
    assert all(length(pieces(chain(at=at), width)) <= width for at in range(4) for width in range(24, 99))
    lines = [*stages, *kernels(), *paths(), *strips()]
    GOLDEN.check({"what is wrong; a chain, a run, a path and levels": f"{reasons(inks)}\n{marked(lines)}"})


def test_what_is_as_fast_within_a_twentieth_is_called_so() -> None:
    told = [_ratio_text(ratio) for ratio in (1, 1.04, 1 / 1.04, 1.06, 1 / 1.06, 3, 1 / 3)]
    assert told == [*["as fast"] * 3, *[f"1.06 times {word}" for word in ("slower", "faster")]] + [
        f"3.00 times {word}" for word in ("slower", "faster")
    ]


def test_the_header_says_the_verdict_before_all_else(inks: Inks) -> None:
    def told(name: str, unread: int = 0) -> str:
        text = _level_and_verdict(opened(name).state.view, "5_0", unread, inks)
        return named([(Text(), text)], inks).strip()

    assert told("gather-2") == "[text]5_0   [bold good]✔ valid[/bold good][/text]"
    assert told("gather-2", 1) == "[text]5_0   [bold bad]✘ 1 field unreadable[/bold bad][/text]"
    warned = "[text]5_0   [bold good]✔ valid[bold warn][/bold good] · 1 warning[/bold warn][/text]"
    assert told("warning-index-range") == warned
    assert told("warning-index-range", 2) == "[text]5_0   [bold bad]✘ 2 fields unreadable[/bold bad][/text]"
    assert told("rule-sizes-match", 1) == "[text]5_0   [bold bad]✘ E_INVALIDARG · 2 failed[/bold bad][/text]"


def test_the_footer_calls_keys_by_what_they_do_now() -> None:
    workspace, footer = opened("rule-sizes-match"), FooterLine()
    broken = footer.words_of(workspace.state)
    assert broken == {"steps.play": "", "kernel.run": "", "rules.next": "", "rules.go": "fixes"}
    workspace = opened("warning-index-range")
    workspace.play()
    workspace.state.run.running = Running("starting")
    playing = footer.words_of(workspace.state)
    assert playing == {"steps.play": "stop", "kernel.run": "cancel", "rules.next": "warning", "rules.go": ""}


def test_what_stands_above_the_picture_follows_the_state() -> None:
    bars = HeaderLine(id="header"), MeaningLine(id="meaning"), ChainLine(id="chain"), CaptionLine(id="caption")

    class Bars(Shown):
        CSS = "HeaderLine, ChainLine, CaptionLine { height: 1; } MeaningLine { height: auto; }"

    app = Bars(*bars)
    workspace = opened("gather-2")

    async def script(pilot: QuietPilot) -> None:
        async def told() -> list[str]:
            for bar in bars:
                bar.present(workspace.state)
            await pilot.pause()
            return [strip.text.strip() for strip in app.screen._compositor.render_strips()]

        header, meaning, *rest = await told()
        assert re.fullmatch(r"dmlviz  GATHER · row gather   ● saved {44,}feature level 3_0   ✔ valid", header)
        assert meaning.endswith("OutputTensor[i,j] = InputTensor[IndicesTensor[0,i],j]")
        assert not any(rest)
        workspace.type_in_field("Axis", "9")
        header, meaning, caption, *rest = await told()
        assert re.search(r"● unsaved +feature level 3_0   ✘ E_INVALIDARG · 1 failed$", header)
        assert "=" not in meaning
        assert (caption, any(rest)) == ("stale   the last valid picture", False)
        workspace.open(Document(examples.example("chain-rotate-half").session(), None))
        header, meaning, chain, *rest = await told()
        assert "SPLIT · halves   1 of 3   ●" in header
        assert meaning.endswith("OutputTensors[k][0,i] = InputTensor[0,s+i], s = 0, 4 for k = 0, 1")
        assert chain.startswith("[1 halves SPLIT] ✔ ──{1,4}──▶ 2 swapped JOIN ✔ ──{1,8}──▶ 3 twice TILE ✔   ")
        assert chain.endswith("   { } stage   P path")
        assert not any(rest)

    show(app, script, (110, 6))
