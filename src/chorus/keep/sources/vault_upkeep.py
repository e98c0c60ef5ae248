"""Repairs the files about a vault before anything is stored: its format, its inventory, its proofs.

Files that only describe other files are built again from them. Decisions of people (what is forgotten, who may approve)
are never invented: the damaged file stays as it is, and code that needs it refuses to continue.
"""

import os
from collections.abc import Iterator
from contextlib import suppress

from chorus.keep.vault import format_version, inventory, proof, safe_files, sealing, verification
from chorus.keep.vault.digest import Measure, extended, file_digest, measured
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.format_version import FORMAT
from chorus.keep.vault.inventory import InventoryEntry
from chorus.keep.vault.journal_line import decode
from chorus.keep.vault.layout import stream_file

_JOURNALS = ("approvals.jsonl", "approvers.jsonl", "devices.jsonl")
_DISPOSABLE = ("decisions.json",)


def repair_state(vault: FileVault) -> list[str]:
    """Rebuild what can be rebuilt from other files, and return a line of text for each."""
    messages: list[str] = []
    vault.inventory.refresh()
    is_listed = format_version.is_listed(vault.root) or vault.inventory.is_there
    for each in list(verification.state_findings(vault)):
        name = each.file.rpartition("/")[2]
        path = vault.root / each.file
        if each.file == format_version.NAME and vault.inventory.versions == {FORMAT}:
            format_version.write_format(vault.root, FORMAT, is_listed=is_listed)
            vault.format = FORMAT
            messages.append(f"{each.file}: {each.reason}; written again")
        elif name in _DISPOSABLE:
            path.unlink(missing_ok=True)
            proof.prove(path)
            messages.append(f"{each.file}: {each.reason}")
        elif name in _JOURNALS and _is_whole_but_unproved(vault, name):
            proof.prove(path)
            messages.append(
                f"{each.file}: its proof was damaged or gone; all lines are undamaged, so it is proved again"
            )
    return messages


def rebuild_inventory(vault: FileVault) -> list[str]:
    """List all files of a vault again if its inventory is damaged or missing."""
    root, listed = vault.root, vault.inventory
    reason = verification.inventory_objection(vault)
    if reason is None and (format_version.is_listed(root) or not (root / "conversations").is_dir()):
        return []
    is_first = not format_version.is_listed(root) and not listed.is_there
    known = {entry.file: entry for entry in listed.entries()}
    found = [known.get(entry.file, entry) for entry in _all_files(vault, known)]
    there = {entry.file for entry in found}
    # A listed file that does not exist is lost; the next check reports it.
    listed.replace_all([*found, *(entry for entry in known.values() if entry.file not in there)])
    if is_first:
        for name in verification.MEANINGS:
            path = root / "state" / name
            if name != inventory.NAME and path.exists():
                proof.prove(path)
    format_version.write_format(root, FORMAT, is_listed=True)
    return (
        []
        if is_first
        else [f"state/{inventory.NAME}: {reason or 'it was incomplete'}; {len(found):,} files listed again"]
    )


def _all_files(vault: FileVault, known: dict[str, InventoryEntry]) -> Iterator[InventoryEntry]:
    for key in vault.keys():  # noqa: SIM118 - no mapping
        file = stream_file(key)
        yield known.get(file) or _measured(vault, file)
    for folder in sorted((vault.root / "blobs").glob("??")):
        for path in sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else ():
            if path.is_file() and not path.name.endswith(".tmp"):
                status = path.lstat()
                yield InventoryEntry(f"blobs/{folder.name}/{path.name}", Measure(status.st_size), status.st_mtime_ns)


def _measured(vault: FileVault, file: str) -> InventoryEntry:
    path = vault.root / file
    with suppress(OSError):
        fd = safe_files.open_file(path, safe_files.READ)
        try:
            size = os.fstat(fd).st_size
            end = os.pread(fd, size, 0).rfind(b"\n") + 1
            return InventoryEntry(file, measured(fd, end), os.fstat(fd).st_mtime_ns)
        finally:
            os.close(fd)
    with suppress(OSError):
        fd = safe_files.open_file(sealing.sealed(path), safe_files.READ)
        try:
            measure = extended(Measure(), sealing.read_lines(path))
            return InventoryEntry(file, measure, os.fstat(fd).st_mtime_ns, file_digest(fd))
        finally:
            os.close(fd)
    return InventoryEntry(file)


def _is_whole_but_unproved(vault: FileVault, name: str) -> bool:
    path = vault.root / "state" / name
    against = proof.objection(path)
    if against is None or against.kind != "unproved":
        return False
    try:
        *lines, rest = safe_files.read_file(path).split(b"\n")
    except OSError:
        return False
    return not rest and all(decode(line) is not None for line in lines)
