"""Compares file versions with the truth: the real client changes files, and their bytes are noted after each call."""

from pathlib import Path
from typing import NamedTuple

from chorus.core.file_versions.model import Certainty
from chorus.keep.archive.file_versions import files_over_time
from chorus.keep.archive.listing import find
from chorus.keep.vault.files import FileVault
from tests.support.scripted_api import ScriptedApi

CHECKPOINTS = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"


class WatchingApi(ScriptedApi):
    """Notes all files of a folder whenever the client asks for the next message, that is, after each call."""

    def __init__(self, *answers):
        super().__init__(*answers)
        self.folder: Path | None = None
        self.after: dict[str, dict[str, bytes]] = {}
        """Call → the files after it, by their paths."""
        self._given: list[str] = []

    def _message(self, request):
        if request.get("tools") and self.folder is not None:
            now = {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            self.after.update(dict.fromkeys(self._given, now))
            self._given = []
        message = super()._message(request)
        if isinstance(message, dict) and request.get("tools"):
            self._given = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        return message


class Figures(NamedTuple):
    """The numbers of compared and exact versions, and the list of wrong ones."""

    versions: int
    exact: int
    wrong: list[str]

    @property
    def share(self):
        return self.exact / self.versions if self.versions else 1.0


def compared(root, session, api):
    """Compares every version that a call made with the bytes on disk after that call."""
    vault = FileVault(root)
    found = files_over_time(vault, find(vault, session))
    versions = exact = 0
    wrong: list[str] = []
    for file in found.files:
        for version in file.versions:
            if version.cause != "call" or version.call not in api.after:
                continue
            versions += 1
            if version.certainty is not Certainty.EXACT:
                continue
            exact += 1
            if file.content(version) != api.after[version.call].get(file.path):
                wrong.append(f"{file.path} version {version.number} by {version.tool} {version.call}")
    return Figures(versions, exact, wrong), found
