"""`devices.jsonl` in the vault's `state/`: the paired devices, stored as a journal of changes."""

from pathlib import Path

from chorus.errors import SourceUnreadable
from chorus.steer.approvals.devices.signed_devices import (
    DeviceChange,
    PairedDevice,
    PairedDevices,
    device_objection,
    fold_devices,
)
from chorus.steer.approvals.entries_file import EntriesFile
from chorus.steer.approvals.trust import Listed

NAME = "devices.jsonl"
REWRITTEN = "the file of the devices was rewritten; no device is admitted until Chorus is started again"


class DevicesFile:
    """The file, with its last read content cached. Safe to use from several threads.

    If the file cannot be read, was rewritten while this object lives, or lost lines, no device is admitted: one of the
    missing lines may have revoked it.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._entries = EntriesFile(folder / NAME, DeviceChange, keeps_what_it_read=True)
        self._version = 0
        self._found = PairedDevices()

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file; None if nothing is."""
        return self._entries.tampering(REWRITTEN)

    def load(self) -> PairedDevices:
        """Returns all devices, also the revoked ones. Raises `SourceUnreadable`."""
        with self._entries.lock:
            version = self._entries.refresh()
            if version != self._version:
                self._version, self._found = version, self._folded()
            return self._found

    def admitted(self) -> dict[str, PairedDevice]:
        """Returns the devices that may use the server now, by id. Never raises: in doubt there is none."""
        with self._entries.lock:
            try:
                found = self.load()
            except SourceUnreadable:
                return {}
            return {} if self.tampering is not None else found.admitted

    def append(self, change: DeviceChange) -> PairedDevices:
        """Appends a change and returns the new devices. Raises `ChorusError` with the reason if it is refused."""

        def objection(listed: Listed[DeviceChange]) -> str | None:
            reason = self.tampering or device_objection(listed.change, self._folded().devices)
            return None if reason is None else f"{change.name or change.id}: {reason}"

        self._entries.append(change, objection)
        return self.load()

    def _folded(self) -> PairedDevices:
        return fold_devices(self._entries.listed, self._entries.flaws)
