"""What a person said about conversations: a title, a star, archived, tags, a note. Transcripts stay as they are.

Kept in `state/annotations.jsonl`, a journal (`keep/vault/journal.py`) of one change a line; the last word on each field
counts. Conversations are named as in the vault (`workspace/agent/conversation`).
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
from chorus.keep.vault.journal import Entry, Journal
from chorus.keep.vault.safe_files import put_file, sync_folder

NAME = "annotations.jsonl"
LONGEST_TITLE, LONGEST_TAG, LONGEST_NOTE, MAX_TAGS = 300, 60, 10_000, 20
"""Characters, and tags of one conversation."""


class Annotation(Struct, frozen=True, kw_only=True):
    """What a person said about one conversation."""

    title: str | None = None
    is_starred: bool = False
    is_archived: bool = False
    tags: tuple[str, ...] = ()
    note: str | None = None


class Change(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is said anew; fields that are not set stay. An empty title or note takes it away."""

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
    """Those of one vault, as the file has them now. May be used by several threads."""

    def __init__(self, root: Path) -> None:
        self._journal = Journal(root / "state" / NAME)
        self._lock = threading.Lock()
        self._generation = 0
        self._known: dict[str, Annotation] = {}
        self.version = 0
        """Grows when something changed."""

    def of(self, name: str) -> Annotation:
        """What was said about a conversation."""
        return self.all().get(name, NOTHING)

    def has_changed(self) -> bool:
        """Whether `all` may tell something new; costs one `stat`."""
        return self._journal.has_changed()

    def all(self) -> dict[str, Annotation]:
        """What was said, by the names of conversations. Costs one `stat`; what cannot be read counts for nothing."""
        with self._lock:
            try:
                if self._journal.has_changed():
                    self._take(self._journal.news())
            except ChorusError:
                return self._known
            return self._known

    def change(self, name: str, change: Change, *, time: str) -> Annotation:
        """Say something about a conversation; durable on return. `ChorusError` for what is too long, or not kept."""
        body = msgspec.json.encode(_Line(name, time, checked(change)))
        with self._lock, self._journal.transaction() as transaction:
            self._take(transaction.news())
            news = transaction.append(body)
            transaction.check(body, news)
            self._take(news)
            return self._known.get(name, NOTHING)

    def _take(self, news: Iterable[Entry]) -> None:
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
            # Replaced as a whole: whoever has the old one goes on with that.
            self._known = known
            self.version += 1


@lru_cache(8)
def annotations_of(root: Path) -> Annotations:
    """The annotations of the vault in `root`."""
    return Annotations(root)


def checked(change: Change) -> Change:
    """The change as it is kept: titles and tags on one line; `ChorusError` when something is too long."""
    title = change.title if change.title is UNSET else " ".join(_sound(change.title).split())
    note = change.note if change.note is UNSET else _sound(change.note).strip()
    tags = change.tags if change.tags is UNSET else _tags(change.tags)
    for what, text, most in (("title", title, LONGEST_TITLE), ("note", note, LONGEST_NOTE)):
        if text is not UNSET and len(text) > most:
            raise ChorusError(f"a {what} has at most {most:,} characters; this one has {len(text):,}")
    return structs.replace(change, title=title, note=note, tags=tags)


def _tags(given: Iterable[str]) -> tuple[str, ...]:
    """Each once, in either case, without blanks, commas or a leading `#`, so that `tag:` can ask for it."""
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
    """A tag as it is kept."""
    return "-".join(_sound(text).replace(",", " ").replace('"', " ").split()).lstrip("#-")


def _sound(text: str) -> str:
    """Text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()


def _changed(known: Annotation, change: Change) -> Annotation:
    said = {name: value for name, value in structs.asdict(change).items() if value is not UNSET}
    for name in ("title", "note"):
        if name in said:
            said[name] = said[name] or None
    return structs.replace(known, **said)


def forget_annotations(root: Path, conversations: Collection[str]) -> None:
    """Drop every line about conversations of these ids: what was said about them goes with them.

    The file is written again, each line bound to the one before it. `VaultUnwritable` when that failed.
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
        # What cannot be read serves nobody, and may be about anything.
        return True
