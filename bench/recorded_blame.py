"""The corpus of `blaming` again, without snapshots: of what agents did, only the client's session files are left."""

import difflib
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.blaming import World
from chorus.core.file_versions.files import files_of
from chorus.core.records.times import wire_time
from chorus.find.provenance.recorded_edits import RecordedFile, recorded_file
from chorus.library.files import fold
from chorus.testing.builders import Session, tool_use
from chorus.testing.builders.lines import Clock
from chorus.testing.reading import records


class _Clock(Clock):
    """The time of a world, in the client's format."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def tick(self, milliseconds: int | None = None) -> str:
        self._world.time_ms += 1000 if milliseconds is None else milliseconds
        return wire_time(datetime.fromtimestamp(self._world.time_ms / 1000, UTC))


class RecordedWorld(World):
    """A repository in which agents leave session files. A third of the results do not have the file before the edit."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        super().__init__(root, chance)
        ids = {name: f"5e551011-0000-4000-8000-00000000000{number}" for number, name in enumerate(("c1", "c2"))}
        self.sessions = {
            name: Session(ids[name], version="2.1.325", cwd=str(self.folder), clock=_Clock(self)) for name in ids
        }
        for session in self.sessions.values():
            session.user("Begin")

    def look(self) -> None:
        """There are no snapshots."""

    def agent(self) -> None:
        session, name, call = self.chance.choice(list(self.sessions.values())), self.file(), self.new("call")
        if self.chance.random() < 0.2:
            session.user("Go on")
        path = self.folder / name
        before = path.read_text()
        self.edit(name, call)
        after = path.read_text()
        original = None if self.chance.random() < 0.33 else before
        facts: dict[str, Any] = {
            "filePath": str(path),
            "structuredPatch": hunks(before, after),
            "originalFile": original,
            "userModified": False,
        }
        if self.chance.random() < 0.2:
            session.assistant(tool_use("Write", {"file_path": str(path), "content": after}, id=call))
            facts |= {"type": "update", "content": after}
        else:
            asked = {"file_path": str(path), "old_string": before, "new_string": after}
            session.assistant(tool_use("Edit", asked, id=call))
            facts |= {"oldString": before, "newString": after, "replaceAll": False}
        session.tool_result(call, "The file has been updated", structured=facts)

    def shell(self) -> None:
        session, call = self.chance.choice(list(self.sessions.values())), self.new("call")
        session.assistant(tool_use("Bash", {"command": "make"}, id=call))
        self.edit(self.file(), call)
        session.tool_result(call, "", structured={"stdout": "", "stderr": "", "interrupted": False})

    def command(self, work: Callable[[], object]) -> None:
        session, call = self.chance.choice(list(self.sessions.values())), self.new("call")
        session.assistant(tool_use("Bash", {"command": "make"}, id=call))
        work()
        session.tool_result(call, "", structured={"stdout": "", "stderr": "", "interrupted": False})

    def find_recorded(self, path: str) -> RecordedFile:
        conversations = [each for session in self.sessions.values() for each in fold(records(bytes(session)))]
        return recorded_file(conversations, files_of(conversations), path)


def hunks(before: str, after: str) -> list[dict[str, Any]]:
    """Returns a patch in the form of the client."""
    old, new = before.splitlines(), after.splitlines()
    found = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            same = tag == "equal"
            lines += [(" " if same else "-") + line for line in old[a:b]]
            lines += [] if same else ["+" + line for line in new[c:d]]
        first, last = group[0], group[-1]
        found.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return found
