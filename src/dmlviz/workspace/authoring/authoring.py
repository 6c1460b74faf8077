"""Makes a task of an experiment, as an author does: each method is one thing that is chosen, ticked or written."""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, TaskError, quote
from ...operators.maps import Place
from ...operators.report import Severity
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...teaching.kinds.lib.asking import kinds
from ...teaching.kinds.whole_outputs import draw
from ...teaching.lessons.lessons import NUMBERS, Lesson, faults, lesson_of
from ...teaching.questions.question import Question
from ...teaching.questions.subject import Subject, shown
from ...teaching.tasks.changed_descs import shown_texts
from ...teaching.tasks.tasks import MOST_HINTS, PHASES, AuthoredQuestion, question_of, task_of
from .author_state import AuthorRow, AuthorState, RowKind

Json = dict[str, Any]
ELEMENT = frozenset({"cell", "source", "via", "promised", "dest", "count"})
"""Kinds about one element."""
WHOLE = frozenset({"fill", "pictures", "order"})
"""Kinds about an output, or a row of it."""
MISPRINT, LEVEL, PICTURES = "misprint", "level", "pictures"

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "pictures": "which of four pictures is the output?",
        "cell": "what stands in one element?",
        "sizes": "which sizes has the output?",
        "dest": "where does an input element go?",
        "source": "where does an output element come from?",
        "count": "how often is an input element read?",
        "via": "which index or length steers an element?",
        "fill": "what stands in a row of the output?",
        "order": "which elements come first in memory?",
        "unread": "which input elements are never read?",
        "blank": "which value has a field that is blank?",
        "insizes": "which sizes must the lengths have?",
        "promised": "does DirectML promise a value there?",
        "valid": "is the desc valid, and which rules break?",
        "lowest": "which is the lowest feature level?",
        "runs": "how many copies write the output?",
        "through": "where does an element come from, through all stages?",
        "reach": "where does one arrive, through all stages?",
        "dead": "which elements never arrive at the end?",
        "fixes": "mend the desc",
        "misprint": "which line is the misprint?",
        "level": "change the desc until it makes a goal",
    }
)
KINDS = tuple(ABOUT)
"""What each kind asks, in a few words."""
MOST_TICKED = 3
"""Wrong pictures beside the right one."""
PANELS = ("memory", "rules", "levels", "feature_level")
"""Panels that an author may hide."""
NO_OTHERWISE = "not otherwise here"
ANY_OTHER = "any other wrong answer"
"""What stands for `other`, which is no rule."""
LONGEST = 44
"""Characters of an answer that is shown."""
NEEDS: Mapping[str, str] = MappingProxyType(
    {
        "via": "an index or a length tensor",
        "dead": "few elements that never arrive at the end of what it reads",
        "unread": "few input elements, some of which may not be read",
        "blank": "small tensors, and a number that the outputs tell",
        "insizes": "a tensor of lengths",
        "promised": "an element for which DirectML promises no value",
        "fixes": "a broken rule that an edit mends",
        "level": "a goal and a solution, which are written in its file",
    }
)
"""What a kind wants of a desc, where that can be said of it alone."""
LISTS: Mapping[str, str] = MappingProxyType({"hint": "hints", "speaker": "speaker"})
"""Where the texts of rows stand of which there may be several."""
LESSON_NUMBERS = (
    ("minutes", "Minutes", "how long it takes"),
    ("exit", "Exit questions", "how many end it, by what was missed"),
    ("seed", "Seed", "another one asks other exit questions"),
)
"""(key, label, what it is) of the lesson's numbers."""
MOST_SPOKEN = 4
"""Texts for the speaker, at most; a file may have more."""


def _asks_of_inputs(kind: str) -> bool:
    return kind in kinds() and kinds()[kind].of_inputs


class Authoring:
    """A draft of one experiment's task; nothing of the session changes but by `finished`."""

    def __init__(self, session: Session, number: int, cursor: Cursor | None = None) -> None:
        """`cursor` is the element that is looked at, for kinds that ask about one."""
        self.session, self.number = session, number
        self._cursor = cursor
        self._experiment = session.experiments[number]
        task = self._experiment.extra.get("task")
        self._had = task is not None
        self._subject = Subject(self._experiment)
        self._asked: dict[str, AuthoredQuestion | None] = {}
        self.sentence = ""
        """What came of the last thing that was done, where it couldn't be done."""
        lesson = session.extra.get("lesson")
        self._lesson: Json = dict(lesson) if isinstance(lesson, dict) else {}
        self._lesson_before = dict(self._lesson)
        self._title = session.title
        self._known = lesson_of(session)
        self._name = self._known.name if self._known is not None else ""
        self._token = secrets.token_hex(4)  # what tells a lesson from others of its title
        is_wired = self._experiment.is_wired
        self.listed = [kind for kind in KINDS if is_wired or not kinds()[kind].of_chains]
        """The kinds that an author chooses among; those about chains alone where there is one."""
        self.kinds = [kind for kind in self.listed if kind == MISPRINT or self._can_ask(kind)]
        """The kinds that can be asked of this desc."""
        if isinstance(task, dict):
            self._task: Json = dict(task)
            named = self._ask.get("kind", task.get("kind"))
            if named in KINDS and named not in self.kinds:
                self.kinds.append(named)
        else:
            self._task = {}
            self._begin_kind(self.kinds[0])
        self.needs = {kind: self._needed(kind) for kind in self.listed if kind not in self.kinds}
        """Why other kinds can't be asked, by kind: what they want."""
        self._before = self._task
        self._follow()

    # ---- the draft

    @property
    def _ask(self) -> Json:
        """What the task asks, as a copy; {} where it says nothing of that."""
        ask = self._task.get("ask", {})
        return dict(ask) if isinstance(ask, dict) else {}

    @property
    def kind(self) -> str:
        """The kind of question that the task asks; "" where it says none."""
        return str(self._ask.get("kind", self._task.get("kind", "")))

    def _with_task(self, task: Mapping[str, Any]) -> Experiment:
        """The experiment with a task in place of its own."""
        return dataclasses.replace(self._experiment, extra={**self._experiment.extra, "task": dict(task)})

    def _question(self, task: Mapping[str, Any]) -> AuthoredQuestion | None:
        """The question of a draft task; None where it can't be asked."""
        try:
            one = self._with_task(task)
            own_task = task_of(one)
            assert own_task is not None
            return question_of(one, own_task)
        except DmlvizError:
            return None

    def _plain_question(self, kind: str) -> AuthoredQuestion | None:
        """The question of a kind where an author says no more than that; None where it can't be asked."""
        if kind not in self._asked:
            self._asked[kind] = self._question({"ask": {"kind": kind}})
        return self._asked[kind]

    def _can_ask(self, kind: str) -> bool:
        if self._plain_question(kind) is not None:
            return True
        here = self._at_cursor(kind)
        return here is not None and self._question({"ask": {"kind": kind, **here}}) is not None

    def _needed(self, kind: str) -> str:
        """What a kind that can't be asked wants of the desc."""
        broken = [check.id for check in self._subject.evaluated if not check.ok and check.severity is Severity.ERROR]
        if broken and not kinds()[kind].of_any_desc:
            return f"needs a valid desc, and {broken[0]} is broken here"
        return f"needs {NEEDS.get(kind, 'small tensors, and wrong rules whose holders answer otherwise')}"

    def _begin_kind(self, kind: str) -> None:
        """Makes the draft one of that kind, with what it asks about."""
        kept = ("id", "phase", "title", "say", "hints", "look", "speaker")
        afterwards = self._task.get("learn" if self.kind == LEVEL else "then")
        self._task = {key: held for key, held in self._task.items() if key in kept}
        if afterwards:
            self._task["learn" if kind == LEVEL else "then"] = afterwards
        if kind == LEVEL:
            self._task["kind"] = LEVEL
            return
        self._task["ask"] = {"kind": kind, **self._about(kind)}

    def _about(self, kind: str) -> Json:
        """What a kind asks about: the cursor's element where that tells rules apart, else one that does; {} if none."""
        here, first = self._at_cursor(kind), self._plain_question(kind)
        if here is not None:
            asked = self._question({"ask": {"kind": kind, **here}})
            if asked is not None and (asked.answers or first is None or not first.answers):
                return here
        if first is None:
            return {}
        if kind == "blank" and first.blank is not None:
            return {"field": first.blank}
        if kind == PICTURES or kind not in ELEMENT | WHOLE or first.at is None:
            return {}
        if kind == "order":
            return {"output": first.at.place.number, "first": first.first}
        key = "tensor" if _asks_of_inputs(kind) else "output"
        return {key: first.at.place.number, "row" if kind == "fill" else "at": list(first.at.index)}

    def _at_cursor(self, kind: str) -> Json | None:
        """The cursor's element, row or output as a task names it; None for another side's."""
        cursor = self._cursor
        if cursor is None or kind not in ELEMENT | WHOLE or cursor.place.is_output is _asks_of_inputs(kind):
            return None
        number, index = cursor.place.number, list(cursor.index)
        if _asks_of_inputs(kind):
            return {"tensor": number, "at": index}
        if kind == "fill":
            return {"output": number, "row": index[:-1]}
        if kind == PICTURES:
            return {"output": number} if number else {}
        if kind == "order":
            return {"output": number}
        return {"output": number, "at": index}

    # ---- what an author does

    def press(self, key: str) -> AuthorState:
        """Does what a row does: chooses the next, ticks, takes the cursor's element."""
        row = self.state.row(key)
        self.sentence = ""
        if row.kind is RowKind.CHOICE:
            return self.turn(key, 1)
        if key == "about":
            self._take_cursor()
        elif key.startswith("hide."):
            self._tick_hidden(key.removeprefix("hide."))
        elif key.startswith("rule."):
            self._tick_rule(key.removeprefix("rule."))
        self._follow()
        return self.state

    def turn(self, key: str, by: int) -> AuthorState:
        """Chooses the option `by` further, of a row that has several."""
        self.sentence = ""
        if key == "kind":
            at = self.kinds.index(self.kind) if self.kind in self.kinds else -1
            self.choose_kind(self.kinds[(at + by) % len(self.kinds)])
        elif key == "phase":
            at = PHASES.index(self._task.get("phase", ""))
            self._put("phase", PHASES[(at + by) % len(PHASES)])
        elif key == "field":
            fields = self._blank_fields()
            at = fields.index(self._ask["field"]) if self._ask.get("field") in fields else -1
            self._task["ask"] = {**self._ask, "field": fields[(at + by) % len(fields)]}
        self._follow()
        return self.state

    def choose_kind(self, kind: str) -> AuthorState:
        """Asks another kind of question. Raises TaskError for one that can't be asked of this desc."""
        if kind not in self.kinds:
            raise TaskError(f"task.ask.kind is {kind}, expected one of {', '.join(self.kinds)} for this desc.")
        if kind != self.kind:
            self._begin_kind(kind)
        self._follow()
        return self.state

    def write(self, key: str, text: str) -> AuthorState:
        """Writes the text of a row; an empty one takes it out."""
        self.sentence, text = "", text.strip()
        name, _, rest = key.partition(".")
        if name in LISTS:
            texts, number = self._listed(LISTS[name]), int(rest)
            texts[number : number + 1] = [text] if text else []
            single = not isinstance(self._task.get(LISTS[name], ""), list) and len(texts) == 1
            self._put(LISTS[name], texts[0] if single and name == "speaker" else texts)
        elif name == "lesson" and rest in NUMBERS:
            self._write_number(rest, text)
        elif name == "lesson":
            if rest == "title":
                self._title, text = text, ""
            self._lesson = {**_without(self._lesson, rest), **({rest: text} if text else {})}
        elif name == "wrong":
            wrong = self._task.get("wrong", {})
            self._put("wrong", {**wrong, rest: text or self._rule_says(rest)})
        elif name == "choices":
            self._write_choices(text)
        else:
            self._put(name, text)
        self._follow()
        return self.state

    def _write_number(self, key: str, text: str) -> None:
        """A number of the lesson; without one what is usual stands for it."""
        usual, most = NUMBERS[key]
        if not text:
            self._lesson = _without(self._lesson, key)
        elif text.isascii() and text.isdecimal() and len(text) <= len(str(most)) and int(text) <= most:
            self._lesson = {**self._lesson, key: int(text)}
        else:
            self.sentence = f"lesson.{key} is {quote(text)}, expected an integer from 0 to {most:,}; {usual} if empty."

    def _listed(self, key: str) -> list[Any]:
        """The texts of a key that may have several, or one without a list."""
        texts = self._task.get(key, [])
        return list(texts) if isinstance(texts, list) else [texts]

    def _put(self, key: str, held: Any) -> None:
        """Sets a member of the task; empty content takes it out."""
        self._task = {**self._task, key: held}
        if not held:
            del self._task[key]

    def _take_cursor(self) -> None:
        """Asks about the cursor's element, or says why that can't be."""
        at = self._at_cursor(self.kind)
        if at is None:
            side = "input" if _asks_of_inputs(self.kind) else "output"
            self.sentence = f"The cursor is on no {side} element, expected one: close this, point at it, and come back."
            return
        kept = {key: held for key, held in self._ask.items() if key in ("change", "rules")}
        asked = {"kind": self.kind, **kept, **at}
        if self._question({**self._task, "ask": asked}) is None:
            self.sentence = "That can't be asked about the cursor's element, expected one whose value is promised."
            return
        self._task["ask"] = asked

    def _write_choices(self, text: str) -> None:
        """Lines with `|` between; the misprint begins with `*`."""
        lines = [line.strip() for line in text.split("|") if line.strip()]
        right = [line for line in lines if line.startswith("*")]
        if len(lines) < 2 or len(right) != 1:
            self.sentence = "choices are lines with | between, expected two or more, one of them with * before it."
            return
        self._task["ask"] = {"kind": MISPRINT, "choices": [line.removeprefix("*").strip() for line in lines]}
        self._put("want", right[0].removeprefix("*").strip())

    def _tick_hidden(self, path: str) -> None:
        """Hides a path, or shows it; nothing is written down where that hides what the kind hides anyway."""
        own = self._hidden_by_kind()
        hidden = [shown for shown in self._paths_to_hide() if (shown in self._hidden()) is not (shown == path)]
        if hidden == [shown for shown in self._paths_to_hide() if shown in own]:
            self._task.pop("hide", None)
        else:
            self._task["hide"] = hidden

    def _tick_rule(self, rule: str) -> None:
        """Ticks a wrong rule, whose answer is then told or drawn, or takes its tick off."""
        wrong = dict(self._task.get("wrong", {}))
        if rule in wrong:
            del wrong[rule]
        elif self.kind == PICTURES and len(wrong) == MOST_TICKED:
            self.sentence = f"Beside the right picture there is room for {MOST_TICKED}: take a tick off first."
            return
        else:
            wrong[rule] = self._rule_says(rule)
        if self.kind == PICTURES:
            ask = _without(self._ask, "rules")
            self._task["ask"] = {**ask, "rules": [*wrong]} if wrong else ask
        self._put("wrong", wrong)

    # ---- what follows

    def _follow(self) -> None:
        """Makes question, wrong rules and state anew from the draft."""
        self._now = self._question(self._task)
        self._rules = dict(self._differing())
        self.state = self._state_now()

    def _differing(self) -> Iterator[tuple[str, str]]:
        """Wrong rules whose holders answer otherwise, by id, and what they answer."""
        question = self._now
        if question is None or self.kind in (MISPRINT, LEVEL):
            return
        if self.kind != PICTURES:
            yield from ((id_, answer_text(question, given)) for id_, given in question.answers.items())
            return
        subject = question.subject  # of the desc that is asked about
        seen = {draw(subject, subject.truth, question.at)}
        for id_, reading in subject.element_readings.items():
            picture = draw(subject, reading, question.at)
            if picture is not None and picture not in seen:
                seen.add(picture)
                yield id_, _cut(" · ".join(" ".join(map(shown, values)) for _, values in picture.outputs))

    def _rule_says(self, rule: str) -> str:
        """What the program says of a wrong rule; "" without a question."""
        question = self._now
        if question is None:
            return ""
        return question.rule(rule).says(question.subject.desc)

    def _blank_fields(self) -> list[str]:
        """Fields that can be blank."""
        names = [*self._subject.desc.attributes]
        first = self._plain_question("blank")
        if first is not None and first.blank is not None and first.blank not in names:
            names.append(first.blank)
        return [name for name in names if self._question({"ask": {"kind": "blank", "field": name}}) is not None]

    def _paths_to_hide(self) -> list[str]:
        """What an author may hide."""
        return [*_paths_of(self._subject.desc), *PANELS]

    def _hidden_by_kind(self) -> frozenset[str]:
        """The paths that the kind of question hides by itself."""
        question = self._question(_without(self._task, "hide"))
        return question.hidden if question is not None else frozenset()

    def _hidden(self) -> frozenset[str]:
        """The paths that are hidden: those that the task says, else those of its kind."""
        hidden = self._task.get("hide")
        return frozenset(hidden) if isinstance(hidden, list) else self._hidden_by_kind()

    # ---- what is shown

    def _state_now(self) -> AuthorState:
        said = (self.sentence,) if self.sentence else tuple(self._faults())
        changed = self._task != self._before or self._lesson != self._lesson_before
        changed = changed or self._title != self.session.title
        return AuthorState(
            rows=tuple(self._rows()),
            sentences=said,
            made_before=self._had,
            changed=changed,
            can_preview=self._now is not None,
        )

    def _faults(self) -> Iterable[str]:
        """Sentences on what is wrong with the task; none for a misprint that is only begun."""
        if self.kind == MISPRINT and "want" not in self._task:
            return []
        stages = _alone(self._with_task(self._task))
        problems = faults(Session(stages, extra={"lesson": self._lesson}))
        return [fault.sentence for fault in problems]

    def _rows(self) -> Iterator[AuthorRow]:
        kind, task = self.kind, self._task
        question = self._now
        yield AuthorRow("kind", RowKind.CHOICE, "Kind", f"{kind}: {ABOUT.get(kind, '')}")
        yield from self._about_rows()
        yield AuthorRow("phase", RowKind.CHOICE, "Phase", task.get("phase", ""), empty="none is said")
        if kind == LEVEL:
            yield AuthorRow("title", RowKind.TEXT, "Title", self._text_of("title"), empty=self._experiment.name)
        own = question.prompt if question is not None and "say" not in task else "what is asked"
        yield AuthorRow("say", RowKind.TEXT, "Say", self._text_of("say"), empty=own)
        for k, hint in enumerate([*self._listed("hints"), ""][:MOST_HINTS]):
            yield AuthorRow(f"hint.{k}", RowKind.TEXT, f"Hint {k + 1}", self._text(hint), empty="the program's own")
        last = "learn" if kind == LEVEL else "then"
        yield AuthorRow(last, RowKind.TEXT, "Afterwards", self._text_of(last), empty="what is said once it is answered")
        spoken = self._listed("speaker")
        for k, text in enumerate([*spoken, ""][: max(MOST_SPOKEN, len(spoken))]):
            label = f"Speaker {k + 1}" if k else "Speaker"
            yield AuthorRow(f"speaker.{k}", RowKind.TEXT, label, self._text(text), empty="what only the speaker reads")
        if self._rules or task.get("wrong"):
            yield AuthorRow("rules", RowKind.HEAD, "Wrong rules that differ here, and what their holders answer")
            yield from self._rule_rows()
        if kind not in (LEVEL, MISPRINT):
            whose = "as you say" if "hide" in task else "as the kind does"
            yield AuthorRow("hidden", RowKind.HEAD, f"Hidden while the question is open, {whose}")
            hidden = self._hidden()
            for path in self._paths_to_hide():
                yield AuthorRow(f"hide.{path}", RowKind.TICK, path, ticked=path in hidden)
        yield AuthorRow("lesson", RowKind.HEAD, "The lesson")
        yield AuthorRow("lesson.title", RowKind.TEXT, "Title", self._lesson_title, empty="of the lesson")
        goal = self._text(self._lesson.get("goal", ""))
        yield AuthorRow("lesson.goal", RowKind.TEXT, "Goal", goal, empty="what somebody can do afterwards")
        for key, label, about in LESSON_NUMBERS:
            number = self._lesson.get(key)
            text = "" if number is None else str(number)
            yield AuthorRow(f"lesson.{key}", RowKind.TEXT, label, text, empty=f"{NUMBERS[key][0]}: {about}")

    def _about_rows(self) -> Iterator[AuthorRow]:
        kind, ask, task = self.kind, self._ask, self._task
        if kind in ELEMENT | WHOLE:
            yield AuthorRow("about", RowKind.ACT, "About", self._ask_in_words(ask), empty="the whole output")
        elif kind == "blank":
            yield AuthorRow("field", RowKind.CHOICE, "Field", str(ask.get("field", "")))
        elif kind == MISPRINT:
            marked = (f"{'*' * (choice == task.get('want'))}{self._text(choice)}" for choice in ask.get("choices", []))
            yield AuthorRow(
                "choices", RowKind.TEXT, "Choices", " | ".join(marked), empty="*the misprint | another | another"
            )

    def _rule_rows(self) -> Iterator[AuthorRow]:
        wrong = self._task.get("wrong", {})
        names = {rule.id: rule.name for rule in self._subject.rules}
        others = {id_: NO_OTHERWISE for id_ in wrong if id_ not in self._rules}
        for id_, answer in {**self._rules, **others}.items():
            label = f"{id_} {names[id_]}" if id_ in names else ANY_OTHER
            yield AuthorRow(f"rule.{id_}", RowKind.TICK, label, answer, ticked=id_ in wrong)
            if id_ in wrong:
                yield AuthorRow(f"wrong.{id_}", RowKind.TEXT, "Say", self._text(wrong[id_]))

    def _ask_in_words(self, ask: Mapping[str, Any]) -> str:
        """The element, row or output that is asked about; "" for the whole output."""
        desc = self._subject.desc
        parts, key = (desc.inputs, "tensor") if _asks_of_inputs(self.kind) else (desc.outputs, "output")
        n, index = ask.get(key, 0), ask.get("at", ask.get("row"))
        if n >= len(parts) or (index is None and key not in ask):
            return ""
        return f"{parts[n].path}{brackets(index) if index else ''}"

    def _text_of(self, key: str) -> str:
        """What the task says under a key; "" for nothing."""
        return self._text(self._task.get(key, ""))

    def _text(self, text: Any) -> str:
        """A text of a file, as it is read; "" for what is none."""
        said = shown_texts(text)
        return said if isinstance(said, str) else ""

    # ---- what comes of it

    def finished(self) -> Session:
        """The session with the task, and with what was written of the lesson, which has an id from now on.

        Raises TaskError for a task that can't be asked.
        """
        task = dict(self._task)
        if not task.get("id"):
            own = self._implied_id(self.number) if self._had else self._free_id()
            task = {"id": own, **_without(task, "id")}
        one = self._with_task(task)
        own_task = task_of(one)
        if own_task is not None:
            question_of(one, own_task)
        return self._with_ids(one)

    def removed(self) -> Session:
        """The session without the experiment's task; without any task a lesson's id alone goes, too."""
        one = self._experiment
        bare = dataclasses.replace(one, extra=_without(one.extra, "task"))
        others = (other for k, other in enumerate(self.session.experiments) if k != self.number)
        if any("task" in other.extra for other in others):
            return self._with_ids(bare)
        return self._session_with(bare, {} if self._lesson.keys() == {"id"} else self._lesson)

    def _with_ids(self, one: Experiment) -> Session:
        """The session with the experiment, and with ids for lesson and tasks that earlier answers still belong to."""
        if self._lesson.get("id"):
            return self._session_with(one, self._lesson)
        name = self._name or f"{self._slug or 'lesson'}-{self._token}"
        session = self._session_with(one, {"id": name, **_without(self._lesson, "id")})
        for k, other in enumerate(session.experiments):
            task = other.extra.get("task")
            if isinstance(task, dict) and not task.get("id"):
                named = {"id": self._implied_id(k), **_without(task, "id")}
                session = session.with_experiment(k, dataclasses.replace(other, extra={**other.extra, "task": named}))
        return session

    def _implied_id(self, k: int) -> str:
        """The id under which answers to the task of experiment `k` are kept while it says none."""
        return f"{self._known.id if self._known is not None else 'lesson'}.{k + 1}"

    def _session_with(self, one: Experiment, lesson: Json) -> Session:
        """The session with the experiment, the title and the lesson; an empty one is left out."""
        session = dataclasses.replace(self.session.with_experiment(self.number, one), title=self._title)
        extra = dict(session.extra)
        if lesson != self._lesson_before:
            extra = {**_without(extra, "lesson"), **({"lesson": lesson} if lesson else {})}
        return dataclasses.replace(session, extra=extra)

    def preview(self) -> tuple[Lesson, Experiment]:
        """The task as a lesson of one step, for whoever wants to see it as a student does. Raises TaskError."""
        experiment = self.finished()
        one = Session(_alone(experiment.experiments[self.number]), experiment.title, extra=experiment.extra)
        lesson = lesson_of(one)
        assert lesson is not None
        return replace(lesson, exit=0, steps=lesson.steps[-1:]), one.experiments[-1]

    @property
    def _lesson_title(self) -> str:
        return self._title or self._text(self._lesson.get("title", ""))

    @property
    def _slug(self) -> str:
        """The title as ids have it: `rows-by-index`."""
        return re.sub(r"[^a-z0-9]+", "-", self._lesson_title.lower()).strip("-")

    def _free_id(self) -> str:
        """An id that no other task of the session has: `rows-by-index.2`."""
        name = self._slug or "task"
        tasks = (one.extra.get("task") for one in self.session.experiments)
        taken = {task.get("id") for task in tasks if isinstance(task, dict)}
        numbers = range(self.number + 1, self.number + 2 + len(self.session.experiments) * 2)
        return next(id_ for n in numbers if (id_ := f"{name}.{n}") not in taken)


def _without(record: Mapping[str, Any], *keys: str) -> Json:
    """A copy of a record without some keys."""
    return {key: held for key, held in record.items() if key not in keys}


def answer_text(question: Question, answer: Any) -> str:
    """An answer in a few words, for whoever chooses among wrong ones."""
    given = question.kind.form.json(answer)
    desc = question.subject.desc
    if given is None:
        return "none"
    if isinstance(given, bool):
        return "yes" if given else "no"
    if isinstance(given, dict):
        return _cell_path(desc, given) if "index" in given else "another desc"
    if isinstance(given, list):
        if not given:
            return "the desc is valid" if question.kind.name == "valid" else "none"
        if isinstance(given[0], dict):
            return _cut(" ".join(_cell_path(desc, cell) for cell in given))
        if isinstance(given[0], list):
            return _cut(" ".join(braces(sizes) for sizes in given))
        return _cut(" ".join(map(shown, given)))
    text = next((choice.text for choice in question.choices if choice.id == given), "")
    return _cut(text or shown(given))


def _cell_path(desc: Desc, cell: Mapping[str, Any]) -> str:
    """`OutputTensor[0,1]` for a cell as answers have it in JSON."""
    place = Place("output" in cell, cell.get("output", cell.get("tensor")))
    parts = desc.outputs if place.is_output else desc.inputs
    return f"{parts[place.number].path}{brackets(cell['index'])}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _paths_of(desc: Desc) -> Sequence[str]:
    """The paths of a desc that can be hidden: outputs and their sizes, then inputs, then numbers."""
    outputs = [field.name for field in desc.TENSORS if field.role is Role.OUTPUT]
    inputs = [field.name for field in desc.TENSORS if field.role is not Role.OUTPUT]
    return [*(path for name in outputs for path in (name, f"{name}.Sizes")), *inputs, *desc.attributes]


def _alone(one: Experiment) -> tuple[Experiment, ...]:
    """An experiment, behind all that it reads by wires, which has no tasks."""
    *before, end = one.stages
    return (*(dataclasses.replace(stage, extra={}) for stage in before), end)
