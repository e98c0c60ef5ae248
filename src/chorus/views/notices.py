"""Records that are no messages, as rows."""

from chorus.conversation import items
from chorus.conversation.items import Author
from chorus.records.model.base import ABSENT
from chorus.views.blocks import Block, Note, Unread
from chorus.views.content import json_of
from chorus.views.prompts import prompt
from chorus.views.rows import NoticeRow


def notice_row(notice: items.Notice) -> NoticeRow:
    """What a reader sees of a record: its kind, its text, and all of it where its type is not known."""
    blocks: list[Block] = []
    if notice.type == "unread":
        place = f"{notice.place.stream}:{notice.place.offset}"
        blocks.append(Unread(reason=notice.reason or "unknown", text=notice.text or "", place=place))
    else:
        if notice.text:
            tagged = prompt(Author.COMMAND, notice.text) if notice.text.lstrip().startswith("<") else []
            blocks.extend(tagged or [Note(text=notice.text)])
        if notice.body != ABSENT:
            blocks.append(json_of(notice.body, is_bulk=True))
    title = " ".join(part for part in (notice.type, notice.kind) if part) or "record without a type"
    return NoticeRow(id=notice.id, time=notice.time, title=title, is_internal=notice.is_internal, blocks=tuple(blocks))
