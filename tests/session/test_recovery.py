"""What outlives a crash, and who is offered it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.quiet_pilot import QuietPilot, piloted
from support.real_terminal import Terminal
from support.runs import wait_until

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.desc.value_sources import Npy
from dmlviz.screens.dialogs.asking import AskLost
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples, recovery, writing
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.recovery import DELAY, Keeper, Kept, LostSession, find, folder
from dmlviz.session.whole_files import _host, digest_of
from dmlviz.session.writing import save
from dmlviz.workspace.explorer.workspace import Workspace

pytestmark = pytest.mark.integration


OWN = "ab" * 16
"""What an explorer may call its files, without their endings."""
DOCUMENT = Document(examples.example("gather-2").session())


def quiet(sentence: str) -> None:
    raise AssertionError(sentence)


def edited(name: str = "edited") -> Session:
    session = examples.example("gather-2").session()
    return session.with_experiment(0, replace(session.experiments[0], name=name))


def crashed(where: Path, session: Session, path: Path | None = None, number: int = 0) -> None:
    keeper = Keeper(quiet, where)
    keeper.keep(Kept(session, path, number))
    keeper.close(clean=False)


def only(where: Path) -> LostSession:
    (found,), said = find(where)
    assert said == []
    return found


def test_a_state_is_in_its_file_soon(tmp_path: Path) -> None:
    keeper = Keeper(quiet, tmp_path)
    for i in range(50):
        keeper.keep(Kept(edited(f"name {i}"), None, 0))
    wait_until(lambda: any("name 49" in file.read_text() for file in tmp_path.glob("*.json")), "the last edit's file")
    assert find(tmp_path) == ([], []), "its explorer is alive"
    (file,) = tmp_path.glob("*.json")
    assert file.suffix == ".json"
    keeper.close(clean=True)
    assert list(tmp_path.iterdir()) == []


def large(count: int = 2_500) -> Session:
    items = examples.example("tile-1").session().experiments
    return Session(tuple(replace(items[i % len(items)], name=f"tile {i}") for i in range(count)), "large")


def test_an_edit_costs_what_it_has_changed_however_large_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each experiment is written as JSON once, at the session's first edit."""
    dumped: list[str] = []
    plain = writing.dump_experiment

    def counted(each: Experiment, **how: bool) -> dict[str, object]:
        dumped.append(each.name)
        return plain(each, **how)

    monkeypatch.setattr(writing, "dump_experiment", counted)
    document = Document(large())
    keeper = Keeper(quiet, tmp_path)
    workspace = Workspace(document, keeper=keeper)
    workspace.replace_experiment(replace(workspace.experiment, notes="before"))
    wait_until(lambda: bool(list(tmp_path.glob("*.json"))), "the first edit")
    assert len(dumped) == 2_500
    document.go(1_700)
    dumped.clear()
    workspace.replace_experiment(replace(workspace.experiment, notes="after"))
    wait_until(lambda: any('\\"after' in file.read_text() for file in tmp_path.glob("*.json")), "the edit")
    assert dumped == ["tile 1700"]
    keeper.close(clean=False)
    assert writing.dump(only(tmp_path).document.session) == writing.dump(document.viewed())


def test_what_an_earlier_version_kept_is_read(tmp_path: Path) -> None:
    session = replace(edited(), extra={"mine": [1, "x"]})
    head = {"dmlviz_recovery": 1, "pid": 1, "written": 1e9, "path": None, "number": 0, "folder": None}
    text = json.dumps({**head, "folders": [None] * len(session.experiments), "session": writing.dump(session)})
    (tmp_path / f"{OWN}.json").write_text(text)
    now = recovery.read(Kept(session, None, 0).text()).document.session
    assert writing.dump(only(tmp_path).document.session) == writing.dump(now) == writing.dump(session)


def test_what_is_left_behind_is_found_with_where_it_came_from(tmp_path: Path) -> None:
    began = time.time()
    where, lesson = tmp_path / "kept", tmp_path / "lesson.json"
    two = Session((*edited().experiments, *examples.example("join-1").session().experiments), "two", tmp_path)
    save(examples.example("gather-2").session(), lesson)
    crashed(where, two, lesson, 1)
    found = only(where)
    assert found.document.session == two
    assert (found.document.path, found.document.number) == (lesson, 1)
    assert found.document.dirty
    assert found.document.saved == load(lesson)
    assert began <= found.written <= time.time()
    assert find(where) == ([], []), "one explorer at a time is offered it"
    found.later()
    only(where).discard()
    assert list(where.iterdir()) == []


def test_what_needs_no_keeping_leaves_no_file(tmp_path: Path) -> None:
    keeper = Keeper(quiet, tmp_path)
    keeper.keep(None)
    keeper.keep(Kept(edited(), None, 0))
    time.sleep(DELAY * 2)
    keeper.keep(None)
    keeper.close(clean=False)
    assert list(tmp_path.glob("*.json")) == []


def test_a_session_that_had_been_saved_is_not_offered(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.json"
    save(edited(), lesson)
    crashed(tmp_path / "kept", load(lesson), lesson)
    assert find(tmp_path / "kept") == ([], [])
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_session_whose_file_has_gone_is_unsaved(tmp_path: Path) -> None:
    crashed(tmp_path, edited(), tmp_path / "gone.json")
    document = only(tmp_path).document
    assert document.dirty
    assert document.path == tmp_path / "gone.json"


def test_several_explorers_keep_apart(tmp_path: Path) -> None:
    alive = Keeper(quiet, tmp_path)
    alive.keep(Kept(edited("alive"), None, 0))
    crashed(tmp_path, edited("older"))
    crashed(tmp_path, edited("newer"))
    time.sleep(DELAY * 2)
    found, _ = find(tmp_path)
    assert [each.document.experiment.name for each in found] == ["newer", "older"]
    mine = Keeper(quiet, tmp_path)
    mine.adopt(found[0])
    found[1].later()
    assert only(tmp_path).document.experiment.name == "older"
    mine.keep(Kept(edited("newest"), None, 0))
    mine.close(clean=False)
    alive.close(clean=True)
    rest = [each.document.experiment.name for each in find(tmp_path)[0]]
    assert "newest" in rest
    assert "newer" not in rest
    assert "alive" not in rest


def test_npy_files_of_several_folders_are_found_again(tmp_path: Path) -> None:
    items = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "x.npy", np.array([1, 2] if name == "one" else [3, 4], np.uint8))
        desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
        items.append(Experiment(name, desc, values={"InputTensor": {"npy": "x.npy"}}, folder=tmp_path / name))  # type: ignore[dict-item]
    crashed(tmp_path / "kept", Session(tuple(items)))
    found = only(tmp_path / "kept")
    values = [each.sources()[0].array().tolist() for each in found.document.session.experiments]
    assert values == [[1, 2], [3, 4]]
    assert [each.folder for each in found.document.session.experiments] == [tmp_path / "one", tmp_path / "two"]
    found.later()
    (tmp_path / "one" / "x.npy").unlink()
    (lost,), said = find(tmp_path / "kept")
    assert [each.name for each in lost.document.session.experiments] == ["one", "two"]
    assert lost.document.session.experiments[0].values, "its file may come back"
    assert len(said) == 1
    assert "x.npy" in said[0]
    assert list((tmp_path / "kept").glob("*.unreadable")), "what can't be read now is not thrown away"


@pytest.mark.parametrize("half_written", [False, True])
def test_an_npy_file_that_was_away_for_a_while_is_named_after_a_crash(tmp_path: Path, half_written: bool) -> None:
    """It is away, as while it is written anew, when the session is kept, and back at the next launch."""
    np.save(tmp_path / "x.npy", np.array([1, 2], np.uint8))
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    held = Experiment("mine", desc, values={"InputTensor": Npy("x.npy")}, folder=tmp_path)
    (tmp_path / "x.npy").rename(tmp_path / "away")
    if half_written:
        (tmp_path / "x.npy").write_bytes((tmp_path / "away").read_bytes()[:-1])
    crashed(tmp_path / "kept", Session((held,), folder=tmp_path))
    (tmp_path / "away").rename(tmp_path / "x.npy")
    assert only(tmp_path / "kept").document.experiment.values == {"InputTensor": Npy("x.npy")}


def test_the_next_launch_offers_the_session_again_without_the_npy_files_that_are_gone(tmp_path: Path) -> None:
    """An edit is on disk a second later, in [large sessions](session-files.md) some seconds: after a crash the next
    launch offers the session again, without the `.npy` files that are gone.

    All of a session that is intact, and a sentence about what isn't, or has changed.
    """
    folder = tmp_path / "lesson"
    folder.mkdir()
    desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
    held = Experiment("mine", desc, notes="an hour's work", values={"InputTensor": Npy("x.npy")}, folder=folder)
    for vanishes in (True, False):
        np.save(folder / "x.npy", np.array([1, 2], np.uint8))
        crashed(tmp_path / "kept", Session((held,), folder=folder))
        if vanishes:
            (folder / "x.npy").unlink()
        else:
            np.save(folder / "x.npy", np.zeros(9, np.int32))
        (found,), said = find(tmp_path / "kept")
        assert found.document.session.experiments[0].notes == "an hour's work"
        assert found.document.dirty
        assert len(said) == 1
        assert said[0].startswith('"mine": InputTensor: x.npy ')
        found.discard()


@pytest.mark.parametrize("written", ["1e18", "1e300", "-1e300", "NaN", "Infinity"])
def test_a_time_that_is_none_stops_no_launch(tmp_path: Path, written: str) -> None:
    began = time.time() - 10  # a file's time may be rounded
    crashed(tmp_path, edited())
    (file,) = tmp_path.glob("*.json")
    file.write_text(re.sub(r'"written": [^,]*', f'"written": {written}', file.read_text()))
    found = only(tmp_path)
    assert began <= found.written <= time.time()
    assert time.localtime(found.written)


def test_what_the_file_held_outlives_a_crash(tmp_path: Path) -> None:
    """A file that somebody else changed meanwhile is asked about after the crash too."""
    path = tmp_path / "lesson.json"
    dml.save(edited("first"), path)
    seen = digest_of(path)
    keeper = Keeper(quiet, tmp_path / "kept")
    keeper.keep(Kept(edited("second"), path, 0, seen))
    keeper.close(clean=False)
    found = only(tmp_path / "kept")
    assert not found.document.changed_on_disk()
    dml.save(edited("theirs"), path)
    assert found.document.changed_on_disk()


DAMAGED = [b"", b"{", b"\xff\xfe", b"[]", b'{"session": 3}', b"null", b'{"session": "{}", "folders": [], "path": null}']


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_is_set_aside_and_told_of_once(tmp_path: Path, data: bytes) -> None:
    (tmp_path / f"{OWN}.json").write_bytes(data)
    crashed(tmp_path, edited())
    found, said = find(tmp_path)
    assert len(found) == 1
    assert len(said) == 1
    assert f"{OWN}.unreadable" in said[0]
    found[0].later()
    assert (tmp_path / f"{OWN}.unreadable").read_bytes() == data
    assert find(tmp_path)[1] == []


def test_every_cut_of_a_file_is_damage_or_the_session(tmp_path: Path) -> None:
    crashed(tmp_path, edited())
    (file,) = tmp_path.glob("*.json")
    whole = file.read_bytes()
    for cut in range(0, len(whole), 97):
        file.write_bytes(whole[:cut])
        found, said = find(tmp_path)
        assert (len(found), len(said)) == (0, 1)


def test_where_nothing_can_be_written_it_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    keeper = Keeper(said.append, tmp_path / "file" / "kept")
    for i in range(3):
        keeper.keep(Kept(edited(str(i)), None, 0))
        time.sleep(DELAY * 1.5)
    keeper.close(clean=False)
    assert len(said) == 1
    assert "would not outlive a crash" in said[0]
    assert find(tmp_path / "file" / "kept") == ([], [])


@pytest.mark.slow
def test_what_had_no_room_is_kept_as_soon_as_there_is_some(tmp_path: Path) -> None:
    """Without another edit: nobody knows when a full disk gets room."""
    where = tmp_path / "full" / "kept"
    (tmp_path / "full").write_text("")
    said: list[str] = []
    keeper = Keeper(said.append, where)
    keeper.keep(Kept(edited("mine"), None, 0))
    wait_until(lambda: said, "the sentence about the file")
    (tmp_path / "full").unlink()
    wait_until(lambda: list(where.glob("*.json")), "the state in its file")
    keeper.close(clean=False)
    assert only(where).document.experiment.name == "mine"
    assert len(said) == 1


def test_trouble_is_told_while_nothing_is_held(tmp_path: Path) -> None:
    """Whoever hears of it may close the keeper, as a signal does."""
    (tmp_path / "file").write_text("")
    ended = threading.Event()

    def hear(sentence: str) -> None:
        other = threading.Thread(target=lambda: keeper.adopt(LostSession(tmp_path / "x.json", DOCUMENT, 0, None)))
        other.start()
        other.join(60)
        if not other.is_alive():
            ended.set()

    keeper = Keeper(hear, tmp_path / "file" / "kept")
    keeper.keep(Kept(edited(), None, 0))
    assert ended.wait(60)
    keeper.close(clean=False)


def test_what_a_killed_explorer_began_to_keep_goes_at_the_next_launch(tmp_path: Path) -> None:
    """A staged file and a lock of a session that never came to be; those of another explorer that runs stay."""
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    keeper = Keeper(quiet, tmp_path)
    crashed(tmp_path, edited())
    running = Keeper(quiet, tmp_path)
    running.keep(Kept(edited("other"), None, 0))
    wait_until(lambda: len(list(tmp_path.glob("*.json"))) > 1, "the other's state in its file")
    before = set(tmp_path.iterdir())
    (tmp_path / f".{OWN}.json.{int(gone.stdout)}-{_host()}-abc12345.new").write_bytes(b"half")
    (tmp_path / f"{OWN}.lock").touch()
    for found in find(tmp_path)[0]:
        found.later()
    assert set(tmp_path.iterdir()) == before
    running.close(clean=True)
    keeper.close(clean=True)


def folder_of(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder of kept sessions by its name, and where it lies: linked, another user's, or the user's own."""
    where = real = tmp_path / "elsewhere"
    real.mkdir()
    if kind == "linked":
        where = tmp_path / "recovery"
        where.symlink_to(real, target_is_directory=True)
    if kind == "another's":
        own = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: own + 1)
    return where, real


@pytest.mark.parametrize("kind", ["own", "linked", "foreign name", "another's"])
def test_only_its_own_locks_in_the_users_own_folder_are_tidied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    where, real = folder_of(kind, tmp_path, monkeypatch)
    lock = real / ("poetry.lock" if kind == "foreign name" else f"{OWN}.lock")
    lock.touch()
    assert find(where) == ([], [])
    assert lock.exists() is (kind != "own")


@pytest.mark.parametrize("kind", ["linked", "foreign name", "another's"])
def test_only_its_own_files_in_the_users_own_folder_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    where, real = folder_of(kind, tmp_path, monkeypatch)
    name = "package" if kind == "foreign name" else OWN
    (real / f"{name}.json").write_text("{}")
    (real / f"{name}.lock").write_text("mine")
    (real / "notes.json").write_text("{}")
    before = {each.name: each.read_text() for each in real.iterdir()}
    assert find(where) == ([], [])
    assert {each.name: each.read_text() for each in real.iterdir()} == before
    said: list[str] = []
    keeper = Keeper(said.append, where)
    keeper.keep(Kept(edited(), None, 0))
    if kind != "foreign name":
        wait_until(lambda: said, "the sentence that nothing is kept where nobody looks")
        assert "recovery" in said[0] or "elsewhere" in said[0]
    keeper.close(clean=True)


def test_the_thread_that_keeps_outlives_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that runs out is told of, and kept is what can be again."""
    said: list[str] = []
    plain = writing.dump_brief

    def fails(each: Experiment) -> str:
        raise MemoryError

    monkeypatch.setattr(recovery, "dump_brief", fails)
    monkeypatch.setattr(recovery, "AGAIN", DELAY)
    keeper = Keeper(said.append, tmp_path)
    keeper.keep(Kept(edited("mine"), None, 0))
    wait_until(lambda: said, "the sentence")
    assert said == ["unsaved changes would not outlive a crash: memory ran out."]
    monkeypatch.setattr(recovery, "dump_brief", plain)
    wait_until(lambda: list(tmp_path.glob("*.json")), "the state in its file")
    keeper.close(clean=False)
    assert only(tmp_path).document.experiment.name == "mine"


def test_a_lock_that_is_a_link_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / f"{OWN}.lock").symlink_to(tmp_path / "made")
    assert find(tmp_path / "kept") == ([], [])
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit for files")
@pytest.mark.parametrize("damaged", [False, True])
def test_what_cannot_be_set_aside_on_a_full_disk_is_not_thrown_away(tmp_path: Path, damaged: bool) -> None:
    if damaged:
        (tmp_path / f"{OWN}.json").write_text("{")
    else:
        desc = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
        lost = Experiment("mine", desc, values={"InputTensor": Npy("gone.npy")}, folder=tmp_path)
        crashed(tmp_path, Session((lost,), folder=tmp_path))
    (before,) = [each.read_bytes() for each in tmp_path.glob("*.json")]
    full = (
        "import resource, sys; from pathlib import Path; from dmlviz.session.recovery import find;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY));"
        "print(len(find(Path(sys.argv[1]))[1]))"
    )
    found = subprocess.run([sys.executable, "-c", full, str(tmp_path)], capture_output=True, check=True)
    assert found.stdout.strip() == b"1"
    assert before in [each.read_bytes() for each in tmp_path.iterdir()]
    again, said = find(tmp_path)
    assert len(again) + len(said) == (0 if damaged else 2)


# ---- on the screen


def run(script: Callable[[DmlvizApp, QuietPilot], Awaitable[None]], session: Session | None = None) -> None:
    async def go() -> None:
        app = DmlvizApp(session or examples.example("gather-2").session(), remembers=True)
        async with piloted(app, (120, 36)) as pilot:
            await pilot.pause()
            await script(app, pilot)
        app.close_keeper()

    asyncio.run(go())


def test_a_session_is_opened_and_stays_safe_until_it_is_given_up() -> None:
    crashed(folder(), edited("kept"))

    async def later(app: DmlvizApp, pilot: QuietPilot) -> None:
        assert isinstance(app.screen, AskLost)
        await pilot.press("escape")
        assert isinstance(app.screen, Explorer)

    async def opens(app: DmlvizApp, pilot: QuietPilot) -> None:
        assert isinstance(app.screen, AskLost)
        await pilot.press("o")
        await pilot.pause()
        assert isinstance(app.screen, Explorer)
        assert app.screen.workspace.experiment.name == "kept"
        assert app.screen.state.document.dirty

    async def discards(app: DmlvizApp, pilot: QuietPilot) -> None:
        assert isinstance(app.screen, AskLost)
        await pilot.click("#discard")
        await pilot.pause()
        assert isinstance(app.screen, Explorer)
        assert app.screen.workspace.experiment.name == "row gather"

    async def nothing(app: DmlvizApp, pilot: QuietPilot) -> None:
        assert isinstance(app.screen, Explorer)

    for script in (later, opens, opens, discards, nothing):  # a crash after it was opened loses nothing either
        run(script)


def test_leaving_knowingly_leaves_nothing() -> None:
    async def script(app: DmlvizApp, pilot: QuietPilot) -> None:
        assert isinstance(app.screen, Explorer)
        app.screen.workspace.document.rename("x")
        app.screen.present(app.screen.workspace.experiments_changed())
        await pilot.press("q", "ctrl+d")

    run(script)
    assert find() == ([], [])


# ---- in a real terminal


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[list[Terminal]]:
    made: list[Terminal] = []
    yield made
    for each in made:
        each.process.close(force=True)


def start(terminals: list[Terminal], tmp_path: Path, *arguments: str) -> Terminal:
    terminals.append(Terminal([sys.executable, "-m", "dmlviz", *arguments], 100, 30, tmp_path))
    return terminals[-1]


@pytest.mark.parametrize("count", [1, pytest.param(2_500, marks=pytest.mark.slow)])
def test_an_edit_is_on_disk_a_second_later_after_a_crash_the_next_launch_offers_the_session_again(
    terminals: list[Terminal], tmp_path: Path, count: int
) -> None:
    """An edit is on disk a second later, in [large sessions](session-files.md) some seconds: after a crash the next
    launch offers the session again, without the `.npy` files that are gone."""
    save(large(count), tmp_path / "lesson.json")
    kept = tmp_path / ".home" / "xdg_state_home" / "dmlviz" / "recovery"
    terminal = start(terminals, tmp_path, "lesson.json")
    terminal.until("54 of 54")
    terminal.send("n")
    terminal.until("Session title")
    terminal.send("Written ")
    terminal.until("Written")
    wait_until(lambda: any("Written" in file.read_text() for file in kept.glob("*.json")), "the edit")
    terminal.send("and lost")  # it may be there or not
    os.kill(terminal.process.pid, signal.SIGKILL)
    again = start(terminals, tmp_path)
    again.until("wasn't saved", "lesson.json")
    again.send("o")
    again.until("unsaved")
    again.send("n")
    again.until("Session title", "Written")
    again.send("\x13")  # ctrl+s: to the file that it came from
    again.until("saved to")
    saved = load(tmp_path / "lesson.json").experiments
    assert "Written" in saved[0].notes
    assert [each.name for each in saved] == [each.name for each in large(count).experiments]
    again.send("q")
    assert again.ends() == 0
    third = start(terminals, tmp_path)
    third.until("TILE")  # the last session, and nothing is offered
    third.until("✔ valid")
    assert "wasn't saved" not in third.text()
    third.send("q")
    assert third.ends() == 0
    assert not list(kept.glob("*.json"))
    recent = json.loads((kept.parent / "recent.json").read_text())
    assert recent["opened"][0] == ["file", str(tmp_path / "lesson.json")]
