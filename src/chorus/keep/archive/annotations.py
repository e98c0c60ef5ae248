"""What a person added to conversations: a title, a star, an archive flag, tags, a note. Transcripts are not changed.

Stored in `state/annotations.jsonl`, a journal (`keep/vault/journal.py`) with one change per line; the last change of
each field counts. Conversations are named as in the vault (`workspace/agent/conversation`).
"""

import hashlib
import threading
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from chorus.errors import ChorusError, VaultUnwritable
from chorus.keep.vault import journal_line, proof
from chorus.keep.vault.journal import Journal, JournalEntry
from chorus.keep.vault.safe_files import put_file, sync_folder

NAME = "annotations.jsonl"
LONGEST_TITLE, LONGEST_TAG, LONGEST_NOTE, MAX_TAGS = 300, 60, 10_000, 20
"""The maximum number of characters, and of tags of one conversation."""


class Annotation(Struct, frozen=True, kw_only=True):
    """What a person added to one conversation."""

    title: str | None = None
    is_starred: bool = False
    is_archived: bool = False
    tags: tuple[str, ...] = ()
    note: str | None = None


class Change(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of an annotation; fields that are not set stay. An empty title or note removes it."""

    title: str | UnsetType = UNSET
    is_starred: bool | UnsetType = UNSET
    is_archived: bool | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    """All of them."""
    note: str | UnsetType = UNSET


class _Line(Struct, frozen=True):
    conversation: str
    time: str
    change: Change


NOTHING = Annotation()
_line = msgspec.json.Decoder(_Line)


class Annotations:
    """The annotations of one vault, as they are in the file now. Safe for use by several threads."""

    def __init__(self, root: Path) -> None:
        self._journal = Journal(root / "state" / NAME)
        self._lock = threading.Lock()
        self._generation = 0
        self._known: dict[str, Annotation] = {}
        self.version = 0
        """Increases with every change."""

    def of(self, name: str) -> Annotation:
        """Return the annotation of a conversation."""
        return self.all().get(name, NOTHING)

    def has_changed(self) -> bool:
        """Return whether `all` may return something new; costs one `stat`."""
        return self._journal.has_changed()

    def all(self) -> dict[str, Annotation]:
        """Return the annotations by the names of conversations.

        Costs one `stat`; lines that cannot be read are ignored.
        """
        with self._lock:
            try:
                if self._journal.has_changed():
                    self._take(self._journal.news())
            except ChorusError:
                return self._known
            return self._known

    def change(self, name: str, change: Change, *, time: str) -> Annotation:
        """Change the annotation of a conversation; durable on return.

        Raises ChorusError if a text is too long, or if the change cannot be stored.
        """
        body = msgspec.json.encode(_Line(name, time, checked(change)))
        with self._lock, self._journal.transaction() as transaction:
            self._take(transaction.news())
            news = transaction.append(body)
            transaction.check(body, news)
            self._take(news)
            return self._known.get(name, NOTHING)

    def _take(self, news: Iterable[JournalEntry]) -> None:
        known: dict[str, Annotation] | None = None
        for entry in news:
            if known is None:
                is_same = self._generation == self._journal.generation
                known, self._generation = (dict(self._known) if is_same else {}), self._journal.generation
            try:
                line = _line.decode(entry.body)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue
            known[line.conversation] = _changed(known.get(line.conversation, NOTHING), line.change)
        if known is None and self._generation != self._journal.generation:
            known, self._generation = {}, self._journal.generation
        if known is not None:
            # Replaced, not changed: a caller that has the old dict can still use it.
            self._known = known
            self.version += 1


@lru_cache(8)
def annotations_of(root: Path) -> Annotations:
    """Return the annotations of the vault in `root`."""
    return Annotations(root)


def checked(change: Change) -> Change:
    """Return the change as it is stored, with titles and tags on one line.

    Raises ChorusError if something is too long.
    """
    title = change.title if change.title is UNSET else " ".join(_valid_utf8(change.title).split())
    note = change.note if change.note is UNSET else _valid_utf8(change.note).strip()
    tags = change.tags if change.tags is UNSET else _tags(change.tags)
    for what, text, most in (("title", title, LONGEST_TITLE), ("note", note, LONGEST_NOTE)):
        if text is not UNSET and len(text) > most:
            raise ChorusError(f"a {what} has at most {most:,} characters; this one has {len(text):,}")
    return structs.replace(change, title=title, note=note, tags=tags)


def _tags(given: Iterable[str]) -> tuple[str, ...]:
    """Return each tag once (ignoring case), without spaces, commas or a leading `#`, so that `tag:` can find it."""
    found: dict[str, str] = {}
    for text in given:
        tag = tag_of(text)
        if not tag:
            raise ChorusError("a tag has a letter or a digit at least")
        if len(tag) > LONGEST_TAG:
            raise ChorusError(f"a tag has at most {LONGEST_TAG} characters; this one has {len(tag):,}")
        found.setdefault(tag.lower(), tag)
    if len(found) > MAX_TAGS:
        raise ChorusError(f"a conversation has at most {MAX_TAGS} tags")
    return tuple(found.values())


def tag_of(text: str) -> str:
    """Return a tag as it is stored."""
    return "-".join(_valid_utf8(text).replace(",", " ").replace('"', " ").split()).lstrip("#-")


def _valid_utf8(text: str) -> str:
    """Return text that can be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _changed(known: Annotation, change: Change) -> Annotation:
    fields = {name: value for name, value in structs.asdict(change).items() if value is not UNSET}
    for name in ("title", "note"):
        if name in fields:
            fields[name] = fields[name] or None
    return structs.replace(known, **fields)


def forget_annotations(root: Path, conversations: Collection[str]) -> None:
    """Drop every line about the conversations with these ids.

    The file is rewritten, with each line bound to the one before it. Raises VaultUnwritable if that failed.
    """
    journal = Journal(root / "state" / NAME)
    if not journal.path.exists():
        return
    try:
        with journal.transaction() as transaction:
            entries = list(transaction.news())
            left = [entry.body for entry in entries if not _is_about(entry.body, conversations)]
            if len(left) == len(entries):
                return
            lines, prev = list[bytes](), journal_line.START
            for number, body in enumerate(left, 1):
                lines.append(journal_line.encode(number, prev, body))
                prev = hashlib.sha256(lines[-1]).hexdigest()
            data = b"".join(line + b"\n" for line in lines)
            with proof.replacing(journal.path, data):
                put_file(journal.path, data)
                sync_folder(journal.path.parent)
    except OSError as error:
        raise VaultUnwritable(f"{journal.path}: {error.strerror or error}; try again") from error


def _is_about(body: bytes, conversations: Collection[str]) -> bool:
    try:
        return _line.decode(body).conversation.rpartition("/")[2] in conversations
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # A line that cannot be read is useless, and may be about any conversation.
        return True
