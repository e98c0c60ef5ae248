"""Tests of E7: with any reference to `tool-results` and any file there, no other file is read and nothing hangs."""

import os
import socket
import threading
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest

from chorus.cli.commands.show import side_text
from chorus.library import files
from chorus.testing.builders import Session
from chorus.testing.builders.blocks import tool_use
from chorus.testing.builders.disk import lay_out
from tests.cli.commands import run_process
from tests.show.server.serving import serving, until

SECRET = "what a file elsewhere says"
HONEST = "what the output says\n"
OTHER_USER = 12_345
COUNT = 300
RACES = 1_000


def outside(folder: Path) -> Path:
    """Writes files in another folder, with the names that the references use."""
    for place in (folder, folder / "tool-results"):
        place.mkdir()
        for name in ("b1.txt", "secret.txt", "x.json"):
            (place / name).write_text(SECRET)
    return folder


def references(random: Random, project: Path, session: str, elsewhere: Path) -> list[str]:
    """Returns file names of a hostile transcript; each leads to a secret if a reader trusts it."""
    up = ["../", "..%2f", "%2e%2e/", "..\\", "....//", "./../", "%2e%2e%2f", "..;/", "\u2025/", "..\0/"]
    begin = [
        "",
        "/",
        "//",
        "~/",
        "file://",
        "C:\\",
        f"{project}/",
        f"{elsewhere}/",
        *(f"/proc/self/{link}/" for link in ("root", "cwd")),
    ]
    middle = ["", f"{session}-evil/", "tool-results-evil/", f"{session}/../{session}-evil/", "tool-results/", "fd/3/"]
    end = [
        "b1.txt",
        "secret.txt",
        "x.json",
        "secret.txt\0.txt",
        "secret.txt%00.txt",
        "pipe.txt",
        "device.txt",
        "link.txt",
    ]
    end += ["/proc/self/environ", "/dev/zero", "/dev/stdin", "hard.txt", "folder.txt", "socket.txt", "loop.txt"]
    found = set()
    while len(found) < COUNT:
        found.add(
            random.choice(begin) + random.choice(up) * random.randrange(9) + random.choice(middle) + random.choice(end)
        )
    return sorted(found)


def put_special_files(folder: Path, elsewhere: Path) -> None:
    """Puts pipes, links, devices and sockets into a session's folder of outputs."""
    os.mkfifo(folder / "pipe.txt")
    (folder / "link.txt").symlink_to(elsewhere / "secret.txt")
    (folder / "loop.txt").symlink_to("loop.txt")
    (folder / "device.txt").symlink_to("/dev/zero")
    (folder / "folder.txt").symlink_to(elsewhere)
    here = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/socket.txt")
    os.close(here)
    if os.geteuid() == 0:
        # A hard link to a file of this user is as good as a copy. A link to a file of another user is not.
        os.chown(elsewhere / "secret.txt", OTHER_USER, OTHER_USER)
        os.link(elsewhere / "secret.txt", folder / "hard.txt")
    for name in (f"{folder.parent.name}-evil", "tool-results-evil"):
        (folder.parent.parent / name).symlink_to(elsewhere)
    (folder.parent / "tool-results-evil").symlink_to(elsewhere)


@pytest.fixture
def session(tmp_path):
    """A session that references 300 files, with special files beside it and one normal output."""
    elsewhere = outside(tmp_path / "elsewhere")
    session = Session()
    project = tmp_path / "claude" / "projects" / "-home-dev-work"
    for number, name in enumerate([*references(Random(7), project, session.id, elsewhere), "honest.txt"], 1):
        session.assistant(tool_use("Bash", {"command": "make"}, id=f"toolu_{number}"))
        session.tool_result(
            f"toolu_{number}", f"<persisted-output>\nFull output saved to: /x/tool-results/{name}\n\nPreview:\nbegin"
        )
    path = lay_out(tmp_path / "claude", session, side_files={"honest.txt": HONEST})
    put_special_files(path.with_suffix("") / "tool-results", elsewhere)
    return path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_no_reference_leads_elsewhere(session, tmp_path):
    """No reference or special file reveals another file through sync, show, search or the server."""
    environment = os.environ | {"CHORUS_HOME": str(tmp_path / "home"), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    said = {}
    for command in (("sync",), ("show", "--full", session), ("show", "--json", session.stem), ("search", "elsewhere")):
        done = run_process(*command, env=environment)
        assert done.returncode in (0, 1), (command, done.stderr[-2_000:])
        said[command[0:2]] = done.stdout.decode()
    assert HONEST.strip() in said["show", "--full"]
    assert not [command for command, text in said.items() if SECRET in text]
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert kept == []

    with serving(tmp_path / "home", tmp_path / "claude") as server:
        browser = server.browser()
        (one,) = until(lambda: browser.get("/api/conversations").json.get("conversations"))
        names = references(Random(8), session.parent, session.stem, tmp_path / "elsewhere")
        address = f"/api/conversations/{one['name']}/side-file?name="
        answers = [browser.get(address + quote(name, safe="")) for name in names]
        assert browser.get(address + "honest.txt").json["text"] == HONEST
    assert {answer.status for answer in answers} <= {400, 404}
    assert not [answer for answer in answers if SECRET.encode() in answer.body]
    print(f"E7: {COUNT} references in a transcript, {len(answers)} asked of the server: 0 escapes, 0 hangs")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_no_exchange_of_files_or_folders_leads_elsewhere(tmp_path):
    """In 1,000 reads while a file and its folder are exchanged for links and pipes, no other file is read."""
    elsewhere = outside(tmp_path / "elsewhere")
    session = Session()
    session.assistant(tool_use("Bash", {"command": "make"}))
    session.tool_result(
        "toolu_1", "<persisted-output>\nFull output saved to: /x/tool-results/b1.txt\n\nPreview:\nbegin"
    )
    path = lay_out(tmp_path / "claude", session, side_files={"b1.txt": HONEST})
    is_over = threading.Event()
    swapper = threading.Thread(target=partial(swap, path.with_suffix("") / "tool-results", elsewhere, is_over))
    swapper.start()
    found = []
    try:
        for _ in range(RACES):
            (conversation,) = files.open_all(path)
            found.append(side_text(conversation, "b1.txt"))
    finally:
        is_over.set()
        swapper.join()

    assert SECRET not in found
    print(f"E7: {RACES} reads during exchanges: {found.count(HONEST)} honest, {found.count(None)} none, 0 escapes")


def swap(folder: Path, elsewhere: Path, is_over: threading.Event) -> None:
    """Exchanges the file and its folder without a pause."""
    spare, link = folder.with_name("spare"), folder.with_name("link")
    link.symlink_to(elsewhere / "tool-results")
    file, link_of_file, pipe = folder / "b1.txt", folder / "link", folder / "pipe"
    turn = 0
    while not is_over.is_set():
        turn += 1
        if turn % 3:
            folder.rename(spare)
            link.rename(folder)
            folder.rename(link)
            spare.rename(folder)
        else:
            link_of_file.symlink_to(elsewhere / "secret.txt")
            link_of_file.replace(file)
            os.mkfifo(pipe)
            pipe.replace(file)
            file.unlink()
            file.write_text(HONEST)
