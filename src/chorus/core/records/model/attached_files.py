"""Attachments that contain a file, a part of one, or a reference to one."""

from typing import Annotated

from msgspec import Raw, Struct

from chorus.core.records.model.attachment import Body
from chorus.core.records.model.base import ABSENT, Lazy


class AttachedText(Struct, kw_only=True):
    filePath: str | None = None
    content: str | None = None
    numLines: int | None = None
    startLine: int | None = None
    totalLines: int | None = None


class AttachedContent(Struct, kw_only=True):
    type: str | None = None
    file: AttachedText | None = None


class SavedCopyFraming(Struct, kw_only=True):
    enveloped: bool | None = None


class File(Body, tag="file"):
    filename: str | None = None
    displayPath: str | None = None
    content: Annotated[Raw, Lazy(AttachedContent)] = ABSENT
    savedCopyFraming: SavedCopyFraming | None = None
    truncated: bool | None = None
    overTokenLimit: bool | None = None
    mayHoldDownload: bool | None = None


class AlreadyReadFile(Body, tag="already_read_file"):
    filename: str | None = None
    displayPath: str | None = None
    content: Annotated[Raw, Lazy(AttachedContent)] = ABSENT


class RereadEntry(Struct, kw_only=True):
    timestamp: float | None = None
    contentHash: str | None = None
    contentLength: int | None = None
    offset: int | None = None


class EditedTextFile(Body, tag="edited_text_file"):
    """A file that changed since the model read it."""

    filename: str | None = None
    snippet: str | None = None
    rereadEntry: RereadEntry | None = None


class EditedImageFile(Body, tag="edited_image_file"):
    filename: str | None = None
    content: Raw = ABSENT


class CompactFileReference(Body, tag="compact_file_reference"):
    """A file that was read before a compaction and is too large to be read again."""

    filename: str | None = None
    displayPath: str | None = None


class PdfReference(Body, tag="pdf_reference"):
    filename: str | None = None
    displayPath: str | None = None
    pageCount: int | None = None
    fileSize: int | None = None
    stillArriving: bool | None = None
    modelReadsByPage: bool | None = None
    wholeRefusedByModel: bool | None = None


class Mention(Struct, kw_only=True):
    filename: str | None = None
    displayPath: str | None = None
    fileSize: int | None = None
    totalLines: int | None = None
    unread: bool | None = None
    readAllOfIt: bool | None = None


class AtMentionReference(Body, tag="at_mention_reference"):
    mentions: list[Mention | str] | None = None
    arePdfsToReadPlainly: bool | None = None


class Directory(Body, tag="directory"):
    path: str | None = None
    displayPath: str | None = None
    content: str | None = None


class OpenedFileInIde(Body, tag="opened_file_in_ide"):
    filename: str | None = None
    displayPath: str | None = None


class SelectedLinesInIde(Body, tag="selected_lines_in_ide"):
    ideName: str | None = None
    filename: str | None = None
    displayPath: str | None = None
    lineStart: int | None = None
    lineEnd: int | None = None
    content: str | None = None
    mayHoldDownload: bool | None = None


class SelectedLinesInDiff(Body, tag="selected_lines_in_diff"):
    filePath: str | None = None
    lineCount: int | None = None
    content: str | None = None
    mayHoldDownload: bool | None = None


class McpResource(Body, tag="mcp_resource"):
    server: str | None = None
    uri: str | None = None
    name: str | None = None
    description: str | None = None
    content: Raw = ABSENT


class MemoryContent(Struct, kw_only=True):
    path: str | None = None
    type: str | None = None
    content: str | None = None
    rawContent: str | None = None
    parent: str | None = None
    globs: list[str] | None = None
    contentDiffersFromDisk: bool | None = None


class NestedMemory(Body, tag="nested_memory"):
    """Instructions of a folder, loaded when the model first worked in it."""

    path: str | None = None
    displayPath: str | None = None
    content: MemoryContent | None = None


class Memory(Struct, kw_only=True):
    path: str | None = None
    displayPath: str | None = None
    content: str | None = None
    header: str | None = None
    limit: int | None = None
    mtimeMs: float | None = None
    account: bool | None = None


class RelevantMemories(Body, tag="relevant_memories"):
    memories: list[Memory] | None = None


class WithheldMemory(Body, tag="withheld_memory"):
    entries: list[Memory] | None = None
    by: str | None = None


class PlanFileReference(Body, tag="plan_file_reference"):
    planFilePath: str | None = None
    planContent: str | None = None


FILE_BODIES = (
    File
    | AlreadyReadFile
    | EditedTextFile
    | EditedImageFile
    | CompactFileReference
    | PdfReference
    | AtMentionReference
    | Directory
    | OpenedFileInIde
    | SelectedLinesInIde
    | SelectedLinesInDiff
    | McpResource
    | NestedMemory
    | RelevantMemories
    | WithheldMemory
    | PlanFileReference
)
