"""The authority of files that are read without a vault: what a sync of the same files would note about them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from chorus.core.conversation.authority import SESSION_FILE, StreamAuthorities, StreamAuthority, authorities_of
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.errors import SourceUnreadable
from chorus.keep.sources.discover import classify
from chorus.keep.sources.file_access import open_file
from chorus.keep.sources.origin import is_astray, origin_of
from chorus.keep.sources.ownership import first_session_and_folder, head_of

_SIDECAR = ".meta.json"


def authorities_of_files(session: str, numbers: Mapping[str, int]) -> StreamAuthorities:
    """Returns the authorities of the files of a session. `numbers` are their positions in the order of reading."""
    return authorities_of({name: _authority_of(name, session, number) for name, number in numbers.items()})


def files_to_compare(fold: Fold, numbers: Mapping[str, int]) -> dict[str, int] | None:
    """Returns the files of a session that must be compared, with their numbers; None if none of them has another one.

    A session's file with the files of its sub-agents is compared, too: only what belongs to a sub-agent counts in them.
    """
    names = [name for name in fold.state.streams if not name.endswith(_SIDECAR)]
    if len(names) < 2 or not all(name in numbers and Path(name).is_file() for name in names):
        return None
    return {name: numbers[name] for name in names}


def settled(
    authorities: StreamAuthorities, names: Iterable[str], read: Callable[[StreamAuthorities, list[str]], Fold]
) -> None:
    """Calls `read` with authorities and the files, best first, until the authorities are final."""
    known = list(names)
    found: StreamAuthorities | None = authorities
    while found is not None:
        fold = read(found, sorted(known, key=found.rank))
        found = revised_authorities(fold.state.comparison, found)


def _authority_of(name: str, session: str, number: int) -> StreamAuthority:
    found = classify(Path(name).absolute())
    origin, folder = origin_of(found), None
    if found.kind == "session" and found.session_id != session:
        # Its location names another session.
        origin = max(origin, SESSION_FILE)
    if found.kind == "session":
        try:
            with open_file(found.path, None) as file:
                folder = first_session_and_folder(found, head_of(file))[1]
        except (OSError, SourceUnreadable):
            # The reader of the file reports the error.
            folder = None
    return StreamAuthority(origin, number, found.agent_id, is_astray=is_astray(found.path, folder), path=name)
