"""Files over time: the entrance to this package."""

from collections.abc import Iterable

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.items import Call, Order
from chorus.core.file_versions.backup_steps import Backup
from chorus.core.file_versions.model import Backups, FileVersions
from chorus.core.file_versions.steps import Step, steps_of
from chorus.core.file_versions.stored_files import StoredEdits, StoredFile, nothing_stored, stored_steps
from chorus.core.file_versions.tracking import versions_of


def no_backups(_conversation: str, _name: str) -> bytes | None:
    """For conversations whose backups are not at hand."""
    return None


def files_of(
    conversations: Iterable[Conversation], backups: Backups = no_backups, stored: StoredEdits = nothing_stored
) -> list[FileVersions]:
    """Returns the files that the conversations touched, in order of first use, each with all its versions.

    Several conversations are followed together: what one of them wrote is known to the others. What snapshots say
    counts more than what the records say.
    """
    steps: list[Step | Backup | StoredFile] = []
    for conversation in conversations:
        steps += steps_of(conversation)
        steps += stored_steps(stored(conversation.id), call_ends(conversation))
    steps.sort(key=lambda step: (step.order, _side(step)))
    return versions_of(steps, backups)


def call_ends(conversation: Conversation) -> dict[str, Order]:
    """Returns the order key of each call's end, by its id."""
    found: dict[str, Order] = {}
    for call in conversation.all(Call):
        result = conversation.result(call)
        found[call.tool_use_id] = result.order if result else call.order
    return found


def _side(step: Step | Backup | StoredFile) -> int:
    """Returns where a step comes among those with the same order key: snapshots are around the call."""
    if isinstance(step, StoredFile):
        return 1 if step.is_after else -1
    return 0
