"""What the screen of a question shows at one moment: frozen values."""

from __future__ import annotations

from msgspec import Struct

from ...desc.fields import Role
from ...teaching.kinds.lib.forms import CHOICE
from ...teaching.questions.question import Form, Question, Reply
from ...teaching.questions.question import Picture as Drawn
from ..lessons.lesson import LessonState
from ..shown.state import PicturedState


class Option(Struct, frozen=True):
    """One of several that are chosen or marked."""

    id: str
    text: str
    picture: Drawn | None = None
    chosen: bool = False
    """It is the answer so far, or a part of it."""
    at: bool = False
    """The cursor is on it."""
    verdict: str = ""
    """After the reveal: "right", "wrong" or "missed"; empty for what is neither chosen nor true."""


class FieldState(Struct, frozen=True):
    """One of the desc's numbers."""

    path: str
    text: str
    """What it holds; what is typed so far where it is blank."""
    blank: bool = False
    lit: bool = False
    """It is where to look."""


class TableState(Struct, frozen=True):
    """A tensor as a plain table, without colours that would tell."""

    title: str
    sizes: tuple[int, ...]
    values: tuple[str, ...]
    is_output: bool = False


class AskState(PicturedState, frozen=True, kw_only=True):
    """All that the screen shows of a question. Nothing in it tells the answer while `open`."""

    question: Question
    form: Form = CHOICE
    """How it is answered here: a desc that mends another is chosen among edits."""
    open: bool = True
    # ---- the desc
    in_picture: bool = True
    """False where plain tables and lists stand in the picture's place."""
    fields: tuple[FieldState, ...] = ()
    tables: tuple[TableState, ...] = ()
    moves: bool = False
    """Arrows move something."""
    steps: bool = False
    """The picture can be shown step by step."""
    formula: bool = False
    """The formula of the cursor's element stands below the picture."""
    # ---- the answer so far
    slots: tuple[str, ...] = ()
    """What is typed: one text, or one for each cell."""
    slot: int = 0
    options: tuple[Option, ...] = ()
    pointed: str = ""
    """Where elements are pointed at or marked, `?` while none is; "" where neither is done."""
    none: Option | None = None
    """That no element is to be marked, or that one comes from nowhere; None where neither can be answered."""
    sentence: str = ""
    """Why it can't be taken; empty where there is nothing to say."""
    # ---- what is told
    hint: str = ""
    hints: int = 0
    """Rungs that were taken, 0 to 4."""
    verdict: Reply | None = None
    """After the reveal; None where the question was skipped, too."""
    sentences: tuple[str, ...] = ()
    """After the reveal: what came of the answer, line by line."""
    next: str = ""
    """What enter asks next."""
    answered: tuple[int, int] = (0, 0)
    """(right, answers) since the screen was opened."""
    lesson: LessonState | None = None
    """The lesson that it is a step of; None for none."""
    introduced: tuple[str, ...] = ()
    """Sentences on the terms that it is the first to have."""

    @property
    def begun(self) -> bool:
        """True once something is typed into the present slot."""
        return bool(self.slots) and bool(self.slots[self.slot])

    @property
    def words(self) -> str:
        """What is read of it, but for the cells of its picture."""
        subject = self.question.subject
        desc = subject.desc
        parts = [part.path for part in desc.parts] if self.in_picture else []
        if self.in_picture and not self.open:
            data = sum(part.tensor.element_count for part in desc.inputs if part.field.role is Role.DATA)
            if subject.operator.reads_vary or sum(part.tensor.element_count for part in desc.outputs) > data:
                parts.append("×2")  # how often elements are read is told with the answer
        marks = self.lesson.marks if self.lesson is not None else ()
        parts += [sign for mark, sign in (("missed", "▣"), ("begun", "▣"), ("looked up", "◧")) if mark in marks]
        parts += [field.path for field in self.fields] + [table.title for table in self.tables]
        parts += [option.text for option in self.options] + [self.sentence, self.hint]
        return "\n".join((self.question.prompt, *parts, *self.sentences))
