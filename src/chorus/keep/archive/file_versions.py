"""Files over time, from the vault: conversations are opened, and the client's backups of files are read from blobs."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from chorus.core.conversation.items import Order
from chorus.core.file_versions.files import call_ends, files_of
from chorus.core.file_versions.model import Backups, FileVersions
from chorus.core.file_versions.stored_files import StoredEdits, nothing_stored
from chorus.keep.archive.listing import MANIFEST_STREAM, Kept, conversations
from chorus.keep.archive.manifest import CONFIG_BASE, SideFile
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.line import StoredLine
from chorus.keep.vault.port import Vault

_FOLDER = "file-history"
"""The folder of the client with its backups."""
_side_file = msgspec.json.Decoder(SideFile)


class FilesOverTime(Struct, frozen=True):
    """The files of one or more conversations."""

    files: list[FileVersions]
    calls: dict[str, Order]
    """The end of every call, by its id."""
    folder: str | None
    """The folder in which the conversations worked; None if they do not agree."""
    titles: dict[str, str]
    """The titles of the conversations, by their ids."""


def files_over_time(vault: Vault, kept: Sequence[Kept], stored: StoredEdits = nothing_stored) -> FilesOverTime:
    """Return the files that conversations touched, with all their versions. Several are followed together.

    `stored` returns what snapshots say about a conversation.
    """
    opened = [open_kept(vault, each) for each in kept]
    calls: dict[str, Order] = {}
    for conversation in opened:
        calls |= call_ends(conversation)
    folders = {conversation.session.cwd for conversation in opened}
    return FilesOverTime(
        files=files_of(opened, backups_of(vault, kept), stored),
        calls=calls,
        folder=folders.pop() if len(folders) == 1 else None,
        titles={conversation.id: conversation.title or "" for conversation in opened},
    )


def of_workspace(vault: Vault, workspace: str) -> list[Kept]:
    """Return the conversations of a workspace that have more than prompts."""
    return [each for each in conversations(vault) if each.workspace == workspace and not each.is_stub]


def backups_of(vault: Vault, kept: Sequence[Kept]) -> Backups:
    """Return the function that reads backups of these conversations."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in kept:
        key = next((key for key in each.keys if key.stream == MANIFEST_STREAM), None)
        for line in vault.lines(key) if key is not None else ():
            if isinstance(line, StoredLine) and (side := _backup(line.body)):
                found.setdefault((each.id, side.path.rpartition("/")[2]), set()).add(side.blob)

    def read(conversation: str, name: str) -> bytes | None:
        blobs = found.get((conversation, name), set())
        # A name with two contents does not say which of them was meant at which time.
        return vault.blob(next(iter(blobs))) if len(blobs) == 1 else None

    return read


def _backup(body: bytes) -> SideFile | None:
    if _FOLDER.encode() not in body:
        return None
    try:
        side = _side_file.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return None
    is_name = len(side.blob) == 64 and side.blob.isascii() and side.blob.isalnum()
    return side if is_name and side.base == CONFIG_BASE and side.path.startswith(f"{_FOLDER}/") else None
