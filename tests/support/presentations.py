"""Presentations without a screen, and a clock for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dmlviz.scene.spans import Line, length
from dmlviz.session import examples
from dmlviz.session.class_status import ClassStatus
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.widgets.boards.presented_lines import notes_lines, wall_forms, wall_head
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.wall_desk import WallDesk, WallState
from support.answering import Clock

Q, P, R = Build.QUESTION, Build.PLAY, Build.REVEAL
CLASS = ClassStatus(
    code="K7QM4XT",
    address="http://192.168.178.123:8765",
    title="Rows by index",
    tasks=8,
    joined=28,
    asked=True,
)
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"


def session_of(*names: str) -> Session:
    """The experiments of examples, as one session."""
    return Session(tuple(each for name in names for each in examples.example(name).session().experiments[:1]))


def desk_of(session: Session, time: Clock | None = None, kept: StateFile | None = None) -> WallDesk:
    """The wall of a session, with the speaker's notes, in a room of a usual size."""
    made = WallDesk(session, time or Clock(0), kept=kept)
    made.has_notes = True
    made.fit(Room(100, 24))
    return made


def presented(*names: str, kept: StateFile | None = None, time: Clock | None = None) -> WallDesk:
    return desk_of(session_of(*names), time, kept)


def stand(made: WallDesk) -> tuple[int, Build]:
    return made.shared.experiment + 1, made.shared.build


def does(made: WallDesk, *acts: str) -> WallState:
    """What is shown after some acts that take nothing."""
    for act in acts:
        getattr(made, act)()
    return made.state


def type_number(made: WallDesk, *keys: str) -> WallState:
    for key in keys:
        made.type_number(key)
    return made.state


def count(made: WallDesk, letter: str, number: int) -> None:
    type_number(made, letter, *str(number))
    made.enter()


def two(tmp_path: Path, *names: str, time: Clock) -> Callable[[], WallDesk]:
    return lambda: presented(*names, kept=StateFile("/a/lesson.json", tmp_path), time=time)


def tell(made: WallDesk, **more: Any) -> WallDesk:
    """Has phones tell how a class stands, of the question that is on the wall."""
    of: dict[str, Any] = {"question": made.question_key(made.shared.experiment), "vote": made.shared.vote}
    made.hear(replace(CLASS, **of | more))
    return made


def text(lines: Sequence[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def on_wall(state: WallState) -> str:
    """All that is written on the wall, in any room."""
    forms = [lines for lines, _ in wall_forms(replace(state, notes=None), 400)]
    return text([*wall_head(state, 400), *(line for lines in forms for line in lines)])


def notes_text(made: WallDesk, width: int = 120) -> str:
    lines = notes_lines(made.state, width, 60)
    assert all(length(line) <= width for line in lines)
    return text(lines)
