"""The line at the bottom: the keys that work now, the likeliest first, whole entries only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from ...scene.spans import PLAIN, Line, Span, Style
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

AnyState = TypeVar("AnyState")

MENDING = ("fix.first", "rules.go", "rules.next", "edit.undo")
"""What comes first while a rule is broken."""
STEPPING = ("steps.play", "steps.back", "steps.slower", "steps.unit")
"""What comes first while the steps play."""
RUNNING = ("kernel.run",)
"""What comes first while a run goes on."""
USUAL = (
    "entry.next",
    "entry.leave",
    "field.strip-up",
    "field.strip-left",
    "view.picture",
    "rules.open",
    "steps.play",
    "steps.back",
    "view.swap",
    "cell.type",
    "kernel.run",
    "session.export",
    "view.levels",
    "view.zoom",
    "session.open",
    "view.memory",
    "view.pane",
    "session.notes",
    "steps.unit",
    "cell.go-to",
    "session.copy",
    "session.import",
    "session.token",
    "session.next",
    "session.experiments",
    "session.save",
    "app.quit",
    "steps.slower",
)
"""Ids of bindings, the likeliest to be wanted first; others come after them."""
LAST = ("app.keys", "app.palette")
"""Always shown, at the end, wherever they work."""
PAIRS: Mapping[str, tuple[str, str]] = {
    "steps.back": ("steps.forward", "step"),
    "steps.slower": ("steps.faster", "speed"),
    "field.strip-up": ("field.strip-down", "step"),
    "field.strip-left": ("field.strip-right", "number"),
}
"""Two keys that are one entry: the second's id, and what both are called."""


class Entry(Struct, frozen=True):
    """One thing that can be done, and where it was bound."""

    id: str
    keys: tuple[str, ...]
    """One as a rule."""
    what: str
    actions: tuple[str, ...]
    """One for each key."""
    node: DOMNode

    @property
    def text(self) -> str:
        """The keys with what they do, as the line shows them: `, . step`."""
        return f"{' '.join(self.keys)} {self.what}"


def ordered(entries: Iterable[Entry], *, playing: bool, running: bool = False) -> list[Entry]:
    """The entries, the likeliest to be wanted now first; those of `PAIRS` become one."""
    by_id: dict[str, Entry] = {}
    for entry in entries:
        by_id.setdefault(entry.id or entry.text, entry)
    for first, (second, what) in PAIRS.items():
        if first in by_id and second in by_id:
            one, other = by_id[first], by_id.pop(second)
            by_id[first] = Entry(
                id=first, keys=one.keys + other.keys, what=what, actions=one.actions + other.actions, node=one.node
            )
    if "view.picture" in by_id and by_id.get("view.swap", by_id["view.picture"]).what == "picture":
        by_id.pop("view.swap", None)  # two keys for one way
    mending = MENDING if {"fix.first", "rules.go", "rules.next"} & by_id.keys() else ()
    order = dict.fromkeys((*(RUNNING if running else ()), *(STEPPING if playing else ()), *mending, *USUAL))
    rank = {name: i for i, name in enumerate(order)}
    last = {name: len(rank) + 1 + i for i, name in enumerate(LAST)}
    return sorted(by_id.values(), key=lambda entry: last.get(entry.id, rank.get(entry.id, len(rank))))


def fitting(entries: Sequence[Entry], room: int, gap: int) -> list[Entry]:
    """As many entries as `room` columns hold with `gap` between them, the last ones of `LAST` always among them."""
    ends = [e for e in entries if e.id in LAST]
    room -= sum(len(e.text) + gap for e in ends) - (0 if len(ends) < len(entries) else gap)
    fit: list[Entry] = []
    for entry in entries:
        if entry.id in LAST:
            continue
        room -= len(entry.text) + gap * bool(fit)
        if room < 0:
            break
        fit.append(entry)
    return fit + ends


class KeyLine(LinePanel):
    """One line of the keys that work on its screen; a click does what the key would."""

    PANEL = "panel"

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] | None = None
        self._places: list[tuple[int, int, Entry, int]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._reread_own_screen)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _reread_own_screen(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self._reread_keys()

    def _reread_keys(self) -> None:
        """Asks the screen which keys work, and draws the line again where that has changed."""
        entries = self._ordered_entries()
        if entries != self._entries:
            self._entries = entries
            self.redraw()

    def told_keys(self) -> list[tuple[str, str]]:
        """The keys that work now, with what each does."""
        return [(" ".join(entry.keys), entry.what) for entry in self._ordered_entries()]

    def _ordered_entries(self) -> list[Entry]:
        """The keys that work, the likeliest to be wanted first."""
        raise NotImplementedError

    def _active_entries(self) -> Iterator[Entry]:
        """The keys that work now and have a word in the footer."""
        palette = self.app.COMMAND_PALETTE_BINDING
        for key, (node, binding, enabled, _) in self.screen.active_bindings.items():
            if not enabled:
                continue
            if key == palette:
                yield self._entry_of(binding, node, "app.palette", "palette")
            elif binding.show and binding.description:
                yield self._entry_of(binding, node, binding.id or "", self._word_for(binding))

    def _word_for(self, binding: Binding) -> str:
        """What the footer says of a key now; its binding's description, unless the state changes what it does."""
        return binding.description

    def _entry_of(self, binding: Binding, node: DOMNode, id_: str, what: str) -> Entry:
        key = self.app.get_key_display(binding)
        key = key.upper() if key[1:].isdigit() and key[0] == "f" else key
        return Entry(id=id_, keys=(key,), what=what, actions=(binding.action,), node=node)

    def lines(self, width: int, height: int) -> list[Line]:
        if self._entries is None:
            self._entries = self._ordered_entries()
        gap = 2 if width < 100 else 3
        shown = fitting(self._entries, width, gap)
        # Every act has its place first: the key of help gives up its word where that makes room for another.
        wordless = [replace(e, what="") if e.actions == ("help",) else e for e in self._entries]
        shown = max(shown, fitting(wordless, width, gap), key=len)
        line: Line = []
        x = 0
        self._places = []
        for entry in shown:
            if line:
                line.append(Span(" " * gap, PLAIN))
                x += gap
            start = x
            for number, key in enumerate(entry.keys):
                # The words belong to the last of the keys.
                last = number == len(entry.keys) - 1
                end = start + len(key) if not last else x + len(entry.text)
                self._places.append((start, end, entry, number))
                line.append(Span(f"{key} ", Style("axis", strong=True)))
                start = end + 1
            line.append(Span(entry.what, PLAIN))
            x += len(entry.text)
        return [line]

    async def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        for start, end, entry, n in self._places:
            if offset is not None and start <= offset.x < end:
                await self.app.run_action(entry.actions[n], entry.node)
                return


class FooterLine(KeyLine):
    """The explorer's keys."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._playing = self._busy = self._broken = self._mends = False

    def present(self, state: State) -> None:
        """Shows another state."""
        broken = bool(state.view.why.errors or state.form.errors)
        now = state.plays, state.run.running.busy, broken, state.fix(-1) is not None
        if now != (self._playing, self._busy, self._broken, self._mends):
            self._playing, self._busy, self._broken, self._mends = now
            self._reread_keys()

    def _ordered_entries(self) -> list[Entry]:
        entries = [*self._active_entries()]
        # The way to fixes is told where a field has their keys as text.
        tells_way = self._mends and "fix.first" not in {entry.id for entry in entries}
        seen = (entry for entry in entries if entry.id != "rules.go" or tells_way)
        return ordered(seen, playing=self._playing, running=self._busy)

    def _word_for(self, binding: Binding) -> str:
        if binding.id == "steps.play" and self._playing:
            return "stop"
        if binding.id == "kernel.run" and self._busy:
            return "cancel"
        if binding.id == "rules.next" and not self._broken:
            return "warning"
        if binding.id == "view.swap" and self._is_in_form():
            return "picture"
        return super()._word_for(binding)

    def _is_in_form(self) -> bool:
        focused = self.screen.focused
        return focused is not None and any(node.id == "form" for node in focused.ancestors_with_self)


class StateFooter(KeyLine, Generic[AnyState]):
    """The keys of a screen beside the explorer, without those of the palette, whose commands are the explorer's."""

    ORDER: ClassVar[Sequence[str]] = ()
    """Ids of the keys, the likeliest to be wanted first."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AnyState | None = None

    def present(self, state: AnyState) -> None:
        """Shows another state."""
        self._state = state
        self._reread_keys()

    def _active_entries(self) -> Iterator[Entry]:
        order = self.ORDER
        own = (entry for entry in super()._active_entries() if entry.id != "app.palette")
        yield from sorted(own, key=lambda entry: order.index(entry.id) if entry.id in order else len(order))

    def _ordered_entries(self) -> list[Entry]:

        return ordered(self._active_entries(), playing=False)
