"""`devices.jsonl` in the vault's `state/`: the paired devices, stored as a journal of changes."""

import threading
from pathlib import Path

import msgspec

from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.vault.journal import Entry, Journal
from chorus.steer.approvals.devices.signed_devices import (
    DeviceChange,
    PairedDevice,
    PairedDevices,
    device_objection,
    fold_devices,
)
from chorus.steer.approvals.trust import Rejected

NAME = "devices.jsonl"
REWRITTEN = "the file of the devices was rewritten; no device is admitted until Chorus is started again"
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class DevicesFile:
    """The file, with its last read content cached. Safe to use from several threads.

    If the file cannot be read, was rewritten while this object lives, or lost lines, no device is admitted: one of the
    missing lines may have revoked it.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._journal = Journal(folder / NAME)
        self._listed: list[tuple[int, DeviceChange]] = []
        self._flaws: list[Rejected] = []
        self._found: PairedDevices | None = None
        self._mutex = threading.RLock()

    @property
    def tampering(self) -> str | None:
        """What is wrong with the whole file; None if nothing is."""
        if self._journal.generation:
            return REWRITTEN
        against = self._journal.objection
        return f"{against.reason}; `chorus doctor --accept {NAME}`" if against and against.is_loss else None

    def load(self) -> PairedDevices:
        """Returns all devices, also the revoked ones. Raises `SourceUnreadable`."""
        with self._mutex:
            if self._found is None or self._journal.has_changed():
                self._take(list(self._journal.news()))
            assert self._found is not None
            return self._found

    def admitted(self) -> dict[str, PairedDevice]:
        """Returns the devices that may use the server now, by id. Never raises: in doubt there is none."""
        with self._mutex:
            try:
                found = self.load()
            except SourceUnreadable:
                return {}
            return {} if self.tampering is not None else found.admitted

    def append(self, change: DeviceChange) -> PairedDevices:
        """Appends a change and returns the new devices. Raises `ChorusError` with the reason if it is refused."""
        with self._mutex:
            self.load()
            with self._journal.transaction() as held:
                self._take(list(held.news()))
                assert self._found is not None
                reason = self.tampering or device_objection(change, self._found.devices)
                if reason is not None:
                    raise ChorusError(f"{change.name or change.id}: {reason}")
                body = msgspec.json.encode(change)
                news = held.append(body)
                self._take(news)
                held.check(body, news)
            return self.load()

    def _take(self, entries: list[Entry]) -> None:
        if not self._journal.generation:
            for entry in entries:
                try:
                    self._listed.append((entry.line, _decoder.decode(entry.body)))
                except _REFUSALS:
                    self._flaws.append(Rejected(entry.line, "is not an entry that this version knows"))
        flaws = [Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws]
        self._found = fold_devices(self._listed, [*flaws, *self._flaws])


_decoder = msgspec.json.Decoder(DeviceChange)
