"""Kills writers at random moments and checks the files that they left. It runs as a program, because it forks.

    killing.py append|seal ROOT KILLS SEED

A writer appends lines that follow from their number, and reports each number after its flush. After each kill, every
reported line must exist, only the following lines may exist besides, and the next writer continues. The program prints
what it counted.
"""

import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Damaged
from tests.keep.vault.lines import SEEN_AT, line, source
from tests.support.killing import kill_one

ROUNDS_PER_STREAM = 8
MOST = 4_000


def append(vault: FileVault, key: StreamKey, said: int) -> None:
    """Appends and flushes without end."""
    while True:
        number = vault.tail(key).seq
        os.write(said, b"appending\n")
        for _ in range(3):
            vault.append(key, line(number, most=MOST), seen_at=SEEN_AT)
            number += 1
        vault.flush()
        os.write(said, b"%d\n" % number)


def seal(vault: FileVault, key: StreamKey, said: int) -> None:
    """Seals and appends, which unseals, without end."""
    while True:
        number = vault.tail(key).seq
        os.write(said, b"sealing\n")
        vault.seal(key)
        os.write(said, b"unsealing\n")
        vault.append(key, line(number, most=MOST), seen_at=SEEN_AT)
        vault.flush()
        os.write(said, b"%d\n" % (number + 1))


def main(mode: str, root: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    write = {"append": append, "seal": seal}[mode]
    acknowledged = torn = sealed = halves = 0
    for number in range(kills):
        key = StreamKey("w", "main", f"talk-{number // ROUNDS_PER_STREAM}")
        if mode == "seal" and number % ROUNDS_PER_STREAM == 0:
            start = FileVault(root)
            start.append(key, source(40, most=MOST), seen_at=SEEN_AT)
            start.close()
        words = kill_one(lambda said, key=key: write(FileVault(root), key, said), chance, most_lines=3)
        said = max((int(word) for word in words if word.isdigit()), default=0)
        path = FileVault(root).path(key)
        if path.exists():
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - 1))
                torn += file.read() not in (b"", b"\n")
        sealed += path.with_name(path.name + ".zst").exists()
        halves += any(path.parent.glob(f"{path.name}.*.tmp"))
        kept = check(FileVault(root), key)
        assert kept >= said, f"kill {number}: {said} lines were acknowledged, {kept} are there"
        acknowledged += said
    print(f"kills={kills} acknowledged={acknowledged} torn={torn} sealed={sealed} halves={halves}")


def check(vault: FileVault, key: StreamKey) -> int:
    """Checks that every line is whole and has the content of its number, and returns the number of lines."""
    number = -1
    for number, kept in enumerate(vault.lines(key)):
        assert not isinstance(kept, Damaged), kept
        assert kept.bytes == line(number, most=MOST), f"line {number} is not itself"
        assert kept.head.seq == number
    return number + 1


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
