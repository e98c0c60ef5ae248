"""The texts of long outputs in separate files, if the vault has these files."""

import os
from collections.abc import Mapping

from chorus.core.conversation import items
from chorus.find.payloads.texts import MAX_CHARS
from chorus.keep.archive.listing import MANIFEST_STREAM
from chorus.keep.archive.manifest import SESSION_BASE, SideFile, manifest_at
from chorus.keep.archive.opening import blob_path
from chorus.keep.vault import safe_files
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.port import Vault

_MAX_BYTES = 4 * MAX_CHARS
"""A character takes at most four bytes."""


class LongOutputs:
    """The side files of one conversation. The manifest is read on the first request for an output."""

    def __init__(self, vault: Vault, workspace: str, agent: str, conversation: str) -> None:
        self._vault = vault
        self._manifest = StreamKey(workspace, agent, conversation, MANIFEST_STREAM)
        self._known: dict[tuple[str, str], SideFile] = {}
        self.read: dict[str, str] = {}
        """Outputs that were requested → the digest of the content that was read; "" if there was none."""

    def text(self, result: items.ToolResult) -> str:
        """Returns the beginning of the whole output of a result that only refers to it; "" for any other."""
        if not result.side_file:
            return ""
        place = SESSION_BASE, f"tool-results/{result.side_file}"
        if place not in self._known:
            self._known = manifest_at(self._vault, self._manifest).side_files
        found = self._known.get(place)
        self.read[result.side_file] = found.blob if found else ""
        return self._beginning(found.blob) if found else ""

    def is_outdated(self, files: Mapping[tuple[str, str], SideFile]) -> bool:
        """Whether a requested output was added or changed since."""
        for name, blob in self.read.items():
            found = files.get((SESSION_BASE, f"tool-results/{name}"))
            if found is not None and found.blob != blob:
                return True
        return False

    def _beginning(self, blob: str) -> str:
        path = blob_path(self._vault, blob)
        try:
            if path is None:
                data = self._vault.blob(blob) or b""
            else:
                with os.fdopen(safe_files.open_file(path, safe_files.READ), "rb") as file:
                    data = file.read(_MAX_BYTES)
        except (OSError, ValueError):
            return ""
        return data[:_MAX_BYTES].decode("utf-8", "replace")[:MAX_CHARS]
