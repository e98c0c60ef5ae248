"""The report of a pass over the sources."""

from msgspec import Struct, field

from chorus.keep.sources.file_access import Skip


class Report(Struct):
    """What a pass did."""

    sources: int = 0
    new: int = 0
    grown: int = 0
    revised: int = 0
    kept_bytes: int = 0
    side_files: int = 0
    stubs: int = 0
    forgotten: int = 0
    failed: list[str] = field(default_factory=list)
    """What should have been read and could not be, each with the reason."""
    skipped: list[str] = field(default_factory=list)
    """What was left out on purpose: pipes, devices, links out of their folder, files that are too large."""
    conversations: set[str] = field(default_factory=set)
    """The names of the conversations of which something was stored."""
    mended: list[str] = field(default_factory=list)
    """Damaged files of the vault that were repaired, each with what was wrong."""
    lost: list[str] = field(default_factory=list)
    """What the vault lost and no source has any more."""
    looked_at: set[str] = field(default_factory=set)
    """The conversations that have a source among those of this pass. Another process may have stored the new lines."""

    def add(self, other: "Report") -> None:
        """Add the numbers of another report."""
        for name in ("sources", "new", "grown", "revised", "kept_bytes", "side_files", "stubs", "forgotten"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failed += [each for each in other.failed if each not in self.failed]
        self.skipped += [each for each in other.skipped if each not in self.skipped]
        self.conversations |= other.conversations
        self.looked_at |= other.looked_at

    def skip(self, skip: Skip) -> None:
        """Add something that was left out, once."""
        entries = self.failed if skip.is_failure else self.skipped
        if str(skip) not in entries:
            entries.append(str(skip))
