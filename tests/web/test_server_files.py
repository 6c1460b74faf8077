"""A visitor of `dmlviz serve` reads and writes nothing of the server's, unless --files lets tabs do so."""

from __future__ import annotations

import asyncio
import io
import os
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.processes import children, wait_until
from support.served import Page, page, says_nothing, served, soon

from dmlviz.desc import npy_files
from dmlviz.errors import ValuesError
from dmlviz.screens.downloads import packed
from dmlviz.session import examples
from dmlviz.session.reading import load, parse
from dmlviz.session.writing import dump, save

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does")
PRIVATE = "very private"
NPY = """{"dmlviz": 1, "experiments": [{"name": "n", "feature_level": "5_0", "type": "DML_OPERATOR_TILE",
 "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 4]}, "OutputTensor": {"DataType": "FLOAT32",
 "Sizes": [1, 8]}, "RepeatsCount": 2, "Repeats": [1, 2]}, "values": {"InputTensor": {"npy": "NAME"}}}]}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the server's user: a session that names an array, and what is nobody else's business."""
    for name in ("mine", "other"):
        np.save(tmp_path / f"{name}.npy", np.full((1, 4), 7 if name == "mine" else 4321, np.float32))
    (tmp_path / "lesson.json").write_text(NPY.replace("NAME", "mine.npy"))
    session = examples.example("gather-2").session()
    save(
        replace(session, experiments=(replace(session.experiments[0], name=PRIVATE), *session.experiments[1:])),
        tmp_path / "own.json",
    )
    return tmp_path


def _files(folder: Path) -> dict[str, bytes]:
    """Every file of the user, but for kernels that were compiled."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }


def home(folder: Path) -> dict[str, str]:
    """The variables by which a folder is the home of the server's user."""
    made = {"HOME": str(folder), "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}
    return {**made, "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")}  # kernels


def visit(folder: Path, script: Callable[[Page], Awaitable[None]], *words: str) -> None:
    async def whole(address: str) -> None:
        async with page(address) as opened:
            await script(opened)
            assert PRIVATE not in opened.text()

    before = _files(folder)
    with served(*words, folder=folder, **home(folder)) as (process, address):
        asyncio.run(whole(address))
        assert says_nothing(process)
    assert "--files" in words or _files(folder) == before


@pytest.mark.parametrize("pasted", ["./other.npy", "gone.npy"])
def test_a_session_is_downloaded_with_its_npy_files_and_no_name_of_an_array_that_is_pasted_is_read(
    folder: Path, pasted: str
) -> None:
    async def script(tab: Page) -> None:
        await tab.until("7 7 7 7")  # the served session's own is
        await tab.press("\x13")  # ctrl+s
        name, data = await tab.downloaded()
        assert name == "lesson.zip", "with the array that it names"
        with zipfile.ZipFile(io.BytesIO(data)) as found:
            assert found.namelist() == ["lesson.json", "mine.npy"]
            assert dump(parse(found.read("lesson.json"), "it", folder)[0]) == dump(load(folder / "lesson.json"))
            assert np.load(io.BytesIO(found.read("mine.npy"))).tolist() == [[7, 7, 7, 7]]
        await tab.until("your browser has lesson.zip")
        await tab.paste(NPY.replace("NAME", pasted))
        shown = await tab.until(pasted.removeprefix("./"))
        assert "4321" not in shown
        await tab.until(lambda text: "is a file of the server" in text or "outside the session's folder" in text)

    visit(folder, script, "lesson.json")


@pytest.mark.slow
def test_exports_leave_as_downloads_and_what_was_open_last_is_not_read(folder: Path) -> None:
    state = folder / ".local" / "state" / "dmlviz"
    state.mkdir(parents=True)
    (state / "recent.json").write_text(f'{{"opened": [["file", "{folder}/own.json"]]}}')

    async def script(tab: Page) -> None:
        await tab.press("x")
        await tab.until("characters")
        await tab.press("\x13")  # ctrl+s
        name, data = await tab.downloaded()
        assert name.startswith("gather")
        assert data
        await tab.until("your browser has")

    visit(folder, script)


@pytest.mark.slow
def test_files_opens_the_servers_files_to_every_tab_as_to_you(folder: Path) -> None:

    async def script(tab: Page) -> None:
        await tab.press("\x1b[24~")
        await tab.until("Save as")
        await tab.press("\x15", *"new.json", "\r")
        await tab.until("saved to new.json")
        await tab.press("\x0f")
        await tab.until("Open a session file")
        await asyncio.sleep(0.3)  # the field has the focus by then
        await tab.press(*"./lesson.json", "\r")
        await tab.until("TILE")

    visit(folder, script, "--files")
    assert load(folder / "new.json").experiments


def test_only_what_is_allowed_can_be_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy_files, "allowed", None)
    here, other = tmp_path.resolve() / "a.npy", tmp_path.resolve() / "b.npy"
    assert npy_files.locate("b.npy", "it", tmp_path) == other
    npy_files.allowed = frozenset([here])
    assert npy_files.locate("a.npy", "it", tmp_path) == here
    with pytest.raises(ValuesError, match=r"it: b\.npy is a file of the server, expected values"):
        npy_files.locate("b.npy", "it", tmp_path)
    other.symlink_to(here)
    assert npy_files.locate("b.npy", "it", tmp_path) == here, "another name of the same file"


async def crafted(tab: Page) -> None:
    """Messages that no page sends, and names of the server's files in those that it does."""
    for name in ("./own.json", "~/", "/"):
        await tab.send("open_url", {"url": f"file://{name}", "new_tab": False})
        await tab.send("deliver_file_start", {"key": "0", "path": name})
        await tab.send("deliver_chunk_request", {"key": name, "size": 1 << 40})


@pytest.mark.slow
def test_one_with_it_reads_and_writes_nothing_of_the_servers(folder: Path) -> None:

    async def script(tab: Page) -> None:
        await crafted(tab)
        await tab.send("stdin", "nhello\x1b")
        await tab.until("hello")
        await tab.send("stdin", "")
        await tab.send("stdin", "\x0f")
        await tab.until("Open an example")
        await tab.send("stdin", "\x15./own.json\r")
        assert "own" not in (await tab.until("can't open or save the server's files")).replace("./own.json", "")
        await tab.send("stdin", "\x1b")
        await tab.until("Lays copies of a tensor")
        await tab.send("stdin", "i/etc/hostname")
        await tab.until("/etc/hostname")
        assert "1 experiment" not in tab.text()
        await tab.send("stdin", "\x1b")
        await tab.until("Lays copies of a tensor")
        await tab.send("stdin", "\x10screenshot")
        await tab.until("Save an SVG")
        await tab.send("stdin", "\r")
        name, data = await tab.downloaded()
        assert name.endswith(".svg")
        assert PRIVATE.encode() not in data
        await tab.send("stdin", "\x1b[200~" + "x" * 1_000_000 + "\x1b[201~")
        await tab.until("The pasted text has 1,000,000 characters")
        await tab.send("stdin", "." * 256)
        await tab.send("stdin", "\x11\x04")  # ctrl+q, and ctrl+d where there are unsaved changes
        await tab.ended()

    visit(folder, script, "lesson.json")


@pytest.mark.slow
def test_a_tab_that_is_closed_is_gone_with_what_wasnt_downloaded(folder: Path) -> None:

    async def edits(tab: Page) -> None:
        await tab.send("stdin", "nnobody has this\x1b")
        await tab.until("● unsaved")

    async def looks(tab: Page) -> None:
        await tab.until("✔ valid")
        assert "nobody has this" not in tab.text()
        assert "wasn't saved" not in tab.text()

    async def both(address: str, pid: int) -> None:
        async with page(address) as tab:
            await edits(tab)
            assert children(pid)
        await soon(lambda: not children(pid), "the end of its process")
        async with page(address) as tab:
            await looks(tab)

    before = _files(folder)
    with served("lesson.json", folder=folder, **home(folder)) as (process, address):
        asyncio.run(both(address, process.pid))
    assert _files(folder) == before


def test_a_worker_may_locate_what_its_explorer_may(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dmlviz.worker import client
    from dmlviz.worker.child_process import Child

    sent, send = list[Any](), Child.send

    def recorded(child: Child, request: object) -> None:
        sent.append(request)
        send(child, request)

    monkeypatch.setattr(Child, "send", recorded)
    monkeypatch.setattr(npy_files, "allowed", None)
    (experiment,) = load(folder / "lesson.json").experiments
    mine = frozenset([(folder / "mine.npy").resolve()])
    npy_files.allowed = mine
    heard: list[Any] = []
    runner = client.Runner()
    try:
        runner.start(experiment, heard.append)
        wait_until(lambda: heard and not heard[-1].busy, "an answer")
    finally:
        runner.close()
    assert not heard[-1].trouble
    assert sent[0][2] == mine


def test_a_zip_holds_the_file_and_the_arrays_beside_it() -> None:
    array = np.arange(6, dtype=np.float16).reshape(2, 3)
    with zipfile.ZipFile(io.BytesIO(packed("x.py", b"1", {"x_a.npy": array.T}))) as found:
        assert found.testzip() is None
        assert found.read("x.py") == b"1"
        assert np.load(io.BytesIO(found.read("x_a.npy"))).tolist() == array.T.tolist()
