"""Finds the streams that a person named, and checks them before any work starts."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chorus.errors import SourceUnreadable
from chorus.keep.sources.file_access import Skips, ignore
from chorus.keep.sources.files import STDIN, expand

if TYPE_CHECKING:
    from chorus.core.conversation.route import Router
    from chorus.core.records.record import Piece


class Readable(Protocol):
    """A stream that is read once, from a file or from the vault; the numbers are final after `batches` ends."""

    name: str
    size_bytes: int

    @property
    def lines(self) -> int: ...

    def router(self) -> "Router": ...

    def batches(self) -> Iterator[list["Piece"]]: ...


def streams_of(sources: Sequence[str], skips: Skips = ignore) -> list[str]:
    """Returns every stream below the sources, each once; raises `SourceUnreadable` for an unreadable or empty source.

    `skips` is called with everything in folders that is left out.

    Files inside a folder are not opened here: an unreadable one is found when it is read.
    """
    found: dict[str, None] = {}
    for source in sources:
        is_folder = source != STDIN and Path(source).is_dir()
        streams = expand([source], skips)
        if not streams:
            raise SourceUnreadable(
                f"{source}: there is no .jsonl file in this folder; name the folder or file that has one"
            )
        if source != STDIN and not os.access(source, os.R_OK | (os.X_OK if is_folder else 0)):
            raise SourceUnreadable(f"{source}: you are not allowed to read this; check its permissions")
        found.update(dict.fromkeys(streams))
    return list(found)
