"""One line of facts about each kept conversation, remembered between runs.

`cache/summaries.json` in Chorus' home is disposable: an entry holds for streams of exactly these sizes, and without the
file everything is folded again.
"""

import contextlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct, field

from chorus.archive.kept import Kept, Span, span
from chorus.archive.opening import open_kept
from chorus.conversation.items import Tokens
from chorus.errors import SourceUnreadable
from chorus.store.port import Vault
from chorus.views.heading import heading

VERSION = 1
"""Of what a summary says: one saved by another version is made anew."""


class Summary(Struct, frozen=True, kw_only=True):
    """What a list says about a conversation; figures as the client reported them."""

    title: str
    status: str
    cwd: str | None
    messages: int
    tokens: Tokens
    cost_usd: float | None
    started_at: str | None
    ended_at: str | None


class Entry(Struct):
    """What is remembered of a conversation, as long as its streams have these sizes."""

    sizes: list[tuple[str, int]]
    span: Span
    summary: Summary | None = None


class _File(Struct):
    version: int
    entries: dict[str, Entry] = field(default_factory=dict)


_decoder = msgspec.json.Decoder(_File)


class Summaries:
    """The summaries of one vault; `save` writes down what is new."""

    def __init__(self, vault: Vault, home: Path) -> None:
        self._vault = vault
        self._path = home / "cache" / "summaries.json"
        self._entries = _load(self._path)
        self._seen: dict[str, Entry] = {}
        self._is_changed = False

    def span(self, kept: Kept) -> Span:
        """When the conversation began and ended."""
        return self._entry(kept).span

    def is_known(self, kept: Kept) -> bool:
        """Whether its summary needs no folding."""
        return self._entry(kept).summary is not None

    def summary(self, kept: Kept) -> Summary:
        entry = self._entry(kept)
        if entry.summary is None:
            entry.summary = _summarize(self._vault, kept, entry.span)
            self._is_changed = True
        return entry.summary

    def save(self) -> None:
        """Write atomically what was found; conversations not asked for any more are dropped. Never fails."""
        if not self._is_changed and self._seen.keys() == self._entries.keys():
            return
        half = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
                with os.fdopen(fd, "wb") as file:
                    file.write(msgspec.json.encode(_File(VERSION, self._seen)))
                half.replace(self._path)
            finally:
                half.unlink(missing_ok=True)

    def _entry(self, kept: Kept) -> Entry:
        known = self._seen.get(kept.name)
        if known is not None:
            return known
        sizes = [(key.stream, size) for key, size in zip(kept.keys, kept.sizes_bytes, strict=True)]
        saved = self._entries.get(kept.name)
        if saved is None or saved.sizes != sizes:
            saved = Entry(sizes, span(self._vault, kept))
            self._is_changed = True
        self._seen[kept.name] = saved
        return saved


def _load(path: Path) -> dict[str, Entry]:
    try:
        found = _decoder.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    return found.entries if found.version == VERSION else {}


def _summarize(vault: Vault, kept: Kept, when: Span) -> Summary:
    try:
        head = heading(open_kept(vault, kept))
    except (SourceUnreadable, OSError):
        return Summary(
            title="(nothing readable)",
            status="damaged",
            cwd=None,
            messages=0,
            tokens=Tokens(),
            cost_usd=None,
            started_at=when.first_at,
            ended_at=when.last_at,
        )
    return Summary(
        title=head.title,
        status=head.status,
        cwd=head.cwd,
        messages=head.messages,
        tokens=head.tokens,
        cost_usd=head.cost_usd,
        started_at=head.started_at or when.first_at,
        ended_at=head.ended_at or when.last_at,
    )
