"""A folder in which an agent, sub-agents and a person work at random, and what really happened in it."""

import os
import random
import shlex
import shutil
import stat
import subprocess
import time
from pathlib import Path

import msgspec

from chorus.keep.snapshots.repository import SnapshotRepository
from chorus.steer.edits.events import EditEvent, read_event
from chorus.steer.edits.snapshot_queue import SnapshotQueue
from tests.support.running import until

SESSION = "11111111-2222-4333-8444-555555555555"
Content = tuple[str, bytes]
State = dict[bytes, Content]
_NAMES = (
    b"a.txt", b"b.py", b"lib/c.js", b"lib/deep/d.md", b"-x", b" lead", b"trail ", b"new\nline", b"\xff\xfe.bin",
    b'q"uo\'te', "ünï.txt".encode(), b"CASE", b"case", b"*.glob", b"[ab]", b":(top)", b"$HOME", b"tab\tbed",
    b"back\\slash", b"#hash",
)  # fmt: skip
_COMMANDS = (
    "sed -i '1s/^/NN /' -- AA", "mv -f -- AA BB", "rm -f -- AA", "cp -f -- AA BB", "cp -p -- AA BB", "touch -- AA",
    "chmod +x -- AA", "chmod -x -- AA", "ln -sfn -- AA BB", "printf %s more >> AA", ": > AA",
    "rm -rf -- AA; mkdir -p AA; echo inside > AA/inner", "rm -rf lib; echo file > lib", "mkdir -p empty/in/side",
    "for n in $(seq 60); do mkdir -p gen; echo $n > gen/f$n.txt; done", "rm -rf gen", "truncate -s 3 -- AA",
    "find . -name .git -prune -o -type f -name '*.txt' -exec sed -i 's/ /  /g' {} +",
    "dd if=/dev/urandom of=BB bs=1k count=3", "tar cf t.tar -- AA; rm -f -- AA; tar xf t.tar",
    "git checkout -q -- .", "git stash -q && git stash pop -q", "git stash -q", "git stash pop -q", "git add -A",
    "git clean -fdq", "git rm -q --cached a.txt", "git reset -q", "git mv -f -- AA BB",
)  # fmt: skip
"""What commands of an agent do: AA is a file, BB a file or a new name, NN a new word."""
_PAUSE_S = 0.12
"""People are slower than this; what changes sooner after a call may belong to it."""
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "p", "GIT_AUTHOR_EMAIL": "p@x.example",
    "GIT_COMMITTER_NAME": "p", "GIT_COMMITTER_EMAIL": "p@x.example",
}  # fmt: skip


def state_of(folder: Path) -> State:
    """Returns every file and link below a folder with its mode as git has it, and its content."""
    found: State = {}
    for above, folders, files in os.walk(os.fsencode(folder)):
        if b".git" in folders:
            folders.remove(b".git")
        for name in (*files, *folders):
            place = os.path.join(above, name)  # noqa: PTH118 - bytes
            known = os.lstat(place)
            path = os.path.relpath(place, os.fsencode(folder))
            if stat.S_ISLNK(known.st_mode):
                found[path] = ("120000", os.readlink(place))  # noqa: PTH115 - bytes
            elif stat.S_ISREG(known.st_mode):
                with open(place, "rb") as file:  # noqa: PTH123 - bytes
                    found[path] = ("100755" if known.st_mode & 0o100 else "100644", file.read())
    return found


def difference(before: State, after: State) -> dict[bytes, tuple[Content | None, Content | None]]:
    """Returns path → what a file was, and what it is, for all files that differ."""
    paths = {*before, *after}
    return {path: (before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)}


class Feeds:
    """Several feeds that see the same: each has a queue, as the control channel of a run and the server have."""

    def __init__(self, *queues: SnapshotQueue) -> None:
        self._queues = queues

    def put(self, event: EditEvent) -> None:
        for queue in self._queues:
            queue.put(event)

    def is_idle(self) -> bool:
        return all(queue._tasks.empty() for queue in self._queues)

    def close(self) -> list[str]:
        for queue in self._queues:
            queue.close()
        return [problem for queue in self._queues for problem in queue.problems()]


class BusyFolder:
    """The agent reports what it does as the hooks of the client do."""

    def __init__(self, folder: Path, chance: random.Random, store: SnapshotRepository, *, has_repository: bool) -> None:
        self.folder = folder
        self.chance = chance
        self.number = 0
        self.turn = ""
        self.did: dict[str, dict[bytes, tuple[Content | None, Content | None]]] = {}
        """Call → what it changed."""
        self.said: list[str] = []
        self.store = store
        self.is_unseen = False
        """Whether something changed that no look at the whole folder has seen."""
        for name in _NAMES[:6]:
            self.put(name, self.text())
        self.put(b"tool.sh", b"#!/bin/sh\n")
        (folder / "link").symlink_to("a.txt")
        if has_repository:
            self.git("init", "-q")
            self.git("add", "-A")
            self.git("commit", "-qm", "first")
        time.sleep(_PAUSE_S)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, env={**os.environ, **_GIT}, check=True)

    def new(self, kind: str) -> str:
        self.number += 1
        return f"{kind}{self.number}"

    def text(self) -> bytes:
        lines = [f"{self.new('line')} {self.chance.random()}" for _ in range(self.chance.randint(0, 12))]
        end = self.chance.choice(("\n", "\r\n"))
        data = end.join(lines).encode() + self.chance.choice((b"", end.encode()))
        return self.chance.choice((data, data, data, bytes(self.chance.randbytes(40)), b"\0" + data))

    def put(self, path: bytes, data: bytes) -> None:
        place = Path(os.fsdecode(os.fsencode(self.folder) + b"/" + path))
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        for above in place.relative_to(self.folder).parents:
            if (self.folder / above).is_symlink() or (self.folder / above).is_file():
                (self.folder / above).unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            place.unlink()
        place.write_bytes(data)

    def any_file(self) -> bytes:
        found = sorted(state_of(self.folder).items())
        return self.chance.choice([path for path, (mode, _) in found if mode.startswith("10")])

    def report(self, feeds: Feeds, name: str, **more: object) -> None:
        where = {"session_id": SESSION, "cwd": str(self.folder), "prompt_id": self.turn}
        event = read_event(msgspec.json.encode({"hook_event_name": name, **where, **more}))
        assert event is not None
        feeds.put(event)

    def settle(self, feeds: Feeds) -> None:
        """Waits until everything that was reported is stored, as it is when a model has thought for a while."""
        until(feeds.is_idle)
        time.sleep(_PAUSE_S / 2)
        with self.store.lock():
            return

    def prompt(self, feeds: Feeds) -> None:
        self.turn = self.new("prompt")
        self.report(feeds, "UserPromptSubmit", prompt=f"Do {self.turn}.")
        time.sleep(_PAUSE_S)

    def stop(self, feeds: Feeds) -> None:
        self.report(feeds, "Stop")
        self.settle(feeds)
        self.is_unseen = False
        time.sleep(_PAUSE_S)

    def call(self, feeds: Feeds, agent: str = "") -> None:
        """One call of an agent: an editing tool, or a command."""
        work = self.chance.choice((self._edit, self._edit, self._command, self._command, self._command))
        name, given, act = work()
        call = self.new("call")
        report = {"tool_name": name, "tool_use_id": call, "tool_input": given, **({"agent_id": agent} if agent else {})}
        before = state_of(self.folder)
        self.settle(feeds)
        self.report(feeds, "PreToolUse", **report)
        if self.is_unseen and name == "Bash":
            # A command that is faster than the look before it would hide what that look has not seen.
            self.settle(feeds)
        self.is_unseen = name != "Bash"
        act()
        after = state_of(self.folder)
        is_failure = self.chance.random() < 0.1 and name == "Bash"
        self.report(feeds, "PostToolUseFailure" if is_failure else "PostToolUse", **report)
        self.did[call] = difference(before, after)
        self.said.append(f"{call} {name} {given}")
        time.sleep(_PAUSE_S)

    def person(self) -> set[bytes]:
        """A person changes a file between two calls; returns its name."""
        path = self.chance.choice((self.new("person").encode(), self.any_file()))
        self.put(path, self.text())
        self.is_unseen = True
        time.sleep(_PAUSE_S)
        return {path}

    def _edit(self):
        path = self.chance.choice((self.any_file(), self.chance.choice(_NAMES)))
        tool = "NotebookEdit" if path.endswith(b".ipynb") else self.chance.choice(("Edit", "Write", "MultiEdit"))
        data = self.text()
        try:
            place = str(self.folder / path.decode())
        except UnicodeDecodeError:
            return self._command()
        return tool, {"file_path": place}, lambda: self.put(path, data)

    def _command(self):
        made = self.new("made").encode()
        one, other = self.any_file(), self.chance.choice((self.any_file(), made, b"lib/x/" + made))
        a, b = (shlex.quote(os.fsdecode(b"./" + path)) for path in (one, other))
        line = self.chance.choice(_COMMANDS).replace("AA", a).replace("BB", b).replace("NN", self.new("n"))
        return "Bash", {"command": line}, lambda: self._shell(line)

    def _shell(self, line: str) -> None:
        # A command that needs a folder that is not there fails, as it does for an agent.
        target = "mkdir -p lib/x 2>/dev/null; " if "lib/x/" in line else ""
        call = ["bash", "-c", target + line]
        subprocess.run(call, cwd=self.folder, env={**os.environ, **_GIT}, check=False, capture_output=True)
