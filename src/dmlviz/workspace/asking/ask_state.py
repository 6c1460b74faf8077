"""What the screen of a question shows at one moment: frozen values."""

from __future__ import annotations

from ...desc.fields import Role
from ...teaching.questions.question import Form, Question, Reply
from ..lessons.lesson import LessonState
from ..shown.state import PicturedState
from .answering import Answering
from .asked_desc import FieldState, TableState


class AskState(PicturedState, frozen=True, kw_only=True):
    """All that the screen shows of a question. Nothing in it tells the answer while `open`."""

    question: Question
    answer: Answering
    """As it was at that moment."""
    form: Form
    """How it is answered here: a desc that mends another is chosen among edits."""
    open: bool
    verdict: Reply | None
    """None where the question was skipped, too."""
    # ---- the desc
    in_picture: bool
    """False where plain tables and lists stand in the picture's place."""
    fields: tuple[FieldState, ...]
    tables: tuple[TableState, ...]
    moves: bool
    """Arrows move something."""
    steps: bool
    """The picture can be shown step by step."""
    # ---- what is told
    hints: int
    """Rungs that were taken, 0 to 4."""
    hint: str
    sentences: tuple[str, ...]
    """After the reveal: what came of the answer, line by line."""
    next: str
    """What enter asks next."""
    answered: tuple[int, int]
    """(right, answers) since the screen was opened."""
    lesson: LessonState | None = None
    """The lesson that it is a step of; None for none."""
    introduced: tuple[str, ...] = ()
    """Sentences on the terms that it is the first to have."""

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
        parts += [option.text for option in self.answer.options] + [self.answer.sentence, self.hint]
        return "\n".join((self.question.prompt, *parts, *self.sentences))
