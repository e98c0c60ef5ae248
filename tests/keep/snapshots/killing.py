"""A program that kills processes while they take snapshots, undo, publish, forget and pack, and checks what is left.

Arguments: a folder with a repository of a person in `project`, the number of kills, and a seed. Prints what it saw.
"""

import os
import random
import select
import signal
import subprocess
import sys
import time
import traceback
from itertools import count
from pathlib import Path

from chorus.errors import ChorusError
from chorus.keep.snapshots.commits import SnapshotFacts, SnapshotKind
from chorus.keep.snapshots.edits import edits_of
from chorus.keep.snapshots.publishing import publish, steps_of
from chorus.keep.snapshots.retention import forget_snapshots, prune
from chorus.keep.snapshots.snapshots import Snapshots
from chorus.keep.snapshots.undo import plan_undo, undo

NAME = "project-0123abcd"
STEADY, FORGOTTEN = "steady", "forgotten"
MOMENTS_S = (0.002, 0.01, 0.05)


def facts(kind: SnapshotKind, turn: int, conversation: str = STEADY) -> SnapshotFacts:
    return SnapshotFacts(kind=kind, conversation=conversation, time_ms=time.time_ns() // 1_000_000, turn=turn)


def act(root: Path, said: int, chance: random.Random) -> None:
    """Works until it is killed. Says the id of each snapshot of the steady conversation that is stored."""
    snapshots = Snapshots(root / "home", NAME, root / "project")
    steps = [_edit, _turn, _undo, _publish, _forget, _pack]
    for number in count():
        turn = time.time_ns() // 1_000_000
        step = chance.choices(steps, [4, 4, 2, 1, 2, 1])[0] if number else chance.choice(steps)
        for commit in step(snapshots, turn):
            if commit is not None:
                os.write(said, commit.id.encode() + b"\n")
        os.write(said, b"\n")


def _edit(snapshots, turn):
    place = snapshots.folder / "edited.txt"
    yield snapshots.take_files([str(place)], facts(SnapshotKind.BEFORE, turn), "Before")
    place.write_text(f"{turn}\n" * 50)
    yield snapshots.take_files([str(place)], facts(SnapshotKind.AFTER, turn), "Edit")


def _turn(snapshots, turn):
    for number in range(5):
        (snapshots.folder / f"made{number}.txt").write_text(f"{turn} {number}\n")
    yield snapshots.take_changes(facts(SnapshotKind.TURN, turn), "End")


def _undo(snapshots, turn):
    last = next((each.commit.facts.turn for each in reversed(edits_of(snapshots.store, STEADY))), 0)
    plans = plan_undo(snapshots.store, snapshots.folder, edits_of(snapshots.store, STEADY, turn=last))
    undo(snapshots, plans, facts(SnapshotKind.BEFORE, turn), facts(SnapshotKind.UNDO, turn), merge=True)
    return ()


def _publish(snapshots, _turn_):
    steps = steps_of(snapshots.store, STEADY, is_squashed=True)[-1:]
    try:
        publish(snapshots.store, snapshots.folder, steps, "agents", lambda _: "All", base="HEAD", is_forced=True)
    except ChorusError:
        # Undone changes leave nothing to publish.
        return ()
    return ()


def _forget(snapshots, turn):
    (snapshots.folder / "secret.txt").write_text(f"secret {turn}\n")
    snapshots.take_files(["secret.txt"], facts(SnapshotKind.AFTER, turn, FORGOTTEN), "Edit")
    forget_snapshots(snapshots.store.home, NAME, {FORGOTTEN})
    return ()


def _pack(snapshots, turn):
    prune(snapshots.store.home, now_ms=turn, days=1, max_mb=1_000)
    with snapshots.store.lock():
        snapshots.store.collect_garbage()
    return ()


def kill_one(root: Path, chance: random.Random) -> list[str]:
    """Lets a child work for a moment, and kills it, in half of the cases together with its gits."""
    said, say = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(said)
        try:
            act(root, say, chance)
        except Exception:  # noqa: BLE001 - the parent sees that the child ended by itself
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(say)
    heard, steps = b"", chance.randrange(4)
    while heard.count(b"\n") < steps and (more := os.read(said, 1_000)):
        heard += more
    select.select([], [], [], chance.choice(MOMENTS_S) * chance.random())
    kill = os.kill if chance.random() < 0.5 else os.killpg
    try:
        kill(child, signal.SIGKILL)
    except ProcessLookupError:
        # It had no group yet.
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    with os.fdopen(said, "rb") as file:
        heard += file.read()
    return [line for line in heard.decode().split("\n")[:-1] if line]


def check(root: Path, number: int, acknowledged: str) -> None:
    """Checks that snapshots go on, that nothing acknowledged is lost, and that each ref is one line."""
    snapshots = Snapshots(root / "home", NAME, root / "project")
    place = snapshots.folder / "after.txt"
    place.write_text(f"after kill {number}\n")
    taken = snapshots.take_files([str(place)], facts(SnapshotKind.AFTER, number), "After")
    assert taken is not None, "an edit was not stored"
    (snapshots.folder / "by-shell.txt").write_text(f"after kill {number}\n")
    had_cache = (snapshots.store.git_dir / "workspace.index").exists()
    assert snapshots.take_changes(facts(SnapshotKind.TURN, number), "End") is not None or not had_cache
    refs = set(snapshots.store.refs())
    assert refs <= {f"refs/chorus/{each}/main" for each in (STEADY, FORGOTTEN)}, refs
    line = [commit.id for commit in snapshots.store.log(snapshots.store.tip(f"refs/chorus/{STEADY}/main"))]
    assert not acknowledged or acknowledged in line, "an acknowledged snapshot is lost"
    snapshots.close()


def main() -> None:
    root, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    # Only the conversation that is forgotten has this file.
    (root / "project" / ".gitignore").write_text("secret.txt\n")
    seen, last = 0, ""
    for number in range(kills):
        heard = kill_one(root, chance)
        seen += len(heard)
        last = heard[-1] if heard else last
        check(root, number, last)
    snapshots = Snapshots(root / "home", NAME, root / "project")
    forget_snapshots(root / "home", NAME, {FORGOTTEN})
    assert snapshots.store.check() == [], snapshots.store.check()
    listed = subprocess.run(
        ["git", "--git-dir", str(snapshots.store.git_dir), "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=True,
    )
    assert b"secret 1" not in listed.stdout, "a forgotten object is left"
    # The next ones clean up what killed ones left in the folder and in the repository of the person.
    for _ in _edit(snapshots, 1):
        pass
    for path in snapshots.folder.rglob(".chorus-*"):
        (snapshots.folder / "edited.txt").write_text(path.name)
    _undo(snapshots, 2)
    _publish(snapshots, 3)
    left = [path.name for path in snapshots.folder.glob(".chorus-*")]
    snapshots.close()
    print(f"kills={kills} acknowledged={seen} left={len(left)}")


if __name__ == "__main__":
    main()
