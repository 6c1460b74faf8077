"""A task as its author writes it: JSON that is begun for a kind, read while it is typed, and what is wrong with it."""

from __future__ import annotations

import dataclasses
import math
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ...desc.fields import Role
from ...desc.value_sources import nest
from ...errors import DmlvizError, TaskError, quote
from ...formats.json_places import json_places
from ...formats.json_text import escaped, json_line, laid_out, parse_json
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...session.writing import dump_desc
from ...teaching.kinds.lib.asking import kinds
from ...teaching.kinds.whole_descs import LEVEL, MISPRINT
from ...teaching.lessons.lessons import About, Lesson, faults, lesson_of
from ...teaching.levels.level import OPERATOR, Level
from ...teaching.questions.question import At, Question
from ...teaching.questions.subject import Subject
from ...teaching.tasks.changed_descs import Change, changed, differing, read, steering_of
from ...teaching.tasks.tasks import AuthoredQuestion, question_of, task_of

Json = dict[str, Any]
KEPT = ("id", "say", "wrong", "hints", "speaker", "then", "learn")
"""What stays of a task that becomes one of another kind: an author's words."""
USUAL = asdict(About())
LINES = ["a line that is misprinted", "a line that is right"]


class Offer(Struct, frozen=True):
    """A kind of question, or a misconception that differs here."""

    id: str
    text: str
    can: bool = True


class TaskDraft:
    """The task of one experiment, and what is said of its lesson: `text`, and what follows from it."""

    def __init__(self, session: Session, number: int, cursor: Cursor | None = None) -> None:
        """`cursor` is the element that is looked at, for kinds that ask about one."""
        self._session = session
        self._number = number
        self._cursor = cursor
        self._experiment = session.experiments[number]
        known = lesson_of(session)
        written = session.extra.get("lesson")
        task = self._experiment.extra.get("task")
        said = {key: held for key, held in written.items() if held != ""} if isinstance(written, dict) else {}
        name = (known.name if known is not None else "") or f"{_slug(session.title, 'lesson')}-{secrets.token_hex(4)}"
        self._lesson: Json = {**USUAL, "id": name, **said}
        self._lesson["title"] = session.title or self._lesson["title"]
        self.kinds = sorted(self._offered_kinds(), key=lambda offer: not offer.can)
        begun = self._begun(self.kinds[0].id) if task is None else task
        self.read(self._text(self._whole(begun if isinstance(begun, dict) else {})))

    def begun(self, kind: str) -> str:
        """The text for a task of a kind, about the cursor's element where it can be. Raises DmlvizError."""
        if self.question is not None and self.question.kind.name == kind:
            return self.text
        kept = {key: self._task[key] for key in KEPT if self._task.get(key)}
        return self._text(self._whole({**self._begun(kind), **kept}))

    def _begun(self, name: str) -> Json:
        """What a task of a kind asks. Raises DmlvizError for one that can't be asked here."""
        if name == LEVEL.name:
            return {"kind": name, "solutions": [self._solution()]}
        if name == MISPRINT.name:
            return {"ask": {"kind": name, "choices": LINES}, "want": LINES[0]}
        plain = self._asked({"kind": name})
        index = self._cursor.index if self._cursor is not None else ()
        if self._cursor is not None and self._cursor.place.is_output is not kinds()[name].of_inputs:
            for near in (index, index[:-1], ()):  # an element, a row or a tensor
                at = At(self._cursor.place, tuple(near))
                asked = self._asked({"kind": name, **_json_of(at)})
                if asked is not None and asked.at == at and (asked.answers or plain is None or not plain.answers):
                    return {"ask": {"kind": name, **_json_of(at)}}
        if plain is None:
            raise TaskError(f"{name} can't be asked here: it needs {kinds()[name].lacks(Subject(self._experiment))}.")
        field = {"field": plain.blank} if plain.blank else {}
        return {"ask": {"kind": name, **field, **(_json_of(plain.at) if plain.at is not None else {})}}

    def _solution(self) -> Json:
        desc = self._experiment.desc
        written = dump_desc(desc)
        outputs = [field for field in desc.TENSORS if field.role is Role.OUTPUT]
        fields = {name: written[name] for name in desc.attributes}
        fields |= {field.name: written[field.name] if field.many else None for field in outputs}
        return {"desc": fields, "values": {path: [*n] for path, n in steering_of(self._experiment).items()}}

    def _filled(self, task: Json) -> Json:
        if task.get("kind") != LEVEL.name or not isinstance(task.get("solutions"), list):
            return task
        start, where = self._experiment, "task.solutions[0]"
        end = changed(start, read([*task["solutions"], {}][0], Change, where), where)
        if not end.check().ok:
            raise TaskError(f"{where} isn't valid, expected a desc that makes outputs.")
        truth = Subject(end).truth
        held = iter(truth.value.values())
        goal = [{"Sizes": [*n], "values": nest([next(held) for _ in range(math.prod(n))], n)} for n in truth.sizes]
        paths = differing(start, end) if start.desc.TYPE == end.desc.TYPE else [OPERATOR]
        task = {"goal": goal, "may_change": [*dict.fromkeys(re.sub(r"\[\d+\]", "", path) for path in paths)], **task}
        own = task_of(self._with(task))
        return {"par": Level(start, own).numbers_changed(end), **task} if own is not None else task

    def _whole(self, own: Json) -> Json:
        is_level = own.get("kind") == LEVEL.name
        more: Json = {"phase": "make", "learn": ""} if is_level else {"phase": "predict", "then": ""}
        with suppress(DmlvizError):
            more |= {} if is_level else {"hide": sorted(self._question(own).hidden)}
        id_ = f"{_slug(self._session.title, 'task')}.{_slug(self._experiment.name, str(self._number + 1))}"
        return {"id": id_, "phase": "", **own, "say": "", "hints": [], "wrong": {}, **more, **own}

    def _text(self, task: Json) -> str:
        blocks = []
        for name, members in (("task", task), ("lesson", self._lesson)):
            lines = ",\n".join(f"    {json_line(key)}: {laid_out(held, 2)}" for key, held in members.items())
            blocks.append(f'  "{name}": {{\n{lines}\n  }}')
        return escaped("{\n" + ",\n".join(blocks) + "\n}")

    def read(self, text: str) -> None:
        """Takes what is typed; without any text, the task is taken out."""
        self.text, self._task = text, dict[str, Any]()
        self.question: AuthoredQuestion | None = None
        """What is asked; None where that can't be."""
        self.faults: list[str] = []
        """What is wrong with it, a sentence each, with its line where it has one."""
        try:
            members = parse_json(text) if text.strip() else {"lesson": self._lesson}
            read(members, Json, "the text")
            if unknown := members.keys() - {"lesson", "task"}:
                raise TaskError(f"the text has {quote(min(unknown))}, expected task and lesson.")
            lesson = members.get("lesson", {})
            task = members.get("task", {})
            read(lesson, About, "lesson")
            read(task, Json, "task")
            self._lesson, self._task = lesson, task
            task = self._settled()
            self.faults = [self._with_line(fault.sentence) for fault in faults(self._alone(task))]
            self.question = self._question(task) if task else None
        except DmlvizError as error:
            self.faults = self.faults or [self._with_line(str(error))]

    def _with(self, task: Json) -> Experiment:
        extra = {key: held for key, held in self._experiment.extra.items() if key != "task"}
        return dataclasses.replace(self._experiment, extra={**extra, "task": task} if task else extra)

    def _question(self, task: Json) -> AuthoredQuestion:
        one = self._with(task)
        own = task_of(one)
        assert own is not None
        return question_of(one, own)

    def _asked(self, ask: Json) -> AuthoredQuestion | None:
        with suppress(DmlvizError):
            return self._question({"ask": ask})
        return None

    def _offered_kinds(self) -> Iterator[Offer]:
        for name, kind in kinds().items():
            if kind.of_chains and not self._experiment.is_wired:
                continue
            try:
                yield Offer(name, self._question(self._filled(self._begun(name))).prompt)
            except DmlvizError:
                yield Offer(name, f"needs {kind.lacks(Subject(self._experiment))}", can=False)

    def _settled(self) -> Json:
        said = {key: held for key, held in self._task.items() if held not in ("", {}, []) or key == "hide"}
        task = self._filled(said)
        own = {key: held for key, held in task.items() if key != "hide"}
        return own if "hide" in task and task["hide"] == sorted(self._question(own).hidden) else task

    def _alone(self, task: Json) -> Session:
        *before, end = self._with(task).stages
        stages = (*(dataclasses.replace(stage, extra={}) for stage in before), end)
        return Session(stages, self._session.title, extra={"lesson": self._lesson})

    def _with_line(self, sentence: str) -> str:
        path, _, _ = sentence.partition(" ")
        is_named = path.startswith(("task", "lesson"))
        places = json_places(f'{{"": [{self.text}]}}').get("//0", {}) if is_named else {}
        while path and path not in places:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return f"line {places[path].line}: {sentence}" if path else sentence

    @property
    def rules(self) -> list[Offer]:
        """The misconceptions whose holders answer otherwise, and what."""
        if self.question is None:
            return []
        its = self.question
        return [Offer(id_, f"{its.rule(id_).name}: answers {_answer_text(its, id_)}") for id_ in its.answers]

    def with_rule(self, rule: str) -> str:
        """The text with what is said to the holders of a rule; without it where it has that."""
        assert self.question is not None
        words: Json = dict(self._task.get("wrong", {}))
        if words.pop(rule, None) is None:
            words[rule] = self.question.rule(rule).says(self.question.subject.desc)
        return self._text({**self._task, "wrong": words})

    def finished(self) -> Session:
        """The session with the task, or without it, and with what was written of the lesson. Raises DmlvizError."""
        if self.faults and self.question is None:
            raise TaskError(self.faults[0])
        task = self._settled() if self._task else {}
        experiments = [*self._session.experiments]
        experiments[self._number] = self._with(task)
        title = self._lesson.get("title", "")
        known = {key: held for key, held in self._lesson.items() if key != "title" and held not in ("", USUAL.get(key))}
        extra = {key: held for key, held in self._session.extra.items() if key != "lesson"}
        if task or known.keys() - {"id"} or any("task" in one.extra for one in experiments):
            extra["lesson"] = known
        return dataclasses.replace(self._session, experiments=tuple(experiments), title=title, extra=extra)

    def preview(self) -> tuple[Lesson, Experiment]:
        """The task as a lesson of one step. Raises DmlvizError."""
        self.finished()
        session = self._alone(self._settled())
        lesson = lesson_of(session)
        assert lesson is not None
        return replace(lesson, exit=0, steps=lesson.steps[-1:]), session.experiments[-1]


def _slug(title: str, untitled: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or untitled


def _json_of(at: At) -> Json:
    return {"output" if at.place.is_output else "tensor": at.place.number} | ({"at": [*at.index]} if at.index else {})


def _answer_text(question: Question, rule: str) -> str:
    answer = question.answers[rule]
    chosen = next((choice.text for choice in question.choices if choice.id == answer), "")
    return chosen or json_line(question.kind.form.json(answer))
