"""The explorer against a model of it, whatever is done in whatever order: nothing is lost, and undo goes all the way.

The model keeps lists of experiments, numbers and steps. It knows nothing of the desk, the document or the picture; what
a text makes of a desc, and a desc of its readers, it asks those functions that other tests hold.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from support.effort import tried

from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.operators.report import Report
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.words.reasons import why
from dmlviz.session import examples, recovery, wire_edits
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import begun, converted
from dmlviz.session.reading import load, parse
from dmlviz.session.views import ViewEntry
from dmlviz.session.writing import dump
from dmlviz.widgets.lib.commands import COMMANDS
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.form.form_rows import edited, grown
from dmlviz.workspace.shown.picture import Room

ROOM = Room(160, 60)
"""All fits, which is soon found."""
KINDS = ("TILE", "JOIN", "GATHER")


class Held(NamedTuple):
    """A session, and for each of its experiments a number that it keeps."""

    session: Session
    ids: tuple[int, ...]
    of: int = -1
    """The number of the experiment that the edit between it and the next one was for; -1 for none in particular."""

    @property
    def written(self) -> object:
        """What tells two of them apart once they are files."""
        return self.session.title, self.rows

    @property
    def rows(self) -> dict[int, str]:
        """What each experiment is, in order, to the sign of a zero; what it reads is told by its name."""
        return dict(zip(self.ids, map(repr, self.session.experiments), strict=True))

    def read(self) -> Held:
        """As its file is read."""
        return Held(parse(dump(self.session).encode(), "it", None, missing=[])[0], self.ids)


class View(NamedTuple):
    """How an experiment was left; `unit` is "" where nobody asked for one."""

    step: int | None = None
    unit: str = ""
    turned: bool = False


class Model:
    def __init__(self, held: Held, *, asks: bool) -> None:
        self.held, self.liked = held, "element"
        self.saved: tuple[Held, dict[int, View]] | None = (held, {})
        self.asked = held.session.experiments[-1] if asks else None
        self.ids = itertools.count(len(held.ids))
        self.open({})

    def open(self, views: dict[int, View], number: int = 0) -> None:
        self.past, self.future = list[Held](), list[Held]()
        self.shown, self.errors = set[int](), set[str]()
        self.number, self.views, self.viewed, self.type = number, dict(views), -1, ""
        self.key: object = None
        self.began: float | None = None
        self.follow()

    def open_saved(self, path: Path | None) -> None:
        assert self.saved is not None
        held, views = self.saved
        if path is not None:
            self.asked, held = None, held.read()
        self.held, self.saved = held, (held, views)
        self.open(views)

    @property
    def every(self) -> tuple[Experiment, ...]:
        return self.held.session.experiments

    @property
    def one(self) -> Experiment:
        return self.every[self.number]

    @property
    def is_dirty(self) -> bool:
        return self.saved is None or self.held.written != self.saved[0].written

    # ---- history

    def change(self, session: Session, ids: tuple[int, ...] | None = None, key: object = None, *, of: int = -1) -> None:
        """An edit; `of` is the number of the experiment that it is for."""
        held = Held(session, ids or self.held.ids)
        if [*held.rows] == [*self.held.rows] and held.written == self.held.written:
            return
        if key is None or key != self.key:
            self.past.append(self.held._replace(of=of))
        elif of >= 0:
            self.past[-1] = self.past[-1]._replace(of=of)
        self.held, self.key, self.future = held, key, []

    def edit(self, one: Experiment, key: object = None) -> None:
        made = wire_edits.edited(self.held.session, self.number, one.with_lists_nested())
        self.change(made, key=key, of=self.held.ids[self.number])

    def rewrite(self, every: list[tuple[Experiment, int]], number: int, of: int = -1) -> None:
        session = replace(self.held.session, experiments=tuple(one for one, _ in every))
        self.change(session, tuple(each for _, each in every), of=of)
        self.key, self.number = None, number

    def add(self, one: Experiment) -> int:
        name, number = wire_edits.free_name(one.name, {other.name for other in self.every}), next(self.ids)
        every, after = self.pairs, self.number + 1
        self.rewrite([*every[:after], (replace(one, name=name), number), *every[after:]], after, number)
        return number

    @property
    def pairs(self) -> list[tuple[Experiment, int]]:
        return [*zip(self.every, self.held.ids, strict=True)]

    def travel(self, source: list[Held], target: list[Held]) -> None:
        """Takes an edit back, or makes it again, and looks at what it changed."""
        self.key = None
        if not source:
            return
        before, self.held = self.held, source.pop()
        ids, of = self.held.ids, self.held.of
        target.append(before._replace(of=of))
        if before.rows.get(of) == self.held.rows.get(of):  # edits that count as one may leave it as it was
            of = before.ids[self.number]
        self.number = min((ids if of in ids else before.ids).index(of), len(ids) - 1)
        self.errors = set()
        self.follow()

    # ---- what is looked at

    def hides(self, n: int) -> bool:
        """True if not all of an experiment's outputs may be told."""
        step, unit, _ = self.views.get(self.held.ids[n], View())
        if step is not None:
            return step < (1 if unit == "whole" else count_of(self.every[n]))
        return self.held.ids[n] not in self.shown and self.every[n] == self.asked

    def follow(self, *, moved: bool = False) -> None:
        """Looks at an experiment as it is after an edit, or at another one as it was left."""
        if self.viewed >= 0:
            self.began = None
            self.keep()
        if self.held.ids[self.number] != self.viewed:
            stages = [next(i for i, one in enumerate(self.every) if one is stage) for stage in self.one.stages[:-1]]
            hiding = [n for n in stages if is_live(self.every[n].check()) and self.hides(n)]
            self.number, self.viewed = (hiding[0], -1) if hiding else (self.number, self.viewed)
        is_edited, self.viewed = self.held.ids[self.number] == self.viewed, self.held.ids[self.number]
        self.report = self.one.check()
        self.live = is_live(self.report)
        if is_edited:
            self.step, self.is_covered = None, False
            has_left = self.type != self.one.desc.TYPE
        else:
            view, has_left = self.views.get(self.viewed, View()), True
            self.turned, self.says = view.turned, bool(view.unit)
            self.unit = view.unit or ("element" if view.step is not None else self.liked)
            self.step = view.step if self.live and (view.step or 0) <= self.steps else None
            asks = self.live and self.step is None and self.viewed not in self.shown
            self.is_covered = asks and self.one == self.asked
        self.type = self.one.desc.TYPE
        if self.live:
            self.sizes = sizes_of(self.one)
        elif has_left or not self.sizes:
            self.sizes, self.cursor = {}, None
        if self.live and (not is_edited or moved or not (self.cursor is None or self.has(self.cursor))):
            self.cursor = self.at(self.step or 1)

    def go_to(self, number: int) -> None:
        self.key = None
        if number != self.number:
            self.number, self.errors = number, set()
            self.follow()

    def changed(self, before: Experiment) -> None:
        """Looks at what is there after the list of experiments changed."""
        if self.held.ids[self.number] != self.viewed or self.one != replace(before, name=self.one.name):
            self.errors = set()
            self.follow(moved=True)

    def keep(self) -> None:
        """Keeps how the experiment is looked at, while nothing plays."""
        if self.began is None:
            unit = self.unit if self.says or self.step is not None else ""
            self.views[self.viewed] = View(self.step, unit, self.turned)
            if self.live and self.step is None and not self.is_covered:
                self.shown.add(self.viewed)

    # ---- the cursor and steps

    def has(self, cursor: Cursor) -> bool:
        sizes = self.sizes.get(cursor.place)
        return sizes is not None and len(sizes) == len(cursor.index) and all(map(int.__lt__, cursor.index, sizes))

    def at(self, step: int) -> Cursor:
        """The first element that a step writes."""
        flat, number = step - 1 if self.unit == "element" else 0, 0
        while flat >= (count := math.prod(self.sizes[Place(True, number)])):
            flat, number = flat - count, number + 1
        return Cursor(Place(True, number), tuple(map(int, np.unravel_index(flat, self.sizes[Place(True, number)]))))

    @property
    def steps(self) -> int:
        return count_of(self.one) if self.unit == "element" else 1

    @property
    def now(self) -> int:
        return self.steps if self.step is None else self.step

    def go(self, step: int, unit: str = "") -> None:
        """Shows what is there after a step; the cursor follows where that is another one."""
        before, self.unit = (self.step, self.unit), unit or self.unit
        self.step, self.began, self.is_covered = min(max(step, 0), self.steps), None, False
        if before != (self.step, self.unit):
            self.cursor = self.at(max(1, self.step))

    def file(self) -> str:
        """The session's file, with how each experiment was left."""
        every = list[Experiment]()
        for one, number in self.pairs:
            left = self.views.get(number, View())._asdict().items()
            view = {key: told for key, told in left if told not in ("", None) and told is not False}
            every.append(replace(one, view=ViewEntry(view) if view else ViewEntry()))
        return dump(replace(self.held.session, experiments=tuple(every)))


def is_live(report: Report) -> bool:
    return report.ok is not False and not report.waits_for


def sizes_of(one: Experiment) -> dict[Place, tuple[int, ...]]:
    sides = ((False, one.desc.inputs), (True, one.desc.outputs))
    return {Place(side, k): part.tensor.sizes for side, parts in sides for k, part in enumerate(parts)}


def count_of(one: Experiment) -> int:
    return sum(part.tensor.element_count for part in one.desc.outputs)


LOOKS: tuple[Callable[[Workspace], object], ...] = (
    lambda w: w.picture.turn_zoom(1),
    lambda w: w.turn_memory(),
    lambda w: w.recolour(),
    lambda w: w.turn_path(),
    lambda w: w.compare(marked=True),
)
"""What changes nothing but the way that it is drawn."""
TEXTS = {
    "Operator": KINDS,
    "FeatureLevel": ("2_0", "5_0"),
    "DataType": ("FLOAT32", "UINT8", "INT64"),
    ".values": ("iota 1 0", "", "1", "1, 0, 1, 0, 1, 0", "x", "constant 0.0", "constant -0.0"),
    "": ("2, 3", "0", "1", "x", "4", "", "1, 2", "5"),
}
"""What is typed in a row: in a tensor's values, in any other."""
NUMBERS = st.integers(0, 11)


class Explorer(RuleBasedStateMachine):
    @initialize(of=st.none() | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    def begin(self, of: list[str] | None) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.kept, self.path = Path(self.folder.name, "kept"), Path(self.folder.name, "a.json")
        self.now, self.example = 100.0, None if of else "chain-rotate-half"
        if self.example:
            self.first = examples.example(self.example).session()
        else:
            self.first = Session(tuple(replace(fresh(kind), name=f"{kind} {n}") for n, kind in enumerate(of or ())))
        self.model = Model(Held(self.first, tuple(range(len(self.first.experiments)))), asks=self.example is not None)
        self.start(Document(self.first, example=self.example))

    def start(self, document: Document) -> None:
        self.keeper = recovery.Keeper(pytest.fail, self.kept)
        self.space = Workspace(document, now=lambda: self.now, keeper=self.keeper)
        self.space.fit(ROOM)

    # ---- edits

    @rule(n=NUMBERS, m=NUMBERS)
    def type_in_field(self, n: int, m: int) -> None:
        model, rows = self.model, [row.key for row in self.space.state.form.rows]
        key = rows[n % len(rows)]
        texts = TEXTS.get(key) or TEXTS[".values" if key.endswith(".values") else ""]
        text = texts[m % len(texts)]
        self.space.type_in_field(key, text)
        try:
            if key == "Operator":
                kind, model.key, model.errors = f"DML_OPERATOR_{text}", None, set()
                made = model.one if kind == model.one.desc.TYPE else converted(model.one, kind)
            else:
                made = edited(model.one, key, text)
        except DmlvizError:
            model.errors.add(key)
            return
        model.errors.discard(key)
        model.edit(made, ("field", model.number, key))
        model.follow()

    @rule(what=st.sampled_from(["leave", "add", "remove", "mend"]))
    def edit_otherwise(self, what: str) -> None:
        """Leaves the form's fields but one, has an array grow or shrink, or takes the first fix."""
        model, more = self.model, 1 if what == "add" else -1
        if what == "leave":
            self.space.leave_fields("Axis")
            model.key, model.errors = None, model.errors & {"Axis"}
        elif what != "mend":
            self.space.grow("InputTensors[0]", more)
            model.edit(grown(model.one, "InputTensors[0]", more))
            model.follow()
        else:
            self.space.mend(-1)
            found = why(model.one.desc, model.report)
            if found.errors and found.errors[0].fixes:
                model.errors = set()
                model.edit(model.one.mended(found.fixes[found.errors[0].fixes[0]]))
                model.follow()

    @rule(text=st.sampled_from(["", "a", "ab"]), key=st.sampled_from([None, "one"]), is_title=st.booleans())
    def write(self, text: str, key: str | None, is_title: bool) -> None:
        """Writes the experiment's notes, or the session's title."""
        (self.space.write_title if is_title else self.space.write_notes)(text, key)
        if is_title:
            self.model.change(replace(self.model.held.session, title=text), key=key)
        else:
            self.model.edit(replace(self.model.one, notes=text), key)

    @rule(back=st.booleans())
    def travel(self, back: bool) -> None:
        model = self.model
        (self.space.undo if back else self.space.redo)()
        model.travel(*((model.past, model.future) if back else (model.future, model.past)))

    # ---- experiments and wires

    @rule(n=NUMBERS, what=st.sampled_from(["add", "copy", "delete", "move", "rename"]))
    def in_the_list(self, n: int, what: str) -> None:
        """What the list of experiments does with one of them."""
        model, document, by = self.model, self.space.document, n % 3 - 1
        number, before = n % len(model.every), model.one
        document.go(number)
        model.key, model.number = None, number
        every = model.pairs
        if what == "add":
            document.add(fresh(KINDS[n % 3]))
            model.add(fresh(KINDS[n % 3]))
        elif what == "copy":
            document.duplicate()
            view = model.views.get(model.held.ids[number], View())
            model.views[model.add(model.one)] = view
        elif what == "delete" and len(every) > 1:
            document.delete()
            left = wire_edits.without(model.held.session, number).experiments
            ids = model.held.ids[:number] + model.held.ids[number + 1 :]
            model.rewrite([*zip(left, ids, strict=True)], min(number, len(left) - 1), model.held.ids[number])
        elif what == "move":
            document.move(by)
            to = min(max(number + by, 0), len(every) - 1)
            every.insert(to, every.pop(number))
            model.rewrite(every, to)
        elif what == "rename":
            document.rename(f"e{n}")
            model.edit(replace(model.one, name=f"e{n}"))
            model.key = None
        self.space.experiments_changed()
        model.changed(before)

    @rule(by=st.integers(-1, 1))
    def go_to_experiment(self, by: int) -> None:
        self.space.go_to_experiment(by)
        self.model.go_to((self.model.number + by) % len(self.model.every))

    @rule(n=NUMBERS)
    def wire(self, n: int) -> None:
        """Has an input read another experiment, or nothing any more."""
        model, ask = self.model, self.space.wire_ask()
        number = n % (len(ask.choices) + 1) - 1
        chosen, here = ask.choices[number] if number >= 0 else None, (model.held.session, model.number, ask.path)
        self.space.wire(ask, number)
        try:
            made = wire_edits.wire(*here, chosen.name, chosen.output) if chosen else wire_edits.unwire(*here)
        except DmlvizError:
            return
        model.change(made, of=model.held.ids[model.number])
        model.key, model.errors = None, set()
        model.follow()

    @rule(n=NUMBERS)
    def come_from_a_question(self, n: int) -> None:
        """The question of an example is answered; or another one's desc is looked at, as a copy or where it is."""
        model = self.model
        if n % 3 == 0:
            self.space.uncover()
            model.shown.add(model.viewed)
            model.is_covered = False
            return
        at, before = n % len(model.every), model.one
        if n % 2:
            made = replace(fresh(KINDS[n % 3]), notes=f"asked as number {next(model.ids)}")
            self.space.look_at_experiment(made)
            model.add(made)
            model.changed(before)
        else:
            self.space.look_at_experiment(self.space.document.session.experiments[at])
            model.go_to(model.every.index(model.every[at]))

    # ---- the picture

    @rule(output=st.booleans(), number=st.integers(0, 1), index=st.tuples(*[st.integers(0, 3)] * 4))
    def point(self, output: bool, number: int, index: tuple[int, ...]) -> None:
        model, place = self.model, Place(output, number)
        cursor = Cursor(place, index[4 - len(model.sizes.get(place, index)) :])
        self.space.point(cursor)
        model.began = None
        if model.has(cursor):
            model.cursor = cursor
        elif not model.sizes:
            model.cursor = None  # a preview may have it

    @rule(step=NUMBERS, by=st.none() | st.integers(-3, 3))
    def step(self, step: int, by: int | None) -> None:
        """Goes to a step, or some further."""
        model = self.model
        self.space.go(step) if by is None else self.space.step(by)
        if model.live and by is not None:
            step = by if model.step is None and (by > 0 or model.is_covered) else model.now + by
        if model.live:
            model.go(step)

    @rule(what=st.sampled_from(["whole", "unit", "turned", *LOOKS]))
    def look(self, what: str | Callable[[Workspace], object]) -> None:
        """Shows the whole picture, makes a step all of it or an element again, or has it drawn otherwise."""
        model, is_element = self.model, self.model.unit == "element"
        if what == "whole":
            self.space.picture.show_whole()
            model.step, model.began, model.is_covered = None, None, False
        elif what == "turned":
            self.space.turn_picture()
            model.turned = not model.turned
        elif what == "unit":
            self.space.turn_unit(-1 if is_element else 1)
            if model.live:
                step, is_end, unit = model.step, model.now == model.steps, "whole" if is_element else "element"
                model.liked, model.says, model.began = unit, True, None
                model.unit = unit if step is None else model.unit
                if step is not None:
                    model.go(10**9 if is_end else min(step, 1), unit)
        elif not isinstance(what, str) and model.began is None:
            what(self.space)

    @rule(seconds=st.sampled_from([0.0, 0.3, 0.9, 70.0]), plays=st.booleans())
    def play(self, seconds: float, plays: bool) -> None:
        """Plays or stops, or goes on with what it does; then time passes."""
        model = self.model
        if plays:
            self.space.play()
            was_playing, model.began = model.began is not None, None
            if model.live and not was_playing:
                model.go(model.now % model.steps)
                model.began = self.now - model.now / model.steps * self.space.seconds
        self.now += seconds
        self.space.tick()
        if model.began is not None:
            began, passed = model.began, max(0.0, (self.now - model.began) / self.space.seconds) * model.steps
            model.go(int(passed) + 1)
            model.began = began if passed < model.steps else None

    # ---- files

    @rule(is_opened=st.booleans())
    def save(self, is_opened: bool) -> None:
        """Saves to the file, and may open that again."""
        model = self.model
        self.space.save(self.path)
        model.saved, model.key = (model.held, dict(model.views)), None
        assert self.path.read_text() == model.file()
        if is_opened:
            self.space.open(Document(load(self.path), self.path))
            model.open_saved(self.path)

    @rule()
    def crash(self) -> None:
        """The program ends without a word, and the next launch finds what no file holds."""
        model, path = self.model, self.space.document.path
        is_kept, model.liked = self.keeper.close(clean=False), "element"
        lost, said = recovery.find(self.kept)
        assert (len(lost), said, is_kept) == (int(model.is_dirty), [], model.is_dirty)
        if not lost:
            self.start(Document(load(path), path) if path is not None else Document(self.first, example=self.example))
            model.open_saved(path)
            return
        self.start(Document(self.first))
        self.keeper.adopt(lost[0])
        self.space.open(lost[0].document)
        model.asked, model.held = None, model.held.read()
        model.saved = (model.saved[0].read(), model.saved[1]) if path is not None and model.saved is not None else None
        model.open(model.views, model.number)

    # ---- what has to be so

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        model, document, state = self.model, self.space.document, self.space.state
        model.keep()
        picture, history = state.picture, (len(document.past), len(document.future))
        assert dump(document.viewed()) == model.file()
        assert (document.number, *history) == (model.number, len(model.past), len(model.future))
        assert document.dirty is model.is_dirty
        assert (state.view.report.ok, state.view.live) == (model.report.ok, model.live)
        assert set(state.form.errors) == model.errors
        assert set(state.form.broken) <= {row.key for row in state.form.rows}
        assert (picture.step, picture.player.began, state.view.turned) == (model.step, model.began, model.turned)
        assert bool(state.cover) is model.is_covered
        assert picture.player.unit == model.unit or not model.live
        assert picture.cursor == model.cursor or model.cursor is None
        assert picture.trace is state.view.trace
        for command in COMMANDS:
            command.when(state)

    def teardown(self) -> None:
        model = self.model
        first = (model.past or [model.held])[0].written
        while model.past:
            self.travel(back=True)
        self.all_is_as_the_model_says()
        assert model.held.written == first
        self.keeper.close(clean=True)
        self.folder.cleanup()


def fresh(kind: str) -> Experiment:
    return begun(f"DML_OPERATOR_{kind}")


def test_whatever_is_done_the_explorer_holds_what_the_model_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "Timer", Mock())  # what is kept is written at the end, as in a crash
    run_state_machine_as_test(Explorer, settings=tried(100, stateful_step_count=30))
