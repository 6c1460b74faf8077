"""A session in front of a class, without a screen: each method is one thing that a speaker does.

What is on the wall follows from `Presented` alone, which the wall and the speaker's screen share by a file.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from msgspec.structs import replace

from ...errors import DmlvizError, SessionError, plain
from ...operators.registry import operator_of
from ...scene.elements.cursor import Cursor
from ...session.class_status import ClassStatus
from ...session.experiments import Session
from ...session.presentation_state import EXAMPLE, Build, Counts, Presented, StateFile
from ...session.writing import dump
from ...teaching.asked import task_of
from ...teaching.lessons.lessons import lesson_of, steps_of
from ...teaching.tasks.own_tasks import with_own_tasks
from ..asking.ask_state import AskState, FieldState, Option
from ..asking.asked_desc import fields_of, tables_of
from ..shown.picture import Picture, Room
from ..shown.state import PictureState
from .presented_item import Item, item_of
from .room import ENOUGH, ClassRoom
from .votes import Counted, Vote, advice, commonest_rule, counted_hands, counted_said
from .wall_picture import WallPicture, seconds_of
from .wall_state import Heading, NotesState, WallDesc, WallHands, WallState

RULES = frozenset({"rules", "levels", "feature_level"})
"""What is hidden where an author hides whether a desc is valid."""
KEPT = 1.0
"""Seconds after which the step that plays is kept: whoever is killed goes on there."""
MOST_HANDS = 3
"""Digits of a number of hands, or of an experiment."""
SECONDS = 120
"""Of the timer: as long as neighbours are to talk."""
LONGEST = 12 * 3600.0
"""Seconds after which a presentation begins anew: by then it is another lesson."""
OTHER_SESSION = "The other screen has opened another version of this session: end both, and begin them again."
Given = ParamSpec("Given")


def _done_in_turn(
    act: Callable[Concatenate[Presenting, Given], None],
) -> Callable[Concatenate[Presenting, Given], WallState]:
    """Has what the other screen did come first, and gives the wall's state."""

    @functools.wraps(act)
    def done(self: Presenting, /, *args: Given.args, **kwargs: Given.kwargs) -> WallState:
        self.follow()
        act(self, *args, **kwargs)
        return self.state

    return done


class Presenting:
    """Presents a session. No clock but the one it is given."""

    def __init__(
        self, session: Session, now: Callable[[], float], *, kept: StateFile | None = None, begins: int | None = None
    ) -> None:
        """`now` gives seconds since 1970. `kept` is the file that another screen follows; None for none.

        It goes on where `kept` says, or at experiment `begins`.
        """
        self.session, self._now, self._kept = session, now, kept
        self.both = False
        """The speaker's screen is below the wall."""
        lesson = lesson_of(session)
        self._seed = lesson.seed if lesson is not None else 0
        self._planned = minutes(60 * lesson.minutes) if lesson is not None else ""
        title = lesson.title if lesson is not None else session.title
        # Without a lesson of its own a session's title may tell what a task asks.
        self._lesson = plain(title, 60) if "lesson" in session.extra else ""
        self._title = plain(os.path.basename(kept.name).removeprefix(EXAMPLE) if kept is not None else title, 40)
        self._steps = steps_of(with_own_tasks(session))
        self._items: dict[int, Item] = {}
        self._questions: dict[int, str] = {}
        self._digest = _digest_of(session)
        self._sentence = self._trouble = self._differs = ""
        self._has_told = False
        """The other screen, which has another session, was told of this one."""
        self._tells_trouble = False
        """The wall says that nothing is kept: once, while the speaker's screen goes on saying it."""
        self._typing = ("", "")
        self._flip = 0
        self._times: tuple[str, ...] = ()
        self._has_heard = False
        """The phones stand otherwise than the screen shows."""
        self._leaves = ""
        self._step_kept = now()
        self._begin(begins)

    def _begin(self, begins: int | None) -> None:
        """Goes on where the presentation stands, or begins at experiment `begins`, or 0."""
        time = self._now()
        shared = self._kept.read() if self._kept is not None else None
        self._sentence = self._kept.problem if self._kept is not None else ""
        fresh = shared is None or time - shared.changed > LONGEST
        self.shared = self._fitting(Presented(began=time, changed=time) if fresh or shared is None else shared)
        if begins is not None and begins != self.shared.experiment:
            self.shared = replace(self.shared, **self._changes_to(begins, Build.QUESTION), changed=time)
        self._opened = self.shared.changed
        """When the question was opened, in the present vote."""
        self.wall = WallPicture(self._now, self.item, self.shared)
        self._keep()  # the other screen compares what session is open here with its own

    # ---- what is presented

    @property
    def count(self) -> int:
        """How many experiments there are."""
        return len(self.session.experiments)

    @property
    def item(self) -> Item:
        """The experiment that is on the wall."""
        return self._item_of(self.shared)

    def _item_of(self, shared: Presented) -> Item:
        """The experiment that a shared state is at; after the reveal, with its answer beside the steps."""
        item = self.item_at(shared.experiment)
        return item.after_reveal if shared.told and shared.build is Build.PLAY else item

    def item_at(self, number: int) -> Item:
        """Experiment `number`, from 0."""
        if number not in self._items:
            self._items[number] = item_of(self._steps[number], self._seed)
        return self._items[number]

    @property
    def picture(self) -> Picture:
        """What is drawn of the experiment, in the room that it has."""
        return self.wall.picture

    # ---- what a speaker does

    @_done_in_turn
    def forward(self) -> None:
        """Page down: the next build, or the next experiment; a black wall is lit first."""
        shared, builds = self.shared, self.item.builds
        left = () if self.item.is_told(shared.build) else builds[builds.index(shared.build) + 1 :]
        if shared.black or shared.joining:
            self._change(black=False, joining=False)
        elif left:
            self._change(**self._changes_to(shared.experiment, left[0]))
        elif shared.experiment + 1 < self.count:
            self._change(**self._changes_to(shared.experiment + 1, Build.QUESTION))
        else:
            self._sentence = self.item.say("present.at_end")

    @_done_in_turn
    def back(self) -> None:
        """Page up: the build before, or the end of the experiment before."""
        shared, builds = self.shared, self.item.builds
        if shared.black or shared.joining:
            self._change(black=False, joining=False)
        elif shared.build not in builds:  # steps that were shown after the reveal
            self._change(**self._changes_to(shared.experiment, Build.REVEAL))
        elif at := builds.index(shared.build):
            self._change(**self._changes_to(shared.experiment, builds[at - 1]))
        elif shared.experiment:
            self._change(**self._changes_to(shared.experiment - 1, Build.REVEAL))
        else:
            self._sentence = self.item.say("present.at_beginning")

    @_done_in_turn
    def go_to(self, number: int) -> None:
        """Goes to the question of experiment `number`, from 1."""
        if 1 <= number <= self.count:
            self._change(**self._changes_to(number - 1, Build.QUESTION))
        else:
            self._sentence = self.item.say("present.no_experiment", number=number, count=self.count)

    @_done_in_turn
    def reveal(self) -> None:
        """Shows the answer, the outputs and the hands."""
        self._change(**self._changes_to(self.shared.experiment, Build.REVEAL))

    @_done_in_turn
    def hide(self) -> None:
        """Hides the output, or shows it again; while the question is open, it is hidden anyhow."""
        self._change(hides=not self.shared.hides)

    @_done_in_turn
    def step(self, by: int) -> None:
        """Shows the step `by` further; not before the question has been left. After the reveal the answer stays."""
        if self._has_steps():
            is_whole = self.shared.build is Build.REVEAL
            now = self._step_now
            self._show_steps()
            self._show_step((0 if by > 0 else self.wall.count) + by if is_whole else now + by)

    @_done_in_turn
    def go_to_step(self, step: int) -> None:
        """Shows a step, as a click on the steps' line does; not before the question has been left."""
        if self._has_steps():
            self._show_steps()
            self._show_step(step)

    def _show_steps(self) -> None:
        """Shows steps where all is shown; the answer stays."""
        if self.shared.build is Build.REVEAL:
            self._change(build=Build.PLAY, step=0, playing=False, told=True)

    def _show_step(self, step: int) -> None:
        self._change(step=min(max(step, 0), self.wall.count), playing=False)

    @_done_in_turn
    def play(self) -> None:
        """Plays the steps, or stops; not before the question has been left. After the reveal the answer stays."""
        if not self._has_steps():
            pass
        elif self.shared.build is Build.REVEAL:
            self._change(**self._changes_to(self.shared.experiment, Build.PLAY) | {"told": True})
        else:
            self._change(step=self.wall.step, playing=not self.shared.playing or self.wall.still)

    def _has_steps(self) -> bool:
        """True if steps can be shown; else it says why not."""
        if self.shared.build is Build.QUESTION:
            self._sentence = self.item.say("present.steps_later")
        elif not self.item.view_at(self.shared.build).live:
            self._sentence = self.item.say("present.no_steps")
        else:
            return True
        return False

    @_done_in_turn
    def memory(self) -> None:
        """Shows linear memory below the picture, or hides it; not while it would tell what is asked."""
        if not self.wall.is_drawn or not self.picture.is_live:
            self._sentence = self.item.say("present.no_memory")
        elif not self.picture.tells_memory:
            self._sentence = self.item.say("present.memory_later")
        else:
            picture = self.picture  # the speaker's screen has no room for one, and knows what is wanted alone
            wanted = picture.wants_memory if picture.memory is None else picture.memory
            shown = picture.shows_memory if picture.is_fitted else wanted
            self._change(memory=not shown)

    @_done_in_turn
    def spotlight(self) -> None:
        """Dims all but the cursor's row and its partners, or nothing any more."""
        self._change(spotlight=not self.shared.spotlight)

    @_done_in_turn
    def black(self) -> None:
        """Shows nothing at all, or all again."""
        self._change(black=not self.shared.black)

    @_done_in_turn
    def turn_timer(self) -> None:
        """Starts the timer, or takes it away."""
        self._change(timer=self._now() + SECONDS if self.shared.timer is None else None)

    @_done_in_turn
    def second_vote(self) -> None:
        """Opens the second vote; where that isn't told yet, the first one again."""
        n, shared = self.shared.experiment, self.shared
        if not (self.item.answers or self._is_asked):
            self._sentence = self.item.say("present.nothing_to_count")
        elif (n, 1 - shared.vote) in shared.revealed:
            self._sentence = self.item.say("present.vote_told")
        else:
            self._change(**self._changes_to(n, Build.QUESTION) | {"vote": 1 - shared.vote})

    @_done_in_turn
    def show_code(self) -> None:
        """Shows how phones join, or the question again."""
        if self.live is not None:
            self._change(joining=not self.shared.joining)

    @_done_in_turn
    def clean(self) -> None:
        """Begins anew, once that is asked for twice: at the first experiment, without hands, at time 0."""
        wipes = self.item.say("present.wipes")
        if self._sentence != wipes:
            self._sentence = wipes
            return
        self._sentence, self._tells_trouble = "", False
        self._begin_anew()

    def _begin_anew(self) -> None:
        now, shared, self._typing = self._now(), self.shared, ("", "")
        self._set(Presented(began=now, changed=now, room=shared.room, code=shared.code, port=shared.port))

    def show_both(self) -> WallState:
        """Shows the speaker's screen below the wall, or the wall alone."""
        self.both = not self.both
        return self.state

    def flip(self) -> WallState:
        """Shows the next of the pictures to choose from, where there is room for one alone."""
        self._flip += 1
        return self.state

    # ---- pointing

    def move(self, rows: int, columns: int) -> WallState:
        """Moves the cursor."""
        cursor = self.picture.moved(rows, columns)
        return self.point(cursor) if cursor is not None else self.state

    def other_side(self) -> WallState:
        """Moves the cursor to the next tensor that is drawn."""
        cursor = self.picture.next_tensor_start()
        return self.point(cursor) if cursor is not None else self.state

    @_done_in_turn
    def point(self, cursor: Cursor) -> None:
        """Looks at an element, as a click does."""
        self._change(cursor=(cursor.place.is_output, cursor.place.number, cursor.index))

    # ---- numbers that are typed

    @property
    def is_typing(self) -> bool:
        """True while a number is typed: digits, enter and escape are for it."""
        return bool(self._typing[0])

    def count_hands(self, id_: str) -> WallState:
        """Begins to type the hands for an answer; what was typed for another is taken."""
        self._typing = ("", "") if self._typing[0] == "g" else self._typing
        self.enter()
        if id_ in {answer.id for answer in self.item.answers}:
            self._typing, self._sentence = (id_, ""), ""
        elif not self.item.answers:
            self._sentence = self.item.say("present.nothing_to_count")
        return self.state

    def begin_go(self) -> WallState:
        """Begins to type an experiment's number; hands that were typed are taken."""
        self.enter()
        self._typing, self._sentence = ("g", ""), ""
        return self.state

    def digit(self, digit: str) -> WallState:
        """Types a digit."""
        what, text = self._typing
        if what and len(text) < MOST_HANDS:
            self._typing = what, text + digit
        return self.state

    def erase(self) -> WallState:
        """Takes the last digit away, or gives up where there is none."""
        what, text = self._typing
        self._typing = (what, text[:-1]) if text else ("", "")
        return self.state

    def cancel(self) -> WallState:
        """Gives up what is typed."""
        self._typing = ("", "")
        return self.state

    @_done_in_turn
    def enter(self) -> None:
        """Takes what was typed."""
        what, text = self._typing
        if what == "g":
            self._typing = ("", "")
            if text:
                self.go_to(int(text))
            return
        taken = self._with_typed(self.shared)
        if taken != self.shared:
            self._set(replace(taken, step=self._step_now, changed=self._now()))

    def _with_typed(self, after: Presented) -> Presented:
        """`after` with the hands that are typed, for the answer and the vote that they were typed for."""
        (what, text), shared = self._typing, self.shared
        ids = [answer.id for answer in self.item.answers]
        if what not in ids:
            return after
        self._typing = ("", "")
        if not text:
            return after
        counts = list(after.counts(self.question_key(shared.experiment), len(ids), shared.vote))
        counts[ids.index(what)] = int(text)
        taken = replace(after, vote=shared.vote).with_hands(self.question_key(shared.experiment), tuple(counts))
        return replace(taken, vote=after.vote)

    @_done_in_turn
    def count_room(self, number: int, vote: int, counts: Counts) -> None:
        """Takes the hands of a vote on the question of experiment `number`, from 0, as a class's phones have them."""
        key = self.question_key(number)
        if self.shared.counts(key, len(counts), vote) != counts:
            taken = replace(self.shared, vote=vote).with_hands(key, counts)
            self._set(replace(taken, vote=self.shared.vote))

    # ---- time, and the other screen

    def tick(self) -> WallState | None:
        """What the time has come for, or the other screen has done; None where nothing is new."""
        followed, moved = self.follow() or self._has_heard, self.wall.tick()
        self._has_heard = False
        if moved and not self.picture.player.playing:
            self._set(replace(self.shared, step=self.wall.step, playing=False, changed=self._now()))
        elif moved and abs(self._now() - self._step_kept) >= KEPT:
            self._set(replace(self.shared, step=self.wall.step, changed=self._now()))
        if not followed and not moved and self._all_times() == self._times:
            return None
        return self.state

    def follow(self) -> bool:
        """Takes over what the other screen has done; False where it has done nothing."""
        kept = self._kept
        if kept is None or not kept.changed():
            return False
        shared = kept.read()
        if shared is None:
            if kept.problem:
                self._sentence = kept.problem
                self._keep()
            return bool(kept.problem)
        self._trouble = ""
        self._compare(shared)
        fitting = self._fitting(shared)
        self._show(fitting)
        tells = bool(self._differs) and not self._has_told
        self._has_told = bool(self._differs)
        if tells or self.shared != fitting:
            self._keep()  # how far the steps were, and what session is open here, is known here alone
        return True

    # ---- the phones of a class

    def hear(self, room: ClassStatus | None, **more: Any) -> None:
        """Takes how the phones stand; None once no class is held any more. `more` are fields of the shared state."""
        self.follow()
        after = replace(self.shared, room=room, **more)
        if after != self.shared:
            self._set(after)
            self._has_heard = True

    @property
    def live(self) -> ClassStatus | None:
        """How the class stands; None where none is held."""
        return self.shared.room

    @property
    def _is_asked(self) -> bool:
        """True if phones ask the present question."""
        live = self.live
        return live is not None and live.asked and live.question == self.question_key(self.shared.experiment)

    @property
    def _counted(self) -> tuple[Counted, ...]:
        """The present question's hands, or what phones answered where its answers have no letters."""
        if self.item.answers:
            return counted_hands(self.item.answers, (self._vote(0), self._vote(1)))
        return counted_said(self.live.said if self.live is not None and self._is_asked else ())

    @property
    def _open_for(self) -> str:
        """How long the question has been open; "" while it isn't, and without a class."""
        if self.live is None or not self.shared.is_open:
            return ""
        seconds = max(0, int(self._now() - self._opened))
        return f"{seconds // 60}:{seconds % 60:02}"

    def _class_room(self, *, wall: bool) -> ClassRoom | None:
        """What the wall, or the speaker's screen, knows of the phones."""
        live, vote = self.live, self.shared.vote
        if live is None:
            return None
        present, counted = self._is_asked and live.vote == vote, self._counted
        told = not self.item.answers and not (wall and not self.item.is_told(self.shared.build))
        status = replace(live, said=(), asked=present, answered=live.answered if present else 0)
        return ClassRoom(
            status=status,
            open_for=self._open_for,
            said=counted if told else (),
            commonest=None if wall else commonest_rule(counted, vote),
        )

    def _advice(self) -> str:
        """What the answers suggest to a speaker; "" before there are enough."""
        item, vote, live, counted = self.item, self.shared.vote, self.live, self._counted
        if live is not None and live.asked:
            enough = live.answered * ENOUGH >= live.joined
            if not (self._is_asked and live.vote == vote and enough):
                return ""
        if item.answers and not any(answer.right for answer in item.answers):
            return ""
        return advice(counted, vote)

    def may_leave(self) -> bool:
        """True if nothing ends with the wall, or it was left twice; else the wall says now what would end."""
        live = self.live
        if live is None:
            return True
        if self._leaves and self._sentence == self._leaves:
            self._begin_anew()  # what one class said is not for the next
            return True
        if self.shared.black or self.shared.joining:  # that it is said is seen
            self._change(black=False, joining=False)
        saves = int(bool(live.keeps))
        self._sentence = self._leaves = self.item.say("present.room_ends", count=live.joined, saves=saves)
        return False

    def fit(self, room: Room) -> WallState:
        """Lays the picture out for the room that it has."""
        self.wall.fit(room)
        return self.state

    # ---- what is shown

    @property
    def state(self) -> WallState:
        """The wall."""
        item, shared = self.item, self.shared
        revealed = item.is_told(shared.build)
        asks = item.question is not None or item.view.report.ok is False  # at least why it is refused
        is_open, is_untold = asks and shared.build is Build.QUESTION, asks and not revealed
        present = self._vote(shared.vote)
        self._times = self._all_times()
        question = item.question
        hides_rules = (
            is_open and question is not None and (question.kind.told_by_rules or not question.hidden.isdisjoint(RULES))
        )
        said = self._sentence or (self._trouble if self._tells_trouble else "")
        picture = self.wall.state
        desc = WallDesc(
            pictured=self.wall.is_drawn,
            fields=self._fields(),
            lines=() if self.wall.is_drawn or question is not None else item.lines,
            marked_invalid=item.view_at(shared.build).report.ok is False and not hides_rules,
            memory=self.wall.is_drawn and self.picture.is_live and self.picture.tells_memory,
        )
        hands = WallHands(
            vote=shared.vote,
            votes=(self._vote(0), self._vote(1)) if revealed else None,
            counted=tuple(answer.id for answer, n in zip(item.answers, present.counts, strict=True) if n is not None),
            total=present.total if present.is_whole else None,
        )
        return WallState(
            heading=self._heading(self._lesson, "" if is_untold else item.experiment.name),
            build=shared.build,
            item=item,
            picture=picture,
            desc=desc,
            ask=self._ask_state(picture),
            hands=hands,
            sentences=self._sentences() if revealed else (),
            black=shared.black,
            spot=self.wall.spot if shared.spotlight else (),
            typing=self._typed_on_wall,
            sentence=said,
            notes=self._notes("" if is_untold else item.experiment.name) if self.both else None,
            room=self._class_room(wall=True),
            joining=shared.joining,
        )

    def _sentences(self) -> tuple[str, ...]:
        """What the reveal tells: first, and of single answers alone, what is said to the one that most gave."""
        item, counts = self.item, self._vote(self.shared.vote).counts
        question, says = item.question, ""
        if self.live is not None and self.live.said and self._is_asked:
            says = next((f"{each.text}: {each.says}" for each in self.live.said[-1] if each.says), "")
        if question is not None and any(counts) and task_of(question).how != "edit":
            most = item.answers[max(range(len(counts)), key=lambda k: counts[k] or 0)]
            says = f"{most.id}: {question.verdict_on(most.given).says}"
        if not says:
            return item.sentences
        single = [f"{answer.id}: {answer.words}" for answer in item.answers]
        return (says, *(told for told in item.sentences if told not in single and told not in says))

    @property
    def notes(self) -> NotesState:
        """The speaker's screen."""
        return self._notes(self.item.experiment.name)

    def _notes(self, name: str) -> NotesState:
        """The speaker's screen, with the experiment's `name` in its head; on the wall that may tell an answer."""
        self._times = self._all_times()
        item, shared = self.item, self.shared
        ahead = shared.experiment + 1
        following = ""
        if ahead < self.count:
            other = self.item_at(ahead)
            following = f'{ahead + 1}, "{other.prompt}"'
        return NotesState(
            heading=self._heading(self._title, name),
            build=shared.build,
            item=item,
            votes=(self._vote(0), self._vote(1)),
            vote=shared.vote,
            advice=self._advice(),
            next=following,
            black=shared.black,
            typing=self._typed_by_speaker,
            sentence=self._sentence or self._trouble or self._differs,
            room=self._class_room(wall=False),
        )

    def _heading(self, title: str, name: str) -> Heading:
        """Where the presentation is: its title, the experiment's `name`, and the times."""
        elapsed, timer = self._clock()
        place = self.session.stage(self.shared.experiment)
        stage = self.item.say("page.stage", number=place[0], count=place[1]) if place is not None else ""
        return Heading(
            title=title,
            number=self.shared.experiment + 1,
            count=self.count,
            name=" · ".join(filter(None, (plain(name, 60), stage))),
            operator=operator_of(self.item.experiment_at(self.shared.build).desc).name,
            elapsed=elapsed,
            timer=timer,
            planned=self._planned,
        )

    @property
    def _typed_on_wall(self) -> str:
        """What is typed, without the hands: nobody is to follow the crowd."""
        what, text = self._typing
        return self.item.say("present.going", number=f"{text}_") if what == "g" else f"{what}: …" if what else ""

    @property
    def _typed_by_speaker(self) -> str:
        """What is typed, as the speaker sees it."""
        what, text = self._typing
        if what == "g" or not what:
            return self._typed_on_wall
        return self.item.say("present.hands_of", letter=what, number=f"{text}_")

    def _vote(self, vote: int) -> Vote:
        """The hands of vote number `vote` on the present question."""
        return Vote(self.shared.counts(self.question_key(self.shared.experiment), len(self.item.answers), vote))

    def question_key(self, number: int) -> str:
        """What hands for the question of experiment `number`, from 0, are kept by: a digest of what it asks.

        Whoever edits the session in between finds the hands again where the same is asked of the same desc.
        """
        if number not in self._questions:
            item = self.item_at(number)
            answers = [(answer.id, answer.text, answer.right, answer.rule) for answer in item.answers]
            desc = dataclasses.replace(item.experiment, name="", notes="")
            digest = hashlib.sha256(
                f"{_digest_of(Session((desc,)))} {item.prompt} {answers}".encode(errors="surrogatepass")
            ).hexdigest()[:16]
            before = sum(self._experiment_digests[k] == self._experiment_digests[number] for k in range(number))
            self._questions[number] = f"{digest}-{before}"
        return self._questions[number]

    @functools.cached_property
    def _experiment_digests(self) -> tuple[str, ...]:
        """A digest of each experiment, without its name and notes; of two alike the same."""
        unnamed = (dataclasses.replace(one, name="", notes="") for one in self.session.experiments)
        return tuple(_digest_of(Session((one,))) for one in unnamed)

    def _clock(self) -> tuple[str, str]:
        """The time since the beginning, and the timer's."""
        now, timer = self._now(), self.shared.timer
        return minutes(now - self.shared.began), "" if timer is None else minutes(timer - now)

    def _all_times(self) -> tuple[str, ...]:
        """Every time that is shown."""
        return *self._clock(), self._open_for

    def _ask_state(self, picture: PictureState) -> AskState | None:
        """What is asked, with its answers as options; None where there is no question."""
        item, shared = self.item, self.shared
        question = item.question
        if question is None:
            return None
        revealed = item.is_told(shared.build)
        right = next((k for k, answer in enumerate(item.answers) if answer.right), 0) if revealed else 0
        options = tuple(
            Option(
                answer.id,
                answer.text,
                answer.picture,
                chosen=revealed and answer.right,
                at=answer.picture is not None and k == (right + self._flip) % len(item.answers),
                verdict="right" if revealed and answer.right else "",
            )
            for k, answer in enumerate(item.answers)
        )
        if question.goal is not None and not options:
            options = (Option("goal", "", question.goal, at=True),)
        covered = question
        if question.kind.pictured:  # what an author hides stands in place of what the kind does
            covered = replace(question, hidden=question.hidden | {"values"})
        tables = () if self.wall.is_drawn else tables_of(covered, "", is_open=not revealed)
        return AskState(
            question=question,
            picture=picture,
            in_picture=self.wall.is_drawn,
            tables=tables,
            turns="f",
            options=options,
        )

    def _fields(self) -> tuple[FieldState, ...]:
        """The desc's numbers, as far as the question lets them be seen."""
        item, drawn = self.item, self.wall.is_drawn
        if item.question is not None and item.experiment_at(self.shared.build) is item.experiment:
            is_open = not item.is_told(self.shared.build)
            return fields_of(item.question, None, "", is_open=is_open, pictured=drawn)
        return tuple(FieldState(*n) for n in item.numbers_at(self.shared.build)) if drawn else ()

    # ---- what is shared

    def _changes_to(self, number: int, build: Build) -> dict[str, Any]:
        """What of the shared state changes on the way to a build of an experiment, by field."""
        changes: dict[str, Any] = {"build": build, "step": 0, "playing": build is Build.PLAY}
        changes |= {"hides": False, "told": False, "joining": False}
        if number != self.shared.experiment:
            counts = self.shared.hands.get(self.question_key(number), ())
            second = len(counts) > 1 and any(count is not None for count in counts[1])
            second = second or (number, 1) in self.shared.revealed
            changes |= {"experiment": number, "cursor": None, "spotlight": False, "vote": int(second), "timer": None}
            changes["memory"] = None
        return changes

    def _fitting(self, shared: Presented) -> Presented:
        """`shared` as far as the session has what it says: it may have been edited since."""
        shared = replace(shared, experiment=min(shared.experiment, self.count - 1))
        item = self._item_of(shared)
        can_play = shared.build is Build.PLAY and item.view_at(Build.PLAY).live
        return shared if can_play or shared.build in item.builds else replace(shared, build=Build.REVEAL)

    @property
    def _step_now(self) -> int:
        """The step that is shown: a screen that draws nothing knows it by the time, as the wall plays."""
        shared, count = self.shared, self.wall.count
        if shared.build is not Build.PLAY:
            return shared.step
        if not shared.playing or self.wall.still or self.picture.live_steps is not None or not count:
            return self.wall.step
        passed = max(0.0, self._now() - shared.changed)
        return min(shared.step + int(passed * count / seconds_of(count)), count)

    def _change(self, **changes: Any) -> None:
        """Sets fields of the shared state, of which the present step and time are two, shows and keeps it."""
        self._sentence, self._tells_trouble = "", False
        step = self._step_now
        present = {"step": step, "playing": self.shared.playing and step < self.wall.count}
        self._set(replace(self.shared, **(present | changes), changed=self._now()))

    def _set(self, after: Presented) -> None:
        """Shows a shared state, and keeps it in the file."""
        self._show(after)
        self._keep()

    def _show(self, after: Presented) -> None:
        """Takes a shared state, with hands that are being typed where its question goes, and draws it."""
        before, item = self.shared, self._item_of(after)
        reveals = item.is_told(after.build) and not self.item.is_told(before.build)
        if reveals or (after.experiment, after.vote) != (before.experiment, before.vote):
            after = self._with_typed(after)
        if after.experiment != self.shared.experiment:
            self._typing = ("", "")
        if (after.experiment, after.build) != (self.shared.experiment, self.shared.build):
            self._flip = 0
        before_it, now = ((each.experiment, each.vote, each.is_open) for each in (before, after))
        if after.is_open and before_it != now:
            self._opened = after.changed
        told = [(after.experiment, vote) for vote in range(after.vote + 1)] if item.is_told(after.build) else []
        after = replace(after, revealed=tuple(dict.fromkeys((*after.revealed, *told))))
        if before.build is after.build and before.told is not after.told:  # the other screen revealed in between
            self.wall.show(self.item_at(after.experiment), replace(after, build=Build.REVEAL))
        self.shared, self._step_kept = self.wall.show(item, after), self._now()

    def _keep(self) -> None:
        """Writes the shared state to the file, or says why that can't be."""
        if self._kept is None:
            return
        try:
            self._kept.write(replace(self.shared, session=self._digest))
        except SessionError as error:
            self._tells_trouble = str(error) != self._trouble
            self._trouble = str(error)
        else:
            self._trouble = ""

    def _compare(self, shared: Presented) -> None:
        """Notes whether the other screen has opened another version of the session."""
        self._differs = OTHER_SESSION if shared.session not in ("", self._digest) else ""


def _digest_of(session: Session) -> str:
    """A digest of a session, wherever it was looked at last; "" for one that can't be written."""
    try:
        return hashlib.sha256(dump(session, views=False, keeps_missing=True).encode()).hexdigest()[:16]
    except DmlvizError:
        return ""


def minutes(seconds: float) -> str:
    """Seconds as minutes and seconds, 04:10; 00:00 for a time that is over."""
    whole = max(0, int(seconds))
    return f"{whole // 60:02}:{whole % 60:02}"
