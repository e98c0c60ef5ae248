"""A quick look at the sources: how many conversations there are, their size, and which ones are at risk.

At risk are those that the client may delete before they are recorded.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from chorus.keep.archive.checkup import DEFAULT_CLEANUP_DAYS, WARN_DAYS, cleanup_days
from chorus.keep.sources.conversation_of import likely_conversation_of
from chorus.keep.sources.discover import classify, config_folder_of, walk
from chorus.keep.sources.history import sessions_prompted
from chorus.keep.sources.taken_notes import TakenNotes

_DAY_S = 86_400


class Watched(Struct, frozen=True):
    """A folder with sessions in it."""

    folder: Path
    sessions: int
    """The number of conversations that a pass over it records, except those of earlier folders."""
    size_bytes: int


class Survey(Struct, frozen=True):
    """What there is to record."""

    watched: tuple[Watched, ...]
    at_risk: int
    """Sessions that the client deletes within days and that are not completely recorded."""
    cleanup_days: int | None
    """After how many days the client deletes sessions, if its settings say so."""

    @property
    def size_bytes(self) -> int:
        return sum(each.size_bytes for each in self.watched)


def survey(root: Path, folders: Iterable[Path], *, now_s: float) -> Survey:
    """Examines the folders, and the notes of the vault below `root` about what was recorded of them."""
    notes = TakenNotes(root).by_path
    watched: list[Watched] = []
    counted: set[str] = set()
    at_risk = 0
    days: int | None = None
    for folder in folders:
        said = cleanup_days(folder)
        days = said if days is None else days
        horizon_s = max(0, (DEFAULT_CLEANUP_DAYS if said is None else said) - WARN_DAYS) * _DAY_S
        found: set[str] = set()
        configs = {folder} if (folder / "projects").is_dir() else set[Path]()
        size_bytes = 0
        for name, status in walk(folder):
            if status is None:
                continue
            source = classify(Path(name))
            size_bytes += status.st_size
            note = notes.get(name)
            found.add(note.key[2] if note is not None and note.key else likely_conversation_of(source))
            if config := config_folder_of(source.path):
                configs.add(config)
            is_kept = note is not None and note.is_unchanged(status)
            at_risk += source.kind == "session" and not is_kept and now_s - status.st_mtime >= horizon_s
        for config in configs:
            found |= sessions_prompted(config)
        watched.append(Watched(folder, len(found - counted), size_bytes))
        counted |= found
    return Survey(tuple(watched), at_risk, days)
