"""A program that simulates power cuts while a vault is written, and checks the recovery.

    crash_images.py FOLDER COUNT SEED

A real pass over growing sources runs above a layer that notes each call of `os` that changes a file, a name or what is
durable. An image of the disk at some moment contains the synced bytes of each file; of the bytes that were not synced
it contains all, nothing, a torn beginning or any of the blocks. Each folder contains the synced names and some of the
later ones, in order. For each image, everything that was acknowledged before must be there, and after another pass the
vault must be equal to the sources.
"""

import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from chorus.keep.restore.checking import Damage, check
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.line import StoredLine
from chorus.testing.builders import Session, lay_out
from tests.cli.commands import run
from tests.keep.sources.keeping import Keeper

BLOCKS = (512, 4_096)
STEPS = 12
FOLDERS: set[int] = set()
"""The inodes that are folders."""


class Event(NamedTuple):
    """One change: `write`, `truncate`, `sync` of a file, `name` and `gone` in a folder, `names` when it is synced."""

    kind: str
    inode: int
    where: str = ""
    at: int = 0
    data: bytes = b""


class Recorder:
    """Notes the changes below a folder; the calls themselves work as usual."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.events: list[Event] = []
        self._real: dict[str, Callable[..., Any]] = {}
        for call in ("open", "write", "pwrite", "ftruncate", "fsync", "replace", "rename", "link", "unlink", "mkdir"):
            self._real[call] = getattr(os, call)
            setattr(os, call, getattr(self, call))
        if hasattr(os, "fdatasync"):
            self._real["fdatasync"] = os.fdatasync
            os.fdatasync = self.fsync

    def stop(self) -> None:
        for call, real in self._real.items():
            setattr(os, call, real)

    def _inside(self, path: Any) -> str | None:
        text = str(Path(path).absolute()) if isinstance(path, (str, os.PathLike)) else ""
        return os.path.relpath(text, self.root) if text.startswith(f"{self.root}/") or text == self.root else None

    def _named(self, path: Any) -> None:
        if (name := self._inside(path)) not in (None, "."):
            self.events.append(Event("name", os.lstat(path).st_ino, name))

    def open(self, path, flags, mode=0o777, **rest):
        is_new = flags & os.O_CREAT and not rest and not os.path.lexists(path)
        fd = self._real["open"](path, flags, mode, **rest)
        if is_new:
            self._named(path)
        return fd

    def write(self, fd, data):
        import fcntl

        status = os.fstat(fd)
        at = status.st_size if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND else 0
        if not at and (status.st_mode & 0o170000) == 0o100000 and not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND:
            at = os.lseek(fd, 0, os.SEEK_CUR)
        done = self._real["write"](fd, data)
        self.events.append(Event("write", status.st_ino, at=at, data=bytes(data[:done])))
        return done

    def pwrite(self, fd, data, at, *rest):
        done = self._real["pwrite"](fd, data, at, *rest)
        self.events.append(Event("write", os.fstat(fd).st_ino, at=at, data=bytes(data[:done])))
        return done

    def ftruncate(self, fd, size):
        self._real["ftruncate"](fd, size)
        self.events.append(Event("truncate", os.fstat(fd).st_ino, at=size))

    def fsync(self, fd):
        self._real["fsync"](fd)
        status = os.fstat(fd)
        if (status.st_mode & 0o170000) == 0o040000:
            name = self._inside(Path(f"/proc/self/fd/{fd}").readlink())
            self.events.append(Event("names", status.st_ino, name or "?"))
        else:
            # The sync also makes bytes durable that were written by other calls; read them with a readable descriptor.
            with Path(f"/proc/self/fd/{fd}").open("rb") as file:
                self.events.append(Event("sync", status.st_ino, data=file.read()))

    def replace(self, old, new, **rest):
        self._moved("replace", old, new, rest)

    def rename(self, old, new, **rest):
        self._moved("rename", old, new, rest)

    def _moved(self, call: str, old: Any, new: Any, rest: dict) -> None:
        self._real[call](old, new, **rest)
        self._named(new)
        if (name := self._inside(old)) is not None:
            self.events.append(Event("gone", 0, name))

    def link(self, old, new, **rest):
        self._real["link"](old, new, **rest)
        self._named(new)

    def unlink(self, path, **rest):
        self._real["unlink"](path, **rest)
        if not rest and (name := self._inside(path)) is not None:
            self.events.append(Event("gone", 0, name))

    def mkdir(self, path, mode=0o777, **rest):
        self._real["mkdir"](path, mode, **rest)
        FOLDERS.add(os.lstat(path).st_ino)
        self._named(path)


def image(events: list[Event], chance: random.Random, target: Path) -> None:
    """Builds a possible state of the disk after these events and a power cut."""
    changes: dict[int, list[Event]] = {}
    durable: dict[int, bytes] = {}
    names: dict[str, list[Event]] = {}
    synced: dict[str, int] = {}
    for event in events:
        if event.kind in ("write", "truncate"):
            changes.setdefault(event.inode, []).append(event)
        elif event.kind == "sync":
            durable[event.inode] = event.data
            changes.pop(event.inode, None)
        elif event.kind == "names":
            synced[event.where] = len(names.get(event.where, ()))
        else:
            names.setdefault(str(Path(event.where).parent), []).append(event)
    waiting = ["."]
    target.mkdir()
    while waiting:
        folder = waiting.pop()
        told = names.get(folder, [])
        sure = synced.get(folder, 0)
        entries: dict[str, int] = {}
        for event in told[: chance.randint(sure, len(told))]:
            if event.kind == "name":
                entries[event.where] = event.inode
            else:
                entries.pop(event.where, None)
        for name, inode in entries.items():
            place = target / name
            if inode in FOLDERS:
                place.mkdir(mode=0o700)
                waiting.append(name)
            else:
                place.write_bytes(torn(durable.get(inode, b""), changes.get(inode, []), chance))
                place.chmod(0o600)


def torn(base: bytes, pending: list[Event], chance: random.Random) -> bytes:
    """Returns a file's content: the synced bytes, and of the rest nothing, all up to a byte, or any of its blocks."""
    how = chance.choice(("lost", "kept", "torn", "torn", "blocks"))
    if how == "lost" or not pending:
        return base
    block = chance.choice(BLOCKS)
    found = bytearray(base)
    last = len(pending) if how == "kept" else chance.randint(0, len(pending))
    for number, event in enumerate(pending[:last]):
        if event.kind == "truncate":
            del found[event.at :]
            found.extend(bytes(event.at - len(found)))
            continue
        data = event.data
        if how == "torn" and number == last - 1:
            data = data[: chance.randrange(len(data) // block + 1) * block]
        found.extend(bytes(max(0, event.at + len(data) - len(found))))
        if how != "blocks":
            found[event.at : event.at + len(data)] = data
            continue
        for start in range(0, len(data), block):
            if chance.random() < 0.5:
                found[event.at + start : event.at + start + block] = data[start : start + block]
    return bytes(found)


def main(folder: Path, count: int, seed: int) -> None:
    chance = random.Random(seed)
    client, root = folder / "claude", folder / "vault"
    sessions = [Session(f"5e551012-0000-4000-8000-{number:012d}") for number in range(3)]
    acknowledged: list[tuple[int, dict[str, bytes]]] = [(0, {})]
    keeper = Keeper(root)
    recorder = Recorder(root)
    for step in range(STEPS):
        for session in chance.sample(sessions, 2):
            for _ in range(chance.randint(1, 4)):
                session.user("word " * chance.choice((1, 50, 3_000)))
            lay_out(client, session, side_files={f"{step}.txt": "output " * chance.randint(1, 2_000)})
        keeper.sync(client)
        acknowledged.append((len(recorder.events), sources(client)))
    recorder.stop()
    whole, lost, mended, aside = sources(client), 0, 0, 0
    for number in range(count):
        cut = chance.randint(1, len(recorder.events))
        place = folder / "image"
        image(recorder.events[:cut], chance, place)
        known = [each for moment, each in acknowledged if moment <= cut][-1]
        after = Keeper(place)
        kept = readable(place, known)
        bad = [name for name, data in known.items() if not kept[name].startswith(data)]
        assert not bad, f"image {number}, after event {cut}: {bad} lost what was acknowledged"
        lost += sum(len(data) for data in whole.values()) - sum(map(len, kept.values()))
        after.sync(client)
        if damages(place):
            # The notes that protect the lines were torn.
            mended += 1
            run("sync", client, "--vault", place)
            left = damages(place)
            assert not left, f"image {number}, after event {cut}: {left}"
        aside += len(list(place.rglob("*.damaged*")))
        assert after.all_kept(whole) == whole, f"image {number}, after event {cut}: not equal to the sources"
        shutil.rmtree(place)
    told = f"images={count} acknowledged_lost=0 mended={mended} set_aside={aside} taken_again={lost}"
    print(f"{told} events={len(recorder.events)}")


def readable(place: Path, names: dict[str, bytes]) -> dict[str, bytes]:
    """Returns the stored bytes of each stream, up to the first line that is not complete."""
    vault, streams = FileVault(place), Keeper(place).streams()
    found = {}
    for name in names:
        found[name] = b""
        for line in vault.lines(streams[name]) if name in streams else ():
            if not isinstance(line, StoredLine):
                break
            found[name] += line.bytes
    vault.close()
    return found


def damages(place: Path) -> list[Damage]:
    """Returns the damage that `verify` finds, without sources, which are in another folder."""
    vault = FileVault(place)
    blobs = [each.name for each in (place / "blobs").rglob("*") if each.is_file() and len(each.name) == 64]
    found = check(vault, blobs).damaged
    vault.close()
    return found


def sources(client: Path) -> dict[str, bytes]:
    """Returns the session files by the names of their streams."""
    return {f"{path.stem}/session": path.read_bytes() for path in (client / "projects").rglob("*.jsonl")}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
