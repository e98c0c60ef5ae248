"""The paths of streams and blobs below the root of a vault, and which streams exist there."""

import os
from collections.abc import Iterator
from pathlib import Path

from chorus.keep.vault import safe_files, sealing
from chorus.keep.vault.keys import MAIN_STREAM, StreamKey, is_safe_name


def stream_path(root: Path, key: StreamKey) -> Path:
    """Return the path of a stream while it is open; a sealed one has `.zst` added."""
    owner = (root, "conversations", key.workspace, key.agent)
    if key.stream == MAIN_STREAM:
        return Path(*owner, f"{key.conversation}.jsonl")
    return Path(*owner, key.conversation, f"{key.stream}.jsonl")


def stream_file(key: StreamKey) -> str:
    """Return the path of a stream below the vault, as the inventory lists it."""
    owner = f"conversations/{key.workspace}/{key.agent}/{key.conversation}"
    return f"{owner}.jsonl" if key.stream == MAIN_STREAM else f"{owner}/{key.stream}.jsonl"


def stream_at(file: str) -> StreamKey | None:
    """Return the stream that the inventory lists under this path, or None if it is not the path of a stream."""
    match file.removesuffix(".jsonl").split("/"):
        case ["conversations", workspace, agent, conversation]:
            parts = (workspace, agent, conversation, MAIN_STREAM)
        case ["conversations", workspace, agent, conversation, stream]:
            parts = (workspace, agent, conversation, stream)
        case _:
            return None
    return StreamKey(*parts) if file.endswith(".jsonl") and all(map(is_safe_name, parts)) else None


def blob_path(root: Path, name: str) -> Path:
    """Return the path of a blob. Raises ValueError if `name` cannot be the name of one."""
    if not (name.isascii() and name.isalnum()):
        raise ValueError(f"not a blob's name: {name!r}")
    return root / "blobs" / name[:2] / name


def blob_file(name: str) -> str:
    """Return the path of a blob below the vault, as the inventory lists it."""
    return f"blobs/{name[:2]}/{name}"


def all_streams(root: Path) -> Iterator[StreamKey]:
    """Yield every stream of a vault."""
    top = root / "conversations"
    for workspace in _folders(top):
        for agent in _folders(top / workspace):
            yield from sorted(_streams_below(top / workspace / agent, workspace, agent))


def streams_of(root: Path, owner: str) -> list[StreamKey]:
    """Return the streams of one conversation, sorted."""
    workspace, agent, conversation = owner.split("/")
    main = StreamKey(workspace, agent, conversation)
    path = stream_path(root, main)
    found = [main] if path.exists() or sealing.sealed(path).exists() else []
    folder = path.with_suffix("")
    if not safe_files.has_link(root, folder):
        names = {sealing.stream_name(file) for file in _files(folder)} - {MAIN_STREAM}
        found += [StreamKey(workspace, agent, conversation, name) for name in names if name and is_safe_name(name)]
    return sorted(found)


def _streams_below(folder: Path, workspace: str, agent: str) -> Iterator[StreamKey]:
    for name in {sealing.stream_name(file) for file in _files(folder)}:
        if name and is_safe_name(name):
            yield StreamKey(workspace, agent, name)
    for conversation in _folders(folder):
        for name in {sealing.stream_name(file) for file in _files(folder / conversation)} - {MAIN_STREAM}:
            if name and is_safe_name(name):
                yield StreamKey(workspace, agent, conversation, name)


def _files(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _folders(path: Path) -> list[str]:
    """Return the names of folders that may belong to the vault: no links, and only names that the vault uses."""
    if path.is_symlink():
        return []
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and is_safe_name(e.name))
    except OSError:
        return []
