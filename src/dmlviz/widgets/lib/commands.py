"""The explorer's commands, with keys and when each can act, for bindings, palette, footer, key sheet, docs/keys.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from textual.binding import Binding, BindingType

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
PUNCTUATION = frozenset(
    {
        *("space", "comma", "full_stop", "less_than_sign", "greater_than_sign", "question_mark"),
        *(
            "equals_sign",
            "left_square_bracket",
            "right_square_bracket",
            "left_curly_bracket",
            "right_curly_bracket",
            "plus",
            "minus",
        ),
    }
)
"""The names of keys of one character that the table uses."""

NO_KEY = "no_key"
"""Stands in a keymap for a command whose key a user gave to another one."""

Can = Callable[[State], bool]


def _always(state: State) -> bool:
    return True


def _is_live(state: State) -> bool:
    """True while the picture is of the desc as it stands."""
    return state.view.live


def _has_picture(state: State) -> bool:
    return state.picture.scene is not None


def _can_recolour(state: State) -> bool:
    """True if there is a picture whose operator has another set of colours to show."""
    trace = state.view.trace
    if not _has_picture(state) or trace is None:
        return False
    return trace.operator.recoloured() is not None or (state.chain is not None and state.view.live)


def _is_at_step(state: State) -> bool:
    """True while a step is shown, which escape leaves."""
    return state.picture.step is not None


def _has_trouble(state: State) -> bool:
    """True if rules are broken, or fields can't be read."""
    return bool(state.view.why.reasons or state.form.errors)


def _can_undo(state: State) -> bool:
    return state.document.undoable


def _can_redo(state: State) -> bool:
    return state.document.redoable


def _has_several(state: State) -> bool:
    """True for a session of more than one experiment."""
    return state.document.count > 1


def _is_running(state: State) -> bool:
    return state.run.running.busy


def _has_fix(number: int) -> Can:
    """Tells of a state whether fix `number` is there, from 0."""
    return lambda state: state.fix(number) is not None


class Command(Struct, frozen=True):
    """Something that a user can have done."""

    id: str
    """Its group and its name: `steps.play`. Users give keys to it by this id."""
    keys: str
    """By Textual's names, with commas between; "" for none."""
    action: str
    """What its pane does, as Textual writes actions: `step(-1)`."""
    title: str
    help: str
    pane: str = "explorer"
    """Who does it: the explorer, or the widget of that kind that has the focus; `fields` are all editors of fields."""
    word: str = ""
    """What the footer calls it; "" where that doesn't show it."""
    display: str = ""
    """The key as the footer shows it, where its name isn't shown."""
    priority: bool = False
    """It works in a field too, before the field is asked."""
    can: Can = _always
    """When it can act, as far as the state says; a widget knows more by its `check_action`."""

    @property
    def group(self) -> str:
        """What the id begins with: `steps` of `steps.play`."""
        return self.id.partition(".")[0]

    @property
    def is_typed(self) -> bool:
        """True if a field would take one of its keys as text."""
        return any(len(key) == 1 or key in PUNCTUATION for key in self.keys.split(","))

    @property
    def name(self) -> str:
        """The action's name, without its parameters."""
        return self.action.partition("(")[0]


COMMANDS: tuple[Command, ...] = (
    Command(
        "steps.play",
        "space",
        "play",
        "Play",
        help="Play the steps, or stop them",
        word="play",
        can=_is_live,
    ),
    Command("steps.back", "comma", "step(-1)", "Step back", help="Show the step before", word="back", can=_is_live),
    Command(
        "steps.forward",
        "full_stop",
        "step(1)",
        "Step forward",
        help="Show the next step",
        word="step",
        can=_is_live,
    ),
    Command(
        "steps.slower",
        "less_than_sign",
        "slower(1)",
        "Slower",
        help="Let a pass take longer",
        word="slower",
        can=_is_live,
    ),
    Command(
        "steps.faster",
        "greater_than_sign",
        "slower(-1)",
        "Faster",
        help="Let a pass take less time",
        word="faster",
        can=_is_live,
    ),
    Command(
        "steps.unit",
        "s",
        "unit(1)",
        "Step unit",
        help="Step by element, by run, by slice or at once",
        word="unit",
        can=_is_live,
    ),
    Command("steps.unit-back", "S", "unit(-1)", "Step unit before", help="The same, the other way round", can=_is_live),
    Command(
        "steps.first", "home", "first", "First step", help="Show the picture before anything is written", can=_is_live
    ),
    Command("steps.last", "end", "last", "Last step", help="Show the whole output", can=_is_live),
    Command(
        "steps.leave",
        "escape",
        "show_whole",
        "Leave the steps",
        help="Show the whole output, with the cursor free",
        pane="picture",
        can=_is_at_step,
    ),
    Command(
        "fix.first",
        "f",
        "fix(-1)",
        "Apply fix 1",
        help="Mend the broken rule as the first fix says",
        word="fix",
        can=_has_fix(-1),
    ),
    *(
        Command(
            f"fix.{number}",
            f"{number}",
            f"fix({number - 1})",
            f"Fix {number}",
            help="Mend the broken rule as that fix says",
            can=_has_fix(number - 1),
        )
        for number in range(1, 10)
    ),
    Command(
        "rules.next",
        "f3",
        "next_broken",
        "Next broken rule",
        help="Go to the field that a rule or a warning names",
        word="broken rule",
        can=_has_trouble,
    ),
    Command(
        "rules.go",
        "f8",
        "to_rules",
        "To rules and fixes",
        help="From a field too; there f or a fix's number applies it, and the field has the focus again",
        word="fixes",
        priority=True,
    ),
    Command(
        "rules.all",
        "o",
        "details",
        "Rules in full",
        help="Open or close what holds, and what was found",
    ),
    Command("kernel.run", "r,f5", "run", "Run", help="Run and time the compiled kernel", word="run", can=_is_live),
    Command("kernel.cancel", "", "cancel_run", "Cancel run", help="Stop the run that is going on", can=_is_running),
    Command(
        "view.zoom",
        "z",
        "zoom(1)",
        "Zoom",
        help="Draw the cells smaller; after the smallest the largest",
        word="zoom",
        can=_has_picture,
    ),
    Command("view.zoom-back", "Z", "zoom(-1)", "Zoom back", help="Draw the cells larger", can=_has_picture),
    Command(
        "view.turn",
        "T",
        "turn_picture",
        "Turn the picture",
        help="Swap rows and columns in every tensor",
        can=_has_picture,
    ),
    Command(
        "view.recolour",
        "C",
        "recolour",
        "Recolour",
        help="Let a colour stand for something else: in TILE for the source element, in a chain for its root",
        can=_can_recolour,
    ),
    Command("edit.undo-letter", "u", "undo_letter", "Undo", help="Take the last edit back", can=_can_undo),
    Command("edit.undo", "ctrl+z", "undo", "Undo", help="Take the last edit back", priority=True, can=_can_undo),
    Command("edit.redo", "ctrl+y", "redo", "Redo", help="Make it again", priority=True, can=_can_redo),
    Command(
        "cell.type",
        "e,f4",
        "type_value",
        "Type a value",
        help="Into the cell under the cursor",
        word="value",
        can=_is_live,
    ),
    Command(
        "cell.go-to",
        "ctrl+g",
        "go_to",
        "Go to a coordinate",
        help="An element by its index, or a step",
        word="go to",
        priority=True,
        can=_is_live,
    ),
    Command("view.levels", "v", "levels", "Feature levels", help="What each feature level takes", word="levels"),
    Command(
        "view.memory",
        "m",
        "memory",
        "Memory",
        help="Show or hide the elements in address order",
        word="memory",
        can=_is_live,
    ),
    Command("app.keys", "question_mark", "help_keys", "Keys", help="Every key and what it does", word="keys"),
    Command("view.colours", "p", "colours", "Colour key", help="What each colour stands for"),
    Command("app.light", "", "app.toggle_light", "Light or dark", help="Change between the light and the dark theme"),
    Command("view.swap", "f2", "swap", "Form or picture", help="Go to the form, or back to the picture", word="form"),
    Command("view.picture", "escape", "to_picture", "Back to the picture", help="From any other pane", word="picture"),
    Command(
        "view.pane", "f6", "next_pane", "Next pane", help="Put the focus on the next pane", word="pane", priority=True
    ),
    Command(
        "session.previous",
        "ctrl+left",
        "experiment(-1)",
        "Previous experiment",
        help="Show the one before",
        priority=True,
        can=_has_several,
    ),
    Command(
        "session.next",
        "ctrl+right",
        "experiment(1)",
        "Next experiment",
        help="Show the session's next",
        priority=True,
        can=_has_several,
    ),
    Command(
        "chain.back",
        "left_curly_bracket",
        "stage(-1)",
        "Stage before",
        help="What this one reads, with the cursor on the same element",
    ),
    Command(
        "chain.next",
        "right_curly_bracket",
        "stage(1)",
        "Next stage",
        help="What reads this one, with the cursor on the same element",
    ),
    Command(
        "chain.add",
        "a",
        "add_stage",
        "Add an operator",
        help="A new experiment that reads the output under the cursor",
        can=_is_live,
    ),
    Command(
        "chain.wire",
        "W",
        "wire",
        "Wire an input, or not",
        help="Have the input under the cursor read another experiment's output, or no longer",
    ),
    Command(
        "chain.path",
        "P",
        "path",
        "Path through stages",
        help="Where the cursor's element comes from and goes to through all stages; instead of the memory",
    ),
    Command("session.new", "ctrl+n", "new", "New", help="Begin a session with another operator", priority=True),
    Command(
        "session.open", "ctrl+o", "open", "Open", help="Open a session file or an example", word="open", priority=True
    ),
    Command("session.save", "ctrl+s", "save", "Save", help="Write the session to its file", word="save", priority=True),
    Command("session.save-as", "f12", "save_as", "Save as", help="Write the session to another file", priority=True),
    Command(
        "session.experiments",
        "ctrl+e",
        "experiments",
        "Experiments",
        help="Add, rename, move or delete the session's experiments",
        word="experiments",
        priority=True,
    ),
    Command("session.notes", "n", "notes", "Notes", help="Write the notes on this experiment", word="notes"),
    Command(
        "session.copy",
        "c",
        "copy",
        "Copy",
        help="Copy the desc, the formula, the picture or the notes as text",
        word="copy",
    ),
    Command(
        "session.export",
        "x",
        "export",
        "Export",
        help="As code or a file that runs elsewhere: look at it, copy it, save it",
        word="export",
    ),
    Command(
        "session.import",
        "i",
        "import",
        "Import",
        help="Paste or open C++, DxDispatch, ONNX, a token, a line of NumPy",
        word="import",
    ),
    Command(
        "session.token",
        "y",
        "token",
        "Copy a token",
        help="A short text that holds this experiment; dmlviz opens it",
        word="token",
    ),
    Command(
        "learn.ask",
        "g",
        "ask",
        "Ask me about this desc",
        help="One question after another, answered in the picture; then what was right, and why",
        word="ask me",
    ),
    Command(
        "learn.course",
        "t",
        "learn",
        "Lessons and levels",
        help="The course: what is done and what is open; a step that was left to be explored goes on",
        word="lessons",
    ),
    Command(
        "learn.practise",
        "G",
        "practise(False)",
        "Practise this operator",
        help="Questions without end about new descs, chosen by your answers; what was missed comes back",
    ),
    Command(
        "learn.practise-all",
        "",
        "practise(True)",
        "Practise all operators",
        help="The same about every operator of the course",
    ),
    Command(
        "learn.present",
        "w,f9",
        "present_session",
        "Present to a class",
        help="The session for a room: large cells, no form, hidden until revealed; page down goes on",
    ),
    Command(
        "learn.make-task",
        "",
        "make_task",
        "Make a task",
        help="Write what this experiment asks, or make a level of it: for a lesson of your own",
    ),
    Command("app.welcome", "", "welcome", "Welcome", help="Learn, explore an example or paste a desc: how to begin"),
    Command(
        "app.help",
        "f1",
        "help",
        "Help",
        help="What the field or pane with the focus is, its rules and its keys",
        priority=True,
    ),
    Command("app.quit-letter", "q", "leave_letter", "Quit", help="Leave; unsaved changes are asked about"),
    Command(
        "app.quit", "ctrl+q", "leave", "Quit", help="Leave; unsaved changes are asked about", word="quit", priority=True
    ),
    Command(
        "cell.up",
        "up,k",
        "move(-1, 0)",
        "Cell up",
        help="Move the cursor to the row above",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.down",
        "down,j",
        "move(1, 0)",
        "Cell down",
        help="Move the cursor to the row below",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.left",
        "left,h",
        "move(0, -1)",
        "Cell left",
        help="Move the cursor to the column before",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.right",
        "right,l",
        "move(0, 1)",
        "Cell right",
        help="Move the cursor to the next column",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.page-up",
        "pageup",
        "page(-1)",
        "Slice before",
        help="Or a page up, where nothing is sliced",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.page-down",
        "pagedown",
        "page(1)",
        "Next slice",
        help="Or a page down, where nothing is sliced",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.outer-up",
        "shift+pageup",
        "page(-1, 1)",
        "Outer slice before",
        help="One sliced axis further out",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "cell.outer-down",
        "shift+pagedown",
        "page(1, 1)",
        "Next outer slice",
        help="One sliced axis further out",
        pane="picture",
        can=_has_picture,
    ),
    Command(
        "rules.details",
        "enter",
        "details",
        "Rule in full",
        help="Open or close found and expected, the rule and its page",
        pane="why",
    ),
    Command(
        "rules.open",
        "enter",
        "details",
        "All rules",
        help="Open or close the rules that hold",
        pane="rules",
        word="all rules",
        display="enter",
    ),
    Command("field.next", "tab", "walk(1)", "Next field", help="Go on in the form", pane="form"),
    Command("field.previous", "shift+tab", "walk(-1)", "Field before", help="Go back in the form", pane="form"),
    Command("field.accept", "enter", "accept", "Next, or open", help="Go on, or open the choices", pane="form"),
    Command("field.open", "space,alt+down", "open", "Open the choices", help="Of the form's row", pane="form"),
    Command("field.pick-up", "up", "pick(-1)", "Choice before", help="Take the one before", pane="form"),
    Command("field.pick-down", "down", "pick(1)", "Choice after", help="Take the one after", pane="form"),
    Command("field.add", "plus", "grow(1)", "Add a tensor", help="Behind the one in the form's row", pane="form"),
    Command("field.remove", "minus", "grow(-1)", "Remove the tensor", help="The one in the form's row", pane="form"),
    Command("field.shift-up", "ctrl+up", "shift(-1)", "Move the tensor up", help="With its values", pane="form"),
    Command("field.shift-down", "ctrl+down", "shift(1)", "Move the tensor down", help="With its values", pane="form"),
    Command("field.close", "escape", "leave", "Close the choices", help="And keep what was chosen", pane="choices"),
    Command("field.more", "up", "step(1)", "One more", help="Step the number under the cursor", pane="number"),
    Command("field.less", "down", "step(-1)", "One less", help="Step the number under the cursor", pane="number"),
    Command(
        "field.strip-up",
        "up",
        "step(1)",
        "Step up",
        help="The number in the line above the picture",
        pane="strip",
        word="more",
    ),
    Command(
        "field.strip-down",
        "down",
        "step(-1)",
        "Step down",
        help="The number in the line above the picture",
        pane="strip",
        word="less",
    ),
    Command(
        "field.strip-left",
        "left",
        "go(-1)",
        "Number before",
        help="In the line above the picture",
        pane="strip",
        word="before",
    ),
    Command(
        "field.strip-right",
        "right",
        "go(1)",
        "Next number",
        help="In the line above the picture",
        pane="strip",
        word="next",
    ),
    Command("field.strip-first", "home", "end(-1)", "First number", help="In the line above the picture", pane="strip"),
    Command("field.strip-last", "end", "end(1)", "Last number", help="In the line above the picture", pane="strip"),
    Command(
        "field.strip-accept",
        "enter",
        "accept",
        "Next field, or out",
        help="In the line above the picture",
        pane="strip",
    ),
    Command(
        "entry.next",
        "enter,tab",
        "done(1)",
        "Set, next cell",
        help="Take the value, and type into the next cell",
        pane="cell",
        word="set, next cell",
        display="enter",
    ),
    Command(
        "entry.previous",
        "shift+tab",
        "done(-1)",
        "Set, cell before",
        help="Take the value, and type into the cell before",
        pane="cell",
    ),
    Command("entry.undo", "u", "undo", "Undo", help="Take the last edit back, before anything is typed", pane="cell"),
    Command(
        "entry.leave",
        "escape",
        "done(0)",
        "Leave the cell",
        help="Give up what was typed",
        pane="cell",
        word="leave",
        display="esc",
    ),
)
"""In the order in which they are listed."""
BY_ID = {command.id: command for command in COMMANDS}
LENT = frozenset({"fix(-1)", "undo_letter", "details"})
"""The explorer's actions whose letters work in a field of whole numbers, too: what is offered beside it."""
TYPED = frozenset(command.name for command in COMMANDS if command.pane == "explorer" and command.is_typed)
"""The explorer's actions on letters, digits and punctuation, which never fire while a field has the focus."""

SHOWN = {
    "full_stop": ".",
    "comma": ",",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "question_mark": "?",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "pageup": "pgup",
    "shift+pageup": "shift+pgup",
    "shift+pagedown": "shift+pgdn",
    "pagedown": "pgdn",
    "plus": "+",
    "minus": "-",
    "ctrl+up": "ctrl+↑",
    "ctrl+down": "ctrl+↓",
    "alt+down": "alt+↓",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}
"""How keys are called on a keyboard, where Textual calls them otherwise."""


def bindings(*panes: str) -> list[BindingType]:
    """The bindings of the commands whose pane is one of `panes`."""
    return [_binding_of(command) for command in COMMANDS if command.pane in panes]


def _binding_of(command: Command) -> Binding:
    return Binding(
        command.keys or NO_KEY,
        command.action,
        command.word or command.title,
        show=bool(command.word),
        key_display=command.display or None,
        priority=command.priority,
        tooltip=command.help,
        id=command.id,
    )


def listed() -> Iterator[Command]:
    """The commands that the palette and the key sheet list, by group."""
    order = list(GROUPS)
    grouped = [command for command in COMMANDS if command.group in GROUPS]
    yield from sorted(grouped, key=lambda command: order.index(command.group))


def command_keys(command: Command, keymap: Mapping[str, str]) -> str:
    """A command's keys as they stand on a keyboard; "" where it has none."""
    keys = keymap.get(command.id, command.keys)
    return "" if keys == NO_KEY else keyboard_names(keys)


def keyboard_names(keys: str) -> str:
    """The names of a binding's keys, as they stand on a keyboard."""
    return " ".join(SHOWN.get(key, key.replace("ctrl+", "^")) for key in keys.split(","))
