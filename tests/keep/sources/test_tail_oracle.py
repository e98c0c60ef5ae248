"""Tests row F7: after any change of a live source between two passes, nothing is lost and nothing is recorded twice."""

import os
from pathlib import Path
from random import Random

import pytest

from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from tests.keep.sources.keeping import Keeper

SCHEDULES = 200


@pytest.mark.parametrize("part", range(4))
def test_random_lives_of_a_source(disk_path: Path, tmp_path: Path, part: int) -> None:
    """A random series of changes to a source loses no line that a pass has seen.

    The changes are appends in pieces, truncation, copy-truncate, rotation, replacement, rewriting in place and inode
    reuse.
    """
    for seed in range(part * SCHEDULES // 4, (part + 1) * SCHEDULES // 4):
        _live(disk_path / str(seed), tmp_path / str(seed), Random(seed))


def _live(folder: Path, vault: Path, random: Random) -> None:
    session = Session()
    path = folder / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    keeper = Keeper(vault)
    seen: list[bytes] = []
    time_ns = 10**18
    for _ in range(random.randint(3, 9)):
        random.choice(STEPS)(path, session, random)
        time_ns += random.choice((1, 10**6, 10**9))
        os.utime(path, ns=(time_ns, time_ns))
        if random.random() < 0.7:
            keeper.sync(folder)
            seen.append(path.read_bytes())
    keeper.sync(folder)
    seen.append(path.read_bytes())
    name = f"{session.id}/session"
    if name not in keeper.streams():
        assert not any(_lines(state) for state in seen)
        return
    states = _states(keeper, name)
    everything = b"".join(states)
    assert _lines(states[-1]) == _lines(seen[-1]), "what is kept last is not what the source is"
    for state in seen:
        for line in _lines(state):
            assert line in everything
        whole = state[: state.rfind(b"\n") + 1]
        assert any(kept.startswith(whole) for kept in states), "a state that was seen cannot be had back"


def _states(keeper: Keeper, name: str) -> list[bytes]:
    """Returns every recorded revision in order."""
    last = FileVault(keeper.root).tail(keeper.streams()[name]).revision
    return [keeper.kept(name, revision) for revision in range(last + 1)]


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data[: data.rfind(b"\n") + 1].split(b"\n") if line]


def _line(session: Session, random: Random) -> bytes:
    session.user("x" * random.choice((1, 10, 5000)))
    return bytes(session).splitlines(keepends=True)[-1]


def _append(path: Path, session: Session, random: Random) -> None:
    with path.open("ab") as file:
        for _ in range(random.randint(1, 4)):
            file.write(_line(session, random))


def _append_in_pieces(path: Path, session: Session, random: Random) -> None:
    line = _line(session, random)
    with path.open("ab") as file:
        file.write(line[: random.randrange(len(line))])


def _truncate(path: Path, session: Session, random: Random) -> None:
    with path.open("r+b") as file:
        file.truncate(random.randint(0, path.stat().st_size))


def _copy_truncate(path: Path, session: Session, random: Random) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(_line(session, random))


def _rotate(path: Path, session: Session, random: Random) -> None:
    path.rename(path.with_suffix(".old"))
    path.write_bytes(_line(session, random))


def _replace(path: Path, session: Session, random: Random) -> None:
    half = path.with_suffix(".tmp")
    lines = path.read_bytes().splitlines(keepends=True)
    half.write_bytes(b"".join(lines[: random.randint(0, len(lines))]) + _line(session, random))
    half.replace(path)


def _rewrite_same_size(path: Path, session: Session, random: Random) -> None:
    data = bytearray(path.read_bytes())
    spots = [n for n, byte in enumerate(data) if byte == ord("x")]
    if spots:
        data[random.choice(spots)] = ord("y")
        path.write_bytes(bytes(data))


def _reuse_inode(path: Path, session: Session, random: Random) -> None:
    path.unlink()
    path.write_bytes(_line(session, random) + _line(session, random))


STEPS = (
    _append,
    _append,
    _append,
    _append_in_pieces,
    _truncate,
    _copy_truncate,
    _rotate,
    _replace,
    _rewrite_same_size,
    _reuse_inode,
)
