"""Every command there is, taken from the bindings of the screen and of its widgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from textual import actions
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

GROUPS = {
    "cell": "The cell cursor",
    "steps": "Steps",
    "field": "The form",
    "rules": "Rules",
    "fix": "Fixes",
    "kernel": "Kernel",
    "edit": "Edits",
    "session": "Sessions",
    "view": "Panes",
    "app": "Program",
}
"""A binding's id begins with its group."""

ABOUT: Mapping[str, tuple[str, str]] = {
    "steps.play": ("Play", "Play the steps, or stop them"),
    "steps.back": ("Step back", "Show the step before"),
    "steps.forward": ("Step forward", "Show the next step"),
    "steps.slower": ("Slower", "Let a pass take longer"),
    "steps.faster": ("Faster", "Let a pass take less time"),
    "steps.unit": ("Step unit", "Step by element, by run, by slice or at once"),
    "steps.unit-back": ("Step unit before", "The same, the other way round"),
    "steps.bookmark": ("Bookmark", "Mark this step, or take its mark off"),
    "steps.first": ("First step", "Show the picture before anything is written"),
    "steps.last": ("Last step", "Show the whole output"),
    "fix.first": ("Apply fix 1", "Mend the broken rule as the first fix says"),
    "rules.next": ("Next broken rule", "Go to the field that a rule names"),
    "rules.all": ("Rules that hold", "Open or close them, and the page's pseudo-code"),
    "rules.open": ("All rules", "Open or close the rules that hold"),
    "kernel.run": ("Run", "Run and time the compiled kernel"),
    "edit.undo-letter": ("Undo", "Take the last edit back"),
    "edit.undo": ("Undo", "Take the last edit back"),
    "edit.redo": ("Redo", "Make it again"),
    "app.keys": ("Keys", "Every key and what it does"),
    "app.help": ("Help", "What the pane with the focus is, and its keys"),
    "view.swap": ("Form or picture", "Change between the two where there is room for one"),
    "view.memory": ("Memory", "Show or hide the elements in address order"),
    "view.zoom": ("Zoom", "Draw the cells smaller; after the smallest the largest"),
    "view.zoom-back": ("Zoom back", "Draw the cells larger"),
    "view.levels": ("Feature levels", "What each feature level takes"),
    "view.colours": ("Colour key", "What each colour stands for"),
    "view.pane": ("Next pane", "Put the focus on the next pane"),
    "session.previous": ("Previous experiment", "Show the one before"),
    "session.next": ("Next experiment", "Show the session's next"),
    "session.new": ("New", "Begin a session with another operator"),
    "session.open": ("Open", "Open a session file or an example"),
    "session.save": ("Save", "Write the session to its file"),
    "session.save-as": ("Save as", "Write the session to another file"),
    "session.experiments": ("Experiments", "Add, rename, move or delete the session's experiments"),
    "session.notes": ("Notes", "Write the notes on this experiment"),
    "session.copy": ("Copy", "Copy the desc, the formula, the picture or the notes as text"),
    "session.export": ("Export", "As code or a file that runs elsewhere: look at it, copy it, save it"),
    "session.import": ("Import", "Paste or open C++, DxDispatch, ONNX, a token, a line of NumPy"),
    "session.token": ("Copy a token", "A short text that holds this experiment; dmlviz opens it"),
    "app.quit-letter": ("Quit", "Leave; unsaved changes are asked about"),
    "app.quit": ("Quit", "Leave; unsaved changes are asked about"),
    "steps.bookmark-back": ("Previous bookmark", "Go to its step"),
    "steps.bookmark-next": ("Next bookmark", "Go to its step"),
    "rules.details": ("Pseudo-code", "Open or close the page's assertions with live numbers"),
    "cell.type": ("Type a value", "Into the cell under the cursor"),
    "cell.go-to": ("Go to a coordinate", "An element by its index, or a step"),
    "cell.pin": ("Pin", "Keep this element and its partners marked; three at most"),
    "cell.unpin": ("Unpin", "Take the last pin off, then all"),
    "cell.page-up": ("Slice before", "Or a page up, where nothing is sliced"),
    "cell.page-down": ("Next slice", "Or a page down, where nothing is sliced"),
    "cell.outer-up": ("Outer slice before", "One sliced axis further out"),
    "cell.outer-down": ("Next outer slice", "One sliced axis further out"),
    "field.next": ("Next field", "Go on in the form"),
    "field.previous": ("Field before", "Go back in the form"),
    "field.open": ("Open the choices", "Of the form's row"),
    "field.add": ("Add a tensor", "BackgroundJob the one in the form's row"),
    "field.remove": ("Remove the tensor", "The one in the form's row"),
    "field.shift-up": ("Move the tensor up", "With its values"),
    "field.shift-down": ("Move the tensor down", "With its values"),
    "cell.up": ("Cell up", "Move the cursor to the row above"),
    "cell.down": ("Cell down", "Move the cursor to the row below"),
    "cell.left": ("Cell left", "Move the cursor to the column before"),
    "cell.right": ("Cell right", "Move the cursor to the next column"),
}
"""(title, sentence) by id, where the binding's own description is too short."""


@dataclass(frozen=True)
class Command:
    """Something that a key does; `owner` does it."""

    id: str
    title: str
    about: str
    key: str
    action: str
    owner: Widget

    @property
    def group(self) -> str:
        return self.id.split(".")[0]

    async def run(self) -> None:
        """Does it, wherever the focus is."""
        _, name, parameters = actions.parse(self.action)
        done = getattr(self.owner, f"action_{name}")(*parameters)
        if isawaitable(done) and not hasattr(done, "cancel"):  # workers run by themselves
            await done


def commands(screen: Screen[Any]) -> list[Command]:
    """The commands of a screen, in the order of its groups; each id once."""
    keymap = screen.app._keymap
    found: dict[str, Command] = {}
    for owner in _owners(screen):
        for binding in _bindings(owner):
            if binding.id is None or binding.id.split(".")[0] not in GROUPS or binding.id in found:
                continue
            title, about = ABOUT.get(binding.id, (binding.description.capitalize(), binding.tooltip))
            key = keymap.get(binding.id, binding.key)
            found[binding.id] = Command(binding.id, title, about, key, binding.action, owner)
    order = list(GROUPS)
    return sorted(found.values(), key=lambda each: order.index(each.group))


def made_bindings() -> list[tuple[type, Binding]]:
    """Every binding of the explorer and of its widgets, with the class that has it."""
    from ..widgets import number_input  # noqa: F401  # made only when a field is worked on
    from .explorer.explorer import Explorer  # which brings every other widget

    found: list[tuple[type, Binding]] = [(Explorer, each) for each in _made(Explorer.BINDINGS)]
    kinds: list[type] = [Widget]
    seen: set[type] = set()
    while kinds:
        kind = kinds.pop()
        if kind in seen:
            continue  # a widget may have two kinds of widget for its bases
        seen.add(kind)
        kinds += kind.__subclasses__()
        if kind.__module__.startswith("dmlviz.widgets."):
            found += [(kind, each) for each in _made(kind.__dict__.get("BINDINGS", []))]
    return [(kind, each) for kind, each in found if each.id is not None and each.id.split(".")[0] in GROUPS]


def _owners(screen: Screen[Any]) -> Iterator[Widget]:
    """The screen, then one widget of each kind that has bindings: the one with the focus, or a likely one."""
    yield screen
    seen: set[type] = set()
    outputs = [node for node in screen.query("#outputs") if isinstance(node, Widget)]
    focused = [screen.focused] if screen.focused is not None else []
    for node in (*focused, *outputs, *screen.walk_children(Widget)):
        if type(node) not in seen:
            seen.add(type(node))
            yield node


def _bindings(owner: DOMNode) -> Iterator[Binding]:
    for kind in type(owner).__mro__:
        if kind.__module__.startswith("dmlviz."):
            yield from _made(kind.__dict__.get("BINDINGS", []))


def _made(bindings: Iterable[BindingType]) -> Iterator[Binding]:
    return (binding for binding in bindings if isinstance(binding, Binding))
