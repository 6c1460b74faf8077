"""The line at the bottom: the keys that work now, the likeliest first, whole entries only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual.dom import DOMNode
from textual.screen import Screen

from ...scene.spans import PLAIN, Line, Span, Style
from ...workspace.shown.state import State
from ..lib.commands import BY_ID
from ..lib.painted import LinePanel

LAST = ("app.keys", "app.palette")
"""Always shown, at the end, wherever they work."""
KEY = Style("axis", strong=True)


class Entry(Struct, frozen=True):
    """One thing that can be done, and where it was bound; neighbours with one word are one entry of several keys."""

    id: str
    keys: tuple[str, ...]
    what: str
    actions: tuple[str, ...]
    """One for each key."""
    node: DOMNode

    @property
    def text(self) -> str:
        """The keys with what they do, as the line shows them: `, . step`."""
        return f"{' '.join(self.keys)} {self.what}".rstrip()


def ordered(entries: Iterable[Entry], order: Sequence[str] = ()) -> list[Entry]:
    """The entries in an `order` of ids, the other commands as their table has them behind, and `LAST` at the end."""
    by_id: dict[str, Entry] = {}
    for entry in entries:
        by_id.setdefault(entry.id or entry.text, entry)
    if "view.picture" in by_id:
        by_id.pop("view.swap", None)  # two keys for one way
    ranked = [name for name in dict.fromkeys((*order, *BY_ID)) if name not in LAST]
    rank = {name: i for i, name in enumerate((*ranked, "", *LAST))}
    found = sorted(by_id.values(), key=lambda entry: rank.get(entry.id, rank[""]))
    joined = []
    for _, alike in groupby(found, key=lambda entry: (entry.what, entry.node)):
        first, *others = alike
        keys = tuple(key for entry in (first, *others) for key in entry.keys)
        actions = tuple(action for entry in (first, *others) for action in entry.actions)
        joined.append(replace(first, keys=keys, actions=actions))
    return joined


def fitting(entries: Sequence[Entry], room: int, gap: int) -> list[Entry]:
    """As many entries as `room` columns hold with `gap` between them; those of `LAST`, which come last, are kept."""
    fit = [*entries]
    while sum(len(entry.text) + gap for entry in fit) - gap > room and (less := [e for e in fit if e.id not in LAST]):
        fit.remove(less[-1])
    return fit


class StateFooter(LinePanel):
    """One line of the keys that work on its screen; a click does what the key would."""

    PANEL = "panel"
    HAS_PALETTE = False
    ORDER: ClassVar[Sequence[str]] = ()
    """Ids of the keys, the likeliest to be wanted first."""
    _shown: Sequence[Entry] = ()
    _words: Mapping[str, str] = MappingProxyType({})
    """What keys are called while the state has them do something else, by their ids; "" for the usual."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._reread_own_screen)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _reread_own_screen(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self.redraw()

    def present(self, state: Any) -> None:
        words = self.words_of(state)
        if words != self._words:
            self._words = words
            self.redraw()

    def words_of(self, state: Any) -> dict[str, str]:
        """What keys are called in a state, by their ids."""
        return {}

    @property
    def entries(self) -> list[Entry]:
        """What works now and has a word in the footer, in the order in which it is told."""
        return ordered(self._active(), self.ORDER)

    def _active(self) -> Iterator[Entry]:
        for key, (node, binding, enabled, _) in self.screen.active_bindings.items():
            id_ = binding.id or ""
            what = (self._words.get(id_) or binding.description) if binding.show else ""
            if key == self.app.COMMAND_PALETTE_BINDING:
                id_, what = "app.palette", "palette" * self.HAS_PALETTE
            if enabled and what:
                shown = self.app.get_key_display(binding)
                shown = shown.upper() if shown[1:].isdigit() and shown[0] == "f" else shown
                yield Entry(id=id_, keys=(shown,), what=what, actions=(binding.action,), node=node)

    def lines(self, width: int, height: int) -> list[Line]:
        gap = 3 if width >= 100 else 2 if width >= 70 else 1
        self._shown = fitting(self.entries, width, gap)
        line: Line = []
        for n, entry in enumerate(self._shown):
            line += [Span(" " * gap, PLAIN)] if line else []
            line += [Span(f"{key} ", KEY, f"press({n}, {k})") for k, key in enumerate(entry.keys)]
            line.append(Span(entry.what, PLAIN, f"press({n}, -1)"))
        return [line]

    async def action_press(self, number: int, key: int) -> None:
        if number < len(self._shown):
            entry = self._shown[number]
            await self.app.run_action(entry.actions[key], entry.node)


class FooterLine(StateFooter):
    HAS_PALETTE = True

    def words_of(self, state: State) -> dict[str, str]:
        is_broken = state.view.why.errors or state.form.errors
        return {
            "steps.play": "stop" if state.plays else "",
            "kernel.run": "cancel" if state.run.running.busy else "",
            "rules.next": "" if is_broken else "warning",
            "rules.go": "fixes" if state.fix(-1) is not None else "",
        }

    @property
    def entries(self) -> list[Entry]:
        told = super().entries
        # The way to fixes is told where a field has their keys as text.
        tells_way = self._words.get("rules.go") and "fix.first" not in {entry.id for entry in told}
        return [entry for entry in told if entry.id != "rules.go" or tells_way]
