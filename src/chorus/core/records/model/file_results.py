"""Results of tools that run commands, and that read, search and change files."""

from msgspec import Struct


class Hunk(Struct, kw_only=True):
    """A part of a patch. Each line begins with a space, `+` or `-`."""

    oldStart: int | None = None
    oldLines: int | None = None
    newStart: int | None = None
    newLines: int | None = None
    lines: list[str] | None = None


class ChangedFile(Struct, kw_only=True):
    filePath: str | None = None
    hunks: list[Hunk] | None = None
    created: bool | None = None
    deleted: bool | None = None


class BashEditDiff(Struct, kw_only=True):
    """Files that a command changed."""

    files: list[ChangedFile] | None = None
    moreFiles: int | None = None
    changedFiles: list[str] | None = None
    unavailable: bool | None = None
    skipped: bool | None = None
    shared: bool | None = None


class BashResult(Struct, kw_only=True):
    stdout: str | None = None
    stderr: str | None = None
    interrupted: bool | None = None
    isImage: bool | None = None
    noOutputExpected: bool | None = None
    returnCodeInterpretation: str | None = None
    persistedOutputPath: str | None = None
    """A side file of the session that contains all of a long output."""
    persistedOutputSize: int | None = None
    backgroundTaskId: str | None = None
    bashEditDiff: BashEditDiff | None = None
    sandbox: bool | None = None


class Dimensions(Struct, kw_only=True):
    originalWidth: int | None = None
    originalHeight: int | None = None
    displayWidth: int | None = None
    displayHeight: int | None = None


class ReadFile(Struct, kw_only=True):
    """Text with its position in the file, or an image."""

    filePath: str | None = None
    content: str | None = None
    numLines: int | None = None
    startLine: int | None = None
    totalLines: int | None = None
    base64: str | None = None
    type: str | None = None
    originalSize: int | None = None
    dimensions: Dimensions | None = None


class ReadResult(Struct, kw_only=True):
    type: str | None = None
    file: ReadFile | None = None


class AppliedEdit(Struct, kw_only=True):
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool | None = None


class EditResult(Struct, kw_only=True):
    """Result of `Edit`, `MultiEdit` and `Write`. Only `Write` sets `type` (`create` or `update`) and `content`."""

    type: str | None = None
    filePath: str | None = None
    oldString: str | None = None
    newString: str | None = None
    edits: list[AppliedEdit] | None = None
    content: str | None = None
    originalFile: str | None = None
    originalFileContents: str | None = None
    structuredPatch: list[Hunk] | None = None
    userModified: bool | None = None
    replaceAll: bool | None = None
    contentNotInModelContext: bool | None = None
    staleRecovered: bool | None = None
    staged: bool | None = None
    """Whether the change waits for a person, and the file is as it was."""


class NotebookResult(Struct, kw_only=True):
    """Result of `NotebookEdit`, with the whole file before and after."""

    notebook_path: str | None = None
    cell_id: str | None = None
    cell_type: str | None = None
    language: str | None = None
    edit_mode: str | None = None
    new_source: str | None = None
    old_source: str | None = None
    original_file: str | None = None
    updated_file: str | None = None
    error: str | None = None


class SearchResult(Struct, kw_only=True):
    """Result of `Grep` and `Glob`."""

    mode: str | None = None
    numFiles: int | None = None
    filenames: list[str] | None = None
    content: str | None = None
    numLines: int | None = None
    numMatches: int | None = None
    appliedLimit: int | None = None
    appliedOffset: int | None = None
    durationMs: float | None = None
    truncated: bool | None = None
