"""What the agents of a conversation changed in files, and undoing it."""

from typing import Literal

from chorus.core.views.blocks import Diff
from chorus.show.wire.base import Wire


class EditedFile(Wire, frozen=True):
    """A file that one snapshot changed."""

    key: str
    """The path with percent signs for special bytes. It names the file in requests: a path may be no valid text."""
    path: str
    """The path in the workspace, for a reader."""
    change: Literal["created", "changed", "deleted"]
    added: int | None
    """Number of new lines; None if the file is no text."""
    removed: int | None


class EditShown(Wire, frozen=True):
    """What one call changed, or what changed until a turn ended, or what an undo changed."""

    commit: str
    """The id of the snapshot. It names the edit in requests."""
    kind: Literal["call", "turn", "undo", "switch"]
    """`switch`: git changed the files, because another branch or commit was checked out; nobody can undo that here."""
    title: str
    """What git did, for a `switch`; "" otherwise."""
    call: str
    """The id of the tool call; "" if there is none."""
    tool: str
    agent: str
    """The sub-agent whose call it was; "" for the main thread."""
    model: str
    feed: Literal["control", "hook", "file", "stream"]
    """How Chorus learned about it; after the fact for `file` and `stream`."""
    time: str | None
    others: int
    """How many other conversations worked in the folder meanwhile: the change may be theirs."""
    files: tuple[EditedFile, ...]
    more: int
    """How many files were left out, because there are too many."""
    skipped: tuple[str, ...]
    """Files that are not part of the snapshot, each with the reason."""


class EditedTurn(Wire, frozen=True):
    """A turn that changed files, or an undo of a person."""

    turn: int
    """The number of the turn, from 1; 0 if it is not known, or for an undo."""
    is_undo: bool
    prompt: str
    """The beginning of the prompt; "" if it is not known."""
    prompt_at: str
    """The place of the prompt in the transcript; "" if it is not known."""
    edits: tuple[EditShown, ...]


class Changes(Wire, frozen=True):
    """Everything that the agents of a conversation changed in files, in order."""

    hint: str
    """Why there is nothing, and what to do; "" if there are snapshots."""
    folder: str
    """The folder of the workspace; "" without snapshots."""
    turns: tuple[EditedTurn, ...]
    more: int
    """How many files of later edits were left out, because there are too many."""


class EditDiff(Wire, frozen=True):
    """What one edit changed in one file."""

    diff: Diff
    notes: tuple[str, ...]
    """What the lines do not show: a changed mode, a link, a file that is no text."""
    cut_lines: int
    """How many lines were left out at the end."""


class UndoAsked(Wire, frozen=True):
    """What to undo: one edit, one turn, or everything; of all files, or of some. An undo is undone by its commit."""

    commit: str | None
    turn: int | None
    files: tuple[str, ...] | None
    """The keys of the files; None for all."""


class UndoFile(Wire, frozen=True):
    """What undoing does to a file, or what it did."""

    key: str
    path: str
    outcome: Literal["restored", "deleted", "merged", "conflict", "failed", "nothing"]
    reason: str
    """Why a conflict cannot be undone; "" otherwise."""
    diff: Diff | None
    """How the file changes; None if it does not, if it is no text, or if there is too much to show."""


class UndoPreview(Wire, frozen=True):
    """What undoing would do."""

    digest: str
    """Stands for exactly this preview. It is sent back, and refused if the files changed since."""
    files: tuple[UndoFile, ...]


class UndoConfirmed(Wire, frozen=True):
    """A person saw the preview, chose files in it, and confirms."""

    asked: UndoAsked
    digest: str
    files: tuple[str, ...]
    """The keys of the files to change."""


class UndoResult(Wire, frozen=True):
    """What was done."""

    files: tuple[UndoFile, ...]
