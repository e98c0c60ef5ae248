"""A program that lists the files and folders that Chorus makes, and tests links in their place.

    own_files.py FOLDER UMASK make           prints what each step made, with its mode
    own_files.py FOLDER UMASK links COUNT    also puts a link where a step makes something, COUNT times (0: everywhere)

It runs as a program because it sets the umask and forks. Every step runs in a process of its own; a step with a link
starts from the home as the steps before it left it.
"""

import contextlib
import json
import os
import random
import shutil
import stat
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from chorus.errors import ChorusError
from chorus.testing.builders import Run, Session, lay_out
from tests.cli.commands import run
from tests.show.server.serving import serving, session_of, until
from tests.steer.approvals.samples import add_approver
from tests.support.running import Place, recording

SESSION = "5e551012-0000-4000-8000-000000000001"
OLD_S = 90 * 86_400
CONTENT = b"content of a file elsewhere\n"
NAMED = ("person/.chorus", "person/.claude/settings.json", "work/back")
"""What a person may have made a link of: the home itself, settings that lie elsewhere, a folder named in a command."""


class World:
    """A person's home, client, workspace and folder for temporary files, all below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "person" / ".chorus"
        self.claude = folder / "person" / ".claude"
        self.temporary = folder / "tmp"
        self.work = folder / "work"
        self.client = folder / "claude"

    def make(self) -> None:
        for each in (self.folder / "person", self.temporary, self.work):
            each.mkdir(parents=True)
        session = Session(SESSION)
        session.user("hello")
        session.assistant("hello to you")
        session.agent("x", "toolu_1").user("an errand")
        lay_out(self.claude, session, side_files={"long.txt": "a long output\n"}, plan="# Plan")
        old = Session("5e551012-0000-4000-8000-000000000002")
        old.user("hello from long ago")
        lay_out(self.claude, old)
        for path in self.claude.rglob("*0002*"):
            os.utime(path, (time.time() - OLD_S,) * 2)
        talk = Run(str(uuid.uuid4()))
        talk.init()
        talk.assistant("Hello.")
        talk.result("Hello.")
        recording(self.client, talk)

    def serve(self) -> None:
        with serving(self.home, self.claude) as server:
            browser = server.browser()
            until(lambda: browser.get("/api/conversations").json.get("conversations"))
            with browser.live() as live:
                live.next()
            server.write(session_of("hello, live"))
            until(lambda: browser.get("/api/search?q=live").json.get("groups") is not None)

    def hold(self) -> None:
        with Place(self.folder / "place", self.home).running(str(self.client)) as folder:
            until(lambda: not folder.is_held() or (folder.path / "socket").exists())

    def steps(self) -> dict[str, Callable[[], object]]:
        return {
            "sync": lambda: run("sync"),
            "search": lambda: run("search", "hello"),
            "list": lambda: run("list"),
            "cost": lambda: run("cost"),
            "doctor": lambda: run("doctor"),
            "verify": lambda: run("verify"),
            "index": lambda: run("index", "--rebuild"),
            "config": lambda: run("config", "set", "sealAfterDays", "40"),
            "workspace": lambda: run("workspace", "add", self.work),
            "agent": lambda: run("agent", "add", "ada", "--workspace", self.work),
            "init": lambda: run("init", self.work),
            "hooks": lambda: run("hooks", "install", "--user", "--yes"),
            "approver": lambda: add_approver(self.home / "state", "ada"),
            "restore": lambda: run("restore", SESSION, "--to", self.work / "back"),
            "serve": self.serve,
            "run": self.hold,
            "forget": lambda: run("forget", "5e551012-0000-4000-8000-000000000002", "--yes"),
        }

    def seen(self) -> dict[str, int]:
        """Returns every name in the places that Chorus writes to, with its mode."""
        tops = (self.home, self.work, self.temporary, self.claude / "settings.json")
        below = [each for top in tops for each in (top, *(top.rglob("*") if top.is_dir() else ()))]
        return {str(p.relative_to(self.folder)): p.lstat().st_mode for p in below if os.path.lexists(p)}


def act(world: World, step: str, umask: int) -> tuple[list[str], str]:
    """Runs one step in a process of its own; returns the names it opened for writing or made, and why it failed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        made: set[str] = set()

        def watch(event: str, args: tuple) -> None:
            is_made = event == "os.mkdir" or (event == "open" and isinstance(args[2], int) and args[2] & os.O_CREAT)
            if is_made and isinstance(args[0], (str, os.PathLike)):
                made.add(os.fspath(args[0]))

        error = ""
        try:
            os.umask(umask)
            os.environ |= {"HOME": str(world.folder / "person"), "CLAUDE_CONFIG_DIR": str(world.claude)}
            os.environ |= {"TMPDIR": str(world.temporary), "NO_COLOR": "1"}
            os.environ.pop("CHORUS_HOME", None)
            tempfile.tempdir = None
            os.chdir(world.folder)
            sys.addaudithook(watch)
            world.steps()[step]()
        except ChorusError as refused:
            error = f"refused: {refused}"
        except BaseException:  # noqa: BLE001 - all is reported
            error = traceback.format_exc()
        with os.fdopen(write, "w") as file:
            json.dump([sorted(made), error], file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    os.waitpid(child, 0)
    return tuple(json.loads(said))


def main(folder: Path, umask: int, links: int | None) -> None:
    world = World(folder / "world")
    world.make()
    found: dict[str, dict] = {}
    places: list[tuple[str, str, bool]] = []
    for step in world.steps():
        shutil.copytree(world.folder, folder / "before" / step, symlinks=True)
        before = world.seen()
        opened, error = act(world, step, umask)
        after = world.seen()
        new = {name: mode for name, mode in after.items() if name not in before}
        modes = {name: oct(stat.S_IMODE(mode)) for name, mode in new.items()}
        folders = sorted(name for name, mode in new.items() if stat.S_ISDIR(mode))
        temporary = [name for name in opened if name.startswith(f"{world.temporary}/")]
        found[step] = {"error": error, "modes": modes, "folders": folders, "temporary": temporary}
        # A file that existed only for a moment is also a place for a link.
        short = {os.path.relpath(name, world.folder) for name in opened if name.startswith(f"{world.folder}/")}
        short = {name for name in short if not name.startswith("person/.claude/projects/")}
        places += [
            (step, name, stat.S_ISDIR(new.get(name, 0)))
            for name in sorted(short | set(new))
            if name not in before and name not in NAMED
        ]
    if links is None:
        print(json.dumps({"steps": found}))
        return
    if links:
        chosen = random.Random(7).sample(places, min(links, len(places)))
        places = [each for each in places if each in chosen]
    followed, refused = [], 0
    for number, (step, name, is_folder) in enumerate(places):
        outcome = link(folder, world, number, step, name, umask, is_folder=is_folder)
        refused += outcome == "refused"
        if outcome.startswith("followed"):
            followed.append(f"{step}: {name}: {outcome}")
    print(json.dumps({"steps": found, "links": len(places), "refused": refused, "followed": followed}))


def link(folder: Path, world: World, number: int, step: str, name: str, umask: int, *, is_folder: bool) -> str:
    """Returns what one step does with a link at a name that it would make; the world is restored before."""
    shutil.rmtree(world.folder)
    shutil.copytree(folder / "before" / step, world.folder, symlinks=True)
    outside = folder / f"outside-{number}"
    outside.mkdir()
    target = outside / "target"
    if is_folder:
        target.mkdir()
    elif number % 2:
        target.write_bytes(CONTENT)
    place = world.folder / name
    for above in reversed(place.parents):
        if not above.exists():
            above.mkdir(mode=0o700)
    with contextlib.suppress(FileExistsError):
        place.symlink_to(target)
    _, error = act(world, step, umask)
    left = sorted(str(each.relative_to(outside)) for each in outside.rglob("*"))
    wanted = ["target"] if is_folder or number % 2 else []
    is_same = left == wanted and (is_folder or not number % 2 or target.read_bytes() == CONTENT)
    shutil.rmtree(outside)
    if not is_same:
        return f"followed: {left}"
    return "refused" if error else "replaced"


if __name__ == "__main__":
    where, given_umask, what, *how_many = sys.argv[1:]
    main(Path(where), int(given_umask, 8), int(how_many[0]) if what == "links" else None)
