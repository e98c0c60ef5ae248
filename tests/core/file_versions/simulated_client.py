"""A client that changes files in memory and writes the session file that the real client writes about it.

What it does to line endings, marks and trailing text is what `tests/client/test_files.py` sees the real client do.
"""

import codecs
import difflib
import hashlib
from dataclasses import dataclass, field

from chorus.library.files import fold
from chorus.testing.builders import Session, tool_use
from chorus.testing.reading import records

FOLDER = "/home/dev/work"
VERSION = "2.1.325"


@dataclass
class SimulatedClient:
    """A client with files by name and its session; `states` has the bytes after each call that changed a file."""

    disk: dict[str, bytes]
    keeps_backups: bool = True
    version: str = VERSION
    states: dict[str, bytes] = field(default_factory=dict)
    backups: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self):
        self.session = Session(version=self.version, cwd=FOLDER)
        self._number = 0
        self._tracked = {}
        self.prompt("Begin")

    def prompt(self, words="Go on"):
        """Adds a prompt of a person; the client then checks every file that it tracks."""
        line = self.session.user(words)
        if not self.keeps_backups:
            return
        entries = {}
        for name, (number, content, entry) in self._tracked.items():
            if self.disk.get(name) == content:
                entries[name] = entry
            else:
                entries[name] = self._save(name, number + 1)
        snapshot = {"messageId": line["uuid"], "trackedFileBackups": entries, "timestamp": self.session.clock.tick()}
        self.session.add(
            {
                "type": "file-history-snapshot",
                "messageId": line["uuid"],
                "snapshot": snapshot,
                "isSnapshotUpdate": False,
            }
        )

    def read(self, name):
        text = _text(self.disk[name]).removeprefix("\ufeff")
        lines = text.count("\n") + 1
        file = {"filePath": _path(name), "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
        self._call("Read", {"file_path": _path(name)}, {"type": "text", "file": file}, None)

    def write(self, name, content):
        before = self.disk.get(name)
        self._track(name)
        if before and _text(before).startswith("\ufeff") and not content.startswith("\ufeff"):
            content = "\ufeff" + content
        self.disk[name] = content.encode("utf-16-le" if _is_wide(before) else "utf-8")
        original = _text(before) if before else None
        result = {
            "type": "update" if before else "create",
            "filePath": _path(name),
            "content": content,
            "structuredPatch": _patch(original, content) if before else [],
            "originalFile": original,
            "userModified": False,
        }
        self._call("Write", {"file_path": _path(name), "content": content}, result, name)

    def edit(self, name, old, new, *, everywhere=False, hides_original=False):
        before = self.disk[name]
        original = _text(before)
        assert old in original
        self._track(name)
        taken = old + "\n" if not new and not old.endswith("\n") and old + "\n" in original else old
        text = original.replace(taken, new, -1 if everywhere else 1)
        ending = "\r\n" if _is_windows(before) else "\n"
        self.disk[name] = text.replace("\n", ending).encode("utf-16-le" if _is_wide(before) else "utf-8")
        asked = {"file_path": _path(name), "old_string": old, "new_string": new, "replace_all": everywhere}
        result = {
            "filePath": _path(name),
            "oldString": old,
            "newString": new,
            "originalFile": None if hides_original else original,
            "structuredPatch": _patch(original, text),
            "userModified": False,
            "replaceAll": everywhere,
        }
        self._call("Edit", asked, result, name)

    def shell(self, command="make", **changed):
        """Adds a command that changes files; the content None deletes a file."""
        call = self._start("Bash", {"command": command})
        self.change(**changed)
        self.session.tool_result(call, "", structured={"stdout": "", "stderr": "", "interrupted": False})

    def change(self, **changed):
        """Changes files without a record, as a person or another program does."""
        for name, content in changed.items():
            if content is None:
                self.disk.pop(name.replace("_", "."), None)
            else:
                self.disk[name.replace("_", ".")] = content

    def conversation(self):
        (conversation,) = fold(records(bytes(self.session)))
        return conversation

    def backup(self, _conversation, name):
        return self.backups.get(name)

    def _call(self, tool, asked, result, changed):
        call = self._start(tool, asked)
        self.session.tool_result(call, "The file has been updated", structured=result)
        if changed is not None:
            self.states[call] = self.disk[changed]

    def _start(self, tool, asked):
        self._number += 1
        call = f"toolu_{self._number:04}"
        self.session.assistant(tool_use(tool, asked, id=call))
        return call

    def _track(self, name):
        if not self.keeps_backups or name in self._tracked:
            return
        entry = self._save(name, 1)
        self.session.add(
            {
                "type": "file-history-delta",
                "messageId": self.session.leaf,
                "snapshotMessageId": self.session.leaf,
                "trackingPath": name,
                "backup": entry,
                "timestamp": entry["backupTime"],
            }
        )

    def _save(self, name, number):
        content = self.disk.get(name)
        saved = None
        if content is not None:
            saved = f"{hashlib.sha256(_path(name).encode()).hexdigest()[:16]}@v{number}"
            self.backups[saved] = content
        entry = {"backupFileName": saved, "version": number, "backupTime": self.session.clock.tick()}
        self._tracked[name] = number, content, entry
        return entry


def _path(name):
    return f"{FOLDER}/{name}"


def _is_wide(content):
    return bool(content) and content.startswith(codecs.BOM_UTF16_LE)


def _text(content):
    return content.decode("utf-16-le" if _is_wide(content) else "utf-8").replace("\r\n", "\n")


def _is_windows(content):
    sample = content.decode("utf-16-le" if _is_wide(content) else "utf-8")[:4096]
    return sample.count("\r\n") > sample.count("\n") - sample.count("\r\n")


def _patch(old, new):
    """Returns a patch in the form of the client, with two spaces for each leading tab."""
    before, after = (_lines(text) for text in (old, new))
    hunks = []
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [line for text in before[a:b] for line in _shown(" ", text)]
            else:
                lines += [line for text in before[a:b] for line in _shown("-", text)]
                lines += [line for text in after[c:d] for line in _shown("+", text)]
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks


def _lines(text):
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _shown(sign, line):
    tabs = len(line) - len(line.lstrip("\t"))
    text = "  " * tabs + line[tabs:]
    return [sign + text[:-1]] if text.endswith("\n") else [sign + text, "\\ No newline at end of file"]
