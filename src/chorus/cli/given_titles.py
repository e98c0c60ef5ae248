"""Set the titles that a person gave to recorded conversations."""

from collections.abc import Mapping

from chorus.core.conversation.conversation import Conversation
from chorus.find.search.annotations import load_annotations
from chorus.keep.vault.files import FileVault


def set_given_titles(vault: FileVault, opened: Mapping[str, Conversation]) -> None:
    """Set the given title of each conversation (by name). For readers of this machine: an export does not have it."""
    annotations = load_annotations(vault)
    for name, conversation in opened.items():
        annotation = annotations.get(name)
        conversation.given_title = annotation.title if annotation is not None else None
