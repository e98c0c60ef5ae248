"""Builds rows for records that are no messages."""

from typing import Literal

from chorus.core.conversation import items
from chorus.core.conversation.items import ApiFailure, Author
from chorus.core.records.model.base import ABSENT
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Note, Unread
from chorus.core.views.content import json_of
from chorus.core.views.prompts import prompt
from chorus.core.views.rows import NoticeRow

_BULK_CHARS = 400
_LEVELS: dict[str | None, Literal["info", "warning", "error"]] = {"error": "error", "warning": "warning"}


def level_of(notice: items.Notice) -> str | None:
    """Returns the level that the record states; in flat streams, the type `error` is the level."""
    return notice.level or ("error" if notice.type == "error" else None)


def notice_row(notice: items.Notice) -> NoticeRow:
    """Returns the row of a notice: its kind and text, and the complete record if its type is unknown."""
    if notice.failure is not None:
        return failures_row(notice, notice, 1)
    if notice.source is not None:
        return conflict_row(notice)
    blocks: list[Block] = []
    if notice.type == "unread":
        place = f"{notice.place.stream}:{notice.place.offset}"
        blocks.append(Unread(reason=notice.reason or "unknown", text=notice.text or "", place=place))
    else:
        if notice.text:
            tagged = prompt(Author.COMMAND, notice.text) if notice.text.lstrip().startswith("<") else []
            blocks.extend(tagged or [Note(text=notice.text, level=_LEVELS.get(level_of(notice), "info"))])
        if notice.body != ABSENT:
            blocks.append(json_of(notice.body, is_bulk=True))
    if notice.tool is not None:
        level = "warning" if notice.kind == "denied" else "info"
        note = Note(text=notice.text or "", level=level)
        return NoticeRow(
            id=notice.id, time=notice.time, title="permission", is_internal=notice.is_internal, blocks=(note,)
        )
    title = _title(notice) or "record without a type"
    return NoticeRow(id=notice.id, time=notice.time, title=title, is_internal=notice.is_internal, blocks=tuple(blocks))


def _title(notice: items.Notice) -> str:
    """Returns the type and kind of a record in words."""
    return " ".join(figures.in_words(part) for part in (notice.type, notice.kind) if part)


def conflict_row(notice: items.Notice) -> NoticeRow:
    """Returns a row with what another source says, and that it does not count."""
    what = _title(notice) or "record"
    about = f"contradicts {notice.against}" if notice.against else "is not in the record that counts"
    blocks: tuple[Block, ...] = (Note(text=f"{notice.source}: {what} {about}", level="warning"),)
    if notice.text:
        blocks += (Note(text=notice.text, is_bulk=len(notice.text) > _BULK_CHARS),)
    return NoticeRow(
        id=notice.id, time=notice.time, title="another source says", is_internal=notice.is_internal, blocks=blocks
    )


def doubtful(stated: str) -> Note:
    """Returns a warning that a number in a record is impossible; the text quotes it."""
    return Note(text=f"not counted, because no API returns it: {stated}", level="warning")


def failures_row(first: items.Notice, last: items.Notice, count: int) -> NoticeRow:
    """Returns one row for an uninterrupted series of API errors: the latest state, and how long the series lasted."""
    failure = last.failure or ApiFailure()
    words = failure_in_words(failure)
    if count > 1:
        elapsed = figures.elapsed_ms(first.time, last.time)
        lasting = f" in {figures.duration(elapsed)}" if elapsed else ""
        words += f" · {count} errors{lasting}"
    note = Note(text=words, level="error" if failure.attempt is None else "warning")
    return NoticeRow(id=first.id, time=first.time, title="API error", is_internal=first.is_internal, blocks=(note,))


def failure_in_words(failure: ApiFailure) -> str:
    """Returns why the API refused, which attempt comes next, and when."""
    reason = " ".join(part for part in (failure.status, failure.words) if part) or "no reason given"
    if failure.attempt is None:
        return reason
    of = "" if failure.most_attempts is None else f" of {failure.most_attempts}"
    delay = "" if failure.delay_ms is None else f" in {figures.duration(failure.delay_ms)}"
    return f"{reason} · retrying {failure.attempt}{of}{delay}"
