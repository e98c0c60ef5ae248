"""The labelled corpus of sentences and outputs: half of it are traps, and a third was not seen when rules were written.

Each line is a list: kind (`prose` or `program`), group, text, the completed and the total number (null for traps), and
for a program the command.
"""

import json
from pathlib import Path

from msgspec import Struct

from chorus.core.progress.outputs import read_output
from chorus.core.progress.prose import read_prose

_FOLDER = Path(__file__).parent / "corpus"
HELD_OUT, WRITTEN_ON = "held_out", "written_on"


class Labelled(Struct, frozen=True):
    kind: str
    group: str
    text: str
    expected: tuple[int, int | None] | None
    command: str | None

    @property
    def found(self) -> tuple[int, int | None] | None:
        """What the rules find in the text."""
        count = read_prose(self.text) if self.kind == "prose" else read_output(self.text, self.command)
        return (count.completed, count.total) if count else None


class Score(Struct):
    right: int = 0
    wrong: int = 0
    """Statements that are not in the text, or have other numbers."""
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def labelled(name: str) -> list[Labelled]:
    """Returns the entries of one file of the corpus."""
    found = []
    for line in (_FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        kind, group, text, completed, total, *command = json.loads(line)
        expected = None if completed is None else (completed, total)
        found.append(Labelled(kind, group, text, expected, command[0] if command else None))
    return found


def score(entries: list[Labelled]) -> Score:
    """Returns how often the rules are right."""
    result = Score()
    for each in entries:
        found = each.found
        result.right += found is not None and found == each.expected
        result.wrong += found is not None and found != each.expected
        result.missed += each.expected is not None and found != each.expected
    return result
