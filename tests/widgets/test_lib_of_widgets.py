"""What widgets are drawn by: a theme's styles, hairlines beside cells, lines drawn again, the table of commands."""

from __future__ import annotations

import pytest
from support.one_session import experiment_of
from support.quiet_pilot import QuietPilot, Shown, show
from textual.binding import Binding
from textual.color import Color
from textual.geometry import Region
from textual.theme import Theme

from dmlviz.scene.colour.palette import MUTED
from dmlviz.scene.spans import PLAIN, TITLE, Span, Style
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.themes import DARK, DARK_16, LIGHT
from dmlviz.widgets.lib.commands import BY_ID, GROUPS, NO_KEY, TYPED, bindings, character_of, command_keys, listed
from dmlviz.widgets.lib.inks import Inks, inks_of
from dmlviz.widgets.lib.painted import DrawnLines, segments_of, text_of
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

CELL, EDGE, EMPTY = Style("cell", 0), Style("edge"), Style("empty")


def inks_in(theme: Theme) -> Inks:
    return inks_of({**theme.to_color_system().generate(), **theme.variables})


NAMES = ("empty", "field", "neutral", "line", "muted", "ruler", "warning", "error", "accent", "paper", "text")


def looks(inks: Inks, style: Style) -> str:
    """A style by its colours' names in the theme, with ! for bold, _ for underlined and / for italic."""
    found = inks.style(style)
    names = {getattr(inks, name).rich_color: name for name in NAMES}
    marks = "!" * bool(found.bold) + "_" * bool(found.underline) + "/" * bool(found.italic)
    return f"{names.get(found.color, '')} on {names.get(found.bgcolor, '')} {marks}".strip()


LOOKS = {
    "plain": "text on paper",
    "title": "text on paper !",
    "letter": "text on paper !",
    "edge": "text on paper !",
    "dim": "muted on paper",
    "ruler": "ruler on paper",
    "warn": "warning on paper",
    "axis": "accent on paper",
    "focused title": "accent on paper !",
    "named": "accent on paper !_",
    "broken": "error on paper !_",
    "broken cell": "paper on error !_",
    "wrong": "paper on error !",
    "missed": "paper on warning !",
    "about": "paper on accent !",
    "tab": "paper on text !",
    "mark": "text on neutral",
    "cell": "text on neutral",
    "empty": "muted on empty",
    "unread": "muted on empty",
    "stale": "ruler on empty /",
    "field": "muted on field",
    "rule": "line on paper",
}


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_each_kind_of_text_has_its_colours_in_both_themes(theme: Theme) -> None:
    inks = inks_in(theme)
    assert {kind: looks(inks, Style(kind)) for kind in LOOKS} == LOOKS
    assert [kind for kind in LOOKS if Style(kind) in inks.hairlines] == ["empty", "unread", "stale"]
    assert looks(inks, CELL).endswith("on")
    assert looks(inks, CELL._replace(strong=True)) == looks(inks, CELL._replace(marked=True)) == "on  !"
    assert looks(inks, CELL._replace(shade=MUTED)) == "text on"
    assert inks.style(Style("cell", 60)).underline, "what comes again is underlined"
    assert not inks.style(CELL).underline
    edge = inks.style(Style("cell edge", 0))
    assert (edge.color, edge.bgcolor) == (inks.style(CELL).bgcolor, inks.paper.rich_color)
    assert looks(inks, Style("empty edge")).endswith("on paper")
    dark, light = (inks.style(Style(kind)).bgcolor for kind in ("qr", "qr light"))
    assert dark is not None
    assert light is not None
    assert (dark.get_truecolor(), light.get_truecolor()) == ((0, 0, 0), (255, 255, 255))


def test_sixteen_colours_tell_cells_apart_by_two_greys_and_marks() -> None:
    inks = inks_in(DARK_16)
    assert inks.neutral == Color(85, 85, 85)
    assert inks.line == inks.muted == Color(170, 170, 170)
    assert inks.empty == inks.paper
    assert inks.outline == inks.muted
    assert inks.style(CELL._replace(shade=MUTED)).bgcolor == inks.paper.rich_color
    assert not inks.has_marks


def test_hairlines_part_what_is_hardly_seen_from_the_ground_beside_it() -> None:
    def drawn(*spans: Span, theme: Theme = DARK) -> list[str]:
        return [segment.text for segment in segments_of(spans, inks_in(theme))]

    one, two = Span(" 1 ", EMPTY), Span(" 2 ", EMPTY)
    assert drawn(Span("a ", PLAIN), one, Span(" b", PLAIN)) == ["a", "▕", " 1 ", "▏", "b"]
    assert drawn(Span("a", PLAIN), one, Span("b", PLAIN)) == ["a", " 1 ", "b"]
    assert drawn(Span("v = ", PLAIN), one, two) == ["v = ", " 1 ", " 2 "]
    assert drawn(Span("▐", EDGE), one, Span("▌ ", EDGE)) == ["▐", " 1 ", "▌ "]
    light = Span(" 1 ", CELL)
    assert drawn(Span("▐", EDGE), light, Span("▌", EDGE)) == ["▐", " 1 ", "▌"]
    clicked = segments_of([Span("x", PLAIN, "screen.leave"), Span("y", PLAIN)], inks_in(DARK))
    assert [segment.style.meta for segment in clicked if segment.style] == [{"@click": "screen.leave"}, {}]
    assert text_of([[Span("a", PLAIN)], [Span("b", TITLE)]], inks_in(DARK)).plain == "a\nb"


def test_only_lines_that_are_others_are_drawn_again() -> None:
    panel, told, asked = DrawnLines(), ["a", "b", "c"], list[tuple[Region, ...]]()

    class Spied(Shown):
        CSS = "DrawnLines { height: 3; }"

    app = Spied(panel)

    async def script(pilot: QuietPilot) -> None:
        panel.show(lambda width, height: [[Span(text, PLAIN)] for text in told])
        await pilot.pause()
        assert [panel.render_line(y).text.rstrip() for y in range(4)] == ["a", "b", "c", ""]
        panel.refresh = lambda *regions, **more: asked.append(regions)  # type: ignore[method-assign,assignment]
        for change in (["a", "x", "c"], ["a", "x", "c"], ["a", "x"], ["y", "z"]):
            told[:] = change
            panel.redraw()
        row = [Region(0, y, panel.size.width, 1) for y in range(3)]
        assert asked == [(row[1],), (), (row[0], row[1])]
        panel.appear(False)
        assert not panel.display
        panel.appear(True)
        assert panel.display

    show(app, script, (20, 6))


def test_commands_say_what_they_do_by_which_keys_and_when() -> None:
    play, back, undo = BY_ID["steps.play"], BY_ID["cell.up"], BY_ID["edit.undo"]
    assert (play.action, play.is_priority) == ("do('play', ())", False)
    assert (undo.action, undo.is_priority) == ("do('undo', ())", True)
    assert BY_ID["session.next"].action == "do('go_to_experiment', (1,))"
    assert [command_keys(each, {}) for each in (play, back, undo)] == ["space", "↑ k", "^z"]
    assert command_keys(play, {"steps.play": "f7,ctrl+pageup,shift+a"}) == "f7 ctrl+pgup shift+a"
    assert command_keys(play, {"steps.play": NO_KEY}) == ""
    assert character_of("plus") == "+"
    assert character_of("f3") == character_of("up") == ""
    assert {play.action, BY_ID["fix.first"].action} <= TYPED
    assert BY_ID["edit.undo-letter"].action in TYPED
    assert undo.action not in TYPED
    (bound,) = (each for each in bindings("explorer") if isinstance(each, Binding) and each.id == "fix.first")
    assert (bound.key, bound.show, bound.priority, bound.description) == ("f", True, False, "fix")
    groups = [each.id.split(".")[0] for each in listed()]
    assert [*dict.fromkeys(groups)] == [*GROUPS]
    workspace = Workspace(Document(Session((experiment_of("gather-2"),)), None))
    idle = {each.id for each in listed() if not each.when(workspace.state)}
    assert {"cell.up", "fix.first", "kernel.cancel", "edit.undo", "chain.path", "session.next"} <= idle
    assert not idle & {"steps.play", "session.save", "kernel.run"}
    workspace.fit(Room(74, 20))
    workspace.type_in_field("Axis", "9")
    busy = {each.id for each in listed() if each.when(workspace.state)}
    assert {"cell.up", "fix.first", "fix.1", "rules.next", "edit.undo"} <= busy
    assert not busy & {"edit.redo", "fix.9", "rules.drop"}
