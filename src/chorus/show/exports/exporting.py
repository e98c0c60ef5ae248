"""Makes the file of an export: one conversation in one format, checked once more for what must not be in it."""

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from chorus.core.conversation.conversation import Conversation
from chorus.core.redaction.checking import leaks
from chorus.core.redaction.choices import Choices
from chorus.core.redaction.findings import Finding
from chorus.core.views.document import document
from chorus.core.views.markdown import markdown
from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.archive.listing import Kept
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.port import Vault, content
from chorus.show.exports.copying import Copied, copy
from chorus.show.exports.html_file import html_file, read_bundle
from chorus.show.exports.page_data import encoded, page_data
from chorus.show.exports.selection import Selection
from chorus.show.exports.short_markdown import shortened
from chorus.show.wire import ExportFormat

SUFFIXES: dict[ExportFormat, str] = {"html": ".html", "markdown": ".md", "json": ".json", "session-file": ".jsonl"}
_TITLE_CHARS = 48
_BEGINNING_CHARS = 4_000
_UNSAFE = re.compile(r"[^a-z0-9]+")


class Exported(Struct, kw_only=True):
    """The content of a file that may be written, and what is in it."""

    data: bytes
    format: ExportFormat
    title: str
    started_at: str | None
    findings: list[Finding]
    missing: list[str]
    records: int
    left_out: int
    beginning: str

    @property
    def file_name(self) -> str:
        """A name for the file: made of the title, in which nothing is special to a shell or a file system."""
        words = _UNSAFE.sub("-", self.title.lower())[:_TITLE_CHARS].strip("-")
        day = (self.started_at or "")[:10]
        return "-".join(part for part in (day, words or "conversation") if part) + SUFFIXES[self.format]


def export(
    vault: Vault,
    kept: Kept,
    form: ExportFormat,
    choices: Choices,
    selection: Selection | None = None,
    *,
    home: Path,
    made_with: str,
) -> Exported:
    """Returns the file of a conversation. Raises `ChorusError` if a hidden value would still be in it."""
    chosen = selection or Selection()
    if form == "session-file" and not choices.is_on and chosen.is_everything:
        return _unchanged(vault, kept)
    copied = copy(vault, kept, choices, chosen)
    conversation = open_kept(copied.vault, copied.kept)
    data, beginning, readable = _content(copied, conversation, form, chosen, home=home, made_with=made_with)
    found = leaks(readable, copied.hidden)
    if found:
        names = ", ".join(each.placeholder for each in found[:5])
        raise ChorusError(
            f"{kept.id}: {len(found)} hidden values are still in the export ({names}); nothing was written. "
            "Please report this, and use --replace or another format"
        )
    return Exported(
        data=data,
        format=form,
        title=conversation.session.title or kept.id,
        started_at=conversation.session.started_at,
        findings=copied.findings,
        missing=copied.missing,
        records=copied.records,
        left_out=copied.left_out,
        beginning=beginning[:_BEGINNING_CHARS],
    )


def _content(
    copied: Copied, conversation: Conversation, form: ExportFormat, selection: Selection, *, home: Path, made_with: str
) -> tuple[bytes, str, bytes]:
    """Returns the file, its text, and all of it that a reader can see: the data of an HTML file is compressed."""
    if form == "session-file":
        key = copied.kept.session_file
        if key is None:
            raise _no_session_file(copied.kept)
        data = b"".join(content(copied.vault, key).pieces())
        return data, data[:_BEGINNING_CHARS].decode("utf-8", "replace"), data
    if form == "json":
        text = "".join(document(conversation))
        data = text.encode("utf-8", "replace")
        return data, text[:_BEGINNING_CHARS], data
    text = "".join(markdown(conversation, thinking=selection.has_thinking))
    data = text.encode("utf-8", "replace")
    if form == "markdown":
        return data, text, data
    page = encoded(page_data(copied, selection, home=home, made_with=made_with))
    title = conversation.session.title or "Conversation"
    return html_file(page, shortened(text), title, read_bundle()), text, page + data


def _unchanged(vault: Vault, kept: Kept) -> Exported:
    key = kept.session_file
    if key is None:
        raise _no_session_file(kept)
    try:
        data = b"".join(content(vault, key).pieces())
    except ValueError as error:
        raise SourceUnreadable(f"{kept.id}: {error}; `chorus doctor --full` says more") from error
    conversation = open_kept(vault, kept)
    return Exported(
        data=data,
        format="session-file",
        title=conversation.session.title or kept.id,
        started_at=conversation.session.started_at,
        findings=[],
        missing=[],
        records=data.count(b"\n"),
        left_out=0,
        beginning=data[:_BEGINNING_CHARS].decode("utf-8", "replace"),
    )


def _no_session_file(kept: Kept) -> ChorusError:
    return ChorusError(
        f"{kept.id}: the client's session file was not recorded, only its output; use --json or --markdown"
    )


def total_bytes(exports: Iterable[Exported]) -> int:
    """Returns the size of several files."""
    return sum(len(each.data) for each in exports)
