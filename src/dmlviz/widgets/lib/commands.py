"""The explorer's commands, with keys and when each can act, for bindings, palette, footer, help and docs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.keys import key_to_character

from ...workspace.shown.state import State

GROUPS = {
    "cell": "The cell cursor",
    "steps": "Steps",
    "field": "The form",
    "rules": "Rules",
    "fix": "Fixes",
    "kernel": "Kernel",
    "edit": "Edits",
    "chain": "Chains",
    "session": "Sessions",
    "learn": "Learning",
    "view": "Panes",
    "app": "Program",
}
"""What the palette and the key sheet list; a command's id begins with its group."""
NO_KEY = "no_key"
"""Stands in a keymap for a command whose key a user gave to another one."""


def _can_recolour(state: State) -> bool:
    trace = state.view.trace
    if state.picture.scene is None or trace is None:
        return False
    return trace.operator.recoloured() is not None or (state.chain is not None and state.view.live)


def _has_fix(number: int, state: State) -> bool:
    return state.fix(number) is not None


WHEN: Mapping[str, Callable[[State], bool]] = {
    "": lambda state: True,
    "live": lambda state: state.view.live,
    "picture": lambda state: state.picture.scene is not None,
    "recolour": _can_recolour,
    "step": lambda state: state.picture.step is not None,
    "trouble": lambda state: bool(state.view.why.reasons or state.form.errors),
    "remarks": lambda state: bool(state.document.experiment.not_checked),
    "past": lambda state: bool(state.document.past),
    "future": lambda state: bool(state.document.future),
    "chain": lambda state: state.chain is not None,
    "several": lambda state: len(state.document.session.experiments) > 1,
    "running": lambda state: state.run.running.busy,
    "fix": lambda state: state.fix(-1) is not None,
    **{f"fix {k}": partial(_has_fix, k - 1) for k in range(1, 10)},
}
"""When a command can act, as far as the state says; "live" is a picture of the desc as it stands."""


def character_of(key: str) -> str:
    """The character that a key types, by its name; "" for none."""
    character = {"plus": "+", "minus": "-"}.get(key) or key_to_character(key) or ""
    return character if character.isprintable() else ""


class Command(Struct, frozen=True):
    """Something that a user can have done."""

    name: str
    keys: str
    """By Textual's names, with commas between; "" for none."""
    call: str
    """What its pane does, as Textual writes actions, or a dot and a method of the workspace with what that is given."""
    title: str
    help: str
    word: str = ""
    """What the footer calls it; "" where that doesn't show it."""
    needs: str = ""
    """What it can't act without, a name in `WHEN`; a widget knows more by its `check_action`."""
    group: str = ""
    pane: str = "explorer"
    """Who does it: the explorer, or the widget of that kind that has the focus."""

    @property
    def id(self) -> str:
        """Its group and its name: `steps.play`. Users give keys to it by this id."""
        return f"{self.group}.{self.name}"

    @property
    def action(self) -> str:
        """`move(0, -1)`, or for a method of the workspace `do('play', ())`."""
        if self.call[0] != ".":
            return self.call
        method, _, given = self.call[1:].rstrip(")").partition("(")
        return f"{'screen.' * (self.pane != 'explorer')}do({method!r}, ({given}{',' * bool(given)}))"

    @property
    def is_priority(self) -> bool:
        """True for one that works in a field too, before the field is asked: by keys that type nothing there."""
        keys = self.keys.split(",")
        return self.pane == "explorer" and all(re.fullmatch(r"ctrl\+.+|f\d+", key) for key in keys)

    def when(self, state: State) -> bool:
        """True if it can act, as far as the state says."""
        return WHEN[self.needs](state)


row = Command


def _rows(group: str, *lines: Command, pane: str = "explorer") -> Iterator[Command]:
    return (replace(line, group=group, pane=pane) for line in lines)


COMMANDS: tuple[Command, ...] = (
    *_rows(
        "fix",
        row("first", "f", "fix(-1)", "Apply fix 1", "Apply the first fix of the failed check", "fix", "fix"),
        *(row(f"{k}", f"{k}", f"fix({k - 1})", f"Fix {k}", "Apply this fix", needs=f"fix {k}") for k in range(1, 10)),
    ),
    *_rows(
        "rules",
        row("go", "f8", "to_rules", "To rules and fixes", "From a field too; there f applies fix 1", "fixes"),
        row("next", "f3", ".look_at_next_reason()", "Next failed check", "To its field", "failed check", "trouble"),
        row("all", "o", "details", "All details", "Show or hide passed checks, and the values found"),
        row("drop", "delete", ".drop_remarks()", "Drop what isn't checked", "Of an import's source", needs="remarks"),
    ),
    *_rows(
        "field",
        row("more", "up", "step(1)", "One more", "Step the number at the cursor", "step"),
        row("less", "down", "step(-1)", "One less", "Step the number at the cursor", "step"),
        row("add", "plus", "grow(1)", "Add a tensor", "After the one in the form's row"),
        row("remove", "minus", "grow(-1)", "Remove the tensor", "The one in the form's row"),
        row("accept", "enter,space", "accept", "Add a tensor at the end", "From the form's row for that"),
        pane="form",
    ),
    *_rows(
        "steps",
        row("play", "space", ".play()", "Play", "Play the steps, or stop them", "play", "live"),
        row("back", "comma", ".step(-1)", "Step back", "Show the step before", "step", "live"),
        row("forward", "full_stop", ".step(1)", "Step forward", "Show the next step", "step", "live"),
        row("slower", "less_than_sign", ".slow_down(1)", "Slower", "Let a pass take longer", needs="live"),
        row("faster", "greater_than_sign", ".slow_down(-1)", "Faster", "Let a pass take less time", needs="live"),
        row("unit", "s", ".turn_unit(1)", "Step unit", "Step by element, run, slice, or at once", needs="live"),
        row("unit-back", "S", ".turn_unit(-1)", "Previous unit", "The same, the other way round", needs="live"),
        row("first", "home", ".go(0)", "First step", "Show the picture before anything is written", needs="live"),
        row("last", "end", ".picture.go_last()", "Last step", "Show the whole output", needs="live"),
    ),
    *_rows(
        "steps",
        row("leave", "escape", ".picture.show_whole()", "Leave the steps", "Show all of the output", needs="step"),
        pane="picture",
    ),
    *_rows(
        "view",
        row("picture", "escape", "to_picture", "Back to the picture", "From any other pane", "picture"),
        row("swap", "f2", "swap", "Form or picture", "Go to the form, or back to the picture", "form"),
    ),
    *_rows(
        "cell",
        row("type", "e,f4", "type_value", "Type a value", "Into the cell under the cursor", "value", "live"),
        row("go-to", "ctrl+g", "go_to", "Go to a coordinate", "An element by its index, or a step", needs="live"),
    ),
    *_rows(
        "kernel",
        row("run", "r,f5", ".run()", "Run", "Run and time the compiled kernel", "run", "live"),
        row("cancel", "", ".runs.cancel()", "Cancel run", "Stop the run that is going on", needs="running"),
    ),
    *_rows(
        "session",
        row("export", "x", "export", "Export", "As code that runs elsewhere: look, copy, save", "export"),
        row("open", "ctrl+o", "file('open_another')", "Open", "Open a session file or an example", "open"),
        row("import", "i", "file('take_import')", "Import", "Paste or open C++, ONNX, a token or NumPy", "import"),
    ),
    *_rows(
        "view",
        row("levels", "v", "levels", "Feature levels", "What each feature level takes", "feature levels"),
        row("zoom", "z", ".picture.turn_zoom(1)", "Zoom out", "Draw the cells smaller", "zoom", "picture"),
        row("zoom-back", "Z", ".picture.turn_zoom(-1)", "Zoom in", "Draw the cells larger", needs="picture"),
        row("memory", "m", ".turn_memory()", "Memory", "Show or hide the elements in address order", "memory", "live"),
        row("turn", "T", ".turn_picture()", "Transpose", "Swap rows and columns of tensors", needs="picture"),
        row("recolour", "C", ".recolour()", "Recolour", "Let a colour mean something else", needs="recolour"),
        row("colours", "p", "colours", "Colour key", "What each colour means"),
    ),
    *_rows(
        "learn",
        row("ask", "g", "ask", "Ask me about this desc", "Questions, answered in the picture, and why", "ask me"),
        row("course", "t", "learn", "Lessons and puzzles", "The course: done, and still to do", "lessons"),
        row("practise", "G", "practise(False)", "Practise this operator", "Questions chosen by your answers"),
        row("practise-all", "", "practise(True)", "Practise all operators", "The same about every operator"),
        row("present", "w,f9", "present_session", "Present to a class", "Large cells, hidden until revealed"),
        row("make-task", "", "make_task", "Make a task", "Write what this experiment asks, or make it a puzzle"),
    ),
    *_rows(
        "session",
        row("save", "ctrl+s", "file('save')", "Save", "Write the session to its file", "save"),
        row("save-as", "f12", "file('save_as')", "Save as", "Write the session to another file"),
        row("experiments", "ctrl+e", "experiments", "Experiments", "Add, rename, move or delete", "experiments"),
        row("notes", "n", "notes", "Notes", "Write the notes on this experiment", "notes"),
        row("token", "y", "token", "Copy a token", "A short text that holds this experiment; dmlviz opens it", "token"),
        row("new", "ctrl+n", "file('new')", "New", "Begin a session with another operator"),
        row("previous", "ctrl+left", ".go_to_experiment(-1)", "Previous experiment", "Go to that", needs="several"),
        row("next", "ctrl+right", ".go_to_experiment(1)", "Next experiment", "Go to that", needs="several"),
    ),
    *_rows(
        "edit",
        row("undo-letter", "u", "undo_letter", "Undo", "Take the last edit back", needs="past"),
        row("undo", "ctrl+z", ".undo()", "Undo", "Take the last edit back", needs="past"),
        row("redo", "ctrl+y", ".redo()", "Redo", "Make it again", needs="future"),
    ),
    *_rows(
        "chain",
        row("back", "left_curly_bracket", ".step_stage(-1)", "Previous stage", "What this one reads", needs="chain"),
        row("next", "right_curly_bracket", ".step_stage(1)", "Next stage", "What reads this one", needs="chain"),
        row("wire", "W", "wire", "Connect input", "Have the input under the cursor read another output"),
        row("path", "P", ".turn_path()", "Path through stages", "Where the cursor's element comes from", needs="chain"),
    ),
    *_rows(
        "cell",
        row("up", "up,k", "move(-1, 0)", "Cell up", "Move the cursor to the row above", needs="picture"),
        row("down", "down,j", "move(1, 0)", "Cell down", "Move the cursor to the row below", needs="picture"),
        row("left", "left,h", "move(0, -1)", "Cell left", "Move the cursor to the column before", needs="picture"),
        row("right", "right,l", "move(0, 1)", "Cell right", "Move the cursor to the next column", needs="picture"),
        row("page-up", "pageup", "page(-1)", "Previous slice", "Or a page up, if nothing is sliced", needs="picture"),
        row("page-down", "pagedown", "page(1)", "Next slice", "Or a page down, if nothing is sliced", needs="picture"),
        row("outer-up", "shift+pageup", "page(-1, 1)", "Previous outer slice", "One axis further out", needs="picture"),
        row("outer-down", "shift+pagedown", "page(1, 1)", "Next outer slice", "One axis further out", needs="picture"),
        pane="picture",
    ),
    *_rows(
        "app",
        row("keys", "question_mark", "help_keys", "Keys", "The first keys, the words, and every key", "keys"),
        row("light", "", "app.toggle_light", "Light or dark", "Change between the light and the dark theme"),
        row("welcome", "", "welcome", "Welcome", "Learn, explore an example or paste a desc: how to begin"),
        row("help", "f1", "help", "Help", "What the field with the focus is, and its rules; else all keys"),
        row("quit-letter", "q", "leave_letter", "Quit", "Leave; unsaved changes are asked about"),
        row("quit", "ctrl+q", "leave", "Quit", "Leave; unsaved changes are asked about", "quit"),
    ),
)
"""In the order in which they are listed by group, and told in the footer: the likeliest to be wanted first."""
BY_ID = {command.id: command for command in COMMANDS}
_OWN = [command for command in COMMANDS if command.pane == "explorer"]
TYPED = frozenset(command.action for command in _OWN if any(map(character_of, command.keys.split(","))))
"""The explorer's actions on letters, digits and punctuation, which never fire while a field has the focus."""

SHOWN = {"pageup": "pgup", "pagedown": "pgdn", "up": "↑", "down": "↓", "left": "←", "right": "→"}
"""How keys are called on a keyboard, where they type no character and Textual calls them otherwise."""


def bindings(*panes: str) -> list[BindingType]:
    """The bindings of the commands whose pane is one of `panes`."""
    return [_binding_of(cmd) for cmd in COMMANDS if cmd.pane in panes]


def _binding_of(cmd: Command) -> Binding:
    return Binding(
        cmd.keys or NO_KEY,
        cmd.action,
        cmd.word or cmd.title,
        show=bool(cmd.word),
        key_display={"enter": "enter", "escape": "esc"}.get(cmd.keys.split(",")[0]),
        priority=cmd.is_priority,
        tooltip=cmd.help,
        id=cmd.id,
    )


def listed() -> Iterator[Command]:
    """The commands that the palette and the key sheet list, by group."""
    for group in GROUPS:
        yield from (command for command in COMMANDS if command.group == group)


def command_keys(cmd: Command, keymap: Mapping[str, str]) -> str:
    """A command's keys as they stand on a keyboard; "" where it has none."""
    keys = keymap.get(cmd.id, cmd.keys)
    return "" if keys == NO_KEY else keyboard_names(keys)


def keyboard_names(keys: str) -> str:
    """The names of a binding's keys, as they stand on a keyboard."""
    names = []
    for key in keys.split(","):
        *modifiers, last = key.split("+")
        name = "+".join([*modifiers, SHOWN.get(last) or character_of(last).strip() or last])
        names.append(name if last in SHOWN else name.replace("ctrl+", "^"))
    return " ".join(names)
