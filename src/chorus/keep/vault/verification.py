"""Checks whether the files of a vault are as they were acknowledged, by the inventory and the proofs.

Changes nothing. Damage inside the lines of a stream is reported by `FileVault.lines`.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chorus.errors import VaultUnwritable
from chorus.keep.vault import format_version, inventory, proof, safe_files, sealing
from chorus.keep.vault.digest import Measure, extended, file_digest, measured
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.inventory import InventoryEntry
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.layout import stream_at
from chorus.keep.vault.port import Damaged
from chorus.keep.vault.tombstones import readable_forgotten_ids

_LOOKS, _PAUSE_S = 3, 0.01
MEANINGS = {
    "inventory.jsonl": "losses in the vault may not be noticed; the next sync reads all of it and lists it again",
    "sources.jsonl": "nothing is lost; the next sync compares every source with the vault",
    "forgotten.jsonl": "forgotten data could come back, so nothing is stored: chorus doctor --accept forgotten.jsonl",
    "approvals.jsonl": "requests and decisions may be missing: chorus doctor --accept approvals.jsonl",
    "approvers.jsonl": "it is uncertain who may approve, so nobody can: chorus doctor --accept approvers.jsonl",
    "devices.jsonl": "it is uncertain which devices may log in, so none can: chorus doctor --accept devices.jsonl",
    "annotations.jsonl": "titles, stars, tags and notes may be missing: chorus doctor --accept annotations.jsonl",
    "decisions.json": "nothing is lost; the next sync reads the ledger again",
    "hooks.json": "it is uncertain where hooks were installed: chorus hooks install",
    "hook.key": "hooks may not reach Chorus: chorus hooks install",
}
"""The files in `state/` that are proved, and the consequence if one is damaged."""


class Discrepancy(Struct, frozen=True):
    """A difference from what was acknowledged."""

    file: str
    """The path below the vault."""
    reason: str
    line: int | None = None


def state_findings(vault: FileVault) -> Iterator[Discrepancy]:
    """Yield what is wrong with the files about the vault: `vault.json`, the inventory, the rest of `state/`."""
    root, listed = vault.root, vault.inventory
    listed.refresh()
    is_marked = format_version.is_listed(root) or listed.is_there
    if reason := _format_objection(vault):
        yield Discrepancy(format_version.NAME, reason)
    if not is_marked:
        # An older Chorus wrote this vault: nothing in it was proved.
        return
    for name, meaning in MEANINGS.items():
        path = root / "state" / name
        found = proof.objection(path)
        reason = found.reason if found else None
        if name == inventory.NAME:
            reason = inventory_objection(vault)
        if reason:
            yield Discrepancy(f"state/{name}", f"{reason}; {meaning}")


def accept(vault: FileVault, name: str) -> bool:
    """Accept a file in `state/` as it is, because a person has looked at it.

    Returns False if no proved file has that name.
    """
    path = vault.root / "state" / name
    if name not in MEANINGS or name == inventory.NAME:
        return False
    try:
        proof.prove(path)
    except OSError as error:
        raise VaultUnwritable(f"{path}: {error.strerror or error}") from error
    return True


def findings(vault: FileVault, *, is_full: bool) -> Iterator[tuple[InventoryEntry, Discrepancy]]:
    """Yield every listed stream and blob that is not as it was acknowledged, and each damaged line of a stream.

    Without `is_full`, only the files are read that another program changed after Chorus wrote them.
    """
    forgotten = readable_forgotten_ids(vault.root)
    for entry in list(vault.inventory.entries()):
        key = stream_at(entry.file)
        if key is not None and key.conversation in forgotten:
            continue
        if not is_full and is_untouched(vault.root, entry):
            continue
        yield from ((entry, each) for each in examined(vault, entry))


def examined(vault: FileVault, entry: InventoryEntry) -> list[Discrepancy]:
    """Read a listed file completely, and return what is wrong with it."""
    now: InventoryEntry | None = entry
    found: list[Discrepancy] = []
    for look in range(_LOOKS):
        # It may have been packed or continued between two checks.
        if look:
            time.sleep(_PAUSE_S)
            now = vault.inventory.get(entry.file)
        if now is None:
            return []
        key = stream_at(now.file)
        found = _stream_findings(vault, key, now) if key else _blob_findings(vault.root, now)
        if not found or not is_changing(vault, now):
            break
    return found


def is_untouched(root: Path, entry: InventoryEntry) -> bool:
    """Return whether a file has the size and the time that Chorus gave it, and no damage is known."""
    if entry.is_suspect or entry.lost:
        return False
    path = f"{root}/{entry.file}"
    try:
        if entry.packed is not None:
            status = os.lstat(f"{path}.zst")
            return (status.st_size, status.st_mtime_ns) == (entry.packed[0], entry.mtime_ns) and not os.path.lexists(
                path
            )
        status = os.lstat(path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (entry.measure.bytes, entry.mtime_ns)


def is_changing(vault: FileVault, entry: InventoryEntry) -> bool:
    """Return whether a file was written after its entry was read, or is being written now."""
    now = vault.inventory.get(entry.file)
    if now != entry:
        return True
    try:
        fd = safe_files.open_file(vault.root / entry.file, safe_files.READ)
    except OSError:
        return False
    try:
        return not safe_files.is_free(fd)
    finally:
        os.close(fd)


def stream_objection(vault: FileVault, key: StreamKey, entry: InventoryEntry) -> Discrepancy | None:
    """Return what is wrong with a stream as a whole according to the inventory; its lines are not checked."""
    path = vault.path(key)
    if safe_files.has_link(vault.root, path):
        return Discrepancy(entry.file, "its path contains a link, and links are not followed")
    try:
        return _open_objection(path, entry) or _loss(entry)
    except FileNotFoundError:
        pass
    except OSError as error:
        return Discrepancy(entry.file, f"cannot be read: {error.strerror or error}")
    try:
        return _packed_objection(path, entry) or _loss(entry)
    except FileNotFoundError:
        return Discrepancy(entry.file, f"is gone; it had {_counted(entry.measure)}") if entry.measure.lines else None
    except OSError as error:
        return Discrepancy(f"{entry.file}.zst", f"cannot be read: {error.strerror or error}")


def _stream_findings(vault: FileVault, key: StreamKey, entry: InventoryEntry) -> list[Discrepancy]:
    lines: list[Discrepancy] = []
    end = 0
    try:
        for each in vault.lines(key):
            if isinstance(each, Damaged):
                lines.append(Discrepancy(entry.file, each.reason, each.number))
            else:
                end = each.head.seq + 1
    except OSError as error:
        lines.append(Discrepancy(entry.file, f"cannot be read: {error.strerror or error}"))
    whole = stream_objection(vault, key, entry)
    if whole is None or (lines and end >= entry.measure.lines and not entry.lost):
        # If the last line exists, the findings about damaged lines are complete.
        return lines
    return [*lines, whole]


def _blob_findings(root: Path, entry: InventoryEntry) -> list[Discrepancy]:
    path = root / entry.file
    if safe_files.has_link(root, path):
        return [Discrepancy(entry.file, "its path contains a link, and links are not followed")]
    try:
        data = safe_files.read_file(path)
    except FileNotFoundError:
        return [Discrepancy(entry.file, f"is gone; it had {entry.measure.bytes:,} bytes")]
    except OSError as error:
        return [Discrepancy(entry.file, f"cannot be read: {error.strerror or error}")]
    if hashlib.sha256(data).hexdigest() != path.name:
        return [Discrepancy(entry.file, "its content does not match its name")]
    return []


def _loss(entry: InventoryEntry) -> Discrepancy | None:
    if not entry.lost:
        return None
    lines = "1 stored line is" if entry.lost == 1 else f"{entry.lost:,} stored lines are"
    return Discrepancy(entry.file, f"{lines} lost and could not be recovered")


def _open_objection(path: Path, entry: InventoryEntry) -> Discrepancy | None:
    """Check the open file. Raises FileNotFoundError if there is none, or if it is empty and a packed one exists."""
    fd = safe_files.open_file(path, safe_files.READ)
    try:
        size = os.fstat(fd).st_size
        if size == 0 and os.path.lexists(sealing.sealed(path)):
            raise FileNotFoundError(path)
        kept = entry.measure
        if size < kept.bytes:
            there = measured(fd, size)
            lost = kept.lines - there.lines + (size > 0 and os.pread(fd, 1, size - 1) != b"\n")
            return Discrepancy(
                entry.file,
                f"ends at byte {size:,} of {kept.bytes:,}: {lost:,} of {kept.lines:,} lines are gone",
                there.lines + 1,
            )
        if measured(fd, kept.bytes) != kept:
            return Discrepancy(entry.file, f"its first {_counted(kept)} are not those that were stored")
        if size and os.pread(fd, 1, size - 1) != b"\n" and safe_files.is_free(fd) and os.fstat(fd).st_size == size:
            return Discrepancy(
                entry.file, "its last line is torn: its writer was stopped, or another program added to it"
            )
    finally:
        os.close(fd)
    return None


def _packed_objection(path: Path, entry: InventoryEntry) -> Discrepancy | None:
    fd = safe_files.open_file(sealing.sealed(path), safe_files.READ)
    try:
        if entry.packed is not None:
            there = file_digest(fd)
            if there == entry.packed:
                return None
            what = (
                f"{there[0]:,} bytes instead of {entry.packed[0]:,}" if there[0] != entry.packed[0] else "other bytes"
            )
            return Discrepancy(f"{entry.file}.zst", f"the packed file is not what was written: {what}")
    finally:
        os.close(fd)
    if extended(Measure(), sealing.read_lines(path)) != entry.measure:
        return Discrepancy(f"{entry.file}.zst", f"it does not contain the {_counted(entry.measure)} that were stored")
    return None


def _format_objection(vault: FileVault) -> str | None:
    root = vault.root
    try:
        text = safe_files.read_file(root / format_version.NAME)
    except FileNotFoundError:
        is_vault = vault.inventory.is_there or (root / "conversations").is_dir()
        return "is gone; it says which format the vault has" if is_vault else None
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    version = format_version.format_of(root)
    if version is None or text not in (
        format_version.text(version, is_listed=True),
        format_version.text(version, is_listed=False),
    ):
        return "is damaged; it should say which format the vault has"
    if vault.inventory.versions and version not in vault.inventory.versions:
        return f"says format {version}; the vault was written in format {max(vault.inventory.versions)}"
    return None


def inventory_objection(vault: FileVault) -> str | None:
    """Return what is wrong with the inventory itself."""
    listed = vault.inventory
    if found := proof.objection(listed.path):
        return found.reason
    if not listed.path.exists():
        return "is gone" if format_version.is_listed(vault.root) and (vault.root / "conversations").is_dir() else None
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE_S)
        listed.refresh()
        if listed.flaws:
            line, reason = listed.flaws[0]
            return f"line {line} {reason}" if line else reason
        if not listed.is_torn:
            return None
    return "its last line is torn: its writer was stopped, or another program added to it"


def _counted(measure: Measure) -> str:
    return f"{measure.lines:,} lines ({measure.bytes:,} bytes)"
