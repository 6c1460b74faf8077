"""Help: the keys and the words, a field with its rules, a screen of the course, and what colours stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Grid, VerticalScroll
from textual.screen import Screen
from textual.widgets import Label, Static

from ...desc.base import Desc
from ...operators.base import Operator
from ...operators.report import Severity
from ...scene.colour.palette import fill, ink, letter, tones
from ...scene.words.meaning import Meaning
from ...teaching.words.catalogue import SIGNS, TERMS, found, sentence
from ...widgets.bars.footer_line import StateFooter
from ...widgets.lib.commands import BY_ID, GROUPS, command_keys, listed
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.lib.textual_private import text_on
from ...workspace.form.field_help import FieldHelp
from .dialog import Dialog

FIRST = (
    *("steps.play", "steps.forward", "steps.back", "steps.first", "steps.unit", "cell.type", "cell.go-to"),
    *("view.swap", "rules.next", "fix.first", "edit.undo", "kernel.run", "view.memory", "view.levels"),
    *("session.open", "session.save", "session.import", "session.export", "learn.course", "app.quit"),
)
"""The commands whose keys are listed first, by their ids."""
CHAIN = (
    "[n] is the stage that you look at; ──▶ is a wire, with the sizes that it carries. ✔ is valid, ✘ invalid, … not "
    "checked until its source is valid, ~ reads the same elements with other sizes; ⇠1 also reads stage 1, ‹2 and 2› "
    "are out of sight. On the path halves[1][0,3] is an element of output 1 of halves, ⇠ is where it comes from, then "
    "its index there; ×2 is how many elements read it. On a picture →0–6/8 are the visible columns, ↓ the visible rows."
)
STANDS = {Severity.ERROR: "✘ fails", Severity.WARNING: "! warns", Severity.NOTE: "i noted", None: "✔ passes"}
Told = Iterable[Sequence[RenderableType]]
"""Below each other what is side by side where there is room."""


class Help(Dialog[None]):
    """Shows texts, and is closed by any of many keys or a click."""

    BINDINGS = [Binding("escape,question_mark,f1,p,q,enter,space", "dismiss", "Close", priority=True, id="help.close")]

    def __init__(self, title: str, tell: Callable[[Inks], Told], kind: str = "") -> None:
        """`tell` makes what is told, in the colours of the theme."""
        super().__init__()
        self._title, self._tell, self._kind = title, tell, kind

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes=f"dialog help {self._kind}"):
            yield Label(self._title, classes="question", markup=False)
            for parts in self._tell(inks_of(self.app.theme_variables, "surface")):
                yield Grid(*(Static(part, markup=False) for part in parts), classes="beside" * (len(parts) > 1))
            yield self.foot()

    def show_in_colour(self) -> None:
        self.refresh(recompose=True)

    def on_click(self) -> None:
        self.dismiss()


def rows_of(rows: Iterable[tuple[str | Text, str | Text]], inks: Inks) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style=f"bold {inks.accent.hex}")
    table.add_column(style=inks.text.hex)
    for name, about in rows:
        table.add_row(name, about)
    return table


def _list(title: str, rows: Iterable[tuple[str | Text, str | Text]], inks: Inks) -> RenderableType:
    return Group(Text(f"\n{title}", f"bold {inks.text.hex}"), rows_of(rows, inks))


def _terms(title: str, terms: Iterable[str], inks: Inks) -> RenderableType:
    """A list of terms, each with a colon before what it is; `title` is a sentence's id."""
    return _list(sentence(title), (term.partition(": ")[::2] for term in terms), inks)


def key_help(keymap: Mapping[str, str], meaning: Meaning | None, *, in_chain: bool) -> Help:
    """What the operator means, the first keys, the words, and then all keys.

    `keymap` has the keys that the user gave to commands, by their ids; `in_chain` has the signs of a chain explained.
    """

    def tell(inks: Inks) -> Told:
        groups = all_keys(keymap)
        keys_of = dict(row for rows in groups.values() for row in rows)
        titles = [BY_ID[name].title for name in FIRST]
        first = [(keys_of.get(title, ""), title) for title in titles]
        yield _list("Keys", first[:10], inks), _list("", first[10:], inks)
        yield [_terms("help.words", TERMS, inks)]
        if in_chain:
            yield [Text(f"\n{CHAIN}", inks.text.hex)]
        others = {title: [(keys, name) for name, keys in rows if name not in titles] for title, rows in groups.items()}
        yield [_list(title, rows, inks) for title, rows in others.items() if rows]
        yield [Text("\nLetters and digits are text in a field.", inks.muted.hex)]

    return Help(f"{meaning.sentence}\n{meaning.code}" if meaning is not None else "Help", tell, "keys")


def all_keys(keymap: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """(title, keys) of the commands that have keys by their group's title, one row a title; numbered fixes are one."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for group, title in GROUPS.items():
        keys_of: dict[str, list[str]] = {}
        for cmd in listed():
            if cmd.group == group and (keys := command_keys(cmd, keymap)):
                numbered = cmd.id.removeprefix("fix.").isdigit() and keys == cmd.keys
                keys_of.setdefault("Apply fix 1 to 9" if numbered else cmd.title, []).append(keys)
        groups[title] = [(name, " ".join(keys)) for name, keys in keys_of.items()]
    return groups


def field_help(field: FieldHelp) -> Help:
    """What a field is, what it may hold here, where that is written, and the rules that speak of it."""

    def tell(inks: Inks) -> Told:
        text = inks.text.hex
        looks = {Severity.ERROR.value: f"bold {inks.error.hex}", Severity.WARNING.value: f"bold {inks.warning.hex}"}
        here = [_list("", [("Here", "\n".join(field.here))], inks)] if field.here else []
        yield [Text(field.about, text), *here]
        for rule in field.rules:
            look = looks.get(rule.severity or "", text)
            words = Text.assemble("\n", (f"{STANDS[rule.severity]}  ", look), (rule.id, "bold"))
            words.append("".join(f"\n  {said}" for said in (rule.sentence, rule.message) if said))
            yield [words]

    return Help(field.title, tell)


def learn_help(screen: Screen[Any], footer: StateFooter, topic: str) -> Help:
    """The signs and words on a screen of the course, and the keys in `footer`; `topic` ends the title's id."""
    keys, on_screen = [(" ".join(entry.keys), entry.what) for entry in footer.entries], text_on(screen)

    def tell(inks: Inks) -> Told:
        yield _list(sentence("help.keys"), keys, inks), _signs(on_screen, inks)

    return Help(sentence(f"help.{topic}"), tell)


def _signs(on_screen: str, inks: Inks) -> RenderableType:
    return _terms("help.signs", [*found(on_screen, SIGNS), *found(on_screen)], inks)


def colour_help(screen: Screen[Any], operator: Operator[Desc], colours: Operator[Desc], palette: str) -> Help:
    """What colours and signs of a picture stand for; `colours` are those of `operator` as it is, or recoloured."""
    on_screen = text_on(screen)

    def tell(inks: Inks) -> Told:
        other = operator if colours is not operator else operator.recoloured()
        recolour = f" With Recolour, in the palette, they mean {other.identity_of}." if other is not None else ""
        about = (
            f"In {operator.name} a colour and its letter mean {colours.identity_of}, wherever they are."
            f"{recolour} When the colours come again, they are underlined and have another tone.\n\n"
        )
        told = Text(about, inks.text.hex)
        for identity in range(len(tones(palette))):
            ground = fill(identity, palette)
            told.append(f" {letter(identity)}  ", inks.on(ground, ink(ground))).append(" ")
        yield told, _signs(on_screen, inks)

    return Help("Colour key", tell)
