"""The files that a shell command changed, where the client compared them before and after it.

The comparison shows texts and leaves out files that git ignores, so nothing follows for files that it does not list.
"""

from collections.abc import Callable, Mapping

from chorus.core.file_versions.edits import edited
from chorus.core.file_versions.encodings import encoded_plainly
from chorus.core.file_versions.model import Cause, Certainty
from chorus.core.file_versions.steps import Doubt
from chorus.core.file_versions.tracked_file import FOUND_TEXT, TrackedFile
from chorus.core.records.model.file_results import BashEditDiff, ChangedFile

_MAX_FILES = 1000
_SAID = "the client said that a shell command changed it"


def apply_shell_changes(
    step: Doubt, diff: BashEditDiff, files: Mapping[str, TrackedFile], file_at: Callable[[str], TrackedFile]
) -> None:
    """Adds versions for the files that a command changed. Files that it created are followed from here on."""
    for changed in (diff.files or ())[:_MAX_FILES]:
        is_new = changed.filePath not in files
        if not changed.filePath or (is_new and not changed.created and not changed.deleted):
            continue
        tracked = file_at(changed.filePath)
        if changed.deleted:
            if is_new and (content := encoded_plainly(_side(changed, "-"))) is not None:
                tracked.add(step, content, Certainty.REBUILT, Cause.FOUND, FOUND_TEXT, is_start=True)
            tracked.find_absent(step, Certainty.REBUILT, Cause.COMMAND, _SAID)
            continue
        text = _new_text(tracked, changed)
        content = None if text is None else encoded_plainly(text)
        if content is not None:
            tracked.add(step, content, Certainty.REBUILT, Cause.COMMAND, f"{_SAID}; {FOUND_TEXT}")
        else:
            tracked.lose(step, _SAID)


def _new_text(tracked: TrackedFile, changed: ChangedFile) -> str | None:
    if changed.created:
        return _side(changed, "+")
    if tracked.text is None:
        return None
    done = edited(tracked.text, (), changed.hunks)
    return done.text if done else None


def _side(changed: ChangedFile, sign: str) -> str:
    """Returns the whole text of a file that was created or deleted."""
    return "".join(line[1:] + "\n" for hunk in changed.hunks or () for line in hunk.lines or () if line[:1] == sign)
