"""The Python API for the vault: list, search and open the recorded conversations."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from msgspec import UNSET, UnsetType

from chorus.base import config
from chorus.base.zone import local_zone
from chorus.core.conversation.conversation import Conversation
from chorus.core.file_versions.model import FileVersions
from chorus.core.query.parse import parse
from chorus.core.records.record import Record
from chorus.core.records.times import wire_time
from chorus.errors import SourceUnreadable
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search import answers
from chorus.find.search.answers import Found
from chorus.find.search.opening import PATIENCE_S, BuildOptions, ask
from chorus.find.search.query_forms import conversations
from chorus.keep.archive.annotations import Annotation, Change, annotations_of
from chorus.keep.archive.file_versions import files_over_time
from chorus.keep.archive.listing import Kept, find
from chorus.keep.archive.opening import open_kept, own_records
from chorus.keep.snapshots.stored_edits import stored_edits
from chorus.keep.vault.files import FileVault
from chorus.library import files

_ALL = 1 << 40
"""More than the number of conversations."""
_MANY = 50
_T = TypeVar("_T")


class Vault:
    """The conversations that Chorus recorded. Nothing here changes a record."""

    def __init__(self, root: str | Path | None = None) -> None:
        """`root` is Chorus' home. Default: `$CHORUS_HOME`, else the home of the current folder, else `~/.chorus`."""
        self._files = FileVault(config.vault_for(os.fspath(root) if root else None, Path.cwd()))

    @property
    def root(self) -> Path:
        return self._files.root

    def conversations(self, query: str = "") -> list[ConversationRow]:
        """Returns the conversations that match a query, newest first; all of them without a query."""

        return (
            self._ask(lambda index: conversations(index, self._files, self._asked(query, index), limit=_ALL)[0]) or []
        )

    def annotation(self, conversation: str) -> Annotation:
        """Returns the annotation of the conversation whose id begins with this text: its title, star, tags and note."""
        return annotations_of(self.root).of(self._kept(conversation).name)

    def annotate(
        self,
        conversation: str,
        *,
        title: str | UnsetType = UNSET,
        starred: bool | UnsetType = UNSET,
        archived: bool | UnsetType = UNSET,
        tags: Iterable[str] | UnsetType = UNSET,
        note: str | UnsetType = UNSET,
    ) -> Annotation:
        """Changes the annotation of a conversation. Omitted values stay. The conversation itself does not change."""
        change = Change(
            title=title,
            is_starred=starred,
            is_archived=archived,
            tags=tags if isinstance(tags, UnsetType) else tuple(tags),
            note=note,
        )
        name = self._kept(conversation).name
        return annotations_of(self.root).change(name, change, time=wire_time(datetime.now(UTC)))

    def search(self, query: str, *, limit: int = _MANY) -> list[Found]:
        """Returns the entries that match a query, newest first. The query language is that of `chorus search`."""
        found = self._ask(lambda index: answers.find(index, self._files, self._asked(query, index), limit=limit))
        return found.found if found else []

    def open(self, conversation: str) -> Conversation:
        """Returns the conversation whose id begins with this text. Raises `SourceUnreadable` if none or several do."""
        return open_kept(self._files, self._kept(conversation))

    def files(self, conversation: str) -> list[FileVersions]:
        """Returns the files that a conversation touched, each with all its versions, in order of first use."""
        with stored_edits(self.root) as stored:
            return files_over_time(self._files, [self._kept(conversation)], stored).files

    def records(self, conversation: str) -> Iterator[Record]:
        """Yields every record of a conversation, stream by stream, with its exact bytes.

        Records of other sessions in the same files belong to their own conversations.
        """
        return own_records(self._files, self._kept(conversation))

    def _asked(self, query: str, index: Index) -> answers.Query:
        return with_commits(self._parsed(query), index, self._files)

    def _kept(self, conversation: str) -> Kept:
        found = find(self._files, conversation) if conversation else []
        if len(found) != 1:
            ids = ", ".join(each.id for each in found[:5])
            what = f"{len(found)} conversations begin with it ({ids} …)" if found else "no conversation has this id"
            raise SourceUnreadable(f"{conversation}: {what} in {self.root}")
        return found[0]

    def _ask(self, act: Callable[[Index], _T]) -> _T | None:
        making = BuildOptions(datetime.now(UTC), _no_progress, lambda _text: None, PATIENCE_S)
        return ask(self._files, act, making, cost_of=Costs(config.home(os.fspath(self.root))).cost_of)

    @staticmethod
    def _parsed(query: str) -> answers.Query:
        return parse(query, now=datetime.now(local_zone()))

    def __repr__(self) -> str:
        return f"<Vault {self.root}>"


def vault(root: str | Path | None = None) -> Vault:
    """Returns the vault in Chorus' home, or in `root`."""
    return Vault(root)


def search(query: str, *, limit: int = _MANY) -> list[Found]:
    """Returns the entries of all recorded conversations that match a query, newest first."""
    return Vault().search(query, limit=limit)


def open(source: files.Source) -> Conversation:  # noqa: A001 - chorus.open(path) is the name users will look for
    """Returns the main conversation of a file (with its sub-agents) or folder, or a recorded one by its id.

    `source` may be the beginning of the id. A file or folder with this name takes precedence.
    """
    if isinstance(source, str) and source != "-" and not os.path.lexists(source):
        with contextlib.suppress(SourceUnreadable):
            return Vault().open(source)
    return files.open(source)


def _no_progress() -> AbstractContextManager[Callable[[int], None]]:
    return contextlib.nullcontext(lambda _bytes: None)
