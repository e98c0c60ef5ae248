"""One of several processes that write the same vault: `together.py ROOT WHO LINES`."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from chorus.keep.vault.files import FileVault
from chorus.keep.vault.keys import StreamKey
from tests.keep.vault.lines import SEEN_AT

SHARED = [StreamKey("w", "main", "shared", name) for name in ("one", "two")]


def main(root: Path, who: int, lines: int) -> None:
    chance = random.Random(who)
    vault = FileVault(root)
    own = StreamKey("w", "main", f"own-{who}")
    for number in range(lines):
        # Each process has its own order, so keeping one stream while waiting for another would block forever.
        for key in chance.sample([own, *SHARED], 3):
            text = b"x" * chance.randrange(400)
            vault.append(key, b'{"who":%d,"n":%d,"x":"%s"}\n' % (who, number, text), seen_at=SEEN_AT)
        if chance.random() < 0.2:
            vault.flush()
        if chance.random() < 0.01:
            vault.seal(chance.choice(SHARED))
    vault.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
