"""Measures how often blame is right, and how often it gives no answer although there is one.

The corpus is made here: repositories in which agents with snapshots, people, bots and formatters write lines that are
all different, so that the truth is known; commits are amended, squashed, rebased and cherry-picked, files are renamed,
and agents' lines are copied by hand into other files. Agents move, format and restore files with commands. A line of a
person that gets an origin is wrong, and so is a line of an agent that gets the origin of another call.
"""

import os
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Figure
from chorus.errors import ChorusError
from chorus.find.provenance.file_blame import blame_file
from chorus.find.provenance.recorded_edits import RecordedFile
from chorus.keep.snapshots.commits import Feed, SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.snapshots import Snapshots

PRECISION, RECALL = 0.95, 0.8
STEPS = 60
_PERSON = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "p", "GIT_AUTHOR_EMAIL": "p@x.example"}
_COMMITTER = {"GIT_COMMITTER_NAME": "p", "GIT_COMMITTER_EMAIL": "p@x.example"}


def blaming(repositories: int) -> Iterator[Figure]:
    """Yields precision and recall over the lines of so many repositories, in the folder and at HEAD.

    First with snapshots, then with session files alone, where shell commands leave no trace of what they changed.
    """
    from bench.recorded_blame import RecordedWorld

    yield from _figures("blame", World, repositories, RECALL)
    yield from _figures("blame from records", RecordedWorld, repositories, None)


def _figures(name: str, kind: "type[World]", repositories: int, recall_target: float | None) -> Iterator[Figure]:
    counts: Counter[str] = Counter()
    did: Counter[str] = Counter()
    for seed in range(repositories):
        with tempfile.TemporaryDirectory() as folder:
            world = kind(Path(folder), random.Random(seed))
            world.live()
            counts += world.judged()
            did += world.did
    named = counts["right"] + counts["wrong"]
    precision = counts["right"] / max(1, named)
    recall = counts["right"] / max(1, counts["agent"])
    made_of = ", ".join(f"{step} {count}" for step, count in sorted(did.items()))
    detail = f"{counts['lines']:,} lines, {counts['agent']:,} by agents; steps: {made_of}"
    is_found = recall_target is None or recall >= recall_target
    target = "" if recall_target is None else f"≥ {recall_target}"
    yield Figure(f"{name}: precision", precision, f"≥ {PRECISION}", precision >= PRECISION, detail)
    yield Figure(
        f"{name}: recall",
        recall,
        target,
        is_found,
        f"{counts['wrong']} wrong, {counts['agent'] - counts['right']:,} not found",
    )


class World:
    """One repository, and what really happened in it."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.chance = chance
        self.folder = root / "work"
        self.folder.mkdir()
        self.snapshots = Snapshots(root / "home", "work-1", self.folder)
        self.truth: dict[tuple[str, str], str] = {}
        """Path and line without blanks → the call that wrote it. Lines of others are not in it."""
        self.did: Counter[str] = Counter()
        self.number = 0
        self.time_ms = 1_790_000_000_000
        self.git("init", "--quiet")
        for name in ("one.py", "two.py", "three.py"):
            self.put(name, [self.line("start") for _ in range(40)])
        self.commit()
        self.look()

    def look(self) -> None:
        self.snapshots.take_changes(self.facts(SnapshotKind.BEFORE, "c0", ""), "first look")

    def live(self) -> None:
        steps = [self.agent] * 6 + [self.shell] * 2 + [self.person] * 4
        steps += [self.bot, self.formatter, self.copy, self.rename, self.commit, self.amend, self.squash, self.pick]
        steps += [self.move, self.agents_formatter, self.restore, self.line_ends]
        for _ in range(STEPS):
            step = self.chance.choice(steps)
            step()
            self.did[step.__name__] += 1
        self.commit()

    def agent(self) -> None:
        name, call, conversation = self.file(), self.new("call"), self.chance.choice(("c1", "c2"))
        self.snapshots.take_files([name], self.facts(SnapshotKind.BEFORE, conversation, call), "before")
        self.edit(name, call)
        self.snapshots.take_files([name], self.facts(SnapshotKind.AFTER, conversation, call), "after")

    def shell(self) -> None:
        call, conversation = self.new("call"), self.chance.choice(("c1", "c2"))
        self.snapshots.take_changes(self.facts(SnapshotKind.BEFORE, conversation, call), "before")
        self.edit(self.file(), call)
        self.snapshots.take_changes(self.facts(SnapshotKind.AFTER, conversation, call), "after")

    def person(self) -> None:
        self.edit(self.file(), None)

    def bot(self) -> None:
        self.put(self.new("bot") + ".txt", [self.line("bot") for _ in range(10)])
        self.commit()

    def formatter(self) -> None:
        name = self.file()
        self.put(name, [re.sub(r"^ *", " " * self.chance.choice((0, 2, 4)), line) for line in self.lines(name)])

    def copy(self) -> None:
        """Copies some lines of a file into a new file as a person does; there they are lines of the person."""
        lines = self.lines(self.file())
        at = self.chance.randrange(max(1, len(lines) - 6))
        self.put(self.new("copy") + ".py", lines[at : at + 6])

    def rename(self) -> None:
        old, new = self.file(), self.new("file") + ".py"
        self.commit()
        self.git("mv", old, new)
        self.commit()
        for (path, line), call in list(self.truth.items()):
            if path == old:
                self.truth[new, line] = call

    def command(self, work: Callable[[], object]) -> None:
        """A shell command of an agent that writes no line."""
        call, conversation = self.new("call"), self.chance.choice(("c1", "c2"))
        self.snapshots.take_changes(self.facts(SnapshotKind.BEFORE, conversation, call), "before")
        work()
        self.snapshots.take_changes(self.facts(SnapshotKind.AFTER, conversation, call), "after")

    def move(self) -> None:
        """An agent moves a file, and nothing is committed."""
        old, new = self.file(), self.new("file") + ".py"
        self.command(lambda: (self.folder / old).rename(self.folder / new))
        for (path, line), call in list(self.truth.items()):
            if path == old:
                self.truth[new, line] = call

    def agents_formatter(self) -> None:
        self.command(self.formatter)

    def restore(self) -> None:
        """An agent deletes lines of a file, and brings them back with git."""
        name = self.file()
        self.commit()
        lines = self.lines(name)
        self.command(lambda: self.put(name, lines[: len(lines) // 2]))
        self.command(lambda: self.git("checkout", "--quiet", "--", name))

    def line_ends(self) -> None:
        """A person changes the ends of all lines."""
        name = self.file()
        data = (self.folder / name).read_bytes()
        is_long = b"\r\n" in data
        (self.folder / name).write_bytes(data.replace(b"\r\n", b"\n") if is_long else data.replace(b"\n", b"\r\n"))

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "work")

    def amend(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "amended")

    def squash(self) -> None:
        self.commit()
        self.commit()
        self.git("reset", "--quiet", "--soft", "HEAD~2")
        self.git("commit", "--quiet", "--allow-empty", "--message", "squashed")

    def pick(self) -> None:
        """Makes the last commit again on top of another one, as a rebase and a cherry-pick do."""
        self.commit()
        last = self.git("rev-parse", "HEAD").strip()
        self.git("reset", "--quiet", "--hard", "HEAD~1")
        self.put(self.new("other") + ".txt", [self.line("person")])
        self.commit()
        self.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", last)

    def find_recorded(self, path: str) -> RecordedFile:
        """Returns what session files say about a file: there are none."""
        del path
        return RecordedFile()

    def judged(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for path in sorted(each for each in self.folder.iterdir() if each.is_file()):
            for revision in (None, "HEAD"):
                try:
                    found = blame_file(
                        self.snapshots.store, self.folder, path.name.encode(), revision, self.find_recorded
                    )
                except ChorusError:
                    continue
                for line, origin in zip(found.lines, found.origins, strict=True):
                    call = self.truth.get((path.name, bare(line)))
                    counts["lines"] += 1
                    counts["agent"] += call is not None
                    if origin is not None:
                        counts["right" if origin.edit.call == call else "wrong"] += 1
        self.snapshots.close()
        return counts

    def edit(self, name: str, call: str | None) -> None:
        lines = self.lines(name)
        for _ in range(self.chance.randint(1, 4)):
            at, count = self.chance.randrange(len(lines) + 1), self.chance.randint(0, 3)
            new = [self.line("agent" if call else "person") for _ in range(self.chance.randint(1, 4))]
            lines[at : at + count] = new
            for line in new:
                if call:
                    self.truth[name, bare(line)] = call
        self.put(name, lines)

    def file(self) -> str:
        listed = sorted(path.name for path in self.folder.iterdir() if path.suffix == ".py")
        return self.chance.choice([name for name in listed if not name.startswith("copy")])

    def line(self, author: str) -> str:
        return "    " * self.chance.randint(0, 2) + f"value_{self.new(author)} = compute({self.number})"

    def lines(self, name: str) -> list[str]:
        return (self.folder / name).read_text().splitlines()

    def put(self, name: str, lines: list[str]) -> None:
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))

    def new(self, kind: str) -> str:
        self.number += 1
        return f"{kind}{self.number}"

    def facts(self, kind: SnapshotKind, conversation: str, call: str) -> SnapshotFacts:
        self.time_ms += 1000
        return SnapshotFacts(kind=kind, conversation=conversation, time_ms=self.time_ms, call=call, feed=Feed.CONTROL)

    def git(self, *arguments: str) -> str:
        self.time_ms += 1000
        date = f"{self.time_ms // 1000} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        environment = {**os.environ, **_PERSON, **_COMMITTER, **dates}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout


def bare(line: str) -> str:
    return re.sub(r"\s+", "", line)
